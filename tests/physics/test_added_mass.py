"""Bodies that carry fluid along: closed forms, Kirchhoff's integrals, and flows that move or accelerate."""

import numpy as np
import pytest
from scipy.special import ellipk

import cosserat as cs
from cosserat.lie import se3, so3
from cosserat.model.added_mass import ellipsoid_coefficients


@pytest.mark.parametrize(
    "ratio, k1, k2, turning", [(2, 0.21001505, 0.70421043, 0.23942389), (4, 0.08155725, 0.85976058, 0.60793798)]
)
def test_prolate_spheroids(ratio, k1, k2, turning):
    # Lamb (1932), art. 114: table of inertia coefficients
    linear, around = ellipsoid_coefficients(np.array([ratio, 1.0, 1.0]))
    assert np.allclose(linear, (k1, k2, k2), atol=5e-9)
    assert np.allclose(around, (0, turning, turning), atol=5e-9)


def test_a_light_sphere_rises():
    model = cs.Model("balloon", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=1.225))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=1.0, mass=0.4))
    model.add(cs.Buoyancy("lift", ball))
    model.add(cs.AddedMass.sphere("air", ball, diameter=1.0))
    run = cs.simulate(model, duration=1.0, step=0.05)
    assert np.allclose(run.acceleration("ball").values[:, 2], 3.2859767177, rtol=1e-9)
    assert run.position("ball").values[-1, 2] == pytest.approx(3.2859767177 / 2, rel=1e-9)


def test_neutral_sphere_with_a_low_centre_of_mass():
    # omega^2 = m g d / (I + m d^2 / 3)
    m, d, inertia, rho = np.pi / 6 * 1000, 0.1, 30.0, 1000.0
    model = cs.Model("buoy", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=rho))
    ball = model.add(cs.RigidBody("ball", mass=m, com=(0, 0, -d), inertia=[inertia] * 3))
    model.add(cs.Buoyancy("water", ball, volume=np.pi / 6, centre=(0, 0, 0)))
    model.add(cs.AddedMass.sphere("carried", ball, diameter=1.0, centre=(0, 0, 0)))
    found = cs.modes(model, 2, about="reference")
    expected = np.sqrt(m * 9.81 * d / (inertia + m * d * d / 3)) / (2 * np.pi)
    assert np.allclose(found.frequencies[found.rigid :], expected, rtol=1e-7)


def ellipsoid(velocity, angular_velocity, flow=(0, 0, 0)):
    model = cs.Model("ellipsoid", fluid=cs.Fluid(density=1000.0, velocity=flow))
    a = np.array([0.3, 0.2, 0.1])
    m = 4 / 3 * np.pi * np.prod(a) * 1000
    J = m / 5 * ((a**2).sum() - a**2)
    body = model.add(cs.RigidBody("body", mass=m, com=(0, 0, 0), inertia=J, rotation=so3.exp((0.2, -0.4, 0.5)),
                                  velocity=velocity, angular_velocity=angular_velocity))  # fmt: skip
    model.add(cs.AddedMass.ellipsoid("water", body, semi_axes=a))
    return model


def test_kirchhoffs_integrals_of_an_ellipsoid():
    # In a perfect fluid the impulse (fixed in space) and the energy are conserved.
    model = ellipsoid((0.4, 0.1, -0.2), (1.0, 0.5, -0.8))
    run = cs.simulate(model, duration=4.0, step=4e-3, integrator="energy-momentum")
    A = model["water"].matrix + np.diag([model["body"].mass] * 3 + model["body"].inertia.diagonal().tolist())
    impulses, energies = [], []
    for k in range(len(run.time)):
        R, x = run.rotation("body").values[k], run.position("body").values[k]
        eta = np.concatenate((R.T @ run.velocity("body").values[k], R.T @ run.angular_velocity("body").values[k]))
        impulses.append(se3.adjoint(se3.inverse(se3.frame(R, x))).T @ (A @ eta))
        energies.append(0.5 * eta @ A @ eta)
    impulses = np.array(impulses)
    assert np.abs(impulses - impulses[0]).max() < 1e-10 * np.abs(impulses[0]).max()
    assert np.ptp(energies) < 1e-10 * energies[0]
    assert np.allclose(run.energy["kinetic"], energies[0], rtol=1e-10)


def test_motion_along_the_long_axis_is_left():
    # The Munk moment turns a body broadside on: motion along its long axis is unstable, along its short one stable.
    for direction, leaves in (((0.5, 0, 0), True), ((0, 0, 0.5), False)):
        model = cs.Model("munk", fluid=cs.Fluid(density=1000.0))
        a = np.array([0.3, 0.2, 0.1])
        m = 4 / 3 * np.pi * np.prod(a) * 1000
        J = m / 5 * ((a**2).sum() - a**2)
        body = model.add(cs.RigidBody("body", mass=m, com=(0, 0, 0), inertia=J, velocity=direction,
                                      angular_velocity=(1e-3, 1e-3, 1e-3)))  # fmt: skip
        model.add(cs.AddedMass.ellipsoid("water", body, semi_axes=a))
        run = cs.simulate(model, duration=12.0, step=0.01)
        axis = np.array(direction) / 0.5
        tilt = np.arccos(np.clip(np.einsum("i,tij,j->t", axis, run.rotation("body").values, axis), -1, 1)).max()
        assert (tilt > 0.5) == leaves


@pytest.mark.parametrize("spin", [0.0, 0.3])
def test_an_ellipsoid_librates_about_broadside_or_tumbles_through_it(spin):
    """In a plane, with the impulse P along x: J f'' = -P^2 (1/A1 - 1/A2) sin(f) for twice the angle from broadside."""
    a, P = np.array([0.3, 0.2, 0.1]), 20.0
    m = 4 / 3 * np.pi * np.prod(a) * 1000
    start = 0.0 if spin else 0.3  # of the long axis from the impulse
    model = cs.Model("munk", fluid=cs.Fluid(density=1000.0))
    J = m / 5 * ((a**2).sum() - a**2)
    linear, around = ellipsoid_coefficients(a)
    A = np.concatenate((m * (1 + linear), J * (1 + around)))
    R = so3.exp((0, 0, start))
    velocity = R @ (P * np.cos(start) / A[0], -P * np.sin(start) / A[1], 0)
    body = model.add(cs.RigidBody("body", mass=m, com=(0, 0, 0), inertia=J, rotation=R, velocity=velocity,
                                  angular_velocity=(0, 0, spin)))  # fmt: skip
    model.add(cs.AddedMass.ellipsoid("water", body, semi_axes=a))
    pull = P**2 * (1 / A[0] - 1 / A[1]) / A[5]
    period = 4 / np.sqrt(pull) * ellipk(np.cos(start) ** 2) if not spin else 10.0
    run = cs.simulate(model, period, period / 2000)
    turned = run.rotation("body").values
    angle = np.unwrap(np.arctan2(turned[:, 1, 0], turned[:, 0, 0]))
    rate = run.angular_velocity("body").values[:, 2]
    np.testing.assert_allclose(rate**2, spin**2 + pull * (np.sin(angle) ** 2 - np.sin(start) ** 2), atol=1e-4 * pull)
    if spin:
        assert np.all(np.diff(angle) > 0.0)
        assert angle[-1] > np.pi
    else:
        assert angle[[500, 1000, 1500, 2000]] == pytest.approx([np.pi / 2, np.pi - 0.3, np.pi / 2, 0.3], abs=1e-4)
        assert np.min(angle) > 0.3 - 1e-4


def test_a_steady_current_is_a_change_of_observer():
    flow = np.array([0.7, -0.3, 0.2])
    still = cs.simulate(ellipsoid((0.4, 0.1, -0.2), (1.0, 0.5, -0.8)), duration=1.0, step=1e-3)
    carried = ellipsoid(flow + (0.4, 0.1, -0.2), (1.0, 0.5, -0.8), flow=flow)
    moved = cs.simulate(carried, duration=1.0, step=1e-3)
    expected = still.position("body").values + still.time[:, None] * flow
    assert np.allclose(moved.position("body").values, expected, atol=2e-6)
    assert np.allclose(moved.rotation("body").values, still.rotation("body").values, atol=2e-6)


def test_a_neutral_body_goes_with_an_accelerating_flow():
    def flow(x, y, z, t):
        return 0.5 * t, 0.0, 0.0

    model = cs.Model("tracer", fluid=cs.Fluid(density=1000.0, velocity=flow))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, density=1000.0))
    model.add(cs.AddedMass.sphere("water", ball, diameter=0.2))
    run = cs.simulate(model, duration=1.0, step=0.01)
    assert np.allclose(run.velocity("ball").values[:, 0], 0.5 * run.time, atol=1e-8)


def test_an_accelerating_flow_pulls_at_the_centre_of_the_volume():
    # Who goes with the fluid sees it at rest, a gravity -a, and the weight of the displaced fluid at its centre.
    start, a = np.array([0.3, 0.2, 0.1]), np.array([0.7, -0.4, 0.3])
    v0, a0 = tuple(start.tolist()), tuple(a.tolist())
    matrix = np.diag([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    centre = (0.2, 0.1, -0.1)

    def fish(fluid, gravity, velocity):
        model = cs.Model("fish", gravity=gravity, fluid=fluid)
        body = model.add(cs.RigidBody("fish", mass=2.0, com=(0, 0, 0), inertia=(0.3, 0.4, 0.5), velocity=velocity,
                                      rotation=so3.exp(np.array([0.3, -0.7, 0.5])),
                                      angular_velocity=(0.5, 0.3, -0.4)))  # fmt: skip
        model.add(cs.AddedMass("water", body, matrix, volume=1.3e-3, centre=centre))
        return model, body

    flow = cs.Fluid(
        density=1000.0, velocity=lambda x, y, z, t: (v0[0] + a0[0] * t, v0[1] + a0[1] * t, v0[2] + a0[2] * t)
    )
    here = cs.simulate(fish(flow, (0, 0, 0), (0.5, 0.1, -0.2))[0], duration=0.3, step=5e-3)
    model, body = fish(cs.Fluid(density=1000.0), -a, np.array([0.5, 0.1, -0.2]) - start)
    model.add(cs.Buoyancy("lift", body, volume=1.3e-3, centre=centre))
    there = cs.simulate(model, duration=0.3, step=5e-3)
    t = here.time[:, None]
    moved = there.position("fish").values + start * t + a * t**2 / 2
    assert np.allclose(here.position("fish").values, moved, atol=5e-6)
    assert np.allclose(here.angular_velocity("fish").values, there.angular_velocity("fish").values, atol=5e-6)


def test_discs_and_cylinders_by_formula(tmp_path):
    model = cs.Model("plate", fluid=cs.Fluid(density=2.0))
    body = model.add(cs.RigidBody("plate", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1), velocity=(0, 0, 1)))
    disc = model.add(cs.AddedMass.disc("disc", body, diameter=2.0))
    rod = model.add(cs.AddedMass.cylinder("rod", body, diameter=0.2, length=3.0, axis=(1, 0, 0)))
    assert np.allclose(np.diag(disc.matrix), (0, 0, 16 / 3, 32 / 45, 32 / 45, 0))
    displaced = 2.0 * np.pi / 4 * 0.04 * 3
    assert np.allclose(np.diag(rod.matrix), (0, displaced, displaced, 0, 0.75 * displaced, 0.75 * displaced))
    cs.save_model(model, tmp_path / "plate.yaml")
    again = cs.load_model(tmp_path / "plate.yaml")
    assert again == model
    assert np.array_equal(again["rod"].matrix, rod.matrix)


@pytest.mark.parametrize(
    "matrix, words",
    [
        (-np.eye(6), "positive semidefinite"),
        (np.diag([1.0] * 5), "6x6"),
        (np.arange(36.0).reshape(6, 6), "not symmetric"),
    ],
)
def test_bad_matrices(matrix, words):
    with pytest.raises(cs.CosseratError, match=words):
        cs.AddedMass("a", "body", matrix)


def test_formulas_need_one_density():
    model = cs.Model("m", fluid=cs.Fluid(density="isa"))
    body = model.add(cs.RigidBody.sphere("ball", diameter=1.0, mass=1.0, velocity=(1, 0, 0)))
    model.add(cs.AddedMass.sphere("air", body, diameter=1.0))
    with pytest.raises(cs.CosseratError, match="a fluid of one density"):
        cs.simulate(model, duration=0.1, step=0.1)


def test_a_fluid_that_moves_along_has_no_weight():
    """What holds the weight of a tree, and its centre of mass, are those of the bodies; its momentum has both."""
    model = cs.Model("two balls", gravity=(0, 0, -10), fluid=cs.Fluid(density=1000.0))
    balls = [model.add(cs.RigidBody(f"ball{x}", 2.0, (x, 0, 0), (0.1, 0.1, 0.1))) for x in (0, 1)]
    model.add(cs.Prismatic("rail", cs.GROUND, balls[0], axis=(0, 0, 1)))
    model.add(cs.Revolute("hinge", balls[0], balls[1], axis=(0, 1, 0), at=(0, 0, 0)))
    model.add(cs.AddedMass("water", balls[0], np.diag([7.0, 8.0, 1.5, 0.1, 0.1, 0.1])))
    zero = np.zeros(2)
    assert cs.gravity_forces(model, zero) == pytest.approx([40.0, -20.0], rel=1e-12)
    assert cs.gravity_forces(model, zero) == pytest.approx(cs.bias(model, zero, zero), rel=1e-12)
    assert cs.Tree(model).centre_of_mass(zero) == pytest.approx([0.5, 0, 0], rel=1e-12)
    assert cs.centroidal_momentum(model, zero, [1.0, 0.0])[2] == pytest.approx(5.5, rel=1e-12)


def test_fluid_takes_part_in_modes_alike_in_both_formulations():
    """Mass, inertia and what modes have of it, about one and the same point."""
    model = cs.Model("two balls", gravity=(0, 0, -10), fluid=cs.Fluid(density=1000.0))
    balls = [model.add(cs.RigidBody(f"ball{x}", 2.0, (x, 0, 0), (0.1, 0.1, 0.1))) for x in (0, 1)]
    model.add(cs.Prismatic("rail", cs.GROUND, balls[0], axis=(0, 0, 1), stiffness=100.0))
    model.add(cs.Revolute("hinge", balls[0], balls[1], axis=(0, 1, 0), at=(0, 0, 0), stiffness=50.0))
    model.add(cs.AddedMass("water", balls[0], np.diag([7.0, 8.0, 1.5, 0.1, 0.1, 0.1])))
    nodes, tree = (cs.modes(model, 2, formulation=f).participation for f in ("galilean", "floating"))
    assert tree.total.values == pytest.approx(nodes.total.values, rel=1e-9)
    assert tree.effective_mass.values == pytest.approx(nodes.effective_mass.values, rel=1e-6, abs=1e-9)
