"""Coordinates of a flexible tree on its group: moving along velocities, rates of coordinates."""

from __future__ import annotations

import numpy as np

from cosserat.compile.tree import TreeData
from cosserat.kernels.flexible import coordinates
from cosserat.kernels.recursion.table import FREE, SPHERICAL
from cosserat.lie import se3
from cosserat.lie.protocol import Array


def moved(data: TreeData, q: Array, delta: Array) -> Array:
    """Coordinates after moving along constant velocities for a unit of time: H exp(delta), or q + delta."""
    out = np.empty(len(q))
    coordinates.moved(data.arrays.tree, q, delta, out)
    return out


def bracket(data: TreeData, v: Array, w: Array) -> Array:
    """Velocities (n,) of the commutator of the motions along v and along w; zero but for spherical and free joints."""
    out = np.zeros(len(v))
    for link in data.links:
        k = link.freedoms
        if link.kind == SPHERICAL:
            out[k] = np.cross(v[k], w[k])
        elif link.kind == FREE:
            out[k] = se3.bracket(v[k]) @ w[k]
    return out


def exponential_rates(data: TreeData, theta: Array, v: Array) -> Array:
    """Rates of exponential coordinates theta about a fixed state, for the velocities v."""
    out = np.empty(len(v))
    coordinates.exponential_rates(data.arrays.tree, theta, v, out)
    return out
