"""`LinearModel`: a mechanism linearised about a point, in second-order and in state-space form; `Output`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from cosserat.calls import answering
from cosserat.compile.compiled import row_to_frame
from cosserat.errors import CosseratError, MissingDependencyError, SolveError, shown
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.moment import Moment
from cosserat.results.motion import Motion
from cosserat.results.run import Run
from cosserat.results.state_space import (
    LawStates,
    OutputRows,
    RollingStates,
    accelerations_of,
    by_accelerations,
    by_positions,
    reduced,
)

POSITION, ACCELERATION = "position", "acceleration"


@answering
@dataclass(frozen=True)
class LinearModel:
    """Linear equations of a mechanism about a point: M q" + D q' + K q = force u - drag u', and y from q and u.

    Everything is a deviation from the point. The motion of the nodes is x = basis q + drives u, left increments
    H exp(x), six for each node; it satisfies the constraints whatever q is. Joint coordinates come first in q where
    they are independent, then modes of the mechanism with those joints locked.

    Attributes
    ----------
    mass, damping, stiffness : (n, n)
        Of the coordinates q; damping has the gyroscopic terms, stiffness the geometric and centrifugal ones.
    force, drag : (n, k)
        Generalised forces of inputs; `drag` is what damping makes of the velocity of prescribed motions.
    basis : (6 nodes, n)
    drives : (6 nodes, k)
        Motion that goes with a prescribed motion at once; it does no work with the inertia forces of the basis.
    dual : (n, 6 nodes)
        q = dual x: the coordinates of a motion, nearest in kinetic energy.
    frames : (nodes + 1, 12)
        Frames of the nodes at the point, rotation and position.
    layout : tuple
        What these nodes are: bodies, and beams with the s of their nodes.
    A, B, C, D : state-space form, y = C z + D u with z' = A z + B u
    coordinates, inputs, outputs, states : tuples of names
    values : (p,)
        The outputs at the point itself.
    drive : "position" or "acceleration"
        What the input of a prescribed motion is.
    kind : "equilibrium", "steady rotation", "steady motion" or "moment of a run"
    time : float
    inner : LawStates or None
        States that laws own, such as lags of unsteady aerodynamics; they come last in z.
    point : object
        The state about which it was linearised, for the solvers of this package.
    rolling : RollingStates, optional
        Of wheels and blades in motion, which restrict velocities only: there are fewer velocities w than coordinates,
        q' = drift q + velocities w, and the equations are M w' + D w + K q = force u.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("oscillator")
    >>> body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    >>> rail = model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=cs.Parameter("k", 4.0)))
    >>> linear = cs.linearize(model, inputs="rail", outputs="rail")
    >>> (linear.A.round(9) + 0.0).tolist()
    [[0.0, 1.0], [-4.0, 0.0]]
    """

    mass: Array
    damping: Array
    stiffness: Array
    force: Array
    drag: Array
    rows: OutputRows
    basis: Array
    drives: Array
    dual: Array
    frames: Array
    layout: tuple[Any, ...]
    driven: tuple[bool, ...]
    coordinates: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    values: Array
    drive: str
    name: str
    kind: str
    time: float
    point: Any = None
    rolling: RollingStates | None = None
    inner: LawStates | None = None

    def __getstate__(self) -> dict[str, Any]:
        """For pickles and copies: without the point, which holds compiled functions."""
        return {**self.__dict__, "point": None}

    # state space ----------------------------------------------------------------------------------------------------

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states: coordinates, then their rates, then states that laws own."""
        names = self.coordinates + self._driven_names
        own = () if self.inner is None else self.inner.names
        if self.rolling is not None:
            return names + tuple(f"{names[k]}.rate" for k in self.rolling.chosen)
        return names + tuple(f"{name}.rate" for name in names) + own

    @property
    def A(self) -> Array:
        """State matrix."""
        return self._space[0]

    @property
    def B(self) -> Array:
        """Input matrix."""
        return self._space[1]

    @property
    def C(self) -> Array:
        """Output matrix."""
        return self._space[2]

    @property
    def D(self) -> Array:
        """Direct feed-through."""
        return self._space[3]

    @property
    def _driven_names(self) -> tuple[str, ...]:
        """Prescribed motions that are states themselves, because their accelerations are the inputs."""
        if self.drive == POSITION:
            return ()
        return tuple(name for name, driven in zip(self.inputs, self.driven, strict=True) if driven)

    @cached_property
    def _space(self) -> tuple[Array, Array, Array, Array]:
        space = by_positions(self) if self.drive == POSITION or self.rolling else by_accelerations(self)
        if self.inner is None:
            return space
        return self.inner.joined(space, accelerations_of(self.mass, self.inner.push), self.rows.acceleration)

    @cached_property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """Eigenvalues s (1/s) of A, motions go with exp(s t); slowest first, pairs together."""
        values = np.linalg.eigvals(self.A).astype(complex)
        order = np.lexsort((values.imag, -values.real.round(12), np.abs(values).round(9)))
        return values[order]

    def transfer(self, s: Any) -> NDArray[np.complex128]:
        """Transfer matrix C (s I - A)^-1 B + D (p, k) from inputs to outputs; for an array of s, (..., p, k)."""
        A, B, C, D = self._space
        unit = self._units
        balanced = A * (unit / unit[:, None])
        points = _complex(s, "transfer")[..., None, None]
        right = np.broadcast_to(B / unit[:, None], (*points.shape[:-2], *B.shape))
        found = _solved(points * np.eye(len(A)) - balanced, right, "transfer")
        return np.asarray((C * unit) @ found + D, dtype=complex)

    @cached_property
    def _units(self) -> Array:
        """Sizes of the states (2n,) that go with one unit of kinetic energy, so that algebra sees numbers near one."""
        size = np.concatenate((1.0 / np.sqrt(np.diag(self.mass)), np.ones(len(self._driven_names))))
        if self.rolling is not None:
            return np.concatenate((np.ones(len(self.coordinates)), size))
        own = 0 if self.inner is None else len(self.inner.names)
        return np.concatenate((np.tile(size, 2), np.ones(own)))

    def response(self, s: complex) -> NDArray[np.complex128]:
        """Outputs (p, k) for inputs exp(s t), prescribed motions by their position; also where these are not proper."""
        if self.rolling is not None:
            return self.transfer(s)
        rows, s = self.rows, complex(_complex(s, "response"))
        left: Any = s**2 * self.mass + s * self.damping + self.stiffness
        right: Any = self.force - s * self.drag
        if self.inner is not None:
            of_q, of_u = self.inner.followed(s)
            left, right = left - self.inner.push @ of_q, right + self.inner.push @ of_u
        q = _solved(left, right, "response")
        of_motion = (rows.position + s * rows.rate + s**2 * rows.acceleration) @ q
        if self.inner is not None:
            of_motion = of_motion + self.inner.rows @ (of_q @ q + of_u)
        return np.asarray(of_motion + rows.u0 + s * rows.u1 + s**2 * rows.u2, dtype=complex)

    def to_control(self) -> Any:
        """The model as a `control.StateSpace` with names (needs the extra ``cosserat[control]``)."""
        try:
            import control
        except ImportError:
            raise MissingDependencyError(
                "to_control() needs python-control; pip install 'cosserat[control]' (or pip install control)"
            ) from None
        return control.ss(
            *self._space,
            states=[_plain(n) for n in self.states],
            inputs=[_plain(n) for n in self.inputs],
            outputs=[_plain(n) for n in self.outputs],
            name=_plain(self.name),
        )

    def state(self, moment: Any) -> Array:
        """States (deviations from the point) in which a run ends, or a controller finds the mechanism.

        Parameters
        ----------
        moment : Run or Equilibrium
            Of the same model; what `simulate` hands to a controller is a run of one moment.
        """
        if self.kind != "equilibrium" or any(self.driven):
            raise SolveError(
                "state: states are read from a run only for a model about an equilibrium, without prescribed motions "
                f"among its inputs; this one is about {self.kind}"
            )
        if not isinstance(moment, (Run, Equilibrium, Moment)):
            raise SolveError(f"state: {shown(moment)} is neither a Run nor an Equilibrium, nor a controller's state")
        history, motion = moment.trajectory.history, moment.motion
        if history.frame.shape[1:] != self.frames.shape or motion.mechanism.layout != self.layout:
            raise SolveError("state: the run belongs to a model with other bodies, beams or nodes")
        x, x_dot = [], []
        for H_0, H, twist in zip(self.frames[:-1], history.frame[-1], history.twist[-1], strict=False):
            y = se3.log(se3.inverse(row_to_frame(H_0)) @ row_to_frame(H))
            x.append(y)
            x_dot.append(se3.tangent_inv(y) @ twist)
        own = [] if self.inner is None else [history.inner[-1] - self.inner.values]
        return np.concatenate((self.dual @ np.concatenate(x), self.dual @ np.concatenate(x_dot), *own))

    # reduction ------------------------------------------------------------------------------------------------------

    @cached_property
    def modes(self) -> tuple[Array, Array]:
        """Undamped circular frequencies squared (n,), ascending, and shapes (n, n) in q, of unit modal mass.

        Of a stiffness that is not symmetric, the symmetric part counts.
        """
        K = 0.5 * (self.stiffness + self.stiffness.T)
        M = 0.5 * (self.mass + self.mass.T)
        values, shapes = eigh(K, M)
        return values, shapes

    def reduce(self, n: int | list[int], *, static: bool = True, controllable: bool = False) -> LinearModel:
        """A smaller model: undamped modes as coordinates, the others left out.

        Parameters
        ----------
        n : int or list of int
            How many modes, the slowest first; or which ones.
        static : bool
            Whether the modes that are left out still give way statically, so that the response at frequency zero is
            that of the full model, dampers included.
        controllable : bool
            Only modes that the inputs excite: of the others, which an LQR design must not meet, none is kept. Of modes
            with one frequency those combinations count that are excited or not.
        """
        return reduced(self, n, static, controllable)

    def __repr__(self) -> str:
        return (
            f"<LinearModel of {self.name!r} about {self.kind} at t = {self.time:g} s: {len(self.states)} states, "
            f"{len(self.inputs)} inputs, {len(self.outputs)} outputs>"
        )


def _plain(name: str) -> str:
    """A name without dots, which python-control keeps for itself."""
    return name.replace(".", "_")


def _complex(s: Any, caller: str) -> NDArray[np.complex128]:
    """Complex frequencies, or a located error."""
    try:
        points = np.asarray(s, dtype=complex)
    except (TypeError, ValueError):
        points = np.array(np.nan, dtype=complex)
    if not np.all(np.isfinite(points)):
        raise SolveError(f"{caller}: s is {shown(s)}; pass finite complex frequencies in 1/s, such as 2j*pi*f")
    return points


def _solved(matrix: Any, right: Any, caller: str) -> Any:
    """The solution of linear equations that have one unless s is an eigenvalue."""
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        raise SolveError(
            f"{caller}: s is an eigenvalue of the model, where its answer has no bounds; take another s"
        ) from None


@answering
class Output:
    """A quantity of one's own: a function of a result, which linear models take as an output.

    Their rows are its derivatives, by differences of eighth order along motions, velocities, accelerations and
    reactions. The function itself is called with a run as with any other.

    Parameters
    ----------
    name : str
    function : callable
        ``function(run)`` gives a number for each time, (time,), from what a `Run` answers: ``run.position(place)``,
        ``run.coordinate(joint)``, ``run.reaction(joint)``, ``run.energy.kinetic``. Smooth; of the state at each time
        alone, so no work or dissipation.
    unit : str
        For axes of pictures.

    Examples
    --------
    >>> import numpy as np
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    >>> bob = model.add(cs.RigidBody.sphere("bob", diameter=0.1, mass=1.0, com=(0, 0, -2)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> lamp = np.array([3.0, 0, -2])
    >>> distance = cs.Output("distance", lambda run: np.linalg.norm(run.position("bob") - lamp, axis=1), "m")
    >>> linear = cs.linearize(model, ["hinge"], [distance])
    >>> linear.rows.position.round(6).tolist()  # the bob swings to -x for a positive angle
    [[2.0]]
    """

    def __init__(self, name: str, function: Callable[[Run], Any], unit: str = "") -> None:
        if not isinstance(name, str) or not name.strip():
            raise SolveError(f"output: its name must be a non-empty text, got {shown(name)}")
        if not callable(function):
            raise SolveError(f"output {name!r}: {shown(function)} cannot be called; pass a function of a run")
        self.name, self.function, self.unit = name, function, unit

    def __call__(self, run: Any) -> Any:
        """Its values for a result."""
        return self.function(run)

    def values(self, motion: Motion) -> Array:
        """Values (nt, 1) for a motion."""
        try:
            found = np.asarray(self.function(Run.of_motion(None, motion)), dtype=float)
        except CosseratError:
            raise
        except Exception as error:
            raise SolveError(
                f"output {self.name!r}: its function fails with {type(error).__name__}: {error}; it is called with "
                "states alone, which have places, joints, section forces, energies and momentum, but no model or status"
            ) from error
        if found.shape != (len(motion.time),):
            raise SolveError(
                f"output {self.name!r}: for {len(motion.time)} times it gives an array of the shape {found.shape}; "
                "give one number for each time, (time,)"
            )
        if not np.all(np.isfinite(found)):
            raise SolveError(f"output {self.name!r}: it gives {shown(found[~np.isfinite(found)][0])}")
        return found[:, None]

    def __repr__(self) -> str:
        return f"<Output {self.name!r}>"
