"""Impulses of loads that a step leaves out.

A method sees a load at a few times of a step. What its rule makes of them is not the impulse of a load that changes
much within the step, and a wrong velocity goes on for ever, however small the error of positions is that the step
itself commits. Loads are functions of time, so that what is left out is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cosserat.kernels.alpha import method
from cosserat.lie.protocol import Array
from cosserat.solve.memory import demand_like

Sample = Callable[[Array], tuple[Array, ...]]

_INSIDE = 1e-9  # of the step: values at its ends are those inside
_NOTHING = 1e-12  # of the largest value
_X, _W = np.polynomial.legendre.leggauss(6)
_SHARES = np.concatenate(([_INSIDE], 0.5 * (1.0 + _X), [1.0 - _INSIDE]))
_MEANS = 0.5 * _W


class Rule(NamedTuple):
    """Mean of a function over a step, or its change, as a method takes it from values at shares of the step."""

    shares: Array
    weights: Array


MEAN_OF_ENDS = Rule(np.array([_INSIDE, 1.0 - _INSIDE]), np.array([0.5, 0.5]))
CHANGE = Rule(np.array([_INSIDE, 1.0 - _INSIDE]), np.array([-1.0, 1.0]))
SIMPSON = Rule(np.array([_INSIDE, 0.5, 1.0 - _INSIDE]), np.array([1.0, 4.0, 1.0]) / 6.0)


def change_at_start(part: float) -> Rule:
    """Change that the rate at the start would make in a step, of differences over a part of it."""
    return Rule(np.array([_INSIDE, 0.5 * part, part]), np.array([-3.0, 4.0, -1.0]) / part)


class Impulses:
    """What steps leave out of the impulses of loads.

    Parameters
    ----------
    sample : callable, optional
        Loads at times (nt,): arrays with the time first; without it nobody looks after impulses.
    rule : Rule or float
        Of the method; a number is rho of the generalised-alpha method, which filters what it sees.
    change : Rule
        Where that method starts anew, how it finds what changes in a step.
    """

    def __init__(self, sample: Sample | None = None, rule: Rule | float = MEAN_OF_ENDS, change: Rule = CHANGE) -> None:
        self._sample, self._rule, self._change = sample, rule, change
        self.present = sample is not None  # whether anybody looks after them
        self.filtered: tuple[Array, ...] = ()  # loads as the algorithmic acceleration of generalised-alpha has them

    def begin(self, t: float, h: float) -> None:
        """The method starts anew at time t, for steps of length h."""
        if isinstance(self._rule, Rule) or self._sample is None:
            return
        alpha_m, alpha_f, _, _ = method(self._rule)
        found = self._sample(t + h * self._change.shares)
        self.filtered = tuple(v[0] + (alpha_m - alpha_f) * np.tensordot(self._change.weights, v, 1) for v in found)

    def resume(self, filtered: tuple[Array, ...], t: float) -> None:
        """Take back what was filtered up to a time."""
        if self._sample is None:
            return
        if filtered:
            demand_like(filtered, [v[0] for v in self._sample(np.array([t]))])
        self.filtered = tuple(filtered)

    def missed(self, t: float, h: float) -> tuple[Array, ...] | None:
        """Mean over the step from t to t + h less what the method made of it; None if that is nothing."""
        if self._sample is None:
            return None
        if isinstance(self._rule, Rule):
            shares, weights = self._rule
            found = self._sample(t + h * np.concatenate((_SHARES[1:-1], shares)))
            taken = [np.tensordot(weights, v[len(_MEANS) :], 1) for v in found]
            inner = [v[: len(_MEANS)] for v in found]
        else:
            found = self._sample(t + h * _SHARES)
            alpha_m, alpha_f, gamma, _ = method(self._rule)
            if not self.filtered:
                self.begin(t, h)
            before = self.filtered
            self.filtered = tuple(
                ((1.0 - alpha_f) * v[-1] + alpha_f * v[0] - alpha_m * a) / (1.0 - alpha_m)
                for v, a in zip(found, before, strict=True)
            )
            taken = [(1.0 - gamma) * a + gamma * b for a, b in zip(before, self.filtered, strict=True)]
            inner = [v[1:-1] for v in found]
        out = tuple(np.tensordot(_MEANS, v, 1) - mean for v, mean in zip(inner, taken, strict=True))
        for part, values in zip(out, found, strict=True):
            if np.abs(part).max(initial=0.0) > _NOTHING * np.abs(values).max(initial=0.0):
                return out
        return None
