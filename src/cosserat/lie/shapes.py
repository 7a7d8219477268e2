"""Inertia of homogeneous bodies of the usual shapes.

Each function gives an `Inertia` in a frame at the centre of mass (for the cone too), with the axis of the
shape along the frame's ``axis``, "x", "y" or "z". Give ``mass`` (kg) or ``density`` (kg/m^3 for solids,
kg/m^2 for surfaces, kg/m for bars and hoops), not both. Lengths are in m.
"""

import math
from typing import Any

import numpy as np

from cosserat.errors import GeometryError
from cosserat.lie import checks
from cosserat.lie.inertia import Inertia

_AXES = {"x": 0, "y": 1, "z": 2}


def point(mass: float) -> Inertia:
    """Return a particle."""
    return Inertia(mass, name="point")


def box(size: Any, *, mass: float | None = None, density: float | None = None) -> Inertia:
    """Return a solid box with edges size = (a, b, c) along x, y, z.

    Examples
    --------
    >>> from cosserat.lie import shapes
    >>> np.diag(shapes.box((1, 2, 3), mass=12).central)
    array([13., 10.,  5.])
    """
    size = checks.vector(size, "box: size")
    a, b, c = (checks.positive(edge, "box: size") for edge in size)
    m = _mass("box", mass, density, a * b * c)
    return Inertia(m, central=m / 12.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b]), name="box")


def cylinder(
    radius: float,
    length: float,
    *,
    inner_radius: float = 0.0,
    mass: float | None = None,
    density: float | None = None,
    axis: str = "z",
) -> Inertia:
    """Return a solid cylinder, or a tube if ``inner_radius`` is given (equal radii: a shell, by mass)."""
    a = checks.positive(radius, "cylinder: radius")
    b = _inner("cylinder", inner_radius, a)
    h = checks.positive(length, "cylinder: length")
    m = _mass("cylinder", mass, density, math.pi * (a * a - b * b) * h)
    r2 = a * a + b * b
    return _axial("cylinder", m, m * r2 / 2.0, m * (3.0 * r2 + h * h) / 12.0, axis)


def disk(radius: float, *, mass: float | None = None, density: float | None = None, axis: str = "z") -> Inertia:
    """Return a thin disk; density per unit area."""
    r = checks.positive(radius, "disk: radius")
    m = _mass("disk", mass, density, math.pi * r * r)
    return _axial("disk", m, m * r * r / 2.0, m * r * r / 4.0, axis)


def hoop(radius: float, *, mass: float | None = None, density: float | None = None, axis: str = "z") -> Inertia:
    """Return a thin circle; density per unit length."""
    r = checks.positive(radius, "hoop: radius")
    m = _mass("hoop", mass, density, 2.0 * math.pi * r)
    return _axial("hoop", m, m * r * r, m * r * r / 2.0, axis)


def sphere(
    radius: float, *, inner_radius: float = 0.0, mass: float | None = None, density: float | None = None
) -> Inertia:
    """Return a solid sphere, or a hollow one if ``inner_radius`` is given (equal radii: a shell, by mass)."""
    a = checks.positive(radius, "sphere: radius")
    b = _inner("sphere", inner_radius, a)
    m = _mass("sphere", mass, density, 4.0 / 3.0 * math.pi * (a**3 - b**3))
    # (a^5 - b^5)/(a^3 - b^3) without the difference, so that a thin shell keeps its digits
    ratio = (a**4 + a**3 * b + a * a * b * b + a * b**3 + b**4) / (a * a + a * b + b * b)
    return Inertia(m, central=0.4 * m * ratio * np.eye(3), name="sphere")


def ellipsoid(semi_axes: Any, *, mass: float | None = None, density: float | None = None) -> Inertia:
    """Return a solid ellipsoid with semi-axes (a, b, c) along x, y, z."""
    semi_axes = checks.vector(semi_axes, "ellipsoid: semi_axes")
    a, b, c = (checks.positive(s, "ellipsoid: semi_axes") for s in semi_axes)
    m = _mass("ellipsoid", mass, density, 4.0 / 3.0 * math.pi * a * b * c)
    moments = m / 5.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    return Inertia(m, central=np.diag(moments), name="ellipsoid")


def bar(length: float, *, mass: float | None = None, density: float | None = None, axis: str = "x") -> Inertia:
    """Return a thin straight bar; density per unit length."""
    h = checks.positive(length, "bar: length")
    m = _mass("bar", mass, density, h)
    return _axial("bar", m, 0.0, m * h * h / 12.0, axis)


def plate(size: Any, *, mass: float | None = None, density: float | None = None) -> Inertia:
    """Return a thin rectangular plate with edges size = (a, b) along x, y; density per unit area.

    Source: [Lerbet17] exercise 9, a square of side 2 l with I_3 = 2 m l^2/3.
    Differs: its areal density is m/(4 l^2), printed m/(2 l).
    """
    size = checks.vector(size, "plate: size", 2)
    a, b = (checks.positive(edge, "plate: size") for edge in size)
    m = _mass("plate", mass, density, a * b)
    return Inertia(m, central=m / 12.0 * np.diag([b * b, a * a, a * a + b * b]), name="plate")


def cone(
    radius: float,
    height: float,
    *,
    mass: float | None = None,
    density: float | None = None,
    axis: str = "z",
) -> Inertia:
    """Return a solid cone, apex towards +axis; the centre of mass is height/4 above the base."""
    r, h = checks.positive(radius, "cone: radius"), checks.positive(height, "cone: height")
    m = _mass("cone", mass, density, math.pi * r * r * h / 3.0)
    return _axial("cone", m, 0.3 * m * r * r, m * (3.0 * r * r / 20.0 + 3.0 * h * h / 80.0), axis)


def _axial(name: str, mass: float, along: float, across: float, axis: str) -> Inertia:
    if axis not in _AXES:
        raise GeometryError(f"{name}: axis is {axis!r}; axes: 'x', 'y', 'z'")
    moments = np.full(3, across)
    moments[_AXES[axis]] = along
    return Inertia(mass, central=np.diag(moments), name=name)


def _inner(name: str, inner: float, outer: float) -> float:
    inner = checks.positive(inner, f"{name}: inner_radius", zero=True)
    if inner > outer:
        raise GeometryError(f"{name}: inner_radius {inner:g} exceeds radius {outer:g}; swap them")
    return inner


def _mass(name: str, mass: float | None, density: float | None, measure: float) -> float:
    if (mass is None) == (density is None):
        raise GeometryError(f"{name}: pass mass or density, one of them")
    if mass is not None:
        return checks.positive(mass, f"{name}: mass")
    if measure == 0.0:
        raise GeometryError(f"{name}: a shell without thickness has no volume; pass mass instead of density")
    return checks.positive(density, f"{name}: density") * measure
