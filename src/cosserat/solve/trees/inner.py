"""States of laws in the linear equations of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import block_diag, csc_matrix

from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.solve.linear.inner import Inner
from cosserat.solve.relative.seat_motion import moving_seat, seat_rows
from cosserat.solve.trees.system import TreeState

if TYPE_CHECKING:
    from cosserat.solve.trees.point import TreePoint


def inner_at(point: TreePoint, along: Array) -> Inner | None:
    """The states of laws about a point, `along` the commutator with its velocities; None where no law owns any."""
    system, state = point.system, point.state
    forces, ny, n = system.tree.forces, len(point.inner_values), system.n
    if ny == 0:
        return None
    _ = point.slopes  # which fills those of the laws
    now, q = system.motions(state), state.q
    push, position, velocity, rates = np.zeros((n, ny)), np.zeros((ny, n)), np.zeros((ny, n)), []
    for i, sides in enumerate(forces.law_seats):
        own = slice(forces.laws.inner[i], forces.laws.inner[i + 1])
        k = own.stop - own.start
        if k == 0:
            continue
        J = forces.inner.slope[i, : 6 + k, : 24 + k]
        rows = [seat_rows(system.data, now, q, [seat]) for seat in sides]
        push[:, own] += rows[0].T @ J[:6, 24:]
        if forces.laws.pair[i]:
            H_a, H_b = (forces.frame(now, q, seat) for seat in sides)
            push[:, own] -= rows[1].T @ se3.adjoint(se3.inverse(H_a) @ H_b).T @ J[:6, 24:]
        for side, seat in enumerate(sides[: 1 + int(forces.laws.pair[i])]):
            by_frame, by_twist = J[6:, 12 * side : 12 * side + 6], J[6:, 12 * side + 6 : 12 * side + 12]
            position[own] += by_frame @ rows[side]
            velocity[own] += by_twist @ rows[side]
            if np.any(state.v):

                def twist(other: TreeState, seat: object = seat) -> Array:
                    drift = system.data.parts(np.zeros(system.data.arrays.n_z))
                    return moving_seat(system.data, system.motions(other), drift, seat, other.q).twist  # type: ignore[arg-type]

                position[own] += by_twist @ system.differences(state, twist)
        rates.append(J[6:, 24:])
    position += velocity @ along
    return Inner(csc_matrix(push), csc_matrix(position), csc_matrix(velocity), csc_matrix(block_diag(rates)))
