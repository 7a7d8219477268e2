"""A step of the generalised-alpha method over nodes, linearised.

With increments n, H1 = H0 exp(n), twists v, their rates a and the method's accelerations b, a step changes by

    x1 = T(n) dn + Ad(exp(-n)) x0
    b1 = (dn/h - v0 - h (1/2 - beta) b0)/(h beta),    v1 = v0 + h (1 - gamma) b0 + h gamma b1
    (1 - alpha_m) b1 + alpha_m b0 = (1 - alpha_f) a1 + alpha_f a0
    K x1 + C v1 + M a1 + Phi^T dmu + r_s = 0,         Phi x1 + phi_s = 0

with r_s, phi_s of parameters and inputs. Source: [Grazioso17] (34)-(43), linearised. The unknowns are (dn, dmu).
"""

from __future__ import annotations

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.kernels.alpha import method
from cosserat.kernels.arrays import Inputs, State
from cosserat.kernels.law_states import FROZEN
from cosserat.kernels.residual import add_inertia, forces, track_angles
from cosserat.kernels.tangent import LIGHT, tangent_operators
from cosserat.lie.protocol import Array
from cosserat.solve.initial import EPSILON
from cosserat.solve.memory import Memory, assemble_blocks, damping_blocks
from cosserat.solve.sweeps.blocks import BlockMatrix, BlockPattern, BlockSystem
from cosserat.solve.sweeps.protocol import LinearMap


def across(before: Array, after: Array) -> Array:
    """Ad(H1^-1 H0) (n, 6, 6) of rows of frames (n, 12): a left increment before, as one after."""
    R0, R1 = before[:, :9].reshape(-1, 3, 3), after[:, :9].reshape(-1, 3, 3)
    R = R1.transpose(0, 2, 1) @ R0
    x = np.einsum("nji,nj->ni", R1, before[:, 9:] - after[:, 9:])
    out = np.zeros((len(R), 6, 6))
    out[:, :3, :3] = out[:, 3:, 3:] = R
    out[:, :3, 3:] = np.cross(x[:, :, None], R, axis=1)
    return out


def continue_angles(memory: Memory, state_out: State) -> None:
    """Let tracked coordinates of joints follow the frames of a state that was moved."""
    trial = memory.problem.trial
    trial.frame[...], trial.angle[...] = state_out.frame, state_out.angle
    track_angles(memory.address)
    state_out.angle[...] = trial.angle


def lightened(compiled: CompiledModel, memory: Memory, guide_out: Array, scale: float) -> None:
    """Give frames without mass a little, so that their blocks can be eliminated first."""
    bodies = memory.problem.bodies
    light = LIGHT * scale * np.array([1.0, compiled.length**2]).repeat(3)
    for block, mass in zip(bodies.block, bodies.mass, strict=True):
        if mass[0, 0] == 0.0:
            guide_out[block] += np.diag(light)


class StepOfNodes(LinearMap):
    """A step of either method: numbers of changes of nodes and multipliers, and equations of the unknowns (dn, dmu)."""

    n: int
    m: int
    system: BlockSystem

    def _widened(self, x: Array) -> Array:
        """Changes of nodes as a vector over nodes and multipliers."""
        return np.concatenate((x, np.zeros((self.m, *x.shape[1:]))))

    def solve(self, right: Array, transposed: bool = False) -> Array:
        """(d r/d(dn, mu))^-1 right, or with its transpose."""
        return self.system.solve(right, transposed)

    def _turned(self, matrices: Array, x: Array, transposed: bool = False) -> Array:
        """A matrix for every node times changes (6n, k)."""
        A = matrices.transpose(0, 2, 1) if transposed else matrices
        return np.asarray((A @ x.reshape(len(A), 6, -1)).reshape(x.shape))


class NodalStep(StepOfNodes):
    """A step of length h between two states, see above. Changes are (x, v, a, b, mu)."""

    def __init__(
        self, compiled: CompiledModel, memory: Memory, pattern: BlockPattern, before: State, after: State,
        inputs: Inputs, h: float, rho: float,
    ) -> None:  # fmt: skip
        self.n, self.m, self.h = 6 * compiled.n_nodes, 6 * compiled.n_multipliers, h
        self._alpha = alpha_m, alpha_f, gamma, beta = tuple(float(x) for x in method(rho))
        trial, solver = memory.problem.trial, memory.problem.solver
        memory.replace(inputs=inputs)
        for name in ("frame", "twist", "rate", "force", "angle"):
            getattr(trial, name)[...] = getattr(after, name)
        solver.follow[0] = FROZEN
        trial.increment[...] = h * before.twist + h * h * ((0.5 - beta) * before.accel + beta * after.accel)
        forces(memory.address, 0)
        add_inertia(memory.address)
        tangent_operators(memory.address)
        nodes, n = pattern.of_nodes, compiled.n_nodes
        T = solver.tangent[:n].copy()
        M = assemble_blocks(memory, mass=1.0)[nodes].copy()
        C = damping_blocks(memory)[nodes].copy()
        K = assemble_blocks(memory, stiffness=1.0)[nodes].copy()
        cm, cc = (1.0 - alpha_m) / (beta * h * h * (1.0 - alpha_f)), gamma / (beta * h)
        scale = cm * compiled.mass
        guide = assemble_blocks(memory, scale=1.0, epsilon=EPSILON).copy()
        exact = np.zeros_like(guide)
        exact[nodes] = cm * M + cc * C + K @ T[pattern.column[nodes]]
        rows = guide[pattern.of_rows]
        exact[pattern.of_rows] = rows @ T[pattern.column[pattern.of_rows]]
        exact[pattern.of_columns] = guide[pattern.of_columns]
        guide[pattern.of_rows] = guide[pattern.of_columns] = guide[nodes] = 0.0
        guide *= scale
        lightened(compiled, memory, guide, scale)
        self.M, self.C, self.K = (BlockMatrix(pattern, "nodes", a) for a in (M, C, K))
        self.Phi = BlockMatrix(pattern, "rows", rows)
        self.T, self.across = T, across(before.frame[:n], after.frame[:n])
        self.system = BlockSystem(memory, pattern, exact, guide, scale)

    def _kinematics(self, dn: Array, v0: Array, a0: Array, b0: Array) -> tuple[Array, Array, Array]:
        """b1, v1 and a1 for a change of the increments and of the state before."""
        (alpha_m, alpha_f, gamma, beta), h = self._alpha, self.h
        b1 = (dn / h - v0 - h * (0.5 - beta) * b0) / (h * beta)
        v1 = v0 + h * ((1.0 - gamma) * b0 + gamma * b1)
        return b1, v1, ((1.0 - alpha_m) * b1 + alpha_m * b0 - alpha_f * a0) / (1.0 - alpha_f)

    def forward(self, change: Array, sources: Array | None = None) -> Array:
        n = self.n
        x0, v0, a0, b0 = (change[k * n : (k + 1) * n] for k in range(4))
        x1 = self._turned(self.across, x0)
        _, v1, a1 = self._kinematics(0.0 * x0, v0, a0, b0)
        wide = self._widened
        x, left = wide(x1), self.C.times(wide(v1)) + self.M.times(wide(a1))
        left += self.K.times(x) + self.Phi.times(x)
        found = self.solve(-left if sources is None else -(left + sources))
        dn = found[:n]
        b1, v1, a1 = self._kinematics(dn, v0, a0, b0)
        return np.concatenate((x1 + self._turned(self.T, dn), v1, a1, b1, found[n:]))

    def backward(self, gradient: Array) -> tuple[Array, Array]:
        (alpha_m, alpha_f, gamma, beta), h, n = self._alpha, self.h, self.n
        gx, gv, ga, gb = (gradient[k * n : (k + 1) * n] for k in range(4))

        def to_increments(v: Array, a: Array, b: Array) -> Array:
            """Gradient by b1, where v1 and a1 follow it."""
            return np.asarray(b + h * gamma * v + (1.0 - alpha_m) / (1.0 - alpha_f) * a)

        by_b1 = to_increments(gv, ga, gb)
        right = np.concatenate((self._turned(self.T, gx, True) + by_b1 / (h * h * beta), gradient[4 * n :]))
        equations = -self.solve(right, transposed=True)
        K, C, M, Phi = (matrix.times(equations, True) for matrix in (self.K, self.C, self.M, self.Phi))
        gx, gv, ga = gx + (K + Phi)[:n], gv + C[:n], ga + M[:n]
        by_b1 = to_increments(gv, ga, gb)
        lag = 1.0 / (1.0 - alpha_f)
        before = (
            self._turned(self.across, gx, True),
            gv - by_b1 / (h * beta),
            -alpha_f * lag * ga,
            h * (1.0 - gamma) * gv + alpha_m * lag * ga - (0.5 - beta) / beta * by_b1,
            np.zeros(self.m),
        )
        return np.concatenate(before), equations
