"""The recursive algorithms as functions of a model, whose `Tree` is made when needed and anew when the model changes.

All of them take a state in relative coordinates (see `Tree.coordinates`) and give new arrays. Functions of time in the
model, loads and efforts, are taken at time `t`.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from cosserat.calls import answered
from cosserat.errors import SolveError, shown
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.model.parameters import Parameter
from cosserat.results.composed import Posture
from cosserat.solve.relative.quantities import Energy, ForwardDerivatives, InverseDerivatives
from cosserat.solve.relative.tree import Tree


class _KeptTree:
    """A tree, and the state of the model it was made from. Copies of a model come without."""

    __slots__ = ("changes", "modes", "parameters", "revision", "tree")

    def __init__(self, model: Model, tree: Tree, modes: Any) -> None:
        self.revision, self.changes = model.revision, Parameter.changes
        self.parameters, self.modes, self.tree = model.parameters, modes, tree

    def outlives(self, model: Model) -> bool:
        """Whether the model is what it was."""
        if self.revision != model.revision:
            return False
        if self.changes != Parameter.changes and self.parameters != model.parameters:
            return False
        self.changes = Parameter.changes
        return True

    def __reduce__(self) -> Any:
        return (_nothing, ())


def _nothing() -> None:
    return None


def any_tree(model: Model, t: float, modes: Any, call: str) -> Tree:
    """The tree of a model as it is now, rigid or not, at time t."""
    try:
        kept = model.derived
        if kept.revision == model.revision and kept.changes == Parameter.changes and kept.modes == modes:
            tree: Tree = kept.tree
            return tree if tree.time == t else _at_time(tree, t)
    except (AttributeError, ValueError):  # no model, nothing kept, or no time
        if not isinstance(model, Model):
            raise SolveError(f"expected a Model, got {shown(model)}") from None
        kept = None
    if kept is None or kept.modes != modes or not kept.outlives(model):
        kept = model.derived = _KeptTree(model, Tree(model, modes, call=call), copy.deepcopy(modes))
    return _at_time(kept.tree, t)


def _at_time(tree: Tree, t: Any) -> Tree:
    if not isinstance(t, (int, float, np.number)) or not np.isfinite(t):
        raise SolveError(f"t is {t!r}; pass a time in seconds")
    tree.set_time(float(t))
    return tree


def free_tree(model: Model, t: float, modes: Any, call: str) -> Tree:
    """The tree of a model whose accelerations no knife edge and no rolling disc restricts."""
    tree = any_tree(model, t, modes, call)
    if tree.rolling:
        raise SolveError(f"{call}: {tree.rolling[0]} restricts the motion; use cs.constrained_dynamics")
    return tree


@answered()
def inverse_dynamics(
    model: Model, q: Any, v: Any, a: Any, out: Any = None, t: float = 0.0, threads: int = 1, modes: Any = None
) -> Array:
    """Efforts that give a model the accelerations a: tau = M(q) a + h(q, v), in O(n).

    Parameters
    ----------
    model : Model
        Of closed loops one joint is cut: there are no forces between the two sides of the cut, see `Tree`.
    q, v, a : (n,) or (N, n)
        Coordinates, velocities, accelerations, in the order of `Tree.coordinates`; stacks are states side by side.
    out : array, optional
        Where to write.
    t : float
        Time of loads and efforts that are functions of time.
    threads : int
        For stacks, where all bodies are rigid.
    modes : int, or dict of int by beam
        Number of modes of each beam, see `FlexibleTree`. Models with beams need it, all calls alike.

    Returns
    -------
    (n,) or (N, n)
        What actuators must add to what acts in the model: gravity, springs, loads, and the stiffness, damping,
        friction and prescribed efforts of its joints.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> cs.inverse_dynamics(model, [0.0], [0.0], [1.0]).round(6)
    array([-17.52])
    """
    return any_tree(model, t, modes, "inverse_dynamics").inverse_dynamics(q, v, a, out, threads)


@answered()
def forward_dynamics(
    model: Model, q: Any, v: Any, tau: Any, out: Any = None, t: float = 0.0, threads: int = 1, modes: Any = None
) -> Array:
    """Accelerations (n,) or (N, n) of a model under efforts tau, in O(n); arguments as for `inverse_dynamics`.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> cs.forward_dynamics(model, [0.0], [0.0], [0.0]).round(6).tolist()  # 20 N m / 2.1 kg m^2
    [9.52381]
    """
    tree = free_tree(model, t, modes, "forward_dynamics")
    return tree.forward_dynamics(q, v, tau, out, threads)


@answered()
def mass_matrix(model: Model, q: Any, out: Any = None, threads: int = 1, modes: Any = None) -> Array:
    """Mass matrix M (n, n), or (N, n, n) for a stack of states.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> cs.mass_matrix(model, [0.0]).round(9).tolist()
    [[2.1]]
    """
    return any_tree(model, 0.0, modes, "mass_matrix").mass_matrix(q, out, threads)


@answered()
def bias(model: Model, q: Any, v: Any, out: Any = None, t: float = 0.0, threads: int = 1, modes: Any = None) -> Array:
    """h(q, v) (n,) or (N, n): the efforts that keep the velocities as they are.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> cs.bias(model, [0.0], [3.0]).round(9).tolist()
    [-20.0]
    """
    return any_tree(model, t, modes, "bias").bias(q, v, out, threads)


@answered()
def gravity_forces(model: Model, q: Any, out: Any = None, threads: int = 1, modes: Any = None) -> Array:
    """Efforts (n,) or (N, n) that hold the weight of the bodies at rest.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> cs.gravity_forces(model, [0.0]).round(9).tolist()
    [-20.0]
    """
    return any_tree(model, 0.0, modes, "gravity_forces").gravity_forces(q, out, threads)


@answered()
def inverse_dynamics_derivatives(
    model: Model, q: Any, v: Any, a: Any, out: Any = None, t: float = 0.0, threads: int = 1, modes: Any = None
) -> InverseDerivatives:
    """Analytic derivatives of the efforts: ``dq``, ``dv``, ``da``, each (n, n); see `Tree.moved` for d q.

    Stacks of states give (N, n, n).

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> cs.inverse_dynamics_derivatives(model, [0.0], [0.0], [0.0]).da.round(6).tolist()
    [[2.1]]
    """
    tree = any_tree(model, t, modes, "inverse_dynamics_derivatives")
    return tree.inverse_dynamics_derivatives(q, v, a, out, threads)


@answered()
def forward_dynamics_derivatives(
    model: Model, q: Any, v: Any, tau: Any, out: Any = None, t: float = 0.0, threads: int = 1, modes: Any = None
) -> ForwardDerivatives:
    """Analytic derivatives of the accelerations: ``dq``, ``dv``, ``dtau``, each (n, n), and ``a``, or stacks.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> cs.forward_dynamics_derivatives(model, [0.0], [0.0], [0.0]).dtau.round(6).tolist()
    [[0.47619]]
    """
    tree = free_tree(model, t, modes, "forward_dynamics_derivatives")
    return tree.forward_dynamics_derivatives(q, v, tau, out, threads)


@answered()
def jacobian(model: Model, place: Any, q: Any, frame: str = "world", modes: Any = None) -> Array:
    """Jacobian (6, n) of a place: its velocity and angular velocity are J v.

    Parameters
    ----------
    model : Model
    place : place
        As for `Run.position`: ``"hand"``, ``"hand.at(1, 0, 0)"``, ``body.at(point)``.
    q : (n,)
    frame : "world" or "body"
        World axes, or the axes of the place.
    modes : int, or dict of int by beam
        As for `inverse_dynamics`; places on elastic bodies are those where something is attached.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> (cs.jacobian(model, "bob", [0.0]).ravel().round(9) + 0.0).tolist()
    [0.0, 0.0, -1.0, 0.0, 1.0, 0.0]
    """
    return any_tree(model, 0.0, modes, "jacobian").jacobian(place, q, frame)


@answered()
def jacobian_rate(model: Model, place: Any, q: Any, v: Any, frame: str = "world", modes: Any = None) -> Array:
    """Time derivative (6, n) of `jacobian` at velocities v; `modes` as there.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> (cs.jacobian_rate(model, "bob", [0.0], [3.0]).ravel().round(9) + 0.0).tolist()
    [-3.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    return any_tree(model, 0.0, modes, "jacobian_rate").jacobian_rate(place, q, v, frame)


@answered()
def forward_kinematics(model: Model, q: Any, v: Any = None, a: Any = None, modes: Any = None) -> Posture:
    """Positions, rotations, velocities and accelerations of places at a state; `modes` as for `jacobian`.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> import math
    >>> cs.forward_kinematics(model, [math.pi / 2]).position("bob").round(9).tolist()
    [0.0, 0.0, -1.0]
    """
    return any_tree(model, 0.0, modes, "forward_kinematics").forward_kinematics(q, v, a)


@answered()
def centroidal_momentum(model: Model, q: Any, v: Any, modes: Any = None) -> Array:
    """Momentum and angular momentum (6,) about the centre of mass, in world axes.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> cs.centroidal_momentum(model, [0.0], [3.0]).round(9).tolist()
    [0.0, 0.0, -6.0, 0.0, 0.3, 0.0]
    """
    return any_tree(model, 0.0, modes, "centroidal_momentum").centroidal_momentum(q, v)


@answered()
def centroidal_matrix(model: Model, q: Any, modes: Any = None) -> Array:
    """Matrix (6, n) that takes velocities to `centroidal_momentum`.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> cs.centroidal_matrix(model, [0.0]).round(9).ravel().tolist()
    [0.0, 0.0, -2.0, 0.0, 0.1, 0.0]
    """
    return any_tree(model, 0.0, modes, "centroidal_matrix").centroidal_matrix(q)


@answered()
def energy(model: Model, q: Any, v: Any, modes: Any = None) -> Energy:
    """Kinetic, strain (elastic bodies, springs and joints) and potential energy of a state (J).

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> round(cs.energy(model, [0.0], [3.0]).kinetic, 9)
    9.45
    """
    return any_tree(model, 0.0, modes, "energy").energy(q, v)
