"""`Stability`: eigenvalues along a parameter, and the values at which stability is lost or regained."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answering

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

DIVERGENCE, FLUTTER, STABLE = "divergence", "flutter", "stable"


@dataclass(frozen=True)
class Critical:
    """A value of the parameter at which an eigenvalue crosses the imaginary axis.

    Attributes
    ----------
    value : float
        Of the parameter.
    kind : str
        "divergence": a real eigenvalue goes through zero, det K = 0, [Lerbet17] (64). "flutter": a complex pair
        crosses; without damping, two imaginary eigenvalues have met there, [Lerbet17] (65).
    eigenvalue : complex
        i omega there (1/s).
    loss : bool
        True where the mode becomes unstable as the parameter goes on, False where it is stable again.
    modes : int
        How many modes cross together; two for a column that is the same in both planes.
    """

    value: float
    kind: str
    eigenvalue: complex
    loss: bool = True
    modes: int = 1

    @property
    def frequency(self) -> float:
        """Frequency of the oscillation (Hz), 0 for divergence."""
        return float(abs(self.eigenvalue.imag) / (2.0 * np.pi))

    def __str__(self) -> str:
        what = self.kind if self.loss else f"end of {self.kind}"
        return f"{what} at {self.value:.8g}" + (f", {self.frequency:.6g} Hz" if self.kind == FLUTTER else "")


@answering
@dataclass(frozen=True, eq=False)
class Stability:
    """Result of `stability`.

    Attributes
    ----------
    parameter : str
    values : (n_values,)
        Of the parameter.
    eigenvalues : (n_values, n_modes) complex
        s of motions exp(s t) (1/s), both of every conjugate pair; columns follow modes by their shapes.
    critical : list of Critical
        Every crossing of the imaginary axis in the order of the values; the first is the first change of stability.
    stable : (n_values,) bool
        Whether no computed eigenvalue has a positive real part (beyond rounding).

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("oscillator")
    >>> body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    >>> rail = model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=cs.Parameter("k", 4.0)))
    >>> found = cs.stability(model, "k", [4.0, 2.0, 1.0])
    >>> found.critical, bool(found.stable.all())
    ([], True)
    """

    name: str
    parameter: str
    values: Array
    eigenvalues: Complex
    critical: list[Critical]
    stable: NDArray[np.bool_]
    stats: dict[str, Any]

    @property
    def frequencies(self) -> Array:
        """Frequencies (n_values, n_modes) in Hz."""
        return np.abs(self.eigenvalues.imag) / (2.0 * np.pi)

    @property
    def growth(self) -> Array:
        """Largest real part (n_values,) in 1/s: how fast the fastest perturbation grows."""
        return np.max(self.eigenvalues.real, axis=1)

    @property
    def data(self) -> xarray.Dataset:
        """Everything as a labelled Dataset; real and imaginary parts apart, so that it can be saved."""
        import xarray

        return xarray.Dataset(
            {
                "real": ((self.parameter, "mode"), self.eigenvalues.real, {"units": "1/s"}),
                "imaginary": ((self.parameter, "mode"), self.eigenvalues.imag, {"units": "1/s"}),
                "frequency": ((self.parameter, "mode"), self.frequencies, {"units": "Hz"}),
                "stable": (self.parameter, self.stable),
            },
            coords={self.parameter: self.values},
            attrs={"model": self.name, "critical": "; ".join(map(str, self.critical))},
        )

    def plot(self, ax: Any = None, path: str | Path | None = None) -> Figure:
        """Frequencies and growth against the parameter, and the root locus; `path` saves the figure.

        With `ax`, only the frequencies are drawn, into it.
        """
        from cosserat.view.stability import plot_stability

        return plot_stability(self, ax, path)

    def __repr__(self) -> str:
        text = "; ".join(map(str, self.critical)) or ("stable throughout" if self.stable.all() else "no crossing")
        return f"<Stability of {self.name!r} against {self.parameter}: {text}>"
