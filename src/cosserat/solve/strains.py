"""Strains of beam elements as a sparse matrix of the motions of nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, csc_matrix

from cosserat.compile.series import skew
from cosserat.kernels.beams import relative_vectors
from cosserat.lie.coefficients import cotc, d_cotc
from cosserat.lie.protocol import Array


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
