"""What a run in the Galilean formulation stores, and all that it needs to go on in another process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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
    """A row of a history: frames, twists, rates, multipliers, angles, states of laws."""
    known = state.frame, state.twist, state.rate, state.force, state.angle, state.inner[0]
    return tuple(a.copy() for a in known)


class Shelf:
    """Stored states: in room that was reserved for them, or one by one where nobody knows how many there will be.

    The conserving scheme has rates and forces in the middle of steps: those of the state stored last wait for the next
    step, or for somebody who tells them.

    Attributes
    ----------
    rows : list
        States, if no room was reserved.
    reserved : History, optional
    count : int
        How many are in reserved room; kernels store there, too.
    first : tuple, optional
        What to store first, where a controller changes it at once.
    """

    def __init__(self, compiled: CompiledModel, memory: Memory, waits: bool) -> None:
        self._compiled, self._memory, self._waits = compiled, memory, waits
        self.rows: list[Row] = []
        self.reserved: History | None = None
        self.count = 0
        self.first: Row | None = None
        self._waiting: tuple[int, float] | None = None  # steps taken when `rows` grew last, and length of the last one

    def __len__(self) -> int:
        return len(self.rows) if self.reserved is None else self.count

    def reserve(self, n_rows: int) -> None:
        """Make room for so many states."""
        self.reserved = new_history(self._compiled, n_rows)
        self._memory.replace(history=self.reserved)

    def make_room(self, n_rows: int) -> None:
        """Make room for so many states more, if room was reserved."""
        if self.reserved is not None and self.count + n_rows > len(self.reserved.frame):
            more = new_history(self._compiled, 2 * len(self.reserved.frame) + n_rows)
            for array, known in zip(more, self.reserved, strict=True):
                array[: self.count] = known[: self.count]
            self.reserved = more
            self._memory.replace(history=more)

    def put(self, taken: int, step: float) -> None:
        """Store the state of the problem, after so many steps, the last of some length."""
        self.complete(taken, step)
        row, self.first = self.first or snapshot(self._memory.problem.state), None
        waits = self._waits and taken > 0
        if self.reserved is None:
            self.rows.append(row)
            self._waiting = (taken, step) if waits else None
            return
        for array, value in zip(self.reserved, row, strict=True):
            array[self.count] = value
        if waits:
            self._memory.problem.solver.memory[2:4] = self.count, step
        self.count += 1

    def drop(self) -> None:
        """Forget the state stored last."""
        if self.reserved is None:
            del self.rows[-1]
        else:
            self.count -= 1
        self._waiting, self._memory.problem.solver.memory[slots.ROW] = None, -1.0

    def complete(self, taken: int, step: float) -> None:
        """Bring rates and forces of the last of `rows` to its time, once the next step is taken."""
        if self._waiting is not None and taken > self._waiting[0]:
            before, state = self._waiting[1], self._memory.problem.state
            for kept, new in zip(self.rows[-1][2:4], (state.rate, state.force), strict=True):
                kept += before / (before + step) * (new - kept)
            self._waiting = None

    @property
    def waiting(self) -> bool:
        """Whether the state stored last waits for its rates and forces."""
        return self._waiting is not None or bool(self._memory.problem.solver.memory[slots.ROW] >= 0.0)

    def note(self) -> None:
        """Rates and forces of the problem are those of the state that waits for them."""
        if self.waiting:
            row = self.rows[-1] if self.reserved is None else [a[self.count - 1] for a in self.reserved]
            state = self._memory.problem.state
            row[2][...], row[3][...] = state.rate, state.force
            self._waiting, self._memory.problem.solver.memory[slots.ROW] = None, -1.0

    def history(self, n: int) -> History:
        """The first n states: all, but where steps were interrupted midway."""
        if self.reserved is not None:
            return History(*(a[:n] for a in self.reserved))
        return History(*(np.stack([row[k] for row in self.rows[:n]]) for k in range(6)))

    def keepsake(self) -> dict[str, Any]:
        """All that is stored."""
        rows = [list(row) for row in self.rows]
        stored = rows if self.reserved is None else [a[: self.count] for a in self.reserved]
        return {"stored": stored, "n_stored": self.count, "waiting": self._waiting}

    def resume(self, kept: dict[str, Any]) -> None:
        """Take it back."""
        self.count, self._waiting = kept["n_stored"], kept["waiting"]
        if self._waiting is not None:
            demand_like(self._waiting, (0, 0.0))
        if self.reserved is None:
            self.rows = [tuple(row) for row in kept["stored"]]
            demand_like(self.rows, [snapshot(self._memory.problem.state)] * len(self.rows))
        else:
            demand_like(kept["stored"], [array[: self.count] for array in self.reserved])
            for target, array in zip(self.reserved, kept["stored"], strict=True):
                target[: self.count] = array
        if not 0 <= self.count or not -1 <= self._memory.problem.solver.memory[slots.ROW] <= max(self.count - 1, 0):
            raise ValueError("stored states that there are not")


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
