"""Forward dynamics by the articulated-body algorithm, in the links' own frames.

An articulated inertia is [[A, B], [B^T, C]], linear part first; A and C are symmetric (xx xy xz yy yz zz), B has nine
numbers. For a hinge about z the third columns of B and C vanish once its own motion is taken out, so that they are
never rotated.
Apart from `flexible.articulated` for speed: a third of its time, and a 35th of it for each of many states.
Source: Featherstone, Rigid Body Dynamics Algorithms (2008), table 7.1.
"""

from cosserat.jit import inlined, quick
from cosserat.jit.lanes import get, like, put
from cosserat.kernels.recursion.link import (
    add3,
    add_pair,
    fault,
    get3,
    get6,
    get9,
    get_frame,
    get_pair,
    gyration,
    inward,
    link_of,
    momentum,
    outward,
    own_inertia,
    put3,
    put9,
    put_pair,
    turn_links,
)
from cosserat.kernels.recursion.table import (
    ABOVE,
    ARMATURE,
    BEFORE,
    EFFORT,
    FORCES,
    N_LINKS,
    N_V,
    REVOLUTE,
    SCREW,
    SLIDE,
    SPHERICAL,
    TOTAL,
    TURN,
    W_ACCELERATION,
    W_FORCE,
    W_FRAME,
    W_INERTIA,
    W_PULL,
    W_SHARE,
    W_TWIST,
    WORK,
    WRENCH,
)
from cosserat.kernels.vectors import add, cross, matmul, mul, mul_t, sub, symmetric, transpose


@inlined
def articulated_body(table, q, v, tau, work, a_out):
    """a with M(q) a + h(q, v) = tau + the model's own forces."""
    outward_velocities(table, q, v, work)
    n = int(table[N_LINKS])
    forced, effort = table[FORCES] != 0.0, int(table[EFFORT])
    for k in range(int(table[N_V])):
        if forced:
            put(a_out, k, get(tau, k) + get(work, effort + k))
        else:
            put(a_out, k, get(tau, k))
    for j in range(n):
        fold(table, v, work, n - 1 - j, a_out)
    for i in range(n):
        accelerate(table, v, work, i, a_out)


@inlined
def outward_velocities(table, q, v, work):
    """Frames, twists and bias forces of the links."""
    turn_links(table, q, work)
    forced, wrench = table[FORCES] != 0.0, int(table[WRENCH])
    for i in range(int(table[N_LINKS])):
        row, at, kind, _, k = link_of(table, i)
        above = int(table[row + ABOVE]) + W_TWIST
        R, p = get_frame(work, at + W_FRAME)
        u, w = inward(R, p, *get_pair(work, above))
        if kind == REVOLUTE:
            w = (w[0], w[1], w[2] + get(v, k))
        elif kind == SCREW:
            u = (u[0], u[1], u[2] + table[row + SLIDE] * get(v, k))
            w = (w[0], w[1], w[2] + table[row + TURN] * get(v, k))
        elif kind == SPHERICAL:
            w = add(w, get3(v, k))
        else:
            u, w = add(u, get3(v, k)), add(w, get3(v, k + 3))
        m, h, J = own_inertia(table, row)
        s, l = momentum(m, h, J, u, w)
        f, t = gyration(u, w, s, l)
        if forced:
            f, t = sub(f, get3(work, wrench + 6 * i)), sub(t, get3(work, wrench + 6 * i + 3))
        put_pair(work, at + W_TWIST, u, w)
        put_pair(work, at + W_FORCE, f, t)


@inlined
def fold(table, v, work, i, a_out):
    """Take the motion of a joint out of its link's articulated inertia and add the rest to the parent's."""
    row, at, kind, parent, k = link_of(table, i)
    if kind == REVOLUTE:
        _fold_hinge(table, row, at, parent, v, k, work, a_out)
    elif kind == SCREW:
        _fold_screw(table, row, at, parent, v, k, work, a_out)
    elif kind == SPHERICAL:
        _fold_ball(table, row, at, parent, v, k, work, a_out)
    else:
        _fold_free(table, row, at, parent, k, work, a_out)


@inlined
def total_inertia(table, row, work):
    """Blocks A, B, C of a link's articulated inertia, its own and that of all that hangs on it."""
    o = int(table[row + TOTAL])
    return get6(work, o), get9(work, o + 6), get6(work, o + 15)


@inlined
def _fold_hinge(table, row, at, parent, v, k, work, a_out):
    """For a hinge. One block after the other, read late and written early: registers are few."""
    o = int(table[row + TOTAL])
    B2, B5, B8 = get(work, o + 8), get(work, o + 11), get(work, o + 14)
    C2, C4 = get(work, o + 17), get(work, o + 19)
    inverse = 1.0 / get(work, o + 20)
    x, y, z = B2 * inverse, B5 * inverse, B8 * inverse
    r, s = C2 * inverse, C4 * inverse
    share = (get(a_out, k) - get(work, at + W_FORCE + 5)) * inverse
    put3(work, at + W_PULL, (x, y, z))
    put(work, at + W_PULL + 3, r)
    put(work, at + W_PULL + 4, s)
    put(work, at + W_SHARE, share)
    if parent < 0:
        return
    rate = get(v, k)
    c0, c1 = rate * get(work, at + W_TWIST + 1), -rate * get(work, at + W_TWIST)
    c3, c4 = rate * get(work, at + W_TWIST + 4), -rate * get(work, at + W_TWIST + 3)
    c00, c01, c11 = get(work, o + 15) - r * C2, get(work, o + 16) - r * C4, get(work, o + 18) - s * C4
    b00, b01 = get(work, o + 6) - x * C2, get(work, o + 7) - x * C4
    b10, b11 = get(work, o + 9) - y * C2, get(work, o + 10) - y * C4
    b20, b21 = get(work, o + 12) - z * C2, get(work, o + 13) - z * C4
    a = (
        get(work, o) - x * B2, get(work, o + 1) - x * B5, get(work, o + 2) - x * B8,
        get(work, o + 3) - y * B5, get(work, o + 4) - y * B8, get(work, o + 5) - z * B8,
    )  # fmt: skip
    f = (
        get(work, at + W_FORCE) + a[0] * c0 + a[1] * c1 + b00 * c3 + b01 * c4 + B2 * share,
        get(work, at + W_FORCE + 1) + a[1] * c0 + a[3] * c1 + b10 * c3 + b11 * c4 + B5 * share,
        get(work, at + W_FORCE + 2) + a[2] * c0 + a[4] * c1 + b20 * c3 + b21 * c4 + B8 * share,
    )
    t = (
        get(work, at + W_FORCE + 3) + b00 * c0 + b10 * c1 + c00 * c3 + c01 * c4 + C2 * share,
        get(work, at + W_FORCE + 4) + b01 * c0 + b11 * c1 + c01 * c3 + c11 * c4 + C4 * share,
        get(a_out, k),
    )
    above, before = int(table[row + ABOVE]), int(table[row + BEFORE])
    R, p = get_frame(work, at + W_FRAME)
    f, t = outward(R, p, f, t)
    add_pair(work, above + W_FORCE, f, t)
    A = rotated(R, a)
    above += W_INERTIA
    put_pair(work, above, add(get3(work, before), (A[0], A[1], A[2])), add(get3(work, before + 3), (A[3], A[4], A[5])))
    # R C' R^T with two rows and columns
    e00, e01 = R[0] * c00 + R[1] * c01, R[0] * c01 + R[1] * c11
    e10, e11 = R[3] * c00 + R[4] * c01, R[3] * c01 + R[4] * c11
    e20, e21 = R[6] * c00 + R[7] * c01, R[6] * c01 + R[7] * c11
    C = (
        e00 * R[0] + e01 * R[1], e00 * R[3] + e01 * R[4], e00 * R[6] + e01 * R[7],
        e10 * R[3] + e11 * R[4], e10 * R[6] + e11 * R[7], e20 * R[6] + e21 * R[7],
    )  # fmt: skip
    put3(work, above + 15, add(get3(work, before + 15), (C[0], C[1], C[2])))
    put3(work, above + 18, add(get3(work, before + 18), (C[3], C[4], C[5])))
    # R B' R^T with two columns, row by row, and what it adds to C
    X, Y, Z = p
    d, e = R[0] * b00 + R[1] * b10 + R[2] * b20, R[0] * b01 + R[1] * b11 + R[2] * b21
    B = (d * R[0] + e * R[1], d * R[3] + e * R[4], d * R[6] + e * R[7])
    b = (B[0] - A[1] * Z + A[2] * Y, B[1] + A[0] * Z - A[2] * X, B[2] - A[0] * Y + A[1] * X)
    put3(work, above + 6, add(get3(work, before + 6), b))
    C1, C2, C3, C4, C5 = Z * B[0], -Y * B[0], Z * (b[1] + B[1]), Z * b[2] - Y * B[1], -Y * (b[2] + B[2])
    d, e = R[3] * b00 + R[4] * b10 + R[5] * b20, R[3] * b01 + R[4] * b11 + R[5] * b21
    B = (d * R[0] + e * R[1], d * R[3] + e * R[4], d * R[6] + e * R[7])
    b = (B[0] - A[3] * Z + A[4] * Y, B[1] + A[1] * Z - A[4] * X, B[2] - A[1] * Y + A[3] * X)
    put3(work, above + 9, add(get3(work, before + 9), b))
    C0, C1, C2 = -Z * (b[0] + B[0]), C1 - Z * b[1], C2 - Z * b[2] + X * B[0]
    C4, C5 = C4 + X * B[1], C5 + X * (b[2] + B[2])
    d, e = R[6] * b00 + R[7] * b10 + R[8] * b20, R[6] * b01 + R[7] * b11 + R[8] * b21
    B = (d * R[0] + e * R[1], d * R[3] + e * R[4], d * R[6] + e * R[7])
    b = (B[0] - A[4] * Z + A[5] * Y, B[1] + A[2] * Z - A[5] * X, B[2] - A[2] * Y + A[4] * X)
    put3(work, above + 12, add(get3(work, before + 12), b))
    add3(work, above + 15, (C0 + Y * (b[0] + B[0]), C1 + Y * b[1] - X * B[0], C2 + Y * b[2]))
    add3(work, above + 18, (C3 - X * (b[1] + B[1]), C4 - X * b[2], C5))


@inlined
def _fold_screw(table, row, at, parent, v, k, work, a_out):
    """For a slider or a screw."""
    A, B, C = total_inertia(table, row, work)
    f, t = get_pair(work, at + W_FORCE)
    s, r = table[row + SLIDE], table[row + TURN]
    X = (s * A[2] + r * B[2], s * A[4] + r * B[5], s * A[5] + r * B[8])
    Y = (s * B[6] + r * C[2], s * B[7] + r * C[4], s * B[8] + r * C[5])
    inverse = 1.0 / (s * X[2] + r * Y[2] + table[row + ARMATURE])
    x, y = (X[0] * inverse, X[1] * inverse, X[2] * inverse), (Y[0] * inverse, Y[1] * inverse, Y[2] * inverse)
    share = (get(a_out, k) - s * f[2] - r * t[2]) * inverse
    put_pair(work, at + W_PULL, x, y)
    put(work, at + W_SHARE, share)
    if parent < 0:
        return
    A = (A[0] - x[0] * X[0], A[1] - x[0] * X[1], A[2] - x[0] * X[2],
         A[3] - x[1] * X[1], A[4] - x[1] * X[2], A[5] - x[2] * X[2])  # fmt: skip
    B = (
        B[0] - x[0] * Y[0], B[1] - x[0] * Y[1], B[2] - x[0] * Y[2],
        B[3] - x[1] * Y[0], B[4] - x[1] * Y[1], B[5] - x[1] * Y[2],
        B[6] - x[2] * Y[0], B[7] - x[2] * Y[1], B[8] - x[2] * Y[2],
    )  # fmt: skip
    C = (C[0] - y[0] * Y[0], C[1] - y[0] * Y[1], C[2] - y[0] * Y[2],
         C[3] - y[1] * Y[1], C[4] - y[1] * Y[2], C[5] - y[2] * Y[2])  # fmt: skip
    u, w = screw_bias(work, at, s * get(v, k), r * get(v, k))
    f = (
        f[0] + A[0] * u[0] + A[1] * u[1] + B[0] * w[0] + B[1] * w[1] + X[0] * share,
        f[1] + A[1] * u[0] + A[3] * u[1] + B[3] * w[0] + B[4] * w[1] + X[1] * share,
        f[2] + A[2] * u[0] + A[4] * u[1] + B[6] * w[0] + B[7] * w[1] + X[2] * share,
    )
    t = (
        t[0] + B[0] * u[0] + B[3] * u[1] + C[0] * w[0] + C[1] * w[1] + Y[0] * share,
        t[1] + B[1] * u[0] + B[4] * u[1] + C[1] * w[0] + C[3] * w[1] + Y[1] * share,
        t[2] + B[2] * u[0] + B[5] * u[1] + C[2] * w[0] + C[4] * w[1] + Y[2] * share,
    )
    R, p = get_frame(work, at + W_FRAME)
    M = matmul(R, B)
    Bp = matmul(M, transpose(R))
    add_to_parent(table, row, work, R, p, rotated(R, A), Bp, rotated(R, C), f, t)


@inlined
def _fold_ball(table, row, at, parent, v, k, work, a_out):
    """For a spherical joint: what is left resists translations only."""
    A, B, C = total_inertia(table, row, work)
    f, t = get_pair(work, at + W_FORCE)
    D = _inverse(C)
    P = _times(B, D)
    share = symmetric(D, sub(get3(a_out, k), t))
    put9(work, at + W_INERTIA + 6, P)
    put3(work, at + W_PULL, share)
    if parent < 0:
        return
    Q = matmul(P, transpose(B))
    A = (A[0] - Q[0], A[1] - Q[1], A[2] - Q[2], A[3] - Q[4], A[4] - Q[5], A[5] - Q[8])
    bias = cross(get3(work, at + W_TWIST), get3(v, k))
    f = add(add(f, symmetric(A, bias)), mul(B, share))
    R, p = get_frame(work, at + W_FRAME)
    zero = like(0.0, share[0])
    B = (zero, zero, zero, zero, zero, zero, zero, zero, zero)
    C = (zero, zero, zero, zero, zero, zero)
    add_to_parent(table, row, work, R, p, rotated(R, A), B, C, f, get3(a_out, k))


@inlined
def _fold_free(table, row, at, parent, k, work, a_out):
    """For a free joint, through which nothing but its effort passes; the acceleration is known at once."""
    A, B, C = total_inertia(table, row, work)
    f, t = sub(get3(a_out, k), get3(work, at + W_FORCE)), sub(get3(a_out, k + 3), get3(work, at + W_FORCE + 3))
    D = _inverse(A)
    P = _times(transpose(B), D)  # B^T A^-1
    Q = matmul(P, B)
    y = symmetric(
        _inverse((C[0] - Q[0], C[1] - Q[1], C[2] - Q[2], C[3] - Q[4], C[4] - Q[5], C[5] - Q[8])), sub(t, mul(P, f))
    )
    x = symmetric(D, sub(f, mul(B, y)))
    put_pair(work, at + W_ACCELERATION, x, y)
    if parent >= 0:
        above, o = int(table[row + ABOVE]), int(table[row + BEFORE])
        R, p = get_frame(work, at + W_FRAME)
        f, t = outward(R, p, *get_pair(a_out, k))
        add_pair(work, above + W_FORCE, f, t)
        above += W_INERTIA  # to which nothing is added, but which may be the first to be written
        put9(work, above, get9(work, o))
        put9(work, above + 9, get9(work, o + 9))
        put3(work, above + 18, get3(work, o + 18))


@inlined
def carried_acceleration(table, row, at, work):
    """Acceleration of a link with its joint at rest."""
    above = int(table[row + ABOVE]) + W_ACCELERATION
    R, p = get_frame(work, at + W_FRAME)
    return inward(R, p, *get_pair(work, above))


@inlined
def accelerate(table, v, work, i, a_out):
    """Acceleration of a joint and of its link."""
    row, at, kind, _, k = link_of(table, i)
    x, y = carried_acceleration(table, row, at, work)
    if kind == REVOLUTE:
        rate = get(v, k)
        X, r, s = get3(work, at + W_PULL), get(work, at + W_PULL + 3), get(work, at + W_PULL + 4)
        x = (x[0] + rate * get(work, at + W_TWIST + 1), x[1] - rate * get(work, at + W_TWIST), x[2])
        y = (y[0] + rate * get(work, at + W_TWIST + 4), y[1] - rate * get(work, at + W_TWIST + 3), y[2])
        ahead = get(work, at + W_SHARE) - (
            X[0] * x[0] + X[1] * x[1] + X[2] * x[2] + r * y[0] + s * y[1] + y[2]
        )  # fmt: skip
        y = (y[0], y[1], y[2] + ahead)
        put(a_out, k, ahead)
    elif kind == SCREW:
        slide, turn = table[row + SLIDE], table[row + TURN]
        u, w = screw_bias(work, at, slide * get(v, k), turn * get(v, k))
        x, y = (x[0] + u[0], x[1] + u[1], x[2]), (y[0] + w[0], y[1] + w[1], y[2])
        X, Y = get_pair(work, at + W_PULL)
        ahead = get(work, at + W_SHARE) - (
            X[0] * x[0] + X[1] * x[1] + X[2] * x[2] + Y[0] * y[0] + Y[1] * y[1] + Y[2] * y[2]
        )
        x, y = (x[0], x[1], x[2] + slide * ahead), (y[0], y[1], y[2] + turn * ahead)
        put(a_out, k, ahead)
    elif kind == SPHERICAL:
        x = add(x, cross(get3(work, at + W_TWIST), get3(v, k)))
        # share - C^-1 B^T x - y, of which y returns when the joint's part is added
        total = sub(get3(work, at + W_PULL), mul_t(get9(work, at + W_INERTIA + 6), x))
        y = add(y, cross(get3(work, at + W_TWIST + 3), get3(v, k)))
        put3(a_out, k, sub(total, y))
        y = total
    else:
        u, w = get_pair(work, at + W_TWIST)
        slides, turns = get_pair(v, k)
        x, y = add(x, add(cross(u, turns), cross(w, slides))), add(y, cross(w, turns))
        X, Y = get_pair(work, at + W_ACCELERATION)
        put_pair(a_out, k, sub(X, x), sub(Y, y))
        x, y = X, Y
    put_pair(work, at + W_ACCELERATION, x, y)


@inlined
def screw_bias(work, at, slide, turn):
    """ad(twist) S q_dot, whose third components vanish."""
    return (
        slide * get(work, at + W_TWIST + 4) + turn * get(work, at + W_TWIST + 1),
        -slide * get(work, at + W_TWIST + 3) - turn * get(work, at + W_TWIST),
    ), (turn * get(work, at + W_TWIST + 4), -turn * get(work, at + W_TWIST + 3))


@inlined
def add_to_parent(table, row, work, R, p, A, B, C, f, t):
    """Add an inertia with blocks already in the parent's axes, and a force, about the parent's origin.

    B_p = B - A p~, C_p = C + p~ B_p + (p~ B)^T.
    """
    x, y, z = p
    b = (
        B[0] - A[1] * z + A[2] * y, B[1] + A[0] * z - A[2] * x, B[2] - A[0] * y + A[1] * x,
        B[3] - A[3] * z + A[4] * y, B[4] + A[1] * z - A[4] * x, B[5] - A[1] * y + A[3] * x,
        B[6] - A[4] * z + A[5] * y, B[7] + A[2] * z - A[5] * x, B[8] - A[2] * y + A[4] * x,
    )  # fmt: skip
    c = (
        C[0] + y * (b[6] + B[6]) - z * (b[3] + B[3]),
        C[1] + y * b[7] - z * b[4] + z * B[0] - x * B[6],
        C[2] + y * b[8] - z * b[5] + x * B[3] - y * B[0],
        C[3] + z * (b[1] + B[1]) - x * (b[7] + B[7]),
        C[4] + z * b[2] - x * b[8] + x * B[4] - y * B[1],
        C[5] + x * (b[5] + B[5]) - y * (b[2] + B[2]),
    )
    above, o = int(table[row + ABOVE]), int(table[row + BEFORE])
    put9(work, above + W_INERTIA, _sum9(get9(work, o), (*A, b[0], b[1], b[2])))
    put9(work, above + W_INERTIA + 9, _sum9(get9(work, o + 9), (b[3], b[4], b[5], b[6], b[7], b[8], c[0], c[1], c[2])))
    put3(work, above + W_INERTIA + 18, add(get3(work, o + 18), (c[3], c[4], c[5])))
    f, t = outward(R, p, f, t)
    add_pair(work, above + W_FORCE, f, t)


@inlined
def _sum9(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5], a[6] + b[6], a[7] + b[7],
            a[8] + b[8])  # fmt: skip


@inlined
def rotated(R, A):
    """R A R^T, A symmetric."""
    M = _times(R, A)
    return (
        M[0] * R[0] + M[1] * R[1] + M[2] * R[2],
        M[0] * R[3] + M[1] * R[4] + M[2] * R[5],
        M[0] * R[6] + M[1] * R[7] + M[2] * R[8],
        M[3] * R[3] + M[4] * R[4] + M[5] * R[5],
        M[3] * R[6] + M[4] * R[7] + M[5] * R[8],
        M[6] * R[6] + M[7] * R[7] + M[8] * R[8],
    )


@inlined
def _times(B, S):
    """B S, S symmetric."""
    return (
        B[0] * S[0] + B[1] * S[1] + B[2] * S[2], B[0] * S[1] + B[1] * S[3] + B[2] * S[4],
        B[0] * S[2] + B[1] * S[4] + B[2] * S[5],
        B[3] * S[0] + B[4] * S[1] + B[5] * S[2], B[3] * S[1] + B[4] * S[3] + B[5] * S[4],
        B[3] * S[2] + B[4] * S[4] + B[5] * S[5],
        B[6] * S[0] + B[7] * S[1] + B[8] * S[2], B[6] * S[1] + B[7] * S[3] + B[8] * S[4],
        B[6] * S[2] + B[7] * S[4] + B[8] * S[5],
    )  # fmt: skip


@inlined
def _inverse(S):
    """Inverse of a symmetric matrix."""
    a, b, c = S[3] * S[5] - S[4] * S[4], S[2] * S[4] - S[1] * S[5], S[1] * S[4] - S[2] * S[3]
    d = 1.0 / (S[0] * a + S[1] * b + S[2] * c)
    return (a * d, b * d, c * d, (S[0] * S[5] - S[2] * S[2]) * d, (S[1] * S[2] - S[0] * S[4]) * d,
            (S[0] * S[3] - S[1] * S[1]) * d)  # fmt: skip


@quick(1, 1, 1, 1, 1)
def forward_dynamics(table, q, v, tau, a_out):
    """Accelerations a (n_v,) of one state; returns 1 if a vector has a wrong size or is not finite."""
    if fault(int(table[N_V]), q, v, tau, a_out) != 0:
        return 1
    articulated_body(table, q, v, tau, table[int(table[WORK]) :], a_out)
    return 0
