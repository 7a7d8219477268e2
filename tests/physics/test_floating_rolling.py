"""Rolling and skating in floating frames: closed forms, the Galilean run, no drift."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs

G, MASS, RADIUS = 9.81, 1.5, 0.3
A, C = MASS * RADIUS**2 / 4, MASS * RADIUS**2 / 2
METHODS = ("generalized-alpha", "runge-kutta")


def disc(tilt: float, precession: float, more=(0, 0, 0)) -> tuple[cs.Model, float]:
    """A thin disc that rolls along a circle, its axis at the angle `tilt` to the vertical, and its spin.

    See tests/physics/test_nonholonomic.py for the balance that gives the spin.
    """
    s, c = np.sin(tilt), np.cos(tilt)
    spin = (A * precession**2 * s * c - MASS * G * RADIUS * c) / (precession * s * (C + MASS * RADIUS**2))
    rotation = cs.lie.so3.exp([0, tilt, 0])
    e = rotation[:, 2]
    up = (np.array([0, 0, 1]) - c * e) / s
    omega = spin * e + precession * s * up + more
    model = cs.Model("disc", gravity=(0, 0, -G))
    body = model.add(cs.RigidBody(
        "disc", mass=MASS, com=(0, 0, RADIUS * s), inertia=(A, A, C), rotation=rotation, angular_velocity=omega
    ))  # fmt: skip
    model.add(cs.RollingDisc("wheel", body, RADIUS, axis=e))
    return model, spin


@pytest.mark.parametrize(("method", "order", "bound"), [("generalized-alpha", 2, 2e-2), ("runge-kutta", 4, 2e-4)])
def test_a_disc_rolls_along_a_circle(method: str, order: int, bound: float) -> None:
    precession = 2.5
    model, spin = disc(1.2, precession)
    half, radius = np.pi / precession, RADIUS * abs(spin) / precession
    error = []
    for steps in (40, 80):
        run = cs.simulate(model, half, half / steps, formulation="floating", integrator=method)
        assert run.status.ok, run.status.message
        away = run.position("disc").values[-1] - run.position("disc").values[0]
        error.append(np.abs(away - (np.copysign(2 * radius, away[0]), 0, 0)).max())  # opposite after half a turn
        assert run.slip("wheel").values.max() < 1e-11
        assert run.constraint_violation.values.max() < 1e-11
    assert error[1] < bound * radius
    assert error[0] / error[1] > 0.8 * 2**order
    force = run.reaction("wheel").values
    np.testing.assert_allclose(force[:, 2], MASS * G, rtol=1e-3)
    np.testing.assert_allclose(np.hypot(*force[:, :2].T), MASS * abs(RADIUS * spin * precession), rtol=5e-3)


@pytest.mark.parametrize("method", METHODS)
def test_a_skate_does_not_slide_down(method: str) -> None:
    """Caratheodory: on a slope, a turning skate goes along a cycloid, sideways and not down."""
    slope, omega = 0.2, 3.0
    model = cs.Model("skate", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    body = model.add(cs.RigidBody.box("skate", (0.3, 0.1, 0.1), mass=2.0, angular_velocity=(0, 0, omega)))
    model.add(cs.Planar("ice", cs.GROUND, body, normal=(0, 0, 1), at=(0, 0, 0)))
    model.add(cs.KnifeEdge("edge", body, direction=(0, 1, 0)))
    run = cs.simulate(model, 2.0, 0.02, formulation="floating", integrator=method)
    size = G * np.sin(slope) / (2 * omega**2)
    x, y, _ = run.position("skate").values.T
    bound = {"generalized-alpha": 2e-3, "runge-kutta": 1e-6}[method]
    np.testing.assert_allclose(x, size * np.sin(omega * run.time) ** 2, atol=bound)
    np.testing.assert_allclose(y, size * (omega * run.time - 0.5 * np.sin(2 * omega * run.time)), atol=bound)
    assert run.slip("edge").values.max() < 1e-12
    across = 2 * 2.0 * G * np.sin(slope) * np.sin(omega * run.time)  # half against gravity, half to bend the path
    np.testing.assert_allclose(np.hypot(*run.reaction("edge").values[:, :2].T), np.abs(across), atol=200 * bound)


def test_a_wobbling_disc_agrees_with_the_galilean_run() -> None:
    model, _ = disc(1.0, 3.0, more=(0.5, 0.2, 0.1))
    floating = cs.simulate(model, 0.5, 0.01, formulation="floating", integrator="runge-kutta")
    galilean = cs.simulate(model, 0.5, 2.5e-4, every=40)
    assert np.allclose(floating.velocity("disc")[0], galilean.velocity("disc")[0], atol=1e-9)
    assert np.abs(floating.position("disc").values - galilean.position("disc").values).max() < 2e-5
    one, two = floating.reaction("wheel").values, galilean.reaction("wheel").values
    assert np.abs(one - two)[5:].max() < 5e-3 * np.abs(two).max()
    total = floating.energy.total.values
    assert np.ptp(total) < 1e-6 * total[0]


def test_a_cart_with_a_flexible_frame_rolls() -> None:
    """Two wheels on an axle of steel that bends, with rows on bodies that ride on modes."""
    model = cs.Model("cart", gravity=(0, 0, -G))
    steel = cs.Material(E=210e9, nu=0.3, rho=7850, damping=1e-3)
    axle = model.add(cs.Beam("axle", points=[(0, -0.5, 0.3), (0, 0.5, 0.3)], section=cs.Rod(0.03), material=steel,
                             elements=4))  # fmt: skip
    for name, place, side in (("left", axle.start, -0.5), ("right", axle.end, 0.5)):
        wheel = model.add(cs.RigidBody(name, mass=2.0, com=(0, side, 0.3), inertia=(0.05, 0.1, 0.05),
                                       velocity=(1, 0, 0), angular_velocity=(0, 1 / 0.3, 0)))  # fmt: skip
        model.add(cs.Revolute(f"{name} hub", place, wheel, axis=(0, 1, 0)))
        model.add(cs.RollingDisc(f"{name} tyre", wheel, 0.3, axis=(0, 1, 0)))
    # a step with which the sag is within 2 % of that of far shorter ones in either formulation (14 % at 2e-3)
    floating = cs.simulate(model, 0.1, 5e-4, formulation="floating", modes=4)
    galilean = cs.simulate(model, 0.1, 5e-4)
    assert floating.status.ok, floating.status.message
    assert floating.slip("left tyre").values.max() < 1e-11
    sag = np.abs(galilean.position("axle.at(0.5)").values[:, 2] - 0.3).max()
    away = floating.position("axle.at(0.5)").values - galilean.position("axle.at(0.5)").values
    assert sag > 1e-5
    assert np.abs(away[:, 2]).max() < 0.02 * sag
    assert np.abs(away[:, 0]).max() < 1e-5 * 0.1  # of the way


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_nothing_drifts_in_ten_thousand_steps(method: str) -> None:
    model, _ = disc(1.2, 2.5, more=(0.3, 0.2, 0.1))
    run = cs.simulate(model, 50.0, 0.005, formulation="floating", integrator=method, every=50)
    assert run.stats["steps"] == 10_000
    assert run.status.ok, run.status.message
    assert run.slip("wheel").values.max() < 1e-10
    assert run.constraint_violation.values.max() < 1e-10
    assert np.ptp(run.position("disc").values[:, 2]) > 1e-3  # it wobbled
