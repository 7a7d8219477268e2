"""A state of a flexible tree at a time."""

from __future__ import annotations

from typing import NamedTuple

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
