"""Inertia of a beam element: kinetic energy tr(Z_dot G Z_dot^T)/2 + (Y_A w_A) . (Y_B w_B) of a line through its nodes.

Z = (x_A, R_A, x_B, R_B). Z_dot has the velocities and the columns of R omega~, Z_ddot the accelerations and those of
R (omega_dot~ + omega~^2). The columns of Z_ddot G are forces on the columns of Z: those on x_A and x_B are forces on
the nodes, those on the columns of a rotation have a moment, sum_k (R e_k) x f_k. w are the angular
velocities in space, and Y_A and Y_B symmetric tensors that turn with the nodes. G is constant, (64,) row by row, and so
are Y_A and Y_B, (9,) each, in the axes of their nodes: G[64:82]. See `compile.matter`.

What the motion of a node j exerts on a node i is linear in that motion and in the turn R = R_i^T R_j. So there is one
text for it, `wrench` and `exert`; momenta, forces and tangents are this text with different motions and turns.
"""

from cosserat.jit import helper, inlined
from cosserat.kernels.vectors import (
    IDENTITY,
    ZERO,
    add,
    add_block,
    add_outer,
    add_to_nodes,
    axpy,
    cross,
    cross_columns,
    dot,
    load,
    load_matrix,
    matmul,
    mul,
    mul_t,
    neg,
    outer,
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
def motion(G, j, twist, rate):
    """(x, X) of node j in its axes, v_dot + w x v and w_dot~ + w~^2, and Y w with its rate in space."""
    w, w_dot, Y = load(twist, 3), load(rate, 3), load_matrix(G, 64 + 9 * j)
    X, p = add_outer(w, w, spiral(-dot(w, w), w_dot)), mul(Y, w)
    return add(load(rate, 0), cross(w, load(twist, 0))), X, p, add(mul(Y, w_dot), cross(w, p))


@inlined
def wrench(G, i, j, x, X):
    """Force and moment on node i by a motion (x, X) of node j, all in the axes of i, of the line.

    With (m, s; t, E), a block of G: m x + X s, and t x x + sum_k e_k x X c_k, c_k the rows of E.
    """
    k = 32 * i + 4 * j
    a, b, c = (X[0], X[1], X[2]), (X[3], X[4], X[5]), (X[6], X[7], X[8])
    p, q, r = load(G, k + 9), load(G, k + 17), load(G, k + 25)
    m = (dot(c, q) - dot(b, r), dot(a, r) - dot(c, p), dot(b, p) - dot(a, q))
    return axpy(G[k], x, mul(X, load(G, k + 1))), add(m, cross((G[k + 8], G[k + 16], G[k + 24]), x))


@inlined
def turning(G, i, u, p, p_dot):
    """Moment of (Y_A w_A) . (Y_B w_B) on node i, which turns with u: p is Y w of the other node, p_dot its rate."""
    Y = load_matrix(G, 64 + 9 * i)
    return add(add(cross(u, mul(Y, p)), mul(Y, sub(p_dot, cross(u, p)))), cross(p, mul(Y, u)))


@inlined
def exert(G, i, R, u, moved):
    """Force and moment on node i, which turns with u, by the `motion` of the other node, R from its axes."""
    x, X, p, p_dot = moved
    f, m = wrench(G, i, 1 - i, mul(R, x), matmul(R, X))
    return f, add(m, turning(G, i, u, mul(R, p), mul(R, p_dot)))


@inlined
def add_inertia(G, frames, twists, rates, a, b, r_out):
    """r += inertia forces of an element."""
    R, one, other = turn_between(frames, a, b), motion(G, 0, twists[a], rates[a]), motion(G, 1, twists[b], rates[b])
    fa, ma = wrench(G, 0, 0, one[0], one[1])
    fb, mb = wrench(G, 1, 1, other[0], other[1])
    ga, na = exert(G, 0, R, load(twists[a], 3), other)
    gb, nb = exert(G, 1, transpose(R), load(twists[b], 3), one)
    add_to_nodes((add(fa, ga), add(ma, na), add(fb, gb), add(mb, nb)), a, b, r_out)


@inlined
def _note_momentum(G, i, R, own, other, p_out):
    """Momentum of node i, R from the axes of the other node to its own."""
    w = load(other, 3)
    f, m = wrench(G, i, i, load(own, 0), skew(load(own, 3)))
    g, n = exert(G, i, R, ZERO, (load(other, 0), skew(w), ZERO, mul(load_matrix(G, 73 - 9 * i), w)))
    store(add(f, g), p_out, 6 * i)
    store(add(m, n), p_out, 6 * i + 3)


@helper
def momentum(G, frames, twist_a, twist_b, a, b, p_out):
    """Momenta (12,) of both nodes in their axes."""
    R = turn_between(frames, a, b)
    _note_momentum(G, 0, R, twist_a, twist_b, p_out)
    _note_momentum(G, 1, transpose(R), twist_b, twist_a, p_out)


@helper
def across(G, R, twist_a, twist_b):
    """Product of the motions of both nodes in the kinetic energy, and its derivative with respect to a turn of B.

    Both in the axes of A; R = R_A^T R_B or a change of it. The product is x . a + X : B for the motion (x, X) of B.
    """
    v, w = load(twist_a, 0), load(twist_a, 3)
    x, X = mul(R, load(twist_b, 0)), matmul(R, skew(load(twist_b, 3)))
    a = axpy(G[4], v, cross(w, (G[12], G[20], G[28])))
    B = add_outer(v, load(G, 5), cross_columns(w, load(G, 13) + load(G, 21) + load(G, 29)))
    M = matmul(B, transpose(X))
    p, q = mul(load_matrix(G, 64), w), mul(R, mul(load_matrix(G, 73), load(twist_b, 3)))
    couple = add(add(cross(x, a), cross(q, p)), (M[7] - M[5], M[2] - M[6], M[3] - M[1]))
    return dot(x, a) + M[0] + M[4] + M[8] + dot(p, q), couple


@inlined
def _add_columns(f, m, row, i, j, matrix_out):
    """Add (f, m) times a row of three numbers, to the columns of the turn of node j."""
    add_block(1.0, outer(f, row), matrix_out, 6.0 * i, 6.0 * j + 3.0)
    add_block(1.0, outer(m, row), matrix_out, 6.0 * i + 3.0, 6.0 * j + 3.0)


@helper
def add_tangent(G, cm, cc, ck, frames, twists, rates, a, b, plain_out, K_out):
    """Tangent of `add_inertia`: plain += cm M + cc C, K += the change with the configuration, (12, 12), if ck != 0."""
    turn = turn_between(frames, a, b)
    for i in range(2):
        for j in range(2):
            own, node = (b if i == 1 else a), (b if j == 1 else a)
            u, v, w = load(twists[own], 3), load(twists[node], 0), load(twists[node], 3)
            R = IDENTITY if i == j else turn if i == 0 else transpose(turn)
            k = 32 * i + 4 * j
            x_v = matmul(R, spiral(cm, scale(cc, w)))
            add_block(G[k], x_v, plain_out, 6.0 * i, 6.0 * j)
            add_block(1.0, cross_columns((G[k + 8], G[k + 16], G[k + 24]), x_v), plain_out, 6.0 * i + 3.0, 6.0 * j)
            moved = motion(G, j, twists[node], rates[node])
            for k in range(3):
                e = load(IDENTITY, 3 * k)
                # the motion of j changes with its angular velocity about e, and with the rate of that
                x_w = scale(cc, cross(e, v))
                X_w = spiral(-2.0 * cc * dot(e, w), scale(cm, e))
                X_w = add_outer(scale(cc, w), e, add_outer(scale(cc, e), w, X_w))
                if i == j:
                    f, m = wrench(G, i, j, x_w, X_w)
                else:
                    p, p_w = moved[2], mul(load_matrix(G, 64 + 9 * j), e)
                    rate_w = axpy(cm, p_w, scale(cc, add(cross(e, p), cross(w, p_w))))
                    f, m = exert(G, i, R, u, (x_w, X_w, scale(cc, p_w), rate_w))
                    _add_columns(ZERO, turning(G, i, scale(cc, e), mul(R, p), ZERO), e, i, i, plain_out)
                    if ck != 0.0:  # j turns against i, about e in the axes of i
                        g, n = exert(G, i, cross_columns(e, R), u, moved)
                        _add_columns(g, n, neg(e), i, i, K_out)
                        _add_columns(g, n, mul_t(R, e), i, j, K_out)
                _add_columns(f, m, e, i, j, plain_out)
