"""The state about which a mechanism is linearised: an equilibrium, a steady rotation, or a moment of a run.

Here are also rows that map left increments x of the nodes to displacements, turns and joint coordinates, exact: the
kinematics of results are linear in twists, so a row is their answer to unit twists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel, frame_to_row, row_to_frame
from cosserat.compile.state_loads import state_wrenches
from cosserat.kernels.freedoms import SLIDE
from cosserat.kernels.law_states import FROZEN
from cosserat.kernels.residual import add_inertia, applied_forces, element_forces, forces, track_angles
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.joints import coordinate_rates
from cosserat.results.mechanism import JointInfo, Mechanism, Station, mechanism_of
from cosserat.results.motion import Motion, motion_of, virtual_motion
from cosserat.results.quantities import Evaluate, Quantity, place_changes
from cosserat.results.status import Outcome, Status
from cosserat.results.trajectory import Trajectory
from cosserat.solve.gradients import every_row, nearest_motion
from cosserat.solve.linear.flow import Flow
from cosserat.solve.linear.matrices import Matrices, constraint_matrix, matrices_at
from cosserat.solve.linear.scaling import is_symmetric
from cosserat.solve.memory import Memory, loaded_memory, trial_history

EQUILIBRIUM, ROTATION, MOMENT = "equilibrium", "steady rotation", "moment of a run"
MOTION = "steady motion"

_BALANCED = 1e-6  # unbalanced force that is accepted, relative to the largest force that acts


@dataclass
class OperatingPoint:
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
        drive, rate, accel = (d[0] for d in self.compiled.sampler.sample_rates(np.array([self.time])))
        path = offset * trial.twist + 0.5 * offset**2 * trial.rate
        moved = [row_to_frame(H) @ se3.exp(y) for H, y in zip(trial.frame, path, strict=True)]
        with self.memory.kept():
            self.offset = offset
            trial.frame[:] = frame_to_row(np.array(moved))
            self.memory.replace(inputs=inputs._replace(drive=(drive + offset * (rate + 0.5 * offset * accel))[None]))
            self.refresh()
            yield
        self.offset = 0.0
        self.refresh()

    @cached_property
    def mechanism(self) -> Mechanism:
        """Names, places and joints, as results see them."""
        return mechanism_of(self.compiled)

    @cached_property
    def independent_rows(self) -> list[Array]:
        """For every joint and wheel the combinations (k, 6) of its rows that no other implies."""
        problem, out = self.memory.problem, []
        lost = np.zeros((self.compiled.n_multipliers, 6, 6))
        lost[: self.compiled.n_joints] = problem.joints.soft
        lost[self.compiled.n_joints :, :3, :3] = np.eye(3) - problem.rolling.keep
        for used, soft in zip(every_row(self.compiled), lost, strict=True):
            implied = used @ soft @ used.T
            if np.any(implied):
                values, vectors = np.linalg.eigh(implied)
                used = vectors[:, values < 0.5].T @ used
            out.append(used)
        return out

    @property
    def n_constraints(self) -> int:
        """Number of independent constraints."""
        return sum(len(rows) for rows in self.independent_rows)

    @property
    def model(self) -> Model:
        """The model that is linearised."""
        return self.compiled.model

    matrices, is_symmetric = matrices_at, is_symmetric

    def basis(self, matrices: Matrices) -> Any:
        """Motions that the constraints of matrices allow, with named coordinates."""
        from cosserat.solve.linear.basis import basis_of_motions

        return basis_of_motions(self, matrices)

    def motion_column(self, joint: JointInfo, i: int, name: str) -> Any:
        """A unit of the prescribed motion of freedom i of a joint, as an input."""
        from cosserat.solve.linear.input_columns import motion_column

        return motion_column(self, joint, i, name)

    def parameter_column(self, name: str) -> Any:
        """A unit of a parameter of the model, as an input."""
        from cosserat.solve.linear.input_columns import parameter_column

        return parameter_column(self, name)

    def outputs(self, asked: list[Quantity], inputs: Any) -> Any:
        """Rows of outputs, and what inputs add to them at once."""
        from cosserat.solve.linear.output_rows import nodal_outputs

        return nodal_outputs(self, asked, inputs)

    @property
    def n_unknowns(self) -> int:
        """Number of increments."""
        return 6 * self.compiled.n_nodes

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
    def still(self) -> OperatingPoint:
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

    def largest_law(self) -> float:
        """The largest force (N; moments over the typical length) of a law that depends on the state."""
        trial, weight = self.memory.problem.trial, np.array([1.0, 1.0 / self.compiled.length]).repeat(3)
        own = trial.frame[None], trial.twist[None], trial.inner[:1], self.memory.problem.inputs.effort
        laws = state_wrenches(self.compiled, np.array([self.time]), *own)[0, :, :6]
        return float(np.max(np.abs(laws * weight), initial=0.0))

    def trajectory(self) -> Trajectory:
        """The state as a stored trajectory of one moment, from which results read places and joints."""
        efforts = self.memory.problem.inputs.effort.copy() if self.controlled else None
        status, times = Status(Outcome.OK, self.time), np.array([self.time])
        return Trajectory(self.compiled, times, trial_history(self.memory), status, {}, {}, efforts)

    def imbalance(self) -> tuple[float, str]:
        """Unbalanced force relative to what is accepted, and in words the largest and where it acts."""
        compiled, memory = self.compiled, self.memory
        trial, n = memory.problem.trial, compiled.n_nodes
        weight = np.array([1.0, 1.0 / compiled.length]).repeat(3)
        internal, loads = self.acting_forces()
        inputs = memory.problem.inputs  # loads on one body may cancel one another
        weights = np.max(compiled.system.nodes.mass, initial=0.0) * np.linalg.norm(inputs.gravity[0])
        loads = max(loads, weights, np.max(np.abs(inputs.wrench[0] * weight), initial=0.0), self.largest_law())
        rest = (trial.residual[:n] * weight).ravel()
        phi = constraint_matrix(self).multiply(np.tile(weight, n))
        rest, _ = nearest_motion(phi)(rest, np.zeros(phi.shape[0]))  # what reactions could still balance does not count
        size = np.abs(rest).reshape(n, 6)
        accepted = _BALANCED * max(internal, loads) + 1e4 * np.finfo(float).eps * _elastic_force(compiled)
        worst = float(np.max(size, initial=0.0))
        node = int(np.argmax(np.max(size, axis=1))) if n else 0
        text = f"a force of {worst:.3g} N is left unbalanced at {name_of_node(compiled, node)}"
        return (worst / accepted if accepted > 0.0 else (np.inf if worst > 0.0 else 0.0)), text


def new_point_memory(
    model: Model, time: float, compiled: CompiledModel | None = None
) -> tuple[CompiledModel, Memory]:  # fmt: skip
    """A compiled model in its reference configuration, with the inputs of a time; compiled here if it is not given."""
    compiled = compile_model(model) if compiled is None else compiled
    return compiled, loaded_memory(compiled, compiled.sampler.sample(np.array([time])))


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


def still_motion(point: OperatingPoint) -> Motion:
    """The point as a motion of one moment."""
    return motion_of(point.trajectory(), point.mechanism)


def place_jacobian(point: OperatingPoint, station: Station) -> Array:
    """Displacement and turn (6, 6n) of a place in world axes."""
    nodes = station.node, station.other
    return kinematic_rows(still_motion(point), nodes, lambda motion: place_changes(motion, station))


def joint_jacobian(motion: Motion, joint: JointInfo) -> Array:
    """Change (k, 6n) of the coordinates of a joint, about a motion of one moment."""
    nodes = motion.mechanism.system.joints.node[joint.index].tolist()
    return kinematic_rows(motion, nodes, lambda other: coordinate_rates(other, joint))


def kinematic_rows(motion: Motion, nodes: Iterable[int], answer: Evaluate) -> Array:
    """Answers (p, 6n) to unit twists of nodes, of what is linear in twists."""
    n = motion.mechanism.n_nodes
    columns = [6 * node + k for node in dict.fromkeys(nodes) if node < n for k in range(6)]
    units = np.zeros((len(columns), 6 * n))
    units[np.arange(len(columns)), columns] = 1.0
    found = answer(virtual_motion(motion, units))
    out = np.zeros((found.shape[1], 6 * n))
    out[:, columns] = found.T
    return out
