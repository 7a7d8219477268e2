"""Springs, dampers and tendons: one pull along a line of straight pieces through points of nodes (or of the ground).

A straight spring is a line of two points, a tendon one of any number, which slides through them without friction. The
law is one of the length L of the line and of its rate: a tension T(L, L'), the same in all pieces. With the gradient
g = dL/dx, the forces are T g, and their derivatives are of few rows: g (k g + c h)^T + T dg/dx with k = dT/dL,
c = dT/dL' and h = dL'/dx; only the last term, of pieces between neighbours, is a full matrix.
"""

import numpy as np

from cosserat.jit import helper
from cosserat.kernels import pairs
from cosserat.kernels.frames import load_frame
from cosserat.kernels.vectors import IDENTITY, add, add_to_nodes, clear, cross, dot, load, mul, mul_t, scale, sub

SHORT = 1e-14  # m: a piece without direction, which pulls nowhere


@helper
def positive(x):
    """x where it is positive, else zero: for numbers and for arrays."""
    return 0.5 * (x + abs(x))


@helper
def held(stiffness, rest, slack, given, length):
    """Pull without a damper: of the elastic line, and what is given; a line that goes slack (1) never pushes."""
    if slack == 0:
        return stiffness * (length - rest) + given
    return positive(stiffness * positive(length - rest) + given)


@helper
def pull(stiffness, damping, rest, slack, given, length, rate):
    """Pull at a length that changes at a rate: the law, for numbers and for arrays.

    A line that can go slack is damped only while it is taut, by no more than it pulls: so the pull is continuous.
    """
    elastic, damped = held(stiffness, rest, slack, given, length), damping * rate
    if slack == 0:
        return elastic + damped
    return elastic + 0.5 * (abs(damped + elastic) - abs(damped - elastic))


@helper
def slopes(stiffness, damping, rest, slack, given, length, rate):
    """Derivatives of the pull by length and by rate."""
    if slack == 0:
        return stiffness, damping
    elastic, damped = held(stiffness, rest, slack, given, length), damping * rate
    if elastic <= 0.0:
        return 0.0, 0.0
    by_length = stiffness if length > rest else 0.0
    if abs(damped) < elastic:
        return by_length, damping
    return (2.0 * by_length if damped > 0.0 else 0.0), 0.0


@helper
def stored(stiffness, rest, slack, given, length):
    """Work that lengthens a line without a damper, from rest on: its energy where nothing is given."""
    stretch = length - rest
    if slack == 0:
        return 0.5 * stiffness * stretch * stretch + given * stretch
    taut = positive(stretch)
    if given >= 0.0:
        return 0.5 * stiffness * taut * taut + given * stretch
    if stiffness == 0.0:
        return 0.0 * stretch
    beyond = positive(stiffness * taut + given)
    return 0.5 * beyond * beyond / stiffness


@helper
def shares(stiffness, damping, rest, slack, given, length, rate):
    """The pull in three parts: of the elastic line, of its damper, and what is given."""
    elastic = held(stiffness, rest, slack, 0.0, length)
    kept = held(stiffness, rest, slack, given, length)
    return elastic, pull(stiffness, damping, rest, slack, given, length, rate) - kept, kept - elastic


@helper
def piece(springs, p, frames):
    """Vector from point p to the next one, its length, and the rotations of both nodes."""
    R_a, x_a = load_frame(frames[springs.node[p]])
    R_b, x_b = load_frame(frames[springs.node[p + 1]])
    y_a, y_b = load(springs.point[p], 0), load(springs.point[p + 1], 0)
    r = sub(add(x_b, mul(R_b, y_b)), add(x_a, mul(R_a, y_a)))
    return r, np.sqrt(dot(r, r)), R_a, y_a, R_b, y_b


@helper
def gap_rate(springs, p, twists, R_a, y_a, R_b, y_b):
    """World velocity of the point after p minus that of point p."""
    t_a, t_b = twists[springs.node[p]], twists[springs.node[p + 1]]
    v_a = mul(R_a, add(load(t_a, 0), cross(load(t_a, 3), y_a)))
    v_b = mul(R_b, add(load(t_b, 0), cross(load(t_b, 3), y_b)))
    return sub(v_b, v_a)


@helper
def piece_over_step(springs, p, frames, increments):
    """Piece p in the frames halfway through a step: length, direction, and increment (u, w) of its end relative to its
    start, in the frame of the end's node; the frame (R, x) of that place seen from the other, and both points.
    """
    a, b = springs.node[p], springs.node[p + 1]
    r, long, _, y_a, R_b, y_b = piece(springs, p, frames)
    R, x = pairs.relative_frame(frames, a, IDENTITY, y_a, b, IDENTITY, y_b)
    u, w = pairs.relative_twist(R, x, increments, a, IDENTITY, y_a, b, IDENTITY, y_b)
    e = scale(1.0 / long if long >= SHORT else 0.0, mul_t(R_b, r))
    return long, e, u, w, R, x, y_a, y_b


@helper
def length_of(springs, i, frames):
    """Length of line i."""
    length = 0.0
    for p in range(springs.start[i], springs.start[i + 1] - 1):
        length += piece(springs, p, frames)[1]
    return length


@helper
def measure(springs, i, frames, twists):
    """Length of line i, and its rate."""
    length, rate = 0.0, 0.0
    for p in range(springs.start[i], springs.start[i + 1] - 1):
        r, long, R_a, y_a, R_b, y_b = piece(springs, p, frames)
        length += long
        if long >= SHORT:
            rate += dot(scale(1.0 / long, r), gap_rate(springs, p, twists, R_a, y_a, R_b, y_b))
    return length, rate


@helper
def numbers(springs, i):
    """What the law of line i knows besides its length and rate, without the damper: as `held` and `stored` take it."""
    return springs.stiffness[i], springs.length[i], springs.slack[i], springs.given[i]


@helper
def tension(springs, i, length, rate):
    """Pull in line i."""
    stiffness, rest, slack, given = numbers(springs, i)
    return pull(stiffness, springs.damping[i], rest, slack, given, length, rate)


@helper
def reach(springs, i, frames, length):
    """Largest coordinate of its nodes, at least its length: what rounding errors of the length scale with."""
    largest = length
    for p in range(springs.start[i], springs.start[i + 1]):
        for k in range(9, 12):
            largest = max(largest, abs(frames[springs.node[p], k]))
    return largest


@helper
def take_tensions(laws, before, now):
    """What is given of lines that follow sampled inputs: the mean over a step, or `before` and `now` are the same."""
    for i in range(laws.column.shape[0]):
        column = laws.column[i]
        if column >= 0:
            laws.given[i] = 0.5 * (before[column] + now[column])


@helper
def add_spring(springs, i, frames, twists, r_out):
    """r += internal forces of line i; a piece whose ends meet has no direction and pulls nowhere."""
    length, rate = measure(springs, i, frames, twists)
    tense = tension(springs, i, length, rate)
    for p in range(springs.start[i], springs.start[i + 1] - 1):
        r, long, R_a, y_a, R_b, y_b = piece(springs, p, frames)
        if long < SHORT:
            continue
        add_piece(springs, p, scale(tense, scale(1.0 / long, r)), R_a, y_a, R_b, y_b, r_out)


@helper
def add_piece(springs, p, pull, R_a, y_a, R_b, y_b, r_out):
    """r += internal forces of piece p, which pulls its end back along the vector `pull` in space."""
    f, g = mul_t(R_a, scale(-1.0, pull)), mul_t(R_b, pull)
    add_to_nodes((f, cross(y_a, f), g, cross(y_b, g)), springs.node[p], springs.node[p + 1], r_out)


@helper
def unit_increment(k):
    """Translation and turn of unit left increment k of a node."""
    unit = (1.0 * (k % 3 == 0), 1.0 * (k % 3 == 1), 1.0 * (k % 3 == 2))
    none = (0.0, 0.0, 0.0)
    return (unit, none) if k % 6 < 3 else (none, unit)


@helper
def line_rows(springs, i, frames, twists, rows_out):
    """rows_out (n, 12): g, then h of line i, by left increments of the nodes of its n points; length and rate."""
    length, rate, first = 0.0, 0.0, springs.start[i]
    clear(rows_out)
    for p in range(first, springs.start[i + 1] - 1):
        r, long, R_a, y_a, R_b, y_b = piece(springs, p, frames)
        length += long
        if long < SHORT:
            continue
        e = scale(1.0 / long, r)
        w = gap_rate(springs, p, twists, R_a, y_a, R_b, y_b)
        rate += dot(e, w)
        for k in range(12):
            side = k // 6
            R, y, sign = (R_a, y_a, -1.0) if side == 0 else (R_b, y_b, 1.0)
            ahead, turn = unit_increment(k)
            dr = scale(sign, mul(R, add(ahead, cross(turn, y))))
            stretch = dot(e, dr)
            de = scale(1.0 / long, sub(dr, scale(stretch, e)))
            # change of the gap velocity when the frame turns under a fixed body twist
            t = twists[springs.node[p + side]]
            dw = scale(sign, mul(R, cross(turn, add(load(t, 0), cross(load(t, 3), y)))))
            rows_out[p - first + side, k % 6] += stretch
            rows_out[p - first + side, 6 + k % 6] += dot(de, w) + dot(e, dw)
    return length, rate


@helper
def spring_tangent(springs, i, frames, twists, K_out, C_out, rows_out):
    """K, C (6n, 6n): d(internal forces) of line i by left increments and by twists of the nodes of its n points."""
    length, rate = line_rows(springs, i, frames, twists, rows_out)
    stiffness, rest, slack, given = numbers(springs, i)
    tense = tension(springs, i, length, rate)
    k_s, c_s = slopes(stiffness, springs.damping[i], rest, slack, given, length, rate)
    first, n = springs.start[i], springs.start[i + 1] - springs.start[i]
    for a in range(6 * n):
        g = rows_out[a // 6, a % 6]
        for b in range(6 * n):
            by_turn, by_rate = rows_out[b // 6, b % 6], rows_out[b // 6, 6 + b % 6]
            K_out[a, b] = g * (k_s * by_turn + c_s * by_rate)
            C_out[a, b] = c_s * g * by_turn
    for p in range(first, springs.start[i + 1] - 1):
        r, long, R_a, y_a, R_b, y_b = piece(springs, p, frames)
        if long >= SHORT:
            straighten(scale(1.0 / long, r), long, R_a, y_a, R_b, y_b, tense, 6 * (p - first), K_out)


@helper
def straighten(e, long, R_a, y_a, R_b, y_b, tense, at, K_out):
    """K += tension times the second derivatives of the length of a piece, from row and column `at` on."""
    for k in range(12):
        side = k // 6
        R, y, sign = (R_a, y_a, -1.0) if side == 0 else (R_b, y_b, 1.0)
        ahead, turn = unit_increment(k)
        dr = scale(sign, mul(R, add(ahead, cross(turn, y))))
        df = scale(tense / long, sub(dr, scale(dot(e, dr), e)))
        for other in range(2):
            R_o, y_o, s_o = (R_a, y_a, -1.0) if other == 0 else (R_b, y_b, 1.0)
            f = mul_t(R_o, scale(s_o, df))
            if other == side:
                f = sub(f, cross(turn, mul_t(R_o, scale(s_o * tense, e))))
            m = cross(y_o, f)
            for q in range(3):
                K_out[at + 6 * other + q, at + k] += f[q]
                K_out[at + 6 * other + 3 + q, at + k] += m[q]
