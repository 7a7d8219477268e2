"""What efforts that are cut off do at the ends of conserving steps, which see them in the middle alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cosserat.kernels.arrays import Inputs
from cosserat.kernels.judging import local_error
from cosserat.solve.initial import consistent_accelerations

if TYPE_CHECKING:
    from cosserat.solve.motion.stepping import Integration


def end_error(work: Integration, both: tuple[int, int]) -> float:
    """Estimated error of the last step from the accelerations at its end; zero where no effort has a limit.

    The mean rates of two steps are equal while an effort is at its limit in the middle of both, whatever it does
    between. In smooth motions twice the difference of the rate at the end and the mean one is as large as that of two
    mean ones.
    """
    problem, freedoms = work.memory.problem, work.memory.problem.freedoms
    cut_off = (freedoms.target >= 0) & np.isfinite(freedoms.limit)
    if not np.any(cut_off | (freedoms.friction > 0.0)):
        return 0.0
    state, trial, solver, inputs = problem.state, problem.trial, problem.solver, problem.inputs
    touched = (
        state.rate, state.force, state.accel, state.inner, trial.force, trial.inner, solver.blocks, solver.memory,
        work.kept.rate,
    )  # fmt: skip
    kept, error = [a.copy() for a in touched], np.zeros(1)
    last = Inputs(*(a[-1:] for a in inputs))
    consistent_accelerations(work.compiled, float(last.clock[0, 0]), work.memory, last)
    solver.blocks[...], solver.memory[...] = kept[6], kept[7]
    work.kept.rate[...] = kept[0]
    state.rate[...] = 2.0 * state.rate - kept[0]
    local_error(*both, error)
    for a, b in zip(touched, kept, strict=True):
        a[...] = b
    work.memory.replace(inputs=inputs)
    return float(error[0])
