"""What every group offers: the same names, in the same order, for SO(3), SE(3), SE(2), R^n and products."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
"""Float64 array; shapes are in the docstrings."""

G = TypeVar("G")


class Group(Protocol[G]):
    """A Lie group with elements of type ``G`` and tangent vectors of shape (dim,).

    Everything is left-trivialised: a velocity ``eta`` of a motion g(t) is ``g^-1 g_dot = hat(eta)``.
    The tangent operator T of the exponential is defined by ``d exp(x)[dx] = exp(x) hat(T(x) dx)``.
    Derivatives of operators are directional: ``tangent_derivative(x, dx)`` is the matrix ``D T(x)[dx]``,
    linear in dx, so that the column i of d(T(x) y)/dx is ``tangent_derivative(x, e_i) @ y``.
    """

    @property
    def dim(self) -> int:
        """Dimension of the group, length of its tangent vectors."""
        ...

    def identity(self) -> G:
        """Neutral element."""
        ...

    def compose(self, g: G, h: G) -> G:
        """Product g h."""
        ...

    def inverse(self, g: G) -> G:
        """Element with ``compose(g, inverse(g)) = identity``."""
        ...

    def exp(self, x: Any) -> G:
        """Exponential of a tangent vector (dim,)."""
        ...

    def log(self, g: G) -> Array:
        """Tangent vector (dim,) of least angle with ``exp(log(g)) = g``."""
        ...

    def tangent(self, x: Any) -> Array:
        """T(x), (dim, dim): ``d exp(x)[dx] = exp(x) hat(T(x) dx)``."""
        ...

    def tangent_inv(self, x: Any) -> Array:
        """Inverse of T(x), (dim, dim)."""
        ...

    def tangent_derivative(self, x: Any, dx: Any) -> Array:
        """D T(x)[dx], (dim, dim)."""
        ...

    def tangent_inv_derivative(self, x: Any, dx: Any) -> Array:
        """D T^-1(x)[dx], (dim, dim)."""
        ...

    def adjoint(self, g: G) -> Array:
        """Ad(g), (dim, dim): ``g exp(x) g^-1 = exp(Ad(g) x)``."""
        ...

    def bracket(self, x: Any) -> Array:
        """ad(x), (dim, dim): ``hat(ad(x) y) = hat(x) hat(y) - hat(y) hat(x)``."""
        ...

    def coadjoint(self, x: Any) -> Array:
        """ad(x)^T, (dim, dim); a free body moves with ``mu_dot = coadjoint(eta) mu``."""
        ...

    def hat(self, x: Any) -> Array:
        """Matrix of the Lie algebra, in the representation of `matrix`."""
        ...

    def vee(self, X: Any) -> Array:
        """Inverse of `hat`."""
        ...

    def matrix(self, g: G) -> Array:
        """Square matrix that represents g: ``matrix(g h) = matrix(g) matrix(h)``."""
        ...

    def structure_constants(self) -> Array:
        """Array c, (dim, dim, dim): ``[e_i, e_j] = sum_k c[i, j, k] e_k``."""
        ...

    def random(self, rng: np.random.Generator) -> G:
        """A random element: uniform rotation, standard normal translation."""
        ...


def structure_constants(dim: int, bracket: Any) -> Array:
    """Return c[i, j, k] of a group of dimension ``dim`` from its ad matrices."""
    c = np.zeros((dim, dim, dim))
    for i, e in enumerate(np.eye(dim)):
        c[i] = bracket(e).T
    return c + 0.0  # no negative zeros


class ModuleGroup:
    """The group whose functions are those of a module."""

    def __init__(self, name: str, dim: int, functions: Mapping[str, Any]) -> None:
        self._name, self.dim = name, dim
        for each in vars(Group):
            if not each.startswith("_") and each != "dim":
                setattr(self, each, functions[each])

    def __repr__(self) -> str:
        return self._name


def module_group(name: str, dim: int, functions: Mapping[str, Any]) -> Any:
    """The group of a module with these functions."""
    return ModuleGroup(name, dim, functions)
