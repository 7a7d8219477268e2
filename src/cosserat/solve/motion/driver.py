"""Drivers of time steps, of either formulation: what is alike for all of them, and equal steps.

They call the controller and `progress`, keep what is finished whatever happens, and say how it ended.
"""

from __future__ import annotations

import operator
import time as clock
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cosserat.errors import CosseratError
from cosserat.lie.protocol import Array
from cosserat.results.checkpoint import BARRIER, Checkpoint
from cosserat.results.status import Outcome, Status
from cosserat.solve.interrupts import Interrupts
from cosserat.solve.motion.stopwatch import Tally
from cosserat.solve.motion.walk import MOST_HALVINGS, Grid, Walk
from cosserat.solve.motion.watching import ROUNDED, Ended, given_up, status_of, watched_step
from cosserat.solve.motion.wheels import TurnLimit

Progress = Callable[[float, Tally], None]

_ROUND = 1e-6  # of a step that durations may be longer: numbers of single precision
_CHUNK = 4096  # steps for which functions of time are sampled at once, at most
_WATCHED = 64  # steps between two looks at how far wheels turn
PATIENCE = 0.1  # s between two looks at what goes on outside


def equal_steps(duration: float, step: float) -> int:
    """Into how many equal steps, not longer than `step`, a time is divided."""
    return max(1, int(np.ceil(duration / step - _ROUND)))


class Driver(ABC):
    """Takes the steps of a walk, and does what is to be done between them, however long they are.

    Parameters
    ----------
    walk : Walk
    start, end : float
        Times (s).
    every : int
        Store every so many steps.

    Attributes
    ----------
    t : float
        Time reached.
    """

    def __init__(self, walk: Walk, start: float, end: float, every: int) -> None:
        self.walk, self.start, self.end, self.every, self.t = walk, start, end, every, start
        self.stepping = False  # whether the walk is inside a step
        self.progress: Progress | None = None
        self.keeper: Checkpoint | None = None

    def run(self, progress: Progress | None = None, keeper: Checkpoint | None = None) -> tuple[Array, Status]:
        """Take all steps: times of stored states, and how it ended."""
        walk, self.progress, self.keeper = self.walk, progress, keeper
        if keeper is None or not keeper.resume(walk, self.resume):
            walk.store()
            self.begin()
        status, stopped = Status(Outcome.OK, self.end), False  # stopped: by an event
        with Interrupts(stepping=True) as interrupts:
            try:
                while self.take():
                    if interrupts.asked:
                        raise KeyboardInterrupt
            except KeyboardInterrupt:
                if self.stepping:  # the state may be one of later than is counted
                    walk.torn = True
                    self.fall_back()
                status = Status(Outcome.INTERRUPTED, self.t)
            except Ended as ended:
                status, stopped = ended.status, ended.at_event
                if stopped:
                    self.stop(ended)
            interrupts.closing = True
            goes_on = status.ok or status.outcome is Outcome.INTERRUPTED
            if keeper is not None and goes_on and not (stopped or walk.torn):
                try:
                    self.save(keeper)
                except Ended as ended:
                    status = ended.status
                except KeyboardInterrupt:  # raised by `get_state`: the checkpoint stays as it was
                    pass
        return self.finish(status)

    def ask(self, what: str, function: Callable[..., Any], *values: Any) -> None:
        """Call something of the user's; what it raises ends the run."""
        try:
            function(*values)
        except Exception as error:
            raise Ended(status_of(what, error, self.t)) from error

    def save(self, keeper: Checkpoint) -> None:
        """Write a checkpoint; what `get_state` of a controller raises ends the run."""
        content = {**self.walk.keepsake(), **self.keepsake()}
        try:
            keeper.save(content)
        except CosseratError:
            raise
        except Exception as error:
            raise Ended(status_of("controller: get_state()", error, self.t)) from error

    @abstractmethod
    def keepsake(self) -> dict[str, Any]:
        """What it needs itself to go on."""

    @abstractmethod
    def resume(self, kept: Mapping[str, Any]) -> None:
        """Become what gave a keepsake."""

    @abstractmethod
    def begin(self) -> None:
        """Get the walk ready for the first step."""

    @abstractmethod
    def take(self) -> bool:
        """Take steps up to the next time at which something else may be asked; False: there are none left."""

    @abstractmethod
    def fall_back(self) -> None:
        """Count steps up to the state stored last."""

    @abstractmethod
    def stop(self, ended: Ended) -> None:
        """Count the state at the event that ends the run, which is stored last."""

    @abstractmethod
    def finish(self, status: Status) -> tuple[Array, Status]:
        """Store the state at the end: times of stored states, and how it ended."""


class EqualSteps(Driver):
    """Equal steps, not longer than `step`; one that fails is split into 2, 4, ... parts."""

    def __init__(self, walk: Walk, start: float, duration: float, step: float, every: int = 1) -> None:
        self.n_steps = equal_steps(duration, step)
        self.h = duration / self.n_steps
        super().__init__(walk, start, start + self.n_steps * self.h, every)
        self.per_call = self.n_steps if walk.controlled is None else walk.controlled.steps_per_call(self.h)
        self.done, self.chunk = 0, 64
        self.extra = list[float]()  # times of states stored at events
        walk.end, walk.grid = self.end, Grid(start, self.h)

    def keepsake(self) -> dict[str, Any]:
        return {"done": self.done, "extra": self.extra}

    def resume(self, kept: Mapping[str, Any]) -> None:
        self.done, self.extra = operator.index(kept["done"]), [float(x) for x in kept["extra"]]
        self.t = self.start + self.done * self.h
        stored = 1 + self.done // self.every + len(self.extra)
        if not 0 <= self.done <= self.n_steps or self.walk.n_stored != stored:
            raise ValueError(f"{self.done} of {self.n_steps} steps")

    def begin(self) -> None:
        self.walk.begin(self.start, self.h)

    def take(self) -> bool:
        """As many steps as take a tenth of a second or so."""
        walk, start, h, every, done = self.walk, self.start, self.h, self.every, self.done
        if done == self.n_steps:
            return False
        chunk, since = self.chunk, done % self.per_call  # steps since the controller was called
        if walk.controlled is not None and since == 0:
            self.ask("controller", walk.consult, self.t)
        if self.keeper is not None:
            chunk = BARRIER - done % BARRIER
            if chunk == BARRIER:
                walk.settle(BARRIER)
                if self.keeper.due:
                    self.save(self.keeper)
        n = min(chunk, self.n_steps - done, self.per_call - since)
        limit = walk.turn_limit()
        if limit is not None:
            if h > limit.step:
                raise Ended(turned(limit, self.t, h))
            n = min(n, _WATCHED)
        if walk.watch is not None:
            n = 1
            walk.make_room()
            walk.watch.begin(self.t)
        began = clock.perf_counter()
        self.stepping = True
        failure = walk.advance(self.t, h, n, every, done)
        self.done = done + walk.done
        if failure is not None:
            at = start + self.done * h
            failure = walk.split(at, h, failure)
            if failure is not None:
                raise Ended(given_up(walk, failure, at, h / 2**MOST_HALVINGS))
            self.done += 1
            if self.done % every == 0:
                walk.store()
        if walk.watch is not None:
            self.done -= 1
            known = self.done % every == 0 or (bool(self.extra) and abs(self.extra[-1] - self.t) <= ROUNDED * h)
            watched_step(walk, self.t, h, (self.done + 1) % every == 0, known, self.extra)
            self.done += 1
        self.stepping, self.t = False, start + self.done * h
        pace = (clock.perf_counter() - began) / n
        self.chunk = min(max(int(PATIENCE / max(pace, 1e-9)), 1), _CHUNK)
        if self.progress is not None:
            self.ask("progress", self.progress, self.t, walk.tally)
        return True

    def fall_back(self) -> None:
        self.done -= self.done % self.every
        self.t = self.start + self.done * self.h

    def stop(self, ended: Ended) -> None:
        self.extra += [] if ended.known else [ended.status.time]

    def finish(self, status: Status) -> tuple[Array, Status]:
        start, h, every, done, extra = self.start, self.h, self.every, self.done, self.extra
        times = np.asarray(start + h * every * np.arange(1 + done // every), dtype=np.float64)
        if done % every != 0 and not (extra and extra[-1] > start + h * done):  # the state at the end is always stored
            self.walk.store()
            times = np.append(times, start + h * done)
        return np.sort(np.concatenate((times, extra))) if extra else times, status


def turned(limit: TurnLimit, t: float, h: float) -> Status:
    """A run ends at time t, because in a step of length h something turns too far."""
    told = f"{limit.title}: it turns, which without numerical damping (rho = 1) lets errors grow in any steps"
    if limit.step > 0.0:
        told = (
            f"{limit.title}: it turns by {limit.turn * h / limit.step:.2g} rad in a step, where {limit.turn:.2g} "
            f"rad are allowed; use steps of {0.9 * limit.step:.2g} s"
        )
    return Status(Outcome.TURNS_TOO_FAR, t, told)
