"""Coordinates, rates, reactions and efforts of joints over time: rows and freedoms are those of the kernels.

Their functions of one state take all stored states at once: every component is then an array over time.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.rows import ActiveFreedom
from cosserat.kernels import armature, freedoms
from cosserat.kernels.arrays import Turns
from cosserat.kernels.freedoms import ROTATION_VECTOR, SLIDE
from cosserat.kernels.joints import drive_of, place_frames, place_twists, reaction
from cosserat.kernels.vectors import dot, load, mul, mul_t, sub
from cosserat.lie import so3
from cosserat.lie.protocol import Array
from cosserat.results.mechanism import JointInfo
from cosserat.results.motion import Motion, last, motion_of

TURN = 2.0 * np.pi

Vector = tuple[Any, ...]
"""Components, arrays (nt,) or numbers: three, or nine of a matrix row by row."""


class Sides(NamedTuple):
    """The child's joint frame in the world and seen from the parent's, and both twists in their own frames."""

    R_b: Vector
    R: Vector
    x: Vector
    twists: tuple[Vector, Vector, Vector, Vector]  # v_a, w_a, v_b, w_b

    def power(self, wrenches: Iterable[Vector]) -> Array:
        """Power (nt,) of wrenches (f_a, m_a, f_b, m_b) on both sides; of the direction of a freedom, its rate."""
        return np.asarray(sum(dot(f, v) for f, v in zip(wrenches, self.twists, strict=True)))

    def rows(self, *vectors: Vector) -> Array:
        """Vectors side by side, (nt, 3 k)."""
        out = np.empty((len(self.x[0]), 3 * len(vectors)))
        for k, component in enumerate(chain(*vectors)):
            out[:, k] = component
        return out


def joint_sides(motion: Motion, index: int) -> Sides:
    """Kinematics of joint number `index` over time."""
    arrays, (frames, twists, _) = motion.mechanism.system.joints, motion.moving
    _, _, R_b, _, R, x = place_frames(arrays, index, frames)
    return Sides(R_b, R, x, place_twists(arrays, index, twists))


def _freedoms(joint: JointInfo) -> Turns:
    """Its freedoms as the kernels take them."""
    found = ((joint.index, f.kind, f.axis, f.cosine, f.sine) for f in joint.freedoms)
    return Turns(*(np.array(column) for column in zip(*found, strict=True)))


def coordinates(motion: Motion, joint: JointInfo) -> Array:
    """Joint coordinates (nt, k); angles run on through any number of turns, rotation vectors do not."""
    sides = joint_sides(motion, joint.index)
    out = np.empty((len(motion.time), len(joint.freedoms)))
    turns = _rotation_vectors(joint, sides)
    for i, freedom in enumerate(joint.freedoms):
        if freedom.kind == SLIDE:
            out[:, i] = dot(freedom.axis, sides.x)
        elif freedom.kind == ROTATION_VECTOR:
            out[:, i] = turns @ freedom.axis
        elif joint.active[i] >= 0:
            out[:, i] = motion.angle[:, joint.active[i]]
        else:
            raw = np.arctan2(*freedoms.sine_and_cosine(_freedoms(joint), i, sides.R))
            out[:, i] = _continued(motion, joint, i, raw, sides)
    return out


def _continued(motion: Motion, joint: JointInfo, i: int, raw: Array, sides: Sides) -> Array:
    """Angles with the right number of turns: those prescribed, those counted, or those the rate tells."""
    if joint.driven[i]:
        wanted = motion.prescribed[joint.coordinates[i]]
        return raw + TURN * np.round((wanted - raw) / TURN)
    counted = motion.angle[:, joint.counted[i]] if joint.counted[i] >= 0 else np.full(len(raw), np.nan)
    if np.isfinite(counted).all():
        return raw + TURN * np.round((counted - raw) / TURN)
    rate = _spin(joint, i, sides)
    expected = 0.5 * np.diff(motion.time) * (rate[1:] + rate[:-1])
    turns = np.round((expected - np.diff(raw)) / TURN)
    first = np.round((counted[0] - raw[0]) / TURN) if np.isfinite(counted[0]) else 0.0
    turns = first + np.concatenate(([0.0], np.cumsum(turns)))
    for k in motion.engaged(joint.name):  # turns are counted from there
        turns[k:] -= turns[k]
    return raw + TURN * turns


def tracked_in(trajectory: Any, k: int, freedoms: Iterable[tuple[str, ActiveFreedom]]) -> Array:
    """Coordinates of freedoms of a like model in a stored state, with all turns; zero in joints it did not have.

    Those that were driven, in which nothing acted, or that were cut in floating frames, are not among those that were
    tracked.
    """
    known = zip(trajectory.compiled.freedoms, trajectory.history.angle[k], strict=True)
    counted = {(name, freedom.index): q for (name, freedom), q in known if np.isfinite(q)}
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
    spin = sides.rows(sub(sides.twists[3], mul_t(sides.R, sides.twists[1])))
    rates = np.array([so3.tangent_inv(turn) @ w for turn, w in zip(turns, spin, strict=False)])
    for i, freedom in enumerate(joint.freedoms):
        if freedom.kind == ROTATION_VECTOR:
            out[:, i] = rates @ freedom.axis
    return out


def _rotation_vectors(joint: JointInfo, sides: Sides) -> Array:
    """Rotation vectors (nt, 3) of the child against the parent; none where no coordinate is of one."""
    asked = any(freedom.kind == ROTATION_VECTOR for freedom in joint.freedoms)
    return np.array([so3.log(np.reshape(R, (3, 3))) for R in zip(*sides.R, strict=True) if asked])


def directions(joint: JointInfo, i: int, sides: Sides) -> tuple[Array, Array]:
    """Wrenches (nt, 6) on parent and child, in their joint frames, of a unit effort in freedom i."""
    f_a, m_a, f_b, m_b = freedoms.direction(_freedoms(joint), i, sides.R, sides.x)
    return sides.rows(f_a, m_a), sides.rows(f_b, m_b)


def _spin(joint: JointInfo, i: int, sides: Sides) -> Array:
    """Relative velocity (nt,) along freedom i, which an effort there multiplies to its power."""
    return sides.power(freedoms.direction(_freedoms(joint), i, sides.R, sides.x))


def spin_rates(motion: Motion, joint: JointInfo) -> Array:
    """Relative velocities (nt, k) along all freedoms, which efforts there multiply to their powers."""
    return _spins(joint, joint_sides(motion, joint.index))


def _spins(joint: JointInfo, sides: Sides) -> Array:
    rates = [_spin(joint, i, sides) for i in range(len(joint.freedoms))]
    return np.stack(rates, axis=1) if rates else np.zeros((len(sides.x[0]), 0))


def pulls(motion: Motion, index: int, sides: Sides) -> tuple[Vector, Vector, Vector, Vector]:
    """Phi^T lambda of joint number `index` on both sides, in their joint frames: (f_a, m_a, f_b, m_b)."""
    arrays = motion.mechanism.system.joints
    _, D_a, D_b = drive_of(arrays, index, last(motion.inputs.drive))
    return reaction(arrays, index, sides.R, sides.x, D_a, D_b, last(motion.force)[index])


def constraint_wrenches(motion: Motion, index: int, sides: Sides) -> tuple[Array, Array]:
    """Wrenches (nt, 6) that the constraints put on parent and child, in their joint frames: -Phi^T lambda."""
    f_a, m_a, f_b, m_b = pulls(motion, index, sides)
    return -sides.rows(f_a, m_a), -sides.rows(f_b, m_b)


def measured(motion: Motion, joint: JointInfo, i: int) -> Array | float:
    """Coordinate i (nt,) where its spring or servo asks for it, else zero."""
    k, arrays = joint.active[i], motion.mechanism.system.freedoms
    asked = arrays.stiffness[k] != 0.0 or arrays.target[k] >= 0
    return coordinates(motion, joint)[:, i] if asked else 0.0


def passive_efforts(motion: Motion, joint: JointInfo, i: int, sides: Sides) -> Array:
    """Effort (nt,) of spring, damper, friction, prescribed effort and servo in freedom i."""
    k, arrays = joint.active[i], motion.mechanism.system.freedoms
    if k < 0:
        return np.zeros(len(motion.time))
    given = measured(motion, joint, i), _spin(joint, i, sides), motion.inputs.effort.T
    return np.asarray(freedoms.total(arrays, k, *given)[0])


def inertial_efforts(motion: Motion, joint: JointInfo, i: int, sides: Sides) -> Array:
    """Effort (nt,) that the armature of freedom i takes, -J q_ddot."""
    k, arrays = joint.active[i], motion.mechanism.system.freedoms
    if k < 0 or arrays.armature[k] == 0.0:
        return np.zeros(len(motion.time))
    _, twists, rates = motion.moving
    ahead = armature.acceleration(arrays, motion.mechanism.system.joints, k, sides.R, sides.x, twists, rates)
    return np.asarray(-arrays.armature[k] * ahead)


def reactions(motion: Motion, joint: JointInfo, world: bool = True) -> Array:
    """Wrench (nt, 6) of the parent on the child about the child's joint frame, in world axes or in that frame."""
    return motion.in_phases(lambda part: _reactions(part, joint, world))


def _reactions(motion: Motion, joint: JointInfo, world: bool) -> Array:
    sides = joint_sides(motion, joint.index)
    _, wrench = constraint_wrenches(motion, joint.index, sides)
    for i in range(len(joint.freedoms)):
        if joint.active[i] >= 0:
            along = passive_efforts(motion, joint, i, sides) + inertial_efforts(motion, joint, i, sides)
            wrench = wrench + along[:, None] * directions(joint, i, sides)[1]
    return sides.rows(*(mul(sides.R_b, load(wrench.T, k)) for k in (0, 3))) if world else wrench


def efforts(motion: Motion, joint: JointInfo) -> Array:
    """Efforts (nt, k): of the drive where the motion is prescribed, else of all that acts but inertia."""
    return motion.in_phases(lambda part: _efforts(part, joint))


def _efforts(motion: Motion, joint: JointInfo) -> Array:
    sides = joint_sides(motion, joint.index)
    out = np.zeros((len(motion.time), len(joint.freedoms)))
    for i, freedom in enumerate(joint.freedoms):
        if joint.driven[i]:
            _, wrench = constraint_wrenches(motion, joint.index, sides)
            unit = directions(joint, i, sides)[1]
            out[:, i] = np.sum(wrench * unit, axis=1)
            if joint.kind == "screw":  # the nut's thrust works through the pitch as well
                pitch = motion.mechanism.system.joints.pitch[joint.index]
                out[:, i] += pitch * dot(freedom.axis, mul(sides.R, load(wrench.T, 0)))
        else:
            out[:, i] = passive_efforts(motion, joint, i, sides)
    return out
