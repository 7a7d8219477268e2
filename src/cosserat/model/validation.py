"""What can be found wrong with a model without solving it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cosserat.errors import ModelError, ParameterError, warn
from cosserat.model import checks
from cosserat.model.bodies import RigidBody
from cosserat.model.fluid_loads import Buoyancy
from cosserat.model.intermediate import check_frames
from cosserat.model.loads import is_zero
from cosserat.model.lumps import lumps_of
from cosserat.model.modal import ModalBody
from cosserat.model.parameters import Parameter
from cosserat.model.records import Component

if TYPE_CHECKING:
    from cosserat.model.model import Model


def validate(model: Model) -> None:
    """Raise the first error of a model; warn about bodies that nothing can move."""
    if not model.bodies and not model.beams and not model.modal_bodies:
        raise ModelError(f"{model.title}: it is empty; add a RigidBody or a Beam")
    checks.array(model.title, "gravity", model.given_gravity, (3,))
    for name, objects in model.parameter_objects().items():
        for other in objects[1:]:
            demand_same(objects[0], other, f"parameter {name!r}")
    model.check()
    if model.frame is not None or model.field is not None:
        lumps_of(model, "a moving frame" if model.field is None else "a central field", model.given_state_loads)
        buoyant = [load for load in model.given_state_loads if isinstance(load, Buoyancy)]
        if buoyant and model.field is not None:
            raise ModelError(f"{buoyant[0].title}: buoyancy takes uniform gravity, not a central field")
    for item in model:
        for owner in item.owners:
            if isinstance(owner, Component) and (owner.name not in model or model[owner.name] is not owner):
                problem = "another component has that name" if owner.name in model else "add it with model.add"
                raise ModelError(
                    f"{item.title}: refers to the {owner.word} {owner.name!r}, which is not in the model ({problem}); "
                    f"bodies of the model: {names_of(model.owners)}"
                )
    for item in model:
        item.check_places()
    for servo in model.servos:
        servo.find(model)
    check_frames(model)
    _warn_idle(model)


def _warn_idle(model: Model) -> None:
    if np.any(model.gravity) or model.frame is not None or model.field is not None:
        return
    busy = {id(place.owner) for item in model for place in item.places}
    busy |= {id(load.beam) for load in model.distributed_loads if not (is_zero(load.force) and is_zero(load.moment))}
    frames: tuple[RigidBody | ModalBody, ...] = (*model.bodies, *model.modal_bodies)
    idle = [b.name for b in frames if id(b) not in busy and b.velocity is None and b.angular_velocity is None]
    idle += [b.name for b in model.beams if id(b) not in busy and b.velocity_at(0.0) is None]
    if idle:
        warn(
            f"{model.title}: {', '.join(repr(n) for n in idle)}: attached to nothing, without load, gravity or "
            "initial velocity, so it will never move",
        )


def names_of(components: Any) -> str:
    """Names of components, as messages list them."""
    return ", ".join(repr(c.name) for c in components) or "none"


def demand_same(a: Parameter, b: Parameter, where: str) -> None:
    """Raise an error if two parameters of one name have different values."""
    if a.value != b.value:
        raise ParameterError(
            f"{where}: parameter {a.name!r} has two values, {b.value:g} and {a.value:g}; use one Parameter object, or "
            "give the two different names"
        )
