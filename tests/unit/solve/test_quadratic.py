"""Eigenvalues of the constrained quadratic problem against dense linear algebra."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eig, null_space
from scipy.sparse import csc_matrix

from cosserat.errors import SolveError
from cosserat.solve.linear.matrices import Matrices
from cosserat.solve.linear.quadratic import eigenpairs


def random_matrices(rng, size, n_constraints, *, gyroscopic=False, follower=False, damped=False, free=0):
    mass = rng.normal(size=(size, size))
    mass = mass @ mass.T + size * np.eye(size)
    factor = rng.normal(size=(size, size - free))
    stiffness = factor @ factor.T * size
    damping = np.zeros((size, size))
    if damped:
        damping += 0.02 * stiffness + 0.01 * mass
    if gyroscopic:
        skew = rng.normal(size=(size, size))
        damping += 3.0 * (skew - skew.T)
    if follower:
        stiffness = stiffness + 0.5 * size * rng.normal(size=(size, size))
    constraints = rng.normal(size=(n_constraints, size))
    return Matrices(*(csc_matrix(a) for a in (mass, damping, stiffness, constraints)))


def all_eigenvalues(m):
    """By the generalised Schur form of the state-space pencil on the null space of the constraints."""
    Z = null_space(m.constraints.toarray()) if m.constraints.shape[0] else np.eye(m.mass.shape[0])
    M, D, K = (Z.T @ a.toarray() @ Z for a in (m.mass, m.damping, m.stiffness))
    one, zero = np.eye(len(M)), np.zeros_like(M)
    values = eig(np.block([[zero, one], [-K, -D]]), np.block([[one, zero], [zero, M]]), right=False)
    return values[np.isfinite(values)]


CASES = {
    "conservative": {},
    "damped": {"damped": True},
    "gyroscopic": {"gyroscopic": True},
    "follower": {"follower": True, "damped": True},
    "everything": {"gyroscopic": True, "follower": True, "damped": True},
}


@pytest.mark.parametrize("size", [12, 96])
@pytest.mark.parametrize("case", CASES)
def test_agrees_with_dense_algebra(case, size):
    m = random_matrices(np.random.default_rng(size), size, size // 6, **CASES[case])
    values, shapes = eigenpairs(m, 7)
    exact = all_eigenvalues(m)
    assert len(values) in (7, 8)
    for value in values:
        assert np.min(np.abs(exact - value)) < 1e-9 * abs(value)
    # the nearest ones, each pair complete
    assert_allclose(np.abs(values), np.sort(np.abs(exact))[: len(values)], rtol=1e-8)
    assert_allclose(np.sort_complex(values), np.sort_complex(values.conj()), rtol=0, atol=0)
    Z = null_space(m.constraints.toarray())
    M, D, K = (a.toarray() for a in (m.mass, m.damping, m.stiffness))
    assert np.max(np.abs(m.constraints @ shapes)) < 1e-10
    for k, s in enumerate(values):
        P = s * s * M + s * D + K
        assert np.linalg.norm(Z.T @ P @ shapes[:, k]) < 1e-8 * np.linalg.norm(P)


@pytest.mark.parametrize("size", [12, 96])
def test_free_motions_are_zero_eigenvalues(size):
    """A stiffness with a null space of dimension 3: six zeros, then the elastic pairs."""
    m = random_matrices(np.random.default_rng(5), size, 0, free=3)
    values, shapes = eigenpairs(m, 12)
    assert np.all(values[:6] == 0.0)
    assert np.all(np.abs(values[6:]) > 0.1)
    exact = all_eigenvalues(m)
    for value in values[6:]:
        assert np.min(np.abs(exact - value)) < 1e-8 * abs(value)
    assert np.linalg.norm(m.stiffness @ shapes[:, :6]) < 1e-6 * np.linalg.norm(m.stiffness.toarray())


def test_no_stiffness_at_all():
    """A free rigid body: twelve zeros."""
    m = Matrices(csc_matrix(np.diag([2.0, 2, 2, 1, 3, 4])), csc_matrix((6, 6)), csc_matrix((6, 6)), csc_matrix((0, 6)))
    values, _ = eigenpairs(m, 20)
    assert_allclose(values, np.zeros(12), atol=0)


def test_gyroscope_alone():
    """Rotation about e1 of a free body: s^2 x + s G x = 0 has zeros and the pair of the nutation."""
    G = np.zeros((3, 3))
    G[1, 2], G[2, 1] = 4.0, -4.0
    m = Matrices(csc_matrix(np.eye(3)), csc_matrix(G), csc_matrix((3, 3)), csc_matrix((0, 3)))
    values, _ = eigenpairs(m, 6)
    assert_allclose(values, [0, 0, 0, 0, 4j, -4j], atol=1e-12)


def test_massless_directions_have_no_eigenvalue():
    m = Matrices(
        csc_matrix(np.diag([1.0, 0.0])), csc_matrix((2, 2)), csc_matrix([[3.0, -1], [-1, 1]]), csc_matrix((0, 2))
    )
    values, _ = eigenpairs(m, 4)
    assert_allclose(values, [1j * np.sqrt(2), -1j * np.sqrt(2)], rtol=1e-12)


def test_singular_for_every_frequency():
    m = Matrices(csc_matrix((2, 2)), csc_matrix((2, 2)), csc_matrix((2, 2)), csc_matrix((0, 2)))
    with pytest.raises(SolveError, match="no inertia"):
        eigenpairs(m, 1)


def test_at_least_one():
    m = random_matrices(np.random.default_rng(1), 6, 0)
    with pytest.raises(SolveError, match="at least one"):
        eigenpairs(m, 0)
