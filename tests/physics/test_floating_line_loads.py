"""Distributed loads on beams in floating frames: closed forms, and the Galilean formulation."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs

ROD, STEEL = cs.Rod(0.03), cs.materials.STEEL
EI = 210e9 * np.pi * 0.03**4 / 64


def beam(**options) -> cs.Beam:
    given = {"points": [(0, 0, 0), (2, 0, 0)], "section": ROD, "material": STEEL, "elements": 6} | options
    return cs.Beam("beam", **given)


def hinged(load: dict, **options) -> cs.Model:
    model = cs.Model("hinged")
    rod = model.add(beam(**options))
    model.add(cs.Revolute("hinge", cs.GROUND, rod.start, axis=(0, 0, 1)))
    model.add(cs.DistributedLoad("line", rod, **load))
    return model


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5])
def test_torque_about_a_hinge(angle: float) -> None:
    """Dead: w cos(angle) L^2 / 2. Follower: w L^2 / 2. A moment per length: m L."""
    for load, expected in (
        ({"force": (0, 30, 0)}, 30 * np.cos(angle) * 2),
        ({"force": (0, 30, 0), "follower": True}, 30 * 2),
        ({"moment": (0, 0, 7)}, 14),
        ({"moment": (0, 0, 7), "force": (5, 0, 0), "follower": True}, 14),
    ):
        tree = cs.FlexibleTree(hinged(load), modes=3)
        q, zero = tree.neutral(), tree.neutral()
        q[0] = angle
        assert -tree.inverse_dynamics(q, zero, zero)[0] == pytest.approx(expected, abs=1e-9)


def test_deflection_of_a_cantilever() -> None:
    """w L^4 / (8 EI) and, for a moment per length, m L^3 / (3 EI); shear adds w L^2 / (2 GA)."""
    for load, expected in (
        ({"force": (0, 0, -30)}, -30 * 2**4 / (8 * EI)),
        ({"moment": (0, -7, 0)}, 7 * 2**3 / (3 * EI)),
    ):
        model = cs.Model("cantilever")
        rod = model.add(beam(elements=12))
        model.add(cs.Fixed("clamp", cs.GROUND, rod.start))
        model.add(cs.DistributedLoad("line", rod, **load))
        tree = cs.FlexibleTree(model, modes=24)
        zero = tree.neutral()
        q = np.linalg.solve(tree.modal_bodies["beam"].stiffness, -tree.bias(zero, zero))
        assert tree.frame("beam.end", q)[2, 3] == pytest.approx(expected, rel=2e-3)


GUSTS = {
    "dead": {"force": (0, "20 * sin(8 * t)", -15), "moment": (0, 2, 0)},
    "follower": {"force": ("5 * t", "20 * sin(8 * t)", -15), "follower": True},
}


@pytest.mark.parametrize("kind", GUSTS)
@pytest.mark.parametrize("points", [[(0, 0, 0), (2, 0, 0)], [(0, 0, 0), (1, 0, 0), (1, 0, 1)]])
def test_against_the_galilean_formulation(kind: str, points) -> None:
    """A beam on a hinge, straight or with a corner, in a wind that changes: tips, reactions and sections."""
    model = hinged(GUSTS[kind], points=points)
    options = {"duration": 0.3, "step": 2e-3, "rho": 0.5}
    galilean = cs.simulate(model, **options)
    floating = cs.simulate(model, formulation="floating", modes=8, **options)
    assert floating.status.ok
    one, two = (run.position("beam.end").values for run in (galilean, floating))
    assert np.abs(one - two).max() < 2e-3 * np.abs(one - one[0]).max()
    for ask in (
        lambda r: r.reaction("hinge"),
        lambda r: r.section_force("beam", 0.3),
        lambda r: r.section_force("beam", 0.8),
    ):
        a, b = ask(galilean).values[40:], ask(floating).values[40:]
        for part in (slice(0, 3), slice(3, 6)):
            assert np.abs(a - b)[:, part].max() < 0.05 * np.abs(galilean.reaction("hinge").values[40:, part]).max()
    energy = floating.energy
    assert np.abs(energy.balance.values).max() < 5e-3 * energy.work.values.max()
    assert energy.work.values[-1] == pytest.approx(galilean.energy.work.values[-1], rel=5e-3)


def test_parameters_of_loads_may_change() -> None:
    w = cs.Parameter("w", 30.0)
    model = hinged({"force": (0, w, 0)})
    tree = cs.FlexibleTree(model, modes=1)
    zero = tree.neutral()
    assert -tree.bias(zero, zero)[0] == pytest.approx(60)
    model.set(w=10.0)
    assert -tree.bias(zero, zero)[0] == pytest.approx(20)


def test_nonsense() -> None:
    model = hinged({"force": (0, 0, 1)})
    with pytest.raises(cs.CosseratError, match=r"load 'other': unknown beam 'hinge'; beams of the model: 'beam'"):
        model.add(cs.DistributedLoad("other", "hinge", force=(0, 0, 1)))
    blade = cs.Model("blade")
    body = blade.add(cs.modal_body(beam(), modes=2))
    with pytest.raises(cs.CosseratError, match=r"beam"):
        blade.add(cs.DistributedLoad("wind", body, force=(0, 0, 1)))
