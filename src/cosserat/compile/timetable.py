"""When something in a mechanism jumps or has a kink: functions of time, laws of the state, users' constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cosserat.compile.jumps import Jumps
from cosserat.compile.rows import drive_frames
from cosserat.compile.state_laws import CompiledLaw, moments_of, switches_of
from cosserat.errors import SolveError
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.joints import Joint
from cosserat.model.servos import Servo

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
