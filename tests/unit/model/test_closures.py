"""Functions that refer to parameters, directly or through others: found, copied with their own, compared by value."""

from __future__ import annotations

import functools
from typing import Any

import pytest

import cosserat as cs
from cosserat.model.closures import parameters_in, same_function


class Law:
    """A function with attributes."""

    def __init__(self, gain: Any) -> None:
        self.gain = gain
        self.table = {"gain": [gain]}

    def __call__(self, t: float) -> tuple[Any, ...]:
        return (self.gain * t, 0, self.table["gain"][0])

    def method(self, t: float) -> tuple[Any, ...]:
        return self(t)


def through_helper(P: Any) -> Any:
    def helper(t: float) -> Any:
        return P * t

    return lambda t: (helper(t), 0, P)


def through_itself(P: Any) -> Any:
    def ramp(t: float, depth: int = 3) -> Any:
        return P * t if depth == 0 else ramp(t, depth - 1)

    return lambda t: (ramp(t), 0, P)


def by_keyword(P: Any) -> Any:
    def force(t: float, *, gain: Any = P) -> Any:
        return (gain * t, 0, gain)

    return force


SOURCES = {
    "closure": lambda P: lambda t: (P * t, 0, P),
    "helper": through_helper,
    "recursion": through_itself,
    "keyword default": by_keyword,
    "container": lambda P: (lambda box: lambda t: (box["P"][0] * t, 0, box["P"][0]))({"P": [P]}),
    "object": Law,
    "bound method": lambda P: Law(P).method,
    "partial": lambda P: functools.partial(lambda gain, t: (gain * t, 0, gain), P),
    "attribute": lambda P: (lambda law: lambda t: (law.gain * t, 0, law.gain))(Law(P)),
}


def pushed(vector: Any) -> cs.Model:
    model = cs.Model("m")
    body = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0))
    model.add(cs.Force("push", body, vector))
    return model


def force(model: cs.Model, t: float = 2.0) -> list[float]:
    return model["push"].force.sample([t])[0].tolist()  # type: ignore[attr-defined]


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_parameters_are_found_and_copied(source: Any) -> None:
    P = cs.Parameter("P", 3.0)
    model = pushed(source(P))
    assert model.parameters == {"P": 3.0}
    assert list(parameters_in(source(P))) == [P]
    twin = model.copy()
    assert twin == model
    twin.set(P=5.0)
    assert twin != model
    assert (P.value, force(model), force(twin)) == (3.0, [6.0, 0.0, 3.0], [10.0, 0.0, 5.0])
    model.set(P=1.0)
    assert (force(model), force(twin)) == ([2.0, 0.0, 1.0], [10.0, 0.0, 5.0])


def test_closures_with_other_values_are_other_functions() -> None:
    P = cs.Parameter("P", 3.0)

    def build(size: Any, factor: Any = P) -> cs.Model:
        return pushed(lambda t: (factor * size, 0, 0))

    assert build(1.0) == build(1.0)
    assert build(1.0) != build(2.0)
    assert build(1.0, 2.0) == build(1.0, 2.0)
    assert build(1.0, 2.0) != build(1.0, 3.0)
    assert build(1.0, P) != build(1.0, 3.0)
    assert not same_function(Law(1.0), Law(2.0))
    assert same_function(Law(1.0), Law(1.0))


def test_names_of_attributes_are_no_globals() -> None:
    law = Law(2.0)
    assert list(parameters_in(lambda t: law.UNRELATED * t)) == []  # type: ignore[attr-defined]


UNRELATED = cs.Parameter("unrelated", 1.0)
