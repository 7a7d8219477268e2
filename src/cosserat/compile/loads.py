"""Arrays of loads: on places, and along beams; vectors are in world coordinates of the reference configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import frame_to_row
from cosserat.compile.inputs import WrenchSource
from cosserat.compile.joints import ints, ranges
from cosserat.compile.line_loads import element_sources, shares, varies
from cosserat.compile.matter import LENGTHS_TOWARDS
from cosserat.compile.mesh import BeamMesh
from cosserat.compile.series import POINTS, exponential, skew
from cosserat.compile.skeleton import Parts
from cosserat.kernels.arrays import LineLoads, Loads, Springs, zeros
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.forces import LineForce
from cosserat.model.functions import TimeFunction
from cosserat.model.loads import DistributedLoad


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

    def share_out(line: DistributedLoad, mesh: BeamMesh, i: int, gain: Array, column: int) -> None:
        """Put a share of a line load on a node of a beam: the sample is in world axes fixed to the node."""
        R = mesh.frames[i, :3, :3]
        turn = np.zeros((6, 6))
        turn[:3, :3] = turn[3:, 3:] = R
        frame = frame_to_row(se3.frame(R.T, np.zeros(3)))
        rows.append((mesh.first_node + i, frame, int(line.follower), turn @ gain @ turn.T, column))

    for load in model.loads:
        at = skeleton.attach(load.place)
        R = skeleton.frames[at.node, :9].reshape(3, 3)
        frame = frame_to_row(se3.frame(R.T, at.frame[:3, 3]))
        rows.append((at.node, frame, int(load.follower), np.eye(6), len(sources)))
        sources.append(WrenchSource(load.force, load.moment))
    for line in model.distributed_loads:
        mesh = skeleton.beams[line.beam.name]
        if (nodal or not line.follower) and not varies(line):
            spread, total = gains[line.beam.name].sum(axis=1), np.zeros((mesh.n_nodes, 6, 6))
            for side in range(2):
                np.add.at(total, mesh.pairs[:, side] - mesh.first_node, spread[:, side])
            for i, gain in enumerate(total):
                share_out(line, mesh, i, gain, len(sources))
        # the mean of one that varies has a column like others, its elements have theirs behind all
        sources.append(WrenchSource(line.force, line.moment))
    for line in (load for load in model.distributed_loads if varies(load)):
        mesh = skeleton.beams[line.beam.name]
        columns = len(sources) + np.arange(2 * len(mesh.pairs), dtype=np.int64).reshape(-1, 2)
        lines[line.name] = columns
        for share in shares(gains[line.beam.name]) if nodal or not line.follower else ():
            i = int(mesh.pairs[share.e, share.node]) - mesh.first_node
            share_out(line, mesh, i, share.gain, int(columns[share.e, share.side]))
        sources += element_sources(line, mesh)
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
        n = len(mesh.pairs)
        uniform = np.full((n, 2), len(model.loads) + k, dtype=np.int64)
        start = mesh.frames[mesh.pairs[:, 0] - mesh.first_node]
        turned = np.linalg.inv(start) @ mesh.frames[mesh.pairs[:, 1] - mesh.first_node]
        d0 = np.array([se3.log(H) for H in turned])
        zw = POINTS[:, None] * d0[:, None, 3:]
        rows.append((
            mesh.first_element + np.arange(n),
            columns.get(line.name, uniform),
            np.full(n, int(line.follower)),
            np.concatenate((zw, found.turn.reshape(n, -1, 18)), axis=2),
            found.axis,
            (start[:, None, :3, :3] @ exponential(skew(zw))).reshape(n, -1, 9),
            np.linalg.norm(d0[:, :3], axis=1)[:, None, None] * lengths,
        ))  # fmt: skip
    return LineLoads(*(np.ascontiguousarray(np.concatenate(column)) for column in zip(*rows, strict=True)))
