"""Jumps and kinks of functions of time: found wherever they are, however short the pulse."""

import numpy as np
import pytest

from cosserat.model.breaks import breaks_of, stations_of_breaks
from cosserat.model.functions import TimeFunction
from cosserat.model.line_functions import LineFunction


@pytest.mark.parametrize(("form", "found"), [
    ("500*(abs(t - 4.0013) < 0.001)", [4.0003, 4.0013, 4.0023]),
    (lambda t: np.interp(t, [0, 4.0003, 4.0013, 4.0023, 10], [0, 0, 1000.0, 0, 0]), [4.0003, 4.0013, 4.0023]),
    (lambda t: np.interp(t, [0, 0.4, 0.4001, 0.4002, 1], [0, 0, 1, 0, 0]), [0.4, 0.4001, 0.4002, 1.0]),
    ("500*(step(t, 4.0003) - step(t, 4.0023))", [4.0003, 4.0023]),
    ("(t - 4)**2 < 1e-8", [3.9999, 4.0001]),
    ("max(0, 1 - abs(t - 3.3)/1e-4)", [3.2999, 3.3, 3.3001]),
    ("sin(t) > 1 - 1e-9", [np.pi / 2 + k * 2 * np.pi + d for k in (0, 1) for d in (-4.4721e-5, 4.4721e-5)]),
    ("sin(50*t)", []),
    (lambda t: 0.5 * max(t - 4.0003, 0.0), [4.0003]),
    (lambda t: 0.5 * t * t if t < 3.1 else 3.1 * (t - 1.55), [3.1]),
    ((lambda t: max(t - 2.7, 0.0), lambda t: float(t > 2.7), lambda t: 0.0), [2.7]),
    (lambda t: max(t, 0.0) ** 0.5, []),
])  # fmt: skip
def test_breaks_are_found(form, found):
    assert breaks_of(TimeFunction(form), 0.0, 10.0) == pytest.approx(found, abs=1e-8)


def test_breaks_along_a_beam():
    still = LineFunction((0, "t if 0.25 < s < 0.5 else 0", 0))
    assert stations_of_breaks(still) == ([0.25, 0.5], False)
    assert stations_of_breaks(LineFunction(lambda s, t: (0, 0, 3 if s > 0.7001 else 1)))[0] == [pytest.approx(0.7001)]
    assert stations_of_breaks(LineFunction((0, "1 if s < 0.1 + 0.1*t else 0", 0)))[1]
    assert stations_of_breaks(LineFunction((0, "s*t", 0))) == ([], False)


def test_what_is_smooth_beside_a_jump_is_no_pulse():
    """However a jump and a vibration are summed, and however long the run: the jump alone is a break."""
    jump = "(1 - step(t, 0.0577))"
    for text in (f"3*{jump}", f"2.6*sin(7*t)*{jump}", f"0.6*(3*{jump}) + 0.4*(2.6*cos(30*t)*{jump})"):
        for end in (0.07, 0.1, 0.2, 1.0):
            assert breaks_of(TimeFunction(text), 0.0, end) == pytest.approx([0.0577])
