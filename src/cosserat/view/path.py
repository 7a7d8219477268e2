"""Load-displacement curves of equilibrium paths."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import SolveError
from cosserat.results.path import Path
from cosserat.view.plot import finish, new_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MARKS = {"limit": ("s", "limit point", (7, 5)), "branch": ("o", "branch point", (8, -14))}  # label beside the curve


def plot_path(path: Path, place: Any, component: str, ax: Any, file: str | FilePath | None) -> Figure:
    """The parameter over the displacement of a place; unstable parts dashed, special points marked and labelled."""
    if component not in ("x", "y", "z"):
        raise SolveError(f"plot: component {component!r}; pass 'x', 'y' or 'z'")
    axis = "xyz".index(component)
    label = str(getattr(place, "label", place))
    figure, axes = new_axes(ax)
    reference = path.equilibrium(0).reference_position(place)[axis]
    drawn: set[str] = set()

    def draw(part: Path, color: str, word: str) -> None:
        x = part.position(place)[:, axis] - reference
        for span, stable in _spans(part.stable, [p.index for p in part.points]):
            name = f"{word}{'' if stable else ' (unstable)'}"
            axes.plot(
                x[span], part.parameter[span], "-" if stable else "--", color=color, lw=1.8 if stable else 1.3,
                label=name if name not in drawn else None,
            )  # fmt: skip
            drawn.add(name)
        for point in part.points:
            marker, name, offset = _MARKS[point.kind]
            axes.plot(
                x[point.index], point.value, marker, color="black", ms=6, zorder=3,
                label=name if name not in drawn else None,
            )  # fmt: skip
            drawn.add(name)
            axes.annotate(
                f"{point.label}: {point.value:.6g}", (x[point.index], point.value), xytext=offset,
                textcoords="offset points", fontsize="small",
            )  # fmt: skip

    draw(path, "C0", "path")
    for k, branch in enumerate(path.branches):
        origin = branch.origin.label if branch.origin is not None else "branch"
        draw(branch, f"C{1 + (k // 2) % 9}", f"from {origin}")
    axes.axhline(0.0, color="0.8", lw=0.8, zorder=0)
    axes.set(xlabel=f"displacement of {label} along {component} (m)", ylabel=f"parameter {path.name}")
    return finish(figure, axes, path.model.name, file)


def _spans(stable: NDArray[np.bool_], special: list[int]) -> list[tuple[slice, bool]]:
    """Runs of equal stability, which change at special points; each run includes the point at which it ends."""
    ordinary = [i for i in range(len(stable)) if i not in special]
    runs: list[tuple[slice, bool]] = []
    begin = 0
    for a, b in pairwise(ordinary):
        if stable[a] != stable[b]:
            between = [i for i in special if a < i < b]
            change = between[0] if between else b
            runs.append((slice(begin, change + 1), bool(stable[a])))
            begin = change
    runs.append((slice(begin, len(stable)), bool(stable[ordinary[-1]])))
    return runs
