"""How the motion of a seat changes along one modal coordinate or one modal rate.

With p = (x, w) the displacement of the interface, its twist is (R^T x_dot, R_0^T T(w) w_dot), R = exp(w) R_0.
"""

from cosserat.jit import helper
from cosserat.kernels.flexible.so3_tangents import tangent_curvature, tangent_slope, tangent_times
from cosserat.kernels.flexible.twists import add_scaled, combined, put6
from cosserat.kernels.frames import compose, exp_frame, load_frame, store_frame, twist_at_place, wrench_to_node
from cosserat.kernels.vectors import ZERO, add, axpy, cross, dot, load, load_matrix, matmul, mul, mul_t, scale, sub

S_TURN, S_W, S_RATE, S_CHANGE, S_SLIP, S_FRAME, S_FLOW, S_ROW = 0, 9, 12, 18, 24, 30, 42, 54
"""R, w, p_dot, p_ddot, twist in the interface's axes, frame in the link, twist and its rate in the seat's axes."""


@helper
def record_seat(seats, s, q, q_at, v, v_at, a, a_at, record_out, slope_out, rate_out, change_out):
    """Fill the record of a seat and its rows (m, 6): dp/dq, and how p_dot and p_ddot change with q."""
    m = seats.modes[s]
    R_f, x_f = load_frame(seats.frame[s])
    if m == 0:
        store_frame(R_f, x_f, record_out[S_FRAME:])
        for j in range(12):
            record_out[S_FLOW + j] = 0.0
        return
    o, shape_at, pair_at = seats.rows_at[s], seats.shape_at[s], seats.pair_at[s]
    for j in range(6 * m):
        slope_out[o + j] = seats.shape[shape_at + j]
        rate_out[o + j] = 0.0
        change_out[o + j] = 0.0
    x, w = combined(slope_out, o, m, q, q_at)
    if pair_at >= 0:
        for i in range(m):
            p = pair_at + 6 * m * i
            add_scaled(q[q_at + i], seats.pair, p, 6 * m, slope_out, o)
            add_scaled(v[v_at + i], seats.pair, p, 6 * m, rate_out, o)
            add_scaled(a[a_at + i], seats.pair, p, 6 * m, change_out, o)
        y, r = combined(slope_out, o, m, q, q_at)
        x, w = scale(0.5, add(x, y)), scale(0.5, add(w, r))
    x_dot, w_dot = combined(slope_out, o, m, v, v_at)
    x_ddot, w_ddot = combined(slope_out, o, m, a, a_at)
    y, r = combined(rate_out, o, m, v, v_at)
    x_ddot, w_ddot = add(x_ddot, y), add(w_ddot, r)
    R_i, x_i = load_frame(seats.interface[s])
    E, _ = exp_frame(ZERO, w)
    R = matmul(E, R_i)
    u, r = mul_t(R, x_dot), mul_t(R_i, tangent_times(w, w_dot, -1.0))
    for j in range(9):
        record_out[S_TURN + j] = R[j]
    for j in range(3):
        record_out[S_W + j] = w[j]
    put6(x_dot, w_dot, record_out, S_RATE)
    put6(x_ddot, w_ddot, record_out, S_CHANGE)
    put6(u, r, record_out, S_SLIP)
    turning = add(tangent_times(w, w_ddot, -1.0), tangent_slope(w, w_dot, w_dot, -1.0))
    linear = sub(mul_t(R, x_ddot), cross(r, u))
    f, g = twist_at_place(R_f, x_f, linear, mul_t(R_i, turning))
    u, r = twist_at_place(R_f, x_f, u, r)
    put6(u, r, record_out, S_FLOW)
    put6(f, g, record_out, S_FLOW + 6)
    R, x = compose(R, add(x_i, x), R_f, x_f)
    store_frame(R, x, record_out[S_FRAME:])


@helper
def seat_change(seats, s, record, slope, rate, change, along_q, along_v):
    """Variation of the seat's frame, of its twist and of the rate of that, all relative to the link, in its axes.

    Along a unit change of the modal coordinate `along_q` or of the modal rate `along_v`; -1 for none.
    """
    if seats.modes[s] == 0 or (along_q < 0 and along_v < 0):
        return ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    o = seats.rows_at[s]
    e, h, ed, hd, edd, hdd = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    if along_q >= 0:
        j = o + 6 * along_q
        e, h = load(slope, j), load(slope, j + 3)
        ed, hd = load(rate, j), load(rate, j + 3)
        edd, hdd = load(change, j), load(change, j + 3)
    if along_v >= 0:
        j = o + 6 * along_v
        ed, hd = add(ed, load(slope, j)), add(hd, load(slope, j + 3))
        edd, hdd = axpy(2.0, load(rate, j), edd), axpy(2.0, load(rate, j + 3), hdd)
    R, w = load_matrix(record, S_TURN), load(record, S_W)
    R_i = load_matrix(seats.interface[s], 0)
    w_dot, x_ddot = load(record, S_RATE + 3), load(record, S_CHANGE)
    w_ddot = load(record, S_CHANGE + 3)
    u, r = load(record, S_SLIP), load(record, S_SLIP + 3)
    shift, turn = mul_t(R, e), mul_t(R_i, tangent_times(w, h, -1.0))
    du = sub(mul_t(R, ed), cross(turn, u))
    dr = mul_t(R_i, add(tangent_times(w, hd, -1.0), tangent_slope(w, h, w_dot, -1.0)))
    linear = sub(mul_t(R, edd), cross(turn, mul_t(R, x_ddot)))
    linear = sub(sub(linear, cross(dr, u)), cross(r, du))
    turning = add(tangent_times(w, hdd, -1.0), tangent_slope(w, h, w_ddot, -1.0))
    turning = add(turning, add(tangent_slope(w, hd, w_dot, -1.0), tangent_slope(w, w_dot, hd, -1.0)))
    turning = add(turning, tangent_curvature(w, w_dot, h, w_dot, -1.0))
    R_f, x_f = load_frame(seats.frame[s])
    a, b = twist_at_place(R_f, x_f, shift, turn)
    c, d = twist_at_place(R_f, x_f, du, dr)
    f, g = twist_at_place(R_f, x_f, linear, mul_t(R_i, turning))
    return a, b, c, d, f, g


@helper
def add_power_change(seats, s, record, slope, along_q, f, t, sign, out, at):
    """out += sign times the change of the power of a wrench (f, t) along the seat's rows, along a modal coordinate."""
    m = seats.modes[s]
    if m == 0 or along_q < 0:
        return
    o, pair_at = seats.rows_at[s], seats.pair_at[s]
    R_f, x_f = load_frame(seats.frame[s])
    R, w = load_matrix(record, S_TURN), load(record, S_W)
    R_i = load_matrix(seats.interface[s], 0)
    f, t = wrench_to_node(R_f, x_f, f, t)
    h = load(slope, o + 6 * along_q + 3)
    turn, moment = mul_t(R_i, tangent_times(w, h, -1.0)), mul(R_i, t)
    a, b = mul(R, cross(turn, f)), tangent_slope(w, h, moment, 1.0)
    f, t = mul(R, f), tangent_times(w, moment, 1.0)
    for l in range(m):
        j = o + 6 * l
        y = dot(load(slope, j), a) + dot(load(slope, j + 3), b)
        if pair_at >= 0:
            p = pair_at + 6 * (m * l + along_q)
            y += dot(load(seats.pair, p), f) + dot(load(seats.pair, p + 3), t)
        out[at + l] += sign * y


@helper
def add_power(seats, s, record, slope, f, t, sign, out, at):
    """out += sign times the power of a wrench (f, t) along the seat's rows."""
    m = seats.modes[s]
    if m == 0:
        return
    o = seats.rows_at[s]
    R_f, x_f = load_frame(seats.frame[s])
    R, w = load_matrix(record, S_TURN), load(record, S_W)
    R_i = load_matrix(seats.interface[s], 0)
    f, t = wrench_to_node(R_f, x_f, f, t)
    f, t = mul(R, f), tangent_times(w, mul(R_i, t), 1.0)
    for l in range(m):
        j = o + 6 * l
        out[at + l] += sign * (dot(load(slope, j), f) + dot(load(slope, j + 3), t))
