"""Reference configuration of a model in symbols: positions, orientations and inertias with parameters left in them."""

from __future__ import annotations

from typing import Any

from cosserat.errors import ModelError
from cosserat.model.bodies import RigidBody
from cosserat.model.joints import Joint
from cosserat.model.parameters import is_number, parameters_in
from cosserat.model.places import Ground, Place
from cosserat.symbolic.dependency import sp
from cosserat.symbolic.formulas import exact_matrix, number, vector
from cosserat.symbolic.vectors import Matrix, Vector, cross, dot, identity, scale, sub, transposed, unit, zeros


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
