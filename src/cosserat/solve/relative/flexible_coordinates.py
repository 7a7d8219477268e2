"""Coordinates of a flexible tree on its group: moving along velocities, rates of coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_tree import FlexibleTreeData
from cosserat.kernels.flexible import coordinates

Array = NDArray[np.float64]


def moved(data: FlexibleTreeData, q: Array, delta: Array) -> Array:
    """Coordinates after moving along constant velocities for a unit of time: H exp(delta), or q + delta."""
    out = np.empty(len(q))
    coordinates.moved(data.arrays.tree, q, delta, out)
    return out


def coordinate_rates(data: FlexibleTreeData, q: Array, v: Array) -> Array:
    """Time derivatives of the coordinates."""
    out = np.empty(len(q))
    coordinates.coordinate_rates(data.arrays.tree, q, v, out)
    return out


def exponential_rates(data: FlexibleTreeData, theta: Array, v: Array) -> Array:
    """Rates of exponential coordinates theta about a fixed state, for the velocities v."""
    out = np.empty(len(v))
    coordinates.exponential_rates(data.arrays.tree, theta, v, out)
    return out
