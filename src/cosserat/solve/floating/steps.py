"""Steps of a flexible tree: what the methods have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from cosserat.kernels.flexible.explicit import Tableau
from cosserat.lie.protocol import Array
from cosserat.solve.floating.engine import FloatingEngine
from cosserat.solve.floating.model import FloatingModel
from cosserat.solve.floating.state import Advance, Instant
from cosserat.solve.motion.crossings import Crossings
from cosserat.solve.motion.grid import Grid
from cosserat.solve.motion.impulses import Impulses, Rule

_AFTER = 1e-9  # of the step: where loads that jump have their next value


class Stepper(ABC):
    """Takes steps of one method.

    Parameters
    ----------
    floating : FloatingModel
    numbers : tuple of float
        Of an implicit method, see `FloatingEngine`.
    tableau : Tableau
        Of explicit steps, if it takes any.
    """

    order: int  # of the method
    splits: bool  # whether a step that fails may succeed in parts
    jumps: bool = True  # whether it remembers accelerations, which jump with efforts that a controller changes
    remedy: str  # for one that fails nevertheless

    def __init__(
        self, floating: FloatingModel, numbers: tuple[float, ...] = (), tableau: Tableau | None = None
    ) -> None:  # fmt: skip
        self.tree, self.drives, self.constraints = floating.tree, floating.drives, floating.constraints
        self.size = floating.size  # extent of the mechanism (m)
        self.engine = FloatingEngine(floating, numbers, tableau)
        self.at_breaks = False  # whether steps end where loads jump
        self.parted = False  # whether equal steps are taken in parts there
        self.grid = Grid()  # of equal steps
        self.impulses = Impulses()  # of loads, looked after where steps adapt
        self.slopes: tuple[Array | None, Array | None] = None, None  # how accelerations change, before and in a step
        self.crossings = Crossings[Instant]()

    @abstractmethod
    def advance(self, old: Instant, t: float, h: float, n: int, every: int, phase: int) -> Advance:
        """Up to n steps of length h from time t; states are stored where (phase + steps) % every == 0."""

    def sampled(self, t: float, h: float, n: int) -> tuple[Array, Array]:
        """Where n steps from time t take prescribed motions, and where loads and efforts: at their ends."""
        times = self.grid.snap(np.asarray(t + h * np.arange(1, n + 1), dtype=np.float64), h)
        return times, times

    def side(self, h: float) -> float:
        """Length of steps for samples of loads that jump, see `Jumps.sample`."""
        return -h if self.at_breaks or self.parted else h

    def step(self, old: Instant, h: float) -> Instant:
        """One step; raises `StepFailure`."""
        found = self.advance(old, old.t, h, 1, 1, 0)
        if found.failure is not None:
            raise found.failure
        return found.now

    def eased(self, now: Instant, t: float, h: float) -> Instant | None:
        """The first step, from t to t + h, in parts where it does not resolve how loads begin to act; None: it does."""
        return None

    def breaks(self, low: float, high: float) -> list[float]:
        """Times between two, at which the method cannot step across."""
        return []

    def jumped(self, now: Instant, h: float = 0.0) -> Instant:
        """A state whose accelerations have jumped with loads and efforts; a step of length h follows."""
        a = np.zeros(len(now.q))
        self.drives.impose(now.t, now.q.copy(), now.v.copy(), a)
        a, force, _, rates = self.engine.accelerations(
            now.t, now.q, now.v, a, now.angles, now.inner[0], now.t + _AFTER * h
        )
        y, g, z = now.inner
        inner = np.array([y, rates, z + rates - g])
        return now._replace(a=a, carried=now.carried + a - now.a, force=force, inner=inner)

    def kinked(self, now: Instant, t: float) -> Instant:
        """A state just after a kink in a prescribed motion at time t: velocities jump as in an impact.

        The impulses of drives and constraints are those that the kinetic energy asks for: M dv is zero along all that
        is free, which is what accelerations do when the prescribed ones change by dv.
        """
        q, v, jump = now.q.copy(), now.v.copy(), np.zeros(len(now.q))
        self.drives.impose(t, q, v, np.zeros(len(q)))
        jump[self.drives.held] = (v - now.v)[self.drives.held]
        with_it, without = (
            self.engine.accelerations(now.t, q, now.v, a, now.angles, now.inner[0])[0] for a in (jump, np.zeros(len(q)))
        )  # fmt: skip
        v = now.v + with_it - without
        if self.constraints.present:
            q, v = self.engine.projected(t, q, v, now.angles)
        return self.start(t, q, v, now.angles, now.inner[0])

    def crossed(self, t: float, h: float, before: Instant, after: Instant) -> None:
        """Remember the states on both sides of a jump of loads at time t, at the end of a step of length h."""
        self.crossings.add(t, np.array([t - _AFTER * h, t + _AFTER * h]), before, after)

    @property
    @abstractmethod
    def rule(self) -> Rule | float:
        """What it makes of loads that change in a step, see `Impulses`."""

    def made_up(self, now: Instant, t: float, h: float) -> Instant:
        """A state, after a step of length h from time t, with what that left out of the impulses of loads."""
        missed = self.impulses.missed(t, h)
        if missed is None:
            return now
        change = self.resolved(self.engine.response(now, missed))
        return now._replace(v=now.v + h * np.where(self.drives.held, 0.0, change))

    def resolved(self, change: Array) -> Array:
        """Changes of velocities or accelerations (n,) without those of vibrations that steps do not resolve."""
        return change

    @abstractmethod
    def errors(self, old: Instant, new: Instant) -> tuple[Array, Array]:
        """Estimated errors of the step just taken, each (n,): of coordinates, as a velocity during a unit of time, and
        of velocities.
        """

    def start(
        self, t: float, q: Array, v: Array, angles: Array | None = None, inner: Array | None = None
    ) -> Instant:  # fmt: skip
        """A state with the accelerations and multipliers that belong to it; laws begin with their first states."""
        a = np.zeros(len(q))
        self.drives.impose(t, q, v, a)
        angles = np.zeros(len(self.constraints.tracked)) if angles is None else angles
        inner = self.tree.forces.first_states if inner is None else inner
        a, force, angles, rates = self.engine.accelerations(t, q, v, a, angles, inner)
        return Instant(t, q, v, a, a.copy(), 0.0, force, angles, np.array([inner, rates, rates]))
