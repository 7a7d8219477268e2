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
from cosserat.results.run import Run
from cosserat.results.trajectory import Trajectory
from cosserat.solve.initial import assemble_configuration, consistent_velocities, soften_redundant
from cosserat.solve.memory import new_memory
from cosserat.solve.motion.floating_results import fill_forces, link_history, nodal_history, nodal_twists, node_seats
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
    compiled = compile_model(model, floating=True)
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
    links = link_history(tree, stored)
    history = nodal_history(tree, compiled, links)
    stats = {
        "steps": n_steps, "solves": stepper.residuals, "factorizations": stepper.factorizations,
        "nodes": compiled.n_nodes, "joints": compiled.n_joints, "setup_seconds": prepared - cpu,
        "solve_seconds": clock.process_time() - prepared, "wall_seconds": clock.perf_counter() - wall,
    }  # fmt: skip
    asked = {key: value for key, value in settings.items() if key not in ("start", "controller")}
    asked |= {"step": step, "duration": duration}
    run = Run(Trajectory(compiled, times, history, status, asked, stats, floating=links.record))
    fill_forces(tree, run.motion, history, links)
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
    bent = any(body.rates.any() for body in tree.modal_bodies.values())
    if not compiled.given.any() and not v.any() and not bent:
        return v
    if compiled.modal:
        return _given_velocities(tree, compiled, drives, q, v)
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

    return _closest(twists, (scale * memory.problem.state.twist[:-1]).ravel(), drives, v)


def _given_velocities(tree: FlexibleTree, compiled: CompiledModel, drives: Drives, q: Array, v: Array) -> Array:
    """Velocities closest to those given for bodies, beams and modes; relative ones that follow from nothing are zero.

    The Galilean formulation, which else decides, has no modal bodies.
    """
    seats = node_seats(tree, compiled)
    scale = np.repeat([1.0, compiled.length], 3)
    given = np.repeat(compiled.given[:-1], 3, axis=1)
    columns: list[int] = []
    wanted: list[Array] = [(scale * compiled.twists[:-1])[given]]
    weights: list[Array] = []
    for name, body in tree.modal_bodies.items():
        if name in compiled.modal and body.rates.any():
            columns += [tree.coordinates.index(f"{name}.mode{k + 1}") for k in range(body.n_modes)]
            weights.append(np.sqrt(np.diag(body.inertia.modal_mass) / body.mass))
            wanted.append(weights[-1] * body.rates)
    weight = np.concatenate([np.zeros(0), *weights])

    def known(rates: Array) -> Array:
        twists = np.asarray(scale * nodal_twists(tree, seats, q, rates))[given]
        return np.concatenate((twists, weight * rates[columns]))

    return _closest(known, np.concatenate(wanted), drives, v)


def _closest(known: Callable[[Array], Array], wanted: Array, drives: Drives, v: Array) -> Array:
    """Velocities whose linear function `known` is closest to what is wanted; driven ones stay."""
    free = np.nonzero(~drives.held)[0]
    out = v.copy()
    if len(free):
        unit = np.eye(len(v))
        out[free] = np.linalg.lstsq(np.stack([known(unit[k]) for k in free], axis=1), wanted - known(v))[0]
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
