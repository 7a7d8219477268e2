"""Warnings of laws that met states beyond what they are meant for, such as a wing without stall in reversed flow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.state_loads import cautions
from cosserat.errors import warn
from cosserat.model.model import Model
from cosserat.results.trajectory import Trajectory

_LOOKED_AT = 50  # stored states of a run


def events_of(model: Model, times: NDArray[np.float64]) -> list[str]:
    """What happened to loads of a model in a run with these times, and ought to be said."""
    said = (load.events(float(times[0]), float(times[-1])) for load in model.state_loads)
    return [text for text in said if text]


def warn_of_laws(trajectory: Trajectory) -> None:
    """Warn once of what laws say of the states of a run or of an equilibrium."""
    if not any(load.cautious for load in trajectory.model.state_loads):
        return
    compiled, history = trajectory.compiled, trajectory.history
    some = np.unique(np.linspace(0, len(trajectory.time) - 1, _LOOKED_AT).round().astype(int))
    said = cautions(compiled, trajectory.time[some], history.frame[some], history.twist[some], history.inner[some])
    if said:
        more = f"; {len(said) - 1} others do, too" if len(said) > 1 else ""
        warn(f"{said[0]}{more}")
