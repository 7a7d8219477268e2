"""Section forces of beams in floating frames, by the balance of the parts on both sides of a section.

The modes themselves know them badly: bending moments converge slowly with the number of modes, axial forces of beams
without axial modes not at all. What the loads, the joints and the inertia of the moving nodes leave over on either side
converges as the motion does (the summation of forces, or mode acceleration method).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.compile.mesh import BeamMesh
from cosserat.lie.protocol import Array
from cosserat.results.kinematics import rotate
from cosserat.results.motion import Motion
from cosserat.results.nodal import external, inertia


def summed_force(motion: Motion, mesh: BeamMesh, e: int) -> Array:
    """Wrench (nt, 6) of element e on its first node, in the frame of that node.

    The sums over the two parts of a beam differ by what the modes leave of its balance as a whole. Each is exact at its
    own end; in between they are mixed.
    """
    a, b = mesh.pairs[e - mesh.first_element]
    R, origin = motion.node(int(a))
    first, last = mesh.first_node, mesh.first_node + mesh.n_nodes
    beyond, before = (_sum(motion, nodes, origin) for nodes in (np.arange(b, last), np.arange(first, b)))
    local = mesh.s[[a - first, b - first]]
    share = float(local.mean())
    world = share * beyond - (1.0 - share) * before
    R_t = np.swapaxes(R, 1, 2)
    return np.hstack((rotate(R_t, world[:, :3]), rotate(R_t, world[:, 3:])))


def _sum(motion: Motion, nodes: NDArray[np.int64], origin: Array) -> Array:
    """What acts on nodes, without the forces of elements and less their inertia, (nt, 6) about a point, world axes."""
    rest = motion.kept("rest of the balance", lambda: external(motion).force - inertia(motion))
    total = np.zeros((len(motion.time), 6))
    for node in nodes:
        R, x = motion.node(int(node))
        f, m = rotate(R, rest[:, node, :3]), rotate(R, rest[:, node, 3:])
        total += np.hstack((f, m + np.cross(x - origin, f)))
    return total
