"""Lie-group generalised-alpha method: coefficients, predictor and residual. Source: [Grazioso17] (34)-(43)."""

from cosserat.jit import helper, stage
from cosserat.kernels.frames import compose, exp_frame, load_frame, store_frame
from cosserat.kernels.residual import add_inertia, forces, track_angles

WORTH = 0.7  # of the error without it: what one more difference must leave to be continued


@helper
def method(rho):
    """(alpha_m, alpha_f, gamma, beta) of [Grazioso17] (40)."""
    alpha_m = (2.0 * rho - 1.0) / (rho + 1.0)
    alpha_f = rho / (rho + 1.0)
    return alpha_m, alpha_f, 0.5 + alpha_f - alpha_m, 1.0 / ((rho + 1.0) * (rho + 1.0))


@helper
def error_constant(rho):
    """c in the leading error c h^2 (v_dot_1 - v_dot_0) of the increment of a step."""
    alpha_m, alpha_f, _, beta = method(rho)
    return beta + 0.5 * (alpha_m - alpha_f) - 1.0 / 6.0


@helper
def phase_constant(rho):
    """c in the error c (w h)^2 of the phase by which a vibration of frequency w turns in a step: errors of increments,
    `error_constant`, and of velocities have the same part in it.
    """
    shift = (1.0 - rho) / (1.0 + rho)
    return 1.0 / 12.0 + 0.375 * shift * shift


@helper
def predict(state, trial, h, rho, smooth, past, order):
    """Trial state at the end of the step; smooth = 1 continues the accelerations, 0 the velocities.

    `past` has differences of the accelerations a, of which those up to `order` are continued.
    """
    alpha_m, alpha_f, gamma, beta = method(rho)
    first, second, third = weights(order)
    for i in range(state.frame.shape[0] - 1):
        for k in range(6):
            v, vd, a = state.twist[i, k], state.rate[i, k], state.accel[i, k]
            a1 = a + first * past[0, i, k] + second * past[1, i, k] + third * past[2, i, k]
            n = h * v + h * h * ((0.5 - beta) * a + beta * a1)
            if smooth <= 0.0:
                n = h * v
                a1 = -(0.5 - beta) / beta * a
            trial.accel[i, k] = a1
            trial.increment[i, k] = n
            trial.twist[i, k] = v + h * ((1.0 - gamma) * a + gamma * a1)
            trial.rate[i, k] = ((1.0 - alpha_m) * a1 + alpha_m * a - alpha_f * vd) / (1.0 - alpha_f)


@helper
def remember(before, after, length, past_out):
    """Differences with what is after a step; returns the order whose extrapolation would have been best.

    Turns count with the length.
    """
    none, linear, square, cubic = 0.0, 0.0, 0.0, 0.0  # errors of the orders 0 to 3
    for i in range(before.shape[0]):
        for k in range(6):
            scale = length if k > 2 else 1.0
            first = after[i, k] - before[i, k]
            second = first - past_out[0, i, k]
            third = second - past_out[1, i, k]
            none = max(none, scale * abs(first))
            linear = max(linear, scale * abs(second))
            square = max(square, scale * abs(third))
            cubic = max(cubic, scale * abs(third - past_out[2, i, k]))
            past_out[0, i, k], past_out[1, i, k], past_out[2, i, k] = first, second, third
    if not linear < WORTH * none:
        return 0.0
    if not square < WORTH * linear:
        return 1.0
    return 3.0 if cubic < WORTH * square else 2.0


@helper
def weights(order):
    """Of the differences in an extrapolation of some order."""
    return 1.0 if order > 0.0 else 0.0, 1.0 if order > 1.0 else 0.0, 1.0 if order > 2.0 else 0.0


@helper
def inner_step(h, alpha_m, alpha_f, gamma):
    """(factor, weight of the rate, of the rate-like variable): y1 = y0 + factor g1 + weights . (g0, z0).

    States of laws follow y1 = y0 + h (1 - gamma) z0 + h gamma z1, with z like the integrator's acceleration.
    """
    part = h * gamma / (1.0 - alpha_m)
    return part * (1.0 - alpha_f), part * alpha_f, h * (1.0 - gamma) - part * alpha_m


@helper
def start_inner(known, weights, inner_out):
    """What a step knows of its start in the states of laws, `known` (3, ny), and a first guess of those at its end."""
    factor, of_rate, of_other = weights
    for k in range(known.shape[1]):
        drift = known[0, k] + of_rate * known[1, k] + of_other * known[2, k]
        inner_out[3, k] = drift
        inner_out[0, k] = drift + factor * known[1, k]


@helper
def finish_inner(known, alpha_m, alpha_f, inner_out):
    """The rate-like variable of states of laws that belongs to the converged step."""
    for k in range(known.shape[1]):
        mixed = (1.0 - alpha_f) * inner_out[1, k] + alpha_f * known[1, k] - alpha_m * known[2, k]
        inner_out[2, k] = mixed / (1.0 - alpha_m)


@helper
def finish(state, trial, h, rho):
    """The acceleration-like variable that belongs to the converged step, [Grazioso17] (39)."""
    alpha_m, alpha_f, _, _ = method(rho)
    for i in range(state.frame.shape[0] - 1):
        for k in range(6):
            trial.accel[i, k] = (
                (1.0 - alpha_f) * trial.rate[i, k] + alpha_f * state.rate[i, k] - alpha_m * state.accel[i, k]
            ) / (1.0 - alpha_m)
    finish_inner(state.inner, alpha_m, alpha_f, trial.inner)


@stage
def move(frames, increments, fraction, frames_out):
    """H exp(fraction n) for all nodes, [Grazioso17] (34)."""
    for i in range(frames.shape[0] - 1):
        R, x = load_frame(frames[i])
        n = increments[i]
        u = (fraction * n[0], fraction * n[1], fraction * n[2])
        w = (fraction * n[3], fraction * n[4], fraction * n[5])
        E, y = exp_frame(u, w)
        R, x = compose(R, x, E, y)
        store_frame(R, x, frames_out[i])
    return 0


@stage
def evaluate(problem, k):
    """Residual r and constraints phi of the trial step."""
    state, trial = problem.state, problem.trial
    move(state.frame, trial.increment, 1.0, trial.frame)
    for i in range(trial.angle.shape[0]):
        trial.angle[i] = state.angle[i]
    track_angles(problem)
    forces(problem, k)
    add_inertia(problem)
    return 0
