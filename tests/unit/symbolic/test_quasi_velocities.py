"""Quasi-velocities with constant and with varying structure coefficients; checks of a user's potential."""

import numpy as np
import pytest
import sympy as sp

from cosserat.errors import ArgumentError, CosseratWarning
from cosserat.symbolic import SO3, PoincareChetayev, QuasiVelocities, check_potential, media

J = sp.diag(*sp.symbols("J1:4", real=True))


def test_euler_angles_give_eulers_equations():
    """Angles z-x-z: the fields of the body's angular velocity close with the constants of SO(3)."""
    a, b, c = sp.symbols("a b c", real=True)
    first, second = [sp.sin(b) * sp.sin(c), sp.cos(c), 0], [sp.sin(b) * sp.cos(c), -sp.sin(c), 0]
    to_spin = sp.Matrix([first, second, [sp.cos(b), 0, 1]])
    body = QuasiVelocities((a, b, c), sp.simplify(to_spin.inv()), names=("w1_t", "w2_t", "w3_t"))
    assert body.structure == SO3.structure_constants
    M = sp.Symbol("M", real=True)
    found = body.equations(lambda w, q: media.form(J, w) - M * sp.cos(q[1]))
    reference = PoincareChetayev(SO3, lambda w, R: media.form(J, w) - M * R[2, 2])
    # The third row of R in these angles: (sin b sin c, sin b cos c, cos b).
    row = {"R31": sp.sin(b) * sp.sin(c), "R32": sp.sin(b) * sp.cos(c), "R33": sp.cos(b)}
    expected = reference.field.subs({s: row[s.name] for s in reference.field.free_symbols if s.name in row})
    assert sp.simplify(found - expected) == sp.zeros(3, 1)


def test_coefficients_that_vary_agree_with_lagrange():
    """A particle in a potential on a surface of revolution, in a skew basis, against Lagrange's equations."""
    t = sp.Symbol("t")
    x, y = sp.symbols("x y", real=True)
    X = sp.Matrix([[1, y], [x, 2 + x * y]])
    basis = QuasiVelocities((x, y), X)
    assert basis.structure[0, 1, 0] != 0
    metric = sp.Matrix([[2 + sp.cos(y), x], [x, 3 + x**2]])
    U = x**2 * y
    found = basis.equations(lambda eta, q: ((X * eta).T * metric * (X * eta))[0] / 2 - U)
    # Lagrange's equations for q, then projected on the fields.
    qx, qy = sp.Function("qx")(t), sp.Function("qy")(t)
    u, v = sp.symbols("u v")
    L = (sp.Matrix([u, v]).T * metric * sp.Matrix([u, v]))[0] / 2 - U
    put = {x: qx, y: qy, u: qx.diff(t), v: qy.diff(t)}
    lagrange = sp.Matrix([L.diff(w).subs(put).diff(t) - L.diff(c).subs(put) for c, w in ((x, u), (y, v))])
    rng = np.random.default_rng(1)
    for _ in range(3):
        q0, e0, r0 = rng.uniform(0.2, 0.8, 2), rng.standard_normal(2), rng.standard_normal(2)
        at = dict(zip((x, y), q0))
        Xn = np.array(X.subs(at), dtype=float)
        v0 = Xn @ e0
        dX = sum((np.array(X.diff(c).subs(at), dtype=float) * w for c, w in zip((x, y), v0)), np.zeros((2, 2)))
        a0 = Xn @ r0 + dX @ e0
        values = {qx.diff(t, 2): a0[0], qy.diff(t, 2): a0[1]}
        forces = lagrange.subs(values).subs({qx.diff(t): v0[0], qy.diff(t): v0[1]}).subs({qx: q0[0], qy: q0[1]})
        expected = Xn.T @ np.array(forces, dtype=float).ravel()
        state = {**at, **dict(zip(basis.eta, e0)), **dict(zip(basis.rate, r0))}
        assert np.abs(np.array(found.subs(state), dtype=float).ravel() - expected).max() < 1e-12


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: QuasiVelocities(("x", "y"), sp.eye(3)), r"pass \(2, 2\)"),
        (lambda: QuasiVelocities(("x", "y"), sp.ones(2, 2)), "are dependent"),
        (lambda: QuasiVelocities(("x",), [[1]], names=("a", "b")), "pass 1 different names"),
        (lambda: QuasiVelocities(("x",), [[1]], names=("x",)), "different names that no coordinate has"),
        (lambda: QuasiVelocities(("x", "x"), sp.eye(2)), "coordinates are .*pass different symbols"),
        (lambda: QuasiVelocities(("x",), [[1]]).equations(lambda e: 0), "lagrangian fails: .*it gets"),
        (lambda: QuasiVelocities(("x",), [[1]]).equations(lambda e, q: e), "must give one expression"),
        (lambda: QuasiVelocities(("x",), [[1]]).equations(lambda e, q: 0, forces=3), "forces are 3; pass 1"),
        (lambda: QuasiVelocities(("x",), [[1]]).equations(lambda e, q: e[0] ** 2, forces=[1, 2]), "pass 1"),
    ],
)
def test_bad_fields(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def test_symbols_mean_the_same_whatever_is_assumed_of_them():
    """A coordinate written with other assumptions is the coordinate, not a constant."""
    r = sp.Symbol("r")
    for given in ("r", sp.Symbol("r", positive=True)):
        polar = QuasiVelocities((given, "phi"), sp.diag(1, 1 / r), names=("u", "w"))
        q = polar.q[0]
        assert polar.structure[0, 1, 1] == -1 / q
        found = polar.equations(lambda eta, q: eta.dot(eta) / 2 - r**2, forces=[r, 0])
        assert sp.expand(found[0] - (sp.Symbol("u_t", real=True) - polar.eta[1] ** 2 / q + q)) == 0


def test_potentials():
    x, y, k = sp.symbols("x y k")
    K = check_potential(k * x**2 + y**2 + sp.exp(x * y), [x, y], values={"k": 2.0})
    assert np.allclose(K, [[4, 1], [1, 2]])
    with pytest.warns(CosseratWarning, match="not convex at .*lowest stiffness is -1"):
        check_potential(x**4 - x**2 / 2, [x])
    with pytest.warns(CosseratWarning, match="not smooth, it contains Max"):
        check_potential(x**2 + sp.Max(x, -1) ** 3, [x])
    with pytest.raises(ArgumentError, match="no finite first and second derivatives"):
        check_potential(sp.sqrt(x), [x])
    with pytest.raises(ArgumentError, match="leave the symbols k free"):
        check_potential(k * x**2, [x])
    with pytest.raises(ArgumentError, match="pass 1 numbers"):
        check_potential(x**2, [x], reference=(0, 0))
