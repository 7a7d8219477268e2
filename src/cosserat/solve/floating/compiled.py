"""Implicit steps of a tree without springs, compiled as a whole; `closed` adds loops to them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.kernels.flexible import articulated, implicit
from cosserat.kernels.flexible.arrays import Packed
from cosserat.results.status import Outcome
from cosserat.solve.floating.state import Drives, Point, StepFailure
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
        self.n_v, self.n_z = n, sizes.n_z
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
                tree.forces.friction.copy(), tree.forces.speed.copy(), tree.forces.servo, tree.forces.target, held,
                blocks.modal,
            ),
            implicit.Method(self.numbers, driven, np.zeros((3, len(driven))), self.counters),
        )  # fmt: skip
        self._packed = Packed(implicit.stepping_handles, self._arrays)
        address, acting, fixed, _, factored, stepping = self.addresses
        implicit.load_step(address, acting, fixed, factored, stepping, self._arrays)

    @property
    def now(self) -> Motions:
        """The links at the state that was found last, unless it was the factored one."""
        return self._free

    @property
    def addresses(self) -> tuple[Any, ...]:
        """What kernels take: tree, what acts, the factored state, another one, factors, the step."""
        rooms = self._fixed.address, self._free.address
        tree = self._tree
        return tree.data.arrays.tree, tree.forces.address, *rooms, self._factored.address, self._packed.address

    def begin(self, old: Point, before: Array, h: float) -> None:
        """Get ready for a step; `before`: the algorithmic accelerations that belong to one of this length."""
        known, t = self._arrays.known, old.t + h
        known.q[:], known.v[:], known.a[:], known.carried[:] = old.q, old.v, old.a, before
        self._arrays.trial.a[:] = old.a
        self.numbers[implicit.STEP] = h
        if len(self._arrays.method.driven):
            self._arrays.method.motion[:] = self._drives.at(t)
        self._tree.forces.set_time(t)

    def end(self, old: Point, h: float, code: int) -> Point:
        """The state that was found; raises `StepFailure` if none was."""
        if code != implicit.CONVERGED:
            raise StepFailure(_OUTCOMES[code])
        trial = self._arrays.trial
        q, v, a, carried = trial.q.copy(), trial.v.copy(), trial.a.copy(), trial.carried.copy()
        return Point(old.t + h, q, v, a, carried, h, old.force, old.angles)

    def take(self, old: Point, before: Array, h: float) -> Point:
        """A step without constraints."""
        self.begin(old, before, h)
        return self.end(old, h, implicit.implicit_step(*self.addresses))

    def solve(self, right: Array) -> Array:
        """What the iteration matrix of the last step makes of right-hand sides, (n,) or one per row."""
        tree, _, fixed, _, factored, _ = self.addresses
        sets, still = np.ascontiguousarray(np.atleast_2d(right)), self._arrays.trial.still
        out = np.zeros(sets.shape)
        articulated.solve(tree, fixed, factored, sets, np.zeros((len(sets), self.n_z)), 0, still, out)
        return out.reshape(right.shape)

    @property
    def extra(self) -> Array:
        """What the iteration matrix of the last step has besides the mass matrix."""
        return self._arrays.passive.extra
