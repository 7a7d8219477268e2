"""Linear equations of motion about a state: M x" + D x' + K x + Phi^T lambda = f, Phi x = 0, as sparse matrices.

x are left increments of the nodes' frames, H exp(x). About a state with twists v and rates v_dot the twist of
H exp(x) is v + x' + ad(v) x, so with the tangents M, C, K of the kernels (with respect to rate, twist and frame)
D = C + M ad(v) and K + C ad(v) + M ad(v_dot): the Coriolis and centrifugal terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.sparse import block_array, bsr_matrix, csc_matrix, csr_matrix

from cosserat.compile.elements import bracket
from cosserat.solve.tangent import assemble_blocks, damping_blocks

if TYPE_CHECKING:
    from cosserat.compile.compiled import CompiledModel
    from cosserat.solve.linear.point import Point
    from cosserat.solve.memory import Memory

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Matrices:
    """Sparse matrices of the linear equations; n nodes, m independent constraints."""

    mass: csc_matrix  # (6n, 6n)
    damping: csc_matrix  # (6n, 6n), gyroscopic terms included
    stiffness: csc_matrix  # (6n, 6n)
    constraints: csc_matrix  # (m, 6n)

    def bordered(self, matrix: csc_matrix, scale: float = 1.0) -> csc_matrix:
        """[matrix, s Phi^T; s Phi, 0]: with it one solves for motions that the joints allow."""
        phi = scale * self.constraints
        if phi.shape[0] == 0:
            return matrix.tocsc()
        return block_array([[matrix, phi.T], [phi, None]], format="csc")

    def free_motions(self) -> Array:
        """Orthonormal basis (6n, n_free) of the motions that the joints allow; dense, for small mechanisms."""
        phi = self.constraints.toarray()
        if phi.shape[0] == 0:
            return np.eye(phi.shape[1])
        return qr(phi.T, mode="full")[0][:, phi.shape[0] :]


def matrices_at(point: Point) -> Matrices:
    """Exact matrices of a mechanism at a point."""
    return Matrices(*tangents(point), constraint_matrix(point))


def tangents(point: Point) -> tuple[csc_matrix, csc_matrix, csc_matrix]:
    """Mass, damping and stiffness (6n, 6n) of what is in the memory of a point, whose forces have been evaluated."""
    compiled, trial = point.compiled, point.memory.problem.trial
    n = compiled.n_nodes
    columns = compiled.blocks[:, 1]
    of_nodes = np.nonzero((compiled.blocks[:, 0] < n) & (columns < n))[0]
    k = columns[of_nodes]
    moving, turning = bracket(trial.twist[:n])[k], bracket(trial.rate[:n])[k]
    M = assemble_blocks(point.memory, mass=1.0)[of_nodes]
    C = damping_blocks(point.memory)[of_nodes]
    K = assemble_blocks(point.memory, stiffness=1.0)[of_nodes]
    if np.any(moving):
        K = K + C @ moving
        C = C + M @ moving
    if np.any(turning):
        K = K + M @ turning
    return _sparse(point, of_nodes, M), _sparse(point, of_nodes, C), _sparse(point, of_nodes, K)


def constraint_matrix(point: Point, keep: list[Array] | None = None) -> csc_matrix:
    """Gradients of the constraints (m, 6n), without unused rows and without combinations that others imply.

    `keep` gives other combinations (k, 6) of each joint's rows.
    """
    return constraint_gradients(point.compiled, point.memory, point.independent_rows if keep is None else keep)


def constraint_gradients(compiled: CompiledModel, memory: Memory, keep: list[Array]) -> csc_matrix:
    """Gradients (m, 6n) of combinations (k, 6) of the rows of joints and of what rolls, in the trial state."""
    n = compiled.n_nodes
    if compiled.n_multipliers == 0:
        return csc_matrix((0, 6 * n))
    blocks = assemble_blocks(memory, stiffness=1.0, scale=1.0)
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


def _sparse(point: Point, which: NDArray[np.int64], blocks: Array) -> csc_matrix:
    n = point.compiled.n_nodes
    rows, columns = point.compiled.blocks[which].T
    order = np.lexsort((columns, rows))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n))))
    out = bsr_matrix((blocks[order], columns[order], indptr), shape=(6 * n, 6 * n)).tocsc()
    out.eliminate_zeros()
    return out
