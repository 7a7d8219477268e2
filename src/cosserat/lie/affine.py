"""Affine tensors: points, affine forms, torsors and co-torsors, with their laws of transformation.

Components are taken in an affine frame (an origin and a basis) of a space of any dimension d. A change of
affine frame from f to f' is a pair (C, P): column j of P holds the new basis vector j in the old basis, and C
the new origin in old coordinates [deSaxce26] (3), (10). Components are stored with one more dimension, as in
[deSaxce26] (11)-(12), which makes every law a product of matrices.

A rigid motion of the frame is the case P = R, C = x: see `FrameChange.of`. In the Euclidean case the torsor
is the wrench and the co-torsor the twist: see `Wrench.torsor` and `Twist.cotorsor`.
"""

from typing import Any

import numpy as np

from cosserat.calls import answering
from cosserat.errors import GeometryError
from cosserat.lie import checks
from cosserat.lie.frame import Frame
from cosserat.lie.protocol import Array


@answering
class FrameChange:
    """An element (C, P) of the affine group GA(d).

    Parameters
    ----------
    C : (d,) array
        New origin in old coordinates.
    P : (d, d) array, regular
        New basis vectors, as columns, in the old basis.

    Examples
    --------
    >>> from cosserat.lie import FrameChange, Point
    >>> move = FrameChange((1, 0), [[0, -1], [1, 0]])
    >>> np.allclose(Point((1, 2)).seen_from(move).V, (2, 0))
    True
    """

    def __init__(self, C: Any, P: Any) -> None:
        P = np.asarray(P, dtype=float)
        d = P.shape[0] if P.ndim == 2 else 0
        self.P = checks.matrix(P, "FrameChange: P", (d, d))
        self.C = checks.vector(C, "FrameChange: C", d)
        if d == 0 or np.linalg.matrix_rank(self.P) < d:
            raise GeometryError("FrameChange: P is singular; its columns must be a basis")

    @classmethod
    def of(cls, frame: Frame) -> "FrameChange":
        """Make the change from frame a to frame b = H_ab: C = x, P = R."""
        return cls(frame.origin, frame.rotation)

    @property
    def matrix(self) -> Array:
        """P~ = [[1, 0], [C, P]], (d+1, d+1) [deSaxce26] (11)."""
        d = len(self.C)
        M = np.zeros((d + 1, d + 1))
        M[0, 0] = 1.0
        M[1:, 0] = self.C
        M[1:, 1:] = self.P
        return M

    def inverse(self) -> "FrameChange":
        """Return the change back: (-P^-1 C, P^-1)."""
        P_inv = np.linalg.inv(self.P)
        return FrameChange(-P_inv @ self.C, P_inv)

    def __matmul__(self, other: "FrameChange") -> "FrameChange":
        """Change by self, then by other (whose components are in the frame reached by self)."""
        return FrameChange(self.C + self.P @ other.C, self.P @ other.P)


@answering
class Point:
    """A point, 1-contravariant: V~ = (1, V) [deSaxce26] (1).

    Parameters
    ----------
    V : (d,) array
        Coordinates.
    """

    def __init__(self, V: Any) -> None:
        self.V = checks.vector(V, "Point", np.size(V))

    @property
    def column(self) -> Array:
        """(1, V), (d+1,)."""
        return np.concatenate(([1.0], self.V))

    def seen_from(self, change: FrameChange) -> "Point":
        """Return the components in the new frame: V~' = P~^-1 V~ [deSaxce26] (13)."""
        return Point(np.linalg.solve(change.P, self.V - change.C))


@answering
class AffineForm:
    """An affine function of points, 1-covariant: Psi~ = (chi, Phi) [deSaxce26] (2).

    Parameters
    ----------
    chi : float
        Value at the origin.
    Phi : (d,) array
        Linear part.
    """

    def __init__(self, chi: float, Phi: Any) -> None:
        self.chi = float(chi)
        self.Phi = checks.vector(Phi, "AffineForm: Phi", np.size(Phi))

    @property
    def row(self) -> Array:
        """(chi, Phi), (d+1,)."""
        return np.concatenate(([self.chi], self.Phi))

    def __call__(self, point: Point) -> float:
        """Return the value at a point, the same in every frame."""
        return float(self.row @ point.column)

    def seen_from(self, change: FrameChange) -> "AffineForm":
        """Return the components in the new frame: Psi~' = Psi~ P~ [deSaxce26] (13)."""
        return AffineForm(self.chi + float(self.Phi @ change.C), self.Phi @ change.P)


@answering
class _Skew:
    """A skew bilinear function stored as a (d+1, d+1) matrix [[0, vector], [-vector, skew]]."""

    def __init__(self, vector: Any, skew: Any) -> None:
        name = type(self).__name__
        self._vector = checks.vector(vector, f"{name}: vector part", np.size(vector))
        d = len(self._vector)
        self._skew = checks.matrix(skew, f"{name}: skew part", (d, d))
        scale = max(1.0, float(np.max(np.abs(self._skew), initial=0.0)))
        if np.max(np.abs(self._skew + self._skew.T), initial=0.0) > 1e-10 * scale:
            raise GeometryError(f"{name}: the second part is not skew-symmetric; pass J with J^T = -J")

    @property
    def matrix(self) -> Array:
        """The (d+1, d+1) skew matrix of components."""
        d = len(self._vector)
        M = np.zeros((d + 1, d + 1))
        M[0, 1:] = self._vector
        M[1:, 0] = -self._vector
        M[1:, 1:] = self._skew
        return M


class Torsor(_Skew):
    """A skew bilinear function of affine forms, 2-contravariant.

    Parameters
    ----------
    T : (d,) array
        tau(1, e^alpha).
    J : (d, d) skew array
        tau(e^alpha, e^beta).
    """

    @property
    def T(self) -> Array:
        """Linear part, (d,)."""
        return self._vector

    @property
    def J(self) -> Array:
        """Skew part, (d, d)."""
        return self._skew

    def __call__(self, a: AffineForm, b: AffineForm) -> float:
        """Return tau(a, b) = -tau(b, a), the same in every frame."""
        return float(a.row @ self.matrix @ b.row)

    def seen_from(self, change: FrameChange) -> "Torsor":
        """Return the components in the new frame: tau' = P~^-1 tau P~^-T."""
        P_inv = change.inverse().matrix
        M = P_inv @ self.matrix @ P_inv.T
        return Torsor(M[0, 1:], 0.5 * (M[1:, 1:] - M[1:, 1:].T))

    def pair(self, other: "CoTorsor") -> float:
        """Return the duality product, half the sum of products of components: invariant."""
        return 0.5 * float(np.sum(self.matrix * other.matrix))


class CoTorsor(_Skew):
    """A skew bi-affine function of points, 2-covariant.

    Parameters
    ----------
    upsilon : (d,) array
        gamma(origin, e_alpha).
    K : (d, d) skew array
        gamma(e_alpha, e_beta).
    """

    @property
    def upsilon(self) -> Array:
        """Linear part, (d,)."""
        return self._vector

    @property
    def K(self) -> Array:
        """Skew part, (d, d)."""
        return self._skew

    def __call__(self, a: Point, b: Point) -> float:
        """Return gamma(a, b) = -gamma(b, a), the same in every frame."""
        return float(a.column @ self.matrix @ b.column)

    def seen_from(self, change: FrameChange) -> "CoTorsor":
        """Return the components in the new frame: gamma' = P~^T gamma P~."""
        M = change.matrix.T @ self.matrix @ change.matrix
        return CoTorsor(M[0, 1:], 0.5 * (M[1:, 1:] - M[1:, 1:].T))
