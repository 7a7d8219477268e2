"""What stopped steps, by name."""

from __future__ import annotations

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.state_loads import failing_law
from cosserat.solve.memory import Memory


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
