"""Laws of loads that users write, compiled, and called from Python where results and checks need them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cosserat.compile.mesh import element_mass
from cosserat.errors import CosseratError, ModelError
from cosserat.kernels import state_loads
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.breaks import jumps_of, pulses, reads_time, switches
from cosserat.model.state_loads import StateLoad

_NO_ARRAY = (  # Numba, of a number or of None, of a tuple
    "No implementation of function Function(<built-in function len>)",
    "Unknown attribute 'size'",
    "Unknown attribute 'shape'",
)

_GRID, _CALLS = (256, 2048), 40_000  # times at which each law is looked at, and how often all are called for that
_SLOW = 0.01  # m/s, rad/s
_BESIDE = np.array([0.31, -0.43, 0.59, 0.47, -0.61, 0.23])  # any twist
_TURNS, _DIFFERENCE, _STEADY = 30, 1e-6, 1e-10  # of the search for steady states
_ALONG = 1e-4  # rad or m: step of a difference along the motion
_CANCEL = 1e-7  # of the largest wrench: a sum that is none


@dataclass(frozen=True)
class CompiledLaw:
    """The law of a load and, where it is given, its derivative: units of compiled code."""

    load: StateLoad
    law: Any
    derivative: Any | None
    inertia: Any | None = None  # that of a law which sees the rate, where it changes with the frame

    @property
    def numbers(self) -> Array:
        """Present values of the parameters, behind them first values of its states; at least one number."""
        matter = self.load.hidden if self.load.element is None else element_mass(self.load.element)
        return np.array((*self.load.values, *matter, *self.load.first_states) or (0.0,))

    @property
    def n_states(self) -> int:
        """Number of its states."""
        return len(self.load.states)

    @property
    def size(self) -> int:
        """How many numbers it gives: of its wrenches, and what is behind them."""
        return 6 * self.load.acts_on + self.n_states + int(self.load.has_energy)

    def reference(self, size: float = 0.0) -> tuple[Array, Array]:
        """Frames (n, 4, 4) and twists (n, 6) of its places where they are described; the first so far beside that."""
        frames = np.array([place.frame() for place in self.load.places])
        twists = np.zeros((len(frames), 6))
        frames[0], twists[0] = probe(frames[0], size)
        return frames, twists

    def answer(
        self, t: float, frames: Array, twists: Array, states: Array | None = None, numbers: Array | None = None
    ) -> Array:
        """Wrenches one after another, then rates of states or an energy; not numbers where the law fails.

        At frames (n, 4, 4), twists (n, 6), states and numbers, the present ones by default.
        """
        out, numbers = np.zeros(self.size), self.numbers if numbers is None else numbers
        if states is not None and self.n_states:
            numbers[-self.n_states :] = states
        if self.inertia is not None:
            first = len(self.load.values)
            numbers[first : first + 36] = self.inertia_at(t, frames[0]).ravel()
        code = self.law(float(t), np.ascontiguousarray(frames), np.ascontiguousarray(twists), numbers, out)
        return out if code == 0 else np.full(self.size, np.nan)

    def inertia_at(self, t: float, frame: Array) -> Array:
        """Inertia (6, 6) that goes to its body, in the frame (4, 4) of its place."""
        assert self.inertia is not None
        out = np.full(36, np.nan)
        self.inertia(float(t), np.array([frame]), np.zeros((1, 6)), self.numbers, out)
        return out.reshape(6, 6)

    def inertia_over(self, times: Array, frames: Array, twists: Array) -> tuple[Array, Array]:
        """The same A (nt, 6, 6) over time, and v.A'v/2 (nt,): what its change adds to the kinetic energy."""
        A, powers = np.zeros((len(times), 6, 6)), np.zeros(len(times))
        for i, (t, H, v) in enumerate(zip(times, frames, twists, strict=True)):
            h = _ALONG / max(1.0, float(np.abs(v).max()))
            ahead, behind = (self.inertia_at(t, H @ se3.exp(side * h * v)) for side in (1.0, -1.0))
            A[i], powers[i] = self.inertia_at(t, H), v @ (ahead - behind) @ v / (4.0 * h)
        return A, powers

    def steady(self, t: float, frames: Array, twists: Array, numbers: Array | None = None) -> tuple[Array, str]:
        """States (n,) at which all rates vanish at a motion; and the name of one that has no such value, or ""."""

        def rate(states: Array) -> Array:
            return self.answer(t, frames, twists, states, numbers)[6 * self.load.acts_on :]

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
    places = load.record_type(), len(load.places), load.acts_on, load.joins
    law, derivative = load.law, load.derivative
    units: list[Any] = []
    for what, build in (
        ("law", lambda: state_loads.compile_law(law, *places, len(load.states) + int(load.has_energy))),
        ("derivative", lambda: derivative and state_loads.compile_derivative(derivative, law, *places)),
    ):
        try:
            units.append(build())
        except CosseratError as error:
            if any(text in str(error) for text in _NO_ARRAY):
                raise ModelError(f"{load.title}: the {what} must return an array {wanted_of(load, what)}") from None
            raise refused(load.title, what, error) from None
    matrix = load.inertia_law
    inertia = matrix and state_loads.compile_law(matrix, load.record_type(), 1, 1, False, 30)
    compiled = CompiledLaw(load, units[0], units[1], inertia)
    _demand_sizes(compiled)
    if load.joins and load.balanced:
        _demand_balance(compiled)
    return compiled


def refused(title: str, what: str, error: Exception) -> ModelError:
    """The error that says why a function of the user's cannot be compiled."""
    return ModelError(
        f"{title}: the {what} cannot be compiled: {error}; it may use the part of Python and NumPy that "
        "Numba compiles (https://numba.readthedocs.io), and numbers through parameters="
    )


def wanted_of(load: StateLoad, what: str) -> str:
    """Shape and meaning of what a law or its derivative returns."""
    n = len(load.places)
    rows = 6 * n if load.joins else 6
    if what == "derivative":
        return f"({rows}, {12 * n})"
    if load.joins and not load.states:
        return f"({n}, 6), force and moment on each of its places in that place's frame"
    rates = f", then the rates of its states {', '.join(load.states)}" if load.states else ""
    of = f"on each of its {n} places in that" if load.joins else "in the"
    return f"({rows + len(load.states)},), force and moment {of} place's frame{rates}"


def _demand_sizes(compiled: CompiledLaw) -> None:
    """Raise if a function gives another number of components than it must."""
    load, n = compiled.load, len(compiled.load.places)
    given = 0.0, *compiled.reference(), compiled.numbers
    outs = np.zeros(compiled.size), np.zeros((6 * n, 12 * n))
    for what, unit, out in zip(("law", "derivative"), (compiled.law, compiled.derivative), outs, strict=True):
        if unit is not None and unit(*given, out) == state_loads.WRONG_SIZE:
            raise ModelError(f"{load.title}: the {what} must return an array {wanted_of(load, what)}")


def _demand_balance(compiled: CompiledLaw) -> None:
    """Raise if the wrenches of a law that joins places do not cancel, at places beside those that are described."""
    load, n = compiled.load, len(compiled.load.places)
    for size in (0.03, 0.1):
        moved = [probe(frame, size * np.cos(k)) for k, frame in enumerate(compiled.reference()[0])]
        frames, twists = (np.array(side) for side in zip(*moved, strict=True))
        wrenches = compiled.answer(0.3, frames, twists)[: 6 * n].reshape(n, 6)
        on_origin = [se3.adjoint(se3.inverse(frame)).T @ wrench for frame, wrench in zip(frames, wrenches, strict=True)]
        total = np.sum(on_origin, axis=0)
        if np.abs(total).max() > _CANCEL * np.abs(on_origin).max():  # also false where the law gives no number
            raise ModelError(
                f"{load.title}: the wrenches of its law do not cancel: together they are {np.round(total, 6).tolist()} "
                "about the origin, force first, where they should be zero as between bodies; pass balanced=False if "
                "they act from outside"
            )


def moments_of(laws: tuple[CompiledLaw, ...], start: float, end: float) -> list[float]:
    """Times at which laws that mostly do not depend on time begin and end to change with it.

    Places are where they are described and move slowly in every direction: a gust is seen when it passes there.
    """
    if not laws or not end > start:
        return []
    cells = min(max(_CALLS // len(laws), _GRID[0]), _GRID[1])
    grid = np.linspace(start, end, cells + 1)
    out: set[float] = set()
    for law in laws:
        frames, twists = law.reference()
        twists[0] = _SLOW
        values = np.array([law.answer(t, frames, twists) for t in grid])
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
    frames, twists = law.reference(size)
    given = (frames, twists) if load.joins else [x for motion in zip(frames, twists, strict=True) for x in motion]
    numbers = load.record(law.numbers)
    function = getattr(load.law, "py_func", load.law)
    return switched(
        lambda t: function(t, *given, numbers),
        lambda times: np.array([law.answer(t, frames, twists) for t in times]), start, end,
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
