"""Bad input ends in exit code 2 and one readable block: what, where, remedy; no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from cosserat.cli import app

GOOD = """
model: arm
gravity: [0, 0, -9.81]
beams:
  - name: arm
    points: [[0, 0, 0], [1, 0, 0]]
    section: {kind: Rod, diameter: 0.01}
    material: STEEL
joints:
  - {kind: Fixed, name: clamp, parent: ground, child: arm.start}
simulate: {duration: 0.01, step: 0.001}
"""

CASES = {
    "broken YAML": (GOOD.replace("[1, 0, 0]]", "[1, 0, 0]"), "not valid YAML", "line"),
    "unknown place": (GOOD.replace("arm.start", "arm.strat"), "arm.strat", "joints[0].child"),
    "not a number": (GOOD.replace("[0, 0, -9.81]", "[0, 0, .nan]"), "nan", "gravity"),
    "unknown key": (GOOD.replace("material: STEEL", "materiel: STEEL"), "unknown key 'materiel'", "beams[0].materiel"),
    "negative duration": (GOOD.replace("duration: 0.01", "duration: -1"), "duration", "simulate"),
    "empty": ("", "empty", "model.yaml"),
    "a list": ("- 1\n- 2\n", "must be a mapping", "model.yaml"),
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.yaml").write_text(GOOD)


def refused(*words: str) -> str:
    """Call a command that must be refused; returns what it said, with runs of blanks as one."""
    result = CliRunner().invoke(app, words, env={"COLUMNS": "160"})
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    return " ".join(result.output.split())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("command", ["run", "validate", "equilibrium"])
def test_bad_files(name: str, command: str) -> None:
    text, what, where = CASES[name]
    Path("model.yaml").write_text(text)
    message = refused(command, "model.yaml")
    assert message.startswith("error")
    assert what in message
    assert where in message


@pytest.mark.parametrize(
    "words, what",
    [
        (("missing.yaml",), "no such file where missing.yaml"),
        ((".",), "is a folder"),
        (("model.yaml", "--step", "nan"), "step is nan"),
        (("model.yaml", "--step", "5"), "longer than the duration"),
        (("model.yaml", "--duration", "-1"), "duration is -1.0"),
        (("model.yaml", "--integrator", "euler"), "unknown integrator 'euler'"),
        (("model.yaml", "--rho", "2"), "rho is 2.0"),
        (("model.yaml", "--every", "0"), "every is 0"),
        (("model.yaml", "--start", "nowhere"), "start is 'nowhere'"),
        (("model.yaml", "--plot", "arm.tip"), "arm.tip"),
        (("model.yaml", "--set", "load"), "write NAME=NUMBER"),
        (("model.yaml", "--set", "load=3"), "load"),
        (("model.yaml", "--out", "model.yaml/x.nc"), "model.yaml"),
        (("model.yaml", "--out", "."), "is a folder"),
        (("model.yaml", "--frobnicate"), "--frobnicate"),
    ],
)
def test_bad_options(words: tuple[str, ...], what: str) -> None:
    assert what in refused("run", *words)


def test_no_duration() -> None:
    Path("model.yaml").write_text(GOOD.replace("simulate: {duration: 0.01, step: 0.001}", ""))
    assert "remedy pass --duration SECONDS" in refused("run", "model.yaml")


def test_debug_shows_the_traceback() -> None:
    result = CliRunner().invoke(app, ["validate", "missing.yaml", "--debug"])
    assert result.exception is not None
    assert "no such file" in str(result.exception)


def test_demo_wants_a_folder() -> None:
    assert "is a file" in refused("demo", "--out", "model.yaml")
