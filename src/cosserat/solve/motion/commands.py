"""What a controller holds, as compiled steps take it: one call of them from one call of the controller to the next."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.kernels import slots
from cosserat.kernels.arrays import bound
from cosserat.kernels.commands import Commanding, HeldCommands, command_handles, commanded_judged, commanded_steps
from cosserat.kernels.commands import push as push_accelerations
from cosserat.kernels.flexible.arrays import Packed
from cosserat.kernels.held import EFFORT, EVERY, FIRST, JUMPS, PHASE, SIGNAL, STEPS, WHOLE
from cosserat.kernels.newton import CONVERGED
from cosserat.solve.memory import Memory
from cosserat.solve.motion.held import Held, view
from cosserat.solve.motion.strides import judge
from cosserat.solve.motion.walk import Bounds
from cosserat.solve.motion.window import Window

if TYPE_CHECKING:
    from cosserat.solve.motion.stepping import Integration

class NodalCommands(Held):
    """Efforts, targets and inputs of one run, by their columns of inputs."""

    def __init__(self, columns: Collection[int], memory: Memory, evaluate: Any) -> None:
        n, report = len(columns), np.zeros(3, dtype=np.int64)
        kind, place, order = (np.zeros(size, dtype=np.int64) for size in (n, n, 8))
        one = np.array([1, 2, 0, 2, 0])  # step, never stored, see `kernels.judging.advance_judged`
        bounds, error = np.zeros((2, 2))
        arrays = HeldCommands(kind, place, np.zeros(n), np.zeros(n), order, report, one, bounds, error)
        problem = memory.problem
        signals = frozenset((*problem.state_loads.signal[:, 1].tolist(), *problem.springs.column.tolist()))
        super().__init__(arrays, {column: (SIGNAL if column in signals else EFFORT, column) for column in columns})
        self._packed = Packed(command_handles, Commanding(arrays))
        self.report, self._bounds, self.error = (view(a) for a in (report, bounds, error))
        self._memory, self._evaluate = memory, evaluate
        self._bound: tuple[Any, Any, Any] | None = None
        self._judged: tuple[Any, Any, Any] | None = None
        self._push = bound(push_accelerations, memory.address, self._packed.address)

    @property
    def whole(self) -> bool:
        """Whether inputs of laws are among what is held."""
        return bool(self._order[WHOLE])

    def push(self) -> None:
        """Let accelerations jump now, not with the next step; inputs are those of the present time."""
        if self._memory.table is None:  # as in `advance`
            self._push = bound(push_accelerations, self._memory.address, self._packed.address)
        self._push()
        self._order[JUMPS] = 0

    def advance(self, n: int, every: int, phase: int, row: int, careful: Any, search: Any) -> int:
        """Take n steps, see `kernels.integrate.advance`; what was done is in `report`."""
        order = self._order
        order[STEPS], order[EVERY], order[PHASE], order[FIRST] = n, every, phase, row
        if self._bound is None or self._bound[1] is not careful or self._bound[2] is not search:
            given = self._memory.address, self._packed.address, self._evaluate, careful, search
            self._bound = bound(commanded_steps, *given), careful, search
            if self._memory.table is None:  # the compiler is off, and the problem another one whenever a group is
                call, self._bound = self._bound[0], None
                return int(call())
        return int(self._bound[0]())

    def judge(self, unheld: Any, bounds: Bounds, careful: Any) -> int:
        """Take a step that is judged by its error, see `kernels.judging.advance_judged`."""
        self._bounds[0], self._bounds[1] = bounds[:2]
        if self._judged is None or self._judged[1] is not unheld or self._judged[2] is not careful:
            given = self._memory.address, self._packed.address, unheld.memory.address, self._evaluate, careful
            self._judged = bound(commanded_judged, *given), unheld, careful
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
    factored = solver.memory[slots.FACTORED] == solver.settings[slots.STEP] == work.accel_step
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
    if work.accel_step == h == memory.problem.solver.settings[slots.STEP]:
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
    work.done = commands.report[slots.TAKEN]
    work.report[slots.JOINT] = commands.report[slots.JOINT]
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
        times = work.grid.snap(np.asarray(t + h * np.arange(count + 1), dtype=np.float64), h)
        window = work.window = Window(work.compiled.sampler, times, h, work.side(h), work.jumps)
    window.show(memory)
    commands = work.commanding()
    commands.hold(controlled.values, work.replaced)
    work.replaced, work.accel_step = None, h
    code = commands.advance(n, every, phase, work.shelf.count, work.careful, work.search)
    done, stored, work.report[slots.JOINT] = commands.report
    work.shelf.count += stored
    window.row += done
    if code != CONVERGED:
        work.window = None
    return int(done)
