"""Steps in floating frames, as the drivers take them."""

from __future__ import annotations

import bisect
from typing import Any

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.results.trajectory import Crossed
from cosserat.solve.floating.commands import TreeCommands
from cosserat.solve.floating.control import FloatingControl
from cosserat.solve.floating.jolts import jolt
from cosserat.solve.floating.state import Instant, States, StepFailure, stacked
from cosserat.solve.floating.steps import Stepper
from cosserat.solve.motion.impulses import CHANGE, Impulses
from cosserat.solve.motion.kinks import SIDE, whole_steps
from cosserat.solve.motion.likeness import demand_like
from cosserat.solve.motion.tally import Tally
from cosserat.solve.motion.walk import NEVER, Failure, Walk

_AHEAD = 512  # steps for which a controlled run samples functions of time at once


class FloatingWalk(Walk):
    """Steps of a flexible tree.

    Parameters
    ----------
    stepper : Stepper
        Of the method.
    start : Point
    length : float, optional
        Of a typical part (m), with which errors of turns count.
    control : FloatingControl, optional
    size : float, optional
        Of the mechanism (m), for steps that adapt.
    """

    controlled: FloatingControl | None

    def __init__(
        self,
        stepper: Stepper,
        start: Instant,
        length: float = 0.0,
        control: FloatingControl | None = None,
        size: float = 1.0,
    ) -> None:
        self.stepper, self._length, self.controlled = stepper, length, control
        self._now: Instant | None = start  # None: the engine has it, at the time ...
        self._time = start.t  # ... here
        self.order, self.splits, self.remedy = stepper.order, stepper.splits, stepper.remedy
        self.size = size
        self.tally = Tally(stepper.engine.counters)
        self.kinks: list[float] = []  # times at which rates or accelerations of prescribed motions jump
        self.parts: list[float] = []  # times at which steps are taken in parts
        self._stored: list[States] = []
        self.first: Instant | None = None  # what to store first, where a controller changes it at once
        self.done = 0
        self._kept: Any = start, 0, (), stepper.engine.largest.copy()  # see `saved`
        self._commands = None if control is None else TreeCommands(stepper, control.columns)
        self._ahead = _AHEAD
        self._replaced: dict[int, float] | None = None  # what was held before, if it changes with the next step
        self._jumped = False  # whether accelerations have jumped in it

    @property
    def now(self) -> Instant:
        """The state."""
        if self._now is None:
            self._now = self.stepper.engine.point(self._time)
        return self._now

    @now.setter
    def now(self, point: Instant) -> None:
        self._now = point

    def _present(self) -> Instant:
        return self.now

    def store(self) -> None:
        """Store the state."""
        self._close()
        now, self.first = self.first or self.now, None
        self._stored.append(now.stored)

    @property
    def states(self) -> States:
        """All states that were stored."""
        self._close()
        self._stored = [stacked(self._stored)]
        return self._stored[0]

    @property
    def n_stored(self) -> int:
        """Number of stored states."""
        self._close()
        return sum(len(states.q) for states in self._stored)

    def keep(self) -> None:
        """Remember the state."""
        self._jumped, self._kept = False, self.saved()

    @property
    def _begun(self) -> Instant:
        """The state kept last, after what jumped in the step from it."""
        if not self._jumped:
            return self._kept[0]
        assert self._commands is not None
        return self._commands.jumped(self._kept[0])

    def restore(self) -> None:
        """Go back to the state kept last."""
        self.load((self._begun, *self._kept[1:]))

    def saved(self) -> Any:
        """The state, and what the stepper remembers with it."""
        return self.now, self.tally.steps, self.stepper.impulses.filtered, self.stepper.engine.largest.copy()

    def load(self, saved: Any, goes_on: bool = False) -> None:
        """Take it back."""
        self.now, steps, self.stepper.impulses.filtered, self.stepper.engine.largest[:] = saved
        self.tally.add(steps - self.tally.steps)

    def jolt(
        self, t: float, h: float, state: Any, impulses: dict[Any, Array], open: frozenset[str] | None = None
    ) -> None:
        """Let velocities jump with impulses, and with joints that are engaged."""
        jolt(self, t, h, state, impulses, open)

    def drop(self) -> None:
        """Forget the state stored last."""
        last = self._stored.pop()
        if len(last.q) > 1:
            self._stored.append(States(*(x[:-1] for x in last)))

    def advance(self, t: float, h: float, n: int, every: int, phase: int) -> Failure | None:
        """Up to n steps from time t."""
        self.done = 0
        self.stepper.grid = self.grid
        if every != NEVER and self._ease(t, h, every, phase):
            return None
        if self._commands is not None:
            if self.watch is not None:
                pass  # it goes back to states before steps, which must not stay in the engine
            elif every != NEVER:
                self.done = self._glide(self._commands, t, h, n, every, phase)
                if self.done == n:
                    return None
            elif self._follow(self._commands, t, h):
                return None
            self._leave()
        while self.done < n:
            if every != NEVER and self._ease(t, h, every, phase):
                continue
            begin = t + self.done * h
            smooth = self._smooth_steps(begin, h, n - self.done)
            if smooth:
                with np.errstate(all="ignore"):  # what overflows is refused by the step
                    found = self.stepper.advance(self.now, begin, h, smooth, every, phase + self.done)
                self.now = found.now
                if found.stored is not None:
                    self._stored.append(found.stored)
                self._count(found.done, t, h)
                if found.failure is not None:
                    return Failure(found.failure.outcome, found.failure.detail)
                continue
            try:
                with np.errstate(all="ignore"):
                    self._take(self._stepped(begin, h), t, h, every, phase)
            except StepFailure as failure:
                return Failure(failure.outcome, failure.detail)
        return None

    def _take(self, now: Instant, t: float, h: float, every: int, phase: int) -> None:
        """A step that was taken by itself ends in a state."""
        self.now = now
        self._count(1, t, h)
        if (phase + self.done) % every == 0:
            self.store()

    def _ease(self, t: float, h: float, every: int, phase: int) -> bool:
        """Take a first step, of a run or after a kink, in parts, if that is called for."""
        begin = t + self.done * h
        if self._now is None or self._now.step != 0.0 or not self._smooth_steps(begin, h, 1):
            return False
        with np.errstate(all="ignore"):
            eased = self.stepper.eased(self._now, begin, h)
        if eased is not None:
            self._take(eased, t, h, every, phase)
        return eased is not None

    def _glide(self, commands: TreeCommands, t: float, h: float, n: int, every: int, phase: int) -> int:
        """Steps with inputs that were sampled before, of a state that stays in the engine; how many were taken."""
        assert self.controlled is not None
        if commands.left < n or commands.step != h:
            if self._now is not None and self._now.step not in (0.0, h):
                return 0
            self._close()
            count = self._smooth_steps(t, h, self.foreseen(t, h, n, self._ahead))
            if count < n:
                return 0
            commands.open(self._now, t, h, count, every)
        self._now = None
        commands.hold(self.controlled.values, self._replaced)
        self._replaced = None
        done = commands.advance(n, every, phase)
        self.tally.add(done)
        self._time = self.grid.at(t + done * h, h)
        return done

    @property
    def _one_by_one(self) -> bool:
        """Whether adaptive steps are taken with what the controller holds, and nothing to be done after them."""
        return self.stepper.at_breaks and not self.stepper.impulses.present

    def _follow(self, commands: TreeCommands, t: float, h: float) -> bool:
        """One adaptive step, with the jump of accelerations in it; whether it could be taken."""
        assert self.controlled is not None
        now, jumps = self.now, self.stepper.jumps
        if not self._one_by_one or (jumps and now.step != h) or not self._smooth_steps(t, h, 1):
            return False
        commands.hold(self.controlled.values, self._replaced)
        self._jumped, self._replaced = jumps and self._replaced is not None, None
        with np.errstate(all="ignore"):
            taken = commands.single(now, t, h)
        if not taken:
            self.now = self._begun
            return False
        self.now, self.done = self.stepper.engine.point(t + h), 1
        self.tally.add(1)
        return True

    def _leave(self) -> None:
        """Take the state, and what the controller holds, to where single steps look for them."""
        self._jump()
        self._close()
        assert self.controlled is not None
        self.controlled.tell()

    def _close(self) -> None:
        """End a course of controlled steps."""
        stored = None if self._commands is None else self._commands.close()
        if stored is not None:
            self._stored.append(stored)

    def _jump(self) -> None:
        """Let accelerations jump that were to do so with the next step."""
        if self._replaced is None:
            return
        assert self._commands is not None
        assert self.controlled is not None
        now = self.now
        self.stepper.engine.know(now)
        self._commands.hold(self.controlled.values, self._replaced)
        self._commands.jump()
        self._replaced = None
        if self.stepper.jumps:
            self.now, self._jumped = self._commands.jumped(now), True

    def _count(self, steps: int, t: float, h: float) -> None:
        """Steps were taken; times are those of the steps, free of sums of rounding errors."""
        self.done += steps
        self.tally.add(steps)
        if steps:
            self.now = self.now._replace(t=self.grid.at(t + self.done * h, h))

    def _smooth_steps(self, t: float, h: float, n: int) -> int:
        """How many of n steps from time t come before one that has to be taken in parts."""
        breaks = self.stepper.breaks(t + SIDE * h, t + n * h)
        return min(whole_steps(self.parts, t, h, n), whole_steps(breaks, t, h, n))

    def _stepped(self, t: float, h: float) -> Instant:
        """A step from time t; it is taken in parts where prescribed motions have kinks, with what they do between."""
        now, side, jumps = self.now, SIDE * h, []
        first = bisect.bisect_right(self.parts, t + side)
        for at in self.parts[first : bisect.bisect_right(self.parts, t + h + side)]:
            if at - side > now.t + side:
                now = self.stepper.step(now, at - side - now.t)
            if self.stepper.at_breaks:
                return now  # `cross` does the rest
            before = now
            if at in self.kinks:
                now = self.stepper.kinked(now, at + side)
            else:
                now = self.stepper.jumped(now._replace(t=at), h)._replace(step=0.0)
            jumps.append((at, before, now))
        if t + h > now.t + side:
            eased = self.stepper.eased(now, now.t, t + h - now.t) if now.step == 0.0 else None
            now = self.stepper.step(now, t + h - now.t) if eased is None else eased
        for at, before, after in jumps:
            self.stepper.crossed(at - side, h, before, after)
        return now

    def begin(self, t: float, h: float, at_breaks: bool = False) -> None:
        """Steps end at breaks, or not."""
        self.stepper.at_breaks = at_breaks
        jumps = self.stepper.tree.forces.jumps
        if jumps is not None and jumps.at_start:
            self.now = self.stepper.jumped(self.now, h)
        if at_breaks:
            self._follow_impulses()
            self.stepper.impulses.begin(t, h)

    def _follow_impulses(self) -> None:
        if self.stepper.tree.forces.varying:
            self.stepper.impulses = Impulses(self.stepper.engine.sample_loads, self.stepper.rule, CHANGE)

    def make_up(self, t: float, h: float) -> None:
        """Velocities with what the step left out of the impulses of loads."""
        self.stepper.slopes = self.stepper.slopes[1], None
        self.now = self.stepper.made_up(self.now, t, h)

    def settle(self, n: int) -> None:
        """Sample inputs anew from here on."""
        self._close()
        self._ahead = n

    def keepsake(self) -> dict[str, Any]:
        """Stored states, the present one, and what the stepper and the controller remember."""
        self._jump()
        self._close()
        control = None if self.controlled is None else self.controlled.keepsake()
        return {
            "stored": [list(states) for states in self._stored], "now": list(self.now), "control": control,
            "work": [self.tally.halved, self.tally.rejected], "stepper": list(self.stepper.engine.memory),
            "at_breaks": self.stepper.at_breaks, "slope": self.stepper.slopes[0],
            "impulses": self.stepper.impulses.filtered,
            "crossings": [(t, sides, list(a), list(b)) for t, sides, a, b in self.stepper.crossings.kept],
            "phases": None if self.phases is None else self.phases.keepsake(),
        }  # fmt: skip

    def resume(self, kept: dict[str, Any]) -> None:
        """Take all of it back."""
        like, crossings = list(self.now), kept["crossings"]
        for states in kept["stored"]:
            demand_like(states, self.now.stored, rows=True)
            if len({len(x) for x in states}) != 1:
                raise ValueError("stored states of unlike numbers")
        demand_like(kept["now"], like)
        demand_like(crossings, [(0.0, np.zeros(2), like, like)] * len(crossings))
        demand_like(kept["stepper"], list(self.stepper.engine.memory))
        self._stored, self.now = [States(*states) for states in kept["stored"]], Instant(*kept["now"])
        self.tally.halved, self.tally.rejected = map(int, kept["work"])
        self.stepper.at_breaks = bool(kept["at_breaks"])
        if kept["slope"] is not None:
            demand_like(kept["slope"], self.now.v)
        self.stepper.slopes = kept["slope"], None
        if self.stepper.at_breaks:
            self._follow_impulses()
        self.stepper.impulses.resume(kept["impulses"], kept.get("t", 0.0))
        self.stepper.crossings.kept = [(t, sides, Instant(*a), Instant(*b)) for t, sides, a, b in crossings]
        self.stepper.engine.resume(kept["stepper"])
        if self.phases is not None:
            self.phases.resume(kept["phases"])
            self.stepper.engine.open = self.phases.open
        if self.controlled is not None:
            self.controlled.resume(kept["control"])

    def error(self) -> float:
        """Estimated position error (m) of the last step."""
        try:
            away, faster = self.stepper.errors(self._begun, self.now)
            return max(self._extent(away), self.reach * self._extent(faster))
        except StepFailure:
            return np.inf

    def fastest(self) -> tuple[float, float]:
        """Of the nodes, turns counted with a length."""
        return self._extent(self.now.a), self._extent(self.now.v)

    def _extent(self, change: Array) -> float:
        """How far nodes move (m) for small changes of the coordinates."""
        return self.stepper.engine.extent(self.now.q, change, self._length)

    def consult(self, t: float) -> None:
        """Call the controller; accelerations jump with the efforts it changes."""
        control, commands = self.controlled, self._commands
        assert control is not None
        assert commands is not None
        if self._now is None:
            before = control.call(self._time, commands.q, commands.v, self._present)
        else:
            now = self.now
            before = control.call(now.t, now.q, now.v, self._present)
        if before is None:
            return
        quick = commands.by_the_way(control.values)
        if quick and (commands.left or (self._one_by_one and self.now.step > 0.0)) and self.watch is None:
            self._replaced = before
            return
        control.tell()
        if not quick or (self.stepper.jumps and self.now.step == 0.0):
            self.now = self.stepper.jumped(self.now)
        else:
            self._replaced = before
            self._jump()
        if commands.left:
            self.stepper.engine.know(self.now)

    def cross(self, t: float, h: float) -> None:
        """Let accelerations jump with loads that do so at time t."""
        if self.controlled is not None:
            self.controlled.tell()
        self.stepper.slopes = None, None
        side, before = SIDE * h, self.now
        at = bisect.bisect_left(self.kinks, t - side)
        if at < len(self.kinks) and self.kinks[at] <= t + side:
            self.now = self.stepper.kinked(self.now, t + side)._replace(t=t)
        else:
            self.now = self.stepper.jumped(self.now, h)._replace(step=0.0)
        self.stepper.crossed(t, h, before, self.now)

    def powers(self) -> Crossed:
        """Losses and supplies on both sides of jumps."""
        return self.stepper.crossings.powers(self._powers, self.phases)

    def _powers(self, times: Array, points: list[Instant], open: frozenset[str]) -> Array:
        """Loss, supply, kinetic, strain and potential energy (nt, 5) at states, with some joints open."""
        engine = self.stepper.engine
        now, engine.open = engine.open, open
        found = engine.record(times, stacked([point.stored for point in points])).powers
        engine.open = now
        return found[:, [3, 4, 0, 1, 2]]
