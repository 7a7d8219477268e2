"""Coordinates of a flexible tree on its group: moving along velocities, rates of coordinates."""

from cosserat.jit import stage
from cosserat.kernels.flexible.arrays import FIRST, KIND, links_of
from cosserat.kernels.flexible.twists import zero
from cosserat.kernels.frames import apply_a, apply_b, cotc, d_cotc, exp_frame, log_rotation
from cosserat.kernels.recursion.table import FREE, SPHERICAL
from cosserat.kernels.vectors import add, cross, dot, load, matmul, mul, mul_t, neg, scale, store, sub, transpose


@stage
def moved(tree, q, delta, q_out):
    """Coordinates after moving along constant velocities for a unit of time: H exp(delta), or q + delta."""
    links = links_of(tree)
    for k in range(len(q)):
        q_out[k] = q[k] + delta[k]
    for i in range(len(links.table)):
        kind, k, sign = links.table[i, KIND], links.table[i, FIRST], links.joint[i, 1]
        if kind == SPHERICAL:
            R, _ = exp_frame(zero(), scale(sign, load(q, k)))
            E, _ = exp_frame(zero(), load(delta, k))
            store(scale(sign, log_rotation(matmul(R, E))), q_out, k)
        elif kind == FREE:
            R, _ = exp_frame(zero(), load(q, k + 3))
            x = load(q, k)
            E, y = exp_frame(load(delta, k), load(delta, k + 3))
            if sign > 0.0:
                R, x = matmul(R, E), add(x, mul(R, y))
            else:  # q describes the inverse: exp(-delta) H
                R, x = matmul(transpose(E), R), mul_t(E, sub(x, y))
            store(x, q_out, k)
            store(log_rotation(R), q_out, k + 3)
    return 0


@stage
def coordinate_rates(tree, q, v, rate_out):
    """Time derivatives of the coordinates."""
    links = links_of(tree)
    for k in range(len(q)):
        rate_out[k] = v[k]
    for i in range(len(links.table)):
        kind, k, sign = links.table[i, KIND], links.table[i, FIRST], links.joint[i, 1]
        if kind < SPHERICAL:
            continue
        a = k + 3 if kind == FREE else k
        w, turns = scale(sign, load(q, a)), load(v, a)
        store(scale(sign, apply_a(w, cotc(dot(w, w)), turns)), rate_out, a)
        if kind == FREE:
            R, _ = exp_frame(zero(), w)
            if sign > 0.0:
                store(mul(R, load(v, k)), rate_out, k)
            else:
                store(neg(add(load(v, k), cross(turns, load(q, k)))), rate_out, k)
    return 0


@stage
def exponential_rates(tree, theta, v, rate_out):
    """T^-1(theta) v: rates of exponential coordinates about a fixed state, H = H_0 exp(theta)."""
    links = links_of(tree)
    for k in range(len(v)):
        rate_out[k] = v[k]
    for i in range(len(links.table)):
        kind, k = links.table[i, KIND], links.table[i, FIRST]
        if kind == SPHERICAL:
            w = load(theta, k)
            store(apply_a(w, cotc(dot(w, w)), load(v, k)), rate_out, k)
        elif kind == FREE:
            u, w = load(theta, k), load(theta, k + 3)
            c, c1 = cotc(dot(w, w)), d_cotc(dot(w, w))
            turns = load(v, k + 3)
            store(add(apply_a(w, c, load(v, k)), apply_b(u, w, c, c1, turns)), rate_out, k)
            store(apply_a(w, c, turns), rate_out, k + 3)
    return 0
