"""LU factorisation of a sparse matrix of 6x6 blocks with a fixed pattern, in place.

Vertices are eliminated in the order of `Pattern`; pivoting happens inside diagonal blocks, which are inverted. On
chains and trees there is no fill and the cost is linear in the number of vertices.
"""

import math

from cosserat.jit import apart, helper, load, stage, wide


@helper
def invert(D_out, work):
    """D_out <- its inverse, by Gauss-Jordan with partial pivoting; returns the smallest pivot (0 if singular)."""
    smallest = math.inf
    for i in range(6):
        for j in range(6):
            work[i, j] = D_out[i, j]
            D_out[i, j] = 1.0 if i == j else 0.0
    for k in range(6):
        row = k
        best = abs(work[k, k])
        for i in range(k + 1, 6):
            if abs(work[i, k]) > best:
                best = abs(work[i, k])
                row = i
        if not best > 0.0:
            return 0.0
        smallest = min(smallest, best)
        if row != k:
            for j in range(6):
                t = work[k, j]
                work[k, j] = work[row, j]
                work[row, j] = t
                t = D_out[k, j]
                D_out[k, j] = D_out[row, j]
                D_out[row, j] = t
        pivot = 1.0 / work[k, k]
        for j in range(6):
            work[k, j] *= pivot
            D_out[k, j] *= pivot
        for i in range(6):
            if i != k:
                f = work[i, k]
                if f != 0.0:
                    subtract(f, work[k], work[i])
                    subtract(f, D_out[k], D_out[i])
    return smallest


@apart
def subtract(f, row, row_out):
    """row_out -= f row."""
    for j in range(6):
        row_out[j] -= f * row[j]


@apart
def times(L_out, D):
    """L <- L D."""
    for i in range(6):
        a, b, c, d, e, f = L_out[i, 0], L_out[i, 1], L_out[i, 2], L_out[i, 3], L_out[i, 4], L_out[i, 5]
        for j in range(6):
            L_out[i, j] = a * D[0, j] + b * D[1, j] + c * D[2, j] + d * D[3, j] + e * D[4, j] + f * D[5, j]


@apart
def update(L, U, T_out):
    """T <- T - L U."""
    for i in range(6):
        a, b, c, d, e, f = L[i, 0], L[i, 1], L[i, 2], L[i, 3], L[i, 4], L[i, 5]
        for j in range(6):
            T_out[i, j] -= a * U[0, j] + b * U[1, j] + c * U[2, j] + d * U[3, j] + e * U[4, j] + f * U[5, j]


@wide
def factor(problem):
    """Factor solver.blocks in place: diagonal blocks become inverses, lower blocks L; returns how many are singular."""
    pattern, solver = problem.pattern, problem.solver
    blocks, pivots, work = solver.blocks, solver.pivots, problem.scratch.D
    n_singular = 0
    for p in range(pattern.order.shape[0]):
        D = blocks[pattern.diagonal[p]]
        pivots[p] = invert(D, work)
        if not pivots[p] > 0.0:
            n_singular += 1
        for e in range(pattern.start[p], pattern.start[p + 1]):
            times(blocks[pattern.lower[e]], D)
        for q in range(pattern.update_start[p], pattern.update_start[p + 1]):
            update(blocks[pattern.update[q, 1]], blocks[pattern.update[q, 2]], blocks[pattern.update[q, 0]])
    for b in range(blocks.shape[0]):
        flip(blocks[b])
    return n_singular


@helper
def flip(A_out):
    """A <- A^T."""
    for i in range(6):
        for j in range(i):
            A_out[i, j], A_out[j, i] = A_out[j, i], A_out[i, j]


@apart
def subtract_product(A_t, x, y_out):
    """y -= A x, for A^T."""
    a, b, c, d, e, f = x[0], x[1], x[2], x[3], x[4], x[5]
    for i in range(6):
        s = (A_t[0, i] * a + A_t[1, i] * b) + (A_t[2, i] * c + A_t[3, i] * d)
        y_out[i] -= s + (A_t[4, i] * e + A_t[5, i] * f)


@wide
def solve(problem):
    """solver.x <- A^-1 solver.x."""
    pattern, solver = problem.pattern, problem.solver
    blocks, x = solver.blocks, solver.x
    n = pattern.order.shape[0]
    for p in range(n):
        v = pattern.order[p]
        for e in range(pattern.start[p], pattern.start[p + 1]):
            subtract_product(blocks[pattern.lower[e]], x[v], x[pattern.neighbour[e]])
    for p in range(n - 1, -1, -1):
        v = pattern.order[p]
        for e in range(pattern.start[p], pattern.start[p + 1]):
            subtract_product(blocks[pattern.upper[e]], x[pattern.neighbour[e]], x[v])
        D = blocks[pattern.diagonal[p]]
        a, b, c, d, e, f = x[v, 0], x[v, 1], x[v, 2], x[v, 3], x[v, 4], x[v, 5]
        for i in range(6):
            s = (D[0, i] * a + D[1, i] * b) + (D[2, i] * c + D[3, i] * d)
            x[v, i] = s + (D[4, i] * e + D[5, i] * f)
    return 0


@stage
def solve_transposed(problem):
    """solver.x <- A^-T solver.x, with the factors of A."""
    pattern, solver = problem.pattern, problem.solver
    blocks, x = solver.blocks, solver.x
    n = pattern.order.shape[0]
    for p in range(n):
        v = pattern.order[p]
        D = blocks[pattern.diagonal[p]]
        y0, y1, y2, y3, y4, y5 = x[v, 0], x[v, 1], x[v, 2], x[v, 3], x[v, 4], x[v, 5]
        for i in range(6):
            x[v, i] = D[i, 0] * y0 + D[i, 1] * y1 + D[i, 2] * y2 + D[i, 3] * y3 + D[i, 4] * y4 + D[i, 5] * y5
        for e in range(pattern.start[p], pattern.start[p + 1]):
            take_away(blocks[pattern.upper[e]], x[v], x[pattern.neighbour[e]])
    for p in range(n - 1, -1, -1):
        v = pattern.order[p]
        for e in range(pattern.start[p], pattern.start[p + 1]):
            take_away(blocks[pattern.lower[e]], x[pattern.neighbour[e]], x[v])
    return 0


@helper
def take_away(A_t, x, y_out):
    """y -= A^T x, for A^T."""
    for i in range(6):
        s = 0.0
        for j in range(6):
            s += A_t[i, j] * x[j]
        y_out[i] -= s


def load_transposed(problem):
    """Compile `solve_transposed`, which runs do not need, or read it from the cache."""
    load(solve_transposed, problem)
