"""State space of a linear model: A, B, C, D from its second-order equations, rows of outputs and states of laws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import SolveError
from cosserat.lie.protocol import Array

if TYPE_CHECKING:
    from cosserat.results.linear import LinearModel


_IMPROPER = 1e-9  # coefficient of a derivative of an input that counts as zero, relative to the largest of its row


@dataclass(frozen=True)
class OutputRows:
    """y = position q + rate q' + acceleration q" + u0 u + u1 u' + u2 u"."""

    position: Array
    rate: Array
    acceleration: Array
    u0: Array
    u1: Array
    u2: Array


@dataclass(frozen=True)
class RollingStates:
    """q' = drift q + velocities w of a mechanism that rolls; w are the rates of the coordinates `chosen`."""

    drift: Array  # (n, n)
    velocities: Array  # (n, k)
    chosen: tuple[int, ...]  # k numbers of coordinates

    def space(
        self, mass: Array, damping: Array, stiffness: Array, force: Array, rows: OutputRows
    ) -> tuple[Array, Array, Array, Array]:
        """State space with z = (q, w), from M w' + D w + K q = force u."""
        G, Z = self.drift, self.velocities
        n = len(G)
        K, D, F = np.split(accelerations_of(mass, np.hstack((stiffness, damping, force))), [n, n + len(mass)], axis=1)
        A = np.block([[G, Z], [-K, -D]])
        B = np.vstack((np.zeros((n, F.shape[1])), F))
        # q' = G q + Z w, q" = G q' + Z w'
        rate = rows.rate + rows.acceleration @ G
        C = np.hstack((rows.position + rate @ G, rate @ Z)) - rows.acceleration @ Z @ np.hstack((K, D))
        return A, B, C, rows.u0 + rows.acceleration @ Z @ F


def by_positions(model: LinearModel) -> tuple[Array, Array, Array, Array]:
    """State space with prescribed positions as inputs: with v = q' + E u, E = M^-1 drag, no derivative of u is left."""
    n, rows = len(model.mass), model.rows
    both = np.hstack((model.stiffness, model.damping, model.force, model.drag))
    K, D, F, E = np.split(accelerations_of(model.mass, both), [n, 2 * n, 2 * n + len(model.inputs)], axis=1)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-K, -D]])
    B = np.vstack((-E, F + D @ E))
    # q' = v - E u, q" = v' - E u'
    C = np.hstack((rows.position - rows.acceleration @ K, rows.rate - rows.acceleration @ D))
    direct = rows.u0 - rows.rate @ E + rows.acceleration @ (F + D @ E)
    _demand_proper(model, rows.u1 - rows.acceleration @ E, rows.u2, C, direct)
    return A, B, C, direct


def accelerations_of(mass: Array, forces: Array) -> Array:
    """mass^-1 forces, whatever the units of the coordinates."""
    unit = 1.0 / np.sqrt(np.diag(mass))
    return np.asarray(unit[:, None] * np.linalg.solve(mass * np.outer(unit, unit), unit[:, None] * forces))


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
    both = np.hstack((model.stiffness, model.damping, model.force, model.drag))
    K, D, F, E = np.split(accelerations_of(model.mass, both), [n, 2 * n, 2 * n + len(model.inputs)], axis=1)
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
