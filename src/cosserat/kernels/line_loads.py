"""Follower forces and moments along beam elements, by the turn of the sections between the nodes.

At the relative position z of an element the section has the axes R_A exp(psi),

    psi = z d0_w + C(z) e,   e = d - d0,

C constant: the helix between the nodes and, on it, the inner turn of linear statics, see `compile.elements`. A sample q
in world axes of the reference configuration, where the section has the axes F, is a follower load R_A exp(psi) F^T q.
Forces act on the line of matter (`compile.matter`); a moment m in the section's axes works on the section's turn,

    exp(-psi) delta_A + T(psi) C delta_d:   a moment exp(psi) m on node A, and P^T C^T T^T m as a stress does.

So rigid motions get the work that they should: resultants are those of the loads along the element, and a moment has
no resultant force. Dead forces are not here: their nodal shares are constant, see `loads`.
"""

from cosserat.jit import helper, stage
from cosserat.kernels import beams, slots
from cosserat.kernels.frames import exp_frame, tangent_blocks
from cosserat.kernels.tangent import scatter
from cosserat.kernels.vectors import (
    ZERO,
    add,
    add_to_nodes,
    axpy,
    clear,
    cross,
    dot,
    load,
    load_matrix,
    mul,
    mul_t,
    neg,
    scale,
)


@helper
def section_turn(turn, eu, ew):
    """psi of a point; turn (21,): z d0_w, then C row by row."""
    return (
        turn[0] + dot(load(turn, 3), eu) + dot(load(turn, 6), ew),
        turn[1] + dot(load(turn, 9), eu) + dot(load(turn, 12), ew),
        turn[2] + dot(load(turn, 15), eu) + dot(load(turn, 18), ew),
    )


@helper
def sample(weight, column, wrench, part):
    """Force (part 0) or moment (part 3) that a point stands for, in the axes of the sample."""
    return add(scale(weight[0], load(wrench[column[0]], part)), scale(weight[1], load(wrench[column[1]], part)))


@helper
def in_section(follower, axes, E, R_a, f, m):
    """Force and moment in the section's axes; E = exp(psi)."""
    if follower == 1:
        F = load_matrix(axes, 0)
        return mul_t(F, f), mul_t(F, m)
    return ZERO, mul_t(E, mul_t(R_a, m))


@helper
def wrenches(follower, turn, axis, axes, weight, column, d0, a, b, frames, wrench):
    """Nodal wrenches (f_A, m_A, f_B, m_B) of a line load, in the axes of their nodes; arrays over its points."""
    u, w, c, c1, eu, ew = beams.strain(frames, a, b, d0)
    R_a, R_b = load_matrix(frames[a], 0), load_matrix(frames[b], 0)
    fa, ma, fb, mb = ZERO, ZERO, ZERO, ZERO
    n, m = ZERO, ZERO
    for g in range(turn.shape[0]):
        psi = section_turn(turn[g], eu, ew)
        E, _ = exp_frame(ZERO, psi)
        force, moment = sample(weight[g], column, wrench, 0), sample(weight[g], column, wrench, 3)
        force, moment = in_section(follower, axes[g], E, R_a, force, moment)
        f = mul(E, force)
        fa, ma = axpy(axis[g, 0], f, fa), add(ma, cross(load(axis[g], 1), f))
        f = mul_t(R_b, mul(R_a, f))
        fb, mb = axpy(axis[g, 4], f, fb), add(mb, cross(load(axis[g], 5), f))
        ma = add(ma, mul(E, moment))
        T, _ = tangent_blocks(ZERO, psi)
        x, y, z = mul_t(T, moment)
        n = add(n, axpy(x, load(turn[g], 3), axpy(y, load(turn[g], 9), scale(z, load(turn[g], 15)))))
        m = add(m, axpy(x, load(turn[g], 6), axpy(y, load(turn[g], 12), scale(z, load(turn[g], 18)))))
    pa, qa, pb, qb = beams.nodal_forces(u, w, c, c1, n, m)
    return add(fa, pa), add(ma, qa), add(fb, pb), add(mb, qb), n, m


@helper
def subtract(ll, el, i, column, frames, wrench, r_out):
    """r -= line load i with the samples of two rows."""
    e = ll.element[i]
    a, b = el.node[e, 0], el.node[e, 1]
    fa, ma, fb, mb, _, _ = wrenches(
        ll.follower[i], ll.turn[i], ll.axis[i], ll.axes[i], ll.weight[i], column, el.d0[e], a, b, frames, wrench
    )
    add_to_nodes((neg(fa), neg(ma), neg(fb), neg(mb)), a, b, r_out)


@stage
def add_line_loads(problem, k):
    """residual -= line loads that turn with sections, and moments along beams."""
    ll, el, trial, wrench = problem.line_loads, problem.elements, problem.trial, problem.inputs.wrench
    for i in range(ll.element.shape[0]):
        subtract(ll, el, i, ll.column[i], trial.frame, wrench[k], trial.residual)
    return 0


@stage
def conserve_line_loads(problem, k):
    """The same over a step: the mean of both samples in the frames halfway."""
    ll, el, middle, wrench = problem.line_loads, problem.elements, problem.middle, problem.inputs.wrench
    r, mean = problem.trial.residual, problem.scratch.C
    for i in range(ll.element.shape[0]):
        for side in range(2):
            for q in range(6):
                mean[side, q] = 0.5 * (wrench[k - 1, ll.column[i, side], q] + wrench[k, ll.column[i, side], q])
        subtract(ll, el, i, (0, 1), middle.frame, mean, r)
    return 0


@helper
def put(factor, f, arm, j, row, matrix_out):
    """Column j of rows of a node -= those of a force, factor f and arm x f."""
    t = cross(arm, f)
    for q in range(3):
        matrix_out[row + q, j] -= factor * f[q]
        matrix_out[row + 3 + q, j] -= t[q]


@helper
def point_tangent(follower, turn, axis, axes, force, moment, eu, ew, R_a, R_b, Y_out, K_out, S_out, V_out):
    """Derivatives of minus the loads of a point: Y (12, 6) and S (6, 6) of the stress by d; K, V (6, 3) by turns."""
    psi = section_turn(turn, eu, ew)
    E, _ = exp_frame(ZERO, psi)
    T, _ = tangent_blocks(ZERO, psi)
    force, moment = in_section(follower, axes, E, R_a, force, moment)
    p_a, p_b = load(axis, 1), load(axis, 5)
    for j in range(6):
        column = (turn[3 + j], turn[9 + j], turn[15 + j])
        x = mul(T, column)
        ds = ZERO
        if follower == 1:
            f = mul(E, cross(x, force))
            put(axis[0], f, p_a, j, 0, Y_out)
            put(axis[4], mul_t(R_b, mul(R_a, f)), p_b, j, 6, Y_out)
            m = mul(E, cross(x, moment))
            for q in range(3):
                Y_out[3 + q, j] -= m[q]
        else:
            ds = cross(moment, x)
        _, D = tangent_blocks(column, psi)
        dt = add(mul_t(D, moment), mul_t(T, ds))
        for q in range(6):
            S_out[q, j] -= turn[3 + q] * dt[0] + turn[9 + q] * dt[1] + turn[15 + q] * dt[2]
    f_a, m_a = mul(E, force), mul(E, moment)
    f_b = mul_t(R_b, mul(R_a, f_a))
    for j in range(3):
        unit = (1.0 * (j == 0), 1.0 * (j == 1), 1.0 * (j == 2))
        if follower == 1:
            put(axis[4], mul_t(R_b, mul(R_a, cross(unit, f_a))), p_b, 3 + j, 6, K_out)
            put(axis[4], cross(f_b, unit), p_b, 9 + j, 6, K_out)
        else:
            m = cross(m_a, unit)
            dt = mul_t(T, mul_t(E, m))
            for q in range(3):
                K_out[3 + q, 3 + j] -= m[q]
            for q in range(6):
                V_out[6 * j + q] -= turn[3 + q] * dt[0] + turn[9 + q] * dt[1] + turn[15 + q] * dt[2]


@stage
def assemble_line_loads(problem, k, frames, twists):
    """Derivatives of line loads: 12x12 matrices on the nodes of their elements."""
    ll, el, solver, scratch = problem.line_loads, problem.elements, problem.solver, problem.scratch
    wrench, ck, T = problem.inputs.wrench[k], solver.coefficients[slots.CK], solver.tangent
    P, Y, K, S, V, C, W = scratch.P, scratch.Y, scratch.K, scratch.D, scratch.E, scratch.C, scratch.W
    if ck == 0.0:
        return 0
    clear(C)
    for i in range(ll.element.shape[0]):
        e = ll.element[i]
        a, b = el.node[e, 0], el.node[e, 1]
        _, _, _, _, n, m = wrenches(
            ll.follower[i], ll.turn[i], ll.axis[i], ll.axes[i], ll.weight[i], ll.column[i], el.d0[e], a, b, frames,
            wrench,
        )  # fmt: skip
        u, w, c, c1, eu, ew = beams.strain(frames, a, b, el.d0[e])
        R_a, R_b = load_matrix(frames[a], 0), load_matrix(frames[b], 0)
        clear(Y)
        clear(W)
        clear(S)
        for q in range(18):
            V[q] = 0.0
        for g in range(ll.turn.shape[1]):
            weight = ll.weight[i, g]
            force, moment = sample(weight, ll.column[i], wrench, 0), sample(weight, ll.column[i], wrench, 3)
            point_tangent(
                ll.follower[i], ll.turn[i, g], ll.axis[i, g], ll.axes[i, g], force, moment, eu, ew, R_a, R_b, Y, W, S, V
            )
        # K = W + (Y + P^T S + change of P^T) P, and P^T V in the columns of the turn of A
        beams.stress_tangent(u, w, c, c1, neg(n), neg(m), P, S, Y)
        beams.product(Y, P, 1.0, K)
        for p in range(12):
            for q in range(12):
                K[p, q] += W[p, q]
            for j in range(3):
                for q in range(6):
                    K[p, 3 + j] += P[q, p] * V[6 * j + q]
        scatter(K, C, ck, T[a], T[b], el.block[e], solver.blocks)
    return 0


@stage
def line_states(frames, wrench, node, d0, element, column, follower, turn, axis, axes, weight, force_out):
    """Nodal wrenches (nt, n, 12) of line loads at given frames and samples (nt, ...)."""
    for k in range(frames.shape[0]):
        for i in range(element.shape[0]):
            e = element[i]
            fa, ma, fb, mb, _, _ = wrenches(
                follower[i], turn[i], axis[i], axes[i], weight[i], column[i], d0[e], node[e, 0], node[e, 1], frames[k],
                wrench[k],
            )  # fmt: skip
            out = force_out[k, i]
            for q in range(3):
                out[q], out[3 + q], out[6 + q], out[9 + q] = fa[q], ma[q], fb[q], mb[q]
    return 0
