"""Slips of the first hour with the package: each is told, and what is harmless is taken."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import cosserat as cs
from cosserat.errors import CosseratWarning, ParameterError, PlaceError, SolveError

ALUMINIUM = cs.materials.ALUMINIUM_6061


def beam(outer: float = 0.03, inner: float = 0.027, points: object = ((0, 0, 0), (1, 0, 0))) -> cs.Beam:
    return cs.Beam("beam", points=points, section=cs.Tube(outer, inner), material=ALUMINIUM, elements=2)


def hinged(part: cs.Beam, **drive: object) -> cs.Model:
    model = cs.Model("arm")
    model.add(part)
    model.add(cs.Revolute("hinge", cs.GROUND, part.start, axis=(0, 0, 1), **drive))
    return model


def test_a_place_that_was_not_found_is_told_at_once() -> None:
    with pytest.raises(PlaceError, match="joint 'hinge': parent: None is not a place"):
        cs.Revolute("hinge", None, beam().start, axis=(0, 0, 1))
    with pytest.raises(PlaceError, match="load 'push': place: None is not a place"):
        cs.Force("push", None, (0, 0, 1))


def test_degrees_for_radians() -> None:
    with pytest.warns(CosseratWarning, match="holds 'rz' at 90 rad, which is more than a turn"):
        cs.simulate(hinged(beam(), motion=90), duration=0.01, step=0.005)
    for angle in (np.radians(90), 4 * np.pi):
        cs.simulate(hinged(beam(), motion=angle), duration=0.01, step=0.005)


def test_millimetres_for_metres() -> None:
    with pytest.warns(CosseratWarning, match="thicker than the beam of 1 m is long: are all sizes in metres?"):
        cs.simulate(hinged(beam(30, 27)), duration=0.01, step=0.005)


def test_labelled_arrays_are_taken_as_they_are_now() -> None:
    place = xr.DataArray([1.0, 2.0, 3.0], dims="axis")
    ball = cs.RigidBody("ball", mass=xr.DataArray(2.0), com=place, inertia=(1, 1, 1))
    place[0] = 5.0
    assert ball.mass == 2.0
    assert ball.com.tolist() == [1, 2, 3]
    assert repr(ball) == "RigidBody('ball', mass=2.0, com=(1.0, 2.0, 3.0), inertia=(1, 1, 1))"
    assert beam(points=xr.DataArray(np.eye(3)[:2])).length == pytest.approx(np.sqrt(2))
    assert cs.Force("push", ball, xr.DataArray([0.0, 0.0, 1.0])) == cs.Force("push", ball, (0.0, 0.0, 1.0))


def test_values_in_messages_stand_in_one_line() -> None:
    with pytest.raises(SolveError) as told:
        cs.simulate(hinged(beam()), duration=xr.DataArray(0.01), step=0.005)
    assert "\n" not in str(told.value)


def test_what_is_no_axes() -> None:
    with pytest.raises(SolveError, match="plot: ax is 3; pass axes of Matplotlib"):
        cs.simulate(hinged(beam()), duration=0.01, step=0.005).plot("beam.end", ax=3)


def test_slips_of_the_pen_in_attributes() -> None:
    model = hinged(beam())
    with pytest.raises(AttributeError, match="model 'arm' has no 'gravty'; did you mean 'gravity'"):
        model.gravty = (0, 0, -9.81)
    with pytest.raises(AttributeError, match="joint 'hinge' has no 'dampign'; did you mean 'damping'"):
        model["hinge"].dampign = 3.0
    with pytest.raises(AttributeError, match="joint 'hinge': 'motion' cannot be set; make a new joint"):
        model["hinge"].motion = lambda t: t
    with pytest.raises(AttributeError, match="beam 'beam': 'name' cannot be set; make a new beam"):
        model["beam"].name = "boom"
    with pytest.raises(AttributeError, match="cosserat") as error:
        cs.Bean  # noqa: B018
    assert error.value.name == "Bean"
    model.gravity = (0, 0, -1.0)
    assert model.gravity[2] == -1.0


def test_parameters_are_set_by_name() -> None:
    model = hinged(beam(), stiffness=cs.Parameter("k", 1.0))
    for given in (("k", 2.0), ({"k": 2.0},)):
        with pytest.raises(ParameterError, match=r"takes names, such as model.set\(P=3.0\) or model.set\(\*\*values"):
            model.set(*given)


def test_the_name_of_a_page_of_a_long_title(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system takes names of 255 bytes."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    model = cs.Model("x" * 300)
    model.add(cs.RigidBody("body", mass=1.0, inertia=(1, 1, 1), velocity=(1, 0, 0)))
    assert cs.simulate(model, duration=0.02, step=0.01).show(open=False).exists()


def test_durations_of_single_precision() -> None:
    """0.1 in single precision is a little more: no step is spent on that."""
    assert len(cs.simulate(hinged(beam()), duration=np.float32(0.1), step=0.01).time) == 11
