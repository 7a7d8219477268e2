"""Laws at nodes: how forces between places, written once each in their own files, meet the nodes that carry them.

Every kind of law has three stages: `add` puts its forces into the residual at the trial state, `conserve` those of the
energy-momentum scheme, with the law taken in the frames halfway and for the mean twist, and `assemble` its derivatives
into the iteration matrix. A problem holds one row of addresses for each kind that it uses (`load_laws`); a kind that
nobody uses is neither compiled nor asked for. A new kind is a file with its formula, three stages here and a row in
`FORCES`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cosserat.jit import address_of, call_address, helper, load, stage
from cosserat.kernels import (
    armature,
    freedoms,
    joints,
    law_states,
    line_loads,
    media,
    pairs,
    rolling,
    rules,
    slots,
    springs,
    state_loads,
    touching,
)
from cosserat.kernels.frames import load_frame, twist_at_place
from cosserat.kernels.tangent import add_turned, scatter
from cosserat.kernels.vectors import IDENTITY, add, clear, dot, scale, store
from cosserat.kernels.vectors import load as load_vector


@helper
def outer_into(factor, row, matrix_out):
    """matrix = factor row row^T, (12, 12)."""
    for i in range(12):
        for j in range(12):
            matrix_out[i, j] = factor * row[i] * row[j]


@stage
def add_springs(problem, k):
    """residual -= springs and dampers."""
    sp, trial, effort = problem.springs, problem.trial, problem.inputs.effort
    springs.take_tensions(sp, effort[k], effort[k])
    for i in range(sp.stiffness.shape[0]):
        springs.add_spring(sp, i, trial.frame, trial.twist, trial.residual)
    return 0


@stage
def conserve_springs(problem, k):
    """The same over a step: the pull halfway, corrected so that it works by the loss of energy exactly.

    What is given takes its mean over the step, and works by the change of length. All pieces of a line share the
    correction, each along the relative motion of its ends.
    """
    sp, state, trial, middle = problem.springs, problem.state, problem.trial, problem.middle
    settings, effort = problem.solver.settings, problem.inputs.effort
    springs.take_tensions(sp, effort[k - 1], effort[k])
    for i in range(sp.stiffness.shape[0]):
        length, ahead, weight = 0.0, 0.0, 0.0
        for p in range(sp.start[i], sp.start[i + 1] - 1):
            long, e, u, w, _, _, _, _ = springs.piece_over_step(sp, p, middle.frame, trial.increment)
            length += long
            ahead += dot(e, u)
            weight += pairs.weigh(u, w, settings[slots.LENGTH])
        before, after = springs.length_of(sp, i, state.frame), springs.length_of(sp, i, trial.frame)
        stiffness, rest, slack, given = springs.numbers(sp, i)
        elastic = springs.held(stiffness, rest, slack, given, length)
        work = springs.stored(stiffness, rest, slack, given, after)
        work -= springs.stored(stiffness, rest, slack, given, before)
        doubt = 1e-15 * (stiffness * (length + rest) + abs(given)) * springs.reach(sp, i, trial.frame, length)
        share = pairs.share(work - elastic * ahead, weight, doubt, settings[slots.LENGTH])
        tense = springs.tension(sp, i, length, ahead / settings[slots.STEP])
        trial.spent[0] += (tense - elastic) * ahead
        for p in range(sp.start[i], sp.start[i + 1] - 1):
            _, e, u, w, R, x, y_a, y_b = springs.piece_over_step(sp, p, middle.frame, trial.increment)
            f, m = pairs.shared(scale(tense, e), (0.0, 0.0, 0.0), u, w, share, settings[slots.LENGTH])
            pairs.add_opposite(R, x, sp.node[p], IDENTITY, y_a, sp.node[p + 1], IDENTITY, y_b, f, m, trial.residual)
    return 0


@stage
def assemble_springs(problem, k, frames, twists):
    """Springs, dampers and tendons: matrices on all pairs of their points."""
    sp, solver, scratch = problem.springs, problem.solver, problem.scratch
    cc, ck, effort = solver.coefficients[slots.CC], solver.coefficients[slots.CK], problem.inputs.effort
    T, K, C = solver.tangent, scratch.line_K, scratch.line_C
    springs.take_tensions(sp, effort[k], effort[k])
    for i in range(sp.stiffness.shape[0]):
        springs.spring_tangent(sp, i, frames, twists, K, C, scratch.rows)
        first, n = sp.start[i], sp.start[i + 1] - sp.start[i]
        for p in range(6 * n):
            for q in range(6 * n):
                C[p, q] *= cc
        for a in range(n):
            for b in range(n):
                out = solver.blocks[sp.block[sp.corner[i] + n * a + b]]
                add_turned(K, C, 6 * a, 6 * b, ck, T[sp.node[first + b]], out)
    return 0


@stage
def add_efforts(problem, k):
    """residual -= efforts in the freedoms of joints."""
    fr, jt, trial, inputs = problem.freedoms, problem.joints, problem.trial, problem.inputs
    for i in range(fr.joint.shape[0]):
        freedoms.add_effort(fr, jt, i, trial.frame, trial.twist, trial.angle, inputs.effort[k], trial.residual)
    return 0


@stage
def conserve_efforts(problem, k):
    """The same over a step: along the directions halfway, for the mean rate; prescribed efforts take their mean.

    The rate is that of the relative motion along the direction, which in spherical and free joints is not the rate of
    the coordinate. The freedoms of a joint, which follow one another, are corrected together: about a rotation vector
    only their sum has an energy.
    """
    fr, jt, inputs = problem.freedoms, problem.joints, problem.inputs
    state, trial, middle = problem.state, problem.trial, problem.middle
    settings = problem.solver.settings
    n = fr.joint.shape[0]
    first = 0
    while first < n:
        j = fr.joint[first]
        last = first
        while last < n and fr.joint[last] == j:
            last += 1
        R, x, u, w = pairs.relative_motion(jt, j, middle.frame, trial.increment)
        f, m, stored = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
        for i in range(first, last):
            _, _, d, e = freedoms.direction(fr, i, R, x)
            q = 0.5 * (trial.angle[i] + state.angle[i])
            elastic = freedoms.elastic(fr, i, q)
            stored -= elastic * (trial.angle[i] - state.angle[i])
            f, m = add(f, scale(-elastic, d)), add(m, scale(-elastic, e))
        f, m = pairs.correct(f, m, u, w, stored, 0.0, settings[slots.LENGTH], stored != 0.0)
        for i in range(first, last):
            _, _, d, e = freedoms.direction(fr, i, R, x)
            rate = (dot(d, u) + dot(e, w)) / settings[slots.STEP]
            Q, _ = freedoms.effort(fr, i, 0.0, rate, inputs.effort[k])
            trial.spent[0] -= freedoms.lost(fr, i, rate) * rate * settings[slots.STEP]
            if fr.effort[i] >= 0:
                Q += 0.5 * (inputs.effort[k - 1, fr.effort[i]] - inputs.effort[k, fr.effort[i]])
            if fr.target[i] >= 0:
                target = 0.5 * (inputs.effort[k - 1, fr.target[i]] + inputs.effort[k, fr.target[i]])
                Q += freedoms.servo(fr, i, target, 0.5 * (trial.angle[i] + state.angle[i]), rate)[0]
            f, m = add(f, scale(-Q, d)), add(m, scale(-Q, e))
        pairs.add_between(jt, j, R, x, f, m, trial.residual)
        first = last
    return 0


@stage
def assemble_efforts(problem, k, frames, twists):
    """Joint efforts: 12x12 matrices on pairs of nodes."""
    fr, jt, inputs = problem.freedoms, problem.joints, problem.inputs
    solver, scratch, angles = problem.solver, problem.scratch, problem.trial.angle
    cc, ck = solver.coefficients[slots.CC], solver.coefficients[slots.CK]
    T, K, C = solver.tangent, scratch.K, scratch.C
    for i in range(fr.joint.shape[0]):
        j = fr.joint[i]
        clear(K)
        damping = freedoms.effort_tangent(fr, jt, i, frames, twists, angles, inputs.effort[k], scratch.row, K)
        outer_into(cc * damping, scratch.row, C)
        joints.to_node_frames(jt, j, K, scratch.W)
        joints.to_node_frames(jt, j, C, scratch.W)
        scatter(K, C, ck, T[jt.node[j, 0]], T[jt.node[j, 1]], jt.block[j], solver.blocks)
    return 0


@stage
def add_armatures(problem, k):
    """residual += inertia that moves with coordinates of joints."""
    fr, jt, trial = problem.freedoms, problem.joints, problem.trial
    for i in range(fr.joint.shape[0]):
        if fr.armature[i] != 0.0:
            armature.add_inertia(fr, jt, i, trial.frame, trial.twist, trial.rate, trial.residual)
    return 0


@stage
def conserve_armatures(problem, k):
    """The same over a step: the change of momentum along the direction halfway, corrected along the relative motion so
    that its work is the change of energy. Near where the coordinate turns back the correction would be large: there it
    is left out.
    """
    fr, jt = problem.freedoms, problem.joints
    state, trial, middle = problem.state, problem.trial, problem.middle
    settings = problem.solver.settings
    for i in range(fr.joint.shape[0]):
        if fr.armature[i] != 0.0:
            j = fr.joint[i]
            after = armature.rate(fr, jt, i, trial.frame, trial.twist)
            before = armature.rate(fr, jt, i, state.frame, state.twist)
            gain = fr.armature[i] * (after - before)
            R, x, u, w = pairs.relative_motion(jt, j, middle.frame, trial.increment)
            _, _, d, e = freedoms.direction(fr, i, R, x)
            Q, moved = gain / settings[slots.STEP], dot(d, u) + dot(e, w)
            work = 0.5 * gain * (after + before)
            small = abs(work - Q * moved) < 0.1 * abs(Q * moved)
            f, m = pairs.correct(scale(Q, d), scale(Q, e), u, w, work, 0.0, settings[slots.LENGTH], small)
            pairs.add_between(jt, j, R, x, f, m, trial.residual)
    return 0


@stage
def assemble_armatures(problem, k, frames, twists):
    """Armatures: 12x12 matrices on pairs of nodes."""
    fr, jt, rates = problem.freedoms, problem.joints, problem.trial.rate
    solver, scratch = problem.solver, problem.scratch
    cm, cc, ck = solver.coefficients[slots.CM], solver.coefficients[slots.CC], solver.coefficients[slots.CK]
    T, K, C = solver.tangent, scratch.K, scratch.C
    for i in range(fr.joint.shape[0]):
        if fr.armature[i] != 0.0:
            j = fr.joint[i]
            clear(K)
            armature.tangent(fr, jt, i, frames, twists, rates, cm, cc, scratch.row, scratch.W, K, C)
            joints.to_node_frames(jt, j, K, scratch.W)
            joints.to_node_frames(jt, j, C, scratch.W)
            scatter(K, C, ck, T[jt.node[j, 0]], T[jt.node[j, 1]], jt.block[j], solver.blocks)
    return 0


@helper
def ask(problem, i, t, frames, twists):
    """visit.wrench of a user's law at the motion of nodes; states that it owns follow."""
    sl, solver, visit = problem.state_loads, problem.solver, problem.visit
    state_loads.visit_places(sl, i, frames, twists, visit)
    if sl.inner[i + 1] > sl.inner[i]:
        call_address(solver.owning[0], (problem, i, t))
    else:
        m, n = state_loads.extent(sl, i)
        state_loads.call(sl, i, solver.units[i, 0], t, m, n, visit)


@stage
def add_state_loads(problem, k):
    """residual -= wrenches of users' laws."""
    sl, trial, solver, visit = problem.state_loads, problem.trial, problem.solver, problem.visit
    clock, effort = problem.inputs.clock, problem.inputs.effort
    state_loads.take_signals(sl, effort[k], effort[k])
    state_loads.take_inertias(
        sl, solver.units, clock[k, 0], trial.frame, trial.twist, trial.rate, 1.0, visit, problem.bodies
    )  # fmt: skip
    for i in range(sl.acts.shape[0]):
        ask(problem, i, clock[k, 0], trial.frame, trial.twist)
        state_loads.add_wrench(sl, i, clock[k, 1], visit.wrench, trial.residual)
    return 0


@stage
def conserve_state_loads(problem, k):
    """The same over a step: in the frames halfway, for the mean twist and mean states, at the mean time."""
    sl, state, trial, middle = problem.state_loads, problem.state, problem.trial, problem.middle
    solver, visit, clock = problem.solver, problem.visit, problem.inputs.clock
    effort = problem.inputs.effort
    state_loads.take_signals(sl, effort[k - 1], effort[k])
    t = 0.5 * (clock[k - 1, 0] + clock[k, 0])
    state_loads.take_inertias(
        sl, solver.units, t, middle.frame, middle.mean, trial.rate, 0.0, visit, problem.bodies
    )  # fmt: skip
    for i in range(sl.acts.shape[0]):
        gained = 0.0
        if sl.stored[i] == 1:
            ask(problem, i, t, trial.frame, trial.twist)
            gained = visit.wrench[6]
            ask(problem, i, t, state.frame, state.twist)
            gained -= visit.wrench[6]
        ask(problem, i, t, middle.frame, middle.mean)
        if sl.stored[i] == 1:  # one place: its wrench works by the loss of energy exactly
            F, y = load_frame(sl.frame[sl.first[i]])
            moved = trial.increment[sl.node[sl.first[i]]]
            u, w = twist_at_place(F, y, load_vector(moved, 0), load_vector(moved, 3))
            f, m = load_vector(visit.wrench, 0), load_vector(visit.wrench, 3)
            doubt = 1e-16 * abs(visit.wrench[6])
            f, m = pairs.correct(f, m, u, w, -gained, doubt, solver.settings[slots.LENGTH], True)
            store(f, visit.wrench, 0)
            store(m, visit.wrench, 3)
        state_loads.add_wrench(sl, i, clock[k, 1], visit.wrench, trial.residual)
    return 0


@stage
def assemble_state_loads(problem, k, frames, twists):
    """Derivatives of users' laws: 6x6 matrices on all pairs of their places."""
    sl, solver, visit = problem.state_loads, problem.solver, problem.visit
    cc, ck, clock = solver.coefficients[slots.CC], solver.coefficients[slots.CK], problem.inputs.clock
    if ck == 0.0 and cc == 0.0:
        return 0
    state_loads.take_signals(sl, problem.inputs.effort[k], problem.inputs.effort[k])
    for i in range(sl.acts.shape[0]):
        m, n = state_loads.extent(sl, i)
        state_loads.visit_places(sl, i, frames, twists, visit)
        if sl.inner[i + 1] > sl.inner[i]:
            call_address(solver.owning[1], (problem, i, clock[k, 0]))
        else:
            state_loads.differentiate(sl, i, solver.units[i], clock[k, 0], m, n, 0.0, visit)
        state_loads.scatter_law(
            sl, i, clock[k, 1], cc, ck, visit.J, solver.tangent, problem.scratch, solver.blocks
        )  # fmt: skip
    return 0


class LawKind(NamedTuple):
    """A kind of law: how many of them a problem has, and its stages."""

    count: Callable[[Any], int]
    add: Any
    conserve: Any
    assemble: Any


FORCES = (
    LawKind(lambda p: len(p.springs.stiffness), add_springs, conserve_springs, assemble_springs),
    LawKind(lambda p: len(p.freedoms.joint), add_efforts, conserve_efforts, assemble_efforts),
    LawKind(
        lambda p: int(np.count_nonzero(p.freedoms.armature)), add_armatures, conserve_armatures, assemble_armatures
    ),
    LawKind(lambda p: len(p.state_loads.acts), add_state_loads, conserve_state_loads, assemble_state_loads),
    LawKind(
        lambda p: len(p.line_loads.element),
        line_loads.add_line_loads,
        line_loads.conserve_line_loads,
        line_loads.assemble_line_loads,
    ),
    LawKind(lambda p: len(p.media.element), media.add_media, media.conserve_media, media.assemble_media),
)
CONSTRAINTS = (
    LawKind(touching.count, rolling.add_rolling, rolling.conserve_rolling, rolling.assemble_rolling),
    LawKind(lambda p: len(p.rules.item), rules.add_rules, rules.conserve_rules, rules.assemble_rules),
)


def kinds_in_use(kinds, system):
    """Number of rows that the kinds of laws of a system need."""
    return sum(kind.count(system) > 0 for kind in kinds)


def load_laws(address, problem, conserving):
    """Compile or read the stages of the laws in use, and write their addresses into the problem."""
    trial, solver = problem.trial, problem.solver
    law_states.load_owning(address, problem)
    for kinds, table in ((FORCES, solver.laws), (CONSTRAINTS, solver.bonds)):
        used = [kind for kind in kinds if kind.count(problem) > 0]
        for row, kind in zip(table, used, strict=True):
            load(kind.add, address, 0)
            load(kind.assemble, address, 0, trial.frame, trial.twist)
            if conserving:
                load(kind.conserve, address, 0)
                row[slots.CONSERVE] = address_of(kind.conserve)
            row[slots.ADD], row[slots.ASSEMBLE] = address_of(kind.add), address_of(kind.assemble)
