"""What `simulate` is asked for, as both formulations take it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from cosserat.compile.compiled import CompiledModel
from cosserat.errors import warn
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.checkpoint import Checkpoint, identity_of
from cosserat.results.run import Run
from cosserat.results.status import Status, noted
from cosserat.solve.beyond import events_of
from cosserat.solve.motion.adaptive import AdaptiveSteps
from cosserat.solve.motion.driver import Driver, EqualSteps, Progress
from cosserat.solve.motion.method import Method
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

    def recorded(
        self, walk: Walk, times: Array, status: Status, sizes: tuple[int, int], events: Sequence[str] = (),
        **counts: int,
    ) -> dict[str, Any]:  # fmt: skip
        """What a trajectory tells of a run besides its states; says so if a function of the user raised.

        `sizes`: numbers of nodes and joints; `events`: what else ought to be said; `counts`: what else is counted.
        """
        if status.cause is not None:  # a controller or `progress` raised; the run is kept instead of passing it on
            warn(f"simulate: {status.message}")
        control, stats = walk.controlled, self.watch.stats(walk.tally, *sizes, **counts)
        settings = {key: value for key, value in self.settings.items() if key not in ("controller", "events")}
        settings |= {"step": self.step, "duration": self.duration}
        settings["controlled"] = [] if control is None else sorted(control.values)
        if isinstance(settings["integrator"], Method):
            settings["integrator"] = type(settings["integrator"]).__name__
        if walk.watch is not None:
            settings["events"] = walk.watch.found
        return {
            "settings": settings,
            "stats": stats,
            "status": noted(status, stats, [*events_of(self.model, times), *events]),
            "efforts": None if control is None else control.efforts_at(times),
            "held": None if control is None else control.held,
        }

    def steps(
        self, walk: Walk, t: float, breaks: Sequence[float], keeper: Checkpoint | None
    ) -> tuple[Array, Status]:  # fmt: skip
        """Take the steps from time t on, adaptive ones between `breaks`: times that are stored, and how it ended."""
        self.watch.mark()
        if self.step is None:
            driver: Driver = AdaptiveSteps(walk, t, self.duration, self.settings["tolerance"], breaks, self.every)
        else:
            driver = EqualSteps(walk, t, self.duration, self.step, self.every)
        found = driver.run(self.progress, keeper)
        self.watch.mark()
        return found
