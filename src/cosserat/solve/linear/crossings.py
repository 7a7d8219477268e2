"""Where eigenvalues cross the imaginary axis: bracketed by their number, then extrapolated from the growing side.

Where nothing dissipates, two imaginary eigenvalues meet at the critical value and leave the axis with a real part like
the square root of the distance: its square is analytic there, as the real part itself is with damping. Points on the
growing side, each ten times nearer than the one before, extrapolate it to zero without ever touching the double
eigenvalue, where rounding errors grow to their square root.

At critical values eigenvalues are on the imaginary axis within rounding, and would grow or not by chance. Between two
values the number of growing eigenvalues says what crossed. At a value that is critical itself rounding decides that
number: there, neutral eigenvalues are set on the axis, so that its neighbours decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from cosserat.errors import CosseratError, SolveError
from cosserat.solve.linear.spectra import Complex, Spectrum

_PRECISION = 1e-11  # relative change of the critical value at which the search ends
_CLOSEST = 1e-9  # relative distance from the critical value below which there is only noise
_NEARER = 0.1
_EVALUATIONS = 60
_OTHER = 1e-4  # relative distance, at the critical value, of an eigenvalue that is not the one which crosses
_STATIC = 1e-5  # imaginary part, relative to |s| at the end of the bracket, that is none
_TINY = 1e-5  # |s|, relative to the largest, below which it is the square root of rounding errors
_SHARP = 1e-11  # the same where simple eigenvalues near zero were found to full precision
_DOUBLE = 1e-5  # relative distance of imaginary eigenvalues that have met
_PARALLEL = 0.99  # likeness of shapes of eigenvalues that have met, not only passed one another
_BEFORE = 1e-2  # how far before a critical value, relative to the bracket, its branch must go on
_ASIDE = 0.382  # where between two values others are probed: critical values on a grid do not lie there
_BEYOND = 1e-3  # how far beyond the last value, relative to the last step
_BESIDE = 1e-3  # how far from a crossing, relative to where nothing is known to have crossed, others are looked for
_PILE = 1e-7  # distance of crossings, relative to the value, that cannot be told apart


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
    tried = True  # whether the last value was chosen by the guess
    s = 0j
    for _ in range(_EVALUATIONS):
        live, other = (far, near) if loss else (near, far)
        s = _crossing_eigenvalue(live, other)
        vanishing = s.real**2 if live.mirrored(s) else s.real
        nearer = not points or points[-1][0] != live.value
        if nearer:
            points = [p for p in points if (p[0] - live.value) * (live.value - other.value) >= 0.0]
            points.append((live.value, vanishing, s.imag))
        before = guess, imaginary
        rounded = other.settled or other.n_zero > live.n_zero  # critical as far as rounding can tell
        slack = abs(far.value - near.value) if rounded else _CLOSEST * abs(other.value)
        guess, imaginary = _extrapolate(points, other.value, live.value, slack)
        scale = max(abs(guess), 1e-3 * abs(b.value - a.value))
        known = abs(guess - before[0]) <= _PRECISION * scale and abs(imaginary - before[1]) <= 1e-9 * size
        settled = known and (nearer or tried)  # not only because no point came in
        if len(points) >= 3 and (settled or abs(live.value - guess) <= _CLOSEST * scale):
            break
        if np.isfinite(guess) and _NEARER * s.real <= 3.0 * live.least[live.eigenvalues == s][0]:
            break  # nearer, growth could not be told from rounding
        if abs(far.value - near.value) <= 1e-15 * (abs(far.value) + abs(near.value)):
            guess = 0.5 * (far.value + near.value) if abs(s.real) <= 1e-2 * abs(s) else np.nan
            imaginary = s.imag
            break
        tried = not rounded
        if rounded:
            at = other.value + _NEARER * (live.value - other.value)
        elif np.isfinite(guess):
            at = guess + _NEARER * (live.value - guess)
        else:
            at = 0.5 * (near.value + far.value)
        try:
            middle = evaluate(at)
        except SolveError:
            if len(points) >= 3 and np.isfinite(guess):
                break  # so near a critical value that its equilibrium is not found: what is known tells the value
            raise
        if middle.n_zero > live.n_zero and len(points) >= 3 and np.isfinite(guess):
            break
        if middle.n_growing == near.n_growing:
            near = middle
        else:
            far = middle
            loss = far.n_growing > near.n_growing
    if not np.isfinite(guess):
        if not near.continues(far):
            raise SolveError(
                f"{far.where} the equilibrium leaps to another branch; pass values on one side of it, or follow the "
                "path with cs.continuation"
            )
        return None, far
    flutter = abs(imaginary) > _STATIC * size
    alone = abs(far.n_growing - near.n_growing) == (2 if flutter else 1)
    room = other.value - guess
    part = max(_BESIDE, _PILE * scale / abs(room)) if room else 1.0  # nearer, rounding decides what grows
    if part < 1.0 and not (alone or other.settled or other.n_zero > live.n_zero):
        beside = evaluate(guess + part * room)  # several at once, or others between
        if beside.n_growing != other.n_growing:
            if loss or beside.n_growing == near.n_growing:
                return _first(evaluate, *((a, beside) if loss else (beside, b)))
            far = beside
    if len(points) > 1 and not live.mirrored(s):
        guess, imaginary = _polish(evaluate, points[-1], guess, complex(0.0, imaginary))
    guess = min(max(guess, min(a.value, b.value)), max(a.value, b.value))
    if abs(near.value - guess) > _BEFORE * abs(b.value - a.value):
        evaluate(guess + _BEFORE * (near.value - guess))  # an error at a limit point, where another branch begins
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
    apart = np.subtract.outer(x, x) + np.diag(x)  # x_k - x_i, and x_i itself
    return float((np.array(x)[:, None] / apart).prod(axis=0) @ y)


def all_crossings(
    evaluate: Callable[[float], Spectrum], spectra: list[Spectrum], usual: tuple[int, int]
) -> list[EigenCrossing]:
    """All crossings of the imaginary axis along a row of spectra, whose values may be critical themselves.

    At the first value only a loss is reported, nothing being known of what was before.
    """
    row = [settle(spectra[0], usual)]
    for a, b in pairwise(spectra):
        following = settle(b, usual)
        if row[-1].settled and following.settled:
            row.append(evaluate(a.value + _ASIDE * (b.value - a.value)))
        row.append(following)
    last = row[-1].value
    if row[-1].settled:
        try:
            row.append(evaluate(last + _BEYOND * (last - spectra[-2].value)))
        except CosseratError:
            pass  # the model does not take values beyond
    found = []
    for a, b in pairwise(row):
        for crossing in crossings(evaluate, a, b):
            beyond = abs(crossing.value - spectra[0].value) - abs(last - spectra[0].value)
            if beyond <= _PILE * abs(last - spectra[-2].value):
                found.append(replace(crossing, value=last) if beyond > 0.0 else crossing)
    return without_piles(found, abs(last - spectra[0].value))


def usual_neutral(evaluate: Callable[[float], Spectrum], spectra: list[Spectrum]) -> tuple[int, int]:
    """How many eigenvalues are zero, and neutral, at all values: free motions, and modes without damping."""
    counts = np.array([[np.count_nonzero(mask) for mask in _masks(s)] for s in spectra]).min(axis=0)
    if counts.any():  # all the values may be critical
        a, b = spectra[0].value, spectra[1].value
        aside = evaluate(a + _ASIDE * (b - a))
        counts = np.minimum(counts, [np.count_nonzero(mask) for mask in _masks(aside)])
    return int(counts[0]), int(counts[1])


def settle(spectrum: Spectrum, usual: tuple[int, int]) -> Spectrum:
    """The spectrum with neutral eigenvalues on the imaginary axis; itself if there are no more than usual."""
    s = spectrum.eigenvalues.copy()
    zero, neutral = _masks(spectrum)
    more_zero, more_neutral = np.count_nonzero(zero) > usual[0], np.count_nonzero(neutral) > usual[1]
    if not (more_zero or more_neutral):
        return spectrum
    if more_zero:
        s[zero] = 0.0
    if more_neutral:
        s.real[neutral] = 0.0
    return replace(spectrum, eigenvalues=s, settled=True)


def _masks(spectrum: Spectrum) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which eigenvalues are zero but for the square root of rounding errors, and which others are on the axis."""
    s = spectrum.eigenvalues
    zero = np.abs(s) <= (_SHARP if spectrum.sharp else _TINY) * np.max(np.abs(s), initial=0.0)
    neutral = _met(spectrum) if spectrum.undamped else np.abs(s.real) <= 10.0 * spectrum.rounding * np.abs(s)
    return zero, neutral & ~zero


def _met(spectrum: Spectrum) -> NDArray[np.bool_]:
    """Which imaginary eigenvalues are double with one shape, as where two meet to leave the axis."""
    s, shapes = spectrum.eigenvalues, spectrum.shapes
    near = np.abs(s[:, None] - s[None, :]) <= _DOUBLE * np.abs(s)[:, None]
    near &= (np.abs(s.real) <= _DOUBLE * np.abs(s))[:, None]
    np.fill_diagonal(near, False)
    if not near.any():
        return np.zeros(len(s), dtype=bool)
    products = np.abs(shapes.conj().T @ (spectrum.mass @ shapes))
    sizes = np.sqrt(np.maximum(np.diag(products), 1e-300))
    out: NDArray[np.bool_] = np.any(near & (products > _PARALLEL * np.outer(sizes, sizes)), axis=1)
    return out


def without_piles(found: list[EigenCrossing], span: float) -> list[EigenCrossing]:
    """Crossings to and fro at one value count as what is left of them; rounding errors pile them up."""
    piles: list[list[EigenCrossing]] = []
    for crossing in found:
        if piles and abs(crossing.value - piles[-1][-1].value) <= _PILE * max(abs(crossing.value), 1e-3 * span):
            piles[-1].append(crossing)
        else:
            piles.append([crossing])
    out = []
    for pile in piles:
        if len({c.loss for c in pile}) == 1:
            out += pile
            continue
        left = sum(_eigenvalues(c) for c in pile)
        if left:
            alike = [c for c in pile if c.loss == (left > 0) and c.flutter == (left % 2 == 0)]
            kept = (alike or [c for c in pile if c.loss == (left > 0)])[0]
            out.append(replace(kept, count=max(1, abs(left) // (2 if kept.flutter else 1))))
    return out


def _eigenvalues(crossing: EigenCrossing) -> int:
    """How many eigenvalues begin to grow."""
    return crossing.count * (2 if crossing.flutter else 1) * (1 if crossing.loss else -1)
