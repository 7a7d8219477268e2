"""Events of a run: times at which a function of the state crosses zero, found inside the step that crosses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from cosserat.calls import answering
from cosserat.errors import SolveError, shown
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.results.moment import Moment
from cosserat.solve.arguments import check_call, check_flag
from cosserat.solve.memory import demand_like
from cosserat.solve.motion.switching import switched
from cosserat.solve.motion.walk import UNSTORED, StepFailure, Walk

_SHARP = 1e-12  # of the step: how exactly the time of an event is found in it
_SHORTEST = 1e-6  # of the longest of these steps: parts taken to find it; shorter ones are straight lines
_AT_ONCE = 1e-9  # of the step: what happens so early does at its start
_ARMED = 1e-300
_HALVINGS = 30  # in search of a time between two events of one kind
_PASSES = (10, 12)  # halvings of the step, at which a function that goes on after its event is compared
_AT_A_SPEED = 8.0  # ratio of its values there: 4 at a speed, 16 from rest
MOST_IN_A_STEP = 50
_SIGNS = {"both": (-1.0, 1.0), "rising": (1.0,), "falling": (-1.0,)}


@answering
class Event:
    """Something that happens when a function of the state crosses zero: ``simulate(..., events=[Event(...)])``.

    Its time is found inside the step in which the sign changes, by taking parts of that step, so that it is as exact as
    the steps are. A function that crosses zero twice within one step goes unnoticed.

    Parameters
    ----------
    name : str
    when : callable
        ``when(t, state)`` gives a number; `state` is asked as a controller asks it, ``state.position("ball")[-1, 2]``.
    direction : "both", "rising" or "falling"
        Which changes of sign count.
    then : callable, optional
        ``then(t, state)`` gives impulses that act at that moment, by place: three numbers (N s, world axes), or six
        with a moment behind (N m s). Velocities jump as joints allow it, and the run goes on. None: nothing happens.
        Needs a direction.
    release, engage : joint, spring, name of one, or several of them
        Joints, springs, dampers and tendons that open, and that close, at that moment; impulses of `then` act without
        the former and with the latter. A joint that closes must fit where its bodies are, and velocities become those
        that it allows, as in a plastic impact. Such an event does not happen where all is as it wants it already.
    stop : bool
        End the run there, with a status that is ok and the state at that time stored last. Another run may go on from
        it with ``start=run``, of a model with other joints among them. Otherwise the event is noted in ``run.events``.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("fall", gravity=(0, 0, -9.81))
    >>> ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0, com=(0, 0, 1.0)))
    >>> lands = cs.Event("lands", lambda t, state: state.position("ball")[-1, 2] - 0.1, stop=True)
    >>> run = cs.simulate(model, 1.0, 0.03, events=[lands])
    >>> [(name, round(t, 6)) for name, t in run.events], round(float(run.time[-1]), 6)
    ([('lands', 0.428353)], 0.428353)
    """

    def __init__(
        self, name: str, when: Callable[[float, Any], float], then: Callable[[float, Any], Any] | None = None, *,
        direction: str = "both", stop: bool = False, release: Any = (), engage: Any = (),
    ) -> None:  # fmt: skip
        if not isinstance(name, str) or not name:
            raise SolveError(f"Event: name is {shown(name)}; pass a text")
        if not callable(when):
            raise SolveError(f"Event {name!r}: when is {shown(when)}; pass a function of a time and a state")
        if direction not in _SIGNS:
            raise SolveError(f"Event {name!r}: direction is {shown(direction)}; pass 'both', 'rising' or 'falling'")
        check_flag(stop, f"Event {name!r}", "stop")
        check_call(then, f"Event {name!r}", "then", "of a time and a state")
        if then is not None and (stop or direction == "both"):
            raise SolveError(
                f"Event {name!r}: with then= it does not stop the run, and direction is 'rising' or 'falling', so that "
                "what happens at once after it is told from the next time"
            )
        self.name, self.when, self.then, self.direction, self.stop = name, when, then, direction, bool(stop)
        self.release, self.engage = switched("release", release, name), switched("engage", engage, name)
        for joint in set(self.release) & set(self.engage):
            raise SolveError(f"Event {name!r}: it both releases and engages {joint!r}; do one of the two")
        if stop and self.switches:
            raise SolveError(f"Event {name!r}: with stop=True the run ends there; leave out release and engage")

    def __repr__(self) -> str:
        words = {word: getattr(self, word) for word in ("release", "engage") if getattr(self, word)}
        switched = "".join(f", {word}={names!r}" for word, names in words.items())
        return f"Event({self.name!r}, direction={self.direction!r}, stop={self.stop}{switched})"

    @property
    def switches(self) -> bool:
        """Whether it releases or engages joints."""
        return bool(self.release or self.engage)

    @property
    def acts(self) -> bool:
        """Whether it changes something, or ends the run."""
        return self.stop or self.switches or self.then is not None

    def opened(self, open: frozenset[str]) -> frozenset[str]:
        """Joints that are open after it, where these are before."""
        return (open | set(self.release)) - set(self.engage)

    def value(self, t: float, state: Moment) -> float:
        """Its function, as a number."""
        given = self.when(t, state)
        found = checks.floats(given)
        if found.size != 1 or not np.isfinite(found).all():
            raise SolveError(
                f"Event {self.name!r}: at {t:.6g} s it gives {shown(given)}; it must give one finite number"
            )
        return float(found.reshape(()))

    def impulses(self, t: float, state: Moment) -> dict[Any, Array]:
        """What acts at that moment: by place, six numbers in world axes."""
        given = None if self.then is None else self.then(t, state)
        if given is None:
            return {}
        found: dict[Any, Array] = {}
        if not isinstance(given, Mapping):
            raise SolveError(
                f"Event {self.name!r}: then gives {shown(given)}; give a dict of impulses by place, or None"
            )
        for place, values in given.items():
            impulse = np.asarray(values, dtype=float).ravel()
            if len(impulse) not in (3, 6) or not np.isfinite(impulse).all():
                raise SolveError(
                    f"Event {self.name!r}: the impulse at {shown(place)} is {shown(values)}; give three numbers (N s), "
                    "or six with a moment"
                )
            found[place] = np.concatenate((impulse, np.zeros(6 - len(impulse))))
        return found

    @property
    def armed(self) -> float:
        """A value on the side from which it happens next."""
        return _ARMED if self.direction == "falling" else -_ARMED

    def crosses(self, before: float, after: float) -> bool:
        """Whether a change from one value to another is one that counts."""
        return before != 0.0 and before * after <= 0.0 and float(np.sign(after - before)) in _SIGNS[self.direction]


def checked(events: Any) -> tuple[Event, ...]:
    """Events as they were passed, each with a name of its own."""
    listed = (events,) if isinstance(events, Event) else tuple(events) if isinstance(events, Iterable) else None
    if listed is None or not all(isinstance(event, Event) for event in listed):
        raise SolveError(f"simulate: events is {shown(events)}; pass a list of Event")
    names = [event.name for event in listed]
    for name in names:
        if names.count(name) > 1:
            raise SolveError(f"simulate: two events have the name {name!r}; give each its own")
    return listed


class Crossing(NamedTuple):
    """Events that happen at one time in a step, and after which share of it."""

    share: float
    events: tuple[Event, ...]

    @property
    def stops(self) -> str:
        """Name of one that ends the run, empty if there is none."""
        return next((event.name for event in self.events if event.stop), "")


class Watch:
    """Looks after events while a walk takes steps.

    Parameters
    ----------
    walk : Walk
    events : tuple of Event
    moment : Moment
        Shows the state of the walk.

    Attributes
    ----------
    found : list of (name, time)
    """

    def __init__(self, walk: Walk, events: tuple[Event, ...], moment: Moment) -> None:
        self._walk, self._events, self._moment = walk, events, moment
        self.found: list[tuple[str, float]] = []
        self._before: tuple[Any, list[float]] | None = None  # the state before a step, and values there
        self._longest = 0.0  # of the steps in which something happened (s)
        self._fresh: list[int] = []  # events that happened at the start of the step, or could not before it

    def _look(self, t: float) -> Moment:
        self._moment.begin(t, *self._walk.where())
        return self._moment

    def _values(self, t: float) -> list[float]:
        state = self._look(t)
        return [0.0 if self._idle(event) else event.value(t, state) for event in self._events]

    def begin(self, t: float) -> None:
        """A step begins at time t."""
        values = self._values(t) if self._before is None else self._before[1]
        self._before = self._walk.saved(), values

    def stops(self, t: float, h: float) -> Crossing | None:
        """What happened in the step from t to t + h, which was taken: the first that ends the run or changes something,
        and what happens with it, with the state before the step. All before it are noted. Raises `StepFailure`, in the
        state before the step, where parts of it fail.
        """
        assert self._before is not None
        (before, old), new = self._before, self._values(t + h)
        self._before = before, new
        crossed = [k for k, event in enumerate(self._events) if event.crosses(old[k], new[k])]
        if not crossed:
            self._fresh = []
            return None
        after, split = self._walk.saved(), self._walk.tally.halved
        self._longest = max(self._longest, h)
        try:
            found = [(self._share(k, t, h, before, old[k], new[k]), self._events[k]) for k in crossed]
        except StepFailure:
            self._walk.load(before)
            raise
        finally:
            self._walk.tally.halved = split  # parts that were tried do not count
        self._fresh = []
        shares = sorted(((share, event) for share, event in found if share is not None), key=lambda pair: pair[0])
        first = next((share for share, event in shares if event.acts), np.inf)
        self.found += [(event.name, t + share * h) for share, event in shares if share < first]
        if first < np.inf:
            self._walk.load(before)
            return Crossing(first, tuple(event for share, event in shares if 0.0 <= share - first <= _AT_ONCE))
        self._walk.load(after, goes_on=True)
        return None

    def _idle(self, event: Event) -> bool:
        """Whether its joints are already as it wants them: it cannot happen, and its value counts as zero."""
        phases = self._walk.phases
        return event.switches and phases is not None and event.opened(phases.open) == phases.open

    def _share(self, k: int, t: float, h: float, before: Any, old: float, new: float) -> float | None:
        """The share of a step after which a function is zero; None: it has just been, and goes on from there."""
        if new == 0.0:
            return 1.0
        from scipy.optimize import brentq  # most runs do without

        known, low = {0.0: old, 1.0: new}, 0.0
        shortest = min(0.25, _SHORTEST * self._longest / h)  # in what is left of a step, too
        early = max(0.5 ** _PASSES[0], 4.0 * shortest)

        def value(share: float) -> float:
            if 0.0 < share < shortest:
                return old + share / shortest * (value(shortest) - old)
            if share not in known:
                self._walk.load(before)
                failure = self.part(t, share * h)
                if failure is not None:
                    raise failure
                known[share] = self._events[k].value(t + share * h, self._look(t + share * h))
            return known[share]

        if abs(old) == _ARMED:  # it happened at the start of the step: the next time is after it has left
            low = next((0.5**i for i in range(1, _HALVINGS) if value(0.5**i) * new < 0.0), 0.0)
            if low == 0.0:  # it never turned back: its impulse let it pass, at a speed, or held it
                return None if value(early) / value(0.25 * early) < _AT_A_SPEED else 0.0
        elif k in self._fresh:  # its first value may be a rounding error beside zero
            low = next((0.5**i for i in range(1, _PASSES[1] + 1) if value(0.5**i) * new < 0.0), 0.0)
            if low == 0.0:
                return None
        found = float(brentq(value, low, 1.0, xtol=_SHARP, rtol=1e-15))
        return found if found > _AT_ONCE else 0.0

    def react(self, events: tuple[Event, ...], t: float, h: float) -> None:
        """Note events, and let them act together at time t, in the present state; steps of about length h follow."""
        state, phases, impulses = self._look(t), self._walk.phases, dict[Any, Array]()
        asleep = [self._idle(event) for event in self._events]
        open = known = None if phases is None else phases.open
        for event in events:
            if open is not None and event.switches:
                if event.opened(open) == open:
                    continue
                open = event.opened(open)
            self.found.append((event.name, t))
            for place, impulse in event.impulses(t, state).items():
                impulses[place] = impulses.get(place, 0.0) + impulse
        if impulses or open != known:
            self._walk.jolt(t, h, self._look(t), impulses, open if open != known else None)
        values = self._values(t)
        for event in events:
            if event.then is not None and not event.switches:
                values[self._events.index(event)] = event.armed
        self._fresh = [k for k, event in enumerate(self._events) if asleep[k] or event in events]
        self._before = None, values

    def keepsake(self) -> dict[str, Any]:
        """What was found, and values at the present state, for `resume`."""
        values = None if self._before is None else self._before[1]
        return {"found": self.found, "values": values, "fresh": self._fresh, "longest": self._longest}

    def resume(self, kept: dict[str, Any]) -> None:
        """Become what gave a keepsake."""
        names, values = [event.name for event in self._events], kept["values"]
        if not all(name in names and isinstance(t, float) for name, t in kept["found"]):
            raise ValueError("events that there are not")
        if values is not None:
            demand_like(values, [0.0] * len(names))
        self.found, self._before = kept["found"], None if values is None else (None, values)
        self._fresh = [k for k in kept.get("fresh", []) if k in range(len(names))]
        self._longest = float(kept.get("longest", 0.0))

    def part(self, t: float, h: float) -> StepFailure | None:
        """Take a part of a step, of length h, with what it leaves out of the impulses of loads where steps adapt."""
        walk = self._walk
        failure = walk.advance(t, h, 1, UNSTORED, 0)
        if failure is not None:
            failure = walk.split(t, h, failure)
        missed = None if failure is not None else walk.impulses.missed(t, h)
        if missed is not None:
            walk.make_up(missed, t, h)
        return failure
