"""`Campbell`: frequencies against the speed of rotation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answering
from cosserat.results.stability import Critical

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]


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
