"""Motions that the joints allow, x = N q + G u: the basis N with named coordinates q, and how it changes in time.

About a moment of a run the constraints Phi(t) x = d(t) u turn with the mechanism, and so do the rows J(t) that read
joint coordinates. With J N = 1 for joint coordinates and constant rows for the others, [Phi; J; W] N = [0; 1],
differentiated in time, gives N' and N". The rows are followed along H exp(t v + t^2/2 v') by differences of the eighth
order; in equilibrium and, seen from the turntable, in a steady rotation they stand still.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh, qr, solve_triangular
from scipy.sparse import csc_matrix

from cosserat.compile.compiled import row_to_frame
from cosserat.errors import SolveError
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.solve.linear.matrices import Matrices, constraint_matrix
from cosserat.solve.linear.point import OperatingPoint, joint_jacobian, still_motion
from cosserat.solve.linear.scaling import meeting, without_units

_INDEPENDENT = 1e-8  # smallest share of a coordinate that others do not say
_WELL_CONDITIONED = 1e-10
_ANGLE = 0.02  # by which parts turn, or move in typical lengths, against each other between two points of a difference
_FIRST = (1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)
_SECOND = (-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560)


class MovingColumns(NamedTuple):
    """Columns (6n, k) with their first two time derivatives."""

    value: Array
    rate: Array
    acceleration: Array


def constant(columns: Array) -> MovingColumns:
    """Columns that do not change in time."""
    return MovingColumns(columns, np.zeros_like(columns), np.zeros_like(columns))


@dataclass(frozen=True)
class Basis:
    """Motions (6n, f) that the joints allow, and names of their coordinates; the first `n_joints` are of joints."""

    motions: MovingColumns
    names: tuple[str, ...]
    n_joints: int
    dual: Array  # (f, 6n): q = dual x, nearest in kinetic energy
    transport: Transport | None = None  # about a state in motion

    def damping(self, matrices: Matrices) -> Array:
        """Coefficients (f, f) of q'."""
        N = self.motions
        return np.asarray(N.value.T @ (matrices.damping @ N.value + 2.0 * (matrices.mass @ N.rate)))

    def stiffness(self, matrices: Matrices) -> Array:
        """Coefficients (f, f) of q; what rounding leaves of differences in time counts as zero."""
        N = self.motions
        still = matrices.form(N.value, N.value)
        if self.transport is None:
            return still
        turning = N.value.T @ (matrices.damping @ N.rate + matrices.mass @ N.acceleration)
        size = np.abs(N.value)
        floor = self.transport.rounding * (size.T @ (abs(matrices.mass) @ size))
        both = still + turning
        return np.where(np.abs(both) <= floor, 0.0, both)


def basis_of_motions(point: OperatingPoint, matrices: Matrices) -> Basis:
    """Basis of the motions that the joints allow, and names of its coordinates.

    Joint coordinates as far as they are independent, with the static deflection that goes with them; then the modes,
    of unit modal mass, of the mechanism with these joints locked.
    """
    scaled, units = without_units(matrices)
    N = scaled.free_motions()
    if N.shape[1] == 0:
        raise SolveError("linearize: the joints allow no motion at all, there is nothing to linearise")
    joints, names, chosen = _joint_coordinates(point, units.motion[:, None] * N)
    M, K = N.T @ (scaled.mass @ N), scaled.projected(N)
    _demand_inertia(M)
    k = len(joints)
    size = np.sqrt(units.inertia)
    if k == 0:
        motions = N @ eigh(K, M)[1] / size
    else:
        Q, R = qr(joints.T, mode="full")
        moved, locked = Q[:, :k], Q[:, k:]
        if locked.shape[1]:
            locked = locked @ eigh(scaled.projected(N @ locked), locked.T @ M @ locked)[1]
            stiffness = scaled.projected(N @ locked)
            well = 1.0 / np.linalg.cond(stiffness) > _WELL_CONDITIONED
            # with free motions left, deflections are not defined: least kinetic energy instead
            form = K if well else M
            inner = stiffness if well else locked.T @ M @ locked
            moved = moved - locked @ np.linalg.solve(inner, locked.T @ form @ moved)
        moved = solve_triangular(R[:k], moved.T, trans=0, lower=False).T
        motions = N @ np.hstack((moved, locked / size))
    motions = units.motion[:, None] * motions
    mass = motions.T @ (matrices.mass @ motions)
    dual = np.linalg.solve(mass, (matrices.mass.T @ motions).T)
    basis = Basis(constant(motions), (*names, *mode_names(motions.shape[1] - k)), k, dual)
    return basis if not point.turning else Transport(point, matrices, basis, chosen).basis


def mode_names(count: int) -> tuple[str, ...]:
    """Names of modes as coordinates."""
    return tuple(f"mode {i + 1}" for i in range(count))


def _joint_coordinates(point: OperatingPoint, N: Array) -> tuple[Array, tuple[str, ...], list[tuple[Any, int]]]:
    """Rows (k, n_free), names and joints of coordinates that are independent of each other and not prescribed."""
    rows, names, which, here = [], [], [], still_motion(point)
    for joint in point.mechanism.joints.values():
        for i, (row, name) in enumerate(zip(joint_jacobian(here, joint), joint.coordinates, strict=True)):
            if not joint.driven[i]:
                rows.append(row @ N)
                names.append(name)
                which.append((joint, i))
    if not rows:
        return np.zeros((0, N.shape[1])), (), []
    J = np.array(rows)
    chosen = independent(J)
    return J[chosen], tuple(names[i] for i in chosen), [which[i] for i in chosen]


def _demand_inertia(M: Array) -> None:
    scale = 1.0 / np.sqrt(np.maximum(np.diag(M), np.finfo(float).tiny))
    try:
        cholesky(scale[:, None] * M * scale)
    except LinAlgError:
        raise SolveError(
            "linearize: some motion has no inertia, so its acceleration is not defined; give every body a mass and an "
            "inertia about all axes in which it can turn"
        ) from None


def independent(rows: Array) -> list[int]:
    """Which rows (k of n) say what all of them do, each the first of those that are as new as any, but for a half.

    About a state in motion eigenvalues depend on this choice: rounding, which tells equal rows apart, must not make it.
    """
    lengths = np.linalg.norm(rows, axis=1)
    rest, chosen = rows / np.where(lengths > 0.0, lengths, 1.0)[:, None], list[int]()
    while len(chosen) < min(rows.shape):
        new = np.linalg.norm(rest, axis=1)
        if new.max() <= _INDEPENDENT:
            break
        first = int(np.argmax(new >= 0.5 * new.max()))
        along = rest[first] / new[first]
        for _ in range(2):
            rest = rest - np.outer(rest @ along, along)
        chosen.append(first)
    return sorted(chosen)


def leading(rows: Array) -> list[int]:
    """The first rows (k of n) that are independent, joint coordinates before modes."""
    chosen: list[int] = []
    basis = np.zeros((rows.shape[1], 0))
    for i, row in enumerate(rows / np.max(np.abs(rows))):
        rest = row - basis @ (basis.T @ row)
        if np.linalg.norm(rest) > 1e-6 * np.linalg.norm(row) > 0.0:
            chosen.append(i)
            basis = np.column_stack((basis, rest / np.linalg.norm(rest)))
    return chosen


def reduced(matrices: Matrices, basis: Basis) -> Matrices:
    """The linear equations of the coordinates of a basis, without constraints."""
    N = basis.motions.value
    return Matrices(
        csc_matrix(N.T @ (matrices.mass @ N)),
        csc_matrix(basis.damping(matrices)),
        csc_matrix(basis.stiffness(matrices)),
        csc_matrix((0, N.shape[1])),
        inner=None if matrices.inner is None else matrices.inner.projected(N, basis.motions.rate),
        unit=np.ones(N.shape[1]),
    )


class Transport:
    """Time derivatives of columns x(t) given by what constraints and coordinates say of them."""

    def __init__(self, point: OperatingPoint, matrices: Matrices, basis: Basis, joints: list[tuple[Any, int]]) -> None:
        self.point, self.n_joints = point, basis.n_joints
        self._meeting, self._size = meeting(matrices, heavy=True), matrices.mass.shape[0]
        self._step = _step(point)
        by_id = {id(joint): joint for joint, _ in joints}

        def rows() -> tuple[csc_matrix, Array]:
            here = still_motion(point)
            of = {key: joint_jacobian(here, joint) for key, joint in by_id.items()}
            picked = [of[id(joint)][i] for joint, i in joints]
            return constraint_matrix(point), np.array(picked).reshape(-1, self._size)

        self.constraints, self.coordinates = self.derivatives(rows)
        self._N = basis.motions.value
        none = (np.zeros((self.constraints[0].shape[0], self._N.shape[1])),) * 3
        self.basis = Basis(self.carried(self._N, none), basis.names, basis.n_joints, basis.dual, self)

    @property
    def rounding(self) -> float:
        """What rounding leaves of second derivatives of numbers of the order of one (1/s^2)."""
        return 100.0 * np.finfo(float).eps / self._step**2

    def derivatives(self, evaluate: Callable[[], tuple[Any, ...]]) -> list[tuple[Any, Any, Any]]:
        """Matrices that `evaluate` gives in the state of the point, with two time derivatives along its motion."""
        here = evaluate()
        first, second = [0.0 * a for a in here], [0.0 * a for a in here]
        for k, (one, two) in enumerate(zip(_FIRST, _SECOND, strict=True)):
            if k == 4:
                values = here
            else:
                with self.point.displaced((k - 4) * self._step):
                    values = evaluate()
            first = [a + (one / self._step) * b for a, b in zip(first, values, strict=True)]
            second = [a + (two / self._step**2) * b for a, b in zip(second, values, strict=True)]
        return list(zip(here, first, second, strict=True))

    def carried(self, columns: Array, demand: tuple[Array, Array, Array]) -> MovingColumns:
        """Columns X (6n, k) with Phi X = demand (with its derivatives, (m, k)) and coordinates that do not change."""
        (_, phi1, phi2), (_, J1, J2) = self.constraints, self.coordinates
        rate = self._answer(demand[1] - phi1 @ columns, -J1 @ columns)
        return MovingColumns(
            columns,
            rate,
            self._answer(demand[2] - phi2 @ columns - 2.0 * (phi1 @ rate), -J2 @ columns - 2.0 * (J1 @ rate)),
        )

    def _answer(self, of_constraints: Array, of_joints: Array) -> Array:
        """x with Phi x and J x given, and no part of the other coordinates."""
        x, J = self._meeting(of_constraints), self.coordinates[0]
        return np.asarray(x + self._N[:, : self.n_joints] @ (of_joints - J @ x))


def _step(point: OperatingPoint) -> float:
    """Time in which no two parts that a joint connects turn or move far against each other."""
    trial, joints, length = point.memory.problem.trial, point.compiled.system.joints, point.compiled.length
    fastest = 0.0
    for a, b in joints.node:
        H = se3.inverse(row_to_frame(trial.frame[b])) @ row_to_frame(trial.frame[a])
        across = se3.adjoint(H)
        for field, power in ((trial.twist, 1.0), (trial.rate, 0.5)):
            relative = np.abs(field[b] - across @ field[a])
            size = max(float(np.max(relative[:3])) / length, float(np.max(relative[3:])))
            fastest = max(fastest, size**power)
    return _ANGLE / fastest if fastest > 0.0 else 1.0
