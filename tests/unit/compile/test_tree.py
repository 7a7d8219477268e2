"""Trees from models: which coordinates, which links, where loops are cut, how many equations are left."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs
from cosserat.compile.tree import compile_tree
from cosserat.compile.tree_forces import LinkTable
from cosserat.kernels.recursion import table as layout


def body(model: cs.Model, name: str, x: float = 0.0) -> cs.RigidBody:
    return model.add(cs.RigidBody(name, mass=1.0, com=(x, 0, 0), inertia=(0.1, 0.2, 0.2)))


def four_bar(driven: bool = False) -> cs.Model:
    model = cs.Model("four-bar")
    crank, rod, rocker = (body(model, name, i) for i, name in enumerate(("crank", "rod", "rocker")))
    model.add(cs.Revolute("a", cs.GROUND, crank.at((0, 0, 0)), axis=(0, 0, 1)))
    model.add(cs.Revolute("b", crank.at((0, 1, 0)), rod.at((0, 1, 0)), axis=(0, 0, 1)))
    model.add(cs.Revolute("c", rod.at((2, 1, 0)), rocker.at((2, 1, 0)), axis=(0, 0, 1)))
    motion = (lambda t: t) if driven else None
    model.add(cs.Revolute("d", cs.GROUND, rocker.at((2, 0, 0)), axis=(0, 0, 1), motion=motion))
    return model


def test_coordinates_follow_the_model(zoo) -> None:
    model = zoo()
    assert cs.Tree(model).coordinates == model.coordinates


def test_a_body_without_ground_has_a_free_base(zoo) -> None:
    model = zoo(free=True)
    names = cs.Tree(model).coordinates
    assert names[:-6] == model.coordinates
    assert names[-6:] == ("b0.x", "b0.y", "b0.z", "b0.rx", "b0.ry", "b0.rz")


def test_an_implied_free_base_is_a_free_joint(rng: np.random.Generator) -> None:
    """The same numbers as with a Free joint at the centre of mass."""
    trees = []
    for free in (True, False):
        model = cs.Model("satellite", gravity=(0, 0, -1))
        hub, arm = body(model, "hub", 0.3), body(model, "arm", 1.0)
        model.add(cs.Revolute("hinge", hub.at((0.5, 0, 0)), arm.at((0.5, 0, 0)), axis=(0, 1, 1)))
        if not free:
            model.add(cs.Free("base", cs.GROUND, hub))
        trees.append(cs.Tree(model))
    q, v, a = rng.normal(size=(3, 7))
    assert np.array_equal(trees[0].inverse_dynamics(q, v, a), trees[1].inverse_dynamics(q, v, a))


def test_fixed_bodies_become_one_link() -> None:
    model = cs.Model("welded", gravity=(0, -10, 0))
    a, b, post = body(model, "a", 1.0), body(model, "b", 2.0), body(model, "post")
    model.add(cs.Fixed("weld", a, b, at=(1.5, 0, 0)))
    model.add(cs.Fixed("foot", cs.GROUND, post, at=(0, 0, 0)))
    model.add(cs.Revolute("hinge", post.at((0, 0, 0)), a.at((0, 0, 0)), axis=(0, 0, 1)))
    data = compile_tree(model)
    assert len(data.links) == 1
    assert data.carrier == {"ground": -1, "a": 0, "b": 0, "post": -1}
    assert cs.gravity_forces(model, [0.0]) == pytest.approx([30.0])
    assert cs.mass_matrix(model, [0.0]) == pytest.approx(np.array([[0.4 + 1.0 + 4.0]]))
    assert cs.forward_kinematics(model, [np.pi / 2]).position("b") == pytest.approx([0, 2, 0])


@pytest.mark.parametrize(("driven", "cut"), [(False, "d"), (True, "c")])
def test_loops_are_cut_where_it_costs_least(driven: bool, cut: str) -> None:
    """The last joint of the loop among equals; a driven joint stays."""
    data = compile_tree(four_bar(driven), cut=True)
    (loop,) = data.loops
    assert loop.joint.name == cut
    assert {*loop.through, cut} == {"a", "b", "c", "d"}
    assert data.coordinates == tuple(name for name in "abcd" if name != cut)


def test_a_loop_is_cut_at_its_ball() -> None:
    model = four_bar()
    extra = body(model, "strut")
    model.add(cs.Spherical("ball", cs.GROUND, extra.at((0, 0, 1))))
    model.add(cs.Revolute("pin", extra.at((1, 0, 1)), model["crank"].at((1, 0, 1)), axis=(0, 0, 1)))
    assert {loop.joint.name for loop in compile_tree(model, cut=True).loops} == {"d", "ball"}


def test_rooms_for_modes_and_order() -> None:
    model = four_bar()
    data = compile_tree(model, cut=True)
    links = LinkTable(data)
    table = links.packed(model.gravity, False)
    assert [link.n_modes for link in data.links] == [0, 0, 0]
    assert table[layout.N_LINKS] == len(data.links)
    assert links.order[1].tolist() == [0, 0, 0]  # one chain: all freedoms up to the ground are consecutive
    assert links.order[2].tolist() == [-1, -1, -1]


def test_a_tree_is_made_anew_only_when_the_model_changes() -> None:
    from cosserat.solve.relative.recursion import any_tree

    m = cs.Parameter("m", 2.0)
    model = cs.Model("pendulum", gravity=(0, -10, 0))
    bob = model.add(cs.RigidBody("bob", mass=m, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 0, 1)))
    first = any_tree(model, 0.0, None, "bias")
    cs.Parameter("unrelated", 1.0)
    assert any_tree(model, 0.0, None, "bias") is first
    assert cs.gravity_forces(model, [0.0]) == pytest.approx([20.0])
    other = model.copy()
    model.set(m=3.0)
    assert cs.gravity_forces(model, [0.0]) == pytest.approx([30.0])
    assert cs.gravity_forces(other, [0.0]) == pytest.approx([20.0])
    model.gravity = (0, -1, 0)
    assert cs.gravity_forces(model, [0.0]) == pytest.approx([3.0])
    model.add(cs.Force("pull", bob, (0, 1, 0)))
    assert cs.bias(model, [0.0], [0.0]) == pytest.approx([2.0])
    model.add(cs.Torque("ramp", bob, lambda t: (0 * t, 0 * t, t)))
    assert cs.bias(model, [0.0], [0.0], t=0.5) == pytest.approx([1.5])
    assert cs.bias(model, [0.0], [0.0]) == pytest.approx([2.0])
