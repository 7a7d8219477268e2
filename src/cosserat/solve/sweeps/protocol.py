"""What a sweep asks of a formulation: a run as a tape of maps between states, and each of them linearised.

A *change* of a state is a vector (N,): increments on the group where bodies turn, plain differences elsewhere. A map
has J = d(after)/d(before), (N, N), and columns d(after)/d(parameter); for a time step both follow from its equations
r(new, old, parameters, inputs) = 0 by one solve, transposed in a backward sweep.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.results.run import Run
from cosserat.results.status import Status
from cosserat.solve.formulation import Floating
from cosserat.solve.motion.adaptive import AdaptiveSteps
from cosserat.solve.motion.driver import EqualSteps
from cosserat.solve.motion.walk import Walk

if TYPE_CHECKING:
    from xarray import Dataset

STEP, RESCALE = "step", "rescale"
"""Kinds of maps of both formulations: a time step, and what the method remembers for steps of another length."""

class Setting(NamedTuple):
    """How a run that is to be differentiated is made: arguments as those of `simulate`."""

    duration: float
    step: float | None
    integrator: str = "generalized-alpha"
    rho: float = 0.9
    start_time: float = 0.0
    tolerance: float = 1e-4
    newton_tolerance: float = 1e-12
    formulation: str = "galilean"
    frames: Floating = Floating()


class Taping(Walk):
    """Steps that write down what they do, and forget those that are taken back."""

    tape: list[Any]

    def saved(self) -> Any:
        """The state, and how much is written down."""
        return super().saved(), len(self.tape)  # type: ignore[safe-super]

    def load(self, saved: Any, goes_on: bool = False) -> None:
        """Forget steps that are taken back."""
        super().load(saved[0], goes_on)  # type: ignore[safe-super]
        del self.tape[saved[1] :]

    def cross(self, t: float, h: float) -> None:
        """Refused."""
        raise SolveError(
            f"gradient: a load or a prescribed motion is not smooth at {t:.6g} s, which it does not follow"
        )

    def run_as(self, asked: Setting, t: float, varying: bool, breaks: Sequence[float] = ()) -> tuple[Array, Status]:
        """Take all steps, loads `varying` with time or not: times that are stored, and how it ended."""
        if asked.step is not None:
            return EqualSteps(self, t, asked.duration, asked.step).run()
        if varying:
            raise SolveError("gradient: steps that adapt to loads which change with time are not followed; pass step=")
        return AdaptiveSteps(self, t, asked.duration, asked.tolerance, breaks).run()


class RunMoment(Run):
    """A run of one moment. Energies that add up over time are not known there: they are NaN."""

    @cached_property
    def energy(self) -> Dataset:
        found = Run(self.trajectory).energy
        return found.assign({k: np.nan * found[k] for k in ("dissipated", "work", "balance", "fluid") if k in found})


class LinearMap(ABC):
    """A map between states, linearised."""

    @abstractmethod
    def forward(self, change: Array, sources: Array | None = None) -> Array:
        """Change after it (N, k) for one before it (N, k) and what sources add to its equations (M, k)."""

    @abstractmethod
    def backward(self, gradient: Array) -> tuple[Array, Array]:
        """Gradient by what is after it (N,) -> by what is before (N,), and by its equations (M,)."""


class MatrixMap(LinearMap):
    """A map given by its matrix (N, N); sources are changes of what is after it."""

    def __init__(self, matrix: Array) -> None:
        self.matrix = matrix

    def forward(self, change: Array, sources: Array | None = None) -> Array:
        found = self.matrix @ change
        return found if sources is None else found + sources

    def backward(self, gradient: Array) -> tuple[Array, Array]:
        return np.asarray(self.matrix.T @ gradient), gradient


class TapedRun(ABC):
    """A run as a start and a list of maps.

    Attributes
    ----------
    size : int
        N, of a change of a state.
    count : int
        Number of maps.
    times : (count,)
        Where each ends.
    """

    size: int
    count: int
    times: Array

    @abstractmethod
    def linear(self, k: int) -> LinearMap:
        """Map k, linearised."""

    last: Any  # the last state

    @abstractmethod
    def moved_state(self, state: Any, change: Array) -> Any:
        """A state changed by (N,)."""

    @abstractmethod
    def sizes(self, state: Any) -> Array:
        """Distances (N,) between points of differences."""

    @abstractmethod
    def moment(self, state: Any, work: Any = None) -> RunMoment:
        """A state at the end; of another model like this one, whose steps are given."""

    @abstractmethod
    def initial_columns(self) -> Array:
        """Derivatives (N, q) of the state before the first map by positions and velocities at the very start."""

    @abstractmethod
    def initial_names(self) -> list[tuple[str, int]]:
        """Names of what has positions and velocities, each with the number of its freedoms; q is twice their sum."""

    @abstractmethod
    def input_sources(self, k: int, items: Any) -> tuple[tuple[str, ...], Array]:
        """Names of inputs, and derivatives (M, i) of the equations of step k by their values at its end."""

    @abstractmethod
    def is_step(self, k: int) -> bool:
        """Whether map k is a time step."""

    @abstractmethod
    def start_columns(self, names: Sequence[str]) -> Array:
        """Derivatives (N, p) of the state before the first map by parameters."""

    @abstractmethod
    def sources(self, k: int, names: Sequence[str]) -> Array:
        """Derivatives (M, p) of the equations of map k by parameters, as `LinearMap.forward` takes them."""


def backward_sweep(
    run: TapedRun, gradient: Array, names: Sequence[str] = ()
) -> tuple[Array, Array, list[Array]]:  # fmt: skip
    """Gradient by the first state (N,), by parameters (p,), and by the equations of every map, from one by the last."""
    gradient, found, equations = np.asarray(gradient, dtype=float), np.zeros(len(names)), []
    for k in range(run.count - 1, -1, -1):
        gradient, by_equations = run.linear(k).backward(gradient)
        equations.append(by_equations)
        if names:
            found += by_equations @ run.sources(k, names)
    if names:
        found += gradient @ run.start_columns(names)
    return gradient, found, equations[::-1]
