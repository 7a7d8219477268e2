"""Simulation in relative and modal coordinates: `simulate(..., formulation="floating")`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from cosserat.errors import SolveError
from cosserat.results.run import Run
from cosserat.results.trajectory import Carried, Reference
from cosserat.solve.beyond import warn_of_laws
from cosserat.solve.floating.integration import new_stepper
from cosserat.solve.floating.model import floating_model
from cosserat.solve.floating.moment import TreeMoment
from cosserat.solve.floating.results import FloatingResults, tree_powers
from cosserat.solve.floating.start import continued, starting_state
from cosserat.solve.floating.state import Instant, Start, States
from cosserat.solve.floating.verdicts import bent_far, indefinite, leap_of_tree
from cosserat.solve.floating.walk import FloatingWalk
from cosserat.solve.formulation import Floating
from cosserat.solve.motion.asked import Asked
from cosserat.solve.motion.control import Controlled
from cosserat.solve.motion.crossings import crossed_powers
from cosserat.solve.motion.driver import equal_steps
from cosserat.solve.motion.events import Watch
from cosserat.solve.motion.failures import ENDED, kept_inside, within_reach
from cosserat.solve.motion.walk import StepFailure


def simulate_floating(asked: Asked) -> Run:
    """Simulate a tree in floating frames."""
    model, duration, step, settings, start, start_time, every, *_ = asked
    integrator, rho, controller = (settings[key] for key in ("integrator", "rho", "controller"))
    reference = Reference(model)
    frames = Floating(settings["modes"], settings["boundary"], settings["stiffening"])
    phases = asked.phases
    loose = () if phases is None else phases.switched
    floating = floating_model(model, reference, frames, "simulate", loose=loose)
    tree = floating.tree
    timetable, now = floating.timetable(reference, asked.begins, duration), reference
    walk = new_stepper(floating, integrator, rho, settings["newton_tolerance"], step is None)
    if phases is not None:
        walk.engine.open, now = phases.open, reference.opened(phases.open)
    control: Controlled | None = None
    if controller is not None:

        def moment() -> TreeMoment:
            return TreeMoment(walk.engine, reference, phases, control)

        control = Controlled(controller, reference.compiled, moment, walk.engine.command)
    state, first, later = starting_state(walk, now, start, start_time), None, False
    replaced: dict[int, float] | None = None  # what a controller held before, if it changes at the start
    given = state.v.copy()
    held = start.trajectory.held if isinstance(start, Run) else None
    if control is not None and held is not None:
        control.hold(held)
        control.tell()
    begin = _begun(walk, reference, state)
    if isinstance(start, Run):
        side = 1e-9 * float(np.ptp(start.time))
        if timetable.kinks([begin.t], side):  # it may have ended before the impact
            begin = walk.kinked(begin._replace(v=given), begin.t + side)._replace(t=begin.t)
            state = state._replace(v=begin.v)
        else:
            begin = continued(walk, start, begin, rho)
    if control is not None:
        known = begin
        replaced = control.call(begin.t, begin.q, begin.v, lambda: known)
        first = begin if held is not None else None
        later = first is not None and step is not None and walk.remembers and begin.step > 0.0
        if not later:
            control.tell()
            begin = walk.start(*state) if first is None else walk.engine.jumped(begin)  # with the first efforts
    keeper = None if asked.checkpoint is None else asked.keeper(reference.compiled)
    tree.forces.jumps = timetable.jumps(begin.t, begin.t + duration)
    if tree.forces.jumps.times:
        timetable.check_motions(tree.forces.jumps.times, duration, "simulate")
    walk.enter(begin, control)
    if later and replaced is not None:
        walk.take_over(replaced)
    walk.first, walk.phases = first, phases
    if settings["events"]:
        walk.watch = Watch(walk, settings["events"], TreeMoment(walk.engine, reference, phases, None))
    breaks = [*tree.forces.jumps.times, begin.t + duration]
    walk.kinks = walk.parts = timetable.kinks(breaks, 1e-9 * duration)
    if step is not None:
        jumps = tree.forces.jumps
        parted = not walk.remembers or walk.kinks or (jumps.times and timetable.parted_at(jumps, duration))
        walk.parts = sorted({*jumps.times, *walk.kinks}) if parted else []
    if step is None:
        breaks = timetable.breaks(tree.forces.jumps, begin.t, begin.t + duration)
    times, status = asked.steps(walk, begin.t, breaks, keeper)
    restore = None if control is None else control.restore
    if control is not None:
        status = control.judged(status)
    before = 1e-9 * float(np.diff(times).min(initial=duration)) if step is None else 0.0
    states = States(*(x[: len(times)] for x in walk.states))  # all, but where steps were interrupted midway
    spread = 0.0 if step is None or every > 1 else walk.side(duration / equal_steps(duration, step))
    parts = () if phases is None else phases.of(times)
    results = FloatingResults(walk.engine, reference, times, states, restore, before, spread, parts)
    if status.outcome in ENDED:
        last = FloatingResults(walk.engine, reference, times[-1:], States(*(x[-1:] for x in states)), restore)
        ahead = duration / 10.0 if step is None else step
        status = kept_inside(reference.compiled, times[-1:], last.nodal(), status, ahead)[1]
        if status.outcome in ENDED:
            why = last.failing_law(ahead)
            if not why and integrator != "runge-kutta":  # long explicit steps alone explain it
                why = indefinite(tree, walk.drives.held, times, states.q)
            status = replace(status, detail=why or status.detail)
            status = within_reach(reference.compiled, status, begin.t + duration - float(times[-1]))
    if status.ok and every == 1 and phases is None:  # velocities that jump are no leap
        status = leap_of_tree(tree, times, states, walk.drives, walk.constraints) or status
    nodes = reference.skeleton
    bent = bent_far(tree.data, floating.seats, states.q)
    told = asked.recorded(walk, times, status, (nodes.n_nodes, len(model.joints) + nodes.n_corners), bent)
    goes_on = integrator == "generalized-alpha" and not walk.torn
    carried = Carried(walk.now.carried, walk.now.step, walk.now.inner[1:], walk.now.force) if goes_on else None
    crossed = crossed_powers(walk.crossings, partial(tree_powers, walk.engine), phases)
    run = Run(results.trajectory(carried=carried, crossed=crossed, **told))
    warn_of_laws(run.trajectory)
    return run


def _begun(walk: FloatingWalk, reference: Reference, start: Start) -> Instant:
    """The start with its accelerations; an error that names a law which fails there."""
    try:
        return walk.start(*start)
    except StepFailure as failure:
        t, q, v, angles, inner = start
        zero, none = np.zeros((1, len(q))), np.zeros((1, walk.constraints.n_rows))
        states = States(q[None], v[None], zero, none, angles[None], inner[None])
        failing = FloatingResults(walk.engine, reference, np.array([t]), states).failing_law(0.0)
        said = failing or failure.detail or failure.outcome.value
        raise SolveError(f"simulate: there is no motion from the start: {said}") from None
