"""Velocities at the end of a step of the conserving scheme in which joints prescribe a motion.

The scheme gives v1 = 2 n/h - v0, and along what joints prescribe the increment n is given: an error of a velocity, as
a kink in a prescribed motion leaves it, would change its sign from step to step and never die out. So where a
prescribed motion moves, the velocities at the end of the step become the nearest ones, in the metric of the kinetic
energy, that the rates of all rows allow:

    M dv + Phi^T mu = 0,   Phi (v1 + dv) + d phi/dt = 0.

The impulses mu act between bodies and leave the momentum alone; mu/h belongs to the reactions of the step. A mechanism
in which nothing is driven is never touched, and keeps its energy exactly.
"""

from cosserat.jit import helper, stage
from cosserat.kernels import joints, slots
from cosserat.kernels.blocks import factor, solve
from cosserat.kernels.tangent import assemble
from cosserat.kernels.vectors import clear, copy


@helper
def moves(drive_start, drive_end, rate):
    """Whether a prescribed motion changes in a step, or is about to."""
    for i in range(rate.shape[0]):
        for k in range(rate.shape[1]):
            if rate[i, k] != 0.0 or drive_start[i, k] != drive_end[i, k]:
                return True
    return False


@stage
def settle(problem, k):
    """Give state.twist the rates that joints prescribe in inputs row k; state.rate and state.force follow."""
    state, trial, solver, middle = problem.state, problem.trial, problem.solver, problem.middle
    jt, inputs, drive_rate = problem.joints, problem.inputs, problem.middle.drive_rate[k]
    if not moves(inputs.drive[k - 1], inputs.drive[k], drive_rate):
        return 0
    h, mass, epsilon = solver.settings[slots.STEP], solver.settings[slots.MASS], solver.settings[slots.EPSILON]
    coefficients = solver.coefficients
    copy_blocks(solver.blocks, middle.blocks)
    coefficients[slots.CM], coefficients[slots.CC], coefficients[slots.CK] = 1.0, 0.0, 0.0
    coefficients[slots.SCALE], coefficients[slots.SOFTNESS] = mass, epsilon
    set_identity(solver.tangent)
    assemble(problem, k, trial.frame, trial.twist)
    factor(problem)
    n = state.twist.shape[0] - 1
    for _ in range(2):  # the second time for what epsilon leaves
        clear(solver.x)
        for j in range(jt.node.shape[0]):
            joints.constraint_rates(
                jt, j, state.frame, state.twist, inputs.drive[k], drive_rate, drive_rate, trial.phi[j], middle.phi[j]
            )
            for i in range(6):
                solver.x[n + j, i] = -mass * trial.phi[j, i]
        solve(problem)
        for i in range(n):
            for q in range(6):
                state.twist[i, q] += solver.x[i, q]
                state.rate[i, q] += solver.x[i, q] / h
        for j in range(state.force.shape[0]):
            for q in range(6):
                state.force[j, q] += mass * solver.x[n + j, q] / h
    copy_blocks(middle.blocks, solver.blocks)
    return 0


@helper
def copy_blocks(source, target_out):
    """target_out = source, of the same shape."""
    for i in range(source.shape[0]):
        copy(source[i], target_out[i])


@helper
def set_identity(matrices_out):
    """Every matrix becomes the identity."""
    for i in range(matrices_out.shape[0]):
        for k in range(6):
            for m in range(6):
                matrices_out[i, k, m] = 1.0 if k == m else 0.0
