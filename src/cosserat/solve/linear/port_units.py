"""Units of inputs and outputs of linear models, for axes of pictures."""

from __future__ import annotations

from cosserat.model.loads import Torque
from cosserat.results.labels import WRENCH
from cosserat.results.mechanism import JointInfo
from cosserat.results.quantities import KINDS, OWN, unit_of
from cosserat.solve.linear.input_columns import Column
from cosserat.solve.linear.point import OperatingPoint

_OF_FREEDOMS = {"target": "coordinate", "motion": "coordinate", "effort": "effort"}


def output_unit(point: OperatingPoint, name: str, kind: str) -> str:
    """Unit of an output of a kind."""
    if kind == OWN:
        return ""
    if not KINDS[kind].components:
        return unit_of(kind, 0, _motion(point, name.removesuffix(f".{kind}")))
    return unit_of(kind, KINDS[kind].components.index(name.rpartition(".")[2]))


def input_unit(point: OperatingPoint, column: Column) -> str:
    """Unit of an input; empty for a parameter, whose unit only its user knows."""
    if column.kind in _OF_FREEDOMS:
        coordinate = column.pushes[0] if column.kind == "target" else column.name
        return unit_of(_OF_FREEDOMS[column.kind], 0, _motion(point, coordinate))
    if column.kind == "parameter":
        return ""
    if column.kind == "signal":
        return {"throttle": "1", "speed": "rad/s"}.get(column.name.rpartition(".")[2], "rad")
    loads = {load.name: load for load in (*point.model.loads, *point.model.distributed_loads)}
    word = column.name.rpartition(".")[2]
    unit = unit_of("reaction", WRENCH.index(word)) if word in WRENCH else "N"
    if isinstance(loads.get(column.name), Torque):
        unit = "N m"
    if column.line is not None:
        return {"N": "N/m", "N m": "N"}[unit]
    return unit


def _motion(point: OperatingPoint, name: str) -> str:
    """Whether a coordinate, is a translation or a rotation."""
    joints: list[JointInfo] = list(point.mechanism.joints.values())
    return next(joint.kinds[joint.coordinates.index(name)] for joint in joints if name in joint.coordinates)
