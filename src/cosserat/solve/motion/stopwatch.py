"""Work and time of a run or an analysis, as its `stats` tell them."""

from __future__ import annotations

import time as clock
from typing import Any

import numpy as np
from numpy.typing import NDArray


def _count(place: int, meaning: str) -> property:
    def read(tally: Tally) -> int:
        return int(tally.counts[place])

    return property(read, doc=meaning)


class Tally:
    """Work done so far: what `progress` is given.

    Parameters
    ----------
    counts : (6,) or more, optional
        Numbers that kernels count up, in the order of the attributes.

    Attributes
    ----------
    halved, rejected : int
        Steps that were split, and adaptive ones that were taken back.
    """

    steps = _count(0, "Steps taken.")
    solves = _count(1, "Evaluations of the residual, each with one back-substitution.")
    factorizations = _count(2, "Matrices assembled and factored.")
    careful = _count(3, "Steps that the iteration with frozen factors could not solve.")
    stalled = _count(4, "Steps that rounding errors kept above the tolerance, as near a singular pose; accepted.")
    searched = _count(5, "Steps that needed a line search, and were solved by it.")

    def __init__(self, counts: NDArray[np.int64] | None = None) -> None:
        self.counts = np.zeros(6, dtype=np.int64) if counts is None else counts
        self.halved = self.rejected = 0

    def add(self, steps: int) -> None:
        """Count steps that no kernel counts; less than none: take back what was repeated, or was a part of one."""
        self.counts[0] += steps


class Stopwatch:
    """CPU time of getting ready and of taking steps, and wall time of both."""

    def __init__(self) -> None:
        self._wall, self._begun = clock.perf_counter(), clock.process_time()
        self._marks: list[float] = []

    def mark(self) -> None:
        """Steps begin; and, when it is called again, all are taken."""
        self._marks.append(clock.process_time())

    @property
    def seconds(self) -> dict[str, float]:
        """CPU and wall time since it was made (s), as analyses tell them."""
        cpu, wall = clock.process_time() - self._begun, clock.perf_counter() - self._wall
        return {"solve_seconds": cpu, "wall_seconds": wall}

    def stats(self, tally: Tally, nodes: int, joints: int, **more: int) -> dict[str, Any]:
        """What was done, and how long it took (s); `more`: what else a formulation counts."""
        ready, stopped = self._marks
        return {
            "steps": tally.steps, "solves": tally.solves, "factorizations": tally.factorizations, **more,
            "steps_split": tally.halved, "steps_rejected": tally.rejected, "nodes": nodes, "joints": joints,
            "setup_seconds": ready - self._begun, "solve_seconds": stopped - ready,
            "wall_seconds": clock.perf_counter() - self._wall,
        }  # fmt: skip
