"""`LinearModel`: a mechanism linearised about a point, in second-order and in state-space form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from cosserat.compile.compiled import row_to_frame
from cosserat.errors import MissingDependencyError, SolveError
from cosserat.lie import se3
from cosserat.results.law_states import LawStates

Array = NDArray[np.float64]

POSITION, ACCELERATION = "position", "acceleration"

_ONE_FREQUENCY = 1e-13  # difference of frequencies squared, of the largest, that rounding makes
_EXCITED = 1e-8  # part of an input that moves a mode, from which it does
_IMPROPER = 1e-9  # coefficient of a derivative of an input that counts as zero, relative to the largest of its row


@dataclass(frozen=True)
class OutputRows:
    """y = position q + rate q' + acceleration q" + u0 u + u1 u' + u2 u"."""

    position: Array
    rate: Array
    acceleration: Array
    u0: Array
    u1: Array
    u2: Array


@dataclass(frozen=True)
class RollingStates:
    """q' = drift q + velocities w of a mechanism that rolls; w are the rates of the coordinates `chosen`."""

    drift: Array  # (n, n)
    velocities: Array  # (n, k)
    chosen: tuple[int, ...]  # k numbers of coordinates

    def space(
        self, mass: Array, damping: Array, stiffness: Array, force: Array, rows: OutputRows
    ) -> tuple[Array, Array, Array, Array]:
        """State space with z = (q, w), from M w' + D w + K q = force u."""
        G, Z = self.drift, self.velocities
        n = len(G)
        K, D, F = np.split(_accelerations_of(mass, np.hstack((stiffness, damping, force))), [n, n + len(mass)], axis=1)
        A = np.block([[G, Z], [-K, -D]])
        B = np.vstack((np.zeros((n, F.shape[1])), F))
        # q' = G q + Z w, q" = G q' + Z w'
        rate = rows.rate + rows.acceleration @ G
        C = np.hstack((rows.position + rate @ G, rate @ Z)) - rows.acceleration @ Z @ np.hstack((K, D))
        return A, B, C, rows.u0 + rows.acceleration @ Z @ F


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
        if self.rolling is not None:
            return self.rolling.space(self.mass, self.damping, self.stiffness, self.force, self.rows)
        space = _positions(self) if self.drive == POSITION else _accelerations(self)
        if self.inner is None:
            return space
        return self.inner.joined(space, _accelerations_of(self.mass, self.inner.push), self.rows.acceleration)

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
        points = np.asarray(s, dtype=complex)[..., None, None]
        right = np.broadcast_to(B / unit[:, None], (*points.shape[:-2], *B.shape))
        return np.asarray((C * unit) @ np.linalg.solve(points * np.eye(len(A)) - balanced, right) + D, dtype=complex)

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
        rows = self.rows
        left: Any = s**2 * self.mass + s * self.damping + self.stiffness
        right: Any = self.force - s * self.drag
        if self.inner is not None:
            of_q, of_u = self.inner.followed(s)
            left, right = left - self.inner.push @ of_q, right + self.inner.push @ of_u
        q = np.linalg.solve(left, right)
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
        history = moment.trajectory.history
        if history.frame.shape[1:] != self.frames.shape:
            raise SolveError("state: the run belongs to a model with other bodies or beams")
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
        size = len(self.mass)
        if self.rolling is not None:
            raise SolveError("reduce: a mechanism that rolls has no undamped modes to keep; use the whole model")
        if self.inner is not None:
            raise SolveError(
                f"reduce: laws own states, such as {self.inner.names[0]!r}, which modes do not describe; use the whole "
                "model, or reduce it with python-control (to_control)"
            )
        if controllable:
            return self._reduced_to_controllable(n, static)
        chosen = list(range(n)) if isinstance(n, (int, np.integer)) else [int(k) for k in n]
        if not chosen or len(set(chosen)) < len(chosen) or min(chosen) < 0 or max(chosen) >= size:
            raise SolveError(f"reduce: {n!r} is not a choice among the {size} modes of the model, numbered from 0")
        values, shapes = self.modes
        V = shapes[:, chosen]
        others = [k for k in range(size) if k not in set(chosen)]
        if not static or not others:
            return self._projected(V, None, chosen)
        soft = [k for k in others if abs(values[k]) <= 1e-9 * np.max(np.abs(values))]
        if soft:
            raise SolveError(
                f"reduce: mode {soft[0]} is a free motion and cannot give way statically; keep it or pass static=False"
            )
        return self._projected(V, shapes[:, others], chosen)

    def _reduced_to_controllable(self, n: Any, static: bool) -> LinearModel:
        values, shapes, excited = self._excited
        count = int(np.count_nonzero(excited))
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 1 <= n <= count:
            raise SolveError(
                f"reduce: {n!r} of the {count} modes that the inputs {', '.join(self.inputs) or '(none)'} excite; pass "
                "a number of them"
            )
        chosen = np.nonzero(excited)[0][:n]
        others = np.nonzero(excited)[0][n:]  # what the inputs do not move does not give way to them either
        soft = others[np.abs(values[others]) <= 1e-9 * np.max(np.abs(values))] if static else others[:0]
        if len(soft):
            raise SolveError(
                f"reduce: mode {soft[0]} is a free motion and cannot give way statically; keep it or pass static=False"
            )
        V, W = shapes[:, chosen], shapes[:, others]
        return self._projected(V, W if static and len(others) else None, [int(k) for k in chosen])

    @property
    def _excited(self) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Frequencies squared and shapes as `modes`, turned within groups of one frequency, and which inputs excite."""
        values, shapes = self.modes[0], self.modes[1].copy()
        push = np.hstack((self.force, self.drag))
        sizes = np.linalg.norm(shapes.T @ push, axis=0)
        push = push / np.where(sizes > 0.0, sizes, 1.0)
        excited = np.zeros(len(values), dtype=bool)
        ends = np.nonzero(np.diff(values) > _ONE_FREQUENCY * np.max(np.abs(values)) + 1e-7 * np.abs(values[1:]))[0] + 1
        for group in np.split(np.arange(len(values)), ends):
            left, strength, _ = np.linalg.svd(shapes[:, group].T @ push)
            shapes[:, group] = shapes[:, group] @ left
            excited[group[: len(strength)]] = strength > _EXCITED
        return values, shapes, excited

    def _projected(self, V: Array, W: Array | None, chosen: list[int]) -> LinearModel:
        """q = V z + W w, with w that gives way to springs and dampers: K_ww w = F_w u - E_w u' - K_wz z - D_wz z'."""
        follow, give = np.zeros_like(V), np.zeros((len(V), len(self.inputs)))
        slow, lag = np.zeros_like(V), np.zeros_like(give)
        left = V.T
        if W is not None:
            K_ww = W.T @ self.stiffness @ W

            def answer(force: Array) -> Array:
                return np.asarray(W @ np.linalg.solve(K_ww, W.T @ force))

            follow, give = -answer(self.stiffness @ V), answer(self.force)
            slow = -answer(self.damping @ (V + follow))
        T = V + follow
        rows, moved = self.rows, give * np.array(self.driven, dtype=float)  # motions have rates, forces may jump
        if W is not None:
            lag = -answer(self.drag + self.damping @ moved)
        new = OutputRows(
            position=rows.position @ T,
            rate=rows.rate @ T + rows.position @ slow,
            acceleration=rows.acceleration @ T + rows.rate @ slow,
            u0=rows.u0 + rows.position @ give,
            u1=rows.u1 + rows.rate @ moved + rows.position @ lag,
            u2=rows.u2 + rows.acceleration @ moved + rows.rate @ lag,
        )
        return replace(
            self,
            mass=definite(left @ (self.mass @ V + self.damping @ slow), left @ self.mass @ V),
            damping=left @ (self.damping @ T + self.stiffness @ slow),
            stiffness=left @ self.stiffness @ T,
            force=left @ (self.force - self.stiffness @ give),
            drag=left @ (self.drag + self.damping @ moved + self.stiffness @ lag),
            rows=new,
            basis=self.basis @ T,
            drives=self.drives + self.basis @ give,
            dual=left @ self.mass @ self.dual,
            coordinates=tuple(f"mode {k + 1}" for k in chosen),
        )

    def __repr__(self) -> str:
        return (
            f"<LinearModel of {self.name!r} about {self.kind} at t = {self.time:g} s: {len(self.states)} states, "
            f"{len(self.inputs)} inputs, {len(self.outputs)} outputs>"
        )


def definite(mass: Array, otherwise: Array) -> Array:
    """A mass matrix, if it is one: what gives way to strong dampers is not slow, and has no inertia to offer."""
    values = eigh(0.5 * (mass + mass.T), 0.5 * (otherwise + otherwise.T), eigvals_only=True)
    return mass if values[0] > 0.5 else otherwise


def _plain(name: str) -> str:
    """A name without dots, which python-control keeps for itself."""
    return name.replace(".", "_")


def _positions(model: LinearModel) -> tuple[Array, Array, Array, Array]:
    """State space with prescribed positions as inputs: with v = q' + E u, E = M^-1 drag, no derivative of u is left."""
    n, rows = len(model.mass), model.rows
    both = np.hstack((model.stiffness, model.damping, model.force, model.drag))
    K, D, F, E = np.split(_accelerations_of(model.mass, both), [n, 2 * n, 2 * n + len(model.inputs)], axis=1)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-K, -D]])
    B = np.vstack((-E, F + D @ E))
    # q' = v - E u, q" = v' - E u'
    C = np.hstack((rows.position - rows.acceleration @ K, rows.rate - rows.acceleration @ D))
    direct = rows.u0 - rows.rate @ E + rows.acceleration @ (F + D @ E)
    _demand_proper(model, rows.u1 - rows.acceleration @ E, rows.u2, C, direct)
    return A, B, C, direct


def _accelerations_of(mass: Array, forces: Array) -> Array:
    """mass^-1 forces, whatever the units of the coordinates."""
    unit = 1.0 / np.sqrt(np.diag(mass))
    return np.asarray(unit[:, None] * np.linalg.solve(mass * np.outer(unit, unit), unit[:, None] * forces))


def _demand_proper(model: LinearModel, u1: Array, u2: Array, C: Array, direct: Array) -> None:
    size = np.max(np.abs(np.hstack((C, direct))), axis=1, initial=0.0)[:, None]
    for rest, word in ((u2, "acceleration"), (u1, "velocity")):
        wrong = np.argwhere(np.abs(rest) > _IMPROPER * np.maximum(size, np.max(np.abs(rest), initial=0.0)))
        if len(wrong):
            i, k = wrong[0]
            raise SolveError(
                f"linearize: output {model.outputs[i]!r} follows the {word} of the prescribed motion "
                f"{model.inputs[k]!r}, so it is no proper function of the motion itself; pass drive='acceleration' to "
                "make the acceleration of prescribed motions the input, or leave one of the two out"
            )


def _accelerations(model: LinearModel) -> tuple[Array, Array, Array, Array]:
    """State space with accelerations of prescribed motions as inputs; states are q, the motions w, and their rates."""
    n, rows = len(model.mass), model.rows
    driven = np.nonzero(np.array(model.driven, dtype=bool))[0]
    free = np.array([not d for d in model.driven], dtype=float)
    both = np.hstack((model.stiffness, model.damping, model.force, model.drag))
    K, D, F, E = np.split(_accelerations_of(model.mass, both), [n, 2 * n, 2 * n + len(model.inputs)], axis=1)
    m, k = len(driven), len(model.inputs)
    accel = np.hstack((-K, F[:, driven], -D, -E[:, driven]))
    A = np.zeros((2 * (n + m), 2 * (n + m)))
    A[: n + m, n + m :] = np.eye(n + m)
    A[n + m : 2 * n + m] = accel
    B = np.zeros((2 * (n + m), k))
    B[n + m : 2 * n + m] = F * free
    B[2 * n + m + np.arange(m), driven] = 1.0
    C = np.hstack((rows.position, rows.u0[:, driven], rows.rate, rows.u1[:, driven])) + rows.acceleration @ accel
    direct = (rows.u0 + rows.acceleration @ F) * free
    direct[:, driven] += rows.u2[:, driven]
    _demand_proper(model, rows.u1 * free, rows.u2 * free, C, direct)
    return A, B, C, direct
