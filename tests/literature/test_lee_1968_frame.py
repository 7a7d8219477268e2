"""Lee's frame: snap-through of an angle of two legs, hinged at both ends, through two limit points.

S.-L. Lee, F. S. Manuel, E. C. Rossow, Large deflections and stability of elastic frames, J. Eng. Mech. Div. ASCE 94
(1968) 521-547; J. C. Simo, L. Vu-Quoc, CMAME 58 (1986) 79-116, who print a first limit load of 18.532 with coarse
elements. The numbers here are converged ones, by shooting with the strong form, for beams that do not shear.
"""

import numpy as np
import pytest

import cosserat as cs

BEFORE_THE_LIMIT = [(5.0, 0.309614, 3.791482), (10.0, 1.914332, 10.706875), (15.0, 8.009624, 25.841005)]
LIMITS = [(18.556728, 26.88057, 48.73514), (-9.414432, 90.19567, 58.21682)]
PLACE = "girder.at(0.2)"  # 24 from the corner


def frame(elements):
    load = cs.Parameter("P", 0.0)
    model = cs.Model("Lee's frame")
    section = cs.Section(stiffness=(7200 * 6, 1e9, 1e9, 1e5, 1e5, 7200 * 2), mass=[1, 1, 1, 1, 1, 1])
    column = cs.Beam("column", points=[(0, 0, 0), (0, 120, 0)], section=section, elements=elements, up=(0, 0, 1))
    girder = cs.Beam("girder", points=[(0, 120, 0), (120, 120, 0)], section=section, elements=elements, up=(0, 0, 1))
    model.add(column)
    model.add(girder)
    model.add(cs.Fixed("corner", column.end, girder.start))
    model.add(cs.Revolute("foot", cs.GROUND, column.start, axis=(0, 0, 1)))
    model.add(cs.Revolute("support", cs.GROUND, girder.end, axis=(0, 0, 1)))
    model.add(cs.Force("load", girder.at(0.2), (0, -load, 0)))
    return model


@pytest.fixture(scope="module")
def path():
    return cs.continuation(frame(elements=30), "P", 0.0, 20.0)


def displacement(position):
    return [position[0] - 24.0, 120.0 - position[1]]


def test_path_reaches_its_end_through_two_limit_points(path):
    assert path.status.ok, path.status.message
    assert [point.label for point in path.points] == ["limit 1", "limit 2"]
    assert path.parameter[-1] == 20.0


@pytest.mark.parametrize("k", [0, 1])
def test_limit_points(path, k):
    load, u, w = LIMITS[k]
    point = path.points[k]
    assert point.value == pytest.approx(load, rel=1e-4)
    assert displacement(point.position(PLACE)) == pytest.approx([u, w], rel=1e-4)


@pytest.mark.parametrize("load, u, w", BEFORE_THE_LIMIT)
def test_before_the_first_limit(load, u, w):
    model = frame(elements=30)
    model.set(P=load)
    found = cs.equilibrium(model)
    assert found.status.ok
    assert displacement(found.position(PLACE)) == pytest.approx([u, w], rel=1e-4)


def test_stable_outside_the_limits_only(path):
    first, second = (point.index for point in path.points)
    assert np.all(path.stable[:first])
    assert not np.any(path.stable[first + 1 : second])
    assert np.all(path.stable[second + 1 :])


def test_stays_in_its_plane(path):
    assert np.max(np.abs(path.position(PLACE)[:, 2])) < 1e-9
