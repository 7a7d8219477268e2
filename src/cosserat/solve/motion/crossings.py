"""States on both sides of times at which loads jump, for integrals of powers over time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.rules import rule_rows
from cosserat.compile.state_loads import state_wrenches
from cosserat.kernels.arrays import History, Inputs, State
from cosserat.results.mechanism import mechanism_of
from cosserat.results.monitors import Monitors
from cosserat.results.motion import Motion
from cosserat.results.trajectory import Crossed

Array = NDArray[np.float64]
Row = tuple[Array, ...]
NOTHING = Crossed(np.zeros(0), np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))


def snapshot(state: State) -> Row:
    """A row of a history: frames, twists, rates, multipliers, angles, states of laws."""
    known = state.frame, state.twist, state.rate, state.force, state.angle, state.inner[0]
    return tuple(a.copy() for a in known)


class Crossings:
    """States before and after jumps."""

    def __init__(self) -> None:
        self.kept: list[tuple[float, Array, Row, Row]] = []

    def add(self, t: float, sides: Array, before: Row, after: Row) -> None:
        """Remember both; `sides` are the times (2,) just before and after."""
        self.kept.append((t, sides, before, after))

    def powers(self, compiled: CompiledModel, settings: dict[str, Any]) -> Crossed:
        """Powers on both sides."""
        if not self.kept:
            return NOTHING
        sides = np.array([kept[1] for kept in self.kept])
        found = []
        for side in (0, 1):
            rows = [before if side == 0 else after for _, _, before, after in self.kept]
            history = History(*(np.stack([row[k] for row in rows]) for k in range(6)))
            found.append(_powers(compiled, sides[:, side], history, settings))
        return crossed_of([kept[0] for kept in self.kept], *found)


def crossed_of(times: list[float], before: Array, after: Array) -> Crossed:
    """Jumps at given times with loss, supply and kinetic energy (nb, 3) on both sides."""
    return Crossed(np.array(times), before[:, :2], after[:, :2], after[:, 2] - before[:, 2])


def _powers(compiled: CompiledModel, times: Array, history: History, settings: dict[str, Any]) -> Array:
    """Loss, supply and kinetic energy (nt, 3) at states."""

    def sample() -> tuple[Inputs, dict[str, Array]]:
        inputs = compiled.sampler.sample(times)
        inputs.state[:] = state_wrenches(compiled, times, history.frame, history.twist, history.inner)
        inputs.rule[:] = rule_rows(compiled, times, history.frame, history.twist)
        return inputs, {}

    monitors = Monitors(Motion(mechanism_of(compiled), times, history, settings, sample))
    return np.stack((monitors.book.loss, monitors.book.supply, monitors.kinetic()), axis=1)
