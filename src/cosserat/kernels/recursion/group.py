"""Coordinates on the group: moving along velocities, differences, and rates of coordinates."""

from typing import NamedTuple

from cosserat.jit import Handles, bound, stage
from cosserat.kernels import tree_joints
from cosserat.kernels.arrays import F1, F2


class VectorPair(NamedTuple):
    """Two vectors of coordinates or velocities, and what is made of them."""

    joints: F2  # (n_links, 3): kind, turn and first coordinate, see `table`
    a: F1  # (n_v,)
    b: F1
    out: F1


class GroupArguments(NamedTuple):
    """What the kernels below take."""

    pair: VectorPair


group_handles = Handles(GroupArguments)
pair_of = group_handles.getter("pair", VectorPair)


@stage
def moved(group):
    """Coordinates a after moving along constant velocities b for a unit of time: H exp(delta), or q + delta."""
    x = pair_of(group)
    joints, a, b, out = x.joints, x.a, x.b, x.out
    for k in range(len(out)):
        out[k] = a[k] + b[k]
    for i in range(len(joints)):
        tree_joints.move(int(joints[i, 0]), joints[i, 1], int(joints[i, 2]), a, b, out)
    return 0


@stage
def difference(group):
    """The delta that moves coordinates a to b."""
    x = pair_of(group)
    joints, a, b, out = x.joints, x.a, x.b, x.out
    for k in range(len(out)):
        out[k] = b[k] - a[k]
    for i in range(len(joints)):
        tree_joints.differ(int(joints[i, 0]), joints[i, 1], int(joints[i, 2]), a, b, out)
    return 0


@stage
def coordinate_rates(group):
    """Time derivatives of the coordinates a at velocities b."""
    x = pair_of(group)
    joints, a, b, out = x.joints, x.a, x.b, x.out
    for k in range(len(out)):
        out[k] = b[k]
    for i in range(len(joints)):
        tree_joints.change(int(joints[i, 0]), joints[i, 1], int(joints[i, 2]), a, b, out)
    return 0


def calls(group):
    """The kernels with this argument, as calls without any, by name."""
    return {kernel.__name__: bound(kernel, group) for kernel in (moved, difference, coordinate_rates)}
