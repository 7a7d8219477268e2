"""Rockets: mass that burns away, thrust by exhaust speed, jet damping, burn-out."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cosserat as cs


def rocket(gravity=(0, 0, 0), mass=2.0, rate=0.5, exhaust=2000.0, spin=None, **more):
    model = cs.Model("rocket", gravity=gravity)
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=np.eye(3), angular_velocity=spin))
    more = {"direction": (0, 0, 1), "up": (1, 0, 0)} | more
    fuel = model.add(cs.Propellant("fuel", body, mass, rate, exhaust, **more))
    return model, fuel


SCHEMES = pytest.mark.parametrize(
    "options",
    [
        {},
        {"integrator": "energy-momentum"},
        {"formulation": "floating"},
        {"formulation": "floating", "integrator": "runge-kutta"},
    ],
)


@SCHEMES
def test_tsiolkovsky_in_vacuum(options):
    """c ln((m0 + mp)/m0) after burn-out, to 1e-8; the burn-out is inside a step."""
    model, fuel = rocket(rate=0.503)
    run = cs.simulate(model, 5.0, 5e-4, every=100, **options)
    assert run.status.ok
    assert float(run.velocity("body")[-1, 2]) == pytest.approx(2000 * np.log(3.0), rel=1e-8)
    assert fuel.burnout(5.0) == pytest.approx(2.0 / 0.503, rel=1e-14)
    speed = 2000 * np.log(3.0 / (3.0 - np.minimum(0.503 * run.time, 2.0)))
    np.testing.assert_allclose(run.velocity("body")[:, 2], speed, rtol=1e-6, atol=1e-6)


@SCHEMES
def test_order_of_steps(options):
    errors = []
    for h in (0.02, 0.01):
        run = cs.simulate(rocket(mass=2.0, rate="0.4 + 0.1*t")[0], 2.0, h, **options)
        left = 3.0 - 0.4 * 2 - 0.05 * 4
        errors.append(abs(float(run.velocity("body")[-1, 2]) - 2000 * np.log(3.0 / left)))
    if options.get("integrator") == "runge-kutta":
        assert max(errors) < 1e-6
    else:
        assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


@SCHEMES
def test_ascent_against_gravity_and_its_energy(options):
    """v = c ln(m0/m) - g t; what burns takes its energy along, and the books close."""
    run = cs.simulate(rocket(gravity=(0, 0, -9.81))[0], 3.9, 0.005, **options)
    assert run.status.ok
    assert float(run.velocity("body")[-1, 2]) == pytest.approx(2000 * np.log(3.0 / 1.05) - 9.81 * 3.9, rel=1e-5)
    assert np.abs(run.energy["balance"].values).max() < 2e-5 * run.energy["kinetic"].values.max()


@SCHEMES
def test_work_up_to_a_burn_out_within_a_step(options):
    """In vacuum the work of the thrust, less what burns takes along, is m0 v^2/2 of what is left."""
    errors = []
    for h in (0.004, 0.002):
        run = cs.simulate(rocket(rate=0.803, exhaust=20.0)[0], 3.0, h, **options)
        errors.append(float(run.energy["work"][-1]) / (0.5 * (20.0 * np.log(3.0)) ** 2) - 1.0)
    assert max(np.abs(errors)) < 1e-6
    assert abs(errors[1]) < 0.3 * abs(errors[0])  # second order


@SCHEMES
def test_jet_damping(options):
    """J w' = -(J' + b l^2) w: w = w0 (J/J0)^((b l^2 - k)/k) with J = J0 - k t."""
    b, l, own = 0.5, 0.8, 0.6
    model, _ = rocket(exhaust=0.0, spin=(1.5, 0, 0), nozzle=(0, 0, -l))
    plain = cs.simulate(model, 3.0, 0.002, **options).angular_velocity("body").values[-1, 0]
    assert plain == pytest.approx(1.5 * np.exp(-b * l**2 * 3.0), rel=1e-6)
    model = cs.Model("rocket")
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=np.eye(3), angular_velocity=(1.5, 0, 0)))
    more = {"direction": (0, 0, 1), "up": (1, 0, 0), "inertia": (own, own, 0.1)}
    model.add(cs.Propellant("fuel", body, 2.0, b, 0.0, nozzle=(0, 0, -l), **more))
    k = own * b / 2.0
    J0, J = 1.0 + own, 1.0 + own - 3.0 * k
    wanted = 1.5 * (J / J0) ** ((b * l**2 - k) / k)
    found = cs.simulate(model, 3.0, 0.002, **options).angular_velocity("body").values[-1, 0]
    assert found == pytest.approx(wanted, rel=1e-6)


@SCHEMES
def test_a_tumbling_rocket_against_an_independent_ode(options):
    """Plane motion with an offset centre that moves as it burns: Newton-Euler about the shell, integrated by SciPy."""
    mp, b, c, l = 2.0, 0.5, 30.0, 0.7
    first, last = np.array([0.3, 0.0, 0.0]), np.array([-0.2, 0.0, 0.0])
    model = cs.Model("rocket")
    spin = (0, 0, 0.6)
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=0.5 * np.eye(3), angular_velocity=spin))
    model.add(
        cs.Propellant("fuel", body, mp, b, c, nozzle=(-l, 0.05, 0), direction=(1, 0, 0), centre=(first, last),
                      inertia=(0.1, 0.3, 0.3))
    )  # fmt: skip
    h = 5e-4 if options.get("integrator") == "energy-momentum" else 1e-3
    run = cs.simulate(model, 3.0, h, every=100, **options)

    def rate(t, y):
        f, df = 1 - b * t / mp, -b / mp
        m = mp * f
        x, dx = last[0] + f * (first - last)[0], df * (first - last)[0]
        S, dS = m * x, mp * df * x + m * dx
        J, dJ = 0.5 + 0.3 * f + m * x * x, 0.3 * df + mp * df * x * x + 2 * m * x * dx
        M = 1.0 + m
        _, _, theta, u, v, w = y  # velocities of the shell's centre in its axes
        r = np.array([-l, 0.05])
        # force on the shell's point, moments about it; body axes
        fx = b * c + 2 * w * (b * r[1])
        fy = -2 * w * (dS + b * r[0])
        tau = -r[1] * b * c - dJ * w - b * (r @ r) * w
        # M (u' - w v) - S w^2 = fx; M (v' + w u) + S w' = fy; J w' + S (v' + w u) = tau
        du = (fx + S * w * w) / M + w * v
        a = np.linalg.solve([[M, S], [S, J]], [fy, tau])
        co, si = np.cos(theta), np.sin(theta)
        return [co * u - si * v, si * u + co * v, w, du, a[0] - w * u, a[1]]

    exact = solve_ivp(rate, (0, 3), [0, 0, 0, 0, 0, 0.6], rtol=1e-11, atol=1e-12).y[:, -1]
    np.testing.assert_allclose(run.position("body").values[-1, :2], exact[:2], rtol=1e-5, atol=1e-6)
    assert float(run.angular_velocity("body")[-1, 2]) == pytest.approx(exact[5], rel=1e-5)


@pytest.mark.parametrize(
    "options",
    [{}, {"integrator": "energy-momentum"}, {"formulation": "floating"},
     {"formulation": "floating", "integrator": "runge-kutta"}],
)  # fmt: skip
def test_exercise_9_with_drag_against_an_independent_ode(options):
    """[Lerbet17] exercise 9: a square of side 2 l with forces along its own j at A and D, drag at the middle of BC."""
    l, m, drag = 0.5, 2.0, 0.4
    push = (lambda t: 3.0 + np.sin(t), lambda t: 2.0 * np.cos(2 * t))
    model = cs.Model("square", fluid=cs.Fluid(density=1.0))
    I3 = m * (2 * l) ** 2 / 6
    body = model.add(cs.RigidBody("square", mass=m, com=(0, 0, 0), inertia=np.diag([I3 / 2, I3 / 2, I3])))
    for name, at, force in (("A", (-l, l, 0), "3 + sin(t)"), ("D", (l, l, 0), "2*cos(2*t)")):
        model.add(cs.Thruster(name, body.at(at), 1.0, throttle=force, limits=(-100, 100), axis=(0, 1, 0), up=(0, 0, 1)))
    model.add(cs.Aerodynamics("drag", body.at((0, -l, 0)), area=2 * drag, drag=1.0))

    def rate(t, y):
        _, _, theta, u, v, w = y
        c, s = np.cos(theta), np.sin(theta)
        R = np.array([[c, -s], [s, c]])
        FA, FD = push[0](t), push[1](t)
        at = R @ [0, -l]
        vel = np.array([u - w * at[1], v + w * at[0]])
        D = -drag * np.linalg.norm(vel) * vel
        F = R @ [0, FA + FD] + D
        tau = -l * FA + l * FD + at[0] * D[1] - at[1] * D[0]
        return [u, v, w, *(F / m), tau / I3]

    exact = solve_ivp(rate, (0, 3), np.zeros(6), rtol=1e-11, atol=1e-12).y[:, -1]

    def end(step):
        run = cs.simulate(model, 3.0, step, **options)
        return np.append(run.position("square").values[-1, :2], run.angular_velocity("square").values[-1, 2])

    exact, long, short = exact[[0, 1, 5]], end(2e-3), end(1e-3)
    if "integrator" in options and options["integrator"] == "runge-kutta":
        np.testing.assert_allclose(long, exact, rtol=1e-6)
        return
    np.testing.assert_allclose((long - exact) / (short - exact), 4.0, rtol=2e-3)
    np.testing.assert_allclose((4.0 * short - long) / 3.0, exact, rtol=1e-6)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_exercise_12_flutter_by_the_engine(formulation):
    """Two equal bars with springs k and an engine at the end: flutter at P l/k = (18 - 2 sqrt 7)/5, no divergence."""
    model = cs.Model("rocket")
    P = cs.Parameter("P", 1.0)
    low = model.add(cs.RigidBody.bar("low", (0, 0, 0), (1, 0, 0), mass=1.0))
    high = model.add(cs.RigidBody.bar("high", (1, 0, 0), (2, 0, 0), mass=1.0))
    model.add(cs.Revolute("root", cs.GROUND, low.at((0, 0, 0)), axis=(0, 0, 1), stiffness=1.0))
    model.add(cs.Revolute("knee", low.at((1, 0, 0)), high.at((1, 0, 0)), axis=(0, 0, 1), stiffness=1.0))
    model.add(cs.Thruster("engine", high.at((2, 0, 0)), P, axis=(-1, 0, 0)))
    found = cs.stability(model, "P", np.linspace(0.5, 4.0, 8), formulation=formulation).critical
    assert [c.kind for c in found] == ["flutter"]
    assert found[0].value == pytest.approx((18 - 2 * np.sqrt(7)) / 5, rel=1e-7)
    assert (18 - 2 * np.sqrt(7)) / 5 == pytest.approx(2.5417, abs=5e-5)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rate": -0.1}, ["fuel", "rate", "does not come back"]),
        ({"rate": "0.1 - t"}, ["rate", "does not come back"]),
        ({"mass": 0.0}, ["mass", "greater than 0"]),
        ({"exhaust": -1.0}, ["exhaust", "negative"]),
        ({"inertia": (-1.0, 0.0, 0.0)}, ["inertia", "not negative"]),
        ({"gimbal": 0.1}, ["gimbal", "pair"]),
        ({"centre": (1, 2)}, ["centre"]),
    ],
)
def test_bad_propellant_is_located(arguments, words):
    with pytest.raises(cs.CosseratError) as error:
        rocket(**arguments)
    for word in words:
        assert word in str(error.value)


def test_model_files_and_stored_runs(tmp_path):
    model, _ = rocket(rate="0.4 + 0.1*t", centre=((0, 0, 0.1), (0, 0, -0.2)), gimbal=("0.01*t", 0.0))
    cs.save_model(model, tmp_path / "rocket.yaml")
    assert cs.load_model(tmp_path / "rocket.yaml") == model
    run = cs.simulate(model, 0.5, 0.01)
    run.save(tmp_path / "rocket.nc")
    again = cs.load_run(tmp_path / "rocket.nc")
    np.testing.assert_array_equal(run.energy["total"], again.energy["total"])


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_analyses_take_the_mass_of_their_time(formulation):
    """A rocket on a spring: its rest and its frequency, full, half empty and empty."""
    model = cs.Model("hung", gravity=(0, 0, -9.81))
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(0, 0, 1), at=(0, 0, 0), stiffness=500.0))
    model.add(cs.Propellant("fuel", body, 2.0, 0.5, 0.0, direction=(0, 0, 1), up=(1, 0, 0)))
    for time, mass in ((0.0, 3.0), (2.0, 2.0), (5.0, 1.0)):
        rest = cs.equilibrium(model, time=time, formulation=formulation)
        assert float(rest.coordinate("rail")) == pytest.approx(-mass * 9.81 / 500.0, rel=1e-10)
        found = cs.modes(model, 1, about=rest, time=time, formulation=formulation).frequencies[0]
        assert found == pytest.approx(np.sqrt(500 / mass) / (2 * np.pi))


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_a_run_is_its_two_halves_and_steps_may_adapt(formulation):
    model, _ = rocket(rate=0.503)
    first = cs.simulate(model, 2.0, 0.01, formulation=formulation)
    second = cs.simulate(model, 3.0, 0.01, start=first, formulation=formulation)
    whole = cs.simulate(model, 5.0, 0.01, formulation=formulation)
    assert float(second.velocity("body")[-1, 2]) == pytest.approx(float(whole.velocity("body")[-1, 2]), rel=1e-11)
    adaptive = cs.simulate(model, 5.0, tolerance=1e-3, formulation=formulation)
    assert adaptive.status.ok
    assert float(adaptive.velocity("body")[-1, 2]) == pytest.approx(2000 * np.log(3.0), rel=1e-5)


def test_a_uniform_velocity_changes_nothing():
    spins = []
    for speed in (0.0, 1000.0):
        model = cs.Model("rocket")
        body = cs.RigidBody(
            "body", mass=1.0, com=(0, 0, 0), inertia=np.diag([0.5, 0.8, 1.0]), velocity=(speed, 0, 0),
            angular_velocity=(0.3, 1.0, 0.2),
        )  # fmt: skip
        model.add(body)
        model.add(cs.Propellant("fuel", body, 2.0, 0.3, 0.0, inertia=(0.3, 0.2, 0.4), centre=(0.1, 0, 0.2)))
        spins.append(cs.simulate(model, 2.0, 0.005).angular_velocity("body").values[-1])
    np.testing.assert_allclose(spins[0], spins[1], atol=2e-6)  # after 2 km, what the iteration leaves


def test_a_rate_by_a_formula_is_quick():
    """The integral of the rate is kept: a sample costs no more than a few evaluations."""
    _, fuel = rocket(rate="0.2 + 0.1*sin(t)", mass=3.0)
    t = np.linspace(0.0, 12.0, 50)
    np.testing.assert_allclose(fuel.burnt(t), np.minimum(0.2 * t + 0.1 * (1 - np.cos(t)), 3.0), rtol=1e-12, atol=1e-14)
    assert fuel.burnout(20.0) == pytest.approx(13.98, abs=1.0)
    kept = fuel._summed
    fuel.burnt([3.3])
    assert fuel._summed is kept


def test_a_rocket_with_a_weld_and_a_boom_in_both_formulations():
    """A stage welded to another and an elastic boom: motion, energies and the force in the weld."""
    model = cs.Model("rocket", gravity=(0, 0, -9.81))
    low = model.add(cs.RigidBody("low", mass=1.0, com=(0, 0, 0), inertia=0.2 * np.eye(3)))
    high = model.add(cs.RigidBody("high", mass=0.5, com=(0, 0, 1.0), inertia=0.1 * np.eye(3)))
    model.add(cs.Fixed("weld", low, high, at=(0, 0, 0.5)))
    section = cs.Section(stiffness=[1e5, 1e5, 1e5, 20.0, 30.0, 30.0], mass=[0.1, 0.1, 0.1, 1e-4, 1e-4, 1e-4])
    boom = model.add(cs.Beam("boom", points=[(0, 0, 1), (0.8, 0, 1)], section=section, elements=4))
    model.add(cs.Fixed("root", high.at((0, 0, 1)), boom.start))
    model.add(
        cs.Propellant("fuel", low, 1.5, 0.5, 80.0, nozzle=(0.01, 0, -0.3), direction=(0, 0, 1), up=(1, 0, 0),
                      centre=((0, 0, -0.1), (0, 0, -0.3)), inertia=(0.05, 0.05, 0.02))
    )  # fmt: skip
    runs = [cs.simulate(model, 1.0, 0.001), cs.simulate(model, 1.0, 0.001, formulation="floating", modes=12)]
    for read, part in (
        (lambda run: run.position("boom.end").values, 1e-3),
        (lambda run: run.energy["kinetic"].values, 1e-3),
        (lambda run: run.energy["potential"].values, 1e-3),
        (lambda run: run.reaction("weld").values[100:, :3], 0.02),
    ):
        a, b = (read(run) for run in runs)
        assert np.max(np.abs(a - b)) < part * np.max(np.abs(a))
    for run in runs:
        assert np.max(np.abs(run.energy["balance"])) < 1e-4 * np.max(run.energy["kinetic"])


def test_energies_of_modes_that_carry_propellant():
    """A small motion of a beam whose tip burns away: apart by what is left of second order in it."""
    model = cs.Model("tip", gravity=(0, 0, -0.0981))
    section = cs.Section(stiffness=[1e5, 1e5, 1e5, 200.0, 300.0, 300.0], mass=[0.1, 0.1, 0.1, 1e-4, 1e-4, 1e-4])
    beam = model.add(cs.Beam("beam", points=[(0, 0, 1), (0.8, 0, 1)], section=section, elements=6))
    model.add(cs.Fixed("root", cs.GROUND, beam.start))
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0.8, 0, 1), inertia=0.05 * np.eye(3)))
    model.add(cs.Fixed("weld", beam.end, body))
    model.add(
        cs.Propellant("fuel", body, 2.0, 0.5, 0.2, nozzle=(0.8, 0, 0.9), direction=(0, 0, 1), up=(1, 0, 0),
                      centre=((0.8, 0, 1.1), (0.8, 0, 0.95)), inertia=(0.1, 0.3, 0.3))
    )  # fmt: skip
    frames = {"formulation": "floating", "modes": 30}
    one, other = (cs.simulate(model, 1.0, 0.002, newton_tolerance=1e-12, **how).energy for how in ({}, frames))
    for word in ("kinetic", "strain", "potential", "work"):
        a, b = one[word].values, other[word].values
        assert np.abs(a - b).max() < 2e-6 * np.ptp(a)


@pytest.mark.parametrize(
    "options",
    [{}, {"integrator": "energy-momentum"}, {"formulation": "floating"},
     {"formulation": "floating", "integrator": "runge-kutta"}],
)  # fmt: skip
def test_burn_out_within_a_step_leaves_no_spike(options):
    # velocity and balance of energy at every stored time, those beside the end of the fuel (4.0816 s) too
    model = cs.Model("rocket", gravity=(0, 0, -9.81))
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Propellant("fuel", body, mass=2.0, rate=0.49, exhaust=200.0))
    wrong, astray = [], []
    for step in (0.02, 0.01):
        run = cs.simulate(model, 5.0, step, **options)
        exact = 200.0 * np.log(3.0 / np.maximum(3.0 - 0.49 * run.time, 1.0))
        wrong.append(np.abs(run.velocity("body").values[:, 0] - exact).max())
        astray.append(np.abs(run.energy["balance"].values).max())
    assert wrong[1] < 4e-4
    if options.get("integrator") == "energy-momentum":
        assert max(astray) < 1e-6
    else:
        assert astray[1] < 0.11
        assert astray[0] / astray[1] == pytest.approx(4.0, rel=2e-2)
