"""Satellite on a circular orbit: D. B. DeBra, R. H. Delp, J. Astronautical Sciences 8 (1961) 14-17.

With the inertias about the radius, the track and the normal of the orbit, k_Y = (I_n - I_t)/I_r and
k_R = (I_n - I_r)/I_t, yaw and roll have s^4 + (1 + 3 k_R + k_R k_Y) s^2 + 4 k_R k_Y = 0, pitch s^2 = 3 (I_r - I_t)/I_n,
with s in parts of the orbital rate. Stable are Lagrange's region, k_R > k_Y > 0, and DeBra's and Delp's, k_Y < k_R < 0
within a curve of flutter. The centre of mass has 0, twice with one shape, i and i.
"""

import numpy as np
import pytest
from scipy.optimize import brentq

import cosserat as cs

FORMULATIONS = ["galilean", "floating"]


def satellite(size=1e-5):
    """As small as a satellite is beside its orbit, of radius 1: it feels the gradient of gravity only."""
    roll, yaw = cs.Parameter("roll", 0.5), cs.Parameter("yaw", 0.2)
    normal = size**2
    inertia = (normal * (1 - roll) / (1 - roll * yaw), normal * (1 - yaw) / (1 - roll * yaw), normal)
    orbit = cs.Observer(origin=("cos(t)", "sin(t)", 0), turns=[((0, 0, 1), "t")])
    model = cs.Model("satellite", gravity=cs.CentralGravity(1.0), frame=orbit)
    model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=inertia))
    return model


def attitude(roll, yaw):
    """The eigenvalues of yaw and roll, and of pitch."""
    radial, track = (1 - roll) / (1 - roll * yaw), (1 - yaw) / (1 - roll * yaw)
    coupled = np.roots([1, 0, 1 + 3 * roll + roll * yaw, 0, 4 * roll * yaw])
    return np.concatenate((coupled, np.sqrt(complex(3 * (radial - track))) * np.array([1, -1])))


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_eigenvalues_and_stability(formulation):
    model = satellite()
    for roll, yaw in [(0.93, 0.14), (0.7, 0.3), (0.4725, 0.1414), (-0.04, -0.8), (-0.2, -0.5), (0.3, 0.6), (0.5, -0.3)]:
        model.set(roll=roll, yaw=yaw)
        found = cs.modes(model, 12, about="reference", formulation=formulation)
        expected = np.concatenate((attitude(roll, yaw), [1j, -1j]))
        for s in expected[expected.imag >= 0.0]:
            assert np.min(np.abs(found.eigenvalues - s)) < 1e-7
        assert found.eigenvalues[0] == 0.0  # of the place along the track, not the root of a rounding error
        assert found.stable == bool(expected.real.max() < 1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_map(formulation):
    grid = {"roll": np.linspace(-0.9, 0.93, 5), "yaw": np.linspace(-0.87, 0.9, 6)}
    found = cs.stability_map(satellite(), grid, n=6, about="reference", formulation=formulation)
    growth = np.array([[attitude(roll, yaw).real.max() for yaw in grid["yaw"]] for roll in grid["roll"]])
    assert np.maximum(found.growth, 0.0) == pytest.approx(growth, abs=1e-8)
    assert np.array_equal(found.kind == "stable", growth < 1e-9)
    points = np.vstack([curve.points for curve in found.boundary])
    roll, yaw = points.T
    edges = np.array([roll, yaw, roll - yaw, 1 + 3 * roll + roll * yaw - 4 * np.sqrt(np.maximum(roll * yaw, 0.0))])
    assert len(points) >= 4
    assert np.abs(edges).min(axis=0).max() < 1e-9


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("yaw", [-0.95, -0.6])
def test_region_of_debra_and_delp(yaw, formulation):
    """A gyroscope of the orbit holds what gravity drives apart, up to a flutter."""
    model = satellite()
    model.set(yaw=yaw)
    found = cs.stability(
        model, "roll", np.linspace(-0.3, -0.004, 12), n=6, about="reference", formulation=formulation
    )
    (critical,) = found.critical
    edge = brentq(lambda roll: 1 + 3 * roll + roll * yaw - 4 * np.sqrt(roll * yaw), -0.3, -1e-3)
    assert (critical.kind, critical.loss) == ("flutter", False)
    assert critical.value == pytest.approx(edge, rel=1e-9)
    assert 2 * np.pi * critical.frequency == pytest.approx((4 * edge * yaw) ** 0.25, rel=1e-7)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_value_at_which_nothing_holds_the_pitch(formulation):
    """There corrections of the balance do not settle, though the state is in balance."""
    model = satellite(1e-6)
    model.set(yaw=0.3)
    found = cs.stability(model, "roll", [0.2, 0.3, 0.4, 0.5], n=6, about="reference", formulation=formulation)
    (critical,) = found.critical
    assert (critical.kind, critical.loss) == ("divergence", False)
    assert critical.value == pytest.approx(0.3, rel=1e-9)
