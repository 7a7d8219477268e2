"""Inertia matrix and velocity terms of one link: [Boyer05] (62)-(63), explained in `compile.modal_dynamics`."""

from cosserat.jit import helper
from cosserat.kernels.flexible.arrays import BODY, COUPLING, INERTIA, MODE, N_MODES, SQUARE, Z
from cosserat.kernels.flexible.bent import add_bent
from cosserat.kernels.flexible.strains import add_stresses, strains
from cosserat.kernels.flexible.twists import add_symmetric, contracted, load6, put6
from cosserat.kernels.vectors import ZERO, add, axpy, cross, dot, load, symmetric


@helper
def rigid_terms(links, now, i):
    """M and b of a rigid link."""
    z, o = links.table[i, Z], links.table[i, INERTIA]
    for k in range(36):
        now.inertia[o + k] = links.inertia[i, k]
    u, w = load(now.z, z), load(now.z, z + 3)
    p, l = ZERO, ZERO
    for k in range(6):
        y = now.z[z + k]
        p, l = axpy(y, load(now.inertia, o + 6 * k), p), axpy(y, load(now.inertia, o + 6 * k + 3), l)
    put6(cross(w, p), add(cross(w, l), cross(u, p)), now.bias, z)


@helper
def elastic_terms(links, bodies, now, i, q, first_out, second_out, bent_out):
    """M and b of an elastic link; workspace of 15 m numbers twice, and what `add_bent` needs."""
    row = links.table[i]
    e, m, z, o = row[BODY], row[N_MODES], row[Z], row[INERTIA]
    d, at, mode = 6 + m, row[COUPLING], row[MODE]
    contracted(bodies.second, row[SQUARE] * 9, m, 9, q, mode, first_out)
    halves = first_out[9 * m :]
    contracted(bodies.half, row[SQUARE] * 6, m, 6, q, mode, halves)
    contracted(bodies.second, row[SQUARE] * 9, m, 9, now.z, z + 6, second_out)
    u, w = load(now.z, z), load(now.z, z + 3)
    M, b = now.inertia, now.bias
    J, h = load6(bodies.inertia[e], 0), load(bodies.moment[e], 0)
    flow, lift, spin, turn, rise = ZERO, ZERO, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), ZERO, ZERO
    fall = cross(w, u)
    for j in range(m):
        c, s, x, y = at + 12 * j, 9 * j, q[mode + j], now.z[z + 6 + j]
        bent, half = load(first_out, s), load6(halves, 6 * j)
        a = add(load(bodies.coupling, c), bent)
        beta = add(add(load(bodies.coupling, c + 3), load(first_out, s + 3)), load(first_out, s + 6))
        straight = load6(bodies.coupling, c + 6)
        J = add_symmetric(x, half, add_symmetric(x, straight, J))
        slope = add_symmetric(1.0, half, add_symmetric(1.0, straight, half))
        h = axpy(x, load(bodies.coupling, c), axpy(0.5 * x, bent, h))
        flow, turn = axpy(y, a, flow), axpy(y, beta, turn)
        lift, rise = axpy(y, load(second_out, s), lift), axpy(y, load(second_out, s + 6), rise)
        spin = add_symmetric(y, slope, spin)
        b[z + 6 + j] = 2.0 * dot(load(second_out, s + 3), w) - 0.5 * dot(symmetric(slope, w), w) + dot(a, fall)
        for k in range(3):
            M[o + d * (6 + j) + k] = a[k]
            M[o + d * (6 + j) + 3 + k] = beta[k]
            M[o + d * k + 6 + j] = a[k]
            M[o + d * (3 + k) + 6 + j] = beta[k]
    for j in range(m):
        for k in range(m):
            M[o + d * (6 + j) + 6 + k] = bodies.mass_matrix[row[SQUARE] + m * j + k]
    strains(row, bodies, q, now.z, now.elastic)
    add_stresses(row, bodies, now.elastic, o + m * m + 2 * m, z + 6, b)
    mass = bodies.mass[e]
    f = add(cross(w, axpy(2.0, flow, cross(w, h))), lift)
    t = add(symmetric(spin, w), cross(w, add(symmetric(J, w), turn)))
    put6(axpy(mass, fall, f), add(add(t, rise), cross(h, fall)), b, z)
    put_rigid(mass, h, J, M, o, d)
    if bodies.bent[e]:
        add_bent(links, bodies, now, i, q, bent_out)


@helper
def put_rigid(mass, h, J, M_out, o, d):
    """The rigid block of an inertia matrix whose rows have d numbers."""
    for k in range(3):
        for l in range(3):
            M_out[o + d * k + l] = mass * (k == l)
    M_out[o + 3] = M_out[o + d + 4] = M_out[o + 2 * d + 5] = 0.0
    M_out[o + 3 * d] = M_out[o + 4 * d + 1] = M_out[o + 5 * d + 2] = 0.0
    M_out[o + 4], M_out[o + 5], M_out[o + d + 5] = h[2], -h[1], h[0]
    M_out[o + d + 3], M_out[o + 2 * d + 3], M_out[o + 2 * d + 4] = -h[2], h[1], -h[0]
    for k in range(3):
        for l in range(3):
            M_out[o + d * (3 + k) + l] = M_out[o + d * l + 3 + k]
    o += 3 * d + 3
    M_out[o], M_out[o + 1], M_out[o + 2] = J[0], J[1], J[2]
    M_out[o + d], M_out[o + d + 1], M_out[o + d + 2] = J[1], J[3], J[4]
    M_out[o + 2 * d], M_out[o + 2 * d + 1], M_out[o + 2 * d + 2] = J[2], J[4], J[5]
