"""Momentum and co-momentum tensors of the affine group GA(d), affine frames, co-frames [deSaxce26] sections 3-5, 9.1.

A co-momentum assigns to each point V its velocity Upsilon + K V; a momentum (Pi, L) is its dual. Both may be valued in
the vectors over p parameters (time and arc length of a beam, say): arrays then have a leading axis of length p.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cosserat.calls import answering
from cosserat.errors import GeometryError
from cosserat.lie import checks, so3
from cosserat.lie.affine import AffineForm, FrameChange, Point
from cosserat.lie.protocol import Array
from cosserat.lie.twist import Twist, Wrench


@answering
class AffineFrame:
    """An affine frame (a_0, e_1 ... e_d) as a map from components to points [deSaxce26] section 5.

    Parameters
    ----------
    origin : (d,) array
        a_0 in the reference frame.
    basis : (d, d) array
        Columns e_1 ... e_d in the reference frame.

    Examples
    --------
    >>> from cosserat.lie import AffineFrame
    >>> frame = AffineFrame((1, 0), [[0, -1], [1, 0]])
    >>> frame.point((2, 0)).V.tolist()
    [1.0, 2.0]
    >>> bool(np.allclose(frame.coframe @ frame.matrix, np.eye(3)))
    True
    """

    def __init__(self, origin: Any, basis: Any) -> None:
        self._change = FrameChange(origin, basis)
        self.origin, self.basis = self._change.C, self._change.P

    @property
    def matrix(self) -> Array:
        """f = [[1, 0], [a_0, e]], (d+1, d+1)."""
        return self._change.matrix

    @property
    def coframe(self) -> Array:
        """f* with f* f = 1: its rows are the affine forms 1, e^1 ... e^d."""
        return self._change.inverse().matrix

    @property
    def is_euclidean(self) -> bool:
        """Whether the basis is orthonormal."""
        return bool(np.max(np.abs(self.basis.T @ self.basis - np.eye(len(self.origin)))) < 1e-12)

    def point(self, V: Any) -> Point:
        """Return the point with components V in this frame, in the reference frame."""
        return Point(self.origin + self.basis @ np.asarray(V, dtype=float))

    def components(self, point: Point) -> Array:
        """Return the components of a point in this frame, (d,)."""
        return point.seen_from(self._change).V

    def form(self, index: int) -> AffineForm:
        """Return an affine form of the co-frame: 0 is the constant 1, then e^1 ... e^d."""
        row = self.coframe[index]
        return AffineForm(row[0], row[1:])

    def change_to(self, other: AffineFrame) -> FrameChange:
        """Return the change (C, P) from this frame to another one."""
        return self._change.inverse() @ other._change


@answering
class CoMomentum:
    """A co-momentum (Upsilon, K), an element of the Lie algebra of GA(d) [deSaxce26] (17)-(22).

    Parameters
    ----------
    upsilon : (d,) or (p, d) array
        Velocity of the origin; with a leading axis, one per parameter.
    K : (d, d) or (p, d, d) array
        Gradient of the velocity; Euclidean if skew.
    """

    def __init__(self, upsilon: Any, K: Any) -> None:
        self.upsilon, self.K = _pair("CoMomentum", "upsilon", upsilon, "K", K)

    @classmethod
    def of(cls, twist: Twist) -> CoMomentum:
        """Make the Euclidean co-momentum of a twist: Upsilon = v, K = hat(omega)."""
        return cls(twist.v, so3.hat(twist.omega))

    def __call__(self, point: Point) -> Array:
        """Return the velocity of a point, Upsilon + K V (22)."""
        return np.asarray(self.upsilon + self.K @ point.V)

    def seen_from(self, change: FrameChange) -> CoMomentum:
        """Return the components in the new frame: Ad of the inverse change (21), (24)."""
        inverse = np.linalg.inv(change.P)
        return CoMomentum((self.upsilon + self.K @ change.C) @ inverse.T, inverse @ self.K @ change.P)

    @property
    def is_euclidean(self) -> bool:
        """Whether K is skew."""
        return bool(np.max(np.abs(self.K + np.swapaxes(self.K, -1, -2))) <= 1e-12 * max(1.0, np.abs(self.K).max()))

    @property
    def twist(self) -> Twist:
        """The twist of a Euclidean co-momentum of space."""
        if self.K.shape != (3, 3) or not self.is_euclidean:
            raise GeometryError("CoMomentum.twist: needs d = 3, one parameter and a skew K")
        return Twist(self.upsilon, so3.vee(self.K))


@answering
class Momentum:
    """A momentum (Pi, L), dual to the co-momenta of GA(d) [deSaxce26] (26)-(34).

    The pairing is Pi Upsilon + Tr(L K), invariant with Pi = Pi' P^-1 and L = P L' P^-1 + C Pi' P^-1. In the Euclidean
    case only the skew part of L works; (32) writes the pairing as Pi Upsilon - Tr(L_e K)/2, so that L_e = L^T - L, and
    with it (33) has the opposite sign of the printed one: see `euclidean`.

    Parameters
    ----------
    Pi : (d,) or (p, d) array
        Linear momentum; with a leading axis, one per parameter.
    L : (d, d) or (p, d, d) array
        Angular momentum.

    Examples
    --------
    >>> from cosserat.lie import CoMomentum, FrameChange, Momentum
    >>> mu, theta = Momentum((1, 2), [[0, 1], [3, 0]]), CoMomentum((1, 0), [[1, 2], [0, 1]])
    >>> change = FrameChange((1, -1), [[2, 1], [0, 1]])
    >>> mu.pair(theta), round(mu.seen_from(change).pair(theta.seen_from(change)), 12)
    (7.0, 7.0)
    """

    def __init__(self, Pi: Any, L: Any) -> None:
        self.Pi, self.L = _pair("Momentum", "Pi", Pi, "L", L)

    @classmethod
    def of(cls, wrench: Wrench) -> Momentum:
        """Make the momentum of a wrench (f, m): Pi = f, and L = -hat(m)/2, so that L_e = hat(m)."""
        return cls(wrench.f, -0.5 * so3.hat(wrench.m))

    def pair(self, theta: CoMomentum) -> float:
        """Return the duality product Pi Upsilon + Tr(L K), summed over the parameters: the same in every frame."""
        if self.Pi.shape != theta.upsilon.shape:
            raise GeometryError(f"Momentum.pair: shapes {self.Pi.shape} and {theta.upsilon.shape} differ")
        return float(np.sum(self.Pi * theta.upsilon) + np.sum(self.L * np.swapaxes(theta.K, -1, -2)))

    def seen_from(self, change: FrameChange) -> Momentum:
        """Return the components in the new frame: Pi' = Pi P, L' = P^-1 (L - C Pi) P."""
        moved = self.L - change.C[:, None] * self.Pi[..., None, :]
        return Momentum(self.Pi @ change.P, np.linalg.inv(change.P) @ moved @ change.P)

    @property
    def euclidean(self) -> Array:
        """L_e = L^T - L, the skew matrix of (32): ``Pi Upsilon - Tr(L_e K)/2`` pairs with Euclidean co-momenta."""
        return np.swapaxes(self.L, -1, -2) - self.L

    @property
    def wrench(self) -> Wrench:
        """Force and moment of a momentum of space: f = Pi, hat(m) = L_e."""
        if self.L.shape != (3, 3):
            raise GeometryError("Momentum.wrench: needs d = 3 and one parameter")
        return Wrench(self.Pi, so3.vee(self.euclidean))


def _pair(kind: str, name: str, vector: Any, second: str, matrix: Any) -> tuple[Array, Array]:
    """Return both parts as finite arrays of matching shapes (..., d) and (..., d, d)."""
    v, M = (checks.numbers(x, f"{kind}: {name} or {second} is no array of numbers") for x in (vector, matrix))
    if v.ndim not in (1, 2) or M.shape != (*v.shape, v.shape[-1]):
        raise GeometryError(
            f"{kind}: {name} has shape {v.shape} and {second} {M.shape}; pass (d,) and (d, d), or (p, d) and (p, d, d)"
        )
    if not (np.all(np.isfinite(v)) and np.all(np.isfinite(M))):
        raise GeometryError(f"{kind}: has entries that are not finite")
    v.flags.writeable = M.flags.writeable = False
    return v, M
