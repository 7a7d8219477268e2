"""Coordinates on the group: moving along velocities, differences, and rates of coordinates."""

from cosserat.jit import quick
from cosserat.kernels import tree_joints
from cosserat.kernels.recursion.table import FIRST, HEADER, KIND, N_LINKS, N_V, ROW, TURN


@quick(1, 1, 1, 1)
def moved(table, q, delta, q_out):
    """Coordinates after moving along constant velocities for a unit of time: H exp(delta), or q + delta."""
    for k in range(int(table[N_V])):
        q_out[k] = q[k] + delta[k]
    for i in range(int(table[N_LINKS])):
        row = HEADER + i * ROW
        tree_joints.move(int(table[row + KIND]), table[row + TURN], int(table[row + FIRST]), q, delta, q_out)


@quick(1, 1, 1, 1)
def difference(table, q_a, q_b, delta_out):
    """The delta that moves coordinates q_a to q_b."""
    for k in range(int(table[N_V])):
        delta_out[k] = q_b[k] - q_a[k]
    for i in range(int(table[N_LINKS])):
        row = HEADER + i * ROW
        tree_joints.differ(int(table[row + KIND]), table[row + TURN], int(table[row + FIRST]), q_a, q_b, delta_out)


@quick(1, 1, 1, 1)
def coordinate_rates(table, q, v, rate_out):
    """Time derivatives of the coordinates."""
    for k in range(int(table[N_V])):
        rate_out[k] = v[k]
    for i in range(int(table[N_LINKS])):
        row = HEADER + i * ROW
        tree_joints.change(int(table[row + KIND]), table[row + TURN], int(table[row + FIRST]), q, v, rate_out)
