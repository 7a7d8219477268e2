"""Angles and quaternions of rotations over time: the conversions of `lie.rotations` for whole runs at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cosserat.errors import SolveError
from cosserat.lie import so3
from cosserat.lie.protocol import Array

_SINGULAR = 1e-12


def yaw_pitch_roll(R: Array) -> Array:
    """(psi, theta, phi) of rotations (nt, 3, 3): M3(psi) M2(theta) M1(phi), continuous in psi and phi.

    Where cos(theta) = 0 only psi - phi or psi + phi is defined; phi = 0 there. Source: [Lerbet17] 1.8.3.
    """
    c = np.hypot(R[:, 2, 1], R[:, 2, 2])
    lost = c < _SINGULAR
    psi = np.where(lost, np.arctan2(-R[:, 0, 1], R[:, 1, 1]), np.arctan2(R[:, 1, 0], R[:, 0, 0]))
    phi = np.where(lost, 0.0, np.arctan2(R[:, 2, 1], R[:, 2, 2]))
    return np.stack((np.unwrap(psi), np.arctan2(-R[:, 2, 0], c), np.unwrap(phi)), axis=1)


def euler(R: Array) -> Array:
    """(psi, theta, phi) of rotations (nt, 3, 3): M3(psi) M1(theta) M3(phi), continuous. Source: [Lerbet17] 1.8.2."""
    s = np.hypot(R[:, 2, 0], R[:, 2, 1])
    lost = s < _SINGULAR
    psi = np.where(lost, np.arctan2(R[:, 1, 0], R[:, 0, 0]), np.arctan2(R[:, 0, 2], -R[:, 1, 2]))
    phi = np.where(lost, 0.0, np.arctan2(R[:, 2, 0], R[:, 2, 1]))
    return np.stack((np.unwrap(psi), np.arctan2(s, R[:, 2, 2]), np.unwrap(phi)), axis=1)


def quaternion(R: Array) -> Array:
    """Unit quaternions (w, x, y, z) of rotations (nt, 3, 3), without jumps of sign; w >= 0 at the start."""
    diagonal = np.einsum("tii->ti", R)
    sign = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    squares = 0.25 * (1.0 + diagonal @ sign.T)  # of w, x, y, z
    pairs = np.empty((len(R), 4, 4))
    pairs[:, range(4), range(4)] = squares
    for i, j, value in (
        (0, 1, R[:, 2, 1] - R[:, 1, 2]), (0, 2, R[:, 0, 2] - R[:, 2, 0]), (0, 3, R[:, 1, 0] - R[:, 0, 1]),
        (1, 2, R[:, 1, 0] + R[:, 0, 1]), (1, 3, R[:, 0, 2] + R[:, 2, 0]), (2, 3, R[:, 2, 1] + R[:, 1, 2]),
    ):  # fmt: skip
        pairs[:, i, j] = pairs[:, j, i] = 0.25 * value
    best = np.argmax(squares, axis=1)
    q = pairs[np.arange(len(R)), best]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    if len(q) and q[0, 0] < 0.0:
        q[0] = -q[0]
    flips = np.sign(np.sum(q[1:] * q[:-1], axis=1))
    q[1:] *= np.cumprod(np.where(flips == 0.0, 1.0, flips))[:, None]
    return q


def rotation_vector(R: Array) -> Array:
    """Rotation vectors of rotations (nt, 3, 3), at most half a turn long."""
    return np.array([so3.log(r) for r in R])

KINDS: dict[str, tuple[Callable[[Array], Array], tuple[str, ...], str]] = {
    "yaw_pitch_roll": (yaw_pitch_roll, ("yaw", "pitch", "roll"), "rad"),
    "euler": (euler, ("precession", "nutation", "spin"), "rad"),
    "quaternion": (quaternion, ("w", "x", "y", "z"), "1"),
    "rotation_vector": (rotation_vector, ("x", "y", "z"), "rad"),
}
"""Function, names of the columns, unit."""


def converted(kind: str, R: Array) -> tuple[Array, tuple[str, ...], str]:
    """Columns, their names and their unit."""
    if kind not in KINDS:
        raise SolveError(f"attitude: kind is {kind!r}; kinds: {', '.join(KINDS)}")
    function, names, unit = KINDS[kind]
    return function(np.asarray(R, dtype=float)), names, unit
