"""Elements bent beyond what their kinetic energy bears are pointed out; finer meshes of the same beam are not."""

from dataclasses import replace

import numpy as np
import pytest

import cosserat as cs
from cosserat.results.status import Outcome
from cosserat.solve.motion import simulate as module

EI = 2.0


def bent_by_four_radians(elements):
    """At rest under an end moment, beside a straight beam."""
    model = cs.Model("bow")
    section = cs.Section(stiffness=[1e4, 1e4, 1e4, EI, EI, EI], mass=[1, 1, 1, 1e-4, 1e-4, 1e-4])
    for name, count, moment in (("straight", 2, 0.0), ("bow", elements, 4 * EI)):
        beam = model.add(cs.Beam(name, points=[(0, 0, 0), (1, 0, 0)], section=section, elements=count))
        model.add(cs.Fixed(f"clamp of {name}", cs.GROUND, beam.start))
        model.add(cs.Torque(f"moment on {name}", beam.end, (0, 0, moment)))
    return model


def test_a_coarse_mesh_is_warned_of():
    expected = r"beam 'bow': element \d of 2 is bent by 2\.00 rad at t = .* no longer positive: use more elements"
    with pytest.warns(cs.CosseratWarning, match=expected):
        cs.simulate(bent_by_four_radians(2), 5e-3, 1e-3, start="equilibrium")


def test_a_run_that_stops_says_so(monkeypatch):
    def stopping(*args):
        times, status = steps(*args)
        return times, replace(status, outcome=Outcome.NOT_CONVERGED)

    steps = module.fixed_steps
    monkeypatch.setattr(module, "fixed_steps", stopping)
    run = cs.simulate(bent_by_four_radians(3), 5e-3, 1e-3, start="equilibrium")
    assert "of 3 is bent by 1.33 rad at t = " in run.status.message
    assert "kinetic energy is hardly positive: use more elements" in run.status.message


def test_a_fine_mesh_is_not():
    """Without a warning, which would be an error here."""
    run = cs.simulate(bent_by_four_radians(8), 5e-3, 1e-3, start="equilibrium")
    assert run.status.ok
    np.testing.assert_allclose(run.position("bow.end")[-1], [np.sin(4) / 4, (1 - np.cos(4)) / 4, 0], atol=1e-6)
