"""What acts on rigid links besides gravity, at some states."""

from __future__ import annotations

import numpy as np

from cosserat.compile.tree_forces import TreeForces
from cosserat.kernels.flexible.arrays import Packed
from cosserat.kernels.recursion import table as layout
from cosserat.kernels.recursion.forces import (
    ActingOnLinks,
    StackedStates,
    acting_handles,
    add_force_derivatives,
    forces_call,
    room,
)
from cosserat.lie.protocol import Array


class LaneForces:
    """Forces of a model at states whose coordinates and velocities can be written anew.

    Parameters
    ----------
    forces : TreeForces
    table : array
        A table of the tree for these forces alone: kernels release the GIL and write into it.
    q, v : (N, n)
    out : (N, 6 n_links + n), optional
        Where to write; zeros.

    Attributes
    ----------
    q, v, own : arrays
        As above; `own` is out.
    """

    def __init__(self, forces: TreeForces, table: Array, q: Array, v: Array, out: Array | None = None) -> None:
        n, n_v = int(table[layout.N_LINKS]), q.shape[1]
        self.q, self.v, self.own = q, v, np.zeros((len(q), 6 * n + n_v)) if out is None else out
        states = StackedStates(table, q, v, forces.passive, forces.wrench, self.own)
        points = int(np.max(np.diff(forces.springs.start), initial=0))
        self._packed = Packed(acting_handles, ActingOnLinks(states, forces.springs, forces.loads, room(n, n_v, points)))
        self.act = forces_call(self._packed.address)

    def subtract_derivatives(self, dq: Array, dv: Array) -> None:
        """Take derivatives away from d tau/d q and d tau/d v (N, n, n), freedoms counted from link to link."""
        add_force_derivatives(self._packed.address, dq, dv)
