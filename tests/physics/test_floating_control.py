"""Controllers in floating frames: the same meaning, and the same view of the state, as in the Galilean formulation."""

from __future__ import annotations

import numpy as np
import pytest

import cosserat as cs

ROD, STEEL = cs.Rod(0.05), cs.Material(E=210e9, nu=0.3, rho=7850, damping=1e-3)
WEIGHT = 9.81 * 7850 * np.pi / 4 * 0.05**2


def arm(**options) -> cs.Model:
    model = cs.Model("arm", gravity=(0, 0, -9.81))
    beam = model.add(cs.Beam("arm", points=[(0, 0, 0), (1, 0, 0)], section=ROD, material=STEEL, elements=4))
    model.add(cs.Revolute("hinge", cs.GROUND, beam.start, axis=(0, 1, 0), effort=0.0, damping=0.5, **options))
    return model


class Servo:
    """PD control of the hinge with gravity compensation; remembers what it saw."""

    def __init__(self, period: float | None = 0.01) -> None:
        self.seen: list[tuple[float, float, float, np.ndarray, np.ndarray]] = []
        if period is not None:
            self.period = period

    def __call__(self, t: float, state: cs.Run) -> dict[str, float]:
        angle, rate = float(state.coordinate("hinge")[-1]), float(state.coordinate_rate("hinge")[-1])
        self.seen.append((t, angle, rate, state.position("arm.end").values[-1], state.reaction("hinge").values[-1]))
        return {"hinge": demand(angle, rate)}


def demand(angle: float, rate: float) -> float:
    return 200 * (-0.3 - angle) - 40 * rate - WEIGHT / 2


@pytest.fixture(scope="module")
def both() -> dict[str, tuple[cs.Run, Servo]]:
    out = {}
    for name, options in (("galilean", {}), ("floating", {"formulation": "floating", "modes": 4})):
        servo = Servo()
        out[name] = cs.simulate(arm(), 0.5, 1e-3, rho=0.6, controller=servo, **options), servo
    return out


def test_both_formulations_agree(both) -> None:
    (one, _), (two, _) = both.values()
    assert two.status.ok
    # the torque jumps at the start and shakes modes of the mesh that the four do not hold, for a step or two
    np.testing.assert_allclose(one.coordinate("hinge")[2:], two.coordinate("hinge")[2:], atol=5e-5)
    assert two.coordinate("hinge").values[-1] == pytest.approx(-0.3, abs=0.05)
    effort = one.effort("hinge").values
    assert np.abs(effort - two.effort("hinge").values).max() < 0.02 * np.abs(effort).max()


def test_the_controller_sees_the_same_state_at_the_same_times(both) -> None:
    seen, other = (servo.seen for _, servo in both.values())
    assert [entry[0] for entry in seen] == pytest.approx([entry[0] for entry in other])
    assert len(other) == 50
    for one, two in zip(seen, other, strict=True):
        assert two[1] == pytest.approx(one[1], abs=2e-4)
        np.testing.assert_allclose(one[3], two[3], atol=1e-3)
    late = np.array([entry[4] for entry in other[25:]]) - np.array([entry[4] for entry in seen[25:]])
    assert np.abs(late).max() < 0.02 * WEIGHT


def test_efforts_are_held_and_recorded(both) -> None:
    run, servo = both["floating"]
    effort = run.effort("hinge").values
    rate = run.coordinate_rate("hinge").values
    for t, angle, speed, *_ in servo.seen[:-1]:
        given = demand(angle, speed)
        held = slice(round(t / 1e-3) + 1, round(t / 1e-3) + 11)
        np.testing.assert_allclose(effort[held] + 0.5 * rate[held], given, rtol=1e-9)
    energy = run.energy
    assert np.abs(energy.balance.values).max() < 0.01 * np.ptp(energy.potential.values)


def test_every_step_and_adaptive_steps() -> None:
    always = Servo(period=None)
    cs.simulate(arm(), 0.02, 1e-3, formulation="floating", modes=2, controller=always)
    assert len(always.seen) == 20
    servo = Servo(period=0.02)
    run = cs.simulate(arm(), 0.2, formulation="floating", modes=2, controller=servo)
    assert run.status.ok
    assert sorted({round(entry[0], 9) for entry in servo.seen}) == pytest.approx(0.02 * np.arange(10), abs=1e-9)


@pytest.mark.filterwarnings("ignore:redundant constraints")
def test_a_controller_in_a_joint_that_closes_a_loop() -> None:
    """A four-bar of rigid bars, driven at one of its joints after the other."""
    for name in ("a", "d"):  # the last is cut
        runs = []
        for options in ({}, {"formulation": "floating"}):
            model = cs.Model("four-bar", gravity=(0, 0, -9.81))
            corners = [(0, 0, 0), (0, 0, 0.5), (1, 0, 0.7), (1, 0, 0)]
            bars = [
                model.add(cs.RigidBody.bar(f"bar{k}", corners[k], corners[k + 1], section=ROD, material=STEEL))
                for k in range(3)
            ]
            places = [cs.GROUND, *bars, cs.GROUND]
            for k, joint in enumerate("abcd"):
                ends = [p if p is cs.GROUND else p.at(corners[k]) for p in (places[k], places[k + 1])]
                room = {"effort": 0.0} if joint == name else {}
                model.add(cs.Revolute(joint, *ends, axis=(0, 1, 0), at=corners[k], **room))
            push = lambda t, state: {name: 8.0 * np.sin(10 * t)}  # noqa: E731, B023
            runs.append(cs.simulate(model, 0.1, 1e-3, controller=push, rho=0.6, **options))
        one, two = (run.position("bar1").values for run in runs)
        assert np.abs(one - two).max() < 2e-3 * np.ptp(one, axis=0).max()
        efforts = [run.effort(name).values for run in runs]
        np.testing.assert_allclose(efforts[0], efforts[1], atol=1e-9)
        reactions = [run.reaction(name).values[10:, [0, 2, 4]] for run in runs]  # those in the plane are unique
        assert np.abs(reactions[0] - reactions[1]).max() < 0.02 * np.abs(reactions[0]).max()


def test_nonsense() -> None:
    floating = {"formulation": "floating", "modes": 1}
    with pytest.raises(cs.CosseratError, match=r"controller: 3 cannot be called; pass a function of \(t, state\)"):
        cs.simulate(arm(), 0.1, 0.01, controller=3, **floating)
    for options in (floating, {}):
        with pytest.raises(cs.CosseratError, match=r"controller must be a function of \(t, state\)"):
            cs.simulate(arm(), 0.1, 0.01, controller=lambda t: {"hinge": 1.0}, **options)
    with pytest.raises(cs.CosseratError, match=r"controller: no effort can be set in 'elbow'; .* 'hinge'"):
        cs.simulate(arm(), 0.1, 0.01, controller=lambda t, state: {"elbow": 1.0}, **floating)
    with pytest.raises(cs.CosseratError, match=r"controller: it gives 3; a dict of efforts by joint is wanted"):
        cs.simulate(arm(), 0.1, 0.01, controller=lambda t, state: 3, **floating)
    with pytest.raises(cs.CosseratError, match=r"controller: effort of 'hinge' is 'full' at t = 0 s"):
        cs.simulate(arm(), 0.1, 0.01, controller=lambda t, state: {"hinge": "full"}, **floating)
    with pytest.raises(cs.CosseratError, match=r"controller: effort of 'hinge' is nan at t = 0 s"):
        cs.simulate(arm(), 0.1, 0.01, controller=lambda t, state: {"hinge": np.nan}, **floating)
