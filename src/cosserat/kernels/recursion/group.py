"""Coordinates on the group: moving along velocities, differences, and rates of coordinates."""

from typing import NamedTuple

from cosserat.jit import bound, passed_as, stage
from cosserat.kernels import tree_joints
from cosserat.kernels.arrays import F1, F2


@passed_as("pair")
class VectorPair(NamedTuple):
    """Two vectors of coordinates or velocities, and what is made of them."""

    joints: F2  # (n_links, 3): kind, turn and first coordinate, see `table`
    a: F1  # (n_v,)
    b: F1
    out: F1




@stage
def moved(pair):
    """Coordinates a after moving along constant velocities b for a unit of time: H exp(delta), or q + delta."""
    joints, a, b, out = pair.joints, pair.a, pair.b, pair.out
    for k in range(len(out)):
        out[k] = a[k] + b[k]
    for i in range(len(joints)):
        tree_joints.move(int(joints[i, 0]), joints[i, 1], int(joints[i, 2]), a, b, out)
    return 0


@stage
def difference(pair):
    """The delta that moves coordinates a to b."""
    joints, a, b, out = pair.joints, pair.a, pair.b, pair.out
    for k in range(len(out)):
        out[k] = b[k] - a[k]
    for i in range(len(joints)):
        tree_joints.differ(int(joints[i, 0]), joints[i, 1], int(joints[i, 2]), a, b, out)
    return 0


@stage
def coordinate_rates(pair):
    """Time derivatives of the coordinates a at velocities b."""
    joints, a, b, out = pair.joints, pair.a, pair.b, pair.out
    for k in range(len(out)):
        out[k] = b[k]
    for i in range(len(joints)):
        tree_joints.change(int(joints[i, 0]), joints[i, 1], int(joints[i, 2]), a, b, out)
    return 0


def calls(pair):
    """The kernels with this argument, as calls without any, by name."""
    return {kernel.__name__: bound(kernel, pair) for kernel in (moved, difference, coordinate_rates)}
