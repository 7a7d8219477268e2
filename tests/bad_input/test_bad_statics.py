"""Questions about equilibria, trim and paths that have no answer get a located error."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import ModelError, ParameterError, SolveError


def pendulum():
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    rod = model.add(cs.RigidBody.bar("rod", start=(0, 0, 0), end=(0, 0, -1), mass=2.0))
    joint = cs.Revolute(
        "hinge",
        cs.GROUND,
        rod.at((0, 0, 0)),
        axis=(0, 1, 0),
        effort=cs.Parameter("T", 0.0),
        damping=cs.Parameter("c", 0.1),
    )
    model.add(joint)
    return model


def test_unknown_parameter_lists_the_known_ones():
    with pytest.raises(ParameterError, match=r"nothing depends on a parameter 'Q'; parameters: 'T', 'c'"):
        cs.continuation(pendulum(), "Q", 0.0, 1.0)
    with pytest.raises(ParameterError, match=r"trim: nothing depends on a parameter 'Q'"):
        cs.trim(pendulum(), ["Q"])


def test_parameter_without_effect_on_balance():
    with pytest.raises(SolveError, match=r"does not depend on 'c': it changes freedoms.damping"):
        cs.continuation(pendulum(), "c", 0.1, 1.0)
    with pytest.raises(SolveError, match=r"does not depend on 'c'"):
        cs.trim(pendulum(), ["c"])


def test_start_and_stop():
    with pytest.raises(SolveError, match=r"start and stop are both 1\.0"):
        cs.continuation(pendulum(), "T", 1.0, 1.0)
    for bad in (np.nan, "a", None, [1.0]):
        with pytest.raises(SolveError, match="stop is"):
            cs.continuation(pendulum(), "T", 0.0, bad)


@pytest.mark.parametrize(
    "options, text",
    [
        ({"step": 0.0}, "step = 0.0"),
        ({"step": 0.2, "max_step": 0.1}, "step = 0.2"),
        ({"max_steps": 0}, "max_steps is 0"),
        ({"direction": 2}, "direction is 2"),
        ({"switch": "branch 7"}, "no point 'branch 7'"),
    ],
)
def test_options_of_continuation(options, text):
    with pytest.raises(SolveError, match=text):
        cs.continuation(pendulum(), "T", 0.0, 1.0, **options)


def test_no_equilibrium_to_start_from():
    model = cs.Model("free", gravity=(0, 0, -9.81))
    body = model.add(cs.RigidBody.box("hub", size=(1, 1, 1), mass=1.0, com=(0, 0, 0)))
    model.add(cs.Force("thrust", body, (0, 0, cs.Parameter("F", 0.0))))
    with pytest.raises(SolveError, match=r"no equilibrium to start from at F = 1: .*'hub' moves freely in space"):
        cs.continuation(model, "F", 1.0, 2.0)


def test_parameter_that_moves_a_load_from_node_to_node():
    model = cs.Model("beam")
    section = cs.Section(stiffness=[1e5, 1e5, 1e5, 10, 10, 10], mass=[1, 1, 1, 1e-3, 1e-3, 1e-3])
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=4))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("load", beam.at(cs.Parameter("s", 0.3)), (0, 0, 1.0)))
    with pytest.raises(SolveError, match="'s': they change the mesh"):
        cs.continuation(model, "s", 0.3, 0.9)


def test_path_stops_where_the_model_cannot_take_the_value():
    """The stiffness may not become negative; the path keeps what it has."""
    model = cs.Model("spring")
    body = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0, com=(0, 0, 0)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=cs.Parameter("k", 100.0)))
    model.add(cs.Force("pull", body, (1.0, 0, 0)))
    with pytest.raises(ModelError, match="stiffness"):
        cs.continuation(model, "k", 100.0, -50.0)
    assert model.parameters["k"] == 100.0


def test_limit_points_begin_no_path():
    model = cs.Model("truss")
    top = model.add(cs.RigidBody.sphere("top", diameter=0.1, mass=1.0, com=(0, 0, 0.3)))
    model.add(cs.Prismatic("guide", cs.GROUND.at((0, 0, 0.3)), top, axis=(0, 0, 1)))
    for side in (-1, 1):
        model.add(cs.Spring(f"bar{side}", cs.GROUND.at((side, 0, 0)), top, stiffness=1000.0))
    model.add(cs.Force("load", top, (0, 0, -cs.Parameter("P", 0.0))))
    path = cs.continuation(model, "P", 0.0, 12.0, max_steps=30)
    with pytest.raises(SolveError, match="'limit 1' is a limit point"):
        cs.continuation(model, "P", path.points[0], 12.0)


@pytest.mark.parametrize(
    "arguments, text",
    [
        ({"unknowns": []}, "no unknowns"),
        ({"unknowns": ["T", "T"]}, "'T' is named twice"),
        ({"unknowns": ["T"], "hold": "level"}, "hold='level'"),
        ({"unknowns": ["T"], "targets": {"elbow": 1.0}}, "unknown joint 'elbow'"),
        ({"unknowns": ["T"], "targets": {("rod", "up"): 1.0}}, "pass \\(place, 'x'\\)"),
        ({"unknowns": ["T"], "targets": {"hinge": np.nan}}, "the target of 'hinge' is nan"),
        ({"unknowns": ["T"], "targets": [0.3]}, "pass a dict"),
        ({"unknowns": ["T"], "targets": {"hinge": 0.3}, "hold": "reference"}, "cannot both be met"),
        ({"unknowns": ["T"], "targets": {("rod", "y"): 0.3}}, "no equilibrium with rod y = 0.3 was found"),
    ],
)
def test_trim(arguments, text):
    with pytest.raises(cs.CosseratError, match=text):
        cs.trim(pendulum(), **arguments)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_loads_that_never_balance_are_given_up_early(formulation):
    """A chain adrift that is pulled and turned: the pull on the whole stays the same however it lies."""
    model = cs.Model("adrift")
    points = [(0, 0, 0), (1, 0, 0), (2, 0.3, 0), (3, 0, 0.2)]
    bars = [model.add(cs.RigidBody.bar(f"bar{k}", *points[k : k + 2], mass=1.0)) for k in range(3)]
    for k in (1, 2):
        axis = (0, 0, 1) if k == 1 else (0, 1, 0)
        model.add(cs.Revolute(f"hinge{k}", bars[k - 1].at(points[k]), bars[k].at(points[k]), axis=axis))
    model.add(cs.Force("pull", "bar0", (0, 0, 3.0)))
    model.add(cs.Torque("turn", "bar2", (0.3, 0, 1.0)))
    found = cs.equilibrium(model, formulation=formulation)
    assert found.status.outcome is cs.Outcome.FREE_MOTION
    assert found.stats["factorizations"] < 400  # of 1500 and more


@pytest.mark.parametrize("index", [7, 0.5, "first", None])
def test_a_point_that_a_path_does_not_have(index):
    model = cs.Model("slider")
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=4.0))
    model.add(cs.Force("push", body, (cs.Parameter("P", 0.0), 0, 0)))
    with pytest.raises(cs.CosseratError, match=r"path: there is no point .*; pass a number from 0 to \d+, or"):
        cs.continuation(model, "P", 0.0, 1.0, max_steps=3).equilibrium(index)
