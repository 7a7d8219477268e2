"""Adaptive steps of one length taken at once: nothing has to be done between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cosserat.kernels.judging import advance_judged
from cosserat.kernels.newton import CONVERGED
from cosserat.solve.memory import new_history
from cosserat.solve.motion.unheld import Unheld
from cosserat.solve.motion.walk import Bounds

if TYPE_CHECKING:
    from cosserat.solve.motion.stepping import Integration


def judge(work: Integration, n: int = 0) -> Unheld:
    """What tells errors of n steps of the present length."""
    if work.unheld is None:
        work.unheld = Unheld(work.memory, work.kept)
    work.unheld.reach(work.reach)
    if n and work.compiled.sampler.driven:
        work.unheld.factor(n)
    return work.unheld


def stride(
    work: Integration, t: float, h: float, n: int, bounds: Bounds, every: int, phase: int
) -> tuple[list[float], bool]:
    """As `Walk.judged`; the errors of steps that were solved, and whether the next one could not be."""
    chunk, errors = new_history(work.compiled, (phase % every + n) // every), np.zeros(n)
    work.memory.replace(inputs=work.inputs(np.cumsum([t, *n * [h]]), h), history=chunk)
    both = work.memory.address, judge(work, n).memory.address
    order = np.array([n, every, phase, bounds.enough, bounds.calm])
    code = advance_judged(*both, order, np.array(bounds[:2]), errors, work.report, work.evaluate, work.careful)
    work.done, stored, _ = (int(k) for k in work.report)
    work.shelf.rows += [tuple(a[k] for a in chunk) for k in range(stored)]
    back = code == CONVERGED and work.done < n and not errors[work.done] <= bounds.most
    return errors[: work.done + int(back)].tolist(), code != CONVERGED
