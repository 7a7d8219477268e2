"""Mechanisms that only their loads hold rest where small pushes do not make them fall."""

import numpy as np
import pytest

import cosserat as cs


def pendulum(angle):
    """A bob at 1 m from its hinge, at an angle from hanging."""
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody("bob", mass=2.0, com=(np.sin(angle), 0, -np.cos(angle)), inertia=[1e-12] * 3))
    model.add(cs.Revolute("hinge", cs.GROUND, bob, at=(0, 0, 0), axis=(0, -1, 0)))
    return model


@pytest.mark.parametrize("angle", [0.1, 1.0, 2.0, 3.0, -2.5])
@pytest.mark.parametrize("speed", [0.0, 3.0, 4.0])
def test_pendulum_on_a_turntable(angle, speed):
    """Hanging up to omega^2 = g / l; above, at cos(angle) = g / (omega^2 l) to the side on which it started."""
    found = cs.equilibrium(pendulum(angle), spin=(0, 0, speed))
    rests = np.arccos(min(1.0, 9.81 / speed**2)) if speed else 0.0
    assert found.status.ok
    assert found.status.detail == ""
    assert np.isclose(found.coordinate("hinge") + angle, np.sign(angle) * rests, atol=1e-9)


def test_upright_pendulum_stays_and_is_called_unstable():
    found = cs.equilibrium(pendulum(np.pi))
    assert found.status.ok
    assert "unstable" in found.status.detail
    assert np.isclose(found.position("bob")[2], 1.0)


def test_bob_on_a_ball_joint_upside_down():
    """Two motions are unstable at once, so the determinant of the stiffness is positive."""
    model = cs.Model("ball joint", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody("bob", mass=1.0, com=(0.1, 0.05, 1), inertia=[0.1, 0.1, 0.1]))
    model.add(cs.Spherical("joint", cs.GROUND, bob, at=(0, 0, 0), damping=1.0))
    found = cs.equilibrium(model)
    assert np.allclose(found.position("bob"), (0, 0, -np.linalg.norm([0.1, 0.05, 1])), atol=1e-6)
    assert found.status.outcome is cs.Outcome.FREE_MOTION  # it can turn about the vertical
