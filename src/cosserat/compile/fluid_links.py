"""Inertia of a fluid that moves with places, and of propellant, in a tree: links without a body, welded to the place.

Gravity enters a tree as an acceleration of the ground, so that such links have a weight: propellant has one, and its
inertia follows the inputs of its law; that of a fluid is taken back by a law.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from cosserat.compile.skeleton import Skeleton
from cosserat.errors import ModelError
from cosserat.kernels.varying import write_mass
from cosserat.lie.protocol import Array
from cosserat.model.frame_laws import in_axes
from cosserat.model.model import Model
from cosserat.model.placed_laws import PlacedLaw
from cosserat.model.places import Place
from cosserat.model.state_loads import StateLoad

WEIGHT = ".weight"  # how names of laws end that take the weight of an inertia back


class FluidInertia(NamedTuple):
    """What moves with a place: a matrix (6, 6) in its frame."""

    name: str
    place: Place
    matrix: Array
    burns: bool = False  # propellant, of which the matrix is that of none


def fluid_inertias(model: Model) -> Iterator[FluidInertia]:
    """All of a model, those of its bodies first."""
    for added in model.added_masses:
        yield FluidInertia(added.name, Place(added.body), added.matrix)
    for load in model.state_loads:
        matrix = load.inertia
        if matrix is not None:
            yield FluidInertia(load.name, load.place, matrix)
        if load.varying:
            yield FluidInertia(load.name, load.place, np.zeros((6, 6)), burns=True)


def demand_own_bodies(model: Model, skeleton: Skeleton) -> None:
    """Raise if two loads burn propellant of one body."""
    known: set[int] = set()
    for load in (load for load in model.state_loads if load.varying):
        node = skeleton.attach(load.place).node
        if node in known:
            raise ModelError(f"{load.title}: its body has other propellant already; one is offered for each body")
        known.add(node)


def uplifts(model: Model, items: Sequence[FluidInertia]) -> list[StateLoad]:
    """Loads that take the weight of these inertias back; none without gravity."""
    return [Uplift(model, item) for item in items if not item.burns] if any(model.gravity) else []


class Uplift(PlacedLaw):
    """-A (R^T g, 0) at the place of an inertia A."""

    def __init__(self, model: Model, item: FluidInertia) -> None:
        self._made(f"{item.name}{WEIGHT}", item.place, model)
        self._numbers = self.pull | {f"a{i}{j}": float(item.matrix[i, j]) for i in range(6) for j in range(3)}
        self._law = uplift_law


def uplift_law(t, frame, twist, p):
    """Minus the weight that an acceleration of the ground gives to the inertia p["a.."]."""
    a, b, c = in_axes(frame, p["gravity_x"], p["gravity_y"], p["gravity_z"])
    return (
        -(p["a00"] * a + p["a01"] * b + p["a02"] * c),
        -(p["a10"] * a + p["a11"] * b + p["a12"] * c),
        -(p["a20"] * a + p["a21"] * b + p["a22"] * c),
        -(p["a30"] * a + p["a31"] * b + p["a32"] * c),
        -(p["a40"] * a + p["a41"] * b + p["a42"] * c),
        -(p["a50"] * a + p["a51"] * b + p["a52"] * c),
    )


def uplift_power(gravity: Array, frames: Array, twists: Array, matrix: Array) -> Array:
    """Power (nt,) of that law, which is no load; `frames` (nt, 12) and `twists` (nt, 6) are those of the link, `matrix`
    its inertia, the same for all times or (nt, 6, 6).
    """
    pull = np.einsum("tji,j->ti", frames[:, :9].reshape(-1, 3, 3), gravity)
    matrix = np.broadcast_to(matrix, (len(twists), 6, 6))
    return np.asarray(-np.einsum("ti,tij,tj->t", twists, matrix[..., :3], pull))


def lost_power(gravity: Array, frames: Array, twists: Array, rates: Array) -> Array:
    """Energy (nt,) per second of what burns away, kinetic and potential; `rates` (nt, 10) of its mass numbers."""
    moment = np.einsum("tij,tj->ti", frames[:, :9].reshape(-1, 3, 3), rates[:, 1:4]) + rates[:, :1] * frames[:, 9:]
    kinetic = 0.5 * np.einsum("ti,tij,tj->t", twists, mass_matrices(rates), twists)
    return np.asarray(kinetic - np.einsum("ti,i->t", moment, gravity))


def mass_matrices(numbers: Array) -> Array:
    """Matrices (nt, 6, 6) of mass, first moments and inertia (nt, 10) about a point."""
    M = np.zeros((6, 6, len(numbers)))
    write_mass(numbers.T, numbers.T, 0, M)
    return np.moveaxis(M, -1, 0)
