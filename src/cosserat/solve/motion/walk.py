"""Steps of one formulation: what the drivers ask of them, and what is alike in both."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cosserat.errors import CosseratError
from cosserat.lie.protocol import Array
from cosserat.results.moment import Moment
from cosserat.results.status import Outcome
from cosserat.solve.memory import demand_like
from cosserat.solve.motion.control import Controlled, demand_efforts
from cosserat.solve.motion.crossings import Jump, Row
from cosserat.solve.motion.impulses import Impulses
from cosserat.solve.motion.stopwatch import Tally
from cosserat.solve.motion.switching import Phases
from cosserat.solve.motion.wheels import TurnLimit

NEVER = 2**62  # as `every`: a part of a step, or one that is tried
UNSTORED = NEVER - 1  # a step like all others that is not stored
SIDE = 1e-9  # of the step: how far from a break its two sides are
MOST_HALVINGS = 10  # of a step that fails
AHEAD = 512  # steps for which a controlled run samples functions of time at once
_NEAR = 1e-6  # of the step: times that are those of a grid


class StepFailure(CosseratError):
    """A step that could not be taken, and why."""

    def __init__(self, outcome: Outcome, detail: str = "") -> None:
        super().__init__(detail)
        self.outcome, self.detail = outcome, detail


class Bounds(NamedTuple):
    """When steps that are judged by their errors (m) come to an end: one errs more than `most`, or `enough` of them in
    a row less than `least`, of which `calm` are taken already.
    """

    most: float
    least: float
    enough: int
    calm: int


class Grid(NamedTuple):
    """Times start, start + step, ...: the same floats however many steps are taken together.

    How many these are depends on how fast they are; what is computed must not.
    """

    start: float = 0.0
    step: float = 0.0  # 0: there is none, times are what they are

    def snap(self, times: Array, h: float) -> Array:
        """Times (n,) of steps of length h, as the grid has them if they are its own."""
        if h != self.step:
            return times
        own = np.asarray(self.start + h * np.rint((times - self.start) / h))
        return own if np.abs(own - times).max(initial=0.0) < _NEAR * h else times

    def at(self, t: float, h: float) -> float:
        """The same of one time."""
        if h != self.step:
            return t
        own = self.start + h * round((t - self.start) / h)
        return own if abs(own - t) < _NEAR * h else t


def whole_steps(breaks: Sequence[float], t: float, h: float, n: int) -> int:
    """How many of n steps from time t come before one that has a break inside or at its end."""
    side = SIDE * h
    first = bisect_right(breaks, t + side)
    if first == len(breaks) or breaks[first] > t + n * h + side:
        return n
    return max(0, min(n, int(np.ceil((breaks[first] - side - t) / h)) - 1))


class Walk(ABC):
    """Steps of one formulation. It owns the state, and the states it has stored.

    Attributes
    ----------
    parts : list of float
        Times at which equal steps are taken in parts: velocities jump at kinks of prescribed motions as in an impact,
        accelerations with loads. A step of the generalised-alpha method across a kink prescribes an increment that no
        smooth motion has, and its velocities alternate from then on about those that are right. Where there are kinks,
        loads that jump are treated alike: spread over both ends of their step, parts of it would not have them.
    """

    order: int  # of the method
    splits = True  # whether a step that fails may succeed in parts
    remedy = ""  # for one that fails nevertheless
    size: float  # extent of the mechanism (m)
    tally: Tally
    controlled: Controlled | None = None
    done = 0  # steps taken by the last `advance`
    grid = Grid()  # of equal steps
    reach = 0.0  # s, over which errors of velocities may grow: the longest step up to now
    torn = False  # whether steps were interrupted midway: the state is not the one stored last
    watch: Any = None  # of events, see `events.Watch`
    phases: Phases | None = None  # which joints are open, None: none ever is
    end = np.inf  # where the run ends, if it is known: functions of time need not be defined beyond
    at_breaks = False  # whether steps end where loads jump
    ahead = AHEAD  # steps for which inputs are sampled together
    replaced: dict[int, float] | None = None  # what a controller held before, if it changes with the next step

    def __init__(self) -> None:
        self.parts: list[float] = []
        self.impulses = Impulses()  # of loads, looked after where steps adapt
        self.crossings: tuple[Jump, ...] = ()  # part of the state, which a step that is taken back leaves
        self._kept: Any = None

    def advance(self, t: float, h: float, n: int, every: int, phase: int) -> StepFailure | None:
        """Take up to n equal steps from time t, and store where (phase + steps) % every == 0."""
        self.done = 0
        while self.done < n:
            at, smooth = t + self.done * h, n - self.done
            if self.parts:
                smooth = whole_steps(self.parts, at, h, smooth)
            if smooth and not (every != NEVER and self.eased(at, h)):
                failure = self.steps(at, h, smooth, every, phase + self.done)
                if failure is not None:
                    return failure
                continue
            if not smooth:
                failure = self._across(at, h)
                if failure is not None:
                    return failure
            self.done += 1
            if (phase + self.done) % every == 0:
                self.store()
            if not smooth:
                self.start_again(at + h, h)
        return None

    def _across(self, t: float, h: float) -> StepFailure | None:
        """The step from t to t + h in parts, with what happens at breaks between them; taken back where one fails."""
        self.push(t)
        side, taken, before, at = SIDE * h, self.tally.steps, self.saved(), t
        breaks = self.parts[bisect_right(self.parts, t + side) : bisect_right(self.parts, t + h + side)]
        try:
            for k, end in enumerate((*breaks, t + h)):
                if end - at > side:
                    self.part(at, end, side if k < len(breaks) else 0.0)
                if self.at_breaks:  # the driver crosses them
                    break
                if k < len(breaks):
                    self.cross(end, h)
                at = end
        except StepFailure as failure:
            self.load(before)
            return failure
        self.tally.add(taken + 1 - self.tally.steps)
        return None

    @abstractmethod
    def steps(self, t: float, h: float, n: int, every: int, phase: int) -> StepFailure | None:
        """Take up to n equal smooth steps, add them to `done` and store as `advance` does."""

    def eased(self, t: float, h: float) -> bool:
        """Take a first step, of a run or after a kink, in parts, if that is called for: whether it was taken."""
        return False

    def part(self, t: float, end: float, side: float) -> None:
        """Take a part of a step, up to a `side` before a break if one is at its end; raises `StepFailure`."""
        raise NotImplementedError

    def side(self, h: float) -> float:
        """Length of steps for samples of loads that jump, see `Jumps.sample`: negative where they end at jumps."""
        return -h if self.at_breaks or self.parts else h

    def foreseen(self, t: float, h: float, least: int) -> int:
        """For how many steps from time t on to sample functions of time at once."""
        if self.end == np.inf:
            most = self.ahead
        else:
            most = min(self.ahead, int((self.end - t) / h + 0.5))
        return max(least, whole_steps(self.parts, t, h, most))

    @abstractmethod
    def store(self) -> None:
        """Store the state."""

    @property
    @abstractmethod
    def n_stored(self) -> int:
        """Number of stored states."""

    @abstractmethod
    def saved(self) -> Any:
        """The state, for `load`."""

    @abstractmethod
    def load(self, saved: Any, goes_on: bool = False) -> None:
        """Go back to a state that `saved` gave, and forget the steps taken since; the run `goes_on`, or tries parts."""

    def keep(self) -> None:
        """Remember the state, for `restore`."""
        self._kept = self.saved()

    def restore(self) -> None:
        """Go back to the state kept last, and forget the steps taken since."""
        self.load(self._kept)

    def split(self, t: float, h: float, failure: StepFailure) -> StepFailure | None:
        """Take the step from t to t + h, which failed, in ever smaller parts; how the smallest failed, if all did."""
        self.keep()
        for level in range(1, (MOST_HALVINGS if self.splits else 0) + 1):
            self.tally.halved += 1
            again = self.advance(t, h / 2**level, 2**level, NEVER, 0)
            if again is None:
                self.tally.add(1 - 2**level)
                return None
            failure = again
            self.restore()
        return failure

    def row(self) -> Row:
        """What is stored of the state."""
        raise NotImplementedError

    def crossed(self, t: float, h: float, before: Row, stored_after: bool = True) -> None:
        """Remember the states on both sides of a jump at time t between steps of about length h.

        `stored_after`: whether the state that is stored at this time is the one after it.
        """
        both = np.array([t * (1.0 - 1e-15) - SIDE * h, t + SIDE * h])
        at = max([float(both[0]) if stored_after else t, *(jump.t for jump in self.crossings[-1:])])  # in their order
        self.crossings += (Jump(at, both, before, self.row()),)

    def jolt(
        self, t: float, h: float, moment: Moment, impulses: dict[Any, Array], open: frozenset[str] | None = None
    ) -> None:
        """Let impulses (6,) in world axes act at places at time t; steps of about length h follow.

        `open`: joints that are open from there on, None: as before. Joints that close make it a plastic impact. Raises
        `Misfit` where one that closes does not fit.
        """
        before, engaged = self.row(), frozenset[str]()
        if open is not None:
            assert self.phases is not None
            engaged = self.phases.open - open
            self.switch(t, open, engaged)
            self.phases.turn(t, h, open)
        if impulses:
            self.kick(t, moment, impulses)
        self.land(t, h, engaged, open is not None)
        self.crossed(t, h, before)

    def switch(self, t: float, open: frozenset[str], engaged: frozenset[str]) -> None:
        """Release and engage joints, so that these are open; velocities are left as they are."""
        raise NotImplementedError

    def kick(self, t: float, moment: Moment, impulses: dict[Any, Array]) -> None:
        """Let velocities jump with impulses, as joints allow it."""
        raise NotImplementedError

    def land(self, t: float, h: float, engaged: frozenset[str], switched: bool) -> None:
        """Let velocities jump with joints that are engaged, and accelerations with all that has changed."""
        raise NotImplementedError

    def start_again(self, t: float, h: float) -> None:
        """Get ready for steps of length h at time t, after a jolt or parts of a step, once the state is stored."""
        return

    def make_room(self) -> None:
        """See to it that a step and events in it can be stored."""
        return

    def drop(self) -> None:
        """Forget the state stored last."""
        raise NotImplementedError

    def keepsake(self) -> dict[str, Any]:
        """All that a run needs to go on in another process, between two steps: what is stored, the state, memories."""
        return {
            **self.belongings(), "at_breaks": self.at_breaks, "work": [self.tally.halved, self.tally.rejected],
            "impulses": self.impulses.filtered, "crossings": list(self.crossings), "replaced": self.replaced,
            "control": None if self.controlled is None else self.controlled.keepsake(),
            "phases": None if self.phases is None else self.phases.keepsake(),
            "watch": None if self.watch is None else self.watch.keepsake(),
        }  # fmt: skip

    def resume(self, kept: dict[str, Any]) -> None:
        """Become what gave a keepsake."""
        if self.phases is not None:
            self.phases.resume(kept["phases"])
        self.at_breaks, self.replaced = bool(kept["at_breaks"]), kept["replaced"]
        self.take_back(kept)
        self.tally.halved, self.tally.rejected = map(int, kept["work"])
        if self.at_breaks:
            self.impulses = self.looked_after()
        self.impulses.resume(kept["impulses"], kept.get("t", 0.0))
        row = self.row()
        demand_like(kept["crossings"], [(0.0, np.zeros(2), row, row)] * len(kept["crossings"]))
        self.crossings = tuple(Jump(*crossing) for crossing in kept["crossings"])
        if self.controlled is not None:
            self.controlled.resume(kept["control"])
            self.controlled.tell()
            demand_efforts(self.replaced or {}, self.controlled.columns.values())
        if self.watch is not None:
            self.watch.resume(kept["watch"])

    def belongings(self) -> dict[str, Any]:
        """What a formulation adds to a keepsake."""
        raise NotImplementedError

    def take_back(self, kept: dict[str, Any]) -> None:
        """Become what gave these belongings."""
        raise NotImplementedError

    def settle(self, n: int) -> None:
        """Begin anew what goes over several steps, and take n of them together from here on."""
        self.ahead = n

    def error(self) -> float:
        """Estimated position error (m) of the step taken last from the state kept last."""
        raise NotImplementedError

    def judged(
        self, t: float, h: float, n: int, bounds: Bounds, every: int, phase: int
    ) -> tuple[list[float], StepFailure | None]:
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
        self.accept()
        missed = self.impulses.missed(t, h)
        if missed is not None:
            self.make_up(missed, t, h)
        if (phase + 1) % every == 0:
            self.store()
        return [error], None

    def accept(self) -> None:
        """The step judged last stays."""
        return

    def make_up(self, missed: tuple[Array, ...], t: float, h: float) -> None:
        """Give velocities what the step of length h from time t left out of the impulses of loads."""
        raise NotImplementedError

    def looked_after(self) -> Impulses:
        """What looks after impulses of loads where steps adapt, if these change with time."""
        return Impulses()

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

    def where(self) -> tuple[Any, ...]:
        """What a moment of this formulation takes to show the present state, see `Moment.begin`."""
        return ()

    def consult(self, t: float) -> None:
        """Call the controller with the state; accelerations jump with the efforts that it changes."""
        raise NotImplementedError

    def push(self, t: float) -> None:
        """Let accelerations jump now, at time t, with efforts that were to change with the next step."""
        return

    def cross(self, t: float, h: float) -> None:
        """Let accelerations jump with loads at time t, velocities with prescribed ones, between steps of length h."""
        raise NotImplementedError

    def begin(self, t: float, h: float, at_breaks: bool = False) -> None:
        """Get ready for a first step of length h, once the state at the start is stored.

        `at_breaks`: steps will end where loads jump, and `cross` be called there.
        """
        self.at_breaks = at_breaks
        if at_breaks:
            self.impulses = self.looked_after()
            self.impulses.begin(t, h)
