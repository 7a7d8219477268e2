"""Coefficients of forces in a flow: numbers, tables, polynomials or functions of the angles of attack and sideslip.

Of each kind there is a function of (alpha, beta, p), p the parameters of a law; written in the part of Python that
Numba compiles.

An `Airfoil` has those of a section, as functions of its angle of attack.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError
from cosserat.lie.protocol import Array
from cosserat.model import checks, coefficients
from cosserat.model.closures import defined
from cosserat.model.parameters import Number, is_number, resolve
from cosserat.model.records import Record, recorded

Function = Callable[..., Any]

ANGLES = ("alpha", "beta")
_FACTOR = re.compile(r"(1|alpha|beta)(?:\^([1-9]))?")


def check(item: str, word: str, value: Any, angles: tuple[str, ...] = ANGLES) -> None:
    """Raise unless it is a coefficient of these angles."""
    checks.arguments(item, word, value, *angles)
    if is_number(value):
        checks.number(item, word, value)
    elif isinstance(value, Mapping):
        powers = [_powers(item, word, key, angles) for key in value]
        for k, (key, number) in enumerate(value.items()):
            checks.number(item, f"{word}[{key!r}]", number)
            if powers[k] in powers[:k]:
                raise ArgumentError(item, word, f"has the product {key!r} twice; give the sum of both numbers")
    elif not callable(value):
        table(item, word, value, angles)


def is_table(value: Any) -> bool:
    """Whether a coefficient is a table."""
    return not (is_number(value) or callable(value) or isinstance(value, Mapping))


def is_one_sided(value: Any) -> bool:
    """Whether a coefficient is a polynomial of the angle of attack: one that jumps in flow from behind, as it does."""
    return isinstance(value, Mapping) and any(_powers("", "", key)[0] for key in value)


def pairs(item: str, word: str, value: Any, wanted: str) -> tuple[Array, Array]:
    """Both columns of a table whose first one grows, or an error that says what it must be."""
    given = isinstance(value, (tuple, list)) and len(value) > 1
    rows = checks.array(item, word, value, (len(value), 2)) if given else np.zeros((0, 2))
    if not given or np.any(np.diff(rows[:, 0]) <= 0.0):
        raise ArgumentError(item, word, wanted)
    return rows[:, 0], rows[:, 1]


def table(item: str, word: str, value: Any, angles: tuple[str, ...] = ANGLES) -> tuple[Array, Array]:
    """Angles and values of a table of pairs, or an error that says what it must be."""
    return pairs(
        item, word, value, "must be a number, a polynomial such as {'1': 0.1, 'alpha': 5.0}, a function of "
        f"({', '.join(angles)}), or a table of two or more pairs (angle of attack, value) with growing angles"
    )  # fmt: skip


def numbers(name: str, value: Any) -> dict[str, Number]:
    """Numbers of a coefficient by the names under which `function` reads them."""
    if is_number(value):
        return {name: value}
    return {_named(name, key): c for key, c in value.items()} if isinstance(value, Mapping) else {}


def function(item: str, word: str, name: str, value: Any, angles: tuple[str, ...] = ANGLES) -> Function:
    """A coefficient as a function of (alpha, beta, p)."""
    if is_number(value):
        return constant(name)
    if isinstance(value, Mapping):
        return _polynomial(name, value)
    return _given(value, len(angles)) if callable(value) else tabled(*table(item, word, value, angles))


def _powers(item: str, word: str, key: Any, angles: tuple[str, ...] = ANGLES) -> tuple[int, int]:
    """Powers of alpha and beta in a product such as "alpha^2*beta"."""
    found = dict.fromkeys(ANGLES, 0)
    for part in str(key).replace(" ", "").replace("**", "^").split("*"):
        match = _FACTOR.fullmatch(part)
        if match is None or match[1] not in ("1", *angles):
            products = "'1', 'alpha', 'alpha^2', 'alpha*beta'" if "beta" in angles else "'1', 'alpha', 'alpha^2'"
            raise ArgumentError(item, word, f"has the product {key!r}; products are such as {products}")
        if match[1] != "1":
            found[match[1]] += int(match[2] or 1)
    return found["alpha"], found["beta"]


def _named(name: str, key: Any) -> str:
    return "{}_{}_{}".format(name, *_powers(name, name, key))


def _polynomial(name: str, value: Mapping[Any, Number]) -> Function:
    terms = []
    for key in value:
        powers = zip(ANGLES, _powers(name, name, key), strict=True)
        terms.append(" * ".join((f"p[{_named(name, key)!r}]", *(f"{angle}**{n}" for angle, n in powers if n))))
    source = f"def coefficient(alpha, beta, p):\n    return {' + '.join(terms) or '0.0'}\n"
    return defined(source, "coefficient", "coefficient")


def constant(name: str) -> Function:
    """A number of a law as a function of angles."""

    def coefficient(alpha, beta, p):  # type: ignore[no-untyped-def]
        return p[name]

    return coefficient


def _given(function: Function, n_angles: int) -> Function:
    def of_both(alpha, beta, p):  # type: ignore[no-untyped-def]
        return function(alpha, beta)

    def of_one(alpha, beta, p):  # type: ignore[no-untyped-def]
        return function(alpha)

    return of_both if n_angles == 2 else of_one


def tabled(angles: Any, values: Any) -> Function:
    """Straight lines between the points of a table over the angle of attack; not a number outside of it."""
    x, y = np.array(angles, dtype=float), np.array(values, dtype=float)
    n = len(x)

    def coefficient(alpha, beta, p):  # type: ignore[no-untyped-def]
        if alpha < x[0] or alpha > x[n - 1]:
            return math.nan
        k = 0
        while k < n - 2 and alpha > x[k + 1]:
            k += 1
        return y[k] + (y[k + 1] - y[k]) * (alpha - x[k]) / (x[k + 1] - x[k])

    return coefficient


_ANGLES = ("alpha",)
COEFFICIENTS = ("lift", "drag", "moment")
FLAP = ("flap_lift", "flap_drag", "flap_moment")


_BESIDE = 1e-4  # rad, between angles of which a slope is the difference


class Airfoil(Record):
    """A section of a wing, blade or fin; by default a thin plate, lift 2 pi alpha at the quarter chord.

    Parameters
    ----------
    lift : number, polynomial, table or callable
        A number is the slope dC_L/dalpha (1/rad), from `zero_lift` on. A polynomial is a dict such as
        ``{"1": 0.2, "alpha": 5.7, "alpha^3": -20.0}``. A table has pairs (angle of attack (rad), C_L), with straight
        lines between them, beyond stall if it is to be met. A function is one of alpha, compiled.
    drag, moment : number, polynomial, table or callable
        C_D, and C_M about the quarter chord, nose up positive: a number is the coefficient itself.
    zero_lift : number
        Angle of attack without lift (rad), where `lift` is a slope.
    flap_lift, flap_drag, flap_moment : number
        What a control surface adds per radian of its deflection (`Strip(deflection=...)`), trailing edge down positive.

    Examples
    --------
    >>> stalled = Airfoil(lift=[(-0.3, -1.2), (0.25, 1.4), (0.35, 1.0)], drag=0.01)
    >>> round(stalled.coefficient("lift", 0.3), 9)
    1.2
    """

    word = "Airfoil"

    @recorded
    def __init__(
        self,
        lift: Any = 2 * math.pi,
        drag: Any = 0.0,
        moment: Any = 0.0,
        zero_lift: Number = 0.0,
        flap_lift: Number = 0.0,
        flap_drag: Number = 0.0,
        flap_moment: Number = 0.0,
    ) -> None:
        given = self._given
        self._coefficients = {word: given[word] for word in COEFFICIENTS}
        self._numbers: dict[str, Number] = {"zero_lift": zero_lift} | {word: given[word] for word in FLAP}

    def check(self) -> None:
        for word, value in self._coefficients.items():
            coefficients.check("Airfoil", word, value, _ANGLES)
        for word, value in self._numbers.items():
            checks.number("Airfoil", word, value)
        if not is_number(self._coefficients["lift"]) and resolve(self._numbers["zero_lift"]) != 0.0:
            raise self._wrong("zero_lift", "belongs to a lift that is given by its slope")

    @property
    def numbers(self) -> dict[str, Number]:
        """Numbers by the names that its functions read from the parameters of a law."""
        own = {f"airfoil_{name}": value for name, value in self._numbers.items()}
        for word, value in self._coefficients.items():
            own |= coefficients.numbers(f"airfoil_{word}", value)
        return own

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """Lift, drag and moment as functions of (alpha, beta, p), p the parameters of a law."""
        return tuple(
            _lift_slope
            if word == "lift" and is_number(value)
            else coefficients.function("Airfoil", word, f"airfoil_{word}", value, _ANGLES)
            for word, value in self._coefficients.items()
        )

    def coefficient(self, word: str, alpha: float) -> float:
        """C_L ("lift"), C_D ("drag") or C_M ("moment") at an angle of attack (rad), not a number beyond its table."""
        if word not in COEFFICIENTS:
            raise self._wrong("word", f"is {word!r}; pass one of {', '.join(map(repr, COEFFICIENTS))}")
        p = {name: resolve(value) for name, value in self.numbers.items()}
        return float(self.functions[COEFFICIENTS.index(word)](checks.number("Airfoil", "alpha", alpha), 0.0, p))

    @property
    def has_slope(self) -> bool:
        """Whether its lift is given by a slope, which knows of no stall; a slope of zero is no lift."""
        lift = self._coefficients["lift"]
        return is_number(lift) and resolve(lift) != 0.0

    @property
    def is_one_sided(self) -> bool:
        """Whether one of its coefficients means nothing in reversed flow."""
        return any(is_one_sided(value) for value in self._coefficients.values())

    @property
    def slope(self) -> float:
        """Slope of the lift (1/rad) at no angle of attack, or as near to that as the tables go."""
        lift = self._coefficients["lift"]
        if is_number(lift):
            return resolve(lift)
        low, high = self.range()
        angle = min(max(0.0, low + _BESIDE), high - _BESIDE)
        ahead, behind = (self.coefficient("lift", angle + side * _BESIDE) for side in (1.0, -1.0))
        return (ahead - behind) / (2.0 * _BESIDE)

    def range(self) -> tuple[float, float]:
        """Angles of attack (rad) that all its tables cover."""
        tables = [
            coefficients.table("Airfoil", word, v, _ANGLES)
            for word, v in self._coefficients.items()
            if coefficients.is_table(v)
        ]
        return max((t[0][0] for t in tables), default=-math.inf), min((t[0][-1] for t in tables), default=math.inf)


def _lift_slope(alpha, beta, p):  # type: ignore[no-untyped-def]
    return p["airfoil_lift"] * (alpha - p["airfoil_zero_lift"])
