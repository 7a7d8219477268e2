"""Sections against textbook numbers."""

import math
import sys
import types
from typing import Any

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import ArgumentError, MissingDependencyError, ModelError
from cosserat.model.materials import ALUMINIUM_6061, STEEL, Material
from cosserat.model.parameters import Parameter
from cosserat.model.section import AnySection, Section, ShapeSection
from cosserat.model.sections import Box, IBeam, Profile, Rectangle, Rod, Tube, section_from_geometry

UNIT = Material(E=2.0, nu=0.0, rho=3.0)  # E = 2, G = 1


def test_rod() -> None:
    c = Rod(0.02).constants()
    assert c.area == pytest.approx(3.14159265e-4, rel=1e-8)
    assert c.Iy == c.Iz == pytest.approx(7.85398163e-9, rel=1e-8)
    assert c.J == pytest.approx(1.57079633e-8, rel=1e-8)
    assert Rod(0.02).cowper(0.3) == pytest.approx((0.886363636, 0.886363636))  # 7.8 / 8.8


def test_tube_of_the_two_link_manipulator() -> None:
    c = Tube(0.030, 0.027).constants()
    assert c.area == pytest.approx(math.pi * (0.030**2 - 0.027**2) / 4)
    assert c.Iy == pytest.approx(math.pi * (0.030**4 - 0.027**4) / 64)
    assert c.J == pytest.approx(2 * c.Iy)
    K, M = Tube(0.030, 0.027, shear_factor=0.5).matrices(ALUMINIUM_6061)
    assert K[0, 0] == pytest.approx(68.9e9 * c.area)
    assert K[1, 1] == K[2, 2] == pytest.approx(0.5 * 68.9e9 / 2.66 * c.area)
    assert M[3, 3] == pytest.approx(2700 * c.J)
    assert M[0, 0] == pytest.approx(2700 * c.area)


def test_cowper_limits() -> None:
    nu = 0.3
    assert Tube(1.0, 0.0).cowper(nu) == pytest.approx(Rod(1.0).cowper(nu))
    thin = 2 * (1 + nu) / (4 + 3 * nu)  # thin round tube: 0.5306
    assert Tube(1.0, 0.999999).cowper(nu)[0] == pytest.approx(thin, rel=1e-5)
    assert Rectangle(1, 2).cowper(0.0) == pytest.approx((5 / 6, 5 / 6))
    assert Rectangle(1, 2).cowper(0.3) == pytest.approx((13 / 15.3, 13 / 15.3))
    # without flanges the web of an I is a rectangle
    assert IBeam(0.010001, 1.0, 0.01, 1e-9).cowper(nu)[1] == pytest.approx(13 / 15.3, rel=1e-5)
    # a square box has equal factors; formula of Cowper with m = n = 1, nu = 0: 160 / (324 + 60)
    assert Box(0.101, 0.101, 0.001).cowper(0.0) == pytest.approx((160 / 384, 160 / 384))


def test_rectangle_axes_and_torsion() -> None:
    c = Rectangle(width=0.03, height=0.06).constants()
    assert c.Iy == pytest.approx(0.03 * 0.06**3 / 12)
    assert c.Iz == pytest.approx(0.06 * 0.03**3 / 12)
    # Timoshenko, Theory of Elasticity, table of J / (a b^3)
    for ratio, beta in ((1.0, 0.1406), (1.5, 0.196), (2.0, 0.229), (3.0, 0.263), (10.0, 0.312)):
        assert Rectangle(1.0, ratio).constants().J == pytest.approx(beta * ratio, rel=4e-3)
        assert Rectangle(ratio, 1.0).constants().J == Rectangle(1.0, ratio).constants().J
    assert Rectangle(1, 1).constants().J == pytest.approx(0.140577, rel=1e-5)


def test_box_and_i_beam() -> None:
    c = Box(0.1, 0.2, 0.005).constants()
    assert c.area == pytest.approx(0.1 * 0.2 - 0.09 * 0.19)
    assert c.Iy == pytest.approx((0.1 * 0.2**3 - 0.09 * 0.19**3) / 12)
    assert c.J == pytest.approx(4 * (0.095 * 0.195) ** 2 * 0.005 / (2 * (0.095 + 0.195)))
    c = IBeam(width=0.1, height=0.2, web_thickness=0.0056, flange_thickness=0.0085).constants()  # IPE 200 without radii
    assert c.area == pytest.approx(27.25e-4, rel=1e-3)
    assert c.Iy == pytest.approx(1846e-8, rel=2e-3)
    assert c.Iz == pytest.approx(141.9e-8, rel=2e-3)
    ky, kz = IBeam(0.1, 0.2, 0.0056, 0.0085).cowper(0.3)
    assert 0.3 < kz < 0.5
    assert 0.4 < ky < 0.6


@pytest.mark.parametrize(
    "section, J, factors",
    [
        (Rectangle(0.1, 0.2), 4.5740e-5, (0.8334, 0.8333)),
        (Box(0.1, 0.2, 0.003), 7.5318e-6, (0.2231, 0.6176)),
        (IBeam(0.1, 0.2, 0.003, 0.004), 5.9985e-9, (0.4894, 0.4114)),
    ],
)
def test_against_finite_elements_of_the_section(section: ShapeSection, J: float, factors: tuple[float, float]) -> None:
    """Numbers of sectionproperties 3.10 for nu = 0; the closed forms of Box and IBeam hold for thin walls."""
    assert section.constants().J == pytest.approx(J, rel=0.012)
    assert section.cowper(0.0) == pytest.approx(factors, rel=0.02)


def test_order_of_the_matrices() -> None:
    K, M = Rectangle(width=1.0, height=2.0, shear_factor=(0.5, 0.25)).matrices(UNIT)
    c = Rectangle(1.0, 2.0).constants()
    np.testing.assert_allclose(np.diag(K), [4, 1, 0.5, c.J, 2 * 8 / 12, 2 * 2 / 12])
    np.testing.assert_allclose(np.diag(M), [6, 6, 6, 3 * 10 / 12, 3 * 8 / 12, 3 * 2 / 12])
    K, M = Profile(area=1, Iy=2, Iz=3, J=4, Iyz=0.5).matrices(UNIT)
    assert K[4, 5] == K[5, 4] == -1.0
    assert M[4, 5] == -1.5


def test_section_matrices() -> None:
    K, M = Section(stiffness=[1, 2, 3, 4, 5, 6], mass=np.diag([1, 1, 1, 0, 0, 0])).matrices()
    assert np.diag(K).tolist() == [1, 2, 3, 4, 5, 6]
    assert np.diag(M).tolist() == [1, 1, 1, 0, 0, 0]


def test_parameters_stay_alive() -> None:
    d = Parameter("d", 0.01)
    rod = Rod(2 * d)
    d.value = 0.02
    assert rod.diameter == 0.04
    assert list(rod.parameters()) == [d]


@pytest.mark.parametrize(
    "a, b, quarter",
    [
        (Rod(0.02), Rod(0.04), Rod(0.025)),
        (Tube(0.04, 0.02), Tube(0.02, 0.01), Tube(0.035, 0.0175)),
        (Rectangle(1, 2, shear_factor=(0.5, 0.6)), Rectangle(2, 4, shear_factor=(0.7, 0.8)),
         Rectangle(1.25, 2.5, shear_factor=(0.55, 0.65))),
    ],
)  # fmt: skip
def test_tapers(a: AnySection, b: AnySection, quarter: AnySection) -> None:
    for mine, theirs in zip(a.between(b, 0.25).matrices(STEEL), quarter.matrices(STEEL), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-14)


def test_taper_of_matrices() -> None:
    mixed = Section([1] * 6, [1] * 6).between(Section([3] * 6, [2] * 6), 0.5)
    np.testing.assert_allclose(mixed.matrices(None)[0], 2 * np.eye(6))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Rod(1).between(Tube(2, 1), 0.5), "cannot taper from Rod to Tube"),
        (lambda: Section([1] * 6, [1] * 6).between(Rod(1), 0.5), "cannot taper from Section to Rod"),
        (lambda: Rod(1, shear_factor=1).between(Rod(1), 0.5), "shear_factor is given at one end"),
        (lambda: Rod(1, shear_factor=1).between(Rod(1, shear_factor=(1, 1)), 0.5), "one number at one end and two"),
        (lambda: Rod(1).matrices(None), "section Rod: it needs a material"),
    ],
)
def test_impossible_uses(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Rod(0), "section Rod: diameter is 0; it must be greater than 0"),
        (lambda: Rod("1"), "diameter must be a number"),
        (lambda: Tube(0.01, 0.02), "inner_diameter is 0.02; it must be less than outer_diameter = 0.01"),
        (lambda: Tube(0.01, -0.02), "inner_diameter is -0.02; it must not be negative"),
        (lambda: Box(1, 2, 0.5), "thickness is 0.5; it must be less than half the smaller side = 0.5"),
        (lambda: IBeam(1, 2, 1, 0.1), "web_thickness is 1; it must be less than width"),
        (lambda: IBeam(1, 2, 0.1, 1), "flange_thickness is 1; it must be less than half the height"),
        (lambda: Rod(1, shear_factor=(1, 2, 3)), "shear_factor must be one number or two"),
        (lambda: Rod(1, shear_factor=-1), "shear_factor is -1"),
        (lambda: Profile(1, 1, 1, 1, shear_factor=None), "shear_factor must be given"),
        (lambda: Profile(1, 1, 1, 1, Iyz=2), "Iyz is 2"),
        (lambda: Section([1, 2, 3], [1] * 6), "stiffness must be 6x6 numbers"),
        (lambda: Section([1, 1, 1, 1, 1, 0], [1] * 6), "stiffness is not positive definite"),
        (lambda: Section([1] * 6, [0, 1, 1, 1, 1, 1]), "mass must be positive semi-definite"),
        (lambda: Section(np.eye(6) + np.eye(6, k=1), [1] * 6), "stiffness is not symmetric"),
        (lambda: Material(E=1, nu=0.6, rho=1), "nu is 0.6; Poisson's ratio lies between -1 and 0.5"),
        (lambda: Material(E=-1, nu=0.3, rho=1), "E is -1"),
        (lambda: Material(E=1, nu=0.3, rho=0, name="foam"), "material 'foam': rho is 0"),
        (lambda: Material(E=1, nu=0.3, rho=1, damping=-1), "damping is -1"),
    ],
)  # fmt: skip
def test_bad_numbers(make: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make()


def test_geometry_needs_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sectionproperties.analysis", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'cosserat\[sections\]'"):
        section_from_geometry(object())


def test_geometry_maps_axes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library's x is our y: what it calls Ixx is bending about our y axis."""

    class Analysis:
        def __init__(self, geometry: Any) -> None:
            self.calculate_geometric_properties = self.calculate_warping_properties = lambda: None
            self.get_area, self.get_ic, self.get_j = lambda: 2.0, lambda: (4.0, 5.0, 0.5), lambda: 3.0
            self.get_as = lambda: (1.0, 1.5)

    module = types.ModuleType("sectionproperties.analysis")
    module.Section = Analysis  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sectionproperties", types.ModuleType("sectionproperties"))
    monkeypatch.setitem(sys.modules, "sectionproperties.analysis", module)
    geometry = types.SimpleNamespace(create_mesh=lambda mesh_sizes: None, calculate_area=lambda: 2.0)
    profile = section_from_geometry(geometry)
    assert profile == Profile(area=2.0, Iy=4.0, Iz=5.0, J=3.0, shear_factor=(0.5, 0.75), Iyz=0.5)
    with pytest.raises(ModelError, match="is not a geometry"):
        section_from_geometry(3)


def test_a_section_has_one_mass() -> None:
    stiffness = [1e6, 1e6, 1e6, 10, 10, 10]
    with pytest.raises(ArgumentError, match="weighs the same along all axes"):
        Section(stiffness=stiffness, mass=[1, 2, 1, 1e-3, 1e-3, 1e-3])
    mass = np.diag([1.0, 1, 1, 1e-3, 1e-3, 1e-3])
    mass[0, 1] = mass[1, 0] = 0.1
    with pytest.raises(ArgumentError, match="weighs the same along all axes"):
        Section(stiffness=stiffness, mass=mass)


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e90])
def test_numbers_of_any_size_are_judged(size):
    """Products of two of them are no numbers; an eigenvalue that does not converge is no answer."""
    cs.Section(stiffness=np.diag([1.0, 1.0, 1.0, 1.0, size, 1.0]), mass=np.eye(6))
    across = np.eye(6)
    across[3, 4] = across[4, 3] = 2.0 * size
    if size > 1.0:
        with pytest.raises(cs.CosseratError, match="stiffness is not positive definite"):
            cs.Section(stiffness=across, mass=np.eye(6))
    across[3, 3] = 0.0
    across[3, 4] = across[4, 3] = 1e9
    with pytest.raises(cs.CosseratError, match="not positive semidefinite"):
        cs.AddedMass("water", "hull", across)
