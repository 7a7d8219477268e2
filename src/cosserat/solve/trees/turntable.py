"""A mechanism on a turntable: what is attached to the ground is attached to a body that turns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.spanning import span
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.bodies import RigidBody
from cosserat.model.joints import Free, Joint, Revolute
from cosserat.model.modal import ModalBody
from cosserat.model.model import Model
from cosserat.model.places import GROUND, Place
from cosserat.solve.spin import spin_twist

_ENDS = ("parent", "child", "a", "b", "place", "other", "through")
_LIGHT = 1e-9  # of the lightest body: the table is held, so that its own inertia is of no account


class Spin(NamedTuple):
    """A steady rotation: twist (6,) at the origin of a unit angular velocity, and how fast it is (rad/s)."""

    unit: Array
    speed: float

    def same(self, other: Spin | None) -> bool:
        """Whether another one is equal."""
        return other is not None and self.speed == other.speed and np.array_equal(self.unit, other.unit)

    @property
    def twist(self) -> Array | None:
        """As `spin_twist` gives it: None at rest."""
        return self.speed * self.unit if self.speed else None

    @property
    def centre(self) -> Array:
        """The point (3,) on its axis that is nearest to the origin."""
        return np.cross(self.unit[3:], self.unit[:3])


def spin_of(spin: Any, center: Any, otherwise: Spin | None = None) -> Spin | None:
    """A spin from what `equilibrium` takes; at rest about the axis of `otherwise`, if there is one."""
    found = spin_of_twist(spin_twist(spin, center))
    return otherwise._replace(speed=0.0) if found is None and otherwise is not None else found


def spin_of_twist(twist: Array | None) -> Spin | None:
    """A spin from its twist (6,)."""
    if twist is None:
        return None
    speed = float(np.linalg.norm(twist[3:]))
    return Spin(twist / speed, speed)


def on_turntable(model: Model, spin: Spin) -> tuple[Model, str]:
    """A copy of a model whose ground is a body on a hinge along the axis of a spin, and the hinge's name.

    The hinge is held, so that its rate can be given to it; bodies that hang on nothing get a free joint to the table.
    Components of the copy share their Parameters with the model.
    """
    name = "turntable"
    while name in model or f"{name} body" in model:
        name += "_"
    omega, centre = spin.unit[3:], spin.centre
    out = model.snapshot()
    light = _LIGHT * min((body.mass for body in model.bodies), default=1.0)
    table = out.add(RigidBody(f"{name} body", mass=light, com=centre, inertia=(light, light, light)))
    for component, places in ((item, item.places) for item in model):
        if any(place.on_ground for place in places):
            ends = {key: _moved(getattr(component, key), table) for key in _ENDS if key in component.arguments()}
            at = {"at": component.frame()[:3, 3]} if isinstance(component, Joint) else {}
            out.swap(type(component)(**{**component.arguments(), **ends, **at}))
    out.add(Revolute(name, GROUND, table, at=centre, axis=omega, motion=0.0))
    spanning = span(out)
    for edge in spanning.edges:
        if edge.joint is None:
            elastic = spanning.elastic[edge.outer]
            if isinstance(elastic, ModalBody):
                raise SolveError(
                    f"spin: {elastic.title} hangs on nothing; in floating frames a modal body that turns steadily "
                    "needs a joint to the ground or to another body"
                )
            body = spanning.bodies[edge.outer][0] if elastic is None else elastic
            place = out.place(body) if elastic is None else elastic.start
            out.add(Free(f"{body.name} on {name}", table.at(place.position), place, at=place.position))
    return out, name


def _moved(place: Any, table: RigidBody) -> Any:
    if isinstance(place, tuple):
        return tuple(_moved(each, table) for each in place)
    return table.at(place.position) if isinstance(place, Place) and place.on_ground else place
