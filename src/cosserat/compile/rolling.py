"""Arrays of knife edges, rolling discs and constraints that users write."""

from __future__ import annotations

import numpy as np

from cosserat.compile.joints import ints
from cosserat.compile.parts import Parts
from cosserat.kernels.arrays import Rolling
from cosserat.kernels.touching import DISC, EDGE, RULE
from cosserat.model.rolling import KnifeEdge, RollingDisc

KINDS: dict[type, int] = {RollingDisc: DISC, KnifeEdge: EDGE}


def rolling_arrays(parts: Parts) -> Rolling:
    """Arrays of what rolls."""
    model, skeleton = parts.model, parts.skeleton
    nr = len(model.rolling)
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
        node = int(arrays.node[k])
        R, x = skeleton.frames[node, :9].reshape(3, 3), skeleton.frames[node, 9:]
        arrays.point[k] = R.T @ (item.place.position - x)
        if isinstance(item, RollingDisc):
            arrays.axis[k], arrays.radius[k], arrays.plane[k] = R.T @ item.axis, item.radius, item.directions
            arrays.level[k] = item.normal @ item.point
        elif isinstance(item, KnifeEdge):
            arrays.axis[k] = R.T @ item.direction
        own, *_, to_rows, of_rows, rows = parts.held(skeleton.n_nodes, node, len(parts.joints) + k)
        arrays.block[k] = [own, to_rows, of_rows, rows]
    keep_all(arrays)
    return arrays


def keep_all(arrays: Rolling) -> None:
    """Let every row act."""
    for keep, n in zip(arrays.keep, arrays.n_rows, strict=True):
        keep[:] = np.diag(np.arange(3) < n)
