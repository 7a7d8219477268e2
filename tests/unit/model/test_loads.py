"""Loads, springs and dampers."""

import math
from typing import Any

import numpy as np
import pytest

from cosserat.errors import CosseratError, ModelError
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody
from cosserat.model.forces import Damper, Spring
from cosserat.model.loads import DistributedLoad, Force, Torque, Wrench
from cosserat.model.materials import STEEL
from cosserat.model.parameters import Parameter
from cosserat.model.places import GROUND
from cosserat.model.sections import Rod

BEAM = Beam("arm", points=[(0, 0, 0), (2, 0, 0)], section=Rod(0.1), material=STEEL)
HUB = RigidBody("hub", 1, com=(0, 3, 0), inertia=(1, 1, 1))


def test_force_and_torque() -> None:
    P = Parameter("P", 2.0)
    force = Force("f", BEAM.end, (0, P, -2 * P), follower=True)
    assert force.force is not None
    assert force.moment is None
    assert force.follower
    assert force.force.sample([0.0]).tolist() == [[0, 2, -4]]
    assert list(force.parameters()) == [P]
    torque = Torque("m", BEAM.end, lambda t: (t, 0, 0))
    assert torque.force is None
    assert torque.moment is not None
    assert not torque.follower
    assert torque.moment.sample([3.0]).tolist() == [[3, 0, 0]]


@pytest.mark.parametrize(
    "arguments",
    [
        {"vector": (1, 2, 3, 4, 5, "6*t")},
        {"vector": np.array([1, 2, 3, 4, 5, 6])},
        {"vector": lambda t: (1, 2, 3, 4, 5, 6 * t)},
        {"vector": (1, 2, 3), "moment": (4, 5, 6)},
        {"force": (1, 2, 3), "moment": lambda t: (4, 5, 6 * t)},
    ],
)
def test_wrench(arguments: dict[str, Any]) -> None:
    wrench = Wrench("w", HUB, **arguments)
    assert wrench.force is not None
    assert wrench.moment is not None
    assert wrench.force.sample([1.0]).tolist() == [[1, 2, 3]]
    assert wrench.moment.sample([1.0]).tolist() == [[4, 5, 6]]


def test_partial_wrenches() -> None:
    assert Wrench("w", HUB, (1, 2, 3)).moment is None
    assert Wrench("w", HUB, moment=(1, 2, 3)).force is None


def test_distributed() -> None:
    load = DistributedLoad("q", BEAM, force=(0, 0, "-t"))
    assert load.beam is BEAM
    assert load.moment is None
    assert load.force is not None
    assert load.force.sample([2.0]).tolist() == [[0, 0, -2]]
    with pytest.raises(ModelError, match="load 'q': beam 'arm' is text"):
        _ = DistributedLoad("q", "arm", force=(0, 0, 1)).beam


def test_springs() -> None:
    k = Parameter("k", 5.0)
    spring = Spring("s", GROUND, HUB, stiffness=k, damping=0.1)
    assert (spring.stiffness, spring.damping, spring.length) == (5.0, 0.1, 3.0)
    assert Spring("s", GROUND, HUB, stiffness=k, length=1).length == 1.0
    damper = Damper("d", BEAM.end, HUB, damping=4)
    assert (damper.stiffness, damper.damping, damper.length) == (0.0, 4.0, pytest.approx(math.sqrt(13)))
    assert damper.a.owner is BEAM
    assert damper.b.owner is HUB
    with pytest.raises(ModelError, match="spring 's': a 'hub' is text; add the spring to a model first"):
        _ = Spring("s", "hub", GROUND, stiffness=1).a


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Force("f", BEAM, (1, 2, 3)), "load 'f': place: 'arm' is not one place; say where"),
        (lambda: Force("f", BEAM.end, (1, 2)), "load 'f': vector must be 3 numbers .*got 2 entries"),
        (lambda: Force("f", BEAM.end, (1, 2, math.nan)), "load 'f': vector, component z is nan"),
        (lambda: Force("f", BEAM.end, (1, 2, 3), follower=1), "load 'f': follower must be True or False"),
        (lambda: Force("f", BEAM.end, (1, 2, 3), dead=True), "Force 'f': unknown argument 'dead'"),
        (lambda: Wrench("w", HUB), "load 'w': give a vector of six"),
        (lambda: Wrench("w", HUB, (1, 2, 3), force=(1, 2, 3)), "load 'w': vector and force are both given"),
        (lambda: Wrench("w", HUB, lambda t: 1 / 0), "load 'w': vector: the function failed at t = 0"),
        (lambda: DistributedLoad("q", HUB, force=(0, 0, 1)), "load 'q': beam must be a Beam"),
        (lambda: DistributedLoad("q", BEAM), "load 'q': give force=, moment= or both"),
        (lambda: Spring("s", GROUND, HUB, stiffness=0), "spring 's': stiffness is 0"),
        (lambda: Spring("s", GROUND, HUB, stiffness=1, length=-1), "spring 's': length is -1"),
        (lambda: Damper("d", GROUND, HUB, damping=-1), "damper 'd': damping is -1"),
        (lambda: Spring("s", 3, HUB, stiffness=1), "spring 's': a: 3 is not a place"),
    ],
)
def test_bad_loads(make: Any, message: str) -> None:
    with pytest.raises(CosseratError, match=message):
        make()
