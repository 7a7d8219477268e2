"""Groups from a basis of matrices or from structure constants: the axioms of every group, and the checks of a basis."""

import numpy as np
import pytest

from cosserat.errors import GeometryError
from cosserat.lie import GA, SE3, SL, SO2, SO3, Galilei, Heisenberg, MatrixGroup, Product, R, Semidirect, bases

GROUPS = {
    "SO2": SO2,
    "SE3": MatrixGroup(bases.se(3), "SE3"),
    "Galilei": Galilei,
    "GA2": GA(2),
    "SL2": SL(2),
    "Heisenberg2": Heisenberg(2),
    "SO3 on R3": Semidirect(MatrixGroup(bases.so(3)), bases.so(3)),
    "Heisenberg from constants": MatrixGroup.from_structure_constants(Heisenberg().structure_constants()),
    "SE3 x R2 from constants": MatrixGroup.from_structure_constants(Product(SE3, R(2)).structure_constants()),
}
over_groups = pytest.mark.parametrize("name", GROUPS)


@over_groups
@pytest.mark.parametrize("scale", [0.0, 1e-8, 1e-4, 0.3, 0.7])
def test_exp_log_and_tangents(name, scale):
    group, rng = GROUPS[name], np.random.default_rng(len(name))
    x, y, dx = scale * rng.standard_normal(group.dim), *rng.standard_normal((2, group.dim))
    g = group.exp(x)
    assert np.abs(group.log(g) - x).max() < 1e-13 * max(1.0, np.abs(g).max())
    assert group.departure(g) < 1e-13 * max(1.0, np.abs(g).max())
    assert np.abs(group.tangent(x) @ group.tangent_inv(x) - np.eye(group.dim)).max() < 1e-12
    step = 1e-5
    central = (group.exp(x + step * dx) - group.exp(x - step * dx)) / (2 * step)
    assert np.abs(group.inverse(g) @ central - group.hat(group.tangent(x) @ dx)).max() < 1e-8
    for value, derivative in (
        (group.tangent, group.tangent_derivative),
        (group.tangent_inv, group.tangent_inv_derivative),
    ):
        central = (value(x + step * dx) - value(x - step * dx)) / (2 * step)
        assert np.abs(central - derivative(x, dx)).max() < 1e-8
    X, Y = group.hat(x), group.hat(y)
    assert np.abs(group.hat(group.bracket(x) @ y) - (X @ Y - Y @ X)).max() < 1e-13


@over_groups
def test_adjoint_and_axioms(name):
    group, rng = GROUPS[name], np.random.default_rng(7)
    a, b = group.exp(0.5 * rng.standard_normal(group.dim)), group.exp(0.5 * rng.standard_normal(group.dim))
    x = rng.standard_normal(group.dim)
    moved = group.compose(group.compose(a, group.exp(x)), group.inverse(a))
    assert np.abs(moved - group.exp(group.adjoint(a) @ x)).max() < 1e-12 * np.abs(moved).max()
    assert np.abs(group.adjoint(group.compose(a, b)) - group.adjoint(a) @ group.adjoint(b)).max() < 1e-11
    c = group.structure_constants()
    assert np.abs(np.einsum("i,ijk->kj", x, c) - group.bracket(x)).max() < 1e-14
    assert np.array_equal(group.coadjoint(x), group.bracket(x).T)
    assert np.abs(group.vee(group.hat(x)) - x).max() < 1e-14


def test_agrees_with_the_closed_forms_of_se3():
    group, rng = GROUPS["SE3"], np.random.default_rng(3)
    x, y = rng.standard_normal((2, 6))
    for name in ("exp", "tangent", "tangent_inv", "bracket", "coadjoint", "hat"):
        assert np.abs(getattr(group, name)(x) - getattr(SE3, name)(x)).max() < 2e-15
    for name in ("tangent_derivative", "tangent_inv_derivative"):
        assert np.abs(getattr(group, name)(x, y) - getattr(SE3, name)(x, y)).max() < 2e-15
    g = SE3.exp(x)
    assert np.abs(group.adjoint(g) - SE3.adjoint(g)).max() < 2e-15


def test_enters_products():
    group = Product(SL(2), SO3)
    x = np.random.default_rng(0).standard_normal(6) * 0.3
    assert np.abs(group.log(group.exp(x)) - x).max() < 1e-14


def test_no_logarithm_is_told():
    with pytest.raises(GeometryError, match=r"SO2\.log: an eigenvalue .* not positive"):
        SO2.log(SO2.exp([np.pi]))
    with pytest.raises(GeometryError, match="outside the algebra"):
        SO2.log(np.diag([2.0, 1.0]))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: MatrixGroup([bases.unit(2, 0, 1), bases.unit(2, 1, 0)], "half"), r"half: .*\[e_1, e_2\].*add this"),
        (lambda: MatrixGroup([np.eye(2), 2 * np.eye(2)]), "only 1 of the 2 matrices are independent"),
        (lambda: MatrixGroup(np.zeros((2, 3))), r"shape \(2, 3\)"),
        (lambda: MatrixGroup([[[np.nan]]]), "not finite"),
        (lambda: MatrixGroup.from_structure_constants(np.ones((2, 2, 2))), "skew-symmetric"),
        (lambda: MatrixGroup.from_structure_constants(np.zeros((2, 3, 2))), r"pass an array \(n, n, n\)"),
        (lambda: Semidirect(SL(2), np.ones((3, 2, 2))), "no representation"),
        (lambda: Semidirect(SL(2), np.zeros((2, 2, 2))), "one each"),
    ],
)
def test_bad_bases(make, message):
    with pytest.raises(GeometryError, match=message):
        make()


def test_jacobi_is_verified():
    c = np.zeros((3, 3, 3))
    c[0, 1, 0], c[1, 0, 0] = 1, -1
    c[1, 2, 1], c[2, 1, 1] = 1, -1
    with pytest.raises(GeometryError, match="Jacobi's identity fails for e_1, e_2, e_3"):
        MatrixGroup.from_structure_constants(c)
