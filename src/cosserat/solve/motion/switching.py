"""Joints and springs that events release and engage while a run goes on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from cosserat.errors import SolveError, shown
from cosserat.lie.protocol import Array
from cosserat.model.forces import LineForce
from cosserat.model.joint import Joint
from cosserat.model.model import Model
from cosserat.model.validation import names_of
from cosserat.results.run import Run
from cosserat.results.trajectory import Phase

FITTING = 1e-3  # of the extent, or rad: gaps of joints that are closed when they are engaged
SIDE = 1e-9  # of the step: how far from an event its two sides are


class Misfit(Exception):
    """A joint that an event engages does not fit where its bodies are."""

    def __init__(self, title: str, gap: float, unit: str) -> None:
        super().__init__(f"{title} misses by {gap:.3g} {unit}")


class Phases:
    """Which joints and springs are open from when on.

    Parameters
    ----------
    open : collection of str
        At the start.
    events : iterable of Event
        Which may change it.
    """

    def __init__(self, open: Collection[str], events: Iterable[Any] = ()) -> None:
        self._log: list[tuple[float, frozenset[str]]] = [(-np.inf, frozenset(open))]
        self._switched = frozenset(open).union(*(event.release for event in events))

    @property
    def open(self) -> frozenset[str]:
        """Joints that are open now."""
        return self._log[-1][1]

    @property
    def now(self) -> tuple[Phase, ...]:
        """The present moment as a run of its own."""
        return (Phase(0, tuple(sorted(self.open))),)

    @property
    def switched(self) -> frozenset[str]:
        """Joints and springs that are open at some time, or may be."""
        return self._switched

    def keepsake(self) -> list[tuple[float, list[str]]]:
        """For `resume`."""
        return [(t, sorted(open)) for t, open in self._log]

    def resume(self, kept: Any) -> None:
        """Become what gave a keepsake."""
        if not all(isinstance(t, float) and set(open) <= self._switched for t, open in kept):
            raise ValueError("joints that are open")
        self._log = [(t, frozenset(open)) for t, open in kept]

    def turn(self, t: float, h: float, open: frozenset[str]) -> None:
        """From time t on, between steps of about length h, these are open."""
        self._log.append((t - 0.5 * SIDE * h, open))

    def at(self, t: float) -> frozenset[str]:
        """Joints that are open at a time, after what happens there."""
        return next(open for since, open in reversed(self._log) if since <= t)

    def of(self, times: Array) -> tuple[Phase, ...]:
        """Parts of a run that stored states at times."""
        out: list[Phase] = []
        for since, open in self._log:
            first = int(np.searchsorted(times, since))
            if out and out[-1].first == first:
                del out[-1]
            if first < len(times):
                out.append(Phase(first, tuple(sorted(open))))
        return tuple(out)


def switched(word: str, given: Any, event: str) -> tuple[str, ...]:
    """Names of joints and springs that an event releases or engages: given as text or as these, one or several."""
    single = isinstance(given, (str, Joint, LineForce))
    listed = (given,) if single else tuple(given) if isinstance(given, Iterable) else None
    names = [item.name if isinstance(item, (Joint, LineForce)) else item for item in listed or ()]
    if listed is None or not all(isinstance(name, str) for name in names):
        raise SolveError(f"Event {event!r}: {word} is {shown(given)}; pass names of joints or springs, or these")
    for name in names:
        if names.count(name) > 1:
            raise SolveError(f"Event {event!r}: {word} names {name!r} twice; name each once")
    return tuple(names)


def open_at_start(model: Model, start: Any) -> frozenset[str]:
    """What is open where a run begins: as the model has its joints, but as all was where a run ended."""
    began = {joint.name for joint in model.all_joints if joint.open}
    before = start.trajectory.phases if isinstance(start, Run) else ()
    if not before:
        return frozenset(began)
    known = {joint.name for joint in start.trajectory.model.all_joints}
    kept = {item.name for item in (*model.all_joints, *model.springs) if item.name in before[-1].open}
    return frozenset(kept | (began - known))


def phases_of(model: Model, start: Any, events: Collection[Any]) -> Phases | None:
    """Which joints of a model are open in a run, None: none ever is; raises for events that cannot be."""
    open = open_at_start(model, start)
    if not open and not any(event.switches for event in events):
        return None
    items: tuple[Joint | LineForce, ...] = (*model.all_joints, *model.springs)
    known = {item.name: item for item in items}
    goes_on = isinstance(start, Run)  # in which these events may have acted
    released, engaged = ({name for e in events for name in getattr(e, word)} for word in ("release", "engage"))
    for event in events:
        for word, other, state in (("release", engaged, open), ("engage", released, known.keys() - open)):
            for name in getattr(event, word):
                _demand_known(event, word, name, known)
                if name in state and name not in other and not goes_on:
                    now, back = ("open", "engages") if word == "release" else ("closed", "releases")
                    raise SolveError(
                        f"Event {event.name!r}: {word} names {known[name].title}, which is {now} from the start, and "
                        f"no event {back} it"
                    )
    for name in sorted(open | released | engaged):
        item = known[name]
        if isinstance(item, Joint):
            _demand_plain(item)
    return Phases(open, events)


def _demand_known(event: Any, word: str, name: str, known: Mapping[str, Any]) -> None:
    if name not in known:
        raise SolveError(
            f"Event {event.name!r}: {word} names {name!r}, which is no joint or spring of the model; there are "
            f"{names_of(known.values())}"
        )


def _demand_plain(joint: Joint) -> None:
    for word, given in (("armature", any(joint.armature)), ("potential", joint.potential is not None)):
        if given:
            raise SolveError(
                f"simulate: {joint.title} has {'an' if word == 'armature' else 'a'} {word}, and joints that are open, "
                "released or engaged take none: give it to a joint beside, or use a spring"
            )
