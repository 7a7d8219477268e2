"""Places as objects and as text."""

import copy
import pickle

import numpy as np
import pytest

from cosserat.errors import ArgumentError, PlaceError
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody
from cosserat.model.forces import Spring
from cosserat.model.materials import STEEL
from cosserat.model.model import Model
from cosserat.model.parameters import Parameter
from cosserat.model.places import GROUND, Place
from cosserat.model.sections import Rod


@pytest.fixture
def model() -> Model:
    model = Model("m")
    model.add(RigidBody("hub", 1, com=(1, 2, 3), inertia=(1, 1, 1)))
    model.add(Beam("arm1", points=[(0, 0, 0), (2, 0, 0)], section=Rod(0.1), material=STEEL))
    return model


@pytest.mark.parametrize(
    "text, label, position",
    [
        ("arm1.start", "arm1.start", (0, 0, 0)),
        ("arm1.end", "arm1.end", (2, 0, 0)),
        ("arm1.at(0.25)", "arm1.at(0.25)", (0.5, 0, 0)),
        (" arm1 . at( 1 ) ", "arm1.end", (2, 0, 0)),
        ("hub", "hub", (1, 2, 3)),
        ("hub.at(4, 5.5, -6)", "hub.at(4, 5.5, -6)", (4, 5.5, -6)),
        ("ground", "ground", (0, 0, 0)),
        ("ground.at(1, 2, 3e-1)", "ground.at(1, 2, 0.3)", (1, 2, 0.3)),
    ],
)
def test_text(model: Model, text: str, label: str, position: tuple[float, ...]) -> None:
    place = model.place(text)
    assert place.label == str(place) == label
    assert model.place(label) == place
    np.testing.assert_allclose(place.position, position)
    assert place.frame().shape == (4, 4)


def test_objects(model: Model) -> None:
    hub, arm = model["hub"], model["arm1"]
    assert isinstance(hub, RigidBody)
    assert isinstance(arm, Beam)
    assert model.place(hub).owner is hub
    assert model.place(arm.end) == model.place("arm1.end")
    assert model.place(GROUND).on_ground
    assert GROUND.at((1, 2, 3)).point is not None
    assert hash(arm.end) == hash(model.place("arm1.end"))
    assert arm.end != arm.start
    assert arm.end != "arm1.end"
    assert repr(arm.end) == "<place 'arm1.end'>"


@pytest.mark.parametrize(
    "target, message",
    [
        ("arm1.tpi", "unknown frame 'arm1.tpi'; frames of 'arm1': 'start', 'end', 'at(s)'"),
        ("arm1", "unknown frame 'arm1'; frames of 'arm1'"),
        ("arm1.at(1, 2)", "unknown frame 'arm1.at(1, 2)'"),
        ("arm1.at(x)", "cannot read the numbers in 'arm1.at(x)'"),
        ("arm1.at(1.5)", "beam 'arm1': at(1.5) is not on the beam"),
        ("arm2.end", "unknown body 'arm2' in the place 'arm2.end'; bodies of the model: 'hub', 'arm1', 'ground'"),
        ("hub.com", "unknown frame 'hub.com'; frames of 'hub': 'hub' (its centre of mass), 'hub.at(x, y, z)'"),
        ("hub.at(1)", "unknown frame 'hub.at(1)'"),
        ("ground.start", "unknown frame 'ground.start'; frames of 'ground': 'ground', 'ground.at(x, y, z)'"),
        ("", "unknown body ''"),
        ("a.b.c", "unknown body 'a.b.c'"),
        (3, "3 is not a place"),
        (None, "None is not a place"),
    ],
)
def test_unknown(model: Model, target: object, message: str) -> None:
    with pytest.raises(PlaceError) as caught:
        model.place(target)
    assert message in str(caught.value)


def test_bad_points(model: Model) -> None:
    hub, arm = model["hub"], model["arm1"]
    assert isinstance(hub, RigidBody)
    assert isinstance(arm, Beam)
    with pytest.raises(ArgumentError, match="body 'hub': at must be 3 numbers"):
        hub.at((1, 2))
    with pytest.raises(ArgumentError, match="ground: at contains nan"):
        GROUND.at((1, 2, np.nan))
    for s in (-0.1, 1.1, np.nan, "half"):
        with pytest.raises(PlaceError, match="is not on the beam; s runs from 0"):
            arm.at(s)  # type: ignore[arg-type]


def test_parameters_move_places(model: Model) -> None:
    L = Parameter("L", 0.5)
    hub, arm = model["hub"], model["arm1"]
    assert isinstance(hub, RigidBody)
    assert isinstance(arm, Beam)
    places = [hub.at((2 * L, 0, 0)), GROUND.at((L, 0, 0)), arm.at(L)]
    spring = model.add(Spring("s", places[0], places[2], stiffness=1))
    assert [p.position[0] for p in places] == [1.0, 0.5, 1.0]
    model.set(L=1.0)
    assert [p.position[0] for p in places] == [2.0, 1.0, 2.0]
    assert spring.a.label == "hub.at(2.0 * L, 0, 0)"
    assert model.place("hub.at(2.0 * L, 0, 0)") == spring.a
    twin = model.copy()
    twin.set(L=0.25)
    assert twin.springs[0].a.position[0] == 0.5
    assert spring.a.position[0] == 2.0
    L.value = 3.0
    with pytest.raises(PlaceError, match="is not on the beam"):
        model.validate()


def test_there_is_one_ground() -> None:
    assert copy.deepcopy(GROUND) is GROUND
    assert copy.copy(GROUND) is GROUND
    assert pickle.loads(pickle.dumps(GROUND)) is GROUND
    assert repr(GROUND) == "GROUND"
    assert Place(GROUND) == Place(GROUND)
