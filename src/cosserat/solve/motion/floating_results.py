"""From states in floating frames to what a `Run` reads: frames of nodes, multipliers of joints, energies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel, frame_to_row, row_to_frame
from cosserat.compile.seats import Seat, seat_on
from cosserat.kernels.arrays import History
from cosserat.lie import se3
from cosserat.results.joints import constraint_wrenches, directions, joint_sides, passive_efforts
from cosserat.results.motion import Motion
from cosserat.solve.motion.floating_steps import Point
from cosserat.solve.relative import flexible_recursion
from cosserat.solve.relative.flexible_forces import seat_twist
from cosserat.solve.relative.flexible_recursion import LinkMotion
from cosserat.solve.relative.flexible_tree import FlexibleTree

Array = NDArray[np.float64]


def nodal_history(
    tree: FlexibleTree, compiled: CompiledModel, stored: list[Point]
) -> tuple[History, list[list[LinkMotion]]]:
    """Frames, twists and their rates of all nodes at the stored states, and the motion of the links there."""
    seats = node_seats(tree, compiled)
    nt, n = len(stored), compiled.n_nodes + 1
    history = History(
        np.tile(compiled.frames, (nt, 1, 1)), np.zeros((nt, n, 6)), np.zeros((nt, n, 6)),
        np.zeros((nt, compiled.n_joints, 6)), np.zeros((nt, len(compiled.freedoms))),
    )  # fmt: skip
    columns = []
    for name, freedom in compiled.freedoms:
        joint = next(j.joint for j in compiled.joints if j.name == name)
        assert joint is not None
        columns.append(tree.coordinates.index(joint.coordinates[freedom.index]))
    motions = []
    for k, point in enumerate(stored):
        now = flexible_recursion.motions(tree.data, point.q, point.v)
        rates = flexible_recursion.accelerations(tree.data, now, point.a, np.zeros(3))
        motions.append(now)
        history.angle[k] = point.q[columns]
        for i, seat in enumerate(seats):
            if seat.link >= 0:
                link = tree.data.links[seat.link]
                modal = point.q[link.columns[len(link.columns) - link.n_modes :]]
                H, eta, rate = _seat_motion(now[seat.link], rates[seat.link], seat, modal)
                history.frame[k, i], history.twist[k, i], history.rate[k, i] = frame_to_row(H), eta, rate
    return history, motions


def nodal_twists(tree: FlexibleTree, seats: list[Seat], q: Array, v: Array) -> Array:
    """Twists (n, 6) of the nodes in their own frames."""
    now = flexible_recursion.motions(tree.data, q, v)
    out = np.zeros((len(seats), 6))
    for k, seat in enumerate(seats):
        if seat.link >= 0:
            link = tree.data.links[seat.link]
            out[k] = seat_twist(now[seat.link], seat, q[link.columns[len(link.columns) - link.n_modes :]])
    return out


def node_seats(tree: FlexibleTree, compiled: CompiledModel) -> list[Seat]:
    """Seat of every node of the Galilean mesh."""
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
    return out


def _seat_motion(now: LinkMotion, rate: Array, seat: Seat, modal: Array) -> tuple[Array, Array, Array]:
    """Frame in the world, twist and rate of the twist of a seat, in its own axes."""
    inside = seat.at(modal)
    back = se3.adjoint(se3.inverse(inside))
    eta, eta_dot = back @ now.z[:6], back @ rate[:6]
    if seat.interface is not None:
        Phi = seat.jacobian(modal)
        slip = Phi @ now.z[6:]
        eta_dot = eta_dot + Phi @ rate[6:] + seat.bias(modal, now.z[6:]) + se3.bracket(eta) @ slip
        eta = eta + slip
    return now.frame @ inside, eta, eta_dot


def fill_forces(
    tree: FlexibleTree, motion: Motion, history: History, stored: list[Point], links: list[list[LinkMotion]]
) -> None:
    """Multipliers of the joints from the wrenches that the recursion finds in them."""
    data, joints = tree.data, motion.mechanism.joints
    wrenches = np.zeros((len(stored), len(data.links), 6))  # on the link, about its joint frame
    for k, (point, now) in enumerate(zip(stored, links, strict=True)):
        outside = tree.forces.on_links(now, point.q, point.t)
        found = flexible_recursion.transmitted(data, now, point.a, tree.gravity, outside)
        for i, (link, force) in enumerate(zip(data.links, found, strict=True)):
            modal = point.q[link.columns[len(link.columns) - link.n_modes :]]
            wrenches[k, i] = se3.adjoint(link.own.at(modal)).T @ force[:6]
    for i, link in enumerate(data.links):
        final = link.joint is not None and i in data.carrier.values()
        if not final or link.joint is None or link.joint.name not in joints:
            continue
        info = joints[link.joint.name]
        outer_is_child = data.carrier.get(link.joint.child.owner.name) == i
        sides = joint_sides(motion, info.index)
        own = link.frame @ link.own.at(np.zeros(link.n_modes))
        turn = own[:3, :3].T @ link.joint.frame()[:3, :3]
        wrench = np.hstack((wrenches[:, i, :3] @ turn, wrenches[:, i, 3:] @ turn))
        for f in range(len(info.freedoms)):
            if info.active[f] >= 0:
                effort = passive_efforts(motion, info, f, sides)
                wrench = wrench - effort[:, None] * directions(info, f, sides)[int(outer_is_child)]
        columns = []
        for row in range(6):
            history.force[:, info.index] = 0.0
            history.force[:, info.index, row] = 1.0
            columns.append(constraint_wrenches(motion, info.index, sides)[int(outer_is_child)])
        history.force[:, info.index] = np.einsum("tkc,tc->tk", np.linalg.pinv(np.stack(columns, axis=2)), wrench)


def energies(tree: FlexibleTree, stored: list[Point]) -> dict[str, Array]:
    """Energies (J), losses and supplies (W) at the stored states."""
    rows = []
    for point in stored:
        now = flexible_recursion.motions(tree.data, point.q, point.v)
        energy = tree.energy(point.q, point.v)
        loss, supply = tree.forces.powers(now, point.q, point.v, point.t)
        supply += float(tree.residual(now, point.q, point.v, point.a, point.t) @ point.v)  # of the drives
        rows.append((energy.kinetic, energy.strain, energy.potential, loss, supply))
    return dict(zip(("kinetic", "strain", "potential", "loss", "supply"), np.array(rows).T, strict=True))
