"""Stability of what turns: a disc on unequal springs, and a blade."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cosserat as cs

SOFT, HARD = 4.0, 9.0


def disc(damping: float = 0.0) -> cs.Model:
    """Unit mass on a turntable that carries its springs: det = (s^2 + 4 - W^2)(s^2 + 9 - W^2) + 4 W^2 s^2."""
    model = cs.Model("disc")
    body = model.add(cs.RigidBody("disc", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(
        cs.PlanarTranslation(
            "springs", cs.GROUND, body, normal=(0, 0, 1), stiffness=(SOFT, HARD), damping=(damping, damping)
        )
    )
    return model


def exact(spin: float) -> np.ndarray:
    a, b = SOFT - spin**2, HARD - spin**2
    squares = np.roots([1.0, a + b + 4 * spin**2, a * b]).astype(complex)
    return np.concatenate((np.sqrt(squares), -np.sqrt(squares)))


def test_unstable_between_the_two_speeds():
    W = cs.Parameter("W", 0.1)
    found = cs.stability(disc(), "W", np.linspace(0.1, 4.0, 40), spin=(0, 0, W))
    assert [c.kind for c in found.critical] == ["divergence", "divergence"]
    assert [c.loss for c in found.critical] == [True, False]
    assert_allclose([c.value for c in found.critical], [2.0, 3.0], rtol=1e-9)
    for k in (3, 25, 38):
        assert_allclose(
            np.sort_complex(np.round(found.eigenvalues[k], 9)), np.sort_complex(np.round(exact(found.values[k]), 9)),
            atol=2e-9,
        )  # fmt: skip


def test_campbell_of_the_disc():
    """Order n meets a frequency where the characteristic polynomial vanishes at s = i n W."""
    found = cs.campbell(disc(), np.linspace(0.1, 1.9, 19), orders=(1, 2), n=2)
    assert_allclose(
        np.sort(2 * np.pi * found.frequencies[5]), np.sort(np.abs(exact(found.spins[5]).imag))[::2], rtol=1e-9
    )
    assert found.critical_speeds
    for c in found.critical_speeds:
        x = (c.order * c.spin) ** 2
        value = (SOFT - c.spin**2 - x) * (HARD - c.spin**2 - x) - 4 * c.spin**2 * x
        assert abs(value) < 1e-8
        assert c.frequency == pytest.approx(c.order * c.spin / (2 * np.pi))
    # order 1: (4 - 2 W^2)(9 - 2 W^2) = 4 W^4
    assert_allclose(found.critical_speeds[-1].spin, np.sqrt(36 / 26), rtol=1e-9)


def test_damping_that_stays_at_rest_does_not_help_beyond():
    """With dampers on the turntable the disc still diverges between the speeds: s = 0 does not feel them."""
    W = cs.Parameter("W", 0.1)
    found = cs.stability(disc(0.3), "W", np.linspace(0.1, 4.0, 14), spin=(0, 0, W))
    assert_allclose([c.value for c in found.critical], [2.0, 3.0], rtol=1e-9)
    assert [c.kind for c in found.critical] == ["divergence", "divergence"]


def test_blade():
    """Flap frequencies of a rotating cantilever [Wright82], and modes about the same rotation."""
    model = cs.Model("blade")
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, 50, 1, 4], mass=[1, 1, 1, 2e-8, 1e-8, 1e-8])
    blade = model.add(cs.Beam("blade", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=16))
    model.add(cs.Fixed("root", cs.GROUND, blade.start))
    found = cs.campbell(model, [0.0, 2.0, 4.0, 7.0, 10.0], n=4, orders=(2,))
    omega = 2 * np.pi * found.frequencies
    assert_allclose(omega[[1, 2, 4], 0], [4.13732, 5.58500, 11.20233], rtol=5e-4)
    for c in found.critical_speeds:
        modes = cs.modes(model, 4, spin=(0, 0, c.spin))
        assert np.min(np.abs(modes.frequencies / c.frequency - 1)) < 1e-7


def gust(t, frame, twist, parameters):
    """A force that keeps its direction in space."""
    wrench = np.zeros(6)
    for i in range(3):
        wrench[i] = parameters["F"] * frame[1, i]
    return wrench


def brake(t, frame, twist, parameters):
    """A force against the velocity."""
    wrench = np.zeros(6)
    wrench[:3] = -parameters["c"] * twist[:3]
    return wrench


def lap(t, frame, twist, parameters):
    """A force in space that goes around as fast as the mechanism."""
    wrench = np.zeros(6)
    for i in range(3):
        turned = np.cos(parameters["W"] * t) * frame[0, i] + np.sin(parameters["W"] * t) * frame[1, i]
        wrench[i] = parameters["F"] * turned
    return wrench


def blade_with(law, **numbers) -> cs.Model:
    model = cs.Model("blade")
    section = cs.Section(stiffness=[1e4, 1e4, 1e4, 5, 3, 10], mass=[1, 1, 1, 2e-3, 1e-3, 1e-3])
    beam = model.add(cs.Beam("blade", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=4))
    model.add(cs.Fixed("root", cs.GROUND, beam.start))
    model.add(cs.StateLoad("law", beam.end, law, numbers))
    return model


@pytest.mark.parametrize("formulation", ["galilean", cs.Floating(modes=6)])
def test_a_law_that_does_not_turn_along_is_refused(formulation: str | cs.Floating) -> None:
    """As a dead load across the axis is: no steady rotation exists. A law in the frame of its place is none of them."""
    model, spin = blade_with(gust, F=0.5), (0, 0, 3.0)
    calls = (
        lambda: cs.equilibrium(model, spin=spin, formulation=formulation),
        lambda: cs.modes(model, 2, spin=spin, formulation=formulation),
        lambda: cs.campbell(model, [0.0, 3.0], formulation=formulation),
    )
    for call in calls:
        with pytest.raises(cs.CosseratError, match="load 'law': its law is another where the mechanism has turned to"):
            call()
    turning = cs.equilibrium(blade_with(lap, F=0.5, W=3.0), spin=spin, formulation=formulation)
    steady = cs.Model.copy(model)
    steady.remove("law")
    steady.add(cs.Force("law", "blade.end", (0.5, 0, 0), follower=True))
    pulled = cs.equilibrium(steady, spin=spin, formulation=formulation)
    assert_allclose(turning.position("blade.end"), pulled.position("blade.end"), atol=1e-6)
    braked = cs.equilibrium(blade_with(brake, c=0.1), spin=spin, formulation=formulation)
    assert_allclose(braked.reaction("root")[5], 0.1 * 3.0, rtol=1e-2)  # c W times the length squared


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
@pytest.mark.parametrize(("slow", "fast"), [(1.0, 5.0), (3.0, 3.5)])
def test_a_pendulum_on_a_turntable_leaves_the_vertical(slow: float, fast: float, formulation: str) -> None:
    """Branch point at W^2 = g/l to rounding, where the speed is the parameter; beyond, cos(angle) = g/(l W^2)."""
    W = cs.Parameter("W", slow)
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody("bob", mass=1.0, com=(0, 0, -1), inertia=0.1 * np.eye(3)))
    model.add(cs.Revolute("pivot", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    path = cs.continuation(model, "W", slow, fast, spin=(0, 0, W), switch="branch 1", formulation=formulation)
    assert [point.kind for point in path.points] == ["branch"]
    assert path.points[0].value == pytest.approx(np.sqrt(9.81), rel=1e-10)
    angles = path.branches[0].coordinate("pivot")
    assert np.cos(angles) == pytest.approx(9.81 / path.branches[0].parameter ** 2, abs=1e-8)


@pytest.mark.parametrize("held", ["ball joint", "freely"])
def test_a_spinning_top_is_seen_from_axes_that_do_not_spin(held: str) -> None:
    """w = (I3 W +- sqrt((I3 W)^2 + 4 I1 m g l))/(2 I1) in space; floating frames, which would spin along, say so."""
    across, along, mass, length, W = 0.2, 0.05, 2.0, 0.4, cs.Parameter("W", 60.0)
    model = cs.Model("top", gravity=(0, 0, -9.81 if held == "ball joint" else 0))
    inertia, spin = np.diag([across, across, along]), (0, 0, W)
    body = cs.RigidBody("top", mass=mass, com=(0, 0, -length), inertia=inertia, angular_velocity=spin)
    model.add(body)
    if held == "ball joint":
        model.add(cs.Spherical("tip", cs.GROUND, body.at((0, 0, 0))))
        about, weight = across + mass * length**2, mass * 9.81 * length
    else:
        about, weight = across, 0.0
    root = np.sqrt((along * 60.0) ** 2 + 4 * about * weight)
    found = np.abs(cs.stability(model, "W", [30.0, 60.0], about="motion").eigenvalues[-1].imag)
    for wanted in ((along * 60.0 + root) / (2 * about), (root - along * 60.0) / (2 * about)):
        assert np.abs(found - wanted).min() < 1e-6
    with pytest.raises(cs.CosseratError, match="'top' spins about an axis of its own"):
        cs.stability(model, "W", [30.0, 60.0], about="motion", formulation="floating")
