"""Coefficients of forces in a flow: numbers, tables, polynomials or functions of the angles of attack and sideslip.

Of each kind there is a function of (alpha, beta, p), p the parameters of a law; written in the part of Python that
Numba compiles.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.parameters import Number, is_number

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
        return _constant(name)
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
    space: dict[str, Any] = {}
    source = f"def coefficient(alpha, beta, p):\n    return {' + '.join(terms) or '0.0'}\n"
    exec(compile(source, "<coefficient>", "exec"), space)
    return space["coefficient"]


def _constant(name: str) -> Function:
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
