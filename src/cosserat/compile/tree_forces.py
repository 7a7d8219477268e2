"""What acts on a tree besides gravity: springs, loads, and stiffness, damping, friction, efforts, servos of joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cosserat.compile.compiled import frame_to_row
from cosserat.compile.inputs import WrenchSource
from cosserat.compile.joints import coordinate_laws, ints
from cosserat.compile.loads import given_tensions, line_arrays
from cosserat.compile.tree import TreeData
from cosserat.kernels.arrays import Loads, Springs
from cosserat.kernels.recursion.forces import DRIVE, TARGET
from cosserat.lie.protocol import Array
from cosserat.model.functions import TimeFunction, VectorFunction
from cosserat.model.model import Model
from cosserat.model.places import Place


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
