"""What turns too far in a step, and wheels that slip.

Errors of reactions in the generalised-alpha method change sign and shrink by rho in every step. A body that turns by an
angle in a step feeds them back, and they grow once the angle is above about 1 / rho - 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.errors import warn
from cosserat.kernels.touching import DISC
from cosserat.lie.protocol import Array
from cosserat.results import rolling
from cosserat.results.run import Run

_SLIPS = 1e-2  # of the speed of the body: more than what joints are wrong at the level of velocities

_WINDOW = 8  # steps in a row that are looked at together
_ROUNDING = 1e-3  # of what inertia asks of the joints: alternation below this does no harm


class TurnLimit(NamedTuple):
    """The longest step in which no rolling disc turns too far, and the disc that decides."""

    step: float
    title: str
    turn: float  # rad that it may turn


def rolling_turn(rho: float) -> float:
    """Angle (rad) that a rolling disc may turn in a step of the generalised-alpha method.

    Measured on discs that roll and wobble for thousands of steps: errors of the reactions start to grow at 0.9, 0.83,
    0.77 and 0.7 times 1/rho - 1 for rho = 0.9, 0.8, 0.7 and 0.6. Above 0.2 rad the motion itself is wrong by percents.
    """
    return min(0.2, 0.7 * allowed_turn(rho))


def turn_limit(compiled: CompiledModel, twist: Array, rho: float) -> TurnLimit | None:
    """The limit at velocities (n+1, 6); None where no disc turns."""
    arrays = compiled.system.rolling
    spins = np.linalg.norm(twist[arrays.node, 3:], axis=1) * (arrays.kind == DISC)
    if not len(spins) or not spins.max() > 0.0:
        return None
    k = int(np.argmax(spins))
    return TurnLimit(rolling_turn(rho) / float(spins[k]), compiled.rolling[k].title, rolling_turn(rho))


def warn_of_wheels(run: Run) -> None:
    """Say so if a wheel slips: rows that others implied at the start were left out, and may have become their own."""
    arrays = run.motion.mechanism.system.rolling
    rows = arrays.n_rows
    left_out = np.trace(arrays.keep, axis1=1, axis2=2) < rows - 0.5
    slips = [float(rolling.slips(run.motion, k).max()) for k in range(len(rows))]
    usual = max((slip for slip, lost in zip(slips, left_out, strict=True) if not lost), default=0.0)
    for k in np.nonzero(left_out)[0]:
        twist = run.motion.twist[:, arrays.node[k]]
        reach = arrays.radius[k] + float(np.linalg.norm(arrays.point[k]))
        speed = float(np.max(np.linalg.norm(twist[:, :3], axis=1) + reach * np.linalg.norm(twist[:, 3:], axis=1)))
        if slips[k] > max(_SLIPS * speed, 10.0 * usual):
            warn(
                f"{run.model.rolling[k].title}: slips by up to {slips[k]:.2g} m/s: the others implied part of what it "
                "demands at the start, which was left out, but not all the time; all together cannot roll this way",
            )


def allowed_turn(rho: float) -> float:
    """Angle (rad) that a body may turn in a step before errors of reactions grow."""
    return 1.0 / rho - 1.0 if rho > 0.0 else np.inf


def alternating_reaction(compiled: CompiledModel, times: Array, twist: Array, force: Array, rho: float) -> str | None:
    """A sentence on the first joint whose reactions alternate and grow, between bodies that turn too far in a step.

    The states must be those of successive steps of equal length. Joints on beams are left out: vibrations that steps
    do not resolve alternate as well.
    """
    count = len(times) - 1 - 2 * _WINDOW  # pairs of windows
    if not compiled.joints or count < 1:
        return None
    step = float(times[-1] - times[-2])
    rotation = step * np.linalg.norm(twist[..., 3:], axis=2)
    floor = _ROUNDING * compiled.mass * float(np.abs(twist[..., 3:]).max() * np.abs(twist).max())
    sides = np.array([(joint.parent.node, joint.child.node) for joint in compiled.joints])
    turns = rotation[:, sides].max(axis=2)
    turns[:, np.isin(sides, compiled.system.elements.node).any(axis=1)] = 0.0  # vibrations of beams alternate by right
    for k in np.flatnonzero(turns.max(axis=0) > allowed_turn(rho)):
        jumps, trend = (_mean_size(force[:, k], sign) for sign in (-1.0, 1.0))
        grown = jumps[_WINDOW:] > np.maximum(jumps[:-_WINDOW], floor)
        turn = turns[_WINDOW : _WINDOW + count, k]
        found = np.flatnonzero(grown & (jumps > trend)[_WINDOW:] & (turn > allowed_turn(rho)))
        if len(found):
            angle = float(turn[found[0]])
            return (
                f"joint {compiled.joints[k].name!r}: reactions alternate from step to step, an error that grows where "
                f"a body turns by more than about {allowed_turn(rho):.2g} rad in a step with rho = {rho:g} (here "
                f"{angle:.2g} rad): use steps of {0.9 * step * allowed_turn(rho) / angle:.2g} s, "
                f"rho = {0.9 / (1.0 + angle):.2g}, or integrator='energy-momentum'"
            )
    return None


def _mean_size(force: Array, sign: float) -> Array:
    """Root mean squares, over the window, of what alternates in a force (sign -1) or stays (+1)."""
    parts = force[2:] + 2.0 * sign * force[1:-1] + force[:-2]
    sums = np.concatenate(([0.0], np.cumsum(np.sum(parts**2, axis=1))))
    return np.asarray(np.sqrt(np.maximum(sums[_WINDOW:] - sums[:-_WINDOW], 0.0) / _WINDOW))
