"""Natural frequencies of uniform beams: Euler-Bernoulli and Timoshenko theory.

Roots of the frequency equations: S. P. Timoshenko, On the correction for shear of the differential equation for
transverse vibrations of prismatic bars, Phil. Mag. 41 (1921) 744-746; R. D. Blevins, Formulas for Natural Frequency
and Mode Shape (1979), table 8-1. Timoshenko cantilever with k = 5/6, nu = 0.3, solved as a boundary value problem.
"""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

import cosserat as cs

CANTILEVER = (1.8751040687, 4.6940911330, 7.8547574382)
FREE_FREE = (4.7300407449, 7.8532046241)
CLAMPED_PINNED = (3.9266023120,)
PINNED = (np.pi, 2 * np.pi, 3 * np.pi)
TIMOSHENKO = {10: (3.22712776, 14.4689281, 31.5025389), 50: (3.50264107, 21.4698242, 58.1498317)}
"""omega sqrt(m L^4 / EI) by L / r."""


def section(slenderness, shear=5 / 6 / 2.6):
    """EI = m = 1 for a beam of unit length; stiff out of the plane x, y."""
    r2 = slenderness**-2
    EA = 1 / r2
    return cs.Section(stiffness=[EA, shear * EA, shear * EA, 1e3, 1e3, 1.0], mass=[1, 1, 1, 2 * r2, r2, r2])


def beam_model(elements, slenderness=1e4, start=None, end=None, shear=1e2):
    model = cs.Model("beam", gravity=(0, 0, 0))
    beam = model.add(
        cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section(slenderness, shear), elements=elements)
    )
    for name, place, joint in (("start", beam.start, start), ("end", beam.end, end)):
        if joint is not None:
            model.add(joint(name, place))
    return model


def clamped(name, place):
    return cs.Fixed(name, cs.GROUND, place)


def pinned(name, place):
    return cs.Revolute(name, cs.GROUND, place, axis=(0, 0, 1))


def in_plane(found, count):
    """omega of the first modes that bend in the plane x, y."""
    omega = []
    for i in range(found.rigid, len(found)):
        x, y, z = np.abs(found.shape(i, "beam.at(0.37)")) + np.abs(found.shape(i, "beam.at(0.61)"))
        if y > 10 * (x + z):
            omega.append(2 * np.pi * found.frequencies[i])
    assert len(omega) >= count, found.summary()
    return np.array(omega[:count])


@pytest.mark.parametrize(
    ("start", "end", "roots"),
    [(clamped, None, CANTILEVER), (clamped, pinned, CLAMPED_PINNED), (pinned, pinned, PINNED), (None, None, FREE_FREE)],
    ids=["cantilever", "clamped-pinned", "simply supported", "free-free"],
)
def test_euler_bernoulli(start, end, roots):
    found = cs.modes(beam_model(40, start=start, end=end), 10)
    assert found.rigid == (6 if start is None else 0)
    np.testing.assert_allclose(in_plane(found, len(roots)), np.square(roots), rtol=1e-4)


@pytest.mark.parametrize("slenderness", TIMOSHENKO)
def test_timoshenko_cantilever(slenderness):
    model = beam_model(40, slenderness, start=clamped, shear=5 / 6 / 2.6)
    np.testing.assert_allclose(in_plane(cs.modes(model, 10), 3), TIMOSHENKO[slenderness], rtol=1e-4)


def timoshenko(slenderness, start, end, count, shear=5 / 6 / 2.6):
    """Roots of the frequency equation: w, angle, moment, shear force along x, exact by the matrix exponential."""
    r2 = slenderness**-2
    stiffness = shear / r2

    def equation(omega):
        A = [[0, 1, 0, 1 / stiffness], [0, 0, 1, 0], [0, -r2 * omega**2, 0, -1], [-(omega**2), 0, 0, 0]]
        return np.linalg.det(expm(np.array(A))[np.ix_(end, [i for i in range(4) if i not in start])])

    grid = np.linspace(1.0, 64.0, 64)
    values = [equation(omega) for omega in grid]
    changes = np.nonzero(np.diff(np.sign(values)))[0][:count]
    return np.array([brentq(equation, grid[k], grid[k + 1], xtol=1e-10) for k in changes])


PIN, FREE, CLAMP = (0, 2), (2, 3), (0, 1)  # of w, angle, moment and shear force, those that vanish


def test_frequency_equation_of_timoshenko():
    for slenderness, expected in TIMOSHENKO.items():
        np.testing.assert_allclose(timoshenko(slenderness, CLAMP, FREE, 3), expected, rtol=1e-8)
    n, r2, shear = np.array([1, 2, 3]), 0.01, 5 / 6 / 2.6  # simply supported: closed form
    b = (n * np.pi) ** 2
    c = 1 + b * r2 * (1 + 1 / shear)
    omega2 = (c - np.sqrt(c**2 - 4 * b**2 * r2**2 / shear)) / (2 * r2**2 / shear)
    np.testing.assert_allclose(timoshenko(10, PIN, PIN, 3), np.sqrt(omega2), rtol=1e-8)


@pytest.mark.parametrize("slenderness", TIMOSHENKO)
@pytest.mark.parametrize(("joint", "condition"), [(pinned, PIN), (None, FREE)], ids=["simply supported", "free-free"])
def test_timoshenko_on_two_supports_and_free(slenderness, joint, condition):
    model = beam_model(40, slenderness, start=joint, end=joint, shear=5 / 6 / 2.6)
    expected = timoshenko(slenderness, condition, condition, 2)
    np.testing.assert_allclose(in_plane(cs.modes(model, 10), 2), expected, rtol=1e-4)


@pytest.mark.parametrize("slenderness", TIMOSHENKO)
def test_second_order_at_least(slenderness):
    errors = []
    for elements in (10, 20, 40):
        model = beam_model(elements, slenderness, start=clamped, shear=5 / 6 / 2.6)
        errors.append(np.abs(in_plane(cs.modes(model, 10), 3) / TIMOSHENKO[slenderness] - 1))
    order = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all((order > 1.8) | (np.array(errors[1:]) < 1e-7)), order


def test_round_section_has_every_bending_mode_twice():
    model = cs.Model("round", gravity=(0, 0, 0))
    rod = cs.Section(stiffness=[1e6, 1e6, 1e6, 0.8, 1, 1], mass=[1, 1, 1, 2e-6, 1e-6, 1e-6])
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=rod, elements=40))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    found = cs.modes(model, 6)
    np.testing.assert_allclose(2 * np.pi * found.frequencies, np.repeat(np.square(CANTILEVER), 2), rtol=3e-4)
    for i in range(0, 6, 2):
        first, second = found.shape(i, beam.end), found.shape(i + 1, beam.end)
        assert abs(first @ second) < 1e-6 * np.linalg.norm(first) * np.linalg.norm(second)
