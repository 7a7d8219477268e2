"""Where the places of a tree are at one state, and how they move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.compile.seats import Seat
from cosserat.lie import se3
from cosserat.lie.protocol import Array


class Posture:
    """Frames, velocities and accelerations of places at one state of a model in relative coordinates.

    Made by `forward_kinematics`. Components are in world axes. Places are given as in `Run`.
    """

    def __init__(self, frames: Array, motions: Array, seat_of: Callable[[Any], Seat]) -> None:
        self._frames, self._motions, self._seat_of = frames, motions, seat_of

    def frame(self, place: Any) -> Array:
        """Frame H (4, 4) of a place."""
        seat = self._seat_of(place)
        return seat.frame if seat.link < 0 else self._link(seat.link) @ seat.frame

    def position(self, place: Any) -> Array:
        """Position (3,)."""
        return self.frame(place)[:3, 3]

    def rotation(self, place: Any) -> Array:
        """Orientation (3, 3): the place's axes in columns."""
        return self.frame(place)[:3, :3]

    def velocity(self, place: Any) -> Array:
        """Velocity (3,)."""
        v, omega, _, _, r = self._motion(place)
        return v + np.cross(omega, r)

    def angular_velocity(self, place: Any) -> Array:
        """Angular velocity (3,)."""
        return self._motion(place)[1]

    def acceleration(self, place: Any) -> Array:
        """Acceleration (3,)."""
        _, omega, a, alpha, r = self._motion(place)
        return a + np.cross(alpha, r) + np.cross(omega, np.cross(omega, r))

    def angular_acceleration(self, place: Any) -> Array:
        """Angular acceleration (3,)."""
        return self._motion(place)[3]

    def _link(self, link: int) -> Array:
        return se3.frame(self._frames[link, :9].reshape(3, 3), self._frames[link, 9:])

    def _motion(self, place: Any) -> tuple[Array, Array, Array, Array, Array]:
        """Motion of the link, and the place as seen from the link's origin."""
        seat = self._seat_of(place)
        if seat.link < 0:
            zero = np.zeros(3)
            return zero, zero, zero, zero, zero
        v, omega, a, alpha = self._motions[seat.link].copy()
        return v, omega, a, alpha, self._link(seat.link)[:3, :3] @ seat.frame[:3, 3]
