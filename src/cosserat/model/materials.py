"""Materials: isotropic, linear elastic, with optional Kelvin-Voigt damping.

>>> import cosserat as cs
>>> round(cs.materials.STEEL.G / 1e9, 2)
80.77
"""

from cosserat.errors import shown
from cosserat.model.parameters import Number
from cosserat.model.records import Record, Scalar, recorded


class Material(Record):
    """An isotropic linear elastic material.

    Parameters
    ----------
    E : float
        Young's modulus (Pa), greater than 0.
    nu : float
        Poisson's ratio, between -1 and 0.5.
    rho : float
        Density (kg/m^3), greater than 0.
    damping : float
        Kelvin-Voigt time tau (s): the section's damping matrix is tau times its stiffness.
    name : str, optional
        Shown in messages and summaries.

    Examples
    --------
    >>> round(Material(E=210e9, nu=0.25, rho=7850).G / 1e9, 6)
    84.0
    """

    word = "material"
    E = Scalar("Young's modulus (Pa).", positive=True)
    nu = Scalar("Poisson's ratio.")
    rho = Scalar("Density (kg/m^3).", positive=True)
    damping = Scalar("Kelvin-Voigt time (s).", nonnegative=True)

    @recorded
    def __init__(self, E: Number, nu: Number, rho: Number, damping: Number = 0.0, name: str | None = None) -> None:
        self.name = name

    def check(self) -> None:
        super().check()
        if not -1.0 < self.nu <= 0.5:
            raise self._wrong("nu", f"is {self.nu:g}; Poisson's ratio lies between -1 and 0.5")
        if self.name is not None and not isinstance(self.name, str):
            raise self._wrong("name", f"must be text, got {shown(self.name)}")

    @property
    def G(self) -> float:
        """Shear modulus E / (2 (1 + nu)) (Pa)."""
        return self.E / (2.0 * (1.0 + self.nu))


ALUMINIUM_6061 = Material(E=68.9e9, nu=0.33, rho=2700.0, name="aluminium 6061")
STEEL = Material(E=210e9, nu=0.3, rho=7850.0, name="steel")
STAINLESS_STEEL_304 = Material(E=193e9, nu=0.29, rho=8000.0, name="stainless steel 304")
TITANIUM = Material(E=113.8e9, nu=0.342, rho=4430.0, name="titanium Ti-6Al-4V")
BRASS = Material(E=100e9, nu=0.34, rho=8500.0, name="brass")
NYLON = Material(E=2.7e9, nu=0.39, rho=1140.0, name="nylon 6/6")
ABS = Material(E=2.2e9, nu=0.35, rho=1040.0, name="ABS")
SILICONE = Material(E=1.0e6, nu=0.49, rho=1100.0, name="silicone rubber")

__all__ = [
    "ABS", "ALUMINIUM_6061", "BRASS", "Material", "NYLON", "SILICONE", "STAINLESS_STEEL_304", "STEEL", "TITANIUM",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
