"""Where the matter of a beam element is: one line through its nodes, linear in their positions and rotations.

    x(z, Y) = N_A x_A + N_B x_B + R_A P_A(z, Y) + R_B P_B(z, Y),   N_A + N_B = 1,   z in [0, 1],

Y being a point of the section and P arms fixed in the nodes. The axis runs along section frames that are blended
linearly between the nodes; what it then misses of the node B, the gap, goes with N_B:

    x = x_A + R_A a_A(z) + R_B a_B(z) + N_B(z) gap,   gap = x_B - x_A - R_A a_A(1) - R_B a_B(1),

a_A = int (1 - z) t, a_B = int z t, t the tangent of the reference element in the axes of the node; a point of the
section is carried by M_A R_A + M_B R_B. So in the reference configuration the line is the element itself, and the
kinetic energy is tr(Z_dot G Z_dot^T)/2 with Z = (x_A, R_A, x_B, R_B), (3, 8), and a constant G, (8, 8). Weight, line
loads and momenta of any motion in any deformation follow from the same line, exactly.

One part is not taken from the blended frames, which shrink where the element is bent: the product of both turns in the
rotary inertia of the sections, X the whole of M_A M_B times it. Instead of X it has

    (Y_A w_A) . (Y_B w_B),   Y_A^2 = X, Y_B^2 = X in the axes of each node,

w in space. Bent in a plane the element keeps its inertia, however far; and no mass gets negative.

N_B and M_B are the static shapes of a stretched and of a twisted bar plus an odd part (see `_odd`; over the inertia in
tapered elements, so that it moves no centre of mass). With it the coupling of the nodes, int N_A N_B, is 1/12 instead
of 1/6: half way from the consistent mass to the lumped one, where frequencies of bars are of fourth order. `LEVER`, the
inertia between the gap and the turning of the tangent, is that of the S of a slender bent element. The axis in these
formulas is that of the elastic centres; the axis of the nodes is carried by the sections.

Inertia of inner displacements that no line has is added to G (`_inside`). To second order in the element's length, the
inertia of the displacements F M q'' under a uniform acceleration counts as (F M q)' . K q', since w^2 M q = -(K q')' [M
and K: mass and stiffness per length, F: flexibility between held nodes]. There are four such terms:

- k r_dot . gap_dot, r = (R_A t + R_B t)/2, of shear and rotary inertia, right in the plane in which the beam bends most
  easily, see `_shear`; the gap is that of the line of shear centres, and where bending twists the section, r has a part
  across t that turns with the twist;
- what the other plane has beyond it, c/2 |w_B - w_A|^2 with the whole c = L J/12 + L m EI/(20 GA): the same by parts,
  since the gap is -(L^3/12 + L EI/GA) times the second derivative of the rotation (with the product in X again);
- a mass beside the shear centre couples r_dot with the change of twist, one beside the elastic centre couples gap_dot
  with the change of the bending rotation;
- in pretwisted and tapered elements a moment turns the inside, (w_A + w_B)/2 . C (w_B - w_A), see `_Inside.varying`.

They take no part in translations and in rigid motions of the reference. All are kept below what
would leave the mass singular in an element bent or twisted by pi; that matters for elements shorter than twice their
thickness. The second then counts what the first has not. Where the last two matter, or bending twists the section, the
worst of all turns is looked for, too (`_everywhere`).
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.series import exponential, gauss, skew

Array = NDArray[np.float64]

_XI, _WEIGHT = gauss()
LEVER = 1.0 / 60.0  # mean of (z - 1/2) times the odd part of N_B
_TIE = 1e-6  # weight of the curvature where flexibilities are equal
_NATURAL = 4.0  # the largest J over m EI/GA that counts whole; materials have about 1/3
_STATES = ((1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0))  # as it is; bent, twisted by pi
_LARGEST = 0.9  # of what would leave the mass singular
_SIGNS = np.array([(p, q, r) for p in (1.0, -1.0) for q in (1.0, -1.0) for r in (1.0, -1.0)])
_CUBE = np.array([np.diag(a) @ np.eye(3)[list(p)] for p in permutations(range(3)) for a in _SIGNS])
_CUBE = _CUBE[np.linalg.det(_CUBE) > 0.0]  # the turns of a cube
_ROUNDS, _WORST = 3, 6  # of the search for the worst turn, and how many are followed
_MUCH = 10.0  # times a change: if that leaves the mass positive in _STATES, the change itself does so in any turn


class Reference(NamedTuple):
    """Reference elements: relative vectors, lengths, stiffness, and means of the sections' compliance and mass."""

    d0: Array
    length: Array
    stiffness: Array
    compliance: Array
    mass: Array


class Line(NamedTuple):
    """The line at the Gauss points: weights and arms of its axis, and what carries a section's points."""

    axis: Array  # (ne, points, 8) N_A, p_A, N_B, p_B
    section: Array  # (ne, points, 8, 3) of a point Y, in the section's axes
    gap: Array  # (ne, 8)
    centre: Array  # (ne, 3) elastic centre in the section's axes
    blend: Array  # (ne, points) M_B


def line_of(reference: Reference, compliance: Array, mass: Array) -> Line:
    """The line through elements whose sections have the compliance and the mass (ne, points, 6, 6)."""
    u, w = reference.d0[:, :3], skew(reference.d0[:, 3:])
    t = u / reference.length[:, None]
    c = elastic_centre(reference)
    back = np.swapaxes(exponential(w), 1, 2)  # from the axes of node A to those of node B
    N = _shape(np.einsum("ei,egij,ej->eg", t, compliance[..., :3, :3], t), moments(mass)[0])
    M = _shape(
        np.einsum("ei,egij,ej->eg", t, compliance[..., 3:, 3:], t), np.trace(mass[..., 3:, 3:], axis1=2, axis2=3)
    )
    along = u + (w @ c[..., None])[..., 0]
    z = 0.5 + _XI
    arms = _arms(np.append(z, 1.0), along, w)
    arms[1] = arms[1] @ np.swapaxes(back, 1, 2)
    n = len(u)
    gap = np.zeros((n, 8))
    gap[:, 0], gap[:, 4] = -1.0, 1.0
    gap[:, 1:4], gap[:, 5:] = -c - arms[0][:, -1], c - arms[1][:, -1]
    axis, section = np.zeros((n, len(_XI), 8)), np.zeros((n, len(_XI), 8, 3))
    F = exponential(z[:, None, None] * w[:, None])
    section[:, :, 1:4] = (1.0 - M[..., None, None]) * F
    section[:, :, 5:] = M[..., None, None] * (back[:, None] @ F)
    axis[:, :, 0] = 1.0
    axis[:, :, 1:4], axis[:, :, 5:] = c[:, None] + arms[0][:, :-1], arms[1][:, :-1]
    axis += N[..., None] * gap[:, None] - (section @ c[:, None, :, None])[..., 0]
    return Line(axis, section, gap, c, M)


def mass_of(reference: Reference, line: Line, compliance: Array, mass: Array) -> Array:
    """G row by row, Y_A and Y_B, (ne, 82), of sections with these matrices (ne, points, 6, 6)."""
    m, s, second = moments(mass)
    s = np.einsum("egia,ega->egi", line.section, s)
    dx = _WEIGHT * reference.length[:, None]
    weighted = np.swapaxes(dx[..., None] * line.axis, 1, 2)
    mixed = weighted @ (0.5 * m[..., None] * line.axis + s)
    points = (dx[..., None, None] * line.section @ second).transpose(0, 2, 1, 3).reshape(len(dx), 8, -1)
    rotary = points @ line.section.transpose(0, 1, 3, 2).reshape(len(dx), -1, 8)
    G, X = mixed + np.swapaxes(mixed, 1, 2) + rotary, np.zeros((len(dx), 3, 3))
    plain = G
    half = exponential(0.5 * skew(reference.d0[:, 3:]))
    back = np.swapaxes(half, 1, 2)
    turn = np.concatenate([half @ np.diag(signs) @ half for signs in _STATES])

    def add(G_more: Array, X_more: Array) -> Array:
        """As much of a change as leaves a positive mass; how much of it would, at most."""
        nonlocal G, X
        most = _most(nodal_mass(_flat(G, X, half), turn), nodal_mass(_flat(G_more, X_more, half), turn))
        most = _LARGEST * np.min(most.reshape(len(_STATES), -1), axis=0)
        share = np.minimum(1.0, most)[:, None, None]
        G, X = G + share * G_more, X + share * X_more
        return np.asarray(most)

    blended = np.zeros_like(G)
    blended[:, 1:4, 5:], blended[:, 5:, 1:4] = -rotary[:, 1:4, 5:], -rotary[:, 5:, 1:4]
    add(blended, _other(back @ rotary[:, 1:4, 5:] @ back, 1.0))
    inside, none = _Inside(reference, line), np.zeros_like(X)
    sheared = np.minimum(1.0, add(inside.sheared(), none))[:, None, None]
    for C in inside.turning(sheared):
        if C.any():
            change, W = np.zeros_like(G), _other(C, 0.5)
            change[:, 1:4, 1:4], change[:, 5:, 5:] = half @ W @ back, back @ W @ half
            add(change, -C)
    odd = np.linalg.norm(inside.twisted, axis=1) > np.abs(inside.k[:, 0, 0]) / _MUCH
    for more in (inside.beside(), inside.varying(compliance, half)):
        if more.any():
            odd |= add(more, none) < _MUCH
    if odd.any():
        share = _everywhere(_flat(plain, none, half)[odd], _flat(G, X, half)[odd])[:, None, None]
        G[odd], X[odd] = plain[odd] + share * (G - plain)[odd], share * X[odd]
    return _flat(G, X, half)


def _other(J: Array, share: float) -> Array:
    """share tr(J) - J of symmetric parts: inertia of second moments with 1, second moments of an inertia with 1/2."""
    J = 0.5 * (J + np.swapaxes(J, 1, 2))
    return np.asarray(share * np.trace(J, axis1=1, axis2=2)[:, None, None] * np.eye(3) - J)


def _flat(G: Array, X: Array, half: Array) -> Array:
    """G (ne, 8, 8), Y_A and Y_B of X (ne, 3, 3), which is in the axes halfway; a negative X has the sign in Y_B."""
    back = np.swapaxes(half, 1, 2)
    values, vectors = np.linalg.eigh(X)
    y = np.sqrt(np.abs(values))
    first, second = (vectors * root[:, None] @ np.swapaxes(vectors, 1, 2) for root in (y, np.sign(values) * y))
    parts = (G, half @ first @ back, back @ second @ half)
    return np.concatenate([part.reshape(len(G), -1) for part in parts], axis=1)


class _Inside:
    """What no line has of the inertia, in three parts."""

    def __init__(self, reference: Reference, line: Line) -> None:
        self.reference, self.line = reference, line
        d0, L, _, _, rho = reference
        t = d0[:, :3] / L[:, None]
        half = exponential(0.5 * skew(d0[:, 3:]))
        back = np.swapaxes(half, 1, 2)
        self.apart, mean = np.zeros((len(t), 8, 3)), np.zeros((len(t), 8, 3))
        self.apart[:, 1:4], self.apart[:, 5:] = -half, back  # a vector of the section halfway: its change from A to B
        mean[:, 1:4], mean[:, 5:] = 0.5 * half, 0.5 * back  # and its mean
        self.tangent = (mean @ t[..., None])[..., 0]
        self.m, self.s, _ = moments(rho)
        c, S_w = skew(line.centre), skew(self.s)
        self.J = rho[:, 3:, 3:] + S_w @ c + c @ S_w - self.m[:, None, None] * c @ c
        self.along = skew(t)
        k, twisted = _shear(reference, self.J)
        self.k = k[:, None, None]
        self.twisted = twisted
        self.turned = (mean @ (k[:, None] * t + twisted)[..., None])[..., 0]

    def sheared(self) -> Array:
        """Of shear and rotary inertia in the softer plane, (ne, 8, 8)."""
        beside = shear_centre(self.reference) - self.line.centre  # shear is in the gap of the line of shear centres
        gap = self.line.gap + np.einsum("eja,ea->ej", self.apart, beside)
        both = np.einsum("ei,ej->eij", self.turned, gap)
        return np.asarray(both + np.swapaxes(both, 1, 2))

    def turning(self, part: Array) -> list[Array]:
        """What both planes have beyond this part of `sheared`: C of w_B - w_A (ne, 3, 3), >= 0 and <= 0."""
        m, along, (_, L, _, S, _) = self.m[:, None, None], self.along, self.reference
        length = L[:, None, None]
        plane = -along @ along
        ratio = -along @ np.linalg.inv(np.linalg.inv(S)[:, :3, :3]) @ along @ np.linalg.inv(S[:, 3:, 3:])  # EI/GA
        # a rotary inertia that no material has moves on its own: only what is natural, and a mass beside the centre
        off = skew(self.s - self.m[:, None] * self.line.centre)
        lever = -off @ off / np.maximum(m, 1e-300)
        own = np.trace(plane @ (self.J - lever) @ plane, axis1=1, axis2=2)
        natural = np.minimum(_NATURAL * self.m * np.trace(ratio, axis1=1, axis2=2) / np.maximum(own, 1e-300), 1.0)
        rotary = plane @ (lever + natural[:, None, None] * (self.J - lever)) @ plane
        C = length * (rotary / 12.0 + 2.0 * (1.0 / 24.0 - LEVER) * m * ratio)
        C = C - part * self.k * (length / 6.0 * plane + 2.0 / length * ratio)
        values, vectors = np.linalg.eigh(0.5 * (C + np.swapaxes(C, 1, 2)))
        signs = (np.maximum(values, 0.0), np.minimum(values, 0.0))
        return [vectors * part[:, None] @ np.swapaxes(vectors, 1, 2) for part in signs]

    def beside(self) -> Array:
        """Of masses beside the centres, (ne, 8, 8)."""
        L, m = self.reference.length, self.m[:, None]
        s_elastic, s_shear = self.s - m * self.line.centre, self.s - m * shear_centre(self.reference)
        beside = (1.0 / 24.0 - LEVER) * L[:, None] ** 2 * np.einsum("eja,ea->ej", self.apart, s_shear)
        mixed = np.einsum("ei,ej->eij", self.tangent, beside)
        mixed += np.einsum("ei,eja,ea->eij", self.line.gap, self.apart, L[:, None] / 24.0 * s_elastic)
        return np.asarray(mixed + np.swapaxes(mixed, 1, 2))

    def varying(self, compliance: Array, half: Array) -> Array:
        """Of sections whose flexibility in bending is not that in twist, which M_B follows, all along: (ne, 8, 8).

        A moment then bends the element unevenly and turns its inside by -(1/12) S' K of w_B - w_A, S' the change of S.
        """
        L, S = self.reference.length[:, None, None], self.reference.compliance[:, 3:, 3:]
        t = self.reference.d0[:, :3] / L[:, 0]
        change = 12.0 * np.einsum("g,egij->eij", _WEIGHT * _XI, compliance[..., 3:, 3:])
        twist, whole = (np.einsum("ei,eij,ej->e", t, X, t)[:, None, None] for X in (change, S))
        C = L / 12.0 * self.J @ (twist / whole * np.eye(3) - change @ np.linalg.inv(S))
        C[np.abs(C).max(axis=(1, 2)) <= _TIE * L[:, 0, 0] * np.trace(self.J, axis1=1, axis2=2)] = 0.0
        back, out = np.swapaxes(half, 1, 2), np.zeros((len(C), 8, 8))
        W, apart = _other(C, 0.5), 0.5 * (C - np.swapaxes(C, 1, 2))
        out[:, 1:4, 1:4], out[:, 5:, 5:] = -half @ W @ back, back @ W @ half
        out[:, 1:4, 5:] = half @ apart @ half
        out[:, 5:, 1:4] = np.swapaxes(out[:, 1:4, 5:], 1, 2)
        return out


def nodal_mass(mass: Array, turn: Array) -> Array:
    """Mass matrices (n, 12, 12) of the nodes' twists in their own axes, turn = R_A^T R_B, (n, 3, 3).

    n may be a multiple of the number of elements.
    """
    n = len(turn)
    mass = np.concatenate([mass] * (n // max(len(mass), 1)))
    # rates (n, 3, 8, 12) of x_A, R_A, x_B, R_B, in the axes of node A, per twists of the nodes
    rates = np.zeros((n, 3, 8, 12))
    for side, R in enumerate((np.broadcast_to(np.eye(3), turn.shape), turn)):
        rates[:, :, 4 * side, 6 * side : 6 * side + 3] = R
        for k, axis in enumerate(np.eye(3)):
            rates[:, :, 4 * side + 1 + k, 6 * side + 3 : 6 * side + 6] = -R @ skew(axis)
    forces = mass[:, :64].reshape(n, 1, 8, 8) @ rates
    out = np.swapaxes(rates.reshape(n, 24, 12), 1, 2) @ forces.reshape(n, 24, 12)
    product = mass[:, 64:73].reshape(n, 3, 3) @ turn @ mass[:, 73:].reshape(n, 3, 3)
    out[:, 3:6, 9:] += product
    out[:, 9:, 3:6] += np.swapaxes(product, 1, 2)
    return np.asarray(out)


def _everywhere(plain: Array, whole: Array) -> Array:
    """Share (ne,) of what `whole` has beyond `plain`, that leaves a positive mass however the nodes are turned.

    The coupling of the nodes is linear in the turn R, all else does not depend on it. For a motion v the turn with the
    least v . M v is a polar factor, for a turn the least motion an eigenvector: found in alternation, from the worst of
    the turns of a cube on.
    """
    n, share = len(plain), np.ones(len(plain))
    turns = np.repeat(_CUBE, n, axis=0)
    for _ in range(_ROUNDS):
        mixed = plain + share[:, None] * (whole - plain)  # but for Y, whose product counts
        mixed[:, 64:] = np.sqrt(share)[:, None] * whole[:, 64:]
        slopes = nodal_mass(mixed, np.repeat(np.eye(9).reshape(9, 3, 3), n, axis=0))[:, :6, 6:].reshape(9, n, 6, 6)
        values, _ = _least(nodal_mass(mixed, turns))
        worst = np.argsort(values.reshape(-1, n), axis=0)[:_WORST]
        R = turns.reshape(-1, n, 3, 3)[worst, np.arange(n)].reshape(-1, 3, 3)
        for _ in range(_WORST):
            v = _least(nodal_mass(mixed, R))[1].reshape(-1, n, 12)
            U, _, V = np.linalg.svd(-np.einsum("wea,keab,web->wek", v[..., :6], slopes, v[..., 6:]).reshape(-1, 3, 3))
            U[:, :, 2] *= np.linalg.det(U @ V)[:, None]
            R = U @ V
        turns = np.concatenate((turns, R))
        low = nodal_mass(plain, turns)
        most = _most(low, nodal_mass(whole, turns) - low)
        share = np.minimum(1.0, _LARGEST * np.min(most.reshape(-1, n), axis=0))
    return share


def _least(M: Array) -> tuple[Array, Array]:
    """Lowest eigenvalues (n,) of matrices (n, 12, 12) scaled to a unit diagonal, and their motions (n, 12)."""
    scale = 1.0 / np.sqrt(np.maximum(np.diagonal(M, axis1=1, axis2=2), 1e-300))
    values, vectors = np.linalg.eigh(scale[:, :, None] * M * scale[:, None])
    return values[:, 0], scale * vectors[:, :, 0]


def towards_ends(reference: Reference, line: Line) -> Array:
    """Nodal wrenches (ne, side, 2, 6, 6) of forces and moments per length on the axis, in the axes of each node.

    A load that varies is taken as linear, (2 - 3 z) q_A + (3 z - 1) q_B, with the q that keep its integral and its
    first moment: its means weighted with 2 (1 - z) and 2 z. Sides are q_A and q_B; their sum is a uniform load.
    """
    out = np.zeros((len(reference.length), 2, 2, 6, 6))
    for side, share in enumerate(lengths_towards()):
        dx = share * reference.length[:, None]
        axis = np.einsum("eg,egi->ei", dx, line.axis).reshape(-1, 2, 4)
        turned = np.sum(dx * line.blend, axis=1)
        out[:, side, :, :3, :3] = axis[:, :, 0, None, None] * np.eye(3)
        out[:, side, :, 3:, :3] = skew(axis[:, :, 1:])
        out[:, side, 0, 3:, 3:] = (dx.sum(axis=1) - turned)[:, None, None] * np.eye(3)
        out[:, side, 1, 3:, 3:] = turned[:, None, None] * np.eye(3)
    return out


def lengths_towards() -> Array:
    """Lengths (side, points), of an element of unit length, that q_A and q_B of `towards_ends` stand for."""
    return np.stack((0.5 - 3.0 * _XI, 0.5 + 3.0 * _XI)) * _WEIGHT


def moments(mass: Array) -> tuple[Array, Array, Array]:
    """Mass (...), first moment (..., 3) and second moments (..., 3, 3) of sections with mass matrices (..., 6, 6)."""
    m = np.trace(mass[..., :3, :3], axis1=-2, axis2=-1) / 3.0
    X, J = mass[..., 3:, :3], mass[..., 3:, 3:]
    s = 0.5 * np.stack((X[..., 2, 1] - X[..., 1, 2], X[..., 0, 2] - X[..., 2, 0], X[..., 1, 0] - X[..., 0, 1]), -1)
    return m, s, 0.5 * np.trace(J, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - J


def elastic_centre(reference: Reference) -> Array:
    """Points (ne, 3), beside the axis, at which bending moments make no axial strain."""
    S, t = reference.compliance, reference.d0[:, :3] / reference.length[:, None]
    along = np.einsum("ei,ej->eij", t, t)
    plane = np.eye(3) - along
    strain = plane @ S[:, 3:, :3] @ t[..., None]
    return np.asarray(-np.cross(t, np.linalg.solve(plane @ S[:, 3:, 3:] @ plane + along, strain)[..., 0]))


def shear_centre(reference: Reference) -> Array:
    """Points (ne, 3), beside the axis, at which transverse forces make no twist."""
    S, t = reference.compliance, reference.d0[:, :3] / reference.length[:, None]
    twist = np.einsum("eij,ej->ei", S[:, :3, 3:], t) / np.einsum("ei,eij,ej->e", t, S[:, 3:, 3:], t)[:, None]
    return np.asarray(np.cross(t, twist))


def _shape(flexibility: Array, inertia: Array) -> Array:
    """Static shape (ne, points), from 0 to 1, of a bar of varying flexibility, plus the odd part."""
    powers = np.linalg.inv(np.vander(_XI, len(_XI), increasing=True))
    k = np.arange(len(_XI)) + 1.0
    coefficients = (flexibility @ powers.T) / k
    static = coefficients @ (_XI[:, None] ** k - (-0.5) ** k).T
    whole = coefficients @ (0.5**k - (-0.5) ** k)
    weight = (inertia @ _WEIGHT)[:, None] / np.where(inertia > 0.0, inertia, np.inf)
    return np.asarray(static / whole[:, None] + weight * _odd(2.0 * _XI))


def _odd(z: Array) -> Array:
    """a (z - z^3) + b (z^3 - z^5) for z in [-1, 1]: the mean of z/2 times it is `LEVER`, that of its square 1/20.

    Then int N_A N_B = 1/6 - 2 LEVER - 1/20 = 1/12.
    """
    root = np.sqrt(6391.0)
    return np.asarray((7.0 + 3.0 * root) / 160.0 * (z - z**3) + (77.0 - 7.0 * root) / 160.0 * (z**3 - z**5))


def _arms(z: Array, u: Array, w: Array) -> list[Array]:
    """a_A and a_B up to z, (ne, len(z), 3) each, both in the axes of node A."""
    y = np.outer(z, 0.5 + _XI)
    t = (exponential(y.ravel()[:, None, None] * w[:, None]) @ u[:, None, :, None]).reshape(len(u), *y.shape, 3)
    weight = z[:, None] * _WEIGHT
    return [np.einsum("zg,ezgi->ezi", weight * share, t) for share in (1.0 - y, y)]


def _shear(reference: Reference, J: Array) -> tuple[Array, Array]:
    """k of the module's docstring, (ne,), from the dynamic stiffness of elements between held nodes; and what to add to
    k t (ne, 3) where bending twists the section.

    w^2 times the mass that an element has between its nodes, times its softness, is a mass again. Of it, the shear in
    the gap gives L^2 m (1/24 - LEVER) (share of shear in the gap), and the bending rotations that a shear force makes
    give (L^3/24) J S K_uu, J the rotary inertia; both in the plane in which the section bends most easily. A rotary
    inertia that no material has would make the second part dwarf the first: it is left at what is natural. The shear
    force also twists a section whose flexibilities in twist and bending are coupled, with the polar inertia.
    """
    d0, L, K, S, rho = reference
    t = d0[:, :3] / L[:, None]
    along = skew(t)
    m = np.trace(rho[:, :3, :3], axis1=1, axis2=2) / 3.0
    across = along @ along
    # a round section bends equally easily about all axes: then the curvature decides, not rounding errors
    bent = np.trace(S[:, 3:, 3:], axis1=1, axis2=2)[:, None, None] * np.einsum("ei,ej->eij", d0[:, 3:], d0[:, 3:])
    axis = np.linalg.eigh(across @ (S[:, 3:, 3:] + _TIE * bent) @ across)[1][:, :, -1]
    side = np.cross(axis, t)
    stiffness = np.einsum("ei,eij,ej->e", side, K[:, :3, :3], side)
    sheared = np.linalg.inv(np.linalg.inv(S)[:, :3, :3])  # not what twist about another axis adds to it
    shear = L * np.einsum("ei,eij,ej->e", side, sheared, side) * stiffness
    rotary, flexibility = (np.einsum("ei,eij,ej->e", axis, X, axis) for X in (J, S[:, 3:, 3:]))
    turn = np.minimum(L * rotary * flexibility * stiffness, m * shear)
    twisting, polar = (np.einsum("ei,eij,ej->e", t, *X) for X in ((S[:, 3:, 3:], axis), (J, t)))
    twisting *= L**2 / 24.0 * turn * polar / np.maximum(rotary * flexibility, 1e-300)
    return L**2 * (m * (1.0 / 24.0 - LEVER) * shear + turn / 24.0), -twisting[:, None] * axis


def _most(M: Array, change: Array) -> Array:
    """The largest k for which M + k change is positive semi-definite, (ne,)."""
    scale = 1.0 / np.sqrt(np.maximum(np.diagonal(M, axis1=1, axis2=2), 1e-300))
    values, vectors = np.linalg.eigh(scale[:, :, None] * M * scale[:, None])
    vectors = scale[:, :, None] * vectors / np.sqrt(np.maximum(values, 1e-12))[:, None]
    lowest = np.linalg.eigvalsh(np.swapaxes(vectors, 1, 2) @ change @ vectors)[:, 0]
    return np.asarray(1.0 / np.maximum(-lowest, 1e-300))
