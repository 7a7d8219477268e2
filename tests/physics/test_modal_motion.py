"""A modal body in free flight: energy and momenta are conserved, whichever frame it floats with."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.physics.modal_equations import bias, inertia_matrix, kinetic_energy, momentum

import cosserat as cs
from cosserat.compile.modal_dynamics import interface_frame
from cosserat.lie import so3

SECTION = cs.Section(stiffness=[2e3, 1e3, 1.1e3, 3, 2, 2.5], mass=[1, 1, 1, 2e-2, 0.8e-2, 1.2e-2])
BEAM = cs.Beam("b", curve=lambda s: (s, 0.4 * np.sin(1.5 * s), 0.3 * s**2), section=SECTION, elements=12)
SPIN = np.array([0.25, -0.5, 1.0])  # rad/s, with a first frequency of about 4 rad/s when clamped
DRIFT = np.array([0.3, 0.2, -0.1])


def fly(body, inertia, duration):
    """States (R, x, q, v, omega, q_dot) of a body that starts undeformed in a rigid motion about the world origin."""
    m = body.n_modes

    def rate(_, y):
        R, q, v, w, r = y[:9].reshape(3, 3), y[12 : 12 + m], y[12 + m : 15 + m], y[15 + m : 18 + m], y[18 + m :]
        force = bias(inertia, q, w, r)
        force[6:] += body.stiffness @ q
        a = -np.linalg.solve(inertia_matrix(inertia, q), force)
        a[:3] -= np.cross(w, v)
        return np.concatenate(((R @ so3.hat(w)).ravel(), R @ v, r, a))

    R, x = body.frame[:3, :3], body.frame[:3, 3]
    start = np.concatenate(
        (R.ravel(), x, np.zeros(m), R.T @ (DRIFT + np.cross(SPIN, x)), R.T @ SPIN, np.zeros(m))
    )  # fmt: skip
    run = solve_ivp(rate, (0.0, duration), start, "DOP853", np.linspace(0, duration, 9), rtol=1e-8, atol=1e-10)
    assert run.success
    return run.y.T


def invariants(body, inertia, y):
    m = body.n_modes
    R, x, q, twist, r = y[:9].reshape(3, 3), y[9:12], y[12 : 12 + m], y[12 + m : 18 + m], y[18 + m :]
    p = momentum(inertia, q, twist, r)
    linear = R @ p[:3]
    energy = kinetic_energy(inertia, q, twist, r) + 0.5 * q @ body.stiffness @ q
    return np.concatenate(([energy], linear, R @ p[3:6] + np.cross(x, linear)))


@pytest.mark.parametrize("boundary", ["cantilever", "free", "craig-bampton"])
@pytest.mark.parametrize("stiffened", [True, False])
def test_energy_and_momenta(boundary, stiffened):
    body = cs.modal_body(BEAM, modes=3 if boundary != "craig-bampton" else 0, boundary=boundary)
    inertia = body.inertia if stiffened else body.inertia.unstiffened()
    assert body.inertia.is_stiffened
    assert not body.inertia.unstiffened().is_stiffened
    history = fly(body, inertia, 0.5)
    values = np.array([invariants(body, inertia, y) for y in history])
    assert np.abs(history[:, 12]).max() > 1e-4  # it does deform
    np.testing.assert_allclose(values, np.broadcast_to(values[0], values.shape), rtol=1e-7, atol=1e-7)


def frame_dependence(modes):
    """Largest difference of the ends' positions between three floating frames, over the deflection."""
    ends, deflections = [], []
    for boundary, root in (("cantilever", "start"), ("cantilever", "end"), ("free", "start")):
        body = cs.modal_body(BEAM, modes=modes, boundary=boundary, root=root)
        y = fly(body, body.inertia, 0.5)[-1]
        H = np.eye(4)
        H[:3, :3], H[:3, 3] = y[:9].reshape(3, 3), y[9:12]
        q = y[12 : 12 + body.n_modes]
        ends.append([(H @ interface_frame(body.interfaces[k], q))[:3, 3] for k in ("start", "end")])
        deflections.append(max(np.abs(i.shape[:3] @ q).max() for i in body.interfaces.values()))
    assert deflections[0] > 1e-3
    return float(np.abs(np.array(ends) - ends[0]).max()) / deflections[0]


def test_the_choice_of_the_floating_frame_does_not_matter():
    """Modes fixed at either end, and free ones, lead to the same motion in space as their number grows."""
    two, four = frame_dependence(2), frame_dependence(4)
    assert four < 0.05
    assert four < 0.5 * two
