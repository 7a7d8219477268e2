"""States that laws own, as states of a linear model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.lie.protocol import Array


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
