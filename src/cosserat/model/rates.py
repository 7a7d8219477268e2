"""Laws that see how the twist of their place changes: affine in that rate, and what multiplies it is an inertia.

The inertia A, which may change with the frame, goes to the body, as that of a fluid does, so that every method and
analysis knows it. A body also turns its momentum A v in moving axes; the law that is left takes this back, for it is
the user's to write. It knows the matrix that the body has, and the rate, as further numbers of its record: with these
held fixed, its derivatives are those of the whole.
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


HIDDEN = [("_inertia", np.float64, (6, 6)), ("_rate", np.float64, (6,))]  # in the record of such a law


def without_inertia(law: Callable[..., Any]) -> Callable[..., Any]:
    """The law and the inertia forces of the matrix A that its body has: A rate, and what it turns of its momentum
    p = A v, (w x p, w x q + v x p).
    """

    def rest(t, frame, twist, parameters):
        A, known = parameters["_inertia"], parameters["_rate"]
        rate, p = np.zeros(6), np.zeros(6)
        for i in range(6):
            rate[i] = known[i]
        given = law(t, frame, twist, rate, parameters)
        out = np.zeros(len(given))
        for i in range(len(given)):
            out[i] = given[i]
        for i in range(6):
            for k in range(6):
                p[i] += A[i, k] * twist[k]
                out[i] += A[i, k] * known[k]
        out[:6] += turned_momentum(twist, p)
        return out

    return rest


def inertia_law(law: Callable[..., Any]) -> Callable[..., Any]:
    """The matrix A of the wrench w - A rate of a law, as 36 numbers."""

    def matrix(t, frame, twist, parameters):
        out, still, unit = np.zeros(36), np.zeros(6), np.zeros(6)
        base = law(t, frame, still, still, parameters)
        for k in range(6):
            unit[k] = 1.0
            given = law(t, frame, still, unit, parameters)
            for i in range(6):
                out[6 * i + k] += 0.5 * (base[i] - given[i])
                out[6 * k + i] += 0.5 * (base[i] - given[i])
            unit[k] = 0.0
        return out

    return matrix


def inertia_of(title: str, law: Callable[..., Any], frame: Array, numbers: Any) -> tuple[Array, bool]:
    """A (6, 6) of the wrench w - A rate of a law, symmetric and not negative; and whether it changes with the frame.

    Raises
    ------
    ModelError
        If it is not so, or changes otherwise.
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
    _demand_mass(title, A[:6], size)
    changes = False
    for *motion, t in _PROBES:
        there, twist = frame @ se3.exp(np.array(motion)), np.array(motion[::-1])
        near, other = slope(0.0, there, np.zeros(6)), slope(t, there, twist)
        if not np.isfinite(near).all():
            continue  # beyond where the law is defined
        size = max(size, float(np.abs(near).max()))
        changes |= bool(np.abs(near - A).max() > 100.0 * _SAME * size)
        _demand_mass(title, near[:6], size)
        both = wrench(t, there, twist, np.zeros(6)) - wrench(t, there, twist, 10.0 * twist)
        for found, wanted, what in (
            (both, 10.0 * other @ twist, "is not affine in the rate"),
            (other, near, "has an inertia that changes with time or with the twist of its place"),
            (other[6:], 0.0 * other[6:], "lets the rate enter the rates of its states"),
        ):
            if np.abs(found - wanted).max(initial=0.0) > 100.0 * _SAME * size:
                raise ModelError(f"{title}: the law {what}; it must be w(t, frame, twist) - A(frame) rate")
    return np.asarray(0.5 * (A[:6] + A[:6].T)), changes


def _demand_mass(title: str, A: Array, size: float) -> None:
    """Raise unless a matrix can be that of a mass: steps and modes take inertia as symmetric and not negative."""
    if np.abs(A - A.T).max() > _SAME * size or np.linalg.eigvalsh(A)[0] < -_SAME * size:
        raise ModelError(
            f"{title}: what multiplies the rate in the law must be minus a symmetric matrix without negative "
            f"eigenvalues, as that of a mass, which the solvers need; got {np.round(-A, 6).tolist()}"
        )
