"""Where the matter of a beam element is: one line through its nodes, linear in their positions and rotations.

    x(z, Y) = N_A x_A + N_B x_B + R_A P_A(z, Y) + R_B P_B(z, Y),   N_A + N_B = 1,   z in [0, 1],

Y being a point of the section and P arms fixed in the nodes. The axis runs along section frames that are blended
linearly between the nodes; what it then misses of the node B, the gap, goes with N_B:

    x = x_A + R_A a_A(z) + R_B a_B(z) + N_B(z) gap,   gap = x_B - x_A - R_A a_A(1) - R_B a_B(1),

a_A = int (1 - z) t, a_B = int z t, t the tangent of the reference element in the axes of the node; a point of the
section is carried by M_A R_A + M_B R_B. So in the reference configuration the line is the element itself, and the
kinetic energy is tr(Z_dot G Z_dot^T)/2 with Z = (x_A, R_A, x_B, R_B), (3, 8), and a constant G, (8, 8). Weight, line
loads and momenta of any motion in any deformation follow from the same line, exactly.

The rotary inertia of the sections about their mass centres is lumped: blended frames shrink where the element is bent,
by theta^2/12 of it. Half goes to each node (M_A and M_B of it), and turns with the node.

N_B and M_B are the static shapes of a stretched and of a twisted bar plus an odd part (see `_odd`; over the inertia in
tapered elements, so that it moves no centre of mass). With it the coupling of the nodes, int N_A N_B, is 1/12 instead
of 1/6: half way from the consistent mass to the lumped one, where frequencies of bars are of fourth order. `LEVER`, the
inertia between the gap and the turning of the tangent, is that of the S of a slender bent element. The axis in these
formulas is that of the elastic centres; the axis of the nodes is carried by the sections.

Inertia of inner displacements, which no line has, is added to G (`_inside`). A frequency w is right to fourth order if
the mass of nodal motions q is int q M q - w^2 int (M q) F (M q) [M: mass, K: stiffness per length, F: flexibility of an
element between held nodes, L^2/12 K^-1 in a short one]. Since w^2 M q is the change of the stress, that is by parts

    L^3/12 (change of M q) . strain - L^3/12 (K^-1 M q)_w . (t x n),   n the shear force,

in which no frequency is left. The second part turns rotary inertia J w into what the shear force n = GA gamma sees, and
since n is the change of a bending moment, as long as waves are long, into bending again. What comes out:

- k r_dot . gap_dot, r = (R_A t + R_B t)/2: of shear, m L^2/40, and of rotary inertia, m L^2/24 times J GA/(m EI), each
  times the part that shear has in the gap, right in the plane in which that part is smaller. The gap is that of the
  line of shear centres;
- (w_A - w_B) . X (w_A - w_B)/-2: twist, L/12 J S t (K t) for the axis t, S and K of turns only, less what the line has
  of masses beside the centre, and what the planes of bending miss of k, L m EI/(20 GA) - k (L/6 + 2 EI/(GA L)). Its
  product of both turns is (Y_A w_A) . (Y_B w_B), Y^2 = X in the axes of each node, w in space: bent in a plane, the
  element keeps it, however far;
- a mass beside the shear centre couples r_dot with the change of twist, one beside the elastic centre couples gap_dot
  with the change of the bending rotation;
- in pretwisted and tapered elements a moment turns the inside by -(1/12) S' K of w_B - w_A, S' the change of S, beyond
  what M_B has of it: (w_A + w_B)/2 . V (w_B - w_A).

None takes part in translations and in rigid motions of the reference. As much of all this is taken as leaves the mass
positive however the nodes are turned (`_positive`); that is all of it but for masses far beside the centres.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cosserat.compile.series import POINTS, WEIGHT, XI, exponential, skew
from cosserat.lie.protocol import Array
from cosserat.model.modal_inertia import axial_of, second_moments

LENGTHS_TOWARDS = np.stack((0.5 - 3.0 * XI, 0.5 + 3.0 * XI)) * WEIGHT
"""Lengths (side, points), of an element of unit length, that q_A and q_B of `towards_ends` stand for."""
LEVER = 1.0 / 60.0  # mean of (z - 1/2) times the odd part of N_B
_SHEAR = 1.0 / 24.0 - LEVER
_MEAN = np.array([-0.5] * 4 + [0.5] * 4)  # makes a mean of the difference of what is in both nodes
_NATURAL = 4.0  # the largest J over m EI/GA that counts as lumped; materials have about 1/3
_STATES = np.array([(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)])  # bent, twisted by pi
_LARGEST = 0.9  # of what would leave the mass singular
_CLOSE = 1e-6  # shares that need not be looked at again
_ROUNDS = 4  # of the search for the worst turn
_COLUMNS = np.zeros((3, 4, 6))  # rates of x and of the columns of R, per twist
_COLUMNS[:, 0, :3], _COLUMNS[:, 1:, 3:] = np.eye(3), skew(np.eye(3)).swapaxes(1, 2).swapaxes(0, 1)


class ReferenceElements(NamedTuple):
    """Reference elements: relative vectors, lengths, axes, and means of the sections' compliance and mass."""

    d0: Array
    length: Array
    t: Array
    compliance: Array
    mass: Array


class GaussLine(NamedTuple):
    """The line at the Gauss points: weights and arms of its axis, and what carries a section's points."""

    axis: Array  # (ne, points, 8) N_A, p_A, N_B, p_B
    section: Array  # (ne, points, 8, 3) of a point Y, in the section's axes
    gap: Array  # (ne, 8)
    centre: Array  # (ne, 3) elastic centre in the section's axes
    blend: Array  # (ne, points) M_B


def line_of(reference: ReferenceElements, compliance: Array, mass: Array) -> GaussLine:
    """The line through elements whose sections have the compliance and the mass (ne, points, 6, 6)."""
    u, w, t = reference.d0[:, :3], skew(reference.d0[:, 3:]), reference.t
    c = elastic_centre(reference)
    back = np.swapaxes(exponential(w), 1, 2)  # from the axes of node A to those of node B
    stretch, twist = (np.einsum("ei,egij,ej->eg", t, compliance[..., k : k + 3, k : k + 3], t) for k in (0, 3))
    N, M = _shape(stretch, moments(mass)[0]), _shape(twist, np.trace(mass[..., 3:, 3:], axis1=2, axis2=3))
    along = u + (w @ c[..., None])[..., 0]
    arms = _arms(np.append(POINTS, 1.0), along, w)
    arms[1] = arms[1] @ np.swapaxes(back, 1, 2)
    n = len(u)
    gap = np.zeros((n, 8))
    gap[:, 0], gap[:, 4] = -1.0, 1.0
    gap[:, 1:4], gap[:, 5:] = -c - arms[0][:, -1], c - arms[1][:, -1]
    axis, section = np.zeros((n, len(XI), 8)), np.zeros((n, len(XI), 8, 3))
    F = exponential(POINTS[:, None, None] * w[:, None])
    section[:, :, 1:4] = (1.0 - M[..., None, None]) * F
    section[:, :, 5:] = M[..., None, None] * (back[:, None] @ F)
    axis[:, :, 0] = 1.0
    axis[:, :, 1:4], axis[:, :, 5:] = c[:, None] + arms[0][:, :-1], arms[1][:, :-1]
    axis += N[..., None] * gap[:, None] - (section @ c[:, None, :, None])[..., 0]
    return GaussLine(axis, section, gap, c, M)


def mass_of(reference: ReferenceElements, line: GaussLine, compliance: Array, mass: Array) -> Array:
    """G row by row, Y_A and Y_B, (ne, 82), of sections with these matrices (ne, points, 6, 6)."""
    m, s, second = moments(mass)
    beside = s / np.where(m > 0.0, m, 1.0)[..., None]
    dx = WEIGHT * reference.length[:, None]
    axis = line.axis + np.einsum("egia,ega->egi", line.section, beside)
    G = np.swapaxes((dx * m)[..., None] * axis, 1, 2) @ axis
    half = exponential(0.5 * skew(reference.d0[:, 3:]))
    whole = half @ half
    F = line.section[:, :, 1:4] + whole[:, None] @ line.section[:, :, 5:]
    central = dx[..., None, None] * (second - s[..., None] * beside[..., None, :])
    rotary = np.sum(line.section @ central @ np.swapaxes(F, 2, 3), axis=1)
    G[:, 1:4, 1:4] += rotary[:, 1:4]
    G[:, 5:, 5:] += rotary[:, 5:] @ whole
    more, X = _inside(reference, line, compliance, half)
    return _positive(_flat(G, np.zeros_like(X), half), _flat(G + more, X, half), half)


def _inside(reference: ReferenceElements, line: GaussLine, compliance: Array, half: Array) -> tuple[Array, Array]:
    """What no line has of the inertia: of G (ne, 8, 8), and X (ne, 3, 3) in the axes halfway."""
    _, L, t, S, rho = reference
    m, s, _ = moments(rho)
    ell, per = L[:, None, None], m[:, None, None]
    back, along = np.swapaxes(half, 1, 2), skew(t)
    across = -along @ along
    apart = np.zeros((len(t), 8, 3))
    apart[:, 1:4], apart[:, 5:] = -half, back  # a vector of the section halfway: its change from A to B
    # rotary inertia and first moment about the elastic centre, and EI/GA
    c, first = skew(line.centre), skew(s)
    J = rho[:, 3:, 3:] + first @ c + c @ first - per * c @ c
    off = s - m[:, None] * line.centre
    S_w, K_w = S[:, 3:, 3:], np.linalg.inv(S[:, 3:, 3:])
    ratio = -along @ np.linalg.inv(np.linalg.inv(S)[:, :3, :3]) @ along @ K_w
    plane, both = across @ (ratio + np.swapaxes(ratio, 1, 2)) @ across, np.trace(ratio, axis1=1, axis2=2)
    softer = 0.5 * np.linalg.eigvalsh(plane + 4.0 * both[:, None, None] * (np.eye(3) - across))[:, 0]
    sheared = softer / (softer + L**2 / 12.0)
    own = across @ (J + skew(off) @ skew(off) / np.maximum(per, 1e-300)) @ across
    size = np.maximum(np.trace(own, axis1=1, axis2=2), 1e-300) / np.maximum(m * both, 1e-300)
    k = (sheared * L**2 * m * (_SHEAR + np.minimum(size, 1.0) / 24.0))[:, None, None]
    X = J @ S_w @ (np.eye(3) - across) @ K_w + (1.0 - np.minimum(1.0, _NATURAL / size))[:, None, None] * own
    X = ell / 12.0 * X
    X = X - 2.0 * ell * _SHEAR * per * ratio + k * (ell / 6.0 * across + 2.0 / ell * ratio)
    X = 0.5 * (X + np.swapaxes(X, 1, 2))
    change = 12.0 * np.einsum("g,egij->eij", WEIGHT * XI, compliance[..., 3:, 3:])
    twist, mean_twist = (np.einsum("ei,eij,ej->e", t, A, t)[:, None, None] for A in (change, S_w))
    V = ell / 12.0 * J @ (twist / mean_twist * np.eye(3) - change @ K_w)
    shear, beside = shear_centre(reference), off / np.maximum(m, 1e-300)[:, None]
    twisted = k[:, 0] * (shear - line.centre) + ell[:, 0] ** 2 * _SHEAR * (s - m[:, None] * shear)
    twisted, beside, bent = np.moveaxis(apart @ np.stack((twisted, beside, ell[:, 0] / 24.0 * off), axis=2), 2, 0)
    tangent = _MEAN * (apart @ t[..., None])[..., 0]
    G = tangent[..., None] * (k[:, 0] * line.gap + twisted)[:, None] + (line.gap + beside)[..., None] * bent[:, None]
    G[:, 1:4, 5:] += half @ (0.5 * (V - np.swapaxes(V, 1, 2))) @ half
    G = G + np.swapaxes(G, 1, 2)
    G[:, 1:4, 1:4] -= half @ second_moments(X + V) @ back
    G[:, 5:, 5:] -= back @ second_moments(X - V) @ half
    return G, X


def _flat(G: Array, X: Array, half: Array) -> Array:
    """G (ne, 8, 8), Y_A and Y_B of X (ne, 3, 3), which is in the axes halfway; a negative X has the sign in Y_B."""
    back = np.swapaxes(half, 1, 2)
    values, vectors = np.linalg.eigh(X)
    y = np.sqrt(np.abs(values))
    first, second = (vectors * root[:, None] @ np.swapaxes(vectors, 1, 2) for root in (y, np.sign(values) * y))
    parts = (G, half @ first @ back, back @ second @ half)
    return np.concatenate([part.reshape(len(G), -1) for part in parts], axis=1)


def nodal_mass(mass: Array, turn: Array) -> Array:
    """Mass matrices (n, 12, 12) of the nodes' twists in their own axes, turn = R_A^T R_B, (n, 3, 3).

    n may be a multiple of the number of elements.
    """
    n = len(turn)
    mass = np.concatenate([mass] * (n // max(len(mass), 1)))
    rates = np.zeros((n, 3, 8, 12))  # of x_A, R_A, x_B, R_B, in the axes of node A, per twists of the nodes
    rates[:, :, :4, :6] = _COLUMNS
    rates[:, :, 4:, 6:] = (turn @ _COLUMNS.reshape(3, 24)).reshape(n, 3, 4, 6)
    forces = mass[:, :64].reshape(n, 1, 8, 8) @ rates
    out = np.swapaxes(rates.reshape(n, 24, 12), 1, 2) @ forces.reshape(n, 24, 12)
    product = mass[:, 64:73].reshape(n, 3, 3) @ turn @ mass[:, 73:].reshape(n, 3, 3)
    out[:, 3:6, 9:] += product
    out[:, 9:, 3:6] += np.swapaxes(product, 1, 2)
    return np.asarray(out)


def _positive(plain: Array, whole: Array, half: Array) -> Array:
    """As much of what `whole` has beyond `plain`, which has no Y, as leaves a mass positive however nodes are turned.

    The coupling of the nodes is linear in the turn R, all else does not depend on it. For a motion v the turn with the
    least v . M v is a polar factor, for a turn the least motion an eigenvector: found in alternation, from elements on
    that are bent or twisted by pi.
    """
    n = len(plain)
    slopes = nodal_mass(whole, np.repeat(np.eye(9).reshape(9, 3, 3), n, axis=0))[:, :6, 6:].reshape(9, n, 6, 6)
    first = np.concatenate([half * signs @ half for signs in _STATES])
    R = first
    for _ in range(_ROUNDS):
        v = _modes(nodal_mass(whole, R))[1][:, :, 0].reshape(-1, n, 12)
        U, _, V = np.linalg.svd(-np.einsum("wea,keab,web->wek", v[..., :6], slopes, v[..., 6:]).reshape(-1, 3, 3))
        U[:, :, 2] *= np.linalg.det(U @ V)[:, None]
        R = U @ V
    R = np.concatenate((first, R))
    low = nodal_mass(plain, R)
    values, motions = _modes(low)
    motions = motions / np.sqrt(np.maximum(values, 1e-12))[:, None]
    least = np.linalg.eigvalsh(np.swapaxes(motions, 1, 2) @ (nodal_mass(whole, R) - low) @ motions)[:, 0]
    share = np.minimum(1.0, -_LARGEST / np.minimum(np.min(least.reshape(-1, n), axis=0), -1e-300))[:, None]
    out = np.concatenate((plain[:, :64] + share * (whole - plain)[:, :64], np.sqrt(share) * whole[:, 64:]), axis=1)
    less = share[:, 0] < 1.0 - _CLOSE
    if less.any():  # other turns may be the worst now
        out[less] = _positive(plain[less], out[less], half[less])
    return np.asarray(out)


def _modes(M: Array) -> tuple[Array, Array]:
    """Eigenvalues (n, 12) of matrices (n, 12, 12) scaled to a unit diagonal, and their motions (n, 12, 12)."""
    scale = 1.0 / np.sqrt(np.maximum(np.diagonal(M, axis1=1, axis2=2), 1e-300))
    values, vectors = np.linalg.eigh(scale[:, :, None] * M * scale[:, None])
    return values, scale[:, :, None] * vectors


def towards_ends(reference: ReferenceElements, line: GaussLine) -> Array:
    """Nodal wrenches (ne, side, 2, 6, 6) of forces and moments per length on the axis, in the axes of each node.

    A load that varies is taken as linear, (2 - 3 z) q_A + (3 z - 1) q_B, with the q that keep its integral and its
    first moment: its means weighted with 2 (1 - z) and 2 z. Sides are q_A and q_B; their sum is a uniform load.
    """
    dx = LENGTHS_TOWARDS * reference.length[:, None, None]
    axis = (dx @ line.axis).reshape(-1, 2, 2, 4)
    turned = dx @ np.stack((1.0 - line.blend, line.blend), axis=2)
    out = np.zeros((len(dx), 2, 2, 6, 6))
    out[..., :3, :3], out[..., 3:, 3:] = (a[..., None, None] * np.eye(3) for a in (axis[..., 0], turned))
    out[..., 3:, :3] = skew(axis[..., 1:])
    return out


def moments(mass: Array) -> tuple[Array, Array, Array]:
    """Mass (...), first moment (..., 3) and second moments (..., 3, 3) of sections with mass matrices (..., 6, 6)."""
    m = np.trace(mass[..., :3, :3], axis1=-2, axis2=-1) / 3.0
    return m, -0.5 * axial_of(mass[..., 3:, :3]), second_moments(mass[..., 3:, 3:])


def elastic_centre(reference: ReferenceElements) -> Array:
    """Points (ne, 3), beside the axis, at which bending moments make no axial strain."""
    S, t = reference.compliance, reference.t
    along = np.einsum("ei,ej->eij", t, t)
    plane = np.eye(3) - along
    strain = plane @ S[:, 3:, :3] @ t[..., None]
    return np.asarray(-np.cross(t, np.linalg.solve(plane @ S[:, 3:, 3:] @ plane + along, strain)[..., 0]))


def shear_centre(reference: ReferenceElements) -> Array:
    """Points (ne, 3), beside the axis, at which transverse forces make no twist."""
    S, t = reference.compliance, reference.t
    twist = np.einsum("eij,ej->ei", S[:, :3, 3:], t) / np.einsum("ei,eij,ej->e", t, S[:, 3:, 3:], t)[:, None]
    return np.asarray(np.cross(t, twist))


def _shape(flexibility: Array, inertia: Array) -> Array:
    """Static shape (ne, points), from 0 to 1, of a bar of varying flexibility, plus the odd part."""
    powers = np.linalg.inv(np.vander(XI, len(XI), increasing=True))
    k = np.arange(len(XI)) + 1.0
    coefficients = (flexibility @ powers.T) / k
    static = coefficients @ (XI[:, None] ** k - (-0.5) ** k).T
    whole = coefficients @ (0.5**k - (-0.5) ** k)
    weight = (inertia @ WEIGHT)[:, None] / np.where(inertia > 0.0, inertia, np.inf)
    return np.asarray(static / whole[:, None] + weight * _odd(2.0 * XI))


def _odd(z: Array) -> Array:
    """a (z - z^3) + b (z^3 - z^5) for z in [-1, 1]: the mean of z/2 times it is `LEVER`, that of its square 1/20.

    Then int N_A N_B = 1/6 - 2 LEVER - 1/20 = 1/12.
    """
    root = np.sqrt(6391.0)
    return np.asarray((7.0 + 3.0 * root) / 160.0 * (z - z**3) + (77.0 - 7.0 * root) / 160.0 * (z**3 - z**5))


def _arms(z: Array, u: Array, w: Array) -> list[Array]:
    """a_A and a_B up to z, (ne, len(z), 3) each, both in the axes of node A."""
    y = np.outer(z, POINTS)
    t = (exponential(y.ravel()[:, None, None] * w[:, None]) @ u[:, None, :, None]).reshape(len(u), *y.shape, 3)
    weight = z[:, None] * WEIGHT
    return [np.einsum("zg,ezgi->ezi", weight * share, t) for share in (1.0 - y, y)]
