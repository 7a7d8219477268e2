"""Checks of what a user passes to the solvers and groups of this package: clean numbers, or a located error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError, GeometryError, shown
from cosserat.lie.matrix_group import logarithm
from cosserat.lie.protocol import Array

MOST_STEPS = 10_000_000
"""Steps of one motion; more is a slip in the duration or in the step."""


def positive(who: str, name: str, value: Any) -> float:
    """Return ``value`` as a finite float above zero."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        raise ArgumentError(who, name, f"is {value!r}; pass a number above zero") from None
    if not np.isfinite(x) or x <= 0.0:
        raise ArgumentError(who, name, f"is {value!r}; pass a number above zero")
    return x


def listed(who: str, name: str, value: Any, what: str) -> list[Any]:
    """Return ``value`` as a list; ``what`` says what it is a list of."""
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise ArgumentError(who, name, f"is {shown(value)}; pass {what}")
    return list(value)


def by_name(who: str, name: str, value: Any, what: str, needed: Sequence[str] = ()) -> Mapping[Any, Any]:
    """Return ``value`` if it is a dict with the keys ``needed``; ``what`` says what it is a dict of."""
    if not isinstance(value, Mapping) or any(key not in value for key in needed):
        keys = f" for {', '.join(needed)}" if needed else ""
        raise ArgumentError(who, name, f"is {shown(value)}; pass a dict of {what}{keys}")
    return value


def array(who: str, name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """Return ``value`` as a finite float array of this shape."""
    wanted = f"pass {shape[0]} numbers" if len(shape) == 1 else f"pass an array {shape}"
    try:
        x = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(who, name, f"is {value!r}; {wanted}") from None
    if x.shape != shape:
        raise ArgumentError(who, name, f"has shape {x.shape}; {wanted}")
    if not np.all(np.isfinite(x)):
        raise ArgumentError(who, name, f"is {x.tolist()}; its numbers must be finite")
    return x


def element(who: str, group: Any, start: Any) -> Any:
    """Return an element of a group to start from: the identity for None."""
    if start is None:
        return group.identity()
    size = group.matrix(group.identity()).shape
    try:
        matrix = np.asarray(group.matrix(start), dtype=float)
    except (TypeError, ValueError, IndexError):
        raise ArgumentError(who, "start", f"is {start!r}; pass an element of {group!r}") from None
    if matrix.shape != size or not np.all(np.isfinite(matrix)):
        raise ArgumentError(who, "start", f"has the matrix {matrix.shape}; elements of {group!r} have {size}")
    try:
        X = logarithm(matrix, who)
    except GeometryError:  # elements need not have one
        return start
    miss = float(np.abs(group.hat(group.vee(X)) - X).max())
    if miss > 1e-6 * max(1.0, float(np.abs(X).max())):
        raise ArgumentError(who, "start", f"is no element of {group!r}: its logarithm misses the algebra by {miss:.3g}")
    return start


def grid(duration: Any, step: Any, who: str) -> Array:
    """Return the times 0 ... duration with equal steps not longer than ``step``."""
    end, h = positive(who, "duration", duration), positive(who, "step", step)
    ratio = end / h
    if ratio > MOST_STEPS:
        raise ArgumentError(who, "step", f"is {h:g} for a duration of {end:g}; {ratio:.3g} steps are too many")
    n = round(ratio) if abs(ratio - round(ratio)) < 1e-9 * ratio else int(np.ceil(ratio))
    return np.linspace(0.0, end, max(1, n) + 1)
