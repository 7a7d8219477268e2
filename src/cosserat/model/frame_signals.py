"""Motions of a prescribed frame as numbers that laws follow in time, all in the frame's own axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cosserat.model.observers import Observer, ObserverMotion
from cosserat.model.parameters import Parameter
from cosserat.model.sampled import Sampled

Array = NDArray[np.float64]


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


def moving_vector(frame: Observer, name: str, vector: Array, bound: bool) -> dict[str, Sampled]:
    """A point (bound) or direction that is at rest in space, seen from the frame."""

    def seen(motion: ObserverMotion) -> Array:
        return np.asarray(vector - (motion.origin if bound else np.zeros_like(motion.origin)))

    return _signals(frame, name, seen, tuple(float(x) for x in vector))
