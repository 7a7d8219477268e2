"""Joints between nodes: the rows of `joint_rows`, brought to the frames of the nodes.

A driven joint has the rows of the passive one and one more per driven freedom. Rows replace the six constraints and k
joint unknowns of [Grazioso17] (29)-(33): the joint coordinates are eliminated. Rotation rows also vanish half a turn
away, a root that `wrong_branch` reports.
"""

from cosserat.jit import helper
from cosserat.kernels import joint_rows
from cosserat.kernels.frames import compose, load_frame, relative, twist_at_place, wrench_to_node
from cosserat.kernels.joint_rows import ROTATION, SCREW
from cosserat.kernels.vectors import (
    IDENTITY,
    add,
    add_block,
    add_to_nodes,
    axpy,
    clear,
    dot,
    load,
    load_matrix,
    matmul,
    mul,
    mul_t,
    scale,
    skew,
    store,
    transpose,
)


@helper
def place_frames(joints, j, frames):
    """World frames of both sides of joint j, and the relative frame: (R_a, x_a, R_b, x_b, R, x)."""
    R_a, x_a = load_frame(frames[joints.node[j, 0]])
    R_b, x_b = load_frame(frames[joints.node[j, 1]])
    F_a, y_a = load_frame(joints.frame_a[j])
    F_b, y_b = load_frame(joints.frame_b[j])
    R_a, x_a = compose(R_a, x_a, F_a, y_a)
    R_b, x_b = compose(R_b, x_b, F_b, y_b)
    R, x = relative(R_a, x_a, R_b, x_b)
    return R_a, x_a, R_b, x_b, R, x


@helper
def drive_of(joints, j, drive):
    """Prescribed motion of joint j at this time: (p, D_A, D_B)."""
    k = joints.drive[j]
    if k >= 0:
        return load(drive[k], 0), load_matrix(drive[k], 3), load_matrix(drive[k], 12)
    return (0.0, 0.0, 0.0), IDENTITY, IDENTITY


@helper
def row_vectors(joints, j, k, D_a, D_b):
    """The two vectors of row k, those of a rotation with the prescribed one applied."""
    a, b = load(joints.row_a[j, k], 0), load(joints.row_b[j, k], 0)
    return (mul(D_a, a), mul(D_b, b)) if joints.kind[j, k] == ROTATION else (a, b)


@helper
def row_values(joints, j, R, x, p, D_a, D_b, angles, phi_out):
    """Values of the rows for a relative frame: (6,), padded with zeros."""
    for k in range(6):
        phi_out[k] = 0.0
    angle = angles[joints.angle[j]] if joints.angle[j] >= 0 else 0.0
    for k in range(joints.n_rows[j]):
        a, b = row_vectors(joints, j, k, D_a, D_b)
        phi_out[k] = joint_rows.value(joints.kind[j, k], a, b, joints.pitch[j], angle, R, x, p)


@helper
def constraint(joints, j, frames, drive, angles, phi_out):
    """Constraint values of joint j: (6,)."""
    _, _, _, _, R, x = place_frames(joints, j, frames)
    p, D_a, D_b = drive_of(joints, j, drive)
    row_values(joints, j, R, x, p, D_a, D_b, angles, phi_out)


@helper
def wrong_branch(joints, j, frames, drive):
    """True if the relative rotation sits near the spurious root, half a turn from the right one."""
    _, _, _, _, R, _ = place_frames(joints, j, frames)
    _, D_a, D_b = drive_of(joints, j, drive)
    return joint_rows.inside_out(joints.branch[j], R, D_a, D_b)


@helper
def reaction(joints, j, R, x, D_a, D_b, force):
    """Phi^T lambda in the joint frames of both sides: (f_a, m_a, f_b, m_b)."""
    f, m = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(joints.n_rows[j]):
        a, b = row_vectors(joints, j, k, D_a, D_b)
        p, n = joint_rows.pull(joints.kind[j, k], a, b, joints.pitch[j], R)
        f, m = axpy(force[k], p, f), axpy(force[k], n, m)
    return joint_rows.both_sides(f, m, R, x)


@helper
def add_reaction(joints, j, frames, drive, angles, force, r_out, phi_out):
    """r += Phi^T lambda on both nodes; phi_out (6,) the constraint values."""
    _, _, _, _, R, x = place_frames(joints, j, frames)
    p, D_a, D_b = drive_of(joints, j, drive)
    angle = angles[joints.angle[j]] if joints.angle[j] >= 0 else 0.0
    f, m = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(6):
        phi_out[k] = 0.0
    for k in range(joints.n_rows[j]):  # values and wrenches have much in common, which one loop computes once
        a, b = row_vectors(joints, j, k, D_a, D_b)
        phi_out[k] = joint_rows.value(joints.kind[j, k], a, b, joints.pitch[j], angle, R, x, p)
        pulled, turned = joint_rows.pull(joints.kind[j, k], a, b, joints.pitch[j], R)
        f, m = axpy(force[k], pulled, f), axpy(force[k], turned, m)
    f_a, m_a, f_b, m_b = joint_rows.both_sides(f, m, R, x)
    add_pair(joints, j, f_a, m_a, f_b, m_b, r_out)


@helper
def add_pair(joints, j, f_a, m_a, f_b, m_b, r_out):
    """r += wrenches given in the joint frames of both sides."""
    F_a, y_a = load_frame(joints.frame_a[j])
    F_b, y_b = load_frame(joints.frame_b[j])
    on_a, on_b = wrench_to_node(F_a, y_a, f_a, m_a), wrench_to_node(F_b, y_b, f_b, m_b)
    add_to_nodes((*on_a, *on_b), joints.node[j, 0], joints.node[j, 1], r_out)


@helper
def gradient(joints, j, frames, drive, phi_q_out):
    """Phi of joint j with respect to the left increments of both nodes: (6, 12), padded rows zero."""
    _, _, _, _, R, x = place_frames(joints, j, frames)
    _, D_a, D_b = drive_of(joints, j, drive)
    F_a, y_a = load_frame(joints.frame_a[j])
    F_b, y_b = load_frame(joints.frame_b[j])
    clear(phi_q_out)
    for k in range(joints.n_rows[j]):
        a, b = row_vectors(joints, j, k, D_a, D_b)
        f_a, m_a, f_b, m_b = joint_rows.row(joints.kind[j, k], a, b, joints.pitch[j], R, x)
        f, m = wrench_to_node(F_a, y_a, f_a, m_a)
        store(f, phi_q_out[k], 0)
        store(m, phi_q_out[k], 3)
        f, m = wrench_to_node(F_b, y_b, f_b, m_b)
        store(f, phi_q_out[k], 6)
        store(m, phi_q_out[k], 9)


@helper
def reaction_tangent(joints, j, frames, drive, force, K_out):
    """K += d(Phi^T lambda)/d(left increments) in the JOINT frames of both sides: (12, 12)."""
    _, _, _, _, R, x = place_frames(joints, j, frames)
    _, D_a, D_b = drive_of(joints, j, drive)
    R_t = transpose(R)
    line = (0.0, 0.0, 0.0)
    for k in range(joints.n_rows[j]):
        value = force[k]
        kind = joints.kind[j, k]
        if kind == ROTATION:
            a, b = row_vectors(joints, j, k, D_a, D_b)
            A, B = skew(a), skew(b)
            BRt = matmul(B, R_t)
            M = matmul(BRt, matmul(A, R))  # b~ (R^T a)~ = b~ R^T a~ R
            add_block(value, M, K_out, 9.0, 9.0)
            M = matmul(BRt, A)
            add_block(-value, M, K_out, 9.0, 3.0)
            M = matmul(A, matmul(R, B))
            add_block(-value, M, K_out, 3.0, 9.0)
            M = matmul(A, skew(mul(R, b)))
            add_block(value, M, K_out, 3.0, 3.0)
        else:
            a = load(joints.row_a[j, k], 0)
            line = add(line, scale(value, a))
            if kind == SCREW:
                t = -value * joints.pitch[j]
                M = skew(mul_t(R, a))
                add_block(t, M, K_out, 9.0, 9.0)
                M = matmul(R_t, skew(a))
                add_block(-t, M, K_out, 9.0, 3.0)
    L = skew(line)
    add_block(1.0, skew(mul_t(R, line)), K_out, 6.0, 9.0)
    M = matmul(R_t, L)
    add_block(-1.0, M, K_out, 6.0, 3.0)
    add_block(1.0, matmul(L, R), K_out, 3.0, 6.0)
    add_block(-1.0, L, K_out, 3.0, 0.0)
    add_block(1.0, matmul(L, skew(x)), K_out, 3.0, 3.0)


@helper
def to_node_frames(joints, j, K_out, work_out):
    """K_out <- E^T K E with E = diag(Ad(F_a^-1), Ad(F_b^-1)): from the joint frames to the node frames."""
    clear(work_out)
    for side in range(2):
        F, y = load_frame(joints.frame_a[j] if side == 0 else joints.frame_b[j])
        o = 6 * side
        for i in range(12):
            # row i of K seen as a wrench on this side
            row = K_out[i]
            f, m = wrench_to_node(F, y, load(row, o), load(row, o + 3))
            store(f, work_out[i], o)
            store(m, work_out[i], o + 3)
    for side in range(2):
        F, y = load_frame(joints.frame_a[j] if side == 0 else joints.frame_b[j])
        o = 6 * side
        for i in range(12):
            column_f = (work_out[o, i], work_out[o + 1, i], work_out[o + 2, i])
            column_m = (work_out[o + 3, i], work_out[o + 4, i], work_out[o + 5, i])
            f, m = wrench_to_node(F, y, column_f, column_m)
            for k in range(3):
                K_out[o + k, i] = f[k]
                K_out[o + 3 + k, i] = m[k]


@helper
def place_twists(joints, j, twists):
    """Twists of both sides in their joint frames: (v_a, w_a, v_b, w_b)."""
    F_a, y_a = load_frame(joints.frame_a[j])
    F_b, y_b = load_frame(joints.frame_b[j])
    t_a = twists[joints.node[j, 0]]
    t_b = twists[joints.node[j, 1]]
    v_a, w_a = twist_at_place(F_a, y_a, load(t_a, 0), load(t_a, 3))
    v_b, w_b = twist_at_place(F_b, y_b, load(t_b, 0), load(t_b, 3))
    return v_a, w_a, v_b, w_b


@helper
def constraint_rates(joints, j, frames, twists, drive, drive_rate, drive_accel, rate_out, accel_out):
    """Time derivatives of the rows for constant twists: phi_dot (6,), and phi_ddot without Phi v_dot (6,)."""
    _, _, _, _, R, x = place_frames(joints, j, frames)
    v_a, w_a, v_b, w_b = place_twists(joints, j, twists)
    R_dot, _, R_ddot, x_ddot = joint_rows.relative_rates(R, x, v_a, w_a, v_b, w_b)
    driven = joints.drive[j] >= 0
    _, D_a, D_b = drive_of(joints, j, drive)
    p1, A1, B1 = drive_of(joints, j, drive_rate)
    p2, A2, B2 = drive_of(joints, j, drive_accel)
    for k in range(6):
        rate_out[k] = 0.0
        accel_out[k] = 0.0
    for k in range(joints.n_rows[j]):
        a0, b0 = load(joints.row_a[j, k], 0), load(joints.row_b[j, k], 0)
        a, b = row_vectors(joints, j, k, D_a, D_b)
        kind, pitch = joints.kind[j, k], joints.pitch[j]
        f_a, m_a, f_b, m_b = joint_rows.row(kind, a, b, pitch, R, x)
        rate_out[k] = dot(f_a, v_a) + dot(m_a, w_a) + dot(f_b, v_b) + dot(m_b, w_b)
        accel_out[k] = joint_rows.passive_bias(kind, a, b, pitch, R, w_a, w_b, R_ddot, x_ddot)
        if driven:
            rate_out[k] += joint_rows.explicit_rate(kind, a0, b0, a, b, R, p1, A1, B1)
            accel_out[k] += joint_rows.explicit_bias(kind, a0, b0, a, b, R, R_dot, A1, B1, p2, A2, B2)
