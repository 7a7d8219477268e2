"""Arguments that the analyses share, checked before anything is computed: located errors instead of NumPy's."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from cosserat.errors import SolveError
from cosserat.model.model import Model
from cosserat.model.parameters import ParameterLike, is_number
from cosserat.solve.balance.spin import three_numbers


def check_state(caller: str, model: Any, time: Any, spin: Any = None, center: Any = (0.0, 0.0, 0.0)) -> None:
    """Demand a model, a time, and a rotation that can be understood."""
    check_model(model, caller)
    check_number(time, caller, "time", "the time at which loads and prescribed motions are taken, in s")
    if spin is not None:
        three_numbers("spin", spin, caller)
    three_numbers("center", center, caller)


def check_model(model: Any, caller: str) -> None:
    """Demand a model."""
    if not isinstance(model, Model):
        raise SolveError(f"{caller}: {model!r} is not a Model; build one with cosserat.Model or load_model")
    demand_no_rolling(model, caller)


def demand_no_rolling(model: Model, caller: str) -> None:
    """Refuse knife edges and rolling discs, which restrict velocities and not positions."""
    for item in model.rolling:
        raise SolveError(
            f"{caller}: {item.title} restricts velocities and not positions, which this call cannot regard; put a "
            "joint in its place that allows the same small motions, or simulate the motion with cs.simulate"
        )


def check_number(value: Any, caller: str, name: str, meaning: str, *, positive: bool = False) -> float:
    """A finite number, or a located error that says what it means."""
    ok = is_number(value) and not isinstance(value, ParameterLike) and np.isfinite(value)
    if not ok or (positive and value <= 0.0):
        raise SolveError(f"{caller}: {name} is {value!r}; pass {meaning}, a finite{' positive' * positive} number")
    return float(value)


def check_choice(value: Any, caller: str, name: str, choices: tuple[str, ...]) -> None:
    """Demand one of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise SolveError(f"{caller}: {name} is {value!r}; pass {' or '.join(map(repr, choices))}")


def check_count(n: Any, caller: str, name: str = "n") -> int:
    """A whole number from 1, or a located error."""
    try:
        count = operator.index(n)
    except TypeError:
        count = 0
    if count < 1 or isinstance(n, bool):
        raise SolveError(f"{caller}: {name} is {n!r}; pass how many, a whole number from 1")
    return count
