"""Free structures with damping: motions that nothing resists are found exactly, and the others are as if held."""

import numpy as np
import pytest

import cosserat as cs


def beam(model, damping=1e-4, elements=30):
    material = cs.Material(E=68.9e9, nu=0.33, rho=2700, damping=damping)
    points = [(0, 0, 0), (10, 0, 0)]
    return model.add(cs.Beam("hull", points=points, section=cs.Tube(0.5, 0.49), material=material, elements=elements))


JOINTS = {
    "free": (6, None),
    "hinge": (1, lambda place: cs.Revolute("j", cs.GROUND, place, axis=(0, 0, 1))),
    "slider": (1, lambda place: cs.Prismatic("j", cs.GROUND, place, axis=(0, 1, 0))),
    "ball": (3, lambda place: cs.Spherical("j", cs.GROUND, place)),
}


@pytest.mark.parametrize("name", JOINTS)
def test_damped_modes_beside_free_motions(name):
    """Stiffness-proportional damping: s is a root of s^2 + d w^2 s + w^2 = 0 with the undamped w."""
    count, joint = JOINTS[name]
    model = cs.Model(name)
    hull = beam(model)
    if joint is not None:
        model.add(joint(hull.start))
    plain, damped = cs.modes(model, 4, damped=False), cs.modes(model, 4)
    assert damped.rigid == plain.rigid == count
    assert damped.stable
    square = (2 * np.pi * plain.frequencies[count:]) ** 2
    wanted = -0.5e-4 * square + 1j * np.sqrt(square - (0.5e-4 * square) ** 2)
    assert damped.eigenvalues[count:] == pytest.approx(wanted, rel=1e-8)


def test_free_damped_beam_by_closed_form():
    model = cs.Model("free")
    beam(model)
    found = cs.modes(model, 4)
    assert found.rigid == 6
    assert found.frequencies[6:] == pytest.approx([30.963, 30.963, 82.632, 82.632], abs=1e-3)


def test_hinge_that_only_a_damper_resists():
    """Of a damped hinge without a spring one eigenvalue is zero and one -c/J."""
    model = cs.Model("damped hinge")
    hull = beam(model, elements=10)
    model.add(cs.Revolute("j", cs.GROUND, hull.start, axis=(0, 0, 1), damping=3.0))
    found = cs.modes(model, 2)
    section = np.pi * (0.25**2 - 0.245**2)
    inertia = 2700 * section * (1000.0 / 3 + 10 * 0.25 * (0.25**2 + 0.245**2))
    assert found.rigid == 1
    assert found.eigenvalues[1] == pytest.approx(-3.0 / inertia, rel=1e-5)


def test_trim_of_a_free_damped_structure():
    thrust = cs.Parameter("T", 1.0)
    model = cs.Model("rocket", gravity=(-9.81, 0, 0))
    hull = beam(model, elements=8)
    model.add(cs.Force("thrust", hull.at(0.5), (thrust, 0, 0)))
    found = cs.trim(model, ["T"], targets={("hull.at(0.5)", "x"): 5.0}, start=None)
    weight = 9.81 * 2700 * 10 * np.pi * (0.25**2 - 0.245**2)
    assert found.parameters["T"] == pytest.approx(weight, rel=1e-9)


def test_campbell_from_rest_keeps_lag_and_flap_apart():
    """A rigid blade on a universal joint at r0: flap sqrt(1 + a), lag sqrt(a), a = (3/2) r0 / L."""
    model = cs.Model("blade")
    material = cs.Material(E=7e10, nu=0.3, rho=2700)
    blade = model.add(
        cs.Beam("blade", points=[(0.1, 0, 0), (1, 0, 0)], section=cs.Tube(0.03, 0.02), material=material, elements=8)
    )
    model.add(cs.Universal("root", cs.GROUND, blade.start, axes=((0, 0, 1), (0, 1, 0))))
    found = cs.campbell(model, np.linspace(0, 10, 6), axis=(0, 0, 1), n=4)
    a = 1.5 * 0.1 / 0.9
    wanted = np.array([np.sqrt(a), np.sqrt(1 + a)]) * found.spins[1:, None] / (2 * np.pi)
    assert found.frequencies[1:, :2] == pytest.approx(wanted, rel=2e-3)
    assert np.all(found.frequencies[0, :2] == 0.0)
