"""Mode shapes drawn on the structure, and their animation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.kernels.arrays import History
from cosserat.lie import so3
from cosserat.lie.protocol import Array
from cosserat.results.modes import Modes, remark, where
from cosserat.results.run import Run
from cosserat.results.trajectory import FloatingRecord, Trajectory
from cosserat.view.plot import new_figure, save, shape_lines
from cosserat.view.scene import show, smooth

if TYPE_CHECKING:
    from matplotlib.figure import Figure


AMPLITUDE = 0.1  # largest displacement drawn, relative to the extent
FLAT = 0.02  # extent below which a direction is left out of a picture, relative to the largest
PERIOD, FRAMES, CYCLES = 2.0, 60, 4  # of an animation: seconds and pictures per cycle


def plot_mode(modes: Modes, i: int, ax: Any, path: str | Path | None, amplitude: float | None) -> Figure:
    """The shape of a mode, in a plane if structure and motion lie in one, else in space."""
    scale = _scale(modes, i, amplitude)
    rest, moved = _lines(modes, i, 0.0), _lines(modes, i, scale)
    opposite = _lines(modes, i, -scale)
    points = np.concatenate([*rest.values(), *moved.values(), *opposite.values()])
    extent = np.ptp(points, axis=0)
    axes_shown = sorted(np.argsort(-extent, kind="stable")[: 3 if extent.min() > FLAT * extent.max() else 2])
    space = len(axes_shown) == 3
    axes: Any = ax
    if ax is None:
        axes = new_figure(7.5, 6.0 if space else 4.5).add_subplot(projection="3d" if space else None)
    for k, name in enumerate(rest):
        dot = np.ptp(rest[name], axis=0).max() <= 1e-6 * extent.max()  # a body at its only joint
        line: dict[str, Any] = {"marker": "o", "ls": "none"} if dot else {"ls": "-"}
        axes.plot(*rest[name][:, axes_shown].T, **(line if dot else {"ls": "--"}), color="0.6", lw=1.0)
        axes.plot(*opposite[name][:, axes_shown].T, **line, color=f"C{k % 10}", lw=1.0, alpha=0.3)
        axes.plot(*moved[name][:, axes_shown].T, **line, color=f"C{k % 10}", lw=2.2, label=name)
    for axis, letter in zip(axes_shown, "xyz", strict=False):
        getattr(axes, f"set_{letter}label")(f"{'xyz'[axis]} (m)")
    if space:
        axes.set_box_aspect(np.maximum(extent, 0.15 * extent.max()))
        for letter, size in zip("xyz", extent, strict=True):
            if size < 0.4 * extent.max():
                axes.locator_params(axis=letter, nbins=3)  # little room for numbers
    else:
        axes.set_aspect("equal", adjustable="datalim")
        axes.grid(True, alpha=0.3)
    if 1 < len(rest) <= 10:
        axes.legend(loc="best", fontsize="small", framealpha=0.8)
    axes.set_title(title(modes, i), fontsize="medium")
    return save(axes.figure, path)


def title(modes: Modes, i: int) -> str:
    """Number, frequency, damping, and where the mode moves."""
    parts = [f"mode {i}: {modes.frequencies[i]:.4g} Hz"]
    if modes.damped and abs(modes.damping[i]) > 1e-9:
        parts.append(f"damping {100 * modes.damping[i]:.3g} %")
    note = remark(modes, i)
    return f"{modes.motion.mechanism.name}, " + ", ".join(parts + ([note] if note else [where(modes, i)]))


def animate_mode(modes: Modes, i: int, path: str | Path | None, open: bool | None, amplitude: float | None) -> Path:
    """A few cycles of a mode as a 3D scene; damping is not shown."""
    scale = _scale(modes, i, amplitude)
    time = np.arange(CYCLES * FRAMES + 1) * PERIOD / FRAMES
    phases = np.exp(2j * np.pi * np.arange(len(time)) / FRAMES)
    frames = np.array([_frames(modes, i, scale * phase) for phase in phases])
    source = modes.trajectory.history
    still = np.zeros((len(time), frames.shape[1], 6))
    history = History(
        frames, still, still, *(np.repeat(a[-1:], len(time), axis=0) for a in (source.force, source.angle))
    )
    record = _bent(modes, i, scale * phases)
    run = Run(Trajectory(modes.trajectory.compiled, time, history, modes.status, floating=record))
    run.status = modes.status  # pictures do not balance energies
    return show(run, path, open, None, title(modes, i))


def _scale(modes: Modes, i: int, amplitude: float | None) -> float:
    """Factor on the shape for which the largest displacement is the amplitude."""
    compiled = modes.trajectory.compiled
    x = np.abs(modes.shapes[:, i].reshape(-1, 6))
    largest = float(np.max(np.linalg.norm(x[:, :3], axis=1), initial=0.0))
    wanted = AMPLITUDE * compiled.size if amplitude is None else amplitude
    turns = float(np.max(np.linalg.norm(x[:, 3:], axis=1), initial=0.0))
    if largest * compiled.size < 1e-6 * turns * compiled.size**2:  # nothing but turning, such as torsion
        return 0.5 / turns
    return wanted / largest if largest > 0.0 else 0.0


def _frames(modes: Modes, i: int, factor: complex) -> Array:
    """Frames (n+1, 12) displaced by the real part of factor times the shape; linear, so that joints stay together."""
    frames = modes.motion.frame[-1].copy()
    step = np.real(factor * modes.shapes[:, i]).reshape(-1, 6)
    for k, x in enumerate(step):
        R = frames[k, :9].reshape(3, 3)
        frames[k, 9:] += R @ x[:3]
        frames[k, :9] = (R @ so3.exp(x[3:])).ravel()
    return frames


def _bent(modes: Modes, i: int, factors: NDArray[np.complex128]) -> FloatingRecord | None:
    """Coordinates of a tree moved likewise, by which modal bodies bend."""
    source = modes.trajectory.floating
    if source is None:
        return None
    q = source.q[-1] + np.real(factors[:, None] * modes.coordinate_shapes[:, i])
    return FloatingRecord(source.coordinates, q, np.zeros_like(q), np.zeros_like(q), source.ledger)


def _lines(modes: Modes, i: int, factor: float) -> dict[str, Array]:
    """Beams as smooth curves, bodies as lines through their joints."""
    frames = _frames(modes, i, factor)
    lines = shape_lines(modes.motion, frames)
    for name, mesh in modes.motion.mechanism.beams.items():
        nodes = frames[None, mesh.nodes]
        lines[name] = smooth(nodes, mesh.s, mesh.piece)[0]
    return lines
