"""`continuation`: follow equilibria along a parameter, through limit points and onto branches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answered
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.model.parameters import is_number
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.path import Path, PathPoint
from cosserat.results.status import Outcome, Status
from cosserat.solve.analyses.equilibrium import equilibrium
from cosserat.solve.analyses.formulations import Formulation, formulation_of
from cosserat.solve.arguments import check_call, check_count, check_number, check_state
from cosserat.solve.balance.arc import Arc, PathState
from cosserat.solve.balance.knobs import Knobs
from cosserat.solve.balance.path_walk import Options, Raised, Trace, walk
from cosserat.solve.interrupts import Interrupts
from cosserat.solve.motion.stopwatch import Stopwatch

_BY_USER = {Outcome.INTERRUPTED, Outcome.CALL_FAILED}


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
    formulation: Any = None,
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
    formulation : "galilean", "floating" or Floating, optional
        As for `equilibrium`.

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
    check_call(progress, "continuation", "progress", "of the number of steps and the value")
    frames = formulation_of(formulation, model, "continuation")
    options = Options(float(stop), step, max_step, max_steps, mode, until, time, tolerance, progress)
    with knobs.kept():
        path, scale = _follow(knobs, frames, start, direction, options)
        for point in _chosen(path, switch):
            for side in (1, -1):
                if path.status.outcome in _BY_USER:
                    return path
                branch, _ = _follow(knobs, frames, point, side, options, scale)
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
        _demand_branch(start, "start")
    elif check_number(start, caller, "start", "a branch point, or the value at which the path begins") == stop:
        raise SolveError(f"continuation: start and stop are both {start!r}; a path needs a way to go")
    for word, number in (("step", step), ("max_step", max_step)):
        check_number(number, caller, word, "a length along the path, such as 0.02")
    if not 0.0 < step <= max_step:
        raise SolveError(f"continuation: step = {step!r}, max_step = {max_step!r}; pass 0 < step <= max_step")
    check_count(max_steps, caller, "max_steps")
    if not is_number(direction) or direction not in (1, -1):
        raise SolveError(f"continuation: direction is {direction!r}; pass 1 or -1")
    check_call(until, caller, "until", "of an Equilibrium and the value")
    if switch is not None and not isinstance(switch, (str, PathPoint)):
        raise SolveError(f"continuation: switch is {switch!r}; pass 'all' or a label such as 'branch 1'")
    if isinstance(mode, bool) or not isinstance(mode, (int, np.integer)) or mode < 0:
        raise SolveError(f"continuation: mode is {mode!r}; pass the number of a critical shape, from 0")


def _follow(
    knobs: Knobs, frames: Formulation, start: float | PathPoint, side: int, options: Options,
    scale: float = 0.0,
) -> tuple[Path, float]:  # fmt: skip
    """One path, and the change of the parameter that counts as much as its whole extent."""
    watch, name, stop = Stopwatch(), knobs.names[0], options.stop
    found = _start(knobs, frames, start, options)
    value = knobs.values[name]
    # a branch may leave its path near the end of that, and go far
    known = [stop, *(start.path.parameter.tolist() if isinstance(start, PathPoint) else ())]
    scale = scale or max(abs(stop - value), float(np.ptp(known)))
    farthest = max(known, key=lambda there: abs(there - value)) - value
    balance = frames.parametric(knobs, found, options.time, {name: farthest})
    arc = Arc(balance, name, scale, options.tolerance)
    trace = Trace(branched=isinstance(start, PathPoint))
    leave, beside = None, arc.neutral
    if isinstance(start, PathPoint):
        leave = _crossing_direction(arc, start, side, options.mode)
        beside, arc.neutral = arc.neutral, np.array(start.motions).T.reshape(arc.n, -1)  # all that is singular here
    first = _first(arc, value)
    arc.neutral = beside
    with Interrupts() as options.interrupts:
        try:
            status = walk(arc, trace, first, leave, options)
        except (KeyboardInterrupt, Raised) as error:
            where = f"{name} = {trace.points[-1].state.value if trace.points else value:.6g}"
            status = Status(Outcome.INTERRUPTED, options.time, "", where)
            if isinstance(error, Raised):
                status = Status(Outcome.CALL_FAILED, options.time, str(error), where, cause=error.cause)
    stats = {"steps": len(trace.points) - 1, **arc.statics.stats, **watch.seconds}
    path = _path_of(arc, trace, status, stats, options.time)
    if isinstance(start, PathPoint):
        path.origin = start
    return path, scale


def _start(knobs: Knobs, frames: Formulation, start: float | PathPoint, options: Options) -> Equilibrium:
    name = knobs.names[0]
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
    found = equilibrium(
        knobs.model, time=options.time, spin=knobs.spin, center=knobs.center, formulation=frames.floating
    )
    if not found.status.ok:
        raise SolveError(
            f"continuation: no equilibrium to start from at {name} = {float(start):g}: {found.status.message}"
        )
    return found


def _first(arc: Arc, value: float) -> PathState:
    raw = PathState(arc.statics.state(), value, arc.along_parameter, None, 0)
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
    arc.neutral = np.array([s for k, s in enumerate(point.motions) if k != mode]).T.reshape(arc.n, -1)
    direction = np.zeros(arc.size + 1)
    direction[: arc.n] = side * point.motions[mode]
    along = point.direction
    return arc.unit(direction - arc.inner(direction, along) * along)


def _path_of(arc: Arc, trace: Trace, status: Status, stats: dict[str, Any], time: float) -> Path:
    states = [point.state for point in trace.points]
    spins = []
    for state in states:
        arc.balance.turn({arc.name: state.value})
        spins.append(arc.statics.full_spin)
    history, found = arc.balance.stored(arc.name, [(state.where, state.value) for state in states])
    path = Path(
        arc.balance.knobs.model,
        arc.name,
        np.array([state.value for state in states]),
        history,
        found=found,
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
        shapes = tuple(arc.statics.nodal(critical.state.where, shape) for shape in critical.shapes)
        found_at = critical.kind, label, float(critical.state.value), index, shapes, tuple(critical.shapes)
        path.points.append(PathPoint(*found_at, critical.direction, path))
    return path


def _stable(trace: Trace) -> NDArray[np.bool_]:
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
    _demand_branch(point, "switch")
    return [point]


def _demand_branch(point: PathPoint, word: str) -> None:
    if point.kind != "branch":
        raise SolveError(
            f"continuation: {point.label!r} is a limit point, where no other path begins; {word} at a branch point"
        )
