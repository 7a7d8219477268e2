"""Constraints that other joints imply are found whatever the inertia of the bodies."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.solve.analyses.points import point_at
from cosserat.solve.linear.matrices import matrices_at

STRAIGHT = np.eye(3)


def slider_crank(r=0.3, l=0.9, angle=0.7, tilt=STRAIGHT, thin=1.0):
    """Crank, rod and slider with revolute joints in space: 20 rows, of which 3 are implied. Bars, so hardly any
    inertia about their axes; `thin` reduces it further."""
    A = tilt @ (r * np.cos(angle), r * np.sin(angle), 0)
    B = tilt @ (r * np.cos(angle) + np.sqrt(l**2 - (r * np.sin(angle)) ** 2), 0, 0)
    x, z = tilt @ (1, 0, 0), tilt @ (0, 0, 1)
    model = cs.Model("slider-crank")
    crank = model.add(cs.RigidBody.bar("crank", start=(0, 0, 0), end=A, mass=1.0))
    rod = model.add(cs.RigidBody.bar("rod", start=A, end=B, mass=0.8))
    slider = model.add(cs.RigidBody("slider", mass=0.5, com=B, inertia=thin * 1e-3 * np.eye(3)))
    model.add(cs.Revolute("shaft", cs.GROUND, crank, at=(0, 0, 0), axis=z, stiffness=7.0))
    model.add(cs.Revolute("pin", crank, rod, at=A, axis=z))
    model.add(cs.Revolute("wrist", rod, slider, at=B, axis=z))
    model.add(cs.Prismatic("guide", cs.GROUND, slider, at=B, axis=x))
    return model


def inertia_of_slider_crank(r=0.3, l=0.9, angle=0.7):
    """Inertia felt at the shaft, and how far the slider moves with it."""
    phi = np.arcsin(-r * np.sin(angle) / l)
    turn = -r * np.cos(angle) / (l * np.cos(phi))
    slide = -r * np.sin(angle) - l * np.sin(phi) * turn
    middle = np.array([-r * np.sin(angle) - l / 2 * np.sin(phi) * turn, r * np.cos(angle) + l / 2 * np.cos(phi) * turn])
    return r**2 / 3 + 0.8 * (middle @ middle) + 0.8 * l**2 / 12 * turn**2 + 0.5 * slide**2, slide


@pytest.mark.parametrize("thin", [1.0, 1e-6])
@pytest.mark.parametrize("turned", [False, True])
def test_slider_crank_of_thin_bars(thin, turned):
    tilt = cs.lie.so3.exp(np.array([0.3, -0.8, 0.5])) if turned else STRAIGHT
    linear = cs.linearize(slider_crank(tilt=tilt, thin=thin), "shaft", "slider")
    mass, slide = inertia_of_slider_crank()
    assert linear.coordinates == ("shaft",)
    assert np.isclose(linear.mass[0, 0], mass, rtol=1e-5)  # the bars are not infinitely thin
    assert np.allclose(linear.C[:, 0], slide * tilt[:, 0], atol=1e-12)


def test_twenty_rows_of_which_three_are_implied():
    point = point_at(slider_crank())
    phi = matrices_at(point).constraints.toarray()
    assert phi.shape == (17, 18)
    phi /= np.linalg.norm(phi, axis=1, keepdims=True)
    assert np.linalg.svd(phi)[1][-1] > 0.1


def test_doors_on_two_hinges_and_a_chain_of_welds():
    """Coaxial hinges imply one another, a ring of welds has one too many; a second hinge off the axis locks."""
    model = cs.Model("doors")
    for k, axis in enumerate([(0, 0, 1), (0, 0.6, 0.8)]):
        door = model.add(cs.RigidBody.box(f"door{k}", size=(1, 0.01, 2), mass=3.0, com=(0.5, 3 * k, 0)))
        for z in (-1, 1):
            place = np.array([0, 3 * k, 0]) + z * np.array(axis)
            model.add(cs.Revolute(f"hinge{k}{z}", cs.GROUND, door, at=place, axis=axis, stiffness=1.0))
    point = point_at(model)
    assert point.n_constraints == 10
    model.add(cs.Revolute("bolt", cs.GROUND, "door0", at=(1, 0, 0), axis=(0, 0, 1)))
    assert point_at(model).n_constraints == 11
    ring = cs.Model("ring")
    parts = [ring.add(cs.RigidBody.sphere(f"b{i}", diameter=0.1, mass=1.0, com=(i, i % 2, 0))) for i in range(4)]
    for i in range(4):
        ring.add(cs.Fixed(f"weld{i}", parts[i], parts[(i + 1) % 4], at=(i, 0, 0)))
    assert cs.modes(ring).rigid == 6
