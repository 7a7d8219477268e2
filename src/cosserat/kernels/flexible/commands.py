"""Steps with efforts, targets of servos and inputs of laws that a controller holds, from one call of it to the next."""

from typing import NamedTuple

from cosserat.jit import passed_as, stage
from cosserat.kernels import efforts
from cosserat.kernels.arrays import F1, I1
from cosserat.kernels.flexible.border import divide
from cosserat.kernels.flexible.course import advance
from cosserat.kernels.held import BEFORE, CUT, EFFORT, EVERY, FIRST, HELD, JUMPS, PHASE, STEPS, TARGET


@passed_as("commands")
class TreeHeldCommands(NamedTuple):
    """What a controller holds, see `kernels.held`."""

    kind: I1  # (nc,)
    place: I1  # (nc,) coordinate, number in `ClosingInputs.effort` or among the inputs of laws
    before: F1  # (nc,)
    value: F1  # (nc,)
    order: I1  # (8,)
    a: F1  # (n,) accelerations after they have jumped, ...
    carried: F1  # (n,) ... those of the method, ...
    force: F1  # (m,) ... and multipliers




@stage
def jump(tree, acting, fixed, factored, stepping, closed, border, commands):
    """Let accelerations and multipliers jump with what changes in coordinates.

    What changes at once is what the iteration matrix of the last step makes of it: vibrations that steps do not
    resolve stay out.
    """
    inputs, passive, rows = acting.inputs, stepping.passive, closed.rows
    known, trial = stepping.known, stepping.trial
    for k in range(len(trial.right)):
        trial.right[k] = 0.0
    for i in range(commands.order[HELD]):
        k = commands.place[i]
        if commands.kind[i] == EFFORT:
            before = commands.before[i] if i < commands.order[BEFORE] else inputs.drive[k]
            trial.right[k] += commands.value[i] - before
        elif commands.kind[i] == TARGET:
            before = commands.before[i] if i < commands.order[BEFORE] else inputs.target[k]
            kp, kd, limit = passive.servo[0, k], passive.servo[1, k], passive.servo[2, k]
            new, _, _ = efforts.servo(kp, kd, limit, commands.value[i], known.q[k], known.v[k])
            old, _, _ = efforts.servo(kp, kd, limit, before, known.q[k], known.v[k])
            trial.right[k] += new - old
    for k in range(len(trial.right)):
        if passive.held[k] == 1:
            trial.right[k] = 0.0
    for i in range(len(rows.bias)):
        rows.bias[i] = 0.0
    divide(tree, fixed, factored, closed, border, trial.right, rows.bias, trial.change)
    for k in range(len(trial.right)):
        known.a[k] += trial.change[k]
        known.carried[k] += trial.change[k]
        commands.a[k], commands.carried[k] = known.a[k], known.carried[k]
    for i in range(len(known.force)):
        known.force[i] += border.push[i]
        commands.force[i] = known.force[i]
    return 0


@stage
def hold(course, commands, first, count):
    """Write what the controller holds into samples, `count` of them from number `first` on."""
    samples = course.samples
    for n in range(first, first + count):
        for i in range(commands.order[HELD]):
            k = commands.place[i]
            if commands.kind[i] == EFFORT:
                samples.drive[n, k] = commands.value[i]
            elif commands.kind[i] == TARGET:
                samples.target[n, k] = commands.value[i]
            elif commands.kind[i] == CUT:
                samples.effort[n, k] = commands.value[i]
            else:
                samples.signal[n, k] = commands.value[i]
    return 0


@stage
def commanded_course(
    tree, acting, fixed, free, factored, stepping, closed, border, course, explicit, step, samples, commands
):
    """Steps, of so many samples each, up to the next call of the controller, from the step that `order` names on."""
    order = commands.order
    if order[JUMPS] == 1:
        jump(tree, acting, fixed, factored, stepping, closed, border, commands)
    hold(course, commands, samples * order[FIRST], samples * order[STEPS])
    return advance(
        tree, acting, fixed, free, factored, stepping, closed, border, course, explicit, step, order[FIRST],
        order[STEPS], order[EVERY], order[PHASE],
    )  # fmt: skip
