"""Checks of what a user passes: each returns clean float64 data or raises an error that says what to pass."""

import math
from typing import Any

import numpy as np

from cosserat.errors import GeometryError
from cosserat.lie.protocol import Array

ROTATION_TOLERANCE = 1e-9
"""Largest departure of R^T R from the unit matrix that is accepted from a user."""


def numbers(value: Any, complaint: str) -> Array:
    """A new array of numbers, or an error with this text."""
    try:
        return np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise GeometryError(complaint) from None


def vector(value: Any, what: str, n: int = 3) -> Array:
    """Return ``value`` as a read-only finite array (n,)."""
    x = numbers(value, f"{what}: got {value!r}; pass {n} numbers")
    if x.shape != (n,):
        raise GeometryError(f"{what}: got shape {x.shape}; pass {n} numbers")
    if not np.all(np.isfinite(x)):
        raise GeometryError(f"{what}: got {x.tolist()}; all numbers must be finite")
    x.flags.writeable = False
    return x


def matrix(value: Any, what: str, shape: tuple[int, int]) -> Array:
    """Return ``value`` as a read-only finite array of this shape."""
    x = numbers(value, f"{what}: got {value!r}; pass an array of shape {shape}")
    if x.shape != shape:
        raise GeometryError(f"{what}: got shape {x.shape}; pass an array of shape {shape}")
    if not np.all(np.isfinite(x)):
        raise GeometryError(f"{what}: has entries that are not finite")
    x.flags.writeable = False
    return x


def rotation(value: Any, what: str) -> Array:
    """Return ``value`` as a read-only rotation matrix (3, 3)."""
    R = matrix(value, what, (3, 3))
    error = float(np.max(np.abs(R.T @ R - np.eye(3))))
    if error > ROTATION_TOLERANCE:
        raise GeometryError(
            f"{what}: R^T R differs from the unit matrix by {error:.1e}; "
            "pass a rotation matrix, for instance so3.exp(angle * axis)"
        )
    if np.linalg.det(R) < 0.0:
        raise GeometryError(f"{what}: determinant is -1, a reflection; change the sign of one column")
    return R


def unit(value: Any, what: str) -> Array:
    """Return the direction of ``value``, a vector (3,) that is not zero, with norm 1."""
    x = vector(value, what)
    scale = float(np.max(np.abs(x)))
    if scale == 0.0:
        raise GeometryError(f"{what}: has norm 0; pass a direction such as (0, 0, 1)")
    x = x / scale
    return np.asarray(x / math.sqrt(float(x @ x)))


def positive(value: Any, what: str, *, zero: bool = False) -> float:
    """Return ``value`` as a finite float above zero (or not below, with ``zero=True``)."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        raise GeometryError(f"{what}: got {value!r}; pass a number") from None
    if not math.isfinite(x) or x < 0.0 or (x == 0.0 and not zero):
        raise GeometryError(f"{what}: got {x:g}; pass a number {'of zero or more' if zero else 'above zero'}")
    return x
