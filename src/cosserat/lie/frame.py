"""Frames: a rotation and an origin, an element of SE(3) with its checks and a few verbs."""

from typing import Any

import numpy as np

from cosserat.calls import answering
from cosserat.errors import GeometryError
from cosserat.lie import checks, se3
from cosserat.lie.pairs import Immutable
from cosserat.lie.protocol import Array


@answering
class Frame(Immutable):
    """A Euclidean frame b seen from a frame a: ``H_ab``, an element of SE(3).

    Maps coordinates in b to coordinates in a, so that indices cancel: ``H_ac = H_ab @ H_bc``. Immutable.

    Parameters
    ----------
    rotation : (3, 3) array, optional
        Columns are the axes of b in components along a. Default: the unit matrix.
    origin : (3,) array, optional
        Origin of b in coordinates of a, in m. Default: zero.

    Examples
    --------
    >>> from cosserat.lie import Frame, rotations
    >>> H_ab = Frame(rotations.about_z(np.pi / 2), (1, 0, 0))
    >>> np.allclose(H_ab.point((2, 0, 0)), [1, 2, 0])
    True
    """

    __slots__ = ("origin", "rotation")

    rotation: Array
    origin: Array

    def __init__(self, rotation: Any = None, origin: Any = None) -> None:
        R = checks.rotation(np.eye(3) if rotation is None else rotation, "Frame: rotation")
        x = checks.vector(np.zeros(3) if origin is None else origin, "Frame: origin")
        self._take(rotation=R, origin=x)

    @classmethod
    def from_matrix(cls, H: Any) -> "Frame":
        """Make a frame from a 4x4 matrix [[R, x], [0, 1]]."""
        H = checks.matrix(H, "Frame: matrix", (4, 4))
        if not np.array_equal(H[3], [0.0, 0.0, 0.0, 1.0]):
            raise GeometryError(f"Frame: last row is {H[3].tolist()}; it must be [0, 0, 0, 1]")
        return cls(H[:3, :3], H[:3, 3])

    @classmethod
    def exp(cls, d: Any) -> "Frame":
        """Make the frame reached along the screw d = (u, w), (6,)."""
        return cls.from_matrix(se3.exp(checks.vector(d, "Frame.exp: screw (u, w)", 6)))

    @property
    def matrix(self) -> Array:
        """The 4x4 matrix [[R, x], [0, 1]]."""
        return se3.frame(self.rotation, self.origin)

    @property
    def adjoint(self) -> Array:
        """Ad(H), (6, 6): twists from b to a."""
        return se3.adjoint(self.matrix)

    def log(self) -> Array:
        """Return the screw d = (u, w), (6,), with exp(d) = H."""
        return se3.log(self.matrix)

    def inverse(self) -> "Frame":
        """Return H_ba."""
        return Frame(self.rotation.T, -self.rotation.T @ self.origin)

    def point(self, s: Any) -> Array:
        """Return coordinates in a of the point(s) with coordinates s, (3,) or (m, 3), in b."""
        return np.asarray(s, dtype=float) @ self.rotation.T + self.origin

    def vector(self, s: Any) -> Array:
        """Return components along a of the vector(s) with components s, (3,) or (m, 3), along b."""
        return np.asarray(s, dtype=float) @ self.rotation.T

    def isclose(self, other: "Frame", tolerance: float = 1e-12) -> bool:
        """Say whether all entries of the two matrices differ by at most ``tolerance``."""
        return bool(np.max(np.abs(self.matrix - other.matrix)) <= tolerance)

    def __matmul__(self, other: "Frame") -> "Frame":
        if not isinstance(other, Frame):
            return NotImplemented
        return Frame(self.rotation @ other.rotation, self.rotation @ other.origin + self.origin)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frame):
            return NotImplemented
        return bool(np.array_equal(self.matrix, other.matrix))

    def __hash__(self) -> int:
        return hash(self.matrix.tobytes())

    def __repr__(self) -> str:
        return f"Frame(rotation={self.rotation.tolist()}, origin={self.origin.tolist()})"
