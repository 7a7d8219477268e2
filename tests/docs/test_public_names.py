"""Every public name has an example in its docstring, run as a doctest; what is shown is meant for users."""

from __future__ import annotations

import inspect

import pytest

import cosserat as cs


def document(name: str) -> str:
    thing = getattr(cs, name)
    plain = inspect.ismodule(thing) or inspect.isclass(thing) or inspect.isroutine(thing)
    return (thing.__doc__ if plain else type(thing).__doc__) or ""


@pytest.mark.parametrize("name", cs.__all__)
def test_every_public_name_has_an_example(name):
    assert ">>>" in document(name)


@pytest.mark.parametrize("name", [n for n in cs.__all__ if inspect.isfunction(getattr(cs, n))])
def test_functions_answer_unknown_arguments(name):
    with pytest.raises(cs.CosseratError, match=r"(unknown argument 'nonsense'|missing).*accepted arguments: "):
        getattr(cs, name)(nonsense=1)


def test_materials_show_materials_only():
    shown = dir(cs.materials)
    assert "STEEL" in shown
    assert all(isinstance(getattr(cs.materials, name), (cs.Material, type)) for name in shown)
    assert [name for name in shown if isinstance(getattr(cs.materials, name), type)] == ["Material"]


def test_runs_show_what_is_meant_for_users():
    model = cs.Model("fall", gravity=(0, 0, -9.81))
    model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0))
    run = cs.simulate(model, duration=0.02, step=0.01)
    names = [name for name in dir(run) if not name.startswith("_")]
    assert {"position", "data", "save", "status"} <= set(names)
    assert not {"motion", "monitors", "trajectory", "of_motion", "floating"} & set(names)
    assert all((getattr(type(run), name).__doc__ or "").strip() for name in names if hasattr(type(run), name))
