"""Start of the generalised-alpha method, or of steps of another length. See `solve.motion.smooth_start`."""

from cosserat.jit import address_of, address_table, call_address, helper, stage
from cosserat.jit import load as load_stage
from cosserat.kernels import slots
from cosserat.kernels.alpha import error_constant, method, move
from cosserat.kernels.blocks import solve
from cosserat.kernels.law_states import FROZEN
from cosserat.kernels.newton import refactor
from cosserat.kernels.residual import add_inertia, constraint_rates, forces
from cosserat.kernels.rolling import rolling_rates
from cosserat.kernels.rules import rule_rates
from cosserat.kernels.touching import DISC
from cosserat.kernels.vectors import add, clear, copy, cross, load, store

PART = 1e-2  # of the step, over which the equations are differentiated
_ROUNDS = 3  # with the same factors, for velocities and accelerations


@stage
def stand(problem):
    """The trial state is the state."""
    state, trial = problem.state, problem.trial
    copy(state.frame, trial.frame)
    copy(state.twist, trial.twist)
    copy(state.rate, trial.rate)
    copy(state.force, trial.force)
    clear(trial.increment)
    for i in range(trial.angle.shape[0]):
        trial.angle[i] = state.angle[i]
    for k in range(3):
        for i in range(state.inner.shape[1]):
            trial.inner[k, i] = state.inner[k, i]
    problem.solver.follow[0] = FROZEN
    return 0


@helper
def _rates(problem, drives, others, k, still, rate_out, accel_out):
    """As `constraint_rates`, of all constraints; nothing is prescribed to move where `still` is not 0.

    `others` has the addresses of `rolling_rates` and `rule_rates`, or 0.
    """
    row = 3 if still != 0 else k
    constraint_rates(problem, drives[0, k], drives[1, row], drives[2, row], rate_out, accel_out)
    nj = problem.joints.node.shape[0]
    if others[0] != 0:
        call_address(others[0], (problem, rate_out[nj:], accel_out[nj:]))
    if others[1] != 0:
        pace = 0.0 if still != 0 else 1.0
        call_address(others[1], (problem, k, pace, rate_out[nj:], accel_out[nj:]))


@stage
def gradient(problem, drives, others, k, velocities, work, rate_out, accel_out):
    """rate_out = Phi times velocities (n+1, 6) at the trial configuration, through the kernel of the rates."""
    trial = problem.trial
    copy(trial.twist, work)
    copy(velocities, trial.twist)
    _rates(problem, drives, others, k, 1, rate_out, accel_out)
    copy(work, trial.twist)
    return 0


@stage
def second_rates(problem, drives, others, room, work, k):
    """room[0] = second derivatives of the constraints at the trial state and its accelerations, with inputs row k."""
    _rates(problem, drives, others, k, 0, room[1], room[0])
    gradient(problem, drives, others, k, problem.trial.rate, work[0], room[1], room[2])
    accumulate(1.0, room[1], room[0])
    return 0


@stage
def accumulate(factor, source, matrix_out):
    """matrix_out += factor source, over the rows of the source."""
    for i in range(source.shape[0]):
        for k in range(source.shape[1]):
            matrix_out[i, k] += factor * source[i, k]
    return 0


@helper
def _solve(problem, of_nodes, work, of_rows, room):
    """solver.x = A^-1 (of_nodes work, of_rows room)."""
    x = problem.solver.x
    n = problem.trial.residual.shape[0] - 1
    for i in range(x.shape[0]):
        for k in range(6):
            x[i, k] = of_nodes * work[i, k] if i < n else of_rows * room[i - n, k]
    solve(problem)


@stage
def settle_rates(problem, drives, others, room, work):
    """Velocities that joints and prescribed motions allow, accelerations and multipliers that follow from them.

    Those of vibrations that a step does not resolve are filtered by the iteration matrix, whose factors stay.
    """
    state, trial, solver = problem.state, problem.trial, problem.solver
    n = trial.residual.shape[0] - 1
    stand(problem)
    forces(problem, 0)
    refactor(problem, 0)
    cm, s = solver.coefficients[slots.CM], solver.coefficients[slots.SCALE]
    for _ in range(_ROUNDS):
        _rates(problem, drives, others, 0, 0, room[1], room[0])
        _solve(problem, 0.0, work[0], -s, room[1])
        accumulate(1.0, solver.x[:n], trial.twist)
    for _ in range(_ROUNDS):
        forces(problem, 0)
        add_inertia(problem)
        second_rates(problem, drives, others, room, work, 0)
        _solve(problem, -cm, trial.residual, -s, room[0])
        accumulate(1.0, solver.x[:n], trial.rate)
        accumulate(s / cm, solver.x[n:], trial.force)
    copy(trial.twist, state.twist)
    copy(trial.rate, state.rate)
    copy(trial.force, state.force)
    for i in range(state.inner.shape[1]):
        state.inner[1, i] = trial.inner[1, i]  # they jump with inputs of laws
    return 0


@helper
def _of_positions(problem, room):
    """Leave the rates room[1] of what is held as a position: joints, such rules of users, gaps of discs."""
    nj, rules, rolling = problem.joints.node.shape[0], problem.rules, problem.rolling
    copy(room[1], room[2])
    for j in range(nj, room.shape[1]):
        for k in range(6):
            room[1, j, k] = 0.0
    for i in range(rolling.node.shape[0]):
        if rolling.kind[i] == DISC:
            Q, rates = rolling.keep[i], room[2, nj + i]
            gap = Q[0, 0] * rates[0] + Q[1, 0] * rates[1] + Q[2, 0] * rates[2]
            for k in range(3):
                room[1, nj + i, k] = Q[k, 0] * gap
    for i in range(rules.item.shape[0]):
        if rules.held[i] == 1:
            for k in range(6):
                room[1, nj + rules.item[i], k] = room[2, nj + rules.item[i], k]


@stage
def start_smoothly(problem, drives, others, room, work, factored):
    """Set the integrator's acceleration and velocities; all else is consistent. Leaves the factors of the step, which
    are there already if `factored` is not 0.

    The equations of motion and the second derivatives of the constraints are differentiated along the motion, by
    differences to one side: functions of time may have a kink at the start. Rows 0 to 2 of the inputs, and of the
    motions in drives (order, row, joint, 21), are those at the start and at both parts; row 3 of drives is zero.
    """
    state, trial, solver = problem.state, problem.trial, problem.solver
    h, rho = solver.settings[slots.STEP], solver.settings[slots.RHO]
    n = trial.residual.shape[0] - 1
    alpha_m, alpha_f, _, _ = method(rho)
    shift = (alpha_m - alpha_f) * h
    clear(work[1])
    clear(room[3])
    copy(state.rate, state.accel)
    for i in range(state.inner.shape[1]):
        state.inner[2, i] = state.inner[1, i]
    for row in range(3):
        part = 0.5 * row * PART * h
        weight = (-3.0 if row == 0 else 4.0 if row == 1 else -1.0) / (PART * h)
        stand(problem)
        accumulate(part, state.twist, trial.increment)
        accumulate(0.5 * part * part, state.rate, trial.increment)
        move(state.frame, trial.increment, 1.0, trial.frame)
        accumulate(part, state.rate, trial.twist)
        for i in range(state.inner.shape[1]):
            trial.inner[0, i] += part * state.inner[1, i]
        forces(problem, row)
        add_inertia(problem)
        accumulate(weight, trial.residual, work[1])
        second_rates(problem, drives, others, room, work, row)
        accumulate(weight, room[0], room[3])
        for i in range(state.inner.shape[1]):
            state.inner[2, i] += shift * weight * trial.inner[1, i]
    stand(problem)
    forces(problem, 0)
    if factored == 0:
        refactor(problem, 0)
    cm, s = solver.coefficients[slots.CM], solver.coefficients[slots.SCALE]
    _solve(problem, -cm, work[1], -s, room[3])
    accumulate(shift, solver.x[:n], state.accel)
    clear(solver.past[0])
    clear(solver.past[1])
    clear(solver.past[2])
    accumulate(h, solver.x[:n], solver.past[0])
    if solver.memory[slots.ORDER] >= 0.0:
        solver.memory[slots.ORDER], solver.memory[slots.PULL] = 1.0, 0.0
    if problem.joints.node.shape[0] + problem.rolling.node.shape[0] == 0:
        return 0
    # by what velocities of the method differ from true ones, along what the joints prescribe
    clear(work[1])
    accumulate(-error_constant(rho) * h * h, solver.x[:n], work[1])
    for i in range(n):
        u, w = load(state.twist[i], 0), load(state.twist[i], 3)
        a, b = load(state.rate[i], 0), load(state.rate[i], 3)
        store(add(cross(w, a), cross(u, b)), work[2, i], 0)
        store(cross(w, b), work[2, i], 3)
    accumulate(h * h / 12.0, work[2, :n], work[1])
    gradient(problem, drives, others, 0, work[1], work[0], room[1], room[2])
    _of_positions(problem, room)
    _solve(problem, 0.0, work[1], s, room[1])
    accumulate(1.0, solver.x[:n], state.twist)
    return 0


def load_rates(problem, room, n_joints, rolls, ruled):
    """Compile or read rates of what rolls and of users' constraints; the table `others` of the stages above."""
    others = address_table(2)
    rates, accels = room[0], room[1]
    if rolls:
        load_stage(rolling_rates, problem, rates[n_joints:], accels[n_joints:])
        others[0] = address_of(rolling_rates)
    if ruled:
        load_stage(rule_rates, problem, 0, 1.0, rates[n_joints:], accels[n_joints:])
        others[1] = address_of(rule_rates)
    return others
