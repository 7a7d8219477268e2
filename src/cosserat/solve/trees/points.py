"""The state of a tree about which it is linearised: an equilibrium, a steady motion, a moment of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import SolveError, shown
from cosserat.model.model import Model
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.run import Run
from cosserat.results.status import Outcome
from cosserat.solve.linear.point import MOMENT, MOTION
from cosserat.solve.trees.formulation import Floating
from cosserat.solve.trees.point import TreePoint, unbalanced, with_reactions
from cosserat.solve.trees.system import TreeState, TreeSystem
from cosserat.solve.trees.turntable import Spin, spin_of_twist

Array = NDArray[np.float64]

_STEADY = 1e-6  # acceleration, relative to those that act, that is accepted where there should be none
_LATER = 0.7  # rad, or typical lengths, by which the fastest part moves on before equations are compared


def tree_point(
    model: Model, about: Any, time: float, spin: Spin | None, caller: str, floating: Floating
) -> TreePoint:  # fmt: skip
    """State of a model in floating frames; arguments as those of `point_at`."""
    run, then = about if isinstance(about, tuple) and len(about) == 2 else (about, None)
    moving = isinstance(run, Run) or (isinstance(about, str) and about == "motion")
    if spin is not None and moving:
        raise SolveError(f"{caller}: about={shown(about)} has its own motion; leave out spin")
    if isinstance(about, Equilibrium):
        if spin is not None:
            raise SolveError(f"{caller}: the equilibrium given as about has its own rotation; leave out spin")
        spin = spin_of_twist(about.settings.get("spin"))
    system = TreeSystem(model, floating, caller, spin=spin)
    if isinstance(run, Run):
        return _of_run(system, run, then, caller)
    if isinstance(about, Equilibrium):
        return _of_equilibrium(system, about, caller)
    if isinstance(about, str) and about == "motion":
        return _described(system, time, caller)
    if about is not None and not (isinstance(about, str) and about == "reference"):
        raise SolveError(
            f"{caller}: about={shown(about)} is not understood; pass an Equilibrium, a Run, (run, time), 'reference', "
            "'motion' or None"
        )
    point = TreePoint(system, with_reactions(system, system.start(time)))
    rest = unbalanced(point)
    if rest <= 1.0:
        return point
    if about is not None:
        raise SolveError(
            f"{caller}: the reference configuration is not an equilibrium; pass about=None to find the equilibrium "
            "first"
        )
    from cosserat.solve.balance.equilibrium import equilibrium  # it linearises, too

    turned, centre = (None, np.zeros(3)) if spin is None else (spin.speed * spin.unit[3:], spin.centre)
    found = equilibrium(model, time=time, formulation=floating, spin=turned, center=centre)
    if not found.status.ok and found.status.outcome is not Outcome.FREE_MOTION:
        raise SolveError(
            f"{caller}: no equilibrium to linearise about: {found.status.message}; pass about= an Equilibrium or a "
            "moment (run, time) of a simulation"
        )
    return _of_equilibrium(system, found, caller)


def _of_equilibrium(system: TreeSystem, found: Equilibrium, caller: str) -> TreePoint:
    if not found.status.ok and found.status.outcome is not Outcome.FREE_MOTION:
        raise SolveError(f"{caller}: the equilibrium given as about was not found: {found.status.message}")
    state = system.taken(system.start(float(found.trajectory.time[-1])), found.trajectory.floating)
    if state is None:
        raise SolveError(
            f"{caller}: the equilibrium given as about is not one in the same floating frames; make it with "
            f"cs.equilibrium(model, formulation={system.floating!r})"
        )
    point = TreePoint(system, with_reactions(system, state))
    if unbalanced(point) > 1.0:
        if not found.status.ok:
            raise SolveError(
                f"{caller}: no equilibrium to linearise about: {found.status.message}; hold what can fall, or pass "
                "about= a moment (run, time) of a simulation"
            )
        raise SolveError(
            f"{caller}: the state given as about is not an equilibrium of the model as it is now; were parameters set "
            "since? call equilibrium again"
        )
    return point


def _of_run(system: TreeSystem, run: Run, then: Any, caller: str) -> TreePoint:
    record, times = run.trajectory.floating, run.trajectory.time
    if record is None or tuple(record.coordinates) != system.tree.coordinates:
        raise SolveError(f"{caller}: the run given as about is not one in the same floating frames")
    k = len(times) - 1 if then is None else int(np.argmin(np.abs(times - float(then))))
    spacing = float(np.max(np.diff(times))) if len(times) > 1 else 0.0
    if then is not None and abs(times[k] - then) > 0.501 * spacing + 1e-12:
        raise SolveError(
            f"{caller}: the run has no state near t = {then:g} s; it goes from {times[0]:g} to {times[-1]:g} s"
        )
    begin = system.start(float(times[k]))
    inner = run.trajectory.history.inner[k].copy() if system.compiled.n_inner else None
    state = begin._replace(q=record.q[k].copy(), v=record.v[k].copy(), inner=inner)
    point = TreePoint(system, accelerated(system, state), MOMENT)
    if system.constraints.present and np.any(state.v):
        loops = system.holonomic.all()
        words = "closed loops" if loops else "what rolls or slides"
        what = f"in floating frames, {words} can be linearised about a moment of a steady motion only"
        instead = "pass formulation='galilean' here and to simulate" if loops else "pass about= a moment without that"
        return _steady(TreePoint(system, point.state, MOTION), caller, what, instead)
    return point


def accelerated(system: TreeSystem, state: TreeState) -> TreeState:
    """The state with its accelerations and multipliers."""
    system.load(state.t)
    n, k = system.n, len(system.held)
    a = np.zeros(n)
    system.drives.impose(state.t, np.zeros(n), np.zeros(n), a)
    still = state._replace(a=a, force=np.zeros(system.n_rows))
    rows = system.bound(still)[0]
    r, _, _ = system.residual(still)
    M = system.tree.mass_matrix(state.q)
    wanted = np.concatenate((np.zeros(k), -system.bias(state) - rows[k:] @ a))
    unit = 1.0 / np.sqrt(np.diag(M))
    U, sizes, V = np.linalg.svd(rows * unit, full_matrices=False)
    rank = int(np.sum(sizes > 1e-10 * np.max(sizes, initial=1e-300)))
    B = V[:rank]  # what rows say, in independent combinations
    c = (U[:, :rank].T @ wanted) / sizes[:rank]
    scaled = M * np.outer(unit, unit)
    system_matrix = np.block([[scaled, B.T], [B, np.zeros((rank, rank))]])
    out = np.linalg.solve(system_matrix, np.concatenate((-unit * r, c)))
    force = U[:, :rank] @ (out[n:] / sizes[:rank])
    return still._replace(a=a + unit * out[:n], force=force)


def _described(system: TreeSystem, time: float, caller: str) -> TreePoint:
    """The motion that the initial velocities describe."""
    return _steady(TreePoint(system, accelerated(system, system.start(time, moving=True)), MOTION), caller)


def _steady(
    point: TreePoint,
    caller: str,
    what: str = "the motion described by the initial velocities is not steady",
    instead: str = "give velocities, positions and loads that go on as they begin",
) -> TreePoint:
    """The point, with no acceleration of its coordinates; an error, made of these words, where it is not steady."""
    system, state = point.system, point.state
    sizes = system.sizes(state.q)
    gravity = float(np.linalg.norm(system.model.gravity)) / system.compiled.length
    fast = float(np.max(np.abs(state.v) * sizes, initial=0.0))

    def demand(there: TreeState, when: str) -> None:
        rest = np.abs(there.a) * sizes
        if np.max(rest, initial=0.0) > _STEADY * max(gravity, fast**2, 1e-300):
            k = int(np.argmax(rest))
            raise SolveError(
                f"{caller}: {what}: {system.tree.coordinates[k]!r} is accelerated by {there.a[k]:.3g}{when}; {instead}"
            )

    demand(state, "")
    found = point.at(state._replace(a=np.zeros(system.n)))
    if fast == 0.0:
        return found
    later = _LATER / fast
    moved = state._replace(q=system.moved(state.q, later * state.v), t=state.t + later)
    then = accelerated(system, moved)
    demand(then, f" after {later:.3g} s")
    here, there = found.matrices(), point.at(then._replace(a=np.zeros(system.n))).matrices()
    scale = np.outer(point.unit, point.unit)
    inertia = float(np.max(np.abs(here.mass.toarray() * scale)))
    rate = max(fast, np.sqrt(float(np.max(np.abs(here.stiffness.toarray() * scale))) / inertia))
    for word, power in (("mass", 0), ("damping", 1), ("stiffness", 2)):
        apart = np.abs((getattr(here, word) - getattr(there, word)).toarray() * scale)
        if np.max(apart) > 1e-6 * inertia * rate**power:
            raise SolveError(
                f"{caller}: the motion goes on, but its linear equations change with time: their {word} is another "
                f"after {later:.3g} s; parts that turn against the others, as wheels do, must look the same from all "
                "sides"
            )
    system.load(state.t)
    return found
