"""Factors L D L^T of small symmetric matrices, scaled to a unit diagonal first; no pivoting."""

import math

from cosserat.jit import helper


@helper
def decompose(A_out, at, n, scale_out, scale_at):
    """Factor the lower triangle of A (n, n) in place; returns how many pivots are not positive."""
    for i in range(n):
        size = abs(A_out[at + i * n + i])
        scale_out[scale_at + i] = 1.0 / math.sqrt(size)
    for i in range(n):
        for j in range(i + 1):
            A_out[at + i * n + j] *= scale_out[scale_at + i] * scale_out[scale_at + j]
    wrong = 0
    for j in range(n):
        for i in range(j, n):
            s = A_out[at + i * n + j]
            for k in range(j):
                s -= A_out[at + i * n + k] * A_out[at + j * n + k] * A_out[at + k * n + k]
            if i > j:
                s /= A_out[at + j * n + j]
            A_out[at + i * n + j] = s
        wrong += int(not A_out[at + j * n + j] > 0.0)
    return wrong


@helper
def divide(A, at, n, scale, scale_at, x_out, x_at, step):
    """Solve in place for n numbers, `step` apart."""
    for i in range(n):
        s = x_out[x_at + step * i] * scale[scale_at + i]
        for k in range(i):
            s -= A[at + i * n + k] * x_out[x_at + step * k]
        x_out[x_at + step * i] = s
    for i in range(n):
        x_out[x_at + step * i] /= A[at + i * n + i]
    for c in range(n):
        i = n - 1 - c
        s = x_out[x_at + step * i]
        for k in range(i + 1, n):
            s -= A[at + k * n + i] * x_out[x_at + step * k]
        x_out[x_at + step * i] = s
    for i in range(n):
        x_out[x_at + step * i] *= scale[scale_at + i]
