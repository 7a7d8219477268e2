"""Shipped derivations against the equations of the books, and against the varied action at random states."""

import numpy as np
import pytest
import sympy as sp

from cosserat import symbolic
from cosserat.errors import ArgumentError
from cosserat.symbolic import media

E1 = sp.Matrix([1, 0, 0])
N, M_ = sp.Matrix(sp.symbols("n1:4", real=True)), sp.Matrix(sp.symbols("m1:4", real=True))


def is_zero(column):
    return all(sp.expand(e) == 0 for e in column)


def split(column):
    return column[:3, :], column[3:6, :]


def test_kirchhoff_equations_of_a_body_in_a_fluid():
    """Lamb, Hydrodynamics (1932), section 124: impulse and impulsive couple, with weight and buoyancy."""
    body = media.kirchhoff_body()
    (v, w), (p, l) = split(body.eta["t"]), split(body.momenta["t"])
    total = [sp.Matrix([body.jets.total(e, "t") for e in part]) for part in (p, l)]
    W, B = sp.symbols("W B", real=True)
    b, c = (sp.Matrix(sp.symbols(f"{n}1:4", real=True)) for n in "bc")
    up = body.g[2, :3].T  # the vertical seen from the body
    force, moment = (B - W) * up, B * c.cross(up) - W * b.cross(up)
    impulse, couple = total[0] + w.cross(p) - force, total[1] + w.cross(l) + v.cross(p) - moment
    assert is_zero(body.field - sp.Matrix([*impulse, *couple]))


def test_planar_beam():
    beam = media.planar_beam()
    (v1, v2, w), (g1, g2, k) = beam.eta["t"], beam.eta["X"]
    (a1, a2, aw), (d1, d2, dk) = beam.jets.rate["t", "t"], beam.jets.rate["X", "X"]
    rhoA, rhoI, EA, GA, EI, n1, n2, m3 = sp.symbols("rhoA rhoI EA GA EI n1 n2 m3", real=True)
    F, Q = EA * (g1 - 1), GA * g2
    assert is_zero(
        beam.field
        - sp.Matrix(
            [
                rhoA * (a1 - w * v2) - (EA * d1 - k * Q + n1),
                rhoA * (a2 + w * v1) - (GA * d2 + k * F + n2),
                rhoI * aw - (EI * dk + g1 * Q - g2 * F + m3),
            ]
        )
    )


def test_kirchhoff_rod():
    """Dill, Kirchhoff's theory of rods (1992): N' + n = rhoA a, M' + e_1 x N + m = rate of spin, strain e_1."""
    rod = media.kirchhoff_rod()
    force = sp.Matrix(sp.symbols("N1:4", real=True))
    (V, W), (G, K) = split(rod.eta["t"]), split(rod.eta["X"])
    (Vt, Wt), (_, Kx) = split(rod.jets.rate["t", "t"]), split(rod.jets.rate["X", "X"])
    Nx = rod.eta["X"][6:, :]
    rhoJ, H = media.diagonal("rhoIp rhoI2 rhoI3"), media.diagonal("GJ EI2 EI3")
    rhoA = sp.Symbol("rhoA", real=True)
    linear = rhoA * (Vt + W.cross(V)) - (Nx + K.cross(force) + N)
    angular = rhoJ * Wt + W.cross(rhoJ * W) - (H * Kx + K.cross(H * K) + G.cross(force) + M_)
    assert is_zero(rod.field - sp.Matrix([*linear, *angular, *(G - E1)]))


def test_arch_in_statics():
    """[deSaxce26] 8.2 with loads: f' + k x f + n = 0, m' + k x m + x' x f + m = 0."""
    arch = media.arch()
    (x, k), (dx, dk) = split(arch.eta["S"]), split(arch.jets.rate["S", "S"])
    _, K = media.beam_matrices()
    f, m = K[:3, :3] * (x - E1), K[3:, 3:] * k
    force = K[:3, :3] * dx + k.cross(f) + N
    moment = K[3:, 3:] * dk + k.cross(m) + x.cross(f) + M_
    assert is_zero(arch.field + sp.Matrix([*force, *moment]))


def test_shell():
    """Boyer and Renda (2017): sum of the covariant derivatives of the stress resultants of both directions."""
    density = 1 + sp.Symbol("X", real=True) ** 2
    shell = media.cosserat_shell(density=density)
    (V, W) = split(shell.eta["t"])
    (Vt, Wt) = split(shell.jets.rate["t", "t"])
    rho, inertia = sp.Symbol("rho", real=True), media.diagonal("j1 j2 j3")
    linear, angular = rho * (Vt + W.cross(V)), inertia * Wt + W.cross(inertia * W)
    total = density * sp.Matrix([*(linear - N), *(angular - M_)])
    for p in ("X", "Y"):
        (G, K), stress = split(shell.eta[p]), -shell.momenta[p]
        n, m = split(stress)
        dn, dm = split(sp.Matrix([shell.jets.total(e, p) for e in stress]))
        total -= sp.Matrix([*(dn + K.cross(n)), *(dm + K.cross(m) + G.cross(n))])
    assert is_zero(shell.field - total)
    nX, nY = sp.symbols("N_X N_Y", real=True)
    edge = shell.boundary_forces - (-shell.momenta["X"] * nX - shell.momenta["Y"] * nY)
    assert is_zero(shell.boundary - edge)
    assert set(shell.compatibility) == {("t", "X"), ("t", "Y"), ("X", "Y")}


def floating_body():
    """Two modes, every tensor full."""
    rng = np.random.default_rng(5)
    J, J_ee = rng.uniform(0.5, 1, (3, 3)), rng.uniform(0.1, 0.2, (2, 2, 3, 3))
    lam = rng.standard_normal((2, 2, 3))
    return media.floating_body(
        2.0, rng.standard_normal(3), J + J.T + 3 * np.eye(3), [[1.0, 0.2], [0.2, 1.5]], rng.standard_normal((2, 3)),
        rng.standard_normal((2, 3)), lam - lam.swapaxes(0, 1), 0.2 * rng.standard_normal((2, 3, 3)),
        J_ee + J_ee.transpose(1, 0, 3, 2), [[3.0, 0.5], [0.5, 4.0]], gravity=(1.0, -2.0, -9.0),
    )  # fmt: skip


MEDIA = {
    "Reissner beam": lambda: media.reissner_beam(gravity=True),
    "Reissner beam in space": lambda: media.reissner_beam(setting="spatial", gravity=True),
    "coupled beam": lambda: media.reissner_beam(stiffness=media.symmetric("C", 6)),
    "arch": media.arch,
    "floating body": floating_body,
    "rigid body": lambda: media.rigid_body(gravity=True),
    "heavy top": media.heavy_top,
    "heavy top in space": lambda: media.heavy_top("spatial"),
    "body in a fluid": media.kirchhoff_body,
    "planar beam": media.planar_beam,
    "inextensible rod": media.kirchhoff_rod,
    "shell": lambda: media.cosserat_shell(lambda f, h: f.dot(f) + 2 * h.dot(h) + sp.cos(f[3] * h[4]) * h[1] ** 2),
}


@pytest.mark.parametrize("name", MEDIA)
@pytest.mark.filterwarnings("ignore:PoincareChetayev. potential. not convex")  # constants are random
def test_varied_action(name):
    """dL along a variation phi = sum_i d_i <mu_i, phi> - <field, phi> at a point, the left side by differences.

    g = g_0 exp(c(x)) exp(eps phi(x)) (material) or exp(eps phi) exp(c) g_0 (spatial), c and phi polynomials in x.
    """
    problem = MEDIA[name]()
    group, parameters = problem.group.numeric, problem.parameters
    rng = np.random.default_rng(len(name))
    constants = sorted(problem.field.free_symbols - set(problem.jets.variables()), key=str)
    values = {s.name: (0.0 if s in problem.forces.free_symbols else rng.uniform(0.5, 2)) for s in constants}
    n, d = len(parameters), group.dim
    linear, square = 0.5 * rng.standard_normal((n, d)), 0.3 * rng.standard_normal((n, n, d))
    phi0, phi1 = rng.standard_normal(d), rng.standard_normal((n, d))
    g0 = group.exp(0.5 * rng.standard_normal(d))
    material = problem.setting == "material"

    def state(x, eps):
        c = x @ linear + np.einsum("i,j,ijk->k", x, x, square)
        dc = linear + np.einsum("j,ijk->ik", x, square) + np.einsum("j,jik->ik", x, square)
        b, db = eps * (phi0 + x @ phi1), eps * phi1
        base, move = group.exp(c), group.exp(b)
        if material:
            turn, sign, g = group.adjoint(group.inverse(move)), 1, group.compose(group.compose(g0, base), move)
        else:
            turn, sign, g = group.adjoint(move), -1, group.compose(move, group.compose(base, g0))
        eta = [turn @ group.tangent(sign * c) @ dc[i] + group.tangent(sign * b) @ db[i] for i in range(n)]
        return g, dict(zip(parameters, eta))

    evaluate = symbolic.evaluate.function
    density = evaluate(problem, sp.Matrix([problem.lagrangian]), values, "test")
    momenta = evaluate(problem, sp.Matrix([problem.momenta[p].T for p in parameters]), values, "test")
    field = problem.residual(values)
    x0, h = 0.3 * rng.standard_normal(n), 2e-3
    weights = ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))
    change = sum(w * density(*state(x0, s * h)).item() for s, w in weights) / h
    flux, rate = 0.0, {}
    for i, p in enumerate(parameters):
        e = np.eye(n)[i] * h
        points = [(w, x0 + s * e) for s, w in weights]
        flux += sum(w * float(momenta(*state(x, 0))[i] @ (phi0 + x @ phi1)) for w, x in points) / h
        for q in parameters:
            rate[q, p] = sum(w * state(x, 0)[1][q] for w, x in points) / h
    g, eta = state(x0, 0)
    expected = flux - float(field(g, eta, rate) @ (phi0 + x0 @ phi1))
    assert abs(change - expected) < 1e-8 * max(1.0, abs(change))


def test_bad_floating_body():
    with pytest.raises(ArgumentError, match="another number of modes"):
        media.floating_body(1, [0] * 3, np.eye(3), [[1]], [], [], [], [], [], [[1]])
