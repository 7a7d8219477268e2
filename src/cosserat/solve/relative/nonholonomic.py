"""Constraints of trees: rows A(q) of A v = 0 for closed loops, knife edges, rolling discs, and functions of users."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from cosserat.calls import answering
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.model.rolling import KnifeEdge, RollingDisc
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.tree_constraints import TreeConstraints

if TYPE_CHECKING:
    from cosserat.solve.relative.tree import Tree


class VelocityRows(NamedTuple):
    """Rows of A v = 0 at a state."""

    A: Array  # (m, n)
    bias: Array  # (m,): A_dot v
    gap: Array  # (m,): what a row is the rate of, zero where it is the rate of nothing


class GivesRows(Protocol):
    """What gives rows at a state."""

    def rows(self, q: Array, v: Array) -> VelocityRows:
        """Rows at coordinates q and velocities v."""


class _OnTree:
    """Closed loops of a tree, knife edges and rolling discs on it.

    A knife edge has one row: no velocity along its direction. A disc has three, along the normal and two directions in
    the plane: the point that touches is at rest.
    """

    def __init__(self, tree: Tree, ties: TreeConstraints) -> None:
        self._tree, self._ties, self._now = tree, ties, Motions(tree.data)
        self._kept = ties.numbers_of(lambda slot: slot.closes or slot.rolling >= 0)
        for item in ties.rolling:
            for place in item.places:
                if not tree.carries(place, item.title):
                    raise SolveError(f"{item.title}: the place {place.label!r} is fixed to the ground")

    def rows(self, q: Array, v: Array) -> VelocityRows:
        ties, now = self._ties, self._now.move(q, v)
        flat = ties.lying_flat(now, q)
        if flat:
            raise SolveError(flat)
        found = ties.at(now, q, self._tree.time, np.zeros(len(ties.tracked)), biased=True)
        return VelocityRows(found.A[self._kept], found.bias[self._kept], found.value[self._kept])


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
    found: list[GivesRows] = []
    if tree.data.spanning.loops or model.rolling:
        found.append(_OnTree(tree, tree.ties))
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
