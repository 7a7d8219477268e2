"""Massless frames between joints: higher pairs as combinations of lower ones. Source: [Grazioso17] section 2.4."""

from typing import Any

import numpy as np

from cosserat.model import checks
from cosserat.model.bodies import RigidBody
from cosserat.model.jets import Array
from cosserat.model.records import Component, recorded


class IntermediateFrame(RigidBody):
    """A frame without mass that joints are attached to, such as a revolute and a prismatic one in a row.

    Every motion of it must move a body: what it can do alone has no equation. In relative coordinates (`Tree`, floating
    frames) it has no mass. A node of the Galilean formulation needs some inertia: it gets a millionth of that of a
    typical body, without weight, and motions differ by about as much.

    Parameters
    ----------
    name : str
    at : (3,)
        Its origin in world coordinates of the reference configuration (m).
    rotation : (3, 3) or (4,), optional
        Its axes, as those of a `RigidBody`.

    Examples
    --------
    A cylindrical pair from a revolute and a prismatic one:

    >>> import cosserat as cs
    >>> model = cs.Model("pair")
    >>> sleeve = model.add(cs.IntermediateFrame("sleeve"))
    >>> rod = model.add(cs.RigidBody.cylinder("rod", diameter=0.02, length=0.3, mass=0.2))
    >>> turn = model.add(cs.Revolute("turn", cs.GROUND, sleeve, axis=(0, 0, 1)))
    >>> slide = model.add(cs.Prismatic("slide", sleeve, rod, axis=(0, 0, 1), at=(0, 0, 0)))
    >>> model.coordinates
    ('turn', 'slide')
    """

    word = "frame"

    @recorded
    def __init__(self, name: str, at: Any = (0.0, 0.0, 0.0), rotation: Any = None) -> None:
        Component.__init__(self, name)
        self._mass, self._inertia = 0.0, (0.0, 0.0, 0.0)
        self._com, self._rotation = self._given["at"], self._given["rotation"]
        self._velocity = self._angular_velocity = self.shape = None

    def check(self) -> None:
        checks.array(self.title, "at", self._com, (3,), "at=(0, 0, 0)")
        if self._rotation is not None:
            checks.rotation(self.title, "rotation", self._rotation)

    @property
    def inertia(self) -> Array:
        """Zero (3, 3)."""
        return np.zeros((3, 3))
