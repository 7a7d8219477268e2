"""Functions of time: every source, exact derivatives, located errors."""

import copy
import math
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, UnivariateSpline, make_interp_spline

from cosserat.errors import ModelError
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.parameters import Parameter

T = np.linspace(0.0, 3.0, 13)


def motion_with_if(t: Any) -> Any:
    return t**3 if t < 1 else 3 * t - 2


@pytest.mark.parametrize(
    "source",
    [
        lambda t: t - np.sin(t),
        "t - sin(t)",
        lambda t: t - np.sin(t) if t < 2 else -np.sin(t) + t,
        (lambda t: t - math.sin(t), lambda t: 1 - math.cos(t), lambda t: math.sin(t)),
        TimeFunction("t - sin(t)"),
    ],
)
def test_exact_derivatives(source: Any) -> None:
    f = TimeFunction(source)
    value, rate, acceleration = f.jet(T)
    np.testing.assert_allclose(value, T - np.sin(T), atol=1e-15)
    np.testing.assert_allclose(rate, 1 - np.cos(T), atol=1e-15)
    np.testing.assert_allclose(acceleration, np.sin(T), atol=1e-15)
    np.testing.assert_array_equal(f.sample(T), value)
    assert not f.is_constant


def test_piecewise_by_if_is_exact() -> None:
    _, rate, acceleration = TimeFunction(motion_with_if).jet(T)
    np.testing.assert_array_equal(rate, np.where(T < 1, 3 * T**2, 3.0))
    np.testing.assert_array_equal(acceleration, np.where(T < 1, 6 * T, 0.0))


@pytest.mark.parametrize("omega", [1.0, 30.0])
def test_float_only_functions_by_differences(omega: float) -> None:
    def f(t: float) -> float:
        if t < 0:
            raise ValueError("no negative times")
        return math.sin(omega * t)

    times = np.arange(0.0, 1.0, 2e-3)
    value, rate, acceleration = TimeFunction(f).jet(times)
    np.testing.assert_allclose(value, np.sin(omega * times), atol=1e-15)
    np.testing.assert_allclose(rate, omega * np.cos(omega * times), atol=1e-8 * omega)
    np.testing.assert_allclose(acceleration, -(omega**2) * np.sin(omega * times), atol=1e-6 * omega**2)
    np.testing.assert_array_equal(TimeFunction(f).sample(times), value)


def test_splines_give_their_own_derivatives() -> None:
    spline = CubicSpline([0, 1, 2, 3], [0, 1, 8, 27])
    value, rate, acceleration = TimeFunction(spline).jet(T)
    np.testing.assert_allclose(value, T**3, atol=1e-12)
    np.testing.assert_allclose(rate, 3 * T**2, atol=1e-12)
    np.testing.assert_allclose(acceleration, 6 * T, atol=1e-11)


def test_constants_and_parameters() -> None:
    P = Parameter("P", 2.0)
    for source, expected in ((3, 3.0), (np.float64(3), 3.0), (P, 2.0), (2 * P, 4.0), ("2 + 1", 3.0)):
        f = TimeFunction(source)
        assert f.is_constant
        assert f.text is None
        np.testing.assert_array_equal(f.jet(T), [np.full(13, expected), np.zeros(13), np.zeros(13)])
    f = TimeFunction("P*t**2", parameters=[P])
    P.value = 5.0
    assert f.text == "P*t**2"
    assert f.parameters == {"P": P}
    np.testing.assert_allclose(f.jet(T)[2], 10.0)
    P.value = 2.0


def test_parameters_inside_python_functions_are_found_and_copied() -> None:
    P = Parameter("P", 2.0)
    f = TimeFunction(lambda t: P * np.sin(t))
    assert f.parameters == {"P": P}
    g = copy.deepcopy(f)
    assert g == f
    next(iter(g.parameters.values())).value = 7.0
    assert g != f
    np.testing.assert_allclose(f.sample(T), 2 * np.sin(T))
    np.testing.assert_allclose(g.sample(T), 7 * np.sin(T))


def test_a_load_may_have_an_infinite_rate_but_a_motion_may_not() -> None:
    f = TimeFunction(lambda t: np.sqrt(t), "joint 'a': motion")
    np.testing.assert_allclose(f.sample(T), np.sqrt(T))
    with pytest.raises(ModelError, match=r"joint 'a': motion: its rate is inf at t = 0; .*three functions"):
        f.jet(T)


@pytest.mark.parametrize("source", [lambda t: np.where(t > 1, np.nan, t), "log(t - 1)", lambda t: math.nan])
def test_values_that_are_not_finite_name_component_and_time(source: Any) -> None:
    with pytest.raises(ModelError, match=r"joint 'a': motion: its value is (nan|-inf) at t = "):
        TimeFunction(source, "joint 'a': motion").sample(T)


@pytest.mark.parametrize("source", [None, [1, 2], {"a": 1}, True, math.nan, math.inf, 1j])
def test_sources_that_are_no_functions(source: Any) -> None:
    with pytest.raises(ModelError, match="joint 'a': motion"):
        TimeFunction(source, "joint 'a': motion")


def test_a_function_that_fails_is_reported_with_its_own_error() -> None:
    with pytest.raises(ModelError, match=r"load 'f': the function failed at 0 with ZeroDivisionError"):
        TimeFunction(lambda t: 1 / 0, "load 'f'").sample(T)


def test_vectors() -> None:
    P = Parameter("P", 2.0)
    f = VectorFunction((0, P, "sin(t)"))
    assert not f.is_constant
    assert VectorFunction((1, P, 2 * P)).is_constant
    np.testing.assert_allclose(f.sample(T), np.stack([0 * T, 2 + 0 * T, np.sin(T)], axis=1))
    g = VectorFunction(lambda t: (t**2, 0, np.cos(t)))
    value, rate, acceleration = g.jet(T)
    np.testing.assert_allclose(g.sample(T), value)
    np.testing.assert_allclose(rate, np.stack([2 * T, 0 * T, -np.sin(T)], axis=1))
    np.testing.assert_allclose(acceleration, np.stack([2 + 0 * T, 0 * T, -np.cos(T)], axis=1))
    h = VectorFunction(lambda t: 2.0 * np.array([math.sin(t), 0, 1]))
    np.testing.assert_allclose(h.jet(T)[1][:, 0], 2 * np.cos(T), atol=1e-8)
    assert VectorFunction(f) == f
    assert f != g
    assert f.parameters == {"P": P}


def test_a_part_of_a_vector() -> None:
    six = VectorFunction(lambda t: (1, 2, 3, t, 5, 6), size=6)
    assert six.part(3, 3).sample([7.0]).tolist() == [[7.0, 5.0, 6.0]]
    assert six.part(3, 3).jet([7.0])[1].tolist() == [[1.0, 0.0, 0.0]]
    assert VectorFunction((1, 2, 3, 4, 5, 6), size=6).part(3, 3).sample([0.0]).tolist() == [[4.0, 5.0, 6.0]]


@pytest.mark.parametrize(
    "source, message",
    [
        ((1, 2), "must be 3 numbers.*got 2 entries"),
        ("t", "must be 3 numbers"),
        (((1, 2), 3, 4), "component x must be a number"),
        ((1, 2, math.nan), "component z is nan"),
        (5, "must be 3 numbers"),
    ],
)
def test_bad_vectors(source: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        VectorFunction(source, "load 'f': vector")


@pytest.mark.parametrize(
    "function, message",
    [
        (lambda t: (1, 2), "gives 2 numbers at t = 0; 3 are needed"),
        (lambda t: 3.0, "failed at t = 0 with TypeError"),
        (lambda t: (1, math.nan, 2), r"gives \[1.0, nan, 2.0\] at t = 0"),
    ],
)
def test_bad_vector_functions(function: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        VectorFunction(function, "load 'f': vector").sample(T)


def test_comparisons_of_a_python_function_count_one_or_zero() -> None:
    def staircase(t: Any) -> Any:
        return (t >= 0.5) + (t >= 1.0) + 0 * t

    times = np.array([0.0, 0.75, 1.5, 2.5])
    np.testing.assert_array_equal(TimeFunction(staircase).sample(times), [staircase(t) for t in times.tolist()])
    window = TimeFunction(lambda t: np.where((t > 1) & ~(t > 2), t, 0.0))
    np.testing.assert_array_equal(window.jet(times)[1], [0, 0, 1, 0])


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_points_in_space_are_not_mixed_up_with_samples(n: int) -> None:
    a, b = np.array([1.0, 2.0, 3.0]), np.array([4.0, 8.0, -1.0])
    s = np.linspace(0.0, 1.0, n)
    for curve in (lambda s: a + s * (b - a), lambda s: (a + s * (b - a)).tolist() if False else a * (1 - s) + b * s):
        value, rate, acceleration = VectorFunction(curve, variable="s").jet(s)
        np.testing.assert_allclose(value, a + np.outer(s, b - a), atol=1e-14)
        np.testing.assert_allclose(rate, np.tile(b - a, (n, 1)), atol=1e-14)
        np.testing.assert_allclose(acceleration, 0.0, atol=1e-14)


@pytest.mark.parametrize(
    "make", [lambda x, y: make_interp_spline(x, y, k=1), lambda x, y: UnivariateSpline(x, y, k=1, s=0)]
)
def test_splines_of_the_first_degree_have_no_acceleration(make: Any) -> None:
    value, rate, acceleration = TimeFunction(make([0.0, 1.0, 3.0], [0.0, 2.0, 3.0])).jet(np.array([0.5, 2.0]))
    np.testing.assert_allclose(value, [1.0, 2.5])
    np.testing.assert_allclose(rate, [2.0, 0.5])
    np.testing.assert_array_equal(acceleration, 0.0)


def test_numbers_of_numpy_become_numbers_of_python() -> None:
    for number in (np.float64(2), np.int64(2), np.array(2.0), np.float32(2)):
        assert type(TimeFunction(number).source) in (int, float)
