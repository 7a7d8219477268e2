"""The time loop: modified Newton with frozen factors, a more careful one where that fails, results stored on the way.

A step that cannot be solved ends the loop with a code; the caller may try again with a smaller step.
"""

import math

from cosserat.jit import address_of, call_address, helper, load, stage
from cosserat.kernels import alpha, blocks, conserving, residual, tangent
from cosserat.kernels.arrays import (
    ADD_SPRINGS,
    ASSEMBLE_SPRINGS,
    history_of,
    middle_of,
    solver_of,
    state_of,
    trial_of,
)
from cosserat.kernels.blocks import factor, solve
from cosserat.kernels.residual import add_inertia, constraints, predict_stress, track_angles, wrong_branch
from cosserat.kernels.tangent import assemble, tangent_operators
from cosserat.kernels.vectors import clear, copy, dot

CONVERGED = 0
NOT_CONVERGED = 1
NOT_FINITE = 2
WRONG_BRANCH = 3

MAX_ITERATIONS = 12
MAX_CAREFUL = 25
SLOW = 0.2
LARGEST_TURN = 2.0  # rad per step
CONSERVING = 1.0


@helper
def step_coefficients(settings):
    """(cm, cc, ck) of the iteration matrix, and the scale of multipliers."""
    h, rho, scheme = settings[0], settings[1], settings[6]
    if scheme == CONSERVING:
        return 2.0 / (h * h), 1.0 / h, 0.5, 2.0 / (h * h) * settings[3]
    alpha_m, alpha_f, gamma, beta = alpha.method(rho)
    cm = (1.0 - alpha_m) / (beta * h * h * (1.0 - alpha_f))
    return cm, gamma / (beta * h), 1.0, cm * settings[3]


@helper
def set_right_hand_side(trial, solver):
    """x = -(r, s phi)."""
    _, _, _, s = step_coefficients(solver.settings)
    x = solver.x
    n = trial.residual.shape[0] - 1
    for i in range(n):
        for k in range(6):
            x[i, k] = -trial.residual[i, k]
    for j in range(trial.phi.shape[0]):
        for k in range(6):
            x[n + j, k] = -s * trial.phi[j, k]


@stage
def refactor(problem, k):
    """Assemble and factor the iteration matrix at the trial state; returns the number of singular blocks."""
    solver, trial = solver_of(problem), trial_of(problem)
    settings, coefficients = solver.settings, solver.coefficients
    cm, cc, ck, s = step_coefficients(settings)
    coefficients[0], coefficients[1], coefficients[2] = cm, cc, ck
    coefficients[3], coefficients[4] = s, settings[5]
    tangent_operators(problem)
    if settings[6] == CONSERVING:
        middle = middle_of(problem)
        assemble(problem, k, middle.frame, middle.mean)
    else:
        assemble(problem, k, trial.frame, trial.twist)
    solver.memory[0] = settings[0]
    solver.counters[2] += 1
    return factor(problem)


@helper
def correction_norm(x, n, n_rows, settings):
    """Largest displacement, or turn times the length, in a correction; infinite if it is not finite.

    Rows from n to n_rows are multipliers, which count as the displacement their change would cause.
    """
    length = settings[4]
    largest = 0.0
    for i in range(n_rows):
        for k in range(3):
            d, e = abs(x[i, k]), abs(x[i, k + 3])
            e = e * length if i < n else e
            if not (d < math.inf and e < math.inf):
                return math.inf
            largest = max(largest, d, e)
    return largest


@helper
def apply_correction(correction, fraction, trial, solver):
    """Move the trial state along the correction."""
    cm, cc, _, s = step_coefficients(solver.settings)
    if solver.settings[6] == CONSERVING:
        cc *= 2.0
    n = trial.residual.shape[0] - 1
    for i in range(n):
        for k in range(6):
            d = fraction * correction[i, k]
            trial.increment[i, k] += d
            trial.twist[i, k] += cc * d
            trial.rate[i, k] += cm * d
    for j in range(trial.phi.shape[0]):
        for k in range(6):
            trial.force[j, k] += fraction * s * correction[n + j, k]


@helper
def tolerance_of(trial, settings):
    """Tolerance on corrections: a share of the displacement that the accelerations make in one step."""
    h, length = settings[0], settings[4]
    acceleration = settings[7]
    extent = length
    for i in range(trial.rate.shape[0] - 1):
        for k in range(3):
            acceleration = max(acceleration, abs(trial.rate[i, k]), length * abs(trial.rate[i, k + 3]))
            extent = max(extent, abs(trial.frame[i, 9 + k]))
    return settings[2] * 0.25 * h * h * acceleration + 1e-15 * extent


@helper
def start_step(state, trial, settings, smooth):
    """Predictor of the chosen scheme."""
    if settings[6] == CONSERVING:
        conserving.predict(state, trial, settings[0], smooth)
    else:
        alpha.predict(state, trial, settings[0], settings[1], smooth)
    copy(state.force, trial.force)


@stage
def newton(problem, k, evaluate):
    """One step with frozen factors, renewed when the contraction is slow. Returns a code."""
    solver, trial = solver_of(problem), trial_of(problem)
    settings, memory = solver.settings, solver.memory
    n, n_rows = trial.residual.shape[0] - 1, solver.x.shape[0]
    start_step(state_of(problem), trial, settings, True)
    need = memory[0] != settings[0]
    fresh = False
    previous = 0.0
    rate = memory[1]
    for iteration in range(MAX_ITERATIONS):
        call_address(evaluate, (problem, k))
        solver.counters[1] += 1
        if need:
            refactor(problem, k)
            need = False
            fresh = True
            rate = 0.1
        set_right_hand_side(trial, solver)
        solve(problem)
        norm = correction_norm(solver.x, n, n_rows, settings)
        if not norm < math.inf:
            memory[0] = 0.0
            return NOT_FINITE
        tolerance = tolerance_of(trial, settings)
        if iteration > 0 and norm > tolerance:
            rate = norm / previous
            if rate > 1.0:
                if fresh:
                    memory[0] = 0.0
                    # near a singular pose multipliers are ill determined: the motion decides
                    if correction_norm(solver.x, n, n, settings) <= tolerance:
                        return CONVERGED
                    return NOT_CONVERGED
                refactor(problem, k)
                fresh = True
                rate = 0.1
                set_right_hand_side(trial, solver)
                solve(problem)
                norm = correction_norm(solver.x, n, n_rows, settings)
                if not norm < math.inf:
                    memory[0] = 0.0
                    return NOT_FINITE
        apply_correction(solver.x, 1.0, trial, solver)
        bounded = min(max(rate, 1e-3), 0.99)
        if norm * bounded / (1.0 - bounded) <= tolerance:
            memory[1] = rate
            if iteration >= 4 or rate > 0.5:
                memory[0] = 0.0
            return CONVERGED
        if rate > SLOW and iteration > 0:
            need = True
        previous = norm
    memory[0] = 0.0
    return NOT_CONVERGED


@helper
def keep_step(trial, middle, solver):
    """middle.frame = trial configuration, middle.mean = the correction as left increments, T x."""
    copy(trial.frame, middle.frame)
    for i in range(trial.residual.shape[0] - 1):
        for k in range(6):
            s = 0.0
            for m in range(6):
                s += solver.tangent[i, k, m] * solver.x[i, m]
            middle.mean[i, k] = s


@stage
def careful_newton(problem, k, evaluate):
    """One step from a plain predictor with a new matrix in every iteration, built with predicted stresses."""
    solver, trial, middle = solver_of(problem), trial_of(problem), middle_of(problem)
    settings = solver.settings
    n, n_rows = trial.residual.shape[0] - 1, solver.x.shape[0]
    start_step(state_of(problem), trial, settings, False)
    solver.counters[3] += 1
    previous = math.inf
    growths = 0
    for iteration in range(MAX_CAREFUL):
        call_address(evaluate, (problem, k))
        solver.counters[1] += 1
        if iteration > 0 and settings[6] != CONSERVING:
            predict_stress(problem, middle.frame, middle.mean)
        refactor(problem, k)
        solver.memory[0] = 0.0
        set_right_hand_side(trial, solver)
        solve(problem)
        norm = correction_norm(solver.x, n, n_rows, settings)
        if not norm < math.inf:
            return NOT_FINITE
        moved = correction_norm(solver.x, n, n, settings)
        if norm > previous:
            growths += 1
            if growths > 3 and moved > tolerance_of(trial, settings):
                return NOT_CONVERGED
        if settings[6] != CONSERVING:
            keep_step(trial, middle, solver)
        apply_correction(solver.x, 1.0, trial, solver)
        tolerance = tolerance_of(trial, settings)
        sure = norm <= tolerance or (norm < 0.1 * previous and 0.1 * norm <= tolerance)
        if sure or (iteration > 4 and moved <= tolerance):
            solver.memory[1] = 0.1
            return CONVERGED
        previous = norm
    return NOT_CONVERGED


@helper
def turned_too_far(increments):
    """Whether a node turned so far in one step that the solution may be a wrong one."""
    for i in range(increments.shape[0] - 1):
        w = (increments[i, 3], increments[i, 4], increments[i, 5])
        if not dot(w, w) <= LARGEST_TURN * LARGEST_TURN:
            return True
    return False


@stage
def accept(problem):
    """The trial state becomes the state."""
    state, trial, settings = state_of(problem), trial_of(problem), solver_of(problem).settings
    if settings[6] != CONSERVING:
        alpha.finish(state, trial, settings[0], settings[1])
    alpha.move(state.frame, trial.increment, 1.0, trial.frame)
    track_angles(problem)
    copy(trial.frame, state.frame)
    copy(trial.twist, state.twist)
    copy(trial.rate, state.rate)
    copy(trial.accel, state.accel)
    copy(trial.force, state.force)
    for i in range(trial.angle.shape[0]):
        state.angle[i] = trial.angle[i]
    return 0


@helper
def record(state, row, history):
    """Store the state."""
    copy(state.frame, history.frame[row])
    copy(state.twist, history.twist[row])
    copy(state.rate, history.rate[row])
    copy(state.force, history.force[row])
    for i in range(state.angle.shape[0]):
        history.angle[row, i] = state.angle[i]


@stage
def constraints_at_start(problem, k):
    """middle.phi: constraint values of the state, with the inputs of row k."""
    state, trial, middle = state_of(problem), trial_of(problem), middle_of(problem)
    copy(state.frame, trial.frame)
    for i in range(trial.angle.shape[0]):
        trial.angle[i] = state.angle[i]
    constraints(problem, k)
    copy(trial.phi, middle.phi)
    return 0


@stage
def advance(problem, n_steps, every, phase, row, report_out, evaluate):
    """Take up to n_steps; inputs row k+1 is the end of step k. Store where (phase + steps) % every == 0, from `row` on.

    Returns a code; report_out = (steps taken, rows stored, joint in question or -1).
    """
    state, trial, history, solver = state_of(problem), trial_of(problem), history_of(problem), solver_of(problem)
    report_out[0] = report_out[1] = 0
    report_out[2] = -1
    for k in range(n_steps):
        if solver.settings[6] == CONSERVING:
            constraints_at_start(problem, k)
        code = newton(problem, k + 1, evaluate)
        if code != CONVERGED:
            code = careful_newton(problem, k + 1, evaluate)
        if code == CONVERGED and turned_too_far(trial.increment):
            code = NOT_CONVERGED
        if code != CONVERGED:
            solver.memory[0] = 0.0
            return code
        joint = wrong_branch(problem, k + 1)
        if joint >= 0:
            solver.memory[0] = 0.0
            report_out[2] = joint
            return WRONG_BRANCH
        accept(problem)
        solver.counters[0] += 1
        report_out[0] += 1
        if (phase + k + 1) % every == 0:
            record(state, row + report_out[1], history)
            report_out[1] += 1
    return CONVERGED


@stage
def local_error(problem, rate_before, error_out):
    """Estimated position error of the last step, stiff motions filtered by the factors of the iteration matrix.

    The leading error of the generalised-alpha increment is c h^2 (v_dot_1 - v_dot_0), c = beta + (alpha_m -
    alpha_f)/2 - 1/6; solving S e = cm M (that) leaves slow motions as they are and takes out the unresolved ones.
    """
    state, trial, solver = state_of(problem), trial_of(problem), solver_of(problem)
    settings = solver.settings
    h = settings[0]
    cm, _, _, _ = step_coefficients(settings)
    alpha_m, alpha_f, _, beta = alpha.method(settings[1])
    c = beta + 0.5 * (alpha_m - alpha_f) - 1.0 / 6.0
    if settings[6] == CONSERVING:
        c = 1.0 / 12.0
    n, n_rows = state.frame.shape[0] - 1, state.frame.shape[0] - 1
    clear(trial.twist)
    clear(trial.residual)
    for i in range(n):
        for k in range(6):
            trial.rate[i, k] = c * h * h * (state.rate[i, k] - rate_before[i, k])
    add_inertia(problem)
    clear(solver.x)
    for i in range(n):
        for k in range(6):
            solver.x[i, k] = cm * trial.residual[i, k]
    solve(problem)
    error_out[0] = correction_norm(solver.x, n, n_rows, settings)
    return 0


def load_stages(table, problem):
    """Compile or read every stage the time loop needs, innermost first; returns the scheme's `evaluate`."""
    address = address_of_table(table, problem)
    trial = problem.trial
    plain = (residual.element_forces, residual.track_angles, residual.add_inertia, tangent.tangent_operators)
    for one in (*plain, blocks.factor, blocks.solve):
        load(one, address)
    for one in (residual.applied_forces, residual.joint_forces, residual.forces, residual.constraints):
        load(one, address, 0)
    load(alpha.move, trial.frame, trial.increment, 1.0, trial.frame)
    chosen = conserving.evaluate if problem.solver.settings[6] == CONSERVING else alpha.evaluate
    load(chosen, address, 0)
    scratch, solver = problem.scratch, problem.solver
    load(
        tangent.scatter, scratch.K, scratch.C, 1.0, solver.tangent[0], solver.tangent[0],
        problem.pattern.order, solver.blocks,
    )  # fmt: skip
    if problem.springs.node.shape[0] + problem.freedoms.joint.shape[0] > 0:
        load(residual.add_springs, address, 0)
        load(tangent.assemble_springs, address, 0, trial.frame, trial.twist)
        solver.targets[ADD_SPRINGS] = address_of(residual.add_springs)
        solver.targets[ASSEMBLE_SPRINGS] = address_of(tangent.assemble_springs)
    load(tangent.assemble_elements, address, trial.frame, trial.twist)
    load(tangent.assemble_nodes, address, 0, trial.frame, trial.twist)
    load(tangent.assemble_joints, address, 0, trial.frame)
    load(tangent.assemble, address, 0, trial.frame, trial.twist)
    load(wrong_branch, address, 0)
    load(predict_stress, address, trial.frame, trial.increment)
    load(refactor, address, 0)
    evaluate = address_of(chosen)
    for one in (newton, careful_newton):
        load(one, address, 0, evaluate)
    load(accept, address)
    load(constraints_at_start, address, 0)
    return evaluate


def address_of_table(table, problem):
    """What kernels take as `problem`: the table's address, or with the compiler off the problem itself."""
    return problem if table is None else table.ctypes.data
