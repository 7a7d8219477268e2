"""Hybrid dynamics: what is refused, and with which words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cosserat as cs


@pytest.fixture
def model() -> cs.Model:
    model = cs.Model("swimmer")
    bodies = [model.add(cs.RigidBody.box(f"b{i}", (1, 1, 1), mass=1.0, com=(2.0 * i, 0, 0))) for i in range(4)]
    model.add(cs.Revolute("hip", bodies[0], bodies[1], axis=(0, 0, 1), at=(1, 0, 0)))
    model.add(cs.Spherical("neck", bodies[1], bodies[2], at=(3, 0, 0)))
    model.add(cs.Revolute("tail", bodies[2], bodies[3], axis=(0, 0, 1), at=(5, 0, 0), motion="sin(t)"))
    return model


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"motions": {"hip": 1.0}, "efforts": {"hip": 2.0}}, "'hip' has both a motion and an effort.*never both"),
        ({"efforts": {"tail": 2.0}}, "'tail' has both a motion and an effort"),
        ({"motions": {"knee": 1.0}}, "motions names 'knee'; joints, free bases and coordinates: b0, b0.rx"),
        ({"efforts": {"knee": 1.0}}, "efforts names 'knee'"),
        ({"motions": {"neck": 1.0}}, r"motions\['neck'\] is 1.0; expected 3 finite"),
        ({"motions": {"hip": "fast"}}, r"motions\['hip'\] is 'fast'; expected 1 finite"),
        ({"motions": {"hip": np.nan}}, r"motions\['hip'\] is nan"),
        ({"motions": [1.0]}, r"motions is \[1.0\]; pass a dict"),
        ({"motions": {"neck.rx": 1.0}}, "joint 'neck' is given a motion in some of its freedoms.*all of them, or in"),
        ({"motions": {"b0.x": 1.0}}, "body 'b0' is given a motion in some of its freedoms"),
        ({"motions": {"b0": np.zeros(6), "b0.x": 1.0}}, "the same freedom twice, by 'b0' and by 'b0.x'"),
        ({"wrenches": {"b1": (1, 2, 3)}}, r"the wrench at 'b1' is \(1, 2, 3\); expected 6 finite"),
        ({"wrenches": {"b7": np.zeros(6)}}, "b7"),
        ({"wrenches": {"ground": np.zeros(6)}}, "at 'ground', which is fixed to the ground"),
        ({"wrenches": np.zeros(6)}, "wrenches is .*; pass a dict by places"),
        ({"t": np.nan}, "t is nan"),
    ],
)
def test_refused(model: cs.Model, given: dict[str, Any], words: str) -> None:
    with pytest.raises(cs.CosseratError, match=words):
        cs.hybrid_dynamics(model, np.zeros(11), np.zeros(11), **given)


def test_states(model: cs.Model) -> None:
    with pytest.raises(
        cs.CosseratError, match=r"hybrid_dynamics: v has the shape \(3,\); expected one number for each"
    ):
        cs.hybrid_dynamics(model, np.zeros(11), np.zeros(3))


def test_motions_of_rotation_vectors() -> None:
    model = cs.Model("ball")
    body = model.add(cs.RigidBody.box("body", (1, 1, 1), mass=1.0))
    model.add(cs.Spherical("ball", cs.GROUND, body, at=(0, 0, 0), motion=("t", 0, 0)))
    with pytest.raises(cs.CosseratError, match=r"joint 'ball' has a motion in the model.*motions=\{'ball': "):
        cs.hybrid_dynamics(model, np.zeros(3), np.zeros(3))
    found = cs.hybrid_dynamics(model, np.zeros(3), np.zeros(3), motions={"ball": (1.0, 0, 0)})
    assert found.efforts["ball.rx"] == pytest.approx(1 / 6)


def test_loops(model: cs.Model) -> None:
    """The joint where a loop is cut has no coordinates, and motions must not open it."""
    model.add(cs.Spherical("loop", model["b0"], model["b3"], at=(3, 1, 0)))
    for given in ("motions", "efforts"):
        for name in ("loop", "loop.rx"):
            with pytest.raises(cs.CosseratError, match=f"{given} names '{name}', the joint where a closed loop is cut"):
                cs.hybrid_dynamics(model, np.zeros(11), np.zeros(11), **{given: {name: 1.0}})
    with pytest.raises(cs.CosseratError, match=r"would open the loop at joint 'loop', by .*; give motions to fewer"):
        cs.hybrid_dynamics(model, np.zeros(11), np.zeros(11), {"hip": 1.0, "neck": np.zeros(3)})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"driven": np.eye(11)[1]}, "joint 'neck' is given a motion in some of its freedoms"),
        ({"driven": np.eye(11)[-1]}, "body 'b0' is given a motion in some of its freedoms"),
        ({"driven": np.full(11, 0.5)}, "driven has the values {0.5}; expected 0 or 1 for each of the 11"),
        ({"driven": np.zeros(3)}, r"driven has the shape \(3,\)"),
        ({"driven": np.zeros((2, 11))}, r"driven has the shape \(2, 11\); expected 0 or 1"),
        ({"given": np.full(11, np.nan)}, r"given\[0\] .* is nan"),
        ({"given": np.full((3, 11), np.nan)}, r"given\[0, 0\] .* is nan"),
        ({"wrenches": np.zeros((4, 3))}, "wrenches must be finite numbers .*, one row of six for each link"),
        ({"wrenches": "pull"}, "wrenches must be finite numbers"),
        ({"out": np.empty(11)}, "out must be 2 arrays to write into, got a ndarray"),
        ({"out": (np.empty(11), np.empty(3))}, "out is an array .*; expected a writable"),
        ({"q": np.zeros((3, 11)), "threads": 0}, "threads is 0"),
    ],
)
def test_plain_arrays_refused(model: cs.Model, given: dict[str, Any], words: str) -> None:
    usual = {"q": np.zeros(11), "v": np.zeros(11), "driven": np.zeros(11), "given": np.zeros(11)}
    with pytest.raises(cs.CosseratError, match=f"hybrid_dynamics: .*({words})"):
        cs.Tree(model).hybrid_dynamics(**usual | given)
