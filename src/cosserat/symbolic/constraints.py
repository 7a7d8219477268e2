"""Constraints of a mechanism in symbols: closed loops, knife edges, rolling discs, prescribed motions."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any, NamedTuple

from cosserat.compile.rows import freedom_geometry, joint_rows
from cosserat.errors import SolveError
from cosserat.kernels.freedoms import ROTATION_VECTOR, SLIDE, sine_and_cosine
from cosserat.kernels.joint_rows import SCREW
from cosserat.kernels.joint_rows import value as row_value
from cosserat.kernels.recursion.table import FREE, SPHERICAL
from cosserat.model.algebra import sp
from cosserat.model.closures import parameters_in
from cosserat.model.joints import Joint
from cosserat.model.rolling import KnifeEdge, Rolling, RollingDisc
from cosserat.model.servos import servos_of
from cosserat.symbolic.forces import Forces
from cosserat.symbolic.formulas import T, exact_matrix, function_of_time, joint_axes, joint_position, number, vector
from cosserat.symbolic.mechanism import GROUND_LINK, SymbolicMechanism
from cosserat.symbolic.vectors import (
    ONE,
    ZERO,
    Matrix,
    Vector,
    cross,
    dot,
    matmul,
    mul,
    mul_t,
    scale,
    sub,
    transposed,
    zeros,
)


class ConstraintRow(NamedTuple):
    """One constraint: A v + drift = 0 and A a + bias = 0; the first is the rate of `gap` where there is one."""

    name: str
    A: list[sp.Expr]
    drift: sp.Expr
    bias: sp.Expr
    gap: sp.Expr | None
    period: sp.Expr = ZERO  # by which the gap is unknown: a turn of a screw


class Constraints:
    """Rows of all constraints, in the order: loops, rolling, prescribed motions."""

    def __init__(self, mechanism: SymbolicMechanism, forces: Forces) -> None:
        self.mechanism, self.forces = mechanism, forces
        self.rows: list[ConstraintRow] = []
        for loop in mechanism.data.loops:
            self._close(loop.joint)
        for item in mechanism.model.rolling:
            self._roll(item)
        for place, joint, motion in mechanism.data.prescribed:
            self._drive(place, joint, motion)

    def _holonomic(self, name: str, gap: sp.Expr, period: sp.Expr = ZERO) -> None:
        mechanism = self.mechanism
        A = mechanism.gradient(gap)
        self.rows.append(ConstraintRow(name, A, ZERO, self._bias(A), gap, period))

    def _bias(self, A: list[sp.Expr]) -> sp.Expr:
        """A_dot v."""
        return dot([self.mechanism.rate(x) for x in A], self.mechanism.v)

    # loops ----------------------------------------------------------------------------------------------------------

    def _relative(self, joint: Joint) -> tuple[Matrix, Vector, tuple[int, Matrix], tuple[int, Matrix]]:
        """Rotation and position of the child's joint frame in the parent's, and both sides."""
        mechanism = self.mechanism
        axes, x = joint_axes(joint), joint_position(joint)
        sides = []
        for place in (joint.parent, joint.child):
            link = GROUND_LINK if place.on_ground else mechanism.data.carrier[place.owner.name]
            sides.append((link, mechanism.axes_within(link, axes), mechanism.within(link, x)[1]))
        (a, R_a, r_a), (b, R_b, r_b) = sides
        path_a, path_b = ((-1, *mechanism.paths[l]) if l >= 0 else (-1,) for l in (a, b))
        root = max(l for l in path_a if l in path_b)
        A = matmul(mechanism.rotation(root, a), R_a)
        B = matmul(mechanism.rotation(root, b), R_b)
        between = sub(mechanism.seen_from(root, b, r_b), mechanism.seen_from(root, a, r_a))
        return matmul(transposed(A), B), mul_t(A, between), (a, R_a), (b, R_b)

    def _close(self, joint: Joint) -> None:
        if any(motion is not None for motion in joint.motion):
            raise SolveError(
                f"lagrange: {joint.title} closes a loop and has a motion; give the motion to another joint of the loop"
            )
        R, x, side_a, side_b = self._relative(joint)
        pitch, angle = number(joint._given.get("pitch", 0)), sp.atan2(R[1][0], R[0][0])
        for k, row in enumerate(joint_rows(joint).rows):
            a, b = (exact_matrix([v])[0] for v in (row.a, row.b))
            gap = row_value(row.kind, a, b, pitch, angle, tuple(itertools.chain(*R)), x, zeros())
            self._holonomic(f"{joint.name}_{k}", gap, 2 * sp.pi * pitch if row.kind == SCREW else ZERO)
        for index in range(len(joint.freedoms)):
            self._act(joint, index, R, x, side_a, side_b)
        given = self.mechanism.model[joint.name]  # the tree's model has no potentials
        assert isinstance(given, Joint)
        if given.potential is not None:
            if joint.isotropic:
                raise SolveError(
                    f"lagrange: {joint.title} closes a loop and has a potential of its rotation vector, for which "
                    "there is no formula; give the potential to another joint of the loop"
                )
            coordinates = [self._coordinate(joint, index, R, x) for index in range(len(joint.freedoms))]
            self.forces.add_joint_energy(given, coordinates)

    def _act(self, joint: Joint, index: int, R: Matrix, x: Vector, side_a: Any, side_b: Any) -> None:
        """Spring, damper, friction and effort in a freedom of a joint that was cut."""
        mechanism = self.mechanism
        given = (joint._stiffness[index], joint._damping[index])
        acts = joint.friction[index] is not None or joint.effort[index] is not None
        acts = acts or (joint.name, index) in servos_of(mechanism.model)
        if not acts and all(number(value) is ZERO for value in given):
            return
        freedom = freedom_geometry(joint, index)
        if freedom.kind != ROTATION_VECTOR:
            coordinate = self._coordinate(joint, index, R, x)
            row = mechanism.gradient(coordinate)
        elif number(joint._stiffness[index]) is not ZERO:
            raise SolveError(
                f"lagrange: {joint.title} closes a loop and has a stiffness about its rotation vector, for which "
                "there is no formula; put the spring into another joint of the loop"
            )
        else:
            coordinate = ZERO
            axis, (a, R_a), (b, _) = exact_matrix([freedom.axis])[0], side_a, side_b
            world = mul(mechanism.rotation(-1, a), mul(R_a, axis)) if a >= 0 else mul(R_a, axis)
            J_a, J_b = (mechanism.world_jacobian(l, [ZERO] * 3) for l in (a, b))
            row = [dot(world, sub(one[3:], two[3:])) for one, two in zip(J_b, J_a, strict=True)]
        self.forces.act(joint, index, coordinate, row)

    @staticmethod
    def _coordinate(joint: Joint, index: int, R: Matrix, x: Vector) -> sp.Expr:
        """A coordinate of a joint that was cut, of the child's joint frame in the parent's; no rotation vectors."""
        freedom = freedom_geometry(joint, index)
        axis, c, s = (exact_matrix([v])[0] for v in (freedom.axis, freedom.cosine, freedom.sine))
        if freedom.kind == SLIDE:
            return dot(axis, x)
        exact = SimpleNamespace(kind=(freedom.kind,), cosine=(c,), sine=(s,))
        return sp.atan2(*sine_and_cosine(exact, 0, tuple(itertools.chain(*R))))

    # rolling --------------------------------------------------------------------------------------------------------

    def _roll(self, item: Rolling) -> None:
        mechanism = self.mechanism
        if not isinstance(item, (KnifeEdge, RollingDisc)):
            raise SolveError(f"lagrange: {item.title} has a law in code, not in symbols; use cs.simulate")
        for argument in ("direction", "axis", "normal"):
            for parameter in parameters_in(item._given.get(argument)):
                raise SolveError(
                    f"lagrange: {item.title}: {argument} depends on the parameter {parameter.name!r}; pass numbers"
                )
        link, r = mechanism.locate(item.place)
        J = mechanism.world_jacobian(link, r)
        R = mechanism.rotation(-1, link)
        if isinstance(item, KnifeEdge):
            d = mul(R, _direction(mechanism, link, item.direction))
            A = [dot(d, column[:3]) for column in J]
            self.rows.append(ConstraintRow(item.name, A, ZERO, self._bias(A), None))
            return
        e = mul(R, _direction(mechanism, link, item.axis))
        directions = exact_matrix(item.directions)
        k, radius = directions[0], number(item.as_given("radius"))
        c = dot(k, e)
        size = sp.sqrt(1 - c**2)
        arm = scale(-radius / size, sub(k, scale(c, e)))
        height = dot(k, sub(mechanism.world_position(link, r), vector(item.as_given("point")))) - radius * size
        for name, d, gap in zip(("normal", "first", "second"), directions, (height, None, None), strict=True):
            lever = cross(arm, d)
            A = [dot(d, column[:3]) + dot(lever, column[3:]) for column in J]
            self.rows.append(ConstraintRow(f"{item.name}_{name}", A, ZERO, self._bias(A), gap))

    # motions --------------------------------------------------------------------------------------------------------

    def _drive(self, place: int, joint: Joint, motion: Any) -> None:
        mechanism = self.mechanism
        name = mechanism.coordinates[place]
        if any(link.joint is joint and link.kind in (SPHERICAL, FREE) for link in mechanism.data.links):
            raise SolveError(
                f"lagrange: {joint.title} has a motion in coordinates whose derivatives are not its velocities, for "
                "which there are no rows; use cs.simulate"
            )
        A = [ONE if j == place else ZERO for j in range(len(mechanism.q))]
        f = function_of_time(motion)
        if f is not None:
            jet = [f, f.diff(T), f.diff(T, 2)]
        else:
            jet = self.forces.jet_inputs(f"motion_{name}", motion)
        self.rows.append(ConstraintRow(f"motion_{name}", A, -jet[1], -jet[2], mechanism.q[place] - jet[0]))


def _direction(mechanism: SymbolicMechanism, link: int, d: Any) -> Vector:
    """A unit vector of the reference configuration, in the frame of a link."""
    column = exact_matrix([d])[0]
    return [row[0] for row in mechanism.axes_within(link, [[x, ZERO, ZERO] for x in column])]
