"""Laws of users and frames of models that cannot be used: what is wrong is said, and where."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import ModelError, SolveError


def hinged():
    model = cs.Model("m", gravity=(0, 0, -9.81))
    body = model.add(cs.RigidBody("b", mass=1, com=(0.5, 0, 0), inertia=0.1 * np.eye(3)))
    model.add(cs.Revolute("j", cs.GROUND, body.at((0, 0, 0)), axis=(0, 1, 0)))
    return model, body


def scalar(t, frame, twist, parameters):
    return -1.0


def nothing(t, frame, twist, parameters):
    pass


def drag(t, frame, twist, parameters):
    return -0.1 * twist


def chart(t, frame, twist, parameters):
    wrench = np.zeros(6)
    wrench[2] = 5.0 if frame[2, 3] > -0.3 else np.nan
    return wrench


@pytest.mark.parametrize("law", [scalar, nothing])
def test_a_law_that_gives_no_array(law):
    model, body = hinged()
    model.add(cs.StateLoad("wind", body, law))
    with pytest.raises(ModelError, match=r"load 'wind': the law must return an array \(6,\), force and moment"):
        cs.simulate(model, 0.1, 0.01)


def test_a_tree_of_rigid_bodies_has_no_modes():
    model, body = hinged()
    model.add(cs.StateLoad("wind", body, drag))
    for given in ({"modes": 3}, {"boundary": "free"}):
        with pytest.raises(SolveError, match=r"Tree: (modes is 3|boundary is 'free'), but model 'm' has no beams"):
            cs.Tree(model, **given)
    with pytest.raises(SolveError, match="Tree: modes is 3"):
        cs.Tree(model, 3)


@pytest.mark.parametrize("value", ["earth", 3, {"a": 1}, (1, 2, 3)])
def test_a_frame_is_checked_when_it_is_set(value):
    model, _ = hinged()
    with pytest.raises(ModelError, match=r"model .m.: frame is .*; pass an Observer"):
        model.frame = value
    assert model.frame is None


def test_an_equilibrium_names_the_law_that_failed_on_the_way():
    model, body = hinged()
    model.add(cs.StateLoad("chart", body, chart))
    found = cs.equilibrium(model)
    assert not found.status.ok
    assert "the law of load 'chart' gives [0.0, 0.0, nan, 0.0, 0.0, 0.0]" in found.status.message


@pytest.mark.parametrize(
    "how",
    [
        {"step": 0.01},
        {"step": 0.01, "formulation": "floating"},
        {"step": 0.01, "formulation": "floating", "integrator": "runge-kutta"},
        {"tolerance": 1e-3, "formulation": "floating", "integrator": "runge-kutta"},
    ],
)
def test_a_run_names_the_law_that_ended_it(how):
    model, body = hinged()
    model.add(cs.StateLoad("chart", body, ending))
    run = cs.simulate(model, 1.0, **how)
    assert run.status.outcome is cs.Outcome.NOT_FINITE
    assert "the law of load 'chart' gives [nan, 0.0, 0.0, 0.0, 0.0, 0.0]" in run.status.message
    assert "smaller steps" not in run.status.message
    assert 0.18 < run.time[-1] <= 0.2


def ending(t, frame, twist, p):
    w = np.zeros(6)
    if t > 0.2:
        w[0] = np.sqrt(-t)
    return w


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_a_table_that_does_not_cover_the_angle_is_named(formulation):
    model = cs.Model("vane", fluid=cs.Fluid(density=1.2, velocity=(-10, 0, 0)))
    body = model.add(cs.RigidBody("b", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1), angular_velocity=(0, -1, 0)))
    model.add(cs.Revolute("h", cs.GROUND, body, axis=(0, 1, 0)))
    model.add(cs.Aerodynamics("w", body, area=1.0, chord=1.0, lift=[(-0.3, -1), (0.3, 1)]))
    run = cs.simulate(model, 1.0, 0.01, formulation=formulation)
    assert "'w' meets an angle of attack of 0.3" in run.status.message
    assert "its table lift goes from -0.3 to 0.3 rad" in run.status.message
    assert run.time[-1] == pytest.approx(0.3, abs=0.011)


def straight(t, frame, parameters):
    return (frame[2, 3],)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"law": lambda t, frame: (0.0,)}, "law must be a function of (t, frame, parameters); it takes other"),
        ({"law": straight, "level": "velocity"}, "law must be a function of (t, frame, twist, parameters)"),
        ({"law": straight, "level": "acceleration"}, "level must be 'position' or 'velocity', got 'acceleration'"),
        ({"law": straight, "parameters": 3.0}, "parameters must be a dict such as {'radius': 0.1}, got 3.0"),
        ({"law": straight, "parameters": {"r": np.nan}}, "parameters['r'] is nan; it must be a finite number"),
        ({"law": lambda t, frame, p: frame[2, 3]}, "must return an array or tuple of one to 3 numbers, got a number"),
        ({"law": lambda t, frame, p: frame[:, 3]}, "one to 3 numbers, got shape (4,); write several constraints"),
        ({"law": lambda t, frame, p: (p["r"],)}, "its law fails in the reference configuration: no field of name r"),
        ({"law": lambda t, frame, p: (float(str([t])[1:-1]),)}, "the law cannot be compiled: line"),
        ({"law": lambda t, frame, p: (np.nan * frame[2, 3],)}, "the law gives [nan] in the reference configuration"),
        ({"law": lambda t, frame, twist, p: (twist[0] * twist[1],), "level": "velocity"}, "is not linear in twist"),
        ({"law": straight, "other": "b"}, "both places are on 'b', which it cannot hold to itself"),
        ({"law": straight, "place": cs.GROUND.at((0, 0, 0))}, "its place is on the ground; name a place on a body"),
        ({"law": straight, "places": 1}, "unknown argument 'places'; accepted arguments: name, place, law"),
    ],
)
def test_constraints_that_cannot_be_are_located(given, told):
    model = cs.Model("m")
    body = model.add(cs.RigidBody("b", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))

    def run():
        model.add(cs.Constraint("held", **{"place": body, **given}))
        cs.simulate(model, 0.1, 0.01)

    with pytest.raises(cs.CosseratError) as error:
        run()
    assert told in str(error.value)
    assert "'held'" in str(error.value)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_a_run_names_the_constraint_that_ended_it(formulation):
    def roots(t, frame, parameters):
        return (frame[2, 3] - (np.sqrt(0.2 - t) if t > 0.1 else np.sqrt(0.1)) + np.sqrt(0.1),)

    model = cs.Model("m")
    body = model.add(cs.RigidBody("b", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Constraint("held", body, roots))
    run = cs.simulate(model, 0.5, 0.01, formulation=formulation)
    assert run.status.outcome is cs.Outcome.NOT_FINITE
    assert "the law of constraint 'held'" in run.status.message
