"""Small things that a first day with the linear analyses asks for."""

import inspect

import numpy as np
import pytest

import cosserat as cs


def arm():
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    links = []
    for i, name in enumerate(("upper", "lower")):
        link = cs.Beam(
            name, points=[(i, 0, 0), (i + 1, 0, 0)], section=cs.Tube(0.03, 0.027),
            material=cs.materials.ALUMINIUM_6061, elements=4,
        )  # fmt: skip
        links.append(model.add(link))
    model.add(cs.Revolute("shoulder", cs.GROUND, links[0].start, axis=(0, -1, 0), effort=1.0))
    model.add(cs.Revolute("elbow", links[0].end, links[1].start, axis=(0, -1, 0)))
    return model


def test_modes_at_a_pose():
    """The same as of a model in which the joints are prescribed; the model itself stays as it was."""
    model, pose = arm(), {"shoulder": 0.5, "elbow": 2.0}
    held = cs.Model("held", gravity=(0, 0, -9.81))
    for component in arm():
        if component.name in pose:
            component = cs.Revolute(**{**component.arguments(), "effort": None, "motion": pose[component.name]})
        held.add(component)
    assert cs.modes(model, 4, at=pose).frequencies == pytest.approx(cs.modes(held, 4).frequencies, rel=1e-9)
    assert model["shoulder"].motion == (None,)
    straight = cs.modes(model, 1, at={"shoulder": 0.0, "elbow": 0.0}).frequencies[0]
    assert cs.modes(model, 1, at=pose).frequencies[0] > 1.2 * straight


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ({"wrist": 1.0}, "no joint 'wrist'; joints: 'shoulder', 'elbow'"),
        ({"elbow": (1.0, 2.0)}, "pass 1 finite number"),
        ({"elbow.ry": 1.0}, "no freedom 'ry'"),
        (0.3, "pass a dict"),
    ],
)
def test_poses_that_cannot_be(at, message):
    with pytest.raises(cs.CosseratError, match=message.replace("(", r"\(")):
        cs.modes(arm(), at=at)


def test_peak_between_the_frequencies():
    """An oscillator: the peak of 1 / sqrt((k - m w^2)^2 + c^2 w^2)."""
    m, k, c = 2.0, 800.0, 1.0
    model = cs.Model("oscillator")
    body = model.add(cs.RigidBody("body", mass=m, com=(1, 0, 0), inertia=[1, 1, 1]))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=k, damping=c))
    response = cs.frequency_response(model, "rail", "body.x", np.linspace(2, 4, 9))
    ratio = c / (2 * np.sqrt(k * m))
    f, gain = response.peak()
    assert f == pytest.approx(np.sqrt(k / m) * np.sqrt(1 - 2 * ratio**2) / (2 * np.pi), rel=1e-9)
    assert gain == pytest.approx(1 / (2 * k * ratio * np.sqrt(1 - ratio**2)), rel=1e-9)


def test_reduced_to_what_inputs_excite():
    """A round cantilever pushed along z: bending along y, torsion and stretching stay out."""
    model = cs.Model("cantilever")
    beam = model.add(
        cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.02), material=cs.materials.STEEL, elements=6)
    )
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    linear = cs.linearize(model, "beam.end.fz", "beam.end.z")
    small = linear.reduce(3, controllable=True)
    frequencies = np.sqrt(small.modes[0]) / (2 * np.pi)
    assert frequencies[1:] / frequencies[0] == pytest.approx([6.267, 17.55], rel=0.01)
    assert small.transfer(0j) == pytest.approx(linear.transfer(0j), rel=1e-9)
    assert small.transfer(300j) == pytest.approx(linear.transfer(300j), rel=1e-3)
    n = len(small.A)
    reach = np.hstack([np.linalg.matrix_power(small.A / 1e3, k) @ small.B for k in range(n)])
    assert np.linalg.matrix_rank(reach / np.linalg.norm(reach, axis=0)) == n
    with pytest.raises(cs.CosseratError, match=r"that the inputs beam\.end\.fz excite"):
        linear.reduce(30, controllable=True)


def test_stability_map_names_the_refused_parameter():
    mass, stiffness = cs.Parameter("M", 1.0), cs.Parameter("K", 1.0)
    model = cs.Model("oscillator")
    body = model.add(cs.RigidBody("body", mass=mass, com=(0, 0, 0), inertia=[1, 1, 1]))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=stiffness))
    with pytest.raises(cs.CosseratError, match="stability_map: with M = -1, K = 1: body 'body': mass is -1"):
        cs.stability_map(model, {"M": [-1.0, 1.0], "K": [1.0, 2.0]})


def test_peak_of_what_nothing_damps():
    """1 / (k - m w^2): infinite at the natural frequency, wherever the grid lies."""
    model = cs.Model("oscillator")
    body = model.add(cs.RigidBody("body", mass=2.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=50.0, effort=0.0))
    f, gain = cs.frequency_response(model, "rail", "rail", np.linspace(0.1, 2.0, 8)).peak()
    assert f == pytest.approx(5.0 / (2.0 * np.pi), rel=1e-12)
    assert gain == np.inf


def test_methods_answer_unknown_arguments():
    model = cs.Model("oscillator")
    body = model.add(cs.RigidBody("body", mass=2.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=50.0, effort=0.0))
    linear = cs.linearize(model, "rail", "rail")
    run = cs.simulate(model, 0.1, step=0.01)
    calls = {
        "LinearModel.reduce: unknown argument 'controlable'; accepted": lambda: linear.reduce(1, controlable=True),
        "Run.position: unknown argument 'at'; accepted": lambda: run.position("body", at=0.1),
        "Run.position: missing a required argument: 'place'": lambda: run.position(),
        "Run.save: unknown argument 'overwrite'": lambda: run.save("x.nc", overwrite=True),
        "Equilibrium.position: unknown argument 'axis'": lambda: cs.equilibrium(model).position("body", axis=0),
        "Modes.shape: unknown argument 'mode'": lambda: cs.modes(model, 1).shape(mode=0, place="body"),
        "Model.remove: missing a required argument: 'component'": lambda: model.remove(),
    }
    for text, call in calls.items():
        with pytest.raises(cs.CosseratError) as caught:
            call()
        assert text in str(caught.value)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_warnings_name_the_line_of_the_user(formulation):
    model = cs.Model("m", gravity=(0, 0, -9.81))
    bar = model.add(cs.RigidBody.bar("bar", (0, 0, 0), (1, 0, 0), mass=1.0))
    model.add(cs.Revolute("hinge", cs.GROUND, bar.at((0, 0, 0)), axis=(0, 1, 0), effort=0.0))

    def controller(t, state):
        return {"hinge": 1.0 / (t - 0.02)}

    line = inspect.currentframe().f_lineno + 2
    with pytest.warns(cs.CosseratWarning) as caught:
        cs.simulate(model, 0.1, step=0.01, controller=controller, formulation=formulation)
    assert {(w.filename, w.lineno) for w in caught} == {(__file__, line)}
    model.add(cs.RigidBody.sphere("moon", diameter=1.0, mass=1.0, com=(9, 0, 0)))
    model.gravity = (0, 0, 0)
    with pytest.warns(cs.CosseratWarning, match="never move") as caught:
        cs.simulate(model, 0.1, step=0.01, formulation=formulation)
    assert {w.filename for w in caught} == {__file__}


def test_trees_answer_unknown_arguments():
    model = cs.Model("m", gravity=(0, 0, -9.81))
    bar = model.add(cs.RigidBody.bar("bar", (0, 0, 0), (1, 0, 0), mass=1.0))
    model.add(cs.Revolute("hinge", cs.GROUND, bar.at((0, 0, 0)), axis=(0, 1, 0)))
    with pytest.raises(cs.CosseratError, match="Tree: unknown argument 'mods'; accepted arguments: model, modes"):
        cs.Tree(model, mods=3)
