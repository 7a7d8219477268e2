"""Line loads that vary along a beam, shared out to the nodes of its elements.

On an element, of local coordinate z in [0, 1], a load is known by its means weighted with 2 (1 - z) and 2 z, so by its
integral and its first moment; see `matter.towards_ends` for what they put on the nodes. Where the load jumps or has a
kink in s, the means are taken piece by piece; where its jumps move with time, over many short pieces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.inputs import WrenchSource
from cosserat.compile.mesh import BeamMesh
from cosserat.model.breaks import stations_of_breaks
from cosserat.model.functions import VectorFunction
from cosserat.model.line_functions import LineFunction, StationMean
from cosserat.model.loads import DistributedLoad

Array = NDArray[np.float64]

_X, _W = np.polynomial.legendre.leggauss(4)
_Z, _WEIGHT = 0.5 * (1.0 + _X), 0.5 * _W
_SHORT = 16  # pieces of an element under a load whose jumps move


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
    breaks: set[float] = set()
    pieces = 1
    for function in (load.force, load.moment):
        found, moving = stations_of_breaks(function)
        breaks.update(found)
        pieces = _SHORT if moving else pieces
    line, local = load.beam.line, mesh.pairs - mesh.first_node
    out = []
    for left, right in mesh.s[local]:
        inside = np.array([[s for s in breaks if left < s < right]])
        broken = line.fractions(np.array([left]), np.array([right]), inside)
        cuts = np.union1d(broken, np.linspace(0.0, 1.0, pieces + 1))
        width = np.diff(cuts)
        z = (cuts[:-1, None] + width[:, None] * _Z).ravel()
        weight = (width[:, None] * _WEIGHT).ravel()
        s = line.stations(left, right, z)
        for towards in (2.0 * (1.0 - z), 2.0 * z):
            out.append(WrenchSource(_mean(load.force, s, towards * weight), _mean(load.moment, s, towards * weight)))
    return out


def _mean(function: VectorFunction | None, s: Array, weight: Array) -> StationMean | None:
    return None if function is None else StationMean(function, s, weight)


def shares(towards: Array) -> list[Share]:
    """All that is not zero, of the nodal wrenches `towards` (ne, side, 2, 6, 6)."""
    return [
        Share(e, side, node, part)
        for e, parts in enumerate(towards)
        for side, both in enumerate(parts)
        for node, part in enumerate(both)
        if part.any()
    ]
