"""What stopped steps, by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.state_loads import failing_law, leaving
from cosserat.kernels.arrays import History
from cosserat.results.status import Outcome, Status
from cosserat.solve.memory import Memory

ENDED = (Outcome.NOT_FINITE, Outcome.NOT_CONVERGED, Outcome.STEP_TOO_SMALL)


def named_failure(compiled: CompiledModel, memory: Memory, joint: int) -> str:
    """The joint that stopped the last run (-1: none did), or the law of a load that failed; empty if there is none."""
    if joint >= 0:
        return f"joint '{compiled.joints[joint].name}'"
    clock = memory.problem.inputs.clock[:, 0]
    times = np.unique(clock[[0, min(1, len(clock) - 1), -1]])
    for here in (memory.problem.state, memory.problem.trial):  # the trial of the last step is where it failed
        now = here.frame, here.twist, here.inner[0]
        frames, twists, inner = (np.repeat(a[None], len(times), axis=0) for a in now)
        found = failing_law(compiled, times, frames, twists, inner)
        if found:
            return found
    return ""


def kept_inside(
    compiled: CompiledModel, times: NDArray[np.float64], history: History, status: Status, h: float
) -> tuple[int, Status]:
    """How many of the stored states are within what loads know, and the status, which says where the motion leaves it.

    Within the time h after the last state; the conserving scheme meets laws in the middle of steps and may end outside.
    """

    def state(i: int) -> tuple[NDArray[np.float64], ...]:
        return history.frame[i], history.twist[i], history.rate[i], history.inner[i]

    n = len(times)
    if not compiled.laws or not (status.ok or status.outcome in ENDED):
        return n, status
    while n > 1 and leaving(compiled, float(times[n - 1]), state(n - 1), 0.0):
        n -= 1
    if status.ok and n == len(times):
        return n, status
    told = leaving(compiled, float(times[n - 1]), state(n - 1), h)
    if told:
        status = replace(status, outcome=Outcome.BEYOND, time=float(times[n - 1]), detail=told)
    return n, status
