"""`FlexibleTree`: a model of rigid and elastic bodies in relative and modal coordinates."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answered
from cosserat.compile.tree import TreeData, compile_tree
from cosserat.errors import SolveError
from cosserat.kernels.flexible import composite, coordinates, dynamics, force_tangents, tangents
from cosserat.kernels.flexible.arrays import Packed
from cosserat.kernels.law_states import FROZEN
from cosserat.lie import se3
from cosserat.model.modal import ModalBody
from cosserat.model.model import Model
from cosserat.model.places import Place
from cosserat.results.posture import Posture
from cosserat.results.status import Status
from cosserat.solve.relative import flexible_recursion
from cosserat.solve.relative.elastic_posture import ElasticPosture
from cosserat.solve.relative.flexible_forces import FlexibleForces
from cosserat.solve.relative.flexible_recursion import Articulated, Motions
from cosserat.solve.relative.jacobian_rates import jacobian_rate
from cosserat.solve.relative.nonholonomic import PlaceMotion
from cosserat.solve.relative.quantities import ForwardDerivatives, InverseDerivatives
from cosserat.solve.relative.seat_motion import coordinate_rows
from cosserat.solve.relative.states import StateChecker
from cosserat.solve.relative.tree import Tree

Array = NDArray[np.float64]


class TreeMotion(NamedTuple):
    """A motion in the coordinates of a tree: times (nt,), coordinates, velocities, accelerations (nt, n)."""

    time: Array
    q: Array
    v: Array
    a: Array
    status: Status


class FlexibleTree(Tree):
    """A `Tree` whose links have modes: the generalised Newton-Euler recursion of rigid bodies, beams and modal bodies.

    ``Tree(model, modes=...)`` makes one where a model has beams or modal bodies. States of a stack are taken one after
    the other, in one thread.

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
        As in `Tree`.
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

    @answered("Tree")
    def __init__(
        self,
        model: Model,
        modes: Any = None,
        boundary: Any = None,
        stiffening: bool = True,
        *,
        call: str = "Tree",
    ) -> None:
        self._set(model, compile_tree(model, modes, boundary, stiffening, call=call))
        self._choices = {"modes": modes, "boundary": boundary, "stiffening": stiffening}
        self.law_states, self._inner = self.forces.inner_names, self.forces.first_states.copy()

    @classmethod
    def of_data(cls, model: Model, data: TreeData) -> FlexibleTree:
        """The tree of a model that was compiled before."""
        tree = cls.__new__(cls, model)
        assert isinstance(tree, FlexibleTree)
        tree._set(model, data)
        return tree

    def _set(self, model: Model, data: TreeData) -> None:
        self.data: TreeData = data
        self._model, self._choices, self.time = model, {}, 0.0
        self.coordinates = data.coordinates
        self.rolling = tuple(item.title for item in model.rolling)
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

    def _take(self) -> None:
        """Take functions of time and states of laws as they were set; others, who made the tree, set the latter."""
        self.forces.set_time(self.time)
        if self.law_states:
            self.forces.inner.follow[0] = FROZEN
            self.forces.inner.inner[0] = self._inner

    def law_state_rates(self, q: Any, v: Any) -> Array:
        self.inverse_dynamics(q, v, self.neutral())
        return np.asarray(self.forces.inner.inner[1].copy())

    def load(self, t: float, factor: float = 1.0) -> None:
        """Take gravity, loads and efforts at a time, scaled by a factor; laws of users act as they are."""
        self.time = t
        self.forces.scale(t, factor)
        self.ground[:] = factor * np.concatenate((-self._model.gravity, np.zeros(3)))
        self._now.vectors.ground[:] = self.ground

    def _are_plain(self, *vectors: Any) -> bool:
        """Whether there is nothing to check: this takes a microsecond for each, the check several."""
        with np.errstate(all="ignore"):  # of what overflows in the quick test
            return all(
                type(x) is np.ndarray
                and x.dtype == np.float64
                and x.shape == self._shape
                and x.flags.c_contiguous
                and math.isfinite(x.dot(x))
                for x in vectors
            )

    def _vectors(self, call: str, **given: Any) -> list[Array]:
        """Finite vectors (n,), in the order given."""
        return [x if self._are_plain(x) else self._check.vector(call, name, x) for name, x in given.items()]

    def _each(
        self,
        call: str,
        one: Callable[..., Sequence[Array]],
        out: Any,
        threads: int,
        depths: tuple[int, ...],
        **given: Any,
    ) -> list[Array]:
        """Results of one state or of a stack: vectors (depth 1) or matrices (depth 2); `out` has an array for each."""
        if threads != 1:
            raise SolveError(f"{call}: threads is {threads!r}; states of models with elastic bodies take one")
        arrays = self._check.vectors(call, **given)
        stack = arrays[0].shape[:-1]
        if stack:
            self._check.demand_finite(call, dict(zip(given, arrays, strict=True)))
        places = self._check.several(call, out, len(depths)) if len(depths) > 1 else [out]
        results = [
            self._check.out(call, place, (*stack, *(depth * self._shape)))
            for place, depth in zip(places, depths, strict=True)
        ]
        for index in np.ndindex(stack):
            for result, value in zip(results, one(*(array[index] for array in arrays)), strict=True):
                result[index] = value
        return results

    def inverse_dynamics(self, q: Any, v: Any, a: Any, out: Any = None, threads: int = 1) -> Array:
        if out is None and threads == 1 and self._are_plain(q, v, a):
            return self._inverse(q, v, a)[0]
        return self._each("inverse_dynamics", self._inverse, out, threads, (1,), q=q, v=v, a=a)[0]

    def _inverse(self, q: Array, v: Array, a: Array) -> tuple[Array]:
        with self._lock:
            x = self._now.vectors
            x.q[:], x.v[:], x.a[:] = q, v, a
            self._take()
            dynamics.inverse_dynamics(*self._addresses)
            return (x.tau.copy(),)

    def forward_dynamics(
        self, q: Any, v: Any, tau: Any, out: Any = None, threads: int = 1, driven: Mapping[str, float] | None = None
    ) -> Array:
        if driven is not None:
            return self._forward_driven(q, v, tau, out, driven)
        if out is None and threads == 1 and self._are_plain(q, v, tau):
            return self._forward(q, v, tau)[0]
        return self._each("forward_dynamics", self._forward, out, threads, (1,), q=q, v=v, tau=tau)[0]

    def _forward(self, q: Array, v: Array, tau: Array) -> tuple[Array]:
        with self._lock:
            self._accelerate(q, v, tau, np.zeros(self._shape), np.zeros(self._shape, dtype=bool))
            return (self._now.vectors.a.copy(),)

    def _accelerate(self, q: Array, v: Array, tau: Array, a: Array, held: NDArray[np.bool_]) -> None:
        """Write accelerations into the workspace; `a` where coordinates are `held`."""
        x = self._now.vectors
        x.q[:], x.v[:], x.a[:], x.tau[:], x.held[:] = q, v, a, tau, held
        self._take()
        dynamics.forward_dynamics(*self._addresses, self._factor.address)

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
        call = "hybrid_dynamics"
        held = self._check.driven(call, driven, self.data) != 0.0
        known = {"q": q, "v": v, "given": given, "pull": self.neutral() if pull is None else pull}
        if wrenches is not None:
            known["pull"] = known["pull"] + self._pull(call, known["q"], wrenches)

        def one(q: Array, v: Array, given: Array, pull: Array) -> tuple[Array, Array]:
            with self._lock:
                self._accelerate(q, v, np.where(held, 0.0, given) + pull, np.where(held, given, 0.0), held)
                a = self._now.vectors.a.copy()
                dynamics.inverse_dynamics(*self._addresses)
                return a, np.where(held, self._now.vectors.tau - pull, given)

        a, tau = self._each(call, one, out, threads, (1, 1), **known)
        return a, tau

    def _pull(self, call: str, q: Any, wrenches: Any) -> Array:
        """What wrenches (..., n_links, 6) on the links do in the coordinates (..., n)."""
        (q,) = self._check.vectors(call, q=q)
        given = self._check.wrenches(call, wrenches, (*q.shape[:-1], len(self.data.links), 6))
        out = np.empty(q.shape)
        for index in np.ndindex(q.shape[:-1]):
            now = flexible_recursion.motions(self.data, q[index], self.neutral())
            row = np.zeros((1, self.data.arrays.n_z))
            for part, wrench in zip(self.data.parts(row[0]), given[index], strict=True):
                part[:6] = wrench
            out[index] = flexible_recursion.projected(now, row)[0]
        return out

    def mass_matrix(self, q: Any, out: Any = None, threads: int = 1) -> Array:
        return self._each("mass_matrix", self._mass, out, threads, (2,), q=q)[0]

    def _mass(self, q: Array) -> tuple[Array]:
        out = np.empty(2 * self._shape)
        with self._lock:
            self._now.move(q, self.neutral())
            composite.mass_matrix(self.data.arrays.tree, self._now.address, self._factor.address, out)
        return (out,)

    def inverse_dynamics_derivatives(
        self, q: Any, v: Any, a: Any, out: Any = None, threads: int = 1
    ) -> InverseDerivatives:
        call = "inverse_dynamics_derivatives"
        return InverseDerivatives(*self._each(call, self._slopes, out, threads, (2, 2, 2), q=q, v=v, a=a))

    def _slopes(self, q: Array, v: Array, a: Array) -> InverseDerivatives:
        out = InverseDerivatives(*np.empty((3, *(2 * self._shape))))
        if self._linear is None:
            self._linear = self.data.arrays.new_linear(self.forces.places)
        with self._lock:
            x = self._now.vectors
            x.q[:], x.v[:], x.a[:] = q, v, a
            self._take()
            dynamics.inverse_dynamics(*self._addresses)
            tangents.record(*self._addresses, self._linear.address)
            tangents.differentiate(*self._addresses, self._linear.address, out.dq, out.dv)
            force_tangents.differentiate_efforts(*self._addresses, out.dq, out.dv)
            composite.mass_matrix(self.data.arrays.tree, self._now.address, self._factor.address, out.da)
        return out

    def forward_dynamics_derivatives(
        self, q: Any, v: Any, tau: Any, out: Any = None, threads: int = 1
    ) -> ForwardDerivatives:
        def one(q: Array, v: Array, tau: Array) -> Sequence[Array]:
            (a,) = self._forward(q, v, tau)
            found = self._slopes(q, v, a)
            factored = Articulated(flexible_recursion.motions(self.data, q, v))
            return *(factored.solve(x).T for x in (-found.dq.T, -found.dv.T, np.eye(len(a)))), a

        call = "forward_dynamics_derivatives"
        return ForwardDerivatives(*self._each(call, one, out, threads, (2, 2, 2, 1), q=q, v=v, tau=tau))

    def gravity_forces(self, q: Any, out: Any = None, threads: int = 1) -> Array:
        def one(q: Array) -> tuple[Array]:
            zero, nothing = self.neutral(), np.zeros(self.data.arrays.n_z)
            now = flexible_recursion.motions(self.data, q, zero)
            held, _ = flexible_recursion.inverse_dynamics(now, zero, self.ground, nothing)
            return (held - flexible_recursion.inverse_dynamics(now, zero, np.zeros(6), nothing)[0],)

        return self._each("gravity_forces", one, out, threads, (1,), q=q)[0]

    # kinematics -----------------------------------------------------------------------------------------------------

    def _place_jacobian(
        self, place: Place, q: Array, v: Array | None, own_axes: bool, call: str
    ) -> tuple[Array, Array]:
        seat = self.data.seat(place)
        now = flexible_recursion.motions(self.data, q, self.neutral())
        J = coordinate_rows(self.data, now, q, [(seat, np.eye(6))], [0])
        R = self.forces.frame(now, q, seat)[:3, :3]
        if v is None:
            return (J if own_axes else _turned(R, J)), J
        world = _turned(R, J)
        J_dot = jacobian_rate(self, place, q, v, world)
        if not own_axes:
            return world, J_dot
        turning = np.cross((world[3:] @ v)[:, None], world.reshape(2, 3, -1), axisb=1, axisc=1, axisa=0)
        return J, _turned(R.T, J_dot - turning.reshape(6, -1))

    def carries(self, place: Place, call: str) -> bool:
        return self.data.seat(place).link >= 0

    def place_motion(self, place: Place, q: Array, v: Array, call: str) -> PlaceMotion:
        seat = self.data.seat(place)
        if seat.link < 0:
            raise SolveError(f"{call}: the place {place.label!r} is fixed to the ground")
        posture = ElasticPosture(self._model, self.data, q, v, self.neutral())
        H = posture.frame(place)
        now = flexible_recursion.motions(self.data, q, v)
        J = _turned(H[:3, :3], coordinate_rows(self.data, now, q, [(seat, np.eye(6))], [0]))
        return PlaceMotion(H, J, posture.accelerations(place))

    def _posture(self, q: Array, v: Array, a: Array) -> Posture:
        return ElasticPosture(self._model, self.data, q.copy(), v, a)

    def _centroidal(self, q: Array) -> tuple[Array, Array]:
        now = flexible_recursion.motions(self.data, q, self.neutral())
        links = list(now)
        moments = [(w.M[0, 0], np.array([w.M[5, 1], w.M[3, 2], w.M[4, 0]])) for w in links]
        weighted = [m * w.frame[:3, 3] + w.frame[:3, :3] @ h for w, (m, h) in zip(links, moments, strict=True)]
        centre = np.sum(weighted, axis=0) / sum(m for m, _ in moments)
        back = se3.frame(np.eye(3), -centre)
        rows = [se3.adjoint(se3.inverse(back @ w.frame)).T @ w.M[:6] for w in links]
        return flexible_recursion.projected(now, np.hstack(rows)), centre

    def _on_group(self, kernel: str, a: Array, b: Array) -> Array:
        out = np.empty(self._shape)
        getattr(coordinates, kernel)(self.data.arrays.tree, a, b, out)
        return out

    def _energies(self, q: Array, v: Array) -> tuple[float, float, float]:
        with self._lock:
            kinetic, strain, potential, *_ = self.forces.energies(self._now.move(q, v), q, self.gravity)
        return float(kinetic), float(strain), float(potential)

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
        from cosserat.solve.floating.methods import new_stepper
        from cosserat.solve.floating.state import Drives
        from cosserat.solve.floating.walk import FloatingWalk
        from cosserat.solve.motion.driver import fixed_steps
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
        walk = FloatingWalk(stepper, stepper.start(0.0, q, v, inner=self._inner if self.law_states else None))
        times, status = fixed_steps(walk, 0.0, n_steps, duration / n_steps, 1)
        states = walk.states
        return TreeMotion(times, states.q, states.v, states.a, status)

    def frame(self, place: Any, q: Any) -> Array:
        """Frame (4, 4) of a place in the world."""
        (q,) = self._vectors("frame", q=q)
        now = flexible_recursion.motions(self.data, q, np.zeros(len(q)))
        return self.forces.frame(now, q, self.data.seat(self._model.place(place, "frame")))


def _turned(R: Array, rows: Array) -> Array:
    """Both halves of rows (6, n) turned."""
    return np.vstack((R @ rows[:3], R @ rows[3:]))
