"""The correction that makes the frequencies of beam elements fourth-order accurate.

The exact dynamic stiffness of an element is K - w^2 M - w^4 M4 - ..., M being the consistent mass of the static field
and M4 = rho G rho the softness of the element between held nodes, G = (L^2/12) S for short elements. On a solution
w^2 rho u = -(s' + t x n), so that w^2 M4 is a mass again. Integrated by parts, with rho diagonal, e the strain rates
and u = (v, omega) the velocities, and with what linear angular velocities miss of the static ones (of curvature
e' = S t x n + S' s), it reads

    (L^2/12) [ e rho e  -  m (t x omega) . e_u  +  omega rho S (t x n)  -  2 omega rho S' m ].

- The first term is the mean of consistent and lumped mass, known from bars. For the velocities it is taken from the
  relative motion of the ends, so that the mass that couples them becomes the same, m L/12, in every direction: fourth
  order does not ask for more, and a bent element then keeps its momentum in translation and, to first order in the
  bend, in rotation.
- The next two hold the strain of shear next to the rotation. In bent elements that reads a translation as a strain, so
  they stand as they are only where elements are short against sqrt(EI/GA), and hardly bent; longer ones take them as
  squares of curvature, by parts once more, since the rest, w^2 (L^2/12) (m/GA + rho I/EI) of the rotary inertia, is
  small for the slender beams that they can resolve.
- Sections may be given a rotary inertia that no material has. The third term would dwarf the second then, and is left
  out: second order remains.

Rigid motions keep their kinetic energy, and the mass stays positive definite for whatever section.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_LINEAR = [0, 1, 2, 6, 7, 8]  # the velocities of both nodes among their twists
_SHORT = 60.0  # 12 EI/(GA L^2) at which the two forms of the shear terms have equal shares
_LEAST = 0.2  # part of the inertia that the terms of either sign must leave


class Middle(NamedTuple):
    """What an element's nodal twists (12) mean in the middle, and its section there; over elements."""

    relative: Array  # (ne, 6, 12) relative motion of the ends
    turning: Array  # (ne, 3, 12) mean angular velocity
    stress: Array  # (ne, 6, 12) rates of the stress resultants
    compliance: Array  # (ne, 6, 6)
    slope: Array  # (ne, 6, 6) derivative of the compliance along the beam
    mass: Array  # (ne, 6, 6) mean of the section's mass
    length: Array  # (ne,)
    along: Array  # (ne, 3, 3) t x, t the tangent


def corrected_mass(M: Array, linear: Array, middle: Middle) -> tuple[Array, Array]:
    """Mass matrices (ne, 12, 12) without the coupling of the nodes' velocities, and that coupling (ne,).

    M is the consistent mass of the static field of velocities, `linear` that of velocities that are linear between the
    nodes. It serves sections so strongly coupled that an isotropic coupling of the nodes cannot hold what M has.
    """
    M, coupling = _corrected(M, middle)
    poor = _indefinite(M, coupling, middle.relative[:, :3])
    if poor.any():
        M[poor], coupling[poor] = _corrected(linear[poor], Middle(*(field[poor] for field in middle)))
    return M, coupling


def _corrected(M: Array, middle: Middle) -> tuple[Array, Array]:
    length = middle.length[:, None, None]
    S, rho, omega, along = middle.compliance, middle.mass, middle.turning, middle.along
    moment, strain = middle.stress[:, 3:], (S @ middle.stress)[:, :3]
    gap, curvature = middle.relative[:, :3], middle.relative[:, 3:] / length
    offset, rotary = rho[:, :3, 3:], rho[:, 3:, 3:]
    bending = -along @ along
    c = length**3 / 12.0
    cm = c * np.trace(rho[:, :3, :3], axis1=1, axis2=2)[:, None, None] / 3.0

    coupling = cm / length**2
    base = _isotropic(0.5 * (M + _transpose(M)), gap, coupling) + c * _form(curvature, rotary, curvature)
    shear = -cm * _form(along @ omega, np.eye(3), strain)
    shear_bent = cm * _form(curvature, -along @ S[:, :3, :3] @ along, moment)
    turn = c * _form(omega, rotary @ S[:, 3:, 3:] @ along, middle.stress[:, :3])
    turn_bent = c * _form(curvature, rotary @ bending, curvature)
    taper = -2.0 * c * _form(omega, rotary @ middle.slope[:, 3:, 3:], moment)
    eccentric = c * (
        _form(2.0 * strain - along @ omega, offset, curvature)
        + _form(strain - along @ omega, offset @ bending, curvature)
    )
    size, turn_size = _size(shear[:, 3:6]), _size(turn[:, 3:6])
    natural = size / np.maximum(size, turn_size)
    sheared = _size(length * along @ strain) / _size(along @ gap)  # (Phi/(1 + Phi))^2, Phi = 12 EI/(GA L^2)
    short = sheared / (sheared + (_SHORT * (1.0 - np.sqrt(sheared))) ** 2)
    change = short * (shear + natural * turn) + (1.0 - short) * (shear_bent + natural * turn_bent) + taper + eccentric
    M = base + _share(base, change) * change
    M[:, :3, 6:9] = 0.0
    M[:, 6:9, :3] = 0.0
    return M, coupling[:, 0, 0]


def _isotropic(M: Array, gap: Array, coupling: Array) -> Array:
    """M with the isotropic `coupling` between the nodes' velocities in place of what it has; the same in rigid motions.

    Its symmetric part goes to the inertia of the nodes' relative motion. In its skew part 2 v_A . A v_B, which is
    (v_A + v_B) . A (v_B - v_A), the difference is taken as that of a rigid motion, in terms of angular velocities.
    """
    from_a, from_b = -gap[:, :, :3], gap[:, :, 6:9]  # rotations to the axes of the middle
    between = from_a @ M[:, :3, 6:9] @ _transpose(from_b)
    twice_mean, rigid = gap.copy(), -gap
    twice_mean[:, :, :3] *= -1.0
    twice_mean[:, :, 3:6] = twice_mean[:, :, 9:] = 0.0
    rigid[:, :, _LINEAR] = 0.0
    skew = 0.5 * (between - _transpose(between))
    M = M + _form(gap, between - coupling * np.eye(3), gap) + _form(twice_mean, skew, rigid)
    M[:, :3, 6:9] = coupling * _transpose(from_a) @ from_b
    M[:, 6:9, :3] = _transpose(M[:, :3, 6:9])
    return M


def _indefinite(M: Array, coupling: Array, gap: Array) -> NDArray[np.bool_]:
    """Which elements have a mass that is not positive (semi-)definite."""
    whole = M.copy()
    whole[:, :3, 6:9] = coupling[:, None, None] * _transpose(-gap[:, :, :3]) @ gap[:, :, 6:9]
    whole[:, 6:9, :3] = _transpose(whole[:, :3, 6:9])
    unit = _unit(whole)
    return np.asarray(np.linalg.eigvalsh(unit[:, :, None] * whole * unit[:, None, :])[:, 0] < -1e-12)


def _form(X: Array, A: Array, Y: Array) -> Array:
    """Symmetric matrix of the product X . A Y."""
    product = _transpose(X) @ A @ Y
    return 0.5 * (product + _transpose(product))


def _transpose(X: Array) -> Array:
    return np.swapaxes(X, 1, 2)


def _size(X: Array) -> Array:
    """Sum of squares over the columns of the nodes' velocities: (ne, 1, 1)."""
    return np.asarray((X[:, :, _LINEAR] ** 2).sum(axis=(1, 2), keepdims=True))


def _share(base: Array, change: Array) -> Array:
    """The largest part, up to 1, of `change` that leaves `_LEAST` of `base` in every motion: (ne, 1, 1)."""
    unit = _unit(base)
    values, vectors = np.linalg.eigh(unit[:, :, None] * base * unit[:, None, :])
    vectors = unit[:, :, None] * vectors / np.sqrt(np.maximum(values, 1e-12))[:, None, :]
    lowest = np.linalg.eigvalsh(_form(vectors, change, vectors))[:, 0]
    return ((1.0 - _LEAST) / np.maximum(1.0 - _LEAST, -lowest))[:, None, None]


def _unit(M: Array) -> Array:
    """Factors that scale the diagonals to one: (ne, 12)."""
    diagonal = np.diagonal(M, axis1=1, axis2=2)
    return np.asarray(1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)))
