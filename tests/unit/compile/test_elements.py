"""Matrices of one beam element against textbooks.

J. S. Przemieniecki, Theory of Matrix Structural Analysis (1968): stiffness of the Timoshenko beam element, section 5.6.
"""

import numpy as np
import pytest

import cosserat as cs
from cosserat.compile.build import compile_model
from cosserat.kernels.integrate import load_stages
from cosserat.kernels.residual import forces
from cosserat.kernels.tangent import assemble
from cosserat.solve.memory import new_memory

EA, GAy, GAz, GJ, EIy, EIz, L = 7.0, 5.0, 3.0, 2.0, 1.1, 1.7, 0.8
MASS = np.array([2.0, 2.0, 2.0, 0.05, 0.02, 0.03])


def matrices(model):
    """Stiffness and mass (12, 12) of a free beam of one element, in the axes of the nodes."""
    compiled = compile_model(model)
    memory = new_memory(compiled, compiled.sampler.sample(np.zeros(1)))
    memory.problem.solver.settings[0] = 1.0
    load_stages(memory)
    forces(memory.address, 0)
    out = []
    for coefficients in ((0, 0, 1, 1, 0), (1, 0, 0, 1, 0)):
        memory.problem.solver.coefficients[:] = coefficients
        assemble(memory.address, 0, memory.problem.trial.frame, memory.problem.trial.twist)
        A = np.zeros((2, 6, 2, 6))
        for block, (i, j) in zip(memory.problem.solver.blocks, compiled.blocks):
            A[i, :, j] = block
        out.append(A.reshape(12, 12))
    return out


def straight(length=L, stiffness=(EA, GAy, GAz, GJ, EIy, EIz), mass=MASS):
    model = cs.Model("element")
    section = cs.Section(stiffness=list(stiffness), mass=list(mass))
    model.add(cs.Beam("beam", points=[(0, 0, 0), (length, 0, 0)], section=section, elements=1, velocity=(1, 0, 0)))
    return matrices(model)


def bending(EI, GA, sign):
    """Timoshenko stiffness of (w_A, theta_A, w_B, theta_B); sign +1 for w along y and theta about z."""
    phi = 12 * EI / (GA * L**2)
    a, b, c, d = 12 / L**2, 6 / L, 4 + phi, 2 - phi
    s = sign
    K = np.array([[a, s * b, -a, s * b], [s * b, c, -s * b, d], [-a, -s * b, a, -s * b], [s * b, d, -s * b, c]])
    return EI / (L * (1 + phi)) * K


def test_stiffness_is_that_of_the_timoshenko_element():
    K, _ = straight()
    np.testing.assert_allclose(K[np.ix_([0, 6], [0, 6])], EA / L * np.array([[1, -1], [-1, 1]]), rtol=1e-12)
    np.testing.assert_allclose(K[np.ix_([3, 9], [3, 9])], GJ / L * np.array([[1, -1], [-1, 1]]), rtol=1e-12)
    np.testing.assert_allclose(K[np.ix_([1, 5, 7, 11], [1, 5, 7, 11])], bending(EIz, GAy, 1), rtol=1e-10)
    np.testing.assert_allclose(K[np.ix_([2, 4, 8, 10], [2, 4, 8, 10])], bending(EIy, GAz, -1), rtol=1e-10)
    coupled = K.copy()
    for rows in ([0, 6], [3, 9], [1, 5, 7, 11], [2, 4, 8, 10]):
        coupled[np.ix_(rows, rows)] = 0
    np.testing.assert_allclose(coupled, 0, atol=1e-12)


def rigid_modes(points, rotations):
    """Six rigid motions as nodal twists in the nodes' own axes: (12, 6)."""
    modes = np.zeros((12, 6))
    for i, (x, R) in enumerate(zip(points, rotations)):
        for k in range(3):
            e = np.eye(3)[k]
            modes[6 * i : 6 * i + 3, k] = R.T @ e
            modes[6 * i : 6 * i + 3, 3 + k] = R.T @ np.cross(e, x)
            modes[6 * i + 3 : 6 * i + 6, 3 + k] = R.T @ e
    return modes


@pytest.mark.parametrize("isotropic", [True, False])
def test_rigid_motions_have_no_stiffness_and_the_right_inertia(isotropic):
    K, M = straight(stiffness=(EA, GAy, GAy, GJ, EIy, EIy)) if isotropic else straight()
    modes = rigid_modes([(0, 0, 0), (L, 0, 0)], [np.eye(3)] * 2)
    np.testing.assert_allclose(K @ modes, 0, atol=1e-12)
    m = MASS[0] * L
    expected = np.zeros((6, 6))
    expected[:3, :3] = m * np.eye(3)
    expected[1, 5] = expected[5, 1] = m * L / 2
    expected[2, 4] = expected[4, 2] = -m * L / 2
    expected[3:, 3:] = L * np.diag(MASS[3:]) + m * L**2 / 3 * np.diag([0, 1, 1])
    np.testing.assert_allclose(modes.T @ M @ modes, expected, atol=1e-12)
    assert np.linalg.eigvalsh(M).min() > 0


def test_curved_element_moves_rigidly():
    model = cs.Model("curved element")
    section = cs.Section(stiffness=[EA, GAy, GAz, GJ, EIy, EIz], mass=list(MASS))
    arc = lambda s: (np.sin(s), 1 - np.cos(s), 0 * s)  # noqa: E731
    beam = model.add(cs.Beam("beam", curve=arc, section=section, elements=1, velocity=(1, 0, 0)))
    K, M = matrices(model)
    frames = [beam.start.frame(), beam.end.frame()]
    modes = rigid_modes([H[:3, 3] for H in frames], [H[:3, :3] for H in frames])
    np.testing.assert_allclose(K @ modes, 0, atol=1e-11)
    total = modes.T @ M @ modes
    np.testing.assert_allclose(total[:3, :3], MASS[0] * np.eye(3), atol=1e-12)
    # polar moment of an arc of one radian about its start, and the section's own
    np.testing.assert_allclose(total[5, 5], MASS[0] * 2 * (1 - np.sin(1)) + MASS[5], rtol=1e-6)


@pytest.mark.parametrize("elements, limit", [(1, 6e-3), (2, 6e-4)])
def test_slender_element_gives_the_frequency_of_a_cantilever(elements, limit):
    """beta L = 1.8751 of the Euler-Bernoulli cantilever; cubic deflections: far better than linear ones."""
    from scipy.linalg import eigh

    model = cs.Model("cantilever")
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, 1, 1, 1], mass=[1, 1, 1, 2e-8, 1e-8, 1e-8])
    model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=elements, velocity=(1, 0, 0)))
    compiled = compile_model(model)
    memory = new_memory(compiled, compiled.sampler.sample(np.zeros(1)))
    memory.problem.solver.settings[0] = 1.0
    load_stages(memory)
    forces(memory.address, 0)
    n = compiled.n_nodes
    KM = []
    for coefficients in ((0, 0, 1, 1, 0), (1, 0, 0, 1, 0)):
        memory.problem.solver.coefficients[:] = coefficients
        assemble(memory.address, 0, memory.problem.trial.frame, memory.problem.trial.twist)
        A = np.zeros((n, 6, n, 6))
        for block, (i, j) in zip(memory.problem.solver.blocks, compiled.blocks):
            A[i, :, j] = block
        KM.append(A.reshape(6 * n, 6 * n)[6:, 6:])
    lowest = np.sqrt(eigh(*KM, eigvals_only=True)[0])
    assert lowest == pytest.approx(1.8751040687**2, rel=limit)
