"""Where the places of a tree with elastic links are at one state, and how they move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.compile.seats import Seat
from cosserat.compile.tree import TreeData
from cosserat.lie.protocol import Array
from cosserat.results.composed import Posture
from cosserat.solve.relative import flexible_recursion
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.seat_motion import SeatMotion, moving_seat


class ElasticPosture(Posture):
    """A `Posture` whose places may sit on bodies that deform: each has a motion of its own."""

    def __init__(self, data: TreeData, seat_of: Callable[[Any], Seat], q: Array, v: Array, a: Array) -> None:
        self._data, self._seat_of, self._q = data, seat_of, q
        self._now = Motions(data).move(q, v)
        self._rates = data.parts(flexible_recursion.accelerations(self._now, a, np.zeros(6)))

    def _seat(self, place: Any) -> SeatMotion:
        return moving_seat(self._data, self._now, self._rates, self._seat_of(place), self._q)

    def frame(self, place: Any) -> Array:
        """Frame H (4, 4) of a place."""
        return self._seat(place).frame

    def _motion(self, place: Any) -> tuple[Array, Array, Array, Array, Array]:
        """Motion of the place itself: it is its own origin."""
        H, twist, rate = self._seat(place)
        R, zero = H[:3, :3], np.zeros(3)
        acceleration = rate[:3] + np.cross(twist[3:], twist[:3])
        return R @ twist[:3], R @ twist[3:], R @ acceleration, R @ rate[3:], zero

    def accelerations(self, place: Any) -> Array:
        """Acceleration and angular acceleration (6,) of a place, world axes."""
        _, _, acceleration, turning, _ = self._motion(place)
        return np.concatenate((acceleration, turning))
