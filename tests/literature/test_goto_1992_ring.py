"""Ring that folds: Y. Goto, Y. Watanabe, T. Kasugai, M. Obata, Int. J. Solids Structures 29 (1992) 893-909.

An elastic ring of a band, soft in its own plane and stiff across, is twisted at two opposite points. After a whole
turn it lies in three coils, a third as large: everywhere of the curvature 3/R, with the moment 2 EI/R, and no torque
holds it. The work to get there is its bending energy, 4 pi EI/R, also where it snaps (stiff torsion).
"""

import numpy as np
import pytest

import cosserat as cs

BENDING = 1.0  # EI in the plane; R = 1


def ring(elements, torsion):
    turn = cs.Parameter("turn", 0.0)
    model = cs.Model("ring")
    section = cs.Section(
        stiffness=[1e5, 1e5, 1e5, torsion, 40.0, BENDING], mass=[1.0, 1.0, 1.0, 1e-3, 1e-3, 1e-3]
    )
    halves = [
        model.add(
            cs.Beam(
                f"half{k}", curve=lambda s, k=k: (np.cos(np.pi * (s + k)), np.sin(np.pi * (s + k)), 0 * s),
                section=section, elements=elements,
            )
        )
        for k in range(2)
    ]  # fmt: skip
    grips = [model.add(cs.RigidBody(f"grip{k}", 1.0, (1 - 2 * k, 0, 0), np.eye(3))) for k in range(2)]
    for k in range(2):
        model.add(cs.Fixed(f"start{k}", halves[k].start, grips[k]))
        model.add(cs.Fixed(f"end{k}", halves[k].end, grips[1 - k]))
    model.add(cs.Cylindrical("hand", cs.GROUND, grips[0], axis=(1, 0, 0), motion={"rz": 1 * turn}))
    model.add(cs.Revolute("vice", cs.GROUND, grips[1], axis=(1, 0, 0), motion=0.0))
    return model


@pytest.mark.parametrize("torsion", [1.0, 2.0])
def test_a_whole_turn_folds_it_into_three_coils(torsion):
    path = cs.continuation(ring(12, torsion), "turn", start=0.0, stop=2 * np.pi, max_step=0.1)
    assert path.status.ok
    across = path.position("grip0") - path.position("grip1")
    assert np.linalg.norm(across[[0, -1]], axis=1) == pytest.approx([2, 2 / 3], rel=1e-9)
    torque = path.reaction("hand")[:, 3]
    assert torque[[0, -1]] == pytest.approx([0, 0], abs=1e-8)
    for half in ("half0", "half1"):
        force = path.section_force(half, 0.3)[-1]
        assert force == pytest.approx([0, 0, 0, 0, 0, 2 * BENDING], abs=1e-8)
    assert torque[1] > 0
    turns = path.parameter
    work = float(np.sum(0.5 * (torque[1:] + torque[:-1]) * np.diff(turns)))
    assert work == pytest.approx(4 * np.pi * BENDING, rel=1e-3)  # the trapezoidal rule leaves 4e-4
