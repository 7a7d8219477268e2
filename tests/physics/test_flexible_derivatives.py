"""Derivatives of the dynamics of flexible trees: against differences on the manifold, and against rigid trees."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs

SECTION = cs.Rectangle(width=0.02, height=0.03)
ALLOY = cs.materials.ALUMINIUM_6061


def arm(joint: str = "revolute", forces: bool = False) -> cs.Model:
    """Two beams and a free modal body: interfaces that move on both sides of joints."""
    model = cs.Model("arm", gravity=(0.3, -0.2, -9.81))
    beam = {"section": SECTION, "material": ALLOY, "elements": 4}
    one = model.add(cs.Beam("one", points=[(0, 0, 0), (0.5, 0, 0)], **beam))
    two = model.add(cs.modal_body(cs.Beam("two", points=[(0.5, 0, 0), (1, 0, 0)], **beam), modes=2, boundary="free"))
    load = model.add(cs.RigidBody.sphere("load", diameter=0.1, mass=0.4, com=(0.25, 0.1, 0)))
    model.add(cs.Fixed("weld", one.at(0.5), load.at((0.25, 0, 0))))
    some = {"stiffness": 2.0, "damping": 0.3} if forces else {}
    model.add(cs.Revolute("base", cs.GROUND, one.start, axis=(0, 1, 1), friction=cs.Friction(0.4, 0.5), **some))
    if joint == "revolute":
        model.add(cs.Revolute("middle", two.at("start"), one.end, axis=(1, 0.2, 0), **some))
    elif joint == "spherical":
        model.add(cs.Spherical("middle", two.at("start"), one.end, **some))
    else:
        model.add(cs.Free("middle", one.end, two.at("start"), **({"stiffness": 6 * (2.0,)} if forces else {})))
    if forces:
        model.add(cs.Force("push", one.end, (1.0, -2.0, 3.0)))
        model.add(cs.Wrench("pull", two.at("end"), (1.0, -2.0, 3.0, 0.1, 0.2, 0.3), follower=True))
        model.add(cs.DistributedLoad("weight", one, force=(0, 0, -3.0), moment=(0.1, 0.2, 0.3)))
        model.add(cs.DistributedLoad("wind", one, force=(1.0, 2.0, 3.0), follower=True))
        model.add(cs.Spring("line", two.at("end"), cs.GROUND.at((0, 1, 0)), stiffness=30.0, damping=2.0))
        model.add(cs.Spring("stay", one.at(0.5), two.at("end"), stiffness=20.0, damping=1.0, length=0.2))
        routed = [cs.GROUND.at((0, 0, 1)), one.at(0.5), two.at("end"), one.end]
        options = {"stiffness": 10.0, "damping": 1.0, "tension": 2.0, "offset": (0.02, -0.03, 0.01)}
        model.add(cs.Tendon("tendon", routed, **options))
    return model


def scales(tree: cs.FlexibleTree) -> np.ndarray:
    """How far each coordinate moves: modes the less the stiffer they are."""
    out = np.ones(len(tree.coordinates))
    for body in tree.modal_bodies.values():
        k = tree.coordinates.index(f"{body.name}.mode1")
        out[k : k + body.n_modes] = 0.1 / (2 * np.pi * body.frequencies)
    return out


def difference(function, n: int, steps: np.ndarray) -> np.ndarray:
    """Central differences of fourth order, column by column."""
    columns = []
    for k in range(n):
        e = np.eye(n)[k] * steps[k]
        columns.append((8 * (function(e) - function(-e)) - (function(2 * e) - function(-2 * e))) / (12 * steps[k]))
    return np.stack(columns, axis=1)


def assert_close(found: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    """Relative to the largest entry of every column."""
    size = np.abs(expected).max(axis=0)
    assert (np.abs(found - expected).max(axis=0) <= tolerance * size + 1e-12 * size.max()).all()


@pytest.mark.parametrize("forces", [False, True])
@pytest.mark.parametrize("joint", ["revolute", "spherical", "free"])
def test_inverse_dynamics_derivatives(rng, joint: str, forces: bool) -> None:
    tree = cs.FlexibleTree(arm(joint, forces), modes=1)
    n, size = len(tree.coordinates), scales(tree)
    q, v, a = rng.normal(size=n) * 0.6 * size, rng.normal(size=n) * np.minimum(1.0, 40 * size), rng.normal(size=n)
    found = tree.inverse_dynamics_derivatives(q, v, a)
    by_q = difference(lambda d: tree.inverse_dynamics(tree.moved(q, d), v, a), n, 1e-3 * size)
    by_v = difference(lambda d: tree.inverse_dynamics(q, v + d, a), n, np.full(n, 1e-2))
    assert_close(found.dq, by_q, 1e-8)
    assert_close(found.dv, by_v, 1e-8)
    assert np.array_equal(found.da, tree.mass_matrix(q))


def test_forward_dynamics_derivatives(rng) -> None:
    tree = cs.FlexibleTree(arm("spherical", True), modes=1)
    n, size = len(tree.coordinates), scales(tree)
    q, v, tau = rng.normal(size=n) * 0.6 * size, rng.normal(size=n) * np.minimum(1.0, 40 * size), rng.normal(size=n)
    found = tree.forward_dynamics_derivatives(q, v, tau)
    assert np.array_equal(found.a, tree.forward_dynamics(q, v, tau))
    by_q = difference(lambda d: tree.forward_dynamics(tree.moved(q, d), v, tau), n, 1e-3 * size)
    by_v = difference(lambda d: tree.forward_dynamics(q, v + d, tau), n, np.full(n, 1e-2))
    assert_close(found.dq, by_q, 1e-7)
    assert_close(found.dv, by_v, 1e-7)
    assert_close(found.dtau @ tree.mass_matrix(q), np.eye(n), 1e-6)


@pytest.mark.parametrize("turned", [False, True])
def test_rigid_trees_give_what_the_rigid_recursion_gives(zoo, rng, turned: bool) -> None:
    """All ten joints, springs, dampers, friction, loads."""
    model = zoo(forces=True, turned=turned)
    rigid, tree = cs.Tree(model), cs.FlexibleTree(model)
    q, v, a = (rng.normal(size=len(tree.coordinates)) * 0.6 for _ in range(3))
    pairs = [
        *zip(tree.inverse_dynamics_derivatives(q, v, a), rigid.inverse_dynamics_derivatives(q, v, a), strict=True),
        *zip(tree.forward_dynamics_derivatives(q, v, a), rigid.forward_dynamics_derivatives(q, v, a), strict=True),
    ]
    for found, expected in pairs:
        assert np.abs(found - expected).max() < 1e-11 * np.abs(expected).max()


def test_functions_of_a_model(rng) -> None:
    """With beams and modal bodies the functions take modes= and give what the tree gives."""
    model = arm("spherical", True)
    tree = cs.FlexibleTree(model, modes=1)
    n, size = len(tree.coordinates), scales(tree)
    q, v, a = rng.normal(size=(3, n)) * 0.3 * size
    tau = cs.inverse_dynamics(model, q, v, a, modes=1)
    assert np.array_equal(tau, tree.inverse_dynamics(q, v, a))
    assert np.array_equal(cs.forward_dynamics(model, q, v, tau, modes=1), tree.forward_dynamics(q, v, tau))
    assert np.array_equal(cs.mass_matrix(model, q, modes=1), tree.mass_matrix(q))
    assert np.array_equal(cs.bias(model, q, v, modes=1), tree.bias(q, v))
    assert np.array_equal(cs.gravity_forces(model, q, modes=1), tree.gravity_forces(q))
    assert np.array_equal(cs.jacobian(model, "two.end", q, modes=1), tree.jacobian("two.end", q))
    assert cs.energy(model, q, v, modes=1) == tree.energy(q, v)
    found = cs.inverse_dynamics_derivatives(model, q, v, a, modes=1)
    assert np.array_equal(found.dq, tree.inverse_dynamics_derivatives(q, v, a).dq)
    assert np.array_equal(
        cs.forward_dynamics_derivatives(model, q, v, a, modes=1).dv, tree.forward_dynamics_derivatives(q, v, a).dv
    )
    stack = cs.inverse_dynamics(model, np.stack((q, 0 * q)), v, a, modes=1)
    assert np.array_equal(stack[0], tau)
    many = cs.inverse_dynamics_derivatives(model, np.stack((q, 0 * q)), v, a, modes=1)
    assert np.array_equal(many.dq[0], found.dq)
    out = np.empty(n)
    assert cs.inverse_dynamics(model, q, v, a, out, modes=1) is out
    assert len(cs.mass_matrix(model, np.zeros(n + 1), modes=2)) == n + 1  # another number of modes
    assert tree.coordinates[: len(model.coordinates)] == model.coordinates
