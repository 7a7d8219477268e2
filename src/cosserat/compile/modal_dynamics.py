"""One modal body in motion: kinetic energy, inertia matrix, Coriolis and centrifugal terms, frames of its interfaces.

The generalised Newton-Euler equations of an elastic body, [Boyer05] (62)-(63), order (v, omega, modal rates), all in
the axes of the floating frame:

    M(q) (gamma, omega_dot, q_ddot) + bias(q, omega, q_dot) + (0, 0, K q + D q_dot) = (force, moment, modal forces)

gamma = v_dot + omega x v is the acceleration of the frame's origin; gravity g enters as gamma - g. With displacements
of second order q^a q^b g_ab / 2 (see `ModalInertia`) the first moment, the couplings and J gain terms, and the bias
gains quadratic ones; the kinetic energy keeps all terms up to second order in (q, q_dot), and the equations follow from
it exactly. Functions of arrays, without state.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.lie import se3, so3
from cosserat.model.interfaces import Interface
from cosserat.model.modal_inertia import ModalInertia, cross_matrix

Array = NDArray[np.float64]


class DeformedInertia(NamedTuple):
    """The blocks of [Boyer05] (62) for given modal coordinates."""

    first_moment: Array  # (3,) ms
    inertia: Array  # (3, 3) J
    linear_coupling: Array  # (m, 3) a
    angular_coupling: Array  # (m, 3) beta


def deformed_inertia(body: ModalInertia, q: Array) -> DeformedInertia:
    """Evaluate ms, J, a, beta at q."""
    gradient = np.tensordot(q, body.inertia_gradient, 1)
    bent = np.tensordot(q, body.linear_stiffening, 1)
    return DeformedInertia(
        body.first_moment + q @ body.linear_coupling + 0.5 * q @ bent,
        body.inertia + gradient + gradient.T + np.tensordot(q, _hessian_times(body, q), 1),
        body.linear_coupling + bent,
        body.angular_coupling
        + np.tensordot(q, body.cross_coupling, 1)
        + np.tensordot(q, body.angular_stiffening, 1),
    )


def _hessian_times(body: ModalInertia, q: Array) -> Array:
    """Half the derivative of the quadratic part of J: (m, 3, 3), symmetric."""
    ee = np.tensordot(body.inertia_hessian, q, ((1,), (0,)))
    return 0.5 * (ee + np.swapaxes(ee, 1, 2)) + np.tensordot(body.inertia_stiffening, q, ((1,), (0,)))


def inertia_matrix(body: ModalInertia, q: Array) -> Array:
    """M(q), (6 + m, 6 + m): [Boyer05] (62). Differs: linear part first."""
    now = deformed_inertia(body, q)
    M = np.empty((6 + len(q), 6 + len(q)))
    s = cross_matrix(now.first_moment)
    M[:3, :3] = body.mass * np.eye(3)
    M[:3, 3:6], M[3:6, :3] = -s, s
    M[3:6, 3:6] = now.inertia
    M[6:, :3], M[6:, 3:6], M[6:, 6:] = now.linear_coupling, now.angular_coupling, body.modal_mass
    M[:6, 6:] = M[6:, :6].T
    return M


def kinetic_energy(body: ModalInertia, q: Array, twist: Array, q_dot: Array) -> float:
    """T (J) for the twist (v, omega) of the floating frame: [Boyer05] (62)."""
    rates = np.concatenate((twist, q_dot))
    return float(0.5 * rates @ inertia_matrix(body, q) @ rates)


def momentum(body: ModalInertia, q: Array, twist: Array, q_dot: Array) -> Array:
    """Momentum, angular momentum about the frame's origin, and modal momenta, (6 + m,)."""
    return inertia_matrix(body, q) @ np.concatenate((twist, q_dot))


def bias(body: ModalInertia, q: Array, omega: Array, q_dot: Array) -> Array:
    """Coriolis and centrifugal terms (6 + m,) of [Boyer05] (63), without stiffness.

    Differs: linear part first; the rows of moments are J_dot omega + omega x (J omega + beta q_dot), which equals
    omega x J omega + 2 (J_re + q J_ee) omega q_dot for tensors of one and the same body, and needs no such relation.
    """
    now = deformed_inertia(body, q)
    spin = _inertia_slope(body, q)  # (m, 3, 3): dJ/dq
    out = np.empty(6 + len(q))
    moving = q_dot @ now.linear_coupling
    out[:3] = np.cross(omega, 2.0 * moving + np.cross(omega, now.first_moment))
    out[:3] += q_dot @ np.tensordot(q_dot, body.linear_stiffening, 1)
    out[3:6] = np.tensordot(q_dot, spin, 1) @ omega
    out[3:6] += np.cross(omega, now.inertia @ omega + q_dot @ now.angular_coupling)
    out[3:6] += q_dot @ np.tensordot(q_dot, body.angular_stiffening, 1)
    out[6:] = 2.0 * np.tensordot(q_dot, body.cross_coupling, 1) @ omega - 0.5 * (spin @ omega) @ omega
    return out


def _inertia_slope(body: ModalInertia, q: Array) -> Array:
    return body.inertia_gradient + np.swapaxes(body.inertia_gradient, 1, 2) + 2.0 * _hessian_times(body, q)


def newton_euler(
    body: ModalInertia, q: Array, twist: Array, q_dot: Array, twist_dot: Array, q_ddot: Array
) -> Array:  # fmt: skip
    """Wrench on the floating frame and modal forces (6 + m,) that a motion needs, without stiffness and damping."""
    gamma = twist_dot[:3] + np.cross(twist[3:], twist[:3])
    acceleration = np.concatenate((gamma, twist_dot[3:], q_ddot))
    return inertia_matrix(body, q) @ acceleration + bias(body, q, twist[3:], q_dot)


def steady_rotation(body: ModalInertia, stiffness: Array, omega: Array) -> tuple[Array, Array, Array, Array]:
    """Modal equations about a steady rotation of the floating frame about its origin.

    Returns
    -------
    q, M, G, K
        Equilibrium (m,), and the matrices (m, m) of M x_ddot + G x_dot + K x = 0 for small x about it; G is
        gyroscopic. The origin does not accelerate.
    """
    centrifugal = (np.swapaxes(body.inertia_gradient, 1, 2) @ omega) @ omega
    hessian = 0.5 * (body.inertia_hessian + np.swapaxes(body.inertia_hessian, 2, 3)) + body.inertia_stiffening
    K = stiffness - np.einsum("abij,i,j->ab", hessian, omega, omega)
    K = 0.5 * (K + K.T)
    G = 2.0 * (body.cross_coupling @ omega).T
    return np.linalg.solve(K, centrifugal), body.modal_mass, G, K


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
