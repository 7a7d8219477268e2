"""Equations of one modal body against automatic differentiation of its kinetic energy, on random modal data.

The bodies are clouds of particles with random shapes, so the tensors belong together and the kinetic energy is known
from the particles themselves. Derivatives are exact: symbolic, or by complex steps through polynomials.
"""

import numpy as np
import pytest
import sympy
from tests.physics import modal_equations

from cosserat.compile import modal_dynamics
from cosserat.lie import se3, so3
from cosserat.model.modal_inertia import Interface, ModalInertia

M_MODES = 3


def cloud(seed, second=False, N=7, M_MODES=M_MODES):
    """Random particles: masses, positions, shapes, shapes of second order, and their tensors."""
    rng = np.random.default_rng(seed)
    mass, X = rng.uniform(0.5, 2.0, N), rng.normal(size=(N, 3))
    Phi, g = rng.normal(size=(N, 3, M_MODES)), rng.normal(size=(N, 3, M_MODES, M_MODES))
    g = 0.5 * (g + np.swapaxes(g, 2, 3)) if second else np.zeros_like(g)
    integrals = (np.einsum("p,piab->abi", mass, g), np.einsum("p,pi,pjab->abij", mass, X, g))
    return mass, X, Phi, g, ModalInertia.from_fields(mass, X, Phi, integrals if second else None), rng


def symbolic_equations(mass, X, Phi, q, twist, q_dot, twist_dot, q_ddot):
    """Left-hand sides of the Poincare-Chetayev equations of [Boyer05] (31), from the particles' kinetic energy."""
    m = len(q)
    names = sympy.symbols(f"v0:3 w0:3 q0:{m} r0:{m}")
    v, w, qs, rs = names[:3], names[3:6], names[6 : 6 + m], names[6 + m :]
    T = 0
    for m_p, x, phi in zip(mass, X, Phi):
        place = sympy.Matrix(x) + sympy.Matrix(phi) * sympy.Matrix(qs)
        speed = sympy.Matrix(v) + sympy.Matrix(w).cross(place) + sympy.Matrix(phi) * sympy.Matrix(rs)
        T += sympy.Poly(m_p / 2 * speed.dot(speed), *names)
    T = T.as_expr()
    p = sympy.Matrix([sympy.diff(T, s) for s in (*v, *w, *rs)])
    evaluate = sympy.lambdify([names], [p, p.jacobian(names), sympy.Matrix([sympy.diff(T, s) for s in qs])])
    momenta, slopes, forces = (np.array(a, float) for a in evaluate(np.concatenate((twist, q, q_dot))))
    out = slopes @ np.concatenate((twist_dot, q_dot, q_ddot))
    out[:6] -= se3.coadjoint(twist) @ momenta[:6, 0]
    out[6:] -= forces[:, 0]
    return out


@pytest.mark.parametrize("seed", [1, 2])
def test_newton_euler_is_the_symbolic_derivation(seed):
    mass, X, Phi, _, body, rng = cloud(seed, N=4, M_MODES=2)
    q, q_dot, q_ddot = rng.normal(size=(3, 2))
    twist, twist_dot = rng.normal(size=(2, 6))
    expected = symbolic_equations(mass, X, Phi, q, twist, q_dot, twist_dot, q_ddot)
    got = modal_equations.newton_euler(body, q, twist, q_dot, twist_dot, q_ddot)
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-10)


def as_printed(body, q, omega, q_dot):
    """The bias of [Boyer05] (63), term by term as printed (it is right), rows (v, omega, q), without K q."""
    now = modal_equations.deformed_inertia(body, q)
    J_re, J_ee, lam = body.inertia_gradient, body.inertia_hessian, body.cross_coupling
    J_er = np.swapaxes(J_re, 1, 2)
    terms = {
        "centrifugal force": (slice(0, 3), np.cross(omega, np.cross(omega, now.first_moment))),
        "Coriolis force": (slice(0, 3), 2 * np.cross(omega, q_dot @ body.linear_coupling)),
        "gyroscopic moment": (slice(3, 6), np.cross(omega, now.inertia @ omega)),
        "2 J_re omega q_dot": (slice(3, 6), 2 * np.einsum("aij,j,a->i", J_re, omega, q_dot)),
        "2 J_ee omega q q_dot": (slice(3, 6), 2 * np.einsum("baij,j,b,a->i", J_ee, omega, q, q_dot)),
        "2 q_dot lambda omega": (slice(6, None), 2 * np.einsum("b,bai,i->a", q_dot, lam, omega)),
        "omega J_er omega": (slice(6, None), -np.einsum("i,aij,j->a", omega, J_er, omega)),
        "q omega J_ee omega": (slice(6, None), -np.einsum("b,i,abij,j->a", q, omega, J_ee, omega)),
    }
    return terms


@pytest.mark.parametrize("seed", range(3))
def test_bias_is_boyer_63_term_by_term(seed):
    _, _, _, _, body, rng = cloud(seed)
    q, q_dot = rng.normal(size=(2, M_MODES))
    omega = rng.normal(size=3)
    # each term alone, by switching off what feeds the others
    zero, none = np.zeros(M_MODES), np.zeros(3)
    terms = as_printed(body, q, omega, q_dot)
    total = np.zeros(6 + M_MODES)
    for rows, value in terms.values():
        total[rows] += value
    np.testing.assert_allclose(modal_equations.bias(body, q, omega, q_dot), total, rtol=1e-12, atol=1e-10)
    quiet = as_printed(body, q, omega, zero)
    at_rest = modal_equations.bias(body, q, omega, zero)
    for name in ("centrifugal force", "gyroscopic moment"):
        rows, value = quiet[name]
        np.testing.assert_allclose(at_rest[rows], value, rtol=1e-12, atol=1e-12)
    undeformed = modal_equations.bias(body, zero, omega, zero)
    np.testing.assert_allclose(undeformed[6:], quiet["omega J_er omega"][1], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose((at_rest - undeformed)[6:], quiet["q omega J_ee omega"][1], rtol=1e-10, atol=1e-11)
    moving = modal_equations.bias(body, zero, omega, q_dot) - undeformed
    for name in ("Coriolis force", "2 J_re omega q_dot", "2 q_dot lambda omega"):
        rows, value = as_printed(body, zero, omega, q_dot)[name]
        np.testing.assert_allclose(moving[rows], value, rtol=1e-10, atol=1e-11)
    both = modal_equations.bias(body, q, omega, q_dot) - at_rest - moving
    np.testing.assert_allclose(both[3:6], terms["2 J_ee omega q q_dot"][1], rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(modal_equations.bias(body, q, none, q_dot), 0.0, atol=1e-14)


@pytest.mark.parametrize("second", [False, True])
def test_kinetic_energy_is_that_of_the_particles(second):
    mass, X, Phi, g, body, rng = cloud(11, second)
    twist = rng.normal(size=6)
    # of second order in (q, q_dot): compare the Taylor polynomial through values at scaled arguments
    q, q_dot = rng.normal(size=(2, M_MODES))

    def particles(scale):
        a, r = scale * q, scale * q_dot
        place = X + Phi @ a + 0.5 * (g @ a) @ a
        speed = twist[:3] + np.cross(twist[3:], place) + Phi @ r + (g @ a) @ r
        return 0.5 * mass @ np.sum(speed**2, axis=1)

    modal = lambda scale: modal_equations.kinetic_energy(body, scale * q, twist, scale * q_dot)  # noqa: E731
    degree = 5 if second else 3
    scales = np.arange(-degree + 1, degree) / degree
    fit = lambda f, k: np.polynomial.polynomial.polyfit(scales, [f(s) for s in scales], k)  # noqa: E731
    np.testing.assert_allclose(fit(modal, 4)[:3], fit(particles, 4)[:3], rtol=1e-9, atol=1e-9)
    if second:
        g = projected(mass, X, g)
    assert modal(1.7) == pytest.approx(particles(1.7), rel=1e-12)


def projected(mass, X, g):
    """The affine fields closest to g."""
    affine = np.hstack((np.ones((len(X), 1)), X))
    root = np.sqrt(mass)[:, None]
    return (affine @ np.linalg.lstsq(root * affine, root * g.reshape(len(X), -1), rcond=None)[0]).reshape(g.shape)


@pytest.mark.parametrize("second", [False, True])
def test_equations_are_those_of_the_kinetic_energy(second):
    """d/dt dT/d(rates) - coad dT/d(twist) - dT/dq by complex steps through the energy of the particles."""
    mass, X, Phi, g, body, rng = cloud(5, second)
    g = projected(mass, X, g)
    q, q_dot, q_ddot = rng.normal(size=(3, M_MODES))
    twist, twist_dot = rng.normal(size=(2, 6))
    rates, rates_dot = np.concatenate((twist, q_dot)), np.concatenate((twist_dot, q_ddot))
    h = 1e-30j
    matrix = lambda x: _complex_matrix(mass, X, Phi, g, x)  # noqa: E731
    p = matrix(q).real @ rates
    change = (matrix(q + h * q_dot) @ (rates + h * rates_dot)).imag / h.imag
    out = change.copy()
    out[:6] -= se3.coadjoint(twist) @ p[:6]
    for k, step in enumerate(np.eye(M_MODES)):
        out[6 + k] -= 0.5 * rates @ (matrix(q + h * step).imag / h.imag) @ rates
    got = modal_equations.newton_euler(body, q, twist, q_dot, twist_dot, q_ddot)
    np.testing.assert_allclose(got, out, rtol=1e-10, atol=1e-10)


def _complex_matrix(mass, X, Phi, g, q):
    """M(q) of the particles, for complex q: the sum of squares of their velocities."""
    M = 0
    for m, x, phi, bent in zip(mass, X, Phi, g):
        place = x + phi @ q + 0.5 * (bent @ q) @ q
        turn = np.array([[0, -place[2], place[1]], [place[2], 0, -place[0]], [-place[1], place[0], 0]]).T
        slope = np.hstack((np.eye(3), turn, phi + bent @ q))
        M = M + m * slope.T @ slope
    return M


def test_undeformed_matrix_and_momentum():
    _, _, _, _, body, rng = cloud(3)
    zero = np.zeros(M_MODES)
    np.testing.assert_allclose(modal_equations.inertia_matrix(body, zero), body.matrix(), atol=1e-13)
    np.testing.assert_allclose(so3.hat(body.first_moment) @ [1, 2, 3], np.cross(body.first_moment, [1, 2, 3]))
    twist, q_dot = rng.normal(size=6), rng.normal(size=M_MODES)
    p = modal_equations.momentum(body, zero, twist, q_dot)
    assert 0.5 * p @ np.concatenate((twist, q_dot)) == pytest.approx(
        modal_equations.kinetic_energy(body, zero, twist, q_dot)
    )


def test_interface_moves_as_its_jacobian_says():
    rng = np.random.default_rng(4)
    second = rng.normal(size=(6, M_MODES, M_MODES))
    frame = Interface(
        position=(1, 2, 3), shape=rng.normal(size=(6, M_MODES)), rotation=so3.random(rng),
        stiffening=second + np.swapaxes(second, 1, 2),
    )  # fmt: skip
    q, q_dot = 0.3 * rng.normal(size=(2, M_MODES))
    h = 1e-6
    path = lambda t: q + t * q_dot  # noqa: E731
    H = modal_dynamics.interface_frame(frame, q)
    ahead, back = (modal_dynamics.interface_frame(frame, path(s * h)) for s in (1, -1))
    twist = (se3.log(se3.inverse(H) @ ahead) - se3.log(se3.inverse(H) @ back)) / (2 * h)
    np.testing.assert_allclose(modal_dynamics.interface_jacobian(frame, q) @ q_dot, twist, atol=1e-8)
    rates = [modal_dynamics.interface_jacobian(frame, path(s * h)) @ q_dot for s in (1, -1)]
    bias = modal_dynamics.interface_bias(frame, q, q_dot)
    np.testing.assert_allclose(bias, (rates[0] - rates[1]) / (2 * h), atol=1e-8)
