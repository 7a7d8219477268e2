"""Swimming by a travelling wave: J. Gray, G. J. Hancock, The propulsion of sea-urchin spermatozoa (1955).

A long thin filament whose resistance along and across are K_L and K_N per length carries a wave of speed c along
itself. With alpha and beta the means of cos and cos^2 of the angle theta of its tangent, and r = K_L/K_N, it swims at

    U = alpha c (1 - beta) (1 - r) / (1 - beta + r beta)

(the form of J. Lighthill, SIAM Review 18 (1976), without a head). For theta = theta_0 sin the means are Bessel
functions. A chain of bars has ends and corners: with more waves and more bars its speed must come to U.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import j0

import cosserat as cs

ANGLE, RATIO = 0.6, 0.1
ACROSS = 40.0  # N s/m per metre; the wave is a metre long and takes a second


def exact_speed() -> float:
    beta = 0.5 * (1.0 + j0(2 * ANGLE))
    return j0(ANGLE) * (1 - beta) * (1 - RATIO) / (1 - beta + RATIO * beta)


def speed(waves: int, bars: int, steps: int = 24) -> float:
    """Distance per period of a chain with so many bars per wave, after one period from the exact speed."""
    n, length = waves * bars, 1.0 / bars
    model = cs.Model("filament")
    chain = [
        model.add(cs.RigidBody.bar(f"b{i}", (-i * length, 0, 0), (-(i + 1) * length, 0, 0), mass=length))
        for i in range(n)
    ]
    for i in range(1, n):
        model.add(cs.Revolute(f"j{i}", chain[i - 1], chain[i], axis=(0, 0, 1), at=(-i * length, 0, 0)))
    tree = cs.Tree(model)
    shift, omega = 2 * np.pi / bars, 2 * np.pi
    amplitude = 2 * ANGLE * np.sin(shift / 2)  # of the joints; neighbouring bars differ by it

    def shape(t: float) -> np.ndarray:
        phase = omega * t - shift * np.arange(1, n)
        return amplitude * np.array([np.sin(phase), omega * np.cos(phase), -(omega**2) * np.sin(phase)])

    def drag(q: np.ndarray, v: np.ndarray) -> dict[str, np.ndarray]:
        out = {}
        posture = tree.forward_kinematics(q, v)
        for body in chain:
            e, u = posture.rotation(body)[:, 0], posture.velocity(body)
            force = -ACROSS * length * (u - (1 - RATIO) * (u @ e) * e)
            out[body.name] = np.concatenate((force, -ACROSS * length**3 / 12 * posture.angular_velocity(body)))
        return out

    def slope(t: float, x: np.ndarray) -> np.ndarray:
        motions = dict(zip(tree.coordinates, shape(t)[2], strict=False))
        return np.array([tree.coordinate_rates(*x), cs.hybrid_dynamics(model, *x, motions, wrenches=drag(*x)).a])

    x = np.zeros((2, n + 5))
    h = 1.0 / steps
    centres = []
    for i in range(2 * steps):
        t = i * h
        x[:, : n - 1] = shape(t)[:2]
        if i % steps == 0:
            centres.append(tree.centre_of_mass(x[0]))
        a = slope(t, x)
        b = slope(t + h / 2, x + h / 2 * a)
        c = slope(t + h / 2, x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + slope(t + h, x + h * c))
    x[0, : n - 1] = shape(2.0)[0]
    return float(np.linalg.norm(tree.centre_of_mass(x[0]) - centres[1]))


@pytest.mark.slow
def test_speed_of_swimming() -> None:
    """Both errors fall with the square of their number, so that three chains give the limit."""
    exact = exact_speed()
    assert exact == pytest.approx(0.5442, abs=1e-4)
    coarse, longer, finer = speed(2, 8), speed(4, 8), speed(2, 16)
    assert coarse < longer < exact
    assert coarse < finer < exact
    limit = coarse + 4 / 3 * (longer - coarse) + 4 / 3 * (finer - coarse)
    assert limit == pytest.approx(exact, rel=1e-3)
