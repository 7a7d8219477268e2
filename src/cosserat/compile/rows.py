"""Joints to constraint rows, active freedoms and prescribed motions; the rows are explained in `kernels.joints`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import ModelError
from cosserat.kernels.freedoms import ANGLE_CHILD, ANGLE_PARENT, ROTATION_VECTOR, SLIDE
from cosserat.kernels.joints import ROTATION, SCREW, TRANSLATION
from cosserat.lie import so3
from cosserat.model.joints import Joint

Array = NDArray[np.float64]

X, Y, Z = np.eye(3)
_LOCK = [(Y, Z), (Z, X), (X, Y)]  # rotation rows that lock the turns about x, y, z
_HINGE = [(X, Z), (Y, Z)]  # rotation rows that keep the two z axes parallel

TRACE, NO_BRANCH = 3, -1


@dataclass(frozen=True)
class Row:
    """One constraint: kind and the two vectors of `kernels.joints`."""

    kind: int
    a: Array
    b: Array


@dataclass(frozen=True)
class Rows:
    """All rows of a joint, and the entry of the relative rotation that tells the right root from the wrong one."""

    rows: tuple[Row, ...]
    branch: int


def _translations(axes: str) -> list[Row]:
    return [Row(TRANSLATION, {"x": X, "y": Y, "z": Z}[k], np.zeros(3)) for k in axes]


def _rotations(pairs: list[tuple[Array, Array]]) -> list[Row]:
    return [Row(ROTATION, a, b) for a, b in pairs]


def weld_rows() -> Rows:
    """Rows that let nothing move."""
    return Rows((*_translations("xyz"), *_rotations(_LOCK)), TRACE)


def joint_rows(joint: Joint) -> Rows:
    """Rows of a joint in its joint frame: those of its kind, and one more for every driven freedom."""
    kind = joint.kind
    driven = [m is not None for m in joint.motion]
    if kind == "fixed" or (kind in ("revolute", "prismatic", "screw") and driven[0]):
        return weld_rows()
    if kind == "revolute":
        return Rows((*_translations("xyz"), *_rotations(_HINGE)), 2)
    if kind == "screw":
        screw = Row(SCREW, Z, np.zeros(3))
        return Rows((*_translations("xy"), *_rotations(_HINGE), screw), 2)
    if kind == "prismatic":
        return Rows((*_translations("xy"), *_rotations(_LOCK)), TRACE)
    if kind in ("cylindrical", "planar"):
        axes = "xy" if kind == "cylindrical" else "z"
        free = "z" if kind == "cylindrical" else "xy"
        rows = _translations(axes) + _translations("".join(k for k, d in zip(free, driven, strict=False) if d))
        if driven[-1]:
            return Rows((*rows, *_rotations(_LOCK)), TRACE)
        return Rows((*rows, *_rotations(_HINGE)), 2)
    if kind == "planar_translation":
        rows = _translations("z") + _translations("".join(k for k, d in zip("xy", driven, strict=True) if d))
        return Rows((*rows, *_rotations(_LOCK)), TRACE)
    if kind in ("spherical", "free"):
        turn = driven[-3:]
        if any(turn) and not all(turn):
            raise ModelError(
                f"joint '{joint.name}': the rotation vector of a {kind} joint is prescribed as a whole; "
                "give all three rotations a motion, or none"
            )
        axes = "xyz" if kind == "spherical" else "".join(k for k, d in zip("xyz", driven, strict=False) if d)
        rows = _translations(axes)
        return Rows((*rows, *_rotations(_LOCK)), TRACE) if all(turn) else Rows(tuple(rows), NO_BRANCH)
    if kind == "universal":
        pairs = [(X, Y)]
        branch = NO_BRANCH
        if all(driven):
            pairs, branch = _LOCK, TRACE
        elif driven[0]:
            pairs, branch = [(X, Y), (Z, Y)], 1
        elif driven[1]:
            pairs, branch = [(X, Y), (X, Z)], 0
        return Rows((*_translations("xyz"), *_rotations(pairs)), branch)
    raise ModelError(f"joint '{joint.name}': no constraint rows are known for kind '{kind}'")


@dataclass(frozen=True)
class ActiveFreedom:
    """A freedom that carries an effort, or whose angle a screw row needs."""

    index: int  # position among the joint's freedoms
    kind: int
    axis: Array
    cosine: Array
    sine: Array


def freedom_geometry(joint: Joint, index: int) -> ActiveFreedom:
    """How the coordinate of a freedom is read from the relative frame."""
    freedom = joint.freedoms[index]
    axis = np.eye(3)[freedom.axis]
    if freedom.kind == "translation":
        return ActiveFreedom(index, SLIDE, axis, np.zeros(3), np.zeros(3))
    if joint.kind in ("spherical", "free"):
        return ActiveFreedom(index, ROTATION_VECTOR, axis, np.zeros(3), np.zeros(3))
    kind = ANGLE_CHILD if joint.kind == "universal" and index == 1 else ANGLE_PARENT
    cosine = X if kind == ANGLE_CHILD or freedom.axis == 2 else np.eye(3)[(freedom.axis + 1) % 3]
    return ActiveFreedom(index, kind, axis, cosine, np.cross(axis, cosine))


def active_freedoms(joint: Joint) -> list[ActiveFreedom]:
    """Freedoms of a joint that need a row of their own in the kernels."""
    wanted = []
    for i in range(len(joint.freedoms)):
        carries = (
            joint.effort[i] is not None
            or joint.stiffness[i] != 0.0
            or joint.damping[i] != 0.0
            or joint.friction[i] is not None
        )
        tracked = joint.kind == "screw" and joint.motion[i] is None
        if carries or tracked:
            wanted.append(freedom_geometry(joint, i))
    return wanted


def drive_frames(joint: Joint, t: Array) -> tuple[Array, Array, Array]:
    """Prescribed motion of a joint with its first two time derivatives: three arrays (nt, 21).

    Columns: position (3), rotation on the parent's side (9), rotation on the child's side (9).
    """
    n = len(t)
    jets = [m.jet(t) if m is not None else None for m in joint.motion]
    position = [np.zeros((n, 3)) for _ in range(3)]
    identity = np.broadcast_to(np.eye(3), (n, 3, 3))
    parent = [identity.copy(), np.zeros((n, 3, 3)), np.zeros((n, 3, 3))]
    child = [identity.copy(), np.zeros((n, 3, 3)), np.zeros((n, 3, 3))]
    turns = []
    for i, freedom in enumerate(joint.freedoms):
        jet = jets[i]
        if jet is None:
            continue
        if freedom.kind == "translation":
            for k in range(3):
                position[k][:, freedom.axis] = jet[k]
        elif joint.kind in ("spherical", "free"):
            turns.append(jet)
        else:
            sign = 1.0
            target = parent
            if joint.kind == "universal" and i == 1:
                sign, target = -1.0, child
            values = _axis_rotation(np.eye(3)[freedom.axis], *(sign * j for j in jet))
            for part, value in zip(target, values, strict=True):
                part[:] = value
        if joint.kind == "screw":
            for k in range(3):
                position[k][:, 2] = joint.pitch * jet[k]
    if turns:
        w, w1, w2 = (np.stack([jet[k] for jet in turns], axis=1) for k in range(3))
        for part, value in zip(parent, _vector_rotation(w, w1, w2), strict=True):
            part[:] = value
    value, rate, acceleration = (
        np.concatenate((position[k], parent[k].reshape(n, 9), child[k].reshape(n, 9)), axis=1) for k in range(3)
    )
    return value, rate, acceleration


def _axis_rotation(axis: Array, q: Array, q1: Array, q2: Array) -> tuple[Array, Array, Array]:
    """Rotation about a fixed axis and its two time derivatives."""
    N = so3.hat(axis)
    N2 = N @ N
    s, c = np.sin(q)[:, None, None], np.cos(q)[:, None, None]
    R = np.eye(3) + s * N + (1 - c) * N2
    R_q = c * N + s * N2
    R_qq = -s * N + c * N2
    a, b = q1[:, None, None], q2[:, None, None]
    return R, R_q * a, R_qq * a**2 + R_q * b


def _vector_rotation(w: Array, w1: Array, w2: Array) -> tuple[Array, Array, Array]:
    """exp of a rotation vector and its two time derivatives, through its angular velocity and acceleration."""
    n = len(w)
    R, R1, R2 = (np.empty((n, 3, 3)) for _ in range(3))
    for i in range(n):
        T = so3.tangent(w[i])
        omega = T @ w1[i]  # body angular velocity
        alpha = T @ w2[i] + so3.tangent_derivative(w[i], w1[i]) @ w1[i]
        Om, Al = so3.hat(omega), so3.hat(alpha)
        R[i] = so3.exp(w[i])
        R1[i] = R[i] @ Om
        R2[i] = R[i] @ (Om @ Om + Al)
    return R, R1, R2
