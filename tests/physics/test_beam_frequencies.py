"""Frequencies of beams with known ones: rings, helices, rotating blades, strings; and both formulations on an arc.

Ring: Hoppe's and Love's formulas of a slender ring. Rotating cantilever: its equation solved in Legendre polynomials.
"""

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss, legvander
from scipy.linalg import eigh

import cosserat as cs
from cosserat.compile.elements import element_matrices
from cosserat.compile.matter import nodal_mass
from cosserat.lie import so3


def slender(EI=1.0, GJ=0.8, r=1e-8):
    return cs.Section(stiffness=[1e8, 1e8, 1e8, GJ, EI, EI], mass=[1, 1, 1, 2 * r, r, r])


def test_ring():
    """In the plane w^2 = n^2 (n^2 - 1)^2/(n^2 + 1) EI/(m R^4), out of it n^2 (n^2 - 1)^2/(n^2 + 1 + EI/GJ)."""
    model = cs.Model("ring")
    curve = ("cos(2*pi*s)", "sin(2*pi*s)", "0*s")
    ring = model.add(cs.Beam("ring", curve=curve, section=slender(), elements=16))
    model.add(cs.Fixed("weld", ring.end, ring.start))
    omega = 2 * np.pi * np.array(cs.modes(model, 14).frequencies)
    omega = omega[omega > 0.1]
    n = np.array([2, 3])
    top = n**2 * (n**2 - 1.0) ** 2
    wanted = np.sort(np.concatenate((top / (n**2 + 1), top / (n**2 + 1 / 0.8))) ** 0.5)
    np.testing.assert_allclose(omega[:8], np.repeat(wanted, 2), rtol=1e-3)


def test_helix():
    """Out of a plane, where the helix through two nodes is not the curve: fourth order."""
    curve = ("0.2*sin(2*pi*s)", "0.2*(1 - cos(2*pi*s))", "0.5*s")

    def frequencies(elements):
        model = cs.Model("helix")
        beam = model.add(cs.Beam("b", curve=curve, section=slender(), elements=elements))
        model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
        return np.array(cs.modes(model, 4).frequencies)

    reference = frequencies(96)
    coarse, fine = (np.abs(frequencies(n) / reference - 1) for n in (8, 16))
    assert fine.max() < 5e-5
    assert np.log2(coarse / fine).min() > 3.5


def rotating_beam(spin, n=40):
    """Flap frequencies of w'''' - (spin^2 (1 - x^2)/2 w')' = omega^2 w, clamped at 0, free at 1: Ritz's method.

    Curvatures are Legendre polynomials, which are orthogonal; slopes and deflections are their integrals.
    """
    z, weight = leggauss(n + 8)
    x, weight = 0.5 * (1 + z), 0.5 * weight
    P = legvander(z, n + 1)
    k = 2 * np.arange(1, n + 1) + 1
    once = np.column_stack((x, 0.5 * (P[:, 2:] - P[:, :-2]) / k))  # integrals of P_0, P_1, ... from 0
    k = k[1 : n - 1]
    twice = np.column_stack((x**2 / 2, x**3 / 3 - x**2 / 2, 0.5 * (once[:, 3 : n + 1] - once[:, 1 : n - 1]) / k))
    tension = weight * 0.5 * spin**2 * (1 - x**2)
    K = np.diag(1.0 / (2 * np.arange(n) + 1)) + once[:, :n].T @ (tension[:, None] * once[:, :n])
    return 1 / np.sqrt(eigh(twice.T @ (weight[:, None] * twice), K, eigvals_only=True)[::-1])


def test_the_reference_of_rotating_beams():
    """Table 1 of Wright, Smith, Thresher and Wang (1982)."""
    np.testing.assert_allclose(rotating_beam(10.0)[:2], (11.20233, 33.64037), rtol=1e-6)
    np.testing.assert_allclose(rotating_beam(100.0)[:2], rotating_beam(100.0, 60)[:2], rtol=1e-10)


@pytest.mark.parametrize("spin", [10, 30, 100])
def test_rotating_beam(spin):
    wanted = rotating_beam(float(spin))[:2]

    def flap(elements):
        model = cs.Model("blade")
        section = cs.Section(stiffness=[1e9, 1e9, 1e9, 1e3, 1, 1], mass=[1, 1, 1, 2e-8, 1e-8, 1e-8])
        beam = model.add(cs.Beam("blade", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=elements))
        model.add(cs.Fixed("hub", cs.GROUND, beam.start))
        found = cs.modes(model, 5, spin=(0, 0, spin))
        assert found.stable
        out = [w for i, w in enumerate(found.frequencies) if abs(found.shape(i, "blade.end")[2]) > 0.5]
        return 2 * np.pi * np.array(out[:2])

    # the boundary layer at the root, sqrt(2)/spin, has 2.3, 0.75 and 0.23 of 16 elements: fourth order where it is
    # resolved, first where it is not, and between them on the way
    coarse, fine = (np.abs(flap(n) / wanted - 1) for n in (16, 32))
    assert fine.max() < {10: 1e-5, 30: 1e-4, 100: 2e-3}[spin]
    assert np.log2(coarse / fine).min() > {10: 3.3, 30: 2.5, 100: 1.5}[spin]


def test_whirling_cable():
    """A cable without bending stiffness, pinned on the axis, other end free: the flap of a rotating string is
    spin sqrt(n (2n - 1)), its modes the odd Legendre polynomials."""
    model = cs.Model("cable")
    section = cs.Section(stiffness=[1e8, 1e8, 1e8, 1e-6, 1e-6, 1e-6], mass=[1, 1, 1, 2e-12, 1e-12, 1e-12])
    cable = model.add(cs.Beam("cable", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=16))
    model.add(cs.Universal("eye", cs.GROUND, cable.start, axes=((0, 1, 0), (0, 0, 1))))
    found = cs.modes(model, 8, spin=(0, 0, 10.0))
    omega = 2 * np.pi * np.array(found.frequencies)
    wanted = 10.0 * np.sqrt([1.0, 6.0])
    nearest = [omega[np.argmin(np.abs(omega - w))] for w in wanted]
    np.testing.assert_allclose(nearest, wanted, rtol=1e-3)


def test_guitar_string():
    """Steel, 0.65 m, 1 mm, 20 elements, pinned: overtones sharp by EI (n pi/L)^2/(2 T)."""
    L, d, tension = 0.65, 1e-3, 80.0
    A, EI = np.pi * d**2 / 4, 2.0e11 * np.pi * d**4 / 64
    section = cs.Section(
        stiffness=[2e11 * A, 7e10 * A, 7e10 * A, EI, EI, EI], mass=[7800 * A] * 3 + [1e-12, 5e-13, 5e-13]
    )
    model = cs.Model("string")
    string = model.add(cs.Beam("string", points=[(0, 0, 0), (L, 0, 0)], section=section, elements=20))
    saddle = model.add(cs.RigidBody("saddle", mass=1e-6, com=(L, 0, 0), inertia=1e-9 * np.eye(3)))
    model.add(cs.Universal("nut", cs.GROUND, string.start, axes=((0, 1, 0), (0, 0, 1))))
    model.add(cs.Prismatic("rail", cs.GROUND, saddle.at((L, 0, 0)), axis=(1, 0, 0)))
    model.add(cs.Spherical("bridge", saddle.at((L, 0, 0)), string.end))
    model.add(cs.Force("tuning", string.end, (tension, 0, 0)))
    found = np.array(cs.modes(model, 12).frequencies)
    longer = 1 + tension / (2e11 * A)  # the string that is tuned
    k = np.arange(1, 4) * np.pi / (L * longer)
    wanted = np.sqrt((tension * k**2 + EI * k**4) / (7800 * A / longer)) / (2 * np.pi)
    nearest = np.array([found[np.argmin(np.abs(found - f))] for f in wanted])
    np.testing.assert_allclose(nearest, wanted, rtol=1e-4)


@pytest.mark.parametrize("bend", [0.5, 1.5, 2.5, np.pi])
def test_elements_bent_by_up_to_pi_have_a_positive_mass(bend):
    """Without stress, and with its ends turned back against each other."""
    d0 = np.array([[0.3, 0, 0, 0, 0, bend]])
    S = np.tile(np.diag(1 / np.array([1e4, 4e3, 4e3, 8.0, 10.0, 10.0])), (1, 6, 1, 1))
    M = np.tile(np.diag([1, 1, 1, 2e-3, 1e-3, 1e-3]), (1, 6, 1, 1))
    made = element_matrices(d0, S, M)
    for angle in (0.0, bend, -bend):
        turn = so3.exp(np.array([0, 0, angle]))[None]
        assert np.linalg.eigvalsh(nodal_mass(made.mass, turn))[0, 0] > 0.0


def test_both_formulations_agree_on_a_free_arc():
    """It falls, and a force at one end turns and bends it: modal bodies have weight and mass of the elements."""
    model = cs.Model("arc", gravity=(0, 0, -9.81))
    curve = ("sin(pi/2*s)", "1 - cos(pi/2*s)", "0*s")
    arc = model.add(cs.Beam("arc", curve=curve, section=cs.Rod(0.02), material=cs.materials.STEEL, elements=6))
    model.add(cs.Force("push", arc.end, ("0*t", "2*sin(10*t)**2", "5*sin(10*t)**2")))
    found = cs.compare(model, 0.2, step=0.001, modes=12)
    apart = found.galilean.position("arc.end") - found.floating.position("arc.end")
    fallen = found.galilean.position("arc.end")[-1] - found.galilean.position("arc.end")[0]
    assert float(abs(fallen).max()) > 0.1
    assert float(abs(apart).max()) < 2e-5


def test_channel_twists_under_a_force_through_its_centroid():
    """Transverse forces act at the shear centre, e beside the centroid: a tip force P turns the tip by P e L/GJ."""
    e, GA, GJ, P = 0.05, 4e4, 2.0, 1e-3
    K = np.diag([1e5, GA, GA, GJ, 10.0, 20.0])
    K[3, 3] += e * e * GA
    K[2, 3] = K[3, 2] = e * GA
    model = cs.Model("channel")
    section = cs.Section(stiffness=K, mass=np.diag([1, 1, 1, 2e-3, 1e-3, 1e-3]).astype(float))
    beam = model.add(cs.Beam("b", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=3))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("load", beam.end, (0, 0, P)))
    found = cs.equilibrium(model)
    R = found.rotation("b.end")
    assert so3.log(np.asarray(R))[0] == pytest.approx(-P * e / GJ, rel=1e-5)


BLADE = np.diag([2e7, 6e6, 5e6, 800.0, 600.0, 4000.0])
HEAVY = np.diag([2.0, 2.0, 2.0, 3e-3, 0.4e-3, 2.6e-3])


def beside(matrix, y, z):
    """A stiffness or mass matrix of a section whose centre is at (y, z) of the axis."""
    S = np.eye(6)
    S[:3, 3:] = -np.array([[0, -z, y], [z, 0, 0], [-y, 0, 0]])
    return S.T @ matrix @ S


def six(stiffness, mass, elements):
    model = cs.Model("blade")
    section = cs.Section(stiffness=stiffness, mass=mass)
    beam = model.add(cs.Beam("blade", points=[(0, 0, 0), (1.5, 0, 0)], section=section, elements=elements))
    model.add(cs.Fixed("root", cs.GROUND, beam.start))
    return np.array(cs.modes(model, 6).frequencies)


@pytest.mark.parametrize("mass", [HEAVY, beside(HEAVY, 0.03, 0.02)], ids=["centred", "beside"])
def test_both_planes_of_unequal_stiffness(mass):
    """Planes 1 : 7 in stiffness, the mass on the axis or one radius of inertia beside it.

    The first mode of each plane has the fourth order; those with few elements per wave are accurate.
    """
    reference = six(BLADE, mass, 96)
    coarse, fine = (np.abs(six(BLADE, mass, n) / reference - 1) for n in (4, 8))
    assert fine[:4].max() < 8e-5
    assert fine.max() < 5e-4
    assert np.log2(coarse / fine)[:2].min() > 3.5


@pytest.mark.parametrize("elements", [12, 24, 48])
def test_elastic_centre_beside_the_axis_is_a_mass_beside_it(elements):
    """Where the axis is drawn in the section does not matter, also where elements are shorter than the section."""
    a = six(beside(BLADE, 0.03, -0.02), HEAVY, elements)
    b = six(BLADE, beside(HEAVY, -0.03, 0.02), elements)
    np.testing.assert_allclose(a, b, rtol=1e-9)


def offset_shear(e):
    """A section whose shear centre is e beside its centroid."""
    K = np.diag([1e5, 4e4, 4e4, 2.0, 10.0, 20.0])
    K[3, 3] += e * e * K[2, 2]
    K[2, 3] = K[3, 2] = e * K[2, 2]
    return K


def bends_and_twists(share):
    """A section whose bending twists it."""
    K = np.diag([1e5, 4e4, 4e4, 8.0, 10.0, 20.0])
    K[3, 4] = K[4, 3] = share * np.sqrt(80.0)
    return K


@pytest.mark.parametrize(
    ("stiffness", "order", "worst"), [(offset_shear(0.05), 3.8, 3e-7), (bends_and_twists(0.5), 3.8, 6e-7)]
)
def test_sections_that_twist_when_they_bend(stiffness, order, worst):
    """Shear is in the gap of the line of shear centres, and a shear force twists a coupled section: four frequencies.

    Without that they are of the first order here, and of the order 2.7.
    """
    mass = np.diag([1, 1, 1, 2e-3, 1e-3, 1e-3]) if stiffness[2, 3] else np.diag([1, 1, 1, 2e-4, 1e-4, 1e-4])
    exact, fine, coarse = (six(stiffness, mass.astype(float), n)[:4] for n in (192, 32, 16))
    errors = [np.abs(x / exact - 1).max() for x in (coarse, fine)]
    assert errors[0] < 10 * worst
    assert errors[1] < worst
    assert np.log2(errors[0] / errors[1]) > order


def test_pretwisted_cantilever():
    """A quarter of a turn, planes 1 : 8 in stiffness: a moment turns the inside of an element, which has inertia."""

    def section(s):
        c, d = np.cos(0.5 * np.pi * s), np.sin(0.5 * np.pi * s)
        R = np.kron(np.eye(2), [[1, 0, 0], [0, c, -d], [0, d, c]])
        K, M = np.diag([1e5, 4e4, 4e4, 8.0, 5.0, 40.0]), np.diag([1, 1, 1, 4e-4, 1e-4, 3e-4])
        return cs.Section(stiffness=R @ K @ R.T, mass=R @ M @ R.T)

    def four(elements):
        model = cs.Model("blade")
        blade = model.add(cs.Beam("b", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=elements))
        model.add(cs.Fixed("root", cs.GROUND, blade.start))
        return np.array(cs.modes(model, 4).frequencies)

    reference = four(256)
    errors = [np.abs(four(n) / reference - 1).max() for n in (8, 16, 32, 64)]
    assert errors[1] < 2e-5
    assert np.log2(np.divide(errors[:-1], errors[1:])).min() > 3.5
