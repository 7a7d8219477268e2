"""Straight springs and dampers between two points fixed to nodes (or to the ground)."""

import math

from cosserat.jit import helper
from cosserat.kernels.frames import load_frame
from cosserat.kernels.vectors import add, add_to_nodes, cross, dot, load, mul, mul_t, scale, sub


@helper
def pull(stiffness, damping, rest, length, rate):
    """Pull of a spring and damper at a length that changes at a rate: the law, for numbers and for arrays."""
    return stiffness * (length - rest) + damping * rate


@helper
def stored(stiffness, rest, length):
    """Energy of a spring at a length."""
    return 0.5 * stiffness * (length - rest) * (length - rest)


@helper
def line(springs, i, frames):
    """Vector from point a to point b, its length, and the rotations of both nodes."""
    R_a, x_a = load_frame(frames[springs.node[i, 0]])
    R_b, x_b = load_frame(frames[springs.node[i, 1]])
    y_a, y_b = load(springs.point_a[i], 0), load(springs.point_b[i], 0)
    r = sub(add(x_b, mul(R_b, y_b)), add(x_a, mul(R_a, y_a)))
    return r, math.sqrt(dot(r, r)), R_a, y_a, R_b, y_b


@helper
def gap_rate(springs, i, twists, R_a, y_a, R_b, y_b):
    """World velocity of point b minus that of point a."""
    t_a, t_b = twists[springs.node[i, 0]], twists[springs.node[i, 1]]
    v_a = mul(R_a, add(load(t_a, 0), cross(load(t_a, 3), y_a)))
    v_b = mul(R_b, add(load(t_b, 0), cross(load(t_b, 3), y_b)))
    return sub(v_b, v_a)


@helper
def tension(springs, i, length, rate):
    """Pull between the points of spring i."""
    return pull(springs.stiffness[i], springs.damping[i], springs.length[i], length, rate)


@helper
def energy(springs, i, length):
    """Energy of spring i at a length."""
    return stored(springs.stiffness[i], springs.length[i], length)


@helper
def reach(springs, i, frames, length):
    """Largest coordinate of its nodes, at least its length: what rounding errors of the length scale with."""
    largest = length
    for side in range(2):
        for k in range(9, 12):
            largest = max(largest, abs(frames[springs.node[i, side], k]))
    return largest


@helper
def add_spring(springs, i, frames, twists, r_out):
    """r += internal forces of spring i; a spring whose ends meet has no direction and pulls nowhere."""
    r, length, R_a, y_a, R_b, y_b = line(springs, i, frames)
    if length < 1e-14:
        return
    e = scale(1.0 / length, r)
    tense = tension(springs, i, length, dot(e, gap_rate(springs, i, twists, R_a, y_a, R_b, y_b)))
    f, g = mul_t(R_a, scale(-tense, e)), mul_t(R_b, scale(tense, e))
    add_to_nodes((f, cross(y_a, f), g, cross(y_b, g)), springs.node[i, 0], springs.node[i, 1], r_out)


@helper
def spring_tangent(springs, i, frames, twists, K_out, row_out):
    """K += d(internal forces)/d(left increments): (12, 12); row_out (12,): d(length)/d(increments).

    The damping matrix is damping * row row^T.
    """
    r, length, R_a, y_a, R_b, y_b = line(springs, i, frames)
    for k in range(12):
        row_out[k] = 0.0
    if length < 1e-14:
        return
    e = scale(1.0 / length, r)
    w = gap_rate(springs, i, twists, R_a, y_a, R_b, y_b)
    rate = dot(e, w)
    tense = tension(springs, i, length, rate)
    for k in range(12):
        # unit left increment k: displacement of the point and turn of its frame
        side = k // 6
        unit = (1.0 * (k % 3 == 0), 1.0 * (k % 3 == 1), 1.0 * (k % 3 == 2))
        R = R_a if side == 0 else R_b
        y = y_a if side == 0 else y_b
        sign = -1.0 if side == 0 else 1.0
        turn = (0.0, 0.0, 0.0)
        if k % 6 < 3:
            dr = scale(sign, mul(R, unit))
        else:
            dr = scale(sign, mul(R, cross(unit, y)))
            turn = unit
        d_length = dot(e, dr)
        row_out[k] = d_length
        de = scale(1.0 / length, sub(dr, scale(d_length, e)))
        # change of the gap velocity when the frame turns under a fixed body twist
        t = twists[springs.node[i, side]]
        dw = scale(sign, mul(R, cross(turn, add(load(t, 0), cross(load(t, 3), y)))))
        d_pull = springs.stiffness[i] * d_length + springs.damping[i] * (dot(de, w) + dot(e, dw))
        df = add(scale(d_pull, e), scale(tense, de))
        for other in range(2):
            R_o = R_a if other == 0 else R_b
            y_o = y_a if other == 0 else y_b
            s_o = -1.0 if other == 0 else 1.0
            f = mul_t(R_o, scale(s_o, df))
            if other == side:
                f = sub(f, cross(turn, mul_t(R_o, scale(s_o * tense, e))))
            m = cross(y_o, f)
            for q in range(3):
                K_out[6 * other + q, k] += f[q]
                K_out[6 * other + 3 + q, k] += m[q]
