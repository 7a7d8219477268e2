"""Initial velocities that the joints allow: what was given is kept, the rest follows.

Among all velocities that satisfy joints and prescribed motions, those with the least strain rate in the beams are
taken, and among equals the one with the least kinetic energy. Nothing is weighed against anything: the second is
decided only among minima of the first, so that neither slenderness nor units change the answer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, qr, solve_triangular
from scipy.sparse import block_array, bsr_matrix, csr_matrix, diags, identity
from scipy.sparse.linalg import splu

from cosserat.compile.compiled import CompiledModel
from cosserat.lie.protocol import Array
from cosserat.solve.gradients import constraint_gradients, element_strains, every_row, nodal_matrix
from cosserat.solve.memory import Memory, assemble_blocks

_ALMOST_RIGID = 1e-13  # compliance of the beams, in units of length over mass, that counts as none
_RIGID = 1e-8  # strain rate, relative to the velocities, up to which beams move as rigid bodies
_LARGEST_DENSE = 3000  # unknowns
_RANK = 1e-11
_ROUNDS = 40


class VelocitySystem(NamedTuple):
    """Linear equations in the velocities, turns counted with a length: kinetic energy, strain rates, constraints."""

    mass: csr_matrix  # (6n, 6n)
    strain: csr_matrix  # (6 ne, 6n)
    stiffness: Array  # (ne, 6, 6) of the strain rows
    joints: csr_matrix  # (m, 6n)


def least_velocities(compiled: CompiledModel, memory: Memory, wanted: Array) -> Array:
    """Twists (n, 6) with constraint rates Phi v = wanted (groups, 6); those given in the model stay as they are.

    The state must be the trial state, at rest. Where no velocities satisfy all constraints the misfit is the least.
    """
    n = compiled.n_nodes
    unit = np.tile([1.0, 1.0, 1.0, *(3 * [compiled.length])], n)
    rows = _rows(compiled, memory, unit)
    right = np.concatenate([rows @ values for rows, values in zip(every_row(compiled), wanted, strict=True)])
    norms = np.sqrt(np.asarray(rows.joints.multiply(rows.joints).sum(axis=1)).ravel())
    norms[norms == 0.0] = 1.0
    rows = rows._replace(joints=(diags(1.0 / norms) @ rows.joints).tocsr())
    given = np.repeat(compiled.given[:n], 3, axis=1).ravel()
    v = compiled.twists[:n].ravel() * unit
    free = np.nonzero(~given)[0]
    known = np.where(given, v, 0.0)
    reduced = rows._replace(
        mass=rows.mass[free][:, free], strain=rows.strain[:, free].tocsr(), joints=rows.joints[:, free].tocsr()
    )
    pull = -(rows.mass @ known)[free]
    found = _solved(reduced, pull, -(rows.strain @ known), right / norms - rows.joints @ known)
    v[free] = found
    return np.asarray((v / unit).reshape(n, 6))


def _solved(rows: VelocitySystem, pull: Array, strain: Array, right: Array) -> Array:
    """v with strain rates P v - `strain` as small as the constraints allow, and then the least energy."""
    if not rows.mass.shape[0]:
        return np.zeros(0)
    v = _saddle(rows, _ALMOST_RIGID * identity(len(strain)), pull, strain, right, 3)
    left = np.abs(rows.strain @ v - strain).max(initial=0.0)
    if left <= _RIGID * max(np.abs(v).max(initial=0.0), np.abs(strain).max(initial=0.0)):
        return v
    if rows.mass.shape[0] <= _LARGEST_DENSE:
        return _dense(rows, pull, strain, right)
    softest = min(float(np.linalg.eigvalsh(K)[0]) for K in rows.stiffness)
    compliance = bsr_matrix(
        (1e-6 * softest * np.linalg.inv(rows.stiffness), np.arange(len(rows.stiffness)),
         np.arange(len(rows.stiffness) + 1))
    )  # fmt: skip
    return _saddle(rows, compliance, pull, strain, right, _ROUNDS)


def _saddle(
    rows: VelocitySystem, compliance: csr_matrix, pull: Array, strain: Array, right: Array, rounds: int
) -> Array:
    """Proximal steps: each has the least strain rate, divided by the compliance, plus energy of its change."""
    m = len(right)
    system = block_array(
        [[rows.mass, rows.strain.T, rows.joints.T], [rows.strain, -compliance, None],
         [rows.joints, None, -_ALMOST_RIGID * identity(m)]], format="csc",
    )  # fmt: skip
    factors, n = splu(system), rows.mass.shape[0]
    base = pull.copy()
    v, multipliers = np.zeros(n), np.zeros(m)
    for _ in range(rounds):
        x = factors.solve(np.concatenate((base, strain, right - _ALMOST_RIGID * multipliers)))
        change = np.abs(x[:n] - v).max(initial=0.0)
        v, multipliers = x[:n], x[n + len(strain) :]
        if change <= 1e-14 * np.abs(v).max(initial=0.0):
            break
        base = rows.mass @ v  # energy is that of the change from here on: a step along the least strain rates
    return v


def _dense(rows: VelocitySystem, pull: Array, strain: Array, right: Array) -> Array:
    """The same by orthogonal decompositions, where beams cannot move as rigid bodies."""
    weight, P = np.linalg.cholesky(rows.stiffness), rows.strain.toarray()
    P = np.einsum("eji,ejk->eik", weight, P.reshape(len(weight), 6, -1)).reshape(P.shape)
    s = np.einsum("eji,ej->ei", weight, strain.reshape(-1, 6)).ravel()
    return least_motion(cholesky(rows.mass.toarray()), pull, rows.joints.toarray(), right, P, s)


def least_motion(R: Array, pull: Array, rows: Array, right: Array, strains: Array, strain: Array) -> Array:
    """v with `rows` v = `right`, `strains` v - `strain` as small as that allows, and among equals the least energy.

    The energy is |R v|^2/2 - `pull`.v, R upper triangular.
    """
    start = solve_triangular(R, pull, trans=1)  # y = R v: least energy without anything else
    A, P = (solve_triangular(R, matrix.T, trans=1).T for matrix in (rows, strains))
    y = start + np.linalg.lstsq(A, right - A @ start, rcond=_RANK)[0]
    Q, triangle, _ = qr(A.T, mode="full", pivoting=True)
    size = np.abs(np.diag(triangle)) if len(triangle) else np.zeros(0)
    rank = int(np.sum(size > _RANK * size.max(initial=0.0)))
    Z = Q[:, rank:]
    left, errors = P @ Z, _RANK * float(np.linalg.norm(P))
    size_left = float(np.linalg.norm(left))
    if size_left > errors:  # else the rows leave nothing to strain
        y = y + Z @ np.linalg.lstsq(left, strain - P @ y, rcond=errors / size_left)[0]
    return np.asarray(solve_triangular(R, y))


def _rows(compiled: CompiledModel, memory: Memory, unit: Array) -> VelocitySystem:
    el, scaled = compiled.system.elements, diags(1.0 / unit)
    joints = constraint_gradients(compiled, memory, every_row(compiled))
    which = np.nonzero((compiled.blocks < compiled.n_nodes).all(axis=1))[0]
    mass = nodal_matrix(compiled, which, assemble_blocks(memory, mass=1.0)[which])
    length = np.array([1.0, compiled.length]).repeat(3)
    strain = diags(np.tile(length, len(el.node))) @ element_strains(memory.problem.trial.frame, el.node, len(unit))
    stiffness = el.stiffness[el.like] / length / length[:, None]
    mass, strain, joints = (matrix.tocsr() for matrix in (scaled @ mass @ scaled, strain @ scaled, joints @ scaled))
    return VelocitySystem(mass / compiled.mass, strain, stiffness, joints)
