"""`Stability`, `StabilityMap`, `Campbell`: eigenvalues along parameters, and where stability is lost or regained."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answering
from cosserat.lie.protocol import Array

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

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


@dataclass(frozen=True)
class Boundary:
    """A curve on which stability is lost.

    Attributes
    ----------
    points : (k, 2)
        Values of the two parameters, in order along the curve.
    kinds : list of str
        "divergence" or "flutter", for every point.
    frequencies : (k,)
        Of the oscillation there (Hz).
    """

    points: Array
    kinds: list[str]
    frequencies: Array


@answering
@dataclass(frozen=True)
class StabilityMap:
    """Result of `stability_map`.

    Attributes
    ----------
    name : str
        Of the model.
    parameters : (str, str)
    values : list of two arrays
        Of the parameters.
    growth : (n1, n2)
        Largest real part of an eigenvalue (1/s).
    frequency : (n1, n2)
        Of the motion that grows fastest (Hz).
    kind : (n1, n2) of str
        "stable", or how the fastest motion grows: "divergence" or "flutter".
    boundary : list of Boundary
        Curves around the stable region, refined.
    stats : dict

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("oscillator")
    >>> body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    >>> rail = model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=cs.Parameter("k", 4.0)))
    >>> damping = model.add(cs.Damper("damper", cs.GROUND.at((-1, 0, 0)), body, damping=cs.Parameter("d", 0.1)))
    >>> found = cs.stability_map(model, {"k": [1.0, 2.0], "d": [0.1, 0.2]})
    >>> bool(found.stable.all())
    True
    """

    name: str
    parameters: tuple[str, str]
    values: list[Array]
    growth: Array
    frequency: Array
    kind: NDArray[Any]
    boundary: list[Boundary]
    stats: dict[str, Any]

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Where no eigenvalue grows (n1, n2)."""
        return np.asarray(self.kind == "stable")

    def plot(self, ax: Any = None, path: str | Path | None = None) -> Figure:
        """Draw the regions and the boundary; `path` saves the figure."""
        from cosserat.view.stability import plot_map

        return plot_map(self, ax, path)

    def __repr__(self) -> str:
        share = 100.0 * float(np.mean(self.stable))
        first, second = self.parameters
        return f"<StabilityMap of {self.name!r} against {first} and {second}: {share:.0f} % stable>"


@dataclass(frozen=True)
class CriticalSpeed:
    """A speed at which a multiple of it meets a frequency.

    Attributes
    ----------
    spin : float
        (rad/s)
    order : int
        Multiple of the speed.
    frequency : float
        Order times speed, seen by an observer who turns along (Hz).
    mode : int
        Column of `Campbell.eigenvalues`.
    """

    spin: float
    order: int
    frequency: float
    mode: int


@answering
@dataclass(frozen=True)
class Campbell:
    """Result of `campbell`.

    Attributes
    ----------
    name : str
        Of the model.
    spins : (n_spins,)
        Speeds of rotation (rad/s).
    eigenvalues : (n_spins, n_modes) complex
        In the rotating frame (1/s), one of every conjugate pair; columns follow modes by their shapes.
    critical_speeds : list of CriticalSpeed
        Where a multiple of the speed meets a frequency, by speed.
    unstable : list of Critical
        Speeds at which stability is lost or regained.
    stats : dict

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("oscillator")
    >>> body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    >>> rail = model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=cs.Parameter("k", 4.0)))
    >>> found = cs.campbell(model, [0.5, 1.0], n=1, orders=(1,))
    >>> found.frequencies.shape
    (2, 1)
    """

    name: str
    spins: Array
    eigenvalues: Complex
    orders: tuple[int, ...]
    critical_speeds: list[CriticalSpeed]
    unstable: list[Critical]
    stats: dict[str, Any]

    @property
    def frequencies(self) -> Array:
        """Frequencies (n_spins, n_modes) in the rotating frame (Hz)."""
        return np.abs(self.eigenvalues.imag) / (2.0 * np.pi)

    def plot(self, ax: Any = None, path: str | Path | None = None) -> Figure:
        """Draw frequencies and order lines; `path` saves the figure."""
        from cosserat.view.stability import plot_campbell

        return plot_campbell(self, ax, path)

    def __repr__(self) -> str:
        return (
            f"<Campbell of {self.name!r}: {self.eigenvalues.shape[1]} modes from {self.spins[0]:g} to "
            f"{self.spins[-1]:g} rad/s, {len(self.critical_speeds)} critical speeds>"
        )
