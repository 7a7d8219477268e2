"""`Response`: how outputs answer to harmonic inputs; `Resonances`: harmonics of an excitation that meet modes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answering
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.results.labels import aligned, titled

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from xarray import DataArray, Dataset

    from cosserat.results.modes import Modes


_UNDAMPED = 1e-9  # imaginary part of a response that nothing damps, of the modulus


@answering
class Response:
    """Frequency response: output / input, complex, for inputs exp(i 2 pi f t).

    Attributes
    ----------
    data : DataArray (frequency, output, input), complex
        With the units of outputs and inputs as coordinates.
    name : str
        Of the model.
    method : "direct" or "modal"

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("oscillator")
    >>> body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    >>> rail = model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=cs.Parameter("k", 4.0)))
    >>> response = cs.frequency_response(model, "rail", "rail", [0.0, 0.1])
    >>> response.frequencies.tolist()
    [0.0, 0.1]
    """

    def __init__(
        self, name: str, frequencies: Array, outputs: tuple[str, ...], inputs: tuple[str, ...],
        values: NDArray[np.complex128], method: str, units: tuple[tuple[str, ...], tuple[str, ...]],
    ) -> None:  # fmt: skip
        from xarray import DataArray

        self.name = name
        self.method = method
        self.data: DataArray = DataArray(
            values,
            dims=("frequency", "output", "input"),
            coords={
                "frequency": ("frequency", frequencies, {"units": "Hz", "long_name": "frequency"}),
                "output": list(outputs),
                "input": list(inputs),
                "output_unit": ("output", list(units[0])),
                "input_unit": ("input", list(units[1])),
            },
            attrs={"long_name": "frequency response"},
        )

    @property
    def frequencies(self) -> Array:
        """Frequencies (Hz)."""
        return np.asarray(self.data["frequency"].values)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(str(name) for name in self.data["output"].values)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(str(name) for name in self.data["input"].values)

    def sel(self, output: str | None = None, input: str | None = None) -> DataArray:
        """The response (frequency,) of one output to one input; a name may be left out where there is only one."""
        return self.data.sel(output=_chosen("output", output, self.outputs), input=_chosen("input", input, self.inputs))

    def unit(self, output: str | None = None, input: str | None = None) -> str:
        """Unit of a response, such as "m / N"; empty where one of the two is not known, as of a parameter."""
        response = self.sel(output, input)
        above, below = str(response["output_unit"].values), str(response["input_unit"].values)
        if not (above and below):
            return ""
        if above == below:
            return "1"
        return f"{above} / ({below})" if any(c in below for c in " /") else f"{above} / {below}"

    def gain(self, output: str | None = None, input: str | None = None) -> Array:
        """Modulus (frequency,)."""
        return np.abs(self.sel(output, input).values)

    def phase(self, output: str | None = None, input: str | None = None) -> Array:
        """Phase (frequency,), rad, without jumps."""
        return np.unwrap(np.angle(self.sel(output, input).values))

    def peak(self, output: str | None = None, input: str | None = None) -> tuple[float, float]:
        """Frequency (Hz) and modulus of the largest response, between the computed frequencies too.

        1 / modulus^2 of a resonance is a parabola in the square of the frequency: it is laid through the largest value
        and its neighbours. At an end of the frequencies it is the computed value; where nothing damps the resonance,
        the modulus is infinite.

        Examples
        --------
        >>> import cosserat as cs
        >>> model = cs.Model("oscillator")
        >>> body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
        >>> rail = model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=(2 * np.pi) ** 2,
        ...                               damping=0.1, effort=0.0))
        >>> f, gain = cs.frequency_response(model, "rail", "rail", np.linspace(0.5, 1.6, 12)).peak()
        >>> print(f"{f:.4f} Hz")
        0.9999 Hz
        """
        gain, f = self.gain(output, input), self.frequencies
        k = int(np.argmax(gain))
        largest = float(f[k]), float(gain[k])
        if k in (0, len(f) - 1) or np.any(gain[k - 1 : k + 2] <= 0.0):
            return largest
        x = f[k - 1 : k + 2] ** 2
        unit = x[2] - x[0]
        compliance = self.sel(output, input).values[k - 1 : k + 2]
        if np.all(np.abs(compliance.imag) < _UNDAMPED * np.abs(compliance)):  # its inverse passes zero
            y = 1.0 / compliance.real
            for i in (0, 1):
                if y[i] * y[i + 1] < 0.0:
                    return float(np.sqrt(x[i] - y[i] * (x[i + 1] - x[i]) / (y[i + 1] - y[i]))), math.inf
        bend, slope, _ = np.polyfit((x - x[1]) / unit, (gain[k] / gain[k - 1 : k + 2]) ** 2, 2)
        if bend <= 0.0:
            return largest
        lowest = 1.0 - slope**2 / (4.0 * bend)
        at = x[1] - unit * slope / (2.0 * bend)
        if not (lowest > 0.0 and x[0] < at < x[2]):
            return largest
        return float(np.sqrt(at)), float(gain[k] / np.sqrt(lowest))

    def plot(self, *outputs: str, input: str | None = None, path: str | Path | None = None) -> Figure:
        """Draw modulus and phase over frequency (Bode diagram); default all outputs, for every input or one."""
        from cosserat.view.response import plot_response

        chosen = [_chosen("output", name, self.outputs) for name in outputs] or list(self.outputs)
        sources = list(self.inputs) if input is None else [_chosen("input", input, self.inputs)]
        return plot_response(self, chosen, sources, path)

    def __repr__(self) -> str:
        f = self.frequencies
        return (
            f"<Response of {self.name!r}: {len(self.outputs)} outputs, {len(self.inputs)} inputs, {len(f)} frequencies "
            f"from {f[0]:.4g} to {f[-1]:.4g} Hz, {self.method}>"
        )


def _chosen(word: str, name: str | None, known: tuple[str, ...]) -> str:
    if name is None and len(known) == 1:
        return known[0]
    if name not in known:
        listed = ", ".join(map(repr, known))
        raise SolveError(f"response: {word} {name!r} is not one of those computed; {word}s: {listed}")
    return name


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
