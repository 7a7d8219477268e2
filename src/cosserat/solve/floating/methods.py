"""Which steps an integrator takes in floating frames, and how far a change of coordinates moves the mechanism."""

from __future__ import annotations

from cosserat.lie.protocol import Array
from cosserat.solve.floating.engine import Engine
from cosserat.solve.floating.explicit import Explicit
from cosserat.solve.floating.implicit import Implicit
from cosserat.solve.floating.outside import Outside
from cosserat.solve.floating.state import Drives
from cosserat.solve.floating.steps import Stepper
from cosserat.solve.motion.method import Method
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.tree_constraints import TreeConstraints

_NEWTON_TOLERANCE = 1e-9


def new_stepper(
    tree: FlexibleTree,
    drives: Drives,
    constraints: TreeConstraints,
    size: float,
    integrator: str | Method,
    rho: float,
    tolerance: float | None,
    adaptive: bool = False,
) -> Stepper:
    """Steps of the named method, or of one of the user's own; `tolerance`: of the iteration of an implicit one."""
    if isinstance(integrator, Method):
        return Outside(tree, drives, constraints, size, integrator)
    if integrator == "runge-kutta":
        return Explicit(tree, drives, constraints, size, adaptive)
    return Implicit(tree, drives, constraints, size, rho, _NEWTON_TOLERANCE if tolerance is None else tolerance)


class Extent:
    """How far nodes move (m), turns counted with a length, for small changes of the coordinates."""

    def __init__(self, engine: Engine, length: float) -> None:
        self._engine, self._length = engine, length

    def __call__(self, q: Array, change: Array) -> float:
        moved, turned = self._engine.extent(q, change)
        return max(moved, self._length * turned)
