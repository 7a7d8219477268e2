"""Equilibria: the same whoever describes them, at rest when they are let go, and carried by the ground."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import cosserat as cs

from .answers import NotApplicable, Violation, run_of
from .mechanism import LINKS, TOUCHING, Mechanism, Observer, build, place_text
from .relations_laws import applied, first_moment, grounded
from .relations_linear import demand_unique, held, rest
from .relations_same import SWAPPED, UNITS, rng_of, shuffled, swapped, turned_round


def _answers(found: cs.Equilibrium, mechanism: Mechanism, see: Observer) -> tuple[Any, Any]:
    """Positions of places and forces in joints, as the first observer would have them."""
    places = [
        (found.position(place_text(s)) / see.length - see.shift) @ see.R / mechanism.extent
        for s in mechanism.spots().values()
    ]
    forces = [found.reaction(j.name)[:3] @ see.R / see.factor(1, 1, -2) for j in mechanism.joints]
    return np.array(places), np.array(forces)


def _demand_same(mechanism: Mechanism, see: Observer, what: str) -> None:
    mechanism = held(mechanism, driven=not any(p.kind in ("Planar", "PlanarTranslation") for p in mechanism.joints))
    first, second = (_answers(rest(build(mechanism, s)), mechanism, s) for s in (Observer(), see))
    _demand_near(first, second, what)


def _demand_near(first: tuple[Any, Any], second: tuple[Any, Any], what: str) -> None:
    for a, b, scale, word in ((first[0], second[0], 1.0, "places"), (first[1], second[1], None, "reactions")):
        away = np.abs(a - b).max() / (scale or max(float(np.abs(a).max()), 0.1))
        if not away <= 1e-7:
            raise Violation(f"equilibrium in {what}: {word} differ by {away:.1e}")


def rest_units(mechanism: Mechanism) -> None:
    """Equilibria do not depend on units."""
    _demand_same(mechanism, UNITS[int(rng_of(mechanism).integers(len(UNITS)))], "other units")


def rest_observer(mechanism: Mechanism) -> None:
    """Equilibria do not depend on axes."""
    _demand_same(mechanism, Observer.turned(rng_of(mechanism)), "turned axes")


def rest_order(mechanism: Mechanism) -> None:
    """Equilibria do not depend on the order of parts, and on which side of a joint is the parent."""
    mechanism = held(mechanism, driven=True)
    demand_unique(mechanism)
    other = shuffled(mechanism).mapped(swapped, *SWAPPED).mapped(turned_round, "Servo")
    first, second = (_answers(rest(build(m)), mechanism, Observer()) for m in (mechanism, other))
    sign = np.array([[-1.0 if j.kind in SWAPPED else 1.0] for j in mechanism.joints])
    _demand_near(first, (second[0], sign * second[1]), "another order")


def rest_stays(mechanism: Mechanism) -> None:
    """What starts in its equilibrium stays there."""
    mechanism = held(mechanism)
    run = run_of(mechanism, start="equilibrium", duration=0.05)
    speed = max(float(np.abs(run.velocity(place_text(s)).values).max()) for s in mechanism.spots().values())
    if not speed <= 1e-6 * mechanism.extent:
        raise Violation(f"an equilibrium that is let go moves with {speed:.1e} m/s")


def rest_carried(mechanism: Mechanism) -> None:
    """The ground carries weight and dead forces, nothing else."""
    parts = [p for p in mechanism.parts if p.kind not in LINKS and not p.given.get("follower")]
    plain = held(replace(mechanism, parts=tuple(parts)))
    if any("moment" in p.given for p in plain.of("DistributedLoad")):
        raise NotApplicable("moments along beams")
    found = rest(build(plain))
    mass, _ = first_moment(found)
    force = mass * np.array(plain.gravity)
    for load in plain.of("Force", "DistributedLoad"):
        force = force + applied(found, load, np.zeros(1))[0]
    carried = np.zeros(3)
    for wheel in plain.of(*TOUCHING):
        carried += found.reaction(wheel.name)[:3]
    for joint in grounded(plain):
        carried += (1.0 if joint.given["parent"].grounded else -1.0) * found.reaction(joint.name)[:3]
    away = np.abs(carried + force).max() / max(float(np.abs(force).max()), 0.1)
    if not away <= 1e-6:
        raise Violation(f"the ground carries {carried} N, what acts is {force} N (differs by {away:.1e})")
