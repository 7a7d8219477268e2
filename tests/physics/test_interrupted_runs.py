"""Runs that end before their time keep every finished step at its true time."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import cosserat as cs

METHODS = [{}, {"integrator": "energy-momentum"}, {"formulation": "floating"}]


def gliding(**joint: object) -> cs.Model:
    """A body whose position is the time."""
    model = cs.Model("gliding")
    body = model.add(cs.RigidBody("body", mass=1, com=(0, 0, 0), inertia=(1, 1, 1), velocity=(1, 0, 0)))
    model.add(cs.Prismatic("track", cs.GROUND, body, axis=(1, 0, 0), at=(0, 0, 0), effort=0.0))
    return model


def true_times(run: cs.Run) -> bool:
    return bool(np.allclose(run.position("body").values[:, 0], run.time, atol=1e-9))


@pytest.mark.parametrize("method", METHODS, ids=lambda m: "-".join(m.values()) or "alpha")
@pytest.mark.parametrize("every", [1, 7])
def test_ctrl_c_keeps_all_finished_steps(method: dict, every: int) -> None:
    """The state used to be stored under the wrong time, and up to 4096 finished steps were dropped."""
    began: list[float] = []

    def show(t: float, work: object) -> None:
        if not began:
            began.append(time.perf_counter())
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()

    run = cs.simulate(gliding(), 1e3, 1e-3, every=every, progress=show, **method)
    assert run.status.outcome.name == "INTERRUPTED"
    assert time.perf_counter() - began[0] < 10.0
    assert len(run.time) > 2
    assert true_times(run)
    assert run.time[-1] == pytest.approx(run.status.time)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: "-".join(m.values()) or "alpha")
@pytest.mark.parametrize("step", [0.01, None])
def test_an_exception_in_a_controller_keeps_all_finished_steps(method: dict, step: float | None) -> None:
    def law(t: float, state: cs.Run) -> dict[str, float]:
        if t > 0.5:
            raise ZeroDivisionError("of the user")
        return {"track": 0.0}

    law.period = 0.1
    with pytest.warns(cs.CosseratWarning, match="controller: ZeroDivisionError: of the user"):
        run = cs.simulate(gliding(), 2.0, step, every=7, controller=law, **method)
    assert run.status.outcome.name == "CALL_FAILED"
    assert isinstance(run.status.cause, ZeroDivisionError)
    assert run.time[-1] == pytest.approx(0.6)
    assert true_times(run)
    again = cs.simulate(gliding(), 1.0, 0.01, start=run, **method)
    assert again.status.ok
    assert true_times(again)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_exception_in_progress_keeps_all_finished_steps(error: type[BaseException]) -> None:
    def show(t: float, work: object) -> None:
        if t > 1.0:
            raise error("enough")

    with pytest.warns(cs.CosseratWarning, match="progress: ValueError") if error is ValueError else nothing():
        run = cs.simulate(gliding(), 500.0, 0.01, every=3, progress=show)
    assert run.status.outcome.name == ("CALL_FAILED" if error is ValueError else "INTERRUPTED")
    assert 1.0 < run.time[-1] < 500.0
    assert true_times(run)


def nothing():
    from contextlib import nullcontext

    return nullcontext()


def test_a_bad_first_answer_of_a_controller_is_an_error() -> None:
    with pytest.raises(cs.CosseratError, match="no effort can be set in 'trak'"):
        cs.simulate(gliding(), 1.0, 0.1, controller=lambda t, state: {"trak": 0.0})
