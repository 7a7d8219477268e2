"""Twists: Euclidean co-momentum tensors, the velocity fields of rigid bodies."""

from typing import Any

import numpy as np

from cosserat.calls import answering
from cosserat.lie import checks, se3, so3
from cosserat.lie.affine import CoTorsor
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
