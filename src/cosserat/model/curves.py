"""Reference lines of beams, with the frame of the section at each of their points.

The x axis of a frame is the tangent. With `up`, the z axis is as near to it as possible. Without, the first z axis is
as near to world z as possible (world y for a line that starts parallel to z) and is then carried along with the least
possible rotation: around the corners of a polyline by the smallest rotation between the tangents, along a curve by a
rotation-minimising frame (double reflection: Wang, Juettler, Zheng and Liu, ACM Trans. Graphics 27 (2008) 2).
"""

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError
from cosserat.lie import so3
from cosserat.lie.protocol import Array
from cosserat.model.functions import VectorFunction

PARALLEL = 1e-6  # sine of the angle below which two directions count as parallel
_CORNER = 0.1  # rad: a jump of the direction that is none of the curve's own turns
_GAUSS_X, _GAUSS_W = np.polynomial.legendre.leggauss(8)


class Line(ABC):
    """A reference line over s in [0, 1], made of smooth pieces."""

    pieces: tuple[tuple[float, float], ...]
    lengths: tuple[float, ...]

    @abstractmethod
    def frames(self, s: Array, piece: int) -> Array:
        """Section frames (m, 4, 4) at the parameters s (m,) of one piece."""

    def stations(self, s0: float, s1: float, fractions: Array) -> Array:
        """Parameters s that divide the line between s0 and s1, of one piece, into these fractions of its length."""
        return s0 + np.asarray(fractions) * (s1 - s0)

    def fractions(self, s0: Array, s1: Array, s: Array) -> Array:
        """The inverse of `stations`, for many ranges at once (n,) with s (n, m)."""
        return (s - s0[:, None]) / (s1 - s0)[:, None]

    @property
    def length(self) -> float:
        return float(sum(self.lengths))


class Polyline(Line):
    """Straight segments through points (n, 3); s is arc length over total length."""

    def __init__(self, item: str, points: Array, up: Array | None) -> None:
        edges = np.diff(points, axis=0)
        lengths = np.linalg.norm(edges, axis=1)
        short = lengths <= 1e-12 * max(1.0, float(np.abs(points).max()))
        if short.any():
            i = int(np.argmax(short))
            raise ArgumentError(item, "points", f"{i} and {i + 1} coincide at {points[i].tolist()}; remove one")
        self.points = points
        self.lengths = tuple(float(x) for x in lengths)
        corners = np.concatenate([[0.0], np.cumsum(lengths) / lengths.sum()])
        corners[-1] = 1.0
        self.pieces = tuple((float(a), float(b)) for a, b in pairwise(corners))
        tangents = edges / lengths[:, None]
        self._axes = [section_axes(tangents[0], up, item)]
        for x in tangents[1:]:
            self._axes.append(section_axes(x, up, item) if up is not None else _turned(self._axes[-1], x))

    def frames(self, s: Array, piece: int) -> Array:
        s0, s1 = self.pieces[piece]
        x = ((s - s0) / (s1 - s0))[:, None]
        H = np.zeros((s.size, 4, 4))
        H[:, :3, :3] = self._axes[piece]
        H[:, :3, 3] = (1.0 - x) * self.points[piece] + x * self.points[piece + 1]
        H[:, 3, 3] = 1.0
        return H


class Curve(Line):
    """A smooth curve given by a function of s; s is the function's own parameter."""

    pieces = ((0.0, 1.0),)

    def __init__(self, item: str, function: VectorFunction, up: Array | None, elements: int) -> None:
        self._function, self._up, self._item = function, up, item
        self._grid = np.linspace(0.0, 1.0, max(256, 8 * elements) + 1)
        points, tangents = self._points_and_tangents(self._grid)
        self._demand_smooth(tangents)
        h = self._grid[1]
        inside = (self._grid[:-1, None] + 0.5 * h * (1.0 + _GAUSS_X)).ravel()
        speeds = np.linalg.norm(function.jet(inside)[1], axis=1).reshape(-1, _GAUSS_X.size)
        self._arc = np.concatenate(([0.0], np.cumsum((speeds @ _GAUSS_W) * 0.5 * h)))
        self.lengths = (float(self._arc[-1]),)
        self._even = bool(np.ptp(speeds) <= 1e-12 * speeds.max())
        if up is None:
            axes = np.empty((self._grid.size, 3, 3))
            axes[0] = section_axes(tangents[0])
            for i in range(self._grid.size - 1):
                axes[i + 1] = _double_reflection(axes[i], points[i], points[i + 1], tangents[i + 1])
            self._axes, self._points = axes, points

    def stations(self, s0: float, s1: float, fractions: Array) -> Array:
        s = super().stations(s0, s1, fractions)
        if self._even:
            return s
        first, last = self._arc_at(np.array([s0, s1]))
        wanted = first + np.asarray(fractions) * (last - first)
        for _ in range(50):  # Newton, kept inside
            speed = np.linalg.norm(self._function.jet(s)[1], axis=1)
            step = (wanted - self._arc_at(s)) / speed
            s = np.clip(s + step, s0, s1)
            if np.abs(step).max() <= 1e-15:
                break
        return s

    def fractions(self, s0: Array, s1: Array, s: Array) -> Array:
        if self._even:
            return super().fractions(s0, s1, s)
        return super().fractions(self._arc_at(s0), self._arc_at(s1), self._arc_at(s.ravel()).reshape(s.shape))

    def _arc_at(self, s: Array) -> Array:
        """Length (m,) from the start of the curve."""
        k = np.minimum((s * (self._grid.size - 1)).astype(int), self._grid.size - 2)
        rest = s - self._grid[k]
        inside = self._grid[k, None] + 0.5 * rest[:, None] * (1.0 + _GAUSS_X)
        speeds = np.linalg.norm(self._function.jet(inside.ravel())[1], axis=1).reshape(inside.shape)
        return self._arc[k] + 0.5 * rest * (speeds @ _GAUSS_W)

    def _points_and_tangents(self, s: Array) -> tuple[Array, Array]:
        points, rates, _ = self._function.jet(s)
        speed = np.linalg.norm(rates, axis=1)
        slow = speed <= 1e-12 * max(1.0, float(np.abs(points).max()))
        if slow.any():
            raise ArgumentError(
                self._item, "curve", f"stands still at s = {s[int(np.argmax(slow))]:g}: its derivative is zero there; "
                "choose a parameter that moves along it"
            )  # fmt: skip
        return points, rates / speed[:, None]

    def _demand_smooth(self, tangents: Array) -> None:
        """Raise if the direction jumps: an element would be bent around the corner."""
        turns = np.linalg.norm(np.diff(tangents, axis=0), axis=1) > _CORNER
        left, right = self._grid[:-1][turns], self._grid[1:][turns]
        for _ in range(40):  # halvings, towards the larger turn
            if not left.size:
                return
            middle = 0.5 * (left + right)
            a, b, c = (self._points_and_tangents(s)[1] for s in (left, middle, right))
            first = np.linalg.norm(b - a, axis=1) > np.linalg.norm(c - b, axis=1)
            stays = np.linalg.norm(c - a, axis=1) > _CORNER
            left, right = np.where(first, left, middle)[stays], np.where(first, middle, right)[stays]
        raise ArgumentError(
            self._item, "curve", f"has a corner at s = {right[0]:.6g}; give points= of a beam with corners, or a beam "
            "for each side, with a Fixed joint between them"
        )  # fmt: skip

    def frames(self, s: Array, piece: int) -> Array:
        points, tangents = self._points_and_tangents(s)
        H = np.zeros((s.size, 4, 4))
        H[:, :3, 3] = points
        H[:, 3, 3] = 1.0
        for i in range(s.size):
            if self._up is not None:
                H[i, :3, :3] = section_axes(tangents[i], self._up, self._item)
            else:
                k = min(int(s[i] * (self._grid.size - 1) + 0.5), self._grid.size - 1)
                H[i, :3, :3] = _double_reflection(self._axes[k], self._points[k], points[i], tangents[i])
        return H


def section_axes(x: Array, up: Array | None = None, item: str = "beam") -> Array:
    """A rotation whose first column is the unit vector x and whose third is as near to `up` as possible.

    Without `up`: world z, or world y if x is parallel to z.
    """
    if up is None:
        up = np.array([0.0, 0.0, 1.0])
        if np.linalg.norm(np.cross(x, up)) < PARALLEL:
            up = np.array([0.0, 1.0, 0.0])
    elif np.linalg.norm(np.cross(x, up)) < PARALLEL * np.linalg.norm(up):
        raise ArgumentError(item, "up", f"{up.tolist()} is parallel to the beam; choose a direction across it")
    return _orthonormal(x, up)


def _turned(axes: Array, x: Array) -> Array:
    """The axes turned by the smallest rotation that takes their first column to x (a half turn keeps z)."""
    a = axes[:, 0]
    cosine = float(a @ x)
    if cosine < -1.0 + 1e-12:
        return np.stack([x, -axes[:, 1], axes[:, 2]], axis=1)
    K = so3.hat(np.cross(a, x))
    return _orthonormal(x, ((np.eye(3) + K + K @ K / (1.0 + cosine)) @ axes)[:, 2])


def _double_reflection(axes: Array, from_point: Array, to_point: Array, tangent: Array) -> Array:
    """The rotation-minimising frame one step further: reflect in the bisecting plane of the points, then in that of
    the tangents."""
    step = to_point - from_point
    c1 = float(step @ step)
    if c1 == 0.0:
        return axes
    z = axes[:, 2] - (2.0 / c1) * (step @ axes[:, 2]) * step
    t = axes[:, 0] - (2.0 / c1) * (step @ axes[:, 0]) * step
    turn = tangent - t
    c2 = float(turn @ turn)
    if c2 > 0.0:
        z = z - (2.0 / c2) * (turn @ z) * turn
    return _orthonormal(tangent, z)


def _orthonormal(x: Array, z: Any) -> Array:
    z = z - (z @ x) * x
    z = z / np.linalg.norm(z)
    return np.stack([x, np.cross(z, x), z], axis=1)
