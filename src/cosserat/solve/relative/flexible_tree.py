"""`FlexibleTree`: a model of rigid and elastic bodies in relative and modal coordinates."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_tree import FlexibleTreeData, compile_flexible_tree
from cosserat.errors import SolveError
from cosserat.kernels.flexible import composite, dynamics, force_tangents, tangents
from cosserat.kernels.flexible.arrays import Packed
from cosserat.lie import se3
from cosserat.model.modal import ModalBody
from cosserat.model.model import Model
from cosserat.results.posture import Posture
from cosserat.results.status import Status
from cosserat.solve.relative import flexible_coordinates, flexible_recursion
from cosserat.solve.relative.elastic_posture import ElasticPosture
from cosserat.solve.relative.flexible_forces import FlexibleForces
from cosserat.solve.relative.flexible_recursion import Articulated, Motions
from cosserat.solve.relative.quantities import Energy, ForwardDerivatives, InverseDerivatives
from cosserat.solve.relative.seat_motion import coordinate_rows
from cosserat.solve.relative.states import StateChecker

Array = NDArray[np.float64]


class TreeMotion(NamedTuple):
    """A motion in the coordinates of a tree: times (nt,), coordinates, velocities, accelerations (nt, n)."""

    time: Array
    q: Array
    v: Array
    a: Array
    status: Status


class FlexibleTree:
    """A model of rigid bodies, beams and modal bodies in relative coordinates: the generalised Newton-Euler recursion.

    The equations are M(q) a + h(q, v) = tau, as for `Tree`: h holds everything that acts in the model, and the
    stiffness and damping of the elastic bodies. All algorithms take a time that grows with the number of bodies and no
    faster.

    Parameters
    ----------
    model : Model
        Without closed loops.
    modes : int, or dict of int by beam
        Number of modes of each beam. Modal bodies bring their own.
    boundary : str, or dict of str by beam, optional
        Kind of the modes, see `modal_body`. Default: held where the joint towards the ground is attached (the first
        place where anything is, if no joint ties the beam to the ground): "cantilever", or "craig-bampton" where the
        beam carries something elsewhere (six static shapes for each such place, besides `modes`); "free" for a beam
        that carries nothing and hangs on nothing.
    stiffening : bool
        Whether loads stiffen the beams, see `modal_body`.

    Attributes
    ----------
    coordinates : tuple of str
        Names of the entries of q, v, a and tau: of the joints, as in `Model.coordinates`; six for every body that no
        joint ties to the ground; modal coordinates such as ``"arm.mode1"``.
    modal_bodies : dict of ModalBody
        Elastic bodies by name.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("arm", gravity=(0, 0, -9.81))
    >>> section, steel = cs.Rod(0.02), cs.materials.STEEL
    >>> arm = model.add(cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=section, material=steel, elements=8))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, arm.start, axis=(0, 1, 0)))
    >>> tree = cs.FlexibleTree(model, modes=2)
    >>> tree.coordinates
    ('hinge', 'arm.mode1', 'arm.mode2')
    >>> a = tree.forward_dynamics(np.zeros(3), np.zeros(3), np.zeros(3))
    >>> np.allclose(tree.inverse_dynamics(np.zeros(3), np.zeros(3), a), 0, atol=1e-9)
    True
    """

    def __init__(
        self,
        model: Model,
        modes: Any = None,
        boundary: Any = None,
        stiffening: bool = True,
        *,
        call: str = "FlexibleTree",
    ) -> None:
        self._set(model, compile_flexible_tree(model, modes, boundary, stiffening, call=call))

    @classmethod
    def of_data(cls, model: Model, data: FlexibleTreeData) -> FlexibleTree:
        """The tree of a model that was compiled before."""
        tree = cls.__new__(cls)
        tree._set(model, data)
        return tree

    def _set(self, model: Model, data: FlexibleTreeData) -> None:
        self.data, self._model = data, model
        self.coordinates = data.coordinates
        self.modal_bodies: dict[str, ModalBody] = data.modal_bodies
        self.forces = FlexibleForces(model, data)
        self.gravity = model.gravity
        self.ground = np.concatenate((-self.gravity, np.zeros(3)))  # gravity as an acceleration of the ground
        self._check = StateChecker(data.title, data.coordinates)
        self._shape = (len(data.coordinates),)
        self._lock = threading.Lock()  # of the workspace
        self._now, self._factor = Motions(data), data.arrays.new_factor()
        self._linear: Packed | None = None
        self._now.vectors.ground[:] = self.ground
        self._addresses = data.arrays.tree, self.forces.address, self._now.address
        dynamics.load_stages(
            *self._addresses, self._factor.address, self._now.vectors, self.forces.set_time(0.0)
        )  # fmt: skip

    def _vectors(self, call: str, **given: Any) -> list[Array]:
        """Finite vectors (n,), in the order given."""
        with np.errstate(all="ignore"):  # of what overflows in the quick test
            plain = [self._is_plain(value) for value in given.values()]
        pairs = zip(plain, given.items(), strict=True)
        return [value if sound else self._check.vector(call, name, value) for sound, (name, value) in pairs]

    def _is_plain(self, x: Any) -> bool:
        """Whether there is nothing to check: this takes a microsecond, the check several."""
        plain = type(x) is np.ndarray and x.dtype == np.float64 and x.shape == self._shape and x.flags.c_contiguous
        return plain and math.isfinite(x.dot(x))

    def inverse_dynamics(self, q: Any, v: Any, a: Any, t: float = 0.0) -> Array:
        """Efforts and modal forces (n,) that give the accelerations a at time t."""
        q, v, a = self._vectors("inverse_dynamics", q=q, v=v, a=a)
        with self._lock:
            x = self._now.vectors
            x.q[:], x.v[:], x.a[:] = q, v, a
            self.forces.set_time(t)
            dynamics.inverse_dynamics(*self._addresses)
            return x.tau.copy()

    def residual(self, now: Motions, q: Array, v: Array, a: Array, t: float) -> Array:
        """`inverse_dynamics` with the motion of the links at hand."""
        x = now.vectors
        x.q[:], x.v[:], x.a[:], x.ground[:] = q, v, a, self.ground
        self.forces.set_time(t)
        dynamics.residual(self.data.arrays.tree, self.forces.address, now.address)
        return x.tau.copy()

    def forward_dynamics(self, q: Any, v: Any, tau: Any, t: float = 0.0, driven: Any = None) -> Array:
        """Accelerations (n,) under efforts tau at time t.

        `driven` gives accelerations by coordinate name; efforts there are not regarded.
        """
        q, v, tau = self._vectors("forward_dynamics", q=q, v=v, tau=tau)
        a, held = np.zeros(len(q)), np.zeros(len(q), dtype=bool)
        if not (driven is None or isinstance(driven, Mapping)):
            raise SolveError(f"forward_dynamics: driven is {driven!r}; pass a dict of accelerations by coordinate")
        for name, value in (driven or {}).items():
            if name not in self.coordinates:
                known = ", ".join(self.coordinates[:8])
                raise SolveError(
                    f"forward_dynamics: driven names {name!r}, which is no coordinate; coordinates: {known}"
                )
            k = self.coordinates.index(name)
            if tau[k] != 0.0:
                raise SolveError(
                    f"forward_dynamics: both the acceleration and an effort ({tau[k]:g}) are given for {name!r}; give "
                    "one, the other follows"
                )
            if not (isinstance(value, Real) and np.isfinite(float(value))):
                raise SolveError(f"forward_dynamics: driven[{name!r}] is {value!r}; pass a finite acceleration")
            a[k], held[k] = value, True
        with self._lock:
            self._accelerate(q, v, tau, a, held, t)
            return self._now.vectors.a.copy()

    def _accelerate(self, q: Array, v: Array, tau: Array, a: Array, held: NDArray[np.bool_], t: float) -> None:
        """Write accelerations into the workspace; `a` where coordinates are `held`."""
        x = self._now.vectors
        x.q[:], x.v[:], x.a[:], x.tau[:], x.held[:] = q, v, a, tau, held
        self.forces.set_time(t)
        dynamics.forward_dynamics(*self._addresses, self._factor.address)

    def hybrid_dynamics(
        self, q: Any, v: Any, driven: Any, given: Any, t: float = 0.0, pull: Any = None
    ) -> tuple[Array, Array]:
        """Accelerations and efforts (n,): the unknown half of each; `cs.hybrid_dynamics` in plain arrays.

        Parameters
        ----------
        q, v : (n,)
        driven : (n,)
            1 where the acceleration is given, 0 where the effort is; spherical and free joints all or none.
        given : (n,)
            Accelerations and efforts.
        t : float
            Time of loads and efforts in the model.
        pull : (n,), optional
            What acts besides in the coordinates, J^T w of wrenches w at places; it is no part of the efforts found.
        """
        call = "hybrid_dynamics"
        q, v, given, pull = self._vectors(call, q=q, v=v, given=given, pull=self.neutral() if pull is None else pull)
        held = self._check.driven(call, driven, self.data) != 0.0
        with self._lock:
            self._accelerate(q, v, np.where(held, 0.0, given) + pull, np.where(held, given, 0.0), held, t)
            a = self._now.vectors.a.copy()
            dynamics.inverse_dynamics(*self._addresses)
            return a, np.where(held, self._now.vectors.tau - pull, given)

    def accelerations(
        self, now: Motions, q: Array, v: Array, tau: Array, a: Array, held: NDArray[np.bool_], t: float
    ) -> Array:
        """`forward_dynamics` with the motion of the links at hand; `a` where coordinates are `held`."""
        x = now.vectors
        x.q[:], x.v[:], x.a[:], x.tau[:], x.held[:], x.ground[:] = q, v, a, tau, held, self.ground
        self.forces.set_time(t)
        with self._lock:
            dynamics.accelerate_freely(
                self.data.arrays.tree, self.forces.address, now.address, self._factor.address
            )  # fmt: skip
        return x.a.copy()

    def mass_matrix(self, q: Any) -> Array:
        """M (n, n), symmetric and positive definite."""
        (q,) = self._vectors("mass_matrix", q=q)
        out = np.empty((len(q), len(q)))
        with self._lock:
            self._now.move(q, np.zeros(len(q)))
            composite.mass_matrix(self.data.arrays.tree, self._now.address, self._factor.address, out)
        return out

    def inverse_dynamics_derivatives(self, q: Any, v: Any, a: Any, t: float = 0.0) -> InverseDerivatives:
        """d tau/d q, d tau/d v and d tau/d a = M, each (n, n).

        Along spherical and free joints d q is the motion along unit velocities, as in `moved`.
        """
        q, v, a = self._vectors("inverse_dynamics_derivatives", q=q, v=v, a=a)
        n = len(q)
        out = InverseDerivatives(np.empty((n, n)), np.empty((n, n)), np.empty((n, n)))
        if self._linear is None:
            self._linear = self.data.arrays.new_linear(self.forces.places)
        with self._lock:
            x = self._now.vectors
            x.q[:], x.v[:], x.a[:] = q, v, a
            self.forces.set_time(t)
            dynamics.inverse_dynamics(*self._addresses)
            tangents.record(*self._addresses, self._linear.address)
            tangents.differentiate(*self._addresses, self._linear.address, out.dq, out.dv)
            force_tangents.differentiate_efforts(*self._addresses, out.dq, out.dv)
            composite.mass_matrix(self.data.arrays.tree, self._now.address, self._factor.address, out.da)
        return out

    def forward_dynamics_derivatives(self, q: Any, v: Any, tau: Any, t: float = 0.0) -> ForwardDerivatives:
        """d a/d q, d a/d v, d a/d tau = M^-1, each (n, n), and a (n,) itself."""
        a = self.forward_dynamics(q, v, tau, t)
        found = self.inverse_dynamics_derivatives(q, v, a, t)
        n = len(a)
        factored = Articulated(flexible_recursion.motions(self.data, *self._vectors("", q=q, v=v)))
        dq, dv, dtau = (np.ascontiguousarray(factored.solve(x).T) for x in (-found.dq.T, -found.dv.T, np.eye(n)))
        return ForwardDerivatives(dq, dv, dtau, a)

    def bias(self, q: Any, v: Any, t: float = 0.0) -> Array:
        """h (n,): the efforts that keep the velocities as they are, a = 0."""
        return self.inverse_dynamics(q, v, np.zeros(len(self.coordinates)), t)

    def gravity_forces(self, q: Any) -> Array:
        """Efforts and modal forces (n,) that hold the weight at rest; of all that acts in the model, gravity alone."""
        (q,) = self._vectors("gravity_forces", q=q)
        zero, now = np.zeros(len(q)), flexible_recursion.motions(self.data, q, np.zeros(len(q)))
        nothing = np.zeros(self.data.arrays.n_z)
        held, _ = flexible_recursion.inverse_dynamics(now, zero, self.ground, nothing)
        return held - flexible_recursion.inverse_dynamics(now, zero, np.zeros(6), nothing)[0]

    def jacobian(self, place: Any, q: Any, frame: str = "world") -> Array:
        """J (6, n): velocity and angular velocity of a place are J v, in world axes or in the place's own ("body")."""
        if frame not in ("world", "body"):
            raise SolveError(f"jacobian: frame is {frame!r}; choose 'world' or 'body'")
        (q,) = self._vectors("jacobian", q=q)
        seat = self.data.seat(self._model.place(place, "jacobian"))
        now = flexible_recursion.motions(self.data, q, np.zeros(len(q)))
        J = coordinate_rows(self.data, now, q, [(seat, np.eye(6))], [0])
        if frame == "body":
            return J
        R = self.forces.frame(now, q, seat)[:3, :3]
        return np.vstack((R @ J[:3], R @ J[3:]))

    def forward_kinematics(self, q: Any, v: Any = None, a: Any = None) -> Posture:
        """Frames of places, and their velocities and accelerations where v and a are given.

        Places on elastic bodies are those where something is attached, and the ends of beams.
        """
        zero = self.neutral()
        q, v, a = self._vectors(
            "forward_kinematics", q=q, v=zero if v is None else v, a=zero if a is None else a
        )  # fmt: skip
        return ElasticPosture(self._model, self.data, q.copy(), v, a)

    def centroidal_matrix(self, q: Any) -> Array:
        """Matrix (6, n) that takes velocities to momentum and angular momentum about the centre of mass, world axes."""
        (q,) = self._vectors("centroidal_matrix", q=q)
        now = flexible_recursion.motions(self.data, q, np.zeros(len(q)))
        links = list(now)
        moments = [(w.M[0, 0], np.array([w.M[5, 1], w.M[3, 2], w.M[4, 0]])) for w in links]
        weighted = [m * w.frame[:3, 3] + w.frame[:3, :3] @ h for w, (m, h) in zip(links, moments, strict=True)]
        centre = se3.frame(np.eye(3), -np.sum(weighted, axis=0) / sum(m for m, _ in moments))
        rows = [se3.adjoint(se3.inverse(centre @ w.frame)).T @ w.M[:6] for w in links]
        return flexible_recursion.projected(now, np.hstack(rows))

    def centroidal_momentum(self, q: Any, v: Any) -> Array:
        """Momentum and angular momentum (6,) about the centre of mass, in world axes."""
        (v,) = self._vectors("centroidal_momentum", v=v)
        return np.asarray(self.centroidal_matrix(q) @ v)

    def moved(self, q: Any, delta: Any) -> Array:
        """Coordinates after moving with the velocities delta for a unit of time; q + delta but for rotations."""
        return flexible_coordinates.moved(self.data, *self._vectors("moved", q=q, delta=delta))

    def coordinate_rates(self, q: Any, v: Any) -> Array:
        """Time derivatives of the coordinates; v itself but for spherical and free joints."""
        rates = flexible_coordinates.coordinate_rates(self.data, *self._vectors("coordinate_rates", q=q, v=v))
        return self._check.defined(rates)

    def energy(self, q: Any, v: Any) -> Energy:
        """Kinetic energy, strain energy of bodies, springs and joints, potential energy of gravity."""
        q, v = self._vectors("energy", q=q, v=v)
        with self._lock:
            found = self.forces.energies(self._now.move(q, v), q, self.gravity)
        kinetic, strain, potential = (float(x) for x in found[:3])
        return Energy(kinetic, strain, potential, kinetic + strain + potential)

    def integrate(
        self,
        duration: float,
        step: float,
        q: Any = None,
        v: Any = None,
        integrator: str = "generalized-alpha",
        rho: float = 0.9,
        tolerance: float = 1e-7,
    ) -> TreeMotion:
        """Motion from coordinates q and velocities v at time 0 (default: the reference configuration at rest).

        Methods, `rho` and `tolerance` (of accelerations, relative to the largest) as in `simulate` with
        ``formulation="floating"``, which gives a `Run`. Prescribed motions are followed.
        """
        from cosserat.solve.floating import FLOATING_METHODS
        from cosserat.solve.floating.drivers import fixed_steps
        from cosserat.solve.floating.methods import new_stepper
        from cosserat.solve.floating.state import Drives
        from cosserat.solve.relative.tree_constraints import TreeConstraints

        for name, value in (("duration", duration), ("step", step)):
            if not (isinstance(value, (int, float)) and np.isfinite(value) and value > 0):
                raise SolveError(f"integrate: {name} is {value!r}; pass a positive time in seconds")
        if not 0.0 <= rho <= 1.0:
            raise SolveError(f"integrate: rho is {rho!r}; it must be from 0 (strong numerical damping) to 1 (none)")
        if integrator not in FLOATING_METHODS:
            known = ", ".join(map(repr, FLOATING_METHODS))
            raise SolveError(f"integrate: unknown integrator {integrator!r}; available: {known}")
        zero = self.neutral()
        q, v = self._vectors("integrate", q=zero if q is None else q, v=zero if v is None else v)
        constraints = TreeConstraints(self._model, self.data)
        stepper = new_stepper(self, Drives(self._model, self), constraints, 1.0, integrator, rho, tolerance)
        n_steps = max(1, int(np.ceil(duration / step - 1e-9)))
        stored, status = fixed_steps(stepper, stepper.start(0.0, q, v), n_steps, duration / n_steps, 1)
        self.forces.jump = 0.0  # the steps leave theirs
        t, q, v, a = (np.array([getattr(point, name) for point in stored]) for name in ("t", "q", "v", "a"))
        return TreeMotion(t, q, v, a, status)

    def neutral(self) -> Array:
        """Coordinates (n,) of the reference configuration: zeros."""
        return np.zeros(len(self.coordinates))

    def frame(self, place: Any, q: Any) -> Array:
        """Frame (4, 4) of a place in the world."""
        (q,) = self._vectors("frame", q=q)
        now = flexible_recursion.motions(self.data, q, np.zeros(len(q)))
        return self.forces.frame(now, q, self.data.seat(self._model.place(place, "frame")))
