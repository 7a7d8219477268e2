"""Time derivative of the Jacobian of a place of a tree with elastic links.

At velocities v a place has, besides J a, the accelerations c(v) = J_dot(v) v, which the recursion gives exactly. They
are quadratic in v, so that c(v + w) - c(v) - c(w) = J_dot(v) w + J_dot(w) v. The difference of the two terms on the
right follows from the commutator [v, w] of the velocities of joints: J_dot(v) w - J_dot(w) v = J [v, w], with
omega_v x omega_w more in the angular rows (Maurer-Cartan). Half of both together is J_dot(v) w, without differences.
"""

from __future__ import annotations

import numpy as np

from cosserat.compile.seats import Seat
from cosserat.compile.tree import TreeData
from cosserat.lie.protocol import Array
from cosserat.solve.relative.elastic_posture import ElasticPosture
from cosserat.solve.relative.flexible_coordinates import bracket


def jacobian_rate(data: TreeData, seat: Seat, q: Array, v: Array, J: Array) -> Array:
    """J_dot (6, n) in world axes at velocities v, from the Jacobian J (6, n) in world axes."""

    def drift(velocities: Array) -> Array:
        return ElasticPosture(data, lambda seat: seat, q, velocities, np.zeros(len(q))).accelerations(seat)

    at_v, spin = drift(v), J[3:] @ v
    out = np.empty(J.shape)
    for k, w in enumerate(np.eye(len(v))):
        symmetric = drift(v + w) - at_v - drift(w)
        skew = J @ bracket(data, v, w)
        skew[3:] += np.cross(spin, J[3:, k])
        out[:, k] = 0.5 * (symmetric + skew)
    return out
