"""Events of runs in floating frames."""

from __future__ import annotations

import numpy as np

from cosserat.results.mechanism import mechanism_of
from cosserat.results.reference import Reference
from cosserat.results.run import Run
from cosserat.solve.floating.moment import TreeMoment
from cosserat.solve.floating.results import FloatingResults
from cosserat.solve.floating.state import Instant
from cosserat.solve.floating.walk import FloatingWalk
from cosserat.solve.motion.events import Event, Watch


def watching(walk: FloatingWalk, events: tuple[Event, ...], reference: Reference) -> Watch:
    """What looks after events of a walk."""
    engine = walk.stepper.engine

    def snapshot(now: Instant) -> Run:
        """A state as a run of one moment, whose results are found when they are asked for."""
        phases = () if walk.phases is None else walk.phases.now
        return Run(FloatingResults(engine, reference, np.array([now.t]), now.stored, phases=phases).trajectory())

    moment = TreeMoment(engine, mechanism_of(reference.compiled), snapshot)

    def look(t: float) -> TreeMoment:
        now = walk.now._replace(t=t)
        moment.begin(t, now.q, now.v, lambda: now)
        return moment

    return Watch(walk, events, look)
