"""Torque-free motion of an asymmetric rigid body: the period of its angular velocity, by elliptic integrals.

L. D. Landau, E. M. Lifshitz, Mechanics, section 37: 4 K(k) over a frequency. I = (1, 2, 3) kg m^2.
"""

import numpy as np
import pytest

import cosserat as cs

PERIOD = {(0.01, 1.0, 0.01): 39.1057341973, (1.0, 0.2, 0.5): 14.7701544205}


@pytest.mark.parametrize("spin", PERIOD)
@pytest.mark.parametrize("integrator", ["generalized-alpha", "energy-momentum"])
def test_period(spin, integrator):
    period = PERIOD[spin]
    model = cs.Model("free body")
    model.add(cs.RigidBody("body", mass=1, com=(0, 0, 0), inertia=np.diag([1.0, 2.0, 3.0]), angular_velocity=spin))
    errors = []
    for steps in (8000, 16000):
        run = cs.simulate(model, period, period / steps, integrator=integrator, every=steps, newton_tolerance=1e-11)
        assert run.status.ok
        omega = run.angular_velocity("body", frame="body").values
        errors.append(np.abs(omega[-1] - spin).max())
    assert errors[1] < 2e-4
    assert errors[0] / errors[1] > 3.5
