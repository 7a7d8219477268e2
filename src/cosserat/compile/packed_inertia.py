"""The equations of one modal body for many calls: the tensors of `ModalInertia` side by side in one matrix.

The same equations as in `modal_dynamics`, where they are explained; all that is linear in q comes from one product.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.model.modal_inertia import ModalInertia, cross_matrix

Array = NDArray[np.float64]


class PackedInertia:
    """Inertia matrix and velocity terms of a modal body."""

    def __init__(self, body: ModalInertia) -> None:
        m = body.n_modes
        self._body = body
        self._slope = body.inertia_gradient + np.swapaxes(body.inertia_gradient, 1, 2)
        half = 0.5 * (body.inertia_hessian + np.swapaxes(body.inertia_hessian, 2, 3)) + body.inertia_stiffening
        tensors = (
            self._slope, body.linear_stiffening, body.cross_coupling, body.angular_stiffening, np.swapaxes(half, 0, 1)
        )  # fmt: skip
        self._pack = np.hstack([np.reshape(x, (m, -1)) for x in tensors])
        self._ends = np.cumsum([9, 3 * m, 3 * m, 3 * m])

    def equations(self, q: Array, omega: Array, q_dot: Array) -> tuple[Array, Array]:
        """M(q), (6 + m, 6 + m), and the bias (6 + m,) of `modal_dynamics`."""
        body, m = self._body, len(q)
        turned, bent, crossed, wound, halves = np.split(q @ self._pack, self._ends)
        bent = bent.reshape(m, 3)
        J = body.inertia + turned.reshape(3, 3) + (q @ halves.reshape(m, 9)).reshape(3, 3)
        first = body.first_moment + q @ body.linear_coupling + 0.5 * q @ bent
        a = body.linear_coupling + bent
        beta = body.angular_coupling + crossed.reshape(m, 3) + wound.reshape(m, 3)
        M = np.empty((6 + m, 6 + m))
        s = cross_matrix(first)
        M[:3, :3] = body.mass * np.eye(3)
        M[:3, 3:6], M[3:6, :3], M[3:6, 3:6] = -s, s, J
        M[6:, :3], M[6:, 3:6], M[6:, 6:] = a, beta, body.modal_mass
        M[:6, 6:] = M[6:, :6].T
        slope = self._slope + 2.0 * halves.reshape(m, 3, 3)
        turned, bent, crossed, wound, _ = np.split(q_dot @ self._pack, self._ends)
        out = np.empty(6 + m)
        out[:3] = cross(omega, 2.0 * (q_dot @ a) + cross(omega, first)) + q_dot @ bent.reshape(m, 3)
        out[3:6] = (q_dot @ slope.reshape(m, 9)).reshape(3, 3) @ omega + cross(omega, J @ omega + q_dot @ beta)
        out[3:6] += q_dot @ wound.reshape(m, 3)
        out[6:] = 2.0 * crossed.reshape(m, 3) @ omega - 0.5 * (slope @ omega) @ omega
        return M, out


def cross(a: Array, b: Array) -> Array:
    """a x b of two vectors; numpy's takes ten times as long."""
    x, y, z = a.tolist()
    u, v, w = b.tolist()
    return np.array((y * w - z * v, z * u - x * w, x * v - y * u))


def bracket_times(a: Array, b: Array) -> Array:
    """ad(a) b of two twists."""
    return np.concatenate((cross(a[3:6], b[:3]) + cross(a[:3], b[3:6]), cross(a[3:6], b[3:6])))
