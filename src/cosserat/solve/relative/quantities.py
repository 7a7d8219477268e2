"""What the recursions give besides plain arrays. Apart from `tree`, whose kernels take long to load."""

from __future__ import annotations

from typing import NamedTuple

from cosserat.lie.protocol import Array
from cosserat.results.status import Status


class InverseDerivatives(NamedTuple):
    """Derivatives (n, n) or (N, n, n) of the efforts."""

    dq: Array
    dv: Array
    da: Array


class ForwardDerivatives(NamedTuple):
    """Derivatives (n, n) of the accelerations, and the accelerations (n,); or stacks of both."""

    dq: Array
    dv: Array
    dtau: Array
    a: Array


class Energy(NamedTuple):
    """Energies of a state (J); the potential energy of gravity is zero at the world's origin."""

    kinetic: float
    strain: float
    potential: float
    total: float


class TreeMotion(NamedTuple):
    """A motion in the coordinates of a tree: times (nt,), coordinates, velocities, accelerations (nt, n)."""

    time: Array
    q: Array
    v: Array
    a: Array
    status: Status

    def __repr__(self) -> str:
        return f"<TreeMotion: {len(self.time)} stored times to t = {self.time[-1]:g} s, {self.status.message}>"
