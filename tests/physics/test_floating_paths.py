"""Paths, trimmed states and Campbell diagrams in floating frames, against the Galilean formulation and closed forms."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from tests.physics.test_floating_analyses import arm, four_bar

import cosserat as cs
from cosserat.errors import SolveError

FLOATING = "floating"


def truss(stiffness: object = 1000.0) -> cs.Model:
    """Two springs that snap through."""
    model = cs.Model("arch of two bars")
    top = model.add(cs.RigidBody.sphere("top", diameter=0.1, mass=1.0, com=(0, 0, 0.3)))
    model.add(cs.Prismatic("guide", cs.GROUND.at((0, 0, 0.3)), top, axis=(0, 0, 1)))
    for side in (-1, 1):
        model.add(cs.Spring(f"bar{side}", cs.GROUND.at((side, 0, 0)), top, stiffness=stiffness))
    model.add(cs.Force("load", top, (0, 0, -cs.Parameter("P", 0.0))))
    return model


def column(stiffness: float = 100.0) -> cs.Model:
    """Two rigid bars with springs in their hinges under a dead load: two branch points, two planes each barred."""
    model = cs.Model("column")
    parent: object = cs.GROUND
    for i in range(2):
        bar = model.add(cs.RigidBody.bar(f"bar{i}", start=(0, 0, i), end=(0, 0, i + 1), mass=1.0))
        model.add(cs.Revolute(f"hinge{i}", parent, bar, at=(0, 0, i), axis=(0, 1, 0), stiffness=stiffness))
        parent = bar.at((0, 0, i + 1))
    model.add(cs.Force("load", parent, (0, 0, -cs.Parameter("P", 10.0))))
    return model


def test_limit_points_of_a_truss() -> None:
    """Through both limit points, at the loads of the Galilean formulation and of the closed form."""
    here, there = (cs.continuation(truss(), "P", 0.0, 50.0, formulation=f) for f in (None, FLOATING))
    assert there.status.ok
    assert [p.label for p in there.points] == ["limit 1", "limit 2"]
    L0 = np.hypot(1.0, 0.3)
    z = np.sqrt(L0 ** (2 / 3) - 1.0)  # where dP/dz = 0: 1 - L0 / (1 + z^2)^(3/2) = 0
    load = 2 * 1000.0 * z * (L0 / np.hypot(1.0, z) - 1.0)
    assert np.isclose(there.points[0].value, load, rtol=1e-9)
    assert np.allclose([p.value for p in here.points], [p.value for p in there.points], rtol=1e-9)
    assert there.stable[0]
    assert not there.stable[there.points[0].index + 2]
    assert np.isclose(there.position("top")[-1, 2], here.position("top")[-1, 2], atol=1e-9)
    assert np.isclose(there.coordinate("guide")[-1], here.coordinate("guide")[-1], atol=1e-9)


def test_a_stiffness_makes_links_anew() -> None:
    """A parameter that is packed into links, not one of inputs."""
    model = truss(cs.Parameter("k", 1000.0))
    model.set(P=20.0)
    here = cs.continuation(model, "k", 1000.0, 3000.0)
    there = cs.continuation(model, "k", 1000.0, 3000.0, formulation=FLOATING)
    assert there.status.ok
    assert np.isclose(there.position("top")[-1, 2], here.position("top")[-1, 2], atol=1e-9)
    assert model.parameters == {"k": 1000.0, "P": 20.0}


def test_branches_of_a_column() -> None:
    """Branch points at the buckling loads k (3 -+ sqrt 5) / 2, and the branch that leaves the first one."""
    path = cs.continuation(column(), "P", 10.0, 300.0, switch="branch 1", formulation=FLOATING)
    wanted = 100.0 * (3.0 + np.array([-1.0, 1.0]) * np.sqrt(5.0)) / 2.0
    assert [p.label for p in path.points] == ["branch 1", "branch 2"]
    assert np.allclose([p.value for p in path.points], wanted, rtol=1e-9)
    shape = path.points[0].shape(column()["bar1"].at((0, 0, 2)))
    assert abs(shape[0]) > 10 * abs(shape[2])
    left, right = path.branches
    other = cs.continuation(column(), "P", 10.0, 300.0, switch="branch 1").branches
    for branch in (left, right):
        twin = min(other, key=lambda b, end=branch: abs(b.coordinate("hinge0")[-1] - end.coordinate("hinge0")[-1]))
        assert np.isclose(branch.parameter[-1], twin.parameter[-1])
        for hinge in ("hinge0", "hinge1"):
            assert np.isclose(branch.coordinate(hinge)[-1], twin.coordinate(hinge)[-1], atol=1e-8)
    assert left.coordinate("hinge0")[-1] * right.coordinate("hinge0")[-1] < 0


@pytest.mark.filterwarnings("ignore:redundant constraints")
def test_path_of_a_closed_loop() -> None:
    """Of a four-bar linkage along a spring's stiffness, a parameter of a cut joint's neighbours."""
    model = four_bar()
    model.add(cs.Force("push", "bar1", (cs.Parameter("F", 0.0), 0, 0)))
    here, there = (cs.continuation(model, "F", 0.0, 30.0, formulation=f) for f in (None, FLOATING))
    assert there.status.ok
    for joint in "abcd":
        assert np.isclose(there.coordinate(joint)[-1], here.coordinate(joint)[-1], atol=1e-9)
    found = there.equilibrium(len(there) - 1)
    assert np.allclose(found.reaction("a"), here.equilibrium(len(here) - 1).reaction("a"), atol=1e-7)
    modes = cs.modes(model, 1, about=found, formulation=FLOATING)
    assert np.isclose(modes.frequencies[0], cs.modes(model, 1, about=here.equilibrium(len(here) - 1)).frequencies[0])


def test_path_of_a_modal_column() -> None:
    """Buckling of a clamped column as a modal body: Euler's load within what its modes know."""
    beam = cs.Beam("column", points=[(0, 0, 0), (0, 0, 1)], section=cs.Section(
        stiffness=[1e6, 1e6, 1e6, 1e2, 1.0, 1e2], mass=[1, 1, 1, 1e-3, 1e-3, 1e-3]), elements=16)  # fmt: skip
    model = cs.Model("column")
    body = model.add(cs.modal_body(beam, 4))
    model.add(cs.Fixed("clamp", cs.GROUND, body.at("start")))
    model.add(cs.Force("load", body.at("end"), (0, 0, -cs.Parameter("P", 0.5))))
    path = cs.continuation(model, "P", 0.5, 4.0)
    assert path.points[0].kind == "branch"
    assert np.isclose(path.points[0].value, np.pi**2 / 4, rtol=3e-3)
    found = cs.stability(model, "P", np.linspace(2.0, 3.0, 3), n=2).critical[0]
    assert np.isclose(path.points[0].value, found.value, rtol=1e-9)


@pytest.mark.parametrize("follow", [False, True])
def test_trim_of_an_arm(follow: bool) -> None:
    """Efforts that hold a configuration, and a thrust that brings a hinge to its target."""
    model = arm()
    if follow:
        options = {"targets": {"j1": 0.1}, "unknowns": ["P"]}
    else:
        model = cs.Model("pendulum", gravity=(0, 0, -9.81))
        rod = model.add(cs.RigidBody.bar("rod", start=(0, 0, 0), end=(1, 0, 0), mass=2.0))
        model.add(cs.Revolute("hinge", cs.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), effort=cs.Parameter("T", 0.0)))
        options = {"unknowns": ["T"]}
    here, there = cs.trim(model, **options), cs.trim(model, **options, formulation=FLOATING)
    for name, value in here.parameters.items():
        assert np.isclose(there.parameters[name], value, rtol=1e-8)
    assert np.isclose(there.growth_rate, here.growth_rate, rtol=1e-8)
    if not follow:
        assert np.isclose(there.parameters["T"], -9.81, rtol=1e-12)


def test_trim_names_what_is_left() -> None:
    model = arm()
    with pytest.raises(SolveError, match=r"no values of 'P' balance the configuration: .* unbalanced along 'j"):
        cs.trim(model, ["P"], formulation=FLOATING)


@pytest.mark.filterwarnings("ignore:redundant constraints")
def test_trim_of_a_closed_loop() -> None:
    model = four_bar()
    model.add(cs.Force("push", "bar1", (cs.Parameter("F", 0.0), 0, 0)))
    here, there = (cs.trim(model, ["F"], targets={"a": 0.2}, formulation=f) for f in (None, FLOATING))
    assert np.isclose(there.parameters["F"], here.parameters["F"], rtol=1e-8)
    assert np.isclose(there.equilibrium.coordinate("a"), 0.2, atol=1e-10)


def governor() -> cs.Model:
    """An arm that swings out, a damped spring to the ground, a ball joint, and a body that hangs on nothing else."""
    model = cs.Model("governor", gravity=(0, 0, -9.81))
    swing = model.add(cs.RigidBody("arm", 1.0, (0.5, 0, 0.0), (0.01, 0.02, 0.02)))
    model.add(cs.Revolute("hinge", cs.GROUND, swing, at=(0.1, 0, 0), axis=(0, 1, 0), stiffness=3.0, damping=0.1))
    ball = model.add(cs.RigidBody("ball", 0.5, (1.2, 0, 0.1), (0.01, 0.02, 0.02)))
    model.add(cs.Spherical("wrist", swing.at((1, 0, 0)), ball, at=(1, 0, 0), stiffness=2.0))
    model.add(cs.Spring("rope", cs.GROUND.at((0, 0, 1)), ball, stiffness=10.0, damping=1.0))
    return model


def test_steady_rotation() -> None:
    """A whole mechanism that turns together with its ground: equilibrium, reactions, modes and linear models."""
    model = governor()
    options = {"spin": (0, 0, 3.0)}
    here, there = cs.equilibrium(model, **options), cs.equilibrium(model, **options, formulation=FLOATING)
    assert there.status.ok
    assert np.isclose(there.coordinate("hinge"), here.coordinate("hinge"), atol=1e-12)
    assert np.allclose(there.reaction("hinge"), here.reaction("hinge"), atol=1e-11)
    a = cs.modes(model, 4, about=here).eigenvalues
    for more in ({"about": there}, options):
        assert np.allclose(a, cs.modes(model, 4, formulation=FLOATING, **more).eigenvalues, rtol=1e-9)
    first = cs.linearize(model, ["ball.fz"], ["ball.x", "hinge.reaction"], about=here)
    second = cs.linearize(model, ["ball.fz"], ["ball.x", "hinge.reaction"], about=there, formulation=FLOATING)
    assert np.allclose(first.transfer(2.0j), second.transfer(2.0j), rtol=1e-7, atol=1e-9)


def test_free_body_turns_along() -> None:
    """A body on springs alone, which no joint ties to the turntable."""
    model = cs.Model("oscillator")
    model.add(cs.RigidBody("body", mass=1.0, com=(0.1, 0, 0), inertia=(1, 1, 1)))
    for k, end in enumerate(np.vstack((np.eye(3), -np.eye(3)))):
        model.add(cs.Spring(f"s{k}", cs.GROUND.at(end), model["body"].at(0.3 * end), stiffness=40.0 + k, length=0.3))
    a = cs.modes(model, 6, spin=(0, 0, 1.0))
    b = cs.modes(model, 6, spin=(0, 0, 1.0), formulation=FLOATING)
    assert np.allclose(a.eigenvalues, b.eigenvalues, atol=1e-8)


def test_campbell() -> None:
    """Frequencies against the speed, from rest on, and the speeds at which an order meets them."""
    speeds = np.linspace(0.0, 6.0, 4)
    here, there = (cs.campbell(governor(), speeds, n=3, orders=(1, 2), formulation=f) for f in (None, FLOATING))
    assert np.allclose(there.eigenvalues, here.eigenvalues, rtol=1e-8)
    assert np.allclose([c.spin for c in there.critical_speeds], [c.spin for c in here.critical_speeds], rtol=1e-8)


@pytest.mark.parametrize("formulation", [None, FLOATING])
def test_campbell_of_whirls_that_pass_zero(formulation: str | None) -> None:
    """A mass on alike springs, seen from its turntable: |k - W| and k + W, each once, with speeds on both sides."""
    model = cs.Model("rotor")
    rotor = model.add(cs.RigidBody("rotor", mass=1.0, com=(0, 0, 0), inertia=(0.002, 0.002, 0.002)))
    model.add(cs.Planar("bearing", cs.GROUND, rotor, normal=(0, 0, 1), stiffness=(400.0, 400.0, 1000.0)))
    speeds = np.array([0.0, 10.0, 19.0, 21.0, 30.0])
    found = cs.campbell(model, speeds, n=3, formulation=formulation)
    wanted = np.sort([np.abs(20.0 - speeds), 20.0 + speeds, np.full(5, np.sqrt(1000.0 / 0.002))], axis=0)
    assert np.allclose(2 * np.pi * np.sort(found.frequencies, axis=1), wanted.T, rtol=1e-7)


def test_speed_as_a_parameter() -> None:
    """A path, a stability boundary and a trimmed state in the speed of rotation: a bead on a rotating spring."""
    model = cs.Model("oscillator")
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0.5, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=4.0))
    W = cs.Parameter("W", 0.0)
    path = cs.continuation(model, "W", 0.0, 1.0, spin=(0, 0, W), formulation=FLOATING)
    assert path.status.ok
    assert np.isclose(path.coordinate("rail")[-1], 0.5 / (4.0 - 1.0), rtol=1e-9)  # k x = m W^2 (r + x)
    W = cs.Parameter("W", 1.0)
    trimmed = cs.trim(model, [W], targets={"rail": 0.5}, spin=(0, 0, W), formulation=FLOATING)
    assert np.isclose(trimmed.parameters["W"], np.sqrt(2.0), rtol=1e-9)


def test_targets_and_loads_as_inputs_with_forces_as_outputs() -> None:
    """The target of a servo and a unit of a load, dead or following, act at once on reactions, too."""
    model = arm(ball_joint=False)
    model.add(cs.Servo("drive", "j1", target=0.1, kp=40.0, kd=1.0, limit=100.0))
    model.add(cs.Wrench("pull", model["b2"].at((3, 0, 0)), (0, 0, 1.0), (0.5, 0, 0)))
    model.add(cs.Force("side", "b1", (0, 2.0, 0), follower=True))
    inputs, outputs = ["drive", "pull.fz", "pull.mx", "side"], ["j0.reaction", "j1.effort", "ball.x"]
    here, there = (cs.linearize(model, inputs, outputs, formulation=f) for f in (None, FLOATING))
    assert there.inputs == here.inputs
    for s in (0.0, 2.0j):
        G = here.transfer(s)
        assert np.allclose(G, there.transfer(s), rtol=1e-7, atol=1e-8 * np.abs(G).max())


def test_line_load_as_an_input() -> None:
    model = cs.Model("cantilever", gravity=(0, 0, -9.81))
    beam = model.add(cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.02), material=cs.materials.STEEL,
                             elements=8))  # fmt: skip
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.DistributedLoad("wind", beam, force=(0, 1.0, 0)))
    asked = ["wind"], ["clamp.fy", "clamp.mz", "arm.end.y"]
    here = cs.linearize(model, *asked, modes=4)
    there = cs.linearize(model, *asked, formulation=cs.Floating(modes=8))
    assert np.allclose(here.transfer(0.0), there.transfer(0.0), rtol=2e-4)


def test_dead_moment_has_no_potential() -> None:
    """A moment fixed in space on a body that turns about several axes: the stiffness is not symmetric."""
    model = cs.Model("top", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody("bob", 1.0, (0, 0, -1), (0.1, 0.2, 0.15)))
    model.add(cs.Spherical("pivot", cs.GROUND, bob, at=(0, 0, 0), stiffness=3.0))
    model.add(cs.Torque("twist", bob, (0, 0, 2.5)))
    a, b = (cs.modes(model, 3, formulation=f) for f in (None, FLOATING))
    assert np.allclose(a.eigenvalues, b.eigenvalues, rtol=1e-8, atol=1e-9)
    assert np.abs(b.eigenvalues.real).max() > 1e-3


def test_a_path_pickles() -> None:
    path = cs.continuation(truss(), "P", 0.0, 5.0, formulation=FLOATING)
    again = pickle.loads(pickle.dumps(path))
    assert np.array_equal(again.parameter, path.parameter)
    assert np.allclose(again.position("top"), path.position("top"))
    assert np.allclose(again.equilibrium(-1).reaction("guide"), path.equilibrium(-1).reaction("guide"))


def test_stiffness_of_a_round_beam_as_a_parameter() -> None:
    """Its modes come in pairs that are equally fast; whichever of them a beam gets, a small load bends it by 1/E."""
    model = cs.Model("rod")
    stiffness = cs.Parameter("E", 3e9)
    material = cs.Material(E=stiffness, nu=0.3, rho=1100.0)
    points = [(0, 0, 0), (1, 0, 0)]
    beam = model.add(cs.Beam("beam", points=points, section=cs.Rod(0.02), material=material, elements=6))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("load", beam.end, (0, 4e-3, 2e-3)))
    frames = cs.Floating(modes=6)
    bent = cs.equilibrium(model, formulation=frames).position("beam.end")[1:]
    linear = cs.linearize(model, [stiffness], ["beam.end.y", "beam.end.z"], formulation=frames)
    assert linear.transfer(0.0)[:, 0].real == pytest.approx(-bent / 3e9, rel=1e-6)
    path = cs.continuation(model, stiffness, 3e9, 1e9, formulation=frames)
    assert path.status.ok
    assert path.position("beam.end")[-1, 1:] == pytest.approx(3 * bent, rel=1e-6)
