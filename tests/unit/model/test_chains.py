"""Chains from tables of Denavit and Hartenberg."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.model.chains import dh_frame


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_places_are_the_products_of_the_table(convention, rng):
    table, kinds = rng.normal(size=(5, 4)), "RPRRP"
    base = np.eye(4)
    base[:3, :3], base[:3, 3] = cs.lie.so3.exp(rng.normal(size=3)), rng.normal(size=3)
    model = cs.chain_from_dh(table, kinds, convention, base=base)
    q = rng.normal(size=5)
    posture, frame, reference = cs.forward_kinematics(model, q), base, base
    for i, (row, kind) in enumerate(zip(table, kinds, strict=True)):
        frame, reference = (H @ dh_frame(row, x, kind, convention) for H, x in ((frame, q[i]), (reference, 0.0)))
        place = model[f"link{i + 1}"].at(reference[:3, 3])
        assert np.allclose(posture.position(place), frame[:3, 3], atol=1e-12)
        assert np.allclose(posture.rotation(place), frame[:3, :3], atol=1e-12)


def test_dynamics_of_a_planar_arm_from_its_table():
    """Two thin bars: the mass matrix of the double pendulum."""
    model = cs.chain_from_dh([(1.0, 0, 0, 0.3), (0.5, 0, 0, -0.2)], bodies=[2.0, 3.0], gravity=(0, -9.81, 0))
    M = cs.mass_matrix(model, [0.0, 0.4])
    c = np.cos(0.2)  # -0.2 of the table and 0.4
    inner = 3 * 0.5**2 / 3
    assert np.allclose(M, [[2 / 3 + 3 + inner + 2 * 3 * 0.25 * c, inner + 3 * 0.25 * c], [inner + 3 * 0.25 * c, inner]])
    given = {"mass": 3.0, "com": (-0.25, 0, 0), "inertia": (1e-3, 3 * 0.25 / 12, 3 * 0.25 / 12)}
    other = cs.chain_from_dh([(1.0, 0, 0, 0.3), (0.5, 0, 0, -0.2)], bodies=[2.0, given])
    assert np.allclose(cs.mass_matrix(other, [0.0, 0.4]), M)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"table": []}, "the table is empty"),
        ({"table": [(1, 2, 3)]}, "row 1 must be 4 numbers"),
        ({"table": [(1, 0, 0, 0)], "joints": "RX"}, "give 1 letters R or P"),
        ({"table": [(1, 0, 0, 0)], "convention": "craig"}, "conventions: standard, modified"),
        ({"table": [(1, 0, 0, 0)], "bodies": [1.0, 2.0]}, "2 bodies for 1 rows"),
        ({"table": [(1, 0, 0, 0)], "bodies": [{"mass": 1.0}]}, "body 'link1'.*give mass, inertia"),
    ],
)
def test_wrong_tables(arguments, message):
    with pytest.raises(cs.CosseratError, match=message):
        cs.chain_from_dh(**arguments)
