"""Constraints of trees: rows A(q) of A v = 0 for closed loops, knife edges, rolling discs, and functions of users."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import numpy as np

from cosserat.calls import answering
from cosserat.errors import SolveError
from cosserat.kernels import touching
from cosserat.kernels.touching import DISC, EDGE
from cosserat.kernels.vectors import cross, dot
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.model.rolling import FLAT, KnifeEdge, Rolling, RollingDisc

if TYPE_CHECKING:
    from cosserat.solve.relative.closed_engine import ClosedEngine
    from cosserat.solve.relative.tree import Tree


class VelocityRows(NamedTuple):
    """Rows of A v = 0 at a state."""

    A: Array  # (m, n)
    bias: Array  # (m,): A_dot v
    gap: Array  # (m,): what a row is the rate of, zero where it is the rate of nothing


class PlaceMotion(NamedTuple):
    """A place at a state, in world axes."""

    frame: Array  # (4, 4)
    J: Array  # (6, n): velocity and angular velocity are J v
    rate: Array  # (6,): J_dot v


class GivesRows(Protocol):
    """What gives rows at a state."""

    def rows(self, q: Array, v: Array) -> VelocityRows:
        """Rows at coordinates q and velocities v."""


class _Wheel(NamedTuple):
    """One knife edge or disc, as `kernels.touching` reads many."""

    kind: tuple[int]
    axis: Array
    point: Array
    plane: Array
    radius: tuple[float]
    level: tuple[float]


class Touch:
    """The rows of a knife edge or rolling disc, in the coordinates that a place's motion is given in.

    A knife edge has one row: no velocity along its direction. A disc has three, along the normal and two directions in
    the plane: the point that touches is at rest.
    """

    def __init__(self, item: Rolling) -> None:
        assert isinstance(item, (KnifeEdge, RollingDisc))
        to_place, point = item.place.frame()[:3, :3].T, np.zeros((1, 3))
        self._title, self._disc = item.title, isinstance(item, RollingDisc)
        if isinstance(item, RollingDisc):
            axis, plane, level = to_place @ item.axis, item.directions, float(item.normal @ item.point)
            self._one = _Wheel((DISC,), axis[None], point, plane[None], (float(item.radius),), (level,))
        else:
            self._one = _Wheel((EDGE,), (to_place @ item.direction)[None], point, np.zeros((1, 3, 3)), (0.0,), (0.0,))

    def rows(self, motion: PlaceMotion, v: Array) -> VelocityRows:
        """Rows for the motion of the place."""
        H, J, rate = motion
        turn, one = H[:3, :3], self._one
        if self._disc:
            c = float(one.plane[0, 0] @ turn @ one.axis[0])
            if not 1.0 - c * c > FLAT**2:
                raise SolveError(f"{self._title}: the disc lies flat on the plane; no single point of it touches")
        R, x = tuple(turn.ravel().tolist()), tuple(H[:3, 3].tolist())
        *directions, r = touching.touch(one, 0, R)
        twist = J @ v
        u, omega = tuple((twist[:3] @ turn).tolist()), tuple((twist[3:] @ turn).tolist())
        local = np.concatenate((rate[:3] @ turn - cross(omega, u), rate[3:] @ turn))  # rate of the body twist
        A, bias = [], []
        for d in directions[: 3 if self._disc else 1]:
            row = np.array((*d, *cross(r, d)))
            A.append(np.concatenate((turn @ row[:3], turn @ row[3:])) @ J)
            own = dot(touching.turn_gradient(one, 0, R, d, r, u, omega), omega) if self._disc else 0.0
            bias.append(row @ local + own)
        gap = np.zeros(len(A))
        if self._disc:
            gap[0] = touching.gap(one, 0, R, x)
        return VelocityRows(np.array(A), np.array(bias), gap)


class _OnTree:
    """A knife edge or a rolling disc of a model, on its tree."""

    def __init__(self, item: Rolling, tree: Tree) -> None:
        self._tree, self._rows = tree, Touch(item)
        self._place, self._title = item.place, item.title

    def rows(self, q: Array, v: Array) -> VelocityRows:
        if not self._tree.carries(self._place, self._title):
            raise SolveError(f"{self._title}: the place {self._place.label!r} is fixed to the ground")
        return self._rows.rows(self._tree.engine.place_motion(self._tree.data.seat(self._place), q, v), v)


class _LoopRows:
    """Closed loops of a tree."""

    def __init__(self, engine: ClosedEngine) -> None:
        self._engine = engine

    def rows(self, q: Array, v: Array) -> VelocityRows:
        found = self._engine.closure(q, v)
        return VelocityRows(found.A, found.bias, found.value)


@answering
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

    def rows(self, q: Array, v: Array) -> VelocityRows:
        """As the function gives them."""
        A, bias = (np.asarray(x, dtype=float) for x in self.function(q, v))
        A, bias = np.atleast_2d(A), np.atleast_1d(bias)
        if A.shape[1:] != (len(q),) or bias.shape != A.shape[:1]:
            raise SolveError(
                f"VelocityConstraint: the function gave arrays {A.shape} and {bias.shape}; "
                f"expected (m, {len(q)}) and (m,)"
            )
        return VelocityRows(A, bias, np.zeros(len(A)))


def constraints_of(model: Model, tree: Tree, given: Any, call: str) -> list[GivesRows]:
    """Closed loops, knife edges and rolling discs of a model, and the constraints that a caller gave beside them."""
    extra = () if given is None else given
    if not isinstance(extra, Sequence) or not all(isinstance(c, VelocityConstraint) for c in extra):
        raise SolveError(
            f"{call}: constraints is {given!r}; pass a list of VelocityConstraint, and add knife edges and rolling "
            "discs to the model"
        )
    for item in model.rolling:
        if not isinstance(item, (KnifeEdge, RollingDisc)):
            raise SolveError(f"{call}: {item.title} has a law of its own, which is not offered here; use cs.simulate")
    found: list[GivesRows] = [_LoopRows(cast("ClosedEngine", tree.engine))] if tree.data.spanning.loops else []
    found += [_OnTree(item, tree) for item in model.rolling]
    found += extra
    if not found:
        raise SolveError(
            f"{call}: {model.title} has no knife edge and no rolling disc; add one, such as "
            "model.add(cs.KnifeEdge('edge', body, direction=(0, 1, 0))), or pass a list of VelocityConstraint"
        )
    return found


def gather(constraints: Sequence[GivesRows], q: Array, v: Array) -> VelocityRows:
    """Rows of all constraints."""
    parts = [constraint.rows(q, v) for constraint in constraints]
    return VelocityRows(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
