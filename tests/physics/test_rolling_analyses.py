"""Wheels and blades in equilibria, modes, linear models and stability, at rest and in steady motion."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import SolveError

G, R, MASS = 9.81, 0.3, 2.0


def coin(speed: object, lean: float = 0.0, yaw: float = 0.0, spin: object = 0.0) -> cs.Model:
    """A thin disc on the plane z = 0, its lowest point at the origin, rolling along x."""
    model = cs.Model("coin", gravity=(0, 0, -G))
    up = np.array([0.0, np.sin(lean), np.cos(lean)])
    axis = np.array([0.0, np.cos(lean), -np.sin(lean)])
    J = MASS * R**2 * (0.25 * np.eye(3) + 0.25 * np.outer(axis, axis))
    omega = tuple(float(x) for x in yaw * np.array([0, 0, 1.0])) if yaw else (0.0, 0.0, 0.0)
    omega = tuple(w + spin * float(a) if float(a) else w for w, a in zip(omega, axis, strict=True))
    model.add(cs.RigidBody("disc", MASS, R * up, J, velocity=(speed, 0, 0), angular_velocity=omega))
    model.add(cs.RollingDisc("rim", "disc", radius=R, axis=axis))
    return model


def test_upright_disc() -> None:
    """Rolls upright by itself above v^2 = g r / 3; its wobble there is that of the linear theory."""
    v = cs.Parameter("v", 0.5)
    found = cs.stability(coin(v, spin=v / R), "v", np.linspace(0.5, 2.0, 5), about="motion")
    assert len(found.critical) == 1
    assert not found.critical[0].loss
    assert abs(found.critical[0].value - np.sqrt(G * R / 3.0)) < 1e-7
    # (I + m r^2) lean" = m g r lean - 2 I_a w yaw' - ..., yaw' = 2 w lean for the thin disc
    values = cs.modes(coin(2.0, spin=2.0 / R), about="motion").eigenvalues
    w = 2.0 / R
    wobble = np.sqrt((12.0 * w**2 - 4.0 * G / R) / 5.0)  # 5/4 lean" = (g/r - 3 w^2) lean
    assert np.allclose(values[values != 0.0], 1j * wobble, rtol=1e-9)


def disc_rates(z: np.ndarray) -> np.ndarray:
    """d/dt of (lean, its rate, spin about the axis, spin about the diameter upwards) of a thin disc, r = m = 1.

    Balance of moments in axes (along, axis of the disc, up in the disc) that follow the disc without its spin.
    """
    lean, rate, spin, upwards = z
    s, c = np.sin(lean), np.cos(lean)
    frame = np.array([-rate, -upwards * s / c, upwards])
    L, v = np.array([-0.25 * rate, 0.5 * spin, 0.25 * upwards]), np.array([spin, rate, 0.0 * spin])
    moment, turn = np.cross(frame, L), np.cross(frame, v)
    return np.array([rate, (moment[0] - turn[1] + G / R * s) / 1.25, -(moment[1] + turn[0]) / 1.5, -moment[2] / 0.25])


def test_disc_in_a_circle() -> None:
    """Leaning, it rolls around a circle: eigenvalues against those of the equations of a disc, differentiated."""
    lean, yaw = 0.4, 3.0
    c, s = np.cos(lean), np.sin(lean)
    spin = (G / R * s - 0.25 * yaw**2 * s * c) / (1.5 * yaw * c)  # balance of moments about the lowest point
    up, axis = np.array([0.0, s, c]), np.array([0.0, c, -s])
    omega = yaw * c * up + spin * axis
    J = MASS * R**2 * (0.25 * np.eye(3) + 0.25 * np.outer(axis, axis))
    factor = cs.Parameter("factor", 1.0)
    model = cs.Model("coin", gravity=(0, 0, -G))
    velocity, turning = ([factor * float(x) for x in v] for v in (np.cross(omega, R * up), omega))
    model.add(cs.RigidBody("disc", MASS, R * up, J, velocity=velocity, angular_velocity=turning))
    model.add(cs.RollingDisc("rim", "disc", radius=R, axis=axis))
    state = np.array([lean, 0.0, spin, yaw * c])
    assert np.allclose(disc_rates(state), 0.0, atol=1e-12)
    jacobian = np.array([disc_rates(state + 1e-20j * e).imag / 1e-20 for e in np.eye(4)]).T
    expected = np.linalg.eigvals(jacobian)
    values = cs.modes(model, about="motion").eigenvalues
    wobble = expected[np.argmax(expected.imag)]
    # and where it rolls, seen from axes that go around
    found = values[values != 0.0]
    assert np.allclose(found[np.argsort(found.imag)], sorted([1j * yaw, wobble], key=np.imag), rtol=1e-9)
    model.set(factor=1.01)
    with pytest.raises(SolveError, match="not steady: 'disc' is accelerated by"):
        cs.modes(model, about="motion")


def test_sleigh() -> None:
    """Chaplygin's sleigh: a blade behind the centre of mass keeps straight on, one before it turns around."""
    m, J, a, v = 3.0, 0.5, 0.4, cs.Parameter("v", 1.0)
    for side in (1.0, -1.0):
        model = cs.Model("sleigh", gravity=(0, 0, -G))
        body = model.add(cs.RigidBody("body", m, (0, 0, 0), (J, J, J), velocity=(v, 0, 0)))
        model.add(cs.Planar("ice", cs.GROUND, body, normal=(0, 0, 1)))
        model.add(cs.KnifeEdge("blade", body.at((-side * a, 0, 0)), direction=(0, 1, 0)))
        found = cs.stability(model, "v", [1.0, 2.0], about="motion")
        for speed, values in zip(found.values, found.eigenvalues, strict=True):
            moving = values[values != 0.0]
            assert np.allclose(moving, -side * m * a * speed / (J + m * a**2), rtol=1e-9)
        linear = cs.linearize(model, "ice.rz", ["ice.x", "ice.y", "ice.rz.rate"], about="motion")
        assert len(linear.states) == len(linear.coordinates) + 2  # forward and turning
        assert np.isclose(linear.eigenvalues[np.argmax(np.abs(linear.eigenvalues))].real, moving[0].real / 2.0)
        assert np.allclose(linear.values, (0.0, 0.0, 0.0))


def wheel(angle: float) -> cs.Model:
    """A wheel with its centre of mass off the axle, kept upright, turned from its rest."""
    e, J = 0.1, 0.05
    model = cs.Model("wheel", gravity=(0, 0, -G))
    com = np.array([0.0, 0.0, R]) + e * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    body = model.add(cs.RigidBody("body", MASS, com, (J, J, J)))
    model.add(cs.Planar("guide", cs.GROUND, body, normal=(0, 1, 0)))
    model.add(cs.RollingDisc("rim", body.at((0, 0, R)), radius=R, axis=(0, 1, 0)))
    return model


@pytest.mark.filterwarnings("ignore:redundant constraints")
def test_wheel_at_rest() -> None:
    """It rolls, without slip, until its centre of mass is lowest, and swings about that."""
    angle = 0.8
    found = cs.equilibrium(wheel(angle))
    assert found.status.ok
    assert found.stable
    # where it comes to rest depends on the steps
    assert np.allclose(found.position("body"), (R * angle, 0.0, R - 0.1), atol=2e-3)
    expected = np.sqrt(MASS * G * 0.1 / (0.05 + MASS * (R - 0.1) ** 2))
    for about in (found, None, "reference"):
        model = wheel(angle if about is not None and about != "reference" else 0.0)
        modes = cs.modes(model, about=found if about is found else about)
        assert np.allclose(2 * np.pi * modes.frequencies, expected, rtol=1e-7)
    linear = cs.linearize(wheel(0.0), "body.fx", "body.x")
    assert np.allclose(np.abs(linear.eigenvalues), expected, rtol=1e-9)
    response = cs.frequency_response(wheel(0.0), "body.fx", "body.x", [0.0])
    assert np.allclose(response.gain(), (R - 0.1) ** 2 / (MASS * G * 0.1), rtol=1e-9)


def test_spin_is_refused() -> None:
    with pytest.raises(SolveError, match=r"rim.*rolls on a plane that stands still"):
        cs.equilibrium(coin(0.0), spin=(0, 0, 1))


def test_rotor_that_is_not_round() -> None:
    """The described motion goes on, but what turns does not look the same from all sides."""
    model = cs.Model("rotor", gravity=(0, 0, 0))
    frame = model.add(cs.RigidBody("frame", 1.0, (0, 0, 0), (1.0, 1.5, 1.0)))
    model.add(cs.Spherical("ball", cs.GROUND, frame, at=(0, 0, 0), stiffness=10.0))
    rotor = model.add(cs.RigidBody("rotor", 1.0, (0, 0, 0), (1.0, 2.0, 3.0), angular_velocity=(0, 0, 5.0)))
    model.add(cs.Revolute("shaft", frame, rotor, axis=(0, 0, 1), at=(0, 0, 0)))
    with pytest.raises(SolveError, match="same from all sides"):
        cs.modes(model, about="motion")


def test_round_rotor() -> None:
    """A gyroscope in springs: two frequencies that split with the spin."""
    model = cs.Model("rotor", gravity=(0, 0, 0))
    w, k, J, J_a = 5.0, 10.0, 2.0, 1.5
    frame = model.add(cs.RigidBody("frame", 1.0, (0, 0, 0), (1, 1, 1)))
    model.add(cs.Spherical("ball", cs.GROUND, frame, at=(0, 0, 0), stiffness=k))
    rotor = model.add(cs.RigidBody("rotor", 1.0, (0, 0, 0), (1.0, 1.0, J_a), angular_velocity=(0, 0, w)))
    model.add(cs.Revolute("shaft", frame, rotor, axis=(0, 0, 1), at=(0, 0, 0)))
    modes = cs.modes(model, about="motion")
    expected = [abs(s) for s in np.roots([J, J_a * w, -k])] + [np.sqrt(k / 1.0)]
    found = modes.eigenvalues[modes.rigid :].imag
    assert np.allclose(np.sort(found), np.sort(expected), rtol=1e-9)
