"""Energy balance, momentum transport and constraint violation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import cosserat as cs
from cosserat.results.nodal import inertia


def tumbling() -> cs.Model:
    model = cs.Model("tumbling", gravity=(0, 0, -9.81))
    body = model.add(
        cs.RigidBody("body", mass=2.0, inertia=(0.1, 0.2, 0.3), velocity=(1, 0, 0), angular_velocity=(1, 2, 3))
    )
    model.add(cs.Force("push", body.at((0.1, 0, 0)), lambda t: (np.cos(3 * t), 0, 1), follower=True))
    return model


def test_transport_residual_falls_with_the_square_of_the_step() -> None:
    sizes = [
        float(cs.simulate(tumbling(), duration=1.0, step=h, newton_tolerance=1e-9).transport_residual.max())
        for h in (0.02, 0.01, 0.005)
    ]
    assert sizes[0] < 2e-2
    assert sizes[0] / sizes[1] == pytest.approx(4.0, rel=0.15)
    assert sizes[1] / sizes[2] == pytest.approx(4.0, rel=0.15)


def test_transport_residual_of_a_uniform_motion_is_round_off() -> None:
    model = cs.Model("glide")
    model.add(cs.RigidBody("body", mass=2.0, com=(5, 6, 7), inertia=(1, 1, 1), velocity=(1, 2, 3)))
    run = cs.simulate(model, duration=1.0, step=0.01)
    assert float(run.transport_residual.max()) < 1e-10
    assert run.transport_residual.values[0] == 0.0


def test_equations_of_motion_hold_at_the_stored_times(arm: cs.Run) -> None:
    """Inertia and forces, both computed here from the stored states, cancel as in the kernels."""
    force = arm.monitors.book.force
    assert np.abs((inertia(arm.motion) - force)[:, :-1]).max() < 2e-2 * np.abs(force).max()


@pytest.mark.parametrize("integrator", ["generalized-alpha", "energy-momentum"])
def test_energy_balance_with_everything(integrator: str) -> None:
    model = cs.Model("all", gravity=(0, 0, -9.81))
    rubber = cs.Material(E=1e7, nu=0.4, rho=1000, damping=0.01)
    line = [(0, 0, 0), (0.5, 0, 0)]
    beam = model.add(cs.Beam("beam", points=line, section=cs.Rod(0.04), material=rubber, elements=4))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=0.3, com=(0.6, 0, 0)))
    model.add(cs.Revolute("root", cs.GROUND, beam.start, axis=(0, 1, 0), stiffness=2.0, damping=0.05))
    model.add(cs.Fixed("grip", beam.end, ball.at((0.5, 0, 0))))
    model.add(cs.Spring("spring", cs.GROUND.at((0.6, 0.4, 0)), ball, stiffness=20.0, damping=0.2))
    model.add(cs.DistributedLoad("wind", beam, force=lambda t: (0, 2 * np.sin(6 * t), 0)))
    model.add(cs.Force("pull", ball, (0, 0, 1.0), follower=True))
    run = cs.simulate(model, duration=0.5, step=0.0025, integrator=integrator)
    energy = run.energy
    exchanged = max(float(np.ptp(energy[k].values)) for k in ("kinetic", "strain", "potential"))
    assert np.abs(energy.balance).max() < 5e-3 * exchanged
    assert float(energy.dissipated[-1]) > 0.0
    assert float(abs(energy.work).max()) > 0.0


def test_violation_counts_prescribed_motions(pendulum: Callable[..., cs.Model]) -> None:
    run = cs.simulate(pendulum(motion="sin(3*t)"), duration=0.5, step=0.01)
    assert float(run.constraint_violation.max()) < 1e-6
    assert run.constraint_violation.shape == run.time.shape
