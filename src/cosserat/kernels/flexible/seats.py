"""Seats: frames on links that move with the modes; the frame, its twists per modal rate, and what rates add to them.

The rotation of an interface is exp(rotation shape q) R, see `compile.modal_dynamics`.
"""

from cosserat.jit import helper
from cosserat.kernels.flexible.twists import compose, inner_twist, put6, zero
from cosserat.kernels.frames import cosc, load_frame, sinc, sincc
from cosserat.kernels.vectors import IDENTITY, add, axpy, combine, cross, dot, load, matmul, mul, mul_t, neg, skew, sub
from cosserat.lie import coefficients

d_cosc = helper(coefficients.d_cosc)
d_sincc = helper(coefficients.d_sincc)


@helper
def place_seat(seats, s, q, q_at, v, v_at, rows_out, at):
    """Frame (R, x) of a seat in its link and the bias (6) of its twist; writes its rows (m, 6).

    With these rows the twist of the seat relative to the link, in its own axes, is rows^T v; its time derivative
    rows^T a + bias. Modal coordinates and rates begin at q_at and v_at.
    """
    R_f, x_f = load_frame(seats.frame[s])
    m = seats.modes[s]
    if m == 0:
        return R_f, x_f, zero(), zero()
    shape_at, pair_at = seats.shape_at[s], seats.pair_at[s]
    shape, pair = seats.shape, seats.pair
    x, w, x_dot, w_dot, x_bent, w_bent = zero(), zero(), zero(), zero(), zero(), zero()
    for j in range(m):
        o = shape_at + 6 * j
        u, r = load(shape, o), load(shape, o + 3)
        u_first, r_first = u, r
        if pair_at >= 0:
            u_v, r_v = zero(), zero()
            for i in range(m):
                p = pair_at + 6 * (m * j + i)
                y, z = q[q_at + i], v[v_at + i]
                du, dr = load(pair, p), load(pair, p + 3)
                u, r = axpy(y, du, u), axpy(y, dr, r)
                u_v, r_v = axpy(z, du, u_v), axpy(z, dr, r_v)
            x_bent, w_bent = axpy(v[v_at + j], u_v, x_bent), axpy(v[v_at + j], r_v, w_bent)
        half = 0.5 * q[q_at + j]
        x, w = axpy(half, add(u_first, u), x), axpy(half, add(r_first, r), w)
        x_dot, w_dot = axpy(v[v_at + j], u, x_dot), axpy(v[v_at + j], r, w_dot)
        put6(u, r, rows_out, at + 6 * j)
    R_i, x_i = load_frame(seats.interface[s])
    t2 = dot(w, w)
    W = skew(w)
    WW = matmul(W, W)
    c, d = cosc(t2), sincc(t2)
    R = matmul(combine(1.0, combine(1.0, IDENTITY, sinc(t2), W), c, WW), R_i)
    T = combine(1.0, combine(1.0, IDENTITY, -c, W), d, WW)
    for j in range(m):
        o = at + 6 * j
        u, r = inner_twist(R_f, x_f, mul_t(R, load(rows_out, o)), mul_t(R_i, mul(T, load(rows_out, o + 3))))
        put6(u, r, rows_out, o)
    # the derivative of T along w_dot, times w_dot
    along = dot(w, w_dot)
    turn = cross(w, w_dot)
    turning = axpy(-d_cosc(t2) * along, turn, axpy(d_sincc(t2) * along, cross(w, turn), mul(T, w_bent)))
    turning = axpy(d, cross(w_dot, turn), turning)
    omega = mul_t(R_i, mul(T, w_dot))
    linear = sub(mul_t(R, x_bent), cross(omega, mul_t(R, x_dot)))
    u, r = inner_twist(R_f, x_f, linear, mul_t(R_i, turning))
    R, x = compose(R, add(x_i, x), R_f, x_f)
    return R, x, u, r


@helper
def inverse_frame(R, x):
    """H^-1."""
    return (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]), neg(mul_t(R, x))
