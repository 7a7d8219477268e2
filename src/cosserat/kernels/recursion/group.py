"""Coordinates on the group: moving along velocities, differences, and rates of coordinates."""

from cosserat.jit import quick
from cosserat.kernels.frames import apply_a, cotc, exp_frame, log_frame, log_rotation
from cosserat.kernels.recursion.link import get3, put3, rotation
from cosserat.kernels.recursion.table import FIRST, FREE, HEADER, KIND, N_LINKS, N_V, ROW, SPHERICAL, TURN
from cosserat.kernels.vectors import add, cross, dot, matmul, mul, mul_t, neg, scale, sub, transpose


@quick(1, 1, 1, 1)
def moved(table, q, delta, q_out):
    """Coordinates after moving along constant velocities for a unit of time: H exp(delta), or q + delta."""
    for k in range(int(table[N_V])):
        q_out[k] = q[k] + delta[k]
    for i in range(int(table[N_LINKS])):
        row = HEADER + i * ROW
        kind, k, sign = int(table[row + KIND]), int(table[row + FIRST]), table[row + TURN]
        if kind == SPHERICAL:
            w, d = scale(sign, get3(q, k)), get3(delta, k)
            R = matmul(rotation(w[0], w[1], w[2]), rotation(d[0], d[1], d[2]))
            put3(q_out, k, scale(sign, log_rotation(R)))
        elif kind == FREE:
            w = get3(q, k + 3)
            R, x = rotation(w[0], w[1], w[2]), get3(q, k)
            E, y = exp_frame(get3(delta, k), get3(delta, k + 3))
            if sign > 0.0:
                R, x = matmul(R, E), add(x, mul(R, y))
            else:  # q describes the inverse: exp(-delta) H
                R, x = matmul(transpose(E), R), mul_t(E, sub(x, y))
            put3(q_out, k, x)
            put3(q_out, k + 3, log_rotation(R))


@quick(1, 1, 1, 1)
def difference(table, q_a, q_b, delta_out):
    """The delta that moves coordinates q_a to q_b."""
    for k in range(int(table[N_V])):
        delta_out[k] = q_b[k] - q_a[k]
    for i in range(int(table[N_LINKS])):
        row = HEADER + i * ROW
        kind, k, sign = int(table[row + KIND]), int(table[row + FIRST]), table[row + TURN]
        if kind == SPHERICAL:
            a, b = scale(sign, get3(q_a, k)), scale(sign, get3(q_b, k))
            R = matmul(transpose(rotation(a[0], a[1], a[2])), rotation(b[0], b[1], b[2]))
            put3(delta_out, k, log_rotation(R))
        elif kind == FREE:
            a, b = get3(q_a, k + 3), get3(q_b, k + 3)
            R_a, R_b = rotation(a[0], a[1], a[2]), rotation(b[0], b[1], b[2])
            x_a, x_b = get3(q_a, k), get3(q_b, k)
            if sign > 0.0:
                R, x = matmul(transpose(R_a), R_b), mul_t(R_a, sub(x_b, x_a))
            else:
                R = matmul(R_a, transpose(R_b))
                x = sub(x_a, mul(R, x_b))
            u, w, _, _ = log_frame(R, x)
            put3(delta_out, k, u)
            put3(delta_out, k + 3, w)


@quick(1, 1, 1, 1)
def coordinate_rates(table, q, v, rate_out):
    """Time derivatives of the coordinates."""
    for k in range(int(table[N_V])):
        rate_out[k] = v[k]
    for i in range(int(table[N_LINKS])):
        row = HEADER + i * ROW
        kind, k, sign = int(table[row + KIND]), int(table[row + FIRST]), table[row + TURN]
        if kind < SPHERICAL:
            continue
        a = k if kind == SPHERICAL else k + 3
        w, turns = scale(sign, get3(q, a)), get3(v, a)
        put3(rate_out, a, scale(sign, apply_a(w, cotc(dot(w, w)), turns)))
        if kind == FREE:
            R = rotation(w[0], w[1], w[2])
            x, u = get3(q, k), get3(v, k)
            if sign > 0.0:
                put3(rate_out, k, mul(R, u))
            else:  # x' = -u - turns x x
                put3(rate_out, k, sub(neg(u), cross(turns, x)))
