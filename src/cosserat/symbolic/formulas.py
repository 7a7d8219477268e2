"""Numbers, parameters, functions of time and the reference configuration of a model as SymPy expressions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.errors import ModelError
from cosserat.model import algebra
from cosserat.model.algebra import exact, formula, sp
from cosserat.model.bodies import RigidBody
from cosserat.model.closures import parameters_in
from cosserat.model.expressions import FUNCTIONS, SWITCHING, Operators
from cosserat.model.functions import TimeFunction
from cosserat.model.joints import Joint
from cosserat.model.parameters import Parameter, ParameterLike, is_number, resolve
from cosserat.model.places import Ground, Place
from cosserat.symbolic.vectors import Matrix, Vector, cross, dot, identity, scale, sub, transposed, unit, zeros

T = sp.Symbol("t")
"""Time."""


def exact_matrix(R: Any) -> list[list[sp.Expr]]:
    """A matrix of numbers of the size of 1, entry by entry; what is zero but for rounding becomes zero."""
    return [[sp.S.Zero if abs(x) < 1e-15 else exact(x) for x in row] for row in np.asarray(R, float)]


def symbol_of(parameter: Parameter) -> sp.Symbol:
    """The symbol of a parameter: its name."""
    return sp.Symbol(parameter.name)


def number(value: Any) -> sp.Expr:
    """A number, a parameter (its symbol) or a formula of parameters."""
    if isinstance(value, Parameter):
        return symbol_of(value)
    if isinstance(value, ParameterLike):
        return formula(value.text, {name: symbol_of(p) for name, p in value.parameters.items()})
    return exact(resolve(value))


def vector(values: Any) -> list[sp.Expr]:
    """Several numbers."""
    return [number(x) for x in values]


def function_of_time(function: TimeFunction) -> sp.Expr | None:
    """The expression in `T` of a function of time; None if it is Python code that cannot be followed with symbols."""
    if is_number(function.source):
        return number(function.source)
    if function.text is not None:
        names = {name: symbol_of(p) for name, p in function.parameters.items()}
        return formula(function.text, {**names, function.variable: T})
    source = function.source[0] if isinstance(function.source, tuple) else function.source
    try:
        found = source(Traced(T))
    except Exception:  # whatever the user's function raises for something that is no number
        return None
    return found.expression if isinstance(found, Traced) else _number_or_none(found)


def _number_or_none(value: Any) -> sp.Expr | None:
    return number(value) if is_number(value) else None


# Python functions -----------------------------------------------------------------------------------------------------

_SMOOTH = {known[1]: algebra.FUNCTIONS[name] for name, known in FUNCTIONS.items() if name not in SWITCHING}
_UFUNCS: dict[Any, Callable[..., Any]] = _SMOOTH | {
    np.absolute: sp.Abs, np.sign: sp.sign, np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul,
    np.true_divide: operator.truediv, np.power: operator.pow, np.negative: operator.neg, np.square: lambda a: a**2,
}  # fmt: skip


class Traced(Operators):
    """A symbol that goes through a user's function and comes out as the expression of what was done to it."""

    def __init__(self, expression: sp.Expr) -> None:
        self.expression = expression

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs or ufunc not in _UFUNCS:
            return NotImplemented
        return Traced(_UFUNCS[ufunc](*(_untraced(x) for x in inputs)))

    def _apply(self, function: Any, *operands: Any) -> Any:
        known = function in _UFUNCS and all(isinstance(x, Traced) or is_number(x) for x in operands)
        return self.__array_ufunc__(function, "__call__", *operands) if known else NotImplemented

    __abs__ = None  # type: ignore[assignment]  # a function that calls it is sampled

    def __bool__(self) -> bool:
        raise TypeError("a function that asks for the value of its variable has no formula")

    def __eq__(self, other: object) -> bool:
        return bool(self)  # raises: Python would say that the symbol is no number


def _untraced(x: Any) -> sp.Expr:
    return x.expression if isinstance(x, Traced) else number(x)


def place_position(place: Place) -> Vector:
    """Position of a place in world coordinates."""
    if place._point is not None:
        return vector(place._point)
    return vector(place.owner.as_given("com")) if isinstance(place.owner, RigidBody) else zeros()


def joint_position(joint: Joint) -> Vector:
    """Position of a joint in world coordinates."""
    if joint.as_given("_at") is not None:
        return vector(joint.as_given("_at"))
    anywhere = isinstance(joint.child.owner, Ground) and joint.child.point is None
    return place_position(joint.parent if anywhere else joint.child)


def joint_axes(joint: Joint) -> Matrix:
    """Orientation of the joint frame."""
    for argument in ("axis", "normal", "axes"):
        given = joint._given.get(argument)
        if given is not None and list(parameters_in(given)):
            if argument == "axes":
                x, y = (unit(vector(row)) for row in given)
                return transposed([x, y, cross(x, y)])
            z = unit(vector(given))
            first = identity()[0 if abs(joint.axes()[0, 2]) < 0.9 else 1]  # as `axes_about` chooses
            x = unit(sub(first, scale(dot(first, z), z)))
            return transposed([x, cross(z, x), z])
    return exact_matrix(joint.axes())


def has_symbolic_axes(joint: Joint | None) -> bool:
    """Whether the orientation of the joint frame depends on parameters."""
    words = ("axis", "normal", "axes")
    return joint is not None and any(list(parameters_in(joint._given.get(word))) for word in words)


def aligned(J: Matrix, axis: int, sign: float) -> Matrix:
    """The orientation turned so that its z axis is sign times the given one, as `compile.tree` does it."""
    columns = transposed(J)
    x, y, z = (columns[(axis + k) % 3] for k in (1, 2, 0))
    return transposed([x, y, z] if sign > 0.0 else [y, x, [-c for c in z]])


def body_rotation(body: RigidBody) -> Matrix:
    """The body's axes."""
    given = body.as_given("_rotation")
    if list(parameters_in(given)):
        if len(given) == 4:
            raise ModelError(
                f"{body.title}: rotation is a quaternion with the parameter "
                f"{next(iter(parameters_in(given))).name!r} in it; give the matrix instead"
            )
        return [vector(row) for row in given]
    return exact_matrix(body.rotation)


def body_inertia(body: RigidBody) -> Matrix:
    """Inertia about the centre of mass, in the body's axes."""
    given: Any = body.as_given("inertia")
    if all(is_number(x) for x in given):
        diagonal = vector(given)
        return [[diagonal[i] if i == j else sp.S.Zero for j in range(3)] for i in range(3)]
    return [vector(row) for row in given]


def body_mass(body: RigidBody) -> sp.Expr:
    """Mass."""
    return number(body.as_given("mass"))
