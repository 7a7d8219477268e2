"""Small motions about rest and about steady rotations, against closed forms."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import brentq

import cosserat as cs


def body(model, name, mass, com=(0, 0, 0), inertia=(1.0, 1.0, 1.0)):
    return model.add(cs.RigidBody(name, mass=mass, com=com, inertia=list(inertia)))


def test_two_free_bodies_on_a_spring():
    """Shapes are exact although six motions are free."""
    model = cs.Model("two bodies")
    a, b = body(model, "a", 1.0), body(model, "b", 3.0, com=(1, 0, 0))
    model.add(cs.Prismatic("rail", a, b, at=(0, 0, 0), axis=(1, 0, 0), stiffness=12.0))
    modes = cs.modes(model)
    assert modes.rigid == 6
    assert np.isclose(modes.eigenvalues[6], 4j, rtol=1e-12)  # sqrt(k (1/m1 + 1/m2))
    assert np.allclose(modes.shape(6, "a"), (np.sqrt(3) / 2, 0, 0), atol=1e-12)
    assert np.allclose(modes.shape(6, "b"), (-np.sqrt(3) / 6, 0, 0), atol=1e-12)
    assert np.allclose(modes.participation["effective_mass"].sum("mode"), modes.participation.total)


def test_elastic_rod_between_two_free_bodies():
    """Axial vibration: cot(k l / 2) = M k / (rho A)."""
    model = cs.Model("dumbbell")
    section = cs.Section(stiffness=[1e4, 1e9, 1e9, 1e9, 1e9, 1e9], mass=[1, 1, 1, 1e-3, 1e-3, 1e-3])
    rod = model.add(cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=40))
    for i, place in enumerate((rod.start, rod.end)):
        model.add(cs.Fixed(f"weld{i}", place, body(model, f"end{i}", 0.5, com=(i, 0, 0))))
    modes = cs.modes(model, 1)
    k = brentq(lambda k: 1 / np.tan(k / 2) - 0.5 * k, 0.1, 3)
    assert modes.rigid == 6
    assert np.isclose(2 * np.pi * modes.frequencies[6], 100 * k, rtol=1e-4)
    assert np.allclose(modes.participation["effective_mass"].sum("mode")[:3], 2.0)


def test_chain_of_three_pendulums():
    model, parent = cs.Model("chain", gravity=(0, 0, -9.81)), cs.GROUND
    for i in range(3):
        bob = body(model, f"bob{i}", 1.0, com=(0, 0, -i - 1), inertia=[1e-10] * 3)
        model.add(cs.Revolute(f"hinge{i}", parent, bob, at=(0, 0, -i), axis=(0, 1, 0)))
        parent = bob
    mass = np.array([[3, 2, 1], [2, 2, 1], [1, 1, 1]])
    expected = np.sqrt(eigh(9.81 * np.diag([3, 2, 1]), mass)[0])
    assert np.allclose(2 * np.pi * cs.modes(model).frequencies, expected, rtol=1e-8)


def test_foucault_pendulum_and_governor():
    """On a turntable: omega_0 -+ W; and the tilt of a pendulum whose hinge turns around at a distance."""
    model = cs.Model("Foucault", gravity=(0, 0, -9.81))
    bob = body(model, "bob", 1.0, com=(0, 0, -1), inertia=[1e-9] * 3)
    model.add(cs.Spherical("joint", cs.GROUND, bob, at=(0, 0, 0)))
    assert np.allclose(cs.modes(model, spin=(0, 0, 0.5)).eigenvalues[1:], 1j * (np.sqrt(9.81) + np.array([-0.5, 0.5])))
    e, l, W, g = 0.3, 0.8, 3.0, 9.81
    model = cs.Model("governor", gravity=(0, 0, -g))
    bob = body(model, "bob", 2.0, com=(e, 0, -l), inertia=[1e-12] * 3)
    model.add(cs.Revolute("hinge", cs.GROUND, bob, at=(e, 0, 0), axis=(0, -1, 0)))
    t = brentq(lambda t: W**2 * (e + l * np.sin(t)) * np.cos(t) - g * np.sin(t), 0, 1.5)
    modes = cs.modes(model, spin=(0, 0, W))
    assert np.isclose(cs.equilibrium(model, spin=(0, 0, W)).coordinate("hinge"), t)
    square = (g * np.cos(t) + W**2 * (e + l * np.sin(t)) * np.sin(t) - W**2 * l * np.cos(t) ** 2) / l
    assert np.isclose(modes.eigenvalues[0], 1j * np.sqrt(square))


def test_free_body_spinning_about_its_middle_axis():
    """s = W sqrt((I2 - I1)(I3 - I2) / (I1 I3)); about the largest it nutates."""
    model = cs.Model("free")
    body(model, "free", 1.0, inertia=[1.0, 2.0, 2.5])
    middle = cs.modes(model, spin=(0, 3, 0))
    assert not middle.stable
    assert np.isclose(middle.eigenvalues.real.max(), 3 * np.sqrt(0.5 / 2.5))
    largest = cs.modes(model, spin=(0, 0, 3))
    assert largest.stable
    assert np.isclose(largest.eigenvalues.imag[2], 3 * np.sqrt(1.5 * 0.5 / 2.0))


@pytest.mark.parametrize("stiffness, damping, unstable", [([1.0, 4.0], 0.0, (1, 2)), (4.0, 0.1, (2, np.inf))])
def test_rotor_on_a_shaft(stiffness, damping, unstable):
    """Two stiffnesses: unstable between the two critical speeds. Damping that turns along: above the critical speed."""
    W = cs.Parameter("W", 0.5)
    model = cs.Model("rotor")
    disk = body(model, "disk", 1.0, inertia=[0.1, 0.1, 0.2])
    model.add(cs.PlanarTranslation("shaft", cs.GROUND, disk, normal=(0, 0, 1), stiffness=stiffness, damping=damping))
    found = cs.stability(model, "W", np.linspace(0.25, 3.05, 15), spin=(0, 0, W))
    assert np.allclose([c.value for c in found.critical], [v for v in unstable if np.isfinite(v)], rtol=1e-9)
    assert [c.loss for c in found.critical] == [True, False][: len(found.critical)]
    assert {c.kind for c in found.critical} == {"divergence"}


def test_stretched_string():
    """A clamped beam under tension, 200 times stronger than its bending: characteristic equation."""
    model = cs.Model("string")
    section = cs.Section(stiffness=[1e4, 1e7, 1e7, 1e-3, 1e-3, 1e-3], mass=[0.1, 0.1, 0.1, 1e-9, 1e-9, 1e-9])
    string = model.add(cs.Beam("string", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=200))
    model.add(cs.Fixed("clamp", cs.GROUND, string.start))
    model.add(cs.Prismatic("pull", cs.GROUND, string.end, axis=(1, 0, 0), effort=40.0))
    length, line = 1.004, 0.1 / 1.004

    def characteristic(w):
        half = 40.0 / (2e-3 * length)
        root = np.sqrt(half**2 + line * w**2 / (1e-3 * length))
        p, q = np.sqrt(half + root), np.sqrt(root - half)
        swings = 2 * p * q * (1 / np.cosh(p * length) - np.cos(q * length))
        return swings + (p**2 - q**2) * np.tanh(p * length) * np.sin(q * length)

    assert np.isclose(2 * np.pi * cs.modes(model, 1).frequencies[0], brentq(characteristic, 60, 66), rtol=1e-4)
