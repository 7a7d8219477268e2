"""Whether a run that reached its end can be believed: joints, energy balance, split steps, stalled steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.results.status import Outcome, Status

Array = NDArray[np.float64]

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
    if not status.ok or len(time) < FEWEST or travel < _STILL:
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
    if not (status.ok or status.outcome is Outcome.NOT_CONVERGED) or violation[worst] <= _APART * extent:
        return status
    text = f"by {violation[worst]:.3g} m, or that sine of an angle, at t = {time[worst]:.4g} s"
    if not status.ok:
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
