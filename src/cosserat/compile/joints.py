"""Arrays of joints and of their active freedoms."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import Attachment, CompiledJoint, frame_to_row, row_to_frame
from cosserat.compile.coordinate_laws import freedom_laws, measures
from cosserat.compile.rows import ActiveFreedom, active_freedoms, counted_freedoms, joint_rows, weld_rows
from cosserat.compile.skeleton import Skeleton
from cosserat.kernels.arrays import Freedoms, Joints, Turns
from cosserat.kernels.joint_rows import ROTATION
from cosserat.lie import se3
from cosserat.model.functions import TimeFunction
from cosserat.model.joints import Joint
from cosserat.model.model import Model
from cosserat.model.servos import Servo

if TYPE_CHECKING:
    from cosserat.compile.parts import Parts

Array = NDArray[np.float64]


def compile_joints(model: Model, skeleton: Skeleton) -> list[CompiledJoint]:
    """The joints of a model, and the welds of its beams' corners."""
    frames = skeleton.frames
    joints = []
    for joint in model.joints:
        sides = []
        for place, J in zip((joint.parent, joint.child), joint.sides(), strict=True):
            node = skeleton.attach(place).node
            sides.append(Attachment(node, se3.inverse(row_to_frame(frames[node])) @ J))
        joints.append(CompiledJoint(joint.name, joint, sides[0], sides[1], joint_rows(joint)))
    for name, mesh in skeleton.beams.items():
        for k, (a, b) in enumerate(mesh.corners):
            relative = se3.inverse(row_to_frame(frames[a])) @ row_to_frame(frames[b])
            parent, child = Attachment(a, relative), Attachment(b, np.eye(4))
            joints.append(CompiledJoint(f"{name}.corner{k + 1}", None, parent, child, weld_rows()))
    return joints


def driven_joints(joints: list[CompiledJoint]) -> list[Joint]:
    """Joints with a prescribed motion."""
    return [j.joint for j in joints if j.joint is not None and any(m is not None for m in j.joint.motion)]


def freedom_arrays(
    joints: list[CompiledJoint], servos: dict[tuple[str, int], Servo]
) -> tuple[Freedoms, list[tuple[str, ActiveFreedom]], list[TimeFunction]]:
    """Arrays of the active freedoms, the names of their joints, and the functions of their efforts, then targets."""
    rows: list[tuple[int, ActiveFreedom, Joint]] = []
    for k, compiled in enumerate(joints):
        if compiled.joint is not None:
            rows += [(k, a, compiled.joint) for a in active_freedoms(compiled.joint, servos)]
    efforts: list[TimeFunction] = []
    columns: list[int] = []
    for _, active, joint in rows:
        function = joint.effort[active.index]
        columns.append(len(efforts) if function is not None else -1)
        if function is not None:
            efforts.append(function)
    targets = []
    for servo in (servos.get((joint.name, a.index)) for _, a, joint in rows):
        targets.append(len(efforts) if servo is not None else -1)
        if servo is not None:
            efforts.append(servo.target)
    arrays = Freedoms(
        joint=ints([k for k, _, _ in rows]),
        **freedom_laws([(joint, a) for _, a, joint in rows], servos),
        effort=ints(columns),
        target=ints(targets),
        armature=np.array([j.armature[a.index] for _, a, j in rows], dtype=float),
    )
    return arrays, [(joints[k].name, a) for k, a, _ in rows], efforts


def turn_arrays(
    joints: list[CompiledJoint], servos: dict[tuple[str, int], Servo]
) -> tuple[Turns, list[tuple[str, ActiveFreedom]]]:
    """Arrays of the angles whose turns are counted, and the names of their joints."""
    named = [(k, item.joint) for k, item in enumerate(joints) if item.joint is not None]
    rows = [(k, a) for k, joint in named for a in counted_freedoms(joint, servos)]
    arrays = Turns(joint=ints([k for k, _ in rows]), **measures([a for _, a in rows]))
    return arrays, [(joints[k].name, a) for k, a in rows]


def joint_arrays(
    parts: Parts, freedoms: list[tuple[str, ActiveFreedom]], driven: list[Joint], length: float
) -> Joints:
    """Arrays of the joints.

    Rotation rows are multiplied by a typical length: all rows are lengths and all multipliers forces, whose errors
    compare in any units.
    """
    joints = parts.joints
    nj = len(joints)
    arrays = Joints(
        node=ints([(j.parent.node, j.child.node) for j in joints], 2),
        frame_a=np.array([frame_to_row(j.parent.frame) for j in joints]).reshape(-1, 12),
        frame_b=np.array([frame_to_row(j.child.frame) for j in joints]).reshape(-1, 12),
        n_rows=ints([len(j.rows.rows) for j in joints]),
        kind=np.zeros((nj, 6), dtype=np.int64),
        row_a=np.zeros((nj, 6, 3)),
        row_b=np.zeros((nj, 6, 3)),
        pitch=np.array([0.0 if j.joint is None else float(j.joint.pitch) for j in joints]),
        drive=np.full(nj, -1, dtype=np.int64),
        branch=ints([j.rows.branch for j in joints]),
        angle=np.full(nj, -1, dtype=np.int64),
        soft=np.zeros((nj, 6, 6)),
        block=np.zeros((nj, 9), dtype=np.int64),
    )
    names = [name for name, _ in freedoms]
    for k, j in enumerate(joints):
        for r, row in enumerate(j.rows.rows):
            arrays.kind[k, r] = row.kind
            arrays.row_a[k, r], arrays.row_b[k, r] = (length if row.kind == ROTATION else 1.0) * row.a, row.b
        for column, joint in enumerate(driven):
            if j.joint is joint:
                arrays.drive[k] = column
        if j.joint is not None and j.joint.kind == "screw" and j.name in names:
            arrays.angle[k] = names.index(j.name)
        arrays.block[k] = parts.held(j.parent.node, j.child.node, k)
    return arrays


def ranges(parts: Sequence[Sized]) -> NDArray[np.int64]:
    """Where each of some parts begins in all of them one after another, and behind them the end: (n+1,)."""
    return np.concatenate(([0], np.cumsum([len(part) for part in parts], dtype=np.int64)))


def ints(values: object, width: int | None = None) -> NDArray[np.int64]:
    """An integer array, of rows of `width` numbers if given, also when it is empty."""
    array = np.asarray(values, dtype=np.int64)
    return array if width is None else array.reshape(-1, width)
