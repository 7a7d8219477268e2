"""Matrices of beam elements: their elastic law from linear statics of the (curved, tapered, coupled) reference element.

Between its nodes an element is the helix H_A exp(xi d) and an inner displacement eta on it that vanishes at the nodes.
In linear statics the stress is E(xi) sigma_mid with E = exp(xi ad(d0)^T), [Grazioso17] (14), and its complementary
energy gives a stiffness K for which nodal displacements are exact, and eta as a linear map of e = d - d0. To second
order in eta the strain is

    e + ad(d0) eta + eta' + ad(e + e1) eta/2,   e1 the first-order strain,

and the mean of the last term, weighted with the stress, is `second`: (e Q e)/2. In it are the stretch of the S that a
tilted element takes, which keeps beams in tension stable, and how bending turns the axes of twist. It makes the strain
energy exact to third order in e, but for the eta of an axial strain, which is that of a straight element: a slender
curved one takes its axial strain by bowing, so softly that a series in e is of no use as soon as it is bent or bowed by
as much as its own curvature. To that stretch, 3/5 of the squared tilt, `_STRETCH`/2 is added: the weight of a free
end hangs on an arm of its node, and with a `_STRETCH` below 3/10 that arm would turn over at the end of a chain. The
difference is of fourth order. `turning` is the flexibility of the element between held nodes under a uniform moment
along it, such as that of moments which are not along the curvature, see `kernels.elastic`. The mass and the shares of
loads are those of `matter`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cosserat.compile.matter import ReferenceElements, line_of, mass_of, towards_ends
from cosserat.compile.series import POINTS, WEIGHT, XI, bracket, exponential, skew
from cosserat.lie.protocol import Array

_STRETCH = 0.6  # see the docstring of this module
_SOFT = 1e-12  # of the largest flexibility: what rounding errors leave of one that should be zero
_POWERS = np.linalg.inv(np.vander(XI, len(XI), increasing=True))  # from values at the Gauss points
_MANY = 256  # elements at once, which bounds the memory


class ElementMatrices(NamedTuple):
    """Arrays over elements; nodes A and B of each."""

    stiffness: Array  # (ne, 6, 6)
    second: Array  # (ne, 216): Q[i, j, k] at 36 k + 6 i + j, symmetric in j and k
    turning: Array  # (ne, 6): F^-1 of the strain energy, see `kernels.elastic`
    mass: Array  # (ne, 82) of the positions and rotations of both nodes, see `matter.mass_of`
    towards: Array  # (ne, side, 2, 6, 6): nodal wrenches of line loads, see `matter.towards_ends`
    axis: Array  # (ne, points, 8) and ...
    section: Array  # (ne, points, 8, 3) of the line, see `matter.Line`
    turn: Array  # (ne, points, 3, 6): turn of sections between the nodes with the strain, see `kernels.line_loads`


def element_matrices(d0: Array, compliance: Array, mass: Array) -> ElementMatrices:
    """Matrices of elements with relative vectors d0 (ne, 6).

    `compliance` and `mass` are section matrices at the points `series.POINTS`, (ne, points, 6, 6).
    """
    if len(d0) > _MANY:
        parts = (slice(k, k + _MANY) for k in range(0, len(d0), _MANY))
        found = [element_matrices(d0[part], compliance[part], mass[part]) for part in parts]
        return ElementMatrices(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))
    length = np.linalg.norm(d0[:, :3], axis=1)
    turn = across(d0)[:, None]
    compliance = turn @ compliance @ np.swapaxes(turn, 2, 3)
    statics = _statics(d0, length, compliance)
    mean, mean_mass = (np.tensordot(array, WEIGHT, (1, 0)) for array in (compliance, mass))
    reference = ReferenceElements(d0, length, d0[:, :3] / length[:, None], mean, mean_mass)
    line = line_of(reference, compliance, mass)
    second, turn = _second(statics, d0, length, compliance)
    return ElementMatrices(
        statics.stiffness,
        second + _stretch(reference, statics.stiffness),
        _turning(statics, length, compliance),
        mass_of(reference, line, compliance, mass),
        towards_ends(reference, line),
        line.axis,
        line.section,
        turn,
    )


def across(d0: Array) -> Array:
    """Turns (ne, 6, 6) from the axes of the nodes to those of sections across the element.

    On a curve out of a plane, the helix through two nodes leaves them a little beside their first axes; on average
    over the element the curve, and with it the normals of the sections, goes along the helix, t (ne, 3).
    """
    t = d0[:, :3] / np.linalg.norm(d0[:, :3], axis=1)[:, None]
    K = skew(np.cross(np.eye(3)[0], t))
    return np.kron(np.eye(2), np.eye(3) + K + K @ K / np.maximum(1.0 + t[:, 0, None, None], 1e-9))


class _ElementStatics(NamedTuple):
    """Linear statics of elements."""

    ad: Array  # (ne, 6, 6) of d0
    E_T: Array  # (ne, points, 6, 6): exp(xi ad), xi in [-1/2, 1/2]
    flexibility: Array  # (ne, 6, 6)
    Z: Array  # (ne, 6, 6): e = Z (relative motion seen from the middle)
    stiffness: Array  # (ne, 6, 6)


def _statics(d0: Array, length: Array, compliance: Array) -> _ElementStatics:
    ad = bracket(d0)
    E_T = exponential(XI[None, :, None, None] * ad[:, None])
    flexibility = length[:, None, None] * summed(E_T @ compliance, np.swapaxes(E_T, 2, 3))
    Z: Array = np.asarray(np.linalg.inv(np.tensordot(E_T, WEIGHT, (1, 0))), dtype=np.float64)
    stiffness: Array = np.asarray(np.linalg.inv(Z @ flexibility @ np.swapaxes(Z, 1, 2)), dtype=np.float64)
    return _ElementStatics(ad, E_T, flexibility, Z, 0.5 * (stiffness + np.swapaxes(stiffness, 1, 2)))


def summed(A: Array, B: Array) -> Array:
    """Sum of A B over the Gauss points with their weights, (ne, points, a, i) and (ne, points, i, b)."""
    n, points, rows, inner = A.shape
    left = A.transpose(0, 2, 1, 3).reshape(n, rows, points * inner)
    return np.asarray(left @ (WEIGHT[:, None, None] * B).reshape(n, points * inner, -1))


def _second(statics: _ElementStatics, d0: Array, length: Array, compliance: Array) -> tuple[Array, Array]:
    """Q of the module's docstring, from eta and e1 at the Gauss points, and the turns of the sections.

    The axes of a section are R_A exp(z w) exp(eta_w), to first order in the strain R_A exp(z w + T^-1(z d0_w) eta_w).
    """
    t = d0[:, :3] / length[:, None]
    straight = np.concatenate((d0[:, :3], t * np.sum(t * d0[:, 3:], axis=1)[:, None]), axis=1)
    along = (t[:, :, None] * t[:, None])[:, None]
    eta, strain = _fields(statics, length, compliance)
    if not np.array_equal(straight, d0):
        for field, plain in zip((eta, strain), _fields(_statics(straight, length, compliance), length, compliance)):
            field[..., :3] += (plain - field)[..., :3] @ along
    z = POINTS[:, None, None]
    T = exponential(-z * skew(d0[:, None, 3:]), 1)
    turns: Array = np.asarray(np.linalg.solve(T, eta[:, :, 3:]), dtype=np.float64)
    turns[..., 3:] += z * np.eye(3)
    brackets = bracket(np.swapaxes(strain, 2, 3)) @ eta[:, :, None]  # (ne, points, a, i, b)
    lead = statics.Z[:, None] @ statics.E_T
    X = summed(lead, brackets.transpose(0, 1, 3, 2, 4).reshape(*eta.shape[:3], 36)).reshape(-1, 6, 6, 6)
    Q = 0.5 * (X + np.swapaxes(X, 2, 3))
    return np.ascontiguousarray(Q.transpose(0, 3, 1, 2).reshape(-1, 216)), turns


def _fields(statics: _ElementStatics, length: Array, compliance: Array) -> tuple[Array, Array]:
    """eta and e + e1 at the Gauss points, (ne, points, 6, 6) each, per e."""
    n, L, ad = len(length), length[:, None, None, None], statics.ad[:, None]
    stress = (np.swapaxes(statics.Z, 1, 2) @ statics.stiffness)[:, None]  # sigma_mid per e
    # integrals from the middle to the start and to the Gauss points, of exp(z ad) (L S E sigma_mid - 1)
    ends = np.concatenate(([-0.5], XI))
    z = np.outer(ends, POINTS).ravel()
    S = (np.vander(z, len(XI), increasing=True) @ _POWERS) @ compliance.reshape(n, len(XI), 36)
    turn = exponential(z[:, None, None] * ad)
    slope = turn @ (L * S.reshape(n, -1, 6, 6) @ np.swapaxes(turn, 2, 3) @ stress - np.eye(6))
    gathered = ends[:, None] * (WEIGHT @ slope.reshape(n, len(ends), len(XI), 36))
    inner = (gathered[:, 1:] - gathered[:, :1]).reshape(n, -1, 6, 6)
    strain = np.eye(6) + L * compliance @ np.swapaxes(statics.E_T, 2, 3) @ stress
    return exponential(-XI[:, None, None] * ad) @ inner, strain


def _stretch(reference: ReferenceElements, stiffness: Array) -> Array:
    """What `_STRETCH` adds to Q: axial strain, _STRETCH/2 |b|^2/L, b the part of e across the beam that bends it."""
    _, length, t, S, _ = reference
    plane = np.sqrt(_STRETCH / length)[:, None, None] * (np.eye(3) - t[:, :, None] * t[:, None])
    b = plane @ (np.eye(3, 6) - length[:, None, None] * (S @ stiffness)[:, :3])
    Q = np.zeros((len(t), 6, 6, 6))
    Q[:, :, :3] = np.einsum("ei,eaj,eak->ekij", t, b, b)
    return Q.reshape(-1, 216)


def _turning(statics: _ElementStatics, length: Array, compliance: Array) -> Array:
    """Stiffness (ne, 6) of elements between held nodes against a uniform moment, of unit total, along them.

    Of all stresses P + E sigma in balance with the moment, those of least complementary energy.
    """
    ad_T, E_T = np.swapaxes(statics.ad, 1, 2), statics.E_T
    ways = exponential(np.outer(XI, 0.5 - XI).ravel()[:, None, None] * ad_T[:, None])[..., 3:]
    P = XI[:, None] * (WEIGHT @ ways.reshape(len(length), len(XI), len(XI), 18))
    P = P.reshape(len(length), -1, 6, 3)
    SP = length[:, None, None, None] * compliance @ P
    whole, mixed = summed(np.swapaxes(P, 2, 3), SP), summed(E_T, SP)
    values, vectors = np.linalg.eigh(whole - np.swapaxes(mixed, 1, 2) @ np.linalg.solve(statics.flexibility, mixed))
    values = np.maximum(values, _SOFT * values[:, -1:])
    out = vectors / values[:, None] @ np.swapaxes(vectors, 1, 2)
    return np.asarray(out[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]])


def element_weights(mass: Array) -> tuple[Array, Array]:
    """Masses (ne, 2) of both nodes and first moments (ne, 2, 3) in their frames, for the potential of gravity.

    They are what the mass (ne, 82) makes of a uniform acceleration.
    """
    mass = mass[:, :64].reshape(-1, 8, 8)
    moved = (mass[:, :, 0] + mass[:, :, 4]).reshape(-1, 2, 4)
    return moved[:, :, 0], moved[:, :, 1:]
