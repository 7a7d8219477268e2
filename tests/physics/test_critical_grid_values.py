"""Values of a grid that are critical themselves: what crosses there is found once, and rightly named."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cosserat as cs
from cosserat.results.stability import Critical


def rotor() -> cs.Model:
    """Unit mass on springs 1 and 4 that turn: s = 0 at W = 1 and W = 2, unstable between."""
    model = cs.Model("rotor")
    disk = model.add(cs.RigidBody("disk", mass=1, com=(0, 0, 0), inertia=[0.1, 0.1, 0.2]))
    model.add(cs.PlanarTranslation("xy", cs.GROUND, disk, normal=(0, 0, 1), stiffness=[1.0, 4.0]))
    return model


def light_slider(mass: float) -> cs.Model:
    """The same with a slider of little mass between the springs: W = 1 / sqrt(1 + mass) and W = 2."""
    model = cs.Model("slider")
    slider = model.add(cs.RigidBody("slider", mass=mass, com=(0, 0, 0), inertia=[mass] * 3))
    disk = model.add(cs.RigidBody("disk", mass=1, com=(0, 0, 0), inertia=[0.1, 0.1, 0.2]))
    model.add(cs.Prismatic("x", cs.GROUND, slider, axis=(1, 0, 0), stiffness=1.0))
    model.add(cs.Prismatic("y", slider, disk, axis=(0, 1, 0), stiffness=4.0))
    return model


def ziegler(scale: float = 1.0, damping: float = 0.0) -> cs.Model:
    """Two bars on springs, pushed along by a follower force F times scale."""
    model, F = cs.Model("ziegler"), cs.Parameter("F", 0.0)
    for i in range(2):
        ends = [(i, 0, 0), (i + 1, 0, 0)]
        bar = model.add(cs.RigidBody.bar(f"bar{i}", *ends, mass=1))
        parent = cs.GROUND if i == 0 else model["bar0"].at((1, 0, 0))
        model.add(cs.Revolute(f"hinge{i}", parent, bar.at(ends[0]), axis=(0, 0, 1), stiffness=1.0, damping=damping))
    model.add(cs.Force("thrust", bar.at((2, 0, 0)), (-F * scale, 0, 0), follower=True))
    return model


@cache
def ziegler_critical(damping: float) -> Critical:
    (critical,) = cs.stability(ziegler(damping=damping), "F", [0, 1.0, 2.0, 3.0]).critical
    return critical


def seen(found: cs.Stability) -> list[tuple[str, bool]]:
    return [(c.kind, c.loss) for c in found.critical]


LOSS, REGAIN = ("divergence", True), ("divergence", False)


@pytest.mark.parametrize(
    ("grid", "values", "expected"),
    [
        (np.linspace(0.2, 3, 15), [1, 2], [LOSS, REGAIN]),
        (np.linspace(3, 0.2, 15), [2, 1], [LOSS, REGAIN]),
        (np.linspace(1, 2, 6), [1, 2], [LOSS, REGAIN]),
        (np.linspace(1, 1.5, 3), [1], [LOSS]),
        (np.linspace(0, 1, 5), [1], [LOSS]),
        (np.linspace(3, 2, 5), [2], [LOSS]),
        (np.linspace(1.5, 2, 3), [2], [REGAIN]),
        (np.linspace(2, 3, 5), [], []),
        (np.linspace(0, 3, 4), [1, 2], [LOSS, REGAIN]),
        ([1, 2], [1, 2], [LOSS, REGAIN]),
    ],
)
@pytest.mark.parametrize("shift", [0.0, 3e-16, -1e-13])
def test_divergence(grid, values, expected, shift):
    W = cs.Parameter("W", 0.5)
    found = cs.stability(rotor(), "W", np.array(grid) * (1 + shift), spin=(0, 0, W))
    assert seen(found) == expected
    assert_allclose([c.value for c in found.critical], values, rtol=1e-9)
    inside = (found.values > 1 + 1e-9) & (found.values < 2 - 1e-9)
    assert np.array_equal(found.stable, ~inside)


@pytest.mark.parametrize("mass", [1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("grid", [np.linspace(0.2, 3, 15), np.linspace(0, 3, 4)])
def test_light_slider(mass, grid):
    W = cs.Parameter("W", 0.5)
    found = cs.stability(light_slider(mass), "W", grid, spin=(0, 0, W))
    assert seen(found) == [LOSS, REGAIN]
    assert_allclose([c.value for c in found.critical], [1 / np.sqrt(1 + mass), 2], rtol=1e-9)


@pytest.mark.parametrize("damping", [0.0, 0.02])
@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ([0.5, 0.75, 1.0, 1.25, 1.5], [("flutter", True)]),
        ([1.5, 1.25, 1.0, 0.75, 0.5], [("flutter", False)]),
        ([1.0, 1.25, 1.5], [("flutter", True)]),
        ([1.5, 1.25, 1.0], [("flutter", False)]),
        ([0.5, 0.75, 1.0], [("flutter", True)]),
        ([1.0, 0.75, 0.5], []),
    ],
)
@pytest.mark.parametrize("shift", [0.0, -3e-16])
def test_flutter(damping, grid, expected, shift):
    reference = ziegler_critical(damping)
    model = ziegler(reference.value, damping)
    found = cs.stability(model, "F", np.array(grid) * (1 + shift))
    assert seen(found) == expected
    for c in found.critical:
        assert_allclose(c.value, 1.0, rtol=1e-8)
        assert_allclose(c.frequency, reference.frequency, rtol=1e-4)
    assert np.array_equal(found.stable, found.values < 1 + 1e-9)


def test_campbell():
    found = cs.campbell(rotor(), np.linspace(0.2, 3, 15), n=2)
    assert [(c.kind, c.loss) for c in found.unstable] == [LOSS, REGAIN]


def test_no_values_beyond():
    """A stiffness cannot be negative: nothing is known beyond zero, where a motion is free."""
    model, m = cs.Model("vanishing"), cs.Parameter("k", 1.0)
    body = model.add(cs.RigidBody("body", mass=1, com=(0, 0, 0), inertia=np.eye(3)))
    model.add(cs.PlanarTranslation("slide", cs.GROUND, body, normal=(0, 0, 1), stiffness=[m, 1.0]))
    found = cs.stability(model, "k", [1.0, 0.5, 0.0])
    assert found.critical == []
    assert found.stable.all()


def test_flutter_and_divergence_between_two_values_are_both_found():
    """A heavy strut beside the pendulum buckles slowly at F = 2.8; the pendulum flutters before, at no value."""
    model, F = ziegler(), cs.Parameter("F", 0.0)
    strut = model.add(cs.RigidBody.bar("strut", (0, 5, 0), (1, 5, 0), mass=100))
    model.add(cs.Revolute("foot", cs.GROUND, strut.at((0, 5, 0)), axis=(0, 0, 1), stiffness=2.8))
    model.add(cs.Force("weight", strut.at((1, 5, 0)), (-F, 0, 0)))
    flutter = ziegler_critical(0.0).value
    for grid in ([0.0, 5.7], [0.0, 3.0], [5.7, 0.0]):
        found = cs.stability(model, "F", grid).critical
        expected = [("flutter", flutter), ("divergence", 2.8)][:: 1 if grid[-1] else -1]
        assert [c.kind for c in found] == [kind for kind, _ in expected]
        assert [c.modes for c in found] == [1, 1]
        assert_allclose([c.value for c in found], [value for _, value in expected], rtol=1e-8)
