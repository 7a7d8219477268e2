"""Two-node beam element: its strains, internal forces and their exact tangents.

d = log(H_A^-1 H_B), nodal forces P(d)^T sigma with P = [-T^-1(-d), T^-1(d)]; sigma is the gradient of the strain
energy, see `elastic`, and a viscous part. Source: [Grazioso17] (16)-(20); signs of (14) corrected.
"""

from cosserat.jit import apart, helper, stage
from cosserat.kernels.frames import (
    apply_a,
    apply_b,
    dd_cotc,
    load_frame,
    log_frame,
    matrix_a,
    matrix_b,
    matrix_h,
    odd_g,
    relative,
)
from cosserat.kernels.vectors import (
    accumulate,
    add,
    add_block,
    clear,
    combine,
    cross,
    dot,
    load,
    neg,
    skew,
    store,
    sub,
    transpose,
)


@helper
def strain(frames, a, b, d0):
    """Relative vector of the element between nodes a and b, and its difference from d0: (u, w, c, c1, eu, ew)."""
    R_a, x_a = load_frame(frames[a])
    R_b, x_b = load_frame(frames[b])
    R, x = relative(R_a, x_a, R_b, x_b)
    u, w, c, c1 = log_frame(R, x)
    return u, w, c, c1, sub(u, load(d0, 0)), sub(w, load(d0, 3))


@helper
def multiply(K, u, w):
    """K (u, w) for a 6x6 array, as two vectors."""
    return (
        K[0, 0] * u[0] + K[0, 1] * u[1] + K[0, 2] * u[2] + K[0, 3] * w[0] + K[0, 4] * w[1] + K[0, 5] * w[2],
        K[1, 0] * u[0] + K[1, 1] * u[1] + K[1, 2] * u[2] + K[1, 3] * w[0] + K[1, 4] * w[1] + K[1, 5] * w[2],
        K[2, 0] * u[0] + K[2, 1] * u[1] + K[2, 2] * u[2] + K[2, 3] * w[0] + K[2, 4] * w[1] + K[2, 5] * w[2],
    ), (
        K[3, 0] * u[0] + K[3, 1] * u[1] + K[3, 2] * u[2] + K[3, 3] * w[0] + K[3, 4] * w[1] + K[3, 5] * w[2],
        K[4, 0] * u[0] + K[4, 1] * u[1] + K[4, 2] * u[2] + K[4, 3] * w[0] + K[4, 4] * w[1] + K[4, 5] * w[2],
        K[5, 0] * u[0] + K[5, 1] * u[1] + K[5, 2] * u[2] + K[5, 3] * w[0] + K[5, 4] * w[1] + K[5, 5] * w[2],
    )


@helper
def strain_rate(u, w, c, c1, twist_a, twist_b):
    """d_dot = T^-1(d) v_B - T^-1(-d) v_A."""
    va, wa = load(twist_a, 0), load(twist_a, 3)
    vb, wb = load(twist_b, 0), load(twist_b, 3)
    mu, mw = neg(u), neg(w)
    rate_u = sub(
        add(apply_a(w, c, vb), apply_b(u, w, c, c1, wb)), add(apply_a(mw, c, va), apply_b(mu, mw, c, c1, wa))
    )
    return rate_u, sub(apply_a(w, c, wb), apply_a(mw, c, wa))


@helper
def nodal_forces(u, w, c, c1, n, m):
    """P^T (n, m): the internal forces on both nodes, each as (force, moment)."""
    mu, mw = neg(u), neg(w)
    fa = neg(apply_a(w, c, n))
    ma = neg(add(apply_b(u, w, c, c1, n), apply_a(w, c, m)))
    fb = apply_a(mw, c, n)
    mb = add(apply_b(mu, mw, c, c1, n), apply_a(mw, c, m))
    return fa, ma, fb, mb


@helper
def add_gyroscopic(p, offset, twist, r_out):
    """r += -ad(v)^T p for the node whose momentum stands at p[offset:offset+6]."""
    pu, pw = load(p, offset), load(p, offset + 3)
    v, omega = load(twist, 0), load(twist, 3)
    accumulate(cross(omega, pu), r_out, 0)
    accumulate(add(cross(v, pu), cross(omega, pw)), r_out, 3)


@helper
def add_gyroscopic_tangent(p, offset, twist, factor, M, matrix_out):
    """matrix += factor * d(-ad(v)^T M v)/dv for the six rows at `offset`; M has all columns."""
    v, omega = load(twist, 0), load(twist, 3)
    n = M.shape[0]
    for j in range(n):
        mu = (M[offset, j], M[offset + 1, j], M[offset + 2, j])
        mw = (M[offset + 3, j], M[offset + 4, j], M[offset + 5, j])
        gu = cross(omega, mu)
        gw = add(cross(v, mu), cross(omega, mw))
        for i in range(3):
            matrix_out[offset + i, j] += factor * gu[i]
            matrix_out[offset + 3 + i, j] += factor * gw[i]
    pu, pw = load(p, offset), load(p, offset + 3)
    for i in range(3):
        k = (i + 1) % 3
        m = (i + 2) % 3
        # -factor * skew(p): entries (m, k) and (k, m) of the cross-product matrix
        matrix_out[offset + m, offset + 3 + k] -= factor * pu[i]
        matrix_out[offset + k, offset + 3 + m] += factor * pu[i]
        matrix_out[offset + 3 + m, offset + k] -= factor * pu[i]
        matrix_out[offset + 3 + k, offset + m] += factor * pu[i]
        matrix_out[offset + 3 + m, offset + 3 + k] -= factor * pw[i]
        matrix_out[offset + 3 + k, offset + 3 + m] += factor * pw[i]


@helper
def _rate_derivative(u, w, c, c1, c2, twist_a, twist_b, D_out):
    """D = d(d_dot)/dd for fixed twists: (6, 6)."""
    va, wa, vb, wb = load(twist_a, 0), load(twist_a, 3), load(twist_b, 0), load(twist_b, 3)
    v, omega = sub(vb, va), sub(wb, wa)
    G_w = combine(-0.5, skew(add(wa, wb)), 1.0, odd_g(w, c, c1, omega))
    G_v = combine(-0.5, skew(add(va, vb)), 1.0, odd_g(w, c, c1, v))
    clear(D_out)
    add_block(1.0, G_w, D_out, 0.0, 0.0)
    add_block(1.0, combine(1.0, G_v, 1.0, matrix_h(u, w, c, c1, c2, omega)), D_out, 0.0, 3.0)
    add_block(1.0, G_w, D_out, 3.0, 3.0)


@helper
def _force_derivative(u, w, c, c1, c2, n, m, Y_out):
    """Y += the change of P^T (n, m) with d, -[[0, G(n)], [G(n), H(n) + G(m)]] on A and the same of -d on B."""
    G_n, N, M = odd_g(w, c, c1, n), skew(n), skew(m)
    X = combine(1.0, matrix_h(u, w, c, c1, c2, n), 1.0, odd_g(w, c, c1, m))
    for side in range(2):
        row, sign = 6.0 * side, 2.0 * side - 1.0
        Y = combine(0.5, N, sign, G_n)
        add_block(1.0, Y, Y_out, row, 3.0)
        add_block(1.0, Y, Y_out, row + 3.0, 0.0)
        add_block(1.0, combine(0.5, M, sign, X), Y_out, row + 3.0, 3.0)


@helper
def strain_operator(u, w, c, c1, P_out):
    """P = [-T^-1(-d), T^-1(d)]: (6, 12)."""
    clear(P_out)
    A = matrix_a(w, c)
    B = matrix_b(u, w, c, c1)
    add_block(-1.0, transpose(A), P_out, 0.0, 0.0)
    add_block(-1.0, transpose(B), P_out, 0.0, 3.0)
    add_block(-1.0, transpose(A), P_out, 3.0, 3.0)
    add_block(1.0, A, P_out, 0.0, 6.0)
    add_block(1.0, B, P_out, 0.0, 9.0)
    add_block(1.0, A, P_out, 3.0, 9.0)


@apart
def project(P, K, Y_out):
    """Y = P^T K: (12, 6). Sums are written out here and in `product`, or the compiler would not vectorise them."""
    for i in range(12):
        a, b, c, d, e, f = P[0, i], P[1, i], P[2, i], P[3, i], P[4, i], P[5, i]
        for j in range(6):
            Y_out[i, j] = a * K[0, j] + b * K[1, j] + c * K[2, j] + d * K[3, j] + e * K[4, j] + f * K[5, j]


@helper
def element_tangent(frames, twists, a, b, d0, H, K, viscosity, n, m, scratch):
    """Tangents of the internal forces: scratch.K = d f/d(left increments of H), scratch.C = d f/d(twists) if viscous.

    H is the second derivative of the strain energy; (n, m) are the stress resultants of the geometric part. Those of
    the configuration make the tangent exact, those predicted by the last correction make Newton's method in statics far
    more robust (`predict_strain`).
    """
    u, w, c, c1, _, _ = strain(frames, a, b, d0)
    c2 = dd_cotc(dot(w, w))
    P, Y, D, V = scratch.P, scratch.Y, scratch.D, scratch.W
    strain_operator(u, w, c, c1, P)
    project(P, H, Y)
    if viscosity > 0.0:
        # damping matrix P^T C P, and P^T C d(d_dot)/dd in the stiffness, C = viscosity K
        project(P, K, V)
        product(V, P, viscosity, scratch.C)
        _rate_derivative(u, w, c, c1, c2, twists[a], twists[b], D)
        for i in range(12):
            y = (V[i, 0], V[i, 1], V[i, 2], V[i, 3], V[i, 4], V[i, 5])
            for j in range(6):
                s = 0.0
                for k in range(6):
                    s += y[k] * D[k, j]
                Y[i, j] += viscosity * s
    _force_derivative(u, w, c, c1, c2, n, m, Y)
    product(Y, P, 1.0, scratch.K)


@helper
def stress_tangent(u, w, c, c1, n, m, P_out, S, Y_out):
    """P, and Y += P^T S + the change of P^T (n, m) with d: (12, 6)."""
    c2 = dd_cotc(dot(w, w))
    strain_operator(u, w, c, c1, P_out)
    for i in range(12):
        for j in range(6):
            for k in range(6):
                Y_out[i, j] += P_out[k, i] * S[k, j]
    _force_derivative(u, w, c, c1, c2, n, m, Y_out)


@apart
def product(Y, P, factor, matrix_out):
    """matrix = factor Y P."""
    for i in range(12):
        a, b, c = factor * Y[i, 0], factor * Y[i, 1], factor * Y[i, 2]
        d, e, f = factor * Y[i, 3], factor * Y[i, 4], factor * Y[i, 5]
        for j in range(12):
            matrix_out[i, j] = a * P[0, j] + b * P[1, j] + c * P[2, j] + d * P[3, j] + e * P[4, j] + f * P[5, j]


@stage
def relative_vectors(frames, node, d_out):
    """d = log(H_A^-1 H_B) of every element: (ne, 6)."""
    for k in range(6):
        d_out[0, k] = 0.0
    for e in range(node.shape[0]):
        u, w, _, _, _, _ = strain(frames, node[e, 0], node[e, 1], d_out[0])
        store(u, d_out[e], 0)
        store(w, d_out[e], 3)
    return 0
