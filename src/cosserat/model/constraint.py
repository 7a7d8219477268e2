"""A constraint of the user's on the motion of a place."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from cosserat.errors import ArgumentError, ModelError
from cosserat.model.fields import PlaceField
from cosserat.model.law_formulas import RowFormulas
from cosserat.model.parameters import Number
from cosserat.model.places import Place
from cosserat.model.records import recorded
from cosserat.model.rolling import Rolling
from cosserat.model.user_laws import UserLaw, demand_function

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
            raise ArgumentError(self.title, "level", f"must be 'position' or 'velocity', got {level!r}")
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
