"""Arrays of loads: on places, and along beams; vectors are in world coordinates of the reference configuration.

On a flexible tree, loads along beams are consistent wrenches at nodes of their mesh.

Some loads vary along a beam. On an element, of local coordinate z in [0, 1], a load is known by its means weighted with
2 (1 - z) and 2 z, so by its integral and its first moment; see `matter.towards_ends` for what they put on the nodes.
Where the load jumps or has a kink in s, the means are taken piece by piece; where its jumps move with time, over many
short pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import frame_to_row
from cosserat.compile.joints import ints, ranges
from cosserat.compile.matter import LENGTHS_TOWARDS
from cosserat.compile.mesh import BeamMesh, beam_matrices, mesh_beam
from cosserat.compile.modal_dynamics import Seat, seat_on
from cosserat.compile.series import POINTS, exponential, skew
from cosserat.compile.skeleton import Parts
from cosserat.compile.timetable import WrenchSource
from cosserat.kernels.arrays import LineLoads, Loads, Springs, zeros
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.breaks import stations_of_breaks
from cosserat.model.forces import LineForce
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.line_functions import LineFunction, StationMean
from cosserat.model.loads import DistributedLoad, PointLoad
from cosserat.model.model import Model

if TYPE_CHECKING:
    from cosserat.compile.tree import TreeData

_X, _W = np.polynomial.legendre.leggauss(4)
_Z, _WEIGHT = 0.5 * (1.0 + _X), 0.5 * _W
_SHORT = 16  # pieces of an element under a load whose jumps move


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
    line, out = load.beam.line, []
    for left, right in mesh.s[mesh.local]:
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


def nodal_shares(
    load: DistributedLoad, mesh: BeamMesh, towards: Array
) -> list[tuple[int, Array, tuple[int, int] | None]]:
    """What a load puts on the nodes of a mesh: number of the node, gain (6, 6), and of which sample.

    Samples are the load itself, None, or where it varies, means weighted towards a side of an element (element, side).
    `towards` are nodal wrenches (ne, side, 2, 6, 6).
    """
    if varies(load):
        e, side, node = np.nonzero(towards.any(axis=(3, 4)))
        parts = zip(e.tolist(), side.tolist(), strict=True)
        return list(zip(mesh.local[e, node].tolist(), towards[e, side, node], parts, strict=True))
    total = np.zeros((mesh.n_nodes, 6, 6))
    np.add.at(total, mesh.local, towards.sum(axis=1))
    return [(k, gain, None) for k, gain in enumerate(total)]


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
    return {name: [float(s) for s in mesh_beam(beam, used[name]).s] for name, beam in beams.items()}


def nodal_loads(model: Model, data: TreeData) -> list[NodalLoad]:
    """All loads of a model; distributed ones are shared out as the elements of the Galilean formulation do."""
    out = [NodalLoad(load, data.seat(load.place), load.place.frame()[:3, :3], np.eye(6)) for load in model.loads]
    for load in model.distributed_loads:
        stations = data.reduced.stations[load.beam.name]
        link, body = data.carrier[load.beam.name], data.reduced.bodies[load.beam.name]
        mesh = mesh_beam(load.beam, list(stations.values()))
        matrices, _, _ = beam_matrices(load.beam, mesh)
        seats = []
        for k, s in enumerate(mesh.s):
            key = min(stations, key=lambda key: abs(stations[key] - s))
            seats.append(seat_on(link, data.links[link].frame, mesh.frames[k], body.interfaces[key]))
        sources = element_sources(load, mesh) if varies(load) else []
        for k, gain, part in nodal_shares(load, mesh, matrices.towards):
            acting: DistributedLoad | ElementLoad = load
            if part is not None:
                source, name = sources[2 * part[0] + part[1]], f"{load.name} towards end {part[1]} of element {part[0]}"
                acting = ElementLoad(name, source.force, source.moment, bool(load.follower))
            out.append(NodalLoad(acting, seats[k], mesh.frames[k, :3, :3], gain))
    return out


def in_world_axes(R: Array, gain: Array) -> tuple[Array, Array]:
    """Axes of the world (12,), carried by a place with the axes R there, and a gain (6, 6) of the place in these."""
    turn = np.zeros((6, 6))
    turn[:3, :3] = turn[3:, 3:] = R
    return frame_to_row(se3.frame(R.T, np.zeros(3))), turn @ gain @ turn.T


def seat_loads(loads: Sequence[NodalLoad], seats: Sequence[int]) -> Loads:
    """Arrays of loads on seats with these numbers; each has a sample of its own."""
    turned = [in_world_axes(load.axes, load.gain) for load in loads]
    return zeros(Loads)._replace(
        node=ints(seats),
        frame=np.array([frame for frame, _ in turned]).reshape(-1, 12),
        follower=ints([row.load.follower for row in loads]),
        gain=np.array([gain for _, gain in turned]).reshape(-1, 6, 6),
        column=ints(range(len(loads))),
    )


def spring_arrays(parts: Parts) -> Springs:
    """Arrays of springs, dampers and tendons; the tensions that are given are the last of `Parts.efforts`."""
    springs, attach = parts.model.springs, parts.skeleton.attach
    seats = [[(found.node, found.frame) for found in map(attach, s.places)] for s in springs]
    given = list(given_tensions(springs))
    columns = {k: len(parts.efforts) - len(given) + i for i, k in enumerate(given)}
    packed = line_arrays(springs, seats)
    blocks = [[parts.block(a, b) for a, _ in line for b, _ in line] for line in seats]
    return packed._replace(
        column=ints([columns.get(k, -1) for k in range(len(springs))]),
        corner=ranges(blocks),
        block=ints([number for line in blocks for number in line]),
    )


def line_arrays(springs: Sequence[LineForce], seats: Sequence[Sequence[tuple[int, Array]]]) -> Springs:
    """Arrays of lines through frames of nodes, given as (node, frame) of all their places; without blocks."""
    points = [
        frame[:3, 3] + frame[:3, :3] @ offset
        for s, line in zip(springs, seats, strict=True)
        for (_, frame), offset in zip(line, s.offsets, strict=True)
    ]
    return zeros(Springs, ns=len(springs))._replace(
        start=ranges(seats),
        node=ints([node for line in seats for node, _ in line]),
        point=np.array(points).reshape(-1, 3),
        stiffness=np.array([s.stiffness for s in springs], dtype=float),
        damping=np.array([s.damping for s in springs], dtype=float),
        length=np.array([s.length for s in springs], dtype=float),
        slack=ints([int(s.slack) for s in springs]),
        column=ints([-1] * len(springs)),
    )


def given_tensions(springs: Sequence[LineForce]) -> dict[int, TimeFunction]:
    """Functions of time that springs or tendons pull with besides, by their numbers."""
    return {k: s.tension for k, s in enumerate(springs) if s.tension is not None}


def load_arrays(parts: Parts) -> Loads:
    """Point loads and distributed loads; the parts get the sources of their samples and the columns of what varies.

    Follower loads and moments along beams are left to `line_load_arrays`, unless they turn with the nodes, as floating
    frames have them.
    """
    model, skeleton, matrices, nodal = parts.model, parts.skeleton, parts.matrices, parts.floating
    sources, lines = parts.sources, parts.line_columns
    gains = {name: found.towards if nodal else dead_shares(found.towards) for name, found in matrices.items()}
    rows: list[tuple[int, Array, int, Array, int]] = []  # node, frame, follower, gain, column
    for load in model.loads:
        at = skeleton.attach(load.place)
        R = skeleton.frames[at.node, :9].reshape(3, 3)
        frame = frame_to_row(se3.frame(R.T, at.frame[:3, 3]))
        rows.append((at.node, frame, int(load.follower), np.eye(6), len(sources)))
        sources.append(WrenchSource(load.force, load.moment))
    # the mean of one that varies has a column like others, its elements have theirs behind all
    sources += [WrenchSource(line.force, line.moment) for line in model.distributed_loads]
    for k, line in enumerate(model.distributed_loads, len(model.loads)):
        mesh = skeleton.beams[line.beam.name]
        if varies(line):
            lines[line.name] = len(sources) + np.arange(2 * len(mesh.pairs), dtype=np.int64).reshape(-1, 2)
            sources += element_sources(line, mesh)
        for i, gain, part in nodal_shares(line, mesh, gains[line.beam.name]) if nodal or not line.follower else ():
            frame, turned = in_world_axes(mesh.frames[i, :3, :3], gain)
            column = k if part is None else int(lines[line.name][part])
            rows.append((mesh.first_node + i, frame, int(line.follower), turned, column))
    node = [row[0] for row in rows]
    return Loads(
        node=ints(node),
        frame=np.array([row[1] for row in rows]).reshape(-1, 12),
        follower=ints([row[2] for row in rows]),
        gain=np.array([row[3] for row in rows]).reshape(-1, 6, 6),
        column=ints([row[4] for row in rows]),
        block=ints([parts.block(i, i) for i in node]),
    )


def dead_shares(towards: Array) -> Array:
    """Nodal shares of dead forces alone."""
    towards = towards.copy()
    towards[..., 3:] = 0.0
    return towards


def along_beams(parts: Parts) -> list[tuple[int, DistributedLoad]]:
    """Follower loads and moments along beams, with their numbers; none in floating frames."""
    lines = () if parts.floating else parts.model.distributed_loads
    return [(k, line) for k, line in enumerate(lines) if line.follower or line.moment is not None]


def line_load_arrays(parts: Parts) -> LineLoads:
    """Arrays of what is `along_beams`."""
    model, skeleton, matrices, columns = parts.model, parts.skeleton, parts.matrices, parts.line_columns
    rows: list[tuple[NDArray[Any], ...]] = []
    lengths = np.ascontiguousarray(LENGTHS_TOWARDS.T)
    for k, line in along_beams(parts):
        mesh, found = skeleton.beams[line.beam.name], matrices[line.beam.name]
        n, d0 = len(mesh.pairs), mesh.vectors
        uniform = np.full((n, 2), len(model.loads) + k, dtype=np.int64)
        zw = POINTS[:, None] * d0[:, None, 3:]
        rows.append((
            mesh.first_element + np.arange(n),
            columns.get(line.name, uniform),
            np.full(n, int(line.follower)),
            np.concatenate((zw, found.turn.reshape(n, -1, 18)), axis=2),
            found.axis,
            (mesh.frames[mesh.local[:, 0], None, :3, :3] @ exponential(skew(zw))).reshape(n, -1, 9),
            np.linalg.norm(d0[:, :3], axis=1)[:, None, None] * lengths,
        ))  # fmt: skip
    return LineLoads(*(np.ascontiguousarray(np.concatenate(column)) for column in zip(*rows, strict=True)))
