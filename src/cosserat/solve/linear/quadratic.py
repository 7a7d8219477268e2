"""Eigenvalues s of the constrained quadratic problem (s^2 M + s D + K) x + Phi^T lambda = 0, Phi x = 0.

With v = s x and one factorisation of P(s0) = s0^2 M + s0 D + K bordered by the constraints, the map
(x, v) -> (y, x + s0 y), P(s0) y = -M v - (D + s0 M) x, has the eigenvalues 1 / (s - s0): those of largest modulus
are the ones sought. The matrices need no symmetry (follower loads, gyroscopic terms), the mass may be singular.
Motions that nothing resists are found first and kept apart, exactly: x M x0 = 0 for all others.
Without D, near zero, the map x -> -P(s0)^-1 M x alone, with the eigenvalues 1 / (s^2 - s0^2), does it at half the size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

from cosserat.errors import SolveError
from cosserat.lie.protocol import Array
from cosserat.solve.linear.eigen import below, singular, symmetric_modes
from cosserat.solve.linear.growing import eigenpairs_near, growing_beyond, is_new
from cosserat.solve.linear.inverse import ACCEPTED, ROUNDING, Inverse, invert, unit
from cosserat.solve.linear.lagged import lagged_pairs
from cosserat.solve.linear.matrices import Matrices
from cosserat.solve.linear.rolling_spectrum import rolling_eigenpairs
from cosserat.solve.linear.scaling import without_units

Complex = NDArray[np.complex128]
Pairs = tuple[Complex, Complex]

_DENSE = 60  # free motions up to which all eigenvalues at once are cheaper than a Krylov space
_LARGEST_DENSE = 1500  # free motions up to which a Krylov space that fails is replaced by dense algebra
_FAR = 1e3  # distance from the shift, relative to the nearest, beyond which rounding of the inverse shows
_FAST = 4  # eigenvalues that grow fast looked for
_SAME, _ASIDE = 1e-6, 1e-3  # relative to |s|: what two eigenvalues differ by at least, and where one is looked for


def eigenpairs(matrices: Matrices, n: int, beyond: Sequence[float] | None = None) -> Pairs:
    """The eigenvalues nearest zero, conjugate pairs complete.

    Parameters
    ----------
    matrices : Matrices
        Linear equations of motion with constraints.
    n : int
        How many; one more comes back where the n-th would tear a conjugate pair, fewer if the system has fewer.
    beyond : numbers, optional
        Frequencies (rad/s) of what is faster and grows, weakly where the parameters are others; none, (): as
        far as it clearly grows; None, the default: do not look for it.

    Returns
    -------
    values : (k,) complex
        By their size, of a conjugate pair the one with positive imaginary part first. Eigenvalues that rounding cannot
        tell from zero are zero. Some that grow and are further away come last.
    shapes : (6 n_nodes, k) complex
        Right eigenvectors of unit Euclidean norm.

    Raises
    ------
    SolveError
        If the problem is singular for every s, or the iteration does not converge.
    """
    scaled, units = without_units(matrices)
    if matrices.slips is not None:
        if matrices.inner is not None:
            raise SolveError("eigenvalues of a mechanism that rolls are not found where laws own states")
        values, shapes = _nearest(*rolling_eigenpairs(scaled), n)
    elif scaled.inner is not None:
        values, shapes = lagged_pairs(scaled, n)
    else:
        values, shapes = _near_zero(scaled, n, None if beyond is None else [w / units.rate for w in beyond])
    return values * units.rate, unit(units.shapes(shapes))


def _near_zero(matrices: Matrices, n: int, beyond: Sequence[float] | None) -> Pairs:
    """As `eigenpairs`, without units, where nothing rolls and no law owns states."""
    size = matrices.mass.shape[0]
    n_free = size - matrices.constraints.shape[0]
    if n < 1:
        raise SolveError(f"number of eigenvalues is {n}; ask for at least one")
    if n_free <= 0:
        return np.zeros(0, complex), np.zeros((size, 0), complex)
    squared = matrices.damping.count_nonzero() == 0
    inverse, aside = invert(matrices, 0.0, squared), 0.0
    free, slowed = np.zeros((size, 0)), 0
    if not squared and (inverse is None or inverse.singular):
        free, slowed = _unresisted(matrices)
    if free.shape[1]:
        # each has the eigenvalue 0 twice with one shape, which rounding would take apart: known, they are taken out
        matrices = matrices.without(free)
        n_free -= free.shape[1]
        inverse = invert(matrices, 0.0, squared) if n_free else None
    known = np.zeros(2 * free.shape[1], complex), np.repeat(free, 2, axis=1).astype(complex)
    if n_free == 0 or len(known[0]) >= n:
        return known
    if inverse is None or inverse.singular:
        # motions without stiffness: look from a little aside
        aside = 1e-4 * _typical(matrices)
        inverse = invert(matrices, aside, squared)
    if inverse is None:
        raise singular()
    wanted = n - len(known[0])
    values, shapes = _largest(inverse, wanted, n_free)
    distance = np.abs(values - inverse.shift)
    if np.max(distance, initial=0.0) > _FAR * np.min(distance, initial=np.inf):
        # entries D / s^2 of the slowest s leave fast gyroscopic modes a real part that is only rounding
        _, edge, high = _gap(distance, _FAR * np.min(distance))
        far = invert(matrices, complex(0.5 * high), squared)
        if far is not None:
            values, shapes = _joined((values, shapes), _largest(far, wanted, n_free), edge)
    size = np.abs(values[values != 0.0])
    if aside and size.size and np.min(size) < 0.1 * aside:
        closer = invert(matrices, max(float(np.min(size)), 1e-2 * aside), squared)
        if closer is not None:
            edge = _gap(size, aside)[1]
            few = int(np.count_nonzero(np.abs(values) < edge))
            values, shapes = _joined(_largest(closer, few, n_free), (values, shapes), edge)
    if slowed:  # damping alone resists them: one eigenvalue of each is zero
        values[np.argsort(np.abs(values))[:slowed]] = 0.0
    values, shapes = _nearest(values, shapes, wanted)
    parts = [known, (values, shapes)]
    gives = below(matrices.symmetric(), -(float(np.max(np.abs(values), initial=0.0)) ** 2), _FAST)
    parts += _driven_apart(matrices, values, *gives)
    if beyond is not None:
        found = np.concatenate([part[0] for part in parts[1:]])
        parts += growing_beyond(matrices, found, len(gives[0]) > 0, beyond)
    return np.concatenate([part[0] for part in parts]), np.hstack([part[1] for part in parts])


def _driven_apart(matrices: Matrices, known: Complex, squares: Array, shapes: Array) -> list[Pairs]:
    """Eigenpairs that grow, beyond the known ones nearest zero, which hide them, and what decays in the same shape.

    Sought by inverse iteration from motions that the stiffness alone would drive apart faster than any of these.
    """
    out: list[Pairs] = []
    for square, x in zip(squares, shapes.T, strict=True):
        drag = float(x @ (matrices.damping @ x))
        root = np.sqrt(drag**2 - 4.0 * square)
        grows, decays = (_near_one(matrices, 0.5 * (sign * root - drag), x) for sign in (1.0, -1.0))
        if len(grows[0]) and grows[0][0].real > 0.0:
            out += [pair for pair in (grows, decays) if len(pair[0]) and is_new(pair[0][0], known, _SAME)]
    return out


def _near_one(matrices: Matrices, s: float, x: Array) -> Pairs:
    """The real eigenvalue near a number and its shape near a motion; none where there is none."""
    start: Callable[[Inverse], Array] = lambda inverse: np.concatenate((x, s / inverse.rate * x))[:, None]  # noqa: E731
    return eigenpairs_near(matrices, (1.0 + _ASIDE) * s, start, False)


def _gap(sizes: Array, reach: float) -> tuple[float, float, float]:
    """The widest gap between sizes that begins below a reach: its ends and its geometric middle; that beyond zeros."""
    row = np.sort(sizes)
    if 0 < np.count_nonzero(row) < len(row):
        first = float(row[row > 0.0][0])
        return 0.0, 0.5 * first, first
    count = int(np.clip(np.count_nonzero(row <= reach), 1, len(row) - 1)) if len(row) > 1 else 0
    if count == 0:
        return float(row[0]), np.inf, np.inf
    k = int(np.argmax(row[1 : count + 1] / row[:count]))
    return float(row[k]), float(np.sqrt(row[k] * row[k + 1])), float(row[k + 1])


def _joined(near: Pairs, far: Pairs, edge: float) -> Pairs:
    """Eigenpairs up to a size from one set, those beyond from another."""
    inside, outside = np.abs(near[0]) < edge, np.abs(far[0]) >= edge
    return np.concatenate((near[0][inside], far[0][outside])), np.hstack((near[1][:, inside], far[1][:, outside]))


def _unresisted(matrices: Matrices) -> tuple[Array, int]:
    """Motions (6n, k) that neither stiffness nor damping resists, and that neither pushes; and how many others there
    are that only damping resists.
    """
    found = symmetric_modes(matrices.symmetric(), 1)
    R = found.shapes[:, found.squares == 0.0]
    K, damping = matrices.parts.stiffness, matrices.parts.damping
    R = _not_pushed(R, [0.5 * (K - K.T)], 1e-8)
    free = _not_pushed(R, [damping, damping.T], 1e-11)
    return free, R.shape[1] - free.shape[1]


def _not_pushed(motions: Array, by: list[Any], accepted: float) -> Array:
    """Combinations of motions on which matrices have no effect, but for a part of what cancels in it."""
    pushes = []
    for A in by:
        size = float(np.max(abs(A) @ np.abs(motions), initial=0.0))
        if size > 0.0:
            pushes.append((A @ motions) / (accepted * size))
    if not pushes or motions.shape[1] == 0:
        return motions
    _, sizes, directions = np.linalg.svd(np.vstack(pushes))
    return np.asarray(motions @ directions[int(np.sum(sizes > 1.0)) :].T)


def _typical(matrices: Matrices) -> float:
    """Order of magnitude of |s|, from diagonals."""
    mass = float(np.sum(matrices.mass.diagonal()))
    stiffness = float(np.sum(np.abs(matrices.stiffness.diagonal())))
    damping = float(np.max(np.asarray(abs(matrices.damping).sum(axis=0))))
    return max(np.sqrt(stiffness / mass), damping / mass) or 1.0 if mass > 0.0 else 1.0


def _largest(inverse: Inverse, n: int, n_free: int) -> tuple[Complex, Complex]:
    """At least n eigenvalues nearest the shift of the inverse, with their shapes; all of them for small systems."""
    if n_free > _DENSE and n + 1 < n_free:
        try:
            values, shapes = _krylov(inverse, n + 1)
            distance = np.abs(values - inverse.shift)
            near = distance <= _FAR * np.min(distance)  # those beyond are found from elsewhere
            if np.all(inverse.defect(values[near], shapes[:, near]) <= ACCEPTED):
                return _with_zeros(inverse, values, shapes), shapes
        except ArpackNoConvergence:
            pass
        if n_free > _LARGEST_DENSE:
            raise SolveError(
                f"the {n} eigenvalues nearest {inverse.shift:.4g} 1/s were not found to {ACCEPTED:g}; ask for fewer, "
                "or for those near another shift"
            )
    values, shapes = _all(inverse)
    return _with_zeros(inverse, values, shapes), shapes


def _krylov(inverse: Inverse, k: int) -> tuple[Complex, Complex]:
    size = inverse.matrices.mass.shape[0]
    kind = complex if inverse.shift.imag else float
    if inverse.squared:
        k = k // 2 + 1
    else:
        size *= 2
    start = inverse(inverse(np.random.default_rng(2).normal(size=size).astype(kind)))
    operator = LinearOperator((size, size), matvec=inverse, dtype=kind)
    theta, z = eigs(operator, k=k, which="LM", v0=start, ncv=min(size, max(2 * k + 1, 20)))
    return inverse.eigenpairs(theta, z)


def _all(inverse: Inverse) -> tuple[Complex, Complex]:
    Z = inverse.matrices.free_motions()
    theta, z = np.linalg.eig(inverse.dense(Z))
    finite = np.abs(theta) > 1e-14 * np.max(np.abs(theta))
    rows = Z if inverse.squared else np.kron(np.eye(2), Z)
    return inverse.eigenpairs(theta[finite].astype(complex), rows @ z[:, finite])


def _with_zeros(inverse: Inverse, values: Complex, shapes: Complex) -> Complex:
    """Values with those put to zero that rounding cannot tell from it.

    A free motion is a double eigenvalue with one shape: it comes out as the square root of the rounding errors, those
    of the stiffness and those of the shift.
    """
    m, x, size = inverse.matrices, np.abs(shapes), np.abs(values)
    mass, damping = (np.sum(x * (abs(a) @ x), axis=0) for a in (m.mass, m.damping))
    lost = size * (size * mass + damping) <= m.unresolved(shapes)
    K = m.parts.stiffness
    if abs(K - K.T).max() > 1e-8 * abs(K).max():
        # chains of zeros, as of what tilts and then drifts: not the energy cancels, but rows of the stiffness
        rows = np.asarray(abs(K).sum(axis=1)).ravel()
        lost |= size * (size * mass + damping) <= ROUNDING * np.max(x, axis=0) * (rows @ x)
    return np.where(lost | (size <= 3e-7 * abs(inverse.shift)), 0.0, values)


def _nearest(values: Complex, shapes: Complex, n: int) -> Pairs:
    """The n nearest zero with their conjugates, pairs side by side."""
    upper = [k for k in range(len(values)) if values[k].imag >= 0.0]
    found = values[upper]
    for k in np.nonzero(values.imag < 0.0)[0]:
        partner = np.abs(found - values[k].conj())
        if not partner.size or np.min(partner) > 1e-6 * abs(values[k]):
            upper.append(int(k))
    out_values: list[complex] = []
    out_shapes: list[Complex] = []
    for i in np.argsort(np.abs(values[upper]), kind="stable"):
        if len(out_values) >= n:
            break
        value, shape = values[upper[i]], shapes[:, upper[i]]
        if value.imag < 0.0:
            value, shape = value.conj(), shape.conj()
        out_values.append(value)
        out_shapes.append(shape)
        if value.imag > 0.0:
            out_values.append(value.conj())
            out_shapes.append(shape.conj())
    return np.array(out_values, dtype=complex), np.array(out_shapes, dtype=complex).reshape(-1, shapes.shape[0]).T
