"""`LaneEngine`: recursions over rigid links, with kernels that know no modes and take several states side by side."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from types import MethodType
from typing import Any

import numpy as np

from cosserat.compile.modal_dynamics import Seat
from cosserat.compile.spanning import moment_at_rest, potential_at_rest
from cosserat.compile.tree import TreeData
from cosserat.compile.tree_forces import LinkTable, compile_forces
from cosserat.kernels.recursion import announce, batch, composite, derivatives, kinematics
from cosserat.kernels.recursion import table as layout
from cosserat.kernels.recursion.articulated import forward_dynamics
from cosserat.kernels.recursion.hybrid import hybrid_dynamics
from cosserat.kernels.recursion.newton_euler import inverse_dynamics
from cosserat.kernels.springs import stored
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.composed import Posture
from cosserat.solve.relative.batches import Batches, LaneForces
from cosserat.solve.relative.nonholonomic import PlaceMotion

Dynamics = Callable[..., int]
_DOUBLE = np.dtype(np.float64)


class LaneEngine:
    """An `Engine` of rigid links. Its kernels are two to three times faster than those of links with modes (mass
    matrices 28 times, stacks 30 to 50 times: they take several states side by side).
    """

    judges_drives = True

    def __init__(self, model: Model, data: TreeData) -> None:
        announce()
        links = LinkTable(data)
        self._n, n = len(data.coordinates), len(data.links)
        self._data, self._forces = data, compile_forces(model, data)
        self._lines = [(s.places, s.offsets) for s in model.springs]
        self._forced = self._forces.present
        self._at_rest = potential_at_rest(model.gravity, moment_at_rest(model, data.carrier))  # J
        self._table = links.packed(model.gravity, self._forced)
        at = int(self._table[layout.WORK] + self._table[layout.WRENCH])
        self._own = self._table[at : at + 6 * n + self._n].reshape(1, -1)  # wrenches on links, efforts in joints
        self._batches = Batches(self._table, self._forces)
        self._lock = threading.Lock()  # of the workspace, where kernels release the GIL
        order = links.order[0].astype(int)
        self._place = None if np.array_equal(order, np.arange(self._n)) else np.argsort(order)
        if self._forced:
            q, v = np.zeros((2, 1, self._n))
            self._acting = LaneForces(self._forces, self._table.copy(), q, v, self._own)
        self.inverse_dynamics = self._acted_on(inverse_dynamics)
        self.forward_dynamics = self._acted_on(forward_dynamics)
        self.hybrid_dynamics = self._acted_on(hybrid_dynamics)
        self.mass_matrix = self._ordered(MethodType(composite.mass_matrix, self._table), 1)

    # dynamics -------------------------------------------------------------------------------------------------------

    def _acted_on(self, kernel: Dynamics) -> Dynamics:
        """A kernel that finds in the workspace what acts in the model besides gravity."""
        if not self._forced:
            return MethodType(kernel, self._table)  # quicker than a partial, in calls of a microsecond
        (q_now,), (v_now,) = self._acting.q, self._acting.v
        act, lock, table = self._acting.act, self._lock, self._table

        def call(q: Array, v: Array, *more: Array) -> int:
            if not q.dtype == v.dtype == _DOUBLE:
                return 1
            with lock:
                q_now[:], v_now[:] = q, v
                act()
                return kernel(table, q, v, *more)

        return call

    def _ordered(self, kernel: Dynamics, first: int) -> Dynamics:
        """A kernel whose matrices, arguments from `first` on, come in the order of coordinates, not of links."""
        if self._place is None:
            return kernel

        def call(*args: Array) -> int:
            status = kernel(*args)
            for matrix in args[first : first + 3]:
                self._restore(matrix)
            return status

        return call

    def _restore(self, matrix: Array) -> None:
        if self._place is not None:
            matrix[:] = matrix[..., self._place[:, None], self._place]

    @functools.cached_property
    def inverse_dynamics_derivatives(self) -> Dynamics:
        """Of q, v, a to dq, dv, da (n, n)."""
        plain = MethodType(derivatives.inverse_dynamics_derivatives, self._table)
        return self._ordered(self._differentiate if self._forced else plain, 3)

    def _differentiate(self, q: Array, v: Array, a: Array, dq: Array, dv: Array, M: Array) -> int:
        """Freedoms are counted from link to link."""
        status = derivatives.inverse_dynamics_derivatives(self._table, q, v, a, dq, dv, M)
        if status == 0:
            with self._lock:
                self._acting.q[:], self._acting.v[:] = q, v
                self._acting.subtract_derivatives(dq[None], dv[None])
        return status

    @functools.cached_property
    def forward_dynamics_derivatives(self) -> Dynamics:
        """Of q, v, tau to dq, dv, dtau (n, n), a (n,)."""
        scratch = np.empty((3, self._n, self._n))
        plain = functools.partial(derivatives.forward_dynamics_derivatives, self._table, scratch)
        return self._ordered(self._differentiate_forward if self._forced else plain, 3)

    def _differentiate_forward(
        self, q: Array, v: Array, tau: Array, dq: Array, dv: Array, dtau: Array, a: Array
    ) -> int:  # fmt: skip
        parts = np.empty((3, self._n, self._n))
        status = self.forward_dynamics(q, v, tau, a) or self._differentiate(q, v, a, *parts)
        if status == 0:
            derivatives.divide_by_mass(parts, dq, dv, dtau)
        return status

    def gravity_forces(self, q: Array, tau: Array) -> int:
        """Of q to tau (n,)."""
        zero = np.zeros(self._n)
        with self._lock:
            self._own[:] = 0.0
            return inverse_dynamics(self._table, q, zero, zero, tau)

    def own_forces(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Wrenches (n_z,) on the links, in their frames, and efforts (n,) in the coordinates; all but gravity."""
        found = self._batches.own_forces(q[None], v[None])
        own = found[0] if len(found) else np.zeros(found.shape[1])
        return own[: -self._n], own[-self._n :]

    def demand_threads(self, call: str, threads: Any) -> None:
        """Raise for anything but a number of threads."""
        self._batches.demand_threads(call, threads)

    def stack(self, call: str, states: list[Array], out: list[Array], threads: int) -> int:
        """The call of dynamics with this name for stacks."""
        status = self._batches.run(call, states, out, threads)
        for x in out:
            if x.ndim == 3:
                self._restore(x)
        return status

    def pulled(self, q: Array, wrenches: Array) -> Array:
        """What wrenches on links do in the coordinates: inverse dynamics at rest, without gravity."""
        table, states = self._table.copy(), np.atleast_2d(q)
        ground = int(table[layout.WORK]) + int(table[layout.N_LINKS]) * layout.W_ROW + layout.W_ACCELERATION
        table[layout.FORCES], table[ground : ground + 3] = 1.0, 0.0
        own = np.hstack((wrenches.reshape(len(states), -1), np.zeros(states.shape)))
        rest, tau = np.zeros(states.shape), np.empty(states.shape)
        batch.inverse_dynamics(table, states, rest, rest, own, batch.workspace(table), tau)
        return -tau.reshape(q.shape)

    # kinematics, momentum, energy -----------------------------------------------------------------------------------

    def jacobian(self, seat: Seat, q: Array, v: Array | None, own_axes: bool) -> tuple[Array, Array]:
        """J and J_dot (6, n) of a seat."""
        F = seat.frame
        row = np.array([seat.link, own_axes, *F[:3, :3].ravel(), *F[:3, 3]], dtype=float)
        J, J_dot = np.empty((6, self._n)), np.empty((6, self._n))
        kinematics.place_jacobian(self._table, q, np.zeros(self._n) if v is None else v, row, J, J_dot)
        return J, J_dot

    def place_motion(self, seat: Seat, q: Array, v: Array) -> PlaceMotion:
        """World frame, Jacobian in world axes and J_dot v of a seat on a link."""
        J, J_dot = self.jacobian(seat, q, v, False)
        own = self._moving_links(q, v, v)[0][seat.link]
        return PlaceMotion(se3.frame(own[:9].reshape(3, 3), own[9:]) @ seat.frame, J, J_dot @ v)

    def posture(self, seat_of: Callable[[Any], Seat], q: Array, v: Array, a: Array) -> Posture:
        """Frames and motions of places."""
        return Posture(*self._moving_links(q, v, a), seat_of)

    def _moving_links(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """World frames (n, 12) of the links and their motions (n, 4, 3)."""
        n = int(self._table[layout.N_LINKS])
        frames, motions = np.empty((n, 12)), np.empty((n, 4, 3))
        kinematics.link_motions(self._table, q, v, a, frames, motions)
        return frames, motions

    def centroidal(self, q: Array) -> tuple[Array, Array]:
        """Matrix (6, n) of the momentum about the centre of mass, and the centre (3,)."""
        A, centre = np.empty((6, self._n)), np.empty(4)
        composite.momentum_matrix(self._table, q, A, centre)
        return A, centre[1:]

    def energies(self, q: Array, v: Array) -> tuple[float, float, float]:
        """Kinetic, strain and potential energy."""
        both = np.empty(2)
        composite.energies(self._table, q, v, both)
        strain = 0.5 * float(self._forces.passive[0] @ q**2)
        if self._lines:
            posture, springs = self.posture(self._data.seat, q, v, v), self._forces.springs
            for k, (places, offsets) in enumerate(self._lines):
                points = [posture.position(p) + posture.rotation(p) @ y for p, y in zip(places, offsets, strict=True)]
                length = float(np.sum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
                strain += stored(springs.stiffness[k], springs.length[k], springs.slack[k], 0.0, length)
        return float(both[0]), strain, float(both[1]) + self._at_rest

    def law_state_rates(self, q: Array, v: Array) -> Array:
        """None."""
        return np.zeros(0)

    def set_time(self, t: float) -> None:
        """Take functions of time at time t."""
        if not self._forces.constant:
            with self._lock:
                self._forces.sample(t)

    def set_law_states(self, states: Array) -> None:
        """None."""
