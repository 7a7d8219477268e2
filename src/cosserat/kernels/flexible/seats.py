"""Seats: frames on links that move with the modes; the frame, its twists per modal rate, and what rates add to them.

The rotation of an interface is exp(rotation shape q) R, see `compile.modal_dynamics`.
"""

from cosserat.jit import helper
from cosserat.kernels.flexible.so3_tangents import tangent_slope
from cosserat.kernels.flexible.twists import add_scaled, combined, put6
from cosserat.kernels.frames import compose, cosc, load_frame, sinc, sincc, twist_at_place
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
