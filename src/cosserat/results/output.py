"""`Output`: a quantity of one's own, made from what results answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cosserat.calls import answering
from cosserat.errors import CosseratError, SolveError, shown
from cosserat.lie.protocol import Array
from cosserat.results.motion import Motion
from cosserat.results.run import Run


@answering
class Output:
    """A quantity of one's own: a function of a result, which linear models take as an output.

    Their rows are its derivatives, by differences of eighth order along motions, velocities, accelerations and
    reactions. The function itself is called with a run as with any other.

    Parameters
    ----------
    name : str
    function : callable
        ``function(run)`` gives a number for each time, (time,), from what a `Run` answers: ``run.position(place)``,
        ``run.coordinate(joint)``, ``run.reaction(joint)``, ``run.energy.kinetic``. Smooth; of the state at each time
        alone, so no work or dissipation.
    unit : str
        For axes of pictures.

    Examples
    --------
    >>> import numpy as np
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    >>> bob = model.add(cs.RigidBody.sphere("bob", diameter=0.1, mass=1.0, com=(0, 0, -2)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> lamp = np.array([3.0, 0, -2])
    >>> distance = cs.Output("distance", lambda run: np.linalg.norm(run.position("bob") - lamp, axis=1), "m")
    >>> linear = cs.linearize(model, ["hinge"], [distance])
    >>> linear.rows.position.round(6).tolist()  # the bob swings to -x for a positive angle
    [[2.0]]
    """

    def __init__(self, name: str, function: Callable[[Run], Any], unit: str = "") -> None:
        if not isinstance(name, str) or not name.strip():
            raise SolveError(f"output: its name must be a non-empty text, got {shown(name)}")
        if not callable(function):
            raise SolveError(f"output {name!r}: {shown(function)} cannot be called; pass a function of a run")
        self.name, self.function, self.unit = name, function, unit

    def __call__(self, run: Any) -> Any:
        """Its values for a result."""
        return self.function(run)

    def values(self, motion: Motion) -> Array:
        """Values (nt, 1) for a motion."""
        try:
            found = np.asarray(self.function(Run.of_motion(None, motion)), dtype=float)
        except CosseratError:
            raise
        except Exception as error:
            raise SolveError(
                f"output {self.name!r}: its function fails with {type(error).__name__}: {error}; it is called with "
                "states alone, which have places, joints, section forces, energies and momentum, but no model or status"
            ) from error
        if found.shape != (len(motion.time),):
            raise SolveError(
                f"output {self.name!r}: for {len(motion.time)} times it gives an array of the shape {found.shape}; "
                "give one number for each time, (time,)"
            )
        if not np.all(np.isfinite(found)):
            raise SolveError(f"output {self.name!r}: it gives {shown(found[~np.isfinite(found)][0])}")
        return found[:, None]

    def __repr__(self) -> str:
        return f"<Output {self.name!r}>"
