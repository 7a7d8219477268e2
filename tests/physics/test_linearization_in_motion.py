"""Linear models about a moment of a run: the constraints turn with the mechanism, and so do the joint coordinates."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.lie import so3


def random_tree(seed, n=5):
    """Bodies on hinges and sliders in random poses, with random rates; initial velocities follow the joints."""
    rng = np.random.default_rng(seed)
    model = cs.Model(f"tree {seed}", gravity=(0.0, 0.0, -9.81))
    bodies, twists, rates = [], [], []
    for i in range(n):
        parent = int(rng.integers(-1, i)) if i else -1
        origin = np.zeros(3) if parent < 0 else np.array(bodies[parent].com)
        at = origin + rng.normal(size=3)
        com = at + rng.normal(size=3)
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        slides, rate = rng.random() < 0.3, 2.0 * rng.normal()
        v, w = (np.zeros(3), np.zeros(3)) if parent < 0 else twists[parent]  # velocity of the origin of space
        v, w = (v + rate * axis, w) if slides else (v + rate * np.cross(at, axis), w + rate * axis)
        twists.append((v, w))
        rates.append(rate)
        spread = np.cov(rng.normal(size=(3, 6)))
        body = model.add(
            cs.RigidBody(
                f"b{i}", mass=1.0 + rng.random(), com=com, inertia=(np.trace(spread) + 0.1) * np.eye(3) - spread,
                velocity=v + np.cross(w, com), angular_velocity=w,
            )
        )  # fmt: skip
        bodies.append(body)
        base = cs.GROUND.at(at) if parent < 0 else bodies[parent].at(at)
        extra = {"stiffness": 5.0 * rng.random(), "damping": rng.random()}
        model.add((cs.Prismatic if slides else cs.Revolute)(f"j{i}", base, body.at(at), axis=axis, **extra))
    return model, np.array(rates)


@pytest.mark.parametrize("seed", range(12))
def test_state_matrix_of_random_trees(seed):
    model, rates = random_tree(seed)
    run = cs.simulate(model, 2e-3, step=1e-3)
    linear = cs.linearize(model, about=(run, 0.0))
    tree = cs.Tree(model)
    order = [linear.coordinates.index(name) for name in tree.coordinates]
    n = len(rates)
    exact = tree.forward_dynamics_derivatives(np.zeros(n), rates[[int(c[1:]) for c in tree.coordinates]], np.zeros(n))
    found = linear.A[n:]
    scale = np.abs(found).max()
    assert found[np.ix_(order, order)] == pytest.approx(np.asarray(exact.dq), abs=1e-10 * scale)
    assert found[np.ix_(order, [n + i for i in order])] == pytest.approx(np.asarray(exact.dv), abs=1e-10 * scale)


def rotor():
    model = cs.Model("rotor on an elastic support")
    carrier = model.add(cs.RigidBody("carrier", mass=1e-3, com=(0, 0, 0), inertia=1e-3 * np.eye(3)))
    disc = model.add(
        cs.RigidBody("disc", mass=10.0, com=(0, 0, 0), inertia=np.diag([0.55, 0.3, 0.3]), angular_velocity=(60, 0, 0))
    )
    model.add(cs.Universal("support", cs.GROUND, carrier, axes=((0, 1, 0), (0, 0, 1)), stiffness=(500.0, 800.0)))
    model.add(cs.Revolute("spin", carrier, disc, axis=(1, 0, 0)))
    return model


def test_whirl_of_a_rotor_about_a_run():
    """Jeffcott-like rotor: I q" + Ip W J q' + K q = 0."""
    I, gyro = 0.301, 0.55 * 60
    D, K = np.array([[0, gyro], [-gyro, 0]]) / I, np.diag([500.0, 800.0]) / I
    exact = np.sort(np.abs(np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-K, -D]]))))[::2]
    assert exact == pytest.approx([16.578259, 126.743178], abs=1e-6)
    model = rotor()
    run = cs.simulate(model, 0.02, step=2e-4)
    for moment in (0.0, 0.01):
        found = cs.modes(model, 3, about=(run, moment))
        assert found.rigid == 1
        assert 2 * np.pi * found.frequencies[1:] == pytest.approx(exact, rel=1e-8)
        linear = cs.linearize(model, "support.rx", "support.rx", about=(run, moment))
        assert np.sort(np.abs(linear.eigenvalues))[2::2] == pytest.approx(exact, rel=1e-8)
        response = cs.frequency_response(model, "support.rx", "support.rx", [1.0, 5.0], about=(run, moment))
        for k, f in enumerate((1.0, 5.0)):
            assert response.data.values[k] == pytest.approx(linear.transfer(2j * np.pi * f), rel=1e-8)


def test_prescribed_motion_about_a_run():
    """A passive link on a driven one: derivatives of q" = f(q, q', u, u', u") by differences of the tree."""

    def build(driven):
        model = cs.Model("driven", gravity=(0, 0, -9.81))
        drive = {"motion": "0.3 + 2*t + 0.7*t**2"} if driven else {}
        one = model.add(cs.RigidBody("one", mass=2.0, com=(0.5, 0, 0), inertia=(0.05, 0.1, 0.12)))
        two = model.add(cs.RigidBody("two", mass=1.0, com=(1.5, 0.2, 0.1), inertia=(0.05, 0.1, 0.12)))
        model.add(cs.Revolute("j0", cs.GROUND, one.at((0, 0, 0)), axis=(0, 0.6, 0.8), **drive))
        model.add(cs.Revolute("j1", one.at((1, 0, 0)), two.at((1, 0, 0)), axis=(0, 1, 0), stiffness=3.0))
        return model

    model, tree = build(True), cs.Tree(build(False))
    run = cs.simulate(model, 0.02, step=1e-4)  # whose velocities obey the joints to second order
    state = [float(run.coordinate("j1")[-1]), float(run.coordinate_rate("j1")[-1])]
    t = float(run.time[-1])
    point = np.array([*state, 0.3 + 2 * t + 0.7 * t**2, 2 + 1.4 * t, 1.4])

    def acceleration(z):
        q1, v1, q0, v0, a0 = z
        efforts = [tree.inverse_dynamics(np.array([q0, q1]), np.array([v0, v1]), np.array([a0, a]))[1] for a in (0, 1)]
        return -efforts[0] / (efforts[1] - efforts[0])

    wanted = []
    for k in range(5):
        step = 1e-4 * np.eye(5)[k]
        f = [acceleration(point + j * step) for j in (-2, -1, 1, 2)]
        wanted.append((f[0] - 8 * f[1] + 8 * f[2] - f[3]) / 12e-4)
    linear = cs.linearize(model, "j0", "j1", about=run, drive="acceleration")
    assert linear.states == ("j1", "j0", "j1.rate", "j0.rate")
    # the coordinate q = j1 - g u, g the part of j1 that goes with u in the model's basis
    g = linear.rows.u0[0, 0]
    row = linear.A[2]
    assert row[0] == pytest.approx(wanted[0], rel=1e-6)
    assert row[2] == pytest.approx(wanted[1], rel=1e-6, abs=1e-6)
    assert row[1] == pytest.approx(wanted[2] + g * wanted[0], rel=1e-6, abs=1e-6)
    assert row[3] == pytest.approx(wanted[3] + g * wanted[1], rel=1e-6, abs=1e-6)
    assert linear.B[2, 0] + g == pytest.approx(wanted[4], rel=1e-7)


def test_load_parameter_is_not_taken_for_a_motion():
    force = cs.Parameter("P", 1.0)
    model = cs.Model("loaded", gravity=(0, 0, -9.81))
    beam = model.add(
        cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.01), material=cs.materials.STEEL, elements=3)
    )
    model.add(cs.Revolute("drive", cs.GROUND, beam.start, axis=(0, 0, 1), motion=0.2))
    model.add(cs.Force("load", beam.end, (0, 0, force)))
    linear = cs.linearize(model, ["P", "load.fz"], ["beam.end.z"], drive="acceleration")
    assert linear.driven == (False, False)
    gains = linear.transfer(3j)[0]
    assert gains[0] == pytest.approx(gains[1], rel=1e-9)


def test_rounding_does_not_choose_coordinates_of_loops():
    """Joint coordinates of a loop say the same of its motions; eigenvalues of a moment depend on which one is taken.

    The same loop turned in space rounds otherwise.
    """
    found = []
    for turn in np.random.default_rng(3).normal(size=(12, 3)):
        R = so3.exp(turn)
        points = np.array([(0.0, 0.0, 0.0), (0.3, 0.0, 0.4), (1.1, 0.0, 0.7), (1.3, 0.0, 0.0)]) @ R.T
        x, y, z = R.T
        model = cs.Model("loop", gravity=-9.81 * z)
        rod, steel = cs.Rod(0.03), cs.materials.STEEL
        a, b, c = (
            model.add(cs.RigidBody.bar(f"bar{i}", start=points[i], end=points[i + 1], section=rod, material=steel))
            for i in range(3)
        )
        model.add(cs.Revolute("first", cs.GROUND, a, axis=y, at=points[0], stiffness=40.0))
        model.add(cs.Universal("second", a, b, axes=(y, x), at=points[1], stiffness=(49.0, 30.0)))
        model.add(cs.Universal("third", b, c, axes=(y, x), at=points[2], stiffness=(5.0, 9.0)))
        model.add(cs.Spherical("closing", c, cs.GROUND, at=points[3]))
        run = cs.simulate(model, 0.1, step=4e-3)
        found.append(cs.modes(model, 1, about=run).eigenvalues[0])
    assert np.abs(np.array(found) / found[0] - 1).max() < 1e-4
