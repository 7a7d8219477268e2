"""A constraint of the user's on the motion of a place."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError, ModelError
from cosserat.model import checks
from cosserat.model.parameters import Number, resolve
from cosserat.model.places import Place, find_place
from cosserat.model.records import recorded
from cosserat.model.rolling import Rolling
from cosserat.model.state_loads import demand_function, named_numbers, record_type

LEVELS = ("position", "velocity")
MOST = 3  # rows of a constraint
_PROBE = np.array([0.7, -0.4, 0.9, 0.5, 0.8, -0.6])  # any twist, for which a law must be linear


class Constraint(Rolling):
    """A constraint given by a law of your own: a bead on a wire, a cam, a rope of constant length, a caster.

    Parameters
    ----------
    name : str
    place : place
        What is held.
    law : callable
        ``law(t, frame, parameters)`` returns one to three values, which are held at zero; `frame` is the 4x4 matrix of
        the place in the world. With ``level="velocity"`` it is ``law(t, frame, twist, parameters)``, linear in `twist`,
        the velocity and angular velocity (6,) of the place in its own frame. A plain Python function in the part of
        Python and NumPy that Numba compiles; it is compiled once and kept. Values are best of the size of lengths
        (m) or velocities (m/s) of the places: angles times a length.
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

    @recorded
    def __init__(
        self,
        name: str,
        place: Any,
        law: Callable[..., Any],
        parameters: Mapping[str, Number] | None = None,
        other: Any = None,
        level: str = "position",
    ) -> None:
        self._setup(name, place)
        self._other = other
        if other is not None and not isinstance(other, str):
            self._other = find_place(other, {}, f"{self.title}: other")
        self._parameters = named_numbers(self.title, "parameters", parameters, "{'radius': 0.1}")
        if level not in LEVELS:
            raise ArgumentError(self.title, "level", f"must be 'position' or 'velocity', got {level!r}")
        self.level = level
        demand_function(
            self.title, "law", law, ["t", "frame", *(["twist"] if level == "velocity" else []), "parameters"]
        )
        self.law = law
        self._keep(other=self._other, parameters=dict(self._parameters))

    def check(self) -> None:
        for key, value in self._parameters.items():
            checks.number(self.title, f"parameters[{key!r}]", value)

    @property
    def other(self) -> Place | None:
        """The place from which the motion is seen; None: the world."""
        if self._other is None or isinstance(self._other, Place):
            return self._other
        raise ModelError(f"{self.title}: other {self._other!r} is text; add the constraint to a model first")

    @property
    def places(self) -> tuple[Place, ...]:
        return (self.place,) if self.other is None else (self.place, self.other)

    def resolve_places(self, place: Callable[[Any], Place]) -> None:
        super().resolve_places(place)
        self._other = None if self._other is None else place(self._other)
        self._keep(other=self._other)

    def check_places(self) -> None:
        """Raise if it holds the ground, or a body to itself."""
        super().check_places()
        other = self.other
        if other is not None and other.owner is self.place.owner and (other.s is None or other.s == self.place.s):
            raise ModelError(f"{self.title}: both places are on {other.owner.name!r}, which it cannot hold to itself")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its parameters."""
        return tuple(self._parameters)

    @property
    def values(self) -> tuple[float, ...]:
        """Present values of its parameters."""
        return tuple(resolve(value) for value in self._parameters.values())

    @property
    def held(self) -> tuple[bool, ...]:
        return (self.level == "position",) * self._count

    @cached_property
    def _count(self) -> int:
        """Number of its rows, as the law gives them in the reference configuration."""
        frame = self.place.frame() if self.other is None else np.linalg.solve(self.other.frame(), self.place.frame())
        numbers = np.array([self.values or (0.0,)], dtype=float).view(self.record_type()).reshape(-1)[0]
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

    def record_type(self) -> Any:
        """dtype of the record of parameters that the law gets."""
        return record_type(self.names)
