"""Runs that start where another one ended, with joints that were driven there and are free now."""

import numpy as np
import pytest

import cosserat as cs

INERTIA = 2.0  # about the hinge


def _wheel(driven: bool, angle: float) -> cs.Model:
    model = cs.Model("wheel")
    arm = model.add(cs.RigidBody("arm", mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1)))
    law = {"motion": f"{angle}*smoothstep(t, 0, 1)"} if driven else {"stiffness": 2.0}
    model.add(cs.Revolute("hinge", cs.GROUND, arm.at((0, 0, 0)), axis=(0, 0, 1), **law))
    return model


@pytest.mark.parametrize("angle", [-0.5, 4.0, 9.0])
@pytest.mark.parametrize("integrator", ["generalized-alpha", "energy-momentum"])
def test_a_spring_wound_up_by_a_drive_unwinds_all_its_turns(integrator: str, angle: float) -> None:
    wound = cs.simulate(_wheel(True, angle), 1.0, 0.002)
    run = cs.simulate(_wheel(False, angle), 1.0, 0.002, start=wound, integrator=integrator)
    assert run.status.ok, run.status
    assert np.allclose(run.coordinate("hinge"), angle * np.cos(run.time - 1.0), atol=2e-4 * abs(angle))
    assert abs(run.effort("hinge").values[0] + 2.0 * angle) < 1e-6
    assert abs(float(run.energy.balance.values[1])) < 1e-6
