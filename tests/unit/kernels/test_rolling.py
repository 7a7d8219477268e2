"""Rows of knife edges and rolling discs against central differences on the manifold."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.compile.compiled import frame_to_row, row_to_frame
from cosserat.kernels.alpha import move
from cosserat.kernels.newton import step_coefficients
from cosserat.kernels.rolling import conserve_rolling, rolling_rates
from cosserat.lie import se3

INERTIA = np.array([[2.0, 0.1, -0.2], [0.1, 3.0, 0.3], [-0.2, 0.3, 4.0]])


def model_of_two():
    model = cs.Model("rolling", gravity=(1.0, -2.0, -3.0))
    a = model.add(cs.RigidBody("a", mass=1.5, com=(0.2, 0.1, 0.9), inertia=INERTIA))
    b = model.add(cs.RigidBody("b", mass=2.5, com=(1.0, -0.3, 0.4), inertia=INERTIA[::-1, ::-1]))
    model.add(cs.KnifeEdge("edge", a.at((0.5, 0.2, 0.3)), direction=(1, 2, 3)))
    place, axis = b.at((1.1, 0.1, 0.7)), (1.0, 0.4, 0.3)
    model.add(cs.RollingDisc("wheel", place, radius=0.6, axis=axis, normal=(0.2, 0.1, 1.0), point=(0, 1, -0.2)))
    return model


@pytest.fixture
def lab(laboratory, rng):
    lab = laboratory(model_of_two())
    lab.memory.problem.solver.settings[1] = 0.8  # rho
    lab.scramble(rng)
    return lab


def test_tangent_by_frames_and_by_twists(lab):
    """With cc of the scheme, phi = A eta/cc: its derivative along n is A + d(A eta)/dH/cc, and A T for the gap."""
    n = 6 * lab.n
    _, cc, _, _ = step_coefficients(lab.memory.problem.solver.settings)
    by_frame, by_twist = lab.differences("frame"), lab.differences("twist")
    S = lab.matrix(0.0, cc, 1.0)
    S0 = lab.matrix(0.0, cc, 0.0)  # velocities alone
    compare(S[:n, :n], by_frame[0] + cc * by_twist[0])
    rows = np.array([0, 6, 7, 8])
    expected = by_frame[1] + cc * by_twist[1]
    compare(S[n:][rows, :n] / 3.0, expected[rows])
    assert not by_twist[1][6].any()  # the gap
    assert not by_frame[1][0].any()  # an edge turns with its body
    compare(S0[n:][rows[[0, 2, 3]], :n] / 3.0, cc * by_twist[1][rows[[0, 2, 3]]])
    compare(S[:n, n:][:, rows].T / 3.0, np.vstack((cc * by_twist[1][[0]], by_frame[1][[6]], cc * by_twist[1][[7, 8]])))
    padded = [1.001, 1.001, 1.0, 1.0, 1.0]
    assert np.allclose(np.diag(S)[n:], -3.0 * np.array([1e-3, *padded, 1e-3, 1e-3, 1e-3, *padded[2:]]))


def test_rates_of_rows(lab):
    trial, h = lab.trial, 1e-5
    rate, bias = np.zeros((2, 6)), np.zeros((2, 6))
    rolling_rates(lab.memory.address, rate, bias)
    frames = trial.frame.copy()
    ends, gaps = [], []
    for sign in (1, -1):
        for i in range(lab.n):
            trial.frame[i] = frame_to_row(row_to_frame(frames[i]) @ se3.exp(sign * h * trial.twist[i]))
        there, unused = np.zeros((2, 6)), np.zeros((2, 6))
        rolling_rates(lab.memory.address, there, unused)
        ends.append(there)
        gaps.append(lab.equations()[1][6])
    compare(bias, (ends[0] - ends[1]) / (2 * h))
    assert rate[1, 0] == pytest.approx((gaps[0] - gaps[1]) / (2 * h), rel=1e-7)
    assert abs(rate[0, 0]) > 0.01
    assert np.abs(bias[1, :3]).min() > 0.01


def compare(found, expected):
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max(initial=1.0))


def test_work_over_a_step_of_the_conserving_scheme(lab, rng):
    """Forces times the increment: lambda times the change of the gap, and times the rows, which are held at 0."""
    problem = lab.memory.problem
    state, trial, middle = problem.state, problem.trial, problem.middle
    state.frame[:] = trial.frame
    gap_before = lab.equations()[1][6]
    trial.increment[: lab.n] = 0.4 * rng.normal(size=(lab.n, 6))  # a long step: the identity is exact
    move(state.frame, trial.increment, 1.0, trial.frame)
    move(state.frame, trial.increment, 0.5, middle.frame)
    trial.residual[:] = 0.0
    conserve_rolling(lab.memory.address, 0)
    edge, disc = trial.phi[0].copy(), trial.phi[1].copy()
    work = np.sum(trial.residual[: lab.n] * trial.increment[: lab.n], axis=1)
    force = trial.force
    assert work[0] == pytest.approx(force[0, 0] * edge[0], rel=1e-13)
    assert disc[0] == pytest.approx(lab.equations()[1][6], rel=1e-13)  # the gap at the end
    assert work[1] == pytest.approx(force[1, 0] * (disc[0] - gap_before) + force[1, 1:3] @ disc[1:3], rel=1e-12)
    assert abs(disc[0] - gap_before) > 0.01


def test_rows_that_others_imply_do_not_act(lab):
    """Of a disc that keeps only what it demands along one direction t, force and values are along t."""
    problem = lab.memory.problem
    t = np.array([0.0, 0.6, 0.8])
    whole = lab.equations()[1][6:9]
    problem.rolling.keep[1] = np.outer(t, t)
    assert np.allclose(lab.equations()[1][6:9], t * (t @ whole))
    residual = lab.equations()[0]
    problem.trial.force[1, :3] += 7.0 * np.array([1.0, 0.8, -0.6])  # across t
    assert np.allclose(lab.equations()[0], residual)
