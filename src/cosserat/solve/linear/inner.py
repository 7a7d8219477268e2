"""States of laws in linear equations: M x" + D x' + K x + Phi^T lambda = f + push y, y' = rate y + position x + ..."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import block_array, block_diag, csc_matrix, hstack, identity

from cosserat.compile.compiled import row_to_frame
from cosserat.compile.series import bracket
from cosserat.kernels.law_states import slopes
from cosserat.lie import se3
from cosserat.lie.protocol import Array

if TYPE_CHECKING:
    from cosserat.solve.linear.matrices import Matrices
    from cosserat.solve.linear.point import OperatingPoint


@dataclass(frozen=True)
class Inner:
    """Forces push y (6n, ny) of states, and their rates y' = rate y + position x + velocity x'."""

    push: csc_matrix  # (6n, ny)
    position: csc_matrix  # (ny, 6n)
    velocity: csc_matrix  # (ny, 6n)
    rate: csc_matrix  # (ny, ny)

    def steady_stiffness(self) -> csc_matrix:
        """What is added to the stiffness where the states follow at once: push rate^-1 position."""
        from scipy.sparse.linalg import splu

        return csc_matrix(self.push @ csc_matrix(splu(csc_matrix(self.rate)).solve(self.position.toarray())))

    def scaled(self, motion: Array, inertia: float, rate: float) -> Inner:
        """The same without units; states in units of their own, in which their forces are of the order of one."""
        S = csc_matrix((motion, (np.arange(len(motion)),) * 2))
        push = csc_matrix(S @ self.push / (inertia * rate**2))
        size = np.sqrt(np.asarray(push.multiply(push).sum(axis=0)).ravel())
        unit = 1.0 / np.where(size > 0.0, 2.0 ** np.round(np.log2(np.where(size > 0.0, size, 1.0))), 1.0)
        U, V = (csc_matrix((u, (np.arange(len(unit)),) * 2)) for u in (unit, 1.0 / unit))
        return Inner(
            csc_matrix(push @ U),
            csc_matrix(V @ self.position @ S / rate),
            csc_matrix(V @ self.velocity @ S),
            csc_matrix(V @ self.rate @ U / rate),
        )

    def typical_rate(self, motion: Array, inertia: float) -> float:
        """Rate (1/s) of motions that only states push, in the units given: y' = q gives s^3, y' = q' gives s^2."""
        push = abs(self.push.multiply(motion[:, None])).max(axis=0).toarray().ravel()
        pull = [abs(A.multiply(motion)).max(axis=1).toarray().ravel() for A in (self.position, self.velocity)]
        cubic, square = (float(np.max(push * p, initial=0.0)) / inertia for p in pull)
        return float(max(np.cbrt(cubic), np.sqrt(square)))

    def projected(self, motions: Array, rates: Array) -> Inner:
        """For motions x = N q, N and its time derivative given."""
        return Inner(
            csc_matrix(motions.T @ self.push),
            csc_matrix(self.position @ motions + self.velocity @ rates),
            csc_matrix(self.velocity @ motions),
            self.rate,
        )


def inner_of(laws: Any, J: Array, n: int, motion: Callable[[int, int], tuple[Array, Array | None]]) -> Inner:
    """States of a group of laws with ranges of places and states, whose derivatives J are `kernels.arrays.Owned.J`.

    `motion` gives, for a law and one of its places, the twist of the place by velocities (6, n) and, if it has any, by
    the unknowns themselves.
    """
    ny = int(laws.inner[-1])
    push, position, velocity, rates = np.zeros((n, ny)), np.zeros((ny, n)), np.zeros((ny, n)), []
    for i, slope in enumerate(J):
        own, m, places = slice(*laws.inner[i : i + 2]), laws.acts[i], laws.first[i + 1] - laws.first[i]
        count = own.stop - own.start
        if not count:
            continue
        of_rates = slope[6 * m : 6 * m + count]
        rates.append(of_rates[:, 12 * places : 12 * places + count])
        for side in range(places):
            rows, drift = motion(i, side)
            by_frame, by_twist = np.split(of_rates[:, 12 * side : 12 * side + 12], 2, axis=1)
            if side < m:
                push[:, own] += rows.T @ slope[6 * side : 6 * side + 6, 12 * places : 12 * places + count]
            position[own] += by_frame @ rows
            velocity[own] += by_twist @ rows
            if drift is not None:
                position[own] += by_twist @ drift
    return Inner(csc_matrix(push), csc_matrix(position), csc_matrix(velocity), csc_matrix(block_diag(rates)))


def inner_at(point: OperatingPoint) -> Inner | None:
    """The states of laws about a point; None where no law owns any."""
    compiled, memory, n = point.compiled, point.memory, point.compiled.n_nodes
    if compiled.n_inner == 0:
        return None
    loads, twist = compiled.system.state_loads, memory.problem.trial.twist[:n]
    slope = np.zeros((len(loads.acts), *memory.problem.owned.J.shape))
    slopes(memory.address, 0, slope)

    def motion(i: int, side: int) -> tuple[Array, None]:
        p, rows = loads.first[i] + side, np.zeros((6, 6 * n + 6))
        rows[:, 6 * loads.node[p] : 6 * loads.node[p] + 6] = se3.adjoint(se3.inverse(row_to_frame(loads.frame[p])))
        return rows[:, : 6 * n], None

    found = inner_of(loads, slope, 6 * n, motion)
    # the twist of H exp(x) is v + x' + ad(v) x; in a steady motion x counts from frames that do not spin
    turning = twist if point.flow is None else twist - point.flow.spins
    if np.any(turning):
        found = replace(found, position=csc_matrix(found.position + found.velocity @ block_diag(bracket(turning))))
    return found


def joined(matrices: Matrices) -> Matrices:
    """The equations of (x, y) as one system without states of laws: rows of y have no mass."""
    inner = matrices.inner
    assert inner is not None
    ny = inner.rate.shape[0]

    def both(a: csc_matrix, b: csc_matrix | None, c: csc_matrix | None, d: csc_matrix) -> csc_matrix:
        return csc_matrix(block_array([[a, b], [c, d]], format="csc"))

    def wide(damping: csc_matrix, stiffness: csc_matrix) -> tuple[csc_matrix, csc_matrix]:
        return (
            both(damping, None, -inner.velocity, identity(ny, format="csc")),
            both(stiffness, -inner.push, -inner.position, -inner.rate),
        )

    D, K = wide(matrices.damping, matrices.stiffness)
    parts = matrices.parts
    damping, stiffness = wide(parts.damping, parts.stiffness)
    strain = csc_matrix(hstack((parts.strain, csc_matrix((parts.strain.shape[0], ny)))))
    elastic = replace(parts, strain=strain, stiffness=stiffness, damping=damping)
    phi = csc_matrix(hstack((matrices.constraints, csc_matrix((matrices.constraints.shape[0], ny)))))
    M = both(matrices.mass, None, None, csc_matrix((ny, ny)))
    return replace(matrices, mass=M, damping=D, stiffness=K, constraints=phi, elastic=elastic, inner=None)
