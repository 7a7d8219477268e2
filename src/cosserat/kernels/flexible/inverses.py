"""Inverses of small dense matrices; rows that others imply get the smallest solution."""

import math

from cosserat.jit import helper

_CLEAR = 1e-6  # pivots above this part of the largest leave no doubt that all rows are independent
_RANK = 1e-11  # eigenvalues below this part of the greatest belong to rows that others imply
_SWEEPS = 30


@helper
def invert(A_out, n, order_out):
    """A (n, n) becomes its inverse, by elimination with full pivoting; the smallest pivot over the largest.

    `order_out` (2 n,): room.
    """
    least, most = math.inf, 0.0
    for k in range(n):
        row, column, size = k, k, -1.0
        for i in range(k, n):
            for j in range(k, n):
                if abs(A_out[i, j]) > size:
                    row, column, size = i, j, abs(A_out[i, j])
        least, most = min(least, size), max(most, size)
        if size == 0.0 or not size < math.inf:
            return 0.0
        order_out[k], order_out[n + k] = row, column
        for j in range(n):
            A_out[k, j], A_out[row, j] = A_out[row, j], A_out[k, j]
        for i in range(n):
            A_out[i, k], A_out[i, column] = A_out[i, column], A_out[i, k]
        pivot = 1.0 / A_out[k, k]
        A_out[k, k] = 1.0
        for j in range(n):
            A_out[k, j] *= pivot
        for i in range(n):
            if i != k:
                y = A_out[i, k]
                A_out[i, k] = 0.0
                for j in range(n):
                    A_out[i, j] -= y * A_out[k, j]
    for c in range(n):
        k = n - 1 - c
        row, column = order_out[k], order_out[n + k]
        for j in range(n):
            A_out[k, j], A_out[column, j] = A_out[column, j], A_out[k, j]
        for i in range(n):
            A_out[i, k], A_out[i, row] = A_out[i, row], A_out[i, k]
    return least / most if most > 0.0 else 0.0


@helper
def rotate(A_out, V_out, n, p, q):
    """One rotation of Jacobi's method, which makes A[p, q] vanish."""
    theta = 0.5 * (A_out[q, q] - A_out[p, p]) / A_out[p, q]
    t = (1.0 if theta >= 0.0 else -1.0) / (abs(theta) + math.sqrt(theta * theta + 1.0))
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    for k in range(n):
        x, y = A_out[k, p], A_out[k, q]
        A_out[k, p], A_out[k, q] = c * x - s * y, s * x + c * y
    for k in range(n):
        x, y = A_out[p, k], A_out[q, k]
        A_out[p, k], A_out[q, k] = c * x - s * y, s * x + c * y
        x, y = V_out[k, p], V_out[k, q]
        V_out[k, p], V_out[k, q] = c * x - s * y, s * x + c * y


@helper
def pseudo_inverse(A_out, n, V_out, W_out):
    """A (n, n), symmetric and not negative, becomes its pseudo-inverse, by Jacobi's method; V, W: room."""
    for i in range(n):
        for j in range(n):
            V_out[i, j] = 1.0 if i == j else 0.0
    for _ in range(_SWEEPS):
        off, size = 0.0, 0.0
        for p in range(n):
            size += A_out[p, p] * A_out[p, p]
            for q in range(p + 1, n):
                off += A_out[p, q] * A_out[p, q]
        if not off > 1e-34 * size:
            break
        for p in range(n):
            for q in range(p + 1, n):
                if A_out[p, q] != 0.0:
                    rotate(A_out, V_out, n, p, q)
    greatest = 0.0
    for i in range(n):
        greatest = max(greatest, A_out[i, i])
    for i in range(n):
        for j in range(n):
            y = 0.0
            for k in range(n):
                if A_out[k, k] > _RANK * greatest:
                    y += V_out[i, k] * V_out[j, k] / A_out[k, k]
            W_out[i, j] = y
    for i in range(n):
        for j in range(n):
            A_out[i, j] = W_out[i, j]


@helper
def safe_inverse(A_out, m, scale_out, order_out, B_out, V_out, W_out):
    """The leading block (m, m) of A, nearly symmetric, becomes its inverse, or that of what is independent in it.

    Rows whose diagonal is zero, which nothing moves, get zeros.
    """
    n = 0
    for i in range(m):
        scale_out[i] = 0.0
        if A_out[i, i] > 0.0:
            scale_out[i] = 1.0 / math.sqrt(A_out[i, i])
            order_out[2 * m + n] = i
            n += 1
    for i in range(n):
        for j in range(n):
            p, q = order_out[2 * m + i], order_out[2 * m + j]
            B_out[i, j] = A_out[p, q] * scale_out[p] * scale_out[q]
    if invert(B_out, n, order_out) < _CLEAR:
        for i in range(n):
            for j in range(n):
                p, q = order_out[2 * m + i], order_out[2 * m + j]
                B_out[i, j] = 0.5 * (A_out[p, q] + A_out[q, p]) * scale_out[p] * scale_out[q]
        pseudo_inverse(B_out, n, V_out, W_out)
    for i in range(m):
        for j in range(m):
            A_out[i, j] = 0.0
    for i in range(n):
        for j in range(n):
            p, q = order_out[2 * m + i], order_out[2 * m + j]
            A_out[p, q] = B_out[i, j] * scale_out[p] * scale_out[q]
