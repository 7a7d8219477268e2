"""A virtual motion: a state whose twists are small increments of the frames, seen with the same eyes as a velocity.

What an accessor calls the velocity of a place, the rate of a joint or of a strain is then its small change.
"""

from __future__ import annotations

import numpy as np

from cosserat.compile.series import skew
from cosserat.kernels.springs import slopes
from cosserat.lie.protocol import Array
from cosserat.results import joints
from cosserat.results.motion import Motion
from cosserat.results.nodal import element_forces, spring_line


def virtual_motion(motion: Motion, increments: Array) -> Motion:
    """The last state of a motion with left increments (6n,) or (k, 6n) of its nodes for twists, k times."""
    n = motion.mechanism.n_nodes
    twist = np.zeros((increments.size // (6 * n) if n else 1, n + 1, 6))
    twist[:, :n] = increments.reshape(-1, n, 6)
    return motion.displaced(twist=twist, rate=np.zeros_like(twist))


def strain_energies(motion: Motion, springs: list[str]) -> dict[str, float]:
    """Elastic energy of the increments in every beam, spring and elastic joint that has a stiffness (J)."""
    mechanism = motion.mechanism
    arrays = mechanism.system.elements
    out: dict[str, float] = {}
    if len(arrays.node):
        rate = element_forces(motion, np.arange(len(arrays.node)))[1][0]
        energy = 0.5 * np.einsum("ei,eij,ej->e", rate, arrays.stiffness, rate)
        for name, mesh in mechanism.beams.items():
            out[name] = float(np.sum(energy[mesh.elements]))
    for name, joint in mechanism.joints.items():
        stiffness = np.array([mechanism.system.freedoms.stiffness[k] if k >= 0 else 0.0 for k in joint.active])
        if np.any(stiffness):
            out[name] = float(0.5 * np.sum(stiffness * joints.coordinate_rates(motion, joint)[0] ** 2))
    for k, name in enumerate(springs):
        line, lines = spring_line(motion, k), mechanism.system.springs
        constants = lines.stiffness[k], 0.0, lines.length[k], lines.slack[k], 0.0
        out[name] = 0.5 * float(slopes(*constants, line.length[0], 0.0)[0] * line.rate[0] ** 2)
    return out


def rigid_motions(frames: Array, center: Array) -> Array:
    """Increments (6n, 6) of nodes with frames (n, 12) in rigid motions along and about world axes through a point."""
    turned, arms = np.swapaxes(frames[:, :9].reshape(-1, 3, 3), 1, 2), frames[:, 9:] - center
    out = np.zeros((len(frames), 6, 6))
    out[:, :3, :3] = out[:, 3:, 3:] = turned
    out[:, :3, 3:] = -turned @ skew(arms)
    return out.reshape(-1, 6)
