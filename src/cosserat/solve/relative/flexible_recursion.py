"""The generalised Newton-Euler recursions of a tree of rigid and elastic links, O(n) in the number of links.

Every link has the velocities z = (twist of its frame, modal rates), which follow from those of its parent and from its
own velocities v (of its joint, then modal), [Boyer05] (64)-(66):

    z = E W z_parent + N v,        z_dot = E W z_dot_parent + N a + c,        E = (1, 0) picks the twist

and its equations M z_dot + b = wrench and modal forces, [Boyer05] (63). Inverse dynamics sums the latter inwards.
Forward dynamics eliminates joint and modal accelerations of one link after the other, so that each hands a 6x6 inertia
to its parent: the articulated-body algorithm with modes. The loops over links are in `kernels.flexible`.

Arrays (n_z,) hold 6 + m numbers for every link, one after another; `TreeData.parts` takes them apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.tree import TreeData
from cosserat.kernels.flexible import announce, articulated, inverse, kinematics
from cosserat.kernels.flexible.arrays import INERTIA, LinkMotions, Vectors, Z
from cosserat.lie import se3
from cosserat.lie.protocol import Array


class LinkMotion(NamedTuple):
    """One link at a state."""

    frame: Array  # (4, 4) in the world
    z: Array  # (6 + m,) twist of the frame in its own axes, modal rates
    M: Array  # (6 + m, 6 + m)
    b: Array  # (6 + m,) without gravity, which enters as an acceleration of the ground; with modal stiffness


class Motions:
    """All links at a state; `motions[i]` is one of them."""

    def __init__(self, data: TreeData) -> None:
        announce()
        self.data = data
        self._packed = data.arrays.new_state()
        self.address: Any = self._packed.address
        self.arrays: LinkMotions = self._packed.problem.motion
        self.vectors: Vectors = self._packed.problem.vectors

    def move(self, q: Array, v: Array) -> Motions:
        """Write kinematics, inertia and velocity terms at a state: [Boyer05] (64)-(65), (63)."""
        self.vectors.q[:], self.vectors.v[:] = q, v
        kinematics.move(self.data.arrays.tree, self.address)
        return self

    def __len__(self) -> int:
        return len(self.data.links)

    def __iter__(self) -> Iterator[LinkMotion]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, i: int) -> LinkMotion:
        row, now, d = self.arrays.frame[i], self.arrays, 6 + self.data.links[i].n_modes
        z, o = self.data.arrays.table[i, [Z, INERTIA]].tolist()
        H = se3.frame(row[:9].reshape(3, 3), row[9:])
        return LinkMotion(H, now.z[z : z + d], now.inertia[o : o + d * d].reshape(d, d), now.bias[z : z + d])


def inverse_dynamics(now: Motions, a: Array, ground: Array, wrench: Array) -> tuple[Array, Array]:
    """Efforts and modal forces (n,) for accelerations a, and what the joint of every link must put on it (n_z,).

    `ground` (6,): acceleration of the ground, against gravity. `wrench` (n_z,): what acts on links from outside.
    """
    arrays = now.data.arrays
    force, tau = np.empty(arrays.n_z), np.empty(arrays.n_v)
    inverse.efforts(arrays.tree, now.address, a, ground, wrench, force, tau)
    return tau, force


def accelerations(now: Motions, a: Array, ground: Array) -> Array:
    """z_dot (n_z,) of all links."""
    out = np.empty(now.data.arrays.n_z)
    kinematics.accelerations(now.data.arrays.tree, now.address, a, ground, out)
    return out


def projected(now: Motions, rows: Array) -> Array:
    """Rows (r, n) on the velocities of the tree from rows (r, n_z) on those of its links."""
    out = np.empty((len(rows), now.data.arrays.n_v))
    inverse.project(now.data.arrays.tree, now.address, rows.copy(), out)
    return out


class Articulated:
    """The tree factored at a state: solves M a = r, or (M + extra) a = r, in O(n) as often as wanted.

    Parameters
    ----------
    now : Motions
        Must not be moved to another state while this is used.
    extra : (n_pivots,), optional
        Added to each link's own block, such as stiffness and damping of an implicit step: a matrix (k + m, k + m) for
        each link, one after another.
    driven : (n,) of bool, optional
        Coordinates whose accelerations are given.

    Attributes
    ----------
    wrong : int
        How many pivots are not positive; 0 if the matrix is positive definite.
    """

    def __init__(self, now: Motions, extra: Array | None = None, driven: NDArray[np.bool_] | None = None) -> None:
        arrays = now.data.arrays
        self._now = now
        self._packed = arrays.new_factor()
        held = np.zeros(arrays.n_v, dtype=np.int64) if driven is None else driven.astype(np.int64)
        more = np.zeros(arrays.n_pivots) if extra is None else extra
        self.wrong = articulated.factor(arrays.tree, now.address, self._packed.address, more, held)

    def solve(self, tau: Array) -> Array:
        """Accelerations under efforts tau, (n,) or one set per row (r, n); those of driven coordinates are zero."""
        arrays = self._now.data.arrays
        sets = np.ascontiguousarray(np.atleast_2d(tau))
        out, pushes, still = np.zeros(sets.shape), np.zeros((len(sets), arrays.n_z)), np.zeros(6)
        articulated.solve(arrays.tree, self._now.address, self._packed.address, sets, pushes, 0, still, out)
        return out.reshape(tau.shape)
