"""Checks of single arguments. Each returns the numbers now, or raises an error that names item, argument and remedy."""

import inspect
from collections.abc import Collection, Mapping
from keyword import iskeyword
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError, shown
from cosserat.lie import so3
from cosserat.lie.protocol import Array
from cosserat.model.closures import parameters_in
from cosserat.model.parameters import is_number, resolve

LARGEST = 1e100  # so that products of a few numbers stay finite
SMALLEST = 1e-150  # so that products of two are not zero


def fixed(item: str, argument: str, value: Any, hint: str = "pass a number") -> None:
    """Raise if parameters occur where a number is used up at once: it would not follow them."""
    found = next(parameters_in(value), None)
    if found is not None:
        raise ArgumentError(item, argument, f"may not depend on the parameter {found.name!r}; {hint}")


def number(
    item: str, argument: str, value: Any, *, positive: bool = False, nonnegative: bool = False, hint: str = ""
) -> float:
    """A finite float; `positive` excludes zero, `nonnegative` only negative numbers."""
    if not is_number(value):
        raise ArgumentError(item, argument, f"must be a number or a Parameter, got {shown(value)}{hint}")
    x = resolve(value)
    if not np.isfinite(x):
        raise ArgumentError(item, argument, f"is {x}; it must be a finite number{hint}")
    if abs(x) > LARGEST:
        raise ArgumentError(item, argument, f"is {x:g}; numbers beyond {LARGEST:g} cannot be meant{hint}")
    if positive and x <= 0.0:
        raise ArgumentError(item, argument, f"is {x:g}; it must be greater than 0{hint}")
    if nonnegative and x < 0.0:
        raise ArgumentError(item, argument, f"is {x:g}; it must not be negative{hint}")
    return x


def named(item: str, argument: str, values: Mapping[str, Any], taken: Collection[str] | None = None) -> None:
    """Numbers by name; where some names are `taken`, by others that formulas can use."""
    for key, value in values.items():
        if taken is not None and (not isinstance(key, str) or not key.isidentifier() or iskeyword(key) or key in taken):
            raise ArgumentError(item, argument, f"has the name {key!r}; take a word that is free")
        number(item, f"{argument}[{key!r}]", value)


def integer(item: str, argument: str, value: Any, least: int, most: int = 2**31) -> int:
    """An int of at least `least` and at most `most`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise ArgumentError(item, argument, f"must be a whole number, got {shown(value)}")
    if value < least:
        raise ArgumentError(item, argument, f"is {shown(value)}; it must be at least {least}")
    if value > most:
        raise ArgumentError(item, argument, f"is {shown(value)}; it must be at most {most}")
    return int(value)


def strong(item: str, argument: str, values: Array, what: str) -> None:
    """Positive numbers that arithmetic can tell from zero and from infinity."""
    if not (SMALLEST <= values.min() and values.max() <= LARGEST):
        wrong = values.min() if values.min() < SMALLEST else values.max()
        raise ArgumentError(item, argument, f"gives {what} of {wrong:g}, which cannot be meant; check units and sizes")


def flag(item: str, argument: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentError(item, argument, f"must be True or False, got {shown(value)}")
    return bool(value)


def array(item: str, argument: str, value: Any, shape: tuple[int, ...], example: str = "") -> Array:
    """A finite float array of the given shape; entries may be parameters."""
    plain = type(value) is tuple and shape == (len(value),)
    if plain and all(type(x) is float and -LARGEST <= x <= LARGEST for x in value):
        return np.array(value)
    wanted = f"{shape[0]} numbers" if len(shape) == 1 else "x".join(map(str, shape)) + " numbers"
    such_as = f" such as {example}" if example else ""
    if isinstance(value, (str, bytes, dict)) or callable(value):
        raise ArgumentError(item, argument, f"must be {wanted}{such_as}, got {shown(value)}")
    try:
        raw = np.array(value, dtype=object)
    except ValueError:
        raise ArgumentError(item, argument, f"must be {wanted}{such_as}, got rows of unequal length") from None
    if raw.shape != shape:
        got = f"shape {raw.shape}" if raw.ndim else shown(value)
        raise ArgumentError(item, argument, f"must be {wanted}{such_as}, got {got}")
    entries = [*raw.flat]
    for entry in entries:
        if not is_number(entry):
            raise ArgumentError(item, argument, f"must be {wanted}{such_as}; the entry {shown(entry)} is not a number")
    numbers = np.array([resolve(x) for x in entries]).reshape(shape)
    if not np.isfinite(numbers).all():
        raise ArgumentError(item, argument, f"contains {numbers[~np.isfinite(numbers)][0]}; all must be finite")
    if numbers.size and np.abs(numbers).max() > LARGEST:
        raise ArgumentError(item, argument, f"contains numbers beyond {LARGEST:g}, which cannot be meant")
    return numbers


def floats(value: Any) -> Array:
    """Numbers as an array of floats, for checks of one's own; an empty one where they are none."""
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0)


def unit(item: str, argument: str, value: Any) -> Array:
    """A vector of three numbers, made unit length; zero is an error."""
    v = array(item, argument, value, (3,), "(0, 0, 1)")
    norm = float(np.linalg.norm(v))
    if norm < 1e-12:
        raise ArgumentError(item, argument, f"has norm {norm:g}; pass a unit vector such as {argument}=(0, 0, 1)")
    return v / norm


def symmetric(item: str, argument: str, matrix: Array) -> None:
    """A symmetric matrix (to 1e-9 of its largest entry)."""
    gap = np.abs(matrix - matrix.T)
    if gap.max() > 1e-9 * max(float(np.abs(matrix).max()), 1e-300):
        i, j = np.unravel_index(int(np.argmax(gap)), gap.shape)
        raise ArgumentError(
            item, argument, f"is not symmetric: entry ({i}, {j}) is {matrix[i, j]:g} but ({j}, {i}) is {matrix[j, i]:g}"
        )


def rotation(item: str, argument: str, value: Any) -> Array:
    """A rotation matrix from 3x3 numbers or a unit quaternion (w, x, y, z)."""
    try:
        size = len(value)
    except TypeError:
        size = 0
    if size == 4:
        q = array(item, argument, value, (4,))
        if abs(float(q @ q) - 1.0) > 1e-6:
            raise ArgumentError(item, argument, f"is a quaternion of norm {np.linalg.norm(q):g}; it must be 1")
        return so3.from_quaternion(q)
    R = array(item, argument, value, (3, 3), "a rotation matrix or a quaternion (w, x, y, z)")
    error = float(np.abs(R.T @ R - np.eye(3)).max())
    if error > 1e-6:
        raise ArgumentError(item, argument, f"is not orthonormal (R^T R differs from I by {error:.1e})")
    if np.linalg.det(R) < 0.0:
        raise ArgumentError(item, argument, "is a reflection (determinant -1); pass a right-handed frame")
    return R


def lowest(matrix: Array) -> float:
    """Least eigenvalue of a symmetric matrix scaled to a unit diagonal, so that units do not count.

    It is -inf where that is not finite: something acts across a direction in which there is nothing.
    """
    size = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    size = np.where(size > 0.0, size, np.sqrt(np.finfo(float).tiny))
    with np.errstate(over="ignore"):
        scaled = matrix / size[:, None] / size
    return float(np.linalg.eigvalsh(scaled)[0]) if np.isfinite(scaled).all() else -np.inf


def tensor(item: str, argument: str, value: Any) -> Array:
    """3x3 numbers, or the diagonal ones of them."""
    try:
        flat = len(value) == 3 and all(is_number(x) for x in value)
    except TypeError:
        flat = False
    return np.diag(array(item, argument, value, (3,))) if flat else array(item, argument, value, (3, 3))


def inertia(item: str, argument: str, value: Any) -> Array:
    """A physical inertia tensor: 3x3 (or its three diagonal entries), positive definite, triangle inequality."""
    J = tensor(item, argument, value)
    symmetric(item, argument, J)
    principal = np.linalg.eigvalsh(0.5 * (J + J.T))
    if principal[0] <= 0.0:
        raise ArgumentError(
            item, argument, f"is not positive definite: its principal values are {listed(principal, 4)}; "
            "give a point mass a small inertia, for instance with RigidBody.sphere"
        )  # fmt: skip
    if principal[0] + principal[1] < principal[2] * (1.0 - 1e-6):
        raise ArgumentError(
            item, argument, f"violates the triangle inequality: no body has principal values {listed(principal, 4)} "
            "(the largest exceeds the sum of the others); is it taken about the centre of mass?"
        )  # fmt: skip
    return J


def listed(values: Any, digits: int = 6) -> str:
    """Numbers as messages show them, in brackets."""
    return "(" + ", ".join(f"{v:.{digits}g}" for v in values) + ")"


def arguments(item: str, argument: str, function: Any, *names: str, known: bool = False) -> None:
    """Raise if something that can be called does not take these arguments; `known`: or if nobody can tell."""
    if not callable(function):
        return
    try:
        inspect.signature(getattr(function, "py_func", function)).bind(*names)
    except (TypeError, ValueError) as error:  # ValueError: a function that does not tell what it takes
        if known or isinstance(error, TypeError):
            wanted = f"a function of ({', '.join(names)})"
            raise ArgumentError(item, argument, f"must be {wanted}; it takes other arguments") from None
