"""What analyses ask of a formulation: nodes of the Galilean one, or a tree in floating frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.solve.balance.balance import Balance
from cosserat.solve.balance.knobs import Knobs
from cosserat.solve.balance.parametric import NodalParametric, Parametric
from cosserat.solve.balance.points import NodalPoints, Points
from cosserat.solve.balance.statics import statics_at
from cosserat.solve.balance.sweep import NodalSweep, Sweep
from cosserat.solve.formulation import Floating, floating_of


class Formulation(ABC):
    """Equations of a model in one of the formulations.

    Attributes
    ----------
    floating : Floating or None
        The floating frames, if it has any: what `equilibrium` takes as its formulation.
    """

    floating: Floating | None = None

    @abstractmethod
    def balance(
        self, model: Model, time: float, start: Equilibrium | None, spin: Any, center: Any, caller: str
    ) -> Balance:
        """Equations of balance, in a known equilibrium or in the reference configuration."""

    @abstractmethod
    def parametric(
        self, knobs: Knobs, start: Equilibrium | None, time: float, spans: Mapping[str, float]
    ) -> Parametric:
        """Equations of balance whose parameters change by typical spans."""

    @abstractmethod
    def points(self, model: Model, caller: str, spin: Any, center: Any, about: Any) -> Points:
        """States about which to linearise; an equilibrium given as `about` brings its own rotation."""

    @abstractmethod
    def sweep(self, knobs: Knobs, ranges: Sequence[Array], time: float, described: bool) -> Sweep:
        """States along parameters that take values in ranges; `described`: of the motion that the model describes."""


class Galilean(Formulation):
    """Absolute frames of nodes."""

    def balance(
        self, model: Model, time: float, start: Equilibrium | None, spin: Any, center: Any, caller: str
    ) -> Balance:
        return statics_at(model, time, start, spin, center)

    def parametric(
        self, knobs: Knobs, start: Equilibrium | None, time: float, spans: Mapping[str, float]
    ) -> Parametric:
        return NodalParametric(knobs, start, time, spans)

    def points(self, model: Model, caller: str, spin: Any, center: Any, about: Any) -> Points:
        return NodalPoints(model, caller, spin, center)

    def sweep(self, knobs: Knobs, ranges: Sequence[Array], time: float, described: bool) -> Sweep:
        return NodalSweep(knobs, ranges, time, described)


def formulation_of(asked: Any, model: Model, caller: str) -> Formulation:
    """The formulation that is asked for, or that the model needs."""
    floating = floating_of(asked, model, caller)
    if floating is None:
        return Galilean()
    from cosserat.solve.analyses.floating_frames import FloatingFrames  # most analyses do without trees

    return FloatingFrames(floating)
