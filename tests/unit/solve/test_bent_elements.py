"""Elements bent beyond what their kinetic energy bears are pointed out; finer meshes of the same beam are not."""

import numpy as np
import pytest

import cosserat as cs


def rubber_pendulum(elements):
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    rubber, rod, line = cs.Material(E=5e6, nu=0.5, rho=1100), cs.Rod(diameter=0.01), [(0, 0, 0), (1, 0, 0)]
    model.add(cs.Beam("post", points=[(0, 0, 0), (0, 0, 0.2)], section=rod, material=rubber, elements=2))
    cord = model.add(cs.Beam("cord", points=line, section=rod, material=rubber, elements=elements))
    model.add(cs.Fixed("clamp", cs.GROUND, "post.start"))
    model.add(cs.Revolute("hinge", cs.GROUND, cord.start, axis=(0, 1, 0)))
    return model


def test_a_coarse_mesh_is_warned_of():
    with pytest.warns(cs.CosseratWarning, match=r"'cord': element \d of 6 is bent by .* rad at t = .* more elements"):
        cs.simulate(rubber_pendulum(6), 2.0, 2e-3)


def test_a_run_that_stops_says_so():
    run = cs.simulate(rubber_pendulum(4), 2.0, 0.01)
    assert not run.status.ok
    assert "beam 'cord': element" in run.status.message
    assert "kinetic energy is no longer positive: use more elements" in run.status.message


def test_a_fine_mesh_is_not():
    """Without a warning, which would be an error here."""
    run = cs.simulate(rubber_pendulum(16), 2.0, 2e-3)
    assert run.status.ok
    assert np.isclose(run.energy.balance.values, 0, atol=0.05 * float(run.energy.kinetic.max())).all()
