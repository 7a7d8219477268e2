"""`ModalEngine`: the generalised Newton-Euler recursion over links that may have modes; and which engine a tree has.

An engine has the recursions over the links of one model. Its calls of dynamics take vectors (n,) of one state, then
arrays that they write into, all plain: C-contiguous, of doubles, with the right shape. They return 0, or 1 where an
array is not plain or a state not finite; for other objects they may raise a TypeError, ValueError, AttributeError or
IndexError. Its other calls take plain arrays, too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from cosserat.compile.modal_dynamics import Seat
from cosserat.compile.tree import TreeData
from cosserat.errors import SolveError
from cosserat.kernels.arrays import Packed, bound
from cosserat.kernels.flexible import composite, dynamics, force_tangents, tangents
from cosserat.kernels.law_states import FROZEN
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.composed import Posture
from cosserat.results.trajectory import Kept, as_simulated
from cosserat.solve.relative import flexible_recursion
from cosserat.solve.relative.flexible_forces import FlexibleForces
from cosserat.solve.relative.flexible_recursion import Articulated, Motions
from cosserat.solve.relative.seat_motion import ElasticPosture, jacobian_rate, seat_rows
from cosserat.solve.relative.states import StateChecker

if TYPE_CHECKING:
    from cosserat.solve.relative.lane_engine import LaneEngine
    from cosserat.solve.relative.tree import Tree

Engine: TypeAlias = "ModalEngine | LaneEngine"


class ModalEngine:
    """An `Engine` of links with and without modes. States of a stack are taken one after the other, in one thread.

    Attributes
    ----------
    forces : FlexibleForces
        What acts besides gravity.
    ground : (6,)
        Gravity, as an acceleration of the ground.
    """

    judges_drives = False

    def __init__(self, model: Model, data: TreeData) -> None:
        self._data = data
        self._check = StateChecker(data.title, data.coordinates)
        self._zero = np.zeros(len(data.coordinates))
        self._time = 0.0
        self._inner: Array | None = None  # states of laws; others, who made the engine, may set these themselves
        self._lock = threading.Lock()  # of the workspace
        self.forces = FlexibleForces(model, data)
        self.gravity = model.gravity
        self.ground = np.concatenate((-self.gravity, np.zeros(3)))
        self._now, self._factor = Motions(data), data.arrays.new_factor()
        self._linear: Packed | None = None
        self._now.vectors.ground[:] = self.ground
        self._addresses = data.arrays.tree, self.forces.address, self._now.address
        self.forces.set_time(0.0)
        self._invert = bound(dynamics.inverse_dynamics, *self._addresses)
        self._accelerate = bound(dynamics.forward_dynamics, *self._addresses, self._factor.address)

    def keep(self, then: Kept | None) -> None:
        """Take loads and efforts of the model as it was, whatever its parameters become; None: follow them."""
        self.forces.then = then

    def set_time(self, t: float) -> None:
        """Take functions of time at time t."""
        self._time = t

    def set_law_states(self, states: Array) -> None:
        """Take laws at these states."""
        self._inner = states

    def _take(self, q: Array, v: Array) -> None:
        """Take a state, and functions of time and states of laws as they were set."""
        self._now.vectors.q[:], self._now.vectors.v[:] = q, v
        self.forces.set_time(self._time)
        if self._inner is not None and len(self._inner):
            self.forces.inner.follow[0] = FROZEN
            self.forces.inner.inner[0] = self._inner

    def law_state_rates(self, q: Array, v: Array) -> Array:
        """Rates of the states that laws own."""
        self.inverse_dynamics(q, v, self._zero, np.empty(len(q)))
        return np.asarray(self.forces.inner.inner[1].copy())

    def load(self, t: float, factor: float) -> None:
        """Take gravity, loads and efforts at a time, scaled by a factor; laws of users act as they are."""
        self._time = t
        self.forces.scale(t, factor)
        self.ground[:3] = -factor * self.gravity
        self._now.vectors.ground[:] = self.ground

    # dynamics -------------------------------------------------------------------------------------------------------

    def _refuses(self, *given: Array, out: tuple[Array, ...] = (), matrices: tuple[Array, ...] = ()) -> bool:
        """Whether a state is not plain and finite, or an array to write into not plain."""
        rooms = [(x, 1) for x in out] + [(x, 2) for x in matrices]
        return not (self._check.are_plain(*given) and all(self._check.is_room(x, depth) for x, depth in rooms))

    def inverse_dynamics(self, q: Array, v: Array, a: Array, tau: Array) -> int:
        """Of q, v, a to tau (n,)."""
        if self._refuses(q, v, a, out=(tau,)):
            return 1
        with self._lock:
            self._now.vectors.a[:] = a
            self._take(q, v)
            self._invert()
            tau[:] = self._now.vectors.tau
        return 0

    def forward_dynamics(self, q: Array, v: Array, tau: Array, a: Array) -> int:
        """Of q, v, tau to a (n,)."""
        if self._refuses(q, v, tau, out=(a,)):
            return 1
        with self._lock:
            x = self._now.vectors
            x.a[:], x.tau[:], x.held[:] = 0.0, tau, 0
            self._take(q, v)
            self._accelerate()
            a[:] = x.a
        return 0

    def hybrid_dynamics(self, q: Array, v: Array, driven: Array, given: Array, a: Array, tau: Array) -> int:
        """Of q, v, driven, given to a, tau (n,)."""
        if self._refuses(q, v, driven, given, out=(a, tau)):
            return 1
        held = driven != 0.0
        with self._lock:
            x = self._now.vectors
            x.a[:], x.tau[:], x.held[:] = np.where(held, given, 0.0), np.where(held, 0.0, given), held
            self._take(q, v)
            self._accelerate()
            known = given.copy()
            a[:] = x.a
            self._invert()
            tau[:] = np.where(held, x.tau, known)
        return 0

    def pulled(self, q: Array, wrenches: Array) -> Array:
        """What wrenches (..., n_links, 6) on links do in the coordinates (..., n)."""
        out = np.empty(q.shape)
        for index in np.ndindex(q.shape[:-1]):
            now = Motions(self._data).move(q[index], self._zero)
            row = np.zeros((1, self._data.arrays.n_z))
            for part, wrench in zip(self._data.parts(row[0]), wrenches[index], strict=True):
                part[:6] = wrench
            out[index] = flexible_recursion.projected(now, row)[0]
        return out

    def mass_matrix(self, q: Array, M: Array) -> int:
        """Of q to M (n, n)."""
        if self._refuses(q, matrices=(M,)):
            return 1
        with self._lock:
            self.forces.carried(self._now.move(q, self._zero), q, self._time)
            composite.mass_matrix(self._data.arrays.tree, self._now.address, self._factor.address, M)
        return 0

    def inverse_dynamics_derivatives(self, q: Array, v: Array, a: Array, dq: Array, dv: Array, M: Array) -> int:
        """Of q, v, a to dq, dv, da (n, n)."""
        if self._refuses(q, v, a, matrices=(dq, dv, M)):
            return 1
        if self._linear is None:
            self._linear = self._data.arrays.new_linear(self.forces.places)
        with self._lock:
            self._now.vectors.a[:] = a
            self._take(q, v)
            self._invert()
            tangents.record(*self._addresses, self._linear.address)
            tangents.differentiate(*self._addresses, self._linear.address, dq, dv)
            force_tangents.differentiate_efforts(*self._addresses, dq, dv)
            composite.mass_matrix(self._data.arrays.tree, self._now.address, self._factor.address, M)
        return 0

    def forward_dynamics_derivatives(
        self, q: Array, v: Array, tau: Array, dq: Array, dv: Array, dtau: Array, a: Array
    ) -> int:  # fmt: skip
        """Of q, v, tau to dq, dv, dtau (n, n), a (n,)."""
        if self._refuses(q, v, tau, out=(a,), matrices=(dq, dv, dtau)):
            return 1
        self.forward_dynamics(q, v, tau, a)
        self.inverse_dynamics_derivatives(q, v, a, dq, dv, dtau)
        factored = Articulated(Motions(self._data).move(q, v))
        for matrix, right in ((dq, -dq.T), (dv, -dv.T), (dtau, np.eye(len(q)))):
            matrix[:] = factored.solve(right).T
        return 0

    def gravity_forces(self, q: Array, tau: Array) -> int:
        """Of q to tau (n,)."""
        if self._refuses(q, out=(tau,)):
            return 1
        now, links = Motions(self._data).move(q, self._zero), self._data.links
        rates = self._data.parts(flexible_recursion.accelerations(now, self._zero, self.ground))
        forces = [link.has_weight * (w.M @ rate) for link, w, rate in zip(links, now, rates, strict=True)]
        tau[:] = flexible_recursion.projected(now, np.concatenate(forces)[None])[0]
        return 0

    def own_forces(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Wrenches (n_z,) on the links, in their frames, and efforts (n,) in the coordinates; all but gravity."""
        with self._lock:
            self._take(q, v)
            on_links = self.forces.on_links(self._now.move(q, v), q, self._time)
            return on_links, self.forces.in_joints(q, v, self._time)

    def demand_threads(self, call: str, threads: Any) -> None:
        """Raise for more than one."""
        if not isinstance(threads, Integral) or threads != 1:
            raise SolveError(f"{call}: threads is {threads!r}; states of models with elastic bodies take one")

    def stack(self, call: str, states: list[Array], out: list[Array], threads: int) -> int:
        """The call of dynamics with this name for stacks."""
        arrays = [*states, *out]
        return max((getattr(self, call)(*(x[k] for x in arrays)) for k in range(len(arrays[0]))), default=0)

    # kinematics, momentum, energy -----------------------------------------------------------------------------------

    def jacobian(self, seat: Seat, q: Array, v: Array | None, own_axes: bool) -> tuple[Array, Array]:
        """J and J_dot (6, n) of a seat."""
        now = Motions(self._data).move(q, self._zero)
        J = seat_rows(self._data, now, q, [seat])
        R = self.forces.frame(now, q, seat)[:3, :3]
        if v is None:
            return (J if own_axes else _turned(R, J)), J
        world = _turned(R, J)
        J_dot = jacobian_rate(self._data, seat, q, v, world)
        if not own_axes:
            return world, J_dot
        turning = np.cross((world[3:] @ v)[:, None], world.reshape(2, 3, -1), axisb=1, axisc=1, axisa=0)
        return J, _turned(R.T, J_dot - turning.reshape(6, -1))

    def posture(self, seat_of: Callable[[Any], Seat], q: Array, v: Array, a: Array) -> Posture:
        """Frames and motions of places."""
        return ElasticPosture(self._data, seat_of, q.copy(), v, a)

    def centroidal(self, q: Array) -> tuple[Array, Array]:
        """Matrix (6, n) of the momentum about the centre of mass of the bodies, and the centre (3,)."""
        with self._lock:
            now = self.forces.carried(Motions(self._data).move(q, self._zero), q, self._time)
        links = list(now)
        solid = [w for w, link in zip(links, self._data.links, strict=True) if link.has_weight]
        moments = [(w.M[0, 0], np.array([w.M[5, 1], w.M[3, 2], w.M[4, 0]])) for w in solid]
        weighted = [m * w.frame[:3, 3] + w.frame[:3, :3] @ h for w, (m, h) in zip(solid, moments, strict=True)]
        centre = np.sum(weighted, axis=0) / sum(m for m, _ in moments)
        back = se3.frame(np.eye(3), -centre)
        rows = [se3.adjoint(se3.inverse(back @ w.frame)).T @ w.M[:6] for w in links]
        return flexible_recursion.projected(now, np.hstack(rows)), centre

    def energies(self, q: Array, v: Array) -> tuple[float, float, float]:
        """Kinetic, strain and potential energy."""
        with self._lock:
            now = self.forces.carried(self._now.move(q, v), q, self._time)
            kinetic, strain, potential, *_ = self.forces.energies(now, q, self.gravity)
        return float(kinetic), float(strain), float(potential)


def _turned(R: Array, rows: Array) -> Array:
    """Both halves of rows (6, n) turned."""
    return np.vstack((R @ rows[:3], R @ rows[3:]))


def new_engine(model: Model, data: TreeData, general: bool) -> Engine:
    """An engine for the links of a model; `general`: for links with modes, though there may be none."""
    if data.spanning.loops:
        from cosserat.solve.relative.closed_engine import ClosedEngine  # imports SciPy's linear algebra

        return ClosedEngine(model, data)
    if general or data.reduced.bodies or model.state_loads:  # laws of users: lanes do not know them
        return ModalEngine(model, data)
    from cosserat.solve.relative.lane_engine import LaneEngine  # imports Numba, which takes longer than most runs

    return LaneEngine(model, data)


def made_again(
    kind: type[Tree], model: Model, values: dict[str, float], choices: dict[str, Any], time: float, inner: Array
) -> Tree:  # fmt: skip
    """A tree made anew, as copies and pickles need it: workspaces and compiled tables are not carried along."""
    with as_simulated(model, values):
        tree = kind(model, **choices)
    tree.set_time(time)
    tree.set_law_states(inner)
    return tree
