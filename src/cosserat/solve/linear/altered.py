"""Models that are another one but for little: joints held in a pose, as by brakes; no loads; a unit of an input more.

What an input adds at once to quantities of the same motion is the difference that the unit makes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cosserat.errors import SolveError
from cosserat.model.forces import Spring, Tendon
from cosserat.model.functions import TimeFunction
from cosserat.model.joints import Joint
from cosserat.model.loads import DistributedLoad, PointLoad, Wrench
from cosserat.model.model import Model
from cosserat.model.parameters import is_number, resolve
from cosserat.results.labels import WRENCH
from cosserat.solve.linear.input_columns import Column


def held_at(model: Model, pose: Any) -> Model:
    """The model with joints held at coordinates: ``{"shoulder": 0.3, "wrist.rx": 0.1, "ball": (0, 0, 1)}``.

    Their motions and efforts are replaced; everything else is shared with the model.
    """
    if not isinstance(pose, Mapping) or not pose:
        raise SolveError(f"modes: at={pose!r}; pass a dict of joints and coordinates, such as {{'elbow': 0.5}}")
    joints = {joint.name: joint for joint in model.joints}
    held: dict[str, dict[str, float]] = {}
    for key, value in pose.items():
        name, _, freedom = str(getattr(key, "name", key)).partition(".")
        if name not in joints:
            listed = ", ".join(map(repr, joints)) or "none"
            raise SolveError(f"modes: at: no joint {name!r}; joints: {listed}")
        names = [f.name for f in joints[name].freedoms]
        if freedom and freedom not in names:
            raise SolveError(f"modes: at: joint {name!r} has no freedom {freedom!r}; freedoms: {', '.join(names)}")
        chosen = [freedom] if freedom else names
        values = [value] if is_number(value) else list(value) if np.iterable(value) else []
        if len(values) != len(chosen) or not all(is_number(v) and np.isfinite(resolve(v)) for v in values):
            raise SolveError(
                f"modes: at: {key!r} is {value!r}; pass {len(chosen)} finite number(s), for {', '.join(chosen)}"
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
    return _with(joint, motion=motion, effort=effort)


def _with(joint: Joint, **functions: list[Any]) -> Joint:
    """The joint with other functions in its freedoms, by argument."""
    given = {}
    for argument, several in functions.items():
        given[argument] = several if any(one is not None for one in several) else None
        if len(several) == 1:
            given[argument] = several[0]
    return type(joint)(**{**joint.arguments(), **given})


def unloaded(model: Model) -> Model:
    """The model without gravity, loads, prescribed efforts and tension: its reference configuration is in balance."""
    bare = Model(model.name)
    for component in model:
        if isinstance(component, (PointLoad, DistributedLoad)):
            continue
        if isinstance(component, Joint) and any(effort is not None for effort in component.effort):
            component = type(component)(**{**component.arguments(), "effort": None})
        if isinstance(component, (Spring, Tendon)):
            rest = {"length": None} if isinstance(component, Spring) else {"rest_length": None, "tension": None}
            component = type(component)(**{**component.arguments(), **rest})
        bare.add(component)
    return bare


def with_input(model: Model, column: Column, amount: float = 1.0) -> Model:
    """The model with a unit, or so many units, of an input more."""
    other = model.snapshot()
    if column.kind in ("effort", "target"):
        coordinate, effort = column.pushes
        effort *= amount
        joint = next(j for j in model.joints if coordinate in j.coordinates)
        other.swap(_pushed(joint, joint.coordinates.index(coordinate), effort))
        return other
    if column.kind == "tension":
        tendon = model.springs[column.tendon]
        assert tendon.tension is not None
        other.swap(type(tendon)(**{**tendon.arguments(), "tension": _more(tendon.tension, amount)}))
        return other
    if column.kind == "force":
        place, _, word = column.name.rpartition(".")
        force, moment = amount * np.eye(6)[WRENCH.index(word)].reshape(2, 3)
        other.add(Wrench("unit of an input", other.place(place), force=force, moment=moment))
        return other
    if column.direction is None:
        raise SolveError(
            f"input {column.name!r}: what it adds at once to forces and to outputs of one's own is not known; put a "
            "Parameter into the load and name that as the input"
        )
    force, moment = amount * column.direction[:3], amount * column.direction[3:]
    acting: tuple[PointLoad | DistributedLoad, ...] = (*model.loads, *model.distributed_loads)
    load = next(x for x in acting if column.name in (x.name, *(f"{x.name}.{component}" for component in WRENCH)))
    if isinstance(load, PointLoad):
        other.add(Wrench("unit of an input", load.place, force=force, moment=moment, follower=load.follower))
    else:
        other.add(DistributedLoad("unit of an input", load.beam, force, moment, load.follower))
    return other


def _more(function: TimeFunction, more: float) -> Callable[[float], float]:
    """A function of time with more of it."""
    return lambda t: float(function.sample(np.array([t]))[0]) + more


def _pushed(joint: Joint, index: int, more: float) -> Joint:
    """The joint with more effort in one freedom."""
    given, known = [None if effort is None else effort.source for effort in joint.effort], joint.effort[index]
    given[index] = more if known is None else _more(known, more)
    return _with(joint, effort=given)
