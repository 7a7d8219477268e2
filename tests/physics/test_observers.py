"""Runs seen by moving observers: closed forms, differences of what is seen, Newton's law with apparent wrenches."""

import numpy as np
import pytest

import cosserat as cs


def free_body(**kwargs):
    model = cs.Model("free", gravity=kwargs.pop("gravity", (0, 0, 0)))
    model.add(cs.RigidBody("body", mass=2.0, inertia=np.diag([0.1, 0.2, 0.25]), **kwargs))
    return model


def ship():
    turns = [((0, 0, 1), "0.4*sin(t)"), ((0, 1, 0), "0.3*t**2"), ((1, 0, 0), "0.2*sin(2*t)")]
    return cs.Observer(origin=("3*t", "sin(t)", "0.1*t**2"), turns=turns)


def test_turntable():
    # Released at rest on a table that turns at 2 rad/s, 1 m from its axis: straight line in space.
    run = cs.simulate(free_body(com=(1, 0, 0), velocity=(0, 2, 0)), duration=1.5, step=0.01)
    seen = run.seen_from(cs.Observer(turns=[((0, 0, 1), "2*t")]))
    assert np.allclose(seen.position("body").values[-1], (-0.5666324724, -3.1110974979, 0), atol=1e-9)
    assert np.allclose(seen.velocity("body").values[0], 0.0, atol=1e-12)
    # centrifugal acceleration outwards at release
    assert np.allclose(seen.acceleration("body").values[0], (4.0, 0.0, 0.0), atol=1e-9)


def test_earth_turns_the_fall_to_the_east():
    # At the equator a body dropped from rest on the Earth moves east by Omega g t^3 / 3 to first order. The run is in
    # the frame that does not turn, so weight turns with the Earth and the first velocity is that of the ground.
    rate, g, height = 7.2921159e-5, 9.81, 100.0
    earth = cs.Observer.earth(latitude=0.0)
    model = free_body(com=(0, 0, height), velocity=(rate * height, 0, 0))
    weight = lambda t: (-2 * g * np.sin(rate * t), 0 * t, -2 * g * np.cos(rate * t))  # noqa: E731
    model.add(cs.Force("weight", "body", weight))
    fall = np.sqrt(2 * height / g)
    run = cs.simulate(model, duration=fall, step=fall / 400)
    east = run.seen_from(earth).position("body").values[-1, 0]
    assert east == pytest.approx(rate * g * fall**3 / 3, rel=2e-5)


@pytest.mark.parametrize("quantity, rate", [("position", "velocity"), ("velocity", "acceleration")])
def test_rates_are_derivatives_of_what_is_seen(quantity, rate):
    run = cs.simulate(
        free_body(gravity=(0, 0, -9.81), velocity=(1, 2, 3), angular_velocity=(1, 0.5, 2)), duration=1, step=1e-3
    )
    seen = run.seen_from(ship())
    values, expected = getattr(seen, quantity)("body").values, getattr(seen, rate)("body").values
    differences = (values[2:] - values[:-2]) / 2e-3
    assert np.allclose(differences, expected[1:-1], atol=2e-5)


def test_angular_rates_are_derivatives_of_what_is_seen():
    run = cs.simulate(free_body(velocity=(1, 2, 3), angular_velocity=(1, 0.5, 2)), duration=1, step=1e-3)
    seen = run.seen_from(ship())
    R, omega = seen.rotation("body").values, seen.angular_velocity("body").values
    spin = (R[2:] - R[:-2]) / 2e-3 @ np.swapaxes(R[1:-1], 1, 2)
    assert np.allclose(spin[:, 2, 1], omega[1:-1, 0], atol=2e-5)
    assert np.allclose(spin[:, 0, 2], omega[1:-1, 1], atol=2e-5)
    alpha = seen.angular_acceleration("body").values
    assert np.allclose((omega[2:] - omega[:-2]) / 2e-3, alpha[1:-1], atol=2e-5)


def test_apparent_wrenches_close_newton_euler():
    force, torque = np.array([1.0, -2.0, 0.5]), np.array([0.1, 0.2, -0.3])
    model = free_body(gravity=(0, 0, -9.81), velocity=(1, 2, 3), angular_velocity=(1, 0.5, 2))
    model.add(cs.Wrench("push", "body", (*force, *torque)))
    run = cs.simulate(model, duration=1, step=1e-3, newton_tolerance=1e-13)
    seen = run.seen_from(ship())
    R = seen.motion.rotation
    acting = np.concatenate(
        [np.einsum("tji,j->ti", R, force + np.array([0, 0, -2 * 9.81])), np.einsum("tji,j->ti", R, torque)], axis=1
    )
    left = seen.dynamic_wrench("body").values - seen.apparent_wrench("body").values - acting
    assert np.abs(left).max() < 1e-10 * np.abs(seen.apparent_wrench("body").values).max()


def test_momentum_seen_from_a_place_of_the_body_itself_vanishes():
    run = cs.simulate(free_body(velocity=(1, 2, 3), angular_velocity=(1, 0.5, 2)), duration=0.3, step=1e-2)
    assert np.abs(run.seen_from("body").kinetic_wrench("body").values).max() < 1e-12


def test_an_observer_on_a_beam_rides_along():
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    beam = model.add(
        cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.02), material=cs.materials.STEEL, elements=2)
    )
    model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0)))
    for options in ({}, {"formulation": "floating", "modes": 4}):
        run = cs.simulate(model, duration=0.2, step=2e-3, **options)
        seen = run.seen_from(beam.end)
        assert np.allclose(seen.position("arm.end"), 0.0, atol=1e-12)
        assert np.allclose(seen.acceleration("arm.end"), 0.0, atol=1e-9)
        back = seen.position("arm.start").values
        assert np.allclose(np.linalg.norm(back, axis=1), 1.0, atol=1e-3)


def test_bad_observers():
    run = cs.simulate(free_body(velocity=(1, 0, 0)), duration=0.01, step=0.01)
    with pytest.raises(cs.CosseratError, match="entry 0 must be a pair"):
        cs.Observer(turns=["2*t"])
    with pytest.raises(cs.CosseratError, match="norm 0"):
        cs.Observer(turns=[((0, 0, 0), 1.0)])
    with pytest.raises(cs.CosseratError, match="latitude"):
        cs.Observer.earth(48.85)
    with pytest.raises(cs.CosseratError, match=r"Observer\.motion: t"):
        cs.Observer().motion("noon")
    with pytest.raises(cs.CosseratError, match="rigid bodies: 'body'"):
        run.seen_from(cs.Observer()).drive_wrench("wheel")
    with pytest.raises(cs.CosseratError, match="'observer' or 'body'"):
        run.seen_from(cs.Observer()).velocity("body", frame="world")
    with pytest.raises(cs.CosseratError, match="nowhere"):
        run.seen_from("nowhere")
