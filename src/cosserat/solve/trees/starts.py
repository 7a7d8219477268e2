"""Balance of a tree at its start: the reference configuration, or a known equilibrium."""

from __future__ import annotations

from typing import Any

from cosserat.errors import SolveError
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.solve.trees.balance import TreeBalance
from cosserat.solve.trees.formulation import Floating
from cosserat.solve.trees.points import with_reactions
from cosserat.solve.trees.system import TreeSystem


def tree_balance_at(
    model: Model, time: float, start: Equilibrium | None, spin: Any, floating: Floating, caller: str
) -> TreeBalance:
    """Equations of balance of a model in floating frames."""
    if spin is not None:
        raise SolveError(
            f"{caller}: spin turns the mechanism together with its ground, which floating frames do not know; use the "
            "Galilean formulation"
        )
    system = TreeSystem(model, floating, caller)
    state = system.start(time)
    if start is not None:
        record = start.trajectory.floating
        if record is not None and tuple(record.coordinates) == system.tree.coordinates:
            state = with_reactions(system, state._replace(q=record.q[-1].copy()))
        else:
            state = with_reactions(system, system.start(time, start)._replace(t=time))
    return TreeBalance(system, state)
