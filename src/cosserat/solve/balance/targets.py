"""Values that a trimmed state must have: coordinates of joints, components of positions; with exact gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.parameters import is_number, resolve
from cosserat.results.joints import coordinates
from cosserat.results.kinematics import place_frames
from cosserat.results.mechanism import Mechanism
from cosserat.solve.linear.point import OperatingPoint, joint_jacobian, place_jacobian, still_motion


@dataclass(frozen=True)
class Target:
    """One number that a state must have; `value` and `gradient` (6n,) are functions of a point."""

    name: str
    wanted: float
    value: Callable[[OperatingPoint], float]
    gradient: Callable[[OperatingPoint], Array]


def read_targets(mechanism: Mechanism, given: Mapping[Any, Any]) -> list[Target]:
    """Targets from ``{"joint": value, "joint.freedom": value, ("place", "x"): value}``."""
    targets = []
    for key, wanted in given.items():
        if not is_number(wanted) or not np.isfinite(resolve(wanted)):
            raise SolveError(f"trim: the target of {key!r} is {wanted!r}; pass a finite number")
        if isinstance(key, tuple):
            if len(key) != 2 or key[1] not in ("x", "y", "z"):
                raise SolveError(f"trim: target {key!r}; of a place, pass (place, 'x'), (place, 'y') or (place, 'z')")
            targets.append(_position(mechanism, key[0], "xyz".index(key[1]), float(wanted)))
        else:
            targets.append(_coordinate(mechanism, key, float(wanted)))
    return targets


def _position(mechanism: Mechanism, place: Any, axis: int, wanted: float) -> Target:
    station, label = mechanism.station(place)
    return Target(
        f"{label} {'xyz'[axis]}",
        wanted,
        lambda point: float(place_frames(still_motion(point), station)[1][-1, axis]),
        lambda point: place_jacobian(point, station)[axis],
    )


def _coordinate(mechanism: Mechanism, key: Any, wanted: float) -> Target:
    joint, pick = mechanism.joint(key)
    if pick is None and len(joint.names) != 1:
        names = ", ".join(repr(f"{joint.name}.{n}") for n in joint.names) or "none: it is fixed"
        raise SolveError(f"trim: joint {joint.name!r} has {len(joint.names)} coordinates; name one of them: {names}")
    i = pick or 0
    if joint.driven[i]:
        raise SolveError(f"trim: the coordinate of joint {joint.name!r} is prescribed already; leave out its target")
    return Target(
        str(getattr(key, "name", key)),
        wanted,
        lambda point: float(coordinates(still_motion(point), joint)[-1, i]),
        lambda point: joint_jacobian(point, joint)[i],
    )
