"""What a controller holds, as compiled steps take it: one call of them from one call of the controller to the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.kernels.commands import (
    BEFORE,
    EVERY,
    HELD,
    JUMPS,
    PHASE,
    ROW,
    STEPS,
    WHOLE,
    Commanding,
    command_handles,
    judged_of,
    load_commands,
    push_of,
    steps_of,
)
from cosserat.kernels.commands import Commands as Arrays
from cosserat.kernels.flexible.arrays import Packed
from cosserat.kernels.newton import CONVERGED
from cosserat.solve.memory import Memory
from cosserat.solve.motion.strides import judge
from cosserat.solve.motion.walk import Bounds
from cosserat.solve.motion.window import Window

if TYPE_CHECKING:
    from cosserat.solve.motion.stepping import Integration

_view: Any = memoryview  # quicker to write than an array


class Commands:
    """Efforts, targets and inputs of one run, up to `count` of them."""

    def __init__(self, count: int, memory: Memory, evaluate: Any) -> None:
        order, report = np.zeros(8, dtype=np.int64), np.zeros(3, dtype=np.int64)
        one = np.array([1, 2, 0, 2, 0])  # step, never stored, see `kernels.judging.advance_judged`
        bounds, error = np.zeros((2, 2))
        held = np.zeros(count, dtype=np.int64), np.zeros(count), np.zeros(count)
        arrays = Arrays(*held, order, report, one, bounds, error)
        self._packed = Packed(command_handles, Commanding(arrays))
        self._column, self._before, self._value = (_view(a) for a in arrays[:3])
        self._signals = frozenset(memory.problem.state_loads.signal[:, 1].tolist())
        self._order, self.report, self._bounds, self.error = (_view(a) for a in (order, report, bounds, error))
        self._memory, self._evaluate = memory, evaluate
        self._bound: tuple[Any, Any, Any] | None = None
        self._judged: tuple[Any, Any, Any] | None = None
        self._held: Mapping[int, float] | None = None
        load_commands(memory.address, self._packed.address, evaluate)
        self._push = push_of(memory.address, self._packed.address)

    def hold(self, values: Mapping[int, float], before: Mapping[int, float] | None) -> None:
        """Values by column from here on; accelerations jump from those before, if they are given."""
        order = self._order
        if values is not self._held:
            self._held = values
            if order[HELD] != len(values):  # columns only join, at the end
                for i, column in enumerate(values):
                    self._column[i] = column
                order[HELD], order[WHOLE] = len(values), int(not self._signals.isdisjoint(values))
            for i, value in enumerate(values.values()):
                self._value[i] = value
        order[JUMPS] = 0
        if before is not None:
            for i, value in enumerate(before.values()):
                self._before[i] = value
            order[BEFORE], order[JUMPS] = len(before), 1

    @property
    def whole(self) -> bool:
        """Whether inputs of laws are among what is held."""
        return bool(self._order[WHOLE])

    def push(self) -> None:
        """Let accelerations jump now, not with the next step; inputs are those of the present time."""
        if self._memory.table is None:  # as in `advance`
            self._push = push_of(self._memory.address, self._packed.address)
        self._push()
        self._order[JUMPS] = 0

    def advance(self, n: int, every: int, phase: int, row: int, careful: Any, search: Any) -> int:
        """Take n steps, see `kernels.integrate.advance`; what was done is in `report`."""
        order = self._order
        order[STEPS], order[EVERY], order[PHASE], order[ROW] = n, every, phase, row
        if self._bound is None or self._bound[1] is not careful or self._bound[2] is not search:
            given = self._memory.address, self._packed.address, self._evaluate, careful, search
            self._bound = steps_of(*given), careful, search
            if self._memory.table is None:  # the compiler is off, and the problem another one whenever a group is
                call, self._bound = self._bound[0], None
                return int(call())
        return int(self._bound[0]())

    def judge(self, unheld: Any, bounds: Bounds, careful: Any) -> int:
        """Take a step that is judged by its error, see `kernels.judging.advance_judged`."""
        self._bounds[0], self._bounds[1] = bounds[:2]
        if self._judged is None or self._judged[1] is not unheld or self._judged[2] is not careful:
            given = self._memory.address, self._packed.address, unheld.memory.address, self._evaluate, careful
            self._judged = judged_of(*given), unheld, careful
            if self._memory.table is None:  # as in `advance`
                call, self._judged = self._judged[0], None
                return int(call())
        return int(self._judged[0]())


def push(work: Integration, t: float) -> None:
    """Let accelerations jump now, at time t, with efforts that were to change with the next step."""
    before, work.replaced = work.replaced, None
    if before is None:
        return
    assert work.controlled is not None
    commands, values, solver = work.commanding(), work.controlled.values, work.memory.problem.solver
    commands.hold(values, before)
    factored = solver.memory[0] == solver.settings[0] == work.accel_step
    if len(before) < len(values) or commands.whole or not factored:
        inputs = work.compiled.sampler.sample(np.array([t, t]))  # it depends on more than what was held
        inputs.effort[1, list(values)] = list(values.values())
        work.memory.replace(inputs=inputs)
        work.set_step(work.accel_step)
    commands.push()


def judged_step(
    work: Integration, t: float, h: float, bounds: Bounds, every: int, phase: int
) -> tuple[list[float], bool]:
    """One step from a call of the controller to the next, judged by its error; returns as `strides.stride` does."""
    controlled, memory, times = work.controlled, work.memory, np.array([t, t + h])
    assert controlled is not None
    if work.accel_step == h == memory.problem.solver.settings[0]:
        inputs = work.sampled(times, h)
    else:
        push(work, t)
        inputs = work.inputs(times, h)
    if inputs is not memory.problem.inputs:
        memory.replace(inputs=inputs)
    commands, unheld = work.commanding(), judge(work, 1)
    commands.hold(controlled.values, work.replaced)
    work.replaced = None
    code = commands.judge(unheld, bounds, work.careful)
    work.done = commands.report[0]
    work.report[2] = commands.report[2]
    if work.done and (phase + 1) % every == 0:
        work.store()
    failed = code != CONVERGED
    return [] if failed else [commands.error[0]], failed


def glide(work: Integration, t: float, h: float, n: int, every: int, phase: int) -> int:
    """Steps with inputs that were sampled before; how many could be taken."""
    controlled, memory, window = work.controlled, work.memory, work.window
    assert controlled is not None
    if work.accel_step not in (0.0, h):
        return 0
    if window is None or window.h != h or window.row + n > window.count:
        work.set_step(h)
        count = work.foreseen(t, h, n, work.ahead)
        times = work.snapped(np.asarray(t + h * np.arange(count + 1), dtype=np.float64), h)
        window = work.window = Window(work.compiled.sampler, times, h, work.side(h), work.jumps)
    window.show(memory)
    commands = work.commanding()
    commands.hold(controlled.values, work.replaced)
    work.replaced, work.accel_step = None, h
    code = commands.advance(n, every, phase, work.stored, work.careful, work.search)
    done, stored, work.report[2] = commands.report
    work.stored += stored
    window.row += done
    if code != CONVERGED:
        work.window = None
    return int(done)
