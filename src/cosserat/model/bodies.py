"""Rigid bodies: mass, centre of mass and inertia, given directly or computed from a shape; and massless frames.

Frames between joints make higher pairs of lower ones. Source: [Grazioso17] section 2.4.
"""

from typing import Any, ClassVar

import numpy as np

from cosserat.errors import ArgumentError, ModelError, shown
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.curves import section_axes
from cosserat.model.materials import Material
from cosserat.model.parameters import Number, resolve
from cosserat.model.places import Owner, Place
from cosserat.model.records import (
    Component,
    Now,
    Record,
    Scalar,
    located,
    optional_vector,
    recorded,
    unit_vector,
    vector,
)
from cosserat.model.section import AnySection
from cosserat.model.sections import Rod

THIN_BAR = 100.0  # length over diameter of a bar of which only the mass is known


class Shape(Record):
    """What a rigid body looks like, and what it displaces in a fluid (`Buoyancy`).

    Parameters
    ----------
    kind : str
        "box" (size: three sides), "cylinder" (diameter, length), "sphere" (diameter).
    size : sequence of float
    axis : (3,), optional
        Axis of a cylinder, in the body's axes.
    filled : bool
        Whether the body fills it: a bar is drawn as a cylinder, whatever its section, and only a `Rod` is one.
    """

    KINDS: ClassVar[dict[str, int]] = {"box": 3, "cylinder": 2, "sphere": 1}
    _axis = unit_vector(optional=True)

    @recorded
    def __init__(self, kind: str, size: Any, axis: Any = None, filled: bool = True) -> None:
        self.kind, self.filled = kind, checks.flag("Shape", "filled", filled)

    def check(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in self.KINDS:
            raise ArgumentError("Shape", "kind", f"is {shown(self.kind)}; known kinds: {', '.join(self.KINDS)}")
        checks.array("Shape", "size", self._given["size"], (self.KINDS[self.kind],))
        super().check()

    @property
    def size(self) -> Array:
        return np.array([resolve(x) for x in self._given["size"]])

    @property
    def axis(self) -> Array:
        return np.array([0.0, 0.0, 1.0]) if self._axis is None else self._axis


def _tensor(item: str, argument: str, value: Any) -> Array:
    """3x3 numbers, or the diagonal ones of them; words for those who left it out."""
    if value is None:
        raise ArgumentError(
            item, argument, "must be given: 3x3 numbers about the centre of mass; or use RigidBody.box, .cylinder, "
            ".sphere, .bar or .plate, which compute it"
        )  # fmt: skip
    return checks.tensor(item, argument, value)


class RigidBody(Component, Owner):
    """A rigid body.

    Parameters
    ----------
    name : str
    mass : float
        (kg), greater than 0.
    com : (3,)
        Centre of mass in world coordinates of the reference configuration (m).
    inertia : (3, 3) or (3,)
        About the centre of mass, in the body's axes (kg m^2); three numbers are the diagonal.
    rotation : (3, 3) or (4,), optional
        The body's axes in the reference configuration (columns), or a unit quaternion (w, x, y, z).
        Default: the world axes.
    velocity, angular_velocity : (3,), optional
        Initial velocity of the centre of mass and angular velocity, world components.
    shape : Shape, optional
        For drawing.

    Examples
    --------
    >>> ball = RigidBody.sphere("ball", diameter=0.2, mass=1.0)
    >>> round(float(ball.inertia[0, 0]), 6)
    0.004
    """

    word = "body"
    mass = Scalar("Mass (kg).", positive=True)
    com = vector("Centre of mass (3,) in the reference configuration, world coordinates.", example="com=(0, 0, 0)")
    inertia = Now[Array](_tensor, "Inertia (3, 3) about the centre of mass, in the body's axes.")
    _rotation = Now[Array | None](checks.rotation, optional=True)
    velocity = optional_vector("Initial velocity (3,) of the centre of mass, world components, or None.")
    angular_velocity = optional_vector("Initial angular velocity (3,), world components, or None.")

    @recorded
    def __init__(
        self,
        name: str,
        mass: Number,
        com: Any = (0.0, 0.0, 0.0),
        inertia: Any = None,
        rotation: Any = None,
        velocity: Any = None,
        angular_velocity: Any = None,
        shape: Shape | None = None,
    ) -> None:
        super().__init__(name)
        self.shape = shape

    def check(self) -> None:
        super().check()
        checks.inertia(self.title, "inertia", self._given["inertia"])
        if self.shape is not None and not isinstance(self.shape, Shape):
            raise self._wrong("shape", f"must be a Shape, got {shown(self.shape)}")

    @property
    def rotation(self) -> Array:
        """The body's axes (3, 3) in the reference configuration."""
        turned = self._rotation
        return np.eye(3) if turned is None else turned

    def at(self, point: Any) -> Place:
        """The place on the body at a point (3,) given in world coordinates of the reference configuration."""
        checks.array(self.title, "at", point, (3,), "body.at((0, 0, 1))")
        return Place(self, point=point)

    def frame_at(self, place: Place) -> Array:
        return se3.frame(self.rotation, self.com if place.point is None else place.point)

    def place(self, word: str | None, numbers: tuple[Number, ...] | None) -> Place | None:
        if word is None:
            return Place(self)
        return self.at(numbers) if word == "at" and numbers is not None and len(numbers) == 3 else None

    def place_names(self) -> str:
        return f"'{self.name}' (its centre of mass), '{self.name}.at(x, y, z)'"

    @classmethod
    @located
    def box(
        cls,
        name: str,
        size: Any,
        mass: Number | None = None,
        density: Number | None = None,
        com: Any = (0.0, 0.0, 0.0),
        rotation: Any = None,
        velocity: Any = None,
        angular_velocity: Any = None,
    ) -> "RigidBody":
        """A homogeneous box of sides `size` (3,) along the body's axes; give its mass or its density."""
        item = f"body {shown(name)}"
        _positive(item, "size", size, 3)
        a, b, c = size
        m = _mass(item, mass, density, a * b * c)
        J = (m / 12 * (b * b + c * c), m / 12 * (a * a + c * c), m / 12 * (a * a + b * b))
        return cls(name, m, com, J, rotation, velocity, angular_velocity, Shape("box", (a, b, c)))

    @classmethod
    @located
    def cylinder(
        cls,
        name: str,
        diameter: Number,
        length: Number,
        mass: Number | None = None,
        density: Number | None = None,
        com: Any = (0.0, 0.0, 0.0),
        axis: Any = (0.0, 0.0, 1.0),
        velocity: Any = None,
        angular_velocity: Any = None,
    ) -> "RigidBody":
        """A homogeneous solid cylinder about `axis`; its inertia is expressed in world axes."""
        item = f"body {shown(name)}"
        checks.number(item, "diameter", diameter, positive=True)
        checks.number(item, "length", length, positive=True)
        m = _mass(item, mass, density, np.pi / 4 * diameter * diameter * length)
        along = m * diameter * diameter / 8
        checks.fixed(item, "axis", axis)
        J = _axisymmetric(checks.unit(item, "axis", axis), along, along / 2 + m * length * length / 12)
        shape = Shape("cylinder", (diameter, length), axis)
        return cls(name, m, com, J, None, velocity, angular_velocity, shape)

    @classmethod
    @located
    def sphere(
        cls,
        name: str,
        diameter: Number,
        mass: Number | None = None,
        density: Number | None = None,
        com: Any = (0.0, 0.0, 0.0),
        velocity: Any = None,
        angular_velocity: Any = None,
    ) -> "RigidBody":
        """A homogeneous ball."""
        item = f"body {shown(name)}"
        checks.number(item, "diameter", diameter, positive=True)
        m = _mass(item, mass, density, np.pi / 6 * diameter * diameter * diameter)
        J = m * diameter * diameter / 10
        return cls(name, m, com, (J, J, J), None, velocity, angular_velocity, Shape("sphere", (diameter,)))

    @classmethod
    @located
    def bar(
        cls,
        name: str,
        start: Any,
        end: Any,
        mass: Number | None = None,
        section: AnySection | None = None,
        material: Material | None = None,
        velocity: Any = None,
        angular_velocity: Any = None,
    ) -> "RigidBody":
        """A homogeneous straight bar between two points; its inertia is expressed in world axes.

        Give its mass (a thin bar: inertia m L^2/12 across; along itself that of a round bar of diameter L/100, so
        that it is not zero) or its section and material (the same mass and rotary inertia as a `Beam`).
        """
        item = f"body {shown(name)}"
        a, b = checks.array(item, "start", start, (3,)), checks.array(item, "end", end, (3,))
        L = float(np.linalg.norm(b - a))
        if L < 1e-12:
            raise ArgumentError(item, "end", f"coincides with start {a.tolist()}; the bar has no length")
        x = (b - a) / L
        if (mass is None) == (section is None):
            raise ModelError(
                f"{item}: give either mass= or section= and material=, not {'neither' if mass is None else 'both'}"
            )
        com: Any = tuple((p + q) / 2 for p, q in zip(start, end, strict=True))
        diameter: Any = L / THIN_BAR
        m: Any = mass
        if section is None:
            checks.number(item, "mass", mass, positive=True)
            d = [q - p for p, q in zip(start, end, strict=True)]  # parameters stay parameters
            square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
            thin = 1 / (8 * THIN_BAR**2) - 1 / 12
            J: Any = tuple(
                tuple(m / 12 * square * float(i == j) + m * thin * d[i] * d[j] for j in range(3)) for i in range(3)
            )
        else:
            for argument, value in (("start", start), ("end", end), ("section", section), ("material", material)):
                checks.fixed(item, argument, value)
            _, M = section.matrices(material)
            m = float(M[0, 0]) * L
            R = section_axes(x)
            c = np.array([0.0, M[3, 2], -M[3, 1]]) / M[0, 0]  # centre of mass of the section
            own = M[3:, 3:] - M[0, 0] * (float(c @ c) * np.eye(3) - np.outer(c, c))
            J = R @ (own * L + np.diag([0.0, 1.0, 1.0]) * m * L**2 / 12) @ R.T
            com = tuple(np.asarray(com, dtype=float) + R @ c)
            diameter = float(np.sqrt(8.0 * M[3, 3] / M[0, 0])) if M[3, 3] > 0.0 else diameter
        shape = Shape("cylinder", (diameter, L), x, filled=isinstance(section, Rod))
        return cls(name, m, com, J, None, velocity, angular_velocity, shape)

    @classmethod
    @located
    def plate(
        cls,
        name: str,
        size: Any,
        thickness: Number,
        mass: Number | None = None,
        density: Number | None = None,
        com: Any = (0.0, 0.0, 0.0),
        rotation: Any = None,
        velocity: Any = None,
        angular_velocity: Any = None,
    ) -> "RigidBody":
        """A homogeneous rectangular plate of sides `size` (2,) along the body's x and y axes, normal z."""
        _positive(f"body {shown(name)}", "size", size, 2)
        checks.number(f"body {shown(name)}", "thickness", thickness, positive=True)
        return cls.box(
            name, (size[0], size[1], thickness), mass, density, com, rotation, velocity, angular_velocity
        )  # fmt: skip


class IntermediateFrame(RigidBody):
    """A frame without mass that joints are attached to, such as a revolute and a prismatic one in a row.

    Every motion of it must move a body: what it can do alone has no equation, and is an error.

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

    mass = Scalar("Zero.", absent=0.0)
    com = vector("Its origin (3,) in the reference configuration.", argument="at", example="at=(0, 0, 0)")
    inertia = Now[Array](checks.tensor, "Zero (3, 3).", absent=(0.0, 0.0, 0.0))

    @recorded
    def __init__(self, name: str, at: Any = (0.0, 0.0, 0.0), rotation: Any = None) -> None:
        Component.__init__(self, name)
        self.shape = None

    def check(self) -> None:
        Record.check(self)  # not that it has inertia


def _positive(item: str, argument: str, values: Any, count: int) -> None:
    if (checks.array(item, argument, values, (count,)) <= 0.0).any():
        raise ArgumentError(item, argument, f"is {tuple(resolve(v) for v in values)}; all sides must be greater than 0")


def _mass(item: str, mass: Any, density: Any, volume: Any) -> Any:
    if (mass is None) == (density is None):
        raise ModelError(f"{item}: give either mass= or density=, not {'neither' if mass is None else 'both'}")
    if mass is not None:
        checks.number(item, "mass", mass, positive=True)
        return mass
    checks.number(item, "density", density, positive=True)
    return density * volume


def _axisymmetric(axis: Array, along: Any, across: Any) -> tuple[tuple[Any, ...], ...]:
    """across I + (along - across) a a^T, entry by entry so that parameters stay parameters."""
    return tuple(
        tuple((across if i == j else 0.0) + (along - across) * float(axis[i] * axis[j]) for j in range(3))
        for i in range(3)
    )
