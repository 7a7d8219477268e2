"""Joints to constraint rows, active freedoms and prescribed motions; the rows are explained in `kernels.joints`."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cosserat.errors import ModelError
from cosserat.kernels.freedoms import ANGLE_CHILD, ANGLE_PARENT, ROTATION_VECTOR, SLIDE, coordinate
from cosserat.kernels.joint_rows import ROTATION, SCREW, TRANSLATION
from cosserat.lie import so3
from cosserat.lie.protocol import Array
from cosserat.model.joints import Joint

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
class JointRows:
    """All rows of a joint, and the entry of the relative rotation that tells the right root from the wrong one."""

    rows: tuple[Row, ...]
    branch: int


def _translations(axes: str) -> list[Row]:
    return [Row(TRANSLATION, {"x": X, "y": Y, "z": Z}[k], np.zeros(3)) for k in axes]


def _rotations(pairs: list[tuple[Array, Array]]) -> list[Row]:
    return [Row(ROTATION, a, b) for a, b in pairs]


def weld_rows() -> JointRows:
    """Rows that let nothing move."""
    return JointRows((*_translations("xyz"), *_rotations(_LOCK)), TRACE)


def joint_rows(joint: Joint) -> JointRows:
    """Rows of a joint in its joint frame: those of its kind, and one more for every driven freedom.

    Joints that turn about one axis at most need no entry here: what is no freedom of theirs vanishes.
    """
    kind = joint.kind
    driven = [m is not None for m in joint.motion]
    if kind == "screw" and not driven[0]:
        screw = Row(SCREW, Z, np.zeros(3))
        return JointRows((*_translations("xy"), *_rotations(_HINGE), screw), 2)
    if kind in ("spherical", "free"):
        turn = driven[-3:]
        if any(turn) and not all(turn):
            raise ModelError(
                f"joint '{joint.name}': the rotation vector of a {kind} joint is prescribed as a whole; "
                "give all three rotations a motion, or none"
            )
        axes = "xyz" if kind == "spherical" else "".join(k for k, d in zip("xyz", driven, strict=False) if d)
        rows = _translations(axes)
        return JointRows((*rows, *_rotations(_LOCK)), TRACE) if all(turn) else JointRows(tuple(rows), NO_BRANCH)
    if kind == "universal":
        pairs = [(X, Y)]
        branch = NO_BRANCH
        if all(driven):
            pairs, branch = _LOCK, TRACE
        elif driven[0]:
            pairs, branch = [(X, Y), (Z, Y)], 1
        elif driven[1]:
            pairs, branch = [(X, Y), (X, Z)], 0
        return JointRows((*_translations("xyz"), *_rotations(pairs)), branch)
    return _rows_of_freedoms(joint, driven)


def _rows_of_freedoms(joint: Joint, driven: list[bool]) -> JointRows:
    """Rows of a joint that slides along coordinate axes and turns about one of them at most."""
    slides = [freedom.axis for freedom in joint.freedoms if freedom.kind == "translation"]
    turns = [(freedom.axis, d) for freedom, d in zip(joint.freedoms, driven, strict=True) if freedom.kind == "rotation"]
    if len(turns) > 1:
        raise ModelError(f"joint '{joint.name}': no constraint rows are known for kind '{joint.kind}'")
    held = [k for k in range(3) if k not in slides]
    held += [f.axis for f, d in zip(joint.freedoms, driven, strict=True) if f.kind == "translation" and d]
    rows = _translations("".join("xyz"[k] for k in held))
    if not turns or turns[0][1]:
        return JointRows((*rows, *_rotations(_LOCK)), TRACE)
    axis = turns[0][0]
    pairs = [(np.eye(3)[k], np.eye(3)[axis]) for k in range(3) if k != axis]
    return JointRows((*rows, *_rotations(pairs)), axis)


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
    return ActiveFreedom(index, kind, axis, cosine, so3.hat(axis) @ cosine)


class _OneFreedom(NamedTuple):
    """One freedom, as `kernels.freedoms` reads many."""

    kind: tuple[int]
    axis: Array
    cosine: Array
    sine: Array


def read_coordinate(joint: Joint, index: int, H: Array, previous: float) -> float:
    """Coordinate of a freedom for the frame H of the child's side seen from the parent's.

    Angles continue from the previous value through any number of turns.
    """
    f = freedom_geometry(joint, index)
    one = _OneFreedom((f.kind,), f.axis[None], f.cosine[None], f.sine[None])
    return float(coordinate(one, 0, tuple(H[:3, :3].ravel().tolist()), tuple(H[:3, 3].tolist()), previous))


def active_freedoms(joint: Joint, servos: Container[tuple[str, int]] = ()) -> list[ActiveFreedom]:
    """Freedoms of a joint that need a row of their own in the kernels; `servos`: joints and freedoms that have one."""
    wanted = []
    for i in range(len(joint.freedoms)):
        carries = (
            joint.effort[i] is not None
            or joint.stiffness[i] != 0.0
            or joint.damping[i] != 0.0
            or joint.friction[i] is not None
            or joint.armature[i] != 0.0
            or (joint.name, i) in servos
        )
        tracked = joint.kind == "screw" and joint.motion[i] is None
        if carries or tracked:
            wanted.append(freedom_geometry(joint, i))
    return wanted


def counted_freedoms(joint: Joint, servos: Container[tuple[str, int]] = ()) -> list[ActiveFreedom]:
    """Angles that carry nothing and are not prescribed: only their turns have to be counted."""
    active = {freedom.index for freedom in active_freedoms(joint, servos)}
    free = [i for i, motion in enumerate(joint.motion) if motion is None and i not in active]
    found = [freedom_geometry(joint, i) for i in free]
    return [freedom for freedom in found if freedom.kind in (ANGLE_PARENT, ANGLE_CHILD)]


def drive_frames(joint: Joint, t: Array, order: int = 2) -> Array:
    """Prescribed motion of a joint with its time derivatives up to `order` (0 or 2): (order + 1, nt, 21).

    Columns: position (3), rotation on the parent's side (9), rotation on the child's side (9).
    """
    jets = [
        None if motion is None else np.stack(motion.jet(t)) if order else motion.sample(t)[None]
        for motion in joint.motion
    ]
    return frames_of(joint, jets, (order + 1, len(t)))


def frames_of(joint: Joint, jets: Sequence[Array | None], shape: tuple[int, int]) -> Array:
    """The same where the coordinates of prescribed freedoms have these values and derivatives, each of a shape."""
    out = np.zeros((*shape, 21))
    out[0, :, 3:12:4] = out[0, :, 12:21:4] = 1.0
    turns = []
    for i, (freedom, jet) in enumerate(zip(joint.freedoms, jets, strict=True)):
        if jet is None:
            continue
        if freedom.kind == "translation":
            out[:, :, freedom.axis] = jet
        elif joint.kind in ("spherical", "free"):
            turns.append(jet)
        elif joint.kind == "universal" and i == 1:
            out[:, :, 12:] = _axis_rotation(freedom.axis, -jet)
        else:
            out[:, :, 3:12] = _axis_rotation(freedom.axis, jet)
        if joint.kind == "screw":
            out[:, :, 2] = joint.pitch * jet
    if turns:
        out[:, :, 3:12] = _vector_rotation(np.stack(turns, axis=2))
    return out


def _axis_rotation(axis: int, jet: Array) -> Array:
    """Rotation about a coordinate axis by an angle with derivatives (k, nt): (k, nt, 9)."""
    q = jet[0]
    out = np.zeros((*jet.shape, 9))
    s, c = np.sin(q), np.cos(q)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out[0, :, 4 * axis] = 1.0
    pairs = [(c, s)]
    if len(jet) == 3:
        q1, q2 = jet[1], jet[2]
        pairs += [(-s * q1, c * q1), (-c * q1**2 - s * q2, -s * q1**2 + c * q2)]
    for part, (c, s) in zip(out, pairs, strict=True):
        part[:, 4 * i], part[:, 4 * j], part[:, 3 * i + j], part[:, 3 * j + i] = c, c, -s, s
    return out


def _vector_rotation(jet: Array) -> Array:
    """exp of a rotation vector with derivatives (k, nt, 3), through its angular velocity and acceleration."""
    out = np.empty((*jet.shape[:2], 9))
    for i, w in enumerate(jet[0]):
        R = so3.exp(w)
        out[0, i] = R.ravel()
        if len(jet) == 3:
            w1, w2 = jet[1, i], jet[2, i]
            T = so3.tangent(w)
            Om = so3.hat(T @ w1)
            Al = so3.hat(T @ w2 + so3.tangent_derivative(w, w1) @ w1)
            out[1, i] = (R @ Om).ravel()
            out[2, i] = (R @ (Om @ Om + Al)).ravel()
    return out
