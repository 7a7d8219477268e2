"""Bode diagrams of frequency responses, and pictures of resonances."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.view.plot import new_figure, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cosserat.results.response import Resonances, Response


_ROOM = 0.025  # that a label takes, relative to the axis


def plot_response(response: Response, outputs: list[str], inputs: list[str], path: str | Path | None) -> Figure:
    """Modulus and phase over frequency."""
    figure = new_figure(7.5, 5.5)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    f = response.frequencies
    units = {response.unit(output, source) for output in outputs for source in inputs}
    silent = []
    for output in outputs:
        for source in inputs:
            label = output if len(inputs) == 1 else f"{output} / {source}"
            if len(units) > 1:
                label += f" ({unit})" if (unit := response.unit(output, source)) else ""
            gain, phase = response.gain(output, source), np.degrees(response.phase(output, source))
            if np.any(gain > 0.0):
                above.plot(f, np.where(gain > 0.0, gain, np.nan), label=label)
                below.plot(f, phase, label=label)
            else:
                silent.append(label)
    above.set_yscale("log")
    positive = f[f > 0.0]
    if positive.size and positive[-1] > 20.0 * positive[0] and _is_geometric(positive):
        above.set_xscale("log")
    unit = next(iter(units)) if len(units) == 1 else ""
    above.set_ylabel("|output / input|" + (f" ({unit})" if unit else ""))
    below.set(ylabel="phase (°)", xlabel="frequency (Hz)")
    for axes in (above, below):
        axes.grid(True, which="both", alpha=0.3)
    if len(inputs) == 1:
        above.set_title(f"{response.name}: response to {inputs[0]}")
    else:
        above.set_title(response.name)
    for label in silent:
        above.plot([], [], " ", label=f"{label}: zero throughout")
    if above.lines:
        above.legend(loc="best", fontsize="small", framealpha=0.8)
    return save(figure, path)


def _is_geometric(f: Any) -> bool:
    """Whether steps grow with the frequency, so that a logarithmic axis shows them evenly."""
    return len(f) > 2 and (f[-1] - f[-2]) > 3.0 * (f[1] - f[0])


def plot_resonances(resonances: Resonances, ax: Any, path: str | Path | None) -> Figure:
    """Harmonics as stems, modes as bands of the tolerance, meetings marked."""
    ax = new_figure(7.5, 4.0).add_subplot() if ax is None else ax
    modes, tolerance = resonances.modes, resonances.tolerance
    p = np.arange(1, len(resonances.amplitudes) + 1)
    height = resonances.amplitudes / np.max(resonances.amplitudes)
    end = max(p[-1] / resonances.period, 0.0) * 1.05
    groups: list[list[int]] = []  # modes too near one another for a label each
    for k in range(modes.rigid, len(modes)):
        f = modes.frequencies[k]
        if 0.0 < f <= end:
            ax.axvspan(f * (1 - tolerance), f * (1 + tolerance), color="C0", alpha=0.2, lw=0)
            ax.axvline(f, color="C0", lw=1.0)
            if groups and f - modes.frequencies[groups[-1][0]] < _ROOM * end:
                groups[-1].append(k)
            else:
                groups.append([k])
    for group in groups:
        first, last = (modes.frequencies[k] for k in (group[0], group[-1]))
        f, side = (last, "left") if first < _ROOM * end else (first, "right")  # within the axes
        text = f"mode{'s' * (len(group) > 1)} {', '.join(map(str, group))}"
        ax.annotate(text, (f, 1.38), rotation=90, fontsize="x-small", ha=side, va="top", color="C0")
    met = {m.harmonic for m in resonances}
    for q, h in zip(p, height):
        colour = "C3" if q in met else "0.45"
        ax.plot([q / resonances.period] * 2, [0.0, h], color=colour, lw=2.0)
        ax.plot(q / resonances.period, h, "o", color=colour, ms=4)
    for m in resonances:
        ax.annotate(
            f"{m.harmonic}", (m.excitation, height[m.harmonic - 1]), color="C3", ha="center", va="bottom",
            xytext=(0, 4), textcoords="offset points", fontsize="small",
        )  # fmt: skip
    ax.set(xlim=(0.0, end), ylim=(0.0, 1.4), xlabel="frequency (Hz)", ylabel="amplitude of the harmonic (relative)")
    ax.set(title=f"{modes.motion.mechanism.name}: harmonics of {resonances.period:g} s and modes")
    return save(ax.figure, path)
