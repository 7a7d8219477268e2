"""Trim: parameters that hold a state, against statics on paper."""

import numpy as np
import pytest

import cosserat as cs

G = 9.81


def pendulum():
    model = cs.Model("pendulum", gravity=(0, 0, -G))
    rod = model.add(cs.RigidBody.bar("rod", start=(0, 0, 0), end=(1, 0, 0), mass=2.0))
    torque = cs.Parameter("T", 0.0)
    model.add(cs.Revolute("hinge", cs.GROUND, rod.at((0, 0, 0)), axis=(0, 1, 0), effort=torque))
    return model


def drone():
    """A body carried by two rotors at unequal distances from its centre."""
    left, right = cs.Parameter("T1", 1.0), cs.Parameter("T2", 1.0)
    model = cs.Model("drone", gravity=(0, 0, -G))
    body = model.add(cs.RigidBody.box("body", size=(0.4, 0.1, 0.05), mass=1.2, com=(0, 0, 1)))
    model.add(cs.Force("left", body.at((-0.3, 0, 1)), (0, 0, left), follower=True))
    model.add(cs.Force("right", body.at((0.2, 0, 1)), (0, 0, right), follower=True))
    return model


def arm():
    model = cs.Model("arm", gravity=(0, 0, -G))
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, 10, 10, 10], mass=[1, 1, 1, 1e-3, 1e-3, 1e-3])
    beam = model.add(cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=16))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Torque("moment", beam.end, (0, -cs.Parameter("M", 0.0), 0)))
    model.add(cs.Force("pull", beam.end, (cs.Parameter("F", 0.0), 0, 0)))
    return model


def test_torque_that_holds_a_level_rod():
    found = cs.trim(pendulum(), ["T"])
    assert found.parameters["T"] == pytest.approx(-2.0 * G * 0.5, rel=1e-12)
    assert found.equilibrium.reaction("hinge")[2] == pytest.approx(2.0 * G, rel=1e-12)
    assert found.neutral == 2


@pytest.mark.parametrize("angle", [0.3, -0.3, 1.0, -1.2])
def test_torque_that_holds_an_angle(angle):
    """The axis points along y, so the rod hangs lower for positive angles; above the level it is unstable."""
    found = cs.trim(pendulum(), ["T"], hold={"hinge": angle})
    assert found.parameters["T"] == pytest.approx(-G * np.cos(angle), rel=1e-10)
    assert found.equilibrium.coordinate("hinge") == pytest.approx(angle, abs=1e-12)
    rate = np.sqrt(G * abs(np.sin(angle)) / (2.0 / 3.0))
    if angle > 0:
        assert found.stable
        assert np.max(found.eigenvalues.imag) == pytest.approx(rate, rel=1e-3)
    else:
        assert not found.stable
        assert found.growth_rate == pytest.approx(rate, rel=1e-3)
        assert "unstable" in repr(found)


def test_unstable_trim_is_an_error_if_asked():
    with pytest.raises(cs.CosseratError, match=r"unstable: small motions grow like exp\(2.08.* t\)"):
        cs.trim(pendulum(), ["T"], hold={"hinge": -0.3}, require_stable=True)


def test_drone_hovers():
    model = drone()
    found = cs.trim(model, ["T1", "T2"])
    assert found.parameters == pytest.approx({"T1": 1.2 * G * 0.4, "T2": 1.2 * G * 0.6}, rel=1e-12)
    assert found.residual < 1e-12
    assert found.neutral == 12
    assert model.parameters == {"T1": 1.0, "T2": 1.0}


def test_hover_thrusts_really_hover():
    model = drone()
    model.set(**cs.trim(model, ["T1", "T2"]).parameters)
    run = cs.simulate(model, duration=0.5, step=0.05)
    assert float(np.max(np.abs(run.position("body") - [0, 0, 1]))) < 1e-10


def test_too_few_unknowns_say_what_is_left():
    with pytest.raises(cs.CosseratError, match=r"no values of 'T1' balance .* N is left unbalanced at 'body'"):
        cs.trim(drone(), ["T1"])


def test_tip_moment_brings_a_beam_to_its_target():
    model = arm()
    found = cs.trim(model, ["M"], targets={("arm.end", "z"): 0.3})
    assert found.equilibrium.position("arm.end")[2] == pytest.approx(0.3, abs=1e-12)
    assert found.stable
    model.set(**found.parameters)
    assert cs.equilibrium(model).position("arm.end") == pytest.approx(found.equilibrium.position("arm.end"), abs=1e-9)


@pytest.mark.parametrize("formulation", ["galilean", cs.Floating(modes=3)])
def test_the_parameter_that_is_sought_may_be_zero(formulation):
    """What rounding leaves of it settles at no share of itself."""
    model = arm()
    model.set(F=0.1)
    z = float(cs.equilibrium(model, formulation=formulation).position("arm.end")[2])
    found = cs.trim(model, {"M": 1.0}, targets={("arm.end", "z"): z}, formulation=formulation)
    assert abs(found.parameters["M"]) < 1e-9
    assert found.residual < 1e-9


def test_targets_between_nodes():
    found = cs.trim(arm(), ["M"], targets={("arm.at(0.53)", "z"): 0.05})
    assert found.equilibrium.position("arm.at(0.53)")[2] == pytest.approx(0.05, abs=1e-12)


def test_two_targets_two_unknowns():
    targets = {("arm.end", "z"): 0.3, ("arm.at(0.5)", "z"): 0.1}
    found = cs.trim(arm(), ["M", "F"], targets=targets)
    assert found.residual < 1e-12
    for (place, _), value in targets.items():
        assert found.equilibrium.position(place)[2] == pytest.approx(value, abs=1e-12)


def test_more_targets_than_unknowns_are_met_in_the_least_squares_sense():
    targets = {("arm.end", "z"): 0.3, ("arm.end", "x"): 0.9}
    found = cs.trim(arm(), ["M"], targets=targets)

    def misfit(moment):
        model = arm()
        model.set(M=moment)
        x, _, z = cs.equilibrium(model).position("arm.end")
        return (x - 0.9) ** 2 + (z - 0.3) ** 2

    best = found.parameters["M"]
    assert misfit(best) < min(misfit(best * 1.001), misfit(best * 0.999))


def test_more_unknowns_than_targets_change_little():
    found = cs.trim(arm(), ["M", "F"], targets={("arm.end", "z"): 0.3})
    assert found.residual < 1e-12


def test_held_configuration_of_another_equilibrium():
    """The moment that keeps the arm as it is when half of it is carried by a known one."""
    model = arm()
    model.set(M=3.0)
    bent = cs.equilibrium(model)
    model.set(M=0.0)
    assert cs.trim(model, {"M": 1.0}, hold=bent).parameters["M"] == pytest.approx(3.0, rel=1e-7)


def test_spin_and_stiffness():
    """Stiffness that keeps a bob 0.1 m out on a turntable: k 0.1 = m w^2 1.1."""
    model = cs.Model("governor")
    bob = model.add(cs.RigidBody.sphere("bob", diameter=0.1, mass=1.0, com=(1, 0, 0)))
    model.add(cs.Prismatic("arm", cs.GROUND, bob, axis=(1, 0, 0), stiffness=cs.Parameter("k", 200.0)))
    found = cs.trim(model, ["k"], hold={"arm": 0.1}, spin=(0, 0, 3))
    assert found.parameters["k"] == pytest.approx(9 * 1.1 / 0.1, rel=1e-8)


@pytest.mark.parametrize("angle", [0.3, 0.6, 1.0])
def test_speed_of_a_governor(angle):
    """A pendulum on a turntable: w^2 (r + l sin a) = g tan a. The angle is met long before the speed is."""
    speed = cs.Parameter("w", 4.0)
    model = cs.Model("governor", gravity=(0, 0, -G))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0, com=(0.1, 0, -1)))
    model.add(cs.Revolute("hinge", cs.GROUND.at((0.1, 0, 0)), ball.at((0.1, 0, 0)), axis=(0, -1, 0)))
    found = cs.trim(model, {"w": 4.0}, targets={"hinge": angle}, spin=(0, 0, speed))
    # the ball is round: only its centre counts
    assert found.parameters["w"] == pytest.approx(np.sqrt(G * np.tan(angle) / (0.1 + np.sin(angle))), rel=1e-9)


def test_fewer_targets_than_unknowns_change_them_least():
    model = cs.Model("slider")
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0))
    model.add(cs.Prismatic("rail", cs.GROUND, ball, axis=(1, 0, 0), stiffness=10.0))
    one, two, three = (cs.Parameter(n, v) for n, v in (("A", 1.0), ("B", 100.0), ("C", 1.0)))
    model.add(cs.Force("a", ball, (one, 0, 0)))
    model.add(cs.Force("b", ball, (two, 0, 0)))
    model.add(cs.Force("c", ball, (three * three, 0, 0)))
    found = cs.trim(model, ["A", "B"], targets={"rail": 5.1}).parameters
    assert found == pytest.approx({"A": -24.5, "B": 74.5}, rel=1e-9)
    found = cs.trim(model, ["A", "C"], targets={"rail": 11.0}).parameters
    # A + C^2 = 10, and the change is along the gradient (1, 2 C)
    assert found["A"] + found["C"] ** 2 == pytest.approx(10.0, rel=1e-9)
    assert found["C"] - 1.0 == pytest.approx(2 * found["C"] * (found["A"] - 1.0), rel=1e-6)


def test_a_bore_that_cannot_be_twice_as_wide():
    """Typical changes of a parameter are those that the model takes."""
    model, bore = cs.Model("boom", gravity=(0, 0, -9.81)), cs.Parameter("bore", 0.028)
    tube = cs.Tube(outer_diameter=0.03, inner_diameter=bore)
    boom = model.add(
        cs.Beam("boom", points=[(0, 0, 0), (1, 0, 0)], section=tube, material=cs.materials.STEEL, elements=4)
    )
    model.add(cs.Fixed("clamp", cs.GROUND, boom.start))
    model.add(cs.Force("load", boom.end, (0, 0, -20.0)))
    wanted = float(cs.equilibrium(model).position("boom.end")[2])
    found = cs.trim(model, {"bore": 0.027}, targets={("boom.end", "z"): wanted})
    assert abs(found.parameters["bore"] - 0.028) < 1e-9
