"""`Method`: time steps of one's own, over a mechanism in either formulation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import SolveError

Array = NDArray[np.float64]


class MotionState(NamedTuple):
    """A moment of a motion: time, configuration, velocities, coordinates whose turns are counted.

    Velocities are body twists (nodes + 1, 6) in the Galilean formulation, (n,) of the coordinates in floating frames.
    """

    t: float
    place: Array
    v: Array
    angles: Array


class MotionSystem(ABC):
    """What a `Method` may ask of a mechanism. Velocities, increments and accelerations are arrays of one shape."""

    @abstractmethod
    def acceleration(self, state: MotionState) -> Array:
        """Accelerations that loads and joints give a state."""

    @abstractmethod
    def moved(self, state: MotionState, dt: float, x: Array, dv: Array) -> MotionState:
        """The state later by dt, moved along increments x (H exp(x) where bodies turn) and faster by dv."""

    @abstractmethod
    def closed(self, state: MotionState) -> MotionState:
        """The nearest state that joints and prescribed motions allow."""


class Method(ABC):
    """Time steps of one's own: ``simulate(..., integrator=MyMethod())``, in either formulation, with equal steps.

    A method says how a state of a `MotionSystem` follows from the one before. After each step the state is brought
    back to joints and prescribed motions. Steps are plain Python: a system costs about a tenth of a millisecond an
    evaluation.

    Attributes
    ----------
    order : int
        Of the method.

    Examples
    --------
    >>> import cosserat as cs
    >>> class Leapfrog(cs.Method):
    ...     order = 2
    ...
    ...     def step(self, system, state, h):
    ...         half = system.moved(state, h / 2, h / 2 * state.v, 0.0 * state.v)
    ...         kick = h * system.acceleration(half)
    ...         return system.moved(half, h / 2, h / 2 * (state.v + kick), kick)
    >>> model = cs.Model("fall", gravity=(0, 0, -9.81))
    >>> ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0))
    >>> run = cs.simulate(model, 1.0, 0.01, integrator=Leapfrog())
    >>> round(float(run.position("ball")[-1, 2]), 9)
    -4.905
    """

    order: int = 1

    @abstractmethod
    def step(self, system: MotionSystem, state: MotionState, h: float) -> MotionState:
        """The state after a step of length h."""


def name_of(integrator: str | Method) -> str:
    """What settings of a run call an integrator."""
    return integrator if isinstance(integrator, str) else type(integrator).__name__


def demand_plain(method: Method, step: float | None, controller: object, checkpoint: object) -> None:
    """Refuse what steps of one's own do not offer."""
    name = type(method).__name__
    if step is None:
        raise SolveError(f"simulate: integrator {name} takes equal steps; pass step=")
    for word, given in (("controller", controller), ("checkpoint", checkpoint)):
        if given is not None:
            raise SolveError(f"simulate: integrator {name} knows no {word}; use one of the built-in integrators")
