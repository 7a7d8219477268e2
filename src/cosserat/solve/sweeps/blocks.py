"""Matrices of 6x6 blocks over the nodes and multipliers of a compiled model: products, solves, transposed solves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix

from cosserat.compile.compiled import CompiledModel
from cosserat.kernels.blocks import factor, load_transposed, solve, solve_transposed
from cosserat.lie.protocol import Array
from cosserat.solve.memory import Memory

_ROUNDS = 6  # of iterative refinement, at most
_EXACT = 1e-13  # of the right-hand side: what refinement leaves


class BlockPattern:
    """Where the blocks between nodes, and those of the rows of constraints, are in the pattern of a model."""

    def __init__(self, compiled: CompiledModel) -> None:
        n, (rows, columns) = compiled.n_nodes, compiled.blocks.T
        self.n, self.m = n, compiled.n_multipliers
        self.of_nodes = np.nonzero((rows < n) & (columns < n))[0]
        self.of_rows = np.nonzero((rows >= n) & (columns < n))[0]
        self.of_columns = np.nonzero((rows < n) & (columns >= n))[0]
        self.row, self.column = rows, columns

    def matrix(self, which: NDArray[np.int64], blocks: Array) -> bsr_matrix:
        """Some blocks (k, 6, 6) as a sparse matrix over nodes and multipliers."""
        rows, columns = self.row[which], self.column[which]
        size = self.n + self.m
        order = np.lexsort((columns, rows))
        indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=size))))
        return bsr_matrix((blocks[order], columns[order], indptr), shape=(6 * size, 6 * size))


class BlockSystem:
    """Equations A z = b of the unknowns z = (increments of nodes, multipliers), in the solver of a problem.

    The factors are those of A with the small entries that the kernels put on the diagonal: of multipliers that others
    imply, and of nodes without mass. Iterative refinement takes these out again.
    """

    def __init__(self, memory: Memory, pattern: BlockPattern, exact: Array, guide: Array, scale: float) -> None:
        self._memory, self._pattern, self._scale = memory, pattern, scale
        every = np.arange(len(exact))
        self._exact = pattern.matrix(every, exact)
        self._back = self._exact.T.tocsr()
        solver = memory.problem.solver
        solver.blocks[:-1] = exact
        solver.blocks[pattern.of_columns] *= scale
        solver.blocks[pattern.of_rows] *= scale
        solver.blocks[:-1] += guide
        load_transposed(memory.address)
        factor(memory.address)
        self._factors = solver.blocks.copy()

    def solve(self, right: Array, transposed: bool = False) -> Array:
        """A^-1 right or A^-T right, for columns (6(n + m), ...)."""
        if right.ndim == 2:
            return np.array([self.solve(column, transposed) for column in right.T]).T.reshape(right.shape)
        solver = self._memory.problem.solver
        solver.blocks[:] = self._factors
        matrix, call = (self._back, solve_transposed) if transposed else (self._exact, solve)
        found, left, size = np.zeros_like(right), right, 6 * self._pattern.n
        least = np.inf
        for _ in range(_ROUNDS):
            scaled = left.copy()
            scaled[size:] *= self._scale
            solver.x[:] = scaled.reshape(-1, 6)
            call(self._memory.address)
            step = solver.x.ravel().copy()
            step[size:] *= self._scale
            again = right - matrix @ (found + step)
            norm = float(np.max(np.abs(again), initial=0.0))
            if not norm < least:
                break
            found, left, least = found + step, again, norm
            if norm <= _EXACT * float(np.max(np.abs(right), initial=0.0)):
                break
        return found
