"""Hybrid dynamics: freedoms driven one by one, and bodies that move by moving their joints."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

import cosserat as cs

Array = np.ndarray


@pytest.fixture(params=[False, True])
def case(request: pytest.FixtureRequest, zoo, rng: np.random.Generator) -> tuple[cs.Model, Array]:
    """Joints of every kind, with springs, loads and friction, on the ground and without it."""
    model = zoo(forces=True, free=request.param)
    return model, 0.7 * rng.normal(size=(4, len(cs.Tree(model).coordinates)))


def test_single_freedoms_are_driven_by_their_coordinates(case) -> None:
    model, (q, v, a, _) = case
    names = cs.Tree(model).coordinates
    k = next(i for i, name in enumerate(names) if name.startswith("j8."))  # one axis of a universal joint
    found = cs.hybrid_dynamics(model, q, v, motions={names[k]: a[k]})
    exact = cs.inverse_dynamics(model, q, v, found.a)
    assert found.a[k] == a[k]
    assert abs(exact[k]) > 1e-3
    exact[k] -= found.tau[k]
    assert np.abs(exact).max() < 1e-11


def test_wrenches_act_at_places(case) -> None:
    """J^T w in world axes."""
    model, (q, v, _, _) = case
    w = np.array([1.0, -2.0, 3.0, 0.5, 0.2, -0.7])
    place = "b9.at(1, 2, 3)"
    found = cs.hybrid_dynamics(model, q, v, wrenches={place: w, "b4": 2 * w})
    tau = cs.jacobian(model, place, q).T @ w + cs.jacobian(model, "b4", q).T @ (2 * w)
    exact = cs.forward_dynamics(model, q, v, tau)
    assert np.abs(found.a - exact).max() < 1e-12 * np.abs(exact).max()


def integrate(model: cs.Model, duration: float, steps: int, motions: Callable[[float], dict[str, float]]):
    """Classical Runge-Kutta steps from rest in the reference configuration: q and v at the end, and on the way."""
    tree = cs.Tree(model)
    h = duration / steps
    q, v = np.zeros((2, len(tree.coordinates)))
    on_the_way = [(q, v)]

    def slope(t: float, x: Array, y: Array) -> tuple[Array, Array]:
        return tree.coordinate_rates(x, y), cs.hybrid_dynamics(model, x, y, motions(t), t=t).a

    for i in range(steps):
        t = i * h
        a, b = slope(t, q, v)
        c, d = slope(t + h / 2, q + h / 2 * a, v + h / 2 * b)
        e, f = slope(t + h / 2, q + h / 2 * c, v + h / 2 * d)
        g, j = slope(t + h, q + h * e, v + h * f)
        q, v = q + h / 6 * (a + 2 * c + 2 * e + g), v + h / 6 * (b + 2 * d + 2 * f + j)
        on_the_way.append((q, v))
    return q, v, on_the_way


def satellite() -> cs.Model:
    model = cs.Model("satellite")
    hub = model.add(cs.RigidBody.box("hub", (1.0, 1.2, 0.8), mass=50.0))
    upper = model.add(cs.RigidBody.bar("upper", (0.5, 0, 0), (1.5, 0, 0), mass=4.0))
    lower = model.add(cs.RigidBody.bar("lower", (1.5, 0, 0), (1.5, 0, 1), mass=3.0))
    model.add(cs.Revolute("shoulder", hub, upper, axis=(0, 0, 1), at=(0.5, 0, 0)))
    model.add(cs.Revolute("elbow", upper, lower, axis=(0, 1, 0), at=(1.5, 0, 0)))
    return model


def test_the_base_of_a_satellite_reacts() -> None:
    """Momentum and angular momentum stay zero, and the arm does what it was told."""
    model = satellite()

    def motions(t: float) -> dict[str, float]:
        return {"shoulder": 2 * np.cos(2 * t), "elbow": -3 * np.sin(3 * t)}

    q, v, on_the_way = integrate(model, 2.0, 600, motions)
    assert q[0] == pytest.approx(0.5 * (1 - np.cos(4.0)), abs=1e-9)
    assert v[1] == pytest.approx(np.cos(6.0) - 1.0, abs=1e-9)
    assert np.abs(q[2:]).max() > 0.05  # the hub has moved
    momentum = [cs.centroidal_momentum(model, x, y) for x, y in on_the_way]
    assert np.abs(momentum).max() < 1e-9
    tree = cs.Tree(model)
    assert np.abs(tree.centre_of_mass(q) - tree.centre_of_mass(np.zeros(8))).max() < 1e-9
    # what the motors did is the kinetic energy
    power = [
        sum(found.tau[:2] * y[:2])
        for i, (x, y) in enumerate(on_the_way)
        for found in [cs.hybrid_dynamics(model, x, y, motions(i / 300))]
    ]
    weights = np.array([1] + [4, 2] * 299 + [4, 1]) / 900
    assert weights @ power == pytest.approx(cs.energy(model, q, v).kinetic, rel=1e-7)


def cat(bend: str, sway: str) -> cs.Model:
    """Two halves with a waist that bends about two axes."""
    model = cs.Model("cat")
    front = model.add(cs.RigidBody("front", mass=1.0, com=(0.2, 0, 0), inertia=(0.01, 0.02, 0.02)))
    rear = model.add(cs.RigidBody("rear", mass=1.2, com=(-0.2, 0, 0), inertia=(0.012, 0.025, 0.025)))
    model.add(cs.Universal("waist", front, rear, axes=((0, 1, 0), (0, 0, 1)), at=(0, 0, 0), motion=(bend, sway)))
    return model


PHASE = "(2*pi*t - sin(2*pi*t))"  # from 0 to 2 pi in a second, at rest at both ends
CYCLE = f"0.5*(1 - cos({PHASE}))", f"0.9*sin({PHASE})"


def test_a_cat_turns_at_zero_angular_momentum() -> None:
    """A closed cycle of the waist leaves a net rotation, the same as in the Galilean frame."""
    model = cat(*CYCLE)
    momentum = []
    for steps in (75, 150, 300):
        q, v, _ = integrate(model, 1.0, steps, lambda t: {})
        momentum.append(np.abs(cs.centroidal_momentum(model, q, v)).max())
    assert momentum[0] / momentum[1] == pytest.approx(16.0, rel=0.05)  # nothing but the error of the steps
    assert momentum[1] / momentum[2] == pytest.approx(16.0, rel=0.05)
    assert np.abs(q[:2]).max() < 1e-8  # the waist is straight again
    assert np.abs(v).max() < 1e-6
    assert np.linalg.norm(q[5:]) == pytest.approx(0.78925, abs=1e-4)

    posture = cs.forward_kinematics(model, q)
    error = []
    for steps in (200, 400):
        run = cs.simulate(model, duration=1.0, step=1.0 / steps)
        assert run.status.ok
        nose = run.position("front.at(0.2, 0.3, 0.4)")[-1].values
        error.append(np.abs(nose - posture.position("front.at(0.2, 0.3, 0.4)")).max())
    assert error[1] < 0.3 * error[0]  # second order towards the same place
    assert error[1] < 1e-4


def test_back_and_forth_is_no_cycle() -> None:
    """A path of the waist that encloses no area turns the cat nowhere."""
    model = cat(CYCLE[0], f"0.7*(1 - cos({PHASE}))")
    left = [np.abs(integrate(model, 1.0, steps, lambda t: {})[0]).max() for steps in (75, 150)]
    assert left[1] < 1e-5
    assert left[0] / left[1] == pytest.approx(16.0, rel=0.1)


@pytest.mark.bench
def test_effort_is_linear_in_size() -> None:
    """Eight times the links, about eight times the time; sixty-four would be quadratic."""

    def seconds(n: int) -> float:
        model = cs.Model("chain")
        before: object = cs.GROUND
        for i in range(n):
            body = model.add(cs.RigidBody.bar(f"b{i}", (i, 0, 0), (i + 1, 0, 0), mass=1.0))
            axis = (0, 1, 0) if i % 2 else (0, 0, 1)
            model.add(cs.Revolute(f"j{i}", before, body, axis=axis, at=(i, 0, 0)))
            before = body
        state = np.full((2, n), 0.1)
        motions = {f"j{i}": 1.0 for i in range(0, n, 2)}
        cs.hybrid_dynamics(model, *state, motions)
        best = np.inf
        for _ in range(20):
            start = time.thread_time()
            cs.hybrid_dynamics(model, *state, motions)
            best = min(best, time.thread_time() - start)
        return best

    assert seconds(400) < 16 * seconds(50)
