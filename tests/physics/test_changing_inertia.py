"""Laws that see the rate and whose inertia changes with the frame: added mass near a wall, against SciPy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cosserat as cs

M, G, A0, B = 2.0, 9.81, 1.5, 0.3
METHODS = [
    ("galilean", "generalized-alpha", 2), ("galilean", "energy-momentum", 2), ("floating", "generalized-alpha", 2),
    ("floating", "runge-kutta", 4),
]  # fmt: skip


def near_wall(t, frame, twist, rate, p):
    """Added mass A(z) = a (1 + b/z^3) along the normal of a wall z = 0: T = A z'^2/2, F = -A z" - A'(z) z'^2/2."""
    z = frame[2, 3]
    A, slope = p["a"] * (1.0 + p["b"] / z**3), -3.0 * p["a"] * p["b"] / z**4
    velocity, acceleration = 0.0, 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        velocity += frame[2, i] * twist[i]
        acceleration += frame[2, i] * (rate[i] + twist[3 + j] * twist[k] - twist[3 + k] * twist[j])
    wrench = np.zeros(6)
    for i in range(3):
        wrench[i] = frame[2, i] * (p["lift"] - A * acceleration - 0.5 * slope * velocity**2)
    return wrench


def acceleration(z, v, lift=0.0, a=A0):
    return (lift + 1.5 * a * B / z**4 * v**2 - M * G) / (M + a * (1 + B / z**3))


def falling(lift=0.0, place=(0, 0, 0), **options):
    """A ball that turns while it falls; the law is at a point of it or at its centre."""
    model = cs.Model("wall", gravity=(0, 0, -G))
    moving = {"velocity": (0.2, 0, -0.5), "angular_velocity": (0.4, 0.3, 0.5)} | options
    ball = model.add(cs.RigidBody("ball", mass=M, com=(0, 0, 2.0), inertia=(0.1, 0.1, 0.1), **moving))
    a = cs.Parameter("a", A0)
    model.add(cs.StateLoad("water", ball.at(np.add(ball.com, place)), near_wall, {"a": a, "b": B, "lift": lift}))
    return model


def railed(k=0.0, speed=0.0, lift=10.0):
    model = falling(lift, velocity=(0, 0, speed), angular_velocity=(0, 0, 0))
    model.add(cs.Prismatic("rail", cs.GROUND, "ball", axis=(0, 0, 1), stiffness=k))
    return model


@pytest.mark.parametrize(("formulation", "integrator", "order"), METHODS)
def test_a_fall_towards_a_wall(formulation, integrator, order):
    """The order of the method; the fluid keeps what energy it has, so that the load does no work."""
    exact = solve_ivp(lambda t, y: [y[1], acceleration(*y)], (0, 0.6), [2.0, -0.5], rtol=1e-12, atol=1e-12).y[:, -1]
    errors = []
    for step in (0.02, 0.01, 0.005):
        run = cs.simulate(falling(), 0.6, step, formulation=formulation, integrator=integrator)
        assert run.status.ok
        errors.append(abs(float(run.position("ball")[-1, 2]) - exact[0]))
        assert np.abs(run.energy.work).max() < 1e-5
        assert np.abs(run.energy.balance).max() < 100 * step**2
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(order, abs=0.1)
    z, v = (float(getattr(run, what)("ball")[-1, 2]) for what in ("position", "velocity"))
    carried = 0.5 * A0 * (1 + B / z**3) * v**2
    body = 0.5 * M * (v**2 + 0.2**2) + 0.5 * 0.1 * np.sum(np.square((0.4, 0.3, 0.5)))
    assert float(run.energy.kinetic[-1]) == pytest.approx(carried + body, rel=1e-6)


def test_a_point_beside_the_centre_turns_the_body():
    """Both formulations agree where the law is at a point beside the centre of mass of a body that turns."""
    place = (0.3, 0.1, -0.2)
    runs = [cs.simulate(falling(place=place), 0.5, 2e-3, formulation=f) for f in ("galilean", "floating")]
    a, b = (run.position("ball").values for run in runs)
    turns = [run.angular_velocity("ball").values[-1] for run in runs]
    assert np.abs(turns[0] - (0.4, 0.3, 0.5)).max() > 0.1
    assert np.abs(a - b).max() < 1e-5
    assert np.abs(turns[0] - turns[1]).max() < 1e-4
    finer = cs.simulate(falling(place=place), 0.5, 1e-3)
    for a, b in ((runs[0], finer), (runs[1], finer)):  # the energy is kept with the order of the method
        assert np.abs(a.energy.balance).max() / np.abs(b.energy.balance).max() == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_modes_and_linear_models(formulation):
    """The matrix is that at the equilibrium; about a moment of a run its slope counts, too: against differences."""
    k = 30.0
    z = 2.0 + (10.0 - M * G) / k
    omega = np.sqrt(k / (M + A0 * (1 + B / z**3)))
    frequency = cs.modes(railed(k), 1, formulation=formulation).frequencies[0]
    assert frequency == pytest.approx(omega / (2 * np.pi), rel=1e-9)
    found = cs.stability(railed(k), "a", [A0, 2 * A0], n=2, formulation=formulation)
    for a, values in zip((A0, 2 * A0), found.eigenvalues, strict=True):
        assert np.min(np.abs(values - 1j * np.sqrt(k / (M + a * (1 + B / z**3))))) < 1e-6
    model = railed(speed=-0.7)
    run = cs.simulate(model, 0.4, 2e-3, formulation=formulation, newton_tolerance=1e-13)
    A = cs.linearize(model, ["rail"], ["rail"], about=run, formulation=formulation).A
    z, v = (float(getattr(run, what)("ball")[-1, 2]) for what in ("position", "velocity"))
    h = 1e-4
    slopes = [(acceleration(z + h, v, 10.0) - acceleration(z - h, v, 10.0)) / (2 * h)]
    slopes += [(acceleration(z, v + h, 10.0) - acceleration(z, v - h, 10.0)) / (2 * h)]
    np.testing.assert_allclose(A[1], slopes, rtol=1e-6)


def test_a_tree_has_it_in_its_matrices():
    tree = cs.Tree(railed())
    q, v, a = np.array([-0.8]), np.array([-1.1]), np.array([2.3])
    for x in (-0.8, -0.3):
        assert tree.mass_matrix([x])[0, 0] == pytest.approx(M + A0 * (1 + B / (2 + x) ** 3), rel=1e-12)
        assert tree.energy([x], v).kinetic == pytest.approx(0.5 * tree.mass_matrix([x])[0, 0] * v[0] ** 2, rel=1e-12)
        assert tree.forward_dynamics([x], v, [0.0])[0] == pytest.approx(acceleration(2 + x, v[0], 10.0), rel=1e-12)
    found, h = tree.inverse_dynamics_derivatives(q, v, a), 1e-5
    by_q = (tree.inverse_dynamics(q + h, v, a) - tree.inverse_dynamics(q - h, v, a)) / (2 * h)
    by_v = (tree.inverse_dynamics(q, v + h, a) - tree.inverse_dynamics(q, v - h, a)) / (2 * h)
    assert found.dq[0, 0] == pytest.approx(by_q[0], rel=1e-7)
    assert found.dv[0, 0] == pytest.approx(by_v[0], rel=1e-7)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_gradients(formulation):
    def fallen(a):
        model = railed(speed=-0.7)
        model.set(a=a)
        run = cs.simulate(model, 0.3, 0.01, formulation=formulation, newton_tolerance=1e-12)
        return float(run.position("ball")[-1, 2])

    found = cs.gradient(
        railed(speed=-0.7), lambda end: end.position("ball")[-1, 2], "a", 0.3, 0.01, formulation=formulation
    ).parameters["a"]
    assert found == pytest.approx((fallen(A0 + 1e-4) - fallen(A0 - 1e-4)) / 2e-4, rel=1e-6)


def test_it_may_own_states_too():
    """A lag in the lift beside the changing inertia: both formulations go the same way, and the lag is exact."""

    def lagging(t, frame, twist, rate, p):
        out = np.zeros(7)
        out[:6] = near_wall(t, frame, twist, rate, p)
        out[2] += p["lag"]
        out[6] = (5.0 - p["lag"]) / 0.2
        return out

    runs = []
    for formulation in ("galilean", "floating"):
        model = cs.Model("lag", gravity=(0, 0, -G))
        ball = model.add(cs.RigidBody("ball", mass=M, com=(0, 0, 2.0), inertia=(0.1, 0.1, 0.1)))
        model.add(cs.StateLoad("water", ball, lagging, {"a": A0, "b": B, "lift": 0.0}, states={"lag": 0.0}))
        runs.append(cs.simulate(model, 0.5, 2e-3, formulation=formulation))
        lag = 5.0 * (1 - np.exp(-np.asarray(runs[-1].time) / 0.2))
        assert np.abs(runs[-1].law_states[:, 0] - lag).max() < 1e-4
    def rate(t, y):
        return [y[1], acceleration(y[0], y[1], y[2]), (5.0 - y[2]) / 0.2]

    exact = solve_ivp(rate, (0, 0.5), [2.0, 0.0, 0.0], rtol=1e-11, atol=1e-11).y[0, -1]
    for run in runs:
        assert float(run.position("ball")[-1, 2]) == pytest.approx(exact, abs=1e-5)


def four_bar():
    """Above the wall, with the law on the coupler."""
    model = cs.Model("four-bar", gravity=(0, 0, -G))
    points = [(0, 0, 2.0), (0.3, 0, 2.4), (1.3, 0, 2.9), (1.2, 0, 2.0)]
    held = cs.GROUND.at(points[0])
    bars = [model.add(cs.RigidBody.bar(f"bar{k}", *points[k : k + 2], mass=1.0)) for k in range(3)]
    for k, bar in enumerate(bars):
        model.add(cs.Revolute(f"hinge{k}", held, bar.at(points[k]), axis=(0, 1, 0)))
        held = bar.at(points[k + 1])
    model.add(cs.Revolute("hinge3", held, cs.GROUND.at(points[3]), axis=(0, 1, 0)))
    model.add(cs.StateLoad("water", bars[1], near_wall, {"a": 15.0, "b": 3.0, "lift": 0.0}))
    return model


def test_closed_loops_forget_the_inertias_of_other_states():
    """Accelerations, efforts of drives and momenta do not depend on which state was asked for before."""
    model = four_bar()
    with pytest.warns(cs.CosseratWarning, match="redundant"):
        record = cs.simulate(model, 0.35, 0.005, formulation="floating").trajectory.floating
    zero, driven = np.zeros(3), np.array([1.0, 0.0, 0.0])
    last = record.q[-1], record.v[-1]
    found = []
    for before in (record.q[0], record.q[-1]):
        tree = cs.Tree(model)
        tree.inverse_dynamics(before, zero, zero)
        a, tau = tree.hybrid_dynamics(*last, driven, record.a[-1] * driven)
        tree.inverse_dynamics(before, zero, zero)
        free = tree.forward_dynamics(*last, zero)
        tree.inverse_dynamics(before, zero, zero)
        found.append(np.concatenate((a, tau, free, tree.centroidal_momentum(*last))))
    assert np.allclose(found[0], found[1], rtol=0, atol=1e-10)
    assert np.allclose(found[1][6:9], record.a[-1], rtol=0, atol=1e-3)
