"""`TreeSystem`: a model as a tree in floating frames, with its constraints and the nodes of its Galilean mesh.

    r(q, v, a, lambda, t) = inverse dynamics - efforts in cut joints + A^T lambda = 0,    value(q, t) = 0

Constraints are, one after another: prescribed coordinates, then those of `TreeConstraints`. Increments of the
coordinates are those of `Tree.moved`: H exp(x) where bodies turn, q + x elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_arrays import pack_seats
from cosserat.compile.tree import TreeData
from cosserat.kernels.law_states import FROZEN, STEADY
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.status import Status
from cosserat.results.trajectory import Reference, Trajectory
from cosserat.solve.differences import STEP, slopes, step_of
from cosserat.solve.floating.integration import new_stepper
from cosserat.solve.floating.model import floating_model
from cosserat.solve.floating.results import FloatingResults
from cosserat.solve.floating.start import angles_in, starting_state
from cosserat.solve.floating.state import States
from cosserat.solve.formulation import Floating
from cosserat.solve.relative import coordinates
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.seat_motion import seat_frames, seat_rows
from cosserat.solve.spin import check_steady
from cosserat.solve.trees.turntable import Spin, on_turntable


class TreeState(NamedTuple):
    """Coordinates, velocities, accelerations, multipliers, angles of cut joints, time, states of laws."""

    q: Array
    v: Array
    a: Array
    force: Array  # (held + m,)
    angles: Array
    t: float
    inner: Array | None = None  # (ny,) None: they follow the motion at once


class Slopes(NamedTuple):
    """Derivatives (n, n) of the residual with respect to increments, velocities and accelerations; rows (k, n)."""

    dq: Array
    dv: Array
    da: Array
    rows: Array
    value: Array  # (k,) zero where a row is the rate of nothing


class TreeSystem:
    """A model in floating frames.

    Attributes
    ----------
    compiled : CompiledModel
        With the nodes that results read.
    like : TreeSystem, optional
        Of nearly the same model: modal coordinates of beams mean the same there.
    again : bool
        Whether only loads and links differ, so that its reduced beams are used again.
    spin : Spin, optional
        Steady rotation of the whole mechanism, ground included.
    turning : (n,)
        Velocities of the coordinates in that rotation.
    n, n_rows : int
        Numbers of coordinates and of constraints.
    holonomic : (n_rows,) of bool
        Whether a constraint is one of positions.
    """

    def __init__(
        self, model: Model, floating: Floating, caller: str, like: TreeSystem | None = None, spin: Spin | None = None,
        again: bool = False,
    ) -> None:  # fmt: skip
        self.model, self.floating, self.caller, self.spin = model, floating, caller, spin
        self.twist = None if spin is None else spin.twist  # (6,) None at rest
        self.reference = Reference(model)
        self.compiled = self.reference.compiled
        table = ""
        if spin is not None:
            model, table = on_turntable(model, spin)
        near = None if like is None else like.data
        found = floating_model(model, self.reference, floating, caller, near, again=again)
        self.tree = found.tree
        self.data: TreeData = found.data
        self.drives, self.constraints, self.seats = found.drives, found.constraints, found.seats
        self._places = pack_seats(self.seats)
        self.n = len(self.tree.coordinates)
        self.turning = np.zeros(self.n)
        self._table = np.array([name == table for name in self.tree.coordinates])
        if spin is not None:
            self.turning[self._table] = spin.speed
        self.held = np.nonzero(self.drives.held)[0]
        self.n_rows = len(self.held) + self.constraints.n_rows
        self.holonomic = np.concatenate((np.ones(len(self.held), dtype=bool), self.constraints.holonomic))
        self._now = Motions(self.data)
        self._stepper = new_stepper(found, "runge-kutta", 0.9, None)

    def start(self, t: float, start: Any = "reference", moving: bool = False) -> TreeState:
        """Where `simulate` would start; at rest unless `moving`."""
        begin = starting_state(self._stepper, self.reference, start, t)
        zero = np.zeros(self.n)
        if self.twist is not None:
            check_steady(self.compiled, self.compiled.sampler.sample(np.array([t])), self.twist)
        v = begin.v if moving else self.turning
        return TreeState(begin.q, v, zero, np.zeros(self.n_rows), begin.angles, begin.t)

    def taken(self, state: TreeState, found: Trajectory, k: int = -1) -> TreeState | None:
        """The state with the coordinates of a stored one, by their names; None where that has others."""
        record = found.floating
        wanted = [name for name, table in zip(self.tree.coordinates, self._table, strict=True) if not table]
        if record is None or not set(wanted) <= set(record.coordinates):
            return None
        q, place = state.q.copy(), {name: k for k, name in enumerate(record.coordinates)}
        q[~self._table] = [record.q[k, place[name]] for name in wanted]
        return self.seen(state._replace(q=q), found, k)

    def seen(self, state: TreeState, found: Trajectory, k: int = -1) -> TreeState:
        """The state with the angles that cut joints of this system have in a stored one of the same mechanism."""
        return state._replace(angles=angles_in(found, k, self.constraints, self.compiled))

    def load(self, t: float, factor: float = 1.0) -> None:
        """Take gravity, loads and efforts at a time, scaled by a factor; laws of users act as they are."""
        self.tree.load(t, factor)

    def anew(self, model: Model | None = None, again: bool = False, spin: Spin | None = None) -> TreeSystem:
        """The system of the model as it is now, or of another one; `again`: with the reduced beams of this one."""
        spin = self.spin if spin is None else spin
        return TreeSystem(self.model if model is None else model, self.floating, self.caller, self, spin, again)

    @property
    def table(self) -> NDArray[np.bool_]:
        """Which coordinate (n,) turns the whole mechanism; none without a spin."""
        return self._table

    def moved(self, q: Array, delta: Array) -> Array:
        """Coordinates moved by increments."""
        return coordinates.moved(self.data, q, np.asarray(delta, dtype=float))

    def frames(self, q: Array) -> Array:
        """Frames (nodes, 4, 4) of the nodes."""
        return seat_frames(self._now.move(q, np.zeros(self.n)), self._places, q)

    def motions(self, state: TreeState) -> Motions:
        """Links at a state, up to the next call of any method."""
        return self._now.move(state.q, state.v)

    def bound(self, state: TreeState) -> tuple[Array, Array, Array, Array]:
        """Rows (k, n), values (k,), efforts of cut joints (n,) and angles at a state."""
        found = self._closed(state)
        unit = np.eye(self.n)[self.held]
        here = np.zeros(self.n)
        self.drives.impose(state.t, here, np.zeros(self.n), np.zeros(self.n))
        apart = (state.q - here)[self.held]
        value = np.where(self.constraints.holonomic, found.value, 0.0)
        return np.vstack((unit, found.A)), np.concatenate((apart, value)), found.efforts, found.angles

    def _put_inner(self, state: TreeState) -> None:
        """Let laws have the states of a state, or those that are steady there."""
        own = self.tree.forces.inner
        own.follow[0] = STEADY if state.inner is None else FROZEN
        if state.inner is not None:
            own.inner[0] = state.inner

    def settled(self, state: TreeState) -> TreeState:
        """The state with states of laws that are steady there, unless it has its own."""
        if state.inner is not None:
            return state
        if self.compiled.n_inner:
            self.residual(state)
        return state._replace(inner=self.tree.forces.inner.inner[0].copy())

    def accelerated(self, state: TreeState) -> TreeState:
        """The state with its accelerations and multipliers."""
        self.load(state.t)
        state, k, a = self.settled(state), len(self.held), np.zeros(self.n)
        assert state.inner is not None
        self.drives.impose(state.t, np.zeros(self.n), np.zeros(self.n), a)
        a, force, _, _ = self._stepper.engine.accelerations(state.t, state.q, state.v, a, state.angles, state.inner)
        found = state._replace(a=a, force=np.concatenate((np.zeros(k), force)))
        found.force[:k] = -self.residual(found)[0][self.held]
        return found

    def residual(self, state: TreeState) -> tuple[Array, Array, Array]:
        """What is left of the equations (n,) and of the constraints (k,), and the angles of cut joints."""
        rows, value, efforts, angles = self.bound(state)
        self._put_inner(state)
        r = self.tree.inverse_dynamics(state.q, state.v, state.a) - efforts + state.force @ rows
        return r, value, angles

    def slopes(self, state: TreeState, still: bool = False) -> Slopes:
        """Exact derivatives; those of what cut joints and wheels do are differences of eighth order on the group.

        `still`: those with respect to velocities are not asked for, and may lack what cut joints do.
        """
        self._put_inner(state)
        d = self.tree.inverse_dynamics_derivatives(state.q, state.v, state.a)
        rows, value, _, _ = self.bound(state)
        dq, dv = d.dq.copy(), d.dv.copy()
        if self.constraints.present:

            def closing(other: TreeState) -> Array:
                found = self._closed(other)
                return np.asarray(other.force[len(self.held) :] @ found.A - found.efforts)

            dq += self.differences(state, closing)
            if not still:
                dv += self.rate_differences(state, closing)
        return Slopes(dq, dv, d.da, rows, value)

    def _closed(self, state: TreeState) -> Any:
        """What cut joints and wheels say and do at a state."""
        return self.constraints.at(self._now.move(state.q, state.v), state.q, state.t, state.angles)

    def differences(self, state: TreeState, function: Callable[[TreeState], Array]) -> Array:
        """Derivatives (..., n) of a function of states along the coordinates."""
        units = np.diag(step_of(self.constraints.rules) / self.sizes(state.q))
        return slopes(units, lambda x: function(state._replace(q=self.moved(state.q, x))))

    def rate_differences(self, state: TreeState, function: Callable[[TreeState], Array]) -> Array:
        """The same along the velocities, which enter smoothly: friction has the scale of its speed."""
        speeds = np.concatenate((self.tree.forces.speed[self.tree.forces.friction > 0.0], [1.0]))
        fast = float(np.max(np.abs(state.v), initial=0.0))
        step = STEP * max(min(1.0, float(np.min(speeds))), 1e-3 * fast)
        return slopes(step * np.eye(self.n), lambda x: function(state._replace(v=state.v + x)))

    def jacobian(self, q: Array) -> Array:
        """Increments (6 nodes, n) of the nodes, in their own axes, for increments of the coordinates."""
        return seat_rows(self.data, self._now.move(q, np.zeros(self.n)), q, self.seats)

    def sizes(self, q: Array) -> Array:
        """How far a unit of each coordinate moves the mechanism (n,): turns, or displacements in typical lengths."""
        weight = np.tile([1.0 / self.compiled.length, 1.0], len(self.seats)).repeat(3)
        found = np.max(np.abs(self.jacobian(q)) * weight[:, None], axis=0)
        return np.where(found > 0.0, found, 1.0)

    def brackets(self, v: Array) -> Array:
        """Matrix (n, n) of the commutator with v: the velocity of a state moved by x(t) is v + x' + [v, x]."""
        if not np.any(v):
            return np.zeros((self.n, self.n))
        return np.array([coordinates.bracket(self.data, v, unit) for unit in np.eye(self.n)]).T

    def trajectory(
        self, states: list[TreeState], status: Status | None = None, settings: dict[str, Any] | None = None, **more: Any
    ) -> Trajectory:  # fmt: skip
        """States as a stored trajectory, from which results read places, joints, energies."""
        k = len(self.held)
        q, v, a, angles = (np.array([getattr(s, name) for s in states]) for name in ("q", "v", "a", "angles"))
        self.load(states[0].t)
        inner = np.array([self.settled(s).inner for s in states])
        stored = States(q, v, a, np.array([s.force[k:] for s in states]), angles, inner)
        times = np.array([s.t for s in states])
        results = FloatingResults(self._stepper.engine, self.reference, times, stored)
        found = results.trajectory(status, {**(settings or {}), "formulation": "floating"}, **more)
        _ = found.history, results.record.ledger  # now: loads may be scaled later
        return found
