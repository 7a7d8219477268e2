"""Coordinates of a flexible tree on its group: moving along velocities, rates of coordinates."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_tree import FlexibleTreeData
from cosserat.kernels.recursion import table as layout
from cosserat.lie import se3, so3

Array = NDArray[np.float64]


def curved(data: FlexibleTreeData) -> Iterator[tuple[int, int, bool]]:
    """Kind, first coordinate and direction of joints whose coordinates are not a vector space."""
    for link in data.links:
        if link.kind in (layout.SPHERICAL, layout.FREE):
            yield link.kind, int(link.columns[0]), link.turn > 0.0


def moved(data: FlexibleTreeData, q: Array, delta: Array) -> Array:
    """Coordinates after moving along constant velocities for a unit of time: H exp(delta), or q + delta."""
    out = q + delta
    for kind, k, ahead in curved(data):
        H = _frame(kind, q, k)
        d = delta[k : k + 3] if kind == layout.SPHERICAL else delta[k : k + 6]
        step = se3.frame(so3.exp(d), np.zeros(3)) if kind == layout.SPHERICAL else se3.exp(d)
        # a joint described from the outer body to the inner one has the inverse for its coordinates
        H = H @ step if ahead else se3.inverse(step) @ H
        _write(kind, out, k, H)
    return out


def coordinate_rates(data: FlexibleTreeData, q: Array, v: Array) -> Array:
    """Time derivatives of the coordinates."""
    out = v.copy()
    for kind, k, ahead in curved(data):
        a = k if kind == layout.SPHERICAL else k + 3
        w = q[a : a + 3] if ahead else -q[a : a + 3]
        turning = so3.tangent_inv(w) @ v[a : a + 3]
        out[a : a + 3] = turning if ahead else -turning
        if kind == layout.FREE:
            u = v[k : k + 3]
            out[k : k + 3] = so3.exp(w) @ u if ahead else -u - np.cross(v[a : a + 3], q[k : k + 3])
    return out


def _frame(kind: int, q: Array, k: int) -> Array:
    if kind == layout.SPHERICAL:
        return se3.frame(so3.exp(q[k : k + 3]), np.zeros(3))
    return se3.frame(so3.exp(q[k + 3 : k + 6]), q[k : k + 3])


def _write(kind: int, q: Array, k: int, H: Array) -> None:
    if kind == layout.FREE:
        q[k : k + 3] = H[:3, 3]
        k += 3
    q[k : k + 3] = so3.log(H[:3, :3])
