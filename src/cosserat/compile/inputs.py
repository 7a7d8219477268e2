"""Functions of time to samples: gravity, prescribed motions, efforts and loads at given times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.jumps import SIDE, Jumps
from cosserat.compile.rows import drive_frames
from cosserat.errors import SolveError
from cosserat.kernels.arrays import Inputs
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.joints import Joint

Array = NDArray[np.float64]

_SIDE, _NEARER = 1e-9, 1e-2  # of the duration, and nearer by that: where a value is that of one side of a jump
_APART = 1e-6  # of the largest value: what is no rounding


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
    n_state: int = 0  # number of loads that depend on the state
    n_signals: int = 0  # the last so many efforts are signals of their laws, which a load factor does not scale
    n_rules: int = 0  # number of users' constraints

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
        drives = np.stack(self.sample_rates(t))
        return self._with(drives[0], t, load_factor, self.loads(t, load_factor)), drives

    def _with(self, drive: Array, t: Array, load_factor: float, loads: tuple[Array, Array]) -> Inputs:
        n = len(t)
        gravity, clock = np.empty((n, 3)), np.empty((n, 2))
        gravity[:] = load_factor * self.gravity
        clock[:, 0], clock[:, 1] = t, load_factor
        answers = np.zeros((n, self.n_state, 7)), np.zeros((n, self.n_rules, 24))
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
        return not all(function.is_constant for function in self._acting())

    def _acting(self) -> list[TimeFunction | VectorFunction]:
        """Functions of time of efforts and loads."""
        functions: list[TimeFunction | VectorFunction] = [*self.efforts]
        return functions + [f for source in self.wrenches for f in (source.force, source.moment) if f is not None]

    def sample_rates(self, t: Array) -> tuple[Array, Array, Array]:
        """Prescribed motions and their first two derivatives: three arrays (nt, n_driven, 21)."""
        out = np.zeros((3, len(t), len(self.driven), 21))
        for k, joint in enumerate(self.driven):
            out[:, :, k] = drive_frames(joint, t)
        return out[0], out[1], out[2]

    def kinks(self, times: Sequence[float], side: float) -> list[float]:
        """Those of the times at which rates or accelerations of prescribed motions jump, seen from both sides."""
        if not len(times) or not self.driven:
            return []
        at = np.asarray(times, dtype=float)
        both = self.sample_rates(np.concatenate((at - side, at + side)))[1:]
        jumps = np.zeros(len(at), dtype=bool)
        for values in (d.reshape(2, len(at), -1) for d in both):
            jumps |= (np.abs(values[1] - values[0]) > 1e-6 * np.abs(values).max(initial=0.0)).any(axis=1)
        return [t for t, kinked in zip(at.tolist(), jumps, strict=True) if kinked]

    def jumps(self, start: float, end: float, laws: Sequence[float] = ()) -> Jumps:
        """Jumps of efforts and loads between two times; its times are also those of kinks, of motions and laws too."""
        functions = self._acting()
        functions += [f for joint in self.driven for f in joint.motion if f is not None]
        return Jumps(functions, start, end, laws)

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
