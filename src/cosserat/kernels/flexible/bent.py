"""What displacements of second order add to the inertia of an elastic link, so that its kinetic energy is a square.

They enter as affine fields q^a q^b F_ab (1, X) / 2, see `compile.modal_dynamics.affine_fields`; Theta and Psi_a are the
moments of (1, X) and of the shapes with (1, X). Terms linear in F are those of `body`; these are the others. With

    F_a = q^b F_ab    G_a = Psi_a + F_a Theta    Y = q^a F_a / 2    V = q^a Psi_a + Y Theta

the products of slopes of the displacement gain F_a : Psi_b + G_a : F_b, and those of place and slope, 3x3,
N_a = Y G_a^T + q^b Psi_b F_a^T.
"""

from cosserat.jit import helper
from cosserat.kernels.flexible.arrays import BODY, COUPLING, INERTIA, MODE, N_MODES, SQUARE, Z
from cosserat.kernels.flexible.twists import add_scaled, add_symmetric, contracted
from cosserat.kernels.vectors import ZERO, add, axpy, cross, dot, load, scale, symmetric

FIELD = 12
"""Numbers of a field: 3x4, row by row. First come F_a, E_a = q_dot^b F_ab and G_a of all modes, then these:"""
Y, P, V, Y_DOT, P_DOT, V_DOT, C, C_MOMENT, A, A_MOMENT, H, ROOM = 0, 12, 24, 36, 48, 60, 72, 84, 96, 108, 120, 132
"""Y, q^a Psi_a, V; q_dot^a times F_a, Psi_a, G_a; C = q_dot^a E_a, C Theta; q_ddot^a times F_a, G_a; room."""


@helper
def paired(a, at, b, bt):
    """a : b of two fields; the four sums do not wait for each other."""
    x, y = a[at : at + 12], b[bt : bt + 12]
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    for k in range(0, 12, 4):
        s0 += x[k] * y[k]
        s1 += x[k + 1] * y[k + 1]
        s2 += x[k + 2] * y[k + 2]
        s3 += x[k + 3] * y[k + 3]
    return (s0 + s1) + (s2 + s3)


@helper
def crossed(a, at, b, bt):
    """The vector of the skew part of a b^T: the integral of x cross y for fields x, y with these moments."""
    s = ZERO
    for k in range(4):
        x, y = (a[at + k], a[at + 4 + k], a[at + 8 + k]), (b[bt + k], b[bt + 4 + k], b[bt + 8 + k])
        s = add(s, cross(x, y))
    return s


@helper
def turned(a, at, b, bt):
    """The symmetric part of tr(N) I - N, N = a b^T: xx xy xz yy yz zz."""
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(4):
        x, y, z = a[at + k], a[at + 4 + k], a[at + 8 + k]
        p, q, r = b[bt + k], b[bt + 4 + k], b[bt + 8 + k]
        xx, yy, zz = xx + y * q + z * r, yy + x * p + z * r, zz + x * p + y * q
        xy, xz, yz = xy - 0.5 * (x * q + y * p), xz - 0.5 * (x * r + z * p), yz - 0.5 * (y * r + z * q)
    return xx, xy, xz, yy, yz, zz


@helper
def add_moments(theta, a, at, fields_out, o):
    """fields_out += a Theta."""
    for r in range(0, 12, 4):
        for k in range(4):
            s = 0.0
            for l in range(4):
                s += a[at + r + l] * theta[4 * l + k]
            fields_out[o + r + k] += s


@helper
def bend(row, bodies, q, rates, z, fields_out):
    """Write the fields at modal coordinates q[mode...] and their rates rates[z...]."""
    m, mode, psi = row[N_MODES], row[MODE], row[COUPLING]
    theta, n = bodies.theta[row[BODY]], 12 * m
    contracted(bodies.field, row[SQUARE] * 12, m, 12, q, mode, fields_out)
    contracted(bodies.field, row[SQUARE] * 12, m, 12, rates, z, fields_out[n:])
    s = 3 * n
    for k in range(C_MOMENT + 12):
        fields_out[s + k] = 0.0
    for j in range(m):
        f, g = 12 * j, 2 * n + 12 * j
        for k in range(12):
            fields_out[g + k] = bodies.psi[psi + f + k]
        add_moments(theta, fields_out, f, fields_out, g)
        add_scaled(0.5 * q[mode + j], fields_out, f, 12, fields_out, s + Y)
        add_scaled(q[mode + j], bodies.psi, psi + f, 12, fields_out, s + P)
        add_scaled(rates[z + j], fields_out, f, 12, fields_out, s + Y_DOT)
        add_scaled(rates[z + j], bodies.psi, psi + f, 12, fields_out, s + P_DOT)
        add_scaled(rates[z + j], fields_out, g, 12, fields_out, s + V_DOT)
        add_scaled(rates[z + j], fields_out, n + f, 12, fields_out, s + C)
    for k in range(12):
        fields_out[s + V + k] = fields_out[s + P + k]
    add_moments(theta, fields_out, s + Y, fields_out, s + V)
    add_moments(theta, fields_out, s + C, fields_out, s + C_MOMENT)


@helper
def add_bent(links, bodies, now, i, q, fields_out):
    """Add their part of M and b of a link; `fields_out`: room for 36 m + ROOM numbers."""
    row = links.table[i]
    m, z, o, psi = row[N_MODES], row[Z], row[INERTIA], row[COUPLING]
    d, s, e, M, b = 6 + m, 36 * m, 24 * m, now.inertia, now.bias
    bend(row, bodies, q, now.z, z + 6, fields_out)
    w = load(now.z, z + 3)
    J = add_symmetric(1.0, turned(fields_out, s + Y, fields_out, s + V), turned(fields_out, s + Y, fields_out, s + P))
    spin, turn = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), ZERO
    for j in range(m):
        f, g, y = 12 * j, e + 12 * j, now.z[z + 6 + j]
        beta = add(crossed(fields_out, s + Y, fields_out, g), crossed(fields_out, s + P, fields_out, f))
        half = add_symmetric(1.0, turned(fields_out, s + Y, fields_out, g), turned(fields_out, s + P, fields_out, f))
        flow = add(crossed(fields_out, s + Y_DOT, fields_out, g), crossed(fields_out, s + P_DOT, fields_out, f))
        turn = axpy(y, beta, turn)
        spin = add_symmetric(2.0 * y, half, spin)
        b[z + 6 + j] += 2.0 * dot(flow, w) - dot(symmetric(half, w), w) + paired(fields_out, g, fields_out, s + C)
        for k in range(3):
            M[o + d * (6 + j) + 3 + k] += beta[k]
            M[o + d * (3 + k) + 6 + j] += beta[k]
        for k in range(j + 1):
            mass = paired(fields_out, f, bodies.psi, psi + 12 * k) + paired(fields_out, g, fields_out, 12 * k)
            M[o + d * (6 + j) + 6 + k] += mass
            if k < j:
                M[o + d * (6 + k) + 6 + j] += mass
    t = add(symmetric(spin, w), cross(w, add(symmetric(J, w), turn)))
    t = add(t, crossed(fields_out, s + V, fields_out, s + C))
    for k in range(3):
        b[z + 3 + k] += t[k]
    c = o + 3 * d + 3
    M[c] += J[0]
    M[c + 1] += J[1]
    M[c + 2] += J[2]
    M[c + d] += J[1]
    M[c + d + 1] += J[3]
    M[c + d + 2] += J[4]
    M[c + 2 * d] += J[2]
    M[c + 2 * d + 1] += J[4]
    M[c + 2 * d + 2] += J[5]


@helper
def change_bent_coordinate(links, bodies, now, i, rates, l, fields_out, dforce_out):
    """Add their part of the change of M z_dot + b with the modal coordinate l; `fields_out`: by `bend`, and A."""
    row = links.table[i]
    m, z, n = row[N_MODES], row[Z], 12 * row[N_MODES]
    s, table, fl, el, gl = 36 * m, row[SQUARE] * 12 + n * l, 12 * l, n + 12 * l, 2 * n + 12 * l
    psi, own = bodies.psi, row[COUPLING] + 12 * l
    w, x = load(now.z, z + 3), load(rates, z + 3)
    for k in range(12):
        fields_out[s + H + k] = 0.0
    for j in range(m):
        add_scaled(rates[z + 6 + j], bodies.field, table + 12 * j, 12, fields_out, s + H)
    for j in range(m):
        f, g, t = 12 * j, 2 * n + 12 * j, table + 12 * j
        beta = add(crossed(fields_out, fl, fields_out, g), crossed(fields_out, s + V, bodies.field, t))
        beta = add(beta, crossed(psi, own, fields_out, f))
        half = add_symmetric(1.0, turned(fields_out, fl, fields_out, g), turned(fields_out, s + V, bodies.field, t))
        half = add_symmetric(1.0, half, turned(psi, own, fields_out, f))
        flow = add(crossed(fields_out, el, fields_out, g), crossed(fields_out, s + V_DOT, bodies.field, t))
        force = dot(beta, x) - dot(symmetric(half, w), w) + 2.0 * dot(flow, w)
        force += paired(bodies.field, t, fields_out, s + A_MOMENT) + paired(bodies.field, t, fields_out, s + C_MOMENT)
        dforce_out[z + 6 + j] += force + paired(fields_out, g, fields_out, s + H)
    rise = add(crossed(fields_out, fl, fields_out, s + A_MOMENT), crossed(fields_out, s + V, fields_out, s + H))
    rise = add(add(rise, crossed(psi, own, fields_out, s + A)), crossed(fields_out, gl, fields_out, s + C))
    turn = add(crossed(fields_out, fl, fields_out, s + V_DOT), crossed(fields_out, s + V, fields_out, el))
    turn = add(turn, crossed(psi, own, fields_out, s + Y_DOT))
    spin = add_symmetric(1.0, turned(fields_out, fl, fields_out, s + V_DOT), turned(fields_out, s + V, fields_out, el))
    spin = add_symmetric(1.0, spin, turned(psi, own, fields_out, s + Y_DOT))
    t = add(add(rise, cross(w, turn)), scale(2.0, symmetric(spin, w)))
    for k in range(3):
        dforce_out[z + 3 + k] += t[k]


@helper
def change_bent_rate(links, bodies, now, i, l, fields_out, dforce_out):
    """Add their part of the change of b with the modal rate l."""
    row = links.table[i]
    m, z, n, own = row[N_MODES], row[Z], 12 * row[N_MODES], row[COUPLING] + 12 * l
    w = load(now.z, z + 3)
    for j in range(m):
        f, g = 12 * j, 2 * n + 12 * j
        flow = add(crossed(fields_out, 12 * l, fields_out, g), crossed(bodies.psi, own, fields_out, f))
        dforce_out[z + 6 + j] += 2.0 * (dot(flow, w) + paired(fields_out, g, fields_out, n + 12 * l))
