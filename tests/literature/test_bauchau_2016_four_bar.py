"""Four-bar mechanism with a misaligned joint.

O. A. Bauchau, P. Betsch, A. Cardona, J. Gerstmayr, B. Jonker, P. Masarati, V. Sonneville, Validation of flexible
multibody dynamics beam formulations using benchmark problems, Multibody Syst. Dyn. 37 (2016) 29-48, section 6: the
axis of the revolute at C is tilted by 5 degrees towards the bar CD, so that rigid bars could not move. Positions of C
from another code with eight elements per bar; the published curves differ by about 3 %.
"""

import numpy as np
import pytest

import cosserat as cs

A, B, C, D = (0, 0, 0), (0, 0.12, 0), (0.24, 0.12, 0), (0.24, 0, 0)
THICK = cs.Section(
    stiffness=[52.99e6, 16.88e6, 16.88e6, 733.5, 1131, 1131], mass=[1.997, 1.997, 1.997, 85.2e-6, 42.6e-6, 42.6e-6]
)
THIN = cs.Section(
    stiffness=[13.25e6, 4.22e6, 4.22e6, 45.84, 70.66, 70.66],
    mass=[0.4992, 0.4992, 0.4992, 5.324e-6, 2.662e-6, 2.662e-6],
)
POSITION_OF_C = {
    2.0: (0.35182, 0.04340, -0.00267),
    4.0: (0.20747, 0.11550, -0.00081),
    8.0: (0.12044, 0.00955, -0.00326),
}


def four_bar():
    model = cs.Model("misaligned four-bar")
    crank = model.add(cs.Beam("AB", points=[A, B], section=THICK, elements=4))
    coupler = model.add(cs.Beam("BC", points=[B, C], section=THICK, elements=4))
    rocker = model.add(cs.Beam("CD", points=[C, D], section=THIN, elements=4))
    z, tilt = (0, 0, 1), np.radians(5)
    model.add(cs.Revolute("A", cs.GROUND, crank.start, axis=z, motion=lambda t: -0.6 * t))
    model.add(cs.Revolute("B", crank.end, coupler.start, axis=z))
    model.add(cs.Revolute("C", coupler.end, rocker.start, axis=(0, -np.sin(tilt), np.cos(tilt))))
    model.add(cs.Revolute("D", cs.GROUND, rocker.end, axis=z))
    return model


@pytest.fixture(scope="module")
def run():
    result = cs.simulate(four_bar(), 12.0, 4e-3)
    assert result.status.ok, result.status.message
    return result


@pytest.mark.parametrize("t", POSITION_OF_C)
def test_position_of_c(run, t):
    x = run.position("BC.end").sel(time=t, method="nearest").values
    exact = np.array(POSITION_OF_C[t])
    assert np.linalg.norm(x[:2] - exact[:2]) < 0.03 * 0.12
    assert abs(x[2] - exact[2]) < 0.03 * 4.128e-3


def test_out_of_plane_motion(run):
    z = run.position("BC.end").values[:, 2]
    assert z.min() == pytest.approx(-4.128e-3, rel=0.03)
    assert float(run.time[z.argmin()]) == pytest.approx(2.67, abs=0.08)
    assert z.max() == pytest.approx(2.5e-5, abs=0.03 * 4.128e-3)


def test_large_steps_stay_on_the_branch(run):
    """Some steps of 0.1 s have to be split; a line search that led elsewhere would end the run at 11.4 s."""
    coarse = cs.simulate(four_bar(), 12.0, 0.1)
    assert coarse.status.ok, coarse.status.message
    assert coarse.stats["steps_split"] > 0
    np.testing.assert_allclose(coarse.position("BC.end")[-1], run.position("BC.end")[-1], atol=0.03 * 4.128e-3)


def test_in_floating_frames(run):
    """The same in relative and modal coordinates: a loop of beams, closed by constraints."""
    floating = cs.simulate(four_bar(), 4.0, 0.01, formulation="floating", modes=4)
    assert floating.status.ok, floating.status.message
    for t in (2.0, 4.0):
        x = floating.position("BC.end").sel(time=t, method="nearest").values
        assert np.linalg.norm(x[:2] - POSITION_OF_C[t][:2]) < 0.03 * 0.12
        assert abs(x[2] - POSITION_OF_C[t][2]) < 0.03 * 4.128e-3
    z, same = (r.position("BC.end").sel(time=floating.time, method="nearest").values[:, 2] for r in (floating, run))
    assert np.abs(z - same).max() < 0.02 * 4.128e-3
    assert floating.constraint_violation.values.max() < 1e-10  # rounding errors where the bars nearly jam
