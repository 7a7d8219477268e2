"""Vibration of a rotating cantilever.

A. D. Wright, C. E. Smith, R. W. Thresher, J. L. C. Wang, Vibration modes of centrifugally stiffened beams, J. Appl.
Mech. 49 (1982) 197-202, table 1 (hub radius 0). Omega and omega in sqrt(EI / m L^4); flap is out of the plane of
rotation, lag in it, and lag^2 = flap^2 - Omega^2.
"""

import numpy as np
import pytest

import cosserat as cs

FLAP = {2: (4.13732, 22.61492), 4: (5.58500, 24.27335), 10: (11.20233, 33.64037)}


@pytest.fixture(scope="module")
def blade():
    model = cs.Model("blade", gravity=(0, 0, 0))
    section = cs.Section(stiffness=[1e8, 1e8, 1e8, 1e3, 1, 1], mass=[1, 1, 1, 2e-8, 1e-8, 1e-8])
    beam = model.add(cs.Beam("blade", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=64))
    model.add(cs.Fixed("hub", cs.GROUND, beam.start))
    return model


@pytest.mark.parametrize("spin", FLAP)
def test_flap_and_lag(blade, spin):
    found = cs.modes(blade, 4, spin=(0, 0, spin))
    assert found.kind == "steady rotation"
    assert found.damped
    assert found.stable
    omega = 2 * np.pi * found.frequencies
    flap = [w for i, w in enumerate(omega) if abs(found.shape(i, "blade.end")[2]) > 0.5]
    lag = [w for i, w in enumerate(omega) if abs(found.shape(i, "blade.end")[1]) > 0.5]
    np.testing.assert_allclose(flap, FLAP[spin], rtol=1e-4)
    np.testing.assert_allclose(lag, np.sqrt(np.square(FLAP[spin]) - spin**2), rtol=1e-4)
    np.testing.assert_allclose(found.damping, 0, atol=1e-7)


def test_about_an_equilibrium_that_turns(blade):
    turning = cs.equilibrium(blade, spin=(0, 0, 4))
    found = cs.modes(blade, 2, about=turning)
    np.testing.assert_allclose(2 * np.pi * found.frequencies[1], FLAP[4][0], rtol=1e-4)
