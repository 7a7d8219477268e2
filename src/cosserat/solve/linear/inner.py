"""States of laws in linear equations: M x" + D x' + K x + Phi^T lambda = f + push y, y' = rate y + position x + ..."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

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


class LawSlopes(NamedTuple):
    """Derivatives of one law: of its wrenches by its states, and of their rates by its places and by the states."""

    push: list[Array]  # (6, ny) for each place on which it acts
    position: list[Array]  # (ny, 6) by the frame of each place
    velocity: list[Array]  # (ny, 6) by its twist
    rate: Array  # (ny, ny)

    @classmethod
    def of(cls, laws: Any, i: int, J: Array) -> LawSlopes:
        """Those of law i of a group with ranges of places and states, from `kernels.arrays.Owned.J` there."""
        m, n, ny = laws.acts[i], laws.first[i + 1] - laws.first[i], laws.inner[i + 1] - laws.inner[i]
        J = J[: 6 * m + ny, : 12 * n + ny]
        by_motion = [J[6 * m :, 6 * k : 6 * k + 6] for k in range(2 * n)]
        push = [J[6 * k : 6 * k + 6, 12 * n :] for k in range(m)]
        return cls(push, by_motion[::2], by_motion[1::2], J[6 * m :, 12 * n :])


def inner_at(point: OperatingPoint) -> Inner | None:
    """The states of laws about a point; None where no law owns any."""
    compiled, memory = point.compiled, point.memory
    ny, n = compiled.n_inner, compiled.n_nodes
    if ny == 0:
        return None
    loads, trial = compiled.system.state_loads, memory.problem.trial
    slope = np.zeros((len(loads.acts), *memory.problem.owned.J.shape))
    slopes(memory.address, 0, slope)
    push, position, velocity = np.zeros((6 * n + 6, ny)), np.zeros((ny, 6 * n + 6)), np.zeros((ny, 6 * n + 6))
    rates = []
    for i, slope_of_law in enumerate(slope):
        own = slice(loads.inner[i], loads.inner[i + 1])
        if own.stop == own.start:
            continue
        found = LawSlopes.of(loads, i, slope_of_law)
        for side, p in enumerate(range(loads.first[i], loads.first[i + 1])):
            at = slice(6 * loads.node[p], 6 * loads.node[p] + 6)
            carry = se3.adjoint(se3.inverse(row_to_frame(loads.frame[p])))
            if side < loads.acts[i]:
                push[at, own] += carry.T @ found.push[side]
            position[own, at] += found.position[side] @ carry
            velocity[own, at] += found.velocity[side] @ carry
        rates.append(found.rate)
    of_velocity = csc_matrix(velocity[:, :-6])
    of_position = csc_matrix(position[:, :-6])
    if np.any(trial.twist[:n]):  # the twist of H exp(x) is v + x' + ad(v) x
        of_position = csc_matrix(of_position + of_velocity @ block_diag(bracket(trial.twist[:n])))
    if point.flow is not None and np.any(point.flow.spins):  # counted from frames that do not spin
        of_position = csc_matrix(of_position - of_velocity @ block_diag(bracket(point.flow.spins)))
    return Inner(csc_matrix(push[:-6]), of_position, of_velocity, csc_matrix(block_diag(rates)))


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
    elastic = matrices.elastic
    if elastic is not None:
        damping, stiffness = wide(elastic.damping, elastic.stiffness)
        strain = csc_matrix(hstack((elastic.strain, csc_matrix((elastic.strain.shape[0], ny)))))
        elastic = replace(elastic, strain=strain, stiffness=stiffness, damping=damping)
    phi = csc_matrix(hstack((matrices.constraints, csc_matrix((matrices.constraints.shape[0], ny)))))
    M = both(matrices.mass, None, None, csc_matrix((ny, ny)))
    return replace(matrices, mass=M, damping=D, stiffness=K, constraints=phi, elastic=elastic, inner=None)
