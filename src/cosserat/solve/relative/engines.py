"""Which engine a tree has, and how a tree is made again.

An engine has the recursions over the links of one model. Its calls of dynamics take vectors (n,) of one state, then
arrays that they write into, all plain: C-contiguous, of doubles, with the right shape. They return 0, or 1 where an
array is not plain or a state not finite; for other objects they may raise a TypeError, ValueError, AttributeError or
IndexError. Its other calls take plain arrays, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cosserat.compile.tree import TreeData
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.trajectory import as_simulated
from cosserat.solve.relative.modal_engine import ModalEngine

if TYPE_CHECKING:
    from cosserat.solve.relative.lane_engine import LaneEngine
    from cosserat.solve.relative.tree import Tree

    Engine = ModalEngine | LaneEngine


def new_engine(model: Model, data: TreeData, general: bool) -> Engine:
    """An engine for the links of a model; `general`: for links with modes, though there may be none."""
    if data.spanning.loops:
        from cosserat.solve.relative.closed_engine import ClosedEngine  # imports SciPy's linear algebra

        return ClosedEngine(model, data)
    if general or data.modal_bodies or model.state_loads:  # laws of users: lanes do not know them
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
