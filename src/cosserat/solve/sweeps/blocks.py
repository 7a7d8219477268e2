"""Matrices of 6x6 blocks over the nodes and multipliers of a compiled model: products, solves, transposed solves."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

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

        self._sums: dict[tuple[str, bool], Sums] = {}

    def sums(self, which: str, transposed: bool) -> Sums:
        """How products with some of the blocks are summed: "nodes", "rows" or "all"."""
        if (which, transposed) not in self._sums:
            taken = {"nodes": self.of_nodes, "rows": self.of_rows, "all": np.arange(len(self.row))}[which]
            to, by = (self.column, self.row) if transposed else (self.row, self.column)
            self._sums[which, transposed] = Sums(to[taken], by[taken])
        return self._sums[which, transposed]


class Sums:
    """Products of blocks and vectors, summed over the blocks of each row."""

    def __init__(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        self.order = np.argsort(rows, kind="stable")
        self.columns = columns[self.order]
        self.rows, self.first = np.unique(rows[self.order], return_index=True)

    def __call__(self, blocks: Array, x: Array) -> Array:
        """Blocks (k, 6, 6) in this order times x (6 vertices, ...)."""
        parts = x.reshape(len(x) // 6, 6, -1)
        out = np.zeros_like(parts)
        if len(self.rows):
            out[self.rows] = np.add.reduceat(blocks @ parts[self.columns], self.first, axis=0)
        return out.reshape(x.shape)


class BlockMatrix:
    """Some blocks (k, 6, 6) of a pattern as a matrix over nodes and multipliers."""

    def __init__(self, pattern: BlockPattern, which: str, blocks: Array) -> None:
        self._pattern, self._which, self._blocks = pattern, which, blocks

    @cached_property
    def _ordered(self) -> tuple[Sums, Array]:
        sums = self._pattern.sums(self._which, False)
        return sums, self._blocks[sums.order]

    @cached_property
    def _turned(self) -> tuple[Sums, Array]:
        sums = self._pattern.sums(self._which, True)
        return sums, self._blocks[sums.order].transpose(0, 2, 1)

    def times(self, x: Array, transposed: bool = False) -> Array:
        """A x, or A^T x."""
        sums, blocks = self._turned if transposed else self._ordered
        return sums(blocks, x)


class BlockSystem:
    """Equations A z = b of the unknowns z = (increments of nodes, multipliers), in the solver of a problem.

    The factors are those of A with the small entries that the kernels put on the diagonal: of multipliers that others
    imply, and of nodes without mass. Iterative refinement takes these out again.
    """

    def __init__(self, memory: Memory, pattern: BlockPattern, exact: Array, guide: Array, scale: float) -> None:
        self._memory, self._pattern, self._scale = memory, pattern, scale
        self._exact = BlockMatrix(pattern, "all", exact)
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
        call = solve_transposed if transposed else solve
        found, left, size = np.zeros_like(right), right, 6 * self._pattern.n
        least = np.inf
        for _ in range(_ROUNDS):
            scaled = left.copy()
            scaled[size:] *= self._scale
            solver.x[:] = scaled.reshape(-1, 6)
            call(self._memory.address)
            step = solver.x.ravel().copy()
            step[size:] *= self._scale
            again = right - self._exact.times(found + step, transposed)
            norm = float(np.max(np.abs(again), initial=0.0))
            if not norm < least:
                break
            found, left, least = found + step, again, norm
            if norm <= _EXACT * float(np.max(np.abs(right), initial=0.0)):
                break
        return found
