"""Where a motion in floating frames starts: coordinates and velocities that mean what they do in the Galilean one.

A tree finds them by itself where the described configuration fits its joints, and the described velocities strain no
beam. Where something has to be assembled, bent or refused, or goes on from nodes, the nodes decide, and coordinates are
fitted to them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cosserat.compile.compiled import CompiledModel, row_to_frame
from cosserat.compile.flexible_arrays import pack_seats
from cosserat.compile.rows import read_coordinate
from cosserat.errors import SolveError, warn
from cosserat.kernels.flexible.arrays import Seats
from cosserat.lie import se3, so3
from cosserat.lie.protocol import Array
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.joints import tracked_in
from cosserat.results.run import Run
from cosserat.results.trajectory import Reference, Trajectory, carried_to
from cosserat.solve.floating.state import Instant, Start
from cosserat.solve.floating.velocities import (
    FittedNodes,
    fitted_velocities,
    given_velocities,
    own_velocities,
)
from cosserat.solve.floating.walk import FloatingWalk
from cosserat.solve.memory import loaded_memory
from cosserat.solve.motion.starting import IN_BALANCE, require_same, set_start
from cosserat.solve.motion.walk import StepFailure
from cosserat.solve.relative.coordinates import moved
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.flexible_tree import FlexibleTree
from cosserat.solve.relative.seat_motion import seat_frames, seat_rows
from cosserat.solve.relative.tree_constraints import TreeConstraints

_MOST_ITERATIONS = 30
_PARTS = (1, 8, 64)  # in which a drive is taken until its loops can be closed
_SAME_PLACES = 1e-9  # of the size of the mechanism, and of a turn
_FOLLOWED = 0.02  # of the greatest deflection: what the modes may miss without a warning


def starting_state(walk: FloatingWalk, reference: Reference, start: Any, t: float) -> Start:
    """The state that the Galilean formulation would start from, as far as the modes can follow.

    Warns where they cannot.
    """
    tree, constraints = walk.tree, walk.constraints
    ended, inner = None, inner_of(walk, start)
    if isinstance(start, Run | Equilibrium):
        ended = _ended(walk, reference, start)
    if ended is not None and isinstance(start, Run):
        return Start(float(start.time[-1]), *ended, inner)
    q, v, angles = tree.neutral(), tree.neutral(), np.zeros(len(constraints.tracked))
    walk.drives.impose(t, q, v, tree.neutral())
    bent = any(body.rates.any() for body in tree.modal_bodies.values())
    plain = isinstance(start, str) and start == "reference" and not constraints.present
    if plain and not reference.given.any() and not v.any() and not bent:
        return Start(t, q, v, angles, inner)
    if ended is not None:
        q, _, angles = ended
        walk.drives.impose(t, q, v, tree.neutral())
        v = given_velocities(walk, reference, q, v)
    elif reference.skeleton.modal:
        _demand_reference(reference, start)
        v = given_velocities(walk, reference, q, v)
        if constraints.present:
            q, v = _closed_unbent(walk, t, q, v, angles)
    else:
        begin, own = Start(t, q, v, angles, inner), None
        if isinstance(start, str) and start == "reference":
            own = own_velocities(walk, reference, begin)
        t, q, v, angles, inner = own or _as_nodes(walk, reference, start, plain, begin)
    if constraints.present:
        if tree.data.shafts:
            v = _turned_shafts(tree, constraints, t, q, v, angles)
        try:
            q, v = walk.engine.projected(t, q, v, angles)
        except StepFailure as failure:
            raise SolveError(
                f"simulate: {failure.detail or 'the constraints cannot be met'} at the start; check the geometry of "
                "loops and the prescribed motions"
            ) from None
    return Start(t, q, v, angles, inner)


def _as_nodes(walk: FloatingWalk, reference: Reference, start: Any, plain: bool, begin: Start) -> Start:
    """The state that fits nodes assembled by the Galilean formulation; a `plain` tree has its coordinates already."""
    tree, compiled, (t, q, v, angles, inner) = walk.tree, reference.compiled, begin
    memory = loaded_memory(compiled, compiled.sampler.sample(np.array([t])))
    t = set_start(compiled, memory, start, t).time
    state = memory.problem.state
    frames = np.array([row_to_frame(row) for row in state.frame[:-1]])
    nodes = FittedNodes(walk.engine.seats, frames, state.twist[:-1])
    if not plain:
        q = fitted_coordinates(tree, compiled, nodes, state.frame, state.angle)
        angles = _cut_angles(walk.constraints, compiled, state.angle)
    walk.drives.impose(t, q, v, tree.neutral())
    return Start(t, q, fitted_velocities(tree, compiled.length, nodes, q, v, walk.drives.held), angles, inner)


def _closed_unbent(walk: FloatingWalk, t: float, q: Array, v: Array, angles: Array) -> tuple[Array, Array]:
    """Loops closed by the joints alone, drives in parts where they go far; as it was where they cannot be closed so.

    The nearest state in the metric of the mass would bend the bodies instead of turning them: modes are light.
    """
    tree, driven = walk.tree, walk.drives.held
    modes = np.ones(len(q), dtype=bool)
    for link in tree.data.links:
        modes[link.freedoms] = False
    for parts in _PARTS:
        trial = tree.neutral()
        try:
            for k in range(1, parts + 1):
                trial[driven] = k / parts * q[driven]
                trial = walk.engine.projected(t, trial, v, angles, modes)[0]
            return walk.engine.projected(t, trial, v, angles, modes)  # velocities with the rows of where it is
        except StepFailure:
            continue
    return q, v


def _turned_shafts(
    tree: FlexibleTree, constraints: TreeConstraints, t: float, q: Array, v: Array, angles: Array
) -> Array:  # fmt: skip
    """Velocities with shafts as fast as the bodies that they are held to: no node tells theirs."""
    columns = [int(k) for joint, _ in tree.data.shafts for k in map(tree.coordinates.index, joint.coordinates)]
    rows = constraints.at(Motions(tree.data).move(q, v), q, t, angles)
    out = v.copy()
    out[columns] -= np.linalg.lstsq(rows.A[:, columns], rows.rate, rcond=None)[0]
    return out


def inner_of(walk: FloatingWalk, start: Any) -> Array:
    """States of laws (ny,) at the end of a run or in an equilibrium, else their first ones."""
    first = walk.tree.forces.first_states
    known = start.trajectory.history.inner if isinstance(start, Run | Equilibrium) and len(first) else None
    return first.copy() if known is None or known.shape[1:] != first.shape else np.asarray(known[-1].copy())


def continued(walk: FloatingWalk, start: Run, begin: Instant, rho: float) -> Instant:
    """A start, just found, with what the method carried at the end of a run, if it is in balance with that."""
    record = start.trajectory.floating
    carried = None if record is None else carried_to(start.trajectory, formulation="floating", rho=rho)
    if record is None or carried is None or tuple(record.coordinates) != walk.tree.coordinates:
        return begin
    if carried.inner.shape != begin.inner[1:].shape or carried.force.shape != begin.force.shape:
        return begin
    a = record.a[-1]
    free, held = (walk.engine.pushed(begin, force) for force in (0.0 * carried.force, carried.force))
    size = float(np.abs([a, free]).max(initial=0.0)) + float(np.linalg.norm(walk.tree.gravity))
    if not np.abs(a - held).max(initial=0.0) <= IN_BALANCE * size:
        return begin
    y, rates, _ = begin.inner
    inner = np.array([y, rates, carried.inner[1] + rates - carried.inner[0]])
    return begin._replace(
        a=a.copy(), carried=carried.accel.copy(), step=carried.step, force=carried.force.copy(), inner=inner
    )


def _ended(walk: FloatingWalk, reference: Reference, start: Run | Equilibrium) -> tuple[Array, Array, Array] | None:
    """Coordinates, velocities and angles of cut joints of a run or an equilibrium that ends in the same coordinates."""
    record = start.trajectory.floating
    if record is None or tuple(record.coordinates) != walk.tree.coordinates:
        return None
    compiled, other = reference.compiled, start.trajectory.compiled
    if [joint.name for joint in compiled.joints] != [joint.name for joint in other.joints]:
        return None  # nodes tell whether those that are new fit
    require_same(compiled, other, "run" if isinstance(start, Run) else "equilibrium")
    if not _same_places(walk, reference, start, record.q[-1]):
        return None
    angles = angles_in(start.trajectory, -1, walk.constraints, compiled)
    return record.q[-1].copy(), record.v[-1].copy(), angles


def _same_places(walk: FloatingWalk, reference: Reference, start: Any, q: Array) -> bool:
    """Whether coordinates put the nodes where a result has them: other modes may have the same names."""
    frames = np.array([row_to_frame(row) for row in start.trajectory.history.frame[-1, :-1]])
    tree, nodes = walk.tree, FittedNodes(walk.engine.seats, frames, np.zeros((len(frames), 6)))
    now, places = Motions(tree.data).move(q, tree.neutral()), pack_seats(nodes.seats)
    return bool(np.abs(_misfit(now, places, nodes, q)).max(initial=0.0) < _SAME_PLACES * max(reference.size, 1.0))


def _demand_reference(reference: Reference, start: Any) -> None:
    if not (isinstance(start, str) and start == "reference"):
        one = next(iter(reference.skeleton.modal))
        raise SolveError(
            f"simulate: start is {start!r}; with modal bodies such as {one!r}, of which the "
            "Galilean formulation has none, it is 'reference', 'equilibrium', or a floating run or equilibrium of the "
            "same model and modes"
        )


def angles_in(trajectory: Trajectory, k: int, constraints: TreeConstraints, compiled: CompiledModel) -> Array:
    """Angles of cut joints in a stored state of a like model, whole turns included."""
    return _cut_angles(constraints, compiled, tracked_in(trajectory, k, compiled.freedoms))


def _cut_angles(constraints: TreeConstraints, compiled: CompiledModel, found: Array) -> Array:
    place = {(name, freedom.index): k for k, (name, freedom) in enumerate(compiled.freedoms)}
    return np.array([found[place[key]] for key in constraints.tracked])


def fitted_coordinates(
    tree: FlexibleTree, compiled: CompiledModel, nodes: FittedNodes, rows: Array, angles: Array
) -> Array:  # fmt: skip
    """Coordinates for which the nodes come closest to given frames, by the method of Gauss and Newton."""
    q, places = _from_joints(tree, compiled, rows, angles), pack_seats(nodes.seats)
    scale = np.tile([1.0, 1.0, 1.0, *(3 * [compiled.length])], len(nodes.seats))
    off = np.zeros(0)
    last = np.inf
    for _ in range(_MOST_ITERATIONS):
        now = Motions(tree.data).move(q, tree.neutral())
        off = scale * _misfit(now, places, nodes, q)
        size = float(np.abs(off).max(initial=0.0))
        if size < 1e-14 * compiled.size or size > 0.999 * last:
            break
        last = size
        change = np.linalg.lstsq(scale[:, None] * seat_rows(tree.data, now, q, nodes.seats), off, rcond=None)[0]
        q = moved(tree.data, q, np.asarray(change, dtype=np.float64))
    _say_what_is_missed(tree, nodes, q, off.reshape(-1, 6)[:, :3], compiled.size)
    return q


def _from_joints(tree: FlexibleTree, compiled: CompiledModel, rows: Array, angles: Array) -> Array:
    """Coordinates of the joints as the nodes on both sides tell them, modes at rest."""
    q = tree.neutral()
    arrays = compiled.system.joints
    known = {(name, freedom.index): angles[k] for k, (name, freedom) in enumerate(compiled.freedoms)}
    place = {name: k for k, name in enumerate(tree.coordinates)}
    for k, item in enumerate(compiled.joints):
        if item.joint is None or not item.joint.coordinates or item.joint.coordinates[0] not in place:
            continue
        a, b = (
            row_to_frame(rows[node]) @ row_to_frame(frame)
            for node, frame in zip(arrays.node[k], (arrays.frame_a[k], arrays.frame_b[k]), strict=True)
        )
        H = se3.inverse(a) @ b
        for index, name in enumerate(item.joint.coordinates):
            q[place[name]] = read_coordinate(item.joint, index, H, known.get((item.name, index), 0.0))
    for link in tree.data.links:
        if link.joint is None and not link.is_fluid:
            body = next(name for name, at in tree.data.carrier.items() if at >= 0 and tree.data.links[at] is link)
            node = compiled.bodies[body] if body in compiled.bodies else compiled.beams[body].first_node
            moved_by = row_to_frame(rows[node]) @ se3.inverse(row_to_frame(compiled.frames[node]))
            base = link.base.frame
            H = se3.inverse(base) @ moved_by @ base
            q[link.columns[:6]] = np.concatenate((H[:3, 3], so3.log(H[:3, :3])))
    return q


def _misfit(now: Motions, places: Seats, nodes: FittedNodes, q: Array) -> Array:
    """Small motions (6 n,) in the nodes' axes from where they are to where they should be."""
    out = np.zeros((len(nodes.seats), 6))
    here = seat_frames(now, places, q)
    for k, (seat, target) in enumerate(zip(nodes.seats, nodes.frames, strict=True)):
        if seat.link >= 0:
            H = se3.inverse(here[k]) @ target
            out[k, :3], out[k, 3:] = H[:3, 3], so3.log(H[:3, :3])
    return out.ravel()


def _say_what_is_missed(tree: FlexibleTree, nodes: FittedNodes, q: Array, off: Array, size: float) -> None:
    bent = np.zeros(len(nodes.seats))
    for k, seat in enumerate(nodes.seats):
        if seat.link >= 0:
            modal = tree.data.modal(seat.link, q)
            bent[k] = np.linalg.norm((seat.at(modal) - seat.at(np.zeros(len(modal))))[:3, 3])
    missed = np.linalg.norm(off, axis=1)
    worst = int(np.argmax(missed)) if len(missed) else 0
    if len(missed) and missed[worst] > max(_FOLLOWED * float(bent.max()), 1e-7 * size):
        name = tree.data.links[nodes.seats[worst].link].name
        warn(
            f"simulate: the modes of {name!r} cannot follow the shape given as start: they miss it by "
            f"{missed[worst]:.2g} m, where the greatest deflection is {bent.max():.2g} m; raise modes=, or use the "
            "Galilean formulation if it bends by more than a tenth of its length",
        )
