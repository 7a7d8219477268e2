"""What the drivers of time steps ask of a formulation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.results.status import Outcome
from cosserat.solve.motion.control import Controlled
from cosserat.solve.motion.grid import Grid
from cosserat.solve.motion.switching import Phases
from cosserat.solve.motion.tally import Tally
from cosserat.solve.motion.wheels import TurnLimit

NEVER = 2**62


class Failure(NamedTuple):
    """Why a step could not be taken."""

    outcome: Outcome
    detail: str = ""


class Bounds(NamedTuple):
    """When steps that are judged by their errors (m) come to an end: one errs more than `most`, or `enough` of them in
    a row less than `least`, of which `calm` are taken already.
    """

    most: float
    least: float
    enough: int
    calm: int


class Walk(ABC):
    """Steps of one formulation. It owns the state, and the states it has stored."""

    order: int  # of the method
    splits: bool  # whether a step that fails may succeed in parts
    remedy: str  # for one that fails nevertheless
    size: float  # extent of the mechanism (m)
    tally: Tally
    controlled: Controlled | None
    done: int  # steps taken by the last `advance`
    grid = Grid()  # of equal steps
    reach = 0.0  # s, over which errors of velocities may grow: the longest step up to now
    torn = False  # whether steps were interrupted midway: the state is not the one stored last
    watch: Any = None  # of events, see `events.Watch`
    phases: Phases | None = None  # which joints are open, None: none ever is
    end = np.inf  # where the run ends, if it is known: functions of time need not be defined beyond

    @abstractmethod
    def advance(self, t: float, h: float, n: int, every: int, phase: int) -> Failure | None:
        """Take up to n equal steps from time t, and store where (phase + steps) % every == 0."""

    def foreseen(self, t: float, h: float, least: int, most: int) -> int:
        """For how many steps to sample functions of time at once."""
        return max(least, min(most, int((self.end - t) / h + 0.5))) if self.end < np.inf else max(least, most)

    @abstractmethod
    def store(self) -> None:
        """Store the state."""

    @property
    @abstractmethod
    def n_stored(self) -> int:
        """Number of stored states."""

    @abstractmethod
    def keep(self) -> None:
        """Remember the state, for `restore`."""

    @abstractmethod
    def restore(self) -> None:
        """Go back to the state kept last, and forget the steps taken since."""

    def saved(self) -> Any:
        """The state, for `load`; apart from that of `keep`."""
        raise NotImplementedError

    def load(self, saved: Any, goes_on: bool = False) -> None:
        """Go back to a state that `saved` gave, and forget the steps taken since; the run `goes_on`, or tries parts."""
        raise NotImplementedError

    def jolt(
        self, t: float, h: float, state: Any, impulses: dict[Any, Array], open: frozenset[str] | None = None
    ) -> None:
        """Let impulses (6,) in world axes act at places at time t; steps of about length h follow.

        `open`: joints that are open from there on, None: as before. Raises `Misfit` where one that closes does not fit.
        """
        raise NotImplementedError

    def start_again(self, t: float, h: float) -> None:
        """Get ready for steps of length h after a jolt at time t, once the state is stored."""
        return

    def make_room(self) -> None:
        """See to it that a step and events in it can be stored."""
        return

    def drop(self) -> None:
        """Forget the state stored last."""
        raise NotImplementedError

    def keepsake(self) -> dict[str, Any]:
        """All that a run needs to go on in another process, between two steps: what is stored, the state, memories."""
        raise NotImplementedError

    def resume(self, kept: dict[str, Any]) -> None:
        """Become what gave a keepsake."""
        raise NotImplementedError

    def settle(self, n: int) -> None:
        """Begin anew what goes over several steps, and take n of them together from here on."""
        return

    def error(self) -> float:
        """Estimated position error (m) of the step taken last from the state kept last."""
        raise NotImplementedError

    def judged(
        self, t: float, h: float, n: int, bounds: Bounds, every: int, phase: int
    ) -> tuple[list[float], Failure | None]:
        """Take up to n equal steps from time t that are judged by their errors, and store as `advance` does.

        A step that fails, or errs more than it may, is taken back and ends it. Returns the errors of all that were
        taken, the last one's too.
        """
        self.keep()
        failure = self.advance(t, h, 1, NEVER, 0)
        error = np.inf if failure is not None else self.error()
        if failure is not None or not error <= bounds.most:
            self.restore()
            return [error], failure
        self.make_up(t, h)
        if (phase + 1) % every == 0:
            self.store()
        return [error], None

    def first_step(self) -> float:
        """A step over which the first accelerations move nothing by more than a thousandth of the size."""
        a, v = self.fastest()
        bounds = (np.sqrt(2e-3 * self.size / a) if a > 0 else np.inf, 1e-2 * self.size / v if v > 0 else np.inf)
        return float(min(bounds))

    def fastest(self) -> tuple[float, float]:
        """Largest acceleration (m/s^2) and velocity (m/s) of what moves."""
        raise NotImplementedError

    def turn_limit(self) -> TurnLimit | None:
        """The longest step for which something turns little enough, if there is a limit."""
        return None

    def consult(self, t: float) -> None:
        """Call the controller with the state; its efforts act from here on."""
        raise NotImplementedError

    def cross(self, t: float, h: float) -> None:
        """Let accelerations jump with the loads at time t, before a step of length h."""
        return

    def make_up(self, t: float, h: float) -> None:
        """Give velocities what the step of length h from time t left out of the impulses of loads."""
        return

    @abstractmethod
    def begin(self, t: float, h: float, at_breaks: bool = False) -> None:
        """Get ready for a first step of length h, once the state at the start is stored.

        `at_breaks`: steps will end where loads jump, and `cross` be called there.
        """
