"""Parameters and formulas made of them."""

import copy
import math
from functools import reduce
from itertools import starmap
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from cosserat.errors import ParameterError
from cosserat.model.functions import TimeFunction
from cosserat.model.parameters import Parameter, ParameterExpression, is_number, number_from_text, resolve


def test_arithmetic_follows_the_value() -> None:
    P, L = Parameter("P", 3.0), Parameter("L", 2.0)
    cases: list[tuple[Any, Any]] = [
        (2 * P + 1, lambda p, q: 2 * p + 1),
        (P / L - L / P, lambda p, q: p / q - q / p),
        (-(P**2) + 2**L, lambda p, q: -(p**2) + 2**q),
        (1 - P, lambda p, q: 1 - p),
        (1 / P, lambda p, q: 1 / p),
        (abs(-P) + +P, lambda p, q: 2 * p),
        (np.sin(P) * np.float64(2) + np.sqrt(L), lambda p, q: 2 * math.sin(p) + math.sqrt(q)),
        (P * (-3.0), lambda p, q: -3 * p),
        (P - -2.5, lambda p, q: p + 2.5),
        (np.arctan2(P, L), math.atan2),
    ]
    for value in (3.0, 5.5):
        P.value = value
        for expression, f in cases:
            assert resolve(expression) == pytest.approx(f(value, 2.0), rel=1e-15)
            again = number_from_text(expression.text, {"P": P, "L": L}, "test")
            assert resolve(again) == resolve(expression)
            assert again == expression


def test_arrays_of_parameters() -> None:
    P = Parameter("P", 3.0)
    vector = P * np.array([1.0, 0.0, 2.0])
    assert [resolve(x) for x in vector] == [3.0, 0.0, 6.0]
    assert [resolve(x) for x in np.array([1.0, 2.0]) - P] == [-2.0, -1.0]


def test_comparisons_are_by_value_and_equality_by_name_and_value() -> None:
    P = Parameter("P", 3.0)
    assert P > 2
    assert P >= 3
    assert P < 4
    assert P <= 2 * P
    assert Parameter("P", 3.0) == P
    assert Parameter("P", 4.0) != P
    assert Parameter("Q", 3.0) != P
    assert P == 3.0
    assert 3.0 == P
    assert 2 * P == 6.0
    assert P != 4.0
    assert P != "P"
    assert hash(P) == hash(Parameter("P", 1.0))
    assert "Parameter('P', 3.0)" in repr(P)
    assert is_number(P)
    assert is_number(2 * P)
    assert not is_number(True)
    assert not is_number("3")
    assert float(P) == 3.0


@pytest.mark.parametrize("name", ["", "2a", "tip mass", "for", "t", "pi", "sin", None, "a.b"])
def test_bad_names(name: Any) -> None:
    with pytest.raises(ParameterError, match="name"):
        Parameter(name, 1.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, "3", None, True, 1j, [1]])
def test_bad_values(value: Any) -> None:
    with pytest.raises(ParameterError, match=r"parameter 'P': value .* is not a finite number"):
        Parameter("P", value)


def test_two_values_in_one_expression() -> None:
    with pytest.raises(ParameterError, match="'P' has two values, 1 and 2"):
        Parameter("P", 1.0) + Parameter("P", 2.0)
    assert resolve(Parameter("P", 1.0) + Parameter("P", 1.0)) == 2.0


def test_expressions_that_are_not_finite_say_for_which_values() -> None:
    P = Parameter("P", 0.0)
    with pytest.raises(ParameterError, match=r"'1.0 / P' has the value inf for P = 0"):
        resolve(1 / P)
    with pytest.raises(ParameterError):
        P * math.nan
    assert "1.0 / P" in repr(ParameterExpression("1.0 / P", {"P": P}))


@pytest.mark.parametrize(
    "function",
    [np.square, np.deg2rad, np.radians, np.rad2deg, np.degrees, np.log10, np.log2, np.log1p, np.exp2, np.expm1, np.cbrt,
     np.reciprocal, np.fabs, np.positive, np.negative, np.floor, np.ceil, np.sign, np.sinh, np.arcsinh, np.arctan,
     lambda x: np.arccosh(x + 1), lambda x: np.arctanh(x / 10), lambda x: np.hypot(x, 3), lambda x: np.hypot(3, x),
     lambda x: np.mod(x, 0.7), lambda x: np.remainder(5.0, x), lambda x: x % 0.7, lambda x: 5.0 % x,
     lambda x: np.float_power(x, 3), lambda x: np.floor_divide(x, 0.3), lambda x: np.fmax(x, 2.0),
     lambda x: np.fmin(x, 2.0)],
)  # fmt: skip
def test_functions_of_numpy_follow_the_parameter(function: Any) -> None:
    P = Parameter("P", 1.3)
    formula = function(P)
    for value in (1.3, 2.6):
        P.value = value
        assert float(formula) == pytest.approx(float(function(value)), rel=1e-14)


def test_functions_that_cannot_follow_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"np\.nextafter cannot be part of a formula of parameters \('P'\)"):
        np.nextafter(Parameter("P", 1.0), 2.0)
    assert bool(np.isfinite(Parameter("P", 1.0)))
    assert bool(np.equal(Parameter("P", 1.0), 1.0))


def test_functions_that_would_choose_by_the_present_value():
    P = Parameter("P", 3.0)
    cut = np.clip(P, 0.0, 2.5)
    assert resolve(cut) == 2.5
    P.value = 2.0
    assert resolve(cut) == 2.0
    calls = [lambda: np.where(P > 1, P, 0.0), lambda: np.interp(P, [0, 3], [0, 6]), lambda: np.round(P, 1)]
    for call in [*calls, lambda: np.clip(P, 0.0, a_max=2.5), lambda: np.polyval([1, 2], P), lambda: np.sinc(P)]:
        with pytest.raises(ParameterError, match="cannot be part of a formula of parameters"):
            call()
    assert resolve(np.sum([P, 1.0])) == 3.0
    assert resolve(np.stack((P, 1.0))[0]) == 2.0
    assert [resolve(x) for x in np.linspace(0, P, 3)] == [0.0, 1.0, 2.0]


def test_arrays_of_parameters_know_functions() -> None:
    """NumPy asks objects in arrays for methods: its own TypeError said that there are none."""
    P = Parameter("P", 0.5)
    made = np.array([P, 1.0])
    for function in (np.exp, np.sin, np.sqrt, np.arctan, np.square, np.radians):
        found = function(made[:1])[0]
        P.value = 0.25
        assert resolve(found) == pytest.approx(function(0.25), abs=1e-15)
        P.value = 0.5
    assert resolve(np.hypot(made[:1], made[:1])[0]) == pytest.approx(np.hypot(0.5, 0.5))
    with pytest.raises(ParameterError, match=r"np.rint cannot be part of a formula"):
        np.rint(made[:1])
    assert not hasattr(P, "shape")
    assert not hasattr(P, "linspace")
    assert copy.deepcopy(P).value == 0.5


def test_functions_of_math_would_freeze_a_parameter() -> None:
    """They see a number: what is made of it would not follow `Model.set`. Called by a function of time they may."""
    from math import atan2

    P = Parameter("P", 0.5)
    with pytest.raises(ParameterError, match=r"math.sin would take the present value of 'P' for good; use np.sin"):
        math.sin(P)
    with pytest.raises(ParameterError, match=r"math.atan2 .* '2.0 \* P' .* np.arctan2"):
        atan2(2 * P, 1.0)
    handed_on = [
        lambda: list(map(math.sin, [P])),
        lambda: [x for x in map(math.sin, [P])],
        lambda: [*starmap(math.pow, [(P, 2.0)])],
        lambda: reduce(math.hypot, [P, 1.0]),
        lambda: max([P], key=math.sin),
    ]
    for call in handed_on:
        with pytest.raises(ParameterError, match=r"math.\w+ would take the present value of 'P' for good"):
            call()
    stored = map(math.sin, [P])
    with pytest.raises(ParameterError, match=r"math.sin would take the present value of 'P' for good"):
        list(stored)
    with pytest.raises(ParameterError, match=r"scipy: Rotation.from_rotvec would take .* use a formula of NumPy"):
        Rotation.from_rotvec([P, 0, 0])
    assert TimeFunction(lambda t: Rotation.from_rotvec([P * t, 0, 0]).magnitude(), "here").sample(np.ones(1))[0] == 0.5
    assert list(map(float, [P])) == [0.5]
    assert np.array([P, math.sin(1.0)], dtype=float)[0] == 0.5
    for whole in (int, round, math.floor, math.ceil, math.trunc):
        with pytest.raises(ParameterError, match="whole number made of 'P'"):
            whole(P)  # type: ignore[operator]
    assert float(P) == 0.5
    assert math.sin(float(2 * P)) == math.sin(1.0)
    assert math.isclose(P, 0.5)
    assert (f"{P:.2f} {2 * P:g}", f"{P:g}", f"{P}") == ("0.50 1", "0.5", "Parameter('P', 0.5)")
    function = TimeFunction(lambda t: math.sin(P * t), "here")
    assert function.sample(np.array([2.0]))[0] == math.sin(1.0)
    P.value = 1.0
    assert function.sample(np.array([2.0]))[0] == math.sin(2.0)
