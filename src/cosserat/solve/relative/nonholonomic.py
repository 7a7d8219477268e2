"""Nonholonomic constraints: rows A(q) of A v = 0 for knife edges, rolling discs, and functions of the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import SolveError
from cosserat.lie import so3
from cosserat.model.model import Model
from cosserat.model.rolling import FLAT, KnifeEdge, Rolling, RollingDisc
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


class Edge:
    """The row of a knife edge, in the coordinates that a place's motion is given in."""

    def __init__(self, edge: KnifeEdge) -> None:
        self._local = edge.place.frame()[:3, :3].T @ edge.direction

    def rows(self, motion: PlaceMotion, v: Array) -> Rows:
        """One row: no velocity along the direction."""
        H, J, rate = motion
        d = H[:3, :3] @ self._local
        velocity, omega = np.split(J @ v, 2)
        bias = d @ rate[:3] + (so3.hat(omega) @ d) @ velocity
        return Rows((d @ J[:3])[None], np.array([bias]), np.zeros(1))


class Disc:
    """The rows of a rolling disc, in the coordinates that a place's motion is given in."""

    def __init__(self, disc: RollingDisc) -> None:
        self._local = disc.place.frame()[:3, :3].T @ disc.axis
        self._title, self._radius, self._point = disc.title, disc.radius, disc.point
        self._directions = disc.directions

    def rows(self, motion: PlaceMotion, v: Array) -> Rows:
        """Three rows, along the normal and two directions in the plane: the point that touches is at rest."""
        H, J, rate = motion
        e, k, omega = H[:3, :3] @ self._local, self._directions[0], J[3:] @ v
        s = k - (k @ e) * e
        size = float(np.linalg.norm(s))
        if size < FLAT:
            raise SolveError(f"{self._title}: the disc lies flat on the plane; no single point of it touches")
        u = s / size  # upwards in the disc
        e_dot = so3.hat(omega) @ e
        s_dot = -(k @ e_dot) * e - (k @ e) * e_dot
        r, r_dot = -self._radius * u, -self._radius * (s_dot - (u @ s_dot) * u) / size
        A = J[:3] - so3.hat(r) @ J[3:]
        bias = rate[:3] - so3.hat(r) @ rate[3:] + so3.hat(omega) @ r_dot
        gap = np.array([k @ (H[:3, 3] + r - self._point), 0.0, 0.0])
        return Rows(self._directions @ A, self._directions @ bias, gap)


def rolling_rows(item: Rolling) -> Edge | Disc:
    """What turns the motion of the place of a knife edge or rolling disc into rows."""
    return Disc(item) if isinstance(item, RollingDisc) else Edge(item)  # type: ignore[arg-type]


class _OnTree:
    """A knife edge or a rolling disc of a model, on its tree."""

    def __init__(self, item: Rolling, tree: Tree) -> None:
        self._tree, self._rows = tree, rolling_rows(item)
        self._link, self._frame, place = tree.locate(item.place, item.title)
        if self._link < 0:
            raise SolveError(f"{item.title}: the place {place.label!r} is fixed to the ground")

    def rows(self, q: Array, v: Array) -> Rows:
        H, J, J_dot = self._tree.motion_on_link(self._link, self._frame, q, v)
        return self._rows.rows(PlaceMotion(H, J, J_dot @ v), v)


class VelocityConstraint:
    """Rows that a function gives.

    Parameters
    ----------
    function : callable
        Of q and v; gives A (m, n) and A_dot v (m,).
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
