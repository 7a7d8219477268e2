"""Arguments of `compare` that make no sense, and models it cannot take."""

import numpy as np
import pytest

import cosserat as cs


def arm(**joint) -> cs.Model:
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    section = cs.Rod(0.02)
    beam = model.add(
        cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=section, material=cs.materials.STEEL, elements=2)
    )
    model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0), **joint))
    return model


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"step": None}, "compare: both runs take steps of one length"),
        ({"step": -1.0}, "step is -1.0; pass a positive time"),
        ({"step": "x"}, "step is 'x'"),
        ({"duration": np.nan}, "duration is nan"),
        ({"duration": None}, "duration is None"),
        ({"modes": None}, "beam 'arm': pass modes="),
        ({"modes": -1}, "modes"),
        ({"modes": 2.5}, "modes"),
        ({"modes": {"leg": 2}}, "modes"),
        ({"boundary": "loose"}, "boundary is 'loose'"),
        ({"stiffening": "yes"}, "stiffening"),
        ({"places": ["arm.tip"]}, "arm.tip"),
        ({"places": 3}, "compare: places"),
        ({"checks": "no"}, "compare: checks is 'no'"),
        ({"rho": 2.0}, "rho is 2.0"),
        ({"every": 0}, "every is 0"),
        ({"start": "somewhere"}, "start"),
    ],
)
def test_nonsense(arguments, message) -> None:
    given = {"duration": 0.01, "step": 0.005, "modes": 2} | arguments
    with pytest.raises(cs.CosseratError) as error:
        cs.compare(arm(), **given)
    assert message in str(error.value)


def test_no_model() -> None:
    with pytest.raises(cs.CosseratError, match="compare: 3 is not a Model"):
        cs.compare(3, 1.0, 0.1)
    with pytest.raises(cs.CosseratError, match="it is empty"):
        cs.compare(cs.Model("nothing"), 1.0, 0.1)


def test_modal_bodies_have_no_finite_elements() -> None:
    model = cs.Model("blade")
    steel = cs.materials.STEEL
    beam = cs.Beam("blade", points=[(0, 0, 0), (2, 0, 0)], section=cs.Rod(0.02), material=steel, elements=4)
    blade = model.add(cs.modal_body(beam, modes=4))
    model.add(cs.Revolute("hub", cs.GROUND, blade.at("start"), axis=(0, 1, 0)))
    with pytest.raises(cs.CosseratError, match=r"compare: modal body 'blade': .* as a beam"):
        cs.compare(model, 0.01, 0.005)


def test_quantities_and_targets() -> None:
    both = cs.compare(arm(motion="t"), 0.01, 0.005, modes=2, checks=False, places="arm.end")
    assert list(both.places) == ["arm.end"]
    with pytest.raises(cs.CosseratError, match="unknown quantity 'colour'; known: position"):
        both.between("colour", "arm.end")
    with pytest.raises(cs.CosseratError, match=r"arm\.tip"):
        both.between("position", "arm.tip")
    with pytest.raises(cs.CosseratError, match="unknown quantity"):
        both.plot(quantity="colour")
