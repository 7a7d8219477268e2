"""Times of equal steps, the same floats however many steps are taken together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cosserat.lie.protocol import Array

_NEAR = 1e-6  # of the step


class Grid(NamedTuple):
    """Times start, start + step, ...

    How many steps are taken together depends on how fast they are; what is computed must not.
    """

    start: float = 0.0
    step: float = 0.0  # 0: there is none, times are what they are

    def snap(self, times: Array, h: float) -> Array:
        """Times (n,) of steps of length h, as the grid has them if they are its own."""
        if h != self.step:
            return times
        own = np.asarray(self.start + h * np.rint((times - self.start) / h))
        return own if np.abs(own - times).max(initial=0.0) < _NEAR * h else times

    def at(self, t: float, h: float) -> float:
        """The same of one time."""
        if h != self.step:
            return t
        own = self.start + h * round((t - self.start) / h)
        return own if abs(own - t) < _NEAR * h else t
