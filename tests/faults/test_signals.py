"""Commands that are told to end: every finished step is in the file, at its true time, and the exit code says why."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import types

import numpy as np
import pytest
from typer.testing import CliRunner

import cosserat as cs
from cosserat.cli import app
from cosserat.cli.guard import undisturbed
from cosserat.solve import interrupts
from cosserat.solve.floating.walk import FloatingWalk
from cosserat.solve.motion import stepping
from cosserat.solve.motion.stepping import Integration

posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="signals of POSIX")

FALL = """
model: fall
gravity: [0, 0, -2]
bodies:
  - {kind: sphere, name: ball, diameter: 0.1, mass: 1.0}
simulate: {duration: 1000, step: 1.0e-4, every: 50}
"""


def started(folder, *options):
    (folder / "fall.yaml").write_text(FALL)
    words = [sys.executable, "-m", "cosserat", "run", "fall.yaml", *options]
    return subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@posix
@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
def test_a_run_that_is_told_to_end(tmp_path, number):
    cs.simulate(cs.load_model(_file(tmp_path)), duration=0.01, step=0.001)  # the kernels are there
    for delay in (3.0, 10.0, 30.0):  # importing takes its time on a busy machine
        job = started(tmp_path)
        time.sleep(delay)
        job.send_signal(number)
        job.send_signal(number)  # an impatient user does not lose it
        said, _ = job.communicate(timeout=60)
        if job.returncode == -number and not said:
            continue  # Python itself had not started
        assert job.returncode == 130, said
        if (tmp_path / "fall.nc").exists():
            break
    run = cs.load_run(tmp_path / "fall.nc")
    assert run.status.outcome is cs.Outcome.INTERRUPTED
    assert len(run.time) > 1
    np.testing.assert_allclose(run.position("ball")[:, 2], -(run.time**2), rtol=1e-9, atol=1e-9)
    assert run.status.time == pytest.approx(run.time[-1], abs=1e-9)
    assert np.diff(run.time)[:-1] == pytest.approx(50e-4)
    assert "not finished" in said


def _file(folder):
    (folder / "fall.yaml").write_text(FALL)
    return folder / "fall.yaml"


@posix
def test_nothing_disturbs_saving():
    with undisturbed():
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            os.kill(os.getpid(), number)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
@pytest.mark.parametrize("first", [True, False])
def test_signals_on_the_way_out_lose_nothing(formulation, first, tmp_path, monkeypatch):
    """While the checkpoint is written at the end, and while results are put together; the run ended itself, or not."""
    from cosserat.results.checkpoint import Checkpoint
    from cosserat.solve import interrupts
    from cosserat.solve.motion.control import Controlled

    monkeypatch.setattr(interrupts, "_PATIENCE", 0.0)
    told = []

    def telling(call):
        def wrapper(*given):
            if told:
                for _ in range(3):
                    signal.raise_signal(signal.SIGINT)
            return call(*given)

        return wrapper

    monkeypatch.setattr(Checkpoint, "save", telling(Checkpoint.save))
    monkeypatch.setattr(Controlled, "judged", telling(Controlled.judged))

    def progress(t, counters):
        if t >= (5e-2 if first else 1.0) - 1e-9 and not told:
            told.append(t)
            if first:
                signal.raise_signal(signal.SIGINT)

    def controller(t, state):
        return None

    controller.get_state, controller.set_state = lambda: None, lambda state: None
    given = {"step": 1e-2, "formulation": formulation, "controller": controller, "checkpoint": tmp_path / "run.ckpt"}
    run = cs.simulate(cs.load_model(_file(tmp_path)), 1.0, progress=progress, **given)
    assert told
    assert len(run.time) == len(run.position("ball")) == (6 if first else 101)
    assert run.status.ok is not first
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert cs.simulate(cs.load_model(_file(tmp_path)), 1.0, **given).status.ok


@pytest.mark.parametrize(
    "options, says",
    [
        (("--step", "0.1", "--tolerance", "1e-4"), "--step and --tolerance exclude each other"),
        (("--html", "fall.yaml"), "the suffix '.yaml' is not known"),
        (("--out", "fall.yaml"), "the suffix '.yaml' is not known"),
        (("--out", "a.mp4"), "the suffix '.mp4' is not known"),
        (("--out", "no/where/a.nc"), "the folder 'no' does not exist"),
        (("--out", "a.nc", "--html", "a.nc"), "the suffix '.nc' is not known"),
        (("--duration", "1e15"), "duration is 1e+15"),
        (("--step", "1e-100"), "step is 1e-100"),
        (("--step", "1e-12"), "more than can be"),
        (("--every", "0"), "every is 0"),
        (("--set", "x=1"), "no parameter 'x'"),
        (("--set", "x"), "cannot be read"),
    ],
)
def test_options_that_do_harm_are_refused(tmp_path, monkeypatch, options, says):
    monkeypatch.chdir(tmp_path)
    path = _file(tmp_path)
    result = CliRunner().invoke(app, ["run", "fall.yaml", *options], env={"COLUMNS": "300"})
    assert result.exit_code == 2, result.output
    assert says in " ".join(result.output.split())
    assert path.read_text() == FALL
    assert [p.name for p in tmp_path.iterdir()] == ["fall.yaml"]


def test_two_outputs_of_one_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _file(tmp_path)
    words = ["stability", "fall.yaml", "--parameter", "p", "--from", "0", "--to", "1"]
    os.symlink("fall.yaml", "x.json")
    result = CliRunner().invoke(app, [*words, "--json", "x.json"], env={"COLUMNS": "300"})
    assert result.exit_code == 2
    assert "is the model file" in " ".join(result.output.split())
    assert (tmp_path / "fall.yaml").read_text() == FALL


@pytest.mark.parametrize("formulation", ["galilean", "floating"])
@pytest.mark.parametrize("step", [0.01, None])
def test_interrupted_within_steps(monkeypatch, tmp_path, formulation, step):
    """An interrupt that is raised after steps were taken and before they are counted: no state at a wrong time."""
    model = cs.Model("ball")
    model.add(cs.RigidBody.sphere("ball", diameter=0.1, mass=1.0, velocity=(1, 0, 0)))
    model.add(cs.Force("push", "ball", ("0.1*sin(40*t)", 0, 0)))
    given = {"duration": 4.0, "step": step, "every": 7, "formulation": formulation}
    whole = cs.simulate(model, **given)
    owner, name = (stepping, "advance") if formulation == "galilean" else (FloatingWalk, "course")
    if step is None:
        owner, name = (Integration if formulation == "galilean" else FloatingWalk), "judged"
    taken, calls = getattr(owner, name), []

    def late(*args):
        out = taken(*args)
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return out

    monkeypatch.setattr(owner, name, late)
    path = tmp_path / "run.ckpt"
    kept = {} if step is None else {"checkpoint": path, "checkpoint_interval": 1e9}
    run = cs.simulate(model, **given, **kept)
    assert run.status.outcome is cs.Outcome.INTERRUPTED
    assert 0 < len(run.time) < len(whole.time)
    np.testing.assert_allclose(run.time, whole.time[: len(run.time)])
    np.testing.assert_allclose(run.position("ball"), whole.position("ball")[: len(run.time)], atol=1e-9)
    assert not path.exists()  # a state that is not the one it says
    monkeypatch.undo()
    on = cs.simulate(model, **{**given, "duration": 4.0 - run.time[-1], "start": run})
    np.testing.assert_allclose(on.position("ball")[-1], whole.position("ball")[-1], atol=2e-2)


def test_the_second_signal_raises_in_functions_of_the_user_only(monkeypatch):
    """What hangs can be left; what our own code has finished is counted first."""
    monkeypatch.setattr(interrupts, "_PATIENCE", -1.0)

    def hanging():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with interrupts.Interrupts(stepping=True) as noted, pytest.raises(KeyboardInterrupt):
        hanging()
    assert noted.asked
    ours = types.FunctionType(hanging.__code__.replace(co_filename=interrupts.__file__), globals())
    with interrupts.Interrupts(stepping=True) as noted:
        ours()
    assert noted.asked
