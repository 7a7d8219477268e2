"""Rattleback: T. R. Kane, D. A. Levinson, Int. J. Non-Linear Mechanics 17 (1982) 175-186; H. Bondi, Proc. R. Soc. Lond.
A 405 (1986) 265-274.

An ellipsoid with semi-axes 0.2, 0.03 and 0.02 m, its centre of mass 0.01 m below its centre, rolls on a level plane;
its inertias are turned a little against its shape. Spun in one sense it is slowly set rocking, in the other quickly:
then it rattles and turns back. The references are the linear equations about the spin and an ODE of the whole motion.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

import cosserat as cs

FORMULATIONS = ["galilean", "floating"]
AXES, BELOW, GRAVITY = np.array([0.2, 0.03, 0.02]), 0.01, 9.81
HEIGHT = AXES[2] - BELOW
INERTIA = np.array([[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]])
CENTRE = np.array([0, 0, BELOW])


def rolls(t, frame, twist, parameters):
    """Velocity of the point that touches: the lowest of the ellipsoid."""
    a, b, c, below = parameters["a"], parameters["b"], parameters["c"], parameters["below"]
    x, y, z = -frame[2, 0], -frame[2, 1], -frame[2, 2]
    size = np.sqrt(a * a * x * x + b * b * y * y + c * c * z * z)
    x, y, z = a * a * x / size, b * b * y / size, c * c * z / size + below
    u = twist[0] + twist[4] * z - twist[5] * y
    v = twist[1] + twist[5] * x - twist[3] * z
    w = twist[2] + twist[3] * y - twist[4] * x
    slip = np.zeros(3)
    for i in range(3):
        slip[i] = frame[i, 0] * u + frame[i, 1] * v + frame[i, 2] * w
    return slip


def lowest(up):
    """Where it touches, in its axes, for the direction that points up."""
    return -(AXES**2) * up / np.linalg.norm(AXES * up) + CENTRE


def rattleback(spin, tilt=0.0):
    c, s = np.cos(tilt), np.sin(tilt)
    R, spin = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), np.array([0, 0, spin])
    arm = R @ lowest(R[2])
    model = cs.Model("rattleback", gravity=(0, 0, -GRAVITY))
    body = cs.RigidBody(
        "body", 1.0, (0, 0, -arm[2]), INERTIA, rotation=R, velocity=np.cross(arm, spin), angular_velocity=spin
    )
    model.add(body)
    shape = dict(zip("abc", AXES.tolist(), strict=True)) | {"below": BELOW}
    model.add(cs.Constraint("contact", body, rolls, shape, level="velocity"))
    return model


def spinning(spin):
    """Eigenvalues about a steady spin, and the rates of y = (vertical n, angular velocity w), both in the body's axes.

    For a mass of one: I w' + w x I w = r x (v' + w x v + g n), v = -w x r, n' = n x w, r from the centre of mass to the
    point that touches.
    """
    unit = 1e-4  # of differences of eighth order

    def rates(y):
        up, w = y[:3], y[3:]
        r, turned = lowest(up), np.cross(up, w)
        size = np.linalg.norm(AXES * up)
        change = -(AXES**2) * (turned / size - up * ((AXES**2 * up) @ turned) / size**3)
        v = -np.cross(w, r)
        cross = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
        right = np.cross(r, np.cross(w, v) - np.cross(w, change) + GRAVITY * up) - np.cross(w, INERTIA @ w)
        return np.concatenate((turned, np.linalg.solve(INERTIA - cross @ cross, right)))

    at = np.array([0, 0, 1, 0, 0, spin])
    weights = ((4 / 5, 1), (-1 / 5, 2), (4 / 105, 3), (-1 / 280, 4))
    columns = [
        sum(w * (rates(at + k * unit * e) - rates(at - k * unit * e)) for w, k in weights) / unit for e in np.eye(6)
    ]
    return np.linalg.eigvals(np.transpose(columns)), rates


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_frequencies_at_rest(formulation):
    stiffness = GRAVITY * np.diag(AXES[[1, 0]] ** 2 / AXES[2] - HEIGHT)
    squares = eigh(stiffness, INERTIA[:2, :2] + HEIGHT**2 * np.eye(2))[0]
    found = cs.modes(rattleback(0.0), 8, about="reference", formulation=formulation)
    assert found.frequencies[-2:] == pytest.approx(np.sqrt(squares) / (2 * np.pi), rel=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("spin", [5.0, -5.0, 20.0])
def test_one_sense_grows_slowly_the_other_quickly(spin, formulation):
    found = cs.modes(rattleback(spin), 8, about="motion", formulation=formulation).eigenvalues
    expected = spinning(spin)[0]
    expected = expected[expected.imag > 1.0]
    assert len(expected) == 2
    for s in expected:
        assert np.min(np.abs(found - s)) < 1e-7 * abs(s)
    slow, fast = sorted(expected, key=abs)
    assert (slow if spin > 0 else fast).real > 0 > (fast if spin > 0 else slow).real


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_it_turns_slower_as_it_rattles(formulation):
    spin, tilt, duration = -5.0, np.radians(0.5), 1.0
    start = np.array([0, np.sin(tilt), np.cos(tilt), 0, spin * np.sin(tilt), spin * np.cos(tilt)])
    rates = spinning(spin)[1]
    exact = solve_ivp(lambda _, y: rates(y), (0, duration), start, rtol=1e-11, atol=1e-12).y[:, -1]
    ends = []
    for step in (2e-3, 1e-3):
        run = cs.simulate(rattleback(spin, tilt), duration, step, formulation=formulation)
        assert run.status.ok
        R, w = run.rotation("body").values[-1], run.angular_velocity("body").values[-1]
        ends.append(np.concatenate((R[2], R.T @ w)))
    errors = [np.linalg.norm(end[:3] - exact[:3]) for end in ends]
    assert 3.3 < errors[0] / errors[1] < 4.7
    extrapolated = ends[1] + (ends[1] - ends[0]) / 3
    assert np.linalg.norm(extrapolated[:3] - exact[:3]) < 0.1 * errors[1]
