"""The equations of one modal body, written out in NumPy: an independent text, to hold that of the kernels against.

See `cosserat.compile.modal_dynamics`. Functions of arrays, without state.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.modal_dynamics import affine_fields
from cosserat.lie import so3
from cosserat.model.modal_inertia import ModalInertia, axial_of, turning_of

Array = NDArray[np.float64]


class DeformedInertia(NamedTuple):
    """The blocks of [Boyer05] (62) for given modal coordinates."""

    first_moment: Array  # (3,) ms
    inertia: Array  # (3, 3) J
    linear_coupling: Array  # (m, 3) a
    angular_coupling: Array  # (m, 3) beta
    modal_mass: Array  # (m, m)
    slope: Array  # (m, 3, 3) dJ/dq


def deformed_inertia(body: ModalInertia, q: Array) -> DeformedInertia:
    """Evaluate ms, J, a, beta, the modal mass and dJ/dq at q."""
    gradient = np.tensordot(q, body.inertia_gradient, 1)
    bent = np.tensordot(q, body.linear_stiffening, 1)
    half = _hessian_times(body, q)
    J = body.inertia + gradient + gradient.T + np.tensordot(q, half, 1)
    beta = body.angular_coupling + np.tensordot(q, body.cross_coupling + body.angular_stiffening, 1)
    mass, slope = body.modal_mass, body.inertia_gradient + np.swapaxes(body.inertia_gradient, 1, 2) + 2.0 * half
    if body.is_stiffened:
        theta, psi, field = affine_fields(body)
        F = np.tensordot(q, field, 1)
        Y, P = 0.5 * np.tensordot(q, F, 1), np.tensordot(q, psi, 1)
        G = psi + F @ theta
        N = Y @ np.swapaxes(G, 1, 2) + P @ np.swapaxes(F, 1, 2)
        J = J + _turned(Y @ (Y @ theta + 2.0 * P).T)
        beta = beta + axial_of(N)
        mass = mass + np.tensordot(F, psi, ((1, 2), (1, 2))) + np.tensordot(G, F, ((1, 2), (1, 2)))
        slope = slope + 2.0 * _turned(N)
    moment = body.first_moment + q @ body.linear_coupling + 0.5 * q @ bent
    return DeformedInertia(moment, J, body.linear_coupling + bent, beta, mass, slope)


def _turned(N: Array) -> Array:
    """The symmetric part of `turning_of`."""
    J = turning_of(N)
    return 0.5 * (J + np.swapaxes(J, -1, -2))


def _hessian_times(body: ModalInertia, q: Array) -> Array:
    """Half the derivative of the quadratic part of J: (m, 3, 3), symmetric."""
    ee = np.tensordot(body.inertia_hessian, q, ((1,), (0,)))
    return 0.5 * (ee + np.swapaxes(ee, 1, 2)) + np.tensordot(body.inertia_stiffening, q, ((1,), (0,)))


def inertia_matrix(body: ModalInertia, q: Array) -> Array:
    """M(q), (6 + m, 6 + m): [Boyer05] (62). Differs: linear part first."""
    now = deformed_inertia(body, q)
    M = np.empty((6 + len(q), 6 + len(q)))
    s = so3.hat(now.first_moment)
    M[:3, :3] = body.mass * np.eye(3)
    M[:3, 3:6], M[3:6, :3] = -s, s
    M[3:6, 3:6] = now.inertia
    M[6:, :3], M[6:, 3:6], M[6:, 6:] = now.linear_coupling, now.angular_coupling, now.modal_mass
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
    spin = now.slope
    out = np.empty(6 + len(q))
    moving = q_dot @ now.linear_coupling
    out[:3] = np.cross(omega, 2.0 * moving + np.cross(omega, now.first_moment))
    out[:3] += q_dot @ np.tensordot(q_dot, body.linear_stiffening, 1)
    out[3:6] = np.tensordot(q_dot, spin, 1) @ omega
    out[3:6] += np.cross(omega, now.inertia @ omega + q_dot @ now.angular_coupling)
    out[3:6] += q_dot @ np.tensordot(q_dot, body.angular_stiffening, 1)
    out[6:] = 2.0 * np.tensordot(q_dot, body.cross_coupling, 1) @ omega - 0.5 * (spin @ omega) @ omega
    if body.is_stiffened:
        theta, psi, field = affine_fields(body)
        F, E = np.tensordot(q, field, 1), np.tensordot(q_dot, field, 1)
        G, C = psi + F @ theta, np.tensordot(q_dot, E, 1)
        flow, P_dot = np.tensordot(q_dot, F, 1), np.tensordot(q_dot, psi, 1)
        place = np.tensordot(q, psi + 0.5 * F @ theta, 1)
        out[3:6] += axial_of(place @ C.T)
        out[6:] += 2.0 * axial_of(flow @ np.swapaxes(G, 1, 2) + P_dot @ np.swapaxes(F, 1, 2)) @ omega
        out[6:] += np.tensordot(G, C, 2)
    return out


def newton_euler(
    body: ModalInertia, q: Array, twist: Array, q_dot: Array, twist_dot: Array, q_ddot: Array
) -> Array:  # fmt: skip
    """Wrench on the floating frame and modal forces (6 + m,) that a motion needs, without stiffness and damping."""
    gamma = twist_dot[:3] + np.cross(twist[3:], twist[:3])
    acceleration = np.concatenate((gamma, twist_dot[3:], q_ddot))
    return inertia_matrix(body, q) @ acceleration + bias(body, q, twist[3:], q_dot)


def steady_rotation(
    body: ModalInertia, stiffness: Array, omega: Array, stiffening: Array | None = None
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """Modal equations about a steady rotation of the floating frame about its origin; `stiffening` as of `ModalBody`.

    Returns
    -------
    q, M, G, K
        Equilibrium (m,), and the matrices (m, m) of M x_ddot + G x_dot + K x = 0 for small x about it; G is
        gyroscopic. The origin does not accelerate.
    """
    centrifugal = (np.swapaxes(body.inertia_gradient, 1, 2) @ omega) @ omega
    hessian = 0.5 * (body.inertia_hessian + np.swapaxes(body.inertia_hessian, 2, 3)) + body.inertia_stiffening
    K = stiffness - np.einsum("abij,i,j->ab", hessian, omega, omega)
    K = 0.5 * (K + K.T) - (0.0 if stiffening is None else np.tensordot(centrifugal, stiffening, 1))
    G = 2.0 * (body.cross_coupling @ omega).T
    return np.linalg.solve(K, centrifugal), body.modal_mass, G, K
