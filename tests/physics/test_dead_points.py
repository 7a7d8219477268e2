"""Driven loops near a dead point stay on the side on which they are, or are refused."""

import itertools

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


def four_bars(motion: str) -> cs.Model:
    """A crank of 0.3 m that turns freely, a coupler of 1 m and a rocker of 0.8 m over a base of 1 m."""
    crank = 0.3 * np.array([np.cos(1.0), np.sin(1.0), 0])
    ahead = np.array([1.0, 0, 0]) - crank
    long = np.linalg.norm(ahead)
    along = (1.0 - 0.64 + long**2) / (2 * long)
    beside = np.sqrt(1.0 - along**2) * np.array([-ahead[1], ahead[0], 0]) / long
    points = [np.zeros(3), crank, crank + along * ahead / long + beside, np.array([1.0, 0, 0])]
    model = cs.Model("bars")
    bars = [model.add(cs.RigidBody.bar(f"bar{k}", *points[k : k + 2], mass=1.0)) for k in range(3)]
    for k, (inner, outer) in enumerate(itertools.pairwise([cs.GROUND, *bars, cs.GROUND])):
        given = {"motion": motion} if k == 0 else {}
        model.add(cs.Revolute(f"hinge{k}", inner, outer, at=points[k], axis=(0, 0, 1), **given))
    return model


@BOTH
@pytest.mark.parametrize("rho", [0.5, 0.9])
def test_bars_that_turn_back_are_not_refused(rho: float, formulation: str) -> None:
    """The rocker hardly moves in the step in which it turns back: what its rates say is then of any size beside it."""
    assert cs.simulate(four_bars("2*pi*t"), 3.0, 0.05, rho=rho, formulation=formulation).status.ok


@BOTH
@pytest.mark.parametrize("step", [0.05, 0.02, 0.01, 0.004])
def test_kinks_of_motions_are_no_leaps(step: float, formulation: str) -> None:
    """At the time of a kink the motion has two rates, of which a state has one."""
    assert cs.simulate(four_bars("2*ramp(t, 0.2, 0.6)"), 1.0, step, formulation=formulation).status.ok


@pytest.mark.filterwarnings("ignore:simulate. joint .* reactions alternate")
@BOTH
def test_what_is_free_to_vibrate_does_not_leap(formulation: str) -> None:
    """Five bars with one drive have a freedom, though their joints, planar all of them, have rows for more than all."""
    points = np.array([(0, 0, 0), (-0.2, 0.5, 0), (0.4, 1, 0), (1.1, 0.5, 0), (1, 0, 0)])
    model = cs.Model("five", gravity=(0, -9.81, 0))
    bars = [model.add(cs.RigidBody.bar(f"bar{k}", *points[k : k + 2], mass=1.0)) for k in range(4)]
    for k, (inner, outer) in enumerate(itertools.pairwise([cs.GROUND, *bars, cs.GROUND])):
        given = {0: {"motion": "0.3*sin(6*t)"}, 2: {"stiffness": 1e5}}.get(k, {})
        model.add(cs.Revolute(f"hinge{k}", inner, outer, at=points[k], axis=(0, 0, 1), **given))
    run = cs.simulate(model, 2.0, 0.05, formulation=formulation)
    assert run.status.outcome in (cs.Outcome.OK, cs.Outcome.ALTERNATING)


def platform_on_legs() -> cs.Model:
    """Six driven legs, each on a universal joint, carry a platform by spherical ones."""
    model, corners = cs.Model("hexapod"), np.repeat([0, 2, 4], 2) * np.pi / 3
    sides = np.tile([-1.0, 1.0], 3)
    low, high = corners + 0.15 * sides, corners + (np.pi / 3 - 0.15) * sides
    platform = model.add(cs.RigidBody("platform", mass=3.0, com=(0, 0, 1), inertia=0.3 * np.eye(3)))
    for k in range(6):
        foot = np.array([np.cos(low[k]), np.sin(low[k]), 0])
        head = np.array([0.6 * np.cos(high[k]), 0.6 * np.sin(high[k]), 1])
        axis = (head - foot) / np.linalg.norm(head - foot)
        side = np.cross(axis, (0, 0, 1)) / np.linalg.norm(np.cross(axis, (0, 0, 1)))
        halves = [
            model.add(cs.RigidBody(f"{name}{k}", mass=0.5, com=foot + share * (head - foot), inertia=0.02 * np.eye(3)))
            for name, share in (("tube", 0.25), ("rod", 0.75))
        ]
        model.add(cs.Universal(f"foot{k}", cs.GROUND, halves[0], at=foot, axes=(side, np.cross(axis, side))))
        motion = f"0.15*(sin(3*t + {k}) - sin({k}))"
        model.add(cs.Prismatic(f"leg{k}", *halves, at=0.5 * (foot + head), axis=axis, motion=motion))
        model.add(cs.Spherical(f"head{k}", halves[1], platform, at=head))
    return model


@BOTH
def test_turns_of_spherical_joints_are_no_leaps(formulation: str) -> None:
    """Their velocities are not the rates of their rotation vectors."""
    assert cs.simulate(platform_on_legs(), 2.0, 0.02, formulation=formulation).status.ok
