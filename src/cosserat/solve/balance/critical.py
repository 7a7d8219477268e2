"""Limit and branch points between two points of an equilibrium path: found, told apart and located."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from cosserat.lie.protocol import Array
from cosserat.solve.balance.arc import Arc, PathState

_SAME_SHAPE = 0.7  # cosine from which two eigenvectors of neighbouring points belong together
_SAME_PLACE = 1e-4  # of a step: critical points nearer than this are one, with several shapes
_PATH = 0.1  # part of a shape that runs along the path, from which it is its own
_TURNS, _TURNED = 4, 1e-10  # how often a barred shape is improved, and how little it then may turn
_SINGULAR = 1e-3  # drop of the eigenvalue that tells a zero from a pole


class Lost(Exception):
    """The path could not be followed while a point was located."""


@dataclass
class ExaminedState:
    """A path point with its nearest eigenvalues."""

    state: PathState
    values: Array
    shapes: Array  # (n, k)

    @property
    def stable(self) -> bool:
        """Whether none of the nearest eigenvalues is negative."""
        return not np.any(self.values < 0.0)


@dataclass
class CriticalState:
    """A limit or branch point."""

    kind: str
    length: float  # from the start of the step
    state: PathState
    shapes: list[Array]  # null vectors, each (n,)
    direction: Array  # of the path there


def point_of(arc: Arc, state: PathState) -> ExaminedState:
    """A path point, its eigenvalues computed."""
    return ExaminedState(state, *arc.eigenvalues(state))


def critical_points(arc: Arc, a: ExaminedState, b: ExaminedState, length: float) -> list[CriticalState] | None:
    """Critical points in the step of a length from a to b, in order; None if the step must be shorter to tell."""
    found: list[CriticalState] = []
    turned = a.state.tangent[-1] * b.state.tangent[-1] < 0.0
    for shape in _crossing(arc, a, b):
        try:
            critical = _locate_singular(arc, a, length, shape, turned)
        except Lost:
            return None
        if critical is None:
            continue
        same = [c for c in found if abs(c.length - critical.length) <= _SAME_PLACE * length and c.kind == critical.kind]
        if same:
            same[0].shapes.append(_apart(arc, critical.shapes[0], same[0].shapes))
        else:
            found.append(critical)
    crossed = sum(len(c.shapes) for c in found)
    if (a.state.sign != b.state.sign) != (crossed % 2 == 1):
        return None
    if turned and not any(c.kind == "limit" for c in found):
        try:
            found.append(_locate_turn(arc, a, length))
        except Lost:
            return None
    return sorted(found, key=lambda c: c.length)


def _crossing(arc: Arc, a: ExaminedState, b: ExaminedState) -> list[Array]:
    """Eigenvectors at one end of a step whose eigenvalue has the other sign at the other end."""
    weights = arc.weights[: arc.n]
    alike = np.abs(a.shapes.T @ (weights[:, None] * b.shapes))
    shapes: list[Array] = []
    taken = set[int]()  # of two that vanish together, both may be most alike to the same one at the other end
    for i, value in enumerate(a.values):
        if not alike.shape[1]:
            break
        j = int(np.argmax(alike[i]))
        opposite = [k for k in range(len(b.values)) if value * b.values[k] < 0.0 and alike[i, k] > _SAME_SHAPE / 2]
        if (alike[i, j] >= _SAME_SHAPE and value * b.values[j] < 0.0) or (opposite and alike[i, j] < _SAME_SHAPE):
            own = abs(value) <= abs(b.values[j]) or j in taken
            shapes.append(a.shapes[:, i] if own else b.shapes[:, j])
            taken |= set() if own else {j}
    return shapes


def _at(arc: Arc, a: ExaminedState, length: float) -> PathState:
    """The path at a length from the start of a step."""
    state = arc.correct(a.state, a.state.tangent, length, strict=False)
    if state is None:
        raise Lost
    return state


def _locate_singular(arc: Arc, a: ExaminedState, length: float, shape: Array, turned: bool) -> CriticalState | None:
    """Where the eigenvalue of a shape vanishes; None if it does not."""
    if not turned or _along(arc, shape, a.state.tangent) <= _PATH:
        return _locate_branch(arc, a, length, shape)
    found = _vanishes(arc, a, length, lambda state: arc.softness(state, shape))
    if found is None:
        return None
    s, state = found
    null = _null_vector(arc, state, shape)
    # at a limit point the path itself runs along the null vector, and the parameter stands still
    kind = "limit" if _along(arc, null, a.state.tangent) > _PATH else "branch"
    return CriticalState(kind, s, state, [null], state.tangent if kind == "limit" else a.state.tangent)


def _vanishes(
    arc: Arc, a: ExaminedState, length: float, value: Callable[[PathState], float]
) -> tuple[float, PathState] | None:
    """Where in a step a number changes its sign through zero, and the path there; None: not through zero, or not."""

    def along(s: float) -> float:
        return value(_at(arc, a, s))

    ends = along(0.0), along(length)
    if not ends[0] * ends[1] < 0.0:
        return None
    s = float(brentq(along, 0.0, length, xtol=1e-13 * length, rtol=1e-14, maxiter=60))
    state = _at(arc, a, s)
    return (s, state) if abs(value(state)) <= _SINGULAR * max(abs(ends[0]), abs(ends[1])) else None


def _along(arc: Arc, shape: Array, tangent: Array) -> float:
    """How far a shape of norm 1 runs along the path."""
    return float(abs(np.sum(arc.weights[: arc.n] * shape * tangent[: arc.n])))


def _locate_branch(arc: Arc, a: ExaminedState, length: float, shape: Array) -> CriticalState | None:
    """Where the stiffness against a shape vanishes that does not belong to the path.

    The equations of the path are singular there: two paths cross. With the shape barred they are not, and the force of
    the bar for a unit of the shape is that stiffness.
    """
    before = arc.neutral
    try:
        for _ in range(_TURNS):
            arc.neutral = np.hstack((before, shape[:, None]))
            found = _vanishes(arc, a, length, lambda state: arc.barred(state)[0])
            if found is None:
                return None
            s, state = found
            null = arc.barred(state)[1]
            null = null / np.sqrt(np.sum(arc.weights[: arc.n] * null**2))
            apart = abs(1.0 - abs(float(np.sum(arc.weights[: arc.n] * null * shape))))
            shape = null  # the shape of the step is not quite the one of the point
            if apart <= _TURNED:
                break
    finally:
        arc.neutral = before
    return CriticalState("branch", s, replace(state, lu=None), [shape], a.state.tangent)


def _locate_turn(arc: Arc, a: ExaminedState, length: float) -> CriticalState:
    """Where the parameter turns though no eigenvalue changes sign: the path meets the one it branched from."""
    s = float(brentq(lambda s: _at(arc, a, s).tangent[-1], 0.0, length, xtol=1e-13 * length, rtol=1e-14))
    state = _at(arc, a, s)
    null = state.tangent[: arc.n]
    weights = arc.weights[: arc.n]
    return CriticalState("branch", s, state, [null / np.sqrt(np.sum(weights * null**2))], state.tangent)


def _null_vector(arc: Arc, state: PathState, shape: Array) -> Array:
    """Null vector of the tangent near a shape, by inverse iteration."""
    weights = arc.weights[: arc.n]
    for _ in range(2):
        shape = arc.inverse(state, weights * shape)
        shape = shape / np.sqrt(np.sum(weights * shape**2))
    return shape


def _apart(arc: Arc, shape: Array, others: list[Array]) -> Array:
    """A shape made orthogonal to others of the same point, with norm 1."""
    weights = arc.weights[: arc.n]
    for other in others:
        shape = shape - np.sum(weights * shape * other) * other
    return shape / np.sqrt(np.sum(weights * shape**2))
