"""Armature: inertia J that moves with the coordinate of a joint, kinetic energy J q_dot^2 / 2.

Its share in the equations of motion is J q_ddot along the direction of the freedom, since that direction is the
gradient of the coordinate. q_ddot is that of `freedoms.direction`; its derivatives are written out below.
"""

from cosserat.jit import helper
from cosserat.kernels import freedoms
from cosserat.kernels.joints import add_pair, place_frames, place_twists
from cosserat.kernels.vectors import ZERO, add, cross, load, mul, mul_t, neg, scale, sub


@helper
def rate(fr, joints, i, frames, twists):
    """q_dot of freedom i."""
    j = fr.joint[i]
    _, _, _, _, R, x = place_frames(joints, j, frames)
    f_a, m_a, f_b, m_b = freedoms.direction(fr, i, R, x)
    return freedoms.rate_of(joints, j, twists, f_a, m_a, f_b, m_b)


@helper
def acceleration(fr, joints, i, R, x, twists, rates):
    """q_ddot of freedom i: of the rates, and of the motion of its direction."""
    j, kind, axis = fr.joint[i], fr.kind[i], load(fr.axis[i], 0)
    f_a, m_a, f_b, m_b = freedoms.direction(fr, i, R, x)
    g_a, n_a, g_b, n_b = freedoms.rate_slopes(joints, j, kind, axis, R, x, twists)
    ahead = freedoms.rate_of(joints, j, rates, f_a, m_a, f_b, m_b)
    return ahead + freedoms.rate_of(joints, j, twists, g_a, n_a, g_b, n_b)


@helper
def add_inertia(fr, joints, i, frames, twists, rates, r_out):
    """r += J q_ddot along freedom i."""
    j = fr.joint[i]
    _, _, _, _, R, x = place_frames(joints, j, frames)
    f_a, m_a, f_b, m_b = freedoms.direction(fr, i, R, x)
    Q = fr.armature[i] * acceleration(fr, joints, i, R, x, twists, rates)
    add_pair(joints, j, scale(Q, f_a), scale(Q, m_a), scale(Q, f_b), scale(Q, m_b), r_out)


@helper
def slopes(kind, axis, R, x, twists4, rates4, by_twist_out, by_frame_out):
    """Derivatives (12,) of q_ddot by the twists of both sides, and by left increments of both frames."""
    v_a, w_a, v_b, w_b = twists4
    _, y_a, a_b, y_b = rates4
    a_t = mul_t(R, axis)
    if kind == freedoms.SLIDE:
        c, u, h = cross(axis, w_a), mul(R, v_b), add(a_b, cross(w_b, v_b))
        turned = sub(cross(v_a, axis), scale(2.0, cross(u, axis)))
        turned = add(turned, add(cross(cross(w_a, x), axis), cross(x, c)))
        freedoms.put(c, turned, sub(cross(a_t, w_b), scale(2.0, mul_t(R, c))), cross(v_b, a_t), by_twist_out)
        e = sub(cross(c, w_a), cross(axis, y_a))
        on_a = add(sub(scale(2.0, cross(u, c)), cross(mul(R, h), axis)), cross(e, x))
        on_b = sub(cross(h, a_t), scale(2.0, cross(v_b, mul_t(R, c))))
        freedoms.put(neg(e), on_a, mul_t(R, e), on_b, by_frame_out)
    elif kind == freedoms.ANGLE_CHILD:
        n, p, e = mul(R, axis), mul_t(R, w_a), cross(w_b, axis)
        freedoms.put(ZERO, neg(mul(R, e)), ZERO, neg(cross(axis, p)), by_twist_out)
        on_a = add(cross(n, y_a), cross(mul(R, e), w_a))
        on_b = neg(add(cross(axis, mul_t(R, y_a)), cross(e, p)))
        freedoms.put(ZERO, on_a, ZERO, on_b, by_frame_out)
    else:
        u, c = mul(R, w_b), cross(axis, w_a)
        freedoms.put(ZERO, neg(cross(u, axis)), ZERO, neg(mul_t(R, c)), by_twist_out)
        on_a = sub(cross(u, c), cross(mul(R, y_b), axis))
        on_b = sub(cross(y_b, a_t), cross(w_b, mul_t(R, c)))
        freedoms.put(ZERO, on_a, ZERO, on_b, by_frame_out)


@helper
def tangent(fr, joints, i, frames, twists, rates, cm, cc, row_out, scratch_out, K_out, C_out):
    """K = d(J q_ddot row)/d(left increments), C = cm M + cc d()/d(twists), all (12, 12) in the joint frames."""
    j, kind, axis, J = fr.joint[i], fr.kind[i], load(fr.axis[i], 0), fr.armature[i]
    _, _, _, _, R, x = place_frames(joints, j, frames)
    f_a, m_a, f_b, m_b = freedoms.direction(fr, i, R, x)
    freedoms.put(f_a, m_a, f_b, m_b, row_out)
    by_twist, by_frame = scratch_out[0], scratch_out[1]
    slopes(kind, axis, R, x, place_twists(joints, j, twists), place_twists(joints, j, rates), by_twist, by_frame)
    Q = -J * acceleration(fr, joints, i, R, x, twists, rates)
    freedoms.turn_direction(kind, axis, R, x, Q, f_b, m_b, K_out)
    for k in range(12):
        for m in range(12):
            K_out[k, m] += J * row_out[k] * by_frame[m]
            C_out[k, m] = J * row_out[k] * (cm * row_out[m] + cc * by_twist[m])
