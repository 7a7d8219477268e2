"""Steps of a tree from one call of a controller to the next: inputs sampled before, the state kept in the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.kernels.arrays import Packed, bound
from cosserat.kernels.flexible import commands as kernels
from cosserat.kernels.flexible.implicit import STEP
from cosserat.kernels.held import CUT, EFFORT, EVERY, FIRST, JUMPS, PHASE, SIGNAL, STEPS, TARGET
from cosserat.kernels.slots import CONVERGED
from cosserat.solve.floating.state import Instant, States
from cosserat.solve.motion.commands import Held, view
from cosserat.solve.motion.walk import NEVER
from cosserat.solve.relative.coordinates import moved

if TYPE_CHECKING:
    from cosserat.solve.floating.walk import FloatingWalk


class TreeCommands(Held):
    """What a controller holds, and a course of steps that are taken a few at a time.

    Parameters
    ----------
    walk : FloatingWalk
    columns : mapping
        Column of what can be set, by the name of its joint or servo.
    """

    def __init__(self, walk: FloatingWalk, columns: Mapping[str, int]) -> None:
        self._walk, engine = walk, walk.engine
        self._engine = engine
        efforts = {name: (EFFORT, k) for k, name in enumerate(engine.tree.coordinates)}
        targets = {name: (TARGET, k) for name, k in engine.tree.forces.targets.items()}
        cut = {name: (CUT, k) for name, k in engine.constraints.commands.items()}
        signals = {name: (SIGNAL, k) for name, k in engine.tree.forces.signals.items()}
        places = {**efforts, **targets, **cut, **signals}
        after = tuple(np.zeros_like(x) for x in (engine.known.a, engine.known.carried, engine.known.force))
        held = {column: places[name] for name, column in columns.items()}
        super().__init__(kernels.TreeHeldCommands, held, walk.remembers, *after)
        self._inside = {column for column, (kind, _) in self._places.items() if kind <= TARGET}
        self._packed = Packed(self.arrays)
        self._after = after
        self._course: Packed | None = None
        self._call: Any = None
        self._jump: Any = None
        self._single: tuple[Packed | None, Any] = None, None
        self._counts = view(np.zeros(2, dtype=np.int64))
        self.q, self.v = engine.known.q, engine.known.v
        self.step, self.left = 0.0, 0  # length of steps, and for how many more there are samples

    def by_the_way(self, values: Mapping[int, float]) -> bool:
        """Whether accelerations need not jump with this, or the next step does it: all of it is in coordinates."""
        return not self._walk.remembers or self._inside.issuperset(values)

    def open(self, now: Instant | None, t: float, h: float, count: int, every: int) -> None:
        """Sample steps from time t on, with room for the states that will be stored; the state, if not there."""
        engine = self._engine
        if now is not None:
            engine.know(now)
        engine.numbers[STEP] = h
        times, load_times = self._walk.sampled(t, h, count)
        self._course = engine.course_at(times, load_times, self._walk.side(h), count // every + 1, own=True)
        self._counts = view(self._course.problem.stored.counts)
        self.step, self.left, self._order[FIRST] = h, count, 0
        self._call = engine.commanded(self._course.address, self._packed.address)

    def jump(self) -> None:
        """Let accelerations jump now, not with the next step."""
        if self._walk.remembers:
            if self._jump is None:
                tree, acting, fixed, _, *rest = self._engine.addresses
                self._jump = bound(kernels.jump, tree, acting, fixed, *rest, self._packed.address)
            self._jump()
        self._order[JUMPS] = 0

    def jumped(self, now: Instant) -> Instant:
        """A state with the accelerations and multipliers to which they jumped last."""
        a, carried, force = (x.copy() for x in self._after)
        return Instant(now.t, now.q, now.v, a, carried, now.step, force, now.angles, now.inner)

    def single(self, now: Instant, t: float, h: float) -> bool:
        """Take one step from a state, without storing it; whether that could be done."""
        walk, engine, order = self._walk, self._engine, self._order
        engine.know(now)
        engine.numbers[STEP] = h
        course = engine.course_at(*walk.sampled(t, h, 1), walk.side(h), 0)
        if course is not self._single[0]:
            self._single = course, engine.commanded(course.address, self._packed.address)
        order[FIRST], order[STEPS], order[EVERY], order[PHASE] = 0, 1, 2, 0
        return bool(self._single[1]() == CONVERGED)

    def advance(self, n: int, every: int, phase: int) -> int:
        """Take up to n steps; how many were taken."""
        order, before = self._order, self._counts[0]
        order[STEPS], order[EVERY], order[PHASE] = n, every, phase
        self._call()
        done = self._counts[0] - before
        order[FIRST] += done
        self.left -= done
        return done

    def close(self) -> States | None:
        """End the course; the states that were stored, if there are any."""
        self.left = 0
        kept = self._counts[1]
        if self._course is None or not kept:
            return None
        stored = self._course.problem.stored
        self._counts[1] = 0
        return States(*(part[:kept].copy() for part in stored[:-1]))


def take_over(walk: FloatingWalk, before: dict[int, float]) -> None:
    """Let accelerations jump with efforts that change where a run goes on, as between two steps of one.

    What they make of it is the matter of the iteration matrix: here that of a step which ends in this state.
    """
    control, engine, now, h = walk.controlled, walk.engine, walk.now, walk.now.step
    assert control is not None
    commands = TreeCommands(walk, control.columns)
    if not commands.by_the_way(control.values):
        control.tell()
        walk.now = engine.jumped(now)
        return
    q = moved(walk.tree.data, now.q, -h * now.v + 0.5 * h**2 * now.a)
    known = [array.copy() for array in (engine.counters, engine.largest)]
    with np.errstate(all="ignore"):
        walk.course(now._replace(t=now.t - h, q=q, v=now.v - h * now.a), now.t - h, h, 1, NEVER, 0)
    engine.counters[:], engine.largest[:] = known
    control.tell()
    engine.know(now)
    commands.hold(control.values, before)
    commands.jump()
    walk.now = commands.jumped(now)
