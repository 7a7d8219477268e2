"""A model with a unit of an input more: what an input adds at once to quantities of the same motion is a difference."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cosserat.errors import SolveError
from cosserat.model.functions import TimeFunction
from cosserat.model.joints import Joint
from cosserat.model.loads import DistributedLoad, Force, PointLoad, Torque, Wrench
from cosserat.model.model import Model
from cosserat.solve.linear.input_columns import COMPONENTS, Column


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
        unit = amount * np.eye(3)[COMPONENTS.index(word) % 3]
        kind = Force if word.startswith("f") else Torque
        other.add(kind("unit of an input", other.place(place), unit))
        return other
    if column.direction is None:
        raise SolveError(
            f"input {column.name!r}: what it adds at once to forces and to outputs of one's own is not known; put a "
            "Parameter into the load and name that as the input"
        )
    force, moment = amount * column.direction[:3], amount * column.direction[3:]
    acting: tuple[PointLoad | DistributedLoad, ...] = (*model.loads, *model.distributed_loads)
    load = next(x for x in acting if column.name in _names_of(x.name))
    if isinstance(load, PointLoad):
        other.add(Wrench("unit of an input", load.place, force=force, moment=moment, follower=load.follower))
    else:
        other.add(DistributedLoad("unit of an input", load.beam, force, moment, load.follower))
    return other


def _names_of(load: str) -> tuple[str, ...]:
    """What inputs of a load are called."""
    return (load, *(f"{load}.{component}" for component in COMPONENTS))


def _more(function: TimeFunction, more: float) -> Callable[[float], float]:
    """A function of time with more of it."""
    return lambda t: float(function.sample(np.array([t]))[0]) + more


def _pushed(joint: Joint, index: int, more: float) -> Joint:
    """The joint with more effort in one freedom."""
    given = []
    for k, effort in enumerate(joint.effort):
        source = None if effort is None else effort.source
        if k != index:
            given.append(source)
        elif effort is None:
            given.append(more)
        else:
            given.append(_more(effort, more))
    single = len(given) == 1
    return type(joint)(**{**joint.arguments(), "effort": given[0] if single else given})
