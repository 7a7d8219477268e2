"""`point_at`: the state about which a mechanism is linearised, in one of the formulations."""

from __future__ import annotations

from typing import Any

import numpy as np

from cosserat.errors import SolveError, shown, warn
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.run import Run
from cosserat.results.status import Outcome
from cosserat.solve.analyses.equilibrium import equilibrium_of
from cosserat.solve.analyses.formulations import formulation_of
from cosserat.solve.arguments import check_number, check_state
from cosserat.solve.balance.points import Points


def point_at(
    model: Model,
    about: Any = None,
    *,
    time: float = 0.0,
    spin: Any = None,
    center: Any = (0.0, 0.0, 0.0),
    caller: str = "linearize",
    formulation: Any = None,
) -> Any:
    """State about which a model is linearised.

    Parameters
    ----------
    about : None, "reference", "motion", Equilibrium, Run or (Run, time)
        None: the reference configuration if it is in balance, else the equilibrium that `equilibrium` finds. A run
        without a time means its end. "motion": the steady motion that the initial velocities describe.
    time : float
        Time at which loads and prescribed motions are taken, where `about` does not say it (s).
    spin, center
        Steady rotation, as for `equilibrium`; an equilibrium given as `about` brings its own.
    formulation : "galilean", "floating" or Floating, optional
        A `OperatingPoint`, or in floating frames a `TreePoint`, which answers the same questions.

    Raises
    ------
    SolveError
        If the state is not in balance; the message says by how much.
    """
    check_state(caller, model, time, spin, center)
    frames = formulation_of(formulation, model, caller)
    if isinstance(about, Run):
        about = about, float(about.trajectory.time[-1])
    of_run = isinstance(about, tuple) and len(about) == 2 and isinstance(about[0], Run)
    if of_run and (spin is not None or time != 0.0):
        raise SolveError(f"{caller}: a moment of a run has its own time and motion; pass about=(run, time) and no spin")
    if isinstance(about, Equilibrium) and spin is not None:
        raise SolveError(f"{caller}: the equilibrium given as about has its own rotation; leave out spin")
    if isinstance(about, str) and about == "motion" and spin is not None:
        raise SolveError(f"{caller}: about='motion' takes the motion from the initial velocities; leave out spin")
    return point_of(frames.points(model, caller, spin, center), about, time)


def point_of(points: Points, about: Any, time: float) -> Any:
    """One of the points of a model; arguments as those of `point_at`, but runs always with a time."""
    caller = points.caller
    if isinstance(about, tuple) and len(about) == 2 and isinstance(about[0], Run):
        return points.of_moment(about[0], _moment(points, *about))
    if isinstance(about, Equilibrium):
        return _balanced(points, about, given=True)
    if about is not None and not (isinstance(about, str) and about in ("reference", "motion")):
        raise SolveError(
            f"{caller}: about={shown(about)} is not understood; pass an Equilibrium, a Run, (run, time), 'reference', "
            "'motion' or None"
        )
    if about == "motion":
        return points.described(time)
    point = points.at_reference(time)
    worst, place = point.imbalance()
    if worst <= 1.0:
        return point
    if about is not None:
        raise SolveError(
            f"{caller}: the reference configuration is not an equilibrium: {place}; "
            "pass about=None to find the equilibrium first"
        )
    found = equilibrium_of(points.balance(point), time)
    if not found.status.ok and found.status.outcome is not Outcome.FREE_MOTION:
        raise SolveError(
            f"{caller}: no equilibrium to linearise about: {found.status.message}; pass about= an Equilibrium or a "
            "moment (run, time) of a simulation"
        )
    return _balanced(points, found, given=False)


def _moment(points: Points, run: Run, then: Any) -> int:
    """Number of the stored state nearest a time."""
    caller, times = points.caller, run.trajectory.time
    time = check_number(then, caller, "the time of about=(run, time)", "a time of the run, in s")
    k = int(np.argmin(np.abs(times - time)))
    spacing = float(np.max(np.diff(times))) if len(times) > 1 else 0.0
    if abs(times[k] - time) > 0.501 * spacing + 1e-12:
        raise SolveError(
            f"{caller}: the run has no state near t = {time:g} s; it goes from {times[0]:g} to {times[-1]:g} s"
        )
    if abs(times[k] - time) > 1e-6 * spacing + 1e-12:
        warn(f"{caller}: the run has no state at t = {time:.9g} s; the nearest is taken, at t = {times[k]:.9g} s")
    before = run.motion.parameters or {}
    now = points.model.parameters
    changed = [f"{n} = {before[n]:g}, now {v:g}" for n, v in now.items() if before.get(n, v) != v]
    if changed:
        raise SolveError(
            f"{caller}: the run given as about was made with other parameters ({', '.join(changed)}); set them back or "
            "simulate again"
        )
    phases = run.motion.phases
    if phases:
        open = next(phase.open for phase in reversed(phases) if phase.first <= k)
        there, model = run.motion.mechanism, points.model
        closed = (there.joints.keys() | there.springs.keys()) - set(open)
        known = {item.name for item in (*model.joints, *model.springs)}
        if closed != known:
            listed = ", ".join(map(repr, sorted(closed ^ known)))
            raise SolveError(
                f"{caller}: at t = {times[k]:g} s of the run given as about {listed} is open where the model has it "
                "closed, or closed where it has it open; pass a model with what is closed then"
            )
        if run.floating is not None:
            raise SolveError(
                f"{caller}: in floating frames, a run in which joints open has coordinates of its own; simulate it "
                "with formulation='galilean'"
            )
    return k


def _balanced(points: Points, found: Equilibrium, given: bool) -> Any:
    """The point of an equilibrium; an error where it is none of the model as it is now."""
    caller = points.caller
    if not found.status.ok and found.status.outcome is not Outcome.FREE_MOTION:
        raise SolveError(f"{caller}: the equilibrium given as about was not found: {found.status.message}")
    point = points.of_equilibrium(found, given)
    worst, place = point.imbalance()
    if worst <= 1.0:
        return point
    if not found.status.ok:  # the loads push along a free motion
        raise SolveError(
            f"{caller}: no equilibrium to linearise about: {found.status.message}; hold what can fall, or pass "
            "about= a moment (run, time) of a simulation"
        )
    if not given or caller == "trim":
        raise SolveError(
            f"{caller}: the equilibrium that was found is not balanced well enough to linearise about: {place}; "
            "look for parts of very different stiffness, or pass a smaller tolerance to equilibrium or trim"
        )
    raise SolveError(
        f"{caller}: the state given as about is not an equilibrium of the model as it is now: {place}; "
        "were parameters set since? call equilibrium again"
    )
