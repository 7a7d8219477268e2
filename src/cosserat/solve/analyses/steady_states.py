"""Equilibria and steady rotations of a model as its parameters turn, each found from the nearest known one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.solve.analyses.equilibrium import equilibrium
from cosserat.solve.analyses.formulations import formulation_of
from cosserat.solve.analyses.points import point_of
from cosserat.solve.arguments import check_state
from cosserat.solve.balance.knobs import Knobs

_HALVINGS = 6


class SteadyStates:
    """States about which `stability`, `stability_map` and `campbell` linearise, each found from the nearest known one.

    Attributes
    ----------
    knobs : Knobs
        The parameters, turned at will; who asks for states keeps their old values.
    """

    def __init__(
        self, caller: str, model: Model, names: Sequence[Any], ranges: Sequence[Array], *, about: Any, time: float,
        spin: Any, center: Any, formulation: Any,
    ) -> None:  # fmt: skip
        check_state(caller, model, time, spin, center)
        frames, knobs = formulation_of(formulation, model, caller), Knobs(model, names, spin, center, caller)
        known = isinstance(about, Equilibrium) or (isinstance(about, str) and about in ("reference", "motion"))
        if about is not None and not known:
            raise SolveError(
                f"{caller}: about={about!r} is not understood; pass the Equilibrium to start from, 'reference', "
                "'motion' or None"
            )
        if isinstance(about, Equilibrium) and about.settings.get("spin") is not None and knobs.spin is None:
            raise SolveError(f"{caller}: the equilibrium given as about turns; pass its spin and center too")
        self.knobs, self._about, self._time, self._floating = knobs, about, time, frames.floating
        self._spans = np.array([np.ptp(r) for r in ranges])
        self._described = isinstance(about, str) and about == "motion"  # of the initial velocities
        self._known: list[tuple[Array, Any]] = []  # values, and the configuration there
        self._sweep = frames.sweep(knobs, ranges, time, self._described)

    def at(self, *values: float) -> Any:
        """The state for given values; its memory may be used again at the next call.

        Raises
        ------
        SolveError
            If there is none near the nearest one known; the message says at which value.
        """
        target = np.array(values, dtype=float)
        if self._described or not self._known:
            self.knobs.take(target)
            point = self._first(target)
        else:
            nearest = min(self._known, key=lambda known: float(np.sum(((known[0] - target) / self._spans) ** 2)))
            point = self._follow(nearest, target, _HALVINGS)
        self._known.append((target, self._sweep.configuration(point)))
        return point

    def _first(self, values: Array) -> Any:
        """The state that is not found from another one."""
        try:
            about = self._about
            if isinstance(about, Equilibrium):
                rotation = {"spin": self.knobs.spin, "center": self.knobs.center}
                about = equilibrium(
                    self.knobs.model, time=self._time, start=about, formulation=self._floating, **rotation
                )
            point = point_of(self._sweep.points(), about, self._time)
        except SolveError as error:
            raise SolveError(f"{error} (at {self.knobs.text(values)})") from None
        self._sweep.begin(point)
        return point

    def _follow(self, known: tuple[Array, Any], target: Array, halvings: int) -> Any:
        """Solve at the target from a known state, in smaller steps if need be."""
        self.knobs.take(target)
        point = self._sweep.solved(known[1], last=halvings == 0)
        if point is not None:
            return point
        if halvings == 0:
            raise SolveError(
                f"{self.knobs.caller}: no equilibrium at {self.knobs.text(target)} was found from the one at "
                f"{self.knobs.text(known[0])}; pass values up to there, or follow the path with cs.continuation, "
                "which passes limit points"
            )
        middle = 0.5 * (known[0] + target)
        half = self._follow(known, middle, halvings - 1)
        return self._follow((middle, self._sweep.configuration(half)), target, halvings - 1)
