"""Media that users describe: their functions, compiled, and the arrays of the elements that are made of them."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.elements import across
from cosserat.compile.mesh import BeamMesh
from cosserat.compile.series import WEIGHT, XI, bracket, exponential
from cosserat.errors import ModelError, warn
from cosserat.kernels import media
from cosserat.kernels.arrays import Elements, Media, address_rows
from cosserat.kernels.beams import relative_vectors
from cosserat.lie.protocol import Array
from cosserat.model.beams import Beam
from cosserat.model.closures import defined
from cosserat.model.medium import Medium
from cosserat.model.model import Model

if TYPE_CHECKING:
    from cosserat.compile.skeleton import Parts

Ints = NDArray[np.int64]

_POINTS = np.array([-0.5, 0.5]) / math.sqrt(3.0)
_NEWTON = 60


@dataclass(frozen=True)
class CompiledMedium:
    """The rest of the potential of a medium beyond its quadratic part, as units of compiled code."""

    stiffness: Array  # (6, 6) of the quadratic part
    numbers: Array  # what its functions take
    first: Any
    second: Any

    def stress(self, strain: Array) -> Array:
        """Slope (6,) of the potential at a strain (6,); not a number where it has none."""
        out = np.zeros(7)
        failed = self.first(np.ascontiguousarray(strain), self.numbers, out)
        return np.full(6, np.nan) if failed or not np.isfinite(out[0]) else self.stiffness @ strain + out[1:]

    def modulus(self, strain: Array) -> Array:
        """Second derivatives (6, 6) of the potential at a strain."""
        H = np.zeros((6, 6))
        failed = self.second(np.ascontiguousarray(strain), self.numbers, H)
        return np.full((6, 6), np.nan) if failed else self.stiffness + H

    def strain(self, stress: Array, near: Array) -> Array:
        """Strain (6,) at which the potential has a given slope, by Newton's method from a strain near it, which decides
        where several have it, and is taken itself where none is found; not a number where the potential has no slope.
        """
        if not np.isfinite(self.stress(near)).all():
            return np.full(6, np.nan)
        e = near
        gap = self.stress(e) - stress
        scale = np.sqrt(np.diag(self.stiffness))
        typical = sum(np.linalg.norm(x / scale) for x in (stress, self.stress(np.zeros(6)), self.stiffness @ e))
        for _ in range(_NEWTON):
            size = np.linalg.norm(gap / scale)
            if size <= 1e-14 * typical:
                return e
            try:
                step = np.linalg.solve(self.modulus(e), gap)
            except np.linalg.LinAlgError:
                break
            for k in range(40):
                trial = e - step * 0.5**k
                found = self.stress(trial) - stress
                if np.linalg.norm(found / scale) < size:
                    break
            else:
                return e if size <= 1e-9 * typical else near
            e, gap = trial, found
        return e if np.linalg.norm(gap / scale) <= 1e-9 * typical else near


def compile_medium(medium: Medium) -> CompiledMedium | None:
    """The functions of a medium, for the present values of its parameters; None where it is quadratic."""
    if medium.is_quadratic:
        return None
    formulas = medium.formulas
    first, second = _function(formulas.first, "first"), _function(formulas.second, "second")
    return CompiledMedium(
        medium.section.matrices()[0],
        medium.numbers,
        media.compile_medium(first, media.FIRST),
        media.compile_medium(second, media.SECOND),
    )


@functools.lru_cache(256)
def _function(source: str, name: str) -> Any:
    """A function of a generated source: one for one text, so that it is compiled once."""
    return defined(source, name, "potential of a medium", math=math)


def compile_media(model: Model) -> dict[str, CompiledMedium]:
    """Those of the beams of a model that are not quadratic, by beam."""
    found = {b.name: compile_medium(b.medium) for b in model.beams if b.medium is not None}
    return {name: medium for name, medium in found.items() if medium is not None}


def media_arrays(parts: Parts) -> Media:
    """Arrays of all elements of such media."""
    media, meshes, elements = parts.media, parts.skeleton.beams, parts.elements
    element, point, weight, start = [], [], [], []
    parameter: list[Array] = []
    for name, medium in media.items():
        span = meshes[name].first_element + np.arange(len(meshes[name].pairs))
        element.append(span)
        compliance = np.asarray(np.linalg.inv(medium.stiffness), dtype=np.float64)
        point.append(_points(elements.d0[span], elements.stiffness[span], compliance))
        weight.append(np.outer(np.linalg.norm(elements.d0[span, :3], axis=1), (0.5, 0.5)))
        first = sum(map(len, parameter))
        start.append(np.tile([first, first + len(medium.numbers)], (len(span), 1)))
        parameter.append(medium.numbers)
    return Media(
        element=np.concatenate(element),
        point=np.ascontiguousarray(np.concatenate(point).reshape(-1, 12, 6)),
        weight=np.ascontiguousarray(np.concatenate(weight)),
        start=np.concatenate(start),
        parameter=np.concatenate(parameter),
    )


def medium_addresses(media: dict[str, CompiledMedium], meshes: dict[str, BeamMesh]) -> Any:
    """Addresses (nm, 2) of first and second derivatives, in the order of `media_arrays`."""
    return address_rows([(x.first, x.second) for name, x in media.items() for _ in meshes[name].pairs])


def failing_medium(
    media: dict[str, CompiledMedium], meshes: dict[str, BeamMesh], elements: Elements, rows: Media, frames: Array
) -> str:
    """In words, a beam whose potential has no slope at a strain of these frames (n+1, 12); or ""."""
    if not len(rows.element):
        return ""
    d = np.zeros_like(elements.d0)
    relative_vectors(np.ascontiguousarray(frames), elements.node, d)
    change = (d - elements.d0)[rows.element]
    strains = np.einsum("egij,ej->egi", rows.point.reshape(-1, 2, 6, 6), change).reshape(-1, 6)
    owner = np.repeat([name for name, mesh in meshes.items() if name in media for _ in mesh.pairs], 2)
    for name, strain in zip(owner, strains, strict=True):
        if not np.isfinite(media[name].stress(strain)).all():
            shown = ", ".join(f"{x:.6g}" for x in strain)
            return f"the potential of beam '{name}' has no slope at the strain ({shown})"
    return ""


def _points(d0: Array, stiffness: Array, compliance: Array) -> Array:
    """B (ne, 2, 6, 6): the strain of linear statics at two points per relative vector, see `elements`."""
    ad = bracket(d0)
    Z = np.linalg.inv(np.einsum("g,egab->eab", WEIGHT, exponential(XI[None, :, None, None] * ad[:, None])))
    E_T = exponential(_POINTS[None, :, None, None] * ad[:, None])
    middle = np.swapaxes(Z, 1, 2) @ stiffness
    return np.asarray(compliance @ np.swapaxes(E_T @ across(d0)[:, None], 2, 3) @ middle[:, None])


def linear_medium(call: str, beam: Beam) -> None:
    """Say that modes take a medium as linear; raise for one with a stress in the reference configuration."""
    if beam.medium is None or beam.medium.is_quadratic:
        return
    if not beam.medium.is_convex:
        raise ModelError(
            f"{beam.title}: the potential of its medium is not strictly convex at zero strain; {call} takes modes "
            "about the reference configuration, which is not stable; use the Galilean formulation"
        )
    if np.any(beam.medium.prestress):
        stress = ", ".join(f"{x:.6g}" for x in beam.medium.prestress)
        raise ModelError(
            f"{beam.title}: its medium has the section force ({stress}) in the reference configuration; {call} takes "
            "modes about a reference without stress; use the Galilean formulation, or measure strains from the "
            "configuration without stress"
        )
    warn(
        f"{beam.title}: its potential is not quadratic; {call} takes its stiffness at zero strain",
    )
