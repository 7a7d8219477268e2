"""Equilibria of a tree as parameters of its model turn, each found from the nearest known one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import CosseratError, ParameterError, SolveError
from cosserat.results.equilibrium import Equilibrium
from cosserat.solve.balance.balance import Attempt
from cosserat.solve.balance.equilibrium import equilibrium
from cosserat.solve.balance.knobs import Knobs
from cosserat.solve.trees.balance import TreeBalance
from cosserat.solve.trees.formulation import Floating
from cosserat.solve.trees.parametric import Renewal
from cosserat.solve.trees.point import TreePoint, unbalanced, with_reactions
from cosserat.solve.trees.points import tree_point

Array = NDArray[np.float64]

_TOLERANCE = 1e-12  # last correction of positions, relative to the extent of the mechanism
_AT_REST = 1e-6  # part of what is accepted as balanced, below which nothing needs to be solved
_HALVINGS = 6


class _Known(NamedTuple):
    values: Array
    q: Array


class TreeStates:
    """The states about which `stability` linearises in floating frames; as `SteadyStates`."""

    def __init__(
        self, knobs: Knobs, ranges: Sequence[Array], *, about: Any, time: float, caller: str, floating: Floating
    ) -> None:
        self._knobs = knobs
        self._about, self._time, self._caller, self._floating = about, time, caller, floating
        self.names = self._knobs.names
        self._spans = np.array([np.ptp(r) for r in ranges])
        self._known: list[_Known] = []
        with knobs.kept():
            self._turn(np.array([r[0] for r in ranges]))
            spans = {name: float(r[-1] - r[0]) for name, r in zip(self.names, ranges, strict=True)}
            self._renewal = Renewal(knobs, spans, time, floating)

    @contextmanager
    def walk(self) -> Iterator[None]:
        """Inside, parameters are turned at will; afterwards they have their old values."""
        with self._knobs.kept():
            yield

    def at(self, *values: float) -> TreePoint:
        """The state for given values."""
        target = np.array(values, dtype=float)
        self._turn(target)
        if not self._known or (isinstance(self._about, str) and self._about == "motion"):
            point = self._first(target)
        else:
            nearest = min(self._known, key=lambda k: float(np.sum(((k.values - target) / self._spans) ** 2)))
            point = self._follow(nearest, target, _HALVINGS)
        self._known.append(_Known(target, point.state.q))
        return point

    def _turn(self, values: Array) -> None:
        self._knobs.turn(dict(zip(self.names, values.tolist(), strict=True)))
        try:
            self._knobs.check()
        except CosseratError as error:
            raise ParameterError(f"{self._caller}: with {self._text(values)}: {error}") from None

    def _text(self, values: Array) -> str:
        return ", ".join(f"{n} = {v:.10g}" for n, v in zip(self.names, values, strict=True))

    def _first(self, values: Array) -> TreePoint:
        knobs, about = self._knobs, self._about
        try:
            spin = self._renewal.now().spin
            if isinstance(about, Equilibrium):
                rotation = {"spin": knobs.spin, "center": knobs.center}
                found = equilibrium(knobs.model, time=self._time, start=about, formulation=self._floating, **rotation)
                return tree_point(knobs.model, found, self._time, None, self._caller, self._floating)
            return tree_point(knobs.model, about, self._time, spin, self._caller, self._floating)
        except SolveError as error:
            raise SolveError(f"{error} (at {self._text(values)})") from None

    def _follow(self, known: _Known, target: Array, halvings: int) -> TreePoint:
        """Solve at the target from a known state, in smaller steps if need be."""
        self._turn(target)
        system = self._renewal.now()
        start = system.start(self._time)
        state = with_reactions(system, start._replace(q=known.q))
        point = TreePoint(system, state)
        if unbalanced(point) <= _AT_REST:
            return point
        balance = TreeBalance(system, state)  # states of laws follow, those of the point stay
        if balance.balance(_TOLERANCE * system.compiled.size, limit_first=False) is Attempt.BALANCED:
            return TreePoint(system, balance.now)
        if halvings == 0:
            raise SolveError(
                f"{self._caller}: no equilibrium at {self._text(target)} was found from the one at "
                f"{self._text(known.values)}; pass values up to there, or follow the path with cs.continuation, which "
                "passes limit points"
            )
        middle = 0.5 * (known.values + target)
        half = self._follow(known, middle, halvings - 1)
        return self._follow(_Known(middle, half.state.q), target, halvings - 1)
