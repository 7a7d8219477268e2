"""Laws in the energy-momentum scheme: second order with every effort in every joint, and nothing lost by springs."""

import numpy as np
import pytest

import cosserat as cs

FRICTION = cs.Friction(0.5, 0.5)


def pendulum(kind, **options):
    model = cs.Model(kind, gravity=(1.0, 2.0, -9.81))
    body = model.add(cs.RigidBody("b", mass=1.0, com=(0.5, 0.1, 0), inertia=np.diag((0.1, 0.2, 0.15))))
    model.add(getattr(cs, kind)("j", cs.GROUND, body.at((0, 0, 0)), **options))
    return model


def end(model, step, integrator):
    run = cs.simulate(model, 0.8, step, integrator=integrator)
    assert run.status.ok
    return run.position("b").values[-1], float(abs(run.energy.balance).max())


CASES = {
    "effort": lambda n: {"effort": tuple(1.0 + 0.3 * i for i in range(n))},
    "damping": lambda n: {"damping": (0.8,) * n},
    "friction": lambda n: {"friction": (FRICTION,) * n},
    "stiffness": lambda n: {"stiffness": (3.0,) * n},
}


@pytest.mark.parametrize("what", CASES)
@pytest.mark.parametrize("kind, n", [("Spherical", 3), ("Free", 6)])
def test_efforts_about_rotation_vectors(kind, n, what):
    """The rate of such a freedom is not that of its coordinate; the scheme used to take it for that and went astray."""
    model = pendulum(kind, **CASES[what](n))
    (coarse, _), (fine, balance) = (end(model, h, "energy-momentum") for h in (8e-3, 4e-3))
    (rough, _), (better, _) = (end(model, h, "generalized-alpha") for h in (8e-3, 4e-3))
    limit = (4.0 * better - rough) / 3.0
    error = np.abs(fine - limit).max()
    assert error < 0.3 * np.abs(coarse - limit).max()
    assert np.abs((4.0 * fine - coarse) / 3.0 - limit).max() < 0.1 * error
    assert balance < 1e-2


def pair(damping=0.0):
    model = cs.Model("pair")
    inertia = np.diag((0.1, 0.2, 0.15))
    motion = {"velocity": (0, 0.3, 0), "angular_velocity": (1.0, 2.0, 0.5)}
    a = model.add(cs.RigidBody("a", mass=1, com=(0, 0, 0), inertia=inertia, **motion))
    motion = {"velocity": (0, -0.3, 0.2), "angular_velocity": (-1.0, 0.4, 1.0)}
    b = model.add(cs.RigidBody("b", mass=2, com=(1, 0, 0), inertia=2 * inertia, **motion))
    ends = a.at((0, 0.2, 0.1)), b.at((1, -0.1, 0.3))
    model.add(cs.Spring("s", *ends, stiffness=40.0, length=0.7, damping=damping))
    return model


@pytest.mark.parametrize("step", [0.05, 0.02])
def test_a_spring_between_free_bodies_keeps_all_momenta_and_the_energy(step):
    run = cs.simulate(pair(), 200.0, step, integrator="energy-momentum")
    assert run.status.ok
    momentum, energy = run.momentum.values, run.energy.total.values
    assert np.abs(momentum - momentum[0]).max() < 1e-9
    assert np.abs(energy - energy[0]).max() < 1e-9 * energy[0]


def test_a_damper_takes_energy_and_no_momentum():
    run = cs.simulate(pair(damping=0.5), 20.0, 0.02, integrator="energy-momentum")
    momentum, energy = run.momentum.values, run.energy.total.values
    assert np.abs(momentum - momentum[0]).max() < 1e-9
    assert np.all(np.diff(energy) <= 1e-12)
    positions = [cs.simulate(pair(0.5), 2.0, h, integrator="energy-momentum").position("b").values[-1] for h in
                 (0.02, 0.01, 0.005)]  # fmt: skip
    ratio = np.abs(positions[0] - positions[1]).max() / np.abs(positions[1] - positions[2]).max()
    assert 3.6 < ratio < 4.4
