"""Work of what a controller holds: it jumps at each call, and acts from there on, not halfway between stored values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cosserat as cs

G = 9.81


class Sampled:
    """Efforts, targets or tensions every 20 ms."""

    period = 0.02

    def __init__(self, name: str, size: float) -> None:
        self.name, self.size = name, size

    def __call__(self, t: float, state: Any) -> dict[str, float]:
        return {self.name: self.size * np.sin(20.0 * t + 1.0)}


def driven(what: str) -> tuple[cs.Model, Sampled]:
    """Two bars; a controller drives the first one in some way, a torque over time the second one."""
    model = cs.Model("two bars", gravity=(0, 0, -G))
    first = model.add(cs.RigidBody.bar("a", (0, 0, 0), (1, 0, 0), mass=1.0))
    second = model.add(cs.RigidBody("b", mass=1.0, com=(1.3, 0, 0), inertia=0.1 * np.eye(3)))
    more: dict[str, Any] = {"effort": 0.0} if what == "shoulder" else {}
    model.add(cs.Revolute("shoulder", cs.GROUND, first.at((0, 0, 0)), axis=(0, 1, 0), damping=0.3, **more))
    model.add(cs.Revolute("elbow", first, second, at=(1, 0, 0), axis=(0, 1, 0), effort="8*sin(12*t)", damping=0.5))
    if what == "servo":
        model.add(cs.Servo("servo", "shoulder", kp=60.0, kd=2.0))
    if what == "cable.tension":
        model.add(cs.Tendon("cable", [cs.GROUND.at((0.2, 0, 1.0)), first.at((0.8, 0, 0))], tension=0.0))
    return model, Sampled(what, {"shoulder": 15.0, "servo": 0.3, "cable.tension": 30.0}[what])


@pytest.mark.parametrize("what", ["shoulder", "servo", "cable.tension"])
@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_energy_balances_to_second_order(what: str, formulation: str) -> None:
    """Errors fall by four as steps are halved; they fell by two, and were up to a tenth of the work."""
    errors = []
    for step in (5e-3, 2.5e-3):
        model, controller = driven(what)
        energy = cs.simulate(model, 0.6, step, formulation=formulation, controller=controller).energy
        errors.append(float(np.abs(energy.balance).max() / np.ptp(energy.work.values)))
    assert errors[0] < 4e-3
    assert errors[1] < 0.35 * errors[0] or errors[1] < 1e-4


def test_files_tell_which_efforts_were_held(tmp_path: Path) -> None:
    model, controller = driven("shoulder")
    run = cs.simulate(model, 0.2, 5e-3, formulation="floating", controller=controller)
    run.save(tmp_path / "run.nc")
    assert np.array_equal(cs.load_run(tmp_path / "run.nc").energy.work, run.energy.work)
