"""The energy-momentum scheme: second order with every effort in every joint, springs, kinked motions, reactions."""

import numpy as np
import pytest

import cosserat as cs

FRICTION = cs.Friction(0.5, 0.5)


def pendulum(kind, **options):
    model = cs.Model(kind, gravity=(1.0, 2.0, -9.81))
    body = model.add(cs.RigidBody("b", mass=1.0, com=(0.5, 0.1, 0), inertia=np.diag((0.1, 0.2, 0.15))))
    model.add(getattr(cs, kind)("j", cs.GROUND, body.at((0, 0, 0)), **options))
    return model


def end(model, step, integrator):
    run = cs.simulate(model, 0.8, step, integrator=integrator)
    assert run.status.ok
    return run.position("b").values[-1], float(abs(run.energy.balance).max())


CASES = {
    "effort": lambda n: {"effort": tuple(1.0 + 0.3 * i for i in range(n))},
    "damping": lambda n: {"damping": (0.8,) * n},
    "friction": lambda n: {"friction": (FRICTION,) * n},
    "stiffness": lambda n: {"stiffness": (3.0,) * n},
}


@pytest.mark.parametrize("what", CASES)
@pytest.mark.parametrize("kind, n", [("Spherical", 3), ("Free", 6)])
def test_efforts_about_rotation_vectors(kind, n, what):
    """The rate of such a freedom is not that of its coordinate; the scheme used to take it for that and went astray."""
    model = pendulum(kind, **CASES[what](n))
    (coarse, _), (fine, balance) = (end(model, h, "energy-momentum") for h in (8e-3, 4e-3))
    (rough, _), (better, _) = (end(model, h, "generalized-alpha") for h in (8e-3, 4e-3))
    limit = (4.0 * better - rough) / 3.0
    error = np.abs(fine - limit).max()
    assert error < 0.3 * np.abs(coarse - limit).max()
    assert np.abs((4.0 * fine - coarse) / 3.0 - limit).max() < 0.1 * error
    assert balance < 1e-2


def pair(damping=0.0):
    model = cs.Model("pair")
    inertia = np.diag((0.1, 0.2, 0.15))
    motion = {"velocity": (0, 0.3, 0), "angular_velocity": (1.0, 2.0, 0.5)}
    a = model.add(cs.RigidBody("a", mass=1, com=(0, 0, 0), inertia=inertia, **motion))
    motion = {"velocity": (0, -0.3, 0.2), "angular_velocity": (-1.0, 0.4, 1.0)}
    b = model.add(cs.RigidBody("b", mass=2, com=(1, 0, 0), inertia=2 * inertia, **motion))
    ends = a.at((0, 0.2, 0.1)), b.at((1, -0.1, 0.3))
    model.add(cs.Spring("s", *ends, stiffness=40.0, length=0.7, damping=damping))
    return model


@pytest.mark.parametrize("step", [0.05, 0.02])
def test_a_spring_between_free_bodies_keeps_all_momenta_and_the_energy(step):
    run = cs.simulate(pair(), 200.0, step, integrator="energy-momentum")
    assert run.status.ok
    momentum, energy = run.momentum.values, run.energy.total.values
    assert np.abs(momentum - momentum[0]).max() < 1e-9
    assert np.abs(energy - energy[0]).max() < 1e-9 * energy[0]


def test_a_damper_takes_energy_and_no_momentum():
    run = cs.simulate(pair(damping=0.5), 20.0, 0.02, integrator="energy-momentum")
    momentum, energy = run.momentum.values, run.energy.total.values
    assert np.abs(momentum - momentum[0]).max() < 1e-9
    assert np.all(np.diff(energy) <= 1e-12)
    positions = [cs.simulate(pair(0.5), 2.0, h, integrator="energy-momentum").position("b").values[-1] for h in
                 (0.02, 0.01, 0.005)]  # fmt: skip
    ratio = np.abs(positions[0] - positions[1]).max() / np.abs(positions[1] - positions[2]).max()
    assert 3.6 < ratio < 4.4


def arm(motion, *, free=False):
    """Two bars, driven at the first joint; or a free body in place of the ground."""
    model = cs.Model("arm", gravity=(0, 0, 0) if free else (0, 0, -9.81))
    inertia = np.diag([0.01, 0.1, 0.1])
    base = model.add(cs.RigidBody("base", mass=2.0, com=(0, 0, 0), inertia=0.3 * np.eye(3))) if free else cs.GROUND
    a = model.add(cs.RigidBody("a", mass=1.0, com=(0.5, 0, 0), inertia=inertia))
    b = model.add(cs.RigidBody("b", mass=1.0, com=(1.5, 0, 0), inertia=inertia))
    model.add(cs.Revolute("j", base, a.at((0, 0, 0)), axis=(0, 1, 0), motion=motion))
    model.add(cs.Revolute("k", a.at((1, 0, 0)), b.at((1, 0, 0)), axis=(0, 1, 0) if not free else (0, 0.6, 0.8)))
    return model


def late(t):
    """A kink that cannot be found from outside: a function of numbers."""
    return 0.0 if t < 0.1003 else 2.0 * (t - 0.1003)


KINKS = {
    "velocity": ("2*max(t - 0.1003, 0)", lambda t: 2.0 * (t > 0.1003)),
    "stop": ("2*min(t, 0.1003)", lambda t: 2.0 * (t < 0.1003)),
    "acceleration": ("10*max(t - 0.1003, 0)**2", lambda t: 20.0 * np.maximum(t - 0.1003, 0.0)),
    "function": (late, lambda t: 2.0 * (t > 0.1003)),
}


@pytest.mark.parametrize("kind", KINKS)
def test_a_kink_in_a_prescribed_motion_leaves_no_alternating_rates(kind):
    """They alternated between 0 and twice the right value for good; the other joint's with them."""
    motion, rate = KINKS[kind]
    exact = cs.simulate(arm(motion), 0.4, 2.5e-4, integrator="energy-momentum", every=32)
    worst = []
    for step in (8e-3, 2e-3):
        run = cs.simulate(arm(motion), 0.4, step, integrator="energy-momentum", every=round(8e-3 / step))
        assert run.status.ok
        assert np.abs(run.coordinate_rate("j").values - rate(run.time)).max() < 1e-9
        late = slice(15, None)
        worst.append([np.abs(getattr(run, what)("k").values[late] - getattr(exact, what)("k").values[late]).max() for
                      what in ("coordinate", "coordinate_rate")])  # fmt: skip
        worst[-1].append(np.abs(run.effort("j").values[late] - exact.effort("j").values[late]).max())
    assert np.all(np.array(worst[0]) > 8.0 * np.array(worst[1]))  # 16 and more where the kink were at the same place
    assert max(worst[1]) < 5e-3


def test_motions_inside_a_free_mechanism_leave_its_momentum_alone():
    run = cs.simulate(arm("2*max(t - 0.1003, 0) + 0.2*sin(20*t)", free=True), 0.5, 5e-3, integrator="energy-momentum")
    assert run.status.ok
    momentum = run.momentum.values
    assert np.abs(momentum - momentum[0]).max() < 1e-9 * np.abs(run.angular_velocity("b").values).max()


def test_a_joint_that_is_held_still_keeps_the_energy_exactly():
    model = arm("0.3")
    run = cs.simulate(model, 2.0, 0.01, integrator="energy-momentum")
    energy = run.energy.total.values
    assert np.abs(energy - energy[0]).max() < 1e-8


def clamped():
    model = cs.Model("clamped", gravity=(0, 0, -9.81))
    soft = cs.Material(E=1e9, nu=0.3, rho=1000.0)
    beam = model.add(cs.Beam("b", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.02), material=soft, elements=6))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("push", beam.end, (0, "-3*smoothstep(t, 0, 0.3)", 0)))
    return model


@pytest.mark.parametrize("every", [1, 3, 7])
def test_section_force_and_reaction_at_a_clamp_are_of_the_same_moment(every):
    """Those of a run that stores every so many steps were half a step apart."""
    model, gaps = clamped(), []
    start = cs.equilibrium(model)
    for step in (4e-3, 2e-3):
        run = cs.simulate(model, 0.336, step, integrator="energy-momentum", start=start, every=every)
        gap = np.abs(run.section_force("b", 0.0).values + run.reaction("clamp").values)
        assert gap[-1].max() < 1e-9
        gaps.append(gap.max())
    assert gaps[0] < 5e-3
    assert gaps[1] < 0.3 * gaps[0]


AXES = np.array([[0.3, 0.5, 0.8], [0.0, 0.8, -0.5]])
DIRECTIONS = {
    cs.Revolute: {"axis": AXES[0]}, cs.Prismatic: {"axis": AXES[0]}, cs.Screw: {"axis": AXES[0], "pitch": 0.2},
    cs.Cylindrical: {"axis": AXES[0]}, cs.Planar: {"normal": AXES[0]}, cs.PlanarTranslation: {"normal": AXES[0]},
    cs.Universal: {"axes": tuple(AXES)},
}  # fmt: skip


@pytest.mark.parametrize("kind", DIRECTIONS, ids=lambda kind: kind.__name__)
def test_armatures_keep_energy_and_momentum(kind):
    """Two bodies that tumble freely, with armatures and springs in the joint between them: sliders lost 2e-6 of the
    energy, by the square of the step.
    """
    spin, centre = np.array([1.0, 2.0, -1.0]), np.array([0.5, 0.1, 0.2])
    model = cs.Model("pair")
    one = model.add(cs.RigidBody("one", 1.0, (0, 0, 0), (0.1, 0.2, 0.15), angular_velocity=spin))
    speed = {"velocity": np.cross(spin, centre), "angular_velocity": spin}
    two = model.add(cs.RigidBody("two", 0.7, centre, (0.05, 0.02, 0.04), **speed))
    n = len(kind.freedoms)
    given = {name: value if n == 1 else (value,) * n for name, value in (("armature", 0.3), ("stiffness", 5.0))}
    model.add(kind("joint", one, two, at=(0.3, 0, 0.1), **DIRECTIONS[kind], **given))
    run = cs.simulate(model, 1.0, 0.01, integrator="energy-momentum")
    assert run.status.ok
    assert np.ptp(run.energy.total.values) < 1e-11 * run.energy.total.values[0]
    assert np.abs(run.momentum.values - run.momentum.values[0]).max() < 1e-12
    coarse = cs.simulate(model, 1.0, 0.02, integrator="energy-momentum")
    exact = cs.simulate(model, 1.0, formulation="floating", integrator="runge-kutta", tolerance=1e-10)
    errors = [np.abs(r.position("two")[-1] - exact.position("two")[-1]).max() for r in (coarse, run)]
    assert float(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize("speed", [0.0, 100.0])
def test_a_round_body_that_flies_turns_as_before(speed):
    """Weight and forces through its centre do not turn it, however far it flies in a step; it falls exactly."""
    spin = np.array([0.1, 0.2, 0.3])

    def flying(gravity=(0, 0, -9.81), **options):
        model = cs.Model("flight", gravity=gravity, **options)
        body = cs.RigidBody("ball", 1.0, (0, 0, 0), 0.1 * np.eye(3), velocity=(speed, 0, 0), angular_velocity=spin)
        model.add(body)
        return model

    thrown, pushed, rocket = flying(), flying(), flying()
    pushed.add(cs.Force("push", "ball", (0, 0, 50.0), follower=True))
    rocket.add(cs.Propellant("fuel", "ball", mass=2.0, rate=0.5, exhaust=200.0, direction=(0, 0, 1), up=(1, 0, 0)))
    around = flying(gravity=cs.CentralGravity(5e4, centre=(0, 0, -100.0)))
    runs = [cs.simulate(model, 1.0, 0.02, integrator="energy-momentum") for model in (thrown, pushed, rocket, around)]
    for run, error in zip(runs, (1e-10, 1e-10, 1e-10, 1e-5), strict=True):
        assert run.status.ok
        assert np.abs(run.angular_velocity("ball").values - spin).max() < error
    assert runs[0].position("ball").values[-1] == pytest.approx([speed, 0, -9.81 / 2], abs=1e-9)
    for run in (runs[0], runs[3]):
        assert np.ptp(run.energy.total.values) < 1e-11 * max(run.energy.kinetic.values.max(), 10.0)
