"""Thrusters and rotors: closed forms in both formulations, inputs of controllers and linear models, bad input."""

import numpy as np
import pytest

import cosserat as cs

FORMULATIONS = ("galilean", "floating")
G = 9.81


def sled(**thruster):
    model = cs.Model("sled")
    body = model.add(cs.RigidBody("sled", mass=2, com=(0, 0, 0), inertia=np.diag([0.3, 0.4, 0.5])))
    model.add(cs.Thruster("motor", body.at((-1, 0, 0)), 6.0, **thruster))
    return model


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_throttle_is_a_function_of_time(formulation):
    run = cs.simulate(sled(throttle="0.5*t"), 1.0, 0.01, formulation=formulation)
    assert run.status.ok
    assert float(run.velocity("sled")[-1, 0]) == pytest.approx(6.0 / 2 * 0.25, rel=1e-4)
    assert float(run.energy["work"][-1]) == pytest.approx(0.5 * 2 * 0.75**2, rel=1e-3)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_throttle_is_cut_off(formulation):
    run = cs.simulate(sled(throttle=3.0, limits=(0.0, 0.8)), 1.0, 0.01, formulation=formulation)
    assert float(run.velocity("sled")[-1, 0]) == pytest.approx(0.8 * 3.0, rel=1e-12)


def test_thrust_lags():
    run = cs.simulate(sled(lag=0.5, level=0.0), 2.0, 0.01, integrator="generalized-alpha")
    assert float(run.velocity("sled")[-1, 0]) == pytest.approx(3.0 * (2 - 0.5 * (1 - np.exp(-4))), rel=1e-4)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_gimbal_turns_the_force(formulation):
    """Pitch a and yaw b: (cos a cos b, cos a sin b, sin a), and the moment of the place behind the centre."""
    a, b = 0.3, -0.2
    run = cs.simulate(sled(gimbal=(a, b)), 1e-3, 1e-3, formulation=formulation)
    force = 6.0 * np.array([np.cos(a) * np.cos(b), np.cos(a) * np.sin(b), np.sin(a)])
    np.testing.assert_allclose(run.acceleration("sled")[0], force / 2, rtol=1e-9)
    turned = np.cross([-1.0, 0, 0], force) / [0.3, 0.4, 0.5]
    np.testing.assert_allclose(run.angular_acceleration("sled")[0], turned, rtol=1e-9, atol=1e-12)
    limited = cs.simulate(sled(gimbal=(a, b), gimbal_limit=0.1), 1e-3, 1e-3, formulation=formulation)
    ratio = float(limited.acceleration("sled")[0, 2] / limited.acceleration("sled")[0, 0])
    assert ratio == pytest.approx(np.tan(0.1) / np.cos(0.1), rel=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_controllers_set_inputs(formulation):
    def pilot(t, state):
        return {"motor.throttle": 1.0 if t < 0.5 else 0.25, "motor.yaw": 0.0}

    pilot.period = 0.1
    run = cs.simulate(sled(), 1.0, 0.01, formulation=formulation, controller=pilot)
    assert run.status.ok
    assert float(run.velocity("sled")[-1, 0]) == pytest.approx(3.0 * (0.5 + 0.5 * 0.25), rel=1e-9)


def test_a_lag_under_a_controller_is_of_second_order():
    """Exact solution piece by piece: the throttle steps at every call, the thrust follows."""
    lag, period = 0.3, 0.1

    def command(t):
        return 0.5 + 0.4 * np.sin(3.0 * t)

    def pilot(t, state):
        return {"motor.throttle": command(t)}

    pilot.period = period
    level, v, x = 0.0, 0.0, 0.0
    for k in range(10):
        u, d = command(k * period), level - command(k * period)
        e = 1 - np.exp(-period / lag)
        x += v * period + 3.0 * (0.5 * u * period**2 + d * lag * (period - lag * e))
        v += 3.0 * (u * period + d * lag * e)
        level = u + d * (1 - e)
    errors = []
    for h in (0.02, 0.01):
        run = cs.simulate(sled(lag=lag, level=0.0), 1.0, h, controller=pilot)
        errors.append(abs(float(run.position("sled")[-1, 0]) - x))
        assert abs(float(run.velocity("sled")[-1, 0]) - v) < 2e-3 * v
    assert errors[1] < 1e-3 * x
    assert errors[0] / errors[1] > 3.0


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_adaptive_steps_follow_a_lag_whose_input_jumps(formulation):
    """The first step after the jump went on with the rate before it: 180 times the promise of the tolerance."""
    lag, jump, tolerance = 0.3, 0.3137, 1e-6
    model = sled(lag=lag, level=0.0, throttle=lambda t: np.where(t < jump, 0.2, 0.9))
    run = cs.simulate(model, 1.0, tolerance=tolerance, formulation=formulation)
    speed = 3.0 * sum(u * (t - lag * (1.0 - np.exp(-t / lag))) for u, t in ((0.2, 1.0), (0.7, 1.0 - jump)))
    assert float(run.velocity("sled")[-1, 0]) == pytest.approx(speed, abs=tolerance * len(run.time) / 100)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_linear_models_see_inputs(formulation):
    model = sled(throttle=0.0, limits=(-1, 1))
    linear = cs.linearize(model, ["motor.throttle"], ["sled.vx"], about="reference", formulation=formulation)
    assert linear.transfer(2.0)[0, 0] == pytest.approx(6.0 / 2 / 2.0, rel=1e-9)
    assert linear.inputs == ("motor.throttle",)


def test_a_lag_is_a_state_of_linear_models():
    model = sled(throttle=0.0, limits=(-1, 1), lag=0.5)
    linear = cs.linearize(model, ["motor.throttle"], ["sled.vx"], about="reference")
    assert "motor.level" in linear.states
    assert linear.transfer(2.0)[0, 0] == pytest.approx(3.0 / 2.0 / (1 + 0.5 * 2.0), rel=1e-9)


def quadrotor(speed=542.4942396, arm=0.2, inertia=0.0, lag=0.0, rotation=None, com=(0, 0, 0), given=None):
    """Four rotors on a cross; rotors 0 and 2 along x turn left, 1 and 3 along y right."""
    model = cs.Model("quadrotor", gravity=(0, 0, -G))
    body = model.add(cs.RigidBody("body", mass=1.2, com=com, inertia=np.diag([0.012, 0.013, 0.02])))
    for k in range(4):
        side = 1 if k % 2 == 0 else -1
        hub = body.at((arm * np.cos(k * np.pi / 2), arm * np.sin(k * np.pi / 2), 0))
        own = side * (speed if given is None else given[k])
        model.add(cs.Rotor(f"rotor{k}", hub, 1e-5, 2e-7, speed=own, direction=side, inertia=inertia, lag=lag))
    return model


def test_hover_is_exact():
    """REFERENCES: m = 1.2, k_T = 1e-5: sqrt(1.2 * 9.81/(4e-5)) rad/s."""
    found = cs.trim(quadrotor(speed=cs.Parameter("W", 500.0)), ["W"])
    assert found.parameters["W"] == pytest.approx(np.sqrt(1.2 * G / 4e-5), rel=1e-12)
    assert found.parameters["W"] == pytest.approx(542.4942396, abs=5e-8)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_linear_quadrotor_is_the_hand_derivation(formulation):
    """x'' = g theta, y'' = -g phi, z'' = 2 k W/m dW, phi'' = 2 k W l (dW1 - dW3)/I and so on, yaw by torques."""
    W, k, q, l, m = np.sqrt(1.2 * G / 4e-5), 1e-5, 2e-7, 0.2, 1.2
    inputs = [f"rotor{i}.speed" for i in range(4)]
    outputs = ["body.vx", "body.vy", "body.vz", "body.wx", "body.wy", "body.wz"]
    linear = cs.linearize(quadrotor(W), inputs, outputs, about="reference", formulation=formulation)
    s = 0.7 + 0.4j
    T = linear.transfer(s)
    side = np.array([1, -1, 1, -1])  # d(thrust)/d(speed) = 2 k W side of the signed speed
    turn = np.array([[0, 1, 0, -1], [-1, 0, 1, 0]]) * 2 * k * W * l * side
    phi, theta = turn[0] / 0.012 / s, turn[1] / 0.013 / s
    yaw = -2 * q * W * np.ones(4) / 0.02 / s
    rise = 2 * k * W / m * side / s
    hand = np.array([G * theta / s / s, -G * phi / s / s, rise, phi, theta, yaw])
    np.testing.assert_allclose(T, hand, rtol=1e-8, atol=1e-10 * np.abs(hand).max())


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_gyroscopic_moment_of_a_spinning_rotor(formulation):
    """A rotor whose speed is an input does what a disc on a driven hinge does; the craft's inertia has the disc's."""
    J, W = 2e-3, 300.0
    disc_inertia, own = np.diag([J / 2, J / 2, J]), np.diag([0.1, 0.2, 0.3])

    def craft(inertia, mass):
        model = cs.Model("craft")
        model.add(cs.RigidBody("body", mass=mass, com=(0, 0, 0), inertia=inertia, angular_velocity=(0.4, -0.3, 0.2)))
        return model

    whole, parts = craft(own + disc_inertia, 1.1), craft(own, 1.0)
    whole.add(cs.Rotor("rotor", "body", 0.0, speed=W, inertia=J))
    disc = parts.add(cs.RigidBody("disc", mass=0.1, com=(0, 0, 0), inertia=disc_inertia))
    parts.add(cs.Revolute("shaft", "body", disc, axis=(0, 0, 1), motion=lambda t: W * t))
    # nodes turn by 0.3 rad a step where the disc is a body: relative coordinates have no such error
    runs = [cs.simulate(whole, 0.5, 0.001, formulation=formulation)]
    runs.append(cs.simulate(parts, 0.5, 0.001, formulation="floating"))
    w = [run.angular_velocity("body", frame="body").values[-1] for run in runs]
    np.testing.assert_allclose(w[0], w[1], atol=2e-5)
    assert abs(w[0] - [0.4, -0.3, 0.2]).max() > 0.1


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_rotor_on_a_hinge_spins_up(formulation):
    """Drive torque against k_Q W^2, with the armature: W tends to sqrt(M/k_Q), thrust k_T W^2 lifts the craft."""
    model = cs.Model("lift", gravity=(0, 0, -G))
    body = model.add(cs.RigidBody("body", mass=1, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(0, 0, 1), at=(0, 0, 0)))
    disc = model.add(cs.RigidBody("disc", mass=0.1, com=(0, 0, 0.1), inertia=np.diag([1e-4, 1e-4, 2e-4])))
    model.add(cs.Revolute("shaft", body, disc, axis=(0, 0, 1), at=(0, 0, 0.1), effort=0.05, armature=1e-4))
    model.add(cs.Rotor("rotor", disc, 2e-5, 2e-7))
    run = cs.simulate(model, 6.0, 0.005, formulation=formulation)
    W = np.sqrt(0.05 / 2e-7)
    J = 3e-4
    rate = np.sqrt(0.05 * 2e-7) / J
    assert float(run.coordinate_rate("shaft")[-1]) == pytest.approx(W * np.tanh(rate * 6.0), rel=1e-4)
    assert float(run.acceleration("body")[-1, 2]) == pytest.approx(
        2e-5 * (W * np.tanh(rate * 6.0)) ** 2 / 1.1 - G, rel=1e-3
    )


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("least", [0.0, -1.0])
def test_a_propeller_outside_its_table_is_located(side, least):
    """Right-handed or left-handed; its advance ratio is positive where it flies ahead."""
    model = cs.Model("plane", fluid=cs.Fluid(density=1.2))
    body = model.add(cs.RigidBody("body", mass=0.5, com=(0, 0, 0), inertia=np.eye(3), velocity=(5, 0, 0)))
    table = [(least, 0.1), (0.5, 0.05)]
    model.add(cs.Propeller("prop", body, 0.4, table, speed=side * 100 * np.pi, direction=side, axis=(1, 0, 0)))
    run = cs.simulate(model, 5.0, 0.01)
    assert not run.status.ok
    assert f"load 'prop' meets the advance ratio 0.5, and its tables cover {least:g} to 0.5" in run.status.message
    assert len(run.time) > 2


def make(kind, **arguments):
    model = cs.Model("bad")
    body = model.add(cs.RigidBody("body", mass=1, com=(0, 0, 0), inertia=np.eye(3)))
    component = kind("motor", body, **arguments)
    model.add(component)
    model.validate()


@pytest.mark.parametrize(
    ("kind", "arguments", "words"),
    [
        (cs.Thruster, {"thrust": 1.0, "lag": -1.0}, ["motor", "lag", "negative"]),
        (cs.Thruster, {"thrust": 1.0, "limits": (1.0, 0.0)}, ["limits", "less"]),
        (cs.Thruster, {"thrust": 1.0, "gimbal": 0.1}, ["gimbal", "pair"]),
        (cs.Thruster, {"thrust": 1.0, "level": 2.0, "lag": 1.0}, ["level", "within"]),
        (cs.Thruster, {"thrust": 1.0, "axis": (0, 0, 0)}, ["axis"]),
        (cs.Thruster, {"thrust": 1.0, "axis": (0, 0, 1)}, ["up", "along axis"]),
        (cs.Rotor, {"thrust": 1.0, "torque": -1.0}, ["torque", "negative"]),
        (cs.Rotor, {"thrust": 1.0, "direction": 2}, ["direction", "1 or -1"]),
        (cs.Rotor, {"thrust": 1.0, "inertia": 1.0}, ["inertia", "speed="]),
        (cs.Propeller, {"diameter": 1.0, "thrust": []}, ["thrust", "pairs (J, value)"]),
        (cs.Propeller, {"diameter": 1.0, "thrust": [(1, 0), (0, 1)]}, ["thrust", "growing"]),
        (cs.Propeller, {"diameter": 0.0, "thrust": 0.1}, ["diameter", "greater than 0"]),
        (cs.Propeller, {"diameter": 1.0, "thrust": 0.1}, ["motor", "no fluid"]),
    ],
)
def test_bad_input_is_located(kind, arguments, words):
    with pytest.raises(cs.CosseratError) as error:
        make(kind, **arguments)
    for word in words:
        assert word in str(error.value)


def test_unknown_inputs_list_what_there_is():
    with pytest.raises(cs.CosseratError, match=r"motor\.throttle"):
        cs.linearize(sled(throttle=0.0), ["motor.thrust"], ["sled.vx"], about="reference")


def test_model_files_hold_them(tmp_path):
    model = cs.Model("craft", fluid=cs.Fluid(density=1.2))
    body = model.add(cs.RigidBody("body", mass=1, com=(0, 0, 0), inertia=np.eye(3)))
    P = cs.Parameter("P", 2.0)
    model.add(cs.Thruster("motor", body.at((1, 0, 0)), P, throttle="0.5 + 0.1*sin(t)", gimbal=("0.1*t", 0.0), lag=0.2))
    model.add(cs.Rotor("rotor", body, 1e-5, 1e-7, speed="100*t", inertia=1e-3, limits=(0, 50)))
    model.add(cs.Propeller("prop", body, 0.4, [(0, 0.1), (1, 0.0)], 0.01, speed=50.0 * P))
    pipe = model.add(
        cs.Beam("pipe", points=[(0, 1, 0), (1, 1, 0)], section=cs.Section(np.eye(6), np.eye(6)), elements=2)
    )
    model.add(cs.PipeFlow("flow", pipe, mass=0.2, speed=2.0 * P))
    path = tmp_path / "craft.yaml"
    cs.save_model(model, path)
    assert cs.load_model(path) == model
