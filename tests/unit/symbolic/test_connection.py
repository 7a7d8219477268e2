"""Connections: flatness of Maurer-Cartan forms, known curvatures, transport round loops, covariant divergence."""

import numpy as np
import pytest
import sympy as sp

from cosserat import lie
from cosserat.errors import ArgumentError
from cosserat.symbolic import SE2, SE3, SO3, Connection, covariant_derivative, covariant_divergence, curvature, torsion

t, S, a, b = sp.symbols("t S a b", real=True)


def vanishes(matrix):
    """Whether a matrix of expressions is zero at three points."""
    points = [{t: 0.3, S: -0.7, a: 1.1, b: 0.4}, {t: 1.2, S: 0.5, a: -0.3, b: 0.9}, {t: -2.1, S: 1.6, a: 0.7, b: 0.2}]
    return all(np.abs(np.array(matrix.xreplace(p).evalf(), dtype=float)).max() < 1e-13 for p in points)


def turn(angle):
    return sp.Matrix([[sp.cos(angle), -sp.sin(angle)], [sp.sin(angle), sp.cos(angle)]])


def frame(angle, x, y):
    return turn(angle).row_join(sp.Matrix([x, y])).col_join(sp.Matrix([[0, 0, 1]]))


def about_x(angle):
    return sp.diag(1, turn(angle))


def test_maurer_cartan_forms_are_flat():
    g = frame(S * t + t**2, S + t * S**2, sp.sin(S) * t)
    flat = Connection.of_field(SE2, g, ("t", "S"))
    for value in (flat.curvature()["t", "S"], flat.torsion()["t", "S"]):
        assert vanishes(value)
    R = sp.diag(turn(t * S), 1) * about_x(t + S**2)
    x = sp.Matrix([t, S * t, S])
    g = R.row_join(x).col_join(sp.Matrix([[0, 0, 0, 1]]))
    forms = Connection.of_field(SE3, g, ("t", "S")).forms
    for made in (curvature, torsion):
        value = made(SE3, forms)["t", "S"]
        assert vanishes(value)


def test_an_incompatible_field_has_its_known_curvature():
    c = Connection(SO3, {"t": [a * S, 0, 0], "S": [0, b, 0]})
    assert c.curvature()["t", "S"] == sp.Matrix([-a, 0, a * b * S])
    assert c.torsion()["t", "S"] == sp.Matrix([-a, 0, a * b * S])


def test_transport_round_a_loop_gives_the_curvature():
    c = Connection(SE3, {"t": [S, 0.3, 0, 0.2 * S, 0, t], "S": [0, t * S, 1, 0, 0.5, 0.1]})
    K = np.array(c.curvature()["t", "S"].subs({t: 0.4, S: 0.2}), dtype=float).ravel()
    assert np.abs(K).max() > 0.3
    u = np.arange(1.0, 7.0)
    errors = []
    for side in (0.02, 0.01):
        d = side / 2
        loop = np.array([(0.4, 0.2)]) + d * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)])
        found = lie.SE3.log(c.holonomy(loop, steps=2)) / side**2
        errors.append(np.abs(found - K).max())
        moved = (c.parallel_transport(loop, u, steps=2) - u) / side**2
        assert np.abs(moved + lie.SE3.bracket(K) @ u).max() < 30 * side
    assert errors[1] < 0.02
    assert errors[0] / errors[1] > 1.8


def test_transport_round_a_rectangle_of_constant_forms_is_exact():
    A, B = [0.3, 0.2, 0.5], [-0.4, 0.6, 0.1]
    c = Connection(SE2, {"t": A, "S": B})
    h = c.holonomy([(0, 0), (2, 0), (2, 3), (0, 3), (0, 0)])
    exp = lie.SE2.exp
    expected = exp(2 * np.array(A)) @ exp(3 * np.array(B)) @ exp(-2 * np.array(A)) @ exp(-3 * np.array(B))
    assert np.abs(h - expected).max() < 1e-12
    mu = np.array([1.0, -2.0, 0.5])
    u = np.array([0.2, 0.1, -0.3])
    path = [(0, 0), (1, 2)]
    pairing = c.parallel_transport(path, mu, "momentum") @ c.parallel_transport(path, u)
    assert pairing == pytest.approx(mu @ u)


def test_horizontal_projection():
    c = Connection(SE2, {"t": [a, S, 1], "S": [0, t, b]})
    g = sp.Matrix([[3, -4, 5], [4, 3, 10], [0, 0, 5]]) / 5
    dg = g * SE2.hat([1, 2, 3])
    dx = (sp.Rational(1, 3), -1)
    h = c.horizontal(g, dx, dg)
    assert sp.expand(c.vertical(g, dx, h)) == sp.zeros(3, 1)  # horizontal
    assert sp.expand(c.horizontal(g, dx, h) - h) == sp.zeros(*h.shape)  # a projection
    assert sp.expand(c.vertical(g, (0, 0), dg) - sp.Matrix([1, 2, 3])) == sp.zeros(3, 1)  # Gamma(f Z) = Z


def test_a_constant_spatial_momentum_has_no_divergence():
    g = frame(S * t, t**2, S)
    c = Connection.of_field(SE2, g, ("t", "S"))
    pi = sp.Matrix([1, -2, 3])
    mu = SE2.Ad(g).T * pi
    assert vanishes(c.covariant_derivative(mu, "momentum")["t"])
    momenta = {"t": mu * S, "S": mu * t**2}
    assert vanishes(c.covariant_divergence(momenta))
    assert vanishes(covariant_divergence(SE2, c.forms, {"t": mu, "S": mu * S}) - mu)
    U = SE2.Ad(SE2.inverse(g)) * pi
    assert vanishes(covariant_derivative(SE2, c.forms, U)["S"])


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Connection(SO3, {}), "is empty"),
        (lambda: Connection(SO3, {"t": [a, 0, 0]}).holonomy([(0,), (1,)]), "leave the symbols a free"),
        (lambda: Connection(SO3, {"t": [1, 0, 0]}).holonomy([(0, 1)]), r"pass corners \(k, 1\)"),
        (lambda: Connection(SO3, {"t": [1, 0, 0]}).covariant_derivative([1, 2, 3], "force"), "pass 'comomentum'"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


@pytest.mark.parametrize("assumed", [{}, {"real": True}, {"positive": True}])
def test_parameters_are_known_by_their_names(assumed):
    """Symbols of a parameter are differentiated whatever is assumed of them."""
    s = sp.Symbol("S", **assumed)
    found = Connection(SO3, {"t": [s, 0, 0], "S": [0, 1, 0]})
    assert list(found.curvature()["t", "S"]) == [-1, 0, S]
    still = Connection(SO3, {"t": [0, 0, 0], "S": [0, 0, 0]})
    assert list(still.torsion({"t": [s**2, 0, 0], "S": [0, 0, 0]})["t", "S"]) == [-2 * S, 0, 0]
    assert list(still.covariant_derivative([s, 0, 0])["S"]) == [1, 0, 0]
    assert list(Connection.of_field(SO3, about_x(s * t), ("t", "S")).forms["t"].applyfunc(sp.simplify)) == [S, 0, 0]
