"""`continuation`: follow equilibria along a parameter, through limit points and onto branches."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import CosseratError, SolveError
from cosserat.kernels.arrays import History
from cosserat.model.calls import answered
from cosserat.model.model import Model
from cosserat.model.parameters import is_number
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.path import Path, PathPoint
from cosserat.results.status import Outcome, Status
from cosserat.results.trajectory import Trajectory
from cosserat.solve.arguments import check_count, check_number, check_state
from cosserat.solve.balance.arc import Arc, PathState
from cosserat.solve.balance.critical import Critical, Point, critical_points, point_of
from cosserat.solve.balance.equilibrium import equilibrium
from cosserat.solve.balance.parametric import Knobs, Parametric
from cosserat.solve.interrupts import Interrupts

Array = NDArray[np.float64]

_SMALLEST = 1e-7  # step length below which a path is given up
_STRAYING = 0.1  # first correction, relative to the step, up to which steps grow
_NEUTRAL = 1e-3  # stiffness of a neutral motion, relative to the softest other one
_BY_USER = {Outcome.INTERRUPTED, Outcome.CALL_FAILED}
_LARGEST_TURN = 0.3  # rad between tangents of neighbouring points


@answered()
def continuation(
    model: Model,
    parameter: Any,
    start: float | PathPoint,
    stop: float,
    *,
    step: float = 0.02,
    max_step: float = 0.1,
    max_steps: int = 500,
    until: Callable[[Equilibrium, float], bool] | None = None,
    switch: str | PathPoint | None = None,
    direction: int = 1,
    mode: int = 0,
    time: float = 0.0,
    tolerance: float = 1e-11,
    spin: Any = None,
    center: Any = (0.0, 0.0, 0.0),
    progress: Callable[[int, float], None] | None = None,
) -> Path:
    """Follow the equilibria of a mechanism along a parameter by arc length.

    The path goes through limit points, where the parameter turns, and past branch points, where another path crosses;
    both are located to rounding and labelled. Tangents with respect to the configuration are exact; those with respect
    to the parameter are central differences of the residual, exact where the parameter enters linearly, such as a load.

    Parameters
    ----------
    model : Model
    parameter : str or Parameter
        What varies: a load, a stiffness, a length, a prescribed angle, a speed in `spin`.
    start : float or PathPoint
        Value at which the path begins, at the equilibrium found there. A branch point of another path begins the path
        that crosses there, to the side `direction` of the critical shape.
    stop : float
        Value at which the path ends, when it gets there.
    step, max_step : float
        First and largest step: root mean square over the nodes of displacement over the extent of the mechanism and
        of turn (rad), together with the change of the parameter over ``stop - start``. Steps adapt to how the path
        bends.
    max_steps : int
    until : callable, optional
        ``until(equilibrium, value)`` is asked after every step; the path ends when it says True.
    switch : "all" or a label such as "branch 1", optional
        Follow also the paths that cross at branch points, to both sides: `Path.branches`.
    direction : 1 or -1
        Side to which a path from a branch point goes.
    mode : int
        Critical shape to follow, where a branch point has several.
    time, tolerance, spin, center
        As for `equilibrium`.
    progress : callable, optional
        ``progress(n, value)`` is called after every step, n counting those of all branches.

    Returns
    -------
    Path
        Also if it was lost on the way: look at ``.status``.

    Raises
    ------
    SolveError
        If there is no equilibrium to start from, or nothing depends on the parameter.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("arch of two bars")
    >>> P = cs.Parameter("P", 0.0)
    >>> top = model.add(cs.RigidBody.sphere("top", diameter=0.1, mass=1.0, com=(0, 0, 0.3)))
    >>> _ = model.add(cs.Prismatic("guide", cs.GROUND.at((0, 0, 0.3)), top, axis=(0, 0, 1)))
    >>> for side in (-1, 1):
    ...     _ = model.add(cs.Spring(f"bar{side}", cs.GROUND.at((side, 0, 0)), top, stiffness=1000.0))
    >>> _ = model.add(cs.Force("load", top, (0, 0, -P)))
    >>> path = cs.continuation(model, "P", 0.0, 50.0)
    >>> [point.label for point in path.points]
    ['limit 1', 'limit 2']
    """
    _check(start, stop, step, max_step, max_steps, direction, until, switch, mode)
    check_state("continuation", model, time, spin, center)
    check_number(tolerance, "continuation", "tolerance", "the accepted last correction, such as 1e-11", positive=True)
    knobs = Knobs(model, [parameter], spin, center, "continuation")
    name = knobs.names[0]
    if progress is not None and not callable(progress):
        raise SolveError(
            f"continuation: progress is {progress!r}; pass a function of the number of steps and the value"
        )
    options = _Options(step, max_step, max_steps, until, time, tolerance, progress)
    with knobs.kept():
        path, ends = _follow(
            knobs,
            name,
            start,
            float(stop),
            direction,
            mode,
            options,
        )
        for point in _chosen(path, switch):
            for side in (1, -1):
                if path.status.outcome in _BY_USER:
                    return path
                branch, _ = _follow(knobs, name, point, float(stop), side, mode, options, ends)
                path.branches.append(branch)
                if branch.status.outcome in _BY_USER:
                    return path
    return path


def _check(
    start: Any, stop: Any, step: Any, max_step: Any, max_steps: Any, direction: Any, until: Any, switch: Any, mode: Any
) -> None:
    caller = "continuation"
    check_number(stop, caller, "stop", "the value at which the path ends")
    if isinstance(start, PathPoint):
        if start.kind != "branch":
            raise SolveError(f"continuation: {start.label!r} is a limit point, where no other path begins; "
                             "start at a branch point")  # fmt: skip
    elif check_number(start, caller, "start", "a branch point, or the value at which the path begins") == stop:
        raise SolveError(f"continuation: start and stop are both {start!r}; a path needs a way to go")
    for word, number in (("step", step), ("max_step", max_step)):
        check_number(number, caller, word, "a length along the path, such as 0.02")
    if not 0.0 < step <= max_step:
        raise SolveError(f"continuation: step = {step!r}, max_step = {max_step!r}; pass 0 < step <= max_step")
    check_count(max_steps, caller, "max_steps")
    if not is_number(direction) or direction not in (1, -1):
        raise SolveError(f"continuation: direction is {direction!r}; pass 1 or -1")
    if until is not None and not callable(until):
        raise SolveError(f"continuation: until is {until!r}; pass a function of an Equilibrium and the value")
    if switch is not None and not isinstance(switch, (str, PathPoint)):
        raise SolveError(f"continuation: switch is {switch!r}; pass 'all' or a label such as 'branch 1'")
    if isinstance(mode, bool) or not isinstance(mode, (int, np.integer)) or mode < 0:
        raise SolveError(f"continuation: mode is {mode!r}; pass the number of a critical shape, from 0")


@dataclass
class _Options:
    step: float
    max_step: float
    max_steps: int
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
                raise _Raised("progress", error) from error
        if self.interrupts.asked:
            raise KeyboardInterrupt

    def ends(self, found: Equilibrium, value: float) -> bool:
        """Whether the user's function wants the path to end here."""
        try:
            return self.until is not None and bool(self.until(found, value))
        except Exception as error:
            raise _Raised("until", error) from error


class _Raised(Exception):
    """What a function of the user raised."""

    def __init__(self, what: str, cause: Exception) -> None:
        super().__init__(f"{what}: {type(cause).__name__}: {cause}")
        self.cause = cause


@dataclass
class _Trace:
    """Points of a path as they are found."""

    points: list[Point] = field(default_factory=list)
    marks: list[tuple[int, Critical]] = field(default_factory=list)
    branched: bool = False  # whether the first point is a branch point

    def add(self, point: Point, between: list[Critical]) -> None:
        for critical in between:
            state = critical.state
            self.marks.append((len(self.points), critical))
            self.points.append(Point(state, np.zeros(0), np.zeros((0, 0))))
        self.points.append(point)


def _follow(
    knobs: Knobs,
    name: str,
    start: float | PathPoint,
    stop: float,
    side: int,
    mode: int,
    options: _Options,
    ends: tuple[float, float] | None = None,
) -> tuple[Path, tuple[float, float]]:
    """One path, and the range of the parameter that scales it."""
    wall, cpu = clock.perf_counter(), clock.process_time()
    found = _start(knobs, name, start, options)
    value = knobs.values[name]
    ends = ends or (value, stop)
    scale = abs(ends[1] - ends[0]) or abs(value) or 1.0
    balance = Parametric(knobs, found, options.time, {name: np.copysign(scale, stop - value)})
    arc = Arc(balance, name, scale, options.tolerance)
    trace = _Trace(branched=isinstance(start, PathPoint))
    leave = _crossing_direction(arc, start, side, mode) if isinstance(start, PathPoint) else None
    beside = arc.neutral
    if isinstance(start, PathPoint):
        arc.neutral = np.array(start.shapes).T.reshape(6 * arc.n, -1)  # along which the equations are singular here
    first = _first(arc, found, value)
    arc.neutral = beside
    with Interrupts() as options.interrupts:
        try:
            status = _walk(arc, trace, first, leave, stop, options)
        except KeyboardInterrupt:
            status = Status(Outcome.INTERRUPTED, options.time, "", f"{name} = {_last(trace, value):.6g}")
        except _Raised as error:
            where = f"{name} = {_last(trace, value):.6g}"
            status = Status(Outcome.CALL_FAILED, options.time, str(error), where, cause=error.cause)
    stats = {
        "steps": len(trace.points) - 1,
        "iterations": arc.statics.iterations,
        "factorizations": arc.statics.factorizations,
        "nodes": arc.n,
        "joints": arc.statics.compiled.n_joints,
        "solve_seconds": clock.process_time() - cpu,
        "wall_seconds": clock.perf_counter() - wall,
    }
    path = _path_of(arc, trace, status, stats, options.time)
    if isinstance(start, PathPoint):
        path.origin = start
    return path, ends


def _last(trace: _Trace, value: float) -> float:
    return trace.points[-1].state.value if trace.points else value


def _start(knobs: Knobs, name: str, start: float | PathPoint, options: _Options) -> Equilibrium:
    if isinstance(start, PathPoint):
        if start.path.model is not knobs.model or start.path.name != name:
            raise SolveError(
                f"continuation: {start.label!r} belongs to a path of model {start.path.model.name!r} along "
                f"{start.path.name!r}; pass the same model and parameter"
            )
        found = start.equilibrium
        knobs.turn({name: start.value})
        return found
    knobs.turn({name: float(start)})
    knobs.check()
    found = equilibrium(knobs.model, time=options.time, spin=knobs.spin, center=knobs.center)
    if not found.status.ok:
        raise SolveError(
            f"continuation: no equilibrium to start from at {name} = {float(start):g}: {found.status.message}"
        )
    return found


def _first(arc: Arc, found: Equilibrium, value: float) -> PathState:
    history = found.trajectory.history
    raw = PathState(history.frame[-1], history.force[-1], history.angle[-1], value, arc.along_parameter, None, 0)
    state = arc.correct(raw, arc.along_parameter, 0.0, fixed=value, strict=False)
    if state is None:
        raise SolveError(f"continuation: the equilibrium at {arc.name} = {value:g} is lost on a second look; "
                         "start at another value")  # fmt: skip
    return state


def _crossing_direction(arc: Arc, point: PathPoint, side: int, mode: int) -> Array:
    """The critical shape, made orthogonal to the path it crosses."""
    if not 0 <= mode < point.multiplicity:
        raise SolveError(f"continuation: {point.label!r} has {point.multiplicity} critical shape(s); mode={mode!r}")
    # where a symmetry lets it buckle to all sides alike, the other shapes turn the branch about and nothing resists
    arc.neutral = np.array([s for k, s in enumerate(point.shapes) if k != mode]).T.reshape(6 * arc.n, -1)
    direction = np.zeros(arc.size + 1)
    direction[: 6 * arc.n] = side * point.shapes[mode]
    along = point.direction
    return arc.unit(direction - arc.inner(direction, along) * along)


def _walk(arc: Arc, trace: _Trace, first: PathState, leave: Array | None, stop: float, options: _Options) -> Status:
    """Step by step until the end; `leave` is the direction of the first step, if not along the path."""
    here = point_of(arc, first) if leave is None else Point(first, np.zeros(0), np.zeros((6 * arc.n, 0)))
    length = options.step
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
        between: list[Critical] | None = None
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
                    arc.neutral = np.zeros((6 * arc.n, 0))  # the other shapes are other branches
                    continue
            covered = length if not final else _length_between(arc, here.state, there.state, direction, length)
            between = [] if leave is not None else critical_points(arc, here, there, covered)
        if between is None:
            length *= 0.5
            if length < _SMALLEST:
                where = f"{arc.name} = {here.state.value:.6g}"
                return Status(Outcome.PATH_LOST, arc.balance.times[0], "", where)
            continue
        assert state is not None
        problem = _not_accepted(arc, state.value)
        if problem:
            where = f"{arc.name} = {here.state.value:.6g}"
            return Status(Outcome.PATH_LOST, arc.balance.times[0], problem, where)
        trace.add(there, between)
        n_steps += 1
        options.report(state.value)
        if n_steps > 2 and arc.passes(first, here.state, state, outward):
            return Status(Outcome.OK, arc.balance.times[0], "the path is closed: it is back where it began")
        if arc.neutral.size and leave is None:
            arc.follow_neutral(state)
        here, leave = there, None
        if final:
            return Status(Outcome.OK, arc.balance.times[0], f"{arc.name} = {stop:g} reached")
        if options.until is not None and options.ends(_equilibrium_of(arc, state), state.value):
            return Status(Outcome.OK, arc.balance.times[0], f"until was satisfied at {arc.name} = {state.value:.6g}")
        growth = 2.0 if state.strayed <= _STRAYING else 1.0 if state.strayed <= 3.0 * _STRAYING else 0.7
        bend = 0.5 * _LARGEST_TURN / max(turn, 1e-3)
        length = min(options.max_step, length * float(np.clip(min(growth, bend), 0.5, 2.0)))
    where = f"{arc.name} = {here.state.value:.6g}"
    return Status(Outcome.OUT_OF_STEPS, arc.balance.times[0], f"{n_steps} steps", where)


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


def _history(states: list[PathState]) -> History:
    frame = np.array([s.frame for s in states])
    still = np.zeros((*frame.shape[:2], 6))
    return History(frame, still, still, np.array([s.force for s in states]), np.array([s.angle for s in states]))


def _equilibrium_of(arc: Arc, state: PathState) -> Equilibrium:
    settings = {"time": arc.balance.times[0], "spin": arc.statics.full_spin}
    status = Status(Outcome.OK, arc.balance.times[0])
    return Equilibrium(Trajectory(arc.statics.compiled, arc.balance.times, _history([state]), status, settings, {}))


def _path_of(arc: Arc, trace: _Trace, status: Status, stats: dict[str, Any], time: float) -> Path:
    states = [point.state for point in trace.points]
    spins = []
    for state in states:
        arc.balance.turn({arc.name: state.value})
        spins.append(arc.statics.full_spin)
    path = Path(
        arc.balance.knobs.model,
        arc.name,
        np.array([state.value for state in states]),
        _history(states),
        time=time,
        spin=None if all(s is None for s in spins) else np.array([np.zeros(6) if s is None else s for s in spins]),
        fixed_system=arc.balance.inputs_only,
        stable=_stable(trace),
        status=status,
        stats=stats,
    )
    counts = {"limit": 0, "branch": 0}
    for index, critical in trace.marks:
        counts[critical.kind] += 1
        label = f"{critical.kind} {counts[critical.kind]}"
        value = float(critical.state.value)
        path.points.append(
            PathPoint(critical.kind, label, value, index, tuple(critical.shapes), critical.direction, path)
        )
    return path


def _stable(trace: _Trace) -> NDArray[np.bool_]:
    """Stability of every point; where an eigenvalue vanishes, rounding has no say: a neighbour's counts."""
    stable = np.array([point.stable for point in trace.points])
    for index, _ in trace.marks:
        stable[index] = stable[index - 1] or stable[index + 1]
    if trace.branched and len(stable) > 1:
        stable[0] = stable[1]
    return stable


def _chosen(path: Path, switch: str | PathPoint | None) -> list[PathPoint]:
    if switch is None:
        return []
    if switch == "all":
        return [point for point in path.points if point.kind == "branch"]
    point = path.point(switch) if isinstance(switch, str) else switch
    if point.kind != "branch":
        raise SolveError(f"continuation: {point.label!r} is a limit point, where no other path begins; "
                         "switch at a branch point")  # fmt: skip
    return [point]
