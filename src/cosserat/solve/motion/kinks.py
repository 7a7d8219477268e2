"""Equal steps in which a prescribed motion has a kink are taken in parts: velocities jump there as in an impact.

A step of the generalised-alpha method across a kink prescribes an increment that no smooth motion has, and its
velocities alternate from then on about those that are right. A step after a kink is a first step. Loads that jump would
be spread over both ends of their step, which parts of it, or of its neighbours, do not have: where there are kinks,
steps are taken in parts there, too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cosserat.kernels.newton import CONSERVING, CONVERGED
from cosserat.solve.motion.commands import push
from cosserat.solve.motion.grading import begin_smoothly, graded_part
from cosserat.solve.motion.walk import NEVER, Failure

if TYPE_CHECKING:
    from cosserat.solve.motion.stepping import Integration

SIDE = 1e-9  # of the step: how far from a kink its two sides are


def whole_steps(breaks: Sequence[float], t: float, h: float, n: int) -> int:
    """How many of n steps from time t come before one that has a break inside or at its end."""
    side = SIDE * h
    first = bisect_right(breaks, t + side)
    if first == len(breaks) or breaks[first] > t + n * h + side:
        return n
    return max(0, min(n, int(np.ceil((breaks[first] - side - t) / h)) - 1))


def advance_across(work: Integration, t: float, h: float, n: int, every: int, phase: int) -> Failure | None:
    """As `Walk.advance`; steps with kinks in parts."""
    done, failure = 0, None
    while done < n and failure is None:
        at = t + done * h
        whole = whole_steps(work.kinks, at, h, n - done)
        failure = work.advance_smoothly(at, h, whole, every, phase + done) if whole else _step(work, at, h)
        if not whole and failure is None and (phase + done + 1) % every == 0:
            work.store()
        done += work.done
    work.done = done
    return failure


def _step(work: Integration, t: float, h: float) -> Failure | None:
    """The step from t to t + h, in parts that end at kinks; taken back where it fails."""
    push(work, t)
    work.keep()
    work.graded, work.window, work.done, parts, at = False, None, 0, 0, t
    crossed = len(work.crossings.kept)
    kinks = work.kinks[bisect_right(work.kinks, t + SIDE * h) : bisect_right(work.kinks, t + h + SIDE * h)]
    for end, kinked in [*((kink, True) for kink in kinks), (t + h, False)]:
        if end - at > SIDE * h:
            code = _part(work, at, end)
            if code != CONVERGED:
                failure = work.failure(code)
                work.restore()
                del work.crossings.kept[crossed:]
                return failure
            parts += 1
        if kinked:
            work.cross(end, h)
        at = end
    work.done = 1
    work.tally.add(1 - parts)
    if work.accel_step == 0.0:
        begin_smoothly(work, t + h, h)
    elif work.scheme != CONSERVING:
        work.restart(t + h + SIDE * h, h)
    return None


def _part(work: Integration, t: float, end: float) -> int:
    """A part of a step, after a kink as the first step of a run; how it ended."""
    if work.accel_step == 0.0:
        begin_smoothly(work, t, end - t)
    if work.graded:
        return graded_part(work, t, end - t)
    return work.run(np.array([t, end]), end - t, NEVER, 0, 0, search=True)
