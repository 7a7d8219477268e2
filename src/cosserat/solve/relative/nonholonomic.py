"""Nonholonomic constraints: rows A(q) of A v = 0 for knife edges, rolling discs, and functions of the user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import SolveError
from cosserat.lie import so3
from cosserat.solve.relative.tree import Tree

Array = NDArray[np.float64]


class Rows(NamedTuple):
    """Rows of A v = 0 at a state."""

    A: Array  # (m, n)
    bias: Array  # (m,): A_dot v
    gap: Array  # (m,): what a row is the rate of, zero where it is the rate of nothing


class _OnBody:
    """A place on a body and a direction that turns with it."""

    def __init__(self, place: Any, direction: Array) -> None:
        self._place, self._direction = place, direction
        self._tree: Tree | None = None

    def at(self, tree: Tree, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
        """Position, direction, Jacobian (6, n) and A_dot v (6,) of the place, in world axes."""
        if self._tree is not tree:  # looked up once: it takes longer than all the rest
            self._link, self._frame, place = tree.locate(self._place, type(self).__name__)
            if self._link < 0:
                raise SolveError(f"{type(self).__name__}: the place {place.label!r} is fixed to the ground")
            self._local = place.frame()[:3, :3].T @ self._direction
            self._tree = tree
        H, J, J_dot = tree.motion_on_link(self._link, self._frame, q, v)
        return H[:3, 3], H[:3, :3] @ self._local, J, J_dot @ v


class KnifeEdge(_OnBody):
    """A place does not move along one direction of its body: a skate, a keel, a wheel seen from above.

    Parameters
    ----------
    place : place
        Where the edge or the wheel touches.
    direction : (3,)
        Across the edge, in world axes of the reference configuration; it turns with the body.
    """

    def __init__(self, place: Any, direction: Any) -> None:
        super().__init__(place, _unit("KnifeEdge", "direction", direction))

    def rows(self, tree: Tree, q: Array, v: Array) -> Rows:
        """One row."""
        _, d, J, rate = self.at(tree, q, v)
        velocity, omega = np.split(J @ v, 2)
        bias = d @ rate[:3] + (so3.hat(omega) @ d) @ velocity
        return Rows((d @ J[:3])[None], np.array([bias]), np.zeros(1))


class RollingDisc(_OnBody):
    """A thin disc that rolls on a plane without slipping and does not leave it.

    Parameters
    ----------
    centre : place
        Centre of the disc.
    radius : float
        In metres.
    axis : (3,)
        Axis of the disc, in world axes of the reference configuration; it turns with the body.
    normal, point : (3,)
        Normal of the plane, on the side of the disc, and a point of the plane.
    """

    def __init__(self, centre: Any, radius: float, axis: Any, normal: Any = (0, 0, 1), point: Any = (0, 0, 0)) -> None:
        if not isinstance(radius, (int, float)) or not 0.0 < radius < np.inf:
            raise SolveError(f"RollingDisc: radius is {radius!r}; pass a length greater than 0")
        super().__init__(centre, _unit("RollingDisc", "axis", axis))
        self.radius, self.normal = float(radius), _unit("RollingDisc", "normal", normal)
        self.point = np.asarray(point, dtype=float)
        self._directions = np.vstack((self.normal, np.linalg.svd(self.normal[None])[2][1:]))

    def rows(self, tree: Tree, q: Array, v: Array) -> Rows:
        """Three rows, along the normal and two directions in the plane: the point that touches is at rest."""
        x, e, J, rate = self.at(tree, q, v)
        k, omega = self.normal, J[3:] @ v
        s = k - (k @ e) * e
        size = float(np.linalg.norm(s))
        if size < 1e-9:
            raise SolveError("RollingDisc: the disc lies flat on the plane; no single point of it touches")
        u = s / size  # upwards in the disc
        e_dot = so3.hat(omega) @ e
        s_dot = -(k @ e_dot) * e - (k @ e) * e_dot
        r, r_dot = -self.radius * u, -self.radius * (s_dot - (u @ s_dot) * u) / size
        A = J[:3] - so3.hat(r) @ J[3:]
        bias = rate[:3] - so3.hat(r) @ rate[3:] + so3.hat(omega) @ r_dot
        gap = np.array([k @ (x + r - self.point), 0.0, 0.0])
        return Rows(self._directions @ A, self._directions @ bias, gap)


class VelocityConstraint:
    """Rows that a function gives.

    Parameters
    ----------
    function : callable
        Of q and v; gives A (m, n) and A_dot v (m,).
    """

    def __init__(self, function: Callable[[Array, Array], tuple[Any, Any]]) -> None:
        self.function = function

    def rows(self, tree: Tree, q: Array, v: Array) -> Rows:
        """As the function gives them."""
        A, bias = (np.asarray(x, dtype=float) for x in self.function(q, v))
        A, bias = np.atleast_2d(A), np.atleast_1d(bias)
        if A.shape[1:] != (len(q),) or bias.shape != A.shape[:1]:
            raise SolveError(
                f"VelocityConstraint: the function gave arrays {A.shape} and {bias.shape}; "
                f"expected (m, {len(q)}) and (m,)"
            )
        return Rows(A, bias, np.zeros(len(A)))


Constraint = KnifeEdge | RollingDisc | VelocityConstraint


def gather(tree: Tree, constraints: Any, q: Array, v: Array) -> Rows:
    """Rows of all constraints."""
    parts = [constraint.rows(tree, q, v) for constraint in constraints]
    return Rows(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _unit(item: str, argument: str, value: Any) -> Array:
    try:
        vector = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        vector = np.empty(0)
    if vector.shape != (3,) or not 0.0 < np.linalg.norm(vector) < np.inf:
        raise SolveError(f"{item}: {argument} is {value!r}; pass three numbers, not all zero, such as (0, 0, 1)")
    return vector / np.linalg.norm(vector)
