"""A virtual motion: a state whose twists are small increments of the frames, seen with the same eyes as a velocity.

What an accessor calls the velocity of a place, the rate of a joint or of a strain is then its small change.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosserat.results import beams, joints
from cosserat.results.kinematics import to_place
from cosserat.results.mechanism import Mechanism
from cosserat.results.motion import Motion

Array = NDArray[np.float64]


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
        rate = beams.element_forces(motion, np.arange(len(arrays.node)))[1][0]
        energy = 0.5 * np.einsum("ei,eij,ej->e", rate, arrays.stiffness, rate)
        for name, mesh in mechanism.beams.items():
            out[name] = float(np.sum(energy[mesh.first_element : mesh.first_element + len(mesh.pairs)]))
    for name, joint in mechanism.joints.items():
        stiffness = np.array([mechanism.system.freedoms.stiffness[k] if k >= 0 else 0.0 for k in joint.active])
        if np.any(stiffness):
            out[name] = float(0.5 * np.sum(stiffness * joints.coordinate_rates(motion, joint)[0] ** 2))
    for k, name in enumerate(springs):
        out[name] = _spring_energy(mechanism, motion, k)
    return out


def _spring_energy(mechanism: Mechanism, motion: Motion, k: int) -> float:
    arrays = mechanism.system.springs
    ends, velocities = [], []
    for node, point in zip(arrays.node[k], (arrays.point_a[k], arrays.point_b[k]), strict=True):
        R, x = motion.node(node)
        frame = np.eye(4)
        frame[:3, 3] = point
        ends.append(x[0] + R[0] @ point)
        velocities.append(R[0] @ to_place(motion.twist[:, node], frame)[0, :3])
    line = ends[1] - ends[0]
    length = float(np.linalg.norm(line))
    change = float((velocities[1] - velocities[0]) @ line) / length if length > 0.0 else 0.0
    return 0.5 * float(arrays.stiffness[k]) * change**2
