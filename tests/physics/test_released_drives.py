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


def test_an_equilibrium_held_by_a_drive_is_released() -> None:
    held = cs.equilibrium(_wheel(True, 4.0), time=2.0)
    run = cs.simulate(_wheel(False, 4.0), 1.0, 0.002, start=held)
    assert run.status.ok, run.status
    assert np.allclose(run.coordinate("hinge"), 4.0 * np.cos(run.time), atol=1e-5)


def test_analyses_take_states_in_which_a_joint_was_driven() -> None:
    model = _wheel(False, 4.0)
    held = cs.equilibrium(_wheel(True, 4.0), time=2.0)
    assert abs(float(cs.equilibrium(model, start=held).coordinate("hinge"))) < 1e-9
    with pytest.raises(cs.CosseratError, match="not an equilibrium of the model as it is now"):
        cs.modes(model, 1, about=held)
    linear = cs.linearize(model, "hinge", "hinge", about=cs.simulate(_wheel(True, 4.0), 1.0, 0.01))
    assert np.allclose(linear.values, 4.0)


@pytest.mark.parametrize("formulation", [None, "floating"])
@pytest.mark.parametrize(("before", "after"), [(8.0, 0.0), (8.0, 30.0), (-20.0, 20.0)])
def test_an_equilibrium_turns_from_one_torque_to_another(before: float, after: float, formulation: str | None) -> None:
    model = cs.Model("wheel")
    arm = model.add(cs.RigidBody("arm", mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1)))
    effort = cs.Parameter("T", before)
    model.add(cs.Revolute("hinge", cs.GROUND, arm.at((0, 0, 0)), axis=(0, 0, 1), stiffness=2.0, effort=effort))
    first = cs.equilibrium(model, formulation=formulation)
    model.set(T=after)
    then = cs.equilibrium(model, start=first, formulation=formulation)
    assert then.status.ok, then.status
    assert abs(float(then.coordinate("hinge")) - after / 2) < 1e-9
