"""S. P. Timoshenko, J. M. Gere, *Theory of Elastic Stability* (1961), 7.3 and 7.5: rings and arches under pressure."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs

Q = cs.Parameter("q", 0.0)
SECTION = cs.Section(stiffness=[1e7, 1e9, 1e9, 100, 100, 1], mass=[1, 1, 1, 1e-9, 5e-10, 5e-10])  # EI = 1 in the plane


@pytest.mark.parametrize(("follower", "wanted"), [(True, 3.0), (False, 4.0)])
def test_a_closed_ring(follower: bool, wanted: float) -> None:
    """q R^3/EI = 3 where the pressure stays normal to the ring, 4 where its direction stays.

    Beside the dead load's critical value Newton's method finds no equilibrium: the value is known by then.
    """
    model = cs.Model("ring")
    circle = lambda s: np.array([np.cos(2 * np.pi * s), np.sin(2 * np.pi * s), 0.0])  # noqa: E731
    ring = model.add(cs.Beam("ring", curve=circle, section=SECTION, elements=48, up=(0, 0, 1)))
    model.add(cs.Fixed("closed", ring.start, ring.end))
    model.add(cs.Prismatic("guide", cs.GROUND, ring.start, axis=(1, 0, 0), stiffness=0.01))
    inwards = lambda s, t, q=Q: (-q * np.cos(2 * np.pi * s), -q * np.sin(2 * np.pi * s), 0.0)  # noqa: E731
    model.add(cs.DistributedLoad("pressure", ring, force=inwards, follower=follower))
    first = cs.stability(model, "q", [3.0 if wanted == 4.0 else 2.0, wanted + 0.5], n=6).critical[0]
    assert first.kind == "divergence"
    assert abs(first.value - wanted) < 1e-4


def test_an_arch_with_hinges() -> None:
    """q R^3/EI = (pi/a)^2 - 1, half the opening a = 0.6: it buckles to one side."""
    a = 0.6
    model = cs.Model("arch")
    arc = lambda s: np.array([np.sin(a * (2 * s - 1)), np.cos(a * (2 * s - 1)), 0.0])  # noqa: E731
    arch = model.add(cs.Beam("arch", curve=arc, section=SECTION, elements=24, up=(0, 0, 1)))
    for name, place in (("A", arch.start), ("B", arch.end)):
        model.add(cs.Revolute(name, cs.GROUND, place, axis=(0, 0, 1)))
    inwards = lambda s, t, q=Q: (-q * np.sin(a * (2 * s - 1)), -q * np.cos(a * (2 * s - 1)), 0.0)  # noqa: E731
    model.add(cs.DistributedLoad("pressure", arch, force=inwards, follower=True))
    first = cs.stability(model, "q", [20.0, 30.0], n=4).critical[0]
    assert abs(first.value / ((np.pi / a) ** 2 - 1) - 1) < 1e-4
