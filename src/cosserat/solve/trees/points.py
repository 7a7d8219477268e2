"""The state of a tree about which it is linearised: an equilibrium, a steady motion, a moment of a run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cosserat.errors import SolveError, warn
from cosserat.kernels.recursion import table as layout
from cosserat.results.equilibrium import Equilibrium
from cosserat.results.run import Run
from cosserat.solve.balance.points import Points
from cosserat.solve.floating.verdicts import bent_far
from cosserat.solve.formulation import Floating
from cosserat.solve.linear.described import changing, described_motion
from cosserat.solve.linear.point import MOMENT, MOTION
from cosserat.solve.trees.balance import TreeBalance
from cosserat.solve.trees.point import TreePoint, with_reactions
from cosserat.solve.trees.system import TreeState, TreeSystem
from cosserat.solve.trees.turntable import Spin, spin_of_twist

_STEADY = 1e-6  # acceleration, relative to those that act, that is accepted where there should be none
_AT_REST = 1e-7  # rad, or typical lengths: a vibration whose speed does not matter
_LATER = 0.7  # rad, or typical lengths, by which the fastest part moves on before equations are compared


@dataclass
class TreePoints(Points):
    """Of a model in floating frames."""

    spin: Spin | None
    floating: Floating

    @cached_property
    def _system(self) -> TreeSystem:
        return TreeSystem(self.model, self.floating, self.caller, spin=self.spin)

    def at_reference(self, time: float) -> TreePoint:
        return TreePoint(self._system, with_reactions(self._system, self._system.start(time)))

    def described(self, time: float) -> TreePoint:
        system = self._system
        found = _steady(TreePoint(system, system.accelerated(system.start(time, moving=True)), MOTION), self.caller)
        _demand_unspun(system, found.state, self.caller)
        return found

    def balance(self, point: TreePoint) -> TreeBalance:
        return TreeBalance(self._system, self._system.start(point.time))

    def of_equilibrium(self, found: Equilibrium, given: bool) -> TreePoint:
        if given:  # it has its own rotation
            self.spin = spin_of_twist(found.settings.get("spin"))
        system = self._system
        state = system.taken(system.start(float(found.trajectory.time[-1])), found.trajectory)
        if state is None:
            raise SolveError(
                f"{self.caller}: the equilibrium given as about is not one in the same floating frames; make it with "
                f"cs.equilibrium(model, formulation={system.floating!r})"
            )
        self._tell_far(system, state)
        return TreePoint(system, with_reactions(system, state))

    def _tell_far(self, system: TreeSystem, state: TreeState) -> None:
        """Warn of bodies that bend farther than their modes can tell."""
        for told in bent_far(system.data, system.seats, state.q[None]):
            warn(f"{self.caller}: {told}")

    def of_moment(self, run: Run, k: int) -> TreePoint:
        system, stored, record = self._system, run.trajectory, run.trajectory.floating
        if record is None or tuple(record.coordinates) != system.tree.coordinates:
            raise SolveError(f"{self.caller}: the run given as about is not one in the same floating frames")
        begin = system.start(float(stored.time[k]))
        inner = stored.history.inner[k].copy() if system.compiled.n_inner else None
        state = system.seen(begin._replace(q=record.q[k].copy(), v=record.v[k].copy(), inner=inner), stored, k)
        self._tell_far(system, state)
        point = TreePoint(system, system.accelerated(state), MOMENT)
        if not system.constraints.present or _rests(point):
            return point
        loops = system.holonomic.all()
        words = "closed loops" if loops else "what rolls or slides"
        what = f"in floating frames, {words} can be linearised about a moment of a steady motion only"
        instead = "pass formulation='galilean' here and to simulate" if loops else "pass about= a moment without that"
        return _steady(TreePoint(system, point.state, MOTION), self.caller, what, instead)


def _rests(point: TreePoint) -> bool:
    """Whether velocities are too small to matter beside the vibrations about the state: a run that has settled."""
    system, state = point.system, point.state
    if not np.any(state.v):
        return True
    stiffness = point.matrices().stiffness.toarray() * np.outer(point.unit, point.unit)
    speed = float(np.max(np.abs(state.v) * system.sizes(state.q)))
    return speed <= _AT_REST * float(np.sqrt(np.max(np.abs(stiffness))))


def _demand_unspun(system: TreeSystem, state: TreeState, caller: str) -> None:
    """Raise where small motions would be counted from a body that spins in a ball joint or freely: they mean others.

    Nodes tell whether everything turns along with it, as around a bend. Modal bodies have no nodes of their own.
    """
    spinning = []
    for k, link in enumerate(system.data.links):
        loose = link.kind in (layout.FREE, layout.SPHERICAL) and not link.is_fluid
        if loose and np.any(state.v[link.freedoms[-3:]]):
            spinning.append(k)
    if not spinning or system.reference.skeleton.modal:
        return
    flow = described_motion(system.model, state.t, caller).flow
    assert flow is not None
    largest = _AT_REST * float(np.abs(state.v).max())
    for name, node in system.compiled.bodies.items():
        if system.data.carrier[name] in spinning and np.abs(flow.spins[node, 3:]).max() > largest:
            raise SolveError(
                f"{caller}: body {name!r} spins about an axis of its own in a joint that lets it turn freely, and in "
                "floating frames small motions would be counted from axes that spin with it; leave out formulation=, "
                "or let it turn in a Revolute"
            )


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
    then = system.accelerated(moved)
    demand(then, f" after {later:.3g} s")
    here, there = found.matrices(), point.at(then._replace(a=np.zeros(system.n))).matrices()
    scale = np.outer(point.unit, point.unit)
    inertia = float(np.max(np.abs(here.mass.toarray() * scale)))
    rate = max(fast, np.sqrt(float(np.max(np.abs(here.stiffness.toarray() * scale))) / inertia))
    for word, power in (("mass", 0), ("damping", 1), ("stiffness", 2)):
        apart = np.abs((getattr(here, word) - getattr(there, word)).toarray() * scale)
        if np.max(apart) > 1e-6 * inertia * rate**power:
            raise changing(caller, word, later)
    system.load(state.t)
    return found
