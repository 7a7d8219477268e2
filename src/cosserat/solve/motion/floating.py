"""Simulation in relative and modal coordinates: `simulate(..., formulation="floating")`."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel
from cosserat.compile.flexible_tree import compile_flexible_tree
from cosserat.errors import ModelError, SolveError
from cosserat.kernels.integrate import load_stages
from cosserat.model.model import Model
from cosserat.results.floating import FloatingMonitors
from cosserat.results.run import Run
from cosserat.results.trajectory import Trajectory
from cosserat.solve.initial import assemble_configuration, consistent_velocities, soften_redundant
from cosserat.solve.memory import new_memory
from cosserat.solve.motion.floating_results import energies, fill_forces, nodal_history, nodal_twists, node_seats
from cosserat.solve.motion.floating_steps import Drives, Point, Stepper, take_steps
from cosserat.solve.motion.stepping import Counters
from cosserat.solve.relative.flexible_tree import FlexibleTree

Array = NDArray[np.float64]


def simulate_floating(
    model: Model,
    duration: float,
    step: float | None,
    settings: dict[str, Any],
    start_time: float,
    every: int,
    progress: Callable[[float, Counters], None] | None,
) -> Run:
    """Simulate a tree in floating frames; arguments as those of `simulate`, the rest of them in `settings`."""
    if step is None:
        raise SolveError("simulate: the floating formulation takes steps of constant length; pass step=")
    if settings["start"] != "reference":
        raise SolveError("simulate: the floating formulation starts from 'reference' only")
    if settings["controller"] is not None:
        raise SolveError("simulate: the floating formulation takes no controller; use the Galilean one")
    wall, cpu = clock.perf_counter(), clock.process_time()
    compiled = compile_model(model)
    tree = _tree(model, compiled, settings)
    drives = Drives(model, tree)
    explicit = settings["integrator"] == "runge-kutta"
    stepper = Stepper(tree, drives, settings["rho"], settings["newton_tolerance"] or 1e-7)
    q, v = np.zeros(len(tree.coordinates)), np.zeros(len(tree.coordinates))
    drives.impose(start_time, q, v, np.zeros(len(q)))
    begin = stepper.start(start_time, q, _initial_velocities(tree, compiled, drives, q, v, start_time))
    prepared = clock.process_time()
    n_steps = max(1, int(np.ceil(duration / step - 1e-9)))
    watch = _announcer(stepper, progress, n_steps)
    stored, status = take_steps(stepper, explicit, begin, n_steps, duration / n_steps, every, watch)
    times = np.array([point.t for point in stored])
    history, links = nodal_history(tree, compiled, stored)
    stats = {
        "steps": n_steps, "solves": stepper.residuals, "factorizations": stepper.factorizations,
        "nodes": compiled.n_nodes, "joints": compiled.n_joints, "setup_seconds": prepared - cpu,
        "solve_seconds": clock.process_time() - prepared, "wall_seconds": clock.perf_counter() - wall,
    }  # fmt: skip
    asked = {key: value for key, value in settings.items() if key not in ("start", "controller")}
    run = Run(Trajectory(compiled, times, history, status, asked | {"step": step, "duration": duration}, stats))
    fill_forces(tree, run.motion, history, stored, links)
    run.monitors = FloatingMonitors(run.motion, energies(tree, stored))
    return run


def _tree(model: Model, compiled: CompiledModel, settings: dict[str, Any]) -> FlexibleTree:
    for joint in model.joints:
        if joint.kind in ("spherical", "free") and any(m is not None for m in joint.motion):
            raise ModelError(
                f"{joint.title}: prescribed motions of spherical and free joints are not offered in the floating "
                "formulation; use the Galilean one"
            )
    stations = {name: [float(s) for s in mesh.s] for name, mesh in compiled.beams.items()}
    data = compile_flexible_tree(
        model, settings["modes"], settings["boundary"], settings["stiffening"], stations, "simulate"
    )  # fmt: skip
    return FlexibleTree.of_data(model, data)


def _initial_velocities(
    tree: FlexibleTree, compiled: CompiledModel, drives: Drives, q: Array, v: Array, t: float
) -> Array:  # fmt: skip
    """The velocities of the Galilean formulation at the start, as far as the modes can follow them."""
    if not compiled.given.any() and not v.any():
        return v
    memory = new_memory(compiled, compiled.sampler.sample(np.array([t])))
    memory.problem.solver.settings[0] = 1.0
    load_stages(memory.table, memory.problem)
    assemble_configuration(compiled, t, memory)
    soften_redundant(compiled, memory)
    consistent_velocities(compiled, t, memory)
    seats = node_seats(tree, compiled)
    scale = np.array([1.0, 1.0, 1.0, *(3 * [compiled.length])])

    def twists(rates: Array) -> Array:
        return np.asarray(scale * nodal_twists(tree, seats, q, rates)).ravel()

    free = np.nonzero(~drives.held)[0]
    rest = (scale * memory.problem.state.twist[:-1]).ravel() - twists(v)
    out = v.copy()
    if len(free):
        unit = np.eye(len(q))
        out[free] = np.linalg.lstsq(np.stack([twists(unit[k]) for k in free], axis=1), rest)[0]
    return out


def _announcer(
    stepper: Stepper, progress: Callable[[float, Counters], None] | None, n_steps: int
) -> Callable[[Point, int], None] | None:
    if progress is None:
        return None
    interval = max(1, n_steps // 100)

    def announce(now: Point, k: int) -> None:
        if k % interval == 0:
            work = np.zeros(8, dtype=np.int64)
            work[:3] = k, stepper.residuals, stepper.factorizations
            progress(now.t, Counters(work))

    return announce
