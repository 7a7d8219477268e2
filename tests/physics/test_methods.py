"""Time steps of one's own, in both formulations: order, joints, prescribed motions, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from tests.physics.test_floating_analyses import arm, four_bar

import cosserat as cs
from cosserat.errors import SolveError


class Heun(cs.Method):
    """The trapezoidal rule, explicit."""

    order = 2

    def step(self, system, state, h):
        a = system.acceleration(state)
        there = system.moved(state, h, h * state.v, h * a)
        b = system.acceleration(there)
        return system.moved(state, h, h / 2 * (state.v + there.v), h / 2 * (a + b))


FORMULATIONS = ["galilean", "floating"]


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_second_order_on_an_arm(formulation: str) -> None:
    """Hinges, a ball joint, springs, dampers and a follower force, against Runge-Kutta steps of the library."""
    model = arm()
    exact = cs.simulate(model, 0.4, 0.002, formulation="floating", integrator="runge-kutta")
    errors = []
    for step in (0.01, 0.005):
        run = cs.simulate(model, 0.4, step, formulation=formulation, integrator=Heun())
        assert run.status.ok
        assert run.settings["integrator"] == "Heun"
        assert run.constraint_violation.max() < 1e-10
        errors.append(float(np.abs(run.position("ball")[-1] - exact.position("ball")[-1]).max()))
    assert errors[1] < 1e-3
    assert 3.0 < errors[0] / errors[1] < 5.0
    energy = run.energy
    assert abs(float(energy.total[-1] + energy.dissipated[-1] - energy.work[-1] - energy.total[0])) < 0.05
    assert np.allclose(run.reaction("j0")[-1], exact.reaction("j0")[-1], atol=0.2)


@pytest.mark.filterwarnings("ignore:redundant constraints")
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_closed_loop_and_drive(formulation: str) -> None:
    model = four_bar()
    joint = model["a"]
    model.swap(cs.Revolute("a", cs.GROUND, joint.child, at=(0, 0, 0), axis=(0, 1, 0), motion=lambda t: 0.3 * np.sin(t)))
    run = cs.simulate(model, 0.5, 0.01, formulation=formulation, integrator=Heun(), every=5)
    assert run.status.ok
    assert len(run.time) == 11
    assert np.allclose(run.coordinate("a"), 0.3 * np.sin(run.time), atol=1e-12)
    assert run.constraint_violation.max() < 1e-9


def test_what_methods_do_not_offer() -> None:
    with pytest.raises(SolveError, match="Heun takes equal steps"):
        cs.simulate(arm(), 1.0, integrator=Heun())
    with pytest.raises(SolveError, match="Heun knows no controller"):
        cs.simulate(arm(), 1.0, 0.01, integrator=Heun(), controller=lambda t, state: {})


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_method_that_fails(formulation: str) -> None:
    class Wild(Heun):
        def step(self, system, state, h):
            return system.moved(state, h, h * state.v, np.full_like(state.v, np.inf))

    run = cs.simulate(arm(), 0.1, 0.01, formulation=formulation, integrator=Wild())
    assert run.status.outcome is cs.Outcome.NOT_FINITE
    assert len(run.time) == 1


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_step_that_gives_nothing_or_raises(formulation: str) -> None:
    class Empty(Heun):
        def step(self, system, state, h):
            return None

    class Raises(Heun):
        def step(self, system, state, h):
            if state.t > 0.025:
                raise RuntimeError("no more")
            return super().step(system, state, h)

    run = cs.simulate(arm(), 0.1, 0.01, formulation=formulation, integrator=Empty())
    assert run.status.outcome is cs.Outcome.CALL_FAILED
    assert "integrator Empty: its step gives None; give the state that system.moved" in run.status.detail
    run = cs.simulate(arm(), 0.1, 0.01, formulation=formulation, integrator=Raises())
    assert "integrator Raises: RuntimeError: no more" in run.status.detail
    assert len(run.time) == 4
    with pytest.raises(SolveError, match=r"integrator is the class Heun; pass one of it, integrator=Heun\(\)"):
        cs.simulate(arm(), 0.1, 0.01, formulation=formulation, integrator=Heun)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_loads_that_jump_at_the_end_of_a_step(formulation: str) -> None:
    """A step that ends at a jump has the load before it, the next one that after it: second order stays."""
    model = cs.Model("slider")
    body = model.add(cs.RigidBody("body", 2.0, (0, 0, 0), (1, 1, 1)))
    effort = "5 * step(t, 0.33)"
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=50.0, effort=effort))
    omega, t = 5.0, 0.5 - 0.33
    exact = 5.0 / 50.0 * (1.0 - np.cos(omega * t))
    errors = []
    for step in (0.01, 0.005):
        run = cs.simulate(model, 0.5, step, formulation=formulation, integrator=Heun())
        errors.append(abs(float(run.coordinate("rail")[-1]) - exact))
    assert errors[1] < 2e-5
    assert errors[0] / errors[1] > 3.0
