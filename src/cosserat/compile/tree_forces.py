"""Rigid links of a tree as a table, and what acts on a tree besides gravity: springs, loads, efforts of joints.

The table is that which `kernels.recursion` reads, see `kernels.recursion.table`. Efforts of joints are stiffness,
damping, friction, efforts, servos.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cosserat.compile.compiled import frame_to_row
from cosserat.compile.joints import coordinate_laws, ints
from cosserat.compile.loads import given_tensions, line_arrays
from cosserat.compile.timetable import WrenchSource
from cosserat.compile.tree import Link, TreeData
from cosserat.kernels.arrays import Loads, Springs
from cosserat.kernels.recursion import table as layout
from cosserat.kernels.recursion.forces import DRIVE, TARGET
from cosserat.lie import so3
from cosserat.lie.protocol import Array
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.model import Model
from cosserat.model.places import Place


class LinkTable:
    """Packs the links of a tree.

    Attributes
    ----------
    dof : tuple of int
        First freedom of each link, counted from link to link.
    order : (3, n_v)
        Coordinate, start of the run and freedom before the run of every freedom.
    """

    def __init__(self, data: TreeData) -> None:
        self._links, self._armatures = data.links, data.armatures
        self._n, self._n_v = len(data.links), len(data.coordinates)
        self._last_child = {link.parent: i for i, link in enumerate(data.links)}
        self.dof = tuple(int(k) for k in np.cumsum([0, *(link.n_v for link in data.links)]))
        self.order = self._order()

    def _order(self) -> Array:
        out = np.zeros((3, self._n_v))
        for i, link in enumerate(self._links):
            own = np.arange(link.n_v)
            at = self.dof[i]
            before = -1 if link.parent < 0 else self.dof[link.parent + 1] - 1
            joined = before == at - 1 and before >= 0
            out[0, at + own] = link.first + own
            out[1, at + own] = out[1, before] if joined else at
            out[2, at + own] = out[2, before] if joined else before
        return out

    def packed(self, gravity: Array, forced: bool) -> Array:
        """Header, one row per link, order, workspace; `forced`: whether more than gravity acts."""
        n, n_v = self._n, self._n_v
        order = layout.HEADER + n * layout.ROW
        work = order + 3 * n_v
        own, angles, wrench, effort, size = layout.work_places(n, n_v)
        out = np.zeros(work + size + layout.spatial_size(n, n_v))
        out[layout.N_LINKS], out[layout.N_V], out[layout.FORCES] = n, n_v, forced
        out[layout.ORDER], out[layout.WORK], out[layout.SPATIAL] = order, work, work + size
        out[layout.ANGLES], out[layout.WRENCH], out[layout.EFFORT] = angles, wrench, effort
        out[layout.GRAVITY : layout.GRAVITY + 3] = gravity
        out[order:work] = self.order.ravel()
        rows = out[layout.HEADER : order].reshape(n, layout.ROW)
        for i, (row, link) in enumerate(zip(rows, self._links, strict=True)):
            self._fill_row(i, link, row)
        places = out[work : work + own].reshape(n + 1, layout.W_ROW)
        places[:n, :12] = rows[:, layout.FRAME : layout.FRAME + 12]
        places[n, layout.W_ACCELERATION : layout.W_ACCELERATION + 3] = -np.asarray(gravity)
        inertias = out[work + own : work + angles].reshape(n, layout.W_OWN)
        for inertia, row in zip(inertias, rows, strict=True):
            inertia[[0, 3, 5]] = row[layout.MASS]
            inertia[6:15] = -so3.hat(row[layout.MOMENT : layout.MOMENT + 3]).ravel()
            inertia[15:] = row[layout.INERTIA : layout.INERTIA + 6]
        return out

    def _fill_row(self, i: int, link: Link, row: Array) -> None:
        """Constants of a link."""
        n, H, M = self._n, link.base.frame, link.inertia
        row[: layout.ABOVE] = link.kind, link.parent, link.first, link.slide, link.turn
        if link.n_v == 1 and self._armatures[link.first] != 0.0:  # a hinge is a special screw
            row[layout.KIND], row[layout.ARMATURE] = layout.SCREW, self._armatures[link.first]
        row[layout.ABOVE] = layout.W_ROW * (n if link.parent < 0 else link.parent)
        row[layout.COUNT : layout.FRAME] = link.n_v, self.dof[i]
        row[layout.FRAME : layout.FRAME + 12] = *H[:3, :3].ravel(), *H[:3, 3]
        row[layout.MASS], row[layout.MOMENT : layout.MOMENT + 3] = M[0, 0], (M[5, 1], M[3, 2], M[4, 0])
        row[layout.INERTIA : layout.INERTIA + 6] = M[3:, 3:][np.triu_indices(3)]
        alone = layout.work_places(n, self._n_v)[0]
        row[layout.TOTAL] = layout.W_ROW * i + layout.W_INERTIA if i in self._last_child else alone + layout.W_OWN * i
        if link.parent >= 0:  # the last child is the first to be added
            first = self._last_child[link.parent] == i
            row[layout.BEFORE] = alone + layout.W_OWN * link.parent if first else row[layout.ABOVE] + layout.W_INERTIA


@dataclass(frozen=True)
class TreeForces:
    """Arrays for `kernels.recursion.forces`, and the functions of time behind them."""

    springs: Springs
    loads: Loads
    passive: Array  # (9, n_v) see `kernels.tree_joints`, then efforts, targets of servos
    wrench: Array  # (n_loads, 6) sampled
    efforts: tuple[tuple[int, int, TimeFunction], ...]  # row (effort or target), coordinate, function
    wrenches: tuple[WrenchSource, ...]
    tensions: tuple[tuple[int, TimeFunction], ...]  # number of the tendon, function

    @property
    def present(self) -> bool:
        """Whether there is anything."""
        acting = np.any(self.passive[:3]) or self.efforts or len(self.loads.column) or len(self.springs.stiffness)
        return bool(acting)

    @property
    def constant(self) -> bool:
        """Whether nothing depends on time."""
        functions: list[TimeFunction | VectorFunction] = [
            f for s in self.wrenches for f in (s.force, s.moment) if f is not None
        ]
        functions += [f for _, _, f in self.efforts] + [f for _, f in self.tensions]
        return all(f.is_constant for f in functions)

    def sample(self, t: float) -> None:
        """Take efforts and loads at time t."""
        at = np.array([t])
        for row, k, effort in self.efforts:
            self.passive[row, k] = effort.sample(at)[0]
        for k, tension in self.tensions:
            self.springs.given[k] = tension.sample(at)[0]
        for wrench, source in zip(self.wrench, self.wrenches, strict=True):
            wrench[:3] = 0.0 if source.force is None else source.force.sample(at)[0]
            wrench[3:] = 0.0 if source.moment is None else source.moment.sample(at)[0]


def compile_forces(model: Model, tree: TreeData) -> TreeForces:
    """Forces of a model on the links of its tree; the ground is the node after the last link."""
    n = len(tree.links)

    def node(place: Place) -> tuple[int, Array]:
        seat = tree.seat(place)
        return (n if seat.link < 0 else seat.link), seat.frame

    springs = line_arrays(model.springs, [[node(place) for place in link.places] for link in model.springs])
    rows = []
    for load in model.loads:
        link, frame = node(load.place)
        if link < n:  # components are in world axes of the reference configuration, carried by the link
            frame = frame.copy()
            frame[:3, :3] = tree.links[link].frame[:3, :3].T
        rows.append((link, frame_to_row(frame), int(load.follower)))
    loads = Loads(
        node=ints([link for link, _, _ in rows]),
        frame=np.array([frame for _, frame, _ in rows]).reshape(-1, 12),
        follower=ints([follower for _, _, follower in rows]),
        gain=np.tile(np.eye(6), (len(rows), 1, 1)),
        column=ints(range(len(rows))),
        block=ints([]),
    )
    laws = coordinate_laws(model, tree.coordinates)
    passive = np.vstack((laws.passive, np.zeros((2, len(tree.coordinates)))))
    efforts = [(DRIVE, k, effort) for k, effort in laws.efforts]
    efforts += [(TARGET, k, target) for _, k, target in laws.targets]
    sources = tuple(WrenchSource(load.force, load.moment) for load in model.loads)
    tensions = tuple(given_tensions(model.springs).items())
    forces = TreeForces(springs, loads, passive, np.zeros((len(rows), 6)), tuple(efforts), sources, tensions)
    forces.sample(0.0)
    return forces
