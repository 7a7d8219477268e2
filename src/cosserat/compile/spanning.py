"""Which bodies hang on which: rigid groups, the joints that span a tree, and those cut where bodies form loops."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from cosserat.errors import ModelError
from cosserat.lie.protocol import Array
from cosserat.model.beams import Beam
from cosserat.model.bodies import RigidBody
from cosserat.model.joints import Joint
from cosserat.model.modal import ModalBody
from cosserat.model.model import Model
from cosserat.model.places import GROUND

Item = TypeVar("Item", bound=Hashable)

GROUND_GROUP = 0


@dataclass(frozen=True)
class Edge:
    """A joint of the tree, walked from the inner group to the outer one; None stands for a free base."""

    joint: Joint | None
    inner: int
    outer: int
    reverse: bool  # the joint's child is the inner group


@dataclass(frozen=True)
class Loop:
    """A joint that was cut, and the joints of the tree that close the loop through it.

    One with an armature is cut behind it: it ends in a massless shaft, which is held to the other body.
    """

    joint: Joint
    through: tuple[str, ...]

    @property
    def geared(self) -> bool:
        """Whether it has an armature."""
        return any(self.joint.armature)


@dataclass(frozen=True)
class Spanning:
    """A spanning tree of the groups; group 0 is the ground and what is fixed to it."""

    group: dict[str, int]  # body -> group
    bodies: tuple[tuple[RigidBody, ...], ...]  # of each group
    elastic: tuple[Beam | ModalBody | None, ...]  # of each group: the elastic body it consists of, if it does
    edges: tuple[Edge, ...]  # from the ground outwards, depth first: a chain has consecutive edges
    loops: tuple[Loop, ...]

    def demand_tree(self, title: str) -> None:
        """Raise if there are loops."""
        if self.loops:
            loop = self.loops[0]
            around = ", ".join(repr(name) for name in (*loop.through, loop.joint.name))
            raise ModelError(
                f"{title}: the joints {around} form a closed loop, and this call needs a tree; remove a joint of the "
                f"loop such as {loop.joint.name!r}, or use cs.simulate, which closes loops by constraints"
            )


def span(model: Model, loose: Collection[str] = ()) -> Spanning:
    """Group rigid bodies that are fixed to each other and choose the joints of a tree.

    An elastic body is a group of its own; what is fixed to it hangs on it by a joint without freedoms.

    Of the joints of a loop the one with most undriven freedoms is cut, the last added among equals: that leaves the
    fewest coordinates and constraints, and keeps driven joints in the tree. Joints with an armature are kept. Those
    with names in `loose`, which may open, are cut whether they close a loop or not.
    """
    bendable: list[Beam | ModalBody] = [*model.beams, *model.modal_bodies]
    elastic = {body.name: body for body in bendable}
    root = DisjointSets([GROUND.name, *(body.name for body in model.bodies), *elastic])
    movable = []
    for joint in model.joints:
        if joint.name in loose:
            continue
        if joint.kind == "fixed" and not {joint.parent.owner.name, joint.child.owner.name} & elastic.keys():
            root.join(joint.parent.owner.name, joint.child.owner.name)
        else:
            movable.append(joint)
    number: dict[str, int] = {}
    for name in root.items:
        number.setdefault(root.find(name), len(number))
    group = {name: number[root.find(name)] for name in root.items}
    bodies: list[list[RigidBody]] = [[] for _ in number]
    for body in model.bodies:
        bodies[group[body.name]].append(body)
    members: list[Beam | ModalBody | None] = [None] * len(number)
    for name, member in elastic.items():
        members[group[name]] = member

    kept: list[Joint] = []
    cut = [joint for joint in model.joints if joint.name in loose]
    order = {joint.name: i for i, joint in enumerate((*movable, *cut))}
    for joint in sorted(movable, key=lambda j: (not any(j.armature), sum(m is None for m in j.motion), order[j.name])):
        (kept if root.join(joint.parent.owner.name, joint.child.owner.name) else cut).append(joint)
    for joint in cut:
        if any(joint.armature) and not all(joint.armature):
            raise ModelError(
                f"{joint.title}: armature is given to all joints of a closed loop, and relative coordinates leave one "
                "of them out; this one needs an armature in all of its freedoms or in none, or formulation='galilean'"
            )
    edges = _walk(sorted(kept, key=lambda j: order[j.name]), group, len(number))
    above = {edge.outer: edge for edge in edges}
    loops = tuple(
        Loop(joint, _path(above, group[joint.parent.owner.name], group[joint.child.owner.name]))
        for joint in sorted(cut, key=lambda j: order[j.name])
    )
    return Spanning(group, tuple(tuple(b) for b in bodies), tuple(members), tuple(edges), loops)


def moment_at_rest(model: Model, carrier: dict[str, int]) -> Array:
    """Mass times centre of mass (3,) of the rigid bodies that are fixed to the ground, which no link carries (kg m)."""
    return sum((body.mass * body.com for body in model.bodies if carrier[body.name] < 0), np.zeros(3))


def potential_at_rest(gravity: Array, moment: Array) -> float:
    """Potential energy (J) of what is fixed to the ground, with its `moment_at_rest`."""
    return -float(gravity @ moment)


def _walk(joints: list[Joint], group: dict[str, int], n_groups: int) -> list[Edge]:
    """Edges depth first from the ground; a group that cannot be reached gets a free base, the first body's first."""
    near: list[list[tuple[Joint, int, bool]]] = [[] for _ in range(n_groups)]
    for joint in joints:
        a, b = group[joint.parent.owner.name], group[joint.child.owner.name]
        near[a].append((joint, b, False))
        near[b].append((joint, a, True))
    seen = [False] * n_groups
    edges: list[Edge] = []
    for start in range(n_groups):
        if seen[start]:
            continue
        first = Edge(None, GROUND_GROUP, start, False)
        stack = [first]
        while stack:
            edge = stack.pop()
            at = edge.outer
            seen[at] = True
            if at != GROUND_GROUP:
                edges.append(edge)
            stack += [Edge(j, at, other, back) for j, other, back in reversed(near[at]) if not seen[other]]
    return edges


def _path(above: dict[int, Edge], a: int, b: int) -> tuple[str, ...]:
    """Names of the joints between two groups of the tree."""

    def upwards(at: int) -> list[Edge]:
        edges = []
        while at in above:
            edges.append(above[at])
            at = above[at].inner
        return edges

    one, two = upwards(a), upwards(b)
    while one and two and one[-1] == two[-1]:
        one.pop()
        two.pop()
    return tuple(edge.joint.name for edge in (*one, *reversed(two)) if edge.joint is not None)


class DisjointSets(Generic[Item]):
    """Disjoint sets of items, of which pairs are joined one after another; the first item of a set stands for it."""

    def __init__(self, items: Iterable[Item]) -> None:
        self.items = list(items)
        self._above = {item: item for item in self.items}
        self._order = {item: i for i, item in enumerate(self.items)}

    def find(self, item: Item) -> Item:
        """The item that stands for the set of an item."""
        while self._above[item] != item:
            self._above[item] = self._above[self._above[item]]
            item = self._above[item]
        return item

    def join(self, a: Item, b: Item) -> bool:
        """Unite two sets; False if they are one already."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        first, second = sorted((a, b), key=self._order.__getitem__)
        self._above[second] = first
        return True
