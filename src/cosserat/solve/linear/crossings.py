"""Where eigenvalues cross the imaginary axis: bracketed by their number, then extrapolated from the growing side.

Where nothing dissipates, two imaginary eigenvalues meet at the critical value and leave the axis with a real part like
the square root of the distance: its square is analytic there, as the real part itself is with damping. Points on the
growing side, each ten times nearer than the one before, extrapolate it to zero without ever touching the double
eigenvalue, where rounding errors grow to their square root.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.optimize import linear_sum_assignment

from cosserat.solve.linear.spectra import Complex, Spectrum

_PRECISION = 1e-11  # relative change of the critical value at which the search ends
_CLOSEST = 1e-9  # relative distance from the critical value below which there is only noise
_NEARER = 0.1
_EVALUATIONS = 60
_OTHER = 1e-4  # relative distance, at the critical value, of an eigenvalue that is not the one which crosses
_STATIC = 1e-5  # imaginary part, relative to |s| at the end of the bracket, that is none


@dataclass(frozen=True)
class EigenCrossing:
    """One or several eigenvalues that cross the imaginary axis together.

    Attributes
    ----------
    value : float
        Of the parameter.
    eigenvalue : complex
        i omega there, omega >= 0.
    flutter : bool
        Whether it oscillates.
    loss : bool
        Whether stability is lost (as the parameter goes on), not regained.
    count : int
        How many modes cross.
    """

    value: float
    eigenvalue: complex
    flutter: bool
    loss: bool
    count: int


def crossings(evaluate: Callable[[float], Spectrum], a: Spectrum, b: Spectrum) -> list[EigenCrossing]:
    """All changes of the number of growing eigenvalues between two spectra, from a to b."""
    low, high = min(a.value, b.value), max(a.value, b.value)

    def inside(value: float) -> Spectrum:  # a model may not take values beyond those asked for
        return evaluate(min(max(value, low), high))

    found = []
    while a.n_growing != b.n_growing:
        crossing, after = _first(inside, a, b)
        if crossing is not None:
            found.append(crossing)
        if after.value == b.value:
            break
        a = after
    return found


def _first(evaluate: Callable[[float], Spectrum], a: Spectrum, b: Spectrum) -> tuple[EigenCrossing | None, Spectrum]:
    """The change nearest a, None if an eigenvalue only left the set that is computed; and a spectrum beyond it."""
    near, far = a, b
    size = max(float(np.max(np.abs(x.eigenvalues[x.growing]), initial=0.0)) for x in (a, b))
    points: list[tuple[float, float, float]] = []  # value, what vanishes, imaginary part; on the growing side
    guess = imaginary = np.nan
    loss = far.n_growing > near.n_growing
    s = 0j
    for _ in range(_EVALUATIONS):
        live, other = (far, near) if loss else (near, far)
        s = _crossing_eigenvalue(live, other)
        vanishing = s.real**2 if live.mirrored(s) else s.real
        if not points or points[-1][0] != live.value:
            points = [p for p in points if (p[0] - live.value) * (live.value - other.value) >= 0.0]
            points.append((live.value, vanishing, s.imag))
        before = guess, imaginary
        rounded = other.settled or other.n_zero > live.n_zero  # critical as far as rounding can tell
        slack = abs(far.value - near.value) if rounded else _CLOSEST * abs(other.value)
        guess, imaginary = _extrapolate(points, other.value, live.value, slack)
        scale = max(abs(guess), 1e-3 * abs(b.value - a.value))
        settled = abs(guess - before[0]) <= _PRECISION * scale and abs(imaginary - before[1]) <= 1e-9 * size
        if len(points) >= 3 and (settled or abs(live.value - guess) <= _CLOSEST * scale):
            break
        if np.isfinite(guess) and _NEARER * s.real <= 3.0 * live.rounding * abs(s):
            break  # nearer, growth could not be told from rounding
        if abs(far.value - near.value) <= 1e-15 * (abs(far.value) + abs(near.value)):
            guess = 0.5 * (far.value + near.value) if abs(s.real) <= 1e-2 * abs(s) else np.nan
            imaginary = s.imag
            break
        if rounded:
            at = other.value + _NEARER * (live.value - other.value)
        elif np.isfinite(guess):
            at = guess + _NEARER * (live.value - guess)
        else:
            at = 0.5 * (near.value + far.value)
        middle = evaluate(at)
        if middle.n_zero > live.n_zero and len(points) >= 3 and np.isfinite(guess):
            break
        if middle.n_growing == near.n_growing:
            near = middle
        else:
            far = middle
            loss = far.n_growing > near.n_growing
    if not np.isfinite(guess):
        return None, far
    if len(points) > 1 and not live.mirrored(s):
        guess, imaginary = _polish(evaluate, points[-1], guess, complex(0.0, imaginary))
    guess = min(max(guess, min(a.value, b.value)), max(a.value, b.value))
    flutter = abs(imaginary) > _STATIC * size
    count = abs(far.n_growing - near.n_growing) // (2 if flutter else 1)
    return EigenCrossing(guess, complex(0.0, abs(imaginary) if flutter else 0.0), flutter, loss, max(count, 1)), far


def _polish(
    evaluate: Callable[[float], Spectrum], point: tuple[float, float, float], guess: float, s: complex
) -> tuple[float, float]:
    """Secant steps on a real part that is smooth through zero, down to where rounding stops them."""
    (before, real, _), change = point, np.inf
    for _ in range(6):
        eigenvalues = evaluate(guess).eigenvalues
        near = complex(eigenvalues[np.argmin(np.abs(eigenvalues - s))])
        if near.real == real or abs(near - s) > _OTHER * abs(s):  # slower ones may hide it where it does not grow
            break
        s = near
        step = -s.real * (guess - before) / (s.real - real)
        if not abs(step) < 0.5 * change:
            break
        before, real, guess, change = guess, s.real, guess + step, abs(step)
        if change <= _PRECISION * abs(guess):
            break
    return guess, abs(s.imag)


def _crossing_eigenvalue(live: Spectrum, other: Spectrum) -> complex:
    """Of the growing eigenvalues of one side the slowest that has no partner among those of the other."""
    mine = live.eigenvalues[live.growing & (live.eigenvalues.imag >= 0.0)]
    theirs = other.eigenvalues[other.growing & (other.eigenvalues.imag >= 0.0)]
    left: Complex = mine
    if len(theirs) and len(mine) > len(theirs):
        taken = linear_sum_assignment(np.abs(mine[:, None] - theirs[None, :]))[0]
        left = np.delete(mine, taken)
    return complex(left[np.argmin(left.real)])


def _extrapolate(
    points: list[tuple[float, float, float]], other: float, live: float, slack: float
) -> tuple[float, float]:
    """Value at which the quantity that vanishes does, and imaginary part there; NaN if outside the bracket.

    The end of the bracket that does not grow may be critical itself: so far the guess may lie beyond it.
    """
    last = points[-3:]
    vanishing = [p[1] for p in last]
    if len(last) < 2 or any(not 0.0 <= y < x for x, y in pairwise(vanishing)):
        return np.nan, np.nan
    guess = _at_zero(vanishing, [p[0] for p in last])
    if not min(other, live) - slack <= guess <= max(other, live) + slack:
        return np.nan, np.nan
    return float(guess), _at_zero(vanishing, [p[2] for p in last])


def _at_zero(x: list[float], y: list[float]) -> float:
    """Value at zero of the polynomial through points."""
    out = 0.0
    for i in range(len(x)):
        weight = 1.0
        for k in range(len(x)):
            if k != i:
                weight *= x[k] / (x[k] - x[i])
        out += weight * y[i]
    return float(out)
