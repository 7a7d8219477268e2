"""One modal body in motion: its equations, and what they need: affine fields, frames of its interfaces.

The generalised Newton-Euler equations of an elastic body, [Boyer05] (62)-(63), order (v, omega, modal rates), all in
the axes of the floating frame:

    M(q) (gamma, omega_dot, q_ddot) + bias(q, omega, q_dot) + (0, 0, K q + D q_dot) = (force, moment, modal forces)

gamma = v_dot + omega x v is the acceleration of the frame's origin; gravity g enters as gamma - g. With strains of
second order, `ModalBody.elastic_forces` takes the place of K q + D q_dot. Displacements of second order, q^a q^b g_ab
/ 2, enter as the affine fields with the same moments, see `ModalInertia`. All terms up to second order in (q, q_dot) of
the kinetic energy are those of g, the others make it the square of one velocity field, so that M(q) is positive however
far the body bends; the equations follow from it exactly. `kernels.flexible.body` and `bent` evaluate them.

Seats are frames carried by a link of a tree, fixed to it or moving with an interface of an elastic body.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cosserat.compile.series import skew
from cosserat.lie import se3, so3
from cosserat.lie.protocol import Array
from cosserat.model.modal_inertia import Interface, ModalInertia, second_moments

_THIN = 1e-11  # extent squared, as a share of that of the body, below which a direction has none


class Affine(NamedTuple):
    """Displacements of second order as affine fields, and moments with (1, X)."""

    theta: Array  # (4, 4) of (1, X) itself
    psi: Array  # (m, 3, 4) of the shapes
    field: Array  # (m, m, 3, 4) F_ab: F_ab (1, X) has the moments of g_ab with (1, X)


def affine_fields(body: ModalInertia) -> Affine:
    """Theta, Psi and F of a body: g projected on affine fields, in the metric of the mass."""
    theta = np.empty((4, 4))
    theta[0, 0], theta[0, 1:], theta[1:, 0] = body.mass, body.first_moment, body.first_moment
    theta[1:, 1:] = second_moments(body.inertia)
    # the integral of y X^T from those of X x y and of hat(X)^T hat(y), for the shapes and for g
    psi, second = (
        np.concatenate((linear[..., None], second_moments(turning) + 0.5 * skew(axial)), axis=-1)
        for linear, axial, turning in (
            (body.linear_coupling, body.angular_coupling, body.inertia_gradient),
            (body.linear_stiffening, body.angular_stiffening, body.inertia_stiffening),
        )
    )
    return Affine(theta, psi, second @ affine_inverse(theta))


def affine_inverse(theta: Array) -> Array:
    """The inverse of the moments (4, 4) of (1, X); directions in which the body has no extent are left out."""
    centre = theta[0, 1:] / theta[0, 0]
    extent, axes = np.linalg.eigh(theta[1:, 1:] - theta[0, 0] * np.outer(centre, centre))
    axes = axes[:, extent > _THIN * np.trace(theta[1:, 1:])]
    extent = extent[extent > _THIN * np.trace(theta[1:, 1:])]
    inverse = np.zeros((4, 4))
    inverse[1:, 1:] = (axes / extent) @ axes.T
    inverse[0, 1:] = inverse[1:, 0] = -inverse[1:, 1:] @ centre
    inverse[0, 0] = 1.0 / theta[0, 0] - inverse[0, 1:] @ centre
    return inverse


def interface_frame(interface: Interface, q: Array) -> Array:
    """Frame H(q) (4, 4) of an interface in the floating frame: its rotation is exp(rotation shape q) R."""
    motion = interface.shape @ q + 0.5 * (interface.stiffening @ q) @ q
    return se3.frame(so3.exp(motion[3:]) @ interface.rotation, interface.position + motion[:3])


def interface_jacobian(interface: Interface, q: Array) -> Array:
    """Twist (6, m) of an interface per modal rate, relative to the floating frame and in the interface's own axes.

    This is Phi of [Boyer05] (65) at a finite deflection: with it ``H_dot = H hat(Jacobian q_dot)``.
    """
    motion = interface.shape @ q + 0.5 * (interface.stiffening @ q) @ q
    slope = interface.shape + interface.stiffening @ q
    R = so3.exp(motion[3:]) @ interface.rotation
    return np.concatenate((R.T @ slope[:3], interface.rotation.T @ so3.tangent(motion[3:]) @ slope[3:]))


def interface_bias(interface: Interface, q: Array, q_dot: Array) -> Array:
    """Time derivative of the Jacobian times q_dot, (6,): what the modal rates add to [Boyer05] (66)."""
    motion = interface.shape @ q + 0.5 * (interface.stiffening @ q) @ q
    slope = interface.shape + interface.stiffening @ q
    rate = slope @ q_dot
    bent = (interface.stiffening @ q_dot) @ q_dot
    R = so3.exp(motion[3:]) @ interface.rotation
    T = so3.tangent(motion[3:])
    omega = interface.rotation.T @ T @ rate[3:]
    turning = so3.tangent_derivative(motion[3:], rate[3:]) @ rate[3:] + T @ bent[3:]
    linear = R.T @ bent[:3] - np.cross(omega, R.T @ rate[:3])
    return np.concatenate((linear, interface.rotation.T @ turning))


@dataclass(frozen=True)
class Seat:
    """A frame on a link.

    Attributes
    ----------
    link : int
        -1 for the ground.
    frame : (4, 4)
        In the frame of the link, or in that of the interface if there is one.
    interface : Interface or None
    """

    link: int
    frame: Array
    interface: Interface | None = None

    def at(self, modal: Array) -> Array:
        """Frame (4, 4) in the link's, for its modal coordinates."""
        return self.frame if self.interface is None else interface_frame(self.interface, modal) @ self.frame

    def jacobian(self, modal: Array) -> Array:
        """Twist (6, m) in its own axes per modal rate, relative to the link."""
        if self.interface is None:
            return np.zeros((6, len(modal)))
        return se3.adjoint(se3.inverse(self.frame)) @ interface_jacobian(self.interface, modal)


def seat_on(link: int, carrier: Array, place: Array, interface: Interface | None) -> Seat:
    """The seat of a frame given in the world, as the link's own frame (or the ground's) is, all undeformed."""
    inside = se3.inverse(carrier) @ place
    if interface is None or not (interface.shape.any() or interface.stiffening.any()):
        return Seat(link, inside)
    return Seat(link, se3.inverse(interface.frame) @ inside, interface)
