"""What a run with wheels and skates should be told of: turns per step, and slip of rows that were left out."""

from __future__ import annotations

import warnings

import numpy as np

from cosserat.errors import CosseratWarning
from cosserat.kernels.rolling import DISC
from cosserat.results import rolling
from cosserat.results.run import Run
from cosserat.solve.motion.alternation import allowed_turn

_SLIPS = 1e-2  # of the speed of the body: more than what joints are wrong at the level of velocities


def warn_of_wheels(run: Run) -> None:
    """Say so if a wheel turned too far in a step, or slips though it should not."""
    _fast(run)
    _slipping(run)


def _fast(run: Run) -> None:
    """Errors of the reactions may have grown where a body turns far in a step.

    The turning frame feeds them back from step to step: found on spinning discs, they grow about by rho (1 + turn).
    """
    rho, every = run.settings["rho"], run.settings["every"] if run.settings["step"] else 1
    if run.settings["integrator"] != "generalized-alpha" or len(run.time) < 2:
        return
    step, allowed = float(np.max(np.diff(run.time))) / every, allowed_turn(rho)
    for item, node in zip(run.model.rolling, run.motion.mechanism.system.rolling.node, strict=True):
        turn = step * float(np.max(np.linalg.norm(run.motion.twist[:, node, 3:], axis=1)))
        if turn > allowed:
            warnings.warn(
                f"{item.title}: its body turns by {turn:.2g} rad in a step; above {allowed:.2g} rad with rho = {rho:g} "
                "errors of reactions may alternate and grow: use shorter steps, a smaller rho, or "
                "integrator='energy-momentum'",
                CosseratWarning,
                stacklevel=5,
            )
            return


def _slipping(run: Run) -> None:
    """Rows that others implied at the start were left out; they may have become rows of their own."""
    arrays = run.motion.mechanism.system.rolling
    rows = np.where(arrays.kind == DISC, 3, 1)
    left_out = np.trace(arrays.keep, axis1=1, axis2=2) < rows - 0.5
    slips = [float(rolling.slips(run.motion, k).max()) for k in range(len(rows))]
    usual = max((slip for slip, lost in zip(slips, left_out, strict=True) if not lost), default=0.0)
    for k in np.nonzero(left_out)[0]:
        twist = run.motion.twist[:, arrays.node[k]]
        reach = arrays.radius[k] + float(np.linalg.norm(arrays.point[k]))
        speed = float(np.max(np.linalg.norm(twist[:, :3], axis=1) + reach * np.linalg.norm(twist[:, 3:], axis=1)))
        if slips[k] > max(_SLIPS * speed, 10.0 * usual):
            warnings.warn(
                f"{run.model.rolling[k].title}: slips by up to {slips[k]:.2g} m/s: the others implied part of what it "
                "demands at the start, which was left out, but not all the time; all together cannot roll this way",
                CosseratWarning,
                stacklevel=5,
            )
