"""Functions of time to samples: gravity, prescribed motions, efforts and loads at given times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cosserat.compile.rows import drive_frames
from cosserat.compile.timetable import SIDE, Jumps
from cosserat.kernels.arrays import Inputs
from cosserat.lie.protocol import Array
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.joints import Joint


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
        drives = np.stack(self.sample_rates(t))
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

    def sample_rates(self, t: Array) -> tuple[Array, Array, Array]:
        """Prescribed motions and their first two derivatives: three arrays (nt, n_driven, 21)."""
        out = np.zeros((3, len(t), len(self.driven), 21))
        for k, joint in enumerate(self.driven):
            out[:, :, k] = drive_frames(joint, t)
        return out[0], out[1], out[2]
