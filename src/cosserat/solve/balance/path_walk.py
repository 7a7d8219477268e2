"""Steps along an equilibrium path, until it ends: their length, and what lies between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cosserat.errors import CosseratError, SolveError
from cosserat.lie.protocol import Array
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.status import Outcome, Status
from cosserat.solve.balance.arc import Arc, PathState
from cosserat.solve.balance.critical import CriticalState, ExaminedState, critical_points, point_of
from cosserat.solve.interrupts import Interrupts

_SMALLEST = 1e-7  # step length below which a path is given up
_STRAYING = 0.1  # first correction, relative to the step, up to which steps grow
_NEUTRAL = 1e-3  # stiffness of a neutral motion, relative to the softest other one
_LARGEST_TURN = 0.3  # rad between tangents of neighbouring points
_CORNER, _SHARPEST = 1e-3, 0.3  # step length across a corner, and cosine of its angle


@dataclass
class Options:
    """How a path is followed, and how far all of its branches are."""

    stop: float  # value of the parameter
    step: float
    max_step: float
    max_steps: int
    mode: int  # of a branch point: which of its critical shapes
    until: Callable[[Equilibrium, float], bool] | None
    time: float
    tolerance: float
    progress: Callable[[int, float], None] | None
    n_steps: int = 0  # of all paths so far
    interrupts: Interrupts = field(default_factory=Interrupts)

    def report(self, value: float) -> None:
        """Say how far it is; what the user's function raises, or an interrupt, ends the path, which is kept."""
        self.n_steps += 1
        if self.progress is not None:
            try:
                self.progress(self.n_steps, value)
            except Exception as error:
                raise Raised("progress", error) from error
        if self.interrupts.asked:
            raise KeyboardInterrupt

    def ends(self, found: Equilibrium, value: float) -> bool:
        """Whether the user's function wants the path to end here."""
        try:
            return self.until is not None and bool(self.until(found, value))
        except Exception as error:
            raise Raised("until", error) from error


class Raised(Exception):
    """What a function of the user raised."""

    def __init__(self, what: str, cause: Exception) -> None:
        super().__init__(f"{what}: {type(cause).__name__}: {cause}")
        self.cause = cause


@dataclass
class Trace:
    """Points of a path as they are found."""

    points: list[ExaminedState] = field(default_factory=list)
    marks: list[tuple[int, CriticalState]] = field(default_factory=list)
    branched: bool = False  # whether the first point is a branch point

    def add(self, point: ExaminedState, between: list[CriticalState]) -> None:
        for critical in between:
            state = critical.state
            self.marks.append((len(self.points), critical))
            self.points.append(ExaminedState(state, np.zeros(0), np.zeros((0, 0))))
        self.points.append(point)


def walk(arc: Arc, trace: Trace, first: PathState, leave: Array | None, options: Options) -> Status:
    """Step by step until the end; `leave` is the direction of the first step, if not along the path."""
    here = point_of(arc, first) if leave is None else ExaminedState(first, np.zeros(0), np.zeros((arc.n, 0)))
    length, stop = options.step, options.stop
    if leave is None:
        if (stop - first.value) * first.tangent[-1] < 0.0:
            first.tangent = -first.tangent
        elif first.tangent[-1] == 0.0:
            raise SolveError(f"continuation: the path stands across {arc.name} at its start; start at another value")
    trace.add(here, [])
    outward = first.tangent if leave is None else leave
    n_steps = 0
    while n_steps < options.max_steps:
        direction = here.state.tangent if leave is None else leave
        state = arc.correct(here.state, direction, length, strict=leave is None)
        turn = np.inf if state is None else np.arccos(np.clip(arc.inner(state.tangent, direction), -1.0, 1.0))
        between: list[CriticalState] | None = None
        final = False
        if state is not None and (turn <= _LARGEST_TURN or leave is not None):
            if (state.value - stop) * (here.state.value - stop) < 0.0:
                part = (stop - here.state.value) / (state.value - here.state.value)
                at_stop = arc.correct(here.state, direction, part * length, fixed=stop, strict=False)
                if at_stop is not None:
                    state, final = at_stop, True
                    if arc.inner(state.tangent, direction) < 0.0:
                        state.tangent = -state.tangent
            there = point_of(arc, state)
            if leave is not None and arc.neutral.size:
                softest = np.min(np.abs(there.values), initial=np.inf)
                if arc.follow_neutral(state) > _NEUTRAL * softest:
                    arc.neutral = np.zeros((arc.n, 0))  # the other shapes are other branches
                    continue
            covered = length if not final else _length_between(arc, here.state, there.state, direction, length)
            between = [] if leave is not None else critical_points(arc, here, there, covered)
        if between is None:
            length *= 0.5
            if length < _SMALLEST and leave is None:
                beyond = _around_corner(arc, here.state)
                if beyond is not None and (stop - beyond.value) * (stop - here.state.value) > 0.0:
                    here, length = point_of(arc, beyond), _CORNER
                    trace.add(here, [])
                    n_steps += 1
                    continue
            if length < _SMALLEST:
                return _ended(arc, here, Outcome.PATH_LOST, "")
            continue
        assert state is not None
        problem = _not_accepted(arc, state.value)
        if problem:
            return _ended(arc, here, Outcome.PATH_LOST, problem)
        trace.add(there, between)
        n_steps += 1
        options.report(state.value)
        if n_steps > 2 and arc.passes(first, here.state, state, outward):
            return _ended(arc, here, Outcome.OK, "the path is closed: it is back where it began")
        if arc.neutral.size and leave is None:
            arc.follow_neutral(state)
        here, leave = there, None
        if final:
            return _ended(arc, here, Outcome.OK, f"{arc.name} = {stop:g} reached")
        if options.until is not None and options.ends(arc.balance.found(state.where), state.value):
            return _ended(arc, here, Outcome.OK, f"until was satisfied at {arc.name} = {state.value:.6g}")
        growth = 2.0 if state.strayed <= _STRAYING else 1.0 if state.strayed <= 3.0 * _STRAYING else 0.7
        bend = 0.5 * _LARGEST_TURN / max(turn, 1e-3)
        length = min(options.max_step, length * float(np.clip(min(growth, bend), 0.5, 2.0)))
    return _ended(arc, here, Outcome.OUT_OF_STEPS, f"{n_steps} steps")


def _ended(arc: Arc, here: ExaminedState, outcome: Outcome, detail: str) -> Status:
    """How a path ends at one of its points."""
    return Status(outcome, arc.balance.times[0], detail, f"{arc.name} = {here.state.value:.6g}")


def _around_corner(arc: Arc, here: PathState) -> PathState | None:
    """A point beyond a corner of the path, where a servo reaches its limit or a table has a knot; None: there is none.

    Derivatives on both sides differ, so that no step along the path converges; one at a given value does.
    """
    value = here.value + _CORNER * here.tangent[-1] * arc.scale
    found = arc.correct(here, here.tangent, _CORNER, fixed=value, strict=False)
    if found is None:
        return None
    if arc.inner(found.tangent, here.tangent) < 0.0:
        found.tangent = -found.tangent
    return found if arc.inner(found.tangent, here.tangent) > _SHARPEST else None


def _length_between(arc: Arc, a: PathState, b: PathState, direction: Array, longest: float) -> float:
    """Length from a at which the plane across a direction passes through b, from the parameter if that changes."""
    low, high = 0.0, longest
    for _ in range(60):
        middle = 0.5 * (low + high)
        state = arc.correct(a, direction, middle, strict=False)
        if state is None or abs(state.value - b.value) <= 1e-9 * arc.scale:
            return middle
        if (state.value - b.value) * (a.value - b.value) > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _not_accepted(arc: Arc, value: float) -> str:
    """Why the model cannot take a value of the parameter; nothing if it can."""
    arc.balance.turn({arc.name: value})
    try:
        arc.balance.knobs.check()
    except CosseratError as error:
        return str(error)
    return ""
