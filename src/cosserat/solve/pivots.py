"""Signs of pivots: how many eigenvalues of a symmetric matrix are negative (Sylvester's law), and of determinants.

The sign of the determinant of a tangent changes where a path loses or regains stability.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import ArpackError, LinearOperator, SuperLU, eigs, splu

from cosserat.lie.protocol import Array

STIFFENED = 1e2  # stiffness of joints against what they do not allow, in typical ones
CLEAR = 1e-10  # pivot, relative to its diagonal, whose sign is no rounding


def pivots(matrix: csc_matrix) -> Array | None:
    """Pivots of a symmetric matrix, relative to the diagonal; None where it cannot be factored without exchanges."""
    try:
        lu = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:
        return None
    if not np.array_equal(lu.perm_r, lu.perm_c):
        return None
    diagonal = np.empty(matrix.shape[0])
    diagonal[lu.perm_c] = np.abs(matrix.diagonal())
    found: Array = lu.U.diagonal()
    with np.errstate(divide="ignore", invalid="ignore"):
        return found / diagonal


def factors_of(matrix: csc_matrix) -> SuperLU | None:
    """LU factors; none if the matrix is singular."""
    try:
        return splu(matrix)
    except RuntimeError:
        return None


def signed_factors(matrix: csc_matrix) -> tuple[SuperLU | None, int]:
    """LU factors and the sign of the determinant; no factors if the matrix is singular."""
    lu = factors_of(matrix)
    return lu, 0 if lu is None else sign_of(lu)


def sign_of(lu: SuperLU) -> int:
    """Sign of the determinant of a matrix with these factors."""
    return _parity(lu.perm_r) * _parity(lu.perm_c) * int(np.prod(np.sign(lu.U.diagonal())))


def largest_eigenpairs(
    apply: Callable[[Array], Array], size: int, count: int, dense: int, tolerance: float = 0.0
) -> tuple[Array, Array] | None:
    """Eigenvalues of a map of vectors, and their vectors: all of them up to the size `dense`, beyond it the largest.

    None where they are not found.
    """
    if size <= dense:
        found: tuple[Array, Array] = eig(np.array([apply(column) for column in np.eye(size)]).T)
        return found
    start = np.random.default_rng(1).normal(size=size)
    try:
        found = eigs(LinearOperator((size, size), matvec=apply), k=count, v0=start, tol=tolerance)
    except ArpackError:
        return None
    return found


def _parity(permutation: NDArray[np.int32]) -> int:
    """+1 for an even permutation, -1 for an odd one, by counting cycles."""
    cycles = 0
    following = permutation.tolist()
    seen = [False] * len(following)
    for start in range(len(following)):
        if not seen[start]:
            cycles += 1
            k = start
            while not seen[k]:
                seen[k] = True
                k = following[k]
    return -1 if (len(following) - cycles) % 2 else 1
