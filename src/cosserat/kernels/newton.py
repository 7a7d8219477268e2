"""Newton's method for one step: frozen factors as long as they serve, more careful iterations where that fails."""

import math

from cosserat.jit import call_address, helper, stage
from cosserat.kernels import alpha, conserving, slots
from cosserat.kernels.blocks import factor, solve
from cosserat.kernels.residual import predict_strain
from cosserat.kernels.tangent import assemble, tangent_operators
from cosserat.kernels.vectors import copy

MAX_ITERATIONS = 12
MAX_CAREFUL = 25
MAX_DAMPED = 40
SMALLEST_FRACTION = 0.01
SLOW = 0.5
PRICE = 3.0  # of new factors, in iterations with old ones
LAWS = 40.0  # the same of laws of loads, whose derivatives are differences, if there are many more of them than nodes
BEST_RATE = 0.1  # contraction rates better than this are not relied upon
SHARPEST = 1e-10  # error of accelerations, relative to the largest
ROUNDING = 1e-13  # of the extent: what rounding errors alone may leave of a correction
CONSERVING = 1.0


@helper
def step_coefficients(settings):
    """(cm, cc, ck) of the iteration matrix, and the scale of multipliers."""
    h, rho, scheme = settings[slots.STEP], settings[slots.RHO], settings[slots.SCHEME]
    if scheme == CONSERVING:
        return 2.0 / (h * h), 1.0 / h, 0.5, 2.0 / (h * h) * settings[slots.MASS]
    alpha_m, alpha_f, gamma, beta = alpha.method(rho)
    cm = (1.0 - alpha_m) / (beta * h * h * (1.0 - alpha_f))
    return cm, gamma / (beta * h), 1.0, cm * settings[slots.MASS]


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
    solver, trial = problem.solver, problem.trial
    settings, coefficients = solver.settings, solver.coefficients
    cm, cc, ck, s = step_coefficients(settings)
    coefficients[slots.CM], coefficients[slots.CC], coefficients[slots.CK] = cm, cc, ck
    coefficients[slots.SCALE], coefficients[slots.SOFTNESS] = s, settings[slots.EPSILON]
    tangent_operators(problem)
    if settings[slots.SCHEME] == CONSERVING:
        middle = problem.middle
        assemble(problem, k, middle.frame, middle.mean)
    else:
        assemble(problem, k, trial.frame, trial.twist)
    solver.memory[slots.FACTORED] = settings[slots.STEP]
    laws = problem.state_loads.acts.shape[0]
    solver.memory[slots.SPENT], solver.memory[slots.SERVED] = PRICE + LAWS * laws / (laws + trial.frame.shape[0]), 0.0
    solver.counters[slots.FACTORIZATIONS] += 1
    return factor(problem)


@helper
def correction_norm(x, n, n_rows, settings):
    """Largest displacement, or turn times the length, in a correction; infinite if it is not finite.

    Rows from n to n_rows are multipliers, which count as the displacement their change would cause.
    """
    length = settings[slots.LENGTH]
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
    if solver.settings[slots.SCHEME] == CONSERVING:
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
def tolerance_of(state, trial, settings, norm):
    """Tolerance on corrections: a share of the displacement that the accelerations make in one step.

    The method's own accelerations are wrong by about a tenth of the square of their relative change in a step. Where
    the share in the settings is not 0, the tolerance is also this number times that square, so that no error is left
    which smaller steps do not remove, as far down as SHARPEST; `norm` of a correction tells whether this matters yet.
    """
    h, length = settings[slots.STEP], settings[slots.LENGTH]
    acceleration = settings[slots.GRAVITY]
    for i in range(trial.rate.shape[0] - 1):
        for k in range(3):
            acceleration = max(acceleration, abs(trial.rate[i, k]), length * abs(trial.rate[i, k + 3]))
    tolerance = settings[slots.TOLERANCE] * 0.25 * h * h * acceleration
    if settings[slots.SHARE] > 0.0 and norm < 10.0 * tolerance:
        change = change_of(state, trial, length)
        sharp = max(settings[slots.SHARE] * change * change / acceleration, SHARPEST * acceleration)
        tolerance = min(tolerance, 0.25 * h * h * sharp)
    return tolerance + 1e-15 * extent_of(trial, length)


@helper
def change_of(state, trial, length):
    """Largest change of an acceleration in the step, turns counted with the length."""
    change = 0.0
    for i in range(trial.rate.shape[0] - 1):
        for k in range(3):
            a, b = trial.rate[i, k] - state.rate[i, k], trial.rate[i, k + 3] - state.rate[i, k + 3]
            change = max(change, abs(a), length * abs(b))
    return change


@helper
def stalled_tolerance(state, trial, settings):
    """Tolerance where the iteration no longer improves: near a singular pose rounding errors are amplified."""
    return max(tolerance_of(state, trial, settings, 0.0), 1e-10 * extent_of(trial, settings[slots.LENGTH]))


@helper
def extent_of(trial, length):
    """Largest coordinate of a node."""
    extent = length
    for i in range(trial.frame.shape[0] - 1):
        for k in range(9, 12):
            extent = max(extent, abs(trial.frame[i, k]))
    return extent


@helper
def start_step(state, trial, solver, smooth):
    """Predictor of the chosen scheme."""
    settings, order = solver.settings, solver.memory[slots.ORDER]
    if settings[slots.SCHEME] == CONSERVING:
        conserving.predict(state, trial, settings[slots.STEP], smooth, solver.past, order)
    else:
        alpha.predict(state, trial, settings[slots.STEP], settings[slots.RHO], smooth, solver.past, order)
    if state.inner.shape[1] > 0:
        start_inner(state, trial, solver)
    pull = solver.pull
    first, second, third = alpha.weights(solver.memory[slots.PULL] if smooth > 0.0 else 0.0)
    for j in range(state.force.shape[0]):
        for k in range(6):
            change = first * pull[0, j, k] + second * pull[1, j, k] + third * pull[2, j, k]
            trial.force[j, k] = state.force[j, k] + change


@helper
def start_inner(state, trial, solver):
    """How states of laws follow the motion of the step: sigma (y - drift) = g, see `law_states`; and a first guess.

    With the conserving scheme y is their mean over the step.
    """
    settings = solver.settings
    h, conserves = settings[slots.STEP], settings[slots.SCHEME] == CONSERVING
    alpha_m, alpha_f, gamma, _ = alpha.method(settings[slots.RHO])
    weights = (0.5 * h, 0.0, 0.0) if conserves else alpha.inner_step(h, alpha_m, alpha_f, gamma)
    solver.follow[0] = 1.0 / weights[0]
    alpha.start_inner(state.inner, weights, trial.inner)


@stage
def newton(problem, k, evaluate):
    """One step with frozen factors, renewed when the contraction is slow. Returns a code."""
    solver, state, trial = problem.solver, problem.state, problem.trial
    settings, memory = solver.settings, solver.memory
    n, n_rows = trial.residual.shape[0] - 1, solver.x.shape[0]
    start_step(state, trial, solver, 1.0)
    need = memory[slots.FACTORED] != settings[slots.STEP]
    fresh = False
    begun = 0
    earlier, previous = 0.0, 0.0
    rate = memory[slots.RATE]
    for iteration in range(MAX_ITERATIONS):
        call_address(evaluate, (problem, k))
        solver.counters[slots.SOLVES] += 1
        if need:
            refactor(problem, k)
            begun = iteration
            need = False
            fresh = True
            rate = BEST_RATE
        set_right_hand_side(trial, solver)
        solve(problem)
        norm = correction_norm(solver.x, n, n_rows, settings)
        if not norm < math.inf:
            memory[slots.FACTORED] = 0.0
            return slots.NOT_FINITE
        tolerance = tolerance_of(state, trial, settings, norm)
        if iteration > begun and norm > tolerance:
            rate = norm / previous
            if iteration > begun + 1 and rate <= 1.0:  # stiff and soft motions take turns in being corrected
                rate = math.sqrt(norm / earlier)
            if rate > 1.0:
                if fresh:
                    memory[slots.FACTORED] = 0.0
                    # near a singular pose multipliers are ill determined: the motion decides
                    return accept_stalled(state, trial, solver)
                refactor(problem, k)
                begun = iteration
                fresh = True
                rate = BEST_RATE
                set_right_hand_side(trial, solver)
                solve(problem)
                norm = correction_norm(solver.x, n, n_rows, settings)
                if not norm < math.inf:
                    memory[slots.FACTORED] = 0.0
                    return slots.NOT_FINITE
        apply_correction(solver.x, 1.0, trial, solver)
        bounded = min(max(rate, BEST_RATE), 0.99)
        left = norm * bounded / (1.0 - bounded)
        if left <= tolerance:
            memory[slots.RATE] = rate
            if worn(memory, iteration + 1 - begun) or iteration >= 5:
                memory[slots.FACTORED] = 0.0
            return slots.CONVERGED
        if iteration > begun and left * bounded > tolerance:  # one more correction would not do
            need = too_slow(bounded, left / tolerance, iteration)
        earlier, previous = previous, norm
    memory[slots.FACTORED] = 0.0
    return accept_stalled(state, trial, solver) if rate > SLOW else slots.NOT_CONVERGED


@helper
def too_slow(rate, excess, iteration):
    """Whether errors that shrink by `rate`, too large by the factor `excess`, need new factors to be small in time."""
    return rate > SLOW or iteration - math.log(excess) / math.log(rate) > MAX_ITERATIONS


@helper
def worn(memory, iterations):
    """Whether the factors, after a step that took so many iterations, had better be renewed.

    They serve longest at the least cost if a step may take as many iterations as it takes on the average of all steps
    with them, their price included.
    """
    memory[slots.SPENT] += iterations
    memory[slots.SERVED] += 1.0
    return iterations * memory[slots.SERVED] > memory[slots.SPENT]


@helper
def accept_stalled(state, trial, solver):
    """Code of an iteration that no longer improves; accepted beyond plain rounding it is counted, for the report."""
    n = trial.residual.shape[0] - 1
    moved = correction_norm(solver.x, n, n, solver.settings)
    if moved > stalled_tolerance(state, trial, solver.settings):
        return slots.NOT_CONVERGED
    if moved > ROUNDING * extent_of(trial, solver.settings[slots.LENGTH]):
        solver.counters[slots.STALLED] += 1
    return slots.CONVERGED


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
    """One step from a plain predictor with a new matrix in every iteration, built with predicted strains."""
    solver, state, trial, middle = problem.solver, problem.state, problem.trial, problem.middle
    settings = solver.settings
    n, n_rows = trial.residual.shape[0] - 1, solver.x.shape[0]
    start_step(state, trial, solver, 0.0)
    solver.counters[slots.CAREFUL] += 1
    previous = math.inf
    growths = 0
    for iteration in range(MAX_CAREFUL):
        call_address(evaluate, (problem, k))
        solver.counters[slots.SOLVES] += 1
        if iteration > 0 and settings[slots.SCHEME] != CONSERVING:
            predict_strain(problem, middle.frame, middle.mean, 0.0 if iteration == 1 else 1.0)
        refactor(problem, k)
        solver.memory[slots.FACTORED] = 0.0
        set_right_hand_side(trial, solver)
        solve(problem)
        norm = correction_norm(solver.x, n, n_rows, settings)
        if not norm < math.inf:
            return slots.NOT_FINITE
        moved = correction_norm(solver.x, n, n, settings)
        if norm > previous:
            growths += 1
            if growths > 3 and moved > stalled_tolerance(state, trial, settings):
                return slots.NOT_CONVERGED
        if settings[slots.SCHEME] != CONSERVING:
            keep_step(trial, middle, solver)
        apply_correction(solver.x, 1.0, trial, solver)
        tolerance = tolerance_of(state, trial, settings, norm)
        sure = norm <= tolerance or (norm < 0.1 * previous and 0.1 * norm <= tolerance)
        stalls = iteration > 4 and norm > SLOW * previous
        if sure or (stalls and accept_stalled(state, trial, solver) == slots.CONVERGED):
            solver.memory[slots.RATE] = BEST_RATE
            return slots.CONVERGED
        previous = norm
    return slots.NOT_CONVERGED


@stage
def damped_newton(problem, k, evaluate):
    """One step with a new matrix and a line search in every iteration.

    A fraction of the correction is accepted if the next correction with the same factors would be smaller (restricted
    natural monotonicity test); otherwise it is shortened as the curvature found on the way tells. Source: Deuflhard,
    Newton Methods for Nonlinear Problems (2004), section 3.3.3. `careful_newton` solves most steps in fewer
    iterations: full corrections with predicted strains are often right though the test would refuse them.
    """
    solver, state, trial = problem.solver, problem.state, problem.trial
    settings, direction = solver.settings, solver.direction
    n, n_rows = trial.residual.shape[0] - 1, solver.x.shape[0]
    start_step(state, trial, solver, 0.0)
    solver.counters[slots.CAREFUL] += 1
    fraction, previous = 1.0, math.inf
    call_address(evaluate, (problem, k))
    for iteration in range(MAX_DAMPED):
        refactor(problem, k)
        solver.memory[slots.FACTORED] = 0.0
        set_right_hand_side(trial, solver)
        solve(problem)
        copy(solver.x, direction)
        norm = correction_norm(direction, n, n_rows, settings)
        if not norm < math.inf:
            return slots.NOT_FINITE
        close = norm <= tolerance_of(state, trial, settings, norm)
        stalls = iteration > 4 and norm > SLOW * previous
        close = close or (stalls and accept_stalled(state, trial, solver) == slots.CONVERGED)
        fraction = 1.0 if close else min(1.0, 4.0 * fraction)
        apply_correction(direction, fraction, trial, solver)
        if close:
            solver.memory[slots.RATE] = BEST_RATE
            return slots.CONVERGED
        previous = norm
        while True:
            call_address(evaluate, (problem, k))
            solver.counters[slots.SOLVES] += 1
            set_right_hand_side(trial, solver)
            solve(problem)
            if correction_norm(solver.x, n, n_rows, settings) <= (1.0 - 0.25 * fraction) * norm:
                break
            shorter = shortened(fraction, norm, solver, n)
            if shorter < SMALLEST_FRACTION:
                return slots.NOT_CONVERGED
            apply_correction(direction, shorter - fraction, trial, solver)
            fraction = shorter
    return slots.NOT_CONVERGED


@helper
def shortened(fraction, norm, solver, n):
    """Fraction of a correction for which the curvature along it allows the test to be met."""
    x, direction = solver.x, solver.direction
    for i in range(x.shape[0]):
        for k in range(6):
            x[i, k] -= (1.0 - fraction) * direction[i, k]
    curved = correction_norm(x, n, x.shape[0], solver.settings)
    return min(0.5 * fraction, max(0.1 * fraction, 0.5 * fraction * fraction * norm / curved))
