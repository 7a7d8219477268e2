"""Fields: what a class declares about its arguments is read, checked and shown from there."""

import inspect

import pytest

import cosserat as cs
from cosserat.model.records import Component, PlaceField, Record, Scalar, number, optional_vector, recorded, unit_vector


class Pump(Component):
    """A component that declares all that it has."""

    word = "pump"
    place = PlaceField[cs.Place]("Where it stands.")
    power = Scalar("(W).", positive=True)
    axis = unit_vector("Of its shaft.")
    offset = optional_vector("From its place.")
    _gain = number(nonnegative=True)

    @recorded
    def __init__(self, name, place, power, axis=(0, 0, 2), offset=None, gain=1.0):
        super().__init__(name)


def test_fields_read_what_was_given():
    P = cs.Parameter("P", 3.0)
    pump = Pump("p", "hub", 2 * P)
    assert pump.power == 6.0
    assert pump.axis.tolist() == [0.0, 0.0, 1.0]
    assert pump.offset is None
    assert pump._gain == 1.0
    P.value = 4.0
    assert pump.power == 8.0
    assert [p.name for p in pump.parameters()] == ["P"]
    assert pump.as_given("power").resolve() == 8.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"power": 0.0}, "pump 'p': power is 0; it must be greater than 0"),
        ({"axis": (0, 0, 0)}, "pump 'p': axis has norm 0"),
        ({"offset": (1, 2)}, "pump 'p': offset must be 3 numbers"),
        ({"gain": -1.0}, "pump 'p': gain is -1; it must not be negative"),
        ({"place": 7}, "pump 'p': place: 7 is not a place"),
    ],
)
def test_fields_are_checked_with_the_record(change, message):
    with pytest.raises(cs.CosseratError) as error:
        Pump(**{"name": "p", "place": "hub", "power": 1.0, **change})
    assert message in str(error.value)


def test_a_value_that_a_parameter_takes_later_is_checked_again():
    P = cs.Parameter("P", 3.0)
    pump = Pump("p", "hub", P)
    P.value = -1.0
    with pytest.raises(cs.CosseratError, match="power is -1"):
        pump.check()


def test_places_are_text_until_a_model_knows_them():
    pump = Pump("p", "hub", 1.0)
    with pytest.raises(cs.CosseratError, match="place 'hub' is text; add the pump to a model first"):
        _ = pump.place
    model = cs.Model("m")
    hub = model.add(cs.RigidBody.sphere("hub", diameter=0.1, mass=1.0))
    model.add(pump)
    assert pump.place.owner is hub
    assert pump.places == (pump.place,)
    assert pump.owners == (hub,)
    assert pump == Pump("p", hub, 1.0)


def test_fields_are_documented_and_cannot_be_set():
    assert inspect.getdoc(Pump.power) == "(W)."
    assert inspect.isdatadescriptor(Pump.power)
    with pytest.raises(AttributeError, match="'power' of 'Pump' objects cannot be set"):
        Pump("p", "hub", 1.0).power = 2.0
    with pytest.raises(AttributeError):
        cs.materials.STEEL.E = 1.0
    with pytest.raises(AttributeError):
        cs.Model("m").bodies = ()


def test_derived_classes_check_the_fields_of_all_their_bases_once():
    class Strong(Record):
        word = "part"
        size = Scalar(positive=True)

        @recorded
        def __init__(self, size):
            pass

    class Stronger(Strong):
        size = Scalar(nonnegative=True)  # in the place of the first
        weight = Scalar(absent=2.0)

        @recorded
        def __init__(self, size):
            pass

    assert [field.name for field in Stronger.given_fields] == ["size", "weight"]
    assert (Stronger(0.0).size, Stronger(0.0).weight) == (0.0, 2.0)
    with pytest.raises(cs.CosseratError):
        Strong(0.0)
