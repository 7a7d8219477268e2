"""Joints that events release and engage in one run: flights, docking, latches, fuses; closed forms and two runs."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import ArgumentError, SolveError

G = 9.81
METHODS = [
    ("galilean", "generalized-alpha"), ("galilean", "energy-momentum"),
    ("floating", "generalized-alpha"), ("floating", "runge-kutta"),
]  # fmt: skip


def settings_of(method: tuple[str, str], **more: Any) -> Any:
    return {"formulation": method[0], "integrator": method[1], **more}


def event_row(run: cs.Run, k: int = 0) -> int:
    """Number of the state stored at an event, which is the one after it."""
    return int(np.searchsorted(run.time, run.events[k][1] - 1e-9))


def pendulum(hinged: bool = True, **hinge: Any) -> cs.Model:
    model = cs.Model("pendulum", gravity=(0, 0, -G))
    bob = model.add(cs.RigidBody("bob", 1.0, (1, 0, 0), (0.01, 0.02, 0.02)))
    if hinged:
        model.add(cs.Revolute("hinge", cs.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0), **hinge))
    return model


def angle(t: float, state: Any) -> float:
    return state.coordinate("hinge")[-1] - 1.0


@pytest.mark.parametrize("method", METHODS)
def test_a_released_pendulum_flies(method: tuple[str, str]) -> None:
    """On a parabola, with the order of the method; position and velocity go on, the reaction is gone."""
    errors = []
    for step in (0.02, 0.01, 0.005):
        run = cs.simulate(pendulum(), 1.0, step, events=cs.Event("off", angle, release="hinge"), **settings_of(method))
        held = cs.simulate(pendulum(), 1.0, step, events=cs.Event("off", angle, stop=True), **settings_of(method))
        assert run.status.ok
        k = event_row(run)
        x, v = run.position("bob").values[k], run.velocity("bob").values[k]
        assert np.allclose(x, held.position("bob").values[-1], atol=1e-12)
        assert np.allclose(v, held.velocity("bob").values[-1], atol=1e-8)
        t = (run.time[k:] - run.time[k])[:, None]
        flight = x + v * t + 0.5 * t**2 * np.array((0, 0, -G))
        errors.append(float(np.abs(run.position("bob").values[k:] - flight).max()))
        assert not run.reaction("hinge")[k:].any()
        assert float(np.abs(run.reaction("hinge")[k - 1]).max()) > 10.0
        assert np.all(np.diff(run.time) > 0.0)
        assert run.trajectory.phases == ((0, ()), (k, ("hinge",)))
    if method[1] == "energy-momentum":  # free bodies fly straight, exactly
        assert max(errors) < 1e-12
    else:
        assert np.log2(errors[0] / errors[2]) / 2 > (3.8 if method[1] == "runge-kutta" else 1.9)


@pytest.mark.parametrize("method", METHODS[:3])
def test_what_flies_off_had_the_velocity_of_its_joints(method: tuple[str, str]) -> None:
    """It took along what velocities of the method differ from those, by the square of the part of a step before it."""
    model = cs.Model("sling", gravity=(0.5, -1.0, -G))
    arm = model.add(cs.RigidBody("arm", 2.0, (0.5, 0, 0), (0.02, 0.12, 0.11)))
    stone = model.add(cs.RigidBody("stone", 1.0, (1.3, 0.1, 0), (0.01, 0.05, 0.04)))
    model.add(cs.Universal("shoulder", cs.GROUND, arm, at=(0, 0, 0), axes=[(0, 1, 0), (0, 0, 1)]))
    model.add(cs.Revolute("wrist", arm, stone, axis=(0, 0.6, 0.8), at=(1, 0, 0)))
    off = cs.Event("off", lambda t, state: t - 0.1537, direction="rising", release="wrist")
    exact = cs.simulate(model, 0.4, 1e-3, events=off, **settings_of(METHODS[3])).position("stone")[-1]
    runs = [cs.simulate(model, 0.4, step, events=off, **settings_of(method)) for step in (4e-3, 2e-3, 1e-3)]
    errors = [float(np.linalg.norm(run.position("stone")[-1] - exact)) for run in runs]
    assert np.allclose(np.log2(np.divide(errors[:-1], errors[1:])), 2.0, atol=0.1)


@pytest.mark.parametrize("step", [0.01, None])
@pytest.mark.parametrize("method", METHODS)
def test_what_acts_in_a_hinge_goes_with_it(method: tuple[str, str], step: float | None) -> None:
    """The energy of its spring is lost, as negative work; damper, friction and drive act no more."""
    laws: Any = {"stiffness": 0.3, "damping": 0.02, "friction": 0.1, "effort": lambda t: 0.2 + 0 * t}
    run = cs.simulate(
        pendulum(**laws), 1.0, step, events=cs.Event("off", angle, release="hinge"), **settings_of(method)
    )
    k, energy = event_row(run), run.energy
    assert run.status.ok
    assert float(energy["strain"][k - 1]) > 0.1
    assert not energy["strain"][k:].any()
    assert not run.effort("hinge")[k:].any()
    assert float(energy["dissipated"][-1]) == pytest.approx(float(energy["dissipated"][k]), abs=1e-14)
    lost = float(energy["work"][k] - 0.2 * run.coordinate("hinge")[k])
    assert lost == pytest.approx(-0.5 * 0.3 * 1.0, abs=1e-3 if step is None else 2e-5)  # the drive's is a trapezoid
    assert float(np.abs(energy["balance"]).max()) < 6e-3


def docking(skewed: float = 0.0) -> cs.Model:
    model = cs.Model("docking")
    chaser = model.add(cs.RigidBody("chaser", 2.0, (0, 0, 0), (0.1, 0.2, 0.3), velocity=(1.0, 0.1, 0)))
    target = model.add(cs.RigidBody("target", 3.0, (1.0, 0.02, 0), (0.3, 0.3, 0.4), velocity=(0.2, 0.1, 0)))
    model.add(cs.Fixed("latch", chaser.at((0.2, 0, 0)), target.at((0.7, skewed, 0)), open=True))
    return model


def distance(t: float, state: Any) -> float:
    return state.position("target.at(0.7,0,0)")[-1, 0] - state.position("chaser.at(0.2,0,0)")[-1, 0]


@pytest.mark.parametrize("step", [0.03, None])
@pytest.mark.parametrize("method", METHODS)
def test_docking(method: tuple[str, str], step: float | None) -> None:
    """A plastic impact: momenta stay, spin and loss of energy in closed form; no reaction before, one weld after."""
    run = cs.simulate(docking(), 2.0, step, events=cs.Event("dock", distance, engage="latch"), **settings_of(method))
    k = event_row(run)
    assert run.status.ok
    assert run.events == [("dock", pytest.approx(0.5 / 0.8, abs=1e-12))]
    momentum = run.momentum.values
    assert np.allclose(momentum, momentum[0], atol=3e-7)
    mass, away = 2.0 * 3.0 / 5.0, np.array((1.0 - 0.5, 0.02))
    turning = mass * (away[0] * 0.0 - away[1] * (0.2 - 1.0))
    spin = turning / (0.3 + 0.4 + mass * away @ away)
    for body in ("chaser", "target"):
        assert run.angular_velocity(body).values[k:, 2] == pytest.approx(spin, abs=1e-9)
    loss = 0.5 * mass * 0.8**2 - 0.5 * turning * spin
    assert float(run.energy["work"][-1]) == pytest.approx(-loss, abs=1e-11)
    assert float(np.abs(run.energy["balance"]).max()) < 2e-9
    assert not run.reaction("latch")[:k].any()
    assert float(run.constraint_violation.max()) < 1e-12
    assert run.trajectory.phases == ((0, ("latch",)), (k, ()))


@pytest.mark.parametrize("method", METHODS)
def test_what_does_not_fit_ends_the_run(method: tuple[str, str]) -> None:
    run = cs.simulate(
        docking(0.05), 2.0, 0.03, events=cs.Event("dock", distance, engage="latch"), **settings_of(method)
    )
    assert run.status.outcome is cs.Outcome.MISFIT
    assert "event 'dock': joint 'latch' misses by 0.05 m" in run.status.message
    assert run.time[-1] == pytest.approx(0.625, abs=1e-9)
    assert float(run.position("chaser")[-1, 0]) == pytest.approx(0.625, abs=1e-9)
    assert not run.reaction("latch").any()


def four_bar(without: str = "") -> cs.Model:
    model, corners = cs.Model("four bar", gravity=(0, 0, -G)), [(0, 0, 0), (0.1, 0, 0.3), (0.9, 0, 0.6), (1, 0, 0)]
    bars = [
        model.add(cs.RigidBody.bar(name, *corners[k : k + 2], mass=mass))
        for k, (name, mass) in enumerate({"crank": 0.5, "coupler": 1.0, "rocker": 0.8}.items())
    ]
    for k, (parent, child) in enumerate(zip([cs.GROUND, *bars], [*bars, cs.GROUND], strict=True)):
        if "ABCD"[k] != without:
            model.add(cs.Revolute("ABCD"[k], parent, child, axis=(0, 1, 0), at=corners[k]))
    return model


@pytest.mark.filterwarnings("ignore:redundant constraints")
@pytest.mark.parametrize("pin", ["C", "D"])
@pytest.mark.parametrize("method", METHODS)
def test_a_pin_of_a_four_bar_is_released(method: tuple[str, str], pin: str) -> None:
    """As with two models and two runs; energy goes on."""
    settings = settings_of(method)
    run = cs.simulate(four_bar(), 0.6, 0.005, events=cs.Event("cut", lambda t, _: t - 0.2, release=pin), **settings)
    first = cs.simulate(four_bar(), 0.2, 0.005, **settings)
    second = cs.simulate(four_bar(pin), 0.4, 0.005, start=first, **settings)
    assert run.status.ok
    assert len(run.time) == 121
    for bar in ("crank", "coupler", "rocker"):
        assert np.allclose(run.position(bar)[40:], second.position(bar), atol=3e-5)
        assert np.allclose(run.velocity(bar)[40:], second.velocity(bar), atol=3e-4)
    kept = {"energy-momentum": 1e-10, "runge-kutta": 1e-5}.get(method[1], 1e-2)
    assert float(np.abs(run.energy["balance"]).max()) < kept
    assert float(np.abs(run.energy["work"]).max()) < 1e-8
    other = "B" if pin == "C" else "A"
    assert np.allclose(run.coordinate(other)[40:], second.coordinate(other), atol=1e-4)


@pytest.mark.filterwarnings("ignore:redundant constraints")
@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_two_runs_across_a_cut_loop(formulation: str, tmp_path: Path) -> None:
    """A joint that was cut in floating frames has its angle in a run of other joints, from a file, too."""
    first = cs.simulate(four_bar(), 0.2, 0.005, formulation="floating")
    first.save(tmp_path / "first.nc")
    for start in (first, cs.load_run(tmp_path / "first.nc")):
        second = cs.simulate(four_bar("C"), 0.1, 0.005, start=start, formulation=formulation)
        assert np.allclose(second.position("rocker")[0], first.position("rocker")[-1], atol=1e-9)
        assert float(second.coordinate("D")[0]) == pytest.approx(float(first.coordinate("D")[-1]), abs=1e-9)


def clapper(turns: float, **latch: Any) -> cs.Model:
    """Two bars on one hinge line; the first turns and is to catch the second."""
    model, axis = cs.Model("clapper"), (0, 0, 1)
    one = model.add(cs.RigidBody.bar("one", (0, 0, 0), (1, 0, 0), mass=1.0, angular_velocity=(0, 0, 2.0)))
    two = model.add(cs.RigidBody.bar("two", (0, 0, 0), (0.7, 0, 0), mass=2.0))
    model.add(cs.Revolute("hinge", cs.GROUND, one.at((0, 0, 0)), axis=axis))
    model.add(cs.Revolute("other", cs.GROUND, two.at((0, 0, 0)), axis=axis))
    model.add(cs.Revolute("latch", two.at((0, 0, 0)), one.at((0, 0, 0)), axis=axis, open=True, **latch))
    return model


@pytest.mark.filterwarnings("ignore:redundant constraints")
@pytest.mark.parametrize("method", METHODS)
def test_a_bar_latches_at_an_angle(method: tuple[str, str]) -> None:
    """After more than a turn: the angular momentum about the hinge stays, I1 w = (I1 + I2) w'."""
    caught = 2 * np.pi + 0.5
    latch = cs.Event("latch", lambda t, state: state.coordinate("hinge")[-1] - caught, engage="latch")
    run = cs.simulate(clapper(1.0, motion=0.5), 4.0, 0.02, events=latch, **settings_of(method))
    assert run.status.ok
    k, inertia = event_row(run), (1.0 / 3.0, 2.0 * 0.49 / 3.0)
    assert run.events[0][1] == pytest.approx(caught / 2.0, abs=1e-7)
    speed = 2.0 * inertia[0] / sum(inertia)
    assert np.allclose(run.coordinate_rate("hinge")[k:], speed, atol=1e-8)
    assert np.allclose(run.coordinate("latch")[k:], 0.5, atol=1e-9)
    assert np.allclose(run.coordinate("hinge")[k:] - run.coordinate("other")[k:], caught, atol=1e-8)
    lost = 0.5 * inertia[0] * 2.0**2 - 0.5 * sum(inertia) * speed**2
    assert float(run.energy["work"][-1]) == pytest.approx(-lost, abs=1e-8)
    assert float(np.abs(run.energy["balance"]).max()) < 1e-8


@pytest.mark.filterwarnings("ignore:redundant constraints")
@pytest.mark.parametrize("method", METHODS)
def test_turns_are_counted_from_where_a_joint_is_engaged(method: tuple[str, str]) -> None:
    """A spring in it pulls to the nearest turn: an oscillation in closed form."""
    caught, stiffness = 2 * np.pi + 0.5, 3.0
    latch = cs.Event("latch", lambda t, state: state.coordinate("hinge")[-1] - caught, engage="latch")
    run = cs.simulate(clapper(1.0, stiffness=stiffness), 5.0, 0.005, events=latch, **settings_of(method))
    assert run.status.ok
    k, inertia = event_row(run), (1.0 / 3.0, 2.0 * 0.49 / 3.0)
    rate, t = np.sqrt(stiffness * sum(inertia) / np.prod(inertia)), run.time[k:] - run.time[k]
    swing = 0.5 * np.cos(rate * t) + 2.0 / rate * np.sin(rate * t)
    assert np.allclose(run.coordinate("latch")[k:], swing, atol=3e-3 if method[1] != "runge-kutta" else 1e-7)
    assert float(run.coordinate("latch")[k - 1]) == pytest.approx(caught - 2.0 * (run.time[k] - run.time[k - 1]))
    assert float(run.energy["work"][k]) == pytest.approx(0.5 * stiffness * 0.25, abs=1e-8)
    assert float(np.abs(run.energy["balance"]).max()) < 2e-3


def cantilever(clamped: bool = True) -> cs.Model:
    model, section = cs.Model("cantilever", gravity=(0, 0, -G)), cs.Rectangle(0.02, 0.01)
    steel = cs.Material(E=2e9, nu=0.3, rho=2000.0)
    beam = model.add(cs.Beam("beam", points=[(0, 0, 0), (1, 0, 0)], section=section, material=steel, elements=8))
    if clamped:
        model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    return model


@pytest.mark.parametrize(
    ("method", "more"),
    [(METHODS[0], {}), (METHODS[1], {}), (METHODS[2], {"modes": 6})],
)
def test_a_beam_leaves_its_clamp(method: tuple[str, str], more: dict[str, Any]) -> None:
    """Its centre of mass falls on a parabola and its momentum is that of its weight; no energy is lost or gained."""
    release = cs.Event("off", lambda t, _: t - 0.1, release="clamp")
    run = cs.simulate(cantilever(), 0.3, 0.0005, events=release, **settings_of(method, **more))
    assert run.status.ok
    k, mass = event_row(run), 2000.0 * 0.02 * 0.01
    t, p = run.time[k:] - run.time[k], run.momentum.values[k:]
    scale = mass * G * 0.2
    assert np.allclose(p[:, 2] - p[0, 2], -mass * G * t, atol=1e-3 * scale)
    assert np.allclose(p[:, :2], p[0, :2], atol=1e-3 * scale)
    assert abs(p[0, 2]) > 0.1 * scale
    assert not run.reaction("clamp")[k:].any()
    before, after = (float(run.energy["total"][i]) for i in (k - 1, k))
    assert after == pytest.approx(before, abs=1e-4)
    limit = 1e-9 if method[1] == "energy-momentum" else 2e-2
    assert float(np.abs(run.energy["balance"]).max()) < limit
    assert float(np.abs(run.energy["work"]).max()) < 1e-7


def test_the_formulations_agree_on_a_released_beam() -> None:
    release = cs.Event("off", lambda t, _: t - 0.1, release="clamp")
    nodes = cs.simulate(cantilever(), 0.25, 0.001, events=release)
    modes = cs.simulate(cantilever(), 0.25, 0.001, events=release, formulation="floating", modes=10)
    for place in ("beam.start", "beam.end", "beam.at(0.5)"):
        assert np.allclose(nodes.position(place)[-1], modes.position(place)[-1], atol=2e-3)


@pytest.mark.parametrize("step", [0.02, None])
@pytest.mark.parametrize("method", METHODS)
def test_let_go_and_caught_again(method: tuple[str, str], step: float | None) -> None:
    """A ball on a slider: let go for a time, it falls, is held, and goes on falling when it is let go again."""
    model = cs.Model("drop", gravity=(0, 0, -G))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=2.0))
    model.add(cs.Prismatic("rail", cs.GROUND, ball, axis=(0, 0, 1)))
    model.add(cs.Prismatic("brake", cs.GROUND, ball, axis=(1, 0, 0), open=True))
    events = [
        cs.Event("caught", lambda t, state: state.velocity("ball")[-1, 2] + 3.0, engage="brake", release="rail"),
        cs.Event("free", lambda t, _: t - 1.0, release="brake"),
        cs.Event("again", lambda t, _: t - 1.1, engage="rail"),
    ]
    # the brake holds where the ball was described: the fall is over before it can fit
    run = cs.simulate(model, 1.5, step, events=events, **settings_of(method))
    assert run.status.outcome is cs.Outcome.MISFIT
    assert [name for name, _ in run.events] == ["caught"]
    events[0] = cs.Event("caught", lambda t, _: t - 0.5, release="rail", then=lambda t, _: {"ball": (0, 1, 2 * 4.905)},
                         direction="rising")  # fmt: skip
    run = cs.simulate(model, 1.5, step, events=[events[0], events[2]], **settings_of(method))
    assert [name for name, _ in run.events] == ["caught", "again"]
    assert run.status.outcome is cs.Outcome.MISFIT  # it has moved across the rail by 0.3 m
    assert "misses by 0.3 m" in run.status.message
    assert float(run.velocity("ball")[-1, 2]) == pytest.approx(-G * 0.6, abs=1e-9)
    assert np.allclose(run.velocity("ball")[-1, :2], (0, 0.5), atol=1e-12)


def test_an_event_happens_again_once_it_has_something_to_do() -> None:
    """A mass on a spring is held wherever it passes the middle on its way back, and hit a moment later."""
    model = cs.Model("stick and slip")
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0, velocity=(1, 0, 0)))
    model.add(cs.Prismatic("rail", cs.GROUND, ball, axis=(1, 0, 0), stiffness=np.pi**2, effort=lambda t: 2.0 + 0 * t))
    model.add(cs.Fixed("grip", cs.GROUND, ball, open=True))
    held: list[float] = []

    def released(t: float, state: Any) -> float:
        return t - (held[-1] + 0.25 if held else 10.0)

    def middle(t: float, state: Any) -> float:
        return state.position("ball")[-1, 0]

    def note(t: float, state: Any) -> None:
        held.append(t)

    events = [
        cs.Event("grip", middle, then=note, direction="falling", engage="grip"),
        cs.Event("go", released, then=lambda t, _: {"ball": (1, 0, 0)}, release="grip", direction="rising"),
    ]
    with pytest.warns(cs.CosseratWarning, match="redundant"):
        run = cs.simulate(model, 8.0, 0.005, events=events)
    assert run.status.ok
    names = [name for name, _ in run.events]
    assert names[:6] == ["grip", "go"] * 3
    away = 2.0 - 2.0 / np.pi * np.arctan(np.pi / 2.0)  # x = 2 (1 - cos pi t) / pi^2 + sin(pi t) / pi is zero again
    times = np.array([0.0, *(t for _, t in run.events)])
    assert np.allclose(np.diff(times[:7]), [away, 0.25] * 3, atol=1e-4)
    assert float(np.abs(run.energy["balance"]).max()) < 1e-3


def test_a_fuse_melts_at_its_load() -> None:
    """A joint is released by its own reaction; the state that events see knows which joints are open."""
    model = cs.Model("fuse", gravity=(0, 0, -G))
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=1.0))
    model.add(cs.Fixed("fuse", cs.GROUND, ball))
    model.add(cs.Force("pull", ball, lambda t: np.array((0, 0, -20.0 * t))))

    def load(t: float, state: Any) -> float:
        return float(np.linalg.norm(state.reaction("fuse")[-1, :3])) - 20.0

    for method in (METHODS[0], *METHODS[2:]):  # the conserving scheme has reactions in the middle of steps
        run = cs.simulate(model, 1.0, 0.01, events=cs.Event("melts", load, release="fuse"), **settings_of(method))
        start = (20.0 - G) / 20.0
        assert run.events == [("melts", pytest.approx(start, abs=1e-6))]
        t = 1.0 - start
        fall = 0.5 * 20.0 * t**2 + 20.0 / 6.0 * t**3
        assert float(run.position("ball")[-1, 2]) == pytest.approx(-fall, abs=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_stored_now_and_then_saved_and_taken_up_again(method: tuple[str, str], tmp_path: Path) -> None:
    """Runs are repeated bit by bit; a file answers as the run does; a run goes on with the joints as they were."""
    release = cs.Event("off", angle, release="hinge")
    runs = [cs.simulate(pendulum(), 1.0, 0.01, every=7, events=release, **settings_of(method)) for _ in range(2)]
    run, again = runs
    assert np.array_equal(run.time, again.time)
    assert np.array_equal(run.position("bob"), again.position("bob"))
    assert np.array_equal(run.reaction("hinge"), again.reaction("hinge"))
    assert run.time[event_row(run)] == run.events[0][1]
    run.save(tmp_path / "run.nc")
    for other in (cs.load_run(tmp_path / "run.nc"), pickle.loads(pickle.dumps(run))):
        assert other.events == run.events
        assert np.array_equal(other.reaction("hinge"), run.reaction("hinge"))
        assert np.array_equal(other.energy["work"], run.energy["work"])
        on = cs.simulate(pendulum(), 0.5, 0.01, start=other, **settings_of(method))
        assert on.trajectory.phases == ((0, ("hinge",)),)
        t = on.time[-1] - run.time[-1]
        x, v = run.position("bob").values[-1], run.velocity("bob").values[-1]
        flight = x + v * t + 0.5 * t**2 * np.array((0, 0, -G))
        assert np.allclose(on.position("bob")[-1], flight, atol=3e-3)
        assert np.allclose(on.data["hinge.reaction"], 0.0)


def test_open_joints_are_open_in_other_analyses() -> None:
    """A model with an open joint is, to all of them, the model without it."""
    model = cs.Model("two", gravity=(0, 0, -G))
    bob = model.add(cs.RigidBody("bob", 1.0, (0, 0, -1), (0.01, 0.02, 0.02)))
    model.add(cs.Revolute("hinge", cs.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    model.add(cs.Fixed("lock", cs.GROUND, bob, open=True))
    rate = np.sqrt(G / 1.02) / (2 * np.pi)
    for formulation in ("galilean", "floating"):
        assert cs.modes(model, 1, formulation=formulation).frequencies[0] == pytest.approx(rate, rel=1e-9)
    assert model.coordinates == ("hinge",)
    assert [joint.name for joint in model.joints] == ["hinge"]
    assert [joint.name for joint in model.all_joints] == ["hinge", "lock"]
    assert "open" in model.summary()


def test_linear_models_about_a_run_that_lost_a_joint() -> None:
    run = cs.simulate(pendulum(), 1.0, 0.01, events=cs.Event("off", angle, release="hinge"))
    with pytest.raises(SolveError, match="'hinge' is open where the model has it closed"):
        cs.linearize(pendulum(), about=run)
    assert cs.linearize(pendulum(False), about=run).A.shape == (12, 12)
    assert cs.linearize(pendulum(), about=(run, 0.1)).A.shape == (2, 2)


def test_what_is_refused() -> None:
    def when(t: float, state: Any) -> float:
        return t - 0.1

    geared = pendulum()
    geared.swap(cs.Revolute("hinge", cs.GROUND, "bob", at=(0, 0, 0), axis=(0, 1, 0), armature=0.1))
    bent = pendulum()
    bent.swap(cs.Revolute("hinge", cs.GROUND, "bob", at=(0, 0, 0), axis=(0, 1, 0), potential="q**4"))
    for formulation in ("galilean", "floating"):
        for model, release, message in (
            (pendulum(), "hnge", r"'hnge', which is no joint or spring of the model; there are 'hinge'"),
            (pendulum(open=True), "hinge", r"joint 'hinge', which is open from the start, and no event engages it"),
            (geared, "hinge", r"joint 'hinge' has an armature"),
            (bent, "hinge", r"joint 'hinge' has a potential"),
        ):
            with pytest.raises(SolveError, match=message):
                cs.simulate(model, 1.0, 0.1, events=cs.Event("a", when, release=release), formulation=formulation)
        with pytest.raises(SolveError, match="which is closed from the start, and no event releases it"):
            cs.simulate(pendulum(), 1.0, 0.1, events=cs.Event("a", when, engage="hinge"), formulation=formulation)
    with pytest.raises(SolveError, match="names 'hinge' twice"):
        cs.Event("a", when, release=("hinge", "hinge"))
    with pytest.raises(SolveError, match="both releases and engages 'hinge'"):
        cs.Event("a", when, release="hinge", engage=["hinge"])
    with pytest.raises(SolveError, match="the run ends there; leave out release and engage"):
        cs.Event("a", when, release="hinge", stop=True)
    with pytest.raises(SolveError, match="release is 3; pass names of joints or springs"):
        cs.Event("a", when, release=3)
    with pytest.raises(ArgumentError, match="open must be True or False"):
        cs.Fixed("weld", cs.GROUND, cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0), open=1)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_a_drive_is_engaged(formulation: str) -> None:
    """A prescribed motion must fit in its place; velocities become what it prescribes, by its work."""
    model = cs.Model("clutch")
    disc = model.add(cs.RigidBody("disc", 1.0, (0, 0, 0), (0.1, 0.1, 0.2)))
    model.add(cs.Revolute("shaft", cs.GROUND, disc, axis=(0, 0, 1), motion=lambda t: 3.0 * (t - 0.5), open=True))
    model.add(cs.Revolute("bearing", cs.GROUND, disc, axis=(0, 0, 1)))
    event = cs.Event("clutch", lambda t, _: t - 0.5, engage=model["shaft"], release=model["bearing"])
    run = cs.simulate(model, 1.0, 0.01, events=event, formulation=formulation)
    assert run.status.ok
    assert float(run.angular_velocity("disc")[-1, 2]) == pytest.approx(3.0, abs=1e-9)
    assert float(run.coordinate("shaft")[-1]) == pytest.approx(1.5, abs=1e-9)
    assert float(run.energy["work"][-1]) == pytest.approx(0.5 * 0.2 * 9.0, abs=1e-9)
    late = cs.Event("clutch", lambda t, _: t - 0.6, engage="shaft", release="bearing")
    run = cs.simulate(model, 1.0, 0.01, events=late, formulation=formulation)
    assert run.status.outcome is cs.Outcome.MISFIT
    assert "joint 'shaft' misses by 0.296 rad" in run.status.message


@pytest.mark.parametrize("step", [0.005, None])
@pytest.mark.parametrize("method", METHODS)
def test_a_tether_is_cut_and_caught(method: tuple[str, str], step: float | None) -> None:
    """A mass on a spring: it flies off with the speed that it has; the energy of the spring is lost."""
    model = cs.Model("tether")
    ball = model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=2.0, com=(1, 0, 0), velocity=(1, 0, 0)))
    tether = model.add(cs.Spring("tether", cs.GROUND.at((0, 0, 0)), ball, stiffness=8.0, length=1.0))
    cut = cs.Event("cut", lambda t, _: t - 0.3, release=tether)
    run = cs.simulate(model, 1.0, step, events=cut, **settings_of(method, tolerance=1e-7))
    k = event_row(run)
    assert run.status.ok
    flight = 1 + 0.5 * np.sin(0.6) + np.cos(0.6) * (run.time[k:] - 0.3)
    assert np.allclose(run.position("ball")[k:, 0], flight, atol=1e-5)
    assert np.allclose(run.data["tether.tension"][:k], 4.0 * np.sin(2 * run.time[:k]), atol=1e-4)
    assert not run.data["tether.tension"][k:].any()
    assert float(run.energy["work"][-1]) == pytest.approx(-0.5 * 8.0 * (0.5 * np.sin(0.6)) ** 2, abs=1e-5)
    assert float(np.abs(run.energy["balance"]).max()) < 1e-5
    caught = [cut, cs.Event("caught", lambda t, _: t - 0.5, engage="tether")]
    run = cs.simulate(model, 1.0, step, events=caught, **settings_of(method, tolerance=1e-7))
    x = 0.5 * np.sin(0.6) + 0.2 * np.cos(0.6)
    again = x * np.cos(2 * 0.5) + 0.5 * np.cos(0.6) * np.sin(2 * 0.5)
    assert float(run.position("ball")[-1, 0]) == pytest.approx(1 + again, abs=1e-4)
    assert run.trajectory.phases[1].open == ("tether",)


@pytest.mark.parametrize("method", METHODS)
def test_events_at_stored_times(method: tuple[str, str]) -> None:
    """A rounding error before or after them, or two at one time: no time is stored twice, and nothing is lost."""
    for time in (0.1 - 3e-17, 0.1, 0.1 + 3e-17, 0.1 + 1e-13):

        def due(t: float, state: Any, time: float = time) -> float:
            return t - time

        kick = cs.Event("one", due, lambda t, _: {"bob": (0, 0, 1.0)}, direction="rising")
        events = [kick, cs.Event("two", due, release="hinge")]
        for step in (0.01, None):
            run = cs.simulate(pendulum(), 0.2, step, events=events, **settings_of(method))
            assert sorted(name for name, _ in run.events) == ["one", "two"]
            assert np.all(np.diff(run.time) > 1e-9)
            assert len(run.time) == len(run.position("bob")) == (21 if step else len(run.time))
            assert run.status.ok


@pytest.mark.parametrize("off", [0.3, 0.295])  # at the end of a step, inside one
@pytest.mark.parametrize("method", METHODS)
def test_released_and_caught_in_one_step(method: tuple[str, str], off: float) -> None:
    """An event that could not happen before another does so in the same step; what happens with one is noted once."""
    events = [
        cs.Event("off", lambda t, _: t - off, release="hinge"), cs.Event("mark", lambda t, _: t - off),
        cs.Event("on", lambda t, _: t - off - 1e-4, engage="hinge"),
    ]  # fmt: skip
    run = cs.simulate(pendulum(), 0.5, 0.01, events=events, **settings_of(method))
    assert [name for name, _ in run.events] == ["off", "mark", "on"]
    assert np.allclose([t for _, t in run.events], [off, off, off + 1e-4], atol=1e-12)
    assert float(np.linalg.norm(run.position("bob")[-1])) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_run_goes_on_with_the_events_of_the_one_before(method: tuple[str, str]) -> None:
    """One that had released its joint in the first half was refused in the second."""
    events = [
        cs.Event("off", lambda t, state: t - 0.1137, direction="rising", release="hinge"),
        cs.Event("kick", lambda t, state: t - 0.2137, lambda t, s: {"bob": (0, 0.5, 0)}, direction="rising"),
    ]
    settings = settings_of(method, events=events, newton_tolerance=1e-11)
    whole, half = (cs.simulate(pendulum(), duration, 0.005, **settings) for duration in (0.32, 0.16))
    rest = cs.simulate(pendulum(), 0.16, 0.005, start=half, **settings)
    assert [name for name, _ in half.events] == ["off"]
    assert [name for name, _ in rest.events] == ["kick"]
    assert np.allclose(rest.position("bob")[-1], whole.position("bob")[-1], rtol=0.0, atol=1e-9)
