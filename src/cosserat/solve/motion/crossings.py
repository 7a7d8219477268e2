"""States on both sides of times at which loads jump, for integrals of powers over time."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Generic, TypeVar

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.rules import rule_rows
from cosserat.compile.state_loads import carried_inertias, state_wrenches
from cosserat.kernels.arrays import History, Inputs, State
from cosserat.lie.protocol import Array
from cosserat.results.mechanism import mechanism_of
from cosserat.results.monitors import Monitors
from cosserat.results.motion import Motion
from cosserat.results.trajectory import Crossed
from cosserat.solve.motion.switching import Phases

Row = tuple[Array, ...]
Now = TypeVar("Now")
Find = Callable[[Array, list[Now], frozenset[str]], Array]
NOTHING = Crossed(np.zeros(0), np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))


def snapshot(state: State) -> Row:
    """A row of a history: frames, twists, rates, multipliers, angles, states of laws."""
    known = state.frame, state.twist, state.rate, state.force, state.angle, state.inner[0]
    return tuple(a.copy() for a in known)


class Crossings(Generic[Now]):
    """States before and after jumps, of whatever kind a formulation has."""

    def __init__(self) -> None:
        self.kept: list[tuple[float, Array, Now, Now]] = []

    def add(self, t: float, sides: Array, before: Now, after: Now) -> None:
        """Remember both; `sides` are the times (2,) just before and after."""
        self.kept.append((t, sides, before, after))

    def powers(self, find: Find[Now], phases: Phases | None = None) -> Crossed:
        """Powers on both sides; `find` gives loss, supply, kinetic, strain and potential energy (nb, 5) at times and
        states while some joints are open: those of `phases`.
        """
        if not self.kept:
            return NOTHING
        times, sides, *states = zip(*self.kept, strict=True)
        found = []
        for k in (0, 1):
            at, here = np.array(sides)[:, k], list(states[k])
            if phases is None:
                found.append(find(at, here, frozenset()))
            else:
                each = (find(at[i : i + 1], here[i : i + 1], phases.at(float(t))) for i, t in enumerate(at))
                found.append(np.concatenate(list(each)))
        before, after = found
        return Crossed(np.array(times), before[:, :2], after[:, :2], (after[:, 2:] - before[:, 2:]).sum(axis=1))


def nodal_powers(
    compiled: CompiledModel, settings: dict[str, Any], times: Array, rows: list[Row], open: Collection[str]
) -> Array:
    """Loss, supply, kinetic, strain and potential energy (nt, 5) at states of nodes, with some joints open."""
    history = History(*(np.stack([row[k] for row in rows]) for k in range(6)))

    def sample() -> tuple[Inputs, dict[str, Array]]:
        inputs = compiled.sampler.sample(times)
        inputs.state[:] = state_wrenches(compiled, times, history.frame, history.twist, history.inner)
        inputs.carried[:] = carried_inertias(compiled, times, history.frame, history.twist)
        inputs.rule[:] = rule_rows(compiled, times, history.frame, history.twist)
        return inputs, {}

    monitors = Monitors(Motion(mechanism_of(compiled).opened(open), times, history, settings, sample))
    book = monitors.book
    return np.stack((book.loss, book.supply, monitors.kinetic(), book.strain, book.potential), axis=1)
