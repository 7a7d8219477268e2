"""Explicit steps of a flexible tree: the Runge-Kutta-Munthe-Kaas method of fourth order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.kernels.flexible.implicit import ALLOWED
from cosserat.solve.floating.state import Drives, Point
from cosserat.solve.floating.steps import CLOSED, Advance, Stepper
from cosserat.solve.motion.impulses import SIMPSON
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.tree_constraints import TreeConstraints

Array = NDArray[np.float64]

_INSIDE = 1e-7  # of the step
_SHARES = np.array([0.0, 0.5, 1.0, 1.0])


class Explicit(Stepper):
    """Steps of the classical Runge-Kutta method, see `kernels.flexible.explicit`."""

    order, splits, rule, jumps = 4, False, SIMPSON, False
    remedy = "an explicit method needs steps that resolve every vibration"

    def __init__(self, tree: FlexibleTree, drives: Drives, constraints: TreeConstraints, size: float) -> None:
        numbers = np.zeros(12)
        numbers[ALLOWED] = CLOSED * size
        super().__init__(tree, drives, constraints, size, numbers)

    def sampled(self, t: float, h: float, n: int) -> tuple[Array, Array]:
        """At the four stages; efforts and loads that jump at an end of a step are those within it."""
        begin = self.snapped(np.asarray(t + h * np.repeat(np.arange(n), 4), dtype=np.float64), h)
        inside = np.tile([_INSIDE, 0.5, 1.0 - _INSIDE, 1.0 - _INSIDE if self.at_breaks else 1.0], n)
        return begin + h * np.tile(_SHARES, n), begin + h * inside

    def side(self, h: float) -> float:
        """Samples are those within steps."""
        return 0.0

    def advance(self, old: Point, t: float, h: float, n: int, every: int, phase: int) -> Advance:
        """Steps, each from its start alone."""
        return self._advance("explicit", old, self.sampled(t, h, n), h, n, every, phase, self.side(h))

    def step(self, old: Point, h: float) -> Point:
        """One step, in parts that end where loads, efforts or prescribed motions are not smooth."""
        end, near = old.t + h, _INSIDE * h
        for at in self.breaks(old.t + near, end - near):
            old = self._part(old, at)
        return super().step(old, end - old.t)

    def _part(self, old: Point, end: float) -> Point:
        """A step to a time at which something is not smooth, with accelerations of the time after."""
        kept, self.at_breaks = self.at_breaks, True
        try:
            before = super().step(old, end - old.t)
        finally:
            self.at_breaks = kept
        after = self.jumped(before, end - old.t)
        self.crossed(end, end - old.t, before, after)
        return after

    def breaks(self, low: float, high: float) -> list[float]:
        """Where loads, efforts or prescribed motions are not smooth."""
        jumps = self.tree.forces.jumps
        return [] if jumps is None else jumps.between(low, high)

    def error(self, old: Point, new: Point) -> Array:
        """Difference to the embedded solution of third order; of what is prescribed, Simpson's rule."""
        if not self.drives.held.any():
            return self.engine.explicit_error
        h = new.t - old.t
        q, rate, _ = self.drives.sample(old.t + h * np.array([_INSIDE, 0.5, 1.0 - _INSIDE])).swapaxes(0, 1)
        out = np.where(self.drives.held, 0.0, self.engine.explicit_error)
        out[self.drives.columns] = q[2] - q[0] - (1.0 - 2.0 * _INSIDE) * h / 6.0 * (rate[0] + 4.0 * rate[1] + rate[2])
        return np.asarray(out)
