"""Lateral-torsional buckling of deep beams, and of a shaft under torque.

S. P. Timoshenko, J. M. Gere, Theory of Elastic Stability (1961), chapter 6: cantilever with a tip load and beam on
simple supports with end moments, rigid in the strong direction. With bending before buckling: converged by shooting
with the strong form. A. G. Greenhill, On the strength of shafting, Proc. Inst. Mech. Eng. (1883): clamped shaft under
torque, first root of tan(x/2) = x/2 for x = T L / EI.
"""

import numpy as np
import pytest

import cosserat as cs


def beam(model, stiffness, elements):
    section = cs.Section(stiffness=stiffness, mass=[1, 1, 1, 1, 1, 1])
    return model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=elements, up=(0, 0, 1)))


def cantilever(elements, stiffness=(1e7, 1e7, 1e7, 1.0, 1.0, 1e6)):
    model = cs.Model("cantilever")
    line = beam(model, stiffness, elements)
    model.add(cs.Fixed("clamp", cs.GROUND, line.start))
    model.add(cs.Force("load", line.end, (0, cs.Parameter("P", 0.0), 0)))
    return model


def on_simple_supports(elements):
    """The ends turn about both bending axes, not about the beam's; one slides along."""
    moment = cs.Parameter("P", 0.0)
    model = cs.Model("simple supports")
    line = beam(model, (1e7, 1e7, 1e7, 1.0, 1.0, 1e6), elements)
    shoe = model.add(cs.RigidBody.sphere("shoe", diameter=0.1, mass=1.0, com=(1, 0, 0)))
    model.add(cs.Universal("left", cs.GROUND, line.start, axes=((0, 0, 1), (0, 1, 0))))
    model.add(cs.Prismatic("rail", cs.GROUND.at((1, 0, 0)), shoe, axis=(1, 0, 0)))
    model.add(cs.Universal("right", shoe, line.end, axes=((0, 0, 1), (0, 1, 0))))
    model.add(cs.Torque("at the left", line.start, (0, 0, -moment)))
    model.add(cs.Torque("at the right", line.end, (0, 0, moment)))
    return model


def shaft(elements):
    model = cs.Model("shaft")
    line = beam(model, (1e6, 1e6, 1e6, 10.0, 1.0, 1.0), elements)
    model.add(cs.Fixed("clamp", cs.GROUND, line.start))
    model.add(cs.Cylindrical("bearing", cs.GROUND.at((1, 0, 0)), line.end, axis=(1, 0, 0)))
    model.add(cs.Torque("torque", line.end, (cs.Parameter("P", 0.0), 0, 0)))
    return model


def critical_points(build, stop, meshes, **how):
    points = []
    for elements in meshes:
        path = cs.continuation(build(elements), "P", 0.0, stop, step=0.2, max_step=0.5, **how)
        assert path.status.ok, path.status.message
        points.append(path.points[0])
    return points


def critical_load(build, stop, elements=32, **how):
    return critical_points(build, stop, (elements,), **how)[0].value


def test_cantilever_with_a_tip_load():
    assert critical_load(cantilever, 5.0) == pytest.approx(4.01259934, rel=5e-6)


def test_simple_supports_with_end_moments():
    assert critical_load(on_simple_supports, 4.0) == pytest.approx(np.pi, rel=5e-6)


@pytest.mark.parametrize("build, stop, exact", [(cantilever, 5.0, 4.01259934), (on_simple_supports, 4.0, np.pi)])
def test_in_floating_frames(build, stop, exact):
    """A load across the beam buckles its modes, too: on a path, and by frequencies that vanish."""
    formulation = cs.Floating(modes=20)
    assert critical_load(build, stop, 24, formulation=formulation) == pytest.approx(exact, rel=3e-3)
    found = cs.stability(build(24), "P", exact * np.linspace(0.8, 1.2, 5), n=3, formulation=formulation)
    assert found.critical[0].value == pytest.approx(exact, rel=3e-3)


def test_in_floating_frames_with_all_modes():
    """The elements count the moments that turn inside them, which is of fourth order in the strains: modes do not."""
    errors = []
    for n in (4, 8):
        given = cs.Floating(modes=6 * n, boundary="cantilever")
        found = cs.stability(cantilever(n), "P", 4.0126 * np.linspace(0.8, 1.2, 5), n=3, formulation=given)
        errors.append(found.critical[0].value / 4.01259934 - 1)
    assert errors[1] < 4e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.3)


def test_bending_before_buckling():
    """Shear stiffness 23.4e6 across the strong axis, 5.025e6 across the weak one."""
    value = critical_load(lambda n: cantilever(n, (1e9, 23.4e6, 5.025e6, 877.2, 608.3, 60830.0)), 3200.0)
    assert value == pytest.approx(2973.464, rel=5e-6)


def test_greenhill_shaft():
    """Round, so that it buckles in all planes at once."""
    (point,) = critical_points(shaft, 10.0, (64,))
    assert point.multiplicity == 2
    assert point.value == pytest.approx(8.98681892, rel=1e-4)


def test_error_falls_with_the_fourth_power_of_the_element():
    """With few elements: the strong axis is not infinitely stiff, which is 1.2e-6 of the load."""
    errors = [abs(critical_load(cantilever, 5.0, n) / 4.01259934 - 1) for n in (4, 8)]
    assert errors[1] < errors[0] / 14
    assert errors[0] < 1e-3
