"""Rigid displacements SE(3).

Elements are 4x4 matrices ``H = [[R, x], [0, 1]]``; ``H_ab`` maps coordinates in b to coordinates in a.
Tangent vectors, (6,), have the linear part first: a twist is (v, omega), a displacement d = (u, w); wrenches,
in the dual, are (f, m). Velocities are left-invariant: ``H_dot = H hat(eta)`` [Grazioso17] (2).

The tangent operator is that of SO(3) at the dual number w + eps u, which gives every block below.
"""

from typing import Any

import numpy as np

from cosserat.lie import so3
from cosserat.lie.protocol import Array, Group, module_group
from cosserat.lie.protocol import structure_constants as _structure_constants


def identity() -> Array:
    """Return the unit matrix."""
    return np.eye(4)


def compose(g: Array, h: Array) -> Array:
    """Return the product g h."""
    return np.asarray(g @ h)


def inverse(H: Array) -> Array:
    """Return ``[[R^T, -R^T x], [0, 1]]``."""
    R = H[:3, :3]
    return frame(R.T, -R.T @ H[:3, 3])


def exp(d: Any) -> Array:
    """Return the displacement along the screw d = (u, w), (6,): R = exp(w), x = T(w)^T u.

    Examples
    --------
    >>> from cosserat.lie import se3
    >>> quarter_circle = se3.exp([np.pi / 2, 0, 0, 0, 0, np.pi / 2])  # radius 1, tangent to x
    >>> np.allclose(quarter_circle[:3, 3], [1, 1, 0])
    True
    """
    d = np.asarray(d, dtype=float)
    w = d[3:]
    return frame(so3.exp(w), so3.tangent(w).T @ d[:3])


def log(H: Array) -> Array:
    """Return d = (u, w), (6,), with |w| in [0, pi]; at pi the sign of w is that of `so3.log`."""
    w = so3.log(H[:3, :3])
    return np.concatenate((so3.tangent_inv(w).T @ H[:3, 3], w))


def tangent(d: Any) -> Array:
    """Return T(d) = [[T, D T(w)[u]], [0, T]], (6, 6): ``d exp(d)[dd] = exp(d) hat(T(d) dd)``."""
    u, w = d[:3], d[3:]
    return _blocks(so3.tangent(w), so3.tangent_derivative(w, u))


def tangent_inv(d: Any) -> Array:
    """Return the inverse of T(d), (6, 6); singular at |w| = 2 pi."""
    u, w = d[:3], d[3:]
    return _blocks(so3.tangent_inv(w), so3.tangent_inv_derivative(w, u))


def tangent_derivative(d: Any, dd: Any) -> Array:
    """Return the directional derivative D T(d)[dd], (6, 6)."""
    u, w, du, dw = d[:3], d[3:], dd[:3], dd[3:]
    B = so3.tangent_derivative(w, du) + so3.tangent_second_derivative(w, u, dw)
    return _blocks(so3.tangent_derivative(w, dw), B)


def tangent_inv_derivative(d: Any, dd: Any) -> Array:
    """Return the directional derivative D T^-1(d)[dd], (6, 6)."""
    u, w, du, dw = d[:3], d[3:], dd[:3], dd[3:]
    B = so3.tangent_inv_derivative(w, du) + so3.tangent_inv_second_derivative(w, u, dw)
    return _blocks(so3.tangent_inv_derivative(w, dw), B)


def adjoint(H: Array) -> Array:
    """Return Ad(H), (6, 6): ``H exp(d) H^-1 = exp(Ad(H) d)``; twists go from b to a by Ad(H_ab)."""
    R = np.asarray(H[:3, :3])
    return _blocks(R, so3.hat(H[:3, 3]) @ R)


def bracket(eta: Any) -> Array:
    """Return ad(eta), (6, 6): ``[[hat(omega), hat(v)], [0, hat(omega)]]`` [Lerbet17] (3)."""
    return _blocks(so3.hat(eta[3:]), so3.hat(eta[:3]))


def coadjoint(eta: Any) -> Array:
    """Return ad(eta)^T, (6, 6), which acts on wrenches [Boyer05] (38).

    Differs: the ad* of [deSaxce26] (58) is its negative.
    """
    return bracket(eta).T


def hat(eta: Any) -> Array:
    """Return ``[[hat(omega), v], [0, 0]]``, (4, 4)."""
    X = np.zeros((4, 4))
    X[:3, :3] = so3.hat(eta[3:])
    X[:3, 3] = eta[:3]
    return X


def vee(X: Any) -> Array:
    """Return the twist (6,) of a matrix of the algebra."""
    X = np.asarray(X, dtype=float)
    return np.concatenate((X[:3, 3], so3.vee(X)))


def matrix(H: Array) -> Array:
    """Return H itself."""
    return np.array(H)


def structure_constants() -> Array:
    """Return c[i, j, k], (6, 6, 6)."""
    return _structure_constants(6, bracket)


def random(rng: np.random.Generator) -> Array:
    """Return a uniform rotation and a standard normal translation."""
    return frame(so3.random(rng), rng.standard_normal(3))


def frame(R: Any, x: Any) -> Array:
    """Return the 4x4 matrix of a rotation (3, 3) and an origin (3,)."""
    H = np.zeros((4, 4))
    H[:3, :3], H[:3, 3], H[3, 3] = R, x, 1.0
    return H


def _blocks(A: Array, B: Array) -> Array:
    M = np.zeros((6, 6))
    M[:3, :3] = A
    M[3:, 3:] = A
    M[:3, 3:] = B
    return M


SE3: Group[Array] = module_group("SE3", 6, globals())
