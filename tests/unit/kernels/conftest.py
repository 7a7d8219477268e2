"""Kernels at work on small mechanisms: the arrays of a problem, and its equations as plain vectors and matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel, frame_to_row, row_to_frame
from cosserat.kernels.integrate import load_stages
from cosserat.kernels.residual import add_inertia, forces, track_angles
from cosserat.kernels.tangent import assemble
from cosserat.lie import se3
from cosserat.solve.memory import Memory, new_memory

SCALE, EPSILON = 3.0, 1e-3


@dataclass
class Laboratory:
    """A compiled model whose trial state can be set, moved and differentiated."""

    compiled: CompiledModel
    memory: Memory

    @classmethod
    def of(cls, model, t: float = 0.0) -> Laboratory:
        compiled = compile_model(model)
        memory = new_memory(compiled, compiled.sampler.sample(np.array([t])))
        memory.problem.solver.settings[0] = 1.0
        load_stages(memory)
        return cls(compiled, memory)

    @property
    def trial(self):
        return self.memory.problem.trial

    @property
    def n(self) -> int:
        return self.compiled.n_nodes

    def frame(self, node: int):
        return row_to_frame(self.trial.frame[node])

    def scramble(self, rng, angle: float = 0.5, speed: float = 1.0) -> None:
        """Random frames on which all joints of a chain hold, random velocities, accelerations and multipliers."""
        trial = self.trial
        for i in range(self.n):
            H = self.frame(i) @ se3.exp(angle * rng.uniform(-1, 1, 6))
            trial.frame[i] = frame_to_row(H)
        for joint in self.compiled.joints:
            q = rng.uniform(-0.8, 0.8, len(joint.joint.freedoms))
            H = self.frame(joint.parent.node) @ joint.parent.frame @ relative(joint.joint, q)
            trial.frame[joint.child.node] = frame_to_row(H @ se3.inverse(joint.child.frame))
        trial.twist[: self.n] = speed * rng.uniform(-1, 1, (self.n, 6))
        trial.rate[: self.n] = speed * rng.uniform(-1, 1, (self.n, 6))
        trial.force[:] = rng.uniform(-1, 1, trial.force.shape)

    def equations(self):
        """Residual of the nodes (6 n,) and constraint values (6 joints,) at the trial state."""
        address = self.memory.address
        track_angles(address)
        forces(address, 0)
        add_inertia(address)
        return self.trial.residual[: self.n].ravel().copy(), self.trial.phi.ravel().copy()

    def matrix(self, cm: float, cc: float, ck: float):
        """The assembled iteration matrix as a dense one."""
        self.equations()
        solver = self.memory.problem.solver
        solver.tangent[...] = np.eye(6)
        solver.coefficients[:] = cm, cc, ck, SCALE, EPSILON
        assemble(self.memory.address, 0, self.trial.frame, self.trial.twist)
        return self.dense(solver.blocks)

    def dense(self, blocks):
        vertices = self.n + self.compiled.n_multipliers
        out = np.zeros((vertices, 6, vertices, 6))
        for block, (i, j) in zip(blocks, self.compiled.blocks):
            out[i, :, j] = block
        return out.reshape(6 * vertices, 6 * vertices)

    def differences(self, what: str, step: float = 1e-6):
        """Central differences of both parts of `equations` with respect to left increments, twists or rates."""
        array = {"frame": self.trial.frame, "twist": self.trial.twist, "rate": self.trial.rate}[what]
        start, angles = array.copy(), self.trial.angle.copy()
        columns = []
        for i in range(self.n):
            for k in range(6):
                ends = []
                for sign in (1.0, -1.0):
                    array[:] = start
                    self.trial.angle[:] = angles
                    d = np.zeros(6)
                    d[k] = sign * step
                    if what == "frame":
                        array[i] = frame_to_row(row_to_frame(start[i]) @ se3.exp(d))
                    else:
                        array[i] += d
                    ends.append(np.concatenate(self.equations()))
                columns.append((ends[0] - ends[1]) / (2 * step))
        array[:] = start
        self.trial.angle[:] = angles
        both = np.stack(columns, axis=1)
        return both[: 6 * self.n], both[6 * self.n :]


def relative(joint, q):
    """Frame of the child's joint frame seen from the parent's, for coordinates q of the joint's freedoms."""
    axis = np.eye(3)
    turn = lambda i, a: se3.exp(np.concatenate((np.zeros(3), a * axis[i])))  # noqa: E731
    if joint.kind == "universal":
        return turn(0, q[0]) @ turn(1, q[1])
    H, w = np.eye(4), np.zeros(3)
    for freedom, value in zip(joint.freedoms, q):
        if freedom.kind == "translation":
            H[freedom.axis, 3] = value
        else:
            w[freedom.axis] = value
            if joint.kind == "screw":
                H[2, 3] = joint.pitch * value
    return H @ se3.exp(np.concatenate((np.zeros(3), w)))


@pytest.fixture
def laboratory():
    """Builds the arrays of a model."""
    return Laboratory.of
