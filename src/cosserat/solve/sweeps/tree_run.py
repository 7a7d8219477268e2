"""`TreeRun`: a run in floating frames for the sweeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.solve.floating.results import FloatingResults
from cosserat.solve.floating.state import Instant, Start
from cosserat.solve.linear.point import MOMENT
from cosserat.solve.linear.ports import input_ports
from cosserat.solve.sweeps.protocol import RESCALE, STEP, LinearMap, MatrixMap, RunMoment, Setting
from cosserat.solve.sweeps.tree_step import TreeStep
from cosserat.solve.sweeps.tree_tape import TreeEntry, begun, recorded
from cosserat.solve.sweeps.variants import Variant, VariedRun, demand_forces
from cosserat.solve.trees.point import TreePoint
from cosserat.solve.trees.system import TreeState, TreeSystem

_PART = 1e-3  # of a turn or of the largest velocity or acceleration, between points of differences


class TreeRun(VariedRun):
    """A recorded run of a model.

    Steps of the generalised-alpha method of trees without loops have exact derivatives. Those of closed loops, whose
    positions are closed along directions that depend on the state, and those of Runge and Kutta are differentiated by
    differences of fourth order of the step itself.
    """

    def __init__(self, model: Model, asked: Setting) -> None:
        self.model, self.asked = model, asked
        self.stepper, self.first, self.stored, self.status = recorded(model, asked)
        self._take(self.stepper.tape)
        self.n = len(self.first.q)
        self.size = 4 * self.n
        self._unit = 1.0 / self.stepper.tree.data.sizes
        self.times = np.array([entry.t + entry.h for entry in self.tape])
        self.last: Instant = self.tape[-1].after if self.tape else self.first
        self._exact = asked.integrator == "generalized-alpha" and not self.stepper.constraints.present
        self._system: TreeSystem | None = None  # for columns of controls

    @property
    def in_parts(self) -> bool:
        """Whether the first step was taken in parts."""
        return bool(self.stepper.starts_in_parts)

    def difference(self, after: Instant, base: Instant) -> Array:
        x = self.stepper.tree.difference(base.q, after.q)
        return np.concatenate((x, after.v - base.v, after.a - base.a, after.carried - base.carried))

    def moved_state(self, state: Instant, change: Array) -> Instant:
        """A changed state."""
        x, v, a, b = change.reshape(4, self.n)
        q = self.stepper.tree.moved(state.q, x)
        return state._replace(q=q, v=state.v + v, a=state.a + a, carried=state.carried + b)

    def linear(self, k: int) -> LinearMap:
        entry, n = self.tape[k], self.n
        if entry.kind == RESCALE:
            part, one = min(1.0, entry.h / entry.before.step), np.eye(self.size)
            one[3 * n :, 2 * n : 3 * n] = (1.0 - part) * np.eye(n)
            one[3 * n :, 3 * n :] *= part
            return MatrixMap(one)
        if self._exact and entry.kind == STEP:
            return self._step(entry.before, entry.after, entry)

        def again(i: int, amount: float) -> Instant:
            return self.stepper.again(entry, self.moved_state(entry.before, self.unit(i, amount)))

        return MatrixMap(self.columns(self.sizes(entry.before), entry.after, again))

    def _step(self, before: Instant, after: Instant, entry: TreeEntry) -> TreeStep:
        held = self.stepper.drives.held
        return TreeStep(self.stepper.tree, held, before, after, entry.t + entry.h, entry.h, self.asked.rho)

    def sizes(self, state: Instant) -> Array:
        """Distances (N,) between points of differences."""
        parts = [_PART * self._unit]
        for values in (state.v, state.a, state.carried):
            parts.append(_PART * max(1.0, float(np.max(np.abs(values) / self._unit, initial=0.0))) * self._unit)
        return np.concatenate(parts)

    def moment(self, state: Instant, work: Any = None) -> RunMoment:
        walk, t = self.stepper if work is None else work, np.array([self.stored[-1]])
        settings = {"formulation": "floating", "integrator": self.asked.integrator}
        found = FloatingResults(walk.engine, walk.reference, t, state.stored)
        return RunMoment(found.trajectory(settings=settings))

    def initial_names(self) -> list[tuple[str, int]]:
        return [(name, 1) for name in self.stepper.tree.coordinates]

    def input_sources(self, k: int, items: Any) -> tuple[tuple[str, ...], Array]:
        if not self._exact:
            raise SolveError(
                "gradient: controls are followed by integrator='generalized-alpha', in floating frames of trees "
                "without loops and prescribed rotations"
            )
        after, free = self.tape[k].after, ~self.stepper.drives.held
        if self._system is None:
            self._system = TreeSystem(self.model, self.asked.frames, "gradient")
        none = np.zeros(self._system.n_rows)
        state = TreeState(after.q, after.v, after.a, none, after.angles, after.t, after.inner[0])
        self._system.load(after.t)
        ports = input_ports(TreePoint(self._system, state, MOMENT), items, "gradient")
        demand_forces(ports)
        still = np.zeros((2 * self.n, len(ports.columns)))  # prescribed motions stay
        return tuple(c.name for c in ports.columns), -np.vstack((still, np.where(free[:, None], ports.force, 0.0)))

    def initial_columns(self) -> Array:
        """Derivatives (N, 2 n) of the state before the first map by coordinates and velocities at the very start."""

        def start(k: int, amount: float) -> Instant:
            change = self.unit(k, amount)[: 2 * self.n].reshape(2, -1)
            return begun(self.model, self.asked, self.in_parts, changed(change))[1]

        return self.columns(np.tile(_PART * self._unit, 2), self.first, start)

    def _variant(self, name: str) -> tuple[Any, Instant, list[Any]]:
        walk, first = begun(self.model, self.asked, self.in_parts, like=self.stepper.tree.data)
        if walk.tree.coordinates != self.stepper.tree.coordinates:
            raise SolveError(f"gradient: parameter {name!r} changes the coordinates of the tree")
        return walk, first, []

    def _changed(self, k: int, name: str, variant: Variant) -> Array:
        entry, walk = self.tape[k], variant.work
        if entry.kind == RESCALE:
            return np.zeros(self.size)
        with self.moved(name, variant.value):
            if self._exact and entry.kind == STEP:
                return self.left(walk, entry)
            return self.difference(walk.again(entry, entry.before), entry.after)

    def left(self, walk: Any, entry: TreeEntry) -> Array:
        """What the equations of a step leave with those of a model (3 n,), see `TreeStep`."""
        after, end, held = entry.after, entry.t + entry.h, walk.drives.columns
        walk.tree.load(end)
        left = np.zeros((3, self.n))
        left[2] = walk.tree.inverse_dynamics(after.q, after.v, after.a)
        left[:, held] = np.array([after.q, after.v, after.a])[:, held] - walk.drives.sample(np.array([end]))[0]
        return left.ravel()


def changed(change: Array) -> Callable[[Any, Start], Start]:
    """Coordinates and velocities (2, n) of a start, changed."""

    def call(walk: Any, start: Start) -> Start:
        return start._replace(q=walk.tree.moved(start.q, change[0]), v=start.v + change[1])

    return call
