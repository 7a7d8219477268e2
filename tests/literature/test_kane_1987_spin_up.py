"""Spin-up of a flexible beam: deflections grow soft without centrifugal stiffening.

T. R. Kane, R. R. Ryan, A. K. Banerjee, Dynamics of a cantilever beam attached to a moving base, J. Guidance 10 (1987)
139-151; J. C. Simo, L. Vu-Quoc, On the dynamics of flexible beams under large overall motions, part II, J. Appl. Mech.
53 (1986) 855-863. Tip relative to the rigid position in the rotating frame, by a spectral method in intrinsic form.
"""

import numpy as np
import pytest

import cosserat as cs

L = 10.0
TIP = {
    5: (-1.265464e-2, -0.4684762),
    7: (-1.861826e-2, -0.5713118),
    10: (-7.072336e-3, -0.3628145),
    15: (5.139897e-4, 1.303626e-3),
}


def angle(t):
    spin_up = 6 / 15 * (t**2 / 2 + (15 / (2 * np.pi)) ** 2 * (np.cos(2 * np.pi * t / 15) - 1))
    return np.where(t < 15, spin_up, 6 * t - 45)


@pytest.fixture(scope="module")
def relative_tip():
    model = cs.Model("spin-up")
    section = cs.Section(stiffness=[2.8e7, 1e7, 1e7, 1.4e4, 1.4e4, 1.4e4], mass=[1.2, 1.2, 1.2, 1.2e-3, 6e-4, 6e-4])
    beam = model.add(cs.Beam("blade", points=[(0, 0, 0), (L, 0, 0)], section=section, elements=32))
    model.add(cs.Revolute("hub", cs.GROUND, beam.start, axis=(0, 0, 1), motion=angle))
    run = cs.simulate(model, 20.0, 2.5e-3, every=10)
    assert run.status.ok, run.status.message
    a = angle(run.time)
    x, y, _ = run.position("blade.end").values.T
    u = np.stack((np.cos(a) * x + np.sin(a) * y - L, -np.sin(a) * x + np.cos(a) * y), axis=1)
    return run.time, u


@pytest.mark.parametrize("t", TIP)
def test_tip_in_the_rotating_frame(relative_tip, t):
    times, u = relative_tip
    i = np.argmin(np.abs(times - t))
    np.testing.assert_allclose(u[i], TIP[t], atol=1e-4 * 0.5713118)


def test_steady_stretch(relative_tip):
    times, u = relative_tip
    assert u[times > 16, 0].mean() == pytest.approx(5.14317e-4, rel=1e-3)
