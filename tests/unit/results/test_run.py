"""Questions to a run, against closed forms and against differences of its own answers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

import cosserat as cs
from cosserat.compile.compiled import frame_to_row, row_to_frame
from cosserat.errors import ModelError, PlaceError, SolveError
from cosserat.results.motion import Motion
from cosserat.results.trajectory import Trajectory

G = 9.81


def test_free_fall() -> None:
    model = cs.Model("fall", gravity=(0, 0, -G))
    model.add(cs.RigidBody("stone", mass=3.0, com=(1, 2, 3), inertia=(1, 2, 3), velocity=(0.5, 0, 2.0)))
    run = cs.simulate(model, duration=1.0, step=0.01)
    t = run.time
    assert run.status.ok
    assert float(t[-1]) == pytest.approx(1.0)
    want = np.stack((1 + 0.5 * t, 2 + 0 * t, 3 + 2 * t - 0.5 * G * t**2), 1)
    position = run.position("stone")
    assert position.dims == ("time", "axis")
    assert position.attrs["units"] == "m"
    assert list(position.axis.values) == ["x", "y", "z"]
    assert np.allclose(position, want, atol=1e-12)
    assert np.allclose(run.velocity("stone")[:, 2], 2 - G * t, atol=1e-11)
    assert np.allclose(run.acceleration("stone"), [0, 0, -G], atol=1e-9)
    assert np.allclose(run.position("stone.at(2, 2, 3)"), want + [1, 0, 0], atol=1e-12)
    momentum = run.momentum
    assert np.allclose(momentum[:, 2], 3.0 * (2 - G * t), atol=1e-10)
    assert np.allclose(momentum[:, 3:], np.cross(want, momentum[:, :3]), atol=1e-10)
    assert np.allclose(run.energy.potential, 3.0 * G * want[:, 2])
    assert np.abs(run.energy.balance).max() < 1e-9


def test_spinning_body_keeps_its_momentum() -> None:
    model = cs.Model("top")
    body = model.add(cs.RigidBody("top", mass=2.0, inertia=(1, 2, 3), angular_velocity=(0.3, 2.0, 0.2)))
    run = cs.simulate(model, duration=2.0, step=0.01)
    R = run.rotation("top").values
    assert np.allclose(R @ np.swapaxes(R, 1, 2), np.eye(3), atol=1e-12)
    spin, body_spin = run.angular_velocity(body), run.angular_velocity(body, frame="body")
    assert np.allclose(np.einsum("tij,tj->ti", R, body_spin), spin, atol=1e-13)
    inertia = np.diag([1.0, 2.0, 3.0])
    assert np.allclose(run.momentum[:, 3:], np.einsum("tij,jk,tk->ti", R, inertia, body_spin.values), atol=1e-12)
    assert np.abs(run.momentum - run.momentum[0]).max() < 1e-3
    assert np.allclose(run.energy.kinetic, 0.5 * np.einsum("ti,ij,tj->t", body_spin.values, inertia, body_spin.values))


def test_pendulum_energy_and_rate(swing: cs.Run) -> None:
    q, rate = swing.coordinate("hinge"), swing.coordinate_rate("hinge")
    assert q.dims == ("time",)
    assert q.attrs["units"] == "rad"
    assert np.allclose(1.1 * rate**2, 2 * G * np.sin(q), atol=2e-3)
    assert np.abs(swing.energy.balance).max() < 2e-3
    assert np.allclose(swing.energy.total, swing.energy.kinetic + swing.energy.strain + swing.energy.potential)
    assert float(swing.constraint_violation.max()) < 1e-6
    assert np.allclose(swing.position("bob")[:, 0], np.cos(q), atol=1e-6)


def test_reaction_of_a_hanging_mass() -> None:
    model = cs.Model("hang", gravity=(0, 0, -G))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=2.0, com=(0.5, 0, 0)))
    model.add(cs.Fixed("hook", cs.GROUND, ball.at((0, 0, 0))))
    run = cs.simulate(model, duration=0.05, step=0.01)
    want = [0, 0, 2 * G, 0, -0.5 * 2 * G, 0]
    assert np.allclose(run.reaction("hook"), want, atol=1e-6)
    assert np.allclose(run.reaction("hook", frame="joint"), want, atol=1e-6)
    assert run.coordinate("hook").shape == (len(run.time), 0)


def test_effort_of_a_drive(pendulum: Callable[..., cs.Model]) -> None:
    motion = (lambda t: 0.3 * t**2, lambda t: 0.6 * t, lambda t: 0.6 + 0 * t)
    run = cs.simulate(pendulum(motion=motion), duration=1.0, step=0.005, rho=0.6)
    q = 0.3 * run.time**2
    assert np.allclose(run.coordinate("hinge"), q, atol=1e-12)
    want = (0.2 + 2.0) * 0.6 - 2 * G * np.cos(q)
    assert np.allclose(run.effort("hinge")[40:], want[40:], atol=0.02)
    assert np.allclose(run.reaction("hinge", frame="joint")[:, 5], run.effort("hinge"), atol=1e-10)
    work = run.energy.work.values[-1]
    exact = 0.5 * 2.2 * 0.6**2 - 2 * G * np.sin(0.3)
    assert work == pytest.approx(exact, abs=2e-2)


def test_effort_of_spring_damper_friction_and_actuator(pendulum: Callable[..., cs.Model]) -> None:
    parts = {"stiffness": 3.0, "damping": 0.5, "friction": cs.Friction(0.3, 0.05), "effort": lambda t: np.sin(5 * t)}
    run = cs.simulate(pendulum(**parts), duration=1.0, step=0.005)
    q, rate = run.coordinate("hinge").values, run.coordinate_rate("hinge").values
    want = np.sin(5 * run.time) - 3 * q - 0.5 * rate - 0.3 * np.tanh(rate / 0.05)
    assert np.allclose(run.effort("hinge"), want, atol=1e-9)
    assert np.allclose(run.reaction("hinge", frame="joint")[:, 5], want, atol=1e-6)
    assert np.allclose(run.energy.strain, 1.5 * q**2, atol=1e-9)
    assert np.abs(run.energy.balance).max() < 2e-3
    assert float(run.energy.dissipated[-1]) > 0.5


def test_angles_run_on_through_turns() -> None:
    model = cs.Model("wheel")
    wheel = model.add(cs.RigidBody("wheel", mass=1.0, inertia=(1, 1, 1), angular_velocity=(0, 0, 7.0)))
    model.add(cs.Revolute("axle", cs.GROUND, wheel, axis=(0, 0, 1)))
    run = cs.simulate(model, duration=3.0, step=0.01, every=50)
    assert np.allclose(run.coordinate("axle"), 7.0 * run.time, atol=1e-5)


def test_universal_and_several_freedoms() -> None:
    model = cs.Model("cross", gravity=(0, 0, -G))
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0.2, -0.4), inertia=(0.1, 0.12, 0.14)))
    model.add(cs.Universal("hinge", cs.GROUND, body.at((0, 0, 0)), axes=((1, 0, 0), (0, 1, 0))))
    run = cs.simulate(model, duration=0.5, step=0.005)
    q, rate = run.coordinate("hinge"), run.coordinate_rate("hinge")
    assert q.dims == ("time", "freedom")
    assert np.allclose(np.gradient(q, run.time, axis=0)[1:-1], rate[1:-1], atol=5e-3)
    one = run.coordinate("hinge.rx")
    assert np.array_equal(one, q[:, 0])
    turns = cs.lie.so3
    R = [turns.exp([a, 0, 0]) @ turns.exp([0, b, 0]) for a, b in q.values]
    assert np.allclose(run.rotation("body"), R, atol=1e-6)


def test_spherical_rate_is_the_derivative_of_the_rotation_vector() -> None:
    model = cs.Model("ball", gravity=(0, 0, -G))
    body = model.add(
        cs.RigidBody("body", mass=1.0, com=(0.1, 0.2, -0.4), inertia=(0.1, 0.12, 0.14), angular_velocity=(1, 0, 2))
    )
    model.add(cs.Spherical("ball", cs.GROUND, body.at((0.1, 0.2, -0.4))))
    run = cs.simulate(model, duration=0.5, step=0.005)
    q, rate = run.coordinate("ball"), run.coordinate_rate("ball")
    assert np.allclose(np.gradient(q, run.time, axis=0)[1:-1], rate[1:-1], atol=2e-3)


@pytest.mark.parametrize("place", ["first.at(0.45)", "first.end", "load", "load.at(1.3, 0, 0)"])
def test_velocity_and_acceleration_are_derivatives(
    arm: cs.Run, place: str, rng: np.random.Generator
) -> None:
    """Nodes that move with random twists and rates: H(t) = H exp(t v + t^2/2 v_dot), three times around t = 0."""
    h = 1e-4
    n = arm.motion.frame.shape[1]
    shape = (3, n)
    frame, twist, rate = np.empty((*shape, 12)), np.empty((*shape, 6)), np.empty((*shape, 6))
    v, v_dot = rng.standard_normal((n, 6)), rng.standard_normal((n, 6))
    bend = 0.3 * rng.standard_normal((n, 6))
    for i in range(n):
        H = row_to_frame(arm.motion.frame[0, i]) @ cs.lie.se3.exp(bend[i])
        for k, t in enumerate((-h, 0.0, h)):
            frame[k, i] = frame_to_row(H @ cs.lie.se3.exp(t * v[i] + 0.5 * t**2 * v_dot[i]))
            twist[k, i], rate[k, i] = v[i] + t * v_dot[i], v_dot[i]
    history = arm.trajectory.history._replace(frame=frame, twist=twist, rate=rate)
    moving = Motion(arm.motion.mechanism, np.array([-h, 0.0, h]), history, {}, lambda: arm.motion._inputs())
    run = cs.Run.of_motion(Trajectory(arm.trajectory.compiled, moving.time, history, arm.status), moving)
    x, u, a = (getattr(run, k)(place).values for k in ("position", "velocity", "acceleration"))
    assert np.allclose((x[2] - x[0]) / (2 * h), u[1], atol=1e-6)
    assert np.allclose((u[2] - u[0]) / (2 * h), a[1], atol=1e-6)
    R, w, b = (getattr(run, k)(place).values for k in ("rotation", "angular_velocity", "angular_acceleration"))
    spin = (R[2] - R[0]) / (2 * h) @ R[1].T
    assert np.allclose(cs.lie.so3.vee(spin), w[1], atol=1e-6)
    assert np.allclose((w[2] - w[0]) / (2 * h), b[1], atol=1e-6)


def test_twist_inside_an_element_meets_the_nodes(arm: cs.Run) -> None:
    for name in ("velocity", "angular_velocity", "acceleration", "angular_acceleration", "position", "rotation"):
        inside = getattr(arm, name)("first.at(0.99999)").values
        end = getattr(arm, name)("first.end").values
        assert np.allclose(inside, end, atol=1e-3 * max(1.0, np.abs(end).max())), name


def test_motion_reads_the_model_as_it_was() -> None:
    load = cs.Parameter("P", 2.0)
    model = cs.Model("push")
    body = model.add(cs.RigidBody("body", mass=1.0, inertia=(1, 1, 1)))
    model.add(cs.Force("push", body, (load, 0, 0)))
    run = cs.simulate(model, duration=1.0, step=0.02)
    model.set(P=5.0)
    assert float(run.energy.work[-1]) == pytest.approx(2.0, rel=1e-6)
    assert model.parameters == {"P": 5.0}


def test_bad_questions_are_located(arm: cs.Run) -> None:
    with pytest.raises(PlaceError, match=r"unknown frame 'first.tip'; frames of 'first'"):
        arm.position("first.tip")
    with pytest.raises(PlaceError, match="unknown body 'none'"):
        arm.velocity("none")
    with pytest.raises(PlaceError, match="not one place"):
        arm.position(arm.model["first"])
    with pytest.raises(ModelError, match="unknown joint 'knee'; joints of the model: 'drive', 'elbow'"):
        arm.coordinate("knee")
    with pytest.raises(ModelError, match="no freedom 'x'; its freedoms: rz"):
        arm.coordinate("elbow.x")
    with pytest.raises(ModelError, match="unknown beam 'load'; beams of the model: 'first'"):
        arm.section_force("load", 0.5)
    with pytest.raises(PlaceError, match="it runs from 0"):
        arm.section_force("first", 1.5)
    with pytest.raises(SolveError, match="frame is 'local'; pass 'world' or 'body'"):
        arm.velocity("load", frame="local")


def test_report_and_repr(arm: cs.Run) -> None:
    text = arm.report()
    for part in ("status", "finished", "steps", "energy imbalance", "constraint violation", "transport residual"):
        assert part in text
    assert "Run of 'arm'" in repr(arm)
    assert max(map(len, text.splitlines())) <= 100
    assert text.count("settings") == 1
    assert "[]" not in text
    assert "added up" not in text
    assert "exchange), works added up over stored times\n" in cs.simulate(arm.model, 0.02, 0.005, every=2).report()


def test_xarray_is_imported_when_needed() -> None:
    code = "import sys, cosserat.results.run, cosserat.results.equilibrium; sys.exit('xarray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_dataset(arm: cs.Run) -> None:
    data = arm.data
    assert data["first.position"].dims == ("time", "first.node", "axis")
    assert np.allclose(data["first.position"][:, -1], arm.position("first.end"))
    assert np.allclose(data["elbow.coordinate"], arm.coordinate("elbow"))
    assert data["drive.effort"].attrs == {"units": "N m", "long_name": "effort of drive"}
    q = data["load.orientation"].values
    assert np.allclose(np.linalg.norm(q, axis=1), 1.0)
    assert np.allclose([cs.lie.so3.from_quaternion(row) for row in q], arm.rotation("load"), atol=1e-12)
    assert data.attrs["title"] == "arm"


def test_a_finished_run_does_not_follow_a_later_parameter() -> None:
    d, q = cs.Parameter("d", 0.02), cs.Parameter("q", 3.0)
    model = cs.Model("cantilever", gravity=(0, 0, -9.81))
    line = [(0, 0, 0), (1, 0, 0)]
    arm = model.add(cs.Beam("arm", points=line, section=cs.Rod(d), material=cs.materials.NYLON, elements=4))
    model.add(cs.Fixed("clamp", cs.GROUND, arm.start))
    model.add(cs.DistributedLoad("wind", arm, force=(0, q, 0)))
    run, rest = cs.simulate(model, 0.02, step=0.01), cs.equilibrium(model)
    before = [run.strain("arm", 0.3).values, rest.strain("arm", 0.3), rest.section_force("arm", 0.3)]
    left = run.divergence("arm").values
    other = cs.simulate(model, 0.02, step=0.01)  # asked for the first time after the change
    model.set(d=0.05, q=9.0)
    for found in (run, other):
        np.testing.assert_array_equal(found.strain("arm", 0.3).values, before[0])
        np.testing.assert_array_equal(found.divergence("arm").values, left)
    np.testing.assert_array_equal(rest.strain("arm", 0.3), before[1])
    np.testing.assert_array_equal(rest.section_force("arm", 0.3), before[2])


def test_energy_in_a_wake_does_not_follow_a_later_parameter() -> None:
    density, chord = cs.Parameter("density", 1.2), cs.Parameter("chord", 0.3)
    model = cs.Model("wing", fluid=cs.Fluid(density=density, velocity=(0, 10.0, 0)))
    section = cs.Section(stiffness=[1e6, 1e6, 1e6, 200, 300, 3000], mass=[1, 1, 1, 0.02, 0.01, 0.01])
    wing = model.add(cs.Beam("wing", points=[(0, 0, 0), (2, 0, 0)], section=section, elements=2))
    model.add(cs.Fixed("root", cs.GROUND, wing.start))
    model.add(cs.Force("push", wing.end, (0, 0, "20*sin(5*t)")))
    model.add(cs.Strip("strip", wing, cs.Airfoil(), chord=chord, unsteady=True, forward=(0, -1, 0)))
    run, other = (cs.simulate(model, 0.1, step=0.01) for _ in range(2))
    held = run.energy["wake"].values
    model.set(density=5.0, chord=0.8)
    assert held.max() > 0.0
    np.testing.assert_array_equal(other.energy["wake"].values, held)


def test_the_power_of_a_driven_ball_joint_is_that_of_its_moment() -> None:
    """Moment and relative angular velocity in the axes of the parent; not effort times the rates of coordinates."""
    model = cs.Model("wrist")
    arm = model.add(cs.RigidBody("arm", mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0.2, 0.3)))
    hand = model.add(cs.RigidBody("hand", mass=1.0, com=(0.8, 0.1, 0), inertia=(0.1, 0.2, 0.3)))
    model.add(cs.Revolute("base", cs.GROUND, arm, at=(0, 0, 0), axis=(0, 1, 1), motion="t**2"))
    model.add(cs.Spherical("wrist", arm, hand, at=(0.6, 0, 0), motion=("0.8*t**2", "0.5*t**2", "0.9*t**3")))
    run = cs.simulate(model, 1.0, step=0.005)
    R = run.rotation("arm").values
    relative = run.angular_velocity("hand").values - run.angular_velocity("arm").values
    power = np.sum(run.effort("wrist").values * np.einsum("tji,tj->ti", R, relative), axis=1)
    power += run.effort("base").values * run.coordinate_rate("base").values
    change = np.gradient(run.energy.total.values, run.time)
    assert np.abs(power - change)[5:-5].max() < 2e-3 * np.abs(change).max()
    naive = np.sum(run.effort("wrist").values * run.coordinate_rate("wrist").values, axis=1)
    naive += run.effort("base").values * run.coordinate_rate("base").values
    assert np.abs(naive - change).max() > 0.05 * np.abs(change).max()
