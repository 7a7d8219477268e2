"""Coordinates, rates, reactions and efforts of joints over time; the rows and freedoms are those of the kernels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.compiled import row_to_frame
from cosserat.compile.rows import ActiveFreedom
from cosserat.kernels.efforts import effort, servo
from cosserat.kernels.freedoms import ANGLE_CHILD, ROTATION_VECTOR, SLIDE
from cosserat.kernels.joint_rows import ROTATION, SCREW
from cosserat.lie import so3
from cosserat.lie.protocol import Array
from cosserat.results.kinematics import rotate, to_place, turned
from cosserat.results.mechanism import JointInfo
from cosserat.results.motion import Motion, motion_of

TURN = 2.0 * np.pi


class Sides(NamedTuple):
    """Both joint frames in the world, the child's seen from the parent's, and both twists in their own frames."""

    R_a: Array
    x_a: Array
    R_b: Array
    x_b: Array
    R: Array
    x: Array
    twist_a: Array
    twist_b: Array


def joint_sides(motion: Motion, index: int) -> Sides:
    """Kinematics of joint number `index` over time."""
    arrays = motion.mechanism.system.joints
    F_a, F_b = row_to_frame(arrays.frame_a[index]), row_to_frame(arrays.frame_b[index])
    a, b = arrays.node[index]
    (R_a, x_a), (R_b, x_b) = motion.placed(a, F_a), motion.placed(b, F_b)
    R = np.swapaxes(R_a, 1, 2) @ R_b
    x = rotate(np.swapaxes(R_a, 1, 2), x_b - x_a)
    return Sides(
        R_a, x_a, R_b, x_b, R, x, to_place(motion.twist[:, a], F_a), to_place(motion.twist[:, b], F_b)
    )  # fmt: skip


def coordinates(motion: Motion, joint: JointInfo) -> Array:
    """Joint coordinates (nt, k); angles run on through any number of turns, rotation vectors do not."""
    sides = joint_sides(motion, joint.index)
    out = np.empty((len(motion.time), len(joint.freedoms)))
    turns = _rotation_vectors(joint, sides)
    for i, freedom in enumerate(joint.freedoms):
        if freedom.kind == SLIDE:
            out[:, i] = sides.x @ freedom.axis
        elif freedom.kind == ROTATION_VECTOR:
            out[:, i] = turns @ freedom.axis
        elif joint.active[i] >= 0:
            out[:, i] = motion.angle[:, joint.active[i]]
        else:
            c, s = freedom.cosine, freedom.sine
            if freedom.kind == ANGLE_CHILD:
                raw = np.arctan2(-(c @ sides.R @ s), c @ sides.R @ c)
            else:
                raw = np.arctan2(s @ (sides.R @ c).T, c @ (sides.R @ c).T)
            out[:, i] = _continued(motion, joint, i, raw, sides)
    return out


def _continued(motion: Motion, joint: JointInfo, i: int, raw: Array, sides: Sides) -> Array:
    """Angles with the right number of turns: those prescribed, those counted, or those the rate tells."""
    if joint.driven[i]:
        wanted = motion.prescribed[joint.name if len(joint.names) == 1 else f"{joint.name}.{joint.names[i]}"]
        return raw + TURN * np.round((wanted - raw) / TURN)
    counted = motion.angle[:, joint.counted[i]] if joint.counted[i] >= 0 else np.full(len(raw), np.nan)
    if np.isfinite(counted).all():
        return raw + TURN * np.round((counted - raw) / TURN)
    rate = _spin(joint, i, sides)
    expected = 0.5 * np.diff(motion.time) * (rate[1:] + rate[:-1])
    turns = np.round((expected - np.diff(raw)) / TURN)
    first = np.round((counted[0] - raw[0]) / TURN) if np.isfinite(counted[0]) else 0.0
    return raw + TURN * (first + np.concatenate(([0.0], np.cumsum(turns))))


def tracked_in(trajectory: Any, k: int, freedoms: Iterable[tuple[str, ActiveFreedom]]) -> Array:
    """Coordinates of freedoms of a like model in a stored state, with all turns; zero in joints it did not have.

    Those that were driven, or in which nothing acted, are not among those that were tracked.
    """
    known = zip(trajectory.compiled.freedoms, trajectory.history.angle[k], strict=True)
    counted = {(name, freedom.index): q for (name, freedom), q in known}
    wanted = [(name, freedom.index) for name, freedom in freedoms]
    if not all(key in counted for key in wanted):
        motion = motion_of(trajectory)
        for name, i in wanted:
            joint = motion.mechanism.joints.get(name)
            if (name, i) not in counted and joint is not None and i < len(joint.names):
                counted[name, i] = coordinates(motion, joint)[k, i]
    return np.array([counted.get(key, 0.0) for key in wanted], dtype=np.float64)


def coordinate_rates(motion: Motion, joint: JointInfo) -> Array:
    """Time derivatives (nt, k) of the coordinates."""
    sides = joint_sides(motion, joint.index)
    out, turns = _spins(joint, sides), _rotation_vectors(joint, sides)
    spin = sides.twist_b[:, 3:] - np.einsum("tji,tj->ti", sides.R, sides.twist_a[:, 3:])
    rates = np.array([so3.tangent_inv(turn) @ w for turn, w in zip(turns, spin, strict=False)])
    for i, freedom in enumerate(joint.freedoms):
        if freedom.kind == ROTATION_VECTOR:
            out[:, i] = rates @ freedom.axis
    return out


def _rotation_vectors(joint: JointInfo, sides: Sides) -> Array:
    """Rotation vectors (nt, 3) of the child against the parent; none where no coordinate is of one."""
    asked = any(freedom.kind == ROTATION_VECTOR for freedom in joint.freedoms)
    return np.array([so3.log(R) for R in sides.R if asked])


def directions(joint: JointInfo, i: int, sides: Sides) -> tuple[Array, Array]:
    """Wrenches (nt, 6) on parent and child, in their joint frames, of a unit effort in freedom i."""
    freedom = joint.freedoms[i]
    n = len(sides.x)
    axis = np.broadcast_to(freedom.axis, (n, 3))
    zero = np.zeros((n, 3))
    turned = np.einsum("tji,j->ti", sides.R, freedom.axis)
    if freedom.kind == SLIDE:
        return np.hstack((-axis, np.cross(axis, sides.x))), np.hstack((turned, zero))
    if freedom.kind == ANGLE_CHILD:
        return np.hstack((zero, -(sides.R @ freedom.axis))), np.hstack((zero, axis))
    return np.hstack((zero, -axis)), np.hstack((zero, turned))


def _spin(joint: JointInfo, i: int, sides: Sides) -> Array:
    """Relative velocity (nt,) along freedom i, which an effort there multiplies to its power."""
    on_a, on_b = directions(joint, i, sides)
    return np.sum(on_a * sides.twist_a + on_b * sides.twist_b, axis=1)


def spin_rates(motion: Motion, joint: JointInfo) -> Array:
    """Relative velocities (nt, k) along all freedoms, which efforts there multiply to their powers."""
    return _spins(joint, joint_sides(motion, joint.index))


def _spins(joint: JointInfo, sides: Sides) -> Array:
    rates = [_spin(joint, i, sides) for i in range(len(joint.freedoms))]
    return np.stack(rates, axis=1) if rates else np.zeros((len(sides.x), 0))


def driven(motion: Motion, index: int) -> tuple[Array, Array, Array]:
    """How a prescribed motion moves joint number `index`: shift (nt, 3), and turns (nt, 3, 3) of parent and child."""
    column, n = motion.mechanism.system.joints.drive[index], len(motion.time)
    if column < 0:
        still = np.broadcast_to(np.eye(3), (n, 3, 3))
        return np.zeros((n, 3)), still, still
    drive = motion.inputs.drive[:, column]
    return drive[:, :3], drive[:, 3:12].reshape(n, 3, 3), drive[:, 12:].reshape(n, 3, 3)


def constraint_wrenches(motion: Motion, index: int, sides: Sides) -> tuple[Array, Array]:
    """Wrenches (nt, 6) that the constraints put on parent and child, in their joint frames: -Phi^T lambda."""
    arrays = motion.mechanism.system.joints
    n = len(motion.time)
    line, m_a, m_b = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    _, D_a, D_b = driven(motion, index)
    R, R_t = sides.R, np.swapaxes(sides.R, 1, 2)
    for k in range(arrays.n_rows[index]):
        value = motion.force[:, index, k, None]
        kind = arrays.kind[index, k]
        a, b = arrays.row_a[index, k], arrays.row_b[index, k]
        if kind == ROTATION:
            a, b = D_a @ a, D_b @ b
            m_b += value * np.cross(b, rotate(R_t, a))
            m_a += value * np.cross(a, rotate(R, b))
        else:
            line += value * a
            if kind == SCREW:
                m_b -= value * arrays.pitch[index] * (R_t @ a)
                m_a += value * arrays.pitch[index] * a
    m_a += np.cross(line, sides.x)
    return np.hstack((line, -m_a)), np.hstack((-rotate(R_t, line), -m_b))


def passive_efforts(motion: Motion, joint: JointInfo, i: int, sides: Sides) -> Array:
    """Effort (nt,) of spring, damper, friction, prescribed effort and servo in freedom i."""
    k = joint.active[i]
    if k < 0:
        return np.zeros(len(motion.time))
    arrays = motion.mechanism.system.freedoms
    rate = _spin(joint, i, sides)
    q = coordinates(motion, joint)[:, i] if arrays.stiffness[k] != 0.0 else 0.0
    drive = motion.inputs.effort[:, arrays.effort[k]] if arrays.effort[k] >= 0 else 0.0
    constants = arrays.stiffness[k], arrays.damping[k], arrays.friction[k], arrays.speed[k]
    return np.asarray(effort(*constants, drive, q, rate)[0]) + servo_efforts(motion, joint, i, sides)


def servo_efforts(motion: Motion, joint: JointInfo, i: int, sides: Sides) -> Array:
    """Effort (nt,) of the servo in freedom i."""
    k, arrays = joint.active[i], motion.mechanism.system.freedoms
    if k < 0 or arrays.target[k] < 0:
        return np.zeros(len(motion.time))
    q, target = coordinates(motion, joint)[:, i], motion.inputs.effort[:, arrays.target[k]]
    found = servo(arrays.kp[k], arrays.kd[k], arrays.limit[k], target, q, _spin(joint, i, sides))[0]
    return np.asarray(found)


def inertial_efforts(motion: Motion, joint: JointInfo, i: int, sides: Sides) -> Array:
    """Effort (nt,) that the armature of freedom i takes, -J q_ddot."""
    k, arrays = joint.active[i], motion.mechanism.system.freedoms
    if k < 0 or arrays.armature[k] == 0.0:
        return np.zeros(len(motion.time))
    joints, freedom = motion.mechanism.system.joints, joint.freedoms[i]
    (a, b), frames = joints.node[joint.index], (joints.frame_a[joint.index], joints.frame_b[joint.index])
    rate_a, rate_b = (to_place(motion.rate[:, n], row_to_frame(f)) for n, f in zip((a, b), frames, strict=True))
    w_a, v_b, w_b = sides.twist_a[:, 3:], sides.twist_b[:, :3], sides.twist_b[:, 3:]
    on_a, on_b = directions(joint, i, sides)
    ahead = np.sum(on_a * rate_a + on_b * rate_b, axis=1)
    R, axis = sides.R, freedom.axis
    if freedom.kind == SLIDE:
        slip = rotate(R, v_b) - sides.twist_a[:, :3] - np.cross(w_a, sides.x)
        turned = rotate(R, np.cross(w_b, v_b)) - np.cross(w_a, rotate(R, v_b) + slip)
        ahead += turned @ axis
    elif freedom.kind == ANGLE_CHILD:
        ahead -= np.sum(rotate(R, np.cross(w_b, axis)) * w_a, axis=1)
    else:
        ahead -= np.cross(w_a, rotate(R, w_b)) @ axis
    return np.asarray(-arrays.armature[k] * ahead)


def reactions(motion: Motion, joint: JointInfo, world: bool = True) -> Array:
    """Wrench (nt, 6) of the parent on the child about the child's joint frame, in world axes or in that frame."""
    sides = joint_sides(motion, joint.index)
    _, wrench = constraint_wrenches(motion, joint.index, sides)
    for i in range(len(joint.freedoms)):
        if joint.active[i] >= 0:
            along = passive_efforts(motion, joint, i, sides) + inertial_efforts(motion, joint, i, sides)
            wrench = wrench + along[:, None] * directions(joint, i, sides)[1]
    return turned(sides.R_b, wrench) if world else wrench


def efforts(motion: Motion, joint: JointInfo) -> Array:
    """Efforts (nt, k): of the drive where the motion is prescribed, else of all that acts but inertia."""
    sides = joint_sides(motion, joint.index)
    out = np.zeros((len(motion.time), len(joint.freedoms)))
    for i, freedom in enumerate(joint.freedoms):
        if joint.driven[i]:
            _, wrench = constraint_wrenches(motion, joint.index, sides)
            unit = directions(joint, i, sides)[1]
            out[:, i] = np.sum(wrench * unit, axis=1)
            if joint.kind == "screw":  # the nut's thrust works through the pitch as well
                pitch = motion.mechanism.system.joints.pitch[joint.index]
                out[:, i] += pitch * (rotate(sides.R, wrench[:, :3]) @ freedom.axis)
        else:
            out[:, i] = passive_efforts(motion, joint, i, sides)
    return out
