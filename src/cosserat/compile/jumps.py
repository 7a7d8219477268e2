"""Loads that jump within a step: sampled so that steps keep their second order wherever the jump is.

Steps take loads as linear between their ends. A jump somewhere in a step is replaced by its mean over the hat functions
of the two ends, which leaves its impulse and the moment of its impulse as they are.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cosserat.model.breaks import breaks_of
from cosserat.model.functions import TimeFunction, VectorFunction

Array = NDArray[np.float64]
Function = TimeFunction | VectorFunction

_AT = 1e-6  # of the step: a jump so close to its end is there
_SIDE = 1e-9  # of the step, or of the time between two breaks: where a value is that of one side


class Jumps:
    """Jumps of functions of time between two times.

    Attributes
    ----------
    times : list of float
        When any of the functions jumps or has a kink.
    """

    def __init__(self, functions: Iterable[Function], start: float, end: float) -> None:
        self._sizes: dict[int, list[tuple[float, Array]]] = {}
        self._kept: list[Function] = []  # so that identities stay theirs
        self.times: list[float] = []
        side = _SIDE * (end - start)
        for function in functions:
            breaks = breaks_of(function, start, end)
            self.times += breaks
            sizes = [(t, _jump(function, t, side)) for t in breaks]
            self._sizes[id(function)] = [(t, size) for t, size in sizes if np.any(size)]
            self._kept.append(function)
        self.times.sort()

    def sample(self, function: Function, t: Array, h: float) -> Array:
        """Values at times t, ends of steps of length h: jumps spread over both ends of their step.

        With h < 0 steps end where functions jump, and the value is that before the jump.
        """
        if h == 0.0 or function.is_constant:
            return function.sample(t)
        if h < 0.0:
            return function.sample(np.maximum(t + _SIDE * h, min(float(t[0]), 0.0)))
        values = function.sample(t)
        for at, size in self._sizes.get(id(function), ()):
            s = (t - at) / h
            near = np.abs(s) < 1.0
            if near.any():
                s = s[near]
                spread = np.where(s < 0.0, 0.5 * (1.0 + s) ** 2, 1.0 - 0.5 * (1.0 - s) ** 2)
                just = np.abs(s) < _AT  # the value there may be that of either side
                values = values.copy()
                if just.any():
                    values[np.nonzero(near)[0][just]] = function.sample(t[near][just] - _AT * h)
                values[near] += np.multiply.outer(spread - ((s >= 0.0) & ~just), size)
        return values


def _jump(function: Function, t: float, side: float) -> Array:
    """Value after minus value before."""
    before, after, far = function.sample(np.array([t - side, t + side, t + 2.0 * side]))
    size = np.asarray(after - before)
    slope = np.abs(np.asarray(far - after))  # a change of this size is no jump
    return np.where(np.abs(size) > 10.0 * slope + 1e-12 * np.abs(after), size, 0.0)
