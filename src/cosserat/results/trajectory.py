"""Raw results: what the time loop stored, and the compiled model that gives it meaning."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.kernels.arrays import History
from cosserat.results.floating import FloatingRecord
from cosserat.results.status import Status

Array = NDArray[np.float64]


class Carried(NamedTuple):
    """What the generalised-alpha method carries from step to step besides the motion, at the end of a run."""

    accel: Array  # (n+1, 6) of the nodes, or (n,) of the coordinates of a tree
    step: float  # s, to which it belongs


@dataclass(frozen=True)
class Trajectory:
    """Stored states over time.

    Attributes
    ----------
    time : (nt,)
    history : History
        Frames (nt, n+1, 12), twists and their rates (nt, n+1, 6), multipliers (nt, nj, 6), tracked coordinates
        (nt, nf).
    efforts : (nt, n_efforts), optional
        Joint efforts at the stored times where a controller gave them; otherwise they are functions of the model.
    floating : FloatingRecord, optional
        What a run in floating frames has besides.
    carried : Carried, optional
        With it a run that starts at the end of this one goes on as if there were no end.
    """

    compiled: CompiledModel
    time: Array
    history: History
    status: Status
    settings: dict[str, Any] = field(default_factory=dict)
    stats: dict[str, Any] = field(default_factory=dict)
    efforts: Array | None = None
    floating: FloatingRecord | None = None
    carried: Carried | None = None


def carried_to(trajectory: Any, **settings: Any) -> Carried | None:
    """What goes on from the end of a run to one with these settings: nothing if the method is another."""
    wanted = {"integrator": "generalized-alpha", **settings}
    same = all(trajectory.settings.get(key) == value for key, value in wanted.items())
    found: Carried | None = trajectory.carried
    return found if same else None
