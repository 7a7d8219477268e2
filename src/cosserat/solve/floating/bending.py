"""How far elastic links bend in a run, and what to say where that is more than their modes can tell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cosserat.compile.modal_dynamics import Seat
from cosserat.compile.tree import TreeData
from cosserat.lie.protocol import Array

_FAR = 1.0 / 3.0  # of its size: a link that bends farther is told of


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
