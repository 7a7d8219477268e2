"""Outputs of linear models as derivatives of what results answer: every kind of row, and quantities of one's own."""

from __future__ import annotations

import numpy as np
import pytest
from tests.physics.test_floating_analyses import arm

import cosserat as cs
from cosserat.errors import SolveError
from cosserat.solve.linear.derived_rows import derived_rows
from cosserat.solve.linear.point import point_at
from cosserat.solve.linear.ports import _rows_of, quantity_of

KINDS = ["b2.position", "b2.rotation", "ball.velocity", "ball.angular_velocity", "j1", "j1.rate", "j1.effort",
         "j2.reaction", "wrist.reaction"]  # fmt: skip


def soft_arm() -> cs.Model:
    """A beam on a hinge, bent by its weight."""
    model = cs.Model("soft", gravity=(0, 0, -9.81))
    rod, steel = cs.Rod(0.01), cs.materials.STEEL
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=rod, material=steel, elements=3))
    model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0), stiffness=100.0, damping=1.0))
    return model


def same_rows(model: cs.Model, about: object, words: list[str], accuracy: float) -> None:
    """Rows made by hand are the derivatives of the functions behind results."""
    point = point_at(model, about)
    for word in words:
        quantity = quantity_of(point, word, "test")
        by_hand, derived = _rows_of(point, quantity), derived_rows(point, quantity)
        for part in ("position", "rate", "acceleration", "multiplier"):
            a, b = getattr(by_hand, part), getattr(derived, part)
            assert np.allclose(a, b, atol=accuracy * max(1.0, np.abs(a).max(initial=0.0))), (word, part)


def test_rows_are_derivatives_of_results_at_rest() -> None:
    model = arm(ball_joint=False)
    same_rows(model, cs.equilibrium(model), KINDS, 1e-8)
    soft = soft_arm()
    same_rows(soft, cs.equilibrium(soft), ["beam.end.position", "beam.at(0.5).section_force", "hinge.reaction"], 1e-7)


def test_rows_are_derivatives_of_results_in_motion() -> None:
    model = arm(ball_joint=False)
    same_rows(model, cs.simulate(model, 0.2, 0.002, integrator="energy-momentum"), KINDS, 1e-8)


def reach(run: cs.Run) -> np.ndarray:
    """Distance of the ball from the first body."""
    return np.linalg.norm(run.position("ball").values - run.position("b0").values, axis=1)


def pull(run: cs.Run) -> np.ndarray:
    """Size of the force in a joint."""
    return np.linalg.norm(run.reaction("j0").values[:, :3], axis=1)


def speed(run: cs.Run) -> np.ndarray:
    """Along a line that turns with the arm."""
    line = run.position("ball").values - run.position("b0").values
    return np.sum(run.velocity("ball").values * line, axis=1)


@pytest.mark.parametrize("moving", [False, True])
def test_outputs_of_ones_own(moving: bool) -> None:
    """In both formulations, with inputs that act at once."""
    model = arm(ball_joint=False)
    outputs = [cs.Output("reach", reach, "m"), cs.Output("pull", pull), cs.Output("speed", speed), "ball.z"]
    inputs = ["j0", "b0.fz", "P", "k"]
    about: list[object] = [cs.equilibrium(model), cs.equilibrium(model, formulation="floating")]
    if moving:
        options = {"newton_tolerance": 1e-11}
        about = [cs.simulate(model, 0.2, 0.0005, formulation=f, **options) for f in ("galilean", "floating")]
    first = cs.linearize(model, inputs, outputs, about=about[0])
    second = cs.linearize(model, inputs, outputs, about=about[1], formulation="floating")
    assert first.outputs == second.outputs == ("reach", "pull", "speed", "ball.z")
    G, H = first.transfer(3.0j), second.transfer(3.0j)
    assert np.allclose(G, H, atol=(1e-4 if moving else 1e-8) * np.abs(G).max())
    response = cs.frequency_response(model, "j0", [outputs[0]], [0.3])
    assert response.data.shape[0] == 1


def test_outputs_that_are_none() -> None:
    model = arm()
    with pytest.raises(SolveError, match=r"output 'reach': for \d+ times it gives an array of the shape \(.*3\)"):
        cs.linearize(model, ["j0"], [cs.Output("reach", lambda run: run.position("ball").values)])
    with pytest.raises(SolveError, match="cannot be called"):
        cs.Output("reach", 3)


def test_rates_in_a_steady_rotation_are_relative() -> None:
    """Velocities as outputs are those that an observer who turns along sees, in both formulations."""
    model = arm(ball_joint=False)
    model.gravity = (0, 0, -9.81)
    found = [cs.linearize(model, ["j0"], ["ball.velocity", "j0.rate"], spin=(0, 0, 1.0), formulation=f)
             for f in (None, "floating")]  # fmt: skip
    assert np.allclose(found[0].transfer(2.0j), found[1].transfer(2.0j), rtol=1e-6, atol=1e-9)
