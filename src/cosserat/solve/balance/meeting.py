"""Newton's method on balance and demands together, for a configuration and for the parameters that let it be."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from cosserat.errors import ModelError
from cosserat.lie.protocol import Array
from cosserat.solve.balance.parametric import Parametric

_MAX_ITERATIONS = 100
_TYPICAL = 1e-3  # size of a parameter that is zero at first
_LEAST = 1e-3  # of a correction: parameters that the model takes only in smaller parts of it are refused

Bounds = Mapping[str, tuple[float, float]]


def meet(
    balance: Parametric, correction: Callable[[list[str], Array], Array], reach: Callable[[Array], float],
    tolerance: float, bounds: Bounds,
) -> tuple[bool, list[str]]:  # fmt: skip
    """Move configuration and parameters to where corrections vanish: whether they do, and what is at its bounds.

    `correction` gives, for names of parameters and a residual, increments of the configuration, multipliers and changes
    of these parameters; `reach` how often increments may be taken at once. A parameter that would leave its bounds
    stays there.
    """
    statics, knobs, fixed = balance.statics, balance.knobs, list[str]()
    typical = {name: abs(value) or _TYPICAL for name, value in knobs.values.items()}
    rhs = statics.residual()
    for iteration in range(_MAX_ITERATIONS):
        names = [name for name in knobs.names if name not in fixed]
        found = correction(names, rhs)
        if not np.all(np.isfinite(found)):
            break
        step, change = found[: rhs.size], found[rhs.size :]
        largest = max((abs(knobs.values[name]) for name in names), default=0.0)
        settled = np.all(np.abs(change) <= tolerance * np.maximum(largest, [typical[name] for name in names]))
        fraction = _turn(balance, dict(zip(names, change, strict=True)), min(1.0, reach(step)), bounds, fixed)
        before = statics.state()
        statics.apply(before, step, fraction)
        rhs = statics.residual()
        if fraction == 1.0 and settled and statics.size_of(step) <= tolerance * statics.extent:
            return True, fixed
        rhs = statics.predicted(before, iteration == 0)
    return False, fixed


def _turn(
    balance: Parametric, change: Mapping[str, float], fraction: float, bounds: Bounds, fixed_out: list[str]
) -> float:
    """Change parameters by a fraction that the model can take, within bounds; returns it."""
    values = balance.knobs.values
    while True:
        wanted = {name: values[name] + fraction * more for name, more in change.items()}
        within = {name: min(max(wanted[name], low), high) for name, (low, high) in bounds.items() if name in wanted}
        try:
            balance.turn(wanted | within)
            balance.knobs.check()
        except ModelError:
            fraction *= 0.5
            if fraction < _LEAST:
                raise
            continue
        fixed_out += [name for name, value in within.items() if value != wanted[name]]
        return fraction
