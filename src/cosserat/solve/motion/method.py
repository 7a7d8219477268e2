"""`Method`: time steps of one's own, over a mechanism in either formulation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from cosserat.errors import CosseratError, SolveError, shown
from cosserat.lie.protocol import Array
from cosserat.results.status import Outcome
from cosserat.solve.motion.walk import StepFailure

_INSIDE = 1e-7  # of the step: how far from its ends loads are taken


class MotionState(NamedTuple):
    """A moment of a motion: time, configuration, velocities, coordinates whose turns are counted.

    Velocities are body twists (nodes + 1, 6) in the Galilean formulation, (n,) of the coordinates in floating frames.
    Behind them are the states of laws, as further rows or entries: their rates are with the accelerations.
    """

    t: float
    place: Array
    v: Array
    angles: Array


class MotionSystem(ABC):
    """What a `Method` may ask of a mechanism. Velocities, increments and accelerations are arrays of one shape.

    Attributes
    ----------
    inside : (begin, end)
        Times between which loads are taken in a step: one that jumps at an end of the step has its value within.
    """

    inside: tuple[float, float] = (-np.inf, np.inf)

    def load_time(self, t: float) -> float:
        """The time inside the present step that is nearest to a time."""
        return min(max(t, self.inside[0]), self.inside[1])

    def take(self, method: Method, state: MotionState, h: float) -> MotionState:
        """A step of a method, closed; raises `StepFailure`."""
        self.inside = state.t + _INSIDE * h, state.t + (1.0 - _INSIDE) * h
        name = type(method).__name__
        try:
            found = method.step(self, state, h)
        except CosseratError:
            raise
        except Exception as error:
            raise StepFailure(Outcome.CALL_FAILED, f"integrator {name}: {type(error).__name__}: {error}") from error
        finally:
            self.inside = -np.inf, np.inf
        if not isinstance(found, MotionState) or np.shape(found.v) != np.shape(state.v):
            raise StepFailure(
                Outcome.CALL_FAILED,
                f"integrator {name}: its step gives {shown(found)}; give the state that system.moved(...) gives",
            )
        if not (np.all(np.isfinite(found.place)) and np.all(np.isfinite(found.v))):
            raise StepFailure(Outcome.NOT_FINITE)
        return self.closed(found._replace(t=state.t + h))

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


def demand_plain(method: Method, step: float | None, controller: object, checkpoint: object) -> None:
    """Refuse what steps of one's own do not offer."""
    name = type(method).__name__
    if step is None:
        raise SolveError(f"simulate: integrator {name} takes equal steps; pass step=")
    for word, given in (("controller", controller), ("checkpoint", checkpoint)):
        if given is not None:
            raise SolveError(f"simulate: integrator {name} knows no {word}; use one of the built-in integrators")
