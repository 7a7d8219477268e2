"""Morison forces on cables: towing angle and catenary in closed form, drag, added mass and fluids that accelerate."""

import numpy as np
import pytest
from scipy.optimize import brentq

import cosserat as cs
from cosserat.errors import ArgumentError, ModelError

RHO, G, D = 1025.0, 9.81, 0.05
AREA = np.pi * D**2 / 4


def cable(points, elements=40, mass=5.0, EA=1e8, EI=1.0, **options):
    """A cable of almost no bending stiffness."""
    section = cs.Section(stiffness=[EA, EA, EA, EI, EI, EI], mass=[mass] * 3 + [1e-4] * 3)
    return cs.Beam("cable", points=points, section=section, elements=elements, **options)


def sea(velocity=(0, 0, 0), gravity=(0, 0, -G), **options):
    return cs.Model("sea", gravity=gravity, fluid=cs.Fluid(density=RHO, velocity=velocity, **options))


def towing_angle(w, k):
    """Below the horizontal: w cos = k sin^2."""
    return np.arccos((-w + np.sqrt(w**2 + 4 * k**2)) / (2 * k))


@pytest.mark.parametrize("tangential", [0.0, 0.01])
def test_towed_cable_is_straight_at_the_angle_in_closed_form(tangential):
    """Drag along the cable only adds to its tension."""
    speed, length = 1.5, 100.0
    model = sea((-speed, 0, 0))
    line = model.add(cable([(0, 0, 0), (0, 0, -length)], elements=20, EI=50.0))
    model.add(cs.Revolute("ship", cs.GROUND, line.start, axis=(0, 1, 0)))
    model.add(cs.Morison("water", line, diameter=D, drag=1.1, tangential_drag=tangential))
    rest = cs.equilibrium(model)
    assert rest.status.ok
    w, k = (5.0 - RHO * AREA) * G, 0.5 * RHO * D * 1.1 * speed**2
    angle = towing_angle(w, k)
    end = rest.position("cable.end")
    assert np.arctan2(-end[2], -end[0]) == pytest.approx(angle, abs=1e-6)
    along = 0.5 * RHO * np.pi * D * tangential * (speed * np.cos(angle)) ** 2
    pull = np.linalg.norm(rest.reaction("ship")[:3])
    assert pull == pytest.approx((w * np.sin(angle) + along) * length, rel=1e-5)


def test_mooring_line_is_a_catenary():
    """Weight in water; ends at one height: z = a (cosh(x/a) - cosh(X/a)), length 2 a sinh(X/a)."""
    model = sea()
    half, length = 40.0, 100.0
    a = brentq(lambda a: 2 * a * np.sinh(half / a) - length, 5.0, 500.0)
    sag = a * (np.cosh(half / a) - 1.0)
    # an arc of the right length between the ends
    turn = brentq(lambda b: np.sin(b) / b - 2 * half / length, 1e-3, 3.0)
    radius = length / (2 * turn)
    arc = [f"{radius}*sin({turn}*(2*s - 1))", "0", f"{radius}*(cos({turn}) - cos({turn}*(2*s - 1)))"]
    line = model.add(cable(None, curve=arc, elements=80, EI=200.0))
    model.add(cs.Revolute("left", cs.GROUND, line.start, axis=(0, 1, 0)))
    model.add(cs.Spherical("right", cs.GROUND, line.end))
    model.add(cs.Morison("water", line, diameter=D))
    rest = cs.equilibrium(model)
    assert rest.status.ok
    w = (5.0 - RHO * AREA) * G
    assert rest.position("cable.at(0.5)")[2] == pytest.approx(-sag, rel=5e-5)
    pull = rest.reaction("right")
    assert pull[2] == pytest.approx(w * length / 2, rel=1e-9)
    assert pull[0] == pytest.approx(w * a, rel=2e-4)  # the cable has some bending stiffness


def test_added_mass_moves_with_the_cylinder_and_not_with_its_weight():
    """A vertical rigid pile that slides across: (m + rho A C_A L) a = F; along itself only m counts."""
    for direction, heavy in (((1, 0, 0), 5.0 + 1.3 * RHO * AREA), ((0, 0, 1), 5.0)):
        model = sea(gravity=(0, 0, 0))
        line = model.add(cable([(0, 0, 0), (0, 0, 2)], elements=4, EI=1e6))
        model.add(cs.Prismatic("slide", cs.GROUND, line.start, axis=direction, stiffness=1.0))
        model.add(cs.Morison("water", line, diameter=D, drag=0.0, added_mass=1.3))
        found = 2 * np.pi * cs.modes(model, 1).frequencies[0]
        assert 1.0 / found**2 == pytest.approx(2.0 * heavy, rel=1e-4)


def test_a_fluid_that_accelerates_carries_a_neutral_cylinder_along():
    """rho A (1 + C_A) Du/Dt on a free cylinder of the fluid's density: it goes with the fluid."""

    def wind(x, y, z, t):
        return 0.3 * np.sin(2.0 * t), 0.1 * np.cos(3.0 * t) - 0.1, 0.0

    model = sea(wind, gravity=(0, 0, 0))
    line = model.add(cable([(0, 0, 0), (0, 0, 1)], elements=4, mass=RHO * AREA))
    model.add(cs.Morison("water", line, diameter=D, drag=1.0))
    run = cs.simulate(model, 2.0, 0.01)
    t = run.time
    np.testing.assert_allclose(run.velocity("cable.at(0.5)").values[:, 0], 0.3 * np.sin(2.0 * t), atol=2e-5)
    np.testing.assert_allclose(run.velocity("cable.end").values[:, 1], 0.1 * np.cos(3.0 * t) - 0.1, atol=2e-5)


def test_a_floating_line_sinks_to_its_share_of_buoyancy():
    """A horizontal line of relative density s floats with that part of its height below the surface."""
    model = sea(surface=0.0)
    line = model.add(cable([(0, 0, 0), (4, 0, 0)], elements=8, mass=0.4 * RHO * AREA))
    model.add(cs.Prismatic("guide", cs.GROUND, line.start, axis=(0, 0, 1)))
    model.add(cs.Morison("water", line, diameter=D))
    rest = cs.equilibrium(model)
    assert rest.position("cable.end")[2] == pytest.approx(D * (0.5 - 0.4), rel=1e-5)


def test_model_files_and_refusals(tmp_path):
    model = sea((-1, 0, 0))
    line = model.add(cable([(0, 0, 0), (0, 0, -10)], elements=6))
    model.add(cs.Revolute("ship", cs.GROUND, line.start, axis=(0, 1, 0)))
    model.add(cs.Morison("water", line, diameter=(D, 0.04), drag=cs.Parameter("cd", 1.1), span=(0.2, 1.0)))
    model.add(cs.PipeFlow("oil", "cable", mass=0.3, speed=2.0 * cs.Parameter("u", 1.0)))
    cs.save_model(model, tmp_path / "tow.yaml")
    again = cs.load_model(tmp_path / "tow.yaml")
    assert again.parameters["cd"] == 1.1
    ends = [cs.equilibrium(m).position("cable.end") for m in (model, again)]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)
    with pytest.raises(ArgumentError, match="load 'w': diameter is -1"):
        model.add(cs.Morison("w", line, diameter=-1.0))
    with pytest.raises(ArgumentError, match="load 'w': beam must be a Beam"):
        model.add(cs.Morison("w", cs.GROUND.at((0, 0, 0)), diameter=1.0))
    with pytest.raises(ArgumentError, match="load 'p': mass is 0"):
        model.add(cs.PipeFlow("p", line, mass=0.0, speed=1.0))
    dry = cs.Model("dry")
    line = dry.add(cable([(0, 0, 0), (0, 0, -10)]))
    dry.add(cs.Morison("w", line, diameter=1.0))
    with pytest.raises(ModelError, match=r"load 'w\[1\]': the model has no fluid"):
        cs.simulate(dry, 0.1, 0.01)
