"""Pictures of one model in two formulations."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.errors import SolveError
from cosserat.results.comparison import asked, demand_quantity
from cosserat.results.quantities import JOINT, LINE, questions
from cosserat.view.plot import finish, new_figure, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cosserat.results.comparison import Comparison


def plot_comparison(
    comparison: Comparison, targets: tuple[Any, ...], quantity: str, ax: Any, path: str | Path | None
) -> Figure:
    """Both runs over time, the floating one dashed on top, and the size of their difference below."""
    demand_quantity(quantity, "plot")
    targets = targets or _default(comparison, quantity)
    if not targets:
        raise SolveError(f"plot: the model has nothing whose {quantity} could be drawn")
    title = f"{comparison.galilean.motion.mechanism.name}: Galilean and floating frames"
    if ax is not None:
        _differences(comparison, targets, quantity, ax)
        return finish(ax.figure, ax, title, path)
    figure = new_figure(7.5, 5.5)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    colours = count()
    for target in targets:
        one, two = (asked(run, quantity, target) for run in (comparison.galilean, comparison.floating))
        parts = [""] if one.ndim == 1 else [f"  {part}" for part in one[one.dims[1]].values]
        for k, part in enumerate(parts):
            colour = f"C{next(colours) % 10}"
            y_one, y_two = (data.values.reshape(len(data), -1)[:, k] for data in (one, two))
            above.plot(one["time"], y_one, color=colour, linewidth=3.5, alpha=0.4, label=f"{_label(target)}{part}")
            above.plot(two["time"], y_two, "--", color=colour)
    above.set_ylabel(f"{quantity.replace('_', ' ')} ({one.attrs['units']})")
    above.plot([], [], color="0.3", linewidth=3.5, alpha=0.4, label="Galilean frame")
    above.plot([], [], "--", color="0.3", label="floating frames")
    _differences(comparison, targets, quantity, below)
    finish(figure, above, title, None)
    below.grid(True, alpha=0.3)
    if len(targets) > 1:
        below.legend(loc="best", fontsize="small", framealpha=0.8)
    return save(figure, path)


def _default(comparison: Comparison, quantity: str) -> tuple[Any, ...]:
    if quantity in questions(JOINT):
        return tuple(comparison.joints)[:1]
    if quantity in questions(LINE):
        return tuple(comparison.galilean.motion.mechanism.springs)[:1]
    return tuple(sorted(comparison.places, key=lambda name: -comparison.places[name].difference)[:1])


def _differences(comparison: Comparison, targets: tuple[Any, ...], quantity: str, axes: Any) -> None:
    for k, target in enumerate(targets):
        data = comparison.between(quantity, target)
        size = np.linalg.norm(data.values.reshape(len(data), -1), axis=1)
        axes.plot(comparison.time, size, color=f"C{k % 10}", label=_label(target))
    axes.set_xlabel("time (s)")
    axes.set_ylabel(f"difference ({data.attrs['units']})")


def _label(target: Any) -> str:
    return str(getattr(target, "label", getattr(target, "name", target)))
