"""A state of a flexible tree at a time, and what is prescribed in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cosserat.compile.tree import TreeData
from cosserat.lie.protocol import Array
from cosserat.solve.motion.walk import StepFailure


class Instant(NamedTuple):
    """A state at a time: coordinates, velocities, accelerations, and the algorithmic accelerations of the method."""

    t: float
    q: Array
    v: Array
    a: Array
    carried: Array
    step: float  # the one to which `carried` belongs, 0: any
    force: Array  # multipliers of the constraints
    angles: Array  # of cut joints
    inner: Array  # (3, ny) states of laws, their rates, the rate-like variable of the method

    @property
    def row(self) -> tuple[Array, ...]:
        """What is stored of it."""
        return self.q, self.v, self.a, self.force, self.angles, self.inner[0]

    @property
    def stored(self) -> States:
        """The same as one state over time."""
        return States(*(x[None] for x in self.row))


class Start(NamedTuple):
    """Time, coordinates, velocities, angles of cut joints, and states of laws."""

    t: float
    q: Array
    v: Array
    angles: Array
    inner: Array


class States(NamedTuple):
    """States over time: coordinates, velocities, accelerations (nt, n), multipliers, angles, states of laws."""

    q: Array
    v: Array
    a: Array
    force: Array
    angles: Array
    inner: Array


class Advance(NamedTuple):
    """Where a course of steps ended."""

    now: Instant
    done: int
    stored: States | None  # None: none
    failure: StepFailure | None


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
