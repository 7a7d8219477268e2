"""Formulas as text: values, and what is refused."""

import math

import numpy as np
import pytest

from cosserat.errors import ExpressionError
from cosserat.model.expressions import FUNCTIONS, Expression
from cosserat.model.jets import Jet


@pytest.mark.parametrize(
    "text, value",
    [
        ("1 + 2*3", 7.0),
        ("2**3**2", 512.0),
        ("-2**2", -4.0),
        ("7 % 4", 3.0),
        ("pi + e", math.pi + math.e),
        ("atan2(1, 2)", math.atan2(1, 2)),
        ("min(3, 1, 2) + max(1, 2)", 3.0),
        ("1 if t < 2 else 5", 5.0),
        ("1 if 0 < t <= 3 and not t == 2 else 0", 1.0),
        ("step(t, 3) + step(t, 3.1)", 1.0),
        ("ramp(t, 2, 4)", 0.5),
        ("smoothstep(t, 2, 4)", 0.5),
        ("sin(t)**2 + cos(t)**2", 1.0),
        ("abs(-t) * sign(-t)", -3.0),
    ],
)
def test_values(text: str, value: float) -> None:
    assert float(Expression(text, ["t"]).evaluate({"t": np.float64(3.0)})) == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(
    "text, message",
    [
        ("__import__('os').system('true')", "unknown function"),
        ("().__class__", "not allowed"),
        ("t.real", "'t.real' is not allowed"),
        ("t[0]", "not allowed"),
        ("[t]", "not allowed"),
        ("lambda: 1", "not allowed"),
        ("(x := 3)", "not allowed"),
        ("'abc'", "not a real number"),
        ("1j", "not a real number"),
        ("True", "not a real number"),
        ("f'{t}'", "not allowed"),
        ("__builtins__", "unknown name '__builtins__'"),
        ("open(3)", "unknown function 'open'"),
        ("eval(3)", "unknown function 'eval'"),
        ("sin", "without its arguments"),
        ("sin(1, 2)", "takes 1 argument"),
        ("sin(x=1)", "plain arguments only"),
        ("sin(*t)", "plain arguments only"),
        ("omega*t", "unknown name 'omega' (names: t, pi, e"),
        ("1 +", "cannot read"),
        ("30 deg", "numbers without units: SI units, angles in rad"),
        ("2t", "write products with *"),
        ("t^2", "a power is written **"),
        ("import os", "cannot read"),
        ("t; t", "cannot read"),
        ("", "empty"),
        ("t << 3", "not allowed"),
        ("t // 2", "not allowed"),
        ("~t", "not allowed"),
        ("t in t", "not allowed"),
        ("(" * 500 + "t" + ")" * 500, "cannot read"),
        ("+".join(["t"] * 20000), "characters"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        Expression(text, ["t"], "joint 'a': motion")
    assert message in str(caught.value)
    assert "joint 'a': motion" in str(caught.value)


def test_huge_powers_are_refused_not_computed() -> None:
    for text in ("9**9**9**9", "10**1e9", "2**99999"):
        with pytest.raises(ExpressionError, match="too large"):
            Expression(text).evaluate({})


def test_very_long_integers_do_not_hang() -> None:
    with pytest.raises(ExpressionError, match="cannot read"):
        Expression("9" * 5000)
    assert Expression("9" * 400).evaluate({}) == math.inf


def test_functions_have_the_number_of_arguments_they_state() -> None:
    for name, (count, function) in FUNCTIONS.items():
        arguments = [0.3, 0.1, 0.7][:count]
        assert np.isfinite(function(*arguments)), name


@pytest.mark.parametrize(
    "text, expected",
    [
        ("(t>=0.5)+(t>=1.0)", [0, 1, 2]),
        ("(t>=0.5)-(t>=1.0)", [0, 1, 0]),
        ("-(t>=1.0)", [0, 0, -1]),
        ("(t>=0.5)*(t>=1.0) + (0.2 < t < 0.9)", [0, 1, 1]),
        ("max(t>=0.5, 0.25)", [0.25, 1, 1]),
        ("((t>=0.5) if t < 3 else 7) + (t>=1)", [0, 1, 2]),
        ("not(t>=0.5)", [1, 0, 0]),
    ],
)
def test_comparisons_count_one_or_zero(text: str, expected: list[float]) -> None:
    times = np.array([0.0, 0.75, 1.5])
    for values in (times, Jet.variable(times)):
        found = Expression(text, ["t"]).evaluate({"t": values})
        np.testing.assert_array_equal(np.asarray(getattr(found, "value", found), float), expected)
    for t, value in zip(times, expected, strict=True):
        assert float(Expression(text, ["t"]).evaluate({"t": t})) == value
