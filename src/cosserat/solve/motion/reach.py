"""Whether a run stopped because prescribed motions ask for what the joints cannot do: a dead point."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cosserat.compile.compiled import CompiledModel
from cosserat.errors import ModelError
from cosserat.results.status import Outcome, Status
from cosserat.solve.assembly import assemble_configuration
from cosserat.solve.memory import loaded_memory
from cosserat.solve.motion.failures import ENDED

_HALVINGS = 12


def within_reach(compiled: CompiledModel, status: Status, ahead: float) -> Status:
    """The status; of a run that failed, whether there is no pose at some time that follows within `ahead`."""
    if status.outcome not in ENDED or not compiled.sampler.driven or compiled.model.modal_bodies:
        return status
    last, first = status.time, status.time + ahead
    if not _missing(compiled, first) or _missing(compiled, last):  # the run may be where the assembly does not look
        return status
    for _ in range(_HALVINGS):
        middle = 0.5 * (last + first)
        last, first = (last, middle) if _missing(compiled, middle) else (middle, first)
    told = f"no pose is found from t = {first:.6g} s on"
    return replace(status, outcome=Outcome.DEAD_POINT, detail="; ".join(filter(None, (told, status.detail))))


def _missing(compiled: CompiledModel, t: float) -> bool:
    """Whether no pose is found at a time in which all joints hold."""
    memory = loaded_memory(compiled, compiled.sampler.sample(np.array([t])))
    try:
        assemble_configuration(compiled, t, memory)
    except ModelError:
        return True
    return False
