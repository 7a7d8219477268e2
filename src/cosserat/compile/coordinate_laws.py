"""What acts along freedoms of joints, as numbers: stiffness, damping, friction, servos; efforts and targets by time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.rows import ActiveFreedom
from cosserat.model.functions import TimeFunction
from cosserat.model.joints import Joint
from cosserat.model.model import Model
from cosserat.model.servos import Servo, servos_of

Array = NDArray[np.float64]

PASSIVE = ("stiffness", "damping", "friction", "speed", "kp", "kd", "limit")


def passive(joint: Joint, index: int, servo: Servo | None) -> tuple[float, ...]:
    """`PASSIVE` of a freedom: speed is that of friction, the last three are those of its servo."""
    friction = joint.friction[index]
    rubbing = (0.0, 1.0) if friction is None else (friction.level, friction.speed)
    driven = (0.0, 0.0, 0.0) if servo is None else (servo.kp, servo.kd, servo.limit)
    return joint.stiffness[index], joint.damping[index], *rubbing, *driven


def freedom_laws(rows: Sequence[tuple[Joint, ActiveFreedom]], servos: dict[tuple[str, int], Servo]) -> dict[str, Any]:
    """`PASSIVE` of freedoms, and how each is measured, by fields of groups."""
    numbers = [passive(joint, freedom.index, servos.get((joint.name, freedom.index))) for joint, freedom in rows]
    columns = np.ascontiguousarray(np.array(numbers, dtype=float).reshape(-1, len(PASSIVE)).T)
    return measures([freedom for _, freedom in rows]) | dict(zip(PASSIVE, columns, strict=True))


def measures(freedoms: Sequence[ActiveFreedom]) -> dict[str, Any]:
    """How freedoms are measured between two places, by fields of groups."""
    return {
        "kind": np.array([f.kind for f in freedoms], dtype=np.int64),
        "axis": np.array([f.axis for f in freedoms]).reshape(-1, 3),
        "cosine": np.array([f.cosine for f in freedoms]).reshape(-1, 3),
        "sine": np.array([f.sine for f in freedoms]).reshape(-1, 3),
    }


class CoordinateLaws(NamedTuple):
    """What acts along the coordinates of a tree."""

    passive: Array  # (7, n) `PASSIVE`
    efforts: list[tuple[int, TimeFunction]]  # coordinate, function
    targets: list[tuple[str, int, TimeFunction]]  # of servos: name, coordinate, function


def coordinate_laws(model: Model, coordinates: Sequence[str]) -> CoordinateLaws:
    """Those of the joints of a model whose coordinates are among these."""
    numbers = np.zeros((len(PASSIVE), len(coordinates)))
    numbers[3], numbers[6] = 1.0, np.inf
    laws = CoordinateLaws(numbers, [], [])
    servos, place = servos_of(model) if model.servos else {}, {name: k for k, name in enumerate(coordinates)}
    for joint in model.joints:
        for index, name in enumerate(joint.coordinates):
            if name not in place:
                continue
            k, effort, servo = place[name], joint.effort[index], servos.get((joint.name, index))
            numbers[:, k] = passive(joint, index, servo)
            if effort is not None:
                laws.efforts.append((k, effort))
            if servo is not None:
                laws.targets.append((servo.name, k, servo.target))
    return laws
