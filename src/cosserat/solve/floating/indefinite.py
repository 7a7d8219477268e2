"""Why a floating run with modes flew apart: the mass matrix was no longer positive."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.lie.protocol import Array
from cosserat.solve.relative.flexible_tree import FlexibleTree

_MOST = 400  # states that are looked at


def indefinite(tree: FlexibleTree, held: NDArray[np.bool_], times: Array, q: Array) -> str:
    """When the mass matrix of what is not prescribed, at states q (nt, n), is not positive first, in words; or ''.

    Of beams and solids it always is; of modal bodies whose tensors were given, if they are those of one mass.
    """
    free = np.flatnonzero(~held)
    for k in np.unique(np.linspace(0, len(times) - 1, min(len(times), _MOST)).astype(int)):
        if not np.isfinite(q[k]).all():
            break
        try:
            np.linalg.cholesky(tree.mass_matrix(q[k])[np.ix_(free, free)])
        except np.linalg.LinAlgError:
            return (
                f"from t = {times[k]:.4g} s on the mass matrix is not positive: the tensors of the modal bodies do not "
                "belong to one mass that moves with the shapes; give cross_coupling, inertia_gradient and "
                "inertia_hessian of the same fields, as ModalInertia.from_fields does"
            )
    return ""
