"""How the equations of one link change with its velocities and accelerations, and with its modal coordinates."""

from cosserat.jit import helper
from cosserat.kernels.flexible.arrays import BODY, COUPLING, FLUID, INERTIA, MODAL, MODE, N_MODES, SQUARE, Z
from cosserat.kernels.flexible.bent import (
    A_MOMENT,
    P_DOT,
    ROOM,
    Y_DOT,
    A,
    P,
    V,
    Y,
    bend,
    change_bent_coordinate,
    change_bent_rate,
    crossed,
    turned,
)
from cosserat.kernels.flexible.strains import change_stresses
from cosserat.kernels.flexible.twists import add_scaled, add_symmetric, contracted, load6, put6
from cosserat.kernels.vectors import ZERO, add, axpy, cross, dot, load, scale, store, sub, symmetric

B_MASS, B_MOMENT, B_INERTIA, B_FLOW, B_SPIN, B_TURN = 0, 1, 4, 10, 13, 19
"""m, h, J; 2 sum of a q_dot + w x h; J_dot; J w + sum of beta q_dot."""
M_SLOPE, M_TURN, M_BENT, M_WOUND, MODE_ROW = 0, 6, 9, 12, 15
"""Of every mode: dJ/dq; how its force changes with w; second-order momenta of the modal rates."""


@helper
def bent_at(row, i):
    """Where the fields of second order of a link begin."""
    return 36 * row[MODAL] + ROOM * i


@helper
def record_body(links, bodies, now, i, q, rates, row_out, mode_out, bent_out, first, second):
    """Fill the body's part of a link's record, and the rows of its modes; `first`, `second`: room for 9 m numbers."""
    row = links.table[i]
    m, z, o = row[N_MODES], row[Z], row[INERTIA]
    d, M = 6 + m, now.inertia
    w = load(now.z, z + 3)
    h = (M[o + 5 * d + 1], M[o + 3 * d + 2], M[o + 4 * d])
    c = o + 3 * d + 3
    J = (M[c], M[c + 1], M[c + 2], M[c + d + 1], M[c + d + 2], M[c + 2 * d + 2])
    flow, turn, spin = cross(w, h), symmetric(J, w), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if row[BODY] >= 0:
        contracted(bodies.half, row[SQUARE] * 6, m, 6, q, row[MODE], first)
        contracted(bodies.second, row[SQUARE] * 9, m, 9, now.z, z + 6, second)
        for j in range(m):
            y, at, k = now.z[z + 6 + j], MODE_ROW * (row[MODAL] + j), o + d * (6 + j)
            slope = load6(bodies.coupling, row[COUPLING] + 12 * j + 6)
            slope = add_symmetric(2.0, load6(first, 6 * j), slope)
            flow, turn = axpy(2.0 * y, load(M, k), flow), axpy(y, load(M, k + 3), turn)
            for e in range(6):
                mode_out[at + M_SLOPE + e] = slope[e]
            spin = add_symmetric(y, slope, spin)
            store(sub(scale(2.0, load(second, 9 * j + 3)), symmetric(slope, w)), mode_out, at + M_TURN)
            store(load(second, 9 * j), mode_out, at + M_BENT)
            store(load(second, 9 * j + 6), mode_out, at + M_WOUND)
        if bodies.bent[row[BODY]]:
            spin = record_bent(row, bodies, now, q, rates, mode_out, bent_out[bent_at(row, i) :], spin)
    row_out[B_MASS] = M[o]
    store(h, row_out, B_MOMENT)
    store(flow, row_out, B_FLOW)
    store(turn, row_out, B_TURN)
    for e in range(6):
        row_out[B_INERTIA + e] = J[e]
        row_out[B_SPIN + e] = spin[e]


@helper
def record_bent(row, bodies, now, q, rates, mode_out, bent_out, spin):
    """Add the part of displacements of second order to the rows of the modes, and to J_dot."""
    m, z, s = row[N_MODES], row[Z], 36 * row[N_MODES]
    w = load(now.z, z + 3)
    bend(row, bodies, q, now.z, z + 6, bent_out)
    for k in range(12):
        bent_out[s + A + k] = 0.0
        bent_out[s + A_MOMENT + k] = 0.0
    for j in range(m):
        f, g, at = 12 * j, 24 * m + 12 * j, MODE_ROW * (row[MODAL] + j)
        add_scaled(rates[z + 6 + j], bent_out, f, 12, bent_out, s + A)
        add_scaled(rates[z + 6 + j], bent_out, g, 12, bent_out, s + A_MOMENT)
        half = add_symmetric(1.0, turned(bent_out, s + Y, bent_out, g), turned(bent_out, s + P, bent_out, f))
        flow = add(crossed(bent_out, s + Y_DOT, bent_out, g), crossed(bent_out, s + P_DOT, bent_out, f))
        wound = crossed(bent_out, s + V, bent_out, 12 * m + f)
        turn = scale(2.0, sub(flow, symmetric(half, w)))
        for e in range(6):
            mode_out[at + M_SLOPE + e] += 2.0 * half[e]
        for e in range(3):
            mode_out[at + M_TURN + e] += turn[e]
            mode_out[at + M_WOUND + e] += wound[e]
        spin = add_symmetric(2.0 * now.z[z + 6 + j], half, spin)
    return spin


@helper
def change_fluid(now, z, o, u, w, dz, dx, dforce_out):
    """The same for any inertia M: M dx + (dw x p + w x dp, dw x l + w x dl + du x p + u x dp), (p, l) = M z."""
    p, l, dp, dl, f, t = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    for k in range(6):
        upper, lower = load(now.inertia, o + 6 * k), load(now.inertia, o + 6 * k + 3)
        p, l = axpy(now.z[z + k], upper, p), axpy(now.z[z + k], lower, l)
        dp, dl = axpy(dz[z + k], upper, dp), axpy(dz[z + k], lower, dl)
        f, t = axpy(dx[z + k], upper, f), axpy(dx[z + k], lower, t)
    du, dw = load(dz, z), load(dz, z + 3)
    f = add(f, add(cross(dw, p), cross(w, dp)))
    t = add(t, add(add(cross(dw, l), cross(w, dl)), add(cross(du, p), cross(u, dp))))
    put6(f, t, dforce_out, z)


@helper
def change_body(links, now, i, record, mode, rates, dz, dx, dforce_out):
    """Change of M z_dot + b with changes of the twist and of its rate."""
    row = links.table[i]
    m, z, o = row[N_MODES], row[Z], row[INERTIA]
    d, zero_at = 6 + m, 0
    u, w = load(now.z, z), load(now.z, z + 3)
    if row[BODY] == FLUID:
        change_fluid(now, z, o, u, w, dz, dx, dforce_out)
        return
    du, dw, dx_u, dx_w = load(dz, z), load(dz, z + 3), load(dx, z), load(dx, z + 3)
    fall = add(dx_u, add(cross(dw, u), cross(w, du)))
    h, J = load(record, B_MOMENT + zero_at), load6(record, B_INERTIA + zero_at)
    f = axpy(record[B_MASS], fall, cross(dx_w, h))
    f = add(f, add(cross(dw, load(record, B_FLOW + zero_at)), cross(w, cross(dw, h))))
    t = add(cross(h, fall), symmetric(J, dx_w))
    t = add(t, symmetric(load6(record, B_SPIN + zero_at), dw))
    t = add(t, add(cross(dw, load(record, B_TURN + zero_at)), cross(w, symmetric(J, dw))))
    put6(f, t, dforce_out, z)
    for j in range(m):
        k, at = o + d * (6 + j), MODE_ROW * (row[MODAL] + j)
        y = dot(load(now.inertia, k), fall) + dot(load(now.inertia, k + 3), dx_w)
        dforce_out[z + 6 + j] = y + dot(load(mode, at + M_TURN), dw)


@helper
def change_with_coordinate(links, bodies, now, i, mode, rates, l, bent_out, dforce_out):
    """Add the change of M z_dot + b with the modal coordinate l of the link."""
    row = links.table[i]
    m, z, o = row[N_MODES], row[Z], row[INERTIA]
    d, square = 6 + m, row[SQUARE]
    u, w, x = load(now.z, z), load(now.z, z + 3), load(rates, z + 3)
    fall = add(load(rates, z), cross(w, u))
    a = load(now.inertia, o + d * (6 + l))
    slope = load6(mode, MODE_ROW * (row[MODAL] + l) + M_SLOPE)
    lift, flow, rise, turn, spin = ZERO, ZERO, ZERO, ZERO, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for j in range(m):
        p = square + m * l + j
        b = load(bodies.second, 9 * p)
        beta = add(load(bodies.second, 9 * p + 3), load(bodies.second, 9 * p + 6))
        half = load6(bodies.half, 6 * p)
        y, acceleration = now.z[z + 6 + j], rates[z + 6 + j]
        lift, flow = axpy(acceleration, b, lift), axpy(y, b, flow)
        rise, turn = axpy(acceleration, beta, rise), axpy(y, beta, turn)
        spin = add_symmetric(2.0 * y, half, spin)
        dforce_out[z + 6 + j] += dot(b, fall) + dot(beta, x) - dot(symmetric(half, w), w)
    change_stresses(row, bodies, now.z, l, True, now.elastic, dforce_out)
    f = add(add(cross(x, a), lift), cross(w, axpy(2.0, flow, cross(w, a))))
    t = add(add(cross(a, fall), symmetric(slope, x)), add(rise, symmetric(spin, w)))
    t = add(t, cross(w, add(symmetric(slope, w), turn)))
    for e in range(3):
        dforce_out[z + e] += f[e]
        dforce_out[z + 3 + e] += t[e]
    if bodies.bent[row[BODY]]:
        change_bent_coordinate(links, bodies, now, i, rates, l, bent_out[bent_at(row, i) :], dforce_out)


@helper
def change_with_rate(links, bodies, now, i, mode, l, bent_out, dforce_out):
    """Add the change of b with the modal rate l of the link."""
    row = links.table[i]
    m, z, o = row[N_MODES], row[Z], row[INERTIA]
    w, k, at = load(now.z, z + 3), o + (6 + m) * (6 + l), MODE_ROW * (row[MODAL] + l)
    f = scale(2.0, add(cross(w, load(now.inertia, k)), load(mode, at + M_BENT)))
    t = add(symmetric(load6(mode, at + M_SLOPE), w), cross(w, load(now.inertia, k + 3)))
    t = axpy(2.0, load(mode, at + M_WOUND), t)
    for e in range(3):
        dforce_out[z + e] += f[e]
        dforce_out[z + 3 + e] += t[e]
    for j in range(m):
        p = row[SQUARE] + m * l + j
        dforce_out[z + 6 + j] += 2.0 * dot(load(bodies.second, 9 * p + 3), w)
    change_stresses(row, bodies, now.z, l, False, now.elastic, dforce_out)
    if bodies.bent[row[BODY]]:
        change_bent_rate(links, bodies, now, i, l, bent_out[bent_at(row, i) :], dforce_out)
