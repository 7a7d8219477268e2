"""Flutter and divergence by strip theory: the typical section, and M. Goland's wing (J. Appl. Mech. 12, 1945).

Values with Jones' two lags are exact roots of the same equations, found apart from this library: 2.030368, 0.667812 for
the section; 137.635 m/s, 69.400 rad/s and 252.661 m/s for the wing.
"""

import numpy as np
import pytest

import cosserat as cs

SPAN, CHORD = 6.096, 1.8288
FLAP, TORSION = 9.77e6, 0.99e6


def typical_section(speed, **options):
    """a = -0.2, x = 0.2, r^2 = 0.25, mu = 20, omega_h/omega_alpha = 0.4; half chord, mass and omega_alpha are one."""
    model = cs.Model("section", fluid=cs.Fluid(density=1.0 / (20.0 * np.pi), velocity=(-1.0 * speed, 0, 0)))
    wing = model.add(cs.RigidBody("wing", mass=1.0, com=(-0.2, 0, 0), inertia=np.diag([1.0, 0.25 - 0.04, 1.0])))
    slide = model.add(cs.RigidBody("slide", mass=1e-9, com=(0, 0, 0), inertia=1e-9 * np.eye(3)))
    model.add(cs.Prismatic("heave", cs.GROUND, slide, axis=(0, 0, 1), at=(0, 0, 0), stiffness=0.16))
    model.add(cs.Revolute("pitch", slide, wing, axis=(0, -1, 0), at=(0, 0, 0), stiffness=0.25))
    model.add(cs.Strip("air", wing.at((0, 0, 0)), cs.Airfoil(), chord=2.0, axis=0.4, width=1.0, **options))
    return model


def goland(speed, elements=40, **options):
    """Axis at 33 % of the chord, centre of gravity at 43 %; stiff but for flap and torsion."""
    model = cs.Model("goland", fluid=cs.Fluid(density=1.225, velocity=(-1.0 * speed, 0, 0)))
    m, arm = 35.71, 0.1 * CHORD
    mass = np.diag([m, m, m, 8.64, 1e-5, m * arm**2 + 1e-5])
    mass[2, 3] = mass[3, 2] = m * arm  # to the rear, along the local y axis
    mass[0, 5] = mass[5, 0] = -m * arm
    stiff = 1e3 * FLAP
    section = cs.Section(stiffness=np.diag([stiff, stiff, stiff, TORSION, FLAP, stiff]), mass=mass)
    points = [(0, 0, 0), (0, SPAN, 0)]
    wing = model.add(cs.Beam("wing", points=points, section=section, elements=elements, up=(0, 0, 1)))
    model.add(cs.Fixed("root", cs.GROUND, wing.start))
    model.add(cs.Strip("air", wing, cs.Airfoil(), chord=CHORD, axis=0.33, **options))
    return model


BOTH = pytest.mark.parametrize("formulation", [None, cs.Floating(modes=16)])


@BOTH
def test_typical_section(formulation):
    section, grid = typical_section(cs.Parameter("U", 1.0)), np.linspace(0.5, 3.2, 7)
    found = cs.stability(section, "U", grid, formulation=formulation).critical
    assert [c.kind for c in found] == ["flutter", "divergence"]
    assert found[0].value == pytest.approx(2.030368, abs=1e-6)
    assert 2 * np.pi * found[0].frequency == pytest.approx(0.667812, abs=1e-6)
    assert found[1].value == pytest.approx(np.sqrt(20 * 0.25 / 0.6), rel=1e-7)


def test_typical_section_with_more_lags_comes_near_theodorsen():
    found = cs.stability(typical_section(cs.Parameter("U", 1.0), lags=6), "U", [1.8, 2.3]).critical
    assert found[0].value == pytest.approx(2.036571, abs=5e-4)
    assert 2 * np.pi * found[0].frequency == pytest.approx(0.678677, abs=5e-4)


@BOTH
def test_goland_wing(formulation):
    speed = cs.Parameter("U", 130.0)
    wing = goland(speed)
    flutter = cs.stability(wing, "U", [125.0, 150.0], n=3, formulation=formulation).critical[0]
    assert flutter.kind == "flutter"
    assert flutter.value == pytest.approx(137.635, abs=0.05)
    assert 2 * np.pi * flutter.frequency == pytest.approx(69.400, abs=0.05)
    divergence = cs.stability(wing, "U", [240.0, 265.0], n=3, formulation=formulation).critical[0]
    assert divergence.kind == "divergence"
    assert divergence.value == pytest.approx(252.661, abs=0.05)


def test_goland_wing_with_four_lags():
    found = cs.stability(goland(cs.Parameter("U", 130.0), lags=4), "U", [130.0, 145.0], n=2).critical[0]
    assert found.value == pytest.approx(137.257, abs=0.1)


@pytest.mark.parametrize("options", [{}, {"formulation": "floating", "modes": 16}])
def test_growth_of_goland_wing_in_time(options):
    """Above flutter a push grows as the eigenvalue says."""
    wing = goland(150.0, elements=20)
    s = cs.modes(wing, 4).eigenvalues
    s = s[np.argmax(s.real)]
    wing.add(cs.Force("push", "wing.end", lambda t: (0, 0, 10.0 * np.exp(-((t - 0.02) ** 2) / 2e-5))))
    run = cs.simulate(wing, 1.2, 0.001, **options)
    z, t = run.position("wing.end").values[:, 2], run.time
    late = t > 0.6
    basis = np.exp(np.outer(t[late], [s.real])) * np.stack((np.cos(s.imag * t[late]), np.sin(s.imag * t[late])), axis=1)
    assert np.linalg.norm(z[late] - basis @ np.linalg.lstsq(basis, z[late])[0]) < 0.05 * np.linalg.norm(z[late])
    half = len(z[late]) // 2
    sizes = [np.sqrt(np.mean((z[late][k : k + half]) ** 2)) for k in (0, half)]
    wanted = [np.sqrt(np.mean(((basis @ np.ones(2))[k : k + half]) ** 2)) for k in (0, half)]
    growth = np.log(sizes[1] / sizes[0]) / np.log(wanted[1] / wanted[0])
    assert growth == pytest.approx(1.0, abs=0.01)
