"""Meshes that are too coarse for what a beam does.

An element bends inside like a cubic, and that gives way to a transverse force by Q h^2 / (12 EI): as long as this is
small. Where it is not, the ends of the element draw apart although the beam hardly stretches.
"""

from __future__ import annotations

import warnings

import numpy as np

from cosserat.errors import CosseratWarning
from cosserat.results.equilibrium import Equilibrium

_DRAWN = 0.1  # elongation of an element's chord beyond the strain of the beam that is taken as wrong


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
            warnings.warn(
                f"equilibrium: beam {name!r}: element {worst + 1} of {len(own)} is too long for the force across it, "
                f"drawn apart by {100 * own[worst]:.0f} %, so the result is wrong; use more elements",
                CosseratWarning,
                stacklevel=4,
            )
