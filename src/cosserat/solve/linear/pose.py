"""A model whose joints are held in a pose, as brakes or stiff motors hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cosserat.errors import SolveError
from cosserat.model.joints import Joint
from cosserat.model.model import Model
from cosserat.model.parameters import is_number, resolve


def held_at(model: Model, pose: Any, caller: str) -> Model:
    """The model with joints held at coordinates: ``{"shoulder": 0.3, "wrist.rx": 0.1, "ball": (0, 0, 1)}``.

    Their motions and efforts are replaced; everything else is shared with the model.
    """
    if not isinstance(pose, Mapping) or not pose:
        raise SolveError(f"{caller}: at={pose!r}; pass a dict of joints and coordinates, such as {{'elbow': 0.5}}")
    joints = {joint.name: joint for joint in model.joints}
    held: dict[str, dict[str, float]] = {}
    for key, value in pose.items():
        name, _, freedom = str(getattr(key, "name", key)).partition(".")
        if name not in joints:
            listed = ", ".join(map(repr, joints)) or "none"
            raise SolveError(f"{caller}: at: no joint {name!r}; joints: {listed}")
        names = [f.name for f in joints[name].freedoms]
        if freedom and freedom not in names:
            raise SolveError(f"{caller}: at: joint {name!r} has no freedom {freedom!r}; freedoms: {', '.join(names)}")
        chosen = [freedom] if freedom else names
        values = [value] if is_number(value) else list(value) if np.iterable(value) else []
        if len(values) != len(chosen) or not all(is_number(v) and np.isfinite(resolve(v)) for v in values):
            raise SolveError(
                f"{caller}: at: {key!r} is {value!r}; pass {len(chosen)} finite number(s), for {', '.join(chosen)}"
            )
        held.setdefault(name, {}).update({f: float(resolve(v)) for f, v in zip(chosen, values, strict=True)})
    posed = model.snapshot()
    for name, coordinates in held.items():
        posed.swap(_held(joints[name], coordinates))
    return posed


def _held(joint: Joint, coordinates: dict[str, float]) -> Joint:
    """The joint with some freedoms prescribed."""
    names = [f.name for f in joint.freedoms]
    motion = [coordinates.get(n, None if m is None else m.source) for n, m in zip(names, joint.motion, strict=True)]
    effort = [None if n in coordinates or u is None else u.source for n, u in zip(names, joint.effort, strict=True)]
    single = len(names) == 1
    given = {
        **joint.arguments(),
        "motion": motion[0] if single else motion,
        "effort": effort[0] if single else (effort if any(e is not None for e in effort) else None),
    }
    return type(joint)(**given)
