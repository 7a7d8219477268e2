"""Wrenches: Euclidean momentum tensors, dual to twists: forces, momenta, internal forces."""

from typing import Any

import numpy as np

from cosserat.calls import answering
from cosserat.lie import checks, so3
from cosserat.lie.affine import Torsor
from cosserat.lie.frame import Frame
from cosserat.lie.pairs import Pair
from cosserat.lie.protocol import Array
from cosserat.lie.twist import Twist


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
