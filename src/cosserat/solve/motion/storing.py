"""What a run in the Galilean formulation stores, and all that it needs to go on in another process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.joints import opened
from cosserat.kernels import slots
from cosserat.kernels.arrays import History, State
from cosserat.lie.protocol import Array
from cosserat.solve.memory import Memory, demand_like, new_history
from cosserat.solve.motion.crossings import Row
from cosserat.solve.motion.jolts import take_joints
from cosserat.solve.motion.judging import judge

if TYPE_CHECKING:
    from cosserat.solve.motion.stepping import Integration

_KEPT = ("state", "trial", "middle", "solver", "scratch", "visit", "owned")  # groups of the problem, ...
# ... without addresses, and what is sampled anew
_OWN = ("laws", "bonds", "units", "rules", "media", "settle", "drive_rate")


def snapshot(state: State) -> Row:
    """A row of a history: frames, twists, rates, multipliers, angles, states of laws, energy spent."""
    known = state.frame, state.twist, state.rate, state.force, state.angle, state.inner[0], state.spent
    return tuple(a.copy() for a in known)


class Shelf:
    """Stored states.

    The conserving scheme has rates and forces in the middle of steps: those of the state stored last wait for the next
    step, or for somebody who tells them.

    Attributes
    ----------
    room : History
    count : int
        How many there are.
    shared : bool
        Whether kernels store in this room, too, and bring what waits to its time.
    first : tuple, optional
        What to store first, where a controller changes it at once.
    """

    def __init__(self, compiled: CompiledModel, memory: Memory, waits: bool) -> None:
        self._compiled, self._memory, self._waits = compiled, memory, waits
        self.room, self.count, self.shared = new_history(compiled, 1), 0, False
        self.first: Row | None = None
        self._waiting: tuple[int, float] | None = None  # steps taken at the state stored last, and length of the last

    def reserve(self, n_rows: int) -> None:
        """Make room for so many states, which kernels store."""
        self.shared = True
        self.make_room(n_rows)

    def make_room(self, n_rows: int) -> None:
        """See to it that so many states more can be stored."""
        known = self.room
        if self.count + n_rows > len(known.frame):
            self.room = new_history(self._compiled, (2 * len(known.frame) if self.count else 0) + n_rows)
            for array, values in zip(self.room, known, strict=True):
                array[: self.count] = values[: self.count]
            if self.shared:
                self._memory.replace(history=self.room)

    def put(self, taken: int, step: float) -> None:
        """Store the state of the problem, after so many steps, the last of some length."""
        self.complete(taken, step)
        row, self.first = self.first or snapshot(self._memory.problem.state), None
        waits = self._waits and taken > 0
        self._waiting = (taken, step) if waits and not self.shared else None
        if waits and self.shared:
            self._memory.problem.solver.memory[2:4] = self.count, step
        self.add([value[None] for value in row], 1)

    def add(self, states: Sequence[Array], n: int) -> None:
        """Store the first n states of a history."""
        self.make_room(n)
        for array, values in zip(self.room, states, strict=True):
            array[self.count : self.count + n] = values[:n]
        self.count += n

    def drop(self) -> None:
        """Forget the state stored last."""
        self.count -= 1
        self._waiting, self._memory.problem.solver.memory[slots.ROW] = None, -1.0

    def complete(self, taken: int, step: float) -> None:
        """Bring rates and forces of what waits to its time, once the next step is taken."""
        if self._waiting is not None and taken > self._waiting[0]:
            before, state = self._waiting[1], self._memory.problem.state
            for kept, new in zip(self.room[2:4], (state.rate, state.force), strict=True):
                kept[self.count - 1] += before / (before + step) * (new - kept[self.count - 1])
            self._waiting = None

    @property
    def waiting(self) -> bool:
        """Whether the state stored last waits for its rates and forces."""
        return self._waiting is not None or bool(self._memory.problem.solver.memory[slots.ROW] >= 0.0)

    def note(self) -> None:
        """Rates and forces of the problem are those of the state that waits for them."""
        if self.waiting:
            last, state = self.count - 1, self._memory.problem.state
            self.room.rate[last], self.room.force[last] = state.rate, state.force
            self._waiting, self._memory.problem.solver.memory[slots.ROW] = None, -1.0

    def history(self, n: int) -> History:
        """The first n states: all, but where steps were interrupted midway."""
        return History(*(a[:n] if self.shared else a[:n].copy() for a in self.room))

    def keepsake(self) -> dict[str, Any]:
        """All that is stored."""
        return {"stored": [a[: self.count] for a in self.room], "waiting": self._waiting}

    def resume(self, kept: dict[str, Any]) -> None:
        """Take it back."""
        stored, self._waiting, self.count = kept["stored"], kept["waiting"], 0
        if self._waiting is not None:
            demand_like(self._waiting, (0, 0.0))
        demand_like(stored, list(self.room), rows=True)
        count, row = len(stored[0]), self._memory.problem.solver.memory[slots.ROW]
        if {len(a) for a in stored} != {count} or not -1 <= row < max(count, 1):
            raise ValueError("stored states that there are not")
        self.add(stored, count)


def arrays_of(work: Integration, name: str) -> list[Array]:
    """Arrays of a group that mean the same in another process, and are not sampled anew."""
    group = getattr(work.memory.problem, name)
    return [getattr(group, field) for field in group._fields if field not in _OWN]


def belongings(work: Integration) -> dict[str, Any]:
    """Stored states, and every number of the problem: state, trial, factors, memories."""
    return {
        **work.shelf.keepsake(), "groups": {name: arrays_of(work, name) for name in _KEPT},
        "accel_step": work.accel_step, "loaded": [work.careful != 0, work.search != 0], "graded": work.graded,
        "unheld": None if work.unheld is None else work.unheld.keepsake(), "soft": work.memory.problem.joints.soft,
    }  # fmt: skip


def take_back(work: Integration, kept: dict[str, Any]) -> None:
    """Become what gave these belongings."""
    solver = work.memory.problem.solver
    if tuple(kept["groups"]) != _KEPT:
        raise ValueError(f"groups {list(kept['groups'])}")
    for name, arrays in kept["groups"].items():
        demand_like(arrays, arrays_of(work, name))
        for target, array in zip(arrays_of(work, name), arrays, strict=True):
            target[...] = array
    if work.phases is not None:
        take_joints(work, opened(work.whole, work.phases.open))
    demand_like(kept["soft"], work.memory.problem.joints.soft)
    work.memory.problem.joints.soft[...] = kept["soft"]
    work.shelf.resume(kept)
    work.accel_step, work.graded = float(kept["accel_step"]), bool(kept["graded"])
    if kept["unheld"] is not None:
        demand_like(kept["unheld"], [solver.blocks, solver.memory, solver.past, 0])
        judge(work).resume(kept["unheld"])
    for wanted in kept["loaded"]:
        if wanted:
            work.load_more(search=True)
