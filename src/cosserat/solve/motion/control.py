"""A controller in the loop: called at its own sample period, its efforts held in between."""

from __future__ import annotations

import bisect
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.compile.state_loads import signals_of
from cosserat.errors import SolveError, shown
from cosserat.kernels.arrays import Inputs
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.servos import servos_of
from cosserat.results.moment import Moment
from cosserat.results.status import Outcome, Status

_BEYOND = 100.0  # times the first effort, where a run fails
_GROWTHS = ((6, 3.0), (4, 8.0), (2, 20.0))  # so many changes in a row that alternate and grow, by so much over all
_LITTLE = 0.1  # of the largest effort: smaller changes that alternate and grow slowly are not told
_DEAD = 0.1  # of what it was: alternation that has died out


def _is_number(value: Any) -> bool:
    """Whether it is one finite number, an array of one among them."""
    array = np.asarray(value)
    return array.size == 1 and np.issubdtype(array.dtype, np.number) and bool(np.isfinite(array.astype(float)).all())


def _unstable(efforts: Array, failed: bool) -> int | None:
    """The call from which on efforts alternate and grow, if they do."""
    changes = np.diff(efforts)
    size = np.abs(changes)
    back = changes[1:] * changes[:-1] < 0.0
    turns = back & (size[1:] > size[:-1])
    for window, growth in _GROWTHS if failed else _GROWTHS[:1]:
        if len(turns) >= window:
            row = np.convolve(turns, np.ones(window), "valid") == window
            found = np.flatnonzero(row & (size[window:] > growth * size[:-window]))
            if len(found):
                return int(found[0])
    slow = _grown(efforts, size, back)
    if slow is not None:
        return slow
    first = np.flatnonzero(efforts)
    if failed and np.count_nonzero(back) > 1 and abs(efforts[-1]) > _BEYOND * abs(efforts[first[0]]):
        return int(first[0])
    return None


def _grown(efforts: Array, size: Array, back: NDArray[np.bool_]) -> int | None:
    """The call from which on changes of a size alternate without a break and grow, by and by or in beats."""
    window, growth = _GROWTHS[0]
    if len(size) < window:
        return None
    least, begun = math.inf, 0
    mean = np.convolve(size, np.ones(window) / window, "valid")
    for k in range(len(mean)):
        if not back[k : k + window - 1].all():
            least = math.inf
        elif mean[k] > growth * least and mean[k] > _LITTLE * float(np.abs(efforts).max()):
            return begun
        elif mean[k] < least:
            least, begun = float(mean[k]), k
    return None


def _spoilt(efforts: Array) -> bool:
    """Whether efforts that began to alternate and grow at the first of these calls are no longer those of their law.

    They are not if that did not die out: what alternates in the last quarter is no small part of what it was when it
    was seen. Nor are they if most of them has fewer than four samples in a period: an effort that is held comes half a
    sample late, there by more than an eighth of the period, and what is meant to damp does so no more. sin(w h / 2)^2,
    averaged over the spectrum, is |changes|^2 / 4 |efforts|^2: one half at four samples in a period.
    """
    turns = np.diff(efforts, 2)
    last = turns[-max(1, len(turns) // 4) :]
    seen = float(np.abs(turns[: _GROWTHS[0][0]]).max())
    fast = float(np.linalg.norm(np.diff(efforts))) > math.sqrt(2.0) * float(np.linalg.norm(efforts))
    return fast or float(np.linalg.norm(last)) > math.sqrt(len(last)) * _DEAD * seen


class Controlled:
    """Calls a controller and holds its efforts.

    Parameters
    ----------
    controller : callable
    compiled : CompiledModel
    new_moment : callable
        Makes what the controller sees of a state.
    command : callable, optional
        Lets efforts by name act wherever functions of time are sampled; without it, steps ask for `values`.

    Attributes
    ----------
    values : dict
        Efforts and targets by column, in the order in which they were first set; never changed, but replaced.
    """

    def __init__(
        self, controller: Any, compiled: CompiledModel, new_moment: Callable[[], Moment],
        command: Callable[[dict[str, float]], None] | None = None,
    ) -> None:  # fmt: skip
        if not callable(controller):
            raise SolveError(f"controller: {shown(controller)} cannot be called; pass a function of (t, state)")
        checks.arguments("simulate", "controller", controller, "t", "state")
        self.controller = controller
        self.compiled = compiled
        self.period: float | None = getattr(controller, "period", None)
        if self.period is not None and not self.period > 0:
            raise SolveError(f"controller: period is {shown(self.period)}; it must be a positive time in seconds")
        self.columns: dict[str, int] = {}
        joints = {joint.name: joint for joint in compiled.model.joints}
        rows = {(name, active.index): k for k, (name, active) in enumerate(compiled.freedoms)}
        for (name, i), column in zip(rows, compiled.system.freedoms.effort.tolist(), strict=False):
            if column >= 0:
                self.columns[joints[name].coordinates[i]] = column
        for place, servo in servos_of(compiled.model).items():
            self.columns[servo.name] = int(compiled.system.freedoms.target[rows[place]])
        for signal, (_, column) in zip(
            signals_of(compiled.model), compiled.system.state_loads.signal.tolist(), strict=True
        ):
            if signal.offered:
                self.columns[signal.name] = column
        for spring, column in zip(compiled.model.springs, compiled.system.springs.column.tolist(), strict=True):
            if column >= 0:
                self.columns[f"{spring.name}.tension"] = column
        self.values: dict[int, float] = {}
        self._names = {column: name for name, column in self.columns.items()}
        self._told, self._command = self.values, command
        self._new_moment = new_moment
        self._moment: Moment | None = None
        self._calls: list[float] = []
        self._log: list[dict[int, float]] = []

    def steps_per_call(self, h: float) -> int:
        """Equal steps between two calls; refused if the period is not a whole number of them."""
        if self.period is None:
            return 1
        count = round(self.period / h)
        if count < 1 or abs(self.period / h - count) > 1e-6 * count:
            fitting = self.period / np.ceil(self.period / h)
            raise SolveError(
                f"controller: its period of {self.period:g} s is not a whole number of steps of {h:g} s; pass for "
                f"instance step={fitting:g} and a duration that is a multiple of it, or leave step out: adaptive "
                "steps end where the controller is called"
            )
        return int(count)

    def is_due(self, t: float, start: float) -> bool:
        """Whether a call is due at a time."""
        if self.period is None:
            return True
        phase = (t - start) / self.period
        return abs(phase - round(phase)) < 1e-9

    def next_call(self, t: float, start: float) -> float:
        """Time of the next call after t; infinite if there is one at every step."""
        if self.period is None:
            return np.inf
        return float(start + (np.floor((t - start) / self.period + 1e-9) + 1) * self.period)

    def call(self, t: float, *where: Any) -> dict[int, float] | None:
        """Ask the controller for new efforts, once at any time; what was held before, if that changes.

        `where`: as `begin` of the formulation's moment takes it.
        """
        if t == self.called:
            return None
        before = self.values
        moment = self._moment or self._new_moment()
        moment.begin(t, *where)
        self._moment = moment if self._ask(t, moment) else None
        return None if self.values is before else before

    def _ask(self, t: float, moment: Moment) -> bool:
        """Ask for new efforts in a state; whether the controller did not keep it, so that it can be used again."""
        held = sys.getrefcount(moment)
        efforts = self.controller(t, moment)
        free = sys.getrefcount(moment) <= held
        if not free:
            moment.keep()
        if efforts is not None:
            self._set(efforts, t)
        self._calls.append(t)
        self._log.append(self.values)
        return free

    def _set(self, efforts: Any, t: float) -> None:
        """Hold other efforts; where one differs, `values` becomes another dict."""
        if type(efforts) is not dict and not isinstance(efforts, Mapping):
            raise SolveError(f"controller: it gives {shown(efforts)}; a dict of efforts by joint is wanted, or None")
        held, columns = self.values.copy(), self.columns
        for name, value in efforts.items():
            if name not in columns:
                known = ", ".join(map(repr, columns)) or "none"
                raise SolveError(
                    f"controller: no effort can be set in {name!r}; joints with an effort, servos, inputs of loads: "
                    f"{known} "
                    "(give the joint effort=0.0 to make room for a controller)"
                )
            if type(value) is not float or not -math.inf < value < math.inf:
                if not _is_number(value):
                    raise SolveError(f"controller: effort of {name!r} is {value!r} at t = {t:g} s")
                value = float(np.asarray(value).item())
            held[columns[name]] = value
        if held != self.values:
            self.values = held

    def hold(self, held: Mapping[str, float]) -> None:
        """Take over what a run before this one held, by name: it acts up to the first call."""
        values = {self.columns[name]: value for name, value in held.items() if name in self.columns}
        self.values, self._calls, self._log = values, [-math.inf], [values]

    @property
    def held(self) -> dict[str, float]:
        """What it holds, by name."""
        return {name: self.values[column] for name, column in self.columns.items() if column in self.values}

    def tell(self, values: dict[int, float] | None = None) -> None:
        """Let what it holds now, or held once, act wherever functions of time are sampled."""
        values = self.values if values is None else values
        if self._command is not None and values is not self._told:
            self._told = values
            self._command({self._names[column]: value for column, value in values.items()})

    def restore(self, t: float | None) -> None:
        """Let the efforts act again that acted up to a time; None: those that act now."""
        self.tell(None if t is None else self.values_at(t))

    def efforts_at(self, times: Array) -> Array:
        """Efforts (nt, n_efforts) at stored times: those of the last call before each, elsewhere the model's own."""
        efforts = self.compiled.sampler.sample(times).effort.copy()
        for row, t in enumerate(times):
            for column, value in self.values_at(t).items():
                efforts[row, column] = value
        return efforts

    def values_at(self, t: float) -> dict[int, float]:
        """Efforts by column that acted up to a time: those of the last call before it."""
        k = bisect.bisect_left(self._calls, t - 1e-12 * abs(t)) - 1
        return self._log[max(0, k)] if self._log else {}

    def judged(self, status: Status) -> Status:
        """The status with a sentence on the first effort that alternates from call to call and grows, if one does.

        The faster it grows, the fewer calls tell, and the fewest where the run has failed. It is not ok where this has
        spoilt the motion: it is then what sampling makes of the law.
        """
        faults: list[str] = []
        spoilt = False
        for name, column in self.columns.items():
            efforts = np.array([values.get(column, 0.0) for values in self._log])
            found = _unstable(efforts, not status.ok)
            if found is None:
                continue
            spoilt = spoilt or _spoilt(efforts[found:])
            if not faults:
                called = [t for t in self._calls if t > -math.inf]
                period = np.diff(called[-2:])[0] if self.period is None else self.period
                faults.append(
                    f"controller: the effort of {name!r} alternates from call to call and grows, from t = "
                    f"{max(self._calls[found], called[0]):.4g} s on: gains so high are unstable where the law is "
                    f"sampled every {period:.3g} s and moves so little inertia; take the fast part of the law as a "
                    "cs.Servo, give the joint an armature=, lower the gains, or call the controller more often"
                )
        if not faults:
            return status
        outcome = Outcome.UNSTABLE_CONTROL if status.ok and spoilt else status.outcome
        return replace(status, outcome=outcome, detail="; ".join(filter(None, (status.detail, *faults))))

    @property
    def called(self) -> float | None:
        """When it was called last."""
        return self._calls[-1] if self._calls else None

    def keepsake(self) -> dict[str, Any]:
        """What it has asked so far, for a checkpoint: columns in the order in which they were set, values by call."""
        columns = list(self.values)
        rows = [[values.get(column, math.nan) for column in columns] for values in self._log]
        return {"columns": columns, "calls": np.array(self._calls), "log": np.array(rows).reshape(len(rows), -1)}

    def resume(self, kept: dict[str, Any]) -> None:
        """Take it back."""
        if kept["calls"].ndim != 1:
            raise ValueError("calls of a controller that are no times")
        columns, self._calls, self._log = kept["columns"], kept["calls"].tolist(), []
        last: list[float] = []
        for row in kept["log"].tolist():
            if not self._log or row != last:
                values = {column: value for column, value in zip(columns, row, strict=True) if value == value}
            last = row
            self._log.append(values)
        self.values = self._log[-1] if self._log else {}
        demand_efforts(self.values, self.columns.values())
        if len(self._log) != len(self._calls):
            raise ValueError("calls of a controller without efforts")

    def apply(self, inputs: Inputs) -> Inputs:
        """Inputs with the controller's efforts in them."""
        for column, value in self.values.items():
            inputs.effort[:, column] = value
        return inputs


def demand_efforts(kept: Any, columns: Iterable[int]) -> None:
    """Raise one unless what a controller holds is numbers by columns that there are."""
    known = set(columns)
    if not all(column in known and isinstance(value, float) for column, value in kept.items()):
        raise ValueError("efforts of joints that do not exist")
