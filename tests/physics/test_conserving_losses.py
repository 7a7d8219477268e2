"""Energy that conserving steps take out by damping and friction, as the steps themselves sum it up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cosserat as cs

CONSERVING: dict[str, Any] = {"integrator": "energy-momentum"}


def lossy(kind: str) -> cs.Model:
    """A body on a beam, let go level, that something slows down."""
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    material = cs.Material(E=2e9, nu=0.3, rho=1000.0, damping=2e-3 if kind in ("beam", "all") else 0.0)
    ends = [(0, 0, 0), (0.6, 0, 0)]
    rod = model.add(cs.Beam("rod", points=ends, section=cs.Rod(0.03), material=material, elements=2))
    hand = model.add(cs.RigidBody("hand", 0.3, (0.7, 0, 0), (1e-3, 1e-3, 1e-3)))
    shoulder: dict[str, Any] = {"friction": cs.Friction(0.2, 0.05)} if kind in ("friction", "all") else {}
    model.add(cs.Revolute("shoulder", cs.GROUND, rod.start, axis=(0, 1, 0), **shoulder))
    wrist: dict[str, Any] = {"damping": 0.02, "stiffness": 1.0} if kind in ("joint", "all") else {}
    model.add(cs.Spherical("wrist", rod.end, hand, at=(0.6, 0, 0), **wrist))
    anchor = cs.GROUND.at((0.2, 0.1, 1.0))
    if kind in ("damper", "all"):
        model.add(cs.Spring("spring", anchor, hand, stiffness=20.0, length=1.2, damping=1.0))
    if kind in ("rope", "all"):  # slack at first
        through = [anchor, hand.at((0.7, 0, 0))]
        model.add(cs.Tendon("rope", through, stiffness=20.0, rest_length=1.2, damping=1.0, slack=True))
    return model


@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("kind", ["beam", "joint", "friction", "damper", "rope", "all", "none"])
def test_balance_of_every_kind_of_loss(kind: str, every: int) -> None:
    """To rounding, however seldom it is stored."""
    run = cs.simulate(lossy(kind), 0.35, 0.005, every=every, newton_tolerance=1e-12, **CONSERVING)
    lost = run.energy["dissipated"].values
    assert run.status.ok
    assert float(np.abs(run.energy["balance"]).max()) < 1e-9
    if kind == "none":
        assert np.all(lost == 0.0)
    else:
        assert lost[-1] > 1e-5
        assert np.all(np.diff(lost) >= 0.0)


def test_losses_are_those_of_other_methods() -> None:
    lost = [
        float(cs.simulate(lossy("all"), 0.4, step, **settings).energy["dissipated"][-1])
        for step, settings in ((0.002, CONSERVING), (0.0005, {}))
    ]
    assert lost[0] == pytest.approx(lost[1], rel=2e-3)


def test_losses_of_adaptive_steps_and_of_runs_that_go_on() -> None:
    """Steps that are taken again count once; a run that goes on counts from its own start."""
    model = lossy("all")
    run = cs.simulate(model, 0.3, tolerance=1e-5, **CONSERVING)
    later = cs.simulate(model, 0.3, 0.005, start=run, **CONSERVING)
    for found in (run, later):
        assert float(found.energy["dissipated"][0]) == 0.0
        assert float(np.abs(found.energy["balance"]).max()) < 1e-8


def test_losses_in_files(tmp_path: Path) -> None:
    for settings in (CONSERVING, {}):
        run = cs.simulate(lossy("all"), 0.2, 0.005, every=4, **settings)
        run.save(tmp_path / "run.nc")
        again = cs.load_run(tmp_path / "run.nc")
        assert np.allclose(again.energy["dissipated"], run.energy["dissipated"], rtol=1e-12, atol=0.0)
