"""Laws that own states, at seats of a tree: the formulas of `kernels.law_states`, for motions that lie in `Visit`."""

import numpy as np

from cosserat.jit import address_of, address_table, load, stage
from cosserat.kernels import law_states
from cosserat.kernels.flexible.arrays import LawStateArrays


@stage
def settle_law(acting, i):
    """visit.wrench of law i, with the states that belong to the motions in `visit` and their rates."""
    laws, inner, visit, owned = acting.laws, acting.inner, acting.visit, acting.owned
    law_states.settle(laws, i, laws.unit[i, 0], laws.clock[0], inner.follow[0], inner, visit, owned)
    return 0


@stage
def differentiate_law(acting, i):
    """visit.J of law i at the motions in `visit`, with states that follow as they do, and visit.wrench."""
    laws, inner, visit, owned = acting.laws, acting.inner, acting.visit, acting.owned
    law_states.differentiate(laws, i, laws.unit[i, 0], laws.clock[0], inner, visit, owned)
    for p in range(owned.J.shape[0]):
        for q in range(owned.J.shape[1]):
            inner.slope[i, p, q] = owned.J[p, q]
    law_states.condense(laws, i, inner.follow[0], visit, owned)
    return 0


def new_inner(first, slope):
    """States (ny,) of laws at the start, and room for their derivatives."""
    inner = np.zeros((4, len(first)))
    inner[0] = first
    return LawStateArrays(inner, np.array([law_states.FROZEN]), slope, address_table(2))


def load_owning(acting, inner):
    """Compile both, or read them from the cache; their addresses are written."""
    for k, unit in enumerate((settle_law, differentiate_law)):
        load(unit, acting, 0)
        inner.stage[k] = address_of(unit)
