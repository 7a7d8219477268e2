"""Double pendulums released from the horizontal: two flexible beams, and two rigid bars.

Beams of L = 1, EA = 5e3, GA = 2e3, EI = 2, rho A = 0.5, rho I = 1e-3; bars of m = l = 1; g = 9.81. Reference: spectral
solution of the intrinsic beam equations, and the two-link equations of Giacaglia and Lamas (2020), section 3.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cosserat as cs

G = (0, -9.81, 0)
Z = (0, 0, 1)
BEAMS = {  # hinge, tip
    0.5: ((0.438538, -0.900973), (1.318161, -1.377151)),
    1.0: ((-0.914546, -0.410969), (-1.697514, -1.034215)),
}
BARS = {0.5: (1.29668854, -1.40577992), 1.0: (-1.66211514, -1.04146664), 2.0: (0.31352478, -1.91474662)}


def test_two_beams():
    model = cs.Model("flexible double pendulum", gravity=G)
    section = cs.Section(stiffness=[5e3, 2e3, 2e3, 2, 2, 2], mass=[0.5, 0.5, 0.5, 2e-3, 1e-3, 1e-3])
    a = model.add(cs.Beam("a", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=48))
    b = model.add(cs.Beam("b", points=[(1, 0, 0), (2, 0, 0)], section=section, elements=48))
    model.add(cs.Revolute("top", cs.GROUND, a.start, axis=Z))
    model.add(cs.Revolute("middle", a.end, b.start, axis=Z))
    run = cs.simulate(model, 1.0, 5e-4, every=100)
    assert run.status.ok, run.status.message
    for t, (hinge, tip) in BEAMS.items():
        np.testing.assert_allclose(run.position("a.end").sel(time=t, method="nearest")[:2], hinge, atol=1e-4)
        np.testing.assert_allclose(run.position("b.end").sel(time=t, method="nearest")[:2], tip, atol=1e-4)


def bars():
    model = cs.Model("rigid double pendulum", gravity=G)
    inertia = np.diag([1e-6, 1 / 12, 1 / 12])
    a = model.add(cs.RigidBody("a", mass=1, com=(0.5, 0, 0), inertia=inertia))
    b = model.add(cs.RigidBody("b", mass=1, com=(1.5, 0, 0), inertia=inertia))
    model.add(cs.Revolute("top", cs.GROUND, a.at((0, 0, 0)), axis=Z))
    model.add(cs.Revolute("middle", a.at((1, 0, 0)), b.at((1, 0, 0)), axis=Z))
    return model


def test_two_bars():
    model = bars()
    run = cs.simulate(model, 2.0, 2.5e-5, every=1000, newton_tolerance=1e-8)
    assert run.status.ok
    tip = run.position(model["b"].at((2, 0, 0)))
    for t, exact in BARS.items():
        np.testing.assert_allclose(tip.sel(time=t, method="nearest")[:2], exact, atol=1e-6)


def test_two_bars_against_giacaglia_2020():
    """(3.15)-(3.18) corrected, absolute angles, halves of the links l = 1/2."""
    half, m, g = 0.5, 1.0, 9.81

    def rates(_, y):
        q, w = y[:2], y[2:]
        k = 2 * m * half**2
        c, s = np.cos(q[0] - q[1]), np.sin(q[0] - q[1])
        A1 = m * half**2 + 1 / 12 + 4 * m * half**2
        A2 = m * half**2 + 1 / 12
        M = np.array([[A1, k * c], [k * c, A2]])
        f = [-k * s * w[1] ** 2 - 3 * m * g * half * np.cos(q[0]), k * s * w[0] ** 2 - m * g * half * np.cos(q[1])]
        return np.concatenate((w, np.linalg.solve(M, f)))

    solution = solve_ivp(rates, (0, 2), np.zeros(4), rtol=1e-11, atol=1e-11, dense_output=True)
    errors = []
    for h in (2e-3, 1e-3):
        run = cs.simulate(bars(), 2.0, h)
        q = solution.sol(run.time)[:2]
        errors.append(np.abs(run.coordinate("top").values - q[0]).max())
    assert errors[1] < 2e-4
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)
