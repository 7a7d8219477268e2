"""How runs start, go on, are controlled and fail."""

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import SolveError


def arm(**options):
    """A flexible arm with a payload on a hinge, gravity in the plane of motion."""
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    section = cs.Section(stiffness=[1e4, 5e3, 5e3, 30, 20, 20], mass=[1, 1, 1, 2e-3, 1e-3, 1e-3])
    beam = model.add(cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=4))
    load = model.add(cs.RigidBody.sphere("load", diameter=0.1, mass=0.5, com=(1, 0, 0)))
    model.add(cs.Fixed("grip", beam.end, load))
    model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, -1, 0), **options))
    return model


def test_start_in_equilibrium_stays_at_rest():
    run = cs.simulate(arm(stiffness=40.0), 1.0, 2e-3, start="equilibrium")
    assert run.status.ok
    x = run.position("load").values
    assert x[0, 2] < -0.1
    np.testing.assert_allclose(x, np.broadcast_to(x[0], x.shape), atol=1e-9)


def test_start_in_a_given_equilibrium():
    model = arm(stiffness=40.0)
    rest = cs.equilibrium(model)
    run = cs.simulate(model, 0.2, 2e-3, start=rest)
    np.testing.assert_allclose(run.position("load")[0], rest.position("load"), atol=1e-14)
    np.testing.assert_allclose(run.position("load")[-1], rest.position("load"), atol=1e-9)


@pytest.mark.parametrize("integrator", ["generalized-alpha", "energy-momentum"])
def test_two_runs_make_one(integrator):
    model = arm(stiffness=40.0, damping=0.3)
    whole = cs.simulate(model, 0.6, 1e-3, integrator=integrator)
    first = cs.simulate(model, 0.3, 1e-3, integrator=integrator)
    second = cs.simulate(model, 0.3, 1e-3, integrator=integrator, start=first)
    np.testing.assert_allclose(second.time, whole.time[300:], atol=1e-12)
    for place in ("load", "arm.at(0.5)"):
        np.testing.assert_allclose(second.position(place), whole.position(place)[300:], atol=1e-5)
    np.testing.assert_allclose(second.coordinate("hinge"), whole.coordinate("hinge")[300:], atol=1e-5)


def test_continued_run_knows_the_time():
    """Loads and motions in the second run are those of its own time."""
    model = arm(motion=lambda t: 0.3 * np.sin(3 * t))
    first = cs.simulate(model, 0.5, 1e-3)
    second = cs.simulate(model, 0.5, 1e-3, start=first)
    np.testing.assert_allclose(second.coordinate("hinge"), 0.3 * np.sin(3 * second.time), atol=1e-9)
    assert second.time[-1] == pytest.approx(1.0)


def test_motion_that_does_not_start_at_zero():
    """The arm is carried to the prescribed angle; with gravity the beam is not strained by that."""
    angle = lambda t: 0.8 + 0.2 * np.sin(2 * t)  # noqa: E731
    run = cs.simulate(arm(motion=angle), 0.5, 1e-3)
    assert run.status.ok
    np.testing.assert_allclose(run.coordinate("hinge"), angle(run.time), atol=1e-9)
    np.testing.assert_allclose(run.position("load")[0], (np.cos(0.8), 0, np.sin(0.8)), atol=1e-9)
    np.testing.assert_allclose(run.velocity("load")[0], 0.4 * np.array([-np.sin(0.8), 0, np.cos(0.8)]), atol=0.05)


def test_motion_of_more_than_a_turn_at_the_start():
    run = cs.simulate(arm(motion=lambda t: 7.0 + t), 0.1, 1e-3)
    assert run.status.ok
    np.testing.assert_allclose(run.coordinate("hinge"), 7.0 + run.time, atol=1e-9)


def robot():
    """The arm on a motor with inertia of its own, which makes sampled control of a beam possible."""
    model = cs.Model("robot", gravity=(0, 0, -9.81))
    section = cs.Section(stiffness=[1e4, 5e3, 5e3, 30, 200, 200], mass=[1, 1, 1, 2e-3, 1e-3, 1e-3])
    motor = model.add(cs.RigidBody("motor", mass=1, com=(0, 0, 0), inertia=0.1 * np.eye(3)))
    beam = model.add(cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=section, elements=4))
    model.add(cs.Revolute("hinge", cs.GROUND, motor, axis=(0, -1, 0), effort=0.0))
    model.add(cs.Fixed("flange", motor.at((0, 0, 0)), beam.start))
    return model


@pytest.mark.parametrize("step", [2e-3, None], ids=["fixed", "adaptive"])
def test_controller_brings_the_arm_to_its_target(step):
    target = 0.5

    def law(t, state):
        q, w = float(state.coordinate("hinge")[-1]), float(state.coordinate_rate("hinge")[-1])
        return {"hinge": 40 * (target - q) - 8 * w + 0.5 * 9.81 * np.cos(q)}

    law.period = 4e-3
    run = cs.simulate(robot(), 2.0, step, controller=law)
    assert run.status.ok, run.status.message
    assert float(run.coordinate("hinge")[-1]) == pytest.approx(target, abs=0.02)
    assert abs(float(run.coordinate_rate("hinge")[-1])) < 0.05


def test_controller_is_called_at_its_period():
    times = []

    def law(t, state):
        times.append(t)
        return {"hinge": 0.0}

    law.period = 0.05
    cs.simulate(arm(effort=0.0), 0.5, 1e-3, controller=law)
    np.testing.assert_allclose(times, np.arange(10) * 0.05, atol=1e-12)


@pytest.mark.parametrize("formulation", [{}, {"formulation": "floating", "modes": 2}], ids=str)
def test_a_period_that_steps_do_not_meet_is_refused(formulation):
    def law(t, state):
        return {"hinge": 0.0}

    law.period = 0.05
    with pytest.raises(SolveError, match=r"period of 0.05 s is not a whole number of steps of 0.02 s; pass"):
        cs.simulate(arm(effort=0.0), 0.5, 0.02, controller=law, **formulation)


def test_pd_on_a_rigid_joint_against_the_linear_closed_form():
    """J q'' = -k q - c q' sampled at every step is close to the continuous oscillator."""
    k, c, J = 20.0, 1.0, 0.5
    model = cs.Model("flywheel")
    body = model.add(cs.RigidBody("wheel", mass=1, com=(0, 0, 0), inertia=J * np.eye(3), angular_velocity=(0, 0, 1)))
    model.add(cs.Revolute("axle", cs.GROUND, body, axis=(0, 0, 1), effort=0.0))

    def law(t, state):
        q, w = float(state.coordinate("axle")[-1]), float(state.coordinate_rate("axle")[-1])
        return {"axle": -k * q - c * w}

    run = cs.simulate(model, 1.5, 1e-3, controller=law)
    a, w = c / (2 * J), np.sqrt(k / J - (c / (2 * J)) ** 2)
    exact = np.exp(-a * run.time) * np.sin(w * run.time) / w
    np.testing.assert_allclose(run.coordinate("axle"), exact, atol=2e-3)


def test_a_run_that_fails_says_when_and_why_and_keeps_what_it_has():
    """A loop driven to where it cannot be assembled: two bars of length 1 whose ends are pulled 3 m apart."""
    model = cs.Model("torn")
    a = model.add(cs.RigidBody("a", mass=1, com=(0.25, 0.433, 0), inertia=0.1 * np.eye(3)))
    b = model.add(cs.RigidBody("b", mass=1, com=(0.75, 0.433, 0), inertia=0.1 * np.eye(3)))
    slider = model.add(cs.RigidBody("slider", mass=1, com=(1, 0, 0), inertia=0.1 * np.eye(3)))
    top = (0.5, 0.866, 0)
    model.add(cs.Revolute("left", cs.GROUND, a.at((0, 0, 0)), axis=(0, 0, 1)))
    model.add(cs.Spherical("top", a.at(top), b.at(top)))
    model.add(cs.Spherical("right", b.at((1, 0, 0)), slider))
    model.add(cs.Prismatic("pull", cs.GROUND, slider, axis=(1, 0, 0), motion=lambda t: 2 * t))
    run = cs.simulate(model, 1.0, 1e-2)
    assert not run.status.ok
    assert 0.4 < run.status.time < 0.55  # at 0.5 the bars are stretched out
    assert len(run.time) > 40
    assert run.time[-1] <= run.status.time + 1e-2
    assert np.isfinite(run.position("slider").values).all()
    assert f"{run.status.time:.3g}"[:3] in run.status.message
    assert len(run.status.message) > 40


def test_absurd_load_does_not_hang_or_return_nan():
    model = arm()
    model.add(cs.Force("absurd", "load", lambda t: (0 * t, 0 * t, 1e9 * np.exp(40 * t))))
    run = cs.simulate(model, 1.0, 1e-2)
    assert np.isfinite(run.position("load").values).all()
    if not run.status.ok:
        assert run.status.time < 1.0


def test_velocities_that_joints_decide_are_completed():
    """Only the drive is given: the velocities of a chain of rigid bodies follow from it."""
    model = cs.Model("chain")
    one = model.add(cs.RigidBody("one", mass=1, com=(0.5, 0, 0), inertia=0.1 * np.eye(3)))
    two = model.add(cs.RigidBody("two", mass=1, com=(1.5, 0, 0), inertia=0.1 * np.eye(3)))
    model.add(cs.Revolute("first", cs.GROUND, one.at((0, 0, 0)), axis=(0, 0, 1), motion=lambda t: 2 * t))
    model.add(cs.Fixed("weld", one.at((1, 0, 0)), two.at((1, 0, 0))))
    run = cs.simulate(model, 0.01, 1e-3)
    np.testing.assert_allclose(run.velocity("two")[0], (0, 3.0, 0), atol=1e-10)
    np.testing.assert_allclose(run.angular_velocity("two")[0], (0, 0, 2.0), atol=1e-10)


def test_beams_are_carried_along_at_the_start():
    """A drive that moves from the first instant: the arm turns with it, without a rate of strain."""
    run = cs.simulate(arm(motion=lambda t: 2 * t), 0.01, 1e-3)
    np.testing.assert_allclose(run.velocity("load")[0], (0, 0, 2.0), atol=2e-3)
    np.testing.assert_allclose(run.velocity("arm.at(0.5)")[0], (0, 0, 1.0), atol=2e-3)


def test_angular_velocity_alone_is_enough():
    """The joint decides the velocity of the centre of mass."""
    model = cs.Model("top")
    body = model.add(cs.RigidBody("top", mass=15, com=(0, 1, 0), inertia=np.eye(3), angular_velocity=(0, 150, -4)))
    model.add(cs.Spherical("tip", cs.GROUND, body.at((0, 0, 0))))
    run = cs.simulate(model, 0.01, 1e-4)
    np.testing.assert_allclose(run.velocity("top")[0], (4, 0, 0), atol=1e-7)


def test_stored_every_so_many_steps():
    model = arm(stiffness=40.0)
    all_steps, some = cs.simulate(model, 0.2, 1e-3), cs.simulate(model, 0.2, 1e-3, every=20)
    np.testing.assert_array_equal(some.time, all_steps.time[::20])
    np.testing.assert_array_equal(some.position("load"), all_steps.position("load")[::20])


def test_runs_are_repeatable_bit_by_bit():
    one, two = (cs.simulate(arm(stiffness=40.0), 0.2, 1e-3) for _ in range(2))
    np.testing.assert_array_equal(one.position("load"), two.position("load"))


def test_a_line_search_saves_a_step_from_being_split(monkeypatch):
    """Two flexible arms with a step of 0.2 s: in one of them full corrections do not converge."""
    from cosserat.demo import two_link_arm
    from cosserat.solve.motion import stepping

    run = cs.simulate(two_link_arm("FF5"), 2 * np.pi, 0.2)
    assert run.status.ok
    assert run.stats["searched_steps"] > 0
    assert run.stats["steps_split"] == 0
    monkeypatch.setattr(stepping, "load_search", stepping.load_careful)
    without = cs.simulate(two_link_arm("FF5"), 2 * np.pi, 0.2)
    assert without.status.ok
    assert without.stats["steps_split"] > 0


def test_easy_steps_need_no_line_search():
    run = cs.simulate(arm(stiffness=40.0), 0.2, 1e-3)
    assert run.stats["searched_steps"] == run.stats["careful_steps"] == run.stats["steps_split"] == 0


def test_hard_steps_in_the_middle_are_stored_where_they_belong():
    """What hard steps need is loaded when the first one comes, and the run goes on from there."""
    from cosserat.demo import two_link_arm

    whole, some = (cs.simulate(two_link_arm("FF5"), 6.0, 0.2, every=n) for n in (1, 3))
    assert whole.stats["careful_steps"] > 0
    np.testing.assert_allclose(some.time, whole.time[::3], atol=1e-12)
    np.testing.assert_array_equal(some.position("arm2.end"), whole.position("arm2.end")[::3])


@pytest.mark.parametrize("integrator", ["generalized-alpha", "energy-momentum"])
def test_controller_that_pushes_evenly(integrator):
    """Its first efforts are in the first accelerations: a constant push gives t^2/2 without an error of first order."""
    model = cs.Model("slider")
    mass = model.add(cs.RigidBody.sphere("mass", diameter=0.1, mass=1.0))
    model.add(cs.Prismatic("rail", cs.GROUND, mass, axis=(1, 0, 0), effort=0.0))
    times = []

    def law(t, state):
        times.append(t)
        return {"rail": 1.0}

    run = cs.simulate(model, 1.0, 0.05, controller=law, integrator=integrator)
    np.testing.assert_allclose(run.position("mass").values[:, 0], 0.5 * run.time**2, atol=1e-12)
    assert len(times) == len(set(times)) == 20  # once each


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_a_mechanism_at_rest_is_not_blamed_for_rounding(formulation: str) -> None:
    """Energies of 1e-23 J that come and go are nothing that appeared."""
    model = cs.Model("idle")
    body = model.add(cs.RigidBody("body", mass=1.3, com=(0.31, 0.17, 0.23), inertia=(0.02, 0.03, 0.04)))
    other = model.add(cs.RigidBody("other", mass=0.7, com=(0.83, 0.29, 0.41), inertia=(0.02, 0.03, 0.04)))
    model.add(cs.Universal("cross", cs.GROUND, body, axes=((0.6, 0.8, 0), (0.8, -0.6, 0)), at=(0.1, 0.2, 0.3)))
    model.add(cs.Prismatic("rail", body, other, axis=(1, 2, 3), at=(0.5, 0.2, 0.3), stiffness=500.0))
    model.add(cs.Spring("cord", cs.GROUND.at((1.1, 0.7, 0.3)), other, stiffness=90.0))
    run = cs.simulate(model, 0.05, step=1.25e-4, formulation=formulation)
    assert run.status.ok, run.status.message


@pytest.mark.parametrize("integrator", ["generalized-alpha", "energy-momentum"])
def test_motions_that_cannot_be_followed_do_not_end_well(integrator: str) -> None:
    """A slider is driven in a loop that cannot move: nothing holds the joints together."""
    model = cs.Model("locked")
    a = model.add(cs.RigidBody("a", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1)))
    b = model.add(cs.RigidBody("b", mass=1.0, com=(0.5, 0.2, 0), inertia=(0.1, 0.1, 0.1)))
    model.add(cs.Revolute("hinge", cs.GROUND, a, axis=(0, 0, 1)))
    model.add(cs.Prismatic("slider", a, b, axis=(1, 0.3, 0.2), at=(0.5, 0.2, 0), motion="0.05*(1 - cos(5*t))"))
    model.add(cs.Spherical("ball", cs.GROUND, b, at=(0.8, 0.1, 0.3)))
    with pytest.warns(cs.CosseratWarning, match="redundant"):
        run = cs.simulate(model, 0.3, step=1e-3, integrator=integrator)
    assert not run.status.ok
    assert "joints came apart" in run.status.message


@pytest.mark.parametrize("method", [{}, {"integrator": "energy-momentum"}, {"formulation": "floating"}])
def test_runs_do_not_depend_on_how_many_steps_are_taken_together(method: dict, monkeypatch) -> None:
    """How many depends on how fast they are: times differed in the last bit, and with them everything else."""
    model = cs.Model("driven", gravity=(0, 0, -9.81))
    a = model.add(cs.RigidBody("a", mass=1.0, com=(0.5, 0, 0), inertia=np.diag([0.01, 0.1, 0.1])))
    b = model.add(cs.RigidBody("b", mass=1.0, com=(1.5, 0, 0), inertia=np.diag([0.01, 0.1, 0.1])))
    model.add(cs.Revolute("j", cs.GROUND, a.at((0, 0, 0)), axis=(0, 1, 0), motion="1 - cos(3*t)"))
    model.add(cs.Revolute("k", a.at((1, 0, 0)), b.at((1, 0, 0)), axis=(0, 1, 0), effort="sin(7*t)"))
    runs = []
    for patience in (1e-9, 1e-4, 10.0):
        monkeypatch.setattr("cosserat.solve.motion.driver.PATIENCE", patience)
        runs.append(cs.simulate(model, 0.37, 0.37 / 90, **method))
    for run in runs[1:]:
        assert np.array_equal(run.reaction("j"), runs[0].reaction("j"))
        assert np.array_equal(run.position("b"), runs[0].position("b"))
