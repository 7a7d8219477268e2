"""Nonholonomic constraints: rows A(q) of A v = 0 for knife edges, rolling discs, and functions of the user."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import SolveError
from cosserat.model.model import Model
from cosserat.model.rolling import FLAT, KnifeEdge, Rolling, RollingDisc

if TYPE_CHECKING:
    from cosserat.solve.relative.tree import Tree

Array = NDArray[np.float64]


class Rows(NamedTuple):
    """Rows of A v = 0 at a state."""

    A: Array  # (m, n)
    bias: Array  # (m,): A_dot v
    gap: Array  # (m,): what a row is the rate of, zero where it is the rate of nothing


class PlaceMotion(NamedTuple):
    """A place at a state, in world axes."""

    frame: Array  # (4, 4)
    J: Array  # (6, n): velocity and angular velocity are J v
    rate: Array  # (6,): J_dot v


class Constraint(Protocol):
    """What gives rows at a state."""

    def rows(self, q: Array, v: Array) -> Rows:
        """Rows at coordinates q and velocities v."""


def _cross(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, float]:
    """a x b; plain numbers are faster than arrays of three."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


class Edge:
    """The row of a knife edge, in the coordinates that a place's motion is given in."""

    def __init__(self, edge: KnifeEdge) -> None:
        self._local = edge.place.frame()[:3, :3].T @ edge.direction

    def rows(self, motion: PlaceMotion, v: Array) -> Rows:
        """One row: no velocity along the direction."""
        H, J, rate = motion
        d = H[:3, :3] @ self._local
        ux, uy, uz, *omega = (J @ v).tolist()
        x, y, z = _cross(omega, d.tolist())
        return Rows((d @ J[:3])[None], np.array([d @ rate[:3] + x * ux + y * uy + z * uz]), np.zeros(1))


class Disc:
    """The rows of a rolling disc, in the coordinates that a place's motion is given in."""

    def __init__(self, disc: RollingDisc) -> None:
        self._local = disc.place.frame()[:3, :3].T @ disc.axis
        self._title, self._radius = disc.title, disc.radius
        self._directions, self._normal = disc.directions, tuple(disc.normal.tolist())
        self._rows = [tuple(row) for row in disc.directions.tolist()]
        self._level = float(disc.normal @ disc.point)

    def rows(self, motion: PlaceMotion, v: Array) -> Rows:
        """Three rows, along the normal and two directions in the plane: the point that touches is at rest."""
        H, J, rate = motion
        k, e, omega = self._normal, (H[:3, :3] @ self._local).tolist(), (J[3:] @ v).tolist()
        c = _dot(k, e)
        size = math.sqrt(max(0.0, 1.0 - c * c))
        if size < FLAT:
            raise SolveError(f"{self._title}: the disc lies flat on the plane; no single point of it touches")
        up = [(a - c * b) / size for a, b in zip(k, e, strict=True)]
        e_dot = _cross(omega, e)
        c_dot = _dot(k, e_dot)
        turn = [-(c_dot * a + c * b) for a, b in zip(e, e_dot, strict=True)]  # of k - c e
        along = _dot(up, turn)
        r = [-self._radius * a for a in up]
        r_dot = [-self._radius * (a - along * b) / size for a, b in zip(turn, up, strict=True)]
        L = np.array([(*d, *_cross(r, d)) for d in self._rows])
        bias = L @ rate + self._directions @ np.array(_cross(omega, r_dot))
        gap = _dot(k, H[:3, 3].tolist()) - self._radius * size - self._level
        return Rows(L @ J, bias, np.array([gap, 0.0, 0.0]))


def rolling_rows(item: Rolling) -> Edge | Disc:
    """What turns the motion of the place of a knife edge or rolling disc into rows."""
    return Disc(item) if isinstance(item, RollingDisc) else Edge(item)  # type: ignore[arg-type]


class _OnTree:
    """A knife edge or a rolling disc of a model, on its tree."""

    def __init__(self, item: Rolling, tree: Tree) -> None:
        self._tree, self._rows = tree, rolling_rows(item)
        self._place, self._title = item.place, item.title

    def rows(self, q: Array, v: Array) -> Rows:
        return self._rows.rows(self._tree.place_motion(self._place, q, v, self._title), v)


class VelocityConstraint:
    """Rows that a function gives.

    Parameters
    ----------
    function : callable
        Of q and v; gives A (m, n) and A_dot v (m,).

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> brake = cs.VelocityConstraint(lambda q, v: ([[1.0]], [0.0]))  # the angle stays as it is
    >>> cs.constrained_dynamics(model, [0.0], [0.0], constraints=[brake]).a.round(9).tolist()
    [0.0]
    """

    def __init__(self, function: Callable[[Array, Array], tuple[Any, Any]]) -> None:
        self.function = function

    def rows(self, q: Array, v: Array) -> Rows:
        """As the function gives them."""
        A, bias = (np.asarray(x, dtype=float) for x in self.function(q, v))
        A, bias = np.atleast_2d(A), np.atleast_1d(bias)
        if A.shape[1:] != (len(q),) or bias.shape != A.shape[:1]:
            raise SolveError(
                f"VelocityConstraint: the function gave arrays {A.shape} and {bias.shape}; "
                f"expected (m, {len(q)}) and (m,)"
            )
        return Rows(A, bias, np.zeros(len(A)))


def constraints_of(model: Model, tree: Tree, given: Any, call: str) -> list[Constraint]:
    """The knife edges and rolling discs of a model, and the constraints that a caller gave beside them."""
    extra = () if given is None else given
    if not isinstance(extra, Sequence) or not all(isinstance(c, VelocityConstraint) for c in extra):
        raise SolveError(
            f"{call}: constraints is {given!r}; pass a list of VelocityConstraint, and add knife edges and rolling "
            "discs to the model"
        )
    found: list[Constraint] = [_OnTree(item, tree) for item in model.rolling]
    found += extra
    if not found:
        raise SolveError(
            f"{call}: {model.title} has no knife edge and no rolling disc; add one, such as "
            "model.add(cs.KnifeEdge('edge', body, direction=(0, 1, 0))), or pass a list of VelocityConstraint"
        )
    return found


def gather(constraints: Sequence[Constraint], q: Array, v: Array) -> Rows:
    """Rows of all constraints."""
    parts = [constraint.rows(q, v) for constraint in constraints]
    return Rows(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
