"""What `simulate` is asked for, as both formulations take it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from cosserat.compile.compiled import CompiledModel
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.checkpoint import Checkpoint, identity_of
from cosserat.results.run import Run
from cosserat.results.status import Status
from cosserat.solve.motion.driver import Progress, adaptive_steps, fixed_steps
from cosserat.solve.motion.stopwatch import Stopwatch
from cosserat.solve.motion.switching import Phases
from cosserat.solve.motion.walk import Walk


class Asked(NamedTuple):
    """Arguments of `simulate`, checked; those that have no name here are in `settings`."""

    model: Model
    duration: float
    step: float | None
    settings: dict[str, Any]
    start: Any
    start_time: float
    every: int
    progress: Progress | None
    checkpoint: tuple[Any, float] | None  # path and interval
    phases: Phases | None  # which joints are open, None: none ever is
    watch: Stopwatch

    @property
    def begins(self) -> float:
        """The time at which it begins: where the run ended that goes on, or the one that was given."""
        return float(self.start.time[-1]) if isinstance(self.start, Run) else self.start_time

    def keeper(self, compiled: CompiledModel) -> Checkpoint:
        """The checkpoint that is asked for."""
        assert self.checkpoint is not None
        said = {"step": self.step, "duration": self.duration, "start_time": self.start_time, "start": self.start}
        path, interval = self.checkpoint
        identity = identity_of(compiled, {**self.settings, **said})
        events = self.settings.get("events", ())
        return Checkpoint(path, identity, interval, self.settings["controller"], self.model, events)

    def steps(
        self, walk: Walk, t: float, breaks: Sequence[float], keeper: Checkpoint | None
    ) -> tuple[Array, Status]:  # fmt: skip
        """Take the steps from time t on, adaptive ones between `breaks`: times that are stored, and how it ended."""
        if self.step is None:
            tolerance, more = self.settings["tolerance"], (self.progress, keeper)
            return adaptive_steps(walk, t, self.duration, tolerance, self.every, breaks, *more)
        return fixed_steps(walk, t, self.duration, self.step, self.every, self.progress, keeper)
