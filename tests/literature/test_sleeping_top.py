"""A symmetric top that spins upright about a fixed point sleeps if I3^2 w^2 > 4 m g l I1.

With the data of the heavy top of Bruels and Cardona (2010): w = 202.013861 rad/s.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cosserat as cs

MASS, ACROSS, ALONG, G = 15.0, 0.234375, 0.46875, 9.81
LEAST = 2.0 * np.sqrt(MASS * G * (ACROSS + MASS)) / ALONG


def top() -> tuple[cs.Model, cs.Parameter]:
    model = cs.Model("top", gravity=(0, 0, -G))
    body = model.add(cs.RigidBody("top", mass=MASS, com=(0, 0, 1), inertia=np.diag([ACROSS, ACROSS, ALONG])))
    model.add(cs.Spherical("tip", cs.GROUND, body.at((0, 0, 0))))
    return model, cs.Parameter("W", 1.0)


@pytest.mark.parametrize("values", [np.linspace(150, 250, 11), np.linspace(260, 20, 9)])
def test_least_spin(values):
    model, W = top()
    found = cs.stability(model, "W", values, spin=(0, 0, W))
    (critical,) = found.critical
    assert_allclose(LEAST, 202.013861, rtol=1e-8)
    assert_allclose(critical.value, LEAST, rtol=1e-9)
    assert critical.loss == (values[-1] < values[0])
    assert np.array_equal(found.stable, values > LEAST)


def test_eigenvalues():
    """In the complex coordinate of the axis, I1 s^2 - i I3 w s - m g l = 0 in space; turning along, s - i w."""
    model, W = top()
    spin = 230.0
    eigenvalues = cs.stability(model, "W", [spin, 240.0], spin=(0, 0, W)).eigenvalues[0]
    I1 = ACROSS + MASS
    in_space = np.roots([I1, -1j * ALONG * spin, -MASS * G])
    expected = np.concatenate((in_space - 1j * spin, -(in_space - 1j * spin)))
    moving = eigenvalues[eigenvalues != 0.0]
    assert_allclose(np.sort(moving.imag), np.sort(expected.imag), rtol=1e-9)
    assert np.count_nonzero(eigenvalues == 0.0) == 2  # its own turn is free
