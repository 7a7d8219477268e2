"""Algorithm against algorithm, derivative against difference, over all kinds of joints; also with the compiler off."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cosserat as cs
from cosserat.solve.relative.tree import Tree


@pytest.fixture(scope="module", params=["plain", "forces", "forces, straight", "free base"])
def tree(request: pytest.FixtureRequest, zoo) -> Tree:
    kind = request.param
    return cs.Tree(zoo(forces="forces" in kind, free=kind == "free base", turned="straight" not in kind))


@pytest.fixture
def state(tree: Tree, rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(3, len(tree.coordinates))) * 0.7


def close(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    return bool(np.abs(a - b).max() <= tolerance * np.abs(b).max())


def test_forward_inverts_inverse_dynamics(tree: Tree, state: np.ndarray) -> None:
    q, v, a = state
    tau = tree.inverse_dynamics(q, v, a)
    assert close(tree.forward_dynamics(q, v, tau), a, 1e-12)


def test_inverse_dynamics_is_mass_matrix_and_bias(tree: Tree, state: np.ndarray) -> None:
    q, v, a = state
    M = tree.mass_matrix(q)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0.0
    assert close(M @ a + tree.bias(q, v), tree.inverse_dynamics(q, v, a), 1e-13)


def test_kinetic_energy_is_that_of_the_mass_matrix(tree: Tree, state: np.ndarray) -> None:
    q, v, _ = state
    assert tree.energy(q, v).kinetic == pytest.approx(0.5 * v @ tree.mass_matrix(q) @ v, rel=1e-13)


def differences(tree: Tree, call, q: np.ndarray, v: np.ndarray, h: float = 1e-4) -> tuple[np.ndarray, np.ndarray]:
    """Fourth-order central differences along unit velocities and unit changes of velocity."""

    def slope(f) -> np.ndarray:
        return (8.0 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12.0 * h)

    unit = np.eye(len(q))
    dq = np.array([slope(lambda s, e=e: call(tree.moved(q, s * e), v)) for e in unit]).T
    dv = np.array([slope(lambda s, e=e: call(q, v + s * e)) for e in unit]).T
    return dq, dv


def test_derivatives_of_inverse_dynamics(tree: Tree, state: np.ndarray) -> None:
    q, v, a = state
    got = tree.inverse_dynamics_derivatives(q, v, a)
    dq, dv = differences(tree, lambda x, y: tree.inverse_dynamics(x, y, a), q, v)
    assert close(got.dq, dq, 1e-10)
    assert close(got.dv, dv, 1e-10)
    assert close(got.da, tree.mass_matrix(q), 1e-14)


def test_derivatives_of_forward_dynamics(tree: Tree, state: np.ndarray) -> None:
    q, v, tau = state
    got = tree.forward_dynamics_derivatives(q, v, tau)
    dq, dv = differences(tree, lambda x, y: tree.forward_dynamics(x, y, tau), q, v)
    assert close(got.dq, dq, 1e-9)
    assert close(got.dv, dv, 1e-9)
    assert close(got.dtau @ tree.mass_matrix(q), np.eye(len(q)), 1e-12)
    assert close(got.a, tree.forward_dynamics(q, v, tau), 1e-14)


@pytest.mark.parametrize("frame", ["world", "body"])
@pytest.mark.parametrize("place", ["b10.at(1, 2, 3)", "b7", "b5"])
def test_jacobian_and_its_rate(tree: Tree, state: np.ndarray, place: str, frame: str) -> None:
    q, v, a = state
    h = 1e-4
    J, J_dot = tree.jacobian(place, q, frame), tree.jacobian_rate(place, q, v, frame)
    posture = tree.forward_kinematics(q, v, a)
    turn = posture.rotation(place).T if frame == "body" else np.eye(3)
    assert close(J[:3] @ v, turn @ posture.velocity(place), 1e-13)
    assert close(J[3:] @ v, turn @ posture.angular_velocity(place), 1e-13)
    if frame == "world":
        assert close(J[:3] @ a + J_dot[:3] @ v, posture.acceleration(place), 1e-13)
        assert close(J[3:] @ a + J_dot[3:] @ v, posture.angular_acceleration(place), 1e-13)
    ahead = [tree.jacobian(place, tree.moved(q, s * h * v), frame) for s in (-2, -1, 1, 2)]
    assert close(J_dot, (8 * (ahead[2] - ahead[1]) - (ahead[3] - ahead[0])) / (12 * h), 1e-10)


def test_moved_difference_and_rates(tree: Tree, state: np.ndarray) -> None:
    q, v, _ = state
    h = 1e-4
    assert close(tree.difference(q, tree.moved(q, 0.3 * v)), 0.3 * v, 1e-13)
    ahead = [tree.moved(q, s * h * v) for s in (-2, -1, 1, 2)]
    assert close(tree.coordinate_rates(q, v), (8 * (ahead[2] - ahead[1]) - (ahead[3] - ahead[0])) / (12 * h), 1e-10)


def test_momentum_moves_the_centre_of_mass(tree: Tree, state: np.ndarray) -> None:
    q, v, _ = state
    h = 1e-4
    mass = 11 * 1.3
    ahead = [tree.centre_of_mass(tree.moved(q, s * h * v)) for s in (-2, -1, 1, 2)]
    rate = (8 * (ahead[2] - ahead[1]) - (ahead[3] - ahead[0])) / (12 * h)
    assert close(tree.centroidal_momentum(q, v)[:3], mass * rate, 1e-10)


def test_lanes_agree_with_single_states(tree: Tree, rng: np.random.Generator) -> None:
    n = len(tree.coordinates)
    q, v, a = rng.normal(size=(3, 6, n))  # a full group of lanes and a part of one
    for call in (tree.inverse_dynamics, tree.forward_dynamics):
        one_by_one = np.array([call(*row) for row in zip(q, v, a, strict=True)])
        assert close(call(q, v, a), one_by_one, 1e-12)
        assert np.array_equal(call(q, v, a, threads=2), call(q, v, a))


@pytest.mark.parametrize("threads", [1, 2])
def test_stacks_of_matrices_agree_with_single_states(tree: Tree, rng: np.random.Generator, threads: int) -> None:
    q, v, a = rng.normal(size=(3, 5, len(tree.coordinates)))
    M = np.empty((5, len(q[0]), len(q[0])))
    assert tree.mass_matrix(q, M, threads) is M
    inverse = tree.inverse_dynamics_derivatives(q, v, a, threads=threads)
    forward = tree.forward_dynamics_derivatives(q, v, a, threads=threads)
    weights, biases = tree.gravity_forces(q, threads=threads), tree.bias(q, v, threads=threads)
    for i in range(5):
        assert np.array_equal(M[i], tree.mass_matrix(q[i]))
        for got, single in zip(inverse, tree.inverse_dynamics_derivatives(q[i], v[i], a[i]), strict=True):
            assert np.array_equal(got[i], single)
        for got, single in zip(forward, tree.forward_dynamics_derivatives(q[i], v[i], a[i]), strict=True):
            assert close(got[i], single, 1e-11)
        assert close(weights[i], tree.gravity_forces(q[i]), 1e-13)
        assert close(biases[i], tree.bias(q[i], v[i]), 1e-13)


def test_derivatives_are_written_where_asked(tree: Tree, state: np.ndarray) -> None:
    q, v, a = state
    n = len(q)
    out = [np.empty((n, n)) for _ in range(3)]
    for given, single in zip(out, tree.inverse_dynamics_derivatives(q, v, a, out), strict=True):
        assert single is given
    for given, single in zip(out, tree.inverse_dynamics_derivatives(q, v, a), strict=True):
        assert np.array_equal(given, single)
    four = (*out, np.empty(n))
    for given, single in zip(four, tree.forward_dynamics_derivatives(q, v, a, four), strict=True):
        assert single is given


@pytest.mark.parametrize("size", [0.0, 1e-160, 1e-9, 1e-3, 1.0, 3.14159, 7.0, 3e5])
def test_rotations_in_lanes(size: float, rng: np.random.Generator) -> None:
    """The weight of a body on a ball, turned by rotation vectors of every size."""
    model = cs.Model("ball", gravity=(1, 2, -1))
    body = model.add(cs.RigidBody("body", mass=1.0, com=(1, 0.5, 0), inertia=(0.1, 0.1, 0.1)))
    model.add(cs.Spherical("ball", cs.GROUND, body.at((0, 0, 0))))
    w = rng.normal(size=(5, 3))
    w *= size / np.linalg.norm(w, axis=1)[:, None]
    exact = [-np.cross((1, 0.5, 0), cs.lie.so3.exp(x).T @ (1, 2, -1)) for x in w]
    accuracy = 4e-15 * max(1.0, size)
    assert np.abs(cs.gravity_forces(model, w) - exact).max() < accuracy
    assert np.abs([cs.gravity_forces(model, x) for x in w] - np.array(exact)).max() < accuracy


def test_sine_and_cosine_to_the_last_place(rng: np.random.Generator) -> None:
    model = cs.Model("wheel", gravity=(1, 0, -1))
    wheel = model.add(cs.RigidBody("wheel", mass=1.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    model.add(cs.Revolute("hub", cs.GROUND, wheel.at((0, 0, 0)), axis=(0, 1, 0)))
    few = [1e-300, 0.0, 1e7, -3e8, 99999.9, 1e5]
    angle = np.concatenate([np.arange(-9, 10) * math.pi / 4, rng.uniform(-9e4, 9e4, 40), few])[:, None]
    zero = np.zeros_like(angle)
    expected = np.sin(angle) - np.cos(angle)
    assert np.abs(cs.inverse_dynamics(model, angle, zero, zero) - expected).max() <= 4e-16
    for q, tau in zip(angle, expected, strict=True):
        assert abs(cs.inverse_dynamics(model, q, [0.0], [0.0]) - tau) <= 4e-16
