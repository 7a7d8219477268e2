"""The steps of CONTRIBUTING.md, taken for a new joint: a pin that turns and slides in a straight slot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cosserat as cs
from cosserat.model.joint import RZ, X
from cosserat.model.joints import AxisJoint


class PinInSlot(AxisJoint):
    """Step 1: translation along x, rotation about z."""

    kind, freedoms = "pin_in_slot", (X, RZ)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
@pytest.mark.parametrize("stiffness", [0.0, 40.0])
def test_pin_in_slot(stiffness: float, formulation: str) -> None:
    """Step 2: a disc on a spring along the slot; its spin does not matter."""
    model = cs.Model("slot", gravity=(0, -9.81, 0))
    disc = model.add(
        cs.RigidBody("disc", mass=2, com=(0, 0, 0), inertia=np.eye(3), velocity=(0.5, 0, 0), angular_velocity=(0, 0, 3))
    )
    model.add(PinInSlot("slot", cs.GROUND, disc, axis=(0, 0, 1), stiffness=(stiffness, 0.0)))
    run = cs.simulate(model, duration=1.0, step=0.002, newton_tolerance=1e-9, formulation=formulation)
    omega = np.sqrt(stiffness / 2.0)
    expected = 0.5 * np.sin(omega) / omega if stiffness else 0.5
    assert run.status.ok
    x, angle = run.coordinate("slot")[-1]
    assert float(x) == pytest.approx(expected, abs=1e-4)
    assert float(angle) == pytest.approx(3.0, abs=1e-6)
    assert float(run.reaction("slot")[-1, 1]) == pytest.approx(2 * 9.81, rel=1e-5)


def test_validation_page_lists_every_published_problem() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs" / "validation.md").read_text(encoding="utf-8")
    for path in (root / "tests" / "literature").glob("test_*.py"):
        assert f"`{path.name}`" in page, path.name
