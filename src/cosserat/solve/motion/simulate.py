"""`simulate`: from a model to a `Run`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cosserat.calls import answered
from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel
from cosserat.errors import SolveError, shown, warn
from cosserat.kernels.arrays import History
from cosserat.kernels.newton import CONSERVING
from cosserat.model.model import Model
from cosserat.results.checkpoint import INTERVAL, Checkpoint, identity_of
from cosserat.results.mechanism import mechanism_of
from cosserat.results.run import Run
from cosserat.results.trajectory import Trajectory, carried_to
from cosserat.results.verdict import noted
from cosserat.solve.arguments import check_known, check_number, check_span
from cosserat.solve.beyond import events_of, warn_of_laws
from cosserat.solve.carried import carrying
from cosserat.solve.coarseness import warn_of_deflections
from cosserat.solve.floating import FLOATING_METHODS
from cosserat.solve.interrupts import kept_results
from cosserat.solve.memory import new_memory
from cosserat.solve.motion.alternation import alternating_reaction
from cosserat.solve.motion.control import Controlled
from cosserat.solve.motion.crossings import nodal_powers
from cosserat.solve.motion.driver import Progress, adaptive_steps, equal_steps, fixed_steps, warn_of_call
from cosserat.solve.motion.failures import kept_inside
from cosserat.solve.motion.method import Method, demand_plain
from cosserat.solve.motion.moment import NodalMoment
from cosserat.solve.motion.nodal_method import simulate_method
from cosserat.solve.motion.reach import within_reach
from cosserat.solve.motion.starting import set_start
from cosserat.solve.motion.stepping import Integration
from cosserat.solve.motion.stopwatch import Stopwatch
from cosserat.solve.motion.wheels import warn_of_wheels

INTEGRATORS = {"generalized-alpha": 0.0, "energy-momentum": CONSERVING}
FORMULATIONS = {"galilean": tuple(INTEGRATORS), "floating": FLOATING_METHODS}
_LARGEST_HISTORY = 4e9  # bytes
_SHARE = 1e-3  # times the square of the relative change of accelerations: what Newton's iteration may leave of them


@answered()
@kept_results
@carrying("start")
def simulate(
    model: Model,
    duration: float,
    step: float | None = None,
    *,
    formulation: str = "galilean",
    integrator: str | Method = "generalized-alpha",
    rho: float = 0.9,
    start: Any = "reference",
    start_time: float = 0.0,
    every: int = 1,
    tolerance: float = 1e-4,
    newton_tolerance: float | None = None,
    controller: Any = None,
    progress: Progress | None = None,
    modes: Any = None,
    boundary: Any = None,
    stiffening: bool = True,
    checkpoint: Any = None,
    checkpoint_interval: float = INTERVAL,
) -> Run:
    """Simulate the motion of a mechanism.

    Parameters
    ----------
    model : Model
    duration : float
        Simulated time (s).
    step : float, optional
        Largest step (s); the duration is divided into equal steps not longer than this. If left out, steps adapt to
        `tolerance`.
    formulation : "galilean" or "floating"
        Absolute frames of nodes and beams that bend however far; or relative coordinates of a tree of bodies, in which
        each beam has `modes` and joints that close loops are constraints, see `docs/floating.md`.
    integrator : "generalized-alpha", "energy-momentum", "runge-kutta" or a Method
        The second has no numerical damping: it keeps energy and momentum of a conservative mechanism. The third is
        explicit and of fourth order, for the floating formulation of rigid or soft mechanisms, and has no second. A
        `Method` takes steps of one's own.
    rho : float
        Spectral radius at infinite frequency of the generalised-alpha method, from 0 (strong numerical damping of
        unresolved vibrations) to 1 (none; then prefer "energy-momentum", see `docs/integrators.md`).
    start : "reference", "equilibrium", Equilibrium or Run
        Where the motion starts: in the described configuration, in static equilibrium, or where a run ended. The run
        may be one of the same bodies and beams with other joints: those released in between.
    start_time : float
        Time at the start (s); a `Run` given as `start` continues at its own end.
    every : int
        Store every so many steps.
    tolerance : float
        For adaptive steps: estimated position error that a hundred steps may commit together, as a share of the extent
        of the mechanism.
    newton_tolerance : float, optional
        Accepted error of accelerations in each step, relative to the largest (1e-5, and less where they change little
        in a step; 1e-9 for rho near 1, where something rolls, and in floating frames; 1e-11 for "energy-momentum").
    controller : callable, optional
        Called as ``controller(t, state)`` every ``controller.period`` seconds (every step if it has no period); gives a
        dict of efforts by joint, held until the next call.
    progress : callable, optional
        Called now and then as ``progress(t, counters)``.
    checkpoint : path, optional
        File in which the run is kept now and then, so that the same call goes on from there if the process is killed:
        with the same states, bit by bit. A finished run is given again at once. A file of another model or of other
        arguments is refused. A controller must offer ``get_state()`` and ``set_state(state)``.
    checkpoint_interval : float
        Wall time between two writes of it (s).
    modes, boundary, stiffening : optional
        Of the floating formulation: as for `FlexibleTree`.

    Returns
    -------
    Run
        Also when the run ends early: look at ``run.status``.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("fall", gravity=(0, 0, -9.81))
    >>> ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0))
    >>> run = cs.simulate(model, duration=1.0, step=0.01)
    >>> round(float(run.position("ball")[-1, 2]), 3)
    -4.905
    """
    if not isinstance(model, Model):
        raise SolveError(f"simulate: {shown(model)} is not a Model; build one with cosserat.Model or load_model")
    check_known(formulation, "simulate", "formulation", FORMULATIONS)
    if isinstance(integrator, type) and issubclass(integrator, Method):
        name = integrator.__name__
        raise SolveError(f"simulate: integrator is the class {name}; pass one of it, integrator={name}()")
    if isinstance(integrator, Method):
        demand_plain(integrator, step, controller, checkpoint)
    else:
        where = f" in the {formulation} formulation"
        check_known(integrator, "simulate", "integrator", FORMULATIONS[formulation], where)
    check_span("simulate", duration, step, every, tolerance)
    if not 0.0 <= check_number(rho, "simulate", "rho", "how much numerical damping there is, from 0 to 1") <= 1.0:
        raise SolveError(f"simulate: rho is {shown(rho)}; it must be from 0 (strong numerical damping) to 1 (none)")
    start_time = check_number(start_time, "simulate", "start_time", "the time at the start, in s")
    if newton_tolerance is not None:
        check_number(newton_tolerance, "simulate", "newton_tolerance", "an accepted error such as 1e-6", positive=True)
    if progress is not None and not callable(progress):
        raise SolveError(f"simulate: progress is {shown(progress)}; pass a function that takes a time and counters")
    if not isinstance(stiffening, (bool, np.bool_)):
        raise SolveError(f"simulate: stiffening is {shown(stiffening)}; pass True or False")
    if check_number(checkpoint_interval, "simulate", "checkpoint_interval", "a time in s, not negative") < 0.0:
        raise SolveError(f"simulate: checkpoint_interval is {shown(checkpoint_interval)}; pass a time in s, 0 or more")
    asked = {
        "formulation": formulation, "integrator": integrator, "rho": rho, "every": every, "start": start,
        "tolerance": tolerance, "newton_tolerance": newton_tolerance, "controller": controller,
    }  # fmt: skip
    if formulation == "floating":
        from cosserat.solve.floating.simulate import simulate_floating

        asked |= {"modes": modes, "boundary": boundary, "stiffening": stiffening}
        kept = None if checkpoint is None else (checkpoint, checkpoint_interval)
        return simulate_floating(model, duration, step, asked, start_time, every, progress, kept)
    if modes is not None or boundary is not None or not stiffening:
        raise SolveError(
            "simulate: modes, boundary and stiffening belong to formulation='floating'; the Galilean one has no modes"
        )
    if isinstance(integrator, Method):
        assert step is not None
        return simulate_method(model, duration, step, integrator, start, start_time, every, progress)
    watch, compiled, keeper = Stopwatch(), compile_model(model), None
    if checkpoint is not None:
        asked |= {"step": step, "duration": duration, "start_time": start_time}
        keeper = Checkpoint(checkpoint, identity_of(compiled, asked), checkpoint_interval, controller, model)
    if integrator == "generalized-alpha" and rho > 0.995 and compiled.n_multipliers:
        warn(
            f"rho = {rho:g}: without numerical damping, errors of accelerations and reactions in joints alternate from "
            "step to step and grow; use integrator='energy-momentum' for a run without damping, or rho <= 0.99",
        )
    share = _SHARE if newton_tolerance is None and integrator == "generalized-alpha" else 0.0
    if newton_tolerance is None:
        sharp = rho > 0.99 or compiled.rolling  # slip is a velocity: a step divides the error of its displacement
        newton_tolerance = 1e-9 if sharp else 1e-5
        if integrator == "energy-momentum":  # velocities of lone bodies follow the last correction only nearly
            newton_tolerance = 1e-12 if len(compiled.system.bodies.lone) else 1e-11
    compiled.timetable.look(float(start.time[-1]) if isinstance(start, Run) else start_time, duration)
    memory = new_memory(compiled, compiled.sampler.sample(np.array([start_time])))
    work = Integration(compiled, memory, rho, INTEGRATORS[integrator], newton_tolerance, share)
    conserved = integrator == "energy-momentum" and isinstance(start, Run) and _conserved(start)
    carried, inputs, held = None, None, None
    if isinstance(start, Run):
        carried = carried_to(start.trajectory, formulation=formulation, rho=rho) if work.scheme != CONSERVING else None
        if carried is not None and step is not None and abs(carried.step - step) > 1e-9 * step:
            carried = None  # velocities of the method belong to its step
        held = start.trajectory.held
        if controller is not None and held is None:
            carried = None
    if controller is not None:
        new_moment = partial(NodalMoment, compiled, mechanism_of(compiled), memory)
        work.controlled = Controlled(controller, compiled, new_moment)
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
    watch.ready()
    if step is None:
        breaks = compiled.timetable.breaks(work.jumps, start_time, start_time + duration)
        times, status = adaptive_steps(work, start_time, duration, tolerance, every, breaks, progress, keeper)
    else:
        work.kinks = compiled.timetable.parted_at(work.jumps, duration)
        n_steps = equal_steps(duration, step)
        _check_memory(compiled, n_steps // every)
        work.shelf.reserve(2 + n_steps // every)
        times, status = fixed_steps(work, start_time, n_steps, duration / n_steps, every, progress, keeper)
    work.finish(float(times[-1]))
    tally, history = work.tally, work.shelf.history(len(times))
    watch.stop()
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
            status = replace(status, detail="; ".join(filter(None, (status.detail, grown))))
    stats = watch.stats(
        tally, compiled.n_nodes, compiled.n_joints, careful_steps=tally.careful,
        searched_steps=tally.searched, stalled_steps=tally.stalled,
    )  # fmt: skip
    warn_of_call(status)
    settings = {
        "formulation": formulation, "integrator": integrator, "rho": rho, "step": step, "every": every,
        "tolerance": tolerance, "newton_tolerance": newton_tolerance, "duration": duration,
        "controlled": controller is not None,
    }  # fmt: skip
    crossed = None
    if step is None or work.crossings.kept:
        crossed = work.crossings.powers(partial(nodal_powers, compiled, settings))
    run = Run(
        Trajectory(
            source=compiled,
            time=times,
            found=history,
            status=noted(status, stats, events_of(model, times)),
            efforts=work.recorded_efforts(times),
            held=None if work.controlled is None else work.controlled.held,
            carried=work.carried(),
            settings=settings,
            stats=stats,
            crossed=crossed,
            parted=bool(work.kinks),
        )
    )
    if compiled.rolling:
        warn_of_wheels(run)
    warn_of_deflections("simulate", compiled, history.frame)
    warn_of_laws(run.trajectory)
    return run


def _conserved(run: Run) -> bool:
    return bool(run.settings.get("integrator") == "energy-momentum")


def _check_memory(compiled: CompiledModel, n_rows: int) -> None:
    n, nj = compiled.n_nodes + 1, compiled.n_multipliers
    size = 8.0 * n_rows * (24 * n + 6 * nj)
    if size > _LARGEST_HISTORY:
        every = int(np.ceil(size / _LARGEST_HISTORY))
        raise SolveError(
            f"simulate: storing {n_rows} states of {n - 1} nodes takes {size / 1e9:.1f} GB; pass every={every} or more "
            "to store fewer"
        )
