"""`modes`: frequencies, damping and shapes of small vibrations about a state."""

from __future__ import annotations

import time as clock
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

from cosserat.calls import answered
from cosserat.compile.reduction import aligned
from cosserat.errors import CosseratWarning, SolveError
from cosserat.lie.protocol import Array
from cosserat.model.model import Model
from cosserat.results.modes import Modes
from cosserat.solve.analyses.points import point_at
from cosserat.solve.arguments import carrying, check_count, check_model
from cosserat.solve.coarseness import warn_of_deflections, warn_of_frequencies
from cosserat.solve.linear.altered import held_at
from cosserat.solve.linear.basis import basis_of_motions, reduced
from cosserat.solve.linear.eigen import symmetric_modes
from cosserat.solve.linear.matrices import Matrices
from cosserat.solve.linear.point import OperatingPoint
from cosserat.solve.linear.quadratic import eigenpairs
from cosserat.solve.motion.stopwatch import Stopwatch

_GROWS = 1e-6  # real part, relative to |s|, that is no rounding: such modes are never left out


@answered()
@carrying("about")
def modes(
    model: Model,
    n: int = 10,
    about: Any = None,
    *,
    at: Any = None,
    damped: bool | None = None,
    time: float = 0.0,
    spin: Any = None,
    center: Any = (0.0, 0.0, 0.0),
    formulation: Any = None,
) -> Modes:
    """Lowest modes of small vibrations about an equilibrium, a steady rotation or a moment of a run.

    Parameters
    ----------
    model : Model
    n : int
        How many, not counting free motions (rigid-body motions, mechanisms), which are always found and come first.
        Fewer come back if the mechanism has fewer. Where laws own states (the wake of a wing), motions that oscillate
        or grow are taken first; what only decays comes last, if there is room for it.
    about : Equilibrium, Run, (Run, time), "reference", "motion" or None
        The state; None: the reference configuration if it is in balance, else the equilibrium that `equilibrium` finds.
        "motion": the steady motion that the initial velocities describe, such as that of a vehicle which rolls; shapes
        are those seen from frames that go along and do not spin.
    at : dict, optional
        A pose, ``{"elbow": 0.5}``: these joints are held at these coordinates (m, rad), as brakes hold them, and the
        rest of the mechanism vibrates about its equilibrium there. Not together with `about`.
    damped : bool, optional
        True: complex modes, with damping and gyroscopic terms. False: leave out every term with a velocity. None: with
        them where there are any.
    time : float
        Time at which loads and prescribed motions are taken (s).
    spin, center : three numbers
        A steady rotation, as for `equilibrium`.
    formulation : "galilean", "floating" or Floating, optional
        As for `equilibrium`.

    Returns
    -------
    Modes

    Examples
    --------
    >>> import cosserat as cs
    >>> model = cs.Model("oscillator", gravity=(0, 0, 0))
    >>> body = model.add(cs.RigidBody("body", mass=2.0, com=(1, 0, 0), inertia=[1, 1, 1]))
    >>> _ = model.add(cs.Prismatic("rail", cs.GROUND, "body", axis=(1, 0, 0), at=(1, 0, 0), stiffness=800.0))
    >>> round(float(cs.modes(model).frequencies[0] * 2 * np.pi), 9)  # sqrt(800 / 2)
    20.0
    """
    n = check_count(n, "modes")
    if damped is not None and not isinstance(damped, (bool, np.bool_)):
        raise SolveError(f"modes: damped is {damped!r}; pass True, False or None")
    if at is not None:
        if about is not None:
            raise SolveError("modes: at and about both say about which state; pass one of them")
        check_model(model, "modes")
        model = held_at(model, at)
    watch = Stopwatch()
    point = quiet_point(model, about, time=time, spin=spin, center=center, caller="modes", formulation=formulation)
    result = modes_at(point, n, damped)
    if isinstance(point, OperatingPoint):
        warn_of_frequencies(result)
        if about is not None:  # else its equilibrium told
            warn_of_deflections("modes", point.compiled, result.trajectory.history.frame[-1:], bent=False)
    whole, result.stats["wall_seconds"] = watch.seconds.values()
    result.stats["setup_seconds"] = whole - result.stats["solve_seconds"]
    return result


def quiet_point(model: Model, about: Any, **options: Any) -> Any:
    """The point, without the warning that a part which nothing holds or pushes will never move: here it vibrates."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*will never move", category=CosseratWarning)
        return point_at(model, about, **options)


def modes_at(point: Any, n: int, damped: bool | None = None) -> Modes:
    """Modes about a point."""
    matrices = point.matrices()
    if damped is not None and not damped:
        matrices = matrices.undamped()
    shapes: NDArray[Any]
    cpu = clock.process_time()
    moving = point.turning or (matrices.damping.nnz > 0 and abs(matrices.damping).max() > 0.0)
    moving = moving or matrices.inner is not None
    if point.turning:  # the motions that the joints allow turn with it
        basis = basis_of_motions(point, matrices)
        values, shapes = _complex_modes(reduced(matrices, basis), n)
        shapes = basis.motions.value @ shapes
    elif damped or moving or not point.is_symmetric(matrices):
        values, shapes = _complex_modes(matrices, n)
    else:
        even = symmetric_modes(matrices, n)
        squares = even.squares
        shapes = aligned(squares, even.shapes, lambda group: _motion(point, group))
        values = np.where(squares < 0.0, np.sqrt(np.abs(squares)) + 0j, 1j * np.sqrt(np.abs(squares)))
    values, shapes = _sorted(values, shapes, _decaying(matrices, values))
    shapes = _normalised(matrices.mass, shapes, point.nodal)
    trajectory = point.trajectory()
    trajectory.stats.update(
        nodes=point.compiled.n_nodes,
        unknowns=int(matrices.mass.shape[0]),
        constraints=int(matrices.constraints.shape[0]),
        solve_seconds=clock.process_time() - cpu,
    )
    found = Modes(trajectory, values, point.nodal(shapes), matrices.mass, point.kind, bool(damped or moving))
    point.tell(found, shapes)
    return found


def _complex_modes(matrices: Matrices, n: int) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """One of each conjugate pair, n besides the free motions."""
    most = 2 * (matrices.mass.shape[0] - matrices.constraints.shape[0])
    if matrices.slips is not None:
        most += int(np.count_nonzero(matrices.slips.rows))
    most += 0 if matrices.inner is None else matrices.inner.rate.shape[0]
    asked = 2 * (n + 6)
    while True:
        values, shapes = eigenpairs(matrices, min(asked, max(most, 1)), beyond=())
        others = np.nonzero((values != 0.0) & (values.imag >= 0.0))[0]
        grows = values[others].real > _GROWS * np.abs(values[others])
        others = others[np.lexsort((~grows, _decaying(matrices, values[others])))]
        if len(others) >= n or asked >= most:
            break
        asked *= 2
    free = _independent(matrices.mass, shapes[:, values == 0.0])
    others = others[:n]
    return (
        np.concatenate((np.zeros(free.shape[1], complex), values[others])),
        np.hstack((free.astype(complex), shapes[:, others])),
    )


def _motion(point: Any, shapes: Array) -> Array:
    """Displacements of all nodes along world axes, rotations as displacements of their length."""
    n = point.compiled.n_nodes
    R = point.frames[:n, :9].reshape(n, 3, 3)
    moved = point.nodal(shapes).reshape(n, 6, -1)
    both = np.concatenate((R @ moved[:, :3], point.compiled.length * R @ moved[:, 3:]), axis=1)
    return np.asarray(both.reshape(6 * n, -1))


def _independent(mass: csc_matrix, shapes: NDArray[np.complex128]) -> Array:
    """Independent real motions spanned by shapes: each free motion has the eigenvalue 0 twice, or once if damped."""
    parts = np.hstack((shapes.real, shapes.imag))
    if parts.shape[1] == 0:
        return np.zeros((shapes.shape[0], 0))
    values, vectors = np.linalg.eigh(parts.T @ (mass @ parts))
    kept = values > 1e-8 * values[-1]
    return np.asarray(parts @ (vectors[:, kept] / np.sqrt(values[kept])))


def _decaying(matrices: Matrices, values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which eigenvalues decay without oscillation where laws own states: lags, of which there may be dozens."""
    if matrices.inner is None:
        return np.zeros(len(values), dtype=bool)
    return (np.imag(values) == 0.0) & (np.real(values) < 0.0)


def _sorted(
    values: NDArray[np.complex128], shapes: NDArray[Any], last: NDArray[np.bool_]
) -> tuple[NDArray[np.complex128], NDArray[Any]]:
    """Free motions first, then by frequency; among those that do not oscillate the growing ones first; some last."""
    order = np.lexsort((np.abs(values), -np.sign(values.real) * (values.imag == 0.0), values.imag, values != 0.0, last))
    return values[order], shapes[:, order]


def _normalised(mass: csc_matrix, shapes: NDArray[Any], nodal: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
    """x^H M x = 1, the phase such that x^T M x > 0, the largest entry of the motion of nodes positive."""
    if shapes.shape[1] == 0:
        return shapes
    heavy = mass @ shapes
    if np.iscomplexobj(shapes):
        turn = np.sum(shapes * heavy, axis=0)
        shapes = shapes * np.exp(-0.5j * np.angle(turn))
    size = np.sqrt(np.maximum(np.real(np.sum(shapes.conj() * (mass @ shapes), axis=0)), 0.0))
    size[size == 0.0] = 1.0
    moved = nodal(shapes)
    largest = np.take_along_axis(moved, np.argmax(np.abs(moved), axis=0)[None], axis=0)[0].real
    return shapes * np.where(largest < 0.0, -1.0, 1.0) / size
