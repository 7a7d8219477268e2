"""Drivers of time steps, of either formulation: equal steps, split where one fails, and adaptive steps.

They call the controller and `progress`, keep what is finished whatever happens, and say how it ended.
"""

from __future__ import annotations

import bisect
import itertools
import math
import operator
import time as clock
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cosserat.errors import CosseratError, warn
from cosserat.lie.protocol import Array
from cosserat.results.checkpoint import BARRIER, Checkpoint
from cosserat.results.status import Outcome, Status
from cosserat.solve.interrupts import Interrupts
from cosserat.solve.motion.events import MOST_IN_A_STEP
from cosserat.solve.motion.stopwatch import Tally
from cosserat.solve.motion.walk import NEVER, Bounds, Grid, StepFailure, Walk
from cosserat.solve.motion.watching import ROUNDED, Ended, given_up, hurried, status_of, watch_step, watched_step
from cosserat.solve.motion.wheels import TurnLimit

Progress = Callable[[float, Tally], None]

_MOST_HALVINGS = 10
_ROUND = 1e-6  # of a step that durations may be longer: numbers of single precision
_CHUNK = 4096  # steps for which functions of time are sampled at once, at most
_WATCHED = 64  # steps between two looks at how far wheels turn
_PATIENCE = 0.1  # s between two looks at what goes on outside
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


def _consult(walk: Walk, t: float) -> None:
    """Call the controller; what it raises ends the run."""
    try:
        walk.consult(t)
    except Exception as error:
        raise Ended(status_of("controller", error, t)) from error


def _announce(progress: Progress | None, t: float, walk: Walk) -> None:
    if progress is None:
        return
    try:
        progress(t, walk.tally)
    except Exception as error:
        raise Ended(status_of("progress", error, t)) from error


def _save(keeper: Checkpoint, content: dict[str, Any], t: float) -> None:
    """Write a checkpoint; what `get_state` of a controller raises ends the run."""
    try:
        keeper.save(content)
    except CosseratError:
        raise
    except Exception as error:
        raise Ended(status_of("controller: get_state()", error, t)) from error


def _keepsake(walk: Walk, driver: dict[str, Any]) -> dict[str, Any]:
    """What walk, driver and events need to go on."""
    return {**walk.keepsake(), **driver, "watch": None if walk.watch is None else walk.watch.keepsake()}


def _saved(
    keeper: Checkpoint | None, walk: Walk, keepsake: Callable[[], dict[str, Any]], t: float, status: Status
) -> Status:
    """Write the last checkpoint of a run that can go on from where it ended; how it ended then."""
    if keeper is not None and not walk.torn and (status.ok or status.outcome is Outcome.INTERRUPTED):
        try:
            _save(keeper, keepsake(), t)
        except Ended as ended:
            return ended.status
        except KeyboardInterrupt:  # raised by `get_state`: the checkpoint stays as it was
            pass
    return status


def warn_of_call(status: Status) -> None:
    """Say so if a controller or `progress` raised, whose exception is not passed on: the run is kept instead."""
    if status.cause is not None:
        warn(f"simulate: {status.message}")


def equal_steps(duration: float, step: float) -> int:
    """Into how many equal steps, not longer than `step`, a time is divided."""
    return max(1, int(np.ceil(duration / step - _ROUND)))


def fixed_steps(
    walk: Walk, start: float, duration: float, step: float, every: int = 1, progress: Progress | None = None,
    keeper: Checkpoint | None = None,
) -> tuple[Array, Status]:  # fmt: skip
    """Equal steps, not longer than `step`; one that fails is split into 2, 4, ... parts. Gives the stored times."""
    n_steps = equal_steps(duration, step)
    h = duration / n_steps
    per_call = n_steps if walk.controlled is None else walk.controlled.steps_per_call(h)
    done, chunk, walk.end = 0, 64, start + n_steps * h
    extra = list[float]()  # times of states stored at events
    walk.grid = Grid(start, h)

    def begun(kept: Mapping[str, Any]) -> None:
        nonlocal done
        done, extra[:] = operator.index(kept["done"]), [float(x) for x in kept["extra"]]
        if not 0 <= done <= n_steps or walk.n_stored != 1 + done // every + len(extra):
            raise ValueError(f"{done} of {n_steps} steps")
        if walk.watch is not None:
            walk.watch.resume(kept["watch"])

    def keepsake() -> dict[str, Any]:
        return _keepsake(walk, {"done": done, "extra": extra})

    if keeper is None or not keeper.resume(walk, begun):
        walk.store()
        walk.begin(start, h)
    status, stopped = Status(Outcome.OK, start + n_steps * h), False  # stopped: by an event
    with Interrupts(stepping=True) as interrupts:
        stepping = False
        try:
            while done < n_steps:
                n = min(chunk, n_steps - done)
                if walk.controlled is not None:
                    if done % per_call == 0:
                        _consult(walk, start + done * h)
                    n = min(n, per_call - done % per_call)
                if keeper is not None:
                    n = min(n_steps - done, BARRIER - done % BARRIER, per_call - done % per_call)
                    if done % BARRIER == 0:
                        walk.settle(BARRIER)
                        if keeper.due:
                            _save(keeper, keepsake(), start + done * h)
                limit = walk.turn_limit()
                if limit is not None:
                    if h > limit.step:
                        raise Ended(_turned(limit, start + done * h, h))
                    n = min(n, _WATCHED)
                if walk.watch is not None:
                    n = 1
                    walk.make_room()
                    walk.watch.begin(start + done * h)
                began = clock.perf_counter()
                stepping = True
                failure = walk.advance(start + done * h, h, n, every, done)
                done += walk.done
                if failure is not None:
                    _split_step(walk, start + done * h, h, failure)
                    done += 1
                    if done % every == 0:
                        walk.store()
                if walk.watch is not None:
                    done -= 1
                    at = start + done * h
                    known = done % every == 0 or (bool(extra) and abs(extra[-1] - at) <= ROUNDED * h)
                    watched_step(walk, at, h, (done + 1) % every == 0, known, extra)
                    done += 1
                stepping = False
                pace = (clock.perf_counter() - began) / n
                chunk = min(max(int(_PATIENCE / max(pace, 1e-9)), 1), _CHUNK)
                _announce(progress, start + done * h, walk)
                if interrupts.asked:
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            if stepping:  # the state may be one of later than is counted
                done, walk.torn = done - done % every, True
            status = Status(Outcome.INTERRUPTED, start + done * h)
        except Ended as ended:
            status, stopped = ended.status, ended.at_event
            extra += [status.time] * (stopped and not ended.known)
        interrupts.closing = True
        status = _saved(None if stopped else keeper, walk, keepsake, start + done * h, status)
    times = np.asarray(start + h * every * np.arange(1 + done // every), dtype=np.float64)
    if done % every != 0 and not (extra and extra[-1] > start + h * done):  # the state at the end is always stored
        walk.store()
        times = np.append(times, start + h * done)
    return np.sort(np.concatenate((times, extra))) if extra else times, status


def _turned(limit: TurnLimit, t: float, h: float) -> Status:
    """A run ends at time t, because in a step of length h something turns too far."""
    told = f"{limit.title}: it turns, which without numerical damping (rho = 1) lets errors grow in any steps"
    if limit.step > 0.0:
        told = (
            f"{limit.title}: it turns by {limit.turn * h / limit.step:.2g} rad in a step, where {limit.turn:.2g} "
            f"rad are allowed; use steps of {0.9 * limit.step:.2g} s"
        )
    return Status(Outcome.TURNS_TOO_FAR, t, told)


def _split_step(walk: Walk, t: float, h: float, failure: StepFailure) -> None:
    """Take the step from t to t + h, which failed, in ever smaller parts."""
    walk.keep()
    for level in range(1, (_MOST_HALVINGS if walk.splits else 0) + 1):
        walk.tally.halved += 1
        again = walk.advance(t, h / 2**level, 2**level, NEVER, 0)
        if again is None:
            walk.tally.add(1 - 2**level)
            return
        failure = again
        walk.restore()
    raise Ended(given_up(walk, failure, t, h / 2**_MOST_HALVINGS))


def _bounds(allowed: float, recent: list[list[float]], step: float, power: int) -> Bounds:
    """Steps of one length end where the next may be longer, or must be shorter."""
    least = allowed * (_AIM / _WORTH) ** power
    calm = 0
    for length, error in recent[: -_REMEMBERED : -1]:
        if error * (step / length) ** power > least:
            return Bounds(allowed, least, _REMEMBERED, calm)
        calm += 1
    return Bounds(allowed, least, _REMEMBERED, _REMEMBERED - 1)


def adaptive_steps(
    walk: Walk, start: float, duration: float, tolerance: float, breaks: Sequence[float] = (), every: int = 1,
    progress: Progress | None = None, keeper: Checkpoint | None = None,
) -> tuple[Array, Status]:  # fmt: skip
    """Steps chosen so that a hundred of them commit an estimated position error of at most tolerance * size.

    An error per step, not per time: a vibration too small to matter is then never resolved, however fast it is. Steps
    end at `breaks`, times at which loads or prescribed motions are not smooth.
    """
    allowed = _SAFETY * 0.01 * tolerance * walk.size
    power = 1.0 / (walk.order + 1)
    end = start + duration
    smallest = _SMALLEST * duration
    limits = [*(t for t in sorted(breaks) if start + smallest < t < end - smallest), end]
    t, taken, times, cuts, last_shown = start, 0, [start], 0, clock.perf_counter()
    recent: list[list[float]] = []  # lengths of accepted steps, and their errors (m)
    h, longest, pace = 0.0, 0.0, Pace(start, end, smallest)
    blunt = 0  # steps accepted for being short, as where a law of the state jumps
    last_event, hurry = -np.inf, 0  # when an event acted last, and how many did so right after others

    def begun(kept: Mapping[str, Any]) -> None:
        nonlocal t, h, taken, times, cuts, recent, longest, blunt
        t, h, times = float(kept["t"]), float(kept["h"]), [float(x) for x in kept["times"]]
        taken, cuts, blunt = (operator.index(kept[name]) for name in ("taken", "cuts", "blunt"))
        recent, longest = [[float(length), float(error)] for length, error in kept["recent"]], float(kept["longest"])
        pace.marks = [(operator.index(count), float(time)) for count, time in kept["marks"]]
        known = len(times) == walk.n_stored and times[0] == start and times == sorted(times)
        if not (known and start <= t <= end and 0.0 < h < np.inf and 0.0 <= longest <= duration):
            raise ValueError(f"t = {t:g} s, steps of {h:g} s")
        if walk.watch is not None:
            walk.watch.resume(kept["watch"])

    if keeper is None or not keeper.resume(walk, begun):
        walk.store()
        h = min(duration / 10.0, walk.first_step(), limits[0] - start)
        walk.begin(start, h, at_breaks=True)

    status, stopped = Status(Outcome.OK, end), False  # stopped: by an event

    def keepsake() -> dict[str, Any]:
        driver = {"t": t, "h": h, "taken": taken, "times": times, "cuts": cuts, "recent": recent}
        driver |= {"marks": pace.marks, "longest": longest, "blunt": blunt}
        return _keepsake(walk, driver)

    with Interrupts(stepping=True) as interrupts:
        stepping = False
        try:
            while t < end - 1e-12 * duration:
                limit = limits[bisect.bisect_right(limits, t + 1e-12 * duration)]
                if walk.controlled is not None:
                    limit = min(limit, walk.controlled.next_call(t, start))
                    if walk.controlled.is_due(t, start):
                        _consult(walk, t)
                if keeper is not None and keeper.due:
                    _save(keeper, keepsake(), t)
                turning = walk.turn_limit()
                if turning is not None:
                    if 0.8 * turning.step * _MOST_STEPS < end - t:
                        raise Ended(_turned(turning, t, h))
                    h = min(h, 0.8 * turning.step)
                room = limit - t
                step = room / max(1, math.ceil(room / h - 0.1)) if room < 3.0 * h else h  # no tiny last one
                n = max(1, min(_STRIDE, int(room / step) - 3))
                if walk.watch is not None:
                    n = 1
                    walk.watch.begin(t)
                bounds = _bounds(allowed if step > smallest else np.inf, recent, step, walk.order + 1)
                stepping, walk.reach = True, max(longest, step) if step > _COARSE * smallest else 0.0
                errors, failure = walk.judged(t, step, n, bounds, every, taken)
                for error in errors:
                    if not error <= bounds.most or error == np.inf:  # that of one that failed
                        break
                    blunt += cuts > 0 and walk.reach == 0.0
                    taken, cuts, longest = taken + 1, 0, max(longest, step)
                    t = limit if abs(limit - t - step) < 1e-9 * step else t + step
                    if taken % every == 0:
                        times.append(t)
                    recent = [*recent[1 - _REMEMBERED :], [step, error]]
                else:
                    if walk.watch is not None:
                        known = any(abs(x - t + step) <= ROUNDED * step for x in times[-2:])
                        at, acted = watch_step(walk, t - step, step, taken % every == 0, known)
                        if acted:
                            hurry = hurry + 1 if at - last_event < smallest else 0
                            t, last_event, times = at, at, [*(x for x in times if x < at - ROUNDED * step), at]
                            if hurry > MOST_IN_A_STEP:
                                raise Ended(hurried(walk, t))
                    if t in limits[:-1]:
                        walk.cross(t, step)
                    stepping = False
                    hopeless = pace.hopeless(t, taken)
                    if hopeless:
                        raise Ended(Status(Outcome.STEP_TOO_SMALL, t, hopeless))
                    felt = max(e * (step / length) ** (walk.order + 1) for length, e in recent) / allowed
                    growth = min(max(_AIM / max(felt, 1e-12) ** power, 1.0), 2.0)
                    if growth > _WORTH:  # otherwise keep the step, and with it the factors
                        h = max(h, step) * growth
                    now = clock.perf_counter()
                    if now - last_shown > _PATIENCE or t >= end:
                        last_shown = now
                        _announce(progress, t, walk)
                    if interrupts.asked:
                        raise KeyboardInterrupt
                    continue
                stepping = False
                walk.tally.rejected += 1
                cuts += 1
                ratio = errors[-1] / allowed
                h = step * (0.5 if failure is not None else min(max(_AIM / ratio**power, 0.2), 0.8))
                if h < smallest or cuts > _MOST_CUTS:
                    if failure is not None:
                        raise Ended(given_up(walk, failure, t, h))
                    raise Ended(Status(Outcome.STEP_TOO_SMALL, t))
                if interrupts.asked:
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            if stepping:
                t, walk.torn = times[-1], True
            status = Status(Outcome.INTERRUPTED, t)
        except Ended as ended:
            status, stopped = ended.status, ended.at_event
            if stopped:
                t = status.time
                times = [*(x for x in times if x < t - ROUNDED * h), t]
        interrupts.closing = True
        status = _saved(None if stopped else keeper, walk, keepsake, t, status)
    if times[-1] < t:
        walk.store()
        times.append(t)
    if blunt and status.ok and tolerance < _SHARP:
        told = (
            f"in {blunt} steps forces jump with the state, which is found to {_COARSE * _SMALLEST:g} of the duration: "
            "positions err by what they do in so short a time, whatever the tolerance"
        )
        status = Status(Outcome.OK, end, told)
    return np.asarray(times), status


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
