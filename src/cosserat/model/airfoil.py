"""`Airfoil`: coefficients of a section in a flow, as functions of its angle of attack."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cosserat.errors import ArgumentError
from cosserat.model import checks, coefficients
from cosserat.model.parameters import Number, is_number, resolve
from cosserat.model.records import Record, recorded

_ANGLES = ("alpha",)
COEFFICIENTS = ("lift", "drag", "moment")
FLAP = ("flap_lift", "flap_drag", "flap_moment")


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

    word = "airfoil"

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
            raise ArgumentError("Airfoil", "zero_lift", "belongs to a lift that is given by its slope")

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
            raise ArgumentError("Airfoil", "word", f"is {word!r}; pass one of {', '.join(map(repr, COEFFICIENTS))}")
        p = {name: resolve(value) for name, value in self.numbers.items()}
        return float(self.functions[COEFFICIENTS.index(word)](checks.number("Airfoil", "alpha", alpha), 0.0, p))

    @property
    def has_slope(self) -> bool:
        """Whether its lift is given by a slope, which knows of no stall; a slope of zero is no lift."""
        lift = self._coefficients["lift"]
        return is_number(lift) and resolve(lift) != 0.0

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
