"""What ties links of a tree besides its joints: cut joints of loops, driven rotations, rolling and skating.

    M a + h + A^T lambda = tau + C^T Q,        A v + (explicit) = 0

A cut joint has constraints (A) and, in its freedoms, efforts Q. The multipliers are those of the Galilean formulation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_tree import FlexibleTreeData
from cosserat.compile.rows import NO_BRANCH, active_freedoms, joint_rows
from cosserat.compile.seats import Seat, seat_on
from cosserat.kernels.joints import ROTATION
from cosserat.model.joints import Joint
from cosserat.model.model import Model
from cosserat.model.places import Place
from cosserat.model.servos import servos_of
from cosserat.solve.relative import flexible_recursion
from cosserat.solve.relative.flexible_recursion import Motions
from cosserat.solve.relative.joint_rows import FreedomRow, JointRows
from cosserat.solve.relative.rolling_rows import RollingRows
from cosserat.solve.relative.seat_motion import PairRows, SeatMotion, add_wrench, coordinate_rows, moving_seat

Array = NDArray[np.float64]


class TreeRows(NamedTuple):
    """Constraints at a state, and what acts in cut joints."""

    A: Array  # (m, n)
    value: Array  # (m,) zero where a row is the rate of nothing
    rate: Array  # (m,)
    bias: Array  # (m,) second derivative for a = 0
    angles: Array  # of `TreeConstraints.tracked`, continued
    efforts: Array  # (n,)
    inside_out: str  # title of a joint that turned inside out, if one did


class Compliance(NamedTuple):
    """Rows (p, n) of springs and dampers along lines, with their stiffness and damping (p,)."""

    rows: Array
    stiffness: Array
    damping: Array


class CutPowers(NamedTuple):
    """In cut joints: power (W) that dampers and friction take, of efforts, of all; energy (J) of springs."""

    loss: float
    supply: float
    total: float
    strain: float


@dataclass(frozen=True)
class Slot:
    """Where a constraint has its multipliers."""

    joint: Joint | None
    first: int
    rows: tuple[int, ...]  # numbers among the rows of the joint
    in_tree: bool  # the joint is one of the tree, driven through rows
    rolling: int  # number among the model's knife edges and rolling discs, -1: none of them


class TreeConstraints:
    """All constraints of a tree.

    Attributes
    ----------
    n_rows : int
    holonomic : (m,) of bool
        Whether a row is the rate of something.
    slots : list of Slot
    tracked : list of (joint name, index of freedom)
        Coordinates of cut joints, which a state must carry along since angles have turns.
    """

    def __init__(self, model: Model, data: FlexibleTreeData) -> None:
        self._data, self._model = data, model
        self.slots: list[Slot] = []
        self._rows: list[tuple[JointRows | RollingRows, int]] = []  # with the number of the angle, -1: none
        self._freedoms: list[tuple[FreedomRow, int]] = []
        self.tracked: list[tuple[str, int]] = []
        self.n_rows = 0
        cut, servos = [loop.joint for loop in data.loops], servos_of(model)
        for joint in cut:
            found = joint_rows(joint)
            a, b = (_side(data, joint, place) for place in (joint.parent, joint.child))
            active = [freedom.index for freedom in active_freedoms(joint, servos)]
            tracked = {index: len(self.tracked) + k for k, index in enumerate(active)}
            self.tracked += [(joint.name, index) for index in active]
            rows = JointRows(joint, found.rows, found.branch, a, b)
            self._add(rows, (), False, tracked.get(0, -1))
            for index in active:
                self._freedoms.append((FreedomRow(joint, index, a, b, servos.get((joint.name, index))), tracked[index]))
        for joint in model.joints:
            if joint.kind in ("spherical", "free") and joint not in cut and any(m is not None for m in joint.motion):
                self._drive(joint)
        for number, item in enumerate(model.rolling):
            self._add(RollingRows(item, data.seat(item.place)), (), False, -1, number)
        none = np.zeros(0, dtype=bool)
        self.holonomic = np.concatenate([none, *(item.holonomic for item, _ in self._rows)])
        self._springs = [(data.seat(s.a), data.seat(s.b), s.stiffness, s.damping, s.length) for s in model.springs]

    def _drive(self, joint: Joint) -> None:
        """Rows of a joint of the tree whose coordinates cannot be prescribed one by one, since they turn."""
        found = joint_rows(joint)
        kept = [k for k, row in enumerate(found.rows) if row.kind == ROTATION or joint.kind == "free"]
        a, b = (_side(self._data, joint, place) for place in (joint.parent, joint.child))
        branch = found.branch if any(found.rows[k].kind == ROTATION for k in kept) else NO_BRANCH
        rows = JointRows(joint, tuple(found.rows[k] for k in kept), branch, a, b)
        self._add(rows, tuple(kept), True, -1)

    def _add(
        self, rows: JointRows | RollingRows, numbers: tuple[int, ...], in_tree: bool, angle: int, rolling: int = -1
    ) -> None:  # fmt: skip
        self.slots.append(Slot(rows.joint, self.n_rows, numbers or tuple(range(rows.count)), in_tree, rolling))
        self._rows.append((rows, angle))
        self.n_rows += rows.count

    @property
    def present(self) -> bool:
        """Whether there is anything that the tree does not know by itself."""
        return bool(self._rows)

    @property
    def none(self) -> bool:
        """Whether there is nothing at all, not even a spring."""
        return not (self._rows or self._freedoms or self._springs)

    @property
    def joint_rows(self) -> list[JointRows]:
        """Rows of joints, if there are such and nothing else, not even a spring."""
        rows = [item for item, _ in self._rows if isinstance(item, JointRows)]
        return rows if len(rows) == len(self._rows) and not (self._freedoms or self._springs) else []

    def inside_out(self, now: Motions, q: Array, t: float) -> str:
        """Title of a joint that turned inside out, if one did."""
        drift = self._data.parts(np.zeros(self._data.arrays.n_z))
        for item, _ in self._rows:
            if item.inside_out(*self._sides(now, drift, item.a, item.b, q), t):
                return item.title
        return ""

    def start_angles(self) -> Array:
        """Angles of the reference configuration."""
        return np.zeros(len(self.tracked))

    def at(self, now: Motions, q: Array, t: float, angles: Array, biased: bool = False) -> TreeRows:
        """Rows at a state; `angles`: the last ones known; `biased`: whether the bias is wanted."""
        data, n = self._data, len(q)
        if not self._rows and not self._freedoms:
            none = np.zeros(0)
            return TreeRows(np.zeros((0, n)), none, none, none, angles, np.zeros(n), "")
        drift = data.parts(
            flexible_recursion.accelerations(now, np.zeros(n), np.zeros(6)) if biased else np.zeros(data.arrays.n_z)
        )
        parts: list[tuple[Seat, Array]] = []
        first: list[int] = []
        found: list[PairRows] = []
        new_angles = angles.copy()
        wrong, at = "", 0
        for item, angle in self._rows:
            a, b = self._sides(now, drift, item.a, item.b, q)
            rows, turned = item.at(a, b, t, angles[angle] if angle >= 0 else 0.0, biased)
            if angle >= 0:
                new_angles[angle] = turned
            if item.inside_out(a, b, t):
                wrong = item.title
            parts += [(item.a, rows.on_a), (item.b, rows.on_b)]
            first += [at, at]
            found.append(rows)
            at += item.count
        efforts = []
        for freedom, angle in self._freedoms:
            row, new_angles[angle] = freedom.at(*self._sides(now, drift, freedom.a, freedom.b, q), angles[angle])
            efforts.append(freedom.effort(new_angles[angle], row.rate[0], t))
            parts += [(freedom.a, row.on_a), (freedom.b, row.on_b)]
            first += [at, at]
            at += 1
        every = coordinate_rows(data, now, q, parts, first) if parts else np.zeros((0, n))
        A, C = every[: self.n_rows], every[self.n_rows :]
        empty = PairRows(*(5 * [np.zeros(0)]))
        value, rate, bias = (np.concatenate(x) for x in list(zip(empty, *found, strict=True))[2:])
        return TreeRows(A, value, rate, bias, new_angles, np.asarray(efforts) @ C if efforts else np.zeros(n), wrong)

    def _sides(
        self, now: Motions, drift: list[Array], a: Seat, b: Seat, q: Array
    ) -> tuple[SeatMotion, SeatMotion]:  # fmt: skip
        return moving_seat(self._data, now, drift, a, q), moving_seat(self._data, now, drift, b, q)

    def compliance(self, now: Motions, q: Array, angles: Array, t: float) -> Compliance:
        """Springs of the model, and springs, dampers, friction, servos in cut joints: what makes the motion stiff."""
        data = self._data
        if not self._springs and not self._freedoms:
            return Compliance(np.zeros((0, len(q))), np.zeros(0), np.zeros(0))
        drift = data.parts(np.zeros(data.arrays.n_z))
        parts: list[tuple[Seat, Array]] = []
        first: list[int] = []
        k: list[float] = []
        c: list[float] = []

        def add(a: Seat, b: Seat, row: PairRows, stiffness: float, damping: float) -> None:
            if stiffness == 0.0 and damping == 0.0:
                return
            parts.extend(((a, row.on_a), (b, row.on_b)))
            first.extend((len(k), len(k)))
            k.append(stiffness)
            c.append(damping)

        for a, b, stiffness, damping, length in self._springs:
            (H_a, *_), (H_b, *_) = self._sides(now, drift, a, b, q)
            line = H_b[:3, 3] - H_a[:3, 3]
            distance = float(np.linalg.norm(line))
            axes = np.linalg.svd(line[None] / distance)[2]  # along the line, and across it: the tension straightens
            tension = max(0.0, stiffness * (distance - length)) / distance
            for direction, stiff, viscous in zip(axes, (stiffness, tension, tension), (damping, 0.0, 0.0), strict=True):
                on_a, on_b = np.zeros((1, 6)), np.zeros((1, 6))
                on_a[0, :3], on_b[0, :3] = -direction @ H_a[:3, :3], direction @ H_b[:3, :3]
                add(a, b, PairRows(on_a, on_b, *(3 * [np.zeros(1)])), stiff, viscous)
        for freedom, angle in self._freedoms:
            row, x = freedom.at(*self._sides(now, drift, freedom.a, freedom.b, q), angles[angle])
            add(freedom.a, freedom.b, row, *freedom.slopes(x, row.rate[0], t))
        rows = coordinate_rows(data, now, q, parts, first) if parts else np.zeros((0, len(q)))
        return Compliance(rows, np.array(k), np.array(c))

    def command(self, efforts: dict[str, float]) -> None:
        """Efforts and targets that a controller holds in cut joints; they win over those of the model."""
        for freedom, _ in self._freedoms:
            freedom.aimed = None if freedom.servo is None else efforts.get(freedom.servo.name)
            freedom.commanded = efforts.get(freedom.joint.coordinates[freedom.index])

    def wrenches(self, now: Motions, q: Array, t: float, angles: Array, force: Array) -> Array:
        """What cut joints put on all links, (n_z,) in their own axes, for multipliers `force` (m,)."""
        out = np.zeros(self._data.arrays.n_z)
        if not self._rows and not self._freedoms:
            return out
        on_links = self._data.parts(out)
        drift = self._data.parts(np.zeros(self._data.arrays.n_z))
        for (item, angle), slot in zip(self._rows, self.slots, strict=True):
            if slot.in_tree:
                continue
            sides = self._sides(now, drift, item.a, item.b, q)
            rows, _ = item.at(*sides, t, angles[angle] if angle >= 0 else 0.0, False)
            own = force[slot.first : slot.first + item.count]
            for seat, on in ((item.a, rows.on_a), (item.b, rows.on_b)):
                add_wrench(self._data, on_links, seat, q, -own @ on)
        for freedom, angle in self._freedoms:
            row, coordinate = freedom.at(*self._sides(now, drift, freedom.a, freedom.b, q), angles[angle])
            effort = freedom.effort(coordinate, row.rate[0], t)
            for seat, on in ((freedom.a, row.on_a), (freedom.b, row.on_b)):
                add_wrench(self._data, on_links, seat, q, effort * on[0])
        return out

    def powers(self, now: Motions, q: Array, t: float, angles: Array) -> CutPowers:
        """What dampers, friction, efforts and springs of cut joints do."""
        if not self._freedoms:
            return CutPowers(0.0, 0.0, 0.0, 0.0)
        drift = self._data.parts(np.zeros(self._data.arrays.n_z))
        loss = supply = total = strain = 0.0
        for freedom, angle in self._freedoms:
            row, x = freedom.at(*self._sides(now, drift, freedom.a, freedom.b, q), angles[angle])
            rate = float(row.rate[0])
            still, passive, every = (freedom.effort(x, *given) for given in ((0.0, None), (rate, None), (rate, t)))
            loss += rate * (still - passive)
            supply += rate * (every - passive)
            total += rate * every
            strain += 0.5 * freedom.stiffness * x**2
        return CutPowers(loss, supply, total, strain)


def _side(data: FlexibleTreeData, joint: Joint, place: Place) -> Seat:
    """The joint's frame, carried by what one of its places is on."""
    held = data.seat(place)
    carrier = np.eye(4) if held.link < 0 else data.links[held.link].frame
    return seat_on(held.link, carrier, joint.frame(), held.interface)
