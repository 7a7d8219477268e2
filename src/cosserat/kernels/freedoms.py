"""Efforts in the freedoms of joints: springs, dampers, dry friction, drives by force, servos.

The generalised effort of `efforts` acts along the freedom's direction:
a line through the child's joint frame for a translation, an axis fixed to the parent or the child for a rotation.
"""

import math

from cosserat.jit import helper
from cosserat.kernels import efforts
from cosserat.kernels.frames import apply_a, cotc, log_rotation
from cosserat.kernels.joints import add_pair, place_frames, place_twists
from cosserat.kernels.vectors import (
    ZERO,
    add,
    add_block,
    cross,
    dot,
    load,
    matmul,
    mul,
    mul_t,
    neg,
    scale,
    skew,
    transpose,
)

SLIDE = 0
ANGLE_PARENT = 1
ANGLE_CHILD = 2
ROTATION_VECTOR = 3

TWO_PI = 2.0 * math.pi


@helper
def coordinate(freedoms, i, R, x, previous):
    """Joint coordinate; angles continue from the previous value through any number of turns."""
    kind = freedoms.kind[i]
    axis = load(freedoms.axis[i], 0)
    if kind == SLIDE:
        return dot(axis, x)
    if kind == ROTATION_VECTOR:
        return dot(axis, log_rotation(R))
    sine, cosine = sine_and_cosine(freedoms, i, R)
    raw = math.atan2(sine, cosine)
    return raw + TWO_PI * math.floor((previous - raw) / TWO_PI + 0.5)


@helper
def sine_and_cosine(freedoms, i, R):
    """Of an angle about an axis of the parent or of the child."""
    c, s = load(freedoms.cosine[i], 0), load(freedoms.sine[i], 0)
    if freedoms.kind[i] == ANGLE_PARENT:
        return dot(s, mul(R, c)), dot(c, mul(R, c))
    return -dot(s, mul_t(R, c)), dot(c, mul_t(R, c))


@helper
def direction(freedoms, i, R, x):
    """Rates row of the freedom in the joint frames of both sides: q_dot = f_a.v_a + m_a.w_a + f_b.v_b + m_b.w_b."""
    axis = load(freedoms.axis[i], 0)
    if freedoms.kind[i] == SLIDE:
        return neg(axis), cross(axis, x), mul_t(R, axis), ZERO
    if freedoms.kind[i] == ANGLE_CHILD:
        return ZERO, neg(mul(R, axis)), ZERO, axis
    return ZERO, neg(axis), ZERO, mul_t(R, axis)


@helper
def elastic(freedoms, i, q):
    """The part of the effort that has an energy."""
    return efforts.effort(freedoms.stiffness[i], 0.0, 0.0, 1.0, 0.0, q, 0.0)[0]


@helper
def effort(freedoms, i, q, q_dot, applied):
    """Generalised effort without that of a servo, and its derivative with respect to q_dot."""
    drive = applied[freedoms.effort[i]] if freedoms.effort[i] >= 0 else 0.0
    return efforts.effort(
        freedoms.stiffness[i], freedoms.damping[i], freedoms.friction[i], freedoms.speed[i], drive, q, q_dot
    )


@helper
def lost(freedoms, i, q_dot):
    """Effort of damping and friction."""
    return efforts.effort(0.0, freedoms.damping[i], freedoms.friction[i], freedoms.speed[i], 0.0, 0.0, q_dot)[0]


@helper
def servo(freedoms, i, target, q, q_dot):
    """Effort of the servo, if there is one, and its derivatives by q and q_dot."""
    if freedoms.target[i] < 0:
        return 0.0, 0.0, 0.0
    return efforts.servo(freedoms.kp[i], freedoms.kd[i], freedoms.limit[i], target, q, q_dot)


@helper
def total(freedoms, i, q, q_dot, applied):
    """All of the generalised effort, and its derivatives by q and q_dot."""
    Q, slope = effort(freedoms, i, q, q_dot, applied)
    target = applied[freedoms.target[i]] if freedoms.target[i] >= 0 else 0.0
    S, by_q, by_rate = servo(freedoms, i, target, q, q_dot)
    return Q + S, by_q - freedoms.stiffness[i], slope + by_rate


@helper
def rate_of(joints, j, twists, f_a, m_a, f_b, m_b):
    """q_dot from the direction of a freedom."""
    v_a, w_a, v_b, w_b = place_twists(joints, j, twists)
    return dot(f_a, v_a) + dot(m_a, w_a) + dot(f_b, v_b) + dot(m_b, w_b)


@helper
def add_effort(freedoms, joints, i, frames, twists, angles, applied, r_out):
    """r -= effort of freedom i."""
    j = freedoms.joint[i]
    _, _, _, _, R, x = place_frames(joints, j, frames)
    f_a, m_a, f_b, m_b = direction(freedoms, i, R, x)
    q = coordinate(freedoms, i, R, x, angles[i])
    q_dot = rate_of(joints, j, twists, f_a, m_a, f_b, m_b)
    Q, _, _ = total(freedoms, i, q, q_dot, applied)
    add_pair(joints, j, scale(-Q, f_a), scale(-Q, m_a), scale(-Q, f_b), scale(-Q, m_b), r_out)


@helper
def effort_tangent(freedoms, joints, i, frames, twists, angles, applied, row_out, K_out):
    """K += d(-effort)/d(left increments) in the joint frames (12, 12); row_out (12,) the direction.

    Returns -dQ/dq_dot, the factor of row row^T in the damping matrix.
    """
    j = freedoms.joint[i]
    _, _, _, _, R, x = place_frames(joints, j, frames)
    f_a, m_a, f_b, m_b = direction(freedoms, i, R, x)
    q = coordinate(freedoms, i, R, x, angles[i])
    q_dot = rate_of(joints, j, twists, f_a, m_a, f_b, m_b)
    Q, by_q, slope = total(freedoms, i, q, q_dot, applied)
    put(f_a, m_a, f_b, m_b, row_out)
    axis = load(freedoms.axis[i], 0)
    g_a, g_b = m_a, m_b
    if freedoms.kind[i] == ROTATION_VECTOR:
        # dq = A(q) dw_b - A(q)^T dw_a
        w = log_rotation(R)
        c = cotc(dot(w, w))
        g_a = neg(apply_a(w, c, axis))
        g_b = apply_a(neg(w), c, axis)
    add_products(-by_q, row_out, f_a, g_a, f_b, g_b, K_out)
    turn_direction(freedoms.kind[i], axis, R, x, Q, f_b, m_b, K_out)
    # d q_dot/d(increments) enters through the damping: rows of the relative twist seen from a moving frame
    if slope != 0.0:
        f_a, m_a, f_b, m_b = rate_slopes(joints, j, freedoms.kind[i], axis, R, x, twists)
        add_products(-slope, row_out, f_a, m_a, f_b, m_b, K_out)
    return -slope


@helper
def turn_direction(kind, axis, R, x, Q, f_b, m_b, K_out):
    """K += -Q times the change of the direction of a freedom with left increments, (12, 12) in the joint frames."""
    A = skew(axis)
    R_t = transpose(R)
    if kind == SLIDE:
        add_block(-Q, skew(f_b), K_out, 6.0, 9.0)
        add_block(Q, matmul(R_t, A), K_out, 6.0, 3.0)
        add_block(-Q, matmul(A, R), K_out, 3.0, 6.0)
        add_block(Q, A, K_out, 3.0, 0.0)
        add_block(-Q, matmul(A, skew(x)), K_out, 3.0, 3.0)
    elif kind == ANGLE_CHILD:
        add_block(-Q, matmul(R, A), K_out, 3.0, 9.0)
        add_block(Q, skew(mul(R, axis)), K_out, 3.0, 3.0)
    else:
        add_block(-Q, skew(m_b), K_out, 9.0, 9.0)
        add_block(Q, matmul(R_t, A), K_out, 9.0, 3.0)


@helper
def rate_slopes(joints, j, kind, axis, R, x, twists):
    """Derivative of q_dot by left increments of both sides, twists held fixed: (f_a, m_a, f_b, m_b)."""
    _, w_a, v_b, w_b = place_twists(joints, j, twists)
    a_t = mul_t(R, axis)
    if kind == SLIDE:
        # q_dot = axis . (R v_b - v_a - w_a x x)
        c = neg(cross(axis, w_a))  # coefficient of dx, dx = R du_b - du_a + x~ dw_a
        return neg(c), add(neg(cross(mul(R, v_b), axis)), cross(c, x)), mul_t(R, c), cross(v_b, a_t)
    if kind == ANGLE_CHILD:
        # q_dot = axis . w_b - (R axis) . w_a
        return ZERO, cross(mul(R, axis), w_a), ZERO, neg(cross(axis, mul_t(R, w_a)))
    # q_dot = (R^T axis) . w_b - axis . w_a
    return ZERO, neg(cross(mul(R, w_b), axis)), ZERO, cross(w_b, a_t)


@helper
def put(f_a, m_a, f_b, m_b, row_out):
    """Four vectors as a row (12,)."""
    for k in range(3):
        row_out[k], row_out[3 + k], row_out[6 + k], row_out[9 + k] = f_a[k], m_a[k], f_b[k], m_b[k]


@helper
def add_products(s, row, f_a, m_a, f_b, m_b, K_out):
    """K += s times a row (12,) times another one, given as four vectors."""
    for k in range(12):
        y = s * row[k]
        for m in range(3):
            K_out[k, m] += y * f_a[m]
            K_out[k, 3 + m] += y * m_a[m]
            K_out[k, 6 + m] += y * f_b[m]
            K_out[k, 9 + m] += y * m_b[m]
