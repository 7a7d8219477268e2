"""Stored states of a run in the Galilean formulation."""

from __future__ import annotations

from typing import Any

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.kernels import slots
from cosserat.kernels.arrays import History
from cosserat.solve.memory import Memory, new_history
from cosserat.solve.motion.crossings import Row, snapshot
from cosserat.solve.motion.likeness import demand_like


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
