"""Lagrangians of the sources, ready to derive: bodies, beams, rods, arches, elastic bodies in floating frames, shells.

Each function returns a `PoincareChetayev`. Constants that are not given are symbols. Twists are (v, omega), linear part
first, strains likewise (gamma, kappa); the axis of a beam is e_1.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

from cosserat.errors import ArgumentError
from cosserat.model.algebra import sp
from cosserat.symbolic.groups import SE2, SE3, SO3, R, product
from cosserat.symbolic.poincare import PoincareChetayev


def diagonal(names: str) -> Any:
    """Return the diagonal matrix of the symbols named in a string: ``diagonal("EA GA2 GA3")``."""
    return sp.diag(*sp.symbols(names, real=True))


def symmetric(name: str, n: int) -> Any:
    """Return a full symmetric (n, n) matrix of symbols: name11, name12, ..."""
    return sp.Matrix(n, n, lambda i, j: sp.Symbol(f"{name}{min(i, j) + 1}{max(i, j) + 1}", real=True))


def cross(a: Any) -> Any:
    """Return the matrix of the cross product with a column of three."""
    return sp.Matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def form(M: Any, x: Any) -> Any:
    """Return x^T M x / 2."""
    return (x.T * M * x)[0] / 2


def pulled_back(eta: Any, g: Any) -> Any:
    """Return Ad(g^-1) eta on SE(3): the material twist (R^T (v + omega x x), R^T omega) of a spatial one."""
    R, v, w = g[:3, :3], eta[:3, :], eta[3:, :]
    return sp.Matrix([*(R.T * (v + w.cross(g[:3, 3]))), *(R.T * w)])


def body_inertia(mass: Any, first_moment: Any, inertia: Any) -> Any:
    """Return the (6, 6) matrix of a rigid body about the origin of its frame."""
    S = cross(first_moment)
    return sp.Matrix(sp.BlockMatrix([[mass * sp.eye(3), -S], [S, sp.Matrix(inertia)]]))


def rigid_body(setting: str = "material", gravity: bool = False) -> PoincareChetayev:
    """Return a free rigid body on SE(3), its frame anywhere in it [deSaxce26] 8.1, [Boyer05] (31)-(32).

    Symbols: mass m, first moment s1 s2 s3, inertia about the frame's origin Jij; with ``gravity`` its vector g1 g2 g3.
    The spatial Lagrangian is that of Ad(g^-1) mu, so it depends on the configuration.
    """
    s = sp.Matrix(sp.symbols("s1:4", real=True))
    m, field = sp.Symbol("m", real=True), sp.Matrix(sp.symbols("g1:4", real=True))
    M = body_inertia(m, s, symmetric("J", 3))

    def potential(g: Any) -> Any:
        return -field.dot(m * g[:3, 3] + g[:3, :3] * s) if gravity else sp.Integer(0)

    def lagrangian(eta: Any, g: Any) -> Any:
        twist = eta if setting == "material" else pulled_back(eta, g)
        return form(M, twist) - potential(g)

    return PoincareChetayev(SE3, lagrangian, setting=setting)


def heavy_top(setting: str = "material") -> PoincareChetayev:
    """Return a heavy top on SO(3): inertia J1 J2 J3 about the fixed point, mass m at the arm a1 a2 a3."""
    J, arm = diagonal("J1 J2 J3"), sp.Matrix(sp.symbols("a1:4", real=True))
    m, g = sp.symbols("m g", real=True)

    def lagrangian(w: Any, R: Any) -> Any:
        turned = w if setting == "material" else R.T * w
        return form(J, turned) - m * g * (R * arm)[2]

    return PoincareChetayev(SO3, lagrangian, setting=setting)


def kirchhoff_body() -> PoincareChetayev:
    """Return a body in a perfect fluid at rest: mass and added mass in one symmetric matrix M, weight and buoyancy.

    G. Kirchhoff (1870), H. Lamb, Hydrodynamics, sections 124-126. The potential is W z(G) - B z(C), with the centre of
    mass at b1 b2 b3 and that of buoyancy at c1 c2 c3 in the body.
    """
    M, (W, B) = symmetric("M", 6), sp.symbols("W B", real=True)
    b, c = (sp.Matrix(sp.symbols(f"{n}1:4", real=True)) for n in "bc")

    def lagrangian(eta: Any, g: Any) -> Any:
        x, R = g[:3, 3], g[:3, :3]
        return form(M, eta) - W * (x + R * b)[2] + B * (x + R * c)[2]

    return PoincareChetayev(SE3, lagrangian)


def beam_matrices() -> tuple[Any, Any]:
    """Return section inertia and stiffness of [Boyer05] (41)-(42): with shear factors, I_p about e_1."""
    return diagonal("rhoA rhoA rhoA rhoIp rhoI2 rhoI3"), diagonal("EA GA2 GA3 GJ EI2 EI3")


def reissner_beam(
    inertia: Any = None, stiffness: Any = None, setting: str = "material", gravity: bool = False
) -> PoincareChetayev:
    """Return the geometrically exact beam on SE(3) over (t, X) [Boyer05] (37)-(49), [deSaxce26] 9.3.

    Distributed follower loads are symbols n1 n2 n3, m1 m2 m3 (material setting), those at the ends F_v1 ... F_w3; with
    ``gravity`` its vector is g1 g2 g3. In the spatial setting the Lagrangian depends on the configuration, and its
    defect of symmetry completes the equations.
    """
    M, K = beam_matrices()
    M, K = (M if inertia is None else sp.Matrix(inertia)), (K if stiffness is None else sp.Matrix(stiffness))
    axis, field = sp.Matrix([1, 0, 0, 0, 0, 0]), sp.Matrix(sp.symbols("g1:4", real=True))

    def lagrangian(v: Any, f: Any, g: Any) -> Any:
        twist, strain = (v, f) if setting == "material" else (pulled_back(v, g), pulled_back(f, g))
        weight = M[0, 0] * field.dot(g[:3, 3]) if gravity else sp.Integer(0)
        return form(M, twist) - form(K, strain - axis) + weight

    loads = sp.symbols("n1:4 m1:4", real=True) if setting == "material" else None
    return PoincareChetayev(SE3, lagrangian, ("t", "X"), setting=setting, forces=loads)


def planar_beam() -> PoincareChetayev:
    """Return the beam in the plane, on SE(2) over (t, X): rhoA, rhoI, EA, GA, EI; loads n1 n2 m3."""
    M, K = diagonal("rhoA rhoA rhoI"), diagonal("EA GA EI")
    axis, loads = sp.Matrix([1, 0, 0]), sp.symbols("n1 n2 m3", real=True)
    return PoincareChetayev(SE2, lambda v, f: form(M, v) - form(K, f - axis), ("t", "X"), forces=loads)


def kirchhoff_rod() -> PoincareChetayev:
    """Return the inextensible, unshearable rod: gamma = e_1 held by multipliers N1 N2 N3, which are the section force.

    The group is SE(3) x R^3; the three last field equations are the constraint. Loads n1 n2 n3, m1 m2 m3.
    """
    M, K = diagonal("rhoA rhoA rhoA rhoIp rhoI2 rhoI3"), diagonal("GJ EI2 EI3")
    axis = sp.Matrix([1, 0, 0])

    def lagrangian(v: Any, f: Any, g: Any) -> Any:
        return form(M, v[:6, :]) - form(K, f[3:6, :]) - g[1].dot(f[:3, :] - axis)

    group = product(SE3, R(3, ("N1", "N2", "N3")))
    loads = [*sp.symbols("n1:4 m1:4", real=True), 0, 0, 0]
    return PoincareChetayev(group, lagrangian, ("t", "X"), forces=loads)


def arch() -> PoincareChetayev:
    """Return the statics of an arch over S [deSaxce26] 8.2, with L = -U so that loads n, m keep their sign."""
    _, K = beam_matrices()
    axis, loads = sp.Matrix([1, 0, 0, 0, 0, 0]), sp.symbols("n1:4 m1:4", real=True)
    return PoincareChetayev(SE3, lambda f: -form(K, f - axis), ("S",), forces=loads)


def floating_body(
    mass: Any,
    first_moment: Any,
    inertia: Any,
    modal_mass: Any,
    linear_coupling: Any,
    angular_coupling: Any,
    cross_coupling: Any,
    inertia_gradient: Any,
    inertia_hessian: Any,
    stiffness: Any,
    gravity: Any = (0, 0, 0),
) -> PoincareChetayev:
    """Return an elastic body in its floating frame on SE(3) x R^m [Boyer05] (55)-(63).

    The arguments are the tensors of `cosserat.ModalInertia` with the same names (arrays of numbers or of symbols) and
    the modal stiffness (m, m): T = 1/2 m V^2 + 1/2 W^T J W + 1/2 q'^T M q' + V.(W x ms + a q') + W.beta q'.
    """
    couplings = (linear_coupling, angular_coupling, cross_coupling)
    inertias = (first_moment, inertia, modal_mass, inertia_gradient, inertia_hessian)
    if any(value is None for value in (*couplings, *inertias, stiffness)):
        raise ArgumentError("floating_body", "", "a tensor is None; pass those of a ModalInertia and the stiffness")
    n = len(modal_mass)
    if not (len(linear_coupling) == len(angular_coupling) == len(inertia_gradient) == len(stiffness) == n and n > 0):
        raise ArgumentError("floating_body", "modal_mass", f"has {n} rows; other tensors have another number of modes")
    a = [sp.Matrix(list(v)) for v in linear_coupling]
    alpha = [sp.Matrix(list(v)) for v in angular_coupling]
    lam = [[sp.Matrix(list(v)) for v in row] for row in cross_coupling]
    J_re = [_square(v) for v in inertia_gradient]
    J_ee = [[_square(v) for v in row] for row in inertia_hessian]
    M, K = sp.Matrix(n, n, lambda i, j: modal_mass[i][j]), sp.Matrix(n, n, lambda i, j: stiffness[i][j])
    field = sp.Matrix(list(gravity))

    def lagrangian(eta: Any, g: Any) -> Any:
        frame, q = g
        V, W, rate = eta[:3, :], eta[3:6, :], eta[6:, :]
        ms = sp.Matrix(list(first_moment)) + _total(q[i] * a[i] for i in range(n))
        J = _square(inertia) + _total(q[i] * (J_re[i] + J_re[i].T) for i in range(n))
        J += _total(q[i] * q[j] * J_ee[i][j] for i in range(n) for j in range(n))
        linear = _total(rate[i] * a[i] for i in range(n))
        spin = _total(rate[i] * (alpha[i] + _total(q[j] * lam[j][i] for j in range(n))) for i in range(n))
        kinetic = mass * V.dot(V) / 2 + form(J, W) + form(M, rate) + V.dot(W.cross(ms) + linear) + W.dot(spin)
        weight = field.dot(mass * frame[:3, 3] + frame[:3, :3] * ms)
        return kinetic - form(K, q) + weight

    return PoincareChetayev(product(SE3, R(n)), lagrangian)


def cosserat_shell(energy: Any = None, density: Any = 1) -> PoincareChetayev:
    """Return a shell of rigid directors on SE(3) over (t, X, Y): F. Boyer, F. Renda, J. Nonlinear Sci. 27 (2017).

    ``energy(f_X, f_Y)`` is the strain energy per unit of reference area, by default a full quadratic form of the twelve
    strains less those of the flat reference; ``density`` is dA/(dX dY), an expression in X and Y.
    """
    M = diagonal("rho rho rho j1 j2 j3")
    rest = (sp.Matrix([1, 0, 0, 0, 0, 0]), sp.Matrix([0, 1, 0, 0, 0, 0]))

    def quadratic(f: Any, h: Any) -> Any:
        K = diagonal("A1 A2 A3 D1 D2 D3")
        C = sp.Symbol("C", real=True)
        e, k = f - rest[0], h - rest[1]
        return form(K, e) + form(K, k) + C * e.dot(k)

    U = quadratic if energy is None else energy
    loads = sp.symbols("n1:4 m1:4", real=True)
    return PoincareChetayev(
        SE3, lambda v, f, h: density * (form(M, v) - U(f, h)), ("t", "X", "Y"), forces=[density * p for p in loads]
    )


def _total(terms: Any) -> Any:
    return functools.reduce(operator.add, terms)


def _square(value: Any) -> Any:
    return sp.Matrix(3, 3, lambda i, j: value[i][j])
