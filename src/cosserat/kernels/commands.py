"""Steps with efforts, targets of servos and inputs of laws that a controller holds, from one call of it to the next."""

from typing import NamedTuple

from cosserat.jit import helper, passed_as, stage
from cosserat.kernels import slots
from cosserat.kernels.arrays import F1, I1
from cosserat.kernels.blocks import solve
from cosserat.kernels.held import BEFORE, EVERY, FIRST, HELD, JUMPS, PHASE, STEPS, WHOLE
from cosserat.kernels.integrate import advance, jump, shift_rates
from cosserat.kernels.judging import advance_judged
from cosserat.kernels.law_states import FROZEN
from cosserat.kernels.laws import add_efforts
from cosserat.kernels.newton import refactor
from cosserat.kernels.residual import forces
from cosserat.kernels.vectors import clear, copy


@passed_as("commands")
class HeldCommands(NamedTuple):
    """What a controller holds, see `kernels.held`."""

    kind: I1  # (nc,)
    place: I1  # (nc,) column of `Inputs.effort`
    before: F1  # (nc,)
    value: F1  # (nc,)
    order: I1  # (8,)
    report: I1  # (3,) see `advance`
    judged: I1  # (5,) order, ...
    bounds: F1  # (2,) ... bounds, ...
    error: F1  # (1,) ... and errors of `advance_judged`




@stage
def moved_forces(problem, whole):
    """trial.residual at the state with inputs row 0: efforts in joints, or all forces where laws have inputs."""
    solver, trial = problem.solver, problem.trial
    none = 0
    if whole == 1:
        follow = solver.follow[0]
        solver.follow[0] = FROZEN
        forces(problem, none)
        solver.follow[0] = follow
    else:
        clear(trial.residual)
        add_efforts(problem, none)
    return 0


@stage
def push(problem, commands):
    """Let accelerations and multipliers jump with what changes; inputs row 0 has the values before, then those now.

    As `kick` does: what changes at once is what the iteration matrix makes of the change.
    """
    inputs = problem.inputs
    state, trial, solver = problem.state, problem.trial, problem.solver
    n, none = trial.residual.shape[0] - 1, 0
    copy(state.frame, trial.frame)
    copy(state.twist, trial.twist)
    for i in range(trial.angle.shape[0]):
        trial.angle[i] = state.angle[i]
    for i in range(state.inner.shape[1]):
        trial.inner[0, i] = state.inner[0, i]
    stale = solver.memory[slots.FACTORED] != solver.settings[slots.STEP]
    whole = none + 1 if stale else commands.order[WHOLE]
    if whole == 1:
        copy(state.rate, trial.rate)
        copy(state.force, trial.force)
    for i in range(commands.order[BEFORE]):
        inputs.effort[0, commands.place[i]] = commands.before[i]
    moved_forces(problem, whole)
    if whole == 1:
        shift_rates(state, trial, -1.0)
    if stale:
        clear(trial.increment)  # that of the last step, if there was one
        refactor(problem, none + 1)
    clear(solver.x)
    for i in range(n):
        for k in range(6):
            solver.x[i, k] = trial.residual[i, k]
    for i in range(commands.order[HELD]):
        inputs.effort[0, commands.place[i]] = commands.value[i]
    moved_forces(problem, whole)
    if whole == 1:
        shift_rates(state, trial, 1.0)
    for i in range(n):
        for k in range(6):
            solver.x[i, k] -= trial.residual[i, k]
    solve(problem)
    jump(state, solver)
    return 0


@helper
def obey(problem, commands, n_steps):
    """Let accelerations jump if they have to, and efforts act in n_steps; inputs row 0 is the present time."""
    inputs = problem.inputs
    if commands.order[JUMPS] == 1:
        push(problem, commands)
    for k in range(n_steps + 1):
        for i in range(commands.order[HELD]):
            inputs.effort[k, commands.place[i]] = commands.value[i]


@stage
def commanded_steps(problem, commands, evaluate, careful, search):
    """Steps up to the next call of the controller."""
    order = commands.order
    obey(problem, commands, order[STEPS])
    return advance(
        problem, order[STEPS], order[EVERY], order[PHASE], order[FIRST], commands.report, evaluate, careful, search
    )  # fmt: skip


@stage
def commanded_judged(problem, commands, unheld, evaluate, careful):
    """A step to the next call of the controller, judged by its error; one that is taken back leaves the jump."""
    obey(problem, commands, 1)
    return advance_judged(
        problem, unheld, commands.judged, commands.bounds, commands.error, commands.report, evaluate, careful
    )  # fmt: skip
