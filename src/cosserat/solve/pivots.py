"""How many eigenvalues of a symmetric matrix are negative: signs of the pivots of L D L^T (Sylvester's law)."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

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
