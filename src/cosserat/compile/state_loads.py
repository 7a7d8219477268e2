"""Arrays of loads that depend on the state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from cosserat.compile.compiled import CompiledModel, frame_to_row, row_to_frame
from cosserat.compile.joints import ints, ranges
from cosserat.compile.media import failing_medium
from cosserat.compile.rules import failing_rule
from cosserat.compile.skeleton import Parts
from cosserat.compile.state_laws import CompiledLaw
from cosserat.kernels.arrays import StateLoads
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.functions import Sampled, TimeFunction
from cosserat.model.model import Model

_FAINT = 0.1  # of what acts most strongly
_LOOKS = 33  # between two stored states
_LOST = 1e6  # rad or m in a step: a motion that has been lost before


class Signal(NamedTuple):
    """An input of a law: its name, load.signal; numbers of the load, of the number that it sets, and of its column."""

    name: str
    load: int
    place: int
    column: int
    function: TimeFunction

    @property
    def offered(self) -> bool:
        """Whether controllers and linear models may set it: not what follows from the model itself."""
        return not isinstance(self.function, Sampled)


def signals_of(model: Model) -> list[Signal]:
    """Inputs of laws; those that follow one function share a column."""
    columns: dict[Any, int] = {}
    found = []
    for k, load in enumerate(model.state_loads):
        names = load.names
        for name, function in load.signals.items():
            key = function.key if isinstance(function, Sampled) else (k, name)
            column = columns.setdefault(key, len(columns))
            found.append(Signal(f"{load.name}.{name}", k, names.index(name), column, function))
    return found


def signal_functions(signals: list[Signal]) -> list[TimeFunction]:
    """Their functions by column."""
    found = {signal.column: signal.function for signal in reversed(signals)}
    return [found[k] for k in range(len(found))]


def law_fields(laws: Sequence[CompiledLaw], length: float) -> dict[str, Any]:
    """What arrays of laws have, whatever carries their places; `length`: over which they may change."""
    numbers = [law.numbers for law in laws]
    return {
        "first": ranges([law.load.places for law in laws]), "acts": ints([law.load.acts_on for law in laws]),
        "length": np.full(len(laws), length), "start": ranges(numbers),
        "parameter": np.concatenate([np.zeros(0), *numbers]), "inner": ranges([law.load.states for law in laws]),
    }  # fmt: skip


def state_load_arrays(parts: Parts) -> StateLoads:
    """Arrays of the loads of a model; their signals have the columns of the sampled efforts behind those of joints."""
    loads, fields = [law.load for law in parts.laws], law_fields(parts.laws, parts.size)
    seats = [[parts.skeleton.attach(place) for place in load.places] for load in loads]
    blocks = [[parts.block(a.node, b.node) for a in line for b in line] for line in seats]
    start = fields["start"]
    signals = [(start[x.load] + x.place, len(parts.efforts) + x.column) for x in signals_of(parts.model)]
    return StateLoads(
        **fields,
        node=ints([seat.node for line in seats for seat in line]),
        frame=np.array([frame_to_row(seat.frame) for line in seats for seat in line]).reshape(-1, 12),
        stored=ints([int(load.has_energy) for load in loads]),
        signal=ints(signals, 2),
        carried=ints([(k, row, start[k] + len(loads[k].values)) for k, row in parts.carried.items()], 3),
        corner=ranges(blocks),
        block=ints([number for line in blocks for number in line]),
    )


def state_wrenches(
    compiled: CompiledModel,
    times: Array,
    frames: Array,
    twists: Array,
    inner: Array | None = None,
    effort: Array | None = None,
) -> Array:
    """Wrenches and energies (nt, np, 7) of all such loads in their places, one after another.

    For frames (nt, n+1, 12) and twists (nt, n+1, 6). `inner` (nt, ny) are the states of laws; without them the laws are
    taken at their first states. `effort` (nt, n) are the sampled efforts with the signals of laws; without them those
    of the model.
    """
    arrays = compiled.system.state_loads
    if effort is None and len(arrays.signal):
        effort = compiled.sampler.sample(np.asarray(times, dtype=float)).effort
    if inner is None or inner.shape != (len(times), compiled.n_inner):
        inner = np.repeat(compiled.first_states()[:1], len(times), axis=0)
    out = np.zeros((len(times), len(arrays.node), 7))
    for k, law in enumerate(compiled.laws):
        placed, moving = motions_of(compiled, k, frames, twists)
        first, m = arrays.first[k], arrays.acts[k]
        own = slice(arrays.inner[k], arrays.inner[k + 1])
        for i, t in enumerate(times):
            numbers = numbers_of(compiled, k, None if effort is None else effort[i])
            found = law.answer(t, placed[i], moving[i], inner[i, own], numbers)
            out[i, first : first + m, :6] = found[: 6 * m].reshape(m, 6)
            if law.load.has_energy:
                out[i, first, 6] = found[6 * m]
    return out


def numbers_of(compiled: CompiledModel, k: int, effort: Array | None) -> Array:
    """What a law takes besides its states, its signals as the sampled efforts (n,) have them."""
    arrays, numbers = compiled.system.state_loads, compiled.laws[k].numbers
    if effort is not None:
        for at, column in arrays.signal:
            if arrays.start[k] <= at < arrays.start[k + 1]:
                numbers[at - arrays.start[k]] = effort[column]
    return numbers


def carried_inertias(compiled: CompiledModel, times: Array, frames: Array, twists: Array) -> Array:
    """Inertias A of laws that change with the frame, of their nodes, and v.A'v/2 (nt, nc, 37); arguments as above."""
    arrays = compiled.system.state_loads
    out = np.zeros((len(times), len(arrays.carried), 37))
    for c, (k, _, _) in enumerate(arrays.carried):
        law, (placed, moving) = compiled.laws[k], motions_of(compiled, k, frames, twists)
        carry = se3.adjoint(se3.inverse(row_to_frame(arrays.frame[arrays.first[k]])))
        A, out[:, c, 36] = law.inertia_over(times, placed[:, 0], moving[:, 0])
        out[:, c, :36] = (carry.T @ A @ carry).reshape(-1, 36)
    return out


def motions_of(compiled: CompiledModel, k: int, frames: Array, twists: Array) -> tuple[Array, Array]:
    """Frames (nt, n, 4, 4) and twists (nt, n, 6) of the places of law k."""
    arrays = compiled.system.state_loads
    here = slice(arrays.first[k], arrays.first[k + 1])
    nodes, places = arrays.node[here], [row_to_frame(row) for row in arrays.frame[here]]
    H = np.zeros((len(frames), len(nodes), 4, 4))
    H[..., :3, :3], H[..., :3, 3] = frames[:, nodes, :9].reshape(-1, len(nodes), 3, 3), frames[:, nodes, 9:]
    H[..., 3, 3] = 1.0
    carry = np.array([se3.adjoint(se3.inverse(place)) for place in places])
    return H @ np.array(places), np.einsum("nij,tnj->tni", carry, twists[:, nodes])


def failing_balance(compiled: CompiledModel, t: float, frames: Array, twists: Array) -> str:
    """As `failing_law` at one state (n+1, 12), (n+1, 6), with states of laws that follow at once; or which cannot."""
    inner, arrays = compiled.first_states()[:1].copy(), compiled.system.state_loads
    for k, law in enumerate(compiled.laws):
        if law.n_states:
            placed, moving = motions_of(compiled, k, frames[None], twists[None])
            found, stuck = law.steady(t, placed[0], moving[0])
            if stuck:
                return (
                    f"{law.load.title}: its state {stuck!r} has no steady value, because its rate does not depend on "
                    "it; an equilibrium needs one: let the rate bring it back, as in (value - state)/lag"
                )
            inner[0, arrays.inner[k] : arrays.inner[k + 1]] = found
    return failing_law(compiled, np.array([t]), frames[None], twists[None], inner)


def cautions(compiled: CompiledModel, times: Array, frames: Array, twists: Array, inner: Array) -> list[str]:
    """What loads say of states at which their laws go beyond what they are meant for, each where it acts most.

    What hardly acts, such as a wing that trembles in calm air, is left out.
    """
    said: list[tuple[float, str]] = []
    strongest, arrays = 0.0, compiled.system.state_loads
    for k, law in enumerate(compiled.laws):
        if not law.load.cautious:
            continue
        placed, moving = motions_of(compiled, k, frames, twists)
        own = inner[:, arrays.inner[k] : arrays.inner[k + 1]]
        rows = zip(times, placed[:, 0], moving[:, 0], own, strict=True)
        told = [law.load.caution(float(t), *row) for t, *row in rows]
        strongest = max([strongest, *(strong for strong, _ in told)])
        said += sorted((x for x in told if x[1]), key=lambda x: -x[0])[:1]
    return [text for strong, text in said if strong > _FAINT * strongest]


def failing_law(compiled: CompiledModel, times: Array, frames: Array, twists: Array, inner: Array | None = None) -> str:
    """In words, a load, constraint or medium whose law fails, or gives no number, at one of these states; or "".

    States of later times are also looked at where their twists carry them since the first: a step may fail at a state
    that is never stored.
    """
    for i, t in enumerate(times):
        carried = _carried(frames[i], twists[i], float(t - times[0]))
        for frame in (frames[i], carried):
            states = None if inner is None else inner[i : i + 1]
            for title, known, wrench in _faults(compiled, float(t), frame, twists[i], states):
                if known:
                    return f"{title} {known}, at t = {t:g} s"
                shown = "raises an error" if np.isnan(wrench).all() else f"gives {wrench.tolist()}"
                return f"the law of {title} {shown} at t = {t:g} s"
            rule = failing_rule(compiled, float(t), frame, twists[i])
            if rule:
                return rule
            system = compiled.system
            beam = failing_medium(compiled.media, compiled.beams, system.elements, system.media, frame)
            if beam:
                return beam
    return ""


def _faults(
    compiled: CompiledModel, t: float, frames: Array, twists: Array, states: Array | None
) -> Iterator[tuple[str, str, Array]]:
    """Loads whose laws give no numbers at a state: titles, what they say of it in words, wrenches that are none."""
    arrays, inner = compiled.system.state_loads, compiled.first_states()[0] if states is None else states[0]
    found = state_wrenches(compiled, np.array([t]), frames[None], twists[None], states)[0]
    for k, law in enumerate(compiled.laws):
        wrong = [w for w in found[arrays.first[k] : arrays.first[k + 1]] if not np.all(np.isfinite(w))]
        if wrong:
            placed, moving = motions_of(compiled, k, frames[None], twists[None])
            there, twist = placed[0, 0], moving[0, 0]
            own = inner[arrays.inner[k] : arrays.inner[k + 1]]
            yield law.load.title, law.load.outside(t, there) or law.load.fault(t, there, twist, own), wrong[0][:6]


def leaving(compiled: CompiledModel, t: float, state: tuple[Array, ...], h: float) -> str:
    """In words, what is known of which load the motion leaves within a time h, where and when: a field, a table.

    The state, frames (n+1, 12), twists and their rates (n+1, 6) and the states of laws (ny,), goes on with its rates.
    """
    frames, twists, rates, inner = state
    rates = rates if np.isfinite(rates).all() else np.zeros_like(rates)

    def told(ahead: float) -> str:
        there = _carried(frames, twists + 0.5 * ahead * rates, ahead)
        found = _faults(compiled, t + ahead, there, twists + ahead * rates, inner[None])
        return next((f"{title} {known}; at t = {t + ahead:.6g} s" for title, known, _ in found if known), "")

    looks = h * np.linspace(0.0, 1.0, _LOOKS if h > 0.0 else 1)
    high = next((float(x) for x in looks if told(float(x))), None)
    if high is None:
        return ""
    low = max(0.0, high - h / _LOOKS * 1.1)
    while high - low > 1e-6 * h:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if told(middle) else (middle, high)
    return told(high)


def _carried(frames: Array, twists: Array, h: float) -> Array:
    """Frames (n+1, 12) after a time h along constant twists."""
    far = np.abs(h * twists).max(initial=0.0)
    if h == 0.0 or not (np.isfinite(frames).all() and far < _LOST):
        return frames
    moved = [row_to_frame(row) @ se3.exp(h * twist) for row, twist in zip(frames, twists, strict=True)]
    return np.array([frame_to_row(H) for H in moved])
