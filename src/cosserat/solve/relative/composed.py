"""Composed vectors of a model at a state, from the screws of its joints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answered
from cosserat.compile.tree import refuse_all_but_rigid, refuse_armatures
from cosserat.lie import se3
from cosserat.model.model import Model
from cosserat.model.places import Place
from cosserat.results.composed import ComposedVectors
from cosserat.results.posture import Posture
from cosserat.solve.relative.lane_engine import LaneEngine
from cosserat.solve.relative.recursion import any_tree
from cosserat.solve.relative.tree import Tree

Array = NDArray[np.float64]


@answered()
def composed_vectors(model: Model, q: Any, v: Any = None, tau: Any = None, t: float = 0.0) -> ComposedVectors:
    """Composed vectors of a tree of rigid bodies, with mass matrix, Christoffel brackets and generalised forces.

    Exact: derivatives of the velocities follow from the screws of the joints. The work grows with n^2 N for n
    coordinates and N bodies; for speed alone take `forward_dynamics`.

    Parameters
    ----------
    model : Model
        Of rigid bodies, without closed loops; every kind of joint.
    q : (n,)
        Coordinates, in the order of `Tree.coordinates`.
    v : (n,), optional
        Velocities; zero by default.
    tau : (n,), optional
        What actuators add to the efforts that the model itself has in its joints.
    t : float
        Time of loads and efforts that are functions of time.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> vectors = cs.composed_vectors(model, [0.0])
    >>> vectors.velocities.round(6) + 0.0
    array([[ 0.,  0., -1.,  0.,  1.,  0.]])
    >>> vectors.mass_matrix.round(6), vectors.generalised_forces.round(6)
    (array([[2.1]]), array([20.]))
    """
    refuse_all_but_rigid("composed_vectors", model)
    return vectors_of(model, any_tree(model, t, None, "composed_vectors"), q, v, tau)


def vectors_of(model: Model, tree: Tree, q: Any, v: Any, tau: Any) -> ComposedVectors:
    """`composed_vectors` at the time of the tree."""
    refuse_all_but_rigid("composed_vectors", model)
    refuse_armatures("composed_vectors", model)
    tree.data.spanning.demand_tree(model.title)
    n = len(tree.coordinates)
    q, v, tau = (tree.neutral() if x is None else x for x in (q, v, tau))
    q, v, tau = tree.vectors("composed_vectors", q=q, v=v, tau=tau)
    bodies = [body for body in model.bodies if tree.data.carrier[body.name] >= 0]
    posture = tree.forward_kinematics(q)
    J = np.stack([tree.jacobian(body, q).T for body in bodies], axis=1)  # (n, N, 6)
    dv, dw = _column_derivatives(J, _links_of_freedoms(tree))
    inertia = np.stack([R @ body.inertia @ R.T for body in bodies for R in [posture.rotation(body)]])
    mass = np.array([body.mass for body in bodies])
    spin = J[..., 3:]
    turning = np.einsum("bij,abj->abi", inertia, spin)
    momenta = np.concatenate((mass[:, None] * J[..., :3], turning), axis=2)
    gyration = np.einsum("bij,acbj->acbi", inertia, dw) + np.cross(spin[:, None], turning[None])
    quadratic = np.concatenate((mass[:, None] * dv, gyration), axis=3)
    forces = _forces(tree, posture, J, {body.name: i for i, body in enumerate(bodies)}, q, v, tau)
    forces[:, :3] += mass[:, None] * model.gravity
    return ComposedVectors(
        tree.coordinates,
        tuple(body.name for body in bodies),
        v,
        J.reshape(n, -1),
        momenta.reshape(n, -1),
        quadratic.reshape(n, n, -1),
        forces.ravel(),
    )


def _links_of_freedoms(tree: Tree) -> NDArray[np.int64]:
    """Number of the link that each freedom moves; on the way to a body, inner links come first."""
    out = np.empty(len(tree.coordinates), dtype=np.int64)
    for i, link in enumerate(tree.data.links):
        out[link.first : link.first + link.n_v] = i
    return out


def _column_derivatives(J: Array, link: NDArray[np.int64]) -> tuple[Array, Array]:
    """d v_beta/d q_gamma and d omega_beta/d q_gamma (n, n, N, 3) of the velocities J (n, N, 6) of N bodies.

    A freedom gamma that is not further out than beta carries the axis of beta and the body alike and turns both, one
    further out moves the body along v_gamma past the axis of beta:
    d v_beta = omega_gamma x v_beta, d omega_beta = omega_gamma x omega_beta; d v_beta = omega_beta x v_gamma, 0.
    """
    u, w = J[..., :3], J[..., 3:]
    inner = (link[None, :] <= link[:, None])[:, :, None, None]  # gamma is not further out than beta
    carried, passed = np.cross(w[None], u[:, None]), np.cross(w[:, None], u[None])
    return np.where(inner, carried, passed), np.where(inner, np.cross(w[None], w[:, None]), 0.0)


def _forces(
    tree: Tree, posture: Posture, J: Array, number: dict[str, int], q: Array, v: Array, tau: Array
) -> Array:
    """Springs, loads and efforts of joints as wrenches (N, 6) on the bodies, about their centres, in world axes.

    What acts on bodies that are fixed to one another is put on the first of them.
    """
    out = np.zeros((len(number), 6))
    assert isinstance(tree.engine, LaneEngine)
    wrenches, efforts = tree.engine.own_forces(q, v)
    efforts = efforts + tau
    centres = {name: posture.position(name) for name in number}
    links = tree.data.links
    joined: list[int] = []  # freedoms of the joint so far
    inner = -1
    for wrench, link in zip(wrenches, links, strict=True):
        if not joined:
            inner = link.parent
        joined += range(link.first, link.first + link.n_v)
        if not link.bodies:
            continue  # a massless part of a joint, whose efforts act on the bodies beyond
        outer = link.bodies[0].name
        at = number[outer]
        F = tree.data.seat(Place(link.bodies[0])).frame
        H = posture.frame(outer) @ se3.inverse(F)
        _add(out[at], H[:3, :3] @ wrench[:3], H[:3, :3] @ wrench[3:], H[:3, 3] - centres[outer])
        # the least wrench about the joint that does the work of the efforts
        arm = H[:3, 3] - centres[outer]
        axes = J[joined, at].copy()
        axes[:, :3] += np.cross(axes[:, 3:], arm)
        f, m = np.split(np.linalg.pinv(axes) @ efforts[joined], 2)
        _add(out[at], f, m, arm)
        if inner >= 0:
            carrier = links[inner].bodies[0].name
            _add(out[number[carrier]], -f, -m, H[:3, 3] - centres[carrier])
        joined = []
    return out


def _add(wrench_out: Array, f: Array, m: Array, arm: Array) -> None:
    """Add a force and a moment at an arm from the centre."""
    wrench_out[:3] += f
    wrench_out[3:] += m + np.cross(arm, f)
