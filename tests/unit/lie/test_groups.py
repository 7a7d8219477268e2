"""One suite over every group: axioms, exponential, tangent operators, adjoints.

Samples run over the angles 0, 1e-8 ... 1e-3, 1, near pi and pi; seeds are fixed.
"""

import math

import mpmath
import numpy as np
import pytest

from cosserat.lie import SE2, SE3, SO3, Product, R

GROUPS = {"SO3": SO3, "SE3": SE3, "SE2": SE2, "R4": R(4), "SE3xSO3xR2": Product(SE3, SO3, R(2))}
ANGLES = [0.0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.1, 0.999, 1.001, 1.5, 2.0, 3.0]
ANGLES += [math.pi / 2 + e for e in (-1e-5, 0.0, 1e-5)]
ANGLES += [math.pi - e for e in (1e-3, 1e-6, 1e-9, 0.0)]
ROTATIONS = {"SO3": [slice(0, 3)], "SE3": [slice(3, 6)], "SE2": [slice(2, 3)], "R4": []}
ROTATIONS["SE3xSO3xR2"] = [slice(3, 6), slice(6, 9)]

over_groups = pytest.mark.parametrize("name", GROUPS)
over_angles = pytest.mark.parametrize("angle", ANGLES)


def rng_of(name, angle=0.0):
    return np.random.default_rng([sum(map(ord, name)), int(angle * 1e6)])


def vector(name, angle, rng):
    """A tangent vector whose rotations are by ``angle`` exactly, with other parts of order one."""
    x = rng.standard_normal(GROUPS[name].dim)
    for part in ROTATIONS[name]:
        x[part] *= angle / np.linalg.norm(x[part])
    return x


def distance(group, g, h):
    return float(np.max(np.abs(group.matrix(g) - group.matrix(h))))


@over_groups
def test_axioms(name):
    group, rng = GROUPS[name], rng_of(name)
    a, b, c = (group.random(rng) for _ in range(3))
    e = group.identity()
    assert distance(group, group.compose(a, e), a) < 1e-15
    assert distance(group, group.compose(e, a), a) < 1e-15
    assert distance(group, group.compose(a, group.inverse(a)), e) < 1e-14
    left, right = group.compose(group.compose(a, b), c), group.compose(a, group.compose(b, c))
    assert distance(group, left, right) < 1e-14
    product = group.matrix(a) @ group.matrix(b)
    assert np.max(np.abs(group.matrix(group.compose(a, b)) - product)) < 1e-14
    assert distance(group, a, b) > 0.1  # the samples are different elements


@over_groups
@over_angles
def test_exp_is_the_exponential_of_the_matrix(name, angle):
    group, rng = GROUPS[name], rng_of(name, angle)
    x = vector(name, angle, rng)
    with mpmath.workdps(40):
        exact = mpmath.expm(mpmath.matrix(group.hat(x).tolist()), method="taylor")
        exact = np.array(exact.tolist(), dtype=float)
    assert np.max(np.abs(group.matrix(group.exp(x)) - exact)) < 1e-14 * (1 + np.max(np.abs(exact)))


@over_groups
@over_angles
def test_log_inverts_exp(name, angle):
    group, rng = GROUPS[name], rng_of(name, angle)
    x = vector(name, angle, rng)
    g = group.exp(x)
    y = group.log(g)
    assert distance(group, group.exp(y), g) < 1e-14
    if angle < math.pi - 1e-10:  # before the sign of the axis becomes a choice
        assert np.linalg.norm(y - x) <= 1e-13 * np.linalg.norm(x)
        for part in ROTATIONS[name]:  # relative to the angle itself, however small
            bound = 1e-13 * angle if angle < 3.0 else 1e-13 * angle + 4e-16
            assert np.linalg.norm(y[part] - x[part]) <= bound
    else:
        for part in ROTATIONS[name]:
            assert abs(np.linalg.norm(y[part]) - math.pi) < 1e-9
            assert y[part][np.abs(y[part]) > 1e-7][0] > 0


@over_groups
@over_angles
def test_tangent_by_differences_on_the_manifold(name, angle):
    group, rng = GROUPS[name], rng_of(name, angle)
    x, dx = vector(name, angle, rng), rng.standard_normal(group.dim)
    back = group.inverse(group.exp(x))

    def moved(h):
        return group.log(group.compose(back, group.exp(x + h * dx)))

    h = 1e-3
    slope = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h)
    assert np.max(np.abs(group.tangent(x) @ dx - slope)) < 1e-11 * (1 + np.max(np.abs(slope)))


@over_groups
@over_angles
def test_tangent_and_its_derivative_are_their_series(name, angle):
    """T = sum (-ad)^k/(k+1)!, in extended precision: an independent value, good to 1e-13 relative."""
    group, rng = GROUPS[name], rng_of(name, angle)
    x, dx = vector(name, angle, rng), rng.standard_normal(group.dim)
    ad, d_ad = (-group.bracket(a).astype(np.longdouble) for a in (x, dx))
    P, D = np.eye(group.dim, dtype=np.longdouble), np.zeros((group.dim, group.dim), dtype=np.longdouble)
    T, DT = P.copy(), D.copy()
    for k in range(2, 40):
        P, D = ad @ P / k, (d_ad @ P + ad @ D) / k
        T, DT = T + P, DT + D
    assert np.max(np.abs(group.tangent(x) - T)) < 1e-14 * np.max(np.abs(T))
    assert np.max(np.abs(group.tangent_derivative(x, dx) - DT)) <= 1e-14 * np.max(np.abs(DT))


@over_groups
@over_angles
def test_tangent_inv_is_the_inverse(name, angle):
    group, rng = GROUPS[name], rng_of(name, angle)
    x = vector(name, angle, rng)
    T, T_inv = group.tangent(x), group.tangent_inv(x)
    assert np.max(np.abs(T @ T_inv - np.eye(group.dim))) < 2e-14
    assert np.max(np.abs(T_inv @ T - np.eye(group.dim))) < 2e-14


@over_groups
@over_angles
@pytest.mark.parametrize("operator", ["tangent", "tangent_inv"])
def test_derivative_of_the_tangent_by_differences(name, angle, operator):
    group, rng = GROUPS[name], rng_of(name, angle)
    x, dx = vector(name, angle, rng), rng.standard_normal(group.dim)
    f = getattr(group, operator)
    h = 2e-3
    slope = (8 * (f(x + h * dx) - f(x - h * dx)) - (f(x + 2 * h * dx) - f(x - 2 * h * dx))) / (12 * h)
    exact = getattr(group, operator + "_derivative")(x, dx)
    assert np.max(np.abs(exact - slope)) < 3e-10 * (1 + np.max(np.abs(exact)))


@over_groups
@over_angles
def test_derivatives_of_the_tangent_and_of_its_inverse_agree(name, angle):
    """D(T T^-1) = 0, to rounding: the differences above cannot see errors below 1e-10, this can."""
    group, rng = GROUPS[name], rng_of(name, angle)
    x, dx = vector(name, angle, rng), rng.standard_normal(group.dim)
    T, T_inv = group.tangent(x), group.tangent_inv(x)
    zero = group.tangent_derivative(x, dx) @ T_inv + T @ group.tangent_inv_derivative(x, dx)
    assert np.max(np.abs(zero)) < 5e-14


@over_groups
@over_angles
def test_adjoint_by_its_defining_identity(name, angle):
    group, rng = GROUPS[name], rng_of(name, angle)
    g, x = group.random(rng), vector(name, angle, rng)
    left = group.compose(group.compose(g, group.exp(x)), group.inverse(g))
    assert distance(group, left, group.exp(group.adjoint(g) @ x)) < 2e-14 * (1 + np.linalg.norm(x))


@over_groups
@over_angles
def test_adjoint_of_exp_links_the_two_tangents(name, angle):
    """Ad(exp(x)) T(x) = T(-x): the right tangent is the left one at -x."""
    group, rng = GROUPS[name], rng_of(name, angle)
    x = vector(name, angle, rng)
    assert np.max(np.abs(group.adjoint(group.exp(x)) @ group.tangent(x) - group.tangent(-x))) < 3e-14


@over_groups
def test_bracket_is_the_commutator_and_structure_constants_give_it(name):
    group, rng = GROUPS[name], rng_of(name)
    x, y = rng.standard_normal((2, group.dim))
    commutator = group.hat(x) @ group.hat(y) - group.hat(y) @ group.hat(x)
    assert np.max(np.abs(group.bracket(x) @ y - group.vee(commutator))) < 1e-14
    assert np.max(np.abs(group.hat(group.bracket(x) @ y) - commutator)) < 1e-14
    c = group.structure_constants()
    assert np.max(np.abs(np.einsum("ijk,i,j->k", c, x, y) - group.bracket(x) @ y)) < 1e-14
    assert np.array_equal(group.coadjoint(x), group.bracket(x).T)
    assert np.array_equal(group.vee(group.hat(x)), x)


@over_groups
def test_jacobi_identity(name):
    c = GROUPS[name].structure_constants()
    assert np.array_equal(c, -c.transpose(1, 0, 2))
    jacobi = np.einsum("ijm,mkl->ijkl", c, c)
    jacobi = jacobi + np.einsum("jkm,mil->ijkl", c, c) + np.einsum("kim,mjl->ijkl", c, c)
    assert np.array_equal(jacobi, np.zeros_like(jacobi))
    if name != "R4":
        assert np.any(c != 0)


@over_groups
def test_coadjoint_keeps_the_spatial_momentum(name):
    """d/dt Ad(g^-1)^T mu = 0 when mu_dot = coad(eta) mu: the sign of the coadjoint."""
    group, rng = GROUPS[name], rng_of(name)
    eta, mu, h = rng.standard_normal(group.dim), rng.standard_normal(group.dim), 1e-4

    def spatial(t):
        g = group.exp(t * eta)
        mu_t = mu + t * group.coadjoint(eta) @ mu
        return group.adjoint(group.inverse(g)).T @ mu_t

    assert np.max(np.abs(spatial(h) - spatial(-h))) / (2 * h) < 1e-6


def test_se2_is_a_subgroup_of_se3():
    d = np.array([0.3, -0.7, 1.1])
    plane = SE2.exp(d)
    space = SE3.exp([d[0], d[1], 0, 0, 0, d[2]])
    keep = [0, 1, 3]
    assert np.max(np.abs(space[np.ix_(keep, keep)] - plane)) < 1e-15
    keep = [0, 1, 5]
    for operator in ("tangent", "tangent_inv", "bracket"):
        six = getattr(SE3, operator)(np.array([d[0], d[1], 0, 0, 0, d[2]]))
        assert np.max(np.abs(six[np.ix_(keep, keep)] - getattr(SE2, operator)(d))) < 1e-15
    six = SE3.adjoint(space)
    assert np.max(np.abs(six[np.ix_(keep, keep)] - SE2.adjoint(plane))) < 1e-15


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        ((-1, 0, 0), (1, 0, 0)),
        ((0, -1, 0), (0, 1, 0)),
        ((0, 0.6, -0.8), (0, 0.6, -0.8)),
        ((-1, 1, 0), (1, -1, 0)),
    ],
)
def test_log_at_pi_chooses_the_first_component_positive(axis, expected):
    n = np.array(axis) / np.linalg.norm(axis)
    exact_half_turn = 2 * np.outer(n, n) - np.eye(3)
    for rotation in (exact_half_turn, SO3.exp(math.pi * n), SO3.exp(-math.pi * n)):
        w = SO3.log(rotation)
        target = math.pi * np.array(expected) / np.linalg.norm(expected)
        assert np.max(np.abs(w - target)) < 1e-14


def test_se2_half_turn_is_positive():
    assert SE2.log(SE2.exp([1.0, 0.0, -math.pi]))[2] == math.pi


def test_dimension_of_products_and_bad_dimension():
    assert Product(SE3, R(3), SE2).dim == 12
    assert Product().dim == 0
    with pytest.raises(ValueError, match="0 or more"):
        R(-1)
