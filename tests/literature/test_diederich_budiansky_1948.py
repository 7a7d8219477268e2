"""Divergence of swept wings: F. W. Diederich, B. Budiansky, NACA TN 1680 (1948).

A uniform wing, clamped at its root, in strip theory: the flow across its axis, U cos(sweep), meets the angle
theta - w' tan(sweep), so that GJ theta" + q c e a (theta - w' t) = 0 and EI w"" = q c a (theta - w' t). The exact speed
is that at which these have a solution; swept back by more than a few degrees, a wing hardly diverges at all.
"""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

import cosserat as cs

TORSION, FLAP, CHORD, SPAN, DENSITY, AXIS = 2.0, 3.0, 0.4, 2.0, 1.2, 0.45
ELEMENTS = 12


def wing(sweep, side=1):
    """To the left (side 1) or to the right of the root; it flies along x."""
    model = cs.Model("wing", fluid=cs.Fluid(density=DENSITY, velocity=(-1 * cs.Parameter("U", 1.0), 0, 0)))
    section = cs.Section(stiffness=[1e7, 1e7, 1e7, TORSION, FLAP, 1e5], mass=[0.5, 0.5, 0.5, 0.01, 0.005, 0.005])
    tip = SPAN * np.array([-np.sin(sweep), side * np.cos(sweep), 0])
    beam = model.add(cs.Beam("wing", [(0, 0, 0), tuple(tip)], section=section, elements=ELEMENTS))
    model.add(cs.Fixed("root", cs.GROUND, beam.start))
    model.add(cs.Strip("air", beam, cs.Airfoil(), chord=CHORD, axis=AXIS))
    return model


def exact(sweep, low, high):
    """The one speed between two at which the wing diverges."""

    def misses(speed):
        lift = np.pi * DENSITY * (speed * np.cos(sweep)) ** 2 * CHORD
        turn, arm = np.tan(sweep), (AXIS - 0.25) * CHORD
        A = np.zeros((6, 6))  # w, w', w", w"', theta, theta'
        A[0, 1] = A[1, 2] = A[2, 3] = A[4, 5] = 1.0
        A[3, [1, 4]] = -lift * turn / FLAP, lift / FLAP
        A[5, [1, 4]] = lift * arm * turn / TORSION, -lift * arm / TORSION
        return np.linalg.det(expm(A * SPAN)[np.ix_([2, 3, 5], [2, 3, 5])])

    return brentq(misses, low, high, rtol=1e-12)


@pytest.mark.parametrize("formulation", ["galilean", cs.Floating(modes=10)])
@pytest.mark.parametrize("degrees", [-40, -20, 0, 3])
def test_speed_of_divergence(degrees, formulation):
    """Strips at the nodes of n elements make an error of second order: 0.19/n^2 here, 0.11/n^2 of a straight wing."""
    sweep = np.radians(degrees)
    expected = exact(sweep, 1.0, 5.0)
    speeds = []
    for side in (1, -1):
        found = cs.stability(wing(sweep, side), "U", [1.0, 0.95 * expected, 1.05 * expected], n=6, about="reference",
                             formulation=formulation)  # fmt: skip
        (speed,) = (c.value for c in found.critical if c.kind == "divergence")
        speeds.append(speed)
    assert speeds == pytest.approx([expected] * 2, rel=0.21 / ELEMENTS**2)
    assert speeds[0] == pytest.approx(speeds[1], rel=1e-9)


def test_one_step_of_the_grid_over_flutter_and_two_divergences():
    """Swept back by 3 degrees it flutters first; its second divergence has waves a third as long."""
    sweep = np.radians(3.0)
    found = [c for c in cs.stability(wing(sweep), "U", [2.0, 6.75, 11.5], n=6, about="reference").critical if c.loss]
    assert [c.kind for c in found] == ["flutter", "divergence", "divergence"]
    expected = [exact(sweep, 3, 5), exact(sweep, 8, 11)]
    assert [c.value for c in found[1:]] == pytest.approx(expected, rel=9 * 0.11 / ELEMENTS**2)
    fine = cs.stability(wing(sweep), "U", np.linspace(3.4, 3.8, 3), n=6, about="reference").critical
    assert [found[0].value] == pytest.approx([c.value for c in fine], rel=1e-9)
