"""Where the mass of beams and rigid bodies is: particles that follow the nodes, with exact moments of the sections."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.elements import gauss_points
from cosserat.compile.flexible_part import Arm, MassPoints, Sparse, axial, lever
from cosserat.compile.mesh import BeamMesh
from cosserat.lie import se3, so3
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody

Array = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]

_WEIGHTS = 0.5 * np.polynomial.legendre.leggauss(len(gauss_points()))[1]


def beam_points(beam: Beam, mesh: BeamMesh, rows: Ints, n: int) -> MassPoints:
    """Particles with the mass and the first and second moments of the sections.

    Inside an element the axis is x = (1 - z) x_A + z x_B + h z (1 - z) (t_A - t_B)/2, t the tangents that turn with the
    nodes: the straight line and the bulge of a constant curvature. Rotations are linear in z.
    """
    pairs = mesh.pairs - mesh.first_node
    a, b = pairs[:, 0], pairs[:, 1]
    d0 = np.array([se3.log(se3.inverse(mesh.frames[i]) @ mesh.frames[k]) for i, k in pairs])
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
        return _sampling(np.concatenate(blocks, axis=2), rows[element], n)

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
    return MassPoints(np.array(weights), np.array(positions), moved, arms, element)


def lumped_body(body: RigidBody, origin: Array, node: Ints, n: int) -> tuple[Sparse, MassPoints]:
    """Mass matrix and particles of a rigid body that moves with a node."""
    local = np.zeros((6, 6))
    local[:3, :3], local[3:, 3:] = body.mass * np.eye(3), body.rotation @ body.inertia @ body.rotation.T
    carry = np.eye(6)
    carry[:3, 3:] = lever(body.com - origin)
    M = carry.T @ local @ carry
    masses, offsets = _particles(M)
    rows = np.broadcast_to(node, (len(masses), 6))
    identity = np.broadcast_to(np.eye(3), (len(masses), 3, 3))
    moved = _sampling(np.concatenate((identity, lever(offsets)), axis=2), rows, n)
    turned = _sampling(np.concatenate((np.zeros_like(identity), identity), axis=2), rows, n)
    still = sparse_matrix(np.zeros(0), np.zeros(0, int), np.zeros(0, int), (3 * len(masses), n))
    nothing = Arm(still, np.zeros_like(offsets))
    points = MassPoints(masses, origin + offsets, moved, (nothing, nothing, Arm(turned, offsets)))
    return assemble_matrices(M[None], node[None], n), points


def joined(points: list[MassPoints]) -> MassPoints:
    from scipy.sparse import vstack

    arms = tuple(
        Arm(
            vstack([p.arms[k].rotation for p in points], format="csr"),
            np.concatenate([p.arms[k].vector for p in points]),
        )
        for k in range(3)
    )
    weights, positions = (np.concatenate([getattr(p, name) for p in points]) for name in ("weights", "positions"))
    return MassPoints(weights, positions, vstack([p.sampling for p in points], format="csr"), arms)


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
