"""A run in the Galilean formulation as a tape of maps between states, and the same maps for other parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel, frame_to_row, row_to_frame
from cosserat.errors import SolveError
from cosserat.kernels.arrays import Inputs, State
from cosserat.kernels.newton import CONSERVING
from cosserat.kernels.slots import CONVERGED
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.status import Status
from cosserat.solve.initial import consistent_accelerations
from cosserat.solve.memory import copy_state, new_memory
from cosserat.solve.motion.driver import equal_steps
from cosserat.solve.motion.simulate import INTEGRATORS
from cosserat.solve.motion.smooth_start import restarting
from cosserat.solve.motion.starting import set_start
from cosserat.solve.motion.stepping import Integration
from cosserat.solve.motion.walk import NEVER, Bounds, StepFailure, Walk
from cosserat.solve.sweeps.protocol import RESCALE, STEP, Setting, Taping

RESTART, HALT = "restart", "halt"


class Entry(NamedTuple):
    """A map that was applied to the state: a step from times[0] to times[1], or what comes between steps."""

    kind: str
    h: float
    times: Array  # (2,) of a step; else (1,)
    before: State
    after: State
    inputs: Inputs | None = None  # of both ends of a step
    ratio: float = 1.0  # of a change of the step


class Recording(Taping, Integration):
    """Steps of a compiled model that write down what they do."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.tape: list[Entry] = []
        self._begun = self.copied()
        self._kept_length = 0

    def copied(self) -> State:
        """A copy of the state."""
        return State(*(array.copy() for array in self.state))

    def _note(self, kind: str, h: float, times: Array, before: State, **more: Any) -> None:
        self.tape.append(Entry(kind, h, times, before, self.copied(), **more))

    def keep(self) -> None:
        super().keep()
        self._kept_length = len(self.tape)

    def restore(self) -> None:
        super().restore()
        del self.tape[self._kept_length :]

    def steps(self, t: float, h: float, n: int, every: int, phase: int) -> StepFailure | None:
        """One step, others follow."""
        return super().steps(t, h, 1, every, phase)

    def judged(
        self, t: float, h: float, n: int, bounds: Bounds, every: int, phase: int
    ) -> tuple[list[float], StepFailure | None]:
        """One step."""
        return Walk.judged(self, t, h, n, bounds, every, phase)

    def restart(self, t: float, h: float) -> None:
        before = self.copied()
        super().restart(t, h)
        self._note(RESTART, h, np.array([t]), before)

    def halt(self) -> None:
        before = self.copied()
        super().halt()
        self._note(HALT, 0.0, np.zeros(1), before)

    def inputs(self, times: Array, h: float) -> Inputs:
        last, count, before = self.accel_step, len(self.tape), self.copied()
        found = super().inputs(times, h)
        if last not in (0.0, h) and len(self.tape) == count and self.scheme != CONSERVING:
            ratio = h / last
            self._note(RESCALE, h, times[:1], before, ratio=ratio if ratio <= 3.0 else 0.0)
        self._begun = self.copied()
        return found

    def run(self, times: Array, h: float, every: int, phase: int, row: int, *, search: bool = False) -> int:
        code = super().run(times, h, every, phase, row, search=search)
        if code == CONVERGED:
            inputs = Inputs(*(a.copy() for a in self.memory.problem.inputs))
            self._note(STEP, h, times, self._begun, inputs=inputs)
        return code

    def again(self, entry: Entry) -> None:
        """Apply a map of another tape to the state."""
        if entry.kind == STEP:
            self.accel_step = entry.h
            code = Integration.run(self, entry.times, entry.h, NEVER, 0, 0, search=True)
            if code != CONVERGED:
                raise SolveError(f"gradient: the step from {entry.times[0]:.6g} s fails for changed numbers")
        elif entry.kind == RESTART:
            Integration.restart(self, float(entry.times[0]), entry.h)
        elif entry.kind == RESCALE:
            accel, rate = self.state.accel, self.state.rate
            accel[:] = rate + entry.ratio * (accel - rate)
        else:
            Integration.halt(self)

    def restarting(self, entry: Entry) -> Callable[[], None]:
        """A restart of a tape as a call that samples nothing anew."""
        self.set_step(entry.h)
        call = restarting(self, float(entry.times[0]), entry.h)
        self.accel_step = entry.h
        return call

    def put(self, state: State) -> None:
        """Take over a state."""
        copy_state(state, self.state)


def prepared(model: Model, asked: Setting, change: Callable[[State], None] | None = None) -> tuple[Recording, float]:
    """Steps of a model up to the first one, and the time of the start.

    `change` may change frames and twists of the start, before accelerations are found.
    """
    compiled = compile_model(model)
    _demand_followed(compiled, asked)
    compiled.timetable.look(asked.start_time, asked.duration)
    memory = new_memory(compiled, compiled.sampler.sample(np.array([asked.start_time])))
    work = Recording(compiled, memory, asked.rho, INTEGRATORS[asked.integrator], asked.newton_tolerance)
    t, work.accel_step = set_start(compiled, memory, "reference", asked.start_time)
    if change is not None:
        change(memory.problem.state)
        consistent_accelerations(compiled, t, memory)
    work.jumps = jumps = compiled.timetable.jumps(t, t + asked.duration)
    if asked.step is not None and compiled.timetable.parted_at(jumps, asked.duration):
        raise SolveError("gradient: a prescribed motion has a kink, which it does not follow")
    return work, t


def recorded(model: Model, asked: Setting) -> tuple[Recording, Array, Status, State]:
    """Run, and write it down: the steps, times that are stored, how it ended, and the state before the first map."""
    work, t = prepared(model, asked)
    breaks: list[float] = []
    if asked.step is None:
        assert work.jumps is not None
        breaks = work.compiled.timetable.breaks(work.jumps, t, t + asked.duration)
    else:
        work.shelf.reserve(2 + equal_steps(asked.duration, asked.step))
    times, status = work.run_as(asked, t, work.compiled.sampler.varying, breaks)
    first = work.tape[0].before if work.tape else work.copied()
    return work, times, status, first


def begun(model: Model, asked: Setting, tape: list[Entry], change: Callable[[State], None] | None = None) -> Recording:
    """Steps of a model, in the state before the first map of a tape of another one like it."""
    work, t = prepared(model, asked, change=change)
    work.in_parts = bool(tape) and tape[0].kind == HALT
    if asked.step is None:
        work.begin(t, tape[-1].h, at_breaks=True)
    else:
        work.begin(t, asked.duration / equal_steps(asked.duration, asked.step))
    work.graded = False
    return work


def _demand_followed(compiled: CompiledModel, asked: Setting) -> None:
    told = ""
    if compiled.n_inner:
        told = f"{compiled.inner_names[0]!r} is a state of a law"
    elif compiled.rolling or compiled.rules:
        told = "what rolls, and constraints of users, restrict velocities"
    elif asked.integrator not in INTEGRATORS:
        told = f"integrator {asked.integrator!r} has no linear steps here"
    elif asked.integrator == "energy-momentum" and len(compiled.system.elements.node):
        told = "the conserving scheme corrects stresses of beams by quotients of changes as small as rounding errors"
    elif asked.integrator == "energy-momentum" and compiled.sampler.driven:
        told = "the conserving scheme settles the velocities of prescribed motions after each step"
    if told:
        raise SolveError(f"gradient: {told}, which it does not follow in the Galilean formulation")


class NodalChart:
    """Changes of states: (x, v, a, b, mu), left increments of frames, changes of twists, rates, method's, multipliers.

    Those of x are in units of a length where they displace.
    """

    def __init__(self, compiled: CompiledModel) -> None:
        self.n, self.m = compiled.n_nodes, compiled.n_multipliers
        self.size = 24 * self.n + 6 * self.m

    def difference(self, after: State, base: State) -> Array:
        """By what a state differs from another one (N,)."""
        n = self.n
        x = [
            se3.log(se3.inverse(row_to_frame(F)) @ row_to_frame(G)) if np.any(F != G) else np.zeros(6)
            for F, G in zip(base.frame[:n], after.frame[:n], strict=True)
        ]
        rest = [(getattr(after, name) - getattr(base, name))[:n] for name in ("twist", "rate", "accel")]
        return np.concatenate([np.ravel(x), *(a.ravel() for a in rest), (after.force - base.force).ravel()])

    def move(self, state: State, change: Array) -> None:
        """Change a state."""
        n = self.n
        x, v, a, b = change[: 24 * n].reshape(4, n, 6)
        for i in np.nonzero(np.any(x != 0.0, axis=1))[0]:
            state.frame[i] = frame_to_row(row_to_frame(state.frame[i]) @ se3.exp(x[i]))
        state.twist[:n] += v
        state.rate[:n] += a
        state.accel[:n] += b
        state.force[:] += change[24 * n :].reshape(-1, 6)
