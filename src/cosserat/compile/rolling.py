"""Arrays of knife edges, rolling discs and constraints that users write."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cosserat.compile.joints import ints
from cosserat.compile.skeleton import Skeleton
from cosserat.kernels.arrays import Rolling
from cosserat.kernels.touching import DISC, EDGE, RULE
from cosserat.model.model import Model
from cosserat.model.rolling import KnifeEdge, RollingDisc

KINDS: dict[type, int] = {RollingDisc: DISC, KnifeEdge: EDGE}


def rolling_arrays(model: Model, skeleton: Skeleton, block: Callable[[int, int], int], n_joints: int) -> Rolling:
    """Arrays of what rolls; `block` numbers the blocks of the matrix."""
    nr, n = len(model.rolling), skeleton.n_nodes
    arrays = Rolling(
        node=ints([skeleton.attach(item.place).node for item in model.rolling]),
        kind=ints([KINDS.get(type(item), RULE) for item in model.rolling]),
        point=np.zeros((nr, 3)),
        axis=np.zeros((nr, 3)),
        radius=np.zeros(nr),
        plane=np.zeros((nr, 3, 3)),
        level=np.zeros(nr),
        keep=np.zeros((nr, 3, 3)),
        block=np.zeros((nr, 4), dtype=np.int64),
        n_rows=ints([len(item.held) for item in model.rolling]),
        held=ints([sum(item.held) for item in model.rolling]),
    )
    for k, item in enumerate(model.rolling):
        node, vertex = int(arrays.node[k]), n + 1 + n_joints + k
        R, x = skeleton.frames[node, :9].reshape(3, 3), skeleton.frames[node, 9:]
        arrays.point[k] = R.T @ (item.place.position - x)
        if isinstance(item, RollingDisc):
            arrays.axis[k], arrays.radius[k], arrays.plane[k] = R.T @ item.axis, item.radius, item.directions
            arrays.level[k] = item.normal @ item.point
        elif isinstance(item, KnifeEdge):
            arrays.axis[k] = R.T @ item.direction
        arrays.block[k] = [block(node, node), block(node, vertex), block(vertex, node), block(vertex, vertex)]
    keep_all(arrays)
    return arrays


def keep_all(arrays: Rolling) -> None:
    """Let every row act."""
    arrays.keep[:] = np.eye(3) * (np.arange(3) < arrays.n_rows[:, None])[:, None]
