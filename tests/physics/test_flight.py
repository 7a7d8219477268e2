"""Steady flight: trim of level, climbing, gliding, turning flight and hover; derivatives and modes with names."""

import numpy as np
import pytest
from scipy.optimize import fsolve

import cosserat as cs

FORMULATIONS = ("galilean", "floating")
M, G, RHO, S, CHORD, SPAN, V = 10.0, 9.81, 1.225, 1.0, 0.4, 2.5, 25.0
INERTIA = np.diag([1.2, 1.5, 2.5])
PRESSURE = 0.5 * RHO * V**2


def lift(alpha, beta):
    return 0.3 + 5.0 * alpha


def drag(alpha, beta):
    return 0.03 + 0.05 * (0.3 + 5.0 * alpha) ** 2


def plane(throttle=0.5, power=60.0, com=(0, 0, 0), forward=(1, 0, 0)):
    """One rigid body with lift, drag, tail and fin; elevator, aileron, rudder and throttle."""
    R = np.column_stack((forward, np.cross((0, 0, 1), forward), (0, 0, 1)))
    model = cs.Model("plane", gravity=(0, 0, -G), fluid=cs.Fluid(density=RHO))
    body = model.add(cs.RigidBody("body", mass=M, com=com, inertia=R @ INERTIA @ R.T))
    elevator, aileron, rudder = (cs.Parameter(n, 0.0) for n in ("elevator", "aileron", "rudder"))
    model.add(
        cs.Aerodynamics(
            "air", body, area=S, chord=CHORD, span=SPAN, lift=lift, drag=drag, side=lambda a, b: -0.4 * b,
            roll=lambda a, b: -0.08 * b, pitch=lambda a, b: -0.7 * a, yaw=lambda a, b: 0.08 * b,
            rates={"pitch_q": -10.0, "lift_q": 4.0, "roll_p": -0.45, "roll_r": 0.1, "yaw_p": -0.03, "yaw_r": -0.1},
            forward=forward,
        )
    )  # fmt: skip
    model.add(
        cs.Aerodynamics("tail", body, area=S, chord=CHORD, span=SPAN, pitch=-1.1 * elevator, roll=0.2 * aileron,
                        yaw=-0.07 * rudder, forward=forward)
    )  # fmt: skip
    model.add(cs.Thruster("motor", body, power, throttle=throttle, axis=forward))
    return model


CONTROLS = ["motor.throttle", "elevator", "aileron", "rudder"]


def by_hand(climb):
    """Angle of attack, thrust and elevator of a climb."""

    def rest(x):
        alpha, thrust, elevator = x
        L, D = PRESSURE * S * lift(alpha, 0), PRESSURE * S * drag(alpha, 0)
        along = thrust * np.cos(alpha) - D - M * G * np.sin(climb)
        across = L + thrust * np.sin(alpha) - M * G * np.cos(climb)
        return along, across, -0.7 * alpha - 1.1 * elevator

    return fsolve(rest, [0.05, 10.0, 0.0], xtol=1e-13)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("climb", [0.0, 0.1, -0.05])
def test_level_climb_and_descent(climb, formulation):
    found = cs.trim(plane(), CONTROLS, flight=cs.Flight(V, climb=climb), formulation=formulation)
    alpha, thrust, elevator = by_hand(climb)
    assert found.angle_of_attack == pytest.approx(alpha, abs=1e-9)
    assert found.attitude["pitch"] == pytest.approx(alpha + climb, abs=1e-9)
    assert 60 * found.parameters["motor_throttle"] == pytest.approx(thrust, rel=1e-8)
    assert found.parameters["elevator"] == pytest.approx(elevator, abs=1e-9)
    assert max(abs(found.parameters[n]) for n in ("aileron", "rudder")) < 1e-9
    assert abs(found.sideslip) < 1e-9


def test_glide():
    """Without power the path sinks by the ratio of drag to lift."""
    found = cs.trim(plane(throttle=0.0), ["elevator"], flight=cs.Flight(V, climb=None))
    alpha = found.angle_of_attack
    assert found.parameters["climb"] == pytest.approx(-np.arctan(drag(alpha, 0) / lift(alpha, 0)), rel=1e-8)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("flight", [{"climb": None}, {"climb": 0.1, "sideslip": True}])
def test_a_flight_does_not_depend_on_where_north_is(flight, formulation):
    """A glide with three controls, and a climb that may slip with four: both have one more unknown than equations."""
    controls = CONTROLS[1:] if flight["climb"] is None else CONTROLS
    there = np.array([np.cos(0.5), np.sin(0.5), 0.0])
    ahead, aside = (
        cs.trim(plane(forward=f), controls, flight=cs.Flight(V, forward=f, **flight), formulation=formulation)
        for f in ((1.0, 0.0, 0.0), there)
    )
    for name, value in ahead.parameters.items():
        assert aside.parameters[name] == pytest.approx(value, abs=1e-8)
    assert abs(aside.attitude["roll"]) + abs(aside.sideslip) < 1e-8


def test_turn():
    """Bank of a coordinated turn, and a run that stays in it."""
    rate = 0.3
    found = cs.trim(plane(), CONTROLS, flight=cs.Flight(V, turn=rate))
    assert found.attitude["roll"] == pytest.approx(np.arctan(V * rate / G), rel=0.05)
    assert abs(found.sideslip) < 1e-9
    run = cs.simulate(found.model, 0.5, 0.005, start=found.equilibrium)
    assert np.abs(run.position("body").values).max() < 1e-6
    # the same seen from the ground: a circle with the radius V/rate
    R = np.asarray(found.equilibrium.rotation("body"))
    values = {name: found.parameters[name] for name in ("elevator", "aileron", "rudder")}
    flown = cs.Model("flown", gravity=(0, 0, -G), fluid=cs.Fluid(density=RHO))
    flown.add(
        cs.RigidBody("body", mass=M, com=(0, 0, 0), inertia=INERTIA, rotation=R, velocity=(V, 0, 0),
                     angular_velocity=(0, 0, -rate))
    )  # fmt: skip
    for load in plane(throttle=found.parameters["motor_throttle"]).given_state_loads:
        given = load.arguments() | {"place": "body", "up": R[:, 2]}
        given["axis" if isinstance(load, cs.Thruster) else "forward"] = R[:, 0]
        flown.add(type(load)(**given))
    flown.set(**values)
    run = cs.simulate(flown, 2.0, 0.002)
    radius = V / rate
    wanted = [radius * np.sin(2 * rate), -radius * (1 - np.cos(2 * rate)), 0.0]
    np.testing.assert_allclose(run.position("body").values[-1], wanted, atol=2e-3)


def test_a_turn_does_not_depend_on_where_the_craft_is_described():
    here, there = (
        cs.trim(plane(com=com), CONTROLS, flight=cs.Flight(V, turn=0.3)) for com in ((0, 0, 0), (0.3, 30, 5))
    )
    for name, value in here.parameters.items():
        assert there.parameters[name] == pytest.approx(value, abs=1e-8)
    assert there.attitude == pytest.approx(here.attitude, abs=1e-8)
    assert there.angle_of_attack == pytest.approx(here.angle_of_attack, abs=1e-8)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_derivatives_and_modes(formulation):
    found = cs.trim(plane(), CONTROLS, flight=cs.Flight(V), formulation=formulation)
    table = found.derivatives
    alpha = found.angle_of_attack
    turn = PRESSURE * S * SPAN * SPAN / (2 * V)
    # p b/2V and r b/2V about the body's axes, the coefficients with them
    assert float(table.sel(force="L", by="p")) == pytest.approx(-0.45 * turn, rel=1e-6)
    assert float(table.sel(force="N", by="r")) == pytest.approx(-0.1 * turn, rel=1e-6)
    assert float(table.sel(force="M", by="elevator")) == pytest.approx(-1.1 * PRESSURE * S * CHORD, rel=1e-6)
    slope = PRESSURE * S / V * -0.7 * CHORD  # of M by w at constant speed, but for alpha
    assert float(table.sel(force="M", by="w")) == pytest.approx(slope * np.cos(alpha), rel=0.1)
    assert float(table.sel(force="X", by="motor_throttle")) == pytest.approx(60.0, rel=1e-6)
    names = {mode.name for mode in found.modes}
    assert names >= {"phugoid", "short period", "Dutch roll", "roll", "spiral"}
    # the four longitudinal equations by hand, from the table
    c, s = np.cos(alpha), np.sin(alpha)
    row = {f: [float(table.sel(force=f, by=k)) for k in ("u", "w", "q")] for f in ("X", "Z", "M")}
    long = np.array([
        [row["X"][0] / M, row["X"][1] / M, row["X"][2] / M - V * s, -G * c],
        [row["Z"][0] / M, row["Z"][1] / M, row["Z"][2] / M + V * c, -G * s],
        [row["M"][0] / 1.5, row["M"][1] / 1.5, row["M"][2] / 1.5, 0.0],
        [0.0, 0.0, 1.0, 0.0],
    ])  # fmt: skip
    pairs = sorted((e for e in np.linalg.eigvals(long) if e.imag > 0), key=abs)
    for name, value in zip(("phugoid", "short period"), pairs, strict=True):
        assert abs(found.mode(name).eigenvalue - value) < 1e-5 * abs(value)
    assert found.mode("phugoid").frequency == pytest.approx(np.sqrt(2) * G / V, rel=0.3)  # Lanchester, roughly
    assert found.mode("roll").eigenvalue.real == pytest.approx(-0.45 * turn / 1.2, rel=0.1)
    assert found.mode("short period").frequency > 5 * found.mode("phugoid").frequency
    # rows of A by hand: heading and displacement follow, u' has X_u/m and -g cos(pitch)
    A = found.A
    assert A.shape == (12, 12)
    assert A[0, 0] == pytest.approx(float(table.sel(force="X", by="u")) / M, rel=1e-5)
    assert A[0, 7] == pytest.approx(-G * np.cos(found.attitude["pitch"]), rel=1e-6)
    assert A[3, 3] == pytest.approx(float(table.sel(force="L", by="p")) / 1.2, rel=1e-6)
    assert A[4, 2] == pytest.approx(float(table.sel(force="M", by="w")) / 1.5, rel=1e-5)
    assert found.B[4, 1] == pytest.approx(float(table.sel(force="M", by="elevator")) / 1.5, rel=1e-6)


def brake(t, frame, twist, parameters):
    return np.array([-(0.3 + 2.0 * t) * twist[0], 0.0, 0.0, 0.0, 0.0, 0.0])


def test_derivatives_are_those_at_the_time_of_the_flight():
    """Of a law that changes with time, and of an input that does: as in the linear model."""
    craft = plane()
    craft.add(cs.StateLoad("brake", "body", brake))
    found = cs.trim(craft, CONTROLS, flight=cs.Flight(V), time=2.0)
    slope = float(found.derivatives.sel(force="X", by="u")) / M
    assert slope == pytest.approx(float(found.A[0, 0]), rel=1e-5)
    assert slope < -4.3 / M


def hat(a):
    return np.cross(np.eye(3), a)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("turn", [0.0, 0.3, -0.5])
def test_states_of_a_turn_obey_the_equations_of_flight(turn, formulation):
    """m (v' + w × v) = F + m g in body axes: where it flies does not matter, though the frame goes round."""
    found = cs.trim(plane(), CONTROLS, flight=cs.Flight(V, turn=turn, climb=0.05), formulation=formulation)
    table = found.derivatives.sel(by=["u", "v", "w", "p", "q", "r"]).values
    roll, pitch = found.attitude["roll"], found.attitude["pitch"]
    down = np.array([-np.sin(pitch), np.sin(roll) * np.cos(pitch), np.cos(roll) * np.cos(pitch)])
    alpha, beta = found.angle_of_attack, found.sideslip
    v = V * np.array([np.cos(alpha) * np.cos(beta), np.sin(beta), np.sin(alpha) * np.cos(beta)])
    w, J = turn * down, INERTIA
    wanted = np.zeros((9, 12))
    wanted[:3, :6] = table[:3] / M + np.hstack((-hat(w), hat(v)))
    wanted[:3, 6:9] = G * hat(down)
    wanted[3:6, :3] = np.linalg.solve(J, table[3:, :3])
    wanted[3:6, 3:6] = np.linalg.solve(J, table[3:, 3:] - hat(w) @ J + hat(J @ w))
    wanted[6:, 3:6], wanted[6:, 6:9] = np.eye(3), -hat(w)
    np.testing.assert_allclose(found.A[:9], wanted, atol=1e-4 * np.abs(wanted).max())
    np.testing.assert_allclose(found.A[9:, 9:], -turn * hat((0, 0, 1.0)), atol=1e-5)  # seen from the path's axes
    assert all(np.abs(mode.states[:9]).max() > 1e-6 for mode in found.modes)  # no circle beside the first is a mode


def quadrotor(across=0.013):
    """REFERENCES: m = 1.2, k_T = 1e-5, drag 0.1 v^2."""
    model = cs.Model("quadrotor", gravity=(0, 0, -G), fluid=cs.Fluid(density=1.0))
    body = model.add(cs.RigidBody("body", mass=1.2, com=(0, 0, 0), inertia=np.diag([0.012, across, 0.02])))
    for k in range(4):
        side = 1 if k % 2 == 0 else -1
        hub = body.at((0.2 * np.cos(k * np.pi / 2), 0.2 * np.sin(k * np.pi / 2), 0))
        model.add(cs.Rotor(f"rotor{k}", hub, 1e-5, 2e-7, speed=side * 500.0, direction=side))
    model.add(cs.Aerodynamics("drag", body, area=0.2, drag=1.0))
    return model


def test_quadrotor_in_hover_and_at_8_metres_a_second():
    controls = [f"rotor{k}.speed" for k in range(4)]
    hover = cs.trim(quadrotor(), controls, flight=cs.Flight(0.0))
    np.testing.assert_allclose(np.abs(list(hover.parameters.values())), 542.4942396, rtol=1e-10)
    assert (hover.stable, hover.neutral, hover.modes) == (True, 12, ())
    assert repr(hover).startswith("<Trim: rotor0_speed = 542.494, ")
    found = cs.trim(quadrotor(), controls, flight=cs.Flight(8.0))
    assert -found.attitude["pitch"] == pytest.approx(0.49796488, abs=1e-8)


def test_hover_without_air_is_neutral():
    """Its twelve zero eigenvalues come in chains of four, which rounding splits by its fourth root."""
    model = cs.Model("drone", gravity=(0, 0, -9.81))
    body = model.add(cs.RigidBody.box("body", size=(0.3, 0.3, 0.1), mass=1.5))
    for k, (x, y) in enumerate([(0.2, 0.2), (-0.2, 0.2), (-0.2, -0.2), (0.2, -0.2)]):
        model.add(cs.Rotor(f"r{k}", body.at((x, y, 0)), 1e-5, 1e-7, speed=500.0, direction=(-1) ** k))
    hover = cs.trim(model, [f"r{k}.speed" for k in range(4)], flight=cs.Flight(0.0))
    assert (hover.growth_rate, hover.neutral, hover.modes) == (0.0, 12, ())


@pytest.mark.parametrize("speed", [5.0, 0.0])
def test_a_quadrotor_in_a_turn_is_neutral(speed):
    """Its eigenvalues of the turn, +-i Omega, come in chains, which rounding splits as it does those of zeros."""
    found = cs.trim(quadrotor(0.012), [f"rotor{k}.speed" for k in range(4)], flight=cs.Flight(speed, turn=0.5))
    assert (found.growth_rate, found.stable) == (0.0, True)
    assert np.sum(np.abs(np.abs(found.eigenvalues.imag) - 0.5) < 1e-3) >= 4


def test_limits_hold_or_are_named():
    with pytest.raises(cs.CosseratError, match="at its limit: 'motor_throttle'"):
        cs.trim(plane(), CONTROLS, flight=cs.Flight(V), limits={"motor.throttle": (0.0, 0.05)})
    free = cs.trim(plane(), CONTROLS, flight=cs.Flight(V), limits={"elevator": (-0.5, 0.5)})
    assert abs(free.parameters["elevator"]) < 0.5


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cs.Flight(-1.0), ["speed", "negative"]),
        (lambda: cs.Flight(cs.Parameter("v", 20.0)), ["speed", "parameter 'v'"]),
        (lambda: cs.Flight(1.0, climb=None, turn=0.1), ["climb"]),
        (lambda: cs.Flight(1.0, forward=(0, 0, 1)), ["perpendicular"]),
        (lambda: cs.trim(plane(), CONTROLS, flight=3.0), ["Flight"]),
        (lambda: cs.Flight(1.0, climb=3.0), ["climb", "pi/2"]),
        (lambda: cs.trim(plane(), 3, flight=cs.Flight(V)), ["unknowns", "names"]),
        (lambda: cs.trim(plane(), {"elevator": "up"}, flight=cs.Flight(V)), ["first guess", "elevator"]),
        (lambda: cs.trim(plane(), CONTROLS, flight=cs.Flight(V), limits=3), ["limits", "dict"]),
        (lambda: cs.trim(plane(), [], flight=cs.Flight(V)), ["no steady flight at 25 m/s was found: a "]),
        (lambda: cs.trim(plane(), ["flaps"], flight=cs.Flight(V)), ["flaps", "parameters", "'motor.throttle'"]),
        (lambda: cs.trim(plane(), CONTROLS, flight=cs.Flight(V, body="wing")), ["wing", "bodies"]),
        (lambda: cs.trim(plane(), CONTROLS, flight=cs.Flight(V), limits={"flaps": (0, 1)}), ["flaps", "controls"]),
        (lambda: cs.trim(plane(), CONTROLS, limits={"elevator": (0, 1)}), ["limits", "flight"]),
        (lambda: cs.trim(plane(), ["elevator"], flight=cs.Flight(V)), ["no steady flight", "unbalanced"]),
    ],
)
def test_bad_flights_are_located(call, words):
    with pytest.raises(cs.CosseratError) as error:
        call()
    for word in words:
        assert word in str(error.value)
