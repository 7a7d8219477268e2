"""Inputs of the linear equations: M x" + D x' + K x + Phi^T lambda = force u, Phi x = drive u, a column for each input.

Efforts, loads and forces at places act through `force`. A prescribed motion moves the constraints, and turns the
reactions that act at the point. Of a parameter anything may depend: its columns are differences, of fourth order, of
the residual of the recompiled model, exact where that is linear in the parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import row_to_frame
from cosserat.compile.rows import frames_of
from cosserat.compile.state_loads import motions_of, numbers_of, signals_of
from cosserat.errors import CosseratError, SolveError
from cosserat.kernels.efforts import servo
from cosserat.kernels.joint_rows import ROTATION
from cosserat.kernels.residual import add_inertia, constraint_rates, forces, joint_forces, track_angles
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.model.servos import Servo
from cosserat.results.joints import coordinates, directions, joint_sides, spin_rates
from cosserat.results.kinematics import to_node
from cosserat.results.labels import WRENCH
from cosserat.results.mechanism import JointInfo
from cosserat.results.nodal import of_loads, spring_line, spring_tensions
from cosserat.results.quantities import unit_of
from cosserat.solve.gradients import every_row, nearest_motion
from cosserat.solve.linear.matrices import constraint_matrix
from cosserat.solve.linear.point import OperatingPoint, place_jacobian, still_motion
from cosserat.solve.memory import Memory, loaded_memory

PARAMETER_STEP = 1e-3  # relative
CENTRAL = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))
FORWARD = ((0, -25 / 12), (1, 4.0), (2, -3.0), (3, 4 / 3), (4, -1 / 4))


@dataclass(frozen=True)
class Column:
    """What a unit of one input does.

    Attributes
    ----------
    name : str
    kind : "effort", "target", "motion", "load", "force", "signal", "tension" or "parameter"
    force : (6n,) generalised forces on the nodes
    drive : (m,) what the independent constraints demand of x; `ports` sets it where it is nothing
    joint : int
        Joint through which it acts; -1: none.
    line : (column of the sampled wrenches, unit sample (6,)), optional
        Of a load along a beam.
    direction : (6,), optional
        Of a load: force and moment of a unit of it.
    drives : (nd, 21), optional
        Change of the sampled prescribed motions.
    unit : str
        Empty for a parameter, whose unit only its user knows.
    pushes : (coordinate, effort)
        Coordinate of a joint in which it adds an effort at once, and how much.
    tendon : int
        Number of the tendon in which it is a tension; -1: none.
    again : callable, optional
        `drive` of the point as it is when called, displaced along its motion.
    inner : (ny,), optional
        What it adds to the rates of states of laws.
    """

    name: str
    kind: str
    force: Array
    unit: str = ""
    drive: Array = field(default_factory=lambda: np.zeros(0))
    joint: int = -1
    line: tuple[int, Array] | None = None
    again: Callable[[OperatingPoint], Array] | None = None
    inner: Array | None = None
    direction: Array | None = None
    drives: Array | None = None
    pushes: tuple[str, float] = ("", 0.0)
    tendon: int = -1

    def demand(self, point: OperatingPoint) -> Array:
        """What the independent constraints demand of x (m,) in the present state of the point."""
        return np.zeros_like(self.drive) if self.again is None else self.again(point)


def effort_column(point: OperatingPoint, joint: JointInfo, i: int, name: str) -> Column:
    """A unit effort in freedom i of a joint."""
    sides = joint_sides(still_motion(point), joint.index)
    arrays = point.compiled.system.joints
    force = np.zeros((point.compiled.n_nodes + 1, 6))
    frames = arrays.frame_a[joint.index], arrays.frame_b[joint.index]
    for node, wrench, frame in zip(arrays.node[joint.index], directions(joint, i, sides), frames, strict=True):
        force[node] += to_node(wrench, row_to_frame(frame))[0]
    unit = unit_of("effort", 0, joint.kinds[i])
    return Column(name, "effort", force[:-1].ravel(), unit, joint=joint.index, pushes=(name, 1.0))


def target_column(point: OperatingPoint, joint: JointInfo, i: int, source: Servo) -> Column:
    """A unit of the target of a servo in freedom i of a joint; nothing where the servo is beyond its limit."""
    unit, motion, gain = effort_column(point, joint, i, source.coordinate), still_motion(point), 0.0
    freedoms, k = point.compiled.system.freedoms, joint.active[i]
    if k >= 0 and freedoms.target[k] >= 0:
        q, rate = coordinates(motion, joint)[0, i], spin_rates(motion, joint)[0, i]
        target = point.memory.problem.inputs.effort[0, freedoms.target[k]]
        gain = -float(servo(freedoms.kp[k], freedoms.kd[k], freedoms.limit[k], target, q, rate)[1])
    return replace(
        unit, name=source.name, kind="target", force=gain * unit.force, pushes=(source.coordinate, gain),
        unit=unit_of("coordinate", 0, joint.kinds[i]),
    )  # fmt: skip


def signal_column(point: Any, name: str) -> Column:
    """A unit of an input of a law: differences of its wrench, and of the rates of its states, at the point."""
    compiled, history = point.compiled, point.trajectory().history
    signal = next(found for found in signals_of(compiled.model) if found.name == name)
    k, place = signal.load, signal.place
    arrays, law = compiled.system.state_loads, compiled.laws[k]
    numbers = numbers_of(compiled, k, point.memory.problem.inputs.effort[0])
    placed, moving = motions_of(compiled, k, history.frame[:1], history.twist[:1])
    inner = history.inner[0] if history.inner.size else compiled.first_states()[0]
    own = slice(arrays.inner[k], arrays.inner[k + 1])
    step, slope = PARAMETER_STEP * (abs(numbers[place]) or 1.0), np.zeros(law.size)
    for count, weight in CENTRAL:
        there = numbers.copy()
        there[place] += count * step
        slope += weight / step * law.answer(point.time, placed[0], moving[0], inner[own], there)
    force, rates = np.zeros((compiled.n_nodes + 1, 6)), np.zeros(compiled.n_inner)
    for p in range(arrays.acts[k]):
        at = arrays.first[k] + p
        force[arrays.node[at]] += to_node(slope[None, 6 * p : 6 * p + 6], row_to_frame(arrays.frame[at]))[0]
    rates[own] = slope[6 * arrays.acts[k] :][: law.n_states]
    unit = {"throttle": "1", "speed": "rad/s"}.get(name.rpartition(".")[2], "rad")
    return Column(name, "signal", force[:-1].ravel(), unit, inner=rates)


def tension_column(point: Any, name: str) -> Column:
    """A unit of the tension that a tendon is given."""
    compiled, motion = point.compiled, still_motion(point)
    k = next(k for k, spring in enumerate(compiled.model.springs) if spring.name == name)
    springs, force = compiled.system.springs, np.zeros((compiled.n_nodes + 1, 6))
    if springs.slack[k] == 0 or spring_tensions(motion, k)[0] > 0.0:
        spring_line(motion, k).pull(springs, np.full(1, -1.0), force[:, :, None])
    return Column(f"{name}.tension", "tension", force[:-1].ravel(), "N", tendon=k)


def place_force_column(point: OperatingPoint, place: Any, component: int, name: str) -> Column:
    """A unit force (component 0 to 2) or moment (3 to 5) along a world axis at a place."""
    force = place_jacobian(point, point.mechanism.station(place)[0])[component]
    return Column(name, "force", force, unit_of("reaction", component))


def load_column(point: OperatingPoint, load: Any, direction: Array, name: str) -> Column:
    """A unit of a load along a direction (6,) of its components."""
    _demand_uniform(point, load)
    here, model = still_motion(point), point.model
    column = [*model.loads, *model.distributed_loads].index(load)
    wrench = np.zeros_like(here.inputs.wrench)
    wrench[:, column] = direction
    force = of_loads(here.with_inputs(here.inputs._replace(wrench=wrench)))[0, :-1].ravel()
    along, pushes = load in model.distributed_loads, np.any(direction[:3])
    unit = ("N/m" if along else "N") if pushes else ("N" if along else "N m")
    line = (column, direction) if along else None
    return Column(name, "load", force, unit, line=line, direction=direction)


def _demand_uniform(point: OperatingPoint, load: Any) -> None:
    if load.name in point.compiled.line_columns:
        raise SolveError(
            f"{load.title}: it varies along the beam, so that a unit of it has no meaning; put a Parameter in front of "
            "it, and name that as the input"
        )


def present_direction(point: OperatingPoint, load: Any) -> Array:
    """Direction (6,) in which a load acts at the point: a unit force, or a unit moment.

    Raises
    ------
    SolveError
        If it is zero, or a force and a moment at once.
    """
    _demand_uniform(point, load)
    column = [*point.model.loads, *point.model.distributed_loads].index(load)
    sample = point.memory.problem.inputs.wrench[0, column]
    sizes = np.linalg.norm(sample.reshape(2, 3), axis=1)
    words = ", ".join(repr(f"{load.name}.{c}") for c in WRENCH)
    if np.count_nonzero(sizes) != 1:
        what = "is zero at this point" if not np.any(sizes) else "has a force and a moment"
        raise SolveError(f"{load.title}: it {what}, so its name alone has no direction; name a component: {words}")
    return np.asarray(sample / np.max(sizes))


def motion_column(point: OperatingPoint, joint: JointInfo, i: int, name: str) -> Column:
    """A unit of the prescribed motion of freedom i of a joint."""
    compiled, memory = point.compiled, point.memory
    trial, arrays = memory.problem.trial, compiled.system.joints
    drive = memory.problem.inputs.drive[0]
    rate, phi_u = _demanded(point, joint, i)
    # the change of the reactions: they are linear in the one prescribed rotation that moves
    turned = drive.copy()
    row = arrays.drive[joint.index]
    for part in (slice(3, 12), slice(12, 21)):
        if np.any(rate[row, part]):
            turned[row, part] = rate[row, part]
    with memory.kept():
        of_rotation = (arrays.kind[joint.index] == ROTATION) & (np.arange(6) < arrays.n_rows[joint.index])
        turning = np.where(of_rotation, trial.force[joint.index], 0.0)
        trial.force[:], trial.residual[:] = 0.0, 0.0
        if np.any(rate[row, 3:]):
            trial.force[joint.index] = turning
        memory.replace(inputs=memory.problem.inputs._replace(drive=turned[None].copy()))
        joint_forces(memory.address, 0)
        force = -trial.residual[: compiled.n_nodes].ravel()
    point.refresh()
    _demand_possible(point, name, -phi_u)
    again = lambda there: _independent(there, -_demanded(there, joint, i)[1])  # noqa: E731
    unit, demand = unit_of("coordinate", 0, joint.kinds[i]), _independent(point, -phi_u)
    return Column(name, "motion", force, unit, demand, joint.index, again=again, drives=rate)


def _demanded(point: OperatingPoint, joint: JointInfo, i: int) -> tuple[Array, Array]:
    """Change (nd, 21) of the drives, and (nj, 6) of the constraints, with the prescribed coordinate i of a joint."""
    memory, trial = point.memory, point.memory.problem.trial
    source = point.compiled.joints[joint.index].joint
    assert source is not None
    drive = memory.problem.inputs.drive[0]
    rate = np.zeros_like(drive)
    rate[point.compiled.system.joints.drive[joint.index]] = _unit_drive(source, i, point)
    # the change of the constraints: their rate when only the drive moves
    twist = trial.twist.copy()
    trial.twist[:] = 0.0
    phi_u, unused = np.zeros_like(trial.phi), np.zeros_like(trial.phi)
    constraint_rates(memory.address, drive, rate, np.zeros_like(drive), phi_u, unused)
    trial.twist[:] = twist
    return rate, phi_u


def _demand_possible(point: OperatingPoint, name: str, demand: Array) -> None:
    """Refuse a motion that joints of a closed loop do not allow alone; demand (nj, 6) of all rows."""
    if not np.any(point.memory.problem.joints.soft):
        return
    phi = constraint_matrix(point)
    x, _ = nearest_motion(phi)(np.zeros(phi.shape[1]), _independent(point, demand))
    rows = every_row(point.compiled)
    wanted = np.concatenate([r @ demand[j] for j, r in enumerate(rows)])
    if np.max(np.abs(constraint_matrix(point, rows) @ x - wanted)) > 1e-6 * np.max(np.abs(wanted)):
        raise SolveError(
            f"input {name!r}: the other joints of its loop, prescribed too, do not allow this motion alone; prescribe "
            "as many motions as the loop is free to make"
        )


def _unit_drive(joint: Any, i: int, point: OperatingPoint) -> Array:
    """Derivative (21,) of the drive of a joint with respect to the prescribed coordinate of freedom i."""
    jets: list[Array | None] = []
    for k, function in enumerate(joint.motion):
        jets.append(None)
        if function is not None:
            q, rate, accel = function.jet(np.array([point.time]))
            there = q + point.offset * (rate + 0.5 * point.offset * accel)
            jets[k] = np.stack((there, np.full(1, float(k == i)), np.zeros(1)))
    return np.asarray(frames_of(joint, jets, (3, 1))[1, 0])


def parameter_column(point: OperatingPoint, name: str) -> Column:
    """A unit of a parameter of the model."""
    force, phi, inner = parameter_difference(point.model, name, lambda other: _residual(point, other, name))
    again = (lambda there: parameter_column(there, name).drive) if np.any(phi) else None
    return Column(name, "parameter", -force, drive=_independent(point, -phi), again=again, inner=inner)


def parameter_difference(
    model: Model, name: str, evaluate: Callable[[Any], tuple[Array, ...]], make: Callable[[Model], Any] = compile_model
) -> tuple[Array, ...]:
    """Derivatives of what `evaluate(make(model))` gives with respect to a parameter; the model is left as it was."""
    value = model.parameters[name]
    step = PARAMETER_STEP * (abs(value) or 1.0)
    here = evaluate(make(model))

    def total(stencil: tuple[tuple[int, float], ...]) -> tuple[Array, ...]:
        parts = []
        for k, weight in stencil:
            model.set(**{name: value + k * step})
            # differences from here: what does not depend on the parameter is exactly zero
            parts.append([weight / step * (x - y) for x, y in zip(evaluate(make(model)), here, strict=True)])
        return tuple(sum(p) for p in zip(*parts, strict=True))

    try:
        try:
            return total(CENTRAL)
        except CosseratError:  # at the border of what the model can take, such as a damping of zero
            return total(FORWARD)
    finally:
        model.set(**{name: value})


def _residual(point: OperatingPoint, compiled: Any, name: str) -> tuple[Array, Array, Array]:
    """Residual (6n,), constraint values (nj, 6) and rates of laws' states of another model in the state of a point."""
    if compiled.frames.shape != point.compiled.frames.shape or compiled.n_multipliers != point.compiled.n_multipliers:
        raise SolveError(f"parameter {name!r}: it changes the number of nodes or joints; it cannot be an input")
    inputs = compiled.sampler.sample(np.array([point.time]))
    if point.offset:
        drive, rate, accel = compiled.sampler.sample_rates(np.array([point.time]))
        inputs = inputs._replace(drive=drive + point.offset * (rate + 0.5 * point.offset * accel))
    ours = point.memory.problem
    if point.controlled:
        inputs = inputs._replace(effort=ours.inputs.effort)
    memory = state_in(point, compiled, inputs)
    trial = memory.problem.trial
    forces(memory.address, 0)
    add_inertia(memory.address)
    return trial.residual[: compiled.n_nodes].ravel().copy(), trial.phi.copy(), trial.inner[1].copy()


def state_in(point: OperatingPoint, compiled: Any, inputs: Any) -> Memory:
    """Another model in the state of a point, with the coordinates that its own joints have there."""
    memory, ours = loaded_memory(compiled, inputs), point.memory.problem.trial
    trial = memory.problem.trial
    for part in ("frame", "twist", "rate", "force"):
        getattr(trial, part)[...] = getattr(ours, part)
    trial.inner[0] = ours.inner[0]
    tracked = {(joint, f.index): q for (joint, f), q in zip(point.compiled.freedoms, ours.angle, strict=True)}
    # a spring or damper that appears with the parameter has a coordinate of its own, found within half a turn
    trial.angle[:] = [tracked.get((joint, f.index), 0.0) for joint, f in compiled.freedoms]
    track_angles(memory.address)
    return memory


def _independent(point: OperatingPoint, phi: Array) -> Array:
    """Values (nj, 6) of constraint rows in the order and selection of `Matrices.constraints`."""
    rows = [keep @ phi[j] for j, keep in enumerate(point.independent_rows)]
    return np.concatenate(rows) if rows else np.zeros(0)
