"""`TreeBalance`: static balance of a model in floating frames."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import block_array, csc_matrix, identity

from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.status import Status, noted
from cosserat.solve.balance.balance import Balance, State, typical
from cosserat.solve.balance.symmetries import rigid_motions
from cosserat.solve.floating.verdicts import bent_far
from cosserat.solve.formulation import Floating
from cosserat.solve.initial import EPSILON
from cosserat.solve.trees.point import TreePoint, with_reactions
from cosserat.solve.trees.system import TreeState, TreeSystem
from cosserat.solve.trees.turntable import Spin

_RIGID = 1e-9  # of a rigid motion: what coordinates may miss of it


class TreeBalance(Balance):
    """Equations of balance of a tree at given inputs."""

    rounding = 1e-9  # sums over the shapes of modes

    def __init__(self, system: TreeSystem, start: TreeState) -> None:
        super().__init__(system.compiled, system.twist)
        self.system, self.now = system, start
        self.n_motions, self.n_unknowns = system.n, system.n + system.n_rows
        self._weight = np.tile([1.0, self.length], len(system.seats)).repeat(3)
        self._jacobian = system.jacobian(start.q)
        self._rest = np.zeros(self.n_unknowns)
        system.load(start.t)
        self.scale = self._stiffness_scale()

    def _stiffness_scale(self) -> float:
        """Typical stiffness against displacements."""
        values = np.diag(self.system.slopes(self.now, still=True).dq) / self.metric() ** 2
        if found := typical(values):
            return found
        if not np.isfinite(values).all():  # a law of a load is not known here
            return self.mass
        r = self.system.residual(self.now)[0]
        return float(np.max(np.abs(r) / self.metric(), initial=0.0)) / self.length or self.mass

    def load(self, times: Array, factor: float = 1.0) -> None:
        self.system.load(float(times[0]), factor)
        self.now = self.now._replace(v=np.sqrt(factor) * self.system.turning)  # and with them the centrifugal ones

    def residual(self) -> Array:
        self.iterations += 1
        r, value, angles = self.system.residual(self.now)
        self.now = self.now._replace(angles=angles)
        self._rest = -np.concatenate((r, self.scale * value))
        self._name_failing(r)
        return self._rest

    def _motion(self) -> tuple[float, Array, Array]:
        frames = np.vstack((self.system.frames(self.now.q), np.eye(4)[None]))
        twists = (self.system.jacobian(self.now.q) @ self.now.v).reshape(-1, 6)
        rows = np.hstack((frames[:, :3, :3].reshape(-1, 9), frames[:, :3, 3]))
        return self.now.t, rows, np.vstack((twists, np.zeros((1, 6))))

    def predicted(self, before: State, first: bool = False) -> Array:
        return self._rest  # as it is: coordinates of trees bend little in a correction

    @property
    def rotation(self) -> Array | None:
        return self.now.v

    def rotate(self, rotation: Array | None) -> None:
        self.now = self.now._replace(v=self.system.turning if rotation is None else rotation)

    def whole(self) -> Array:
        frames = self.system.frames(self.now.q)
        rows = np.hstack((frames[:, :3, :3].reshape(-1, 9), frames[:, :3, 3]))
        wanted, rates = rigid_motions(rows, self.extent), ~self.system.table
        motions = np.zeros((self.n_motions, 6))
        motions[rates], *_ = np.linalg.lstsq(self.system.jacobian(self.now.q)[:, rates], wanted, rcond=None)
        size = np.abs(motions) * self.metric()[:, None]
        motions[size <= _RIGID * np.max(size, initial=0.0)] = 0.0  # modes, stiff as they are, take no part
        left = np.abs(self.system.jacobian(self.now.q) @ motions - wanted).max(initial=0.0)
        return motions if left <= _RIGID * np.abs(wanted).max(initial=0.0) else motions[:, :0]

    def left_over(self) -> Array:
        return -self._rest[: self.n_motions]

    @property
    def anchor(self) -> int:
        return self.n_motions

    def tangent(self, shift: float = 0.0) -> csc_matrix:
        self._jacobian = self.system.jacobian(self.now.q)
        d = self.system.slopes(self.now, still=True)
        top = csc_matrix(d.dq + shift * d.da)
        if not len(d.rows):
            return top
        rows = csc_matrix(self.scale * d.rows)
        return csc_matrix(
            block_array([[top, rows.T], [rows, -EPSILON * self.scale * identity(len(d.rows))]], format="csc")
        )

    def state(self) -> State:
        return self.now.q.copy(), self.now.force.copy(), self.now.angles.copy()

    def put(self, state: State) -> None:
        self.now = self.now._replace(q=state[0].copy(), force=state[1].copy(), angles=state[2].copy())

    def apply(self, state: State, correction: Array, fraction: float = 1.0) -> None:
        n = self.n_motions
        q = self.system.moved(state[0], fraction * correction[:n])
        force = state[1] + fraction * self.scale * correction[n:]
        self.now = self.now._replace(q=q, force=force, angles=state[2].copy())

    def distance(self, state: State) -> float:
        return float(np.max(np.abs(self._positions(self.now.q) - self._positions(state[0])), initial=0.0))

    def _positions(self, q: Array) -> Array:
        return self.system.frames(q)[:, :3, 3]

    def is_at(self, state: State, part: float) -> bool:
        change = np.abs(self.system.tree.difference(state[0], self.now.q)) * self.metric()
        return bool(np.max(change, initial=0.0) < part * self.extent)

    def _of_nodes(self, correction: Array) -> Array:
        return np.abs(self._jacobian @ correction[: self.n_motions]).reshape(-1, 6)

    def metric(self) -> Array:
        found = np.max(np.abs(self._jacobian) * self._weight[:, None], axis=0, initial=0.0)
        return np.where(found > 0.0, found, 1.0)

    def between(self, a: State, b: State) -> Array:
        return self.system.tree.difference(a[0], b[0])

    def weights(self) -> Array:
        unit = np.tile([self.extent**-2.0, 1.0], len(self.system.seats)).repeat(3) / len(self.system.seats)
        found = np.sum(unit[:, None] * self.system.jacobian(self.now.q) ** 2, axis=0)
        return np.where(found > 0.0, found, 1.0)

    def nodal(self, state: State, motion: Array) -> Array:
        return np.asarray(self.system.jacobian(state[0]) @ motion)

    def constraints(self) -> csc_matrix:
        point = self.point()
        if not self.system.n_rows:
            return csc_matrix((0, self.n_motions))
        return csc_matrix(point.combinations @ point.slopes.rows)

    def react(self, reactions: Array) -> None:
        self.now = self.now._replace(force=self.now.force + self.point().combinations.T @ reactions)

    def take(self, system: TreeSystem) -> None:
        """Go on with the same coordinates of a system made anew."""
        self.system = system
        self.full_spin = system.twist
        self.measure(system.compiled)
        self.now = self.now._replace(v=system.turning)

    def point(self) -> TreePoint:
        return TreePoint(self.system, self.now)

    def result(self, status: Status, settings: dict[str, Any], stats: dict[str, Any]) -> Equilibrium:
        """The present state as a result; the status names bodies that bend farther than their modes can tell."""
        status = noted(status, stats, bent_far(self.system.data, self.system.seats, self.now.q[None]))
        return Equilibrium(self.system.trajectory([self.now], status, settings, stats=stats))


def tree_balance_at(
    model: Model, time: float, start: Equilibrium | None, spin: Spin | None, floating: Floating, caller: str
) -> TreeBalance:
    """Equations of balance of a model in floating frames, in its reference configuration or a known equilibrium."""
    system = TreeSystem(model, floating, caller, spin=spin)
    state = system.start(time)
    if start is not None:
        known = system.taken(state, start.trajectory)
        state = with_reactions(system, system.start(time, start)._replace(t=time) if known is None else known)
    return TreeBalance(system, state)
