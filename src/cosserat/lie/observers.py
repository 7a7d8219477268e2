"""Change of observer: velocities, momenta and accelerations seen from a moving frame.

An observer 2 moves with respect to an observer 1. Whatever 1 sees is what 2 sees plus what the motion of 2
itself drives along, and for accelerations the Coriolis part: [Lerbet17] section 6.
"""

from typing import Any

import numpy as np

from cosserat.calls import answering
from cosserat.lie import checks
from cosserat.lie.inertia import Inertia
from cosserat.lie.protocol import Array
from cosserat.lie.twist import Twist
from cosserat.lie.wrench import Wrench


@answering
class MovingFrame:
    """The motion, at one instant, of an observer 2 with respect to an observer 1.

    All vectors here and in the methods are components along one common basis, and positions are from the
    origin of observer 1. (A vector has the same components for both when it is projected on the same basis;
    what differs between observers is what they call constant.)

    Parameters
    ----------
    origin : (3,) array, optional
        Position of O2, m. Default: zero.
    velocity, acceleration : (3,) array, optional
        Of O2, seen by 1. Default: zero.
    omega, alpha : (3,) array, optional
        Angular velocity of 2 with respect to 1, rad/s, and its derivative, rad/s^2. Default: zero.

    Examples
    --------
    >>> from cosserat.lie import MovingFrame
    >>> earth = MovingFrame(omega=(0, 0, 7.292115e-5))
    >>> earth.coriolis_acceleration((100.0, 0, 0)).round(6)
    array([0.      , 0.014584, 0.      ])
    """

    def __init__(
        self,
        origin: Any = None,
        velocity: Any = None,
        acceleration: Any = None,
        omega: Any = None,
        alpha: Any = None,
    ) -> None:
        self.origin = _or_zero(origin, "origin")
        self.velocity = _or_zero(velocity, "velocity")
        self.acceleration = _or_zero(acceleration, "acceleration")
        self.omega = _or_zero(omega, "omega")
        self.alpha = _or_zero(alpha, "alpha")

    @property
    def twist(self) -> Twist:
        """Velocity field V_r12 of observer 2 seen by observer 1: the drive velocity."""
        return Twist.from_velocity(self.velocity, self.omega, at=self.origin)

    # ------------------------------------------------------------------------ velocities

    def absolute_twist(self, relative: Twist) -> Twist:
        """Return V_1 = V_r12 + V_2 of a body from its velocity field V_2 seen by 2: [Lerbet17] (43)."""
        return self.twist + relative

    def relative_twist(self, absolute: Twist) -> Twist:
        """Return V_2 = V_1 - V_r12 of a body."""
        return absolute - self.twist

    # ------------------------------------------------------------------------ accelerations of a particle

    def drive_acceleration(self, point: Any) -> Array:
        """Return gamma_r12: the acceleration seen by 1 of a point at rest for 2."""
        r = checks.vector(point, "MovingFrame: point") - self.origin
        return self.acceleration + np.cross(self.alpha, r) + np.cross(self.omega, np.cross(self.omega, r))

    def coriolis_acceleration(self, relative_velocity: Any) -> Array:
        """Return gamma_c12 = 2 omega x v_2."""
        return 2.0 * np.cross(self.omega, checks.vector(relative_velocity, "MovingFrame: relative velocity"))

    def absolute_acceleration(self, point: Any, relative_velocity: Any, relative_acceleration: Any) -> Array:
        """Return gamma_1 = gamma_r12 + gamma_c12 + gamma_2 of a particle."""
        gamma_2 = checks.vector(relative_acceleration, "MovingFrame: relative acceleration")
        return self.drive_acceleration(point) + self.coriolis_acceleration(relative_velocity) + gamma_2

    # ------------------------------------------------------------------------ wrenches of a body

    def drive_kinetic_wrench(self, body: Inertia) -> Wrench:
        """Return H_r12, so that H_1 = H_r12 + H_2: [Lerbet17] (44). ``body`` is given in frame 1, now."""
        return body.kinetic_wrench(self.twist)

    def drive_dynamic_wrench(self, body: Inertia) -> Wrench:
        """Return K_r12, the dynamic wrench of the body if it were fixed to 2: [Lerbet17] (45)."""
        return body.dynamic_wrench(self.drive_acceleration(body.com), self.omega, self.alpha)

    def coriolis_dynamic_wrench(self, body: Inertia, relative: Twist) -> Wrench:
        """Return K_c12, from the velocity field seen by 2: [Lerbet17] (46)."""
        w, w_2, J = self.omega, relative.omega, body.central
        f = body.mass * self.coriolis_acceleration(relative.velocity_at(body.com))
        m_G = np.cross(w_2, J @ w) + np.cross(w, J @ w_2) + J @ np.cross(w, w_2)
        return Wrench(f, m_G + np.cross(body.com, f))

    def apparent_wrench(self, body: Inertia, relative: Twist) -> Wrench:
        """Return -(K_r12 + K_c12): what observer 2 must add to the forces to write K_2 = T_ext + ... (47)."""
        return -(self.drive_dynamic_wrench(body) + self.coriolis_dynamic_wrench(body, relative))


def _or_zero(value: Any, what: str) -> Array:
    return checks.vector(np.zeros(3) if value is None else value, f"MovingFrame: {what}")
