"""The tree's matrix bordered by constraints and by springs: few rows, divided by through the O(n) factors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.solve.relative.flexible_recursion import Articulated

Array = NDArray[np.float64]

_RANK = 1e-11  # eigenvalues below this part of the greatest belong to rows that others imply


class Change(NamedTuple):
    """Accelerations (n,) and multipliers (m,)."""

    a: Array
    force: Array


class Bordered:
    """[S + B^T k B, A^T; A, 0] with S factored.

    The few rows C = (A, B) are eliminated through G = C S^-1 C^T + diag(0, 1/k). Rows of A that others imply leave G
    singular; the multipliers are then the smallest ones.

    Parameters
    ----------
    factored : Articulated
        S.
    A : (m, n)
        Rows of constraints.
    B, k : (p, n), (p,)
        Rows of springs, and their stiffness, greater than 0.
    """

    def __init__(self, factored: Articulated, A: Array, B: Array, k: Array) -> None:
        self._factored, self._m = factored, len(A)
        self._C = np.vstack((A, B))
        if not len(self._C):
            return
        self._Y = factored.solve(self._C)
        G = self._C @ self._Y.T  # zero for rows that nothing moves, which get no multiplier
        G[range(self._m, len(G)), range(self._m, len(G))] += 1.0 / k
        scale = np.sqrt(np.where(np.diag(G) > 0.0, np.diag(G), 1.0))
        values, vectors = np.linalg.eigh(0.5 * (G + G.T) / scale / scale[:, None])
        kept = values > _RANK * values[-1]
        self._root = (vectors[:, kept] / np.sqrt(values[kept])) / scale[:, None]
        self._root[np.diag(G) <= 0.0] = 0.0

    def solve(self, r: Array | None, wanted: Array) -> Change:
        """a and multipliers of S a + B^T k B a + A^T force = -r, A a = wanted; without r it is zero."""
        free = np.zeros(self._C.shape[1]) if r is None else self._factored.solve(-r)
        if not len(self._C):
            return Change(free, np.zeros(0))
        rest = self._C @ free
        rest[: self._m] -= wanted
        force = self._root @ (rest @ self._root)
        return Change(free - force @ self._Y, force[: self._m])
