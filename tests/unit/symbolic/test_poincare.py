"""Poincare-Chetayev equations against known ones, against each other, and against the action, differenced."""

import numpy as np
import pytest
import sympy as sp

from cosserat import lie, symbolic
from cosserat.errors import ArgumentError, CosseratError, CosseratWarning
from cosserat.symbolic import SE2, SE3, SO3, GroupMotion, PoincareChetayev, R, product

J = sp.diag(*sp.symbols("J1:4"))
m, grav, a, k = sp.symbols("m g a k")


def heavy_top(setting="material"):
    arm = sp.Matrix([0, 1, 0])

    def material(w, R):
        return (w.T * J * w)[0] / 2 - m * grav * (R * arm)[2]

    def spatial(w, R):
        return (w.T * R * J * R.T * w)[0] / 2 - m * grav * (R * arm)[2]

    return PoincareChetayev(SO3, material if setting == "material" else spatial, setting=setting)


def is_zero(expression):
    return all(sp.expand(e) == 0 for e in sp.Matrix([expression]))


def test_euler_equations_of_the_top():
    top = heavy_top()
    w, dw, Rm = top.eta["t"], top.jets.rate["t", "t"], top.g
    down = Rm.T * sp.Matrix([0, 0, -1])  # gravity seen from the body
    expected = J * dw + w.cross(J * w) - m * grav * sp.Matrix([0, 1, 0]).cross(down)
    assert is_zero(top.field - expected)
    assert is_zero(top.defect - m * grav * sp.Matrix([0, 1, 0]).cross(down))


def test_commutative_group_gives_lagrange():
    t = sp.Symbol("t")
    L = lambda v, q: m * v.dot(v) / 2 + a * v[0] * q[1] - k * q[0] ** 2 * q[1] / 2  # noqa: E731
    field = PoincareChetayev(R(2), L, forces=[0, sp.Symbol("Q")]).field
    q = sp.Matrix([sp.Function("q1")(t), sp.Function("q2")(t)])
    v = q.diff(t)
    x = sp.symbols("x1 x2 y1 y2")
    value = L(sp.Matrix(x[2:]), sp.Matrix(x[:2]))
    put = {**dict(zip(x[:2], q)), **dict(zip(x[2:], v))}
    lagrange = sp.Matrix([value.diff(x[2 + i]).subs(put).diff(t) - value.diff(x[i]).subs(put) for i in range(2)])
    lagrange[1] -= sp.Symbol("Q")
    names = {f"q{i + 1}{s}": w for i in range(2) for s, w in (("", q[i]), ("_t", v[i]), ("_t_t", v[i].diff(t)))}
    assert is_zero(field.subs({s: names[s.name] for s in field.free_symbols if s.name in names}) - lagrange)


def test_both_settings_have_the_same_motion_of_the_heavy_top():
    values = {"J1": 1, "J2": 2, "J3": 1.5, "m": 1, "g": 9.81}
    material = heavy_top().motion([0.3, 6, -0.5], 10.0, 0.03125, values=values, order=8)
    spatial = heavy_top("spatial").motion([0.3, 6, -0.5], 10.0, 0.03125, values=values, order=8)
    assert np.abs(material.matrices - spatial.matrices).max() < 1e-10
    assert np.abs(material.velocity - spatial.material_velocity).max() < 1e-10
    assert np.ptp(material.energy) < 1e-11
    assert np.ptp(spatial.energy) < 1e-11
    assert np.ptp(material.momentum_map[:, 2]) < 1e-12  # angular momentum about the vertical
    assert isinstance(material, GroupMotion)


def test_parameters_that_are_none():
    with pytest.raises(ArgumentError, match="pass different names"):
        PoincareChetayev(SO3, lambda w: w[0] ** 2, parameters=3)
    with pytest.raises(ArgumentError, match="got parameter 'X'; the parameters are t"):
        heavy_top().term("X")


def test_conserved_momenta():
    top = heavy_top()
    (vertical,) = top.conserved()
    assert (vertical.side, list(vertical.generator)) == ("left", [0, 0, 1])
    R, w = top.g, top.eta["t"]
    rng = np.random.default_rng(0)
    point = dict(zip(R, lie.SO3.exp(rng.standard_normal(3)).ravel())) | dict(zip(w, rng.standard_normal(3)))
    point |= dict(zip(sp.symbols("J1:4"), (1, 2, 3)))
    assert abs(float((vertical.densities["t"] - (R * J * w)[2]).subs(point))) < 1e-14
    Js, A = sp.diag(a, a, k), sp.Symbol("A")
    lagrange_top = PoincareChetayev(SO3, lambda w, R: (w.T * Js * w)[0] / 2 - A * R[2, 2])
    found = [(c.side, list(c.generator)) for c in lagrange_top.conserved()]
    assert found == [("left", [0, 0, 1]), ("right", [0, 0, 1])]
    (left,) = [c for c in heavy_top("spatial").conserved() if c.side == "left"]
    assert list(left.generator) == [0, 0, 1]


@pytest.mark.parametrize(("inertia", "weight"), [(1e-11, 1e-10), (1.0, 1e-10), (1e9, 1e9)])
def test_symmetries_do_not_depend_on_units(inertia, weight):
    """A top of micrograms, or one in a field that is hardly there, has one conserved momentum, as any other."""
    top = PoincareChetayev(SO3, lambda w, R: inertia * (w[0] ** 2 + 2 * w[1] ** 2 + 3 * w[2] ** 2) - weight * R[2, 2])
    assert [(c.side, list(c.generator)) for c in top.conserved()] == [("left", [0, 0, 1])]


def test_symmetries_of_lagrangians_with_a_domain():
    def problem(U):
        return PoincareChetayev(R(2, ["x", "y"]), lambda v, q: v[0] ** 2 + v[1] ** 2 - U(q[0] - q[1] / 3))

    (left, _) = problem(lambda x: sp.sqrt(x - 2)).conserved()
    assert list(left.generator) == [1, 3]
    with pytest.raises(ArgumentError, match="no finite value at most of 120 random states"):
        problem(lambda x: sp.sqrt(x - 100)).conserved()


@pytest.mark.parametrize("setting", ["material", "spatial"])
def test_field_equation_is_the_derivative_of_the_action(setting):
    """A Lagrangian with no symmetry on SE(2) over (t, X): d(action)/d(variation) by differences on the group."""
    rng = np.random.default_rng(5)
    A, B = (M + M.T + 6 * np.eye(3) for M in rng.standard_normal((2, 3, 3)))

    def L(v, f, g):
        V, F = sp.Matrix(A) * v, sp.Matrix(B) * f
        return (v.dot(V) - f.dot(F)) / 2 + v[0] * f[2] * g[0, 2] - 2 * g[0, 1] * f[0] + g[1, 2] ** 2

    problem = PoincareChetayev(SE2, L, ("t", "X"), setting=setting)
    x, weights = np.polynomial.legendre.leggauss(10)
    x, weights = 0.5 * (x + 1), 0.5 * weights
    c0, c1, c2, c3 = 0.4 * rng.standard_normal((4, 3))
    d0, d1 = rng.standard_normal((2, 3))

    def bump(t, X):
        """A variation that vanishes on the boundary with its first derivatives, and its two derivatives."""
        p, dp = ((y * (1 - y)) ** 2 for y in (t, X)), (2 * y * (1 - y) * (1 - 2 * y) for y in (t, X))
        (pt, pX), (dt, dX), d = p, dp, d0 + X * d1
        return pt * pX * d, (dt * pX * d, pt * dX * d + pt * pX * d1)

    def state(t, X, eps):
        """The element and its exact velocities along t and X."""
        c, dc = c0 + t * c1 + X * c2 + t * X * c3, (c1 + X * c3, c2 + t * c3)
        b, db = bump(t, X)
        base, move = lie.SE2.exp(c), lie.SE2.exp(eps * b)
        if setting == "material":
            back = lie.SE2.adjoint(lie.SE2.inverse(move))
            eta = [back @ lie.SE2.tangent(c) @ u + lie.SE2.tangent(eps * b) @ (eps * w) for u, w in zip(dc, db)]
            return base @ move, dict(zip(("t", "X"), eta))
        ahead = lie.SE2.adjoint(move)
        eta = [ahead @ lie.SE2.tangent(-c) @ u + lie.SE2.tangent(-eps * b) @ (eps * w) for u, w in zip(dc, db)]
        return move @ base, dict(zip(("t", "X"), eta))

    density = symbolic.evaluate.function(problem, sp.Matrix([problem.lagrangian]), None, "test")
    field = problem.residual()
    eps, h = 1e-3, 1e-3
    change = work = 0.0
    for t, wt in zip(x, weights):
        for X, wx in zip(x, weights):
            for step, weight in ((-2, 1), (-1, -8), (1, 8), (2, -1)):
                change += wt * wx * weight * density(*state(t, X, step * eps)).item() / (12 * eps)
            g, eta = state(t, X, 0)
            rate = {}
            for q, d in (("t", (h, 0.0)), ("X", (0.0, h))):
                near = [state(t + s * d[0], X + s * d[1], 0)[1] for s in (-2, -1, 1, 2)]
                for p in ("t", "X"):
                    rate[p, q] = (near[0][p] - 8 * near[1][p] + 8 * near[2][p] - near[3][p]) / (12 * h)
            work -= wt * wx * float(field(g, eta, rate) @ bump(t, X)[0])
    assert abs(work) > 1e-4
    assert abs(change - work) < 1e-9 * abs(work)


def test_boundary_has_the_corrected_sign():
    F = sp.Matrix(sp.symbols("F1:4"))
    U = lambda f: k * ((f[0] - 1) ** 2 + f[1] ** 2 + f[2] ** 2) / 2  # noqa: E731
    beam = PoincareChetayev(SE2, lambda v, f: v.dot(v) / 2 - U(f), ("t", "X"), boundary_forces=F)
    stress = beam.momenta["X"].applyfunc(lambda e: -e)
    assert is_zero(beam.boundary_at("X", 1) - (F - stress))  # N(L) = +F
    assert is_zero(beam.boundary_at("X", -1) - (F + stress))  # N(0) = -F
    with pytest.raises(ArgumentError, match=r"got parameter 't'; parameters with a boundary: X"):
        beam.boundary_at("t", 1)


def test_statics_by_minus_u_and_compatibility():
    arch = PoincareChetayev(SE3, lambda f: -k * f.dot(f) / 2, ("S",))
    f = arch.eta["S"]
    x, kappa, force, moment = f[:3, :], f[3:, :], k * f[:3, :], k * f[3:, :]
    rate = arch.jets.rate["S", "S"]
    upper, lower = k * rate[:3, :] + kappa.cross(force), k * rate[3:, :] + kappa.cross(moment) + x.cross(force)
    expected = -sp.Matrix([*upper, *lower])
    assert is_zero(arch.field - expected)  # [deSaxce26] 8.2
    assert arch.compatibility == {}
    both = PoincareChetayev(SO3, lambda w, f: w.dot(w) - f.dot(f), ("t", "X"))
    w, kappa = both.eta["t"], both.eta["X"]
    rate = both.jets.rate
    assert is_zero(both.compatibility["t", "X"] - (rate["X", "t"] - rate["t", "X"] + w.cross(kappa)))


def test_product_presents_its_parts():
    body = PoincareChetayev(product(SO3, R(1)), lambda e, g: e[3] ** 2 / 2 + (1 + g[1][0]) * e[:3, :].dot(e[:3, :]) / 2)
    w = body.eta["t"]
    assert sp.expand(body.defect[3] - w[:3, :].dot(w[:3, :]) / 2) == 0


def test_printing():
    top = heavy_top()
    boyer, saxce = top.equations("Boyer05"), top.equations("deSaxce26")
    assert boyer.text.startswith("∂t μ0 - ad*_η0 μ0 - X_g(L) = 0")
    assert "J1*∂t Ω1" in boyer.text
    assert saxce.text.startswith("∂t μ'0 + ad*(θ'0) μ'0 - X_g(L) = 0")  # its ad* is the negative
    assert r"\varpi'_{1}" in saxce.latex
    assert top._repr_latex_().startswith("$$")
    with pytest.raises(ArgumentError, match="there are cosserat, Boyer05, deSaxce26, Grazioso17"):
        top.equations("Euler")


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: PoincareChetayev(SO3, lambda w: 1, parameters=("t", "t")), "pass different names"),
        (lambda: PoincareChetayev(SO3, lambda w: 1, setting="body"), "pass 'material' or 'spatial'"),
        (lambda: PoincareChetayev(SO3, lambda w: w), r"is a matrix \(3, 1\)"),
        (lambda: PoincareChetayev(SO3, lambda w, R, x: 1), "takes 3 arguments"),
        (lambda: PoincareChetayev(SO3, lambda w: w[0], forces=[1, 2]), "forces have 2 components; pass 3, dual to"),
        (lambda: PoincareChetayev(SO3, sp.Symbol("w1_X", real=True)), "contains w1_X, no velocity of this problem"),
        (lambda: PoincareChetayev(SO3, sp.Symbol("w1_t")), "other assumptions"),
        (lambda: heavy_top().motion([0, 0, 1], 1.0, 0.1, values={"J1": 1}), "leave the symbols J2, J3 free"),
        (lambda: heavy_top().motion([0, 1], 1.0, 0.1), "pass 3 numbers"),
        (lambda: PoincareChetayev(SO3, lambda w, f: f[0] * w[0], ("t", "X")).dynamics(), "need one alone"),
        (lambda: PoincareChetayev(SO3, lambda f: f[0] ** 2, ("X",)).energy, "needs the parameter 't'"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def _rod(bend, **more):
    """A rod in the plane whose bending energy is given as a function of the curvature."""
    return PoincareChetayev(
        SE2, lambda v, f: v.dot(v) / 2 - ((f[0] - 1) ** 2 + f[1] ** 2) / 2 - bend(f[2]), ("t", "X"), **more
    )


def test_a_potential_that_is_not_convex_at_the_reference_is_a_warning():
    straight = {"reference": {"X": (1, 0, 0)}}
    c = sp.Symbol("c")
    snapping = _rod(lambda k: -c * k**2 / 2 + k**4, **straight)
    with pytest.warns(CosseratWarning, match="PoincareChetayev: potential: not convex at .1.0, 0.0, 0.0."):
        residual = snapping.residual({"c": 2.0})
    assert residual(eta={"X": (1, 0, 0)}).tolist() == [0, 0, 0]
    snapping.residual({"c": -2.0})
    with pytest.warns(CosseratWarning, match="potential: not smooth, it contains Abs"):
        _rod(lambda k: k**2 + sp.Abs(k) ** 3, **straight).residual()
    bent = _rod(lambda k: -(k**2) / 2 + k**4, reference={"X": (1, 0, 0.5)})
    bent.residual()
    with pytest.raises(CosseratError, match="leave the symbols c free"):
        snapping.residual()
    with pytest.raises(CosseratError, match=r"reference is \{'t'"):
        _rod(lambda k: k**2, reference={"t": (1, 0, 0)})
    with pytest.raises(CosseratError, match=r"reference\['X'\]"):
        _rod(lambda k: k**2, reference={"X": (1, 0)})
    arch = PoincareChetayev(SE2, lambda f: f.dot(f) / 2, ("X",))  # L = U: loads change sign, nothing to warn of
    arch.dynamics()


@pytest.mark.filterwarnings("ignore:PoincareChetayev. potential. not smooth")
def test_a_string_that_is_stiffer_in_tension():
    """The field equation on both sides of the kink, without what it would have at it."""
    energy = lambda e: e**2 / 2 + sp.Max(e, 0) ** 2 + sp.Abs(e)  # noqa: E731
    string = PoincareChetayev(R(1), lambda v, e: v[0] ** 2 / 2 - energy(e[0]), ("t", "X"))
    residual = string.residual()
    found = [residual(eta={"X": [x]}, rate={("X", "X"): [2.0], ("t", "t"): [5.0]})[0] for x in (-0.3, 0.3)]
    assert found == [5 - 2.0, 5 - 6.0]
