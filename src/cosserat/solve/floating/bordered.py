"""The tree's matrix bordered by constraints and by springs: few rows, divided by through the O(n) factors."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_RANK = 1e-11  # eigenvalues below this part of the greatest belong to rows that others imply


class Change(NamedTuple):
    """Accelerations (n,) and multipliers (m,)."""

    a: Array
    force: Array


class Factored(Protocol):
    """A matrix that can be divided by."""

    def solve(self, tau: Array) -> Array:
        """Solutions for right-hand sides (n,), or one per row."""


class Bordered:
    """[S + B^T k B, A^T; A, 0] with S factored.

    The few rows C = (A, B) are eliminated through G = C S^-1 C^T + diag(0, 1/k). Rows of A that others imply leave G
    singular; the multipliers are then the smallest ones.

    Parameters
    ----------
    factored : Factored
        S.
    A : (m, n)
        Rows of constraints.
    B, k : (p, n), (p,)
        Rows of springs, and their stiffness, greater than 0.

    Attributes
    ----------
    C, Y : (m + p, n)
        All rows, and S^-1 times each.
    """

    def __init__(self, factored: Factored, A: Array, B: Array, k: Array) -> None:
        self._factored, self._m = factored, len(A)
        self.C = np.vstack((A, B))
        self.Y, self._root = np.zeros(self.C.shape), np.zeros((len(self.C), 0))
        if not len(self.C):  # of a free joint, which closes a loop without any rows
            return
        self.Y = factored.solve(self.C)
        G = self.C @ self.Y.T  # zero for rows that nothing moves, which get no multiplier
        G[range(self._m, len(G)), range(self._m, len(G))] += 1.0 / k
        scale = np.sqrt(np.where(np.diag(G) > 0.0, np.diag(G), 1.0))
        values, vectors = np.linalg.eigh(0.5 * (G + G.T) / scale / scale[:, None])
        kept = values > _RANK * values[-1]
        self._root = (vectors[:, kept] / np.sqrt(values[kept])) / scale[:, None]
        self._root[np.diag(G) <= 0.0] = 0.0

    @property
    def inverse(self) -> Array:
        """Pseudo-inverse (m + p, m + p) of G."""
        return np.asarray(self._root @ self._root.T)

    def solve(self, r: Array | None, wanted: Array) -> Change:
        """a and multipliers of S a + B^T k B a + A^T force = -r, A a = wanted; without r it is zero."""
        free = np.zeros(self.C.shape[1]) if r is None else self._factored.solve(-r)
        if not len(self.C):
            return Change(free, np.zeros(0))
        rest = self.C @ free
        rest[: self._m] -= wanted
        force = self._root @ (rest @ self._root)
        return Change(free - force @ self.Y, force[: self._m])
