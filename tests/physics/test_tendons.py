"""Tendons: cables through any number of places, against springs, closed forms, conservation laws and differences."""

import itertools

import numpy as np
import pytest

import cosserat as cs
from cosserat.symbolic import lagrange

BOTH = ("galilean", "floating")
METHODS = (("galilean", "generalized-alpha"), ("galilean", "energy-momentum"), ("floating", "generalized-alpha"))


def loop_of_cable(tension=None, strands=2, mass=2.0, **options):
    """A weight that hangs in a cable which goes up and down between it and the ground, all along one line."""
    model = cs.Model("tackle", gravity=(0, 0, -10))
    load = model.add(cs.RigidBody("load", mass=mass, com=(0, 0, -1), inertia=0.01 * np.eye(3)))
    top = cs.GROUND.at((0, 0, 0))
    model.add(cs.Tendon("cable", [load if k % 2 else top for k in range(strands + 1)], tension=tension, **options))
    return model


def three_bodies(moving=True, **options):
    """Three free bodies with a cable through them; the second one has two eyelets."""
    random, model = np.random.default_rng(3), cs.Model("flight")
    bodies = []
    for i in range(3):
        B = random.normal(size=(3, 3))
        body = cs.RigidBody(
            f"b{i}", mass=1.0 + i, com=(i, 0.3 * (-1) ** i, 0.1 * i), inertia=0.05 * np.eye(3) + 0.002 * B @ B.T,
            velocity=0.5 * moving * random.normal(size=3), angular_velocity=moving * random.normal(size=3),
        )  # fmt: skip
        bodies.append(model.add(body))
    places = [body.at(body.com + 0.1 * random.normal(size=3)) for body in bodies]
    model.add(cs.Tendon("cable", [*places, bodies[1].at(bodies[1].com + [0.05, 0.2, 0.1])], **options))
    return model


def hung(link):
    """Two bodies on a line that the link makes."""
    model = cs.Model("hung", gravity=(0, 0, -9.81))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0, com=(0.3, 0, -1), angular_velocity=(0, 2, 0)))
    cart = model.add(cs.RigidBody("cart", mass=2.0, com=(0, 0, 0), inertia=0.1 * np.eye(3)))
    model.add(cs.Prismatic("rail", cs.GROUND, cart, axis=(1, 0, 0), stiffness=30.0))
    model.add(link(cart.at((0.1, 0, 0)), ball.at((0.3, 0, -0.9))))
    return model


@pytest.mark.parametrize(("formulation", "integrator"), METHODS)
def test_between_two_places_it_is_a_spring(formulation, integrator):
    spring = hung(lambda a, b: cs.Spring("line", a, b, stiffness=80.0, length=0.7, damping=0.5))
    tendon = hung(lambda a, b: cs.Tendon("line", [a, b], stiffness=80.0, rest_length=0.7, damping=0.5))
    options = {"formulation": formulation, "integrator": integrator}
    one, two = (cs.simulate(model, 0.5, 0.005, **options) for model in (spring, tendon))
    assert np.array_equal(one.position("ball").values, two.position("ball").values)
    assert np.allclose(one.quantity("tension", "line"), two.quantity("tension", "line"), rtol=0, atol=0)


def test_an_eyelet_in_the_line_feels_nothing():
    """Through a place on the straight line between its ends it is the spring of the whole length."""
    model = cs.Model("line")
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0, com=(3, 0, 0)))
    ring = model.add(cs.RigidBody.sphere("ring", diameter=0.1, mass=0.5, com=(1, 0, 0)))
    model.add(cs.Tendon("line", [cs.GROUND.at((0, 0, 0)), ring, ball], stiffness=9.0, rest_length=2.0))
    for formulation in BOTH:
        run = cs.simulate(model, 1.0, 0.001, formulation=formulation)
        assert np.abs(run.position("ring").values - [1, 0, 0]).max() < 1e-12
        assert run.position("ball").values[:, 0] == pytest.approx(2 + np.cos(3 * run.time), abs=1e-5)


@pytest.mark.parametrize(("formulation", "integrator"), METHODS)
@pytest.mark.parametrize("strands", [2, 4, 5])
def test_block_and_tackle(formulation, integrator, strands):
    """Each strand pulls with the whole tension: z'' = strands T/m - g."""
    tension = 4.4
    run = cs.simulate(loop_of_cable(tension, strands), 0.2, 0.002, formulation=formulation, integrator=integrator)
    assert run.status.ok
    fall = -1.0 + 0.5 * (strands * tension / 2.0 - 10.0) * run.time**2
    assert run.position("load").values[:, 2] == pytest.approx(fall, abs=1e-6)
    assert run.quantity("length", "cable").values[:, 0] == pytest.approx(-strands * fall, abs=1e-5)


@pytest.mark.parametrize("formulation", BOTH)
def test_a_pulley_between_two_weights(formulation):
    """A weight of 1 kg pulls one end of a stiff cable, which carries a movable pulley of 3 kg in its loop.

    The weight moves twice as far as the pulley: a = (3 - 2) g/(3 + 4) of the pulley downwards, T = m (g - 2 a).
    """
    model = cs.Model("pulleys", gravity=(0, 0, -10))
    for name, mass, x in (("weight", 1.0, 0.0), ("pulley", 3.0, 1.0)):
        body = model.add(cs.RigidBody(name, mass=mass, com=(x, 0, -1), inertia=0.01 * np.eye(3)))
        model.add(cs.Prismatic(f"{name} guide", cs.GROUND, body, axis=(0, 0, 1)))
    over = [cs.GROUND.at((0, 0, 0)), cs.GROUND.at((1, 0, 0))]
    T = 1.0 * (10 + 2 * 10 / 7)
    cable = cs.Tendon("cable", ["weight", *over, "pulley", over[1]], stiffness=1e5, rest_length=4.0 - T / 1e5)
    model.add(cable)
    run = cs.simulate(model, 0.2, 0.0005, formulation=formulation)
    assert run.position("pulley").values[:, 2] == pytest.approx(-1 - 0.5 * 10 / 7 * run.time**2, abs=1e-6)
    assert run.position("weight").values[:, 2] == pytest.approx(-1 + 0.5 * 20 / 7 * run.time**2, abs=1e-6)
    assert run.quantity("tension", "cable").values[:, 0] == pytest.approx(T, rel=1e-3)


@pytest.mark.parametrize("formulation", BOTH)
def test_a_ring_on_a_cable_finds_its_rest(formulation):
    """A ring slides on a cable between supports 2 m apart until both sides are equally steep: 2 T sin(angle) = m g."""
    model = cs.Model("ring", gravity=(0, 0, -10))
    ring = model.add(cs.RigidBody("ring", mass=1.0, com=(0.3, 0, -0.5), inertia=0.01 * np.eye(3)))
    model.add(cs.PlanarTranslation("plane", cs.GROUND, ring, normal=(0, 1, 0)))
    supports = cs.GROUND.at((-1, 0, 0)), cs.GROUND.at((1, 0, 0))
    model.add(cs.Tendon("cable", [supports[0], ring, supports[1]], tension=8.0))
    rest = cs.equilibrium(model, formulation=formulation)
    assert rest.status.ok
    assert rest.position("ring") == pytest.approx([0, 0, -np.tan(np.arcsin(10 / 16))], abs=1e-8)


@pytest.mark.parametrize(("formulation", "integrator"), METHODS)
def test_in_free_flight_it_keeps_momentum_and_energy(formulation, integrator):
    model = three_bodies(stiffness=400.0, offset=(0, 0.02, 0.01))
    run = cs.simulate(model, 1.0, 0.002, formulation=formulation, integrator=integrator)
    assert run.status.ok
    momentum, total = run.monitors.momentum(), run.monitors.energies()["total"]
    exact = integrator == "energy-momentum"
    assert np.abs(momentum - momentum[0]).max() < (1e-10 if exact else 1e-3)
    assert np.ptp(total) < (1e-8 if exact else 5e-3)
    assert np.ptp(run.monitors.energies()["strain"]) > 0.1


@pytest.mark.parametrize(("formulation", "integrator"), METHODS)
def test_energies_balance_with_a_winch_and_a_damper(formulation, integrator):
    """What dampers take and what the given tension does are in the report; the error is of second order."""
    errors = []
    for step in (0.004, 0.002):
        model = three_bodies(stiffness=400.0, damping=3.0, tension="5 + 3*sin(4*t)")
        run = cs.simulate(model, 1.0, step, formulation=formulation, integrator=integrator)
        energies = run.monitors.energies()
        errors.append(np.abs(energies["balance"]).max())
        assert np.ptp(energies["work"]) > 0.1
        assert np.ptp(energies["dissipated"]) > 0.1
    assert errors[1] < 5e-3
    assert errors[0] / errors[1] > 3.0


def test_both_formulations_tell_the_same_motion():
    for options in ({"stiffness": 400.0, "damping": 2.0, "tension": "5*cos(3*t)"}, {"stiffness": 400.0, "slack": True}):
        runs = [cs.simulate(three_bodies(**options), 0.5, 0.001, formulation=name) for name in BOTH]
        for body in ("b0", "b1", "b2"):
            one, two = (run.position(body).values for run in runs)
            assert np.abs(one - two).max() < 2e-6


# beams ----------------------------------------------------------------------------------------------------------------

D, EI = 0.02, 1e9 * np.pi * 0.01**4 / 4


def driven_arm(n, tension, elements=None, **options):
    """A cantilever of 1 m with a tendon at a distance from its axis, through n eyelets."""
    model = cs.Model("arm")
    material = cs.Material(E=1e9, nu=0.3, rho=1000.0)
    points = [(0, 0, 0), (1, 0, 0)]
    beam = model.add(cs.Beam("arm", points=points, section=cs.Rod(0.02), material=material, elements=elements or n))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    places = [cs.GROUND.at((0, 0, 0)), *(beam.at(i / n) for i in range(1, n)), beam.end]
    model.add(cs.Tendon("cable", places, tension=tension, offset=(0, D, 0), **options))
    return model


def bend(found):
    R = np.asarray(found.rotation("arm.end"))
    return float(np.arctan2(R[1, 0], R[0, 0]))


def test_a_driven_beam_bends_to_a_circle():
    """With many eyelets the curvature is T d/EI everywhere; chords in the place of arcs: second order in their number.

    The load is three times what would buckle the beam, were it not guided.
    """
    tension = 60.0
    exact = tension * D / EI
    counts = (8, 16, 32)
    errors = []
    for n in counts:
        found = cs.equilibrium(driven_arm(n, tension))
        assert found.status.ok
        errors.append(abs(bend(found) / exact - 1))
    assert errors[2] < 1e-3
    assert all(3.7 < a / b < 4.3 for a, b in itertools.pairwise(errors))


@pytest.mark.parametrize("n", [2, 4])
def test_modes_and_gains_of_a_driven_beam(n):
    options = {"stiffness": 2000.0, "damping": 1.0, "elements": 16}
    model, modal = driven_arm(n, 0.6, **options), cs.Floating(modes=8)
    rest = [cs.equilibrium(model, formulation=f) for f in ("galilean", modal)]
    assert bend(rest[0]) == pytest.approx(bend(rest[1]), rel=1e-6)
    found = [cs.modes(model, 4, formulation=f).frequencies for f in ("galilean", modal)]
    assert found[1] == pytest.approx(found[0], rel=2e-4)
    outputs = ["arm.end.y", "cable", "cable.tension", "cable.length_rate"]
    linear = [cs.linearize(model, ["cable.tension"], outputs, formulation=f) for f in ("galilean", modal)]
    assert linear[1].transfer(10.0) == pytest.approx(linear[0].transfer(10.0), rel=2e-4)
    more, less = (cs.equilibrium(driven_arm(n, 0.6 + h, **options)) for h in (1e-3, -1e-3))
    gains = [(more.position("arm.end")[1] - less.position("arm.end")[1]) / 2e-3]
    for word in ("length", "tension"):
        gains.append((more.quantity(word, "cable")[0] - less.quantity(word, "cable")[0]) / 2e-3)
    assert linear[0].transfer(0.0)[:, 0].real == pytest.approx([*map(float, gains), 0.0], rel=1e-6, abs=1e-12)


def test_a_long_tendon_buckles_what_it_does_not_guide():
    """A tendon from end to end leaves a column alone with a load that points at its root: P = pi^2 EI/L^2.

    Tied to the axis by eyelets it compresses, and does not buckle.
    """
    euler = np.pi**2 * EI
    P = cs.Parameter("P", 0.5 * euler)

    def column(n):
        model = driven_arm(n, P, elements=16)
        tendon = model.springs[0]
        model.swap(cs.Tendon("cable", tendon.through, tension=P))
        return model

    path, guided = (cs.continuation(column(n), P, 0.5 * euler, 1.3 * euler) for n in (1, 8))
    assert path.status.ok
    assert path.points[0].kind == "branch"
    assert path.points[0].value == pytest.approx(euler, rel=3e-3)
    assert guided.status.ok
    assert not guided.points
    assert guided.stable.all()
    for formulation, error in (("galilean", 1e-6), (cs.Floating(modes=8), 3e-3)):
        found = cs.stability(column(1), P, np.linspace(0.5, 1.3, 5) * euler, n=4, formulation=formulation)
        assert found.critical[0].value == pytest.approx(path.points[0].value, rel=error)


# slack ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("formulation", "integrator"), METHODS)
def test_a_fall_into_a_slack_rope(formulation, integrator):
    """Free for a metre, then caught: m g (1 + s) = k s^2/2 at the lowest point. It never pushes."""
    model = cs.Model("rope", gravity=(0, 0, -10))
    ball = model.add(cs.RigidBody("ball", mass=1.0, com=(0, 0, -1), inertia=0.01 * np.eye(3)))
    ring = cs.GROUND.at((0, 0, 0))
    model.add(cs.Tendon("rope", [cs.GROUND.at((1, 0, 0)), ring, ball], stiffness=500.0, rest_length=3.0, slack=True))
    run = cs.simulate(model, 1.0, 0.0005, formulation=formulation, integrator=integrator)
    assert run.status.ok
    height, tension = run.position("ball").values[:, 2], run.quantity("tension", "rope").values[:, 0]
    free = run.time < np.sqrt(2 / 10)
    assert height[free] == pytest.approx(-1 - 5 * run.time[free] ** 2, abs=1e-6)
    assert np.all(tension >= 0.0)
    assert np.all(tension[free] == 0.0)
    stretch = (10 + np.sqrt(100 + 2 * 500 * 10)) / 500
    assert height.min() == pytest.approx(-2 - stretch, abs=1e-4)
    assert tension.max() == pytest.approx(500 * stretch, rel=1e-3)
    assert np.ptp(run.monitors.energies()["total"]) < (1e-8 if integrator == "energy-momentum" else 1e-2)


def test_a_slack_cable_is_not_there_in_modes():
    """Slack, it is nothing; taut, it is the spring; the tangent changes where it does."""
    for rest, omega in ((0.9, 10.0), (1.1, 5.0)):
        model = cs.Model("slider")
        ball = model.add(cs.RigidBody("ball", mass=1.0, com=(1, 0, 0), inertia=np.eye(3)))
        pull = 7.5 if rest < 1.0 else 0.0
        model.add(cs.Prismatic("rail", cs.GROUND, ball, axis=(1, 0, 0), stiffness=25.0, effort=pull))
        model.add(cs.Tendon("rope", [cs.GROUND.at((0, 0, 0)), ball], stiffness=75.0, rest_length=rest, slack=True))
        for formulation in BOTH:
            found = cs.modes(model, 1, formulation=formulation)
            assert 2 * np.pi * found.frequencies[0] == pytest.approx(omega, rel=1e-8)


def test_a_damped_cable_lets_go_smoothly():
    """The pull falls to zero with the stretch, though the damper alone would jump."""
    model = loop_of_cable(None, 2, stiffness=300.0, damping=40.0, rest_length=1.9, slack=True)
    run = cs.simulate(model, 1.0, 0.001)
    tension = run.quantity("tension", "cable").values[:, 0]
    assert run.status.ok
    assert np.all(tension >= 0.0)
    assert np.abs(run.monitors.energies()["balance"]).max() < 2e-3


# inputs, files, trees -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", BOTH)
def test_a_controller_and_a_parameter_set_the_tension(formulation):
    def hold(t, state):
        low, speed = -1.0 - state.position("load")[-1, 2], state.velocity("load")[-1, 2]
        return {"cable.tension": 10.0 + 40.0 * float(low) - 8.0 * float(speed)}

    run = cs.simulate(loop_of_cable(0.0), 2.0, 0.005, controller=hold, formulation=formulation)
    assert run.status.ok
    assert run.position("load")[-1, 2] == pytest.approx(-1.0, abs=2e-3)
    assert run.quantity("tension", "cable")[-1, 0] == pytest.approx(10.0, rel=2e-2)
    T = cs.Parameter("T", 10.0)
    model = loop_of_cable(T)
    T_run = [cs.simulate(model, 0.5, 0.01, formulation=formulation) for value in (9.0, 11.0) if not model.set(T=value)]
    assert [float(r.position("load")[-1, 2]) for r in T_run] == pytest.approx([-1.125, -0.875], abs=1e-8)


def test_files_keep_a_tendon_and_its_results(tmp_path):
    model = three_bodies(stiffness=400.0, tension="5*t", slack=True, offset=(0, 0.02, 0.01))
    cs.save_model(model, tmp_path / "model.yaml")
    assert cs.load_model(tmp_path / "model.yaml")["cable"] == model["cable"]
    for formulation in BOTH:
        run = cs.simulate(model, 0.1, 0.01, formulation=formulation)
        run.save(tmp_path / "run.nc")
        again = cs.load_run(tmp_path / "run.nc")
        for word in ("length", "length_rate", "tension"):
            assert np.array_equal(again.quantity(word, "cable"), run.quantity(word, "cable"))
            assert np.array_equal(run.data[f"cable.{word}"], run.quantity(word, "cable").values[:, 0])
    with pytest.raises(cs.CosseratError, match="unknown spring or tendon 'rope'; springs and tendons of"):
        run.quantity("length", "rope")


def test_lengths_and_tensions_are_drawn_and_compared():
    model = three_bodies(stiffness=400.0)
    run = cs.simulate(model, 0.1, 0.01)
    for word, unit in (("length", "m"), ("length_rate", "m/s"), ("tension", "N")):
        axes = run.plot(quantity=word).axes[0]
        assert len(axes.lines) == 1
        assert axes.get_ylabel() == f"{word.replace('_', ' ')} ({unit})"
    both = cs.compare(model, 0.1, 0.001)
    assert np.abs(both.between("length", "cable")).max() < 1e-6
    assert both.plot(quantity="tension").axes


def branched(**options):
    """Rigid links with a cable around them, one of its places met twice."""
    model = cs.Model("branched", gravity=(0, 0, -9.81))
    parent = cs.GROUND
    for i in range(3):
        body = model.add(cs.RigidBody(f"l{i}", mass=1.0 + i, com=(i + 0.5, 0.1, 0), inertia=0.1 * np.eye(3)))
        model.add(cs.Revolute(f"j{i}", parent, body, at=(i, 0, 0), axis=(0, 1, 0.2 * i)))
        parent = body
    places = [cs.GROUND.at((0, 0, 1)), "l0.at(0.5, 0, 0.3)", "l2.at(2.5, 0.2, 0.1)", "l0.at(0.9, 0.1, -0.2)", "l1"]
    model.add(cs.Tendon("cable", places, **options))
    return model


@pytest.mark.parametrize("options", [{"tension": "3 + t"}, {"stiffness": 50.0, "damping": 2.0, "rest_length": 1.0}])
def test_trees_of_rigid_links_know_tendons(options):
    """Both engines of trees, their derivatives against differences, and the energy behind the force."""
    model, random = branched(offset=(0.01, 0.02, 0.03), **options), np.random.default_rng(1)
    q, v = random.normal(size=(2, 3))
    lanes, general = cs.Tree(model), cs.FlexibleTree(model)
    for tree in (lanes, general):
        tree.set_time(0.5)
    tau = [tree.inverse_dynamics(q, v, 0 * v) for tree in (lanes, general)]
    assert tau[0] == pytest.approx(tau[1], rel=1e-10)
    for tree in (lanes, general):
        dq, dv, _ = tree.inverse_dynamics_derivatives(q, v, 0 * v)
        for k, unit in enumerate(1e-6 * np.eye(3)):
            by_q = (tree.inverse_dynamics(q + unit, v, 0 * v) - tree.inverse_dynamics(q - unit, v, 0 * v)) / 2e-6
            by_v = (tree.inverse_dynamics(q, v + unit, 0 * v) - tree.inverse_dynamics(q, v - unit, 0 * v)) / 2e-6
            assert dq[:, k] == pytest.approx(by_q, rel=1e-6, abs=1e-6)
            assert dv[:, k] == pytest.approx(by_v, rel=1e-6, abs=1e-6)
    assert lanes.energy(q, v).strain == pytest.approx(general.energy(q, v).strain, rel=1e-12)


def test_symbolic_equations_know_elastic_tendons():
    model, random = branched(stiffness=50.0, damping=2.0, rest_length=1.0), np.random.default_rng(1)
    q, v = random.normal(size=(2, 3))
    found = lagrange(model).compile().forward_dynamics(q, v)
    assert found == pytest.approx(cs.Tree(model).forward_dynamics(q, v, 0 * v), rel=1e-9)
    with pytest.raises(cs.CosseratError, match="tendon 'cable' has slack, tension or an offset"):
        lagrange(branched(tension=1.0))


@pytest.mark.parametrize("formulation", BOTH)
def test_a_path_through_slack_states(formulation):
    """A weight on a spring is lifted by a slack tendon, which does nothing until it pulls: k z = max(T, 0) - m g."""
    T = cs.Parameter("T", -4.0)
    model = cs.Model("lift", gravity=(0, 0, -10))
    load = model.add(cs.RigidBody("load", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Prismatic("rail", cs.GROUND, load, axis=(0, 0, 1), stiffness=50.0))
    model.add(cs.Tendon("rope", [load, cs.GROUND.at((0, 0, 5)), cs.GROUND.at((1, 0, 5))], tension=T, slack=True))
    path = cs.continuation(model, T, -4.0, 8.0, formulation=formulation)
    assert path.status.ok
    wanted = (np.maximum(path.parameter, 0.0) - 10.0) / 50.0
    assert path.position("load")[:, 2] == pytest.approx(wanted, abs=1e-9)
    gain = []
    for value in (-1.0, 1.0):
        model.set(T=value)
        linear = cs.linearize(model, ["rope.tension"], ["rail"], formulation=formulation)
        gain.append(linear.transfer(0.0)[0, 0].real)
    assert gain == pytest.approx([0.0, 1 / 50.0], abs=1e-9)
