"""Steady motions: every node moves as H(t) = exp(t a) H(0) exp(t b), and nothing that acts on it changes.

The twist a (6,), in space, carries the whole mechanism along, forward or around a bend; b (6,), in the node's frame,
is the spin of a wheel or a rotor, with which nothing of it changes. A node's twist is v = Ad(H^-1) a + b, and its rate
v' = -ad(b) v: both are linear in a, and so is everything that has to look the same as the motion goes on: inertias,
gravity, planes on which wheels roll, axes of joints. The a that fits best is found by least squares, and what it makes
of the equations of motion a little later is compared with what they are now.

Small motions are counted from frames that go along but do not spin, H(0) exp(y): x = Ad(exp(-t b)) y, so that
x' = y' - B y and x" = y" - 2 B y' + B^2 y with B = ad(b). In y the linear equations have constant coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.compile.compiled import row_to_frame
from cosserat.compile.series import bracket
from cosserat.kernels.touching import DISC, RULE
from cosserat.lie import se3, so3
from cosserat.lie.protocol import Array
from cosserat.solve.gradients import constraint_gradients

if TYPE_CHECKING:
    from cosserat.solve.linear.point import OperatingPoint

_STEP = 1e-5  # m, rad
_RANK = 1e-9  # of the conditions on a, below which a direction is left open


@dataclass(frozen=True)
class Flow:
    """How a steady motion goes on.

    Attributes
    ----------
    carried : (6,)
        Twist a in space of the frames that go along.
    spins : (n, 6)
        Twists b of the nodes in these frames, components in the nodes' own.
    """

    carried: Array
    spins: Array

    def frames(self, frames: Array, time: float) -> Array:
        """Frames (n, 4, 4) a time later."""
        ahead = se3.exp(time * self.carried)
        return np.array(
            [ahead @ row_to_frame(H) @ se3.exp(time * b) for H, b in zip(frames, self.spins, strict=False)]
        ).reshape(-1, 4, 4)

    def turns(self, time: float) -> Array:
        """Matrices (n, 6, 6) that take twists in frames that do not spin to those of the nodes' own, a time later."""
        return np.array([se3.adjoint(se3.exp(-time * b)) for b in self.spins]).reshape(-1, 6, 6)

    def turned(self, twists: Array, time: float) -> Array:
        """Twists (n, 6) of the nodes, constant in frames that do not spin, a time later in their own frames."""
        return np.einsum("nij,nj->ni", self.turns(time), twists[: len(self.spins)])

    def fastest(self, twists: Array, length: float) -> float:
        """The largest angular velocity or velocity over a typical length (1/s)."""
        every = np.abs(np.vstack((self.carried, self.spins, twists)))
        return float(max(np.max(every[:, :3], initial=0.0) / length, np.max(every[:, 3:], initial=0.0)))


def flow_of(point: OperatingPoint) -> Flow:
    """The steady motion that fits best to twists and rates of a point."""
    compiled, trial, n = point.compiled, point.memory.problem.trial, point.compiled.n_nodes
    twist, rate, length = trial.twist[:n], trial.rate[:n], compiled.length
    if not np.any(twist):
        return Flow(np.zeros(6), np.zeros((n, 6)))
    back = np.array([se3.adjoint(se3.inverse(row_to_frame(H))) for H in trial.frame[:n]]).reshape(n, 6, 6)
    unit = np.array([length, 1.0]).repeat(3)
    fast = max(float(np.max(np.abs(twist[:, :3]))) / length, float(np.max(np.abs(twist[:, 3:]))))
    rows = [*_carried_rows(point, length)]  # (A, c): A a = c
    for i in range(n):
        rows.append((-bracket(twist[i]) @ back[i] / (unit[:, None] * fast), rate[i] / (unit * fast)))
    for A, i in _spin_rows(point, length):  # A b = 0
        rows.append((A @ back[i], A @ twist[i]) if i < n else (A, np.zeros(len(A))))
    A = np.vstack([a for a, _ in rows]) * unit
    c = np.concatenate([c for _, c in rows])
    U, sizes, V = np.linalg.svd(A, full_matrices=True)
    rank = int(np.sum(sizes > _RANK * np.max(sizes, initial=1e-300)))
    a = V[:rank].T @ ((U[:, :rank].T @ c) / sizes[:rank])
    if rank < 6:
        a = _simplest(a, V[rank:].T, [np.linalg.solve(back[i] * unit, v) for i, v in _by_mass(point)])
    nothing = 1e-8 if compiled.rules else 1e-13  # rows of users' laws are known to differences
    carried = unit * (np.where(np.abs(a) <= nothing * fast, 0.0, a) if compiled.rules else a)
    spins = twist - np.einsum("nij,j->ni", back, carried)
    spins[np.abs(spins) / unit <= nothing * fast] = 0.0
    return Flow(carried, spins)


def _by_mass(point: OperatingPoint) -> list[tuple[int, Array]]:
    """Bodies and their twists, the heaviest first."""
    bodies, twist = point.compiled.system.bodies, point.memory.problem.trial.twist
    order = np.argsort(-bodies.mass[:, 0, 0], kind="stable")
    return [(int(bodies.node[k]), twist[bodies.node[k]]) for k in order]


def _simplest(a: Array, left: Array, others: list[Array]) -> Array:
    """Of the twists a + left c that fit equally: none, if that is one of them, else that of the heaviest body."""
    for twist in [np.zeros(6), *others]:
        rest = twist - a
        rest = rest - left @ (left.T @ rest)
        if np.linalg.norm(rest) <= 1e-9 * (np.linalg.norm(a) + np.linalg.norm(twist)):
            return twist
    return a


def _carried_rows(point: OperatingPoint, length: float) -> list[tuple[Array, Array]]:
    """What the twist a must leave as it is: the direction of gravity and the planes on which wheels roll."""
    rows: list[tuple[Array, Array]] = []
    turning = np.hstack((np.zeros((3, 3)), np.eye(3)))
    gravity = point.memory.problem.inputs.gravity[0]
    if np.any(gravity):
        rows.append((so3.hat(gravity / np.linalg.norm(gravity)) @ turning, np.zeros(3)))
    rolling = point.memory.problem.rolling
    for k in np.nonzero(rolling.kind == DISC)[0]:
        normal = rolling.plane[k, 0]
        height = np.concatenate((normal, np.cross(normal * rolling.level[k], normal)))[None] / length
        rows += [(so3.hat(normal) @ turning, np.zeros(3)), (height, np.zeros(1))]
    rows += [(change / length, np.zeros(len(change))) for change in _rule_changes(point)]
    return rows


def _rule_changes(point: OperatingPoint) -> list[Array]:
    """How what the laws of users' constraints give changes where twists (6,) in space carry their places: (m, 6)."""
    arrays, trial, n, out = point.compiled.system.rules, point.memory.problem.trial, point.compiled.n_nodes, []
    for k, rule in enumerate(point.compiled.rules):
        seen, H, back = _rule_places(point, k)
        if arrays.node[k, 0] == n:
            twist = back @ trial.twist[arrays.node[k, 1]]
            fast = max(float(np.abs(twist).max()), 1e-300)
            ahead, behind = (
                np.array([rule.answer(point.time, seen @ se3.exp(step * e) @ H, twist / fast) for e in np.eye(6)])
                for step in (_STEP, -_STEP)
            )
            out.append((ahead - behind).T / (2.0 * _STEP))
    return out


def _rule_places(point: OperatingPoint, k: int) -> tuple[Array, Array, Array]:
    """From the world to the other place of a constraint; the place in the world; twists of its node, at the place."""
    arrays, frames = point.compiled.system.rules, point.memory.problem.trial.frame
    other, place = row_to_frame(arrays.frame_a[k]), row_to_frame(arrays.frame_b[k])
    a, b = (row_to_frame(frames[node]) for node in arrays.node[k])
    return se3.inverse(a @ other), b @ place, se3.adjoint(se3.inverse(place))


def _rule_spins(point: OperatingPoint, length: float) -> list[tuple[Array, int]]:
    """Conditions on the spin of the place of users' constraints: their rows look the same as it goes on."""
    out, size = [], point.compiled.size
    unit = np.array([1.0, length]).repeat(3)
    for k, rule in enumerate(point.compiled.rules):
        seen, H, back = _rule_places(point, k)

        def rows(d: Array, seen: Array = seen, H: Array = H, rule: Any = rule) -> Array:
            A = rule.rows(point.time, seen @ H @ se3.exp(d), np.zeros(6), size)[0]
            return np.asarray(A @ se3.adjoint(se3.exp(-d)) / unit)

        turned = [(rows(d) - rows(-d)).ravel() / (2.0 * _STEP) for d in _STEP * np.eye(6)]
        parts = [np.array(turned).T] + ([rows(np.zeros(6)) * unit / length] if all(rule.item.held) else [])
        out.append((np.vstack(parts) @ back, int(point.compiled.system.rules.node[k, 1])))
    return out


def _spin_rows(point: OperatingPoint, length: float) -> list[tuple[Array, int]]:
    """Conditions A b = 0 on the spin of a node (its number; n: the ground, which a passes by)."""
    compiled, problem = point.compiled, point.memory.problem
    n, unit = compiled.n_nodes, np.array([length, 1.0]).repeat(3)
    out: list[tuple[Array, int]] = []
    for node, M in zip(compiled.system.bodies.node, compiled.system.bodies.mass, strict=True):
        scaled = M * np.outer(unit, unit) / np.max(np.abs(M * np.outer(unit, unit)), initial=1e-300)
        changes = [ad.T @ scaled + scaled @ ad for ad in bracket(np.eye(6))]
        out.append((np.array([c.ravel() for c in changes]).T / unit, int(node)))
    rolling = problem.rolling
    for k, node in enumerate(rolling.node):
        if rolling.kind[k] == RULE:
            continue
        if rolling.kind[k] != DISC:
            out.append((np.diag(1.0 / unit), int(node)))
            continue
        centre = np.hstack((np.eye(3), -so3.hat(rolling.point[k]))) / length
        axis = np.hstack((np.zeros((3, 3)), so3.hat(rolling.axis[k])))
        out += [(centre, int(node)), (axis, int(node))]
    out += _rule_spins(point, length)
    out += [(np.diag(1.0 / unit), int(node)) for node in compiled.system.rules.node[:, 0] if node < n]
    driven = compiled.system.joints.drive >= 0
    keep = [np.eye(6)[: 0 if driven[j] else count] for j, count in enumerate(compiled.system.joints.n_rows)]
    keep += [np.zeros((0, 6))] * len(rolling.node)
    gradients = constraint_gradients(compiled, point.memory, keep).toarray()
    first = np.concatenate(([0], np.cumsum([len(k) for k in keep])))
    for j, nodes in enumerate(compiled.system.joints.node):
        part = gradients[first[j] : first[j + 1]]
        for node in nodes:
            if len(part) and node < n:
                row = part[:, 6 * node : 6 * node + 6] * unit
                size = np.linalg.norm(row, axis=1)[:, None]
                out.append((row / np.where(size > 0.0, size, 1.0) / unit, int(node)))
    return out


def steadied(flow: Flow, mass: Any, damping: Any, stiffness: Any) -> tuple[Any, Any]:
    """Damping and stiffness for small motions counted from frames that do not spin."""
    from scipy.sparse import block_diag

    if not np.any(flow.spins):
        return damping, stiffness
    B = block_diag(list(bracket(flow.spins)), format="csc")
    heavy = mass @ B
    return (damping - 2.0 * heavy).tocsc(), (stiffness - damping @ B + heavy @ B).tocsc()
