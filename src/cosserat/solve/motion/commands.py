"""What a controller holds, as compiled steps take it: one call of them from one call of the controller to the next.

Inputs are sampled once for many steps: a controller that is called at every step need not pay for sampling.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.compile.timetable import Jumps, Sampler
from cosserat.kernels import slots
from cosserat.kernels.arrays import Inputs, Packed, Problem, bound, part_of
from cosserat.kernels.commands import HeldCommands, commanded_judged, commanded_steps
from cosserat.kernels.commands import push as push_accelerations
from cosserat.kernels.held import BEFORE, EFFORT, EVERY, FIRST, HELD, JUMPS, PHASE, SIGNAL, STEPS, WHOLE
from cosserat.kernels.slots import CONVERGED
from cosserat.lie.protocol import Array
from cosserat.model.parameters import Parameter
from cosserat.solve.memory import Memory
from cosserat.solve.motion.walk import Bounds

if TYPE_CHECKING:
    from cosserat.solve.motion.stepping import Integration

view: Any = memoryview  # quicker to write than an array


class Held:
    """Values of a controller, see `kernels.held`.

    Parameters
    ----------
    group : callable
        Makes a group of commands: of the arrays that all have, and `own` ones.
    places : mapping
        Kind and place of what can be held, by column.
    jumps : bool
        Whether accelerations jump with what changes: the method remembers them.
    """

    def __init__(self, group: Any, places: Mapping[int, tuple[int, int]], jumps: bool, *own: Any) -> None:
        n, sizes = len(places), (np.int64, np.int64, np.float64, np.float64)
        self.arrays = group(*(np.zeros(n, dtype=kind) for kind in sizes), np.zeros(8, dtype=np.int64), *own)
        self._kind, self._place, self._before, self._value, self._order = (view(a) for a in self.arrays[:5])
        self._places, self._jumps = places, jumps
        self._held: Mapping[int, float] | None = None

    def hold(self, values: Mapping[int, float], before: Mapping[int, float] | None) -> None:
        """Values by column from here on; accelerations jump from those before, if they are given."""
        order = self._order
        if values is not self._held:
            self._held = values
            if order[HELD] != len(values):  # columns only join, at the end
                for i, column in enumerate(values):
                    self._kind[i], self._place[i] = self._places[column]
                order[HELD], order[WHOLE] = len(values), int(any(self._places[k][0] == SIGNAL for k in values))
            for i, value in enumerate(values.values()):
                self._value[i] = value
        order[JUMPS] = 0
        if before is not None and self._jumps:
            for i, value in enumerate(before.values()):
                self._before[i] = value
            order[BEFORE], order[JUMPS] = len(before), 1


class NodalCommands(Held):
    """Efforts, targets and inputs of one run, by their columns of inputs; made anew where steps need other kernels."""

    def __init__(self, columns: Collection[int], memory: Memory, evaluate: Any) -> None:
        report, problem = np.zeros(3, dtype=np.int64), memory.problem
        one = np.array([1, 2, 0, 2, 0])  # step, never stored, see `kernels.judging.advance_judged`
        bounds, error = np.zeros((2, 2))
        signals = frozenset((*problem.state_loads.signal[:, 1].tolist(), *problem.springs.column.tolist()))
        places = {column: (SIGNAL if column in signals else EFFORT, column) for column in columns}
        super().__init__(HeldCommands, places, True, report, one, bounds, error)
        self._packed = Packed(self.arrays)
        self.report, self._bounds, self.error = (view(a) for a in (report, bounds, error))
        self._memory, self._evaluate = memory, evaluate
        self._steps: Any = None
        self._judged: Any = None

    @property
    def whole(self) -> bool:
        """Whether inputs of laws are among what is held."""
        return bool(self._order[WHOLE])

    def push(self) -> None:
        """Let accelerations jump now, not with the next step; inputs are those of the present time."""
        push_accelerations(self._memory.address, self._packed.address)
        self._order[JUMPS] = 0

    def advance(self, n: int, every: int, phase: int, row: int, careful: Any, search: Any) -> int:
        """Take n steps, see `kernels.integrate.advance`; what was done is in `report`."""
        order = self._order
        order[STEPS], order[EVERY], order[PHASE], order[FIRST] = n, every, phase, row
        if self._steps is None or self._memory.table is None:  # with the compiler off a problem is another one
            given = self._memory.address, self._packed.address, self._evaluate, careful, search
            self._steps = bound(commanded_steps, *given)
        return int(self._steps())

    def judge(self, unheld: Any, bounds: Bounds, careful: Any) -> int:
        """Take a step that is judged by its error, see `kernels.judging.advance_judged`."""
        self._bounds[0], self._bounds[1] = bounds[:2]
        if self._judged is None or self._memory.table is None:
            given = self._memory.address, self._packed.address, unheld.memory.address, self._evaluate, careful
            self._judged = bound(commanded_judged, *given)
        return int(self._judged())


def push(work: Integration, t: float) -> None:
    """Let accelerations jump now, at time t, with efforts that were to change with the next step."""
    before, solver = work.replaced, work.memory.problem.solver
    if before is None:
        return
    commands, values = work.commanding()
    factored = solver.memory[slots.FACTORED] == solver.settings[slots.STEP] == work.accel_step
    if len(before) < len(values) or commands.whole or not factored:
        inputs = work.compiled.sampler.sample(np.array([t, t]))  # it depends on more than what was held
        inputs.effort[1, list(values)] = list(values.values())
        work.memory.replace(inputs=inputs)
        work.set_step(work.accel_step)
    commands.push()


class Window:
    """Inputs at the ends of equal steps; kernels see those from the present row on.

    Attributes
    ----------
    row : int
        Of the present time.
    count : int
        Rows there are after the first.
    """

    def __init__(self, sampler: Sampler, times: Array, h: float, side: float, jumps: Jumps | None) -> None:
        count = len(times) - 1
        self.h, self.row, self.count = h, 0, count
        self.inputs = sampler.sample(times, step=side, jumps=jumps)
        self._part, table = part_of(Problem, "inputs"), Packed(self.inputs).table
        if table is not None:
            self._shown = np.repeat(table[None], count + 1, axis=0)  # addresses and shapes, row by row
            pointers = np.cumsum([0, *(1 + a.ndim for a in self.inputs[:-1])])
            self._shown[:, pointers] += np.arange(count + 1)[:, None] * np.array([a.strides[0] for a in self.inputs])

    def show(self, memory: Memory) -> None:
        """Let kernels see the steps from the present row on."""
        if memory.table is None:
            memory.replace(inputs=Inputs(*(a[self.row :] for a in self.inputs)))
        else:
            memory.table[self._part] = self._shown[self.row]


class Steady:
    """Inputs of one step where nothing but the clock changes with time: the same arrays for all steps.

    Attributes
    ----------
    valid : bool
        Whether that is so.
    """

    def __init__(self, sampler: Sampler) -> None:
        self._sampler, self._changes = sampler, -1
        self._inputs: Inputs
        self.valid = not sampler.varying and not sampler.driven

    def at(self, times: Array) -> Inputs:
        """Inputs at both ends of a step; efforts may have those of a controller in them."""
        if self._changes != Parameter.changes:
            self._inputs, self._changes = self._sampler.sample(times), Parameter.changes
        self._inputs.clock[:, 0] = times
        return self._inputs


def glide(work: Integration, t: float, h: float, n: int, every: int, phase: int) -> int:
    """Steps with inputs that were sampled before; how many could be taken."""
    window = work.window
    if work.accel_step not in (0.0, h):
        return 0
    if window is None or window.h != h or window.row + n > window.count:
        work.set_step(h)
        count = work.foreseen(t, h, n)
        times = work.grid.snap(np.asarray(t + h * np.arange(count + 1), dtype=np.float64), h)
        window = work.window = Window(work.compiled.sampler, times, h, work.side(h), work.jumps)
    window.show(work.memory)
    commands, _ = work.commanding()
    work.accel_step = h
    code = commands.advance(n, every, phase, work.shelf.count, work.careful, work.search)
    done, stored, work.report[slots.JOINT] = commands.report
    work.shelf.count += stored
    window.row += done
    if code != CONVERGED:
        work.window = None
    return int(done)
