"""Steps in the Galilean formulation: the compiled time loop, and what surrounds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.jumps import Jumps
from cosserat.compile.skeleton import extent
from cosserat.kernels import slots
from cosserat.kernels.arrays import Inputs, State
from cosserat.kernels.integrate import advance, load_careful, load_search, load_stages
from cosserat.kernels.judging import end_error, local_error
from cosserat.kernels.newton import CONSERVING, CONVERGED, NOT_FINITE, WRONG_BRANCH
from cosserat.kernels.starting import PART
from cosserat.lie.protocol import Array
from cosserat.results.status import Outcome
from cosserat.results.trajectory import Carried
from cosserat.solve.initial import EPSILON, consistent_accelerations, project_velocities
from cosserat.solve.memory import Memory, copy_state, new_state
from cosserat.solve.motion.commands import NodalCommands, glide, judged_step, push
from cosserat.solve.motion.control import Controlled
from cosserat.solve.motion.crossings import Crossings, Row, snapshot
from cosserat.solve.motion.events import MOST_IN_A_STEP
from cosserat.solve.motion.failures import named_failure
from cosserat.solve.motion.grading import STANDING, begin_smoothly, first_part, graded_step, jump_at_start
from cosserat.solve.motion.impulses import MEAN_OF_ENDS, Impulses, add_impulses, change_at_start
from cosserat.solve.motion.jolts import go_on, jolt
from cosserat.solve.motion.keeping import keepsake, resume
from cosserat.solve.motion.kinks import advance_across
from cosserat.solve.motion.smooth_start import restart, settle
from cosserat.solve.motion.storing import Shelf
from cosserat.solve.motion.strides import judge, stride
from cosserat.solve.motion.tally import Tally
from cosserat.solve.motion.unheld import Unheld
from cosserat.solve.motion.walk import NEVER, Bounds, Failure, Walk
from cosserat.solve.motion.wheels import TurnLimit, turn_limit
from cosserat.solve.motion.window import STEPS, Steady, Window

_AFTER = 1e-9  # of the step: how far from a jump its two sides are
_OUTCOMES = {NOT_FINITE: Outcome.NOT_FINITE, WRONG_BRANCH: Outcome.WRONG_BRANCH}


@dataclass
class Integration(Walk):
    """Steps of a compiled model.

    Parameters
    ----------
    share : float
        Of the error of the method that Newton's iteration may add; 0: `newton_tolerance` alone decides.
    """

    compiled: CompiledModel
    memory: Memory
    rho: float
    scheme: float  # 0: generalised-alpha, 1: conserving
    newton_tolerance: float
    share: float = 0.0
    controlled: Controlled | None = None
    jumps: Jumps | None = None

    order, splits, remedy = 2, True, ""

    def __post_init__(self) -> None:
        self.tally = Tally(self.memory.problem.solver.counters)
        self.size = extent(self.compiled.model, self.compiled.frames, self.compiled.length)
        self.whole = self.compiled  # with all joints closed, where some are open
        self.done = 0
        self.shelf = Shelf(self.compiled, self.memory, self.scheme == CONSERVING)
        self.at_breaks = False
        self.graded = False  # whether the first step is taken in parts
        self.kinks: list[float] = []  # where equal steps are taken in parts, see `kinks`
        self.report = np.zeros(3, dtype=np.int64)
        self.accel_step = 0.0  # the step to which state.accel belongs; STANDING: the method has yet to start
        self.driven = self.scheme == CONSERVING and bool(self.compiled.sampler.driven)
        self.careful: Any = 0  # iterations for hard steps, loaded when the first one comes
        self.search: Any = 0
        self._backup: tuple[State, float, int, tuple[Array, ...]] = new_state(self.compiled), 0.0, 0, ()
        self.impulses = Impulses()  # of loads, looked after where steps adapt
        self.crossings = Crossings[Row]()
        self.unheld: Unheld | None = None  # where steps adapt
        self.window: Window | None = None  # inputs of steps to come, where a controller is called
        self.ahead = STEPS  # how many
        self.steady = Steady(self.compiled.sampler)
        self.commands: NodalCommands | None = None
        self.replaced: dict[int, float] | None = None  # what was held before, if it changes with the next step
        self.set_step(1.0)
        if self.scheme == CONSERVING or self.compiled.rolling or self.compiled.rules:
            self.memory.problem.solver.memory[slots.ORDER :] = -1.0
        if self.driven:
            middle, blocks = self.memory.problem.middle, self.memory.problem.solver.blocks
            self.memory.replace(middle=middle._replace(blocks=np.zeros_like(blocks)))
        self.evaluate = load_stages(self.memory.table, self.memory.problem)

    def set_step(self, h: float) -> None:
        """Numbers for the kernels; their order is that of `kernels.slots`."""
        c = self.compiled
        gravity = float(np.linalg.norm(c.sampler.gravity))
        values = (h, self.rho, self.newton_tolerance, c.mass, c.length, EPSILON, self.scheme, gravity, self.share)
        self.memory.problem.solver.settings[:] = values

    @property
    def state(self) -> State:
        """The state of the integrator."""
        return self.memory.problem.state

    def keep(self) -> None:
        """Remember the state, for `restore`."""
        self.shelf.complete(self.tally.steps, self.accel_step)
        copy_state(self.state, self._backup[0])
        self._backup = self._backup[0], self.accel_step, self.tally.steps, self.impulses.filtered

    def restore(self) -> None:
        """Go back to the state kept last."""
        copy_state(self._backup[0], self.state)
        self.accel_step = self._backup[1]
        self.tally.add(self._backup[2] - self.tally.steps)
        self.impulses.filtered = self._backup[3]

    def saved(self) -> Any:
        """A copy of the state."""
        state = new_state(self.compiled)
        copy_state(self.state, state)
        waiting = self.memory.problem.solver.memory[slots.ROW]
        return state, self.accel_step, self.tally.steps, self.impulses.filtered, waiting

    def load(self, saved: Any, goes_on: bool = False) -> None:
        """Take it back; steps that are tried complete no stored state."""
        state, self.accel_step, steps, self.impulses.filtered, waiting = saved
        copy_state(state, self.state)
        self.memory.problem.solver.memory[slots.ROW] = waiting if goes_on else -1.0
        self.tally.add(steps - self.tally.steps)

    def jolt(
        self, t: float, h: float, state: Any, impulses: dict[Any, Array], open: frozenset[str] | None = None
    ) -> None:
        """Let velocities jump with impulses, and with joints that are engaged."""
        jolt(self, t, h, state, impulses, open)

    def start_again(self, t: float, h: float) -> None:
        """Start the method, once the state after a jolt is stored."""
        go_on(self, t, h)

    def make_room(self) -> None:
        """Kernels store where room was reserved."""
        self.shelf.make_room(2 + MOST_IN_A_STEP)

    def drop(self) -> None:
        """Forget the state stored last."""
        self.shelf.drop()

    @property
    def kept(self) -> State:
        """The state kept last."""
        return self._backup[0]

    def run(self, times: Array, h: float, every: int, phase: int, row: int, *, search: bool = False) -> int:
        """Steps of size h ending at times[1:], if wanted with a line search; see `kernels.integrate.advance`."""
        inputs = self.inputs(times, h)
        n, done, stored = len(times) - 1, 0, 0
        rates = self.memory.problem.middle.drive_rate
        if self.driven:  # before a kink at the end of a step: `cross` lets velocities jump
            at = np.minimum(times + _AFTER * min(self.side(h), 0.0), self.end - _AFTER * h)
            rates = self.compiled.sampler.sample_rates(at)[1]
        while True:
            if done or self.driven or inputs is not self.memory.problem.inputs:
                middle = self.memory.problem.middle._replace(drive_rate=rates[done:])
                self.memory.replace(inputs=Inputs(*(a[done:] for a in inputs)), middle=middle)
            last = self.search if search else 0
            where = (n - done, every, phase + done, row + stored, self.report)
            code = advance(self.memory.address, *where, self.evaluate, self.careful, last)
            done += int(self.report[slots.TAKEN])
            stored += int(self.report[slots.STORED])
            if code in (CONVERGED, WRONG_BRANCH) or not self.load_more(search):
                self.report[:2] = done, stored
                return code

    def inputs(self, times: Array, h: float) -> Inputs:
        """What acts in steps of length h that end at times[1:]; the method gets ready for steps of that length."""
        inputs = self.commanded(self.sampled(times, h))
        self.set_step(h)
        if self.accel_step not in (0.0, h):
            # a is the acceleration at a time shifted by a fixed part of the step: without this, changing steps cost
            # one order of accuracy
            if (self.at_breaks or self.accel_step == STANDING) and self.scheme != CONSERVING:
                self.restart(float(times[0]) + _AFTER * h, h)
            else:
                accel, rate, inner = self.state.accel, self.state.rate, self.state.inner
                ratio = h / self.accel_step
                ratio = ratio if ratio <= 3.0 else 0.0
                accel[:] = rate + ratio * (accel - rate)
                inner[2] = inner[1] + ratio * (inner[2] - inner[1])
        self.accel_step = h
        return inputs

    def commanded(self, inputs: Inputs) -> Inputs:
        """Inputs with what a controller holds in them."""
        return inputs if self.controlled is None else self.controlled.apply(inputs)

    def side(self, h: float) -> float:
        """Length of steps as `Sampler.sample` takes it: negative where they end at jumps."""
        return -h if self.at_breaks or self.kinks else h

    def sampled(self, times: Array, h: float) -> Inputs:
        """Functions of time at ends of steps of length h."""
        if self.at_breaks and len(times) == 2 and self.steady.valid and not (self.jumps and self.jumps.laws):
            return self.steady.at(times)
        return self.compiled.sampler.sample(times, step=self.side(h), jumps=self.jumps)

    def load_more(self, search: bool) -> bool:
        """Get ready what to try next where a step cannot be solved; False if there is nothing more."""
        memory = self.memory
        if self.careful == 0:
            self.careful = load_careful(memory.table, memory.problem, self.evaluate)
            return True
        if search and self.search == 0:
            self.search = load_search(memory.table, memory.problem, self.evaluate)
            return True
        return False

    @property
    def n_stored(self) -> int:
        """Number of stored states."""
        return len(self.shelf)

    def store(self) -> None:
        """Store the state."""
        self.shelf.put(self.tally.steps, self.accel_step)

    def finish(self, t: float) -> None:
        """Rates and forces of the state stored last, at its own time t, where no next step tells them."""
        if self.torn or not self.shelf.waiting:
            return
        inputs = self.commanded(self.compiled.sampler.sample(np.array([t])))
        consistent_accelerations(self.compiled, t, self.memory, inputs)
        self.shelf.note()

    def carried(self) -> Carried | None:
        """What a run that goes on from here needs besides the state."""
        if self.scheme == CONSERVING or self.torn:
            return None
        kept = tuple(a.copy() for a in self._iteration())
        return Carried(
            self.state.accel.copy(), max(self.accel_step, 0.0), self.state.inner[1:].copy(), np.zeros(0), kept
        )

    def _iteration(self) -> tuple[Array, ...]:
        """What the iteration of the next step begins with: factors, and what continues accelerations."""
        solver = self.memory.problem.solver
        return solver.blocks, solver.memory[:2], solver.memory[4:], solver.past, solver.pull

    def go_on(self, carried: Carried) -> None:
        """Take over the factors of a run before this one: what a controller changes at once is what they make of it."""
        own = self._iteration()
        if carried.factors is not None and [a.shape for a in carried.factors] == [a.shape for a in own]:
            for target, array in zip(own, carried.factors, strict=True):
                target[...] = array

    def advance(self, t: float, h: float, n: int, every: int, phase: int) -> Failure | None:
        """Up to n steps from time t; equal steps with kinks in prescribed motions are taken in parts."""
        smooth = self.at_breaks or not self.kinks
        return self.advance_smoothly(t, h, n, every, phase) if smooth else advance_across(self, t, h, n, every, phase)

    def advance_smoothly(self, t: float, h: float, n: int, every: int, phase: int) -> Failure | None:
        """As `advance`; equal steps are tried with a line search before they are split."""
        if self.graded and every != NEVER:
            return graded_step(self, t, h, every, phase)
        glided = 0
        if self.controlled is not None and self.shelf.reserved is not None:
            if every != NEVER and not self.driven and self.watch is None:
                glided = glide(self, t, h, n, every, phase)
                if glided == n:
                    self.done = n
                    return None
            push(self, t)
        times = self.grid.snap(np.asarray(t + h * np.arange(glided, n + 1), dtype=np.float64), h)
        if self.shelf.reserved is None:
            every = NEVER
        code = self.run(times, h, every, phase + glided, self.shelf.count, search=every != NEVER)
        self.done = glided + int(self.report[slots.TAKEN])
        self.shelf.count += int(self.report[slots.STORED])
        return self.failure(code)

    def failure(self, code: int) -> Failure | None:
        """How steps failed that ended with a code; None if they did not."""
        if code == CONVERGED:
            return None
        named = named_failure(self.compiled, self.memory, int(self.report[slots.JOINT]))
        return Failure(_OUTCOMES.get(code, Outcome.NOT_CONVERGED), named)

    def begin(self, t: float, h: float, at_breaks: bool = False) -> None:
        """Start the method smoothly; its own velocities differ from the stored ones along what the joints prescribe."""
        self.at_breaks = at_breaks
        self.follow_impulses()
        self.impulses.begin(t, h)
        jump_at_start(self, t, h)
        begin_smoothly(self, t, h)

    def follow_impulses(self) -> None:
        """Look after impulses of loads, where steps adapt."""
        if self.at_breaks and self.compiled.sampler.varying:
            rule = MEAN_OF_ENDS if self.scheme == CONSERVING else self.rho
            self.impulses = Impulses(self.compiled.sampler.loads, rule, change_at_start(PART))

    def settle(self, n: int) -> None:
        """Sample inputs anew from here on."""
        self.window, self.ahead = None, n

    def keepsake(self) -> dict[str, Any]:
        """Stored states, and every number of the problem: state, trial, factors, memories."""
        return keepsake(self)

    def resume(self, kept: dict[str, Any]) -> None:
        """Take all of it back."""
        resume(self, kept)

    def error(self) -> float:
        """Estimated position error (m) of the last step."""
        unheld, error = judge(self, 1), np.zeros(1)
        local_error(self.memory.address, unheld.memory.address, error)
        if self.scheme == CONSERVING and unheld.ends:
            end_error(self.memory.address, unheld.memory.address, error)
        return float(error[0])

    def judged(
        self, t: float, h: float, n: int, bounds: Bounds, every: int, phase: int
    ) -> tuple[list[float], Failure | None]:
        """Several steps at once if nothing has to be done between them."""
        asked = self.controlled is not None and (n == 1 or self.controlled.period is None)  # after every step
        between = self.impulses.present or self.compiled.rolling or self.scheme == CONSERVING or self.watch is not None
        if between or (n == 1 and not asked):
            push(self, t)
            return super().judged(t, h, n, bounds, every, phase)
        if asked:
            errors, failed = judged_step(self, t, h, bounds, every, phase)
        else:
            push(self, t)
            errors, failed = stride(self, t, h, n, bounds, every, phase)
        if not failed:
            return errors, None
        done = len(errors)
        last, failure = super().judged(t + done * h, h, 1, bounds, every, phase + done)
        return errors + last, failure

    def first_step(self) -> float:
        """Shorter where steps that double are to follow what dampers hold."""
        return first_part(self) * super().first_step()

    def fastest(self) -> tuple[float, float]:
        """Of the nodes."""
        a, v = (float(np.max(np.abs(x[:, :3]), initial=0.0)) for x in (self.state.rate, self.state.twist))
        return a, v

    def turn_limit(self) -> TurnLimit | None:
        """Of rolling discs."""
        if self.scheme == CONSERVING or not self.compiled.rolling:
            return None
        return turn_limit(self.compiled, self.state.twist, self.rho)

    def consult(self, t: float) -> None:
        """Call the controller; accelerations jump with the efforts it changes."""
        assert self.controlled is not None
        before = self.controlled.call(t)
        if before is not None and self.scheme != CONSERVING and self.accel_step > 0.0:
            self.replaced = before
            if self.watch is not None:  # which goes back to the state as it is from here on
                push(self, t)

    def take_control(self, t: float, inputs: Inputs | None) -> None:
        """Call the controller for the first time; `inputs` have the efforts before, in a run that goes on."""
        assert self.controlled is not None
        held = self.controlled.values
        if inputs is not None:
            self.shelf.first = snapshot(self.state)
        self.controlled.call(t)
        if inputs is not None and self.controlled.values == held:
            return
        if self.accel_step > 0.0 and inputs is not None and self.scheme != CONSERVING:
            self.replaced = held
            push(self, t)
        else:
            inputs = self.commanded(self.compiled.sampler.sample(np.array([t])))
            consistent_accelerations(self.compiled, t, self.memory, inputs)

    def commanding(self) -> NodalCommands:
        """What the controller holds, for the kernels."""
        if self.commands is None:
            assert self.controlled is not None
            self.commands = NodalCommands(self.controlled.columns.values(), self.memory, self.evaluate)
        return self.commands

    def restart(self, t: float, h: float) -> None:
        """Start the method anew at time t, for steps of length h."""
        self.set_step(h)
        restart(self, t, h)
        self.accel_step = h
        self.impulses.begin(t, h)

    def halt(self) -> None:
        """Forget accelerations, which steps of a restart are to find."""
        self.state.rate[:] = 0.0

    def cross(self, t: float, h: float) -> None:
        """Let accelerations jump with loads that do so at time t, and velocities with those that are prescribed."""
        both = np.array([t * (1.0 - 1e-15) - _AFTER * h, t + _AFTER * h])
        before = snapshot(self.state)
        if self.unheld is not None:
            self.unheld.forget()
        inputs = self.commanded(self.compiled.sampler.sample(both))
        after = Inputs(*(a[1:] for a in inputs))
        if self.scheme != CONSERVING:
            project_velocities(self.compiled, float(both[1]), self.memory)  # as after an impact
            if self.at_breaks:
                self.set_step(h)
                settle(self, float(both[1]), h)
                self.accel_step = STANDING  # the next step may have another length, or be taken back for a shorter one
            else:
                consistent_accelerations(self.compiled, float(both[1]), self.memory, after)
                self.accel_step = 0.0  # what follows is a first step
        else:
            self.shelf.complete(self.tally.steps, self.accel_step)
            consistent_accelerations(self.compiled, t, self.memory, Inputs(*(a[:1] for a in inputs)))
            if self.kinks:
                self.accel_step = 0.0  # rates are those of the end
            else:
                self.shelf.note()
            before = (*before[:2], self.state.rate.copy(), self.state.force.copy(), *before[4:])
            if self.driven or self.compiled.rules:
                project_velocities(self.compiled, float(both[1]), self.memory)
            consistent_accelerations(self.compiled, float(both[1]), self.memory, after)
        # equal steps store what is after it
        self.crossings.add(float(both[0]) if self.kinks else t, both, before, snapshot(self.state))

    def make_up(self, t: float, h: float) -> None:
        """Give velocities what the step from t left out of the impulses of loads."""
        judge(self).go_on()
        missed = self.impulses.missed(t, h)
        if missed is not None:
            add_impulses(self, missed, t, h)
