"""Balance of a tree at its start: the reference configuration, or a known equilibrium."""

from __future__ import annotations

from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.solve.arguments import demand_no_rolling
from cosserat.solve.trees.balance import TreeBalance
from cosserat.solve.trees.formulation import Floating
from cosserat.solve.trees.point import with_reactions
from cosserat.solve.trees.system import TreeSystem
from cosserat.solve.trees.turntable import Spin


def tree_balance_at(
    model: Model, time: float, start: Equilibrium | None, spin: Spin | None, floating: Floating, caller: str
) -> TreeBalance:
    """Equations of balance of a model in floating frames."""
    system = TreeSystem(model, floating, caller, spin=spin)
    if spin is not None:
        demand_no_rolling(model, caller)
    state = system.start(time)
    if start is not None:
        known = system.taken(state, start.trajectory.floating)
        state = with_reactions(system, system.start(time, start)._replace(t=time) if known is None else known)
    return TreeBalance(system, state)
