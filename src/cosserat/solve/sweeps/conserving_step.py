"""A step of the conserving scheme over nodes, linearised.

Its equations r(n, mu; H0, v0) = 0, phi(H0 exp(n)) = 0 and its velocities v1(n, v0) are differentiated by differences of
fourth order of the kernel itself, for many nodes at once that share no row of the equations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cosserat.compile.compiled import row_to_frame
from cosserat.kernels.alpha import move
from cosserat.kernels.arrays import Inputs, State
from cosserat.kernels.conserving import evaluate
from cosserat.kernels.integrate import note_start
from cosserat.kernels.law_states import FROZEN
from cosserat.kernels.tangent import tangent_operators
from cosserat.lie import se3, so3
from cosserat.lie.protocol import Array
from cosserat.solve.initial import EPSILON
from cosserat.solve.linear.input_columns import CENTRAL
from cosserat.solve.memory import assemble_blocks, copy_state
from cosserat.solve.motion.stepping import Integration
from cosserat.solve.sweeps.blocks import BlockMatrix, BlockPattern, BlockSystem
from cosserat.solve.sweeps.nodal_step import StepOfNodes, across, continue_angles, lightened

_PART = 1e-5  # of a length, a turn or a velocity, between points of differences


def increments(work: Integration, before: State, after: State) -> Array:
    """n of H1 = H0 exp(n), (nodes + 1, 6); of bodies that fly see `kernels.conserving.fly`."""
    both = zip(before.frame, after.frame, strict=True)
    out = np.array([se3.log(se3.inverse(row_to_frame(F)) @ row_to_frame(G)) for F, G in both])
    for i in _flying(work):
        half = before.frame[i, :9].reshape(3, 3) @ so3.exp(0.5 * out[i, 3:])
        out[i, :3] = half.T @ (after.frame[i, 9:] - before.frame[i, 9:])
    return out


def _flying(work: Integration) -> Array:
    """Nodes of bodies that no joint holds."""
    bodies = work.compiled.system.bodies
    return np.asarray(bodies.node[bodies.lone])


def _tangents(work: Integration, path: Array) -> Array:
    """Changes (n, 6, 6) of frames along their own axes by increments."""
    memory, nodes = work.memory, work.compiled.n_nodes
    memory.problem.trial.increment[:] = path
    tangent_operators(memory.address)
    T = memory.problem.solver.tangent[:nodes].copy()
    for i in _flying(work):
        u, w = path[i, :3], path[i, 3:]
        back = so3.exp(-0.5 * w)
        T[i, :3, :3], T[i, :3, 3:] = back, -0.5 * back @ so3.hat(u) @ so3.tangent(0.5 * w)
    return T


def conserving_left(
    work: Integration, before: State, n: Array, force: Array, inputs: Inputs, h: float
) -> tuple[Array, Array, Array]:
    """Residual (nodes, 6), constraints (m, 6) and twists at the end (nodes, 6) of a step."""
    trial, state = work.memory.problem.trial, work.state
    work.set_step(h)
    work.memory.replace(inputs=inputs)
    copy_state(before, state)
    continue_angles(work.memory, state)
    note_start(work.memory.address, 0)
    trial.increment[:], trial.force[:] = n, force
    trial.twist[:] = 2.0 * n / h - state.twist
    trial.rate[:] = 2.0 * (n / h - state.twist) / h
    work.memory.problem.solver.follow[0] = FROZEN
    evaluate(work.memory.address, 1)
    return trial.residual[:-1].copy(), trial.phi.copy(), trial.twist[:-1].copy()


class Colours:
    """Groups of vertices that share no row of the equations."""

    def __init__(self, pattern: BlockPattern) -> None:
        size, rows = pattern.n + pattern.m, [set[int]() for _ in range(pattern.n + pattern.m)]
        for row, column in zip(pattern.row.tolist(), pattern.column.tolist(), strict=True):
            rows[column].add(row)
        self.groups: list[list[int]] = []
        for first, last in ((0, pattern.n), (pattern.n, size)):
            groups: list[tuple[list[int], set[int]]] = []
            for vertex in range(first, last):
                for members, taken in groups:
                    if not taken & rows[vertex]:
                        members.append(vertex)
                        taken |= rows[vertex]
                        break
                else:
                    groups.append(([vertex], set(rows[vertex])))
            self.groups += [members for members, _ in groups]
        self.of_nodes = [np.array(g) for g in self.groups if g[0] < pattern.n]
        self.of_multipliers = [np.array(g) for g in self.groups if g[0] >= pattern.n]


class ConservingStep(StepOfNodes):
    """A step between two states, see above. Changes are (x, v, a, b, mu); a and b have no meaning and are zero."""

    def __init__(
        self, work: Integration, pattern: BlockPattern, colours: Colours, before: State, after: State,
        inputs: Inputs, h: float,
    ) -> None:  # fmt: skip
        compiled, memory = work.compiled, work.memory
        self.n, self.m = 6 * compiled.n_nodes, 6 * compiled.n_multipliers
        self._pattern, nodes = pattern, compiled.n_nodes
        path, force = increments(work, before, after), after.force
        unit = np.array([compiled.length, 1.0]).repeat(3)
        fast = max(float(np.max(np.abs(before.twist[:nodes] / unit), initial=0.0)), 1e-3)
        pull = max(float(np.max(np.abs(force), initial=0.0)), 1.0)

        def by_increments(change: Array) -> tuple[Array, ...]:
            return conserving_left(work, before, path + change, force, inputs, h)

        def by_frames(change: Array) -> tuple[Array, ...]:
            frame = before.frame.copy()
            move(before.frame, change, 1.0, frame)
            return conserving_left(work, before._replace(frame=frame), path, force, inputs, h)

        def by_twists(change: Array) -> tuple[Array, ...]:
            return conserving_left(work, before._replace(twist=before.twist + change), path, force, inputs, h)

        def by_forces(change: Array) -> tuple[Array, ...]:
            return conserving_left(work, before, path, force + change, inputs, h)

        self._like = memory.problem.trial.increment.shape, force.shape
        of_nodes, of_rows = colours.of_nodes, colours.of_multipliers
        by_n, twist_n = self._differences(by_increments, _PART * unit, of_nodes, 0)
        by_x, _ = self._differences(by_frames, _PART * unit, of_nodes, 0)
        by_v, twist_v = self._differences(by_twists, _PART * fast * unit, of_nodes, 0)
        by_mu, _ = self._differences(by_forces, np.full(6, 1e-2 * pull), of_rows, nodes)
        self.T = _tangents(work, path)
        trial = memory.problem.trial
        trial.frame[:], trial.twist[:], trial.force[:] = after.frame, after.twist, force
        scale = 2.0 / (h * h) * compiled.mass
        guide = assemble_blocks(memory, scale=1.0, epsilon=EPSILON).copy()
        guide[pattern.of_rows] = guide[pattern.of_columns] = guide[pattern.of_nodes] = 0.0
        guide *= scale
        lightened(compiled, memory, guide, scale)
        exact = by_n + by_mu
        self.by_x, self.by_v = (BlockMatrix(pattern, "all", a) for a in (by_x, by_v))
        self.V_n, self.V_v = twist_n, twist_v
        self.across = across(before.frame[:nodes], after.frame[:nodes])
        self.system = BlockSystem(memory, pattern, exact, guide, scale)

    def _differences(
        self, call: Callable[[Array], tuple[Array, ...]], sizes: Array, groups: list[Array], first: int
    ) -> tuple[Array, Array]:
        """Blocks (nb, 6, 6) of derivatives of the equations, and those of each node's twist (n, 6, 6)."""
        pattern = self._pattern
        blocks, twists = np.zeros((len(pattern.row), 6, 6)), np.zeros((pattern.n, 6, 6))
        for group in groups:
            mine = np.nonzero(np.isin(pattern.column, group))[0]
            for k in range(6):
                left, fast = np.zeros((pattern.n + pattern.m, 6)), np.zeros((pattern.n, 6))
                for i, weight in CENTRAL:
                    change = np.zeros(self._like[1] if first else self._like[0])
                    change[group - first, k] = i * sizes[k]
                    residual, phi, twist = call(change)
                    left += weight / sizes[k] * np.concatenate((residual, phi))
                    fast += weight / sizes[k] * twist
                blocks[mine, :, k] = left[pattern.row[mine]]
                if not first:
                    twists[group, :, k] = fast[group]
        return blocks, twists

    def forward(self, change: Array, sources: Array | None = None) -> Array:
        n = self.n
        x0, v0 = change[:n], change[n : 2 * n]
        left = self.by_x.times(self._widened(x0)) + self.by_v.times(self._widened(v0))
        found = self.solve(-left if sources is None else -(left + sources))
        dn = found[:n]
        x1 = self._turned(self.across, x0) + self._turned(self.T, dn)
        v1 = self._turned(self.V_v, v0) + self._turned(self.V_n, dn)
        return np.concatenate((x1, v1, 0.0 * x1, 0.0 * x1, found[n:]))

    def backward(self, gradient: Array) -> tuple[Array, Array]:
        n = self.n
        gx, gv = gradient[:n], gradient[n : 2 * n]
        right = self._turned(self.T, gx, True) + self._turned(self.V_n, gv, True)
        equations = -self.solve(np.concatenate((right, gradient[4 * n :])), transposed=True)
        x0 = self._turned(self.across, gx, True) + self.by_x.times(equations, True)[:n]
        v0 = self._turned(self.V_v, gv, True) + self.by_v.times(equations, True)[:n]
        return np.concatenate((x0, v0, np.zeros(2 * n + self.m))), equations
