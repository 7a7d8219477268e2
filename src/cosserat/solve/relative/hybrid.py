"""Hybrid dynamics: joints driven by motions and joints driven by efforts in one mechanism, whose base may be free."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answered
from cosserat.compile.tree import TreeData
from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.solve.relative.recursion import free_tree
from cosserat.solve.relative.tree import Tree


@dataclass(frozen=True)
class HybridDynamics:
    """Accelerations and efforts of all coordinates, the given half and the half that was found.

    Attributes
    ----------
    coordinates : tuple of str
        As in `Tree.coordinates`.
    driven : (n,) of bool
        True where the acceleration was given.
    a, tau : (n,) or (N, n)
        Accelerations, and what actuators add. Where the call had no wrenches and the model has no closed loops, tau is
        `inverse_dynamics` of a.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> found = cs.hybrid_dynamics(model, [0.0], [0.0], motions={"hinge": 1.0})
    >>> round(found.efforts["hinge"], 9)  # inertia 2.1 less the weight's 20
    -17.9
    """

    coordinates: tuple[str, ...]
    driven: NDArray[np.bool_]
    a: Array
    tau: Array

    @property
    def efforts(self) -> dict[str, Any]:
        """The efforts found, by coordinate: numbers, or rows of them for a stack of states."""
        return {c: _number(x) for c, x, known in zip(self.coordinates, self.tau.T, self.driven, strict=True) if known}

    @property
    def accelerations(self) -> dict[str, Any]:
        """The accelerations found, by coordinate; those of a free base among them."""
        return {c: _number(x) for c, x, known in zip(self.coordinates, self.a.T, self.driven, strict=True) if not known}


def _number(x: Any) -> Any:
    """A number where there is one, an array (n_states,) where there are several."""
    return float(x) if np.ndim(x) == 0 else x


@answered()
def hybrid_dynamics(
    model: Model,
    q: Any,
    v: Any,
    motions: Mapping[str, Any] | None = None,
    efforts: Mapping[str, Any] | None = None,
    wrenches: Mapping[Any, Any] | None = None,
    t: float = 0.0,
    threads: int = 1,
    modes: Any = None,
) -> HybridDynamics:
    """The unknown half of the dynamics, in O(n): efforts of joints with given motions, accelerations of all others.

    Which joint motions move a free body, and how, is the locomotion problem of [Boyer05], section 6: the joints are
    given their motions, and the free base its effort, which is zero.

    Closed loops stay closed, by forces in the joint of each that is cut. Motions of more coordinates than the mechanism
    has freedoms must agree with one another; the efforts are then not the only ones, and those with the least forces in
    the cuts are found.

    Parameters
    ----------
    model : Model
        Joints of closed loops that are cut have no coordinates, see `Tree`, and take no motions or efforts here.
    q, v : (n,) or (N, n)
        Coordinates and velocities of the whole state, in the order of `Tree.coordinates`; stacks are states side by
        side, under the same motions and efforts (`Tree.hybrid_dynamics` takes stacks of those, too).
    motions : dict, optional
        Accelerations by the name of a joint, of a free base (its first body) or of one coordinate: a number, or one for
        each freedom. Joints with ``motion=`` in the model are motion-driven without being named: their accelerations
        are those of their functions at time t.
    efforts : dict, optional
        What actuators add, by the same names, in joints that have no motion; zero where nothing is given. Efforts
        that the model itself has act in any case.
    wrenches : dict, optional
        Force and moment (6,), in world axes, by the place they act at: those of a fluid on its links, say. For one
        state. Places on elastic bodies are those where something is attached, and the ends of beams.
    t : float
        Time of everything in the model that is a function of time.
    threads : int
        For stacks, where all bodies are rigid.
    modes : int, or dict of int by beam
        Number of modes of each beam, see `FlexibleTree`. Modes are free to vibrate unless a motion is given for them.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("two discs")
    >>> hub = model.add(cs.RigidBody("hub", mass=1.0, com=(0, 0, 0), inertia=(2, 2, 3)))
    >>> wheel = model.add(cs.RigidBody("wheel", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    >>> motor = model.add(cs.Revolute("motor", hub, wheel, axis=(0, 0, 1)))
    >>> found = cs.hybrid_dynamics(model, np.zeros(7), np.zeros(7), motions={"motor": 4.0})
    >>> round(found.accelerations["hub.rz"], 12), round(found.efforts["motor"], 12)
    (-1.0, 3.0)
    """
    call = "hybrid_dynamics"
    tree = free_tree(model, t, modes, call)
    data = tree.data
    n = len(tree.coordinates)
    driven, given = np.zeros(n), np.zeros(n)
    for k, value in _entries(motions, "motions", data):
        driven[k], given[k] = 1.0, value
    _drive_by_model(data, t, driven, given)
    for k, value in _entries(efforts, "efforts", data):
        if driven[k] != 0.0:
            raise SolveError(
                f"{call}: {tree.coordinates[k]!r} has both a motion and an effort; give the motion and the effort is "
                "found, or the effort and the motion is found, never both"
            )
        given[k] = value
    pull = _on_coordinates(tree, model, wrenches, q) if wrenches is not None else None
    a, tau = tree.hybrid_dynamics(q, v, driven, given, threads=threads, pull=pull)
    return HybridDynamics(tree.coordinates, driven != 0.0, a, tau)


def _entries(given: Mapping[str, Any] | None, word: str, data: TreeData) -> list[tuple[int, float]]:
    """Coordinates and values of what a user gave by name."""
    if given is None:
        return []
    call = "hybrid_dynamics"
    if not isinstance(given, Mapping):
        raise SolveError(f"{call}: {word} is {given!r}; pass a dict by the names of joints, such as {{'hip': 1.0}}")
    out: list[tuple[int, float]] = []
    taken: dict[int, str] = {}
    for name, value in given.items():
        where = data.named.get(name)
        if where is None:
            if any(name in (loop.joint.name, *loop.joint.coordinates) for loop in data.loops):
                raise SolveError(
                    f"{call}: {word} names {name!r}, the joint where a closed loop is cut, which has no coordinates; "
                    "name other joints of the loop"
                )
            known = ", ".join(sorted(data.named)[:12])
            raise SolveError(f"{call}: {word} names {name!r}; joints, free bases and coordinates: {known}")
        for k, x in zip(where, _finite(f"{word}[{name!r}]", value, len(where)), strict=True):
            if k in taken:
                raise SolveError(f"{call}: {word} gives the same freedom twice, by {taken[k]!r} and by {name!r}")
            taken[k] = name
            out.append((k, x))
    return out


def _finite(what: str, value: Any, count: int) -> Sequence[float]:
    if count == 1 and isinstance(value, float) and math.isfinite(value):
        return (value,)
    try:
        values = np.atleast_1d(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (count,) or not np.isfinite(values).all():
        raise SolveError(f"hybrid_dynamics: {what} is {value!r}; expected {count} finite number(s)")
    return values.tolist()


def _drive_by_model(data: TreeData, t: float, driven: Array, given: Array) -> None:
    """Accelerations of the model's own motions, where none was given."""
    for k, joint, motion in data.prescribed:
        if driven[k] != 0.0:
            continue
        if joint.kind in ("spherical", "free"):
            raise SolveError(
                f"hybrid_dynamics: joint {joint.name!r} has a motion in the model, in coordinates whose second "
                f"derivatives are not its accelerations; pass motions={{{joint.name!r}: (...)}} with the "
                "derivatives of its velocities"
            )
        driven[k], given[k] = 1.0, motion.jet([t])[2][0]


def _on_coordinates(tree: Tree, model: Model, wrenches: Mapping[Any, Any], q: Any) -> Array:
    """What wrenches at places, in world axes, do in the coordinates (n,)."""
    call, out = "hybrid_dynamics", np.zeros(len(tree.coordinates))
    if not isinstance(wrenches, Mapping):
        raise SolveError(f"{call}: wrenches is {wrenches!r}; pass a dict by places, such as {{'hand': (...)}}")
    for given, value in wrenches.items():
        place = model.place(given, call)
        wrench = np.array(_finite(f"the wrench at {place.label!r}", value, 6))
        if not tree.carries(place, call):
            raise SolveError(f"{call}: a wrench acts at {place.label!r}, which is fixed to the ground")
        out += tree.jacobian(place, q).T @ wrench
    return out
