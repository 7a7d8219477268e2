"""Sparse matrices of nodes from the blocks of the kernels, gradients of constraints, and motions that meet them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, bsr_matrix, csc_matrix, csr_matrix, identity
from scipy.sparse.linalg import splu

from cosserat.lie.protocol import Array
from cosserat.solve.tangent import assemble_blocks

if TYPE_CHECKING:
    from cosserat.compile.compiled import CompiledModel
    from cosserat.solve.memory import Memory


def nearest_motion(rows: csc_matrix) -> Callable[[Array, Array], tuple[Array, Array]]:
    """A function of x (n, ...) and demands g (m, ...): the nearest to x with rows x = g, and the multipliers."""
    m, n = rows.shape
    if m == 0:
        return lambda x, _: (x, np.zeros((0, *x.shape[1:])))
    solve = splu(block_array([[identity(n), rows.T], [rows, None]], format="csc")).solve

    def nearest(x: Array, demand: Array) -> tuple[Array, Array]:
        out = solve(np.concatenate((x, demand)))
        return out[:n], out[n:]

    return nearest


def every_row(compiled: CompiledModel) -> list[Array]:
    """All rows (k, 6) of each joint, knife edge and rolling disc, to choose from."""
    counts = [*compiled.system.joints.n_rows.tolist(), *compiled.system.rolling.n_rows.tolist()]
    return [np.eye(6)[:count] for count in counts]


def constraint_gradients(
    compiled: CompiledModel, memory: Memory, keep: list[Array], damping: float = 0.0, stiffness: float = 1.0
) -> csc_matrix:
    """Gradients (m, 6n) of combinations (k, 6) of the rows of joints and of what rolls, in the trial state.

    With a damping c, those of what rolls are A + (stiffness/c) d(A v)/dx.
    """
    n = compiled.n_nodes
    if compiled.n_multipliers == 0:
        return csc_matrix((0, 6 * n))
    blocks = assemble_blocks(memory, damping=damping, stiffness=stiffness, scale=1.0)
    rows, columns = compiled.blocks.T
    borders = np.nonzero((rows >= n) & (columns < n))[0]
    first = np.concatenate(([0], np.cumsum([len(rows) for rows in keep])))
    data, i, k = [], [], []
    for b in borders:
        j = rows[b] - n
        part = keep[j] @ blocks[b]
        at, q = np.nonzero(part)
        data.append(part[at, q])
        i.append(first[j] + at)
        k.append(6 * columns[b] + q)
    if not data:
        return csc_matrix((int(first[-1]), 6 * n))
    return csr_matrix(
        (np.concatenate(data), (np.concatenate(i), np.concatenate(k))), shape=(int(first[-1]), 6 * n)
    ).tocsc()


def nodal_matrix(compiled: CompiledModel, which: NDArray[np.int64], blocks: Array) -> csc_matrix:
    """Blocks (k, 6, 6) between nodes, numbered as in the pattern, as a sparse matrix (6n, 6n)."""
    n = compiled.n_nodes
    rows, columns = compiled.blocks[which].T
    order = np.lexsort((columns, rows))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n))))
    out = bsr_matrix((blocks[order], columns[order], indptr), shape=(6 * n, 6 * n)).tocsc()
    out.eliminate_zeros()
    return out
