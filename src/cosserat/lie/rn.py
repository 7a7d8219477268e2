"""The commutative group R^n: joint coordinates, modal amplitudes, pure translations.

Elements and tangent vectors are both arrays (n,). The matrix that represents x is the (n+1, n+1)
translation ``[[1, x], [0, 1]]``. On this group the Poincare-Chetayev equations are Lagrange's.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cosserat.errors import GeometryError
from cosserat.lie.protocol import Array


@dataclass(frozen=True)
class R:
    """The group R^n.

    Parameters
    ----------
    n : int
        Dimension, at least 0.

    Examples
    --------
    >>> from cosserat.lie import R
    >>> R(2).compose(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    array([4., 6.])
    """

    n: int

    def __post_init__(self) -> None:
        if self.n < 0:
            raise GeometryError(f"R(n): n is {self.n}; pass a dimension of 0 or more")

    @property
    def dim(self) -> int:
        """Dimension n."""
        return self.n

    def identity(self) -> Array:
        """Return zeros (n,)."""
        return np.zeros(self.n)

    def compose(self, g: Array, h: Array) -> Array:
        """Return the sum."""
        return np.asarray(g + h)

    def inverse(self, g: Array) -> Array:
        """Return the opposite."""
        return np.asarray(-g)

    def exp(self, x: Any) -> Array:
        """Return x."""
        return np.array(x, dtype=float)

    def log(self, g: Array) -> Array:
        """Return g."""
        return np.array(g)

    def tangent(self, x: Any) -> Array:
        """Return the unit matrix."""
        return np.eye(self.n)

    def tangent_inv(self, x: Any) -> Array:
        """Return the unit matrix."""
        return np.eye(self.n)

    def tangent_derivative(self, x: Any, dx: Any) -> Array:
        """Return zero."""
        return np.zeros((self.n, self.n))

    def tangent_inv_derivative(self, x: Any, dx: Any) -> Array:
        """Return zero."""
        return np.zeros((self.n, self.n))

    def adjoint(self, g: Array) -> Array:
        """Return the unit matrix: the group is commutative."""
        return np.eye(self.n)

    def bracket(self, x: Any) -> Array:
        """Return zero."""
        return np.zeros((self.n, self.n))

    def coadjoint(self, x: Any) -> Array:
        """Return zero."""
        return np.zeros((self.n, self.n))

    def hat(self, x: Any) -> Array:
        """Return ``[[0, x], [0, 0]]``, (n+1, n+1)."""
        X = np.zeros((self.n + 1, self.n + 1))
        X[: self.n, self.n] = x
        return X

    def vee(self, X: Any) -> Array:
        """Return the last column without its last entry."""
        return np.array(X, dtype=float)[: self.n, self.n]

    def matrix(self, g: Array) -> Array:
        """Return ``[[1, g], [0, 1]]``, (n+1, n+1)."""
        return np.eye(self.n + 1) + self.hat(g)

    def structure_constants(self) -> Array:
        """Return zeros (n, n, n)."""
        return np.zeros((self.n, self.n, self.n))

    def random(self, rng: np.random.Generator) -> Array:
        """Return a standard normal vector."""
        return rng.standard_normal(self.n)
