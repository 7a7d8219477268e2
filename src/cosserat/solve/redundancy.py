"""Which combinations of constraint rows are implied by the other joints: geometry alone, whatever the inertia.

Rows count in metres (rotations times the typical length) and are scaled to norm 1, so that a distance from the span of
other rows is a pure number.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_matrix, diags

from cosserat.compile.compiled import CompiledModel
from cosserat.lie.protocol import Array
from cosserat.solve.gradients import constraint_gradients, every_row, nearest_motion
from cosserat.solve.memory import Memory

_IMPLIED = 1e-9  # square of the distance from the span of other rows that counts as none


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
