"""Observers: frames that move in a prescribed way, from which a motion can be looked at.

Laws follow the motion of the frame in which a model is described as numbers in time, all in the frame's own axes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cosserat.errors import ArgumentError
from cosserat.lie import so3
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.functions import Sampled, TimeFunction, VectorFunction
from cosserat.model.parameters import Parameter
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

    word = "Observer"

    @recorded
    def __init__(self, origin: Any = (0.0, 0.0, 0.0), turns: Any = ()) -> None:
        self.origin = VectorFunction(origin, "Observer: origin")
        if not isinstance(turns, (tuple, list)):
            raise self._wrong("turns", f"must be a list of (axis, angle) pairs, got {turns!r}")
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


_LINEAR = re.compile(r"\s*[-+]?[0-9.]+(e[-+]?[0-9]+)?\s*\*\s*t\s*", re.IGNORECASE)


def _motion(frame: Observer, t: Array) -> ObserverMotion:
    """Its motion at times, kept until others are asked for."""
    kept = frame.__dict__.get("_sampled")
    if kept is None or kept[0] != Parameter.changes or not np.array_equal(kept[1], t):
        kept = (Parameter.changes, t.copy(), frame.motion(t))
        frame.__dict__["_sampled"] = kept
    return kept[2]


def _signals(
    frame: Observer, name: str, vector: Callable[[ObserverMotion], Array], mark: tuple[float, ...] = ()
) -> dict[str, Sampled]:
    """Components of a vector (nt, 3) of world axes, given along the frame's axes."""

    def component(i: int) -> Callable[[Array], Array]:
        def values(t: Array) -> Array:
            motion = _motion(frame, t)
            return np.einsum("tj,tj->t", motion.rotation[:, :, i], vector(motion))

        return values

    return {
        f"{name}{axis}": Sampled(component(i), (id(frame), name, i, *mark), f"frame: {name}{axis}")
        for i, axis in enumerate("xyz")
    }


def frame_signals(frame: Observer) -> dict[str, Sampled]:
    """Acceleration of the origin (a), angular velocity (o) and angular acceleration (l) of the frame."""
    return (
        _signals(frame, "a", lambda motion: motion.acceleration)
        | _signals(frame, "o", lambda motion: motion.omega)
        | _signals(frame, "l", lambda motion: motion.alpha)
    )


def steady_spin(frame: Observer) -> Array | None:
    """Angular velocity (3,), in its own axes, of a frame that turns steadily about an axis at rest through its origin.

    None for any other frame, and for one of which that is not plain: an origin that is not given by numbers, several
    turns, an angle that is no formula such as '2*t'. Signals say all of these, too.
    """
    if not all(part.is_constant for part in frame.origin.components) or frame.origin.callable is not None:
        return None
    turns = [(axis, angle) for axis, angle in frame.turns if not angle.is_constant]
    if len(turns) != 1 or len(frame.turns) != 1 or not _LINEAR.fullmatch(turns[0][1].text or ""):
        return None
    axis, angle = turns[0]
    return np.asarray(float(angle.jet(np.zeros(1))[1][0]) * axis)


def frame_motion(frame: Observer) -> tuple[dict[str, float], dict[str, Sampled]]:
    """The same nine: numbers of a frame that turns steadily, signals of any other."""
    steady = steady_spin(frame)
    if steady is None:
        return {}, frame_signals(frame)
    return dict.fromkeys(("ax", "ay", "az", "lx", "ly", "lz"), 0.0) | dict(
        zip(("ox", "oy", "oz"), steady.tolist(), strict=True)
    ), {}


def moving_vector(frame: Observer, name: str, vector: Array, bound: bool) -> dict[str, Sampled]:
    """A point (bound) or direction that is at rest in space, seen from the frame."""

    def seen(motion: ObserverMotion) -> Array:
        return np.asarray(vector - (motion.origin if bound else np.zeros_like(motion.origin)))

    return _signals(frame, name, seen, tuple(float(x) for x in vector))
