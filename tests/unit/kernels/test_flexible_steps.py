"""Implicit steps in floating frames: the compiled iteration against the one in Python."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs
from cosserat.compile.flexible_tree import compile_flexible_tree
from cosserat.jit.switch import COMPILED
from cosserat.solve.floating.implicit import Implicit
from cosserat.solve.floating.methods import new_stepper
from cosserat.solve.floating.state import Drives, Point, StepFailure
from cosserat.solve.relative.tree_constraints import TreeConstraints


@pytest.fixture
def model() -> cs.Model:
    """A free hub, an elastic arm with friction in its hinge, a driven tip on a spherical joint's far side."""
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    hub = model.add(cs.RigidBody("hub", mass=5.0, com=(0, 0, 0), inertia=(0.2, 0.3, 0.25), angular_velocity=(1, 2, 3)))
    material = cs.Material(E=70e9, nu=0.3, rho=2700.0, damping=1e-4)
    points = [(0.1, 0, 0), (1.1, 0, 0)]
    arm = model.add(cs.Beam("arm", points=points, section=cs.Rod(0.02), material=material, elements=3))
    tip = model.add(cs.RigidBody("tip", mass=0.5, com=(1.2, 0, 0.1), inertia=(0.01, 0.01, 0.01)))
    model.add(cs.Revolute("hinge", hub.at(points[0]), arm.start, axis=(0, 1, 0), friction=0.2, damping=0.1))
    model.add(cs.Universal("wrist", arm.end, tip.at(points[1]), axes=((0, 1, 0), (0, 0, 1)), motion=("t**2", None)))
    model.add(cs.Force("push", tip, ("sin(20 * t)", "1", "0")))
    return model


def steppers(model: cs.Model) -> list[Implicit]:
    out = []
    for compiled in (True, False):
        tree = cs.FlexibleTree.of_data(model, compile_flexible_tree(model, 2, cut=True))
        constraints = TreeConstraints(model, tree.data)
        found = new_stepper(tree, Drives(model, tree), constraints, 1.0, "generalized-alpha", 0.8, 1e-9)
        assert isinstance(found, Implicit)
        assert found._compiled is not None
        if not compiled:
            found._compiled = found._closed = None
        out.append(found)
    return out


def test_the_compiled_iteration_takes_the_same_steps(model, rng) -> None:
    n = len(cs.FlexibleTree(model, modes=2).coordinates)
    q, v = 0.2 * rng.normal(size=n), rng.normal(size=n)
    q[-8:], v[-8:] = 0.0, 0.0  # modes
    ends: list[list[Point]] = []
    counts, errors = [], []
    for stepper in steppers(model):
        points = [stepper.start(0.0, q.copy(), v.copy())]
        for h in (1e-3, 1e-3, 2e-3, 5e-4):
            points.append(stepper.step(points[-1], h))
        ends.append(points)
        counts.append((stepper.residuals, stepper.factorizations))
        errors.append(stepper.error(points[-2], points[-1]))
    assert counts[0] == counts[1]
    for one, two in zip(*ends, strict=True):
        for name in ("q", "v", "a", "carried"):
            scale = np.abs(getattr(two, name)).max()
            np.testing.assert_allclose(getattr(one, name), getattr(two, name), atol=1e-9 * scale, rtol=1e-8)
    np.testing.assert_allclose(*errors, atol=1e-9 * np.abs(errors[0]).max())


def closed() -> cs.Model:
    """A crank, an elastic coupler and a rocker between driven and free joints; the second spherical joint is cut."""
    model = cs.Model("closed", gravity=(0, 0, -9.81))
    points = np.array([(0, 0, 0), (0, 0.4, 0.1), (1, 0.5, 0), (1.1, 0, 0.1)])
    crank = model.add(cs.RigidBody("crank", mass=1.0, com=points[:2].mean(axis=0), inertia=(0.02, 0.02, 0.02)))
    rocker = model.add(cs.RigidBody("rocker", mass=1.0, com=points[2:].mean(axis=0), inertia=(0.02, 0.02, 0.02)))
    rod = model.add(cs.Beam("rod", points=points[1:3], section=cs.Rod(0.02), material=cs.materials.STEEL, elements=3))
    model.add(cs.Spherical("A", cs.GROUND, crank.at(points[0]), motion=("0.1 * t**2", "t**2", "3 * t**2")))
    model.add(cs.Universal("B", crank.at(points[1]), rod.start, axes=((0, 0, 1), (0, 1, 0))))
    model.add(cs.Spherical("C", rod.end, rocker.at(points[2])))
    model.add(cs.Revolute("D", cs.GROUND, rocker.at(points[3]), axis=(0, 0, 1)))
    model.add(cs.Force("push", rocker, ("sin(20 * t)", "1", "0")))
    return model


def test_the_compiled_iteration_closes_loops_alike() -> None:
    ends, counts, errors = [], [], []
    for stepper in steppers(closed()):
        n = len(stepper.tree.coordinates)
        points = [stepper.start(0.0, np.zeros(n), np.zeros(n))]
        for h in (1e-3, 1e-3, 2e-3, 5e-4):
            points.append(stepper.step(points[-1], h))
        ends.append(points)
        counts.append((stepper.residuals, stepper.factorizations))
        errors.append(stepper.error(points[-2], points[-1]))
    assert counts[0] == counts[1]
    assert len(ends[0][-1].force) == 6  # three of the driven rotations, three of the joint that is cut
    for one, two in zip(*ends, strict=True):
        for name in ("q", "v", "a", "carried", "force"):
            scale = np.abs(getattr(two, name)).max()
            np.testing.assert_allclose(getattr(one, name), getattr(two, name), atol=1e-8 * scale, rtol=1e-7)
    np.testing.assert_allclose(*errors, atol=1e-7 * np.abs(errors[0]).max())


@pytest.mark.skipif(not COMPILED, reason="Python's own sine refuses what is infinite")
def test_what_is_not_finite_is_refused(model) -> None:
    for stepper in steppers(model):
        n = len(stepper.tree.coordinates)
        begin = stepper.start(0.0, np.zeros(n), np.zeros(n))
        with pytest.raises(StepFailure), np.errstate(all="ignore"):
            stepper.step(begin._replace(v=np.full(n, 1e200)), 1.0)
