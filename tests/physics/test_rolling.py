"""Rolling and skating in absolute frames: closed forms, no slip, no work, and relative coordinates beside them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import cosserat as cs
from cosserat.solve.motion.wheels import rolling_turn

G = 9.81
MASS, RADIUS = 1.5, 0.3
A, C = MASS * RADIUS**2 / 4, MASS * RADIUS**2 / 2
SCHEMES = ("generalized-alpha", "energy-momentum")


def steady(tilt: float, precession: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Velocity, angular velocity and spin of a disc that rolls along a circle; its axis leans by `tilt` from upright.

    Newton's and Euler's equations in the precessing frame: precession sin(tilt) (A precession cos(tilt) - C spin)
    = m R (R spin precession sin(tilt) + g cos(tilt)).
    """
    s, c = np.sin(tilt), np.cos(tilt)
    spin = (A * precession**2 * s * c - MASS * G * RADIUS * c) / (precession * s * (C + MASS * RADIUS**2))
    e = np.array([s, 0, c])
    u = (np.array([0, 0, 1]) - c * e) / s
    return RADIUS * spin * np.cross(e, u), spin * e + precession * s * u, spin


def disc(tilt: float, spin: np.ndarray, velocity: np.ndarray | None = None) -> cs.Model:
    """A thin disc on the plane z = 0."""
    model = cs.Model("disc", gravity=(0, 0, -G))
    R = cs.lie.so3.exp([0, tilt, 0])
    com = (0, 0, RADIUS * np.sin(tilt))
    body = cs.RigidBody(
        "disc", mass=MASS, com=com, inertia=(A, A, C), rotation=R, velocity=velocity, angular_velocity=spin
    )
    model.add(body)
    model.add(cs.RollingDisc("wheel", body, RADIUS, axis=R[:, 2]))
    return model


@pytest.mark.parametrize("integrator", SCHEMES)
@pytest.mark.parametrize(("tilt", "precession"), [(1.2, 2.5), (0.5, 6.0)])
def test_a_disc_rolls_along_a_circle(tilt: float, precession: float, integrator: str) -> None:
    velocity, omega, spin = steady(tilt, precession)
    centre = RADIUS * spin / precession * np.cross((0, 0, 1), (0, -1, 0))
    half = np.pi / precession
    error = []
    for steps in (200, 400):
        run = cs.simulate(disc(tilt, omega, velocity), half, half / steps, integrator=integrator)
        assert run.status.ok
        path = run.position("disc").values
        error.append(np.abs(path[-1] - path[0] - 2 * centre).max())  # opposite after half a turn
        assert run.constraint_violation.max() < 1e-13
    assert error[0] / error[1] == pytest.approx(4.0, rel=0.02)
    assert error[1] < 2e-3 * abs(RADIUS * spin / precession)
    force = run.reaction("wheel").values[:, :3]
    assert np.allclose(force[:, 2], MASS * G, rtol=3e-4)  # the plane carries the weight
    bend = MASS * abs(RADIUS * spin * precession)  # and bends the path
    assert np.allclose(np.hypot(*force[:, :2].T), bend, rtol=3e-4)


def test_a_disc_in_ten_thousand_steps() -> None:
    """Neither slip nor gap drift; the gap is a position, the slip a velocity."""
    _, omega, _ = steady(1.2, 2.5)
    model = disc(1.2, omega + [0.3, 0.2, 0.1])
    run = cs.simulate(model, 50.0, 0.005, newton_tolerance=1e-10)  # slip is what the iteration leaves
    assert run.stats["steps"] == 10_000
    assert run.slip("wheel").max() < 1e-11
    assert run.constraint_violation.max() < 1e-13
    assert np.ptp(run.position("disc").values[:, 2]) > 1e-3  # it wobbles
    energy = run.energy.total.values
    assert abs(energy[-1] - energy[0]) < 2e-5 * energy[0]


def test_rolling_does_no_work() -> None:
    """Energy to round-off; rows hold halfway through steps, so that at their ends slip is of second order, for ever."""
    _, omega, _ = steady(1.2, 2.5)
    slip = []
    for step in (0.01, 0.005):
        run = cs.simulate(disc(1.2, omega + [0.3, 0.2, 0.1]), 25.0, step, integrator="energy-momentum")
        assert np.abs(run.energy.balance).max() < 1e-10 * run.energy.total[0]
        assert run.constraint_violation.max() < 1e-13
        slip.append([float(run.slip("wheel")[part].max()) for part in (slice(200), slice(-200, None))])
    assert np.allclose(slip[0], 4 * np.array(slip[1]), rtol=0.05)
    assert np.allclose(slip[1][1], slip[1][0], rtol=0.5)


@pytest.mark.parametrize("integrator", SCHEMES)
def test_against_relative_coordinates(integrator: str) -> None:
    """A wobbling disc, another formulation and another integrator."""
    _, omega, _ = steady(1.0, 3.0)
    model = disc(1.0, omega + [0.5, 0.2, 0.1])
    error = []
    for step in (0.01, 0.005):
        run = cs.simulate(model, 1.0, step, integrator=integrator)
        first = np.concatenate((run.velocity("disc").values[0], run.angular_velocity("disc").values[0]))
        there = cs.constrained_motion(model, np.zeros(6), first, 1.0, 0.005)
        place = cs.forward_kinematics(model, there.q[-1])
        error.append(
            np.abs(run.position("disc").values[-1] - place.position("disc")).max()
            + np.abs(run.rotation("disc").values[-1] - place.rotation("disc")).max()
        )
        force = cs.constrained_dynamics(model, np.zeros(6), first).multipliers
        found = run.reaction("wheel").values[0, :3] @ model["wheel"].directions.T
        assert np.allclose(found, force, rtol=1e-9)  # from consistent accelerations
    assert error[0] / error[1] == pytest.approx(4.0, rel=0.05)
    assert error[1] < 5e-3


def skate(slope: float, omega: float) -> cs.Model:
    """On a plane that falls along x."""
    model = cs.Model("skate", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    body = cs.RigidBody.box("skate", (0.3, 0.1, 0.1), mass=2.0, velocity=(0, 0, 0), angular_velocity=(0, 0, omega))
    model.add(body)
    model.add(cs.Planar("ice", cs.GROUND, body, normal=(0, 0, 1), at=(0, 0, 0)))
    model.add(cs.KnifeEdge("edge", body, direction=(0, 1, 0)))
    return model


@pytest.mark.parametrize("integrator", SCHEMES)
def test_a_skate_does_not_slide_down(integrator: str) -> None:
    """Caratheodory: on a slope, a turning skate goes along a cycloid, sideways and not down."""
    omega, size = 3.0, G * np.sin(0.2) / (2 * 3.0**2)
    error = []
    for step in (0.01, 0.005):
        run = cs.simulate(skate(0.2, omega), 4.0, step, integrator=integrator)
        x, y, _ = run.position("skate").values.T
        t = run.time
        error.append(np.abs(x - size * np.sin(omega * t) ** 2).max())
        error[-1] += np.abs(y - size * (omega * t - 0.5 * np.sin(2 * omega * t))).max()
        assert run.slip("edge").max() < 1e-15  # its rows do not change in the frame of the body
    assert error[0] / error[1] == pytest.approx(4.0, rel=0.01)
    assert error[1] < 2e-4


@pytest.mark.parametrize("integrator", SCHEMES)
def test_the_sleigh_of_chaplygin(integrator: str) -> None:
    """Its edge is behind the centre of mass: it ends up going straight, all its energy in the speed along the edge.

    u_dot = a omega^2 and (I + m a^2) omega_dot = -m a u omega: with J = I + m a^2, u = U tanh(m a U t/J) and
    omega = U sqrt(m/J) / cosh(m a U t/J) if it starts turning on the spot.
    """
    m, inertia, a, U = 2.0, 0.05, 0.15, 0.8
    J = inertia + m * a**2
    W = U * np.sqrt(m / J)
    error = []
    for step in (0.02, 0.01):
        model = cs.Model("sleigh")
        body = cs.RigidBody(
            "sleigh", mass=m, com=(a, 0, 0), inertia=(1, 1, inertia), velocity=(0, a * W, 0), angular_velocity=(0, 0, W)
        )
        model.add(body)
        model.add(cs.Planar("ice", cs.GROUND, body, normal=(0, 0, 1), at=(0, 0, 0)))
        model.add(cs.KnifeEdge("edge", body.at((0, 0, 0)), direction=(0, 1, 0)))
        run = cs.simulate(model, 3.0, step, integrator=integrator)
        rate = m * a * U / J * run.time
        u = run.velocity(body.at((0, 0, 0)), frame="body").values[:, 0]
        omega = run.angular_velocity("sleigh").values[:, 2]
        error.append(max(np.abs(u - U * np.tanh(rate)).max(), np.abs(omega - W / np.cosh(rate)).max()))
    assert error[0] / error[1] == pytest.approx(4.0, rel=0.05)
    assert error[1] < 2e-3
    assert u[-1] == pytest.approx(U, rel=1e-3)


def cart(left: object, right: object, drive: str = "effort") -> cs.Model:
    """Two wheels on one axle, driven by efforts or motions, and a skid in front that keeps the frame level.

    The centre of mass is above the axle's middle, so that speed and turning rate grow evenly.
    """
    model = cs.Model("cart", gravity=(0, 0, -G))
    base = model.add(cs.RigidBody("base", mass=5.0, com=(0, 0, 0.2), inertia=(0.1, 0.2, 0.3)))
    for name, y, function in (("left", 0.3, left), ("right", -0.3, right)):
        wheel = model.add(cs.RigidBody(name, mass=0.5, com=(0, y, 0.2), inertia=(0.006, 0.01, 0.006)))
        model.add(cs.Revolute(f"{name} axle", base, wheel, axis=(0, 1, 0), at=(0, y, 0.2), **{drive: function}))
        model.add(cs.RollingDisc(f"{name} wheel", wheel, radius=0.2, axis=(0, 1, 0)))
    model.add(cs.KnifeEdge("skid", base.at((0.4, 0, 0)), direction=(0, 0, 1)))
    return model


LINEAR = 5.0 + 2 * (0.5 + 0.01 / 0.2**2)
ANGULAR = 0.3 + 2 * (0.006 + (0.5 + 0.01 / 0.2**2) * 0.3**2)


@pytest.mark.parametrize("integrator", SCHEMES)
def test_a_cart_goes_along_a_circle(integrator: str) -> None:
    """Constant efforts in both wheels: its speed grows like a t, its turning rate like b t, along a circle a/b."""
    left, right = 0.3, 0.5
    a, b = (left + right) / 0.2 / LINEAR, (right - left) * 0.3 / 0.2 / ANGULAR
    error = []
    for step in (0.02, 0.01):
        with pytest.warns(cs.CosseratWarning, match="rolling disc '(left|right) wheel' .*partly implied"):
            run = cs.simulate(cart(left, right), 2.0, step, integrator=integrator, rho=0.8)
        turn = 0.5 * b * run.time**2
        x, y, z = run.position("base").values.T
        error.append(np.hypot(x - a / b * np.sin(turn), y - a / b * (1 - np.cos(turn))).max())
        assert np.abs(z - 0.2).max() < 1e-9
        assert run.constraint_violation.max() < 1e-9
    assert turn[-1] > 1.0
    assert error[1] < 1e-3
    assert error[0] / error[1] == pytest.approx(4.0, rel=0.1)
    loads = sum(run.reaction(name).values[:, 2] for name in ("left wheel", "right wheel", "skid"))
    assert np.allclose(loads, 6.0 * G, rtol=3e-4)


def test_a_cart_that_follows_its_wheels() -> None:
    """Prescribed wheel angles: the circle follows from geometry alone."""
    radius = 0.2 * 1.5 / (0.2 / 0.6)
    error = []
    for step in (0.01, 0.005):
        with pytest.warns(cs.CosseratWarning, match="partly implied"):
            run = cs.simulate(cart("t**2", "2*t**2", "motion"), 2.0, step, rho=0.8)
        turn = 0.2 * run.time**2 / 0.6
        x, y, _ = run.position("base").values.T
        error.append(np.hypot(x - radius * np.sin(turn), y - radius * (1 - np.cos(turn))).max())
    assert error[1] < 5e-4
    assert error[0] / error[1] == pytest.approx(4.0, rel=0.1)
    rates = run.coordinate_rate("left axle").values, run.coordinate_rate("right axle").values
    power = sum(run.effort(f"{n} axle").values * rate for n, rate in zip(("left", "right"), rates, strict=True))
    kinetic = 0.5 * LINEAR * (0.6 * run.time) ** 2 + 0.5 * ANGULAR * (2 * 0.2 * run.time / 0.6) ** 2
    work = np.concatenate(([0], np.cumsum(0.5 * np.diff(run.time) * (power[1:] + power[:-1]))))
    assert np.allclose(work, kinetic, atol=2e-3 * kinetic[-1])


def castored(left: float, right: float) -> cs.Model:
    """Two driven wheels behind, and in front a castor that starts crosswise and swings round."""
    model = cs.Model("castored", gravity=(0, 0, -G))
    base = model.add(cs.RigidBody("base", mass=5.0, com=(0.2, 0, 0.25), inertia=(0.1, 0.2, 0.3)))
    for name, y, effort in (("left", 0.3, left), ("right", -0.3, right)):
        wheel = model.add(cs.RigidBody(name, mass=0.5, com=(0, y, 0.2), inertia=(0.006, 0.01, 0.006)))
        model.add(cs.Revolute(f"{name} axle", base, wheel, axis=(0, 1, 0), at=(0, y, 0.2), effort=effort))
        model.add(cs.RollingDisc(f"{name} wheel", wheel, radius=0.2, axis=(0, 1, 0)))
    fork = model.add(cs.RigidBody("fork", mass=0.3, com=(0.6, 0.03, 0.1), inertia=(0.001, 0.001, 0.001)))
    castor = model.add(cs.RigidBody("castor", mass=0.2, com=(0.6, 0.06, 0.05), inertia=(0.0005, 0.0003, 0.0003)))
    model.add(cs.Revolute("swivel", base, fork, axis=(0, 0, 1), at=(0.6, 0, 0.15), damping=0.02))
    model.add(cs.Revolute("castor axle", fork, castor, axis=(1, 0, 0), at=(0.6, 0.06, 0.05)))
    model.add(cs.RollingDisc("castor wheel", castor, radius=0.05, axis=(1, 0, 0)))
    return model


def test_a_cart_with_a_castor() -> None:
    """Against relative coordinates; three wheels carry the weight, and the castor turns to trail behind its swivel."""
    model = castored(0.6, 0.9)
    names = cs.Tree(model).coordinates
    there = cs.constrained_motion(model, np.zeros(len(names)), np.zeros(len(names)), 1.0, 0.01)
    place = cs.forward_kinematics(model, there.q[-1])
    error = []
    for step in (0.004, 0.002):
        with pytest.warns(cs.CosseratWarning, match="partly implied"):
            run = cs.simulate(model, 1.0, step, rho=0.8)
        assert run.status.ok
        error.append(np.abs(run.position("castor").values[-1] - place.position("castor")).max())
    assert error[1] < 2e-4
    assert error[0] / error[1] == pytest.approx(4.0, rel=0.2)
    swivel = run.coordinate("swivel").values
    assert swivel[-1] == pytest.approx(there.q[-1, names.index("swivel")], abs=1e-3)
    assert abs(swivel[-1]) > 1.0
    up = sum(run.reaction(f"{name} wheel").values[0, 2] for name in ("left", "right", "castor"))
    assert up == pytest.approx(6.5 * G, rel=1e-9)
    assert run.slip("castor wheel").max() < 1e-9
    assert run.constraint_violation.max() < 1e-12


def test_steps_that_adapt() -> None:
    omega, size = 3.0, G * np.sin(0.2) / (2 * 3.0**2)
    run = cs.simulate(skate(0.2, omega), 2.0, tolerance=1e-5)
    assert run.status.ok
    assert run.position("skate").values[-1, 1] == pytest.approx(size * (omega * 2 - 0.5 * np.sin(4 * omega)), abs=1e-4)
    velocity, spin, _ = steady(1.2, 2.5)
    run = cs.simulate(disc(1.2, spin, velocity), 1.0, tolerance=1e-4)
    assert np.ptp(np.diff(run.time)) > 0.0
    assert run.slip("wheel").max() < 1e-10
    assert np.allclose(run.position("disc").values[:, 2], RADIUS * np.sin(1.2), atol=1e-4)


def test_reactions_with_steps_that_adapt() -> None:
    """Of second order in the step, as those of equal steps; with gaps whose velocities did not belong to the steps they
    rang by the first: by 8.8 N at 1e-4 and by 0.87 N at 1e-7.
    """
    model = disc(1.2, np.array([0.5, 0.3, 4.0]))
    exact = cs.simulate(model, 2.0, formulation="floating", integrator="runge-kutta", tolerance=1e-10)
    spline = CubicSpline(exact.time, exact.reaction("wheel").values[:, :3])
    for tolerance, most in ((1e-5, 0.06), (1e-7, 3e-3)):
        run = cs.simulate(model, 2.0, tolerance=tolerance)
        assert np.ptp(np.diff(run.time)) > 0.0
        assert np.abs(run.reaction("wheel").values[:, :3] - spline(run.time)).max() < most


@pytest.mark.parametrize("integrator", SCHEMES)
def test_an_edge_on_a_beam(integrator: str) -> None:
    """A soft rod that spins in a plane, its end on an edge: second order, no slip, and no loss in the one scheme."""
    section = cs.Section(stiffness=[200.0, 100.0, 100.0, 3.0, 2.0, 2.0], mass=[1.0, 1.0, 1.0, 0.02, 0.01, 0.01])
    ends = []
    for step in (5e-4, 2.5e-4, 1.25e-4):
        model = cs.Model("rod")
        field = lambda x: (0.0, x[0], 0.0)  # noqa: E731
        rod = model.add(cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=4, velocity=field))
        model.add(cs.KnifeEdge("edge", rod.start, direction=(0, 1, 0)))
        run = cs.simulate(model, 0.5, step, integrator=integrator)
        assert run.status.ok
        assert run.slip("edge").max() < 1e-12
        ends.append(run.position("rod.end").values[-1])
    first, second = np.abs(ends[0] - ends[1]).max(), np.abs(ends[1] - ends[2]).max()
    assert first / second == pytest.approx(4.0, rel=0.1)
    assert run.section_force("rod", 0.5).values[:, 5].max() > 0.02  # it bends
    if integrator == "energy-momentum":
        assert np.abs(run.energy.balance).max() < 1e-11


def test_files_and_continuation(tmp_path: Path) -> None:
    velocity, spin, _ = steady(1.2, 2.5)
    model = disc(1.2, spin, velocity)
    whole = cs.simulate(model, 1.0, 0.01)
    half = cs.simulate(model, 0.5, 0.01)
    rest = cs.simulate(model, 0.5, 0.01, start=half)
    assert np.allclose(rest.position("disc").values[-1], whole.position("disc").values[-1], atol=1e-5)
    assert "largest slip" in half.report()
    half.save(tmp_path / "run.nc")
    again = cs.load_run(tmp_path / "run.nc")
    assert np.array_equal(again.reaction("wheel"), half.reaction("wheel"))
    assert np.array_equal(again.slip("wheel"), half.slip("wheel"))
    assert again.model == model
    assert {"wheel.reaction", "wheel.slip"} <= set(again.data.data_vars)
    body_axes = half.reaction(model["wheel"], frame="joint").values[:, :3]
    assert np.allclose(np.linalg.norm(body_axes, axis=1), np.linalg.norm(half.reaction("wheel")[:, :3], axis=1))
    assert half.transport_residual.max() < 1e-3  # the force of the plane is in the books


def test_bad_input() -> None:
    velocity, spin, _ = steady(1.2, 2.5)
    with pytest.raises(cs.CosseratError, match="body 'disc': its initial velocity violates rolling disc 'wheel'"):
        cs.simulate(disc(1.2, spin, velocity + [0, 0, 0.5]), 1.0, 0.01)
    high = cs.Model("high")
    high.add(cs.RigidBody.sphere("ball", diameter=1.0, mass=1.0, com=(0, 0, 0.7)))
    high.add(cs.RollingDisc("wheel", "ball", radius=0.5, axis=(0, 1, 0)))
    with pytest.raises(cs.CosseratError, match=r"rolling disc 'wheel': its lowest point is 0\.2 m above the plane"):
        cs.simulate(high, 1.0, 0.1)
    run = cs.simulate(disc(1.2, spin, velocity), 0.1, 0.01)
    with pytest.raises(cs.CosseratError, match="rolling disc 'wheal'; those of the model: 'wheel'"):
        run.slip("wheal")
    with pytest.raises(cs.CosseratError, match="unknown joint 'wheal'"):
        run.reaction("wheal")


def test_a_wheel_that_turns_too_far_in_a_step() -> None:
    """The frame that turns feeds errors of the reactions back: above a turn per step they would grow."""
    model = disc(np.pi / 2, np.array([17.0, 0.05, 0.05]))
    refused = cs.simulate(model, 2.0, 0.008, rho=0.9)
    assert refused.status.outcome.name == "TURNS_TOO_FAR"
    assert refused.time.tolist() == [0.0]
    assert "rolling disc 'wheel': it turns by 0.14 rad in a step, where 0.078 rad are allowed" in refused.status.message
    step = float(refused.status.detail.split("use steps of ")[1].split(" s")[0])
    for run in (cs.simulate(model, 2.0, step), cs.simulate(model, 2.0, 0.0045), cs.simulate(model, 2.0)):
        assert run.status.ok
        changed = np.nonzero(np.abs(np.diff(run.time, 2)) > 1e-9)[0] if len(run.time) > 1000 else []
        last = changed[-1] + 2 if len(changed) else len(run.time)  # where steps change, reactions ring by their error
        assert np.abs(np.diff(run.reaction("wheel").values[last - 20 : last, :3], 2, axis=0)).max() < 1e-2
    run = cs.simulate(model, 2.0, 0.008, integrator="energy-momentum")
    assert np.abs(np.diff(run.reaction("wheel").values[-20:-2, :3], 2, axis=0)).max() < 0.5  # does not grow


@pytest.mark.parametrize("rho", [0.9, 0.8, 0.7, 0.5])
def test_the_limit_of_rolling_discs_holds(rho: float) -> None:
    """A disc that wobbles for 3000 steps just below the limit: its reaction stays near its weight."""
    turn = 0.99 * rolling_turn(rho)
    coin = cs.Model("coin", gravity=(0, 0, -9.81))
    spin = {"angular_velocity": (0.1, 4.0, 0)}
    coin.add(cs.RigidBody("disc", mass=0.1, com=(0, 0, 0.5), inertia=(6.25e-3, 12.5e-3, 6.25e-3), **spin))
    coin.add(cs.RollingDisc("rim", "disc", radius=0.5, axis=(0, 1, 0)))
    run = cs.simulate(coin, 3000 * turn / 4.0, turn / 4.0, rho=rho, every=5)
    assert run.status.ok, run.status.message
    assert np.abs(run.reaction("rim").values[:, 2] - 0.981).max() < 0.05 * 0.981
    assert run.position("disc").values[-1, 0] == pytest.approx(2.0 * run.time[-1], rel=0.06)


def test_wheels_that_cannot_all_roll_are_reported() -> None:
    """Two front wheels that are steered by the same angle: in a bend one of them has to slip."""
    model = cs.Model("car")
    base = cs.RigidBody("base", mass=5.0, com=(0, 0, 0), inertia=(0.1, 0.2, 0.3), velocity=(1, 0, 0))
    model.add(base)
    model.add(cs.Planar("floor", cs.GROUND, base, normal=(0, 0, 1), at=(0, 0, 0)))
    model.add(cs.KnifeEdge("rear", base, direction=(0, 1, 0)))
    for name, y in (("left", 0.4), ("right", -0.4)):
        fork = model.add(cs.RigidBody(name, mass=0.2, com=(1, y, 0), inertia=(0.01, 0.01, 0.01)))
        model.add(cs.Revolute(f"{name} steer", base, fork, axis=(0, 0, 1), at=(1, y, 0), motion="0.3*t**2"))
        model.add(cs.KnifeEdge(f"{name} edge", fork, direction=(0, 1, 0)))
    with pytest.warns(cs.CosseratWarning) as caught:
        run = cs.simulate(model, 1.0, 0.01)
    text = [str(w.message) for w in caught]
    assert "partly implied" in text[0]
    name = "left" if "left" in text[0] else "right"
    assert f"knife edge '{name} edge': slips by up to" in text[1]
    turning, angle = run.angular_velocity("base").values[:, 2], 0.3 * run.time**2
    assert np.allclose(run.slip(f"{name} edge"), np.abs(0.8 * turning * np.sin(angle)), atol=1e-4)
    assert run.slip("rear").max() < 1e-9


def test_a_coin_that_falls_flat_is_reported() -> None:
    run = cs.simulate(disc(0.3, np.zeros(3)), 5.0, 0.01)
    assert not run.status.ok
    assert 0.05 < run.time[-1] < 1.0
    assert np.isfinite(run.position("disc").values).all()


@pytest.mark.parametrize("step", [0.01, None])
def test_a_wheel_that_turns_without_numerical_damping(step: float | None) -> None:
    """No step is short enough then; it was a division by zero, or millions of steps."""
    model = disc(np.pi / 2, np.array([17.0, 0.05, 0.05]))
    for rho, told in ((1.0, "'wheel': it turns, which without numerical damping"), (1.0 - 1e-8, "it turns by")):
        with pytest.warns(cs.CosseratWarning, match="without numerical damping"):
            run = cs.simulate(model, 2.0, step, rho=rho)
        assert run.status.outcome.name == "TURNS_TOO_FAR"
        assert told in run.status.message
