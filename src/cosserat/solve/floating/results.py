"""From states in floating frames to what a `Run` reads: frames of nodes, multipliers of joints, energies, momenta."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel, row_to_frame
from cosserat.compile.seats import Seat, seat_on
from cosserat.kernels.arrays import History
from cosserat.kernels.flexible.arrays import INERTIA, Z
from cosserat.lie import se3
from cosserat.results.floating import FloatingRecord
from cosserat.results.joints import constraint_wrenches, directions, inertial_efforts, joint_sides, passive_efforts
from cosserat.results.motion import Motion
from cosserat.solve.floating.nodes import LinkPath, seat_paths
from cosserat.solve.floating.state import Point
from cosserat.solve.relative import flexible_recursion
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.tree_constraints import TreeConstraints

Array = NDArray[np.float64]


class LinkHistory(NamedTuple):
    """Links over the stored times."""

    paths: list[LinkPath]
    joint: Array  # (nt, nl, 6) wrench of each link's joint on it, about the joint frame on its own side
    force: Array  # (nt, m) multipliers of the constraints
    angles: Array  # (nt, p) of cut joints
    record: FloatingRecord


def link_history(
    tree: FlexibleTree,
    constraints: TreeConstraints,
    stored: list[Point],
    restore: Callable[[float], None] | None = None,
) -> LinkHistory:
    """Motion and forces of the links at the stored states, with one recursion for each.

    `restore` brings back efforts of a controller that acted at a time.
    """
    data, now = tree.data, Motions(tree.data)
    tree.forces.jump = 0.0
    nt, nl, n_z = len(stored), len(data.links), data.arrays.n_z
    frame = np.tile(np.eye(4), (nt, nl, 1, 1))
    z, z_dot, found = np.empty((3, nt, n_z))
    momentum, force = np.empty((2, nt, nl, 6))
    powers = np.empty((nt, 5))
    where = data.arrays.table[:, [Z, INERTIA]].tolist()
    places = [(at, inertia, 6 + link.n_modes) for (at, inertia), link in zip(where, data.links, strict=True)]
    for k, point in enumerate(stored):
        if restore is not None:
            restore(point.t)
        w = now.move(point.q, point.v).arrays
        frame[k, :, :3, :3], frame[k, :, :3, 3] = w.frame[:, :9].reshape(nl, 3, 3), w.frame[:, 9:]
        z[k], z_dot[k] = w.z, flexible_recursion.accelerations(now, point.a, np.zeros(6))
        outside = tree.forces.on_links(now, point.q, point.t)
        closing = constraints.wrenches(now, point.q, point.t, point.angles, point.force)
        tau, found[k] = flexible_recursion.inverse_dynamics(now, point.a, tree.ground, outside + closing)
        for i, (at, inertia, d) in enumerate(places):
            M = w.inertia[inertia : inertia + 6 * d].reshape(6, d)
            momentum[k, i] = M @ w.z[at : at + d]
            force[k, i] = M @ z_dot[k, at : at + d] + w.bias[at : at + 6]
        kinetic, strain, potential, _ = tree.forces.energies(now, point.q, tree.gravity)
        loss, supply = tree.forces.powers(now, point.q, point.v, point.t)
        cut = constraints.powers(now, point.q, point.t, point.angles)
        # whatever the equations of the tree leave over is the work of its drives and of those in cut joints
        left = tau - tree.forces.in_joints(point.q, point.v, point.t)
        supply += float(left @ point.v + closing @ w.z) - cut.total + cut.supply
        powers[k] = kinetic, strain + cut.strain, potential, loss + cut.loss, supply
    q, v, a, multipliers, angles = (
        np.array([getattr(point, name) for point in stored]) for name in ("q", "v", "a", "force", "angles")
    )
    parts = [slice(at, at + d) for at, _, d in places]
    paths = [LinkPath(frame[:, i], z[:, at], z_dot[:, at], _modal(tree, i, q)) for i, at in enumerate(parts)]
    joint = np.stack([_in_joint(tree, i, q, found[:, at.start : at.start + 6]) for i, at in enumerate(parts)], axis=1)
    turn = frame[:, :, :3, :3]
    for wrench in (momentum, force):
        wrench[..., :3] = np.einsum("tnij,tnj->tni", turn, wrench[..., :3])
        wrench[..., 3:] = np.einsum("tnij,tnj->tni", turn, wrench[..., 3:])
    record = FloatingRecord(tree.coordinates, q, v, a, powers, frame[:, :, :3, 3], momentum, force)
    return LinkHistory(paths, joint, multipliers, angles, record)


def _in_joint(tree: FlexibleTree, i: int, q: Array, wrenches: Array) -> Array:
    """Wrenches (nt, 6) on link i, from its frame to the joint frame on its own side."""
    own = tree.data.links[i].own
    if own.interface is None:
        return wrenches @ se3.adjoint(own.frame)
    return np.array([w @ se3.adjoint(own.at(bent)) for w, bent in zip(wrenches, _modal(tree, i, q), strict=True)])


def _modal(tree: FlexibleTree, i: int, q: Array) -> Array:
    """Modal coordinates (..., m) of link i."""
    link = tree.data.links[i]
    return q[..., link.columns[len(link.columns) - link.n_modes :]]


def nodal_history(
    tree: FlexibleTree,
    compiled: CompiledModel,
    constraints: TreeConstraints,
    links: LinkHistory,
    seats: list[Seat] | None = None,
) -> History:
    """Frames, twists and their rates of all nodes; multipliers are zero until `fill_forces`."""
    seats, record = seats or node_seats(tree, compiled), links.record
    nt, n = len(record.q), compiled.n_nodes + 1
    history = History(
        np.tile(compiled.frames, (nt, 1, 1)), np.zeros((nt, n, 6)), np.zeros((nt, n, 6)),
        np.zeros((nt, compiled.n_multipliers, 6)), np.zeros((nt, len(compiled.freedoms))),
    )  # fmt: skip
    for k, (name, freedom) in enumerate(compiled.freedoms):
        joint = next(j.joint for j in compiled.joints if j.name == name)
        assert joint is not None
        if (name, freedom.index) in constraints.tracked:
            history.angle[:, k] = links.angles[:, constraints.tracked.index((name, freedom.index))]
        elif joint.coordinates[freedom.index] in tree.coordinates:
            history.angle[:, k] = record.q[:, tree.coordinates.index(joint.coordinates[freedom.index])]
        else:
            history.angle[:, k] = np.nan  # of a cut joint: what the rates tell
    for i, path in enumerate(links.paths):
        nodes = [k for k, seat in enumerate(seats) if seat.link == i]
        if nodes:
            found = seat_paths([seats[k] for k in nodes], path)
            history.frame[:, nodes, :9] = found.rotation.reshape(nt, len(nodes), 9)
            history.frame[:, nodes, 9:] = found.position
            history.twist[:, nodes], history.rate[:, nodes] = found.twist, found.rate
    return history


def node_seats(tree: FlexibleTree, compiled: CompiledModel) -> list[Seat]:
    """Seat of every node of the Galilean mesh, and of the frames of modal bodies."""
    data = tree.data
    out = [Seat(-1, np.eye(4))] * compiled.n_nodes
    for name, node in compiled.bodies.items():
        link = data.carrier[name]
        if link >= 0:
            out[node] = seat_on(link, data.links[link].frame, row_to_frame(compiled.frames[node]), None)
    for name, mesh in compiled.beams.items():
        link, body = data.carrier[name], tree.modal_bodies[name]
        for k, s in enumerate(mesh.s):
            key = min(data.stations[name], key=lambda key: abs(data.stations[name][key] - s))
            node = mesh.first_node + k
            frame = row_to_frame(compiled.frames[node])
            out[node] = seat_on(link, data.links[link].frame, frame, body.interfaces[key])
    for name, nodes in compiled.modal.items():
        link, body = data.carrier[name], tree.modal_bodies[name]
        out[nodes.frame] = Seat(link, np.eye(4))
        for key, node in nodes.interfaces.items():
            frame = row_to_frame(compiled.frames[node])
            out[node] = seat_on(link, data.links[link].frame, frame, body.interfaces[key])
    return out


def fill_forces(
    tree: FlexibleTree, constraints: TreeConstraints, motion: Motion, history: History, links: LinkHistory
) -> None:  # fmt: skip
    """Multipliers of the joints: of the tree's from the wrenches the recursion finds in them, of cut ones their own."""
    data, joints = tree.data, motion.mechanism.joints
    for i, link in enumerate(data.links):
        final = link.joint is not None and i in data.carrier.values()
        if not final or link.joint is None or link.joint.name not in joints:
            continue
        info = joints[link.joint.name]
        outer_is_child = data.carrier.get(link.joint.child.owner.name) == i
        sides = joint_sides(motion, info.index)
        own = link.frame @ link.own.at(np.zeros(link.n_modes))
        turn = own[:3, :3].T @ link.joint.frame()[:3, :3]
        wrench = np.hstack((links.joint[:, i, :3] @ turn, links.joint[:, i, 3:] @ turn))
        for f in range(len(info.freedoms)):
            if info.active[f] >= 0:
                effort = passive_efforts(motion, info, f, sides) + inertial_efforts(motion, info, f, sides)
                wrench = wrench - effort[:, None] * directions(info, f, sides)[int(outer_is_child)]
        columns = []
        for row in range(6):
            history.force[:, info.index] = 0.0
            history.force[:, info.index, row] = 1.0
            columns.append(constraint_wrenches(motion, info.index, sides)[int(outer_is_child)])
        history.force[:, info.index] = np.einsum("tkc,tc->tk", np.linalg.pinv(np.stack(columns, axis=2)), wrench)
    n_joints = history.force.shape[1] - len(motion.mechanism.rolling)
    for slot in constraints.slots:
        if not slot.in_tree:
            at = n_joints + slot.rolling if slot.joint is None else joints[slot.joint.name].index
            rows, found = list(slot.rows), links.force[:, slot.first : slot.first + len(slot.rows)]
            if slot.joint is not None:
                found = found / np.linalg.norm(motion.mechanism.system.joints.row_a[at, rows], axis=1)
            history.force[:, at, rows] = found
