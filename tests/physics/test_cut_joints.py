"""Joints that close loops in floating frames: their angles, with all turns, in analyses and from run to run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cosserat as cs

TURN = 2.0 * np.pi
BOTH = pytest.mark.parametrize("formulation", ["galilean", "floating"])


def four_bar(**given: Any) -> cs.Model:
    """Three bars on springs; the joint d closes the loop."""
    model = cs.Model("four-bar", gravity=(0, 0, -9.81))
    corners = [(0, 0, 0), (0, 0, 1), (1, 0, 1), (1.2, 0, 0)]
    bars = [model.add(cs.RigidBody.bar(n, *corners[i : i + 2], mass=1.0)) for i, n in enumerate("uvw")]
    parts = [cs.GROUND, *bars, cs.GROUND]
    for i, name in enumerate("abcd"):
        how = {"a": {"stiffness": 30.0}, "d": given}.get(name, {})
        model.add(cs.Revolute(name, parts[i], parts[i + 1], at=corners[i], axis=(0, 1, 0), **how))
    return model


def crank(**given: Any) -> cs.Model:
    """A slider-crank whose crank joint closes the loop and is turned by more than a turn."""
    model = cs.Model("crank")
    arm = model.add(cs.RigidBody.bar("arm", (0, 0, 0), (0.3, 0, 0), mass=1.0))
    rod = model.add(cs.RigidBody.bar("rod", (0.3, 0, 0), (1.3, 0, 0), mass=1.0))
    slider = model.add(cs.RigidBody.sphere("slider", diameter=0.1, com=(1.3, 0, 0), mass=1.0))
    model.add(cs.Prismatic("guide", cs.GROUND, slider, axis=(1, 0, 0)))
    model.add(cs.Revolute("pin", slider, rod.at((1.3, 0, 0)), axis=(0, 0, 1)))
    model.add(cs.Revolute("knee", rod.at((0.3, 0, 0)), arm.at((0.3, 0, 0)), axis=(0, 0, 1)))
    model.add(cs.Revolute("turned", cs.GROUND, arm.at((0, 0, 0)), axis=(0, 0, 1), **given))
    return model


@pytest.mark.filterwarnings("ignore:redundant constraints")
@BOTH
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_stiffness_of_a_cut_joint_as_an_input(value: float, formulation: str) -> None:
    """Static gains against equilibria of other values; at zero, a spring appears with the parameter."""
    model = four_bar(stiffness=cs.Parameter("k", value))
    linear = cs.linearize(model, ["k"], ["d.effort", "d", "c"], formulation=formulation)
    gain = linear.transfer(0.0).real.ravel()
    found = []
    for k in (value + 1e-3, value + 2e-3, value):
        model.set(k=k)
        rest = cs.equilibrium(model, formulation=formulation)
        found.append([float(rest.effort("d")), float(rest.coordinate("d")), float(rest.coordinate("c"))])
    near, far, here = np.array(found)
    assert gain == pytest.approx((4.0 * near - far - 3.0 * here) / 2e-3, rel=1e-5)


@pytest.mark.filterwarnings("ignore:redundant constraints")
def test_effort_of_a_passive_cut_joint_as_an_input() -> None:
    model = four_bar()
    outputs = ["d", "d.effort", "d.reaction", "c.reaction"]
    both = [cs.linearize(model, ["d"], outputs, formulation=f).transfer(2.0j) for f in ("galilean", "floating")]
    in_plane = [0, 1, 2, 4, 8, 10]
    assert np.allclose(both[0][in_plane], both[1][in_plane], rtol=1e-8, atol=1e-10)


@pytest.mark.filterwarnings("ignore:redundant constraints")
@BOTH
def test_whole_turns_of_a_cut_joint(formulation: str) -> None:
    """A spring wound up by more than a turn, in equilibrium and where a run has settled."""
    wound, k = TURN + 0.6, 2.0
    model = crank(stiffness=k, damping=4.0, effort=k * wound)
    run = cs.simulate(model, 40.0, step=0.05, formulation=formulation, rho=0.5, every=10)
    rest = cs.equilibrium(model, formulation=formulation)
    assert float(rest.coordinate("turned")) == pytest.approx(wound, abs=1e-9)
    assert float(run.coordinate("turned")[-1]) == pytest.approx(wound, abs=1e-6)
    flat = crank(stiffness=k, damping=4.0, effort=k * 0.6)
    wanted = np.sort(cs.linearize(flat).eigenvalues)
    for about in (run, rest):
        linear = cs.linearize(model, ["turned"], ["turned.effort"], about=about, formulation=formulation)
        assert np.sort(linear.eigenvalues) == pytest.approx(wanted, rel=1e-6)
        assert linear.transfer(0.0).real.item() == pytest.approx(0.0, abs=1e-6)


@pytest.mark.filterwarnings("ignore:redundant constraints")
def test_stability_of_a_spring_wound_up() -> None:
    wound = TURN + 0.6
    model = crank(stiffness=cs.Parameter("k", 2.0), damping=4.0, effort=2.0 * wound)
    found = [cs.stability(model, "k", [2.0, 1.9, 1.8], n=2, formulation=f) for f in ("galilean", "floating")]
    assert np.allclose(found[0].eigenvalues, found[1].eigenvalues, rtol=1e-7)


@pytest.mark.filterwarnings("ignore:redundant constraints")
def test_a_spring_set_in_after_a_turn() -> None:
    """A run that goes on with a spring in the joint that closes the loop knows how often that has turned."""
    before, after = crank(), crank(stiffness=0.5)
    before.add(cs.Torque("drive", "arm", (0, 0, 0.3)))
    ends = []
    for formulation in ("galilean", "floating"):
        first = cs.simulate(before, 3.0, step=2e-3, formulation=formulation)
        assert float(first.coordinate("turned")[-1]) > TURN
        second = cs.simulate(after, 0.5, step=2e-3, formulation=formulation, start=first)
        assert second.status.ok
        ends.append(second.coordinate("turned").values[[0, -1]])
    assert ends[0] == pytest.approx(ends[1], rel=1e-4)


@pytest.mark.parametrize("force", [0.0, 10.0])
def test_a_loop_without_weight_rests(force: float) -> None:
    """Gaps as small as rounding errors are not closed again: stiff modes would answer with accelerations."""
    model = cs.Model("corner")
    plastic, rod = cs.Material(E=2e9, nu=0.3, rho=1500.0), cs.Rod(diameter=0.03)
    a = model.add(cs.Beam("a", points=[(0, 0, 0), (1, 0, 0)], section=rod, material=plastic, elements=3))
    b = model.add(cs.Beam("b", points=[(1, 0, 0), (1, 1, 0)], section=rod, material=plastic, elements=3))
    model.add(cs.Revolute("foot", cs.GROUND, a.start, axis=(0, 0, 1)))
    model.add(cs.Revolute("corner", a.end, b.start, axis=(0, 0, 1)))
    model.add(cs.Spherical("top", cs.GROUND.at((1, 1, 0)), b.end))
    model.add(cs.Force("push", a.end, (force, force / 2, force / 3)))
    run = cs.simulate(model, 0.2, step=0.005, start="equilibrium", formulation="floating", modes=3)
    assert run.status.ok
    assert not run.stats.get("steps_split")
    assert np.ptp(run.position("a.end").values, axis=0).max() < 1e-14
