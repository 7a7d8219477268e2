"""Meshes that are too coarse for what a beam does.

An element bends inside like a cubic. A beam in tension bends sharply where it is held, over a length sqrt(EI / N).
Where elements are much longer than that, their ends may draw apart although the beam hardly stretches, or there is no
balance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.errors import warn
from cosserat.results.equilibrium import Equilibrium

_DRAWN = 0.1  # elongation of an element's chord beyond the strain of the beam that is taken as wrong
_TAUT = 15.0  # length of an element in bends sqrt(EI / N) beyond which it may be why there is no balance


def warn_coarse(found: Equilibrium) -> None:
    """Warn of the worst element of each beam whose ends are farther apart than the strain of the beam can explain."""
    compiled, frame = found.trajectory.compiled, found.trajectory.history.frame[-1]
    elements = compiled.system.elements
    if len(elements.node) == 0:
        return
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


def taut_element(compiled: CompiledModel, stress: NDArray[np.float64]) -> str:
    """The element that is longest in units of sqrt(EI / N), in words; nothing if it is short. stress is (ne, 6)."""
    elements = compiled.system.elements
    length = np.linalg.norm(elements.d0[:, :3], axis=1)
    along = elements.d0[:, :3] / length[:, None]
    across = np.eye(3) - along[:, :, None] * along[:, None]
    stiffness = np.linalg.eigvalsh(across @ elements.stiffness[:, :3, :3] @ across)[:, 1]  # 12 EI / h^3
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
