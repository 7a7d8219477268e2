"""Equilibria of a tree as parameters of its model turn, each found from the nearest known one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cosserat.lie.protocol import Array
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.trajectory import Trajectory
from cosserat.solve.balance.balance import Attempt
from cosserat.solve.balance.knobs import Knobs
from cosserat.solve.balance.sweep import Sweep
from cosserat.solve.formulation import Floating
from cosserat.solve.trees.balance import TreeBalance
from cosserat.solve.trees.parametric import Renewal
from cosserat.solve.trees.point import TreePoint, with_reactions
from cosserat.solve.trees.points import TreePoints
from cosserat.solve.trees.turntable import spin_of_twist

_TOLERANCE = 1e-12  # last correction of positions, relative to the extent of the mechanism
_AT_REST = 1e-6  # part of what is accepted as balanced, below which nothing needs to be solved


class TreeSweep(Sweep):
    """Of floating frames."""

    def __init__(self, knobs: Knobs, ranges: Sequence[Array], time: float, floating: Floating) -> None:
        self._knobs, self._time, self._floating = knobs, time, floating
        with knobs.kept():
            knobs.take([r[0] for r in ranges])
            spans = {name: float(r[-1] - r[0]) for name, r in zip(knobs.names, ranges, strict=True)}
            self._renewal = Renewal(knobs, spans, time, floating)

    def points(self, about: Any) -> TreePoints:
        turns = isinstance(about, Equilibrium)  # it has its own rotation
        spin = spin_of_twist(about.settings.get("spin")) if turns else self._renewal.now().spin
        return TreePoints(self._knobs.model, self._knobs.caller, spin, self._floating)

    def begin(self, point: TreePoint) -> None:
        """Nothing is kept of it."""

    def solved(self, configuration: Trajectory, last: bool) -> TreePoint | None:
        system = self._renewal.now()
        known = system.taken(system.start(self._time), configuration)
        assert known is not None
        state = with_reactions(system, known)
        point = TreePoint(system, state)
        left, _ = point.imbalance()
        if left <= _AT_REST:
            return point
        balance = TreeBalance(system, state)  # states of laws follow, those of the point stay
        if balance.balance(_TOLERANCE * system.compiled.size, limit_first=False) is Attempt.BALANCED:
            return TreePoint(system, balance.now)
        if last and left <= 1.0:  # where it buckles, corrections do not settle, but the state is in balance
            return point
        return None

    def configuration(self, point: TreePoint) -> Trajectory:
        return point.trajectory()
