"""Paths of small mechanisms against closed forms."""

import re

import numpy as np
import pytest

import cosserat as cs
from cosserat.solve.balance.knobs import Knobs
from cosserat.solve.trees.parametric import Renewal

K, HEIGHT = 1000.0, 0.3
LENGTH = np.hypot(1.0, HEIGHT)


def truss(load=None, stiffness=K):
    """Two springs in a flat roof, the ridge guided along z."""
    model = cs.Model("truss")
    top = model.add(cs.RigidBody.sphere("top", diameter=0.1, mass=1.0, com=(0, 0, HEIGHT)))
    model.add(cs.Prismatic("guide", cs.GROUND.at((0, 0, HEIGHT)), top, axis=(0, 0, 1)))
    for side in (-1, 1):
        model.add(cs.Spring(f"bar{side}", cs.GROUND.at((side, 0, 0)), top, stiffness=stiffness, length=LENGTH))
    model.add(cs.Force("load", top, (0, 0, -(cs.Parameter("P", 0.0) if load is None else load))))
    return model


def load_at(z, stiffness=K):
    length = np.hypot(1.0, z)
    return 2 * stiffness * (LENGTH / length - 1) * z


def column(stiffness=100.0, other=None):
    """A rigid bar on a spring hinge, pushed along its axis; with `other`, on two crossed ones."""
    model = cs.Model("rigid column")
    bar = model.add(cs.RigidBody.bar("bar", start=(0, 0, 0), end=(0, 0, 2), mass=1.0))
    foot = bar.at((0, 0, 0))
    if other is None:
        model.add(cs.Revolute("hinge", cs.GROUND, foot, axis=(0, 1, 0), stiffness=stiffness))
    else:
        axes = ((1, 0, 0), (0, 1, 0))
        model.add(cs.Universal("hinge", cs.GROUND, foot, axes=axes, stiffness=(stiffness, other)))
    model.add(cs.Force("push", bar.at((0, 0, 2)), (0, 0, -cs.Parameter("P", 0.0))))
    return model


@pytest.fixture(scope="module")
def snap():
    return cs.continuation(truss(), "P", 0.0, 60.0)


def test_limit_loads_of_the_truss(snap):
    z = np.sqrt(LENGTH ** (2 / 3) - 1)  # where the load is stationary
    assert [p.label for p in snap.points] == ["limit 1", "limit 2"]
    assert [p.value for p in snap.points] == pytest.approx([load_at(z), -load_at(z)], rel=1e-10)
    assert [p.position("top")[2] for p in snap.points] == pytest.approx([z, -z], rel=1e-6)


def test_every_point_of_the_truss_path_is_balanced(snap):
    z = snap.position("top")[:, 2]
    assert snap.parameter == pytest.approx(load_at(z), abs=1e-9 * K)
    assert snap.coordinate("guide") == pytest.approx(z - HEIGHT, abs=1e-12)
    assert snap.parameter[-1] == 60.0
    assert snap.status.ok


def test_stability_changes_at_limit_points(snap):
    first, second = (p.index for p in snap.points)
    assert snap.stable[0]
    assert not np.any(snap.stable[first + 1 : second])
    assert np.all(snap.stable[second + 1 :])


def test_the_parameter_is_put_back():
    model = truss()
    model.set(P=7.0)
    cs.continuation(model, "P", 0.0, 1.0)
    assert model.parameters["P"] == 7.0


def test_equilibrium_of_a_point_can_be_used(snap):
    i = len(snap) // 4
    found = snap.equilibrium(i)
    assert found.parameters["P"] == pytest.approx(snap.parameter[i])
    snap.model.set(P=float(snap.parameter[i]))
    try:
        again = cs.equilibrium(snap.model, start=found)
    finally:
        snap.model.set(P=0.0)
    assert again.position("top") == pytest.approx(found.position("top"), abs=1e-9)


def test_rigid_column_branches_as_computed():
    path = cs.continuation(column(), "P", 0.0, 80.0, switch="all")
    assert [p.label for p in path.points] == ["branch 1"]
    assert path.points[0].value == pytest.approx(50.0, rel=1e-9)  # stiffness / length
    assert path.points[0].multiplicity == 1
    ends = []
    for branch in path.branches:
        angle = branch.coordinate("hinge")[1:]
        assert branch.parameter[1:] == pytest.approx(50.0 * angle / np.sin(angle), rel=1e-9)
        assert branch.origin is path.points[0]
        ends.append(angle[-1])
    assert ends[0] == pytest.approx(-ends[1], rel=1e-9)


def test_two_different_hinges_branch_one_after_the_other():
    path = cs.continuation(column(100.0, 120.0), "P", 0.0, 80.0)
    assert [p.value for p in path.points] == pytest.approx([50.0, 60.0], rel=1e-9)


def test_a_round_column_buckles_to_all_sides_at_once():
    """Nothing resists turning the bent column about its axis; the branch can be followed all the same."""
    model = cs.Model("round column")
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, 1, 1, 1], mass=[1, 1, 1, 1e-3, 1e-3, 1e-3])
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=16))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("load", beam.end, (-cs.Parameter("P", 0.0) * np.pi**2 / 4, 0, 0)))
    path = cs.continuation(model, "P", 0.0, 1.5)
    assert [p.multiplicity for p in path.points] == [2]
    tips = []
    for mode in (0, 1):
        branch = cs.continuation(model, "P", path.points[0], 1.15172, mode=mode)
        assert branch.status.ok, branch.status.message
        tips.append(branch.position("beam.end")[-1])
        assert [tips[-1][0], np.hypot(*tips[-1][1:])] == pytest.approx([0.74102, 0.59321], abs=4e-5)  # elastica
    assert abs(tips[0][1:] @ tips[1][1:]) < 1e-6


def test_a_column_on_a_ball_spring_follows_its_closed_form_in_any_plane():
    model = cs.Model("ball spring")
    bar = model.add(cs.RigidBody.bar("bar", start=(0, 0, 0), end=(0, 0, 2), mass=1.0))
    model.add(cs.Spherical("hinge", cs.GROUND, bar.at((0, 0, 0)), stiffness=100.0))
    model.add(cs.Force("push", bar.at((0, 0, 2)), (0, 0, -cs.Parameter("P", 0.0))))
    point = cs.continuation(model, "P", 0.0, 60.0).points[0]
    assert point.multiplicity == 2
    branch = cs.continuation(model, "P", point, 60.0, mode=1)
    assert branch.status.ok, branch.status.message
    angle = np.arccos(branch.position(bar.at((0, 0, 2)))[1:, 2] / 2)
    assert branch.parameter[1:] == pytest.approx(50.0 * angle / np.sin(angle), rel=1e-9)


def test_critical_shape_moves_the_tip_sideways():
    model = column()
    shape = cs.continuation(model, "P", 0.0, 60.0).points[0].shape(model["bar"].at((0, 0, 2)))
    assert abs(shape[0]) > 0.1
    assert shape[1:] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_a_stiffness_as_parameter():
    k = cs.Parameter("k", K)
    path = cs.continuation(truss(load=20.0, stiffness=k), "k", K, 3 * K)
    z = path.position("top")[:, 2]
    assert load_at(z, path.parameter) == pytest.approx(np.full(len(path), 20.0), rel=1e-9)


def test_a_load_too_large_for_a_falling_stiffness_meets_a_limit_point():
    z = np.sqrt(LENGTH ** (2 / 3) - 1)
    k = cs.Parameter("k", K)
    path = cs.continuation(truss(load=5.0, stiffness=k), "k", K, 0.3 * K, max_steps=20)
    assert path.points[0].kind == "limit"
    assert path.points[0].value == pytest.approx(5.0 / load_at(z, 1.0), rel=1e-9)


def test_a_prescribed_angle_as_parameter():
    angle = cs.Parameter("angle", 0.0)
    model = cs.Model("crane", gravity=(0, 0, -9.81))
    arm = model.add(cs.RigidBody.bar("arm", start=(0, 0, 0), end=(1, 0, 0), mass=2.0))
    model.add(cs.Revolute("hinge", cs.GROUND, arm.at((0, 0, 0)), axis=(0, -1, 0), motion=angle))
    path = cs.continuation(model, "angle", 0.0, 1.2)
    effort = [path.equilibrium(i).effort("hinge") for i in range(len(path))]
    assert effort == pytest.approx(9.81 * np.cos(path.parameter), rel=1e-9)


def test_a_speed_of_rotation_as_parameter():
    speed = cs.Parameter("speed", 0.0)
    model = cs.Model("governor")
    bob = model.add(cs.RigidBody.sphere("bob", diameter=0.1, mass=1.0, com=(1, 0, 0)))
    model.add(cs.Prismatic("arm", cs.GROUND, bob, axis=(1, 0, 0), stiffness=100.0))
    path = cs.continuation(model, "speed", 1.0, 8.0, spin=(0, 0, speed))
    w2 = path.parameter**2
    assert path.coordinate("arm") == pytest.approx(w2 / (100.0 - w2), rel=1e-8)


def test_until_and_max_steps_end_a_path():
    path = cs.continuation(truss(), "P", 0.0, 60.0, until=lambda found, value: found.position("top")[2] < 0.2)
    assert path.status.ok
    assert np.sum(path.position("top")[:, 2] < 0.2) == 1
    short = cs.continuation(truss(), "P", 0.0, 60.0, max_steps=3)
    assert short.status.outcome is cs.Outcome.OUT_OF_STEPS
    assert "P = " in short.status.message
    assert len(short) == 4


def test_points_are_shown_in_a_line(snap):
    assert re.fullmatch(r"PathPoint\(kind='limit', label='limit 1', value=[\d.]+, index=\d+\)", repr(snap.points[0]))


def test_plot_shows_path_and_points(snap, tmp_path):
    figure = snap.plot("top", "z", path=tmp_path / "path.png")
    axes = figure.axes[0]
    assert "displacement of top along z (m)" in axes.get_xlabel()
    assert "P" in axes.get_ylabel()
    assert any("limit 1" in text.get_text() for text in axes.texts)
    assert (tmp_path / "path.png").stat().st_size > 0
    with pytest.raises(cs.CosseratError, match="component"):
        snap.plot("top", "up")


def lagging(t, frame, twist, parameters):
    """A spring that follows the height late."""
    out = np.zeros(7)
    out[2] = -parameters["k"] * parameters["y"]
    out[6] = (frame[2, 3] - parameters["y"]) / parameters["tau"]
    return out


def arm(lag=False):
    """A cantilever under a load that follows its tip."""
    model = cs.Model("arm", gravity=(0, 0, -1.0))
    section = cs.Section(stiffness=[1e4, 1e4, 1e4, 5, 3, 10], mass=[1, 1, 1, 2e-3, 1e-3, 1e-3])
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=4))
    model.add(cs.Fixed("root", cs.GROUND, beam.start))
    model.add(cs.Force("tip", beam.end, (0, 0.2, cs.Parameter("P", 1.0)), follower=True))
    if lag:
        model.add(cs.StateLoad("lag", beam.end, lagging, {"k": 20.0, "tau": 0.2}, states={"y": 0.3}))
    return model


def same_answers(found, other, index=None):
    pick = (lambda x: x) if index is None else (lambda x: x[index])
    for s in (0.0, 0.37, 0.8):
        force = other.section_force("beam", s)
        assert np.allclose(pick(found.section_force("beam", s)), force, atol=1e-6 * np.abs(force).max())
    for name, item in (("velocity", "beam.end"), ("acceleration", "beam.end"), ("reaction", "root")):
        expected = getattr(other, name)(item)
        assert np.allclose(pick(getattr(found, name)(item)), expected, atol=1e-6)


def test_a_path_in_rotation_answers_as_its_equilibria_do():
    """Velocities, accelerations and section forces, in which the inertia of elements counts."""
    speed = cs.Parameter("W", 0.0)
    path = cs.continuation(arm(), "W", 0.0, 4.0, spin=(0, 0, speed))
    for i in (0, 2, len(path) - 1):
        alone = cs.equilibrium(arm(), spin=(0, 0, float(path.parameter[i])))
        same_answers(path, alone, i)
        same_answers(path.equilibrium(i), alone)
        assert np.isclose(path.equilibrium(i).energy["total"], alone.energy["total"], rtol=1e-6)
    assert np.isclose(path.velocity("beam.end")[-1, 1], 4.0 * path.position("beam.end")[-1, 0])


@pytest.mark.parametrize("start", [0.0, 1.0])
def test_a_path_in_rotation_refuses_what_does_not_turn_along(start):
    """Also where it begins at rest, or without the load."""
    model, speed = arm(), cs.Parameter("W", 0.0)
    model.add(cs.Force("wind", "beam.end", (0, cs.Parameter("F", 0.1), 0)))
    with pytest.raises(cs.CosseratError, match="load 'wind': it is fixed in space and not along the axis"):
        cs.continuation(model, "W", start, 4.0, spin=(0, 0, speed))
    model.set(F=0.0)
    with pytest.raises(cs.CosseratError, match="load 'wind': it is fixed in space and not along the axis"):
        cs.continuation(model, "F", 0.0, 1.0, spin=(0, 0, 2.0))


def test_a_path_knows_the_states_of_laws():
    model = arm(lag=True)
    path = cs.continuation(model, "P", 0.0, 2.0)
    last = path.equilibrium(-1)
    assert np.isclose(last.law_states["lag.y"], last.position("beam.end")[2])
    run = cs.simulate(model, 0.02, 0.01, start=last)
    assert np.isclose(run.law_states[0, 0], last.law_states["lag.y"])
    assert float(np.abs(run.velocity("beam.end")).max()) < 1e-8


def test_a_path_does_not_follow_later_changes_of_the_model():
    model = arm()
    model.add(cs.Spring("stay", cs.GROUND.at((1, 0, 1)), "beam.end", stiffness=cs.Parameter("k", 2.0)))
    kept, asked = (cs.continuation(model, "P", 0.0, 2.0) for _ in range(2))
    forces, last = kept.section_force("beam", 0.37), kept.equilibrium(-1).section_force("beam", 0.37)
    model.add(cs.DistributedLoad("snow", "beam", force=(0, 0, -5.0)))
    model.remove("stay")
    assert np.array_equal(asked.section_force("beam", 0.37), forces)
    assert np.array_equal(asked.equilibrium(-1).section_force("beam", 0.37), last)
    run = cs.simulate(model, 0.02, 0.01, start=asked.equilibrium(-1))  # with the load of that point
    assert np.isclose(run.section_force("beam", 1.0)[0, 2], 2.0, atol=0.1)


@pytest.mark.parametrize("formulation", [None, "floating"])
def test_branches_along_a_stiffness_look_at_none_that_cannot_be(formulation):
    """k q = P sin q of a post on a spring that grows softer."""
    model, k = cs.Model("post"), cs.Parameter("k", 10.0)
    post = model.add(cs.RigidBody.bar("post", (0, 0, 0), (0, 0, 1), mass=1.0))
    model.add(cs.Revolute("foot", cs.GROUND, post.at((0, 0, 0)), axis=(0, 1, 0), stiffness=k))
    model.add(cs.Force("weight", post.at((0, 0, 1)), (0, 0, -5.0)))
    options = {"max_step": 0.4, "formulation": formulation}
    path = cs.continuation(model, "k", 10.0, 3.0, **options)
    branch = cs.continuation(model, "k", path.points[0], 3.0, **options)
    q = branch.coordinate("foot")
    assert branch.status.ok
    assert np.isclose(branch.parameter[-1], 3.0)
    assert np.allclose(branch.parameter * q, 5.0 * np.sin(q), atol=1e-9)
    assert abs(q[-1]) > 1.0


def test_a_load_on_elastic_beams_renews_inputs_alone_in_floating_frames():
    """Modes that are found twice differ in their last digits: no reason to find them again for every load."""
    model = cs.Model("cantilever", gravity=(0, 0, -9.81))
    rod, steel = cs.Rod(0.02), cs.materials.STEEL
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=rod, material=steel, elements=8))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("tip", beam.end, (0, 0, 1000.0 * cs.Parameter("P", 1.0))))
    knobs = Knobs(model, ["P"], None, (0.0, 0.0, 0.0), "continuation")
    renewal = Renewal(knobs, {"P": 1.0}, 0.0, cs.Floating(modes=6))
    assert renewal.inputs_only
    assert renewal.linear == {"P": True}
