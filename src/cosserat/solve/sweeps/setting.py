"""How a run that is to be differentiated is made."""

from __future__ import annotations

from typing import Any, NamedTuple

from cosserat.solve.formulation import Floating


class Setting(NamedTuple):
    """Arguments as those of `simulate`."""

    duration: float
    step: float | None
    integrator: str = "generalized-alpha"
    rho: float = 0.9
    start_time: float = 0.0
    tolerance: float = 1e-4
    newton_tolerance: float = 1e-12
    formulation: str = "galilean"
    modes: Any = None
    boundary: Any = None
    stiffening: bool = True

    @property
    def frames(self) -> Floating:
        """Floating frames, where these are the formulation."""
        return Floating(self.modes, self.boundary, self.stiffening)
