"""Andrews' squeezing mechanism: seven bodies in one plane, one freedom, a spring and a constant torque.

E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, section VII.7 (data of W. Schiehlen, Multibody Systems
Handbook, 1990); reference angles at t = 0.03 s from the Test Set for IVP Solvers, release 2.4, problem andrews.
"""

import numpy as np
import pytest

import cosserat as cs

MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273]), np.array([0.014, 0.072])
D, DA, E, EA, RR, RA = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
SS, SA, SB, SC, SD, TA, TB = 0.035, 0.01874, 0.01043, 0.018, 0.02, 0.02308, 0.00916
U, UA, UB, ZF, ZT, FA = 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
TORQUE, SPRING, LENGTH = 0.033, 4530.0, 0.07785
START = (
    -0.0617138900142764496,  # beta
    0.0,  # Theta
    0.4552798191630703803,  # gamma
    0.2226683901658858847,  # phi
    0.4873649795438425502,  # delta
    -0.2226683901658858847,  # Omega
    1.2305474445498211925,  # epsilon
)


def along(angle):
    """Unit vector at an angle, and the one a quarter turn ahead."""
    return np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])


def squeezer():
    beta, theta, gamma, phi, delta, omega, epsilon = START
    (b, _), (bt, _), (g, g_), (_, pd_) = along(beta), along(beta + theta), along(gamma), along(phi + delta)
    (d, d_), (oe, _), (ep, ep_) = along(delta), along(omega + epsilon), along(epsilon)
    pin = RR * b  # crank and coupler
    P = RR * b - D * bt  # where four bodies meet
    H, G = A + ZT * d, A - U * ep_
    centres = [
        RA * b, RR * b - DA * bt, B - SA * g_ + SB * g, H - (E - EA) * pd_, A + TA * d + TB * d_,
        G + (ZF - FA) * oe, A - UA * ep_ - UB * ep,
    ]  # fmt: skip
    spring_end = B - SC * g_ + SD * g
    point = lambda p: (float(p[0]), float(p[1]), 0.0)  # noqa: E731
    model = cs.Model("Andrews squeezer")
    K = [
        model.add(cs.RigidBody(f"K{i + 1}", mass=MASS[i], com=point(centres[i]), inertia=INERTIA[i] * np.eye(3)))
        for i in range(7)
    ]
    hinge = lambda name, a, b, p, **more: model.add(  # noqa: E731
        cs.Revolute(name, a.at(point(p)), b.at(point(p)), axis=(0, 0, 1), **more)
    )
    hinge("crank", cs.GROUND, K[0], (0, 0), effort=TORQUE)
    hinge("pin", K[0], K[1], pin)
    for i in (2, 3, 5):
        hinge(f"P{i + 1}", K[1], K[i], P)
    hinge("B", cs.GROUND, K[2], B)
    hinge("A5", cs.GROUND, K[4], A)
    hinge("A7", cs.GROUND, K[6], A)
    hinge("H", K[4], K[3], H)
    hinge("G", K[6], K[5], G)
    model.add(cs.Spring("spring", cs.GROUND.at(point(C)), K[2].at(point(spring_end)), SPRING, length=LENGTH))
    return model


def test_angles_at_the_end():
    with pytest.warns(cs.CosseratWarning, match="redundant"):
        run = cs.simulate(squeezer(), 0.03, 1e-6, every=1000, newton_tolerance=1e-7)
    assert run.status.ok, run.status.message
    beta = float(run.coordinate("crank")[-1]) + START[0]
    theta = float(run.coordinate("pin")[-1])
    assert beta == pytest.approx(15.81077119629904, abs=1e-6 * 15.8)
    assert theta == pytest.approx(-15.75637105984298, abs=1e-6 * 15.8)


def test_initial_accelerations():
    """Consistent accelerations of the test set: 14222.44 and -10666.83 rad/s^2 for beta and Theta."""
    with pytest.warns(cs.CosseratWarning):
        run = cs.simulate(squeezer(), 1e-6, 1e-6)
    a1 = float(run.angular_acceleration("K1")[0, 2])
    a2 = float(run.angular_acceleration("K2")[0, 2])
    assert [a1, a2 - a1] == pytest.approx([14222.4439199541138, -10666.8329399655854], rel=1e-9)
