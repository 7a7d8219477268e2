"""Inertia of rigid bodies: mass, centre of mass, inertia operator, the wrenches they make, and change of observer.

An observer 2 moves with respect to an observer 1. Whatever 1 sees is what 2 sees plus what the motion of 2 itself
drives along, and for accelerations the Coriolis part: [Lerbet17] section 6.
"""

from typing import Any

import numpy as np

from cosserat.calls import answering
from cosserat.errors import GeometryError
from cosserat.lie import checks, se3, so3
from cosserat.lie.frame import Frame
from cosserat.lie.pairs import Immutable
from cosserat.lie.protocol import Array
from cosserat.lie.twist import Twist, Wrench

_TOLERANCE = 1e-9  # relative; an inertia given with 9 digits or more must pass


@answering
class Inertia(Immutable):
    """Mass distribution of a rigid body, in a frame: the ten numbers of [Lerbet17] 3.2. Immutable.

    Parameters
    ----------
    mass : float
        Mass, kg, above zero.
    com : (3,) array, optional
        Centre of mass G in the frame, m. Default: the origin.
    central : (3, 3) array, optional
        Inertia operator about G, in components along the frame, kg m^2: symmetric, with principal moments
        that are not negative and of which none exceeds the sum of the two others. Default: zero, a particle.
    name : str, optional
        Used in error messages.

    Examples
    --------
    >>> from cosserat.lie import Inertia
    >>> body = Inertia(2.0, com=(1, 0, 0), central=np.diag([1.0, 2.0, 2.0]))
    >>> np.diag(body.about((0, 0, 0)))
    array([1., 4., 4.])
    """

    __slots__ = ("central", "com", "mass")

    mass: float
    com: Array
    central: Array

    def __init__(self, mass: float, com: Any = None, central: Any = None, name: str = "Inertia") -> None:
        self._take(
            mass=checks.positive(mass, f"{name}: mass"),
            com=checks.vector(np.zeros(3) if com is None else com, f"{name}: com"),
            central=_checked(np.zeros((3, 3)) if central is None else central, name),
        )

    @classmethod
    def from_points(cls, masses: Any, points: Any) -> "Inertia":
        """Make the inertia of particles: masses (n,) at points (n, 3), by (12)-(17) of [Lerbet17]."""
        w, x = np.asarray(masses, dtype=float), np.asarray(points, dtype=float)
        mass = float(np.sum(w))
        com = w @ x / checks.positive(mass, "Inertia.from_points: total mass")
        r = x - com
        central = np.sum(w * np.sum(r * r, axis=1)) * np.eye(3) - np.einsum("n,ni,nj->ij", w, r, r)
        return cls(mass, com, central)

    def about(self, point: Any) -> Array:
        """Return the inertia operator about a point of the frame, (3, 3): Huygens [Lerbet17] (18)-(21)."""
        r = so3.hat(checks.vector(point, "Inertia: point") - self.com)
        return self.central - self.mass * (r @ r)

    def carried_by(self, frame: Frame) -> "Inertia":
        """Return this inertia, given in b = H_ab, in the frame a: the body moved by the frame."""
        R = frame.rotation
        I_a = R @ self.central @ R.T
        return Inertia(self.mass, frame.point(self.com), 0.5 * (I_a + I_a.T))

    def seen_from(self, frame: Frame) -> "Inertia":
        """Return this inertia, given in a, in the frame b = H_ab."""
        return self.carried_by(frame.inverse())

    def __add__(self, other: "Inertia") -> "Inertia":
        """Join two bodies rigidly."""
        if not isinstance(other, Inertia):
            return NotImplemented
        mass = self.mass + other.mass
        com = (self.mass * self.com + other.mass * other.com) / mass
        return Inertia(mass, com, self.about(com) + other.about(com))

    def principal(self) -> tuple[Array, Array]:
        """Return (moments (3,) ascending, rotation (3, 3) whose columns are the principal axes)."""
        moments, axes = np.linalg.eigh(self.central)
        if np.linalg.det(axes) < 0.0:
            axes[:, 2] = -axes[:, 2]
        return moments, axes

    def mass_matrix(self) -> Array:
        """Return the 6x6 matrix M at the frame's origin: momentum (p, l) = M (v, omega)."""
        c = self.mass * so3.hat(self.com)
        M = np.zeros((6, 6))
        M[:3, :3] = self.mass * np.eye(3)
        M[:3, 3:] = -c
        M[3:, :3] = c
        M[3:, 3:] = self.about(np.zeros(3))
        return M

    def kinetic_energy(self, twist: Twist) -> float:
        """Return the kinetic energy, J: [Lerbet17] (26)-(27)."""
        v = twist.velocity_at(self.com)
        return 0.5 * (self.mass * float(v @ v) + float(twist.omega @ self.central @ twist.omega))

    def kinetic_wrench(self, twist: Twist) -> Wrench:
        """Return the momentum: m V(G) and the angular momentum about the frame's origin [Lerbet17] (22)-(25).

        The frame's origin may move or not: `Wrench.moment_at` gives (23), (24) and (25) at its points.
        """
        p = self.mass * twist.velocity_at(self.com)
        return Wrench(p, self.central @ twist.omega + np.cross(self.com, p))

    def dynamic_wrench(self, acceleration: Any, omega: Any, alpha: Any) -> Wrench:
        """Return the dynamic wrench m Gamma(G), moment about the frame's origin: [Lerbet17] (28)-(32).

        Parameters
        ----------
        acceleration : (3,) array
            Acceleration of the centre of mass, m/s^2.
        omega, alpha : (3,) array
            Angular velocity, rad/s, and its derivative in the observer's basis, rad/s^2.
        """
        omega = checks.vector(omega, "Inertia: omega")
        f = self.mass * checks.vector(acceleration, "Inertia: acceleration")
        m_G = self.central @ checks.vector(alpha, "Inertia: alpha") + np.cross(omega, self.central @ omega)
        return Wrench(f, m_G + np.cross(self.com, f))

    def newton_euler(self, twist: Twist, rate: Twist) -> Wrench:
        """Return M eta_dot - ad(eta)^T M eta in the body frame: the wrench that makes this motion.

        Source: [Lerbet17] (37)-(38), [Grazioso17] (7). ``twist`` and ``rate`` are material: this inertia must
        be given in a frame fixed to the body.
        """
        M = self.mass_matrix()
        return Wrench.from_array(M @ rate.array - se3.coadjoint(twist.array) @ (M @ twist.array))

    def isclose(self, other: "Inertia", tolerance: float = 1e-12) -> bool:
        """Say whether mass, centre and operator differ by at most ``tolerance``."""
        a = np.concatenate(([self.mass], self.com, self.central.ravel()))
        b = np.concatenate(([other.mass], other.com, other.central.ravel()))
        return bool(np.max(np.abs(a - b)) <= tolerance)

    def __repr__(self) -> str:
        return f"Inertia({self.mass!r}, com={self.com.tolist()}, central={self.central.tolist()})"


def _checked(central: Any, name: str) -> Array:
    """Return the operator, symmetric and possible for a body of positive density, or raise."""
    J = checks.matrix(central, f"{name}: central inertia", (3, 3))
    scale = float(np.max(np.abs(J)))
    if np.max(np.abs(J - J.T)) > _TOLERANCE * scale:
        raise GeometryError(f"{name}: central inertia is not symmetric; pass J with J^T = J")
    a, b, c = np.linalg.eigvalsh(J)
    if a < -_TOLERANCE * scale:
        raise GeometryError(
            f"{name}: principal moment {a:.6g} is negative; products of inertia enter with a minus sign, "
            "-integral(x y dm)"
        )
    if c > (a + b) + _TOLERANCE * scale:
        raise GeometryError(
            f"{name}: principal moments {a:.6g}, {b:.6g}, {c:.6g} break the triangle inequality; "
            "no body has one moment above the sum of the others: check units and the point they refer to"
        )
    J = 0.5 * (J + J.T)
    J.flags.writeable = False
    return J


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
