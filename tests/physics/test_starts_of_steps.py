"""How steps start: velocities that follow from prescribed ones, reactions that do not ring, turns that are kept."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs


def driven_rod(diameter: float, **more: object) -> cs.Model:
    model = cs.Model("rod")
    rod = model.add(
        cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(diameter), material=cs.materials.STEEL, elements=8)
    )
    model.add(cs.Revolute("drive", cs.GROUND, rod.start, axis=(0, 0, 1), motion="t"))
    return model


@pytest.mark.parametrize("diameter", [1e-2, 2e-3, 5e-4, 1e-5])
def test_a_driven_rod_starts_as_a_rigid_body_however_slender(diameter: float) -> None:
    run = cs.simulate(driven_rod(diameter), 1e-6, 1e-6)
    for s in (0.25, 1.0):
        assert np.allclose(run.velocity(f"rod.at({s})")[0], (0, s, 0), atol=1e-11)


def slider(second: float) -> cs.Model:
    """A driven crank, a link on a hinge and a spring, in units of time of so many seconds."""
    model = cs.Model("crank")
    a = model.add(cs.RigidBody("a", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)))
    b = model.add(cs.RigidBody("b", mass=2.0, com=(1.5, 0, 0), inertia=(0.1, 0.2, 0.2)))
    model.add(cs.Revolute("drive", cs.GROUND, a.at((0, 0, 0)), axis=(0, 0, 1), motion=f"{second}*t"))
    model.add(cs.Revolute("hinge", a.at((1, 0, 0)), b.at((1, 0, 0)), axis=(0, 0, 1), stiffness=50.0 * second**2))
    return model


def test_initial_velocities_do_not_depend_on_the_unit_of_time() -> None:
    """Least kinetic energy with the crank at 1 rad/s: the end of the link turns with (m l (1) + ...) = 0 about it."""
    expected = 1.0 - 2.0 * 0.5 * (1.0 + 0.5) / (0.2 + 2.0 * 0.25) + 0.5 * 0.0
    spin = -2.0 * 0.5 * 1.0 / (0.2 + 2.0 * 0.25)  # absolute turn of b: J w + m l (v + l w) = 0 about its centre
    for second in (1.0, 1e-3, 60.0):
        run = cs.simulate(slider(second), 1e-6 / second, 1e-6 / second)
        assert float(run.angular_velocity("b")[0, 2]) / second == pytest.approx(spin, rel=1e-9)
    assert expected < 0.0


def test_least_strain_rate_where_a_beam_cannot_stay_rigid() -> None:
    """A beam stretched between two drives: the strain rate is the same all along."""
    model = cs.Model("wire")
    wire = model.add(
        cs.Beam("wire", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(1e-3), material=cs.materials.STEEL, elements=5)
    )
    model.add(cs.Fixed("left", cs.GROUND, wire.start))
    model.add(cs.Prismatic("right", cs.GROUND, wire.end, axis=(1, 0, 0), motion="1e-3*t"))
    run = cs.simulate(model, 1e-7, 1e-7)
    for s in (0.2, 0.4, 0.6, 0.8):
        assert np.allclose(run.velocity(f"wire.at({s})")[0], (1e-3 * s, 0, 0), atol=1e-12)


def test_a_beam_follows_a_body_that_was_given_a_velocity() -> None:
    model = cs.Model("thrown")
    hub = model.add(
        cs.RigidBody("hub", mass=1, com=(0, 0, 0), inertia=(1, 1, 1), velocity=(0, 1, 0), angular_velocity=(0, 0, 2))
    )
    arm = model.add(
        cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(1e-3), material=cs.materials.STEEL, elements=4)
    )
    model.add(cs.Fixed("root", hub, arm.start))
    run = cs.simulate(model, 1e-6, 1e-6)
    assert np.allclose(run.velocity("arm.end")[0], (0, 3, 0), atol=1e-11)


def arm(motion: str, **more: float) -> cs.Model:
    """Two bars, the first one driven."""
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    inertia = np.diag([0.01, 0.1, 0.1])
    a = model.add(cs.RigidBody("a", mass=1.0, com=(0.5, 0, 0), inertia=inertia))
    b = model.add(cs.RigidBody("b", mass=1.0, com=(1.5, 0, 0), inertia=inertia))
    model.add(cs.Revolute("j", cs.GROUND, a.at((0, 0, 0)), axis=(0, 1, 0), motion=motion))
    model.add(cs.Revolute("k", a.at((1, 0, 0)), b.at((1, 0, 0)), axis=(0, 1, 0), **more))
    return model


@pytest.mark.parametrize("motion", ["t**2", "t - sin(t)", "2*t", "1 - cos(3*t)"])
def test_reactions_do_not_ring_after_the_start(motion: str) -> None:
    """Their error is of second order from the first step on, also with an initial velocity or a jerk."""
    exact = cs.simulate(arm(motion), 0.064, 1e-3, formulation="floating", integrator="runge-kutta")
    worst = []
    for step in (4e-3, 2e-3, 1e-3):
        run = cs.simulate(arm(motion), 0.064, step)
        every = round(step / 1e-3)
        worst.append(np.abs(run.reaction("j").values[:16] - exact.reaction("j").values[::every][:16]).max())
    assert worst[0] > 3.5 * worst[1]
    assert worst[1] > 3.5 * worst[2]
    assert worst[0] < 3e-3  # N; it was 1 N


@pytest.mark.parametrize("rho", [0.9, 0.6, 0.0])
def test_efforts_of_a_drive_with_a_jerk(rho: float) -> None:
    exact = cs.simulate(arm("t - sin(t)"), 0.04, 1e-3, formulation="floating", integrator="runge-kutta")
    run = cs.simulate(arm("t - sin(t)"), 0.04, 1e-3, rho=rho)
    assert np.abs(run.effort("j").values - exact.effort("j").values).max() < 1e-6


def hanging() -> cs.Model:
    """A beam on a bar on a ball joint."""
    model = cs.Model("hanging", gravity=(0, 0, -9.81))
    bar = model.add(cs.RigidBody("bar", mass=1.0, com=(-0.5, 0, 0), inertia=0.1 * np.eye(3)))
    soft = cs.Material(E=1e9, nu=0.3, rho=1000.0)
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.02), material=soft, elements=4))
    model.add(cs.Spherical("j", cs.GROUND.at((-1, 0, 0)), bar.at((-1, 0, 0))))
    model.add(cs.Revolute("k", bar.at((0, 0, 0)), beam.start, axis=(0, 1, 0), damping=0.1, effort="sin(9*t)"))
    return model


@pytest.mark.parametrize("through_file", [False, True])
@pytest.mark.parametrize(
    "method", [{}, {"rho": 0.3}, {"formulation": "floating"}], ids=lambda m: "-".join(map(str, m.values()))
)
@pytest.mark.parametrize("what", ["arm", "hanging"])
def test_a_run_is_its_two_halves(what: str, method: dict, through_file: bool, tmp_path) -> None:
    """Forces included: what the method carries besides the motion goes on; forces were off by up to a tenth."""
    model = arm("1 - cos(3*t)") if what == "arm" else hanging()
    if what == "hanging" and "formulation" in method:
        method = {**method, "modes": 4}
    settings = {"newton_tolerance": 1e-10, **method}
    whole = cs.simulate(model, 0.2, 2e-3, **settings)
    first = cs.simulate(model, 0.1, 2e-3, every=7, **settings)
    if through_file:
        first.save(tmp_path / "first.nc")
        first = cs.load_run(tmp_path / "first.nc")
    second = cs.simulate(model, 0.1, 2e-3, start=first, **settings)
    for joint in ("j", "k"):
        wanted = whole.reaction(joint).values
        assert np.abs(second.reaction(joint).values - wanted[50:]).max() < 1e-8 * np.abs(wanted).max()
    assert np.abs(second.energy.kinetic.values - whole.energy.kinetic.values[50:]).max() < 1e-10


@pytest.mark.parametrize("period", [None, 0.01])
@pytest.mark.parametrize(
    ("method", "allowed"),
    [({"newton_tolerance": 1e-10}, 1e-8), ({"newton_tolerance": 1e-10, "rho": 0.5}, 1e-8),
     ({}, 1e-5),  # times that differ by rounding decide how often Newton's iteration goes on: its tolerance
     ({"integrator": "energy-momentum"}, 1e-9), ({"formulation": "floating"}, 1e-7),
     ({"formulation": "floating", "integrator": "runge-kutta"}, 1e-12)],
)  # fmt: skip
def test_a_controlled_run_is_its_two_halves(method: dict, allowed: float, period: float | None, tmp_path) -> None:
    """Efforts changed with new factors at the seam, and the first state had those after the call: 1e-2 N."""
    model = arm("1 - cos(3*t)", effort=0.0)

    def law(t: float, state: cs.Run) -> dict[str, float]:
        return {"k": -20 * float(state.coordinate("k")[-1]) - 2 * float(state.coordinate_rate("k")[-1])}

    if period is not None:
        law.period = period
    whole = cs.simulate(model, 0.2, 2e-3, controller=law, **method)
    first = cs.simulate(model, 0.1, 2e-3, controller=law, **method)
    second = cs.simulate(model, 0.1, 2e-3, controller=law, start=first, **method)
    seam = 1 if "energy-momentum" in method.values() else 0  # whose forces at the seam are means of both sides
    for joint in ("j", "k"):
        wanted = whole.reaction(joint).values
        off = np.abs(second.reaction(joint).values - wanted[50:])[seam:]
        assert off.max() < allowed * np.abs(wanted).max()
    assert np.allclose(second.effort("k"), whole.effort("k")[50:], rtol=0, atol=10 * allowed)
    if not method:
        first.save(tmp_path / "first.nc")
        third = cs.simulate(model, 0.1, 2e-3, controller=law, start=cs.load_run(tmp_path / "first.nc"))
        assert np.abs(third.reaction("j").values - second.reaction("j").values).max() < 1e-3


def test_a_run_of_a_changed_model_does_not_go_on_with_old_accelerations() -> None:
    load = cs.Parameter("load", 0.0)
    model = arm("1 - cos(3*t)")
    model.add(cs.Force("pull", model["b"], (0, 0, load)))
    first = cs.simulate(model, 0.1, 1e-3)
    model.set(load=30.0)
    second = cs.simulate(model, 0.1, 1e-3, start=first)
    exact = cs.simulate(model, 0.1, 1e-3, start=first, formulation="floating", integrator="runge-kutta")
    assert np.abs(second.reaction("j").values[:20] - exact.reaction("j").values[:20]).max() < 0.02


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_passive_angles_keep_their_turns(formulation: str) -> None:
    model = cs.Model("wheel")
    body = model.add(
        cs.RigidBody("body", mass=1, com=(0, 0, 0), inertia=(1, 1, 1), angular_velocity=(0, 0, 10), velocity=(0, 0, 0))
    )
    model.add(cs.Revolute("j", cs.GROUND, body, axis=(0, 0, 1), at=(0, 0, 0)))
    first = cs.simulate(model, 2, 0.01, every=150, formulation=formulation)
    assert np.allclose(first.coordinate("j"), 10.0 * first.time, atol=1e-9)
    second = cs.simulate(model, 1, 0.01, start=first, formulation=formulation)
    assert np.allclose(second.coordinate("j"), 10.0 * second.time, atol=1e-9)


def test_counted_turns_survive_a_file(tmp_path) -> None:
    model = cs.Model("wheel")
    body = model.add(cs.RigidBody("body", mass=1, com=(0, 0, 0), inertia=(1, 1, 1), angular_velocity=(0, 0, 10)))
    model.add(cs.Revolute("j", cs.GROUND, body, axis=(0, 0, 1), at=(0, 0, 0)))
    cs.simulate(model, 2, 0.01, every=200).save(tmp_path / "run.nc")
    assert np.allclose(cs.load_run(tmp_path / "run.nc").coordinate("j"), (0, 20), atol=1e-9)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_a_joint_is_released(formulation):
    """A run goes on with a model that has other joints: free flight with the momenta of the release."""

    def swing(held):
        model = cs.Model("swing", gravity=(0, 0, -9.81))
        bob = model.add(cs.RigidBody("bob", 2.0, (1, 0, 0), (0.05, 0.06, 0.07)))
        base = model.add(cs.RigidBody("base", 1.0, (0, 0, 0.2), (0.02, 0.02, 0.02)))
        model.add(cs.Prismatic("rail", cs.GROUND, base, axis=(1, 0, 0), stiffness=30.0))
        if held:
            model.add(cs.Revolute("hinge", base.at((0, 0, 0)), bob, at=(0, 0, 0), axis=(0, 1, 0), damping=0.1))
        return model

    options = {"formulation": formulation}
    run = cs.simulate(swing(True), 0.4, 0.001, **options)
    free = cs.simulate(swing(False), 0.3, 0.001, start=run, **options)
    assert free.status.ok
    assert free.time[0] == run.time[-1]
    x, v, w = (f("bob")[-1].values for f in (run.position, run.velocity, run.angular_velocity))
    t = 0.3
    assert np.allclose(free.position("bob")[-1], x + v * t + np.array([0, 0, -9.81]) * t**2 / 2, atol=1e-6)
    assert np.allclose(free.angular_velocity("bob")[-1], w, atol=1e-9)
    again = cs.simulate(swing(True), 0.001, 0.001, start=run, **options)  # as it was: nothing jumps
    assert np.allclose(again.velocity("bob")[0], v, atol=1e-6)
    with pytest.raises(cs.CosseratError, match="joint 'hinge' is new since the run given as start, and does not fit"):
        cs.simulate(swing(True), 0.1, 0.01, start=free, **options)
    other = cs.Model("other", gravity=(0, 0, -1))
    other.add(cs.RigidBody("bob", 2.0, (1, 0, 0), (0.05, 0.06, 0.07)))
    with pytest.raises(cs.CosseratError, match="other bodies, beams or nodes"):
        cs.simulate(other, 0.1, 0.01, start=run, **options)


def tilted_disc():
    """A disc that rolls around a circle, leaning."""
    model = cs.Model("disc", gravity=(0, 0, -9.81))
    axis = np.array([0, np.cos(0.3), np.sin(0.3)])
    centre, spin = 0.5 * np.array([0, -np.sin(0.3), np.cos(0.3)]), np.array([0, 0, 1.0]) - 6.0 * axis
    inertia = 0.0625 * (np.eye(3) + np.outer(axis, axis))
    disc = cs.RigidBody("disc", 1.0, tuple(centre), inertia, velocity=np.cross(spin, centre), angular_velocity=spin)
    model.add(disc)
    model.add(cs.RollingDisc("rim", disc, radius=0.5, axis=axis))
    return model


@pytest.mark.parametrize("ratio", [0.5, 2.0])
def test_reactions_of_a_disc_that_goes_on_in_other_steps(ratio):
    """Second order; the gap is held as a position, so that velocities across it belong to the step."""
    fine = cs.simulate(tilted_disc(), 0.32, step=2.5e-4).reaction("rim").values

    def error(step):
        first = cs.simulate(tilted_disc(), 0.16, step=step)
        run = cs.simulate(tilted_disc(), 0.16, step=ratio * step, start=first)
        return np.abs(run.reaction("rim").values - fine[np.rint(run.time / 2.5e-4).astype(int)]).max()

    coarse, half = error(4e-3), error(2e-3)
    assert half < 2e-3
    assert half < 0.3 * coarse


def test_reactions_of_two_bodies_that_go_on_in_other_steps():
    """A double pendulum in space: second order; with velocities of the steps before they rang by 9 and 4 N."""
    spins = np.array([3.0, 2.0, 1.0]), np.array([-1.0, 3.0, 2.0])
    elbow, centres = np.array([0.6, 0.2, -0.4]), (np.array([0.3, 0.1, -0.2]), np.array([0.8, 0.3, -0.1]))
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    speeds = np.cross(spins[0], centres[0]), np.cross(spins[0], elbow) + np.cross(spins[1], centres[1] - elbow)
    for k, (spin, centre, speed) in enumerate(zip(spins, centres, speeds, strict=True)):
        model.add(cs.RigidBody(f"b{k}", 1.0, centre, (0.01, 0.02, 0.03), velocity=speed, angular_velocity=spin))
    model.add(cs.Spherical("shoulder", cs.GROUND, "b0", at=(0, 0, 0)))
    model.add(cs.Spherical("elbow", "b0", "b1", at=elbow))
    fine = cs.simulate(model, 0.3, step=2.5e-4).reaction("shoulder").values

    def error(step):
        run = cs.simulate(model, 0.1, step=0.5 * step, start=cs.simulate(model, 0.2, step=step))
        return np.abs(run.reaction("shoulder").values - fine[np.rint(run.time / 2.5e-4).astype(int)]).max()

    coarse, half = error(4e-3), error(2e-3)
    assert half < 0.05
    assert half < 0.35 * coarse


def on_a_rail():
    """A body on a rail of adjustable slope, against a spring along it."""
    slope = cs.Parameter("slope", 0.0)
    model = cs.Model("rail", gravity=(0, 0, -1.0))
    body = model.add(cs.RigidBody("body", mass=1.0, com=(0, 0, 0), inertia=0.1 * np.eye(3), velocity=(1, 0, 0)))
    model.add(cs.RigidBody("far", mass=1.0, com=(10, 0, 0), inertia=0.1 * np.eye(3)))
    model.add(cs.Fixed("wall", cs.GROUND, "far"))
    model.add(cs.Prismatic("rail", cs.GROUND, body, axis=(1, 0, slope), stiffness=4.0))
    return model


@pytest.mark.parametrize("integrator", ["generalized-alpha", "energy-momentum"])
@pytest.mark.parametrize("step", [1e-2, 1e-4])
def test_a_rail_is_turned_between_two_runs(integrator, step):
    """The body keeps the part of its velocity along the rail, whatever the step, though it was beside it a little."""
    model = on_a_rail()
    first = cs.simulate(model, 0.004, 0.002, integrator=integrator)
    model.set(slope=0.75)
    second = cs.simulate(model, 20 * step, step, start=first, integrator=integrator)
    speeds = np.linalg.norm(second.velocity("body"), axis=1)
    q, t = second.coordinate("rail").values, second.time - second.time[0]
    pull = -0.6  # along the rail
    middle, amplitude = pull / 4.0, q[0] - pull / 4.0
    exact = middle + amplitude * np.cos(2 * t) + 0.4 * np.sin(2 * t)
    assert second.status.ok
    assert np.isclose(speeds[0], 0.8, atol=1e-4)
    assert np.allclose(q, exact, atol=1e-4)
    assert float(second.constraint_violation.max()) < 1e-9


def driven_swing():
    """A pendulum on a turntable whose rotation is prescribed."""
    model = cs.Model("swing", gravity=(0, 0, -9.81))
    table = model.add(cs.RigidBody("table", mass=1.0, com=(0, 0, 0), inertia=0.1 * np.eye(3)))
    bob = model.add(cs.RigidBody("bob", mass=1.0, com=(1, 0, 0), inertia=0.1 * np.eye(3)))
    model.add(cs.Revolute("turn", cs.GROUND, table, axis=(0, 0, 1), motion="0.3*t"))
    model.add(cs.Revolute("pivot", table, bob, axis=(0, 1, 0), at=(0, 0, 0), stiffness=50.0))
    return model


def test_an_equilibrium_where_drives_are_elsewhere_is_no_start():
    """It would be torn there within one step, with velocities that grow as steps become smaller."""
    model = driven_swing()
    with pytest.raises(cs.CosseratError, match=r"joint 'turn' does not fit .* equilibrium given as start.* time=1"):
        cs.simulate(model, 0.1, 0.01, start=cs.equilibrium(model), start_time=1.0)
    for start in (cs.equilibrium(model, time=1.0), "equilibrium"):
        run = cs.simulate(model, 0.1, 0.01, start=start, start_time=1.0)
        assert run.status.ok
        assert np.isclose(run.coordinate("turn")[0], 0.3)
        assert float(np.abs(run.velocity("bob")).max()) < 0.5


def test_small_gaps_are_closed_without_stressing_beams():
    """A clamp that was turned by 1e-4 rad turns the whole beam, and leaves its stress alone."""
    tilt = cs.Parameter("tilt", 0.0)
    model = cs.Model("shelf", gravity=(0, 0, -9.81))
    rod = cs.Beam("rod", points=[(0, 0, 0), (1, 0, 0)], section=cs.Rod(0.02), material=cs.materials.STEEL, elements=6)
    model.add(rod)
    model.add(cs.Revolute("clamp", cs.GROUND, rod.start, axis=(0, 1, 0), motion=tilt))
    rest = cs.equilibrium(model)
    model.set(tilt=1e-4)
    run = cs.simulate(model, 0.002, 1e-4, start=rest)
    energy = run.energy
    assert np.allclose(run.position("rod.end")[0] - rest.position("rod.end"), (0, 0, -1e-4), atol=3e-7)
    assert np.allclose(run.section_force("rod", 0.0)[0], rest.section_force("rod", 0.0), atol=1e-2)
    found = cs.simulate(model, 1e-4, 1e-4, start=cs.equilibrium(model))
    assert np.isclose(energy["strain"][0], found.energy["strain"][0], rtol=1e-3)
    assert float(energy["kinetic"].max()) < 1e-6


def loaded_beam(place):
    """A cantilever with a small load somewhere: a beam has a node there, and as many as without it."""
    model = cs.Model("shelf", gravity=(0, 0, -9.81))
    line = [(0, 0, 0), (1, 0, 0)]
    rod = cs.Beam("rod", points=line, section=cs.Rod(0.02), material=cs.materials.NYLON, elements=6)
    model.add(rod)
    model.add(cs.Fixed("clamp", cs.GROUND, rod.start))
    model.add(cs.Force("load", rod.at(place), (0, 0, 1e-6)))
    return model


def test_other_nodes_along_a_beam_are_no_start():
    """Nodes of one model are not those of another, though there are as many: they are elsewhere."""
    rest, linear = cs.equilibrium(loaded_beam(0.5)), cs.linearize(loaded_beam(0.5), "rod.end.fz", "rod.end.z")
    other = loaded_beam(0.37)
    moved = cs.simulate(other, 0.01, 0.01)
    assert len(rest.trajectory.history.frame[0]) == len(moved.trajectory.history.frame[0])
    with pytest.raises(cs.CosseratError, match="other nodes"):
        cs.simulate(other, 0.01, 0.01, start=rest)
    with pytest.raises(cs.CosseratError, match="other nodes"):
        cs.linearize(other, "rod.end.fz", "rod.end.z", about=cs.simulate(loaded_beam(0.5), 0.01, 0.01))
    with pytest.raises(cs.CosseratError, match="bodies, beams or nodes"):
        linear.state(moved)


@pytest.mark.parametrize("period", [None, 0.06])
def test_reactions_after_efforts_that_a_controller_changes(period: float | None) -> None:
    """Accelerations jumped with old factors: reactions alternated by a fifth of the largest, positions had no order."""
    model = cs.Model("arm", gravity=(0.5, -1.0, -9.81))
    upper = model.add(cs.RigidBody("upper", 2.0, (0.5, 0, 0), (0.02, 0.12, 0.11)))
    lower = model.add(cs.RigidBody("lower", 1.0, (1.3, 0.1, 0), (0.01, 0.05, 0.04)))
    model.add(cs.Universal("shoulder", cs.GROUND, upper, at=(0, 0, 0), axes=[(0, 1, 0), (0, 0, 1)]))
    model.add(cs.Revolute("elbow", upper, lower, axis=(0, 0.6, 0.8), at=(1, 0, 0), effort=0.0))

    def relay(t: float, state: cs.Run) -> dict[str, float]:
        return {"elbow": 3.0 if int(t / 0.06 + 1e-6) % 2 else -3.0}

    if period is not None:
        relay.period = period
    exact = cs.simulate(model, 0.6, 1e-3, controller=relay, formulation="floating", integrator="runge-kutta")
    errors = []
    for step, each in ((0.01, 10), (5e-3, 5)):
        run = cs.simulate(model, 0.6, step, controller=relay)
        pairs = [(get(run, name), get(exact, name)[::each]) for get, name in
                 ((cs.Run.position, "lower"), (cs.Run.reaction, "shoulder"), (cs.Run.reaction, "elbow"))]  # fmt: skip
        errors.append([float(np.abs(a.values - b.values).max() / np.abs(b.values).max()) for a, b in pairs])
    assert max(errors[0]) < 5e-3
    assert np.all(np.log2(np.divide(*errors)) > 1.7)


@pytest.mark.parametrize("held", [2, 4])
def test_reactions_after_efforts_that_were_held_for_few_steps(held: int) -> None:
    """They alternated by a tenth of the largest where a controller was called every second to fourth step."""
    model = cs.Model("arm", gravity=(0.3, -1.0, -9.81))
    upper = model.add(cs.RigidBody("upper", 2.0, (0.5, 0, 0), (0.02, 0.12, 0.11)))
    lower = model.add(cs.RigidBody("lower", 1.0, (1.3, 0.1, 0), (0.01, 0.05, 0.04)))
    model.add(cs.Universal("shoulder", cs.GROUND, upper, at=(0, 0, 0), axes=[(0, 1, 0), (0, 0, 1)]))
    model.add(cs.Revolute("elbow", upper, lower, axis=(0, 0.6, 0.8), at=(1, 0, 0), damping=0.1, effort=0.0))

    def wave(t: float, state: cs.Run) -> dict[str, float]:
        return {"elbow": 3.0 * float(np.sin(39.0 * t + 0.1))}

    wave.period = 0.02
    exact = cs.simulate(model, 0.32, 1e-3, controller=wave, formulation="floating", integrator="runge-kutta")
    step = wave.period / held
    run = cs.simulate(model, 0.32, step, controller=wave)
    same = np.rint(run.time / 1e-3).astype(int)
    smooth = np.arange(len(run.time)) % held != 0  # between two calls
    wrong = np.abs(run.reaction("shoulder").values - exact.reaction("shoulder").values[same])[smooth]
    assert wrong.max() < 0.004 * (2.0 / held) ** 1.5 * np.abs(exact.reaction("shoulder").values).max()


def damped_rod() -> cs.Model:
    model = cs.Model("rod", gravity=(0, 0, -9.81))
    plastic = cs.Material(E=2e10, nu=0.3, rho=2000.0, damping=1e-3)
    rod = model.add(cs.Beam("rod", points=[(0, 0, 0), (0.6, 0, 0)], section=cs.Rod(0.03), material=plastic, elements=3))
    hand = model.add(cs.RigidBody("hand", 0.3, (0.7, 0, 0), (1e-3, 1e-3, 1e-3)))
    model.add(cs.Revolute("shoulder", cs.GROUND, rod.start, axis=(0, 1, 0), effort=0.0))
    model.add(cs.Revolute("wrist", rod.end, hand, axis=(0, 1, 0), at=(0.6, 0, 0), damping=0.02))
    return model


@pytest.mark.parametrize("at", [0.0687, 0.0787, 0.08])
@pytest.mark.parametrize("settings", [{}, {"formulation": "floating", "modes": 4}])
def test_a_run_that_ends_with_an_event_is_the_first_half_of_one(settings: dict, at: float) -> None:
    """Velocities of the method did not go on, or its acceleration of a short rest of a step did."""
    kick = cs.Event("kick", lambda t, s: t - at, lambda t, s: {"hand": (0.02, 0.05, 0.03)}, direction="rising")
    settings = {"newton_tolerance": 1e-10, "events": kick, **settings}
    whole = cs.simulate(damped_rod(), 0.12, 0.005, **settings)
    half = cs.simulate(damped_rod(), 0.08, 0.005, **settings)
    rest = cs.simulate(damped_rod(), 0.04, 0.005, start=half, **settings)
    for get, name in ((cs.Run.reaction, "wrist"), (cs.Run.acceleration, "hand")):
        wanted, found = get(whole, name).values[-8:], get(rest, name).values[-8:]
        assert np.abs(found - wanted).max() < 1e-6 * np.abs(wanted).max()


def test_a_controlled_beam_in_floating_frames_goes_on() -> None:
    """Efforts changed at the seam as if nothing damped the beam: accelerations alternated, three times too large."""

    def wave(t: float, state: cs.Run) -> dict[str, float]:
        return {"shoulder": 0.5 * float(np.sin(7.0 * t)) - 0.3 * float(state.coordinate("shoulder")[-1])}

    wave.period = 0.02
    settings: dict = {"formulation": "floating", "modes": 4, "newton_tolerance": 1e-10, "controller": wave}
    whole = cs.simulate(damped_rod(), 0.16, 0.005, **settings)
    rest = cs.simulate(damped_rod(), 0.08, 0.005, start=cs.simulate(damped_rod(), 0.08, 0.005, **settings), **settings)
    wanted = whole.trajectory.floating.a[16:]
    assert np.abs(rest.trajectory.floating.a - wanted).max() < 1e-6 * np.abs(wanted).max()
