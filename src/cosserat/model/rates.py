"""Laws that see how the twist of their place changes: affine in that rate, and what multiplies it is an inertia.

The inertia A goes to the body, as that of a fluid does, so that every method and analysis knows it. A body also turns
its momentum A v in moving axes; the law that is left takes this back, for it is the user's to write.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.errors import ModelError
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.frame_laws import turned_momentum

_PROBES = np.array(
    [
        [0.31, -0.43, 0.59, 0.47, -0.61, 0.23, 0.7],
        [-0.83, 0.29, 0.37, -0.71, 0.53, 0.97, 3.1],
    ]
)  # any motions, and times
_SAME = 1e-9  # relative difference of inertias that are the same


def sees_rate(law: Any) -> bool:
    """Whether a law is one of (t, frame, twist, rate, parameters)."""
    try:
        names = list(inspect.signature(getattr(law, "py_func", law)).parameters)
    except (TypeError, ValueError):
        return False
    return len(names) == 5 and names[3] == "rate"


def at_rest(law: Callable[..., Any]) -> Callable[..., Any]:
    """The law for a rate of zero, and what its inertia A turns of its momentum p = A v: (w x p, w x q + v x p)."""

    def still(t, frame, twist, parameters):
        given = law(t, frame, twist, np.zeros(6), parameters)
        moving = law(t, frame, twist, twist, parameters)
        out, p = np.zeros(len(given)), np.empty(6)
        for i in range(len(given)):
            out[i] = given[i]
        for i in range(6):
            p[i] = given[i] - moving[i]
        out[:6] += turned_momentum(twist, p)
        return out

    return still


def inertia_of(title: str, law: Callable[..., Any], frame: Array, numbers: Any) -> Array:
    """A (6, 6) of the wrench w - A rate of a law; the same for all motions, symmetric, and not negative.

    Raises
    ------
    ModelError
        If it is not so.
    """
    function = getattr(law, "py_func", law)

    def wrench(t: float, H: Array, twist: Array, rate: Array) -> Array:
        try:
            return np.asarray(function(t, H, twist, rate, numbers), dtype=float)
        except Exception as error:
            raise ModelError(f"{title}: the law fails where its inertia is asked for: {error}") from error

    def slope(t: float, H: Array, twist: Array) -> Array:
        base = wrench(t, H, twist, np.zeros(6))
        return np.stack([base - wrench(t, H, twist, unit) for unit in np.eye(6)], axis=1)

    A = slope(0.0, frame, np.zeros(6))
    size = max(float(np.abs(A).max()), np.finfo(float).tiny)
    for *motion, t in _PROBES:
        there, twist = frame @ se3.exp(np.array(motion)), np.array(motion[::-1])
        other = slope(t, there, twist)
        both = wrench(t, there, twist, np.zeros(6)) - wrench(t, there, twist, 10.0 * twist)
        for found, wanted, what in (
            (both, 10.0 * other @ twist, "is not affine in the rate"),
            (other, A, "has an inertia that changes with time or with the motion of its place"),
            (other[6:], 0.0 * other[6:], "lets the rate enter the rates of its states"),
        ):
            if np.abs(found - wanted).max(initial=0.0) > 100.0 * _SAME * size:
                raise ModelError(f"{title}: the law {what}; it must be w(t, frame, twist) - A rate, with A constant")
    A = A[:6]
    if np.abs(A - A.T).max() > _SAME * size or np.linalg.eigvalsh(A)[0] < -_SAME * size:
        raise ModelError(
            f"{title}: what multiplies the rate in the law must be minus a symmetric matrix without negative "
            f"eigenvalues, as that of a mass; got {np.round(-A, 6).tolist()}"
        )
    return np.asarray(0.5 * (A + A.T))
