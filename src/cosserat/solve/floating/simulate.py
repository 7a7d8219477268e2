"""Simulation in relative and modal coordinates: `simulate(..., formulation="floating")`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cosserat.errors import SolveError
from cosserat.results.reference import Reference
from cosserat.results.run import Run
from cosserat.results.status import Outcome, noted
from cosserat.results.trajectory import Carried
from cosserat.solve.beyond import events_of, warn_of_laws
from cosserat.solve.floating.bending import bent_far
from cosserat.solve.floating.control import FloatingControl
from cosserat.solve.floating.events import watching
from cosserat.solve.floating.indefinite import indefinite
from cosserat.solve.floating.leaps import leap_of_tree
from cosserat.solve.floating.methods import new_stepper
from cosserat.solve.floating.model import floating_model
from cosserat.solve.floating.results import FloatingResults
from cosserat.solve.floating.start import continued, starting_state
from cosserat.solve.floating.state import Instant, Start, States, StepFailure
from cosserat.solve.floating.steps import Stepper
from cosserat.solve.floating.walk import FloatingWalk
from cosserat.solve.formulation import Floating
from cosserat.solve.motion.asked import Asked
from cosserat.solve.motion.driver import equal_steps, warn_of_call
from cosserat.solve.motion.failures import ENDED, kept_inside
from cosserat.solve.motion.method import name_of
from cosserat.solve.motion.reach import within_reach


def simulate_floating(asked: Asked) -> Run:
    """Simulate a tree in floating frames."""
    model, duration, step, settings, start, start_time, every, *_, watch = asked
    integrator, rho, controller = (settings[key] for key in ("integrator", "rho", "controller"))
    reference = Reference(model)
    frames = Floating(settings["modes"], settings["boundary"], settings["stiffening"])
    phases = asked.phases
    loose = () if phases is None else phases.switched
    floating = floating_model(model, reference, frames, "simulate", loose=loose)
    tree = floating.tree
    timetable, now = floating.timetable(reference, asked.begins, duration), reference
    stepper = new_stepper(floating, integrator, rho, settings["newton_tolerance"], step is None)
    if phases is not None:
        stepper.engine.open, now = phases.open, reference.opened(phases.open)
    control = None if controller is None else FloatingControl(controller, reference, stepper.engine, phases)
    state, first = starting_state(stepper, now, start, start_time), None
    given = state.v.copy()
    held = start.trajectory.held if isinstance(start, Run) else None
    if control is not None and held is not None:
        control.hold(held)
    begin = continued(stepper, start, _begun(stepper, reference, state), rho)
    if isinstance(start, Run):
        side = 1e-9 * float(np.ptp(start.time))
        if timetable.kinks([begin.t], side):  # it may have ended before the impact
            begin = _begun(stepper, reference, state)._replace(v=given)
            begin = stepper.kinked(begin, begin.t + side)._replace(t=begin.t)
            state = state._replace(v=begin.v)
    if control is not None:
        known = begin
        control.call(begin.t, begin.q, begin.v, lambda: known)
        control.tell()
        first = begin if held is not None else None
        begin = stepper.start(*state) if first is None else stepper.jumped(begin)  # with the first efforts
    keeper = None if asked.checkpoint is None else asked.keeper(reference.compiled)
    watch.ready()
    tree.forces.jumps = timetable.jumps(begin.t, begin.t + duration)
    if tree.forces.jumps.times:
        timetable.check_motions(tree.forces.jumps.times, duration, "simulate")
    walk = FloatingWalk(stepper, begin, reference.length, control, reference.extent)
    walk.first, walk.phases = first, phases
    if settings["events"]:
        walk.watch = watching(walk, settings["events"], reference)
    breaks = [*tree.forces.jumps.times, begin.t + duration]
    walk.kinks = walk.parts = timetable.kinks(breaks, 1e-9 * duration)
    if step is not None:
        jumps = tree.forces.jumps
        parted = not stepper.jumps or walk.kinks or (jumps.times and timetable.parted_at(jumps, duration))
        walk.parts = sorted({*jumps.times, *walk.kinks}) if parted else []
        stepper.parted = bool(walk.parts)
    if step is None:
        breaks = timetable.breaks(tree.forces.jumps, begin.t, begin.t + duration)
    times, status = asked.steps(walk, begin.t, breaks, keeper)
    restore = None if control is None else control.restore
    if control is not None:
        status = control.judged(status)
    before = 1e-9 * float(np.diff(times).min(initial=duration)) if step is None else 0.0
    states = States(*(x[: len(times)] for x in walk.states))  # all, but where steps were interrupted midway
    spread = 0.0 if step is None or every > 1 else stepper.side(duration / equal_steps(duration, step))
    parts = () if phases is None else phases.of(times)
    results = FloatingResults(stepper.engine, reference, times, states, restore, before, spread, parts)
    if status.outcome in ENDED:
        last = FloatingResults(stepper.engine, reference, times[-1:], States(*(x[-1:] for x in states)), restore)
        ahead = duration / 10.0 if step is None else step
        status = kept_inside(reference.compiled, times[-1:], last.nodal(), status, ahead)[1]
        if status.outcome in ENDED:
            told = last.failing_law(ahead)
            if not told and integrator != "runge-kutta":  # long explicit steps alone explain it
                told = indefinite(tree, stepper.drives.held, times, states.q)
            status = replace(status, detail=told or status.detail)
            status = within_reach(reference.compiled, status, begin.t + duration - float(times[-1]))
    looked = every == 1 and status.ok and phases is None  # velocities that jump are no leap
    leap = leap_of_tree(tree, times, states, stepper.drives, stepper.constraints) if looked else None
    if leap is not None:
        status = replace(status, outcome=Outcome.WRONG_BRANCH, time=leap[0], detail=leap[1])
    watch.stop()
    nodes = reference.skeleton
    stats = watch.stats(walk.tally, nodes.n_nodes, len(model.joints) + nodes.n_corners)
    said = {key: value for key, value in settings.items() if key not in ("controller", "events")}
    said |= {"step": step, "duration": duration, "integrator": name_of(integrator), "controlled": control is not None}
    if walk.watch is not None:
        said["events"] = walk.watch.found
    efforts = None if control is None else control.efforts_at(times)
    goes_on = integrator == "generalized-alpha" and not walk.torn
    carried = Carried(walk.now.carried, walk.now.step, walk.now.inner[1:], walk.now.force) if goes_on else None
    events = [*events_of(model, times), *bent_far(tree.data, floating.seats, states.q)]
    status = noted(status, stats, events)
    run = Run(
        results.trajectory(
            status, said, stats=stats, efforts=efforts, carried=carried, crossed=walk.powers(),
            held=None if control is None else control.held,
        )
    )  # fmt: skip
    warn_of_call(status)
    warn_of_laws(run.trajectory)
    return run


def _begun(stepper: Stepper, reference: Reference, start: Start) -> Instant:
    """The start with its accelerations; an error that names a law which fails there."""
    try:
        return stepper.start(*start)
    except StepFailure as failure:
        t, q, v, angles, inner = start
        zero, none = np.zeros((1, len(q))), np.zeros((1, stepper.constraints.n_rows))
        states = States(q[None], v[None], zero, none, angles[None], inner[None])
        failing = FloatingResults(stepper.engine, reference, np.array([t]), states).failing_law(0.0)
        said = failing or failure.detail or failure.outcome.value
        raise SolveError(f"simulate: there is no motion from the start: {said}") from None
