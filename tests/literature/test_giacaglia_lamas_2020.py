"""Two-link arm in composed vectors: Giacaglia, Lamas, On Euler-Lagrange's equations: a new approach (TEMA 21, 2020).

Section 3, absolute angles q1, q2. The published equations are corrected: both links are 2 l long with their centres
in the middle, the bracket a2_11 = -2 m2 l1 l2 sin(q1 - q2), missing in (3.14), belongs to (3.16), and gravity enters
(3.15) with the sign of (3.12).
"""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs

M1, M2, L1, L2, I1, I2, G = 1.7, 0.9, 0.6, 0.45, 0.21, 0.07, 9.81
RELATIVE = np.array([[1.0, 0.0], [-1.0, 1.0]])  # joint angles from absolute ones


def arm(**elbow: object) -> cs.Model:
    """Links along x, turning about z, weight along -y."""
    model = cs.Model("arm", gravity=(0, -G, 0))
    one = model.add(cs.RigidBody("OA", mass=M1, com=(L1, 0, 0), inertia=(0.1, 0.2, I1)))
    two = model.add(cs.RigidBody("AB", mass=M2, com=(2 * L1 + L2, 0, 0), inertia=(0.04, 0.05, I2)))
    model.add(cs.Revolute("J1", cs.GROUND, one, axis=(0, 0, 1), at=(0, 0, 0)))
    model.add(cs.Revolute("J2", one, two, axis=(0, 0, 1), at=(2 * L1, 0, 0), **elbow))
    return model


def in_absolute_angles(model: cs.Model, q: np.ndarray, v: np.ndarray, torques: np.ndarray) -> cs.ComposedVectors:
    """Torques on the links: the first joint's is their sum."""
    tau = np.array([torques[0] + torques[1], torques[1]])
    vectors = cs.composed_vectors(model, RELATIVE @ q, RELATIVE @ v, tau)
    return vectors.combined(RELATIVE, ("q1", "q2"))


@pytest.fixture(params=range(5))
def state(request: pytest.FixtureRequest) -> tuple[np.ndarray, ...]:
    return tuple(np.random.default_rng(request.param).uniform(-3.0, 3.0, size=(3, 2)))


def test_composed_vectors(state) -> None:
    """(3.9) and (3.11)."""
    q, v, torques = state
    vectors = in_absolute_angles(arm(), q, v, torques)
    (c1, c2), (s1, s2) = np.cos(q), np.sin(q)
    e = np.array([0.0, 0.0, 1.0])
    zero = np.zeros(3)
    v11, v12, v22 = L1 * np.array([-s1, c1, 0]), 2 * L1 * np.array([-s1, c1, 0]), L2 * np.array([-s2, c2, 0])
    a11, a12, a22 = -L1 * np.array([c1, s1, 0]), -2 * L1 * np.array([c1, s1, 0]), -L2 * np.array([c2, s2, 0])
    expected = {
        "velocities": [[v11, e, v12, zero], [zero, zero, v22, e]],
        "momenta": [[M1 * v11, I1 * e, M2 * v12, zero], [zero, zero, M2 * v22, I2 * e]],
    }
    for name, rows in expected.items():
        assert np.allclose(getattr(vectors, name), np.reshape(rows, (2, 12)), rtol=0, atol=1e-14)
    XY = vectors.quadratic
    assert np.allclose(XY[0, 0], np.concatenate([M1 * a11, zero, M2 * a12, zero]), rtol=0, atol=1e-14)
    assert np.allclose(XY[1, 1], np.concatenate([zero, zero, M2 * a22, zero]), rtol=0, atol=1e-14)
    assert np.allclose(XY[0, 1] + XY[1, 0], 0.0, rtol=0, atol=1e-14)


def test_equations_of_motion(state) -> None:
    """(3.12)-(3.16), corrected."""
    q, v, torques = state
    vectors = in_absolute_angles(arm(), q, v, torques)
    c, s = np.cos(q[0] - q[1]), np.sin(q[0] - q[1])
    P = 2 * M2 * L1 * L2
    A = np.array([[(M1 + 4 * M2) * L1**2 + I1, P * c], [P * c, M2 * L2**2 + I2]])
    assert np.allclose(vectors.mass_matrix, A, rtol=1e-14, atol=1e-15)
    brackets = np.zeros((2, 2, 2))
    brackets[0, 1, 1], brackets[1, 0, 0] = P * s, -P * s
    assert np.allclose(vectors.brackets, brackets, rtol=0, atol=1e-14)
    Q = np.array([-(M1 + 2 * M2) * G * L1 * np.cos(q[0]), -M2 * G * L2 * np.cos(q[1])]) + torques
    assert np.allclose(vectors.generalised_forces, Q, rtol=0, atol=1e-13)
    exact = np.linalg.solve(A, Q - [P * s * v[1] ** 2, -P * s * v[0] ** 2])
    assert np.allclose(vectors.accelerations, exact, rtol=1e-13, atol=1e-12)


def test_friction_of_the_elbow(state) -> None:
    """It acts on both links, with opposite torques that depend on the difference of their rates."""
    q, v, torques = state
    rough = in_absolute_angles(arm(friction=cs.Friction(2.0, speed=0.5), damping=0.3), q, v, torques)
    smooth = in_absolute_angles(arm(), q, v, torques)
    torque = 2.0 * np.tanh((v[1] - v[0]) / 0.5) + 0.3 * (v[1] - v[0])
    difference = rough.forces - smooth.forces
    assert np.allclose(difference, [0, 0, 0, 0, 0, torque, 0, 0, 0, 0, 0, -torque], rtol=0, atol=1e-14)
    assert np.allclose(rough.generalised_forces - smooth.generalised_forces, [torque, -torque], rtol=0, atol=1e-13)


def test_arm_in_symbols():
    """(3.9)-(3.18), corrected, come out of the composed vectors as formulas."""
    import sympy as sp

    from cosserat import symbolic

    m1, m2, l1, l2, I1, I2, g = (cs.Parameter(n, 1.0) for n in ("m1", "m2", "l1", "l2", "I1", "I2", "g"))
    model = cs.Model("arm", gravity=(0, -g, 0))
    first = model.add(cs.RigidBody("first", mass=m1, com=(l1, 0, 0), inertia=(I1, I1, I1)))
    second = model.add(cs.RigidBody("second", mass=m2, com=(2 * l1 + l2, 0, 0), inertia=(I2, I2, I2)))
    model.add(cs.Revolute("J1", cs.GROUND, first, axis=(0, 0, 1), at=(0, 0, 0)))
    model.add(cs.Revolute("J2", first, second, axis=(0, 0, 1), at=(2 * l1, 0, 0)))
    vectors = symbolic.composed_vectors(model)
    arm = vectors.combined([[1, 0], [-1, 1]], ("q1", "q2"))

    q1, q2, m1, m2, l1, l2, I1, I2, g = sp.symbols("q1 q2 m1 m2 l1 l2 I1 I2 g")
    c1, s1, c2, s2 = sp.cos(q1), sp.sin(q1), sp.cos(q2), sp.sin(q2)
    twice = [-2 * l1 * s1, 2 * l1 * c1]
    assert list(arm.velocities) == [
        -l1 * s1, l1 * c1, 0, 0, 0, 1, *twice, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, -l2 * s2, l2 * c2, 0, 0, 0, 1,
    ]  # (3.11)  # fmt: skip
    assert arm.momenta[0, 4:8].tolist()[0] == [0, I1, -2 * l1 * m2 * s1, 2 * l1 * m2 * c1]  # (3.9)
    coupling = 2 * m2 * l1 * l2
    c12, s12 = sp.cos(q1 - q2), sp.sin(q1 - q2)
    expected = sp.Matrix([[I1 + (m1 + 4 * m2) * l1**2, coupling * c12], [coupling * c12, I2 + m2 * l2**2]])
    assert arm.mass_matrix == expected.applyfunc(sp.expand)  # (3.13)
    brackets = {index: arm.brackets[index] for index in np.ndindex(2, 2, 2) if arm.brackets[index] != 0}
    assert brackets == {(0, 1, 1): coupling * s12, (1, 0, 0): -coupling * s12}  # (3.14) and the one it misses
    weight = sp.Matrix([-(m1 + 2 * m2) * g * l1 * c1, -m2 * g * l2 * c2])
    assert (arm.generalised_forces - weight).applyfunc(sp.expand) == sp.zeros(2, 1)  # (3.12)


def test_composed_vectors_in_symbols_are_those_in_numbers(rng):
    """Velocities, momenta, quadratic terms, mass matrix and forces of a model in space with a ball joint."""
    import sympy as sp

    from cosserat import symbolic

    model = cs.Model("ball and screw", gravity=(0.1, 0.2, -9.81))
    ball = model.add(cs.RigidBody("ball", mass=1.0, com=(0.3, 0.1, 0.2), inertia=(0.1, 0.2, 0.25)))
    rod = model.add(cs.RigidBody("rod", mass=0.6, com=(1.1, 0.2, 0.1), inertia=(0.1, 0.12, 0.15)))
    model.add(cs.Spherical("s", ball, cs.GROUND, at=(0, 0, 0), damping=0.3))
    model.add(cs.Screw("r", ball, rod, axis=(0, 1, 0), pitch=0.2, at=(0.8, 0, 0), friction=cs.Friction(0.5, 0.2)))
    vectors = symbolic.composed_vectors(model)
    q, v = rng.normal(size=(2, 4))
    equations = vectors.equations
    values = dict(zip((*equations.q, *equations.v), (sp.Float(x, 20) for x in (*q, *v)), strict=True))

    def numbers(matrix):
        return np.array(matrix.xreplace(equations.quaternions).xreplace(values).evalf(20), dtype=float)

    expected = cs.composed_vectors(model, q, v)
    assert np.allclose(numbers(vectors.velocities), expected.velocities, atol=1e-12)
    assert np.allclose(numbers(vectors.momenta), expected.momenta, atol=1e-12)
    for beta, gamma in ((0, 1), (1, 3), (3, 0), (3, 3)):
        assert np.allclose(numbers(vectors.quadratic(beta, gamma))[0], expected.quadratic[beta, gamma], atol=1e-12)
    assert np.allclose(numbers(vectors.mass_matrix), expected.mass_matrix, atol=1e-12)
    brackets = numbers(sp.Matrix(16, 4, sp.flatten(vectors.brackets))).reshape(4, 4, 4)
    assert np.allclose(brackets, expected.brackets, atol=1e-12)
    assert np.allclose(numbers(vectors.generalised_forces).ravel(), expected.generalised_forces, atol=1e-12)


def test_eight_hinges_in_space_take_seconds(rng):
    """Products of composed vectors stay short: about 2 s, and the same numbers as `cs.composed_vectors`."""
    import time

    import sympy as sp

    from cosserat import symbolic

    model, before = cs.Model("chain"), cs.GROUND
    for i in range(8):
        bar = model.add(cs.RigidBody.bar(f"b{i}", (i, 0, 0), (i + 1, 0, 0), mass=1.0 + i))
        model.add(cs.Revolute(f"q{i}", before, bar, at=(i, 0, 0), axis=((0, 0, 1), (0, 1, 0))[i % 2]))
        before = bar
    vectors = symbolic.composed_vectors(model)
    start = time.process_time()
    a = vectors.mass_matrix
    assert time.process_time() - start < 8.0
    q = rng.normal(size=8)
    found = sp.lambdify(vectors.equations.q, a, cse=True)(*q)
    assert np.allclose(found, cs.mass_matrix(model, q), rtol=1e-11)
