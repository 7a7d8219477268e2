"""`Resonances`: harmonics of a periodic excitation that meet modes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.results.tables import aligned, titled

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from xarray import Dataset

    from cosserat.results.modes import Modes

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Meeting:
    """A harmonic close to a mode.

    Attributes
    ----------
    harmonic : p, from 1
    mode : number of the mode
    excitation : p / T (Hz)
    frequency : of the mode (Hz)
    detuning : excitation / frequency - 1
    amplification : dynamic over static answer of the mode to this harmonic; infinite on an undamped mode
    amplitude : of the harmonic in the excitation; 1 if that is not known
    """

    harmonic: int
    mode: int
    excitation: float
    frequency: float
    detuning: float
    amplification: float
    amplitude: float


@dataclass(frozen=True)
class Resonances:
    """Meetings of harmonics and modes, the most dangerous first; iterate over them, or read `table`.

    Attributes
    ----------
    modes : Modes
    period : float
        (s).
    amplitudes : (harmonics,)
        Of the harmonics 1, 2, ... in the excitation.
    tolerance : float
    meetings : tuple of Meeting
    """

    modes: Modes
    period: float
    amplitudes: Array
    tolerance: float
    meetings: tuple[Meeting, ...]

    def __iter__(self) -> Iterator[Meeting]:
        return iter(self.meetings)

    def __len__(self) -> int:
        return len(self.meetings)

    def __getitem__(self, i: int) -> Meeting:
        return self.meetings[i]

    @property
    def table(self) -> Dataset:
        """The meetings as a labelled table."""
        from xarray import Dataset

        names = list(Meeting.__dataclass_fields__)
        return Dataset({name: ("meeting", [getattr(m, name) for m in self.meetings]) for name in names})

    def summary(self) -> str:
        """The table as text."""
        title = f"Harmonics of a period of {self.period:g} s ({1 / self.period:.6g} Hz) near modes"
        if not self.meetings:
            text = f"none of {len(self.amplitudes)} harmonics is within {100 * self.tolerance:g} % of a mode"
            return titled(title, [text])
        rows = [("harmonic", "at (Hz)", "mode", "at (Hz)", "off by", "amplified", "where it moves")]
        rows += [
            (
                str(m.harmonic), f"{m.excitation:.6g}", str(m.mode), f"{m.frequency:.6g}", f"{100 * m.detuning:+.2f} %",
                f"{m.amplification:.4g}", self.modes.location(m.mode),
            )
            for m in self.meetings
        ]  # fmt: skip
        return titled(title, aligned(rows, left=(6,)))

    def plot(self, ax: Any = None, path: str | Path | None = None) -> Figure:
        """Draw the harmonics as lines over frequency, the modes below them, and mark where they meet."""
        from cosserat.view.response import plot_resonances

        return plot_resonances(self, ax, path)

    def __repr__(self) -> str:
        worst = f", the worst at {self.meetings[0].excitation:.4g} Hz" if self.meetings else ""
        return f"<Resonances at a period of {self.period:g} s: {len(self.meetings)}{worst}>"
