"""Steps in which events happen: parts of them up to each that changes something, and what is left after it."""

from __future__ import annotations

from cosserat.errors import CosseratError
from cosserat.results.status import Outcome, Status, StopRun
from cosserat.solve.motion.events import MOST_IN_A_STEP
from cosserat.solve.motion.switching import Misfit
from cosserat.solve.motion.walk import MOST_HALVINGS, UNSTORED, StepFailure, Walk

ROUNDED = 1e-9  # of a step: what is left of it at its end


class Ended(Exception):
    """The run ends before its time; at an event, the state at which is stored last: for it, or before (`known`)."""

    def __init__(self, status: Status, at_event: bool = False, known: bool = False) -> None:
        super().__init__()
        self.status, self.at_event, self.known = status, at_event, known


def status_of(what: str, error: Exception, t: float) -> Status:
    """How a run ends at time t with what a function of the user raised."""
    if isinstance(error, StopRun):
        return Status(Outcome.OK, t, str(error) or f"ended by the {what}")
    return Status(Outcome.CALL_FAILED, t, f"{what}: {type(error).__name__}: {error}", cause=error)


def given_up(walk: Walk, failure: StepFailure, t: float, h: float) -> Status:
    """How a run ends at time t with a step of length h that failed."""
    return Status(failure.outcome, t, failure.detail or walk.remedy or f"step cut to {h:.3g} s")


def watch_step(walk: Walk, t: float, h: float, stored: bool, known: bool) -> tuple[float, bool]:
    """Look after events in the step from t to t + h, which was taken, up to the first that changes something.

    Gives the time reached and whether there was one; the state there is stored then. One that stops the run ends it.
    `stored`: the state after the step was stored; `known`: that before it, too, in whose place one after an event at
    once comes.
    """
    crossing, began = None, known
    try:
        crossing = walk.watch.stops(t, h)
        if crossing is None:
            return t + h, False
        if stored:
            walk.drop()
        part, known = crossing.share * h, known and crossing.share == 0.0
        failure = walk.watch.part(t, part) if part > 0.0 else None
        if failure is not None:
            raise failure
        walk.watch.react(crossing.events, t + part, h)
    except StepFailure as failure:  # the state is that before the step
        if stored and crossing is None:
            walk.drop()
        if not began:
            walk.store()
        raise Ended(given_up(walk, failure, t, h / 2**MOST_HALVINGS), at_event=True, known=began) from None
    except Misfit as misfit:
        if not known:
            walk.store()
        told = f"event {walk.watch.found[-1][0]!r}: {misfit}"
        raise Ended(Status(Outcome.MISFIT, t + part, told), at_event=True, known=known) from None
    except (CosseratError, Ended):
        raise
    except Exception as error:
        raise Ended(status_of("event", error, t)) from error
    if known:
        walk.drop()
    walk.store()
    if crossing.stops:
        raise Ended(Status(Outcome.OK, t + part, f"stopped by event {crossing.stops!r}"), at_event=True, known=known)
    return t + part, True


def watched_step(walk: Walk, t: float, h: float, stored: bool, known: bool, times_out: list[float]) -> None:
    """Look after events in the step from t to t + h, which was taken, and take the rest of it after each that changes
    something; times of states that are stored besides those at its ends are added. The rest: as for `watch_step`.
    """
    end, dropped, count = t + h, False, 0
    while True:
        begun, (t, acted) = t, watch_step(walk, t, end - t, stored and not dropped, known)
        if not acted:
            break
        dropped, count, left = True, count + 1, end - t
        at_end = left <= ROUNDED * h
        walk.start_again(t, h if at_end else left)
        if not (at_end and stored) and not (known and t == begun):
            times_out.append(t)
        known = True
        if at_end:
            return
        if count > MOST_IN_A_STEP:
            raise Ended(hurried(walk, t))
        walk.watch.begin(t)
        failure = walk.advance(t, end - t, 1, UNSTORED, 0)
        if failure is not None:
            failure = walk.split(t, end - t, failure)
        if failure is not None:
            raise Ended(given_up(walk, failure, t, (end - t) / 2**MOST_HALVINGS))
    if dropped:
        if stored:
            walk.store()
        walk.start_again(end, h)


def hurried(walk: Walk, t: float) -> Status:
    """The run ends, as an event happens ever faster."""
    told = f"event {walk.watch.found[-1][0]!r} happens ever faster: let it stop the run, or act otherwise"
    return Status(Outcome.STEP_TOO_SMALL, t, told)
