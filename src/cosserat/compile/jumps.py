"""Loads that jump or have kinks within a step: sampled so that steps keep their second order wherever that is.

Steps take loads as linear between their ends. A jump somewhere in a step is replaced by its mean over the hat functions
of the two ends, and so is what a step with a kink leaves out between the load and its chord: that leaves the impulse
and the moment of the impulse as they are, also of a pulse that begins and ends within one step.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Any

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.model.breaks import breaks_of
from cosserat.model.functions import Sampled, TimeFunction, VectorFunction
from cosserat.model.line_functions import StationMean

Function = TimeFunction | VectorFunction

_AT = 1e-6  # of the step: a jump so close to its end is there
SIDE = 1e-9  # of the step, or of the time between two breaks: where a value is that of one side
_X, _W = np.polynomial.legendre.leggauss(4)
_Z, _WEIGHT = 0.5 * (1.0 + _X), 0.5 * _W


class Jumps:
    """Jumps of functions of time between two times.

    Attributes
    ----------
    times : list of float
        When any of the functions jumps or has a kink, between the two.
    at_start : bool
        Whether one jumps just after the first time.
    laws : list of float
        Of the times, those of laws of time and state, which cannot be sampled.
    """

    def __init__(
        self, functions: Iterable[Function], start: float, end: float, laws: Iterable[float] = ()
    ) -> None:  # fmt: skip
        self._sizes: dict[Any, list[tuple[float, Array]]] = {}
        self._kinks: dict[Any, Array] = {}
        self._kept: list[Function] = []  # so that identities stay theirs
        times: set[float] = set()
        side = SIDE * (end - start)
        known: dict[Any, list[float]] = {}
        for function in functions:
            origin = _key(function.of if isinstance(function, StationMean) else function)
            if origin not in known:
                known[origin] = breaks_of(function, start, end)
            breaks = known[origin]
            times.update(breaks)
            sizes = [(t, _jump(function, t, side)) for t in breaks]
            self._sizes[_key(function)] = [(t, size) for t, size in sizes if np.any(size)]
            self._kinks[_key(function)] = np.array([t for t, size in sizes if not np.any(size)])
            self._kept.append(function)
        self.laws = sorted(laws)
        self.times = sorted({*times, *self.laws})
        self._ends = (start, side), (end, -side)  # and which way is inside
        smooth = [f.is_constant or (isinstance(f, TimeFunction) and f.is_smooth) for f in self._kept]
        changing = [f for f, calm in zip(self._kept, smooth, strict=True) if end > start and not calm]
        self.at_start = any(np.any(_inwards(f, start, side, f.sample(np.array([start]))[0])) for f in changing)

    def between(self, low: float, high: float) -> list[float]:
        """Those of its times that are inside."""
        return self.times[bisect_right(self.times, low) : bisect_left(self.times, high)]

    def jumps(self, function: Function) -> bool:
        """Whether a function jumps between the two times."""
        return bool(self._sizes.get(_key(function)))

    def sample(self, function: Function, t: Array, h: float) -> Array:
        """Values at times t, ends of steps of length h: jumps spread over both ends of their step.

        Where the run starts and ends, values are those inside.
        With h < 0 steps end where functions jump, and the value is that before the jump.
        """
        if h == 0.0 or function.is_constant:
            return function.sample(t)
        if h < 0.0:
            breaks = np.array([*self.times, *(end for end, _ in self._ends)])
            just = (np.abs(t[:, None] - breaks) < _AT * -h).any(axis=1)
            return function.sample(np.where(just, np.maximum(t + SIDE * h, min(float(t[0]), 0.0)), t))
        values = function.sample(t)
        for end, side in self._ends:
            just = np.abs(t - end) < _AT * h
            if just.any():
                values = values.copy()
                values[just] += _inwards(function, end, side, values[just])
        for at, size in self._sizes.get(_key(function), ()):
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
        kinks = self._kinks.get(_key(function), np.zeros(0))
        if len(kinks):
            values = values.copy()
            for k in np.nonzero((np.abs(t[:, None] - kinks) < h).any(axis=1))[0]:
                values[k] += self._left_out(function, t[k], h) + self._left_out(function, t[k], -h)
        return values

    def _left_out(self, function: Function, t: float, h: float) -> Array:
        """Mean over the hat function of t, in the step from t to t + h, of the load less its chord and its jumps."""
        low, high = min(t, t + h), max(t, t + h)
        kinks = self._kinks[_key(function)]
        if not ((kinks > low) & (kinks < high)).any():
            return np.asarray(0.0)
        jumps = [(at, size) for at, size in self._sizes[_key(function)] if low < at < high]
        inside = [*(at for at, _ in jumps), *kinks[(kinks > low) & (kinks < high)]]
        cuts = np.array([low, *sorted(inside), high])
        width = np.diff(cuts)
        times = (cuts[:-1, None] + width[:, None] * _Z).ravel()
        weight = (width[:, None] * _WEIGHT).ravel() / abs(h)
        at = np.concatenate((times, [t + SIDE * h, t + (1.0 - SIDE) * h]))
        values = function.sample(at)
        for when, size in jumps:
            values = values - np.multiply.outer(at > when, size)
        share = (times - t) / h
        outer = np.multiply.outer
        rest = values[:-2] - outer(1.0 - share, values[-2]) - outer(share, values[-1])
        return np.asarray(np.tensordot(weight * (1.0 - share), rest, 1))


def _key(function: Any) -> Any:
    """By what a function is known: what follows from the model itself is made anew whenever it is asked for."""
    return function.key if isinstance(function, Sampled) else id(function)


def _inwards(function: Function, t: float, side: float, value: Array) -> Array:
    """By how much the function jumps from a value at time t to that side of it."""
    near, far = function.sample(t + side * np.array([1.0, 2.0]))
    return _beyond(np.asarray(near - value), far - near, near)


def _jump(function: Function, t: float, side: float) -> Array:
    """Value after minus value before."""
    before, after, far = function.sample(np.array([t - side, t + side, t + 2.0 * side]))
    return _beyond(np.asarray(after - before), far - after, after)


def _beyond(size: Array, slope: Array, value: Array) -> Array:
    """Zero where a change is none beyond what the slope and rounding make."""
    return np.where(np.abs(size) > 10.0 * np.abs(slope) + 1e-12 * np.abs(value), size, 0.0)
