"""Equilibria and steady rotations of a model as its parameters turn: what `SteadyStates` asks of a formulation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.build import compile_model
from cosserat.errors import ParameterError, SolveError
from cosserat.lie.protocol import Array
from cosserat.solve.balance.balance import Attempt
from cosserat.solve.balance.knobs import Knobs
from cosserat.solve.balance.parametric import changed_among, inputs_alone, numbers_of, sampled
from cosserat.solve.balance.points import NodalPoints, Points
from cosserat.solve.balance.statics import Statics
from cosserat.solve.initial import consistent_accelerations, set_trial, settle_states, soften_redundant
from cosserat.solve.linear.point import OperatingPoint
from cosserat.solve.memory import loaded_memory
from cosserat.solve.spin import check_steady, spin_twist, twists_in

_TOLERANCE = 1e-12  # last correction of positions, relative to the extent of the mechanism
_AT_REST = 1e-12  # unbalanced force, relative to reactions and stresses, below which nothing needs to be solved
_MET = 1e-11  # what constraints miss, relative to the extent of the mechanism, below which they hold


class Sweep(ABC):
    """States of a model at the present values of parameters that turn."""

    @abstractmethod
    def points(self) -> Points:
        """States that a user may name, or an equilibrium."""

    @abstractmethod
    def begin(self, point: Any) -> None:
        """Take the first point, from which others follow."""

    @abstractmethod
    def solved(self, configuration: Any, last: bool) -> Any:
        """The point in balance, started from a known configuration; None if not found.

        With `last` it is not tried again in smaller steps.
        """

    @abstractmethod
    def configuration(self, point: Any) -> Any:
        """What is kept of a point, to start from it."""


class _KnownBalance(NamedTuple):
    """A configuration in balance."""

    frame: Array
    force: Array
    angle: Array


class NodalSweep(Sweep):
    """Of the Galilean formulation; the memory of one point serves all."""

    def __init__(self, knobs: Knobs, ranges: Sequence[Array], time: float, described: bool) -> None:
        self._knobs, self._times = knobs, np.array([time], dtype=float)
        self._point: OperatingPoint | None = None
        with knobs.kept():
            self._inputs_only = all([self._check(k, ranges, described) for k in range(len(knobs.names))])

    def _check(self, k: int, ranges: Sequence[Array], described: bool) -> bool:
        """Whether a parameter changes nothing but loads and gravity; an error if it changes nothing at all."""
        starts, samples = np.array([r[0] for r in ranges]), []
        for value in (ranges[k][0], ranges[k][len(ranges[k]) // 2], ranges[k][-1]):
            self._knobs.take(np.where(np.arange(len(starts)) == k, value, starts))
            compiled = compile_model(self._knobs.model)
            own = {"twists": compiled.twists} if described else {}
            samples.append(numbers_of(compiled, self._knobs, self._times) | own)
        changed = changed_among(samples)
        if not changed:
            raise ParameterError(
                f"{self._knobs.caller}: nothing changes when parameter {self._knobs.names[k]!r} goes from "
                f"{ranges[k][0]:g} to {ranges[k][-1]:g}; name one that a load, a stiffness, a mass, a length or the "
                "spin depends on"
            )
        return inputs_alone(changed)

    def _rotation(self) -> Array | None:
        return spin_twist(self._knobs.spin, self._knobs.center)

    def points(self) -> NodalPoints:
        return NodalPoints(self._knobs.model, self._knobs.caller, self._knobs.spin, self._knobs.center)

    def begin(self, point: OperatingPoint) -> None:
        self._point = point

    def solved(self, configuration: _KnownBalance, last: bool) -> OperatingPoint | None:
        point = self._renewed()
        memory, compiled = point.memory, point.compiled
        state, rotation = memory.problem.state, self._rotation()
        state.frame[:] = configuration.frame
        state.angle[:] = configuration.angle if configuration.angle.shape == state.angle.shape else 0.0
        state.twist[:] = 0.0 if rotation is None else twists_in(rotation, configuration.frame)
        inputs = memory.problem.inputs
        if rotation is not None:
            check_steady(compiled, inputs, rotation)
        settle_states(memory)
        consistent_accelerations(compiled, point.time, memory, inputs, frozen=True)
        state.rate[:] = 0.0
        set_trial(memory, state)
        point.refresh()
        trial = memory.problem.trial
        acting = max(np.max(np.abs(a), initial=0.0) for a in (trial.force, trial.stress, inputs.wrench))
        held = np.max(np.abs(trial.phi), initial=0.0) <= _MET * compiled.size
        if held and np.max(np.abs(trial.residual[: compiled.n_nodes])) <= _AT_REST * acting:
            return point
        trial.force[:] = configuration.force
        statics = Statics(compiled, memory, rotation)
        if statics.balance(_TOLERANCE * compiled.size, limit_first=False) is not Attempt.BALANCED:
            return None
        point.refresh()
        return point if np.all(np.isfinite(trial.frame)) else None

    def _renewed(self) -> OperatingPoint:
        """The point with arrays and inputs for the present parameters."""
        assert self._point is not None
        point = self._point
        if self._inputs_only:
            point.memory.replace(inputs=sampled(point.compiled, self._times))
            return point
        compiled = compile_model(self._knobs.model)
        if compiled.frames.shape != point.compiled.frames.shape:
            raise SolveError(f"{self._knobs.caller}: parameter {self._knobs.names[0]!r} changes the number of nodes")
        memory = loaded_memory(compiled, sampled(compiled, self._times))
        soften_redundant(compiled, memory)
        self._point = OperatingPoint(compiled, memory, point.time, point.kind)
        return self._point

    def configuration(self, point: OperatingPoint) -> _KnownBalance:
        trial = point.memory.problem.trial
        return _KnownBalance(trial.frame.copy(), trial.force.copy(), trial.angle.copy())
