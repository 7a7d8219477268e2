"""Motions of a prescribed frame as numbers that laws follow in time, all in the frame's own axes."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.model.observers import Observer, ObserverMotion
from cosserat.model.parameters import Parameter
from cosserat.model.sampled import Sampled

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
