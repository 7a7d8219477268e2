"""A run in floating frames as a tape of maps between states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.tree import TreeData
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.status import Status
from cosserat.results.trajectory import Reference
from cosserat.solve.floating.explicit import Explicit
from cosserat.solve.floating.implicit import Implicit
from cosserat.solve.floating.model import floating_model
from cosserat.solve.floating.start import starting_state
from cosserat.solve.floating.state import Advance, Instant
from cosserat.solve.floating.walk import FloatingWalk
from cosserat.solve.motion.driver import equal_steps
from cosserat.solve.motion.smooth_start import parts_of
from cosserat.solve.motion.walk import NEVER
from cosserat.solve.sweeps.protocol import RESCALE, STEP, Setting, Taping

BEGIN = "begin"


class TreeEntry(NamedTuple):
    """A map that was applied to the state, at time t: a step of length h, or what gets ready for steps of length h."""

    kind: str
    t: float
    h: float
    before: Instant
    after: Instant


class TreeRecording(Taping, FloatingWalk):
    """Steps that write down what they do; before those of the method in the order of bases."""

    starts_in_parts = False

    def course(self, old: Instant, t: float, h: float, n: int, every: int, phase: int) -> Advance:
        """One step, others follow."""
        ready = self.readied(old, t, h)
        begin = ready._replace(step=h)
        step = super().course(begin, t, h, 1, every, phase)
        if step.failure is not None:
            step = step._replace(now=ready)  # no step of this length is behind it: shorter ones go on from here
        else:
            if self.remembers and old.step != h and (self.at_breaks or old.step != 0.0):
                self.tape.append(TreeEntry(BEGIN if self.at_breaks else RESCALE, t, h, old, begin))
            step = step._replace(now=step.now._replace(t=t + h))
            self.tape.append(TreeEntry(STEP, t, h, begin, step.now))
        return step

    def first_of(self, begin: Instant, h: float) -> Instant:
        """The state before the first map, from that of the start, for a first step of length h."""
        return begin

    def again(self, entry: TreeEntry, old: Instant) -> Instant:
        """Apply a map of a tape to another state."""
        if entry.kind != STEP:
            return self.readied(old._replace(step=entry.before.step), entry.t, entry.h)._replace(step=entry.h)
        step = super().course(old._replace(step=entry.h), entry.t, entry.h, 1, NEVER, 0)
        if step.failure is not None:
            raise SolveError(f"gradient: the step from {entry.t:.6g} s fails for changed numbers")
        return step.now._replace(t=entry.t + entry.h)


class RecordingImplicit(TreeRecording, Implicit):
    """Generalised-alpha steps that write down what they do."""

    def in_parts(self, now: Instant, t: float, h: float) -> Instant | None:
        mark = len(self.tape)
        found = super().in_parts(now, t, h)
        del self.tape[mark : mark + 1 if found is not None else len(self.tape)]  # of a trial, or all
        self.starts_in_parts = found is not None
        return found

    def first_of(self, begin: Instant, h: float) -> Instant:
        if not self.starts_in_parts:
            return begin
        part = parts_of(h)[0]
        Implicit.course(self, begin, begin.t, part, 1, NEVER, 0)
        first = np.where(self.drives.held, begin.a, self.resolved(begin.a))
        return begin._replace(a=first, carried=first)


class RecordingExplicit(TreeRecording, Explicit):
    """Runge-Kutta steps that write down what they do."""


def prepared(
    model: Model, asked: Setting, change: Callable[[Any, Any], Any] | None = None, like: TreeData | None = None
) -> tuple[Any, Instant]:
    """A recording walk and the start; `change(walk, start)` may give another start.

    `like`: the tree of nearly the same model, whose modal coordinates mean the same.
    """
    reference = Reference(model)
    floating = floating_model(model, reference, asked.frames, "simulate", like)
    forces, timetable = floating.tree.forces, floating.timetable(reference, asked.start_time, asked.duration)
    walk: Any
    if asked.integrator == "runge-kutta":
        walk = RecordingExplicit(floating, asked.step is None)
    else:
        walk = RecordingImplicit(floating, asked.rho, asked.newton_tolerance)
    walk.tape = []
    start = starting_state(walk, reference, "reference", asked.start_time)
    if change is not None:
        start = change(walk, start)
    begin = walk.start(*start)
    if begin.inner.size:
        raise SolveError("gradient: laws own states, which it does not follow")
    forces.jumps = timetable.jumps(begin.t, begin.t + asked.duration)
    if forces.jumps.times or timetable.kinks([begin.t + asked.duration], 1e-9 * asked.duration):
        raise SolveError("gradient: a load or a prescribed motion is not smooth, which it does not follow")
    walk.at_breaks = asked.step is None
    walk.enter(begin)
    return walk, begin


def recorded(model: Model, asked: Setting) -> tuple[Any, Instant, Array, Status]:
    """Run, and write it down: the steps, the state before the first map, times that are stored, how it ended."""
    walk, begin = prepared(model, asked)
    times, status = walk.run_as(asked, begin.t, walk.tree.forces.varying)
    first = walk.tape[0].before if walk.tape else begin
    return walk, first, times, status


def begun(
    model: Model, asked: Setting, in_parts: bool, change: Callable[[Any, Any], Any] | None = None,
    like: TreeData | None = None,
) -> tuple[Any, Instant]:  # fmt: skip
    """Steps, and the state before the first map of a tape of another model like it."""
    walk, begin = prepared(model, asked, change, like)
    walk.starts_in_parts = in_parts
    h = asked.duration if asked.step is None else asked.duration / equal_steps(asked.duration, asked.step)
    return walk, walk.first_of(begin, h)
