"""All that a run needs to go on in another process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.compile.joints import opened
from cosserat.lie.protocol import Array
from cosserat.solve.motion.crossings import snapshot
from cosserat.solve.motion.jolts import take_joints
from cosserat.solve.motion.likeness import demand_efforts, demand_like
from cosserat.solve.motion.strides import judge

if TYPE_CHECKING:
    from cosserat.solve.motion.stepping import Integration


_KEPT = ("state", "trial", "middle", "solver", "scratch", "visit", "owned")  # groups of the problem, ...
# ... without addresses, and what is sampled anew
_OWN = ("laws", "bonds", "units", "rules", "media", "settle", "drive_rate")


def keepsake(work: Integration) -> dict[str, Any]:
    """Stored states, and every number of the problem: state, trial, factors, memories."""
    groups = {name: arrays_of(work, name) for name in _KEPT}
    return {
        **work.shelf.keepsake(), "groups": groups, "accel_step": work.accel_step,
        "at_breaks": work.at_breaks, "loaded": [work.careful != 0, work.search != 0],
        "graded": work.graded, "unheld": None if work.unheld is None else work.unheld.keepsake(),
        "work": [work.tally.halved, work.tally.rejected], "replaced": work.replaced,
        "impulses": work.impulses.filtered, "crossings": work.crossings.kept,
        "control": None if work.controlled is None else work.controlled.keepsake(),
        "phases": None if work.phases is None else [work.phases.keepsake(), work.memory.problem.joints.soft],
    }  # fmt: skip


def arrays_of(work: Integration, name: str) -> list[Array]:
    """Arrays of a group that mean the same in another process, and are not sampled anew."""
    group = getattr(work.memory.problem, name)
    return [getattr(group, field) for field in group._fields if field not in _OWN]


def resume(work: Integration, kept: dict[str, Any]) -> None:
    """Take all of it back."""
    solver = work.memory.problem.solver
    if tuple(kept["groups"]) != _KEPT:
        raise ValueError(f"groups {list(kept['groups'])}")
    for name, arrays in kept["groups"].items():
        demand_like(arrays, arrays_of(work, name))
        for target, array in zip(arrays_of(work, name), arrays, strict=True):
            target[...] = array
    if work.phases is not None:
        log, soft = kept["phases"]
        demand_like(soft, work.memory.problem.joints.soft)
        work.phases.resume(log)
        take_joints(work, opened(work.whole, work.phases.open))
        work.memory.problem.joints.soft[...] = soft
    work.shelf.resume(kept)
    work.accel_step, work.at_breaks = float(kept["accel_step"]), bool(kept["at_breaks"])
    work.replaced, work.graded = kept["replaced"], bool(kept["graded"])
    work.tally.halved, work.tally.rejected = map(int, kept["work"])
    work.follow_impulses()
    work.impulses.resume(kept["impulses"], kept.get("t", 0.0))
    row = snapshot(work.state)
    demand_like(kept["crossings"], [(0.0, np.zeros(2), row, row)] * len(kept["crossings"]))
    work.crossings.kept = kept["crossings"]
    if kept["unheld"] is not None:
        demand_like(kept["unheld"], [solver.blocks, solver.memory, solver.past, 0])
        judge(work).resume(kept["unheld"])
    for wanted in kept["loaded"]:
        if wanted:
            work.load_more(search=True)
    if work.controlled is not None:
        work.controlled.resume(kept["control"])
        demand_efforts(work.replaced or {}, work.controlled.columns.values())
