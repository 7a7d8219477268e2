"""`point_at`: the state about which a mechanism is linearised, in a formulation; and such states along parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cosserat.errors import SolveError, shown, warn
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.run import Run
from cosserat.results.status import Outcome
from cosserat.solve.analyses.equilibrium import equilibrium, equilibrium_of
from cosserat.solve.analyses.formulations import formulation_of
from cosserat.solve.arguments import check_number, check_state
from cosserat.solve.balance.knobs import Knobs
from cosserat.solve.balance.points import Points

_HALVINGS = 6


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


class SteadyStates:
    """States about which `stability`, `stability_map` and `campbell` linearise, each found from the nearest known one.

    Attributes
    ----------
    knobs : Knobs
        The parameters, turned at will; who asks for states keeps their old values.
    """

    def __init__(
        self, caller: str, model: Model, names: Sequence[Any], ranges: Sequence[Array], *, about: Any, time: float,
        spin: Any, center: Any, formulation: Any,
    ) -> None:  # fmt: skip
        check_state(caller, model, time, spin, center)
        frames, knobs = formulation_of(formulation, model, caller), Knobs(model, names, spin, center, caller)
        known = isinstance(about, Equilibrium) or (isinstance(about, str) and about in ("reference", "motion"))
        if about is not None and not known:
            raise SolveError(
                f"{caller}: about={about!r} is not understood; pass the Equilibrium to start from, 'reference', "
                "'motion' or None"
            )
        if isinstance(about, Equilibrium) and about.settings.get("spin") is not None and knobs.spin is None:
            raise SolveError(f"{caller}: the equilibrium given as about turns; pass its spin and center too")
        self.knobs, self._about, self._time, self._floating = knobs, about, time, frames.floating
        self._spans = np.array([np.ptp(r) for r in ranges])
        self._described = isinstance(about, str) and about == "motion"  # of the initial velocities
        self._known: list[tuple[Array, Any]] = []  # values, and the configuration there
        self._sweep = frames.sweep(knobs, ranges, time, self._described)

    def at(self, *values: float) -> Any:
        """The state for given values; its memory may be used again at the next call.

        Raises
        ------
        SolveError
            If there is none near the nearest one known; the message says at which value.
        """
        target = np.array(values, dtype=float)
        if self._described or not self._known:
            self.knobs.take(target)
            point = self._first(target)
        else:
            nearest = min(self._known, key=lambda known: float(np.sum(((known[0] - target) / self._spans) ** 2)))
            point = self._follow(nearest, target, _HALVINGS)
        self._known.append((target, self._sweep.configuration(point)))
        return point

    def _first(self, values: Array) -> Any:
        """The state that is not found from another one."""
        try:
            about = self._about
            if isinstance(about, Equilibrium):
                rotation = {"spin": self.knobs.spin, "center": self.knobs.center}
                about = equilibrium(
                    self.knobs.model, time=self._time, start=about, formulation=self._floating, **rotation
                )
            return point_of(self._sweep.points(), about, self._time)
        except SolveError as error:
            raise SolveError(f"{error} (at {self.knobs.text(values)})") from None

    def _follow(self, known: tuple[Array, Any], target: Array, halvings: int) -> Any:
        """Solve at the target from a known state, in smaller steps if need be."""
        self.knobs.take(target)
        point = self._sweep.solved(known[1], last=halvings == 0)
        if point is not None:
            return point
        if halvings == 0:
            raise SolveError(
                f"{self.knobs.caller}: no equilibrium at {self.knobs.text(target)} was found from the one at "
                f"{self.knobs.text(known[0])}; pass values up to there, or follow the path with cs.continuation, "
                "which passes limit points"
            )
        middle = 0.5 * (known[0] + target)
        half = self._follow(known, middle, halvings - 1)
        return self._follow((middle, self._sweep.configuration(half)), target, halvings - 1)
