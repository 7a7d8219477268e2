"""Coefficients against 50-digit arithmetic, on both sides of every branch."""

import math

import mpmath
import numpy as np
import pytest

from cosserat.lie import coefficients

TOLERANCE = 2e-14


def _sinc(t2):
    th = mpmath.sqrt(t2)
    return mpmath.sin(th) / th


def _cosc(t2):
    return (1 - mpmath.cos(mpmath.sqrt(t2))) / t2


def _sincc(t2):
    th = mpmath.sqrt(t2)
    return (th - mpmath.sin(th)) / th**3


def _cotc(t2):
    th = mpmath.sqrt(t2)
    return (1 - th / 2 * mpmath.cot(th / 2)) / t2


def _d(f):
    """The operator 2 d/dt2 = (d/dtheta)/theta."""
    return lambda t2: 2 * mpmath.diff(f, t2, h=mpmath.mpf(10) ** -25 * t2)


def _d_cotc(t2):
    th = mpmath.sqrt(t2)
    return (th**2 / (4 * mpmath.sin(th / 2) ** 2) + th / 2 * mpmath.cot(th / 2) - 2) / t2**2


EXACT = {
    "sinc": _sinc,
    "cosc": _cosc,
    "sincc": _sincc,
    "d_cosc": lambda t2: (_sinc(t2) - 2 * _cosc(t2)) / t2,
    "d_sincc": lambda t2: (_cosc(t2) - 3 * _sincc(t2)) / t2,
    "dd_cosc": lambda t2: (_sincc(t2) - _cosc(t2) - 4 * (_sinc(t2) - 2 * _cosc(t2)) / t2) / t2,
    "dd_sincc": lambda t2: ((_sinc(t2) - 2 * _cosc(t2)) / t2 - 5 * (_cosc(t2) - 3 * _sincc(t2)) / t2) / t2,
    "cotc": _cotc,
    "d_cotc": _d_cotc,
    "dd_cotc": _d(_d_cotc),
}
AT_ZERO = {
    "sinc": 1.0,
    "cosc": 1 / 2,
    "sincc": 1 / 6,
    "d_cosc": -1 / 12,
    "d_sincc": -1 / 60,
    "dd_cosc": 1 / 90,
    "dd_sincc": 1 / 630,
    "cotc": 1 / 12,
    "d_cotc": 1 / 360,
    "dd_cotc": 8 / 30240,
    "asinc": 1.0,
}

ANGLES = np.concatenate(
    [
        10.0 ** np.arange(-8, 0, 0.5),
        np.linspace(0.1, 2 * math.pi - 0.1, 200),
        [0.99999999, 1.0, 1.00000001, 1.99999999, 2.0, 2.00000001, 2.99999999, 3.0, math.pi],
    ]
)


def relative_error(name, t2):
    with mpmath.workdps(80):
        exact = EXACT[name](mpmath.mpf(t2))
        return float(abs((mpmath.mpf(getattr(coefficients, name)(t2)) - exact) / exact))


@pytest.mark.parametrize("name", EXACT)
def test_relative_error(name):
    angles = ANGLES
    if name == "sinc":  # crosses zero at pi, where only the absolute error means something
        angles = angles[np.abs(angles - math.pi) > 0.1]
    worst = max(relative_error(name, float(th) ** 2) for th in angles)
    assert worst < TOLERANCE


def test_sinc_near_its_zero_has_a_small_absolute_error():
    for theta in np.linspace(math.pi - 0.1, math.pi + 0.1, 41):
        t2 = float(theta) ** 2
        with mpmath.workdps(50):
            exact = _sinc(mpmath.mpf(t2))
            assert abs(coefficients.sinc(t2) - exact) < 4e-16


@pytest.mark.parametrize("name", AT_ZERO)
def test_value_at_zero(name):
    assert getattr(coefficients, name)(0.0) == pytest.approx(AT_ZERO[name], rel=4e-16)


@pytest.mark.parametrize("name", ["cotc", "d_cotc", "dd_cotc"])
@pytest.mark.parametrize("theta", [6.4, 6.48, 6.49, 7.0, 9.0, 12.0])
def test_beyond_the_pole(name, theta):
    assert relative_error(name, theta**2) < 2e-13


def test_asinc():
    samples = np.concatenate([10.0 ** np.arange(-8, 0, 0.5), np.linspace(0.01, 0.9, 100), [0.1732, 0.17321]])
    for s in samples:
        s2 = float(s) ** 2
        with mpmath.workdps(50):
            root = mpmath.sqrt(mpmath.mpf(s2))
            exact = mpmath.asin(root) / root
            assert abs(coefficients.asinc(s2) / exact - 1) < TOLERANCE


@pytest.mark.parametrize(
    ("name", "derivative"),
    [
        ("cosc", "d_cosc"),
        ("sincc", "d_sincc"),
        ("d_cosc", "dd_cosc"),
        ("d_sincc", "dd_sincc"),
        ("cotc", "d_cotc"),
        ("d_cotc", "dd_cotc"),
    ],
)
@pytest.mark.parametrize("theta", [0.3, 1.0, 2.5])
def test_prefix_d_is_twice_the_derivative_in_the_square(name, derivative, theta):
    f, h = getattr(coefficients, name), 1e-4
    t2 = theta**2
    slope = 2 * (f(t2 + h) - f(t2 - h)) / (2 * h)
    assert getattr(coefficients, derivative)(t2) == pytest.approx(slope, rel=1e-7)
