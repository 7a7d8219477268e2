"""Raw results: what the time loop stored, and the compiled model that gives it meaning."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.kernels.arrays import History
from cosserat.results.floating import FloatingRecord
from cosserat.results.status import Status

Array = NDArray[np.float64]


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
    """

    compiled: CompiledModel
    time: Array
    history: History
    status: Status
    settings: dict[str, Any] = field(default_factory=dict)
    stats: dict[str, Any] = field(default_factory=dict)
    efforts: Array | None = None
    floating: FloatingRecord | None = None
