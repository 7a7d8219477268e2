"""Coordinates of a tree as elements of its group."""

from __future__ import annotations

import threading

import numpy as np

from cosserat.compile.tree import TreeData
from cosserat.kernels.flexible.arrays import Packed
from cosserat.kernels.recursion import group
from cosserat.kernels.recursion.group import GroupArguments, VectorPair
from cosserat.lie.protocol import Array


class OnGroup:
    """Calls of the kernels of `kernels.recursion.group`, by name."""

    def __init__(self, data: TreeData) -> None:
        joints = np.array([(link.kind, link.turn, link.first) for link in data.links], dtype=float)
        self._pair = VectorPair(joints, *np.zeros((3, len(data.coordinates))))
        self._packed = Packed(group.group_handles, GroupArguments(self._pair))
        self._calls = group.calls(self._packed.address)
        self._lock = threading.Lock()

    def __call__(self, kernel: str, a: Array, b: Array) -> Array:
        """What a kernel gives (n,) of two vectors: coordinates, differences of these, or velocities."""
        with self._lock:
            self._pair.a[:], self._pair.b[:] = a, b
            self._calls[kernel]()
            return self._pair.out.copy()
