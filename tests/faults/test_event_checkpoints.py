"""Runs with events and checkpoints: interrupted anywhere, they go on with the same states, bit by bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cosserat as cs
from cosserat.errors import SolveError

CASES: dict[str, dict[str, Any]] = {
    "fixed": {"step": 2e-3},
    "every": {"step": 2e-3, "every": 7},
    "adaptive": {"tolerance": 1e-5},
    "conserving": {"step": 2e-3, "integrator": "energy-momentum"},
    "controlled": {"step": 2e-3, "controller": True},
    "floating": {"step": 2e-3, "formulation": "floating"},
    "floating adaptive": {"tolerance": 1e-5, "formulation": "floating"},
    "floating controlled": {"step": 2e-3, "formulation": "floating", "controller": True},
    "runge-kutta": {"step": 2e-3, "formulation": "floating", "integrator": "runge-kutta"},
}
DURATION = 0.6


def swing() -> cs.Model:
    """Two links on a driven shoulder; the second is to be let go, and a latch to catch the first."""
    model = cs.Model("swing", gravity=(0, 0, -9.81))
    a = model.add(cs.RigidBody.bar("a", (0, 0, 0), (1, 0, 0), mass=1.0))
    b = model.add(cs.RigidBody.bar("b", (1, 0, 0), (2, 0, 0), mass=1.0))
    model.add(cs.Revolute("shoulder", cs.GROUND, a.at((0, 0, 0)), axis=(0, 1, 0), effort=0.0, damping=0.1))
    model.add(cs.Revolute("elbow", a.at((1, 0, 0)), b.at((1, 0, 0)), axis=(0, 1, 0), stiffness=2.0))
    model.add(cs.Revolute("latch", cs.GROUND, a.at((0, 0, 0)), axis=(0, 1, 0), motion=1.2, open=True))
    return model


def shoulder(t: float, state: Any) -> float:
    return float(state.coordinate("shoulder")[-1])


def events() -> list[cs.Event]:
    return [
        cs.Event("seen", lambda t, state: shoulder(t, state) - 0.1, direction="rising"),
        cs.Event("kick", lambda t, _: t - 0.15, then=lambda t, _: {"b": (0.2, 0, 0)}, direction="rising"),
        cs.Event("off", lambda t, state: shoulder(t, state) - 0.6, release="elbow"),
        cs.Event("latch", lambda t, state: shoulder(t, state) - 1.2, engage="latch", release="shoulder"),
    ]


class Steady:
    """A controller, sampled now and then, that counts its calls."""

    period = 0.02

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, t: float, state: Any) -> Any:
        self.calls += 1
        return {"shoulder": 2.0 - 0.5 * float(state.coordinate_rate("shoulder")[-1]) + 0.01 * self.calls}

    def get_state(self) -> int:
        return self.calls

    def set_state(self, calls: int) -> None:
        self.calls = calls


def call(name: str, path: Path | None, **more: Any) -> cs.Run:
    settings = dict(CASES[name], events=events(), **more)
    if settings.get("controller"):
        settings["controller"] = Steady()
    return cs.simulate(swing(), DURATION, settings.pop("step", None), checkpoint=path, **settings)


@pytest.mark.filterwarnings("ignore:redundant constraints")
@pytest.mark.parametrize("name", CASES)
def test_interrupted_runs_go_on(name: str, tmp_path: Path) -> None:
    """Before, between and after events that act."""
    path, whole = tmp_path / "run.ckpt", call(name, None)
    assert whole.status.ok
    assert [event for event, _ in whole.events] == ["seen", "kick", "off", "latch"]
    plain = call(name, tmp_path / "plain.ckpt", checkpoint_interval=0.0)
    assert plain.events == whole.events
    for until in (0.05, 0.2, 0.35, 0.5, 10.0):

        def stop(t: float, _: Any, until: float = until) -> None:
            if t > until:
                raise KeyboardInterrupt

        run = call(name, path, checkpoint_interval=0.0, progress=stop)
    assert run.status.ok
    assert run.events == plain.events
    assert run.trajectory.phases == plain.trajectory.phases
    assert np.array_equal(run.time, plain.time)
    for one, two in zip(run.trajectory.history, plain.trajectory.history, strict=True):
        assert np.array_equal(one, two, equal_nan=True)
    assert np.array_equal(run.energy["work"], plain.energy["work"])


def test_a_run_that_an_event_ended_ends_there_again(tmp_path: Path) -> None:
    path, ends = tmp_path / "run.ckpt", cs.Event("end", lambda t, _: t - 0.3, stop=True)
    runs = [
        cs.simulate(swing(), 1.0, step, events=ends, checkpoint=path.with_suffix(f".{step}"), checkpoint_interval=0.0)
        for step in (0.004, 0.004, None, None)
    ]
    for run in runs:
        assert run.status.ok
        assert run.time[-1] == pytest.approx(0.3, abs=1e-12)
        assert run.events == [("end", pytest.approx(0.3, abs=1e-12))]


def test_other_events_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"

    def run(level: float, **more: Any) -> cs.Run:
        event = cs.Event("off", lambda t, state: shoulder(t, state) - level, **more)
        return cs.simulate(swing(), 0.1, 0.01, events=event, checkpoint=path)

    run(0.6, release="elbow")
    with pytest.raises(SolveError, match="event 'off': when: its"):
        run(0.7, release="elbow")
    with pytest.raises(SolveError, match="another run: events was"):
        run(0.6, release="shoulder")
