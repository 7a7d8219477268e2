"""Second-order jets against analytic derivatives."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cosserat.model.functions import TimeFunction
from cosserat.model.jets import Jet
from cosserat.model.parameters import Parameter

T = np.linspace(0.15, 0.85, 7)


def differences(f: Callable[[Any], Any], t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and second derivative by eighth-order differences."""
    c1 = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
    c2 = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])
    h = 3e-3
    values = np.array([f(t + k * h) for k in range(-4, 5)])
    return c1 @ values / h, c2 @ values / h**2


UNARY = [
    np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh, np.arcsinh, np.arctanh,
    np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sqrt, np.cbrt, np.square, np.reciprocal,
    np.negative, np.positive, np.absolute, np.fabs, np.deg2rad, np.rad2deg, np.radians, np.degrees,
]  # fmt: skip


@pytest.mark.parametrize("f", UNARY, ids=lambda f: f.__name__)
def test_unary(f: Any) -> None:
    def g(t: Any) -> Any:
        return f(0.2 + 0.6 * t * t)

    jet = g(Jet.variable(T))
    first, second = differences(g, T)
    np.testing.assert_array_equal(jet.value, g(T))
    np.testing.assert_allclose(jet.rate, first, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(jet.acceleration, second, rtol=1e-6, atol=1e-6)


def test_arccosh() -> None:
    jet = np.arccosh(1.5 + Jet.variable(T) ** 2)
    first, second = differences(lambda t: np.arccosh(1.5 + t**2), T)
    np.testing.assert_allclose(jet.rate, first, rtol=1e-9)
    np.testing.assert_allclose(jet.acceleration, second, rtol=1e-6)


BINARY: dict[str, Callable[[Any], Any]] = {
    "sum": lambda t: 2 + t + t * t + 1,
    "difference": lambda t: 2 - t * t - t,
    "quotient": lambda t: (1 + t) / (2 + t * t) + 3 / t + t / 7,
    "power": lambda t: t**3 + t**0.5 + t**-1.5,
    "exponent": lambda t: 2.0**t + t**t,
    "modulo": lambda t: (7 * t) % 0.9 + 3 % (t + 5),
    "atan2": lambda t: np.arctan2(t, 1 + t * t) + np.arctan2(-1.0, -t),
    "hypot": lambda t: np.hypot(t, 2 * t + 1),
    "minimum": lambda t: np.minimum(t * t, 0.3 * t),
    "maximum": lambda t: np.maximum(t * t, 0.3 * t) + np.fmax(t, 0) + np.fmin(t, 9),
    "where": lambda t: np.where(t < 0.5, t**2, np.sin(t)),
    "clip": lambda t: np.clip(t**2, 0.1, 0.45),
    "select": lambda t: np.select([t < 0.3, t < 0.6], [t, t**2], t**3),
    "polyval": lambda t: np.polyval([1, 2, 3], t),
    "polynomial": lambda t: np.polynomial.Polynomial([1, 2, 3, 4])(t),
    "sinc": lambda t: np.sinc(t),
    "interp": lambda t: np.interp(t, [0, 0.33, 0.71, 1], [0, 2, -1, 5]),
    "piecewise": lambda t: np.piecewise(t, [t < 0.5], [lambda x: x**2, lambda x: np.cos(x)]),
}


@pytest.mark.parametrize("name", BINARY)
def test_compound(name: str) -> None:
    f = BINARY[name]
    times = np.array([0.17, 0.41, 0.55, 0.62, 0.80])  # away from the kinks
    jet = f(Jet.variable(times))
    first, second = differences(f, times)
    np.testing.assert_allclose(jet.value, f(times), rtol=1e-14)
    np.testing.assert_allclose(jet.rate, first, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(jet.acceleration, second, rtol=1e-5, atol=1e-5)


def test_masks_and_assignment() -> None:
    def f(t: Any) -> Any:
        y = np.zeros_like(t)
        y[t > 0.5] = t[t > 0.5] ** 2
        return y

    jet = f(Jet.variable(T))
    np.testing.assert_allclose(jet.rate, np.where(T >= 0.5, 2 * T, 0))  # at 0.5 s as just after
    np.testing.assert_allclose(jet.acceleration, np.where(T >= 0.5, 2.0, 0))


def test_powers_at_zero_are_finite() -> None:
    t = Jet.variable(np.zeros(1))
    for n, acceleration in ((0, 0.0), (1, 0.0), (2, 2.0), (3, 0.0)):
        jet = t**n
        assert jet.acceleration[0] == acceleration
        assert np.isfinite(jet.rate[0])


def test_steps_are_at_rest_and_comparisons_are_by_value() -> None:
    t = Jet.variable(np.array([0.2, 1.7]))
    assert np.floor(t).rate.tolist() == [0.0, 0.0]
    assert np.sign(t).value.tolist() == [1.0, 1.0]
    assert (t > 1).tolist() == [False, True]
    assert (t == 0.2).tolist() == [True, False]
    assert (t != 0.2).tolist() == [False, True]
    assert (1 <= t).tolist() == [False, True]
    assert np.any(t)
    assert np.all(t)
    assert np.ndim(t) == 1
    assert np.shape(t) == (2,)
    assert np.size(t) == 2
    assert (t // 1).rate.tolist() == [0.0, 0.0]


def test_truth_is_that_of_the_value() -> None:
    """Such as sin(t)/t, which needs its limit at zero."""
    sinc = TimeFunction(lambda t: np.sin(t) / t if t else 1.0, "sinc")
    assert np.allclose(sinc.sample([0.0, 2.0]), [1.0, np.sin(2.0) / 2.0])
    assert np.allclose(sinc.jet([0.0])[0], [1.0])


def test_no_float() -> None:
    with pytest.raises(TypeError):
        math.sin(Jet.variable(0.3))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        np.concatenate([Jet.variable(T), Jet.variable(T)])  # type: ignore[call-overload]


def test_parameters_and_arrays_of_jets() -> None:
    P = Parameter("P", 2.0)
    t = Jet.variable(T)
    np.testing.assert_allclose((P * t * t).acceleration, 4.0)
    np.testing.assert_allclose((t * P - P / t).rate, 2.0 + 2.0 / T**2)
    vector = 3.0 * np.array([t, t * t])
    np.testing.assert_allclose(vector[1].rate, 6.0 * T)
    vector = t * np.array([t, t * t])
    np.testing.assert_allclose(vector[1].rate, 3.0 * T**2)
    assert "Jet(" in repr(t)


@pytest.mark.parametrize(
    ("function", "rate"),
    [
        (lambda t: np.maximum(0.0, t - 0.25), 1.0),
        (lambda t: np.minimum(t, 0.25), 0.0),
        (lambda t: np.abs(0.25 - t), 1.0),
        (lambda t: np.where(t > 0.25, t, 0.25), 1.0),
        (lambda t: np.where(0.25 >= t, 0.25, t), 1.0),
        (lambda t: np.clip(t, 0.25, 1.0), 1.0),
        (lambda t: np.clip(-t, -0.25, 1.0), 0.0),
        (lambda t: np.sign(t - 0.25) * (t - 0.25), 1.0),
        (lambda t: np.heaviside(t - 0.25, 0.5) * (t - 0.25), 1.0),
    ],
)
def test_rates_at_a_kink_are_those_after_it(function: Any, rate: float) -> None:
    assert function(Jet.variable(np.array([0.25]))).rate.tolist() == [rate]


def test_accelerations_that_jump_are_those_after() -> None:
    t = Jet.variable(np.array([0.25]))
    assert np.where((t - 0.25) ** 2 > 0.0, (t - 0.25) ** 2, 0.0).acceleration.tolist() == [2.0]
