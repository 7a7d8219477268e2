"""The energy of moments that turn inside an element: its derivatives, its bounds, and where it is left out."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.compile.build import compile_model
from cosserat.compile.elements import element_matrices
from cosserat.kernels import bending

LENGTH = 0.1
SECTIONS = {
    "blade": [2.8e6, 6.4e5, 9.0e5, 3.1, 36.3, 2.4],
    "strip": [1e8, 4e7, 4e7, 4e-3, 1.0, 1e-3],
    "open profile": [1e6, 4e5, 4e5, 1e-3, 1.0, 0.1],
}


def element(stiffness, curvature=(0, 0, 0), coupled=0.0):
    """(K, B) of an element whose twist and bending are coupled."""
    S = np.diag(1 / np.array(stiffness, float))
    S[3, 4] = S[4, 3] = coupled * np.sqrt(S[3, 3] * S[4, 4])
    d0 = np.array([[LENGTH, 0, 0, *curvature]])
    made = element_matrices(d0, np.tile(S, (1, 4, 1, 1)), np.tile(np.eye(6), (1, 4, 1, 1)))
    return made.stiffness[0], made.bending[0]


def energy(K, B, e):
    return bending.energy_and_stress(K, B, tuple(e[:3]), tuple(e[3:]))[0]


def stress(K, B, e):
    _, n, m = bending.energy_and_stress(K, B, tuple(e[:3]), tuple(e[3:]))
    return np.array([*n, *m])


def derivative(K, B, e):
    D = np.zeros((6, 6))
    bending.second_derivative(K, B, tuple(e[:3]), tuple(e[3:]), np.zeros((8, 6)), D)
    return D


def strain_with(B, rng, z):
    """A random strain, transverse and turning, for which the measure of fading is z."""
    e = np.zeros(6)
    e[1:3] = rng.normal(size=2) * 10 ** rng.uniform(-4, -1) * LENGTH
    e[3:] = rng.normal(size=3) * 10 ** rng.uniform(-2, 0, size=3)
    return e * np.sqrt(z / (e @ B[:6] @ e))


def in_units_of_stiffness(K, D):
    back = np.linalg.inv(np.linalg.cholesky(K))
    return np.linalg.eigvalsh(back @ D @ back.T)


ELEMENTS = {
    "straight": element(SECTIONS["blade"]),
    "curved": element(SECTIONS["blade"], (0, 0.1, 0.2)),
    "coupled": element(SECTIONS["blade"], coupled=0.4),
}


@pytest.mark.parametrize("z", [0.01, 0.4])
@pytest.mark.parametrize("kind", ELEMENTS)
def test_derivatives(kind, z, rng):
    K, B = ELEMENTS[kind]
    e = strain_with(B, rng, z)
    sigma, D = stress(K, B, e), derivative(K, B, e)
    for i in range(6):
        h = 1e-5 * np.sqrt(e @ K @ e / K[i, i])
        plus, minus = (e + s * h * np.eye(6)[i] for s in (1, -1))
        slope = (energy(K, B, plus) - energy(K, B, minus)) / (2 * h)
        assert slope == pytest.approx(sigma[i], rel=1e-6, abs=1e-7 * np.abs(sigma).max())
        column = (stress(K, B, plus) - stress(K, B, minus)) / (2 * h)
        np.testing.assert_allclose(D[:, i], column, rtol=1e-6, atol=1e-6 * np.abs(D).max())


@pytest.mark.parametrize("name", SECTIONS)
def test_changes_the_stiffness_by_little_more_than_half_at_most(name, rng):
    """So that iterations meet no element whose energy is not convex."""
    K, B = element(SECTIONS[name])
    changes = [in_units_of_stiffness(K, derivative(K, B, strain_with(B, rng, z))) for z in rng.uniform(0, 1, 400)]
    assert -0.55 < np.min(changes) < -0.05
    assert 0.05 < np.max(changes) < 0.55


def test_fades_out(rng):
    K, B = ELEMENTS["curved"]
    e = strain_with(B, rng, 1.0)
    assert energy(K, B, 1.01 * e) == 0.0
    assert not stress(K, B, 1.01 * e).any()
    assert not derivative(K, B, 1.01 * e).any()
    near = in_units_of_stiffness(K, derivative(K, B, 0.999 * e))
    assert 0 < np.abs(near).max() < 0.02


def test_a_bent_strip_is_soft_about_its_stiff_axis():
    """A moment about the stiff axis that is carried along an arc of angle w twists the strip: twist x w^2/(12 GJ)."""
    K, B = element(SECTIONS["strip"])
    w, GJ, EI = 1e-3, *SECTIONS["strip"][3:5]
    D = derivative(K, B, np.array([0, 0, 0, 0, 0, w]))
    expected = -(w**2) / 12 * (EI / GJ) * (1 - SECTIONS["strip"][5] / EI) ** 2
    assert D[4, 4] / K[4, 4] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("section, rows", [(cs.Rod(diameter=0.01), 0), (cs.Rectangle(width=0.03, height=0.01), 2)])
def test_sections_that_bend_alike_leave_it_out(section, rows):
    model = cs.Model("beam", gravity=(0, 0, -9.81))
    line = [(0, 0, 0), (1, 0, 0)]
    model.add(cs.Beam("beam", points=line, section=section, material=cs.materials.STEEL, elements=2))
    assert len(compile_model(model).system.elements.bending) == rows
