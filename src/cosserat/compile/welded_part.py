"""A model of beams and rigid bodies that are fixed to each other, as one `FlexiblePart`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from cosserat.compile.beam_part import assemble_part
from cosserat.compile.flexible_part import FlexiblePart
from cosserat.errors import ArgumentError, CosseratWarning, ModelError
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody
from cosserat.model.joints import Fixed
from cosserat.model.model import Model
from cosserat.model.places import Place


def welded_part(model: Model, interfaces: dict[str, Any], recovery: dict[str, Any]) -> FlexiblePart:
    """Matrices of a model; interfaces and recovery points are places on its beams, as objects or as text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CosseratWarning)  # a part need not be attached to anything
        model.validate()
    for component in model:
        if not isinstance(component, (Beam, RigidBody, Fixed)):
            raise ModelError(
                f"{component.title}: a part that becomes a modal body has beams, rigid bodies and fixed joints only"
            )
    if not model.beams:
        raise ModelError(f"{model.title}: it has no beam, so nothing in it is elastic")
    welds = []
    attached: dict[str, Place] = {}  # rigid body -> place on a beam
    waiting = list(model.joints)
    for joint in waiting:
        if joint.parent.on_ground or joint.child.on_ground:
            raise ModelError(f"{joint.title}: it leads to the ground; leave it out and attach the modal body instead")
        if isinstance(joint.parent.owner, Beam) and isinstance(joint.child.owner, Beam):
            if float(np.linalg.norm(joint.parent.position - joint.child.position)) > 1e-9 * _size(model):
                raise ModelError(f"{joint.title}: the two beams do not meet there; let their places coincide")
            welds.append((joint.parent, joint.child))
    _demand_connected(model, welds)
    for _ in model.bodies:
        for joint in waiting:
            _attach(joint, attached)
    for body in model.bodies:
        if body.name not in attached:
            raise ModelError(f"{body.title}: no fixed joint leads from it to a beam")
    places = {}
    for argument, table in (("interfaces", interfaces), ("recovery", recovery)):
        for name, target in table.items():
            place = model.place(target, f"{model.title}: {argument}[{name!r}]")
            if not isinstance(place.owner, Beam):
                raise ArgumentError(model.title, f"{argument}[{name!r}]", f"is {place.label!r}; name a place on a beam")
            places[argument, name] = place
    return assemble_part(
        model.title,
        model.beams,
        tuple(welds),
        tuple((body, attached[body.name]) for body in model.bodies),
        {name: places["interfaces", name] for name in interfaces},
        {name: places["recovery", name] for name in recovery},
    )


def _demand_connected(model: Model, welds: list[tuple[Place, Place]]) -> None:
    reached = {model.beams[0].name}
    for _ in model.beams:
        for pair in welds:
            names = {place.owner.name for place in pair}
            if names & reached:
                reached |= names
    for beam in model.beams:
        if beam.name not in reached:
            raise ModelError(f"{beam.title}: no fixed joint connects it to {model.beams[0].title}, they are apart")


def _attach(joint: Any, attached: dict[str, Place]) -> None:
    """Note the place on a beam with which a rigid body moves; a second, different one is an error."""
    for body, other in ((joint.child, joint.parent), (joint.parent, joint.child)):
        if not isinstance(body.owner, RigidBody):
            continue
        place = other if isinstance(other.owner, Beam) else attached.get(other.owner.name)
        if place is None:
            continue
        if attached.setdefault(body.owner.name, place) != place:
            raise ModelError(
                f"{joint.title}: {body.owner.title} is fixed to two places, {attached[body.owner.name].label!r} and "
                f"{place.label!r}; fix it to one and the beams to each other"
            )


def _size(model: Model) -> float:
    return max(beam.length for beam in model.beams)
