"""Values and exact derivatives of Python functions of one variable, with located errors.

Second-order jets are tried on all points at once, then on one point at a time (functions with ``if t < 2``); a function
that takes only floats is differentiated by finite differences of sixth order.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.errors import ModelError
from cosserat.lie.protocol import Array
from cosserat.model.jets import Jet
from cosserat.model.parameters import ParameterLike, resolve

PARTS = ("value", "rate", "acceleration")


def as_jet(raw: Any, shape: tuple[int, ...]) -> Jet:
    jet = raw if isinstance(raw, Jet) else Jet(resolve(raw) if isinstance(raw, ParameterLike) else raw)
    if jet.shape == shape:
        return jet
    return Jet(*(np.broadcast_to(getattr(jet, part), shape) for part in PARTS))


class NeedsFloats(Exception):
    """The function takes floats only."""


def differentiate(
    function: Callable[[Any], Any],
    t: Array,
    where: str,
    size: int | None,
    variable: str,
    by_differences: bool = True,
) -> list[Jet]:
    """Jets of the component(s) of `function` at times t: vectorised, then one at a time, then by differences."""

    def components(raw: Any, shape: tuple[int, ...]) -> list[Jet]:
        if size is None:
            return [as_jet(raw, shape)]
        parts = list(raw)
        if len(parts) != size:
            raise ValueError("wrong number of components")
        if shape and any(isinstance(p, Jet) and p.ndim == 0 and (p.rate or p.acceleration) for p in parts):
            raise ValueError("vectors and points were broadcast against each other")  # p0 + s*(p1 - p0), three points
        return [as_jet(p, shape) for p in parts]

    if callable(getattr(function, "derivative", None)) and size is None:  # splines of SciPy know theirs
        return [Jet(function(t), _spline_derivative(function, 1, t), _spline_derivative(function, 2, t))]
    try:
        return components(function(Jet.variable(t)), t.shape)
    except Exception:
        pass
    try:
        rows = [components(function(Jet.variable(ti)), ()) for ti in t]
        return [Jet(*(np.array([getattr(row[k], part) for row in rows]) for part in PARTS)) for k in range(size or 1)]
    except Exception:
        if not by_differences:
            raise NeedsFloats from None
        return _differences(function, t, where, size, variable)


def _spline_derivative(spline: Any, order: int, t: Array) -> Array:
    """A derivative of a spline; beyond its degree it is zero, which some of SciPy's splines refuse to say."""
    try:
        return np.asarray(spline.derivative(order)(t), float)
    except ValueError:
        return np.zeros(t.shape)


def _weights(nodes: Array) -> tuple[Array, Array]:
    """Weights of the first and second derivative at 0 from values at `nodes`."""
    powers = np.vander(nodes, increasing=True).T
    right = np.zeros((nodes.size, 2))
    right[1, 0], right[2, 1] = 1.0, 2.0
    first, second = np.linalg.solve(powers, right).T
    return first, second


_CENTRAL, _FORWARD = np.arange(-3.0, 4.0), np.arange(0.0, 8.0)


def _differences(function: Callable[[Any], Any], t: Array, where: str, size: int | None, variable: str) -> list[Jet]:
    """Sixth-order differences, one-sided near 0 (no negative times) and, along a curve, near s = 1."""
    last = 1.0 if variable == "s" else np.inf
    gaps = np.diff(np.unique(t))
    h = float(np.clip(gaps.min() if gaps.size else 1e-3, 1e-4, 1e-2))
    parts = np.empty((3, t.size, size or 1))
    for i, ti in enumerate(t):
        nodes = _FORWARD if 0.0 <= ti < 3.0 * h else -_FORWARD if last - 3.0 * h < ti <= last else _CENTRAL
        first, second = _weights(nodes)
        values = values_of(function, ti + h * nodes, where, size, variable)
        parts[:, i] = values[nodes == 0.0][0], first @ values / h, second @ values / h**2
    return [Jet(*parts[:, :, k]) for k in range(size or 1)]


def values_of(function: Callable[[Any], Any], t: Array, where: str, size: int | None, variable: str) -> Array:
    """Values (nt, size) at times (nt,), one after the other; of a function that gives one number, (nt, 1)."""
    values = np.empty((t.size, size or 1))
    for row, ti in zip(values, t, strict=True):
        try:
            raw = function(float(ti))
            given = raw if size is not None else raw.ravel() if isinstance(raw, np.ndarray) else [raw]
            found = np.array([resolve(x) for x in given], float)
        except Exception as error:
            at, wanted = (f"{ti:g}", "a number") if size is None else (f"{variable} = {ti:g}", f"{size} numbers")
            raise ModelError(
                f"{where}: the function failed at {at} with {type(error).__name__}: {error}; "
                f"it must take a number and give {wanted}"
            ) from error
        if found.shape != row.shape:
            raise ModelError(
                f"{where}: the function gives {found.size} numbers at {variable} = {ti:g}; {row.size} are needed"
            )
        if size is not None and not np.isfinite(found).all():
            raise ModelError(f"{where}: the function gives {found.tolist()} at {variable} = {ti:g}; it must be finite")
        row[:] = found
    return values


def demand_finite(part: str, numbers: Array, t: Array, where: str, variable: str) -> None:
    bad = ~np.isfinite(numbers)
    if bad.any():
        i = int(np.argmax(bad))
        hint = "" if part == "value" else "; give three functions (value, rate, acceleration) instead"
        raise ModelError(f"{where}: its {part} is {numbers[i]} at {variable} = {t[i]:g}; it must be finite{hint}")
