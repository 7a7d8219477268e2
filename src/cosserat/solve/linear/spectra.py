"""Eigenvalues of a mechanism as functions of a parameter: which grow, and which belong to one another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csc_matrix

from cosserat.lie.protocol import Array
from cosserat.solve.interrupts import finished
from cosserat.solve.linear.growing import doubtful_growth, is_undamped, stray
from cosserat.solve.linear.quadratic import eigenpairs

Complex = NDArray[np.complex128]

SPARE = 4  # eigenvalues computed beyond those asked for, so that none is missed that comes in from outside
_SAME = 1e-6  # relative distance of eigenvalues that share a space of shapes
_ALIKE = 0.6  # likeness of shapes from which two modes of neighbouring values are the same one
_DEPTH = 3
UNREFINED = "and critical values between them are not located"  # where the user interrupts


@dataclass
class Spectrum:
    """Eigenvalues nearest zero at one value of a parameter.

    Attributes
    ----------
    undamped : bool
        Whether nothing dissipates: then stable eigenvalues are imaginary and lose stability in pairs.
    sharp : bool
        Whether simple eigenvalues near zero are found to full precision, and not to its square root.
    settled : bool
        Whether the value is critical, and its neutral eigenvalues were set on the imaginary axis.
    where : str
        Who asked for it, at which values, in words.
    doubt : (k,)
        Real parts that errors of the stiffness may give.
    """

    value: float
    eigenvalues: Complex  # (k,)
    shapes: Complex  # (6n, k)
    mass: csc_matrix
    undamped: bool
    sharp: bool = False
    settled: bool = False
    where: str = ""
    doubt: Array | float = 0.0

    @property
    def rounding(self) -> float:
        """Real part that may be rounding, relative to |s|."""
        return stray(self.undamped)

    @property
    def growing(self) -> NDArray[np.bool_]:
        """Which eigenvalues have a positive real part."""
        return self.eigenvalues.real > self.least

    @property
    def least(self) -> Array:
        """Real parts (k,) that can be told from rounding."""
        return np.maximum(self.rounding * np.abs(self.eigenvalues), self.doubt)

    @property
    def n_growing(self) -> int:
        """How many eigenvalues have a positive real part: it changes by one for divergence, by two for flutter."""
        return int(np.count_nonzero(self.growing))

    @property
    def n_zero(self) -> int:
        """How many eigenvalues are zero: free motions, and those that rounding cannot tell from it."""
        return int(np.count_nonzero(self.eigenvalues == 0.0))

    def continues(self, other: Spectrum) -> bool:
        """Whether most eigenvalues are those of another spectrum, computed at very nearly the same value."""
        moving = self.eigenvalues[self.eigenvalues != 0.0]
        apart = np.min(np.abs(moving[:, None] - other.eigenvalues[None, :]), axis=1, initial=np.inf)
        return bool(np.mean(apart <= _SAME * np.abs(moving)) > 0.5) if len(moving) else True

    def mirrored(self, s: complex) -> bool:
        """Whether -conj(s) is an eigenvalue too, as in systems that dissipate nothing."""
        return bool(np.min(np.abs(self.eigenvalues + np.conj(s))) <= 1e-2 * abs(s.real))


class Spectra:
    """Spectra of a mechanism at values of its parameters: the n eigenvalues nearest zero, and some more.

    On the grid, flutter of what is faster is looked for, too. Where there is some, it is looked for everywhere near its
    frequency, and then weak growth counts as well: so its beginning is found.

    Attributes
    ----------
    count : int
        How many were computed.
    """

    def __init__(self, states: Any, n: int) -> None:
        self._states, self._n = states, n + SPARE
        self._fast: list[float] | None = []  # frequencies; None: not looked for
        self.count = 0

    def on_grid(self, caller: str, what: str, items: Sequence[Any], evaluate: Callable[[Any], Any]) -> list[Any]:
        """What `evaluate` gives for all items, or those before an interrupt; between them nothing new is looked for."""
        found = finished(caller, what, items, evaluate, 2, UNREFINED)
        if self._fast and len(found) == len(items):
            return finished(caller, what, items, evaluate, 2, UNREFINED)
        self._fast = self._fast or None
        return found

    def along(self, caller: str, what: str, grid: Array) -> tuple[list[Spectrum], Tracked]:
        """Spectra at values of one parameter, or at those before an interrupt, and their modes from `track`."""
        row = self.on_grid(caller, what, grid.tolist(), self.at)
        return row, track(row, self._n - SPARE, self.at if len(row) == len(grid) else None)

    def at(self, *values: float) -> Spectrum:
        """The spectrum at values of the parameters, the first of which it is named by."""
        self.count += 1
        matrices = self._states.at(*values).matrices()
        s, shapes = eigenpairs(matrices, self._n, beyond=self._fast)
        sharp, knobs = matrices.inner is not None, self._states.knobs
        where = f"{knobs.caller}: at {knobs.text(values)}"
        found = Spectrum(values[0], s, shapes, matrices.mass, is_undamped(matrices), sharp=sharp, where=where)
        found.doubt = doubtful_growth(matrices, s, shapes)
        if self._fast is not None:
            self._fast += s[found.growing & (np.arange(len(s)) >= self._n) & (s.imag > 0.0)].imag.tolist()
        return found


Tracked = tuple[Complex, list[Complex], list[Spectrum]]


def track(
    spectra: list[Spectrum], n: int, between: Callable[[float], Spectrum] | None
) -> Tracked:
    """Eigenvalues (value, mode) in the order of the first spectrum, each mode followed by its shape.

    Where it is not clear which mode is which, spectra between are asked for, if they can be. Returns also the shapes in
    that order and all spectra, those between included.
    """
    n = min([n, *(len(s.eigenvalues) for s in spectra)])
    # shapes of free motions, all with the eigenvalue zero, are any of their space: begin where there are fewest
    # and of lags that only decay few are in a spectrum: begin where most of what grows is among them
    first = min(range(len(spectra)), key=lambda k: (spectra[k].n_zero, -spectra[k].n_growing * spectra[k].sharp))
    budget = [len(spectra)]
    up = _walk(spectra[first:], n, between, budget)
    down = _walk(spectra[first::-1], n, between, budget)
    values = np.array([*down[0][:0:-1], *up[0]])
    order = np.argsort(np.abs(values[0]), kind="stable") if first else np.arange(n)
    shapes = [x[:, order] for x in [*down[1][:0:-1], *up[1]]]
    return values[:, order], shapes, [*down[2][:0:-1], *up[2]]


def _walk(
    spectra: list[Spectrum], n: int, between: Callable[[float], Spectrum] | None, budget: list[int]
) -> tuple[list[Complex], list[Complex], list[Spectrum]]:
    """Modes of the first of some spectra followed to the last."""
    current = spectra[0].eigenvalues[:n], spectra[0].shapes[:, :n]
    values, shapes, everything = [current[0]], [current[1]], [spectra[0]]
    for a, b in pairwise(spectra):
        current, passed = _step(current, a, b, between, _DEPTH, budget)
        values.append(current[0])
        shapes.append(current[1])
        everything += passed
    return values, shapes, everything


def _step(
    current: tuple[Complex, Complex],
    a: Spectrum,
    b: Spectrum,
    between: Callable[[float], Spectrum] | None,
    depth: int,
    budget: list[int],
) -> tuple[tuple[Complex, Complex], list[Spectrum]]:
    following, likeness = match(*current, b)
    if between is None or depth == 0 or budget[0] <= 0 or likeness > _ALIKE or a.n_growing != b.n_growing:
        return following, [b]
    budget[0] -= 1
    middle = between(0.5 * (a.value + b.value))
    half, first = _step(current, a, middle, between, depth - 1, budget)
    end, second = _step(half, middle, b, between, depth - 1, budget)
    return end, first + second


def match(values: Complex, shapes: Complex, new: Spectrum) -> tuple[tuple[Complex, Complex], float]:
    """Eigenvalues and shapes of a spectrum in the order of known ones, and the least likeness of a pair.

    Likeness is the modal assurance criterion in the metric of the mass; of eigenvalues that coincide, whose shapes are
    arbitrary in their common space, those shapes are taken that are nearest the known ones.
    """
    weighted = new.mass @ new.shapes
    sizes = np.sqrt(np.abs(np.sum(new.shapes.conj() * weighted, axis=0)))
    old_sizes = np.sqrt(np.abs(np.sum(shapes.conj() * (new.mass @ shapes), axis=0)))
    products = (weighted.conj().T @ shapes) / np.outer(sizes, old_sizes)
    likeness = np.abs(products.T) ** 2
    candidates = new.shapes / sizes
    groups = _groups(new.eigenvalues)
    nearest: dict[int, Complex] = {}
    for group in groups:
        if len(group) > 1:
            gram = (weighted[:, group] / sizes[group]).conj().T @ candidates[:, group]
            parts = np.linalg.lstsq(gram, products[group], rcond=1e-8)[0]
            together = np.abs(np.sum(products[group].conj() * parts, axis=0))
            for k in group:
                likeness[:, k] = together
                nearest[k] = candidates[:, group] @ parts
    distance = np.abs(values[:, None] - new.eigenvalues[None, :])
    scale = np.maximum(np.maximum(np.abs(values)[:, None], np.abs(new.eigenvalues)[None, :]), 1e-300)
    rows, columns = linear_sum_assignment(1.0 - likeness + distance / scale)
    out = new.shapes[:, columns].copy()
    for i, k in zip(rows, columns, strict=True):
        if k in nearest and np.any(nearest[k][:, i]):
            out[:, i] = nearest[k][:, i] / np.linalg.norm(nearest[k][:, i])
    moving = new.eigenvalues[columns] != 0.0
    return (new.eigenvalues[columns], out), float(np.min(likeness[rows, columns][moving], initial=1.0))


def _groups(values: Complex) -> list[list[int]]:
    """Numbers of eigenvalues that coincide."""
    groups: list[list[int]] = []
    for k, s in enumerate(values):
        for group in groups:
            if abs(values[group[0]] - s) <= _SAME * abs(s):
                group.append(k)
                break
        else:
            groups.append([k])
    return groups
