"""Equal steps of which each is judged by its error, and taken back where it errs too much."""

import numpy as np

from cosserat.jit import helper, load, stage
from cosserat.kernels import alpha
from cosserat.kernels.arrays import history_of, solver_of, state_of, trial_of
from cosserat.kernels.blocks import solve
from cosserat.kernels.integrate import keep, record, take_step
from cosserat.kernels.newton import CONSERVING, CONVERGED, correction_norm, step_coefficients
from cosserat.kernels.residual import add_inertia
from cosserat.kernels.vectors import clear, copy


@helper
def filtered_norm(problem):
    """Largest displacement that the factors leave of the inertia forces in trial.residual, divided by the inertia."""
    trial, solver = trial_of(problem), solver_of(problem)
    cm, _, _, _ = step_coefficients(solver.settings)
    n = trial.residual.shape[0] - 1
    clear(solver.x)
    for i in range(n):
        for k in range(6):
            solver.x[i, k] = cm * trial.residual[i, k]
    solve(problem)
    return correction_norm(solver.x, n, n, solver.settings)


@stage
def local_error(problem, unheld, error_out):
    """Estimated position error of the last step, stiff motions filtered by the factors of the iteration matrix.

    The leading error that a step of generalised-alpha adds to positions in the long run is c h^2 (v_dot_1 - v_dot_0), c
    as in `alpha.phase_constant`; solving S e = cm M (that) leaves slow motions as they are and takes out the unresolved
    ones.
    `unheld` is the problem with the state before the step and factors without joints; see `solve.motion.unheld`.
    """
    state, trial, settings = state_of(problem), trial_of(problem), solver_of(problem).settings
    before = state_of(unheld).rate
    h, c = settings[0], alpha.phase_constant(settings[1])
    if settings[6] == CONSERVING:
        c = 1.0 / 12.0
    clear(trial.twist)
    clear(trial.residual)
    for i in range(trial.residual.shape[0] - 1):
        for k in range(6):
            trial.rate[i, k] = c * h * h * (state.rate[i, k] - before[i, k])
    add_inertia(problem)
    error_out[0] = filtered_norm(problem)
    if solver_of(unheld).memory[0] > 0.0:
        error_out[0] = max(error_out[0], filtered_norm(unheld))
    return 0


@helper
def keep_all(source, target_out):
    """Copy a state."""
    keep(source, target_out)
    copy(source.inner, target_out.inner)


@stage
def advance_judged(problem, unheld, order, bounds, errors_out, report_out, evaluate, careful):
    """Take up to order[0] generalised-alpha steps; one that errs more than bounds[0] is taken back and ends it.

    It also ends after order[3] steps in a row that erred less than bounds[1], of which order[4] are taken already.
    Stored where (order[2] + steps) % order[1] == 0. Returns a code, see `advance`; errors_out has one more error than
    steps were taken if the last was taken back.
    """
    state, before, history, solver = state_of(problem), state_of(unheld), history_of(problem), solver_of(problem)
    report_out[0] = report_out[1] = 0
    report_out[2] = -1
    calm = order[4]
    for k in range(order[0]):
        keep_all(state, before)
        code = take_step(problem, k, report_out, evaluate, careful, 0)
        if code != CONVERGED:
            return code
        local_error(problem, unheld, errors_out[k:])
        if not errors_out[k] <= bounds[0]:
            keep_all(before, state)
            solver.counters[0] -= 1
            report_out[0] -= 1
            return CONVERGED
        if (order[2] + k + 1) % order[1] == 0:
            record(state, report_out[1], history)
            report_out[1] += 1
        calm = calm + 1 if errors_out[k] <= bounds[1] else 0
        if calm >= order[3]:
            return CONVERGED
    return CONVERGED


def load_error(problem, unheld):
    """Compile or read `local_error`."""
    load(local_error, problem, unheld, np.zeros(1))
