"""A run in floating frames as a tape of maps between states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.tree import TreeData
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.reference import Reference
from cosserat.results.status import Status
from cosserat.solve.floating.explicit import Explicit
from cosserat.solve.floating.implicit import Implicit
from cosserat.solve.floating.model import floating_model
from cosserat.solve.floating.start import starting_state
from cosserat.solve.floating.state import Advance, Instant, States, stacked
from cosserat.solve.floating.steps import Stepper
from cosserat.solve.floating.walk import FloatingWalk
from cosserat.solve.motion.driver import adaptive_steps, equal_steps, fixed_steps
from cosserat.solve.motion.grading import parts_of
from cosserat.solve.motion.walk import NEVER
from cosserat.solve.sweeps.protocol import RESCALE, STEP
from cosserat.solve.sweeps.setting import Setting

BEGIN = "begin"


class TreeEntry(NamedTuple):
    """A map that was applied to the state, at time t: a step of length h, or what gets ready for steps of length h."""

    kind: str
    t: float
    h: float
    before: Instant
    after: Instant


class TreeRecording(Stepper):
    """Steps, one after the other, that write down what they do; before those of the method in the order of bases."""

    tape: list[TreeEntry]
    starts_in_parts = False

    def advance(self, old: Instant, t: float, h: float, n: int, every: int, phase: int) -> Advance:
        """One step after the other."""
        done, stored, failure = 0, list[States](), None
        while done < n and failure is None:
            at = t + done * h
            begin = self.readied(old, at, h)
            step = super().advance(begin, at, h, 1, every, phase + done)  # type: ignore[safe-super]
            failure = step.failure
            if failure is None:
                if begin is not old and self._changes(old, h):
                    kind = BEGIN if self.at_breaks else RESCALE
                    self.tape.append(TreeEntry(kind, at, h, old, begin))
                old, done = step.now._replace(t=at + h), done + 1
                self.tape.append(TreeEntry(STEP, at, h, begin, old))
                stored += [] if step.stored is None else [step.stored]
        return Advance(old, done, stacked(stored) if stored else None, failure)

    def _changes(self, old: Instant, h: float) -> bool:
        return old.step != h and (self.at_breaks or old.step != 0.0)

    def readied(self, old: Instant, t: float, h: float) -> Instant:
        """A state from which steps of length h go on."""
        return old

    def first_of(self, begin: Instant, h: float) -> Instant:
        """The state before the first map, from that of the start, for a first step of length h."""
        return begin

    def again(self, entry: TreeEntry, old: Instant) -> Instant:
        """Apply a map of a tape to another state."""
        if entry.kind != STEP:
            return self.readied(old._replace(step=entry.before.step), entry.t, entry.h)
        step = super().advance(  # type: ignore[safe-super]
            old._replace(step=entry.h), entry.t, entry.h, 1, NEVER, 0
        )  # fmt: skip
        if step.failure is not None:
            raise SolveError(f"gradient: the step from {entry.t:.6g} s fails for changed numbers")
        return step.now._replace(t=entry.t + entry.h)


class RecordingImplicit(TreeRecording, Implicit):
    """Generalised-alpha steps that write down what they do."""

    def readied(self, old: Instant, t: float, h: float) -> Instant:
        if self.at_breaks and old.step != h:
            old = self._begun(old, t, h)
        if old.step not in (0.0, h):
            old = self._rescaled(old, h)
        return old._replace(step=h)

    def eased(self, now: Instant, t: float, h: float) -> Instant | None:
        mark = len(self.tape)
        found = super().eased(now, t, h)
        del self.tape[mark : mark + 1 if found is not None else len(self.tape)]  # of a trial, or all
        self.starts_in_parts = found is not None
        return found

    def first_of(self, begin: Instant, h: float) -> Instant:
        if not self.starts_in_parts:
            return begin
        part = parts_of(h)[0]
        Implicit.advance(self, begin, begin.t, part, 1, NEVER, 0)
        first = np.where(self.drives.held, begin.a, self.resolved(begin.a))
        return begin._replace(a=first, carried=first)


class RecordingExplicit(TreeRecording, Explicit):
    """Runge-Kutta steps that write down what they do."""


class RecordingWalk(FloatingWalk):
    """Steps that are forgotten when they are taken back."""

    _mark = 0

    def keep(self) -> None:
        super().keep()
        self._mark = len(self.stepper.tape)  # type: ignore[attr-defined]

    def restore(self) -> None:
        super().restore()
        del self.stepper.tape[self._mark :]  # type: ignore[attr-defined]

    def cross(self, t: float, h: float) -> None:
        raise SolveError(
            f"gradient: a load or a prescribed motion is not smooth at {t:.6g} s, which it does not follow"
        )


def prepared(
    model: Model, asked: Setting, change: Callable[[Any, Any], Any] | None = None, like: TreeData | None = None
) -> tuple[Any, Instant]:
    """A recording stepper and the start; `change(stepper, start)` may give another start.

    `like`: the tree of nearly the same model, whose modal coordinates mean the same.
    """
    reference = Reference(model)
    floating = floating_model(model, reference, asked.frames, "simulate", like)
    forces, timetable = floating.tree.forces, floating.timetable(reference, asked.start_time, asked.duration)
    stepper: Any
    if asked.integrator == "runge-kutta":
        stepper = RecordingExplicit(floating, asked.step is None)
    else:
        stepper = RecordingImplicit(floating, asked.rho, asked.newton_tolerance)
    stepper.tape, stepper.reference = [], reference
    start = starting_state(stepper, reference, "reference", asked.start_time)
    if change is not None:
        start = change(stepper, start)
    begin = stepper.start(*start)
    if begin.inner.size:
        raise SolveError("gradient: laws own states, which it does not follow")
    forces.jumps = timetable.jumps(begin.t, begin.t + asked.duration)
    if forces.jumps.times or timetable.kinks([begin.t + asked.duration], 1e-9 * asked.duration):
        raise SolveError("gradient: a load or a prescribed motion is not smooth, which it does not follow")
    stepper.at_breaks = asked.step is None
    return stepper, begin


def recorded(model: Model, asked: Setting) -> tuple[Any, Instant, Array, Status]:
    """Run, and write it down: the stepper, the state before the first map, times that are stored, how it ended."""
    stepper, begin = prepared(model, asked)
    walk = RecordingWalk(stepper, begin, stepper.reference.length, size=stepper.reference.extent)
    if asked.step is None:
        if stepper.tree.forces.varying:
            raise SolveError("gradient: steps that adapt to loads which change with time are not followed; pass step=")
        times, status = adaptive_steps(walk, begin.t, asked.duration, asked.tolerance)
    else:
        times, status = fixed_steps(walk, begin.t, asked.duration, asked.step)
    first = stepper.tape[0].before if stepper.tape else begin
    return stepper, first, times, status


def begun(
    model: Model, asked: Setting, in_parts: bool, change: Callable[[Any, Any], Any] | None = None,
    like: TreeData | None = None,
) -> tuple[Any, Instant]:  # fmt: skip
    """A stepper, and the state before the first map of a tape of another model like it."""
    stepper, begin = prepared(model, asked, change, like)
    stepper.starts_in_parts = in_parts
    h = asked.duration if asked.step is None else asked.duration / equal_steps(asked.duration, asked.step)
    return stepper, stepper.first_of(begin, h)
