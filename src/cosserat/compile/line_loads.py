"""Loads on a flexible tree, at places and along beams: of the latter, consistent wrenches at nodes of their mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.mesh import BeamMesh, beam_matrices, mesh_beam
from cosserat.compile.seats import Seat, seat_on
from cosserat.compile.varying_loads import element_sources, shares, varies
from cosserat.lie import se3
from cosserat.model.beams import Beam
from cosserat.model.functions import VectorFunction
from cosserat.model.loads import DistributedLoad, PointLoad
from cosserat.model.model import Model

if TYPE_CHECKING:
    from cosserat.compile.tree import TreeData

Array = NDArray[np.float64]


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
