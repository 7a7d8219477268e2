"""The state about which a mechanism is linearised: an equilibrium, a steady rotation, or a moment of a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel, frame_to_row, row_to_frame
from cosserat.compile.state_loads import state_wrenches
from cosserat.errors import SolveError, shown
from cosserat.kernels.freedoms import SLIDE
from cosserat.kernels.law_states import FROZEN
from cosserat.kernels.residual import add_inertia, applied_forces, element_forces, forces, track_angles
from cosserat.lie import se3
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.joints import tracked_in
from cosserat.results.mechanism import Mechanism, mechanism_of
from cosserat.results.run import Run
from cosserat.results.status import Outcome, Status
from cosserat.results.trajectory import Trajectory
from cosserat.solve.arguments import check_number, check_state
from cosserat.solve.assembly import assemble_configuration
from cosserat.solve.balance.equilibrium import equilibrium_of, statics_at
from cosserat.solve.balance.spin import check_steady, spin_twist, twists_in
from cosserat.solve.initial import (
    consistent_accelerations,
    project_velocities,
    set_trial,
    settle_states,
    soften_redundant,
)
from cosserat.solve.linear.flow import Flow
from cosserat.solve.linear.matrices import Matrices, constraint_matrix, matrices_at, nearest_motion
from cosserat.solve.memory import Memory, loaded_memory, trial_history
from cosserat.solve.trees.formulation import floating_of

Array = NDArray[np.float64]

EQUILIBRIUM, ROTATION, MOMENT = "equilibrium", "steady rotation", "moment of a run"
MOTION = "steady motion"

_BALANCED = 1e-6  # unbalanced force that is accepted, relative to the largest force that acts


@dataclass
class Point:
    """A compiled model with its state in `memory.problem.trial`, inputs of that time in row 0.

    Attributes
    ----------
    kind : "equilibrium", "steady rotation", "steady motion" or "moment of a run"
    controlled : bool
        Whether the joint efforts are those that a controller gave in the run.
    """

    compiled: CompiledModel
    memory: Memory
    time: float
    kind: str
    controlled: bool = False
    offset: float = 0.0  # time by which it is displaced along its motion, s
    flow: Flow | None = None  # of a steady motion

    @contextmanager
    def displaced(self, offset: float) -> Iterator[None]:
        """Inside, the frames and prescribed motions are those a little later: H exp(t v + t^2/2 v')."""
        trial, inputs = self.memory.problem.trial, self.memory.problem.inputs
        frame, angle = trial.frame.copy(), trial.angle.copy()
        drive, rate, accel = (d[0] for d in self.compiled.sampler.sample_rates(np.array([self.time])))
        path = offset * trial.twist + 0.5 * offset**2 * trial.rate
        moved = [row_to_frame(H) @ se3.exp(y) for H, y in zip(frame, path, strict=True)]
        try:
            self.offset = offset
            trial.frame[:] = frame_to_row(np.array(moved))
            self.memory.replace(inputs=inputs._replace(drive=(drive + offset * (rate + 0.5 * offset * accel))[None]))
            self.refresh()
            yield
        finally:
            self.offset = 0.0
            trial.frame[:], trial.angle[:] = frame, angle
            self.memory.replace(inputs=inputs)
            self.refresh()

    @cached_property
    def mechanism(self) -> Mechanism:
        """Names, places and joints, as results see them."""
        return mechanism_of(self.compiled)

    @cached_property
    def independent_rows(self) -> list[Array]:
        """For every joint and wheel the combinations (k, 6) of its rows that no other implies."""
        keep = []
        for j, count in enumerate(self.compiled.system.joints.n_rows):
            used = np.eye(6)[:count]
            soft = self.memory.problem.joints.soft[j]
            if np.any(soft):
                values, vectors = np.linalg.eigh(used @ soft @ used.T)
                used = vectors[:, values < 0.5].T @ used
            keep.append(used)
        rolling = self.memory.problem.rolling
        for count, acting in zip(rolling.n_rows, rolling.keep, strict=True):
            used = np.eye(6)[:count]
            part = used[:, :3] @ acting @ used[:, :3].T
            if not np.array_equal(part, np.eye(len(part))):
                values, vectors = np.linalg.eigh(part)
                used = vectors[:, values > 0.5].T @ used
            keep.append(used)
        return keep

    @property
    def n_constraints(self) -> int:
        """Number of independent constraints."""
        return sum(len(rows) for rows in self.independent_rows)

    @property
    def model(self) -> Model:
        """The model that is linearised."""
        return self.compiled.model

    def matrices(self) -> Matrices:
        """Exact matrices of the linear equations."""
        return matrices_at(self)

    def basis(self, matrices: Matrices) -> Any:
        """Motions that the constraints of matrices allow, with named coordinates."""
        from cosserat.solve.linear.basis import basis_of_motions

        return basis_of_motions(self, matrices)

    def is_symmetric(self, matrices: Matrices) -> bool:
        """Whether the stiffness is that of a potential, but for rounding and what is left of the balance."""
        from cosserat.solve.linear.symmetry import is_symmetric

        return is_symmetric(self, matrices)

    @property
    def turning(self) -> bool:
        """Whether constraints and coordinates turn with its motion."""
        trial = self.memory.problem.trial
        return self.kind == MOMENT and bool(np.any(trial.twist) or np.any(trial.rate))

    @property
    def frames(self) -> Array:
        """Frames (nodes + 1, 12) of the nodes."""
        return self.memory.problem.trial.frame.copy()

    def nodal(self, motions: NDArray[Any]) -> NDArray[Any]:
        """Increments (6n, k) of the nodes for columns of unknowns, here the same."""
        return motions

    def carried(self, row: Array) -> Array:
        """A row on increments of the nodes as one on the unknowns, here the same."""
        return row

    @property
    def inner_values(self) -> Array:
        """States of laws (ny,)."""
        return self.memory.problem.trial.inner[0]

    @property
    def still(self) -> Point:
        """The state as one of nodes."""
        return self

    def tell(self, modes: Any, shapes: NDArray[Any]) -> None:
        """What modes cannot find out by themselves from the motion of nodes: nothing."""

    def refresh(self) -> None:
        """Evaluate the forces, so that the stresses which the tangent needs belong to this state."""
        self.memory.problem.solver.follow[0] = FROZEN
        track_angles(self.memory.address)
        forces(self.memory.address, 0)
        add_inertia(self.memory.address)

    def acting_forces(self) -> tuple[float, float]:
        """The largest force (N; moments over the typical length) of elements on a node, and that of what is applied."""
        trial, n = self.memory.problem.trial, self.compiled.n_nodes
        weight = np.array([1.0, 1.0 / self.compiled.length]).repeat(3)
        element_forces(self.memory.address)
        internal = float(np.max(np.abs(trial.residual[:n] * weight), initial=0.0))
        applied_forces(self.memory.address, 0)
        applied = float(np.max(np.abs(trial.residual[:n] * weight), initial=0.0))
        self.refresh()
        return internal, applied

    def trajectory(self) -> Trajectory:
        """The state as a stored trajectory of one moment, from which results read places and joints."""
        efforts = self.memory.problem.inputs.effort.copy() if self.controlled else None
        status, times = Status(Outcome.OK, self.time), np.array([self.time])
        return Trajectory(self.compiled, times, trial_history(self.memory), status, {}, {}, efforts)


def point_at(
    model: Model,
    about: Any = None,
    *,
    time: float = 0.0,
    spin: Any = None,
    center: Any = (0.0, 0.0, 0.0),
    caller: str = "linearize",
    formulation: Any = None,
) -> Any:
    """State about which a model is linearised.

    Parameters
    ----------
    about : None, "reference", "motion", Equilibrium, Run or (Run, time)
        None: the reference configuration if it is in balance, else the equilibrium that `equilibrium` finds. A run
        without a time means its end. "motion": the steady motion that the initial velocities describe.
    time : float
        Time at which loads and prescribed motions are taken, where `about` does not say it (s).
    spin, center
        Steady rotation, as for `equilibrium`; an equilibrium given as `about` brings its own.
    formulation : "galilean", "floating" or Floating, optional
        A `Point`, or in floating frames a `TreePoint`, which answers the same questions.

    Raises
    ------
    SolveError
        If the state is not in balance; the message says by how much.
    """
    check_state(caller, model, time, spin, center)
    floating = floating_of(formulation, model, caller)
    if floating is not None:
        from cosserat.solve.trees.points import tree_point  # its points are made of these
        from cosserat.solve.trees.turntable import spin_of

        return tree_point(model, about, time, spin_of(spin, center), caller, floating)
    of_run = isinstance(about, Run) or (isinstance(about, tuple) and len(about) == 2 and isinstance(about[0], Run))
    if of_run and (spin is not None or time != 0.0):
        raise SolveError(f"{caller}: a moment of a run has its own time and motion; pass about=(run, time) and no spin")
    if isinstance(about, tuple) and of_run:
        then = check_number(about[1], caller, "the time of about=(run, time)", "a time of the run, in s")
        return _of_run(model, about[0], then, caller)
    if isinstance(about, Run):
        return _of_run(model, about, float(about.trajectory.time[-1]), caller)
    if isinstance(about, Equilibrium):
        if spin is not None:
            raise SolveError(f"{caller}: the equilibrium given as about has its own rotation; leave out spin")
        return _of_equilibrium(model, about, caller)
    if about is not None and not (isinstance(about, str) and about in ("reference", "motion")):
        raise SolveError(
            f"{caller}: about={shown(about)} is not understood; pass an Equilibrium, a Run, (run, time), 'reference', "
            "'motion' or None"
        )
    if isinstance(about, str) and about == "motion":
        from cosserat.solve.linear.described import described_motion  # it makes points

        if spin is not None:
            raise SolveError(f"{caller}: about='motion' takes the motion from the initial velocities; leave out spin")
        return described_motion(model, time, caller)
    rotation = spin_twist(spin, center)
    point = _at_reference(model, time, rotation)
    worst, place = imbalance(point)
    if worst <= 1.0:
        return point
    if about is not None:
        raise SolveError(
            f"{caller}: the reference configuration is not an equilibrium: {place}; "
            "pass about=None to find the equilibrium first"
        )
    found = equilibrium_of(statics_at(model, time, None, spin, center, point.compiled), time)
    if not found.status.ok and found.status.outcome is not Outcome.FREE_MOTION:
        raise SolveError(
            f"{caller}: no equilibrium to linearise about: {found.status.message}; pass about= an Equilibrium or a "
            "moment (run, time) of a simulation"
        )
    return _of_equilibrium(model, found, caller, given=False)


def new_point_memory(
    model: Model, time: float, compiled: CompiledModel | None = None
) -> tuple[CompiledModel, Memory]:  # fmt: skip
    """A compiled model in its reference configuration, with the inputs of a time; compiled here if it is not given."""
    compiled = compile_model(model) if compiled is None else compiled
    return compiled, loaded_memory(compiled, compiled.sampler.sample(np.array([time])))


def _finish(compiled: CompiledModel, memory: Memory, time: float, kind: str) -> Point:
    soften_redundant(compiled, memory)
    set_trial(memory, memory.problem.state)
    point = Point(compiled, memory, time, kind)
    point.refresh()
    return point


def _at_reference(model: Model, time: float, rotation: Array | None) -> Point:
    compiled, memory = new_point_memory(model, time)
    times = np.array([time])
    if rotation is not None:
        check_steady(compiled, compiled.sampler.sample(times), rotation)
    assemble_configuration(compiled, time, memory)
    state = memory.problem.state
    soften_redundant(compiled, memory)
    if rotation is not None:
        state.twist[:] = twists_in(rotation, state.frame)
    settle_states(memory)
    # for the multipliers; in balance the accelerations vanish
    consistent_accelerations(compiled, time, memory, frozen=True)
    state.rate[:] = 0.0
    return _finish(compiled, memory, time, EQUILIBRIUM if rotation is None else ROTATION)


def _of_equilibrium(model: Model, found: Equilibrium, caller: str, *, given: bool = True) -> Point:
    if not found.status.ok and found.status.outcome is not Outcome.FREE_MOTION:
        raise SolveError(f"{caller}: the equilibrium given as about was not found: {found.status.message}")
    time = float(found.trajectory.time[-1])
    compiled, memory = new_point_memory(model, time, None if given else found.trajectory.compiled)
    _take_state(compiled, memory, found.trajectory, -1, caller)
    rotation = found.settings.get("spin")
    point = _finish(compiled, memory, time, EQUILIBRIUM if rotation is None else ROTATION)
    worst, place = imbalance(point)
    if worst > 1.0:
        if not found.status.ok:  # the loads push along a free motion
            raise SolveError(
                f"{caller}: no equilibrium to linearise about: {found.status.message}; hold what can fall, or pass "
                "about= a moment (run, time) of a simulation"
            )
        if not given or caller == "trim":
            raise SolveError(
                f"{caller}: the equilibrium that was found is not balanced well enough to linearise about: {place}; "
                "look for parts of very different stiffness, or pass a smaller tolerance to equilibrium or trim"
            )
        raise SolveError(
            f"{caller}: the state given as about is not an equilibrium of the model as it is now: {place}; "
            "were parameters set since? call equilibrium again"
        )
    return point


def _of_run(model: Model, run: Run, time: float, caller: str) -> Point:
    times = run.trajectory.time
    k = int(np.argmin(np.abs(times - time)))
    spacing = float(np.max(np.diff(times))) if len(times) > 1 else 0.0
    if abs(times[k] - time) > 0.501 * spacing + 1e-12:
        raise SolveError(
            f"{caller}: the run has no state near t = {time:g} s; it goes from {times[0]:g} to {times[-1]:g} s"
        )
    time = float(times[k])
    then = run.motion.parameters or {}
    changed = [f"{n} = {then[n]:g}, now {v:g}" for n, v in model.parameters.items() if then.get(n, v) != v]
    if changed:
        raise SolveError(
            f"{caller}: the run given as about was made with other parameters ({', '.join(changed)}); set them back or "
            "simulate again"
        )
    compiled, memory = new_point_memory(model, time)
    inputs = memory.problem.inputs
    controlled = run.trajectory.efforts is not None
    if run.trajectory.efforts is not None:
        inputs = inputs._replace(effort=run.trajectory.efforts[k : k + 1].copy())
    _take_state(compiled, memory, run.trajectory, k, caller)
    soften_redundant(compiled, memory)
    # integrators know accelerations and reactions less well than positions and velocities, and these less well along
    # directions that joints prescribe: compute them
    project_velocities(compiled, time, memory)
    consistent_accelerations(compiled, time, memory, inputs)
    found = replace(_finish(compiled, memory, time, MOMENT), controlled=controlled)
    if all(all(item.held) for item in model.rolling):
        return found
    from cosserat.solve.linear.described import steady  # it makes points

    return steady(replace(found, kind=MOTION), caller)  # what rolls has linear equations in steady motion only


def _take_state(compiled: CompiledModel, memory: Memory, source: Trajectory, k: int, caller: str) -> None:
    history, state = source.history, memory.problem.state
    if history.frame.shape[1:] != compiled.frames.shape or history.force.shape[1:] != state.force.shape:
        raise SolveError(f"{caller}: the state given as about belongs to a model with other bodies, beams or joints")
    for name in ("frame", "twist", "rate", "force"):
        getattr(state, name)[...] = getattr(history, name)[k]
    state.angle[:] = tracked_in(source, k, compiled.freedoms)
    if len(history.inner) and history.inner.shape[1:] == state.inner[0].shape:
        state.inner[0] = history.inner[k]
    else:
        settle_states(memory)


def imbalance(point: Point) -> tuple[float, str]:
    """Unbalanced force of a point relative to what is accepted, and in words the largest and where it acts."""
    compiled, memory = point.compiled, point.memory
    trial, n = memory.problem.trial, compiled.n_nodes
    weight = np.array([1.0, 1.0 / compiled.length]).repeat(3)
    internal, loads = point.acting_forces()
    inputs = memory.problem.inputs  # loads on one body may cancel one another
    weights = np.max(compiled.system.nodes.mass, initial=0.0) * np.linalg.norm(inputs.gravity[0])
    own = trial.frame[None], trial.twist[None], trial.inner[:1], inputs.effort
    laws = state_wrenches(compiled, np.array([point.time]), *own)[0, :, :6]
    loads = max(loads, weights, *(np.max(np.abs(x * weight), initial=0.0) for x in (inputs.wrench[0], laws)))
    rest = (trial.residual[:n] * weight).ravel()
    phi = constraint_matrix(point).multiply(np.tile(weight, n))
    rest, _ = nearest_motion(phi)(rest, np.zeros(phi.shape[0]))  # what reactions could still balance does not count
    size = np.abs(rest).reshape(n, 6)
    accepted = _BALANCED * max(internal, loads) + 1e4 * np.finfo(float).eps * _elastic_force(compiled)
    worst = float(np.max(size, initial=0.0))
    node = int(np.argmax(np.max(size, axis=1))) if n else 0
    text = f"a force of {worst:.3g} N is left unbalanced at {name_of_node(compiled, node)}"
    return (worst / accepted if accepted > 0.0 else (np.inf if worst > 0.0 else 0.0)), text


def _elastic_force(compiled: CompiledModel) -> float:
    """Force of the stiffest part, displaced by the size of the mechanism or turned by 1 rad: rounding is part of it."""
    system, size = compiled.system, compiled.size
    turns = system.freedoms.kind != SLIDE
    stiffness = np.abs(system.elements.stiffness)
    return max(
        np.max(stiffness[:, :3, :3], initial=0.0) * size,
        np.max(stiffness[:, :3, 3:], initial=0.0),
        np.max(stiffness[:, 3:, 3:], initial=0.0) / compiled.length,
        np.max(system.springs.stiffness, initial=0.0) * size,
        np.max(system.freedoms.stiffness[~turns], initial=0.0) * size,
        np.max(system.freedoms.stiffness[turns], initial=0.0) / compiled.length,
    )


def name_of_node(compiled: CompiledModel, node: int) -> str:
    """A node in words: the body, or the place on a beam."""
    for name, i in compiled.bodies.items():
        if i == node:
            return f"'{name}'"
    for name, mesh in compiled.beams.items():
        if mesh.first_node <= node < mesh.first_node + mesh.n_nodes:
            return f"node {node - mesh.first_node + 1} of {mesh.n_nodes} of '{name}'"
    return "the ground"
