"""A first step in parts, where loads and dampers begin to act faster than steps can follow.

A torque that sets in at the light end of a beam turns it at once, up to where dampers hold it. Steps that do not see
this take the damper for absent in their first half, and the velocities of the method alternate from then on. Parts that
double follow it; what even the shortest does not resolve is filtered by the iteration matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cosserat.kernels.newton import CONVERGED
from cosserat.solve.motion.crossings import snapshot
from cosserat.solve.motion.walk import NEVER

if TYPE_CHECKING:
    from cosserat.solve.motion.stepping import Integration

_DOUBLINGS = 10
_AFTER = 1e-9  # of a part: how far after its beginning loads are taken


UNRESOLVED = 0.1
"""Share of an acceleration that the iteration matrix must leave, for a step to resolve it."""


def parts_of(h: float) -> list[float]:
    """Lengths of the parts of a step, each as long as all before it."""
    return [h * 0.5**k for k in (_DOUBLINGS, *range(_DOUBLINGS, 0, -1))]


def graded_step(work: Integration, t: float, h: float) -> int:
    """The step from t to t + h in parts; how it ended, see `kernels.integrate`."""
    work.state.rate[:] = 0.0
    at = t
    sizes = parts_of(h)
    for k, size in enumerate(sizes):
        work.restart(at + _AFTER * size, size)
        code = work.run(np.array([at, at + size]), size, NEVER, 0, 0, search=True)
        if code != CONVERGED:
            return code
        at += size
        if k + 1 < len(sizes):  # powers change much in this step
            here = snapshot(work.state)
            work.crossings.add(at, np.array([at, at]), here, here)
    work.counters.forget(_DOUBLINGS)
    work.restart(t + h + _AFTER * h, h)
    return CONVERGED
