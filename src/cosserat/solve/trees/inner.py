"""States of laws in the linear equations of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import block_diag, csc_matrix

from cosserat.lie.protocol import Array
from cosserat.solve.linear.inner import Inner, LawSlopes
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
        if own.stop == own.start:
            continue
        found = LawSlopes.of(forces.laws, i, forces.inner.slope[i])
        for side, seat in enumerate(sides):
            rows = seat_rows(system.data, now, q, [seat])
            if side < forces.laws.acts[i]:
                push[:, own] += rows.T @ found.push[side]
            position[own] += found.position[side] @ rows
            velocity[own] += found.velocity[side] @ rows
            if np.any(state.v):

                def twist(other: TreeState, seat: object = seat) -> Array:
                    drift = system.data.parts(np.zeros(system.data.arrays.n_z))
                    return moving_seat(system.data, system.motions(other), drift, seat, other.q).twist  # type: ignore[arg-type]

                position[own] += found.velocity[side] @ system.differences(state, twist)
        rates.append(found.rate)
    position += velocity @ along
    return Inner(csc_matrix(push), csc_matrix(position), csc_matrix(velocity), csc_matrix(block_diag(rates)))
