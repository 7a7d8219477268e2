"""From states in floating frames to what a `Run` reads: frames of nodes, multipliers of joints, energies, momenta."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.compiled import row_to_frame
from cosserat.compile.flexible_arrays import pack_seats
from cosserat.compile.state_loads import failing_law
from cosserat.kernels.arrays import History
from cosserat.kernels.flexible.arrays import Z
from cosserat.kernels.flexible.record import StoredLinks
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.results.beams import gyroscopic
from cosserat.results.joints import constraint_wrenches, directions, inertial_efforts, joint_sides, passive_efforts
from cosserat.results.kinematics import to_node
from cosserat.results.motion import Motion, motion_of
from cosserat.results.nodal import external, times_mass
from cosserat.results.status import Outcome, Status
from cosserat.results.trajectory import (
    FloatingRecord,
    LinkLedger,
    Pending,
    Phase,
    Reference,
    Trajectory,
    as_simulated,
    kept_now,
)
from cosserat.solve.floating.engine import FloatingEngine
from cosserat.solve.floating.state import States
from cosserat.solve.motion.crossings import Row
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.seat_motion import seat_paths

_LOOKS = 12  # times within a step that failed at which laws are looked at


def tree_powers(engine: FloatingEngine, times: Array, states: Row, open: frozenset[str]) -> Array:
    """Loss, supply, kinetic, strain and potential energy (nt, 5) at states of a tree, with some joints open."""
    now, engine.open = engine.open, open
    found = engine.record(times, States(*states)).powers
    engine.open = now
    return found[:, [3, 4, 0, 1, 2]]


class LinkHistory(NamedTuple):
    """Links over the stored times."""

    found: StoredLinks
    joint: Array  # (nt, nl, 6) wrench of each link's joint on it, about the joint frame on its own side
    ledger: LinkLedger


class FloatingResults:
    """What a `Run` reads, found from states of a tree when it is asked for.

    Parameters
    ----------
    engine : Engine
    reference : Reference
    times : (nt,)
    states : States
    restore : callable, optional
        Brings back efforts of a controller that acted at a time; None: those that act now.
    before : float
        Loads are those so long (s) before the stored times: states at jumps are those before.
    step : float
        Length of equal steps over which loads that jump were spread, if all were stored; else zero.
    phases : tuple of Phase
        As those of a `Trajectory`.
    """

    def __init__(
        self, engine: FloatingEngine, reference: Reference, times: Array, states: States,
        restore: Callable[[float | None], None] | None = None, before: float = 0.0, step: float = 0.0,
        phases: tuple[Phase, ...] = (),
    ) -> None:  # fmt: skip
        self._engine, self._reference, self._restore, self._phases = engine, reference, restore, phases
        self._tree, self._times, self._states, self._step = engine.tree, times, states, step
        self._load_times = np.where(times > times[0], times - before, times + before)
        self._kept = kept_now(reference.model)
        self.record = FloatingRecord(
            engine.tree.coordinates, states.q, states.v, states.a, lambda: self.links.ledger
        )  # fmt: skip
        self._pending = Pending(self.nodal)

    def trajectory(
        self, status: Status | None = None, settings: dict[str, Any] | None = None, **more: Any
    ) -> Trajectory:  # fmt: skip
        """The states as a stored trajectory, whose multipliers are found when they are asked for."""
        status = Status(Outcome.OK, float(self._times[-1])) if status is None else status
        settings = {"formulation": "floating"} if settings is None else settings
        found = Trajectory(
            self._reference, self._times, self._pending, status, settings, floating=self.record, phases=self._phases,
            kept=self._kept, **more,
        )  # fmt: skip
        self._pending.fill = lambda: self._fill(motion_of(found))
        return found

    @cached_property
    def links(self) -> LinkHistory:
        """The links at the stored states."""
        with as_simulated(*self._kept):
            found = self._recorded()
        q, starts = self._states.q, self._tree.data.arrays.table[:, Z].tolist()
        joint = [_in_joint(self._tree, i, q, found.joint[:, at : at + 6]) for i, at in enumerate(starts)]
        turn = found.frame[:, :, :9].reshape(*found.frame.shape[:2], 3, 3)
        for wrench in (found.momentum, found.force):
            wrench[..., :3] = np.einsum("tnij,tnj->tni", turn, wrench[..., :3])
            wrench[..., 3:] = np.einsum("tnij,tnj->tni", turn, wrench[..., 3:])
        ledger = LinkLedger(found.powers, found.frame[:, :, 9:], found.momentum, found.force)
        return LinkHistory(found, np.stack(joint, axis=1), ledger)

    def _recorded(self) -> StoredLinks:
        if self._restore is None and not self._phases:
            return self._part(slice(None))
        parts, engine = [], self._engine
        n, now = len(self._times), engine.open
        ends = [*(phase.first for phase in self._phases[1:]), n]
        for phase, end in zip(self._phases or (Phase(0, ()),), ends, strict=True):
            engine.open = frozenset(phase.open)
            if self._restore is None:
                parts.append(self._part(slice(phase.first, end)))
                continue
            for k in range(phase.first, end):
                self._restore(float(self._times[k]))
                parts.append(self._part(slice(k, k + 1)))
            self._restore(None)
        engine.open = now
        return StoredLinks(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _part(self, rows: slice) -> StoredLinks:
        """Links at some of the states."""
        states = States(*(x[rows] for x in self._states))
        return self._engine.record(self._times[rows], states, self._load_times[rows], self._step)

    def nodal(self) -> History:
        """Frames, twists and their rates of all nodes; multipliers are zero until `_fill`."""
        tree, compiled, constraints = self._tree, self._reference.compiled, self._engine.constraints
        seats, states = self._engine.seats, self._states
        nt, n = len(states.q), compiled.n_nodes + 1
        history = History(
            np.tile(compiled.frames, (nt, 1, 1)), np.zeros((nt, n, 6)), np.zeros((nt, n, 6)),
            np.zeros((nt, compiled.n_multipliers, 6)), np.zeros((nt, len(compiled.freedoms))), states.inner,
        )  # fmt: skip
        for k, (name, freedom) in enumerate(compiled.freedoms):
            joint = next(j.joint for j in compiled.joints if j.name == name)
            assert joint is not None
            if (name, freedom.index) in constraints.tracked:
                history.angle[:, k] = states.angles[:, constraints.tracked.index((name, freedom.index))]
            elif joint.coordinates[freedom.index] in tree.coordinates:
                history.angle[:, k] = states.q[:, tree.coordinates.index(joint.coordinates[freedom.index])]
            else:
                history.angle[:, k] = np.nan  # of a cut joint: what the rates tell
        nodes = [k for k, seat in enumerate(seats) if seat.link >= 0]
        links, moving = self.links.found, [seats[k] for k in nodes]
        found = seat_paths(Motions(tree.data), pack_seats(moving), states.q, links.frame, links.z, links.z_dot)
        history.frame[:, nodes], history.twist[:, nodes], history.rate[:, nodes] = found.frame, found.twist, found.rate
        return history

    def failing_law(self, h: float) -> str:
        """In words, a load whose law fails at the first of the states or up to h later; or ""."""
        history = self.nodal()
        times = self._times[0] + h * np.concatenate(([0.0], np.geomspace(1e-3, 1.0, _LOOKS)))
        known = history.frame, history.twist, history.inner
        frames, twists, inner = (np.repeat(a[:1], len(times), axis=0) for a in known)
        rates = history.rate[:1] if np.isfinite(history.rate).all() else np.zeros_like(history.rate[:1])
        twists = twists + (times - times[0])[:, None, None] * rates
        return failing_law(self._reference.compiled, times, frames, twists, inner)

    def _fill(self, motion: Motion) -> None:
        """Write multipliers of joints: of the tree's from wrenches that the recursion finds, of cut ones their own."""
        data, joints, history, links = self._tree.data, motion.mechanism.joints, motion.states, self.links
        shafts = [i for _, i in data.shafts]
        for i, link in enumerate(data.links):
            final = link.joint is not None and (i in data.carrier.values() or i in shafts)
            if not final or link.joint is None or link.joint.name not in joints:
                continue
            info = joints[link.joint.name]
            outer_is_child = i in shafts or data.carrier.get(link.joint.child.owner.name) == i
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
        for slot in self._engine.constraints.slots:
            if not slot.in_tree:
                at = n_joints + slot.rolling if slot.joint is None else joints[slot.joint.name].index
                rows, found = list(slot.rows), self._states.force[:, slot.first : slot.first + len(slot.rows)]
                if slot.joint is not None:
                    found = found / np.linalg.norm(motion.mechanism.system.joints.row_a[at, rows], axis=1)
                history.force[:, at, rows] = found
        self._fill_welds(motion)

    def _fill_welds(self, motion: Motion) -> None:
        """Multipliers of fixed joints inside rigid groups; the smallest ones where several hold the same bodies."""
        carrier, history = self._tree.data.carrier, motion.states
        infos = motion.mechanism.joints
        cut = {slot.joint.name for slot in self._engine.constraints.slots if slot.joint is not None}
        welds = []
        for joint in self._kept[0].joints:
            sides = [-1 if place.on_ground else carrier[place.owner.name] for place in (joint.parent, joint.child)]
            if joint.kind == "fixed" and sides[0] == sides[1] and joint.name not in cut:
                welds.append(infos[joint.name].index)
        if not welds:
            return
        arrays, bodies = motion.mechanism.system.joints, motion.mechanism.system.bodies
        held = external(motion).force
        place = {node: k for k, node in enumerate(dict.fromkeys(bodies.node.tolist()))}
        left = np.zeros((len(motion.time), len(place), 6))
        for row, node in enumerate(bodies.node.tolist()):  # of a body, and of fluid and propellant that move with it
            twist = motion.twist[:, node]
            left[:, place[node]] += times_mass(motion, row, motion.rate[:, node])
            left[:, place[node]] += gyroscopic(times_mass(motion, row, twist), twist)
        for node, k in place.items():
            left[:, k] -= held[:, node]
        columns = np.zeros((len(place), 6, len(welds), 6))
        for w, index in enumerate(welds):
            sides_now = joint_sides(motion, index)
            for row in range(6):
                history.force[:, index] = 0.0
                history.force[:, index, row] = 1.0
                both = constraint_wrenches(motion, index, sides_now)
                for node, frame, wrench in zip(arrays.node[index], (arrays.frame_a, arrays.frame_b), both, strict=True):
                    if int(node) in place:
                        columns[place[int(node)], :, w, row] += to_node(wrench[:1], row_to_frame(frame[index]))[0]
        matrix = columns.reshape(6 * len(place), -1)
        found = np.linalg.lstsq(matrix, left.reshape(len(left), -1).T, rcond=1e-10)[0]
        history.force[:, welds] = found.T.reshape(len(left), len(welds), 6)


def _in_joint(tree: FlexibleTree, i: int, q: Array, wrenches: Array) -> Array:
    """Wrenches (nt, 6) on link i, from its frame to the joint frame on its own side."""
    own = tree.data.links[i].own
    if own.interface is None:
        return wrenches @ se3.adjoint(own.frame)
    return np.array([w @ se3.adjoint(own.at(bent)) for w, bent in zip(wrenches, tree.data.modal(i, q), strict=True)])
