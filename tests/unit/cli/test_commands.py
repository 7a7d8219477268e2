"""The commands: files in, files and tables out, exit codes."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from cosserat.cli import app

MODELS = Path(__file__).parents[3] / "examples" / "models"

PENDULUM = """
model: pendulum
gravity: [0, 0, -9.81]
parameters: {length: 1}
bodies:
  - {kind: sphere, name: bob, diameter: 0.1, mass: 1, com: [length, 0, 0]}
joints:
  - {kind: Revolute, name: pivot, parent: ground, child: "bob.at(0, 0, 0)", axis: [0, 1, 0]}
simulate: {duration: 0.5, step: 0.01}
"""


@pytest.fixture
def pendulum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "pendulum.yaml"
    path.write_text(PENDULUM)
    return path


def call(*words: object) -> Result:
    return CliRunner().invoke(app, [str(w) for w in words], env={"COLUMNS": "160"})


def said(result: Result) -> str:
    """Everything printed, with runs of blanks as one."""
    return " ".join(result.output.split())


def test_help_lists_only_what_exists() -> None:
    result = call("--help")
    assert result.exit_code == 0
    for name in ("demo", "run", "equilibrium", "modes", "stability", "view", "validate", "doctor"):
        assert name in result.stdout
        assert call(name, "--help").exit_code == 0


def test_version() -> None:
    import cosserat

    assert cosserat.__version__ in call("--version").stdout


def test_run_writes_results(pendulum: Path) -> None:
    result = call("run", pendulum, "--plot", "bob", "--html", "views/p.html")
    assert result.exit_code == 0, result.output
    assert "finished" in said(result)
    assert Path("pendulum.nc").stat().st_size > 0
    assert Path("pendulum.png").read_bytes()[:4] == b"\x89PNG"
    assert "<html" in Path("views/p.html").read_text(encoding="utf-8").lower()


def test_options_win_over_the_file(pendulum: Path) -> None:
    import cosserat as cs

    out = Path("deep/r.nc")
    options = ("--duration", 0.2, "--step", 0.005, "--every", 2, "--rho", 0.8, "--set", "length=2")
    result = call("run", pendulum, "--out", out, *options)
    assert result.exit_code == 0, result.output
    assert "made the folder deep" in said(result)
    run = cs.load_run(out)
    assert run.time[-1] == pytest.approx(0.2)
    assert len(run.time) == 21
    assert run.settings["rho"] == 0.8
    assert float(run.position("bob")[0, 0]) == pytest.approx(2.0)


def test_tolerance_asks_for_adaptive_steps(pendulum: Path) -> None:
    import cosserat as cs

    assert call("run", pendulum, "--tolerance", 1e-3).exit_code == 0
    assert cs.load_run("pendulum.nc").settings["step"] is None


def test_run_that_fails_keeps_what_it_has(pendulum: Path) -> None:
    pendulum.write_text(PENDULUM + 'loads:\n  - {kind: Force, name: bang, place: bob, vector: [0, "1e200*t", 0]}\n')
    result = call("run", pendulum)
    assert result.exit_code == 1, result.output
    assert "not finished" in said(result)
    assert Path("pendulum.nc").exists()


def test_validate(pendulum: Path) -> None:
    result = call("validate", pendulum)
    assert result.exit_code == 0
    assert "6 equations of motion, 5 constraints of 1 joints" in said(result)


def test_equilibrium_tables_and_json(tmp_path: Path) -> None:
    out = tmp_path / "e.json"
    options = ("--time", 1, "--place", "strip.at(0.5)", "--set", "load=0", "--out", out)
    result = call("equilibrium", MODELS / "cantilever.yaml", *options)
    assert result.exit_code == 0, result.output
    assert "clamp" in result.stdout
    found = json.loads(out.read_text())
    assert found["ok"]
    weight = 0.02 * 0.004 * 1.0 * 9.81 * 7850
    assert found["reactions"]["clamp"][2] == pytest.approx(weight, rel=0.02)
    assert np.shape(found["positions"]["strip.at(0.5)"]) == (3,)


def test_equilibrium_path(tmp_path: Path) -> None:
    """With the loads of t = 1 s; the strip bends down ever more."""
    out, plot = tmp_path / "path.json", tmp_path / "path.png"
    options = ["--path", "load", 0, 20, "--time", 1, "--out", out, "--plot", plot]
    result = call("equilibrium", MODELS / "cantilever.yaml", *options)
    assert result.exit_code == 0, result.output
    assert "load = 20 reached" in " ".join(result.output.split())
    content = json.loads(out.read_text())
    heights = [x[2] for x in content["positions"]["strip.end"]]
    assert content["values"][-1] == 20.0
    assert all(b < a for a, b in itertools.pairwise(heights))
    assert plot.stat().st_size > 0


def test_equilibrium_path_of_an_unknown_parameter() -> None:
    result = call("equilibrium", MODELS / "cantilever.yaml", "--path", "lod", 0, 20)
    assert result.exit_code != 0
    assert "parameters: 'load'" in " ".join(result.output.split())


def test_equilibrium_that_does_not_exist(pendulum: Path) -> None:
    pendulum.write_text(PENDULUM.replace("gravity: [0, 0, -9.81]", ""))
    result = call("equilibrium", pendulum)
    assert result.exit_code == 1
    assert "not finished" in said(result)


def test_doctor_is_well() -> None:
    result = call("doctor")
    assert result.exit_code == 0, result.output
    assert "all is well" in result.stdout
    assert "numba" in result.stdout
    assert "kernels of floating runs" in result.stdout


def test_doctor_says_when_numbers_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    from cosserat.cli import doctor as selftest

    monkeypatch.setattr(selftest, "CHECKS", (lambda: selftest.Check("nonsense", 1.0, float("nan"), 1.0),))
    result = call("doctor")
    assert result.exit_code == 1
    assert "WRONG" in result.stdout


def test_demo_writes_its_files(tmp_path: Path) -> None:
    result = call("demo", "--quick", "--out", tmp_path / "d")
    assert result.exit_code == 0, result.output
    names = {"tip.png", "cost.csv", "FF.html", "RR.nc", "RF.nc", "FR.nc", "FF.nc"}
    assert names <= {p.name for p in (tmp_path / "d").iterdir()}
    assert "published" in result.stdout
    assert len((tmp_path / "d" / "cost.csv").read_text().splitlines()) == 1 + 4 * 2


def test_as_a_process(pendulum: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cosserat", "validate", "missing.yaml"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no such file" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_interrupted_process_keeps_what_it_has(pendulum: Path) -> None:
    command = [sys.executable, "-m", "cosserat", "run", str(pendulum), "--duration", "1e5", "--every", "1000"]
    # a shell that runs the tests in the background has them ignore the signal
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, text=True, preexec_fn=heed, **pipes)
    time.sleep(4.0)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "interrupted" in errors


def test_nothing_heavy_is_imported_for_help() -> None:
    heavy = "numba", "scipy", "xarray", "matplotlib"
    code = f"import sys, cosserat.cli; sys.exit(' '.join(m for m in {heavy} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""


def test_view_makes_a_page_of_a_result(pendulum: Path) -> None:
    assert call("run", pendulum).exit_code == 0
    result = call("view", "pendulum.nc", "--no-open", "--trail", "bob")
    assert result.exit_code == 0
    assert "wrote pendulum.html" in said(result)
    assert "pendulum" in Path("pendulum.html").read_text()
    assert call("view", "pendulum.nc", "--no-open", "--out", "pendulum.nc").exit_code == 2
    assert "unknown body 'tip'" in said(call("view", "pendulum.nc", "--no-open", "--trail", "tip"))
    assert "is a model file" in said(call("view", pendulum))


def test_equilibrium_counts_and_shows_zeros_plainly() -> None:
    assert "1 load step," in said(call("equilibrium", MODELS / "beck.yaml"))
    assert "-0" not in said(call("equilibrium", MODELS / "four_bar.yaml"))


def test_equilibrium_tells_of_which_time_the_loads_are() -> None:
    assert "; loads at t = 0 s" in said(call("equilibrium", MODELS / "cantilever.yaml"))
    refused = call("equilibrium", MODELS / "cantilever.yaml", "--path", "load", 0, 20)
    assert refused.exit_code == 2
    assert "it changes nothing at t = 0 s remedy name a parameter of a load" in said(refused)
    assert "or a time at which it acts" in said(refused)


def test_interfaces_of_modal_bodies_are_listed(tmp_path: Path) -> None:
    text = """
model: modal
gravity: [0, 0, -9.81]
parameters: {weight: 1}
modal_bodies:
  - {kind: beam, name: boom, points: [[0, 0, 0], [2, 0, 0]], section: {kind: Rod, diameter: 0.03}, material: STEEL,
     elements: 4, modes: 2, boundary: cantilever}
joints:
  - {kind: Fixed, name: clamp, parent: ground, child: boom.start}
loads:
  - {kind: Force, name: load, place: boom.end, vector: [0, 0, -weight]}
"""
    file = tmp_path / "modal.yaml"
    file.write_text(text)
    assert re.search(r"boom\.end \S+ 0 -0\.0", said(call("equilibrium", file)))
    assert "position of boom.end" in said(call("equilibrium", file, "--path", "weight", 0, 2))


def test_numbers_of_modes_are_not_broken(pendulum: Path) -> None:
    pendulum.write_text(PENDULUM.replace("axis: [0, 1, 0]", "axis: [0, 1, 0], damping: 0.1234567"))
    result = CliRunner().invoke(app, ["modes", str(pendulum)], env={"COLUMNS": "72"})
    assert re.search(r"-0\.\d+ ± \d+\.\d+i", result.output)
