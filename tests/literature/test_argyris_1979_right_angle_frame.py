"""Lateral buckling of a right-angle frame of two narrow plates, under a force and under end moments.

J. H. Argyris et al., Finite element method: the natural approach, CMAME 17/18 (1979) 1-106. The critical loads here
are converged ones, by shooting with the strong form about the bent state before buckling.
"""

import numpy as np
import pytest

import cosserat as cs

E, G = 71240.0, 71240.0 / (2 * 1.31)
SECTION = cs.Section(  # 0.6 x 30, the 30 in the plane of the frame
    stiffness=(E * 18, G * 15, G * 15, G * 2.16, E * 0.54, E * 1350), mass=[1, 1, 1, 1, 1, 1]
)


def leg(model, name, start, end, elements):
    return model.add(cs.Beam(name, points=[start, end], section=SECTION, elements=elements, up=(0, 0, 1)))


def frame_under_a_force(elements):
    load = cs.Parameter("P", 0.0)
    model = cs.Model("frame under a force")
    first = leg(model, "first", (0, 0, 0), (240, 0, 0), elements)
    second = leg(model, "second", (240, 0, 0), (240, -240, 0), elements)
    model.add(cs.Fixed("clamp", cs.GROUND, first.start))
    model.add(cs.Fixed("corner", first.end, second.start))
    model.add(cs.Force("load", second.end, (load, 0, 0)))
    return model


def frame_under_moments(elements):
    """Both ends turn about z only; one of them slides along x."""
    moment = cs.Parameter("M", 0.0)
    model = cs.Model("frame under moments")
    c = 240 / np.sqrt(2)
    left = leg(model, "left", (-c, 0, 0), (0, c, 0), elements)
    right = leg(model, "right", (0, c, 0), (c, 0, 0), elements)
    shoe = model.add(cs.RigidBody.sphere("shoe", diameter=1.0, mass=1.0, com=(c, 0, 0)))
    model.add(cs.Fixed("corner", left.end, right.start))
    model.add(cs.Revolute("hinge", cs.GROUND, left.start, axis=(0, 0, 1)))
    model.add(cs.Prismatic("rail", cs.GROUND.at((c, 0, 0)), shoe, axis=(1, 0, 0)))
    model.add(cs.Revolute("sliding hinge", shoe, right.end, axis=(0, 0, 1)))
    model.add(cs.Torque("at the hinge", left.start, (0, 0, moment)))
    model.add(cs.Torque("at the shoe", right.end, (0, 0, -moment)))
    return model


def first_branch(model, parameter, stop):
    path = cs.continuation(model, parameter, 0.0, stop, step=0.2, max_step=0.5)
    assert path.status.ok, path.status.message
    assert path.points[0].kind == "branch"
    return path.points[0]


@pytest.mark.parametrize("critical", [1.087518, -0.680427])
def test_force(critical):
    point = first_branch(frame_under_a_force(elements=32), "P", 1.05 * critical)
    assert point.value == pytest.approx(critical, rel=2e-6)
    sideways, forward = abs(point.shape("second.end")[2]), np.linalg.norm(point.shape("second.end")[:2])
    assert forward < 1e-6 * sideways


@pytest.mark.parametrize("sign", [1, -1])
def test_moments(sign):
    coarse, fine = (first_branch(frame_under_moments(n), "M", 700.0 * sign).value for n in (16, 32))
    assert coarse == pytest.approx(sign * 622.222, rel=2e-4)
    assert fine == pytest.approx(sign * 622.222, rel=2e-6)
