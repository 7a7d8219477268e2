"""Rows of joints between two seats of a tree: constraints, and freedoms in which something acts.

The rows are those of `kernels.joints` and `kernels.freedoms`, so that their multipliers mean the same in both
formulations.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.rows import TRACE, Row, drive_frames, freedom_geometry
from cosserat.compile.seats import Seat
from cosserat.kernels.efforts import effort as law_of_freedom
from cosserat.kernels.efforts import servo as law_of_servo
from cosserat.kernels.freedoms import ANGLE_CHILD, ROTATION_VECTOR, SLIDE
from cosserat.kernels.joints import ROTATION, SCREW
from cosserat.lie import so3
from cosserat.model.joints import Joint
from cosserat.model.servos import Servo
from cosserat.solve.relative.seat_motion import PairRows, SeatMotion

Array = NDArray[np.float64]

_TURN = 2.0 * np.pi


def crossed(a: Array, b: Array) -> Array:
    """Cross products (..., 3); many times faster than NumPy's for a few vectors."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack((y * w - z * v, z * u - x * w, x * v - y * u), axis=-1)


class Relative:
    """The child's joint frame seen from the parent's, with its rate."""

    def __init__(self, a: SeatMotion, b: SeatMotion) -> None:
        self.a, self.b = a, b
        back = a.frame[:3, :3].T
        self.R, self.x = back @ b.frame[:3, :3], back @ (b.frame[:3, 3] - a.frame[:3, 3])
        self._W_a, self._W_b = so3.hat(a.twist[3:]), so3.hat(b.twist[3:])
        self.R_dot = self.R @ self._W_b - self._W_a @ self.R
        self.x_dot = self.R @ b.twist[:3] - a.twist[:3] - self._W_a @ self.x

    def second(self) -> tuple[Array, Array]:
        """Second derivatives of R and x for the rates that the sides have."""
        a, b = self.a, self.b
        turning = so3.hat(a.rate[3:])
        R_ddot = self.R_dot @ self._W_b + self.R @ so3.hat(b.rate[3:]) - turning @ self.R - self._W_a @ self.R_dot
        x_ddot = self.R_dot @ b.twist[:3] + self.R @ b.rate[:3] - a.rate[:3] - turning @ self.x
        return R_ddot, x_ddot - self._W_a @ self.x_dot


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

    def __init__(self, joint: Joint, rows: tuple[Row, ...], branch: int, a: Seat, b: Seat) -> None:
        self.joint, self.a, self.b = joint, a, b
        self.count = len(rows)
        self.holonomic = np.ones(self.count, dtype=bool)
        self._branch = branch
        self._kind = np.array([row.kind for row in rows], dtype=np.int64)
        self._turns = (self._kind == ROTATION)[:, None]
        self._advance = np.where(self._kind == SCREW, joint.pitch, 0.0)
        self._u = np.array([row.a for row in rows]).reshape(-1, 3)
        self._w = np.array([row.b for row in rows]).reshape(-1, 3)
        self._line = np.where(self._turns, 0.0, self._u)
        self.drive = functools.lru_cache(8)(self._sample)  # a step asks several times for the same time
        self.driven = any(motion is not None for motion in joint.motion)
        self._angle = Angle(joint, 0) if self._advance.any() else None

    def arrays(self) -> tuple[NDArray[np.int64], Array, Array]:
        """Kinds (k,) and vectors (k, 3) of the rows."""
        return self._kind, self._u, self._w

    @property
    def title(self) -> str:
        """What to call it in a message."""
        return self.joint.title

    def _sample(self, t: float) -> Array:
        return drive_frames(self.joint, np.array([t]))[:, 0]

    def at(self, a: SeatMotion, b: SeatMotion, t: float, previous: float, biased: bool) -> tuple[PairRows, float]:
        """Rows for the motion of both sides, and the angle of a screw, continued from a previous one.

        The bias is left out (zero) where it is not wanted.
        """
        s = Relative(a, b)
        u, w, line, turns, pitch = self._u, self._w, self._line, self._turns, self._advance[:, None]
        if self.driven:
            drive = self.drive(t)
            u, w = u @ drive[0, 3:12].reshape(3, 3).T, w @ drive[0, 12:].reshape(3, 3).T
        turned, back = w @ s.R.T, line @ s.R
        on_a = np.hstack((-line, np.where(turns, crossed(u, turned), crossed(line, s.x)) + pitch * line))
        on_b = np.hstack((back, np.where(turns, crossed(w, u @ s.R), 0.0) - pitch * back))
        value = line @ s.x + self._sum(u * turned)
        rate = on_a @ a.twist + on_b @ b.twist
        bias = np.zeros(self.count)
        if biased:
            R_ddot, x_ddot = s.second()
            bias = line @ x_ddot + self._sum((u @ R_ddot) * w)
        if self.driven:
            more = self._explicit(s, drive, u, w)
            value, rate = value + more[0], rate + more[1]
            bias = bias + more[2] if biased else bias
        angle = previous
        if self._angle is not None:
            angle = self._angle.of(s, previous)
            value, bias = value - self._advance * angle, bias - self._advance * self._angle.spin_rate(s)
        return PairRows(on_a, on_b, value, rate, bias), angle

    def _sum(self, products: Array) -> Array:
        """Sums along the rows that are rotations."""
        return np.asarray(np.where(self._turns[:, 0], products.sum(axis=1), 0.0))

    def _explicit(self, s: Relative, drive: Array, u: Array, w: Array) -> tuple[Array, Array, Array]:
        """What a prescribed motion adds to the rows, to their rates and to their bias."""
        (p, p1, p2), R = drive[:, :3], s.R
        u1, u2 = (self._u @ d[3:12].reshape(3, 3).T for d in drive[1:])
        w1, w2 = (self._w @ d[12:].reshape(3, 3).T for d in drive[1:])
        rate = self._sum((u1 @ R) * w + (u @ R) * w1)
        both = (u1 @ s.R_dot) * w + (u1 @ R) * w1 + (u @ s.R_dot) * w1
        bias = self._sum((u2 @ R) * w + (u @ R) * w2 + 2.0 * both)
        return -self._line @ p, rate - self._line @ p1, bias - self._line @ p2

    def inside_out(self, a: SeatMotion, b: SeatMotion, t: float) -> bool:
        """Whether the rotation rows hold half a turn away from where they should."""
        if self._branch < 0:
            return False
        E = a.frame[:3, :3].T @ b.frame[:3, :3]
        if self.driven:
            drive = self.drive(t)[0]
            E = drive[3:12].reshape(3, 3).T @ E @ drive[12:].reshape(3, 3)
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
            return np.concatenate((-axis, crossed(axis, s.x))), np.concatenate((axis @ s.R, zero))
        if self.freedom.kind == ANGLE_CHILD:
            return np.concatenate((zero, -(s.R @ axis))), np.concatenate((zero, axis))
        return np.concatenate((zero, -axis)), np.concatenate((zero, axis @ s.R))

    def spin_rate(self, s: Relative) -> float:
        """Rate of the velocity about the parent's axis."""
        return float(self.freedom.axis @ (s.R_dot @ s.b.twist[3:] + s.R @ s.b.rate[3:] - s.a.rate[3:]))


class FreedomRow:
    """Spring, damper, friction, actuator and servo in one freedom of a joint that has no coordinate in the tree."""

    def __init__(self, joint: Joint, index: int, a: Seat, b: Seat, servo: Servo | None) -> None:
        self.joint, self.index, self.a, self.b, self.servo = joint, index, a, b, servo
        self._angle = Angle(joint, index)
        self.stiffness, self.damping = joint.stiffness[index], joint.damping[index]
        friction = joint.friction[index]
        self._level, self._speed = (0.0, 1.0) if friction is None else (friction.level, friction.speed)
        self._effort = joint.effort[index]
        self.commanded: float | None = None  # by a controller, instead of the effort
        self.aimed: float | None = None  # the same for the target of the servo

    def at(self, a: SeatMotion, b: SeatMotion, previous: float) -> tuple[PairRows, float]:
        """Its direction, coordinate and velocity."""
        s = Relative(a, b)
        coordinate = self._angle.of(s, previous)
        on_a, on_b = self._angle.directions(s)
        rate = float(on_a @ a.twist + on_b @ b.twist)
        row = PairRows(on_a[None], on_b[None], np.array([coordinate]), np.array([rate]), np.zeros(1))
        return row, coordinate

    def effort(self, coordinate: float, rate: float, t: float | None) -> float:
        """What acts along it; prescribed efforts and servos do not count without a time."""
        drive = 0.0 if self._effort is None or t is None else self._drive(t)
        constants = self.stiffness, self.damping, self._level, self._speed
        servo = 0.0 if t is None else self._servo(coordinate, rate, t)[0]
        return float(law_of_freedom(*constants, drive, coordinate, rate)[0]) + servo

    def _servo(self, coordinate: float, rate: float, t: float) -> tuple[float, float, float]:
        """Effort of the servo, and its derivatives by coordinate and rate."""
        if self.servo is None:
            return 0.0, 0.0, 0.0
        target = float(self.servo.target.sample(np.array([t]))[0]) if self.aimed is None else self.aimed
        found = law_of_servo(self.servo.kp, self.servo.kd, self.servo.limit, target, coordinate, rate)
        return float(found[0]), float(found[1]), float(found[2])

    def _drive(self, t: float) -> float:
        assert self._effort is not None
        return float(self._effort.sample(np.array([t]))[0]) if self.commanded is None else self.commanded

    def slopes(self, coordinate: float, rate: float, t: float) -> tuple[float, float]:
        """-d(effort)/d(coordinate) and -d(effort)/d(rate)."""
        passive = -float(law_of_freedom(0.0, self.damping, self._level, self._speed, 0.0, 0.0, rate)[1])
        _, by_q, by_rate = self._servo(coordinate, rate, t)
        return self.stiffness - by_q, passive - by_rate
