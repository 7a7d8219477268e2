"""Inertia of a beam element: kinetic energy tr(Z_dot G Z_dot^T)/2 + (Y_A w_A) . (Y_B w_B) of a line through its nodes.

Z = (x_A, R_A, x_B, R_B). Z_dot has the velocities and the columns of R omega~, Z_ddot the accelerations and those of
R (omega_dot~ + omega~^2). The columns of Z_ddot G are forces on the columns of Z: those on x_A and x_B are forces on
the nodes, those on the columns of a rotation have a moment, sum_k (R e_k) x f_k. w are the angular
velocities in space, and Y_A and Y_B symmetric tensors that turn with the nodes. G is constant, (64,) row by row, and so
are Y_A and Y_B, (9,) each, in the axes of their nodes: G[64:82].
See `compile.matter`. Here everything is in the axes of node A, R = R_A^T R_B.
"""

from cosserat.jit import helper, inlined
from cosserat.kernels.vectors import (
    IDENTITY,
    accumulate,
    add,
    add_block,
    axpy,
    combine,
    cross,
    dot,
    load,
    load_matrix,
    matmul,
    mul,
    mul_t,
    neg,
    scale,
    skew,
    store,
    sub,
    transpose,
)


@helper
def turn_between(frames, a, b):
    """R_A^T R_B."""
    return matmul(transpose(load_matrix(frames[a], 0)), load_matrix(frames[b], 0))


@helper
def mixed(A, B):
    """The matrix of w -> sum_k e_k x B (w x A^T e_k): products of entries as in a matrix of cofactors."""
    return (
        A[4] * B[8] - A[5] * B[7] - A[7] * B[5] + A[8] * B[4],
        A[5] * B[6] - A[3] * B[8] - A[8] * B[3] + A[6] * B[5],
        A[3] * B[7] - A[4] * B[6] - A[6] * B[4] + A[7] * B[3],
        A[7] * B[2] - A[8] * B[1] - A[1] * B[8] + A[2] * B[7],
        A[8] * B[0] - A[6] * B[2] - A[2] * B[6] + A[0] * B[8],
        A[6] * B[1] - A[7] * B[0] - A[0] * B[7] + A[1] * B[6],
        A[1] * B[5] - A[2] * B[4] - A[4] * B[2] + A[5] * B[1],
        A[2] * B[3] - A[0] * B[5] - A[5] * B[0] + A[3] * B[2],
        A[0] * B[4] - A[1] * B[3] - A[3] * B[1] + A[4] * B[0],
    )


@inlined
def acceleration(twist, rate):
    """(a, W) of a node in its axes: v_dot + omega x v, omega_dot~ + omega~^2."""
    v, w, a = load(twist, 0), load(twist, 3), load(rate, 3)
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    W = (-yy - zz, xy - a[2], xz + a[1], xy + a[2], -xx - zz, yz - a[0], xz - a[1], yz + a[0], -xx - yy)
    return add(load(rate, 0), cross(w, v)), W


@inlined
def put(x, X, column, Z_out):
    """Write a vector and a matrix into four columns."""
    for i in range(3):
        Z_out[8 * i + column] = x[i]
        for k in range(3):
            Z_out[8 * i + column + 1 + k] = X[3 * i + k]


@inlined
def nodal(a, A, b, B, R, G, scratch):
    """Forces and moments (f_A, m_A, f_B, m_B), each in its node's axes, of the columns (a, A, b, B) times G."""
    Z, F = scratch.Z, scratch.F
    put(a, A, 0, Z)
    put(mul(R, b), matmul(R, B), 4, Z)
    for i in range(0, 24, 8):
        p, q, r, s, t, u, v, w = Z[i], Z[i + 1], Z[i + 2], Z[i + 3], Z[i + 4], Z[i + 5], Z[i + 6], Z[i + 7]
        for k in range(8):
            F[i + k] = (p * G[k] + q * G[8 + k] + r * G[16 + k] + s * G[24 + k]) + (
                t * G[32 + k] + u * G[40 + k] + v * G[48 + k] + w * G[56 + k]
            )
    x, y, z = (F[5], F[13], F[21]), (F[6], F[14], F[22]), (F[7], F[15], F[23])
    e, f, g = (R[0], R[3], R[6]), (R[1], R[4], R[7]), (R[2], R[5], R[8])
    return (
        (F[0], F[8], F[16]),
        (F[18] - F[11], F[3] - F[17], F[9] - F[2]),
        mul_t(R, (F[4], F[12], F[20])),
        (dot(g, y) - dot(f, z), dot(e, z) - dot(g, x), dot(f, x) - dot(e, y)),
    )


@helper
def add_inertia(G, frames, twists, rates, a, b, scratch, r_out):
    """r += inertia forces of an element."""
    x, A = acceleration(twists[a], rates[a])
    y, B = acceleration(twists[b], rates[b])
    R = turn_between(frames, a, b)
    fa, ma, fb, mb = nodal(x, A, y, B, R, G, scratch)
    accumulate(fa, r_out[a], 0)
    accumulate(ma, r_out[a], 3)
    accumulate(fb, r_out[b], 0)
    accumulate(mb, r_out[b], 3)
    Y, other, u, w = load_matrix(G, 64), load_matrix(G, 73), load(twists[a], 3), load(twists[b], 3)
    p, q = mul(Y, u), mul(other, w)
    R_t, apart = transpose(R), sub(mul(R, w), u)
    accumulate(_turning(Y, mul(R, q), mul(R, mul(other, load(rates[b], 3))), p, u, apart), r_out[a], 3)
    apart = neg(mul(R_t, apart))
    accumulate(_turning(other, mul(R_t, p), mul(R_t, mul(Y, load(rates[a], 3))), q, w, apart), r_out[b], 3)


@inlined
def _turning(Y, q, q_rate, p, w, apart):
    """Moment on a node of (Y_A w_A) . (Y_B w_B), in its axes; q and q_rate: Y w of the other node, Y times its rate."""
    return add(add(cross(w, mul(Y, q)), mul(Y, add(q_rate, cross(apart, q)))), cross(q, p))


@helper
def momentum(G, frames, twist_a, twist_b, a, b, scratch, p_out):
    """Momenta (12,) of both nodes in their axes."""
    u, w = load(twist_a, 3), load(twist_b, 3)
    R, Y, other = turn_between(frames, a, b), load_matrix(G, 64), load_matrix(G, 73)
    fa, ma, fb, mb = nodal(load(twist_a, 0), skew(u), load(twist_b, 0), skew(w), R, G, scratch)
    store(fa, p_out, 0)
    store(add(ma, mul(Y, mul(R, mul(other, w)))), p_out, 3)
    store(fb, p_out, 6)
    store(add(mb, mul(other, mul_t(R, mul(Y, u)))), p_out, 9)


@helper
def add_tangent(G, cm, cc, frames, twists, rates, a, b, plain_out, K_out):
    """Tangent of `add_inertia`: plain += cm M + cc C, K += the change with the configuration, (12, 12)."""
    turn = turn_between(frames, a, b)
    for i in range(2):
        for j in range(2):
            R = IDENTITY if i == j else (turn if i == 0 else transpose(turn))
            node = a if j == 0 else b
            k = 32 * i + 4 * j
            m, s = G[k], load(G, k + 1)
            t = skew((G[k + 8], G[k + 16], G[k + 24]))
            p, q, r = load(G, k + 9), load(G, k + 17), load(G, k + 25)
            E = (p[0], p[1], p[2], q[0], q[1], q[2], r[0], r[1], r[2])
            v, omega = load(twists[node], 0), load(twists[node], 3)
            W, S = skew(omega), skew(s)
            row, column = 6.0 * i, 6.0 * j
            R_W, E_W = matmul(R, W), matmul(E, W)
            # derivatives of the force with respect to velocity and angular velocity, then those of the moment
            f_v = combine(cm * m, R, cc * m, R_W)
            f_w = combine(-cm, matmul(R, S), -cc, matmul(R, skew(axpy(m, v, cross(omega, s)))))
            add_block(1.0, f_v, plain_out, row, column)
            add_block(1.0, combine(1.0, f_w, -cc, matmul(R_W, S)), plain_out, row, column + 3.0)
            m_v = matmul(t, combine(cm, R, cc, R_W))
            m_w = combine(cm, mixed(E, R), -cc, matmul(t, matmul(R, skew(v))))
            turned = combine(1.0, mixed(E, R_W), -1.0, mixed(E_W, R))
            add_block(1.0, m_v, plain_out, row + 3.0, column)
            add_block(1.0, combine(1.0, m_w, cc, turned), plain_out, row + 3.0, column + 3.0)
            if i != j:
                x, X = acceleration(twists[node], rates[node])
                y = axpy(m, x, mul(X, s))
                E_X = matmul(E, transpose(X))
                Y = matmul(R, transpose(E_X))
                trace = Y[0] + Y[4] + Y[8]
                add_block(1.0, skew(mul(R, y)), K_out, row, row + 3.0)
                add_block(-1.0, matmul(R, skew(y)), K_out, row, column + 3.0)
                own = combine(1.0, matmul(t, skew(mul(R, x))), -trace, IDENTITY)
                add_block(1.0, combine(1.0, own, 1.0, Y), K_out, row + 3.0, row + 3.0)
                other = combine(-1.0, matmul(t, matmul(R, skew(x))), 1.0, mixed(E_X, R))
                add_block(1.0, other, K_out, row + 3.0, column + 3.0)
                Y, Y_R = load_matrix(G, 64 + 9 * i), matmul(R, load_matrix(G, 73 - 9 * i))
                u, rate = load(twists[a if i == 0 else b], 3), load(rates[node], 3)
                _add_turning(Y, Y_R, R, u, omega, rate, cm, cc, row + 3.0, column + 3.0, plain_out, K_out)


@helper
def _add_turning(Y, Y_R, R, u, v, rate, cm, cc, row, column, plain_out, K_out):
    """Tangent of `_turning`; Y_R is R Y of the other node, v and rate its turning in its axes."""
    w, q = mul(R, v), mul(Y_R, v)
    U, P, Q, apart = skew(u), skew(mul(Y, u)), skew(q), skew(sub(w, u))
    Y_Q = matmul(Y, Q)
    by_q = combine(1.0, combine(1.0, matmul(U, Y), 1.0, matmul(Y, apart)), -1.0, P)
    by_other = combine(1.0, matmul(by_q, Y_R), -1.0, matmul(Y_Q, R))
    by_own = combine(1.0, combine(1.0, Y_Q, 1.0, matmul(Q, Y)), -1.0, skew(mul(Y, q)))
    add_block(1.0, combine(cm, matmul(Y, Y_R), cc, by_other), plain_out, row, column)
    add_block(cc, by_own, plain_out, row, row)
    turned = combine(1.0, matmul(by_q, Q), -1.0, matmul(Y_Q, skew(w)))
    turned = combine(1.0, turned, 1.0, matmul(Y, skew(mul(Y_R, rate))))
    add_block(1.0, turned, K_out, row, row)
    add_block(-1.0, matmul(turned, R), K_out, row, column)


@helper
def across(G, R, twist_a, twist_b):
    """Product of the motions of both nodes in the kinetic energy, and the couple on B, in the axes of A.

    The couple is the derivative of the product with respect to a turn of B.
    """
    A, B = skew(load(twist_a, 3)), matmul(R, skew(load(twist_b, 3)))
    u, w = load(twist_a, 0), mul(R, load(twist_b, 0))
    product, couple = 0.0, (0.0, 0.0, 0.0)
    for k in range(4):
        # column k of Z_dot_A G_AB, and column k of Z_dot_B
        h = scale(G[4 + k], u)
        h = axpy(G[12 + k], (A[0], A[3], A[6]), h)
        h = axpy(G[20 + k], (A[1], A[4], A[7]), h)
        h = axpy(G[28 + k], (A[2], A[5], A[8]), h)
        z = w if k == 0 else (B[k - 1], B[2 + k], B[5 + k])
        product += dot(h, z)
        couple = add(couple, cross(z, h))
    p = mul(load_matrix(G, 64), load(twist_a, 3))
    q = mul(R, mul(load_matrix(G, 73), load(twist_b, 3)))
    return product + dot(p, q), add(couple, cross(q, p))
