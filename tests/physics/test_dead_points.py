"""Driven loops near a dead point stay on the side on which they are, or are refused."""

import numpy as np
import pytest

import cosserat as cs

pytestmark = pytest.mark.filterwarnings("ignore:redundant constraints")
BOTH = pytest.mark.parametrize("formulation", ["galilean", "floating"])


def two_bars(sag: float, motion: str) -> cs.Model:
    """Two bars of half a metre that sag a little between a hinge and a slide, which is driven towards the hinge."""
    model, points = cs.Model("bars"), np.array([(0, 0, 0), (0.5, sag, 0), (1, 0, 0)], dtype=float)
    one, two = (model.add(cs.RigidBody.bar(f"bar{k}", *points[k : k + 2], mass=1.0)) for k in range(2))
    slide = model.add(cs.RigidBody("slide", mass=1.0, com=points[2], inertia=0.1 * np.eye(3)))
    model.add(cs.Revolute("hinge", cs.GROUND, one, at=points[0], axis=(0, 0, 1)))
    model.add(cs.Revolute("middle", one, two, at=points[1], axis=(0, 0, 1)))
    model.add(cs.Spherical("pin", two, slide, at=points[2]))
    model.add(cs.Prismatic("rail", cs.GROUND, slide, at=points[2], axis=(-1, 0, 0), motion=motion))
    return model


def height(sag: float, driven: float) -> float:
    """Of the middle of a bar."""
    return float(0.5 * np.copysign(np.sqrt(0.25 + sag**2 - (0.5 - 0.5 * driven) ** 2), sag))


@BOTH
@pytest.mark.parametrize("driven", [0.3, 0.1, 1e-3])
@pytest.mark.parametrize("sag", [-1e-2, -1e-4, 1e-4, -1e-7])
def test_what_is_assembled_stays_on_its_side(sag: float, driven: float, formulation: str) -> None:
    """A sag of 0.1 mm down ended up, 0.15 m."""
    model = two_bars(sag, repr(driven))
    run, rest = cs.simulate(model, 0.01, 1e-3, formulation=formulation), cs.equilibrium(model, formulation=formulation)
    assert run.status.ok
    assert run.position("bar1").values[:, 1] == pytest.approx(height(sag, driven), abs=1e-9)
    assert float(rest.position("bar1")[1]) == pytest.approx(height(sag, driven), abs=1e-9)


@BOTH
@pytest.mark.parametrize("step", [1e-4, 1e-5])
def test_a_step_past_a_dead_point_is_told(step: float, formulation: str) -> None:
    """At 0.1 m/s the sag grows with 250 m/s at first. Runs ended on either side, ok."""
    run = cs.simulate(two_bars(-1e-4, "0.1*t"), 50 * step, step, formulation=formulation)
    assert not run.status.ok
    assert "past a dead point" in run.status.message
    fine = cs.simulate(two_bars(-1e-4, "0.1*t"), 50 * step, formulation=formulation)  # steps that adapt
    assert fine.status.ok
    assert fine.position("bar1").values[-1, 1] == pytest.approx(height(-1e-4, 5 * step), abs=1e-7)
