"""`RigidTree`: a model of rigid bodies in relative coordinates, with kernels that know no modes."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answered
from cosserat.compile.link_table import LinkTable
from cosserat.compile.spanning import moment_at_rest, potential_at_rest
from cosserat.compile.tree import compile_tree, refuse_all_but_rigid
from cosserat.compile.tree_forces import compile_forces
from cosserat.errors import SolveError
from cosserat.kernels.recursion import announce, composite, derivatives, group, kinematics
from cosserat.kernels.recursion import table as layout
from cosserat.kernels.recursion.articulated import forward_dynamics as _forward
from cosserat.kernels.recursion.forces import add_force_derivatives, model_forces, room
from cosserat.kernels.recursion.hybrid import hybrid_dynamics as _hybrid
from cosserat.kernels.recursion.newton_euler import inverse_dynamics as _inverse
from cosserat.lie import se3
from cosserat.model import checks
from cosserat.model.model import Model
from cosserat.model.places import Place
from cosserat.results.posture import Posture
from cosserat.solve.relative.batches import Batches
from cosserat.solve.relative.nonholonomic import PlaceMotion
from cosserat.solve.relative.quantities import ForwardDerivatives, InverseDerivatives
from cosserat.solve.relative.states import StateChecker
from cosserat.solve.relative.tree import Tree

Array = NDArray[np.float64]


_Derivatives = TypeVar("_Derivatives", InverseDerivatives, ForwardDerivatives)


class RigidTree(Tree):
    """A `Tree` of rigid bodies. Its kernels are two to three times faster than those of links with modes (mass
    matrices 28 times, stacks 30 to 50 times: they take several states side by side).
    """

    @answered("Tree")
    def __init__(self, model: Model, modes: Any = None, boundary: Any = None, stiffening: bool = True) -> None:
        for name, value in (("modes", modes), ("boundary", boundary)):
            if value is not None:
                raise SolveError(f"Tree: {name} is {value!r}, but {model.title} has no beams; leave it out")
        checks.flag("Tree", "stiffening", stiffening)
        announce()
        refuse_all_but_rigid("Tree", model)
        self.data = compile_tree(model)
        self.coordinates = self.data.coordinates
        self.time = 0.0
        self.rolling = tuple(item.title for item in model.rolling)
        self._model, self._choices = model, {}
        self._forces = compile_forces(model, self.data)
        self._forced = self._forces.present
        self._at_rest = potential_at_rest(model.gravity, moment_at_rest(model, self.data.carrier))  # J
        links = LinkTable(self.data)
        self._table = links.packed(model.gravity, self._forced)
        n, n_v = len(self.data.links), len(self.coordinates)
        self._n = n_v
        self._room, self._aside = room(n, n_v), self._table.copy()  # for kernels that release the GIL
        at = int(self._table[layout.WORK] + self._table[layout.WRENCH])
        self._forces_now = self._table[at : at + 6 * n + n_v]  # wrenches on links, efforts in joints
        self._check = StateChecker(self.data.title, self.coordinates)
        self._batches = Batches(self._table, self._forces, self._check)
        self._scratch = np.empty((0, n_v, n_v))
        order = links.order[0].astype(int)
        self._place = None if np.array_equal(order, np.arange(n_v)) else np.argsort(order)
        self._lock = threading.Lock()

    # dynamics -------------------------------------------------------------------------------------------------------

    def inverse_dynamics(self, q: Any, v: Any, a: Any, out: Any = None, threads: int = 1) -> Array:
        try:
            if q.ndim == 1:
                tau = np.empty(self._n) if out is None else out
                if self._forced:
                    return self._inverse_forced(q, v, a, tau)
                if _inverse(self._table, q, v, a, tau) == 0:
                    return tau
        except (TypeError, ValueError, AttributeError, IndexError):
            pass  # not plain arrays: said, or made so, below
        q, v, a = self._check.vectors("inverse_dynamics", q=q, v=v, a=a)
        tau = self._check.out("inverse_dynamics", out, q.shape)
        if q.ndim == 2:
            return self._batches.inverse_dynamics(q, v, a, tau, threads)
        return self._inverse_forced(q, v, a, tau)

    def forward_dynamics(
        self, q: Any, v: Any, tau: Any, out: Any = None, threads: int = 1, driven: Mapping[str, float] | None = None
    ) -> Array:
        if driven is not None:
            return self._forward_driven(q, v, tau, out, driven)
        try:
            if q.ndim == 1:
                a = np.empty(self._n) if out is None else out
                if a is v:
                    v = v.copy()  # velocities are read until the last acceleration is written
                if self._forced:
                    return self._forward_forced(q, v, tau, a)
                if _forward(self._table, q, v, tau, a) == 0:
                    return a
        except (TypeError, ValueError, AttributeError, IndexError):
            pass
        q, v, tau = self._check.vectors("forward_dynamics", q=q, v=v, tau=tau)
        a = self._check.out("forward_dynamics", out, q.shape)
        if q.ndim == 2:
            return self._batches.forward_dynamics(q, v, tau, a, threads)
        return self._forward_forced(q, v, tau, a)

    def _inverse_forced(self, q: Array, v: Array, a: Array, tau: Array) -> Array:
        with self._lock:
            self._apply(q, v)
            if _inverse(self._table, q, v, a, tau) != 0:
                raise TypeError("a vector has a wrong size or is not finite")
        return tau

    def _forward_forced(self, q: Array, v: Array, tau: Array, a: Array) -> Array:
        with self._lock:
            self._apply(q, v)
            if _forward(self._table, q, v, tau, a) != 0:
                raise TypeError("a vector has a wrong size or is not finite")
        return a

    def _apply(self, q: Array, v: Array) -> None:
        """Write the model's own forces at a state into the workspace."""
        if self._forced:
            if q.shape != (self._n,) or v.shape != (self._n,):
                raise TypeError("a vector has a wrong size")
            if not (q.dtype == v.dtype == np.float64 and q.flags.carray and v.flags.carray):
                raise TypeError("a vector is not one for which the kernel is compiled")
            forces = self._forces
            model_forces(
                self._aside, q.reshape(1, -1), v.reshape(1, -1), forces.springs, forces.loads, forces.passive,
                forces.wrench, self._room, self._forces_now.reshape(1, -1),
            )  # fmt: skip

    def hybrid_dynamics(
        self,
        q: Any,
        v: Any,
        driven: Any,
        given: Any,
        out: Any = None,
        wrenches: Any = None,
        threads: int = 1,
        pull: Any = None,
    ) -> tuple[Array, Array]:
        if pull is not None:
            # efforts beside the given ones: they drive what is free, and drives need not give them
            driven = self._check.driven("hybrid_dynamics", driven, self.data)
            given, pull = self._check.vectors("hybrid_dynamics", given=given, pull=pull)
            free = driven == 0.0
            a, tau = self.hybrid_dynamics(q, v, driven, np.where(free, given + pull, given), out, wrenches, threads)
            tau -= pull
            return a, tau
        if not self._forced and wrenches is None:
            try:
                a, tau = (np.empty(self._n), np.empty(self._n)) if out is None else out
                if a is v or tau is v:
                    v = v.copy()
                if _hybrid(self._table, q, v, driven, given, a, tau) == 0:
                    return a, tau
            except (TypeError, AttributeError, IndexError, ValueError):
                pass
        call = "hybrid_dynamics"
        q, v, given = self._check.vectors(call, q=q, v=v, given=given)
        driven = self._check.driven(call, driven, self.data)
        a, tau = (self._check.out(call, x, q.shape) for x in self._check.several(call, out, 2))
        pulls = None
        if wrenches is not None:
            pulls = self._check.wrenches(call, wrenches, (*q.shape[:-1], len(self.data.links), 6))
        if q.ndim == 2:
            self._batches.hybrid_dynamics(q, v, driven, given, pulls, [a, tau], threads)
            return a, tau
        table = self._table if self._forced else self._table.copy()  # others may read the flag that is set below
        at = int(table[layout.WORK] + table[layout.WRENCH])
        with self._lock:
            self._apply(q, v)
            if pulls is not None:
                table[layout.FORCES] = 1.0
                table[at : at + pulls.size] += pulls.ravel()
            _hybrid(table, q, v, driven, given, a, tau)
        return a, tau

    def own_forces(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Wrenches (n_links, 6) on the links, in their frames, and efforts (n,) in the joints; all but gravity."""
        if not self._forced:
            return np.zeros((len(self.data.links), 6)), np.zeros(self._n)
        with self._lock:
            self._apply(q, v)
            wrench, effort = np.split(self._forces_now, [-self._n])
            return wrench.reshape(-1, 6).copy(), effort.copy()

    def gravity_forces(self, q: Any, out: Any = None, threads: int = 1) -> Array:
        (q,) = self._check.vectors("gravity_forces", q=q)
        tau = self._check.out("gravity_forces", out, q.shape)
        if q.ndim == 2:
            return self._batches.gravity_forces(q, tau, threads)
        zero = np.zeros(self._n)
        with self._lock:
            self._forces_now[:] = 0.0
            _inverse(self._table, q, zero, zero, tau)
        return tau

    # matrices -------------------------------------------------------------------------------------------------------

    def mass_matrix(self, q: Any, out: Any = None, threads: int = 1) -> Array:
        try:
            if q.ndim == 1:
                M = np.empty((self._n, self._n)) if out is None else out
                if composite.mass_matrix(self._table, q, M) == 0:
                    return self._restore(M)
        except (TypeError, ValueError, AttributeError, IndexError):
            pass
        (q,) = self._check.vectors("mass_matrix", q=q)
        M = self._check.out("mass_matrix", out, (*q.shape, self._n))
        if q.ndim == 2:
            self._batches.mass_matrix(q, M, threads)
        else:
            composite.mass_matrix(self._table, q, M)
        return self._restore(M)

    def inverse_dynamics_derivatives(
        self, q: Any, v: Any, a: Any, out: Any = None, threads: int = 1
    ) -> InverseDerivatives:
        if not self._forced:
            try:
                dq, dv, M = np.empty((3, self._n, self._n)) if out is None else out
                if derivatives.inverse_dynamics_derivatives(self._table, q, v, a, dq, dv, M) == 0:
                    found = InverseDerivatives(dq, dv, M)
                    return found if self._place is None else self._ordered(found)
            except (TypeError, AttributeError, IndexError, ValueError):
                pass
        call = "inverse_dynamics_derivatives"
        q, v, a = self._check.vectors(call, q=q, v=v, a=a)
        result = [self._check.out(call, x, (*q.shape, self._n)) for x in self._check.several(call, out, 3)]
        if q.ndim == 2:
            self._batches.inverse_dynamics_derivatives({"q": q, "v": v, "a": a}, result, threads)
        else:
            derivatives.inverse_dynamics_derivatives(self._table, q, v, a, *result)
            self._add_force_derivatives(q, v, result[0], result[1])
        return self._ordered(InverseDerivatives(*result))

    def forward_dynamics_derivatives(
        self, q: Any, v: Any, tau: Any, out: Any = None, threads: int = 1
    ) -> ForwardDerivatives:
        if len(self._scratch) == 0:
            self._scratch = np.empty((3, self._n, self._n))
        if not self._forced:
            try:
                dq, dv, dtau, a = (*np.empty((3, self._n, self._n)), np.empty(self._n)) if out is None else out
                if a is v:
                    v = v.copy()
                kernel = derivatives.forward_dynamics_derivatives
                if kernel(self._table, q, v, tau, self._scratch, a, dq, dv, dtau) == 0:
                    result = ForwardDerivatives(dq, dv, dtau, a)
                    return result if self._place is None else self._ordered(result)
            except (TypeError, AttributeError, IndexError, ValueError):
                pass
        call = "forward_dynamics_derivatives"
        q, v, tau = self._check.vectors(call, q=q, v=v, tau=tau)
        *matrices, last = self._check.several(call, out, 4)
        dq, dv, dtau = (self._check.out(call, x, (*q.shape, self._n)) for x in matrices)
        a = self._check.out(call, last, q.shape)
        if q.ndim == 2:
            self._batches.forward_dynamics_derivatives({"q": q, "v": v, "tau": tau}, [dq, dv, dtau, a], threads)
        else:
            scratch = np.empty(self._scratch.shape)
            self.forward_dynamics(q, v, tau, a)
            derivatives.inverse_dynamics_derivatives(self._table, q, v, a, *scratch)
            self._add_force_derivatives(q, v, scratch[0], scratch[1])
            derivatives.divide_by_mass(scratch, dq, dv, dtau)
        return self._ordered(ForwardDerivatives(dq, dv, dtau, a))

    def _add_force_derivatives(self, q: Array, v: Array, dq: Array, dv: Array) -> None:
        if self._forced:
            forces = self._forces
            arrays = (forces.springs, forces.loads, forces.passive, forces.wrench)
            with self._lock:
                add_force_derivatives(self._aside, q[None], v[None], *arrays, self._room, dq[None], dv[None])

    def _ordered(self, found: _Derivatives) -> _Derivatives:
        if self._place is not None:
            for matrix in found[:3]:
                self._restore(matrix)
        return found

    def _restore(self, matrix: Array) -> Array:
        """From the order of the links to that of the coordinates."""
        if self._place is not None:
            matrix[:] = matrix[..., self._place[:, None], self._place]
        return matrix

    # kinematics -----------------------------------------------------------------------------------------------------

    def _place_jacobian(
        self, place: Place, q: Array, v: Array | None, own_axes: bool, call: str
    ) -> tuple[Array, Array]:
        link, F, _ = self.locate(place, call)
        row = self.place_row(link, F, own_axes)
        J, J_dot = np.empty((6, self._n)), np.empty((6, self._n))
        kinematics.place_jacobian(self._table, q, np.zeros(self._n) if v is None else v, row, J, J_dot)
        return J, J_dot

    def locate(self, place: Any, call: str = "forward_kinematics") -> tuple[int, Array, Place]:
        """Link (-1: the ground) of a place, the place's frame (4, 4) in the link's, and the place."""
        found = self._model.place(place, call)
        if not found.on_ground and self.data.carrier.get(found.owner.name) is None:
            raise SolveError(f"{call}: the place {found.label!r} is on a body that is not in {self.data.title}")
        seat = self.data.seat(found)
        return seat.link, seat.frame, found

    @staticmethod
    def place_row(link: int, F: Array, own_axes: bool = False) -> Array:
        """A frame F (4, 4) on a link as the kernels read it."""
        return np.array([link, own_axes, *F[:3, :3].ravel(), *F[:3, 3]], dtype=float)

    def carries(self, place: Place, call: str) -> bool:
        return self.locate(place, call)[0] >= 0

    def place_motion(self, place: Place, q: Array, v: Array, call: str) -> PlaceMotion:
        link, F, found = self.locate(place, call)
        if link < 0:
            raise SolveError(f"{call}: the place {found.label!r} is fixed to the ground")
        n = len(self.data.links)
        frames, motions = np.empty((n, 12)), np.empty((n, 4, 3))
        J, J_dot = np.empty((6, self._n)), np.empty((6, self._n))
        kinematics.place_jacobian(self._table, q, v, self.place_row(link, F), J, J_dot)
        kinematics.link_motions(self._table, q, v, v, frames, motions)
        own = frames[link]
        R = own[:9].reshape(3, 3)
        return PlaceMotion(se3.frame(R @ F[:3, :3], own[9:] + R @ F[:3, 3]), J, J_dot @ v)

    def _posture(self, q: Array, v: Array, a: Array) -> Posture:
        n = len(self.data.links)
        frames, motions = np.empty((n, 12)), np.empty((n, 4, 3))
        kinematics.link_motions(self._table, q, v, a, frames, motions)
        return Posture(frames, motions, self.locate)

    def _on_group(self, kernel: str, a: Array, b: Array) -> Array:
        out = np.empty(self._n)
        getattr(group, kernel)(self._table, a, b, out)
        return out

    # momentum and energy --------------------------------------------------------------------------------------------

    def _centroidal(self, q: Array) -> tuple[Array, Array]:
        A, centre = np.empty((6, self._n)), np.empty(4)
        composite.momentum_matrix(self._table, q, A, centre)
        return A, centre[1:]

    def _energies(self, q: Array, v: Array) -> tuple[float, float, float]:
        both = np.empty(2)
        composite.energies(self._table, q, v, both)
        strain = 0.5 * float(self._forces.passive[0] @ q**2)
        if len(self._model.springs):
            posture = self.forward_kinematics(q)
            for spring in self._model.springs:
                stretch = np.linalg.norm(posture.position(spring.b) - posture.position(spring.a)) - spring.length
                strain += 0.5 * spring.stiffness * float(stretch) ** 2
        return float(both[0]), strain, float(both[1]) + self._at_rest

    def set_time(self, t: float) -> None:
        """Take loads and efforts that are functions of time at time t."""
        t = checks.number("Tree.set_time", "t", t)
        if not self._forces.constant:
            with self._lock:
                self._forces.sample(t)
        self.time = t

