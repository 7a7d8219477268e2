"""Drivers of the time steps in floating frames: fixed steps, halved where one fails, and adaptive steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cosserat.results.status import Outcome, Status
from cosserat.solve.motion.floating_steps import Point, StepFailure, Stepper

Array = NDArray[np.float64]
Watch = Callable[[Point, int], None]
Method = Callable[[Point, float], Point]

_MOST_HALVINGS = 10
_UNRESOLVED = "an explicit method needs steps that resolve every vibration"


def method_of(stepper: Stepper, integrator: str) -> Method:
    """Steps of the named method; whatever goes wrong in one is a `StepFailure`."""
    chosen = stepper.explicit if integrator == "runge-kutta" else stepper.implicit

    def step(old: Point, h: float) -> Point:
        try:
            with np.errstate(all="ignore"):  # what overflows is refused by the step
                return chosen(old, h)
        except np.linalg.LinAlgError:
            raise StepFailure(Outcome.NOT_FINITE) from None

    return step


def fixed_steps(
    stepper: Stepper, integrator: str, start: Point, n_steps: int, h: float, every: int, watch: Watch | None = None
) -> tuple[list[Point], Status]:
    """Stored states of n_steps of size h, and how it ended.

    An implicit step that fails is split into 2, 4, ... parts; an explicit one that does is not: it is unstable.
    """
    stored, now, begin = [start], start, start.t
    step = method_of(stepper, integrator)
    halvings = 0 if integrator == "runge-kutta" else _MOST_HALVINGS
    for k in range(1, n_steps + 1):
        try:
            now = _in_parts(stepper, step, now, h, halvings)._replace(t=begin + k * h)
        except KeyboardInterrupt:
            return _with_last(stored, now), Status(Outcome.INTERRUPTED, now.t)
        except StepFailure as failure:
            cut = failure.detail or f"step cut to {h / 2**halvings:.3g} s"
            return _with_last(stored, now), Status(failure.outcome, now.t, cut if halvings else _UNRESOLVED)
        if k % every == 0 or k == n_steps:
            stored.append(now)
        if watch is not None:
            watch(now, k)
    return stored, Status(Outcome.OK, now.t)


def _in_parts(stepper: Stepper, step: Method, now: Point, h: float, halvings: int) -> Point:
    """One step, in as few equal parts as succeed."""
    for level in range(halvings + 1):
        parts, at = 2**level, now
        try:
            for k in range(parts):
                at = step(at, h / parts)._replace(t=now.t + (k + 1) * h / parts)
            stepper.halved += level > 0
            return at
        except StepFailure:
            if level == halvings:
                raise
    raise AssertionError


def _with_last(stored: list[Point], now: Point) -> list[Point]:
    return stored if stored[-1] is now else [*stored, now]
