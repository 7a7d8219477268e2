"""The rotating-beam paradox: a modal body needs its displacements of second order to become stiffer as it turns.

The beam of T. R. Kane, R. R. Ryan, A. K. Banerjee, J. Guidance 10 (1987) 139-151, with the data of J. C. Simo,
L. Vu-Quoc (1986); tip positions by a spectral method for the geometrically exact beam.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.physics.modal_equations import bias, deformed_inertia, steady_rotation

import cosserat as cs
from cosserat.compile.modal_dynamics import interface_frame

L = 10.0
SPIN = 6.0
TIP = {5: (-1.265464e-2, -0.4684762), 7: (-1.861826e-2, -0.5713118), 10: (-7.072336e-3, -0.3628145)}


def rotor(modes):
    section = cs.Section(stiffness=[2.8e7, 1e7, 1e7, 1.4e4, 1.4e4, 1.4e4], mass=[1.2, 1.2, 1.2, 1.2e-3, 6e-4, 6e-4])
    beam = cs.Beam("blade", points=[(0, 0, 0), (L, 0, 0)], section=section, elements=32)
    return cs.modal_body(beam, modes=modes)


@pytest.fixture(scope="module")
def body():
    return rotor(6)  # three of lagging, three of flapping


def lag_squares(body, inertia, speed):
    """Squares of the frequencies of lagging about z (no axial modes, so nothing gyroscopic couples)."""
    _, M, G, K = steady_rotation(inertia, body.stiffness, np.array([0.0, 0.0, speed]))
    assert np.abs(G).max() < 1e-9 * np.sqrt(np.abs(K).max())
    tip = body.interfaces["end"].shape
    root = np.linalg.inv(np.linalg.cholesky(M))
    values, vectors = np.linalg.eigh(root @ K @ root.T)
    sideways = np.abs(tip[1] @ root.T @ vectors) > np.abs(tip[2] @ root.T @ vectors)
    return values[sideways]


def test_without_stiffening_it_diverges_above_its_own_frequency(body):
    plain = body.inertia.unstiffened()
    assert lag_squares(body, plain, 3.797)[0] > 0
    assert lag_squares(body, plain, 3.799)[0] < 0
    assert np.sqrt(-lag_squares(body, plain, 6.0)[0]) == pytest.approx(np.sqrt(36 - 3.7977**2), rel=1e-3)


def test_with_stiffening_it_grows_stiffer(body):
    found = [np.sqrt(lag_squares(b, b.inertia, 6.0)[0]) for b in (body, rotor(12))]
    assert found[0] == pytest.approx(4.5125, rel=1e-3)
    # left out even with many modes: the stretch, m (Omega L)^2 / EA = 1.5e-4
    assert found[1] == pytest.approx(4.5125, rel=1.5e-4)


def spin(t):
    """Angular velocity and acceleration of the hub."""
    if t >= 15.0:
        return SPIN, 0.0
    return SPIN / 15 * (t - 15 / (2 * np.pi) * np.sin(2 * np.pi * t / 15)), SPIN / 15 * (1 - np.cos(2 * np.pi * t / 15))


def tip_history(body, inertia, times):
    m = body.n_modes
    mass = np.linalg.inv(inertia.modal_mass)

    def rate(t, y):
        q, r = y[:m], y[m:]
        speed, acceleration = spin(t)
        push = deformed_inertia(inertia, q).angular_coupling[:, 2] * acceleration
        force = bias(inertia, q, np.array([0, 0, speed]), r)[6:] + push + body.stiffness @ q
        return np.concatenate((r, -mass @ force))

    run = solve_ivp(rate, (0.0, times[-1]), np.zeros(2 * m), "DOP853", times, rtol=1e-6, atol=1e-8)
    frame = np.array([interface_frame(body.interfaces["end"], q)[:2, 3] for q in run.y[:m].T])
    return frame - (L, 0.0)


def test_spin_up_follows_the_exact_beam(body):
    tips = tip_history(body, body.inertia, list(TIP))
    reference = np.array(list(TIP.values()))
    # the deflection is 6 % of the length: what a second-order theory leaves out is about its square
    np.testing.assert_allclose(tips, reference, atol=5e-3 * np.abs(reference).max())


def test_spin_up_without_stiffening_runs_away(body):
    tips = tip_history(body, body.inertia.unstiffened(), [5, 10])
    assert np.abs(tips[-1, 1]) > 10 * np.abs(TIP[10][1])
