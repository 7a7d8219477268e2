"""Events: found inside steps, noted, acting by impulses, or ending a run from which another goes on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import erf

import cosserat as cs
from cosserat.results.status import Outcome
from cosserat.solve.motion.events import Watch
from cosserat.solve.motion.walk import StepFailure

G = 9.81
METHODS = [
    ("galilean", "generalized-alpha"), ("galilean", "energy-momentum"),
    ("floating", "generalized-alpha"), ("floating", "runge-kutta"),
]  # fmt: skip


def pendulum(hinged: bool = True) -> cs.Model:
    model = cs.Model("pendulum", gravity=(0, 0, -G))
    bob = model.add(cs.RigidBody("bob", 1.0, (1, 0, 0), (0.01, 0.02, 0.02)))
    if hinged:
        model.add(cs.Revolute("hinge", cs.GROUND, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    return model


def at_angle(angle: float, **more: Any) -> cs.Event:
    return cs.Event("there", lambda t, state: state.coordinate("hinge")[-1] - angle, **more)


@pytest.fixture(scope="module")
def exact() -> float:
    """The time at which the pendulum, let go level, has turned by 1 rad."""
    k = G / 1.02
    turned = solve_ivp(
        lambda t, y: [y[1], k * np.cos(y[0])], (0, 1), [0, 0], rtol=1e-12, atol=1e-13, events=lambda t, y: y[0] - 1.0
    )
    return float(turned.t_events[0][0])


@pytest.mark.parametrize(("formulation", "integrator"), METHODS)
def test_order_of_the_time(formulation: str, integrator: str, exact: float) -> None:
    """Events are as exact as the steps: second order, fourth with Runge-Kutta; the state is that of the event."""
    errors = []
    for step in (0.04, 0.02, 0.01, None):
        stop = at_angle(1.0, stop=True)
        settings: Any = {"formulation": formulation, "integrator": integrator, "tolerance": 1e-6}
        run = cs.simulate(pendulum(), 1.0, step, events=[stop], **settings)
        assert run.status.ok
        assert "event 'there'" in run.status.message
        assert run.time[-1] == pytest.approx(run.events[0][1], abs=1e-12)
        assert float(run.coordinate("hinge")[-1]) == pytest.approx(1.0, abs=1e-9)
        assert np.all(np.diff(run.time) > 0.0)
        errors.append(abs(run.events[0][1] - exact))
    order = np.log2(errors[0] / errors[2]) / 2
    assert order > (3.8 if integrator == "runge-kutta" else 1.9)
    assert errors[3] < 1e-5


@pytest.mark.parametrize(("formulation", "integrator"), METHODS)
def test_noted_events_change_nothing(formulation: str, integrator: str) -> None:
    settings: Any = {"formulation": formulation, "integrator": integrator, "every": 2}
    seen = [at_angle(1.0, direction="rising"), cs.Event("never", lambda t, state: 1.0)]
    run, plain = (cs.simulate(pendulum(), 1.3, 0.02, events=events, **settings) for events in (seen, ()))
    assert [name for name, _ in run.events] == ["there"]
    assert plain.events == []
    assert np.array_equal(run.time, plain.time)
    assert np.allclose(run.position("bob"), plain.position("bob"), atol=1e-8)
    assert np.allclose(run.acceleration("bob"), plain.acceleration("bob"), atol=1e-4)


def bouncing(restitution: float) -> tuple[cs.Model, cs.Event, list[float]]:
    """A ball let fall from 1 m, its bounce, and the times of the first five."""
    model, mass = cs.Model("bounce", gravity=(0, 0, -G)), 2.0
    model.add(cs.RigidBody.sphere("ball", diameter=0.2, mass=mass, com=(0, 0, 1), velocity=(0.3, 0, 0)))

    def bounce(t: float, state: Any) -> Any:
        return {"ball": (0, 0, -mass * (1 + restitution) * state.velocity("ball")[-1, 2])}

    times, v = [np.sqrt(2 / G)], np.sqrt(2 * G)
    for _ in range(4):
        v *= restitution
        times.append(times[-1] + 2 * v / G)
    return model, cs.Event("hit", lambda t, state: state.position("ball")[-1, 2], bounce, direction="falling"), times


@pytest.mark.parametrize("step", [0.03, None])
@pytest.mark.parametrize(("formulation", "integrator"), METHODS)
def test_a_ball_bounces(formulation: str, integrator: str, step: float | None) -> None:
    """Flights in closed form; every bounce keeps the square of the restitution of the energy."""
    model, hit, times = bouncing(0.8)
    run = cs.simulate(model, 2.4, step, formulation=formulation, integrator=integrator, events=hit)
    assert run.status.ok
    assert np.allclose([t for _, t in run.events], times[:4], atol=1e-11)
    assert np.all(np.diff(run.time) > 0.0)
    assert float(run.position("ball")[:, 2].min()) > -1e-12
    assert np.allclose(run.position("ball")[:, 0], 0.3 * run.time, atol=1e-12)
    falls = 2.0 * G * 0.8**8  # of the energy that the fall had
    assert float(run.energy["total"][-1]) == pytest.approx(falls + 0.5 * 2.0 * 0.3**2, rel=1e-9)
    assert float(np.abs(run.energy["balance"]).max()) < 1e-9


@pytest.mark.parametrize("step", [0.03, None])
def test_bounces_that_come_to_an_end(step: float | None) -> None:
    """Infinitely many in a finite time: the run ends there and says so."""
    model, hit, _ = bouncing(0.5)
    run = cs.simulate(model, 3.0, step, events=hit)
    assert not run.status.ok
    assert "'hit' happens ever faster" in run.status.message
    assert run.time[-1] == pytest.approx(3 * np.sqrt(2 / G), abs=1e-5)
    assert len(run.time) == len(run.position("ball"))


def double() -> cs.Model:
    model = cs.Model("double", gravity=(0, 0, -G))
    parent: Any = cs.GROUND
    for k in range(2):
        body = model.add(cs.RigidBody(f"b{k}", 1.0 + k, (k + 0.5, 0, 0), (0.02, 0.1, 0.1)))
        model.add(cs.Revolute(f"j{k}", parent, body, at=(k, 0, 0), axis=(0, 1, 0)))
        parent = body
    return model


def test_an_impulse_on_a_linkage() -> None:
    """Both formulations alike, and with the momentum about the hinge that it gives."""
    found, momenta = [], []
    for formulation, integrator in METHODS:
        blow = cs.Event(
            "blow", lambda t, state: t - 0.105, lambda t, state: {"b1.at(2, 0, 0)": (0.4, 0, 3.0)}, direction="rising"
        )
        settings: Any = {"formulation": formulation, "integrator": integrator}
        run = cs.simulate(double(), 0.105, 0.005, events=blow, **settings)
        before = cs.simulate(double(), 0.105, 0.005, **settings)
        found.append([float(run.coordinate_rate(joint)[-1]) for joint in ("j0", "j1")])
        tip = before.position("b1.at(2, 0, 0)").values[-1]
        momenta.append((turning(run) - turning(before), tip[2] * 0.4 - tip[0] * 3.0))
    assert np.allclose(found, found[0], rtol=2e-3)
    for gained, given in momenta:
        assert gained == pytest.approx(given, rel=1e-6)


def turning(run: cs.Run) -> float:
    """Angular momentum about the hinge of `double` at the end, along y."""
    total = 0.0
    for k in range(2):
        x, v = run.position(f"b{k}").values[-1], run.velocity(f"b{k}").values[-1]
        total += (1.0 + k) * (x[2] * v[0] - x[0] * v[2]) + 0.1 * float(run.angular_velocity(f"b{k}")[-1, 1])
    return total


@pytest.mark.parametrize(
    ("formulation", "integrator"), [("galilean", "generalized-alpha"), ("floating", "runge-kutta")]
)
def test_a_pendulum_is_released(formulation: str, integrator: str) -> None:
    """The hinge is gone after 1 rad: a parabola, from the state of the event."""
    settings: Any = {"formulation": formulation, "integrator": integrator}
    held = cs.simulate(pendulum(), 2.0, 0.002, events=at_angle(1.0, stop=True), **settings)
    free = cs.simulate(pendulum(hinged=False), 0.5, 0.001, start=held, **settings)
    t = free.time - held.time[-1]
    x, v = held.position("bob").values[-1], held.velocity("bob").values[-1]
    wanted = x + np.outer(t, v) - 0.5 * G * np.outer(t**2, (0, 0, 1))
    assert np.allclose(free.position("bob"), wanted, atol=1e-5)
    assert np.allclose(free.angular_velocity("bob")[:, 1], held.angular_velocity("bob")[-1, 1], rtol=1e-5)


@pytest.mark.parametrize(("formulation", "integrator"), [("galilean", "energy-momentum"), ("floating", "runge-kutta")])
def test_two_bodies_dock(formulation: str, integrator: str) -> None:
    """Two bodies part and are pulled together again by a spring; a joint that is then added keeps the momentum, and
    takes the energy of their approach.
    """

    def pair(docked: bool) -> cs.Model:
        model = cs.Model("pair")
        a = model.add(cs.RigidBody.box("one", size=(1, 0.2, 0.2), mass=1.0, velocity=(-1.2, 0, 0)))
        b = model.add(cs.RigidBody.box("other", size=(1, 0.2, 0.2), mass=3.0, com=(1, 0, 0), velocity=(0.8, 0, 0)))
        model.add(cs.Spring("rope", a, b, stiffness=30.0, length=1.0))
        if docked:
            model.add(cs.Fixed("dock", a.at((0.5, 0, 0)), b.at((0.5, 0, 0))))
        return model

    def gap(t: float, state: Any) -> Any:
        return state.position("other")[-1, 0] - state.position("one")[-1, 0] - 1.0

    meet = cs.Event("meet", gap, direction="falling", stop=True)
    come = cs.simulate(pair(False), 2.0, 0.001, formulation=formulation, integrator=integrator, events=meet)
    assert come.time[-1] == pytest.approx(np.pi * np.sqrt(0.75 / 30.0), rel=1e-5)
    gone = cs.simulate(pair(True), 1.0, 0.05, start=come, formulation=formulation)
    for name in ("one", "other"):
        assert np.allclose(gone.velocity(name)[-1], (0.3, 0, 0), atol=1e-9)
    assert float(come.energy["kinetic"][-1]) == pytest.approx(1.68, rel=1e-9)
    assert float(gone.energy["kinetic"][-1]) == pytest.approx(0.18, rel=1e-9)  # less 1/2 mu v^2 = 1.5 J


def test_what_is_refused() -> None:
    model = pendulum()
    for message, events in (
        ("pass a list of Event", "there"),
        ("two events have the name", [at_angle(0.1), at_angle(0.2)]),
    ):
        with pytest.raises(cs.CosseratError, match=message):
            cs.simulate(model, 0.1, 0.01, events=events)
    with pytest.raises(cs.CosseratError, match="one finite number"):
        cs.simulate(model, 0.1, 0.01, events=cs.Event("bad", lambda t, state: np.nan))
    with pytest.raises(cs.CosseratError, match="direction is 'rising' or 'falling'"):
        at_angle(0.1, then=lambda t, state: None)
    with pytest.raises(cs.CosseratError, match="dict of impulses"):
        cs.simulate(model, 0.5, 0.01, events=at_angle(0.1, then=lambda t, state: 3.0, direction="rising"))
    with pytest.warns(cs.CosseratWarning, match="ZeroDivisionError"):
        run = cs.simulate(model, 0.1, 0.01, events=cs.Event("bad", lambda t, state: 1 / 0 if t > 0.05 else 1.0))
    assert run.status.outcome is cs.Outcome.CALL_FAILED


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_a_kick_along_the_way_happens_once(formulation: str) -> None:
    """A pendulum that is pushed on at its lowest point: the push does not turn it back, and counts once."""
    model = cs.Model("pendulum", gravity=(0, 0, -9.81))
    bob = model.add(cs.RigidBody("bob", mass=1.0, com=(1, 0, 0), inertia=0.1 * np.eye(3)))
    model.add(cs.Revolute("hinge", cs.GROUND, bob.at((0, 0, 0)), axis=(0, 1, 0)))
    push = {"bob": (-2.0, 0, 0)}
    kick = cs.Event("kick", lambda t, state: state.position("bob")[-1, 0], lambda t, state: push, direction="falling")
    run = cs.simulate(model, 0.9, 0.005, events=[kick], formulation=formulation)
    assert run.status.ok
    assert len(run.events) == 1
    speed = np.sqrt(2 * 9.81 / 1.1) + 2.0 / 1.1  # rad/s, after it
    assert float(run.energy.total[-1]) == pytest.approx(0.5 * 1.1 * speed**2 - 9.81, rel=1e-3)


@pytest.mark.parametrize("turned", [False, True], ids=["ahead", "reversed"])
@pytest.mark.parametrize("kind", [cs.Spherical, cs.Free, None])
def test_an_impulse_on_a_body_that_has_turned(kind: Any, turned: bool) -> None:
    """Momentum changes by the impulse, about the pivot by its moment: whatever the axes of the joint's efforts are."""
    blow, moment = np.array((-1.0, 0.4, 0.3)), np.array((0.1, 0.2, -0.3))
    hit = cs.Event(
        "blow", lambda t, _: t - 0.5, lambda t, _: {"bob.at(1, 0.2, 0)": (*blow, *moment)}, direction="rising"
    )
    ends = []
    for method in METHODS:
        model = cs.Model("bob")
        motion: Any = {"velocity": (0.0, 1.5, 1.0), "angular_velocity": (1.0, -2.0, 3.0)}
        bob = model.add(cs.RigidBody("bob", 2.0, (0.5, 0, 0), (0.1, 0.2, 0.25), **motion))
        if kind is not None:
            model.add(kind("joint", *((bob, cs.GROUND) if turned else (cs.GROUND, bob)), at=(0, 0, 0)))
        settings: Any = {"formulation": method[0], "integrator": method[1]}
        run = cs.simulate(model, 0.5, 0.0025, events=hit, **settings)
        before = cs.simulate(model, 0.5, 0.0025, **settings)
        gained = (run.momentum.values[-1] - before.momentum.values[-1]).ravel()
        arm = before.position("bob.at(1, 0.2, 0)").values[-1]
        assert np.allclose(gained[3:], np.cross(arm, blow) + moment, atol=1e-6)
        if kind is not cs.Spherical:
            assert np.allclose(gained[:3], blow, atol=1e-6)
        ends.append(run.velocity("bob").values[-1] - before.velocity("bob").values[-1])
    assert np.allclose(ends, ends[0], atol=1e-3)


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_reactions_after_an_impulse_within_a_step(formulation: str) -> None:
    """Steps went on with what the method remembered of a shorter one: reactions alternated by a hundredth of them."""
    model = cs.Model("arm", gravity=(0.5, -1.0, -9.81))
    upper = model.add(cs.RigidBody("upper", 2.0, (0.5, 0, 0), (0.02, 0.12, 0.11)))
    lower = model.add(cs.RigidBody("lower", 1.0, (1.3, 0.1, 0), (0.01, 0.05, 0.04)))
    model.add(cs.Universal("shoulder", cs.GROUND, upper, at=(0, 0, 0), axes=[(0, 1, 0), (0, 0, 1)]))
    model.add(cs.Revolute("elbow", upper, lower, axis=(0, 0.6, 0.8), at=(1, 0, 0)))
    kick = cs.Event(
        "kick", lambda t, state: t - 0.1537, lambda t, state: {"lower": (0.1, 0.3, 0.2)}, direction="rising"
    )
    runs = [
        cs.simulate(model, 0.3, step, events=kick, newton_tolerance=1e-11, **given)
        for step, given in (
            (1e-3, {"formulation": "floating", "integrator": "runge-kutta"}),
            (4e-3, {"formulation": formulation}), (2e-3, {"formulation": formulation}),
        )
    ]  # fmt: skip
    exact = runs[0].reaction("shoulder")
    errors = []
    for run in runs[1:]:
        same = [int(np.argmin(np.abs(exact.time.values - t))) for t in run.time]
        errors.append(np.abs(run.reaction("shoulder").values - exact.values[same]).max() / np.abs(exact.values).max())
    assert errors[0] < 1e-4
    assert errors[1] < 0.3 * errors[0]


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
def test_an_impulse_on_the_end_of_a_damped_beam(formulation: str) -> None:
    """What dampers hold within microseconds was taken in one step: energy grew five hundredfold, or balances broke."""
    model = cs.Model("beam")
    plastic = cs.Material(E=2e10, nu=0.3, rho=2000.0, damping=1e-3)
    ends = [(0, 0, 0), (0.6, 0, 0)]
    beam = model.add(cs.Beam("beam", points=ends, section=cs.Rod(0.03), material=plastic, elements=3))
    model.add(cs.Fixed("clamp", cs.GROUND, beam.start))
    kick = cs.Event(
        "kick", lambda t, state: t - 0.0137, lambda t, state: {"beam.end": (0.1, 0.3, 0.2)}, direction="rising"
    )
    given = {} if formulation == "galilean" else {"formulation": formulation, "modes": 15}
    run = cs.simulate(model, 0.04, 1e-3, events=kick, **given)
    total = run.energy["total"].values
    after = int(np.searchsorted(run.time, 0.0137 - 1e-9))
    assert run.status.ok
    assert np.all(np.diff(total[after:]) < 0.02 * total[after])


@pytest.mark.parametrize("at", [0.1033, 0.105, 0.1077])
@pytest.mark.parametrize("method", METHODS)
def test_the_work_of_a_kink_in_the_step_of_an_event(method: tuple[str, str], at: float) -> None:
    """It was counted anew with every part of the step that was tried in search of the event."""
    model = cs.Model("arm", gravity=(0, 0, -G))
    upper = model.add(cs.RigidBody("upper", 2.0, (0.5, 0, 0), (0.02, 0.12, 0.11)))
    lower = model.add(cs.RigidBody("lower", 1.0, (1.3, 0.1, 0), (0.01, 0.05, 0.04)))
    model.add(cs.Revolute("shoulder", cs.GROUND, upper, axis=(0, 1, 0), at=(0, 0, 0), motion="2*max(t-0.105, 0)"))
    model.add(cs.Revolute("elbow", upper, lower, axis=(0, 0.6, 0.8), at=(1, 0, 0)))
    kick = cs.Event("kick", lambda t, state: t - at, lambda t, state: {"lower": (0.1, 0.3, 0.2)}, direction="rising")
    run = cs.simulate(model, 0.3, 0.01, events=kick, formulation=method[0], integrator=method[1])
    energy = run.energy
    stored = energy["kinetic"] + energy["potential"] + energy["dissipated"]
    assert run.status.ok
    assert np.ptp((stored - energy["work"]).values) < 2e-3
    assert np.ptp(energy["kinetic"].values) > 3.0


@pytest.mark.parametrize("method", METHODS)
def test_a_pulse_that_an_event_cuts_in_two(method: tuple[str, str]) -> None:
    """What adaptive steps leave out of an impulse counts in parts of steps, too: 4e-3 of it were lost."""
    model = cs.Model("pair")
    carrier = model.add(cs.RigidBody("carrier", 2.0, (0.5, 0, 0), (0.02, 0.12, 0.11)))
    rider = model.add(cs.RigidBody("rider", 1.0, (1.5, 0, 0), (0.02, 0.12, 0.11)))
    model.add(cs.Prismatic("guide", cs.GROUND, carrier, axis=(0, 0, 1), at=(0, 0, 0)))
    model.add(cs.Fixed("latch", carrier, rider, at=(1, 0, 0)))
    model.add(cs.Force("push", carrier, ["0", "0", "exp(-((t - 0.3)/0.01)**2)/0.01"]))
    off = cs.Event("off", lambda t, state: t - 0.302, direction="rising", release="latch")
    run = cs.simulate(model, 0.6, events=off, formulation=method[0], integrator=method[1])
    whole, before = np.sqrt(np.pi), 0.5 * np.sqrt(np.pi) * (1.0 + erf(0.2))
    assert float(run.velocity("carrier")[-1, 2]) == pytest.approx(before / 3.0 + (whole - before) / 2.0, abs=1e-6)
    assert float(run.velocity("rider")[-1, 2]) == pytest.approx(before / 3.0, abs=1e-6)


@pytest.mark.parametrize("method", METHODS[:3])
def test_an_event_in_a_step_that_has_to_be_split(method: tuple[str, str]) -> None:
    """Parts of a step and what is left of it are split as steps are: they raised an error, or ended the run."""
    model = cs.Model("gyroscope")
    model.add(cs.RigidBody("top", 1.0, (0, 0, 0), (0.1, 0.12, 0.15), angular_velocity=(1, 200, 2)))
    kick = cs.Event("kick", lambda t, state: t - 0.061, lambda t, state: {"top": (0, 0, 1.0)}, direction="rising")
    run = cs.simulate(model, 0.2, 0.05, events=kick, formulation=method[0], integrator=method[1])
    assert run.status.ok, run.status.message
    assert run.stats["steps_split"] > 0
    assert np.allclose(run.time, [0.0, 0.05, 0.061, 0.1, 0.15, 0.2])
    assert float(run.velocity("top")[2, 2]) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("step", [0.01, None])
@pytest.mark.parametrize("method", METHODS[:3])
def test_a_run_whose_parts_of_steps_fail_keeps_what_it_has(
    method: tuple[str, str], step: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends with a status before that step; it raised an error, and all was lost."""
    monkeypatch.setattr(Watch, "part", lambda self, t, h: StepFailure(Outcome.NOT_CONVERGED))
    settings: Any = {"formulation": method[0], "integrator": method[1]}
    whole = cs.simulate(pendulum(), 0.5, step, **settings)
    run = cs.simulate(pendulum(), 0.5, step, events=at_angle(1.0, stop=True), **settings)
    assert run.status.outcome is Outcome.NOT_CONVERGED
    assert 5 < len(run.time) < len(whole.time)
    assert run.time[-1] == run.status.time
    assert float(run.coordinate("hinge")[-1]) < 1.0
    assert np.allclose(run.position("bob").values, whole.position("bob").values[: len(run.time)], atol=1e-6)


def damped_arm() -> cs.Model:
    model = cs.Model("arm", gravity=(0, 0, -G))
    plastic = cs.Material(E=2e10, nu=0.3, rho=2000.0, damping=1e-3)
    rod = model.add(cs.Beam("rod", points=[(0, 0, 0), (0.6, 0, 0)], section=cs.Rod(0.03), material=plastic, elements=3))
    hand = model.add(cs.RigidBody("hand", 0.3, (0.7, 0, 0), (1e-3, 1e-3, 1e-3)))
    model.add(cs.Revolute("shoulder", cs.GROUND, rod.start, axis=(0, 1, 0), effort=0.0))
    model.add(cs.Revolute("wrist", rod.end, hand, axis=(0, 1, 0), at=(0.6, 0, 0), damping=0.02))
    return model


def hit(at: float) -> cs.Event:
    return cs.Event("hit", lambda t, s: t - at, lambda t, s: {"hand": (0.02, 0.05, 0.03)}, direction="rising")


@pytest.mark.parametrize("rest", [0.02, 0.26])
@pytest.mark.parametrize("settings", [{}, {"formulation": "floating", "modes": 4}])
def test_an_impulse_late_in_a_step(settings: dict, rest: float) -> None:
    """The next step went on from a short rest of this: reactions alternated, by 25 times what they are."""
    step, end = 0.0025, 0.06
    at = end - rest * step
    run = cs.simulate(damped_arm(), 0.1, step, events=hit(at), **settings)
    fine = cs.simulate(damped_arm(), 0.1, 2e-5, events=hit(at), every=25, **settings)
    first = int(np.searchsorted(run.time, end - 1e-9)) + 3
    same = [int(np.argmin(np.abs(fine.time - t))) for t in run.time[first:]]
    pairs = (run.reaction("wrist"), fine.reaction("wrist")), (run.acceleration("hand"), fine.acceleration("hand"))
    for found, exact in pairs:
        assert np.abs(found.values[first:] - exact.values[same]).max() < 0.2 * np.abs(exact.values[same]).max()


@pytest.mark.parametrize("every", [1, 5])
@pytest.mark.parametrize("at", [0.1137, 0.1149, 0.11499])
def test_losses_where_velocities_alternate(at: float, every: int) -> None:
    """Conserving steps lose what their mean motion does: velocities at their ends told of up to 22 J, not 0.05."""
    run = cs.simulate(damped_arm(), 0.32, 0.005, integrator="energy-momentum", events=hit(at), every=every)
    fine = cs.simulate(damped_arm(), 0.32, 2e-4, events=hit(at), every=5)
    assert run.status.ok
    assert float(run.energy["dissipated"][-1]) == pytest.approx(float(fine.energy["dissipated"][-1]), rel=0.02)
    assert float(np.abs(run.energy["balance"]).max()) < 1e-10
