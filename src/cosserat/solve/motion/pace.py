"""Adaptive steps that shrink and shrink: told before they have become the smallest allowed, which takes millions."""

from __future__ import annotations

import itertools
import math

_FIRST = 125  # steps after which they are looked at, and again whenever there are twice as many
_ROWS = 4  # mean lengths that are compared: of the last half of all steps, the quarter before, ...
_SHRUNK = 0.9  # of the mean length before: steps shrink
_MANY = 1e6  # steps to the end: fewer are taken, whatever they do


class Pace:
    """How fast adaptive steps get on.

    They are given up where they have become a tenth shorter or more whenever their number doubled, more than a million
    of the present length are left, and going on so, with a power of the time since the start, they would be below the
    smallest allowed before the end. What vibrates as fast as ever, calms down, or needs fewer steps is not stopped.
    """

    def __init__(self, start: float, end: float, smallest: float) -> None:
        self._start, self._end, self._smallest = start, end, smallest
        self.marks: list[tuple[int, float]] = [(0, start)]  # steps taken and time, whenever it is looked at

    def hopeless(self, t: float, taken: int) -> str:
        """To be asked after accepted steps: a sentence if they get nowhere, otherwise none."""
        if taken < max(_FIRST, 2 * self.marks[-1][0]):
            return ""
        self.marks = [*self.marks[-_ROWS:], (taken, t)]
        if len(self.marks) <= _ROWS:
            return ""
        pairs = list(itertools.pairwise(self.marks))
        lengths = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairs]
        left = (self._end - t) / lengths[-1]
        if left < _MANY or any(b > _SHRUNK * a for a, b in itertools.pairwise(lengths)):
            return ""
        before, now = (0.5 * (a[1] + b[1]) - self._start for a, b in (pairs[-3], pairs[-1]))
        power = math.log(lengths[-3] / lengths[-1]) / math.log(now / before)
        if lengths[-1] * (now / (self._end - self._start)) ** power > self._smallest:
            return ""
        return (
            f"steps shrink all the time, to {lengths[-1]:.2g} s by now, and {left:.2g} of these are left: something "
            "changes ever faster; or take a shorter duration, and go on from there with start="
        )
