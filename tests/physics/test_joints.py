"""Every type of joint: its freedoms, its reactions, and what can act in a freedom, against closed forms."""

import numpy as np
import pytest

import cosserat as cs

MASS = 2.0
INERTIA = np.diag([0.3, 0.4, 0.5])
AXIS = np.array([0.48, -0.6, 0.64])
KINDS = {
    "Fixed": 0, "Revolute": 1, "Prismatic": 1, "Screw": 1, "Universal": 2, "Cylindrical": 2, "PlanarTranslation": 2,
    "Spherical": 3, "Planar": 3, "Free": 6,
}  # fmt: skip


def geometry(kind):
    if kind in ("Revolute", "Prismatic", "Cylindrical"):
        return {"axis": AXIS}
    if kind == "Screw":
        return {"axis": AXIS, "pitch": 0.2}
    if kind in ("Planar", "PlanarTranslation"):
        return {"normal": AXIS}
    if kind == "Universal":
        return {"axes": (AXIS, (0.8, 0.0, -0.6))}
    return {}


def one_body(kind, gravity=(0, 0, 0), com=(0.3, 0.1, -0.2), **options):
    model = cs.Model(kind, gravity=gravity)
    body = model.add(cs.RigidBody("body", mass=MASS, com=com, inertia=INERTIA))
    model.add(getattr(cs, kind)("joint", cs.GROUND, body.at((0, 0, 0)), **geometry(kind), **options))
    return model


def simulated(model, *args, **options):
    run = cs.simulate(model, *args, **options)
    assert run.status.ok, run.status.message
    return run


@pytest.mark.parametrize("kind", KINDS)
def test_number_of_freedoms(kind):
    """Random wrenches excite every freedom and nothing else: the rank of the accelerations is their number."""
    rng = np.random.default_rng(3)
    accelerations = []
    for _ in range(8):
        model = one_body(kind)
        model.add(cs.Wrench("push", "body", rng.normal(size=6)))
        run = simulated(model, 1e-3, 1e-3)
        a, w = run.acceleration("body")[0].values, run.angular_acceleration("body")[0].values
        accelerations.append(np.concatenate((a, w)))
    values = np.linalg.svd(np.array(accelerations), compute_uv=False)
    assert np.sum(values > 1e-6 * max(values[0], 1.0)) == KINDS[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_constraints_hold_and_reactions_do_no_work(kind):
    model = one_body(kind, gravity=(3, -2, -9.81))
    run = simulated(model, 0.5, 1e-3)
    assert float(run.constraint_violation.max()) < 1e-8
    reaction = run.reaction("joint").values
    place = model["body"].at((0, 0, 0))
    v, w = run.velocity(place).values, run.angular_velocity("body").values
    power = np.sum(reaction[:, :3] * v + reaction[:, 3:] * w, axis=1)
    scale = np.abs(reaction).max() * max(np.abs(v).max(), np.abs(w).max(), 1e-3)
    assert np.abs(power[1:]).max() < 2e-3 * scale + 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_reactions_balance_newton_and_euler(kind):
    """Reaction + weight = m a, and the moments about the joint, with accelerations by differences of the motion."""
    g = np.array([3, -2, -9.81])
    model = one_body(kind, gravity=g)
    h = 1e-3
    run = simulated(model, 0.3, h, newton_tolerance=1e-10)
    x = run.position("body").values
    a = (x[2:] - 2 * x[1:-1] + x[:-2]) / h**2
    reaction = run.reaction("joint").values[1:-1]
    np.testing.assert_allclose(reaction[20:, :3], MASS * (a - g)[20:], atol=5e-3 * MASS * 9.81)
    R = run.rotation("body").values
    L = np.einsum("tij,jk,tlk,tl->ti", R, INERTIA, R, run.angular_velocity("body").values)
    L_dot = (L[2:] - L[:-2]) / (2 * h)
    arm = run.position(model["body"].at((0, 0, 0))).values - x
    moment = reaction[:, 3:] + np.cross(arm[1:-1], reaction[:, :3])
    np.testing.assert_allclose(moment[20:], L_dot[20:], atol=0.05)


MOVING = {
    "Revolute": ["rz"], "Prismatic": ["z"], "Screw": ["rz"], "Cylindrical": ["z", "rz"], "Planar": ["x", "y", "rz"],
    "PlanarTranslation": ["x", "y"], "Universal": ["rx", "ry"], "Spherical": ["rx", "ry", "rz"],
    "Free": ["x", "y", "z", "rx", "ry", "rz"],
}  # fmt: skip


@pytest.mark.parametrize("kind", MOVING)
def test_driven_by_motion(kind):
    """All freedoms prescribed: the coordinates follow, from values that are not zero at the start."""
    names = MOVING[kind]
    motions = [lambda t, i=i: 0.3 + 0.1 * i + 0.4 * np.sin((2 + i) * t) for i in range(len(names))]
    model = one_body(kind, motion=motions[0] if len(names) == 1 else dict(zip(names, motions)))
    run = simulated(model, 1.0, 5e-3)
    q = run.coordinate("joint").values.reshape(len(run.time), -1)
    expected = np.stack([m(run.time) for m in motions], axis=1)
    np.testing.assert_allclose(q, expected, atol=1e-9)
    rates = run.coordinate_rate("joint").values.reshape(len(run.time), -1)
    exact = np.stack([0.4 * (2 + i) * np.cos((2 + i) * run.time) for i in range(len(names))], axis=1)
    np.testing.assert_allclose(rates, exact, atol=2e-3)


@pytest.mark.parametrize("kind", ["Cylindrical", "Planar", "PlanarTranslation", "Universal"])
def test_one_freedom_driven_the_others_free(kind):
    name = MOVING[kind][0]
    model = one_body(kind, gravity=(1, 0, -9.81), motion={name: lambda t: 0.1 + 0.2 * np.sin(3 * t)})
    run = simulated(model, 0.5, 2e-3)
    q = run.coordinate("joint")
    np.testing.assert_allclose(q.values[:, 0], 0.1 + 0.2 * np.sin(3 * run.time), atol=1e-9)
    assert np.abs(q.values[-1, 1:] - q.values[0, 1:]).max() > 1e-3


PAIRS = [(kind, name) for kind, names in MOVING.items() for name in names]


def aligned(kind, name, freedom_options, gravity=(0, 0, 0)):
    """A body with its centre at the joint and isotropic inertia: every freedom moves alone."""
    model = cs.Model(kind, gravity=gravity)
    J = 0.5
    body = model.add(cs.RigidBody("body", mass=MASS, com=(0, 0, 0), inertia=J * np.eye(3)))
    names = MOVING[kind]
    options = {}
    for key, value in freedom_options.items():
        if len(names) == 1:
            options[key] = value
        elif key in ("stiffness", "damping") and kind in ("Spherical", "Free") and name.startswith("r"):
            options[key] = {n: value for n in ("rx", "ry", "rz")}
        else:
            options[key] = {name: value}
    model.add(getattr(cs, kind)("joint", cs.GROUND, body, **geometry(kind), **options))
    mass = MASS if not name.startswith("r") else J
    if kind == "Screw":
        mass = J + MASS * 0.2**2
    return model, mass


def coordinate(run, kind, name):
    q = run.coordinate("joint").values.reshape(len(run.time), -1)
    return q[:, MOVING[kind].index(name)]


@pytest.mark.parametrize("kind, name", PAIRS)
def test_driven_by_effort(kind, name):
    """Constant effort on one freedom: q = Q t^2 / (2 m)."""
    model, mass = aligned(kind, name, {"effort": 0.6})
    run = simulated(model, 1.0, 2e-3)
    np.testing.assert_allclose(coordinate(run, kind, name), 0.6 * run.time**2 / (2 * mass), atol=2e-5)


@pytest.mark.parametrize("kind, name", PAIRS)
def test_elastic(kind, name):
    """Spring and constant effort: q = (Q/k)(1 - cos(omega t))."""
    k, Q = 20.0, 2.0
    model, mass = aligned(kind, name, {"effort": Q, "stiffness": k})
    run = simulated(model, 2.0, 1e-3)
    exact = Q / k * (1 - np.cos(np.sqrt(k / mass) * run.time))
    np.testing.assert_allclose(coordinate(run, kind, name), exact, atol=1e-4)


@pytest.mark.parametrize("kind, name", PAIRS)
def test_viscous(kind, name):
    """Effort against a damper: the rate goes to Q/c exponentially."""
    c, Q = 1.5, 0.9
    model, mass = aligned(kind, name, {"effort": Q, "damping": c})
    run = simulated(model, 1.5, 1e-3)
    rate = run.coordinate_rate("joint").values.reshape(len(run.time), -1)[:, MOVING[kind].index(name)]
    np.testing.assert_allclose(rate, Q / c * (1 - np.exp(-c / mass * run.time)), atol=1e-4)


@pytest.mark.parametrize("kind", ["Revolute", "Prismatic", "Screw", "Cylindrical"])
def test_dry_friction_decelerates(kind):
    """Effort above the friction level, then none: constant acceleration, constant deceleration, standstill."""
    name = MOVING[kind][-1]
    friction = cs.Friction(0.3, speed=1e-3)
    push = lambda t: np.where(t < 0.5 - 1e-9, 1.0, np.where(t < 0.5 + 1e-9, 0.5, 0.0))  # noqa: E731
    model, mass = aligned(kind, name, {"effort": push, "friction": friction})
    run = simulated(model, 3.0, 1e-3)
    rate = run.coordinate_rate("joint").values.reshape(len(run.time), -1)[:, MOVING[kind].index(name)]
    t = run.time
    up, down = 0.7 / mass, 0.3 / mass
    exact = np.where(t < 0.5, up * t, np.maximum(0.5 * up - down * (t - 0.5), 0.0))
    np.testing.assert_allclose(rate, exact, atol=5e-3 * up)


def test_screw_advances_through_many_turns():
    model, _ = aligned("Screw", "rz", {"effort": 10.0})
    run = simulated(model, 3.0, 1e-3)
    q = run.coordinate("joint").values
    assert q[-1] > 6 * np.pi
    np.testing.assert_allclose(run.position("body").values, 0.2 * q[:, None] * AXIS, atol=1e-8)


def test_effort_of_a_drive():
    """The torque that moves a pendulum as prescribed: J q'' + m g l cos q."""
    model = cs.Model("driven pendulum", gravity=(0, -9.81, 0))
    bar = model.add(cs.RigidBody("bar", mass=1.0, com=(0.5, 0, 0), inertia=np.diag([1e-3, 1 / 12, 1 / 12])))
    motion = lambda t: 0.7 * np.sin(2 * t)  # noqa: E731
    model.add(cs.Revolute("hinge", cs.GROUND, bar.at((0, 0, 0)), axis=(0, 0, 1), motion=motion))
    run = simulated(model, 2.0, 1e-3, newton_tolerance=1e-9)
    q, a = motion(run.time), -2.8 * np.sin(2 * run.time)
    settled = run.time > 0.1  # a short oscillation of the multiplier at the start, which the method damps
    exact = a / 3 + 9.81 * 0.5 * np.cos(q)
    np.testing.assert_allclose(run.effort("hinge")[settled], exact[settled], atol=1e-3)
    np.testing.assert_allclose(run.effort("hinge"), exact, atol=1e-2)


def test_universal_joint_transmits_unevenly():
    """A universal joint at a bend beta: tan(out) = tan(in) cos(beta) for shafts held by cylindrical bearings."""
    beta = np.radians(30)
    model = cs.Model("Cardan shaft")
    out_axis = np.array([np.cos(beta), np.sin(beta), 0])
    one = model.add(cs.RigidBody("one", mass=1, com=(-0.5, 0, 0), inertia=0.1 * np.eye(3)))
    two = model.add(cs.RigidBody("two", mass=1, com=0.5 * out_axis, inertia=0.1 * np.eye(3)))
    model.add(cs.Revolute("in", cs.GROUND, one, axis=(1, 0, 0), motion=lambda t: 2 * t))
    model.add(
        cs.Universal("cross", one.at((0, 0, 0)), two.at((0, 0, 0)), axes=((0, 0, 1), (-out_axis[1], out_axis[0], 0)))
    )
    model.add(cs.Cylindrical("out", cs.GROUND, two, axis=out_axis))
    with pytest.warns(cs.CosseratWarning, match="redundant"):
        run = simulated(model, 3.0, 1e-3)
    q = 2 * run.time
    out = run.coordinate("out.rz").values
    expected = np.unwrap(np.arctan2(np.sin(q), np.cos(q) * np.cos(beta)))
    alternative = np.unwrap(np.arctan2(np.sin(q) * np.cos(beta), np.cos(q)))
    error = min(np.abs(out - expected).max(), np.abs(out - alternative).max())
    assert error < 1e-6
