"""Spectra at critical values: eigenvalues on the imaginary axis within rounding, which would grow or not by chance.

Between two values the number of growing eigenvalues says what crossed. At a value that is critical itself rounding
decides that number: there, neutral eigenvalues are set on the axis, so that its neighbours decide.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import CosseratError
from cosserat.solve.linear.crossings import EigenCrossing, crossings
from cosserat.solve.linear.spectra import Spectrum

_TINY = 1e-5  # |s|, relative to the largest, below which it is the square root of rounding errors
_SHARP = 1e-11  # the same where simple eigenvalues near zero were found to full precision
_DOUBLE = 1e-5  # relative distance of imaginary eigenvalues that have met
_PARALLEL = 0.99  # likeness of shapes of eigenvalues that have met, not only passed one another
_ASIDE = 0.382  # where between two values others are probed: critical values on a grid do not lie there
_BEYOND = 1e-3  # how far beyond the last value, relative to the last step
_PILE = 1e-7  # distance of crossings, relative to the value, that cannot be told apart


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
                found.append(dataclasses.replace(crossing, value=last) if beyond > 0.0 else crossing)
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
    return dataclasses.replace(spectrum, eigenvalues=s, settled=True)


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
            out.append(dataclasses.replace(kept, count=max(1, abs(left) // (2 if kept.flutter else 1))))
    return out


def _eigenvalues(crossing: EigenCrossing) -> int:
    """How many eigenvalues begin to grow."""
    return crossing.count * (2 if crossing.flutter else 1) * (1 if crossing.loss else -1)
