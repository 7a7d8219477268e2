"""Inertia of an elastic body that moves with a floating frame and deforms in a few modes, and what it shows of itself.

Interfaces are where joints and loads act, recovery points those at which stresses are recovered.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.calls import answering
from cosserat.errors import ArgumentError
from cosserat.lie import se3, so3
from cosserat.lie.protocol import Array
from cosserat.model import checks

_TITLE = "ModalInertia"


@dataclass(frozen=True, eq=False)
class ArrayRecord:
    """Plain data of arrays: read-only, equal if all numbers are."""

    def _take(self, **shapes: tuple[int, ...]) -> None:
        """Make the arguments arrays of these shapes."""
        for name, shape in shapes.items():
            object.__setattr__(self, name, numbers(type(self).__name__, name, getattr(self, name), shape))

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(np.array_equal(getattr(self, f.name), getattr(other, f.name)) for f in dataclasses.fields(self))


@answering
@dataclass(frozen=True, eq=False)
class ModalInertia(ArrayRecord):
    """The inertia tensors of [Boyer05] (62), integrals over the reference configuration in the floating frame's axes.

    X is the position of a particle of mass dm, Phi_a(X) q^a its displacement (58), m the number of modes.

    Parameters
    ----------
    mass : float
        The integral of dm (kg).
    first_moment : (3,)
        X dm: mass times the centre of mass (kg m).
    inertia : (3, 3) or (3,)
        J_rr, about the origin of the floating frame (kg m^2); three numbers are its diagonal.
    modal_mass : (m, m)
        m_ab = Phi_a . Phi_b dm.
    linear_coupling : (m, 3)
        a_a = Phi_a dm: momentum of a unit modal rate.
    angular_coupling : (m, 3)
        alpha_a = X x Phi_a dm: angular momentum of a unit modal rate.
    cross_coupling : (m, m, 3), optional
        lambda_ab = Phi_a x Phi_b dm. Default: zero, as are the next two; without them the inertia is that of the
        undeformed body, which is right only for infinitesimal deflections.
    inertia_gradient : (m, 3, 3), optional
        J_re,a = X^T Phi_a dm with cross-product matrices; J changes by (J_re + J_re^T) q.
    inertia_hessian : (m, m, 3, 3), optional
        J_ee,ab = Phi_a^T Phi_b dm with cross-product matrices.
    linear_stiffening, angular_stiffening : (m, m, 3), optional
        g_ab dm and X x g_ab dm, where q^a q^b g_ab / 2 is the displacement of second order (foreshortening).
    inertia_stiffening : (m, m, 3, 3), optional
        X^T g_ab dm with cross-product matrices, symmetric part. With these three, forces of inertia stiffen the body.

    Examples
    --------
    >>> import cosserat as cs
    >>> inertia = cs.ModalInertia(
    ...     mass=2.0, first_moment=(1, 0, 0), inertia=(0.1, 1, 1), modal_mass=[[1.0]], linear_coupling=[(0, 0, 1)],
    ...     angular_coupling=[(0, -0.5, 0)],
    ... )
    >>> inertia.modal_mass.tolist()
    [[1.0]]
    """

    mass: float
    first_moment: Array
    inertia: Array
    modal_mass: Array
    linear_coupling: Array
    angular_coupling: Array
    cross_coupling: Array = None  # type: ignore[assignment]
    inertia_gradient: Array = None  # type: ignore[assignment]
    inertia_hessian: Array = None  # type: ignore[assignment]
    linear_stiffening: Array = None  # type: ignore[assignment]
    angular_stiffening: Array = None  # type: ignore[assignment]
    inertia_stiffening: Array = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", checks.number(_TITLE, "mass", self.mass, positive=True))
        if len(shape_of(_TITLE, "inertia", self.inertia)) == 1:
            object.__setattr__(self, "inertia", np.diag(numbers(_TITLE, "inertia", self.inertia, (3,))))
        size = shape_of(_TITLE, "modal_mass", self.modal_mass)
        m = size[0] if len(size) == 2 else 0
        if len(size) != 2 or m == 0 or size != (m, m):
            raise ArgumentError(_TITLE, "modal_mass", f"must be a square matrix, one row per mode, got shape {size}")
        self._take(
            first_moment=(3,), inertia=(3, 3), modal_mass=(m, m), linear_coupling=(m, 3), angular_coupling=(m, 3),
            cross_coupling=(m, m, 3), inertia_gradient=(m, 3, 3), inertia_hessian=(m, m, 3, 3),
            linear_stiffening=(m, m, 3), angular_stiffening=(m, m, 3), inertia_stiffening=(m, m, 3, 3),
        )  # fmt: skip
        for name in ("inertia", "modal_mass"):
            checks.symmetric(_TITLE, name, getattr(self, name))
        mirrored = {
            "cross_coupling": (-np.swapaxes(self.cross_coupling, 0, 1), "antisymmetric in its two modes"),
            "inertia_hessian": (
                np.transpose(self.inertia_hessian, (1, 0, 3, 2)), "such that exchanging its modes transposes it"
            ),
        }  # fmt: skip
        for name in ("linear_stiffening", "angular_stiffening", "inertia_stiffening"):
            mirrored[name] = np.swapaxes(getattr(self, name), 0, 1), "symmetric in its two modes"
        for name, (mirror, what) in mirrored.items():
            demand_alike(_TITLE, name, getattr(self, name), mirror, what)
        if not checks.lowest(self.matrix()) > 1e-12:
            raise ArgumentError(
                _TITLE, "", "the inertia matrix of frame and modes is not positive definite: a mode without mass, a "
                "mode that moves the body rigidly, two equal modes, or couplings that do not belong to this mass"
            )  # fmt: skip

    @property
    def n_modes(self) -> int:
        """Number of modes."""
        return len(self.modal_mass)

    @property
    def is_stiffened(self) -> bool:
        """Whether displacements of second order are included."""
        return bool(self.linear_stiffening.any() or self.angular_stiffening.any() or self.inertia_stiffening.any())

    def stiffened(self, g: Array, Xg: Array) -> ModalInertia:
        """The same with displacements of second order: integrals of g_ab dm (m, m, 3) and X g_ab^T dm (m, m, 3, 3)."""
        J = turning_of(Xg)
        return dataclasses.replace(
            self,
            linear_stiffening=g,
            angular_stiffening=axial_of(Xg),
            inertia_stiffening=0.5 * (J + np.swapaxes(J, -1, -2)),
        )

    def unstiffened(self) -> ModalInertia:
        """The same without displacements of second order: [Boyer05] (62) as it stands."""
        m = self.n_modes
        return self.stiffened(np.zeros((m, m, 3)), np.zeros((m, m, 3, 3)))

    def matrix(self) -> Array:
        """Inertia matrix (6 + m, 6 + m) of the undeformed body, order (v, omega, modes)."""
        m = self.n_modes
        M = np.zeros((6 + m, 6 + m))
        M[:3, :3] = self.mass * np.eye(3)
        M[3:6, :3] = so3.hat(self.first_moment)
        M[3:6, 3:6] = self.inertia
        M[6:, :3], M[6:, 3:6], M[6:, 6:] = self.linear_coupling, self.angular_coupling, self.modal_mass
        M[:3, 3:6] = M[3:6, :3].T
        M[:6, 6:] = M[6:, :6].T
        return M

    @classmethod
    def from_fields(
        cls, weights: Any, positions: Any, shapes: Any, stiffening: tuple[Array, Array] | None = None
    ) -> ModalInertia:
        """The tensors of particles, or of fields interpolated by finite elements.

        Parameters
        ----------
        weights : (n,) or (n, n)
            Masses of the particles, or the (sparse) matrix of the products of shape functions of n nodes.
        positions : (n, 3)
            X, in the floating frame.
        shapes : (n, 3, m)
            Phi.
        stiffening : (m, m, 3) and (m, m, 3, 3), optional
            The integrals of g_ab dm and X g_ab^T dm.

        Examples
        --------
        >>> still, moving = [[0], [0], [0]], [[0], [1], [0]]
        >>> three = ModalInertia.from_fields([1.0, 2.0, 1.0], [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [still, moving, still])
        >>> three.mass, float(three.modal_mass[0, 0]), three.angular_coupling.tolist()
        (4.0, 2.0, [[0.0, 0.0, 2.0]])
        """
        X = checks.array(_TITLE, "positions", positions, (len(positions), 3))
        D = np.asarray(shapes, dtype=float)
        if D.ndim != 3 or D.shape[:2] != X.shape:
            raise ArgumentError(_TITLE, "shapes", f"must be ({len(X)}, 3, number of modes), got {D.shape}")
        n, _, m = D.shape
        W = np.asarray(weights, dtype=float) if not hasattr(weights, "tocsr") else weights
        if W.shape not in ((n,), (n, n)):
            raise ArgumentError(_TITLE, "weights", f"must be ({n},) or ({n}, {n}), one for a position, got {W.shape}")
        fields = np.concatenate((np.ones((n, 1)), X, D.reshape(n, 3 * m)), axis=1)
        weighted = W[:, None] * fields if W.ndim == 1 else W @ fields
        G = fields.T @ weighted
        XX, XD = G[1:4, 1:4], G[1:4, 4:].reshape(3, 3, m)
        DD = np.transpose(G[4:, 4:].reshape(3, m, 3, m), (1, 3, 0, 2))  # (m, m, 3, 3): Phi_a Phi_b^T dm
        DD = 0.5 * (DD + np.transpose(DD, (1, 0, 3, 2)))
        XD = np.transpose(XD, (2, 0, 1))
        found = cls(
            mass=float(G[0, 0]),
            first_moment=G[0, 1:4],
            inertia=turning_of(0.5 * (XX + XX.T)),
            modal_mass=np.trace(DD, axis1=2, axis2=3),
            linear_coupling=G[0, 4:].reshape(3, m).T,
            angular_coupling=axial_of(XD),
            cross_coupling=axial_of(DD),
            inertia_gradient=turning_of(XD),
            inertia_hessian=turning_of(DD),
        )
        return found if stiffening is None else found.stiffened(*stiffening)


def axial_of(G: Array) -> Array:
    """The integral of x cross y from that of x y^T."""
    return np.stack(
        (G[..., 1, 2] - G[..., 2, 1], G[..., 2, 0] - G[..., 0, 2], G[..., 0, 1] - G[..., 1, 0]), axis=-1
    )  # fmt: skip


def turning_of(G: Array) -> Array:
    """The integral of hat(x)^T hat(y) = (x . y) I - y x^T from that of x y^T."""
    return np.trace(G, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - np.swapaxes(G, -1, -2)


def second_moments(J: Array) -> Array:
    """The integral of x x^T from that of hat(x)^T hat(x), of which the symmetric part counts."""
    return 0.5 * (np.trace(J, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - J - np.swapaxes(J, -1, -2))


def demand_alike(item: str, argument: str, value: Array, mirror: Array, what: str) -> None:
    """Raise if an array is not what it must be: symmetric, or the like."""
    if np.abs(value - mirror).max() > 1e-9 * max(float(np.abs(value).max()), 1e-300):
        raise ArgumentError(item, argument, f"must be {what}")


def shape_of(item: str, argument: str, value: Any) -> tuple[int, ...]:
    """Shape of an array, or of lists that form one."""
    try:
        return np.shape(value)
    except ValueError:
        raise ArgumentError(item, argument, "must be an array; it has rows of different lengths") from None


def _modes_of(item: str, argument: str, value: Any) -> int:
    """Number of modes of an array that has six numbers for each."""
    size = shape_of(item, argument, value)
    if len(size) != 2 or size[0] != 6 or size[1] == 0:
        raise ArgumentError(item, argument, f"must be 6 numbers per mode, an array (6, modes), got shape {size}")
    return size[1]


def numbers(item: str, argument: str, value: Any, shape: tuple[int, ...]) -> Array:
    """A finite read-only array of the given shape; None: zeros. Faster than `checks.array`, without parameters."""
    try:
        array = np.zeros(shape) if value is None else np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(item, argument, f"must be {'x'.join(map(str, shape))} numbers, got {value!r}") from None
    if array.shape != shape:
        raise ArgumentError(item, argument, f"must have the shape {shape}, got {array.shape}")
    if not np.isfinite(array).all():
        raise ArgumentError(item, argument, f"contains {array[~np.isfinite(array)][0]}; all must be finite")
    array.setflags(write=False)
    return array


@answering
@dataclass(frozen=True, eq=False)
class Interface(ArrayRecord):
    """A frame that moves with an elastic body.

    Parameters
    ----------
    position : (3,)
        Its origin in the undeformed body, in the floating frame (m).
    shape : (6, m)
        Translation, then rotation, of each mode there, in the axes of the floating frame.
    rotation : (3, 3), optional
        Its axes in the undeformed body (columns). Default: those of the floating frame.
    stiffening : (6, m, m), optional
        Second order: the displacement is shape q + q^T stiffening q / 2.

    Examples
    --------
    >>> import numpy as np
    >>> import cosserat as cs
    >>> tip = cs.Interface(position=(1, 0, 0), shape=np.array([[0, 0, 1, 0, -1.5, 0]]).T)
    >>> tip.shape.shape
    (6, 1)
    """

    position: Array
    shape: Array
    rotation: Array = None  # type: ignore[assignment]
    stiffening: Array = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        item, m = "Interface", _modes_of("Interface", "shape", self.shape)
        turned = np.eye(3) if self.rotation is None else checks.rotation(item, "rotation", self.rotation)
        object.__setattr__(self, "rotation", turned)
        self._take(position=(3,), shape=(6, m), rotation=(3, 3), stiffening=(6, m, m))
        mirror = np.swapaxes(self.stiffening, 1, 2)
        demand_alike(item, "stiffening", self.stiffening, mirror, "symmetric in its two modes")

    @property
    def frame(self) -> Array:
        """Frame (4, 4) in the floating frame, undeformed."""
        return se3.frame(self.rotation, self.position)


@answering
@dataclass(frozen=True, eq=False)
class RecoveryPoint(ArrayRecord):
    """A point of which strain and stress are known for every mode.

    Parameters
    ----------
    position : (3,)
        In the undeformed body, in the floating frame (m).
    strain, stress : (6, m)
        Per unit of each modal coordinate. Of a solid: components xx, yy, zz, yz, xz, xy (the last three of the strain
        doubled) in the axes of the floating frame. Of a beam: strains and forces of the section, in its own axes.
    section : bool
        Whether it is a section of a beam.
    strain_rest, stress_rest : (6, 12 + 6 i), optional
        What the modes leave out of static answers, which `Run.stress` adds: to accelerations a + A X of the body, less
        gravity, per unit of (a_1, A_11, A_12, A_13, a_2, ...) in the axes of the floating frame; and to wrenches at its
        i interfaces, in their axes.

    Examples
    --------
    >>> import numpy as np
    >>> import cosserat as cs
    >>> root = cs.RecoveryPoint(position=(0, 0, 0.01), strain=np.eye(6, 1), stress=2e11 * np.eye(6, 1))
    >>> root.stress.shape
    (6, 1)
    """

    position: Array
    strain: Array
    stress: Array
    section: bool = False
    strain_rest: Array = None  # type: ignore[assignment]
    stress_rest: Array = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        m = _modes_of("RecoveryPoint", "stress", self.stress)
        rest = {name: _rest(getattr(self, name)) for name in ("strain_rest", "stress_rest")}
        self._take(position=(3,), strain=(6, m), stress=(6, m), **rest)


def _rest(given: Any) -> tuple[int, int]:
    """(6, 12 + 6 i) for the nearest number of interfaces."""
    size = () if given is None else shape_of("RecoveryPoint", "stress_rest", given)
    columns = size[1] if len(size) == 2 else 12
    return 6, 12 + 6 * max(0, round((columns - 12) / 6))


@answering
@dataclass(frozen=True, eq=False)
class Outline(ArrayRecord):
    """What pictures show of an elastic body: points that move with the modes, and lines or triangles between them.

    Parameters
    ----------
    points : (p, 3)
        In the undeformed body, in the floating frame (m).
    shape : (p, 3, m)
        Displacement of each mode there.
    cells : (k, 2) or (k, 3)
        Numbers of the points of every line or triangle.

    Examples
    --------
    >>> import numpy as np
    >>> import cosserat as cs
    >>> line = cs.Outline(points=[(0, 0, 0), (1, 0, 0)], shape=np.zeros((2, 3, 1)), cells=[(0, 1)])
    >>> line.cells.tolist()
    [[0, 1]]
    """

    points: Array
    shape: Array
    cells: NDArray[np.int64]

    def __post_init__(self) -> None:
        item = "Outline"
        size, shape = (shape_of(item, name, getattr(self, name)) for name in ("points", "shape"))
        if len(size) != 2 or size[1] != 3 or len(shape) != 3 or shape[:2] != size:
            raise ArgumentError(
                item, "shape", f"must be (points, 3, modes) for points (points, 3), got {shape} and {size}"
            )
        shape_of(item, "cells", self.cells)
        cells = np.array(self.cells)
        fits = cells.ndim == 2 and cells.shape[1] in (2, 3) and np.issubdtype(cells.dtype, np.integer)
        if not fits or (cells.size and not 0 <= cells.min() <= cells.max() < size[0]):
            raise ArgumentError(item, "cells", f"must be pairs or triples of point numbers from 0 to {size[0] - 1}")
        self._take(points=size, shape=shape)
        cells.setflags(write=False)
        object.__setattr__(self, "cells", cells)


def checked(title: str, argument: str, entries: Any, kind: type, n_modes: int) -> dict[str, Any]:
    """A table of interfaces or recovery points with usable names and the right number of modes."""
    if not isinstance(entries, dict):
        raise ArgumentError(title, argument, f"must be a dictionary of name: {kind.__name__}, got {entries!r}")
    for name, entry in entries.items():
        if not isinstance(name, str) or not name.strip() or set(name) & set(".()\n,") or name == "at":
            raise ArgumentError(title, argument, f"has the name {name!r}; use words such as 'tip'")
        if not isinstance(entry, kind):
            raise ArgumentError(title, f"{argument}[{name!r}]", f"must be of kind {kind.__name__}, got {entry!r}")
        m = (entry.shape if isinstance(entry, Interface) else entry.stress).shape[1]  # type: ignore[attr-defined]
        if m != n_modes:
            raise ArgumentError(title, f"{argument}[{name!r}]", f"has {m} modes, the body has {n_modes}")
    return dict(entries)
