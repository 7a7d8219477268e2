"""Loads of fluids in motion against equations written by hand and integrated by SciPy, or against integrals."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cosserat as cs

BOTH = pytest.mark.parametrize("formulation", ["galilean", "floating"])


@BOTH
def test_an_aircraft_with_tables_rates_and_sideslip(formulation):
    """Six freedoms in the axes of flight mechanics (forward, right, down), from a sideslip, rolling and yawing."""
    rho, S, c, b, m, g = 1.2, 2.0, 0.5, 4.0, 20.0, 9.81
    J = np.diag([8.0, 6.0, 13.0])
    alphas, lifts = (-0.5, -0.1, 0.1, 0.5), (-1.5, -0.2, 0.9, 1.9)
    rates = {"lift_q": 4.0, "side_p": -0.1, "side_r": 0.2, "roll_p": -0.45, "roll_r": 0.12, "pitch_q": -9.0,
             "yaw_p": -0.05, "yaw_r": -0.11}  # fmt: skip
    flow = np.array([1.0, -2.0, 0.5])  # wind in x forward, y left, z up
    model = cs.Model("plane", gravity=(0, 0, -g), fluid=cs.Fluid(rho, velocity=flow))
    moving = {"velocity": (20, 2, -1), "angular_velocity": (0.4, -0.2, 0.3)}
    craft = model.add(cs.RigidBody("craft", mass=m, com=(0, 0, 0), inertia=J, **moving))
    model.add(
        cs.Aerodynamics(
            "air", craft, area=S, chord=c, span=b, lift=list(zip(alphas, lifts, strict=True)),
            drag={"1": 0.03, "alpha^2": 0.5}, side={"beta": -0.6}, roll=lambda a, s: -0.08 * s,
            pitch=lambda a, s: 0.02 - 0.7 * a, yaw=lambda a, s: 0.1 * s, rates=rates,
        )
    )  # fmt: skip
    turned = np.diag([1.0, -1.0, -1.0])

    def rate(t, y):
        R, v, w = y[3:12].reshape(3, 3), y[12:15], y[15:]
        air = v - R.T @ (turned @ flow)
        V = np.linalg.norm(air)
        alpha, beta = np.arctan2(air[2], air[0]), np.arcsin(air[1] / V)
        p, q, r = w * np.array([b, c, b]) / (2 * V)
        Q = 0.5 * rho * V * V * S
        lift = Q * (np.interp(alpha, alphas, lifts) + rates["lift_q"] * q)
        side = Q * (-0.6 * beta + rates["side_p"] * p + rates["side_r"] * r)
        F = -Q * (0.03 + 0.5 * alpha**2) * air / V + lift * np.array([np.sin(alpha), 0, -np.cos(alpha)])
        F = F + [0, side, 0] + m * R.T @ [0, 0, g]
        tau = Q * np.array(
            [b * (-0.08 * beta + rates["roll_p"] * p + rates["roll_r"] * r),
             c * (0.02 - 0.7 * alpha + rates["pitch_q"] * q),
             b * (0.1 * beta + rates["yaw_p"] * p + rates["yaw_r"] * r)]
        )  # fmt: skip
        hat = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        turn = np.linalg.solve(J, tau - np.cross(w, J @ w))
        return np.concatenate((R @ v, (R @ hat).ravel(), F / m - np.cross(w, v), turn))

    start = np.concatenate((np.zeros(3), np.eye(3).ravel(), turned @ [20, 2, -1], turned @ [0.4, -0.2, 0.3]))
    exact = solve_ivp(rate, (0, 2), start, rtol=1e-10, atol=1e-11).y[:, -1]
    options = {"integrator": "runge-kutta"} if formulation == "floating" else {}
    run = cs.simulate(model, 2.0, 0.0025, formulation=formulation, **options)
    allowed = 2e-6 if formulation == "floating" else 2e-4
    np.testing.assert_allclose(run.position("craft").values[-1], turned @ exact[:3], atol=40 * allowed)
    np.testing.assert_allclose(run.angular_velocity("craft", "body").values[-1], turned @ exact[15:], atol=10 * allowed)


@BOTH
def test_a_gust_ahead_against_duhamels_integral(formulation):
    """Lift of a held wing, of the gust that its leading edge meets: the integral of Kuessner's function over it."""
    rho, U, chord, peak, length = 1.2, 10.0, 1.0, 0.5, 8.0
    gust = cs.winds.gust_ahead(peak, length, start=10.0, speed=-U)
    model = cs.Model("wing", fluid=cs.Fluid(rho, velocity=(-U, 0, 0), gust=gust))
    wing = model.add(cs.RigidBody("wing", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.Prismatic("mount", cs.GROUND, wing, axis=(0, 0, 1), motion="0*t"))
    model.add(cs.Strip("air", wing, cs.Airfoil(), chord=chord, width=1.0, axis=0.25, apparent=False))
    run = cs.simulate(model, 3.0, 0.005, formulation=formulation)
    t = np.linspace(0.0, 3.0, 6001)
    met = np.array([gust(0.25 * chord, 0, 0, x)[2] for x in t])
    slope = np.gradient(met, t)
    some = np.arange(100, 601, 50)
    wanted = []
    for i in 10 * some:
        s = 2 * U * (t[i] - t[: i + 1]) / chord
        wanted.append(np.trapezoid(slope[: i + 1] * (1 - 0.5 * np.exp(-0.13 * s) - 0.5 * np.exp(-s)), t[: i + 1]))
    wanted = np.pi * rho * U * chord * np.array(wanted)
    found = -run.reaction("mount").values[some, 2]
    assert np.max(np.abs(np.abs(found) - np.abs(wanted))) < 1e-3 * np.max(np.abs(wanted))


def test_a_cylinder_that_swings_in_water():
    """(m + rho A L) x" + k x + rho C d L |x'| x'/2 = 0: free decay, with the added mass and quadratic drag."""
    D, L, rho, drag = 0.2, 2.0, 1000.0, 1.2
    model = cs.Model("cylinder", fluid=cs.Fluid(rho))
    section = cs.Section(stiffness=[1e9] * 3 + [1e7] * 3, mass=[50] * 3 + [0.5] * 3)
    beam = model.add(cs.Beam("cylinder", points=[(0, -1, 0), (0, 1, 0)], section=section, elements=4))
    car = model.add(cs.RigidBody("car", mass=1.0, com=(0, 0, 0), inertia=np.eye(3), velocity=(1.5, 0, 0)))
    model.add(cs.Prismatic("rail", cs.GROUND, car, axis=(1, 0, 0), stiffness=400.0))
    model.add(cs.Fixed("clamp", car.at((0, -1, 0)), beam.start))
    model.add(cs.Morison("water", beam, diameter=D, drag=drag))
    run = cs.simulate(model, 4.0, 0.005)
    m, c = 101.0 + rho * np.pi * D**2 / 4 * L, 0.5 * rho * drag * D * L
    exact = solve_ivp(
        lambda t, y: [y[1], -(400.0 * y[0] + c * abs(y[1]) * y[1]) / m], (0, 4), [0, 1.5], rtol=1e-10, atol=1e-12,
        t_eval=run.time,
    ).y[0]  # fmt: skip
    x = run.position("car").values[:, 0]
    assert np.max(np.abs(x - exact)) < 2e-4 * np.max(np.abs(exact))


@BOTH
def test_a_rotor_on_a_free_hub(formulation):
    """Thrust k_T W^2, the torque of the air -k_Q W^2, and the moment -w x J W a of what spins."""
    kT, kQ, W, J, hub = 1e-5, 2e-7, 400.0, 2e-3, np.diag([0.1, 0.12, 0.2])
    model = cs.Model("rotor", fluid=cs.Fluid(1.2))
    body = model.add(cs.RigidBody("hub", mass=1.0, com=(0, 0, 0), inertia=hub, angular_velocity=(0.3, 0, 0)))
    model.add(cs.Rotor("rotor", body, kT, kQ, speed=W, inertia=J, axis=(0, 0, 1)))
    run = cs.simulate(model, 0.4, 0.0005, formulation=formulation)

    def rate(t, w):
        tau = np.array([0, 0, -kQ * W * W]) - np.cross(w, [0, 0, J * W])
        return np.linalg.solve(hub, tau - np.cross(w, hub @ w))

    exact = solve_ivp(rate, (0, 0.4), [0.3, 0, 0], rtol=1e-11, atol=1e-13).y[:, -1]
    np.testing.assert_allclose(run.angular_velocity("hub", "body").values[-1], exact, atol=2e-6)
    np.testing.assert_allclose(run.acceleration("hub").values[0], [0, 0, kT * W * W], atol=1e-9)
