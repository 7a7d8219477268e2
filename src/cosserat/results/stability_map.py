"""`StabilityMap`: growth over two parameters, and the boundary of the stable region."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answering

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]


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
