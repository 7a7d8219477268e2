"""Rotating cantilever as a modal body: frequencies of flapping and lagging.

A. D. Wright, C. E. Smith, R. W. Thresher, J. L. C. Wang, Vibration modes of centrifugally stiffened beams, J. Appl.
Mech. 49 (1982) 197-202. Frequencies in units of sqrt(EI/(m L^4)); lag^2 = flap^2 - Omega^2 (thin beam, hub of no size).
"""

import itertools

import numpy as np
import pytest
from tests.physics.modal_equations import steady_rotation

import cosserat as cs

FLAP = {2: (4.13732, 22.61492), 4: (5.58500, 24.27335), 10: (11.20233, 33.64037)}


def rotating_frequencies(inertia, stiffness, omega):
    """Undamped frequencies (rad/s), ascending, and the largest growth rate."""
    _, M, G, K = steady_rotation(inertia, stiffness, omega)
    m = len(M)
    state = np.block([[np.zeros((m, m)), np.eye(m)], [-np.linalg.solve(M, K), -np.linalg.solve(M, G)]])
    values = np.linalg.eigvals(state)
    return np.sort(values.imag[values.imag > 0.0]), float(values.real.max())


@pytest.fixture(scope="module")
def blade():
    thin = 1e-7  # EI / (EA L^2)
    section = cs.Section(stiffness=[1 / thin, 1 / thin, 1 / thin, 1e3, 1, 1], mass=[1, 1, 1, 2 * thin, thin, thin])
    beam = cs.Beam("blade", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=40)
    return cs.modal_body(beam, modes=24)


@pytest.mark.parametrize("speed", FLAP)
def test_flap_and_lag(blade, speed):
    frequencies, growth = rotating_frequencies(blade.inertia, blade.stiffness, np.array([0, 0, float(speed)]))
    flap = np.array(FLAP[speed])
    lag = np.sqrt(flap**2 - speed**2)
    expected = np.sort(np.concatenate((flap, lag)))
    np.testing.assert_allclose(frequencies[:4], expected, rtol=1e-4)
    assert growth < 1e-9


def test_more_modes_come_closer():
    """With fewer modes the shapes of the stiffened beam are missing; frequencies converge from above."""
    section = cs.Section(stiffness=[1e7, 1e7, 1e7, 1e3, 1, 1], mass=[1, 1, 1, 2e-7, 1e-7, 1e-7])
    beam = cs.Beam("blade", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=40)
    errors = []
    for modes in (2, 4, 8):
        body = cs.modal_body(beam, modes=modes)
        frequencies, _ = rotating_frequencies(body.inertia, body.stiffness, np.array([0.0, 0.0, 10.0]))
        errors.append(frequencies[1] / FLAP[10][0] - 1)
    assert all(a > b > 0 for a, b in itertools.pairwise(errors))
    assert errors[0] > 1e-2
    assert errors[-1] < 1e-3
