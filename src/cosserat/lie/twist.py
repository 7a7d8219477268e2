"""Twists and wrenches: Euclidean co-momentum tensors, the velocity fields of rigid bodies, and their duals.

Wrenches are Euclidean momentum tensors: forces, momenta, internal forces.
"""

from typing import Any

import numpy as np

from cosserat.calls import answering
from cosserat.lie import checks, se3, so3
from cosserat.lie.affine import CoTorsor, Torsor
from cosserat.lie.frame import Frame
from cosserat.lie.pairs import Pair
from cosserat.lie.protocol import Array


@answering
class Twist(Pair):
    """A co-momentum tensor: the velocity field of a rigid motion, by its components in a frame.

    Immutable; a vector space (``+``, ``-``, ``*`` by numbers), with the Lie bracket as `bracket`.

    Parameters
    ----------
    v : (3,) array
        Velocity of the point at the frame's origin, in components along the frame, m/s.
    omega : (3,) array
        Angular velocity, rad/s.

    Examples
    --------
    >>> from cosserat.lie import Twist
    >>> spin = Twist((0, 0, 0), (0, 0, 2))
    >>> spin.velocity_at((1, 0, 0))
    array([0., 2., 0.])
    """

    __slots__ = ("omega", "v")
    _PARTS = ("v", "omega")

    v: Array
    omega: Array

    def __init__(self, v: Any, omega: Any) -> None:
        super().__init__(v, omega)

    @classmethod
    def from_array(cls, eta: Any) -> "Twist":
        """Make a twist from (v, omega), (6,)."""
        return cls._from_array(eta)

    @classmethod
    def from_velocity(cls, velocity: Any, omega: Any, at: Any) -> "Twist":
        """Make the twist of a body whose point ``at`` has this velocity."""
        velocity = checks.vector(velocity, "Twist: velocity")
        omega = checks.vector(omega, "Twist: omega")
        return cls(velocity - np.cross(omega, checks.vector(at, "Twist: at")), omega)

    @classmethod
    def material(cls, H: Any, H_dot: Any) -> "Twist":
        """Make the body twist H^-1 H_dot of a motion: left Maurer-Cartan form [deSaxce26] (42), (44)."""
        H, H_dot = np.asarray(H, dtype=float), np.asarray(H_dot, dtype=float)
        return cls.from_array(se3.vee(se3.inverse(H) @ H_dot))

    @classmethod
    def spatial(cls, H: Any, H_dot: Any) -> "Twist":
        """Make the spatial twist H_dot H^-1 of a motion: right Maurer-Cartan form [deSaxce26] (39), (40)."""
        H, H_dot = np.asarray(H, dtype=float), np.asarray(H_dot, dtype=float)
        return cls.from_array(se3.vee(H_dot @ se3.inverse(H)))

    @property
    def matrix(self) -> Array:
        """theta = (Upsilon K), (3, 4), with Upsilon = v and K = hat(omega) [deSaxce26] (19)."""
        return np.column_stack((self.v, so3.hat(self.omega)))

    def velocity_at(self, point: Any) -> Array:
        """Return the velocity v + omega x point at a point: [deSaxce26] (22), [Lerbet17] (2), (10)."""
        return self.v + np.cross(self.omega, checks.vector(point, "Twist: point"))

    def carried_by(self, frame: Frame) -> "Twist":
        """Return the components in a of this twist given in b = H_ab.

        Source: [deSaxce26] (21), (24): theta = Ad(g) theta', g = (x, R).
        """
        R, x = frame.rotation, frame.origin
        omega = R @ self.omega
        return Twist(R @ self.v - np.cross(omega, x), omega)

    def bracket(self, other: "Twist") -> "Twist":
        """Return the Lie bracket [self, other] = ad(self) other [Lerbet17] (3)."""
        v = np.cross(self.omega, other.v) - np.cross(other.omega, self.v)
        return Twist(v, np.cross(self.omega, other.omega))

    def cotorsor(self) -> CoTorsor:
        """Return the twist as a co-torsor: upsilon = v, K = -hat(omega)."""
        return CoTorsor(self.v, -so3.hat(self.omega))


def comoment(X: Twist, Y: Twist) -> float:
    """Return [X | Y] = omega_X . Y(M) + omega_Y . X(M), the same for every point M [Lerbet17] 1.9.

    A symmetric form on velocity fields, not a scalar product. A wrench is the form [X_T | .] of its moment
    field X_T (`Wrench.moment_field`).
    """
    return float(X.omega @ Y.v + Y.omega @ X.v)


@answering
class Wrench(Pair):
    """A momentum tensor: a force and a moment, by its components in a frame.

    Immutable; a vector space (``+``, ``-``, ``*`` by numbers), dual to twists through `power`.

    Parameters
    ----------
    f : (3,) array
        Force (or linear momentum) in components along the frame, N.
    m : (3,) array
        Moment (or angular momentum) about the frame's origin, N m.

    Examples
    --------
    >>> from cosserat.lie import Wrench
    >>> Wrench.force((0, 0, -10), at=(2, 0, 0)).moment_at((2, 0, 1)).tolist()
    [0.0, 0.0, 0.0]
    """

    __slots__ = ("f", "m")
    _PARTS = ("f", "m")

    f: Array
    m: Array

    def __init__(self, f: Any, m: Any) -> None:
        super().__init__(f, m)

    @classmethod
    def from_array(cls, mu: Any) -> "Wrench":
        """Make a wrench from (f, m), (6,)."""
        return cls._from_array(mu)

    @classmethod
    def force(cls, f: Any, at: Any = (0.0, 0.0, 0.0)) -> "Wrench":
        """Make a simple force f passing by the point ``at`` [Lerbet17] 1.9."""
        f = checks.vector(f, "Wrench: force")
        return cls(f, np.cross(checks.vector(at, "Wrench: point of application"), f))

    @classmethod
    def torque(cls, c: Any) -> "Wrench":
        """Make a torque: the same moment at every point, no force [Lerbet17] 1.9."""
        return cls(np.zeros(3), c)

    @property
    def matrix(self) -> Array:
        """mu = (Pi, L), (4, 3), with Pi = f^T and L = hat(m) [deSaxce26] (30), (45)."""
        return np.vstack((self.f, so3.hat(self.m)))

    def moment_at(self, point: Any) -> Array:
        """Return the moment m + f x point about a point of the frame."""
        return self.m + np.cross(self.f, checks.vector(point, "Wrench: point"))

    def moment_field(self) -> Twist:
        """Return the field M -> moment about M: a skew-symmetric field with omega = f, value m at 0."""
        return Twist(self.m, self.f)

    def power(self, twist: Twist) -> float:
        """Return f . v + m . omega, the duality product Pi Upsilon - Tr(L K)/2 [deSaxce26] (32)."""
        return float(self.f @ twist.v + self.m @ twist.omega)

    def carried_by(self, frame: Frame) -> "Wrench":
        """Return the components in a of this wrench given in b = H_ab: f = R f', m = R m' + x x f.

        Source: [deSaxce26] (33)-(34), mu = Ad*(g) mu', the law that keeps `power` invariant.
        Differs: the orbital part of L is hat(x x f) = f x^T - x f^T; (33) prints the opposite sign, against
        its own (21), (32) and (41).
        """
        f = frame.rotation @ self.f
        return Wrench(f, frame.rotation @ self.m + np.cross(frame.origin, f))

    def torsor(self) -> Torsor:
        """Return the wrench as a torsor: T = f, J = -hat(m)."""
        return Torsor(self.f, -so3.hat(self.m))
