"""Which steps an integrator takes in floating frames, and how far a change of coordinates moves the mechanism."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.seats import Seat
from cosserat.solve.floating.explicit import Explicit
from cosserat.solve.floating.implicit import Implicit
from cosserat.solve.floating.state import Drives
from cosserat.solve.floating.steps import Stepper
from cosserat.solve.relative import flexible_recursion
from cosserat.solve.relative.flexible_forces import seat_twist
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.seat_motion import modal_coordinates
from cosserat.solve.relative.tree_constraints import TreeConstraints

Array = NDArray[np.float64]

_NEWTON_TOLERANCE = 1e-9


def new_stepper(
    tree: FlexibleTree,
    drives: Drives,
    constraints: TreeConstraints,
    size: float,
    integrator: str,
    rho: float,
    tolerance: float | None,
) -> Stepper:
    """Steps of the named method; `tolerance`: of the iteration of an implicit one."""
    size = max(size, 1e-3)
    if integrator == "runge-kutta":
        return Explicit(tree, drives, constraints, size)
    return Implicit(tree, drives, constraints, size, rho, _NEWTON_TOLERANCE if tolerance is None else tolerance)


class Extent:
    """How far nodes move (m), turns counted with a length, for small changes of the coordinates."""

    def __init__(self, tree: FlexibleTree, seats: list[Seat], length: float) -> None:
        self._tree, self._seats, self._length = tree, [seat for seat in seats if seat.link >= 0], length

    def __call__(self, q: Array, change: Array) -> float:
        data = self._tree.data
        now = flexible_recursion.motions(data, q, change)
        moves = [seat_twist(now[seat.link], seat, modal_coordinates(data, seat, q)) for seat in self._seats]
        found = np.abs(np.array(moves)).max(axis=0, initial=0.0)
        return float(max(found[:3].max(), self._length * found[3:].max()))
