"""The covariant divergence of the momentum along a beam: it falls with the square of mesh and step, and shows loads."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import SolveError

STIFFNESS = np.diag([1e3, 4e2, 4e2, 50, 60, 70.0])
MASS = np.array(
    [
        [1, 0, 0, 0, 0, 0.01],
        [0, 1, 0, 0, 0, 0],
        [0, 0, 1, -0.01, 0, 0],
        [0, 0, -0.01, 0.02, 0, 0],
        [0, 0, 0, 0, 0.01, 0],
        [0.01, 0, 0, 0, 0, 0.01],
    ]
)


def run(n, step):
    """A cantilever under its weight, moved gently by all kinds of loads; the section's centre is off its axis."""
    model = cs.Model("wand", gravity=(0.3, 0.2, -2.0))
    section = cs.Section(stiffness=STIFFNESS, mass=MASS)
    beam = model.add(cs.Beam("wand", points=[(0, 0, 0), (1, 0.3, 0)], section=section, elements=n))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("pull", beam.end, lambda t: (0, 20 * np.sin(t) ** 4, 30 * np.sin(t) ** 4)))
    model.add(cs.Torque("twist", beam.end, lambda t: (10 * np.sin(t) ** 4, 0, 0)))
    model.add(cs.DistributedLoad("line", beam, moment=lambda t: (0, 0, 5 * np.sin(t) ** 4), follower=True))
    return cs.simulate(model, 2.0, step, start="equilibrium")


def test_falls_with_the_square():
    fields = [run(n, 0.16 / n).divergence("wand") for n in (8, 16)]
    assert fields[0].dims == ("time", "s", "component")
    assert np.allclose(fields[0].s, np.linspace(0, 1, 9)[1:-1])
    coarse, fine = (np.sqrt((f.values[2:-2] ** 2).mean(axis=(0, 1))) for f in fields)
    assert np.all(coarse / fine > 3.7)
    assert fine.max() < 5e-3  # where forces along the beam change by 10 to 100 N/m; the factor is that of the element


def test_a_force_inside_shows():
    model = cs.Model("plank")
    section = cs.Section(stiffness=1e3 * np.eye(6), mass=np.eye(6))
    beam = model.add(cs.Beam("plank", points=[(0, 0, 0), (2, 0, 0)], section=section, elements=4))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    model.add(cs.Force("weight", beam.at(0.5), (0, 0, -1.0)))
    field = cs.simulate(model, 0.1, 0.01, start="equilibrium").divergence("plank")
    assert field.sel(component="Qz").values[5] == pytest.approx([0, -2.0, 0], abs=1e-2)


def test_too_few_times():
    with pytest.raises(SolveError, match="three or more are needed"):
        run(4, 2.0).divergence("wand")


def test_forces_along_the_beam_that_it_does_not_have_are_refused():
    central = cs.CentralGravity(9.0, (0, 0, -3))
    for given, word in (({"gravity": central}, "central"), ({"frame": cs.Observer()}, "frame")):
        model = cs.Model("free", **given)
        section = cs.Section(stiffness=STIFFNESS, mass=MASS)
        model.add(cs.Beam("wand", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=2))
        with pytest.raises(SolveError, match=f"by .*{word}.* are not in its field equation"):
            cs.simulate(model, 0.02, 0.01).divergence("wand")
