"""Steps of a `Method` in floating frames."""

from __future__ import annotations

import numpy as np

from cosserat.lie.protocol import Array
from cosserat.results.status import Outcome
from cosserat.solve.floating.model import FloatingModel
from cosserat.solve.floating.state import Advance, Instant
from cosserat.solve.floating.walk import FloatingWalk
from cosserat.solve.motion.impulses import SIMPSON
from cosserat.solve.motion.method import Method, MotionState, MotionSystem
from cosserat.solve.motion.walk import StepFailure


class TreeMotionSystem(MotionSystem):
    """A tree as a `Method` sees it: configurations are its coordinates."""

    def __init__(self, walk: FloatingWalk) -> None:
        self._walk = walk

    def acceleration(self, state: MotionState) -> Array:
        n = len(state.place)
        q, v, a = state.place.copy(), state.v[:n].copy(), np.zeros(n)
        self._walk.drives.impose(state.t, q, v, a)
        found = self._walk.engine.accelerations(
            state.t, q, v, a, state.angles, state.v[n:], self.load_time(state.t)
        )  # fmt: skip
        return np.concatenate((found[0], found[3]))

    def moved(self, state: MotionState, dt: float, x: Array, dv: Array) -> MotionState:
        place = self._walk.tree.moved(state.place, np.asarray(x[: len(state.place)], dtype=float))
        return state._replace(t=state.t + dt, place=place, v=state.v + dv)

    def closed(self, state: MotionState) -> MotionState:
        walk, (t, q, v, angles) = self._walk, state
        q, v, inner = q.copy(), v[: len(q)].copy(), v[len(q) :]
        walk.drives.impose(t, q, v, np.zeros(len(v)))
        if walk.constraints.present:
            q, v = walk.engine.projected(t, q, v, angles)
        return state._replace(place=q, v=np.concatenate((v, inner)))


class Outside(FloatingWalk):
    """Steps of a method that the user brings."""

    rule = SIMPSON
    remedy = "a method of one's own may need steps that resolve every vibration"

    def __init__(self, floating: FloatingModel, method: Method) -> None:
        super().__init__(floating)
        self.method, self.order, self._system = method, method.order, TreeMotionSystem(self)

    def course(self, old: Instant, t: float, h: float, n: int, every: int, phase: int) -> Advance:
        """One step, others follow."""
        try:
            end = self._system.take(
                self.method, MotionState(t, old.q, np.concatenate((old.v, old.inner[0])), old.angles), h
            )
            now = self.start(end.t, end.place, end.v[: len(old.v)], end.angles, end.v[len(old.v) :])
        except StepFailure as failure:
            return Advance(old, 0, None, failure)
        return Advance(now, 1, None if (phase + 1) % every else now.stored, None)

    def errors(self, old: Instant, new: Instant) -> tuple[Array, Array]:
        """Not estimated: a method of one's own takes equal steps."""
        raise StepFailure(Outcome.STEP_TOO_SMALL)
