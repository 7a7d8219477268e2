"""Work done by the time loop of the Galilean formulation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.solve.motion.walk import Tally


class Counters(Tally):
    """Work done by the integrator."""

    def __init__(self, raw: NDArray[np.int64]) -> None:
        self._raw = raw
        self.halved = 0
        self.rejected = 0

    @property
    def steps(self) -> int:
        """Steps taken."""
        return int(self._raw[0])

    @property
    def solves(self) -> int:
        """Evaluations of the residual, each with one back-substitution."""
        return int(self._raw[1])

    @property
    def factorizations(self) -> int:
        """Matrices assembled and factored."""
        return int(self._raw[2])

    @property
    def careful(self) -> int:
        """Steps that the iteration with frozen factors could not solve."""
        return int(self._raw[3])

    @property
    def stalled(self) -> int:
        """Steps accepted though rounding errors kept the iteration above its tolerance, as near a singular pose."""
        return int(self._raw[4])

    @property
    def searched(self) -> int:
        """Steps that needed a line search, and were solved by it."""
        return int(self._raw[5])

    def forget(self, steps: int) -> None:
        """Take back steps that were repeated."""
        self._raw[0] -= steps
