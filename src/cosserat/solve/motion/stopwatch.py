"""Time and work of a run or an analysis, as its `stats` tell them."""

from __future__ import annotations

import time as clock
from typing import Any

from cosserat.solve.motion.tally import Tally


class Stopwatch:
    """CPU time of getting ready and of taking steps, and wall time of both."""

    def __init__(self) -> None:
        self._wall, self._begun = clock.perf_counter(), clock.process_time()
        self._ready = self._stopped = self._begun

    def ready(self) -> None:
        """Steps begin."""
        self._ready = clock.process_time()

    def stop(self) -> None:
        """All steps are taken."""
        self._stopped = clock.process_time()

    @property
    def seconds(self) -> dict[str, float]:
        """CPU and wall time since it was made (s), as analyses tell them."""
        cpu, wall = clock.process_time() - self._begun, clock.perf_counter() - self._wall
        return {"solve_seconds": cpu, "wall_seconds": wall}

    def stats(self, tally: Tally, nodes: int, joints: int, **more: int) -> dict[str, Any]:
        """What was done, and how long it took (s); `more`: what else a formulation counts."""
        return {
            "steps": tally.steps, "solves": tally.solves, "factorizations": tally.factorizations, **more,
            "steps_split": tally.halved, "steps_rejected": tally.rejected, "nodes": nodes, "joints": joints,
            "setup_seconds": self._ready - self._begun, "solve_seconds": self._stopped - self._ready,
            "wall_seconds": clock.perf_counter() - self._wall,
        }  # fmt: skip
