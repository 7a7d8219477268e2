"""Displacements of the plane SE(2).

Elements are 3x3 matrices ``[[R, x], [0, 1]]`` with R a 2x2 rotation. Tangent vectors, (3,), are
(v_x, v_y, omega): linear part first. The plane is x-y of SE(3), omega turns about z.
"""

import math
from typing import Any

import numpy as np

from cosserat.lie import coefficients as co
from cosserat.lie.protocol import Array, Group, module_group
from cosserat.lie.protocol import structure_constants as _structure_constants


def identity() -> Array:
    """Return the unit matrix."""
    return np.eye(3)


def compose(g: Array, h: Array) -> Array:
    """Return the product g h."""
    return np.asarray(g @ h)


def inverse(H: Array) -> Array:
    """Return ``[[R^T, -R^T x], [0, 1]]``."""
    c, s, x, y = H[0, 0], H[1, 0], H[0, 2], H[1, 2]
    return np.array([[c, s, -c * x - s * y], [-s, c, s * x - c * y], [0.0, 0.0, 1.0]])


def exp(d: Any) -> Array:
    """Return the displacement with turn d[2] (rad) along a circular arc.

    Examples
    --------
    >>> from cosserat.lie import se2
    >>> np.allclose(se2.exp([np.pi / 2, 0, np.pi / 2])[:2, 2], [1, 1])
    True
    """
    u, v, th = d
    a, b = co.sinc(th * th), th * co.cosc(th * th)
    c, s = math.cos(th), math.sin(th)
    return np.array([[c, -s, a * u - b * v], [s, c, b * u + a * v], [0.0, 0.0, 1.0]])


def log(H: Array) -> Array:
    """Return (u, v, theta), theta in (-pi, pi]: a half turn has theta = +pi."""
    th = math.atan2(H[1, 0], H[0, 0])
    if th <= -math.pi:
        th = math.pi
    a, b = 1.0 - co.cotc(th * th) * th * th, 0.5 * th
    x, y = H[0, 2], H[1, 2]
    return np.array([a * x + b * y, a * y - b * x, th])


def tangent(d: Any) -> Array:
    """Return T(d), (3, 3): ``d exp(d)[dd] = exp(d) hat(T(d) dd)``."""
    u, v, th = d
    t2 = th * th
    a, b = co.sinc(t2), th * co.cosc(t2)
    p, q = co.cosc(t2), th * co.sincc(t2)
    return np.array([[a, b, q * u - p * v], [-b, a, p * u + q * v], [0.0, 0.0, 1.0]])


def tangent_inv(d: Any) -> Array:
    """Return the inverse of T(d), (3, 3); singular at theta = 2 pi."""
    u, v, th = d
    c = co.cotc(th * th)
    a, b, q = 1.0 - c * th * th, 0.5 * th, c * th
    return np.array([[a, -b, q * u + 0.5 * v], [b, a, q * v - 0.5 * u], [0.0, 0.0, 1.0]])


def tangent_derivative(d: Any, dd: Any) -> Array:
    """Return the directional derivative D T(d)[dd], (3, 3)."""
    u, v, th = d
    du, dv, dth = dd
    t2 = th * th
    p, q = co.cosc(t2), th * co.sincc(t2)
    p_th, q_th = th * co.d_cosc(t2), co.sincc(t2) + t2 * co.d_sincc(t2)
    a, b = (co.sincc(t2) - co.cosc(t2)) * th * dth, (p + th * p_th) * dth
    x = q * du - p * dv + (q_th * u - p_th * v) * dth
    y = p * du + q * dv + (p_th * u + q_th * v) * dth
    return np.array([[a, b, x], [-b, a, y], [0.0, 0.0, 0.0]])


def tangent_inv_derivative(d: Any, dd: Any) -> Array:
    """Return the directional derivative D T^-1(d)[dd], (3, 3)."""
    u, v, th = d
    du, dv, dth = dd
    t2 = th * th
    c, c_th = co.cotc(t2), th * co.d_cotc(t2)
    q, q_th = c * th, c + th * c_th
    a, b = -(2.0 * c * th + t2 * c_th) * dth, 0.5 * dth
    x = q * du + 0.5 * dv + q_th * u * dth
    y = q * dv - 0.5 * du + q_th * v * dth
    return np.array([[a, -b, x], [b, a, y], [0.0, 0.0, 0.0]])


def adjoint(H: Array) -> Array:
    """Return Ad(H), (3, 3): ``H exp(d) H^-1 = exp(Ad(H) d)``."""
    c, s, x, y = H[0, 0], H[1, 0], H[0, 2], H[1, 2]
    return np.array([[c, -s, y], [s, c, -x], [0.0, 0.0, 1.0]])


def bracket(eta: Any) -> Array:
    """Return ad(eta), (3, 3)."""
    v_x, v_y, omega = eta
    return np.array([[0.0, -omega, v_y], [omega, 0.0, -v_x], [0.0, 0.0, 0.0]])


def coadjoint(eta: Any) -> Array:
    """Return ad(eta)^T, (3, 3)."""
    return bracket(eta).T


def hat(eta: Any) -> Array:
    """Return ``[[0, -omega, v_x], [omega, 0, v_y], [0, 0, 0]]``."""
    v_x, v_y, omega = eta
    return np.array([[0.0, -omega, v_x], [omega, 0.0, v_y], [0.0, 0.0, 0.0]])


def vee(X: Any) -> Array:
    """Return (v_x, v_y, omega)."""
    return np.array([X[0][2], X[1][2], X[1][0]], dtype=float)


def matrix(H: Array) -> Array:
    """Return H itself."""
    return np.array(H)


def structure_constants() -> Array:
    """Return c[i, j, k], (3, 3, 3)."""
    return _structure_constants(3, bracket)


def random(rng: np.random.Generator) -> Array:
    """Return a uniform rotation and a standard normal translation."""
    H = exp([0.0, 0.0, rng.uniform(-math.pi, math.pi)])
    H[:2, 2] = rng.standard_normal(2)
    return H


SE2: Group[Array] = module_group("SE2", 3, globals())
