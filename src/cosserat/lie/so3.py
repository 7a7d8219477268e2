"""Rotations SO(3).

Elements are 3x3 rotation matrices; tangent vectors w, (3,), are rotation vectors (axis times angle, rad).
``R_ab`` maps components along b to components along a.

Accuracy: relative 1e-13 or better from theta = 0 to pi.
"""

import math
from typing import Any

import numpy as np

from cosserat.lie import coefficients as co
from cosserat.lie.protocol import Array, Group, module_group
from cosserat.lie.protocol import structure_constants as _structure_constants

_I3 = np.eye(3)
_HALF_TURN = 1e-15  # below this cosine of the half angle the rotation counts as exactly pi


def identity() -> Array:
    """Return the unit matrix."""
    return np.eye(3)


def compose(g: Array, h: Array) -> Array:
    """Return the product g h."""
    return np.asarray(g @ h)


def inverse(g: Array) -> Array:
    """Return the transpose."""
    return np.array(g.T)


def exp(w: Any) -> Array:
    """Return the rotation by |w| about w: Rodrigues' formula, [Lerbet17] (8).

    Examples
    --------
    >>> from cosserat.lie import so3
    >>> np.allclose(so3.exp([0, 0, np.pi / 2]) @ [1, 0, 0], [0, 1, 0])
    True
    """
    W = hat(w)
    t2 = _square(w)
    return _I3 + co.sinc(t2) * W + co.cosc(t2) * (W @ W)


def log(R: Array) -> Array:
    """Return the rotation vector of R, with angle in [0, pi].

    At the angle pi both w and -w have the same exponential; the one returned has its first component that
    is not zero positive.
    """
    a = 0.5 * vee(R - R.T)
    s2 = _square(a)
    if s2 < 0.75 and R[0, 0] + R[1, 1] + R[2, 2] > 1.0:
        return co.asinc(s2) * a
    q = to_quaternion(R)
    v = q[1:]
    n = math.sqrt(_square(v))
    return (2.0 * math.atan2(n, q[0]) / n) * v


def tangent(w: Any) -> Array:
    """Return T(w), (3, 3): ``d exp(w)[dw] = exp(w) hat(T(w) dw)``; T(-w) = T(w)^T."""
    W = hat(w)
    t2 = _square(w)
    return _I3 - co.cosc(t2) * W + co.sincc(t2) * (W @ W)


def tangent_inv(w: Any) -> Array:
    """Return the inverse of T(w); singular at |w| = 2 pi."""
    W = hat(w)
    return _I3 + 0.5 * W + co.cotc(_square(w)) * (W @ W)


def tangent_derivative(w: Any, dw: Any) -> Array:
    """Return the directional derivative D T(w)[dw], (3, 3)."""
    W, D = hat(w), hat(dw)
    t2, wd = _square(w), _dot(w, dw)
    return -co.cosc(t2) * D + co.sincc(t2) * (D @ W + W @ D) + wd * (co.d_sincc(t2) * (W @ W) - co.d_cosc(t2) * W)


def tangent_inv_derivative(w: Any, dw: Any) -> Array:
    """Return the directional derivative D T^-1(w)[dw], (3, 3)."""
    W, D = hat(w), hat(dw)
    t2, wd = _square(w), _dot(w, dw)
    return 0.5 * D + co.cotc(t2) * (D @ W + W @ D) + (wd * co.d_cotc(t2)) * (W @ W)


def tangent_second_derivative(w: Any, du: Any, dw: Any) -> Array:
    """Return D^2 T(w)[du, dw], (3, 3), symmetric in (du, dw)."""
    W, U, D = hat(w), hat(du), hat(dw)
    t2, wu, wd, ud = _square(w), _dot(w, du), _dot(w, dw), _dot(du, dw)
    d_c, d_s = co.d_cosc(t2), co.d_sincc(t2)
    return (
        co.sincc(t2) * (U @ D + D @ U)
        - d_c * (wd * U + wu * D + ud * W)
        + d_s * (wd * (U @ W + W @ U) + wu * (D @ W + W @ D) + ud * (W @ W))
        + (wu * wd) * (co.dd_sincc(t2) * (W @ W) - co.dd_cosc(t2) * W)
    )


def tangent_inv_second_derivative(w: Any, du: Any, dw: Any) -> Array:
    """Return D^2 T^-1(w)[du, dw], (3, 3), symmetric in (du, dw)."""
    W, U, D = hat(w), hat(du), hat(dw)
    t2, wu, wd, ud = _square(w), _dot(w, du), _dot(w, dw), _dot(du, dw)
    return (
        co.cotc(t2) * (U @ D + D @ U)
        + co.d_cotc(t2) * (wd * (U @ W + W @ U) + wu * (D @ W + W @ D) + ud * (W @ W))
        + (wu * wd * co.dd_cotc(t2)) * (W @ W)
    )


def adjoint(R: Array) -> Array:
    """Return Ad(R) = R: ``R exp(w) R^-1 = exp(R w)``."""
    return np.array(R)


def bracket(w: Any) -> Array:
    """Return ad(w) = hat(w): the cross product."""
    return hat(w)


def coadjoint(w: Any) -> Array:
    """Return ad(w)^T = -hat(w)."""
    return hat(w).T


def hat(w: Any) -> Array:
    """Return the matrix of the cross product: ``hat(w) @ y = w x y``."""
    a, b, c = w
    return np.array([[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]])


def vee(W: Any) -> Array:
    """Return the vector of a skew matrix, (3,)."""
    return np.array([W[2][1], W[0][2], W[1][0]], dtype=float)


def matrix(R: Array) -> Array:
    """Return R itself."""
    return np.array(R)


def structure_constants() -> Array:
    """Return c[i, j, k], the permutation symbol."""
    return _structure_constants(3, bracket)


def random(rng: np.random.Generator) -> Array:
    """Return a uniformly distributed rotation."""
    return from_quaternion(rng.standard_normal(4))


def to_quaternion(R: Array) -> Array:
    """Return the unit quaternion (w, x, y, z) of R with w >= 0; w = 0: first nonzero component positive."""
    d0, d1, d2 = float(R[0, 0]), float(R[1, 1]), float(R[2, 2])
    trace = d0 + d1 + d2
    best = max(trace, d0, d1, d2)
    if best == trace:
        q = np.array([1.0 + trace, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    elif best == d0:
        q = np.array([R[2, 1] - R[1, 2], 1.0 + d0 - d1 - d2, R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]])
    elif best == d1:
        q = np.array([R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1.0 - d0 + d1 - d2, R[1, 2] + R[2, 1]])
    else:
        q = np.array([R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1.0 - d0 - d1 + d2])
    q /= math.sqrt(float(q @ q))
    if abs(q[0]) < _HALF_TURN:
        q[0] = 0.0
        first = next(c for c in q[1:] if abs(c) > 1e-8)
        return -q if first < 0.0 else q
    return -q if q[0] < 0.0 else q


def from_quaternion(q: Any) -> Array:
    """Return the rotation of a quaternion (w, x, y, z), which need not be normalised but not be zero."""
    w, x, y, z = q
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return np.array(
        [
            [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
        ]
    )


def _square(w: Any) -> float:
    a, b, c = w
    return float(a * a + b * b + c * c)


def _dot(u: Any, w: Any) -> float:
    return float(u[0] * w[0] + u[1] * w[1] + u[2] * w[2])


SO3: Group[Array] = module_group("SO3", 3, globals())
