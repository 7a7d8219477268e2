"""What the energy-momentum integrator keeps: energy and momentum, of bodies, beams and mechanisms."""

import numpy as np
import pytest

import cosserat as cs

INERTIA = np.array([[1.5, 0.1, 0.0], [0.1, 2.0, 0.2], [0.0, 0.2, 3.0]])


def free_body():
    model = cs.Model("free body")
    model.add(
        cs.RigidBody(
            "body", mass=2, com=(0, 0.1, 0), inertia=INERTIA, velocity=(0.1, -0.2, 0.05), angular_velocity=(3, 1, -2)
        )
    )
    return model


def free_blade():
    """Very different stiffnesses: moments turn inside the elements (`kernels.bending`)."""
    return free_beam((1, 2, 12), elements=24)


def free_beam(twist_and_bending=(3, 2, 4), elements=8):
    """A soft beam thrown with a bending velocity field: large deformation, no support."""
    model = cs.Model("free beam")
    section = cs.Section(stiffness=[1e3, 5e2, 5e2, *twist_and_bending], mass=[1, 1, 1, 0.02, 0.01, 0.01])

    def field(x):
        return (0.5, 2 * np.sin(3 * x[0]), x[0] ** 2, 1.0, 0.3, 2 * x[0])

    model.add(cs.Beam("beam", points=[(0, 0, 0), (2, 0, 0)], section=section, elements=elements, velocity=field))
    return model


def pendulum_chain():
    """Rigid and flexible links, revolute and spherical joints, springs, gravity: conservative."""
    model = cs.Model("chain", gravity=(0, 0, -9.81))
    section = cs.Section(stiffness=[1e4, 5e3, 5e3, 30, 20, 20], mass=[1, 1, 1, 2e-3, 1e-3, 1e-3])
    bar = model.add(cs.RigidBody("bar", mass=1, com=(0.5, 0, 0), inertia=np.diag([0.01, 1 / 12, 1 / 12])))
    beam = model.add(cs.Beam("beam", points=[(1, 0, 0), (2, 0, 0)], section=section, elements=3))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=0.5, com=(2.3, 0, 0)))
    model.add(cs.Revolute("top", cs.GROUND, bar.at((0, 0, 0)), axis=(0, 1, 0), stiffness=3.0))
    model.add(cs.Spherical("middle", bar.at((1, 0, 0)), beam.start))
    model.add(cs.Revolute("last", beam.end, ball.at((2, 0, 0)), axis=(1, 1, 0)))
    model.add(cs.Spring("spring", cs.GROUND.at((1, 0.5, 1)), ball.at((2.3, 0, 0.1)), stiffness=15.0, length=0.8))
    return model


def spread(values):
    """Largest change from the start, relative to the size of the quantity."""
    values = np.asarray(values)
    return np.abs(values - values[0]).max() / np.abs(values).max()


def simulated(model, *args, **options):
    run = cs.simulate(model, *args, integrator="energy-momentum", **options)
    assert run.status.ok, run.status.message
    return run


@pytest.mark.parametrize(
    "build, step", [(free_body, 0.01), (free_beam, 0.005), (free_blade, 0.003)], ids=["body", "beam", "blade"]
)
def test_free_motion_keeps_momentum_and_energy(build, step):
    run = simulated(build(), 2000 * step, step, newton_tolerance=1e-11)
    momentum = run.momentum.values
    assert spread(momentum[:, :3]) < 1e-9
    assert spread(momentum[:, 3:]) < 1e-9
    assert spread(run.energy.total) < 1e-8


def test_free_beam_deforms():
    """The free beam above is not a nearly rigid one: strain energy takes up a good part of the total."""
    run = simulated(free_beam(), 2.0, 0.005)
    assert float(run.energy.strain.max()) > 0.05 * float(run.energy.total[0])


def test_chain_keeps_energy():
    run = simulated(pendulum_chain(), 4.0, 2e-3)
    scale = float(run.energy.kinetic.max())
    assert np.abs(run.energy.total.values - float(run.energy.total[0])).max() < 1e-8 * scale
    assert float(run.constraint_violation.max()) < 1e-8


def test_generalized_alpha_only_loses_energy():
    run = cs.simulate(free_beam(), 10.0, 0.005, rho=0.5)
    total = run.energy.total.values
    assert total[-1] < total[0] * 1.0001
    assert spread(run.momentum.values[:, :3]) < 5e-3


@pytest.mark.parametrize("integrator", ["generalized-alpha", "energy-momentum"])
def test_balance_of_energy_with_loads_and_losses(integrator):
    """total + dissipated - work stays constant for a damped, driven mechanism, with an error of second order."""
    model = pendulum_chain()
    model.add(cs.Force("push", "ball", lambda t: (3 * np.sin(5 * t), 1 + 0 * t, 0 * t)))
    model.add(cs.Damper("damper", cs.GROUND.at((1, 0.5, 1)), model["beam"].end, damping=0.8))
    errors = []
    for step in (4e-3, 2e-3):
        run = cs.simulate(model, 1.0, step, integrator=integrator)
        errors.append(np.abs(run.energy.balance.values).max())
    assert errors[1] < 2e-3 * float(run.energy.kinetic.max())
    assert errors[0] / errors[1] > 3


@pytest.mark.slow
@pytest.mark.parametrize("build, step", [(free_body, 0.01), (free_beam, 0.005), (pendulum_chain, 2e-3)])
def test_energy_over_a_hundred_thousand_steps(build, step):
    run = simulated(build(), 100_000 * step, step, every=500)
    scale = float(run.energy.kinetic.max())
    total = run.energy.total.values
    assert np.abs(total - total[0]).max() < 1e-6 * scale


@pytest.mark.parametrize("speed", [10.0, 1000.0])
def test_a_uniform_velocity_changes_nothing_but_the_translation(speed: float) -> None:
    """The scheme mixed travel with rotation: at 100 m/s the angular velocity of a free body was wrong by itself."""
    way, seconds, found = np.array([0.6, 0.64, 0.48]), 0.5, []
    for v in (0.0, speed):
        model = cs.Model("flight")
        inertia, spin = (0.02, 0.05, 0.06), (1.0, 4.0, -2.0)
        model.add(cs.RigidBody("b", 2.0, (0, 0, 0), inertia, velocity=v * way, angular_velocity=spin))
        run = cs.simulate(model, seconds, 0.005, integrator="energy-momentum")
        energy, momentum = run.energy.total.values, run.momentum.values
        assert np.ptp(energy) < 2e-10 * energy[0]
        assert np.ptp(momentum, axis=0).max() < 1e-9 * (1.0 + v)
        found.append((run.angular_velocity("b").values[-1], run.position("b").values[-1] - v * seconds * way))
    (omega, place), (fast_omega, fast_place) = found
    assert np.abs(fast_omega - omega).max() < 1e-5
    assert np.abs(fast_place - place).max() < 1e-8
