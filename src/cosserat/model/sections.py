"""Cross-sections of beams: from a shape and a material to stiffness and mass per unit length.

Both matrices are 6x6 in the section's own axes, x along the beam: axial, shear along y, shear along z, torsion, bending
about y, bending about z. The reference point is the centroid. Shear factors are those of G. R. Cowper, "The shear
coefficient in Timoshenko's beam theory", J. Appl. Mech. 33 (1966) 335-340, unless `shear_factor` is given.

Sections of any outline come through the optional library sectionproperties.
"""

import math
from typing import Any

import numpy as np

from cosserat.calls import answered
from cosserat.errors import MissingDependencyError, ModelError
from cosserat.model.parameters import Number
from cosserat.model.records import Scalar, recorded
from cosserat.model.section import Constants, ShapeSection


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

    diameter = Scalar("(m).", positive=True)

    @recorded
    def __init__(self, diameter: Number, shear_factor: Any = None) -> None:
        pass

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

    outer_diameter = Scalar("(m).", positive=True)
    inner_diameter = Scalar("(m).", nonnegative=True)

    @recorded
    def __init__(self, outer_diameter: Number, inner_diameter: Number, shear_factor: Any = None) -> None:
        pass

    def check(self) -> None:
        super().check()
        self._thinner("inner_diameter", self.inner_diameter, "outer_diameter", self.outer_diameter)

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

    width = Scalar("Along y (m).", positive=True)
    height = Scalar("Along z (m).", positive=True)

    @recorded
    def __init__(self, width: Number, height: Number, shear_factor: Any = None) -> None:
        pass

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

    width = Scalar("Along y, outside (m).", positive=True)
    height = Scalar("Along z, outside (m).", positive=True)
    thickness = Scalar("Of the walls (m).", positive=True)

    @recorded
    def __init__(self, width: Number, height: Number, thickness: Number, shear_factor: Any = None) -> None:
        pass

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

    width = Scalar("Of the flanges, along y (m).", positive=True)
    height = Scalar("Along z, outside (m).", positive=True)
    web_thickness = Scalar("(m).", positive=True)
    flange_thickness = Scalar("(m).", positive=True)

    @recorded
    def __init__(
        self,
        width: Number,
        height: Number,
        web_thickness: Number,
        flange_thickness: Number,
        shear_factor: Any = None,
    ) -> None:
        pass

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

    area = Scalar("(m^2).", positive=True)
    Iy = Scalar("Second moment about y (m^4).", positive=True)
    Iz = Scalar("Second moment about z (m^4).", positive=True)
    J = Scalar("Torsion constant (m^4).", positive=True)
    Iyz = Scalar("Product of area (m^4).")

    @recorded
    def __init__(
        self, area: Number, Iy: Number, Iz: Number, J: Number, shear_factor: Any = 5 / 6, Iyz: Number = 0.0
    ) -> None:
        pass

    def check(self) -> None:
        super().check()
        if self._shear_factor is None:
            raise self._wrong("shear_factor", "must be given; a common choice is 5/6")
        c = self.constants()
        if c.Iyz**2 >= c.Iy * c.Iz:
            raise self._wrong("Iyz", f"is {c.Iyz:g}; its square must be less than Iy Iz")

    def constants(self) -> Constants:
        return Constants(self.area, self.Iy, self.Iz, self.J, self.Iyz)

    def cowper(self, nu: float) -> tuple[float, float]:
        raise ModelError(f"{self.title}: shear_factor must be given")


@answered()
def section_from_geometry(geometry: Any, mesh_size: float | None = None) -> Profile:
    """Constants of a geometry of the library sectionproperties, by its own finite elements.

    Parameters
    ----------
    geometry : sectionproperties.pre.Geometry
        Its x axis becomes the local y axis of the section, its y axis the local z axis.
    mesh_size : float, optional
        Largest triangle area (m^2); default: 1/200 of the area.

    Returns
    -------
    Profile
        Centroidal constants; shear factors are shear area over area. The shear centre is ignored: it is taken to be
        the centroid. A channel or another open profile whose shear centre is elsewhere twists under forces through its
        centroid; give it as a `Section` whose stiffness couples shear and torsion.

    Examples
    --------
    >>> import cosserat as cs
    >>> from sectionproperties.pre.library import i_section  # doctest: +SKIP
    >>> geometry = i_section(d=0.2, b=0.1, t_f=0.01, t_w=0.006, r=0.01, n_r=8)  # doctest: +SKIP
    >>> cs.section_from_geometry(geometry).constants().area  # doctest: +SKIP
    """
    try:
        from sectionproperties.analysis import Section as Analysis
    except ImportError:
        raise MissingDependencyError(
            "section_from_geometry needs the library sectionproperties; install it with "
            "pip install 'cosserat[sections]'"
        ) from None
    create_mesh = getattr(geometry, "create_mesh", None)
    if create_mesh is None:
        raise ModelError(f"section_from_geometry: {geometry!r} is not a geometry of sectionproperties")
    create_mesh(mesh_sizes=[mesh_size if mesh_size is not None else geometry.calculate_area() / 200])
    analysis = Analysis(geometry)
    analysis.calculate_geometric_properties()
    analysis.calculate_warping_properties()
    area = analysis.get_area()
    Ixx, Iyy, Ixy = analysis.get_ic()
    shear_x, shear_y = analysis.get_as()
    return Profile(
        area=area, Iy=Ixx, Iz=Iyy, J=analysis.get_j(), shear_factor=(shear_x / area, shear_y / area), Iyz=Ixy
    )
