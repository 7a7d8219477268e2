"""Servos and armatures: closed forms, one formulation against the other, derivatives, energies."""

import numpy as np
import pytest

import cosserat as cs

KP, KD, J = 40.0, 3.0, 0.7
BOTH = ("galilean", "floating")


def bar(armature=0.0, target=0.3, limit=None, kp=KP, kd=KD, gravity=(0.0, 0.0, 0.0)):
    """A bar of inertia 1/3 about a hinge, with a servo."""
    model = cs.Model("bar", gravity=gravity)
    body = model.add(cs.RigidBody.bar("bar", (0, 0, 0), (1, 0, 0), mass=1.0))
    model.add(cs.Revolute("hinge", cs.GROUND, body.at((0, 0, 0)), axis=(0, 0, 1), armature=armature))
    model.add(cs.Servo("motor", "hinge", target=target, kp=kp, kd=kd, limit=limit))
    return model


def inertia():
    return float(cs.mass_matrix(bar(), [0.0])[0, 0])


def exact(t, total, start=0.0, target=0.3):
    """Damped oscillation to the target from rest."""
    w, d = np.sqrt(KP / total), KD / (2.0 * total)
    n = np.sqrt(w * w - d * d)
    return target + (start - target) * np.exp(-d * t) * (np.cos(n * t) + d / n * np.sin(n * t))


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("armature", [0.0, J, cs.Armature(inertia=J / 100.0, gear=10.0)])
def test_step_answer_of_a_bar(formulation, armature):
    total = inertia() + (0.0 if armature == 0.0 else J)
    errors = []
    for step in (0.01, 0.005):
        run = cs.simulate(bar(armature), 1.0, step=step, formulation=formulation)
        assert run.status.ok, run.status
        errors.append(np.abs(run.coordinate("hinge") - exact(run.time, total)).max())
    assert errors[1] < 2e-4
    assert errors[0] / errors[1] > 3.3  # second order


def test_energy_momentum_follows_it_too():
    balances = []
    for step in (0.01, 0.005):
        run = cs.simulate(bar(J), 1.0, step=step, integrator="energy-momentum")
        balances.append(float(np.abs(run.energy["balance"]).max()))
    assert np.abs(run.coordinate("hinge") - exact(run.time, inertia() + J)).max() < 2e-4
    assert 3.5 < balances[0] / balances[1] < 4.5  # work is a sum over steps, of second order


def test_a_spinning_armature_keeps_its_energy():
    model = cs.Model("rotor")
    body = model.add(cs.RigidBody.bar("bar", (0, 0, 0), (1, 0, 0), mass=1.0, angular_velocity=(0, 0, 3.0)))
    model.add(cs.Revolute("hinge", cs.GROUND, body.at((0, 0, 0)), axis=(0, 0, 1), armature=J, stiffness=5.0))
    run = cs.simulate(model, 5.0, step=0.01, integrator="energy-momentum")
    kinetic = float(run.energy["kinetic"][0])
    assert kinetic == pytest.approx(0.5 * (inertia() + J) * 9.0, rel=1e-12)
    assert np.abs(run.energy["balance"]).max() < 1e-9 * kinetic


@pytest.mark.parametrize("formulation", BOTH)
def test_the_limit_cuts_off_exactly(formulation):
    """Far from the target the effort is the limit: the motion is a parabola until the servo lets go."""
    limit = 0.5
    run = cs.simulate(bar(target=10.0, limit=limit, kd=0.0), 0.5, step=0.01, formulation=formulation)
    t = run.time
    assert np.abs(run.coordinate("hinge") - 0.5 * limit / inertia() * t**2).max() < 2e-4
    assert np.abs(run.effort("hinge") - limit).max() < 1e-12
    late = cs.simulate(bar(limit=2.0), 6.0, step=0.01, formulation=formulation)
    assert float(late.coordinate("hinge")[-1]) == pytest.approx(0.3, abs=1e-6)
    assert np.abs(late.effort("hinge")).max() == pytest.approx(2.0, rel=1e-12)


def test_energy_of_a_saturated_servo_balances():
    for formulation in BOTH:
        run = cs.simulate(bar(J, limit=2.0), 2.0, step=0.002, formulation=formulation)
        assert np.abs(run.energy["balance"]).max() < 1e-3 * float(run.energy["work"].max())


def test_equilibrium_modes_and_linear_model():
    """At rest kp (target - q) = m g l/2 cos q; about it the frequency is that of kp and of the weight."""
    model = bar(J, target=0.4, gravity=(0.0, -9.81, 0.0))
    rest = cs.equilibrium(model)
    q = float(rest.coordinate("hinge"))
    assert KP * (0.4 - q) == pytest.approx(9.81 * 0.5 * np.cos(q), rel=1e-8)
    total, stiffness = inertia() + J, KP - 9.81 * 0.5 * np.sin(q)
    found = cs.modes(model, 1, about=rest)
    w = np.sqrt(stiffness / total)
    assert float(np.abs(found.eigenvalues[0])) == pytest.approx(w, rel=1e-6)
    assert float(found.damping[0]) == pytest.approx(KD / (2.0 * total * w), rel=1e-6)
    linear = cs.linearize(model, inputs=["motor"], outputs=["hinge", "hinge.effort"], about=rest)
    gain = linear.D - linear.C @ np.linalg.solve(linear.A, linear.B)
    assert gain[0, 0] == pytest.approx(KP / stiffness, rel=1e-6)
    assert gain[1, 0] == pytest.approx(KP - KP * KP / stiffness, rel=1e-6)
    assert linear.D[1, 0] == pytest.approx(KP, rel=1e-12)
    assert linear.B[1, 0] == pytest.approx(KP / total, rel=1e-6)


def test_a_path_of_the_target_goes_on_beyond_the_limit():
    """Gravity asks for 4.905 cos q; where the servo reaches 3 N m, the bar stays at cos q = 3 / 4.905."""
    model = bar(target=cs.Parameter("T", -1.2), limit=3.0, gravity=(0, -9.81, 0))
    path = cs.continuation(model, "T", -1.2, 1.0)
    assert path.status.ok, path.status
    assert path.parameter[-1] == pytest.approx(1.0)
    q, target = np.asarray(path.coordinate("hinge")), path.parameter
    effort = np.minimum(KP * (target - q), 3.0)
    assert np.abs(effort - 4.905 * np.cos(q)).max() < 1e-6
    assert q[-1] == pytest.approx(-np.arccos(3.0 / 4.905), abs=1e-9)
    assert np.count_nonzero(effort < 2.999) > 2


def test_beyond_its_limit_a_servo_has_no_stiffness():
    model = bar(target=2.0, limit=1.0)
    model.swap(cs.Revolute("hinge", cs.GROUND, model["bar"].at((0, 0, 0)), axis=(0, 0, 1), stiffness=7.0))
    rest = cs.equilibrium(model)
    assert float(rest.coordinate("hinge")) == pytest.approx(1.0 / 7.0, rel=1e-8)
    assert float(np.abs(cs.modes(model, 1, about=rest).eigenvalues[0])) == pytest.approx(
        np.sqrt(7.0 / inertia()), rel=1e-6
    )


def test_stability_of_a_negative_spring_held_by_a_servo():
    """An inverted pendulum stands once kp exceeds m g l/2."""
    model = cs.Model("inverted", gravity=(0, -9.81, 0))
    body = model.add(cs.RigidBody.bar("bar", (0, 0, 0), (0, 1, 0), mass=1.0))
    model.add(cs.Revolute("hinge", cs.GROUND, body.at((0, 0, 0)), axis=(0, 0, 1)))
    model.add(cs.Servo("motor", "hinge", kp=cs.Parameter("kp", 8.0), kd=0.1))
    found = cs.stability(model, "kp", np.linspace(8.0, 2.0, 7))
    assert [c.kind for c in found.critical] == ["divergence"]
    assert found.critical[0].value == pytest.approx(9.81 * 0.5, rel=1e-5)


def mechanism(kind, **given):
    """A body on a joint of every kind, off centre, so that nothing vanishes by chance."""
    model = cs.Model(kind, gravity=(1.0, -2.0, -9.81))
    base = model.add(cs.RigidBody("base", mass=2.0, com=(0, 0, 0), inertia=np.diag([0.3, 0.4, 0.5])))
    body = model.add(cs.RigidBody("body", mass=1.5, com=(0.4, 0.2, 0.1), inertia=np.diag([0.1, 0.2, 0.25])))
    model.add(cs.Revolute("turn", cs.GROUND, base, axis=(0.2, 0.3, 1.0), stiffness=4.0))
    place = base.at((0.3, 0.1, 0.0)), body.at((0.3, 0.1, 0.0))
    how = {
        "Cylindrical": {"axis": (0, 1, 1)}, "Prismatic": {"axis": (1, 1, 0)},
        "Screw": {"axis": (1, 0, 1), "pitch": 0.1},
        "Planar": {"normal": (0, 1, 2)}, "PlanarTranslation": {"normal": (1, 0, 2)},
        "Universal": {"axes": ((1, 0, 0), (0, 1, 0))}, "Revolute": {"axis": (0, 1, 1)},
    }  # fmt: skip
    joint = model.add(getattr(cs, kind)("joint", *place, **how[kind], **given))
    for k, name in enumerate(joint.coordinates):
        model.add(cs.Servo(f"servo{k}", name, target=0.2 * (k + 1), kp=15.0 + 5.0 * k, kd=0.8))
    return model


KINDS = ("Revolute", "Prismatic", "Screw", "Cylindrical", "Planar", "PlanarTranslation", "Universal")


@pytest.mark.parametrize("kind", KINDS)
def test_both_formulations_agree(kind):
    armature = {"Cylindrical": {"rz": 0.3, "z": 0.9}, "Planar": {"rz": 0.3, "x": 0.9}}.get(kind, 0.3)
    model = mechanism(kind, armature=armature)
    one = cs.simulate(model, 0.4, step=0.002)
    two = cs.simulate(model, 0.4, step=0.002, formulation="floating")
    three = cs.simulate(model, 0.4, step=0.002, integrator="energy-momentum")
    for run in (two, three):
        assert np.abs(one.position("body") - run.position("body")).max() < 1e-4
    assert np.abs(one.reaction("joint") - two.reaction("joint"))[20:].max() < 0.02
    for run in (one, two):
        assert np.abs(run.energy["balance"]).max() < 1e-3 * np.ptp(np.asarray(run.energy["work"]))


@pytest.mark.parametrize("kind", KINDS)
def test_linear_model_in_motion_is_that_of_the_tree(kind):
    """Eigenvalues at a moment of a run, with Coriolis terms of armatures, against derivatives of the tree."""
    armature = {"Cylindrical": (0.9, 0.3), "Planar": (0.9, 0.7, 0.3)}.get(kind, 0.3)
    model = mechanism(kind, armature=armature)
    run = cs.simulate(model, 0.3, step=0.002)
    tree = cs.Tree(model)
    moment = cs.linearize(model, inputs=[], outputs=["turn"], about=run)
    q, v = (np.array([float(f(name)[-1]) for name in tree.coordinates]) for f in (run.coordinate, run.coordinate_rate))
    found = tree.forward_dynamics_derivatives(q, v, np.zeros(len(q)))
    n = len(q)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [found.dq, found.dv]])
    order = lambda x: np.sort_complex(np.round(x, 9))  # noqa: E731
    assert np.abs(order(np.linalg.eigvals(moment.A)) - order(np.linalg.eigvals(A))).max() < 2e-4


@pytest.mark.parametrize("kind", KINDS)
def test_trees_of_rigid_links(kind):
    """Every algorithm of a tree sees the same armature and servo: M a + h = tau, derivatives by differences."""
    armature = {"Cylindrical": (0.9, 0.3), "Planar": (0.9, 0.7, 0.3)}.get(kind, 0.3)
    model = mechanism(kind, armature=armature)
    plain = cs.Tree(mechanism(kind))
    rng = np.random.default_rng(3)
    for tree in (cs.Tree(model), cs.FlexibleTree(model)):
        n = len(tree.coordinates)
        q, v, a = rng.normal(size=(3, n)) * 0.3
        moved = np.array([0.0, *np.broadcast_to(armature, n - 1)])
        M = tree.mass_matrix(q)
        assert np.abs(M - plain.mass_matrix(q) - np.diag(moved)).max() < 1e-12
        tau = tree.inverse_dynamics(q, v, a)
        assert np.abs(tau - plain.inverse_dynamics(q, v, a) - moved * a).max() < 1e-12
        assert np.abs(tree.forward_dynamics(q, v, tau) - a).max() < 1e-10
        driven = np.zeros(n)
        driven[1] = 1.0
        given = np.where(driven == 1.0, a, tau)
        found = tree.hybrid_dynamics(q, v, driven, given)
        assert np.abs(found[0] - a).max() < 1e-10
        assert np.abs(found[1] - tau).max() < 1e-10
        assert tree.energy(q, v).kinetic == pytest.approx(0.5 * v @ M @ v, rel=1e-12)
        slopes, e = tree.inverse_dynamics_derivatives(q, v, a), 1e-5
        for k in range(n):
            d = e * np.eye(n)[k]
            by_q = (tree.inverse_dynamics(q + d, v, a) - tree.inverse_dynamics(q - d, v, a)) / (2 * e)
            by_v = (tree.inverse_dynamics(q, v + d, a) - tree.inverse_dynamics(q, v - d, a)) / (2 * e)
            assert np.abs(by_q - slopes.dq[:, k]).max() < 1e-7
            assert np.abs(by_v - slopes.dv[:, k]).max() < 1e-7
        assert np.abs(slopes.da - M).max() < 1e-12
        stack = tree.forward_dynamics(np.stack([q, q]), np.stack([v, v]), np.stack([tau, tau]))
        assert np.abs(stack - a).max() < 1e-10


def test_a_prescribed_motion_gives_the_armature_its_torque():
    for formulation in BOTH:
        model = cs.Model("driven")
        body = model.add(cs.RigidBody.bar("bar", (0, 0, 0), (1, 0, 0), mass=1.0))
        model.add(
            cs.Revolute("hinge", cs.GROUND, body.at((0, 0, 0)), axis=(0, 0, 1), motion="t**3", armature=J)
        )
        run = cs.simulate(model, 1.0, step=0.01, formulation=formulation)
        wanted = (inertia() + J) * 6.0 * run.time
        assert np.abs(run.effort("hinge") - wanted)[5:].max() < 1e-2


@pytest.mark.parametrize("armature, step", [(0.0, None), (1e-3, 1e-3)])
def test_the_arm_whose_sampled_law_explodes_comes_to_rest(armature, step):
    """kd = 1 N m s/rad on a beam end of 3e-5 kg m^2: a law sampled at 1 ms cannot be stable, a servo is."""
    model = cs.Model("two")
    tube, alu = cs.Tube(0.03, 0.027), cs.materials.ALUMINIUM_6061
    a = model.add(cs.Beam("a", points=[(0, 0, 0), (0.5, 0, 0)], section=tube, material=alu, elements=6))
    b = model.add(cs.Beam("b", points=[(0.5, 0, 0), (1, 0, 0)], section=tube, material=alu, elements=6))
    model.add(cs.Fixed("base", cs.GROUND, a.start))
    model.add(cs.Revolute("elbow", a.end, b.start, axis=(0, 0, 1), armature=armature))
    model.add(cs.Servo("motor", "elbow", target=1.0, kp=5.0, kd=1.0))
    run = cs.simulate(model, 2.0, step=step)
    assert run.status.ok
    assert float(run.coordinate("elbow")[-1]) == pytest.approx(1.0, abs=2e-3)


def light_arm(**elbow):
    """Two beams; the end that the elbow turns has 3e-6 kg m^2."""
    model = cs.Model("two")
    tube, alu = cs.Tube(0.03, 0.027), cs.materials.ALUMINIUM_6061
    a = model.add(cs.Beam("a", points=[(0, 0, 0), (0.5, 0, 0)], section=tube, material=alu, elements=6))
    b = model.add(cs.Beam("b", points=[(0.5, 0, 0), (1, 0, 0)], section=tube, material=alu, elements=6))
    model.add(cs.Fixed("base", cs.GROUND, a.start))
    model.add(cs.Revolute("elbow", a.end, b.start, axis=(0, 0, 1), **elbow))
    return model


@pytest.mark.parametrize("rho, given", [(0.9, {}), (0.5, {}), (0.9, {"formulation": "floating", "modes": 6})])
@pytest.mark.parametrize("kind", ["spring and damper", "servo"])
def test_a_torque_that_sets_in_at_a_light_end_does_not_ring(kind, rho, given):
    """5 N m and a damper of 1 N m s/rad: the end turns within a microsecond; 0.3631156 rad with steps of 10 us."""
    model = light_arm(effort=5.0, stiffness=5.0, damping=1.0) if kind == "spring and damper" else light_arm()
    if kind == "servo":
        model.add(cs.Servo("motor", "elbow", target=1.0, kp=5.0, kd=1.0))
    run = cs.simulate(model, 0.1, step=1e-3, rho=rho, **given)
    assert run.status.ok, run.status
    assert float(run.coordinate("elbow")[-1]) == pytest.approx(0.3631156, abs=5e-5 if rho < 0.9 else 5e-6)
    assert float(np.abs(run.coordinate_rate("elbow")).max()) < 5.0
    assert len(run.time) == 101


@pytest.mark.parametrize("step", [2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4])
def test_floating_steps_of_any_length_do_not_ring_at_a_light_end(step):
    """They did at 0.5 ms: 7 rad/s, 1.6e-4 rad off, and an energy balance that was broken."""
    model = light_arm()
    model.add(cs.Servo("motor", "elbow", target=1.0, kp=5.0, kd=1.0))
    run = cs.simulate(model, 0.1, step=step, rho=0.9, formulation="floating", modes=10)
    assert run.status.ok, run.status
    assert float(run.coordinate("elbow")[-1]) == pytest.approx(0.3631156, abs=1e-6 + step**2)
    assert float(np.abs(run.coordinate_rate("elbow")).max()) < 4.7


@pytest.mark.parametrize("step", [1e-3, 2.5e-4, None])
def test_the_conserving_scheme_at_a_light_end_does_not_ring(step):
    """Rates that alternate would make the energy balance of a right motion wrong: 3.6 J appeared with 1 ms."""
    model = light_arm()
    model.add(cs.Servo("motor", "elbow", target=1.0, kp=5.0, kd=1.0))
    run = cs.simulate(model, 0.1, step=step, integrator="energy-momentum")
    assert run.status.ok, run.status
    assert float(run.coordinate("elbow")[-1]) == pytest.approx(0.3631156, abs=10.0 * step**2 if step else 1e-4)
    assert float(np.abs(run.coordinate_rate("elbow")).max()) < 5.0
    assert np.abs(run.energy["balance"]).max() < (1e4 * step**2 if step and step > 5e-4 else 2e-3)


@pytest.mark.parametrize("given", [{}, {"formulation": "floating", "modes": 6}])
def test_a_law_sampled_at_a_light_end_works_or_is_named(given):
    def law(kd):
        def controller(t, state):
            q, rate = float(state.coordinate("elbow")[-1]), float(state.coordinate_rate("elbow")[-1])
            return {"elbow": 5.0 * (1.0 - q) - kd * rate}

        controller.period = 1e-3
        return controller

    bad = cs.simulate(light_arm(effort=0.0), 0.1, step=1e-3, controller=law(1.0), **given)
    assert not bad.status.ok
    assert "the effort of 'elbow' alternates from call to call and grows" in bad.status.message
    assert "cs.Servo" in bad.status.message
    good = cs.simulate(light_arm(effort=0.0, armature=2e-3), 0.5, step=1e-3, controller=law(1.0), **given)
    assert good.status.ok
    assert "alternates" not in good.status.message
    plain = light_arm(effort=5.0, stiffness=5.0, damping=1.0, armature=2e-3)
    wanted = cs.simulate(plain, 0.5, step=1e-3, **given)
    delay = 1e-3 * float(np.abs(wanted.coordinate_rate("elbow")).max())  # held efforts lag by up to a sample
    assert float(np.abs(good.coordinate("elbow") - wanted.coordinate("elbow")).max()) < delay


@pytest.mark.parametrize(
    "integrator, kd, ok",
    [
        ("energy-momentum", 0.03, False), ("energy-momentum", 0.02, False), ("energy-momentum", 0.007, False),
        ("energy-momentum", 0.004, False), ("energy-momentum", 0.003, False), ("energy-momentum", 0.005, False),
        ("energy-momentum", 0.01, False), ("generalized-alpha", 0.1, False), ("generalized-alpha", 0.06, True),
        ("generalized-alpha", 0.05, True), ("generalized-alpha", 0.03, True),
    ],
)  # fmt: skip
def test_a_run_that_sampling_has_spoilt_is_not_ok(integrator, kd, ok):
    """Rates at the light end alternate; where that dies out the run is that of the law with its damping less kp h / 2.

    Where it goes on growing, by and by or in beats, or does not die out, the joint is 0.08 to 6 rad away from that,
    even if efforts change little from call to call.
    """

    def law(t, state):
        q, rate = float(state.coordinate("elbow")[-1]), float(state.coordinate_rate("elbow")[-1])
        return {"elbow": 5.0 * (1.0 - q) - kd * rate}

    law.period = 1e-3
    run = cs.simulate(light_arm(effort=0.0), 0.2, step=1e-3, integrator=integrator, controller=law)
    assert run.time[-1] == pytest.approx(0.2)
    assert run.status.ok is ok
    assert "the effort of 'elbow' alternates from call to call and grows" in run.status.message
    assert ok or run.status.outcome is cs.Outcome.UNSTABLE_CONTROL
    if ok:
        plain = cs.simulate(light_arm(effort=5.0, stiffness=5.0, damping=kd - 5.0 * 1e-3 / 2.0), 0.2, step=1e-3)
        assert np.abs(run.coordinate("elbow") - plain.coordinate("elbow")).max() < 5e-3


def test_a_controller_sets_the_target():
    for formulation in BOTH:
        model = bar(target=0.0)

        def later(t, state):
            return {"motor": 0.0 if t < 0.5 else 0.3}

        later.period = 0.01
        run = cs.simulate(model, 1.5, step=0.005, formulation=formulation, controller=later)
        t = run.time
        wanted = np.where(t < 0.5, 0.0, exact(np.maximum(t - 0.5, 0.0), inertia()))
        assert np.abs(run.coordinate("hinge") - wanted).max() < 1e-3
        held = run.effort("hinge")[-1]
        q, v = float(run.coordinate("hinge")[-1]), float(run.coordinate_rate("hinge")[-1])
        assert held == pytest.approx(KP * (0.3 - q) - KD * v, rel=1e-9)


@pytest.mark.filterwarnings("ignore:redundant constraints")
def test_servo_in_a_closed_loop():
    """A four-bar linkage whose servo may sit in the joint that is cut."""
    runs = []
    for formulation in BOTH:
        model = cs.Model("four bars", gravity=(0, -9.81, 0))
        points = [(0, 0, 0), (0, 0.5, 0), (1.0, 0.8, 0), (1.2, 0, 0)]
        bars = [
            model.add(cs.RigidBody.bar(f"b{i}", points[i], points[i + 1], mass=1.0 + i)) for i in range(3)
        ]
        sides = [cs.GROUND, *bars, cs.GROUND]
        for i in range(4):
            a, b = (s.at(points[i]) for s in (sides[i], sides[i + 1]))
            model.add(cs.Revolute(f"j{i}", a, b, axis=(0, 0, 1), armature=0.2 if i == 3 else 0.0))
        for i in range(4):
            model.add(cs.Servo(f"s{i}", f"j{i}", target=0.3, kp=30.0, kd=2.0))
        runs.append(cs.simulate(model, 0.5, step=0.0025, formulation=formulation))
        assert runs[-1].status.ok
    apart = runs[0].position("b1") - runs[1].position("b1")
    assert np.abs(apart).max() < 1e-4


@pytest.mark.parametrize("formulation", BOTH)
def test_a_sampled_law_that_is_unstable_is_named(formulation):
    """kd h > 2 J: every call overshoots by more than the last one; with half of that it is well."""

    def law(kd):
        def controller(t, state):
            q, w = float(state.coordinate("hinge")[-1]), float(state.coordinate_rate("hinge")[-1])
            return {"hinge": 5.0 * (0.3 - q) - kd * w}

        controller.period = 0.01
        return controller

    model = cs.Model("bar")
    body = model.add(cs.RigidBody.bar("bar", (0, 0, 0), (1, 0, 0), mass=1.0))
    model.add(cs.Revolute("hinge", cs.GROUND, body.at((0, 0, 0)), axis=(0, 0, 1), effort=0.0))
    limit = 2.0 * inertia() / 0.01
    bad = cs.simulate(model, 1.0, step=0.005, controller=law(1.3 * limit), formulation=formulation)
    assert not bad.status.ok
    assert "the effort of 'hinge' alternates from call to call and grows" in bad.status.message
    assert "cs.Servo" in bad.status.message
    good = cs.simulate(model, 1.0, step=0.005, controller=law(0.5 * limit), formulation=formulation)
    assert good.status.ok
    assert "alternates" not in good.status.message


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_equilibrium_names_a_servo_at_its_limit(formulation):
    """A lift of 2 kg on a servo: 19.62 N hold it, 15 N do not; where nothing pulls, the limit does not matter."""

    def lift(limit, gravity=9.81):
        model = cs.Model("lift", gravity=(0, 0, -gravity))
        cabin = model.add(cs.RigidBody("cabin", mass=2.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1)))
        model.add(cs.Prismatic("rail", cs.GROUND, cabin, axis=(0, 0, 1)))
        model.add(cs.Servo("motor", "rail", target=0.3, kp=500.0, kd=5.0, limit=limit))
        return cs.equilibrium(model, formulation=formulation)

    assert float(lift(25.0).coordinate("rail")) == pytest.approx(0.3 - 19.62 / 500, abs=1e-9)
    assert float(lift(15.0, gravity=0.0).coordinate("rail")) == pytest.approx(0.3, abs=1e-9)
    status = lift(15.0).status
    assert status.outcome is cs.Outcome.SATURATED
    assert "servo 'motor' asks for 150 N, and its limit is 15 N" in status.message
    assert "the loads push along with 4.62 N" in status.message


@pytest.mark.parametrize("integrator", ["energy-momentum", "generalized-alpha"])
def test_a_relay_alternates_and_is_ok(integrator):
    """It is meant to: efforts that alternate without growing are those of their law."""

    def relay(t, state):
        return {"elbow": 3.0 if float(state.coordinate_rate("elbow")[-1]) < 0.0 else -3.0}

    relay.period = 1e-3
    model = light_arm(effort=0.0, armature=0.05)
    run = cs.simulate(model, 0.2, step=1e-3, integrator=integrator, controller=relay)
    assert run.status.ok
    assert "alternates" not in run.status.message
