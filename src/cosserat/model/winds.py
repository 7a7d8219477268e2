"""Winds and currents: functions of (x, y, z, t) for ``cs.Fluid(velocity=...)``.

Each gives a function that laws of force can compile. Directions are world axes, z is up.

>>> import cosserat as cs
>>> wind = cs.winds.power_law(10.0, height=10.0, exponent=0.2)
>>> round(wind(0, 0, 320.0, 0)[0], 9)
20.0
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cosserat.errors import ArgumentError
from cosserat.model import checks

Wind = Callable[[float, float, float, float], tuple[float, float, float]]


def power_law(speed: float, height: float, exponent: float = 1 / 7, direction: Any = (1, 0, 0)) -> Wind:
    """Wind that grows with the altitude as (z / height)^exponent and has `speed` (m/s) at `height` (m).

    Examples
    --------
    >>> wind = power_law(10.0, height=10.0, exponent=0.2)
    >>> round(wind(0, 0, 320.0, 0)[0], 9)
    20.0
    """
    speed, height = _numbers("power_law", speed=speed, height=height)
    (exponent,) = _numbers("power_law", exponent=exponent)
    _positive("power_law", "height", height)
    dx, dy, dz = checks.unit("power_law", "direction", direction).tolist()

    def wind(x: float, y: float, z: float, t: float) -> tuple[float, float, float]:
        u = speed * (z / height) ** exponent if z > 0.0 else 0.0
        return u * dx, u * dy, u * dz

    return wind


def log_law(speed: float, height: float, roughness: float, direction: Any = (1, 0, 0)) -> Wind:
    """Wind over rough ground, log(z / roughness), that has `speed` (m/s) at `height` (m); none below the roughness.

    Examples
    --------
    >>> wind = log_law(10.0, height=10.0, roughness=0.1)
    >>> round(wind(0, 0, 1.0, 0)[0], 9)
    5.0
    """
    speed, height, roughness = _numbers("log_law", speed=speed, height=height, roughness=roughness)
    _positive("log_law", "roughness", roughness)
    if height <= roughness:
        raise ArgumentError("log_law", "height", f"is {height:g}; it must be above the roughness {roughness:g}")
    dx, dy, dz = checks.unit("log_law", "direction", direction).tolist()
    scale = speed / math.log(height / roughness)

    def wind(x: float, y: float, z: float, t: float) -> tuple[float, float, float]:
        u = scale * math.log(z / roughness) if z > roughness else 0.0
        return u * dx, u * dy, u * dz

    return wind


def gust(
    peak: float, duration: float, start: float = 0.0, direction: Any = (0, 0, 1), base: Wind | None = None
) -> Wind:
    """A gust peak/2 (1 - cos(2 pi (t - start) / duration)), everywhere at once, on top of another wind.

    Examples
    --------
    >>> wind = gust(4.0, duration=2.0, start=1.0)
    >>> wind(0, 0, 0, 2.0)[2], wind(0, 0, 0, 5.0)[2]
    (4.0, 0.0)
    """
    peak, duration, start = _numbers("gust", peak=peak, duration=duration, start=start)
    _positive("gust", "duration", duration)
    dx, dy, dz = checks.unit("gust", "direction", direction).tolist()
    if base is not None and not callable(base):
        raise ArgumentError("gust", "base", f"must be a function of (x, y, z, t), got {base!r}")

    def alone(x: float, y: float, z: float, t: float) -> tuple[float, float, float]:
        s = (t - start) / duration
        u = 0.5 * peak * (1.0 - math.cos(2.0 * math.pi * s)) if 0.0 < s < 1.0 else 0.0
        return u * dx, u * dy, u * dz

    if base is None:
        return alone
    under = base

    def wind(x: float, y: float, z: float, t: float) -> tuple[float, float, float]:
        g, b = alone(x, y, z, t), under(x, y, z, t)
        return g[0] + b[0], g[1] + b[1], g[2] + b[2]

    return wind


def _numbers(item: str, **given: Any) -> list[float]:
    return [checks.number(item, name, value) for name, value in given.items()]


def _positive(item: str, name: str, value: float) -> None:
    if value <= 0.0:
        raise ArgumentError(item, name, f"is {value:g}; it must be greater than 0")
