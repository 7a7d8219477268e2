"""Steps in floating frames, as the drivers take them: what the methods have in common."""

from __future__ import annotations

import bisect
from abc import abstractmethod
from typing import Any

import numpy as np

from cosserat.kernels.flexible.explicit import Tableau
from cosserat.lie.protocol import Array
from cosserat.solve.floating.commands import TreeCommands, take_over
from cosserat.solve.floating.engine import FloatingEngine
from cosserat.solve.floating.model import FloatingModel
from cosserat.solve.floating.state import Advance, Instant, States
from cosserat.solve.memory import demand_like
from cosserat.solve.motion.control import Controlled
from cosserat.solve.motion.crossings import Row
from cosserat.solve.motion.impulses import CHANGE, Impulses, Rule
from cosserat.solve.motion.stopwatch import Tally
from cosserat.solve.motion.switching import FITTING, Misfit
from cosserat.solve.motion.walk import NEVER, SIDE, StepFailure, Walk
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.tree_constraints import TreeRows


class FloatingWalk(Walk):
    """Steps of a flexible tree by one method.

    Parameters
    ----------
    floating : FloatingModel
    numbers : tuple of float
        Of an implicit method, see `FloatingEngine`.
    tableau : Tableau
        Of explicit steps, if it takes any.
    """

    remembers = True  # accelerations, which jump with efforts that a controller changes
    rule: Rule | float  # what it makes of loads that change in a step, see `Impulses`
    size = 1.0

    def __init__(
        self, floating: FloatingModel, numbers: tuple[float, ...] = (), tableau: Tableau | None = None
    ) -> None:  # fmt: skip
        super().__init__()
        self.tree, self.drives, self.constraints = floating.tree, floating.drives, floating.constraints
        self.reference = floating.reference
        self.engine = FloatingEngine(floating, numbers, tableau)
        self.tally = Tally(self.engine.counters)
        self.kinks: list[float] = []  # times at which rates or accelerations of prescribed motions jump
        self.slopes: tuple[Array | None, Array | None] = None, None  # how accelerations change, before and in a step
        self.first: Instant | None = None  # what to store first, where a controller changes it at once
        self._now: Instant | None = None  # None: the engine has it, at the time ...
        self._time = 0.0  # ... here
        self._begin: Instant  # the state kept last
        self._stored: list[States] = []
        self._commands: TreeCommands | None = None
        self._jumped = False  # whether accelerations have jumped in the step with what a controller changed

    def enter(self, start: Instant, control: Controlled | None = None) -> None:
        """Stand at a state, before the first step."""
        self.now, self.controlled = start, control
        if control is not None:
            self._commands = TreeCommands(self, control.columns)
        if self.reference is not None:
            self.size = self.reference.extent

    @property
    def now(self) -> Instant:
        """The state."""
        if self._now is None:
            self._now = self.engine.point(self._time)
        return self._now

    @now.setter
    def now(self, point: Instant) -> None:
        self._now = point

    def where(self) -> tuple[Any, ...]:
        """Coordinates, velocities, and what gives the whole state."""
        known: Any = self._now or self._commands
        return known.q, known.v, lambda: self.now

    def row(self) -> Row:
        """As in `States`."""
        return self.now.row

    def store(self) -> None:
        self._close()
        now, self.first = self.first or self.now, None
        self._stored.append(now.stored)

    @property
    def states(self) -> States:
        """All states that were stored."""
        self._close()
        self._stored = [States(*map(np.concatenate, zip(*self._stored, strict=True)))]
        return self._stored[0]

    @property
    def n_stored(self) -> int:
        self._close()
        return sum(len(states.q) for states in self._stored)

    def drop(self) -> None:
        last = self._stored.pop()
        if len(last.q) > 1:
            self._stored.append(States(*(x[:-1] for x in last)))

    def keep(self) -> None:
        super().keep()
        self._jumped, self._begin = False, self.now

    def restore(self) -> None:
        self.load(self._kept)
        self.now = self._begun

    @property
    def _begun(self) -> Instant:
        """The state kept last, after what jumped in the step from it."""
        if not self._jumped:
            return self._begin
        assert self._commands is not None
        return self._commands.jumped(self._begin)

    def saved(self) -> Any:
        """The state, and what the method remembers with it."""
        return self.now, self.tally.steps, self.impulses.filtered, self.crossings, self.engine.largest.copy()

    def load(self, saved: Any, goes_on: bool = False) -> None:
        self.now, steps, self.impulses.filtered, self.crossings, self.engine.largest[:] = saved
        self.tally.add(steps - self.tally.steps)

    def belongings(self) -> dict[str, Any]:
        """Stored states, the present one, and what the method remembers."""
        self._jump()
        self._close()
        return {
            "stored": [list(states) for states in self._stored], "now": list(self.now),
            "memory": list(self.engine.memory), "slope": self.slopes[0],
        }  # fmt: skip

    def take_back(self, kept: dict[str, Any]) -> None:
        for states in kept["stored"]:
            demand_like(states, self.now.stored, rows=True)
            if len({len(x) for x in states}) != 1:
                raise ValueError("stored states of unlike numbers")
        demand_like(kept["now"], list(self.now))
        demand_like(kept["memory"], list(self.engine.memory))
        if kept["slope"] is not None:
            demand_like(kept["slope"], self.now.v)
        self._stored, self.now = [States(*states) for states in kept["stored"]], Instant(*kept["now"])
        self.slopes = kept["slope"], None
        self.engine.resume(kept["memory"])
        if self.phases is not None:
            self.engine.open = self.phases.open

    def start(
        self, t: float, q: Array, v: Array, angles: Array | None = None, inner: Array | None = None
    ) -> Instant:  # fmt: skip
        """A state with the accelerations and multipliers that belong to it; laws begin with their first states."""
        a = np.zeros(len(q))
        self.drives.impose(t, q, v, a)
        angles = np.zeros(len(self.constraints.tracked)) if angles is None else angles
        inner = self.tree.forces.first_states if inner is None else inner
        a, force, angles, rates = self.engine.accelerations(t, q, v, a, angles, inner)
        return Instant(t, q, v, a, a.copy(), 0.0, force, angles, np.array([inner, rates, rates]))

    def course(self, old: Instant, t: float, h: float, n: int, every: int, phase: int) -> Advance:
        """Up to n steps of length h from time t; states are stored where (phase + steps) % every == 0."""
        old = self.readied(old, t, h)
        return self.engine.advance(old, self.sampled(t, h, n), h, n, every, phase, self.side(h))

    def readied(self, old: Instant, t: float, h: float) -> Instant:
        """A state from which steps of length h go on."""
        return old

    def sampled(self, t: float, h: float, n: int) -> tuple[Array, Array]:
        """Where n steps from time t take prescribed motions, and where loads and efforts: at their ends."""
        times = self.grid.snap(np.asarray(t + h * np.arange(1, n + 1), dtype=np.float64), h)
        return times, times

    def step(self, old: Instant, h: float) -> Instant:
        """One step; raises `StepFailure`."""
        found = self.course(old, old.t, h, 1, 1, 0)
        if found.failure is not None:
            raise found.failure
        return found.now

    def steps(self, t: float, h: float, n: int, every: int, phase: int) -> StepFailure | None:
        """Smooth steps, with what a controller holds if there is one."""
        taken = 0
        if self._commands is not None:
            if self.watch is None:  # it goes back to states before steps, which must not stay in the engine
                how = self._glide if every != NEVER else self._follow
                taken = how(self._commands, t, h, n, every, phase)
                self.done += taken
                if taken == n:
                    return None
            self.push(t)
        with np.errstate(all="ignore"):  # what overflows is refused by the step
            found = self.course(self.now, t + taken * h, h, n - taken, every, phase + taken)
        self.now = found.now
        if found.stored is not None:
            self._stored.append(found.stored)
        self.done += found.done
        self.tally.add(found.done)
        if found.done:  # times are those of the steps, free of sums of rounding errors
            self.now = found.now._replace(t=self.grid.at(t + taken * h + found.done * h, h))
        return found.failure

    def eased(self, t: float, h: float) -> bool:
        """Take a first step in parts, if that is called for."""
        if self._now is None or self._now.step != 0.0:
            return False
        with np.errstate(all="ignore"):
            eased = self.in_parts(self._now, t, h)
        if eased is None:
            return False
        self.now = eased._replace(t=self.grid.at(t + h, h))
        self.tally.add(1)
        return True

    def in_parts(self, now: Instant, t: float, h: float) -> Instant | None:
        """The first step, from t to t + h, in parts where it does not resolve how loads begin to act; None: it does."""
        return None

    def part(self, t: float, end: float, side: float) -> None:
        """Up to just before a break: there prescribed motions have another side."""
        now, h = self.now._replace(t=t), end - side - t
        with np.errstate(all="ignore"):
            eased = self.in_parts(now, t, h) if now.step == 0.0 else None
            self.now = self.step(now, h) if eased is None else eased

    def start_again(self, t: float, h: float) -> None:
        """Where a rest of a step came between, its acceleration does not belong to one of this length."""
        self.now = self.now._replace(t=self.grid.at(t, h))
        if self.now.step not in (0.0, h) and not self.at_breaks:
            self.now = self.now._replace(step=0.0, carried=self.now.a)

    def begin(self, t: float, h: float, at_breaks: bool = False) -> None:
        """Accelerations may jump just after the start."""
        super().begin(t, h, at_breaks)
        jumps = self.tree.forces.jumps
        if jumps is not None and jumps.at_start:
            self.now = self.engine.jumped(self.now, h)

    def kinked(self, now: Instant, t: float) -> Instant:
        """A state just after a kink in a prescribed motion at time t: velocities jump as in an impact.

        The impulses of drives and constraints are those that the kinetic energy asks for: M dv is zero along all that
        is free, which is what accelerations do when the prescribed ones change by dv.
        """
        q, v, jump = now.q.copy(), now.v.copy(), np.zeros(len(now.q))
        self.drives.impose(t, q, v, np.zeros(len(q)))
        jump[self.drives.held] = (v - now.v)[self.drives.held]
        with_it, without = (
            self.engine.accelerations(now.t, q, now.v, a, now.angles, now.inner[0])[0] for a in (jump, np.zeros(len(q)))
        )  # fmt: skip
        v = now.v + with_it - without
        if self.constraints.present:
            q, v = self.engine.projected(t, q, v, now.angles)
        return self.start(t, q, v, now.angles, now.inner[0])

    def cross(self, t: float, h: float) -> None:
        """Accelerations jump with loads, velocities at kinks."""
        if self.controlled is not None:
            self.controlled.tell()
        self.slopes = None, None
        side, now = SIDE * h, self.now._replace(t=t)
        at = bisect.bisect_left(self.kinks, t - side)
        if at < len(self.kinks) and self.kinks[at] <= t + side:
            self.now = self.kinked(now, t + side)._replace(t=t)
        else:
            self.now = self.engine.jumped(now, h)._replace(step=0.0)
        self.crossed(t, h, now.row, not self.at_breaks)

    def switch(self, t: float, open: frozenset[str], engaged: frozenset[str]) -> None:
        """Release and engage joints, so that these are open from time t on."""
        engine, known, now = self.engine, self.engine.open, self.now
        engine.open = open
        for title, turns, gap in self.constraints.gaps(engaged, self._rows(t, now, engaged).value):
            if gap > FITTING * (1.0 if turns else self.size):
                engine.open = known
                raise Misfit(title, gap, "rad" if turns else "m")

    def kick(self, t: float, moment: Any, impulses: dict[Any, Array]) -> None:
        """Let velocities jump with impulses."""
        now, none = self.now._replace(t=t), np.zeros(1)
        change = self.engine.response(now, (moment.generalised(impulses), none, none, none, none))
        self.now = now._replace(v=now.v + np.where(self.drives.held, 0.0, change))

    def land(self, t: float, h: float, engaged: frozenset[str], switched: bool) -> None:
        """Turns of joints that are engaged are counted from here."""
        now = self.now._replace(t=t)
        if engaged:
            q, v = self.engine.projected(t, now.q, now.v, self.constraints.angles_from_here(engaged, now.angles))
            now = now._replace(q=q, v=v)
            now = now._replace(angles=self._rows(t, now, engaged).angles)
        self.slopes = None, None
        if switched:
            self.now = self.start(t, now.q, now.v, now.angles, now.inner[0])
        else:
            self.now = self.engine.jumped(now, h)._replace(step=0.0)

    def _rows(self, t: float, now: Instant, engaged: frozenset[str]) -> TreeRows:
        """Constraints at a state, turns of joints that are engaged counted from there."""
        angles = self.constraints.angles_from_here(engaged, now.angles)
        return self.constraints.at(Motions(self.tree.data).move(now.q, now.v), now.q, t, angles)

    def looked_after(self) -> Impulses:
        """Of all that is a function of time."""
        varying = self.tree.forces.varying
        return Impulses(self.engine.sample_loads, self.rule, CHANGE) if varying else Impulses()

    def accept(self) -> None:
        self.slopes = self.slopes[1], None

    def make_up(self, missed: tuple[Array, ...], t: float, h: float) -> None:
        """What steps do not resolve is left out."""
        change = self.resolved(self.engine.response(self.now, missed))
        self.now = self.now._replace(v=self.now.v + h * np.where(self.drives.held, 0.0, change))

    def resolved(self, change: Array) -> Array:
        """Changes of velocities or accelerations (n,) without those of vibrations that steps do not resolve."""
        return change

    def consult(self, t: float) -> None:
        """Call the controller; accelerations jump with the efforts it changes."""
        control, commands = self.controlled, self._commands
        assert control is not None
        assert commands is not None
        before = control.call(t, *self.where())
        if before is None:
            return
        quick = commands.by_the_way(control.values)
        if quick and (commands.left or (self._one_by_one and self.now.step > 0.0)) and self.watch is None:
            self.replaced = before
            return
        control.tell()
        if not quick or (self.remembers and self.now.step == 0.0):
            self.now = self.engine.jumped(self.now)
        else:
            self.replaced = before
            self._jump()
        if commands.left:
            self.engine.know(self.now)

    take_over = take_over

    @property
    def _one_by_one(self) -> bool:
        """Whether adaptive steps are taken with what the controller holds, and nothing to be done after them."""
        return self.at_breaks and not self.impulses.present

    def _hold(self, commands: TreeCommands) -> None:
        assert self.controlled is not None
        commands.hold(self.controlled.values, self.replaced)
        self.replaced = None

    def _glide(self, commands: TreeCommands, t: float, h: float, n: int, every: int, phase: int) -> int:
        """Steps with inputs that were sampled before, of a state that stays in the engine; how many were taken."""
        if commands.left < n or commands.step != h:
            if self._now is not None and self._now.step not in (0.0, h):
                return 0
            self._close()
            commands.open(self._now, t, h, self.foreseen(t, h, n), every)
        self._now = None
        self._hold(commands)
        done = commands.advance(n, every, phase)
        self.tally.add(done)
        self._time = self.grid.at(t + done * h, h)
        return done

    def _follow(self, commands: TreeCommands, t: float, h: float, *_: int) -> int:
        """One adaptive step, with the jump of accelerations in it; whether it could be taken."""
        now = self.now
        if not self._one_by_one or (self.remembers and now.step != h):
            return 0
        self._jumped = self.remembers and self.replaced is not None
        self._hold(commands)
        with np.errstate(all="ignore"):
            taken = commands.single(now, t, h)
        if not taken:
            self.now = self._begun
            return 0
        self.now = self.engine.point(t + h)
        self.tally.add(1)
        return 1

    def push(self, t: float) -> None:
        """Take the state, and what the controller holds, to where single steps look for them."""
        if self.controlled is not None:
            self._jump()
            self._close()
            self.controlled.tell()

    def _close(self) -> None:
        """End a course of controlled steps."""
        stored = None if self._commands is None else self._commands.close()
        if stored is not None:
            self._stored.append(stored)

    def _jump(self) -> None:
        """Let accelerations jump that were to do so with the next step."""
        if self.replaced is None:
            return
        assert self._commands is not None
        now = self.now
        self.engine.know(now)
        self._hold(self._commands)
        self._commands.jump()
        if self.remembers:
            self.now, self._jumped = self._commands.jumped(now), True

    def settle(self, n: int) -> None:
        self._close()
        super().settle(n)

    @abstractmethod
    def errors(self, old: Instant, new: Instant) -> tuple[Array, Array]:
        """Estimated errors of the step just taken, each (n,): of coordinates, as a velocity during a unit of time, and
        of velocities.
        """

    def error(self) -> float:
        try:
            away, faster = self.errors(self._begun, self.now)
            return max(self._extent(away), self.reach * self._extent(faster))
        except StepFailure:
            return np.inf

    def fastest(self) -> tuple[float, float]:
        """Of the nodes, turns counted with a length."""
        return self._extent(self.now.a), self._extent(self.now.v)

    def _extent(self, change: Array) -> float:
        """How far nodes move (m) for small changes of the coordinates."""
        return self.engine.extent(self.now.q, change, 0.0 if self.reference is None else self.reference.length)
