"""Where drives have kinks, loads jump, or nothing is free: adaptive steps keep the tolerance, equal ones the order."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.physics.test_servos import light_arm

import cosserat as cs

G = 9.81


def driven_chain():
    """Two bars; the first turns as 0.5 t^2 until 0.7 s, then slowly and steadily: its rate jumps there."""
    model = cs.Model("chain", gravity=(0, 0, -G))
    first = model.add(cs.RigidBody.bar("a", (0, 0, 0), (1, 0, 0), mass=1.0))
    second = model.add(cs.RigidBody.bar("b", (1, 0, 0), (2, 0, 0), mass=0.7))
    motion = lambda t: np.where(t < 0.7, 0.5 * t**2, 0.245 + 0.1 * (t - 0.7))  # noqa: E731
    model.add(cs.Revolute("d", cs.GROUND, first.at((0, 0, 0)), axis=(0, 1, 0), motion=motion))
    model.add(cs.Revolute("q", first, second, at=(1, 0, 0), axis=(0, 1, 0)))
    return model


@pytest.mark.parametrize("integrator", ["energy-momentum", "generalized-alpha"])
def test_steps_end_at_a_kink_of_a_drive_without_shrinking(integrator):
    exact = cs.simulate(driven_chain(), 1.0, 2.5e-4, formulation="floating", integrator="runge-kutta")
    run = cs.simulate(driven_chain(), 1.0, tolerance=3e-7, integrator=integrator)
    assert run.status.ok
    assert np.diff(run.time).min() > 1e-4
    error = np.abs((run.position("b")[-1] - exact.position("b")[-1]).values).max()
    assert error < 3e-7 * 2.0 * len(run.time) / 100


def test_tight_tolerances_of_driven_mechanisms_take_as_many_steps_as_the_order_says():
    model = cs.Model("drive")
    body = model.add(cs.RigidBody.bar("a", (0, 0, 0), (1, 0, 0), mass=1.0))
    model.add(cs.Revolute("d", cs.GROUND, body.at((0, 0, 0)), axis=(0, 1, 0), motion="5*t + 2*sin(3*t)"))
    runs = [
        cs.simulate(model, 1.0, tolerance=tolerance, formulation="floating", integrator="runge-kutta")
        for tolerance in (1e-6, 1e-8)
    ]
    assert len(runs[1].time) < 100**0.25 * 1.3 * len(runs[0].time)


@pytest.mark.parametrize("rho", [0.0, 0.8])
def test_steps_that_shorten_after_a_jump_begin_with_true_velocities(rho):
    """A kick of 5 ms turns slender bars about their own axes at 6000 rad/s^2: the steps before it are far too long."""
    model = cs.Model("kick", gravity=(0, 0, -G))
    first = model.add(cs.RigidBody.bar("a", (0, 0, 0), (1, 0, 0), mass=1.0))
    second = model.add(cs.RigidBody.bar("b", (1, 0, 0), (2, 0, 0), mass=0.7))
    model.add(cs.Spherical("d", cs.GROUND, first.at((0, 0, 0))))
    model.add(cs.Revolute("q", first, second, at=(1, 0, 0), axis=(0, 1, 0), damping=0.05))
    kick = lambda t: (0 * t, 100.0 * ((t > 1.0) & (t < 1.005)), 0 * t)  # noqa: E731
    model.add(cs.Force("F", second.at((2, 0, 0)), kick))
    exact = cs.simulate(model, 1.6, 1e-3, formulation="floating", integrator="runge-kutta")
    run = cs.simulate(model, 1.6, tolerance=1e-3, rho=rho)
    error = np.abs((run.position("b")[-1] - exact.position("b")[-1]).values).max()
    assert error < 1e-3 * 2.0 * len(run.time) / 100


def kinked(start=0.7003, load=0.7, kind="rate"):
    """As `driven_chain`, with the kink, of the rate or of the acceleration, and a jump of an effort at given times."""
    model = cs.Model("chain", gravity=(0, 0, -G))
    first = model.add(cs.RigidBody.bar("a", (0, 0, 0), (1, 0, 0), mass=1.0))
    second = model.add(cs.RigidBody.bar("b", (1, 0, 0), (2, 0, 0), mass=0.7))
    rate, slope = (0.1, 0.0) if kind == "rate" else (start, -0.3)

    def motion(t):
        return np.where(t < start, 0.5 * t**2, 0.5 * start**2 + rate * (t - start) + slope * (t - start) ** 2)

    model.add(cs.Revolute("d", cs.GROUND, first.at((0, 0, 0)), axis=(0, 1, 0), motion=motion))
    model.add(cs.Revolute("q", first, second, at=(1, 0, 0), axis=(0, 1, 0), effort=lambda t: 3.0 * (t > load)))
    return model


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
@pytest.mark.parametrize(("start", "load", "kind"), [(0.7003, 0.7, "rate"), (0.7, 0.6993, "rate"), (0.7, 0.7, "accel")])
def test_equal_steps_across_kinks_of_drives_keep_their_order(start, load, kind, formulation):
    model = kinked(start, load, kind)
    exact = cs.simulate(model, 1.0, tolerance=1e-9, formulation="floating", integrator="runge-kutta")
    errors, reactions = [], []
    for step in (4e-3, 2e-3):
        run = cs.simulate(model, 1.0, step=step, formulation=formulation)
        errors.append(np.abs((run.position("b")[-1] - exact.position("b")[-1]).values).max())
        reactions.append(np.abs((run.reaction("q")[-1] - exact.reaction("q")[-1]).values).max())
    assert errors[0] < 1e-5
    assert 3.5 < errors[0] / errors[1] < 4.5
    assert reactions[0] < 1e-3
    assert 3.5 < reactions[0] / reactions[1] < 4.5
    calm = run.time > start + 0.003  # from the first whole step on
    assert np.abs(run.reaction("q").values[calm]).max() < 20.0  # 1000 and more before


@pytest.mark.parametrize("start", [0.7, 0.7003])
def test_a_run_across_a_kink_is_its_two_halves(start):
    whole = cs.simulate(kinked(start, 0.6), 1.0, step=1e-3)
    first = cs.simulate(kinked(start, 0.6), 0.7, step=1e-3)
    second = cs.simulate(kinked(start, 0.6), 0.3, step=1e-3, start=first)
    assert np.abs((second.position("b")[-1] - whole.position("b")[-1]).values).max() < 1e-6


ALL = {
    "alpha": {},
    "conserving": {"integrator": "energy-momentum"},
    "floating": {"formulation": "floating"},
    "explicit": {"formulation": "floating", "integrator": "runge-kutta"},
}


def pushed(motion):
    """A pendulum on a cart that is driven."""
    model = cs.Model("cart", gravity=(0, 0, -G))
    cart = model.add(cs.RigidBody("cart", mass=2.0, com=(0, 0, 0), inertia=(0.1, 0.2, 0.15)))
    bob = model.add(cs.RigidBody("bob", mass=1.0, com=(0, 0, -0.7), inertia=(0.02, 0.03, 0.01)))
    model.add(cs.Prismatic("rail", cs.GROUND, cart, axis=(1, 0, 0), motion=motion))
    model.add(cs.Revolute("pivot", cart, bob, at=(0, 0, 0), axis=(0, 1, 0), damping=0.1))
    return model


@pytest.mark.parametrize("how", [{"step": 4e-3}, {"tolerance": 1e-5}], ids=["equal", "adaptive"])
@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    "motion", ["1.3*max(0, t - 0.25)", "0.65*(abs(t - 0.25) + t - 0.25)", "(t - 0.25)*1.3*(t > 0.25)"]
)
def test_a_run_that_starts_at_a_kink_starts_after_it(motion, kind, how):
    if kind == "explicit" and "tolerance" in how:
        how = {"tolerance": 1e-8}  # ten steps would do otherwise, and work is an integral over their ends
    run, smooth = (cs.simulate(pushed(m), 0.3, start_time=0.25, **how, **ALL[kind]) for m in (motion, "1.3*(t - 0.25)"))
    assert run.status.ok
    away = run.coordinate("pivot")[-1] - smooth.coordinate("pivot")[-1]
    assert abs(float(away)) < 1e-8  # 0.4 rad before, in floating frames
    assert abs(run.energy.balance).max() < 1e-3  # 1400 J before, with generalised-alpha


@pytest.mark.parametrize("how", [{"step": 2e-3}, {"tolerance": 1e-6}], ids=["equal", "adaptive"])
@pytest.mark.parametrize("kind", ALL)
def test_a_run_goes_on_where_a_drive_has_its_kink(kind, how):
    if kind == "explicit" and "tolerance" in how:
        how = {"tolerance": 1e-9}  # as above
    model, asked = pushed("0.3*t + 1.3*max(0, t - 0.25)"), ALL[kind] | how
    whole, first = (cs.simulate(model, duration, **asked) for duration in (0.45, 0.25))
    second = cs.simulate(model, 0.2, start=first, **asked)
    assert all(run.status.ok and abs(run.energy.balance).max() < 1e-3 for run in (whole, first, second))
    assert abs(float(second.coordinate("pivot")[-1] - whole.coordinate("pivot")[-1])) < 1e-7  # 1e-3 before
    between = second.energy.total[0] - first.energy.total[-1]  # what is not in one of the two is the impact itself
    apart = whole.energy.work[-1] - first.energy.work[-1] - second.energy.work[-1] - between
    assert abs(float(apart)) < 2e-4


@pytest.mark.parametrize("at", [0.7, 0.7003])
@pytest.mark.parametrize(
    "settings",
    [{"step": 1e-3}, {"tolerance": 1e-7}, {"step": 1e-3, "integrator": "runge-kutta"}],
    ids=["equal", "adaptive", "runge-kutta"],
)
def test_a_floating_run_that_ends_at_a_kink_goes_on(settings, at):
    model, asked = kinked(at, 0.6), settings | {"formulation": "floating"}
    whole = cs.simulate(model, 1.0, **asked)
    first = cs.simulate(model, at, **asked)
    second = cs.simulate(model, 1.0 - at, start=first, **asked)
    assert np.abs((second.position("b")[-1] - whole.position("b")[-1]).values).max() < 1e-7  # 3e-3 before



@pytest.mark.parametrize("after", [True, False])
@pytest.mark.parametrize(
    ("formulation", "integrator"),
    [("galilean", "generalized-alpha"), ("galilean", "energy-momentum"), ("floating", "generalized-alpha")],
)
def test_a_load_that_jumps_where_a_run_starts_or_ends_acts_from_there(formulation, integrator, after):
    """M = I a under a torque from 0.7 s on, exactly, whether the function jumps at that time or just after it."""
    model = cs.Model("disc")
    body = model.add(cs.RigidBody("disc", mass=1.0, com=(0, 0, 0), inertia=(2.0, 2.0, 2.0)))
    torque = (lambda t: 30.0 * (t > 0.7)) if after else (lambda t: 30.0 * (t >= 0.7))
    model.add(cs.Revolute("axle", cs.GROUND, body, axis=(0, 1, 0), effort=torque))
    how = {"step": 0.01, "formulation": formulation, "integrator": integrator}
    late = cs.simulate(model, 0.3, start_time=0.7, **how)
    first = cs.simulate(model, 0.7, **how)
    second = cs.simulate(model, 0.3, start=first, **how)
    assert abs(first.coordinate_rate("axle").values).max() < 1e-9  # 0.075 rad/s before
    for run in (late, second):
        assert np.isclose(run.coordinate_rate("axle")[-1], 15.0 * 0.3, rtol=1e-8)
        assert np.isclose(run.coordinate("axle")[-1], 7.5 * 0.3**2, rtol=1e-8)


@pytest.mark.parametrize(
    ("formulation", "integrator"),
    [("galilean", "generalized-alpha"), ("galilean", "energy-momentum"), ("floating", "generalized-alpha")],
)
@pytest.mark.parametrize("jump", [0.3, 0.3013])
def test_a_servo_at_its_limit_is_told_in_time(formulation, integrator, jump):
    """The limit cuts off the torque at once: 25 N m turn the wheel by 25 s^2/(2 I), however far away the target is."""
    model = cs.Model("wheel")
    body = model.add(cs.RigidBody("wheel", mass=1.0, com=(0, 0, 0), inertia=(2.0, 2.0, 2.0)))
    model.add(cs.Revolute("axle", cs.GROUND, body, axis=(0, 1, 0)))
    model.add(cs.Servo("motor", "axle", target=lambda t: 50.0 * (t > jump), kp=200.0, kd=15.0, limit=25.0))
    run = cs.simulate(model, 1.0, step=0.01, formulation=formulation, integrator=integrator)
    assert np.isclose(run.coordinate_rate("axle")[-1], 12.5 * (1.0 - jump), rtol=1e-6)  # 0.7 % off before
    assert np.isclose(run.coordinate("axle")[-1], 6.25 * (1.0 - jump) ** 2, rtol=1e-6)


@pytest.mark.parametrize("at", [0.7, 0.7003])
@pytest.mark.parametrize(
    "settings",
    [
        {"step": 1e-3},
        {"tolerance": 1e-6},
        {"tolerance": 1e-6, "integrator": "energy-momentum"},
        {"step": 1e-3, "integrator": "energy-momentum"},
        {"step": 5e-4, "integrator": "energy-momentum", "every": 2},
        {"step": 5e-4, "every": 2},
        {"step": 1e-3, "formulation": "floating"},
        {"tolerance": 1e-6, "formulation": "floating"},
        {"step": 5e-4, "formulation": "floating", "every": 2},
        {"step": 1e-3, "formulation": "floating", "integrator": "runge-kutta"},
        {"step": 5e-4, "formulation": "floating", "integrator": "runge-kutta", "every": 2},
    ],
    ids=[
        "equal", "adaptive", "conserving", "conserving-equal", "conserving-every", "every", "floating",
        "floating-adaptive", "floating-every", "explicit", "explicit-every",
    ],
)
def test_the_impulse_of_a_kink_does_work(settings, at):
    run = cs.simulate(kinked(at, 0.3), 1.0, **settings)
    assert np.abs(run.energy.balance).max() < 2e-4  # 1.2 and more before
    assert run.status.ok


@pytest.mark.parametrize(("start", "load"), [(0.7003, 0.7), (0.7, 0.6993)])
def test_conserving_equal_steps_across_kinks_of_drives_keep_their_order(start, load):
    model, errors = kinked(start, load), []
    exact = cs.simulate(model, 1.0, tolerance=1e-9, formulation="floating", integrator="runge-kutta")
    for step in (4e-3, 2e-3):
        run = cs.simulate(model, 1.0, step=step, integrator="energy-momentum")
        away = (run.position("b")[-1] - exact.position("b")[-1], run.reaction("q")[-1] - exact.reaction("q")[-1])
        errors.append([np.abs(x.values).max() for x in away])
    assert errors[0][0] < 1e-5  # 4e-4 before
    assert np.all(np.divide(*errors) > 3.5)
    assert np.all(np.divide(*errors) < 4.5)


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6])
def test_conserving_steps_see_where_efforts_are_cut_off(tolerance):
    """Efforts at their limit in the middle of long steps: 55 m and less than zero where 16.3258 m is right, before."""
    model = cs.Model("slider")
    body = model.add(cs.RigidBody("body", mass=2.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0)))
    model.add(cs.Servo("motor", "rail", target=10.0, kp=1000.0, kd=50.0, limit=4.0))
    run = cs.simulate(model, 30.0, tolerance=tolerance, integrator="energy-momentum")
    exact = solve_ivp(
        lambda _, y: [y[1], np.clip(1000.0 * (10.0 - y[0]) - 50.0 * y[1], -4.0, 4.0) / 2.0],
        (0.0, 30.0), [0.0, 0.0], rtol=1e-9, atol=1e-11, max_step=0.01,
    )  # fmt: skip
    assert abs(run.coordinate("rail")[-1] - exact.y[0, -1]) < 5e-5
    assert len(run.time) < 350


def late(t, frame, parameters):
    target = 0.3 * t
    if t > 0.2503:
        target += 1.3 * (t - 0.2503)
    return (frame[0, 3] - target,)


def bent(t, frame, parameters):
    return (frame[0, 3] - 0.3 * t - 1.3 * np.maximum(0.0, t - 0.2503),)


def faster(t, frame, twist, parameters):
    return (twist[0] - (0.3 if t < 0.2503 else 1.6),)


LAWS = {
    "comparison": (late, "position"),
    "seen from outside": (bent, "position"),
    "velocity": (faster, "velocity"),
    "formula": (["x - 0.3*t - 1.3*max(0, t - 0.2503)"], "position"),
}


def held(law):
    """As `pushed`, by a constraint in place of a prescribed motion."""
    model = pushed(None)
    model.add(cs.Constraint("hold", "cart", law[0], level=law[1]))
    return model


@pytest.fixture(scope="module")
def shifted():
    """The same by a prescribed motion, with steps that end at the kink."""
    how = {"tolerance": 1e-11, "formulation": "floating", "integrator": "runge-kutta"}
    return cs.simulate(pushed("0.3*t + 1.3*max(0, t - 0.2503)"), 0.6, **how)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("law", LAWS)
def test_kinks_of_constraints_are_treated_as_those_of_drives(law, kind, shifted):
    """Equal steps keep their order, adaptive ones the tolerance; before, errors of 1e-4 rad fell as h, or not at all,
    reactions were 2 N off, and adaptive steps erred up to 148 times what they promise.
    """
    most, model = ((1e-9, 1e-8) if kind == "explicit" else (1e-5, 2e-4)), held(LAWS[law])
    halvings, errors = (1 if kind == "explicit" else 2), []  # explicit steps meet the error of the reference
    for step in (4e-3, 4e-3 / 2**halvings):
        run = cs.simulate(model, 0.6, step, **ALL[kind])
        away = run.coordinate("pivot")[-1] - shifted.coordinate("pivot")[-1]
        force = run.reaction("pivot")[-1] - shifted.reaction("pivot")[-1]
        errors.append((abs(float(away)), float(np.abs(force.values).max())))
        assert abs(run.energy.balance).max() < 3e-4  # 690 J
    assert np.all(np.less(errors, most))
    assert np.all(np.divide(*errors) > 3.8**halvings)
    for tolerance in (1e-4, 1e-6):
        run = cs.simulate(model, 0.6, tolerance=tolerance, **ALL[kind])
        away = np.abs((run.position("bob")[-1] - shifted.position("bob")[-1]).values).max()
        assert away < tolerance * run.stats["steps"] / 100


@pytest.mark.parametrize("how", [{"step": 2e-3}, {"tolerance": 1e-6}], ids=["equal", "adaptive"])
@pytest.mark.parametrize("kind", ALL)
def test_a_run_goes_on_where_a_constraint_has_its_kink(kind, how):
    if kind == "explicit" and "tolerance" in how:
        how = {"tolerance": 1e-9}
    model, asked = held((["x - 0.3*t - 1.3*max(0, t - 0.25)"], "position")), ALL[kind] | how
    whole, first = (cs.simulate(model, duration, **asked) for duration in (0.45, 0.25))
    second = cs.simulate(model, 0.2, start=first, **asked)
    late = cs.simulate(model, 0.2, start_time=0.25, **asked)
    smooth = cs.simulate(held((["x - 1.6*t + 0.325"], "position")), 0.2, start_time=0.25, **asked)
    assert all(run.status.ok and abs(run.energy.balance).max() < 1e-3 for run in (whole, first, second, late))
    assert abs(float(second.coordinate("pivot")[-1] - whole.coordinate("pivot")[-1])) < 1e-7
    assert abs(float(late.coordinate("pivot")[-1] - smooth.coordinate("pivot")[-1])) < 1e-8


def light(at):
    """A torque sets in at the light end of a beam, held by a damper, where a drive elsewhere has a kink."""
    model = light_arm(effort=f"5*step(t, {at})", stiffness=5.0, damping=1.0)
    cart = model.add(cs.RigidBody("cart", mass=1.0, com=(0, 0, 3), inertia=(1, 1, 1)))
    model.add(cs.Prismatic("rail", cs.GROUND, cart, axis=(1, 0, 0), motion=f"max(0, t - {at})"))
    return model


FLOATING = {"formulation": "floating", "modes": 6}


@pytest.mark.parametrize(
    ("at", "kind"), [(0.05, {}), (0.0501, {}), (0.05, {"rho": 0.5}), (0.0501, {"rho": 0.5}), (0.05, FLOATING)]
)
def test_a_step_after_a_kink_is_a_first_step(at, kind):
    """A run across the kink errs as little as two runs, one up to it and one from there; a hundred times more before.
    Where the kink is at the end of a step the two are the same.
    """
    model, step = light(at), 1e-3
    whole, first = (cs.simulate(model, duration, step, **kind) for duration in (0.1, at))
    second = cs.simulate(model, 0.1 - at, step, start=first, **kind)
    exact = cs.simulate(light(0.0), 0.1 - at, 1e-5, **kind).coordinate("elbow")[-1]  # that part of it, from rest
    errors = [abs(float(run.coordinate("elbow")[-1] - exact)) for run in (whole, second)]
    assert max(errors) < (7e-5 if "rho" in kind else 1e-5)
    assert float(np.abs(whole.coordinate_rate("elbow")).max()) < 5.0
    if at == 0.05:
        assert abs(errors[0] - errors[1]) < 1e-9


@pytest.mark.parametrize("how", [{"formulation": "floating", "modes": 4}, {}])
def test_kinks_of_functions_that_take_one_time_after_the_other(how):
    """A clamp begins to turn at once: the beam takes the whole impact, however the motion is written."""
    ends = []
    for motion in ("0.5*max(t - 0.2037, 0)", lambda t: 0.5 * max(t - 0.2037, 0.0)):
        model = cs.Model("struck", gravity=(0, 0, -G))
        plastic = cs.Material(E=5e9, nu=0.3, rho=1500.0, damping=1e-4)
        beam = model.add(cs.Beam("b", [(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.03), material=plastic, elements=4))
        model.add(cs.Revolute("j", cs.GROUND, beam.start, axis=(0, 1, 0), motion=motion))
        run = cs.simulate(model, 0.3, step=0.0025, rho=0.5, **how)
        ends.append(np.concatenate((run.position("b.end").values[-1], run.velocity("b.end").values[-1])))
        assert np.ptp(run.energy.balance.values) < 0.01 * run.energy.kinetic.values.max()
    assert ends[1] == pytest.approx(ends[0], abs=1e-9)


@pytest.mark.parametrize("springs", [{"x": 50.0}, {"rz": 5.0}, {"x": 50.0, "y": 80.0, "rz": 5.0}])
@pytest.mark.parametrize("step", [None, 2e-3])
@pytest.mark.parametrize("integrator", ["energy-momentum", "generalized-alpha"])
def test_springs_in_a_joint_that_also_turns_by_a_drive(integrator, step, springs):
    """Energies on both sides of a time at which a drive sets in: turns of driven angles are those prescribed."""
    model = cs.Model("table", gravity=(0, -G, 0))
    plate = model.add(cs.RigidBody("plate", mass=1.0, com=(0.1, 0, 0), inertia=0.1 * np.eye(3)))
    turns = "4*(1 - cos(6*(t - 0.1)))*step(t, 0.1)"
    how = {"normal": (0, 0, 1), "at": (0, 0, 0), "motion": {"rz": turns}, "stiffness": springs}
    model.add(cs.Planar("table", cs.GROUND, plate, **how))
    model.add(cs.Force("kick", plate, ("3*step(t, 0.25)", 0, 0)))
    run = cs.simulate(model, 0.4, step, integrator=integrator, tolerance=1e-6)
    assert run.status.ok
    assert np.abs(run.energy.balance).max() < 2e-3 * np.abs(run.energy.kinetic).max()
    finer = cs.simulate(model, 0.4, 2e-4, formulation="floating")
    assert np.abs(run.energy.strain[-1] - finer.energy.strain[-1]) < 1e-3 * np.abs(finer.energy.strain).max()


@pytest.mark.parametrize("rest", [0.02, 0.5])
@pytest.mark.parametrize("settings", [{}, {"formulation": "floating", "modes": 4}])
def test_a_kink_late_in_a_step_of_a_damped_beam(settings: dict, rest: float) -> None:
    """The next step went on from the short rest of this: reactions alternated by more than half of the largest."""
    step, end = 0.0025, 0.06
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    plastic = cs.Material(E=2e10, nu=0.3, rho=2000.0, damping=1e-3)
    rod = model.add(cs.Beam("rod", points=[(0, 0, 0), (0.6, 0, 0)], section=cs.Rod(0.03), material=plastic, elements=3))
    hand = model.add(cs.RigidBody("hand", 0.3, (0.7, 0, 0), (1e-3, 1e-3, 1e-3)))
    motion = f"0.3*max(t - {end - rest * step!r}, 0)"
    model.add(cs.Revolute("shoulder", cs.GROUND, rod.start, axis=(0, 1, 0), motion=motion))
    model.add(cs.Revolute("wrist", rod.end, hand, axis=(0, 1, 0), at=(0.6, 0, 0), damping=0.02))
    run = cs.simulate(model, 0.1, step, **settings)
    fine = cs.simulate(model, 0.1, 2e-5, every=25, **settings)
    first = int(np.searchsorted(run.time, end - 1e-9)) + 3
    same = [int(np.argmin(np.abs(fine.time - t))) for t in run.time[first:]]
    exact = fine.reaction("wrist").values[same]
    assert np.abs(run.reaction("wrist").values[first:] - exact).max() < 0.1 * np.abs(exact).max()
