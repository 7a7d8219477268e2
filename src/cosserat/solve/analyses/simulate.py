"""`simulate`: from a model to a `Run`, in one of the formulations."""

from __future__ import annotations

from typing import Any

from cosserat.calls import answered
from cosserat.errors import SolveError, shown
from cosserat.model.model import Model
from cosserat.results.checkpoint import INTERVAL
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.run import Run
from cosserat.solve.arguments import (
    carrying,
    check_call,
    check_known,
    check_model,
    check_number,
    check_rho,
    check_span,
)
from cosserat.solve.floating import FLOATING_METHODS
from cosserat.solve.formulation import FLOATING, formulation_of_run
from cosserat.solve.interrupts import kept_results
from cosserat.solve.motion.asked import Asked
from cosserat.solve.motion.driver import Progress
from cosserat.solve.motion.events import checked
from cosserat.solve.motion.method import Method, demand_plain
from cosserat.solve.motion.simulate import INTEGRATORS, simulate_galilean
from cosserat.solve.motion.stopwatch import Stopwatch
from cosserat.solve.motion.switching import phases_of

FORMULATIONS = {"galilean": tuple(INTEGRATORS), "floating": FLOATING_METHODS}


@answered()
@kept_results
@carrying("start")
def simulate(
    model: Model,
    duration: float,
    step: float | None = None,
    *,
    formulation: Any = "galilean",
    integrator: str | Method = "generalized-alpha",
    rho: float = 0.9,
    start: Any = "reference",
    start_time: float = 0.0,
    every: int = 1,
    tolerance: float = 1e-4,
    newton_tolerance: float | None = None,
    controller: Any = None,
    events: Any = (),
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
        Largest step (s); the duration is divided into equal steps not longer than this, whatever the tolerance. If left
        out, steps adapt to `tolerance`.
    formulation : "galilean", "floating" or Floating
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
        Where the motion starts: in the described configuration, in static equilibrium, or where a run ended, with the
        joints open that were so. The run may be one of the same bodies and beams with other joints: those released in
        between.
    start_time : float
        Time at the start (s); a `Run` given as `start` continues at its own end.
    every : int
        Store every so many steps.
    tolerance : float
        For adaptive steps, ignored with a `step`: estimated position error that a hundred steps may commit together, as
        a share of the extent of the mechanism.
    newton_tolerance : float, optional
        Accepted error of accelerations in each step, relative to the largest (1e-5, and less where they change little
        in a step; 1e-9 for rho near 1, where something rolls, and in floating frames; 1e-11 for "energy-momentum").
    controller : callable, optional
        Called as ``controller(t, state)`` every ``controller.period`` seconds (every step if it has no period); gives a
        dict of efforts by joint, held until the next call.
    events : Event or list of Event, optional
        Functions of the state whose changes of sign are found inside the steps and noted in ``run.events``, act by
        impulses, release and engage joints, or end the run. Not with a `Method`.
    progress : callable, optional
        Called now and then as ``progress(t, counters)``.
    checkpoint : path, optional
        File in which the run is kept now and then, so that the same call goes on from there if the process is killed:
        with the same states, bit by bit. A finished run is given again at once. A file of another model or of other
        arguments is refused. A controller must offer ``get_state()`` and ``set_state(state)``.
    checkpoint_interval : float
        Wall time between two writes of it (s).
    modes, boundary, stiffening : optional
        Of the floating formulation: as for `FlexibleTree`; or in ``formulation=cs.Floating(modes=6)``.

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
    check_model(model, "simulate")
    formulation, frames = formulation_of_run(formulation, modes, boundary, stiffening, "simulate")
    if isinstance(integrator, type) and issubclass(integrator, Method):
        name = integrator.__name__
        raise SolveError(f"simulate: integrator is the class {name}; pass one of it, integrator={name}()")
    if isinstance(integrator, Method):
        demand_plain(integrator, step, controller, checkpoint)
    else:
        where = f" in the {formulation} formulation"
        check_known(integrator, "simulate", "integrator", FORMULATIONS[formulation], where)
    check_span("simulate", duration, step, every, tolerance)
    check_rho(rho, "simulate")
    start_time = check_number(start_time, "simulate", "start_time", "the time at the start, in s")
    if newton_tolerance is not None:
        check_number(newton_tolerance, "simulate", "newton_tolerance", "an accepted error such as 1e-6", positive=True)
    check_call(progress, "simulate", "progress", "that takes a time and counters")
    if check_number(checkpoint_interval, "simulate", "checkpoint_interval", "a time in s, not negative") < 0.0:
        raise SolveError(f"simulate: checkpoint_interval is {shown(checkpoint_interval)}; pass a time in s, 0 or more")
    watch = Stopwatch()
    if isinstance(start, str) and start == "equilibrium":
        start = _rest(model, start_time, frames if formulation == FLOATING else formulation)
    asked = {
        "formulation": formulation, "integrator": integrator, "rho": rho, "every": every,
        "tolerance": tolerance, "newton_tolerance": newton_tolerance, "controller": controller,
    }  # fmt: skip
    watched = checked(events)
    if watched and isinstance(integrator, Method):
        raise SolveError("simulate: steps of one's own know no events; use one of the built-in integrators")
    if watched or formulation == "floating":
        asked["events"] = watched
    kept = None if checkpoint is None else (checkpoint, checkpoint_interval)
    if formulation == "floating":
        asked |= vars(frames)
    phases = None if isinstance(integrator, Method) else phases_of(model, start, watched)
    whole = model if phases is None else model.with_open()
    task = Asked(whole, duration, step, asked, start, start_time, every, progress, kept, phases, watch)
    if formulation == "galilean":
        return simulate_galilean(task)
    from cosserat.solve.floating.simulate import simulate_floating  # most runs do without trees

    return simulate_floating(task)


def _rest(model: Model, time: float, frames: Any) -> Equilibrium:
    """The equilibrium from which a motion starts, of the same formulation."""
    from cosserat.solve.analyses.equilibrium import equilibrium  # most runs do without

    found = equilibrium(model, time=time, formulation=frames)
    if not found.status.ok:
        raise SolveError(f"simulate: no equilibrium to start from: {found.status.message}")
    return found
