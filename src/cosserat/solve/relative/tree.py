"""`Tree`: a model compiled to relative coordinates, with the recursive algorithms as methods."""

from __future__ import annotations

import threading
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.spanning import moment_at_rest
from cosserat.compile.tree import compile_tree
from cosserat.compile.tree_forces import compile_forces
from cosserat.errors import SolveError
from cosserat.kernels.recursion import announce, composite, derivatives, group, kinematics
from cosserat.kernels.recursion import table as layout
from cosserat.kernels.recursion.articulated import forward_dynamics as _forward
from cosserat.kernels.recursion.forces import add_force_derivatives, model_forces, room
from cosserat.kernels.recursion.hybrid import hybrid_dynamics as _hybrid
from cosserat.kernels.recursion.newton_euler import inverse_dynamics as _inverse
from cosserat.model.model import Model
from cosserat.model.places import Place
from cosserat.results.posture import Posture
from cosserat.solve.relative.batches import Batches
from cosserat.solve.relative.quantities import Energy, ForwardDerivatives, InverseDerivatives
from cosserat.solve.relative.states import StateChecker

Array = NDArray[np.float64]


_Derivatives = TypeVar("_Derivatives", InverseDerivatives, ForwardDerivatives)


class Tree:
    """A model of rigid bodies in relative coordinates, compiled for repeated calls.

    The equations are M(q) a + h(q, v) = tau, where h holds everything that acts in the model: gravity, springs, loads,
    and stiffness, damping, friction and prescribed efforts of joints. Prescribed motions are not regarded: the state
    is given whole. Nor are knife edges and rolling discs: see `constrained_dynamics`.

    Methods take plain arrays of doubles; with `out` they write into it and make no new array. A tree knows the model
    as it was when the tree was made.

    Parameters
    ----------
    model : Model
        Of rigid bodies, without closed loops.

    Attributes
    ----------
    coordinates : tuple of str
        Names of the entries of q, v, a and tau: those of `Model.coordinates`, then six, such as ``"hub.x"``, for each
        body that no joint ties to the ground.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> tree = cs.Tree(model)
    >>> tau = np.empty(1)
    >>> tree.inverse_dynamics(np.zeros(1), np.zeros(1), np.zeros(1), tau).round(6)
    array([-19.62])
    """

    def __init__(self, model: Model) -> None:
        if not isinstance(model, Model):
            raise SolveError(f"Tree: expected a Model, got {model!r}")
        announce()
        self.data = compile_tree(model, "Tree")
        self.data.spanning.demand_tree(self.data.title)
        self.coordinates = self.data.coordinates
        self.time = 0.0
        self.rolling = tuple(item.title for item in model.rolling)
        self._model = model
        self._forces = compile_forces(model, self.data)
        self._forced = self._forces.present
        self._at_rest = -float(model.gravity @ moment_at_rest(model, self.data.carrier))  # J
        self._table = self.data.table(model.gravity, self._forced)
        n, n_v = len(self.data.links), len(self.coordinates)
        self._n = n_v
        self._room, self._aside = room(n, n_v), self._table.copy()  # for kernels that release the GIL
        at = int(self._table[layout.WORK] + self._table[layout.WRENCH])
        self._forces_now = self._table[at : at + 6 * n + n_v]  # wrenches on links, efforts in joints
        self._check = StateChecker(self.data.title, self.coordinates)
        self._batches = Batches(self._table, self._forces, self._check)
        self._scratch = np.empty((0, n_v, n_v))
        order = self.data.order()[0].astype(int)
        self._place = None if np.array_equal(order, np.arange(n_v)) else np.argsort(order)
        self._lock = threading.Lock()

    # dynamics -------------------------------------------------------------------------------------------------------

    def inverse_dynamics(self, q: Any, v: Any, a: Any, out: Any = None, threads: int = 1) -> Array:
        """Efforts tau (n,) that give accelerations a; stacks of states (N, n) give (N, n)."""
        try:
            if q.ndim == 1:
                tau = np.empty(self._n) if out is None else out
                if self._forced:
                    return self._inverse_forced(q, v, a, tau)
                if _inverse(self._table, q, v, a, tau) == 0:
                    return tau
        except (TypeError, AttributeError, IndexError):
            pass  # not plain arrays: said, or made so, below
        q, v, a = self._check.vectors("inverse_dynamics", q=q, v=v, a=a)
        tau = self._check.out("inverse_dynamics", out, q.shape)
        if q.ndim == 2:
            return self._batches.inverse_dynamics(q, v, a, tau, threads)
        return self._inverse_forced(q, v, a, tau)

    def forward_dynamics(self, q: Any, v: Any, tau: Any, out: Any = None, threads: int = 1) -> Array:
        """Accelerations a (n,) under efforts tau; stacks of states (N, n) give (N, n)."""
        try:
            if q.ndim == 1:
                a = np.empty(self._n) if out is None else out
                if a is v:
                    v = v.copy()  # velocities are read until the last acceleration is written
                if self._forced:
                    return self._forward_forced(q, v, tau, a)
                if _forward(self._table, q, v, tau, a) == 0:
                    return a
        except (TypeError, AttributeError, IndexError):
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
        self, q: Any, v: Any, driven: Any, given: Any, out: Any = None, wrenches: Any = None, threads: int = 1
    ) -> tuple[Array, Array]:
        """Accelerations and efforts (n,), or (N, n): the unknown half of each; `cs.hybrid_dynamics` in plain arrays.

        Parameters
        ----------
        q, v : (n,) or (N, n)
        driven : (n,)
            1 where the acceleration is given, 0 where the effort is; spherical and free joints all or none.
        given : (n,) or (N, n)
            Accelerations and efforts.
        out : two arrays, optional
            Where to write accelerations and efforts.
        wrenches : (n_links, 6) or (N, n_links, 6), optional
            On the links of `data`, in their frames and at their origins.
        threads : int
            For stacks.
        """
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

    def bias(self, q: Any, v: Any, out: Any = None, threads: int = 1) -> Array:
        """h (n,) or (N, n): the efforts that keep the velocities as they are, a = 0."""
        q, v = self._check.vectors("bias", q=q, v=v)
        return self.inverse_dynamics(q, v, np.zeros(q.shape), self._check.out("bias", out, q.shape), threads)

    def gravity_forces(self, q: Any, out: Any = None, threads: int = 1) -> Array:
        """Efforts (n,) or (N, n) that hold the weight at rest; of all that acts in the model, gravity alone."""
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
        """M (n, n), symmetric and positive definite; a stack of states (N, n) gives (N, n, n)."""
        try:
            if q.ndim == 1:
                M = np.empty((self._n, self._n)) if out is None else out
                if composite.mass_matrix(self._table, q, M) == 0:
                    return self._restore(M)
        except (TypeError, AttributeError, IndexError):
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
        """d tau/d q, d tau/d v and d tau/d a = M, each (n, n); `out` are three arrays to write into.

        Along spherical and free joints d q is the motion along unit velocities, as in `moved`. Stacks of states (N, n)
        give (N, n, n).
        """
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
        """d a/d q, d a/d v, d a/d tau = M^-1, each (n, n), and a (n,) itself; `out` are four arrays to write into.

        Stacks of states (N, n) give (N, n, n) and (N, n).
        """
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

    def jacobian(self, place: Any, q: Any, frame: str = "world") -> Array:
        """J (6, n): velocity and angular velocity of a place are J v, in world axes or in the place's own ("body")."""
        return self._jacobian("jacobian", place, q, np.zeros(self._n), frame)[0]

    def jacobian_rate(self, place: Any, q: Any, v: Any, frame: str = "world") -> Array:
        """Time derivative (6, n) of the Jacobian at velocities v: accelerations are J a + J_dot v."""
        v = self._check.vector("jacobian_rate", "v", v)
        return self._jacobian("jacobian_rate", place, q, v, frame)[1]

    def _jacobian(self, call: str, place: Any, q: Any, v: Array, frame: str) -> tuple[Array, Array]:
        if frame not in ("world", "body"):
            raise SolveError(f"{call}: frame is {frame!r}; pass 'world' or 'body'")
        q = self._check.vector(call, "q", q)
        link, F, _ = self.locate(place, call)
        row = self.place_row(link, F, frame == "body")
        J, J_dot = np.empty((6, self._n)), np.empty((6, self._n))
        kinematics.place_jacobian(self._table, q, v, row, J, J_dot)
        return J, J_dot

    def locate(self, place: Any, call: str = "forward_kinematics") -> tuple[int, Array, Place]:
        """Link (-1: the ground) of a place, the place's frame (4, 4) in the link's, and the place."""
        found = self._model.place(place, call)
        if not found.on_ground and self.data.carrier.get(found.owner.name) is None:
            raise SolveError(f"{call}: the place {found.label!r} is on a body that is not in {self.data.title}")
        return (*self.data.attach(found), found)

    @staticmethod
    def place_row(link: int, F: Array, own_axes: bool = False) -> Array:
        """A frame F (4, 4) on a link as the kernels read it."""
        return np.array([link, own_axes, *F[:3, :3].ravel(), *F[:3, 3]], dtype=float)

    def motion_of(self, place: Array, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """World frame (4, 4) of a `place_row`, its Jacobian (6, n) in world axes, and the rate of it."""
        n = len(self.data.links)
        frames, motions = np.empty((n, 12)), np.empty((n, 4, 3))
        J, J_dot = np.empty((6, self._n)), np.empty((6, self._n))
        kinematics.place_jacobian(self._table, q, v, place, J, J_dot)
        kinematics.link_motions(self._table, q, v, v, frames, motions)
        own = frames[int(place[0])]
        R = own[:9].reshape(3, 3)
        H = np.zeros((4, 4))
        H[:3, :3], H[:3, 3], H[3, 3] = R @ place[2:11].reshape(3, 3), own[9:] + R @ place[11:], 1.0
        return H, J, J_dot

    def forward_kinematics(self, q: Any, v: Any = None, a: Any = None) -> Posture:
        """Frames of all places, and their velocities and accelerations where v and a are given."""
        zero = np.zeros(self._n)
        q, v, a = (
            self._check.vector("forward_kinematics", name, zero if x is None else x)
            for name, x in (("q", q), ("v", v), ("a", a))
        )
        n = len(self.data.links)
        frames, motions = np.empty((n, 12)), np.empty((n, 4, 3))
        kinematics.link_motions(self._table, q, v, a, frames, motions)
        return Posture(frames, motions, self.locate)

    def moved(self, q: Any, delta: Any) -> Array:
        """Coordinates after moving with the velocities delta for a unit of time; q + delta but for rotations."""
        q, delta = (self._check.vector("moved", *pair) for pair in (("q", q), ("delta", delta)))
        out = np.empty(self._n)
        group.moved(self._table, q, delta, out)
        return out

    def difference(self, q_a: Any, q_b: Any) -> Array:
        """The delta for which `moved` takes q_a to q_b."""
        q_a, q_b = (self._check.vector("difference", *pair) for pair in (("q_a", q_a), ("q_b", q_b)))
        out = np.empty(self._n)
        group.difference(self._table, q_a, q_b, out)
        return out

    def coordinate_rates(self, q: Any, v: Any) -> Array:
        """Time derivatives of the coordinates; v itself but for spherical and free joints."""
        q, v = (self._check.vector("coordinate_rates", *pair) for pair in (("q", q), ("v", v)))
        out = np.empty(self._n)
        group.coordinate_rates(self._table, q, v, out)
        return self._check.defined(out)

    # momentum and energy --------------------------------------------------------------------------------------------

    def centroidal_matrix(self, q: Any) -> Array:
        """A (6, n): momentum and angular momentum about the centre of mass are A v, in world axes."""
        return self._centroidal("centroidal_matrix", q)[0]

    def centroidal_momentum(self, q: Any, v: Any) -> Array:
        """Momentum and angular momentum (6,) about the centre of mass, in world axes."""
        v = self._check.vector("centroidal_momentum", "v", v)
        return self._centroidal("centroidal_momentum", q)[0] @ v

    def centre_of_mass(self, q: Any) -> Array:
        """Centre of mass (3,) of all that moves."""
        return self._centroidal("centre_of_mass", q)[1][1:]

    def _centroidal(self, call: str, q: Any) -> tuple[Array, Array]:
        A, centre = np.empty((6, self._n)), np.empty(4)
        composite.momentum_matrix(self._table, self._check.vector(call, "q", q), A, centre)
        return A, centre

    def energy(self, q: Any, v: Any) -> Energy:
        """Kinetic energy, strain energy of springs and joints, potential energy of gravity."""
        q, v = (self._check.vector("energy", *pair) for pair in (("q", q), ("v", v)))
        both = np.empty(2)
        composite.energies(self._table, q, v, both)
        strain = 0.5 * float(self._forces.passive[0] @ q**2)
        if len(self._model.springs):
            posture = self.forward_kinematics(q)
            for spring in self._model.springs:
                stretch = np.linalg.norm(posture.position(spring.b) - posture.position(spring.a)) - spring.length
                strain += 0.5 * spring.stiffness * float(stretch) ** 2
        kinetic, potential = float(both[0]), float(both[1]) + self._at_rest
        return Energy(kinetic, strain, potential, kinetic + strain + potential)

    def set_time(self, t: float) -> None:
        """Take loads and efforts that are functions of time at time t."""
        if not self._forces.constant:
            with self._lock:
                self._forces.sample(t)
        self.time = t

    def neutral(self) -> Array:
        """Coordinates (n,) of the reference configuration: zeros."""
        return np.zeros(self._n)
