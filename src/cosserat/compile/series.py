"""Exponentials and Gauss points of beam elements, over many elements at once; frames as rows of numbers."""

from __future__ import annotations

import numpy as np

from cosserat.lie import se3
from cosserat.lie.protocol import Array

XI, WEIGHT = (0.5 * numbers for numbers in np.polynomial.legendre.leggauss(6))
"""Gauss points in [-1/2, 1/2], from the middle of an element, and their weights, of sum one."""

POINTS = 0.5 + XI
"""Relative positions in an element, in [0, 1], at which section properties are wanted."""


def skew(a: Array) -> Array:
    """Cross-product matrices: (..., 3) -> (..., 3, 3)."""
    out = np.zeros((*a.shape, 3))
    out[..., 0, 1], out[..., 0, 2] = -a[..., 2], a[..., 1]
    out[..., 1, 0], out[..., 1, 2] = a[..., 2], -a[..., 0]
    out[..., 2, 0], out[..., 2, 1] = -a[..., 1], a[..., 0]
    return out


def bracket(d: Array) -> Array:
    """ad(d) for many twists: (..., 6) -> (..., 6, 6)."""
    out = np.zeros((*d.shape, 6))
    u, w = skew(d[..., :3]), skew(d[..., 3:])
    out[..., :3, :3] = w
    out[..., :3, 3:] = u
    out[..., 3:, 3:] = w
    return out


def exponential(X: Array, order: int = 0) -> Array:
    """exp of many small matrices by its series; their norm is the angle turned inside an element.

    Of a higher order, the sum of X^k/(k + order)!. With 1 and -X of cross-product matrices X it is their tangent T,
    exp(X + dX) = exp(X) (1 + T dX).
    """
    term = np.broadcast_to(np.eye(X.shape[-1]), X.shape)
    total = term.copy()
    for k in range(1, 60):
        term = term @ X / (k + order)
        if np.abs(term).max(initial=0.0) < 1e-18:
            break
        total += term
    return total


def row_to_frame(row: Array) -> Array:
    """Twelve numbers to a 4x4 matrix."""
    return se3.frame(row[:9].reshape(3, 3), row[9:])


def frame_to_row(H: Array) -> Array:
    """4x4 matrices to rows of twelve numbers."""
    return np.concatenate((H[..., :3, :3].reshape(*H.shape[:-2], 9), H[..., :3, 3]), axis=-1)
