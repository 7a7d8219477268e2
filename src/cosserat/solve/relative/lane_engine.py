"""`LaneEngine`: recursions over rigid links, with kernels that know no modes and take several states side by side.

Stacks of states are split over threads; every part has a workspace of its own, for the GIL is released.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from types import MethodType
from typing import Any

import numpy as np

from cosserat.compile.modal_dynamics import Seat
from cosserat.compile.spanning import moment_at_rest, potential_at_rest
from cosserat.compile.tree import TreeData
from cosserat.compile.tree_forces import LinkTable, TreeForces, compile_forces
from cosserat.errors import SolveError
from cosserat.kernels.arrays import Packed
from cosserat.kernels.recursion import announce, batch, composite, derivatives, kinematics
from cosserat.kernels.recursion import table as layout
from cosserat.kernels.recursion.articulated import forward_dynamics
from cosserat.kernels.recursion.forces import (
    ActingOnLinks,
    StackedStates,
    add_force_derivatives,
    forces_call,
    room,
)
from cosserat.kernels.recursion.hybrid import hybrid_dynamics
from cosserat.kernels.recursion.newton_euler import inverse_dynamics
from cosserat.kernels.springs import stored
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.composed import Posture

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

    @staticmethod
    def demand_threads(call: str, threads: Any) -> None:
        """Raise for anything but a number of threads."""
        if not isinstance(threads, Integral) or threads < 1:
            raise SolveError(f"{call}: threads is {threads!r}; pass a number of threads, 1 or more")

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


class Batches:
    """The algorithms of a `LaneEngine` over stacks of N states: (N, n) in, (N, n) or (N, n, n) out.

    Methods return 0 if all was finite. Freedoms of matrices are counted from link to link.
    """

    def __init__(self, table: Array, forces: TreeForces) -> None:
        self._table, self._forces = table, forces
        self._size = int(table[layout.N_LINKS]), int(table[layout.N_V])

    def run(self, call: str, states: list[Array], out: list[Array], threads: int) -> int:
        """The method with this name, with a slice of the states for each thread."""
        part: Callable[..., int] = getattr(self, call)
        arrays = [*states, *out]
        if threads == 1:
            return part(*arrays)
        count, threads = len(arrays[0]), int(threads)
        part(*(x[:1] for x in arrays))  # compiles, if nothing is compiled yet
        with ThreadPoolExecutor(threads) as pool:
            ends = [(count * k // threads, count * (k + 1) // threads) for k in range(threads)]
            return max(pool.map(lambda e: part(*(x[e[0] : e[1]] for x in arrays)), ends))

    def inverse_dynamics(self, q: Array, v: Array, a: Array, tau: Array) -> int:
        """Efforts."""
        own = self.own_forces(q, v)
        return batch.inverse_dynamics(self._table, q, v, a, own, batch.workspace(self._table), tau)

    def gravity_forces(self, q: Array, tau: Array) -> int:
        """Efforts that hold the weight."""
        table, rest = self._table.copy(), np.zeros(q.shape)
        table[layout.FORCES] = 0.0
        return batch.inverse_dynamics(table, q, rest, rest, self._no_forces(), batch.workspace(table), tau)

    def forward_dynamics(self, q: Array, v: Array, tau: Array, a: Array) -> int:
        """Accelerations."""
        own = self.own_forces(q, v)
        return batch.forward_dynamics(self._table, q, v, tau, own, batch.workspace(self._table), a)

    def hybrid_dynamics(self, q: Array, v: Array, driven: Array, given: Array, a: Array, tau: Array) -> int:
        """Accelerations and efforts; the same freedoms are driven in all states."""
        own, work = self.own_forces(q, v), batch.workspace(self._table)
        return batch.hybrid_dynamics(self._table, q, v, driven[0], given, own, work, a, tau) if len(q) else 0

    def mass_matrix(self, q: Array, M: Array) -> int:
        """Mass matrices."""
        return batch.mass_matrix(self._table.copy(), q, M)

    def inverse_dynamics_derivatives(self, q: Array, v: Array, a: Array, dq: Array, dv: Array, M: Array) -> int:
        """d tau/d q, d tau/d v, M."""
        table = self._table.copy()
        status = batch.inverse_dynamics_derivatives(table, q, v, a, dq, dv, M)
        if self._forces.present:
            LaneForces(self._forces, table, q, v).subtract_derivatives(dq, dv)
        return status

    def forward_dynamics_derivatives(
        self, q: Array, v: Array, tau: Array, dq: Array, dv: Array, dtau: Array, a: Array
    ) -> int:  # fmt: skip
        """d a/d q, d a/d v, M^-1 and a."""
        status = self.forward_dynamics(q, v, tau, a)
        if status == 0:
            self.inverse_dynamics_derivatives(q, v, a, dq, dv, dtau)
            batch.divide_by_mass(np.empty((3, *dq.shape[1:])), dq, dv, dtau)
        return status

    def _no_forces(self) -> Array:
        n, n_v = self._size
        return np.empty((0, 6 * n + n_v))

    def own_forces(self, q: Array, v: Array) -> Array:
        """What acts in the model besides gravity (N, 6 n + n_v), if anything does."""
        if not self._forces.present:
            return self._no_forces()
        forces = LaneForces(self._forces, self._table.copy(), q, v)
        forces.act()
        return forces.own


class LaneForces:
    """Forces of a model at states whose coordinates and velocities can be written anew.

    Parameters
    ----------
    forces : TreeForces
    table : array
        A table of the tree for these forces alone: kernels release the GIL and write into it.
    q, v : (N, n)
    out : (N, 6 n_links + n), optional
        Where to write; zeros.

    Attributes
    ----------
    q, v, own : arrays
        As above; `own` is out.
    """

    def __init__(self, forces: TreeForces, table: Array, q: Array, v: Array, out: Array | None = None) -> None:
        n, n_v = int(table[layout.N_LINKS]), q.shape[1]
        self.q, self.v, self.own = q, v, np.zeros((len(q), 6 * n + n_v)) if out is None else out
        states = StackedStates(table, q, v, forces.passive, forces.wrench, self.own)
        points = int(np.max(np.diff(forces.springs.start), initial=0))
        self._packed = Packed(ActingOnLinks(states, forces.springs, forces.loads, room(n, n_v, points)))
        self.act = forces_call(self._packed.address)

    def subtract_derivatives(self, dq: Array, dv: Array) -> None:
        """Take derivatives away from d tau/d q and d tau/d v (N, n, n), freedoms counted from link to link."""
        add_force_derivatives(self._packed.address, dq, dv)
