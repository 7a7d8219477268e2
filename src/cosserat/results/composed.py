"""What a tree tells at one state: composed vectors, in which N bodies are one thing, and where its places are."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cosserat.compile.modal_dynamics import Seat
from cosserat.errors import SolveError
from cosserat.lie import se3
from cosserat.lie.protocol import Array


@dataclass(frozen=True)
class ComposedVectors:
    """[Giacaglia20]'s composed vectors at one state, and the equations of motion made from them by scalar products.

    A composed vector has six numbers per body, in world axes: a force or velocity of its centre of mass, then a moment
    or angular velocity. Those of an elastic body are of its floating frame, and one for each of its modes comes behind
    them: a modal force or rate. 6 N stands for the length of all. Made by `composed_vectors`.

    Attributes
    ----------
    coordinates : tuple of str
        The n coordinates, as in `Tree.coordinates`.
    bodies : tuple of str
        The N bodies.
    v : (n,)
        Velocities.
    velocities : (n, 6 N)
        v omega_alpha (2.8): velocities of all bodies where the velocity alpha is one and all others are zero.
    momenta : (n, 6 N)
        PL_alpha (2.13): momenta in that state.
    quadratic : (n, n, 6 N)
        XY_beta,gamma (2.14): what the product of two velocities adds to the rates of the momenta.
    forces : (6 N,)
        FN (2.9): what acts on the bodies: gravity, springs, loads, and between two bodies the stiffness, damping,
        friction and efforts of their joint; stiffness and damping of elastic bodies.
    modes : (N,) of int
        Number of modes of each body, 0 where it is rigid.
    constraint_forces : (n,)
        A^T lambda: what keeps closed loops closed under these forces, in the coordinates; zero without loops.

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("pendulum", gravity=(0, 0, -10))
    >>> bob = model.add(cs.RigidBody("bob", mass=2.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1)))
    >>> hinge = model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    >>> vectors = cs.composed_vectors(model, [0.0])
    >>> vectors.bodies, vectors.mass_matrix.round(6).tolist()
    (('bob',), [[2.1]])
    """

    coordinates: tuple[str, ...]
    bodies: tuple[str, ...]
    v: Array
    velocities: Array
    momenta: Array
    quadratic: Array
    forces: Array
    modes: tuple[int, ...]
    constraint_forces: Array

    @functools.cached_property
    def mass_matrix(self) -> Array:
        """a (n, n): PL_alpha . v omega_gamma. Source: [Giacaglia20] (2.19)."""
        return self.velocities @ self.momenta.T

    @functools.cached_property
    def brackets(self) -> Array:
        """Christoffel brackets (n, n, n): [gamma, alpha, beta], symmetric in the last two.

        They are the symmetric part of XY_alpha,beta . v omega_gamma, and equal
        (d a_gamma,alpha/d q_beta + d a_gamma,beta/d q_alpha - d a_alpha,beta/d q_gamma) / 2. Where velocities are not
        rates of coordinates, in spherical and free joints, the first holds and the second does not.
        Source: [Giacaglia20] (2.21). Differs: one half and the symmetric part, which (2.22) leaves out.
        """
        products = np.einsum("abi,gi->gab", self.quadratic, self.velocities)
        return 0.5 * (products + products.transpose(0, 2, 1))

    @functools.cached_property
    def parentheses(self) -> Array:
        """Christoffel parentheses (n, n, n) of (2.25): brackets with the first index raised."""
        return np.einsum("sg,gab->sab", np.linalg.inv(self.mass_matrix), self.brackets)

    @functools.cached_property
    def generalised_forces(self) -> Array:
        """Q (n,): FN . v omega_gamma. Source: [Giacaglia20] (2.23)."""
        return self.velocities @ self.forces

    @property
    def bias(self) -> Array:
        """h (n,) of M a + h = constraint forces: the quadratic terms of (2.24) less Q."""
        return np.einsum("gab,a,b->g", self.brackets, self.v, self.v) - self.generalised_forces

    @property
    def accelerations(self) -> Array:
        """Accelerations (n,) under the forces. Source: [Giacaglia20] (2.25)."""
        raised = np.linalg.solve(self.mass_matrix, self.generalised_forces + self.constraint_forces)
        return raised - np.einsum("sab,a,b->s", self.parentheses, self.v, self.v)

    def rates_of_momenta(self, a: Any) -> Array:
        """FN (6 N,) that accelerations a need, reactions of joints included. Source: [Giacaglia20] (2.10)."""
        a = _finite("rates_of_momenta", "a", a, self.v.shape)
        return a @ self.momenta + np.einsum("a,b,abi->i", self.v, self.v, self.quadratic)

    def of_body(self, vector: Array, body: str) -> Array:
        """The numbers (..., 6 + m) of one body in a composed vector, or in a stack of them."""
        if body not in self.bodies:
            raise SolveError(f"composed vectors: no body {body!r} that moves; bodies: {', '.join(self.bodies)}")
        number = self.bodies.index(body)
        at = 6 * number + sum(self.modes[:number])
        return vector[..., at : at + 6 + self.modes[number]]

    def combined(self, T: Any, names: tuple[str, ...] | None = None) -> ComposedVectors:
        """The same state in other velocities, v = T v': those of absolute angles instead of joint angles, say.

        Parameters
        ----------
        T : (n, n)
            Constant and regular.
        names : tuple of str, optional
            Names of the new ones.
        """
        n = len(self.coordinates)
        T = _finite("combined", "T", T, (n, n))
        if np.linalg.matrix_rank(T) < n:
            raise SolveError(f"combined: T must be a regular matrix ({n}, {n}); it is singular")
        if names is not None and (isinstance(names, str) or len(names) != n):
            raise SolveError(f"combined: names is {names!r}; pass one name for each of the {n} new velocities")
        return replace(
            self,
            coordinates=tuple(f"q{k + 1}" for k in range(n)) if names is None else tuple(names),
            v=np.linalg.solve(T, self.v),
            velocities=T.T @ self.velocities,
            momenta=T.T @ self.momenta,
            quadratic=np.einsum("ac,bd,abi->cdi", T, T, self.quadratic),
            constraint_forces=T.T @ self.constraint_forces,
        )


def _finite(call: str, name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """Finite numbers of a shape, or a located error."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise SolveError(f"{call}: {name} is {value!r}, not numbers") from None
    if array.shape != shape or not np.isfinite(array).all():
        raise SolveError(f"{call}: {name} must be {shape} finite numbers, got the shape {array.shape}")
    return array


class Posture:
    """Frames, velocities and accelerations of places at one state of a model in relative coordinates.

    Made by `forward_kinematics`. Components are in world axes. Places are given as in `Run`.
    """

    def __init__(self, frames: Array, motions: Array, seat_of: Callable[[Any], Seat]) -> None:
        self._frames, self._motions, self._seat_of = frames, motions, seat_of

    def __repr__(self) -> str:
        return "<Posture: frame, position, rotation, velocity, acceleration of any place>"

    def frame(self, place: Any) -> Array:
        """Frame H (4, 4) of a place."""
        seat = self._seat_of(place)
        return seat.frame if seat.link < 0 else self._link(seat.link) @ seat.frame

    def position(self, place: Any) -> Array:
        """Position (3,)."""
        return self.frame(place)[:3, 3]

    def rotation(self, place: Any) -> Array:
        """Orientation (3, 3): the place's axes in columns."""
        return self.frame(place)[:3, :3]

    def velocity(self, place: Any) -> Array:
        """Velocity (3,)."""
        v, omega, _, _, r = self._motion(place)
        return v + np.cross(omega, r)

    def angular_velocity(self, place: Any) -> Array:
        """Angular velocity (3,)."""
        return self._motion(place)[1]

    def acceleration(self, place: Any) -> Array:
        """Acceleration (3,)."""
        _, omega, a, alpha, r = self._motion(place)
        return a + np.cross(alpha, r) + np.cross(omega, np.cross(omega, r))

    def angular_acceleration(self, place: Any) -> Array:
        """Angular acceleration (3,)."""
        return self._motion(place)[3]

    def _link(self, link: int) -> Array:
        return se3.frame(self._frames[link, :9].reshape(3, 3), self._frames[link, 9:])

    def _motion(self, place: Any) -> tuple[Array, Array, Array, Array, Array]:
        """Motion of the link, and the place as seen from the link's origin."""
        seat = self._seat_of(place)
        if seat.link < 0:
            zero = np.zeros(3)
            return zero, zero, zero, zero, zero
        v, omega, a, alpha = self._motions[seat.link].copy()
        return v, omega, a, alpha, self._link(seat.link)[:3, :3] @ seat.frame[:3, 3]
