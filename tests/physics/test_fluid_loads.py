"""Bodies in air and water: closed forms of falls, floating bodies, glides, weathervanes, in both formulations."""

import re
import warnings

import numpy as np
import pytest

import cosserat as cs
from cosserat.lie import so3

FORMULATIONS = ("galilean", "floating")


def falling(**air) -> cs.Model:
    model = cs.Model("fall", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=1.0))
    ball = model.add(cs.RigidBody("ball", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1)))
    model.add(cs.Aerodynamics("air", ball, **air))
    return model


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("air", [{"area": 0.2, "drag": 0.5}, {"areas": (0.1, 0.1, 0.1)}], ids=["drag", "areas"])
def test_fall_with_quadratic_drag_is_of_second_order(formulation, air):
    # m v' = m g - k v^2 with k = 0.05 kg/m
    errors = []
    for step in (0.05, 0.025):
        run = cs.simulate(falling(**air), duration=3, step=step, formulation=formulation)
        errors.append(abs(run.velocity("ball").values[-1, 2] + 13.5941298055))
    assert errors[1] < 2e-4
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.4)
    fine = cs.simulate(falling(**air), duration=3, step=1e-3, formulation=formulation)
    assert fine.position("ball").values[-1, 2] == pytest.approx(-28.4555322462, abs=1e-5)
    energy = fine.energy
    assert abs(float(energy["balance"][-1])) < 1e-4 * abs(float(energy["work"][-1]))


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_projectile_with_linear_drag(formulation):
    """m v' = m g - c v, from (20, 15) m/s: r(2) = (30.0792242604, 6.3389498610)."""
    model = cs.Model("throw", gravity=(0, 0, -9.81))
    ball = model.add(cs.RigidBody("ball", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1), velocity=(20, 0, 15)))
    model.add(cs.StateLoad("drag", ball, {"fx": "-c*vx", "fy": "-c*vy", "fz": "-c*vz"}, {"c": 0.3}))
    wanted, errors = (30.0792242604, 0.0, 6.3389498610), []
    for step in (0.02, 0.01):
        run = cs.simulate(model, 2.0, step, formulation=formulation)
        errors.append(np.abs(run.position("ball").values[-1] - wanted).max())
    assert errors[1] < 5e-5
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.1)
    if formulation == "floating":
        fine = cs.simulate(model, 2.0, 0.005, formulation=formulation, integrator="runge-kutta")
        np.testing.assert_allclose(fine.position("ball").values[-1], wanted, atol=1e-10)


def test_steady_glide_stays_steady():
    # Lift and drag that do not depend on the angle: tan(gamma) = C_D / C_L, 1/2 rho S V^2 sqrt(C_L^2 + C_D^2) = m g.
    C_L, C_D, m, S, rho, g = 0.8, 0.1, 2.0, 0.3, 1.2, 9.81
    speed = np.sqrt(2 * m * g / (rho * S * np.hypot(C_L, C_D)))
    angle = np.arctan2(C_D, C_L)
    model = cs.Model("glide", gravity=(0, 0, -g), fluid=cs.Fluid(density=rho))
    velocity = (speed * np.cos(angle), 0, -speed * np.sin(angle))
    body = model.add(cs.RigidBody("glider", mass=m, com=(0, 0, 0), inertia=(0.1, 0.2, 0.3), velocity=velocity))
    model.add(cs.Aerodynamics("wing", body, area=S, lift=C_L, drag=C_D))
    run = cs.simulate(model, duration=5, step=0.05)
    assert np.allclose(run.velocity("glider").values, velocity, atol=1e-9 * speed)


def test_phugoid():
    # Lanchester: constant lift coefficient, no drag; small oscillations about level flight: period sqrt(2) pi V/g.
    m, S, rho, g, C_L = 2.0, 0.3, 1.2, 9.81, 0.8
    speed = np.sqrt(2 * m * g / (rho * S * C_L))
    model = cs.Model("phugoid", gravity=(0, 0, -g), fluid=cs.Fluid(density=rho))
    start = (1.0001 * speed, 0, 0)
    body = model.add(cs.RigidBody("glider", mass=m, com=(0, 0, 0), inertia=(0.1, 0.2, 0.3), velocity=start))
    model.add(cs.Aerodynamics("wing", body, area=S, lift=C_L))
    period = np.sqrt(2) * np.pi * speed / g
    run = cs.simulate(model, duration=period, step=period / 2000, rho=1.0)
    climb = run.velocity("glider").values[:, 2]
    up = np.nonzero((climb[:-1] < 0) & (climb[1:] >= 0))[0]
    t = run.time[up] - climb[up] * (run.time[up + 1] - run.time[up]) / (climb[up + 1] - climb[up])
    half = np.nonzero((climb[10:-1] > 0) & (climb[11:] <= 0))[0] + 10
    assert (run.time[half[0]]) == pytest.approx(period / 2, rel=2e-3)
    assert len(t) == 0 or t[-1] == pytest.approx(period, rel=2e-3)


def vane(wind, **air) -> cs.Model:
    model = cs.Model("vane", fluid=cs.Fluid(density=1.2, velocity=(-wind, 0, 0)))
    body = model.add(cs.RigidBody("vane", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.2, 0.3)))
    model.add(cs.Revolute("hinge", cs.GROUND, body, axis=(0, 1, 0), at=(0, 0, 0), stiffness=air.pop("spring", 0.0)))
    model.add(cs.Aerodynamics("tail", body, **air))
    return model


def test_weathervane_frequency_and_damping():
    # I theta" = 1/2 rho S V^2 c (C_m' alpha + C_mq theta' c/2V)
    V, S, c = 8.0, 0.4, 0.5
    model = vane(V, area=S, chord=c, pitch=[(-1.0, 1.5), (1.0, -1.5)], rates={"pitch_q": -3.0})
    q = 0.5 * 1.2 * V * V * S * c
    stiffness, damping = 1.5 * q, 3.0 * q * c / (2 * V)
    linear = cs.linearize(model, inputs="hinge", outputs="hinge")
    assert np.allclose(linear.A, [[0, 1], [-stiffness / 0.2, -damping / 0.2]], rtol=1e-7, atol=1e-7)
    found = cs.modes(model, 1)
    w, d = np.sqrt(stiffness / 0.2), damping / 0.2 / 2
    assert found.frequencies[0] * 2 * np.pi == pytest.approx(np.sqrt(w * w - d * d), rel=1e-7)


def test_divergence_of_a_hinged_wing():
    # Lift ahead of a hinge with a spring: divergence at V^2 = 2 k / (rho S C_L' e).
    V = cs.Parameter("V", 1.0)
    k, S, slope, e = 30.0, 0.4, 5.0, 0.1
    model = vane(V, area=S, spring=k, lift=[(-1.0, -slope), (1.0, slope)])
    model = cs.Model("wing", fluid=cs.Fluid(density=1.2, velocity=(-V, 0, 0)))
    body = model.add(cs.RigidBody("wing", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.2, 0.3)))
    model.add(cs.Revolute("hinge", cs.GROUND, body, axis=(0, 1, 0), at=(0, 0, 0), stiffness=k))
    model.add(cs.Aerodynamics("lift", body.at((e, 0, 0)), area=S, lift=[(-1.0, -slope), (1.0, slope)]))
    expected = np.sqrt(2 * k / (1.2 * S * slope * e))
    found = cs.stability(model, "V", np.linspace(1.0, 1.5 * expected, 12))
    assert found.critical[0].kind == "divergence"
    assert found.critical[0].value == pytest.approx(expected, rel=1e-6)


def floating_box(width: float, density: float = 400.0, tilt: float = 0.0) -> cs.Model:
    model = cs.Model("box", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=1000.0, surface=0.0))
    box = model.add(cs.RigidBody.box(
        "box", size=(3.0, width, 1.0), density=density, com=(0, 0, 0.5 - density / 1000), rotation=so3.exp((tilt, 0, 0))
    ))  # fmt: skip
    model.add(cs.Buoyancy("water", box))
    return model


def test_floating_box_heave_and_roll():
    # heave: m w^2 = rho g A; roll: I w^2 = rho g V (b^2/(12 d) - (h - d)/2), with draught d = s h
    s, b, h = 0.4, 1.6, 1.0
    model = floating_box(b)
    m, d = 400 * 3 * b, s * h
    heave = np.sqrt(1000 * 9.81 * 3 * b / m)
    roll = np.sqrt(m * 9.81 * (b * b / (12 * d) - (h - d) / 2) / (m * (b * b + h * h) / 12))
    pitch = np.sqrt(m * 9.81 * (9 / (12 * d) - (h - d) / 2) / (m * (9 + h * h) / 12))
    found = cs.modes(model, 3, about="reference")
    assert found.rigid == 3
    assert np.allclose(np.sort(found.frequencies[3:] * 2 * np.pi), np.sort([heave, roll, pitch]), rtol=1e-6)


def righting_moment(angle, width=1.6, height=1.0, draught=0.4, length=3.0):
    """Of water and weight on a box turned about the middle of its waterline: the polygon below the surface."""
    c, s = np.cos(angle), np.sin(angle)
    low, high = -draught, height - draught
    half = width / 2
    corners = [(y * c - z * s, y * s + z * c) for y, z in ((-half, low), (half, low), (half, high), (-half, high))]
    wet = []
    for (y0, z0), (y1, z1) in zip(corners, corners[1:] + corners[:1], strict=True):
        if z0 <= 0.0:
            wet.append((y0, z0))
        if (z0 <= 0.0) != (z1 <= 0.0):
            wet.append((y0 + (y1 - y0) * z0 / (z0 - z1), 0.0))
    first = 0.0  # of the area, along y
    for (y0, z0), (y1, z1) in zip(wet, wet[1:] + wet[:1], strict=True):
        first += (y0 * z1 - y1 * z0) * (y0 + y1) / 6
    weight = 1000 * draught / height * width * height * length * 9.81
    return 1000 * 9.81 * length * first + weight * (high + low) / 2 * s


def test_tangent_where_the_waterline_changes_its_shape():
    """Bottom edges leave the water at tan = 1/2, the deck enters it at 3/4: the stiffness is continuous there."""

    def stiffness(angle):
        R = so3.exp((angle, 0, 0))
        model = cs.Model("box", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=1000.0, surface=0.0))
        body = cs.RigidBody.box("box", size=(3.0, 1.6, 1.0), density=400.0, com=R @ (0, 0, 0.1), rotation=R)
        model.add(cs.Buoyancy("water", model.add(body)))
        model.add(cs.Revolute("roll", cs.GROUND, body, axis=(1, 0, 0), at=(0, 0, 0)))
        model.add(cs.Torque("hold", body, (-righting_moment(angle), 0, 0)))
        return float(cs.linearize(model, about="reference").stiffness[0, 0])

    for edge in (np.arctan(0.5), np.arctan(0.75)):
        for angle in (edge - 0.05, edge + 0.05):
            slope = (righting_moment(angle + 1e-6) - righting_moment(angle - 1e-6)) / 2e-6
            assert stiffness(angle) == pytest.approx(-slope, rel=1e-5)
        jump = abs(stiffness(edge + 1e-7) - stiffness(edge - 1e-7))
        assert jump < 1e-5 * abs(stiffness(edge))


@pytest.mark.parametrize("density", [200.0, 500.0, 700.0])
def test_a_box_floats_upright_if_it_is_wide(density):
    # upright if and only if (b/h)^2 > 6 s (1 - s)
    s = density / 1000
    limit = np.sqrt(6 * s * (1 - s))
    for width, upright in ((1.02 * limit, True), (0.98 * limit, False)):
        run = cs.simulate(floating_box(width, density, tilt=1e-3), duration=12, step=0.02)
        turned = np.arccos(np.clip(run.rotation("box").values[:, 2, 2], -1, 1)).max()
        assert (turned < 3e-3) == upright
    for width, upright in ((1.0001 * limit, True), (0.9999 * limit, False)):
        K = cs.linearize(floating_box(width, density), about="reference").stiffness
        softest = np.sort(np.linalg.eigvalsh(0.5 * (K + K.T)))  # three motions along the surface are free
        assert np.count_nonzero(softest > 1e-6) == 2 + upright
        assert np.count_nonzero(softest < -1e-6) == 1 - upright


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_modes_tell_boxes_that_capsize_from_those_that_do_not(formulation):
    # sway, surge and yaw are free; near the limit their couplings with the soft roll are noise, which is no drift
    width = 0.9
    for excess in (-0.1, -0.02, -5e-3, -1e-3, -1e-4, -1e-6, 1e-6, 1e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1):
        root = np.sqrt(0.25 - (width / (1 + excess)) ** 2 / 6)
        for s in (0.5 - root, 0.5 + root):
            found = cs.modes(floating_box(width, 1000 * s), 3, about="reference", formulation=formulation)
            assert found.rigid == 3
            assert bool(found.stable) == (excess > 0)
            righting = 9.81 * s * (width**2 / (12 * s) - (1 - s) / 2)  # per mass of the box
            assert np.min(np.abs(found.eigenvalues**2 + righting / (s * (width**2 + 1) / 12))) < 1e-7


def test_buoyancy_in_a_boundless_fluid():
    model = cs.Model("balloon", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=1.225))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=1.0, mass=0.4))
    model.add(cs.Buoyancy("lift", ball))
    model.add(cs.Prismatic("mast", cs.GROUND, ball, axis=(0, 0, 1), stiffness=100.0))
    carried = 1.225 * np.pi / 6 * 9.81 - 0.4 * 9.81
    for formulation in FORMULATIONS:
        run = cs.simulate(model, duration=0.1, step=1e-3, formulation=formulation)
        assert run.acceleration("ball").values[0, 2] == pytest.approx(carried / 0.4, rel=1e-9)
    assert cs.equilibrium(model).position("ball")[2] == pytest.approx(carried / 100, rel=1e-9)


@pytest.mark.parametrize("surface", [None, 5.0])
def test_a_bar_displaces_what_its_section_fills_and_is_drawn_as_a_cylinder(surface):
    """That cylinder has the inertia of the section, or of a thin bar, and another area than a tube or a beam."""
    model = cs.Model("bar", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=1000.0, surface=surface))
    material, ends = cs.Material(E=1e9, nu=0.3, rho=500.0), ((0, 0, 0), (1, 0, 0.5))
    rod = model.add(cs.RigidBody.bar("rod", *ends, section=cs.Rod(0.1), material=material))
    model.add(cs.Buoyancy("lift", rod))
    rise = cs.simulate(model, duration=0.002, step=1e-3).acceleration("rod").values[0, 2]
    assert rise == pytest.approx(9.81, rel=1e-9)  # twice its weight
    sections = ({"section": cs.Tube(0.1, 0.09)}, {"section": cs.Rectangle(0.2, 0.3)}, {"mass": 2.0})
    for k, given in enumerate(sections):
        bar = model.add(cs.RigidBody.bar(f"bar{k}", *ends, **given, **({"material": material} if k < 2 else {})))
        model.add(cs.Buoyancy(f"lift{k}", bar))
        with pytest.raises(cs.CosseratError, match=rf"'lift{k}': {'surface' if surface else 'volume'} must be given"):
            model.validate()
        model.remove(f"lift{k}")


def test_wind_that_changes_in_space_and_time():
    # Linear regime: a light vane follows a wind function compiled from Python.
    def wind(x, y, z, t):
        return -5.0 * t, 0.0, 0.0

    model = cs.Model("gust", fluid=cs.Fluid(density=1.0, velocity=wind))
    body = model.add(cs.RigidBody("sail", mass=2.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0)))
    model.add(cs.Aerodynamics("cloth", body, areas=(2.0, 0, 0)))
    run = cs.simulate(model, duration=1.0, step=1e-3)
    v, h = 0.0, 1e-4
    for k in range(10000):  # independent integration, midpoint rule

        def push(speed, t):
            u = speed + 5.0 * t
            return -0.5 * 2.0 * abs(u) * u / 2.0

        middle = v + 0.5 * h * push(v, k * h)
        v += h * push(middle, (k + 0.5) * h)
    assert run.velocity("sail").values[-1, 0] == pytest.approx(v, rel=2e-6)


def test_tables_that_do_not_cover_the_angle_stop_the_run_and_name_the_load():
    model = vane(8.0, area=0.4, chord=0.5, pitch=[(-0.1, -0.15), (0.1, 0.15)])  # unstable: turns away
    model.add(cs.Torque("push", "vane", (0, 0.1, 0)))
    run = cs.simulate(model, duration=3.0, step=0.01)
    assert not run.status.ok
    assert "tail" in run.status.message
    assert len(run.time) > 3


def test_model_files_know_fluids_and_their_loads(tmp_path):
    rho = cs.Parameter("rho", 1000.0)
    above = cs.Fluid(density="isa", altitude=300.0, velocity=(3, 0, 0))
    model = cs.Model("raft", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=rho, surface=0.1, above=above))
    raft = model.add(cs.RigidBody.box("raft", size=(2, 1, 0.5), mass=400.0))
    model.add(cs.Buoyancy("water", raft, centre=(0, 0, 0.01)))
    model.add(cs.Aerodynamics("wind", raft.at((0, 0, 0.2)), area=0.5, drag=1.1, chord=1.0, span=2.0,
                              lift=[(-2.0, -1.0), (2.0, 1.0)], areas=(0, 0.1, 0), rates={"pitch_q": -2.0}))  # fmt: skip
    cs.save_model(model, tmp_path / "raft.yaml")
    again = cs.load_model(tmp_path / "raft.yaml")
    assert again == model
    one, other = (cs.simulate(m, duration=0.5, step=0.01).position("raft").values for m in (model, again))
    assert np.array_equal(one, other)
    again.set(rho=900.0)
    assert again.fluid.at(0, 0, 0.0)[0] == 900.0
    assert again.copy().fluid.at(0, 0, 0.0)[0] == 900.0
    assert "surface at 0.1 m" in model.summary()


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: cs.Fluid(density=-1.0), "density.*must not be negative"),
        (lambda: cs.Fluid(density="water"), "'isa'"),
        (lambda: cs.Fluid(density=1.0, velocity=(1, 2)), "velocity must be 3 numbers"),
        (lambda: cs.Fluid(density=1.0, above=cs.Fluid(density=1.0)), "needs a surface"),
        (lambda: cs.Model("m", fluid=1.2), "pass a Fluid"),
        (lambda: cs.Aerodynamics("a", "b", area=-1.0), "area.*must not be negative"),
        (lambda: cs.Aerodynamics("a", "b", rates={"q": 1.0}), "known names: lift_q"),
        (lambda: cs.Aerodynamics("a", "b", lift=[(1.0, 2.0), (0.5, 1.0)]), "growing angles"),
        (lambda: cs.Aerodynamics("a", "b", pitch=0.1), "chord must be given"),
        (lambda: cs.Aerodynamics("a", "b", up=(1, 0, 0)), "perpendicular to forward"),
        (lambda: cs.Aerodynamics("a", "b", lift=None), "lift must be a number, a polynomial"),
        (lambda: cs.Aerodynamics("a", "b", lift=lambda alpha: 1.0), r"function of \(alpha, beta\)"),
        (lambda: cs.Fluid(density=lambda x, y: 1.0), r"density must be a function of \(z\)"),
        (lambda: cs.Fluid(density=1.0, velocity=lambda t: (1.0, 0, 0)), r"velocity must be a function of \(x, y"),
        (lambda: cs.Fluid(density=1.0, velocity=lambda x, y, z, t: 1.0).at(0, 0, 0), "gives no numbers"),
        (lambda: cs.Fluid(density=1.0).at("a", 0, 0), r"Fluid\.at: x must be a number"),
        (lambda: cs.winds.gust(1.0, duration=0.0), "duration"),
        (lambda: cs.winds.log_law(10.0, height=1.0, roughness=2.0), "above the roughness"),
    ],
)
def test_bad_fluids_and_loads(make, words):
    with pytest.raises(cs.CosseratError, match=words):
        make()


def test_what_is_missing_is_said():
    def try_it(fluid, body, **load):
        model = cs.Model("m", gravity=(0, 0, -9.81), fluid=fluid)
        model.add(body)
        model.add(cs.Buoyancy("b", body, **load))
        cs.simulate(model, duration=0.1, step=0.1)

    plain = cs.RigidBody("rock", mass=1, com=(0, 0, 0), inertia=(1, 1, 1))
    water, sea = cs.Fluid(density=1000.0), cs.Fluid(density=1000.0, surface=0.0)
    open_box = ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3)])
    for given, words in (
        ((None, plain), "has no fluid"),
        ((water, plain), "volume must be given"),
        ((sea, plain), "surface must be given"),
        ((sea, plain, {"surface": open_box}), "is not closed"),
        ((sea, cs.RigidBody.sphere("ball", 1.0, mass=1.0), {"volume": 1.0}), "leave it out"),
    ):
        with pytest.raises(cs.CosseratError, match=words):
            try_it(given[0], given[1], **(given[2] if len(given) > 2 else {}))


def test_a_given_surface_floats_as_the_box_it_is():
    from cosserat.model.fluid_loads import box_surface

    tilted = floating_box(1.2, tilt=0.2)
    own = cs.simulate(tilted, duration=0.5, step=0.01).rotation("box").values[-1]
    body = tilted["box"]
    vertices, triangles = box_surface(np.array([3.0, 1.2, 1.0]))
    model = cs.Model("box", gravity=(0, 0, -9.81), fluid=tilted.fluid)
    model.add(body)
    model.add(cs.Buoyancy("water", body, surface=(vertices @ body.rotation.T + body.com, triangles)))
    assert np.allclose(cs.simulate(model, duration=0.5, step=0.01).rotation("box").values[-1], own, atol=1e-10)


@pytest.mark.parametrize("kind", ["box", "sphere"])
def test_shapes_float_about_the_given_centre(kind):
    model = cs.Model("float", gravity=(0, 0, -9.81), fluid=cs.Fluid(density=1000.0, surface=0.0))
    ball = cs.RigidBody.sphere("body", diameter=1.0, density=500.0)
    body = model.add(ball if kind == "sphere" else cs.RigidBody.box("body", size=(1, 1, 1), density=500.0))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(0, 0, 1)))
    model.add(cs.Buoyancy("water", body, centre=(0, 0, 0.1)))
    assert cs.equilibrium(model).position("body")[2] == pytest.approx(-0.1, abs=1e-8)
    with pytest.raises(cs.CosseratError, match=r"must be a RigidBody, got its place 'body.at"):
        cs.Buoyancy("more", body.at((0, 0, 0.1)))


@pytest.mark.parametrize("gravity", [(9.81, 0, 0), (0, 0, 9.81), (1e-3, 0, -9.81)])
def test_a_free_surface_is_horizontal(gravity):
    model = cs.Model("float", gravity=gravity, fluid=cs.Fluid(density=1000.0, surface=0.0))
    model.add(cs.Buoyancy("water", model.add(cs.RigidBody.sphere("ball", diameter=1.0, density=500.0))))
    with pytest.raises(cs.CosseratError, match=r"load 'water': the free surface .* must point along -z"):
        cs.equilibrium(model)


@pytest.mark.parametrize("wind", [(0, 0, 0), (5, 0, 0)])
def test_tables_that_do_not_cover_a_state_are_named_by_linear_analyses(wind):
    model = cs.Model("slide", fluid=cs.Fluid(density=1.2, velocity=wind))
    body = model.add(cs.RigidBody("body", mass=1, com=(0, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=100.0))
    model.add(cs.Aerodynamics("air", body, area=0.1, drag=[(-0.5, 0.1), (0.5, 0.1)]))
    for analysis in (lambda: cs.modes(model, 1), lambda: cs.linearize(model)):
        with pytest.raises(cs.CosseratError, match="load 'air'"):
            analysis()


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_adaptive_steps_meet_a_gust_after_a_long_calm(formulation):
    # force k u(t)^2 on a heavy ball: m v = k int u^2 dt = k U^2 (3/8) T, to first order in k
    air = cs.Fluid(density=1.0, velocity=cs.winds.gust(3.0, duration=0.5, start=6.0, direction=(1, 0, 0)))
    model = cs.Model("calm", fluid=air)
    ball = model.add(cs.RigidBody("ball", mass=1e3, com=(0, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Aerodynamics("air", ball, area=0.2, drag=0.5))
    run = cs.simulate(model, 10.0, tolerance=1e-5, formulation=formulation)
    assert run.status.ok
    assert run.velocity("ball").values[-1, 0] == pytest.approx(5e-5 * 9.0 * 3.0 / 8.0 * 0.5, rel=1e-3)
    assert len(run.time) < 500


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("speed", [10.0, 1000.0])
def test_drag_at_rest_in_a_wind_damps_exactly(formulation, speed):
    model = cs.Model("wind", fluid=cs.Fluid(density=1.2, velocity=(speed, 0, 0)))
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1)))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=100.0))
    model.add(cs.Aerodynamics("air", body, area=1e-3, drag=1.0))
    damping = cs.linearize(model, formulation=formulation).damping[0, 0]
    assert damping == pytest.approx(1.2e-3 * speed, rel=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_sheared_winds(formulation):
    """Power and logarithmic law, and the drag that a mast feels at its height."""
    power = cs.winds.power_law(10.0, height=10.0, exponent=0.2)
    log = cs.winds.log_law(10.0, height=10.0, roughness=0.1)
    for wind, speed in ((power, 10.0 * 3.0**0.2), (log, 10.0 * np.log(300.0) / np.log(100.0))):
        model = cs.Model("mast", fluid=cs.Fluid(density=1.2, velocity=wind))
        body = model.add(cs.RigidBody("top", mass=1.0, com=(0, 0, 30), inertia=(1, 1, 1)))
        model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, 0), stiffness=100.0))
        model.add(cs.Aerodynamics("air", body, area=0.1, drag=1.0))
        rest = cs.equilibrium(model, formulation=formulation)
        assert float(rest.coordinate("rail")) == pytest.approx(0.5 * 1.2 * 0.1 * speed**2 / 100.0, rel=1e-9)


def test_standard_atmosphere():
    """U.S. Standard Atmosphere, 1976: densities (kg/m^3) at geopotential altitudes (km), at bases of its layers."""
    table = {0: 1.2250, 11: 0.36392, 20: 0.088035, 32: 0.013225, 47: 1.4275e-3, 51: 8.616e-4, 71: 6.4211e-5}
    for height, density in table.items():
        for offset in (-1e-6, 1e-6):  # both layers
            found = cs.Fluid(density="isa", altitude=1e3 * height - 100.0).at(0, 0, 100.0 + offset)[0]
            assert found == pytest.approx(density, rel=3e-5)


POLYNOMIAL = {"1": 0.2, "alpha": 5.0, "alpha^3": -20.0, "alpha*beta^2": 3.0}


def in_the_wind(**coefficients):
    """A craft that is held still in a wind; its angles of attack and sideslip."""
    wind = np.array([-20.0, 1.0, 2.0])
    model = cs.Model("craft", fluid=cs.Fluid(1.2, velocity=wind))
    craft = model.add(cs.RigidBody("craft", mass=2.0, com=(0, 0, 0), inertia=np.diag([1.0, 2.0, 3.0])))
    model.add(cs.Fixed("held", cs.GROUND, craft))
    model.add(cs.Aerodynamics("air", craft, area=0.5, chord=0.3, span=2.0, **coefficients))
    return model, np.arctan2(wind[2], -wind[0]), np.arctan2(wind[1], np.hypot(wind[0], wind[2]))


def test_polynomial_coefficients(tmp_path):
    # C = 0.2 + 5 a - 20 a^3 + 3 a b^2, in memory and from a file, with a parameter in it
    slope = cs.Parameter("slope", 5.0)
    model, alpha, beta = in_the_wind(pitch=POLYNOMIAL | {"alpha": slope})
    cs.save_model(model, tmp_path / "model.yaml")
    expected = 0.5 * 1.2 * 405.0 * 0.5 * 0.3 * (0.2 + 5 * alpha - 20 * alpha**3 + 3 * alpha * beta**2)
    for each in (model, cs.load_model(tmp_path / "model.yaml")):
        moment = cs.equilibrium(each).reaction("held")
        assert np.abs(moment[3:]).max() == pytest.approx(abs(expected), rel=1e-12)
    slope.value = 6.0
    more = np.abs(cs.equilibrium(model).reaction("held")[3:]).max()
    assert more - abs(expected) == pytest.approx(0.5 * 1.2 * 405.0 * 0.5 * 0.3 * alpha, rel=1e-9)


@pytest.mark.parametrize(
    ("given", "words"),
    [({"gamma": 1.0}, "has the product 'gamma'; products are such as '1', 'alpha'"),
     ({"alpha^0.5": 1.0}, "has the product 'alpha^0.5'"),
     ({"alpha*beta": 1.0, "beta*alpha": 2.0}, "has the product 'beta*alpha' twice"),
     ({"alpha": np.nan}, "lift['alpha']"), ({"alpha": "x"}, "lift['alpha']")],
)  # fmt: skip
def test_polynomials_that_are_none(given, words):
    with pytest.raises(cs.CosseratError, match=re.escape(words)):
        cs.simulate(in_the_wind(lift=given)[0], 0.1, 0.01)
    with pytest.raises(cs.CosseratError, match="has the product 'beta'"):
        cs.Airfoil(lift={"beta": 1.0}).check()


@pytest.mark.parametrize("wind", [(-9, 0, 0), (9, 0, 0)])
def test_polynomials_in_reversed_flow_are_warned_of(wind):
    """Wind from behind, or forward= the wrong way round: alpha is near pi, where the polynomial jumps."""
    polynomial = {"1": 0.1, "alpha": 2.0}
    for kind in ("body", "strip", "even"):
        model = cs.Model("vane", fluid=cs.Fluid(density=1.2, velocity=wind))
        vane = model.add(cs.RigidBody("vane", mass=1.0, com=(0, 0, 0), inertia=np.eye(3)))
        model.add(cs.Fixed("mount", cs.GROUND, vane))
        if kind == "strip":
            model.add(cs.Strip("air", vane, cs.Airfoil(lift=polynomial), chord=1.0, width=1.0, unsteady=False))
        else:
            lift = polynomial if kind == "body" else {"1": 0.1, "beta": 2.0}
            model.add(cs.Aerodynamics("air", vane, area=1.0, lift=lift))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            cs.simulate(model, 0.1, 0.05)
            cs.equilibrium(model)
        found = [str(w.message) for w in told if "in reversed flow at t = 0 s" in str(w.message)]
        assert len(found) == (2 if wind[0] > 0 and kind != "even" else 0)


def test_an_airfoil_by_a_polynomial():
    foil = cs.Airfoil(lift={"alpha": 6.0, "alpha^3": -30.0}, drag={"1": 0.01, "alpha^2": 0.8})
    assert foil.coefficient("lift", 0.1) == pytest.approx(0.57, rel=1e-15)
    assert foil.coefficient("drag", -0.2) == pytest.approx(0.042, rel=1e-15)
