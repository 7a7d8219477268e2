"""Monitors of a run in floating frames: its energies are those of the modal bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.results.monitors import Monitors, integrate
from cosserat.results.motion import Motion

Array = NDArray[np.float64]


class FloatingMonitors(Monitors):
    """Energies as the formulation has them; what concerns forces on nodes, which it has not, is left out.

    Parameters
    ----------
    motion : Motion
    powers : dict
        Kinetic, strain and potential energy (J), loss and supply (W), each (nt,).
    """

    def __init__(self, motion: Motion, powers: dict[str, Array]) -> None:
        super().__init__(motion)
        self._powers = powers

    def energies(self) -> dict[str, Array]:
        """Energies (J) over time; balance = total - total[0] + dissipated - work should vanish."""
        t, given = self.motion.time, self._powers
        total = given["kinetic"] + given["strain"] + given["potential"]
        dissipated, work = integrate(t, given["loss"]), integrate(t, given["supply"])
        parts = {key: given[key] for key in ("kinetic", "strain", "potential")}
        balance = total - total[0] + dissipated - work
        return parts | {"dissipated": dissipated, "work": work, "total": total, "balance": balance}

    def transport(self) -> Array:
        """Not a number: the formulation has no balance of nodes."""
        return np.full(len(self.motion.time), np.nan)
