"""What a cross-section of a beam is: something that gives stiffness and mass per unit length, or the two themselves.

Both matrices are 6x6 in the section's own axes, x along the beam: axial, shear along y, shear along z, torsion, bending
about y, bending about z. The reference point is the centroid. Shapes are in `sections`.
"""

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np

from cosserat.errors import ArgumentError, ModelError
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.materials import Material
from cosserat.model.parameters import resolve
from cosserat.model.records import Given, Now, Record, recorded


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


def _check_shear(item: str, argument: str, value: Any) -> None:
    pair = value if isinstance(value, tuple) else (value,)
    if len(pair) > 2:
        raise ArgumentError(item, argument, f"must be one number or two (y, z), got {len(pair)}")
    for entry in pair:
        checks.number(item, argument, entry, positive=True)


class ShapeSection(AnySection):
    """Base of sections that are shapes of one material."""

    _shear_factor = Given[Any](_check_shear, optional=True)

    @abstractmethod
    def constants(self) -> Constants:
        """Area (m^2), second moments (m^4) and torsion constant (m^4)."""

    @abstractmethod
    def cowper(self, nu: float) -> tuple[float, float]:
        """Shear factors for shear along y and along z."""

    def shear_factors(self, nu: float) -> tuple[float, float]:
        """Shear factors (y, z): those given, else Cowper's."""
        given = self._shear_factor
        if given is None:
            return self.cowper(nu)
        y, z = given if isinstance(given, tuple) else (given, given)
        return resolve(y), resolve(z)

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

    def _thinner(self, inner: str, x: float, outer: str, limit: float) -> None:
        if x >= limit:
            raise self._wrong(inner, f"is {x:g}; it must be less than {outer} = {limit:g}")


def _six_by_six(item: str, argument: str, value: Any) -> Array:
    """A matrix (6, 6), or one given by its diagonal."""
    if isinstance(value, tuple) and len(value) == 6 and not any(isinstance(v, tuple) for v in value):
        return np.diag(checks.array(item, argument, value, (6,)))
    return checks.array(item, argument, value, (6, 6))


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

    _stiffness = Now[Array](_six_by_six)
    _mass = Now[Array](_six_by_six)

    @recorded
    def __init__(self, stiffness: Any, mass: Any) -> None:
        pass

    def check(self) -> None:
        K, M = self._stiffness, self._mass
        for argument, matrix in (("stiffness", K), ("mass", M)):
            checks.symmetric(self.title, argument, matrix)
        if np.diag(K).min() <= 0.0 or checks.lowest(K) <= 1e-14:
            raise self._wrong(
                "stiffness", f"is not positive definite (diagonal {checks.listed(np.diag(K))}); "
                "a free direction needs a small stiffness, not zero"
            )  # fmt: skip
        if np.diag(M)[:3].min() <= 0.0 or np.diag(M).min() < 0.0 or checks.lowest(M) < -1e-9:
            raise self._wrong(
                "mass", f"must be positive semi-definite with positive mass (diagonal {checks.listed(np.diag(M))})"
            )
        if np.abs(M[:3, :3] - M[0, 0] * np.eye(3)).max() > 1e-9 * M[0, 0]:
            rows = ", ".join(map(checks.listed, M[:3, :3]))
            raise self._wrong(
                "mass", f"begins with the rows {rows}; a section weighs the same along all axes: the first "
                "three rows and columns are the mass per length times the identity"
            )  # fmt: skip

    def matrices(self, material: Material | None = None) -> tuple[Array, Array]:
        return self._stiffness, self._mass

    def between(self, other: AnySection, x: float) -> AnySection:
        if not isinstance(other, Section):
            raise ModelError(f"cannot taper from Section to {type(other).__name__}; use one kind")
        (Ka, Ma), (Kb, Mb) = self.matrices(), other.matrices()
        return Section(stiffness=(1 - x) * Ka + x * Kb, mass=(1 - x) * Ma + x * Mb)
