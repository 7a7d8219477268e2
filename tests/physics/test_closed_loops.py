"""Closed loops: kinematics against closed forms, and loops with flexible parts stay closed."""

import numpy as np
import pytest

import cosserat as cs

Z = (0, 0, 1)


def bar(model, name, start, end, mass=1.0):
    start, end = np.asarray(start, float), np.asarray(end, float)
    along = end - start
    inertia = mass * (along @ along * np.eye(3) - np.outer(along, along)) / 12 + 1e-3 * np.eye(3)
    return model.add(cs.RigidBody(name, mass=mass, com=(start + end) / 2, inertia=inertia))


def test_slider_crank():
    """x = r cos q + sqrt(l^2 - r^2 sin^2 q), driven through many turns, dead centres included."""
    r, l = 0.5, 1.2
    model = cs.Model("slider-crank")
    crank, rod = bar(model, "crank", (0, 0, 0), (r, 0, 0)), bar(model, "rod", (r, 0, 0), (r + l, 0, 0))
    slider = model.add(cs.RigidBody("slider", mass=1, com=(r + l, 0, 0), inertia=0.1 * np.eye(3)))
    model.add(cs.Revolute("drive", cs.GROUND, crank.at((0, 0, 0)), axis=Z, motion=lambda t: 2 * t + 0.5 * np.sin(t)))
    model.add(cs.Spherical("pin", crank.at((r, 0, 0)), rod.at((r, 0, 0))))
    model.add(cs.Universal("wrist", rod.at((r + l, 0, 0)), slider, axes=((0, 0, 1), (0, 1, 0))))
    model.add(cs.Prismatic("guide", cs.GROUND, slider, axis=(1, 0, 0)))
    run = cs.simulate(model, 8.0, 5e-3)
    assert run.status.ok, run.status.message
    q = 2 * run.time + 0.5 * np.sin(run.time)
    exact = r * np.cos(q) + np.sqrt(l**2 - (r * np.sin(q)) ** 2)
    np.testing.assert_allclose(run.position("slider")[:, 0], exact, atol=1e-8)
    np.testing.assert_allclose(run.coordinate("guide"), exact - (r + l), atol=1e-8)
    assert float(run.constraint_violation.max()) < 1e-8
    q1 = 2 + 0.5 * np.cos(run.time)
    s, c = np.sin(q), np.cos(q)
    rate = -r * s * q1 - r**2 * s * c * q1 / np.sqrt(l**2 - (r * s) ** 2)
    np.testing.assert_allclose(run.velocity("slider")[:, 0], rate, atol=5e-3)


def four_bar_angle(q, a, b, c, d):
    """Rocker angle of a four-bar (crank a, coupler b, rocker c, ground d), open branch, by the loop equation."""
    x, y = d - a * np.cos(q), -a * np.sin(q)
    f = np.hypot(x, y)
    phi = np.arctan2(-y, -x)
    inner = np.arccos((f**2 + c**2 - b**2) / (2 * f * c))
    return phi - inner


@pytest.mark.filterwarnings("ignore::cosserat.CosseratWarning")
@pytest.mark.parametrize("joints", ["planar", "spatial"])
def test_four_bar(joints):
    """Grashof crank-rocker; planar: four revolutes, three redundant constraints; spatial: none."""
    a, b, c, d = 0.4, 1.0, 0.8, 1.1
    start = 0.6
    out = four_bar_angle(start, a, b, c, d)
    A, B = np.zeros(3), a * np.array([np.cos(start), np.sin(start), 0])
    D = np.array([d, 0, 0])
    C = D + c * np.array([np.cos(out), np.sin(out), 0])
    assert np.linalg.norm(C - B) == pytest.approx(b)
    model = cs.Model("four-bar")
    crank, coupler, rocker = bar(model, "crank", A, B), bar(model, "coupler", B, C), bar(model, "rocker", D, C)
    model.add(cs.Revolute("A", cs.GROUND, crank.at(A), axis=Z, motion=lambda t: 3 * t))
    if joints == "planar":
        model.add(cs.Revolute("B", crank.at(B), coupler.at(B), axis=Z))
        model.add(cs.Revolute("C", coupler.at(C), rocker.at(C), axis=Z))
    else:
        along = (C - B) / b
        model.add(cs.Universal("B", crank.at(B), coupler.at(B), axes=(Z, np.cross(Z, along))))
        model.add(cs.Spherical("C", coupler.at(C), rocker.at(C)))
    model.add(cs.Revolute("D", cs.GROUND, rocker.at(D), axis=Z))
    run = cs.simulate(model, 6.0, 5e-3)
    assert run.status.ok, run.status.message
    exact = np.unwrap(four_bar_angle(start + 3 * run.time, a, b, c, d)) - out
    np.testing.assert_allclose(run.coordinate("D"), exact, atol=1e-7)


def test_five_bar_with_flexible_legs():
    """Two driven cranks, two flexible legs that meet: it runs, stays closed, and bends a little."""
    model = cs.Model("five-bar", gravity=(0, -9.81, 0))
    rod = cs.Rod(diameter=0.008)
    steel = cs.Material(E=210e9, nu=0.3, rho=7850, damping=1e-4)
    left, right, top = (0.0, 0.4, 0.0), (0.5, 0.4, 0.0), (0.25, 1.0, 0.0)
    one, two = bar(model, "one", (0, 0, 0), left, 0.2), bar(model, "two", (0.5, 0, 0), right, 0.2)
    leg1 = model.add(cs.Beam("leg1", points=[left, top], section=rod, material=steel, elements=4))
    leg2 = model.add(cs.Beam("leg2", points=[right, top], section=rod, material=steel, elements=4))
    model.add(cs.Revolute("m1", cs.GROUND, one.at((0, 0, 0)), axis=Z, motion=lambda t: 0.3 * np.sin(4 * t)))
    model.add(cs.Revolute("m2", cs.GROUND, two.at((0.5, 0, 0)), axis=Z, motion=lambda t: -0.2 * np.sin(5 * t)))
    model.add(cs.Revolute("b1", one.at(left), leg1.start, axis=Z))
    model.add(cs.Revolute("b2", two.at(right), leg2.start, axis=Z))
    model.add(cs.Revolute("meet", leg1.end, leg2.end, axis=Z))
    run = cs.simulate(model, 1.0, 1e-3)
    assert run.status.ok, run.status.message
    assert float(run.constraint_violation.max()) < 1e-8
    np.testing.assert_allclose(run.position("leg1.end"), run.position("leg2.end"), atol=1e-8)
    span = np.linalg.norm(run.position("leg1.end").values - run.position("leg1.start").values, axis=1)
    assert 1e-9 < np.ptp(span) < 1e-3


def test_stewart_platform_with_a_flexible_leg():
    """Six legs of two parts with driven sliders, one leg a beam: spatial loops stay closed, the plate goes up."""
    model = cs.Model("Stewart platform", gravity=(0, 0, -9.81))
    plate = model.add(cs.RigidBody.cylinder("plate", diameter=0.6, length=0.05, mass=4, com=(0, 0, 1), axis=(0, 0, 1)))
    angles = np.radians([0, 60, 120, 180, 240, 300])
    steel = cs.Material(E=210e9, nu=0.3, rho=7850)
    for i, angle in enumerate(angles):
        foot = np.array([0.5 * np.cos(angle), 0.5 * np.sin(angle), 0])
        turned = angle + (0.7 if i % 2 == 0 else -0.7)
        head = np.array([0.3 * np.cos(turned), 0.3 * np.sin(turned), 1.0])
        along = (head - foot) / np.linalg.norm(head - foot)
        middle = (foot + head) / 2
        lower = bar(model, f"lower{i}", foot, middle, 0.3)
        if i == 0:
            upper = model.add(
                cs.Beam("upper0", points=[middle, head], section=cs.Rod(diameter=0.006), material=steel, elements=3)
            )
            near, far = upper.start, upper.end
        else:
            upper = bar(model, f"upper{i}", middle, head, 0.3)
            near, far = upper.at(middle), upper.at(head)
        across = np.cross(along, (1.0, 0.0, 0.0))
        across /= np.linalg.norm(across)
        axes = (across, np.cross(along, across))
        model.add(cs.Universal(f"foot{i}", cs.GROUND, lower.at(foot), axes=axes))
        lift = lambda t: 0.05 * (1 - np.cos(3 * t))  # noqa: E731
        model.add(cs.Prismatic(f"slide{i}", lower.at(middle), near, axis=along, motion=lift))
        model.add(cs.Spherical(f"head{i}", far, plate.at(head)))
    run = cs.simulate(model, 1.0, 2e-3)
    assert run.status.ok, run.status.message
    assert float(run.constraint_violation.max()) < 1e-7
    assert float(run.position("plate")[-1, 2]) > 1.05


def test_loop_through_equilibrium():
    """A triangle of two bars and a beam under a load: equilibrium closes the loop and balances."""
    model = cs.Model("strut", gravity=(0, -9.81, 0))
    section = cs.Section(stiffness=[1e5, 1e5, 1e5, 50, 50, 50], mass=[1, 1, 1, 1e-3, 1e-3, 1e-3])
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=6))
    strut = bar(model, "strut", (0, -0.5, 0), (0.5, 0, 0))
    model.add(cs.Revolute("wall", cs.GROUND, beam.start, axis=Z))
    model.add(cs.Spherical("foot", cs.GROUND, strut.at((0, -0.5, 0))))
    model.add(cs.Universal("prop", beam.at(0.5), strut.at((0.5, 0, 0)), axes=(Z, (-(0.5**0.5), 0.5**0.5, 0))))
    model.add(cs.Force("load", beam.end, (0, -20, 0)))
    result = cs.equilibrium(model)
    assert result.status.ok, result.status.message
    total = np.asarray(result.reaction("wall"))[:3] + np.asarray(result.reaction("foot"))[:3]
    np.testing.assert_allclose(total, (0, 20 + 2 * 9.81, 0), atol=1e-7)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_a_drive_towards_a_dead_point_is_named(formulation):
    """A slider pulls crank and rod straight: the end of the reach is where their lengths add up."""
    model = cs.Model("crank")
    crank, rod, slider = (
        model.add(cs.RigidBody(name, mass=1.0, com=com, inertia=(0.01, 0.01, 0.01)))
        for name, com in (("crank", (0.1, 0.05, 0)), ("rod", (0.4, 0.05, 0)), ("slider", (0.6, 0, 0)))
    )
    model.add(cs.Revolute("main", cs.GROUND, crank.at((0, 0, 0)), axis=(0, 0, 1)))
    model.add(cs.Spherical("pin", crank.at((0.2, 0.1, 0)), rod.at((0.2, 0.1, 0))))
    model.add(cs.Universal("wrist", rod.at((0.6, 0, 0)), slider.at((0.6, 0, 0)), axes=((0, 0, 1), (0, 1, 0))))
    model.add(cs.Prismatic("guide", cs.GROUND, slider.at((0.6, 0, 0)), axis=(1, 0, 0), motion="0.1 * t"))
    reached = (np.hypot(0.2, 0.1) + np.hypot(0.4, 0.1) - 0.6) / 0.1
    run = cs.simulate(model, 1.0, step=1e-3, formulation=formulation)
    assert run.status.outcome is cs.Outcome.DEAD_POINT
    assert run.time[-1] == pytest.approx(reached, abs=2e-3)
    told = float(run.status.detail.split("t = ")[1].split()[0])
    assert told == pytest.approx(reached, abs=5e-4)
    assert cs.simulate(model, 0.35, step=1e-3, formulation=formulation).status.ok
