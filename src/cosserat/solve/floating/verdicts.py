"""What spoils motions in floating frames, and what to say: links that bend further than their modes can tell, mass
matrices that are no longer positive, steps that led past a dead point.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.modal_dynamics import Seat
from cosserat.compile.tree import TreeData
from cosserat.lie.protocol import Array
from cosserat.results.status import Status
from cosserat.solve.floating.state import States
from cosserat.solve.motion.failures import first_leap
from cosserat.solve.relative.coordinates import Drives
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.tree_constraints import TreeConstraints

_FAR = 1.0 / 3.0  # of its size: a link that bends farther is told of
_MOST = 400  # states that are looked at
_RANK = 1e-8  # singular values below this part of the largest belong to redundant rows


def bent_far(data: TreeData, seats: Sequence[Seat], q: Array) -> list[str]:
    """Sentences about links whose seats move by more than a third of their size in the link's own frame.

    Parameters
    ----------
    seats : sequence of Seat
        Places all over the links.
    q : (nt, n)
        Coordinates of the tree at the stored times.
    """
    out = []
    for k, link in enumerate(data.links):
        on = [seat for seat in seats if seat.link == k]
        moving = [seat.interface for seat in on if seat.interface is not None]
        modal = q[:, link.first_mode : link.first_mode + link.n_modes]
        if not moving or not np.isfinite(modal).all():
            continue
        at_rest = [(seat.frame if seat.interface is None else seat.interface.frame @ seat.frame)[:3, 3] for seat in on]
        size = float(np.linalg.norm(np.ptp(at_rest, axis=0)))
        moved = max(float(np.linalg.norm(modal @ end.shape[:3].T, axis=1).max()) for end in moving)
        if moved > _FAR * size > 0.0:
            out.append(
                f"{link.name!r} bends by {moved / size:.2f} of its length, seen from where its modes are held; they "
                "are right up to about a tenth, and a thin one may roll about its axis; use boundary='free' if it "
                "flies, or the Galilean formulation"
            )
    return out


def indefinite(tree: FlexibleTree, held: NDArray[np.bool_], times: Array, q: Array) -> str:
    """When the mass matrix of what is not prescribed, at states q (nt, n), is not positive first, in words; or ''.

    Of beams and solids it always is; of modal bodies whose tensors were given, if they are those of one mass.
    """
    free = np.flatnonzero(~held)
    for k in np.unique(np.linspace(0, len(times) - 1, min(len(times), _MOST)).astype(int)):
        if not np.isfinite(q[k]).all():
            break
        try:
            np.linalg.cholesky(tree.mass_matrix(q[k])[np.ix_(free, free)])
        except np.linalg.LinAlgError:
            return (
                f"from t = {times[k]:.4g} s on the mass matrix is not positive: the tensors of the modal bodies do not "
                "belong to one mass that moves with the shapes; give cross_coupling, inertia_gradient and "
                "inertia_hessian of the same fields, as ModalInertia.from_fields does"
            )
    return ""


def leap_of_tree(
    tree: FlexibleTree, times: Array, states: States, drives: Drives, constraints: TreeConstraints
) -> Status | None:
    """How a run ends in which a loop that drives leave no freedom steps past a dead point; None: none does.

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
    return found.status(tree.coordinates[plain[found.place]])


def _rank(tree: FlexibleTree, times: Array, states: States, drives: Drives, constraints: TreeConstraints) -> int:
    """How many coordinates loops determine: rows may imply one another, and a single pose may be singular."""
    angles, rank = constraints.closed.rows.before.copy(), 0
    for k in (0, len(times) // 2, -1):
        now = Motions(tree.data).move(states.q[k], states.v[k])
        A = constraints.at(now, states.q[k], float(times[k]), angles).A
        rank = max(rank, int(np.linalg.matrix_rank(A[:, ~drives.held], rtol=_RANK)))
    return rank
