"""Where the mass of beams and rigid bodies is: particles that follow the nodes, with exact moments of the sections."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.elements import ElementMatrices
from cosserat.compile.flexible_part import Arm, MassPoints, Sparse
from cosserat.compile.matter import moments
from cosserat.compile.mesh import BeamMesh
from cosserat.compile.scales import mass_about
from cosserat.compile.series import POINTS, WEIGHT, skew
from cosserat.lie import se3
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody

Array = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]


def beam_points(beam: Beam, mesh: BeamMesh, line: ElementMatrices, length: Array, rows: Ints, n: int) -> MassPoints:
    """Particles on the line of the elements (see `matter`) with the mass and the moments of the sections."""
    pairs = mesh.pairs - mesh.first_node
    weights, positions, shares, arms, element = [], [], [], [], []
    for e, (a, b) in enumerate(pairs):
        stations = beam.line.stations(mesh.s[a], mesh.s[b], POINTS)
        R = mesh.frames[[a, b], :3, :3]
        x = mesh.frames[[a, b], :3, 3]
        for g, s in enumerate(stations):
            masses, offsets = _particles(beam.section_at(float(s))[1])
            P = line.axis[e, g] + offsets @ line.section[e, g].T  # (k, 8)
            N, arm = P[:, [0, 4]], np.einsum("sij,ksj->ksi", R, P.reshape(-1, 2, 4)[:, :, 1:])
            weights += list(WEIGHT[g] * length[e] * masses)
            positions += list(N @ x + arm.sum(axis=1))
            shares += list(N)
            arms += list(arm)
            element += [e] * len(masses)
    number, N, vectors = np.array(element), np.array(shares)[:, :, None, None], np.array(arms)
    blocks = np.zeros((3, len(number), 3, 12))  # of displacements, and of the turns of both nodes
    for side in range(2):
        blocks[0, :, :, 6 * side : 6 * side + 3] = N[:, side] * np.eye(3)
        blocks[0, :, :, 6 * side + 3 : 6 * side + 6] = -skew(vectors[:, side])
        blocks[1 + side, :, :, 6 * side + 3 : 6 * side + 6] = np.eye(3)
    moved, *turns = (_sampling(block, rows[number], n) for block in blocks)
    turned = tuple(Arm(turn, vectors[:, side]) for side, turn in enumerate(turns))
    return MassPoints(np.array(weights), np.array(positions), moved, turned, number)


def lumped_body(body: RigidBody, origin: Array, node: Ints, n: int) -> tuple[Sparse, MassPoints]:
    """Mass matrix and particles of a rigid body that moves with a node."""
    M = mass_about(body, se3.frame(np.eye(3), origin))
    masses, offsets = _particles(M)
    rows = np.broadcast_to(node, (len(masses), 6))
    identity = np.broadcast_to(np.eye(3), (len(masses), 3, 3))
    moved = _sampling(np.concatenate((identity, -skew(offsets)), axis=2), rows, n)
    turned = _sampling(np.concatenate((np.zeros_like(identity), identity), axis=2), rows, n)
    still = sparse_matrix(np.zeros(0), np.zeros(0, int), np.zeros(0, int), (3 * len(masses), n))
    points = MassPoints(masses, origin + offsets, moved, (Arm(turned, offsets), Arm(still, np.zeros_like(offsets))))
    return assemble_matrices(M[None], node[None], n), points


def joined(points: list[MassPoints]) -> MassPoints:
    from scipy.sparse import vstack

    arms = tuple(
        Arm(
            vstack([p.arms[k].rotation for p in points], format="csr"),
            np.concatenate([p.arms[k].vector for p in points]),
        )
        for k in range(2)
    )
    weights, positions = (np.concatenate([getattr(p, name) for p in points]) for name in ("weights", "positions"))
    return MassPoints(weights, positions, vstack([p.sampling for p in points], format="csr"), arms)


def _particles(mass: Array) -> tuple[Array, Array]:
    """Masses (k,) and positions (k, 3) in a section's axes with the moments of its mass matrix per unit length."""
    total, first, second = moments(mass)
    centre = first / total
    spread, axes = np.linalg.eigh(second - np.outer(first, centre))
    largest = float(np.abs(spread).max())
    if largest < 1e-14 * (total * float(centre @ centre) + largest) or largest == 0.0:
        return np.array([total]), centre[None]
    radius = np.sqrt(6.0 * largest / total)
    shares = spread / (2.0 * radius**2)
    masses = np.concatenate(([total - 2.0 * shares.sum()], shares, shares))
    offsets = radius * axes.T
    return masses, centre + np.concatenate((np.zeros((1, 3)), offsets, -offsets))


def _sampling(values: Array, rows: Ints, n: int) -> Sparse:
    """A matrix (3 p, n) with the blocks (p, 3, k) in the columns (p, k)."""
    index = np.broadcast_to(np.arange(3 * len(values)).reshape(-1, 3, 1), values.shape)
    return sparse_matrix(values, index, np.broadcast_to(rows[:, None], values.shape), (3 * len(values), n))


def sparse_matrix(values: Array, rows: Ints, columns: Ints, shape: tuple[int, int]) -> Sparse:
    from scipy.sparse import csr_matrix

    return csr_matrix((np.ravel(values), (np.ravel(rows), np.ravel(columns))), shape=shape)


def assemble_matrices(matrices: Array, rows: Ints, n: int) -> Sparse:
    shape = matrices.shape
    matrix = sparse_matrix(
        matrices, np.broadcast_to(rows[:, :, None], shape), np.broadcast_to(rows[:, None], shape), (n, n)
    )
    return 0.5 * (matrix + matrix.T)
