"""A tree whose parameters turn: made anew as far as they change it, and its balance as a function of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cosserat.errors import SolveError
from cosserat.kernels.arrays import History
from cosserat.lie.protocol import Array
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.trajectory import Trajectory
from cosserat.solve.balance.balance import Attempt, State
from cosserat.solve.balance.knobs import Knobs
from cosserat.solve.balance.parametric import RELATIVE_STEP, Parametric, bends
from cosserat.solve.balance.points import Sweep
from cosserat.solve.formulation import Floating
from cosserat.solve.trees.balance import TreeBalance, tree_balance_at
from cosserat.solve.trees.point import TreePoint, with_reactions
from cosserat.solve.trees.points import TreePoints
from cosserat.solve.trees.system import TreeState, TreeSystem
from cosserat.solve.trees.turntable import Spin, spin_of

INPUTS, LINKS, ALL = range(3)  # what a parameter changes: loads and motions, what links are like, elastic bodies
_PROBES, _PROBED = 3, 0.05  # states at which equations are compared, and by how much they are apart
_SAME = 1e-12  # relative difference of equations that rounding makes
_TOLERANCE = 1e-12  # last correction of positions, relative to the extent of the mechanism
_AT_REST = 1e-6  # part of what is accepted as balanced, below which nothing needs to be solved


class Renewal:
    """Systems of a model at the present values of parameters, with as little work as these need.

    Parameters
    ----------
    spans : by parameter, the change that is typical of it
        From the present value on.

    Attributes
    ----------
    spin : Spin or None
        The rotation that the parameters make, somewhere in their spans; its axis serves at rest, too.
    linear, relevant : dict of bool
        By parameter: whether the balance at rest is linear in it, and whether it depends on it.
    """

    def __init__(self, knobs: Knobs, spans: Mapping[str, float], time: float, floating: Floating) -> None:
        self._knobs, self._time, self._floating = knobs, time, floating
        self.spin = self._any_spin(spans)
        self.linear: dict[str, bool] = {}
        self.relevant: dict[str, bool] = {}
        self._level = INPUTS
        self.system = TreeSystem(knobs.model, floating, knobs.caller, spin=self._spin())
        base = knobs.values
        for name, span in spans.items():
            self._examine(name, base[name], span)
            knobs.turn({name: base[name]})

    def _any_spin(self, spans: Mapping[str, float]) -> Spin | None:
        found, base = spin_of(self._knobs.spin, self._knobs.center), self._knobs.values
        for name, span in spans.items():
            if found is None:
                self._knobs.turn({name: base[name] + span})
                found = spin_of(self._knobs.spin, self._knobs.center)
                self._knobs.turn({name: base[name]})
        return found

    def _spin(self) -> Spin | None:
        return spin_of(self._knobs.spin, self._knobs.center, self.spin)

    def _examine(self, name: str, base: float, span: float) -> None:
        """Compare equations of systems made anew with those of one that only takes new inputs.

        What balance depends on is judged at rest, what must be made anew in motion, where masses and dampers count.
        """
        here, values = self.system.anew(spin=self._spin()), []  # modes that are found again differ in their last digits
        for part in (0.0, 0.381966, 1.0):
            self._knobs.turn({name: base + part * span})
            self._knobs.check()
            fresh = here if part == 0.0 else self.system.anew(spin=self._spin())
            values.append(self._equations(fresh))
            moving = self._equations(fresh, moving=True)
            for level in (INPUTS, LINKS):
                if level >= self._level and part > 0.0:
                    again = self._turned(here) if level == INPUTS else here.anew(again=True, spin=self._spin())
                    if not _alike(moving, self._equations(again, moving=True)):
                        self._level = level + 1
        start, between, end = values
        self.relevant[name] = not (_alike(start, between) and _alike(start, end))
        self.linear[name] = self._level == INPUTS and _alike(start + 0.381966 * (end - start), between)

    def _turned(self, system: TreeSystem) -> TreeSystem:
        spin = self._spin()
        return system if spin is None or spin.same(system.spin) else system.anew(again=True, spin=spin)

    def _equations(self, system: TreeSystem, moving: bool = False) -> Array:
        """Residuals at a few states at rest, or in steady rotation; or moving beside that, and accelerated."""
        if system.tree.coordinates != self.system.tree.coordinates:
            raise SolveError(
                f"parameters {', '.join(map(repr, self._knobs.names))}: they change the coordinates of the tree, and "
                "cannot be varied continuously"
            )
        random = np.random.default_rng(3)
        reach = _PROBED / self.system.sizes(self.system.tree.neutral())
        system.load(self._time)
        out = []
        for _ in range(_PROBES):
            q = system.moved(system.tree.neutral(), reach * random.normal(size=system.n))
            force, angles = random.normal(size=system.n_rows), np.zeros(len(system.constraints.tracked))
            v, a = moving * reach * random.normal(size=(2, system.n))
            state = TreeState(q, system.turning + v, a, force, angles, self._time)
            r, value, _ = system.residual(state)
            out += [r, value]
        return np.concatenate(out)

    @property
    def inputs_only(self) -> bool:
        """Whether nothing is made anew but the inputs."""
        return self._level == INPUTS and self.spin is None

    def now(self) -> TreeSystem:
        """The system at the present values, with the inputs of its time."""
        if self._level == INPUTS:
            self.system = self._turned(self.system)
        else:
            self.system = self.system.anew(again=self._level == LINKS, spin=self._spin())
        self.system.load(self._time)
        return self.system


def _alike(a: Array, b: Array) -> bool:
    return bool(np.max(np.abs(a - b), initial=0.0) <= _SAME * max(np.max(np.abs(a), initial=0.0), 1e-300))


class TreeParametric(Parametric):
    """Balance of a tree as a function of parameters."""

    statics: TreeBalance

    def __init__(
        self, floating: Floating, knobs: Knobs, start: Equilibrium | None, time: float, spans: Mapping[str, float]
    ) -> None:
        super().__init__(knobs, time)
        base = knobs.values
        self._renewal = Renewal(knobs, spans, time, floating)
        self.inputs_only = self._renewal.inputs_only
        for name, span in spans.items():
            if not self._renewal.relevant[name]:
                raise self.irrelevant(name, set())
            linear = self._renewal.linear[name] and not bends(knobs.model)
            step = RELATIVE_STEP * max(abs(span), abs(base[name]))
            self._differences[name] = abs(span) if linear else step
        self.statics = tree_balance_at(knobs.model, time, start, self._renewal.now().spin, floating, knobs.caller)
        self.turn(base)

    def turn(self, values: Mapping[str, float]) -> None:
        self.knobs.turn(values)
        self.statics.take(self._renewal.now())

    def stored(self, name: str, states: Sequence[tuple[State, float]]) -> tuple[History | None, list[Equilibrium]]:
        found = []
        for state, value in states:
            self.turn({name: value})
            known: dict[str, Any] = dict(self.knobs.model.parameters)
            found.append(self.found(state, parameters=known))
        return None, found


class TreeSweep(Sweep):
    """Of floating frames."""

    def __init__(
        self, floating: Floating, knobs: Knobs, ranges: Sequence[Array], time: float, described: bool
    ) -> None:
        self._knobs, self._time, self._floating = knobs, time, floating
        with knobs.kept():
            knobs.take([r[0] for r in ranges])
            spans = {name: float(r[-1] - r[0]) for name, r in zip(knobs.names, ranges, strict=True)}
            self._renewal = Renewal(knobs, spans, time, floating)

    def points(self) -> TreePoints:
        return TreePoints(self._knobs.model, self._knobs.caller, self._renewal.now().spin, self._floating)

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
        if balance.balance(_TOLERANCE * system.compiled.size, limit_first=not last, stay=True) is Attempt.BALANCED:
            return TreePoint(system, balance.now)
        if last and left <= 1.0:  # where it buckles, corrections do not settle, but the state is in balance
            return point
        return None

    def configuration(self, point: TreePoint) -> Trajectory:
        return point.trajectory()
