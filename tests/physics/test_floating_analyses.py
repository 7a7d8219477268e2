"""Equilibria, modes, linear models, responses and stability in floating frames against the Galilean formulation."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.literature.test_meijaard_2007_bicycle import TABLE_2, bicycle, both

import cosserat as cs
from cosserat.errors import SolveError

FLOATING = "floating"


def arm(ball_joint: bool = True) -> cs.Model:
    """Three links on hinges with springs, a ball joint at the end, a spring in space and a follower force."""
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    parent: object = cs.GROUND
    for i in range(3):
        body = model.add(cs.RigidBody(f"b{i}", 1.0 + i, (i + 0.5, 0.1, 0), (0.1, 0.2, 0.25)))
        axis = (0, 1, 0) if i % 2 == 0 else (0, 0.6, 0.8)
        model.add(cs.Revolute(f"j{i}", parent, body, at=(i, 0, 0), axis=axis, stiffness=90.0, damping=0.3 * i))
        parent = body.at((i + 1, 0, 0))
    ball = model.add(cs.RigidBody("ball", 0.5, (3.2, 0, 0.1), (0.02, 0.03, 0.04)))
    if ball_joint:
        model.add(cs.Spherical("wrist", parent, ball, at=(3, 0, 0), stiffness=6.0, damping=0.05))
    else:
        model.add(cs.Revolute("wrist", parent, ball, at=(3, 0, 0), axis=(0.6, 0, 0.8), stiffness=6.0, damping=0.05))
    model.add(
        cs.Spring("rope", cs.GROUND.at((2, 1, 2)), "b2", stiffness=cs.Parameter("k", 40.0), damping=2.0, length=1)
    )
    model.add(cs.Force("thrust", ball, (0.0, 0.0, cs.Parameter("P", 2.0)), follower=True))
    return model


INPUTS = ["j0", "ball.fz", "k", "P"]
OUTPUTS = [
    "ball.x",
    "b2.rotation",
    "j1.rate",
    "wrist",
    "j0.reaction",
    "b1.velocity",
    "ball.angular_velocity",
    "j2.effort",
]


def test_rigid_tree() -> None:
    """The same equilibrium, modes, matrices and responses, to rounding."""
    model = arm()
    here, there = cs.equilibrium(model), cs.equilibrium(model, formulation=FLOATING)
    assert here.status.ok
    assert there.status.ok
    assert there.stable == here.stable
    for joint in ("j0", "j1", "j2", "wrist"):
        assert np.allclose(here.coordinate(joint), there.coordinate(joint), atol=1e-11)
        assert np.allclose(here.reaction(joint), there.reaction(joint), atol=1e-9)
    assert np.isclose(here.energy["total"], there.energy["total"], rtol=1e-12)
    a, b = cs.modes(model, about=here), cs.modes(model, about=there, formulation=FLOATING)
    assert np.allclose(a.eigenvalues, b.eigenvalues, rtol=1e-9)
    for k in range(len(a)):
        assert np.allclose(a.shape(k, "ball"), b.shape(k, "ball"), atol=1e-8)
    assert np.allclose(a.components["kinetic"], b.components["kinetic"], atol=1e-8)
    assert np.allclose(a.participation["effective_mass"], b.participation["effective_mass"], atol=1e-8)
    assert np.allclose(a.participation["total"], b.participation["total"], rtol=1e-10)
    first = cs.linearize(model, INPUTS, OUTPUTS, about=here)
    second = cs.linearize(model, INPUTS, OUTPUTS, about=there, formulation=FLOATING)
    assert first.coordinates == second.coordinates
    assert first.outputs == second.outputs
    for s in (0.5j, 3.0j, 1.0 + 20.0j):
        G, H = first.transfer(s), second.transfer(s)
        assert np.allclose(G, H, rtol=1e-8, atol=1e-9 * np.abs(G).max())
    assert np.allclose(first.values, second.values, atol=1e-10)
    response = [
        cs.frequency_response(model, "j0", ["ball.z", "j0.fx"], [0.3, 2.0], about=about, formulation=formulation)
        for about, formulation in ((here, None), (there, FLOATING))
    ]
    assert np.allclose(response[0].data, response[1].data, rtol=1e-9)


def test_moment_of_a_run() -> None:
    """Frozen coefficients about a state in motion, of coordinates that both formulations have: of hinges."""
    model = arm(ball_joint=False)
    options = {"integrator": "runge-kutta", "formulation": FLOATING}
    run = cs.simulate(model, 0.3, 0.002, **options)
    there = cs.linearize(model, about=run, formulation=FLOATING)
    galilean = cs.simulate(model, 0.3, 0.001, integrator="energy-momentum")
    here = cs.linearize(model, about=galilean)
    assert here.coordinates == there.coordinates
    assert np.allclose(here.A, there.A, atol=1e-4 * np.abs(here.A).max())  # the error of the second-order run
    assert np.abs(there.A[4:, 4:]).max() > 0.1


def four_bar() -> cs.Model:
    """A closed loop with springs in tree and cut joints, one hinge driven by nothing."""
    model = cs.Model("four-bar", gravity=(0, 0, -9.81))
    corners = np.array([(0, 0, 0), (0, 0, 0.4), (1.0, 0, 0.6), (1.1, 0, 0)])
    bars = [
        model.add(cs.RigidBody(f"bar{i}", 1.0 + i, corners[i : i + 2].mean(axis=0), (0.05, 0.06, 0.07)))
        for i in range(3)
    ]
    parts = [cs.GROUND, *bars, cs.GROUND]
    for i, (name, stiffness) in enumerate(zip("abcd", (40.0, 0.0, 1.0, 3.0), strict=True)):
        model.add(cs.Revolute(name, parts[i], parts[i + 1], at=corners[i], axis=(0, 1, 0), stiffness=stiffness,
                              damping=0.1 * i))  # fmt: skip
    model.add(cs.Spring("rope", bars[1].at((0.5, 0, 0.5)), cs.GROUND.at((0.5, 0.3, 1.5)), stiffness=100.0, length=0.8))
    return model


@pytest.mark.filterwarnings("ignore:redundant constraints")
def test_closed_loop() -> None:
    model = four_bar()
    here, there = cs.equilibrium(model), cs.equilibrium(model, formulation=FLOATING)
    assert there.status.ok
    assert there.stable
    for joint in "abcd":
        assert np.isclose(here.coordinate(joint), there.coordinate(joint), atol=1e-11)
    a, b = cs.modes(model, about=here), cs.modes(model, about=there, formulation=FLOATING)
    assert np.allclose(a.eigenvalues, b.eigenvalues, rtol=1e-9)
    outputs = ["bar1.position", "a", "c", "d", "d.rate", "d.effort"]
    first = cs.linearize(model, ["a", "d", "bar1.fz"], outputs, about=here)
    second = cs.linearize(model, ["a", "d", "bar1.fz"], outputs, about=there, formulation=FLOATING)
    assert first.coordinates == second.coordinates == ("a",)
    for s in (0.5j, 9.0j):
        assert np.allclose(first.transfer(s), second.transfer(s), rtol=1e-8, atol=1e-10)


def test_driven_hinge() -> None:
    """A prescribed motion as an input, in both senses of it."""
    model = cs.Model("driven", gravity=(0, 0, -9.81))
    a = model.add(cs.RigidBody("a", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)))
    b = model.add(cs.RigidBody("b", 0.7, (1.4, 0, 0), (0.1, 0.1, 0.1)))
    model.add(cs.Revolute("first", cs.GROUND, a, axis=(0, 1, 0), motion=0.3))
    model.add(cs.Revolute("second", a, b, at=(1, 0, 0), axis=(0, 1, 0), stiffness=5.0, damping=0.2))
    for drive in ("position", "acceleration"):
        outputs = ["second", "b.z"] if drive == "position" else ["second", "b.vz", "first.effort"]
        pair = [cs.linearize(model, "first", outputs, drive=drive, formulation=f) for f in (None, FLOATING)]
        assert np.allclose(pair[0].transfer(2.0j), pair[1].transfer(2.0j), rtol=1e-8, atol=1e-10)


def test_bicycle() -> None:
    """Rolling wheels about the described motion: the table of eigenvalues, to 1e-9."""
    for speed in (0.0, 4.0, 8.0):
        modes = cs.modes(bicycle(speed, 0.0), about="motion", formulation=FLOATING)
        assert np.allclose(both(tuple(modes.eigenvalues[modes.rigid :])), both(TABLE_2[speed]), rtol=0, atol=1e-9)
    with pytest.raises(SolveError, match="not steady"):
        cs.modes(bicycle(5.0, 0.1), about="motion", formulation=FLOATING)


def column(modal: bool) -> cs.Model:
    """A cantilever under its weight and a load at the tip, as a beam or as the modal body made from it."""
    beam = cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.02), material=cs.materials.STEEL, elements=16)
    model = cs.Model("cantilever", gravity=(0, 0, -9.81))
    arm = model.add(cs.modal_body(beam, 12) if modal else beam)
    root, tip = (arm.at("start"), arm.at("end")) if modal else (arm.start, arm.end)
    model.add(cs.Fixed("clamp", cs.GROUND, root))
    model.add(cs.Force("tip", tip, (cs.Parameter("P", 0.0), 0, -2.0)))
    return model


def test_modal_body_against_its_beam() -> None:
    beam, body = column(False), column(True)
    here, there = cs.equilibrium(beam), cs.equilibrium(body)  # modal bodies: in floating frames by themselves
    assert there.status.ok
    assert np.allclose(here.position("arm.end"), there.position("arm.end"), atol=2e-6)
    assert np.allclose(here.reaction("clamp"), there.reaction("clamp"), atol=2e-5)
    a, b = cs.modes(beam, 4, about=here), cs.modes(body, 4, about=there)
    assert np.allclose(a.frequencies, b.frequencies, rtol=1e-5)
    assert b.location(0) == "arm"
    one, two = (cs.linearize(m, "arm.end.fz", "arm.end.z", modes=4, about=e) for m, e in ((beam, here), (body, there)))
    static = abs(one.transfer(0.0)[0, 0])
    for s in (0.0, 40.0j, 300.0j):
        assert np.allclose(one.transfer(s), two.transfer(s), rtol=1e-3, atol=1e-3 * static)
    f = [3.0, 20.0, 60.0]
    both_ways = [
        cs.frequency_response(m, "arm.end.fz", "arm.end.z", f, about=e).data for m, e in ((beam, here), (body, there))
    ]
    assert np.allclose(*both_ways, rtol=1e-3, atol=1e-3 * static)


def test_stability_of_a_modal_column() -> None:
    """A column that its tip load pushes: it buckles at pi^2 EI/4 L^2, the beam and the body alike."""
    steel = cs.materials.STEEL
    EI = steel.E * np.pi * 0.01**4 / 4.0
    euler = np.pi**2 * EI / 4.0
    grid = np.linspace(-0.9, -1.1, 3) * euler
    values = []
    for modal in (False, True):
        model = column(modal)
        model.gravity = (0, 0, 0)
        model.swap(cs.Force("tip", model["tip"].place, (cs.Parameter("P", 0.0), 0, 0)))
        values.append(cs.stability(model, "P", grid, n=3).critical[0].value)
    assert np.isclose(values[0], values[1], rtol=2e-3)
    assert np.isclose(values[0], -euler, rtol=2e-3)


def test_beam_in_floating_frames() -> None:
    """`Floating(modes=...)` reduces beams, also in a steady rotation."""
    model = column(False)
    floating = cs.Floating(modes=8)
    here, there = cs.modes(model, 4), cs.modes(model, 4, formulation=floating)
    assert np.allclose(here.frequencies, there.frequencies, rtol=2e-4)
    turning = [cs.modes(model, 4, formulation=f, spin=(0, 0, 40.0)) for f in (None, floating)]
    assert np.allclose(turning[0].frequencies, turning[1].frequencies, rtol=5e-4)
    assert abs(turning[0].frequencies[0] / here.frequencies[0] - 1.0) > 0.015
    with pytest.raises(SolveError, match="formulation is 'fast'"):
        cs.modes(model, formulation="fast")


def test_run_from_rest() -> None:
    """`start="equilibrium"` in floating frames, of modal bodies too: nothing moves; and with an equilibrium given."""
    for model, modes in ((column(True), None), (column(False), 6), (arm(), None)):
        run = cs.simulate(model, 0.02, 0.002, formulation=FLOATING, start="equilibrium", modes=modes)
        assert run.status.ok
        assert np.abs(run.floating.v).max() < 1e-7
    rest = cs.equilibrium(model, formulation=FLOATING)
    run = cs.simulate(model, 0.02, 0.002, formulation=FLOATING, start=rest)
    assert np.abs(run.floating.v).max() < 1e-7


@pytest.mark.parametrize("gravity", [0.0, 9.81])
@pytest.mark.parametrize("name", ["m", "c"])
def test_masses_and_dampers_are_parameters_of_stability(gravity, name):
    """What balance at rest does not depend on: m s^2 + c s + 50 = 0."""
    given = {"m": cs.Parameter("m", 2.0), "c": cs.Parameter("c", 0.5)}
    model = cs.Model("oscillator", gravity=(gravity, 0, 0))
    body = model.add(cs.RigidBody("body", mass=given["m"], com=(0, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=50.0, damping=given["c"]))
    values = 4.0 * np.array([1.0, 2.0])
    found = cs.stability(model, name, values, n=2, formulation="floating").eigenvalues
    for value, some in zip(values, found, strict=True):
        m, c = (value, 0.5) if name == "m" else (2.0, value)
        assert np.min(np.abs(some - np.roots([m, c, 50.0])[0])) < 1e-9


def test_equilibria_beyond_the_range_of_modes_are_told():
    """A soft rod under its weight: within a hundredth where it bends little; the status says where it bends far."""
    for density, far in ((100.0, False), (3000.0, True)):
        model = cs.Model("soft", gravity=(0, 0, -9.81))
        soft = cs.Material(E=5e7, nu=0.3, rho=density)
        rod = model.add(cs.Beam("rod", [(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.03), material=soft, elements=8))
        model.add(cs.Fixed("clamp", cs.GROUND, rod.start))
        found, right = (cs.equilibrium(model, formulation=f) for f in (cs.Floating(modes=6), "galilean"))
        assert found.status.ok
        assert ("'rod' bends by" in found.status.message) == far
        apart = np.linalg.norm(found.position("rod.end") - right.position("rod.end"))
        assert far or apart < 0.01 * abs(right.position("rod.end")[2])
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", cs.CosseratWarning)
            cs.modes(model, 2, formulation=cs.Floating(modes=6))
        assert [str(x.message).startswith("modes: 'rod' bends by") for x in told] == [True] * far


def test_places_are_packed_once_not_at_each_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of places do not change while an equilibrium is sought; iterations only move the links."""
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    material = cs.Material(E=7e10, nu=0.3, rho=2700.0)
    arm = model.add(cs.Beam("arm", [(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.02), material=material, elements=4))
    model.add(cs.Fixed("clamp", cs.GROUND, arm.start))

    def refuse(seats: object) -> None:
        raise AssertionError(f"packed again: {seats}")

    monkeypatch.setattr("cosserat.solve.relative.seat_motion.pack_seats", refuse)
    assert cs.equilibrium(model, formulation=cs.Floating(modes=3)).status.ok
