"""Eigenvalues in the right half plane that slower ones hide from a search near zero.

Where the stiffness is symmetric and nothing feeds energy, signs of pivots count them. Elsewhere all eigenvalues of the
inverted problem are computed at real shifts up to the fastest motions, or, of large systems, a Krylov space of each:
with theta = 1 / (s - sigma), (s + sigma) / (s - sigma) = 1 + 2 sigma theta maps what grows out of the unit circle, to
the rim of the spectrum, where such a space finds it first. What seems to grow has to be confirmed.

A mesh has growth of its own, in waves of a few elements; it is not that of the mechanism, and does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, diags

from cosserat.lie.protocol import Array
from cosserat.solve.linear.inverse import ACCEPTED, Inverse, invert
from cosserat.solve.linear.matrices import Matrices
from cosserat.solve.pivots import STIFFENED, pivots

Complex = NDArray[np.complex128]
Pairs = tuple[Complex, Complex]

_WHOLE = 300  # free motions up to which all eigenvalues are computed
_KRYLOV = 80  # dimension of a Krylov space for larger ones
_RANGE = 1e6, 1e1  # largest to smallest |s| looked for from one shift: all eigenvalues, and in a Krylov space
_SLOWEST = 1e-9  # |s| relative to the fastest from which it is looked for
_STRAY_UNDAMPED = 1e-7  # real part, relative to |s|, that rounding gives to imaginary eigenvalues near a double one
_STRAY_DAMPED = 1e-9
_SKEW = 10.0  # error of the skew part of a stiffness, in parts of the energy that it does not resolve
_FINITE = 1e-14  # eigenvalue of the inverted problem, relative to the largest, that is not zero
_NOISE = 1e3 * np.finfo(float).eps  # errors of dense eigenvalues, relative to the largest
_GROUPS = 8  # of eigenvalues that grow, looked for
_APART = 1e-3  # relative to |s|: distance of eigenvalues that grow from others, which may have met just before
_TOGETHER = 1e-3  # relative to |s|: distance of eigenvalues that are looked for together
_RESOLVED = 1.0  # change across an element, relative to the motion there, of a wave of six elements
_STEPS, _SPARE = 12, 2  # of inverse iteration, and its vectors beyond the eigenvalues sought
_SAME = 1e-6  # relative to |s|: how far from it
_MIRRORED = 1e-2  # distance from -conj(s), relative to the growth
_OF_MESH = 1e-3  # real part, relative to |s|, that the mesh gives to such a wave
_NEAR = 0.5  # relative distance of frequencies of one and the same motion at other values of parameters


def is_undamped(matrices: Matrices) -> bool:
    """Whether nothing dissipates: then stable eigenvalues are imaginary and lose stability in pairs."""
    if matrices.slips is not None or matrices.inner is not None:  # rolling hands energy from one motion to another
        return False
    D = matrices.damping
    return bool(abs(D + D.T).max() <= 1e-12 * abs(D).max()) if D.count_nonzero() else True


def stray(undamped: bool) -> float:
    """Real part that may be rounding, relative to |s|."""
    return _STRAY_UNDAMPED if undamped else _STRAY_DAMPED


def doubtful_growth(matrices: Matrices, values: Complex, shapes: Complex) -> Array:
    """Real parts (k,) that errors of the stiffness may give to vibrations: none to what does not oscillate.

    An error e of x^H K x moves s by e / |2 s x^H M x + x^H D x|: the slower a vibration, the further. Where there is no
    damping at all, shapes are real, and a skew part does nothing to them.
    """
    if matrices.damping.nnz == 0 or matrices.slips is not None or matrices.inner is not None:
        return np.zeros(len(values))
    left = shapes.conj()
    mass, drag = (np.sum(left * (A @ shapes), axis=0) for A in (matrices.mass, matrices.damping))
    change = np.abs(2.0 * values * mass + drag)
    vibrates = (np.abs(values.imag) > np.abs(values.real)) & (change > 0.0)
    error = _SKEW * matrices.unresolved(shapes)
    return np.asarray(np.divide(error, change, out=np.zeros(len(values)), where=vibrates))


def growing_beyond(matrices: Matrices, known: Complex, gives: bool, frequencies: Sequence[float]) -> list[Pairs]:
    """Eigenpairs beyond the known ones nearest zero that grow, clearly or near some frequencies; slow ones first.

    `gives` says whether the stiffness alone would drive something apart faster. With them come their conjugates, and
    their mirror images that decay.
    """
    reach, least = float(np.max(np.abs(known), initial=0.0)), stray(is_undamped(matrices))
    if not _may_flutter(matrices, reach, gives, least):
        return []
    found, out = _candidates(matrices, reach, least), []
    grows = known[known.real > least * np.abs(known)]
    left = found[[is_new(value, grows, _APART) for value in found]] if len(found) else found
    left = left[np.argsort(np.abs(left), kind="stable")]
    for _ in range(_GROUPS):
        if not len(left):
            break
        near = np.abs(left - left[0]) <= _TOGETHER * abs(left[0])
        out += _confirmed(matrices, left[near], frequencies)
        left = left[~near]
    return out


def _clearly(matrices: Matrices, values: Complex, shapes: Complex, frequencies: Sequence[float]) -> NDArray[np.bool_]:
    """Which eigenpairs grow, and would on a finer mesh: by more than rounding and the errors of a mesh that resolves
    them; near some frequencies by more than rounding.
    """
    change = matrices.resolution(shapes)
    clear = np.ones(len(values), dtype=bool)
    for frequency in frequencies:
        clear &= np.abs(np.abs(values.imag) - frequency) > _NEAR * frequency
    least = np.maximum(stray(is_undamped(matrices)), _OF_MESH * change * clear)
    out: NDArray[np.bool_] = (change <= _RESOLVED) & (values.real > least * np.abs(values))
    return out


def is_new(value: complex, known: Complex, apart: float) -> bool:
    """Whether a value is not among known ones."""
    return bool(np.min(np.abs(known - value), initial=np.inf) > apart * abs(value))


def _may_flutter(matrices: Matrices, reach: float, gives: bool, least: float) -> bool:
    """Whether something faster than a reach may grow although the stiffness alone would not drive it apart.

    For x^H M x = 1 and s = a + i b, a (|s|^2 + x^H K x) = -|s|^2 x^H D x - b (skew part of K): without a skew part and
    with damping that takes energy there is nothing beyond the fastest motion that the stiffness drives apart.
    """
    K, D, M = matrices.stiffness, matrices.damping, matrices.mass
    if gives and abs(D - D.T).max() > 0.0:
        return True
    mass, skew = np.abs(M.diagonal()), 0.5 * (K - K.T)
    driven = _driven(abs(skew), mass)
    if driven > least * reach**2 and _is_small(matrices):  # what joints that are bent add does no work
        Z = matrices.free_motions()
        driven = _driven(np.abs(Z.T @ (skew @ Z)), np.sum(Z * (M @ Z), axis=0))
    if driven > least * reach**2:
        return True
    if D.count_nonzero() == 0:
        return False
    phi, size = matrices.constraints, float(abs(D).max())
    slack = diags(least * reach * mass + 1e-13 * size)
    found = pivots(csc_matrix(0.5 * (D + D.T) + slack + STIFFENED * size * (phi.T @ phi)))
    return found is None or bool(np.any(found < 0.0))


def _driven(forces: Any, mass: Array) -> float:
    """Bound of forces relative to masses (1/s^2)."""
    heavy = mass > 0.0
    unit = 1.0 / np.sqrt(np.where(heavy, mass, 1.0))
    rows = forces @ unit
    return np.inf if np.any(rows[~heavy]) else float(np.max(unit * rows, initial=0.0))


def _is_small(matrices: Matrices) -> bool:
    return bool(matrices.mass.shape[0] - matrices.constraints.shape[0] <= _WHOLE)


def _candidates(matrices: Matrices, reach: float, least: float) -> Complex:
    """What seems to grow with |s| beyond a reach, imaginary parts not negative."""
    top = float(np.sqrt(matrices.largest))
    low = max((1.0 - _APART) * reach, _SLOWEST * top)
    squared = matrices.damping.count_nonzero() == 0
    whole = _is_small(matrices)
    Z = matrices.free_motions() if whole else None
    count = int(np.ceil(max(np.log(top / low) / np.log(_RANGE[0 if whole else 1]), 1.0)))
    ends, out = np.geomspace(low, max(top, 2.0 * low), count + 1), []
    for low, high in pairwise(ends):
        inverse = invert(matrices, complex(np.sqrt(low * high)), squared)
        if inverse is not None:
            if Z is not None:
                theta = np.linalg.eigvals(inverse.dense(Z)).astype(complex)
                error = np.full(len(theta), _NOISE * np.max(np.abs(theta)))
            else:
                theta, error = _ritz(inverse)
            finite = np.abs(theta) > _FINITE * np.max(np.abs(theta))
            theta, error = theta[finite], error[finite]
            s = inverse.values(theta)
            inside = (np.abs(s) > low) & ((np.abs(s) <= high) | (high == ends[-1])) & (s.imag >= 0.0)
            s, doubt = s[inside], error[inside] / np.abs(theta[inside]) ** 2
            doubt = 0.5 * doubt / np.abs(s) if squared else doubt
            out.append(s[s.real > least * np.abs(s) + doubt])
    return np.concatenate(out) if out else np.zeros(0, complex)


def _ritz(inverse: Inverse) -> tuple[Complex, Array]:
    """Eigenvalues of the map on a Krylov space, and their residuals."""
    start = np.random.default_rng(2).normal(size=inverse.size)
    z, k = inverse(inverse(start)), _KRYLOV
    Q, H = np.zeros((len(z), k + 1)), np.zeros((k + 1, k))
    Q[:, 0] = z / np.linalg.norm(z)
    for i in range(k):
        z = inverse(Q[:, i])
        for _ in range(2):
            part = Q[:, : i + 1].T @ z
            z -= Q[:, : i + 1] @ part
            H[: i + 1, i] += part
        H[i + 1, i] = np.linalg.norm(z)
        if H[i + 1, i] <= _FINITE * np.linalg.norm(H[: i + 1, i]):
            k = i + 1  # the space is complete
            break
        Q[:, i + 1] = z / H[i + 1, i]
    theta, vectors = np.linalg.eig(H[:k, :k])
    return theta.astype(complex), np.abs(H[k, k - 1] * vectors[-1])


def _confirmed(matrices: Matrices, group: Complex, frequencies: Sequence[float]) -> list[Pairs]:
    """Eigenpairs that do grow near some values, conjugates side by side, and their mirror images that decay."""
    squared = matrices.damping.count_nonzero() == 0
    s = complex(np.mean(group))
    grows = _block(matrices, s, len(group), squared)
    keep = _clearly(matrices, *grows, frequencies) & (np.abs(grows[0] - s) <= _APART * abs(s))
    if not keep.any():
        return []
    decays = grows if squared else _block(matrices, -s.conjugate(), len(group), squared)
    mirrors = -grows[0][keep].conj()
    mirrored = np.array(
        [bool(np.min(np.abs(mirrors - value)) <= _MIRRORED * abs(value.real)) for value in decays[0]], dtype=bool
    )
    values = np.concatenate((grows[0][keep], decays[0][mirrored]))
    shapes = np.hstack((grows[1][:, keep], decays[1][:, mirrored]))
    both = np.repeat(np.arange(len(values)), np.where(values.imag > 0.0, 2, 1))
    second = np.concatenate(([False], both[1:] == both[:-1]))
    return [
        (np.where(second, values[both].conj(), values[both]), np.where(second, shapes[:, both].conj(), shapes[:, both]))
    ]


def _block(matrices: Matrices, s: complex, count: int, squared: bool) -> Pairs:
    """Eigenpairs near a number by inverse iteration with some more vectors than there may be; imaginary part >= 0."""
    random = np.random.default_rng(4)
    start: Callable[[Inverse], Array] = lambda inverse: random.normal(size=(inverse.size, count + _SPARE))  # noqa: E731
    values, shapes = eigenpairs_near(matrices, (1.0 + _SAME) * s, start, squared)
    upper = values[values.imag >= 0.0]  # near the onset of flutter both of a conjugate pair are near
    good = np.array([v.imag >= 0.0 or is_new(v.conjugate(), upper, _SAME) for v in values], dtype=bool)
    values, shapes = values[good], shapes[:, good]
    below = values.imag < 0.0
    return np.where(below, values.conj(), values), np.where(below, shapes.conj(), shapes)


def eigenpairs_near(
    matrices: Matrices, shift: complex, start: Callable[[Inverse], NDArray[Any]], squared: bool
) -> Pairs:
    """Eigenpairs that inverse iteration finds near a shift from some vectors; none where it is an eigenvalue."""
    inverse = invert(matrices, complex(shift), squared)
    if inverse is None:
        return np.zeros(0, complex), np.zeros((matrices.mass.shape[0], 0), complex)
    z = start(inverse).astype(complex)
    for _ in range(_STEPS):
        basis = np.linalg.qr(z)[0]
        z = inverse(basis)
    theta, turned = np.linalg.eig(basis.conj().T @ z)
    finite = np.abs(theta) > _FINITE * np.max(np.abs(theta))
    values, shapes = inverse.eigenpairs(theta[finite], z @ turned[:, finite])
    good = inverse.defect(values, shapes) <= ACCEPTED
    return values[good], shapes[:, good]
