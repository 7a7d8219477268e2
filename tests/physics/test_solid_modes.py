"""Solids reduced to modes: against the full finite-element model, and against beam theory."""

import itertools

import numpy as np
import pytest
import scipy.sparse.linalg as sla

skfem = pytest.importorskip("skfem")

from tests.physics.modal_equations import steady_rotation  # noqa: E402

import cosserat as cs  # noqa: E402

ALLOY = cs.Material(E=70e9, nu=0.3, rho=2700, damping=2e-5)


def bracket():
    """An L of two legs, meshed as one box cut out of another; the feet are its regions."""
    mesh = cs.SolidMesh.box((0.2, 0.05, 0.2), (8, 1, 8))
    middle = mesh.points[mesh.cells].mean(axis=1)
    kept = mesh.cells[(middle[:, 0] < 0.05) | (middle[:, 2] < 0.05)]
    return cs.SolidMesh(mesh.points, kept)


FEET = {"foot": lambda x: x[2] > 0.2 - 1e-9, "toe": lambda x: x[0] > 0.2 - 1e-9}


def full_frequencies(mesh, clamped, count):
    """Lowest frequencies (Hz) of the whole mesh with the nodes of a region fixed: a program of its own."""
    from skfem.models.elasticity import lame_parameters, linear_elasticity

    used, cells = np.unique(mesh.cells, return_inverse=True)
    tets = skfem.MeshTet(mesh.points[used].T, cells.reshape(mesh.cells.shape).T)
    basis = skfem.Basis(tets, skfem.ElementVector(skfem.ElementTetP2()), intorder=4)
    K = linear_elasticity(*lame_parameters(ALLOY.E, ALLOY.nu)).assemble(basis)
    M = skfem.BilinearForm(lambda u, v, w: ALLOY.rho * sum(u[i] * v[i] for i in range(3))).assemble(basis)
    free = np.setdiff1d(np.arange(basis.N), np.nonzero(clamped(basis.doflocs))[0])
    values = sla.eigsh(K[free][:, free], count, M[free][:, free], sigma=0.0, return_eigenvectors=False)
    return np.sqrt(np.sort(values)) / (2 * np.pi)


@pytest.fixture(scope="module")
def exact():
    return full_frequencies(bracket(), FEET["foot"], 6)


def test_craig_bampton_converges_to_the_full_model(exact):
    feet = {"foot": FEET["foot"], "toe": cs.SolidInterface(FEET["toe"], tie="averaged")}
    errors = []
    for modes in (0, 2, 24):
        body = cs.modal_body_from_mesh("bracket", bracket(), ALLOY, feet, modes=modes)
        assert body.n_modes == modes + 6
        errors.append(body.frequencies[:4] / exact[:4] - 1)
    assert (np.array(errors) > -1e-9).all()  # a Galerkin reduction: from above
    assert all((b <= a + 1e-9).all() for a, b in itertools.pairwise(errors))
    assert errors[0].max() > 1e-3
    assert errors[-1].max() < 1e-4


def test_fixed_modes_are_those_of_the_full_model(exact):
    body = cs.modal_body_from_mesh("bracket", bracket(), ALLOY, FEET | {}, modes=6, boundary="cantilever")
    # the toe is rigid here: stiffer than the full model, and not by much
    assert (body.frequencies[:3] > exact[:3]).all()
    np.testing.assert_allclose(body.frequencies[:3], exact[:3], rtol=0.02)
    loose = {"foot": FEET["foot"], "toe": cs.SolidInterface(FEET["toe"], tie="averaged")}
    body = cs.modal_body_from_mesh("bracket", bracket(), ALLOY, loose, modes=6, boundary="cantilever")
    np.testing.assert_allclose(body.frequencies, exact, rtol=1e-8)
    np.testing.assert_allclose(body.damping, ALLOY.damping * body.stiffness, rtol=1e-9, atol=1e-3)


def test_free_modes_of_the_bracket_carry_no_momentum():
    body = cs.modal_body_from_mesh("bracket", bracket(), ALLOY, FEET, modes=3, boundary="free")
    assert np.abs(body.inertia.matrix()[6:, :6]).max() < 1e-9 * np.sqrt(body.mass)
    volume = 0.05 * (0.05 * 0.2 + 0.15 * 0.05)
    assert body.mass == pytest.approx(ALLOY.rho * volume)


BAR = cs.Material(E=70e9, nu=0.0, rho=2700)  # without lateral contraction a clamp adds nothing to beam theory
ENDS = {"root": "x_min", "tip": "x_max"}


def bar(n=24):
    return cs.SolidMesh.box((1, 0.04, 0.08), (n, 1, 2), origin=(0, -0.02, -0.04))


def timoshenko():
    section = cs.Rectangle(width=0.04, height=0.08)
    return cs.Beam("bar", points=[(0, 0, 0), (1, 0, 0)], section=section, material=BAR, elements=60)


@pytest.fixture(scope="module")
def solid_bar():
    points = {"top": (0.25, 0.0, 0.03), "core": (0.25, 0.005, 0.0)}
    return cs.modal_body_from_mesh("bar", bar(), BAR, ENDS, modes=6, recovery=points)


def test_bending_agrees_with_timoshenko(solid_bar):
    beam = cs.modal_body(timoshenko(), modes=4)
    np.testing.assert_allclose(solid_bar.frequencies[:2], beam.frequencies[:2], rtol=1e-3)
    np.testing.assert_allclose(solid_bar.frequencies[2:4], beam.frequencies[2:4], rtol=3e-3)
    np.testing.assert_allclose(solid_bar.inertia.first_moment, [8.64 / 2, 0, 0], atol=1e-9)
    J = 8.64 / 12 * np.array([0.04**2 + 0.08**2, 4 + 0.08**2, 4 + 0.04**2])
    np.testing.assert_allclose(np.diag(solid_bar.inertia.inertia), J, rtol=1e-9)


def test_linear_elements_are_too_stiff_and_converge():
    beam = cs.modal_body(timoshenko(), modes=1).frequencies[0]
    coarse, fine = (
        cs.modal_body_from_mesh("bar", mesh, BAR, ENDS, modes=1, order=1, boundary="cantilever").frequencies[0]
        for mesh in (bar(12), cs.SolidMesh.box((1, 0.04, 0.08), (48, 2, 4)))
    )
    assert coarse > 1.3 * beam
    assert beam < fine < beam + 0.5 * (coarse - beam)


def test_stress_of_a_bent_bar(solid_bar):
    """Tip force: axial stress M z / I, none in the middle of the height."""
    F, Iy, A = 100.0, 0.04 * 0.08**3 / 12, 0.04 * 0.08
    tip = solid_bar.interfaces["tip"].shape
    q = np.linalg.solve(solid_bar.stiffness, tip.T @ [0, 0, F, 0, 0, 0])
    expected = F / (3 * BAR.E * Iy) + F / (5 / 6 * BAR.G * A)
    assert tip[2] @ q == pytest.approx(expected, rel=2e-3)
    top, core = solid_bar.stress("top", q), solid_bar.stress("core", q)
    assert top[0] == pytest.approx(-F * 0.75 * 0.03 / Iy, rel=0.02)
    assert solid_bar.strain("top", q)[0] == pytest.approx(top[0] / BAR.E, rel=1e-2)
    assert abs(core[0]) < 0.05 * abs(top[0])


def test_a_rotating_solid_grows_stiffer_like_a_beam():
    def lowest(body, inertia):
        _, M, _, K = steady_rotation(inertia, body.stiffness, np.array([0.0, 0.0, 400.0]))
        return np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real)

    solid_bar = cs.modal_body_from_mesh("bar", bar(20), BAR, ENDS, modes=4, stiffening=True)
    assert solid_bar.inertia.is_stiffened
    blade = cs.modal_body(timoshenko(), modes=12)
    still = 2 * np.pi * blade.frequencies
    lag = np.sort(lowest(blade, blade.inertia))[0]
    assert np.sort(lowest(solid_bar, solid_bar.inertia))[0] == pytest.approx(lag, rel=1e-2)
    assert lag > 1.1 * still[0]


def test_turned_and_moved_mesh_is_the_same_body():
    """Tensors in the floating frame do not depend on where the mesh stands."""
    from cosserat.lie import so3

    R, x = so3.exp([0.3, -0.5, 0.8]), np.array([1.0, 2.0, 3.0])
    mesh = bar(6)
    moved = cs.SolidMesh(mesh.points @ R.T + x, mesh.cells, mesh.regions)
    turned = {name: cs.SolidInterface(region, rotation=R) for name, region in ENDS.items()}
    tip = {"p": (0.5, 0.01, 0.02)}
    there = {"p": R @ tip["p"] + x}
    a = cs.modal_body_from_mesh("bar", mesh, BAR, ENDS, modes=2, recovery=tip)
    b = cs.modal_body_from_mesh("bar", moved, BAR, turned, modes=2, recovery=there)
    np.testing.assert_allclose(a.frequencies, b.frequencies, rtol=1e-7)
    np.testing.assert_allclose(a.inertia.inertia, b.inertia.inertia, atol=1e-9)
    force = np.array([10.0, 20.0, 30.0, 1.0, 2.0, 3.0])
    answers = []
    for body in (a, b):
        q = np.linalg.solve(body.stiffness, body.interfaces["tip"].shape.T @ force)
        answers.append(np.concatenate((body.interfaces["tip"].shape @ q * 1e9, body.stress("p", q))))
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-6, atol=1e-2)
