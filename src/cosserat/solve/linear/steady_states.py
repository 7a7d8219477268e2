"""Equilibria and steady rotations of a model as its parameters turn, each found from the nearest known one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.build import compile_model
from cosserat.errors import CosseratError, ParameterError, SolveError
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.solve.arguments import check_state
from cosserat.solve.balance.balance import Attempt
from cosserat.solve.balance.equilibrium import equilibrium
from cosserat.solve.balance.knobs import Knobs
from cosserat.solve.balance.parametric import differing, sampled, zero_if_none
from cosserat.solve.balance.statics import Statics
from cosserat.solve.initial import consistent_accelerations, set_trial, settle_states, soften_redundant
from cosserat.solve.linear.point import OperatingPoint
from cosserat.solve.linear.points import NodalPoints, point_of
from cosserat.solve.memory import loaded_memory
from cosserat.solve.spin import check_steady, spin_twist, twists_in
from cosserat.solve.trees.formulation import floating_of

Array = NDArray[np.float64]

_TOLERANCE = 1e-12  # last correction of positions, relative to the extent of the mechanism
_AT_REST = 1e-12  # unbalanced force, relative to reactions and stresses, below which nothing needs to be solved
_MET = 1e-11  # what constraints miss, relative to the extent of the mechanism, below which they hold
_HALVINGS = 6


class _Known(NamedTuple):
    """A configuration in balance."""

    frame: Array
    force: Array
    angle: Array


def steady_states(
    model: Model,
    names: Sequence[Any],
    ranges: Sequence[Array],
    *,
    about: Any,
    time: float,
    spin: Any,
    center: Any,
    caller: str,
    formulation: Any = None,
) -> SweptStates:
    """The states about which an analysis linearises, in one of the formulations."""
    check_state(caller, model, time, spin, center)
    floating = floating_of(formulation, model, caller)
    knobs = Knobs(model, names, spin, center, caller)
    if floating is None:
        return SteadyStates(knobs, ranges, about, time, caller)
    from cosserat.solve.trees.states import TreeStates

    return TreeStates(knobs, ranges, about, time, caller, floating)


class SweptStates(ABC):
    """States about which `stability`, `stability_map` and `campbell` linearise, each found from the nearest known one.

    Attributes
    ----------
    names : list of str
        Of the parameters.
    """

    def __init__(self, knobs: Knobs, ranges: Sequence[Array], about: Any, time: float, caller: str) -> None:
        known = isinstance(about, Equilibrium) or (isinstance(about, str) and about in ("reference", "motion"))
        if about is not None and not known:
            raise SolveError(
                f"{caller}: about={about!r} is not understood; pass the Equilibrium to start from, 'reference', "
                "'motion' or None"
            )
        if isinstance(about, Equilibrium) and about.settings.get("spin") is not None and knobs.spin is None:
            raise SolveError(f"{caller}: the equilibrium given as about turns; pass its spin and center too")
        self._knobs, self._about, self._time, self._caller = knobs, about, time, caller
        self.names = knobs.names
        self._spans = np.array([np.ptp(r) for r in ranges])
        self._described = isinstance(about, str) and about == "motion"  # of the initial velocities
        self._known: list[tuple[Array, Any]] = []  # values, and the configuration there

    @contextmanager
    def walk(self) -> Iterator[None]:
        """Inside, parameters are turned at will; afterwards they have their old values."""
        with self._knobs.kept():
            yield

    def at(self, *values: float) -> Any:
        """The state for given values; its memory may be used again at the next call.

        Raises
        ------
        SolveError
            If there is none near the nearest one known; the message says at which value.
        """
        target = np.array(values, dtype=float)
        if self._described or not self._known:
            self._turn(target)
            point = self._first(target)
        else:
            nearest = min(self._known, key=lambda known: float(np.sum(((known[0] - target) / self._spans) ** 2)))
            point = self._follow(nearest, target, _HALVINGS)
        self._known.append((target, self._configuration(point)))
        return point

    def _turn(self, values: Array) -> None:
        """Give the parameters values; an error that names them if a component refuses."""
        self._knobs.turn(dict(zip(self.names, values.tolist(), strict=True)))
        try:
            self._knobs.check()
        except CosseratError as error:
            now = np.array(list(self._knobs.values.values()))
            raise ParameterError(f"{self._caller}: with {self._text(now)}: {error}") from None

    def _text(self, values: Array) -> str:
        return ", ".join(f"{n} = {v:.10g}" for n, v in zip(self.names, values, strict=True))

    def _first(self, values: Array) -> Any:
        """The state that is not found from another one."""
        try:
            about = self._about
            if isinstance(about, Equilibrium):
                rotation = {"spin": self._knobs.spin, "center": self._knobs.center}
                about = equilibrium(
                    self._knobs.model, time=self._time, start=about, formulation=self._formulation, **rotation
                )
            return self._begun(about)
        except SolveError as error:
            raise SolveError(f"{error} (at {self._text(values)})") from None

    def _follow(self, known: tuple[Array, Any], target: Array, halvings: int) -> Any:
        """Solve at the target from a known state, in smaller steps if need be."""
        self._turn(target)
        point = self._solved(known[1], last=halvings == 0)
        if point is not None:
            return point
        if halvings == 0:
            raise SolveError(
                f"{self._caller}: no equilibrium at {self._text(target)} was found from the one at "
                f"{self._text(known[0])}; pass values up to there, or follow the path with cs.continuation, which "
                "passes limit points"
            )
        middle = 0.5 * (known[0] + target)
        half = self._follow(known, middle, halvings - 1)
        return self._follow((middle, self._configuration(half)), target, halvings - 1)

    @property
    @abstractmethod
    def _formulation(self) -> Any:
        """As `equilibrium` takes it."""

    @abstractmethod
    def _begun(self, about: Any) -> Any:
        """The point about a state that a user may name, or about an equilibrium at the present parameters."""

    @abstractmethod
    def _solved(self, configuration: Any, last: bool) -> Any:
        """The point in balance at the present parameters, started from a known configuration; None if not found.

        With `last` it is not tried again in smaller steps.
        """

    @abstractmethod
    def _configuration(self, point: Any) -> Any:
        """What is kept of a point, to start from it."""


class SteadyStates(SweptStates):
    """The states of the Galilean formulation.

    Parameters
    ----------
    knobs : Knobs
        The parameters that vary.
    ranges : for each parameter the values it will take
    about, time
        As for `stability`.
    caller : str
        Who is asking, for error messages.
    """

    _formulation = None

    def __init__(self, knobs: Knobs, ranges: Sequence[Array], about: Any, time: float, caller: str) -> None:
        super().__init__(knobs, ranges, about, time, caller)
        self._times = np.array([time], dtype=float)
        self._point: OperatingPoint | None = None
        with knobs.kept():
            self._inputs_only = all([self._check(k, ranges) for k in range(len(self.names))])

    def _check(self, k: int, ranges: Sequence[Array]) -> bool:
        """Whether a parameter changes nothing but loads and gravity; an error if it changes nothing at all."""
        name, model = self.names[k], self._knobs.model
        starts = np.array([r[0] for r in ranges])
        self._turn(starts)
        here = compile_model(model)
        first = *sampled(here, self._times), zero_if_none(self._rotation())
        only, nothing = True, True
        for value in (ranges[k][len(ranges[k]) // 2], ranges[k][-1]):
            self._turn(np.where(np.arange(len(starts)) == k, value, starts))
            there = compile_model(model)
            second = *sampled(there, self._times), zero_if_none(self._rotation())
            same = not differing(here, there)
            same = same and (not self._described or np.array_equal(here.twists, there.twists))
            only = only and same
            nothing = nothing and same and all(map(np.array_equal, first, second))
        if nothing:
            raise ParameterError(
                f"{self._caller}: nothing changes when parameter {name!r} goes from {ranges[k][0]:g} to "
                f"{ranges[k][-1]:g}; name one that a load, a stiffness, a mass, a length or the spin depends on"
            )
        return only

    def _rotation(self) -> Array | None:
        return spin_twist(self._knobs.spin, self._knobs.center)

    def _begun(self, about: Any) -> OperatingPoint:
        points = NodalPoints(self._knobs.model, self._caller, self._knobs.spin, self._knobs.center)
        self._point = point_of(points, about, self._time)
        return self._point

    def _solved(self, configuration: _Known, last: bool) -> OperatingPoint | None:
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
            raise SolveError(f"{self._caller}: parameter {self.names[0]!r} changes the number of nodes")
        memory = loaded_memory(compiled, sampled(compiled, self._times))
        soften_redundant(compiled, memory)
        self._point = OperatingPoint(compiled, memory, point.time, point.kind)
        return self._point

    def _configuration(self, point: OperatingPoint) -> _Known:
        trial = point.memory.problem.trial
        return _Known(trial.frame.copy(), trial.force.copy(), trial.angle.copy())
