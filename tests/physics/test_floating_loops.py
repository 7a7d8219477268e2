"""Closed loops in floating frames: a joint of each is cut and closed by constraints."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs

Z = (0, 0, 1)
POINTS = [(0, 0, 0), (0.5, 0.1, 0.2), (1.0, -0.1, 0.5), (1.4, 0.3, 0.1)]
METHODS = ("generalized-alpha", "runge-kutta")


def bar(model: cs.Model, name: str, start, end, mass: float = 1.0) -> cs.RigidBody:
    start, end = np.asarray(start, float), np.asarray(end, float)
    along = end - start
    inertia = mass * (along @ along * np.eye(3) - np.outer(along, along)) / 12 + 5e-3 * np.eye(3)
    return model.add(cs.RigidBody(name, mass=mass, com=(start + end) / 2, inertia=inertia))


def rocker_angle(q, a=0.4, b=1.0, c=0.8, d=1.1):
    """Rocker angle of a four-bar (crank a, coupler b, rocker c, ground d), open branch, by the loop equation."""
    x, y = d - a * np.cos(q), -a * np.sin(q)
    f = np.hypot(x, y)
    return np.arctan2(-y, -x) - np.arccos((f**2 + c**2 - b**2) / (2 * f * c))


def four_bar(kind: str, **crank) -> cs.Model:
    a, c, d, start = 0.4, 0.8, 1.1, 0.6
    out = rocker_angle(start)
    A, B = np.zeros(3), a * np.array([np.cos(start), np.sin(start), 0])
    D = np.array([d, 0, 0])
    C = D + c * np.array([np.cos(out), np.sin(out), 0])
    model = cs.Model("four-bar", gravity=(0, -9.81, 0))
    one, two, three = bar(model, "crank", A, B), bar(model, "coupler", B, C), bar(model, "rocker", D, C)
    model.add(cs.Revolute("A", cs.GROUND, one.at(A), axis=Z, **crank))
    if kind == "planar":
        model.add(cs.Revolute("B", one.at(B), two.at(B), axis=Z))
        model.add(cs.Revolute("C", two.at(C), three.at(C), axis=Z))
    else:
        model.add(cs.Universal("B", one.at(B), two.at(B), axes=(Z, np.cross(Z, C - B))))
        model.add(cs.Spherical("C", two.at(C), three.at(C)))
    model.add(cs.Revolute("D", cs.GROUND, three.at(D), axis=Z))
    return model


@pytest.mark.filterwarnings("ignore:redundant constraints")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["planar", "spatial"])
def test_driven_four_bar(kind: str, method: str) -> None:
    """Planar: four revolutes, three redundant constraints; spatial: none."""
    run = cs.simulate(four_bar(kind, motion="3 * t"), 1.0, 0.02, formulation="floating", integrator=method)
    assert run.status.ok, run.status.message
    exact = np.unwrap(rocker_angle(0.6 + 3 * run.time)) - rocker_angle(0.6)
    np.testing.assert_allclose(run.coordinate("D"), exact, atol=1e-10)
    slope = (rocker_angle(0.6 + 3 * run.time + 1e-5) - rocker_angle(0.6 + 3 * run.time - 1e-5)) / 2e-5
    np.testing.assert_allclose(run.coordinate_rate("D"), 3 * slope, atol=1e-8)


def test_redundant_constraints_are_announced() -> None:
    with pytest.warns(cs.CosseratWarning, match="redundant constraints: what joint"):
        cs.simulate(four_bar("planar"), 0.02, 0.01, formulation="floating")


@pytest.mark.filterwarnings("ignore:redundant constraints")
@pytest.mark.parametrize(("method", "order", "bound"), [("generalized-alpha", 2, 3e-3), ("runge-kutta", 4, 1e-5)])
def test_a_free_four_bar_keeps_its_energy(method: str, order: int, bound: float) -> None:
    errors = []
    for step in (0.01, 0.005):
        run = cs.simulate(four_bar("planar"), 0.5, step, formulation="floating", integrator=method)
        total = run.energy.total.values
        errors.append(np.abs(total - total[0]).max() / np.ptp(run.energy.kinetic.values))
        assert run.constraint_violation.values.max() < 1e-11
    assert errors[0] < bound
    assert errors[0] / errors[1] > 0.8 * 2**order


def test_slider_crank() -> None:
    """x = r cos q + sqrt(l^2 - r^2 sin^2 q), through dead centres; the prismatic guide closes the loop."""
    r, l = 0.5, 1.2
    model = cs.Model("slider-crank")
    crank, rod = bar(model, "crank", (0, 0, 0), (r, 0, 0)), bar(model, "rod", (r, 0, 0), (r + l, 0, 0))
    slider = model.add(cs.RigidBody("slider", mass=1, com=(r + l, 0, 0), inertia=0.1 * np.eye(3)))
    model.add(cs.Revolute("drive", cs.GROUND, crank.at((0, 0, 0)), axis=Z, motion=lambda t: 2 * t + 0.5 * np.sin(t)))
    model.add(cs.Revolute("pin", crank.at((r, 0, 0)), rod.at((r, 0, 0)), axis=Z))
    model.add(cs.Revolute("wrist", rod.at((r + l, 0, 0)), slider, axis=Z))
    model.add(cs.Prismatic("guide", cs.GROUND, slider, axis=(1, 0, 0)))
    with pytest.warns(cs.CosseratWarning, match="redundant"):
        run = cs.simulate(model, 4.0, 0.02, formulation="floating")
    assert run.status.ok, run.status.message
    q, rate = 2 * run.time + 0.5 * np.sin(run.time), 2 + 0.5 * np.cos(run.time)
    root = np.sqrt(l**2 - (r * np.sin(q)) ** 2)
    np.testing.assert_allclose(run.coordinate("guide"), r * np.cos(q) + root - (r + l), atol=1e-10)
    speed = -r * np.sin(q) * rate - r**2 * np.sin(q) * np.cos(q) * rate / root
    np.testing.assert_allclose(run.velocity("slider")[:, 0], speed, atol=1e-10)


LAST = {
    "spherical": (lambda C, **o: cs.Spherical("x", cs.GROUND, C, **o), 3),
    "cylindrical": (lambda C, **o: cs.Cylindrical("x", cs.GROUND, C, axis=(1, 0.2, 0.3), **o), 2),
    "planar": (lambda C, **o: cs.Planar("x", C, cs.GROUND, normal=(0.3, 0.1, 1), at=POINTS[3], **o), 3),
    "planar_translation": (lambda C, **o: cs.PlanarTranslation("x", cs.GROUND, C, normal=(0.3, 0.1, 1), **o), 2),
    "universal": (lambda C, **o: cs.Universal("x", cs.GROUND, C, axes=((0, 0, 1), (1, 0, 0)), **o), 2),
    "free": (lambda C, **o: cs.Free("x", cs.GROUND, C, **o), 6),
}


def spatial_loop(kind: str, what: str) -> cs.Model:
    """Three bars; the last joint, which has most freedoms, is cut."""
    model = cs.Model("loop", gravity=(0, 0, -9.81))
    A, B, C = (bar(model, name, POINTS[i], POINTS[i + 1]) for i, name in enumerate("ABC"))
    model.add(cs.Revolute("r", cs.GROUND, A.at(POINTS[0]), axis=(0.1, 0.2, 1)))
    model.add(cs.Universal("u", A.at(POINTS[1]), B.at(POINTS[1]), axes=((0, 0, 1), (0, 1, 0))))
    model.add(cs.Universal("w", B.at(POINTS[2]), C.at(POINTS[2]), axes=((0, 1, 0), (1, 0, 0))))
    last, n = LAST[kind]
    options = {
        "plain": {},
        "passive": {"stiffness": [20.0] * n, "damping": [0.3] * n},
        "friction": {"friction": [cs.Friction(0.3, speed=1.0)] * n},
        "effort": {"effort": ["3 * sin(5 * t)", *([None] * (n - 1))]},
        "motion": {"motion": ["0.05 * (1 - cos(6 * t))", *([None] * (n - 1))]},
    }[what]
    model.add(last(C.at(POINTS[3]), **options))
    return model


CASES = [(kind, what) for kind in LAST for what in ("plain", "passive", "effort")]
CASES += [("planar", "motion"), ("cylindrical", "friction"), ("free", "motion")]


@pytest.mark.parametrize(("kind", "what"), CASES)
def test_every_cut_joint_agrees_with_the_galilean_run(kind: str, what: str) -> None:
    model = spatial_loop(kind, what)
    floating = cs.simulate(model, 0.1, 5e-3, formulation="floating", integrator="runge-kutta")
    galilean = cs.simulate(model, 0.1, 2e-4, every=25, newton_tolerance=1e-9)
    assert floating.status.ok, floating.status.message
    for name in "ABC":
        assert np.abs(floating.position(name).values - galilean.position(name).values).max() < 3e-6
    for name in "ruwx":
        one, two = floating.reaction(name).values, galilean.reaction(name).values
        scale = np.abs(galilean.reaction("u").values).max()
        assert np.abs(one - two)[3:].max() < 4e-3 * scale  # the Galilean reactions need a few steps to settle
        for one, two in ((floating.coordinate(name), galilean.coordinate(name)),
                         (floating.effort(name), galilean.effort(name))):  # fmt: skip
            assert np.abs(one.values - two.values)[3:].max() < 4e-3 * max(1.0, np.abs(two.values).max())
    energy = floating.energy
    assert np.abs(energy.balance.values).max() < 2e-3 * np.ptp(energy.kinetic.values)


def test_screw_closes_a_loop() -> None:
    """A bar that turns and slides can only fall by turning: m g p = (J + m p^2) q'' with the inertia J of both."""
    pitch = 0.3
    model = cs.Model("screw", gravity=(0, 0, -9.81))
    turn = model.add(cs.RigidBody("turn", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.2)))
    nut = model.add(cs.RigidBody("nut", mass=2.0, com=(0, 0, 1), inertia=(0.2, 0.2, 0.3)))
    model.add(cs.Revolute("base", cs.GROUND, turn, axis=Z))
    model.add(cs.Prismatic("slide", turn.at((0, 0, 1)), nut, axis=Z))
    model.add(cs.Screw("screw", cs.GROUND, nut, axis=Z, pitch=pitch))
    with pytest.warns(cs.CosseratWarning, match="redundant"):
        run = cs.simulate(model, 1.5, 0.05, formulation="floating")
    rate = -9.81 * 2.0 * pitch / (0.5 + 2.0 * pitch**2)
    assert np.abs(run.coordinate("screw").values[-1]) > 2 * np.pi  # more than a turn
    np.testing.assert_allclose(run.coordinate("screw"), rate * run.time**2 / 2, atol=1e-9)


def test_a_beam_clamped_at_both_ends() -> None:
    """The second clamp is cut: six rows on the modes of a beam that hangs on the first."""
    model = cs.Model("clamped", gravity=(0, 0, -9.81))
    material = cs.Material(E=70e9, nu=0.3, rho=2700, damping=1e-4)
    section = cs.Rectangle(0.02, 0.01)
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, material=material, elements=6))
    model.add(cs.Fixed("left", cs.GROUND, beam.start))
    model.add(cs.Fixed("right", cs.GROUND, beam.end))
    span = (0.03, 5e-4)
    floating, galilean = cs.simulate(model, *span, formulation="floating", modes=6), cs.simulate(model, *span)
    assert floating.status.ok, floating.status.message
    middle = galilean.position("beam.at(0.5)").values
    assert np.abs(floating.position("beam.at(0.5)").values - middle).max() < 2e-3 * np.abs(middle[:, 2]).max()
    assert np.abs(floating.position("beam.end").values - (1, 0, 0)).max() < 1e-12
    for k in (2, 4):
        lift = galilean.reaction("right").values[:, k]
        assert np.abs(floating.reaction("right").values[:, k] - lift)[5:].max() < 0.01 * np.abs(lift).max()


def test_five_bar_with_flexible_legs() -> None:
    model = cs.Model("five-bar", gravity=(0, -9.81, 0))
    rod, steel = cs.Rod(diameter=0.008), cs.Material(E=210e9, nu=0.3, rho=7850, damping=1e-4)
    left, right, top = (0.0, 0.4, 0.0), (0.5, 0.4, 0.0), (0.25, 1.0, 0.0)
    one, two = bar(model, "one", (0, 0, 0), left, 0.2), bar(model, "two", (0.5, 0, 0), right, 0.2)
    leg1 = model.add(cs.Beam("leg1", points=[left, top], section=rod, material=steel, elements=4))
    leg2 = model.add(cs.Beam("leg2", points=[right, top], section=rod, material=steel, elements=4))
    model.add(cs.Revolute("m1", cs.GROUND, one.at((0, 0, 0)), axis=Z, motion="0.3 * sin(4 * t)"))
    model.add(cs.Revolute("m2", cs.GROUND, two.at((0.5, 0, 0)), axis=Z, motion="-0.2 * sin(5 * t)"))
    model.add(cs.Revolute("b1", one.at(left), leg1.start, axis=Z))
    model.add(cs.Revolute("b2", two.at(right), leg2.start, axis=Z))
    model.add(cs.Revolute("meet", leg1.end, leg2.end, axis=Z))
    floating = cs.simulate(model, 0.1, 2e-3, formulation="floating", modes=4)
    galilean = cs.simulate(model, 0.1, 2e-3)
    assert floating.status.ok, floating.status.message
    assert floating.constraint_violation.values.max() < 1e-11
    moved = np.ptp(galilean.position("leg1.end").values, axis=0).max()
    assert np.abs(floating.position("leg1.end").values - galilean.position("leg1.end").values).max() < 2e-4 * moved
    for name in ("m1", "meet"):
        one, two = floating.reaction(name).values[:, :3], galilean.reaction(name).values[:, :3]
        assert np.abs(one - two)[10:].mean() < 0.03 * np.abs(two).max()


def stewart() -> tuple[cs.Model, np.ndarray]:
    """Six legs with driven sliders; the sixth spherical joint of six is in the tree, five are cut."""
    model = cs.Model("Stewart platform", gravity=(0, 0, -9.81))
    plate = model.add(cs.RigidBody.cylinder("plate", diameter=0.6, length=0.05, mass=4, com=(0, 0, 1), axis=Z))
    ends = []
    for i, angle in enumerate(np.radians([0, 60, 120, 180, 240, 300])):
        foot = np.array([0.5 * np.cos(angle), 0.5 * np.sin(angle), 0])
        turned = angle + (0.7 if i % 2 == 0 else -0.7)
        head = np.array([0.3 * np.cos(turned), 0.3 * np.sin(turned), 1.0])
        along = (head - foot) / np.linalg.norm(head - foot)
        middle = (foot + head) / 2
        lower, upper = bar(model, f"lower{i}", foot, middle, 0.3), bar(model, f"upper{i}", middle, head, 0.3)
        across = np.cross(along, (1.0, 0.0, 0.0))
        across /= np.linalg.norm(across)
        model.add(cs.Universal(f"foot{i}", cs.GROUND, lower.at(foot), axes=(across, np.cross(along, across))))
        lift = lambda t, rate=3 + 0.2 * i: 0.05 * (1 - np.cos(rate * t))  # noqa: E731
        model.add(cs.Prismatic(f"slide{i}", lower.at(middle), upper.at(middle), axis=along, motion=lift))
        model.add(cs.Spherical(f"head{i}", upper.at(head), plate.at(head)))
        ends.append((foot, head))
    return model, np.array(ends)


def test_stewart_platform() -> None:
    model, ends = stewart()
    floating = cs.simulate(model, 0.5, 0.02, formulation="floating")
    galilean = cs.simulate(model, 0.5, 0.005, every=4, newton_tolerance=1e-9)
    assert floating.status.ok, floating.status.message
    assert floating.constraint_violation.values.max() < 1e-11
    assert np.abs(floating.position("plate").values - galilean.position("plate").values).max() < 1e-8
    for i, (foot, head) in enumerate(ends):  # lengths of the legs are prescribed
        tip = floating.position(f"upper{i}.at({head[0]}, {head[1]}, {head[2]})").values
        length = np.linalg.norm(tip - foot, axis=1)
        rest = np.linalg.norm(head - foot)
        np.testing.assert_allclose(length - rest, 0.05 * (1 - np.cos((3 + 0.2 * i) * floating.time)), atol=1e-10)
    one, two = floating.effort("slide0").values, galilean.effort("slide0").values
    assert np.abs(one - two)[3:].max() < 0.01 * np.abs(two).max()


def test_loops_are_closed_at_the_start() -> None:
    """A driven crank whose motion begins away from zero, and moving."""
    model = four_bar("spatial", motion="0.4 + 2 * t")
    run = cs.simulate(model, 0.05, 0.01, formulation="floating")
    q = 0.6 + 0.4 + 2 * run.time
    np.testing.assert_allclose(run.coordinate("D"), rocker_angle(q) - rocker_angle(0.6), atol=1e-10)
    slope = (rocker_angle(q + 1e-5) - rocker_angle(q - 1e-5)) / 2e-5
    np.testing.assert_allclose(run.coordinate_rate("D"), 2 * slope, atol=1e-8)


@pytest.mark.filterwarnings("ignore:redundant constraints")
def test_two_loops_that_share_a_bar() -> None:
    """Parallelograms side by side, planar: many rows that no velocity moves."""
    model = cs.Model("ladder", gravity=(0, -9.81, 0))
    posts = [bar(model, f"post{k}", (k, 0, 0), (k, 1, 0)) for k in range(3)]
    rails = [bar(model, f"rail{k}", (k, 1, 0), (k + 1, 1, 0)) for k in range(2)]
    for k, post in enumerate(posts):
        model.add(cs.Revolute(f"foot{k}", cs.GROUND, post.at((k, 0, 0)), axis=Z, stiffness=5.0))
    for k, rail in enumerate(rails):
        model.add(cs.Revolute(f"left{k}", posts[k].at((k, 1, 0)), rail.at((k, 1, 0)), axis=Z))
        model.add(cs.Revolute(f"right{k}", rail.at((k + 1, 1, 0)), posts[k + 1].at((k + 1, 1, 0)), axis=Z))
    model.add(cs.Force("push", rails[0], (3, 0, 0)))
    floating, galilean = cs.simulate(model, 0.1, 2e-3, formulation="floating"), cs.simulate(model, 0.1, 2e-3)
    assert np.abs(floating.position("rail1").values - galilean.position("rail1").values).max() < 1e-8
    for joint in model.joints:
        one, two = floating.reaction(joint.name).values, galilean.reaction(joint.name).values
        np.testing.assert_allclose(one[20:, :2], two[20:, :2], atol=1e-3)  # in the plane they are unique
        assert np.abs(one).max() < 100


def test_a_loop_that_floats_freely() -> None:
    model = cs.Model("free loop")
    corners = [(0, 0, 0), (0, 0.5, 0.1), (0.6, 0.7, 0), (0.7, 0, 0.1)]
    bars = [bar(model, f"b{k}", corners[k], corners[(k + 1) % 4]) for k in range(4)]
    kinds = [cs.Revolute, cs.Universal, cs.Spherical, cs.Revolute]
    axes = [{"axis": Z}, {"axes": (Z, (0, 1, 0))}, {}, {"axis": Z}]
    for k, (kind, options) in enumerate(zip(kinds, axes, strict=True)):
        at = corners[(k + 1) % 4]
        model.add(kind(f"j{k}", bars[k].at(at), bars[(k + 1) % 4].at(at), **options))
    model.add(cs.Force("push", bars[1], ("1", "2 * sin(10 * t)", "0.5")))
    floating = cs.simulate(model, 0.2, 5e-3, formulation="floating", integrator="runge-kutta")
    galilean = cs.simulate(model, 0.2, 5e-4, every=10)
    for name in ("b1", "b3"):
        assert np.abs(floating.position(name).values - galilean.position(name).values).max() < 1e-7
    momentum = floating.momentum.values[-1, :3]
    np.testing.assert_allclose(momentum, (0.2, 0.2 * (1 - np.cos(2)), 0.1), atol=1e-6)


@pytest.mark.filterwarnings("ignore:redundant constraints")
def test_joints_inside_rigid_groups() -> None:
    """A weld between rigid bodies, one to the ground, and a joint between bodies that are welded already."""
    model = cs.Model("welds", gravity=(0, 0, -9.81))
    wall = bar(model, "wall", (-1, 0, 0), (0, 0, 0))
    one, two = bar(model, "one", (0, 0, 0), (1, 0, 0)), bar(model, "two", (1, 0, 0), (2, 0, 0), mass=2.0)
    model.add(cs.Fixed("bolt", cs.GROUND, wall.at((-1, 0, 0))))
    model.add(cs.Revolute("hinge", wall.at((0, 0, 0)), one.at((0, 0, 0)), axis=(0, 1, 0)))
    model.add(cs.Fixed("weld", one.at((1, 0, 0)), two.at((1, 0, 0))))
    model.add(cs.Spring("spring", wall.at((-0.5, 0, 1)), two, stiffness=30.0, damping=1.0))
    options = {"formulation": "floating", "integrator": "runge-kutta"}
    floating, galilean = cs.simulate(model, 0.2, 0.01, **options), cs.simulate(model, 0.2, 5e-4, every=20)
    for joint in model.joints:
        one_, two_ = floating.reaction(joint.name).values, galilean.reaction(joint.name).values
        assert np.abs(one_ - two_)[1:].max() < 2e-4 * np.abs(two_).max()
    model.add(cs.Spherical("twice", one.at((1, 0, 0)), two.at((1, 0, 0))))
    again = cs.simulate(model, 0.2, 0.01, **options)
    np.testing.assert_allclose(again.position("two"), floating.position("two"), atol=1e-10)


@pytest.mark.parametrize("how", [{}, {"step": None}, {"integrator": "runge-kutta"}])
def test_forces_in_a_loop_that_cannot_move(how: dict) -> None:
    """Two bars lean on each other: F / (2 sin a) in each. No acceleration changes; the forces were those of old."""
    model, feet, top = cs.Model("truss"), np.array([(-0.6, 0, 0), (0.6, 0, 0)]), np.array([0, 0.8, 0])
    a, b = (
        model.add(cs.RigidBody(name, mass=1.0, com=0.5 * (foot + top), inertia=0.1 * np.eye(3)))
        for name, foot in zip("ab", feet, strict=True)
    )
    model.add(cs.Revolute("left", cs.GROUND, a, at=feet[0], axis=(0, 0, 1)))
    model.add(cs.Universal("top", a, b, at=top, axes=[(0, 0, 1), (0.8, 0.6, 0)]))
    model.add(cs.Spherical("right", cs.GROUND, b, at=feet[1]))
    model.add(cs.Force("load", a.at(top), (0, "-10*sin(30*t)", 0)))
    run = cs.simulate(model, 0.5, formulation="floating", **{"step": 0.005, **how})
    push = 10 * np.sin(30 * run.time[:, None]) / 1.6
    np.testing.assert_allclose(run.reaction("right").values[:, :2], push * (-0.6, 0.8), atol=1e-7)


def test_welds_where_a_load_jumps_within_a_step() -> None:
    """A weld carries what its outer body needs, m a; the rail had other loads than the step, and the weld a part."""
    runs, force = [], "10*(1 - step(t, 0.0163))"
    for formulation in ("floating", "galilean"):
        model = cs.Model("slider")
        one, two = (
            model.add(cs.RigidBody(name, mass=1.5, com=(x, 0, 0), inertia=0.1 * np.eye(3)))
            for name, x in (("one", 0.0), ("two", 0.3))
        )
        model.add(cs.Prismatic("rail", cs.GROUND, one, at=(0, 0, 0), axis=(1, 0, 0)))
        model.add(cs.Fixed("weld", one, two, at=(0.1, 0, 0)))
        model.add(cs.Force("push", one, (force, force, 0.0)))
        runs.append(cs.simulate(model, 0.04, 0.004, formulation=formulation))
    for joint in ("rail", "weld"):
        reactions = [run.reaction(joint).values for run in runs]
        np.testing.assert_allclose(reactions[0], reactions[1], atol=1e-6)
    wanted = 1.5 * runs[0].acceleration("two").values
    np.testing.assert_allclose(runs[0].reaction("weld").values[:, :3], wanted, atol=1e-9)


@pytest.mark.parametrize("weight", [True, False])
def test_a_ring_whose_ends_are_welded_to_each_other(weight: bool) -> None:
    """The weld carries what the section there does."""
    model = cs.Model("ring")
    section = cs.Section(stiffness=[1e4, 1e4, 1e4, 5, 5, 5], mass=[1, 1, 1, 2e-3, 1e-3, 1e-3])
    ring = model.add(
        cs.Beam("ring", curve=("cos(2*pi*s)", "sin(2*pi*s)", 0), section=section, elements=8, up=(0, 0, 1))
    )
    model.add(cs.Fixed("foot", cs.GROUND, ring.at(0.5)))
    model.add(cs.Fixed("weld", ring.end, ring.start))
    model.add(cs.Force("pull", ring.at(0.75), (0.01, 0.05, 0.02)))
    if weight:
        bead = model.add(cs.RigidBody("bead", mass=0.01, com=(0, 1, 0), inertia=1e-3 * np.eye(3)))
        model.add(cs.Fixed("glue", ring.at(0.25), bead))
    full, reduced = (cs.equilibrium(model, formulation=f) for f in (None, cs.Floating(modes=20)))
    for found in (full, reduced):
        wrench = np.kron(np.eye(2), found.rotation("ring.start").T) @ found.reaction("weld")
        assert np.allclose(wrench, -found.section_force("ring", 0.0), atol=1e-9)
    assert np.allclose(reduced.reaction("weld"), full.reaction("weld"), atol=1e-6)
    pairs = (cs.modes(model, 2, formulation=f).frequencies for f in (None, cs.Floating(modes=20)))
    assert np.allclose(*pairs, rtol=1e-3)
