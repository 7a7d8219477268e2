"""Laws of loads that users write, compiled, and called from Python where results and checks need them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.mesh import element_mass
from cosserat.errors import CosseratError, ModelError
from cosserat.kernels import state_loads
from cosserat.lie import se3
from cosserat.model.breaks import jumps_of, pulses
from cosserat.model.clock import reads_time, switches
from cosserat.model.state_loads import StateLoad

Array = NDArray[np.float64]

_NO_LENGTH = "No implementation of function Function(<built-in function len>)"  # Numba, of a number or of None

_GRID, _CALLS = (256, 2048), 40_000  # times at which each law is looked at, and how often all are called for that
_SLOW = 0.01  # m/s, rad/s
_BESIDE = np.array([0.31, -0.43, 0.59, 0.47, -0.61, 0.23])  # any twist
_TURNS, _DIFFERENCE, _STEADY = 30, 1e-6, 1e-10  # of the search for steady states


@dataclass(frozen=True)
class CompiledLaw:
    """The law of a load and, where it is given, its derivative: units of compiled code."""

    load: StateLoad
    law: Any
    derivative: Any | None

    @property
    def numbers(self) -> Array:
        """Present values of the parameters, behind them first values of its states; at least one number."""
        matter = () if self.load.element is None else element_mass(self.load.element)
        return np.array((*self.load.values, *matter, *self.load.first_states) or (0.0,))

    @property
    def n_states(self) -> int:
        """Number of its states."""
        return len(self.load.states)

    def answer(
        self,
        t: float,
        frame: Array,
        twist: Array,
        other_frame: Array,
        other_twist: Array,
        states: Array | None = None,
        numbers: Array | None = None,
    ) -> Array:
        """Wrench and rates of states (6 + n,), or wrench and energy (7,); not a number where the law fails.

        At frames (4, 4), twists (6,), states (n,) and numbers, the present ones by default.
        """
        n, more = self.n_states, int(self.load.has_energy)
        out, numbers = np.zeros(6 + n + more), self.numbers if numbers is None else numbers
        if states is not None and n:
            numbers[-n:] = states
        arrays = (np.ascontiguousarray(a, dtype=float) for a in (frame, twist, other_frame, other_twist))
        code = self.law(float(t), *arrays, numbers, out)
        return out if code == 0 else np.full(6 + n + more, np.nan)

    def wrench(self, *motion: Any) -> Array:
        """Wrench (6,) at a motion and states as for `answer`; not a number where the law fails."""
        return self.answer(*motion)[:6]

    def steady(self, t: float, frame: Array, twist: Array, other_frame: Array, other_twist: Array) -> tuple[Array, str]:
        """States (n,) at which all rates vanish at a motion; and the name of one that has no such value, or ""."""

        def rate(states: Array) -> Array:
            return self.answer(t, frame, twist, other_frame, other_twist, states)[6:]

        y = np.array(self.load.first_states)
        for _ in range(_TURNS):
            rates = rate(y)
            size = max(float(np.abs(y).max(initial=0.0)), 1.0)
            steps = _DIFFERENCE * size * np.eye(len(y))
            J = np.array([(rate(y + d) - rate(y - d)) / (2.0 * _DIFFERENCE * size) for d in steps]).T
            if not (np.isfinite(J).all() and np.isfinite(rates).all()):
                return np.full(len(y), np.nan), ""
            least = np.linalg.svd(J)[2][-1] if np.linalg.matrix_rank(J) < len(y) else None
            if least is not None:
                return np.full(len(y), np.nan), self.load.states[int(np.argmax(np.abs(least)))]
            change = -np.linalg.solve(J, rates)
            y = y + change
            if np.abs(change).max(initial=0.0) <= _STEADY * np.abs(y).max(initial=0.0):
                break
        return y, ""


def compile_law(load: StateLoad) -> CompiledLaw:
    """Compile the law of a load, or find it among those compiled already.

    Raises
    ------
    ModelError
        If it cannot be compiled, or does not give six numbers; the message shows the line.
    """
    record, pair = load.record_type(), load.other is not None
    units = []
    for what, function, build in (
        ("law", load.law, partial(state_loads.compile_law, n_more=len(load.states) + int(load.has_energy))),
        ("derivative", load.derivative, state_loads.compile_derivative),
    ):
        try:
            units.append(None if function is None else build(function, record, pair))
        except CosseratError as error:
            if _NO_LENGTH in str(error):
                wanted = wanted_of(load) if what == "law" else f"(6, {24 if pair else 12})"
                raise ModelError(f"{load.title}: the {what} must return an array {wanted}") from None
            raise refused(load.title, what, error) from None
    compiled = CompiledLaw(load, *units)
    _demand_sizes(compiled)
    return compiled


def refused(title: str, what: str, error: Exception) -> ModelError:
    """The error that says why a function of the user's cannot be compiled."""
    return ModelError(
        f"{title}: the {what} cannot be compiled: {error}; it may use the part of Python and NumPy that "
        "Numba compiles (https://numba.readthedocs.io), and numbers through parameters="
    )


def wanted_of(load: StateLoad) -> str:
    """Shape and meaning of what a law returns."""
    rates = f", then the rates of its states {', '.join(load.states)}" if load.states else ""
    return f"({6 + len(load.states)},), force and moment in the place's frame{rates}"


def _demand_sizes(compiled: CompiledLaw) -> None:
    """Raise if a function gives another number of components than it must."""
    load, still = compiled.load, np.zeros(6)
    frames = load.place.frame(), np.eye(4) if load.other is None else load.other.frame()
    given = (0.0, frames[0], still, frames[1], still.copy(), compiled.numbers)
    columns, n = 12 if load.other is None else 24, compiled.n_states
    for unit, out, wanted in (
        (compiled.law, np.zeros(6 + n + int(load.has_energy)), wanted_of(load)),
        (compiled.derivative, np.zeros((6, 24)), f"(6, {columns})"),
    ):
        if unit is not None and unit(*given, out) == state_loads.WRONG_SIZE:
            what = "law" if unit is compiled.law else "derivative"
            raise ModelError(f"{load.title}: the {what} must return an array {wanted}")


def moments_of(laws: tuple[CompiledLaw, ...], start: float, end: float) -> list[float]:
    """Times at which laws that mostly do not depend on time begin and end to change with it.

    Places are where they are described and move slowly in every direction: a gust is seen when it passes there.
    """
    if not laws or not end > start:
        return []
    cells = min(max(_CALLS // len(laws), _GRID[0]), _GRID[1])
    grid, twist, still = np.linspace(start, end, cells + 1), np.full(6, _SLOW), np.zeros(6)
    out: set[float] = set()
    for law in laws:
        place, other = law.load.place.frame(), np.eye(4) if law.load.other is None else law.load.other.frame()
        values = np.array([law.answer(t, place, twist, other, still) for t in grid])
        if np.isfinite(values).all():
            out.update(pulses(grid, values, least=1))
    return sorted(t for t in out if start < t < end)


def switches_of(laws: tuple[CompiledLaw, ...], start: float, end: float) -> list[float]:
    """Times at which users' laws jump or have kinks in time, whatever the state: those that they compare it with, and
    jumps that are seen where places are described and beside that.
    """
    users = [law for law in laws if type(law.load) is StateLoad and reads_time(law.load.law) and end > start]
    return sorted({t for law in users for size in (_SLOW, 1.0) for t in _switches(law, size, start, end)})


def _switches(law: CompiledLaw, size: float, start: float, end: float) -> list[float]:
    """Those of a law at places so far from where they are described."""
    load = law.load
    motion, other = probe(load.place.frame(), size), probe(np.eye(4), 0.0)
    given = motion
    if load.other is not None:
        other = probe(load.other.frame(), 0.0)
        given = (*motion, *other)
    numbers = np.array([law.numbers]).view(load.record_type()).reshape(-1)[0]
    function = getattr(load.law, "py_func", load.law)
    return switched(
        lambda t: function(t, *given, numbers),
        lambda times: np.array([law.answer(t, *motion, *other) for t in times]), start, end,
    )  # fmt: skip


def switched(
    function: Callable[[float], Any],
    values: Callable[[Array], Array],
    start: float,
    end: float,
    width: float = 0.0,
    noise: float = 0.0,
) -> list[float]:
    """Times between two others that a function compares time with, and at which values (nt, size) jump; see `jumps_of`
    for the rest.
    """
    grid, found, apart = np.linspace(start, end, _GRID[0] + 1), switches(function, start, end), 1e-9 * (end - start)
    seen = values(grid)
    if np.isfinite(seen).all():
        jumps = jumps_of(values, grid, seen, width, noise)
        found += [t for t in jumps if all(abs(t - x) > apart + 2.0 * width for x in found)]
    return sorted(t for t in found if start < t < end)


def probe(frame: Array, size: float) -> tuple[Array, ...]:
    """A frame beside another, and a twist."""
    return frame @ se3.exp(size * _BESIDE), size * _BESIDE


