"""Rolling and skating: what restricts the velocity of a place, not its position; and constraints that users write."""

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from cosserat.errors import ModelError
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.parameters import Number
from cosserat.model.places import Place
from cosserat.model.records import Component, PlaceField, Scalar, recorded, unit_vector, vector
from cosserat.model.user_laws import RowFormulas, UserLaw, demand_function

FLAT = 1e-6  # sine of the angle between the axis of a disc and the normal of its plane, below which it lies flat


class Rolling(Component):
    """Base of the constraints on velocities; `place` is where they hold the body."""

    place = PlaceField[Place]("The point of the body.", called="it")
    _place: Any

    @property
    @abstractmethod
    def held(self) -> tuple[bool, ...]:
        """For each of its rows, those of positions first, whether it holds a position and not only a velocity."""

    def check_places(self) -> None:
        """Raise if the place is on the ground."""
        if self.place.on_ground:
            raise ModelError(f"{self.title}: its {type(self).place.argument} is on the ground; name a place on a body")


class KnifeEdge(Rolling):
    """A place does not move along one direction of its body: a skate, a keel, a wheel seen from above.

    Parameters
    ----------
    name : str
    place : place
        Where the edge or the wheel touches.
    direction : (3,)
        Across the edge, in world axes of the reference configuration; it turns with the body.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("skate")
    >>> skate = model.add(cs.RigidBody.box("skate", (0.3, 0.1, 0.1), mass=2.0))
    >>> model.add(cs.KnifeEdge("edge", skate, direction=(0, 1, 0)))
    KnifeEdge('edge', place=<place 'skate'>, direction=(0, 1, 0))
    """

    word = "knife edge"
    direction = unit_vector("Unit vector (3,).")

    @recorded
    def __init__(self, name: str, place: Any, direction: Any) -> None:
        super().__init__(name)

    @property
    def held(self) -> tuple[bool, ...]:
        return (False,)


class RollingDisc(Rolling):
    """A thin disc that rolls on a plane without slipping and does not leave it.

    Parameters
    ----------
    name : str
    centre : place
        Centre of the disc.
    radius : float
        (m), greater than 0.
    axis : (3,)
        Axis of the disc, in world axes of the reference configuration; it turns with the body.
    normal, point : (3,)
        Normal of the plane, on the side of the disc, and a point of the plane; the plane is fixed in space.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("coin", gravity=(0, 0, -9.81))
    >>> coin = model.add(cs.RigidBody("coin", mass=0.1, com=(0, 0, 0.5), inertia=(6.25e-3, 12.5e-3, 6.25e-3)))
    >>> wheel = model.add(cs.RollingDisc("wheel", coin, radius=0.5, axis=(0, 1, 0)))
    >>> wheel.gap
    0.0
    """

    word = "rolling disc"
    place = PlaceField[Place]("Centre of the disc.", argument="centre", called="it")
    radius = Scalar("(m).", positive=True)
    point = vector("A point (3,) of the plane.", example="point=(0, 0, 0)")
    axis = unit_vector("Unit vector (3,).")
    normal = unit_vector("Unit vector (3,).")

    @recorded
    def __init__(
        self, name: str, centre: Any, radius: Number, axis: Any, normal: Any = (0, 0, 1), point: Any = (0, 0, 0)
    ) -> None:
        super().__init__(name)

    def check(self) -> None:
        super().check()
        if np.linalg.norm(np.cross(self.axis, self.normal)) < FLAT:
            raise self._wrong(
                "axis", "is along the normal: the disc lies flat on the plane, and no single point touches"
            )

    @property
    def held(self) -> tuple[bool, ...]:
        return (True, False, False)

    @property
    def centre(self) -> Place:
        """Centre of the disc."""
        return self.place

    @property
    def directions(self) -> Array:
        """Right-handed unit vectors (3, 3), as rows: the normal, then two in the plane."""
        k = self.normal
        first = np.cross(k, np.eye(3)[int(np.argmin(np.abs(k)))])
        first /= np.linalg.norm(first)
        return np.array([k, first, np.cross(k, first)])

    @property
    def gap(self) -> float:
        """Distance (m) of its lowest point from the plane in the reference configuration."""
        e, k = self.axis, self.normal
        return float(k @ (self.place.position - self.point) - self.radius * np.linalg.norm(k - (k @ e) * e))


LEVELS = ("position", "velocity")
MOST = 3  # rows of a constraint
_PROBE = np.array([0.7, -0.4, 0.9, 0.5, 0.8, -0.6])  # any twist, for which a law must be linear


class Constraint(UserLaw, Rolling):
    """A constraint given by a law of your own: a bead on a wire, a cam, a rope of constant length, a caster.

    Parameters
    ----------
    name : str
    place : place
        What is held.
    law : callable or list of formulas
        ``law(t, frame, parameters)`` returns one to three values, which are held at zero; `frame` is the 4x4 matrix of
        the place in the world. With ``level="velocity"`` it is ``law(t, frame, twist, parameters)``, linear in `twist`,
        the velocity and angular velocity (6,) of the place in its own frame. A plain Python function in the part of
        Python and NumPy that Numba compiles; it is compiled once and kept. Values are best of the size of lengths
        (m) or velocities (m/s) of the places: angles times a length. Or one to three formulas, which a model file can
        hold, too, ``["sqrt(x**2 + y**2) - radius"]``, see `RowFormulas`.
    parameters : dict
        Names and numbers, or `Parameter`s, which the law reads as ``parameters["radius"]``.
    other : place, optional
        With it, `frame` and `twist` are those of the place as seen from this one, and the opposite force acts on it.
    level : str
        "position" or "velocity": whether the law holds positions or only velocities (nonholonomic).

    Examples
    --------
    >>> import numpy as np
    >>> import cosserat as cs
    >>> model = cs.Model("bead", gravity=(0, 0, -9.81))
    >>> bead = model.add(cs.RigidBody("bead", mass=1, com=(1, 0, 0), inertia=0.01 * np.eye(3)))
    >>> def on_sphere(t, frame, parameters):
    ...     x, y, z = frame[0, 3], frame[1, 3], frame[2, 3]
    ...     return (np.sqrt(x**2 + y**2 + z**2) - parameters["radius"],)
    >>> _ = model.add(cs.Constraint("sphere", bead, on_sphere, parameters={"radius": 1.0}))
    >>> run = cs.simulate(model, duration=0.5, step=0.005)
    >>> bool(abs(np.linalg.norm(run.position("bead")[-1]) - 1.0) < 1e-9)
    True
    """

    word = "constraint"
    other = PlaceField[Place | None]("From which its place is seen; None: the world.")

    @recorded
    def __init__(
        self,
        name: str,
        place: Any,
        law: Any,
        parameters: Mapping[str, Number] | None = None,
        other: Any = None,
        level: str = "position",
    ) -> None:
        super().__init__(name)
        self._take("{'radius': 0.1}")
        if level not in LEVELS:
            raise self._wrong("level", f"must be 'position' or 'velocity', got {level!r}")
        self.level = level
        if isinstance(law, (str, list, tuple)):
            law = RowFormulas([law] if isinstance(law, str) else law, self.names, self.title, level == "velocity")
        else:
            twist = ["twist"] if level == "velocity" else []
            demand_function(self.title, "law", law, ["t", "frame", *twist, "parameters"])
        self._law = law

    def check_places(self) -> None:
        """Raise if it holds the ground, or a body to itself."""
        super().check_places()
        self._demand_apart(self.place, ", which it cannot hold to itself")

    @property
    def held(self) -> tuple[bool, ...]:
        return (self.level == "position",) * self._count

    def frame(self) -> Array:
        """Frame (4, 4) of its place seen from the other one, in the reference configuration."""
        frame = self.place.frame()
        return frame if self.other is None else se3.inverse(self.other.frame()) @ frame

    @cached_property
    def _count(self) -> int:
        """Number of its rows, as the law gives them in the reference configuration."""
        frame, numbers = self.frame(), self.record(self.values or (0.0,))
        law = getattr(self.law, "py_func", self.law)
        motions = [(frame,)] if self.level == "position" else [(frame, k * _PROBE) for k in range(3)]
        try:
            given, *more = [law(0.0, *motion, numbers) for motion in motions]
        except Exception as error:
            raise ModelError(f"{self.title}: its law fails in the reference configuration: {error}") from None
        shape = np.shape(given)
        if len(shape) != 1 or not 1 <= shape[0] <= MOST:
            raise ModelError(
                f"{self.title}: the law must return an array or tuple of one to {MOST} numbers, got "
                f"{'a number' if shape == () else f'shape {shape}'}; write several constraints for more"
            )
        if not np.all(np.isfinite(given)):
            raise ModelError(
                f"{self.title}: the law gives {np.asarray(given)} in the reference configuration; give finite numbers"
            )
        if more:
            one, two = (np.subtract(x, given) for x in more)
            if not np.allclose(two, 2.0 * one, rtol=1e-9, atol=1e-12 * float(np.max(np.abs(given)))):
                raise ModelError(
                    f"{self.title}: the law is not linear in twist: twice the twist gives {two} where {2.0 * one} is "
                    "expected; give A(t, frame) @ twist + b(t, frame)"
                )
        return int(shape[0])
