"""Points of linearisation: what they hold, from where they come, when they are refused."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.demo import two_link_arm
from cosserat.solve.analyses.points import point_at
from cosserat.solve.linear.matrices import matrices_at
from cosserat.solve.linear.point import EQUILIBRIUM, MOMENT, ROTATION


def residual(point):
    point.refresh()
    return np.abs(point.memory.problem.trial.residual[: point.compiled.n_nodes]).max()


def pendulum(**joint):
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody("bob", mass=2.0, com=(0, 0, -1), inertia=[1, 1, 1]))
    model.add(cs.Revolute("pivot", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0), **joint))
    return model


def test_everything_balances_at_a_point(point):
    assert residual(point) < 1e-8
    worst, text = point.imbalance()
    assert worst <= 1.0 or point.kind == MOMENT
    assert "N is left unbalanced at" in text


def test_reference_that_is_in_balance_is_taken_as_it_is():
    point = point_at(pendulum())
    assert point.kind == EQUILIBRIUM
    np.testing.assert_array_equal(point.memory.problem.trial.frame, point.compiled.frames)
    assert np.abs(point.memory.problem.trial.force[0]).max() == pytest.approx(2 * 9.81)  # the weight hangs on the pivot
    assert residual(point) < 1e-12


def test_equilibrium_is_sought_where_the_reference_is_out_of_balance():
    model = cs.Model("beam", gravity=(0, 0, -9.81))
    beam = model.add(
        cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.01), material=cs.materials.STEEL, elements=4)
    )
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    point = point_at(model)
    found = cs.equilibrium(model)
    np.testing.assert_allclose(point.memory.problem.trial.frame[-2, 9:], found.position("rod.end"), atol=1e-12)
    again = point_at(model, found)
    np.testing.assert_array_equal(again.memory.problem.trial.frame, found.trajectory.history.frame[-1])


def test_prescribed_motions_stand_still_in_an_equilibrium():
    """The acceleration of a drive at that time is not in the reactions of the point: it is frozen."""
    model = pendulum(motion="3*t**2")
    point = point_at(model, time=0.0, about="reference")
    multipliers = point.memory.problem.trial.force
    wrench = np.abs(multipliers[0, 3:])
    np.testing.assert_allclose(wrench, 0.0, atol=1e-12)
    assert not np.any(point.memory.problem.trial.twist)
    turned = point_at(model, time=0.4)
    x = turned.memory.problem.trial.frame[0, 9:]
    np.testing.assert_allclose(x, [-np.sin(0.48), 0, -np.cos(0.48)], atol=1e-12)
    assert residual(turned) < 1e-9


def test_steady_rotation_balances_centrifugal_forces():
    """A pendulum on a turntable swings out to cos q = g/(W^2 l); everything turns, the ground included."""
    model = cs.Model("flyball", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody("bob", mass=2.0, com=(0.6, 0, -0.8), inertia=[1, 1, 1]))
    model.add(cs.Revolute("pivot", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    found = cs.equilibrium(model, spin=(0, 0, 5.0))
    point = point_at(model, found)
    assert point.kind == ROTATION
    trial = point.memory.problem.trial
    np.testing.assert_allclose(trial.twist[-1], [0, 0, 0, 0, 0, 5.0], atol=1e-14)
    assert not np.any(trial.rate)
    assert residual(point) < 1e-8
    # equal moments of inertia about the centre: only the mass on its arm counts
    assert found.position("bob")[2] == pytest.approx(-9.81 / 25.0, rel=1e-9)
    with pytest.raises(cs.CosseratError, match="has its own rotation"):
        point_at(model, found, spin=(0, 0, 5.0))


def test_moment_of_a_run_has_the_accelerations_of_the_equations_of_motion():
    """Whatever the integrator stored of accelerations and reactions, those of the point fit its state."""
    model = two_link_arm("FF")
    for options in ({"rho": 0.5}, {"integrator": "energy-momentum"}, {"every": 7}):
        run = cs.simulate(model, duration=0.7, step=0.01, **options)
        point = point_at(model, (run, 0.35))
        assert point.kind == MOMENT
        assert point.time == pytest.approx(0.35, abs=0.036)
        scale = np.abs(matrices_at(point).mass @ point.memory.problem.trial.rate[:-1].ravel()).max()
        assert residual(point) < 1e-8 * max(scale, 1.0)


def test_efforts_of_a_controller_belong_to_the_moment():
    model = pendulum(effort=0.0)

    class Law:
        period = 0.01

        def __call__(self, t, state):
            return {"pivot": 2.0 + t}

    run = cs.simulate(model, duration=0.1, step=0.01, controller=Law())
    point = point_at(model, run)
    assert point.controlled
    assert point.memory.problem.inputs.effort[0, 0] == pytest.approx(2.09)
    outs = cs.linearize(model, inputs="pivot", outputs=["pivot.effort", "pivot.reaction"], about=run)
    assert outs.values[0] == pytest.approx(2.09)
    assert outs.D[0, 0] == pytest.approx(1.0)


def test_friction_counts_with_its_slope_at_rest():
    model = pendulum(friction=cs.Friction(0.6, speed=0.02), damping=0.1)
    linear = cs.linearize(model)
    assert linear.damping[0, 0] == pytest.approx(0.1 + 0.6 / 0.02)


def test_redundant_constraints_hold_with_any_of_their_reactions():
    """Two hinges on one axis: five rows are implied; the motion and its matrices do not depend on how they share."""
    model = pendulum()
    bob = model["bob"]
    model.add(cs.Revolute("second", cs.GROUND, bob.at((0, 0.5, 0)), axis=(0, 1, 0)))
    point = point_at(model)
    assert point.n_constraints == 5
    linear = cs.linearize(model, outputs="pivot")
    np.testing.assert_allclose(linear.mass / linear.C[0, 0] ** 2, 1.0 + 2.0, rtol=1e-9)
    np.testing.assert_allclose(linear.stiffness / linear.C[0, 0] ** 2, 2.0 * 9.81, rtol=1e-9)
