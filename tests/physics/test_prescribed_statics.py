"""Statics with prescribed motions: whole turns, stress that motions force on a structure, order of components."""

import numpy as np
import pytest
from scipy.optimize import brentq

import cosserat as cs


def twisted_shaft(elements=20):
    model = cs.Model("shaft")
    section = cs.Section(stiffness=[1e6] * 3 + [50, 200, 200], mass=[1] * 3 + [1e-3] * 3)
    shaft = model.add(cs.Beam("shaft", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=elements))
    model.add(cs.Fixed("clamp", cs.GROUND, shaft.end))
    model.add(cs.Revolute("drive", cs.GROUND, shaft.start, axis=(1, 0, 0), motion="t"))
    return model


@pytest.mark.parametrize("angle", [3.0, 3.2, 4.0, 7.0, -13.0])
def test_twist_beyond_half_a_turn(angle):
    found = cs.equilibrium(twisted_shaft(), time=angle)
    assert found.status.ok
    assert found.effort("drive") == pytest.approx(50.0 * angle, rel=1e-9)


def test_runs_start_with_whole_turns():
    model = twisted_shaft()
    for start in ("reference", "equilibrium"):
        run = cs.simulate(model, 1e-3, step=1e-4, start=start, start_time=4.0)
        assert float(run.section_force("shaft", 0.5)[0, 3]) == pytest.approx(-200.0, rel=1e-6)


def test_many_turns_of_a_free_shaft_cost_nothing():
    model = cs.Model("propeller")
    blade = model.add(cs.RigidBody.bar("blade", start=(0, 0, 0), end=(1, 0, 0), mass=1.0))
    model.add(cs.Revolute("shaft", cs.GROUND, blade.at((0, 0, 0)), axis=(0, 0, 1), motion="1e6 + 0.5"))
    x = cs.equilibrium(model).position(blade.at((1, 0, 0)))
    assert x == pytest.approx([np.cos(1e6 + 0.5), np.sin(1e6 + 0.5), 0.0], abs=1e-8)


@pytest.mark.parametrize("stretch", [1e-4, 1e-3])
def test_stretched_wire(stretch):
    model = cs.Model("wire")
    wire = model.add(
        cs.Beam("wire", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.001), material=cs.materials.STEEL, elements=60)
    )
    model.add(cs.Fixed("clamp", cs.GROUND, wire.start))
    model.add(cs.Prismatic("peg", cs.GROUND, wire.end, axis=(1, 0, 0), motion=stretch))
    tension = cs.materials.STEEL.E * np.pi * 0.0005**2 * stretch
    found = cs.equilibrium(model)
    assert found.status.ok
    assert found.stable
    assert found.effort("peg") == pytest.approx(tension, rel=1e-9)
    run = cs.simulate(model, 1e-3, step=1e-4)
    assert run.status.ok
    assert float(run.section_force("wire", 0.5)[-1, 0]) == pytest.approx(tension, rel=1e-6)


@pytest.mark.parametrize(("angle", "length"), [(0.4, 1.0), (1.5, 1.0), (0.4, 5.0)])
def test_driven_chain_with_a_prestressed_spring(angle, length):
    model = cs.Model("chain")
    before = cs.GROUND
    for i in range(3):
        bar = model.add(cs.RigidBody.bar(f"bar{i}", start=(i, 0, 0), end=(i + 1, 0, 0), mass=1.0))
        joint = {"motion": angle} if i == 0 else {"stiffness": 2.0}
        model.add(cs.Revolute(f"j{i}", before if i == 0 else before.at((i, 0, 0)), bar.at((i, 0, 0)),
                              axis=(0, 0, 1), **joint))  # fmt: skip
        before = bar
    model.add(cs.Spring("spring", cs.GROUND.at((3, 2, 0)), before.at((3, 0, 0)), stiffness=1e4, length=length))
    assert cs.simulate(model, 0.01, step=1e-3).status.ok
    found = cs.equilibrium(model)
    assert found.status.ok
    tip, arm = found.position(before.at((3, 0, 0))), np.array([3.0, 2.0, 0.0])
    pull = 1e4 * (np.linalg.norm(arm - tip) - length) * (arm - tip) / np.linalg.norm(arm - tip)
    for i in (1, 2):
        moment = np.cross(tip - found.position(f"bar{i}") + 0.5 * found.rotation(f"bar{i}")[:, 0], pull)[2]
        assert 2.0 * found.coordinate(f"j{i}") == pytest.approx(moment, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("swapped", [False, True])
def test_slider_on_a_driven_link(swapped):
    model = cs.Model("slider")
    bodies = [
        cs.RigidBody("link", mass=1, com=(0, 0, 0), inertia=np.eye(3)),
        cs.RigidBody("slide", mass=2, com=(1, 0, 0), inertia=np.eye(3)),
    ]
    for body in reversed(bodies) if swapped else bodies:
        model.add(body)
    model.add(cs.Revolute("drive", cs.GROUND, "link", axis=(0, 0, 1), motion=0.3))
    model.add(cs.Prismatic("rail", "link", "slide", at=(1, 0, 0), axis=(1, 0, 0), stiffness=50.0))
    model.add(cs.Force("push", "slide", (1, 0, 0)))
    found = cs.equilibrium(model)
    assert found.status.ok
    assert found.coordinate("rail") == pytest.approx(np.cos(0.3) / 50.0, rel=1e-10)


def test_rod_hanging_on_a_ball_joint():
    model = cs.Model("rod", gravity=(0, 0, -9.81))
    rod = model.add(
        cs.Beam("rod", points=[(0, 0, 0), (0, 0, -5)], section=cs.Rod(0.02), material=cs.materials.STEEL, elements=40)
    )
    model.add(cs.Spherical("ball", cs.GROUND, rod.start))
    found = cs.equilibrium(model)
    weight = 9.81 * 7850 * np.pi * 0.01**2 * 5
    assert found.reaction("ball")[:3] == pytest.approx([0, 0, weight], abs=1e-6 * weight)
    assert found.status.outcome is cs.Outcome.FREE_MOTION
    assert "1 free motion: joint 'ball.rz' turns" in found.status.detail
    assert found.stable


def upright(load):
    """A rigid column on a hinge with a spring: stable below stiffness / height."""
    model = cs.Model("column")
    column = model.add(cs.RigidBody.bar("column", start=(0, 0, 0), end=(0, 0, 2), mass=1.0))
    model.add(cs.Revolute("foot", cs.GROUND, column.at((0, 0, 0)), axis=(0, 1, 0), stiffness=10.0))
    model.add(cs.Force("load", column.at((0, 0, 2)), (0, 0, -load)))
    return model


def test_unstable_equilibria_are_told():
    assert cs.equilibrium(upright(4.9)).stable
    found = cs.equilibrium(upright(6.0))
    assert found.status.ok
    assert found.stable is False
    assert "unstable" in found.status.message
    assert "stable=True" in found.status.message


def test_led_from_an_unstable_equilibrium_to_a_stable_one():
    """The tilted column: k a = P h sin a."""
    found = cs.equilibrium(upright(6.0), stable=True)
    assert found.status.ok
    assert found.stable
    angle = abs(found.coordinate("foot"))
    assert angle > 0.5
    assert 10.0 * angle == pytest.approx(6.0 * 2.0 * np.sin(angle), rel=1e-9)


def test_cable_pushed_together_hangs():
    """A cable of length 1 between supports 0.7 apart: the catenary, but for its small bending stiffness."""
    model = cs.Model("cable", gravity=(0, 0, -9.81))
    material = cs.Material(E=1e8, nu=0.3, rho=7850)
    cable = model.add(
        cs.Beam("cable", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.002), material=material, elements=30)
    )
    model.add(cs.Revolute("left", cs.GROUND, cable.start, axis=(0, 1, 0)))
    model.add(cs.Planar("right", cs.GROUND, cable.end, normal=(0, 1, 0), motion=(-0.3, 0, None)))
    assert cs.equilibrium(model).stable is False
    found = cs.equilibrium(model, stable=True)
    weight = 9.81 * 7850 * np.pi * 0.001**2
    a = brentq(lambda a: 2 * a * np.sinh(0.35 / a) - 1.0, 0.05, 5.0)
    assert found.stable
    assert found.position("cable.at(0.5)")[2] == pytest.approx(-a * (np.cosh(0.35 / a) - 1), rel=2e-2)
    assert found.reaction("left")[2] == pytest.approx(0.5 * weight, rel=1e-6)
    assert abs(found.reaction("left")[0]) == pytest.approx(weight * a, rel=5e-2)


def test_failures_speak_of_statics():
    model = cs.Model("truss")
    top = model.add(cs.RigidBody.sphere("top", diameter=0.1, mass=1.0, com=(0, 0, 0.3)))
    model.add(cs.Prismatic("guide", cs.GROUND.at((0, 0, 0.3)), top, axis=(0, 0, 1)))
    model.add(cs.Force("load", top, (0, 0, -1.0)))
    message = cs.equilibrium(model).status.message
    assert "t = 0" not in message
    assert "time step" not in message
    assert "damping" not in message


def spinning_rod(joint):
    model = cs.Model("rod")
    rod = model.add(
        cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.01), material=cs.materials.STEEL, elements=4)
    )
    model.add(joint(rod.start))
    return model


def test_runs_start_with_the_rotation_of_an_equilibrium():
    model = spinning_rod(lambda place: cs.Revolute("axle", cs.GROUND, place, axis=(0, 0, 1)))
    run = cs.simulate(model, 0.1, step=1e-3, start=cs.equilibrium(model, spin=(0, 0, 5.0)))
    assert float(run.coordinate("axle")[-1]) == pytest.approx(0.5, rel=1e-9)
    model = spinning_rod(lambda place: cs.Fixed("clamp", cs.GROUND, place))
    with pytest.raises(cs.CosseratError, match="joint 'clamp' does not allow it"):
        cs.simulate(model, 0.1, step=1e-3, start=cs.equilibrium(model, spin=(0, 0, 5.0)))

    pendulum = cs.Model("pendulum", gravity=(0, 0, -9.81))  # a mass point: lengths do not tell turns that are too much
    bob = pendulum.add(cs.RigidBody("bob", mass=1.0, com=(0, 0, -1), inertia=1e-9 * np.eye(3)))
    pendulum.add(cs.Revolute("pivot", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    aside = cs.equilibrium(pendulum, spin=(0, 0, 4.0), stable=True)
    for formulation in ("galilean", "floating"):
        with pytest.raises(cs.CosseratError, match="joint 'pivot' does not allow it"):
            cs.simulate(pendulum, 0.1, step=1e-3, start=aside, formulation=formulation)


def test_an_arch_is_pushed_through():
    """Crown of a shallow clamped arch pushed down by 0.6 m; 2090.67 N by shooting with a Runge-Kutta method."""
    model, half = cs.Model("arch"), np.radians(15)
    section = cs.Section(stiffness=[2e6, 2e6, 2e6, 2e3, 2e3, 2e3], mass=[1, 1, 1, 1, 1, 1])
    curve = (f"10*sin({2 * half}*s - {half})", f"10*cos({2 * half}*s - {half}) - 10", "0*s")
    beam = model.add(cs.Beam("arch", curve=curve, section=section, elements=16, up=(0, 0, 1)))
    model.add(cs.Fixed("left", cs.GROUND, beam.start))
    model.add(cs.Fixed("right", cs.GROUND, beam.end))
    model.add(cs.Prismatic("push", cs.GROUND, beam.at(0.5), axis=(0, -1, 0), motion=0.6))
    assert float(cs.equilibrium(model).effort("push")) == pytest.approx(2090.67, rel=2e-3)


def straight_chain(bars, gravity):
    """Bars on hinges, straight between its ends, that are driven together by 0.2 m."""
    length = 1.0 / bars
    model, before = cs.Model("chain", gravity=(0, 0, -gravity)), cs.GROUND
    for k in range(bars):
        a, b = (k * length, 0, 0), ((k + 1) * length, 0, 0)
        bar = model.add(cs.RigidBody.bar(f"bar{k}", start=a, end=b, mass=1.0))
        model.add(cs.Revolute(f"hinge{k}", before if k == 0 else before.at(a), bar.at(a), axis=(0, 1, 0), at=a))
        before = bar
    slide = model.add(cs.RigidBody("slide", mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Revolute("end", before.at((1, 0, 0)), slide.at((1, 0, 0)), axis=(0, 1, 0), at=(1, 0, 0)))
    model.add(cs.Prismatic("rail", cs.GROUND, slide, axis=(1, 0, 0), at=(1, 0, 0), motion=-0.2))
    return model


@pytest.mark.filterwarnings("ignore:redundant constraints")
@pytest.mark.parametrize("formulation", [None, "floating"])
@pytest.mark.parametrize("bars", [2, 4, 8])
def test_a_straight_chain_is_driven_together(bars, formulation):
    """From its dead point it sags with its weight: tangents of slopes grow by equal steps from the middle."""
    model, length = straight_chain(bars, 9.81), 1.0 / bars
    rest = cs.equilibrium(model, formulation=formulation)
    assert rest.status.ok
    assert rest.stable
    steps = np.arange(bars) - 0.5 * (bars - 1)
    slope = brentq(lambda c: np.sum(length * np.cos(np.arctan(c * steps))) - 0.8, 1e-6, 100.0)
    angles = np.arctan(slope * steps)
    middle = [np.sum(length * f(angles[: bars // 2])) for f in (np.cos, np.sin)]
    place = model[f"bar{bars // 2}"].at((0.5, 0, 0))
    assert np.allclose(rest.position(place), (middle[0], 0.0, middle[1]), atol=1e-9)


def test_a_dead_point_without_loads_is_refused():
    """Nothing says whether it gives way up or down."""
    with pytest.raises(cs.CosseratError, match="cannot be assembled"):
        cs.equilibrium(straight_chain(2, 0.0))
