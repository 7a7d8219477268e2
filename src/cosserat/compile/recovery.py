"""Strain and stress of modal bodies at chosen points: of the modes, and of what they leave out of static answers.

The modes are too few for stresses: they leave out most of the static answer to weight, to centrifugal forces, and to
loads at interfaces without static shapes. These answers are known from the elements, less what the modes have of them
(the mode acceleration method).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_part import FlexiblePart
from cosserat.compile.reduction import ConstrainedSolver
from cosserat.model.interfaces import RecoveryPoint

Array = NDArray[np.float64]


def recovery_points(
    part: FlexiblePart, Phi: Array, frame: Array, solver: ConstrainedSolver | None
) -> dict[str, RecoveryPoint]:  # fmt: skip
    """Points of recovery for shapes (n, m) seen from a frame; without a solver, which holds the body, of modes only."""
    R = frame[:3, :3]
    rest = None if solver is None else _left_out(part, solver, Phi, frame)
    points = {}
    for key, point in part.recovery.items():
        turn = _voigt_turn(R.T) if point.turns else (np.eye(6), np.eye(6))
        strain, stress = (turn[k] @ matrix for k, matrix in enumerate((point.strain, point.stress)))
        left: dict[str, Array] = {}
        if rest is not None:
            left = {"strain_rest": np.asarray(strain @ rest), "stress_rest": np.asarray(stress @ rest)}
            if point.own_stress is not None:
                fields = _world_fields(frame)
                left["strain_rest"][:, :12] += point.own_strain @ fields
                left["stress_rest"][:, :12] += point.own_stress @ fields
        points[key] = RecoveryPoint(
            R.T @ (point.position - frame[:3, 3]), np.asarray(strain @ Phi), np.asarray(stress @ Phi), not point.turns,
            **left,
        )  # fmt: skip
    return points


def linear_fields(part: FlexiblePart, frame: Array) -> Array:
    """Forces (3 p, 12) on the points of unit fields along the frame's axes: e_j dm and e_j X_k dm, j outer."""
    points, R = part.points, frame[:3, :3]
    X = (points.positions - frame[:3, 3]) @ R
    moments = points.weighted(np.hstack((np.ones((len(X), 1)), X)))
    return np.einsum("pc,ij->pijc", moments, R).reshape(3 * len(X), 12)


def _world_fields(frame: Array) -> Array:
    """Matrix (12, 12) from accelerations a + A X in the axes of a frame to b + B x of the world, rows of (a, A)."""
    R, origin = frame[:3, :3], frame[:3, 3]
    unit = np.eye(12).reshape(12, 3, 4)
    B = R @ unit[:, :, 1:] @ R.T
    b = unit[:, :, 0] @ R.T - B @ origin
    return np.concatenate((b[:, :, None], B), axis=2).reshape(12, 12).T


def _left_out(part: FlexiblePart, solver: ConstrainedSolver, Phi: Array, frame: Array) -> Array:
    """Static displacements that the modes leave out, (n, 12 + 6 i): see `RecoveryPoint`."""
    wrenches = [part.constraints[key].T @ np.kron(np.eye(2), H[:3, :3]) for key, H in part.frames.items()]
    forces = np.hstack((-part.points.sampling.T @ linear_fields(part, frame), *map(np.asarray, wrenches)))
    stiffness = Phi.T @ (part.stiffness @ Phi)
    return solver(forces) - Phi @ np.linalg.solve(0.5 * (stiffness + stiffness.T), Phi.T @ forces)


def _voigt_turn(T: Array) -> tuple[Array, Array]:
    """Matrices that turn strains (shears doubled) and stresses in the order xx, yy, zz, yz, xz, xy by a rotation."""
    pairs = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))
    stress = np.empty((6, 6))
    for i, (a, b) in enumerate(pairs):
        for k, (c, d) in enumerate(pairs):
            stress[i, k] = T[a, c] * T[b, d] + (T[a, d] * T[b, c] if c != d else 0.0)
    factor = np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
    return factor[:, None] * stress / factor, stress
