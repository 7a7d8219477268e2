"""Pictures of stability: eigenvalues along a parameter, maps over two, Campbell diagrams; and of equilibrium paths."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import SolveError
from cosserat.view.plot import finish, new_axes, new_figure, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cosserat.results.path import Path as EquilibriumPath
    from cosserat.results.stability import Campbell, Critical, Stability, StabilityMap

COLORS = {"stable": "#cfe8cf", "divergence": "#f3c9a5", "flutter": "#c6c3ea"}
LINES = {"divergence": "#b3541e", "flutter": "#4a3fb0"}


def plot_stability(result: Stability, ax: Any, path: str | Path | None) -> Figure:
    """Frequencies and growth against the parameter, and the root locus; with `ax` the frequencies alone."""
    if ax is not None:
        _frequencies(result, ax)
        return finish(ax.figure, ax, result.name, path)
    figure = new_figure(9.5, 5.6)
    panels = figure.subplot_mosaic([["frequency", "locus"], ["growth", "locus"]], width_ratios=(3, 2))
    _frequencies(result, panels["frequency"])
    _growth(result, panels["growth"])
    _locus(result, panels["locus"])
    for axes in panels.values():
        axes.grid(True, alpha=0.3)
    handles, labels = panels["frequency"].get_legend_handles_labels()
    if handles:
        panels["frequency"].legend(handles, labels, loc="best", fontsize="small", framealpha=0.8)
    panels["frequency"].tick_params(labelbottom=False)
    panels["frequency"].set_xlabel("")
    panels["frequency"].sharex(panels["growth"])
    figure.suptitle(result.name)
    return save(figure, path)


def _height(result: Stability) -> float:
    """Frequency up to which it is worth looking: what takes part in the instability, and a little more."""
    start = np.unique(np.round(result.frequencies[0], 9))
    moving = start[start > 0.0]
    top = [3.0 * c.frequency for c in result.critical]
    if len(moving):
        top.append(1.25 * float(moving[min(1, len(moving) - 1)]))
    return max([*top, 1e-12])


def _frequencies(result: Stability, axes: Any) -> None:
    for k in range(result.eigenvalues.shape[1]):
        axes.plot(result.values, result.frequencies[:, k], color=f"C{k // 2 % 10}", lw=1.3)
    _mark(result.critical, axes, with_frequency=True)
    axes.set(ylim=(0.0, _height(result)), xlabel=result.parameter, ylabel="frequency (Hz)")


def _growth(result: Stability, axes: Any) -> None:
    for k in range(result.eigenvalues.shape[1]):
        axes.plot(result.values, result.eigenvalues[:, k].real, color=f"C{k // 2 % 10}", lw=1.3)
    x = np.concatenate((result.values, [c.value for c in result.critical]))
    unstable = np.concatenate((~result.stable, np.ones(len(result.critical), dtype=bool)))
    order = np.argsort(x, kind="stable")
    if np.any(unstable):
        across = axes.get_xaxis_transform()
        axes.fill_between(x[order], 0.0, 1.0, where=unstable[order], transform=across, color="0.5", alpha=0.12, lw=0)
    _mark(result.critical, axes, with_frequency=False)
    axes.axhline(0.0, color="black", lw=0.8)
    axes.set(xlabel=result.parameter, ylabel="real part (1/s)")


def _locus(result: Stability, axes: Any) -> None:
    top = 2.0 * np.pi * _height(result)
    for k in range(result.eigenvalues.shape[1]):
        s = result.eigenvalues[:, k]
        axes.plot(s.real, s.imag, ".-", color=f"C{k // 2 % 10}", ms=3, lw=0.8)
    for c in result.critical:
        axes.plot(0.0, c.eigenvalue.imag, "x" if c.loss else "+", color=LINES[c.kind], ms=9, mew=2)
    shown = np.abs(result.eigenvalues.imag) <= top
    width = float(np.max(np.abs(result.eigenvalues.real[shown]), initial=0.0))
    if width > 0.0:
        axes.set_xlim(-1.15 * width, 1.15 * width)
    axes.set_ylim(-0.03 * top, top)
    axes.axvline(0.0, color="black", lw=0.8)
    axes.set(xlabel="real part (1/s)", ylabel="imaginary part (rad/s)")
    axes.set_title("root locus", fontsize="medium")


def _mark(critical: list[Critical], axes: Any, *, with_frequency: bool) -> None:
    for c in critical:
        label = str(c) if with_frequency else None
        axes.axvline(c.value, color=LINES[c.kind], lw=1.0, ls="--" if c.loss else ":", label=label)
        if with_frequency:
            axes.plot(c.value, c.frequency, "o", color=LINES[c.kind], ms=5)


def plot_map(result: StabilityMap, ax: Any, path: str | Path | None) -> Figure:
    """Regions of the plane of two parameters, and the boundary of the stable one."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    figure, axes = new_axes(ax, path)
    kinds = list(COLORS)
    number = np.array([[kinds.index(k) for k in row] for row in result.kind], dtype=float)
    colors = ListedColormap([COLORS[k] for k in kinds])
    unstable = np.argwhere(~result.stable)
    for i, j in np.argwhere(result.stable) if len(unstable) else []:  # the stable region is drawn over its neighbours
        number[i, j] = number[tuple(unstable[np.argmin(np.sum((unstable - (i, j)) ** 2, axis=1))])]
    axes.pcolormesh(*result.values, number.T, cmap=colors, vmin=-0.5, vmax=2.5, shading="nearest", rasterized=True)
    if len(unstable) and np.any(result.stable):
        _fill_stable(result, axes)
    handles: list[Any] = [Patch(color=COLORS[k], label=k) for k in kinds if k in result.kind]
    seen = set()
    for curve in result.boundary:
        axes.plot(*curve.points.T, color="0.4", lw=1.0)
        for kind in LINES:
            here = np.array([k == kind for k in curve.kinds])
            if not np.any(here):
                continue
            x = np.where(here, curve.points[:, 0], np.nan)
            y = np.where(here, curve.points[:, 1], np.nan)
            (line,) = axes.plot(x, y, ".-", color=LINES[kind], lw=1.8, ms=4, label=f"{kind} boundary")
            if kind not in seen:
                handles.append(line)
            seen.add(kind)
    axes.set(xlim=(min(result.values[0]), max(result.values[0])), ylim=(min(result.values[1]), max(result.values[1])))
    axes.set(xlabel=result.parameters[0], ylabel=result.parameters[1], title=result.name)
    axes.legend(handles=handles, loc="best", fontsize="small", framealpha=0.9)
    return save(figure, path)


def _fill_stable(result: StabilityMap, axes: Any) -> None:
    """The stable region up to its refined boundary, by triangles between grid and boundary points."""
    x, y = np.meshgrid(*result.values, indexing="ij")
    edge = np.concatenate([curve.points for curve in result.boundary] or [np.zeros((0, 2))])
    points = np.concatenate((np.column_stack((x.ravel(), y.ravel())), edge))
    sign = np.concatenate((np.where(result.stable, -1.0, 1.0).ravel(), np.zeros(len(edge))))
    points, first = np.unique(points, axis=0, return_index=True)
    spans = np.ptp(points, axis=0)
    from matplotlib.tri import Triangulation
    from scipy.spatial import Delaunay

    corners = Delaunay(points / spans, qhull_options="QJ").simplices
    triangles = Triangulation(points[:, 0], points[:, 1], corners)
    axes.tricontourf(triangles, sign[first], levels=[-1.5, 0.0], colors=[COLORS["stable"]])


def plot_campbell(result: Campbell, ax: Any, path: str | Path | None) -> Figure:
    """Frequencies in the rotating frame against speed, with the lines of the orders."""
    figure, axes = new_axes(ax, path)
    for k in range(result.eigenvalues.shape[1]):
        axes.plot(result.spins, result.frequencies[:, k], color=f"C{k % 10}", lw=1.4)
    top = 1.05 * float(np.max(result.frequencies))
    for order in result.orders:
        line = order * np.abs(result.spins) / (2.0 * np.pi)
        axes.plot(result.spins, line, color="0.4", lw=0.9, ls="--")
        inside = np.nonzero(line <= top)[0]
        if len(inside):
            at = inside[np.argmax(line[inside])]
            axes.annotate(f"{order}\u00d7", (result.spins[at], line[at]), color="0.3", fontsize="small", ha="right")
    for k, c in enumerate(result.critical_speeds):
        axes.plot(c.spin, c.frequency, "ko", ms=4, label="critical speed" if k == 0 else None)
    _mark(result.unstable[:6], axes, with_frequency=True)
    axes.set(ylim=(0.0, top), xlabel="spin (rad/s)", ylabel="frequency in the rotating frame (Hz)")
    if not axes.get_legend_handles_labels()[0]:
        axes.plot([], [], color="0.4", ls="--", label="multiples of the speed")
    return finish(figure, axes, result.name, path)


_MARKS = {"limit": ("s", "limit point", (7, 5)), "branch": ("o", "branch point", (8, -14))}  # label beside the curve


def plot_path(path: EquilibriumPath, place: Any, component: str, ax: Any, file: str | Path | None) -> Figure:
    """The parameter over the displacement of a place; unstable parts dashed, special points marked and labelled."""
    if component not in ("x", "y", "z"):
        raise SolveError(f"plot: component {component!r}; pass 'x', 'y' or 'z'")
    axis = "xyz".index(component)
    label = str(getattr(place, "label", place))
    figure, axes = new_axes(ax)
    reference = path.equilibrium(0).reference_position(place)[axis]
    drawn: set[str] = set()

    def draw(part: EquilibriumPath, color: str, word: str) -> None:
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
