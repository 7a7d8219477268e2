"""Loads on a flexible tree, at places and along beams: of the latter, consistent wrenches at nodes of their mesh.

Some loads vary along a beam. On an element, of local coordinate z in [0, 1], a load is known by its means weighted with
2 (1 - z) and 2 z, so by its integral and its first moment; see `matter.towards_ends` for what they put on the nodes.
Where the load jumps or has a kink in s, the means are taken piece by piece; where its jumps move with time, over many
short pieces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cosserat.compile.inputs import WrenchSource
from cosserat.compile.mesh import BeamMesh, beam_matrices, mesh_beam
from cosserat.compile.modal_dynamics import Seat, seat_on
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.beams import Beam
from cosserat.model.breaks import stations_of_breaks
from cosserat.model.functions import VectorFunction
from cosserat.model.line_functions import LineFunction, StationMean
from cosserat.model.loads import DistributedLoad, PointLoad
from cosserat.model.model import Model

if TYPE_CHECKING:
    from cosserat.compile.tree import TreeData


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


@dataclass(frozen=True)
class ElementLoad:
    """A load that varies along a beam, as one end of one element gets it."""

    name: str
    force: VectorFunction | None
    moment: VectorFunction | None
    follower: bool


@dataclass(frozen=True)
class NodalLoad:
    """What a load puts on one place: its components in the axes of the place, times the gain."""

    load: PointLoad | DistributedLoad | ElementLoad
    seat: Seat
    axes: Array  # (3, 3) of the place in the reference configuration
    gain: Array  # (6, 6)


def loaded_stations(model: Model, used: dict[str, list[float]]) -> dict[str, list[float]]:
    """Nodes (s) of the beams with distributed loads, given where something else is attached to them."""
    beams = {load.beam.name: load.beam for load in model.distributed_loads}
    return {name: [float(s) for s in _mesh(beam, used[name]).s] for name, beam in beams.items()}


def nodal_loads(model: Model, data: TreeData) -> list[NodalLoad]:
    """All loads of a model; distributed ones are shared out as the elements of the Galilean formulation do."""
    out = [NodalLoad(load, data.seat(load.place), load.place.frame()[:3, :3], np.eye(6)) for load in model.loads]
    for load in model.distributed_loads:
        stations = data.stations[load.beam.name]
        link, body = data.carrier[load.beam.name], data.modal_bodies[load.beam.name]
        mesh = _mesh(load.beam, list(stations.values()))
        pairs = mesh.pairs
        d0 = np.array([se3.log(se3.inverse(mesh.frames[a]) @ mesh.frames[b]) for a, b in pairs])
        matrices, _, _ = beam_matrices(load.beam, mesh, d0)
        gain = np.zeros((mesh.n_nodes, 6, 6))
        for node in range(2):
            np.add.at(gain, pairs[:, node], matrices.spread[:, node])
        seats = []
        for k, s in enumerate(mesh.s):
            key = min(stations, key=lambda key: abs(stations[key] - s))
            seats.append(seat_on(link, data.links[link].frame, mesh.frames[k], body.interfaces[key]))
        if varies(load):
            sources = element_sources(load, mesh)
            for share in shares(matrices.towards):
                source = sources[2 * share.e + share.side]
                name = f"{load.name} towards end {share.side} of element {share.e}"
                k = int(pairs[share.e, share.node])
                part = ElementLoad(name, source.force, source.moment, bool(load.follower))
                out.append(NodalLoad(part, seats[k], mesh.frames[k, :3, :3], share.gain))
            continue
        for k, seat in enumerate(seats):
            out.append(NodalLoad(load, seat, mesh.frames[k, :3, :3], gain[k]))
    return out


def _mesh(beam: Beam, stations: list[float]) -> BeamMesh:
    return mesh_beam(beam, stations, 0, 0)
