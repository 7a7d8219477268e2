"""Static balance of the Galilean formulation: residual and exact tangent from the kernels, sparse LU from SciPy.

Unlike in time stepping, nothing makes the diagonal blocks definite here, so the factorisation must pivot freely.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import bsr_matrix, csc_matrix

from cosserat.compile.compiled import CompiledModel, row_to_frame
from cosserat.compile.series import bracket
from cosserat.errors import SolveError
from cosserat.kernels.alpha import move
from cosserat.kernels.law_states import STEADY
from cosserat.kernels.residual import add_inertia, forces, predict_strain, track_angles
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.status import Status
from cosserat.results.trajectory import Trajectory
from cosserat.solve.assembly import assemble_configuration
from cosserat.solve.balance.balance import Balance, State, typical
from cosserat.solve.balance.symmetries import rigid_motions
from cosserat.solve.initial import EPSILON, set_trial, soften_redundant, warn_redundant
from cosserat.solve.linear.matrices import constraint_matrix
from cosserat.solve.linear.point import EQUILIBRIUM, ROTATION, OperatingPoint, new_point_memory
from cosserat.solve.memory import Memory, assemble_blocks, damping_blocks, take_stored, trial_history
from cosserat.solve.spin import check_steady, spin_twist, twists_in


class Statics(Balance):
    """Equations of balance of one compiled model at given inputs; the configuration lives in the trial state.

    With a spin (6,), balance in a steady rotation: inertia forces are among the loads (`solve.spin`).
    """

    def __init__(self, compiled: CompiledModel, memory: Memory, spin: Array | None = None) -> None:
        super().__init__(compiled, spin)
        self.memory = memory
        self.n_motions = 6 * compiled.n_nodes
        self.n_unknowns = self.n_motions + 6 * compiled.n_multipliers
        self.spin = spin
        rows, columns = compiled.blocks[:, 0], compiled.blocks[:, 1]
        n = compiled.n_nodes + compiled.n_multipliers
        order = np.lexsort((columns, rows))
        indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n))))
        numbers = np.arange(36 * len(rows)).reshape(-1, 6, 6)[order]
        self._layout = bsr_matrix((numbers, columns[order], indptr)).tocsc()  # where each number of the blocks goes
        self._fraction = 1.0  # of the last correction that was taken
        self.scale = self._stiffness_scale()

    def result(self, status: Status, settings: dict[str, Any], stats: dict[str, Any]) -> Equilibrium:
        times = np.array([settings["time"]], dtype=float)
        return Equilibrium(Trajectory(self.compiled, times, trial_history(self.memory), status, settings, stats))

    def _stiffness_scale(self) -> float:
        """Typical stiffness against displacements, the scale of multipliers; turns count at the typical length."""
        self.assemble(0.0)
        diagonal = self.memory.problem.solver.blocks[self.compiled.system.pattern.diagonal]
        order, c = self.compiled.system.pattern.order, self.compiled
        values = np.diagonal(diagonal[order < c.n_nodes], axis1=1, axis2=2) / np.array([1.0, c.length**2]).repeat(3)
        if found := typical(values):
            return found
        inputs = self.memory.problem.inputs
        loads = [c.mass * np.linalg.norm(c.sampler.gravity)]
        loads += [np.max(np.abs(inputs.wrench[..., :3]), initial=0.0)]
        loads += [np.max(np.abs(a), initial=0.0) / c.length for a in (inputs.wrench[..., 3:], inputs.effort)]
        return float(max(loads)) / c.length or c.mass

    def load(self, times: Array, factor: float = 1.0) -> None:
        """Take the inputs at one time, loads scaled by a factor, and with them the centrifugal ones."""
        self.memory.replace(inputs=self.compiled.sampler.sample(times, factor))
        if self.full_spin is not None:
            self.spin = np.sqrt(factor) * self.full_spin

    def assemble(self, shift: float) -> None:
        """Blocks of [K + shift M, s Phi^T; s Phi, -epsilon s] at the trial state."""
        centrifugal: Array | float = 0.0
        self.memory.problem.solver.follow[0] = STEADY
        if self.spin is not None:
            # a displaced node has another twist, d v = ad(v) delta
            columns = self.compiled.blocks[:, 1]
            of_nodes = columns < self.compiled.n_nodes
            centrifugal = damping_blocks(self.memory).copy()
            centrifugal[~of_nodes] = 0.0
            centrifugal[of_nodes] @= bracket(self.memory.problem.trial.twist)[columns[of_nodes]]
        blocks = assemble_blocks(self.memory, mass=shift, stiffness=1.0, scale=self.scale, epsilon=EPSILON)
        blocks += centrifugal

    def tangent(self, shift: float = 0.0) -> csc_matrix:
        self.assemble(shift)
        blocks, layout = self.memory.problem.solver.blocks[:-1], self._layout
        self._name_failing(blocks)
        return csc_matrix((blocks.ravel()[layout.data], layout.indices, layout.indptr), layout.shape)

    @property
    def rotation(self) -> Array | None:
        return self.spin

    def rotate(self, rotation: Array | None) -> None:
        self.spin = self.full_spin if rotation is None else rotation

    def whole(self) -> Array:
        return rigid_motions(self.memory.problem.trial.frame[: self.compiled.n_nodes], self.extent)

    def left_over(self) -> Array:
        return self.memory.problem.trial.residual[: self.compiled.n_nodes].ravel()

    @property
    def anchor(self) -> int:
        return 6  # the first node

    def residual(self) -> Array:
        """-(r, s phi) at the trial state, six numbers for each vertex."""
        trial, n = self.memory.problem.trial, self.compiled.n_nodes
        track_angles(self.memory.address)
        self.memory.problem.solver.follow[0] = STEADY
        trial.twist[:] = 0.0 if self.spin is None else twists_in(self.spin, trial.frame)
        forces(self.memory.address, 0)
        if self.spin is not None:
            add_inertia(self.memory.address)
        self.iterations += 1
        self._name_failing(trial.residual[:n])
        return -np.concatenate((trial.residual[:n], self.scale * trial.phi)).ravel()

    def _motion(self) -> tuple[float, Array, Array]:
        trial = self.memory.problem.trial
        return float(self.memory.problem.inputs.clock[0, 0]), trial.frame, trial.twist

    def _of_nodes(self, correction: Array) -> Array:
        return np.abs(correction[: self.n_motions]).reshape(-1, 6)

    def metric(self) -> Array:
        return np.tile([1.0, self.length], self.compiled.n_nodes).repeat(3)

    def state(self) -> State:
        trial = self.memory.problem.trial
        return trial.frame.copy(), trial.force.copy(), trial.angle.copy()

    def put(self, state: State) -> None:
        trial = self.memory.problem.trial
        trial.frame[:], trial.force[:], trial.angle[:] = state

    def apply(self, state: State, correction: Array, fraction: float = 1.0) -> None:
        trial, n = self.memory.problem.trial, self.compiled.n_nodes
        steps = correction.reshape(-1, 6)
        self._fraction = fraction
        trial.increment[:n] = fraction * steps[:n]
        move(state[0], trial.increment, 1.0, trial.frame)
        trial.force[:] = state[1] + fraction * self.scale * steps[n:]
        trial.angle[:] = state[2]

    def distance(self, state: State) -> float:
        return float(np.max(np.abs(self.memory.problem.trial.frame[:, 9:] - state[0][:, 9:])))

    def is_at(self, state: State, part: float) -> bool:
        return bool(np.max(np.abs(self.memory.problem.trial.frame - state[0])) < part * self.extent)

    def predicted(self, before: State, first: bool = False) -> Array:
        trial, n = self.memory.problem.trial, self.compiled.n_nodes
        predict_strain(self.memory.address, before[0], trial.increment, 0.0 if first else self._fraction)
        return -np.concatenate((trial.residual[:n], self.scale * trial.phi)).ravel()

    def between(self, a: State, b: State) -> Array:
        n = self.compiled.n_nodes
        pairs = zip(a[0][:n], b[0][:n], strict=True)
        return np.concatenate([se3.log(se3.inverse(row_to_frame(A)) @ row_to_frame(B)) for A, B in pairs])

    def weights(self) -> Array:
        n = self.compiled.n_nodes
        return np.tile([self.compiled.size**-2.0, 1.0], n).repeat(3) / n

    def nodal(self, state: State, motion: Array) -> Array:
        return motion

    def constraints(self) -> csc_matrix:
        return constraint_matrix(self.still())

    def react(self, reactions: Array) -> None:
        first = 0
        for j, rows in enumerate(self.still().independent_rows):
            self.memory.problem.trial.force[j] += rows.T @ reactions[first : first + len(rows)]
            first += len(rows)

    def still(self) -> Any:
        kind = EQUILIBRIUM if self.full_spin is None else ROTATION
        return OperatingPoint(self.compiled, self.memory, 0.0, kind)

    def point(self) -> Any:
        point = self.still()
        self.residual()
        point.refresh()
        return point


def statics_at(
    model: Model, time: float, start: Equilibrium | None, spin: Any, center: Any, caller: str = "equilibrium",
    compiled: CompiledModel | None = None,
) -> Statics:  # fmt: skip
    """Equations of balance of a model, in a known equilibrium or in the reference configuration, without loads."""
    compiled, memory = new_point_memory(model, time, compiled)
    if start is None:
        assemble_configuration(compiled, time, memory)
    else:
        history = start.trajectory.history
        if history.frame.shape[1:] != compiled.frames.shape or history.force.shape[1:] != (compiled.n_multipliers, 6):
            raise SolveError(
                f"{caller}: the equilibrium given as start belongs to a model with other nodes or joints"
            )
        take_stored(compiled, memory, start.trajectory, -1, ("frame", "force"))
    warn_redundant(soften_redundant(compiled, memory))
    set_trial(memory, memory.problem.state)
    rotation = spin_twist(spin, center)
    if rotation is not None:
        check_steady(compiled, compiled.sampler.sample(np.array([time])), rotation)
    return Statics(compiled, memory, rotation)
