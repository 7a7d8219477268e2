"""Whether steps of a driven loop in floating frames led past a dead point."""

from __future__ import annotations

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.solve.floating.state import Drives, States
from cosserat.solve.motion.branches import first_leap
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.tree_constraints import TreeConstraints

_RANK = 1e-8  # singular values below this part of the largest belong to redundant rows


def leap_of_tree(
    tree: FlexibleTree, times: Array, states: States, drives: Drives, constraints: TreeConstraints
) -> tuple[float, str] | None:
    """When a loop that drives leave no freedom steps past a dead point, and words about it.

    Velocities of spherical and free joints are no rates of coordinates: what these do, other joints of the loop tell.
    """
    free = int(np.count_nonzero(~drives.held))
    if constraints.driven or not drives.held.any() or not 0 < free <= constraints.n_rows:
        return None
    turning = [k for link in tree.data.links if link.n_v > 1 for k in link.freedoms]
    plain = np.setdiff1d(np.arange(len(tree.coordinates)), turning)
    given = drives.sample(times)
    q, v = states.q[:, plain, None], states.v[:, plain, None]
    found = first_leap(times, q, v, given[:, 0], given[:, 1])
    if found is None or _rank(tree, times, states, drives, constraints) < free:
        return None
    return found.time, found.told(repr(tree.coordinates[plain[found.place]]))


def _rank(tree: FlexibleTree, times: Array, states: States, drives: Drives, constraints: TreeConstraints) -> int:
    """How many coordinates loops determine: rows may imply one another, and a single pose may be singular."""
    angles, rank = constraints.closed.rows.before.copy(), 0
    for k in (0, len(times) // 2, -1):
        now = Motions(tree.data).move(states.q[k], states.v[k])
        A = constraints.at(now, states.q[k], float(times[k]), angles).A
        rank = max(rank, int(np.linalg.matrix_rank(A[:, ~drives.held], rtol=_RANK)))
    return rank
