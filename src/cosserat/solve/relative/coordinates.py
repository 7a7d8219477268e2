"""Coordinates of a tree as elements of its group: moved along velocities, differences, commutators, rates; and those
that are prescribed.
"""

from __future__ import annotations

import threading

import numpy as np

from cosserat.compile.tree import TreeData
from cosserat.kernels.arrays import Packed
from cosserat.kernels.flexible import coordinates
from cosserat.kernels.recursion import group
from cosserat.kernels.recursion.group import VectorPair
from cosserat.kernels.recursion.table import FREE, SPHERICAL
from cosserat.lie import se3
from cosserat.lie.protocol import Array


class OnGroup:
    """Calls of the kernels of `kernels.recursion.group`, by name."""

    def __init__(self, data: TreeData) -> None:
        joints = np.array([(link.kind, link.turn, link.first) for link in data.links], dtype=float)
        self._pair = VectorPair(joints, *np.zeros((3, len(data.coordinates))))
        self._packed = Packed(self._pair)
        self._calls = group.calls(self._packed.address)
        self._lock = threading.Lock()

    def __call__(self, kernel: str, a: Array, b: Array) -> Array:
        """What a kernel gives (n,) of two vectors: coordinates, differences of these, or velocities."""
        with self._lock:
            self._pair.a[:], self._pair.b[:] = a, b
            self._calls[kernel]()
            return self._pair.out.copy()


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


class Drives:
    """Prescribed coordinates of a tree; those of spherical and free joints are constraints instead."""

    def __init__(self, data: TreeData) -> None:
        found = [(k, motion) for k, joint, motion in data.prescribed if joint.kind not in ("spherical", "free")]
        self.columns, self._functions = np.array([k for k, _ in found], dtype=np.int64), [motion for _, motion in found]
        self.held = np.zeros(len(data.coordinates), dtype=bool)
        self.held[self.columns] = True

    def sample(self, times: Array) -> Array:
        """Coordinates, rates and accelerations (nt, 3, k)."""
        found = np.array([np.stack(motion.jet(times)) for motion in self._functions])
        found = found.reshape(len(self._functions), 3, len(times))
        return np.ascontiguousarray(np.moveaxis(found, 2, 0).swapaxes(1, 2))

    def impose(self, t: float, q: Array, v: Array, a: Array) -> None:
        """Write prescribed coordinates, rates and accelerations at time t."""
        if self._functions:
            q[self.columns], v[self.columns], a[self.columns] = self.sample(np.array([t]))[0]
