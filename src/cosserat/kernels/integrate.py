"""The time loop: one step after the other, results stored on the way.

A step that cannot be solved ends the loop with a code; the caller may try again with a smaller step.
"""

import numpy as np

from cosserat.jit import address_of, call_address, helper, load, stage
from cosserat.kernels import alpha, conserving, freedoms, joints, slots
from cosserat.kernels.blocks import solve
from cosserat.kernels.law_states import FROZEN
from cosserat.kernels.laws import load_laws
from cosserat.kernels.newton import (
    CONSERVING,
    careful_newton,
    damped_newton,
    newton,
    refactor,
    step_coefficients,
)
from cosserat.kernels.residual import constraints, forces, track_angles, wrong_branch
from cosserat.kernels.settling import settle
from cosserat.kernels.vectors import clear, copy, dot

LARGEST_TURN = 2.0  # rad per step
LARGEST_SURPRISE = 0.75  # rad between where a node turned in a step and where its velocity would have turned it


@helper
def turned_too_far(increments):
    """Whether a node turned so far in one step that the solution may be a wrong one."""
    for i in range(increments.shape[0] - 1):
        w = (increments[i, 3], increments[i, 4], increments[i, 5])
        if not dot(w, w) <= LARGEST_TURN * LARGEST_TURN:
            return True
    return False


@helper
def strayed(twists, increments, h):
    """Whether a node turned so unlike its velocity that a line search may have led to another branch of the motion."""
    for i in range(increments.shape[0] - 1):
        s = 0.0
        for k in range(3, 6):
            d = increments[i, k] - h * twists[i, k]
            s += d * d
        if not s <= LARGEST_SURPRISE * LARGEST_SURPRISE:
            return True
    return False


@stage
def count_turns(problem):
    """Continue the angles that `Turns` counts to the trial configuration, in trial.angle."""
    turns, trial = problem.turns, problem.trial
    first = problem.freedoms.joint.shape[0]
    if turns.joint.shape[0] > 0:
        jt = problem.joints
        for i in range(turns.joint.shape[0]):
            _, _, _, _, R, x = joints.place_frames(jt, turns.joint[i], trial.frame)
            trial.angle[first + i] = freedoms.coordinate(turns, i, R, x, trial.angle[first + i])
    return 0


@helper
def keep(source, target_out):
    """Copy a state, but for the states of laws."""
    copy(source.frame, target_out.frame)
    copy(source.twist, target_out.twist)
    copy(source.rate, target_out.rate)
    copy(source.accel, target_out.accel)
    copy(source.force, target_out.force)
    for i in range(source.angle.shape[0]):
        target_out.angle[i] = source.angle[i]
    target_out.spent[0] = source.spent[0]


@stage
def accept(problem):
    """The trial state becomes the state."""
    state, trial, solver = problem.state, problem.trial, problem.solver
    settings = solver.settings
    if settings[slots.SCHEME] != CONSERVING:
        alpha.finish(state, trial, settings[slots.STEP], settings[slots.RHO])
    if solver.memory[slots.ORDER] >= 0.0:
        before, after = (state.rate, trial.rate) if settings[slots.SCHEME] == CONSERVING else (state.accel, trial.accel)
        solver.memory[slots.ORDER] = alpha.remember(before, after, settings[slots.LENGTH], solver.past)
        solver.memory[slots.PULL] = alpha.remember(state.force, trial.force, 1.0, solver.pull)
    alpha.move(state.frame, trial.increment, 1.0, trial.frame)
    if settings[slots.SCHEME] == CONSERVING:
        conserving.fly(problem.bodies, state, trial, problem.middle, settings[slots.STEP])
    track_angles(problem)
    count_turns(problem)
    keep(trial, state)
    for i in range(state.inner.shape[1]):
        if settings[slots.SCHEME] == CONSERVING:  # the trial has the mean of both ends
            trial.inner[0, i] = 2.0 * trial.inner[0, i] - state.inner[0, i]
            trial.inner[2, i] = trial.inner[1, i]
        for k in range(3):
            state.inner[k, i] = trial.inner[k, i]
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
    for i in range(state.inner.shape[1]):
        history.inner[row, i] = state.inner[0, i]
    history.spent[row, 0] = state.spent[0]


@helper
def complete(state, history, memory, h):
    """Bring rates and forces of the row stored last to its time.

    The conserving scheme has them in the middle of a step: they are interpolated between the steps before and after.
    """
    row = int(memory[slots.ROW])
    memory[slots.ROW] = -1.0
    after = memory[slots.BEFORE] / (memory[slots.BEFORE] + h)
    for i in range(state.rate.shape[0]):
        for k in range(6):
            history.rate[row, i, k] += after * (state.rate[i, k] - history.rate[row, i, k])
    for j in range(state.force.shape[0]):
        for k in range(6):
            history.force[row, j, k] += after * (state.force[j, k] - history.force[row, j, k])


@helper
def shift_rates(state, trial, sign):
    """Rates of states of laws jump with inputs: less those before, and those after."""
    for i in range(state.inner.shape[1]):
        state.inner[1, i] += sign * trial.inner[1, i]
        state.inner[2, i] += sign * trial.inner[1, i]


@helper
def jump(state, solver):
    """Change accelerations and multipliers at once by a solution."""
    cm, _, _, s = step_coefficients(solver.settings)
    n = state.rate.shape[0] - 1
    for i in range(n):
        for k in range(6):
            state.rate[i, k] += cm * solver.x[i, k]
            state.accel[i, k] += cm * solver.x[i, k]
    for j in range(state.force.shape[0]):
        for k in range(6):
            state.force[j, k] += s * solver.x[n + j, k]


@stage
def kick(problem):
    """Let accelerations and multipliers jump with the efforts, from those in inputs row 0 to those in row 1.

    What changes at once is what the iteration matrix makes of the change of the forces: vibrations that the step does
    not resolve stay out of it.
    """
    state, trial, solver = problem.state, problem.trial, problem.solver
    n = trial.residual.shape[0] - 1
    keep(state, trial)
    follow = solver.follow[0]
    solver.follow[0] = FROZEN
    for i in range(state.inner.shape[1]):
        trial.inner[0, i] = state.inner[0, i]
    forces(problem, 0)
    shift_rates(state, trial, -1.0)
    for i in range(n):
        for k in range(6):
            solver.direction[i, k] = trial.residual[i, k]
    forces(problem, 1)
    shift_rates(state, trial, 1.0)
    solver.follow[0] = follow
    if solver.memory[slots.FACTORED] != solver.settings[slots.STEP]:
        clear(trial.increment)  # that of the last step, if there was one
        refactor(problem, 1)
    clear(solver.x)
    for i in range(n):
        for k in range(6):
            solver.x[i, k] = solver.direction[i, k] - trial.residual[i, k]
    solve(problem)
    jump(state, solver)
    return 0


@stage
def note_start(problem, k):
    """What the conserving scheme needs of the start: constraint values with the inputs of row k, and elements."""
    state, trial, middle = problem.state, problem.trial, problem.middle
    copy(state.frame, trial.frame)
    for i in range(trial.angle.shape[0]):
        trial.angle[i] = state.angle[i]
    constraints(problem, k)
    copy(trial.phi, middle.phi)
    conserving.note_start(problem.elements, problem.scratch, state, middle)
    return 0


@stage
def take_step(problem, k, report_out, evaluate, careful, search):
    """One step, from inputs row k to row k + 1. Returns a code; what it reports see `advance`."""
    state, trial, solver = problem.state, problem.trial, problem.solver
    h, conserves = solver.settings[slots.STEP], solver.settings[slots.SCHEME] == CONSERVING
    if conserves:
        call_address(solver.settle[slots.NOTE_START], (problem, k))
    code = newton(problem, k + 1, evaluate)
    if code != slots.CONVERGED and careful != 0:
        code = call_address(careful, (problem, k + 1, evaluate))
    if code != slots.CONVERGED and search != 0:
        code = call_address(search, (problem, k + 1, evaluate))
        if code == slots.CONVERGED and strayed(state.twist, trial.increment, h):
            code = slots.NOT_CONVERGED
        if code == slots.CONVERGED:
            solver.counters[slots.SEARCHES] += 1
    if code == slots.CONVERGED and turned_too_far(trial.increment):
        code = slots.NOT_CONVERGED
    if code != slots.CONVERGED:
        solver.memory[slots.FACTORED] = 0.0
        return code
    joint = wrong_branch(problem, k + 1)
    if joint >= 0:
        solver.memory[slots.FACTORED] = 0.0
        report_out[slots.JOINT] = joint
        return slots.WRONG_BRANCH
    accept(problem)
    if conserves and problem.middle.drive_rate.shape[0] > 0:
        call_address(solver.settle[slots.SETTLE], (problem, k + 1))
    solver.counters[slots.STEPS] += 1
    report_out[slots.TAKEN] += 1
    return slots.CONVERGED


@stage
def advance(problem, n_steps, every, phase, row, report_out, evaluate, careful, search):
    """Take up to n_steps; inputs row k+1 is the end of step k. Store where (phase + steps) % every == 0, from `row` on.

    `careful` and `search` are the addresses of `careful_newton` and `damped_newton`, tried in this order where `newton`
    fails, or 0. Returns a code; report_out = (steps taken, rows stored, joint in question or -1).
    """
    state, history, solver = problem.state, problem.history, problem.solver
    h, conserves = solver.settings[slots.STEP], solver.settings[slots.SCHEME] == CONSERVING
    report_out[slots.TAKEN] = report_out[slots.STORED] = 0
    report_out[slots.JOINT] = -1
    for k in range(n_steps):
        code = take_step(problem, k, report_out, evaluate, careful, search)
        if code != slots.CONVERGED:
            return code
        if conserves and solver.memory[slots.ROW] >= 0.0:
            complete(state, history, solver.memory, h)
        if (phase + k + 1) % every == 0:
            record(state, row + report_out[slots.STORED], history)
            if conserves:
                solver.memory[slots.ROW], solver.memory[slots.BEFORE] = row + report_out[slots.STORED], h
            report_out[slots.STORED] += 1
    return slots.CONVERGED


def load_stages(memory):
    """Compile or read the time loop, the scheme and the laws in use; returns the scheme's `evaluate`."""
    address, problem = memory.address, memory.problem
    conserves = problem.solver.settings[slots.SCHEME] == CONSERVING
    chosen = conserving.evaluate if conserves else alpha.evaluate
    load(chosen, address, 0)
    load_laws(address, problem, conserves)
    if conserves:
        load(settle, address, 0)
        load(note_start, address, 0)
        problem.solver.settle[:] = address_of(settle), address_of(note_start)
    evaluate, report = address_of(chosen), np.zeros(3, dtype=np.int64)
    load(advance, address, 1, 1, 0, 0, report, evaluate, 0, 0)
    return evaluate


def load_careful(memory, evaluate):
    """Compile or read `careful_newton`, which runs with small steps never need; returns its address."""
    load(careful_newton, memory.address, 0, evaluate)
    return address_of(careful_newton)


def load_search(memory, evaluate):
    """Compile or read `damped_newton`, which most runs never need; returns its address."""
    load(damped_newton, memory.address, 0, evaluate)
    return address_of(damped_newton)
