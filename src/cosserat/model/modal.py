"""Modal bodies: elastic bodies that deform in a few modes, seen from a floating frame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from cosserat.errors import ParameterError, PlaceError
from cosserat.lie import se3
from cosserat.lie.protocol import Array
from cosserat.model import checks
from cosserat.model.modal_inertia import (
    Interface,
    ModalInertia,
    Outline,
    RecoveryPoint,
    checked,
    demand_alike,
    numbers,
    shape_of,
)
from cosserat.model.parameters import Number, Parameter
from cosserat.model.places import Owner, Place
from cosserat.model.records import Component, Now, optional_vector, recorded, vector


class ModalBody(Component, Owner):
    """An elastic body in floating coordinates: a frame, and the coordinates of m modes, [Boyer05] (58)-(63).

    `modal_body` makes one from a beam, `modal_body_from_mesh` from a solid mesh; this constructor takes matrices.

    Parameters
    ----------
    name : str
    inertia : ModalInertia
        Inertia tensors in the floating frame.
    stiffness : (m, m) or (m,)
        Modal stiffness K; m numbers are its diagonal.
    damping : (m, m) or (m,), optional
        Modal damping.
    interfaces : dict of Interface
        Frames by name, where joints and loads can act: ``body.at("tip")``, or ``"body.tip"`` as text.
    clamp : str, optional
        The interface at which all modes vanish, because the floating frame is fixed there.
    position : (3,)
        Origin of the floating frame in world coordinates of the reference configuration (m).
    rotation : (3, 3) or (4,), optional
        Axes of the floating frame in the reference configuration (columns), or a unit quaternion (w, x, y, z).
    recovery : dict of RecoveryPoint, optional
        Points by name at which strain and stress can be asked for.
    velocity, angular_velocity : (3,), optional
        Of the floating frame at the start, world components.
    rates : (m,), optional
        Modal rates at the start.
    outline : Outline, optional
        What pictures show; default: lines from the centre of mass to the interfaces.
    stiffening : (m, m, m), optional
        Second order of the strains: they belong to the coordinates s_c = q_c - q^T stiffening_c q / 2, and the strain
        energy is s^T K s / 2.

    Examples
    --------
    A mass of 1 kg on a light spring blade with a foot of two masses:

    >>> still, moving = [[0], [0], [0]], [[0], [1], [0]]
    >>> points = [(0, 0.1, 0.1), (0, -0.1, 0), (1, 0, 0)]
    >>> inertia = ModalInertia.from_fields([0.5, 0.5, 1.0], points, [still, still, moving])
    >>> tip = Interface(position=(1, 0, 0), shape=[[0], [1], [0], [0], [0], [1.5]])
    >>> blade = ModalBody("blade", inertia, stiffness=[4 * np.pi**2], interfaces={"tip": tip})
    >>> blade.frequencies.round(6).tolist(), blade.at("tip").position.tolist()
    ([1.0], [1.0, 0.0, 0.0])
    """

    word = "modal body"
    _position = vector(example="position=(0, 0, 0)")
    _rotation = Now[Array | None](checks.rotation, optional=True)
    velocity = optional_vector("Initial velocity (3,) of the origin of the floating frame, world components, or None.")
    angular_velocity = optional_vector(
        "Initial angular velocity (3,) of the floating frame, world components, or None."
    )

    @recorded
    def __init__(
        self,
        name: str,
        inertia: ModalInertia,
        stiffness: Any,
        damping: Any = None,
        interfaces: dict[str, Interface] | None = None,
        clamp: str | None = None,
        position: Any = (0.0, 0.0, 0.0),
        rotation: Any = None,
        recovery: dict[str, RecoveryPoint] | None = None,
        velocity: Any = None,
        angular_velocity: Any = None,
        rates: Any = None,
        outline: Outline | None = None,
        stiffening: Any = None,
    ) -> None:
        super().__init__(name)
        if not isinstance(inertia, ModalInertia):
            raise self._wrong("inertia", f"must be a ModalInertia, got {inertia!r}")
        self.inertia = inertia
        m = inertia.n_modes
        self.stiffness = self._modal_matrix("stiffness", stiffness)
        self.damping = self._modal_matrix("damping", damping)
        self.stiffening = numbers(self.title, "stiffening", stiffening, (m, m, m))
        mirror = np.swapaxes(self.stiffening, 1, 2)
        demand_alike(self.title, "stiffening", self.stiffening, mirror, "symmetric in its last two modes")
        self.interfaces: dict[str, Interface] = checked(self.title, "interfaces", interfaces or {}, Interface, m)
        self.recovery: dict[str, RecoveryPoint] = checked(self.title, "recovery", recovery or {}, RecoveryPoint, m)
        columns = 12 + 6 * len(self.interfaces)
        for key, point in self.recovery.items():
            if point.stress_rest.any() and point.stress_rest.shape[1] not in (12, columns):
                raise self._wrong(
                    f"recovery[{key!r}]", f"has stress_rest of the shape {point.stress_rest.shape}; for "
                    f"{len(self.interfaces)} interfaces it is (6, 12) or (6, {columns})"
                )  # fmt: skip
        self.clamp = clamp
        self.rates = numbers(self.title, "rates", rates, (m,))
        if outline is not None and not isinstance(outline, Outline):
            raise self._wrong("outline", f"must be an Outline, got {outline!r}")
        if outline is not None and outline.shape.shape[2] != m:
            raise self._wrong("outline", f"has {outline.shape.shape[2]} modes, the body has {m}")
        self.outline = self._star() if outline is None else outline
        self._made_with: tuple[tuple[Parameter, float], ...] = ()

    def remember(self, parameters: Iterable[Parameter]) -> None:
        """Keep the values with which its matrices were computed; the body is of no use when one of them changes."""
        self._made_with = tuple((p, p.value) for p in parameters)

    def _star(self) -> Outline:
        """Lines from the centre of mass to the interfaces."""
        centre = self.inertia.first_moment / self.inertia.mass
        ends = list(self.interfaces.values())
        points = np.array([centre, *(end.position for end in ends)])
        shape = np.array([np.zeros((3, self.n_modes)), *(end.shape[:3] for end in ends)])
        return Outline(points, shape, np.array([(0, 1 + k) for k in range(len(ends))], dtype=np.int64).reshape(-1, 2))

    def _modal_matrix(self, argument: str, value: Any) -> Array:
        """A symmetric matrix without negative eigenvalues, from itself or from its diagonal."""
        m = self.inertia.n_modes
        if len(shape_of(self.title, argument, value)) == 1:
            value = np.diag(numbers(self.title, argument, value, (m,)))
        matrix = numbers(self.title, argument, value, (m, m))
        checks.symmetric(self.title, argument, matrix)
        lowest = float(np.linalg.eigvalsh(0.5 * (matrix + matrix.T))[0])
        if lowest < -1e-9 * max(float(np.abs(matrix).max()), 1e-300):
            raise self._wrong(argument, f"has the negative eigenvalue {lowest:g}; it must have none")
        return matrix

    def strains(self, q: Array) -> Array:
        """The coordinates (..., m) in which strains are linear, from the modal ones (..., m)."""
        return q - 0.5 * np.einsum("cab,...a,...b->...c", self.stiffening, q, q) if self.stiffening.any() else q

    def elastic_forces(self, q: Array, rates: Array) -> Array:
        """Modal forces (m,) of stiffness and damping at modal coordinates and rates (m,)."""
        slope = np.eye(self.n_modes) - self.stiffening @ q
        return slope.T @ (self.stiffness @ self.strains(q) + self.damping @ (slope @ rates))

    def check(self) -> None:
        for parameter, value in getattr(self, "_made_with", ()):
            if parameter.value != value:
                raise ParameterError(
                    f"{self.title}: it was computed with {parameter.name} = {value:g}, which is now "
                    f"{parameter.value:g}; modes do not follow a parameter: make the body anew for each value"
                )
        super().check()
        if self.clamp is None:
            return
        shape = self._interface(self.clamp, "clamp").shape
        usual = np.sqrt(np.diag(self.inertia.modal_mass) / self.inertia.mass)  # root mean square displacements
        # a mode counts as held if it moves there by less than 1e-6 of what it moves elsewhere
        for k, row in enumerate(shape.T):
            scale = max(float(usual[k]), *(float(np.abs(i.shape[:, k]).max()) for i in self.interfaces.values()))
            if np.abs(row).max() > 1e-6 * scale:
                raise self._wrong(
                    "clamp", f"is {self.clamp!r}, but mode {k} does not vanish there (largest component "
                    f"{np.abs(row).max():g}); take modes that are fixed at {self.clamp!r}, or leave clamp out"
                )  # fmt: skip

    def _interface(self, name: str, argument: str = "at") -> Interface:
        if not isinstance(name, str) or name not in self.interfaces:
            raise PlaceError(f"{self.title}: {argument} {name!r} is no interface; interfaces: {self.place_names()}")
        return self.interfaces[name]

    @property
    def n_modes(self) -> int:
        """Number of modes m."""
        return self.inertia.n_modes

    @property
    def mass(self) -> float:
        """Mass (kg)."""
        return self.inertia.mass

    @property
    def frame(self) -> Array:
        """The floating frame (4, 4) in the reference configuration, in world coordinates."""
        turned = self._rotation
        return se3.frame(np.eye(3) if turned is None else turned, self._position)

    @property
    def frequencies(self) -> Array:
        """Frequencies (m,) with the floating frame held (Hz), ascending."""
        root = np.linalg.inv(np.linalg.cholesky(self.inertia.modal_mass))
        squares = np.linalg.eigvalsh(root @ self.stiffness @ root.T)
        return np.sqrt(np.maximum(squares, 0.0)) / (2.0 * np.pi)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the modal coordinates: ``body.mode1``, ``body.mode2`` and so on."""
        return tuple(f"{self.name}.mode{k + 1}" for k in range(self.n_modes))

    def strain(self, point: str, q: Any) -> Array:
        """Strain (..., 6) at a recovery point for modal coordinates q (..., m); see `RecoveryPoint`."""
        return self._coordinates(q) @ self._recovery_point(point).strain.T

    def stress(self, point: str, q: Any) -> Array:
        """Stress, or section force of a beam, (..., 6) at a recovery point for modal coordinates q (..., m)."""
        return self._coordinates(q) @ self._recovery_point(point).stress.T

    def _recovery_point(self, name: str) -> RecoveryPoint:
        if name not in self.recovery:
            known = ", ".join(repr(n) for n in self.recovery) or "none"
            raise PlaceError(f"{self.title}: no recovery point {name!r}; recovery points: {known}")
        return self.recovery[name]

    def _coordinates(self, q: Any) -> Array:
        values = np.asarray(q, dtype=float)
        if values.ndim == 0 or values.shape[-1] != self.n_modes:
            raise self._wrong("q", f"must hold {self.n_modes} modal coordinates, got {values.shape}")
        return values

    def at(self, name: str) -> Place:
        """The place of an interface."""
        self._interface(name)
        return Place(self, interface=name)

    def frame_at(self, place: Place) -> Array:
        return self.frame if place.interface is None else self.frame @ self._interface(place.interface).frame

    def place(self, word: str | None, numbers: tuple[Number, ...] | None) -> Place | None:
        return self.at(word) if word in self.interfaces and numbers is None else None

    def place_names(self) -> str:
        return ", ".join(repr(name) for name in self.interfaces) or "none"

    def __repr__(self) -> str:
        return f"<modal body {self.name!r}: {self.n_modes} modes, interfaces {self.place_names()}>"
