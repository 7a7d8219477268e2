"""Seats: frames on links that move with the modes; the frame, its twists per modal rate, and what rates add to them.

Laws and joints see the motions of seats as they see those of nodes (`SeatMotions`); their wrenches go to the links.
The rotation of an interface is exp(rotation shape q) R, see `compile.modal_dynamics`.
"""

from cosserat.jit import helper
from cosserat.kernels.flexible.arrays import MODE, Z
from cosserat.kernels.flexible.so3_tangents import tangent_slope
from cosserat.kernels.flexible.twists import add6, add_scaled, combined, projected, put6
from cosserat.kernels.frames import (
    bracket,
    compose,
    cosc,
    load_frame,
    sinc,
    sincc,
    store_frame,
    twist_at_place,
    wrench_to_node,
)
from cosserat.kernels.vectors import (
    IDENTITY,
    ZERO,
    add,
    combine,
    cross,
    dot,
    load,
    matmul,
    mul,
    mul_t,
    neg,
    scale,
    skew,
    sub,
)


@helper
def place_seat(seats, s, q, q_at, v, v_at, rows_out, at, work):
    """Frame (R, x) of a seat in its link and the bias (6) of its twist; writes its rows (m, 6).

    With these rows the twist of the seat relative to the link, in its own axes, is rows^T v; its time derivative
    rows^T a + bias. Modal coordinates and rates begin at q_at and v_at; `work` has room for 6 m numbers.
    """
    R_f, x_f = load_frame(seats.frame[s])
    m = seats.modes[s]
    if m == 0:
        return R_f, x_f, ZERO, ZERO
    shape_at, pair_at = seats.shape_at[s], seats.pair_at[s]
    for j in range(6 * m):
        rows_out[at + j] = seats.shape[shape_at + j]
    x, w = combined(rows_out, at, m, q, q_at)
    x_bent, w_bent = ZERO, ZERO
    if pair_at >= 0:
        for j in range(6 * m):
            work[j] = 0.0
        for i in range(m):
            add_scaled(q[q_at + i], seats.pair, pair_at + 6 * m * i, 6 * m, rows_out, at)
            add_scaled(v[v_at + i], seats.pair, pair_at + 6 * m * i, 6 * m, work, 0)
        x_bent, w_bent = combined(work, 0, m, v, v_at)
        y, r = combined(rows_out, at, m, q, q_at)
        x, w = scale(0.5, add(x, y)), scale(0.5, add(w, r))
    x_dot, w_dot = combined(rows_out, at, m, v, v_at)
    R_i, x_i = load_frame(seats.interface[s])
    t2 = dot(w, w)
    W = skew(w)
    WW = matmul(W, W)
    c, d = cosc(t2), sincc(t2)
    R = matmul(combine(1.0, combine(1.0, IDENTITY, sinc(t2), W), c, WW), R_i)
    T = combine(1.0, combine(1.0, IDENTITY, -c, W), d, WW)
    for j in range(m):
        o = at + 6 * j
        u, r = twist_at_place(R_f, x_f, mul_t(R, load(rows_out, o)), mul_t(R_i, mul(T, load(rows_out, o + 3))))
        put6(u, r, rows_out, o)
    turning = add(mul(T, w_bent), tangent_slope(w, w_dot, w_dot, -1.0))
    omega = mul_t(R_i, mul(T, w_dot))
    linear = sub(mul_t(R, x_bent), cross(omega, mul_t(R, x_dot)))
    u, r = twist_at_place(R_f, x_f, linear, mul_t(R_i, turning))
    R, x = compose(R, add(x_i, x), R_f, x_f)
    return R, x, u, r


@helper
def inverse_frame(R, x):
    """H^-1."""
    return (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]), neg(mul_t(R, x))


@helper
def visit(links, seats, now, q, count, motion_out, work):
    """Write the motions of the first `count` seats."""
    for s in range(count):
        link = seats.link[s]
        if link < 0:
            for k in range(12):
                motion_out.frame[s, k] = motion_out.inside[s, k] = seats.frame[s, k]
            put6(ZERO, ZERO, motion_out.twist[s], 0)
            continue
        z, mode, at = links.table[link, Z], links.table[link, MODE], seats.rows_at[s]
        R_i, x_i, f, g = place_seat(seats, s, q, mode, now.z, z + 6, motion_out.rows, at, work)
        store_frame(R_i, x_i, motion_out.inside[s])
        put6(f, g, motion_out.bias[s], 0)
        R, x = load_frame(now.frame[link])
        R, x = compose(R, x, R_i, x_i)
        store_frame(R, x, motion_out.frame[s])
        u, w = twist_at_place(R_i, x_i, load(now.z, z), load(now.z, z + 3))
        du, dw = combined(motion_out.rows, at, seats.modes[s], now.z, z + 6)
        put6(add(u, du), add(w, dw), motion_out.twist[s], 0)


@helper
def rate_of(links, seats, now, motion, s, rates):
    """Rate of the twist of a seat, in its axes, for rates (n_z,) of the links' velocities."""
    link, first = seats.link[s], 0
    if link < 0:
        return ZERO, ZERO
    z, m, at = links.table[link, Z], seats.modes[s], seats.rows_at[s]
    R, x = load_frame(motion.inside[s])
    du, dw = combined(motion.rows, at, m, now.z, z + 6)
    bu, bw = bracket(load(motion.twist[s], first), load(motion.twist[s], first + 3), du, dw)
    u, w = twist_at_place(R, x, load(rates, z), load(rates, z + 3))
    du, dw = combined(motion.rows, at, m, rates, z + 6)
    f, g = load(motion.bias[s], first), load(motion.bias[s], first + 3)
    return add(add(u, du), add(f, bu)), add(add(w, dw), add(g, bw))


@helper
def push(links, seats, motion, s, f, t, wrench_out):
    """Add a wrench in the axes of a seat to what acts on its link."""
    link = seats.link[s]
    if link >= 0:
        z = links.table[link, Z]
        projected(motion.rows, seats.rows_at[s], seats.modes[s], f, t, wrench_out, z + 6)
        R, x = load_frame(motion.inside[s])
        f, t = wrench_to_node(R, x, f, t)
        add6(f, t, wrench_out, z)
