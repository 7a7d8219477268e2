"""Equilibria and steady rotations of a model as its parameters turn, each found from the nearest known one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel
from cosserat.errors import CosseratError, ParameterError, SolveError
from cosserat.kernels.arrays import Inputs
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.solve.arguments import check_state
from cosserat.solve.balance.balance import Attempt
from cosserat.solve.balance.equilibrium import equilibrium
from cosserat.solve.balance.knobs import Knobs
from cosserat.solve.balance.spin import check_steady, spin_twist, twists_in
from cosserat.solve.balance.statics import Statics
from cosserat.solve.initial import consistent_accelerations, set_trial, settle_states, soften_redundant
from cosserat.solve.linear.point import Point, point_at
from cosserat.solve.memory import loaded_memory
from cosserat.solve.trees.formulation import floating_of

Array = NDArray[np.float64]

_TOLERANCE = 1e-12  # last correction of positions, relative to the extent of the mechanism
_AT_REST = 1e-12  # unbalanced force, relative to reactions and stresses, below which nothing needs to be solved
_MET = 1e-11  # what constraints miss, relative to the extent of the mechanism, below which they hold
_HALVINGS = 6


class _Known(NamedTuple):
    """A configuration in balance at given values of the parameters."""

    values: Array
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
) -> Any:
    """The states about which an analysis linearises, in one of the formulations: `SteadyStates` or `TreeStates`."""
    check_state(caller, model, time, spin, center)
    floating = floating_of(formulation, model, caller)
    if floating is None:
        return SteadyStates(model, names, ranges, about=about, time=time, spin=spin, center=center, caller=caller)
    from cosserat.solve.trees.states import TreeStates

    knobs = Knobs(model, names, spin, center, caller)
    return TreeStates(knobs, ranges, about=about, time=time, caller=caller, floating=floating)


class SteadyStates:
    """The states about which `stability` and `campbell` linearise.

    Parameters
    ----------
    model : Model
    names : names of parameters, or Parameters
    ranges : for each parameter the values it will take
    about, time, spin, center
        As for `stability`.
    caller : str
        Who is asking, for error messages.

    Attributes
    ----------
    names : list of str
    """

    def __init__(
        self,
        model: Model,
        names: Sequence[Any],
        ranges: Sequence[Array],
        *,
        about: Any,
        time: float,
        spin: Any,
        center: Any,
        caller: str,
    ) -> None:
        check_state(caller, model, time, spin, center)
        self._knobs = Knobs(model, names, spin, center, caller)
        self._caller, self._about = caller, about
        known = isinstance(about, Equilibrium) or (isinstance(about, str) and about in ("reference", "motion"))
        if about is not None and not known:
            raise SolveError(
                f"{caller}: about={about!r} is not understood; pass the Equilibrium to start from, 'reference', "
                "'motion' or None"
            )
        self._described = isinstance(about, str) and about == "motion"  # of the initial velocities
        if isinstance(about, Equilibrium) and about.settings.get("spin") is not None and spin is None:
            raise SolveError(f"{caller}: the equilibrium given as about turns; pass its spin and center too")
        self._times = np.array([time], dtype=float)
        self.names = self._knobs.names
        self._spans = np.array([np.ptp(r) for r in ranges])
        self._known: list[_Known] = []
        self._point: Point | None = None
        with self._knobs.kept():
            self._inputs_only = all([self._check(k, ranges) for k in range(len(self.names))])

    def _check(self, k: int, ranges: Sequence[Array]) -> bool:
        """Whether a parameter changes nothing but loads and gravity; an error if it changes nothing at all."""
        name, model = self.names[k], self._knobs.model
        self._knobs.turn({n: r[0] for n, r in zip(self.names, ranges, strict=True)})
        self._accept()
        here = compile_model(model)
        first = self._sample(here), spin_twist(self._knobs.spin, self._knobs.center)
        only, nothing = True, True
        for value in (ranges[k][len(ranges[k]) // 2], ranges[k][-1]):
            self._knobs.turn({name: value})
            self._accept()
            there = compile_model(model)
            second = self._sample(there), spin_twist(self._knobs.spin, self._knobs.center)
            same = _equal(here.system, there.system) and np.array_equal(here.frames, there.frames)
            same = same and (not self._described or np.array_equal(here.twists, there.twists))
            only = only and same
            nothing = nothing and same and _equal(first, second)
        if nothing:
            raise ParameterError(
                f"{self._caller}: nothing changes when parameter {name!r} goes from {ranges[k][0]:g} to "
                f"{ranges[k][-1]:g}; name one that a load, a stiffness, a mass, a length or the spin depends on"
            )
        return only

    def _sample(self, compiled: CompiledModel) -> Inputs:
        return dataclasses.replace(compiled.sampler, gravity=self._knobs.model.gravity).sample(self._times)

    @contextmanager
    def walk(self) -> Iterator[None]:
        """Inside, parameters are turned at will; afterwards they have their old values."""
        with self._knobs.kept():
            yield

    def at(self, *values: float) -> Point:
        """The state for given values; its memory is used again at the next call.

        Raises
        ------
        SolveError
            If there is none near the nearest one known; the message says at which value.
        """
        target = np.array(values, dtype=float)
        if self._described:
            self._turn(target)
            return self._first(target)
        if self._point is None:
            self._turn(target)
            self._point = self._first(target)
            return self._keep(target)
        nearest = min(self._known, key=lambda k: float(np.sum(((k.values - target) / self._spans) ** 2)))
        self._follow(nearest, target, _HALVINGS)
        return self._keep(target)

    def _turn(self, values: Array) -> None:
        self._knobs.turn(dict(zip(self.names, values.tolist(), strict=True)))
        if not self._inputs_only:
            self._accept()

    def _accept(self) -> None:
        """Raise an error that names the parameters if a component refuses their values."""
        try:
            self._knobs.check()
        except CosseratError as error:
            values = ", ".join(f"{name} = {value:.10g}" for name, value in self._knobs.values.items())
            raise ParameterError(f"{self._caller}: with {values}: {error}") from None

    def _text(self, values: Array) -> str:
        return ", ".join(f"{n} = {v:.10g}" for n, v in zip(self.names, values, strict=True))

    def _first(self, values: Array) -> Point:
        knobs, time = self._knobs, float(self._times[0])
        rotation: dict[str, Any] = {"spin": knobs.spin, "center": knobs.center}
        try:
            if isinstance(self._about, Equilibrium):
                found = equilibrium(knobs.model, time=time, start=self._about, **rotation)
                return point_at(knobs.model, found, caller=self._caller)
            return point_at(knobs.model, self._about, time=time, caller=self._caller, **rotation)
        except SolveError as error:
            raise SolveError(f"{error} (at {self._text(values)})") from None

    def _follow(self, known: _Known, target: Array, halvings: int) -> None:
        """Solve at the target from a known state, in smaller steps if need be."""
        self._turn(target)
        if self._solve(known):
            return
        if halvings == 0:
            raise SolveError(
                f"{self._caller}: no equilibrium at {self._text(target)} was found from the one at "
                f"{self._text(known.values)}; pass values up to there, or follow the path with cs.continuation, which "
                "passes limit points"
            )
        middle = 0.5 * (known.values + target)
        self._follow(known, middle, halvings - 1)
        self._follow(self._state(middle), target, halvings - 1)

    def _solve(self, known: _Known) -> bool:
        """Balance at the present parameters, started from a known state."""
        point = self._renewed()
        memory, compiled = point.memory, point.compiled
        state, rotation = memory.problem.state, spin_twist(self._knobs.spin, self._knobs.center)
        state.frame[:] = known.frame
        state.angle[:] = known.angle if known.angle.shape == state.angle.shape else 0.0
        state.twist[:] = 0.0 if rotation is None else twists_in(rotation, known.frame)
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
            return True
        trial.force[:] = known.force
        statics = Statics(compiled, memory, rotation)
        if statics.balance(_TOLERANCE * compiled.size, limit_first=False) is not Attempt.BALANCED:
            return False
        point.refresh()
        return bool(np.all(np.isfinite(trial.frame)))

    def _renewed(self) -> Point:
        """The point with arrays and inputs for the present parameters."""
        assert self._point is not None
        point = self._point
        if self._inputs_only:
            point.memory.replace(inputs=self._sample(point.compiled))
            return point
        compiled = compile_model(self._knobs.model)
        if compiled.frames.shape != point.compiled.frames.shape:
            raise SolveError(f"{self._caller}: parameter {self.names[0]!r} changes the number of nodes")
        memory = loaded_memory(compiled, self._sample(compiled))
        soften_redundant(compiled, memory)
        self._point = Point(compiled, memory, point.time, point.kind)
        return self._point

    def _state(self, values: Array) -> _Known:
        assert self._point is not None
        trial = self._point.memory.problem.trial
        return _Known(values, trial.frame.copy(), trial.force.copy(), trial.angle.copy())

    def _keep(self, values: Array) -> Point:
        assert self._point is not None
        self._known.append(self._state(values))
        return self._point


def _equal(a: Any, b: Any) -> bool:
    """Whether nested tuples hold the same numbers."""
    if isinstance(a, tuple):
        return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
    if a is None or b is None:
        return a is b
    return bool(np.array_equal(a, b))
