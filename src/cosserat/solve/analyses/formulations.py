"""What analyses ask of a formulation: nodes of the Galilean one, or a tree in floating frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.solve.balance.balance import Balance
from cosserat.solve.balance.knobs import Knobs
from cosserat.solve.balance.parametric import NodalParametric, Parametric
from cosserat.solve.balance.points import NodalPoints, NodalSweep, Points, Sweep
from cosserat.solve.balance.statics import statics_at
from cosserat.solve.formulation import Floating, floating_of


@dataclass(frozen=True)
class Formulation:
    """Equations of a model in one of the formulations.

    Attributes
    ----------
    floating : Floating or None
        The floating frames, if it has any: what `equilibrium` takes as its formulation.
    balance : callable
        Of a model, time, start, spin, center and caller: equations of balance, in a known equilibrium or in the
        reference configuration.
    parametric : callable
        Of knobs, start, time and spans: equations of balance whose parameters change by typical spans.
    points : callable
        Of a model, caller, spin and center: states about which to linearise.
    sweep : callable
        Of knobs, ranges, time and `described`: states along parameters that take values in ranges; `described`: of
        the motion that the model describes.
    """

    floating: Floating | None
    balance: Callable[[Model, float, Equilibrium | None, Any, Any, str], Balance]
    parametric: Callable[[Knobs, Equilibrium | None, float, Mapping[str, float]], Parametric]
    points: Callable[[Model, str, Any, Any], Points]
    sweep: Callable[[Knobs, Sequence[Array], float, bool], Sweep]


def formulation_of(asked: Any, model: Model, caller: str) -> Formulation:
    """The formulation that is asked for, or that the model needs."""
    floating = floating_of(asked, model, caller)
    if floating is None:
        return Formulation(None, statics_at, NodalParametric, NodalPoints, NodalSweep)
    from cosserat.solve.trees.balance import tree_balance_at
    from cosserat.solve.trees.parametric import TreeParametric, TreeSweep
    from cosserat.solve.trees.points import TreePoints
    from cosserat.solve.trees.turntable import spin_of  # most analyses do without trees

    return Formulation(
        floating,
        lambda model, time, start, spin, center, caller: tree_balance_at(
            model, time, start, spin_of(spin, center), floating, caller
        ),
        partial(TreeParametric, floating),
        lambda model, caller, spin, center: TreePoints(model, caller, spin_of(spin, center), floating),
        partial(TreeSweep, floating),
    )
