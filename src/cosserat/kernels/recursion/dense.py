"""Products and inverses of small dense matrices, their columns in lanes."""

import math

import numpy as np
from numba.extending import overload

from cosserat.jit import helper
from cosserat.jit.lanes import LANES, wide
from cosserat.kernels.recursion.stacks import peek, poke


def minus_product(A, B, out):
    """out = -A B, all (n, n)."""
    out[:] = -A @ B


@overload(minus_product)
def _minus_product(A, B, out):
    def blocks(A, B, out):
        n = A.shape[0]
        if n < LANES:
            _minus_product_one_by_one(A, B, out)
            return
        i = 0
        while i < n:
            i = min(i, n - 4)  # the last blocks overlap those before
            j = 0
            while j < n:
                if n - j > LANES and n >= 2 * LANES:
                    j = min(j, n - 2 * LANES)
                    _block_of_eight(A, B, i, j, out)
                    j += 2 * LANES
                else:
                    j = min(j, n - LANES)
                    _block_of_four(A, B, i, j, out)
                    j += LANES
            i += 4

    return blocks


@helper
def _minus_product_one_by_one(A, B, out):
    for i in range(A.shape[0]):
        for j in range(A.shape[0]):
            out[i, j] = 0.0
            for k in range(A.shape[0]):
                out[i, j] -= A[i, k] * B[k, j]


@helper
def _block_of_four(A, B, i, j, out):
    """Rows i ... i + 3, columns in one row of lanes."""
    zero = wide(0.0)
    a, b, c, d = zero, zero, zero, zero
    for k in range(A.shape[0]):
        x = peek(B, k, j)
        a, b, c, d = a - A[i, k] * x, b - A[i + 1, k] * x, c - A[i + 2, k] * x, d - A[i + 3, k] * x
    poke(out, i, j, a)
    poke(out, i + 1, j, b)
    poke(out, i + 2, j, c)
    poke(out, i + 3, j, d)


@helper
def _block_of_eight(A, B, i, j, out):
    """The same, columns in two."""
    zero = wide(0.0)
    a, b, c, d, e, f, g, h = zero, zero, zero, zero, zero, zero, zero, zero
    for k in range(A.shape[0]):
        x, y = peek(B, k, j), peek(B, k, j + LANES)
        s = A[i, k]
        a, e = a - s * x, e - s * y
        s = A[i + 1, k]
        b, f = b - s * x, f - s * y
        s = A[i + 2, k]
        c, g = c - s * x, g - s * y
        s = A[i + 3, k]
        d, h = d - s * x, h - s * y
    for r, x, y in ((i, a, e), (i + 1, b, f), (i + 2, c, g), (i + 3, d, h)):
        poke(out, r, j, x)
        poke(out, r, j + LANES, y)


@helper
def invert(M, factor_out, inverse_out):
    """Inverse of a symmetric positive definite matrix, M = U^T U; M is overwritten by U. Rows are added to rows."""
    n = M.shape[0]
    for k in range(n):
        pivot = 1.0 / math.sqrt(M[k, k])
        for j in range(np.uint64(k), np.uint64(n)):
            M[k, j] *= pivot
        for i in range(k + 1, n):
            s = M[k, i]
            for j in range(np.uint64(i), np.uint64(n)):
                M[i, j] -= s * M[k, j]
    for i in range(n):  # W = U^-T, lower
        for j in range(n):
            factor_out[i, j] = 0.0
            inverse_out[i, j] = 0.0
        factor_out[i, i] = 1.0
        for k in range(i):
            s = M[k, i]
            for j in range(np.uint64(0), np.uint64(k + 1)):
                factor_out[i, j] -= s * factor_out[k, j]
        s = 1.0 / M[i, i]
        for j in range(np.uint64(0), np.uint64(i + 1)):
            factor_out[i, j] *= s
    for k in range(n):  # W^T W
        for i in range(k + 1):
            s = factor_out[k, i]
            for j in range(np.uint64(0), np.uint64(i + 1)):
                inverse_out[i, j] += s * factor_out[k, j]
    for i in range(n):
        for j in range(i):
            inverse_out[j, i] = inverse_out[i, j]
