"""Eigenvalues of a mechanism whose wheels roll: M x" + D x' + K x + Phi^T lambda = 0 with rows Phi x' + drift x = 0.

On the motions x = N q that all other constraints allow, q' = G q + Z u: wheels do not slip, so that there are fewer
velocities u than positions q. With the balance along Z this is a system z' = A z of first order in z = (q, u).
Positions to which everything is indifferent (how far it went, where to, how often a wheel turned) make chains of
eigenvalues zero, which rounding would take apart: they are split off exactly, null space by null space, before the
others are computed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.solve.linear.matrices import Matrices

Complex = NDArray[np.complex128]

_LARGEST = 1500  # motions that dense algebra can take
_ZERO = 1e-11  # of the largest singular value, below which one is zero


@dataclass(frozen=True)
class RollingSpace:
    """z' = A z with z = (q, u), x = positions q, q' = drift q + velocities u."""

    positions: Array  # (6n, nq)
    velocities: Array  # (nq, nu)
    drift: Array  # (nq, nq)
    mass: Array  # (nu, nu)
    damping: Array  # (nu, nu)
    stiffness: Array  # (nu, nq)

    @property
    def matrix(self) -> Array:
        """A (nq + nu, nq + nu)."""
        below = -np.linalg.solve(self.mass, np.hstack((self.stiffness, self.damping)))
        return np.vstack((np.hstack((self.drift, self.velocities)), below))


def rolling_space(
    matrices: Matrices, positions: Array | None = None, velocities: tuple[Array, list[int]] | None = None
) -> RollingSpace:
    """The equations of first order.

    `positions` are given columns of motions that gaps and joints allow; `velocities` given columns Z with the rows in
    which they are the identity, so that u are the rates of these coordinates.
    """
    slips = matrices.slips
    assert slips is not None
    size = matrices.mass.shape[0]
    if size > _LARGEST:
        raise SolveError(
            f"a mechanism that rolls is linearised with dense matrices; it has {size} displacements of nodes, more "
            f"than {_LARGEST}: use fewer elements"
        )
    held = matrices.constraints[~slips.rows].toarray()
    if positions is None:
        positions = null_space(held) if len(held) else np.eye(size)
    N = positions
    rows = matrices.constraints[slips.rows] @ N
    G = -np.linalg.lstsq(rows, slips.drift[slips.rows] @ N, rcond=None)[0]
    if velocities is None:
        Z = null_space(rows)
    else:
        Z, chosen = velocities
        G = G - Z @ G[chosen]
    M, D, K = (N.T @ (a @ N) for a in (matrices.mass, matrices.damping, matrices.stiffness))
    turning = M @ G + D
    return RollingSpace(N, Z, G, Z.T @ M @ Z, Z.T @ turning @ Z, Z.T @ (K + turning @ G))


def rolling_eigenpairs(matrices: Matrices) -> tuple[Complex, Complex]:
    """All eigenvalues, zeros exactly, and shapes (6n, k)."""
    space = rolling_space(matrices)
    values, vectors = split_zeros(space.matrix)
    shapes = space.positions @ vectors[: space.positions.shape[1]]
    still = np.linalg.norm(shapes, axis=0) == 0.0
    shapes[:, still] = 1.0  # what has no shape but a velocity
    return values, shapes / np.linalg.norm(shapes, axis=0)


def split_zeros(A: Array) -> tuple[Complex, Complex]:
    """Eigenvalues and vectors (columns) of a matrix; chains of zeros are found by ranks, not by eigenvalues."""
    size = len(A)
    scale = float(np.linalg.norm(A, 2)) if size else 0.0
    if scale == 0.0:
        return np.zeros(size, complex), np.eye(size, dtype=complex)
    _, sizes, V = np.linalg.svd(A)
    free = sizes <= _ZERO * scale
    if not free.any():
        values, vectors = np.linalg.eig(A)
        return values.astype(complex), vectors.astype(complex)
    zero, rest = V[free].T, V[~free].T
    values, vectors = split_zeros(rest.T @ A @ rest)
    over = zero.T @ A @ rest @ vectors
    moved = values != 0.0
    over[:, moved] = over[:, moved] / values[moved]
    over[:, ~moved] = 0.0
    lifted = rest @ vectors + zero @ over
    return (
        np.concatenate((np.zeros(zero.shape[1], complex), values)),
        np.hstack((zero.astype(complex), lifted)),
    )
