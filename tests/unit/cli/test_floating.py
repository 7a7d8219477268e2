"""`cosserat run` in floating frames: options, files with modal bodies, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cosserat as cs
from cosserat.cli import app

BEAMS = """
model: arm
gravity: [0, 0, -9.81]
beams:
  - {name: upper, points: [[0, 0, 0], [1, 0, 0]], section: {kind: Rod, diameter: 0.02}, material: STEEL, elements: 2}
  - {name: lower, points: [[1, 0, 0], [2, 0, 0]], section: {kind: Rod, diameter: 0.02}, material: STEEL, elements: 2}
joints:
  - {kind: Revolute, name: shoulder, parent: ground, child: upper.start, axis: [0, 1, 0]}
  - {kind: Revolute, name: elbow, parent: upper.end, child: lower.start, axis: [0, 1, 0]}
simulate: {duration: 0.01, step: 0.002}
"""
MODAL = """
model: boom
gravity: [0, 0, -9.81]
modal_bodies:
  - {kind: beam, name: boom, points: [[0, 0, 0], [1, 0, 0]], section: {kind: Rod, diameter: 0.02}, material: STEEL,
     elements: 2, modes: 2}
joints:
  - {kind: Revolute, name: hinge, parent: ground, child: boom.start, axis: [0, 1, 0]}
simulate: {duration: 0.01, step: 0.002}
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("arm.yaml").write_text(BEAMS)
    Path("boom.yaml").write_text(MODAL)


def call(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, words, env={"COLUMNS": "200"})
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return " ".join(result.output.split())


def test_options_reach_the_run() -> None:
    text = call("run", "arm.yaml", "--formulation", "floating", "--modes", "2", "--no-stiffening")
    assert "modes = 2" in text
    run = cs.load_run("arm.nc")
    assert run.settings["formulation"] == "floating"
    assert run.settings["stiffening"] is False
    assert run.coordinate("lower").shape == (6, 2)
    call(
        "run",
        "arm.yaml",
        "--formulation",
        "floating",
        "--modes",
        "upper=3",
        "--modes",
        "lower=1",
        "--boundary",
        "cantilever",
    )
    run = cs.load_run("arm.nc")
    assert [run.coordinate(beam).shape[1] for beam in ("upper", "lower")] == [3, 1]


def test_files_with_modal_bodies() -> None:
    call("run", "boom.yaml", "--formulation", "floating", "--plot", "boom.end", "--plot", "boom", "--html", "boom.html")
    assert Path("boom.png").exists()
    assert "outlines" in Path("boom.html").read_text()
    assert cs.load_run("boom.nc").model["boom"].n_modes == 2
    assert "boom" in call("validate", "boom.yaml")
    Path("boom.yaml").write_text(MODAL.replace("step: 0.002", "step: 0.002, formulation: floating"))
    call("run", "boom.yaml")


def test_settings_of_the_file_do_not_bind_the_other_formulation() -> None:
    Path("arm.yaml").write_text(BEAMS.replace("step: 0.002", "step: 0.002, formulation: floating, modes: 2"))
    call("run", "arm.yaml")
    assert cs.load_run("arm.nc").settings["modes"] == 2
    call("run", "arm.yaml", "--formulation", "galilean")
    assert cs.load_run("arm.nc").settings["formulation"] == "galilean"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("arm.yaml", "--modes", "3"), "--modes belongs to floating frames remedy add --formulation floating"),
        (("arm.yaml", "--no-stiffening"), "--stiffening belongs to floating frames"),
        (("arm.yaml", "--formulation", "floating"), "needs the number of modes of each beam where arm.yaml"),
        (("arm.yaml", "--formulation", "floating", "--modes", "six"), "--modes 'six' cannot be read"),
        (("arm.yaml", "--formulation", "floating", "--modes", "upper=2"), "modes says nothing of the beam 'lower'"),
        (("arm.yaml", "--formulation", "floating", "--modes", "2", "--modes", "upper=2"), "one number for all beams"),
        (("arm.yaml", "--formulation", "floating", "--modes", "-1"), "modes is -1"),
        (("arm.yaml", "--formulation", "flotng", "--modes", "2"), "unknown formulation 'flotng'"),
        (("arm.yaml", "--formulation", "lagrangian"), "unknown formulation 'lagrangian' remedy available: 'galilean'"),
        (("boom.yaml",), "the modal body 'boom' moves in floating frames only"),
        (("boom.yaml", "--formulation", "galilean"), "moves in floating frames only"),
    ],
)
def test_nonsense(words: tuple[str, ...], said: str) -> None:
    assert said in call("run", *words, code=2)


def test_analyses_take_modal_bodies() -> None:
    assert "boom: finished" in call("equilibrium", "boom.yaml")
    assert "boom" in call("modes", "boom.yaml")


HELD = BEAMS.replace("axis: [0, 1, 0]}", "axis: [0, 1, 0], stiffness: k}") + "parameters: {k: 2000}\n"


def test_analyses_in_floating_frames() -> None:
    """The options reach `modes`, `equilibrium`, paths and `stability`; with the numbers of the calls in Python."""
    Path("arm.yaml").write_text(HELD)
    model, frames = cs.load_model("arm.yaml"), cs.Floating({"upper": 3, "lower": 2}, "cantilever", False)
    floating = ("--formulation", "floating", "--beam-modes", "upper=3", "--beam-modes", "lower=2")
    floating += ("--boundary", "cantilever", "--no-stiffening")
    call("modes", "arm.yaml", "-n", "3", *floating, "--json", "modes.json")
    found = [mode["frequency"] for mode in json.loads(Path("modes.json").read_text())["modes"]]
    assert found == cs.modes(model, 3, formulation=frames).frequencies.tolist()
    assert found != cs.modes(model, 3).frequencies.tolist()
    call("equilibrium", "arm.yaml", *floating, "--out", "rest.json")
    tip = json.loads(Path("rest.json").read_text())["positions"]["lower.end"]
    assert tip == cs.equilibrium(model, formulation=frames).position("lower.end").tolist()
    call("equilibrium", "arm.yaml", *floating, "--path", "k", "2000", "3000", "--out", "path.json")
    tips = json.loads(Path("path.json").read_text())["positions"]["lower.end"]
    assert tips[0] == pytest.approx(tip, abs=1e-9)
    words = ("--parameter", "k", "--from", "2000", "--to", "3000", "--steps", "1", "--modes", "3")
    call("stability", "arm.yaml", *words, *floating, "--json", "stability.json")
    known = cs.stability(model, "k", [2000.0, 3000.0], n=3, formulation=frames).eigenvalues
    assert json.loads(Path("stability.json").read_text())["imaginary"] == known.imag.tolist()


@pytest.mark.parametrize("command", ["modes", "equilibrium", "stability"])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--beam-modes", "3"), "--beam-modes belongs to floating frames remedy add --formulation floating"),
        (("--stiffening",), "--stiffening belongs to floating frames"),
        (("--formulation", "floating"), "modes of each beam where arm.yaml remedy pass --beam-modes 6"),
        (("--formulation", "floating", "--beam-modes", "upper=x"), "--beam-modes 'upper=x' cannot be read"),
        (("--formulation", "flotng"), "formulation is 'flotng'"),
    ],
)
def test_nonsense_of_analyses(command: str, words: tuple[str, ...], said: str) -> None:
    Path("arm.yaml").write_text(HELD)
    along = ("--parameter", "k", "--from", "2000", "--to", "3000") if command == "stability" else ()
    assert said in call(command, "arm.yaml", *along, *words, code=2)


def test_compiling_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first floating run, and not again; a Galilean run needs nothing of it."""
    from cosserat.cli import kernels

    kept = {"": list(kernels.LAST.values()), "flexible": []}
    calls = []

    def warm() -> float:
        calls.append("warm")
        kept["flexible"].extend(kernels._LAST_FLOATING)
        return 40.0

    monkeypatch.setattr(kernels, "compiler_is_off", lambda: False)
    monkeypatch.setattr(kernels, "compiled_names", lambda folder="": kept[folder])
    monkeypatch.setattr(kernels, "warm_floating", warm)
    options = ["run", "arm.yaml", "--formulation", "floating", "--modes", "1"]
    assert "compiling kernels" not in CliRunner().invoke(app, options[:2]).output
    first, second = (CliRunner().invoke(app, options).output for _ in range(2))
    assert "compiling kernels, once per installation, about a minute" in first
    assert "compiled in 40 s" in first
    assert "compiling kernels" not in second
    assert calls == ["warm"]


def test_what_is_compiled_beforehand_is_what_runs_need() -> None:
    """Loops, both integrators: the kernel that tells whether all is there comes of it."""
    from cosserat.cli import kernels

    kernels.warm_floating()
    assert kernels.floating_ready()
