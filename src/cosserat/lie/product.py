"""Direct products of groups, for instance SE(3) x R^m: a floating frame and m modal amplitudes; and R^n itself.

Elements of a product are tuples, one entry per factor; tangent vectors are the factors' vectors one after the other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from cosserat.calls import answering
from cosserat.errors import GeometryError
from cosserat.lie.protocol import Array, Group, structure_constants


@answering
class Product:
    """Direct product of groups.

    Parameters
    ----------
    *groups : Group
        The factors, in order.

    Examples
    --------
    >>> from cosserat.lie import SE3, Product, R
    >>> Product(SE3, R(4)).dim
    10
    """

    def __init__(self, *groups: Group[Any]) -> None:
        self.groups = groups
        ends = np.cumsum([0, *(group.dim for group in groups)])
        self._slices = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        self.dim = int(ends[-1])

    def split(self, x: Any) -> list[Array]:
        """Return the parts of a tangent vector, one per factor."""
        x = np.asarray(x, dtype=float)
        return [x[s] for s in self._slices]

    def identity(self) -> tuple[Any, ...]:
        """Return the tuple of the identities."""
        return tuple(group.identity() for group in self.groups)

    def compose(self, g: tuple[Any, ...], h: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the products, factor by factor."""
        return tuple(group.compose(a, b) for group, a, b in zip(self.groups, g, h, strict=True))

    def inverse(self, g: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the inverses, factor by factor."""
        return tuple(group.inverse(a) for group, a in zip(self.groups, g, strict=True))

    def exp(self, x: Any) -> tuple[Any, ...]:
        """Return the exponentials, factor by factor."""
        return tuple(group.exp(a) for group, a in zip(self.groups, self.split(x), strict=True))

    def log(self, g: tuple[Any, ...]) -> Array:
        """Return the logarithms, one after the other."""
        return np.concatenate([np.zeros(0), *(u.log(a) for u, a in zip(self.groups, g, strict=True))])

    def tangent(self, x: Any) -> Array:
        """Return T(x), block diagonal."""
        return self._diagonal(lambda group, a: group.tangent(a), self.split(x))

    def tangent_inv(self, x: Any) -> Array:
        """Return the inverse of T(x), block diagonal."""
        return self._diagonal(lambda group, a: group.tangent_inv(a), self.split(x))

    def tangent_derivative(self, x: Any, dx: Any) -> Array:
        """Return the directional derivative D T(x)[dx], block diagonal."""
        pairs = list(zip(self.split(x), self.split(dx), strict=True))
        return self._diagonal(lambda group, a: group.tangent_derivative(*a), pairs)

    def tangent_inv_derivative(self, x: Any, dx: Any) -> Array:
        """Return the directional derivative D T^-1(x)[dx], block diagonal."""
        pairs = list(zip(self.split(x), self.split(dx), strict=True))
        return self._diagonal(lambda group, a: group.tangent_inv_derivative(*a), pairs)

    def adjoint(self, g: tuple[Any, ...]) -> Array:
        """Return Ad(g), block diagonal."""
        return self._diagonal(lambda group, a: group.adjoint(a), g)

    def bracket(self, x: Any) -> Array:
        """Return ad(x), block diagonal."""
        return self._diagonal(lambda group, a: group.bracket(a), self.split(x))

    def coadjoint(self, x: Any) -> Array:
        """Return ad(x)^T, block diagonal."""
        return self._diagonal(lambda group, a: group.coadjoint(a), self.split(x))

    def hat(self, x: Any) -> Array:
        """Return the block diagonal matrix of the factors' matrices."""
        return self._diagonal(lambda group, a: group.hat(a), self.split(x))

    def vee(self, X: Any) -> Array:
        """Return the tangent vector of a block diagonal matrix."""
        X = np.asarray(X, dtype=float)
        parts, i = [np.zeros(0)], 0
        for group in self.groups:
            n = group.matrix(group.identity()).shape[0]
            parts.append(group.vee(X[i : i + n, i : i + n]))
            i += n
        return np.concatenate(parts)

    def matrix(self, g: tuple[Any, ...]) -> Array:
        """Return the block diagonal matrix of the factors' matrices."""
        return self._diagonal(lambda group, a: group.matrix(a), g)

    def structure_constants(self) -> Array:
        """Return c[i, j, k]; zero between different factors."""
        return structure_constants(self.dim, self.bracket)

    def random(self, rng: np.random.Generator) -> tuple[Any, ...]:
        """Return a tuple of random elements."""
        return tuple(group.random(rng) for group in self.groups)

    def _diagonal(self, block: Callable[[Group[Any], Any], Array], parts: Any) -> Array:
        blocks = [block(group, part) for group, part in zip(self.groups, parts, strict=True)]
        n = sum(b.shape[0] for b in blocks)
        M, i = np.zeros((n, n)), 0
        for b in blocks:
            M[i : i + len(b), i : i + len(b)] = b
            i += len(b)
        return M

    def __repr__(self) -> str:
        return "Product(" + ", ".join(repr(group) for group in self.groups) + ")"


@dataclass(frozen=True)
class R:
    """The group R^n.

    Elements and tangent vectors are both arrays (n,). The matrix that represents x is the (n+1, n+1) translation
    ``[[1, x], [0, 1]]``. On this group the Poincare-Chetayev equations are Lagrange's.

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
