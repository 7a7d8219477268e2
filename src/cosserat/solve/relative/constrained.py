"""Trees under constraints: accelerations by multipliers, and motions without drift by projection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv

from cosserat.calls import answered
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.solve.relative.closed_engine import least
from cosserat.solve.relative.coordinates import Drives
from cosserat.solve.relative.nonholonomic import GivesRows, VelocityConstraint, VelocityRows, constraints_of, gather
from cosserat.solve.relative.recursion import any_tree
from cosserat.solve.relative.tree import Tree

_CLOSE = 1e-13  # of the greatest lever, where projection ends
_SLIPS = 1e-6  # of the greatest velocity: slip that says that something contradicts


class ConstrainedDynamics(NamedTuple):
    """Accelerations (n,), multipliers (m,), which are forces that A^T carries to the coordinates, and efforts (n,) of
    the drives, zero where no motion is prescribed.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("skate")
    >>> skate = model.add(cs.RigidBody("skate", mass=2.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    >>> ice = model.add(cs.Planar("ice", cs.GROUND, skate, normal=(0, 0, 1), at=(0, 0, 0)))
    >>> edge = model.add(cs.KnifeEdge("edge", skate, direction=(0, 1, 0)))
    >>> cs.constrained_dynamics(model, [0, 0, 0], [3, 0, 4]).multipliers.round(9).tolist()
    [24.0]
    """

    a: Array
    multipliers: Array
    efforts: Array


@dataclass(frozen=True)
class ConstrainedMotion:
    """A motion under constraints: times (nt,), coordinates and velocities (nt, n), and the greatest violations.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("skate")
    >>> skate = model.add(cs.RigidBody("skate", mass=2.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    >>> ice = model.add(cs.Planar("ice", cs.GROUND, skate, normal=(0, 0, 1), at=(0, 0, 0)))
    >>> edge = model.add(cs.KnifeEdge("edge", skate, direction=(0, 1, 0)))
    >>> motion = cs.constrained_motion(model, [0, 0, 0], [3, 0, 4], duration=0.1, step=0.01)
    >>> motion.coordinates
    ('ice.x', 'ice.y', 'ice.rz')
    """

    coordinates: tuple[str, ...]
    t: Array
    q: Array
    v: Array
    slip: float  # greatest |A v|
    gap: float  # greatest distance from a plane


@answered()
def constrained_dynamics(
    model: Model,
    q: Any,
    v: Any,
    tau: Any = None,
    t: float = 0.0,
    constraints: Sequence[VelocityConstraint] | None = None,
    modes: Any = None,
) -> ConstrainedDynamics:
    """Accelerations under the closed loops, knife edges and rolling discs of a model, A(q) v = 0, from
    M a + h = tau + A^T lambda and A a + A_dot v = 0.

    Rows may depend on one another; the multipliers are then the smallest ones. The matrices are dense.

    Parameters
    ----------
    model : Model
        Joints of closed loops that are cut have no coordinates, but multipliers: the first ones.
    q, v : (n,)
        Coordinates and velocities, in the order of `Tree.coordinates`.
    tau : (n,), optional
        What actuators add; zero by default.
    t : float
        Time of loads, efforts and motions that are functions of time. Joints with ``motion=`` have the accelerations
        that it prescribes.
    constraints : list of VelocityConstraint, optional
        Rows beside those of the model; their multipliers come last.
    modes : int, or dict of int by beam
        Number of modes of each beam, see `FlexibleTree`.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("skate")
    >>> skate = model.add(cs.RigidBody("skate", mass=2.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    >>> ice = model.add(cs.Planar("ice", cs.GROUND, skate, normal=(0, 0, 1), at=(0, 0, 0)))
    >>> edge = model.add(cs.KnifeEdge("edge", skate, direction=(0, 1, 0)))
    >>> found = cs.constrained_dynamics(model, np.zeros(3), (3, 0, 4))  # 3 m/s along x, 4 rad/s
    >>> found.multipliers.round(9), found.a.round(9) + 0.0
    (array([24.]), array([ 0., 12.,  0.]))
    """
    return dynamics_of(model, any_tree(model, t, modes, "constrained_dynamics"), q, v, tau, constraints)


def dynamics_of(model: Model, tree: Tree, q: Any, v: Any, tau: Any, constraints: Any) -> ConstrainedDynamics:
    """`constrained_dynamics` at the time of the tree."""
    call = "constrained_dynamics"
    q, v, tau = (tree.neutral() if x is None else x for x in (q, v, tau))
    q, v, tau = tree.vectors(call, q=q, v=v, tau=tau)
    drives = _drives_of(model, tree, call)
    work = _RollingTree(tree, constraints_of(model, tree, constraints, call), drives)
    return work.dynamics(tree.time, q, v, tau)


@answered()
def constrained_motion(
    model: Model,
    q: Any,
    v: Any,
    duration: float,
    step: float,
    constraints: Sequence[VelocityConstraint] | None = None,
    modes: Any = None,
) -> ConstrainedMotion:
    """Move under the closed loops, knife edges and rolling discs of a model.

    Runge-Kutta steps of fourth order, each brought back to the constraints: after a step the coordinates are moved back
    to the planes and the velocities to A v = 0, along the least change in the metric of the mass matrix, so that
    nothing drifts. The first velocities are treated alike.

    Parameters
    ----------
    model, q, v
        As for `constrained_dynamics`; discs must be on their planes. Coordinates with a prescribed motion follow it
        from the start, whatever is given.
    duration, step : float
        In seconds; the step is fitted to the duration.
    constraints : list of VelocityConstraint, optional
        Rows beside those of the model.
    modes
        As for `constrained_dynamics`.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("skate")
    >>> skate = model.add(cs.RigidBody("skate", mass=2.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    >>> ice = model.add(cs.Planar("ice", cs.GROUND, skate, normal=(0, 0, 1), at=(0, 0, 0)))
    >>> edge = model.add(cs.KnifeEdge("edge", skate, direction=(0, 1, 0)))
    >>> motion = cs.constrained_motion(model, [0, 0, 0], [3, 0, 4], duration=0.1, step=0.01)
    >>> motion.q[-1].round(6).tolist()  # a circle of radius 3/4
    [0.292064, 0.059204, 0.4]
    """
    call = "constrained_motion"
    tree = any_tree(model, 0.0, modes, call)
    if tree.law_states:
        raise SolveError(f"{call}: {tree.law_states[0]!r} is a state of a law; take cs.simulate, which follows it")
    q, v = tree.vectors(call, q=q, v=v)
    drives = _drives_of(model, tree, call)
    work = _RollingTree(tree, constraints_of(model, tree, constraints, call), drives)
    for name, value in (("duration", duration), ("step", step)):
        if not isinstance(value, (int, float)) or not 0.0 < value < np.inf:
            raise SolveError(f"{call}: {name} is {value!r}; pass a time greater than 0")
    first = work.imposed(0.0, np.stack((q, v)))
    gap = float(np.abs(gather(work.constraints, *first).gap).max())
    if gap > 1e-6:
        raise SolveError(f"{call}: the first state is {gap:.3g} m away from a plane; place the disc on it")
    steps = max(1, round(duration / step))
    h = duration / steps
    states = np.empty((steps + 1, 2, len(q)))
    states[0], slip, gap = work.projected(first)
    for i in range(steps):
        x, t = states[i], i * h
        a = work.slope(t, x)
        b = work.slope(t + h / 2, x + h / 2 * a)
        c = work.slope(t + h / 2, x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + work.slope(t + h, x + h * c))
        x[0] = tree.moved(x[0], work.zero)  # rotation vectors stay shorter than half a turn
        states[i + 1], now, off = work.projected(work.imposed(t + h, x))
        slip, gap = max(slip, now), max(gap, off)
        if slip > _SLIPS * (1.0 + np.abs(states[i + 1, 1]).max()):
            raise SolveError(
                f"{call}: from t = {t + h:.6g} s on the wheels would slip, by {slip:.3g} m/s: the motions of "
                "joints and the constraints contradict each other; prescribe fewer motions"
            )
    times = np.linspace(0.0, duration, steps + 1)
    return ConstrainedMotion(tree.coordinates, times, states[:, 0], states[:, 1], slip, gap)


def _drives_of(model: Model, tree: Tree, call: str) -> Drives:
    """Coordinates whose motion the model prescribes."""
    for joint in model.joints:
        if joint.kind in ("spherical", "free") and any(motion is not None for motion in joint.motion):
            raise SolveError(
                f"{call}: joint {joint.name!r} has a motion in coordinates whose derivatives are not its "
                "velocities, which this call cannot follow; use cs.simulate"
            )
    return Drives(tree.data)


class _RollingTree:
    """A tree, the constraints on it and its drives."""

    def __init__(self, tree: Tree, constraints: Sequence[GivesRows], drives: Drives) -> None:
        self.tree, self.constraints, self.drives = tree, constraints, drives
        self.zero = np.zeros(len(tree.coordinates))

    def imposed(self, t: float, x: Array) -> Array:
        """A state (2, n) with the coordinates and velocities that are prescribed at time t."""
        self.drives.impose(t, x[0], x[1], self.zero.copy())
        return x

    def slope(self, t: float, x: Array) -> Array:
        """Rates of coordinates and velocities (2, n); x is brought to the drives' motion."""
        self.tree.set_time(t)
        q, v = self.imposed(t, x)
        return np.stack((self.tree.coordinate_rates(q, v), self.dynamics(t, q, v, self.zero).a))

    def dynamics(self, t: float, q: Array, v: Array, tau: Array) -> ConstrainedDynamics:
        """Accelerations, multipliers and efforts of drives at a state."""
        rows = gather(self.constraints, q, v)
        M, driven = self.tree.mass_matrix(q), self.drives.columns
        force = tau - self.tree.inverse_dynamics(q, v, self.zero)
        a, efforts, bias = np.zeros(len(q)), np.zeros(len(q)), rows.bias
        right = np.empty((len(q), len(rows.A) + 1))
        right[:, :-1], right[:, -1] = rows.A.T, force
        if len(driven):
            a[driven] = self.drives.sample(np.array([t]))[0, 2]
            bias = bias + rows.A @ a
            right[:, -1] -= M @ a
        inverse = self._columns(M, right)
        both = rows.A @ inverse
        multipliers = least(both[:, :-1], -bias - both[:, -1])
        a += inverse[:, -1] + inverse[:, :-1] @ multipliers
        if len(driven):
            efforts[driven] = (M @ a - force - rows.A.T @ multipliers)[driven]
        return ConstrainedDynamics(a, multipliers, efforts)

    def _columns(self, M: Array, right: Array) -> Array:
        """M^-1 on columns (n, k), where drives do not move: zero in their rows."""
        free = ~self.drives.held
        if free.all():
            return _solved(M, right)
        out = np.zeros(right.shape)
        if free.any():
            out[free] = _solved(M[np.ix_(free, free)], right[free])
        return out

    def projected(self, x: Array) -> tuple[Array, float, float]:
        """The nearest state on the constraints, and its violations."""
        q, v = x
        rows = gather(self.constraints, q, v)
        for _ in range(5):
            if np.abs(rows.gap).max() < _CLOSE:
                break
            q = self.tree.moved(q, self._correction(rows, q, rows.gap))
            rows = gather(self.constraints, q, v)
        v = v + self._correction(rows, q, rows.A @ v)
        return np.stack((q, v)), float(np.abs(rows.A @ v).max()), float(np.abs(rows.gap).max())

    def _correction(self, rows: VelocityRows, q: Array, violation: Array) -> Array:
        """Least change, in the metric of M, that takes a violation away."""
        columns = self._columns(self.tree.mass_matrix(q), rows.A.T)
        return -columns @ least(rows.A @ columns, violation)


def _solved(M: Array, right: Array) -> Array:
    """M^-1 on columns, M symmetric and positive definite."""
    x: Array = dposv(M, right)[1]
    return x
