"""Driven loops of modal bodies that start away from the reference: closed by their joints, not by bending."""

import numpy as np
import pytest

import cosserat as cs

CORNERS = [(0, 0, 0), (0, 0, 0.4), (1.0, 0, 0.9), (1.2, 0, 0)]
ALUMINIUM = cs.Material(E=7e10, nu=0.3, rho=2700.0)


def _linkage(modal: bool) -> cs.Model:
    model = cs.Model("linkage", gravity=(0, 0, -9.81))
    for i in range(3):
        line = [CORNERS[i], CORNERS[i + 1]]
        bar = cs.Beam(f"bar{i}", points=line, section=cs.Rectangle(0.02, 0.01), material=ALUMINIUM, elements=6)
        model.add(cs.modal_body(bar, modes=4, boundary="craig-bampton") if modal else bar)
    drive = "0.5*smoothstep(t, 0, 0.6)"
    model.add(cs.Revolute("A", cs.GROUND, "bar0.start", axis=(0, 1, 0), motion=drive))
    model.add(cs.Revolute("B", "bar0.end", "bar1.start", axis=(0, 1, 0)))
    model.add(cs.Spherical("C", "bar1.end", "bar2.start"))
    model.add(cs.Revolute("D", cs.GROUND, "bar2.end", axis=(0, 1, 0)))
    return model


@pytest.mark.parametrize("time", [0.05, 0.3])
def test_a_driven_loop_starts_as_its_beams_do(time: float) -> None:
    modal = cs.simulate(_linkage(True), 0.002, 0.001, formulation="floating", start_time=time)
    beams = cs.simulate(_linkage(False), 0.002, 0.001, start_time=time)
    assert np.abs((modal.position("bar1.end") - beams.position("bar1.end")).values[0]).max() < 1e-12
    assert np.abs((modal.velocity("bar1.end") - beams.velocity("bar1.end")).values[0]).max() < 1e-10
    assert float(modal.energy.strain[0]) < 1e-20


def test_its_equilibrium_is_that_of_its_beams() -> None:
    modal, beams = (cs.equilibrium(_linkage(kind), time=0.6) for kind in (True, False))
    assert modal.status.ok
    assert np.abs(modal.position("bar1.end") - beams.position("bar1.end")).max() < 1e-7
