"""A tree in floating frames as the formulation of analyses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.solve.analyses.formulations import Formulation
from cosserat.solve.balance.balance import Balance
from cosserat.solve.balance.knobs import Knobs
from cosserat.solve.balance.parametric import Parametric
from cosserat.solve.balance.points import Points
from cosserat.solve.balance.sweep import Sweep
from cosserat.solve.formulation import Floating
from cosserat.solve.trees.balance import tree_balance_at
from cosserat.solve.trees.parametric import TreeParametric, TreeSweep
from cosserat.solve.trees.points import TreePoints
from cosserat.solve.trees.turntable import spin_of, spin_of_twist


class FloatingFrames(Formulation):
    """Relative coordinates of a tree, and modes."""

    def __init__(self, floating: Floating) -> None:
        self.floating: Floating = floating

    def balance(
        self, model: Model, time: float, start: Equilibrium | None, spin: Any, center: Any, caller: str
    ) -> Balance:
        return tree_balance_at(model, time, start, spin_of(spin, center), self.floating, caller)

    def parametric(
        self, knobs: Knobs, start: Equilibrium | None, time: float, spans: Mapping[str, float]
    ) -> Parametric:
        return TreeParametric(knobs, start, time, spans, self.floating)

    def points(self, model: Model, caller: str, spin: Any, center: Any, about: Any) -> Points:
        turns = spin_of_twist(about.settings.get("spin")) if isinstance(about, Equilibrium) else spin_of(spin, center)
        return TreePoints(model, caller, turns, self.floating)

    def sweep(self, knobs: Knobs, ranges: Sequence[Array], time: float, described: bool) -> Sweep:
        return TreeSweep(knobs, ranges, time, self.floating)
