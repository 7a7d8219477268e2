"""Many steps at once: functions of time are sampled before, states are stored on the way."""

from typing import Annotated, NamedTuple

from cosserat.jit import call_address, helper, passed_as, stage
from cosserat.kernels import varying
from cosserat.kernels.arrays import F1, F2, F3, I1
from cosserat.kernels.slots import CONVERGED
from cosserat.kernels.vectors import copy, copy_row


class Samples(NamedTuple):
    """Functions of time at nt times."""

    clock: Annotated[F1, "nt"]
    drive: Annotated[F2, "nt", "n"]  # prescribed efforts
    target: Annotated[F2, "nt", "n"]  # of servos
    load: Annotated[F3, "nt", "nl", 6]
    motion: Annotated[F3, "nt", 3, "nk"]  # prescribed coordinates, rates, accelerations
    joint: Annotated[F3, "nt", "nd", 63]  # prescribed motions of cut joints
    effort: Annotated[F2, "nt", "ne"]  # prescribed efforts of cut joints, and targets of their servos
    signal: Annotated[F2, "nt", "ni"]  # inputs of users' laws


class Stored(NamedTuple):
    """States that were stored, and how many steps were taken and states stored."""

    q: Annotated[F2, "ns", "n"]
    v: Annotated[F2, "ns", "n"]
    a: Annotated[F2, "ns", "n"]
    force: Annotated[F2, "ns", "m"]
    angle: Annotated[F2, "ns", "nf"]
    inner: Annotated[F2, "ns", "ny"]  # states of laws
    counts: Annotated[I1, 2]


@passed_as("course")
class Course(NamedTuple):
    """Samples and states."""

    samples: Samples
    stored: Stored




@helper
def burn(laws):
    """Inertia of links that burn away, from the present inputs of their laws."""
    for i in range(laws.burning.shape[0]):
        varying.write_mass(laws.parameter, laws.parameter, laws.burning[i, 1], laws.inertia[laws.burning[i, 0]])


@stage
def take_inputs(acting, stepping, closed, course, k):
    """Functions of time as they are at the sample k."""
    inputs, given, method, samples = acting.inputs, closed.given, stepping.method, course.samples
    laws = acting.laws
    laws.clock[0] = samples.clock[k]
    given.clock[0] = samples.clock[k]
    for i in range(len(laws.signal)):
        laws.parameter[laws.signal[i]] = samples.signal[k, i]
    burn(laws)
    copy_row(samples.drive[k], inputs.drive)
    copy_row(samples.target[k], inputs.target)
    copy(samples.load[k], inputs.load)
    copy(samples.motion[k], method.motion)
    copy(samples.joint[k], given.motion)
    copy_row(samples.effort[k], given.effort)
    return 0


@stage
def impose(stepping, state):
    """Prescribed coordinates, rates and accelerations at a state."""
    method, x = stepping.method, state.vectors
    for i in range(len(method.driven)):
        k = method.driven[i]
        x.q[k], x.v[k], x.a[k] = method.motion[0, i], method.motion[1, i], method.motion[2, i]
    return 0


@stage
def accept(acting, stepping, closed, course, phase):
    """The trial becomes the known state, and is stored if phase = 0."""
    known, trial, rows, stored = stepping.known, stepping.trial, closed.rows, course.stored
    copy_row(trial.q, known.q)
    copy_row(trial.v, known.v)
    copy_row(trial.a, known.a)
    copy_row(trial.carried, known.carried)
    copy_row(rows.force, known.force)
    copy_row(rows.angle, known.angle)
    for i in range(3):
        copy_row(acting.inner.inner[i], known.inner[i])
    stored.counts[0] += 1
    if phase == 0:
        k = stored.counts[1]
        copy_row(known.q, stored.q[k])
        copy_row(known.v, stored.v[k])
        copy_row(known.a, stored.a[k])
        copy_row(known.force, stored.force[k])
        copy_row(known.angle, stored.angle[k])
        copy_row(known.inner[0], stored.inner[k])
        stored.counts[1] += 1
    return 0


@stage
def advance(
    tree, acting, fixed, free, factored, stepping, closed, border, course, explicit, step, first, steps, every, phase
):
    """Up to `steps` steps from number `first` on, stored where (phase + count) % every == 0; how it ended.

    `step` is the address of a stage that takes one, from its number: see `implicit.implicit_step`.
    """
    for i in range(steps):
        code = call_address(
            step, (tree, acting, fixed, free, factored, stepping, closed, border, course, explicit, first + i)
        )  # fmt: skip
        if code != CONVERGED:
            return code
        accept(acting, stepping, closed, course, (phase + i + 1) % every)
    return CONVERGED
