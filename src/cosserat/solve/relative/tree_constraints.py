"""What ties links of a tree besides its joints: cut joints of loops, driven rotations, rolling and skating.

    M a + h + A^T lambda = tau + C^T Q,        A v + (explicit) = 0

A cut joint has constraints (A) and, in its freedoms, efforts Q. The multipliers are those of the Galilean formulation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.flexible_arrays import new_motions, pack_seats
from cosserat.compile.joints import LAWS, freedom_laws, ints, ranges
from cosserat.compile.modal_dynamics import Seat, seat_on
from cosserat.compile.rows import (
    NO_BRANCH,
    ActiveFreedom,
    JointRows,
    Row,
    active_freedoms,
    counted_freedoms,
    drive_frames,
    joint_rows,
)
from cosserat.compile.rules import KINDS, break_array, compile_rules, rule_laws, wheel_geometry
from cosserat.compile.tree import TreeData
from cosserat.kernels.arrays import Packed, address_rows, address_table, new_visit, zeros
from cosserat.kernels.flexible import closing
from cosserat.kernels.joint_rows import ROTATION
from cosserat.lie.protocol import Array
from cosserat.model.functions import TimeFunction
from cosserat.model.joints import Fixed, Joint
from cosserat.model.model import Model
from cosserat.model.places import GROUND
from cosserat.model.rolling import FLAT, Constraint, Rolling, RollingDisc
from cosserat.model.servos import servos_of
from cosserat.results.trajectory import Kept, as_kept
from cosserat.solve.relative.flexible_recursion import Motions, projected

Ints = NDArray[np.int64]


class TreeRows(NamedTuple):
    """Constraints at a state."""

    A: Array  # (m, n)
    value: Array  # (m,) zero where a row is the rate of nothing
    rate: Array  # (m,)
    bias: Array  # (m,) second derivative for a = 0
    angles: Array  # of `TreeConstraints.tracked`, continued
    efforts: Array  # (n,) of the freedoms of cut joints


@dataclass(frozen=True)
class MultiplierSlot:
    """Where a constraint has its multipliers."""

    joint: Joint | None
    first: int
    rows: tuple[int, ...]  # numbers among the rows of the joint
    in_tree: bool  # the joint is one of the tree, driven or held through rows
    rolling: int  # number among the model's knife edges and rolling discs, -1: none of them

    @property
    def closes(self) -> bool:
        """Whether its rows close a loop."""
        return self.joint is not None and (not self.in_tree or self.joint.kind == "fixed")


@dataclass(frozen=True)
class _OnSeats:
    """A joint whose rows hold two seats."""

    joint: Joint
    rows: tuple[Row, ...]
    branch: int
    seats: tuple[Seat, Seat]
    in_tree: bool
    freedoms: Sequence[ActiveFreedom]
    on_shaft: bool = False  # it holds the shaft of a joint of the tree

    @property
    def driven(self) -> bool:
        return any(motion is not None for motion in self.joint.motion)


class TreeConstraints:
    """All constraints of a tree, and the memory of `kernels.flexible.closing` for them.

    Parameters
    ----------
    model : Model
    data : TreeData
    watched : list of Seat
        Further seats, whose motion `extent` tells.
    loose : collection of str
        Names of cut joints that may open; all their angles are tracked.
    then : Kept, optional
        The model as it was, whose values are used; None: values follow parameters.

    Attributes
    ----------
    n_rows : int
    holonomic : (m,) of bool
        Whether a row is the rate of something.
    slots : list of Slot
    present : bool
        Whether there is anything that the tree does not know by itself.
    rolling : tuple
        What rolls, and users' constraints.
    rules : tuple of CompiledRule
        Of the latter.
    loose : frozenset of str
        Names of cut joints that may open.
    tracked : list of (joint name, index of freedom)
        Coordinates of cut joints, which a state must carry along since angles have turns.
    functions : list of TimeFunction
        Of efforts and targets in cut joints.
    closed : kernels.flexible.closing.Closed
    address
        The same, as kernels take it.
    """

    def __init__(
        self,
        model: Model,
        data: TreeData,
        watched: Sequence[Seat] = (),
        loose: Collection[str] = (),
        then: Kept | None = None,
    ) -> None:
        self._data, self.rolling, self._servos = data, tuple(model.rolling), servos_of(model) if model.servos else {}
        self.loose = frozenset(loose)
        cut = [loop.joint for loop in data.loops]
        self._pairs = [self._cut(joint) for joint in cut]
        self._pairs += [self._welded(joint, link) for joint, link in data.shafts]
        self._pairs += [
            self._driven(joint)
            for joint in model.joints
            if joint.kind in ("spherical", "free") and joint not in cut and any(m is not None for m in joint.motion)
        ]
        self.tracked = [(pair.joint.name, freedom.index) for pair in self._pairs for freedom in pair.freedoms]
        self._efforts: list[tuple[str, TimeFunction | None]] = [
            (pair.joint.coordinates[freedom.index], pair.joint.effort[freedom.index])
            for pair in self._pairs
            for freedom in pair.freedoms
        ]
        drivers = [self._servos.get(key) for key in self.tracked]
        self._efforts += [("", None) if servo is None else (servo.name, servo.target) for servo in drivers]
        self._efforts += [("", None)] if self.loose else []  # what drives joints while they are open
        self.functions = [effort for _, effort in self._efforts if effort is not None]
        self._commanded: dict[str, float] = {}
        self.then = then
        self.slots: list[MultiplierSlot] = []
        self.n_rows = 0
        for pair in self._pairs:
            rows = _kept(pair.joint) if pair.in_tree else tuple(range(len(pair.rows)))
            self.slots.append(MultiplierSlot(pair.joint, self.n_rows, rows, pair.in_tree or pair.on_shaft, -1))
            self.n_rows += len(rows)
        for number, item in enumerate(self.rolling):
            self.slots.append(MultiplierSlot(None, self.n_rows, tuple(range(len(item.held))), False, number))
            self.n_rows += len(item.held)
        self.present = bool(self.slots)
        soft = sum(2 * len(spring.places) - 1 for spring in model.springs) + len(self.tracked)
        soft += 6 * (sum(len(load.places) for load in model.state_loads) + len(data.fluids))
        self.rules = compile_rules(model) if self.rolling else ()
        self.closed = self._arrays(watched, soft)
        self.holonomic = self.closed.rows.holonomic.astype(bool)
        self.watched = len(self.closed.places.link) - len(watched)  # number of the first watched seat
        self._packed = Packed(self.closed)
        self.address = self._packed.address
        if self.rules:
            closing.load_rules(data.arrays.tree, self.address, self.closed.held)

    def _cut(self, joint: Joint) -> _OnSeats:
        found, active = joint_rows(joint), active_freedoms(joint, self._servos)
        if joint.name in self.loose:
            active += counted_freedoms(joint, self._servos)
        return _OnSeats(joint, found.rows, found.branch, _sides(self._data, joint), False, active)

    def _welded(self, joint: Joint, link: int) -> _OnSeats:
        """Rows that hold the shaft in which a joint ends to its second body."""
        weld = Fixed(joint.name, joint.parent, joint.child)
        found, shaft = joint_rows(weld), seat_on(link, self._data.links[link].frame, joint.frame(), None)
        return _OnSeats(weld, found.rows, found.branch, (shaft, _sides(self._data, joint)[1]), False, (), True)

    def _driven(self, joint: Joint) -> _OnSeats:
        """Rows of a joint of the tree whose coordinates cannot be prescribed one by one, since they turn."""
        found: JointRows = joint_rows(joint)
        rows = tuple(found.rows[k] for k in _kept(joint))
        branch = found.branch if any(row.kind == ROTATION for row in rows) else NO_BRANCH
        return _OnSeats(joint, rows, branch, _sides(self._data, joint), True, ())

    def _arrays(self, watched: Sequence[Seat], soft: int) -> closing.Closed:
        """Memory of the kernels; of what a model does not have, it is empty."""
        m, nf, n = self.n_rows, len(self.tracked), self._data.arrays
        wheels = [item for item in self.rolling if not isinstance(item, Constraint)]
        rules = [item for item in self.rolling if isinstance(item, Constraint)]
        seats = [seat for pair in self._pairs for seat in pair.seats]
        pairs = self._pair_group() if self._pairs else zeros(closing.Pairs)
        cut = self._cut_group() if self.tracked else zeros(closing.Cut)
        rolling = self._wheel_group(wheels, seats) if wheels else zeros(closing.Wheels)
        held = self._rule_group(rules, seats) if rules else zeros(closing.HeldSeats)
        rows = zeros(closing.ClosingRows, m=m, mp=m + soft, nf=nf, n=n.n_v, nz=n.n_z)
        rows.holonomic[:] = 1
        for slot in self.slots:
            if slot.rolling >= 0:
                rows.holonomic[slot.first : slot.first + len(slot.rows)] = self.rolling[slot.rolling].held
        given = zeros(closing.ClosingInputs, nd=sum(pair.driven for pair in self._pairs), ne=len(self._efforts))
        places = pack_seats([*seats, *watched])
        return closing.Closed(places, new_motions(places), pairs, cut, rolling, held, given, rows, new_visit())

    def _pair_group(self) -> closing.Pairs:
        pairs, rows = self._pairs, [row for pair in self._pairs for row in pair.rows]
        driven = np.array([pair.driven for pair in pairs], dtype=bool)
        return closing.Pairs(
            np.arange(2 * len(pairs), dtype=np.int64).reshape(-1, 2),
            ranges([pair.rows for pair in pairs]),
            ints([row.kind for row in rows]),
            np.array([row.a for row in rows], dtype=float).reshape(-1, 3),
            np.array([row.b for row in rows], dtype=float).reshape(-1, 3),
            np.array([pair.joint.pitch for pair in pairs], dtype=float),
            ints([pair.branch for pair in pairs]),
            np.where(driven, np.cumsum(driven) - 1, -1).astype(np.int64),
            ints([pair.in_tree for pair in pairs]),
            ranges([pair.freedoms for pair in pairs]),
        )

    def _cut_group(self) -> closing.Cut:
        nf, servos = len(self.tracked), map(self._servos.get, self.tracked)
        return closing.Cut(
            **freedom_laws([(pair.joint, freedom) for pair in self._pairs for freedom in pair.freedoms], self._servos),
            effort=np.arange(nf, dtype=np.int64),
            target=ints([nf + k if servo else -1 for k, servo in enumerate(servos)]),
        )

    def _first_rows(self, items: Sequence[Rolling]) -> Ints:
        first = {id(self.rolling[slot.rolling]): slot.first for slot in self.slots if slot.rolling >= 0}
        return ints([first[id(item)] for item in items])

    def _wheel_group(self, wheels: Sequence[Rolling], seats: list[Seat]) -> closing.Wheels:
        """Their seats come behind those there are."""
        nr, at = len(wheels), len(seats)
        seats += [self._data.seat(item.place) for item in wheels]
        return closing.Wheels(
            seat=ints([at + k for k in range(nr)]),
            first=self._first_rows(wheels),
            kind=ints([KINDS[type(item)] for item in wheels]),
            point=np.zeros((nr, 3)),
            **wheel_geometry(wheels),
        )

    def _rule_group(self, rules: list[Constraint], seats: list[Seat]) -> closing.HeldSeats:
        """Their seats, too."""
        ground, at = GROUND.at((0.0, 0.0, 0.0)), len(seats)
        seats += [self._data.seat(place or ground) for item in rules for place in (item.other, item.place)]
        return closing.HeldSeats(
            seat=(at + np.arange(2 * len(rules), dtype=np.int64)).reshape(-1, 2),
            first=self._first_rows(rules),
            **rule_laws(rules, self._extent()),
            unit=address_rows([(rule.law, None) for rule in self.rules]),
            breaks=break_array(self.rules),
            stage=address_table(1),
        )

    def _extent(self) -> float:
        """A length over which laws of constraints may change."""
        points = np.array([place.position for item in self.rolling for place in item.places]).reshape(-1, 3)
        points = np.vstack((points, *(link.frame[:3, 3] for link in self._data.links)))
        return float(np.max(np.ptp(points, axis=0), initial=0.0)) or 1.0

    def open(self, names: Collection[str]) -> None:
        """Let those loose joints be open that have these names: their rows are zero, and nothing acts in them."""
        pairs, cut = self.closed.pairs, self.closed.cut
        whole_pairs, whole_cut = self._pair_group(), self._cut_group() if self.tracked else cut
        for j, pair in enumerate(self._pairs):
            acts = 0.0 if pair.joint.name in names else 1.0
            rows, own = slice(*pairs.first[j : j + 2]), slice(*pairs.cut[j : j + 2])
            pairs.u[rows], pairs.w[rows] = acts * whole_pairs.u[rows], acts * whole_pairs.w[rows]
            pairs.pitch[j], pairs.branch[j] = acts * whole_pairs.pitch[j], whole_pairs.branch[j] if acts else NO_BRANCH
            for law in LAWS:
                getattr(cut, law)[own] = acts * getattr(whole_cut, law)[own]
            cut.effort[own] = whole_cut.effort[own] if acts else len(self._efforts) - 1

    def angles_from_here(self, names: frozenset[str], angles: Array) -> Array:
        """Angles of `tracked`, in joints of these names without any turn."""
        return np.where([name in names for name, _ in self.tracked], 0.0, angles)

    def gaps(self, names: frozenset[str], values: Array) -> list[tuple[str, bool, float]]:
        """Of rows of joints of these names: the joint, whether it is an angle (rad) and no length (m), how far off."""
        return [
            (slot.joint.title, row.kind == ROTATION, abs(float(values[slot.first + k])))
            for slot, pair in zip(self.slots, self._pairs, strict=False)
            if slot.joint is not None and slot.joint.name in names
            for k, row in enumerate(pair.rows)
        ]

    def numbers_of(self, wanted: Callable[[MultiplierSlot], bool]) -> Ints:
        """Numbers of the rows of some of the slots."""
        return ints([slot.first + k for slot in self.slots if wanted(slot) for k in range(len(slot.rows))])

    @property
    def driven(self) -> bool:
        """Whether a motion is prescribed in one of its joints."""
        return any(pair.driven for pair in self._pairs)

    def command(self, efforts: dict[str, float]) -> None:
        """Efforts and targets that a controller holds in cut joints; they win over those of the model."""
        self._commanded = efforts

    @property
    def commands(self) -> dict[str, int]:
        """Where `ClosingInputs.effort` has efforts and targets that can be commanded, by name."""
        return {name: k for k, (name, effort) in enumerate(self._efforts) if effort is not None}

    def sample_motions(self, times: Array) -> Array:
        """Prescribed motions (nt, nd, 63) of joints with their rows."""
        found = [drive_frames(pair.joint, times) for pair in self._pairs if pair.driven]
        out = np.array(found).reshape(len(found), 3, len(times), 21)
        return np.ascontiguousarray(np.moveaxis(out, 2, 0)).reshape(len(times), len(found), 63)

    def sample_efforts(self, times: Array) -> Array:
        """Prescribed efforts of cut joints and targets of their servos (nt, 2 nf or more)."""
        out = np.zeros((len(times), len(self._efforts)))
        for k, (name, effort) in enumerate(self._efforts):
            if effort is not None:
                out[:, k] = self._commanded.get(name, 0.0) if name in self._commanded else effort.sample(times)
        return out

    def set_time(self, t: float) -> None:
        """Sample functions of time."""
        at, given, held = np.array([t]), self.closed.given, self.closed.held
        given.clock[0] = t
        with as_kept(self.then):
            for rule, first in zip(self.rules, held.start, strict=False):
                held.parameter[first : first + len(rule.numbers)] = rule.numbers
            given.motion[:], given.effort[:] = self.sample_motions(at)[0], self.sample_efforts(at)[0]

    def at(self, now: Motions, q: Array, t: float, angles: Array, biased: bool = False) -> TreeRows:
        """Rows at a state; `angles`: the last ones known; `biased`: whether the bias is wanted."""
        rows, tree = self.closed.rows, self._data.arrays.tree
        self.set_time(t)
        rows.before[:] = angles
        rows.bias[:] = 0.0
        rows.force[:], now.vectors.wrench[:] = 0.0, 0.0
        now.vectors.q[:] = q
        task = closing.ROWS | closing.FORCES | (closing.BIAS if biased else 0)
        closing.close(tree, now.address, self.address, task)
        closing.bring_rows(tree, now.address, self.address, self.n_rows)
        efforts = projected(now, now.vectors.wrench[None])[0] if self.tracked else np.zeros(len(q))
        return TreeRows(
            rows.C[: self.n_rows].copy(), rows.value.copy(), rows.rate.copy(), rows.bias.copy(), rows.angle.copy(),
            efforts,
        )  # fmt: skip

    def titled(self, number: int) -> str:
        """What to call the joint with a number."""
        return self._pairs[number].joint.title

    def lying_flat(self, now: Motions, q: Array) -> str:
        """A message about a disc that lies flat on its plane, if one does: then no single point of it touches."""
        for item in self.rolling:
            if isinstance(item, RollingDisc):
                seat = self._data.seat(item.place)
                R = seat.frame[:3, :3]
                if seat.link >= 0:
                    R = now[seat.link].frame[:3, :3] @ seat.at(self._data.modal(seat.link, q))[:3, :3]
                c = float(item.normal @ R @ item.place.frame()[:3, :3].T @ item.axis)
                if not 1.0 - c * c > FLAT**2:
                    return f"{item.title}: the disc lies flat on the plane; no single point of it touches"
        return ""


def _kept(joint: Joint) -> tuple[int, ...]:
    """Rows of a driven joint of the tree: of a spherical joint those that hold its rotation."""
    return tuple(k for k, row in enumerate(joint_rows(joint).rows) if row.kind == ROTATION or joint.kind == "free")


def _sides(data: TreeData, joint: Joint) -> tuple[Seat, Seat]:
    """The joint's frame, carried by what each of its places is on."""
    held = [data.seat(place) for place in (joint.parent, joint.child)]
    carriers = [np.eye(4) if seat.link < 0 else data.links[seat.link].frame for seat in held]
    a, b = (seat_on(x.link, H, J, x.interface) for x, H, J in zip(held, carriers, joint.sides(), strict=True))
    return a, b
