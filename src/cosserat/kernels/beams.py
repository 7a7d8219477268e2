"""Two-node beam element: its strains, internal forces and their exact tangents.

d = log(H_A^-1 H_B), nodal forces P(d)^T sigma with P = [-T^-1(-d), T^-1(d)]; sigma is the gradient of the strain
energy, see `elastic`, and a viscous part. Source: [Grazioso17] (16)-(20); signs of (14) corrected.
"""

from cosserat.jit import apart, helper, inlined, stage
from cosserat.kernels.frames import dd_cotc, load_frame, log_frame, matrix_a, matrix_b, matrix_h, odd_g, relative
from cosserat.kernels.vectors import add, add_block, axpy, clear, combine, cross, dot, load, neg, scale, skew, sub


@helper
def strain(frames, a, b, d0):
    """Relative vector of the element between nodes a and b, and its difference from d0: (u, w, c, c1, eu, ew)."""
    R_a, x_a = load_frame(frames[a])
    R_b, x_b = load_frame(frames[b])
    R, x = relative(R_a, x_a, R_b, x_b)
    u, w, c, c1 = log_frame(R, x)
    return u, w, c, c1, sub(u, load(d0, 0)), sub(w, load(d0, 3))


@inlined
def six(row, u, w):
    """A row of six numbers times (u, w)."""
    return row[0] * u[0] + row[1] * u[1] + row[2] * u[2] + row[3] * w[0] + row[4] * w[1] + row[5] * w[2]


@inlined
def multiply(K, u, w):
    """K (u, w) for a 6x6 array, as two vectors."""
    above = (six(K[0], u, w), six(K[1], u, w), six(K[2], u, w))
    return above, (six(K[3], u, w), six(K[4], u, w), six(K[5], u, w))


@inlined
def halves(u, w, c, c1, a, b):
    """(A a, B a + A b) with the blocks of T^-1(d): its part that is even in d, then the odd one.

    This is T^-1(d)^T (a, b) on a wrench, and T^-1(d) (b, a), turned round.
    """
    wa, ua, wb = cross(w, a), cross(u, a), cross(w, b)
    wwa, odd = cross(w, wa), add(ua, wb)
    even = axpy(c, add(cross(w, odd), cross(u, wa)), axpy(c1 * dot(w, u), wwa, b))
    return axpy(c, wwa, a), even, scale(0.5, wa), scale(0.5, odd)


@helper
def strain_rate(u, w, c, c1, twist_a, twist_b):
    """d_dot = T^-1(d) v_B - T^-1(-d) v_A."""
    va, wa, vb, wb = load(twist_a, 0), load(twist_a, 3), load(twist_b, 0), load(twist_b, 3)
    even_w, even_u, _, _ = halves(u, w, c, c1, sub(wb, wa), sub(vb, va))
    _, _, odd_w, odd_u = halves(u, w, c, c1, add(wb, wa), add(vb, va))
    return add(even_u, odd_u), add(even_w, odd_w)


@helper
def nodal_forces(u, w, c, c1, n, m):
    """P^T (n, m): the internal forces on both nodes, each as (force, moment)."""
    f, t, g, r = halves(u, w, c, c1, n, m)
    return neg(add(f, g)), neg(add(t, r)), sub(f, g), sub(t, r)


@helper
def _rate_derivative(factor, u, w, c, c1, twist_a, twist_b, D_out):
    """D = factor d(d_dot)/dd for fixed twists: (6, 6)."""
    va, wa, vb, wb = load(twist_a, 0), load(twist_a, 3), load(twist_b, 0), load(twist_b, 3)
    v, omega = sub(vb, va), sub(wb, wa)
    G_w = combine(-0.5, skew(add(wa, wb)), 1.0, odd_g(w, c, c1, omega))
    G_v = combine(-0.5, skew(add(va, vb)), 1.0, odd_g(w, c, c1, v))
    clear(D_out)
    add_block(factor, G_w, D_out, 0.0, 0.0)
    add_block(factor, combine(1.0, G_v, 1.0, matrix_h(u, w, c, c1, dd_cotc(dot(w, w)), omega)), D_out, 0.0, 3.0)
    add_block(factor, G_w, D_out, 3.0, 3.0)


@helper
def strain_operator(u, w, c, c1, P_out):
    """P = [-T^-1(-d), T^-1(d)]: (6, 12)."""
    clear(P_out)
    for side in range(2):
        sign, column = 2.0 * side - 1.0, 6.0 * side
        A, B = matrix_a(scale(sign, w), c), matrix_b(scale(sign, u), scale(sign, w), c, c1)
        add_block(sign, A, P_out, 0.0, column)
        add_block(sign, B, P_out, 0.0, column + 3.0)
        add_block(sign, A, P_out, 3.0, column + 3.0)


@apart
def project(P, K, Y_out):
    """Y += P^T K, K (6, 6). Sums are written out here and in `product`, or the compiler would not vectorise them."""
    for i in range(P.shape[1]):
        a, b, c, d, e, f = P[0, i], P[1, i], P[2, i], P[3, i], P[4, i], P[5, i]
        for j in range(6):
            Y_out[i, j] += a * K[0, j] + b * K[1, j] + c * K[2, j] + d * K[3, j] + e * K[4, j] + f * K[5, j]


@apart
def product(Y, P, factor, matrix_out):
    """matrix = factor Y P."""
    for i in range(Y.shape[0]):
        a, b, c = factor * Y[i, 0], factor * Y[i, 1], factor * Y[i, 2]
        d, e, f = factor * Y[i, 3], factor * Y[i, 4], factor * Y[i, 5]
        for j in range(12):
            matrix_out[i, j] = a * P[0, j] + b * P[1, j] + c * P[2, j] + d * P[3, j] + e * P[4, j] + f * P[5, j]


@helper
def stress_tangent(u, w, c, c1, n, m, P_out, S, Y_out):
    """P, and Y += P^T S + the change of P^T (n, m) with d: (12, 6).

    The change is -[[0, G(n)], [G(n), H(n) + G(m)]] on A and the same of -d on B.
    """
    strain_operator(u, w, c, c1, P_out)
    project(P_out, S, Y_out)
    G_n, N, M = odd_g(w, c, c1, n), skew(n), skew(m)
    X = combine(1.0, matrix_h(u, w, c, c1, dd_cotc(dot(w, w)), n), 1.0, odd_g(w, c, c1, m))
    for side in range(2):
        row, sign = 6.0 * side, 2.0 * side - 1.0
        Y = combine(0.5, N, sign, G_n)
        add_block(1.0, Y, Y_out, row, 3.0)
        add_block(1.0, Y, Y_out, row + 3.0, 0.0)
        add_block(1.0, combine(0.5, M, sign, X), Y_out, row + 3.0, 3.0)


@helper
def element_tangent(frames, twists, a, b, d0, H_out, K, viscosity, n, m, scratch):
    """Tangents of the internal forces: scratch.K = d f/d(left increments of H), scratch.C = d f/d(twists) if viscous.

    H is the second derivative of the strain energy; (n, m) are the stress resultants of the geometric part. Those of
    the configuration make the tangent exact, those predicted by the last correction make Newton's method in statics far
    more robust (`predict_strain`). A viscous element adds the change of C d_dot with d to H, C = viscosity K.
    """
    u, w, c, c1, _, _ = strain(frames, a, b, d0)
    P, Y, D, V = scratch.P, scratch.Y, scratch.D, scratch.W
    if viscosity > 0.0:
        _rate_derivative(viscosity, u, w, c, c1, twists[a], twists[b], D)
        project(K, D, H_out)
    clear(Y)
    stress_tangent(u, w, c, c1, n, m, P, H_out, Y)
    product(Y, P, 1.0, scratch.K)
    if viscosity > 0.0:
        clear(V)
        project(P, K, V)
        product(V, P, viscosity, scratch.C)


@stage
def relative_vectors(frames, node, d_out):
    """d = log(H_A^-1 H_B) of every element: (ne, 6)."""
    for k in range(6):
        d_out[0, k] = 0.0
    for e in range(node.shape[0]):
        u, w, _, _, _, _ = strain(frames, node[e, 0], node[e, 1], d_out[0])
        for k in range(3):
            d_out[e, k], d_out[e, k + 3] = u[k], w[k]
    return 0
