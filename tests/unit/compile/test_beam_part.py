"""Matrices of a beam for modal reduction, against the engine's own and against derivatives of the strain energy."""

import itertools

import numpy as np
import pytest
from tests.physics.modal_equations import inertia_matrix

import cosserat as cs
from cosserat.compile.beam_part import beam_part
from cosserat.compile.build import compile_model
from cosserat.compile.flexible_part import rigid_motions
from cosserat.compile.reduction import shapes
from cosserat.kernels import elastic
from cosserat.kernels.integrate import load_stages
from cosserat.kernels.residual import forces
from cosserat.kernels.tangent import assemble
from cosserat.lie import se3, so3
from cosserat.model.modal_inertia import ModalInertia
from cosserat.solve.memory import new_memory

SECTION = cs.Section(stiffness=[2e3, 1e3, 1.1e3, 3, 2, 2.5], mass=[1, 1, 1, 2e-2, 0.8e-2, 1.2e-2])
ENDS = {"start": 0.0, "end": 1.0}


def curved(elements=6):
    return cs.Beam("b", curve=lambda s: (s, 0.4 * np.sin(1.5 * s), 0.3 * s**2), section=SECTION, elements=elements)


def straight(elements=8, **kwargs):
    return cs.Beam("b", points=[(0, 0, 0), (2, 0, 0)], section=SECTION, elements=elements, **kwargs)


def engine_matrices(beam):
    """Mass and stiffness of the equations of motion at rest, unknowns in the axes of the nodes."""
    model = cs.Model("m")
    model.add(beam)
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    compiled = compile_model(model)
    memory = new_memory(compiled, compiled.sampler.sample(np.array([0.0])))
    problem = memory.problem
    problem.solver.settings[0] = 1
    load_stages(memory)
    forces(memory.address, 0)
    problem.solver.tangent[...] = np.eye(6)
    n = compiled.n_nodes
    found = []
    for coefficients in ((1, 0, 0, 0, 0), (0, 0, 1, 0, 0)):
        problem.solver.coefficients[:] = coefficients
        assemble(memory.address, 0, problem.trial.frame, problem.trial.twist)
        A = np.zeros((6 * (n + compiled.n_joints),) * 2)
        for k, (i, j) in enumerate(compiled.blocks):
            A[6 * i : 6 * i + 6, 6 * j : 6 * j + 6] = problem.solver.blocks[k]
        found.append(A[: 6 * n, : 6 * n])
    return *found, compiled


def test_matrices_are_the_engines():
    M, K, compiled = engine_matrices(curved())
    part = beam_part(curved(), ENDS, {})
    turn = np.zeros_like(M)
    for i in range(2 * compiled.n_nodes):
        turn[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = compiled.frames[i // 2, :9].reshape(3, 3)
    np.testing.assert_allclose(turn @ M @ turn.T, part.mass.toarray(), atol=1e-13)
    np.testing.assert_allclose(turn @ K @ turn.T, part.stiffness.toarray(), atol=1e-9)


def strain_energy(compiled, y):
    """Strain energy for displacements and rotation vectors of the nodes in world axes."""
    H = []
    for row, step in zip(compiled.frames[:-1], y.reshape(-1, 6), strict=True):
        H.append(se3.frame(so3.exp(step[3:]) @ row[:9].reshape(3, 3), row[9:] + step[:3]))
    arrays = compiled.system.elements
    total = 0.0
    for e, (a, b) in enumerate(arrays.node):
        d = se3.log(se3.inverse(H[a]) @ H[b]) - arrays.d0[e]
        law = arrays.stiffness[e], arrays.second[e], arrays.turning[e]
        total += elastic.energy(elastic.weigh(*law, tuple(d[:3]), tuple(d[3:]), np.zeros(36)))
    return total


def test_third_derivatives_of_the_strain_energy():
    compiled = compile_model_of(curved(3))
    part = beam_part(curved(3), ENDS, {})
    u, a, b = np.random.default_rng(0).normal(size=(3, 24))
    all_three = np.stack((u, a, b), axis=1)
    work = part.prestress(all_three, all_three)  # of the stresses of one on the strains of second order of two
    both, twice = work[0, 1, 2] + work[1, 0, 2] + work[2, 0, 1], work[0, 1, 1] + 2 * work[1, 0, 1]
    for x, y, value in ((a, b, both), (a, a, twice)):
        estimates = []
        for h in (4e-3, 2e-3):
            total = 0.0
            for signs in itertools.product((1, -1), repeat=3):
                step = h * (signs[0] * u + signs[1] * x + signs[2] * y)
                total += np.prod(signs) * strain_energy(compiled, step)
            estimates.append(total / (8 * h**3))
        assert value == pytest.approx(estimates[1] + (estimates[1] - estimates[0]) / 3, rel=1e-6)


def compile_model_of(beam):
    model = cs.Model("m", gravity=(0, 0, -1))
    model.add(beam)
    return compile_model(model)


def mismatch(beam, boundary, own):
    """Largest difference between tensors integrated over the particles and those of the mass matrix."""
    body = cs.modal_body(beam, modes=4, boundary=boundary)
    part = beam_part(beam, ENDS, {})
    points = part.points
    R = body.frame[:3, :3]
    X = (points.positions - body.frame[:3, 3]) @ R
    if own:
        tensors = body.inertia
    else:
        Phi = shapes(part, boundary, "start", 4, None, ("end",))
        tensors = ModalInertia.from_fields(points.weights, X, np.einsum("ij,pim->pjm", R, points.shapes(Phi)))
    everything = ModalInertia.from_fields(points.weights, X, (X**2)[:, :, None])
    assert everything.mass == pytest.approx(body.mass, rel=1e-12)
    J_ee, J_re = tensors.inertia_hessian, tensors.inertia_gradient
    # tr J_ee = 2 m_ab, and the axial vector of J_re is alpha: two ways to the same numbers
    skew = np.swapaxes(J_re, 1, 2) - J_re
    alpha = np.stack((skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]), axis=1)
    low = slice(0, 2)
    basis = np.hstack((rigid_motions(part, body.frame), shapes(part, boundary, "start", 4, None, ("end",))))
    M = basis.T @ (part.mass @ basis)
    differences = [
        everything.first_moment - body.inertia.first_moment,
        everything.inertia - body.inertia.inertia,
        (0.5 * np.trace(J_ee, axis1=2, axis2=3) - M[6:, 6:])[low, low],
        (alpha - M[6:, 3:6])[low],
    ]
    return max(float(np.abs(d).max()) for d in differences)


@pytest.mark.parametrize("beam", [curved, straight])
@pytest.mark.parametrize("boundary", ["cantilever", "free", "craig-bampton"])
def test_tensors_agree_with_the_mass_matrix(beam, boundary):
    """The particles have the mass, moments and couplings of the mass matrix, up to errors of second order or better.

    The tensors of a body have them exactly.
    """
    coarse, fine = (mismatch(beam(n), boundary, own=False) for n in (8, 16))
    assert fine < 2e-3
    assert fine < coarse / 3
    assert mismatch(beam(8), boundary, own=True) < 1e-12


@pytest.mark.parametrize("beam", [curved, straight])
@pytest.mark.parametrize(("boundary", "modes"), [("cantilever", 12), ("craig-bampton", 8), ("free", 10)])
def test_the_mass_matrix_is_positive_at_any_deflection(beam, boundary, modes):
    """Random deflections and turns up to half a length and a radian: no motion gets less than a share of its mass."""
    body = cs.modal_body(beam(6), modes=modes, boundary=boundary)
    rng = np.random.default_rng(7)
    rest = 1.0 / np.sqrt(np.diag(body.inertia.matrix()))
    end, m = body.interfaces["end"].shape, body.n_modes
    for size in np.repeat((0.005, 0.05, 0.2, 0.5), 25):
        q = rng.normal(size=m) / np.sqrt(np.diag(body.stiffness))
        q *= size / max(np.linalg.norm(end[:3] @ q), 0.5 * np.linalg.norm(end[3:] @ q))
        assert np.linalg.eigvalsh(rest[:, None] * inertia_matrix(body.inertia, q) * rest)[0] > 1e-7


def test_free_modes_carry_no_momentum():
    body = cs.modal_body(curved(12), modes=5, boundary="free")
    assert np.abs(body.inertia.linear_coupling).max() < 1e-12
    assert np.abs(body.inertia.angular_coupling).max() < 1e-12
    np.testing.assert_allclose(body.inertia.first_moment, 0.0, atol=1e-12)
    np.testing.assert_allclose(body.inertia.modal_mass, np.eye(5), atol=1e-10)


@pytest.mark.parametrize("boundary", ["cantilever", "craig-bampton"])
def test_nothing_moves_at_the_root(boundary):
    for root in ("start", "end", "middle"):
        body = cs.modal_body(straight(), modes=3, boundary=boundary, root=root, interfaces={"middle": 0.5})
        assert body.clamp == root
        assert not body.interfaces[root].shape.any()
        np.testing.assert_allclose(body.interfaces[root].stiffening, 0.0, atol=1e-9)
        np.testing.assert_allclose(body.frame, body.at(root).frame(), atol=1e-14)
        np.testing.assert_allclose(body.at("end").position, (2, 0, 0), atol=1e-14)


def test_static_shapes_of_craig_and_bampton_are_exact():
    """A tip load on the reduced body gives beam theory: deflection, slope, bending moment and shear."""
    L, EI, GA, F = 2.0, 2.5, 1e3, 1e-3
    body = cs.modal_body(straight(), modes=0, boundary="craig-bampton", recovery={"root": 0.0, "half": 0.5})
    assert body.n_modes == 6
    tip = body.interfaces["end"].shape
    q = np.linalg.solve(body.stiffness, tip.T @ [0, F, 0, 0, 0, 0])
    moved = tip @ q
    assert moved[1] == pytest.approx(F * L**3 / (3 * EI) + F * L / GA, rel=1e-9)
    assert moved[5] == pytest.approx(F * L**2 / (2 * EI), rel=1e-9)
    np.testing.assert_allclose(body.stress("root", q), [0, F, 0, 0, 0, F * L], atol=1e-9 * F)
    np.testing.assert_allclose(body.stress("half", q), [0, F, 0, 0, 0, F * L / 2], atol=1e-9 * F)
    np.testing.assert_allclose(body.strain("half", q), [0, F / GA, 0, 0, 0, F * L / 2 / EI], atol=1e-9)
    many = body.stress("half", np.stack((q, 2 * q)))
    np.testing.assert_allclose(many[1], 2 * many[0])


def test_frequencies_are_those_of_the_elements_and_of_theory():
    L, ratio = 1.0, 50
    r = L / ratio
    EA = 1 / r**2
    GA = 5 / 6 * EA / 2.6
    section = cs.Section(stiffness=[EA, GA, GA, 1, 1, 1], mass=[1, 1, 1, 2 * r * r, r * r, r * r])
    beam = cs.Beam("b", points=[(0, 0, 0), (L, 0, 0)], section=section, elements=40)
    omega = 2 * np.pi * cs.modal_body(beam, modes=4).frequencies
    np.testing.assert_allclose(omega[[0, 2]], [3.50264107, 21.4698242], rtol=2e-4)  # Timoshenko, L/r = 50
    np.testing.assert_allclose(omega[[1, 3]], omega[[0, 2]], rtol=1e-9)
    free = 2 * np.pi * cs.modal_body(beam, modes=2, boundary="free").frequencies
    slender = 4.7300407449**2  # Euler-Bernoulli, a little higher than with shear
    assert 0.97 * slender < free[0] < slender


def test_frequency_chooses_the_number_of_modes():
    all_ = cs.modal_body(straight(), modes=6).frequencies
    for beam in (straight(), straight(40)):
        body = cs.modal_body(beam, frequency=float(0.5 * (all_[3] + all_[4])))
        assert body.n_modes == 4
    for count in (8, 16):  # more than the first guess
        body = cs.modal_body(straight(40), modes=count)
        assert cs.modal_body(straight(40), frequency=float(body.frequencies[-1]) * 1.0001).n_modes == count


def test_corners_are_welded():
    bent = cs.Beam("b", points=[(0, 0, 0), (1, 0, 0), (1, 1, 0)], section=SECTION, elements=8)
    body = cs.modal_body(bent, modes=0, boundary="craig-bampton")
    q = np.linalg.solve(body.stiffness, body.interfaces["end"].shape.T @ [0, 0, 1e-3, 0, 0, 0])
    moved = body.interfaces["end"].shape @ q
    # out of the plane: two bendings and the torsion of the first leg; EI about y is 2, GJ is 3, GA is 1.1e3
    assert moved[2] == pytest.approx(1e-3 * (1 / 6 + 1 / 6 + 1 / 3 + 2 / 1.1e3), rel=1e-6)


def test_damping_follows_the_material():
    steel = cs.Material(E=210e9, nu=0.3, rho=7850, damping=1e-4)
    beam = cs.Beam("b", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.01), material=steel, elements=8)
    body = cs.modal_body(beam, modes=3)
    np.testing.assert_allclose(body.damping, 1e-4 * body.stiffness, rtol=1e-9, atol=1e-6)
    matrix = inertia_matrix(body.inertia, np.zeros(3))
    assert np.linalg.eigvalsh(matrix)[0] > 0


def test_frequencies_equal_those_of_the_galilean_formulation():
    model = cs.Model("m")
    beam = model.add(curved(10))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    np.testing.assert_allclose(cs.modal_body(beam, modes=6).frequencies, cs.modes(model, 6).frequencies, rtol=1e-9)


@pytest.mark.parametrize("boundary", ["cantilever", "free", "craig-bampton"])
@pytest.mark.parametrize("modes", [1, 3, 6])
def test_round_beams_bend_along_the_axes_of_their_ends(boundary, modes):
    """Of two equal frequencies any combination is a mode; solvers give one by chance, which showed in results."""
    axis = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)
    beam = cs.Beam("b", points=[(0, 0, 0), axis], section=cs.Rod(0.02), material=cs.materials.STEEL, elements=16)
    body = cs.modal_body(beam, modes, boundary=boundary, static=("end",))
    R = body.frame[:3, :3].T @ beam.end.frame()[:3, :3]
    moved = R.T @ body.interfaces["end"].shape[:3]
    size = np.abs(moved).max()
    bends = np.abs(moved[1:]).max(axis=0) > 1e-3 * size
    assert bends.sum() >= min(modes, 3)
    assert np.all(np.abs(moved[1:]).min(axis=0)[bends] < 1e-7 * size)
    if boundary != "craig-bampton":
        assert np.argmax(np.abs(moved[:, 0])) == 1
