"""Implicit steps of a tree that has neither constraints nor springs, compiled as a whole."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.kernels.flexible import articulated, implicit
from cosserat.kernels.flexible.arrays import Packed
from cosserat.results.status import Outcome
from cosserat.solve.motion.floating_state import Drives, Point, StepFailure
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.flexible_tree import FlexibleTree

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_OUTCOMES = {implicit.NOT_CONVERGED: Outcome.NOT_CONVERGED, implicit.NOT_FINITE: Outcome.NOT_FINITE}


class PassiveBlocks(NamedTuple):
    """Damping and stiffness of bodies and joints: a block for every link, one after another."""

    damping: Array  # (n_pivots,)
    stiffness: Array
    diagonal: Ints  # (n_v,) where the diagonal is
    columns: Ints  # (n_v,) coordinates of the diagonal
    modal: Ints  # (n_v,) 1 where a coordinate is modal


def passive_blocks(tree: FlexibleTree) -> PassiveBlocks:
    """Blocks of a tree."""
    forces, links = tree.forces, tree.data.links
    damping, stiffness, diagonal = [np.zeros(0)], [np.zeros(0)], [np.zeros(0, dtype=np.int64)]
    modal = np.zeros(len(tree.coordinates), dtype=np.int64)
    at = 0
    for link in links:
        n, k = len(link.columns), len(link.columns) - link.n_modes
        D, K = np.diag(forces.damping[link.columns]), np.diag(forces.stiffness[link.columns])
        if link.modal is not None:
            D[k:, k:] += link.modal.damping
            K[k:, k:] += link.modal.stiffness
            modal[link.columns[k:]] = 1
        damping.append(D.ravel())
        stiffness.append(K.ravel())
        diagonal.append(at + (n + 1) * np.arange(n))
        at += n * n
    columns = np.concatenate([link.columns for link in links])
    return PassiveBlocks(
        np.concatenate(damping), np.concatenate(stiffness), np.concatenate(diagonal), columns, modal
    )  # fmt: skip


class CompiledStep:
    """Memory of `kernels.flexible.implicit.implicit_step`.

    Parameters
    ----------
    tree : FlexibleTree
    drives : Drives
    blocks : PassiveBlocks
    numbers : (6,)
        Of the method: step, alpha_m, alpha_f, gamma, beta, tolerance.
    limits : (3,)
        Size of rounding errors, what is slow, most iterations.
    largest : (2,)
        What counts as a large acceleration of a joint and of a mode, at least; kept up to date.
    """

    def __init__(
        self, tree: FlexibleTree, drives: Drives, blocks: PassiveBlocks, numbers: Array, limits: Array, largest: Array
    ) -> None:  # fmt: skip
        self._tree, self._drives = tree, drives
        sizes, n = tree.data.arrays, len(tree.coordinates)
        self._fixed, self._free = Motions(tree.data), Motions(tree.data)
        for room in (self._fixed, self._free):
            room.vectors.ground[:] = tree.ground
        self._factored = sizes.new_factor()
        self.numbers = np.concatenate((numbers, limits, largest, np.zeros(1)))
        self.counters = np.zeros(2, dtype=np.int64)
        held = drives.held.astype(np.int64)
        driven = np.asarray(drives.columns, dtype=np.int64)
        q, v, a, carried, delta, right, change = np.zeros((7, n))
        self._arrays = implicit.Stepping(
            implicit.Known(*np.zeros((4, n))),
            implicit.Trial(q, v, a, carried, delta, right, change, np.zeros(sizes.n_z), np.zeros(6)),
            implicit.Passive(
                blocks.damping, blocks.stiffness, np.zeros(len(blocks.damping)), blocks.diagonal, blocks.columns,
                tree.forces.friction.copy(), tree.forces.speed.copy(), held, blocks.modal,
            ),
            implicit.Method(self.numbers, driven, np.zeros((3, len(driven))), self.counters),
        )  # fmt: skip
        self._packed = Packed(implicit.stepping_handles, self._arrays)
        where = tree.data.arrays.tree, tree.forces.address, self._fixed.address
        implicit.load_step(*where, self._factored.address, self._packed.address, self._arrays)

    def take(self, old: Point, before: Array, h: float) -> Point:
        """A step; `before`: the algorithmic accelerations that belong to one of this length."""
        known, trial, t = self._arrays.known, self._arrays.trial, old.t + h
        known.q[:], known.v[:], known.a[:], known.carried[:] = old.q, old.v, old.a, before
        self.numbers[implicit.STEP] = h
        if len(self._arrays.method.driven):
            self._arrays.method.motion[:] = self._drives.at(t)
        self._tree.forces.set_time(t)
        code = implicit.implicit_step(
            self._tree.data.arrays.tree, self._tree.forces.address, self._fixed.address, self._free.address,
            self._factored.address, self._packed.address,
        )  # fmt: skip
        if code != implicit.CONVERGED:
            raise StepFailure(_OUTCOMES[code])
        q, v, a, carried = trial.q.copy(), trial.v.copy(), trial.a.copy(), trial.carried.copy()
        return Point(t, q, v, a, carried, h, old.force, old.angles)

    def divided(self, right: Array) -> Array:
        """What the iteration matrix of the last step makes of a right-hand side."""
        trial, out = self._arrays.trial, np.zeros(len(right))
        articulated.solve_once(
            self._tree.data.arrays.tree, self._fixed.address, self._factored.address, right, trial.nothing, 0,
            trial.still, out,
        )  # fmt: skip
        return out

    @property
    def extra(self) -> Array:
        """What the iteration matrix of the last step has besides the mass matrix."""
        return self._arrays.passive.extra
