"""The tree's matrix bordered by constraints and by what is stiff between places: few rows, divided by in O(n) each.

    [S + B^T K B, A^T; A, 0]        S factored by `articulated`, C = (A, B) with m + p rows, Y = S^-1 C^T

What rows do to a solution is found from C times the solution without them: `inverse` makes multipliers of that.
Springs and tendons have a row along their line and two across each piece of it, where their tension straightens;
freedoms of cut joints have one; users' laws six for each of their places, once the iteration needed them
(`Border.laws`).
"""

import math
from typing import Annotated, NamedTuple

from cosserat.jit import helper, passed_as, stage
from cosserat.kernels import freedoms, springs, state_loads
from cosserat.kernels.arrays import F1, F2, I1
from cosserat.kernels.flexible.articulated import solve_once
from cosserat.kernels.flexible.closing import between, bring_rows, clear_rows
from cosserat.kernels.flexible.forces import differentiate_law
from cosserat.kernels.flexible.inverses import invert, safe_inverse
from cosserat.kernels.flexible.seats import push
from cosserat.kernels.vectors import ZERO, cross, dot, mul_t, neg, scale


@passed_as("border")
class Border(NamedTuple):
    """Rows eliminated through a matrix that belongs to the factors: m of constraints and p of springs, mp = m + p."""

    Y: Annotated[F2, "mp", "n"]
    K: Annotated[F2, "p", "p"]
    G: Annotated[F2, "mp", "mp"]  # C Y^T
    inverse: Annotated[F2, "mp", "mp"]
    B: Annotated[F2, "mp", "mp"]  # room, four times
    V: Annotated[F2, "mp", "mp"]
    W: Annotated[F2, "mp", "mp"]
    N: Annotated[F2, "mp", "mp"]
    scale: Annotated[F1, "mp"]
    order: Annotated[I1, "no"]  # no = 3 mp
    rest: Annotated[F1, "mp"]  # C times a solution, less what is wanted
    push: Annotated[F1, "mp"]  # multipliers
    shift: Annotated[F1, "n"]  # further change of the coordinates
    nothing: Annotated[F1, "nz"]  # zeros
    still: Annotated[F1, 6]  # zeros
    laws: Annotated[I1, 3]  # 1: users' laws have rows; how many rows there are now; how many of them are stiff




@helper
def soften_springs(links, acting, c_v, c_q, first, on_links_out, K_out):
    """Rows and stiffness of springs and tendons: one along the line, and two across each of its pieces."""
    seats, motion, sp, row = acting.places, acting.motion, acting.springs, first
    for i in range(len(sp.stiffness)):
        length, along = 0.0, row
        for s in range(sp.start[i], sp.start[i + 1] - 1):
            r, long, R_a, y_a, R_b, y_b = springs.piece(sp, s, motion.frame)
            e = scale(1.0 / long if long >= springs.SHORT else 0.0, r)
            length += long
            f, g = across(e)
            for k in range(3):
                d = e if k == 0 else f if k == 1 else g
                at = along if k == 0 else row + k
                p, n = neg(mul_t(R_a, d)), mul_t(R_b, d)
                push(links, seats, motion, sp.node[s], p, cross(y_a, p), on_links_out[at])
                push(links, seats, motion, sp.node[s + 1], n, cross(y_b, n), on_links_out[at])
            K_out[row + 1 - first, row + 1 - first] = long
            row += 2
        row += 1
        stiffness, rest, slack, given = springs.numbers(sp, i)
        by_length, by_rate = springs.slopes(stiffness, sp.damping[i], rest, slack, given, length, 0.0)
        tension = max(0.0, springs.held(stiffness, rest, slack, given, length))
        at = along - first
        K_out[at, at] = c_v * by_rate + c_q * by_length
        for j in range(at + 1, row - first, 2):
            long = K_out[j, j]
            K_out[j, j] = c_q * tension / long if long >= springs.SHORT else 0.0
            K_out[j + 1, j + 1] = K_out[j, j]


@helper
def across(e):
    """Two unit vectors across a unit vector; none across none."""
    least = 0  # the axis that is farthest from the line
    for k in range(1, 3):
        if abs(e[k]) < abs(e[least]):
            least = k
    f = cross(e, (1.0 * (least == 0), 1.0 * (least == 1), 1.0 * (least == 2)))
    size = math.sqrt(dot(f, f))
    f = scale(1.0 / size if size > 0.0 else 0.0, f)
    return f, cross(e, f)


@helper
def soften_cuts(links, closed, c_v, c_q, first, at_K, on_links_out, K_out):
    """Rows and stiffness of freedoms of cut joints."""
    seats, motion, c, cut, rows = closed.places, closed.motion, closed.pairs, closed.cut, closed.rows
    for j in range(len(c.driven)):
        if c.cut[j + 1] == c.cut[j]:
            continue
        a, b = c.seat[j, 0], c.seat[j, 1]
        R, x = between(motion, a, b)
        for i in range(c.cut[j], c.cut[j + 1]):
            f_a, m_a, f_b, m_b = freedoms.direction(cut, i, R, x)
            K_out[at_K + i, at_K + i] = c_v * rows.slope[i] + c_q * rows.stiff[i]
            push(links, seats, motion, a, f_a, m_a, on_links_out[first + i])
            push(links, seats, motion, b, f_b, m_b, on_links_out[first + i])


@helper
def soften_laws(links, acting, c_v, c_q, first, at_K, on_links_out, K_out):
    """Rows and derivatives of users' laws: six rows for each of their places, its twist."""
    seats, motion, laws, visit = acting.places, acting.motion, acting.laws, acting.visit
    for p in range(len(laws.node)):
        for k in range(6):
            e = (1.0 * (k % 3 == 0), 1.0 * (k % 3 == 1), 1.0 * (k % 3 == 2))
            f, t = (e, ZERO) if k < 3 else (ZERO, e)
            push(links, seats, motion, laws.node[p], f, t, on_links_out[first + 6 * p + k])
    for i in range(len(laws.acts)):
        m, n = state_loads.extent(laws, i)
        begin = 6 * laws.first[i]
        differentiate_law(acting, i)
        for row in range(6 * m):
            for column in range(6 * n):
                by = 12 * (column // 6) + column % 6
                K_out[at_K + begin + row, at_K + begin + column] = -slope(visit.J, row, by, c_v, c_q)


@helper
def slope(J, row, column, c_v, c_q):
    """Derivative of a component of a law along a column, by frames and by twists."""
    y = c_q * J[row, column] + c_v * J[row, column + 6]
    return y if abs(y) < math.inf else 0.0


@stage
def soften(tree, acting, closed, border, c_v, c_q):
    """Rows of springs, freedoms of cut joints and users' laws on links, after those of the constraints; K.

    All at the state at which forces and constraints were found last.
    """
    links, sp, laws, rows = tree.links, acting.springs, acting.laws, closed.rows
    m, K = len(rows.value), border.K
    n_springs, n_cuts = 2 * len(sp.node) - len(sp.stiffness), len(rows.angle)
    count = n_springs + n_cuts
    if border.laws[0] == 1:
        count += 6 * len(laws.node)
    border.laws[1], border.laws[2] = m + count, count
    if count == 0:
        return 0
    clear_rows(rows.on_links, m, m + count)
    for i in range(count):
        for j in range(count):
            K[i, j] = 0.0
    soften_springs(links, acting, c_v, c_q, m, rows.on_links, K)
    soften_cuts(links, closed, c_v, c_q, m + n_springs, n_springs, rows.on_links, K)
    if border.laws[0] == 1:
        first, at = m + n_springs + n_cuts, n_springs + n_cuts
        soften_laws(links, acting, c_v, c_q, first, at, rows.on_links, K)
    return 0


@stage
def build_border(tree, state, factored, closed, border):
    """C, Y and the inverse, once the rows are on the links and the tree is factored; `Border.laws` has their number."""
    rows, b = closed.rows, border
    m, n = len(rows.value), b.laws[1]
    p = n - m
    none = 0
    bring_rows(tree, state, closed, n)
    for i in range(n):
        for k in range(b.Y.shape[1]):
            b.Y[i, k] = 0.0
        solve_once(tree, state, factored, rows.C[i], b.nothing, none, b.still, b.Y[i])
    G, E, W, N = b.G, b.inverse, b.W, b.N
    for i in range(n):
        for j in range(n):
            y = 0.0
            for k in range(b.Y.shape[1]):
                y += rows.C[i, k] * b.Y[j, k]
            G[i, j], E[i, j] = y, y
    if p > 0:  # N = (1 + K G)^-1 K, the stiffness that the mass in series leaves
        for i in range(p):
            for j in range(p):
                y = 1.0 if i == j else 0.0
                for k in range(p):
                    y += b.K[i, k] * G[m + k, m + j]
                b.B[i, j] = y
        invert(b.B, p, b.order)
        for i in range(p):
            for j in range(p):
                y = 0.0
                for k in range(p):
                    y += b.B[i, k] * b.K[k, j]
                N[i, j] = y
        for i in range(m):  # what they take out of A S^-1 A^T; V = N G_BA, W = G_AB N
            for j in range(p):
                y, z = 0.0, 0.0
                for k in range(p):
                    y += N[j, k] * G[m + k, i]
                    z += G[i, m + k] * N[k, j]
                b.V[j, i], W[i, j] = y, z
        for i in range(m):
            for j in range(m):
                for k in range(p):
                    E[i, j] -= G[i, m + k] * b.V[k, j]
        for i in range(m):
            for j in range(p):
                G[i, m + j], G[m + j, i] = W[i, j], b.V[j, i]
    safe_inverse(E, m, b.scale, b.order, b.B, b.V, W)
    for i in range(m):
        for j in range(p):
            y, z = 0.0, 0.0
            for k in range(m):
                y -= E[i, k] * G[k, m + j]
                z -= G[m + j, k] * E[k, i]
            E[i, m + j], E[m + j, i] = y, z
    for i in range(p):
        for j in range(p):
            y = N[i, j]
            for k in range(m):
                y -= E[m + i, k] * G[k, m + j]
            E[m + i, m + j] = y
    return 0


@stage
def eliminate(border, change_out):
    """push = inverse rest; take what it pushes out of a change."""
    n = border.laws[1]
    for i in range(n):
        y = 0.0
        for j in range(n):
            y += border.inverse[i, j] * border.rest[j]
        border.push[i] = y
    for i in range(n):
        y = border.push[i]
        for k in range(len(change_out)):
            change_out[k] -= y * border.Y[i, k]
    return 0


@stage
def divide(tree, state, factored, closed, border, right, wanted, change_out):
    """Solution for right-hand sides (n_v,) and A x = wanted (m,); multipliers in `Border.push`."""
    rows = closed.rows
    none = 0
    for k in range(len(right)):
        change_out[k] = 0.0
    solve_once(tree, state, factored, right, border.nothing, none, border.still, change_out)
    for i in range(border.laws[1]):
        y = -wanted[i] if i < len(wanted) else 0.0
        for k in range(len(right)):
            y += rows.C[i, k] * change_out[k]
        border.rest[i] = y
    return eliminate(border, change_out)
