"""Beams to nodes and elements: a node wherever something is attached, corners welded."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.elements import ElementMatrices, element_matrices
from cosserat.compile.series import POINTS, frame_to_row
from cosserat.kernels.beams import relative_vectors
from cosserat.lie.protocol import Array
from cosserat.model.beams import Beam
from cosserat.model.nodes import SAME, BeamElement, node_positions
from cosserat.model.parameters import Parameter

Ints = NDArray[np.int64]

_QUARTERS = np.array([0.25, 0.5, 0.75])


def _lagrange(z: float) -> Array:
    """Lagrange polynomials of the quarters at z, over x (1 - x) of their own point."""
    first, middle, last = z - _QUARTERS
    products = np.array([8.0 * middle * last, -16.0 * first * last, 8.0 * first * middle])
    return np.asarray(products / (_QUARTERS * (1.0 - _QUARTERS)))


@dataclass(frozen=True)
class BeamMesh:
    """Nodes and elements of one beam; a corner has two nodes at the same s, one for each side.

    `inner` are the fractions of the length of every element that are passed at a quarter, a half and three quarters of
    its range of s: those of s itself, unless a curve is given by a parameter that is not its arc length.
    """

    s: Array  # (m,) of each node
    piece: Ints  # (m,) smooth piece a node belongs to
    frames: Array  # (m, 4, 4) reference frames
    first_node: int  # index of the first node in the whole mechanism
    pairs: Ints  # (ne, 2) nodes of elements, in the whole mechanism
    first_element: int
    inner: Array  # (ne, 3)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.s)

    @property
    def nodes(self) -> slice:
        """Its nodes in the whole mechanism."""
        return slice(self.first_node, self.first_node + self.n_nodes)

    @property
    def elements(self) -> slice:
        """Its elements in the whole mechanism."""
        return slice(self.first_element, self.first_element + len(self.pairs))

    @functools.cached_property
    def local(self) -> Ints:
        """Nodes (ne, 2) of its elements, counted from its own first."""
        return self.pairs - self.first_node

    @functools.cached_property
    def vectors(self) -> Array:
        """Relative vectors (ne, 6) of its elements in the reference configuration."""
        d0 = np.zeros((len(self.pairs), 6))
        relative_vectors(frame_to_row(self.frames), self.local, d0)
        return d0

    @property
    def corners(self) -> list[tuple[int, int]]:
        """Pairs of nodes (in the whole mechanism) that a corner welds together."""
        jumps = np.nonzero(np.diff(self.piece))[0]
        return [(self.first_node + int(i), self.first_node + int(i) + 1) for i in jumps]

    def node_at(self, s: float) -> int | None:
        """Node at s, or None if s lies inside an element."""
        k = int(np.argmin(np.abs(self.s - s)))
        return self.first_node + k if abs(self.s[k] - s) < SAME else None

    def element_at(self, s: float) -> tuple[int, float]:
        """Element that holds s and the fraction of its length there, in [0, 1]."""
        left, right = self.s[self.local].T
        e = int(np.clip(np.searchsorted(right, s), 0, len(right) - 1))
        z = float(np.clip((s - left[e]) / (right[e] - left[e]), 0.0, 1.0))
        excess = self.inner[e] - _QUARTERS  # of a polynomial of degree 4 that vanishes at both ends
        return self.first_element + e, float(np.clip(z + z * (1.0 - z) * _lagrange(z) @ excess, 0.0, 1.0))


def node_layout(bodies: dict[str, int], beams: dict[str, BeamMesh]) -> tuple[tuple[str, int, tuple[float, ...]], ...]:
    """What the nodes of a mechanism are: bodies, and beams with the s of their nodes."""
    lines = ((name, mesh.first_node, tuple(mesh.s.round(9).tolist())) for name, mesh in beams.items())
    return (*((name, node, ()) for name, node in bodies.items()), *lines)


def mesh_beam(beam: Beam, stations: list[float], first_node: int = 0, first_element: int = 0) -> BeamMesh:
    """Place the nodes of a beam."""
    s, piece = node_positions(beam, stations)
    frames = np.concatenate([beam.frames(s[piece == k], k) for k in range(len(beam.pieces))])
    ends = np.nonzero(np.diff(piece) == 0)[0]
    pairs = first_node + np.stack((ends, ends + 1), axis=1).astype(np.int64)
    left, right = s[ends], s[ends + 1]
    inner = beam.line.fractions(left, right, left[:, None] + _QUARTERS * (right - left)[:, None])
    return BeamMesh(s, piece, frames, first_node, pairs, first_element, inner)


def beam_matrices(beam: Beam, mesh: BeamMesh) -> tuple[ElementMatrices, Array, NDArray[np.int64]]:
    """Matrices of all elements of a beam, their Kelvin-Voigt times, and the first element with the same matrices."""
    d0, (left, right), uniform = mesh.vectors, mesh.s[mesh.local].T, beam.is_uniform
    key = np.round(d0 / np.linalg.norm(d0[:, :3], axis=1).max(), 12)
    if uniform:
        _, representative, inverse = np.unique(key, axis=0, return_index=True, return_inverse=True)
        inverse = inverse.reshape(-1)
    else:
        representative = np.arange(len(d0))
        inverse = representative
    stations = np.full((len(representative), len(POINTS)), 0.5)
    if not uniform:
        stations[:] = [beam.line.stations(left[e], right[e], POINTS) for e in representative]
    different, place = np.unique(stations, return_inverse=True)
    sections = [beam.section_at(s) for s in different.tolist()]
    stiffness, mass = (np.array(part)[place.reshape(stations.shape)] for part in zip(*sections, strict=True))
    compliance = np.asarray(np.linalg.inv(stiffness), dtype=np.float64)
    matrices = _known_matrices(d0[representative].tobytes(), compliance.tobytes(), mass.tobytes())
    viscosity = np.full(len(d0), beam.damping_at(0.5))  # the same all along
    like = np.asarray(representative[inverse], dtype=np.int64)
    return ElementMatrices(*(m[inverse] for m in matrices)), viscosity, like


@functools.lru_cache(maxsize=64)
def _known_matrices(d0: bytes, compliance: bytes, mass: bytes) -> ElementMatrices:
    """`element_matrices` of arrays given by their bytes: a model is compiled by many calls, and beams are often alike.

    What it gives must not be changed.
    """
    strain = np.frombuffer(d0).reshape(-1, 6)
    shape = (len(strain), len(POINTS), 6, 6)
    return element_matrices(strain, np.frombuffer(compliance).reshape(shape), np.frombuffer(mass).reshape(shape))


def element_mass(element: BeamElement) -> Array:
    """G, Y_A and Y_B (82,) of an element, see `matter`, node A the first of `element`'s."""
    beam, cuts, e, turned = element
    key = (Parameter.changes, cuts)
    known = beam.__dict__.get("_masses")
    if known is None or known[0] != key:
        mesh = mesh_beam(beam, list(cuts))
        known = beam.__dict__["_masses"] = key, beam_matrices(beam, mesh)[0].mass
    mass: Array = known[1][e]
    if not turned:
        return mass
    order = np.r_[4:8, 0:4]
    return np.concatenate((mass[:64].reshape(8, 8)[np.ix_(order, order)].ravel(), mass[73:], mass[64:73]))
