"""Loads given by laws of users: closed forms, second order, linear models, statics, conservation, errors."""

import itertools

import numba
import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import ModelError

FALLEN = 13.5941298055  # m/s after 3 s: sqrt(g/c) tanh(sqrt(g c) t), c = 0.05


def drag(t, frame, twist, parameters):
    wrench = np.zeros(6)
    speed = np.sqrt(twist[0] ** 2 + twist[1] ** 2 + twist[2] ** 2)
    wrench[:3] = -parameters["c"] * speed * twist[:3]
    return wrench


def falling(law=drag, c=0.05, **options):
    model = cs.Model("fall", gravity=(0, 0, -9.81))
    ball = model.add(cs.RigidBody("ball", mass=1, com=(0, 0, 0), inertia=np.eye(3), **options))
    model.add(cs.StateLoad("drag", ball, law, parameters={"c": c}))
    return model


def test_the_closed_form():
    assert np.sqrt(9.81 / 0.05) * np.tanh(np.sqrt(9.81 * 0.05) * 3.0) == pytest.approx(FALLEN, abs=1e-9)


@pytest.mark.parametrize("integrator", ["generalized-alpha", "energy-momentum"])
def test_fall_with_quadratic_drag(integrator):
    errors = []
    for step in (0.02, 0.01, 0.005):
        run = cs.simulate(falling(), 3.0, step, integrator=integrator)
        assert run.status.ok
        errors.append(abs(float(run.velocity("ball")[-1, 2]) + FALLEN))
        assert np.abs(run.energy.balance).max() < 20 * step**2
    assert errors[0] < 1e-4
    assert 3.5 < errors[0] / errors[1] < 4.5
    assert 3.5 < errors[1] / errors[2] < 4.5


def test_adaptive_steps():
    run = cs.simulate(falling(), 3.0, tolerance=1e-6)
    assert abs(float(run.velocity("ball")[-1, 2]) + FALLEN) < 1e-4


def helped(t, frame, twist, parameters):
    return compiled_drag(t, frame, twist, parameters)


compiled_drag = numba.njit(drag)


@pytest.mark.parametrize("form", [drag, compiled_drag, helped,
                                  {"fx": "-c*vx*speed", "fy": "-c*vy*speed", "fz": "-c*vz*speed"},
                                  {"Fx": "-c*Vx*speed", "Fy": "-c*Vy*speed", "Fz": "-c*Vz*speed"}])  # fmt: skip
def test_formulas_are_functions(form):
    run = cs.simulate(falling(form), 1.0, 0.01)
    speed = np.sqrt(9.81 / 0.05) * np.tanh(np.sqrt(9.81 * 0.05))
    assert float(run.velocity("ball")[-1, 2]) == pytest.approx(-speed, abs=1e-4)


def test_the_linear_model_of_a_fall_has_twice_the_drag():
    """About the state in which it falls at v the damping is 2 c v along the fall and c v across it."""
    model = falling()
    run = cs.simulate(model, 3.0, 0.01)
    v = abs(float(run.velocity("ball")[-1, 2]))
    linear = cs.linearize(model, ["ball.fz"], ["ball.z"], about=run)
    values = np.sort(np.linalg.eigvals(linear.A).real)
    assert values[0] == pytest.approx(-0.1 * v, rel=1e-7)
    assert np.sum(np.abs(values + 0.05 * v) < 1e-6 * v) == 2


def stiffening(t, frame, twist, parameters):
    """A spring with a cubic part along z, and a damper that acts one way only."""
    z, vz = frame[2, 3], twist[2]
    force = -parameters["k"] * z - parameters["a"] * z**3
    if vz < 0.0:
        force -= parameters["d"] * vz
    return (0, 0, force, 0, 0, 0)


def slider(**values):
    given = {"k": 40.0, "a": 500.0, "d": 0.0} | values
    model = cs.Model("slider", gravity=(0, 0, -9.81))
    block = model.add(cs.RigidBody("block", mass=2.0, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Prismatic("rail", cs.GROUND, block, axis=(0, 0, 1)))
    parameters = {k: cs.Parameter(k, v) for k, v in given.items()}
    model.add(cs.StateLoad("spring", block, stiffening, parameters))
    return model


def sag(k=40.0, a=500.0):
    return float(next(r.real for r in np.roots([a, 0, k, 2.0 * 9.81]) if abs(r.imag) < 1e-12))


def test_equilibrium_modes_and_continuation():
    model = slider()
    rest = cs.equilibrium(model)
    assert rest.status.ok
    z = float(rest.position("block")[2])
    assert z == pytest.approx(sag(), rel=1e-9)
    stiffness = 40.0 + 3 * 500.0 * z**2
    assert cs.modes(model, 1).frequencies[0] == pytest.approx(np.sqrt(stiffness / 2.0) / (2 * np.pi), rel=1e-9)
    path = cs.continuation(model, "a", 500.0, 5000.0)
    assert float(path.position("block")[-1, 2]) == pytest.approx(sag(a=5000.0), rel=1e-6)
    model.set(k=80.0)
    assert float(cs.equilibrium(model).position("block")[2]) == pytest.approx(sag(k=80.0), rel=1e-9)


def test_a_branch_has_the_derivative_of_its_side():
    """A damper that acts one way: about a moment of a run in which the block falls it is there, rising it is not."""
    for start, damping in ((-1.0, 3.0), (1.0, 0.0)):
        moving = cs.Model("moving", gravity=(0, 0, -9.81))
        block = moving.add(cs.RigidBody("block", mass=2.0, com=(0, 0, 0), inertia=np.eye(3), velocity=(0, 0, start)))
        moving.add(cs.Prismatic("rail", cs.GROUND, block, axis=(0, 0, 1)))
        moving.add(cs.StateLoad("spring", block, stiffening, {"k": 40.0, "a": 500.0, "d": 3.0}))
        run = cs.simulate(moving, 1e-3, 1e-4)
        linear = cs.linearize(moving, ["rail"], ["rail"], about=(run, 0.0))
        assert np.trace(linear.A) == pytest.approx(-damping / 2.0, abs=1e-7)


def repel(t, frame, twist, other_frame, other_twist, parameters):
    """Magnets at the two places: along the line between them, with the inverse square of the distance."""
    gap = np.zeros(3)
    for i in range(3):
        for j in range(3):
            gap[i] += frame[j, i] * (other_frame[j, 3] - frame[j, 3])
    distance = np.sqrt(gap[0] ** 2 + gap[1] ** 2 + gap[2] ** 2)
    wrench = np.zeros(6)
    wrench[:3] = -parameters["q"] * gap / distance**3
    return wrench


@pytest.mark.parametrize("integrator", ["generalized-alpha", "energy-momentum"])
def test_action_and_reaction(integrator):
    model = cs.Model("magnets")
    a = model.add(cs.RigidBody("a", mass=1.0, com=(0, 0, 0), inertia=np.eye(3), angular_velocity=(0.3, 1.0, 0.2)))
    b = model.add(cs.RigidBody("b", mass=2.0, com=(1, 0, 0), inertia=np.eye(3), velocity=(-0.2, 0.5, 0.1)))
    model.add(cs.StateLoad("force", a.at((0.2, 0.1, 0)), repel, {"q": 0.4}, other=b.at((0.8, 0, 0.1))))
    run = cs.simulate(model, 3.0, 0.01, integrator=integrator)
    momentum = run.momentum.values
    assert np.abs(momentum - momentum[0]).max() < (1e-10 if integrator == "energy-momentum" else 1e-4)
    assert np.abs(run.energy.balance).max() < 1e-4
    assert cs.linearize(model, ["a.fx"], ["a.x"], about=run).A.shape[0] == 24


def test_a_derivative_may_be_given():
    def slope(t, frame, twist, parameters):
        J = np.zeros((6, 12))
        speed = np.sqrt(twist[0] ** 2 + twist[1] ** 2 + twist[2] ** 2)
        for i in range(3):
            J[i, 6 + i] = -parameters["c"] * speed
            for j in range(3):
                J[i, 6 + j] -= parameters["c"] * twist[i] * twist[j] / max(speed, 1e-12)
        return J

    model = cs.Model("fall", gravity=(0, 0, -9.81))
    ball = model.add(cs.RigidBody("ball", mass=1, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.StateLoad("drag", ball, drag, parameters={"c": 0.05}, derivative=slope))
    run = cs.simulate(model, 3.0, 0.01)
    given = cs.linearize(model, ["ball.fz"], ["ball.z"], about=run).A
    found = cs.linearize(falling(), ["ball.fz"], ["ball.z"], about=cs.simulate(falling(), 3.0, 0.01)).A
    found, given = (np.sort(np.linalg.eigvals(A).real) for A in (found, given))  # bases of states are arbitrary
    np.testing.assert_allclose(found, given, atol=1e-7)


def test_a_law_that_fails_ends_the_run_with_its_name():
    def breaks(t, frame, twist, parameters):
        wrench = np.zeros(6)
        wrench[2] = np.sqrt(0.5 - t)
        return wrench

    model = cs.Model("break")
    ball = model.add(cs.RigidBody("ball", mass=1, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.StateLoad("fuse", ball, breaks))
    run = cs.simulate(model, 1.0, 0.01)
    assert not run.status.ok
    assert "load 'fuse'" in str(run.status)
    assert run.time[-1] == pytest.approx(0.5, abs=0.011)


def test_results_are_saved_and_read(tmp_path):
    law = {"fz": "-c*vz*abs(vz)"}
    run = cs.simulate(falling(law), 1.0, 0.01)
    run.save(tmp_path / "fall.nc")
    again = cs.load_run(tmp_path / "fall.nc")
    np.testing.assert_array_equal(again.energy.balance, run.energy.balance)
    assert again.model["drag"] == run.model["drag"]
    assert float(cs.simulate(again.model, 1.0, 0.01).velocity("ball")[-1, 2]) == float(run.velocity("ball")[-1, 2])
    cs.save_model(falling(law), tmp_path / "fall.yaml")
    assert cs.load_model(tmp_path / "fall.yaml") == falling(law)


@pytest.mark.parametrize("integrator", ["generalized-alpha", "runge-kutta"])
def test_fall_in_floating_frames(integrator):
    order = 2 if integrator == "generalized-alpha" else 4
    errors = []
    for step in (0.04, 0.02, 0.01):
        run = cs.simulate(falling(), 3.0, step, formulation="floating", integrator=integrator)
        assert run.status.ok
        errors.append(abs(float(run.velocity("ball")[-1, 2]) + FALLEN))
    assert errors[-1] < 1e-4
    for coarse, fine in itertools.pairwise(errors):
        assert np.log2(coarse / fine) == pytest.approx(order, abs=0.2)


def mechanism():
    """A flexible arm on a hinge, a body on its end, drag on both, magnets between them."""
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    section = cs.Section(stiffness=[1e5, 1e5, 1e5, 200.0, 200.0, 300.0], mass=[1.0, 1.0, 1.0, 1e-3, 1e-3, 1e-3])
    arm = model.add(cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=4))
    tool = model.add(cs.RigidBody("tool", mass=0.5, com=(1.1, 0, 0), inertia=0.01 * np.eye(3)))
    model.add(cs.Revolute("hinge", cs.GROUND, arm.start, axis=(0, 1, 0)))
    model.add(cs.Spherical("wrist", arm.end, tool, at=(1, 0, 0)))
    model.add(cs.StateLoad("drag", tool.at((1.2, 0, 0.1)), drag, {"c": 0.3}))
    model.add(cs.StateLoad("brake", arm.at(0.5), drag, {"c": 0.2}))
    model.add(cs.StateLoad("magnets", tool, repel, {"q": 0.05}, other=arm.at(0.5)))
    return model


def test_floating_frames_agree_with_galilean():
    galilean = cs.simulate(mechanism(), 0.3, 1e-3)
    floating = cs.simulate(mechanism(), 0.3, 1e-3, formulation="floating", modes=8)
    assert galilean.status.ok
    assert floating.status.ok
    a, b = (run.position("tool").values for run in (galilean, floating))
    assert np.abs(a - a[0]).max() > 0.2
    assert np.abs(a - b).max() < 5e-4
    work = [float(run.energy.work[-1]) for run in (galilean, floating)]
    assert work[1] == pytest.approx(work[0], rel=5e-3)


def test_derivatives_of_a_tree(rng):
    tree = cs.Tree(mechanism(), modes=2)
    n = len(tree.coordinates)
    q, v, a = (0.1 * rng.normal(size=n) for _ in range(3))
    q[1:4] = 0.0  # of the wrist: its increments are then changes of the coordinates
    found = tree.inverse_dynamics_derivatives(q, v, a)
    h = 5e-4  # differences of fourth order: shorter steps drown in the rounding errors of stiff modes
    for k in range(n):
        for matrix, which in ((found.dq, 0), (found.dv, 1)):
            difference = np.zeros(n)
            for steps, weight in ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12)):
                state = [q.copy(), v.copy()]
                state[which][k] += steps * h
                difference += weight * tree.inverse_dynamics(*state, a) / h
            np.testing.assert_allclose(matrix[:, k], difference, atol=2e-6 * max(1.0, np.abs(difference).max()))


def test_calls_of_rigid_recursions_take_such_loads():
    v = np.array([0.0, 0.0, -3.0, 0.0, 0.0, 0.0])
    still = cs.inverse_dynamics(falling(), np.zeros(6), np.zeros(6), np.zeros(6))
    moving = cs.inverse_dynamics(falling(), np.zeros(6), v, np.zeros(6))
    assert np.allclose(moving - still, [0, 0, -0.05 * 9.0, 0, 0, 0], atol=1e-12)  # what has to push against the drag
    with pytest.raises(ModelError, match="load 'drag': this call takes no loads that depend on the state"):
        cs.composed_vectors(falling(), np.zeros(6))


def test_names_of_parameters_are_no_words_of_python():
    with pytest.raises(cs.CosseratError, match="load 'drag': parameters has the name 'lambda'"):
        cs.StateLoad("drag", "ball", {"fx": "-c*vx"}, parameters={"lambda": 1.0, "c": 1.0})


@pytest.mark.parametrize(
    ("law", "numbers", "states", "speed"),
    [
        ({"fx": "e*pi"}, {"e": 2.0, "pi": 3.0}, None, 6.0),
        ({"fx": "step*step(t, 0.5) + sqrt(np)"}, {"step": 4.0, "np": 9.0}, None, 5.0),
        ({"fx": "b", "a": "1", "b": "a_rate"}, {"a_rate": 3.0}, {"a": 0.0, "b": 0.0}, 1.5),
    ],
)
def test_names_of_formulas_are_their_own(law, numbers, states, speed):
    """Parameters may be called as a constant, a function, or what the written law calls something."""
    model = cs.Model("push")
    ball = model.add(cs.RigidBody("ball", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.StateLoad("push", ball, law, numbers, states=states))
    assert float(cs.simulate(model, 1.0, 0.1).velocity("ball")[-1, 0]) == pytest.approx(speed, rel=1e-9)
