"""Joints of trees, rigid or elastic: how their coordinates move on the group, their efforts and the slopes of these.

The one text for `recursion` and `flexible`, link by link. `kind` is as in `recursion.table`, `k` the first coordinate
of the joint. A joint with one freedom has plain numbers; in spherical and free joints a rotation vector, and before it
a translation in the parent's axes, are coordinates on the group. Their velocities are in the axes of the outer body;
`sign` is -1, and `ahead` false, where the joint is described from the outer body to the inner one.

Efforts act along the coordinates; in spherical and free joints on position, rotation vector and velocities in the
parent's axes, as in `freedoms`. Rows of `passive`: stiffness, damping, level and speed of friction, kp, kd and limit of
servos, which only joints with one freedom have; `drive` are prescribed efforts, `target` what servos aim at.
"""

from cosserat.jit import helper
from cosserat.kernels import efforts
from cosserat.kernels.frames import apply_a, cotc, exp_frame, log_frame, log_rotation
from cosserat.kernels.recursion.table import FREE, SPHERICAL
from cosserat.kernels.vectors import ZERO, add, cross, dot, load, matmul, mul, mul_t, neg, scale, store, sub, transpose


@helper
def move(kind, sign, k, q, delta, q_out):
    """Coordinates of a spherical or free joint after a unit of time along constant velocities: H exp(delta)."""
    if kind == SPHERICAL:
        R, _ = exp_frame(ZERO, scale(sign, load(q, k)))
        E, _ = exp_frame(ZERO, load(delta, k))
        store(scale(sign, log_rotation(matmul(R, E))), q_out, k)
    elif kind == FREE:
        R, _ = exp_frame(ZERO, load(q, k + 3))
        x = load(q, k)
        E, y = exp_frame(load(delta, k), load(delta, k + 3))
        if sign > 0.0:
            R, x = matmul(R, E), add(x, mul(R, y))
        else:  # q describes the inverse: exp(-delta) H
            R, x = matmul(transpose(E), R), mul_t(E, sub(x, y))
        store(x, q_out, k)
        store(log_rotation(R), q_out, k + 3)


@helper
def differ(kind, sign, k, q_a, q_b, delta_out):
    """The delta with which `move` takes q_a to q_b."""
    if kind == SPHERICAL:
        R_a, _ = exp_frame(ZERO, scale(sign, load(q_a, k)))
        R_b, _ = exp_frame(ZERO, scale(sign, load(q_b, k)))
        store(log_rotation(matmul(transpose(R_a), R_b)), delta_out, k)
    elif kind == FREE:
        R_a, _ = exp_frame(ZERO, load(q_a, k + 3))
        R_b, _ = exp_frame(ZERO, load(q_b, k + 3))
        x_a, x_b = load(q_a, k), load(q_b, k)
        if sign > 0.0:
            R, x = matmul(transpose(R_a), R_b), mul_t(R_a, sub(x_b, x_a))
        else:
            R = matmul(R_a, transpose(R_b))
            x = sub(x_a, mul(R, x_b))
        u, w, _, _ = log_frame(R, x)
        store(u, delta_out, k)
        store(w, delta_out, k + 3)


@helper
def change(kind, sign, k, q, v, rate_out):
    """Time derivatives of the coordinates of a spherical or free joint."""
    if kind < SPHERICAL:
        return
    a = k + 3 if kind == FREE else k
    w, turns = scale(sign, load(q, a)), load(v, a)
    store(scale(sign, apply_a(w, cotc(dot(w, w)), turns)), rate_out, a)
    if kind == FREE:
        R, _ = exp_frame(ZERO, w)
        if sign > 0.0:
            store(mul(R, load(v, k)), rate_out, k)
        else:
            store(neg(add(load(v, k), cross(turns, load(q, k)))), rate_out, k)


@helper
def pull(passive, k, drive, x, rate):
    """Effort in a coordinate at x that changes at a rate."""
    return efforts.effort(passive[0, k], passive[1, k], passive[2, k], passive[3, k], drive[k], x, rate)[0]


@helper
def servo(passive, k, target, x, rate):
    """Effort of a servo in a coordinate, and its derivatives by the coordinate and by the rate."""
    return efforts.servo(passive[4, k], passive[5, k], passive[6, k], target[k], x, rate)


@helper
def pull3(passive, k, drive, x, rate):
    """Efforts in three coordinates."""
    return (
        pull(passive, k, drive, x[0], rate[0]),
        pull(passive, k + 1, drive, x[1], rate[1]),
        pull(passive, k + 2, drive, x[2], rate[2]),
    )


@helper
def act(kind, n, k, ahead, passive, drive, target, q, v, effort_out):
    """Efforts of a joint with n coordinates."""
    if kind < SPHERICAL:
        for j in range(k, k + n):
            effort_out[j] = pull(passive, j, drive, q[j], v[j])
            if passive[4, j] + passive[5, j] > 0.0:
                effort_out[j] += servo(passive, j, target, q[j], v[j])[0]
        return
    a = k + 3 if kind == FREE else k
    R, _ = exp_frame(ZERO, load(q, a))
    turns = load(v, a)
    if ahead:
        t = mul_t(R, pull3(passive, a, drive, load(q, a), mul(R, turns)))
    else:
        t = neg(pull3(passive, a, drive, load(q, a), neg(turns)))
    if kind == FREE:
        x, slides = load(q, k), load(v, k)
        if ahead:
            store(mul_t(R, pull3(passive, k, drive, x, mul(R, slides))), effort_out, k)
        else:
            f = pull3(passive, k, drive, x, neg(add(slides, cross(turns, x))))
            store(neg(f), effort_out, k)
            t = sub(t, cross(x, f))
    store(t, effort_out, a)


@helper
def slope(passive, k, rate):
    """d(effort)/d(rate) of a coordinate, with its sign turned."""
    return -efforts.effort(0.0, passive[1, k], passive[2, k], passive[3, k], 0.0, 0.0, rate)[1]


@helper
def slopes(passive, k, rate):
    """The same of three coordinates."""
    return (slope(passive, k, rate[0]), slope(passive, k + 1, rate[1]), slope(passive, k + 2, rate[2]))


@helper
def resisted(passive, k, dx, slope3, drate):
    """Change of the efforts of three coordinates."""
    return (
        -passive[0, k] * dx[0] - slope3[0] * drate[0],
        -passive[0, k + 1] * dx[1] - slope3[1] * drate[1],
        -passive[0, k + 2] * dx[2] - slope3[2] * drate[2],
    )


@helper
def put_change(row, column, by, matrix_out):
    """Take three rows of a column away from a matrix."""
    for j in range(3):
        matrix_out[row + j, column] -= by[j]


@helper
def differentiate(kind, n, k, d, ahead, passive, drive, target, q, v, dq_out, dv_out):
    """Take the derivatives of `act` away from d tau/d q and d tau/d v, in which the joint has rows and columns from d.

    d q is the motion along unit velocities, see `move`.
    """
    if kind < SPHERICAL:
        for j in range(n):
            _, by_q, by_rate = servo(passive, k + j, target, q[k + j], v[k + j])
            dq_out[d + j, d + j] += passive[0, k + j] - by_q
            dv_out[d + j, d + j] += slope(passive, k + j, v[k + j]) - by_rate
        return
    a, o = (k + 3, d + 3) if kind == FREE else (k, d)  # where the rotation begins
    w, turns = load(q, a), load(v, a)
    R, _ = exp_frame(ZERO, w)
    sign = 1.0 if ahead else -1.0
    seen = mul(R, turns) if ahead else neg(turns)
    steep = slopes(passive, a, seen)
    t = mul_t(R, pull3(passive, a, drive, w, seen))
    x, slides = load(q, k), load(v, k)
    for j in range(3):
        e = (1.0 * (j == 0), 1.0 * (j == 1), 1.0 * (j == 2))
        dw = scale(sign, apply_a(scale(sign, w), cotc(dot(w, w)), e))
        if ahead:
            moved = resisted(passive, a, dw, steep, mul(R, cross(e, turns)))
            put_change(o, o + j, add(cross(t, e), mul_t(R, moved)), dq_out)
            put_change(o, o + j, mul_t(R, resisted(passive, a, ZERO, steep, mul(R, e))), dv_out)
        else:
            put_change(o, o + j, neg(resisted(passive, a, dw, steep, ZERO)), dq_out)
            put_change(o, o + j, neg(resisted(passive, a, ZERO, steep, neg(e))), dv_out)
        if kind != FREE:
            continue
        if ahead:
            speed = mul(R, slides)
            rough, f = slopes(passive, k, speed), mul_t(R, pull3(passive, k, drive, x, speed))
            turned = resisted(passive, k, ZERO, rough, mul(R, cross(e, slides)))
            put_change(d, o + j, add(cross(f, e), mul_t(R, turned)), dq_out)
            put_change(d, d + j, mul_t(R, resisted(passive, k, mul(R, e), rough, ZERO)), dq_out)
            put_change(d, d + j, mul_t(R, resisted(passive, k, ZERO, rough, mul(R, e))), dv_out)
        else:  # x changes by -e - turn x x; its rate is -(slides + turns x x)
            speed = neg(add(slides, cross(turns, x)))
            rough, f = slopes(passive, k, speed), pull3(passive, k, drive, x, speed)
            for step in range(2):
                dx = neg(e) if step == 0 else neg(cross(e, x))
                df = resisted(passive, k, dx, rough, neg(cross(turns, dx)))
                column = d + j if step == 0 else o + j
                put_change(d, column, neg(df), dq_out)
                put_change(o, column, neg(add(cross(dx, f), cross(x, df))), dq_out)
                df = resisted(passive, k, ZERO, rough, neg(e) if step == 0 else neg(cross(e, x)))
                put_change(d, column, neg(df), dv_out)
                put_change(o, column, neg(cross(x, df)), dv_out)
