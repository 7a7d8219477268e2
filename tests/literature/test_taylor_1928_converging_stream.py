"""Bodies in streams that change from place to place: G. I. Taylor, Proc. R. Soc. Lond. A 120 (1928) 260-283;
T. R. Auton, J. C. R. Hunt, M. Prud'homme, J. Fluid Mech. 197 (1988) 241-257.

A body held in a steady stream u without vorticity feels the gradient of u . (A + rho V) u/2, A its added mass: half as
much again as the displaced fluid, if it is a sphere. One that moves keeps the Jacobi integral of Kirchhoff's equations.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cosserat as cs
from cosserat.lie import so3

FORMULATIONS = ["galilean", "floating"]
DENSITY, SIZES = 1000.0, np.array([0.2, 0.12, 0.08])
VOLUME = 4 / 3 * np.pi * np.prod(SIZES)
STRAIN = np.array([[0.5, 0.2, 0.1], [0.2, -0.3, -0.15], [0.1, -0.15, -0.2]])
STREAM = np.array([1.0, 0.2, -0.3])


def stream(x, y, z, t):
    """Of a potential: the gradient is symmetric, without a trace."""
    return (
        1.0 + 0.5 * x + 0.2 * y + 0.1 * z,
        0.2 + 0.2 * x - 0.3 * y - 0.15 * z,
        -0.3 + 0.1 * x - 0.15 * y - 0.2 * z,
    )


def sheared(x, y, z, t):
    """With vorticity, and in time."""
    return 0.8 * np.cos(1.3 * t) + 0.3 * y, 0.1 * x, 0.05 * np.sin(t) + 0.2 * x


def ellipsoid(flow=stream, **motion):
    model = cs.Model("ellipsoid", fluid=cs.Fluid(density=DENSITY, velocity=flow))
    turned = so3.exp(np.array([0.3, -0.7, 0.5]))
    body = model.add(cs.RigidBody("body", 12.0, (0, 0, 0), (0.05, 0.12, 0.15), rotation=turned, **motion))
    model.add(cs.AddedMass.ellipsoid("water", body, semi_axes=tuple(SIZES)))
    return model


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_body_held_in_a_converging_stream(formulation):
    model = ellipsoid()
    model.add(cs.Revolute("strut", cs.GROUND, "body", axis=(0, 0, 1), motion=0.0))
    R, A = model["body"].rotation, model["water"].matrix[:3, :3]
    whole = R @ A @ np.transpose(R) + DENSITY * VOLUME * np.eye(3)
    run = cs.simulate(model, 0.02, 0.01, formulation=formulation)
    assert -run.reaction("strut").values[-1, :3] == pytest.approx(STRAIN @ whole @ STREAM, rel=1e-6)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_jacobi_integral_of_a_body_that_turns_and_drifts(formulation):
    """Its kinetic energy, fluid included, less u . (A + rho V) u/2 at the place where it is."""
    drift = []
    for step in (2e-2, 1e-2):
        model = ellipsoid(velocity=(0.4, -0.2, 0.5), angular_velocity=(1.0, 0.5, -0.8))
        A, inertia, m = model["water"].matrix, model["body"].inertia, model["body"].mass
        run = cs.simulate(model, 2.0, step, formulation=formulation)
        assert run.status.ok
        energy = []
        for x, R, v, w in zip(
            run.position("body").values, run.rotation("body").values, run.velocity("body").values,
            run.angular_velocity("body", frame="body").values, strict=True,
        ):  # fmt: skip
            eta, u = np.concatenate((R.T @ v, w)), STREAM + STRAIN @ x
            still = R.T @ u
            kinetic = 0.5 * (m * v @ v + w @ inertia @ w + eta @ A @ eta)
            energy.append(kinetic - 0.5 * still @ A[:3, :3] @ still - 0.5 * DENSITY * VOLUME * u @ u)
        drift.append(np.ptp(energy) / np.ptp(run.energy.kinetic.values))
    assert drift[1] < 1e-3
    assert 3.3 < drift[0] / drift[1] < 4.7


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_sphere_in_an_unsteady_shear(formulation):
    """rho V (3 Du/Dt - dv/dt + (u - v) x rot u)/2."""
    model, radius = cs.Model("sphere", fluid=cs.Fluid(density=DENSITY, velocity=sheared)), 0.1
    body = model.add(cs.RigidBody("body", 2.0, (0, 0, 0), 0.01 * np.eye(3), velocity=(0.3, 0.5, -0.2)))
    model.add(cs.AddedMass.sphere("water", body, diameter=2 * radius))
    carried = DENSITY * 4 / 3 * np.pi * radius**3
    gradient = np.array([[0, 0.3, 0], [0.1, 0, 0], [0.2, 0, 0]])
    rot = np.array([0.0, -0.2, -0.2])

    def rates(t, y):
        u = np.array(sheared(*y[:3], t))
        change = np.array([-1.04 * np.sin(1.3 * t), 0, 0.05 * np.cos(t)]) + gradient @ u
        force = 0.5 * carried * (3 * change + np.cross(u - y[3:], rot))
        return np.concatenate((y[3:], force / (2.0 + 0.5 * carried)))

    exact = solve_ivp(rates, (0, 2), [0, 0, 0, 0.3, 0.5, -0.2], rtol=1e-10, atol=1e-12).y[:3, -1]
    errors = []
    for step in (2e-2, 1e-2):
        run = cs.simulate(model, 2.0, step, formulation=formulation)
        errors.append(np.linalg.norm(run.position("body").values[-1] - exact))
    assert errors[1] < 1e-4
    assert 3.3 < errors[0] / errors[1] < 4.7
