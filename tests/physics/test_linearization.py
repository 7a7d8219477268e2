"""Linear models against simulation: small motions oscillate and decay as computed."""

import numpy as np
import pytest
from scipy.linalg import expm

import cosserat as cs
from cosserat.demo import two_link_arm


def decay(t, y, period):
    """Circular frequency and decay rate of y = a exp(-d t) cos(w t + phase) + more of the like, by Prony's method.

    From samples a tenth of a period apart the two coefficients of a linear recursion are fitted.
    """
    stride = max(1, round(0.1 * period / (t[1] - t[0])))
    y, h = y[::stride], stride * (t[1] - t[0])
    ahead, last, before = y[2:], y[1:-1], y[:-2]
    (a, b), *_ = np.linalg.lstsq(np.stack((last, before), axis=1), ahead, rcond=None)
    s = np.log(np.roots([1.0, -a, -b])[0].astype(complex)) / h
    return abs(s.imag), -s.real


def test_joint_with_spring_and_damper():
    """A pendulum on a spring and a damper, released near its equilibrium away from the reference."""
    model = cs.Model("sprung pendulum", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=[0.1, 0.2, 0.2]))
    torque = cs.Parameter("T", 0.0)
    model.add(cs.Revolute("pivot", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0), stiffness=30.0, damping=1.1))
    model.add(cs.Torque("nudge", bob, (0, torque, 0)))
    rest = cs.equilibrium(model)
    linear = cs.linearize(model, outputs="pivot", about=rest)
    angle = rest.coordinate("pivot")
    assert abs(angle) > 0.3
    # about the pivot: I q" + c q' + k q = m g l cos q
    k = 30.0 + 2.0 * 9.81 * np.sin(angle)
    np.testing.assert_allclose(linear.A, [[0, 1], [-k / 2.2, -1.1 / 2.2]], rtol=1e-9, atol=1e-12)
    model.set(T=1e-3)
    nudged = cs.equilibrium(model)
    model.set(T=0.0)
    run = cs.simulate(model, duration=3.0, step=0.002, start=nudged, integrator="energy-momentum")
    s = linear.eigenvalues[0]
    frequency, rate = decay(run.time, np.asarray(run.coordinate("pivot")) - angle, 2 * np.pi / abs(s.imag))
    assert frequency == pytest.approx(abs(s.imag), rel=2e-5)
    assert rate == pytest.approx(-s.real, rel=2e-4)


def loaded_cantilever(spin=None):
    """A slender beam with internal damping, bent far by a dead load and with a follower load at its tip."""
    model = cs.Model("cantilever", gravity=(0, 0, 0))
    soft = cs.Material(E=2e9, nu=0.3, rho=1200, damping=4e-3)
    beam = model.add(
        cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rectangle(0.02, 0.01), material=soft, elements=6)
    )
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("dead", beam.end, (0, 0, cs.Parameter("P", 4.0))))
    model.add(cs.Force("follower", beam.end, (-1.0, 0, 0), follower=True))
    return model


def test_bent_cantilever_with_a_follower_load():
    """Released from the equilibrium under a load 0.1 % larger: the first mode of the bent beam."""
    model = loaded_cantilever()
    rest = cs.equilibrium(model)
    assert rest.position("rod.end")[2] > 0.2
    linear = cs.linearize(model, inputs="dead", outputs="rod.end", about=rest)
    slow = linear.eigenvalues[np.abs(linear.eigenvalues.imag) > 0][0]
    model.set(P=4.004)
    pushed = cs.equilibrium(model)
    model.set(P=4.0)
    period = 2 * np.pi / abs(slow.imag)
    run = cs.simulate(model, duration=6 * period, step=period / 400, start=pushed, integrator="energy-momentum")
    z = np.asarray(run.position("rod.end"))[:, 2] - rest.position("rod.end")[2]
    late = run.time > period  # by then the faster modes, damped more, are gone
    frequency, rate = decay(run.time[late], z[late], period)
    assert frequency == pytest.approx(abs(slow.imag), rel=2e-4)
    assert rate == pytest.approx(-slow.real, rel=5e-3)
    # and the whole motion, all modes together, is that of the linear model
    state = linear.state(pushed)
    eigenvalues, shapes = np.linalg.eig(linear.A)
    parts = np.linalg.solve(shapes, state)
    expected = ((linear.C[2] @ shapes) * parts * np.exp(np.outer(run.time, eigenvalues))).sum(axis=1).real
    assert np.abs(z - expected).max() < 5e-3 * np.abs(z).max()


def test_moment_of_a_run_predicts_the_neighbouring_run():
    """About a moment of a falling, bending pendulum: the frozen model gives the difference of two runs for a while."""
    model = cs.Model("whip", gravity=(0, 0, -9.81))
    soft = cs.Material(E=2e8, nu=0.3, rho=1200, damping=4e-3)
    beam = model.add(
        cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rectangle(0.02, 0.02), material=soft, elements=4)
    )
    model.add(cs.Revolute("pivot", cs.GROUND, beam.start, axis=(0, 1, 0), effort=0.0))
    run = cs.simulate(model, duration=0.3, step=0.001, integrator="energy-momentum")
    linear = cs.linearize(model, inputs="pivot", outputs=["rod.end", "pivot.rate"], about=run)
    assert linear.kind == "moment of a run"
    assert float(np.asarray(run.coordinate_rate("pivot"))[-1]) > 2.0
    push = 1e-4

    class Push:
        period = 1.0

        def __init__(self, size):
            self.size = size

        def __call__(self, t, state):
            return {"pivot": self.size}

    def discrepancy(span):
        ends = []
        for size in (push, -push):
            after = cs.simulate(model, span, 1e-4, start=run, integrator="energy-momentum", controller=Push(size))
            rate = np.asarray(after.coordinate_rate("pivot"))[-1]
            ends.append(np.append(np.asarray(after.position("rod.end"))[-1, [0, 2]], rate))
        found = (ends[0] - ends[1]) / (2 * push)
        n = len(linear.A)
        both = np.zeros((n + 1, n + 1))
        both[:n, :n], both[:n, n:] = linear.A, linear.B
        expected = linear.C[[0, 2, 3]] @ expm(span * both)[:n, n]
        return np.abs(expected - found) / np.abs(found).max()

    # meanwhile the motion goes on, so that coefficients frozen at the start are off in proportion to the time
    far, near = discrepancy(0.02), discrepancy(0.005)
    assert np.all(far < 0.01)
    assert near.max() < 0.5 * far.max()


def test_step_response_of_the_manipulator():
    """Both arms flexible, a torque of 1 mN m in the shoulder: within 1e-4 of the nonlinear model for one second."""
    control = pytest.importorskip("control")
    model = two_link_arm("FF", actuated=True)
    rest = cs.equilibrium(model)
    linear = cs.linearize(model, ["shoulder", "elbow"], ["arm2.end.y", "elbow"], about=rest)
    torque, t = 1e-3, np.linspace(0, 0.5, 501)
    step = control.forced_response(linear.to_control(), t, [torque * np.ones_like(t), np.zeros_like(t)])

    class Step:
        period = 1.0

        def __call__(self, t, state):
            return {"shoulder": torque}

    run = cs.simulate(model, 0.5, 5e-4, start=rest, every=2, integrator="energy-momentum", controller=Step())
    tip, elbow = np.asarray(run.position("arm2.end"))[:, 1], np.asarray(run.coordinate("elbow"))
    for expected, found in zip(np.asarray(step.outputs), (tip, elbow)):
        assert np.abs(expected - found).max() < 1e-4 * np.abs(expected).max()
