"""Elements bent so far that their kinetic energy is no longer positive.

The velocities of an element's nodes are coupled in space (`kernels.beams`), which is right for any motion of a bent
element as a whole, but from a bend of about 1.5 rad on there are motions of negative kinetic energy. Then no step,
however short, need have a solution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.compiled import CompiledModel

Array = NDArray[np.float64]

_SUSPECT = 1.0  # rad: elements bent less are always sound
_NEARLY = 0.3  # share of the least inertia when unbent: a run that stopped there probably stopped for this reason
_STATES = 64  # stored states that are looked at


class Bent(NamedTuple):
    """The worst element of a motion."""

    beam: str
    number: int  # from 1
    elements: int  # of the beam
    angle: float  # between its ends
    time: float
    share: float  # least inertia, scaled, relative to that of the unbent element

    @property
    def lost(self) -> bool:
        """Whether its kinetic energy can be negative."""
        return self.share < 0.0

    @property
    def nearly_lost(self) -> bool:
        """Whether that is near."""
        return self.share < _NEARLY

    @property
    def message(self) -> str:
        """A sentence for a user."""
        verb = "is no longer" if self.lost else "is hardly"
        return (
            f"beam {self.beam!r}: element {self.number} of {self.elements} is bent by {self.angle:.2f} rad at "
            f"t = {self.time:.4g} s, where its kinetic energy {verb} positive: use more elements"
        )


def most_bent(compiled: CompiledModel, times: Array, frames: Array) -> Bent | None:
    """The element with the least inertia among those bent by more than a radian, in some of the stored states."""
    elements = compiled.system.elements
    if len(elements.node) == 0:
        return None
    rows = np.unique(np.linspace(0, len(times) - 1, min(_STATES, len(times))).astype(int))
    a, b = (frames[rows][:, elements.node[:, side], :9] for side in range(2))
    cosine = 0.5 * (np.einsum("tek,tek->te", a, b) - 1.0)
    worst: Bent | None = None
    for e in np.flatnonzero(cosine.min(axis=0) < np.cos(_SUSPECT)):
        k = int(np.argmin(cosine[:, e]))
        turn = a[k, e].reshape(3, 3).T @ b[k, e].reshape(3, 3)
        share = _least_inertia(elements.mass[e], elements.coupling[e], turn)
        share /= _least_inertia(elements.mass[e], elements.coupling[e], np.eye(3))
        if worst is None or share < worst.share:
            name, mesh = next(item for item in compiled.beams.items() if e < item[1].first_element + len(item[1].pairs))
            angle = float(np.arccos(max(-1.0, cosine[k, e])))
            number = int(e) - mesh.first_element + 1
            worst = Bent(name, number, len(mesh.pairs), angle, float(times[rows[k]]), share)
    return worst


def _least_inertia(mass: Array, coupling: float, turn: Array) -> float:
    """Least eigenvalue of an element's mass, scaled to a diagonal of ones."""
    M = mass.copy()
    M[:3, 6:9] += coupling * turn
    M[6:9, :3] += coupling * turn.T
    scale = 1.0 / np.sqrt(np.diagonal(M))
    return float(np.linalg.eigvalsh(M * np.outer(scale, scale))[0])
