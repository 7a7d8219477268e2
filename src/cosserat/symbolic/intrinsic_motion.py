"""What the intrinsic solver returns: twists, strains, reconstructed frames, energy, residual of compatibility."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cosserat.errors import ArgumentError
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.symbolic.intrinsic_beam import IntrinsicBeam


@dataclass(frozen=True)
class IntrinsicMotion:
    """Motion of a beam from its intrinsic equations.

    Attributes
    ----------
    beam : IntrinsicBeam
        The data it was solved with.
    time : (nt,) array
        Instants (s).
    twist : (nt, n, 6) array
        Material twists of the nodes, linear part first.
    strain : (nt, n-1, 6) array
        f = g^-1 dg/dS in the elements.
    frames : (nt, n, 4, 4) array
        Frames of the nodes.
    """

    beam: IntrinsicBeam
    time: Array
    twist: Array
    strain: Array
    frames: Array

    @property
    def s(self) -> Array:
        """Places of the nodes along the beam, 0 to 1."""
        return self.beam.s

    def position(self, s: float) -> Array:
        """Positions (nt, 3) of the node at s, world axes."""
        k = int(np.argmin(np.abs(self.beam.s - s)))
        if abs(self.beam.s[k] - s) > 1e-9:
            known = self.beam.s.round(6).tolist()
            raise ArgumentError("IntrinsicMotion.position", "s", f"is {s!r}; nodes are at {known}")
        return self.frames[:, k, :3, 3]

    @property
    def stress(self) -> Array:
        """Stress resultants K (f - f0), (nt, n-1, 6), without their viscous part."""
        return np.einsum("eij,tej->tei", self.beam.stiffness, self.strain - self.beam.reference)

    @property
    def momentum(self) -> Array:
        """Momenta M eta per unit length at the nodes, (nt, n, 6)."""
        return np.einsum("nij,tnj->tni", self.beam.mass, self.twist)

    @property
    def energy(self) -> Array:
        """Kinetic and strain energy, (nt,) (J)."""
        kinetic = 0.5 * np.einsum("n,tni,tni->t", self.beam.weight, self.momentum, self.twist)
        strain = self.strain - self.beam.reference
        return np.asarray(kinetic + 0.5 * np.einsum("e,tei,tei->t", self.beam.length, self.stress, strain))

    @cached_property
    def compatibility(self) -> Array:
        """Strains less those of the frames, f - log(H_a^-1 H_b)/L, (nt, n-1, 6): zero where (69) holds exactly."""
        out = np.empty_like(self.strain)
        for k, frames in enumerate(self.frames):
            for e, length in enumerate(self.beam.length):
                out[k, e] = self.strain[k, e] - se3.log(se3.inverse(frames[e]) @ frames[e + 1]) / length
        return out
