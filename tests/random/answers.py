"""What a run says, in SI units and the first axes whoever made it, and how far two answers are apart."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

import numpy as np

import cosserat as cs

from .mechanism import Mechanism, Observer, build, place_text

Answers = dict[str, Any]
STEP, DURATION = 0.004, 0.2
PARTS = [1]  # into how many parts steps are divided; see `shorter`
_REDUNDANT: WeakSet[cs.Run] = WeakSet()  # runs whose reactions are one of many possible sets
SHARP = 1e-10  # tolerance of Newton's iteration where two ways to the same equations are compared


class Violation(AssertionError):
    """A relation does not hold."""


class NotApplicable(Exception):
    """The relation says nothing about this mechanism."""


class Unanswered(Exception):
    """The solver said that it has no answer (a failed status); not what a relation is about."""


@contextmanager
def shorter(parts: int) -> Iterator[None]:
    """All steps in so many parts."""
    PARTS.append(parts)
    try:
        yield
    finally:
        PARTS.pop()


def run_of(mechanism: Mechanism, see: Observer | None = None, model: cs.Model | None = None, **settings: Any) -> cs.Run:
    """A run of a mechanism as an observer describes it, over `DURATION` of SI time unless told otherwise."""
    see = Observer() if see is None else see
    given = {"duration": DURATION, "step": STEP, **settings}
    if given["step"] is not None:
        given["step"] /= PARTS[-1]
    if see.clock and "start" not in given:
        given["start_time"] = see.clock
    for key in ("duration", "step", "start_time"):
        if given.get(key) is not None:
            given[key] *= see.time
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", cs.CosseratWarning)
        run = cs.simulate(build(mechanism, see) if model is None else model, **given)
    if any("redundant constraints" in str(warning.message) for warning in told):
        _REDUNDANT.add(run)
    if run.status.outcome is cs.Outcome.DEAD_POINT:
        raise NotApplicable(run.status.message)
    if not run.status.ok:
        raise Unanswered(f"{settings}: {run.status.message}")
    if settings.get("newton_tolerance") == SHARP and run.stats.get("steps_split"):
        raise Unanswered("steps had to be split, where rounding decides: nothing to compare to the last digits")
    return run


def answers_of(run: cs.Run, mechanism: Mechanism, see: Observer | None = None, at: Any = slice(None)) -> Answers:
    """Positions, velocities, forces and energies over time, as the first observer would have them."""
    see = Observer() if see is None else see
    speed, force, moment, energy = (
        see.factor(*e) for e in ((0, 1, -1), (1, 1, -2), (1, 2, -2), (1, 2, -2))
    )  # fmt: skip
    found: Answers = {"extent": mechanism.extent, "time": run.time[at] / see.time - see.clock}
    for name, spot in mechanism.spots().items():
        place = place_text(spot)
        found["position", name] = (run.position(place).values[at] / see.length - see.shift) @ see.R
        found["velocity", name] = run.velocity(place).values[at] @ see.R / speed
        found["spin", name] = run.angular_velocity(place).values[at] @ see.R * see.time
        if ".at(0.5)" in name or ".at(0.0)" in name:
            beam, s = name.split(".", 1)[0], spot.at
            values = run.section_force(beam, s).values[at]
            found["section", name] = np.hstack([values[:, :3] / force, values[:, 3:] / moment / found["extent"]])
    for joint in [] if run in _REDUNDANT else mechanism.joints:
        wrench = run.reaction(joint.name).values[at]
        found["force", joint.name] = wrench[:, :3] @ see.R / force
        found["moment", joint.name] = wrench[:, 3:] @ see.R / moment / found["extent"]
    values = run.energy
    for key in ("kinetic", "strain", "dissipated", "work"):
        found["energy", key] = values[key].values[at] / energy
    potential = values["potential"].values[at] / energy
    found["energy", "potential"] = potential - potential[0]
    return found


_SCALED = {"position": ("position",), "velocity": ("velocity",), "spin": ("spin",),
           "force": ("force", "moment", "section"), "moment": ("force", "moment", "section"),
           "section": ("force", "moment", "section"), "energy": ("energy",)}  # fmt: skip


def distance(a: Answers, b: Answers, skip: tuple[str, ...] = ()) -> tuple[float, str]:
    """Largest difference of two answers, each kind relative to the largest of its kind; and which it is.

    Positions are relative to the extent of the mechanism, velocities to the largest, and to the extent per second.
    """
    worst, where = 0.0, "nothing"
    for key in a:
        if isinstance(key, str) or key[0] in skip or key not in b:
            continue
        kinds = _SCALED[key[0]]
        sizes = [float(np.abs(v).max()) for k, v in a.items() if not isinstance(k, str) and k[0] in kinds]
        scale = a["extent"] if key[0] == "position" else max(sizes)
        if key[0] in ("velocity", "spin"):
            scale = max(scale, a["extent"] if key[0] == "velocity" else 1.0)
        scale = max(scale, 0.1)  # bodies of about a kilogram and a metre: less than that is nothing
        difference = float(np.abs(a[key] - b[key]).max()) / scale
        if not difference <= worst:  # also where it is not a number
            worst, where = difference, " ".join(key)
    return worst, where


def trembles(mechanism: Mechanism) -> bool:
    """Whether the motion is so violent that a tighter tolerance of Newton's iteration is seen in the answers."""
    first, second = (answers_of(run_of(mechanism, newton_tolerance=f * SHARP), mechanism) for f in (1.0, 0.3))
    return distance(first, second)[0] > 1e-7


def demand(a: Answers, b: Answers, tolerance: float, what: str, skip: tuple[str, ...] = ()) -> None:
    """Raise a `Violation` unless two answers agree."""
    found, where = distance(a, b, skip)
    if not found <= tolerance:
        raise Violation(f"{what}: {where} differs by {found:.2e} (allowed {tolerance:.0e})")
