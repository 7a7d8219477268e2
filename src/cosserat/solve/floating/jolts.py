"""Impulses on a tree, and joints that are engaged with them: as in `motion.jolts`, in coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.solve.floating.state import Instant
from cosserat.solve.floating.steps import Stepper
from cosserat.solve.motion.kinks import SIDE
from cosserat.solve.motion.switching import FITTING, Misfit
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.tree_constraints import TreeRows

if TYPE_CHECKING:
    from cosserat.solve.floating.walk import FloatingWalk


def jolt(
    walk: FloatingWalk, t: float, h: float, state: Any, impulses: dict[Any, Array], open: frozenset[str] | None
) -> None:
    """Let impulses (6,) in world axes act at time t at places, which the state that was asked knows.

    `open`: joints that are open from there on, None: as before.
    """
    stepper, before = walk.stepper, walk.now._replace(t=t)
    now, engaged = before, frozenset[str]() if open is None else _switch(walk, before, h, open)
    if impulses:
        none = np.zeros(1)
        change = stepper.engine.response(before, (state.generalised(impulses), none, none, none, none))
        now = before._replace(v=before.v + np.where(stepper.drives.held, 0.0, change))
    if engaged:
        now = _engaged(stepper, now, engaged)
    stepper.slopes = None, None
    if open is None:
        walk.now = stepper.jumped(now, h)._replace(step=0.0)
    else:
        walk.now = stepper.start(t, now.q, now.v, now.angles, now.inner[0])
    stepper.crossed(t - SIDE * h, h, before, walk.now)  # what is stored is after it


def _switch(walk: FloatingWalk, now: Instant, h: float, open: frozenset[str]) -> frozenset[str]:
    """Release and engage joints, so that these are open from now on; gives the names of those engaged."""
    assert walk.phases is not None
    engine, known = walk.stepper.engine, walk.phases.open
    engine.open = open
    rows = _rows(walk.stepper, now, known - open)
    for title, turns, gap in engine.constraints.gaps(known - open, rows.value):
        if gap > FITTING * (1.0 if turns else walk.size):
            engine.open = known
            raise Misfit(title, gap, "rad" if turns else "m")
    walk.phases.turn(now.t, h, open)
    return known - open


def _engaged(stepper: Stepper, now: Instant, names: frozenset[str]) -> Instant:
    """A state in which joints were engaged: velocities jump as in a plastic impact, turns are counted from here."""
    q, v = stepper.engine.projected(now.t, now.q, now.v, stepper.constraints.angles_from_here(names, now.angles))
    now = now._replace(q=q, v=v)
    return now._replace(angles=_rows(stepper, now, names).angles)


def _rows(stepper: Stepper, now: Instant, engaged: frozenset[str]) -> TreeRows:
    """Constraints at a state, turns of joints that are engaged counted from there."""
    angles = stepper.constraints.angles_from_here(engaged, now.angles)
    links = Motions(stepper.tree.data).move(now.q, now.v)
    return stepper.constraints.at(links, now.q, now.t, angles)
