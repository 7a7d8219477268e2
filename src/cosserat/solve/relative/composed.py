"""Composed vectors of a model at a state, from the motions of its links.

A body has six numbers y, its velocity and angular velocity in world axes, and one for each of its modes. They follow
from the velocities z of its link, y = B z, so that forces on the link become B^-T of them.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from cosserat.calls import answered
from cosserat.compile.modal_dynamics import Seat
from cosserat.compile.tree import TreeData, refuse_armatures, refuse_state_loads
from cosserat.kernels.flexible.arrays import Z
from cosserat.lie import se3, so3
from cosserat.lie.protocol import Array
from cosserat.model.bodies import RigidBody
from cosserat.model.model import Model
from cosserat.model.places import Place
from cosserat.results.composed import ComposedVectors
from cosserat.solve.relative.coordinates import bracket
from cosserat.solve.relative.flexible_recursion import Motions, accelerations, projected
from cosserat.solve.relative.recursion import any_tree
from cosserat.solve.relative.tree import Tree


@answered()
def composed_vectors(
    model: Model, q: Any, v: Any = None, tau: Any = None, t: float = 0.0, modes: Any = None
) -> ComposedVectors:
    """Composed vectors of a model, with mass matrix, Christoffel brackets and generalised forces.

    Exact: what velocities add to accelerations is quadratic in them, and its values at pairs of unit velocities give
    all products. The work grows with n^2 N for n coordinates and N bodies; for speed alone take `forward_dynamics`.

    Parameters
    ----------
    model : Model
        Every kind of joint, rigid and elastic bodies. Closed loops are cut, see `Tree`; what closes them is
        `constraint_forces`.
    q : (n,)
        Coordinates, in the order of `Tree.coordinates`.
    v : (n,), optional
        Velocities; zero by default.
    tau : (n,), optional
        What actuators add to the efforts that the model itself has in its joints.
    t : float
        Time of loads and efforts that are functions of time.
    modes : int, or dict of int by beam
        Number of modes of each beam, see `Tree`.

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
    refuse_state_loads("composed_vectors", model)
    return vectors_of(model, any_tree(model, t, modes, "composed_vectors"), q, v, tau)


def vectors_of(model: Model, tree: Tree, q: Any, v: Any, tau: Any) -> ComposedVectors:
    """`composed_vectors` at the time of the tree."""
    refuse_state_loads("composed_vectors", model)
    refuse_armatures("composed_vectors", model)
    q, v, tau = (tree.neutral() if x is None else x for x in (q, v, tau))
    q, v, tau = tree.vectors("composed_vectors", q=q, v=v, tau=tau)
    now = Motions(tree.data).move(q, v)
    velocities = projected(now, np.eye(tree.data.arrays.n_z)).T
    quadratic = _Quadratic(now, q)
    acting = _on_links(tree, now, velocities, q, *tree.engine.own_forces(q, v), tau)
    bodies, served, parts = _bodies(model, now), set(), []
    for body in bodies:
        unit = velocities[:, body.slots] @ body.B.T
        XY = quadratic.symmetric(body)
        forces = body.inertia[:, :3] @ model.gravity
        if body.rigid is None:
            forces -= quadratic.lower(body, v)  # stiffness and damping of its modes
        else:
            XY += quadratic.skew(body, unit)
        if body.link not in served:  # of bodies fixed to one another, what acts is put on the first
            served.add(body.link)
            forces += np.linalg.solve(body.B.T, acting[body.slots])
        parts.append((unit, unit @ body.inertia, XY, forces))
    unit, momenta, XY, forces = (np.concatenate(vectors, axis=-1) for vectors in zip(*parts, strict=True))
    names, modes = tuple(body.name for body in bodies), tuple(len(body.inertia) - 6 for body in bodies)
    closing = np.zeros(len(q))
    if tree.data.spanning.loops:  # inverse dynamics has no forces in the cuts, forward dynamics has
        closing = tree.inverse_dynamics(q, v, tree.forward_dynamics(q, v, tau)) - tau
    return ComposedVectors(tree.coordinates, names, v, unit, momenta, XY, forces, modes, closing)


@dataclass(frozen=True, eq=False)
class _Body:
    """A body on a link at a state; its first six numbers are those of its centre of mass, or of its floating frame."""

    name: str
    link: int
    slots: slice  # of its link in arrays (n_z,)
    R: Array  # (3, 3) of its link
    shift: Array  # (3,) from the origin of its link, in the link's axes
    inertia: Array  # (6 + m, 6 + m) for its own numbers
    rigid: RigidBody | None

    @functools.cached_property
    def B(self) -> Array:
        """Velocities of its link to its own numbers (6 + m, 6 + m)."""
        out = np.eye(len(self.inertia))
        out[:3, :3] = out[3:6, 3:6] = self.R
        out[:3, 3:6] = -self.R @ so3.hat(self.shift)
        return out

    def rates(self, z: Array, z_dot: Array, bias: Array) -> Array:
        """Rates of its momenta (K, 6 + m) at K motions of its link."""
        if self.rigid is None:
            return z_dot @ self.B.T @ self.inertia + bias @ self.B.T
        u, w, turning = z[:, :3], z[:, 3:], z_dot[:, 3:]
        centre = z_dot[:, :3] + np.cross(w, u) + np.cross(turning, self.shift) + np.cross(w, np.cross(w, self.shift))
        spin, J = w @ self.R.T, self.inertia[3:, 3:]
        return np.hstack((self.rigid.mass * centre @ self.R.T, turning @ self.R.T @ J + np.cross(spin, spin @ J)))


def _bodies(model: Model, now: Motions) -> list[_Body]:
    """Bodies that move: rigid ones, then elastic ones."""
    data, found = now.data, []
    for body in (*model.bodies, *model.beams, *model.modal_bodies):
        number = data.carrier[body.name]
        if number < 0:
            continue
        link, moving = data.links[number], now[number]
        R, turned, shift = moving.frame[:3, :3], np.eye(6 + link.n_modes), np.zeros(3)
        if isinstance(body, RigidBody):
            F, inertia = data.seat(Place(body)).frame, body.mass * np.eye(6)
            turn, shift = R @ F[:3, :3], F[:3, 3]
            inertia[3:, 3:] = turn @ body.inertia @ turn.T
        else:
            turned[:3, :3] = turned[3:6, 3:6] = R
            inertia = turned @ moving.M @ turned.T
        rigid = body if isinstance(body, RigidBody) else None
        found.append(_Body(body.name, number, _slots(data, number), R, shift, inertia, rigid))
    return found


def _slots(data: TreeData, link: int) -> slice:
    """Where a link has its numbers in arrays (n_z,)."""
    first = int(data.arrays.table[link, Z])
    return slice(first, first + 6 + data.links[link].n_modes)


class _Quadratic:
    """Rates of momenta without accelerations: polynomials of second degree in the velocities.

    Their values at unit velocities, at the opposite ones and at sums of two of them give all coefficients.
    """

    def __init__(self, now: Motions, q: Array) -> None:
        n, unit = len(q), np.eye(len(q))
        self._n, self._data, self._pairs = n, now.data, np.tril_indices(n, -1)
        a, b = self._pairs
        found = []
        for v in np.vstack((np.zeros((1, n)), unit, -unit, unit[a] + unit[b])):
            now.move(q, v)
            found.append((now.arrays.z.copy(), accelerations(now, 0 * q, np.zeros(6)), now.arrays.bias.copy()))
        self._motions = [np.array(rows) for rows in zip(*found, strict=True)]

    def _values(self, body: _Body) -> list[Array]:
        """At rest, at unit velocities, at the opposite ones, at sums of two."""
        n, values = self._n, body.rates(*(rows[:, body.slots] for rows in self._motions))
        return np.split(values, [1, n + 1, 2 * n + 1])

    def lower(self, body: _Body, v: Array) -> Array:
        """The parts of degree zero and one (6 + m,)."""
        rest, forth, back, _ = self._values(body)
        return rest[0] + 0.5 * v @ (forth - back)

    def symmetric(self, body: _Body) -> Array:
        """Symmetric part (n, n, 6 + m) of XY."""
        rest, forth, back, both = self._values(body)
        out = np.empty((self._n, *forth.shape))
        out[np.diag_indices(self._n)] = 0.5 * (forth + back) - rest
        a, b = self._pairs
        out[a, b] = out[b, a] = 0.5 * (both - forth[a] - forth[b] + rest)
        return out

    @functools.cached_property
    def _commutators(self) -> Array:
        """Velocities (n, n, n) of the commutators of two motions along unit velocities."""
        unit, out = np.eye(self._n), np.zeros(3 * (self._n,))
        for link in self._data.links:
            for a in link.freedoms:
                for b in link.freedoms:
                    out[a, b] = bracket(self._data, unit[a], unit[b])
        return out

    def skew(self, body: _Body, unit: Array) -> Array:
        """Skew part (n, n, 6) of XY_beta,gamma of a rigid body, which has the velocities `unit` (n, 6).

        XY_beta,gamma is the derivative of the momenta PL_beta along gamma; derivatives of velocities differ by the
        commutator, and those of angular velocities by omega_gamma x omega_beta more.
        """
        spin = unit[:, 3:]
        differing = np.swapaxes(self._commutators, 0, 1) @ unit
        differing[..., 3:] += np.cross(spin[None], spin[:, None])
        out: Array = 0.5 * differing @ body.inertia
        turned = np.cross(spin[:, None], (spin @ body.inertia[3:, 3:])[None])
        out[..., 3:] += 0.5 * (turned - np.swapaxes(turned, 0, 1))
        return out


def _on_links(
    tree: Tree, now: Motions, velocities: Array, q: Array, wrenches: Array, efforts: Array, tau: Array
) -> Array:
    """Springs, loads and efforts of joints (n_z,) on the links, in their axes and about their origins."""
    out, efforts, data = wrenches.copy(), efforts + tau, tree.data
    joined: list[int] = []  # freedoms of the joint so far
    base = Seat(-1, np.eye(4))
    for i, link in enumerate(data.links):
        if not joined:
            base = link.base
        joined += link.freedoms
        if not link.bodies and link.modal is None:
            continue  # a massless part of a joint, whose efforts act on the bodies beyond
        at, F, S = _slots(data, i), *_carried(now, link.own, q)
        out[at][6:] += efforts[link.columns[link.n_v :]]
        # the least wrench in the joint that does the work of the efforts
        wrench = np.linalg.pinv(velocities[joined][:, at] @ S.T) @ efforts[joined]
        out[at] += S.T @ wrench
        if base.link >= 0:
            inner, K = _carried(now, base, q)
            out[_slots(data, base.link)] -= K.T @ se3.adjoint(se3.inverse(F) @ inner).T @ wrench
        joined = []
    return out


def _carried(now: Motions, seat: Seat, q: Array) -> tuple[Array, Array]:
    """World frame of a seat on a link, and its twist in its own axes (6, 6 + m) from the velocities of the link."""
    modal = now.data.modal(seat.link, q)
    inside = seat.at(modal)
    rows = np.hstack((se3.adjoint(se3.inverse(inside)), seat.jacobian(modal)))
    return now[seat.link].frame @ inside, rows
