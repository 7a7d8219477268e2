"""The recursive algorithms as functions of a model, whose `Tree` is made when needed and anew when the model changes.

All of them take a state in relative coordinates (see `Tree.coordinates`) and give new arrays. Functions of time in the
model, loads and efforts, are taken at time `t`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.errors import SolveError
from cosserat.model.model import Model
from cosserat.model.parameters import Parameter
from cosserat.results.posture import Posture
from cosserat.solve.relative.tree import Energy, ForwardDerivatives, InverseDerivatives, Tree

Array = NDArray[np.float64]


class _Kept:
    """A tree, and the state of the model it was made from. Copies of a model come without."""

    __slots__ = ("changes", "parameters", "revision", "tree")

    def __init__(self, model: Model) -> None:
        self.revision, self.changes = model.revision, Parameter.changes
        self.parameters = model.parameters
        self.tree = Tree(model)

    def __reduce__(self) -> Any:
        return (_nothing, ())


def _nothing() -> None:
    return None


def tree_of(model: Model, t: float = 0.0) -> Tree:
    """The tree of a model as it is now, at time t."""
    try:
        kept = model.derived
        if kept.revision == model.revision and kept.changes == Parameter.changes and kept.tree.time == t:
            return kept.tree
    except AttributeError:
        if not isinstance(model, Model):
            raise SolveError(f"expected a Model, got {model!r}") from None
        kept = None
    if kept is None or kept.revision != model.revision:
        kept = model.derived = _Kept(model)
    elif kept.changes != Parameter.changes and kept.parameters != model.parameters:
        kept = model.derived = _Kept(model)
    kept.changes = Parameter.changes
    if not isinstance(t, (int, float, np.number)) or not np.isfinite(t):
        raise SolveError(f"t is {t!r}; pass a time in seconds")
    kept.tree.set_time(t)
    return kept.tree


def free_tree(model: Model, t: float, call: str) -> Tree:
    """The tree of a model whose accelerations no knife edge and no rolling disc restricts."""
    tree = tree_of(model, t)
    if tree.rolling:
        raise SolveError(f"{call}: {tree.rolling[0]} restricts the motion; use cs.constrained_dynamics")
    return tree


def inverse_dynamics(model: Model, q: Any, v: Any, a: Any, out: Any = None, t: float = 0.0, threads: int = 1) -> Array:
    """Efforts that give a model the accelerations a: tau = M(q) a + h(q, v), in O(n).

    Parameters
    ----------
    model : Model
        Of rigid bodies, without closed loops.
    q, v, a : (n,) or (N, n)
        Coordinates, velocities, accelerations, in the order of `Tree.coordinates`; stacks are states side by side.
    out : array, optional
        Where to write.
    t : float
        Time of loads and efforts that are functions of time.
    threads : int
        For stacks.

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
    return tree_of(model, t).inverse_dynamics(q, v, a, out, threads)


def forward_dynamics(
    model: Model, q: Any, v: Any, tau: Any, out: Any = None, t: float = 0.0, threads: int = 1
) -> Array:
    """Accelerations (n,) or (N, n) of a model under efforts tau, in O(n); arguments as for `inverse_dynamics`."""
    return free_tree(model, t, "forward_dynamics").forward_dynamics(q, v, tau, out, threads)


def mass_matrix(model: Model, q: Any, out: Any = None, threads: int = 1) -> Array:
    """Mass matrix M (n, n), or (N, n, n) for a stack of states."""
    return tree_of(model).mass_matrix(q, out, threads)


def bias(model: Model, q: Any, v: Any, out: Any = None, t: float = 0.0, threads: int = 1) -> Array:
    """h(q, v) (n,) or (N, n): the efforts that keep the velocities as they are."""
    return tree_of(model, t).bias(q, v, out, threads)


def gravity_forces(model: Model, q: Any, out: Any = None, threads: int = 1) -> Array:
    """Efforts (n,) or (N, n) that hold the weight of the bodies at rest."""
    return tree_of(model).gravity_forces(q, out, threads)


def inverse_dynamics_derivatives(
    model: Model, q: Any, v: Any, a: Any, out: Any = None, t: float = 0.0, threads: int = 1
) -> InverseDerivatives:
    """Analytic derivatives of the efforts: ``dq``, ``dv``, ``da``, each (n, n); see `Tree.moved` for d q.

    Stacks of states give (N, n, n).
    """
    return tree_of(model, t).inverse_dynamics_derivatives(q, v, a, out, threads)


def forward_dynamics_derivatives(
    model: Model, q: Any, v: Any, tau: Any, out: Any = None, t: float = 0.0, threads: int = 1
) -> ForwardDerivatives:
    """Analytic derivatives of the accelerations: ``dq``, ``dv``, ``dtau``, each (n, n), and ``a``, or stacks."""
    tree = free_tree(model, t, "forward_dynamics_derivatives")
    return tree.forward_dynamics_derivatives(q, v, tau, out, threads)


def jacobian(model: Model, place: Any, q: Any, frame: str = "world") -> Array:
    """Jacobian (6, n) of a place: its velocity and angular velocity are J v.

    Parameters
    ----------
    model : Model
    place : place
        As for `Run.position`: ``"hand"``, ``"hand.at(1, 0, 0)"``, ``body.at(point)``.
    q : (n,)
    frame : "world" or "body"
        World axes, or the axes of the place.
    """
    return tree_of(model).jacobian(place, q, frame)


def jacobian_rate(model: Model, place: Any, q: Any, v: Any, frame: str = "world") -> Array:
    """Time derivative (6, n) of `jacobian` at velocities v."""
    return tree_of(model).jacobian_rate(place, q, v, frame)


def forward_kinematics(model: Model, q: Any, v: Any = None, a: Any = None) -> Posture:
    """Positions, rotations, velocities and accelerations of places at a state."""
    return tree_of(model).forward_kinematics(q, v, a)


def centroidal_momentum(model: Model, q: Any, v: Any) -> Array:
    """Momentum and angular momentum (6,) about the centre of mass, in world axes."""
    return tree_of(model).centroidal_momentum(q, v)


def centroidal_matrix(model: Model, q: Any) -> Array:
    """Matrix (6, n) that takes velocities to `centroidal_momentum`."""
    return tree_of(model).centroidal_matrix(q)


def energy(model: Model, q: Any, v: Any) -> Energy:
    """Kinetic, strain (springs and joints) and potential energy of a state (J)."""
    return tree_of(model).energy(q, v)
