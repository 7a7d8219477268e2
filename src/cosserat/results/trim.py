"""`Trim`: parameters for which a wanted state is in balance, and whether it stays there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answering
from cosserat.results.equilibrium import Equilibrium

Complex = NDArray[np.complex128]


@answering
@dataclass(frozen=True)
class Trim:
    """Result of `trim`.

    Attributes
    ----------
    parameters : dict
        Values found; ``model.set(**found.parameters)`` takes them over.
    equilibrium : Equilibrium
        The trimmed state.
    residual : float
        What is left: the largest unbalanced force (N) where a configuration was held, else the largest distance from a
        target (m, rad).
    eigenvalues : (k,) complex
        Of small motions about the state (1/s), those nearest zero, motions go like exp(s t).
    growth_rate : float
        Largest real part of an eigenvalue that is more than rounding (1/s); 0 if none grows.
    neutral : int
        Number of zero eigenvalues: motions that nothing brings back.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> place, T = bob.at((0, 0, 0)), cs.Parameter("T", 0.0)
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, place, axis=(0, 1, 0), effort=T))
    >>> found = cs.trim(model, ["T"])
    >>> round(found.parameters["T"], 9)
    -20.0
    """

    parameters: dict[str, float]
    equilibrium: Equilibrium
    residual: float
    eigenvalues: Complex
    growth_rate: float
    neutral: int

    @property
    def stable(self) -> bool:
        """Whether no small motion about the state grows exponentially."""
        return self.growth_rate == 0.0

    @property
    def verdict(self) -> str:
        """Stability in words."""
        if not self.stable:
            return f"unstable: small motions grow like exp({self.growth_rate:.4g} t)"
        if self.neutral:
            return f"nothing grows exponentially, but {self.neutral} eigenvalue(s) are zero: it drifts when pushed"
        return "stable"

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:.6g}" for name, value in self.parameters.items())
        return f"<Trim: {values}; {self.verdict}>"
