"""Cross-sections of beams: from a shape and a material to stiffness and mass per unit length.

Both matrices are 6x6 in the section's own axes, x along the beam: axial, shear along y, shear along z, torsion, bending
about y, bending about z. The reference point is the centroid. Shear factors are those of G. R. Cowper, "The shear
coefficient in Timoshenko's beam theory", J. Appl. Mech. 33 (1966) 335-340, unless `shear_factor` is given.
"""

import math
from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np

from cosserat.errors import ArgumentError, ModelError
from cosserat.model import checks
from cosserat.model.jets import Array
from cosserat.model.materials import Material
from cosserat.model.parameters import Number, resolve
from cosserat.model.records import Record, recorded


class Constants(NamedTuple):
    """Geometric constants of a shape: area, second moments about y and z, product, torsion constant."""

    area: float
    Iy: float
    Iz: float
    J: float
    Iyz: float = 0.0


class AnySection(Record):
    """Base of all sections: something that gives the two matrices."""

    word = "section"

    @property
    def title(self) -> str:
        return f"section {type(self).__name__}"

    @abstractmethod
    def matrices(self, material: Material | None) -> tuple[Array, Array]:
        """Stiffness (6, 6) and mass (6, 6) per unit length."""

    @abstractmethod
    def between(self, other: "AnySection", x: float) -> "AnySection":
        """The section at the fraction x of a linear taper from this one to `other`."""


class ShapeSection(AnySection):
    """Base of sections that are shapes of one material."""

    _shear: Any

    @abstractmethod
    def constants(self) -> Constants:
        """Area (m^2), second moments (m^4) and torsion constant (m^4)."""

    @abstractmethod
    def cowper(self, nu: float) -> tuple[float, float]:
        """Shear factors for shear along y and along z."""

    def shear_factors(self, nu: float) -> tuple[float, float]:
        """Shear factors (y, z): those given, else Cowper's."""
        if self._shear is None:
            return self.cowper(nu)
        if isinstance(self._shear, tuple):
            return resolve(self._shear[0]), resolve(self._shear[1])
        return resolve(self._shear), resolve(self._shear)

    def matrices(self, material: Material | None) -> tuple[Array, Array]:
        if material is None:
            raise ModelError(f"{self.title}: it needs a material; pass material=cs.materials.STEEL or a Material")
        E, G, rho = material.E, material.G, material.rho
        c = self.constants()
        ky, kz = self.shear_factors(material.nu)
        stiffness = np.diag([E * c.area, ky * G * c.area, kz * G * c.area, G * c.J, E * c.Iy, E * c.Iz])
        mass = rho * np.diag([c.area, c.area, c.area, c.Iy + c.Iz, c.Iy, c.Iz])
        stiffness[4, 5] = stiffness[5, 4] = -E * c.Iyz
        mass[4, 5] = mass[5, 4] = -rho * c.Iyz
        return stiffness, mass

    def between(self, other: AnySection, x: float) -> AnySection:
        if type(other) is not type(self):
            raise ModelError(f"cannot taper from {type(self).__name__} to {type(other).__name__}; use one kind")
        mixed: dict[str, Any] = {}
        for name, a in self._given.items():
            b = other._given[name]
            if (a is None) != (b is None):
                raise ModelError(f"cannot taper: {name} is given at one end of the {type(self).__name__} only")
            if isinstance(a, tuple) != isinstance(b, tuple):
                raise ModelError(f"cannot taper: {name} is one number at one end and two at the other")
            if isinstance(a, tuple):
                mixed[name] = tuple((1 - x) * resolve(p) + x * resolve(q) for p, q in zip(a, b, strict=True))
            elif a is not None:
                mixed[name] = (1 - x) * resolve(a) + x * resolve(b)
        return type(self)(**mixed)

    def check(self) -> None:
        for name, value in self._given.items():
            if name == "shear_factor":
                self._check_shear(value)
            elif name != "inner_diameter" and name != "Iyz":
                checks.number(self.title, name, value, positive=True)

    def _check_shear(self, value: Any) -> None:
        if value is None:
            return
        pair = value if isinstance(value, tuple) else (value,)
        if len(pair) > 2:
            raise ArgumentError(self.title, "shear_factor", f"must be one number or two (y, z), got {len(pair)}")
        for entry in pair:
            checks.number(self.title, "shear_factor", entry, positive=True)

    def _thinner(self, inner: str, x: float, outer: str, limit: float) -> None:
        if x >= limit:
            raise ArgumentError(self.title, inner, f"is {x:g}; it must be less than {outer} = {limit:g}")


class Rod(ShapeSection):
    """A solid circle.

    Parameters
    ----------
    diameter : float
        (m).
    shear_factor : float or (y, z), optional
        Default: Cowper's 6 (1 + nu) / (7 + 6 nu).

    Examples
    --------
    >>> import cosserat as cs
    >>> stiffness, mass = cs.Rod(diameter=0.02).matrices(cs.materials.STEEL)
    >>> round(float(mass[0, 0]), 4)
    2.4662
    """

    @recorded
    def __init__(self, diameter: Number, shear_factor: Any = None) -> None:
        self._diameter, self._shear = diameter, self._given["shear_factor"]

    @property
    def diameter(self) -> float:
        return resolve(self._diameter)

    def constants(self) -> Constants:
        d = self.diameter
        moment = math.pi * d**4 / 64
        return Constants(math.pi * d**2 / 4, moment, moment, 2 * moment)

    def cowper(self, nu: float) -> tuple[float, float]:
        k = 6 * (1 + nu) / (7 + 6 * nu)
        return k, k


class Tube(ShapeSection):
    """A circular ring.

    Parameters
    ----------
    outer_diameter, inner_diameter : float
        (m), the inner one less than the outer one; 0 gives a rod.
    shear_factor : float or (y, z), optional
        Default: Cowper's factor of the hollow circle.

    Examples
    --------
    >>> round(Tube(outer_diameter=0.030, inner_diameter=0.027).constants().area * 1e6, 3)
    134.303
    """

    @recorded
    def __init__(self, outer_diameter: Number, inner_diameter: Number, shear_factor: Any = None) -> None:
        self._outer, self._inner, self._shear = outer_diameter, inner_diameter, self._given["shear_factor"]

    @property
    def outer_diameter(self) -> float:
        return resolve(self._outer)

    @property
    def inner_diameter(self) -> float:
        return resolve(self._inner)

    def check(self) -> None:
        super().check()
        inner = checks.number(self.title, "inner_diameter", self._inner, nonnegative=True)
        self._thinner("inner_diameter", inner, "outer_diameter", self.outer_diameter)

    def constants(self) -> Constants:
        D, d = self.outer_diameter, self.inner_diameter
        moment = math.pi * (D**4 - d**4) / 64
        return Constants(math.pi * (D**2 - d**2) / 4, moment, moment, 2 * moment)

    def cowper(self, nu: float) -> tuple[float, float]:
        m = self.inner_diameter / self.outer_diameter
        a = (1 + m**2) ** 2
        k = 6 * (1 + nu) * a / ((7 + 6 * nu) * a + (20 + 12 * nu) * m**2)
        return k, k


class Rectangle(ShapeSection):
    """A solid rectangle: `width` along the local y axis, `height` along the local z axis.

    The torsion constant is Saint-Venant's series; the shear factor is Cowper's 10 (1 + nu) / (12 + 11 nu).

    Examples
    --------
    >>> import cosserat as cs
    >>> round(1e6 * cs.Rectangle(width=0.03, height=0.01).constants().area, 6)
    300.0
    """

    @recorded
    def __init__(self, width: Number, height: Number, shear_factor: Any = None) -> None:
        self._width, self._height, self._shear = width, height, self._given["shear_factor"]

    @property
    def width(self) -> float:
        return resolve(self._width)

    @property
    def height(self) -> float:
        return resolve(self._height)

    def constants(self) -> Constants:
        w, h = self.width, self.height
        a, b = max(w, h), min(w, h)
        odd = np.arange(1, 40, 2)
        series = float(np.sum(np.tanh(odd * math.pi * a / (2 * b)) / odd**5))
        J = a * b**3 * (1 / 3 - 64 / math.pi**5 * (b / a) * series)
        return Constants(w * h, w * h**3 / 12, h * w**3 / 12, J)

    def cowper(self, nu: float) -> tuple[float, float]:
        k = 10 * (1 + nu) / (12 + 11 * nu)
        return k, k


class Box(ShapeSection):
    """A thin-walled rectangular tube, `width` along y and `height` along z measured outside.

    Torsion after Bredt, shear after Cowper (thin-walled box), both on the middle line of the walls.

    Examples
    --------
    >>> import cosserat as cs
    >>> round(cs.Box(width=0.1, height=0.2, thickness=0.01).constants().area, 6)
    0.0056
    """

    @recorded
    def __init__(self, width: Number, height: Number, thickness: Number, shear_factor: Any = None) -> None:
        self._width, self._height, self._thickness = width, height, thickness
        self._shear = self._given["shear_factor"]

    @property
    def width(self) -> float:
        return resolve(self._width)

    @property
    def height(self) -> float:
        return resolve(self._height)

    @property
    def thickness(self) -> float:
        return resolve(self._thickness)

    def check(self) -> None:
        super().check()
        self._thinner("thickness", self.thickness, "half the smaller side", min(self.width, self.height) / 2)

    def constants(self) -> Constants:
        w, h, t = self.width, self.height, self.thickness
        wi, hi, wm, hm = w - 2 * t, h - 2 * t, w - t, h - t
        J = 2 * t * wm**2 * hm**2 / (wm + hm)
        return Constants(w * h - wi * hi, (w * h**3 - wi * hi**3) / 12, (h * w**3 - hi * wi**3) / 12, J)

    def cowper(self, nu: float) -> tuple[float, float]:
        w, h = self.width - self.thickness, self.height - self.thickness
        return _cowper_box(w, h, nu), _cowper_box(h, w, nu)


def _cowper_box(h: float, b: float, nu: float) -> float:
    """Cowper's factor of a thin-walled box of equal walls, shear along h."""
    m = n = b / h
    webs = _cowper_webs(m, nu) + 10 * n**2 * ((3 + nu) * m + 3 * m**2)
    return 10 * (1 + nu) * (1 + 3 * m) ** 2 / webs


def _cowper_webs(m: float, nu: float) -> float:
    return (12 + 72 * m + 150 * m**2 + 90 * m**3) + nu * (11 + 66 * m + 135 * m**2 + 90 * m**3)


class IBeam(ShapeSection):
    """A doubly symmetric I: flanges of `width` along y, `height` (outside) along z.

    Torsion constant of thin open walls. Shear along the web after Cowper (thin-walled I); along the flanges, which
    Cowper does not treat, the two flanges carry it as rectangles.

    Examples
    --------
    >>> import cosserat as cs
    >>> beam = cs.IBeam(width=0.1, height=0.2, web_thickness=0.006, flange_thickness=0.01)
    >>> round(beam.constants().area, 6)
    0.00308
    """

    @recorded
    def __init__(
        self,
        width: Number,
        height: Number,
        web_thickness: Number,
        flange_thickness: Number,
        shear_factor: Any = None,
    ) -> None:
        self._width, self._height = width, height
        self._web, self._flange, self._shear = web_thickness, flange_thickness, self._given["shear_factor"]

    @property
    def width(self) -> float:
        return resolve(self._width)

    @property
    def height(self) -> float:
        return resolve(self._height)

    @property
    def web_thickness(self) -> float:
        return resolve(self._web)

    @property
    def flange_thickness(self) -> float:
        return resolve(self._flange)

    def check(self) -> None:
        super().check()
        self._thinner("web_thickness", self.web_thickness, "width", self.width)
        self._thinner("flange_thickness", self.flange_thickness, "half the height", self.height / 2)

    def constants(self) -> Constants:
        b, h, tw, tf = self.width, self.height, self.web_thickness, self.flange_thickness
        hi = h - 2 * tf
        return Constants(
            area=2 * b * tf + hi * tw,
            Iy=(b * h**3 - (b - tw) * hi**3) / 12,
            Iz=(2 * tf * b**3 + hi * tw**3) / 12,
            J=(2 * b * tf**3 + (h - tf) * tw**3) / 3,
        )

    def cowper(self, nu: float) -> tuple[float, float]:
        b, h = self.width, self.height - self.flange_thickness
        m, n = 2 * b * self.flange_thickness / (h * self.web_thickness), b / h
        below = _cowper_webs(m, nu) + 30 * n**2 * (m + m**2) + 5 * nu * n**2 * (8 * m + 9 * m**2)
        along_flanges = 10 * (1 + nu) / (12 + 11 * nu) * 2 * b * self.flange_thickness / self.constants().area
        return along_flanges, 10 * (1 + nu) * (1 + 3 * m) ** 2 / below


class Profile(ShapeSection):
    """A shape given by its constants, for instance from a catalogue.

    Parameters
    ----------
    area, Iy, Iz, J : float
        Area (m^2), second moments about the local y and z axes, torsion constant (m^4).
    shear_factor : float or (y, z)
    Iyz : float
        Product of area, integral of y z (m^4).

    Examples
    --------
    >>> import cosserat as cs
    >>> channel = cs.Profile(area=1e-3, Iy=2e-6, Iz=3e-7, J=1e-8, shear_factor=(0.4, 0.3))
    >>> channel.constants().Iy
    2e-06
    """

    @recorded
    def __init__(
        self, area: Number, Iy: Number, Iz: Number, J: Number, shear_factor: Any = 5 / 6, Iyz: Number = 0.0
    ) -> None:
        self._numbers = (area, Iy, Iz, J, Iyz)
        self._shear = self._given["shear_factor"]

    def check(self) -> None:
        super().check()
        if self._shear is None:
            raise ArgumentError(self.title, "shear_factor", "must be given; a common choice is 5/6")
        checks.number(self.title, "Iyz", self._numbers[4])
        c = self.constants()
        if c.Iyz**2 >= c.Iy * c.Iz:
            raise ArgumentError(self.title, "Iyz", f"is {c.Iyz:g}; its square must be less than Iy Iz")

    def constants(self) -> Constants:
        return Constants(*(resolve(x) for x in self._numbers))

    def cowper(self, nu: float) -> tuple[float, float]:
        raise ModelError(f"{self.title}: shear_factor must be given")


class Section(AnySection):
    """A section given by its two matrices, without shape or material.

    Parameters
    ----------
    stiffness : (6, 6) or (6,)
        Axial (N), shear y, shear z (N), torsion, bending about y, bending about z (N m^2); symmetric positive
        definite. Six numbers are the diagonal.
    mass : (6, 6) or (6,)
        Per unit length: mass (kg/m), the same number three times, then rotary inertia (kg m) about x, y, z; symmetric,
        positive semi-definite, with positive mass.

    Examples
    --------
    >>> import cosserat as cs
    >>> section = cs.Section(stiffness=[1e6, 1e6, 1e6, 5, 8, 8], mass=[2, 2, 2, 1e-3, 5e-4, 5e-4])
    >>> section.matrices()[0].diagonal().tolist()
    [1000000.0, 1000000.0, 1000000.0, 5.0, 8.0, 8.0]
    """

    @recorded
    def __init__(self, stiffness: Any, mass: Any) -> None:
        self._stiffness, self._mass = self._given["stiffness"], self._given["mass"]

    @staticmethod
    def _matrix(item: str, argument: str, value: Any) -> Array:
        if isinstance(value, tuple) and len(value) == 6 and not any(isinstance(v, tuple) for v in value):
            return np.diag(checks.array(item, argument, value, (6,)))
        return checks.array(item, argument, value, (6, 6))

    def check(self) -> None:
        K, M = self.matrices(None)
        for argument, matrix in (("stiffness", K), ("mass", M)):
            checks.symmetric(self.title, argument, matrix)
        # scaled to a unit diagonal, so that the test does not depend on units
        if np.diag(K).min() <= 0.0 or np.linalg.eigvalsh(_scaled(K)).min() <= 1e-14:
            raise ArgumentError(
                self.title, "stiffness", f"is not positive definite (diagonal {_row(np.diag(K))}); "
                "a free direction needs a small stiffness, not zero"
            )  # fmt: skip
        if np.diag(M)[:3].min() <= 0.0 or np.diag(M).min() < 0.0 or np.linalg.eigvalsh(_scaled(M)).min() < -1e-9:
            raise ArgumentError(
                self.title, "mass", f"must be positive semi-definite with positive mass (diagonal {_row(np.diag(M))})"
            )
        if np.abs(M[:3, :3] - M[0, 0] * np.eye(3)).max() > 1e-9 * M[0, 0]:
            rows = ", ".join(map(_row, M[:3, :3]))
            raise ArgumentError(
                self.title, "mass", f"begins with the rows {rows}; a section weighs the same along all axes: the first "
                "three rows and columns are the mass per length times the identity"
            )  # fmt: skip

    def matrices(self, material: Material | None = None) -> tuple[Array, Array]:
        K = self._matrix(self.title, "stiffness", self._stiffness)
        return K, self._matrix(self.title, "mass", self._mass)

    def between(self, other: AnySection, x: float) -> AnySection:
        if not isinstance(other, Section):
            raise ModelError(f"cannot taper from Section to {type(other).__name__}; use one kind")
        (Ka, Ma), (Kb, Mb) = self.matrices(), other.matrices()
        return Section(stiffness=(1 - x) * Ka + x * Kb, mass=(1 - x) * Ma + x * Mb)


def _scaled(matrix: Array) -> Array:
    diagonal = np.where(np.diag(matrix) > 0.0, np.diag(matrix), 1.0)
    return matrix / np.sqrt(np.outer(diagonal, diagonal))


def _row(values: Array) -> str:
    return "(" + ", ".join(f"{v:g}" for v in values) + ")"
