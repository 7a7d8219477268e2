"""Static balance as a function of parameters: r(x; p) = 0, its inputs or arrays renewed as the parameters change."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from cosserat.compile.build import compile_model
from cosserat.compile.compiled import CompiledModel
from cosserat.errors import SolveError
from cosserat.kernels.arrays import History, Inputs
from cosserat.kernels.integrate import load_stages
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.status import Outcome, Status
from cosserat.solve.arguments import check_state
from cosserat.solve.balance.balance import Balance, State
from cosserat.solve.balance.knobs import Knobs
from cosserat.solve.balance.statics import Statics, statics_at
from cosserat.solve.memory import trial_history
from cosserat.solve.spin import check_steady, spin_twist

_BETWEEN = 0.381966  # part of a span at which a parameter is looked at, besides its ends
RELATIVE_STEP = 1e-5  # relative step of central differences where a parameter enters nonlinearly

# what static balance does not depend on, and what it depends on only with gravity or a spin
_DYNAMIC = {
    "elements.viscosity", "freedoms.damping", "freedoms.friction", "freedoms.speed", "freedoms.kd", "freedoms.armature",
    "springs.damping",
}  # fmt: skip
_WEIGHTS = {"nodes.mass", "nodes.moment"}
_INERTIAS = {"elements.mass", "bodies.mass"}
_STRUCTURE = ("elements.node", "bodies.node", "joints.node", "springs.node", "loads.node", "freedoms.joint")


class Parametric(ABC):
    """Equations of balance of a model in a known configuration, with parameters that can be turned.

    Attributes
    ----------
    statics : Balance
        At the present parameters; it holds the configuration.
    inputs_only : bool
        Whether the parameters change nothing but loads, efforts and motions, so that nothing need be compiled again.
    """

    statics: Balance
    inputs_only: bool

    def __init__(self, knobs: Knobs, time: float) -> None:
        self.knobs = knobs
        check_state(knobs.caller, knobs.model, time)
        self.times = np.array([time], dtype=float)
        self._differences: dict[str, float] = {}

    @abstractmethod
    def turn(self, values: Mapping[str, float]) -> None:
        """Give the parameters values, and the equations their inputs and arrays for them."""

    @abstractmethod
    def stored(self, name: str, states: Sequence[tuple[State, float]]) -> tuple[History | None, list[Equilibrium]]:
        """States along a parameter, with its values, as a history of nodes, or each as an equilibrium."""

    def columns(self, names: Sequence[str]) -> tuple[Array, Array]:
        """Typical changes (k,) of parameters, and what each makes of (r, s phi), as columns (n_unknowns, k)."""
        scales = np.array([self._differences[name] for name in names])
        found = np.array([self.derivative(name) for name in names]).reshape(len(names), self.statics.n_unknowns)
        return scales, found.T * scales

    def derivative(self, name: str) -> Array:
        """Derivative (n_unknowns,) of (r, s phi) with respect to a parameter at the present configuration.

        By central differences: exact, but for rounding, where the parameter enters linearly.
        """
        value, h = self.knobs.values[name], self._differences[name]
        sides = []
        for side in (1.0, -1.0):
            self.turn({name: value + side * h})
            sides.append(-self.statics.residual())
        self.turn({name: value})
        self.statics.residual()  # the tangent takes accelerations and forces from the state: not those of the last side
        return (sides[0] - sides[1]) / (2.0 * h)

    def found(self, state: State | None = None, **more: Any) -> Equilibrium:
        """A state at the present parameters as a result; the present one by default."""
        if state is not None:
            self.statics.put(state)
            self.statics.residual()
        time = float(self.times[0])
        settings = {"time": time, "spin": self.statics.full_spin, **more}
        return self.statics.result(Status(Outcome.OK, time), settings, self.statics.stats)

    def irrelevant(self, name: str, changed: set[str]) -> SolveError:
        """What to say of a parameter on which the balance does not depend."""
        time = float(self.times[0])
        return SolveError(
            f"the balance of model {self.knobs.model.name!r} does not depend on {name!r}: it changes "
            f"{', '.join(sorted(changed)) or f'nothing at t = {time:g} s'}; name a parameter of a load, a stiffness or "
            "the geometry, or a time at which it acts"
        )


class NodalParametric(Parametric):
    """Of the Galilean formulation."""

    statics: Statics

    def __init__(self, knobs: Knobs, start: Equilibrium | None, time: float, spans: Mapping[str, float]) -> None:
        super().__init__(knobs, time)
        self.statics = statics_at(knobs.model, time, start, knobs.spin, knobs.center, knobs.caller)
        irrelevant = _DYNAMIC | (set() if np.any(knobs.model.gravity) else _WEIGHTS)
        irrelevant |= _INERTIAS if self.statics.full_spin is None else set()
        base, changed = knobs.values, set[str]()
        for name, span in spans.items():
            names, linear = self._changes(name, base[name], span)
            linear = linear and not bends(knobs.model)
            if not names - irrelevant:
                raise self.irrelevant(name, names)
            changed |= names
            self._differences[name] = abs(span) if linear else RELATIVE_STEP * max(abs(span), abs(base[name]))
        self.inputs_only = inputs_alone(changed)
        self.turn(base)

    def _compiled(self) -> CompiledModel:
        compiled, old = compile_model(self.knobs.model), self.statics.compiled
        for name in _STRUCTURE:
            if not np.array_equal(*(attrgetter(name)(c.system) for c in (compiled, old))):
                raise SolveError(
                    f"parameters {', '.join(map(repr, self.knobs.names))}: they change the mesh ({name}); parameters "
                    "that move loads or joints from node to node cannot be varied continuously"
                )
        return compiled

    def _changes(self, name: str, base: float, span: float) -> tuple[set[str], bool]:
        """Which arrays a parameter changes, and whether it enters linearly, through loads alone."""
        samples = []
        for part in (0.0, _BETWEEN, 1.0):
            self.knobs.turn({name: base + part * span})
            self.knobs.check()
            samples.append(numbers_of(self._compiled(), self.knobs, self.times))
        self.knobs.turn({name: base})
        linear, changed = True, changed_among(samples)
        for key in changed:
            at, between, end = (sample[key] for sample in samples)
            linear = linear and key.startswith("inputs.") and key != "inputs.drive"
            if linear:
                bent = np.max(np.abs(at + _BETWEEN * (end - at) - between))
                linear = bent <= 1e-12 * np.max(np.abs(end) + np.abs(at))
        return changed, linear

    def turn(self, values: Mapping[str, float]) -> None:
        self.knobs.turn(values)
        memory = self.statics.memory
        if not self.inputs_only:
            compiled = self._compiled()
            joints = compiled.system.joints._replace(soft=memory.problem.joints.soft)
            system = compiled.system._replace(joints=joints)
            compiled = dataclasses.replace(compiled, system=system)
            memory.replace(**{k: v for k, v in system._asdict().items() if k != "pattern"})
            if system.media.element.shape != self.statics.compiled.system.media.element.shape:
                raise SolveError(
                    f"parameters {', '.join(map(repr, self.knobs.names))}: a quadratic potential of a medium is convex "
                    "for some values only; end the path before, or add a term of higher order to the potential"
                )
            memory.problem.solver.media[...] = compiled.addresses()["media"]
            load_stages(memory)  # a section may have become one that needs more of them
            self.statics.measure(compiled)
        memory.replace(inputs=sampled(self.statics.compiled, self.times))
        self.statics.spin = self.statics.full_spin = spin_twist(self.knobs.spin, self.knobs.center)
        if self.statics.spin is not None:
            check_steady(self.statics.compiled, memory.problem.inputs, self.statics.spin)

    def derivative(self, name: str) -> Array:
        with self.statics.memory.kept():  # stresses may be predicted ones
            return super().derivative(name)

    def stored(self, name: str, states: Sequence[tuple[State, float]]) -> tuple[History | None, list[Equilibrium]]:
        rows = []
        for state, value in states:
            self.turn({name: value})
            self.statics.put(state)
            self.statics.residual()
            rows.append(trial_history(self.statics.memory))
        return History(*(np.concatenate(parts) for parts in zip(*rows, strict=True))), []


def sampled(compiled: CompiledModel, times: Array) -> Inputs:
    """Inputs at times, with the gravity that the model has now."""
    return dataclasses.replace(compiled.sampler, gravity=compiled.model.gravity).sample(times)


def numbers_of(compiled: CompiledModel, knobs: Knobs, times: Array) -> dict[str, Array]:
    """What equations depend on at the present parameters: arrays by name, without those that a solver fills."""
    groups = {**compiled.system._asdict(), "inputs": sampled(compiled, times)}
    spin = spin_twist(knobs.spin, knobs.center)
    out = {"frames": compiled.frames, "spin": np.zeros(6) if spin is None else spin}
    for group in (name for name in groups if name != "pattern"):
        fields = groups[group]._asdict()
        out |= {f"{group}.{k}": array for k, array in fields.items() if k not in ("block", "soft", "given")}
    return out


def changed_among(samples: list[dict[str, Array]]) -> set[str]:
    """Names of the arrays that are not the same in all samples."""
    first, *others = samples
    return {key for key, array in first.items() if any(not np.array_equal(array, other[key]) for other in others)}


def inputs_alone(changed: set[str]) -> bool:
    """Whether nothing has changed but loads, prescribed motions, gravity and the rotation."""
    return all(key == "spin" or key.startswith("inputs.") for key in changed)


def bends(model: Model) -> bool:
    """Whether something answers inputs by a law with a kink: a servo that is cut off, a tendon that goes slack."""
    return any(np.isfinite(servo.limit) for servo in model.servos) or any(spring.slack for spring in model.springs)
