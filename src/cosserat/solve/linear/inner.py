"""States of laws in linear equations: M x" + D x' + K x + Phi^T lambda = f + push y, y' = rate y + position x + ..."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

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


def inner_at(point: OperatingPoint) -> Inner | None:
    """The states of laws about a point; None where no law owns any."""
    compiled, memory = point.compiled, point.memory
    ny, n = compiled.n_inner, compiled.n_nodes
    if ny == 0:
        return None
    loads, trial = compiled.system.state_loads, memory.problem.trial
    slope = np.zeros((len(loads.node), *memory.problem.owned.J.shape))
    slopes(memory.address, 0, slope)
    push, position, velocity = np.zeros((6 * n + 6, ny)), np.zeros((ny, 6 * n + 6)), np.zeros((ny, 6 * n + 6))
    rates = []
    for i, (a, b) in enumerate(loads.node):
        own = slice(loads.inner[i], loads.inner[i + 1])
        k = own.stop - own.start
        if k == 0:
            continue
        places = row_to_frame(loads.frame_a[i]), row_to_frame(loads.frame_b[i])
        at = [slice(6 * node, 6 * node + 6) for node in (a, b)]
        carry = [se3.adjoint(se3.inverse(place)) for place in places]
        J = slope[i, : 6 + k, : 24 + k]
        push[at[0], own] += carry[0].T @ J[:6, 24:]
        if loads.pair[i]:
            H_a, H_b = (row_to_frame(trial.frame[node]) @ place for node, place in zip((a, b), places, strict=True))
            across = se3.adjoint(se3.inverse(H_a) @ H_b)
            push[at[1], own] -= carry[1].T @ across.T @ J[:6, 24:]
        for side in range(2):
            position[own, at[side]] += J[6:, 12 * side : 12 * side + 6] @ carry[side]
            velocity[own, at[side]] += J[6:, 12 * side + 6 : 12 * side + 12] @ carry[side]
        rates.append(J[6:, 24:])
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
