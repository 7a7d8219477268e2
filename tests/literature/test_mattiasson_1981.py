"""The elastica: large deflections of cantilevers.

K. Mattiasson, Numerical results from large deflection beam and frame problems analysed by means of elliptic integrals,
Int. J. Numer. Methods Eng. 17 (1981) 145-153, table I (transverse tip load) and the post-buckled column; digits beyond
the printed ones from the same elliptic integrals. M. Gerardin, A. Cardona, Flexible Multibody Dynamics (2001): the same
cantilever with the stiffness of a real section.
"""

import numpy as np
import pytest

import cosserat as cs

TABLE_1 = [  # P L^2 / EI, w / L, u / L, tip angle
    (0.2, 0.06636448, 0.00264655, 0.09963616),
    (1.0, 0.30172077, 0.05643324, 0.46135195),
    (2.0, 0.49345748, 0.16064172, 0.78174983),
    (5.0, 0.71379152, 0.38762836, 1.21536812),
    (10.0, 0.81060902, 0.55499560, 1.43028554),
]
COLUMN = [  # tip angle in degrees, P / P_critical, x / L, y / L
    (60, 1.15172, 0.74102, 0.59321),
    (120, 1.88480, 0.12316, 0.80317),
]


def cantilever(force, elements, length=1.0, stiffness=(1e9, 1e9, 1e9, 1.0, 1.0, 1.0)):
    model = cs.Model("elastica")
    section = cs.Section(stiffness=stiffness, mass=[1, 1, 1, 1e-3, 1e-3, 1e-3])
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (length, 0, 0)], section=section, elements=elements))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("tip load", beam.end, force))
    return model


def balanced(model, **options):
    result = cs.equilibrium(model, **options)
    assert result.status.ok, result.status.message
    return result


def turn(R):
    """Angle by which the tip turned in the plane x, y."""
    return np.arctan2(float(R[1, 0]), float(R[0, 0]))


@pytest.mark.parametrize("alpha, w, u, angle", TABLE_1)
def test_table_1(alpha, w, u, angle):
    result = balanced(cantilever((0, alpha, 0), elements=32))
    x, y, z = np.asarray(result.position("beam.end"))
    assert [1 - x, y, turn(result.rotation("beam.end"))] == pytest.approx([u, w, angle], abs=1e-6)
    assert abs(z) < 1e-12


@pytest.mark.parametrize("degrees, ratio, x_tip, y_tip", COLUMN)
def test_post_buckled_column(degrees, ratio, x_tip, y_tip):
    """A side load picks the branch, then it is taken away; five printed digits of the load limit the accuracy.

    The other bending stiffness is larger: otherwise the plane in which the column bends would not be unique.
    """
    side, load = cs.Parameter("side", 0.2), cs.Parameter("load", 1.0)
    model = cantilever((load * (-(np.pi**2) / 4), side, 0), 32, stiffness=(1e9, 1e9, 1e9, 1.0, 2.0, 1.0))
    result = balanced(model)
    for value in np.linspace(1.0, ratio, 8)[1:]:
        model.set(load=float(value))
        result = balanced(model, start=result)
    model.set(side=0.0)
    result = balanced(model, start=result)
    x, y, _ = np.asarray(result.position("beam.end"))
    assert [x, y] == pytest.approx([x_tip, y_tip], abs=4e-5)
    assert np.degrees(turn(result.rotation("beam.end"))) == pytest.approx(degrees, abs=4e-3)


def test_gerardin_cardona_finite_stiffness():
    stiffness = (4.8e8, 3.231e8, 3.231e8, 1e6, 9.346e6, 9.346e6)
    result = balanced(cantilever((0, 0, 600e3), elements=32, length=5.0, stiffness=stiffness))
    x, _, z = np.asarray(result.position("beam.end"))
    R = np.asarray(result.rotation("beam.end"))
    assert [x - 5.0, z] == pytest.approx([-0.59647127, 2.15969389], rel=1e-6)
    assert np.arctan2(R[2, 0], R[0, 0]) == pytest.approx(0.67200606, rel=1e-6)


def test_error_falls_with_the_fourth_power_of_the_element():
    _, w, u, _ = TABLE_1[3]
    errors = []
    for elements in (4, 8, 16):
        x, y, _ = np.asarray(balanced(cantilever((0, 5.0, 0), elements)).position("beam.end"))
        errors.append(np.hypot(1 - x - u, y - w))
    assert errors[0] / errors[1] > 14
    assert errors[1] / errors[2] > 14


def test_post_buckled_column_by_switching_branches():
    """The straight path meets the bent one at Euler's load; both sides of the branch are mirror images."""
    load = cs.Parameter("load", 0.0)
    model = cantilever((load * (-(np.pi**2) / 4), 0, 0), 32, stiffness=(1e7, 1e7, 1e7, 1.0, 2.0, 1.0))
    path = cs.continuation(model, "load", 0.0, 1.95, switch="branch 1")
    assert path.points[0].value == pytest.approx(1.0, abs=1e-6)
    sides = {}
    for branch in path.branches:
        assert branch.status.ok
        R = branch.rotation("beam.end")
        angle = np.degrees(np.arctan2(R[:, 1, 0], R[:, 0, 0]))
        sides[np.sign(angle[-1])] = branch
    for branch in (sides[1.0], sides[-1.0]):
        assert np.all(branch.stable[1:])
    assert sides[1.0].position("beam.end")[-1] == pytest.approx(sides[-1.0].position("beam.end")[-1] * [1, -1, 1])
    for degrees, ratio, x_tip, y_tip in COLUMN:
        model.set(load=ratio)
        near = int(np.argmin(np.abs(sides[1.0].parameter - ratio)))
        result = balanced(model, start=sides[1.0].equilibrium(near))
        x, y, _ = result.position("beam.end")
        assert [x, y] == pytest.approx([x_tip, y_tip], abs=4e-5)
        assert np.degrees(turn(result.rotation("beam.end"))) == pytest.approx(degrees, abs=4e-3)
