"""Steps in the Galilean formulation: the compiled time loop, and what surrounds it."""

from __future__ import annotations

from typing import Any

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.skeleton import extent
from cosserat.compile.timetable import Jumps
from cosserat.kernels import slots
from cosserat.kernels.arrays import Inputs
from cosserat.kernels.integrate import advance, load_careful, load_search, load_stages
from cosserat.kernels.judging import end_error, local_error
from cosserat.kernels.newton import CONSERVING
from cosserat.kernels.starting import PART
from cosserat.lie.protocol import Array
from cosserat.results.status import Outcome
from cosserat.results.trajectory import Carried
from cosserat.solve.initial import EPSILON, consistent_accelerations, project_velocities
from cosserat.solve.memory import Memory, copy_state, new_state
from cosserat.solve.motion.commands import NodalCommands, Steady, Window, glide, push
from cosserat.solve.motion.crossings import Row
from cosserat.solve.motion.events import MOST_IN_A_STEP
from cosserat.solve.motion.failures import named_failure
from cosserat.solve.motion.impulses import MEAN_OF_ENDS, Impulses, change_at_start
from cosserat.solve.motion.jolts import cross, kick, land, make_up, switch
from cosserat.solve.motion.judging import Unheld, judge, judged_step, stride
from cosserat.solve.motion.smooth_start import STANDING, begin_smoothly, first_part, graded_part, restart
from cosserat.solve.motion.stopwatch import Tally
from cosserat.solve.motion.storing import Shelf, belongings, snapshot, take_back
from cosserat.solve.motion.walk import NEVER, SIDE, Bounds, StepFailure, Walk
from cosserat.solve.motion.wheels import TurnLimit, turn_limit

_RESTED = 1.5  # steps for which efforts were held: where they change then, the method starts anew
_OUTCOMES = {slots.NOT_FINITE: Outcome.NOT_FINITE, slots.WRONG_BRANCH: Outcome.WRONG_BRANCH}


class Integration(Walk):
    """Steps of a compiled model.

    Parameters
    ----------
    scheme : float
        0: generalised-alpha, 1: conserving.
    share : float
        Of the error of the method that Newton's iteration may add; 0: `newton_tolerance` alone decides.
    """

    order = 2

    def __init__(
        self, compiled: CompiledModel, memory: Memory, rho: float, scheme: float, newton_tolerance: float,
        share: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.compiled, self.memory, self.rho, self.scheme = compiled, memory, rho, scheme
        self.state = memory.problem.state
        self.newton_tolerance, self.share = newton_tolerance, share
        self.jumps: Jumps | None = None
        self.tally = Tally(memory.problem.solver.counters)
        self.size = extent(compiled.model, compiled.frames, compiled.length)
        self.whole = compiled  # with all joints closed, where some are open
        self.shelf = Shelf(compiled, memory, scheme == CONSERVING)
        self.graded = False  # whether the first step is taken in parts
        self.in_parts: bool | None = None  # the same, where it is known before
        self.report = np.zeros(3, dtype=np.int64)
        self.accel_step = 0.0  # the step to which state.accel belongs; STANDING: the method has yet to start
        self.driven = scheme == CONSERVING and bool(compiled.sampler.driven)
        self.careful: Any = 0  # iterations for hard steps, loaded when the first one comes
        self.search: Any = 0
        self.kept = new_state(compiled)  # the state kept last
        self.unheld: Unheld | None = None  # where steps adapt
        self.window: Window | None = None  # inputs of steps to come, where a controller is called
        self.steady = Steady(compiled.sampler)
        self.commands: NodalCommands | None = None
        self.set_step(1.0)
        if scheme == CONSERVING or compiled.rolling or compiled.rules:
            memory.problem.solver.memory[slots.ORDER :] = -1.0
        if self.driven:
            middle, blocks = memory.problem.middle, memory.problem.solver.blocks
            memory.replace(middle=middle._replace(blocks=np.zeros_like(blocks)))
        self.evaluate = load_stages(memory)

    def set_step(self, h: float) -> None:
        """Numbers for the kernels; their order is that of `kernels.slots`."""
        c = self.compiled
        gravity = float(np.linalg.norm(c.sampler.gravity))
        values = (h, self.rho, self.newton_tolerance, c.mass, c.length, EPSILON, self.scheme, gravity, self.share)
        self.memory.problem.solver.settings[:] = values

    def keep(self) -> None:
        """Remember the state, for `restore`."""
        self.shelf.complete(self.tally.steps, self.accel_step)
        copy_state(self.state, self.kept)
        self._kept = self.accel_step, self.tally.steps, self.impulses.filtered, self.crossings

    def restore(self) -> None:
        """Go back to the state kept last."""
        copy_state(self.kept, self.state)
        self.accel_step, steps, self.impulses.filtered, self.crossings = self._kept
        self.tally.add(steps - self.tally.steps)

    def saved(self) -> Any:
        """A copy of the state."""
        state = new_state(self.compiled)
        copy_state(self.state, state)
        waiting = self.memory.problem.solver.memory[slots.ROW]
        counted = self.accel_step, self.tally.steps, self.impulses.filtered, self.crossings
        return state, counted, self.graded, waiting

    def load(self, saved: Any, goes_on: bool = False) -> None:
        """Take it back; steps that are tried complete no stored state."""
        state, (self.accel_step, steps, self.impulses.filtered, self.crossings), self.graded, waiting = saved
        copy_state(state, self.state)
        self.memory.problem.solver.memory[slots.ROW] = waiting if goes_on else -1.0
        self.tally.add(steps - self.tally.steps)

    def row(self) -> Row:
        """A row of a history."""
        return snapshot(self.state)

    switch, kick, land, cross, make_up = switch, kick, land, cross, make_up

    def start_again(self, t: float, h: float) -> None:
        """Start the method, whose velocities are not those that are stored.

        Where a rest of a step came between, they may still change too much for a whole one.
        """
        if self.at_breaks:
            return
        if self.scheme != CONSERVING and self.accel_step != 0.0:
            project_velocities(self.compiled, t, self.memory)
            self.balance(t)
            self.accel_step = 0.0
        if t < self.end - SIDE * h:  # else a run that goes on from there begins with what is stored
            begin_smoothly(self, t, h)

    def make_room(self) -> None:
        """Kernels store where room was reserved."""
        self.shelf.make_room(2 + MOST_IN_A_STEP)

    def drop(self) -> None:
        """Forget the state stored last."""
        self.shelf.drop()

    def run(self, times: Array, h: float, every: int, phase: int, row: int, *, search: bool = False) -> int:
        """Steps of size h ending at times[1:], if wanted with a line search; see `kernels.integrate.advance`."""
        inputs = self.inputs(times, h)
        n, done, stored = len(times) - 1, 0, 0
        rates = self.memory.problem.middle.drive_rate
        if self.driven:  # before a kink at the end of a step: `cross` lets velocities jump
            at = np.minimum(times + SIDE * min(self.side(h), 0.0), self.end - SIDE * h)
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
            if code in (slots.CONVERGED, slots.WRONG_BRANCH) or not self.load_more(search):
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
                self.restart(float(times[0]) + SIDE * h, h)
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

    def sampled(self, times: Array, h: float) -> Inputs:
        """Functions of time at ends of steps of length h."""
        if self.at_breaks and len(times) == 2 and self.steady.valid and not (self.jumps and self.jumps.laws):
            return self.steady.at(times)
        return self.compiled.sampler.sample(times, step=self.side(h), jumps=self.jumps)

    def load_more(self, search: bool) -> bool:
        """Get ready what to try next where a step cannot be solved; False if there is nothing more."""
        memory, self.commands = self.memory, None
        if self.careful == 0:
            self.careful = load_careful(memory, self.evaluate)
            return True
        if search and self.search == 0:
            self.search = load_search(memory, self.evaluate)
            return True
        return False

    @property
    def n_stored(self) -> int:
        """Number of stored states."""
        return self.shelf.count

    def store(self) -> None:
        """Store the state."""
        self.shelf.put(self.tally.steps, self.accel_step)

    def finish(self, t: float) -> None:
        """Rates and forces of the state stored last, at its own time t, where no next step tells them."""
        if self.torn or not self.shelf.waiting:
            return
        self.balance(t)
        self.shelf.note()

    def balance(self, t: float) -> None:
        """Find accelerations and reactions that belong to the state, at time t."""
        inputs = self.commanded(self.compiled.sampler.sample(np.array([t])))
        consistent_accelerations(self.compiled, t, self.memory, inputs)

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

    def steps(self, t: float, h: float, n: int, every: int, phase: int) -> StepFailure | None:
        """Smooth steps, tried with a line search before they are split."""
        glided = 0
        if self.controlled is not None:
            if every != NEVER and not self.driven and self.watch is None:
                glided = glide(self, t, h, n, every, phase)
                self.done += glided
                if glided == n:
                    return None
            self.push(t)
        times = self.grid.snap(np.asarray(t + h * np.arange(glided, n + 1), dtype=np.float64), h)
        code = self.run(times, h, every, phase + glided, self.shelf.count, search=every != NEVER)
        self.done += int(self.report[slots.TAKEN])
        self.shelf.count += int(self.report[slots.STORED])
        return None if code == slots.CONVERGED else self.failure(code)

    def eased(self, t: float, h: float) -> bool:
        """In parts, if what begins to act is faster than steps."""
        if not self.graded:
            return False
        before = self.saved()
        if graded_part(self, t, h) == slots.CONVERGED:
            return True
        self.load(before)
        self.graded = False
        return False

    def part(self, t: float, end: float, side: float) -> None:
        """After a kink as the first step of a run."""
        self.graded, self.window = False, None
        begin_smoothly(self, t, end - t)
        if self.graded:
            code = graded_part(self, t, end - t)
        else:
            code = self.run(np.array([t, end]), end - t, NEVER, 0, 0, search=True)
        if code != slots.CONVERGED:
            raise self.failure(code)

    def failure(self, code: int) -> StepFailure:
        """How steps failed that ended with a code."""
        named = named_failure(self.compiled, self.memory, int(self.report[slots.JOINT]))
        return StepFailure(_OUTCOMES.get(code, Outcome.NOT_CONVERGED), named)

    def begin(self, t: float, h: float, at_breaks: bool = False) -> None:
        """Start the method smoothly; its own velocities differ from the stored ones along what the joints prescribe."""
        super().begin(t, h, at_breaks)
        if self.jumps is not None and self.jumps.at_start:
            before = self.state.rate.copy()
            inputs = self.compiled.sampler.sample(np.array([t]), step=h, jumps=self.jumps)
            consistent_accelerations(self.compiled, t, self.memory, self.commanded(inputs))
            self.state.accel[:] += self.state.rate - before
        begin_smoothly(self, t, h)

    def looked_after(self) -> Impulses:
        """Of efforts and wrenches."""
        if not self.compiled.sampler.varying:
            return Impulses()
        rule = MEAN_OF_ENDS if self.scheme == CONSERVING else self.rho
        return Impulses(self.compiled.sampler.loads, rule, change_at_start(PART))

    def settle(self, n: int) -> None:
        """Sample inputs anew from here on."""
        super().settle(n)
        self.window = None

    belongings, take_back, push = belongings, take_back, push

    def error(self) -> float:
        """Estimated position error (m) of the last step."""
        unheld, error = judge(self, 1), np.zeros(1)
        local_error(self.memory.address, unheld.memory.address, error)
        if self.scheme == CONSERVING and unheld.ends:
            end_error(self.memory.address, unheld.memory.address, error)
        return float(error[0])

    def judged(
        self, t: float, h: float, n: int, bounds: Bounds, every: int, phase: int
    ) -> tuple[list[float], StepFailure | None]:
        """Several steps at once if nothing has to be done between them."""
        asked = self.controlled is not None and (n == 1 or self.controlled.period is None)  # after every step
        between = self.impulses.present or self.compiled.rolling or self.scheme == CONSERVING or self.watch is not None
        if between or (n == 1 and not asked):
            self.push(t)
            return super().judged(t, h, n, bounds, every, phase)
        if asked:
            errors, failed = judged_step(self, t, h, bounds, every, phase)
        else:
            self.push(t)
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
        before, h = self.controlled.call(t), self.accel_step
        if before is None or self.scheme == CONSERVING or h <= 0.0:
            return
        if not self.at_breaks and self.controlled.values_at(t - _RESTED * h) is before:
            self.restart(t + SIDE * h, h)
            return
        self.replaced = before
        if self.watch is not None:  # which goes back to the state as it is from here on
            self.push(t)

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
            if not self.at_breaks and (self.controlled.period or 0.0) > _RESTED * self.accel_step:
                self.restart(t + SIDE * self.accel_step, self.accel_step)
                return
            self.replaced = held
            self.push(t)
        else:
            self.balance(t)

    def commanding(self) -> tuple[NodalCommands, dict[int, float]]:
        """What the controller holds, for the kernels, and by column; accelerations jump if it has just changed that."""
        assert self.controlled is not None
        if self.commands is None:
            self.commands = NodalCommands(self.controlled.columns.values(), self.memory, self.evaluate)
        self.commands.hold(self.controlled.values, self.replaced)
        self.replaced = None
        return self.commands, self.controlled.values

    def restart(self, t: float, h: float) -> None:
        """Start the method anew at time t, for steps of length h."""
        self.set_step(h)
        restart(self, t, h)
        self.accel_step = h
        self.impulses.begin(t, h)

    def halt(self) -> None:
        """Forget accelerations, which steps of a restart are to find."""
        self.state.rate[:] = 0.0

    def accept(self) -> None:
        """What tells errors goes on, too."""
        judge(self).go_on()
