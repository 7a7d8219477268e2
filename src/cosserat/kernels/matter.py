"""Inertia of a beam element: kinetic energy tr(Z_dot G Z_dot^T)/2 + (Y_A w_A) . (Y_B w_B) of a line through its nodes.

Z = (x_A, R_A, x_B, R_B). Z_dot has the velocities and the columns of R omega~, Z_ddot the accelerations and those of
R (omega_dot~ + omega~^2). The columns of Z_ddot G are forces on the columns of Z: those on x_A and x_B are forces on
the nodes, those on the columns of a rotation have a moment, sum_k (R e_k) x f_k. w are the angular
velocities in space, and Y_A and Y_B symmetric tensors that turn with the nodes. G is constant, (64,) row by row, and so
are Y_A and Y_B, (9,) each, in the axes of their nodes: G[64:82].
See `compile.matter`. Here everything is in the axes of node A, R = R_A^T R_B.
"""

from cosserat.jit import helper, inlined
from cosserat.kernels.beams import add_to_nodes
from cosserat.kernels.vectors import (
    IDENTITY,
    add,
    add_block,
    add_outer,
    axpy,
    combine,
    cross,
    cross_columns,
    dot,
    load,
    load_matrix,
    matmul,
    mul,
    mul_t,
    neg,
    scale,
    skew,
    spiral,
    store,
    sub,
    transpose,
)


@helper
def turn_between(frames, a, b):
    """R_A^T R_B."""
    return matmul(transpose(load_matrix(frames[a], 0)), load_matrix(frames[b], 0))


@inlined
def acceleration(v, w, v_dot, a):
    """(x, X) of a node in some axes: v_dot + w x v, w_dot~ + w~^2."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    W = (-yy - zz, xy - a[2], xz + a[1], xy + a[2], -xx - zz, yz - a[0], xz - a[1], yz + a[0], -xx - yy)
    return add(v_dot, cross(w, v)), W


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


@inlined
def add_inertia(G, frames, twists, rates, a, b, scratch, r_out):
    """r += inertia forces of an element."""
    x, A = acceleration(load(twists[a], 0), load(twists[a], 3), load(rates[a], 0), load(rates[a], 3))
    y, B = acceleration(load(twists[b], 0), load(twists[b], 3), load(rates[b], 0), load(rates[b], 3))
    R = turn_between(frames, a, b)
    fa, ma, fb, mb = nodal(x, A, y, B, R, G, scratch)
    Y, other, u, w = load_matrix(G, 64), load_matrix(G, 73), load(twists[a], 3), load(twists[b], 3)
    p, q = mul(Y, u), mul(other, w)
    apart = sub(w, mul_t(R, u))
    # rates of Y w in space, but for the turn of the other node
    q_rate, p_rate = axpy(1.0, cross(apart, q), mul(other, load(rates[b], 3))), mul(Y, load(rates[a], 3))
    ma = add(ma, _turning(Y, mul(R, q), mul(R, q_rate), p, u))
    p_rate = sub(p_rate, cross(mul(R, apart), p))
    mb = add(mb, _turning(other, mul_t(R, p), mul_t(R, p_rate), q, w))
    add_to_nodes((fa, ma, fb, mb), a, b, r_out)


@inlined
def _turning(Y, q, q_rate, p, w):
    """Moment on a node of (Y_A w_A) . (Y_B w_B), in its axes: p its Y w, q that of the other node, and its rate."""
    return add(add(cross(w, mul(Y, q)), mul(Y, q_rate)), cross(q, p))


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
def add_tangent(G, cm, cc, ck, frames, twists, rates, a, b, plain_out, K_out):
    """Tangent of `add_inertia`: plain += cm M + cc C, K += the change with the configuration, (12, 12), if ck != 0.

    The motion of a node j gives the node i the force m x + X s and the moment t x x + sum_k e_k x X c_k, all in the
    axes of i, with x, X as in `acceleration`, and c_k the rows of E.
    """
    turn = turn_between(frames, a, b)
    for i in range(2):
        for j in range(2):
            node = a if j == 0 else b
            k = 32 * i + 4 * j
            m, s = G[k], load(G, k + 1)
            t = (G[k + 8], G[k + 16], G[k + 24])
            p, q, r = load(G, k + 9), load(G, k + 17), load(G, k + 25)
            E = (p[0], p[1], p[2], q[0], q[1], q[2], r[0], r[1], r[2])
            v, w = load(twists[node], 0), load(twists[node], 3)
            R, back = IDENTITY, IDENTITY
            if i != j:
                R = turn if i == 0 else transpose(turn)
                back = transpose(R)
                v, w, s, E = mul(R, v), mul(R, w), mul(R, s), matmul(E, back)
            row, column = 6.0 * i, 6.0 * j
            # derivatives of the force with respect to velocity and angular velocity, then those of the moment
            x_v = combine(cm, R, cc, cross_columns(w, R))
            f_w = spiral(cc * dot(w, s), axpy(-cm, s, scale(-cc * m, v)))
            f_w = add_outer(scale(-2.0 * cc, s), w, add_outer(scale(cc, w), s, f_w))
            twice = scale(-2.0 * cc, (E[5] - E[7], E[6] - E[2], E[1] - E[3]))
            m_w = spiral(cm * (E[0] + E[4] + E[8]) + cc * dot(t, v), scale(cc, mul(E, w)))
            m_w = add_outer(scale(-cc, v), t, add_outer(twice, w, m_w))
            m_w = combine(1.0, combine(1.0, m_w, -cm, transpose(E)), -cc, cross_columns(w, E))
            if i != j and cc == 0.0 and ck == 0.0:
                Y, other = load_matrix(G, 64 + 9 * i), matmul(R, matmul(load_matrix(G, 73 - 9 * i), back))
                f_w, m_w = matmul(f_w, R), matmul(combine(1.0, m_w, cm, matmul(Y, other)), R)
            elif i != j:
                v_dot, w_dot = mul(R, load(rates[node], 0)), mul(R, load(rates[node], 3))
                x, X = acceleration(v, w, v_dot, w_dot)
                E_X = matmul(X, transpose(E))
                y = axpy(m, x, mul(X, s))
                trace = dot(t, x) + E_X[0] + E_X[4] + E_X[8]
                m_t = add_outer(neg(x), t, combine(trace, IDENTITY, -1.0, E_X))
                Y, other = load_matrix(G, 64 + 9 * i), matmul(R, matmul(load_matrix(G, 73 - 9 * i), back))
                u = load(twists[a if i == 0 else b], 3)
                own, m_w, m_t = _turning_tangent(Y, other, u, w, w_dot, cm, cc, m_w, m_t)
                add_block(1.0, own, plain_out, row + 3.0, row + 3.0)
                add_block(1.0, skew(y), K_out, row, row + 3.0)
                add_block(-1.0, m_t, K_out, row + 3.0, row + 3.0)
                add_block(-1.0, cross_columns(y, R), K_out, row, column + 3.0)
                add_block(1.0, matmul(m_t, R), K_out, row + 3.0, column + 3.0)
                f_w, m_w = matmul(f_w, R), matmul(m_w, R)
            add_block(m, x_v, plain_out, row, column)
            add_block(1.0, f_w, plain_out, row, column + 3.0)
            add_block(1.0, cross_columns(t, x_v), plain_out, row + 3.0, column)
            add_block(1.0, m_w, plain_out, row + 3.0, column + 3.0)


@helper
def _turning_tangent(Y, other, u, w, w_dot, cm, cc, m_w, m_t):
    """Tangent of `_turning`, all in the axes of the node: by its own u, and what w of the other node adds.

    `other` is the other node's Y, m_w and m_t the derivatives of the moment by w and by a turn of the other node.
    """
    q = mul(other, w)
    Q_Y, Y_Q = cross_columns(q, Y), transpose(cross_columns(q, Y))
    # a~ Y + Y b~, and Y b~ = -(b~ Y)^T
    by_q = combine(1.0, cross_columns(u, Y), -1.0, transpose(cross_columns(sub(w, u), Y)))
    by_q = combine(1.0, by_q, -1.0, skew(mul(Y, u)))
    own = combine(cc, combine(1.0, Q_Y, -1.0, Y_Q), -cc, skew(mul(Y, q)))
    m_w = combine(1.0, m_w, cc, combine(1.0, matmul(by_q, other), 1.0, Y_Q))
    m_w = combine(1.0, m_w, cm, matmul(Y, other))
    # -by_q Q + Y Q w~ - Y (other w_dot)~, with B q~ = -(q~ B^T)^T
    turned = combine(1.0, cross_columns(q, transpose(by_q)), 1.0, cross_columns(w, transpose(Y_Q)))
    turned = combine(1.0, turned, 1.0, cross_columns(mul(other, w_dot), Y))
    return own, m_w, combine(1.0, m_t, 1.0, transpose(turned))


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
