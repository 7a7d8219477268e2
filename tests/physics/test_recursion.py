"""Relative coordinates at work: conservation laws, the Galilean engine as second formulation, textbook equations."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import cosserat as cs


def on_the_group(tree: cs.Tree, q: np.ndarray, v: np.ndarray, duration: float, steps: int) -> np.ndarray:
    """Midpoint steps along velocities, second order."""
    h = duration / steps
    tau = np.zeros_like(v)
    for _ in range(steps):
        middle = tree.moved(q, h / 2 * v)
        fast = v + h / 2 * tree.forward_dynamics(q, v, tau)
        q, v = tree.moved(q, h * fast), v + h * tree.forward_dynamics(middle, fast, tau)
    return q


def rates(tree: cs.Tree, q: np.ndarray, v: np.ndarray, duration: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Classical Runge-Kutta steps in the coordinates and the velocities."""
    h = duration / steps
    tau = np.zeros_like(v)

    def slope(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return tree.coordinate_rates(x, y), tree.forward_dynamics(x, y, tau)

    for _ in range(steps):
        a, b = slope(q, v)
        c, d = slope(q + h / 2 * a, v + h / 2 * b)
        e, f = slope(q + h / 2 * c, v + h / 2 * d)
        g, i = slope(q + h * e, v + h * f)
        q, v = q + h / 6 * (a + 2 * c + 2 * e + g), v + h / 6 * (b + 2 * d + 2 * f + i)
    return q, v


@pytest.fixture
def start(rng: np.random.Generator):
    return lambda tree: rng.normal(size=(2, len(tree.coordinates))) * np.array([[0.4], [0.7]])


def test_energy_is_conserved(zoo, start) -> None:
    model = zoo()
    model.add(cs.Spring("spring", "b1", "b9", 20.0))
    tree = cs.Tree(model)
    q, v = start(tree)
    before = tree.energy(q, v).total
    drift = []
    for steps in (50, 100, 200):
        drift.append(abs(tree.energy(*rates(tree, q, v, 0.4, steps)).total - before))
    assert drift[0] / drift[1] > 12.0
    assert drift[1] / drift[2] > 12.0
    assert drift[2] < 1e-6 * abs(before)


def test_momentum_of_a_free_tree_is_conserved(zoo, start) -> None:
    tree = cs.Tree(zoo(free=True, gravity=(0, 0, 0)))
    q, v = start(tree)
    before, centre = tree.centroidal_momentum(q, v), tree.centre_of_mass(q)
    x, y = rates(tree, q, v, 0.4, 200)
    assert np.abs(tree.centroidal_momentum(x, y) - before).max() < 1e-7 * np.abs(before).max()
    moved = centre + 0.4 * before[:3] / (11 * 1.3)
    assert np.abs(tree.centre_of_mass(x) - moved).max() < 1e-8


def test_a_free_tree_falls(zoo, start) -> None:
    """The centre of mass of a tree without ground accelerates with gravity, whatever the joints do."""
    tree = cs.Tree(zoo(free=True))
    q, v = start(tree)
    a = tree.forward_dynamics(q, v, np.zeros_like(v))
    h = 1e-4
    A = [tree.centroidal_matrix(tree.moved(q, s * h * v)) for s in (-1, 1)]
    rate = tree.centroidal_matrix(q) @ a + (A[1] - A[0]) @ v / (2 * h)
    assert np.allclose(rate[:3] / (11 * 1.3), (0.2, 0.3, -9.8), atol=1e-6)
    assert np.allclose(rate[3:], 0.0, atol=1e-6)


def test_steps_on_the_group_and_in_coordinates_agree() -> None:
    model = cs.Model("top", gravity=(0, 0, -9.81))
    top = model.add(cs.RigidBody("top", mass=1.0, com=(0, 0, 0.5), inertia=(0.02, 0.02, 0.01)))
    model.add(cs.Spherical("tip", cs.GROUND, top.at((0, 0, 0))))
    tree = cs.Tree(model)
    q, v = np.array([0.3, 0.1, 0.0]), np.array([0.2, 0.0, 12.0])
    exact, _ = rates(tree, q, v, 0.2, 400)
    error = [np.abs(tree.difference(exact, on_the_group(tree, q, v, 0.2, n))).max() for n in (100, 200)]
    assert error[0] / error[1] == pytest.approx(4.0, rel=0.1)
    assert error[1] < 1e-4


def test_the_galilean_engine_moves_the_same_way(zoo) -> None:
    """From rest, under every kind of force a model can have."""
    model = zoo(forces=True)
    tree = cs.Tree(model)
    n = len(tree.coordinates)
    q, v = rates(tree, np.zeros(n), np.zeros(n), 0.1, 100)
    posture = tree.forward_kinematics(q, v)
    error = []
    for steps in (100, 200):
        run = cs.simulate(model, duration=0.1, step=0.1 / steps)
        assert run.status.ok
        error.append(max(
            float(np.abs(run.position(place)[-1].values - posture.position(place)).max())
            for place in ("b10.at(1, 2, 3)", "b9", "b7", "b8", "b0")
        ))  # fmt: skip
        speed = max(
            float(np.abs(run.angular_velocity(b)[-1].values - posture.angular_velocity(b)).max()) for b in ("b10", "b9")
        )
    assert error[1] < 0.3 * error[0]  # second order towards the same motion
    assert error[1] < 1e-5
    assert speed < 1e-3


def test_coordinates_are_those_of_the_galilean_run(zoo) -> None:
    """Also where a joint is described from the outer body to the inner one."""
    model = zoo(forces=True)
    tree = cs.Tree(model)
    n = len(tree.coordinates)
    q, _ = rates(tree, np.zeros(n), np.zeros(n), 0.1, 50)
    assert np.abs(q).min() > 1e-4
    run = cs.simulate(model, duration=0.1, step=0.1 / 400)
    got = np.concatenate([np.atleast_1d(run.coordinate(j.name)[-1].values) for j in model.joints if j.freedoms])
    assert np.abs(got - q).max() < 1e-5


def test_two_link_arm_in_closed_form() -> None:
    """Planar double pendulum with links of length 1 along x, point-like masses at their ends."""
    model = cs.Model("two links", gravity=(0, -9.81, 0))
    m, J = 2.0, 0.1
    links = [model.add(cs.RigidBody(f"link{i}", mass=m, com=(i + 1.0, 0, 0), inertia=(J, J, J))) for i in range(2)]
    model.add(cs.Revolute("one", cs.GROUND, links[0].at((0, 0, 0)), axis=(0, 0, 1)))
    model.add(cs.Revolute("two", links[0].at((1, 0, 0)), links[1].at((1, 0, 0)), axis=(0, 0, 1)))
    a, b = 0.4, -0.7
    w, u = 1.1, 0.6
    c, s = np.cos(b), np.sin(b)
    M = np.array([[2 * J + m * (3 + 2 * c), J + m * (1 + c)], [J + m * (1 + c), J + m]])
    h = m * s * np.array([-u * (2 * w + u), w * w])
    g = 9.81 * m * np.array([2 * np.cos(a) + np.cos(a + b), np.cos(a + b)])
    q, v = np.array([a, b]), np.array([w, u])
    assert np.allclose(cs.mass_matrix(model, q), M, rtol=1e-14)
    assert np.allclose(cs.bias(model, q, v), h + g, rtol=1e-13)
    assert np.allclose(cs.gravity_forces(model, q), g, rtol=1e-13)


def test_a_chain_of_a_thousand_links() -> None:
    n = 1000
    model = cs.Model("long", gravity=(0, 0, -9.81))
    inner = cs.GROUND
    for i in range(n):
        body = model.add(cs.RigidBody(f"b{i}", mass=1.0, com=(0.5, 0, -0.1 * i - 0.05), inertia=(0.01, 0.01, 0.01)))
        place = (0.5, 0, -0.1 * i)
        model.add(cs.Revolute(f"j{i}", inner if i == 0 else inner.at(place), body.at(place), axis=(0, 1, 0)))
        inner = body
    zero = np.zeros(n)
    a = np.linspace(-1.0, 1.0, n)
    assert np.abs(cs.gravity_forces(model, zero)).max() < 1e-9  # it hangs straight down
    tau = cs.inverse_dynamics(model, 0.01 * a, a, a)
    again = cs.inverse_dynamics(model, 0.01 * a, a, cs.forward_dynamics(model, 0.01 * a, a, tau))
    assert np.abs(again - tau).max() < 1e-12 * np.abs(tau).max()


def test_threads_do_not_meet_in_one_tree(zoo, rng: np.random.Generator) -> None:
    """Calls that release the GIL, and calls that do not, at the same time on one tree with forces of its own."""
    tree = cs.Tree(zoo(forces=True))
    n = len(tree.coordinates)
    states, driven = rng.normal(size=(10, 3, n)), np.ones(n)
    calls = [
        lambda q, v, a: tree.inverse_dynamics(q, v, a),
        lambda q, v, a: tree.mass_matrix(q),
        lambda q, v, a: tree.forward_dynamics_derivatives(q, v, a).dq,
        lambda q, v, a: tree.hybrid_dynamics(q, v, driven, a)[1],
    ]
    alone = [[call(*state) for state in states] for call in calls]

    def differences(k: int) -> int:
        return sum(
            not np.array_equal(calls[k](*state), expected)
            for _ in range(60)
            for state, expected in zip(states, alone[k], strict=True)
        )

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(len(calls)) as pool:
            assert list(pool.map(differences, range(len(calls)))) == [0] * len(calls)
    finally:
        sys.setswitchinterval(interval)


KINDS = {
    "Revolute": {"axis": (0, 1, 2)}, "Prismatic": {"axis": (0, 1, 2)}, "Screw": {"axis": (0, 1, 2), "pitch": 0.1},
    "Cylindrical": {"axis": (0, 1, 2)}, "Planar": {"normal": (0, 1, 2)}, "PlanarTranslation": {"normal": (0, 1, 2)},
    "Spherical": {}, "Universal": {"axes": ((1, 0, 0), (0, 1, 0))}, "Free": {}, "Fixed": {},
}  # fmt: skip


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_joint_between_two_bodies_and_as_one_of_several(kind: str, reverse: bool, rng) -> None:
    """Forward dynamics undoes inverse dynamics; also in stacks and where the joint is driven."""
    model = cs.Model("tree", gravity=(0, 0, -9.81))
    bodies = [model.add(cs.RigidBody(f"b{k}", 1.0, (k, 0.3, 0.1 * k), (0.3, 0.31, 0.32))) for k in range(4)]
    model.add(cs.Revolute("root", cs.GROUND, bodies[0].at((0, 0, 0)), axis=(0, 0, 1)))
    for k, inner in ((1, 0), (2, 0), (3, 1)):
        at = (k - 0.5, 0.1, 0)
        ends = (bodies[k].at(at), bodies[inner].at(at)) if reverse else (bodies[inner].at(at), bodies[k].at(at))
        if k == 1:
            model.add(getattr(cs, kind)("joint", *ends, at=at, **KINDS[kind]))
        else:
            model.add(cs.Revolute(f"r{k}", *ends, axis=(1, 0, 1), at=at))
    for name in ("r2", "root"):  # with brothers and children, with children only
        tree = cs.Tree(model)
        n = len(tree.coordinates)
        q, v, a = rng.normal(size=(3, 7, n)) * 0.5
        tau = tree.inverse_dynamics(q, v, a)
        assert np.allclose(tree.forward_dynamics(q, v, tau), a, atol=1e-9)
        for k in range(2):
            assert np.allclose(tree.forward_dynamics(q[k], v[k], tau[k]), a[k], atol=1e-9)
            motions = {name: a[k, tree.coordinates.index(name)]}
            efforts = {c: tau[k, i] for i, c in enumerate(tree.coordinates) if c != name}
            found = cs.hybrid_dynamics(model, q[k], v[k], motions, efforts)
            assert np.allclose(found.a, a[k], atol=1e-9)
            assert np.allclose(found.tau, tau[k], atol=1e-9)
