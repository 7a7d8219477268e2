"""`Tree`: a model in relative coordinates, with the recursive algorithms as methods."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import SolveError
from cosserat.model import checks
from cosserat.model.model import Model
from cosserat.model.places import Place
from cosserat.results.posture import Posture
from cosserat.solve.relative.nonholonomic import PlaceMotion
from cosserat.solve.relative.quantities import Energy, ForwardDerivatives, InverseDerivatives
from cosserat.solve.relative.states import StateChecker

Array = NDArray[np.float64]


class Tree(ABC):
    """A model in relative coordinates, compiled for repeated calls.

    The equations are M(q) a + h(q, v) = tau, where h holds everything that acts in the model: gravity, springs, loads,
    stiffness, damping, friction and prescribed efforts of joints, and stiffness and damping of elastic bodies. All
    algorithms take a time that grows with the number of bodies and no faster. Prescribed motions are ignored here: the
    state is given whole. So are knife edges and rolling discs: see `constrained_dynamics`.

    ``Tree(model)`` of rigid bodies has kernels without modes that take several states side by side;
    ``Tree(model, modes=...)`` of a model with beams or modal bodies is a `FlexibleTree`, whose links have modes.

    Methods take plain arrays of doubles, one state (n,) or, where they say so, a stack of states (N, n); with `out`
    they write into it and make no new array. A tree knows the model as it was when the tree was made. It can be
    pickled and copied if its model can.

    Parameters
    ----------
    model : Model
        Without closed loops.
    modes, boundary, stiffening
        Of beams: as for `FlexibleTree`.

    Attributes
    ----------
    coordinates : tuple of str
        Names of the entries of q, v, a and tau: those of `Model.coordinates`, then six, such as ``"hub.x"``, for each
        body that no joint ties to the ground; modal coordinates such as ``"arm.mode1"``.
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
    """

    data: Any
    coordinates: tuple[str, ...]
    rolling: tuple[str, ...]
    law_states: tuple[str, ...] = ()
    time: float
    _model: Model
    _choices: dict[str, Any]
    _check: StateChecker
    _inner: Array = np.zeros(0)  # states of laws

    def __new__(cls, model: Any = None, *args: Any, **kwargs: Any) -> Tree:
        """A tree of the kind that the model needs."""
        if cls is not Tree:
            return super().__new__(cls)
        from cosserat.solve.relative.flexible_tree import FlexibleTree
        from cosserat.solve.relative.rigid_tree import RigidTree

        if not isinstance(model, Model):
            raise SolveError(f"Tree: expected a Model, got {model!r}")
        bends = model.beams or model.modal_bodies
        general = bends or model.state_loads  # laws of users: only the general one has them
        if not bends:
            for name, value in zip(("modes", "boundary"), (*args, None, None), strict=False):
                value = kwargs.get(name, value)
                if value is not None:
                    raise SolveError(f"Tree: {name} is {value!r}, but {model.title} has no beams; leave it out")
        return super().__new__(FlexibleTree if general else RigidTree)

    def __reduce__(self) -> Any:
        return _made, (type(self), self._model, self._choices, self.time, self._inner)

    # dynamics -------------------------------------------------------------------------------------------------------

    @abstractmethod
    def inverse_dynamics(self, q: Any, v: Any, a: Any, out: Any = None, threads: int = 1) -> Array:
        """Efforts tau (n,) that give accelerations a; stacks of states (N, n) give (N, n)."""

    @abstractmethod
    def forward_dynamics(
        self, q: Any, v: Any, tau: Any, out: Any = None, threads: int = 1, driven: Mapping[str, float] | None = None
    ) -> Array:
        """Accelerations a (n,) under efforts tau; stacks of states (N, n) give (N, n).

        `driven` gives accelerations by coordinate name, for one state; no effort may be given there.
        """

    def _forward_driven(self, q: Any, v: Any, tau: Any, out: Any, driven: Any) -> Array:
        """Forward dynamics with some accelerations given by name."""
        call = "forward_dynamics"
        given = self._check.vector(call, "tau", tau).copy()
        held = np.zeros(len(given))
        if not isinstance(driven, Mapping):
            raise SolveError(f"{call}: driven is {driven!r}; pass a dict of accelerations by coordinate")
        for name, value in driven.items():
            if name not in self.coordinates:
                known = ", ".join(self.coordinates[:8])
                raise SolveError(f"{call}: driven names {name!r}, which is no coordinate; coordinates: {known}")
            k = self.coordinates.index(name)
            if given[k] != 0.0:
                raise SolveError(
                    f"{call}: both the acceleration and an effort ({given[k]:g}) are given for {name!r}; give "
                    "one, the other follows"
                )
            if not (isinstance(value, Real) and np.isfinite(float(value))):
                raise SolveError(f"{call}: driven[{name!r}] is {value!r}; pass a finite acceleration")
            given[k], held[k] = value, 1.0
        a = self._check.out(call, out, given.shape)
        a[:] = self.hybrid_dynamics(q, v, held, given)[0]
        return a

    @abstractmethod
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

    def bias(self, q: Any, v: Any, out: Any = None, threads: int = 1) -> Array:
        """h (n,) or (N, n): the efforts that keep the velocities as they are, a = 0."""
        q, v = self._check.vectors("bias", q=q, v=v)
        return self.inverse_dynamics(q, v, np.zeros(q.shape), self._check.out("bias", out, q.shape), threads)

    @abstractmethod
    def gravity_forces(self, q: Any, out: Any = None, threads: int = 1) -> Array:
        """Efforts (n,) or (N, n) that hold the weight at rest; of all that acts in the model, gravity alone."""

    @abstractmethod
    def mass_matrix(self, q: Any, out: Any = None, threads: int = 1) -> Array:
        """M (n, n), symmetric and positive definite; a stack of states (N, n) gives (N, n, n)."""

    @abstractmethod
    def inverse_dynamics_derivatives(
        self, q: Any, v: Any, a: Any, out: Any = None, threads: int = 1
    ) -> InverseDerivatives:
        """d tau/d q, d tau/d v and d tau/d a = M, each (n, n); `out` are three arrays to write into.

        Along spherical and free joints d q is the motion along unit velocities, as in `moved`. Stacks of states (N, n)
        give (N, n, n).
        """

    @abstractmethod
    def forward_dynamics_derivatives(
        self, q: Any, v: Any, tau: Any, out: Any = None, threads: int = 1
    ) -> ForwardDerivatives:
        """d a/d q, d a/d v, d a/d tau = M^-1, each (n, n), and a (n,) itself; `out` are four arrays to write into.

        Stacks of states (N, n) give (N, n, n) and (N, n).
        """

    # kinematics -----------------------------------------------------------------------------------------------------

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
        found = self._model.place(place, call)
        return self._place_jacobian(found, self._check.vector(call, "q", q), v, frame == "body", call)

    @abstractmethod
    def _place_jacobian(
        self, place: Place, q: Array, v: Array | None, own_axes: bool, call: str
    ) -> tuple[Array, Array]:
        """J and J_dot (6, n) of a place; the second is of no use where v is None."""

    @abstractmethod
    def carries(self, place: Place, call: str) -> bool:
        """Whether a place is on something that moves."""

    @abstractmethod
    def place_motion(self, place: Place, q: Array, v: Array, call: str) -> PlaceMotion:
        """World frame, Jacobian in world axes and J_dot v of a place that is not fixed to the ground."""

    def forward_kinematics(self, q: Any, v: Any = None, a: Any = None) -> Posture:
        """Frames of places, and their velocities and accelerations where v and a are given.

        Places on elastic bodies are those where something is attached, and the ends of beams.
        """
        zero = self.neutral()
        return self._posture(
            *self._vectors("forward_kinematics", q=q, v=zero if v is None else v, a=zero if a is None else a)
        )

    @abstractmethod
    def _posture(self, q: Array, v: Array, a: Array) -> Posture:
        """Frames and motions of places."""

    def moved(self, q: Any, delta: Any) -> Array:
        """Coordinates after moving with the velocities delta for a unit of time; q + delta but for rotations."""
        return self._on_group("moved", *self._vectors("moved", q=q, delta=delta))

    def difference(self, q_a: Any, q_b: Any) -> Array:
        """The delta for which `moved` takes q_a to q_b."""
        return self._on_group("difference", *self._vectors("difference", q_a=q_a, q_b=q_b))

    def coordinate_rates(self, q: Any, v: Any) -> Array:
        """Time derivatives of the coordinates; v itself but for spherical and free joints."""
        rates = self._on_group("coordinate_rates", *self._vectors("coordinate_rates", q=q, v=v))
        return self._check.defined(rates)

    @abstractmethod
    def _on_group(self, kernel: str, a: Array, b: Array) -> Array:
        """What a kernel gives (n,) of two vectors: coordinates, differences of these, or velocities."""

    def _vectors(self, call: str, **given: Any) -> list[Array]:
        """Finite vectors (n,), in the order given."""
        return [self._check.vector(call, name, x) for name, x in given.items()]

    # momentum and energy --------------------------------------------------------------------------------------------

    @abstractmethod
    def _centroidal(self, q: Array) -> tuple[Array, Array]:
        """Matrix (6, n) of the momentum about the centre of mass, and the centre (3,)."""

    def centroidal_matrix(self, q: Any) -> Array:
        """A (6, n): momentum and angular momentum about the centre of mass are A v, in world axes."""
        return self._centroidal(self._check.vector("centroidal_matrix", "q", q))[0]

    def centroidal_momentum(self, q: Any, v: Any) -> Array:
        """Momentum and angular momentum (6,) about the centre of mass, in world axes."""
        v = self._check.vector("centroidal_momentum", "v", v)
        return np.asarray(self._centroidal(self._check.vector("centroidal_momentum", "q", q))[0] @ v)

    def centre_of_mass(self, q: Any) -> Array:
        """Centre of mass (3,) of all that moves."""
        return self._centroidal(self._check.vector("centre_of_mass", "q", q))[1]

    def energy(self, q: Any, v: Any) -> Energy:
        """Kinetic energy, strain energy of bodies, springs and joints, potential energy of gravity."""
        kinetic, strain, potential = self._energies(*self._vectors("energy", q=q, v=v))
        return Energy(kinetic, strain, potential, kinetic + strain + potential)

    @abstractmethod
    def _energies(self, q: Array, v: Array) -> tuple[float, float, float]:
        """Kinetic, strain and potential energy."""

    # ----------------------------------------------------------------------------------------------------------------

    def set_time(self, t: float) -> None:
        """Take loads and efforts that are functions of time at time t."""
        self.time = checks.number("Tree.set_time", "t", t)

    def set_law_states(self, states: Any) -> None:
        """Take laws at these states: (ny,) in the order of `law_states`, or a dict of some; before, at their first."""
        given = states if isinstance(states, Mapping) else None
        for name in given or ():
            if name not in self.law_states:
                known = ", ".join(map(repr, self.law_states)) or "none"
                raise SolveError(f"Tree.set_law_states: {name!r} is no state of a law; there are: {known}")
        if given is None:
            self._inner = checks.array("Tree.set_law_states", "states", states, (len(self.law_states),))
            return
        values = dict(zip(self.law_states, self._inner.tolist(), strict=True)) | dict(given)
        self._inner = np.array([checks.number("Tree.set_law_states", k, x) for k, x in values.items()], dtype=float)

    def law_state_rates(self, q: Any, v: Any) -> Array:
        """Rates (ny,) of the states of laws, at these and at the time that were set."""
        self._check.vectors("law_state_rates", q=q, v=v)
        return np.zeros(0)

    def neutral(self) -> Array:
        """Coordinates (n,) of the reference configuration: zeros."""
        return np.zeros(len(self.coordinates))


def _made(kind: type[Tree], model: Model, choices: dict[str, Any], time: float, inner: Array) -> Tree:
    """A tree made anew, as copies and pickles need it: workspaces and compiled tables are not carried along."""
    tree = kind(model, **choices)
    tree.set_time(time)
    tree.set_law_states(inner)
    return tree
