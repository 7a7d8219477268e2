"""Rows of joints between two seats of a tree: constraints, and freedoms in which something acts.

The rows are those of `kernels.joints` and `kernels.freedoms`, so that their multipliers mean the same in both
formulations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.rows import TRACE, Row, drive_frames, freedom_geometry
from cosserat.compile.seats import Seat
from cosserat.kernels.freedoms import ANGLE_CHILD, ROTATION_VECTOR, SLIDE
from cosserat.kernels.joints import ROTATION, SCREW
from cosserat.lie import se3, so3
from cosserat.model.joints import Joint
from cosserat.solve.relative.seat_motion import PairRows, SeatMotion

Array = NDArray[np.float64]

_TURN = 2.0 * np.pi


class Relative:
    """The child's joint frame seen from the parent's, with its first and second derivative at a = 0."""

    def __init__(self, a: SeatMotion, b: SeatMotion) -> None:
        H = se3.inverse(a.frame) @ b.frame
        self.R, self.x = H[:3, :3], H[:3, 3]
        self.a, self.b = a, b
        v_a, w_a = a.twist[:3], a.twist[3:]
        v_b, w_b = b.twist[:3], b.twist[3:]
        W_a, W_b = so3.hat(w_a), so3.hat(w_b)
        self.R_dot = self.R @ W_b - W_a @ self.R
        self.x_dot = self.R @ v_b - v_a - np.cross(w_a, self.x)
        self.R_ddot = (
            self.R_dot @ W_b + self.R @ so3.hat(b.rate[3:]) - so3.hat(a.rate[3:]) @ self.R - W_a @ self.R_dot
        )  # fmt: skip
        self.x_ddot = (
            self.R_dot @ v_b + self.R @ b.rate[:3] - a.rate[:3] - np.cross(a.rate[3:], self.x)
            - np.cross(w_a, self.x_dot)
        )  # fmt: skip


class JointRows:
    """Constraint rows of a joint, with the motion that is prescribed in it.

    Parameters
    ----------
    joint : Joint
    rows : tuple of Row
        All of `compile.rows.joint_rows`, or some of them.
    branch : int
        As in `compile.rows.Rows`.
    a, b : Seat
        Joint frames on the parent's and on the child's side.
    """

    holonomic = True

    def __init__(self, joint: Joint, rows: tuple[Row, ...], branch: int, a: Seat, b: Seat) -> None:
        self.joint, self.a, self.b = joint, a, b
        self.count = len(rows)
        self._branch = branch
        self._kind = np.array([row.kind for row in rows])
        self._turns = self._kind == ROTATION
        self._advance = np.where(self._kind == SCREW, joint.pitch, 0.0)
        self._u = np.array([row.a for row in rows]).reshape(-1, 3)
        self._w = np.array([row.b for row in rows]).reshape(-1, 3)
        self._driven = any(motion is not None for motion in joint.motion)
        self._angle = Angle(joint, 0) if self._advance.any() else None

    @property
    def title(self) -> str:
        """What to call it in a message."""
        return self.joint.title

    def _drive(self, t: float) -> Array:
        if self._driven:
            return drive_frames(self.joint, np.array([t]))[:, 0]
        out = np.zeros((3, 21))
        out[0, 3:12:4] = out[0, 12:21:4] = 1.0
        return out

    def at(self, a: SeatMotion, b: SeatMotion, t: float, previous: float) -> tuple[PairRows, float]:
        """Rows for the motion of both sides, and the angle of a screw, continued from a previous one."""
        s = Relative(a, b)
        drive = self._drive(t)
        p, p1, p2 = drive[:, :3]
        u, u1, u2 = (self._u @ d[3:12].reshape(3, 3).T for d in drive)
        w, w1, w2 = (self._w @ d[12:].reshape(3, 3).T for d in drive)
        turns, pitch = self._turns[:, None], self._advance
        line = np.where(turns, 0.0, self._u)
        back = line @ s.R
        on_a, on_b = np.zeros((self.count, 6)), np.zeros((self.count, 6))
        on_a[:, :3], on_b[:, :3] = -line, back
        on_a[:, 3:] = np.where(turns, np.cross(u, w @ s.R.T), np.cross(line, s.x)) + pitch[:, None] * line
        on_b[:, 3:] = np.where(turns, np.cross(w, u @ s.R), 0.0) - pitch[:, None] * back

        def twice(left: Array, M: Array, right: Array) -> Array:
            return np.asarray(np.sum((left @ M) * right, axis=1))

        value = np.where(self._turns, twice(u, s.R, w), line @ (s.x - p))
        rate = np.where(
            self._turns, twice(u1, s.R, w) + twice(u, s.R_dot, w) + twice(u, s.R, w1), line @ (s.x_dot - p1)
        )  # fmt: skip
        bias = np.where(
            self._turns,
            twice(u2, s.R, w) + twice(u, s.R_ddot, w) + twice(u, s.R, w2)
            + 2.0 * (twice(u1, s.R_dot, w) + twice(u1, s.R, w1) + twice(u, s.R_dot, w1)),
            line @ (s.x_ddot - p2),
        )  # fmt: skip
        angle = previous
        if self._angle is not None:
            angle = self._angle.of(s, previous)
            spin, spin_rate = self._angle.rates(s)
            value, rate, bias = value - pitch * angle, rate - pitch * spin, bias - pitch * spin_rate
        return PairRows(on_a, on_b, value, rate, bias), angle

    def inside_out(self, a: SeatMotion, b: SeatMotion, t: float) -> bool:
        """Whether the rotation rows hold half a turn away from where they should."""
        if self._branch < 0:
            return False
        D_a, D_b = (self._drive(t)[0, k : k + 9].reshape(3, 3) for k in (3, 12))
        E = D_a.T @ a.frame[:3, :3].T @ b.frame[:3, :3] @ D_b
        return bool((np.trace(E) if self._branch == TRACE else E[self._branch, self._branch]) < 0.0)


class Angle:
    """Coordinate of one freedom of a joint, read from the relative frame."""

    def __init__(self, joint: Joint, index: int) -> None:
        self.freedom = freedom_geometry(joint, index)

    def of(self, s: Relative, previous: float) -> float:
        """The coordinate; angles continue from the previous one through any number of turns."""
        f = self.freedom
        if f.kind == SLIDE:
            return float(f.axis @ s.x)
        if f.kind == ROTATION_VECTOR:
            return float(f.axis @ so3.log(s.R))
        if f.kind == ANGLE_CHILD:
            raw = np.arctan2(-(f.cosine @ s.R @ f.sine), f.cosine @ s.R @ f.cosine)
        else:
            raw = np.arctan2(f.sine @ s.R @ f.cosine, f.cosine @ s.R @ f.cosine)
        return float(raw + _TURN * np.round((previous - raw) / _TURN))

    def directions(self, s: Relative) -> tuple[Array, Array]:
        """Rows (6,) on both twists that give the velocity along the freedom."""
        axis, zero = self.freedom.axis, np.zeros(3)
        if self.freedom.kind == SLIDE:
            return np.concatenate((-axis, np.cross(axis, s.x))), np.concatenate((axis @ s.R, zero))
        if self.freedom.kind == ANGLE_CHILD:
            return np.concatenate((zero, -(s.R @ axis))), np.concatenate((zero, axis))
        return np.concatenate((zero, -axis)), np.concatenate((zero, axis @ s.R))

    def rates(self, s: Relative) -> tuple[float, float]:
        """Velocity along the freedom, and its rate at a = 0; both about the parent's axis."""
        axis = self.freedom.axis
        spin = s.R @ s.b.twist[3:] - s.a.twist[3:]
        spin_rate = s.R_dot @ s.b.twist[3:] + s.R @ s.b.rate[3:] - s.a.rate[3:]
        return float(axis @ spin), float(axis @ spin_rate)


class FreedomRow:
    """Spring, damper, friction and actuator in one freedom of a joint that has no coordinate in the tree."""

    def __init__(self, joint: Joint, index: int, a: Seat, b: Seat) -> None:
        self.joint, self.index, self.a, self.b = joint, index, a, b
        self._angle = Angle(joint, index)
        self.stiffness, self.damping = joint.stiffness[index], joint.damping[index]
        friction = joint.friction[index]
        self._level, self._speed = (0.0, 1.0) if friction is None else (friction.level, friction.speed)
        self._effort = joint.effort[index]
        self.commanded: float | None = None  # by a controller, instead of the effort

    def at(self, a: SeatMotion, b: SeatMotion, previous: float) -> tuple[PairRows, float]:
        """Its direction, coordinate and velocity."""
        s = Relative(a, b)
        coordinate = self._angle.of(s, previous)
        on_a, on_b = self._angle.directions(s)
        rate = float(on_a @ a.twist + on_b @ b.twist)
        row = PairRows(on_a[None], on_b[None], np.array([coordinate]), np.array([rate]), np.zeros(1))
        return row, coordinate

    def effort(self, coordinate: float, rate: float, t: float | None) -> float:
        """What acts along it; prescribed efforts do not count without a time."""
        drive = 0.0 if self._effort is None or t is None else self._drive(t)
        friction = self._level * np.tanh(rate / self._speed)
        return float(drive - self.stiffness * coordinate - self.damping * rate - friction)

    def _drive(self, t: float) -> float:
        assert self._effort is not None
        return float(self._effort.sample(np.array([t]))[0]) if self.commanded is None else self.commanded

    def slope(self, rate: float) -> float:
        """-d(effort)/d(rate)."""
        return float(self.damping + self._level / self._speed * (1.0 - np.tanh(rate / self._speed) ** 2))
