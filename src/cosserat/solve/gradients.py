"""Sparse matrices of nodes from the blocks of the kernels, gradients of constraints, and motions that meet them.

Which combinations of constraint rows others imply, geometry alone tells, whatever the inertia. There, rows count in
metres (rotations times the typical length) and are scaled to norm 1, so that a distance from the span of other rows is
a pure number.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, bsr_matrix, csc_matrix, csr_matrix, diags, identity
from scipy.sparse.linalg import splu

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.series import skew
from cosserat.kernels.beams import relative_vectors
from cosserat.lie.coefficients import cotc, d_cotc
from cosserat.lie.protocol import Array
from cosserat.solve.memory import Memory, assemble_blocks

_IMPLIED = 1e-9  # square of the distance from the span of other rows that counts as none


def nearest_motion(
    rows: csc_matrix, metric: csc_matrix | None = None
) -> Callable[[Array, Array], tuple[Array, Array]]:
    """A function of x (n, ...) and demands g (m, ...): the nearest to x with rows x = g, and the multipliers.

    In a metric, of metric x instead of x.
    """
    m, n = rows.shape
    if m == 0 and metric is None:
        return lambda x, _: (x, np.zeros((0, *x.shape[1:])))
    solve = splu(block_array([[identity(n) if metric is None else metric, rows.T], [rows, None]], format="csc")).solve

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


def element_strains(frames: Array, node: NDArray[np.int64], size: int) -> csc_matrix:
    """P (6e, size) with the change of d = log(H_A^-1 H_B) of every element, P = [-T^-1(-d), T^-1(d)]."""
    if not len(node):
        return csc_matrix((0, size))
    d = np.zeros((len(node), 6))
    relative_vectors(frames, np.ascontiguousarray(node), d)
    u, w = d[:, :3], d[:, 3:]
    square = np.sum(w * w, axis=1)
    c = np.array([cotc(t) for t in square])[:, None, None]
    c1 = np.array([d_cotc(t) for t in square]) * np.sum(u * w, axis=1)
    U, W = skew(u), skew(w)
    A = np.eye(3) + 0.5 * W + c * (W @ W)
    B = 0.5 * U + c * (U @ W + W @ U) + c1[:, None, None] * (W @ W)
    blocks = np.zeros((len(node), 2, 6, 6))
    for side, (sign, a, b) in enumerate(((-1.0, A.swapaxes(1, 2), B.swapaxes(1, 2)), (1.0, A, B))):
        blocks[:, side, :3, :3], blocks[:, side, :3, 3:], blocks[:, side, 3:, 3:] = sign * a, sign * b, sign * a
    order = np.argsort(node, axis=1)
    columns = np.take_along_axis(node, order, axis=1).ravel()
    sorted_blocks = np.take_along_axis(blocks, order[:, :, None, None], axis=1).reshape(-1, 6, 6)
    first = 2 * np.arange(len(node) + 1)
    return bsr_matrix((sorted_blocks, columns, first), shape=(6 * len(node), size)).tocsc()


def implied_rows(compiled: CompiledModel, memory: Memory, suspects: list[int]) -> list[Array]:
    """For each suspect joint, combinations (6, k) of its rows that the others imply; orthonormal columns.

    Of joints that imply one another the later suspects lose. All other joints have to be independent.
    """
    every = every_row(compiled)
    counts = [len(rows) for rows in every]
    rows = constraint_gradients(compiled, memory, every)
    rows = rows @ diags(np.tile([1.0, 1.0 / compiled.length], compiled.n_nodes).repeat(3))
    norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    norms[norms == 0.0] = 1.0
    rows = (diags(1.0 / norms) @ rows).tocsr()
    first = np.concatenate(([0], np.cumsum(counts)))
    of = [np.arange(first[j], first[j + 1]) for j in suspects]
    doubtful = np.concatenate(of)
    left = _beyond(rows[np.setdiff1d(np.arange(first[-1]), doubtful)].tocsc(), rows[doubtful].toarray().T)
    out = []
    known = np.zeros((len(left), 0))
    ends = np.concatenate(([0], np.cumsum([len(part) for part in of])))
    for j, part, start, end in zip(suspects, of, ends, ends[1:], strict=False):
        own = left[:, start:end] - known @ (known.T @ left[:, start:end])
        vectors, values, combinations = np.linalg.svd(own, full_matrices=False)
        implied = values**2 <= _IMPLIED
        lost = np.zeros((6, int(implied.sum())))
        lost[: counts[j]] = combinations[implied].T / norms[part, None]
        out.append(np.linalg.qr(lost)[0])
        known = np.hstack((known, vectors[:, ~implied]))
    return out


def _beyond(rows: csc_matrix, columns: Array) -> Array:
    """Parts of columns that are not in the span of independent rows."""
    return nearest_motion(rows)(columns, np.zeros((rows.shape[0], columns.shape[1])))[0]
