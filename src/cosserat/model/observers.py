"""Observers: frames that move in a prescribed way, from which a motion can be looked at."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cosserat.errors import ArgumentError
from cosserat.lie import so3
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.records import Record, located, recorded

EARTH_RATE = 7.2921159e-5
"""Angular velocity of the Earth against the stars (rad/s)."""


class ObserverMotion(NamedTuple):
    """Motion of an observer over time, all vectors in world components."""

    rotation: Array  # (nt, 3, 3) columns are the observer's axes
    origin: Array  # (nt, 3)
    velocity: Array  # (nt, 3) of the origin
    acceleration: Array  # (nt, 3) of the origin
    omega: Array  # (nt, 3)
    alpha: Array  # (nt, 3) derivative of omega


class Observer(Record):
    """A frame that moves as prescribed, as functions of time with exact derivatives.

    Its origin is at ``origin(t)``; its axes are those of the world, turned by ``turns`` one after the other, each about
    an axis of the frame turned so far.

    Parameters
    ----------
    origin : (3,) or callable of t
        (m), in world coordinates; entries may be numbers, parameters, formulas in ``t`` or functions of t.
    turns : sequence of (axis, angle)
        Each an axis (3,) and an angle (rad), a number, formula in ``t`` or function of t. The first axis has world
        components, the second those of the frame turned by the first, and so on.

    Examples
    --------
    A turntable that makes 2 rad/s, and a ship that yaws and rolls while it sails:

    >>> table = Observer(turns=[((0, 0, 1), "2*t")])
    >>> ship = Observer(origin=("5*t", 0, 0), turns=[((0, 0, 1), "0.1*sin(t)"), ((1, 0, 0), "0.2*sin(1.5*t)")])
    >>> table.motion([0.5]).omega.tolist()
    [[0.0, 0.0, 2.0]]
    """

    word = "observer"

    @recorded
    def __init__(self, origin: Any = (0.0, 0.0, 0.0), turns: Any = ()) -> None:
        self.origin = VectorFunction(origin, "Observer: origin")
        if not isinstance(turns, (tuple, list)):
            raise ArgumentError("Observer", "turns", f"must be a list of (axis, angle) pairs, got {turns!r}")
        listed = []
        for k, turn in enumerate(turns):
            if not isinstance(turn, (tuple, list)) or len(turn) != 2:
                example = "((0, 0, 1), '2*t')"
                raise ArgumentError(
                    "Observer", "turns", f"entry {k} must be a pair (axis, angle) such as {example}, got {turn!r}"
                )
            axis = checks.unit("Observer", f"turns[{k}]: axis", turn[0])
            listed.append((axis, TimeFunction(turn[1], f"Observer: turns[{k}]: angle")))
        self.turns: tuple[tuple[Array, TimeFunction], ...] = tuple(listed)
        self._keep(origin=self.origin, turns=tuple((tuple(axis.tolist()), angle) for axis, angle in listed))

    @classmethod
    @located
    def earth(cls, latitude: float, rate: float = EARTH_RATE) -> Observer:
        """An observer on the turning Earth: x to the east, y to the north, z up.

        Parameters
        ----------
        latitude : float
            (rad), positive to the north.
        rate : float
            Angular velocity of the Earth (rad/s).
        """
        phi = checks.number("Observer.earth", "latitude", latitude)
        if abs(phi) > 0.5 * np.pi + 1e-12:
            raise ArgumentError("Observer.earth", "latitude", f"is {phi:g}; it is in rad, from -pi/2 to pi/2")
        rate = checks.number("Observer.earth", "rate", rate)
        return cls(turns=[((0.0, np.cos(phi), np.sin(phi)), f"{rate!r}*t")])

    def check(self) -> None:
        self.motion([0.0])

    def motion(self, t: Any) -> ObserverMotion:
        """Rotation, origin and their first two derivatives at the times `t` (nt,)."""
        try:
            t = np.atleast_1d(np.asarray(t, float))
        except (TypeError, ValueError):
            t = np.array([np.nan])
        if t.ndim != 1 or not np.isfinite(t).all():
            raise ArgumentError("Observer.motion", "t", "must be one or more finite times (s)")
        origin, velocity, acceleration = self.origin.jet(t)
        R = np.broadcast_to(np.eye(3), (t.size, 3, 3))
        omega = alpha = np.zeros((t.size, 3))
        for axis, angle in self.turns:
            value, rate, second = angle.jet(t)
            about = R @ axis  # this axis in world components: it moves with the turns before it
            alpha = alpha + second[:, None] * about + rate[:, None] * np.cross(omega, about)
            omega = omega + rate[:, None] * about
            R = R @ np.stack([so3.exp(v * axis) for v in value])
        return ObserverMotion(R, origin, velocity, acceleration, omega, alpha)
