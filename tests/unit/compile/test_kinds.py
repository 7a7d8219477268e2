"""Kinds of what acts on nodes: those in use are packed in the shapes that the groups say, others are empty."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.compile.build import KINDS, compile_model
from cosserat.kernels.arrays import zeros


def busy() -> cs.Model:
    """A model with something of every kind."""
    model = cs.Model("busy", gravity=(0, 0, -9.81))
    stiff = "500*(e1**2 + e2**2 + e3**2) + 3*(k1**2 + k2**2 + k3**2) + 40*e1**4"
    light = "(v1**2 + v2**2 + v3**2)/2 + (w1**2 + w2**2 + w3**2)/200"
    rod = model.add(cs.Beam("rod", points=[(0, 0, 2), (1, 0, 2)], medium=cs.Medium(light, stiff), elements=3))
    model.add(cs.Fixed("root", cs.GROUND, rod.start))
    model.add(cs.DistributedLoad("wind", rod, force=(0, 1, 0), follower=True))
    coin = model.add(cs.RigidBody("coin", mass=0.1, com=(0, 0, 0.5), inertia=(6e-3, 12e-3, 6e-3)))
    model.add(cs.RollingDisc("wheel", coin, radius=0.5, axis=(0, 1, 0)))
    model.add(cs.Constraint("line", coin, ["y"]))
    model.add(cs.Spring("spring", coin, rod.end, stiffness=10.0))
    model.add(cs.Tendon("cable", [coin, rod.end, rod.at(1 / 3)], stiffness=10.0))
    model.add(cs.Force("push", rod.end, (0, 0, 1)))
    law = {"fx": "-c*vx", "lag": "vx - lag"}
    model.add(cs.StateLoad("water", coin, lambda t, frame, twist, rate, p: -(1.0 + frame[2, 3] ** 2) * rate))
    model.add(cs.StateLoad("drag", coin, law, parameters={"c": 0.1}, states={"lag": 0.0}))
    return model


def of_kind(system, kind):
    return getattr(system, kind.name)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_groups_have_the_types_and_shapes_of_their_annotations(kind):
    used, unused = (of_kind(compile_model(model).system, kind) for model in (busy(), _ball()))
    assert type(used) is type(unused) is kind.group
    for group, rows in ((used, 1), (unused, 0)):
        sizes: dict[str, int] = {}
        for name, array in group._asdict().items():
            (dtype, ndim), *shape = kind.group.__annotations__[name].__metadata__
            assert array.dtype == dtype
            assert array.ndim == ndim == len(shape)
            assert array.flags.c_contiguous
            for extent, wanted in zip(array.shape, shape, strict=True):
                assert extent == (wanted if isinstance(wanted, int) else sizes.setdefault(wanted, extent))
        assert min(len(array) for name, array in group._asdict().items() if name != "signal") >= rows
        assert not rows or any(len(array) for array in group)
    assert all(a.shape == b.shape for a, b in zip(unused, zeros(kind.group), strict=True))


def _ball() -> cs.Model:
    model = cs.Model("ball")
    model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0))
    model.gravity = (0, 0, -9.81)
    return model


def test_blocks_are_those_of_the_nodes_that_are_coupled():
    compiled = compile_model(busy())
    system, blocks = compiled.system, [tuple(pair) for pair in compiled.blocks.tolist()]
    node = compiled.bodies["coin"]
    wheel = compiled.n_nodes + compiled.n_joints
    assert [blocks[k] for k in system.rolling.block[0]] == [(node, node), (node, wheel), (wheel, node), (wheel, wheel)]
    lines = system.springs
    for k in range(2):
        nodes = lines.node[lines.start[k] : lines.start[k + 1]]
        found = [blocks[number] for number in lines.block[lines.corner[k] : lines.corner[k + 1]]]
        assert found == [(a, b) for a in nodes for b in nodes]
    assert [blocks[k] for k in system.rules.block[0][[3, 8]]] == [(node, node), (wheel + 1, wheel + 1)]
    assert np.all(system.rules.block[0][[0, 1, 2, 4, 5]] == len(blocks))  # of the ground, where nothing is kept
