"""Arrays of knife edges, rolling discs and constraints that users write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cosserat.compile.joints import ints
from cosserat.compile.parts import Parts
from cosserat.kernels.arrays import RollingArrays
from cosserat.kernels.touching import DISC, EDGE, RULE
from cosserat.model.rolling import KnifeEdge, Rolling, RollingDisc

KINDS: dict[type, int] = {RollingDisc: DISC, KnifeEdge: EDGE}


def rolling_arrays(parts: Parts) -> RollingArrays:
    """Arrays of what rolls."""
    model, skeleton = parts.model, parts.skeleton
    nr = len(model.rolling)
    arrays = RollingArrays(
        node=ints([skeleton.attach(item.place).node for item in model.rolling]),
        kind=ints([KINDS.get(type(item), RULE) for item in model.rolling]),
        point=np.zeros((nr, 3)),
        **wheel_geometry(model.rolling),
        keep=np.zeros((nr, 3, 3)),
        block=np.zeros((nr, 4), dtype=np.int64),
        n_rows=ints([len(item.held) for item in model.rolling]),
        held=ints([sum(item.held) for item in model.rolling]),
    )
    for k, item in enumerate(model.rolling):
        node = int(arrays.node[k])
        R, x = skeleton.frames[node, :9].reshape(3, 3), skeleton.frames[node, 9:]
        arrays.point[k] = R.T @ (item.place.position - x)
        blocks = parts.held(skeleton.n_nodes, node, len(parts.joints) + k)
        arrays.block[k] = [blocks[3], *blocks[6:]]  # without those of the ground
    keep_all(arrays)
    return arrays


def wheel_geometry(items: Sequence[Rolling]) -> dict[str, Any]:
    """Axes of discs, or directions across knife edges, in axes of their places; radii; of the planes, the normal and
    two directions in it, and the position along the normal. Zero where there is none.
    """
    n = len(items)
    found = {"axis": np.zeros((n, 3)), "radius": np.zeros(n), "plane": np.zeros((n, 3, 3)), "level": np.zeros(n)}
    for k, item in enumerate(items):
        R = item.place.frame()[:3, :3]
        if isinstance(item, RollingDisc):
            found["axis"][k], found["radius"][k], found["plane"][k] = R.T @ item.axis, item.radius, item.directions
            found["level"][k] = item.normal @ item.point
        elif isinstance(item, KnifeEdge):
            found["axis"][k] = R.T @ item.direction
    return found


def keep_all(arrays: RollingArrays) -> None:
    """Let every row act."""
    for keep, n in zip(arrays.keep, arrays.n_rows, strict=True):
        keep[:] = np.diag(np.arange(3) < n)
