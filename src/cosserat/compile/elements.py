"""Matrices of beam elements, exact for linear statics of the (curved, tapered, coupled) reference element.

Between its nodes an element carries the wrench E(xi) sigma_mid, E(xi) = exp(xi ad(f0)^T), the static solution of
[Grazioso17] (14). Integrating its complementary energy gives a flexibility that makes nodal displacements of linear
statics exact: for a straight element it adds L^2/(12 EI) to the shear flexibility (the residual bending flexibility
of MacNeal), without which the two-node element is only second-order accurate. The same static field distributes loads
and interpolates velocities for the consistent mass; angular velocities are interpolated linearly, since in a bent
element the static field would read a mere translation as a rotation. For the same reason the velocities of the two
nodes are coupled in space and not in their own frames: a translation then has its exact kinetic energy however far the
element is bent. `dispersion` makes the frequencies fourth-order accurate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.dispersion import Middle, corrected_mass

Array = NDArray[np.float64]

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(4)
_TERMS = 18
_ALIKE = 2.0  # ratio of stiffnesses in bending and twist below which moments hardly turn inside an element
_LARGEST_TURN, _LARGEST_SOFTENING, _LARGEST_FORCE_TURN = 1.0, 0.2, 0.2  # where their energy has faded out


class ElementMatrices(NamedTuple):
    """Arrays over elements; nodes A and B of each."""

    stiffness: Array  # (ne, 6, 6): sigma = stiffness (d - d0)
    bending: Array  # (ne, 12, 6): what moments that turn inside add to the strain energy, see `kernels.bending`
    mass: Array  # (ne, 12, 12) without the coupling of the two nodes' velocities
    coupling: Array  # (ne,) the mass that couples them: m V_A . V_B in the kinetic energy, V in space
    follower: Array  # (ne, 2, 6, 6): nodal wrench of a uniform line load fixed in the sections
    dead: Array  # (ne, 2, 6, 6): the same, load components fixed in the frame of each node


def bracket(d: Array) -> Array:
    """ad(d) for many twists: (..., 6) -> (..., 6, 6)."""
    out = np.zeros((*d.shape, 6))
    u, w = skew(d[..., :3]), skew(d[..., 3:])
    out[..., :3, :3] = w
    out[..., :3, 3:] = u
    out[..., 3:, 3:] = w
    return out


def skew(a: Array) -> Array:
    """Cross-product matrices: (..., 3) -> (..., 3, 3)."""
    out = np.zeros((*a.shape, 3))
    out[..., 0, 1], out[..., 0, 2] = -a[..., 2], a[..., 1]
    out[..., 1, 0], out[..., 1, 2] = a[..., 2], -a[..., 0]
    out[..., 2, 0], out[..., 2, 1] = -a[..., 1], a[..., 0]
    return out


def _exponential(X: Array) -> Array:
    """exp of many small matrices by its series; their norm is the angle turned inside an element."""
    term = np.broadcast_to(np.eye(X.shape[-1]), X.shape)
    total = term.copy()
    for k in range(1, _TERMS):
        term = term @ X / k
        if not term.any():  # a straight element: the series is finite
            break
        total += term
    return total


def element_matrices(d0: Array, compliance: Array, mass: Array) -> ElementMatrices:
    """Matrices of elements with relative vectors d0 (ne, 6).

    `compliance` and `mass` are section matrices at the Gauss points `gauss_points()`, (ne, 4, 6, 6).
    """
    # Work with the element's length as unit of length where exponentials are formed: xi in [-1/2, 1/2], f0 = d0.
    ad = bracket(d0)
    length = np.linalg.norm(d0[:, :3], axis=1)
    xi = 0.5 * _POINTS
    weight = 0.5 * _WEIGHTS
    E_T = _exponential(xi[None, :, None, None] * ad[:, None])  # E^T = exp(xi ad)
    flexibility = length[:, None, None] * np.einsum(
        "g,egab,egbc,egdc->ead", weight, E_T, compliance, E_T, optimize=True
    )
    half = _exponential(0.5 * ad)
    half_back = _exponential(-0.5 * ad)
    mean = np.einsum("g,egab->eab", weight, E_T, optimize=True)
    Z = np.linalg.inv(mean)  # delta d = Z (relative motion seen from the middle)
    stiffness = np.linalg.inv(Z @ flexibility @ np.swapaxes(Z, 1, 2))
    stiffness = 0.5 * (stiffness + np.swapaxes(stiffness, 1, 2))

    # Static twist field: eta(xi) = exp(-xi ad) (eta_mid + Phi(xi) sigma), sigma = F^-1 (relative motion)
    mid_compliance = _legendre_fit(compliance)
    at = lambda x: _flexibility_to(x, ad, length, mid_compliance)  # noqa: E731
    sigma_a = -np.linalg.solve(flexibility, half_back)
    sigma_b = np.linalg.solve(flexibility, half)
    start = at(-0.5)
    mid_a = half_back - start @ sigma_a
    mid_b = -start @ sigma_b
    n = len(d0)
    M = np.zeros((n, 12, 12))
    M_linear = np.zeros((n, 12, 12))
    follower = np.zeros((n, 2, 6, 6))
    dead = np.zeros((n, 2, 6, 6))
    rotation_half = half_back[:, 3:, 3:]  # from the axes of node A to those of the middle
    for g in range(len(xi)):
        Phi = at(float(xi[g]))
        back = _exponential(-xi[g] * ad)
        Q = np.concatenate((back @ (mid_a + Phi @ sigma_a), back @ (mid_b + Phi @ sigma_b)), axis=2)
        dx = weight[g] * length
        Q_T = np.swapaxes(Q, 1, 2)
        linear = np.concatenate((back @ half_back * (0.5 - xi[g]), back @ half * (0.5 + xi[g])), axis=2)
        field = np.concatenate((Q[:, :3], linear[:, 3:]), axis=1)
        M += dx[:, None, None] * (np.swapaxes(field, 1, 2) @ mass[:, g] @ field)
        M_linear += dx[:, None, None] * (np.swapaxes(linear, 1, 2) @ mass[:, g] @ linear)
        # components of a load fixed in node A's (B's) frame, seen in the section at xi: R_xi^T R_A
        turn = back[:, 3:, 3:]
        for side, node_rotation in enumerate((rotation_half, np.swapaxes(rotation_half, 1, 2))):
            R = turn @ node_rotation
            both = np.zeros((n, 6, 6))
            both[:, :3, :3] = R
            both[:, 3:, 3:] = R
            block = dx[:, None, None] * Q_T[:, 6 * side : 6 * side + 6]
            follower[:, side] += block
            dead[:, side] += block @ both
    middle = Middle(
        relative=np.concatenate((-half_back, half), axis=2),
        turning=0.5 * np.concatenate((half_back[:, 3:], half[:, 3:]), axis=2),
        stress=np.concatenate((sigma_a, sigma_b), axis=2),
        compliance=mid_compliance[:, 0],
        slope=mid_compliance[:, 1] / length[:, None, None],
        mass=np.einsum("g,egab->eab", weight, mass),
        length=length,
        along=ad[:, :3, 3:] / length[:, None, None],
    )
    M, coupling = corrected_mass(M, M_linear, middle)
    bending = _bending(stiffness, ad, length, mid_compliance[:, 0, 3:, 3:])
    return ElementMatrices(stiffness, bending, M, coupling, follower, dead)


def _bending(K: Array, ad: Array, length: Array, S: Array) -> Array:
    """Z over A^T over Q of `kernels.bending`, zero for sections that bend and twist nearly alike.

    Z bounds how far the soft axes would turn under the moment, the flexibility that curvature gives to the stiff axes,
    and the turn that transverse forces make inside the element.
    """
    L = length[:, None, None]
    c = L**3 / 12.0
    C = c / L * np.concatenate((ad[:, :3, 3:], ad[:, 3:, 3:]), axis=1) @ S
    A = K @ C / L
    Q = (c * S - np.swapaxes(C, 1, 2) @ K @ C) / L**2
    flexibility = np.linalg.eigvalsh(S)
    ratio = (flexibility[:, -1] / flexibility[:, 0])[:, None, None]
    turn = length[:, None, None] * flexibility[:, -1, None, None] / _LARGEST_TURN
    Z = turn**2 * (K[:, :, 3:] @ K[:, 3:]) + ratio / _LARGEST_FORCE_TURN**2 * (A @ np.swapaxes(A, 1, 2))
    Z[:, 3:, 3:] += ratio / (12.0 * _LARGEST_SOFTENING) * np.eye(3)
    out = np.zeros((len(K), 12, 6))
    out[:, :6], out[:, 6:9], out[:, 9:, :3] = Z, np.swapaxes(A, 1, 2), 0.5 * (Q + np.swapaxes(Q, 1, 2))
    out[ratio[:, 0, 0] < _ALIKE] = 0.0
    return out


def _turn(d0: Array) -> Array:
    """R_B^T R_A of the reference elements."""
    return _exponential(-bracket(d0))[:, 3:, 3:]


def gauss_points() -> Array:
    """Relative positions in an element, in [0, 1], at which section properties are wanted."""
    return 0.5 * (1.0 + _POINTS)


def _legendre_fit(values: Array) -> Array:
    """Coefficients of the cubic in xi through values at the Gauss points: (ne, 4, 6, 6), lowest power first."""
    vandermonde = np.vander(0.5 * _POINTS, 4, increasing=True)
    return np.einsum("kg,egab->ekab", np.linalg.inv(vandermonde), values)


def _flexibility_to(x: float, ad: Array, length: Array, compliance: Array) -> Array:
    """Phi(x) = integral of E^T S E from the middle of the element to x: (ne, 6, 6)."""
    total = np.zeros_like(ad)
    for point, weight in zip(_POINTS, _WEIGHTS, strict=True):
        z = 0.5 * x * (1.0 + point)
        E_T = _exponential(z * ad)
        S = sum(compliance[:, k] * z**k for k in range(4))
        total += 0.5 * x * weight * (E_T @ S @ np.swapaxes(E_T, 1, 2))
    return total * length[:, None, None]


def element_weights(mass: Array, coupling: Array, d0: Array) -> tuple[Array, Array]:
    """Masses (ne, 2) of both nodes and first moments (ne, 2, 3) in their frames, for the potential of gravity.

    They are the nodal forces that the mass matrix gives to a uniform acceleration of the reference element.
    """
    turn = _turn(d0)
    total = np.repeat(coupling[:, None, None], 3, 1) * np.eye(3)
    rows_a = mass[:, :6, :3] + mass[:, :6, 6:9] @ turn
    rows_b = mass[:, 6:, 6:9] + mass[:, 6:, :3] @ np.swapaxes(turn, 1, 2)
    masses, moments = [], []
    for rows in (rows_a, rows_b):
        masses.append(np.trace(rows[:, :3] + total, axis1=1, axis2=2) / 3.0)
        W = rows[:, 3:]
        moments.append(0.5 * np.stack((W[:, 2, 1] - W[:, 1, 2], W[:, 0, 2] - W[:, 2, 0], W[:, 1, 0] - W[:, 0, 1]), 1))
    return np.stack(masses, 1), np.stack(moments, 1)
