"""Assembly: the reference configuration moved to where prescribed motions want it, beams carried along.

Prescribed coordinates go from zero to their values in small steps, so that whole turns of a shaft that is held at both
ends are kept. In every step Newton's method finds the nearest configuration, in the metric of stiffness and inertia, in
which all joints hold; the stress that a motion forces on beams is balanced by reactions. Springs and loads do not act,
but where there is no way from the reference, at a dead point, loads show one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from cosserat.compile.compiled import CompiledModel, frame_to_row, row_to_frame
from cosserat.compile.rows import frames_of
from cosserat.compile.spanning import DisjointSets
from cosserat.errors import ModelError
from cosserat.kernels import touching
from cosserat.kernels.alpha import move
from cosserat.kernels.arrays import Inputs
from cosserat.kernels.blocks import solve
from cosserat.kernels.joint_rows import ROTATION
from cosserat.kernels.residual import constraints, element_forces, forces, joint_forces, track_angles
from cosserat.kernels.rolling import add_rolling
from cosserat.kernels.rules import add_rules
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.rolling import Rolling, RollingDisc
from cosserat.solve.initial import factor_at, set_trial
from cosserat.solve.memory import Memory

_CLOSED = 1e-10  # violation of constraints that is none: of the extent, or rad
_OPEN = 1e-7  # one that steps of a run do not leave
_TOUCHING = 1e-6  # of the size: how far from its plane a disc may be in the reference configuration
_TURN = 0.2  # rad, or parts of the extent, in one step
_TRIES = ((1, 0.0), (10, 0.0), (60, 0.0), (1, 0.1), (10, 0.03))
"""Times as many steps, as beams may give way too much in long ones; and moved by loads before, in parts of the extent:
away from a dead point, such as that of a straight chain whose ends are driven towards each other."""
_FAR = 0.5  # of the extent, or rad: what may move in a step
_SHORTEST = 1e-9  # of the way: steps that are taken as they are
_BLIND = 8  # such steps, after which all are: there is no pose that could be followed
_FOLLOW, _LAST = 10, 60  # iterations of a step, and of the last one
_SOFT = 1e-8  # of the stiffness: inertia that holds what beams do not


def assemble_configuration(compiled: CompiledModel, t: float, memory: Memory) -> None:
    """Move the reference configuration to where prescribed motions want it at time t, beams carried along.

    Raises
    ------
    ModelError
        If the joints cannot all be satisfied.
    """
    trial, state = memory.problem.trial, memory.problem.state
    inputs = compiled.sampler.sample(np.array([t]), load_factor=0.0)
    memory.replace(inputs=inputs)
    demand_touching(compiled.rolling, compiled.size)
    ramp = _Ramp(compiled, t)
    _carry(compiled, ramp, state.frame)
    for i, (name, _) in enumerate(compiled.freedoms):
        state.angle[i] = ramp.turned.get(name, state.angle[i])  # of screws, whose advance tells their turns
    set_trial(memory, state)
    trial.force[:] = 0.0
    track_angles(memory.address)
    unit = constraint_units(compiled)
    if trial.phi.size == 0 or (not ramp.turns and _violation(memory, unit).max() <= _CLOSED):
        state.angle[:] = trial.angle
        return
    with _without_springs(memory):
        for finer, aside in _TRIES:
            set_trial(memory, state)
            if aside:
                _move_with_loads(compiled, t, memory, aside * compiled.size)
                memory.replace(inputs=inputs)
            trial.force[:] = 0.0
            _follow(compiled, memory, ramp, inputs, finer * ramp.steps)
            track_angles(memory.address)
            worst = np.max(_violation(memory, unit), axis=1)
            if np.all(worst <= 1e3 * _CLOSED):
                break
    if not np.all(worst <= 1e3 * _CLOSED):
        j = int(np.argmax(worst))
        raise ModelError(
            f"{compiled.constraint_title(j)}: cannot be assembled at t = {t:g}: its places miss each other by "
            f"{_told(np.max(np.abs(trial.phi[j])), compiled.size)} when all other joints hold; check the geometry of "
            "the loop and the prescribed motions"
        )
    state.frame[:] = trial.frame
    state.angle[:] = trial.angle


def close_gaps(compiled: CompiledModel, t: float, memory: Memory, most: float) -> Array:
    """Gaps (m,) of joints and constraints in the state at time t, in parts of the extent or rad; those up to `most`
    are closed, by the motion that changes the stress of beams least.
    """
    trial, state, n = memory.problem.trial, memory.problem.state, compiled.n_nodes
    memory.replace(inputs=compiled.sampler.sample(np.array([t]), load_factor=0.0))
    set_trial(memory, state)
    trial.twist[:], trial.force[:] = 0.0, 0.0
    gaps: Array = np.max(_violation(memory, constraint_units(compiled)), axis=1, initial=0.0)
    if _OPEN < np.max(gaps, initial=0.0) <= most:
        with _without_springs(memory):
            element_forces(memory.address)
            _close(compiled, memory, _LAST, np.inf, trial.residual[:n].copy())
        state.frame[:] = trial.frame
    return gaps


@contextmanager
def _without_springs(memory: Memory) -> Iterator[None]:
    """Without the stiffness and damping of joints and springs."""
    freedoms, springs = memory.problem.freedoms, memory.problem.springs
    memory.replace(
        freedoms=freedoms._replace(stiffness=0.0 * freedoms.stiffness, damping=0.0 * freedoms.damping),
        springs=springs._replace(stiffness=0.0 * springs.stiffness, damping=0.0 * springs.damping),
    )
    try:
        yield
    finally:
        memory.replace(freedoms=freedoms, springs=springs)


def _follow(compiled: CompiledModel, memory: Memory, ramp: _Ramp, inputs: Inputs, steps: int) -> None:
    """Take prescribed motions to their values in equal steps, or in shorter ones where the mechanism moves far.

    Near a dead point little of a motion moves much, and a long step may end on the other side of it.
    """
    trial, part, length, blind = memory.problem.trial, 0.0, 1.0 / steps, 0
    while part < 1.0:
        end = min(part + length, 1.0) if part + length < 1.0 - _SHORTEST else 1.0
        before = trial.frame.copy(), trial.force.copy(), trial.angle.copy()
        inputs.drive[0] = ramp.at(end)
        far = _FAR if end - part > _SHORTEST and blind < _BLIND else np.inf
        if _close(compiled, memory, _LAST if end == 1.0 else _FOLLOW, far):
            blind += end - part <= _SHORTEST
            part, length = end, min(2.0 * length, 1.0 / steps)
        else:
            trial.frame[:], trial.force[:], trial.angle[:] = before
            length *= 0.5


def _move_with_loads(compiled: CompiledModel, t: float, memory: Memory, distance: float) -> None:
    """Move the trial configuration the way in which loads begin to move the mechanism, joints as in the reference."""
    trial, solver, n = memory.problem.trial, memory.problem.solver, compiled.n_nodes
    memory.replace(inputs=compiled.sampler.sample(np.array([t])))
    trial.force[:] = 0.0
    forces(memory.address, 0)
    factor_at(memory, 1.0, 0.0, compiled.mass)
    solver.x[:n], solver.x[n:] = -trial.residual[:n], 0.0
    solve(memory.address)
    farthest = float(np.max(np.abs(solver.x[:n, :3]), initial=0.0))
    if np.all(np.isfinite(solver.x)) and farthest > 0.0:
        trial.increment[:n] = distance / farthest * solver.x[:n]
        move(trial.frame.copy(), trial.increment, 1.0, trial.frame)


def _told(gap: float, size: float) -> str:
    return f"{gap:.3g}" if gap < 100.0 * size else "more than its size (the search does not converge)"


def _close(compiled: CompiledModel, memory: Memory, most: int, far: float, balanced: Array | float = 0.0) -> bool:
    """Newton's method on beams in balance and constraints that hold; False if its first step goes farther than `far`.

    That is in parts of the extent, or rad. `balanced`: forces (n, 6) of beams that something else holds in balance.
    """
    n, address = compiled.n_nodes, memory.address
    trial, solver = memory.problem.trial, memory.problem.solver
    shift = _shift(compiled)
    scale = shift * compiled.mass
    weight = np.array([1.0 / compiled.size, 1.0]).repeat(3)
    for count in range(most):
        track_angles(address)
        element_forces(address)
        joint_forces(address, 0)
        _add_rolling(memory)
        factor_at(memory, shift, 1.0, scale)
        solver.x[:n] = balanced - trial.residual[:n]
        solver.x[n:] = -scale * trial.phi
        solve(address)
        size = np.max(np.abs(solver.x[:n] * weight))
        if not np.all(np.isfinite(solver.x)):
            return True  # the constraints tell that this did not succeed
        if count == 0 and size > far:
            return False
        trial.increment[:n] = solver.x[:n]
        move(trial.frame.copy(), trial.increment, 1.0, trial.frame)
        trial.force[:] += scale * solver.x[n:]
        if size <= _CLOSED:
            break
    return True


def _add_rolling(memory: Memory) -> None:
    """Forces and values of what rolls and of users' constraints."""
    if touching.count(memory.problem):
        add_rolling(memory.address, 0)
    rules, phi = memory.problem.rules, memory.problem.trial.phi
    if len(rules.item):
        add_rules(memory.address, 0)
        free = rules.item[rules.held == 0]  # of velocities alone: places may be anywhere
        phi[len(phi) - len(memory.problem.rolling.node) + free] = 0.0


def _shift(compiled: CompiledModel) -> float:
    """Factor s for which K + s M lets beams move almost rigidly: small against their stiffness; any without beams."""
    k = np.abs(compiled.system.elements.stiffness)
    stiffness = max(np.max(k[:, :3, :3], initial=0.0), np.max(k[:, 3:, 3:], initial=0.0) / compiled.length**2)
    return 1.0 if stiffness == 0.0 else _SOFT * stiffness / compiled.mass


def constraint_units(compiled: CompiledModel) -> Array:
    """(m, 6) what constraint values count in: the extent of the mechanism for places, one for turns."""
    unit = np.full((compiled.n_multipliers, 6), compiled.size)
    for j, joint in enumerate(compiled.joints):
        for k, row in enumerate(joint.rows.rows):
            if row.kind == ROTATION:
                unit[j, k] = compiled.length  # by which the row is multiplied
    return unit


def _violation(memory: Memory, unit: Array) -> Array:
    """Constraint values (m, 6) of the trial configuration at rest, without dimension."""
    constraints(memory.address, 0)
    _add_rolling(memory)
    return np.asarray(np.abs(memory.problem.trial.phi) / unit)


class _Ramp:
    """Prescribed motions on their way from zero to their values at a time."""

    def __init__(self, compiled: CompiledModel, t: float) -> None:
        self._joints = compiled.sampler.driven
        self.names = [joint.name for joint in self._joints]
        self._values: list[list[float | None]] = []
        farthest = turned = 0.0
        looped = _looped(compiled)
        self.carrying = {} if compiled.rolling or compiled.rules else _outboard(compiled, looped)
        for joint in self._joints:
            values: list[float | None] = []
            for freedom, motion in zip(joint.freedoms, joint.motion, strict=True):
                q = None if motion is None else float(motion.sample(np.array([t]))[0])
                if q is not None and freedom.kind == "rotation" and joint.name not in looped:
                    if joint.kind not in ("spherical", "free", "screw"):
                        q = float(np.remainder(q + np.pi, 2.0 * np.pi) - np.pi)  # nothing winds up
                if q is not None and joint.name not in self.carrying:
                    far, turn = (abs(q) / compiled.size, 0.0) if freedom.kind == "translation" else (abs(q), abs(q))
                    farthest, turned = max(farthest, far), max(turned, turn)
                values.append(q)
            self._values.append(values)
        self.turned = {
            joint.name: values[0] for joint, values in zip(self._joints, self._values, strict=True)
            if joint.kind == "screw" and joint.name in self.carrying and values[0] is not None
        }  # fmt: skip
        self.steps = 1 + int(np.ceil(farthest / _TURN))
        self.turns = turned > np.pi

    def at(self, part: float) -> Array:
        """Drives (nd, 21) at a part of the way; those that carry others along are at its end."""
        out = np.zeros((len(self._joints), 21))
        for k, (joint, values) in enumerate(zip(self._joints, self._values, strict=True)):
            share = 1.0 if joint.name in self.carrying else part
            jets = [None if q is None else np.full((1, 1), share * q) for q in values]
            out[k] = frames_of(joint, jets, (1, 1))[0, 0]
        return out


def _carry(compiled: CompiledModel, ramp: _Ramp, frame_out: Array) -> None:
    """Move what hangs on driven joints along with them, all other joints as they are: frames (n+1, 12) of nodes."""
    arrays, drives = compiled.system.joints, dict(zip(ramp.names, ramp.at(1.0), strict=True))
    for name, (k, nodes, inwards) in ramp.carrying.items():
        drive = drives[name]
        inner, outer = (
            row_to_frame(frame_out[node]) @ row_to_frame(frame)
            for node, frame in zip(arrays.node[k], (arrays.frame_a[k], arrays.frame_b[k]), strict=True)
        )
        relative = se3.frame(drive[3:12].reshape(3, 3) @ drive[12:].reshape(3, 3).T, drive[:3])
        if inwards:
            moved = outer @ se3.inverse(relative) @ se3.inverse(inner)
        else:
            moved = inner @ relative @ se3.inverse(outer)
        for node in nodes:
            frame_out[node] = frame_to_row(moved @ row_to_frame(frame_out[node]))


def _outboard(compiled: CompiledModel, looped: set[str]) -> dict[str, tuple[int, list[int], bool]]:
    """Driven joints that alone hold some nodes to the ground: number, these nodes, and whether the parent is one."""
    joints, ground = compiled.system.joints.node.tolist(), compiled.n_nodes
    elements, out = compiled.system.elements.node.tolist(), dict[str, tuple[int, list[int], bool]]()
    plain = {joint.name for joint in compiled.sampler.driven} - looped
    for k, item in enumerate(compiled.joints):
        if item.name in plain:
            parts = DisjointSets(range(ground + 1))
            for a, b in (*joints[:k], *joints[k + 1 :], *elements):
                parts.join(a, b)
            parent, child, fixed = (parts.find(node) for node in (*joints[k], ground))
            if fixed in (parent, child):
                side = parent if fixed == child else child
                out[item.name] = k, [node for node in range(ground) if parts.find(node) == side], side == parent
    return out


def _looped(compiled: CompiledModel) -> set[str]:
    """Names of joints whose two sides other joints and beams connect as well."""
    nodes = [*compiled.system.joints.node.tolist(), *compiled.system.elements.node.tolist()]
    names = [*(joint.name for joint in compiled.joints), *("" for _ in compiled.system.elements.node)]
    out = set()
    for name in {joint.name for joint in compiled.sampler.driven}:
        parts, ends = DisjointSets(range(len(compiled.frames))), (0, 0)
        for (a, b), edge in zip(nodes, names, strict=True):
            if edge == name:
                ends = (a, b)
            else:
                parts.join(a, b)
        if parts.find(ends[0]) == parts.find(ends[1]):
            out.add(name)
    return out


def demand_touching(rolling: Iterable[Rolling], size: float) -> None:
    """Raise if a disc is not on its plane in the reference configuration of a mechanism of some size."""
    for item in rolling:
        if isinstance(item, RollingDisc) and abs(item.gap) > _TOUCHING * max(item.radius, size):
            side = "above" if item.gap > 0.0 else "below"
            raise ModelError(
                f"{item.title}: its lowest point is {abs(item.gap):.3g} m {side} the plane in the reference "
                "configuration; place the body on it, or move the plane with point=(x, y, z)"
            )
