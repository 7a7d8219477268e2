"""Pure bending of a cantilever into circles.

J. C. Simo, L. Vu-Quoc, A three-dimensional finite-strain rod model, part II, CMAME 58 (1986) 79-116, section 5.1 and
figure 4: L = 1, EI = 2, end moment 8 pi bends the rod into a double circle. Closed form: x = (EI/M) sin(M L/EI),
y = (EI/M) (1 - cos(M L/EI)).
"""

import numpy as np
import pytest

import cosserat as cs

L, EI = 1.0, 2.0


def rolled(moment, elements):
    model = cs.Model("roll-up")
    section = cs.Section(stiffness=[1e4, 1e4, 1e4, EI, EI, EI], mass=[1, 1, 1, 1, 1, 1])
    beam = model.add(cs.Beam("rod", points=[(0, 0, 0), (L, 0, 0)], section=section, elements=elements))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Torque("end moment", beam.end, (0, 0, moment)))
    result = cs.equilibrium(model)
    assert result.status.ok, result.status.message
    return result


@pytest.mark.parametrize("turns", [0.25, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("elements", [10, 25])
def test_figure_4_tip(turns, elements):
    M = 2 * np.pi * turns * EI / L
    tip = np.asarray(rolled(M, elements).position("rod.end"))
    exact = [EI / M * np.sin(M * L / EI), EI / M * (1 - np.cos(M * L / EI)), 0.0]
    np.testing.assert_allclose(tip, exact, atol=1e-10)


def test_figure_4_double_circle_closes_with_ten_elements():
    result = rolled(8 * np.pi, 10)
    np.testing.assert_allclose(result.position("rod.end"), 0.0, atol=1e-10)
    np.testing.assert_allclose(result.rotation("rod.end"), np.eye(3), atol=1e-10)


def test_every_point_is_on_the_circle():
    M = 2 * np.pi * EI / L
    result = rolled(M, 10)
    for s in (0.1, 0.25, 0.5, 0.83):
        exact = [EI / M * np.sin(M * s / EI), EI / M * (1 - np.cos(M * s / EI)), 0.0]
        np.testing.assert_allclose(result.position(f"rod.at({s})"), exact, atol=1e-10)


def test_roll_up_of_a_real_section():
    """EA L^2 / EI is 1.3e6: the load steps must find their own size."""
    rod = cs.Rod(diameter=0.01)
    steel = cs.Material(E=210e9, nu=0.3, rho=7850)
    bending = rod.matrices(steel)[0][5, 5]
    model = cs.Model("real roll-up")
    beam = model.add(cs.Beam("rod", points=[(0, 0, 0), (3, 0, 0)], section=rod, material=steel, elements=12))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Torque("end moment", beam.end, (0, 0, 2 * np.pi * bending / 3)))
    result = cs.equilibrium(model)
    assert result.status.ok
    np.testing.assert_allclose(result.position("rod.end"), 0.0, atol=3e-10)
