"""Equal steps of which each is judged by its error, and taken back where it errs too much."""


from cosserat.jit import helper, stage
from cosserat.kernels import alpha, slots
from cosserat.kernels.blocks import solve
from cosserat.kernels.integrate import keep, record, take_step
from cosserat.kernels.law_states import FROZEN
from cosserat.kernels.newton import CONSERVING, correction_norm, step_coefficients
from cosserat.kernels.residual import add_inertia, forces
from cosserat.kernels.vectors import clear, copy


@helper
def filtered_norm(problem):
    """Largest displacement that the factors leave of the inertia forces in trial.residual, divided by the inertia."""
    trial, solver = problem.trial, problem.solver
    cm, _, _, _ = step_coefficients(solver.settings)
    n = trial.residual.shape[0] - 1
    clear(solver.x)
    for i in range(n):
        for k in range(6):
            solver.x[i, k] = cm * trial.residual[i, k]
    solve(problem)
    return correction_norm(solver.x, n, n, solver.settings)


KNOWN, REACH = 2, 3
"""Where the memory of `unheld` has whether the change of rates before is known, and for how long (s) errors of
velocities may grow. Of its `past`, the first is that change per time, the second that of the last step; those of the
conserving scheme are the rates at the ends of both."""


@stage
def local_error(problem, unheld, error_out):
    """Estimated position error of the last step, stiff motions filtered by the factors of the iteration matrix.

    The leading error that a step of generalised-alpha adds to positions in the long run is c h^2 (v_dot_1 - v_dot_0), c
    as in `alpha.phase_constant`; solving S e = cm M (that) leaves slow motions as they are and takes out the unresolved
    ones. That of velocities is c h times the change of v_dot_1 - v_dot_0 from step to step, and counts with what it
    does to positions in the time `REACH`: where a force sets in, it is large. So does what velocities change beyond the
    mean of v_dot: where the method starts just before a force sets in, it may take that for the course of things.
    `unheld` is the problem with the state before the step and factors without joints; see `solve.motion.judging`.
    """
    state, trial, settings = problem.state, problem.trial, problem.solver.settings
    before, memory, past = unheld.state.rate, unheld.solver.memory, unheld.solver.past
    h, c = settings[slots.STEP], alpha.phase_constant(settings[slots.RHO])
    if settings[slots.SCHEME] == CONSERVING:
        c = 1.0 / 12.0
    n = trial.residual.shape[0] - 1
    clear(trial.twist)
    clear(trial.residual)
    for i in range(n):
        for k in range(6):
            change = state.rate[i, k] - before[i, k]
            past[1, i, k] = change / h
            trial.rate[i, k] = c * h * h * change
    add_inertia(problem)
    error_out[0] = filtered_norm(problem)
    if memory[slots.FACTORED] > 0.0:
        error_out[0] = max(error_out[0], filtered_norm(unheld))
    if settings[slots.SCHEME] != CONSERVING:
        before_twist = unheld.state.twist
        for i in range(n):
            for k in range(6):
                missed = c * h * h * (past[1, i, k] - past[0, i, k]) if memory[KNOWN] > 0.0 else 0.0
                mean = 0.5 * h * (state.rate[i, k] + before[i, k])
                astray = state.twist[i, k] - before_twist[i, k] - mean
                trial.rate[i, k] = memory[REACH] * (missed if abs(missed) > abs(astray) else astray)
        count_more(problem, error_out)
    return 0


@helper
def count_more(problem, error_out):
    """Let an error in trial.rate count, if it is larger than another; filtered only where it may be."""
    trial, settings = problem.trial, problem.solver.settings
    n = trial.residual.shape[0] - 1
    if correction_norm(trial.rate, n, n, settings) > error_out[0]:
        clear(trial.residual)
        add_inertia(problem)
        error_out[0] = max(error_out[0], filtered_norm(problem))


@stage
def end_error(problem, unheld, error_out):
    """The same, where that is more, from accelerations at both ends of a conserving step with inputs of rows 0 and 1.

    Such steps see forces in their middle alone: rates of two steps may be equal whatever a force does between. In
    smooth motions twice the difference of the rate at the end and the mean one is as large as that of two mean ones.
    Where a force sets in within a half, velocities miss up to a quarter of h times what the rates at both ends differ
    from the mean.
    """
    state, trial, solver = problem.state, problem.trial, problem.solver
    memory, past, h = unheld.solver.memory, unheld.solver.past, solver.settings[slots.STEP]
    n = trial.residual.shape[0] - 1
    keep(state, trial)
    for i in range(3):
        for k in range(state.inner.shape[1]):
            trial.inner[i, k] = state.inner[i, k]
    follow, solver.follow[0] = solver.follow[0], FROZEN
    forces(problem, 1)
    solver.follow[0] = follow
    add_inertia(problem)
    most = 2.0 / 12.0 * h * h * filtered_norm(problem)
    clear(trial.twist)
    for i in range(n):
        for k in range(6):
            past[1, i, k] = state.rate[i, k] - solver.x[i, k]
            trial.rate[i, k] = 0.25 * h * memory[REACH] * (past[0, i, k] + past[1, i, k] - 2.0 * state.rate[i, k])
    error_out[0] = max(error_out[0], most)
    if memory[KNOWN] > 0.0:
        count_more(problem, error_out)
    return 0


@helper
def remember(unheld):
    """The last step is accepted: what it changes is what the next one continues."""
    past = unheld.solver.past
    copy(past[1], past[0])
    unheld.solver.memory[KNOWN] = 1.0


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
    state, before, history, solver = problem.state, unheld.state, problem.history, problem.solver
    report_out[slots.TAKEN] = report_out[slots.STORED] = 0
    report_out[slots.JOINT] = -1
    calm = order[4]
    for k in range(order[0]):
        keep_all(state, before)
        code = take_step(problem, k, report_out, evaluate, careful, 0)
        if code != slots.CONVERGED:
            return code
        local_error(problem, unheld, errors_out[k:])
        if not errors_out[k] <= bounds[0]:
            keep_all(before, state)
            solver.counters[slots.STEPS] -= 1
            report_out[slots.TAKEN] -= 1
            return slots.CONVERGED
        remember(unheld)
        if (order[2] + k + 1) % order[1] == 0:
            record(state, report_out[slots.STORED], history)
            report_out[slots.STORED] += 1
        calm = calm + 1 if errors_out[k] <= bounds[1] else 0
        if calm >= order[3]:
            return slots.CONVERGED
    return slots.CONVERGED
