"""`Tree`: a model in relative coordinates, with the recursive algorithms as methods."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.calls import answered
from cosserat.compile.modal_dynamics import Seat
from cosserat.compile.tree import TreeData, compile_tree
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.model import Model
from cosserat.model.places import Place
from cosserat.results.composed import Posture
from cosserat.results.trajectory import Kept, as_simulated, kept_now
from cosserat.solve.relative.coordinates import OnGroup
from cosserat.solve.relative.modal_engine import Engine, ModalEngine, made_again, new_engine
from cosserat.solve.relative.nonholonomic import VelocityConstraint
from cosserat.solve.relative.quantities import Energy, ForwardDerivatives, InverseDerivatives, TreeMotion
from cosserat.solve.relative.states import StateChecker
from cosserat.solve.relative.tree_constraints import TreeConstraints

if TYPE_CHECKING:
    from cosserat.results.composed import ComposedVectors
    from cosserat.solve.relative.constrained import ConstrainedDynamics

_NOT_PLAIN = (TypeError, ValueError, AttributeError, IndexError)  # what engines raise where arguments are to be checked


class Tree:
    """A model in relative coordinates, compiled for repeated calls.

    The equations are M(q) a + h(q, v) = tau, where h holds everything that acts in the model: gravity, springs, loads,
    stiffness, damping, friction and prescribed efforts of joints, and stiffness and damping of elastic bodies. All
    algorithms take a time that grows with the number of bodies and no faster. Prescribed motions are ignored here: the
    state is given whole. So are knife edges and rolling discs: see `constrained_dynamics`. Where joints form closed
    loops, accelerations are those that the loops allow, and inverse dynamics gives the efforts without forces between
    the two sides of a cut: forward dynamics undoes it for all accelerations that the loops allow.

    A rigid link is a link without modes. Models of rigid bodies have kernels that know no modes and take several states
    side by side; models with beams, modal bodies or laws of users have those of links with modes, which take states of
    a stack one after the other, in one thread.

    Methods take plain arrays of doubles, one state (n,) or, where they say so, a stack of states (N, n); with `out`
    they write into it and make no new array. A tree knows the model as it was when the tree was made. It can be
    pickled and copied if its model can.

    Parameters
    ----------
    model : Model
        Closed loops are cut at one of their joints, which has no coordinate then.
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
        Names of the entries of q, v, a and tau: those of `Model.coordinates`, then six, such as ``"hub.x"``, for each
        body that no joint ties to the ground; modal coordinates such as ``"arm.mode1"``.
    modal_bodies : dict of ModalBody
        Elastic bodies by name.
    time : float
        Time of loads and efforts, see `set_time`.
    law_states : tuple of str
        Names of the states that laws of loads own, such as lags of a wake, see `set_law_states`.

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
    >>> a = tree.forward_dynamics(np.zeros(1), np.zeros(1), np.zeros(1))
    >>> np.allclose(tree.inverse_dynamics(np.zeros(1), np.zeros(1), a), 0, atol=1e-9)
    True
    """

    law_states: tuple[str, ...]
    _general = False  # whether rigid links, too, have the kernels of links with modes

    @answered("Tree")
    def __init__(
        self, model: Model, modes: Any = None, boundary: Any = None, stiffening: bool = True, *, call: str = "Tree"
    ) -> None:
        if isinstance(model, Model) and not (self._general or model.beams or model.modal_bodies):
            for name, value in (("modes", modes), ("boundary", boundary)):
                if value is not None:
                    raise SolveError(f"{call}: {name} is {value!r}, but {model.title} has no beams; leave it out")
        data = compile_tree(model, modes, boundary, stiffening, call=call, cut=True)
        self._set(model, data, new_engine(model, data, self._general))
        self._choices = {"modes": modes, "boundary": boundary, "stiffening": stiffening}
        if isinstance(self.engine, ModalEngine):
            self.engine.keep(None if self._general else self._kept)
            self.law_states = self.engine.forces.inner_names
            self.set_law_states(self.engine.forces.first_states.copy())

    def _set(self, model: Model, data: TreeData, engine: Engine, kept: Kept | None = None) -> None:
        self._model, self._choices, self._kept = model, {}, kept_now(model) if kept is None else kept
        self.data, self.coordinates, self.modal_bodies = data, data.coordinates, data.reduced.bodies
        self.rolling, self.law_states, self._inner = tuple(item.title for item in model.rolling), (), np.zeros(0)
        self.time = 0.0
        self._n, self._square = len(data.coordinates), 2 * (len(data.coordinates),)
        self._check = StateChecker(data.title, data.coordinates)
        self._group: OnGroup | None = None
        self.engine = engine
        if isinstance(engine, ModalEngine):
            self.forces, self.gravity, self.ground = engine.forces, engine.gravity, engine.ground
        self._invert, self._accelerate = engine.inverse_dynamics, engine.forward_dynamics  # found once: calls are short
        self._weigh = engine.mass_matrix

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.data.title}: {self._n} coordinates>"

    def __reduce__(self) -> Any:
        return made_again, (type(self), *self._kept, self._choices, self.time, self._inner)

    # dynamics -------------------------------------------------------------------------------------------------------

    def _answers(self, call: str, depths: tuple[int, ...], out: Any, threads: Any, **given: Any) -> list[Array]:
        """Results of one state or of a stack: vectors (depth 1) or matrices (depth 2); `out` has an array for each.

        All arguments are checked. Calls that last microseconds try the engine first: it refuses all but plain states.
        """
        self.engine.demand_threads(call, threads)
        arrays = self._check.vectors(call, **given)
        stack = arrays[0].shape[:-1]
        places = self._check.several(call, out, len(depths)) if len(depths) > 1 else [out]
        results = [
            self._check.out(call, place, (*stack, *(depth * (self._n,))))
            for place, depth in zip(places, depths, strict=True)
        ]
        arrays = [x.copy() if any(np.may_share_memory(x, result) for result in results) else x for x in arrays]
        each = getattr(self.engine, call)
        status = self.engine.stack(call, arrays, results, threads) if stack else each(*arrays, *results)
        if status != 0:
            self._check.demand_finite(call, dict(zip(given, arrays, strict=True)))
        return results

    def inverse_dynamics(self, q: Any, v: Any, a: Any, out: Any = None, threads: int = 1) -> Array:
        """Efforts tau (n,) that give accelerations a; stacks of states (N, n) give (N, n)."""
        try:
            if threads == 1:
                tau: Array = np.empty(self._n) if out is None else out
                if not self._invert(q, v, a, tau):
                    return tau
        except _NOT_PLAIN:
            pass
        return self._answers("inverse_dynamics", (1,), out, threads, q=q, v=v, a=a)[0]

    def forward_dynamics(
        self, q: Any, v: Any, tau: Any, out: Any = None, threads: int = 1, driven: Mapping[str, float] | None = None
    ) -> Array:
        """Accelerations a (n,) under efforts tau; stacks of states (N, n) give (N, n).

        `driven` gives accelerations by coordinate name, for one state; no effort may be given there.
        """
        if driven is not None:
            q, v = self.vectors("forward_dynamics", q=q, v=v)
            held, given = self._check.drives("forward_dynamics", tau, driven)
            a = self._check.out("forward_dynamics", out, given.shape)
            a[:] = self.hybrid_dynamics(q, v, held, given, threads=threads)[0]
            return a
        try:
            if threads == 1:
                a = np.empty(self._n) if out is None else out
                if out is not None and np.may_share_memory(a, v):
                    v = v.copy()  # velocities are read until the last acceleration is written
                if not self._accelerate(q, v, tau, a):
                    return a
        except _NOT_PLAIN:
            pass
        return self._answers("forward_dynamics", (1,), out, threads, q=q, v=v, tau=tau)[0]

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
            For stacks, where all bodies are rigid.
        pull : (n,), optional
            What acts besides in the coordinates, J^T w of wrenches w at places; it is no part of the efforts found.
        """
        call = "hybrid_dynamics"
        try:
            if self.engine.judges_drives and wrenches is None and pull is None and threads == 1:
                a, tau = (np.empty(self._n), np.empty(self._n)) if out is None else out
                if out is not None and (np.may_share_memory(a, v) or np.may_share_memory(tau, v)):
                    v = v.copy()
                if self.engine.hybrid_dynamics(q, v, driven, given, a, tau) == 0:
                    return a, tau
        except _NOT_PLAIN:
            pass
        driven = self._check.driven(call, driven, self.data)
        if pull is not None:
            (pull,) = self._check.vectors(call, pull=pull)
        if wrenches is not None:
            (q,) = self._check.vectors(call, q=q)
            shape = (*q.shape[:-1], len(self.data.links), 6)
            pulled = self.engine.pulled(q, self._check.wrenches(call, wrenches, shape))
            pull = pulled if pull is None else pull + pulled
        if pull is None:
            found = self._answers(call, (1, 1), out, threads, q=q, v=v, driven=driven, given=given)
            return found[0], found[1]
        # efforts beside the given ones: they drive what is free, and drives need not give them
        given, pull = self._check.vectors(call, given=given, pull=pull)
        free, wanted = driven == 0.0, given.copy()
        asked = np.where(free, given + pull, given)
        a, tau = self._answers(call, (1, 1), out, threads, q=q, v=v, driven=driven, given=asked)
        tau[:] = np.where(free, wanted, tau - pull)
        return a, tau

    def bias(self, q: Any, v: Any, out: Any = None, threads: int = 1) -> Array:
        """h (n,) or (N, n): the efforts that keep the velocities as they are, a = 0."""
        q, v = self._check.vectors("bias", q=q, v=v)
        return self.inverse_dynamics(q, v, np.zeros(q.shape), self._check.out("bias", out, q.shape), threads)

    def gravity_forces(self, q: Any, out: Any = None, threads: int = 1) -> Array:
        """Efforts (n,) or (N, n) that hold the weight at rest; of all that acts in the model, gravity alone."""
        return self._answers("gravity_forces", (1,), out, threads, q=q)[0]

    def mass_matrix(self, q: Any, out: Any = None, threads: int = 1) -> Array:
        """M (n, n), symmetric and positive definite; a stack of states (N, n) gives (N, n, n)."""
        try:
            if threads == 1:
                M: Array = np.empty(self._square) if out is None else out
                if not self._weigh(q, M):
                    return M
        except _NOT_PLAIN:
            pass
        return self._answers("mass_matrix", (2,), out, threads, q=q)[0]

    def inverse_dynamics_derivatives(
        self, q: Any, v: Any, a: Any, out: Any = None, threads: int = 1
    ) -> InverseDerivatives:
        """d tau/d q, d tau/d v and d tau/d a = M, each (n, n); `out` are three arrays to write into.

        Along spherical and free joints d q is the motion along unit velocities, as in `moved`. Stacks of states (N, n)
        give (N, n, n).
        """
        try:
            if threads == 1:
                dq, dv, M = np.empty((3, *self._square)) if out is None else out
                if self.engine.inverse_dynamics_derivatives(q, v, a, dq, dv, M) == 0:
                    return InverseDerivatives(dq, dv, M)
        except _NOT_PLAIN:
            pass
        found = self._answers("inverse_dynamics_derivatives", (2, 2, 2), out, threads, q=q, v=v, a=a)
        return InverseDerivatives(*found)

    def forward_dynamics_derivatives(
        self, q: Any, v: Any, tau: Any, out: Any = None, threads: int = 1
    ) -> ForwardDerivatives:
        """d a/d q, d a/d v, d a/d tau = M^-1, each (n, n), and a (n,) itself; `out` are four arrays to write into.

        Stacks of states (N, n) give (N, n, n) and (N, n).
        """
        try:
            if threads == 1:
                dq, dv, dtau, a = (*np.empty((3, *self._square)), np.empty(self._n)) if out is None else out
                if a is q or a is v:
                    q, v = q.copy(), v.copy()  # derivatives are taken there after accelerations are written
                if self.engine.forward_dynamics_derivatives(q, v, tau, dq, dv, dtau, a) == 0:
                    return ForwardDerivatives(dq, dv, dtau, a)
        except _NOT_PLAIN:
            pass
        call = "forward_dynamics_derivatives"
        return ForwardDerivatives(*self._answers(call, (2, 2, 2, 1), out, threads, q=q, v=v, tau=tau))

    # kinematics -----------------------------------------------------------------------------------------------------

    def _seat(self, place: Any, call: str = "forward_kinematics") -> Seat:
        """Where a place is carried."""
        found = self._model.place(place, call)
        if not found.on_ground and found.owner.name not in self.data.carrier:
            raise SolveError(f"{call}: the place {found.label!r} is on a body that is not in {self.data.title}")
        return self.data.seat(found)

    def jacobian(self, place: Any, q: Any, frame: str = "world") -> Array:
        """J (6, n): velocity and angular velocity of a place are J v, in world axes or in the place's own ("body")."""
        return self._jacobian("jacobian", place, q, None, frame)[0]

    def jacobian_rate(self, place: Any, q: Any, v: Any, frame: str = "world") -> Array:
        """Time derivative (6, n) of the Jacobian at velocities v: accelerations are J a + J_dot v."""
        v = self._check.vector("jacobian_rate", "v", v)
        return self._jacobian("jacobian_rate", place, q, v, frame)[1]

    def _jacobian(self, call: str, place: Any, q: Any, v: Array | None, frame: str) -> tuple[Array, Array]:
        if not isinstance(frame, str) or frame not in ("world", "body"):
            raise SolveError(f"{call}: frame is {frame!r}; pass 'world' or 'body'")
        seat = self._seat(place, call)
        return self.engine.jacobian(seat, self._check.vector(call, "q", q), v, frame == "body")

    def carries(self, place: Place, call: str) -> bool:
        """Whether a place is on something that moves."""
        return self._seat(place, call).link >= 0

    def forward_kinematics(self, q: Any, v: Any = None, a: Any = None) -> Posture:
        """Frames of places, and their velocities and accelerations where v and a are given.

        Places on elastic bodies are those where something is attached, and the ends of beams.
        """
        v, a = (self.neutral() if x is None else x for x in (v, a))
        return self.engine.posture(self._seat, *self.vectors("forward_kinematics", q=q, v=v, a=a))

    def frame(self, place: Any, q: Any) -> Array:
        """Frame (4, 4) of a place in the world."""
        seat = self._seat(place, "frame")
        return self.engine.posture(lambda seat: seat, *self.vectors("frame", q=q), *np.zeros((2, self._n))).frame(seat)

    def moved(self, q: Any, delta: Any) -> Array:
        """Coordinates after moving with the velocities delta for a unit of time; q + delta but for rotations."""
        return self._on_group("moved", q=q, delta=delta)

    def difference(self, q_a: Any, q_b: Any) -> Array:
        """The delta for which `moved` takes q_a to q_b."""
        return self._on_group("difference", q_a=q_a, q_b=q_b)

    def coordinate_rates(self, q: Any, v: Any) -> Array:
        """Time derivatives of the coordinates; v itself but for spherical and free joints."""
        return self._check.defined(self._on_group("coordinate_rates", q=q, v=v))

    def _on_group(self, call: str, **given: Any) -> Array:
        if self._group is None:
            self._group = OnGroup(self.data)
        return self._group(call, *self.vectors(call, **given))

    @functools.cached_property
    def ties(self) -> TreeConstraints:
        """Rows of closed loops, and of what rolls."""
        return getattr(self.engine, "ties", None) or TreeConstraints(self._model, self.data, then=self._kept)

    def vectors(self, call: str, **given: Any) -> list[Array]:
        """What is given to a call as finite vectors (n,), in order; an error names what is not."""
        return [self._check.vector(call, name, x) for name, x in given.items()]

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
        from cosserat.solve.floating.integration import integrate

        q, v = (self.neutral() if x is None else x for x in (q, v))
        q, v = self.vectors("integrate", q=q, v=v)
        inner = self._inner if self.law_states else None
        with as_simulated(*self._kept):
            return integrate(self._kept[0], self.data, duration, step, q, v, inner, integrator, rho, tolerance)

    def constrained_dynamics(
        self, q: Any, v: Any, tau: Any = None, constraints: Sequence[VelocityConstraint] | None = None
    ) -> ConstrainedDynamics:
        """`cs.constrained_dynamics` of the model: accelerations, multipliers and efforts of drives."""
        from cosserat.solve.relative.constrained import dynamics_of

        with as_simulated(*self._kept):
            return dynamics_of(self._kept[0], self, q, v, tau, constraints)

    def composed_vectors(self, q: Any, v: Any = None, tau: Any = None) -> ComposedVectors:
        """`cs.composed_vectors` of the model: what its equations of motion are made of."""
        from cosserat.solve.relative.composed import vectors_of

        with as_simulated(*self._kept):
            return vectors_of(self._kept[0], self, q, v, tau)

    # momentum and energy --------------------------------------------------------------------------------------------

    def centroidal_matrix(self, q: Any) -> Array:
        """A (6, n): momentum and angular momentum about the centre of mass are A v, in world axes."""
        return self.engine.centroidal(self._check.vector("centroidal_matrix", "q", q))[0]

    def centroidal_momentum(self, q: Any, v: Any) -> Array:
        """Momentum and angular momentum (6,) about the centre of mass, in world axes."""
        q, v = self.vectors("centroidal_momentum", q=q, v=v)
        return np.asarray(self.engine.centroidal(q)[0] @ v)

    def centre_of_mass(self, q: Any) -> Array:
        """Centre of mass (3,) of the bodies; fluid that moves along has no weight and does not count."""
        return self.engine.centroidal(self._check.vector("centre_of_mass", "q", q))[1]

    def energy(self, q: Any, v: Any) -> Energy:
        """Kinetic energy, strain energy of bodies, springs and joints, potential energy of gravity."""
        kinetic, strain, potential = self.engine.energies(*self.vectors("energy", q=q, v=v))
        return Energy(kinetic, strain, potential, kinetic + strain + potential)

    # ----------------------------------------------------------------------------------------------------------------

    def set_time(self, t: float) -> None:
        """Take loads and efforts that are functions of time at time t."""
        t = checks.number("Tree.set_time", "t", t)
        self.engine.set_time(t)
        self.time = t

    def set_law_states(self, states: Any) -> None:
        """Take laws at these states: (ny,) in the order of `law_states`, or a dict of some; before, at their first."""
        self._inner = self._check.law_states(self.law_states, self._inner, states)
        self.engine.set_law_states(self._inner)

    def law_state_rates(self, q: Any, v: Any) -> Array:
        """Rates (ny,) of the states of laws, at these and at the time that were set."""
        return self.engine.law_state_rates(*self.vectors("law_state_rates", q=q, v=v))

    def neutral(self) -> Array:
        """Coordinates (n,) of the reference configuration: zeros."""
        return np.zeros(self._n)
