"""Arrays of what rolls, and constraints that users write: their laws compiled, their rows where results need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cosserat.compile.compiled import CompiledModel, frame_to_row
from cosserat.compile.joints import ints, ranges
from cosserat.compile.skeleton import Parts
from cosserat.compile.state_laws import probe, refused, switched
from cosserat.errors import CosseratError
from cosserat.kernels.arrays import RollingArrays, Rules
from cosserat.kernels.frames import load_frame
from cosserat.kernels.pairs import relative_frame, relative_twist
from cosserat.kernels.rule_laws import BRIEF, MOST, slopes, stencil
from cosserat.kernels.state_loads import compile_values
from cosserat.kernels.touching import DISC, EDGE, RULE
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model.breaks import jumps_of, reads_time
from cosserat.model.model import Model
from cosserat.model.places import GROUND
from cosserat.model.rolling import Constraint, KnifeEdge, Rolling, RollingDisc

_STEP = 1e-3  # of differences, in radians and extents of the mechanism
_ROUNDING = 1e-15
_LOOKS, _LEAST = 257, 1e-6  # times at which jumps of positions are looked for; of the values: what is no rounding
_NEAR = 1e-8  # of a duration: how far apart values tell a slope
_SIDES = ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))


@dataclass(frozen=True)
class CompiledRule:
    """The law of a constraint as a unit of compiled code."""

    item: Constraint
    law: Any
    breaks: list[float] = field(default_factory=list, compare=False)  # where it is not smooth, as far as it is known

    @property
    def numbers(self) -> Array:
        """Present values of the parameters; at least one number."""
        return np.array(self.item.values or (0.0,))

    def answer(self, t: float, frame: Array, twist: Array) -> Array:
        """What the law gives (m,) at a relative motion; not a number where it fails."""
        out = np.zeros(6)
        code = self.law(float(t), np.array([frame]), np.array([twist]), self.numbers, out)
        return out[: len(self.item.held)] if code == 0 else np.full(len(self.item.held), np.nan)

    def rows(self, t: float, frame: Array, twist: Array, size: float) -> tuple[Array, Array, Array]:
        """Rows (m, 6) on the twist of the place, values (m,) that are held, rates (m,)."""
        now = self.answer(t, frame, twist)
        if self.item.level == "velocity":
            rest = self.answer(t, frame, np.zeros(6))
            return np.array([self.answer(t, frame, unit) - rest for unit in np.eye(6)]).T, np.zeros(len(now)), now
        A = np.zeros((len(now), 6))
        for k, step in enumerate(_STEP * np.array([size, 1.0]).repeat(3)):
            for side, weight in _SIDES:
                moved = frame @ se3.exp(side * step * np.eye(6)[k])
                A[:, k] += weight / step * self.answer(t, moved, twist)
        step, first = stencil(break_array((self,)), t, _STEP)
        given = [self.answer(t + (first + k) * step, frame, twist) for k in range(5)]
        return A, now, A @ twist + np.array([slopes(first, step, tuple(row))[1] for row in np.transpose(given)])

    def look(self, start: float, end: float) -> None:
        """Find out where the law is not smooth between two times: what it compares time with, and where slopes of its
        values jump, or those themselves if it is one of velocities.
        """
        law = self.item.law
        if not reads_time(law):
            return
        frame, twist = probe(self.item.frame(), 0.01)
        numbers = self.item.record(self.numbers)
        given, function = (frame,) if self.item.level == "position" else (frame, twist), getattr(law, "py_func", law)
        side = _NEAR * (end - start) if self.item.level == "position" else 0.0

        def values(times: Array) -> Array:
            return np.array([self.answer(t, frame, twist) for t in times])

        def changes(times: Array) -> Array:
            return values(times + side) - values(times - side) if side else values(times)

        def met(t: float) -> float:
            """Where the straight lines before and after a kink near time t meet."""
            d = 8.0 * side
            a, b, c, e = values(t + d * np.array([-2.0, -1.0, 1.0, 2.0]))
            k = int(np.argmax(np.abs(e - c - b + a)))
            turn = float((e - c - b + a)[k])
            away = d * float((b - a + e - c - c + b)[k]) / turn if turn else 0.0
            return t + away if 1e-4 * side < abs(away) < d else t

        noise = _ROUNDING * float(np.abs(values(np.linspace(start, end, 9))).max())
        found = switched(lambda t: function(t, *given, numbers), changes, start, end, 2.0 * side, noise)
        if len(found) < MOST:
            for t in (met(t) if side else t for t in found):
                if all(abs(t - known) > _NEAR * (end - start) for known in self.breaks):
                    self.breaks.append(t)
            self.breaks[:] = sorted(self.breaks)[1 - MOST :]

    def leap(self, start: float, end: float) -> tuple[float, Array] | None:
        """The first time between two others at which the law demands another position at once, and the change of its
        values where it was met before; None if there is none.
        """
        frame = self.item.frame()
        side, still = _NEAR * (end - start), np.zeros(6)

        def values(times: Array) -> Array:
            return np.array([self.answer(t, beside, still) for t in times])

        if self.item.level != "position" or not reads_time(self.item.law):
            return None
        beside, grid = probe(frame, 0.01)[0], np.linspace(start, end, _LOOKS)
        seen = values(grid)
        known = [t for t in self.breaks if start + side < t < end - side]
        for t in sorted({*known, *(jumps_of(values, grid, seen) if np.isfinite(seen).all() else ())}):
            before = self._met(t - side, frame)
            near = self.answer(t + 1e-2 * side, before, still) - self.answer(t - 1e-2 * side, before, still)
            far = self.answer(t + side, before, still) - self.answer(t - side, before, still)
            if np.abs(near).max() > max(0.5 * np.abs(far).max(), _LEAST * np.abs(seen).max()):
                return t, near
        return None

    def _met(self, t: float, frame: Array) -> Array:
        """A frame near another one where the law is met; the other one if none is found."""
        there = frame
        for _ in range(20):
            A, value, _ = self.rows(t, there, np.zeros(6), 1.0)
            if not (np.isfinite(A).all() and np.isfinite(value).all()):
                return frame
            there = there @ se3.exp(-np.linalg.pinv(A) @ value)
        return there if np.abs(self.answer(t, there, np.zeros(6))).max() < 1e-9 else frame


def compile_rules(model: Model) -> tuple[CompiledRule, ...]:
    """The constraints of a model that users wrote.

    Raises
    ------
    ModelError
        If a law cannot be compiled; the message shows the line.
    """
    out = []
    for item in users(model):
        try:
            unit = compile_values(item.law, item.record_type(), item.level == "velocity", len(item.held))
        except CosseratError as error:
            raise refused(item.title, "law", error) from None
        out.append(CompiledRule(item, unit))
    return tuple(out)


def users(model: Model) -> list[Constraint]:
    """The constraints that users wrote, in order."""
    return [item for item in model.rolling if isinstance(item, Constraint)]


def rule_laws(items: list[Constraint], size: float) -> dict[str, Any]:
    """What the laws of constraints need wherever their places are: fields of groups by name."""
    numbers = [item.values or (0.0,) for item in items]
    return {
        "n_rows": ints([len(item.held) for item in items]),
        "held": ints([int(all(item.held)) for item in items]),
        "length": np.full(len(items), size),
        "start": ranges(numbers),
        "parameter": np.array([x for values in numbers for x in values], dtype=float),
    }


def coupled_by_rules(parts: Parts) -> list[tuple[int, int]]:
    """Nodes of the places and of the other places of everything that rolls; the ground where there is no other."""
    ground = GROUND.at((0.0, 0.0, 0.0))
    places = [(*item.places, ground)[:2] for item in parts.model.rolling]
    return [(parts.skeleton.attach(here).node, parts.skeleton.attach(there).node) for here, there in places]


def rule_arrays(parts: Parts) -> Rules:
    """Arrays of users' constraints."""
    items = users(parts.model)
    number = [k for k, item in enumerate(parts.model.rolling) if isinstance(item, Constraint)]
    here = [parts.skeleton.attach(item.place) for item in items]
    there = [parts.skeleton.attach(item.other or GROUND.at((0.0, 0.0, 0.0))) for item in items]
    rows = zip(there, here, number, strict=True)
    return Rules(
        item=ints(number),
        node=ints([(a.node, b.node) for a, b in zip(there, here, strict=True)], 2),
        frame_a=np.array([frame_to_row(a.frame) for a in there]).reshape(-1, 12),
        frame_b=np.array([frame_to_row(b.frame) for b in here]).reshape(-1, 12),
        **rule_laws(items, parts.size),
        block=ints([parts.held(a.node, b.node, len(parts.joints) + k) for a, b, k in rows], 9),
    )


def break_array(rules: tuple[CompiledRule, ...]) -> Array:
    """Times at which laws are not smooth, as `kernels.rule_laws.stencil` takes them."""
    known, out = sorted({t for rule in rules for t in rule.breaks})[: MOST - 1], np.full(MOST, np.inf)
    out[: len(known)] = known
    return out


def rule_rows(compiled: CompiledModel, times: Array, frames: Array, twists: Array) -> Array:
    """Rows (3, 6), values and rates (nt, nu, 24) of users' constraints at frames (nt, n+1, 12), twists (nt, n+1, 6)."""
    out = np.zeros((len(times), len(compiled.rules), 24))
    for k, rule in enumerate(compiled.rules):
        for i, t in enumerate(times):
            A, value, rate = rule.rows(t, *_relative(compiled, k, frames[i], twists[i]), compiled.size)
            m = len(value)
            out[i, k, :18].reshape(3, 6)[:m], out[i, k, 18 : 18 + m], out[i, k, 21 : 21 + m] = A, value, rate
    return out


def failing_rule(compiled: CompiledModel, t: float, frames: Array, twists: Array) -> str:
    """In words, a constraint whose law fails, or gives what is not a number, at a state (n+1, 12), (n+1, 6); or ""."""
    for k, rule in enumerate(compiled.rules):
        for then in (t, t + 2.0 * BRIEF):  # rates are found by looking ahead
            found = rule.answer(then, *_relative(compiled, k, frames, twists))
            if not np.isfinite(found).all():
                shown = "raises an error" if np.isnan(found).all() else f"gives {found.tolist()}"
                return f"the law of {rule.item.title} {shown} at t = {then:g} s"
    return ""


def _relative(compiled: CompiledModel, k: int, frames: Array, twists: Array) -> tuple[Array, Array]:
    """Frame (4, 4) and twist (6,) of the place of a constraint, seen from the other one."""
    arrays = compiled.system.rules
    (a, b), (F_a, y_a), (F_b, y_b) = arrays.node[k], load_frame(arrays.frame_a[k]), load_frame(arrays.frame_b[k])
    R, x = relative_frame(frames, a, F_a, y_a, b, F_b, y_b)
    u, w = relative_twist(R, x, twists, a, F_a, y_a, b, F_b, y_b)
    return se3.frame(np.reshape(R, (3, 3)), x), np.array((*u, *w))


KINDS: dict[type, int] = {RollingDisc: DISC, KnifeEdge: EDGE}


def rolling_arrays(parts: Parts) -> RollingArrays:
    """Arrays of what rolls."""
    model, skeleton = parts.model, parts.skeleton
    nr = len(model.rolling)
    arrays = RollingArrays(
        node=ints([skeleton.attach(item.place).node for item in model.rolling]),
        kind=ints([KINDS.get(type(item), RULE) for item in model.rolling]),
        point=np.zeros((nr, 3)),
        **wheel_geometry(model.rolling),
        keep=np.zeros((nr, 3, 3)),
        block=np.zeros((nr, 4), dtype=np.int64),
        n_rows=ints([len(item.held) for item in model.rolling]),
        held=ints([sum(item.held) for item in model.rolling]),
    )
    for k, item in enumerate(model.rolling):
        node = int(arrays.node[k])
        R, x = skeleton.frames[node, :9].reshape(3, 3), skeleton.frames[node, 9:]
        arrays.point[k] = R.T @ (item.place.position - x)
        blocks = parts.held(skeleton.n_nodes, node, len(parts.joints) + k)
        arrays.block[k] = [blocks[3], *blocks[6:]]  # without those of the ground
    keep_all(arrays)
    return arrays


def wheel_geometry(items: Sequence[Rolling]) -> dict[str, Any]:
    """Axes of discs, or directions across knife edges, in axes of their places; radii; of the planes, the normal and
    two directions in it, and the position along the normal. Zero where there is none.
    """
    n = len(items)
    found = {"axis": np.zeros((n, 3)), "radius": np.zeros(n), "plane": np.zeros((n, 3, 3)), "level": np.zeros(n)}
    for k, item in enumerate(items):
        R = item.place.frame()[:3, :3]
        if isinstance(item, RollingDisc):
            found["axis"][k], found["radius"][k], found["plane"][k] = R.T @ item.axis, item.radius, item.directions
            found["level"][k] = item.normal @ item.point
        elif isinstance(item, KnifeEdge):
            found["axis"][k] = R.T @ item.direction
    return found


def keep_all(arrays: RollingArrays) -> None:
    """Let every row act."""
    for keep, n in zip(arrays.keep, arrays.n_rows, strict=True):
        keep[:] = np.diag(np.arange(3) < n)
