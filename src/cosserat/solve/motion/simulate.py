"""Simulation of nodes: `simulate(..., formulation="galilean")`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel
from cosserat.compile.joints import opened
from cosserat.errors import SolveError, warn
from cosserat.kernels.arrays import History
from cosserat.kernels.newton import CONSERVING
from cosserat.results.run import Run
from cosserat.results.status import Outcome
from cosserat.results.trajectory import Trajectory, carried_to
from cosserat.solve.beyond import warn_of_laws
from cosserat.solve.coarseness import warn_of_deflections
from cosserat.solve.memory import new_memory
from cosserat.solve.motion.asked import Asked
from cosserat.solve.motion.control import Controlled
from cosserat.solve.motion.crossings import crossed_powers, nodal_powers
from cosserat.solve.motion.driver import equal_steps
from cosserat.solve.motion.events import Watch
from cosserat.solve.motion.failures import kept_inside, leap_of_nodes, within_reach
from cosserat.solve.motion.method import Method
from cosserat.solve.motion.moment import NodalMoment
from cosserat.solve.motion.nodal_method import simulate_method
from cosserat.solve.motion.starting import set_start
from cosserat.solve.motion.stepping import Integration
from cosserat.solve.motion.wheels import alternating_reaction, warn_of_wheels

INTEGRATORS = {"generalized-alpha": 0.0, "energy-momentum": CONSERVING}
_LARGEST_HISTORY = 4e9  # bytes
_SHARE = 1e-3  # times the square of the relative change of accelerations: what Newton's iteration may leave of them


def simulate_galilean(asked: Asked) -> Run:
    """Simulate nodes."""
    model, duration, step, settings, start, start_time, every, *_ = asked
    integrator, rho, controller = (settings[key] for key in ("integrator", "rho", "controller"))
    newton_tolerance = settings["newton_tolerance"]
    if isinstance(integrator, Method):
        return simulate_method(asked, integrator)
    whole, phases = compile_model(model), asked.phases
    compiled = whole if phases is None else opened(whole, phases.open)
    keeper = None if asked.checkpoint is None else asked.keeper(compiled)
    if integrator == "generalized-alpha" and rho > 0.995 and compiled.n_multipliers:
        warn(
            f"rho = {rho:g}: without numerical damping, errors of accelerations and reactions in joints alternate from "
            "step to step and grow; use integrator='energy-momentum' for a run without damping, or rho <= 0.99",
        )
    share = _SHARE if newton_tolerance is None and integrator == "generalized-alpha" else 0.0
    if newton_tolerance is None:
        sharp = rho > 0.99 or compiled.rolling  # slip is a velocity: a step divides the error of its displacement
        newton_tolerance = 1e-9 if sharp else 1e-5
        if integrator == "energy-momentum":  # what is left adds up in the momenta of bodies that fly
            newton_tolerance = 1e-12 if len(compiled.system.bodies.lone) or phases is not None else 1e-11
    compiled.timetable.look(asked.begins, duration)
    memory = new_memory(compiled, compiled.sampler.sample(np.array([start_time])))
    work = Integration(compiled, memory, rho, INTEGRATORS[integrator], newton_tolerance, share)
    work.whole, work.phases = whole, phases
    before = start.settings.get("integrator") if isinstance(start, Run) else None
    conserved = integrator == "energy-momentum" == before
    carried, inputs, held = None, None, None
    if isinstance(start, Run):
        carried = carried_to(start.trajectory, formulation="galilean", rho=rho) if work.scheme != CONSERVING else None
        if carried is not None and step is not None and abs(carried.step - step) > 1e-9 * step:
            carried = None  # velocities of the method belong to its step
        held = start.trajectory.held
        if controller is not None and held is None:
            carried = None
    if controller is not None:
        work.controlled = Controlled(controller, whole, partial(NodalMoment, whole, memory, phases))
        if held is not None:
            work.controlled.hold(held)
            inputs = work.commanded(compiled.sampler.sample(start.time[-1:]))
    start_time, work.accel_step = set_start(
        compiled, memory, start, start_time, project=not conserved, carried=carried, inputs=inputs
    )
    if carried is not None and work.accel_step > 0.0:
        work.go_on(carried)
    if controller is not None:
        work.take_control(start_time, inputs)
    work.jumps = compiled.timetable.jumps(start_time, start_time + duration)
    compiled.timetable.check_motions(work.jumps.times, duration, "simulate")
    if settings.get("events"):
        work.watch = Watch(work, settings["events"], NodalMoment(whole, memory, phases))
    breaks = []
    if step is None:
        breaks = compiled.timetable.breaks(work.jumps, start_time, start_time + duration)
    else:
        work.parts = compiled.timetable.parted_at(work.jumps, duration)
        n_stored = equal_steps(duration, step) // every
        _check_memory(compiled, n_stored)
        work.shelf.reserve(2 + n_stored)
    times, status = asked.steps(work, start_time, breaks, keeper)
    work.finish(float(times[-1]))
    tally, history = work.tally, work.shelf.history(len(times))
    compiled = whole
    if not status.ok or integrator == "energy-momentum":
        inside, status = kept_inside(compiled, times, history, status, duration / 10.0 if step is None else step)
        times, history = times[:inside], History(*(a[:inside] for a in history))
        status = within_reach(compiled, status, start_time + duration - float(times[-1]))
    ended = status
    if work.controlled is not None:
        status = work.controlled.judged(status)
    if status is ended and integrator == "generalized-alpha" and step is not None and every == 1:
        grown = alternating_reaction(compiled, times, history.twist, history.force, rho)
        if grown is not None:
            warn(f"simulate: {grown}")
            outcome = Outcome.ALTERNATING if status.ok else status.outcome
            status = replace(status, outcome=outcome, detail="; ".join(filter(None, (status.detail, grown))))
    if status.ok and every == 1 and phases is None:
        status = leap_of_nodes(compiled, memory.problem.joints.soft, times, history) or status
    asked.settings["newton_tolerance"] = newton_tolerance
    told = asked.recorded(
        work, times, status, (compiled.n_nodes, compiled.n_joints), careful_steps=tally.careful,
        searched_steps=tally.searched, stalled_steps=tally.stalled,
    )  # fmt: skip
    crossed = None
    if step is None or work.crossings:
        crossed = crossed_powers(work.crossings, partial(nodal_powers, compiled, told["settings"]), phases)
    run = Run(
        Trajectory(
            source=compiled, time=times, found=history, carried=work.carried(), crossed=crossed,
            parted=bool(work.parts), phases=() if phases is None else phases.of(times), **told,
        )
    )  # fmt: skip
    if compiled.rolling:
        warn_of_wheels(run)
    warn_of_deflections("simulate", compiled, history.frame)
    warn_of_laws(run.trajectory)
    return run


def _check_memory(compiled: CompiledModel, n_rows: int) -> None:
    n, nj = compiled.n_nodes + 1, compiled.n_multipliers
    size = 8.0 * n_rows * (24 * n + 6 * nj)
    if size > _LARGEST_HISTORY:
        every = int(np.ceil(size / _LARGEST_HISTORY))
        raise SolveError(
            f"simulate: storing {n_rows} states of {n - 1} nodes takes {size / 1e9:.1f} GB; pass every={every} or more "
            "to store fewer"
        )
