"""When something in a mechanism jumps or has a kink: functions of time, laws of the state, users' constraints.

Loads that jump or have kinks within a step are sampled so that steps keep their second order wherever that is. Steps
take loads as linear between their ends. A jump somewhere in a step is replaced by its mean over the hat functions of
the two ends, and so is what a step with a kink leaves out between the load and its chord: that leaves the impulse and
the moment of the impulse as they are, also of a pulse that begins and ends within one step.

A `Sampler` makes samples of functions of time: gravity, prescribed motions, efforts and loads at given times.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cosserat.compile.rows import drive_frames
from cosserat.compile.state_laws import CompiledLaw, moments_of, switches_of
from cosserat.errors import SolveError
from cosserat.kernels.arrays import Inputs
from cosserat.lie.protocol import Array
from cosserat.model.breaks import breaks_of
from cosserat.model.functions import Sampled, TimeFunction, VectorFunction
from cosserat.model.joints import Joint
from cosserat.model.line_functions import StationMean
from cosserat.model.servos import Servo

Function = TimeFunction | VectorFunction

_AT = 1e-6  # of the step: a jump so close to its end is there
SIDE = 1e-9  # of the step, or of the time between two breaks: where a value is that of one side
_X, _W = np.polynomial.legendre.leggauss(4)
_Z, _WEIGHT = 0.5 * (1.0 + _X), 0.5 * _W


class Jumps:
    """Jumps of functions of time between two times.

    Attributes
    ----------
    times : list of float
        When any of the functions jumps or has a kink, between the two.
    at_start : bool
        Whether one jumps just after the first time.
    laws : list of float
        Of the times, those of laws of time and state, which cannot be sampled.
    """

    def __init__(
        self, functions: Iterable[Function], start: float, end: float, laws: Iterable[float] = ()
    ) -> None:  # fmt: skip
        self._sizes: dict[Any, list[tuple[float, Array]]] = {}
        self._kinks: dict[Any, Array] = {}
        self._kept: list[Function] = []  # so that identities stay theirs
        times: set[float] = set()
        side = SIDE * (end - start)
        known: dict[Any, list[float]] = {}
        for function in functions:
            origin = _key(function.of if isinstance(function, StationMean) else function)
            if origin not in known:
                known[origin] = breaks_of(function, start, end)
            breaks = known[origin]
            times.update(breaks)
            sizes = [(t, _jump(function, t, side)) for t in breaks]
            self._sizes[_key(function)] = [(t, size) for t, size in sizes if np.any(size)]
            self._kinks[_key(function)] = np.array([t for t, size in sizes if not np.any(size)])
            self._kept.append(function)
        self.laws = sorted(laws)
        self.times = sorted({*times, *self.laws})
        self._ends = (start, side), (end, -side)  # and which way is inside
        smooth = [f.is_constant or (isinstance(f, TimeFunction) and f.is_smooth) for f in self._kept]
        changing = [f for f, calm in zip(self._kept, smooth, strict=True) if end > start and not calm]
        self.at_start = any(np.any(_inwards(f, start, side, f.sample(np.array([start]))[0])) for f in changing)

    def between(self, low: float, high: float) -> list[float]:
        """Those of its times that are inside."""
        return self.times[bisect_right(self.times, low) : bisect_left(self.times, high)]

    def jumps(self, function: Function) -> bool:
        """Whether a function jumps between the two times."""
        return bool(self._sizes.get(_key(function)))

    def sample(self, function: Function, t: Array, h: float) -> Array:
        """Values at times t, ends of steps of length h: jumps spread over both ends of their step.

        Where the run starts and ends, values are those inside.
        With h < 0 steps end where functions jump, and the value is that before the jump.
        """
        if h == 0.0 or function.is_constant:
            return function.sample(t)
        if h < 0.0:
            breaks = np.array([*self.times, *(end for end, _ in self._ends)])
            just = (np.abs(t[:, None] - breaks) < _AT * -h).any(axis=1)
            return function.sample(np.where(just, np.maximum(t + SIDE * h, min(float(t[0]), 0.0)), t))
        values = function.sample(t)
        for end, side in self._ends:
            just = np.abs(t - end) < _AT * h
            if just.any():
                values = values.copy()
                values[just] += _inwards(function, end, side, values[just])
        for at, size in self._sizes.get(_key(function), ()):
            s = (t - at) / h
            near = np.abs(s) < 1.0
            if near.any():
                s = s[near]
                spread = np.where(s < 0.0, 0.5 * (1.0 + s) ** 2, 1.0 - 0.5 * (1.0 - s) ** 2)
                just = np.abs(s) < _AT  # the value there may be that of either side
                values = values.copy()
                if just.any():
                    values[np.nonzero(near)[0][just]] = function.sample(t[near][just] - _AT * h)
                values[near] += np.multiply.outer(spread - ((s >= 0.0) & ~just), size)
        kinks = self._kinks.get(_key(function), np.zeros(0))
        if len(kinks):
            values = values.copy()
            for k in np.nonzero((np.abs(t[:, None] - kinks) < h).any(axis=1))[0]:
                values[k] += self._left_out(function, t[k], h) + self._left_out(function, t[k], -h)
        return values

    def _left_out(self, function: Function, t: float, h: float) -> Array:
        """Mean over the hat function of t, in the step from t to t + h, of the load less its chord and its jumps."""
        low, high = min(t, t + h), max(t, t + h)
        kinks = self._kinks[_key(function)]
        if not ((kinks > low) & (kinks < high)).any():
            return np.asarray(0.0)
        jumps = [(at, size) for at, size in self._sizes[_key(function)] if low < at < high]
        inside = [*(at for at, _ in jumps), *kinks[(kinks > low) & (kinks < high)]]
        cuts = np.array([low, *sorted(inside), high])
        width = np.diff(cuts)
        times = (cuts[:-1, None] + width[:, None] * _Z).ravel()
        weight = (width[:, None] * _WEIGHT).ravel() / abs(h)
        at = np.concatenate((times, [t + SIDE * h, t + (1.0 - SIDE) * h]))
        values = function.sample(at)
        for when, size in jumps:
            values = values - np.multiply.outer(at > when, size)
        share = (times - t) / h
        outer = np.multiply.outer
        rest = values[:-2] - outer(1.0 - share, values[-2]) - outer(share, values[-1])
        return np.asarray(np.tensordot(weight * (1.0 - share), rest, 1))


def _key(function: Any) -> Any:
    """By what a function is known: what follows from the model itself is made anew whenever it is asked for."""
    return function.key if isinstance(function, Sampled) else id(function)


def _inwards(function: Function, t: float, side: float, value: Array) -> Array:
    """By how much the function jumps from a value at time t to that side of it."""
    near, far = function.sample(t + side * np.array([1.0, 2.0]))
    return _beyond(np.asarray(near - value), far - near, near)


def _jump(function: Function, t: float, side: float) -> Array:
    """Value after minus value before."""
    before, after, far = function.sample(np.array([t - side, t + side, t + 2.0 * side]))
    return _beyond(np.asarray(after - before), far - after, after)


def _beyond(size: Array, slope: Array, value: Array) -> Array:
    """Zero where a change is none beyond what the slope and rounding make."""
    return np.where(np.abs(size) > 10.0 * np.abs(slope) + 1e-12 * np.abs(value), size, 0.0)


_SIDE, _NEARER = 1e-9, 1e-2  # of the duration, and nearer by that: where a value is that of one side of a jump
_APART = 1e-6  # of the largest value: what is no rounding


@dataclass(frozen=True)
class Timetable:
    """Times at which motions, efforts and loads are not smooth."""

    functions: tuple[TimeFunction | VectorFunction, ...]  # of efforts and loads
    driven: tuple[Joint, ...]
    laws: tuple[CompiledLaw, ...]  # of loads that depend on the state
    rules: tuple[Any, ...]  # users' constraints, see `compile.rules`
    servos: tuple[Servo, ...]

    def jumps(self, start: float, end: float) -> Jumps:
        """Jumps of efforts and loads between two times; its times are also those of kinks, of motions and laws too.

        Of users' constraints there are those that `look` has found.
        """
        kinks = [t for rule in self.rules for t in rule.breaks if start < t < end]
        motions = (f for joint in self.driven for f in joint.motion if f is not None)
        laws = switches_of(self.laws, start, end) if self.laws else ()
        return Jumps((*self.functions, *motions), start, end, (*laws, *kinks))

    def look(self, start: float, duration: float) -> None:
        """Find out when users' constraints have kinks, in a run and before it.

        Raises
        ------
        SolveError
            If one demands positions that jump; it names the constraint, the time and the jump.
        """
        for rule in self.rules:
            rule.look(start - duration, start + duration)
            leap = rule.leap(start, start + duration)
            if leap is not None:
                sizes = ", ".join(f"{x:.6g}" for x in leap[1])
                raise SolveError(
                    f"simulate: {rule.item.title}: what it demands of positions jumps at t = {leap[0]:.6g} s "
                    f"(its values by {sizes}), which would take an infinite force; let it change in a time, or use a "
                    "StateLoad"
                )

    def kinks(self, times: Sequence[float], side: float) -> list[float]:
        """Those of the times at which prescribed motions or users' constraints have kinks, seen from both sides."""
        known = [x for rule in self.rules for x in rule.breaks]
        at = np.asarray(times, dtype=float)
        kinked = np.array([any(abs(t - x) <= side for x in known) for t in at], dtype=bool)
        if self.driven and len(at):  # rates or accelerations of prescribed motions jump
            both = np.array([drive_frames(joint, np.concatenate((at - side, at + side)))[1:] for joint in self.driven])
            for values in (both[:, order].reshape(len(self.driven), 2, len(at), -1) for order in (0, 1)):
                apart = np.abs(values[:, 1] - values[:, 0]) > 1e-6 * np.abs(values).max(initial=0.0)
                kinked |= apart.any(axis=(0, 2))
        return [t for t, found in zip(times, kinked, strict=True) if found]

    def breaks(self, jumps: Jumps, start: float, end: float) -> list[float]:
        """Times between two others at which adaptive steps end: of jumps and kinks, and of laws that wake up."""
        return sorted({*jumps.times, *moments_of(self.laws, start, end)})

    def parted_at(self, jumps: Jumps, duration: float) -> list[float]:
        """Times at which equal steps are taken in parts; none where nothing asks for it.

        The effort of a servo with a limit does not follow a jump of its target that is spread over both ends of a step,
        nor do the energies of a body the end of its propellant, and laws of the state are not known before they act.
        """
        cut_off = any(np.isfinite(servo.limit) and jumps.jumps(servo.target) for servo in self.servos)
        cut_off |= any(law.load.varying for law in self.laws) or bool(jumps.laws)
        return jumps.times if cut_off or self.kinks(jumps.times, 1e-9 * duration) else []

    def check_motions(self, times: Sequence[float], duration: float, caller: str) -> None:
        """Refuse prescribed motions that jump at one of these times.

        Raises
        ------
        SolveError
            It names the joint, the time and the jump.
        """
        at = np.asarray(times, dtype=float)
        for joint in self.driven if len(at) else ():
            for name, function in zip(joint.coordinates, joint.motion, strict=True):
                if function is None or function.is_constant:
                    continue
                sides = [side * _SIDE * duration for side in (-1.0, 1.0, -_NEARER, _NEARER)]
                values = [function.sample(at + side) for side in sides]
                far, near, largest = values[1] - values[0], values[3] - values[2], np.abs(values).max()
                turns = near / (2.0 * np.pi)  # whole ones change nothing
                jumps = (np.abs(near) > 0.5 * np.abs(far)) & (np.abs(near) > _APART * largest)
                jumps &= np.abs(turns - np.round(turns)) > _APART
                if jumps.any():
                    k = int(np.argmax(jumps))
                    raise SolveError(
                        f"{caller}: joint {joint.name!r}: its prescribed motion of {name!r} jumps by {near[k]:.6g} at "
                        f"t = {at[k]:.6g} s, which would take an infinite force; let it go there in a time, such as "
                        f"smoothstep(t, {at[k]:.6g}, {at[k] + 0.01 * duration:.6g}), or use a Servo or an effort"
                    )


@dataclass(frozen=True)
class WrenchSource:
    """Where the six numbers of a sampled wrench come from."""

    force: VectorFunction | None
    moment: VectorFunction | None


@dataclass(frozen=True)
class Sampler:
    """Everything in a mechanism that depends on time."""

    gravity: Array
    driven: tuple[Joint, ...]
    efforts: tuple[TimeFunction, ...]
    wrenches: tuple[WrenchSource, ...]
    n_state: int = 0  # number of places of loads that depend on the state
    n_signals: int = 0  # the last so many efforts are signals of their laws, which a load factor does not scale
    n_rules: int = 0  # number of users' constraints
    n_carried: int = 0  # number of laws whose inertia changes

    def sample(
        self, t: Array, load_factor: float = 1.0, step: float = 0.0, jumps: Jumps | None = None
    ) -> Inputs:  # fmt: skip
        """Inputs at times t; the load factor scales gravity, efforts and wrenches, not prescribed motions.

        With `jumps` of its functions, times are ends of steps of length `step`, see `Jumps.sample`; where that is
        negative the first time is the start of the only step, and values there are those after a jump.
        """
        drive = np.zeros((len(t), len(self.driven), 21))
        for k, joint in enumerate(self.driven):
            drive[:, k] = drive_frames(joint, t, order=0)[0]
        found = self._with(drive, t, load_factor, self.loads(t, load_factor, step, jumps))
        if step < 0.0 and jumps is not None and jumps.laws:  # they see the time inside the step
            found.clock[1:, 0] += SIDE * step
            found.clock[0, 0] -= SIDE * step
        return found

    def sample_all(self, t: Array, load_factor: float = 1.0) -> tuple[Inputs, Array]:
        """Inputs at times t, and prescribed motions with two derivatives: (3, nt, n_driven, 21)."""
        drives = self.sample_rates(t)
        return self._with(drives[0], t, load_factor, self.loads(t, load_factor)), drives

    def _with(self, drive: Array, t: Array, load_factor: float, loads: tuple[Array, Array]) -> Inputs:
        n = len(t)
        gravity, clock = np.empty((n, 3)), np.empty((n, 2))
        gravity[:] = load_factor * self.gravity
        clock[:, 0], clock[:, 1] = t, load_factor
        answers = np.zeros((n, self.n_state, 7)), np.zeros((n, self.n_carried, 37)), np.zeros((n, self.n_rules, 24))
        return Inputs(gravity, drive, *loads, clock, *answers)

    def loads(
        self, t: Array, load_factor: float = 1.0, step: float = 0.0, jumps: Jumps | None = None
    ) -> tuple[Array, Array]:  # fmt: skip
        """Efforts (nt, n_efforts) and wrenches (nt, n_wrenches, 6) alone, as `sample` has them."""
        n = len(t)

        def values(function: TimeFunction | VectorFunction) -> Array:
            if jumps is None or function.is_constant:
                return load_factor * function.sample(t)
            if step < 0.0:
                first = jumps.sample(function, t[:1] - 2e-9 * step, step)
                return load_factor * np.concatenate((first, jumps.sample(function, t[1:], step)))
            return load_factor * jumps.sample(function, t, step)

        effort = np.zeros((n, len(self.efforts)))
        for k, function in enumerate(self.efforts):
            effort[:, k] = values(function)
        if self.n_signals and load_factor != 1.0:
            for k in range(len(self.efforts) - self.n_signals, len(self.efforts)):
                effort[:, k] = self.efforts[k].sample(t)
        wrench = np.zeros((n, len(self.wrenches), 6))
        for k, source in enumerate(self.wrenches):
            if source.force is not None:
                wrench[:, k, :3] = values(source.force)
            if source.moment is not None:
                wrench[:, k, 3:] = values(source.moment)
        return effort, wrench

    @property
    def varying(self) -> bool:
        """Whether an effort or load changes with time."""
        return not all(function.is_constant for function in self.acting)

    @property
    def acting(self) -> list[TimeFunction | VectorFunction]:
        """Functions of time of efforts and loads."""
        functions: list[TimeFunction | VectorFunction] = [*self.efforts]
        return functions + [f for source in self.wrenches for f in (source.force, source.moment) if f is not None]

    def sample_rates(self, t: Array) -> Array:
        """Prescribed motions and their first two derivatives: (3, nt, n_driven, 21)."""
        out = np.zeros((3, len(t), len(self.driven), 21))
        for k, joint in enumerate(self.driven):
            out[:, :, k] = drive_frames(joint, t)
        return out
