"""An elastic body as linear finite elements see it: what beams and solid meshes hand to the reduction to modes.

Unknowns are displacements in world axes, at nodes that may also turn; the reference configuration is free of stress.

The mass of beams and rigid bodies is in particles that follow the nodes, with exact moments of the sections.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.elements import ElementMatrices
from cosserat.compile.matter import moments
from cosserat.compile.mesh import BeamMesh
from cosserat.compile.series import POINTS, WEIGHT, skew
from cosserat.compile.skeleton import mass_about
from cosserat.lie import se3, so3
from cosserat.lie.protocol import Array
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody

Sparse = Any  # scipy.sparse is imported where it is used


@dataclass(frozen=True)
class Arm:
    """A vector fixed to something that turns: the point it leads to moves by rotation x arm."""

    rotation: Sparse  # (3 p, n): rotation vectors at p points
    vector: Array  # (p, 3)


@dataclass(frozen=True)
class MassPoints:
    """Where the mass is: p particles, or p nodes of an interpolation, that follow the unknowns."""

    weights: Any  # (p,), or a sparse (p, p) matrix
    positions: Array  # (p, 3) world
    sampling: Sparse  # (3 p, n): displacements of the points
    arms: tuple[Arm, ...] = ()  # parts of the sampling that are rotations, for the terms of second order
    element: NDArray[np.int64] | None = None  # (p,) element of a beam that a particle belongs to

    def shapes(self, Phi: Array) -> Array:
        """Displacements (p, 3, m) of the points for columns of unknowns (n, m)."""
        return np.asarray(self.sampling @ Phi).reshape(len(self.positions), 3, -1)

    def weighted(self, values: Array) -> Array:
        """Weights times values (p, k)."""
        return self.weights[:, None] * values if np.ndim(self.weights) == 1 else self.weights @ values


@dataclass(frozen=True)
class Recovery:
    """A point of strain and stress recovery: both (6, n) times the unknowns."""

    position: Array  # (3,) world
    strain: Any
    stress: Any
    turns: bool = False  # whether the components are in world axes and turn with the floating frame's
    # (6, 12) stress, and strain, that loads along an element itself add: accelerations e_i and e_i x_k of the world, i
    # outer
    own_strain: Any = None
    own_stress: Any = None


@dataclass(frozen=True)
class Drawn:
    """What pictures show of a part: points (p, 3), their displacements (3 p, n), and lines or triangles of them."""

    points: Array
    displacement: Sparse
    cells: NDArray[np.int64]


@dataclass(frozen=True)
class FlexiblePart:
    """Matrices of an elastic body, its interfaces and its mass."""

    title: str
    stiffness: Sparse  # (n, n)
    damping: Sparse
    mass: Sparse
    rigid: Array  # (n, 6): unit translations, then unit rotations about the world origin
    frames: dict[str, Array]  # interfaces: reference frames (4, 4), world
    constraints: dict[str, Sparse]  # (6, n): translation and rotation of each interface, world axes
    points: MassPoints
    # for columns (n, k) and shapes (n, m): work (k, m, m) of stresses of columns on strains of second order of shapes
    prestress: Callable[[Array, Array], Array] | None = None
    recovery: dict[str, Recovery] = field(default_factory=dict)
    velocity: Array | None = None  # (n,) at the start
    drawn: Drawn | None = None


def rigid_motions(part: FlexiblePart, frame: Array) -> Array:
    """Unit translations and rotations (n, 6) along and about the axes of a frame (4, 4)."""
    R, origin = frame[:3, :3], frame[:3, 3]
    change = np.zeros((6, 6))
    change[:3, :3] = change[3:, 3:] = R
    change[:3, 3:] = so3.hat(origin) @ R
    return np.asarray(part.rigid @ change)


def work_on_turning_arms(points: MassPoints, Phi: Array, forces: Array) -> Array:
    """Work (k, m, m) of forces (3 p, k) at the points on the displacement of second order that turning arms add.

    exp(w) y - y = w x y + w x (w x y) / 2 + ...; for w = psi_a q^a the second term is q^a q^b g_ab / 2.
    """
    m, f = Phi.shape[1], forces.reshape(len(points.positions), 3, -1)
    total = np.zeros((f.shape[2], m, m))
    for arm in points.arms:
        psi, y = np.asarray(arm.rotation @ Phi).reshape(-1, 3, m), arm.vector
        total += np.einsum("pik,pib,pja,pj->kab", f, psi, psi, y, optimize=True)
        total -= np.einsum("pik,pi,pja,pjb->kab", f, y, psi, psi, optimize=True)
    return 0.5 * (total + np.swapaxes(total, 1, 2))


Ints = NDArray[np.signedinteger[Any]]


def beam_points(beam: Beam, mesh: BeamMesh, line: ElementMatrices, length: Array, rows: Ints, n: int) -> MassPoints:
    """Particles on the line of the elements (see `matter`) with the mass and the moments of the sections."""
    weights, positions, shares, arms, element = [], [], [], [], []
    for e, (a, b) in enumerate(mesh.local):
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
    still = sparse_matrix(0.0, np.zeros(0, int), np.zeros(0, int), (3 * len(masses), n))
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
    return sparse_matrix(values, np.arange(3 * len(values)).reshape(-1, 3, 1), rows[:, None], (3 * len(values), n))


def sparse_matrix(values: Any, rows: Ints, columns: Ints, shape: tuple[int, int]) -> Sparse:
    """A matrix with values in rows and columns, all of which are broadcast; those that meet are added."""
    from scipy.sparse import csr_matrix

    entries, rows, columns = (x.ravel() for x in np.broadcast_arrays(values, rows, columns))
    return csr_matrix((entries, (rows, columns)), shape=shape)


def assemble_matrices(matrices: Array, rows: Ints, n: int) -> Sparse:
    matrix = sparse_matrix(matrices, rows[:, :, None], rows[:, None], (n, n))
    return 0.5 * (matrix + matrix.T)
