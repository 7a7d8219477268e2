"""Linear models: A, B, C, D from second-order equations and rows of outputs, states of laws, reduction to modes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from cosserat.errors import SolveError
from cosserat.lie.protocol import Array

if TYPE_CHECKING:
    from cosserat.results.linear import LinearModel

_IMPROPER = 1e-9  # coefficient of a derivative of an input that counts as zero, relative to the largest of its row

Moving = tuple[Array, Array, Array]
"""Columns with their first two time derivatives."""


@dataclass(frozen=True)
class OutputRows:
    """y = position q + rate q' + acceleration q" + u0 u + u1 u' + u2 u"."""

    position: Array
    rate: Array
    acceleration: Array
    u0: Array
    u1: Array
    u2: Array

    def on(self, T: Moving, G: Moving, give: Array, slow: Array, lag: Array) -> OutputRows:
        """The rows for q = T z + slow z' + (G + give) u + lag u', T and G with their first two time derivatives.

        What gives way, `give`, `slow` and `lag`, has no rate of its own.
        """
        (T0, T1, T2), (G0, G1, G2) = T, G
        return OutputRows(
            self.position @ T0 + self.rate @ T1 + self.acceleration @ T2,
            self.rate @ T0 + 2.0 * (self.acceleration @ T1) + self.position @ slow,
            self.acceleration @ T0 + self.rate @ slow,
            self.u0 + self.position @ (G0 + give) + self.rate @ G1 + self.acceleration @ G2,
            self.u1 + self.rate @ G0 + 2.0 * (self.acceleration @ G1) + self.position @ lag,
            self.u2 + self.acceleration @ G0 + self.rate @ lag,
        )


@dataclass(frozen=True)
class RollingStates:
    """q' = drift q + velocities w of a mechanism that rolls; w are the rates of the coordinates `chosen`."""

    drift: Array  # (n, n)
    velocities: Array  # (n, k)
    chosen: tuple[int, ...]  # k numbers of coordinates


def by_positions(model: LinearModel) -> tuple[Array, Array, Array, Array]:
    """State space with prescribed positions as inputs: with v = q' + E u, E = M^-1 drag, no derivative of u is left.

    Where something rolls, q' = G q + Z (v - E u).
    """
    n, rows = len(model.mass), model.rows
    K, D, F, E = _per_mass(model)
    G, Z = np.zeros((n, n)), np.eye(n)
    if model.rolling is not None:
        G, Z = model.rolling.drift, model.rolling.velocities
    push = F + D @ E
    A, B = np.block([[G, Z], [-K, -D]]), np.vstack((-Z @ E, push))
    # q" = G q' + Z (v' - E u')
    rate, of_v = rows.rate + rows.acceleration @ G, rows.acceleration @ Z
    C = np.hstack((rows.position + rate @ G, rate @ Z)) - of_v @ np.hstack((K, D))
    direct = rows.u0 - rate @ Z @ E + of_v @ push
    _demand_proper(model, rows.u1 - of_v @ E, rows.u2, C, direct)
    return A, B, C, direct


def accelerations_of(mass: Array, forces: Array) -> Array:
    """mass^-1 forces, whatever the units of the coordinates."""
    unit = 1.0 / np.sqrt(np.diag(mass))
    return np.asarray(unit[:, None] * np.linalg.solve(mass * np.outer(unit, unit), unit[:, None] * forces))


def _per_mass(model: LinearModel) -> tuple[Array, ...]:
    """mass^-1 times stiffness, damping, force and drag."""
    parts = (model.stiffness, model.damping, model.force, model.drag)
    ends = np.cumsum([part.shape[1] for part in parts[:-1]])
    return tuple(np.split(accelerations_of(model.mass, np.hstack(parts)), ends, axis=1))


def _demand_proper(model: LinearModel, u1: Array, u2: Array, C: Array, direct: Array) -> None:
    size = np.max(np.abs(np.hstack((C, direct))), axis=1, initial=0.0)[:, None]
    for rest, word in ((u2, "acceleration"), (u1, "velocity")):
        wrong = np.argwhere(np.abs(rest) > _IMPROPER * np.maximum(size, np.max(np.abs(rest), initial=0.0)))
        if len(wrong):
            i, k = wrong[0]
            raise SolveError(
                f"linearize: output {model.outputs[i]!r} follows the {word} of the prescribed motion "
                f"{model.inputs[k]!r}, so it is no proper function of the motion itself; pass drive='acceleration' to "
                "make the acceleration of prescribed motions the input, or leave one of the two out"
            )


def by_accelerations(model: LinearModel) -> tuple[Array, Array, Array, Array]:
    """State space with accelerations of prescribed motions as inputs; states are q, the motions w, and their rates."""
    n, rows = len(model.mass), model.rows
    driven = np.nonzero(np.array(model.driven, dtype=bool))[0]
    free = np.array([not d for d in model.driven], dtype=float)
    K, D, F, E = _per_mass(model)
    m, k = len(driven), len(model.inputs)
    accel = np.hstack((-K, F[:, driven], -D, -E[:, driven]))
    A = np.zeros((2 * (n + m), 2 * (n + m)))
    A[: n + m, n + m :] = np.eye(n + m)
    A[n + m : 2 * n + m] = accel
    B = np.zeros((2 * (n + m), k))
    B[n + m : 2 * n + m] = F * free
    B[2 * n + m + np.arange(m), driven] = 1.0
    C = np.hstack((rows.position, rows.u0[:, driven], rows.rate, rows.u1[:, driven])) + rows.acceleration @ accel
    direct = (rows.u0 + rows.acceleration @ F) * free
    direct[:, driven] += rows.u2[:, driven]
    _demand_proper(model, rows.u1 * free, rows.u2 * free, C, direct)
    return A, B, C, direct


@dataclass(frozen=True)
class LawStates:
    """Beside M q" + D q' + K q = ... + push y: y' = rate y + position q + velocity q' + force u; outputs get rows y.

    Everything is a deviation from the point; `values` are the states at the point itself.
    """

    names: tuple[str, ...]
    push: Array  # (n, ny)
    position: Array  # (ny, n)
    velocity: Array  # (ny, n)
    rate: Array  # (ny, ny)
    force: Array  # (ny, k)
    rows: Array  # (p, ny)
    values: Array  # (ny,)

    def joined(
        self, space: tuple[Array, Array, Array, Array], accelerations: Array, of_acceleration: Array
    ) -> tuple[Array, Array, Array, Array]:
        """A state space with these states behind the others; accelerations (n, ny) of q, rows (p, n) of outputs."""
        A, B, C, D = space
        n, size, ny = len(accelerations), len(A), len(self.rate)
        half = size // 2
        out = np.zeros((size + ny, size + ny))
        out[:size, :size] = A
        out[half : half + n, size:] = accelerations
        out[size:, :n], out[size:, half : half + n] = self.position, self.velocity
        out[size:, size:] = self.rate
        return out, np.vstack((B, self.force)), np.hstack((C, self.rows + of_acceleration @ accelerations)), D

    def followed(self, s: complex) -> tuple[NDArray[Any], NDArray[Any]]:
        """y = (of q) q + (of u) u for motions exp(s t): (ny, n) and (ny, k)."""
        A = s * np.eye(len(self.rate)) - self.rate
        right = np.hstack((self.position + s * self.velocity, self.force))
        both = np.linalg.solve(A, right.astype(complex))
        return both[:, : self.position.shape[1]], both[:, self.position.shape[1] :]


_ONE_FREQUENCY = 1e-13  # difference of frequencies squared, of the largest, that rounding makes
_EXCITED = 1e-8  # part of an input that moves a mode, from which it does


def reduced(model: LinearModel, n: Any, static: bool, controllable: bool) -> LinearModel:
    """As `LinearModel.reduce`."""
    size = len(model.mass)
    if model.rolling is not None:
        raise SolveError("reduce: a mechanism that rolls has no undamped modes to keep; use the whole model")
    if model.inner is not None:
        raise SolveError(
            f"reduce: laws own states, such as {model.inner.names[0]!r}, which modes do not describe; use the whole "
            "model, or reduce it with python-control (to_control)"
        )
    values, shapes, excited = _excited(model) if controllable else (*model.modes, np.ones(size, dtype=bool))
    known = np.nonzero(excited)[0]  # what the inputs do not move does not give way to them either
    if controllable:
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 1 <= n <= len(known):
            named = ", ".join(model.inputs) or "(none)"
            raise SolveError(
                f"reduce: {n!r} of the {len(known)} modes that the inputs {named} excite; "
                "pass a number of them"
            )
        chosen = known[:n].tolist()
    else:
        several = isinstance(n, (list, tuple, range, np.ndarray)) and all(isinstance(k, (int, np.integer)) for k in n)
        chosen = [int(k) for k in n] if several else list(range(n)) if isinstance(n, (int, np.integer)) else []
        if not chosen or len(set(chosen)) < len(chosen) or min(chosen) < 0 or max(chosen) >= size:
            raise SolveError(f"reduce: {n!r} is not a choice among the {size} modes of the model, numbered from 0")
    others = [k for k in known.tolist() if k not in chosen] if static else []
    for k in others:
        if abs(values[k]) <= 1e-9 * np.max(np.abs(values)):
            raise SolveError(
                f"reduce: mode {k} is a free motion and cannot give way statically; keep it or pass static=False"
            )
    return _projected(model, shapes[:, chosen], shapes[:, others] if others else None, chosen)


def _excited(model: LinearModel) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Frequencies squared and shapes as `modes`, turned within groups of one frequency, and which inputs excite."""
    values, shapes = model.modes[0], model.modes[1].copy()
    push = np.hstack((model.force, model.drag))
    sizes = np.linalg.norm(shapes.T @ push, axis=0)
    push = push / np.where(sizes > 0.0, sizes, 1.0)
    excited = np.zeros(len(values), dtype=bool)
    ends = np.nonzero(np.diff(values) > _ONE_FREQUENCY * np.max(np.abs(values)) + 1e-7 * np.abs(values[1:]))[0] + 1
    for group in np.split(np.arange(len(values)), ends):
        left, strength, _ = np.linalg.svd(shapes[:, group].T @ push)
        shapes[:, group] = shapes[:, group] @ left
        excited[group[: len(strength)]] = strength > _EXCITED
    return values, shapes, excited


def _projected(model: LinearModel, V: Array, W: Array | None, chosen: list[int]) -> LinearModel:
    """q = V z + W w, with w that gives way to springs and dampers: K_ww w = F_w u - E_w u' - K_wz z - D_wz z'."""
    follow, give = np.zeros_like(V), np.zeros((len(V), len(model.inputs)))
    slow, lag = np.zeros_like(V), np.zeros_like(give)
    left = V.T
    if W is not None:
        K_ww = W.T @ model.stiffness @ W

        def answer(force: Array) -> Array:
            return np.asarray(W @ np.linalg.solve(K_ww, W.T @ force))

        follow, give = -answer(model.stiffness @ V), answer(model.force)
        slow = -answer(model.damping @ (V + follow))
    T = V + follow
    moved = give * np.array(model.driven, dtype=float)  # motions have rates, forces may jump
    if W is not None:
        lag = -answer(model.drag + model.damping @ moved)
    return replace(
        model,
        mass=definite(left @ (model.mass @ V + model.damping @ slow), left @ model.mass @ V),
        damping=left @ (model.damping @ T + model.stiffness @ slow),
        stiffness=left @ model.stiffness @ T,
        force=left @ (model.force - model.stiffness @ give),
        drag=left @ (model.drag + model.damping @ moved + model.stiffness @ lag),
        rows=model.rows.on((T, 0.0 * T, 0.0 * T), (moved, 0.0 * give, 0.0 * give), give - moved, slow, lag),
        basis=model.basis @ T,
        drives=model.drives + model.basis @ give,
        dual=left @ model.mass @ model.dual,
        coordinates=tuple(f"mode {k + 1}" for k in chosen),
    )


def definite(mass: Array, otherwise: Array) -> Array:
    """A mass matrix, if it is one: what gives way to strong dampers is not slow, and has no inertia to offer."""
    values = eigh(0.5 * (mass + mass.T), 0.5 * (otherwise + otherwise.T), eigvals_only=True)
    return mass if values[0] > 0.5 else otherwise
