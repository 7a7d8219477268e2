"""Cantilever under a torque at its free end: E. L. Nicolai (1928); V. V. Bolotin, Nonconservative Problems (1963).

Whether the torque keeps its axis (axial) or follows the end (tangential), the critical values are the same: each
problem is the adjoint of the other. A rod that is equally stiff in all directions flutters under any torque (Nicolai's
paradox); one of unequal stiffnesses bears a finite one. The exact roots are those of
r v"" + T w"' - s^2 v = 0, w"" - T v"' - s^2 w = 0 with v" = v"' = w" = w"' = 0 at the end, r the ratio of stiffnesses.
"""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq, minimize_scalar

import cosserat as cs

FORMULATIONS = ["galilean", cs.Floating(modes=8)]


def rod(ratio, follower):
    model = cs.Model("rod")
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, 1e4, 1.0, ratio], mass=[1, 1, 1, 2e-6, 1e-6, 1e-6])
    beam = model.add(cs.Beam("rod", [(0, 0, 0), (1, 0, 0)], section=section, elements=16))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Torque("torque", beam.end, (cs.Parameter("T", 0.1), 0, 0), follower=follower))
    return model


def misses(torque, square, ratio):
    """What is missed at the free end for s^2 = -square; zero at an eigenvalue."""
    A = np.zeros((8, 8))
    for i in range(3):
        A[i, i + 1] = A[i + 4, i + 5] = 1.0
    A[3, [0, 7]], A[7, [4, 3]] = (square / ratio, -torque / ratio), (square, torque)
    return np.linalg.det(expm(A)[np.ix_([2, 3, 6, 7], [2, 3, 6, 7])])


def exact(ratio, low, high):
    """Torque and frequency at which the two lowest eigenvalues meet."""

    def deepest(torque):
        return minimize_scalar(
            lambda w: misses(torque, w * w, ratio), bounds=(3.52, 3.516 * np.sqrt(ratio)), method="bounded",
            options={"xatol": 1e-9},
        )  # fmt: skip

    torque = brentq(lambda x: deepest(x).fun, low, high, rtol=1e-11)
    return torque, deepest(torque).x


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("follower", [True, False])
@pytest.mark.parametrize(("ratio", "low", "high"), [(1.2, 0.3, 0.35), (2.0, 1.4, 1.7)])
def test_flutter_of_a_rod_of_unequal_stiffnesses(ratio, low, high, follower, formulation):
    torque, frequency = exact(ratio, low, high)
    values = [0.05, 0.95 * torque, 1.05 * torque]
    (critical,) = cs.stability(rod(ratio, follower), "T", values, n=4, formulation=formulation).critical
    assert critical.kind == "flutter"
    assert critical.value == pytest.approx(torque, rel=1e-3)  # of second order in the elements; twist of T/GJ
    assert 2 * np.pi * critical.frequency == pytest.approx(frequency, rel=1e-3)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_round_rod_flutters_at_once(formulation):
    found = cs.stability(rod(1.0, True), "T", [0.01, 0.02, 0.04], n=4, formulation=formulation)
    assert not found.stable.any()
    growth = found.eigenvalues.real.max(axis=1)
    assert growth / growth[0] == pytest.approx([1, 2, 4], rel=1e-3)
