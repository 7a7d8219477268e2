"""A beam as a `FlexiblePart`: the matrices of its own finite elements in the reference configuration.

Stiffness, damping and mass are those of the equations that `simulate` solves, linearised. Third derivatives of the
strain energy, from which loads stiffen the beam, are those of the same elements: with e = d - d0 = e1 + e2/2 + ... for
displacements u and rotation vectors w of the nodes, e1 = P y and e2 = DP[P y] y - P (w x u, 0).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.elements import gauss_points, skew
from cosserat.compile.flexible_part import Arm, FlexiblePart, MassPoints, Recovery, Sparse, axial, lever
from cosserat.compile.mesh import BeamMesh, beam_matrices, mesh_beam
from cosserat.lie import se3, so3
from cosserat.model.beams import Beam

Array = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]

_WEIGHTS = 0.5 * np.polynomial.legendre.leggauss(len(gauss_points()))[1]


def beam_part(beam: Beam, stations: dict[str, float], recovery: dict[str, float]) -> FlexiblePart:
    """Matrices of a beam with interfaces at the stations (name: s) and recovery of section forces."""
    mesh = mesh_beam(beam, list(stations.values()), 0, 0)
    elements = _Elements(beam, mesh)
    corner = np.concatenate(([0], np.cumsum(np.diff(mesh.piece) != 0)))
    number = np.arange(mesh.n_nodes) - corner  # the two nodes of a corner move as one
    n = 6 * (number[-1] + 1)
    rows = (6 * number[mesh.pairs][:, :, None] + np.arange(6)).reshape(-1, 12)
    frames, constraints = {}, {}
    for name, s in stations.items():
        node = mesh.node_at(s)
        assert node is not None
        frames[name] = mesh.frames[node]
        constraints[name] = _matrix(np.ones(6), np.arange(6), 6 * number[node] + np.arange(6), (6, n))
    rigid = np.zeros((n, 6))
    first = np.nonzero(np.diff(number, prepend=-1))[0]
    rigid.reshape(-1, 6, 6)[:] = np.eye(6)
    rigid.reshape(-1, 6, 6)[:, :3, 3:] = lever(mesh.frames[first, :3, 3])
    return FlexiblePart(
        title=beam.title,
        stiffness=_assemble(elements.stiffness, rows, n),
        damping=_assemble(elements.stiffness * elements.viscosity[:, None, None], rows, n),
        mass=_assemble(elements.mass, rows, n),
        rigid=rigid,
        frames=frames,
        constraints=constraints,
        points=_mass_points(beam, mesh, elements.d0, rows, n),
        third=lambda U, Phi: elements.third(U[rows], Phi[rows]),
        recovery={name: _section_forces(beam, mesh, elements, rows, n, s) for name, s in recovery.items()},
    )


class _Elements:
    """Element matrices (ne, 12, 12) in world axes."""

    def __init__(self, beam: Beam, mesh: BeamMesh) -> None:
        a, b = mesh.pairs[:, 0], mesh.pairs[:, 1]
        self.d0 = np.array([se3.log(se3.inverse(mesh.frames[i]) @ mesh.frames[k]) for i, k in mesh.pairs])
        local, self.viscosity = beam_matrices(beam, mesh, self.d0)
        self.turn = np.zeros((len(self.d0), 12, 12))  # from world axes to those of the two nodes
        for block, node in enumerate((a, a, b, b)):
            span = slice(3 * block, 3 * block + 3)
            self.turn[:, span, span] = np.swapaxes(mesh.frames[node, :3, :3], 1, 2)
        self.section = local.stiffness
        keys = np.round(self.d0 / np.linalg.norm(self.d0[:, :3], axis=1).max(), 12)
        _, self._representative, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        self._inverse = inverse.reshape(-1)
        P = [np.hstack((-se3.tangent_inv(-d), se3.tangent_inv(d))) for d in self.d0[self._representative]]
        self.P = np.array(P)[self._inverse]
        gradient = self.P @ self.turn
        self.stiffness = np.swapaxes(gradient, 1, 2) @ self.section @ gradient
        self.mass = np.swapaxes(self.turn, 1, 2) @ local.mass @ self.turn
        coupling = local.coupling[:, None, None] * np.eye(3)
        self.mass[:, :3, 6:9] += coupling
        self.mass[:, 6:9, :3] += coupling

    def _second(self) -> Array:
        """e2 (ne, 6, 12, 12) as a symmetric bilinear map of displacements in the axes of the nodes."""
        found = []
        for e in self._representative:
            d, P = self.d0[e], self.P[e]
            E2 = np.empty((6, 12, 12))
            for j in range(12):
                E2[:, j, :6] = se3.tangent_inv_derivative(-d, P[:, j])
                E2[:, j, 6:] = se3.tangent_inv_derivative(d, P[:, j])
            for side in (0, 6):
                # - w x u, w with the first index
                for j in range(3):
                    E2[:, side + 3 + j, side : side + 3] -= P[:, side : side + 3] @ skew(np.eye(3)[j])
            found.append(0.5 * (E2 + np.swapaxes(E2, 1, 2)))
        return np.array(found)[self._inverse]

    def third(self, U: Array, Phi: Array) -> Array:
        """U3[u, a, b], (k, m, m), for nodal values (ne, 12, k) and (ne, 12, m)."""
        E2 = self._second()
        u, phi = self.turn @ U, self.turn @ Phi
        Ku = self.section @ self.P @ u
        K_phi = self.section @ self.P @ phi
        pairs = np.einsum("ecij,eja->ecia", E2, phi, optimize=True)
        out = np.einsum("eck,ecia,eib->kab", Ku, pairs, phi, optimize=True)
        cross = np.einsum("ecb,ecia,eik->kab", K_phi, pairs, u, optimize=True)
        return out + cross + np.swapaxes(cross, 1, 2)


def _matrix(values: Array, rows: Ints, columns: Ints, shape: tuple[int, int]) -> Sparse:
    from scipy.sparse import csr_matrix

    return csr_matrix((np.ravel(values), (np.ravel(rows), np.ravel(columns))), shape=shape)


def _assemble(matrices: Array, rows: Ints, n: int) -> Sparse:
    shape = matrices.shape
    matrix = _matrix(matrices, np.broadcast_to(rows[:, :, None], shape), np.broadcast_to(rows[:, None], shape), (n, n))
    return 0.5 * (matrix + matrix.T)


def _mass_points(beam: Beam, mesh: BeamMesh, d0: Array, rows: Ints, n: int) -> MassPoints:
    """Particles with the mass and the first and second moments of the sections.

    Inside an element the axis is x = (1 - z) x_A + z x_B + h z (1 - z) (t_A - t_B)/2, t the tangents that turn with the
    nodes: the straight line and the bulge of a constant curvature. Rotations are linear in z.
    """
    a, b = mesh.pairs[:, 0], mesh.pairs[:, 1]
    R_a, R_b = mesh.frames[a, :3, :3], mesh.frames[b, :3, :3]
    length = np.linalg.norm(d0[:, :3], axis=1)
    weights, positions, near, far, inside, place = [], [], [], [], [], []
    for e in range(len(d0)):
        t = d0[e, :3] / length[e]
        left, right = mesh.s[a[e]], mesh.s[b[e]]
        for z, w in zip(gauss_points(), _WEIGHTS, strict=True):
            bulge = 0.5 * length[e] * z * (1.0 - z)
            arm_a, arm_b = bulge * R_a[e] @ t, -bulge * R_b[e] @ t
            axis = (1.0 - z) * mesh.frames[a[e], :3, 3] + z * mesh.frames[b[e], :3, 3] + arm_a + arm_b
            masses, offsets = _particles(beam.section_at(float(left + z * (right - left)))[1])
            offsets = offsets @ (R_a[e] @ so3.exp(z * d0[e, 3:])).T
            for mass, y in zip(masses, offsets, strict=True):
                weights.append(w * length[e] * mass)
                positions.append(axis + y)
                near.append(arm_a)
                far.append(arm_b)
                inside.append(y)
                place.append((e, z))
    element = np.array([e for e, _ in place])
    z = np.array([z for _, z in place])[:, None, None]
    identity = np.broadcast_to(np.eye(3), (len(z), 3, 3))
    y = np.array(inside)

    def sampling(*blocks: Array) -> Sparse:
        values = np.concatenate(blocks, axis=2)
        index = np.broadcast_to(np.arange(3 * len(z)).reshape(-1, 3, 1), values.shape)
        return _matrix(values, index, np.broadcast_to(rows[element][:, None], values.shape), (3 * len(z), n))

    nothing = np.zeros_like(identity)
    moved = sampling(
        (1.0 - z) * identity,
        lever(np.array(near) + (1.0 - z[:, 0]) * y),
        z * identity,
        lever(np.array(far) + z[:, 0] * y),
    )
    arms = (
        Arm(sampling(nothing, identity, nothing, nothing), np.array(near)),
        Arm(sampling(nothing, nothing, nothing, identity), np.array(far)),
        Arm(sampling(nothing, (1.0 - z) * identity, nothing, z * identity), y),
    )
    return MassPoints(np.array(weights), np.array(positions), moved, arms)


def _particles(mass: Array) -> tuple[Array, Array]:
    """Masses (k,) and positions (k, 3) in a section's axes with the moments of its mass matrix per unit length."""
    total = float(np.trace(mass[:3, :3])) / 3.0
    centre = axial(mass[3:, :3]) / total
    J = mass[3:, 3:]
    second = 0.5 * np.trace(J) * np.eye(3) - J - total * np.outer(centre, centre)
    spread, axes = np.linalg.eigh(0.5 * (second + second.T))
    largest = float(np.abs(spread).max())
    if largest < 1e-14 * (total * float(centre @ centre) + largest) or largest == 0.0:
        return np.array([total]), centre[None]
    radius = np.sqrt(6.0 * largest / total)
    shares = spread / (2.0 * radius**2)
    masses = np.concatenate(([total - 2.0 * shares.sum()], shares, shares))
    offsets = radius * axes.T
    return masses, centre + np.concatenate((np.zeros((1, 3)), offsets, -offsets))


def _section_forces(beam: Beam, mesh: BeamMesh, elements: _Elements, rows: Ints, n: int, s: float) -> Recovery:
    """Force and moment of the part of larger s on the part of smaller s, and strains, in the section's axes."""
    e, z = mesh.element_at(s)
    nodal = elements.section[e] @ elements.P[e] @ elements.turn[e]
    force = -elements.P[e].T[:6] @ nodal  # on node A, in its axes; carried to the section without loads in between
    carry = se3.adjoint(se3.exp(z * elements.d0[e])).T
    stress = carry @ force
    full = np.zeros((6, n))
    full[:, rows[e]] = stress
    position = (mesh.frames[mesh.pairs[e, 0]] @ se3.exp(z * elements.d0[e]))[:3, 3]
    return Recovery(position, np.linalg.solve(beam.section_at(s)[0], full), full)
