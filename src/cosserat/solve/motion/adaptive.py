"""Steps whose lengths follow their errors."""

from __future__ import annotations

import bisect
import itertools
import math
import operator
import time as clock
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.results.status import Outcome, Status
from cosserat.solve.motion.driver import PATIENCE, Driver, turned
from cosserat.solve.motion.events import MOST_IN_A_STEP
from cosserat.solve.motion.walk import Bounds, StepFailure, Walk
from cosserat.solve.motion.watching import ROUNDED, Ended, given_up, hurried, watch_step

_SAFETY = 0.6  # the estimate is of errors that a step commits, which the motion may let grow
_SMALLEST = 1e-7  # of the duration: adaptive steps below this are given up
_COARSE = 10.0  # of the smallest: shorter steps are not cut for errors of velocities, as where a law of the state jumps
_MOST_STEPS = 1e6  # that what turns may need until the end
_SHARP = 1e-5  # tolerances below which the status tells of such steps
_REMEMBERED = 3  # accepted steps whose errors tell how long the next may be: those of vibrations come and go
_STRIDE = 20  # steps taken at once, at most
_AIM = 0.9  # of the step that would err as much as allowed
_WORTH = 1.2  # growth for which new factors are worth it
_MOST_CUTS = 200  # attempts in a row at one adaptive step
_FIRST = 125  # steps after which it is looked at whether they shrink, and again whenever there are twice as many
_ROWS = 4  # mean lengths that are compared: of the last half of all steps, the quarter before, ...
_SHRUNK = 0.9  # of the mean length before: steps shrink
_MANY = 1e6  # steps to the end: fewer are taken, whatever they do


def _bounds(allowed: float, recent: list[list[float]], step: float, power: int) -> Bounds:
    """Steps of one length end where the next may be longer, or must be shorter."""
    least = allowed * (_AIM / _WORTH) ** power
    calm = 0
    for length, error in recent[: -_REMEMBERED : -1]:
        if error * (step / length) ** power > least:
            return Bounds(allowed, least, _REMEMBERED, calm)
        calm += 1
    return Bounds(allowed, least, _REMEMBERED, _REMEMBERED - 1)


class AdaptiveSteps(Driver):
    """Steps chosen so that a hundred of them commit an estimated position error of at most tolerance * size.

    An error per step, not per time: a vibration too small to matter is then never resolved, however fast it is. Steps
    end at `breaks`, times at which loads or prescribed motions are not smooth.
    """

    def __init__(
        self, walk: Walk, start: float, duration: float, tolerance: float, breaks: Sequence[float] = (), every: int = 1
    ) -> None:
        super().__init__(walk, start, start + duration, every)
        self.duration, self.tolerance, self.smallest = duration, tolerance, _SMALLEST * duration
        self.allowed, self.power = _SAFETY * 0.01 * tolerance * walk.size, 1.0 / (walk.order + 1)
        inside = (t for t in sorted(breaks) if start + self.smallest < t < self.end - self.smallest)
        self.limits = [*inside, self.end]
        self.h, self.longest, self.pace = 0.0, 0.0, Pace(start, self.end, self.smallest)
        self.times, self.taken = [start], 0
        self.recent: list[list[float]] = []  # lengths of accepted steps, and their errors (m)
        self.cuts = 0  # attempts at the next step
        self.blunt = 0  # steps accepted for being short, as where a law of the state jumps
        self.last_event, self.hurry = -np.inf, 0  # when an event acted last, and how many did so right after others
        self.last_shown = clock.perf_counter()

    def keepsake(self) -> dict[str, Any]:
        names = ("t", "h", "taken", "times", "cuts", "recent", "longest", "blunt")
        return {name: getattr(self, name) for name in names} | {"marks": self.pace.marks}

    def resume(self, kept: Mapping[str, Any]) -> None:
        self.t, self.h, self.longest = (float(kept[name]) for name in ("t", "h", "longest"))
        self.taken, self.cuts, self.blunt = (operator.index(kept[name]) for name in ("taken", "cuts", "blunt"))
        self.times = [float(x) for x in kept["times"]]
        self.recent = [[float(length), float(error)] for length, error in kept["recent"]]
        self.pace.marks = [(operator.index(count), float(time)) for count, time in kept["marks"]]
        times, inside = self.times, self.start <= self.t <= self.end
        known = len(times) == self.walk.n_stored and times[0] == self.start and times == sorted(times)
        if not (known and inside and 0.0 < self.h < np.inf and 0.0 <= self.longest <= self.duration):
            raise ValueError(f"t = {self.t:g} s, steps of {self.h:g} s")

    def begin(self) -> None:
        self.h = min(self.duration / 10.0, self.walk.first_step(), self.limits[0] - self.start)
        self.walk.begin(self.start, self.h, at_breaks=True)

    def take(self) -> bool:
        """As many steps as may have one length; one that errs too much, or fails, makes the next shorter."""
        walk, t, nearly = self.walk, self.t, 1e-12 * self.duration
        if t >= self.end - nearly:
            return False
        limit = self.limits[bisect.bisect_right(self.limits, t + nearly)]
        if walk.controlled is not None:
            limit = min(limit, walk.controlled.next_call(t, self.start))
            if walk.controlled.is_due(t, self.start):
                self.ask("controller", walk.consult, t)
        if self.keeper is not None and self.keeper.due:
            self.save(self.keeper)
        turning = walk.turn_limit()
        if turning is not None:
            if 0.8 * turning.step * _MOST_STEPS < self.end - t:
                raise Ended(turned(turning, t, self.h))
            self.h = min(self.h, 0.8 * turning.step)
        room = limit - t
        step = room / max(1, math.ceil(room / self.h - 0.1)) if room < 3.0 * self.h else self.h  # no tiny last one
        n = max(1, min(_STRIDE, int(room / step) - 3))
        if walk.watch is not None:
            n = 1
            walk.watch.begin(t)
        bounds = _bounds(self.allowed if step > self.smallest else np.inf, self.recent, step, walk.order + 1)
        walk.reach = max(self.longest, step) if step > _COARSE * self.smallest else 0.0
        self.stepping = True
        errors, failure = walk.judged(t, step, n, bounds, self.every, self.taken)
        for error in errors:
            if not error <= bounds.most or error == np.inf:  # that of one that failed
                self.stepping = False
                self._shorten(step, error, failure)
                return True
            self.blunt += self.cuts > 0 and walk.reach == 0.0
            self.taken, self.cuts, self.longest = self.taken + 1, 0, max(self.longest, step)
            self.t = limit if abs(limit - self.t - step) < 1e-9 * step else self.t + step
            if self.taken % self.every == 0:
                self.times.append(self.t)
            self.recent = [*self.recent[1 - _REMEMBERED :], [step, error]]
        if walk.watch is not None:
            self._watch(step)
        if self.t in self.limits[:-1]:
            walk.cross(self.t, step)
        self.stepping = False
        self._lengthen(step)
        return True

    def _watch(self, step: float) -> None:
        """Look after events in the last step."""
        walk, times, end = self.walk, self.times, self.t
        known = any(abs(x - end + step) <= ROUNDED * step for x in times[-2:])
        at, acted = watch_step(walk, end - step, step, self.taken % self.every == 0, known)
        if acted:
            self.hurry = self.hurry + 1 if at - self.last_event < self.smallest else 0
            self.t, self.last_event, self.times = at, at, [*(x for x in times if x < at - ROUNDED * step), at]
            if self.hurry > MOST_IN_A_STEP:
                raise Ended(hurried(walk, at))

    def _lengthen(self, step: float) -> None:
        """Choose the next step after some that were accepted."""
        hopeless = self.pace.hopeless(self.t, self.taken)
        if hopeless:
            raise Ended(Status(Outcome.STEP_TOO_SMALL, self.t, hopeless))
        felt = max(e * (step / length) ** (self.walk.order + 1) for length, e in self.recent) / self.allowed
        growth = min(max(_AIM / max(felt, 1e-12) ** self.power, 1.0), 2.0)
        if growth > _WORTH:  # otherwise keep the step, and with it the factors
            self.h = max(self.h, step) * growth
        now = clock.perf_counter()
        if now - self.last_shown > PATIENCE or self.t >= self.end:
            self.last_shown = now
            if self.progress is not None:
                self.ask("progress", self.progress, self.t, self.walk.tally)

    def _shorten(self, step: float, error: float, failure: StepFailure | None) -> None:
        """Choose a shorter step after one that was taken back."""
        self.walk.tally.rejected += 1
        self.cuts += 1
        ratio = error / self.allowed
        self.h = step * (0.5 if failure is not None else min(max(_AIM / ratio**self.power, 0.2), 0.8))
        if self.h < self.smallest or self.cuts > _MOST_CUTS:
            status = Status(Outcome.STEP_TOO_SMALL, self.t)
            raise Ended(status if failure is None else given_up(self.walk, failure, self.t, self.h))

    def fall_back(self) -> None:
        self.t = self.times[-1]

    def stop(self, ended: Ended) -> None:
        self.t = ended.status.time
        self.times = [*(x for x in self.times if x < self.t - ROUNDED * self.h), self.t]

    def finish(self, status: Status) -> tuple[Array, Status]:
        if self.times[-1] < self.t:
            self.walk.store()
            self.times.append(self.t)
        if self.blunt and status.ok and self.tolerance < _SHARP:
            told = (
                f"in {self.blunt} steps forces jump with the state, which is found to {_COARSE * _SMALLEST:g} of the "
                "duration: positions err by what they do in so short a time, whatever the tolerance"
            )
            status = Status(Outcome.OK, self.end, told)
        return np.asarray(self.times), status


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
