"""Plots over time, of shapes and of comparisons, with Matplotlib; they work without a display."""

from __future__ import annotations

import io
import os
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.errors import SolveError, shown
from cosserat.io import output
from cosserat.lie.protocol import Array
from cosserat.results.comparison import Comparison, asked, demand_quantity
from cosserat.results.motion import Motion
from cosserat.results.quantities import BEAM, JOINT, LINE, questions

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from xarray import DataArray

    from cosserat.results.run import Run

_OF = {"spring or tendon": LINE, "beam": BEAM, "joint": JOINT}
FEW, MANY = 9, 22  # entries of a legend inside the axes, and beside them


def plot(run: Run, targets: tuple[Any, ...], quantity: str | None, ax: Any, path: str | Path | None) -> Figure:
    """A quantity over time, of places or joints; if none is named, the position of places, the coordinate of joints."""
    if quantity is None:
        kinds = {"coordinate" if _is_joint(run, target) else "position" for target in targets}
        if len(kinds) > 1:
            raise SolveError("plot: places and joints have different quantities; draw them in two pictures")
        quantity = kinds.pop() if kinds else "position"
    demand_quantity(quantity, "plot")
    targets = targets or _default_targets(run, quantity)
    if not targets:
        what = next(word for word, of in _OF.items() if quantity in questions(of))
        raise SolveError(f"plot: the model has no {what} whose {quantity} could be drawn; name places instead")
    figure, axes = new_axes(ax, path)
    drawn = len(axes.lines)
    for target in targets:
        data = asked(run, quantity, target)
        for values, label in _curves(data, target):
            style = {"linestyle": ("-", "--", ":", "-.")[(len(axes.lines) - drawn) // 10 % 4]}  # there are ten colours
            axes.plot(run.time, values, marker="o" if len(run.time) == 1 else "", label=label, **style)
    axes.set(xlabel="time (s)", ylabel=f"{quantity.replace('_', ' ')} ({data.attrs['units']})")
    return finish(figure, axes, f"{run.motion.mechanism.name}", path)


def _is_joint(run: Run, target: Any) -> bool:
    """Whether something is a joint, or one of its freedoms (``"slider.x"``)."""
    name, known = getattr(target, "name", target), run.motion.mechanism.joints
    return isinstance(name, str) and (name in known or name.rsplit(".", 1)[0] in known)


def plot_energy(run: Run, ax: Any, path: str | Path | None) -> Figure:
    """Energies over time."""
    figure, axes = new_axes(ax, path)
    styles: dict[str, dict[str, Any]] = {"total": {"color": "black", "lw": 2.0}, "balance": {"color": "0.5", "ls": ":"}}
    for key in ("kinetic", "strain", "potential", "dissipated", "work", "total", "balance"):
        values = run.energy[key].values
        if np.any(values) or key in styles:
            axes.plot(run.time, values, label=key, **styles.get(key, {}))
    axes.set(xlabel="time (s)", ylabel="energy (J)")
    return finish(figure, axes, run.motion.mechanism.name, path)


def plot_shape(motion: Motion, ax: Any, path: str | Path | None) -> Figure:
    """The last configuration, projected on the plane in which it is largest, with the reference behind it."""
    figure, axes = new_axes(ax, path)
    lines = shape_lines(motion, motion.frame[-1])
    before = shape_lines(motion, motion.mechanism.frames)
    points = np.concatenate([line for line in [*lines.values(), *before.values()]])
    first, second = sorted(np.argsort(np.ptp(points, axis=0), kind="stable")[1:])
    for k, (name, line) in enumerate(lines.items()):
        axes.plot(before[name][:, first], before[name][:, second], color="0.75", lw=1.0, ls="--")
        style = "o" if len(line) == 1 else "-"
        axes.plot(line[:, first], line[:, second], style, color=f"C{k % 10}", lw=2.0, label=name)
    axes.set(xlabel=f"{'xyz'[first]} (m)", ylabel=f"{'xyz'[second]} (m)")
    axes.set_aspect("equal", adjustable="datalim")
    return finish(figure, axes, motion.mechanism.name, path)


def shape_lines(motion: Motion, frames: Array) -> dict[str, Array]:
    """Points (n, 3) of all: nodes of beams, interfaces of modal bodies, joints and centres of mass of rigid bodies."""
    mechanism = motion.mechanism
    lines = {}
    for name, mesh in mechanism.beams.items():
        lines[name] = frames[mesh.nodes, 9:]
    for name, info in mechanism.modal.items():
        lines[name] = frames[info.nodes, 9:]
    joints = mechanism.system.joints
    for name, node in mechanism.bodies.items():
        R, x = frames[node, :9].reshape(3, 3), frames[node, 9:]
        ends = []
        for j in range(len(joints.n_rows)):
            for side, rows in enumerate((joints.frame_a, joints.frame_b)):
                if joints.node[j, side] == node:
                    ends.append(x + R @ rows[j, 9:])
        corners = [ends[0], x, *ends[1:]] if ends else [x]
        lines[name] = np.array(corners)
    return lines


def _default_targets(run: Run, quantity: str) -> tuple[Any, ...]:
    mechanism = run.motion.mechanism
    if quantity in questions(JOINT):
        return tuple(name for name, joint in mechanism.joints.items() if joint.names or quantity == "reaction")
    if quantity in questions(LINE):
        return tuple(mechanism.springs)
    if quantity in questions(BEAM):
        return tuple(f"{name}.start" for name in mechanism.beams)
    tips = [f"{name}.{key}" for name, info in mechanism.modal.items() for key in [*info.interfaces][-1:]]
    return (*(f"{name}.end" for name in mechanism.beams), *mechanism.bodies, *tips)


def new_axes(ax: Axes | None, path: str | Path | None = None) -> tuple[Any, Any]:
    """Figure and axes: those given, or new ones, also where there is no display.

    What goes into a file is not given to pyplot, which keeps every figure until it is closed.
    """
    if ax is not None:
        from matplotlib.axes import Axes

        if not isinstance(ax, Axes):
            raise SolveError(f"plot: ax is {shown(ax)}; pass axes of Matplotlib, such as those of plt.subplots()")
        return ax.figure, ax
    if path is not None:
        figure: Any = new_figure(7.5, 4.5)
        return figure, figure.add_subplot()
    try:
        from matplotlib import pyplot

        figure = pyplot.figure(figsize=(7.5, 4.5), layout="constrained")
    except Exception:  # no usable backend: draw without one
        figure = new_figure(7.5, 4.5)
    return figure, figure.add_subplot()


def new_figure(width: float, height: float) -> Figure:
    """A figure of its own (inches), which no window shows."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Any, path: str | Path | None) -> Figure:
    """The figure, written into a file of the kind that the name ends with, PNG without an ending, if one is given."""
    found: Figure = figure
    if path is None:
        return found
    if not isinstance(path, (str, os.PathLike)):
        raise SolveError(f"plot: path is {path!r}; pass the name of a file, such as 'plot.png'")
    kind = Path(path).suffix[1:].lower()
    if kind and kind not in figure.canvas.get_supported_filetypes():
        raise SolveError(
            f"plot: no pictures of the kind {kind!r} can be written; end {str(path)!r} in .png, .pdf or .svg"
        )
    file = output.target(path)
    stream = io.BytesIO()
    figure.savefig(stream, dpi=150, format=kind or "png")
    output.write(file if kind else file.with_name(f"{file.name}.png"), stream.getvalue())
    return found


def finish(figure: Any, axes: Any, title: str, path: str | Path | None) -> Figure:
    """Grid, title and legend; saved if a path is given."""
    axes.grid(True, alpha=0.3)
    axes.margins(x=0.02)
    if not axes.get_title():
        axes.set_title(title)
    _legend(axes)
    return save(figure, path)


def _legend(axes: Any) -> None:
    """Beside many lines instead of on top of them; no more entries than there is height for."""
    handles, labels = axes.get_legend_handles_labels()
    if len(handles) <= FEW:
        axes.legend(loc="best", fontsize="small", framealpha=0.8)
        return
    if len(handles) > MANY:
        from matplotlib.lines import Line2D

        labels = [*labels[:MANY], f"and {len(handles) - MANY} more"]
        handles = [*handles[:MANY], Line2D([], [], linestyle="none")]
    axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.0, 1.02), fontsize="x-small", frameon=False)


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
        for (y_one, label), (y_two, _) in zip(_curves(one, target), _curves(two, target), strict=True):
            colour = f"C{next(colours) % 10}"
            above.plot(one["time"], y_one, color=colour, linewidth=3.5, alpha=0.4, label=label)
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
    if quantity in questions(BEAM):
        return tuple(f"{name}.start" for name in comparison.galilean.motion.mechanism.beams)[:1]
    return tuple(sorted(comparison.places, key=lambda name: -comparison.places[name].difference)[:1])


def _differences(comparison: Comparison, targets: tuple[Any, ...], quantity: str, axes: Any) -> None:
    for k, target in enumerate(targets):
        data = comparison.between(quantity, target)
        size = np.linalg.norm(data.values.reshape(len(data), -1), axis=1)
        axes.plot(comparison.time, size, color=f"C{k % 10}", label=_label(target))
    axes.set(xlabel="time (s)", ylabel=f"difference ({data.attrs['units']})")


def _curves(data: DataArray, target: Any) -> list[tuple[Array, str]]:
    """The components of a quantity over time, each with its label."""
    if data.ndim == 1:
        return [(data.values, _label(target))]
    return [(data.values[:, k], f"{_label(target)}  {part}") for k, part in enumerate(data[data.dims[1]].values)]


def _label(target: Any) -> str:
    return str(getattr(target, "label", getattr(target, "name", target)))
