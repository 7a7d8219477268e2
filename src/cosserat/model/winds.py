"""Winds and currents: functions of (x, y, z, t) for ``cs.Fluid(velocity=..., gust=...)``.

Each gives a function that laws of force can compile and model files can hold. Directions are world axes, z is up.

Frozen turbulence has velocities along a line with the spectra of Dryden or of von Karman.

One-sided spectra of the wave number W (rad/m), whose integrals are the squares of sigma; x = L W along the wind, and
across it; MIL-F-8785C (1980):

    Dryden      sigma^2 2L/pi /(1 + x^2),              sigma^2 L/pi (1 + 3 x^2)/(1 + x^2)^2
    von Karman  sigma^2 2L/pi /(1 + y^2)^(5/6),        sigma^2 L/pi (1 + 8/3 y^2)/(1 + y^2)^(11/6),   y = 1.339 x

A field is periodic over `POINTS` values that are `SPACING` L apart, with Gaussian amplitudes.

>>> import cosserat as cs
>>> wind = cs.winds.power_law(10.0, height=10.0, exponent=0.2)
>>> round(wind(0, 0, 320.0, 0)[0], 9)
20.0
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any, ParamSpec

import numpy as np

from cosserat.calls import bind
from cosserat.errors import ArgumentError
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.records import Record, recorded

Spectrum = Callable[[Array], Array]

POINTS, SPACING = 4096, 0.05  # 205 L until it comes again


def dryden_along(x: Array) -> Array:
    """Of sigma^2 L, along the wind."""
    return np.asarray(2.0 / np.pi / (1.0 + x**2))


def dryden_across(x: Array) -> Array:
    """Of sigma^2 L, across the wind."""
    return np.asarray((1.0 + 3.0 * x**2) / (1.0 + x**2) ** 2 / np.pi)


def von_karman_along(x: Array) -> Array:
    """Of sigma^2 L, along the wind."""
    return np.asarray(2.0 / np.pi / (1.0 + (1.339 * x) ** 2) ** (5 / 6))


def von_karman_across(x: Array) -> Array:
    """Of sigma^2 L, across the wind."""
    y = 1.339 * x
    return np.asarray((1.0 + 8.0 / 3.0 * y**2) / (1.0 + y**2) ** (11 / 6) / np.pi)


DRYDEN = (dryden_along, dryden_across, dryden_across)
VON_KARMAN = (von_karman_along, von_karman_across, von_karman_across)


def frozen_field(spectra: tuple[Spectrum, ...], sigma: Array, length: Array, seed: int) -> Array:
    """Velocities (3, POINTS) along the line, each at steps of SPACING times its length."""
    rng = np.random.default_rng(seed)
    step = 2.0 * np.pi / (POINTS * SPACING)  # of x = L W
    x = step * np.arange(1.0, POINTS // 2, dtype=np.float64)
    rows = []
    for spectrum, rms in zip(spectra, sigma, strict=True):
        real, imaginary = rng.normal(size=(2, len(x)))
        power = spectrum(x) * step  # of sigma^2, in each line
        lines = np.zeros(POINTS // 2 + 1, dtype=complex)
        lines[1:-1] = rms * np.sqrt(0.5 * power) * (real + 1j * imaginary) * POINTS / np.sqrt(2.0)
        rows.append(np.fft.irfft(lines, POINTS))
    return np.ascontiguousarray(rows)


Function = Callable[[float, float, float, float], tuple[float, float, float]]
P = ParamSpec("P")

KINDS: dict[str, Callable[..., Function]] = {}
"""What builds the function of each kind of wind from its arguments."""


class Wind(Record):
    """A wind by its kind and its numbers; call it for the velocity (m/s) at (x, y, z, t).

    Parameters
    ----------
    kind : str
        A function of `cosserat.winds`.
    numbers : dict
        Its arguments.

    Examples
    --------
    >>> calm = Wind("power_law", {"speed": 10.0, "height": 10.0})
    >>> calm(0, 0, 10.0, 0)
    (10.0, 0.0, 0.0)
    """

    word = "wind"

    @recorded
    def __init__(self, kind: str, numbers: Any) -> None:
        if kind not in KINDS:
            raise ArgumentError("wind", "kind", f"is {kind!r}; pass one of {', '.join(map(repr, KINDS))}")
        if not isinstance(numbers, dict):
            raise ArgumentError("wind", "numbers", f"must be a dict of arguments of winds.{kind}, got {numbers!r}")
        self.kind, self.numbers = kind, {k: v for k, v in self._given["numbers"].items() if v is not None}
        self._keep(numbers=self.numbers)
        hint = "its numbers become code; pass a number, or for a uniform wind velocity=(U, 0, 0)"
        for argument, value in self.numbers.items():
            checks.fixed(f"winds.{kind}", argument, value, hint)
        try:
            self.function: Function = KINDS[kind](**self.numbers)
        except TypeError as error:
            raise ArgumentError("wind", kind, f"does not take these arguments: {error}") from None

    @property
    def known(self) -> str:
        """In words, where it is known."""
        heights = self.numbers.get("altitudes")
        return "is not a number there" if heights is None else f"is known from z = {heights[0]:g} to {heights[-1]:g} m"

    def __call__(self, x: float, y: float, z: float, t: float) -> tuple[float, float, float]:
        u, v, w = self.function(x, y, z, t)
        return float(u), float(v), float(w)


def wind_function(wind: Any) -> Any:
    """What laws compile of a wind or of a function."""
    return wind.function if isinstance(wind, Wind) else wind


def _wind(build: Callable[P, Function]) -> Callable[P, Wind]:
    """Make what builds the function of a wind one of `KINDS`; what is called by its name gives the wind."""
    signature = inspect.signature(build)

    @functools.wraps(build)
    def made(*args: P.args, **kwargs: P.kwargs) -> Wind:
        given = bind(build.__name__, signature, args, kwargs, named=False)
        given.apply_defaults()
        return Wind(build.__name__, dict(given.arguments))

    made.__signature__ = signature.replace(return_annotation=Wind)  # type: ignore[attr-defined]
    KINDS[build.__name__] = build
    return made


@_wind
def power_law(speed: float, height: float, exponent: float = 1 / 7, direction: Any = (1, 0, 0)) -> Function:
    """Wind that grows with the altitude as (z / height)^exponent and has `speed` (m/s) at `height` (m).

    Examples
    --------
    >>> wind = power_law(10.0, height=10.0, exponent=0.2)
    >>> round(wind(0, 0, 320.0, 0)[0], 9)
    20.0
    """
    speed, height, exponent = _numbers("power_law", "height", speed=speed, height=height, exponent=exponent)
    dx, dy, dz = checks.unit("power_law", "direction", direction).tolist()

    def wind(x: float, y: float, z: float, t: float) -> tuple[float, float, float]:
        u = speed * (z / height) ** exponent if z > 0.0 else 0.0
        return u * dx, u * dy, u * dz

    return wind


@_wind
def log_law(speed: float, height: float, roughness: float, direction: Any = (1, 0, 0)) -> Function:
    """Wind over rough ground, log(z / roughness), that has `speed` (m/s) at `height` (m); none below the roughness.

    Examples
    --------
    >>> wind = log_law(10.0, height=10.0, roughness=0.1)
    >>> round(wind(0, 0, 1.0, 0)[0], 9)
    5.0
    """
    speed, height, roughness = _numbers("log_law", "roughness", speed=speed, height=height, roughness=roughness)
    if height <= roughness:
        raise ArgumentError("log_law", "height", f"is {height:g}; it must be above the roughness {roughness:g}")
    dx, dy, dz = checks.unit("log_law", "direction", direction).tolist()
    scale = speed / math.log(height / roughness)

    def wind(x: float, y: float, z: float, t: float) -> tuple[float, float, float]:
        u = scale * math.log(z / roughness) if z > roughness else 0.0
        return u * dx, u * dy, u * dz

    return wind


@_wind
def profile(altitudes: Any, velocities: Any) -> Function:
    """Wind by a table over the altitude: straight lines between velocities (n, 3) (m/s) at growing altitudes (n,) (m).

    Nothing is known below the first and above the last: what gets there stops a run.

    Examples
    --------
    >>> wind = profile([0.0, 100.0], [(0, 0, 0), (10, 2, 0)])
    >>> wind(0, 0, 50.0, 0)
    (5.0, 1.0, 0.0)
    """
    count = len(altitudes) if isinstance(altitudes, (tuple, list, np.ndarray)) else 1
    heights = checks.array("profile", "altitudes", altitudes, (count,))
    if len(heights) < 2 or (np.diff(heights) <= 0.0).any():
        raise ArgumentError("profile", "altitudes", f"must be two or more that grow, got {altitudes!r}")
    table = np.ascontiguousarray(checks.array("profile", "velocities", velocities, (len(heights), 3)))
    n = len(heights)

    def wind(x: float, y: float, z: float, t: float) -> tuple[float, float, float]:
        if z < heights[0] or z > heights[n - 1]:
            return math.nan, math.nan, math.nan
        k = 0
        while k < n - 2 and z > heights[k + 1]:
            k += 1
        f = (z - heights[k]) / (heights[k + 1] - heights[k])
        return (
            table[k, 0] + f * (table[k + 1, 0] - table[k, 0]),
            table[k, 1] + f * (table[k + 1, 1] - table[k, 1]),
            table[k, 2] + f * (table[k + 1, 2] - table[k, 2]),
        )

    return wind


@_wind
def gust(peak: float, duration: float, start: float = 0.0, direction: Any = (0, 0, 1), base: Any = None) -> Function:
    """A gust peak/2 (1 - cos(2 pi (t - start) / duration)), everywhere at once, on top of another wind.

    Examples
    --------
    >>> wind = gust(4.0, duration=2.0, start=1.0)
    >>> wind(0, 0, 0, 2.0)[2], wind(0, 0, 0, 5.0)[2]
    (4.0, 0.0)
    """
    peak, duration, start = _numbers("gust", "duration", peak=peak, duration=duration, start=start)
    towards = checks.unit("gust", "direction", direction)
    return _with_base(_pulse(peak, duration, start, -1.0, np.zeros(3), towards), base)


@_wind
def gust_ahead(
    peak: float,
    length: float,
    start: float = 0.0,
    speed: float = 0.0,
    along: Any = (1, 0, 0),
    direction: Any = (0, 0, 1),
    base: Any = None,
) -> Function:
    """A gust peak/2 (1 - cos(2 pi s/length)) that lies in the air: s = along . x - speed t - start, from 0 to `length`.

    The air carries it with `speed` (m/s) along `along`; or a wing flies into it.

    Examples
    --------
    >>> wind = gust_ahead(4.0, length=20.0, start=100.0)
    >>> wind(110.0, 0, 0, 0)[2], wind(90.0, 0, 0, 0)[2]
    (4.0, 0.0)
    """
    peak, length, start, speed = _numbers("gust_ahead", "length", peak=peak, length=length, start=start, speed=speed)
    ahead, towards = checks.unit("gust_ahead", "along", along), checks.unit("gust_ahead", "direction", direction)
    return _with_base(_pulse(peak, length, start, speed, ahead, towards), base)


def _pulse(peak: float, length: float, start: float, speed: float, along: Array, direction: Array) -> Function:
    """peak/2 (1 - cos(2 pi s/length)) for s = along . x - speed t - start from 0 to `length`, else nothing."""
    (ax, ay, az), (dx, dy, dz) = along.tolist(), direction.tolist()

    def alone(x: float, y: float, z: float, t: float) -> tuple[float, float, float]:
        s = (ax * x + ay * y + az * z - speed * t - start) / length
        u = 0.5 * peak * (1.0 - math.cos(2.0 * math.pi * s)) if 0.0 < s < 1.0 else 0.0
        return u * dx, u * dy, u * dz

    return alone


@_wind
def dryden(
    sigma: Any, length: Any, speed: float, seed: int, along: Any = (1, 0, 0), up: Any = (0, 0, 1), base: Any = None
) -> Function:
    """Turbulence with Dryden's spectra, frozen in air that moves with `speed` (m/s) along `along`.

    Parameters
    ----------
    sigma : number or (3,)
        Root mean square of the velocities along, to the side and upwards (m/s).
    length : number or (3,)
        Their scales of length L (m).
    speed : float
        With which the air carries the field past a point at rest (m/s).
    seed : int
        The same seed gives the same field.
    along, up : (3,)
        Directions, world axes.
    base : wind or function, optional
        On top of which it blows.

    Examples
    --------
    >>> wind = dryden(1.5, length=150.0, speed=20.0, seed=7)
    >>> wind(3.0, 0, 0, 1.0) == dryden(1.5, length=150.0, speed=20.0, seed=7)(3.0, 0, 0, 1.0)
    True
    """
    return _turbulence("dryden", DRYDEN, sigma, length, speed, seed, along, up, base)


@_wind
def von_karman(
    sigma: Any, length: Any, speed: float, seed: int, along: Any = (1, 0, 0), up: Any = (0, 0, 1), base: Any = None
) -> Function:
    """Turbulence with von Karman's spectra; arguments as for `dryden`.

    Examples
    --------
    >>> wind = von_karman(1.5, length=150.0, speed=20.0, seed=7)
    >>> len(wind(3.0, 0, 0, 1.0))
    3
    """
    return _turbulence("von_karman", VON_KARMAN, sigma, length, speed, seed, along, up, base)


def _turbulence(
    item: str, spectra: Any, sigma: Any, length: Any, speed: float, seed: int, along: Any, up: Any, base: Any
) -> Function:
    speed = checks.number(item, "speed", speed)
    rms = checks.array(item, "sigma", sigma if isinstance(sigma, (tuple, list, np.ndarray)) else [sigma] * 3, (3,))
    three = length if isinstance(length, (tuple, list, np.ndarray)) else [length] * 3
    scales = checks.array(item, "length", three, (3,))
    if (rms < 0.0).any():
        raise ArgumentError(item, "sigma", f"is {rms.tolist()}; it must not be negative")
    if (scales <= 0.0).any():
        raise ArgumentError(item, "length", f"is {scales.tolist()}; it must be greater than 0")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ArgumentError(item, "seed", f"is {seed!r}; pass a whole number such as 1")
    x = checks.unit(item, "along", along)
    upward = checks.unit(item, "up", up)
    z = upward - (upward @ x) * x
    if np.linalg.norm(z) < 1e-6:
        raise ArgumentError(item, "up", "is along the wind; give another direction")
    z = z / np.linalg.norm(z)
    axes = np.ascontiguousarray(np.stack((x, np.cross(z, x), z)))
    table = frozen_field(spectra, rms, scales, int(seed))
    steps = np.ascontiguousarray(1.0 / (SPACING * scales))
    ax, ay, az = x.tolist()
    n = POINTS

    def alone(x: float, y: float, z: float, t: float) -> tuple[float, float, float]:
        s = ax * x + ay * y + az * z - speed * t
        a, b, c = 0.0, 0.0, 0.0
        for k in range(3):
            at = s * steps[k]
            first = math.floor(at)
            f, i = at - first, int(first) % n
            p0, p1 = table[k, i - 1], table[k, i]
            p2, p3 = table[k, (i + 1) % n], table[k, (i + 2) % n]
            # a cubic through four points, with slopes that go on
            u = p1 + 0.5 * f * (p2 - p0 + f * (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3 + f * (3.0 * (p1 - p2) + p3 - p0)))
            a += u * axes[k, 0]
            b += u * axes[k, 1]
            c += u * axes[k, 2]
        return a, b, c

    return _with_base(alone, base)


def _with_base(alone: Function, base: Any) -> Function:
    """Both together."""
    if base is None:
        return alone
    if not callable(base):
        raise ArgumentError("wind", "base", f"must be a wind or a function of (x, y, z, t), got {base!r}")
    under = wind_function(base)

    def wind(x: float, y: float, z: float, t: float) -> tuple[float, float, float]:
        g, b = alone(x, y, z, t), under(x, y, z, t)
        return g[0] + b[0], g[1] + b[1], g[2] + b[2]

    return wind


def _numbers(item: str, positive: str, /, **given: Any) -> list[float]:
    """Arguments of a wind as numbers, one of which must be positive."""
    return [checks.number(item, name, value, positive=name == positive) for name, value in given.items()]
