"""Drivers of the time steps in floating frames: fixed steps, split where one fails, and adaptive steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import SolveError
from cosserat.results.status import Outcome, Status
from cosserat.solve.floating.control import FloatingControl
from cosserat.solve.floating.state import Point, StepFailure
from cosserat.solve.floating.steps import Stepper

Array = NDArray[np.float64]
Watch = Callable[[Point, int], None]

_MOST_HALVINGS = 10
_CHUNK = 4096  # steps for which functions of time are sampled at once


def fixed_steps(
    stepper: Stepper,
    start: Point,
    n_steps: int,
    h: float,
    every: int,
    watch: Watch | None = None,
    control: FloatingControl | None = None,
) -> tuple[list[Point], Status]:
    """Stored states of n_steps of size h, and how it ended; a step that fails is split into 2, 4, ... parts."""
    stored, now, begin = [start], start, start.t
    for k in range(1, n_steps + 1):
        if k % _CHUNK == 1:
            parts = stepper.stages * min(_CHUNK, n_steps - k + 1)
            times = begin + (k - 1) * h + h / stepper.stages * np.arange(parts + 1)
            stepper.drives.expect(np.asarray(times, dtype=np.float64))
        try:
            if control is not None:
                control.before_step(now, k, h)
            now = _in_parts(stepper, now, h)._replace(t=begin + k * h)
        except KeyboardInterrupt:
            return _with_last(stored, now), Status(Outcome.INTERRUPTED, now.t)
        except StepFailure as failure:
            return _with_last(stored, now), _failed(stepper, failure, now.t, h / 2**_MOST_HALVINGS)
        if k % every == 0 or k == n_steps:
            stored.append(now)
        if watch is not None:
            watch(now, k)
    return stored, Status(Outcome.OK, now.t)


def adaptive_steps(
    stepper: Stepper,
    start: Point,
    duration: float,
    allowed: float,
    extent: Callable[[Array, Array], float],
    watch: Watch | None = None,
    control: FloatingControl | None = None,
) -> tuple[list[Point], Status]:
    """Steps chosen so that each commits an estimated position error of at most `allowed` (m).

    `extent` tells how far the mechanism moves at coordinates q for small changes of them. As in the Galilean
    formulation this is an error per step, not per time: a vibration too small to matter is never resolved.
    """
    stored, now, end = [start], start, start.t + duration
    h = min(duration / 10.0, _first_step(start, stepper.size, extent))
    smallest = 1e-7 * duration
    power = 1.0 / (stepper.order + (1 if stepper.splits else 0))
    try:
        while now.t < end - 1e-12 * duration:
            h = min(h, end - now.t)
            if end - now.t - h < 0.1 * h:
                h = end - now.t if end - now.t <= 1.1 * h else h
            if control is not None:
                h = control.before_any_step(now, h, start.t)
            try:
                new = _guarded(stepper, now, h)
                ratio = extent(new.q, stepper.error(now, new)) / allowed
            except StepFailure as failure:
                stepper.rejected += 1
                h *= 0.5
                if h < smallest:
                    return stored, _failed(stepper, failure, now.t, h)
                continue
            if ratio > 1.0 and h > smallest:
                stepper.rejected += 1
                h *= float(np.clip(0.9 / ratio**power, 0.2, 0.8))
                if h < smallest:
                    return stored, Status(Outcome.STEP_TOO_SMALL, now.t)
                continue
            now = new
            stored.append(now)
            if watch is not None:
                watch(now, len(stored) - 1)
            growth = float(np.clip(0.9 / max(ratio, 1e-12) ** power, 0.5, 2.0))
            if growth > 1.3 or growth < 0.9:
                h *= growth
    except KeyboardInterrupt:
        return stored, Status(Outcome.INTERRUPTED, now.t)
    return stored, Status(Outcome.OK, end)


def _first_step(start: Point, size: float, extent: Callable[[Array, Array], float]) -> float:
    """A step over which the first accelerations move nothing by more than a thousandth of the size."""
    a, v = extent(start.q, start.a), extent(start.q, start.v)
    return float(min(np.sqrt(2e-3 * size / a) if a > 0 else np.inf, 1e-2 * size / v if v > 0 else np.inf))


def _guarded(stepper: Stepper, old: Point, h: float) -> Point:
    """A step; whatever goes wrong in it is a `StepFailure`."""
    try:
        with np.errstate(all="ignore"):  # what overflows is refused by the step
            return stepper.step(old, h)
    except np.linalg.LinAlgError:
        raise StepFailure(Outcome.NOT_FINITE) from None
    except SolveError as error:  # of a disc that fell flat
        raise StepFailure(Outcome.NOT_CONVERGED, str(error)) from None


def _in_parts(stepper: Stepper, now: Point, h: float) -> Point:
    """One step, in as few equal parts as succeed."""
    level = 0
    while True:
        parts, at = 2**level, now
        try:
            for k in range(parts):
                at = _guarded(stepper, at, h / parts)._replace(t=now.t + (k + 1) * h / parts)
            return at
        except StepFailure:
            if not stepper.splits or level == _MOST_HALVINGS:
                raise
        stepper.halved += 1
        level += 1


def _failed(stepper: Stepper, failure: StepFailure, t: float, smallest: float) -> Status:
    detail = failure.detail or stepper.remedy or f"step cut to {smallest:.3g} s"
    return Status(failure.outcome, t, detail)


def _with_last(stored: list[Point], now: Point) -> list[Point]:
    return stored if stored[-1] is now else [*stored, now]
