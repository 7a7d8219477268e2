"""Simulation in relative and modal coordinates: `simulate(..., formulation="floating")`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cosserat.compile.rules import break_array
from cosserat.compile.seats import Seat
from cosserat.compile.timetable import Timetable
from cosserat.compile.tree import compile_tree
from cosserat.errors import SolveError
from cosserat.model.model import Model
from cosserat.results.checkpoint import Checkpoint, identity_of
from cosserat.results.reference import Reference
from cosserat.results.run import Run
from cosserat.results.status import Outcome
from cosserat.results.trajectory import Carried, Trajectory
from cosserat.results.verdict import noted
from cosserat.solve.beyond import events_of, warn_of_laws
from cosserat.solve.floating.bending import bent_far
from cosserat.solve.floating.control import FloatingControl
from cosserat.solve.floating.events import watching
from cosserat.solve.floating.indefinite import indefinite
from cosserat.solve.floating.leaps import leap_of_tree
from cosserat.solve.floating.methods import new_stepper
from cosserat.solve.floating.results import FloatingResults, node_seats
from cosserat.solve.floating.start import continued, starting_state
from cosserat.solve.floating.state import Drives, Instant, Start, States, StepFailure
from cosserat.solve.floating.steps import Stepper
from cosserat.solve.floating.walk import FloatingWalk
from cosserat.solve.motion.driver import Progress, adaptive_steps, equal_steps, fixed_steps, warn_of_call
from cosserat.solve.motion.failures import ENDED, kept_inside
from cosserat.solve.motion.method import name_of
from cosserat.solve.motion.reach import within_reach
from cosserat.solve.motion.stopwatch import Stopwatch
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.tree_constraints import TreeConstraints


def simulate_floating(
    model: Model,
    duration: float,
    step: float | None,
    settings: dict[str, Any],
    start_time: float,
    every: int,
    progress: Progress | None,
    kept: tuple[Any, float] | None,
    watch: Stopwatch,
) -> Run:
    """Simulate a tree in floating frames; arguments as those of `simulate`, the rest of them in `settings`.

    `kept`: path and interval of a checkpoint.
    """
    reference = Reference(model)
    tree = tree_for(model, reference, settings)
    drives = Drives(model, tree)
    seats = node_seats(tree, reference.skeleton)
    constraints = TreeConstraints(model, tree.data, [seat for seat in seats if seat.link >= 0])
    timetable, reference.rules = timetable_for(model, tree, constraints), constraints.rules
    last = settings["start"]
    if constraints.rules:
        timetable.look(float(last.time[-1]) if isinstance(last, Run) else start_time, duration)
        constraints.closed.held.breaks[:] = break_array(constraints.rules)
    stepper = new_stepper(
        tree, drives, constraints, reference.size, settings["integrator"], settings["rho"],
        settings["newton_tolerance"], step is None,
    )  # fmt: skip
    control = None
    if settings["controller"] is not None:
        control = FloatingControl(settings["controller"], reference, stepper.engine, seats)
    state, first = starting_state(stepper, reference, settings["start"], start_time), None
    given = state.v.copy()
    held = settings["start"].trajectory.held if isinstance(settings["start"], Run) else None
    if control is not None and held is not None:
        control.hold(held)
    begin = continued(stepper, settings["start"], _begun(stepper, reference, seats, state), settings["rho"])
    if isinstance(settings["start"], Run):
        side = 1e-9 * float(np.ptp(settings["start"].time))
        if timetable.kinks([begin.t], side):  # it may have ended before the impact
            begin = _begun(stepper, reference, seats, state)._replace(v=given)
            begin = stepper.kinked(begin, begin.t + side)._replace(t=begin.t)
            state = state._replace(v=begin.v)
    if control is not None:
        known = begin
        control.asked.call(begin.t, begin.q, begin.v, lambda: known)
        control.tell()
        first = begin if held is not None else None
        begin = stepper.start(*state) if first is None else stepper.jumped(begin)  # with the first efforts
    keeper = None
    if kept is not None:
        asked = {**settings, "step": step, "duration": duration, "start_time": start_time}
        keeper = Checkpoint(kept[0], identity_of(reference.compiled, asked), kept[1], settings["controller"], model)
    watch.ready()
    tree.forces.jumps = timetable.jumps(begin.t, begin.t + duration)
    if tree.forces.jumps.times:
        timetable.check_motions(tree.forces.jumps.times, duration, "simulate")
    walk = FloatingWalk(stepper, begin, reference.length, control)
    walk.first = first
    if settings["events"]:
        walk.watch = watching(walk, settings["events"], reference, seats)
    breaks = [*tree.forces.jumps.times, begin.t + duration]
    walk.kinks = walk.parts = timetable.kinks(breaks, 1e-9 * duration)
    if step is not None:
        jumps = tree.forces.jumps
        parted = not stepper.jumps or walk.kinks or (jumps.times and timetable.parted_at(jumps, duration))
        walk.parts = sorted({*jumps.times, *walk.kinks}) if parted else []
        stepper.parted = bool(walk.parts)
    if step is None:
        breaks = timetable.breaks(tree.forces.jumps, begin.t, begin.t + duration)
        times, status = adaptive_steps(
            walk, begin.t, duration, settings["tolerance"], every, breaks, progress, keeper
        )  # fmt: skip
    else:
        n_steps = equal_steps(duration, step)
        times, status = fixed_steps(walk, begin.t, n_steps, duration / n_steps, every, progress, keeper)
    restore = None if control is None else control.restore
    if control is not None:
        status = control.asked.judged(status)
    before = 1e-9 * float(np.diff(times).min(initial=duration)) if step is None else 0.0
    states = States(*(x[: len(times)] for x in walk.states))  # all, but where steps were interrupted midway
    spread = stepper.side(duration / n_steps) if step is not None and every == 1 else 0.0
    results = FloatingResults(stepper.engine, reference, times, states, seats, restore, before, spread)
    if status.outcome in ENDED:
        last = FloatingResults(
            stepper.engine, reference, times[-1:], States(*(x[-1:] for x in states)), seats, restore
        )  # fmt: skip
        ahead = duration / 10.0 if step is None else step
        status = kept_inside(reference.compiled, times[-1:], last.nodal(), status, ahead)[1]
        if status.outcome in ENDED:
            told = last.failing_law(ahead)
            if not told and settings["integrator"] != "runge-kutta":  # long explicit steps alone explain it
                told = indefinite(tree, drives.held, times, states.q)
            status = replace(status, detail=told or status.detail)
            status = within_reach(reference.compiled, status, begin.t + duration - float(times[-1]))
    leap = leap_of_tree(tree, times, states, drives, constraints) if every == 1 and status.ok else None
    if leap is not None:
        status = replace(status, outcome=Outcome.WRONG_BRANCH, time=leap[0], detail=leap[1])
    watch.stop()
    nodes = reference.skeleton
    stats = watch.stats(walk.tally, nodes.n_nodes, len(model.joints) + nodes.n_corners)
    asked = {key: value for key, value in settings.items() if key not in ("start", "controller", "events")}
    asked |= {"step": step, "duration": duration, "integrator": name_of(settings["integrator"])}
    asked["controlled"] = control is not None
    if walk.watch is not None:
        asked["events"] = walk.watch.found
    efforts = None if control is None else control.efforts_at(times)
    goes_on = settings["integrator"] == "generalized-alpha" and not walk.torn
    carried = Carried(walk.now.carried, walk.now.step, walk.now.inner[1:], walk.now.force) if goes_on else None
    events = [*events_of(model, times), *bent_far(tree.data, seats, states.q)]
    status = noted(status, stats, events)
    found = results.pending, status, asked, stats, efforts, results.record, carried, walk.powers()
    run = Run(Trajectory(reference, times, *found, held=None if control is None else control.asked.held))
    results.pending.fill = lambda: results.fill(run.motion)
    warn_of_call(status)
    warn_of_laws(run.trajectory)
    return run


def _begun(stepper: Stepper, reference: Reference, seats: list[Seat], start: Start) -> Instant:
    """The start with its accelerations; an error that names a law which fails there."""
    try:
        return stepper.start(*start)
    except StepFailure as failure:
        t, q, v, angles, inner = start
        zero, none = np.zeros((1, len(q))), np.zeros((1, stepper.constraints.n_rows))
        states = States(q[None], v[None], zero, none, angles[None], inner[None])
        failing = FloatingResults(stepper.engine, reference, np.array([t]), states, seats).failing_law(0.0)
        said = failing or failure.detail or failure.outcome.value
        raise SolveError(f"simulate: there is no motion from the start: {said}") from None


def tree_for(model: Model, reference: Reference, settings: dict[str, Any]) -> FlexibleTree:
    """The model as a tree, its loops cut; beams keep the stations of their meshes."""
    stations = {name: [float(s) for s in mesh.s] for name, mesh in reference.skeleton.beams.items()}
    data = compile_tree(
        model, settings["modes"], settings["boundary"], settings["stiffening"], stations, "simulate", cut=True
    )  # fmt: skip
    return FlexibleTree.of_data(model, data)


def timetable_for(model: Model, tree: FlexibleTree, constraints: TreeConstraints) -> Timetable:
    """When something in the tree, its cut joints and its drives is not smooth."""
    driven = tuple(joint for joint in model.joints if any(motion is not None for motion in joint.motion))
    functions = *tree.forces.functions(), *constraints.functions
    return Timetable(functions, driven, tree.forces.units, constraints.rules, tuple(model.servos))
