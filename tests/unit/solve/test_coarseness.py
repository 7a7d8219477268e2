"""Meshes too coarse for the load are pointed out; large but resolved deformations are not."""

import re

import numpy as np
import pytest

import cosserat as cs


def cantilever(elements, force, stretch=1e8):
    model = cs.Model("cantilever")
    section = cs.Section(stiffness=[stretch, 1e8, 1e8, 10, 1, 1], mass=[1, 1, 1, 1e-9, 1e-9, 1e-9])
    beam = model.add(cs.Beam("strip", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=elements))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("load", beam.end, force))
    return model


def test_a_kink_sharper_than_an_element():
    """The strip hangs down from a bend of size sqrt(EI / F) = 0.01 m at the clamp, a twentieth of an element."""
    found = cs.equilibrium(cantilever(5, (0, 0, -1e4)))
    assert not found.status.ok
    reason = r"'strip': element \d of 5 is too long for its tension, 1\d times .* more elements"
    assert re.search(reason, found.status.message)


def test_a_kink_within_an_element_is_no_reason():
    """With a fifth of an element the shape is right to the size of the bend."""
    tip = cs.equilibrium(cantilever(20, (0, 0, -1e4))).position("strip.end")
    assert np.allclose(tip, (0.0142, 0, -0.9942), atol=5e-3)


def test_the_same_with_elements_short_enough():
    """Without a warning, which would be an error here; the bend is that of the elastica."""
    found = cs.equilibrium(cantilever(100, (0, 0, -1e4)))
    assert np.isclose(found.position("strip.end")[0], np.sqrt(2e-4), rtol=2e-3)  # EI (1 - 0) = F x^2 / 2


def test_large_stretch_and_rolling_up_are_no_reason():
    assert np.isclose(cs.equilibrium(cantilever(4, (50.0, 0, 0), stretch=100.0)).position("strip.end")[0], 1.5)
    model = cantilever(8, (0, 0, 0))
    model.add(cs.Torque("roll", "strip.end", (0, 0, 2 * np.pi)))
    assert np.allclose(cs.equilibrium(model).position("strip.end"), 0, atol=1e-6)


def rope(elements):
    """Hung from its pinned ends, and drawn as it hangs, nearly: sqrt(EI/N) is 1.2 mm."""
    model = cs.Model("rope", gravity=(0, 0, -9.81))
    section = cs.Section(stiffness=[1e5, 1e5, 1e5, 1e-5, 1e-5, 1e-5], mass=[1, 1, 1, 2e-8, 1e-8, 1e-8])
    beam = model.add(cs.Beam("rope", curve=("s", "0*s", "-0.8*s*(1 - s)"), section=section, elements=elements))
    model.add(cs.Universal("left", cs.GROUND, beam.start, axes=((0, 1, 0), (0, 0, 1))))
    model.add(cs.Spherical("right", cs.GROUND, beam.end))
    return model


def test_ropes_drawn_as_a_curve_straighten_too_far():
    """The warning tells the error of the sag within a factor of two; the elements that it asks for are enough."""
    fine = cs.equilibrium(rope(160)).position("rope.at(0.5)")[2]
    with pytest.warns(cs.CosseratWarning, match="'rope': element .* curved from the start") as told:
        coarse = cs.equilibrium(rope(20)).position("rope.at(0.5)")[2]
    error = coarse / fine - 1
    assert error > 0.05
    found = re.search(r"wrong by about (\d+) %; use (\d+) elements", str(told[0].message))
    assert 0.5 < float(found[1]) / (100 * error) < 2.0
    enough = cs.equilibrium(rope(int(found[2]))).position("rope.at(0.5)")[2]  # warnings are errors
    assert abs(enough / fine - 1) < 0.02


@pytest.mark.parametrize("given", [False, True])
def test_modes_of_such_ropes_are_told_of(given):
    """Once, whether the equilibrium is given or found on the way."""
    about = None
    if given:
        with pytest.warns(cs.CosseratWarning, match="equilibrium: beam 'rope': element"):
            about = cs.equilibrium(rope(20))
    with pytest.warns(cs.CosseratWarning) as told:
        coarse = cs.modes(rope(20) if about is None else about.model, 3, about=about).frequencies
    word = "modes" if given else "equilibrium"
    assert [str(w.message).startswith(f"{word}: beam 'rope': element") for w in told] == [True]
    assert np.abs(coarse / cs.modes(rope(80), 3).frequencies - 1).max() > 0.03
