"""Beck's column under a follower load beside a slow beam: flutter is not hidden by slow modes."""

import numpy as np
import pytest

import cosserat as cs

FORMULATIONS = [None, cs.Floating(modes=8)]
both = pytest.mark.parametrize("formulation", FORMULATIONS, ids=["galilean", "floating"])
damped = pytest.mark.parametrize("damping", [0.0, 1e-3])


def _site(load: float, slow: int, damping: float = 0.0) -> cs.Model:
    model = cs.Model("site")
    # bending stiffness 1 and 1.3 Nm^2, 1 kg/m
    width, height = 0.02 * np.sqrt(1.3), 0.02
    stiff = cs.Material(E=12 / (width * height**3), nu=0.3, rho=1 / (width * height), damping=damping)
    section, line = cs.Rectangle(width, height), [(0, 0, 0), (1, 0, 0)]
    column = model.add(cs.Beam("column", points=line, section=section, material=stiff, elements=10))
    model.add(cs.Fixed("foot", cs.GROUND, column.start))
    model.add(cs.Force("load", column.end, (-1 * cs.Parameter("P", load), 0, 0), follower=True))
    if slow:
        section = cs.Section(stiffness=[1e7, 1e7, 1e7, 1, 1, 1], mass=[1, 1, 1, 1e-4, 1e-4, 1e-4])
        beam = model.add(cs.Beam("beam", points=[(0, 5, 0), (30, 5, 0)], section=section, elements=slow))
        model.add(cs.Fixed("wall", cs.GROUND, beam.start))
    return model


@both
@damped
def test_a_column_beside_a_beam_flutters_as_alone(damping: float, formulation: cs.Floating | None) -> None:
    found = []
    for slow in (0, 30):
        model = _site(25.0, slow, damping)
        rest = cs.equilibrium(model, formulation=formulation)
        assert not rest.stable
        modes = cs.modes(model, 6, about=rest, formulation=formulation)
        assert not modes.stable
        found.append(modes.eigenvalues[modes.eigenvalues.real > 0.1])
    assert len(found[0]) == (2 if damping else 1)
    assert np.allclose(found[1], found[0], rtol=1e-6)


@both
@damped
def test_below_its_critical_load_it_stands(damping: float, formulation: cs.Floating | None) -> None:
    model = _site(8.0 if damping else 15.0, 30, damping)  # internal damping halves the critical load
    rest = cs.equilibrium(model, formulation=formulation)
    assert rest.stable
    assert cs.modes(model, 6, about=rest, formulation=formulation).stable


@both
@damped
def test_its_critical_load_is_that_alone(damping: float, formulation: cs.Floating | None) -> None:
    alone, beside = (
        cs.stability(_site(1.0, slow, damping), "P", np.linspace(5, 25, 6), n=4, formulation=formulation).critical
        for slow in (0, 30)
    )
    assert [c.kind for c in alone] == [c.kind for c in beside] == ["flutter"] * (2 if damping else 1)
    for a, b in zip(alone, beside, strict=True):
        assert b.value == pytest.approx(a.value, rel=1e-7)
        assert b.eigenvalue == pytest.approx(a.eigenvalue, rel=1e-7)
        assert b.modes == 1


def test_beside_a_beam_of_many_elements() -> None:
    assert not cs.modes(_site(25.0, 60), 6).stable
    assert cs.modes(_site(15.0, 60), 6).stable


def test_a_column_of_equal_stiffness_flutters_in_both_planes() -> None:
    model = cs.Model("column")
    section = cs.Section(stiffness=[1e7, 1e7, 1e7, 1.0, 1.0, 1.0], mass=[1, 1, 1, 1e-6, 1e-6, 1e-6])
    column = model.add(cs.Beam("column", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=8))
    model.add(cs.Fixed("foot", cs.GROUND, column.start))
    model.add(cs.Force("load", column.end, (-25.0, 0, 0), follower=True))
    beam = model.add(cs.Beam("beam", points=[(0, 5, 0), (30, 5, 0)], section=section, elements=24))
    model.add(cs.Fixed("wall", cs.GROUND, beam.start))
    values = cs.modes(model, 6).eigenvalues
    assert np.count_nonzero(values.real > 0.1) == 2


def test_negative_damping_of_a_fast_oscillator_shows() -> None:
    model = cs.Model("oscillator", gravity=(0, 0, 0))
    section = cs.Section(stiffness=[1e7, 1e7, 1e7, 1, 1, 1], mass=[1, 1, 1, 1e-4, 1e-4, 1e-4])
    beam = model.add(cs.Beam("beam", points=[(0, 5, 0), (30, 5, 0)], section=section, elements=20))
    model.add(cs.Fixed("wall", cs.GROUND, beam.start))
    body = model.add(cs.RigidBody("body", mass=1.0, inertia=[1, 1, 1]))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=1e4))
    model.add(cs.StateLoad("push", body, {"fx": "c*vx"}, {"c": 0.2}))
    values = cs.modes(model, 6).eigenvalues
    assert np.max(values.real) == pytest.approx(0.1, rel=1e-6)


def _hose(elements: int) -> cs.Model:
    """A hanging hose, fluid inside and around: coarse meshes of it make waves of a few elements grow."""
    model = cs.Model("hose", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=20.0, velocity=(0.3, 0, 0)))
    section = cs.Section(stiffness=[1e5, 1e5, 1e5, 1.0, 1.0, 1.0], mass=[0.5, 0.5, 0.5, 1e-3, 1e-3, 1e-3])
    beam = model.add(cs.Beam("hose", points=[(0, 0, 0), (0, 0, -1)], section=section, elements=elements))
    model.add(cs.Fixed("tap", cs.GROUND, beam.start))
    model.add(cs.PipeFlow("water", beam, mass=0.3, speed=1.0))
    model.add(cs.Morison("around", beam, diameter=0.1, drag=1.0))
    return model


@pytest.mark.parametrize("elements", [6, 8, 12, 24])
def test_growth_of_a_coarse_mesh_is_not_that_of_the_mechanism(elements: int) -> None:
    """Its frequency rises with the number of elements, 375 rad/s for 6 and 2339 for 24: no motion of the hose."""
    rest = cs.equilibrium(_hose(elements))
    assert rest.stable
    found = cs.modes(_hose(elements), 4, about=rest)
    assert found.stable
    assert np.max(np.abs(found.eigenvalues)) < 24.0


@both
def test_close_to_its_critical_load(formulation: cs.Floating | None) -> None:
    """Beck's load is 19.991 here, with shear and rotary inertia."""
    assert cs.equilibrium(_site(19.95, 30), formulation=formulation).stable
    assert not cs.equilibrium(_site(20.1, 30), formulation=formulation).stable
    assert not cs.modes(_site(20.1, 30), 4, formulation=formulation).stable
