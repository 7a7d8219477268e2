"""How well a mesh resolves a shape.

Across an element the motion of a wave changes by 2 sin(pi h / wave) of its size: by as much as itself with six elements
to a wave. What changes faster belongs to the mesh and not to the beam: with finer elements it has another frequency.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel
from cosserat.lie.protocol import Array
from cosserat.solve.strains import element_strains

_FAINT = 1e-12  # of the squares of all motions: strain of beams that do not take part


def change_in_elements(compiled: CompiledModel, frames: Array, moved: NDArray[Any]) -> Array:
    """Change of motions (6n, k) of nodes in frames (n + 1, 12) across an element, relative to the motion there (k,).

    A mean over the elements, those that are strained most counting most; zero where none is.
    """
    elements, n, k = compiled.system.elements, compiled.n_nodes, moved.shape[1]
    e = len(elements.node)
    unit = np.ones((e, 6, 1))  # turns count by the displacements that they make across an element
    unit[:, 3:, 0] = np.linalg.norm(elements.d0[:, :3], axis=1)[:, None]
    strain = np.asarray(element_strains(frames, elements.node, 6 * n) @ moved).reshape(e, 6, k)
    change = np.linalg.norm(unit * strain, axis=1)
    nodes = np.concatenate((moved.reshape(n, 6, k), np.zeros((1, 6, k))))
    size = np.sqrt(0.5 * np.sum(np.abs(unit[:, None] * nodes[elements.node]) ** 2, axis=(1, 2)))
    squares, products = np.sum(change**2, axis=0), np.sum(change * size, axis=0)
    whole = np.sum(np.abs(nodes[:, :3]) ** 2 + np.abs(compiled.length * nodes[:, 3:]) ** 2, axis=(0, 1))
    return np.where(squares > _FAINT * whole, squares / np.where(products > 0.0, products, 1.0), 0.0)
