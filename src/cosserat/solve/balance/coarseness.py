"""Meshes that are too coarse for what a beam does.

An element bends inside like a cubic. A beam in tension bends sharply where it is held, over a length sqrt(EI / N).
Where elements are much longer than that, they are too stiff there: with a mean tilt g of their ends against the chord
they store about N h g^2 instead of sqrt(N EI) g^2 (0.4 of it in the S, the rest in the bow beside it).
Compared with what the tension stores in the deflection of the beam from its reference, that is about the relative
error of the deflection. With more tension their ends may draw apart although the beam hardly stretches, or there is no
balance.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.errors import warn
from cosserat.kernels.beams import relative_vectors
from cosserat.results.equilibrium import Equilibrium

Array = NDArray[np.float64]

_DRAWN = 0.1  # elongation of an element's chord beyond the strain of the beam that is taken as wrong
_SHARP = 40.0  # N h^2/EI beyond which an element does not resolve the bend of a beam in tension
_TILTED = 1e-6  # tilt of an element that is taken as none
_WRONG = 0.01  # error of deflections that is told
_TAUT = 15.0  # length of an element in bends sqrt(EI / N) beyond which it may be why there is no balance


def warn_coarse(found: Equilibrium, stress: Array) -> None:
    """Warn of the worst element of each beam that is too long for its tension, stress is (ne, 6).

    Its ends are farther apart than the strain of the beam can explain, or it is too stiff where the beam is held.
    """
    compiled, frame = found.trajectory.compiled, found.trajectory.history.frame[-1]
    elements = compiled.system.elements
    if len(elements.node) == 0:
        return
    for text in _unresolved(compiled, frame, stress):
        warn(f"equilibrium: {text}")
    a, b = elements.node.T
    drawn = np.linalg.norm(frame[b, 9:] - frame[a, 9:], axis=1) / np.linalg.norm(elements.d0[:, :3], axis=1) - 1.0
    for name, mesh in compiled.beams.items():
        own = drawn[mesh.first_element : mesh.first_element + len(mesh.pairs)]
        worst = int(np.argmax(own))
        if own[worst] <= _DRAWN:
            continue
        middle = float(np.mean(mesh.s[mesh.pairs[worst] - mesh.first_node]))
        if own[worst] > _DRAWN + 2.0 * np.linalg.norm(found.strain(name, middle)[:3]):
            warn(
                f"equilibrium: beam {name!r}: element {worst + 1} of {len(own)} is too long for the force across it, "
                f"drawn apart by {100 * own[worst]:.0f} %, so the result is wrong; use more elements",
            )


def _unresolved(compiled: CompiledModel, frame: Array, stress: Array) -> Iterator[str]:
    """Of each beam in tension, the element that bends most where it cannot, in words."""
    elements = compiled.system.elements
    strain = np.empty_like(elements.d0)
    relative_vectors(frame, elements.node, strain)
    along, length, stiffness = _shape(elements.d0, elements.stiffness)
    force = np.maximum(np.sum(along * stress[:, :3], axis=1), 0.0)
    across = (strain - elements.d0)[:, :3]
    tilt = np.linalg.norm(across - along * np.sum(along * across, axis=1)[:, None], axis=1) / length
    sharpness = 12.0 * force / (length * stiffness)
    stored = np.where(sharpness > _SHARP, force * length * tilt**2, 0.0)
    a, b = elements.node.T
    chord, before = (x[b, 9:] - x[a, 9:] for x in (frame, compiled.frames))
    turned = _unit(chord) - _unit(before)
    deflected = 0.5 * force * length * np.sum(turned**2, axis=1)
    for name, mesh in compiled.beams.items():
        own = slice(mesh.first_element, mesh.first_element + len(mesh.pairs))
        error = float(np.sum(stored[own]) / max(float(np.sum(deflected[own])), 1e-300))
        worst = int(np.argmax(stored[own]))
        if error > _WRONG and tilt[own][worst] > _TILTED:
            ratio, bend = sharpness[own][worst], length[own][worst] / np.sqrt(sharpness[own][worst])
            wrong = f"by about {100 * error:.0f} %" if error < 0.5 else "by far"
            yield (
                f"beam {name!r}: element {worst + 1} of {len(mesh.pairs)} is too long for its tension (N h^2/EI is "
                f"{ratio:.0f}): the beam bends over {bend:.2g} m where it is held or pushed, and deflections are wrong "
                f"{wrong}, moments there more; use elements of {2 * bend:.2g} m, or a pinned end"
            )


def _unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=1), 1e-300)[:, None])


def _shape(d0: Array, K: Array) -> tuple[Array, Array, Array]:
    """Directions (ne, 3) and lengths of elements, and their lower transverse stiffness, 12 EI / h^3."""
    length = np.linalg.norm(d0[:, :3], axis=1)
    along = d0[:, :3] / length[:, None]
    across = np.eye(3) - along[:, :, None] * along[:, None]
    return along, length, np.linalg.eigvalsh(across @ K[:, :3, :3] @ across)[:, 1]


def taut_element(compiled: CompiledModel, stress: Array) -> str:
    """The element that is longest in units of sqrt(EI / N), in words; nothing if it is short. stress is (ne, 6)."""
    elements = compiled.system.elements
    along, length, stiffness = _shape(elements.d0, elements.stiffness)
    ratio = np.sqrt(np.maximum(12.0 * np.sum(along * stress[:, :3], axis=1), 0.0) / (length * stiffness))
    for name, mesh in compiled.beams.items():
        own = ratio[mesh.first_element : mesh.first_element + len(mesh.pairs)]
        worst = int(np.argmax(own))
        if own[worst] > _TAUT and own[worst] == np.max(ratio):
            return (
                f"beam {name!r}: element {worst + 1} of {len(own)} is too long for its tension, {own[worst]:.0f} times "
                "the bend sqrt(EI/N); use more elements"
            )
    return ""
