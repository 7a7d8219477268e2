"""Stacks of states, split over threads; every part has a workspace of its own, for the GIL is released."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.tree_forces import TreeForces
from cosserat.errors import SolveError
from cosserat.kernels.recursion import batch
from cosserat.kernels.recursion import table as layout
from cosserat.kernels.recursion.forces import add_force_derivatives, model_forces, room
from cosserat.solve.relative.states import StateChecker

Array = NDArray[np.float64]
_Part = Callable[..., int]


class Batches:
    """The algorithms of a `Tree` over stacks of N states: (N, n) in, (N, n) or (N, n, n) out."""

    def __init__(self, table: Array, forces: TreeForces, check: StateChecker) -> None:
        self._table, self._forces, self._check = table, forces, check
        self._size = int(table[layout.N_LINKS]), int(table[layout.N_V])
        self._forced = forces.present

    def inverse_dynamics(self, q: Array, v: Array, a: Array, tau: Array, threads: int) -> Array:
        """Efforts."""

        def part(q: Array, v: Array, a: Array, tau: Array) -> int:
            table, own = self._own_forces(q, v)
            return batch.inverse_dynamics(table, q, v, a, own, batch.workspace(table), tau)

        self._run("inverse_dynamics", part, {"q": q, "v": v, "a": a}, [tau], threads)
        return tau

    def gravity_forces(self, q: Array, tau: Array, threads: int) -> Array:
        """Efforts that hold the weight."""

        def part(q: Array, tau: Array) -> int:
            table = self._table.copy()
            table[layout.FORCES] = 0.0
            rest = np.zeros(q.shape)
            return batch.inverse_dynamics(table, q, rest, rest, self._no_forces(), batch.workspace(table), tau)

        self._run("gravity_forces", part, {"q": q}, [tau], threads)
        return tau

    def forward_dynamics(self, q: Array, v: Array, tau: Array, a: Array, threads: int) -> Array:
        """Accelerations."""
        self._run("forward_dynamics", self._accelerate, {"q": q, "v": v, "tau": tau}, [a], threads)
        return a

    def _accelerate(self, q: Array, v: Array, tau: Array, a: Array) -> int:
        table, own = self._own_forces(q, v)
        return int(batch.forward_dynamics(table, q, v, tau, own, batch.workspace(table), a))

    def hybrid_dynamics(
        self, q: Array, v: Array, driven: Array, given: Array, wrenches: Array | None, out: list[Array], threads: int
    ) -> None:
        """Accelerations and efforts to `out`; wrenches (N, n_links, 6) or None."""

        def part(q: Array, v: Array, given: Array, *more: Array) -> int:
            table, own = self._own_forces(q, v, wrenches is not None)
            if wrenches is not None:
                own[:, : 6 * self._size[0]] += more[0].reshape(len(q), -1)
            return batch.hybrid_dynamics(table, q, v, driven, given, own, batch.workspace(table), *more[-2:])

        states = {"q": q, "v": v, "given": given} | ({} if wrenches is None else {"wrenches": wrenches})
        self._run("hybrid_dynamics", part, states, out, threads)

    def mass_matrix(self, q: Array, M: Array, threads: int) -> None:
        """Mass matrices, freedoms counted from link to link."""
        self._run(
            "mass_matrix", lambda q, M: batch.mass_matrix(self._table.copy(), q, M), {"q": q}, [M], threads
        )

    def inverse_dynamics_derivatives(self, states: dict[str, Array], out: list[Array], threads: int) -> None:
        """d tau/d q, d tau/d v, M, freedoms counted from link to link."""

        self._run("inverse_dynamics_derivatives", self._differentiate, states, out, threads)

    def _differentiate(self, q: Array, v: Array, a: Array, dq: Array, dv: Array, M: Array) -> int:
        table = self._table.copy()
        status = batch.inverse_dynamics_derivatives(table, q, v, a, dq, dv, M)
        if self._forced:
            forces = self._forces
            arrays = (forces.springs, forces.loads, forces.passive, forces.wrench)
            add_force_derivatives(table, q, v, *arrays, room(*self._size), dq, dv)
        return int(status)

    def forward_dynamics_derivatives(self, states: dict[str, Array], out: list[Array], threads: int) -> None:
        """d a/d q, d a/d v, M^-1, freedoms counted from link to link, and a."""
        n_v = self._size[1]

        def part(q: Array, v: Array, tau: Array, dq: Array, dv: Array, dtau: Array, a: Array) -> int:
            status = self._accelerate(q, v, tau, a)
            if status == 0:
                self._differentiate(q, v, a, dq, dv, dtau)
                batch.divide_by_mass(np.empty((3, n_v, n_v)), dq, dv, dtau)
            return status

        self._run("forward_dynamics_derivatives", part, states, out, threads)

    def _no_forces(self) -> Array:
        n, n_v = self._size
        return np.empty((0, 6 * n + n_v))

    def _own_forces(self, q: Array, v: Array, asked: bool = False) -> tuple[Array, Array]:
        """A table and the model's own forces (N, 6 n + n_v), zeros if asked for where the model has none."""
        if not self._forced and not asked:
            return self._table, self._no_forces()
        table = self._table.copy()
        table[layout.FORCES] = 1.0
        n, n_v = self._size
        own = np.zeros((len(q), 6 * n + n_v))
        if self._forced:
            forces = self._forces
            arrays = (forces.springs, forces.loads, forces.passive, forces.wrench)
            model_forces(table, q, v, *arrays, room(n, n_v), own)
        return table, own

    def _run(self, call: str, part: _Part, states: dict[str, Array], out: list[Array], threads: Any) -> None:
        """Call part(*states, *out) with slices of both, one for each thread; it returns 0 if all was finite."""
        if not isinstance(threads, Integral) or threads < 1:
            raise SolveError(f"{call}: threads is {threads!r}; pass a number of threads, 1 or more")
        arrays = [*states.values(), *out]
        if threads == 1:
            sound = part(*arrays) == 0
        else:
            count, threads = len(arrays[0]), int(threads)
            part(*(x[:1] for x in arrays))  # compiles, if nothing is compiled yet
            with ThreadPoolExecutor(threads) as pool:
                ends = [(count * k // threads, count * (k + 1) // threads) for k in range(threads)]
                sound = all(list(pool.map(lambda e: part(*(x[e[0] : e[1]] for x in arrays)) == 0, ends)))
        if not sound:
            self._check.demand_finite(call, states)
