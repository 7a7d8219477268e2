"""Steps of a tree from one call of a controller to the next: inputs sampled before, the state kept in the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.kernels.flexible import commands as kernels
from cosserat.kernels.flexible.arrays import Packed
from cosserat.kernels.flexible.implicit import STEP
from cosserat.solve.floating.engine import Engine
from cosserat.solve.floating.state import Point, States

_view: Any = memoryview  # quicker to write than an array

Array = NDArray[np.float64]


class Commands:
    """What a controller holds, and a course of steps that are taken a few at a time.

    Parameters
    ----------
    engine : Engine
    columns : mapping
        Column of what can be set, by the name of its joint or servo.
    """

    def __init__(self, engine: Engine, columns: Mapping[str, int]) -> None:
        self._engine = engine
        efforts = {name: (kernels.EFFORT, k) for k, name in enumerate(engine.tree.coordinates)}
        targets = {name: (kernels.TARGET, k) for name, k in engine.tree.forces.targets.items()}
        cut = {name: (kernels.CUT, k) for name, k in engine.constraints.commands.items()}
        signals = {name: (kernels.SIGNAL, k) for name, k in engine.tree.forces.signals.items()}
        places = {**efforts, **targets, **cut, **signals}
        self._places = {column: places[name] for name, column in columns.items()}
        n, order = len(columns), np.zeros(7, dtype=np.int64)
        kind, place = np.zeros((2, n), dtype=np.int64)
        arrays = kernels.Commands(kind, place, np.zeros(n), np.zeros(n), order)
        self._packed = Packed(kernels.command_handles, kernels.Commanding(arrays))
        self._kind, self._place, self._before, self._value, self._order = (_view(a) for a in arrays)
        self._held: Mapping[int, float] | None = None
        self._course: Packed | None = None
        self._call: Any = None
        self._counts = _view(np.zeros(2, dtype=np.int64))
        self.q, self.v = engine.known.q, engine.known.v
        self.step, self.left = 0.0, 0  # length of steps, and for how many more there are samples

    def in_tree(self, values: Mapping[int, float]) -> bool:
        """Whether all of this is in coordinates: not in cut joints, no inputs of laws."""
        return all(self._places[column][0] <= kernels.TARGET for column in values)

    def open(self, now: Point | None, times: Array, h: float, every: int) -> None:
        """Sample steps that end at times, with room for the states that will be stored; the state, if not there."""
        count = len(times)
        engine = self._engine
        if now is not None:
            engine.know(now)
        engine.numbers[STEP] = h
        self._course = engine.new_course(times, times, h, count // every + 1)
        self._counts = _view(self._course.problem.stored.counts)
        self.step, self.left, self._order[kernels.FIRST] = h, count, 0
        tree, acting, fixed, free, *rest = engine.addresses
        given = (tree, acting, fixed, free, *rest, self._course.address, self._packed.address)
        self._call = kernels.course_of(*given)

    def hold(self, values: Mapping[int, float], before: Mapping[int, float] | None) -> None:
        """Values by column from here on; accelerations jump from those before, if they are given."""
        order = self._order
        if values is not self._held:
            self._held = values
            for i, (column, value) in enumerate(values.items()):
                self._kind[i], self._place[i] = self._places[column]
                self._value[i] = value
            order[kernels.HELD] = len(values)
        order[kernels.JUMPS] = 0
        if before is not None:
            for i, value in enumerate(before.values()):
                self._before[i] = value
            order[kernels.BEFORE], order[kernels.JUMPS] = len(before), 1

    def jump(self) -> None:
        """Let accelerations jump now, not with the next step."""
        tree, acting, fixed, _, factored, stepping, closed, bordered = self._engine.addresses
        kernels.jump(tree, acting, fixed, factored, stepping, closed, bordered, self._packed.address)
        self._order[kernels.JUMPS] = 0

    def advance(self, n: int, every: int, phase: int) -> int:
        """Take up to n steps; how many were taken."""
        order, before = self._order, self._counts[0]
        order[kernels.STEPS], order[kernels.EVERY], order[kernels.PHASE] = n, every, phase
        self._call()
        done = self._counts[0] - before
        order[kernels.FIRST] += done
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
        return States(*(part[:kept].copy() for part in (stored.q, stored.v, stored.a, stored.force, stored.angle)))
