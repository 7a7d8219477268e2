"""LU factors of a tangent, and the sign of its determinant: it changes where a path loses or regains stability."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import SuperLU, splu


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
