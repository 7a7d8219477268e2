"""Cantilever bent to a circular arc of 45 degrees, loaded out of its plane.

K. J. Bathe, S. Bolourchi, Large displacement analysis of three-dimensional beam structures, Int. J. Numer. Methods
Eng. 14 (1979) 961-986, section 3.4. R = 100, section 1 x 1, E = 1e7, nu = 0, J = 1/6. The numbers are converged ones
(strong form, shooting); those printed there and by Simo and Vu-Quoc (1986, 8 elements) differ by up to 0.9 %.
"""

import numpy as np
import pytest

import cosserat as cs

TIP = {  # force: (towards the centre, along the initial tangent, along the load)
    300.0: (22.24478, 58.77912, 40.19189),
    450.0: (18.50818, 52.23856, 48.50293),
    600.0: (15.68480, 47.15044, 53.47486),
}


def bend(force, elements):
    section = cs.Section(stiffness=[1e7, 5e6, 5e6, 5e6 / 6, 1e7 / 12, 1e7 / 12], mass=[1, 1, 1, 1, 1, 1])

    def arc(s):
        a = s * np.pi / 4
        return 100 * (1 - np.cos(a)), 100 * np.sin(a), 0 * a

    model = cs.Model("45 degree bend")
    beam = model.add(cs.Beam("bend", curve=arc, section=section, elements=elements, up=(0, 0, 1)))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("load", beam.end, (0, 0, force)))
    result = cs.equilibrium(model)
    assert result.status.ok, result.status.message
    return np.asarray(result.position("bend.end"))


@pytest.mark.parametrize("force", TIP)
def test_section_3_4_tip_position(force):
    np.testing.assert_allclose(bend(force, 32), TIP[force], rtol=1e-4)


def test_eight_elements_are_better_than_one_in_a_thousand():
    np.testing.assert_allclose(bend(600.0, 8), TIP[600.0], rtol=1e-3)
