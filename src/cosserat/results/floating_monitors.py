"""Monitors of a run in floating frames: energies and momenta as the formulation has them."""

from __future__ import annotations

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.results.floating import FloatingRecord
from cosserat.results.monitors import Monitors
from cosserat.results.motion import Motion
from cosserat.results.nodal import stored_energies


class FloatingMonitors(Monitors):
    """Energies and momenta as the formulation has them: of modal bodies, not of nodes."""

    def __init__(self, motion: Motion, record: FloatingRecord) -> None:
        super().__init__(motion)
        self._record = record

    def energies(self) -> dict[str, Array]:
        """Energies (J) over time; balance = total - total[0] + dissipated - work should vanish."""
        kinetic, strain, potential, loss, supply = self._record.ledger.powers.T
        energy, power = stored_energies(self.motion)  # of laws, whose work the formulation counts as supplied
        return self._balanced(kinetic, strain, potential + energy, loss, supply - power)

    def speeds(self) -> Array:
        """Largest velocity of a coordinate, as that of a point and as an angular one (2,)."""
        return np.full(2, np.abs(self._record.v).max(initial=0.0))

    def momentum(self) -> Array:
        """Linear momentum and angular momentum about the world's origin (nt, 6), world axes."""
        p = self._record.ledger.momentum.copy()
        p[..., 3:] += np.cross(self._record.ledger.origin, p[..., :3])
        return np.asarray(p.sum(axis=1))

    def transport(self) -> Array:
        """Residual (nt,) of the transport of the momentum of every link over each step; the first is 0.

        As in the Galilean formulation, with links instead of nodes.
        """
        record = self._record.ledger
        return self._transport(record.origin, record.momentum, record.force)


def monitors_of(motion: Motion, record: FloatingRecord | None) -> Monitors:
    """The monitors of a run, with or without floating frames."""
    return Monitors(motion) if record is None else FloatingMonitors(motion, record)
