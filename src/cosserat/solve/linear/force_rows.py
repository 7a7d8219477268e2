"""Outputs that are forces, linearised exactly: reactions and efforts of joints, section forces and strains of beams."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import row_to_frame
from cosserat.compile.series import skew
from cosserat.errors import SolveError
from cosserat.kernels.freedoms import ANGLE_CHILD, ROTATION_VECTOR, SLIDE
from cosserat.lie import se3
from cosserat.results.beams import medium_of, strains
from cosserat.results.joints import Sides, joint_sides, spin_rates
from cosserat.results.kinematics import place_frames
from cosserat.results.mechanism import JointInfo, Station
from cosserat.results.motion import Motion
from cosserat.solve.linear.input_columns import line_column, servo_slopes
from cosserat.solve.linear.kinematic_rows import (
    change_in_time,
    joint_jacobian,
    place_jacobian,
    spin_jacobian,
    still_motion,
)
from cosserat.solve.linear.matrices import constraint_matrix
from cosserat.solve.linear.output_rows import Rows, coordinate_names
from cosserat.solve.linear.parts import Part, burden_part, elastic_part, joint_part
from cosserat.solve.linear.point import MOMENT, Point
from cosserat.solve.linear.quantities import joint_values, section_values

Array = NDArray[np.float64]


class Forced:
    """A vector with its dependence on x, x', x", the multipliers, and forces that act through a joint."""

    def __init__(self, value: Array, parts: Sequence[Array]) -> None:
        self.value, self.parts = value, list(parts)

    def mapped(self, matrix: Array) -> Forced:
        """A constant matrix times it."""
        return Forced(matrix @ self.value, [matrix @ part for part in self.parts])

    def changed(self, change: Array) -> Forced:
        """With a change (p, 6n) that follows from x."""
        return Forced(self.value, [self.parts[0] + change, *self.parts[1:]])

    def __add__(self, other: Forced) -> Forced:
        return Forced(self.value + other.value, [a + b for a, b in zip(self.parts, other.parts, strict=True)])

    def rows(self, names: Sequence[str], kind: str, evaluate: Callable[[Motion], Array], joint: int = -1) -> Rows:
        """As outputs."""
        position, rate, acceleration, multiplier, through = self.parts
        kinds = ("effort", "target", "motion") if kind == "reaction" else ("motion",)
        passing = (joint, kinds, through) if joint >= 0 else None
        return Rows(tuple(names), kind, position, rate, acceleration, multiplier, evaluate, passing)


def _exerted(point: Point, part: Part, node: int, joint: int = -1) -> Forced:
    """What a part exerts ON a node (minus its residual), in the node's frame."""
    multiplier = np.zeros((6, point.n_constraints))
    through = np.zeros((6, 6 * point.compiled.n_nodes))
    if joint >= 0:
        counts = [len(rows) for rows in point.independent_rows]
        rows = slice(sum(counts[:joint]), sum(counts[: joint + 1]))
        columns = slice(6 * node, 6 * node + 6)
        multiplier[:, rows] = -constraint_matrix(point)[rows, columns].toarray().T
        through[:, columns] = np.eye(6)
    value, *parts = part.at(node)
    return Forced(-value, [*(-p for p in parts), multiplier, through])


def _wrench_on_child(point: Point, joint: JointInfo, sides: Sides, passive: bool) -> Forced:
    """Wrench (6,) on the child about its joint frame's origin, in world axes."""
    arrays, n = point.compiled.system.joints, point.compiled.n_nodes
    a, b = arrays.node[joint.index]
    node, row, R = (b, arrays.frame_b, sides.R_b[0]) if b < n else (a, arrays.frame_a, sides.R_a[0])
    F = row_to_frame(row[joint.index])
    wrench = _exerted(point, joint_part(point, joint.index, passive), node, joint.index)
    wrench = wrench.mapped(np.kron(np.eye(2), R) @ se3.adjoint(F).T)
    J = place_jacobian(point, Station(int(node), int(node), 0.0, F))
    f, m = skew(wrench.value[:3]), skew(wrench.value[3:])
    wrench = wrench.changed(np.vstack((-f @ J[3:], -m @ J[3:])))
    if b < n:
        return wrench
    # the child is the ground: minus the wrench on the parent, moved from the parent's origin to the child's
    arm = np.eye(6)
    arm[3:, :3] = skew(sides.x_a[0] - sides.x_b[0])
    return wrench.changed(np.vstack((0.0 * J[:3], -f @ J[:3]))).mapped(-arm)


def reaction_rows(point: Point, joint: JointInfo, names: Sequence[str]) -> Rows:
    """Wrench of the parent on the child about the child's joint frame, in world axes: six outputs."""
    wrench = _wrench_on_child(point, joint, joint_sides(still_motion(point), joint.index), passive=True)
    return wrench.rows(names, "reaction", joint_values("reaction", joint), joint.index)


def effort_rows(point: Point, joint: JointInfo, names: Sequence[str]) -> Rows:
    """Efforts in all freedoms of a joint: of the drive where the motion is prescribed, else passive and applied."""
    sides = joint_sides(still_motion(point), joint.index)
    wrench = _wrench_on_child(point, joint, sides, passive=False) if any(joint.driven) else None
    lines = []
    for i in range(len(joint.freedoms)):
        if wrench is not None and joint.driven[i]:
            lines.append(_along_freedom(point, joint, i, sides, wrench))
        else:
            lines.append(_passive_effort(point, joint, i))
    value = np.concatenate([line.value for line in lines])
    both = Forced(value, [np.vstack(parts) for parts in zip(*(line.parts for line in lines), strict=True)])
    rows = both.rows(names, "effort", joint_values("effort", joint), joint.index)
    return replace(rows, own=coordinate_names(joint))


def _along_freedom(point: Point, joint: JointInfo, i: int, sides: Sides, wrench: Forced) -> Forced:
    """The part of a wrench on the child that works in freedom i, as an effort (1,)."""
    arrays, freedom = point.compiled.system.joints, joint.freedoms[i]
    on_child = freedom.kind == ANGLE_CHILD
    axis = (sides.R_b[0] if on_child else sides.R_a[0]) @ freedom.axis
    node = int(arrays.node[joint.index][int(on_child)])
    turn = place_jacobian(point, Station(node, node, 0.0, np.eye(4)))[3:]
    change = -skew(axis) @ turn  # of the axis, which its node carries along
    share = (1.0, 0.0) if freedom.kind == SLIDE else (float(arrays.pitch[joint.index]), 1.0)
    pick = np.concatenate([s * axis for s in share])[None]
    extra = sum(s * wrench.value[3 * k : 3 * k + 3] @ change for k, s in enumerate(share))
    return wrench.mapped(pick).changed(np.atleast_2d(extra))


def _passive_effort(point: Point, joint: JointInfo, i: int) -> Forced:
    """Effort (1,) of spring, damper, friction and servo; what is applied comes in as an input."""
    n, k = point.compiled.n_nodes, joint.active[i]
    none = [np.zeros((1, size)) for size in (6 * n, 6 * n, 6 * n, point.n_constraints, 6 * n)]
    if k < 0:
        return Forced(np.zeros(1), none)
    freedoms = point.compiled.system.freedoms
    if joint.freedoms[i].kind == ROTATION_VECTOR and point.kind == MOMENT:
        raise SolveError(
            f"joint {joint.name!r}: the effort in a rotation vector is an output about an equilibrium or a steady "
            "rotation only, not about a moment of a run; ask for the reaction"
        )
    spin = spin_jacobian(point, joint)[i : i + 1]
    drift = change_in_time(point, lambda frames: spin_jacobian(point, joint, frames)[i : i + 1])
    speed = float(spin_rates(still_motion(point), joint)[0, i]) / freedoms.speed[k]
    slope = freedoms.damping[k] + freedoms.friction[k] / freedoms.speed[k] / np.cosh(speed) ** 2
    by_q, by_rate, _ = servo_slopes(point, joint, i)
    slope -= by_rate
    position = (by_q - freedoms.stiffness[k]) * joint_jacobian(point, joint)[i : i + 1] - slope * drift
    return Forced(np.zeros(1), [position, -slope * spin, *none[2:]])


def section_rows(point: Point, beam: str, s: float, kind: str, names: Sequence[str]) -> Rows:
    """Section forces or strains of a beam at s in the section's own frame: six outputs; see `results.beams`."""
    mechanism = point.mechanism
    mesh = mechanism.beams[beam]
    e, xi = mesh.element_at(s)
    a, b = (int(i) for i in point.compiled.system.elements.node[e])
    station = Station(a, b, xi, None)
    (R,), (x,) = place_frames(still_motion(point), station)
    H = se3.frame(R, x)
    own = np.kron(np.eye(2), R.T) @ place_jacobian(point, station)  # of the section, in its own axes
    burden = burden_part(point, beam, e)
    columns = np.eye(6 * point.compiled.n_nodes).reshape(point.compiled.n_nodes, 6, -1)

    def carried(node: int, force: Forced) -> Forced:
        """A wrench given in a node's frame, in that of the section, which slips against it."""
        F = se3.inverse(row_to_frame(point.memory.problem.trial.frame[node])) @ H
        there = force.mapped(se3.adjoint(F).T)
        slip = own - se3.adjoint(se3.inverse(F)) @ columns[node]
        f, m = skew(there.value[:3]), skew(there.value[3:])
        return there.changed(np.block([[np.zeros((3, 3)), f], [f, m]]) @ slip)

    def weighted(node: int, weight: float) -> Forced:
        share = _exerted(point, burden, node).mapped(0.5 * weight * np.eye(6))
        return share + carried(node, share)

    inner = _exerted(point, elastic_part(point, e, viscous=kind == "section_force"), a)
    total = carried(a, inner) + weighted(a, 1.0 - xi) + weighted(b, -xi)
    compliance: Array = np.eye(6)
    if kind != "section_force":
        medium, at = medium_of(mechanism, beam), strains(still_motion(point), beam, s)[0]
        compliance = mechanism.compliance(beam, s) if medium is None else np.asarray(np.linalg.inv(medium.modulus(at)))
    rows = total.mapped(compliance).rows(names, kind, section_values(kind, beam, s))

    def along(column: int, unit: Array) -> Array:
        out = np.zeros(6)
        for line in mechanism.line_loads(beam):
            if line.columns[e - mesh.first_element] != column:
                continue
            for node, weight, side in ((a, 1.0 - xi, 0), (b, -xi, 1)):
                frames = point.compiled.frames if line.follower else point.memory.problem.trial.frame
                turn = np.kron(np.eye(2), frames[node, :9].reshape(3, 3).T)
                share = 0.5 * weight * line.spread[e - mesh.first_element, side] @ turn @ unit
                F = se3.inverse(row_to_frame(point.memory.problem.trial.frame[node])) @ H
                out += share + se3.adjoint(F).T @ share
        found = line_column(point, column, unit, e)
        for node, weight, share in ((a, 1.0 - xi, found[:6]), (b, -xi, found[6:])):
            F = se3.inverse(row_to_frame(point.memory.problem.trial.frame[node])) @ H
            out += 0.5 * weight * (share + se3.adjoint(F).T @ share)
        return np.asarray(compliance @ out)

    return replace(rows, along=along)
