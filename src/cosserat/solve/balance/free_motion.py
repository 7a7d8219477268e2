"""Motions that nothing resists: found in the tangent of static balance, and named after the joints that move."""

from __future__ import annotations

import numpy as np
from scipy.sparse import bsr_matrix
from scipy.sparse.linalg import SuperLU

from cosserat.lie import so3
from cosserat.lie.protocol import Array
from cosserat.results.joints import coordinate_rates
from cosserat.results.motion import motion_of, virtual_motion
from cosserat.solve.balance.balance import FREE_SHIFT, Balance
from cosserat.solve.balance.statics import Statics
from cosserat.solve.pivots import factors_of, largest_eigenpairs

_DENSE = 120  # unknowns up to which all eigenvalues at once are cheaper
_AT_MOST = 12  # free motions sought in larger mechanisms
_TAKES_PART = 1e-3
_FALLS = 1e-6  # negative flexibility that is no rounding, relative to the largest


def stands(statics: Balance) -> bool:
    """Whether the balanced trial state resists every small push, so that it does not fall."""
    lu = factors_of(statics.matrix(0.0))
    softest = _softest(statics, lu, statics.metric()) if lu is not None else None
    if softest is None:
        return True
    flexibility = softest[0]
    return not bool(np.any(flexibility.real < -_FALLS * np.max(np.abs(flexibility), initial=0.0)))


def free_motions(statics: Balance) -> Array:
    """Motions (k, n_motions) of the present state without stiffness, orthonormal in a metric.

    With K + shift M, their stiffness is that of the shift alone. Out of balance, forces that keep their direction in
    space count as unchanged, though their components in the nodes' frames turn: K x - (x_w) r is without them.
    """
    m = statics.n_motions
    shift = FREE_SHIFT * statics.scale / statics.mass
    force = -statics.residual()[:m]
    tangent = statics.matrix(0.0)
    mass = ((statics.matrix(shift) - tangent) / shift).tocsr()[:m, :m]
    held = statics.matrix(shift)
    lu = factors_of((held + _turned(statics, force)).tocsc() if isinstance(statics, Statics) else held)
    if lu is None:
        return np.zeros((0, m))
    root = statics.metric()  # turns times a length are displacements
    softest = _softest(statics, lu, root)
    if softest is None:
        return np.zeros((0, m))
    values, vectors = softest
    found = []
    for value, z in zip(values, vectors.T, strict=True):
        x = z.real / root if np.linalg.norm(z.real) > np.linalg.norm(z.imag) else z.imag / root
        stiffness = shift * float(x @ (mass @ x))
        size = float(np.sum((root * x) ** 2))
        if abs(value) > 0.0 and abs(size / abs(value) - stiffness) <= 0.02 * stiffness:
            found.append(root * x / np.sqrt(size))
    if not found:
        return np.zeros((0, m))
    basis, values, _ = np.linalg.svd(np.array(found).T, full_matrices=False)
    return np.asarray((basis[:, values > 1e-6 * values[0]] / root[:, None]).T)


def _turned(statics: Statics, force: Array) -> bsr_matrix:
    """What is left of forces on nodes, as their components change when the nodes turn."""
    count = statics.n_unknowns // 6
    turned = np.zeros((count, 6, 6))
    for i, row in enumerate(force.reshape(-1, 6)):
        turned[i, :3, 3:], turned[i, 3:, 3:] = -so3.hat(row[:3]), -so3.hat(row[3:])
    return bsr_matrix((turned, np.arange(count), np.arange(count + 1)), shape=(6 * count, 6 * count))


def _softest(statics: Balance, lu: SuperLU, root: Array) -> tuple[Array, Array] | None:
    """Flexibilities and motions of the softest motions, increments times `root`; None if not found."""
    m = statics.n_motions
    rest = np.zeros(statics.n_unknowns - m)

    def soften(z: Array) -> Array:
        return np.asarray(lu.solve(np.concatenate((root * np.asarray(z).ravel(), rest)))[:m] * root)

    return largest_eigenpairs(soften, m, _AT_MOST, _DENSE)


def describe(statics: Balance, motions: Array) -> str:
    """Free motions in words: how many, which joints move in them and which parts."""
    point = statics.point()
    compiled, mechanism = point.compiled, point.mechanism
    motion = virtual_motion(motion_of(point.trajectory(), mechanism), point.nodal(motions.T).T)
    sizes: dict[str, float] = {}
    for joint in mechanism.joints.values():
        rates = np.linalg.norm(coordinate_rates(motion, joint), axis=0) if joint.names else np.zeros(0)
        for name, kind, rate in zip(joint.names, joint.kinds, rates, strict=True):
            label = f"joint {joint.name!r}" if len(joint.names) == 1 else f"joint '{joint.name}.{name}'"
            turns = kind == "rotation"
            sizes[f"{label} {'turns' if turns else 'slides'}"] = float(rate * (compiled.length if turns else 1.0))
    weight = np.array([1.0, compiled.length]).repeat(3)
    moved = np.linalg.norm(motion.twist * weight, axis=(0, 2))
    largest = float(np.max(moved, initial=0.0))
    parts = [f"{name!r}" for name, node in compiled.bodies.items() if moved[node] > _TAKES_PART * largest]
    for name, mesh in compiled.beams.items():
        if np.max(moved[mesh.nodes]) > _TAKES_PART * largest:
            parts.append(f"{name!r}")
    for name, nodes in compiled.modal.items():
        if np.max(moved[[nodes.frame, *nodes.interfaces.values()]]) > _TAKES_PART * largest:
            parts.append(f"{name!r}")
    joints = [text for text, size in sizes.items() if size > _TAKES_PART * largest]
    words = f"{len(motions)} free motion{'s' if len(motions) > 1 else ''}"
    how = f": {_listed(joints)}" if joints else ""
    verb = "moves" if len(parts) == 1 else "move"
    return f"{words}{how}{' and' if joints else ':'} {_listed(parts)} {verb}{'' if joints else ' freely in space'}"


def push(statics: Balance, motions: Array) -> tuple[float, float]:
    """Force (N) with which the loads push along motions of the present state, and the largest load on a node.

    Moments count over the typical length.
    """
    force, weight = statics.residual()[: statics.n_motions], statics.metric()
    sizes = np.max(np.abs(motions * weight), axis=1, initial=0.0)
    along = float(np.max(np.abs(motions @ force) / sizes, initial=0.0))
    return along, float(np.max(np.abs(force / weight), initial=0.0))


def _listed(items: list[str]) -> str:
    if len(items) > 6:
        return ", ".join(items[:5]) + f" and {len(items) - 5} more"
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]
