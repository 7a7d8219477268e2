"""States on both sides of times at which loads jump, for integrals of powers over time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.rules import rule_rows
from cosserat.compile.state_loads import carried_inertias, state_wrenches
from cosserat.kernels.arrays import History, Inputs
from cosserat.lie.protocol import Array
from cosserat.results.mechanism import mechanism_of
from cosserat.results.monitors import Monitors
from cosserat.results.motion import Motion, prescribed_at
from cosserat.results.trajectory import Crossed
from cosserat.solve.motion.switching import Phases

Row = tuple[Array, ...]
Find = Callable[[Array, Row, frozenset[str]], Array]
NOTHING = Crossed(np.zeros(0), np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))


class Jump(NamedTuple):
    """A jump at a time: times (2,) just before and after, and what is stored of the states there."""

    t: float
    sides: Array
    before: Row
    after: Row


def crossed_powers(jumps: Sequence[Jump], find: Find, phases: Phases | None) -> Crossed:
    """Powers on both sides of jumps.

    `find` gives loss, supply, kinetic, strain and potential energy (nb, 5) at times and states while some joints are
    open: those of `phases`.
    """
    if not jumps:
        return NOTHING
    times, sides, *states = zip(*jumps, strict=True)
    found = []
    differ = any(a is not b for a, b in zip(*states, strict=True))  # not in parts of a first step
    for k in range(1 + differ):
        at, here = np.array(sides)[:, k], tuple(np.stack(values) for values in zip(*states[k], strict=True))
        if phases is None:
            found.append(find(at, here, frozenset()))
        else:
            one = [slice(i, i + 1) for i in range(len(at))]
            each = [find(at[i], tuple(x[i] for x in here), phases.at(float(at[i][0]))) for i in one]
            found.append(np.concatenate(each))
    before, after = found[0], found[-1]
    return Crossed(np.array(times), before[:, :2], after[:, :2], (after[:, 2:] - before[:, 2:]).sum(axis=1))


def nodal_powers(
    compiled: CompiledModel, settings: dict[str, Any], times: Array, states: Row, open: Collection[str]
) -> Array:
    """Loss, supply, kinetic, strain and potential energy (nt, 5) at states of nodes, with some joints open."""
    history = History(*states)

    def sample() -> tuple[Inputs, dict[str, Array]]:
        inputs = compiled.sampler.sample(times)
        inputs.state[:] = state_wrenches(compiled, times, history.frame, history.twist, history.inner)
        inputs.carried[:] = carried_inertias(compiled, times, history.frame, history.twist)
        inputs.rule[:] = rule_rows(compiled, times, history.frame, history.twist)
        return inputs, prescribed_at(compiled, times)

    monitors = Monitors(Motion(mechanism_of(compiled).opened(open), times, history, settings, sample))
    book = monitors.book
    return np.stack((book.loss, book.supply, monitors.kinetic(), book.strain, book.potential), axis=1)
