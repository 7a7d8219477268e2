"""Frequencies of assembled element matrices against exact solutions, and what the correction of the mass must keep.

S. P. Timoshenko, On the transverse vibrations of bars of uniform cross-section, Phil. Mag. 43 (1922) 125-131: the
equations solved here by their transfer matrix. The reference of tapered bars is a fine mesh.
"""

import numpy as np
import pytest
from scipy.linalg import eigh, expm
from scipy.optimize import brentq

from cosserat.compile.elements import element_matrices
from cosserat.compile.matter import nodal_mass
from cosserat.compile.series import POINTS, bracket

SHEAR = 5 / 6 / 2.6  # kappa G/E
FIXED = {"cantilever": (0, 1, 2, 3, 4, 5), "free": (), "pinned": (0, 1, 2, 3)}


def section(ratio):
    """Stiffness and mass with EI = m = 1 of a beam of length 1 and the slenderness L/r = ratio."""
    r2 = 1 / ratio**2
    stiffness = np.diag([1 / r2, SHEAR / r2, SHEAR / r2, 0.8, 1, 1])
    return stiffness, np.diag([1, 1, 1, 2 * r2, r2, r2])


def elements(n, properties, d0=None):
    """Matrices of n elements along x from 0 to 1; properties(s) gives stiffness and mass at s."""
    s = (np.arange(n)[:, None] + POINTS) / n
    pairs = [[properties(x) for x in row] for row in s]
    compliance = np.array([[np.linalg.inv(K) for K, _ in row] for row in pairs])
    mass = np.array([[M for _, M in row] for row in pairs])
    d0 = np.tile([1 / n, 0, 0, 0, 0, 0], (n, 1)) if d0 is None else d0
    return element_matrices(d0, compliance, mass)


def frequencies(n, properties, boundary="cantilever", plane=(1, 5), modes=3):
    """Lowest frequencies of motions along and about the axes `plane`, rigid ones left out."""
    made = elements(n, properties)
    ad = bracket(np.array([1 / n, 0, 0, 0, 0, 0]))
    P = np.hstack((-np.eye(6) + ad / 2, np.eye(6) + ad / 2))
    K, M = np.zeros((2, 6 * n + 6, 6 * n + 6))
    for e in range(n):
        at = slice(6 * e, 6 * e + 12)
        K[at, at] += P.T @ made.stiffness[e] @ P
        M[at, at] += nodal_mass(made.mass[e : e + 1], np.eye(3)[None])[0]
    held = set(FIXED[boundary])
    if boundary == "pinned":
        held |= {6 * n, 6 * n + 1, 6 * n + 2, 6 * n + 3}
    free = [i for i in range(6 * n + 6) if i % 6 in plane and i not in held]
    squares = eigh(K[np.ix_(free, free)], M[np.ix_(free, free)], eigvals_only=True)
    rigid = 2 if boundary == "free" else 0
    return np.sqrt(squares[rigid : rigid + modes])


def exact(ratio, boundary, near):
    """The root next to `near` of the frequency equation of the Timoshenko beam."""
    r2 = 1 / ratio**2
    rows, columns = {"cantilever": ([2, 3], [2, 3]), "free": ([2, 3], [0, 1]), "pinned": ([0, 3], [1, 2])}[boundary]

    def determinant(omega):
        # state (w, theta, shear force, moment)
        A = np.array([[0, 1, r2 / SHEAR, 0], [0, 0, 0, 1], [-(omega**2), 0, 0, 0], [0, -r2 * omega**2, -1, 0]])
        return np.linalg.det(expm(A)[np.ix_(rows, columns)])

    return brentq(determinant, near * (1 - 2e-3), near * (1 + 2e-3), xtol=1e-12 * near)


@pytest.mark.parametrize("boundary", FIXED)
@pytest.mark.parametrize("ratio", [5, 10, 20, 50, 200])
def test_timoshenko_beams_with_forty_elements(ratio, boundary):
    """Modes 1 to 3; of the stubby pinned beam the first alone, since modes of pure shear come in between."""
    computed = frequencies(40, lambda s: section(ratio), boundary, modes=1 if (ratio, boundary) == (5, "pinned") else 3)
    reference = [exact(ratio, boundary, omega) for omega in computed]
    np.testing.assert_allclose(computed, reference, rtol=1e-4)


def test_published_frequencies_of_the_cantilever():
    for ratio, published in ((10, (3.22712776, 14.4689281, 31.5025389)), (50, (3.50264107, 21.4698242, 58.1498317))):
        np.testing.assert_allclose(frequencies(40, lambda s, r=ratio: section(r)), published, rtol=1e-5)


def order(errors):
    return np.log2(np.abs(errors[:-1]) / np.abs(errors[1:]))


@pytest.mark.parametrize(
    "boundary, beta",
    [("cantilever", (1.8751040687, 4.6940911330, 7.8547574382)), ("free", (4.7300407449, 7.8532046241))],
)
def test_slender_beams_at_fourth_order(boundary, beta):
    beta = np.array(beta)
    forty = frequencies(40, lambda s: section(1e4), boundary, modes=len(beta))
    np.testing.assert_allclose(forty, beta**2, rtol=3e-6)
    limit = [
        exact(1e3, boundary, omega) for omega in frequencies(40, lambda s: section(1e3), boundary, modes=len(beta))
    ]
    errors = np.array(
        [frequencies(n, lambda s: section(1e3), boundary, modes=len(beta)) / limit - 1 for n in (5, 10, 20)]
    )
    assert order(errors)[-1].min() > 3.7


@pytest.mark.parametrize("axis, speed", [(0, 10.0), (3, np.sqrt(0.8 / 0.02))])
def test_bars_at_fourth_order(axis, speed):
    """Stretching and twisting: (i - 1/2) pi c/L."""
    wanted = speed * np.pi * (np.arange(3) + 0.5)
    errors = np.array([frequencies(n, lambda s: section(10), plane=(axis,)) / wanted - 1 for n in (5, 10, 20)])
    assert np.abs(errors[-1]).max() < 1e-4
    assert order(errors).min() > 3.8


def tapered(s):
    """A round bar, thinner towards its end."""
    K, M = section(15)
    d = 1 - 0.5 * s
    power = np.diag([d, d, d, d**2, d**2, d**2])
    return power @ K @ power, power @ M @ power


@pytest.mark.parametrize("plane", [(0,), (3,), (1, 5), (2, 4)])
def test_tapered_bars(plane):
    fine = frequencies(80, tapered, plane=plane)
    errors = np.array([frequencies(n, tapered, plane=plane) / fine - 1 for n in (10, 20)])
    assert np.abs(errors[1]).max() < (2e-4 if len(plane) > 1 else 1e-4)
    if len(plane) == 1:
        assert order(errors).min() > 3.5


def test_both_planes_of_bending_are_alike():
    np.testing.assert_allclose(
        frequencies(6, lambda s: section(20), plane=(1, 5)),
        frequencies(6, lambda s: section(20), plane=(2, 4)),
        rtol=1e-9,
    )


def any_section(rng):
    """A coupled section of radius 1, its centres of stiffness and mass off the line, and any rotary inertia."""
    A = rng.uniform(-1, 1, (6, 6))
    size = np.sqrt(10 ** rng.uniform([0, -2, -2, -2, -1, -1], [0, 0, 0, 0, 0, 0]))
    K = size[:, None] * (np.eye(6) + 0.1 * (A + A.T)) * size
    c = rng.uniform(-1, 1, 3)
    C = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    inertia = np.diag(10 ** rng.uniform(-6, 1, 3))
    return K, np.block([[np.eye(3), -C], [C, inertia - C @ C]])


def test_mass_is_positive_definite_and_rigid_motions_exact(rng):
    """Random sections, with rotary inertia down to next to nothing, in straight and curved elements."""
    n = 300
    pairs = [any_section(rng) for _ in range(n)]
    compliance = np.array([np.linalg.inv(K) for K, _ in pairs])
    rho = np.array([M for _, M in pairs])
    length = 10 ** rng.uniform(-2, 3, n)
    d0 = np.zeros((n, 6))
    d0[:, 0] = length
    d0[n // 2 :, 3:] = 0.3 * rng.normal(size=(n - n // 2, 3))
    made = element_matrices(d0, np.repeat(compliance[:, None], 6, 1), np.repeat(rho[:, None], 6, 1))
    H = expm(bracket(d0))  # Ad of the relative motion
    s, weight = np.polynomial.legendre.leggauss(8)
    # a rigid motion v at node A is exp(-s ad) v in between and at node B
    wanted = sum(
        a / 2 * E.swapaxes(1, 2) @ rho @ E
        for a, E in ((a, expm(-(1 + x) / 2 * bracket(d0))) for x, a in zip(s, weight))
    )
    for e in range(n):
        M = nodal_mass(made.mass[e : e + 1], H[e : e + 1, 3:, 3:])[0]
        scale = 1 / np.sqrt(np.diag(M))
        assert np.linalg.eigvalsh(scale[:, None] * M * scale).min() > 0
        rigid = np.vstack((np.eye(6), np.linalg.inv(H[e])))
        size = np.sqrt(length[e] * np.diag(wanted[e]))
        error = np.abs(rigid.T @ M @ rigid - length[e] * wanted[e]) / np.outer(size, size)
        assert error.max() < (1e-9 if e < n // 2 else 1e-6)  # four points of quadrature in curved elements
