"""Flexible trees as the arrays of `kernels.flexible`: links, bodies, seats; and room for motions and factors."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import frame_to_row
from cosserat.compile.modal_dynamics import Seat, affine_fields
from cosserat.kernels.arrays import Packed, zeros
from cosserat.kernels.flexible import arrays
from cosserat.kernels.flexible.bent import ROOM
from cosserat.kernels.flexible.body_tangents import MODE_ROW
from cosserat.kernels.flexible.seat_tangents import S_ROW
from cosserat.kernels.flexible.tangents import L_ROW
from cosserat.lie.protocol import Array
from cosserat.model.modal import ModalBody

if TYPE_CHECKING:
    from cosserat.compile.tree import Link

Ints = NDArray[np.int64]

_SYMMETRIC = np.array((0, 1, 2, 4, 5, 8))
"""Where xx xy xz yy yz zz are in a 3x3 matrix."""


class FlexibleArrays:
    """A tree for the kernels, and new motions and factors of the right sizes.

    Attributes
    ----------
    table : (n, LINK_INTEGERS)
    n_v, n_z : int
        Number of coordinates, and of velocities of all links.
    """

    def __init__(self, links: Sequence[Link], armature: Array) -> None:
        self.n_v, self.armature = len(armature), armature
        kinds = _Kinds([link.modal for link in links if link.modal is not None])
        self.table, total = _index(links, kinds)
        self.n_z, self.n_pivots = int(total[arrays.Z]), int(total[arrays.PIVOT])
        joint = np.array([(link.slide, link.turn) for link in links])
        inertia = np.array([link.inertia.ravel() for link in links])
        seats = pack_seats([seat for link in links for seat in (link.base, link.own)])
        self.link_inertia = np.ascontiguousarray(inertia, dtype=float).reshape(-1, 36)
        tree = arrays.TreeArrays(
            arrays.Links(self.table, joint, self.link_inertia, armature), pack_bodies(kinds.different), seats
        )
        self._packed = Packed(tree)
        self.tree = self._packed.address
        largest = max(link.n_modes for link in links)
        self._sizes = {
            "n": len(links), "nv": self.n_v, "nz": self.n_z, "pivot": self.n_pivots, "carry": int(total[arrays.CARRY]),
            "axes": int(total[arrays.AXES]), "inertia": int(total[arrays.INERTIA]), "modal": int(total[arrays.MODAL]),
            "row": 15 * (largest + 9), "bent": 36 * largest + ROOM, "block": (largest + 6) ** 2,
        }  # fmt: skip

    def new_state(self) -> Packed:
        """Room for a state and its motion."""
        motion, vectors = zeros(arrays.LinkMotions, **self._sizes), zeros(arrays.Vectors, **self._sizes)
        return Packed(arrays.LinkState(motion, vectors, zeros(arrays.TreeScratch, **self._sizes)))

    def new_linear(self, places: arrays.Seats) -> Packed:
        """Room for the recursions linearised at a state; `places`: where springs and loads act."""
        n, modes, seats = len(self.table), self._sizes["modal"], self._packed.problem.seats
        return Packed(
            zeros(
                arrays.Linear, ns=2 * n, nr=6 * int(seats.modes.sum()), np=len(places.link),
                npr=6 * int(places.modes.sum()), link=L_ROW, seat=S_ROW, modes=modes * MODE_ROW,
                fields=36 * modes + ROOM * n, **self._sizes,
            )
        )  # fmt: skip

    def new_factor(self) -> Packed:
        """Room for the factors at a state."""
        return Packed(zeros(arrays.Factor, **self._sizes))


class _Kinds:
    """Elastic bodies that differ: a chain of equal links has their tables once, so that they stay in the cache."""

    def __init__(self, bodies: Sequence[ModalBody]) -> None:
        self.different: list[ModalBody] = []
        known: dict[bytes, int] = {}
        self.number: dict[int, int] = {}  # which of the different ones, by identity
        self.couplings, self.squares = [0], [0]
        for body in bodies:
            fields = (getattr(body.inertia, field.name) for field in dataclasses.fields(body.inertia))
            matrices = body.stiffness, body.damping, body.stiffening
            key = b"".join(np.asarray(x, dtype=float).tobytes() for x in (*fields, *matrices))
            if key not in known:
                known[key] = len(self.different)
                self.different.append(body)
                self.couplings.append(self.couplings[-1] + 12 * body.n_modes)
                self.squares.append(self.squares[-1] + body.n_modes**2)
            self.number[id(body)] = known[key]


def _index(links: Sequence[Link], kinds: _Kinds) -> tuple[Ints, Ints]:
    """Integers of all links, and how many numbers each kind of array has."""
    index = np.zeros((len(links), arrays.LINK_INTEGERS), dtype=np.int64)
    total = np.zeros(arrays.LINK_INTEGERS, dtype=np.int64)
    for i, (row, link) in enumerate(zip(index, links, strict=True)):
        k, m = link.axes.shape[1], link.n_modes
        row[:] = total
        row[arrays.KIND], row[arrays.PARENT], row[arrays.N_JOINT], row[arrays.N_MODES] = link.kind, link.base.link, k, m
        row[arrays.FIRST] = link.columns[0] if k else 0
        row[arrays.MODE] = link.columns[k] if m else 0
        carriers = 0 if link.base.interface is None else links[link.base.link].n_modes
        row[arrays.CARRIERS], row[arrays.BASE], row[arrays.OWN] = carriers, 2 * i, 2 * i + 1
        row[arrays.MOVING] = link.own.interface is not None
        row[arrays.BODY] = arrays.FLUID if link.fluid is not None and not link.burns else -1
        if link.modal is not None:
            kind = kinds.number[id(link.modal)]
            row[arrays.BODY] = kind
            row[arrays.COUPLING], row[arrays.SQUARE] = kinds.couplings[kind], kinds.squares[kind]
        total[arrays.MODAL] += m
        total[arrays.Z] += 6 + m
        total[arrays.Q] += k + m
        total[arrays.INERTIA] += (6 + m) ** 2
        total[arrays.CARRY] += 6 * (6 + carriers)
        total[arrays.AXES] += 6 * (k + m)
        total[arrays.PIVOT] += (k + m) ** 2
    return index, total


def _joined(parts: list[Array]) -> Array:
    return np.concatenate([np.ravel(part) for part in parts]) if parts else np.zeros(0)


def pack_bodies(bodies: Sequence[ModalBody]) -> arrays.ElasticBodies:
    """Tensors of elastic bodies side by side."""
    couplings, seconds, halves = [], [], []
    affine = [affine_fields(body.inertia) for body in bodies]
    bends = [np.moveaxis(body.stiffening, 0, 2) if body.stiffening.any() else np.zeros(0) for body in bodies]
    begin = np.cumsum([0, *(bend.size for bend in bends)])[:-1]
    for body in bodies:
        inertia, m = body.inertia, body.n_modes
        slope = inertia.inertia_gradient + np.swapaxes(inertia.inertia_gradient, 1, 2)
        half = 0.5 * (inertia.inertia_hessian + np.swapaxes(inertia.inertia_hessian, 2, 3)) + inertia.inertia_stiffening
        couplings.append(
            np.hstack((inertia.linear_coupling, inertia.angular_coupling, slope.reshape(m, 9)[:, _SYMMETRIC]))
        )
        seconds.append(
            np.concatenate((inertia.linear_stiffening, inertia.cross_coupling, inertia.angular_stiffening), axis=2)
        )
        halves.append(np.swapaxes(half, 0, 1).reshape(m, m, 9)[:, :, _SYMMETRIC])
    return arrays.ElasticBodies(
        np.array([body.inertia.mass for body in bodies], dtype=float),
        np.array([body.inertia.first_moment for body in bodies], dtype=float).reshape(-1, 3),
        np.array([body.inertia.inertia.ravel()[_SYMMETRIC] for body in bodies], dtype=float).reshape(-1, 6),
        _joined(couplings), _joined(seconds), _joined(halves), _joined([body.inertia.modal_mass for body in bodies]),
        _joined([body.stiffness for body in bodies]), _joined([body.damping for body in bodies]),
        np.array([body.inertia.is_stiffened for body in bodies], dtype=np.int64),
        np.array([a.theta.ravel() for a in affine], dtype=float).reshape(-1, 16),
        _joined([a.psi for a in affine]), _joined([a.field for a in affine]),
        np.array([at if bend.size else -1 for at, bend in zip(begin, bends, strict=True)], dtype=np.int64),
        _joined(bends),
    )  # fmt: skip


def pack_seats(seats: Sequence[Seat]) -> arrays.Seats:
    """Frames on links and the interfaces they move with."""
    n = len(seats)
    link, modes, shape_at, pair_at = (np.full(n, fill, dtype=np.int64) for fill in (-1, 0, 0, -1))
    frame, interface = np.zeros((n, 12)), np.zeros((n, 12))
    shapes: dict[bytes, tuple[int, Array]] = {}
    pairs: dict[bytes, tuple[int, Array]] = {}
    for s, seat in enumerate(seats):
        link[s], frame[s] = seat.link, frame_to_row(seat.frame)
        if seat.interface is not None:
            modes[s], interface[s] = seat.interface.shape.shape[1], frame_to_row(seat.interface.frame)
            shape_at[s] = _place(seat.interface.shape.T, shapes)
            if seat.interface.stiffening.any():
                pair_at[s] = _place(np.transpose(seat.interface.stiffening, (1, 2, 0)), pairs)
    rows_at = 6 * (np.cumsum(modes) - modes)
    joined = [_joined([table for _, table in tables.values()]) for tables in (shapes, pairs)]
    return arrays.Seats(link, modes, shape_at, pair_at, rows_at, frame, interface, *joined)


def new_motions(seats: arrays.Seats) -> arrays.SeatMotions:
    """Room for their motions at a state."""
    return zeros(arrays.SeatMotions, ns=len(seats.link), nr=6 * int(seats.modes.sum()))


def _place(table: Array, tables: dict[bytes, tuple[int, Array]]) -> int:
    """Where a table begins among others that lie one after another, equal ones once; it is added if it is new."""
    key, (begin, last) = table.tobytes(), next(reversed(tables.values()), (0, np.zeros(0)))
    return tables.setdefault(key, (begin + last.size, table))[0]
