"""Line loads that vary along the beam: resultants, closed forms, flutter, both formulations, and what is refused."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import CosseratError
from cosserat.model.breaks import breaks_of
from cosserat.model.line_functions import LineFunction

SLENDER = cs.Section(stiffness=[1e8, 1e8, 1e8, 1e3, 1.0, 1.0], mass=[1.0, 1.0, 1.0, 1e-6, 5e-7, 5e-7])
RIGIDISH = cs.Section(stiffness=[1e7, 1e7, 1e7, 1e5, 1e4, 1e4], mass=[1.0, 1.0, 1.0, 1e-3, 1e-3, 1e-3])


def cantilever(force, section=RIGIDISH, elements=8, follower=False, moment=None, direction=(1, 0, 0), length=2.0):
    model = cs.Model("line")
    line = [(0, 0, 0), tuple(length * x for x in direction)]
    beam = model.add(cs.Beam("rod", points=line, section=section, elements=elements))
    model.add(cs.Fixed("wall", cs.GROUND, beam.start))
    model.add(cs.DistributedLoad("load", beam, force=force, moment=moment, follower=follower))
    return model


def test_resultant_and_moment_at_the_wall():
    rest = cs.equilibrium(cantilever(lambda s, t: (0, 0, -30 * (1 - s) ** 2)))
    reaction = rest.reaction("wall")
    assert float(reaction[2]) == pytest.approx(2.0 * 10.0, rel=1e-9)
    # lever arm of the resultant: int s (1-s)^2 / int (1-s)^2 = 1/4 of the length
    assert abs(float(reaction[4])) == pytest.approx(20.0 * 0.5, rel=2e-3)
    for s in (0.0, 0.4, 0.5, 0.93):
        expected = 20.0 * (1 - s) ** 3
        assert abs(float(rest.section_force("rod", s)[2])) == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("formulation", ["galilean", cs.Floating(modes=4)], ids=["galilean", "floating"])
@pytest.mark.parametrize("follower", [False, True])
def test_section_forces_inside_elements_under_loads_that_change_linearly(formulation, follower, tmp_path):
    moment = (0, "0.1*s", "0.2*(1 - s)")
    model = cantilever(("0.2*s", 0, "-0.3*(1 - s)"), elements=3, follower=follower, moment=moment)
    rest = cs.equilibrium(model, formulation=formulation)
    rest.save(tmp_path / "rest.nc")
    for result in (rest, cs.load_equilibrium(tmp_path / "rest.nc")):
        for s in (0.1, 0.5, 0.8, 0.95):
            left = 1 - s
            pull, down, bend = 0.2 * (1 - s**2), -0.3 * left**2, 0.2 * left**3 + 0.1 * (1 - s**2)
            exact = pull, 0, down, 0, bend, 0.2 * left**2
            np.testing.assert_allclose(result.section_force("rod", s), exact, atol=2e-5)


@pytest.mark.parametrize("formulation", ["galilean", cs.Floating(modes=4)], ids=["galilean", "floating"])
def test_section_forces_inside_elements_of_a_cone_under_its_weight(formulation):
    model = cs.Model("cone", gravity=(0, 0, -9.81))
    section = cs.Rod(0.04), cs.Rod(0.02)
    cone = cs.Beam("cone", [(0, 0, 0), (1, 0, 0)], section=section, material=cs.materials.STEEL, elements=4)
    model.add(cs.Fixed("wall", cs.GROUND, model.add(cone).start))
    rest = cs.equilibrium(model, formulation=formulation)
    for s in (0.1, 0.3, 0.6, 0.9):
        beyond = 7850 * 9.81 * np.pi / 24 * ((0.04 - 0.02 * s) ** 3 - 0.02**3) / 0.02 * 2
        assert float(rest.section_force("cone", s)[2]) == pytest.approx(-beyond, abs=1e-2)


def test_deflection_under_a_triangular_load():
    """w(L) = q0 L^4/(30 EI) for a load that falls linearly to zero at the free end."""
    q = 0.5
    tips = [
        float(cs.equilibrium(cantilever(lambda s, t: (0, 0, -q * (1 - s)), elements=n)).position("rod.end")[2])
        for n in (4, 8)
    ]
    exact = -q * 2.0**4 / (30 * 1e4) - q * 2.0**2 / (6 * 1e7)
    assert tips[1] == pytest.approx(exact, rel=2e-3)
    assert abs(tips[1] - exact) < 0.3 * abs(tips[0] - exact) + 1e-3 * abs(exact)


@pytest.mark.parametrize("form", [
    lambda s, t: (0, 0, -3 * (1 - s) * t), lambda t, s: (0, 0, -3 * (1 - s) * t), ("0", 0, "-3*(1 - s)*t"),
])  # fmt: skip
def test_forms_of_one_load(form):
    rest = cs.equilibrium(cantilever(form), time=2.0)
    assert float(rest.reaction("wall")[2]) == pytest.approx(6.0, rel=1e-9)


def test_a_uniform_load_of_two_arguments_is_the_uniform_load():
    for follower in (False, True):
        a = cs.equilibrium(cantilever(lambda s, t: (0, 0, -50.0), follower=follower)).position("rod.end")
        b = cs.equilibrium(cantilever((0, 0, -50.0), follower=follower)).position("rod.end")
        np.testing.assert_allclose(a, b, atol=1e-12)


@pytest.mark.parametrize("form", [lambda s, t: (0, 0, -5.0 * s if t > 0.503 else 0.0), ("0", 0, "-5*s*step(t, 0.503)")])
def test_jumps_in_time_are_known(form):
    load = cantilever(form)["load"]
    assert breaks_of(load.force, 0.0, 2.0) == [pytest.approx(0.503, abs=1e-6)]


@pytest.mark.parametrize("elements", [1, 4, 10])
def test_a_load_on_a_part_of_the_beam(elements):
    """A patch of 32 N about s = 0.5, by a formula and by a function that NumPy cannot watch."""

    def plain(s, t):
        return 0, 0, -100.0 if 0.42 < float(s) < 0.58 else 0.0

    for form in ((0, 0, "-100 if s > 0.42 and s < 0.58 else 0"), plain):
        reaction = cs.equilibrium(cantilever(form, elements=elements)).reaction("wall")
        assert float(reaction[2]) == pytest.approx(32.0, rel=1e-9)
        assert float(reaction[4]) == pytest.approx(-32.0, rel=1e-4)


def test_a_load_that_travels():
    form = (0, 0, "-100*(abs(s - 0.3 - 0.1*t) < 0.1)")
    for t in (0.0, 1.234, 3.1):
        reaction = cs.equilibrium(cantilever(form, elements=4), time=t).reaction("wall")
        assert float(reaction[2]) == pytest.approx(40.0, rel=0.02)


def test_sections_and_loads_along_a_curve_whose_parameter_is_not_its_length():
    """x = 0.3 s + 0.7 s^2 with mass 1 + 3 s per length: integrals over s of f(s) (0.3 + 1.4 s)."""
    ends = [cs.Section(stiffness=[1e6] * 6, mass=[m, m, m, 1e-5, 1e-5, 1e-5]) for m in (1, 4)]
    for elements, error in ((1, 1e-3), (4, 1e-6)):
        model = cs.Model("uneven", gravity=(0, 0, -1))
        beam = model.add(cs.Beam("rod", curve=("0.3*s + 0.7*s**2", 0, 0), section=tuple(ends), elements=elements))
        model.add(cs.Fixed("wall", cs.GROUND, beam.start))
        weight = float(cs.equilibrium(model).reaction("wall")[2])
        assert weight == pytest.approx(1 + 3 * (0.3 / 2 + 1.4 / 3), rel=error)
        model.add(cs.DistributedLoad("load", beam, force=(0, 0, "-s")))
        rest = cs.equilibrium(model)
        assert float(rest.reaction("wall")[2]) - weight == pytest.approx(0.3 / 2 + 1.4 / 3, rel=error)
        # a section inside an element is where the curve has it
        assert float(rest.position(beam.at(0.4))[0]) == pytest.approx(0.3 * 0.4 + 0.7 * 0.16, abs=1e-5)


def test_what_is_ambiguous_is_refused():
    with pytest.raises(CosseratError, match="load 'load': force is a function of one argument called 's'"):
        cantilever(lambda s: (0, 0, -3 * s))
    for of_place in (lambda x: (0, 0, -3 * x), (0, 0, lambda s: -3 * s), lambda t, s=0.5: (0, 0, -3 * s)):
        with pytest.raises(CosseratError, match="load 'load': force is a function of one argument"):
            cantilever(of_place)
    with pytest.raises(CosseratError, match="a component is a function of two arguments; write one function of"):
        cantilever((0, 0, lambda s, t: -3 * s))
    with pytest.raises(CosseratError, match="'s' is a parameter and the position along the beam"):
        LineFunction((0, 0, "-s"), "force", [cs.Parameter("s", 3.0)])
    with pytest.raises(CosseratError, match="must give 3 numbers"):
        cs.equilibrium(cantilever(lambda s, t: (0, 1)))
    with pytest.raises(CosseratError, match="it varies along the beam"):
        cs.linearize(cantilever(("0", "0", "-s")), ["load"], ["rod.end.z"])


def test_names_of_arguments_tell_position_from_time():
    for load in (
        lambda s, t: (0, 0, -3 * s + 5 * t), lambda t, s: (0, 0, -3 * s + 5 * t), lambda a, b: (0, 0, -3 * a + 5 * b),
        lambda time, s: (0, 0, -3 * s + 5 * time), lambda t, x: (0, 0, -3 * x + 5 * t),
        lambda x, t: (0, 0, -3 * x + 5 * t), lambda s, time: (0, 0, -3 * s + 5 * time),
    ):  # fmt: skip
        rest = cs.equilibrium(cantilever(load, length=2.0), time=0.2)
        assert float(rest.reaction("wall")[2]) == pytest.approx(1.0, abs=1e-9)


def test_flutter_under_a_decreasing_follower_load():
    """Tangential load q (1 - s) on a cantilever column, EI = L = m = 1: flutter at q = 150.6416, of fourth order."""
    errors = []
    for elements in (12, 48):
        model = cantilever(
            lambda s, t, q=cs.Parameter("q", 100.0): (-q * (1 - s), 0, 0),  # noqa: B008
            SLENDER, elements, follower=True, length=1.0,
        )  # fmt: skip
        critical = cs.stability(model, "q", np.linspace(145.0, 155.0, 3)).critical
        assert critical[0].kind == "flutter"
        errors.append(abs(critical[0].value - 150.6416))
    assert errors[0] < 0.07
    assert errors[1] < 1e-3  # shear and rotary inertia of this column are 5e-4 of it


@pytest.mark.parametrize("load, bound", [
    ({"force": (0, 0, 9.0)}, 3.8),
    ({"moment": (0, 2.0, 0)}, 3.8),
    ({"force": (0, 5.0, 9.0), "moment": (0.1, 1, 0)}, 1.8),
])  # fmt: skip
def test_order_of_loads_that_follow_the_sections(load, bound):
    """Fourth order in a plane; second where the load turns the sections about the axis, between the nodes, too."""
    soft = cs.Section(stiffness=[1e6, 1e6, 1e6, 0.7, 1.0, 2.0], mass=[1, 1, 1, 1e-5, 1e-5, 1e-5])
    tips = []
    for elements in (4, 8, 64):
        model = cantilever(load.get("force"), soft, elements, True, load.get("moment"), length=1.0)
        tips.append(cs.equilibrium(model).position("rod.end"))
    coarse, fine = (float(np.linalg.norm(tip - tips[2])) for tip in tips[:2])
    assert np.log2(coarse / fine) > bound


def test_files_hold_formulas(tmp_path):
    model = cantilever(("0", 0, "-3*(1 - s)*t"))
    cs.save_model(model, tmp_path / "line.yaml")
    again = cs.load_model(tmp_path / "line.yaml")
    assert again["load"] == model["load"]
    assert float(cs.equilibrium(again, time=2.0).reaction("wall")[2]) == pytest.approx(6.0, rel=1e-9)
    run = cs.simulate(again, 0.1, 0.01)
    run.save(tmp_path / "line.nc")
    np.testing.assert_array_equal(
        cs.load_run(tmp_path / "line.nc").section_force("rod", 0.3), run.section_force("rod", 0.3)
    )


def test_both_formulations_agree():
    model = cantilever(lambda s, t: (0, 0, -20 * s * np.sin(20 * t)), elements=6)
    galilean = cs.simulate(model, 0.2, 1e-3)
    floating = cs.simulate(model, 0.2, 1e-3, formulation="floating", modes=8)
    a, b = (run.position("rod.end").values[:, 2] for run in (galilean, floating))
    assert np.abs(a).max() > 1e-4
    assert np.abs(a - b).max() < 0.01 * np.abs(a).max()


def test_loads_that_follow_sections_in_both_integrators():
    """Forces and moments, dead and follower, that vary along the beam: same motion, energies balance, files agree."""
    section = cs.Section(stiffness=[1e5, 1e5, 1e5, 30, 20, 40], mass=[1.0, 1.0, 1.0, 2e-3, 1e-3, 1e-3])
    model = cs.Model("line")
    beam = model.add(cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=3))
    model.add(cs.Fixed("wall", cs.GROUND, beam.start))
    force, moment = ("2*s*sin(3*t)", "3*t", "5*(1 - s)*sin(3*t)"), ("s*t", "2*sin(3*t)", "t")
    model.add(cs.DistributedLoad("follower", beam, force=force, moment=moment, follower=True))
    model.add(cs.DistributedLoad("dead", beam, force=(0, 0, "t"), moment=("t", "sin(2*t)", "s*t")))
    alpha, conserving = (cs.simulate(model, 0.3, 1e-3, integrator=i) for i in ("generalized-alpha", "energy-momentum"))
    a, b = (run.position("rod.end").values for run in (alpha, conserving))
    assert np.abs(a - a[0]).max() > 1e-2
    assert np.abs(a - b).max() < 2e-5
    for run in (alpha, conserving):
        assert float(np.abs(run.energy.balance).max()) < 1e-4 * float(np.abs(run.energy.strain).max())
    np.testing.assert_allclose(np.abs(alpha.section_force("rod", 0.0)), np.abs(alpha.reaction("wall")), atol=1e-4)
