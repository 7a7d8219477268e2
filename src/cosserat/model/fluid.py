"""`Fluid`: what surrounds a mechanism; its density and its flow as functions that laws of force evaluate at places."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError
from cosserat.model import checks
from cosserat.model.parameters import Number, resolve
from cosserat.model.records import Record, number, recorded
from cosserat.model.winds import Wind, wind_function

Function = Callable[..., Any]

# standard atmosphere: its bounds; sea level; bases (m) and gradients (K/m) of its layers
ISA_LOW, ISA_HIGH = -2000.0, 84852.0
_UNKNOWN = (math.nan, math.nan, math.nan)
_T0, _P0, _R, _G = 288.15, 101325.0, 287.05287, 9.80665
_LAYERS = (
    (0.0, 11000.0, 20000.0, 32000.0, 47000.0, 51000.0, 71000.0),
    (0.0065, 0.0, -0.001, -0.0028, 0.0, 0.0028, 0.002),
)


class Fluid(Record):
    """A fluid around a model: ``cs.Model(..., fluid=cs.Fluid(density=1.225))``.

    Parameters
    ----------
    density : number, Parameter, callable or "isa"
        (kg/m^3); or a function of the altitude z (m); or air of the International Standard Atmosphere up to 84.852 km
        of geopotential altitude.
    viscosity : number
        Dynamic viscosity (Pa s), for Reynolds numbers.
    velocity : (3,) or callable
        Wind or current (m/s), world axes: three numbers or parameters, or a function of (x, y, z, t) that gives three
        numbers, see `cosserat.winds`. Functions are compiled: they use what Numba offers.
    surface : number, optional
        Altitude of a free surface (m): the fluid is below it.
    above : Fluid, optional
        What is above the surface; nothing by default.
    altitude : number
        Of the world's origin above sea level (m), for ``density="isa"``.
    extent : pair of (3,), optional
        Lower and upper corner of the box in which density and velocity are known (m), infinite ones included. A body
        that leaves it ends a run, which says where and when; so does ``density="isa"`` below -2 and above 84.852 km.
    gust : wind or callable, optional
        What blows on top of `velocity`, a function of (x, y, z, t). Unsteady strips meet it by Kuessner's function, and
        everything else as it meets the rest.

    Examples
    --------
    >>> sea = Fluid(density=1025.0, surface=0.0, above=Fluid(density=1.225, velocity=(8, 0, 0)))
    >>> sea.at(0, 0, -3.0)
    (1025.0, (0.0, 0.0, 0.0))
    >>> sea.at(0, 0, 3.0)
    (1.225, (8.0, 0.0, 0.0))
    """

    word = "Fluid"
    viscosity = number(nonnegative=True)
    _surface = number(optional=True)

    @recorded
    def __init__(
        self,
        density: Any,
        viscosity: Number = 0.0,
        velocity: Any = (0.0, 0.0, 0.0),
        surface: Number | None = None,
        above: Fluid | None = None,
        altitude: float = 0.0,
        gust: Any = None,
        extent: Any = None,
    ) -> None:
        self._density, self._velocity, self._gust = density, wind_function(velocity), wind_function(gust)
        self._winds = [wind for wind in (velocity, gust) if isinstance(wind, Wind)]
        self._extent, self._ground = extent, None
        if isinstance(density, str):
            if density != "isa":
                raise self._wrong("density", f"is {density!r}; pass a number, a function of z, or 'isa'")
            self._ground = checks.number("Fluid", "altitude", altitude)
            self._density = standard_density(self._ground)
        elif altitude != 0.0:
            raise self._wrong("altitude", "belongs to density='isa', the standard atmosphere")
        self.above = above
        if not callable(self._velocity):
            self._velocity = self._given["velocity"]
        checks.arguments("Fluid", "density", density, "z")
        checks.arguments("Fluid", "velocity", self._velocity, "x", "y", "z", "t")
        if gust is not None and not callable(gust):
            raise self._wrong("gust", f"must be a wind or a function of (x, y, z, t), got {gust!r}")
        checks.arguments("Fluid", "gust", self._gust, "x", "y", "z", "t")
        if above is not None and not isinstance(above, Fluid):
            raise self._wrong("above", f"must be a Fluid, got {above!r}")
        if above is not None and surface is None:
            raise self._wrong("above", "needs a surface: pass surface=, the altitude up to which this one is")
        if above is not None and above._surface is not None:
            raise self._wrong("above", "has a surface of its own; one is offered")
        if above is not None and above.has_gust:
            raise self._wrong("above", "has a gust of its own; give it to the fluid below, for both")

    def check(self) -> None:
        if not callable(self._density):
            checks.number("Fluid", "density", self._density, nonnegative=True)
        if not callable(self._velocity):
            checks.array("Fluid", "velocity", self._velocity, (3,), "(5, 0, 0)")
        super().check()
        if self._extent is not None:
            self._box()

    def _box(self) -> tuple[list[float], list[float]]:
        """Corners of the extent, as numbers."""
        try:
            low, high = (np.asarray(corner, dtype=float) for corner in self._extent)
        except (TypeError, ValueError):
            low = high = np.zeros(0)
        if low.shape != (3,) or high.shape != (3,) or not (low < high).all():
            wanted = "must be two corners, the lower one first, such as ((-10, -10, 0), (10, 10, 50))"
            raise self._wrong("extent", f"{wanted}; got {self._extent!r}")
        return low.tolist(), high.tolist()

    def outside(self, x: float, y: float, z: float, t: float) -> str:
        """In words, why nothing is known of it at a point and time; or nothing."""
        if self._surface is not None and self.above is not None and z > resolve(self._surface):
            return self.above.outside(x, y, z, t)
        if self._extent is not None:
            low, high = self._box()
            if not all(a <= c <= b for a, c, b in zip(low, (x, y, z), high, strict=True)):
                return f"the fluid's field goes from {checks.listed(low)} to {checks.listed(high)} m"
        if self._ground is not None and not ISA_LOW <= self._ground + z <= ISA_HIGH:
            return f"the standard atmosphere goes from {ISA_LOW:g} to {ISA_HIGH:g} m above sea level"
        for wind in self._winds:
            if not np.isfinite(wind(x, y, z, t)).all():
                return f"the wind {wind.kind!r} {wind.known}"
        if callable(self._density):
            try:
                rho = float(self._density(z))
            except Exception:
                rho = math.nan  # told below
            if rho < 0.0:
                return f"the fluid's density is {rho:.4g} kg/m3 there"
        p = {name: resolve(value) for name, value in self.numbers.items()}
        for word, function in (("density", self.density_function), ("velocity", self.velocity_function)):
            try:
                known = np.isfinite(np.asarray(function(x, y, z, t, p), dtype=float)).all()
            except Exception as error:
                return f"the fluid's {word} fails there with {type(error).__name__}: {error}"
            if not known:
                return f"the fluid's {word} is not a number there"
        return ""

    def _known(self, function: Function, nothing: Any) -> Function:
        """A function of (x, y, z, t, p) that is not a number outside the extent."""
        if self._extent is None:
            return function
        (ax, ay, az), (bx, by, bz) = self._box()

        def inside(x, y, z, t, p):  # type: ignore[no-untyped-def]
            if x < ax or x > bx or y < ay or y > by or z < az or z > bz:
                return nothing
            return function(x, y, z, t, p)

        return inside

    @property
    def text(self) -> str:
        """In a few words."""
        heavy = (
            "a density that changes with altitude" if callable(self._density) else f"{resolve(self._density):g} kg/m3"
        )
        level = "" if self._surface is None else f", surface at {resolve(self._surface):g} m"
        return f"fluid of {heavy}{level}"

    @property
    def is_steady(self) -> bool:
        """Whether it flows with one velocity everywhere and at all times."""
        return not (self.mean_varies or self.has_gust)

    @property
    def mean_varies(self) -> bool:
        """Whether its velocity changes from place to place or in time, apart from a gust."""
        both = [fluid for fluid in (self, self.above) if fluid is not None]
        return self.has_surface or any(callable(fluid._velocity) for fluid in both)

    @property
    def has_gust(self) -> bool:
        """Whether something blows on top of its velocity."""
        return self._gust is not None

    @property
    def has_surface(self) -> bool:
        """Whether it ends at a free surface."""
        return self._surface is not None

    @property
    def numbers(self) -> dict[str, Number]:
        """Numbers by name that `density_function` and `velocity_function` read from the parameters of a law."""
        found: dict[str, Number] = {"surface": 0.0 if self._surface is None else self._surface}
        for name, fluid in (("", self), ("above_", self.above)):
            if fluid is None:
                continue
            if not callable(fluid._density):
                found[f"{name}density"] = fluid._density
            if not callable(fluid._velocity):
                found |= dict(zip((f"{name}wind_x", f"{name}wind_y", f"{name}wind_z"), fluid._velocity, strict=True))
        return found

    def _layered(self, function_of: Callable[[Fluid, str], Function], unknown: Any, nothing: Function) -> Function:
        """A function of this fluid, and above its surface that of the other one, or of nothing."""
        below = self._known(function_of(self, ""), unknown)
        if self._surface is None:
            return below
        above = nothing if self.above is None else self.above._known(function_of(self.above, "above_"), unknown)
        return _up_to_surface(below, above)

    @property
    def density_function(self) -> Function:
        """density(x, y, z, t, p): kg/m^3 at a point, p the parameters of a law."""
        return self._layered(_density_of, math.nan, _nothing)

    @property
    def velocity_function(self) -> Function:
        """velocity(x, y, z, t, p): three numbers (m/s), world axes; with the gust."""
        if not self.has_gust:
            return self.mean_function
        return _both(self.mean_function, self.gust_function)

    @property
    def mean_function(self) -> Function:
        """The same without the gust."""
        return self._layered(_velocity_of, _UNKNOWN, still)

    @property
    def gust_function(self) -> Function:
        """The gust alone; over a free surface, too."""
        return still if self._gust is None else _velocity(self._gust)

    def at(self, x: float, y: float, z: float, t: float = 0.0) -> tuple[float, tuple[float, float, float]]:
        """Density (kg/m^3) and velocity (m/s) at a point and time."""
        given = {"x": x, "y": y, "z": z, "t": t}
        x, y, z, t = (checks.number("Fluid.at", name, value) for name, value in given.items())
        p = {name: resolve(value) for name, value in self.numbers.items()}
        try:
            u = np.array(self.velocity_function(x, y, z, t, p), dtype=float)
            density = float(self.density_function(x, y, z, t, p))
        except (TypeError, ValueError, IndexError, ArithmeticError) as error:
            raise self._wrong("density or velocity", f"gives no numbers at this point: {error}") from None
        unknown = "" if np.isfinite((density, *u)).all() else self.outside(x, y, z, t)
        if unknown:
            raise ArgumentError("Fluid.at", "", f"nothing is known of ({x:g}, {y:g}, {z:g}) m: {unknown}")
        return density, (float(u[0]), float(u[1]), float(u[2]))


def standard_density(ground: float) -> Function:
    """Density of the standard atmosphere as a function of the altitude above `ground` (m above sea level).

    Layers of one gradient of the temperature each, T' = -L: p goes with T^(g/RL), or exp(-g h/RT) where L = 0. Not a
    number below -2 km and above 84.852 km. Source: ISO 2533; U.S. Standard Atmosphere, 1976, table 4.
    """
    low, high = ISA_LOW, ISA_HIGH
    bases, lapses = _LAYERS
    T, p = [_T0], [_P0]
    for k in range(len(bases) - 1):
        step = bases[k + 1] - bases[k]
        T.append(T[k] - lapses[k] * step)
        part = -_G * step / (_R * T[k]) if lapses[k] == 0.0 else _G / (_R * lapses[k]) * math.log(T[k + 1] / T[k])
        p.append(p[k] * math.exp(part))
    base, lapse, warm, pressed = np.array(bases), np.array(lapses), np.array(T), np.array(p)

    def density(z: float) -> float:
        h = ground + z
        if h < low or h > high:
            return math.nan
        k = 0
        while k < len(base) - 1 and h > base[k + 1]:
            k += 1
        now = warm[k] - lapse[k] * (h - base[k])
        if lapse[k] == 0.0:
            return pressed[k] * math.exp(-_G * (h - base[k]) / (_R * now)) / (_R * now)
        return pressed[k] * (now / warm[k]) ** (_G / (_R * lapse[k])) / (_R * now)

    return density


def _nothing(x, y, z, t, p):  # type: ignore[no-untyped-def]
    return 0.0


def still(x, y, z, t, p):  # type: ignore[no-untyped-def]
    """No flow."""
    return 0.0, 0.0, 0.0


def _both(one: Function, other: Function) -> Function:
    def velocity(x, y, z, t, p):  # type: ignore[no-untyped-def]
        a, b = one(x, y, z, t, p), other(x, y, z, t, p)
        return a[0] + b[0], a[1] + b[1], a[2] + b[2]

    return velocity


def _density_of(fluid: Fluid, prefix: str) -> Function:
    """That of one fluid alone: its own function, or the number of that name among the parameters of a law."""
    given, name = fluid._density, f"{prefix}density"

    def constant(x, y, z, t, p):  # type: ignore[no-untyped-def]
        return p[name]

    def varying(x, y, z, t, p):  # type: ignore[no-untyped-def]
        rho = given(z)
        return rho if rho >= 0.0 else math.nan

    return varying if callable(given) else constant


def _velocity_of(fluid: Fluid, prefix: str) -> Function:
    """The same of its velocity."""
    along, side, up = (f"{prefix}wind_{axis}" for axis in "xyz")

    def constant(x, y, z, t, p):  # type: ignore[no-untyped-def]
        return p[along], p[side], p[up]

    return _velocity(fluid._velocity) if callable(fluid._velocity) else constant


def _velocity(function: Function) -> Function:
    def velocity(x, y, z, t, p):  # type: ignore[no-untyped-def]
        u = function(x, y, z, t)
        return u[0], u[1], u[2]

    return velocity


def _up_to_surface(below: Function, above: Function) -> Function:
    def value(x, y, z, t, p):  # type: ignore[no-untyped-def]
        if z <= p["surface"]:
            return below(x, y, z, t, p)
        return above(x, y, z, t, p)

    return value
