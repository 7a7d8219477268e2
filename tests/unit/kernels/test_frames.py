"""Exponential, logarithm and tangent operator of the kernels against those of `cosserat.lie`."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.compile.compiled import frame_to_row, row_to_frame
from cosserat.kernels.alpha import move
from cosserat.kernels.beams import relative_vectors
from cosserat.kernels.tangent import tangent_operators
from cosserat.lie import se3

ANGLES = [0.0, 1e-8, 1e-6, 1e-3, 0.1, 0.7, 1.0, 1.3, 2.0, 3.0, np.pi - 1e-4, np.pi - 1e-9]


def twist(rng, angle):
    w = rng.normal(size=3)
    return np.concatenate((rng.uniform(-1, 1, 3), angle * w / np.linalg.norm(w)))


@pytest.mark.parametrize("angle", ANGLES)
def test_exponential(rng, angle):
    frames = np.stack([frame_to_row(se3.exp(twist(rng, 1.0))), frame_to_row(np.eye(4))])
    d = np.stack([twist(rng, angle), np.zeros(6)])
    out = frames.copy()
    move(frames, d, 1.0, out)
    np.testing.assert_allclose(row_to_frame(out[0]), row_to_frame(frames[0]) @ se3.exp(d[0]), atol=1e-14)


@pytest.mark.parametrize("angle", ANGLES)
def test_logarithm(rng, angle):
    H = se3.exp(twist(rng, 1.0))
    d = twist(rng, angle)
    frames = np.stack([frame_to_row(H), frame_to_row(H @ se3.exp(d))])
    out = np.zeros((1, 6))
    relative_vectors(frames, np.array([[0, 1]]), out)
    np.testing.assert_allclose(out[0], d, atol=1e-6 if angle > 3.14 else 1e-12)


@pytest.mark.parametrize("angle", ANGLES[:-2])
def test_tangent_operator(laboratory, rng, angle):
    model = cs.Model("body")
    model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1, velocity=(1, 0, 0)))
    lab = laboratory(model)
    d = twist(rng, angle)
    lab.trial.increment[0] = d
    tangent_operators(lab.memory.address)
    np.testing.assert_allclose(lab.memory.problem.solver.tangent[0], se3.tangent(d), atol=1e-13)
