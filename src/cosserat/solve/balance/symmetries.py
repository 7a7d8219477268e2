"""Motions of a free mechanism in steady rotation that lead to equal states: harmless, though nothing resists them.

It may turn about the axis and slide along it; a body of revolution may turn about its own. Stiffness, constraints and
loads know nothing of such motions of the whole, so that holding one node against them changes no balance.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_matrix

from cosserat.lie.protocol import Array
from cosserat.results import kinematics

ROUNDING = 1e-11  # of the terms it is summed from: stiffness or force that is none


def rigid_motions(frames: Array, extent: float) -> Array:
    """Motions (6 n, 6) of nodes with frames (n, 12) as one rigid body, in their own axes: translations and turns.

    Turns are about the mean of the nodes, by an angle that moves places by about one.
    """
    return kinematics.rigid_motions(frames, frames[:, 9:].mean(axis=0)) / np.array([1.0, extent]).repeat(3)


def harmless(tangent: csc_matrix, force: Array, P: Array, extent: float, rounding: float) -> Array:
    """Those combinations of rigid motions P (m, 6), as columns (m, k), that neither the tangent nor forces (m,) know.

    Forces that are what rounding leaves of the stiffness count as none.
    """
    full = np.vstack((P, np.zeros((tangent.shape[0] - len(P), P.shape[1]))))
    known = tangent @ full
    _, _, right = np.linalg.svd(known, full_matrices=False)
    terms, found = abs(tangent) @ np.abs(full), []
    for z in right:
        small = np.linalg.norm(known @ z) <= rounding * np.linalg.norm(terms @ np.abs(z))
        motion = P @ z
        cancels = np.abs(motion) @ (np.abs(force) + extent * (terms @ np.abs(z))[: len(P)])
        if small and abs(motion @ force) <= rounding * cancels:
            found.append(motion)
    return np.array(found).reshape(-1, len(P)).T


def drifts(tangent: csc_matrix, mass: csc_matrix, spin: Array, P: Array, rounding: float) -> Array:
    """Translations, of rigid motions P (m, 6) those across the axis (m, k), of a mechanism that nothing holds in space.

    It drifts with a constant velocity, which seen from the turntable is a motion at the speed of rotation that neither
    grows nor dies out: the tangent knows of it only by the centrifugal force.
    """
    across = np.linalg.svd(spin[None, 3:])[2][1:].T
    motions = P[:, :3] @ across
    full = np.vstack((motions, np.zeros((tangent.shape[0] - len(motions), 2))))
    square = float(spin[3:] @ spin[3:])
    left = np.linalg.norm(tangent @ full + square * (mass @ full))
    small = left <= rounding * np.linalg.norm(abs(tangent) @ np.abs(full) + square * (abs(mass) @ np.abs(full)))
    return motions if small else motions[:, :0]
