"""Wheels and skates in a run: how far they may turn in a step, and slip of rows that were left out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.errors import warn
from cosserat.kernels.touching import DISC
from cosserat.lie.protocol import Array
from cosserat.results import rolling
from cosserat.results.run import Run
from cosserat.solve.motion.alternation import allowed_turn

_SLIPS = 1e-2  # of the speed of the body: more than what joints are wrong at the level of velocities


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
