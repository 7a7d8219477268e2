"""Line loads that vary along a beam, shared out to the nodes of its elements.

On an element with local coordinate z in [0, 1] the force at node A is the share of a uniform load times the mean of the
load weighted with 2 (1 - z), at node B with 2 z: exact for the resultant. Moments at the nodes, which a force along the
element makes, take its plain mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.inputs import WrenchSource
from cosserat.compile.mesh import BeamMesh
from cosserat.model.functions import VectorFunction
from cosserat.model.line_functions import LineFunction, StationMean
from cosserat.model.loads import DistributedLoad

Array = NDArray[np.float64]

_X, _W = np.polynomial.legendre.leggauss(4)
_Z, _WEIGHT = 0.5 * (1.0 + _X), 0.5 * _W


class Share(NamedTuple):
    """What a sample, of the mean weighted towards end `side` of element `e`, puts on one node of the element."""

    e: int
    side: int
    node: int  # 0 or 1, of the element
    gain: Array  # (6, 6)


def varies(load: DistributedLoad) -> bool:
    """Whether a load depends on s."""
    return isinstance(load.force, LineFunction) or isinstance(load.moment, LineFunction)


def element_sources(load: DistributedLoad, mesh: BeamMesh) -> list[WrenchSource]:
    """Means of a load towards both ends of every element, two for each in turn."""
    local = mesh.pairs - mesh.first_node
    out = []
    for a, b in local:
        s = mesh.s[a] + _Z * (mesh.s[b] - mesh.s[a])
        for weight in (2.0 * (1.0 - _Z) * _WEIGHT, 2.0 * _Z * _WEIGHT):
            out.append(WrenchSource(_mean(load.force, s, weight), _mean(load.moment, s, weight)))
    return out


def _mean(function: VectorFunction | None, s: Array, weight: Array) -> StationMean | None:
    return None if function is None else StationMean(function, s, weight)


def masked(spread: Array) -> Array:
    """Shares (side, ne, 2, 6, 6) of samples towards either side, from those of a uniform load (ne, 2, 6, 6)."""
    out = np.zeros((2, *spread.shape))
    for side in range(2):
        out[side, :, side] = spread[:, side]
        out[side, :, side, 3:, :3] = 0.0
        out[side, :, :, 3:, :3] += 0.5 * spread[:, :, 3:, :3]
    return out


def shares(spread: Array) -> list[Share]:
    """All that is not zero."""
    parts = masked(spread)
    return [
        Share(e, side, node, parts[side, e, node])
        for e in range(len(spread))
        for side in range(2)
        for node in range(2)
        if parts[side, e, node].any()
    ]
