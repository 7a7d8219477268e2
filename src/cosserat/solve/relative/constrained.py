"""Trees under nonholonomic constraints: accelerations by multipliers, and motions without drift by projection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import SolveError
from cosserat.model.model import Model
from cosserat.solve.relative.nonholonomic import Constraint, Rows, VelocityConstraint, constraints_of, gather
from cosserat.solve.relative.recursion import tree_of
from cosserat.solve.relative.states import StateChecker
from cosserat.solve.relative.tree import Tree

Array = NDArray[np.float64]

_RANK = 1e-10  # singular values below this part of the largest belong to redundant rows
_CLOSE = 1e-13  # of the greatest lever, where projection ends


class ConstrainedDynamics(NamedTuple):
    """Accelerations (n,), and multipliers (m,): the forces that A^T carries to the coordinates."""

    a: Array
    multipliers: Array


@dataclass(frozen=True)
class ConstrainedMotion:
    """A motion under constraints: times (nt,), coordinates and velocities (nt, n), and the greatest violations."""

    coordinates: tuple[str, ...]
    t: Array
    q: Array
    v: Array
    slip: float  # greatest |A v|
    gap: float  # greatest distance from a plane


def constrained_dynamics(
    model: Model,
    q: Any,
    v: Any,
    tau: Any = None,
    t: float = 0.0,
    constraints: Sequence[VelocityConstraint] | None = None,
) -> ConstrainedDynamics:
    """Accelerations under the knife edges and rolling discs of a model, A(q) v = 0, from M a + h = tau + A^T lambda and
    A a + A_dot v = 0.

    Rows may depend on one another; the multipliers are then the smallest ones. The matrices are dense.

    Parameters
    ----------
    model : Model
        Of rigid bodies, without closed loops.
    q, v : (n,)
        Coordinates and velocities, in the order of `Tree.coordinates`.
    tau : (n,), optional
        What actuators add; zero by default.
    t : float
        Time of loads and efforts that are functions of time.
    constraints : list of VelocityConstraint, optional
        Rows beside those of the model; their multipliers come last.

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
    tree = tree_of(model, t)
    check = StateChecker(tree.data.title, tree.coordinates)
    zero = np.zeros(len(tree.coordinates))
    q, v, tau = (
        check.vector("constrained_dynamics", name, zero if x is None else x)
        for name, x in (("q", q), ("v", v), ("tau", tau))
    )
    return _solve(tree, q, v, constraints_of(model, tree, constraints, "constrained_dynamics"), tau)


def constrained_motion(
    model: Model,
    q: Any,
    v: Any,
    duration: float,
    step: float,
    constraints: Sequence[VelocityConstraint] | None = None,
) -> ConstrainedMotion:
    """Move under the knife edges and rolling discs of a model.

    Runge-Kutta steps of fourth order, each brought back to the constraints: after a step the coordinates are moved back
    to the planes and the velocities to A v = 0, along the least change in the metric of the mass matrix, so that
    nothing drifts. The first velocities are treated alike.

    Parameters
    ----------
    model, q, v
        As for `constrained_dynamics`; discs must be on their planes. Joints are driven by efforts, not by motions.
    duration, step : float
        In seconds; the step is fitted to the duration.
    constraints : list of VelocityConstraint, optional
        Rows beside those of the model.
    """
    call = "constrained_motion"
    tree = tree_of(model)
    check = StateChecker(tree.data.title, tree.coordinates)
    q, v = check.vector(call, "q", q), check.vector(call, "v", v)
    rolling = constraints_of(model, tree, constraints, call)
    for joint in model.joints:
        if any(motion is not None for motion in joint.motion):
            raise SolveError(
                f"{call}: joint {joint.name!r} has a motion in the model, which this call would not follow; "
                "remove motion=, or drive it by effort="
            )
    for name, value in (("duration", duration), ("step", step)):
        if not isinstance(value, (int, float)) or not 0.0 < value < np.inf:
            raise SolveError(f"{call}: {name} is {value!r}; pass a time greater than 0")
    gap = float(np.abs(gather(rolling, q, v).gap).max())
    if gap > 1e-6:
        raise SolveError(f"{call}: the first state is {gap:.3g} m away from a plane; place the disc on it")
    steps = max(1, round(duration / step))
    h = duration / steps
    states = np.empty((steps + 1, 2, len(q)))
    states[0], slip, gap = _projected(tree, rolling, np.stack((q, v)))
    zero = np.zeros(len(q))

    def slope(t: float, x: Array) -> Array:
        tree.set_time(t)
        return np.stack((tree.coordinate_rates(*x), _solve(tree, x[0], x[1], rolling, zero).a))

    for i in range(steps):
        x, t = states[i], i * h
        a = slope(t, x)
        b = slope(t + h / 2, x + h / 2 * a)
        c = slope(t + h / 2, x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + slope(t + h, x + h * c))
        x[0] = tree.moved(x[0], zero)  # rotation vectors stay shorter than half a turn
        states[i + 1], now, off = _projected(tree, rolling, x)
        slip, gap = max(slip, now), max(gap, off)
    times = np.linspace(0.0, duration, steps + 1)
    return ConstrainedMotion(tree.coordinates, times, states[:, 0], states[:, 1], slip, gap)


def _solve(tree: Tree, q: Array, v: Array, constraints: Sequence[Constraint], tau: Array) -> ConstrainedDynamics:
    rows = gather(constraints, q, v)
    M = tree.mass_matrix(q)
    columns = np.linalg.solve(M, np.column_stack((rows.A.T, tau - tree.bias(q, v))))
    free = columns[:, -1]
    multipliers = _least(rows.A @ columns[:, :-1], -rows.bias - rows.A @ free)
    return ConstrainedDynamics(free + columns[:, :-1] @ multipliers, multipliers)


def _least(S: Array, y: Array) -> Array:
    """Least x with S x = y, S symmetric and perhaps singular."""
    x: Array = np.linalg.lstsq(S, y, rcond=_RANK)[0].astype(np.float64)
    return x


def _projected(tree: Tree, constraints: Sequence[Constraint], x: Array) -> tuple[Array, float, float]:
    """The nearest state on the constraints, and its violations."""
    q, v = x
    rows = gather(constraints, q, v)
    for _ in range(5):
        if np.abs(rows.gap).max() < _CLOSE:
            break
        q = tree.moved(q, _correction(tree, rows, q, rows.gap))
        rows = gather(constraints, q, v)
    v = v + _correction(tree, rows, q, rows.A @ v)
    return np.stack((q, v)), float(np.abs(rows.A @ v).max()), float(np.abs(rows.gap).max())


def _correction(tree: Tree, rows: Rows, q: Array, violation: Array) -> Array:
    """Least change, in the metric of M, that takes a violation away."""
    columns = np.linalg.solve(tree.mass_matrix(q), rows.A.T)
    return -columns @ _least(rows.A @ columns, violation)
