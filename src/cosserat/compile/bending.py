"""Displacements of second order of modal bodies, and the coordinates in which their strains are linear.

Displacements Phi s + g s s / 2 keep strains linear in s: those of g_ab are opposite to the strains of second order e2
of Phi_a and Phi_b where the body is held at one place alone, and nearest to them where it is not. With strains P u and
their stiffness C, P^T C (P g_ab + e2_ab) = 0. The strain energy is then s^T K s / 2 up to fourth order, and the work of
a load on g is that of its stresses on e2: forces are those of the elements up to second order.

The kinetic energy knows g by its moments with (1, X), as the affine field F (1, X) that has them, and would have wrong
products of g with the shapes. So g = F (1, X) + Phi_c N_c + a rest without such products, and coordinates q with

    s_c = q_c - q^a q^b N_cab / 2

take over the second part: displacements are Phi q + (g - Phi N) q q / 2, and the kinetic energy is right up to third
order in (q, q_dot). Modes that are faster than a and b follow them with hardly any inertia of their own; for these
N = 0, or stiff forces would not be linear.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_part import FlexiblePart, work_on_turning_arms
from cosserat.compile.modal_dynamics import affine_fields, affine_inverse
from cosserat.compile.recovery import linear_fields
from cosserat.compile.reduction import ConstrainedSolver
from cosserat.model.modal_inertia import ModalInertia

Array = NDArray[np.float64]

_SAME = 1.0 + 1e-6  # squared frequencies closer than this are the same
_AFFINE = 1e-9  # share of its mass below which a shape counts as affine


def second_order(
    part: FlexiblePart, solver: ConstrainedSolver, Phi: Array, frame: Array, inertia: ModalInertia
) -> tuple[ModalInertia, dict[str, Any], Array]:
    """The inertia with the moments of g - Phi N, the values of this field at the interfaces, and N (m, m, m)."""
    points, m, R = part.points, Phi.shape[1], frame[:3, :3]
    fields = np.hstack(
        (linear_fields(part, frame), points.weighted(points.shapes(Phi).reshape(-1, 3 * m)).reshape(-1, m))
    )
    frames = [np.asarray(A.T @ np.kron(np.eye(2), R)) for A in part.constraints.values()]
    loads = np.hstack((np.asarray(points.sampling.T @ fields[:, :12]), np.asarray(part.mass @ Phi), *frames))
    assert part.prestress is not None
    work = -part.prestress(solver(loads), Phi)
    work[: 12 + m] += work_on_turning_arms(points, Phi, fields)
    work = 0.5 * (work + np.swapaxes(work, 1, 2))
    theta, psi, _ = affine_fields(inertia)
    inverse = affine_inverse(theta)
    affine = psi @ inverse  # (c, i, k)
    volume = work[:12].reshape(3, 4, m, m)
    mass = inertia.modal_mass - np.tensordot(affine, psi, ((1, 2), (1, 2)))
    along = work[12 : 12 + m] - np.tensordot(affine, volume, 2)
    N = _slower(np.einsum("im,im->m", Phi, part.stiffness @ Phi), mass, along)
    volume = volume - np.einsum("cik,cab->ikab", psi, N)
    at = work[12 + m :] - np.einsum("fc,cab->fab", loads[:, 12 + m :].T @ Phi, N)
    # as moments of affine fields, which a body without extent in a direction cannot have there
    volume = np.einsum("ikab,kl,ld->diab", volume, inverse, theta)
    g, Xg = np.transpose(volume[0], (1, 2, 0)), np.transpose(volume[1:], (2, 3, 0, 1))
    return inertia.stiffened(g, Xg), {key: at[6 * k : 6 * k + 6] for k, key in enumerate(part.constraints)}, N


def _slower(squares: Array, mass: Array, along: Array) -> Array:
    """N (m, m, m) with mass N_ab = along_ab for the modes that are no faster than a or b."""
    N = np.zeros_like(along)
    fastest = np.maximum(squares[:, None], squares)
    for square in np.unique(squares):
        a, b = np.nonzero(fastest == square)
        slow = np.flatnonzero(squares <= square * _SAME)
        values, shapes = np.linalg.eigh(mass[np.ix_(slow, slow)])
        shapes, values = shapes[:, values > _AFFINE], values[values > _AFFINE]
        N[slow[:, None], a, b] = (shapes / values) @ (shapes.T @ along[slow][:, a, b])
    return N
