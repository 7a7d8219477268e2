"""What steps of a flexible tree have in common: residual, accelerations under constraints, projection onto them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.results.status import Outcome
from cosserat.solve.floating.bordered import Bordered
from cosserat.solve.floating.state import Drives, Point, StepFailure
from cosserat.solve.relative.flexible_coordinates import moved
from cosserat.solve.relative.flexible_recursion import Articulated, Motions
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.tree_constraints import TreeConstraints, TreeRows

Array = NDArray[np.float64]

CLOSED = 1e-12  # of the size of the mechanism: gaps of constraints that count as none
_MOST_PROJECTIONS = 40
_AFTER = 1e-9  # of the step: where loads that jump have their next value


class Stepper(ABC):
    """Takes steps of one method.

    Parameters
    ----------
    tree : FlexibleTree
    drives : Drives
    constraints : TreeConstraints
    size : float
        Extent of the mechanism (m).
    """

    order: int  # of the method
    stages: int  # equal parts of a step at whose ends it evaluates
    splits: bool  # whether a step that fails may succeed in parts
    remedy: str  # for one that fails nevertheless

    def __init__(self, tree: FlexibleTree, drives: Drives, constraints: TreeConstraints, size: float = 1.0) -> None:
        self.tree, self.drives, self.constraints, self.size = tree, drives, constraints, size
        self._rooms = Motions(tree.data), Motions(tree.data)
        self.at_breaks = False  # whether steps end where loads jump
        self.residuals = self.factorizations = self.halved = self.rejected = 0

    def links(self, q: Array, v: Array) -> Motions:
        """The links at a state; the memory is used again at the next one, unless it was factored."""
        return self._rooms[0].move(q, v)

    def factored(self, now: Motions, extra: Array | None) -> Articulated:
        """The tree factored at `links`."""
        self.factorizations += 1
        self._rooms = self._rooms[1], self._rooms[0]
        return Articulated(now, extra, self.drives.held)

    def keepsake(self) -> list[Any]:
        """What it remembers from step to step, besides factors, which every step makes anew: arrays."""
        return [np.array([self.residuals, self.factorizations, self.halved, self.rejected])]

    def resume(self, kept: list[Any]) -> None:
        """Take it back."""
        self.residuals, self.factorizations, self.halved, self.rejected = (int(x) for x in kept[0])

    @abstractmethod
    def step(self, old: Point, h: float) -> Point:
        """One step; raises `StepFailure`."""

    def smooth(self, start: Point, h: float) -> Point:
        """A state at the start, ready for a step of length h."""
        return start

    def jumped(self, now: Point, h: float = 0.0) -> Point:
        """A state whose accelerations have jumped with loads and efforts; a step of length h follows."""
        a = np.zeros(len(now.q))
        self.tree.forces.jump = 0.0
        self.drives.impose(now.t, now.q.copy(), now.v.copy(), a)
        a, force, _ = self.accelerations(now.t, now.q, now.v, a, now.angles, now.t + _AFTER * h)
        return now._replace(a=a, carried=now.carried + a - now.a, force=force)

    def kinked(self, now: Point, t: float) -> Point:
        """A state just after a kink in a prescribed motion at time t: velocities jump as in an impact.

        The impulses of drives and constraints are those that the kinetic energy asks for: M dv is zero along all that
        is free, which is what accelerations do when the prescribed ones change by dv.
        """
        q, v, jump = now.q.copy(), now.v.copy(), np.zeros(len(now.q))
        self.drives.impose(t, q, v, np.zeros(len(q)))
        jump[self.drives.held] = (v - now.v)[self.drives.held]
        with_it, without = (
            self.accelerations(now.t, q, now.v, a, now.angles)[0] for a in (jump, np.zeros(len(q)))
        )  # fmt: skip
        v = now.v + with_it - without
        if self.constraints.present:
            q, v = self.projected(t, q, v, now.angles)
        return self.start(t, q, v, now.angles)

    def pushed(self, now: Point, efforts: Array | None) -> Point:
        """A state whose accelerations have jumped with changes (n,) of efforts; None: with those of cut joints too."""
        return self.jumped(now)

    @abstractmethod
    def error(self, old: Point, new: Point) -> Array:
        """Estimated error of the coordinates (n,) of the step just taken, as a velocity during a unit of time."""

    def start(self, t: float, q: Array, v: Array, angles: Array | None = None) -> Point:
        """A state with the accelerations and multipliers that belong to it."""
        a = np.zeros(len(q))
        self.tree.forces.jump = 0.0
        self.drives.impose(t, q, v, a)
        angles = self.constraints.start_angles() if angles is None else angles
        a, force, angles = self.accelerations(t, q, v, a, angles)
        return Point(t, q, v, a, a.copy(), 0.0, force, angles)

    def accelerations(
        self, t: float, q: Array, v: Array, a: Array, angles: Array, load_time: float | None = None
    ) -> tuple[Array, Array, Array]:  # fmt: skip
        """Accelerations, multipliers and angles at a state; `a` has the accelerations that are prescribed.

        `load_time`: where efforts and loads are sampled, if not at t.
        """
        loaded = t if load_time is None else load_time
        now = self.links(q, v)
        if not self.constraints.present:
            self.factorizations += 1
            a = self.tree.accelerations(now, q, v, np.zeros(len(q)), a, self.drives.held, loaded)
            return a, np.zeros(0), angles
        rows = self.constraints.at(now, q, t, angles, biased=True)
        r = self.residual(now, rows, q, v, a, loaded, np.zeros(self.constraints.n_rows))
        found = self._inertial(now, rows).solve(r, -rows.bias - rows.A @ a)
        return a + found.a, found.force, rows.angles

    def _inertial(self, now: Motions, rows: TreeRows) -> Bordered:
        return Bordered(self.factored(now, None), rows.A, np.zeros((0, rows.A.shape[1])), np.zeros(0))

    def residual(
        self, now: Motions, rows: TreeRows, q: Array, v: Array, a: Array, t: float, force: Array
    ) -> Array:
        """What is left of the equations of motion; zero where motions are prescribed."""
        self.residuals += 1
        r = self.tree.residual(now, q, v, a, t) - rows.efforts + force @ rows.A
        r[self.drives.held] = 0.0
        if not np.isfinite(r).all():
            raise StepFailure(Outcome.NOT_FINITE)
        return np.asarray(r)

    def projected(self, t: float, q: Array, v: Array, angles: Array) -> tuple[Array, Array]:
        """The nearest state that the constraints allow."""
        data = self.tree.data
        now = self.links(q, v)
        rows = self.constraints.at(now, q, t, angles)
        matrix = self._inertial(now, rows)
        for _ in range(_MOST_PROJECTIONS):
            if np.abs(rows.value).max(initial=0.0) < CLOSED * self.size:
                break
            q = moved(data, q, matrix.solve(None, -rows.value).a)
            now = self.links(q, v)
            rows = self.constraints.at(now, q, t, angles)
        else:
            raise StepFailure(Outcome.NOT_CONVERGED, "the constraints cannot be met")
        if rows.inside_out:
            raise StepFailure(Outcome.WRONG_BRANCH, rows.inside_out)
        for _ in range(3):
            v = v + matrix.solve(None, -rows.rate).a
            rows = self.constraints.at(self.links(q, v), q, t, angles)
        return q, v
