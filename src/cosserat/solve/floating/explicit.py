"""Explicit steps of a flexible tree: the Runge-Kutta-Munthe-Kaas method of fourth order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.results.status import Outcome
from cosserat.solve.floating.state import Point, StepFailure
from cosserat.solve.floating.steps import Stepper
from cosserat.solve.relative.flexible_coordinates import exponential_rates, moved

Array = NDArray[np.float64]

_INSIDE = 1e-7  # of the step


class Explicit(Stepper):
    """Steps of the classical Runge-Kutta method in exponential coordinates about the start of each.

    H. Munthe-Kaas, BIT 38 (1998) 92-111; the coordinates theta change with T^-1(theta) v. What is left of the
    constraints' violations is taken out afterwards, by the least change in the metric of the mass matrix.
    """

    order, stages, splits = 4, 2, False
    remedy = "an explicit method needs steps that resolve every vibration"

    def step(self, old: Point, h: float) -> Point:
        """One step, in parts that end where loads, efforts or prescribed motions are not smooth."""
        jumps = self.tree.forces.jumps
        end, near = old.t + h, _INSIDE * h
        for at in () if jumps is None else jumps.between(old.t + near, end - near):
            old = self._part(old, at - old.t)
        return self._part(old, end - old.t)

    def _part(self, old: Point, h: float) -> Point:
        rates: list[tuple[Array, Array]] = []
        for share in (0.0, 0.5, 0.5, 1.0):
            theta, v = np.zeros(len(old.q)), old.v
            if rates:
                theta, v = share * h * rates[-1][0], old.v + share * h * rates[-1][1]
            rates.append(self._rates(old, share, h, theta, v))
        weights = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)
        theta, change = (np.asarray(h * np.tensordot(weights, [r[k] for r in rates], 1)) for k in (0, 1))
        t, q, v, a = old.t + h, moved(self.tree.data, old.q, theta), old.v + change, np.zeros(len(old.q))
        self.drives.impose(t, q, v, a)
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            raise StepFailure(Outcome.NOT_FINITE)
        # of the solution of third order that takes the rate at the end in place of the last stage's
        self._error = h / 6.0 * (rates[-1][0] - exponential_rates(self.tree.data, theta, v))
        if self.constraints.present:
            q, v = self.projected(t, q, v, old.angles)
        a, force, angles = self.accelerations(t, q, v, a, old.angles)
        return Point(t, q, v, a, a, h, force, angles)

    def error(self, old: Point, new: Point) -> Array:
        """Difference to the embedded solution of third order."""
        return np.where(self.drives.held, 0.0, self._error)

    def _rates(self, old: Point, share: float, h: float, theta: Array, v: Array) -> tuple[Array, Array]:
        """Rates of theta and v; efforts and loads that jump at an end of the step are those within it."""
        t, inside = old.t + share * h, old.t + min(max(share, _INSIDE), 1.0 - _INSIDE) * h
        q, v, a = moved(self.tree.data, old.q, theta), v.copy(), np.zeros(len(v))
        self.drives.impose(t, q, v, a)
        a, _, _ = self.accelerations(t, q, v, a, old.angles, inside)
        return exponential_rates(self.tree.data, theta, v), a
