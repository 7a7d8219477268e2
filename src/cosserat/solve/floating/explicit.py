"""Explicit steps of a flexible tree by methods of Runge, Kutta and Munthe-Kaas: equal ones by the classical one of
fourth order, adaptive ones by that of Dormand and Prince, of fifth order with one of fourth embedded.
"""

from __future__ import annotations

import numpy as np

from cosserat.kernels.flexible.explicit import CLASSICAL, DORMAND_PRINCE
from cosserat.lie.protocol import Array
from cosserat.solve.floating.model import FloatingModel
from cosserat.solve.floating.state import Instant
from cosserat.solve.floating.walk import FloatingWalk
from cosserat.solve.motion.impulses import Rule

_INSIDE = 1e-7  # of the step
_KINKED = 3.0  # measured: errors of velocities at kinks of forces, over the estimated ones


class Explicit(FloatingWalk):
    """Explicit steps, see `kernels.flexible.explicit`; `adaptive` ones are judged by what is embedded in them."""

    order, splits, remembers = 4, False, False
    rule: Rule
    remedy = "an explicit method needs steps that resolve every vibration"

    def __init__(self, floating: FloatingModel, adaptive: bool) -> None:
        tableau = DORMAND_PRINCE if adaptive else CLASSICAL
        super().__init__(floating, tableau=tableau)
        _, first = np.unique(tableau.sample[:-1], return_index=True)
        self._shares = np.append(tableau.matrix.sum(axis=1)[first], 1.0)  # of the samples in a step
        weights = np.bincount(tableau.sample[:-1], tableau.weight) / tableau.divisor
        self.rule = Rule(np.clip(self._shares[:-1], _INSIDE, 1.0 - _INSIDE), weights)

    def sampled(self, t: float, h: float, n: int) -> tuple[Array, Array]:
        """At the stages; efforts and loads that jump at an end of a step are those within it."""
        count = len(self._shares)
        begin = self.grid.snap(np.asarray(t + h * np.repeat(np.arange(n), count), dtype=np.float64), h)
        inside = np.append(self.rule.shares, 1.0 - _INSIDE if self.at_breaks else 1.0)
        return begin + h * np.tile(self._shares, n), begin + h * np.tile(inside, n)

    def side(self, h: float) -> float:
        """Samples are those within steps."""
        return 0.0

    def errors(self, old: Instant, new: Instant) -> tuple[Array, Array]:
        """Differences to the embedded solution; what is embedded sees less than there is where a force sets in."""
        assert self.engine.stages is not None
        away, faster = self.engine.stages.problem.stages.error
        return away, _KINKED * faster
