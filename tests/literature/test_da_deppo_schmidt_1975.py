"""Instability of a clamped-hinged circular arch of 215 degrees under a point load at its crown.

D. A. DaDeppo and R. Schmidt, Instability of clamped-hinged circular arches subjected to a point load, J. Applied
Mechanics 42 (1975) 894-896: the limit load is 8.97 EI/R^2, for an arch without extension.
"""

import numpy as np
import pytest

import cosserat as cs

HALF = np.radians(215 / 2)
START = np.pi / 2 + HALF


def arch(elements, EA):
    model = cs.Model("arch")
    section = cs.Section(stiffness=[EA, EA, EA, 1e9, 1e9, 1e6], mass=[1, 1, 1, 1, 1, 1])
    curve = (f"100*cos({START} - {2 * HALF}*s)", f"100*sin({START} - {2 * HALF}*s)", "0*s")
    beam = model.add(cs.Beam("rib", curve=curve, section=section, elements=elements, up=(0, 0, 1)))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Revolute("hinge", cs.GROUND, beam.end, axis=(0, 0, 1)))
    model.add(cs.Force("load", beam.at(0.5), (0, -cs.Parameter("P", 0.0), 0)))
    return model


@pytest.mark.parametrize("EA", [1e7, 1e8, 1e10])
def test_limit_load(EA):
    """However slender: elements that bow softly along their chord must not snap one by one."""
    loads = []
    for elements in (8, 16, 32):
        path = cs.continuation(arch(elements, EA), "P", 0.0, 1200.0, max_steps=60, until=lambda e, P: P < 0)
        limits = [point.value for point in path.points if point.kind == "limit"]
        loads.append(limits[0])
        assert len(limits) == 1
    assert loads[-1] == pytest.approx(897, abs=0.6)
    errors = np.abs(np.array(loads[:2]) - loads[-1])
    assert errors[0] < 0.02 * 897
    assert np.log2(errors[0] / errors[1]) > 3.3
