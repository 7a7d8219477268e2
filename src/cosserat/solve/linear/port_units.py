"""Units of inputs and outputs of linear models, for axes of pictures."""

from __future__ import annotations

from cosserat.model.loads import Torque
from cosserat.results.labels import SECTION_FORCE, STRAIN
from cosserat.results.mechanism import JointInfo
from cosserat.solve.linear.input_columns import Column
from cosserat.solve.linear.output_rows import coordinate_names
from cosserat.solve.linear.point import Point
from cosserat.solve.linear.quantities import OWN

_PLACE = {"position": "m", "rotation": "rad", "velocity": "m/s", "angular_velocity": "rad/s"}
_JOINT = {
    "coordinate": {"translation": "m", "rotation": "rad"},
    "rate": {"translation": "m/s", "rotation": "rad/s"},
    "effort": {"translation": "N", "rotation": "N m"},
    "motion": {"translation": "m", "rotation": "rad"},
}
_WORDS = {
    **dict.fromkeys(("fx", "fy", "fz", *SECTION_FORCE[:3]), "N"),
    **dict.fromkeys(("mx", "my", "mz", *SECTION_FORCE[3:]), "N m"),
    **dict.fromkeys(STRAIN[:3], "1"),
    **dict.fromkeys(STRAIN[3:], "1/m"),
}


def output_unit(point: Point, name: str, kind: str) -> str:
    """Unit of an output of a kind."""
    if kind == OWN:
        return ""
    if kind in _PLACE:
        return _PLACE[kind]
    if kind in _JOINT:
        return _JOINT[kind][_motion(point, name.removesuffix(f".{kind}"))]
    return _WORDS[name.rpartition(".")[2]]


def input_unit(point: Point, column: Column) -> str:
    """Unit of an input; empty for a parameter, whose unit only its user knows."""
    if column.kind == "target":
        return _JOINT["coordinate"][_motion(point, column.pushes[0])]
    if column.kind in _JOINT:
        return _JOINT[column.kind][_motion(point, column.name)]
    if column.kind == "parameter":
        return ""
    if column.kind == "signal":
        return {"throttle": "1", "speed": "rad/s"}.get(column.name.rpartition(".")[2], "rad")
    loads = {load.name: load for load in (*point.model.loads, *point.model.distributed_loads)}
    unit = _WORDS.get(column.name.rpartition(".")[2], "N")
    if isinstance(loads.get(column.name), Torque):
        unit = "N m"
    if column.line is not None:
        return {"N": "N/m", "N m": "N"}[unit]
    return unit


def _motion(point: Point, name: str) -> str:
    """Whether a coordinate, named as `coordinate_names` does, is a translation or a rotation."""
    joints: list[JointInfo] = list(point.mechanism.joints.values())
    return next(joint.kinds[coordinate_names(joint).index(name)] for joint in joints if name in coordinate_names(joint))
