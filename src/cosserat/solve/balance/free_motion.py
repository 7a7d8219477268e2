"""Motions that nothing resists: found in the tangent of static balance, and named after the joints that move."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig
from scipy.sparse import bsr_matrix
from scipy.sparse.linalg import ArpackError, LinearOperator, SuperLU, eigs

from cosserat.kernels.arrays import History
from cosserat.lie import so3
from cosserat.results.joints import coordinate_rates
from cosserat.results.mechanism import mechanism_of
from cosserat.results.motion import Motion
from cosserat.solve.balance.statics import FREE_SHIFT, Statics, signed_factors

Array = NDArray[np.float64]

_DENSE = 120  # unknowns up to which all eigenvalues at once are cheaper
_AT_MOST = 12  # free motions sought in larger mechanisms
_TAKES_PART = 1e-3
_FALLS = 1e-6  # negative flexibility that is no rounding, relative to the largest


def stands(statics: Statics) -> bool:
    """Whether the balanced trial state resists every small push, so that it does not fall."""
    lu, _ = signed_factors(statics.matrix(0.0))
    root = np.tile([1.0, statics.compiled.length], statics.compiled.n_nodes).repeat(3)
    softest = _softest(statics, lu, root) if lu is not None else None
    if softest is None:
        return True
    flexibility = softest[0]
    return not bool(np.any(flexibility.real < -_FALLS * np.max(np.abs(flexibility), initial=0.0)))


def free_motions(statics: Statics) -> Array:
    """Motions (k, 6n) of the trial state without stiffness, left increments of the nodes, orthonormal in a metric.

    With K + shift M, their stiffness is that of the shift alone. Out of balance, forces that keep their direction in
    space count as unchanged, though their components in the nodes' frames turn: K x - (x_w) r is without them.
    """
    n, c = statics.compiled.n_nodes, statics.compiled
    shift = FREE_SHIFT * statics.scale / c.mass
    force = -statics.residual()[:n]
    tangent = statics.matrix(0.0)
    mass = ((statics.matrix(shift) - tangent) / shift).tocsr()[: 6 * n, : 6 * n]
    turned = np.zeros((n + c.n_multipliers, 6, 6))
    for i, row in enumerate(force):
        turned[i, :3, 3:], turned[i, 3:, 3:] = -so3.hat(row[:3]), -so3.hat(row[3:])
    m = n + c.n_multipliers
    unbalanced = bsr_matrix((turned, np.arange(m), np.arange(m + 1)), shape=tangent.shape)
    lu, _ = signed_factors((statics.matrix(shift) + unbalanced).tocsc())
    if lu is None:
        return np.zeros((0, 6 * n))
    root = np.tile([1.0, c.length], n).repeat(3)  # turns times a length are displacements
    softest = _softest(statics, lu, root)
    if softest is None:
        return np.zeros((0, 6 * n))
    values, vectors = softest
    found = []
    for value, z in zip(values, vectors.T, strict=True):
        x = z.real / root if np.linalg.norm(z.real) > np.linalg.norm(z.imag) else z.imag / root
        held = shift * float(x @ (mass @ x))
        size = float(np.sum((root * x) ** 2))
        if abs(value) > 0.0 and abs(size / abs(value) - held) <= 0.02 * held:
            found.append(root * x / np.sqrt(size))
    if not found:
        return np.zeros((0, 6 * n))
    basis, values, _ = np.linalg.svd(np.array(found).T, full_matrices=False)
    return np.asarray((basis[:, values > 1e-6 * values[0]] / root[:, None]).T)


def _softest(statics: Statics, lu: SuperLU, root: Array) -> tuple[Array, Array] | None:
    """Flexibilities and motions of the softest motions, displacements of nodes times `root`; None if not found."""
    n = statics.compiled.n_nodes
    rest = np.zeros(6 * statics.compiled.n_multipliers)

    def soften(z: Array) -> Array:
        return np.asarray(lu.solve(np.concatenate((root * np.asarray(z).ravel(), rest)))[: 6 * n] * root)

    if 6 * n <= _DENSE:
        values, vectors = eig(np.array([soften(column) for column in np.eye(6 * n)]).T)
        return values, vectors
    start = np.random.default_rng(1).normal(size=6 * n)
    try:
        values, vectors = eigs(LinearOperator((6 * n, 6 * n), matvec=soften), k=_AT_MOST, v0=start)
    except ArpackError:
        return None
    return values, vectors


def describe(statics: Statics, motions: Array) -> str:
    """Free motions in words: how many, which joints move in them and which parts."""
    compiled, trial = statics.compiled, statics.memory.problem.trial
    n, count = compiled.n_nodes, len(motions)
    mechanism = mechanism_of(compiled)
    twists = np.zeros((count, n + 1, 6))
    twists[:, :n] = motions.reshape(count, n, 6)
    many = (np.repeat(a[None], count, axis=0) for a in (trial.force, trial.angle))
    history = History(np.repeat(trial.frame[None], count, axis=0), twists, np.zeros_like(twists), *many)
    motion = Motion(mechanism, np.zeros(count), history, {}, lambda: (statics.memory.problem.inputs, {}))
    sizes: dict[str, float] = {}
    for joint in mechanism.joints.values():
        rates = np.linalg.norm(coordinate_rates(motion, joint), axis=0) if joint.names else np.zeros(0)
        for name, kind, rate in zip(joint.names, joint.kinds, rates, strict=True):
            label = f"joint {joint.name!r}" if len(joint.names) == 1 else f"joint '{joint.name}.{name}'"
            turns = kind == "rotation"
            sizes[f"{label} {'turns' if turns else 'slides'}"] = float(rate * (compiled.length if turns else 1.0))
    weight = np.array([1.0, compiled.length]).repeat(3)
    moved = np.linalg.norm(twists[:, :n] * weight, axis=(0, 2))
    largest = float(np.max(moved, initial=0.0))
    parts = [f"{name!r}" for name, node in compiled.bodies.items() if moved[node] > _TAKES_PART * largest]
    for name, mesh in compiled.beams.items():
        if np.max(moved[mesh.first_node : mesh.first_node + mesh.n_nodes]) > _TAKES_PART * largest:
            parts.append(f"{name!r}")
    joints = [text for text, size in sizes.items() if size > _TAKES_PART * largest]
    words = f"{count} free motion{'s' if count > 1 else ''}"
    how = f": {_listed(joints)}" if joints else ""
    verb = "moves" if len(parts) == 1 else "move"
    return f"{words}{how}{' and' if joints else ':'} {_listed(parts)} {verb}{'' if joints else ' freely in space'}"


def push(statics: Statics, motions: Array) -> tuple[float, float]:
    """Force (N) with which the loads push along motions of the trial state, and the largest load on a node.

    Moments count over the typical length.
    """
    force = statics.residual()[: statics.compiled.n_nodes].ravel()
    weight = np.tile(np.array([1.0, statics.compiled.length]).repeat(3), statics.compiled.n_nodes)
    sizes = np.max(np.abs(motions * weight), axis=1, initial=0.0)
    along = float(np.max(np.abs(motions @ force) / sizes, initial=0.0))
    return along, float(np.max(np.abs(force / weight), initial=0.0))


def _listed(items: list[str]) -> str:
    if len(items) > 6:
        return ", ".join(items[:5]) + f" and {len(items) - 5} more"
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]
