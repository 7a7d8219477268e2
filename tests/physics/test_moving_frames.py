"""Models in frames that move as prescribed: what they give is what a Galilean run looks like from there."""

import numpy as np
import pytest
from scipy.optimize import least_squares

import cosserat as cs

FORMULATIONS = ("galilean", "floating")
SHIP = cs.Observer(
    origin=("2*t + 0.3*sin(t)", "0.2*t**2", "0.1*cos(2*t)"),
    turns=[((0, 0, 1), "0.4*t + 0.2*sin(t)"), ((1, 0, 0), "0.3*sin(1.5*t)")],
)
SPIN = np.array([0.3, -0.5, 0.8])
INERTIA = np.diag([0.2, 0.3, 0.4])


def galilean_velocity(frame, x, v, spin):
    """Velocity and angular velocity in space of what moves with v and spin relative to the frame, at the time 0."""
    m = frame.motion([0.0])
    R = m.rotation[0]
    return m.velocity[0] + np.cross(m.omega[0], R @ x) + R @ v, m.omega[0] + R @ spin


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_free_body_seen_from_a_ship(formulation):
    x, v = np.array([1.0, 0.5, -0.2]), np.array([0.2, -0.1, 0.3])
    inside = cs.Model("in the ship", frame=SHIP)
    inside.add(cs.RigidBody("body", mass=2, com=x, inertia=INERTIA, velocity=v, angular_velocity=SPIN))
    outside = cs.Model("in space")
    m = SHIP.motion([0.0])
    velocity, spin = galilean_velocity(SHIP, x, v, SPIN)
    outside.add(
        cs.RigidBody("body", mass=2, com=m.origin[0] + m.rotation[0] @ x, inertia=INERTIA, velocity=velocity,
                     angular_velocity=spin)
    )  # fmt: skip
    a = cs.simulate(inside, 2.0, 0.002, formulation=formulation)
    b = cs.simulate(outside, 2.0, 0.002).seen_from(SHIP)
    np.testing.assert_allclose(a.position("body"), b.position("body"), atol=2e-5)
    np.testing.assert_allclose(a.velocity("body"), b.velocity("body"), atol=5e-5)
    np.testing.assert_allclose(a.rotation("body"), b.rotation("body"), atol=5e-5)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_free_beam_seen_from_a_ship(formulation):
    section = cs.Section(stiffness=np.diag([1e5, 1e5, 1e5, 20, 30, 30]), mass=np.diag([0.5] * 3 + [2e-3, 1e-3, 1e-3]))

    def beam(model, points, velocity):
        model.add(cs.Beam("beam", points=points, section=section, elements=6, velocity=velocity))
        return model

    ends = np.array([(0.5, 0.0, 0.0), (1.5, 0.2, 0.0)])
    m = SHIP.motion([0.0])
    R, origin = m.rotation[0], m.origin[0]

    def field(point):
        x = R.T @ (np.asarray(point) - origin)
        v, w = galilean_velocity(SHIP, x, np.zeros(3), np.zeros(3))
        return (*v, *w)

    more = {} if formulation == "galilean" else {"formulation": "floating", "modes": 6, "boundary": "free"}
    a = cs.simulate(beam(cs.Model("in the ship", frame=SHIP), ends, (0, 0, 0)), 1.0, 0.005, **more)
    b = cs.simulate(beam(cs.Model("in space"), origin + ends @ R.T, field), 1.0, 0.005).seen_from(SHIP)
    assert a.status.ok
    np.testing.assert_allclose(a.position("beam.end"), b.position("beam.end"), atol=2e-4)
    np.testing.assert_allclose(a.position("beam.start"), b.position("beam.start"), atol=2e-4)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_turntable(formulation):
    """REFERENCES: Omega = 2, released at rest in it at (1, 0): r_rot(1.5) = (-0.5666324724, -3.1110974979)."""
    model = cs.Model("table", frame=cs.Observer(turns=[((0, 0, 1), "2*t")]))
    model.add(cs.RigidBody("puck", mass=2, com=(1, 0, 0), inertia=INERTIA))
    errors = []
    for h in (0.01, 0.005):
        run = cs.simulate(model, 1.5, h, formulation=formulation)
        errors.append(np.abs(run.position("puck").values[-1, :2] - (-0.5666324724, -3.1110974979)).max())
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)


def test_eastward_deflection():
    """REFERENCES: Omega = 7.2921159e-5, latitude 45 degrees, 100 m: 0.0155212896 m."""
    model = cs.Model("tower", gravity=(0, 0, -9.81), frame=cs.Observer.earth(np.pi / 4))
    model.add(cs.RigidBody("stone", mass=1, com=(0, 0, 0), inertia=INERTIA))
    t = np.sqrt(200 / 9.81)
    run = cs.simulate(model, t, t / 400)
    assert float(run.position("stone")[-1, 0]) == pytest.approx(0.0155212896, rel=2e-5)
    run = cs.simulate(model, t, t / 100, formulation="floating", integrator="runge-kutta")
    assert float(run.position("stone")[-1, 0]) == pytest.approx(0.0155212896, abs=5e-10)  # there is a part of Omega^2


def test_foucault():
    """REFERENCES: Paris, 67 m, 48.85 degrees: 11.325766 degrees per hour, with an amplitude of 1 cm."""
    model = cs.Model("pendulum", gravity=(0, 0, -9.81), frame=cs.Observer.earth(np.radians(48.85)))
    bob = model.add(cs.RigidBody("bob", mass=28, com=(0, 0, -67), inertia=1e-6 * np.eye(3)))
    model.add(cs.Universal("pivot", cs.GROUND, bob, axes=((1, 0, 0), (0, 1, 0)), at=(0, 0, 0)))
    swings = np.sort(np.abs(np.imag(cs.linearize(model).eigenvalues)))  # two circular ones, one each way
    assert np.degrees(0.5 * (swings[-1] - swings[0])) * 3600 == pytest.approx(11.325766, abs=5e-7)


@pytest.mark.parametrize(
    "options",
    [{"rho": 0.99}, {"integrator": "energy-momentum"}, {"formulation": "floating", "integrator": "runge-kutta"}],
)
def test_foucault_in_a_run(options):
    """The plane of a swing of 1 cm through ten minutes: z = exp(-i W t) (a cos(w t) + b sin(w t)), fitted."""
    model = cs.Model("pendulum", gravity=(0, 0, -9.81), frame=cs.Observer.earth(np.radians(48.85)))
    top = np.sqrt(67.0**2 - 1e-4)
    bob = model.add(cs.RigidBody("bob", mass=28, com=(0.01, 0, -top), inertia=1e-6 * np.eye(3)))
    model.add(cs.Universal("pivot", cs.GROUND, bob, axes=((1, 0, 0), (0, 1, 0)), at=(0, 0, 0)))
    rest = cs.equilibrium(model).position("bob")[:2]

    def degrees_per_hour(step):
        run = cs.simulate(model, 600.0, step, every=round(0.2 / step), **options)
        z = (run.position("bob").values[:, :2] - rest) @ [100.0, 100.0j]

        def misfit(p):
            turn = np.exp(-1e-5j * p[0] * run.time)[:, None]
            F = turn * np.stack((np.cos(p[1] * run.time), np.sin(p[1] * run.time)), axis=1)
            rest = z - F @ np.linalg.lstsq(F, z, rcond=None)[0]
            return np.concatenate((rest.real, rest.imag))

        tight = dict.fromkeys(("xtol", "ftol", "gtol"), 1e-15)
        found = least_squares(misfit, [5.0, np.sqrt(9.81 / 67)], x_scale=[1.0, 1e-5], **tight)
        return np.degrees(1e-5 * found.x[0]) * 3600

    errors = [degrees_per_hour(step) - 11.325766 for step in (0.1, 0.05)]
    if "formulation" in options:
        assert abs(errors[1]) < 1e-6
    else:
        assert abs(errors[1]) < 1.1e-3
        assert errors[0] / errors[1] == pytest.approx(4.0, rel=1e-2)


def test_a_beam_on_a_turntable_is_stretched():
    """Steady stretch of a bar that turns: u(L) = rho A W^2 L^3/(3 EA) to first order, and as with spin=."""
    W = 2.0
    section = cs.Section(stiffness=np.diag([1e3, 1e3, 1e3, 10, 10, 10]), mass=np.diag([0.5] * 3 + [1e-3] * 3))

    def bar(**more):
        model = cs.Model("bar", **more)
        beam = model.add(cs.Beam("bar", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=32))
        model.add(cs.Fixed("root", cs.GROUND, beam.start))
        return model

    seen = cs.equilibrium(bar(frame=cs.Observer(turns=[((0, 0, 1), f"{W}*t")])))
    turned = cs.equilibrium(bar(), spin=(0, 0, W))
    stretch = float(turned.position("bar.end")[0]) - 1.0
    assert float(seen.position("bar.end")[0]) - 1.0 == pytest.approx(stretch, rel=1e-9)
    assert stretch == pytest.approx(0.5 * W**2 / 3 / 1e3, rel=2e-3)


def test_apparent_forces_close_newton_euler_in_the_frame():
    """m a_rel = F + apparent, and the same for moments, at every time of a run in an accelerating frame."""
    model = cs.Model("in the ship", frame=SHIP, gravity=(0, 0, -9.81))
    model.add(cs.RigidBody("body", mass=2, com=(1, 0.5, 0), inertia=INERTIA, angular_velocity=SPIN))
    run = cs.simulate(model, 1.0, 0.01, newton_tolerance=1e-13)
    m = SHIP.motion(run.time)
    to = np.swapaxes(m.rotation, 1, 2)
    own = [np.einsum("tij,tj->ti", to, v) for v in (m.acceleration, m.omega, m.alpha)]
    x, v, a = (f("body").values for f in (run.position, run.velocity, run.acceleration))
    A, O, L = own
    apparent = -(A + np.cross(L, x) + np.cross(O, np.cross(O, x)) + 2 * np.cross(O, v))
    np.testing.assert_allclose(a, apparent + [0, 0, -9.81], atol=1e-10)
    w, dw = run.angular_velocity("body").values, run.angular_acceleration("body").values
    R = run.rotation("body").values
    J = R @ INERTIA @ np.swapaxes(R, 1, 2)
    spin, rate = w + O, dw + L + np.cross(O, w)
    moment = np.einsum("tij,tj->ti", J, rate) + np.cross(spin, np.einsum("tij,tj->ti", J, spin))
    assert np.abs(moment).max() < 1e-10


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(
    ("motion", "wanted"),
    [
        ({"origin": ("0.5*smoothstep(t, 2, 5)", 0, 0)}, (0.5, 0.0)),
        ({"turns": [((0, 0, 1), "smoothstep(t, 2, 5)")]}, (np.cos(1.0), -np.sin(1.0))),
        (
            {"turns": [((0, 0, 1), lambda t: 0.2 * t)]},
            (np.cos(1.2) + 1.2 * np.sin(1.2), 1.2 * np.cos(1.2) - np.sin(1.2)),
        ),
    ],
)
def test_frames_that_begin_to_move_later_or_are_functions(motion, wanted, formulation):
    """A puck at rest in space, or one that starts at rest in a frame that turns, seen from there after 6 s."""
    model = cs.Model("puck", frame=cs.Observer(**motion))
    model.add(cs.RigidBody("puck", mass=2, com=(1, 0, 0), inertia=INERTIA))
    run = cs.simulate(model, 6.0, 0.01, formulation=formulation)
    np.testing.assert_allclose(run.position("puck").values[-1, :2], wanted, atol=2e-4)
