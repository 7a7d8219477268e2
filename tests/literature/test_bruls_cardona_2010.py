"""The heavy top.

O. Bruls, A. Cardona, On the use of Lie group time integrators in multibody dynamics, J. Comput. Nonlinear Dyn. 5
(2010) 031002, section 5 (also Bruls, Cardona, Arnold, Mech. Mach. Theory 48 (2012)): m = 15 kg,
J = diag(0.234375, 0.46875, 0.234375) kg m^2 about the centre of mass, which is at X = (0, 1, 0), g = 9.81 m/s^2,
Omega(0) = (0, 150, -4.61538) rad/s. Positions: reference solution by an independent method.
"""

from itertools import pairwise

import numpy as np
import pytest

import cosserat as cs

CENTRE = {
    0.5: (-0.7024682971, -0.0211651847, -0.7114002577),
    1.0: (0.1733439641, 0.6400885921, -0.7484907911),
    2.0: (-0.1504168227, -0.7241655916, -0.6730222696),
}
INERTIA = np.diag([0.234375, 0.46875, 0.234375])


def top(spin):
    model = cs.Model("heavy top", gravity=(0, 0, -9.81))
    velocity = np.cross(spin, (0, 1, 0))
    body = cs.RigidBody("top", mass=15, com=(0, 1, 0), inertia=INERTIA, velocity=velocity, angular_velocity=spin)
    model.add(body)
    model.add(cs.Spherical("tip", cs.GROUND, body.at((0, 0, 0))))
    return model


def simulated(model, *args, **options):
    run = cs.simulate(model, *args, **options)
    assert run.status.ok, run.status.message
    return run


@pytest.fixture(scope="module")
def refined():
    """Runs with halved steps, stored every 10 ms."""
    model = top((0, 150, -4.61538))
    return [simulated(model, 2.0, h, every=round(0.01 / h), newton_tolerance=1e-8) for h in (1e-5, 5e-6)]


def test_centre_of_mass(refined):
    """Positions at order two extrapolate to the reference; the spin stays what it was."""
    coarse, fine = refined[0].position("top"), refined[-1].position("top")
    limit = fine + (fine - coarse) / 3
    for t, exact in CENTRE.items():
        np.testing.assert_allclose(fine.sel(time=t, method="nearest"), exact, atol=5e-6)
        np.testing.assert_allclose(limit.sel(time=t, method="nearest"), exact, atol=5e-8)
    np.testing.assert_allclose(refined[-1].angular_velocity("top", frame="body")[:, 1], 150.0, rtol=1e-9)


@pytest.mark.parametrize(
    "quantity", [lambda r: r.position("top"), lambda r: r.velocity("top"), lambda r: r.reaction("tip")],
    ids=["position", "velocity", "multipliers"],
)  # fmt: skip
def test_order_two(quantity):
    model = top((0, 150, -4.61538))
    runs = [
        simulated(model, 0.5, h, every=round(1e-3 / h), newton_tolerance=1e-10) for h in (1e-3, 5e-4, 2.5e-4, 1.25e-4)
    ]
    values = [quantity(run).values[1:] for run in runs]
    change = [np.sqrt(np.mean((b - a) ** 2)) for a, b in pairwise(values)]
    order = np.log2(np.array(change[:-1]) / change[1:])
    assert order.min() > 1.9, order


def test_steady_precession():
    """Omega(0) = (0, 150, 2.0928): precession about the vertical with 2.0928 rad/s, the axis stays horizontal."""
    rate = 2.0928
    run = simulated(top((0, 150, rate)), 2.0, 1e-5, every=1000)
    t = np.asarray(run.time)
    exact = np.stack((-np.sin(rate * t), np.cos(rate * t), 0 * t), axis=1)
    np.testing.assert_allclose(run.position("top"), exact, atol=5e-5)
    np.testing.assert_allclose(run.angular_velocity("top")[:, 2], rate, rtol=5e-4)


def test_energy_is_kept():
    run = simulated(top((0, 150, -4.61538)), 1.0, 1e-3, integrator="energy-momentum")
    total = run.energy.total.values
    assert np.ptp(total) < 1e-8 * abs(total[0])
