"""Stacks of states, split over threads; every part has a workspace of its own, for the GIL is released.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import Any

import numpy as np

from cosserat.compile.tree_forces import TreeForces
from cosserat.errors import SolveError
from cosserat.kernels.flexible.arrays import Packed
from cosserat.kernels.recursion import batch
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


class Batches:
    """The algorithms of a `LaneEngine` over stacks of N states: (N, n) in, (N, n) or (N, n, n) out.

    Methods return 0 if all was finite. Freedoms of matrices are counted from link to link.
    """

    def __init__(self, table: Array, forces: TreeForces) -> None:
        self._table, self._forces = table, forces
        self._size = int(table[layout.N_LINKS]), int(table[layout.N_V])

    def run(self, call: str, states: list[Array], out: list[Array], threads: int) -> int:
        """The method with this name, with a slice of the states for each thread."""
        part: Callable[..., int] = getattr(self, call)
        arrays = [*states, *out]
        if threads == 1:
            return part(*arrays)
        count, threads = len(arrays[0]), int(threads)
        part(*(x[:1] for x in arrays))  # compiles, if nothing is compiled yet
        with ThreadPoolExecutor(threads) as pool:
            ends = [(count * k // threads, count * (k + 1) // threads) for k in range(threads)]
            return max(pool.map(lambda e: part(*(x[e[0] : e[1]] for x in arrays)), ends))

    @staticmethod
    def demand_threads(call: str, threads: Any) -> None:
        """Raise for anything but a number of threads."""
        if not isinstance(threads, Integral) or threads < 1:
            raise SolveError(f"{call}: threads is {threads!r}; pass a number of threads, 1 or more")

    def inverse_dynamics(self, q: Array, v: Array, a: Array, tau: Array) -> int:
        """Efforts."""
        own = self.own_forces(q, v)
        return batch.inverse_dynamics(self._table, q, v, a, own, batch.workspace(self._table), tau)

    def gravity_forces(self, q: Array, tau: Array) -> int:
        """Efforts that hold the weight."""
        table, rest = self._table.copy(), np.zeros(q.shape)
        table[layout.FORCES] = 0.0
        return batch.inverse_dynamics(table, q, rest, rest, self._no_forces(), batch.workspace(table), tau)

    def forward_dynamics(self, q: Array, v: Array, tau: Array, a: Array) -> int:
        """Accelerations."""
        own = self.own_forces(q, v)
        return batch.forward_dynamics(self._table, q, v, tau, own, batch.workspace(self._table), a)

    def hybrid_dynamics(self, q: Array, v: Array, driven: Array, given: Array, a: Array, tau: Array) -> int:
        """Accelerations and efforts; the same freedoms are driven in all states."""
        own, work = self.own_forces(q, v), batch.workspace(self._table)
        return batch.hybrid_dynamics(self._table, q, v, driven[0], given, own, work, a, tau) if len(q) else 0

    def mass_matrix(self, q: Array, M: Array) -> int:
        """Mass matrices."""
        return batch.mass_matrix(self._table.copy(), q, M)

    def inverse_dynamics_derivatives(self, q: Array, v: Array, a: Array, dq: Array, dv: Array, M: Array) -> int:
        """d tau/d q, d tau/d v, M."""
        table = self._table.copy()
        status = batch.inverse_dynamics_derivatives(table, q, v, a, dq, dv, M)
        if self._forces.present:
            LaneForces(self._forces, table, q, v).subtract_derivatives(dq, dv)
        return status

    def forward_dynamics_derivatives(
        self, q: Array, v: Array, tau: Array, dq: Array, dv: Array, dtau: Array, a: Array
    ) -> int:  # fmt: skip
        """d a/d q, d a/d v, M^-1 and a."""
        status = self.forward_dynamics(q, v, tau, a)
        if status == 0:
            self.inverse_dynamics_derivatives(q, v, a, dq, dv, dtau)
            batch.divide_by_mass(np.empty((3, *dq.shape[1:])), dq, dv, dtau)
        return status

    def _no_forces(self) -> Array:
        n, n_v = self._size
        return np.empty((0, 6 * n + n_v))

    def own_forces(self, q: Array, v: Array) -> Array:
        """What acts in the model besides gravity (N, 6 n + n_v), if anything does."""
        if not self._forces.present:
            return self._no_forces()
        forces = LaneForces(self._forces, self._table.copy(), q, v)
        forces.act()
        return forces.own


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
