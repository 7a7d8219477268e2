"""How a solver ended, in words, with a remedy; whether a run that reached its end can be believed."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cosserat.calls import answering
from cosserat.lie.protocol import Array


class Outcome(enum.Enum):
    """Outcomes of solvers; the value says what happened and what to do about it.

    Examples
    --------
    >>> import cosserat as cs
    >>> cs.Outcome.OK.value
    'finished'
    """

    OK = "finished"
    NOT_CONVERGED = (
        "Newton's iteration did not converge even with the step cut many times over: "
        "the motion may have become unstable or a load unbearable; look at the last stored states, "
        "reduce the step, add damping, or ramp the loads"
    )
    NOT_BALANCED = (
        "no equilibrium was found: Newton's iteration did not converge though the loads were raised in small steps: "
        "they may be more than the mechanism can bear; look at the configuration reached, follow the load with "
        "continuation, or start from a known equilibrium near by with start="
    )
    LOAD_UNKNOWN = (
        "with that no equilibrium can be found: widen the field or the table, correct the law, or start from an "
        "equilibrium near by with start="
    )
    PATH_LOST = (
        "the path could not be followed any farther, even in tiny steps: look at its last points, use more elements, "
        "or start on the other side"
    )
    NOT_FINITE = (
        "the equations gave infinite or undefined numbers: look at the last stored states, check loads and "
        "stiffnesses, reduce the step"
    )
    BEYOND = (
        "the motion leaves what is known of a load; everything up to there is kept: widen its field or its tables, or "
        "end the motion before"
    )
    DEAD_POINT = (
        "prescribed motions demand a pose that the joints do not allow: towards a dead point, or the end of its reach, "
        "the mechanism moves ever faster; end the motions before, or change the geometry"
    )
    WRONG_BRANCH = (
        "a joint turned inside out (its rotation constraint holds half a turn away from where it should), or a step "
        "led past a dead point and may have ended on its other side: reduce the step"
    )
    STEP_TOO_SMALL = (
        "the accuracy asked for needs steps below the smallest allowed: raise the tolerance, or pass a fixed step"
    )
    TURNS_TOO_FAR = (
        "a rolling body turns so far in a step that errors of its reactions would grow: use smaller steps or a smaller "
        "rho, adaptive steps, or integrator='energy-momentum'"
    )
    MISFIT = (
        "a joint that an event engages does not fit where its bodies are then: let the event happen where it fits, or "
        "give the joint places that meet there"
    )
    OUT_OF_STEPS = "the path did not reach its end in the steps allowed: raise max_steps or step, or stop it with until"
    INTERRUPTED = "interrupted by the user"
    CALL_FAILED = (
        "a function that was passed to the solver raised an exception: everything up to there is kept, correct the "
        "function and go on with start=run"
    )
    UNBALANCED = (
        "finished, but the energy balance is broken: energy appeared that nothing supplied, so the motion is wrong "
        "from there on; use smaller steps, a smaller rho, damping, or integrator='energy-momentum'"
    )
    APART = (
        "finished, but joints came apart: what they and the prescribed motions demand cannot be met, so reactions mean "
        "nothing; give the mechanism a freedom more, or prescribe a motion that it can follow"
    )
    UNSTABLE_CONTROL = (
        "finished, but a controller is unstable as it is sampled: what changes in an effort from call to call is most "
        "of it, or goes on growing, and the motion is not that of its law"
    )
    ALTERNATING = (
        "finished, but reactions mean nothing: a body turns so far in a step that their errors change sign and grow; "
        "positions show it last"
    )
    SATURATED = (
        "no equilibrium was found: a servo is at its limit, where its effort no longer holds what it moves: raise the "
        "limit, lower the loads, or add a spring"
    )
    FREE_MOTION = (
        "the mechanism can move without resistance, so it has no isolated equilibrium: add a joint, a spring or a load "
        "that holds it"
    )


@answering
@dataclass(frozen=True)
class Status:
    """How a solution ended.

    Attributes
    ----------
    outcome : Outcome
    time : float
        Time (or load factor, in statics) reached.
    detail : str
        What was special, such as the name of a joint.
    where : str
        Where it ended, if not at a time: "P = 3".
    cause : Exception, optional
        What a controller or `progress` raised, if that ended the run.

    Examples
    --------
    >>> import cosserat as cs
    >>> status = cs.Status(cs.Outcome.INTERRUPTED, time=2.5)
    >>> status.ok, status.message
    (False, 'stopped at t = 2.5 s: interrupted by the user')
    """

    outcome: Outcome
    time: float
    detail: str = ""
    where: str = ""
    cause: Exception | None = field(default=None, compare=False, repr=False)

    @property
    def ok(self) -> bool:
        """True if everything asked for was done."""
        return self.outcome is Outcome.OK

    @property
    def message(self) -> str:
        """One sentence for a user."""
        text = self.outcome.value
        if self.ok or self.outcome in _FINISHED:
            return text + (f" ({self.detail})" if self.detail else "")
        where = f"stopped at {self.where or f't = {self.time:.6g} s'}"
        if self.outcome is Outcome.LOAD_UNKNOWN:
            return f"{where}: {self.detail}; {text}"
        return f"{where}: {text}" + (f" ({self.detail})" if self.detail else "")

    def __str__(self) -> str:
        return self.message


class StopRun(Exception):
    """Raised by a controller or by `progress` to end a run where it is: its status is ok, and has the text.

    An event, such as a catch that opens: another run goes on from there with `start=`, with other joints if need be.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("fall", gravity=(0, 0, -10))
    >>> ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0, com=(0, 0, 1.2)))
    >>> def landing(t, state):
    ...     if state.position("ball")[-1, 2] <= 0.0:
    ...         raise cs.StopRun("landed")
    >>> run = cs.simulate(model, 2.0, 0.01, controller=landing)
    >>> run.status.ok, run.status.detail, round(float(run.time[-1]), 2)
    (True, 'landed', 0.49)
    """


_FINISHED = (Outcome.UNBALANCED, Outcome.APART, Outcome.UNSTABLE_CONTROL, Outcome.ALTERNATING)  # but not ok
_REACHED = (Outcome.OK, Outcome.ALTERNATING)  # the end, and nothing worse is known yet
JUDGED = (*_REACHED, Outcome.NOT_CONVERGED)  # what stored states may tell more of
_OF_MOTION = 0.02  # of the kinetic or strain energy
_ROUNDING = 1e-6  # of the potential energy
_BROKEN = 0.2  # of the energy that was exchanged: what may appear from nowhere
_STILL = 1e-12  # of the extent
_APART = 1e-4  # of the extent
FEWEST = 10  # stored times that integrals over them are judged by
_OFTEN, _ALWAYS = 0.1, 1.0  # splits in a step


def judged(
    status: Status, time: Array, energies: Mapping[str, Array], stats: Mapping[str, Any], travel: float
) -> Status:
    """The status of a finished run; not ok if energy appeared that nothing supplied.

    Energy that gets lost is the numerical damping of unresolved vibrations, which is wanted. What integrals over the
    stored times leave open, the difference to those over every second time and what a jump of a load may do, counts for
    the run, unless steps had to be split again and again. Where the longest way between two stored times, `travel`
    as a share of the extent of the mechanism, is rounding, nothing moves, and there is nothing to judge.
    """
    if status.outcome not in _REACHED or len(time) < FEWEST or travel < _STILL:
        return status
    balance = energies["balance"]
    exchanged = max(float(np.ptp(energies[k])) for k in ("kinetic", "strain", "potential", "work", "dissipated"))
    gained = balance - np.minimum.accumulate(balance)
    doubt = np.zeros(len(time))
    if _splits(stats) < _ALWAYS:
        doubt += _doubt(time, energies["work"]) + _doubt(time, energies["dissipated"])
        doubt += _largest_jump(time, energies["work"])
    moving = max(float(energies[k].max()) for k in ("kinetic", "strain"))
    allowed = max(_BROKEN * exchanged, _OF_MOTION * moving, _ROUNDING * float(np.abs(energies["potential"]).max()))
    excess = gained - 3.0 * doubt - allowed
    if not np.isfinite(balance).all() or not (exchanged > 0.0 and excess.max() > 0.0):
        return status
    first = int(np.argmax(excess > 0.0))
    text = (
        f"up to {gained.max():.3g} J appeared, where {exchanged:.3g} J were exchanged; the balance is broken from "
        f"t = {time[first]:.4g} s on"
    )
    return replace(status, outcome=Outcome.UNBALANCED, detail="; ".join(filter(None, (text, status.detail))))


def held_together(status: Status, time: Array, violation: Array, extent: float) -> Status:
    """The status of a run; not ok if constraints of joints are violated by a visible share of the extent.

    A run that ended before, because its steps could not be solved, has this for a cause.
    """
    worst = int(np.argmax(violation))
    if status.outcome not in JUDGED or violation[worst] <= _APART * extent:
        return status
    text = f"by {violation[worst]:.3g} m, or that sine of an angle, at t = {time[worst]:.4g} s"
    if status.outcome is Outcome.NOT_CONVERGED:
        text = f"joints came apart {text}: prescribe motions that the mechanism can follow"
        return replace(status, detail="; ".join(filter(None, (text, status.detail))))
    return replace(status, outcome=Outcome.APART, detail="; ".join(filter(None, (text, status.detail))))


def _doubt(time: Array, integral: Array) -> Array:
    """How much an integral over time, by the trapezoidal rule, depends on the stored times, up to each of them."""
    power = np.zeros(len(time))  # powers whose trapezoidal integral it is, up to one that alternates
    rate = np.diff(integral) / np.diff(time)
    power[1:-1] = 0.5 * (rate[1:] + rate[:-1])
    power[0], power[-1] = rate[0], rate[-1]
    coarse = np.cumsum(0.5 * np.diff(time[::2]) * (power[::2][1:] + power[::2][:-1]))
    apart = np.abs(np.concatenate(([0.0], coarse)) - (integral[::2] - integral[0]))
    return np.maximum.accumulate(np.interp(time, time[::2], apart))


def _largest_jump(time: Array, work: Array) -> float:
    """What a jump of a load between two stored times may do to its work."""
    power = np.diff(work) / np.diff(time)
    return float(np.max(np.abs(np.diff(power)) * (time[2:] - time[:-2]), initial=0.0))


def _splits(stats: Mapping[str, Any]) -> float:
    """How often a step had to be split, on average."""
    return int(stats.get("steps_split", 0)) / max(1, int(stats.get("steps", 0)))


def noted(status: Status, stats: Mapping[str, Any], events: Sequence[str] = ()) -> Status:
    """The status with what was hard on the way, and what happened there."""
    steps = int(stats.get("steps", 0))
    split, stalled = int(stats.get("steps_split", 0)), int(stats.get("stalled_steps", 0))
    notes = [status.detail]
    # what smaller steps do not cure
    if split and status.outcome not in (Outcome.NOT_FINITE, Outcome.BEYOND, Outcome.DEAD_POINT):
        often = ": the motion is hardly resolved, use smaller steps" if _splits(stats) > _OFTEN else ""
        notes.append(f"steps had to be split {split} times in {steps} steps{often}")
    if stalled:
        notes.append(
            f"in {stalled} steps rounding errors kept the iteration above its tolerance: the tolerance is tight for so "
            "stiff a mechanism, or a pose was nearly singular, where the motion should be looked at"
        )
    return replace(status, detail="; ".join(filter(None, (*notes, *events))))
